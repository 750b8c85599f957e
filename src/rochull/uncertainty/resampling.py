"""The bootstrap: how much a statistic would vary from sample to sample.

Statistics are functions of re-weighted groups of equal score, so nothing is sorted again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import Message, Parameter, Refusal, refused
from rochull._core.results import Interval
from rochull._core.rows import same_rows
from rochull._core.tables import all_columns
from rochull._core.threads import Bar, n_threads, share_out
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.conditions.ranges import exact
from rochull.uncertainty import loops, studentised
from rochull.uncertainty.bootstrap_intervals import (
    Statistic,
    acceleration,
    bca,
    effective_size,
    quantiles,
    statistic_values,
    value_of,
)
from rochull.uncertainty.draws import DrawPlan, draw, original
from rochull.uncertainty.parameters import PARAMETERS
from rochull.uncertainty.replicates import Pool, Resample, pool_of

_BATCH = 16  # replicates of one task: small, so that an interrupt is noticed soon
_FEW_CLUSTERS = 10
_FEW_DRAWN = 10
# Up to how many examples of a class their intervals are too narrow, and what was measured.
_TOO_NARROW = {
    "auc": (30, "use auc_interval, which covers"),
    "difference of areas": (
        20,
        "95 % intervals held 0 in 0.88 to 0.93 of samples with 8 to 15; use delong_test",
    ),
    "cllr": (
        200,
        "95 % intervals held Cllr in 0.64 to 0.87 of samples with 8 of a class, 0.82 to 0.93 with 30, 0.89 "
        "to 0.94 with 100, the less the better scores discriminate; nothing but more examples helps",
    ),
    "min_cllr": (
        100,
        "95 % intervals held it in 0.68 to 1.00 of samples with 8 of a class, 0.79 to 1.00 with 20 and 0.86 "
        "to 0.99 with 100, the less the more of the other class there are",
    ),
    "eer": (
        20,
        "95 % intervals held it in 0.81 to 0.99 of samples with 8 or 20 of a class, least for ratings",
    ),
}
_FEW_FOR_OTHERS = 500  # of the statistics of a hull, by methods that do not studentise
_OTHERS = (
    "95 % percentiles held it in 0.23 to 0.91 of samples with 8 to 100 of a class, basic intervals in 0.30 "
    "to 0.94; leave out method"
)


@dataclass(frozen=True)
class BootstrapInterval(Interval):
    """A bootstrap interval, and what it was made from.

    Attributes
    ----------
    low, high : float or ndarray
        Its ends.
    estimate : float or ndarray
        The statistic of the data themselves, with all groups of equal score.
    level : float
        Nominal coverage.
    method : str
        "percentile", "basic", "bca" or "studentised"; "percentile, m-out-of-n" or "basic, m-out-of-n".
    replicates : ndarray of shape (n_resamples, ...)
        The statistic of each replicate. If groups were merged, what merging takes from the estimate is added.
    n_redrawn : int
        How many replicates lacked a class and were drawn again.
    in_sample : bool
        Whether the statistic was read from a hull, which is optimised on the sample that judges it.
        Such statistics are biased, and a plain interval does not cover as it promises. False does not
        say that it is not: a function that itself takes a maximum over the curve or the tally (Youden's
        index, for instance) is as biased, and this cannot be known from outside.
    n_groups : int
        Groups of equal score that were drawn from; fewer than in the data if these were merged.
    names : tuple of str
        Of a named statistic of several classifiers: value i is that of classifier `names[i]`. Else empty.

    Examples
    --------
    >>> import rochull as rh
    >>> y_true, y_score = rh.datasets.make_fawcett()
    >>> found = rh.bootstrap(y_true, y_score, "hull_auc", n_resamples=200, random_state=0)
    >>> found.in_sample, found.bias > 0, found.replicates.shape
    (True, True, (200,))
    """

    replicates: Array
    n_redrawn: int = 0
    in_sample: bool = False
    n_groups: int = 0
    names: tuple[str, ...] = ()

    def _kind(self) -> str:
        return f"{super()._kind()}, in-sample" if self.in_sample else super()._kind()

    def _rows(self) -> Sequence[str]:
        return self.names or super()._rows()

    @property
    def standard_error(self) -> Any:
        """Standard deviation of the replicates (float, or ndarray of the statistic's shape)."""
        with np.errstate(invalid="ignore"):  # NaN if replicates are infinite
            return plain(np.std(self.replicates, axis=0, ddof=1))

    @property
    def bias(self) -> Any:
        """Mean of the replicates minus the estimate (float, or ndarray of the statistic's shape)."""
        with np.errstate(invalid="ignore"):
            return plain(np.mean(self.replicates, axis=0) - self.estimate)

    @property
    def bias_corrected(self) -> Any:
        """The estimate minus its bootstrap bias (float, or ndarray of the statistic's shape)."""
        return self.estimate - self.bias


@described(PARAMETERS)
def bootstrap(
    y_true: ArrayLike,
    y_score: Any,
    statistic: str | Statistic = "auc",
    *,
    n_resamples: int = 2000,
    level: float = 0.95,
    method: str | None = None,
    stratified: bool = True,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    max_groups: int | None = None,
    share: float = 1.0,
    rate: float = 0.5,
    random_state: Any = None,
    progress: bool | str | Bar | None = None,
) -> BootstrapInterval:
    """Estimate a confidence interval of any statistic of scores by resampling the examples.

    Parameters
    ----------
    y_score : array-like of shape (n,), or mapping or data frame of such columns
        Scores of one classifier, or of several on the same examples; these are then drawn together
        (paired). The columns of an array of shape (n, k) are named "0", "1" and so on.
    statistic : str or callable, default="auc"
        A function of a :class:`Resample` that gives a number or an array of fixed shape, or one of
        "auc", "hull_auc", "eer", "min_cllr" and "cllr" (scores are log-likelihood-ratios), which are methods
        of a :class:`Resample` too; of several classifiers that is an array, in their order. With few examples
        of a class there is a warning where an interval was measured to be too narrow: of some names, and of a
        function that gives an area under a whole curve, or the difference of two. Of other functions nothing
        is said.
    n_resamples : int, default=2000
        Number of replicates. Fewer than ``2 / (1 - level) - 1`` (39 at 0.95) cannot give the quantiles
        that the level asks for, and there is a warning.
    method : {"percentile", "basic", "bca", "studentised"}, optional
        Kind of interval; if not given, "studentised" of "hull_auc", "eer" and "min_cllr" with ``share=1``,
        and "percentile" of others. BCa corrects bias and skewness, the latter by a grouped jackknife. "basic"
        mirrors the percentiles at the estimate: for a biased statistic, whose bias the others double.
        "studentised" divides by the standard error of each replicate, which these three statistics have.
    stratified : bool, default=True
        Draw positives and negatives apart, so that every replicate has as many of each. If False
        their number varies too; a replicate without one class is drawn again, and counted.
    clusters : array-like of shape (n,), optional
        Whom each example belongs to (patient, customer): whole clusters are drawn. They are
        stratified only if each holds one class. Of few clusters (below ten or so) no bootstrap knows
        how they vary, and there is a warning.
    sample_weight : array-like of shape (n,), optional
        Weights go with the examples that are drawn. An example of weight zero is left out; constant
        weights are as none.
    max_groups : int, optional
        Merge neighbouring scores to this many groups, so that a replicate costs the same for any n:
        10,000 if not given and there are more than 200,000 (one classifier, no weights, no clusters).
    share : float, default=1.0
        Draw this share of the examples only (m-out-of-n), for statistics with a slower law than the
        usual one. Deviations from the estimate are then multiplied by ``share ** rate``. If fewer than
        ten of a class are drawn there is a warning.
    rate : float, default=0.5
        With `share` < 1: the statistic's error shrinks as n ** -rate; 1/3 for an optimal threshold.

    Returns
    -------
    BootstrapInterval
        With ``.low``, ``.high``, ``.estimate`` and the replicates.

    Raises
    ------
    ValueError
        For bad input, an unknown name, a statistic that is NaN in a replicate or changes its shape, or
        clusters one of which holds all examples of a class.

    References
    ----------
    Efron & Tibshirani 1993, chapters 13 and 14; Bickel, Götze & van Zwet 1997 (m-out-of-n).

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> y, a, b = table["class"] == "bad", table["boosted"], table["tree"]
    >>> found = rh.bootstrap(y, a, random_state=0)
    >>> round(found.low, 2), round(found.estimate, 2), round(found.high, 2)
    (0.74, 0.78, 0.81)
    >>> better = rh.bootstrap(y, {"a": a, "b": b}, lambda s: s.auc("a") - s.auc("b"), random_state=0)
    >>> bool(better.low > 0)
    True
    """
    how = ResamplingOptions.of(
        statistic, n_resamples=n_resamples, level=level, method=method, stratified=stratified, share=share,
        rate=rate, random_state=random_state, progress=progress,
    )  # fmt: skip
    pool = pool_from(
        y_true, y_score,
        sample_weight=sample_weight, pos_label=pos_label, clusters=clusters, max_groups=max_groups,
    )  # fmt: skip
    return how.interval(pool)


@dataclass(frozen=True, eq=False)
class ResamplingOptions:
    """The request made of a bootstrap, whatever it draws from.

    Attributes
    ----------
    statistic : a function, or the name of one.
    level, method, plan, rate : see :func:`bootstrap`.
    states : uint64 (r, 4) a generator's state for each replicate.
    bar : shows how far it is.
    """

    statistic: str | Statistic
    level: float
    method: str
    plan: DrawPlan
    rate: float
    states: Array
    bar: Bar

    @classmethod
    def of(
        cls,
        statistic: str | Statistic,
        *,
        n_resamples: int,
        level: float,
        method: str | None,
        stratified: bool,
        random_state: Any,
        progress: bool | str | Bar | None,
        share: float = 1.0,
        rate: float = 0.5,
    ) -> ResamplingOptions:
        """Check what a caller asks for."""
        _named_statistic(statistic)
        if method is None:
            is_known = isinstance(statistic, str) and statistic in studentised.VARIANCES
            method = studentised.METHOD if is_known and share == 1 else "percentile"
        _check(n_resamples, statistic, method, share, rate)
        level = validation.probability(level, "level", open_ends=True)
        states = states_of(random_state, n_resamples)
        bar = Bar.of(progress, f"bootstrap of {statistic}" if isinstance(statistic, str) else "bootstrap")
        return cls(statistic, level, method, DrawPlan(stratified, share), rate, states, bar)

    def interval(self, pool: Pool) -> BootstrapInterval:
        """Draw replicates from a pool."""
        whole, function = original(pool), self._function(pool)
        estimate = value_of(function, whole)
        self._warn_of_few(whole, estimate)
        fast = loops.loop_of(pool, self.plan, self.statistic, with_errors=self.method == studentised.METHOD)
        values, redrawn = replicates_of(
            pool, self.plan, function, self.states, shape=estimate.shape, fast=fast, bar=self.bar
        )
        return self._found(function, whole, estimate, values, redrawn)

    def of_replicates(
        self, pool: Pool, totals: Iterable[tuple[Array, Array]], redrawn: int
    ) -> BootstrapInterval:
        """From replicates of one classifier that somebody else drew: what the groups weigh in each."""
        if self.method == "bca":
            raise ValueError("method='bca' leaves out rows, which are not at hand; it must be another.")
        whole, function = original(pool), self._function(pool)
        estimate = value_of(function, whole)
        self._warn_of_few(whole, estimate)
        (name,) = pool.classifiers
        values = share_out(lambda drawn: value_of(function, Resample(pool, {name: drawn})), totals)
        return self._found(function, whole, estimate, np.array(values), redrawn)

    def _warn_of_few(self, whole: Resample, estimate: Array) -> None:
        """Warn of what is legal, and too little to believe."""
        pool, count, share = whole.pool, len(self.states), self.plan.share
        least = math.ceil(2 / (1 - exact(self.level))) - 1
        if count < least:
            warn(f"n_resamples={count} is too few for level={self.level:g}; it takes at least {least}.")
        sizes = warn_of_few_clusters(pool) if pool.n_clusters else pool.sizes
        drawn = max(1, round(min(sizes) * share))
        if share < 1 and drawn < _FEW_DRAWN:
            warn(f"share={share!r} draws {drawn} of {min(sizes)}, which is too few.")
        named = _area_in(self.statistic, whole, estimate) or str(self.statistic)
        few, measured = _TOO_NARROW.get(named, (0, ""))
        if named in studentised.VARIANCES and self.method in ("percentile", "basic"):
            few, measured = _FEW_FOR_OTHERS, _OTHERS
        fewest = min(pool.sizes)
        if fewest <= few and not pool.n_clusters:
            told = f"statistic={named!r} has too narrow an interval with {fewest} of a class"
            warn(f"{told}: {measured}.")

    def _function(self, pool: Pool) -> Statistic:
        named = _named_statistic(self.statistic)
        if not isinstance(self.statistic, str):
            return named
        each = _for_all(named, pool)
        if self.method != studentised.METHOD:
            return each
        variance, sizes = studentised.VARIANCES[self.statistic], pool.sizes

        def with_errors(sample: Resample) -> Array:
            names = sample.names if len(sample.names) > 1 else (None,)
            found = [math.sqrt(variance(sample.hull(name), sizes)) for name in names]
            return np.array([each(sample), found if len(found) > 1 else found[0]])

        return with_errors

    def _found(
        self, function: Statistic, whole: Resample, estimate: Array, values: Array, redrawn: int
    ) -> BootstrapInterval:
        """The interval of the replicates' values (r, ...)."""
        if np.isnan(values).any():
            missing = int(np.isnan(values.reshape(len(values), -1)).any(axis=1).sum())
            raise ValueError(f"statistic is NaN in {missing} of {len(values)} replicates.")
        method, share, pool = self.method, self.plan.share, whole.pool
        if pool.thinned:  # all are moved by what merging made of the data
            exactly = value_of(function, original(pool.unmerged))
            with np.errstate(invalid="ignore"):
                moved = exactly - estimate
            values = values + np.where(np.isfinite(moved), moved, 0.0)
            estimate = exactly
        low, high = self._ends(function, pool, estimate, values)
        if method == studentised.METHOD:
            estimate, values = estimate[0], values[:, 0]
        low = np.where(np.isnan(low), -np.inf, low)  # between infinities nothing is known
        high = np.where(np.isnan(high), np.inf, high)
        if share < 1:
            method += ", m-out-of-n"
        groups = max(len(ordered) for ordered in pool.classifiers.values())
        return BootstrapInterval(
            plain(low),
            plain(high),
            plain(estimate),
            self.level,
            method,
            values,
            redrawn,
            whole.chosen,
            groups,
            tuple(map(str, pool.classifiers)) if isinstance(self.statistic, str) and estimate.ndim else (),
        )

    def _ends(self, function: Statistic, pool: Pool, estimate: Array, values: Array) -> tuple[Array, Array]:
        """Ends of the interval, NaN between infinities; of a studentised one errors are beside the values."""
        tail, scale = (1 - exact(self.level)) / 2, self.plan.share**self.rate
        if self.method == studentised.METHOD:
            return studentised.ends(str(self.statistic), estimate, values, tail, independent_sizes(pool))
        if self.method == "bca":
            skew = acceleration(pool, function, self.states[0], self.plan.stratified)
            return bca(values, estimate, tail, skew)
        low, high = quantiles(values, tail)
        with np.errstate(invalid="ignore"):  # infinities of the same sign
            if self.method == "basic":
                return estimate - scale * (high - estimate), estimate - scale * (low - estimate)
            if scale < 1:
                return estimate + scale * (low - estimate), estimate + scale * (high - estimate)
        return low, high


def _area_in(statistic: str | Statistic, whole: Resample, estimate: Array) -> str | None:
    """Whether a function gives an area under a whole curve, or a difference of two, that it asked for."""
    if isinstance(statistic, str) or not whole.areas:
        return None
    areas = np.array(list(whole.areas))
    if np.isin(estimate, areas).any():
        return "auc"
    apart = areas[:, None] - areas
    return "difference of areas" if np.isin(estimate, apart[apart != 0]).any() else None


def plain(values: Array) -> Any:
    """A number instead of an array of no dimensions."""
    return values.item() if np.ndim(values) == 0 else values


# --- input ------------------------------------------------------------------------------------------


_STATISTICS: dict[str, Callable[..., Any]] = {
    "auc": Resample.auc,
    "hull_auc": Resample.hull_auc,
    "eer": Resample.eer,
    "min_cllr": Resample.min_cllr,
    "cllr": Resample.cllr,
}


def _named_statistic(statistic: str | Statistic) -> Callable[..., Any]:
    if callable(statistic):
        return statistic
    if statistic not in list(_STATISTICS):
        known = ", ".join(map(repr, _STATISTICS))
        raise refused("statistic", "must be a function or one of {}, but is {}.", known, repr(statistic))
    return _STATISTICS[statistic]


def _for_all(function: Callable[..., Any], pool: Pool) -> Statistic:
    """A named statistic, or an array of it where there are several classifiers."""
    if len(pool.classifiers) == 1:
        return function
    return lambda sample: [function(sample, name) for name in sample.names]


def warn_of_few_clusters(pool: Pool) -> tuple[int, ...]:
    """Warn if there are too few to know how they vary; how many there are (in each stratum)."""
    sizes = (pool.n_clusters,) if pool.pure is None else tuple(np.bincount(pool.pure).tolist())
    if min(sizes) < _FEW_CLUSTERS:
        which = "" if pool.pure is None else " of one class"
        warn(
            Message(
                "{}: there are {} of them{}, too few to know how they vary.",
                Parameter("clusters"),
                min(sizes),
                which,
            )
        )
    return sizes


def independent_sizes(pool: Pool) -> tuple[int, int]:
    """How many independent negatives and positives say as much as those there are; or how many clusters."""
    if pool.n_clusters:
        drawn = [pool.n_clusters] * 2 if pool.pure is None else np.bincount(pool.pure, minlength=2).tolist()
    elif pool.masses is not None:
        drawn = [effective_size(of / of.max()) for of in pool.masses]
    else:
        drawn = list(pool.sizes)
    return drawn[0], drawn[1]


def is_count(number: Any) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool) and int(number) >= 2


def _check(n_resamples: int, statistic: str | Statistic, method: str, share: float, rate: float) -> None:
    if not is_count(n_resamples):
        raise refused("n_resamples", "must be an integer of at least 2, but is {}.", repr(n_resamples))
    if method == studentised.METHOD:
        if not isinstance(statistic, str) or statistic not in studentised.VARIANCES:
            held = ", ".join(map(repr, studentised.VARIANCES))
            raise refused("method", "can be {} for the statistics {} only.", repr(method), held)
    elif method not in ("percentile", "basic", "bca"):
        message = 'must be "percentile", "basic", "bca" or "studentised", but is {}.'
        raise refused("method", message, repr(method))
    if not 0 < validation.real(share, "share") <= 1:
        raise refused("share", "must lie in (0, 1], but is {}.", repr(share))
    if not 0 < validation.real(rate, "rate") <= 1:
        raise refused("rate", "must lie in (0, 1], but is {}.", repr(rate))
    if share < 1 and method in ("bca", studentised.METHOD):
        raise ValueError(
            f"method={method!r} needs share=1: m-out-of-n intervals are percentile or basic ones."
        )


def pool_from(
    y_true: ArrayLike,
    y_score: Any,
    *,
    sample_weight: ArrayLike | None,
    pos_label: object,
    clusters: ArrayLike | None,
    max_groups: int | None,
) -> Pool:
    """Validated input as a pool to draw from."""
    data, scores = _columns(y_true, y_score, sample_weight, pos_label)
    alone = len(scores) == 1 and clusters is None and data.weights is None
    if checked_groups(max_groups) is not None and not alone:
        raise refused("max_groups", "is for one classifier, without weights and clusters.")
    labels = None
    if clusters is not None:
        labels, _ = validation.codes_1d(clusters, "clusters")
    same_rows(y_true=y_true, y_score=y_score, sample_weight=sample_weight, clusters=clusters)
    pool = pool_of(data.positive, scores, data.weights, labels, max_groups)
    for of, which in zip(pool.clusters or (), ("negative", "positive"), strict=False):
        if not np.any(of != of[0]):
            raise Refusal(
                "{}: all {} {} examples are in one, which cannot vary.", Parameter("clusters"), of.size, which
            )
    return pool


def checked_groups(max_groups: int | None) -> int | None:
    """To how many groups scores are merged, if that is said."""
    if max_groups is not None and not is_count(max_groups):
        raise refused("max_groups", "must be an integer of at least 2, but is {}.", repr(max_groups))
    return max_groups


def _columns(
    y_true: ArrayLike, y_score: Any, sample_weight: ArrayLike | None, pos_label: object
) -> tuple[Labelled, dict[str | None, Array]]:
    """Labels with weights (none if they are constant), and the scores of each classifier."""
    columns = all_columns(y_score, "y_score")
    data = None
    scores: dict[str | None, Array] = {}
    for name, column in columns.items():
        data = validation.labelled(y_true, column, sample_weight, pos_label)
        scores[name] = data.scores
    assert data is not None  # there is a column
    if data.weights is not None and data.weights[0] > 0 and not np.any(data.weights != data.weights[0]):
        data = Labelled(data.positive, data.scores, None)
    return data, scores


def states_of(random_state: Any, n_resamples: int) -> Array:
    """A generator's state (4,) for each replicate."""
    entropy = validation.entropy(random_state)
    return np.random.SeedSequence(entropy).generate_state(4 * n_resamples, np.uint64).reshape(-1, 4)


# --- replicates -------------------------------------------------------------------------------------


def replicates_of(
    pool: Pool,
    plan: DrawPlan,
    function: Statistic,
    states: Array,
    *,
    shape: tuple[int, ...],
    fast: loops.Loop | None,
    bar: Bar,
) -> tuple[Array, int]:
    """The statistic of every replicate (r, ...), and how many were drawn again."""
    batches = [states[i : i + _BATCH] for i in range(0, len(states), _BATCH)]
    redrawn = 0

    def work(batch: Array) -> tuple[list[Any], int]:
        if fast is not None:
            return list(fast(batch)), 0
        values, failed = [], 0
        for state in batch:
            sample, again = draw(pool, plan, state)
            values.append(statistic_values(function(sample)))
            if values[-1].shape != shape:
                raise ValueError(
                    f"statistic must give arrays of one shape, but gave {shape} for the data "
                    f"and {values[-1].shape} for a replicate."
                )
            failed += again
        return values, failed

    values: list[Any] = []
    step = 2 * n_threads()
    for i in bar.over(range(0, len(batches), step)):
        for found, failed in share_out(work, batches[i : i + step]):
            values += found
            redrawn += failed
    return np.array(values), redrawn
