"""Performance of a deployed rule on a batch of which few labels are known, or none; assumptions are named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rochull._core.cards import Card
from rochull._core.messages import Refusal, refused
from rochull._core.results import Interval, Result, table, written
from rochull._core.validation import Array
from rochull.conditions.costs import costs_alone, costs_of
from rochull.conditions.frontier import Choice
from rochull.conditions.rules import OperatingPoint
from rochull.decisions import questions
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull, point_at
from rochull.policies import misfit
from rochull.policies.prevalence import RatioLadder, of_columns
from rochull.policies.shares import Ranges, Shares
from rochull.uncertainty.rates import rate_interval

Slope = Callable[[Ranges], float] | None  # the log-ratio by which single rules were chosen
_LEAST = 5  # labelled cases of a class, below which it is not tested
_NO_NUMBERS = (
    "the policy holds no numbers of examples (weights, or given rates), so nobody can say how well its rates "
    "are known."
)
_RATES = ("prevalence", "alarm_rate", "tpr", "fpr", "precision")
_COSTS = ("expected_cost", "net_benefit", "regret")


@dataclass(frozen=True)
class PerformanceUnder(Result):
    """Figures of a rule on a batch, under one assumption or by labels.

    Attributes
    ----------
    assumption : {"label shift", "covariate shift", "labels"}
        What is taken for granted: the classes' scores are those of the policy's examples, or the posteriors
        are; or nothing but that the labelled cases are a random sample of the batch.
    prevalence, alarm_rate, tpr, fpr, precision : Interval
        Shares: of positives among the cases; of cases that are flagged; of positives, of negatives that are
        flagged; of the flagged that are positive.
    expected_cost, net_benefit : Interval or None
        Per case; None where the condition has no costs.
    best : OperatingPoint
        The point of the policy's hull that would be best now. Its rates are in-sample.
    best_figures : mapping of str to Interval
        The same figures of `best`, but its regret. Where labels chose it, the intervals hold for all rules at
        once.
    regret : Interval or None
        What the rule costs more than `best`. Its upper end is the most that any rule of the policy
        may save.
    pvalue : float or None
        Of the assumption; None where nothing tells.

    Examples
    --------
    >>> import rochull as rh
    >>> y, score = [1, 1, 0, 1, 0, 0] * 20, [6, 5, 4, 3, 2, 1] * 20
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, score))
    >>> found = policy.performance(score, rh.ExpectedCost(prevalence=0.5), y)
    >>> print(found.observed.tpr)
    0.6667 (0.5331 to 0.7831; 95 % labels)
    """

    assumption: str
    prevalence: Interval
    alarm_rate: Interval
    tpr: Interval
    fpr: Interval
    precision: Interval
    expected_cost: Interval | None
    net_benefit: Interval | None
    best: OperatingPoint
    best_figures: Mapping[str, Interval | None]
    regret: Interval | None
    pvalue: float | None

    @property
    def is_excluded(self) -> bool:
        """Whether its test rejects the assumption (bool)."""
        return self.pvalue is not None and self.pvalue < misfit.UNUSUAL

    def _columns(self) -> dict[str, list[Any]]:
        shown = {name: found for name in (*_RATES, *_COSTS) if (found := getattr(self, name)) is not None}
        ends = {end: [getattr(each, end) for each in shown.values()] for end in ("estimate", "low", "high")}
        return {self.assumption: list(shown)} | ends

    def __str__(self) -> str:
        names, *ends = self._columns().items()
        return table(dict([names, *((end, written(values)) for end, values in ends)]))

    def _card(self) -> Card:
        return Card(f"By {self.assumption}", [*self._columns().items()])


@dataclass(frozen=True)
class Performance(Result):
    """Figures of a deployed rule on a batch.

    Attributes
    ----------
    n, n_labelled : int
        Numbers of cases with a score, and with a label besides.
    label, covariate : PerformanceUnder
        If the classes' scores are those of the policy's examples (only their proportion may differ); if the
        posteriors are.
    observed : PerformanceUnder or None
        By the labels; None without any.
    labels_to_halve : int or None
        How many more cases, drawn at random, have to be labelled to halve the interval of the cost by labels;
        None without labels and costs, or where the batch is too small. :meth:`Policy.label_plan` says which
        tell more.
    pvalue : float or None
        That of `label`, which is the only assumption that can be tested without labels.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(8000) < 0.1
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> now = rng.random(5000) < 0.25  # the prevalence has risen
    >>> scores = rng.normal(1.5 * now)
    >>> found = policy.performance(scores, rh.ExpectedCost(cost_fn=5, prevalence=0.1))
    >>> print(found.label.expected_cost)
    0.5332 (0.4632 to 0.608; 95 % label shift)
    >>> print(found.label.regret)  # by another rule of the policy
    0.1055 (0.04858 to 0.1622; 95 % label shift)
    >>> found.pvalue > 0.05  # label shift is not excluded
    True
    """

    n: int
    n_labelled: int
    label: PerformanceUnder
    covariate: PerformanceUnder
    observed: PerformanceUnder | None = field(default=None)
    labels_to_halve: int | None = None

    @property
    def pvalue(self) -> float | None:
        """The p-value of label shift (float or None)."""
        return self.label.pvalue

    def __str__(self) -> str:
        parts = [each for each in (self.label, self.covariate, self.observed) if each is not None]
        return "\n\n".join([self.verdict, *map(str, parts)])

    def _card(self) -> Card:
        """One table: each figure, and its interval by each answer."""
        names, *_ = self.label._columns().items()
        columns = [("", names[1])]
        for each in (self.label, self.covariate, self.observed):
            if each is not None:
                _, *ends = each._columns().items()
                columns += [(each.assumption if end == "estimate" else end, values) for end, values in ends]
        return Card(self.verdict, columns)

    @property
    def verdict(self) -> str:
        """Which assumption is excluded, in words (str)."""
        label, covariate = self.label.is_excluded, self.covariate.is_excluded
        if self.observed is not None and label and covariate:
            return "Neither assumption holds: the figures by the labels stand alone."
        if self.label.pvalue is None:
            return "Whether the classes changed cannot be tested: two figures, one for each assumption."
        if not label:
            if covariate:
                return "Covariate shift is excluded, label shift is not."
            if self.observed is not None:
                return "Neither label shift nor covariate shift is excluded."
            return "Label shift is not excluded: two figures, one for each assumption."
        if self.observed is not None:
            return "Label shift is excluded, covariate shift is not."
        return "Label shift is excluded; the other figure rests on an assumption that nothing here can test."


# --- figures of three shares ------------------------------------------------------------------------


def _rates(
    right: float, wrong: float, positive: float
) -> dict[str, tuple[float, tuple[float, float, float]]]:
    """Each share of cases or of a class, with its gradient; NaN of nothing."""
    flagged, negative = right + wrong, 1 - positive
    of_pos, of_neg, of_flagged = (
        1 / total if total > 0 else math.nan for total in (positive, negative, flagged)
    )
    tpr, fpr, precision = right * of_pos, wrong * of_neg, right * of_flagged
    return {
        "prevalence": (positive, (0.0, 0.0, 1.0)),
        "alarm_rate": (flagged, (1.0, 1.0, 0.0)),
        "tpr": (tpr, (of_pos, 0.0, -tpr * of_pos)),
        "fpr": (fpr, (0.0, of_neg, fpr * of_neg)),
        "precision": (precision, ((1 - precision) * of_flagged, -precision * of_flagged, 0.0)),
    }


def _counted(right: int, wrong: int, positive: int, cases: int) -> dict[str, tuple[int, int]]:
    """How many cases of how many make each share."""
    flagged = right + wrong
    of_class = {"tpr": (right, positive), "fpr": (wrong, cases - positive), "precision": (right, flagged)}
    return {"prevalence": (positive, cases), "alarm_rate": (flagged, cases), **of_class}


def _exact(k: int, n: int, level: float) -> tuple[float, float]:
    ends = rate_interval(k, n, level=level)
    return float(ends.low), float(ends.high)


def _summed(counted: tuple[int, ...], prices: Array, level: float) -> tuple[float, float]:
    """Ends of the interval of a sum of shares at prices, put together from theirs (Zou & Donner 2008).

    The shares of what one case can be are correlated as those of a multinomial are.
    """
    right, wrong, positive, cases = counted
    counts, price = (right, wrong, positive - right), np.array([prices[0] + prices[2], prices[1], prices[2]])
    share = np.array(counts) / cases
    ends = np.array([_exact(k, cases, level) for k in counts])
    odds = np.sign(price) * np.sqrt(share / np.maximum(1 - share, 1 / (2 * cases)))
    related = np.where(np.eye(3), 1.0, -np.outer(odds, odds))
    away = price[:, None] * (ends - share[:, None])  # by how much each end moves the sum
    away = np.where(price[:, None] < 0, away[:, ::-1], away)
    low, high = (math.sqrt(max(float(each @ related @ each), 0.0)) for each in away.T)
    value = float(price @ share)
    return value - low, value + high


def _share_ends(value: float, width: float, df: float) -> tuple[float, float]:
    """Ends of an interval of a share, symmetric in its log-odds; at 0 and 1 those of so many equal cases."""
    if math.isnan(value):
        return 0.0, 1.0
    if not 0 < value < 1:
        return max(0.0, value - 3 / (df + 1)), min(1.0, value + 3 / (df + 1))
    away, odds = min(width / (value * (1 - value)), 30.0), math.log(value / (1 - value))
    low, high = (1 / (1 + math.exp(-odds + way * away)) for way in (1, -1))
    # Far in a corner the log-odds say nothing: no end is farther than one and a half times the width.
    return max(low, value - 1.5 * width), min(high, value + 1.5 * width)


def cost_ends(value: float, width: float) -> tuple[float, float]:
    """Ends of an interval of a cost: what is rare makes its error small where there are too few by chance."""
    if value <= 0:
        return 0.0, width
    grown = math.exp(min(width / value, 700.0))
    return max(min(value / grown, value - width), 0.0), value * grown


# --- points on a batch ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Assessor:
    """Operating points of a policy on a batch, under one assumption.

    Attributes
    ----------
    assumption : its name.
    ranges : of each classifier's scores.
    shares_of : the shares, given ranges, how much of each is flagged, and the density about the slope.
    prices : (3,) what a share costs that is flagged rightly, flagged wrongly, positive; None without costs.
    level : of intervals.
    """

    assumption: str
    ranges: dict[str | None, Ranges]
    shares_of: Callable[[Ranges, Array, Array], Shares]
    prices: Array | None
    level: float

    def parts(self, point: OperatingPoint, slope: Slope) -> dict[str | None, tuple[Array, Array]]:
        """By classifier how much of each range a point flags (k,), and the density about its slope (k,)."""
        found: dict[str | None, tuple[Array, Array]] = {}
        for rule, weight in point.rules:
            name = next(iter(self.ranges)) if rule.constant is not None else rule.classifier
            ranges = self.ranges[name]
            step = ranges.step_of(rule)
            flagged, near = found.get(name, (np.zeros(len(ranges.share)),) * 2)
            near = near + weight * ranges.density(step, None if slope is None else slope(ranges))
            found[name] = flagged + weight * (np.arange(len(flagged)) < step), near
        return found

    def shares(self, point: OperatingPoint, slope: Slope = None) -> tuple[Shares, set[str | None]]:
        """The shares at a point that was chosen by a slope, or by none; by whose scores."""
        parts = self.parts(point, slope)
        found = [self.shares_of(self.ranges[name], *part) for name, part in parts.items()]
        return together(found), set(parts)

    def width(self, shares: Shares, gradient: Array, level: float | None = None) -> float:
        """Half an interval of a figure by its gradient (3,), were it normal."""
        return self._half(shares, gradient, shares.df, level)

    def _priced(self, shares: Shares, prices: Array) -> float:
        return self._half(shares, prices, shares.df_of(prices))

    def _half(self, shares: Shares, gradient: Array, df: float, level: float | None = None) -> float:
        from scipy.special import stdtrit

        quantile = float(stdtrit(df, (1 + (level or self.level)) / 2))
        return quantile * math.sqrt(max(float(gradient @ shares.covariance @ gradient), 0.0))

    def figures(self, shares: Shares) -> dict[str, Any]:
        """All figures of a rule."""
        found: dict[str, Any] = dict.fromkeys(("expected_cost", "net_benefit"))
        counted = {} if shares.counted is None else _counted(*shares.counted)
        for name, (value, gradient) in _rates(*shares.mean.tolist()).items():
            if counted.get(name, (0, 0))[1]:
                found[name] = self.interval(*_exact(*counted[name], self.level), value)
                continue
            ends = _share_ends(value, self.width(shares, np.array(gradient)), shares.df)
            found[name] = self.interval(*ends, value)
        if self.prices is not None:
            worth = np.array([1.0, self.prices[1] / self.prices[0], 0.0]) if self.prices[0] else -self.prices
            cost, benefit = (float(each @ shares.mean) for each in (self.prices, worth))
            if shares.counted is not None:
                ends, of_benefit = (
                    _summed(shares.counted, each, self.level) for each in (self.prices, worth)
                )
            else:
                width, ends = self._priced(shares, worth), cost_ends(cost, self._priced(shares, self.prices))
                of_benefit = benefit - width, benefit + width
            found["expected_cost"] = self.interval(*ends, cost)
            found["net_benefit"] = self.interval(*of_benefit, benefit)
        return found

    def interval(self, low: float, high: float, value: float) -> Interval:
        """An interval of a figure."""
        return Interval(low, high, value, self.level, self.assumption)

    def cheapest(self, points: Iterable[OperatingPoint]) -> OperatingPoint:
        """The point that costs the least here."""
        assert self.prices is not None
        prices = self.prices
        return min(points, key=lambda point: float(prices @ self.shares(point)[0].mean))

    def regret(
        self, point: OperatingPoint, best: OperatingPoint, every: Iterable[OperatingPoint], looks: int
    ) -> tuple[float, float, float] | None:
        """By how much a point costs more than the best one: low, high, estimate; None without costs.

        The high end is for whichever of `every` may save the most. `looks` is at how many rules the batch's
        labels were looked, to find the best point.
        """
        prices = self.prices
        if prices is None:
            return None
        own, whose = self.shares(point)
        level = 1 - (1 - self.level) / looks

        def less(other: OperatingPoint) -> Shares:
            theirs, of = self.shares(other)
            return own.less(theirs, same_cells=whose == of)

        # That something is saved may rest on the few cases between two rules; that no more is, on all.
        found = less(best)
        value = max(float(prices @ found.mean), 0.0)
        low = value - self._half(found, prices, found.df_of(prices), level)
        saved = (float(prices @ each.mean) + self.width(each, prices, level) for each in map(less, every))
        return max(low, 0.0), max([value, *saved]), value

    def told(
        self,
        point: OperatingPoint,
        slope: Slope,
        best: OperatingPoint,
        *,
        every: Sequence[OperatingPoint],
        pvalue: float = math.nan,
        looks: int = 1,
        best_slope: Slope = None,
    ) -> PerformanceUnder:
        """All figures of a point, and of the best one, by its slope, and what that would save."""
        figures, regret = self.figures(self.shares(point, slope)[0]), self.regret(point, best, every, looks)
        if regret is not None:  # no rule saves more than all
            low, high, value = regret
            most = max(value, figures["expected_cost"].high)
            figures["regret"] = self.interval(min(low, most), min(high, most), value)
        sure = replace(self, level=1 - (1 - self.level) / looks)
        of_best = sure.figures(sure.shares(best, best_slope)[0])
        return PerformanceUnder(
            self.assumption,
            **{"regret": None} | figures,
            best=best,
            best_figures={name: each and replace(each, level=self.level) for name, each in of_best.items()},
            pvalue=None if math.isnan(pvalue) else pvalue,
        )


def together(parts: Sequence[Shares]) -> Shares:
    """The shares of a mixture by the scores of several classifiers, whose common errors are not known."""
    if len(parts) == 1:
        return parts[0]
    scale = np.array([1, 1, 1 / len(parts)])
    mean = scale * np.sum([part.mean for part in parts], axis=0)
    spread = scale * np.sum([np.sqrt(part.covariance.diagonal()) for part in parts], axis=0)
    return Shares(mean, (), np.diag(spread**2), min(part.df for part in parts))


def _to_halve(shares: Shares, prices: Array, cases: int) -> int | None:
    """How many more labels halve the error of a cost that labels and unlabelled cases tell."""
    if len(shares.parts) != 2:
        return None
    labels, rest = shares.parts
    own, other = (float(prices @ part.covariance @ prices) for part in (labels, rest))
    room = (own + other) / 4 - other
    needed = math.ceil(own * labels.size / room) if room > 0 else cases + 1
    return needed - labels.size if needed <= cases else None


# --- tests by labels --------------------------------------------------------------------------------


def label_pvalue(ranges: Ranges, flagged: Array) -> float:
    """The p-value of the labelled cases as examples of their classes: by place, and by those flagged."""
    assert ranges.labels is not None
    found = []
    for own, learnt in ((ranges.labels.pos, ranges.ladder.pos), (ranges.labels.neg, ranges.ladder.neg)):
        n, m = float(own.sum()), float(learnt.sum())
        if n < _LEAST:
            continue
        both = own + learnt
        place = (np.cumsum(both) - both / 2) / both.sum()
        for told in (place, flagged):
            means = [weights @ told / weights.sum() for weights in (own, learnt)]
            mean = both @ told / both.sum()
            variance = both @ (told - mean) ** 2 / both.sum() * (1 / n + 1 / m)
            found.append(_two_sided(means[0] - means[1], variance))
    return least_of(found)


def covariate_pvalue(ranges: Ranges, flagged: Array) -> float:
    """The p-value of the posteriors for the labelled cases: over all, over the flagged, along the scores."""
    assert ranges.labels is not None
    pos, neg, p = ranges.labels.pos, ranges.labels.neg, ranges.posterior
    n = pos + neg
    if n.sum() < _LEAST:
        return math.nan
    place = np.cumsum(n) - n / 2
    found = []
    for told in (np.ones(len(p)), flagged, place - n @ place / n.sum()):
        variance = (n * p * (1 - p)) @ told**2 + ((n * told) ** 2) @ ranges.posterior_variance
        found.append(_two_sided(float((pos - n * p) @ told), variance))
    return least_of(found)


def _two_sided(statistic: float, variance: float) -> float:
    return math.erfc(abs(statistic) / math.sqrt(2 * variance)) if variance > 0 else math.nan


def least_of(pvalues: Sequence[float]) -> float:
    """The least of some p-values, times their number."""
    known = [each for each in pvalues if not math.isnan(each)]
    return min(1.0, len(known) * min(known)) if known else math.nan


# --- of a policy ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Deployment:
    """A rule that was deployed.

    Attributes
    ----------
    hull : of its policy.
    point : the rule, with its rates.
    condition : for which it was found.
    weight : (n,) of the labelled cases of a batch; None where they are a random sample.
    """

    hull: RocHull
    point: OperatingPoint
    condition: Any
    weight: Array | None = None

    def on(self, columns: ScoreColumns, truth: Array | None, level: float) -> Performance:
        """Judge it on a batch, whose labels (n,) are NaN where they are not known."""
        hull, point = self.hull, self.point
        stated = self.stated()
        ranges = ranges_of(hull, point, columns, stated, truth=truth, weight=self.weight)
        vertices = (point_at(hull, Choice(i)) for i in range(len(hull)))
        there = [one for one in vertices if set(one.classifiers) <= set(ranges)]
        solved = {id(each): each.mixture().solve(level) for each in ranges.values()}
        prices, slope = self.prices, self._slope(stated)

        def judge(assumption: str, shares_of: Callable[[Ranges, Array, Array], Shares]) -> Assessor:
            return Assessor(assumption, ranges, shares_of, prices, level)

        by_label = judge(
            "label shift", lambda one, some, near: one.label_shift(some, near, solved[id(one)][0])
        )
        by_posterior = judge("covariate shift", Ranges.covariate_shift)
        by_truth = judge("labels", lambda one, some, _: one.observed(some))
        (name, (flagged, _)), *_ = by_label.parts(point, slope).items()
        tested = ranges[name]
        estimate = of_columns(hull, columns, level)
        pvalues, posterior, observed, more = [estimate.pvalue], math.nan, None, None
        if tested.labels is not None:
            if self.weight is None:
                pvalues.append(label_pvalue(tested, flagged))
            posterior = covariate_pvalue(tested, flagged)
            best = point if prices is None else by_truth.cheapest(there)
            observed = by_truth.told(point, slope, best, every=there, looks=len(there))
            if prices is not None:
                more = _to_halve(by_truth.shares(point)[0], prices, tested.size)
        best = self._best_at(estimate.estimate, estimate.n)
        if not set(best.classifiers) <= set(ranges):  # whose scores the batch lacks
            best = point if prices is None else by_label.cheapest(there)
        chosen_at = self._slope(min(max(estimate.estimate, 0.0), 1.0))
        label = by_label.told(point, slope, best, every=there, pvalue=least_of(pvalues), best_slope=chosen_at)
        _, *ends, _ = solved[id(tested)]
        prevalence = replace(label.prevalence, low=ends[0], high=ends[1])  # as `estimate_prevalence` has it
        label = replace(label, prevalence=prevalence)
        covariate = by_posterior.told(point, slope, point, every=there, pvalue=posterior, best_slope=slope)
        n_labelled = 0 if tested.labels is None else tested.labels.size
        return Performance(tested.size, n_labelled, label, covariate, observed, more)

    def stated(self) -> float:
        """The prevalence at which posteriors are those of the examples; refused where these are not known."""
        own = self.hull.prevalence
        if self.hull.units.weighted or own is None:
            raise Refusal(_NO_NUMBERS)
        asked = None
        if not isinstance(self.condition, OperatingPoint):
            asked = questions.prevalence_asked(self.condition, own)
        return own if asked is None else asked

    @property
    def prices(self) -> Array | None:
        """The cost of each share, if there are costs."""
        costs: Any = costs_of(self.condition)
        if costs is None:
            return None
        cost_fp, cost_fn = float(costs.cost_fp), float(costs.cost_fn)
        return np.array([-cost_fn, cost_fp, cost_fn])

    def _slope(self, stated: float) -> Slope:
        """The slope, if nothing but costs chose the rule."""
        alone = costs_alone(self.condition)
        return None if alone is None else partial(_slope, alone, stated)

    def _best_at(self, prevalence: float, n: int) -> OperatingPoint:
        """Find what would be best at a prevalence: the point itself where that does not matter."""
        if isinstance(self.condition, OperatingPoint):
            return self.point
        question = self.condition.question
        if question.own_prevalence is None and not question.lacks_prevalence:
            return self.point
        least = 0.5 / n  # half a case: at 0 and 1 some conditions are undefined
        return self.hull.at(self.condition.with_numbers(prevalence=min(max(prevalence, least), 1 - least)))


def ranges_of(
    hull: RocHull,
    point: OperatingPoint,
    columns: ScoreColumns,
    stated: float,
    *,
    truth: Array | None = None,
    weight: Array | None = None,
) -> dict[str | None, Ranges]:
    """The batch in the ranges of each classifier that it has scores of."""
    found: dict[str | None, Ranges] = {}
    for name, column in columns.columns.items():
        there = column.present
        if there.any():
            ladder = RatioLadder.of(hull, name)
            for rule, _ in point.rules:
                if rule.constant is None and rule.classifier == name:
                    ladder = ladder.cut(rule, point.tpr, point.fpr)
            some = None if truth is None else truth[there]
            count = columns.counts(there)
            found[name] = Ranges.of(ladder, column.values[there], stated, some, count)
            if weight is not None and some is not None:
                found[name] = found[name].weighted(column.values[there], some, weight[there], count)
    if not found:
        raise refused("scores", "has no case with a score.")
    for name in point.classifiers:
        if name not in found:
            raise refused("scores", "has no score of {}, by which the rule decides.", repr(name))
    return found


def _slope(costs: Any, stated: float, ranges: Ranges) -> float:
    """The log-ratio of counts at which the costs of both errors are equal."""
    of_fp, of_fn = (1 - stated) * float(costs.cost_fp), stated * float(costs.cost_fn)
    if not (of_fp and of_fn):
        return math.inf if of_fp else -math.inf
    n_pos, n_neg = ranges.n_examples
    return math.log(of_fp / of_fn * n_pos / n_neg)
