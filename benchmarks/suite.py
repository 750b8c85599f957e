"""What all suites share: the size of a run, rows that compare with a peer, and running by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks import machine
from benchmarks.table import Row, Target, seconds


@dataclass(frozen=True)
class Setup:
    """The size of a run."""

    rows: int
    repeats: int


Benchmark = Callable[[Setup], Iterator[Row]]


def speedup(name: str, ours: float, peer: float, target: Target) -> Row:
    """How many times faster than the peer."""
    return Row(name, peer / ours, target, ours=seconds(ours), peer=seconds(peer))


def slowdown(name: str, ours: float, peer: float, target: Target, note: str = "") -> Row:
    """How many times the duration of the peer."""
    return Row(name, ours / peer, target, ours=seconds(ours), peer=seconds(peer), note=note)


WARM_UP = "warm-up"


def run(setup: Setup, benchmarks: Mapping[str, Benchmark], names: Sequence[str]) -> Iterator[Row]:
    """All rows of the named benchmarks, after warming up; one that fails is a row that says so."""
    machine.load_kernels()
    for name in dict.fromkeys([WARM_UP, *names]):
        try:
            yield from benchmarks[name](setup)
        except Exception as error:  # a report goes on
            yield Row(f"{name}: failed", note=f"{type(error).__name__}: {error}")
