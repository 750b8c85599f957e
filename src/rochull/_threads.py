"""Work shared out over threads: kernels release the GIL, and results never depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any


@cache
def n_threads() -> int:
    """Number of threads that work at once: the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def threads() -> ThreadPoolExecutor:
    """The helpers of the calling thread. They are kept, because their memory is then warm."""
    return ThreadPoolExecutor(max(1, n_threads() - 1), thread_name_prefix="rochull")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=threads.cache_clear)  # threads do not survive a fork


def share_out(function: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
    """Call `function` with each group of arguments, as map does, on all threads.

    The calling thread works too and begins at once: waking a sleeping thread can take a
    millisecond. The first exception stops the others and is raised when they have stopped.
    """
    tasks = list(zip(*arguments, strict=True))
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

    helpers = [threads().submit(drain) for _ in range(min(n_threads(), len(tasks)) - 1)]
    try:
        drain()
    finally:
        started = [helper for helper in helpers if not helper.cancel()]
        wait(started)
    for helper in started:
        helper.result()
    return results
