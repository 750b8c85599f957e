"""Moments of measures over folds, at shared operating points, and tests: for every kind of average.

It knows nothing of what an operating point is: a threshold, or a weight for each of several classes.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import Described, entries
from rochull._core.messages import Parameter, Refusal, named, refused
from rochull._core.results import Result, TestResult
from rochull._core.table_errors import a_type
from rochull._core.validation import Array
from rochull.averaging import paired_tests
from rochull.averaging.fold_tables import FoldTable, Moments, as_values
from rochull.averaging.paired_tests import DependentTest, Outcome

M = TypeVar("M")


class FoldAverage(Result, Described, ABC, Generic[M]):
    """Means over folds, and how much the folds differ, at operating points that all folds share.

    Notes
    -----
    What reads a measure raises ValueError if it is none, or if a fold lacks a class without which it is
    undefined.
    """

    parameters_told = entries("""
measure : measure
    See the notes of the class.
measures : measure or sequence of measures, optional
    See the notes of the class.
i : int
    The point of interest.
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
""")

    KIND: ClassVar[str]  # what the result is called, with its article

    # Those that inherit are frozen dataclasses with these fields.
    folds: tuple[Any, ...]
    overlap: float
    method: str
    repeated: bool
    _folds: FoldTable[M, Any]
    _split: bytes
    _moments: dict[M, Moments]

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def _compared(self) -> M:
        """The measure that two points are compared by if none is named."""

    @property
    @abstractmethod
    def _tested(self) -> tuple[M, ...]:
        """The measures that tell whether points are distinguishable if none is named."""

    @property
    @abstractmethod
    def _summary(self) -> tuple[M, ...]:
        """The measures that are listed if none is named."""

    @abstractmethod
    def _identified(self) -> dict[str, Array]:
        """The columns that say what each point is."""

    @abstractmethod
    def _checked(self, measure: Any) -> M:
        """The measure, if it is one; names may stand for measures."""

    @abstractmethod
    def _called(self, measure: M) -> str:
        """Name a measure as a column."""

    @abstractmethod
    def _needs(self, measure: M) -> Sequence[tuple[int, str]]:
        """The classes without which it is undefined in a fold: the index, and what an example is called."""

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.folds)

    @property
    def _counted(self) -> str:
        """Points, folds and the method, in words."""
        folds = f"{self.n_folds} fold{'s' if self.n_folds > 1 else ''}"
        again = ", rows tested more than once" if self.repeated else ""
        return f"{len(self)} point{'s' if len(self) != 1 else ''}, {folds}, {self.method}{again}"

    @property
    def _corrected(self) -> str:
        """Describe a standard deviation of the mean."""
        return ", Nadeau-Bengio" if self.repeated else ""

    def to_dict(self, measures: M | Sequence[M] | None = None) -> dict[str, Array]:
        """List the points as the columns of a table.

        Returns
        -------
        dict of str to ndarray of shape (k,)
            What each point is (``threshold``, or a weight for each class), and for every measure
            ``<name>_mean``, ``<name>_std`` and ``<name>_sem``, of both rates of two classes, or the
            per-class errors of several, if no measures are given. An :class:`ExpectedCost` is called
            "expected_cost", a function by its own name.
        """
        columns = {name: values.copy() for name, values in self._identified().items()}
        for measure in self._summary if measures is None else self._listed(measures):
            name = self._called(measure)
            if f"{name}_mean" in columns:
                raise Refusal("{}: two of them are called {}.", Parameter("measures"), repr(name))
            columns |= {f"{name}_mean": self.mean(measure).copy(), f"{name}_std": self.std(measure).copy()}
            columns[f"{name}_sem"] = self.sem(measure)
        return columns

    def mean(self, measure: M) -> Array:
        """Average a measure over the folds.

        Returns
        -------
        ndarray of shape (k,)
            At each point; NaN where no fold defines it.
        """
        return self._of(measure).mean

    def std(self, measure: M) -> Array:
        """Compute the standard deviation of a measure over the folds.

        Returns
        -------
        ndarray of shape (k,)
            With n - 1; NaN where fewer than two folds define it.
        """
        return self._of(measure).std

    def sem(self, measure: M, *, correction: str | float | None = "auto") -> Array:
        """Compute the standard deviation of the mean of a measure.

        Returns
        -------
        ndarray of shape (k,)
            ``std / sqrt(defined)``, as if folds were independent: their training sets overlap, so that it
            is too small on average. With the correction ``std * sqrt(1 / defined + overlap)``.
        """
        overlap = paired_tests.overlap_of(correction, self.overlap, self.repeated)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.std(measure) * np.sqrt(1 / self.defined(measure) + overlap))

    def defined(self, measure: M) -> Array:
        """Count the folds that define a measure.

        Returns
        -------
        ndarray of int64 of shape (k,)
            At each point; `n_folds` everywhere for rates, errors and costs.
        """
        return self._of(measure).defined

    def per_fold(self, measure: M, points: ArrayLike | None = None) -> Array:
        """List the values of a measure in every fold.

        Parameters
        ----------
        points : array-like of int of shape (p,), optional
            Indices of points; all by default, which may be much memory.

        Returns
        -------
        ndarray of shape (n_folds, p)
            Row f is fold ``folds[f]``; NaN where the measure is undefined.
        """
        checked = self._required(measure)
        chosen = np.arange(len(self)) if points is None else indices_of(points, len(self), "points")
        return self._folds.values(checked, chosen)

    def compare(
        self,
        i: int,
        j: int | ArrayLike | None = None,
        measure: M | None = None,
        *,
        df: str = "n-1",
        correction: str | float | None = "auto",
        adjust: str | None = None,
        other: Self | None = None,
    ) -> TestResult:
        """Test whether a measure differs between operating points, by the t-test for dependent samples.

        Parameters
        ----------
        j : int or array-like of int, optional
            Another point, or several; all by default. Points of `other`, if that is given.
        measure : measure, optional
            See the notes of the class. None: the false positive rate of two classes, the largest error of
            any class of several.
        other : same class, optional
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
            in another order, which looks the same), or an option is unknown.

        Notes
        -----
        Along one curve the false positive rate never falls, in no fold: the sign of a difference is known
        beforehand, and so is that it is not 0 where enough cases lie in between. On one curve, for the
        false or the true positive rate, this test therefore describes the *resolution* of the data: which
        points they cannot tell apart. It tests a hypothesis where either sign is possible: between
        classifiers, or for a cost, the error or the precision.

        With 2 to 4 folds it finds large differences only, for a variance is known badly from so few, and
        on 2 small ones it rejects too often. At the level 0.05, for two classifiers that are wrong in 20 %
        of the cases (independent folds, 20,000 simulations), it rejected in 0.089, 0.044, 0.043 and 0.051
        with 2, 3, 4 and 5 folds of 20 cases each, and in 0.058, 0.045, 0.049 and 0.051 with folds of 100; a
        difference of 0.1 was found in 0.16, 0.40, 0.67 and 0.83 with folds of 100, and in 1.00 with ten.
        ``df="2n-2"`` rejected in 0.15, 0.10, 0.09 and 0.08.

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
            raise refused("adjust", "must be None or 'holm', but is {}.", repr(adjust))
        test = DependentTest(df, paired_tests.overlap_of(correction, self.overlap, self.repeated))
        there = self._same_folds(other)
        checked = self._required(self._compared if measure is None else measure)
        if np.ndim(i) > 0:
            raise refused("i", "must be an index of a point, but is {}.", repr(i))
        first = self._folds.values(checked, indices_of(i, len(self), "i"))
        if j is None:
            found = there._against(first, checked, test)
        else:
            chosen = indices_of(np.atleast_1d(np.asarray(j)), len(there), "j")
            if not chosen.size:
                raise refused("j", "is empty: there is no point to compare with.")
            found = test(first, there._folds.values(checked, chosen))
        pvalue = found.pvalue
        if adjust == "holm":
            others = np.ones(pvalue.size, bool)
            if j is None and other is None:
                others[i] = False  # a point is not compared with itself
            pvalue = pvalue.copy()
            pvalue[others] = paired_tests.holm(pvalue[others])
        name = _name(df, test.overlap, adjust, self.n_folds)
        if j is not None and np.ndim(j) == 0:
            statistic, p, estimate, freedom = (float(a[0]) for a in (found[0], pvalue, *found[2:]))
            return TestResult(statistic, p, estimate, method=name, df=freedom)
        varied: Any = found.df if np.ptp(found.df) else float(found.df[0])
        return TestResult(found.statistic, pvalue, found.estimate, method=name, df=varied)

    def indistinguishable(
        self,
        i: int,
        measures: M | Sequence[M] | None = None,
        level: float = 0.95,
        *,
        df: str = "n-1",
        correction: str | float | None = "auto",
        adjust: str | None = None,
    ) -> Array:
        """Mark the points that the data cannot tell from point i: the paper's circles.

        Parameters
        ----------
        measures : measure or sequence of measures, optional
            See the notes of the class. None: the false positive rate of two classes, the errors of all
            classes of several.
        level : float, default=0.95
            Confidence of each test; strictly between 0 and 1.

        Returns
        -------
        ndarray of bool of shape (k,)
            True where no measure differs significantly from that at point i, which itself is marked: the
            null hypotheses of all measures are accepted (the paper's AND).

        References
        ----------
        Paclík, Lai, Novovičová & Duin 2008, sections 4.2 and 4.3.
        """
        level = validation.probability(level, "level", open_ends=True)
        chosen = self._tested if measures is None else self._listed(measures)
        options: dict[str, Any] = {"df": df, "correction": correction, "adjust": adjust}
        return paired_tests.accepted_by_all(
            [np.asarray(self.compare(i, measure=m, **options).pvalue) for m in chosen], level
        )

    def _listed(self, measures: M | Sequence[M]) -> list[M]:
        """One measure, or several, as a list of different ones."""
        return measures_of(measures, self._checked)

    def _of(self, measure: M) -> Moments:
        """The moments of a measure, computed when they are first asked for."""
        checked = self._checked(measure)
        if checked not in self._moments:
            self.prepare([checked])
        return self._moments[checked]

    def prepare(self, measures: Sequence[M]) -> None:
        """Compute the moments of several measures at once, so that they are ready."""
        required = [self._required(measure) for measure in measures]
        self._moments.update(zip(required, self._folds.moments(required), strict=True))

    def _required(self, measure: M) -> M:
        """The measure; raises unless it is one, and every fold has the classes that it needs."""
        checked = self._checked(measure)
        for label, example in self._needs(checked):
            self._require_class(label, example, self._named(measure))
        return checked

    def _named(self, measure: M) -> str:
        """Name a measure in a message."""
        return repr(measure)

    def _require_class(self, label: int, example: str, what: str) -> None:
        """Raise unless every fold has an example of a class."""
        empty = np.flatnonzero(self._folds.totals[label, :, 0] == 0)
        if empty.size:
            raise undefined(self.folds[empty[0]], example, what)

    def _same_folds(self, other: Self | None) -> Self:
        """The other average, or this one, if points can be compared fold by fold."""
        if self.n_folds < 2:
            raise ValueError(f"compare needs at least two folds, but a {self.method} average has one.")
        if other is None:
            return self
        if not isinstance(other, type(self)):
            raise refused("other", "must be {}, but is {}.", self.KIND, a_type(other))
        same = self.folds == other.folds and self._split == other._split
        if not same or not np.array_equal(self._folds.totals, other._folds.totals):
            raise refused(
                "other",
                "was averaged over other folds, or over rows in another order; both classifiers must be "
                "scored on the same rows, in one order, each in the same fold (or weight).",
            )
        return other

    def _against(self, first: Array, measure: M, test: DependentTest) -> Outcome:
        """Compare values (n_folds, 1) with those of every point here."""

        def task(found: Any) -> Outcome:
            return test(first, as_values(*self._folds.ratio(measure, found)))

        parts = self._folds.map_chunks(task, self._folds.is_threaded(measure))
        return Outcome(*map(np.concatenate, zip(*parts, strict=True)))


def measures_of(measures: Any, checked: Any) -> list[Any]:
    """One measure, or several, as a list of different ones, each of which is `checked`."""
    if isinstance(measures, str) or not isinstance(measures, Sequence):
        return [checked(measures)]
    if not measures:
        raise refused("measures", "is empty: there is nothing to average.")
    return list(dict.fromkeys(map(checked, measures)))


def _name(df: str, overlap: float, adjust: str | None, n_folds: int) -> str:
    """Name the test."""
    parts = [f"dependent t-test over {n_folds} folds", f"df {df}"]
    parts += [f"variance 1/n + {overlap:.4g}"] if overlap else []
    parts += ["Holm"] if adjust else []
    return ", ".join(parts)


def undefined(fold: Any, example: str, what: str) -> ValueError:
    """A fold has no example (of positive weight) of a class."""
    return Refusal(
        "{}: fold {} has no {}, without which {} is undefined; use fewer or stratified folds.",
        Parameter("folds"),
        repr(fold),
        example,
        what,
    )


def indices_of(points: ArrayLike, size: int, name: str) -> Array:
    """Indices of points, from 0; negative ones count from the end."""
    try:
        found = np.asarray(points).ravel().tolist()
        if any(isinstance(p, bool) for p in found):
            raise TypeError
        indices = np.array([operator.index(p) for p in found], np.int64)
    except TypeError:
        raise refused(name, "must be an index of a point, but is {}.", repr(points)) from None
    for point in indices[(indices < -size) | (indices >= size)]:
        raise Refusal("{}={} is not one of the {} points.", named(name), point, size)
    return np.where(indices < 0, indices + size, indices)
