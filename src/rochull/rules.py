"""Rules and operating points: pure values, no data.

A rule says when one classifier's score is called positive; an operating point is one rule, or a
mixture of two, with the rates that it reaches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rochull.conditions import ExpectedCost


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
    >>> str(rh.Rule("threshold", "logistic", 0.25))
    'logistic >= 0.25'
    """

    kind: Literal["threshold", "never", "always"]
    classifier: str | None = None
    threshold: float | None = None

    def __str__(self) -> str:
        if self.kind != "threshold":
            return self.kind
        return f"{self.classifier or 'score'} >= {self.threshold!r}"


NEVER, ALWAYS = Rule("never"), Rule("always")


@dataclass(frozen=True)
class OperatingPoint:
    """Rates, and the rules that reach them.

    Attributes
    ----------
    fpr, tpr : float
        False and true positive rate on the data that the hull was made from (in-sample).
    rules : tuple of (Rule, float)
        One rule with probability 1, or two that are mixed at random, case by case.
    source : {"vertex", "edge", "curve"}
        A vertex of the hull, a mixture on one of its edges, or a single threshold of the raw curve.

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
    source: Literal["vertex", "edge", "curve"] = "vertex"

    def __str__(self) -> str:
        if len(self.rules) == 1:
            text = str(self.rules[0][0])
        else:
            text = " or ".join(f"{rule} ({100 * share:.3g}%)" for rule, share in self.rules)
        return f"fpr {self.fpr:.6g}, tpr {self.tpr:.6g}: {text}"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the decision needs (tuple of str)."""
        names = [rule.classifier for rule, _ in self.rules if rule.classifier is not None]
        return tuple(dict.fromkeys(names))

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
