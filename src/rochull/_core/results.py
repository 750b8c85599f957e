"""The common part of results in a terminal, a notebook and a data frame; an interval, and a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from rochull._core.cards import Card, Carded
from rochull._core.validation import Array

_ROWS = 12  # of a printed table, at most
_FEW = 4  # entries of a list that are shown in one line
_LINE = 300  # characters of a representation, at most
_PART = 100  # and of one of its values
_LIBRARIES = ("pandas", "polars", "pyarrow")


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
    """Name the elements of an array."""
    return [", ".join(map(str, index)) for index in np.ndindex(np.shape(values))]


class Result(Carded):
    """Base of results: a short `repr`, HTML for notebooks, plain values, a data frame where it is a table.

    A dataclass has all of it from its fields. Another class, or one that has other columns, overrides
    `to_dict`; one that is read as text has `__str__`.
    """

    _shown: ClassVar[tuple[str, ...]] = ()  # attributes that tell more to a reader than the fields

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls) and cls.__repr__ in (object.__repr__, Result.__repr__):
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]  # not that of a dataclass

    def __repr__(self) -> str:
        parts = [f"{name}={shortly(value)}" for name, value in _fields(self).items()]
        return cut_to(f"{type(self).__name__}({', '.join(parts)})", _LINE)

    def _card(self) -> Card:
        """Its text if it has one of several lines, else what it is, and its columns."""
        words = self if type(self).__str__ is not object.__str__ else None
        title, *lines = (repr(self) if words is None else str(words)).splitlines()
        if lines:
            return Card(title, lines=tuple(lines))
        try:
            columns = as_columns(self.to_dict())
        except TypeError:
            return Card(title)
        return Card(title, [(name, list(map(_in_cell, values))) for name, values in columns.items()])

    def to_dict(self) -> dict[str, Any]:
        """Give its values as plain numbers, strings, lists and dicts.

        Returns
        -------
        dict of str to object
            By the names of the attributes.
        """
        told = {name: getattr(self, name) for name in self._shown} or _fields(self)
        return {name: plain(value) for name, value in told.items()}

    def to_frame(self, library: str | None = None) -> Any:
        """Give its columns as a data frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            Which library's; the first of these that is installed if not given.

        Returns
        -------
        data frame
            The columns of `to_dict` that are of one length; a single row of its numbers where none are.

        Raises
        ------
        TypeError
            If it is not a table.
        ImportError
            If the library is not installed.
        """
        return framed(as_columns(self.to_dict()), library)


def _in_cell(value: Any) -> Any:
    """A value for a cell of a table."""
    return value if value is None or isinstance(value, int | float | str) else shortly(value)


def _fields(result: Any) -> dict[str, Any]:
    """The values of a result by name."""
    if is_dataclass(result):
        return {f.name: getattr(result, f.name) for f in fields(result) if f.repr}
    return {name: value for name, value in vars(result).items() if not name.startswith("_")}


def cut_to(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else text[: most - 2].rstrip() + "…" + text[-1]


def shortly(value: Any) -> str:
    """A value in few characters: large arrays by their shape, long lists by their length."""
    if isinstance(value, np.ndarray) and value.size > _FEW:
        return f"array of shape {value.shape}"
    if isinstance(value, np.ndarray | np.generic):
        return repr(value.tolist())
    if isinstance(value, str):
        return repr(cut_to(value, _PART))
    if isinstance(value, Mapping) and len(value) > _FEW:
        return f"{len(value)} by name"
    if isinstance(value, list | tuple | Mapping) and len(value) > _FEW:
        return f"{len(value)} values"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key!r}: {shortly(each)}" for key, each in value.items())
        return cut_to(f"{{{inner}}}", _PART)
    if isinstance(value, list | tuple):
        inner = ", ".join(map(shortly, value))
        return cut_to(
            f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})", _PART
        )
    return cut_to(repr(value), _PART)


def plain(value: Any) -> Any:
    """Convert to what JSON can hold; anything but a number or a container becomes its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping) and not isinstance(value, Result):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    return str(value)


def as_columns(values: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The lists of one length, the longest that a name has; else a row of the single values.

    Raises
    ------
    TypeError
        If there is neither.
    """
    given = {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()
    }
    lists = {name: value for name, value in given.items() if isinstance(value, list | tuple)}
    flat = {n: v for n, v in lists.items() if not any(isinstance(each, list | tuple | dict) for each in v)}
    if flat:
        size = max(map(len, flat.values()))
        return {name: list(value) for name, value in flat.items() if len(value) == size}
    row = {name: [value] for name, value in given.items() if not isinstance(value, list | tuple | dict)}
    if not row:
        raise TypeError("this result is not a table.")
    return row


def framed(columns: Mapping[str, Sequence[Any]], library: str | None) -> Any:
    """A data frame of these columns, of a library by name or of the first that is installed."""
    from importlib.util import find_spec

    import narwhals as nw

    if library is not None and library not in _LIBRARIES:
        raise ValueError(f"library must be one of {_LIBRARIES}, but is {library!r}.")
    wanted = _LIBRARIES if library is None else (library,)
    for name in wanted:
        if find_spec(name) is not None:
            return nw.from_dict(dict(columns), backend=name).to_native()  # type: ignore[arg-type]
    raise ImportError(f"a data frame needs {' or '.join(wanted)}, which is not installed.")


@dataclass(frozen=True)
class Interval(Result):
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

    def _kind(self) -> str:
        """How it was made, in words."""
        return f"{100 * self.level:g} % {self.method}"

    def _rows(self) -> Sequence[str]:
        """Names of its values, if there are several."""
        return _indices(self.estimate)

    def _card(self) -> Card:
        ends = [("estimate", self.estimate), ("low", self.low), ("high", self.high)]
        named = [] if np.ndim(self.estimate) == 0 else [("", list(self._rows()))]
        return Card(self._kind(), [*named, *((name, np.ravel(each).tolist()) for name, each in ends)])

    def __str__(self) -> str:
        kind = self._kind()
        shown, low, high = (written(end) for end in (self.estimate, self.low, self.high))
        if np.ndim(self.estimate) == 0:
            return f"{shown[0]} ({low[0]} to {high[0]}; {kind})"
        columns = {"": list(self._rows()), "estimate": shown, "low": low, "high": high}
        return f"{kind}\n{table(columns)}"


@dataclass(frozen=True)
class TestResult(Result):
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

    def _kind(self) -> str:
        """The test, in words."""
        df = np.unique(np.ravel(self.df if self.df is not None else []))
        return f"{self.method}, {df[0]:g} df" if df.size == 1 else self.method

    def _card(self) -> Card:
        found = [("difference", self.estimate), ("statistic", self.statistic), ("p", self.pvalue)]
        named = [] if np.ndim(self.pvalue) == 0 else [("", _indices(self.pvalue))]
        return Card(self._kind(), [*named, *((name, np.ravel(each).tolist()) for name, each in found)])

    def __str__(self) -> str:
        kind = self._kind()
        shown, statistic = written(self.estimate, "{:+.4g}"), written(self.statistic)
        pvalue = written(self.pvalue, "{:.3g}")
        if np.ndim(self.pvalue) == 0:
            return f"difference {shown[0]}, statistic {statistic[0]}, p = {pvalue[0]} ({kind})"
        columns = {"": _indices(self.pvalue), "difference": shown, "statistic": statistic, "p": pvalue}
        return f"{kind}\n{table(columns)}"
