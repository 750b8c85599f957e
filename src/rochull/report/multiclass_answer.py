"""The answer of a report on several classes: which weights, what they keep, and the price, in messages.

The facts are a dict with ``state``, ``headline``, ``lede`` and ``rows``, as those of two classes have them
(:mod:`rochull.report.answer`). The named values of the state, null where they do not apply:

``weighed``, ``weights``, ``class_count``
    "few" or "many" classes that have weights, or "none" where all weights are equal; the weights as shown.
``kept``, ``limited``, ``limit``
    "yes" or "no" where there are limits; which kind the first one is ("error", "cell" or "other"), and its
    share in per cent.
``of``, ``name``, ``wrong``, ``called``
    Of so many cases of a class how many are mistaken, or called another class: the class of the first limit,
    else the class that is mistaken most.
``price``, ``dear``, ``dear_of``, ``dear_wrong``, ``dear_before``
    "yes" where some class is mistaken more often than when the largest score alone decides; the one of which
    most cases more are, how many it has, and how many are mistaken now and then.
``of_all``, ``wrong_all``, ``before_all``, ``before``
    Of so many cases how many are mistaken, and how many when the largest score decides, in all and of the
    class; null where weighted.
``picked``
    "yes" where the reader of the page looks at other weights than the best.
``error_low``, ``error_high``
    Of 100 cases of the class how few and how many may be mistaken: Wilson's interval; null of weights.
"""

from __future__ import annotations

from typing import Any

from rochull.report.answer import in_messages, state_facts
from rochull.report.answer_state import in_whole
from rochull.report.wording import number
from rochull.uncertainty.rates import rate_interval
from rochull.words.clauses import Clause

Facts = dict[str, Any]
_NAMED = 4  # classes; of more the weights are left to the picture


def answer_facts(facts: Facts) -> Facts:
    """Compute the answer from the other facts."""
    weights = facts["points"]["weights"][facts["chosen"]["index"]]
    confusion = _counted(facts, facts["points"]["confusion"][facts["chosen"]["index"]])
    few = "few" if len(weights) <= _NAMED else "many"
    state: Facts = {
        "weighed": "none" if len(set(weights)) == 1 else few,
        "weights": [
            Clause("answer.classes.weight", name=each["name"], weight=number(weight))
            for each, weight in zip(facts["classes"], weights, strict=True)
        ],
        "class_count": len(weights),
    }
    state |= _limited(facts, confusion) | _price(facts, confusion)
    state |= {} if facts["weighted"] else _counts(facts, confusion, state["name"])
    found = in_messages(state, "classes.")
    rows = {name.removeprefix("row."): found.pop(name) for name in list(found) if name.startswith("row.")}
    return {
        "state": state_facts(state),
        "headline": found.pop("headline"),
        "lede": [*filter(None, found.values())],
        "rows": [{"key": name, "message": text} for name, text in rows.items()],
    }


def _counted(facts: Facts, confusion: list[list[float]]) -> list[list[int]]:
    """Cases of each class by what they are called; of weighted examples out of 100."""
    if not facts["weighted"]:
        return [[in_whole(count) for count in row] for row in confusion]
    return [[in_whole(100 * weight / sum(row)) for weight in row] for row in confusion]


def _limited(facts: Facts, confusion: list[list[int]]) -> Facts:
    """Count what the first limit is about; without one the class that is mistaken most."""
    found: Facts = {}
    i = max(range(len(confusion)), key=lambda i: 1 - confusion[i][i] / sum(confusion[i]))
    if facts["limits"]:
        limit = facts["limits"][0]
        told = limit["kind"] if limit["side"] == "<=" and limit["share"] else "other"
        told = told if told in {"error", "cell"} else "other"
        found = {"kept": "yes" if facts["chosen"]["feasible"] else "no", "limited": told}
        if told != "other":
            i, found["limit"] = limit["true"], 100 * limit["limit"]
        if told == "cell":
            j = limit["called"]
            wrong = {"wrong": confusion[i][j], "called": facts["classes"][j]["name"]}
            return found | wrong | {"name": facts["classes"][i]["name"], "of": sum(confusion[i])}
    name, of = facts["classes"][i]["name"], sum(confusion[i])
    return found | {"name": name, "of": of, "wrong": of - confusion[i][i]}


def _counts(facts: Facts, confusion: list[list[int]], name: str) -> Facts:
    """Count all that are mistaken, and tell how sure the error of a class is."""
    i = next(i for i, each in enumerate(facts["classes"]) if each["name"] == name)
    before = next((each["confusion"] for each in facts["baselines"] if each["kind"] == "largest"), None)
    of = sum(confusion[i])
    found: Facts = {"of_all": sum(map(sum, confusion)), "wrong_all": _wrong(confusion)}
    counted = None if before is None else _counted(facts, before)
    found["before_all"] = None if counted is None else _wrong(counted)
    found["before"] = None if counted is None else sum(counted[i]) - counted[i][i]
    sure = rate_interval(of - confusion[i][i], of, "wilson")
    ends = {"error_low": sure.low, "error_high": sure.high}
    return found | {key: in_whole(100 * float(end)) for key, end in ends.items()}


def _wrong(confusion: list[list[int]]) -> int:
    return sum(sum(row) - row[i] for i, row in enumerate(confusion))


def _price(facts: Facts, confusion: list[list[int]]) -> Facts:
    """Tell who is mistaken more often than when the largest score decides."""
    row = next((each for each in facts["baselines"] if each["kind"] == "largest"), None)
    if row is None:
        return {}
    before = _counted(facts, row["confusion"])
    wrong, then = ([sum(row) - row[i] for i, row in enumerate(each)] for each in (confusion, before))
    i = max(range(len(wrong)), key=lambda i: wrong[i] - then[i])
    if wrong[i] <= then[i]:
        return {"price": "no"}
    name, of = facts["classes"][i]["name"], sum(confusion[i])
    return {"price": "yes", "dear": name, "dear_of": of, "dear_wrong": wrong[i], "dear_before": then[i]}
