"""Which group a case is of, where a column holds the groups themselves."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Advice, Message
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.decisions.axes import UNSEEN, Axis, Bins, Strangers


@dataclass(frozen=True, eq=False)
class GroupBins(Bins):
    """Which group a case is of.

    Attributes
    ----------
    names : tuple of hashable
        The groups; None is that of cases whose group is missing.
    """

    names: tuple[Hashable, ...] = ()

    @classmethod
    def of(cls, column: str, names: Sequence[Hashable]) -> GroupBins:
        """The groups that a column names."""
        known = [name for name in names if name is not None]
        axis = Axis(column, categories=tuple(known), missing=None in names)  # type: ignore[arg-type]
        cells = [*known, *([None] if None in names else [])]
        place = np.array([names.index(name) for name in cells], np.int64)
        labels = tuple("missing" if name is None else str(name) for name in names)
        return cls((axis,), place, labels, tuple(names))

    @property
    def what(self) -> str:
        return "group"

    missing = ", which pass no threshold"
    remedy = "write them as texts"

    def told(self, axis: Axis) -> str:
        return "the column of the groups"

    def assign(self, aux: Any, n: int | None = None) -> Array:
        index = {name: i for i, name in enumerate(self.names)}
        values = self._values(aux)
        try:
            codes = np.fromiter((index.get(value, UNSEEN) for value in values), np.intp, len(values))
        except TypeError:
            raise ValueError("group holds values that cannot be a group's name, such as lists.") from None
        if None in index:
            rows = np.flatnonzero(codes < 0).tolist()
            codes[[i for i in rows if validation.is_missing(values[i])]] = index[None]
        return codes

    def _values(self, aux: Any) -> list[Any]:
        """The groups of the cases as Python values."""
        [column] = self.columns
        named = named_columns(aux, "scores")
        if named is None:
            raise ValueError(f"group is needed: scores has no names, so no column {column!r}.")
        if column not in named:
            raise no_column("scores", column, named, ", which tells the group")
        return _labels(named[column])

    def strangers(self, codes: Array, aux: Any) -> Strangers | None:
        rows = np.flatnonzero(codes < 0).tolist()
        if not rows:
            return None
        values = self._values(aux)
        told = ("missing" if validation.is_missing(values[i]) else repr(values[i]) for i in rows)
        found = list(dict.fromkeys(told))
        shown = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
        said = f"group: {len(rows)} cases are of no group that has a rule ({shown}; first at {rows[0]})."
        remedy = Advice("unseen", "Give unseen=point to decide such cases by an operating point.")
        advised = Message("{} {}", said, remedy)
        return Strangers(said, advised, " They are decided by {}.")


def _labels(group: Any) -> list[Any]:
    if isinstance(group, (list, tuple)):
        return [value.item() if isinstance(value, np.generic) else value for value in group]
    if not isinstance(group, np.ndarray):
        import narwhals as nw

        series = nw.from_native(group, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            return list(series.to_list())
    array = np.asarray(group)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise validation.wrong_shape("group", "(n,)", group, "; join several columns" * bool(array.ndim))
    return list(array.tolist())
