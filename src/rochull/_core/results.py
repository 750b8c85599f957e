"""What inference gives back: an interval, or a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array

_ROWS = 12  # of a printed table, at most


def table(columns: Mapping[str, Sequence[str]]) -> str:
    """Columns of text as an aligned table; of a long one the beginning and the end."""
    size = len(next(iter(columns.values())))
    half = _ROWS // 2
    rows = list(range(size)) if size <= _ROWS else [*range(half), *range(size - half, size)]
    lines = [list(columns), *([column[i] for column in columns.values()] for i in rows)]
    if size > _ROWS:
        lines.insert(1 + half, ["…"] * len(columns))
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(w) for cell, w in zip(cells, widths, strict=True)) for cells in lines
    )


def written(values: Any, form: str = "{:.4g}") -> list[str]:
    """Numbers of any shape, rounded for reading, in a flat list."""
    return [form.format(value) for value in np.ravel(values).tolist()]


def _indices(values: Any) -> list[str]:
    """What the elements of an array are called."""
    return [", ".join(map(str, index)) for index in np.ndindex(np.shape(values))]


@dataclass(frozen=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float or ndarray
        Its ends.
    estimate : float or ndarray
        The value on the data themselves.
    level : float
        Nominal coverage, such as 0.95.
    method : str
        How it was made.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.rate_interval(9, 10, "wilson")
    >>> round(found.low, 3), found.estimate, round(found.high, 3)
    (0.596, 0.9, 0.982)
    """

    low: float | Array
    high: float | Array
    estimate: float | Array
    level: float
    method: str

    def __str__(self) -> str:
        kind = f"{100 * self.level:g} % {self.method}"
        if getattr(self, "in_sample", False):  # known of some intervals only
            kind += ", in-sample"
        shown, low, high = (written(end) for end in (self.estimate, self.low, self.high))
        if np.ndim(self.estimate) == 0:
            return f"{shown[0]} ({low[0]} to {high[0]}; {kind})"
        columns = {"": _indices(self.estimate), "estimate": shown, "low": low, "high": high}
        return f"{kind}\n{table(columns)}"


@dataclass(frozen=True)
class TestResult:
    """A two-sided test.

    Attributes
    ----------
    statistic : float or ndarray
        z, t or whatever `method` says.
    pvalue : float or ndarray
        Two-sided.
    estimate : float or ndarray
        The difference that is tested.
    method : str
        The test.
    df : float or None
        Degrees of freedom; None for a normal or resampled reference.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> found = rh.delong_test(table["class"] == "bad", table["boosted"], table["tree"])
    >>> round(found.estimate, 3), found.pvalue < 0.001
    (0.057, True)
    """

    __test__ = False  # not a test case, whatever pytest thinks of the name

    statistic: float | Array
    pvalue: float | Array
    estimate: float | Array
    method: str
    df: float | None = None

    def __str__(self) -> str:
        kind, df = self.method, np.unique(np.ravel(self.df if self.df is not None else []))
        if df.size == 1:
            kind += f", {df[0]:g} df"
        shown, statistic = written(self.estimate, "{:+.4g}"), written(self.statistic)
        pvalue = written(self.pvalue, "{:.3g}")
        if np.ndim(self.pvalue) == 0:
            return f"difference {shown[0]}, statistic {statistic[0]}, p = {pvalue[0]} ({kind})"
        columns = {"": _indices(self.pvalue), "difference": shown, "statistic": statistic, "p": pvalue}
        return f"{kind}\n{table(columns)}"
