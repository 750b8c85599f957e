#!/bin/sh
# Some tests look at pages with a real browser, Debian's Chromium. Where there is none, it is installed if that needs
# no questions; otherwise one sentence says what to do. The build without windows is asked for first: the same engine
# takes two thirds of the time there.
set -eu

there() { command -v chromium-headless-shell >/dev/null 2>&1 || command -v chromium >/dev/null 2>&1; }
get() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" </dev/null >/dev/null 2>&1
}
refuse() {
    there && exit 0
    echo "The tests need the browser Chromium on the PATH, and $1: install Debian's package chromium-headless-shell or" \
        "chromium, or name another Chromium or Chrome in the variable CHROMIUM." >&2
    exit 1
}

[ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && exit 0
command -v chromium-headless-shell >/dev/null 2>&1 && exit 0
[ "$(id -u)" -eq 0 ] || refuse "only root can install one"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

echo "Installing Debian's package chromium-headless-shell: the tests look at pages with it ..."
apt-get update -qq || refuse "apt-get update failed"
get chromium-headless-shell || there || get chromium || refuse "apt-get install chromium failed"
there || refuse "it is not on the PATH"
