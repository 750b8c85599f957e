"""Whether an error is what became of a signal; what the program makes of one is in test_streams."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress

import pytest

from rochull._core import extras
from rochull.cli import app, entry
from rochull.cli.interrupted import Interruption, by_signal


def test_the_whole_chain_is_asked_even_where_it_is_a_ring() -> None:
    first, second = RuntimeError("first"), ValueError("second")
    first.__cause__, second.__context__ = second, first
    assert not by_signal(None)
    assert not by_signal(first)
    second.__cause__ = KeyboardInterrupt()
    assert by_signal(first)
    assert by_signal(second.__cause__)


def press(times: int = 1) -> None:
    """Press Ctrl-C so often."""
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)


class Drops:
    """What is cleaned up while somebody presses: Python forgets the exception."""

    def __del__(self) -> None:
        press()


def wait_for(what: Callable[[], object]) -> None:
    """Wait, but not for ever."""
    end = time.monotonic() + 20
    while not what() and time.monotonic() < end:
        time.sleep(0.01)


def dropped() -> None:
    Drops()


def suppressed() -> None:
    with suppress(KeyboardInterrupt):
        press()


@pytest.mark.parametrize("lose", [dropped, suppressed])
def test_what_is_lost_is_raised_again(lose: Callable[[], None], capfd: pytest.CaptureFixture[str]) -> None:
    def watched() -> None:
        with Interruption.watched():
            assert not Interruption.pressed
            lose()
            assert Interruption.pressed
            wait_for(lambda: False)

    before = signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT), sys.unraisablehook
    with pytest.raises(KeyboardInterrupt):
        watched()
    assert before == (signal.getsignal(signal.SIGALRM), signal.getsignal(signal.SIGINT), sys.unraisablehook)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert capfd.readouterr().err == ""


def test_nothing_interrupts_what_an_interruption_cleans_up() -> None:
    cleaned = []

    @contextmanager
    def held() -> Iterator[None]:
        try:
            yield
        finally:
            press(3)
            time.sleep(0.6)  # the timer sends it again, too
            cleaned.append("context")

    def generated() -> Iterator[int]:
        try:
            yield 1
        finally:
            press(3)
            cleaned.append("generator")

    def watched() -> None:
        with Interruption.watched(), held(), closing(generated()) as numbers:
            next(numbers)
            try:
                press()
            finally:
                press(3)
                cleaned.append("finally")

    with pytest.raises(KeyboardInterrupt):
        watched()
    assert cleaned == ["finally", "generator", "context"]


def test_it_is_watched_once() -> None:
    with Interruption.watched():
        handler = signal.getsignal(signal.SIGINT)
        with suppress(KeyboardInterrupt):
            press()
        with Interruption.watched():
            assert signal.getsignal(signal.SIGINT) is handler
            assert Interruption.pressed
        with pytest.raises(KeyboardInterrupt):
            Interruption.check()
    assert signal.getsignal(signal.SIGINT) is not handler
    with Interruption.watched():
        Interruption.check()


@pytest.mark.parametrize("error", [ImportError("more than once per process"), ValueError("x"), OSError("y")])
def test_what_became_of_it_is_not_told(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> None:
        with suppress(KeyboardInterrupt):
            press()
        raise error

    monkeypatch.setattr(app, "command_line", lambda: fails)
    assert entry.main([]) == 130
    assert capsys.readouterr().err == "rochull: interrupted.\n"
    monkeypatch.setattr(extras, "require", fails)
    assert entry.main([]) == 130
    assert capsys.readouterr().err == "rochull: interrupted.\n"
