"""Operating points averaged over the folds of a scan: what every fold calls at shared thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array, negated
from rochull.averaging.fold_measures import Measure
from rochull.averaging.fold_rows import Points, checked_points, spread
from rochull.averaging.fold_tables import GivenFolds
from rochull.averaging.roc_average import OperatingPointAverage, as_measures, average_of_folds
from rochull.hull.curve import after_never
from rochull.hull.refine import ChangedError
from rochull.scanning.column import ScannedColumn
from rochull.scanning.engines.table import Column
from rochull.scanning.scanned import ScannedTable

_EXACT = 2**53


@dataclass(frozen=True, eq=False)
class ScannedFolds(GivenFolds):
    """Rows called positive at thresholds, of those that were counted: whole numbers, if unweighted."""

    weighted: bool

    @property
    def is_exact(self) -> bool:
        """Whether cross products of the counts are exact."""
        return not self.weighted and float(self.totals.sum(axis=0).max()) ** 2 < _EXACT


def average_of(
    scanned: ScannedTable,
    score: str,
    operating_points: Points,
    measures: Measure | Sequence[Measure],
    exact: bool,
) -> OperatingPointAverage:
    """See :meth:`Scan.operating_point_average`."""
    points, measures = checked_points(operating_points, "operating_points"), as_measures(measures)
    folds = scanned.groups("fold")
    if len(folds) < 2:
        raise refused("folds", "holds {} fold; an average needs two at least.", len(folds))
    thresholds = _thresholds(scanned, (score, 0), points)
    counted = scanned.called_positive(score, dict.fromkeys(folds.values(), thresholds))
    found = np.stack([counted[number].called for number in folds.values()], axis=1)
    found = np.concatenate((np.zeros((2, len(folds), 1)), found), axis=2)  # point 0 is "never"
    totals = np.stack([counted[number].totals for number in folds.values()], axis=1)[:, :, None]
    _refuse_changed(scanned.column((score, 0)), thresholds, found, totals)
    digest = blake2b(scanned.token + repr(list(folds.items())).encode(), digest_size=16).digest()

    def areas() -> Array:
        keys = [(score, number) for number in folds.values()]
        if exact:
            scanned.find_exact_areas(keys)
        return np.array([float(scanned.area(key)) for key in keys])

    counts = ScannedFolds(found, totals, scanned.rows(0).units.weighted)
    levels = after_never(thresholds)
    shown = 0 - levels if score in scanned.lower_is_positive else levels
    return average_of_folds(
        shown, tuple(folds), counts, "operating points", measures, areas=areas, split=digest
    )


def _thresholds(scanned: ScannedTable, key: Column, points: Points) -> Array:
    """The thresholds (k,), descending; negated, where low scores are positive."""
    if points is None or isinstance(points, int):
        held = scanned.curve(key, scanned.max_error).score
        return held if points is None else held[spread(held.size, points)]
    if isinstance(points, str):
        return scanned.both_classes(key).blocks.low
    given = np.asarray(points)
    return negated(given, "operating_points")[::-1] if key[0] in scanned.lower_is_positive else given


def _refuse_changed(whole: ScannedColumn, thresholds: Array, found: Array, totals: Array) -> None:
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
        raise ChangedError()
