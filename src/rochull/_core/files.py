"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_writable(target: Path) -> None:
    """Raise, in the caller's words, unless a file can be made at `target`."""
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(target)!r} is a directory, not a file to write.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {os.fspath(target.parent)!r} to write to.")
    if not os.access(target.parent, os.W_OK):
        raise PermissionError(f"the directory {os.fspath(target.parent)!r} is not writable.")


@contextmanager
def replacing(target: Path) -> Iterator[str]:
    """A temporary name beside `target`, which becomes `target` if all goes well, else nothing."""
    check_writable(target)
    # Its suffix keeps it out of a glob such as *.parquet over the same directory.
    handle, partial = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
    os.close(handle)
    try:
        yield partial
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o666 & ~mask)
        os.replace(partial, target)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
