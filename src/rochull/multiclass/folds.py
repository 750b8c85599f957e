"""Confusion matrices of several classes in every fold, and the measures that are averaged from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.averaging.fold_measures import Ratio
from rochull.averaging.fold_tables import FoldTable
from rochull.multiclass.examples import Goal, LabelledOutputs
from rochull.multiclass.inputs import index_of
from rochull.multiclass.measures import (
    Cell,
    CostMatrix,
    Error,
    ErrorRate,
    MaxError,
    Measure,
    checked_objective,
)

_TABLE = 1 << 18  # entries of a chunk
_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class ClassFolds(FoldTable[Goal, Array]):
    """The confusion matrices of every fold at every operating point."""

    table: Array  # (n_folds, k, C, C) int64 counts, or float64 weights; row i are the examples of class i
    totals: Array  # float64 (C, n_folds, 1) weight of each class in each fold
    classes: tuple[Any, ...]  # the labels

    @classmethod
    def of(cls, examples: LabelledOutputs, codes: Array, n_folds: int, vectors: Array) -> ClassFolds:
        """Decide at checked weights (k, C) in each fold; `codes` (n,) are the folds of the rows given."""
        parts = [in_fold(examples, codes == f) for f in range(n_folds)]
        table = np.stack([part.weighed(part.confusion_units(vectors)) for part in parts])
        totals = np.asarray(table[:, 0].sum(axis=-1), float).T[:, :, None]
        return cls(table, totals, examples.classes)

    @property
    def size(self) -> int:
        return int(self.table.shape[1])

    @property
    def is_exact(self) -> bool:
        return self.table.dtype.kind == "i" and float(self.totals.sum(axis=0).max()) ** 2 < _EXACT

    def confusion(self, points: Array) -> Array:
        return np.asarray(self.table[:, points])

    def map_chunks(self, function: Callable[[Array], Any], threaded: bool) -> list[Any]:
        step = max(16, _TABLE // (self.n_folds * len(self.classes) ** 2))
        chunks = [self.table[:, begin : begin + step] for begin in range(0, self.size, step)]
        return share_out(function, chunks) if threaded else [function(chunk) for chunk in chunks]

    def ratio(self, measure: Goal, found: Array) -> Ratio:
        if isinstance(measure, (Error, Cell)):
            i, j = self._cell(measure)
            called, total = np.asarray(found[:, :, i, j], float), self.totals[i]
            return (total - called if isinstance(measure, Error) else called), total
        if isinstance(measure, ErrorRate):
            total = self.totals.sum(axis=0)
            return total - np.trace(found, axis1=2, axis2=3), total
        values = self._evaluated(measure, found.reshape(-1, *found.shape[2:])).reshape(found.shape[:2])
        finite = np.isfinite(values)
        return np.where(finite, values, 0.0), finite.astype(float)

    def _evaluated(self, measure: Goal, matrices: Array) -> Array:
        """Numbers (m,) of matrices (m, C, C), by a measure or by a caller's function."""
        with np.errstate(all="ignore"):
            if isinstance(measure, Measure):
                return measure.values(matrices, self.classes)
            values = np.asarray(measure(matrices))
        if values.shape != matrices.shape[:1] or values.dtype.kind not in "fiub":
            name = getattr(measure, "__name__", repr(measure))
            raise Refusal(
                "{}: {} must return numbers of shape {}, one for each confusion matrix, but returned "
                "shape {} of type {}.",
                Parameter("measure"),
                name,
                matrices.shape[:1],
                values.shape,
                values.dtype,
            )
        return values

    def is_count(self, measure: Goal) -> bool:
        return isinstance(measure, (Error, Cell, ErrorRate))

    def _cell(self, measure: Error | Cell) -> tuple[int, int]:
        """The row and the column of the confusion matrix that a rate is made of."""
        if isinstance(measure, Error):
            i = index_of(measure.label, self.classes, str(measure))
            return i, i
        name = str(measure)
        return index_of(measure.true, self.classes, name), index_of(measure.called, self.classes, name)


def in_fold(examples: LabelledOutputs, members: Array) -> LabelledOutputs:
    """The examples of one fold, or of several; `members` (rows given,) says which rows they are."""
    columns = np.flatnonzero(members[examples.order])
    return replace(
        examples,
        outputs=np.ascontiguousarray(examples.outputs[:, columns]),
        order=examples.order[columns],
        begin=np.searchsorted(columns, examples.begin),
        mass=examples.mass[columns] if examples.mass.size else examples.mass,
    )


def checked_measure(measure: Any, classes: Sequence[Any]) -> Goal:
    """The measure, if it is one of these classes; names stand for measures."""
    try:
        found = checked_objective(measure)
    except ValueError:
        raise refused(
            "measure",
            "must be 'max_error', 'error', a measure such as Error(label) or CostMatrix(...), or a "
            "function of confusion matrices, but is {}.",
            repr(measure),
        ) from None
    if isinstance(found, Measure):
        found.values(np.ones((1, len(classes), len(classes))), classes)  # raises for an unknown class
    return found


def needed(measure: Goal, classes: Sequence[Any]) -> Sequence[int]:
    """The classes without which a measure is undefined in a fold."""
    if isinstance(measure, Error):
        return [index_of(measure.label, classes, str(measure))]
    if isinstance(measure, Cell):
        return [index_of(measure.true, classes, str(measure))]
    if isinstance(measure, MaxError):
        return range(len(classes))
    if isinstance(measure, CostMatrix):
        priors = measure.in_order(classes)[1]
        return [] if priors is None else np.flatnonzero(priors > 0).tolist()
    return []
