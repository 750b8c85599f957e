# long: one result, mostly docstrings
"""What averaging over folds gives: means and standard deviations at operating points, and tests."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _fold_measures, _paired_tests, _validation
from rochull._fold_measures import Confusion, Measure
from rochull._fold_tables import Folds, is_threaded
from rochull._moments import Moments, as_values
from rochull._paired_tests import DependentTest, Outcome
from rochull._results import TestResult, table, written
from rochull._stacking import Stacked
from rochull._validation import Array
from rochull.hull import RocHull

_CLASSES = ("negative", "positive")


@dataclass(frozen=True, eq=False)
class OperatingPointAverage:
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
        Nadeau-Bengio correction unless they are told otherwise.

    Notes
    -----
    A *measure* is ``"fpr"``, ``"tpr"``, ``"precision"``, ``"error"``, ``"accuracy"``, an
    :class:`ExpectedCost` condition (its cost at its own prevalence), or a function of the confusion
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
        folds = f"{self.n_folds} fold{'s' if self.n_folds > 1 else ''}"
        again = ", rows tested more than once" if self.repeated else ""
        return f"OperatingPointAverage({len(self)} points, {folds}, {self.method}{again})"

    def __str__(self) -> str:
        columns = {"": list(map(str, range(len(self)))), "threshold": written(self.thresholds, "{:.5g}")}
        for rate in ("fpr", "tpr"):
            columns[rate] = written(self.mean(rate), "{:.3f}")
            if self.n_folds > 1:
                columns[f"± {rate}"] = written(self.sem(rate), "{:.3f}")
        area = f"AUC {self.auc:.4g}"
        if self.n_folds > 1:
            area += f" ± {self.auc_sem:.2g} (± is the sd of the mean{self._corrected})"
        return f"{self!r}\n{area}\n{table(columns)}"

    @property
    def _corrected(self) -> str:
        """What is said of a standard deviation of the mean."""
        return ", Nadeau-Bengio" if self.repeated else ""

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.folds)

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
        """Area under the ROC curve of each fold (n_folds,), of all its scores, whatever the points are.

        Raises
        ------
        ValueError
            If a fold lacks one of the classes.
        """
        for label, kind in enumerate(_CLASSES):
            empty = np.flatnonzero(self._folds.totals[label, :, 0] == 0)
            if empty.size:
                raise lacks(self.folds[empty[0]], kind, "its area")
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
        overlap = _paired_tests.overlap_of("auto", self.overlap, self.repeated)
        return self.auc_std * float(np.sqrt(1 / self.n_folds + overlap))

    def to_dict(self, measures: Measure | Sequence[Measure] = ("fpr", "tpr")) -> dict[str, Array]:
        """List the points as the columns of a table.

        Parameters
        ----------
        measures : measure or sequence of measures, default=("fpr", "tpr")
            See the notes of the class.

        Returns
        -------
        dict of str to ndarray of shape (k,)
            ``threshold``, and for every measure ``<name>_mean``, ``<name>_std`` and ``<name>_sem``, as
            ``pandas.DataFrame`` and ``polars.DataFrame`` take them. An :class:`ExpectedCost` is called
            "expected_cost", a function by its own name.

        Raises
        ------
        ValueError
            As for :meth:`mean`, or if two measures have one name.

        Examples
        --------
        >>> import rochull as rh
        >>> average = rh.operating_point_average([1, 0, 1, 0], [0.9, 0.4, 0.6, 0.7], folds=[0, 0, 1, 1])
        >>> columns = average.to_dict("tpr")
        >>> list(columns), columns["tpr_mean"].tolist()
        (['threshold', 'tpr_mean', 'tpr_std', 'tpr_sem'], [0.0, 0.5, 0.5, 1.0, 1.0])
        """
        columns = {"threshold": self.thresholds.copy()}
        for measure in as_measures(measures):
            name = _fold_measures.called(measure)
            if f"{name}_mean" in columns:
                raise ValueError(f"measures: two of them are called {name!r}.")
            columns |= {f"{name}_mean": self.mean(measure).copy(), f"{name}_std": self.std(measure).copy()}
            columns[f"{name}_sem"] = self.sem(measure)
        return columns

    def mean(self, measure: Measure) -> Array:
        """Average a measure over the folds.

        Parameters
        ----------
        measure : str, ExpectedCost or callable
            See the notes of the class.

        Returns
        -------
        ndarray of shape (k,)
            At each point; NaN where no fold defines it.

        Raises
        ------
        ValueError
            If it is no measure, or a fold lacks a class without which it is undefined.
        """
        return self._of(measure).mean

    def std(self, measure: Measure) -> Array:
        """Compute the standard deviation of a measure over the folds.

        Parameters
        ----------
        measure : str, ExpectedCost or callable
            See the notes of the class.

        Returns
        -------
        ndarray of shape (k,)
            With n - 1; NaN where fewer than two folds define it.

        Raises
        ------
        ValueError
            As for :meth:`mean`.
        """
        return self._of(measure).std

    def sem(self, measure: Measure, *, correction: str | float | None = "auto") -> Array:
        """Compute the standard deviation of the mean of a measure.

        Parameters
        ----------
        measure : str, ExpectedCost or callable
            See the notes of the class.
        correction : {"auto", None, "nadeau-bengio"} or float, default="auto"
            As in :meth:`compare`: "auto" corrects where rows were tested more than once (`repeated`).

        Returns
        -------
        ndarray of shape (k,)
            ``std / sqrt(defined)``, as if folds were independent: their training sets overlap, so that it
            is too small on average. With the correction ``std * sqrt(1 / defined + overlap)``.

        Raises
        ------
        ValueError
            As for :meth:`mean`, or for an unknown correction.
        """
        overlap = _paired_tests.overlap_of(correction, self.overlap, self.repeated)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.std(measure) * np.sqrt(1 / self.defined(measure) + overlap))

    def defined(self, measure: Measure) -> Array:
        """Count the folds that define a measure.

        Parameters
        ----------
        measure : str, ExpectedCost or callable
            See the notes of the class.

        Returns
        -------
        ndarray of int64 of shape (k,)
            At each point; `n_folds` everywhere for rates and costs.

        Raises
        ------
        ValueError
            As for :meth:`mean`.
        """
        return self._of(measure).defined

    def per_fold(self, measure: Measure, points: ArrayLike | None = None) -> Array:
        """List the values of a measure in every fold.

        Parameters
        ----------
        measure : str, ExpectedCost or callable
            See the notes of the class.
        points : array-like of int of shape (p,), optional
            Indices of points; all by default, which may be much memory.

        Returns
        -------
        ndarray of shape (n_folds, p)
            Row f is fold ``folds[f]``; NaN where the measure is undefined.

        Raises
        ------
        ValueError
            As for :meth:`mean`, or if there is no such point.
        """
        self._require(measure)
        chosen = np.arange(len(self)) if points is None else self._indices(points, "points")
        return self._folds.values(measure, chosen)

    def compare(
        self,
        i: int,
        j: int | ArrayLike | None = None,
        measure: Measure = "fpr",
        *,
        df: str = "n-1",
        correction: str | float | None = "auto",
        adjust: str | None = None,
        other: OperatingPointAverage | None = None,
    ) -> TestResult:
        """Test whether a measure differs between operating points, by the t-test for dependent samples.

        Parameters
        ----------
        i : int
            A point.
        j : int or array-like of int, optional
            Another point, or several; all by default. Points of `other`, if that is given.
        measure : str, ExpectedCost or callable, default="fpr"
            See the notes of the class.
        df : {"n-1", "2n-2"}, default="n-1"
            Degrees of freedom: those of the dependent test, n being the number of folds, or the number that
            the paper prints, which belongs to the independent one and rejects too often.
        correction : {"auto", None, "nadeau-bengio"} or float, default="auto"
            "nadeau-bengio" enlarges the variance of the mean from ``1 / n`` to ``1 / n + overlap``, because
            the training sets of the folds overlap; a number is used in place of the attribute `overlap`,
            and None corrects nothing. "auto" is the correction where rows were tested more than once
            (`repeated`), else None.
        adjust : {None, "holm"}, default=None
            Adjust the p-values for the number of points that `i` is compared with.
        other : OperatingPointAverage, optional
            Of another classifier in the same folds: the same rows, in the same order, each in the same
            fold. Without `j` point i is compared with all of its points.

        Returns
        -------
        TestResult
            Floats for a single `j`, else arrays (k,). `estimate` is the mean at point i minus that at point
            j. Where the folds' differences do not vary at all, p is 1 for equal means and 0 otherwise.
            Where fewer than two folds define the measure at both points, nothing is tested: p is 1, and
            `df` 0.

        Raises
        ------
        ValueError
            If there is no such point, there are fewer than two folds, `other` has other folds (or its rows
            in another order, which cannot be told from that), or an option is unknown.

        Notes
        -----
        Along one curve the false positive rate never falls, in no fold: the sign of a difference is known
        beforehand, and so is that it is not 0 where enough cases lie in between. On one curve, for the
        false or the true positive rate, this test therefore describes the *resolution* of the data: which
        points they cannot tell apart. It tests a hypothesis where either sign is possible: between
        classifiers, or for a cost, the error or the precision.

        With uncorrelated folds the statistic is that of the t-test for independent samples. In repeated
        cross-validation folds share examples, and ``n - 1`` degrees of freedom overstate what is known;
        the correction, which is the default there, makes up for it in part.

        References
        ----------
        Paclík, Lai, Novovičová & Duin 2008, equation (3). C. Nadeau and Y. Bengio. Inference for the
        Generalization Error. Machine Learning 52, 2003. S. Holm. A Simple Sequentially Rejective Multiple
        Test Procedure. Scandinavian Journal of Statistics 6, 1979.
        """
        if adjust not in (None, "holm"):
            raise ValueError(f"adjust must be None or 'holm', but is {adjust!r}.")
        test = DependentTest(df, _paired_tests.overlap_of(correction, self.overlap, self.repeated))
        there = self._same_folds(other)
        self._require(measure)
        if np.ndim(i) > 0:
            raise ValueError(f"i must be an index of a point, but is {i!r}.")
        first = self._folds.values(measure, self._indices(i, "i"))
        if j is None:
            found = there._against(first, measure, test)
        else:
            chosen = there._indices(np.atleast_1d(np.asarray(j)), "j")
            if not chosen.size:
                raise ValueError("j is empty: there is no point to compare with.")
            found = test(first, there._folds.values(measure, chosen))
        pvalue = found.pvalue
        if adjust == "holm":
            others = np.ones(pvalue.size, bool)
            if j is None and other is None:
                others[i] = False  # a point is not compared with itself
            pvalue = pvalue.copy()
            pvalue[others] = _paired_tests.holm(pvalue[others])
        name = _name(df, test.overlap, adjust, self.n_folds)
        if j is not None and np.ndim(j) == 0:
            statistic, p, estimate, freedom = (float(a[0]) for a in (found[0], pvalue, *found[2:]))
            return TestResult(statistic, p, estimate, method=name, df=freedom)
        varied: Any = found.df if np.ptp(found.df) else float(found.df[0])
        return TestResult(found.statistic, pvalue, found.estimate, method=name, df=varied)

    def indistinguishable(
        self,
        i: int,
        measures: Measure | Sequence[Measure] = ("fpr",),
        level: float = 0.95,
        *,
        df: str = "n-1",
        correction: str | float | None = "auto",
        adjust: str | None = None,
    ) -> Array:
        """Mark the points that the data cannot tell from point i: the paper's circles.

        Parameters
        ----------
        i : int
            The point of interest.
        measures : measure or sequence of measures, default=("fpr",)
            See the notes of the class.
        level : float, default=0.95
            Confidence of each test.
        df, correction, adjust : optional
            As in :meth:`compare`.

        Returns
        -------
        ndarray of bool of shape (k,)
            True where no measure differs significantly from that at point i, which itself is marked.

        Raises
        ------
        ValueError
            As for :meth:`compare`, or if `level` is not strictly between 0 and 1.

        References
        ----------
        Paclík, Lai, Novovičová & Duin 2008, sections 4.2 and 4.3.
        """
        level = _validation.probability(level, "level", open_ends=True)
        chosen = as_measures(measures)
        options: dict[str, Any] = {"df": df, "correction": correction, "adjust": adjust}
        return _paired_tests.accepted_by_all(
            [np.asarray(self.compare(i, measure=m, **options).pvalue) for m in chosen], level
        )

    def hull(self) -> RocHull:
        """Make the convex hull of the mean curve.

        Returns
        -------
        RocHull
            Of the points (`fpr_mean`, `tpr_mean`); its rules are thresholds.

        Raises
        ------
        ValueError
            If the points are virtual: no threshold reaches them.
        """
        real = self.thresholds[1:]
        if real.dtype.kind == "f" and np.isnan(self.thresholds).any():
            raise ValueError("the points of a vertical average are virtual: no threshold reaches them.")
        fpr, tpr = (np.clip(rate[1:], 0.0, 1.0) for rate in (self.fpr_mean, self.tpr_mean))
        return RocHull.from_rates(fpr, tpr, real)

    def _of(self, measure: Measure) -> Moments:
        """The moments of a measure, computed when they are first asked for."""
        if measure not in self._moments:
            self._compute([measure])
        return self._moments[measure]

    def _compute(self, measures: Sequence[Measure]) -> None:
        for measure in measures:
            self._require(measure)
        self._moments.update(zip(measures, self._folds.moments(measures), strict=True))

    def _require(self, measure: Measure) -> None:
        """Raise unless it is a measure, and every fold has the classes that it needs."""
        for label in _fold_measures.needs(_fold_measures.checked(measure)):
            empty = np.flatnonzero(self._folds.totals[label, :, 0] == 0)
            if empty.size:
                raise lacks(self.folds[empty[0]], _CLASSES[label], repr(measure))

    def _indices(self, points: ArrayLike, name: str) -> Array:
        """Indices of points, from 0; negative ones count from the end."""
        try:
            listed = np.asarray(points).ravel().tolist()
            if any(isinstance(p, bool) for p in listed):
                raise TypeError
            found = np.array([operator.index(p) for p in listed], np.int64)
        except TypeError:
            raise ValueError(f"{name} must be an index of a point, but is {points!r}.") from None
        for point in found[(found < -len(self)) | (found >= len(self))]:
            raise ValueError(f"{name}={point} is not one of the {len(self)} points.")
        return np.where(found < 0, found + len(self), found)

    def _same_folds(self, other: OperatingPointAverage | None) -> OperatingPointAverage:
        """The other average, or this one, if points can be compared fold by fold."""
        if self.n_folds < 2:
            raise ValueError(f"compare needs at least two folds, but a {self.method} average has one.")
        if other is None:
            return self
        if not isinstance(other, OperatingPointAverage):
            raise ValueError(f"other must be an OperatingPointAverage, but is {type(other).__name__}.")
        same = self.folds == other.folds and self._split == other._split
        if not same or not np.array_equal(self._folds.totals, other._folds.totals):
            raise ValueError(
                "other was averaged over other folds, or over rows in another order; both classifiers must "
                "be scored on the same rows, in one order, each in the same fold (or weight)."
            )
        return other

    def _against(self, first: Array, measure: Measure, test: DependentTest) -> Outcome:
        """Compare values (n_folds, 1) with those of every point here."""

        def task(found: Confusion) -> Outcome:
            return test(first, as_values(*_fold_measures.ratio(measure, found)))

        parts = self._folds.map_chunks(task, is_threaded(measure))
        return Outcome(*map(np.concatenate, zip(*parts, strict=True)))


def as_measures(measures: Measure | Sequence[Measure]) -> list[Measure]:
    """One measure, or several, as a list of different ones."""
    if isinstance(measures, str) or not isinstance(measures, Sequence):
        return [_fold_measures.checked(measures)]
    if not measures:
        raise ValueError("measures is empty: there is nothing to average.")
    return list(dict.fromkeys(map(_fold_measures.checked, measures)))


def _name(df: str, overlap: float, adjust: str | None, n_folds: int) -> str:
    """What the test is called."""
    parts = [f"dependent t-test over {n_folds} folds", f"df {df}"]
    parts += [f"variance 1/n + {overlap:.4g}"] if overlap else []
    parts += ["Holm"] if adjust else []
    return ", ".join(parts)


def lacks(fold: Any, kind: str, what: str) -> ValueError:
    """A fold has no example (of positive weight) of a class."""
    return ValueError(
        f"folds: fold {fold!r} has no {kind} example, without which {what} is undefined; use fewer or "
        "stratified folds."
    )
