"""How much of what an optimum promises on the data that chose it holds on others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.results import Result
from rochull._core.threads import Bar
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import exact
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.conditions.within import as_condition
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.unions import union
from rochull.hull.ways import Assured, way_of
from rochull.uncertainty.bootstrap_intervals import quantiles, wilson
from rochull.uncertainty.draws import DrawPlan, original, training_and_test
from rochull.uncertainty.parameters import PARAMETERS
from rochull.uncertainty.replicates import Pool, Resample
from rochull.uncertainty.resampling import (
    independent_sizes,
    is_count,
    pool_from,
    replicates_of,
    states_of,
    warn_of_few_clusters,
)

_METHODS = {"bootstrap": 1000, "cross-validation": 20}  # and how many replicates or rotations by default


@dataclass(frozen=True)
class Optimism(Result):
    """The optimum of a condition on the data that chose it, corrected for having been chosen there.

    Attributes
    ----------
    measure : {"expected cost", "tpr", "fpr", "utility"}
        What the condition optimises.
    apparent : float
        Its value on the data (in-sample).
    optimism : float
        By how much that is too good: positive where it flatters, whichever direction is good.
    corrected : float
        What the rule can be expected to keep on new data.
    low, high : float or None
        Ends of an interval of what this rule keeps; None for cross-validation of clustered examples, or
        of a utility.
    level : float
        Its nominal coverage.
    fpr, tpr : float
        The corrected rates, in [0, 1]. A limit such as ``max_fpr`` is met by the apparent rate, and
        mostly not by the corrected one.
    point : OperatingPoint
        The rule, with its apparent rates.
    method : {"bootstrap", "cross-validation"}
    n_resamples : int
        Replicates or rotations that were judged.
    n_infeasible : int
        Those on which the condition could not be met, and which are left out.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> y, recall = table["class"] == "bad", rh.MinimumRecall(0.9)
    >>> found = rh.optimism(y[:200], table["boosted"][:200], recall, n_resamples=200, random_state=0)
    >>> print(found)
    fpr 0.606 in-sample, 0.616 (0.534 to 0.698) on new data
    >>> round(found.tpr, 3)  # of the wanted 0.9
    0.873
    """

    measure: str
    apparent: float
    optimism: float
    corrected: float
    low: float | None
    high: float | None
    level: float
    fpr: float
    tpr: float
    point: OperatingPoint
    method: str
    n_resamples: int
    n_infeasible: int = 0

    def __str__(self) -> str:
        ends = "" if self.low is None else f" ({self.low:.3g} to {self.high:.3g})"
        return f"{self.measure} {self.apparent:.3g} in-sample, {self.corrected:.3g}{ends} on new data"


@described(PARAMETERS)
@takes_condition
def optimism(
    y_true: ArrayLike,
    y_score: Any,
    condition: Condition,
    *,
    method: str = "bootstrap",
    n_resamples: int | None = None,
    n_folds: int = 10,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = None,
    progress: bool | str | None = None,
) -> Optimism:
    """Estimate what the best rule under a condition keeps on data that did not choose it.

    The scores are taken as given: what training the classifier on the same examples adds is not seen.

    Parameters
    ----------
    y_score : array-like of shape (n,), or mapping or data frame of such columns
        Scores of one classifier; or of several on the same examples, among which the rule is chosen.
    condition : Condition
        With a single number for every parameter, as for :meth:`RocHull.at`.
    method : {"bootstrap", "cross-validation"}, default="bootstrap"
        "bootstrap": the rule is chosen on each replicate, and judged on the replicate and on the data; the
        mean difference is the optimism. "cross-validation": it is chosen on all folds but one, and
        judged on that one; it is then chosen on fewer examples.
    n_resamples : int, optional
        Replicates (1,000 if not given), or rotations through all folds (20 if not given).
    n_folds : int, default=10
        Of cross-validation.

    Returns
    -------
    Optimism
        With ``.apparent``, ``.optimism`` and ``.corrected``.

    Raises
    ------
    InfeasibleConditionError
        If the data do not meet the condition.
    ImpreciseConditionError
        If a parameter of it is an interval.
    ValueError
        If hardly any replicate meets the condition.

    Notes
    -----
    The interval of a rate is Wilson's, with the corrected rate in place of the apparent one; that of a cost
    is put together from those of both rates (Zou & Donner 2008). Of weighted examples the numbers that go
    into it are the effective ones, ``sum(w)**2 / sum(w**2)`` of either class. It is as wide as for
    a rule fixed beforehand, and moved by the optimism.
    Clustered examples and utilities have none of these. There each replicate's value on itself and on the
    data differ about as `apparent` and what the rule keeps do, and the quantiles of these differences give
    the ends; with few examples it covers less often than it promises. A corrected rate outside of [0, 1]
    becomes the end that it is beyond.

    References
    ----------
    Efron 1983; Harrell, Lee & Mark 1996, section 4.4; Zou & Donner 2008 (sums of rates).

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> y, costs = table["class"] == "bad", rh.ExpectedCost(cost_fn=5, prevalence=0.3)
    >>> found = rh.optimism(y[:200], table["boosted"][:200], costs, random_state=0)
    >>> print(found)
    expected cost 0.569 in-sample, 0.637 (0.473 to 0.857) on new data
    """
    if method not in _METHODS:
        raise refused("method", 'must be "bootstrap" or "cross-validation", but is {}.', repr(method))
    condition = as_condition(condition)
    count = _METHODS[method] if n_resamples is None else n_resamples
    if not is_count(count):
        raise refused("n_resamples", "must be an integer of at least 2, but is {}.", repr(n_resamples))
    level = validation.probability(level, "level", open_ends=True)
    pool = pool_from(
        y_true, y_score,
        sample_weight=sample_weight, pos_label=pos_label, clusters=clusters, max_groups=None,
    )  # fmt: skip
    states = states_of(random_state, count)
    judge = _Judge(pool, condition, original(pool))
    if method == "bootstrap":
        if pool.n_clusters:
            warn_of_few_clusters(pool)
        bar = Bar.of(progress, "bootstrap of the optimism")
        rows, _ = replicates_of(
            pool, DrawPlan(), judge.on_replicate, states, shape=(2, 3), fast=None, bar=bar
        )
    else:
        _check_folds(pool, n_folds)
        steps = Bar.of(progress, "rotations through the folds").over(range(len(states)))
        rows = np.array([judge.out_of_fold(n_folds, states[i]) for i in steps])
    return _summary(judge, rows, method, level)


def _check_folds(pool: Pool, n_folds: int) -> None:
    if not is_count(n_folds):
        raise refused("n_folds", "must be an integer of at least 2, but is {}.", repr(n_folds))
    fewest = pool.n_clusters or min(pool.sizes)
    if n_folds > fewest:
        what = "clusters" if pool.n_clusters else "examples of a class"
        raise ValueError(f"n_folds={n_folds} is more than there are {what}: {fewest}.")


class _Judge:
    """Chooses a rule on one sample, and judges it on another."""

    def __init__(self, pool: Pool, condition: Condition, whole: Resample) -> None:
        self.pool, self.whole = pool, whole
        self.condition = condition = condition.at_prevalence(_hull(whole).prevalence)  # of all replicates
        self.independent = not pool.n_clusters
        self.objective = condition.question.objective
        self.needs_curves = isinstance(way_of(condition.question, deterministic=False), Assured)
        self.point = self.choose(whole)

    def value(self, fpr: float, tpr: float) -> float:
        """The value that the condition makes large or small; NaN where it is undefined."""
        try:
            return float(self.objective.value(fpr, tpr))
        except ZeroDivisionError:  # such as a precision at (0, 0)
            return math.nan

    def choose(self, sample: Resample) -> OperatingPoint:
        """The best rule on a sample."""
        return _hull(sample, curves=self.needs_curves).at(self.condition)

    def on_replicate(self, sample: Resample) -> Array:
        """Value, fpr and tpr on the replicate that chose the rule, and on the data: (2, 3)."""
        try:
            point = self.choose(sample)
        except InfeasibleConditionError:
            return np.full((2, 3), np.nan)
        found = (_rates(_called(sample, point), sample) for sample in (sample, self.whole))
        return np.array([(self.value(*rates), *rates) for rates in found])

    def out_of_fold(self, n_folds: int, state: Array) -> Array:
        """Value, fpr and tpr on the data, and of the decisions of one rotation: (2, 3)."""
        total = np.zeros(2)
        for rest, left in training_and_test(self.pool, n_folds, np.random.default_rng(state)):
            if not all(class_.any() for class_ in next(iter(rest.totals.values()))):
                raise Refusal("{}: without one of the folds a class is absent.", Parameter("clusters"))
            try:
                total += _called(left, self.choose(rest))
            except InfeasibleConditionError:
                return np.full((2, 3), np.nan)
        rates = _rates(total, self.whole)
        apparent = self.point.fpr, self.point.tpr
        return np.array([(self.value(*apparent), *apparent), (self.value(*rates), *rates)])


def _hull(sample: Resample, *, curves: bool = False) -> RocHull:
    """The hull of one classifier, or of all of them; with curves single rules are looked for on them too."""

    def own(name: str | None) -> RocHull:
        if curves:
            return RocHull.from_curve(RocCurve.from_tally(sample.tally(name)))
        return sample.hull(name)

    hulls = {name: own(name) if name is None else own(name).named(name) for name in sample.names}
    if len(hulls) == 1:
        return next(iter(hulls.values()))
    return union(hulls)  # type: ignore[arg-type] # None is alone


def _called(sample: Resample, point: OperatingPoint) -> Array:
    """How much of each class (2,) a point calls positive, in units."""
    total = np.zeros(2)
    for rule, share in point.rules:
        total += share * rule.positives(
            _sizes(sample), lambda name, threshold: np.array(sample.called(threshold, name))
        )
    return total


def _sizes(sample: Resample) -> Array:
    """Weight of each class (2,), in units."""
    return np.array([float(total.sum()) for total in next(iter(sample.totals.values()))])


def _rates(called: Array, sample: Resample) -> tuple[float, float]:
    fpr, tpr = np.minimum(called / _sizes(sample), 1.0).tolist()
    return fpr, tpr


def _summary(judge: _Judge, rows: Array, method: str, level: float) -> Optimism:
    """From judgements (r, 2, 3): where the rule was chosen, and elsewhere."""
    feasible = ~np.isnan(rows[:, :, 1:]).any(axis=(1, 2))
    kept = rows[feasible]
    if len(kept) < 2:
        raise ValueError(f"condition is met in {len(kept)} of {len(rows)} replicates only.")
    if np.isnan(kept).any():
        raise ValueError("condition: its utility is undefined at the rates of some replicates.")
    flattery = kept[:, 0] - kept[:, 1]
    apparent = np.array([judge.value(judge.point.fpr, judge.point.tpr), judge.point.fpr, judge.point.tpr])
    value, *rates = (apparent - flattery.mean(axis=0)).tolist()
    fpr, tpr = (min(max(rate, 0.0), 1.0) for rate in rates)
    objective = judge.objective
    if objective.is_linear:  # so this only clips
        value = judge.value(fpr, tpr)
    low: float | None = None
    high: float | None = None
    if judge.independent and objective.is_linear:
        low, high = _binomial(judge, fpr, tpr, level)
    elif method == "bootstrap":
        ends = quantiles(flattery[:, 0], (1 - exact(level)) / 2)
        low, high = min(float(apparent[0] - ends[1]), value), max(float(apparent[0] - ends[0]), value)
        if objective.is_linear:
            low, high = max(low, 0.0), min(high, _most(judge))
    return Optimism(
        objective.key, float(apparent[0]), objective.sign * float(apparent[0] - value), value, low, high,
        level, fpr, tpr, judge.point, method, len(kept), len(rows) - len(kept),
    )  # fmt: skip


def _binomial(judge: _Judge, fpr: float, tpr: float, level: float) -> tuple[float, float]:
    """Ends of the interval of a corrected rate; or of a cost, by Zou & Donner's rule."""
    n_neg, n_pos = independent_sizes(judge.pool)
    found = judge.objective.interval(wilson(fpr, n_neg, level), wilson(tpr, n_pos, level))
    return float(found.low), float(found.high)


def _most(judge: _Judge) -> float:
    """The largest value that a rate, or a cost, can have."""
    return max(judge.value(fpr, tpr) for fpr in (0.0, 1.0) for tpr in (0.0, 1.0))
