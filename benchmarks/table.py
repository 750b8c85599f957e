"""One table for all benchmarks, of at most 100 columns, which is also Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

Unit = Literal["x", "s", "rows/s"]

_COLUMNS = 100
_WIDTHS = (42, 9, 9, 9, 9, 3)
_HEADER = ("benchmark", "rochull", "peer", "figure", "target", "met")


@dataclass(frozen=True)
class Target:
    """A bound that a figure should keep."""

    bound: float
    is_upper: bool

    def met(self, figure: float) -> bool:
        """Whether the figure keeps it."""
        return figure <= self.bound if self.is_upper else figure >= self.bound

    def show(self, unit: Unit) -> str:
        """The bound with its direction."""
        return f"{'<=' if self.is_upper else '>='} {show(self.bound, unit, exact=True)}"


def at_most(bound: float) -> Target:
    """The target of a figure that should be small."""
    return Target(bound, is_upper=True)


def at_least(bound: float) -> Target:
    """The target of a figure that should be large."""
    return Target(bound, is_upper=False)


@dataclass(frozen=True)
class Row:
    """One line: what was measured on both sides, as text, and the figure that has a target.

    Without a figure, nothing could be measured, and the note says why.
    """

    name: str
    figure: float | None = None
    target: Target | None = None
    unit: Unit = "x"
    ours: str = ""
    peer: str = ""
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """The six columns."""
        figure = "none" if self.figure is None else show(self.figure, self.unit)
        target = self.target.show(self.unit) if self.target else ""
        met = ""
        if self.target is not None:
            met = "-" if self.figure is None else "yes" if self.target.met(self.figure) else "no"
        return self.name, self.ours, self.peer, figure, target, met


def lines(rows: Iterator[Row]) -> Iterator[str]:
    """The table line by line, each as soon as its row has been measured; then the notes."""
    yield _line(_HEADER)
    yield _line(("-" * _WIDTHS[0], *("-" * (width - 1) + ":" for width in _WIDTHS[1:])))
    notes: list[str] = []
    for row in rows:
        yield _line(row.cells())
        if row.note:
            notes += wrap(f"- {row.name}: {row.note}", _COLUMNS, subsequent_indent="  ")
    if notes:
        yield ""
        yield from notes


def _line(cells: tuple[str, ...]) -> str:
    first, *rest = cells
    padded = [first.ljust(_WIDTHS[0]), *(c.rjust(w) for c, w in zip(rest, _WIDTHS[1:], strict=True))]
    return f"| {' | '.join(padded)} |"


def show(figure: float, unit: Unit, *, exact: bool = False) -> str:
    """A figure with its unit: rounded, or with the digits that it has."""
    digits = "{:g}".format if exact else _digits
    if unit == "s":
        return f"{digits(figure)} s" if exact else seconds(figure)
    return f"{digits(figure / 1e6)} M/s" if unit == "rows/s" else f"{digits(figure)}x"


def seconds(duration: float) -> str:
    """A duration in s or ms."""
    return f"{_digits(duration)} s" if abs(duration) >= 1 else f"{_digits(duration * 1e3)} ms"


def megabytes(size: float) -> str:
    """A size in MB."""
    return f"{_digits(size / 1e6)} MB"


def _digits(value: float) -> str:
    """Three digits or so, and no exponent."""
    places = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{places}f}"
