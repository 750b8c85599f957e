"""Durations of contenders that take turns, so that noise hits all of them alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from time import perf_counter, process_time

Contender = Callable[[], float]  # does its work once and returns the seconds it took


def clocked(work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> Contender:
    """A contender from a function that does not measure itself."""

    def run() -> float:
        start = clock()
        work()
        return clock() - start

    return run


def computed(work: Callable[[], object]) -> Contender:
    """The same in core seconds: how long all threads together were computing, whatever else runs."""
    return clocked(work, process_time)


def medians(repeats: int, contenders: Mapping[str, Contender]) -> dict[str, float]:
    """Median duration of each contender; they run A B C A B C ..."""
    durations: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            durations[name].append(run())
    return {name: median(found) for name, found in durations.items()}
