#!/bin/sh
# The report's page is built, linted and tested with Node.js. Where there is none, Debian's
# packages are installed if that needs no questions; otherwise one sentence says what to do.
set -eu

have_node() {
    command -v npm >/dev/null 2>&1 &&
        node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
            2>/dev/null
}

have_node && exit 0

refuse() {
    echo "The report's page needs Node.js 20.19 or later with npm on the PATH, and $1: install Debian's packages nodejs and npm," \
        "or one from nodejs.org." >&2
    exit 1
}

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 && refuse "found $(node --version)"
[ "$(id -u)" -eq 0 ] || refuse "only root can install it"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

echo "Installing Debian's packages nodejs and npm: the report's page is built with them ..."
apt-get update -qq || refuse "apt-get update failed"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm </dev/null >/dev/null ||
    refuse "apt-get install nodejs npm failed"
have_node || refuse "Debian's own is older"
