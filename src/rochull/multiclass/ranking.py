"""How well the outputs of several classes rank: Hand & Till's M, the areas of all pairs, and intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.messages import Message, Setting, refused
from rochull._core.results import Interval
from rochull._core.rows import same_rows
from rochull._core.threads import Bar, share_out
from rochull._core.validation import Array
from rochull.multiclass.by_class import placed
from rochull.multiclass.examples import class_codes, class_weights
from rochull.multiclass.inputs import EXAMPLES, unmasked

if TYPE_CHECKING:
    from rochull.uncertainty.resampling import BootstrapInterval

_PARAMETERS = EXAMPLES | entries("""
outputs : array-like of shape (n, C)
    Column c is larger, the more an example looks like class c: posteriors, log-likelihood-ratios, votes.
    Within a column only the order counts; rows need not sum to one. The columns of a data frame that are
    called exactly like the classes (or like their text) are taken by name.
""")
_METHODS = ("percentile", "basic", "bca", "delong", "logit")
_FEW = 30  # examples of a class, up to which intervals by resampling or a variance are too narrow
_BATCH = 8  # replicates of one task: small, so that an interrupt is noticed soon


@described(_PARAMETERS)
def hand_till(
    y_true: ArrayLike,
    outputs: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
) -> float:
    """Compute Hand & Till's M: the mean area under the curves of all pairs of classes.

    Returns
    -------
    float
        1/2 for outputs that say nothing, 1 if every pair is in order; of two classes with outputs
        (1 - p, p), :func:`roc_auc` of p.

    Notes
    -----
    ``M = 2 / (C (C - 1)) * sum over i < j of (A(i|j) + A(j|i)) / 2``, with the areas of :func:`pairwise_auc`.
    M does not depend on the classes' proportions. It is scikit-learn's ``roc_auc_score`` with
    ``multi_class="ovo"``, without the demand that rows sum to one, and sorts every column once.

    It is a mean of U-statistics, hence unbiased with any number of examples of each class, also with one. How
    far it may be off with few, :func:`hand_till_interval` says.

    References
    ----------
    Hand & Till 2001, A simple generalisation of the area under the ROC curve for multiple class
    classification problems, Machine Learning 45, equations (3) and (7).

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> p = [[6, 2, 2], [4, 3, 3], [2, 5, 3], [5, 3, 2], [1, 1, 8], [3, 3, 4]]
    >>> round(rh.multiclass.hand_till(y, p), 3)
    0.917
    """
    return _mean(_Ranked.of(y_true, outputs, sample_weight, classes).areas())


@described(_PARAMETERS)
def pairwise_auc(
    y_true: ArrayLike,
    outputs: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
) -> Array:
    """Compute the area under the curve of every pair of classes, by either class's output.

    Returns
    -------
    ndarray of shape (C, C)
        ``[i, j]`` is A(i|j), the probability that a random example of class i has a larger output i than a
        random one of class j, a tie counting one half. NaN on the diagonal.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> p = [[6, 2, 2], [4, 3, 3], [2, 5, 3], [5, 3, 2], [1, 1, 8], [3, 3, 4]]
    >>> rh.multiclass.pairwise_auc(y, p).tolist()
    [[nan, 0.75, 1.0], [0.875, nan, 0.875], [1.0, 1.0, nan]]
    """
    return _Ranked.of(y_true, outputs, sample_weight, classes).areas()


@described(_PARAMETERS)
def hand_till_interval(
    y_true: ArrayLike,
    outputs: ArrayLike,
    method: str = "percentile",
    *,
    n_resamples: int = 2000,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    random_state: Any = None,
    progress: bool | str | Bar | None = None,
) -> Interval:
    """Estimate a confidence interval of Hand & Till's M.

    Parameters
    ----------
    method : {"percentile", "basic", "bca", "delong", "logit"}, default="percentile"
        The first three resample the examples of each class by themselves. BCa takes the skewness from the
        examples' placements. "delong" is the normal interval with the variance of the placements, clipped
        to [0, 1], and "logit" that of the logit, transformed back: both resample nothing.
    n_resamples : int, default=2000
        Number of replicates.
    level : float, default=0.95
        Nominal coverage, strictly between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weights go with the examples that are drawn; an example of weight zero is left out.
    random_state : int, Generator, RandomState or None
        Seed. Results do not depend on the number of threads.
    progress : bool or str, optional
        Show a progress bar on stderr, with this label; if not given, on a terminal when it takes long.

    Returns
    -------
    Interval
        Of the resampling methods a :class:`BootstrapInterval`, with the replicates. Its `estimate` is
        :func:`hand_till`.

    Notes
    -----
    M is a mean of U-statistics. Its variance, after DeLong et al. for two classes, is the sum over classes
    of S² / n, where S² is the variance over the n examples of a class of their placements: what an example
    adds to the areas in which it takes part, divided by C (C - 1).

    If every pair is in order, M is 1 and no variance can be estimated: "delong" and the bootstrap give the
    single point 1, which says nothing. The lower end of "logit" is then (alpha / 2) ** (1 / m), m being the
    (effective) size of the smallest class: some area is M or less, and its m independent pairs are all in
    order with probability M ** m at most.

    With few examples of a class all but "logit" are too narrow, and a warning says so where there are 30 or
    fewer. Three classes of normal outputs, M being 0.98: with 3, 10 and 30 examples of each class the
    nominal 0.95 was 0.43, 0.87 and 0.96 by "percentile", 0.46, 0.81 and 0.92 by "delong", and 0.97, 0.97 and
    0.96 by "logit" (100 to 400 data sets each).

    References
    ----------
    Hand & Till 2001, section 3 (they propose the bootstrap); DeLong, DeLong & Clarke-Pearson 1988; Efron &
    Tibshirani 1993, equation (14.10); Davison & Hinkley 1997, section 5.3 (the skewness of several samples).

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> p = table["boosted"]
    >>> found = rh.multiclass.hand_till_interval(
    ...     table["class"] == "bad", np.column_stack([1 - p, p]), random_state=0
    ... )
    >>> round(found.low, 2), round(found.estimate, 2), round(found.high, 2)
    (0.74, 0.78, 0.81)
    """
    if method not in _METHODS:
        raise refused("method", "must be one of {}, but is {}.", ", ".join(map(repr, _METHODS)), repr(method))
    level = validation.probability(level, "level", open_ends=True)
    n_resamples = validation.whole(n_resamples, "n_resamples", 2)
    from rochull.uncertainty.delong import warn_of_few
    from rochull.uncertainty.resampling import states_of

    ranked = _Ranked.of(y_true, outputs, sample_weight, classes)
    ranked.refuse_single()
    estimate = _mean(ranked.areas())
    if method != "logit":
        what, remedy = f"method={method!r} makes too narrow an interval", 'use method="logit"'
        warn_of_few(what, ranked.effective, _FEW, remedy)
    if method in ("delong", "logit"):
        return _normal(ranked, estimate, level, method)

    states = states_of(random_state, n_resamples)
    return _resampled(ranked, estimate, level, method=method, states=states, progress=progress)


def _normal(ranked: _Ranked, estimate: float, level: float, method: str) -> Interval:
    """The interval by the variance of the placements."""
    from rochull.uncertainty import delong
    from rochull.uncertainty.bootstrap_intervals import normal_quantile

    tail = (1 - level) / 2
    half = normal_quantile(tail) * math.sqrt(float((ranked.influence() ** 2).sum()))
    if method == "logit":
        low, high = delong.logit_ends(Fraction(estimate), half, tail, min(ranked.effective))
    else:
        low, high = max(0.0, estimate - half), min(1.0, estimate + half)
    return Interval(low, high, estimate, level, method)


def _resampled(
    ranked: _Ranked, estimate: float, level: float, *, method: str, states: Array, progress: Any
) -> BootstrapInterval:
    """The interval by the bootstrap within classes."""
    from rochull._core.warned import warn
    from rochull.conditions.ranges import exact
    from rochull.uncertainty.bootstrap_intervals import bca, quantiles
    from rochull.uncertainty.resampling import BootstrapInterval

    tail = (1 - exact(level)) / 2
    least = math.ceil(1 / tail) - 1
    if len(states) < least:
        warn(
            Message(
                "n_resamples={} is too few for {}; it takes at least {}.",
                len(states),
                Setting("level", level, "g"),
                least,
            )
        )
    values = ranked.replicates(states, Bar.of(progress, "bootstrap of Hand & Till's M"))
    if method == "bca":
        influence = ranked.influence()
        square = float((influence**2).sum())
        skewness = float((influence**3).sum()) / (6 * square**1.5) if square else 0.0
        low, high = bca(values, np.asarray(estimate), tail, np.asarray(skewness))
    else:
        low, high = quantiles(values, tail)
        if method == "basic":
            low, high = 2 * estimate - high, 2 * estimate - low
    return BootstrapInterval(
        float(low), float(high), estimate, level, method, values, n_groups=ranked.codes.size
    )


def _mean(areas: Array) -> float:
    """M of areas (C, C): their mean off the diagonal, rounded once."""
    found = areas[~np.eye(len(areas), dtype=bool)].tolist()
    return math.fsum(found) / len(found)


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Examples grouped by class, with the order of every column."""

    columns: tuple[Array, ...]  # (C, n) outputs
    codes: Array  # (n,) class of each example, ascending; those of class k from begin[k] to begin[k + 1]
    begin: Array
    weight: Array | None  # float64 (n,), or None
    # these two: (C, n) rows by ascending output, and whether each is the last of a group of equal ones
    order: Array
    last: Array
    classes: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        outputs: ArrayLike,
        sample_weight: ArrayLike | None,
        classes: Sequence[Any] | None,
    ) -> _Ranked:
        """Check what a caller gives, group it, and sort each column."""
        array = unmasked(outputs, "outputs")
        if array.ndim != 2 or array.shape[1] < 2:
            raise validation.wrong_shape("outputs", "(n, C) with C of 2 or more", outputs)
        columns = [validation.scores_1d(array[:, c], f"column {c} of outputs") for c in range(array.shape[1])]
        codes, labels = class_codes(y_true, classes, len(columns))
        same_rows(y_true=y_true, outputs=outputs, sample_weight=sample_weight)
        places = placed(y_true, outputs, array, codes, labels, name="outputs", stated=classes is not None)
        columns = [columns[place] for place in places]
        rows, weight = np.argsort(codes, kind="stable"), class_weights(sample_weight, codes, labels)
        if weight is not None:
            rows = rows[weight[rows] > 0]
            weight = weight[rows]
        codes = codes[rows].astype(np.int32)
        columns = [column[rows] for column in columns]
        order, last = np.empty((len(columns), rows.size), np.int64), np.empty((len(columns), rows.size), bool)
        share_out(_sort, columns, order, last)
        begin = np.searchsorted(codes, np.arange(len(labels) + 1))
        return cls(tuple(columns), codes, begin, weight, order, last, labels)

    @property
    def sizes(self) -> list[int]:
        """Examples of each class."""
        return np.diff(self.begin).tolist()  # type: ignore[no-any-return]

    @property
    def effective(self) -> list[float]:
        """Effective number of examples of each class (Kish)."""
        if self.weight is None:
            return [float(size) for size in self.sizes]
        totals, squares = (np.add.reduceat(w, self.begin[:-1]) for w in (self.weight, self.weight**2))
        return (totals**2 / squares).tolist()  # type: ignore[no-any-return]

    def refuse_single(self) -> None:
        """Raise if a class has one example, which has no variance."""
        for label, size in zip(self.classes, self.sizes, strict=True):
            if size < 2:
                raise ValueError(
                    f"y_true has {size} example of class {label!r}; an interval needs two of each."
                )

    def areas(self) -> Array:
        """A(i|j) (C, C), each correctly rounded; NaN on the diagonal."""
        n_classes = len(self.classes)
        out = np.full((n_classes, n_classes), np.nan)
        if self.weight is None:
            from rochull._core.kernels import hand_till as kernels

            wins = np.zeros((n_classes, n_classes), np.int64)
            units = np.ones(self.codes.size, np.int64)
            kernels.pairs_won(self.order, self.last, self.codes, units, wins)
        for i in range(n_classes):
            for j in range(n_classes):
                if i != j and self.weight is None:
                    out[i, j] = int(wins[i, j]) / (2 * self.sizes[i] * self.sizes[j])
                elif i != j:
                    out[i, j] = self._weighted_area(i, j)
        return out

    def _weighted_area(self, i: int, j: int) -> float:
        """A(i|j) with weights, which are whole numbers of a unit."""
        from rochull.hull.curve import roc_auc

        assert self.weight is not None
        parts = [slice(self.begin[k], self.begin[k + 1]) for k in (i, j)]
        scores, weight = (
            np.concatenate([of[part] for part in parts]) for of in (self.columns[i], self.weight)
        )
        return roc_auc(np.repeat([1, 0], [self.sizes[i], self.sizes[j]]), scores, sample_weight=weight)

    def influence(self) -> Array:
        """Contributions of examples to the deviation of M (n,): its variance is the sum of their squares."""
        from rochull._core.kernels import hand_till as kernels

        n_classes, n = len(self.classes), self.codes.size
        units = np.ones(n) if self.weight is None else self.weight
        totals = np.add.reduceat(units, self.begin[:-1])
        found = np.zeros((n_classes, n))
        share_out(
            lambda c: kernels.placements(
                c, self.order[c], self.last[c], self.codes, units, totals, found[c]
            ),
            range(n_classes),
        )  # fmt: skip
        placed = found.sum(axis=0) / (n_classes * (n_classes - 1))
        placed -= placed[self.begin[:-1]][self.codes]  # so that equal ones vary by nothing at all
        sizes = np.array(self.sizes)
        means = np.add.reduceat(placed * units, self.begin[:-1]) / totals
        factor = np.sqrt(sizes / (sizes - 1)) / totals
        return np.asarray((placed - means[self.codes]) * units * factor[self.codes])

    def replicates(self, states: Array, bar: Bar) -> Array:
        """M of one replicate for each state (r,)."""
        from rochull._core.kernels import hand_till as kernels
        from rochull._core.threads import n_threads

        n_classes = len(self.classes)
        kind = np.int64 if self.weight is None else np.float64

        def work(some: Array) -> Array:
            wins = np.zeros((len(some), n_classes, n_classes), kind)
            totals = np.empty((len(some), n_classes), kind)
            kernels.replicates(some, self.begin, self.order, self.last, self.codes, self.weight, wins, totals)
            shares = wins / (2.0 * totals[:, :, None] * totals[:, None, :])
            return np.array([min(_mean(areas), 1.0) for areas in shares])

        batches = [states[i : i + _BATCH] for i in range(0, len(states), _BATCH)]
        values: list[Array] = []
        step = 2 * n_threads()
        for i in bar.over(range(0, len(batches), step)):
            values += share_out(work, batches[i : i + step])
        return np.concatenate(values)


def _sort(column: Array, order: Array, last: Array) -> None:
    """Write the rows of a column by ascending value, and where groups of equal values end."""
    order[:] = np.argsort(column)
    ranked = column[order]
    np.not_equal(ranked[1:], ranked[:-1], out=last[:-1])
    last[-1] = True
