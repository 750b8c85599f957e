"""Rules with a third action, and the operating points that they reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import (
    ALWAYS,
    NEVER,
    Action,
    OperatingPoint,
    Rule,
    Scores,
    SqlWriter,
)


@dataclass(frozen=True)
class BandRule(Rule):
    """Positive iff one rule says so, else reviewed iff another one does, else negative.

    Attributes
    ----------
    kind : {"band"}
    classifier, threshold, lower_is_positive : None, None and False
        Those of the two rules count.
    high, low : Rule
        What is positive, and what is at least reviewed: usually the same classifier at a lower threshold.

    Examples
    --------
    >>> import rochull as rh
    >>> high, low = (rh.conditions.Rule("threshold", "logistic", at) for at in (0.8, 0.3))
    >>> print(rh.conditions.BandRule(high=high, low=low))
    positive from logistic >= 0.8, review from logistic >= 0.3
    """

    kind: Literal["threshold", "never", "always", "segments", "band"] = "band"
    high: Rule = NEVER
    low: Rule = ALWAYS

    @property
    def classifiers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.high.classifiers, *self.low.classifiers)))

    @property
    def constant(self) -> Action | None:
        if self.high.constant is Action.NEGATIVE and self.low.constant is Action.POSITIVE:
            return Action.REVIEW
        return self.high.constant if self.high == self.low else None

    @property
    def level(self) -> float:
        raise ValueError(f"the rule {str(self)!r} has two thresholds; take that of its high or its low.")

    @property
    def can_review(self) -> bool:
        return True

    @property
    def is_nameless(self) -> bool:
        return self.high.is_nameless or self.low.is_nameless

    def named(self, classifier: str) -> BandRule:
        return replace(self, high=self.high.named(classifier), low=self.low.named(classifier))

    def rounded_in(self, dtype_of: Callable[[str | None], np.dtype[Any]]) -> BandRule:
        return replace(self, high=self.high.rounded_in(dtype_of), low=self.low.rounded_in(dtype_of))

    @property
    def lowest(self) -> float:
        return self.high.lowest

    def outcome(self, size: int, scores_of: Callable[[str | None], Scores]) -> Array:
        found = np.where(self.low.passes(size, scores_of), Action.REVIEW, Action.NEGATIVE).astype(np.int8)
        found[self.high.passes(size, scores_of)] = Action.POSITIVE
        return found

    def positives(self, everything: Any, reaching: Callable[[str | None, float], Any]) -> Any:
        return self.high.positives(everything, reaching)

    def __format__(self, spec: str) -> str:
        if self.constant is not None:
            return f"{self.constant.name.lower()} always"
        parts = [f"positive from {self.high:{spec}}"] * (self.high != NEVER)
        if self.low != self.high:
            parts.append(f"review {'below' if self.low == ALWAYS else f'from {self.low:{spec}}'}")
        return ", ".join(parts)

    def to_sql(self, dialect: SqlWriter, column_of: Callable[[str | None], Any]) -> Any:
        return dialect.first_of(
            {
                Action.POSITIVE: self.high.to_sql(dialect, column_of),
                Action.REVIEW: self.low.to_sql(dialect, column_of),
            }
        )

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "high": self.high.to_dict(), "low": self.low.to_dict()}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> BandRule:
        return cls(high=Rule.from_dict(written["high"]), low=Rule.from_dict(written["low"]))


@dataclass(frozen=True)
class ReviewPoint(OperatingPoint):
    """An operating point some of whose cases are reviewed.

    Attributes
    ----------
    fpr, tpr : float
        After the reviews: with what the reviewer calls positive.
    rules : tuple of (BandRule, float)
        One rule with probability 1, or several that are mixed at random, case by case.
    source : {"vertex", "edge"}
        Whether there is one rule, between two vertices, or a mixture.
    prevalence, prevalence_from
        As of an :class:`OperatingPoint`.
    called, reviewed : tuple of 2 float
        The shares of the negatives and of the positives that the rules call positive themselves, and that
        they pass on.
    review_rate : float
        The share of all cases that is reviewed, at the prevalence of the condition.
    error_rate : float
        The share of errors among the cases that are decided without a review; NaN if none is.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> review = rh.Review(cost_fp=2, cost_fn=4, cost_review=0.5)
    >>> point = hull.at(review)
    >>> print(point.words)
    positive from score >= 0.9, review from score >= 0.7
    >>> point.review_rate, point.error_rate
    (0.5, 0.0)
    >>> point.expected_cost(review)
    0.25
    """

    called: tuple[float, float] = (0.0, 0.0)
    reviewed: tuple[float, float] = (0.0, 0.0)
    review_rate: float = 0.0
    error_rate: float = 0.0

    @property
    def rates_told(self) -> str:
        told = f"{super().rates_told}, reviewed {self.review_rate:.6g}"
        if math.isnan(self.error_rate):
            return f"{told}, nothing is decided"
        return f"{told}, error {self.error_rate:.6g} of what is decided"
