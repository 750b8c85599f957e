"""The answer: which rule, what it catches, what it saves, in messages of the catalogue.

The facts are a dict with these keys; null where only rates are known.

``names``
    The reader's words: ``positive`` and ``negative`` cases and a ``case`` (all in the plural), and
    the ``unit`` of costs (null: a false alarm).
``prevalence``, ``per``, ``cases``
    Of the cases to decide; of how many the picture is, so that the rarer class is seen, and per how many
    cases costs are.
``rule``, ``fp``, ``tp``
    The one rule that all of this is about, and its counts out of ``totals``; null where it is not one
    threshold.
``comparison``
    The one rule beside it: ``kind`` ("current", "half", "none", "all"), ``rule``, ``fp`` and ``tp``.
``held_out``
    What rules chosen on other parts did on the rest (:mod:`rochull.report.held_out`); null if not known.
``margin``
    The ``limits`` on these cases that have new ones keep the limits of the condition, and how ``sure`` that
    is, in per cent: the rates of the best rule that is assured. Null where it is not known, or there is none.
``state``
    Named values (:mod:`rochull.report.answer_state`), by which the tables of ``words/answer.json`` choose
    messages, and which fill their slots.
``headline``, ``lede``, ``caveat``, ``rows``
    Messages, as :meth:`rochull.words.clauses.Clause.to_dict` writes them: one; some; one or null; by row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rochull._core.messages import Refusal
from rochull.conditions.rules import Rule
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.report import answer_state as told
from rochull.report.derived import is_apart
from rochull.report.held_out import held_out_facts, limits_of, place
from rochull.report.judged import usual_rule
from rochull.report.reviews import in_view
from rochull.report.wording import tell
from rochull.words.clauses import Clause
from rochull.words.decisions import clause, tables

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hybrid.held_out import HeldOutRules
    from rochull.hybrid.hybrid import Hybrid

Facts = dict[str, Any]
CASES = 10_000
_SURE = 0.95
_RATES = {"fpr": "max_fpr", "tpr": "min_recall"}  # limits on which are numbers of errors of one class


@dataclass(frozen=True)
class Reader:
    """The reader's words, and the rule of today.

    Attributes
    ----------
    positive, case, unit : str or None
        Positive cases and cases, in the plural; what costs are in.
    current : (Rule, float, float) or None
        Today's rule, and its counts out of the totals.
    held_out : HeldOutRules or None
        What rules do on cases that did not choose them.
    """

    positive: str | None = None
    case: str | None = None
    unit: str | None = None
    current: tuple[Rule, float, float] | None = None
    held_out: HeldOutRules | None = None

    def names(self, positive: str) -> Facts:
        """Name both classes and the cases, by the label where nobody did."""
        case = self.case or "cases"
        name = self.positive or f"{positive} {case}"
        return {"positive": name, "negative": "others", "case": case, "unit": self.unit}


@dataclass(frozen=True)
class _Priced:
    """The cost per case of an error of each class."""

    weights: tuple[float, float]
    totals: Facts

    def of(self, rule: Facts) -> float:
        """Per case of the comparison, from its counts."""
        return self.at(rule["fp"] / self.totals["negatives"], rule["tp"] / self.totals["positives"])

    def at(self, fpr: float, tpr: float) -> float:
        return self.weights[0] * fpr + self.weights[1] * (1 - tpr)

    def error(self, found: Facts, i: int) -> float:
        """The standard error of a cost, or of a difference of costs."""
        alarm, miss = self.weights
        own = alarm**2 * found["var_fpr"][i] + miss**2 * found["var_tpr"][i]
        return math.sqrt(max(0.0, own - 2 * alarm * miss * found["cov"][i]))


def answer_facts(
    facts: Facts, hybrid: Hybrid, condition: Condition | None, single: Facts | None, reader: Reader
) -> Facts | None:
    """Compute the answer from the other facts, by the best single rule; None where there are no examples."""
    if facts["examples"] is None:
        return None
    names, point = reader.names(facts["positive"]), _point(facts, single)
    prevalence = _prevalence(facts, point)
    per = told.scale_of(prevalence, told.SEEN)
    cases, rules = max(CASES, per), point["rules"] if point else None
    rule = rules[0]["rule"] if rules and len(rules) == 1 and "rule" in rules[0] else None
    state: Facts = {**names, "each": names["case"] if reader.case else tell("answer.a case"), "cases": cases}
    state |= {"situation": told.situation(facts, condition), "on": "here"} | told.of_rule(rules)
    compared = held_out = margin = None
    costs = _costs(facts, prevalence)
    if point and rules and facts["review"] is None:
        compared = _comparison(facts, hybrid, rule, costs, reader)
    beside = Rule.from_dict(compared["rule"]) if compared else None
    if reader.held_out is not None:
        held_out = held_out_facts(reader.held_out, beside, limits_of(condition))
    if facts["review"] is not None:
        state |= told.of_review(in_view(facts["review"]), cases, per)
    elif point and compared:
        state |= told.of_rates(point, prevalence, per)
        state |= told.of_limits(state, condition, point, facts)
        margin = _margin(state, hybrid, condition, facts["examples"]["weighted"])
        state |= told.of_breaking(condition, compared, facts["totals"])
        new = place(held_out, facts, condition) if held_out else None
        state |= _compared(state, point, compared, costs, new)
        state |= told.of_range(facts, point, cases) if state["situation"] == "range" else {}
    state |= told.of_few(facts, names) | told.of_others(facts, state.get("score"))
    state |= told.of_segments(facts) | told.of_shares(facts, prevalence)
    if is_apart(state):
        _by_segment(state, facts, costs)
    state |= told.of_beyond(facts, prevalence, state.get("score"))
    found = {"names": names, "prevalence": prevalence, "per": per, "cases": cases, "rule": rule}
    found |= dict.fromkeys(("fp", "tp")) if rule is None or not point else _counts(facts, point)
    found |= {"comparison": compared, "held_out": held_out, "margin": margin, "state": state_facts(state)}
    return found | messages(state)


def _by_segment(state: Facts, facts: Facts, costs: _Priced | None) -> None:
    """Tell the state what cut-offs by segment cost: on these cases, the ones by which they were chosen."""
    for name in ("cost", "cost_low", "cost_high"):
        state.pop(name, None)
    rates = facts["segments"]["points"]["bent"]
    state["on"] = "here"
    if costs is not None:
        state["cost_here"] = told.in_whole(state["cases"] * costs.at(rates["fpr"], rates["tpr"]))


def _margin(state: Facts, hybrid: Hybrid, condition: Condition | None, weighted: bool) -> Facts | None:
    """Find limits with a margin, and tell the state whether one has it."""
    if state.get("margin") != "none" or condition is None or weighted:
        return None
    keys = {limit.measure.key for limit in condition.question.center.limits}
    if not keys <= _RATES.keys() or "confidence" not in {each.name for each in fields(condition)}:
        return None
    try:
        found = hybrid.at(replace(condition, confidence=_SURE), deterministic=True)  # type: ignore[call-arg]
    except InfeasibleConditionError:
        state["margin"] = "tight"
        return None
    except Refusal:  # of a classifier there are rates alone
        return None
    state["margin"] = "open"
    rates = {"fpr": float(found.fpr), "tpr": float(found.tpr)}
    return {"limits": {_RATES[key]: rates[key] for key in sorted(keys)}, "sure": 100 * _SURE}


def messages(state: Mapping[str, Any]) -> Facts:
    """Choose what is said by the tables, in their order."""
    rows = in_messages(state, "row.").items()
    return {
        "headline": message(state, "headline"),
        "lede": [text for text in in_messages(state, "lede.").values() if text is not None],
        "caveat": message(state, "caveat"),
        "rows": [{"key": name, "message": text} for name, text in rows if text is not None],
    }


def in_messages(state: Mapping[str, Any], kind: str) -> dict[str, Facts | None]:
    """Choose what the tables of one kind say, by the rest of their names."""
    return {name.removeprefix(kind): message(state, name) for name in tables() if name.startswith(kind)}


def message(state: Mapping[str, Any], table: str) -> Facts | None:
    """Write the message that a table chooses, with its slots; None for nothing."""
    found = clause(table, state)
    return None if found is None else found.to_dict()


def state_facts(state: Mapping[str, Any]) -> Facts:
    """Write a state as JSON can hold it."""
    found = Clause("", **state).to_dict()
    del found["key"]
    return found


def _point(facts: Facts, single: Facts | None) -> Facts | None:
    """The rule in view: the single one of the condition, that for a range, or that of the reviews."""
    if facts["robust"] is not None:
        row: Facts = facts["robust"]["rows"][1]
        return row if row["rules"] is not None and not isinstance(row["worst"], str) else None
    return in_view(facts["review"]) if facts["review"] else single


def _prevalence(facts: Facts, point: Facts | None) -> float:
    """The prevalence of the cases to decide; the middle of a range."""
    if facts["review"]:
        found = facts["review"]["outcomes"]["prevalence"]
    elif point and point.get("confusion"):
        found = point["confusion"]["prevalence"]
    else:
        found = facts["condition"] and facts["condition"]["parameters"].get("prevalence")
    if isinstance(found, list):
        found = sum(found) / 2
    return float(facts["examples"]["prevalence"] if found is None or isinstance(found, str) else found)


def _costs(facts: Facts, prevalence: float) -> _Priced | None:
    """The costs of errors, where these are single numbers; 1 each where nobody asked for anything."""
    asked = facts["condition"]
    given = {"cost_fp": 1.0, "cost_fn": 1.0} if asked is None else facts["figures"] or asked["parameters"]
    alarm, miss = given.get("cost_fp"), given.get("cost_fn")
    if not isinstance(alarm, int | float) or not isinstance(miss, int | float):
        return None
    return _Priced(((1 - prevalence) * alarm, prevalence * miss), facts["totals"])


def _counts(facts: Facts, point: Facts) -> Facts:
    """The rates of a rule out of the totals, as they were counted."""
    found = {
        "fp": point["fpr"] * facts["totals"]["negatives"],
        "tp": point["tpr"] * facts["totals"]["positives"],
    }
    return (
        found
        if facts["examples"]["weighted"]
        else {name: told.in_whole(count) for name, count in found.items()}
    )


def _comparison(
    facts: Facts, hybrid: Hybrid, own: Facts | None, costs: _Priced | None, reader: Reader
) -> Facts:
    """The one rule beside the best, and its counts."""
    if reader.current is not None:
        rule, fp, tp = reader.current
        return {"kind": "current", "rule": _rule(rule), "fp": fp, "tp": tp}
    kind, rule = usual_rule(hybrid, Rule.from_dict(own) if own else None, costs.weights if costs else None)
    name = {"none": "never", "all": "always"}.get(kind, kind)
    rows = (row for row in facts["baselines"] if row["kind"] == name)
    row = next(each for each in rows if each["classifier"] == rule.classifier)
    return {"kind": kind, "rule": _rule(rule), "fp": row["fp"], "tp": row["tp"]}


def _rule(rule: Rule) -> Facts:
    return {"kind": None, "classifier": None, "threshold": None} | rule.to_dict()


def _compared(
    state: Facts, point: Facts, compared: Facts, costs: _Priced | None, new: tuple[Facts, int] | None
) -> Facts:
    """The cost of errors, and how much less that is than by the comparison: on new cases, if known."""
    found: Facts = {"comparison": told.rule_in_words(compared["rule"])}
    if costs is None or state["situation"] == "range":
        return found
    cost, other = costs.at(point["fpr"], point["tpr"]), costs.of(compared)
    found["cost_here"] = told.in_whole(state["cases"] * cost)
    found["cost_other"] = told.in_whole(state["cases"] * other)
    if new is None:
        return found | told.of_saving(cost, other, None)
    table, i = new
    cost, error = costs.at(table["fpr"][i], table["tpr"][i]), costs.error(table, i)
    found |= {"on": "new"} | told.costs_told(state["cases"], cost, error)
    apart = None if table["less"] is None else costs.error(table["less"], i)
    return found | told.of_saving(cost, other, apart)
