#!/bin/sh
# Some tests start Spark, which runs on Java. Where there is none, Debian's package is installed if that needs no
# questions; otherwise one sentence says what to do.
set -eu

have_java() {
    if [ -n "${JAVA_HOME:-}" ]; then
        [ -x "$JAVA_HOME/bin/java" ] # where Spark looks, and nowhere else
    else
        command -v java >/dev/null 2>&1
    fi
}

have_java && exit 0

refuse() {
    echo "The tests need Java, and $1: install Debian's package openjdk-17-jre-headless, or another OpenJDK 17 or 21" \
        "with its java on the PATH." >&2
    exit 1
}

[ -z "${JAVA_HOME:-}" ] || refuse "JAVA_HOME is $JAVA_HOME, where there is no bin/java"
[ "$(id -u)" -eq 0 ] || refuse "only root can install it"
command -v apt-get >/dev/null 2>&1 || refuse "there is no apt-get"

echo "Installing Debian's package openjdk-17-jre-headless: the tests start Spark ..."
apt-get update -qq || refuse "apt-get update failed"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless \
    </dev/null >/dev/null || refuse "apt-get install openjdk-17-jre-headless failed"
have_java || refuse "its java is not on the PATH"
