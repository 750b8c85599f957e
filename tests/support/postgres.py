"""A PostgreSQL server of our own, for as long as the tests run: private, on a socket, gone afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Debian keeps the server's programs out of the PATH.
PLACES = "/usr/lib/postgresql/*/bin"
# Nothing has to survive, nobody else connects, and few rows are stored.
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "jit": "off",
    "max_connections": "10",
    "shared_buffers": "64MB",
}
USER = "rochull"


class Server:
    """Where a server listens.

    Attributes
    ----------
    directory : of the socket, and of everything else that belongs to the server.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def connect(self, database: str = "postgres") -> Any:
        """Open a connection in which each statement stands for itself."""
        import psycopg

        return psycopg.connect(host=str(self.directory), user=USER, dbname=database, autocommit=True)


def programs(places: str = PLACES, path: str | None = None) -> Path:
    """The directory of the server's programs, of the newest version if there are several."""
    found = shutil.which("initdb", path=path)
    if found is not None:
        return Path(found).resolve().parent
    every = [p for p in Path("/").glob(places.lstrip("/")) if (p / "initdb").is_file()]
    if not every:
        raise FileNotFoundError(
            "These tests need a PostgreSQL server, and its program initdb was not found: install Debian's "
            "package postgresql (as root: apt-get install postgresql), or put initdb on the PATH."
        )
    return max(every, key=lambda p: [int(part) for part in p.parent.name.split(".") if part.isdigit()])


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """Make a cluster, start it, and take it away in the end."""
    place = programs()
    # The path of a socket is short; and the server's user must get there.
    directory = Path(tempfile.mkdtemp(prefix="rochull-", dir="/tmp"))
    # PostgreSQL does not run as root, so root lends the directory to another user.
    demoted: dict[str, Any] = {}
    if os.geteuid() == 0:
        user = _other_user()
        os.chown(directory, user.pw_uid, user.pw_gid)
        demoted = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(program: str, *arguments: str) -> None:
        command = [str(place / program), *arguments]
        environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        log = directory / "log"
        done = subprocess.run(
            command, cwd=directory, env=environment, capture_output=True, text=True, check=False, **demoted
        )
        if done.returncode:
            told = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
            raise RuntimeError(f"{program} failed:\n{done.stdout}{done.stderr}{told}")

    data = str(directory / "data")
    try:
        run("initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        with open(directory / "data" / "postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in SETTINGS.items())
            file.write(f"unix_socket_directories = '{directory}'\n")
        # The log is a file: a server that inherits our output would keep its reader waiting.
        run("pg_ctl", "-D", data, "-l", str(directory / "log"), "-w", "-t", "60", "start")
        try:
            yield Server(directory)
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _other_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError("PostgreSQL does not run as root, and there is neither a user postgres nor nobody.")
