"""Operating points averaged over the folds of a scan: what every fold calls at shared thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.validation import Array
from rochull.averaging.fold_measures import Measure
from rochull.averaging.fold_rows import Points, checked, spread
from rochull.averaging.fold_tables import GivenFolds
from rochull.averaging.roc_average import OperatingPointAverage, as_measures
from rochull.conditions.rules import threshold_in
from rochull.hull.curve import after_never, as_thresholds
from rochull.hull.refine import CHANGED
from rochull.hull.tallies import Units
from rochull.scanning.column import Scanned
from rochull.scanning.tasks import Steps

if TYPE_CHECKING:
    from rochull.scanning.readings import Readings

_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class ScannedFolds(GivenFolds):
    """What is called positive at thresholds, of rows that were counted: whole numbers, if unweighted."""

    weighted: bool

    @property
    def is_exact(self) -> bool:
        """Whether cross products of the counts are exact."""
        return not self.weighted and float(self.totals.sum(axis=0).max()) ** 2 < _EXACT


def average_of(
    scan: Readings,
    score: str,
    operating_points: Points,
    measures: Measure | Sequence[Measure],
    exact: bool,
) -> OperatingPointAverage:
    """See :meth:`Readings.operating_point_average`."""
    points, listed = checked(operating_points, "operating_points"), as_measures(measures)
    folds = scan._by("fold")
    if len(folds) < 2:
        raise ValueError(f"folds holds {len(folds)} fold; an average needs two at least.")
    thresholds = _thresholds(scan, score, points)
    table, numbers = scan._table, [number for _, number in folds]
    units = [table.groups[number].units for number in numbers]
    inside, steps = _in_type_of(thresholds, scan._columns()[score, 0].blocks.low.dtype)
    answers = table.answer(
        {(score, number): [Steps(inside, of)] for number, of in zip(numbers, units, strict=True)}
    )
    called = [_called(answers[score, n][0], of, steps) for n, of in zip(numbers, units, strict=True)]
    found = np.stack([at for at, _ in called], axis=1)
    totals = np.stack([total for _, total in called], axis=1)[:, :, None]
    _refuse_changed(scan._columns()[score, 0], thresholds, found, totals)
    digest = blake2b(scan._token + repr(folds).encode(), digest_size=16).digest()

    def areas() -> Array:
        by_fold = scan.auc("fold", exact)
        return np.array([float(by_fold[value][score]) for value, _ in folds])

    average = OperatingPointAverage(
        after_never(thresholds), tuple(value for value, _ in folds), 1 / (len(folds) - 1), "operating points",
        _folds=ScannedFolds(found, totals, units[0].weighted), _areas=areas, _split=digest,
    )  # fmt: skip
    average.prepare(listed)
    return average


def _thresholds(scan: Readings, score: str, points: Points) -> Array:
    """The thresholds (k,), descending."""
    if points is None or isinstance(points, int):
        held = scan._curve((score, 0), scan._max_error).score
        return held if points is None else held[spread(held.size, points)]
    return scan._both_classes((score, 0)).blocks.low if isinstance(points, str) else np.asarray(points)


def _in_type_of(thresholds: Array, dtype: np.dtype[np.generic]) -> tuple[Array, Array]:
    """Different thresholds in the type of the scores, ascending, and how many each given one (k,) reaches.

    A threshold that no score reaches has no place among them: it gets one more than there are.
    """
    if thresholds.dtype == dtype:
        return np.asarray(thresholds[::-1]), np.arange(thresholds.size, 0, -1)
    numbers = [threshold_in(dtype, step) for step in as_thresholds(thresholds).tolist()]
    beyond = np.array([dtype.kind != "f" and number == np.inf for number in numbers], bool)
    inside = np.array([0 if out else number for out, number in zip(beyond, numbers, strict=True)], dtype)
    distinct = np.unique(inside[~beyond])
    return distinct, np.where(beyond, distinct.size + 1, np.searchsorted(distinct, inside) + 1)


def _refuse_changed(whole: Scanned, thresholds: Array, found: Array, totals: Array) -> None:
    """Raise unless all folds together call what all rows did when they were scanned (unweighted ones)."""
    curve = whole.curve
    if curve.units.weighted:
        return
    known = np.flatnonzero(np.isin(thresholds, curve.score))
    place = curve.score.size - np.searchsorted(curve.score[::-1], thresholds[known])  # of the point there
    called = found.sum(axis=1)[:, known + 1]
    same = np.array_equal(called[0], curve.fp_units[place]) and np.array_equal(
        called[1], curve.tp_units[place]
    )
    if not same or totals.sum(axis=1).ravel().tolist() != [whole.n_neg, whole.n_pos]:
        raise RuntimeError(CHANGED)


def _called(counts: Array, units: Units, steps: Array) -> tuple[Array, Array]:
    """False and true positives (2, k + 1) of one fold at "never" and at each threshold; its totals (2,)."""
    sums = np.zeros((counts.shape[0] + 1, 2), np.int64)
    np.cumsum(counts[::-1], axis=0, out=sums[1:])  # from high scores to low
    at = np.concatenate(([0], counts.shape[0] - steps))  # how many steps from above are called
    each = np.array([units.neg, units.pos])
    return (sums[at] / each).T, sums[-1] / each
