"""Facts of rules that were chosen on other parts, and what they caught and flagged on the rest.

``n_folds``, ``n_repeats``
    How many parts, and how many times the cases were split.
``slopes``
    By ``slope`` of the lines of equal cost: ``tpr`` and ``fpr`` of the best single rule, the squares of their
    standard errors ``var_tpr`` and ``var_fpr``, and the covariance ``cov``; and ``less``, the same of the
    differences to the rates of the ``comparison`` of the answer, on the same cases (null if that was not
    judged).
``limits``
    By the limit's name and its ``value`` the same of the single rule that is best under that limit alone;
    those of the precision and of the share that is flagged are of the answer's prevalence.

All are rounded to six digits.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from rochull.hybrid.held_out import LIMITED
from rochull.report.segments import json_number

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.conditions.base import Condition
    from rochull.conditions.rules import Rule
    from rochull.hybrid.held_out import Family, HeldOutRules, SureRates

Facts = dict[str, Any]


def held_out_facts(found: HeldOutRules, compared: Rule | None, asked: Collection[str] = ()) -> Facts:
    """Write the tables; differences only to the rule that is compared with, and under limits `asked` for."""
    beside = compared is not None and found.against == compared
    return {
        "n_folds": found.n_folds,
        "n_repeats": found.n_repeats,
        "slopes": _family(found.slopes, "slope", beside),
        "limits": {
            kind: _family(each, "value", beside and kind in asked) for kind, each in found.limits.items()
        },
    }


def _family(found: Family, name: str, beside: bool) -> Facts:
    less = None if found.less is None or not beside else _moments(found.less)
    values = [json_number(value) for value in found.values.tolist()]
    return {name: values, **_moments(found.rates), "less": less}


def _moments(found: SureRates) -> Facts:
    return {name: _rounded(getattr(found, name)) for name in ("tpr", "fpr", "var_tpr", "var_fpr", "cov")}


def _rounded(values: Array) -> list[float]:
    return [float(f"{value:.6g}") + 0.0 for value in values.tolist()]


def place(found: Facts, facts: Facts, condition: Condition | None) -> tuple[Facts, int] | None:
    """Find the table and row of the report's own condition: its slope, or the one limit that binds it."""
    asked, slopes = facts["condition"], found["slopes"]
    if asked is None:
        share = facts["examples"]["prevalence"]
        return slopes, _nearest(slopes["slope"], (1 - share) / share)
    if not asked["limited"]:
        slope = asked["slope"]
        return None if slope is None or isinstance(slope, str) else (slopes, _nearest(slopes["slope"], slope))
    limits = limits_of(condition)
    if asked["parameters"].get("confidence") is not None or (len(limits), asked["n_limits"]) != (1, 1):
        return None
    ((kind, value),) = limits.items()
    table = found["limits"].get(kind)
    return None if table is None else (table, _nearest(table["value"], value))


def limits_of(condition: Condition | None) -> dict[str, float]:
    """Give the limits of a condition that are single numbers, called as options of the command line."""
    found: list[Any] = [] if condition is None else list(condition.question.limits)
    names = {key: kind for kind, key in LIMITED.items()}
    return {
        names.get(each.measure.key, each.measure.key): float(each.limit)
        for each in found
        if not isinstance(each.limit, tuple)
    }


def _nearest(values: list[Any], own: float) -> int:
    numbers = [float(value) for value in values]
    return min(range(len(numbers)), key=lambda i: abs(numbers[i] - own))
