"""Averages of curves over folds: rates and areas at operating points, on top of `fold_average`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.results import table, written
from rochull._core.validation import Array
from rochull.averaging import fold_measures, paired_tests
from rochull.averaging.fold_average import FoldAverage, measures_of, undefined
from rochull.averaging.fold_measures import Measure
from rochull.averaging.fold_tables import Folds, Moments
from rochull.averaging.stacking import Stacked
from rochull.conditions.ranges import Proportion
from rochull.hull.hull import RocHull

_CLASSES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class OperatingPointAverage(FoldAverage[Measure]):
    """Means over folds, and how much the folds differ, at operating points that all folds share.

    Point i is the rule "score >= thresholds[i]"; point 0 is "never".

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        Descending; inf at point 0 stands for "never". NaN for virtual points, which no threshold reaches.
    folds : tuple
        The folds' labels, in the order of the per-fold values.
    overlap : float
        Size of a test part by that of its training part, for the Nadeau-Bengio correction:
        ``1 / (n_folds - 1)``, unless the cross-validation is known to differ.
    method : str
        How the folds were averaged.
    stacked : Stacked or None
        The out-of-fold scores (its attributes `y`, `scores`, `folds`, `rows`, `sample_weight`), if
        :func:`cross_validate_roc` made them.
    repeated : bool
        Whether rows were tested more than once, as in repeated cross-validation; known of
        :func:`cross_validate_roc` only. Folds then share examples: `sem` and :meth:`compare` apply the
        Nadeau-Bengio correction unless asked otherwise.

    Notes
    -----
    A *measure* is ``"fpr"``, ``"tpr"``, ``"precision"``, ``"error"``, ``"accuracy"``, an
    :class:`ExpectedCost` condition (its cost at its own prevalence, or at that of all folds
    together if it states none), or a function of the confusion
    matrices: it gets one object with the arrays ``tp``, ``fp``, ``fn`` and ``tn`` of shape (n_folds, k),
    weights or counts, and returns an array of that shape. Every measure can be asked for at any time;
    those that were named when averaging are ready.

    A fold in which a measure is undefined (not finite, such as the precision where nothing is called
    positive) is left out at that point: see :meth:`defined`.

    The table of all folds at all points is never held. Unweighted rates are averaged from exact
    differences of counts: where all folds agree, the standard deviation is exactly 0.

    Examples
    --------
    >>> import rochull as rh
    >>> average = rh.operating_point_average([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.7], folds=[0, 0, 1, 1])
    >>> average.thresholds.tolist()
    [inf, 0.9, 0.7, 0.6, 0.4]
    >>> average.tpr_mean.tolist(), average.fpr_mean.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    >>> average.tpr_std.round(3).tolist()
    [0.0, 0.707, 0.707, 0.0, 0.0]
    >>> average.mean(lambda c: c.tp - c.fp).tolist()
    [0.0, 0.5, 0.0, 0.5, 0.0]
    >>> average.auc, average.auc_folds.tolist()
    (0.5, [1.0, 0.0])
    """

    KIND = "an OperatingPointAverage"

    thresholds: Array
    folds: tuple[Any, ...]
    overlap: float
    method: str
    stacked: Stacked | None = None
    repeated: bool = False
    _folds: Folds = field(repr=False, kw_only=True)
    _areas: Callable[[], Array] = field(repr=False, kw_only=True)
    _split: bytes = field(repr=False, kw_only=True)
    _moments: dict[Measure, Moments] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.thresholds)

    def __repr__(self) -> str:
        return f"OperatingPointAverage({self._counted})"

    def __str__(self) -> str:
        columns = {"": list(map(str, range(len(self)))), "threshold": written(self.thresholds, "{:.5g}")}
        for rate in ("fpr", "tpr"):
            columns[rate] = written(self.mean(rate), "{:.3f}")
            if self.n_folds > 1:
                columns[f"± {rate}"] = written(self.sem(rate), "{:.3f}")
        area = f"AUC {self.auc:.4g}"
        if self.n_folds > 1:
            area += f" ± {self.auc_sem:.2g} (± is the standard error{self._corrected})"
        return f"{self!r}\n{area}\n{table(columns)}"

    @property
    def lower_is_positive(self) -> bool:
        """Whether low scores are positive, so that the thresholds ascend from -inf."""
        return bool(self.thresholds[0] == -np.inf)

    @property
    def _compared(self) -> Measure:
        return "fpr"

    @property
    def _tested(self) -> tuple[Measure, ...]:
        return ("fpr",)

    @property
    def _summary(self) -> tuple[Measure, ...]:
        return fold_measures.RATES

    def _identified(self) -> dict[str, Array]:
        return {"threshold": self.thresholds}

    def _checked(self, measure: Any) -> Measure:
        neg, pos = (Fraction(float(total)) for total in self._folds.totals.sum(axis=(1, 2)))
        return fold_measures.checked_measure(measure, Proportion(pos / (neg + pos)))

    def _called(self, measure: Measure) -> str:
        return fold_measures.called(measure)

    def _needs(self, measure: Measure) -> list[tuple[int, str]]:
        return [(label, f"{_CLASSES[label]} example") for label in fold_measures.needs(measure)]

    @property
    def fpr_mean(self) -> Array:
        """Mean false positive rate at each point (k,)."""
        return self.mean("fpr")

    @property
    def fpr_std(self) -> Array:
        """Standard deviation (n - 1) of the folds' false positive rates (k,)."""
        return self.std("fpr")

    @property
    def fpr_sem(self) -> Array:
        """Standard deviation of the mean false positive rate (k,)."""
        return self.sem("fpr")

    @property
    def tpr_mean(self) -> Array:
        """Mean true positive rate at each point (k,)."""
        return self.mean("tpr")

    @property
    def tpr_std(self) -> Array:
        """Standard deviation (n - 1) of the folds' true positive rates (k,)."""
        return self.std("tpr")

    @property
    def tpr_sem(self) -> Array:
        """Standard deviation of the mean true positive rate (k,)."""
        return self.sem("tpr")

    @cached_property
    def auc_folds(self) -> Array:
        """Area under the ROC curve of each fold (n_folds,), of all its scores, whatever the points are."""
        for label, kind in enumerate(_CLASSES):
            self._require_class(label, f"{kind} example", "its area")
        return self._areas()

    @property
    def auc(self) -> float:
        """Mean of the folds' areas under the ROC curve; the area of the mean curve is another number."""
        return float(self.auc_folds.mean())

    @property
    def auc_std(self) -> float:
        """Standard deviation (n - 1) of the folds' areas; NaN for one fold."""
        return float(self.auc_folds.std(ddof=1)) if self.n_folds > 1 else float("nan")

    @property
    def auc_sem(self) -> float:
        """Standard deviation of the mean area, corrected as :meth:`sem` is."""
        overlap = paired_tests.overlap_of("auto", self.overlap, self.repeated)
        return self.auc_std * float(np.sqrt(1 / self.n_folds + overlap))

    def hull(self) -> RocHull:
        """Make the convex hull of the mean curve.

        Returns
        -------
        RocHull
            Of the points (`fpr_mean`, `tpr_mean`); its rules are thresholds; virtual points have none.
        """
        real = self.thresholds[1:]
        if real.dtype.kind == "f" and np.isnan(self.thresholds).any():
            raise ValueError("the points of a vertical average are virtual: no threshold reaches them.")
        fpr, tpr = (np.clip(rate[1:], 0.0, 1.0) for rate in (self.fpr_mean, self.tpr_mean))
        return RocHull.from_rates(fpr, tpr, real, lower_is_positive=self.lower_is_positive)


def average_of_folds(
    thresholds: Array,
    labels: tuple[Any, ...],
    folds: Folds,
    method: str,
    measures: Measure | Sequence[Measure],
    *,
    areas: Callable[[], Array],
    split: bytes,
) -> OperatingPointAverage:
    """The average of counted folds, with the named measures ready."""
    overlap = 1 / (len(labels) - 1) if len(labels) > 1 else 0.0
    average = OperatingPointAverage(
        thresholds, labels, overlap, method, _folds=folds, _areas=areas, _split=split
    )
    average.prepare(as_measures(measures))
    return average


def as_measures(measures: Measure | Sequence[Measure]) -> list[Measure]:
    """One measure, or several, as a list of different ones."""
    return measures_of(measures, fold_measures.checked_measure)


def lacks(fold: Any, kind: str, what: str) -> ValueError:
    """A fold has no example (of positive weight) of a class."""
    return undefined(fold, f"{kind} example", what)
