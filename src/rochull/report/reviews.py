"""Facts of a report about reviews: the best rule, and the least cost of every share that is reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.ways import OverRange, way_of
from rochull.report.segments import json_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from rochull.conditions.rules import Rule
    from rochull.hybrid.hybrid import Hybrid

Facts = dict[str, Any]


def review_facts(hybrid: Hybrid, review: Any, rule_facts: Callable[[Rule], Facts], cases: float) -> Facts:
    """Facts of a third action, at a condition that states its prevalence.

    ``repr`` of the condition, whose ``parameters``, ``text``, ``clause`` and ``python`` are as for
    others; ``rule`` in words, for a range that of least worst regret, and its ``rules``: with its
    ``probability`` each calls positive what passes ``high``, and has reviewed what else passes ``low``;
    ``fpr`` and ``tpr`` after the reviews;
    ``review_rate`` and ``error_rate`` of what is decided (null if nothing is); and ``expected_cost``, of a
    range at its middle; ``outcomes`` of so many ``cases`` at the middle's ``prevalence``: how many
    ``positives`` and ``negatives`` are ``reviewed``, and ``flagged`` or ``passed`` without a review, and what
    these ``costs``, the errors of reviewers included; ``frontier``: least ``cost`` by ``share`` reviewed;
    ``single``: the same without a draw, null where the rule draws none, or none keeps the limits.
    """
    middle = review.question.center.goal
    point = _best(hybrid, review, deterministic=False)
    try:
        single = None if len(point.rules) == 1 else _best(hybrid, review, deterministic=True)
    except InfeasibleConditionError:
        single = None
    frontier = hybrid.review_frontier(middle)
    return {
        "repr": repr(review),
        **_of_point(point, middle, rule_facts, cases),
        "frontier": {"share": frontier.share.tolist(), "cost": frontier.cost.tolist()},
        "single": single and _of_point(single, middle, rule_facts, cases),
    }


def in_view(review: Facts) -> Facts:
    """The rule that the answer is about: one without a draw, if there is one."""
    return review | (review.get("single") or {})


def _best(hybrid: Hybrid, review: Any, deterministic: bool) -> Any:
    if isinstance(way_of(review.question, deterministic), OverRange):
        return review.question.own_point(hybrid.hulls.values(), deterministic, minimax=True)
    return hybrid.at(review, deterministic=deterministic)


def _of_point(point: Any, middle: Any, rule_facts: Callable[[Rule], Facts], cases: float) -> Facts:
    return {
        "rule": point.words,
        "rules": [
            {
                "high": rule_facts(getattr(rule, "high", rule)),
                "low": rule_facts(getattr(rule, "low", rule)),
                "probability": share,
            }
            for rule, share in point.rules
        ],
        "fpr": point.fpr,
        "tpr": point.tpr,
        "review_rate": point.review_rate,
        "error_rate": None if point.review_rate == 1 else json_number(point.error_rate),
        "expected_cost": point.expected_cost(middle),
        "outcomes": _outcomes(point, middle, cases),
    }


def _outcomes(point: Any, middle: Any, cases: float) -> Facts:
    """How many cases of each class meet each action, and what that costs."""
    amounts = middle.question.cost_amounts
    prices = {"flagged": amounts.positive, "reviewed": amounts.review, "passed": amounts.negative}
    masses = {"negatives": cases * (1 - middle.prevalence), "positives": cases * middle.prevalence}
    counts = {
        name: {
            "flagged": masses[name] * flagged,
            "reviewed": masses[name] * reviewed,
            "passed": masses[name] * max(0.0, 1 - flagged - reviewed),
        }
        for name, flagged, reviewed in zip(masses, point.called, point.reviewed, strict=True)
    }
    costs = {
        name: {action: count * float(prices[action][k]) for action, count in row.items()}
        for k, (name, row) in enumerate(counts.items())
    }
    return {"cases": cases, "prevalence": middle.prevalence, **counts, "costs": costs}
