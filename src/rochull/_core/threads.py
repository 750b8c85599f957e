"""Work shared out over threads: kernels release the GIL, and results never depend on their number."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

from rochull._core.extras import require

FEW_THREADS = 2  # have room for what each of them keeps, however large that may become
_LONG = 5.0  # seconds, from which a bar shows the progress
_TOLD = 2.0  # from which the log says what is being done


@cache
def n_threads() -> int:
    """Number of threads that work at once: the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def with_room(threads: int | None, most: int, size: int) -> int | None:
    """How many threads work, of which each has a table of this size, if `FEW_THREADS` may have the most."""
    if threads is None or not size:
        return threads
    return min(threads, max(FEW_THREADS, FEW_THREADS * most // size))


@cache
def threads() -> ThreadPoolExecutor:
    """The helpers of the calling thread. They are kept, because their memory is then warm."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(max(1, n_threads() - 1), thread_name_prefix="rochull")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.cache_clear)  # threads do not survive a fork


def share_out(function: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
    """Call `function` with each group of arguments, as map does, on all threads.

    The calling thread works too and begins at once: waking a sleeping thread can take a
    millisecond. The first exception stops the others and is raised when they have stopped; a lack of
    memory in any of them before others, which it may have caused.
    """
    tasks = list(zip(*arguments, strict=True))
    if min(n_threads(), len(tasks)) < 2:
        return [function(*task) for task in tasks]
    from concurrent.futures import wait

    results: list[Any] = [None] * len(tasks)
    pending, lock, stop = iter(range(len(tasks))), threading.Lock(), threading.Event()

    def drain() -> None:
        while not stop.is_set():
            with lock:
                i = next(pending, None)
            if i is None:
                return
            try:
                results[i] = function(*tasks[i])
            except BaseException:
                stop.set()
                raise

    helpers: list[Future[None]] = []
    try:
        with suppress(RuntimeError):  # where no thread can be started, those that there are do the work
            helpers.extend(_helped(drain) for _ in range(min(n_threads(), len(tasks)) - 1))
        drain()
    finally:
        stop.set()  # no helper begins what nobody waits for
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
        for helper in started:
            if isinstance(helper.exception(), MemoryError):
                helper.result()
    for helper in started:
        helper.result()
    return results


def _helped(work: Callable[[], None]) -> Future[None]:
    """Have a helper do the work.

    Ctrl-C while a thread starts leaves one that its pool does not know of. It would wait for work for ever,
    and the process for it. So the pool is closed, which is also what such a thread finds.
    """
    try:
        return threads().submit(work)
    except BaseException:
        closed = threads()
        threads.cache_clear()
        closed.shutdown(wait=False)
        raise


@dataclass(frozen=True)
class Bar:
    """A progress bar on stderr.

    Attributes
    ----------
    label : what it stands beside: what the time is spent on.
    wanted : whether to show it; None: if it will take long and somebody watches.
    """

    label: str
    wanted: bool | None = None

    @classmethod
    def of(cls, progress: Any, label: str) -> Bar:
        """The bar that a caller asks for by True, False, None or a label of his own."""
        if isinstance(progress, Bar):
            return progress
        if isinstance(progress, str):
            return cls(progress, True)
        if progress is None or isinstance(progress, bool):
            return cls(label, progress)
        raise ValueError(f"progress must be True, False, None or a label, but is {progress!r}.")

    def over(self, steps: range) -> Iterator[int]:
        """The steps, with the bar beside them."""
        if self.wanted is False:
            yield from steps
            return
        if self.wanted is None and not sys.stderr.isatty():
            with told_if_long(self.label):
                yield from steps
            return
        if self.wanted:
            require("rich", "cli")
        elif find_spec("rich") is None:
            yield from steps
            return
        begin = monotonic()
        for done, i in enumerate(steps):
            if self.wanted or (done and (monotonic() - begin) / done * len(steps) > _LONG):
                from rich.console import Console
                from rich.progress import track

                rest = steps[done:]
                console = Console(stderr=True)
                yield from track(rest, self.label, total=len(rest), console=console, transient=True)
                return
            yield i


@contextmanager
def told_if_long(what: str) -> Iterator[None]:
    """Tell the log, at the level of information, what is being done, if it takes more than two seconds."""
    log = logging.getLogger("rochull")
    timer = threading.Timer(_TOLD, log.info, ("%s ...", what))
    timer.daemon = True
    with suppress(RuntimeError):  # no thread can be started to tell it
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
