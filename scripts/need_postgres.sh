#!/bin/sh
# Some tests start a private PostgreSQL server, and need its programs. Where there are none, Debian's package is
# installed if that needs no questions; otherwise one sentence says what to do.
set -eu

have_server() {
    command -v initdb >/dev/null 2>&1 && return
    for program in /usr/lib/postgresql/*/bin/initdb; do # not in the PATH on Debian
        [ -x "$program" ] && return
    done
    return 1
}

have_server && exit 0

refuse() {
    echo "The tests need a PostgreSQL server, and $1: install Debian's package postgresql, or another PostgreSQL" \
        "with its initdb on the PATH." >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || refuse "only root can install one"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

install_quietly() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1" </dev/null >/dev/null
}

echo "Installing Debian's package postgresql: the tests start a server of their own ..."
apt-get update -qq || refuse "apt-get update failed"
# First the package's settings: no cluster of the whole machine is to be made, let alone started.
install_quietly postgresql-common || refuse "apt-get install postgresql-common failed"
settings=/etc/postgresql-common/createcluster.conf
if [ -f "$settings" ]; then
    sed -i 's/^#\{0,1\}\(create_main_cluster\) .*$/\1 = false/' "$settings"
fi
install_quietly postgresql || refuse "apt-get install postgresql failed"
have_server || refuse "its initdb is not where Debian puts it"
