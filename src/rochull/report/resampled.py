"""Intervals of a report's numbers: by the method that covers best for each, resampled where there is none.

:mod:`rochull.report.uncertainty_facts` documents the facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.threads import Bar
from rochull.conditions.costs import costs_of
from rochull.conditions.rules import Scores
from rochull.hull.unions import union
from rochull.report.wording import tell
from rochull.uncertainty.bands import roc_band
from rochull.uncertainty.delong import auc_interval
from rochull.uncertainty.in_sample import optimism
from rochull.uncertainty.rates import rate_interval
from rochull.uncertainty.resampling import bootstrap

if TYPE_CHECKING:
    from rochull._core.results import Interval
    from rochull._core.validation import Array
    from rochull.conditions.base import Condition
    from rochull.conditions.costs import ExpectedCost
    from rochull.conditions.rules import OperatingPoint
    from rochull.hybrid.hybrid import Hybrid
    from rochull.report.uncertainty import Uncertainty
    from rochull.uncertainty.replicates import Resample

Facts = dict[str, Any]
MEASURES = ("fpr", "tpr", "expected_cost")


@dataclass(frozen=True, eq=False)
class FixedRule:
    """A rule that is held fixed: how often it calls each example positive, which is a score of its own."""

    point: OperatingPoint  # the rule
    condition: Condition | None  # what it was chosen for, or None
    scores: Mapping[str, Any]  # the columns that are known, by classifier
    size: int  # number of examples

    @property
    def is_known(self) -> bool:
        """Whether there are scores of every classifier that the rule needs."""
        return all(name in self.scores for name in self.point.classifiers)

    @property
    def costs(self) -> ExpectedCost | None:
        """The costs that it was chosen for, if the condition has some."""
        return costs_of(self.condition)

    @cached_property
    def called(self) -> Array:
        """Probability that each example is called positive (n,)."""
        called = np.zeros(self.size)
        for rule, share in self.point.rules:
            called[rule.passes(self.size, self._of)] += share
        return called

    def _of(self, name: str | None) -> Scores:
        return Scores(validation.scores_1d(self.scores[str(name)], str(name)))

    def with_cost(self, fpr: Array, tpr: Array) -> Array:
        """The rates, and the expected cost per case if there are costs: (2, ...) or (3, ...)."""
        costs = self.costs
        rates = [fpr, tpr]
        return np.stack(rates if costs is None else [*rates, costs.question.objective.value(fpr, tpr)])


def bootstrap_facts(hybrid: Hybrid, rule: FixedRule | None, given: Uncertainty) -> Facts:
    """The part ``bootstrap`` of the facts."""
    clusters = None if given.clusters is None else len(validation.codes_1d(given.clusters, "clusters")[1])
    return {
        "n_resamples": given.n_resamples,
        "clusters": clusters,
        **_areas(hybrid, given),
        "chosen": _fixed_intervals(rule, given) if rule is not None and rule.is_known else None,
        "optimism": _optimism(hybrid, rule, given),
        "bands": _bands(rule, given),
    }


def _options(given: Uncertainty) -> dict[str, Any]:
    """Keywords of every bootstrap."""
    return {
        "n_resamples": given.n_resamples,
        "level": given.level,
        "clusters": given.clusters,
        "sample_weight": given.sample_weight,
        "random_state": given.random_state,
    }


def _all_scored(hybrid: Hybrid, given: Uncertainty) -> bool:
    """Whether the union hull is that of classifiers whose scores are known."""
    return set(hybrid.hulls) == set(given.scores)


# --- areas, and places on the hull -----------------------------------------------------------------


def _areas(hybrid: Hybrid, given: Uncertainty) -> Facts:
    """Areas under the raw curves, the hulls and the union hull, and who is on the latter."""
    names = list(given.scores)
    unknown: Facts = {"auc": None, "auc_hull": None, "on_hull": None, "alone": None}
    if not names:
        return {"classifiers": [{"name": name, **unknown} for name in hybrid.hulls], "auc_union": None}
    auc, n = _raw_areas(given), len(names)

    def hulls(sample: Resample) -> list[float]:
        each = {name: sample.hull(name).named(name) for name in names}
        together = union(each)
        owners = [{rule.classifier for rule in rules} for rules in together.owners[1:-1]]
        either = [any(name in some for some in owners) for name in names]
        alone = [any(some == {name} for some in owners) for name in names]
        return [*(hull.auc() for hull in each.values()), together.auc(), *either, *alone]

    bar = Bar(tell("report.bar", of="hulls"))
    found = bootstrap(given.y_true, given.scores, hulls, method="basic", progress=bar, **_options(given))
    shares = found.replicates.mean(axis=0)[n + 1 :].tolist()
    of_hulls = [hull_interval(found, i) for i in range(n + 1)]
    rows = {
        name: {"auc": auc[name], "auc_hull": of_hulls[i], "on_hull": shares[i], "alone": shares[n + i]}
        for i, name in enumerate(names)
    }
    classifiers = [{"name": name, **rows.get(name, unknown)} for name in hybrid.hulls]
    return {"classifiers": classifiers, "auc_union": of_hulls[-1] if _all_scored(hybrid, given) else None}


def _raw_areas(given: Uncertainty) -> dict[str, Facts]:
    """Score interval of each classifier's area, unless whole clusters are drawn."""
    names = list(given.scores)
    kept: Any = True if given.sample_weight is None else np.asarray(given.sample_weight) > 0
    smallest = min(np.count_nonzero((np.asarray(given.y_true) == label) & kept) for label in (0, 1))
    if given.clusters is None and smallest > 1:
        options: dict[str, Any] = {"level": given.level, "sample_weight": given.sample_weight}
        return {
            name: interval_facts(auc_interval(given.y_true, column, **options))
            for name, column in given.scores.items()
        }
    found = bootstrap(
        given.y_true, given.scores, lambda sample: [sample.auc(name) for name in names],
        method="bca", progress=Bar(tell("report.bar", of="areas")), **_options(given),
    )  # fmt: skip
    return {name: interval_facts(found, i) for i, name in enumerate(names)}


def hull_interval(found: Any, i: int) -> Facts:
    """The interval of a hull's area, which is 1 at most, and its bias."""
    made = interval_facts(found, i) | {"bias": float(found.bias[i])}
    if made["high"] is not None:
        made["high"] = min(made["high"], 1.0)
    return made


def interval_facts(found: Interval, i: int | None = None) -> Facts:
    """An interval, or element i of an interval of arrays; without ends if the replicates do not differ."""
    shown: Any = found
    low, estimate, high = (
        float(end if i is None else end[i]) for end in (shown.low, shown.estimate, shown.high)
    )
    told = low < high
    return {
        "estimate": estimate,
        "low": low if told else None,
        "high": high if told else None,
        "method": found.method,
        "in_sample": getattr(found, "in_sample", False),
    }


def _bands(rule: FixedRule | None, given: Uncertainty) -> list[Facts]:
    """Bands of the raw curves of the chosen classifiers; of the only one, if nothing was chosen."""
    names = list(given.scores) if len(given.scores) == 1 else []
    if rule is not None:
        names = [name for name in rule.point.classifiers if name in given.scores]
    bands = []
    for name in names:
        found = roc_band(given.y_true, given.scores[name], **_options(given))
        ends = {key: getattr(found, key).tolist() for key in ("fpr", "low", "high")}
        bands.append({"name": name, **ends, "method": found.method})
    return bands


# --- the chosen rule -------------------------------------------------------------------------------


def _fixed_intervals(rule: FixedRule, given: Uncertainty) -> Facts:
    """Intervals of the fixed rule's rates and cost: from counts where these are counts, else resampled."""
    weighted, clustered = given.sample_weight is not None, given.clusters is not None
    counted = not weighted and not clustered and len(rule.point.rules) == 1
    found = _counted(rule, given) if counted else _resampled(rule, given)
    return intervals_of_rule(found, rule.costs)


def intervals_of_rule(found: Mapping[str, Facts], costs: ExpectedCost | None) -> Facts:
    """Intervals of the rates and the cost of a rule that these data chose."""
    facts: Facts = dict.fromkeys(MEASURES)
    for name, interval in found.items():
        facts[name] = interval | {"in_sample": True}
    return facts | {"normalised_cost": _normalised(facts["expected_cost"], costs)}


def _normalised(cost: Facts | None, costs: ExpectedCost | None) -> Facts | None:
    """The interval of the cost where it is drawn: 1 for all cases wrong."""
    if cost is None or costs is None:
        return None
    whole = float(sum(costs.weights))
    ends = {key: None if cost[key] is None else cost[key] / whole for key in ("estimate", "low", "high")}
    return cost | ends


def _counted(rule: FixedRule, given: Uncertainty) -> dict[str, Facts]:
    """Wilson's intervals of the rates, and of the cost from those of both rates."""
    positive = np.asarray(given.y_true) == 1
    fpr, tpr = (
        rate_interval(
            int(np.count_nonzero(rule.called[members])), int(np.count_nonzero(members)), "wilson",
            level=given.level,
        )
        for members in (~positive, positive)
    )  # fmt: skip
    return with_cost_interval(fpr, tpr, rule.costs)


def with_cost_interval(fpr: Interval, tpr: Interval, costs: ExpectedCost | None) -> dict[str, Facts]:
    """The intervals of both rates, and that of the cost if there are costs."""
    found = {"fpr": interval_facts(fpr), "tpr": interval_facts(tpr)}
    if costs is not None:
        found["expected_cost"] = interval_facts(costs.question.objective.interval(fpr, tpr))
    return found


def _resampled(rule: FixedRule, given: Uncertainty) -> dict[str, Facts]:
    """Weighted or clustered examples, or a randomised rule: there are no counts."""

    def statistic(sample: Resample) -> Array:
        groups = sample.tally()
        called = groups.score  # the probability to be called positive
        return rule.with_cost(
            (called @ groups.neg) / groups.neg.sum(), (called @ groups.pos) / groups.pos.sum()
        )

    bar = Bar(tell("report.bar", of="rule"))
    found = bootstrap(given.y_true, rule.called, statistic, method="bca", progress=bar, **_options(given))
    return {name: interval_facts(found, i) for i, name in enumerate(MEASURES[: np.size(found.low)])}


def _optimism(hybrid: Hybrid, rule: FixedRule | None, given: Uncertainty) -> Facts | None:
    """How much the optimum keeps on other data, if it was chosen among classifiers with all scores known."""
    if rule is None or rule.condition is None or not _all_scored(hybrid, given):
        return None
    try:
        found = optimism(given.y_true, given.scores, rule.condition, **_options(given))
    except ValueError:  # the input is fine by now: hardly any replicate meets the condition
        return None
    names = ("measure", "apparent", "corrected", "optimism", "low", "high", "fpr", "tpr", "n_infeasible")
    return {name: getattr(found, name) for name in names}
