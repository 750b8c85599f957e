#!/bin/sh
# Some tests look at pages with a real browser, Debian's chromium. Where there is none, it is installed if that needs
# no questions; otherwise one sentence says what to do.
set -eu

command -v chromium >/dev/null 2>&1 && exit 0

refuse() {
    echo "The tests need the browser chromium on the PATH, and $1: install Debian's package chromium, or name another" \
        "Chromium or Chrome in the variable CHROMIUM." >&2
    exit 1
}

[ -n "${CHROMIUM:-}" ] && [ -x "$CHROMIUM" ] && exit 0
[ "$(id -u)" -eq 0 ] || refuse "only root can install one"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

echo "Installing Debian's package chromium: the tests look at pages with it ..."
apt-get update -qq || refuse "apt-get update failed"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium </dev/null >/dev/null ||
    refuse "apt-get install chromium failed"
command -v chromium >/dev/null 2>&1 || refuse "it is not on the PATH"
