"""Files are written whole or not at all, and what a killed process left is removed by the next one.

Only whoever writes can read what is not whole yet. What is unfinished is locked: the lock of a process that
was killed is gone, whatever its number is now.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from rochull._core.inputs import check_inputs

_YOUNG = 60.0  # seconds, in which something may be made that is not locked yet


def check_writable(target: Path) -> None:
    """Raise, in the caller's words, unless a file can be made at `target`."""
    if target.is_symlink() and not target.exists() and os.path.islink(os.path.realpath(target)):
        raise FileExistsError(f"{os.fspath(target)!r} is a link that leads back to itself.")
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(target)!r} is a directory, not a file to write.")
    if target.exists() and not target.is_file():
        raise FileExistsError(f"{os.fspath(target)!r} is not a regular file, which could be replaced.")
    place = (Path(os.path.realpath(target)) if target.is_symlink() else target).parent  # links are followed
    if not place.is_dir():
        raise FileNotFoundError(f"there is no directory {os.fspath(place)!r} to write to.")
    if not os.access(place, os.W_OK):
        raise PermissionError(f"the directory {os.fspath(place)!r} is not writable.")


def check_apart(target: Path, read: Path, what: str) -> None:
    """Raise if what is written would replace a file that is read, which messages call `what`."""
    if target.exists() and read.exists() and target.samefile(read):
        raise ValueError(f"the output {os.fspath(target)!r} is also {what}; name another file.")


@contextmanager
def replacing(target: Path) -> Iterator[str]:
    """A temporary name beside `target`, which becomes `target` if all goes well, else nothing.

    A link stays a link, and what is replaced leaves its mode. Errors of the system that name no file, as of
    a full disk, name `target`.
    """
    check_writable(target)
    asked, target = os.fspath(target), Path(os.path.realpath(target))
    known = os.fsdecode(os.fsencode(target.name)[:200])  # a name may have 255 bytes
    remove_leftovers(target.parent, f".{known}.", ".partial")
    # Its suffix keeps it out of a glob such as *.parquet over the same directory.
    partial = target.with_name(f".{known}.{os.urandom(4).hex()}.partial")
    left = _mode_left(target, partial)
    handle = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        lock(handle)
        yield os.fspath(partial)
        check_inputs()
        os.chmod(partial, left)
        os.replace(partial, target)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = asked
        raise
    finally:
        os.close(handle)


def _mode_left(target: Path, name: Path) -> int:
    """The mode of what is replaced, or else of a new file: an empty one tells, and is removed."""
    if target.exists():
        return stat.S_IMODE(os.stat(target).st_mode)
    handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        return stat.S_IMODE(os.fstat(handle).st_mode)
    finally:
        os.close(handle)
        os.unlink(name)


def lock(handle: int) -> bool:
    """Lock an open file for as long as it is open here; False if it is locked elsewhere."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):  # no such locks here
        return False
    return True


def remove_leftovers(place: str | os.PathLike[str], prefix: str, suffix: str = "", inside: str = "") -> None:
    """Remove files and directories so named that nobody holds; of a directory the file `inside` is locked."""
    with suppress(OSError):
        for entry in list(os.scandir(place)):
            if entry.name.startswith(prefix) and entry.name.endswith(suffix):
                with suppress(OSError):
                    _remove_unheld(entry.path, os.path.join(entry.path, inside) if inside else entry.path)


def _remove_unheld(path: str, locked: str) -> None:
    if os.lstat(path).st_mtime > time() - _YOUNG:
        return
    handle = os.open(locked, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if lock(handle):
            shutil.rmtree(path) if locked != path else os.unlink(path)
    finally:
        os.close(handle)
