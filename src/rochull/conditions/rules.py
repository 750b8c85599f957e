"""Rules and operating points: pure values, no data.

A rule says when one classifier's score is called positive, or does so for each segment of the
population; an operating point is one rule, or a mixture of two, with the rates that it reaches.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from rochull.conditions.costs import ExpectedCost


@dataclass(frozen=True)
class Rule:
    """Positive iff the classifier's score is at least the threshold; or never, or always.

    Attributes
    ----------
    kind : {"threshold", "never", "always"}
    classifier : str or None
        Name of the classifier; None for a constant rule, or where there is only one classifier.
    threshold : float or int or None
        A score that occurred in the data, exactly.

    Examples
    --------
    >>> import rochull as rh
    >>> str(rh.conditions.Rule("threshold", "logistic", 0.25))
    'logistic >= 0.25'
    """

    kind: Literal["threshold", "never", "always", "segments"]
    classifier: str | None = None
    threshold: float | None = None

    def __str__(self) -> str:
        if self.kind != "threshold":
            return self.kind
        return f"{self.classifier or 'score'} >= {self.threshold!r}"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the rule needs (tuple of str)."""
        return () if self.classifier is None else (self.classifier,)


@dataclass(frozen=True)
class SegmentedRule(Rule):
    """A rule for each segment of the population.

    Attributes
    ----------
    kind : {"segments"}
    classifier, threshold : None
        They may differ from segment to segment.
    segments : tuple of hashable
        What the segments are called; None stands for cases that belong to none of the others.
    rules : tuple of Rule
        The rule of each.

    Examples
    --------
    >>> import rochull as rh
    >>> web, shop = rh.conditions.Rule("threshold", None, 0.25), rh.conditions.Rule("never")
    >>> rule = rh.conditions.SegmentedRule(segments=("web", "shop"), rules=(web, shop))
    >>> print(rule, "|", rule.of("web"))
    web: score >= 0.25; shop: never | score >= 0.25
    """

    kind: Literal["threshold", "never", "always", "segments"] = "segments"
    segments: tuple[Hashable, ...] = ()
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        if len(self.segments) != len(self.rules):
            raise ValueError(f"there are {len(self.segments)} segments, but {len(self.rules)} rules.")

    def __str__(self) -> str:
        named = zip(self.segments, self.rules, strict=True)
        return "; ".join(f"{'elsewhere' if name is None else name}: {rule}" for name, rule in named)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores some segment needs (tuple of str)."""
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.classifiers))

    def of(self, segment: Hashable) -> Rule:
        """Give the rule of one segment.

        Parameters
        ----------
        segment : hashable
            One of `segments`.

        Returns
        -------
        Rule
            Of this segment.

        Raises
        ------
        ValueError
            If there is no such segment.
        """
        if segment not in self.segments:
            raise ValueError(f"segment={segment!r} is none of {', '.join(map(repr, self.segments))}.")
        return self.rules[self.segments.index(segment)]


NEVER, ALWAYS = Rule("never"), Rule("always")


@dataclass(frozen=True)
class OperatingPoint:
    """Rates, and the rules that reach them.

    Attributes
    ----------
    fpr, tpr : float
        False and true positive rate on the data that the hull was made from (in-sample).
    rules : tuple of (Rule, float)
        One rule with probability 1, or two that are mixed at random, case by case; three for a point
        strictly below the hull, which a constraint on groups may ask for.
    source : {"vertex", "edge", "curve", "inside"}
        A vertex of the hull, a mixture on one of its edges, a single threshold of the raw curve, or a
        mixture strictly below the hull.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> point = hull.at(rh.NeymanPearson(max_fpr=0.25))
    >>> print(point)
    fpr 0.25, tpr 0.75: score >= 0.9 (50%) or score >= 0.7 (50%)
    """

    fpr: float
    tpr: float
    rules: tuple[tuple[Rule, float], ...]
    source: Literal["vertex", "edge", "curve", "inside"] = "vertex"

    def __str__(self) -> str:
        if len(self.rules) == 1:
            text = str(self.rules[0][0])
        else:
            text = " or ".join(f"{rule} ({100 * share:.3g}%)" for rule, share in self.rules)
        return f"fpr {self.fpr:.6g}, tpr {self.tpr:.6g}: {text}"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the decision needs (tuple of str)."""
        return tuple(dict.fromkeys(name for rule, _ in self.rules for name in rule.classifiers))

    def expected_cost(self, condition: ExpectedCost) -> float:
        """Compute the expected cost a case (Provost & Fawcett 2001, section 2).

        Parameters
        ----------
        condition : ExpectedCost
            With a single number for every parameter.

        Returns
        -------
        float
            In the unit of the costs; in-sample, as the rates are.
        """
        return condition.cost(self.fpr, self.tpr)

    def net_benefit(self, condition: ExpectedCost) -> float:
        """Compute the net benefit a case (Vickers & Elkin 2006); see :meth:`ExpectedCost.net_benefit`.

        Parameters
        ----------
        condition : ExpectedCost
            With a single number for every parameter.

        Returns
        -------
        float
            In true positives a case; in-sample, as the rates are. It is -inf where there are false alarms,
            and misses cost nothing.
        """
        return condition.net_benefit(self.fpr, self.tpr)


def edge_ends(left: tuple[Rule, ...], right: tuple[Rule, ...]) -> tuple[Rule, Rule]:
    """One rule for each end of an edge: of one classifier, if one reaches both."""
    names = {rule.classifier for rule in right}
    first = next((rule for rule in left if rule.classifier in names), left[0])
    second = next((rule for rule in right if rule.classifier == first.classifier), right[0])
    return first, second


def threshold_in(dtype: np.dtype[Any], threshold: float | None) -> Any:
    """The smallest value of a type that is at least the threshold: comparing with it is exact."""
    if threshold is None:
        raise ValueError("the rule has no threshold.")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        if threshold > info.max:
            return math.inf
        if threshold <= info.min:
            return info.min
        return dtype.type(math.ceil(threshold))
    with np.errstate(over="ignore"):
        value = dtype.type(threshold)
    if float(value) < threshold:  # as Python numbers: NumPy would round the threshold first
        value = np.nextafter(value, dtype.type(np.inf))
    return value
