#!/bin/sh
# A few tests open pages in a second browser, Debian's firefox-esr. Where there is none, it is installed if that needs
# no questions; otherwise one sentence says what to do.
set -eu

command -v firefox-esr >/dev/null 2>&1 && exit 0

refuse() {
    echo "The tests need the browser firefox-esr on the PATH, and $1: install Debian's package firefox-esr, or name another" \
        "Firefox in the variable FIREFOX." >&2
    exit 1
}

[ -n "${FIREFOX:-}" ] && [ -x "$FIREFOX" ] && exit 0
[ "$(id -u)" -eq 0 ] || refuse "only root can install one"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

echo "Installing Debian's package firefox-esr: the tests open pages in it too ..."
apt-get update -qq || refuse "apt-get update failed"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends firefox-esr </dev/null >/dev/null ||
    refuse "apt-get install firefox-esr failed"
command -v firefox-esr >/dev/null 2>&1 || refuse "it is not on the PATH"
