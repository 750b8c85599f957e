"""Ctrl-C, or SIGTERM, which does the same: nothing is left behind, and one line says so.

Libraries that import others in the middle of a call lose the exception, and Python itself makes another of it
while a class is defined, or drops it where something is cleaned up.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.machinery import ExtensionFileLoader
from types import FrameType
from typing import Any

from rochull.cli.statuses import Status

_UNHANDLED = (signal.SIGTERM, signal.SIG_DFL)
_AGAIN = 0.25  # seconds, after which an exception that was lost is raised again


def by_signal(error: BaseException | None) -> bool:
    """Whether a KeyboardInterrupt is the error, its cause, or what was being handled when it was raised."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


class Interruption:
    """Whether it was pressed."""

    pressed = False
    status = int(Status.INTERRUPTED)
    _watching = False

    @classmethod
    @contextmanager
    def watched(cls, *, to_the_end: bool = False) -> Iterator[None]:
        """Remember that it was pressed, beside raising as ever, and raise again where that was lost.

        While the exception is on its way up, and what it leaves is cleaned up, to press again has no effect.
        With `to_the_end` it has none after this either: the work is done, and the process keeps its status.
        """
        if cls._watching or threading.current_thread() is not threading.main_thread():
            yield
            return
        cls.pressed, cls.status, cls._watching = False, int(Status.INTERRUPTED), True
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

        def press(number: int, frame: FrameType | None) -> None:
            if not cls._watching:
                return
            again, cls.pressed = cls.pressed, True
            if again and by_signal(sys.exc_info()[1]):
                return
            if not again:
                cls.status = 128 + number
                repeating.enter_context(_repeated(number))
            if hasattr(signal, "setitimer") and _loads_compiled_code(frame):
                return
            handler = before[signal.Signals(number)]
            (handler if callable(handler) else signal.default_int_handler)(number, frame)

        watched = [n for n in before if callable(before[n]) or (n, before[n]) == _UNHANDLED]
        with ExitStack() as repeating, _unheard():
            for number in watched:
                signal.signal(number, press)
            try:
                yield
            finally:
                cls._watching = False
                for number in watched:
                    signal.signal(number, signal.SIG_IGN if to_the_end else before[number])
                repeating.close()

    @classmethod
    def check(cls) -> None:
        """Raise if it was pressed: called before anything is written."""
        if cls.pressed:
            raise KeyboardInterrupt


def _loads_compiled_code(frame: FrameType | None) -> bool:
    """Whether an extension module is being loaded: some end the process if an exception gets in their way."""
    while frame is not None:
        if isinstance(frame.f_locals.get("self"), ExtensionFileLoader):
            return True
        frame = frame.f_back
    return False


@contextmanager
def _repeated(number: int) -> Iterator[None]:
    """Send a signal again and again, where the system can, to whatever handles it then."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _unheard() -> Iterator[None]:
    """Print nothing of interruptions that Python drops where something is cleaned up."""
    hook = sys.unraisablehook

    def unraisable(lost: Any) -> None:
        if not by_signal(lost.exc_value):
            hook(lost)

    sys.unraisablehook = unraisable
    try:
        yield
    finally:
        sys.unraisablehook = hook
