"""Facts of a report about a range of conditions: the rule that risks least, and what the others risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rochull.report.segments import json_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from rochull.conditions.base import Condition
    from rochull.conditions.rules import OperatingPoint, Rule
    from rochull.hybrid.regret import Regret, RegretTable

Facts = dict[str, Any]


def robust_facts(
    table: RegretTable, condition: Condition, rule_facts: Callable[[Rule], Facts]
) -> tuple[Facts, OperatingPoint | None]:
    """Facts on what rules lose over a range against the hybrid, which knows the condition, and the best rule.

    ``measure``, ``distribution`` (of the means), and ``rows``: ``kind`` ("worst", "worst_single", "mean" or
    "alone"), ``classifier`` (null unless alone), ``rules`` (null if there is no such rule), ``fpr``, ``tpr``,
    ``worst``, ``mean``.
    """

    def row(kind: str, found: Regret, classifier: str | None = None) -> Facts:
        point = found.point
        rules = point and [{"rule": rule_facts(rule), "probability": share} for rule, share in point.rules]
        return {
            "kind": kind,
            "classifier": classifier,
            "rules": rules,
            "fpr": point and point.fpr,
            "tpr": point and point.tpr,
            "worst": json_number(found.worst),
            "mean": json_number(found.mean),
        }

    rows = [
        row("worst", table.least_worst),
        row("worst_single", table.least_worst_single),
        row("mean", table.least_mean),
        *(row("alone", found, name) for name, found in table.items()),
    ]
    measure, distribution = condition.question.center.objective.key, table.distribution
    found = {"measure": measure, "distribution": distribution, "rows": rows}
    return found, table.least_worst_single.point
