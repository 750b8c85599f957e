"""Where the page's controls begin: the report's own condition as a state of the page.

Called from :mod:`rochull.report.facts`. A condition that the controls can show is a state of theirs. Of any
other one the state has the goal "report". It shows the costs, prevalence and limits that are single numbers,
or ranges that the controls have.
"""

from __future__ import annotations

from typing import Any

Facts = dict[str, Any]
_LIMITS = {  # goal of the page: what its number is called in a state, and in a condition
    "max_fpr": ("max_fpr", "max_fpr"),
    "min_recall": ("min_recall", "min_tpr"),
    "min_precision": ("min_precision", "min_precision"),
    "capacity": ("fraction", "fraction"),
}
_GOALS = {
    "NeymanPearson": "max_fpr",
    "MinimumRecall": "min_recall",
    "MinimumPrecision": "min_precision",
    "Capacity": "capacity",
}
_UNSEEN = {"max_error", "confidence", "max_cases"}  # what the controls of reviews lack


def opening(facts: Facts) -> Facts | None:
    """Give the state that the page begins with.

    Parameters
    ----------
    facts : dict
        The other facts of the report, with its answer.

    Returns
    -------
    dict or None
        ``movable``, whether the controls can show the condition, and ``state``: the ``goal`` with its
        numbers, and for the goal "report" ``own``. None if nobody named a condition.

    Examples
    --------
    >>> costs = {"kind": "ExpectedCost", "parameters": {"cost_fp": 1, "cost_fn": 5, "prevalence": 0.3}}
    >>> opening({"condition": costs, "review": None, "mixtures": False, "answer": {}})["state"]
    {'goal': 'cost', 'cost_fp': 1, 'cost_fn': 5, 'prevalence': 0.3}
    """
    condition, review = facts["condition"], facts["review"]
    if condition is None and review is None:
        return None
    if review is not None:
        state = _of_reviews(review["parameters"])
    else:
        state = _of_condition(condition, mixtures=facts["mixtures"] and facts["answer"] is None)
    return {"movable": state is not None, "state": state or _told(facts)}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_range(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_number, value))


def _stakes(parameters: Facts) -> Facts:
    return {"goal": "cost"} | {key: parameters[key] for key in ("cost_fp", "cost_fn", "prevalence")}


def _of_condition(condition: Facts, *, mixtures: bool) -> Facts | None:
    """Give the state that shows a condition; None if the controls cannot."""
    kind, limits, p = condition["kind"], condition.get("limits"), _with_fraction(condition["parameters"])
    if p.get("confidence") is not None:
        return None
    if kind in {"ExpectedCost", "Within"}:
        if kind == "Within" and limits is None:
            return None
        can_range = kind == "ExpectedCost" or not mixtures  # a range within limits needs one threshold
        both = [p.get(key) for key in ("cost_fn", "prevalence")]
        known = (_is_number(value) or (can_range and _is_range(value)) for value in both)
        if not _is_number(p.get("cost_fp")) or not all(known):
            return None
        return _stakes(p) | ({**limits, "within": limits} if kind == "Within" and limits else {})
    if kind not in _GOALS:
        return None
    key, called = _LIMITS[goal := _GOALS[kind]]
    share = goal in {"min_precision", "capacity"}
    if (
        not _is_number(p.get(called))
        or not 0 <= p[called] <= 1
        or (share and not _is_number(p.get("prevalence")))
    ):
        return None
    return {"goal": goal, key: p[called]} | ({"prevalence": p["prevalence"]} if share else {})


def _of_reviews(p: Facts) -> Facts | None:
    """Give the state of costs alone with reviews that the controls have too; None of any others."""
    numbers: list[Any] = [p.get(key) for key in ("cost_fp", "cost_fn", "prevalence", "cost_review")]
    if not all(map(_is_number, numbers)) or p.get("reviewer", [0, 1]) != [0, 1] or _UNSEEN & p.keys():
        return None
    cost_fp, cost_fn, prevalence = numbers[:3]
    return _stakes(p) if (prevalence < 1 and cost_fp > 0) or (prevalence > 0 and cost_fn > 0) else None


def _with_fraction(parameters: Facts) -> Facts:
    """Tell a capacity of so many cases as a share of them."""
    cases, population = parameters.get("cases"), parameters.get("population")
    if "fraction" in parameters or not _is_number(cases) or not population:
        return parameters
    return parameters | {"fraction": cases / population}


def _told(facts: Facts) -> Facts:
    """Give the state with the goal "report": its numbers, and what takes its place when a control moves."""
    condition, chosen = facts["condition"], facts["chosen"]
    told = condition or facts["review"]
    p, found = _with_fraction(told["parameters"]), {}
    confusion = chosen and chosen["confusion"]
    stakes = {**p, "prevalence": confusion["prevalence"] if confusion else p.get("prevalence")}
    for key in ("cost_fp", "cost_fn", "prevalence"):
        value: Any = stakes.get(key)
        if _is_number(value) or (_is_range(value) and key != "cost_fp"):
            found[key] = value
        elif _is_range(value):
            found[key] = sum(value) / 2
    limits = {
        goal: (key, p[called])
        for goal, (key, called) in _LIMITS.items()
        if _is_number(p.get(called)) and 0 <= p[called] <= 1
    }
    found |= dict(limits.values())
    if condition and condition["limits"]:
        found |= condition["limits"] | ({"within": condition["limits"]} if "cost_fn" in p and chosen else {})
    own = {
        "text": told["text"],
        "python": told.get("python"),
        "asked": facts["asked"],
        "otherwise": "cost" if "cost_fn" in p or not limits else next(iter(limits)),
        "sure": p["confidence"] if _is_number(p.get("confidence")) else None,
        "limits": condition["n_limits"] if condition else 0,
        "limited": bool(condition and condition["limited"]),
        "limitedAt": condition and condition["limited_at"],
        "priced": _is_priced(facts, p),
        "range": not chosen,
        "review": condition is None,
        "mixtures": facts["mixtures"],
    }
    return found | {"goal": "report", "own": own}


def _is_priced(facts: Facts, parameters: Facts) -> bool:
    """Tell whether costs are those of the report's own condition."""
    if facts["chosen"]:
        return facts["chosen"]["expected_cost"] is not None
    return bool(facts["figures"] or "cost_fn" in parameters)
