"""Which segment of a population a case belongs to: auxiliary columns, and bins of them.

What was never seen in training belongs to no bin.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.messages import Message, Parameter, Refusal, refused
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns, values_of
from rochull._core.validation import Array, objects

Column = str | int
Category = str | int | float | bool
UNSEEN = -1
EXACT = 2**53
_MOST_NAMED = 4
_FEW = 1 << 15  # rows that are looked up without compiled code


# --- columns -----------------------------------------------------------------------------------------


def aux_columns(
    aux: Any, n: int | None = None, only: Collection[Column] | None = None
) -> dict[Column, Array]:
    """The auxiliary columns (n,) by name, or by position of an array; missing values are None or NaN.

    Of those named in `only`, if given, and that are there.
    """
    table = _table(aux)
    if not table:
        raise refused("aux", "has no columns.")
    if only is not None:
        absent = next((name for name in only if name not in table), None)
        if absent is not None:
            raise no_column("aux", absent, table)
    columns = {name: _column(values, name) for name, values in table.items() if only is None or name in only}
    for name, column in columns.items():
        if n is not None and column.size != n:
            raise refused("aux", "column {} has {} rows, but y_score has {}.", repr(name), column.size, n)
    return columns


def _table(aux: Any) -> Mapping[Column, Any]:
    named = named_columns(aux, "aux")
    if named is not None:
        return named
    if isinstance(aux, (list, tuple)):
        array = np.asarray(aux)
        aux = (
            np.array(aux, object) if array.dtype.kind in "US" else array
        )  # numbers beside texts stay numbers
    shape = np.shape(aux)
    if len(shape) == 1:
        return {getattr(aux, "name", None) or 0: aux}
    if len(shape) != 2:
        raise validation.wrong_shape("aux", "(n,) or (n, k), or be a table", aux)
    array = np.asarray(aux)
    return {j: array[:, j] for j in range(shape[1])}


class Texts(np.ndarray[Any, np.dtype[Any]]):
    """Texts as objects, None being missing, and their codes, which rows keep that are taken of them.

    A column is cut and looked up again and again, in every fold: its texts are read once.

    Attributes
    ----------
    codes : int64 (n,) the place of each text among the `levels`; the last one's, behind them, if missing.
    levels : tuple of str.
    """

    codes: Array | None = None
    levels: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Sequence[str | None]) -> Texts:
        """The texts of a column."""
        levels = tuple(dict.fromkeys(value for value in values if value is not None))
        place: dict[str | None, int] = {value: i for i, value in enumerate((*levels, None))}
        found = objects(values).view(cls)
        found.levels = levels
        found.codes = np.fromiter(map(place.__getitem__, values), np.int64, len(values))
        return found

    @classmethod
    def coded(cls, codes: Array, levels: Sequence[str]) -> Texts:
        """Texts of which only the codes (n,) are read; the last one's, behind the levels, if missing."""
        found = np.broadcast_to(objects([None]), codes.size).view(cls)
        found.codes, found.levels = codes, tuple(levels)
        return found

    def __getitem__(self, rows: Any) -> Any:
        found = super().__getitem__(rows)
        if isinstance(found, Texts) and self.codes is not None:
            found.codes, found.levels = self.codes[rows], self.levels
        return found


def coded(values: Array) -> tuple[Array, tuple[str, ...]] | None:
    """The codes and levels of a column of texts, if it has any."""
    if isinstance(values, Texts) and values.codes is not None:
        return values.codes, values.levels
    return None


def _column(values: Any, name: Column) -> Array:
    """Numbers as they are (NaN is missing); else objects, None being missing."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and coded(values) is not None:
        return values
    array, nulls = values_of(values)
    if array.ndim != 1:
        raise validation.wrong_shape(Message("{} column {}", Parameter("aux"), repr(name)), "(n,)", values)
    if array.dtype.kind in "biuf":
        return array if nulls is None else np.where(nulls, np.nan, array)
    listed = [None if validation.is_missing(value) else value for value in array.tolist()]
    listed = [value.item() if isinstance(value, np.generic) else value for value in listed]
    kinds = {type(value) for value in listed if value is not None}
    if array.dtype.kind in "mM" or any(issubclass(kind, (date, timedelta)) for kind in kinds):
        raise refused(
            "aux",
            "column {} holds dates or times; turn them into numbers, such as days since a date.",
            repr(name),
        )
    if kinds == {int} and None not in listed:
        return np.array(listed)
    if kinds == {bool} and None not in listed:
        return np.array(listed, bool)
    if kinds <= {int, float}:
        return np.array([math.nan if value is None else value for value in listed], float)
    if kinds == {str}:
        return Texts.of(listed)
    wrong = kinds - {str, int, float, bool}
    if wrong:
        found = min(kind.__name__ for kind in wrong)
        raise refused("aux", "column {} must hold numbers or strings, but holds {}.", repr(name), found)
    return objects(listed)


def is_missing(values: Array) -> Array:
    if values.dtype.kind == "f":
        return np.isnan(values)
    read = coded(values)
    if read is not None:
        return np.asarray(read[0] == len(read[1]))
    if values.dtype.kind == "O":
        return np.fromiter((value is None for value in values), bool, values.size)
    return np.zeros(values.size, bool)


# --- one column --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Axis:
    """How one column is cut into cells."""

    column: Column  # name or position
    edges: tuple[float, ...] | None = None  # cell i holds edges[i - 1] <= x < edges[i]; None for categories
    categories: tuple[Category, ...] | None = None  # cell i holds this value; None for edges
    missing: bool = False  # whether missing values were seen: they have the last cell

    @property
    def name(self) -> str:
        """The column's name, for people."""
        return self.column if isinstance(self.column, str) else f"column {self.column}"

    @property
    def ordered(self) -> bool:
        """Whether neighbouring cells are alike."""
        numeric = all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in self.categories or ())
        return self.edges is not None or numeric

    @property
    def holds_texts(self) -> bool:
        """Whether some categories are texts."""
        return any(isinstance(category, str) for category in self.categories or ())

    def __len__(self) -> int:
        inner = len(self.edges) + 1 if self.edges is not None else len(self.categories or ())
        return inner + self.missing

    def cells(self, values: Array) -> Array:
        """The cell of each value (n,); -1 for what was never seen."""
        gone = is_missing(values)
        if self.edges is not None:
            if values.dtype.kind not in "biuf":
                raise refused(
                    "aux", "column {} was numeric in training, but holds strings now.", repr(self.column)
                )
            found = _reached(np.array(self.edges), values)
        else:
            self._refuse_other_type(values, gone)
            found = _codes(values, self.categories or ())
        if gone.any():
            found = np.where(gone, len(self) - 1 if self.missing else UNSEEN, found)
        return found

    def _refuse_other_type(self, values: Array, gone: Array) -> None:
        """Raise if training saw numbers only and these are texts, or the other way round."""
        if not self.categories or gone.all():
            return
        numeric = values.dtype.kind in "biuf"
        if numeric and all(isinstance(category, str) for category in self.categories):
            raise refused(
                "aux", "column {} held texts in training, but holds numbers now.", repr(self.column)
            )
        if not self.holds_texts and not numeric and all(isinstance(v, str) for v in values[~gone].tolist()):
            raise refused(
                "aux", "column {} held numbers in training, but holds texts now.", repr(self.column)
            )

    def label(self, cells: Sequence[int]) -> str:
        """Name what some ascending cells hold, for people; "" if these are all the cells."""
        if len(cells) == len(self):
            return ""
        gone = self.missing and cells[-1] == len(self) - 1
        inner = list(cells[: len(cells) - gone])
        known = self._known(inner) if inner else ""
        return " or ".join(text for text in (known, f"{self.name} is missing" if gone else "") if text)

    def _known(self, cells: list[int]) -> str:
        if self.categories is not None:
            named = [(repr if self._alike else str)(self.categories[i]) for i in cells[:_MOST_NAMED]]
            if len(named) == 1:
                return f"{self.name} = {named[0]}"
            more = f", ... ({len(cells)})" if len(cells) > _MOST_NAMED else ""
            return f"{self.name} in {{{', '.join(named)}{more}}}"
        edges = self._written
        low, high = cells[0], cells[-1]
        if low == 0:
            return f"{self.name} < {edges[high]}" if high < len(edges) else f"{self.name} is known"
        if high == len(edges):
            return f"{self.name} >= {edges[low - 1]}"
        return f"{edges[low - 1]} <= {self.name} < {edges[high]}"

    @cached_property
    def _alike(self) -> bool:
        """Whether some categories have the same text, as 1 and "1" have."""
        categories = self.categories or ()
        return len(set(map(str, categories))) < len(categories)

    @cached_property
    def _written(self) -> list[str]:
        """The edges in as few digits as tell them apart."""
        edges = self.edges or ()
        texts = [[f"{edge:.{digits}g}" for edge in edges] for digits in (6, 9, 12, 17)]
        return next((text for text in texts if len(set(text)) == len(text)), texts[-1])


def is_long(values: Array) -> bool:
    """Whether there are integers that float64 cannot tell apart."""
    if values.dtype.kind not in "iu" or not values.size:
        return False
    return max(-int(values.min()), int(values.max())) > EXACT


def _reached(edges: Array, values: Array) -> Array:
    """How many of the ascending, finite edges each number reaches; any number for NaN."""
    if values.size < _FEW or not edges.size:
        return np.searchsorted(edges, values, side="right")
    from rochull.calibration.score_maps import count_map

    steps = count_map(edges, np.arange(edges.size + 1.0), after=False)
    return steps.posterior(values.astype(float, copy=False)).astype(np.int64)


def _codes(values: Array, categories: Sequence[Category]) -> Array:
    """The index of each value among the categories; -1 for others."""
    if not categories:
        return np.full(values.size, UNSEEN)
    read = coded(values)
    if read is not None:
        place = {category: i for i, category in enumerate(categories)}
        return np.array([*(place.get(level, UNSEEN) for level in read[1]), UNSEEN])[read[0]]
    if is_long(values) or any(isinstance(c, int) and abs(c) > EXACT for c in categories):
        index = {category: i for i, category in enumerate(categories)}
        return np.array([index.get(value, UNSEEN) for value in values.tolist()], np.int64)
    if values.dtype.kind in "biuf" and all(isinstance(c, (bool, int, float)) for c in categories):
        known = np.array(categories, float)
        order = np.argsort(known)
        at = np.maximum(_reached(known[order], values) - 1, 0)
        return np.where(known[order][at] == values, order[at], UNSEEN)
    index = {category: i for i, category in enumerate(categories)}
    return np.array([index.get(value, UNSEEN) for value in values.tolist()], np.int64)


# --- bins --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strangers:
    """Cases that are in no segment: what is said of them, and what to do if they are refused."""

    said: str
    refused: str | Message
    joined: str = "; {} decides them."

    def decided(self, by: str) -> str:
        """Say that something decides them."""
        return self.said + self.joined.format(by)


@dataclass(frozen=True, eq=False)
class Bins:
    """Which segment a case belongs to."""

    axes: tuple[Axis, ...]  # the columns, each cut into cells
    # int64 (product of the axes' lengths,) the bin of each combination of cells, the last axis changing
    # fastest; -1 for one never seen
    of_cell: Array
    labels: tuple[str, ...]  # what each bin is called

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The auxiliary columns that are needed."""
        return tuple(axis.column for axis in self.axes)

    @property
    def what(self) -> str:
        """The columns' name in messages."""
        return "aux"

    missing = " where a threshold decides, which pass none"  # what is said of scores that are missing
    remedy = "write them as texts before fitting"  # where no column of a database holds the values

    def told(self, axis: Axis) -> str:
        """Name one of the columns in a message."""
        return f"aux column {axis.column!r}"

    def strangers(self, codes: Array, aux: Any) -> Strangers | None:
        """The cases that are in no bin (n,), if there are some."""
        count = int(np.count_nonzero(codes == UNSEEN))
        if not count:
            return None
        said = f"aux: {count} of {codes.size} cases have values never seen in training"
        return Strangers(said, f"{said}, the first at index {int(np.argmax(codes == UNSEEN))}.")

    def assign(self, aux: Any, n: int | None = None) -> Array:
        """The bin of each case (n,); -1 for values or combinations never seen in training."""
        columns = aux_columns(aux, n, self.columns)
        sizes = {column.size for column in columns.values()}
        if len(sizes) > 1:
            raise refused("aux", "has columns of different lengths: {}.", sorted(sizes))
        found = cells = None
        for axis in self.axes:
            own = axis.cells(columns[axis.column])
            unseen = own < 0
            cells = own if cells is None else cells * len(axis) + own
            found = unseen if found is None else found | unseen
        if cells is None or found is None:
            raise Refusal("{}: the bins have no columns.", Parameter("aux"))
        if not found.any():
            return np.asarray(self.of_cell[cells])
        return np.asarray(np.where(found, UNSEEN, self.of_cell[np.where(found, 0, cells)]))
