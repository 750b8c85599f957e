"""From hulls to groups that are parts of one population, and from points back to rules."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rochull._core import validation
from rochull._core.messages import Item, Parameter, Refusal, refused
from rochull._core.table_errors import a_type
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.ranges import ImpreciseConditionError, Proportion, exact
from rochull.conditions.rules import OperatingPoint, Rule, edge_ends
from rochull.groups.linear_program import GroupHull, Point
from rochull.groups.optimum import Mixture, mixture
from rochull.hull.hull import RocHull, own_hull

_ONLY_CLASSIFIER = "score"


@dataclass(frozen=True)
class GroupRates:
    """Rates of one group's decisions, on the data that its hull was made from (in-sample).

    Attributes
    ----------
    share : float
        Of the cases to be decided, the part that is in this group.
    prevalence : float
        Proportion of positives among the group's cases to be decided.
    fpr, tpr : float
        False and true positive rate.
    """

    share: float
    prevalence: float
    fpr: float
    tpr: float

    @property
    def selection_rate(self) -> float:
        """The part of the group that is called positive."""
        return self.prevalence * self.tpr + (1 - self.prevalence) * self.fpr

    @property
    def precision(self) -> float:
        """Share of positives among the group's cases that are called positive; NaN if there are none."""
        selected = self.selection_rate
        return self.prevalence * self.tpr / selected if selected else math.nan


def checked(hulls: Mapping[Hashable, RocHull]) -> dict[Hashable, RocHull]:
    """The hulls, all with named classifiers."""
    if not isinstance(hulls, Mapping):
        raise refused("hulls", "must be a mapping of groups to hulls, but is {}.", a_type(hulls))
    if not hulls:
        raise refused("hulls", "is empty: there is no group.")
    found: dict[Hashable, RocHull] = {}
    for name, given in hulls.items():
        hull = own_hull(given)
        if not isinstance(hull, RocHull):
            raise Refusal("{} must be a RocHull or a Hybrid, but is {}.", Item("hulls", name), a_type(given))
        if name is not None and validation.is_missing(name):
            raise Refusal(
                "{}: a group is called {}; call the group of missing values None.",
                Parameter("hulls"),
                repr(name),
            )
        if hull.units.are_rates:
            raise Refusal("{} is of given rates: the size of its group is unknown.", Item("hulls", name))
        if len(hull) > 2 and hull.owners[1][0].differs_by_segment:
            raise Refusal(
                "{} is stratified: its rules differ by segment within the group.", Item("hulls", name)
            )
        found[name.item() if isinstance(name, np.generic) else name] = hull
    if len({hull.units.weighted for hull in found.values()}) > 1:
        raise Refusal("{}: some are of weighted examples and some are not.", Parameter("hulls"))
    is_named = {bool(hull.classifiers) for hull in found.values() if len(hull) > 2}
    if len(is_named) > 1:
        raise Refusal("{}: some name their classifier and some do not.", Parameter("hulls"))
    if True in is_named:
        return found
    return {name: hull.named(_ONLY_CLASSIFIER) for name, hull in found.items()}


def prevalence_of(hulls: Mapping[Hashable, RocHull]) -> Proportion:
    """The proportion of positives in all groups together."""
    neg = sum(Fraction(hull.n_neg) / Fraction(hull.units.neg) for hull in hulls.values())
    pos = sum(Fraction(hull.n_pos) / Fraction(hull.units.pos) for hull in hulls.values())
    return Proportion(Fraction(pos, pos + neg))


def examples_of(hulls: Mapping[Hashable, RocHull]) -> dict[Hashable, tuple[int, int]]:
    """The numbers of negatives and of positives of each group; none where they were weighted."""
    return {
        name: (round(hull.n_neg / hull.units.neg), round(hull.n_pos / hull.units.pos))
        for name, hull in hulls.items()
        if not hull.units.weighted
    }


def groups(hulls: Mapping[Hashable, RocHull], condition: ExpectedCost) -> list[GroupHull]:
    """The groups as parts of the population that the condition is about."""
    condition.question.refuse(
        ranges=ImpreciseConditionError(
            "{} must be precise, but has {}; for a range no rule of groups is found: give single "
            "numbers, such as those in the middle, and compare what the ends give.",
            Parameter("condition"),
            " and ".join(f"{name}={value!r}" for name, value in condition.question.ranges),
        )
    )
    of_fpr, of_miss = condition.weights
    prevalence = exact(condition.prevalence)  # type: ignore[arg-type]
    neg = [Fraction(hull.n_neg) / Fraction(hull.units.neg) for hull in hulls.values()]
    pos = [Fraction(hull.n_pos) / Fraction(hull.units.pos) for hull in hulls.values()]
    all_neg, all_pos = sum(neg), sum(pos)
    groups = []
    for hull, n, p in zip(hulls.values(), neg, pos, strict=True):
        a, b = n / all_neg, p / all_pos
        positives = prevalence * b
        share = positives + (1 - prevalence) * a
        groups.append(GroupHull(hull.frontier, a, b, of_fpr * a, of_miss * b, share, positives / share))
    return groups


def cost(groups: Sequence[GroupHull], points: Sequence[Point]) -> Fraction:
    """Expected cost per case of the whole population."""
    pairs = zip(groups, points, strict=True)
    return sum((g.of_fpr * x + g.of_miss * (1 - y) for g, (x, y) in pairs), Fraction(0))


def difference(rates: Sequence[Point], points: Sequence[Point]) -> Fraction:
    """The largest difference of a rate a fpr + b tpr between any two groups."""
    values = [a * x + b * y for (a, b), (x, y) in zip(rates, points, strict=True)]
    return max(values) - min(values)


def operating_point(hull: RocHull, group: GroupHull, point: Point) -> OperatingPoint:
    """The rules that reach a point, and their probabilities."""
    parts = mixture(group, point)
    rules = _rules(hull, parts)
    shares = [float(share) for _, share in parts[1:]]
    mixed = tuple(zip(rules, [max(0.0, 1.0 - sum(shares)), *shares], strict=True))
    fpr, tpr = float(point[0]), float(point[1])
    if len(parts) == 1:
        return OperatingPoint(fpr, tpr, mixed)
    is_edge = len(parts) == 2 and parts[1][0] == parts[0][0] + 1
    return OperatingPoint(fpr, tpr, mixed, "edge" if is_edge else "inside")


def _rules(hull: RocHull, parts: Mixture) -> list[Rule]:
    """One rule for each vertex; of one classifier, if one reaches both ends of the edge."""
    rules = {i: hull.owners[i][0] for i, _ in parts}
    for i in [i for i in rules if i + 1 in rules]:
        left, right = edge_ends(hull.owners[i], hull.owners[i + 1])
        if left.constant is right.constant:
            rules[i], rules[i + 1] = left, right
    return list(rules.values())


def rates_of(group: GroupHull, point: Point) -> GroupRates:
    """Rates of a group's decisions at a point."""
    return GroupRates(float(group.share), float(group.prevalence), float(point[0]), float(point[1]))
