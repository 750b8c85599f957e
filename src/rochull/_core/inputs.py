"""Files that are read more than once must stay what they were at the first look."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from rochull._core.messages import Refusal

Answer = TypeVar("Answer")
Versions = dict[str, tuple[int, ...] | None]
# By what was asked for, its files as they were. None outside of `inputs_kept`, and in other threads.
_SEEN: ContextVar[dict[str, Versions] | None] = ContextVar("_SEEN", default=None)
# Answers by question, of files that are what they were.
_TOLD: ContextVar[dict[str, Any] | None] = ContextVar("_TOLD", default=None)


class ChangedInputError(Refusal):
    """A file was replaced, or written to, while it was read."""


@contextmanager
def inputs_kept() -> Iterator[None]:
    """Within it a table must be the one seen first, when opened again and before results are written."""
    if _SEEN.get() is not None:
        yield
        return
    seen, answered = _SEEN.set({}), _TOLD.set({})
    try:
        yield
    finally:
        _SEEN.reset(seen)
        _TOLD.reset(answered)


def asked_once(question: str, ask: Callable[[str], Answer]) -> Answer:
    """Ask a question about tables that are looked at; where they may not change, once."""
    answered = _TOLD.get()
    if answered is None:
        return ask(question)
    if question not in answered:
        answered[question] = ask(question)
    found: Answer = answered[question]
    return found


def look_at(source: str, files: Iterable[str]) -> None:
    """Keep the versions of the files of a source; raise if they were others before."""
    seen = _SEEN.get()
    if seen is None:
        return
    now = versions_of(files)
    if seen.setdefault(source, now) != now:
        raise _changed(source)


def check_inputs() -> None:
    """Raise if a file is not what it was: after it was read, and before an output takes its place."""
    for source, before in (_SEEN.get() or {}).items():
        if versions_of(before) != before:
            raise _changed(source)


def file_version(path: str) -> tuple[int, ...] | None:
    """Number, size and times of a file; None if there is none, or if it is not on a disk of ours."""
    try:
        known = os.stat(path)
    except OSError:
        return None
    return known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns


def versions_of(files: Iterable[str]) -> Versions:
    """The version of every file as it is now."""
    return {file: file_version(file) for file in files}


def _changed(source: str) -> ChangedInputError:
    return ChangedInputError("{} has changed while it was read; try again when it is complete.", repr(source))
