"""Work is shared out, results keep their order, and an exception stops everything."""

import logging
import os
import threading

import pytest

import rochull as rh
from rochull._core import threads as _threads


def test_threads_are_made_once() -> None:
    assert _threads.n_threads() >= 1
    assert _threads.threads() is _threads.threads()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_keep_their_order(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(_threads, "n_threads", lambda: count)
    assert _threads.share_out(lambda a, b: a * b, range(50), range(50)) == [i * i for i in range(50)]
    assert _threads.share_out(lambda a: a, []) == []


def test_the_calling_thread_works_too() -> None:
    assert _threads.share_out(lambda _: threading.current_thread(), [0]) == [threading.current_thread()]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_an_exception_stops_the_others(
    monkeypatch: pytest.MonkeyPatch, count: int, kind: type[BaseException]
) -> None:
    monkeypatch.setattr(_threads, "n_threads", lambda: count)
    done = []

    def work(i: int) -> None:
        done.append(i)
        if i == 3:
            raise kind("stop")

    with pytest.raises(kind):
        _threads.share_out(work, range(100_000))
    assert len(done) < 100_000


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer Pythons warn of any fork with threads
def test_a_fork_has_threads_of_its_own() -> None:
    _threads.share_out(lambda a: a, range(10))
    child = os.fork()
    if child == 0:  # in the child: leave at once, whatever happens
        try:
            ok = _threads.share_out(lambda a: a, range(10)) == list(range(10))
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_thread_whose_start_was_interrupted_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[threading.Thread] = []
    start = threading.Thread.start

    def interrupted(self: threading.Thread) -> None:
        start(self)
        begun.append(self)
        raise KeyboardInterrupt  # what Ctrl-C does to the wait for a thread that has started

    monkeypatch.setattr(_threads, "n_threads", lambda: 2)
    _threads.threads.cache_clear()
    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _threads.share_out(lambda a: a, range(10))
    monkeypatch.undo()
    begun[0].join(20)
    assert not begun[0].is_alive()
    assert _threads.share_out(lambda a: a, range(10)) == list(range(10))


def test_work_is_done_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(_threads, "n_threads", lambda: 4)
    _threads.threads.cache_clear()
    monkeypatch.setattr(threading.Thread, "start", refused)
    with _threads.told_if_long("work"):
        assert _threads.share_out(lambda a: a, range(10)) == list(range(10))
    monkeypatch.undo()
    assert _threads.share_out(lambda a: a, range(10)) == list(range(10))


def test_a_lack_of_memory_is_raised_before_what_it_caused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_threads, "n_threads", lambda: 2)
    both = threading.Barrier(2)

    def work(_: int) -> None:
        both.wait(20)
        main = threading.current_thread() is threading.main_thread()
        raise ImportError if main else MemoryError

    with pytest.raises(MemoryError):
        _threads.share_out(work, range(2))


def test_the_log_tells_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The clock is ours: it has struck at once, or never."""
    waits, struck = [], [False]

    class Timer(threading.Timer):
        def start(self) -> None:
            waits.append(self.interval)
            if struck[0]:
                self.function(*self.args, **self.kwargs)

    monkeypatch.setattr(_threads.threading, "Timer", Timer)
    caplog.set_level(logging.INFO, logger="rochull")
    y, score = [0, 1, 0, 1], [1, 2, 3, 4]
    for struck[0] in (False, True):
        assert list(_threads.Bar.of(None, "bootstrap of 5 %").over(range(3))) == [0, 1, 2]
        assert list(_threads.Bar.of(False, "not to be told").over(range(3))) == [0, 1, 2]
        rh.scan({"y": y, "s": score}, label="y", scores="s").auc()
    assert 2.0 in waits
    told = [each for each in caplog.messages if not each.startswith("compiling")]  # without warm kernels
    assert {*told[1:]} == {"pass over the table, columns and groups of rows: 1 ..."}
    assert told[0] == "bootstrap of 5 % ..."


def test_as_many_threads_work_as_have_room_for_tables() -> None:
    room = {size: _threads.with_room(9, 1000, size) for size in (0, 100, 400, 500, 700, 1000, 5000)}
    assert room == {0: 9, 100: 9, 400: 5, 500: 4, 700: 2, 1000: 2, 5000: 2}
    assert _threads.with_room(None, 1000, 5000) is None
