"""The state of an answer: named values by which messages are chosen, and which fill their slots.

``situation``
    "costs", "limits", "range", "review", "measure", or "unnamed" (no condition: both errors cost 1).
``each``, ``case``, ``positive``, ``negative``, ``cases``
    Names of things, and per how many cases costs are.
``rule``, ``way``, ``score``, ``cutoff``, ``score_low``, ``low``
    "above", "below", "never", "always", "zones above", "zones below", "zones of two", "review above",
    "review below" (and none is flagged), "rest above", "rest below" (and none is passed), "review all",
    "mixture" (of cut-offs of one score), "mixture of two" or null;
    "above" or "below"; names, and thresholds as they are shown.
``of_positive``, ``caught``, ``of_negative``, ``wrong``; ``of_cases``, ``flagged``, ``reviewed``, ``passed``,
``found``, ``random``, ``population``; ``right``
    Whole numbers out of a round one: of a class, of all cases, of a hundred that are flagged.
``recall``, ``recall_limit``, ``fpr``, ``fpr_limit``, ``precision``, ``precision_limit``, ``capacity``
    "asked", "at" or "within", "asked", "of cases" or "share", where there is such a limit; its number on
    the scale of the counts.
``limit_count``, ``margin``
    How many limits there are, and whether a margin is left: "none", "open" (and one can be built in),
    "tight" (and none can be), "slack", "assured"; on the page "built".
``saving``, ``saved``, ``on``, ``comparison``, ``breaks``
    "less", "more" or "same" beside the comparison, in per cent; on "new" cases or "here"; "yes" where the
    comparison breaks a limit.
``cost``, ``cost_here``, ``cost_low``, ``cost_high``, ``cost_other``
    Of so many ``cases``: on new cases, on these, the ends of the first's 95 % interval (no such keys where
    it is not known), and by the comparison.
``range``, ``miss_low``, ``miss_high``, ``worst``
    "miss" if nothing but the cost of a miss is one, "costs", or "measure"; its ends; the worst loss.
``further``, ``further_saving``, ``further_in``
    "yes" if one more review saves something; how much, in "alarms" where a false alarm costs 1.
``beside``
    With reviews: whether the saving is beside reviewing "all" or "none", whichever costs less.
``few``, ``few_count``, ``few_of``
    "yes" where a class has fewer than 30 cases.
``others``, ``rounds``, ``won``, ``round_count``, ``runner_up``, ``behind``
    "none", "more", "tied" or "unknown"; whether the score won "all" or "some" of the rounds; the next best
    score, and how much more that costs, in per cent.
``beyond``, ``ratio_above``, ``best_above``, ``ratio_below``, ``best_below``
    "above", "below", "both" or "never": where, by how many false alarms a miss costs, which other score is
    best.
``share``, ``seen``, ``past``
    Of positives among the cases to decide and those seen: "same" or "other".
``segments``, ``segment_names``, ``segment_count``, ``cutoffs``; ``fair``, ``fared``, ``first``,
``second``, ``wrong_first``, ``wrong_second``
    "few" or "many" with one cut-off, "few apart" or "many apart" with one for each; and where the most and
    the fewest of 100 negatives are wrongly flagged: "alike", "near" where no difference can be measured, or
    "unlike".
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from rochull.conditions.rules import Rule
from rochull.report.derived import NORMAL, outcomes_of, whole_reviews
from rochull.report.review_price import saved_by_another
from rochull.report.wording import number, threshold
from rochull.words.clauses import Clause

if TYPE_CHECKING:
    from rochull.conditions.base import Condition

Facts = dict[str, Any]
SCALES = (100, 1_000, 10_000, 1_000_000)
SEEN = 5  # cases of the rarer class at least
_FEW = 30  # cases of a class
_NAMED = 4  # segments, of which each is named
_SAME = 0.005  # of a cost, which rounds to 0 %
_HALF = 0.5


def of_shares(facts: Facts, prevalence: float) -> Facts:
    """Tell how many cases are positive, and whether those seen were like that."""
    share, seen = (float(f"{value:.3g}") for value in (prevalence, facts["examples"]["prevalence"]))
    return {"share": share, "seen": seen, "past": "same" if share == seen else "other"}


def in_whole(value: float) -> int:
    """Round to a whole number, halves up, as the page does."""
    return math.floor(value + _HALF)


def scale_of(share: float, least: float = _HALF) -> int:
    """Give the least round number of cases of which such a share, and the rest, makes as many."""
    rarer = min(share, 1 - share)
    return next((n for n in SCALES if not rarer or n * rarer >= least), SCALES[-1])


def situation(facts: Facts, condition: Condition | None) -> str:
    """Name the kind of question."""
    if facts["review"] is not None:
        return "review"
    if condition is None or facts["condition"] is None:
        return "unnamed"
    if facts["robust"] is not None:
        return "range"
    if facts["condition"]["n_limits"]:
        return "limits"
    return "costs" if facts["condition"]["slope"] is not None else "measure"


def of_rule(rules: list[Facts] | None) -> Facts:
    """Tell the rule: a threshold, none, or the two of reviews."""
    if rules is None:
        return {"rule": None}
    if len(rules) > 1:
        return _of_draw(rules)
    part = rules[0]
    high, low = (part["high"], part["low"]) if "high" in part else (part["rule"], part["rule"])
    made, other = Rule.from_dict(high), Rule.from_dict(low)
    if made == other and made.constant is not None:
        return {"rule": "always" if made.constant else "never"}
    way = "below" if made.lower_is_positive or other.lower_is_positive else "above"
    told = {"score": made.classifier, "cutoff": _shown(made), "way": way}
    if made == other:
        return {"rule": way, **told}
    same = made.classifier == other.classifier
    beside = {"score_low": other.classifier, "low": _shown(other)}
    kind = _ENDS[way].get(f"{made.kind} {other.kind}")
    return {"rule": kind or (_ENDS[way]["zones"] if same else "zones of two"), **told, **beside}


# By what is flagged without a review, and what passes with none.
_ENDS = {
    "above": {
        "never always": "review all",
        "never threshold": "review above",
        "threshold always": "rest above",
        "zones": "zones above",
    },
    "below": {
        "never always": "review all",
        "never threshold": "review below",
        "threshold always": "rest below",
        "zones": "zones below",
    },
}


def _of_draw(rules: list[Facts]) -> Facts:
    """Tell whether a draw is between rules of one score or of two."""
    parts = [part[end] for part in rules for end in ("rule", "high", "low") if end in part]
    scores = [*dict.fromkeys(part["classifier"] for part in parts if part["classifier"])]
    if len(scores) < 2:
        return {"rule": "mixture", "score": scores[0] if scores else None}
    return {"rule": "mixture of two", "score": scores[0], "score_low": scores[1]}


def _shown(rule: Rule) -> str | None:
    return None if rule.constant is not None else threshold(rule.threshold, lower=rule.lower_is_positive)


def of_rates(point: Facts, prevalence: float, per: int) -> Facts:
    """Count what a rule does: out of a round number of each class, and of all cases."""
    fpr, tpr = point["fpr"], point["tpr"]
    of_positive, of_negative = scale_of(tpr), scale_of(fpr)
    flagged = prevalence * tpr + (1 - prevalence) * fpr
    return {
        "of_positive": of_positive,
        "caught": in_whole(of_positive * tpr),
        "of_negative": of_negative,
        "wrong": in_whole(of_negative * fpr),
        "of_cases": per,
        "flagged": in_whole(per * flagged),
        "found": in_whole(per * prevalence * tpr),
        "random": in_whole(per * prevalence * flagged),
        "right": in_whole(100 * prevalence * tpr / flagged) if flagged else None,
    }


def of_limits(state: Facts, condition: Condition | None, point: Facts | None, facts: Facts) -> Facts:
    """Tell the limits on the scale of the counts, and whether they leave a margin."""
    limits = [] if condition is None else list(condition.question.center.limits)
    asked = facts["condition"]
    if not limits or asked is None:
        return {}
    found: Facts = {"limit_count": len(limits)}
    for limit in limits:
        value = float(limit.limit)
        match limit.measure.key:
            case "fpr" if point:
                near = in_whole(state["of_negative"] * value) <= state["wrong"]
                found |= {"fpr": "at" if near else "within", "fpr_limit": state["of_negative"] * value}
            case "tpr" if point:
                found |= {"recall": "asked", "recall_limit": state["of_positive"] * value}
            case "precision":
                found |= {"precision": "asked", "precision_limit": 100 * value}
            case "alarm rate":
                found |= _of_capacity(asked["parameters"], point)
    sure = asked["parameters"].get("confidence") is not None
    bound = asked["limited"] and state["rule"] != "never"  # which flags too many of no cases
    found["margin"] = "assured" if sure else "none" if bound else "slack"
    return found


def of_breaking(condition: Condition | None, compared: Facts, totals: Facts) -> Facts:
    """Tell if the rule that is compared with breaks a limit."""
    if condition is None or not condition.question.limits or condition.question.lacks_prevalence:
        return {}
    rates = compared["fp"] / totals["negatives"], compared["tp"] / totals["positives"]
    return {"breaks": "no" if condition.question.center.is_kept(*rates) else "yes"}


def _of_capacity(given: Facts, point: Facts | None) -> Facts:
    """Tell a capacity as its own population."""
    population, table = given.get("population"), point and point.get("confusion")  # a range has none
    if population is None or point is None or not table:
        return {"capacity": "share"}
    cells = outcomes_of(point, population, table["prevalence"])  # as they are drawn, of so many
    flagged = cells["tp"] + cells["fp"]
    return {
        "capacity": "of cases",
        "population": in_whole(population),
        "flagged": flagged,
        "found": cells["tp"],
        "random": in_whole(flagged * table["prevalence"]),
    }


def of_range(facts: Facts, row: Facts, cases: int) -> Facts:
    """Tell what a rule for a range risks."""
    given = facts["condition"]["parameters"]
    if facts["robust"]["measure"] != "expected cost" or isinstance(row["worst"], str):
        return {"range": "measure"}
    wide = [name for name in given if isinstance(given[name], list)]
    found: Facts = {"range": "costs", "worst": in_whole(cases * row["worst"])}
    if wide == ["cost_fn"] and given["cost_fp"] and not isinstance(given["cost_fp"], str):
        low, high = (cost / given["cost_fp"] for cost in given["cost_fn"])
        found |= {"range": "miss", "miss_low": low, "miss_high": high}
    return found


def of_review(found: Facts, cases: int, per: int) -> Facts:
    """Count what is flagged, reviewed and passed, and what that saves beside none, or all if cheaper."""
    outcomes, costs = found["outcomes"], found["frontier"]["cost"]
    rows = whole_reviews(outcomes, per)
    each = dict(zip(("flagged", "reviewed", "passed"), map(sum, zip(*rows, strict=True)), strict=True))
    saving = of_saving(found["expected_cost"], costs[0], 0.0)
    all_may_be, beside = found["parameters"].get("max_share", 1) == 1, "none"
    by_all = of_saving(found["expected_cost"], costs[-1], 0.0)
    if all_may_be and costs[-1] < costs[0] and by_all["saving"] == "less":
        saving, beside = by_all, "all"
    further = saved_by_another(found)
    return {
        "of_cases": per,
        **each,
        **saving,
        "beside": beside,
        "on": "here",
        "cost_here": in_whole(cases * found["expected_cost"]),
        "further": "yes" if further and further > 0 else "no",
        "further_saving": further,
        "further_in": "alarms" if found["parameters"]["cost_fp"] == 1 else None,
    }


def of_saving(cost: float, other: float, error: float | None) -> Facts:
    """Compare two costs, in per cent: "same" where the 95 % interval of their difference holds 0."""
    less = 1 - cost / other if other else 0.0 if not cost else -math.inf
    if abs(less) < _SAME or (error is not None and abs(cost - other) <= NORMAL * error):
        return {"saving": "same", "saved": None}
    saved = None if math.isinf(less) else in_whole(100 * abs(less))
    if saved is not None and 0 < less < 1:
        saved = min(99, saved)
    return {"saving": "less" if less > 0 else "more", "saved": saved}


def of_few(facts: Facts, told: Facts) -> Facts:
    """Tell if a class has few cases."""
    examples = facts["examples"]
    fewer = min(("positives", "negatives"), key=lambda name: examples[name])
    if examples["weighted"] or examples[fewer] >= _FEW:
        return {"few": "no"}
    of = told["positive"] if fewer == "positives" else told["negative"]
    return {"few": "yes", "few_count": in_whole(examples[fewer]), "few_of": of}


def of_others(facts: Facts, score: str | None) -> Facts:
    """Tell how the other scores do beside that of the rule."""
    if len(facts["classifiers"]) < 2:
        return {"others": "none"}
    need = facts["need"]
    if need and score in need["members"]:
        rounds, won = sum(need["members"].values()), need["members"][score]
        rivals = [row for row in need["rivals"] if row["threshold"] is None and row["classifier"] != score]
        next_best = min(rivals, key=lambda row: float(row["cost"]))
        behind = in_whole(100 * next_best["difference"] / need["hybrid"]) if need["hybrid"] else 0
        return {
            "others": "more" if behind > 0 else "tied",
            "rounds": "no" if behind <= 0 else "all" if won == rounds else "some",
            "won": won,
            "round_count": rounds,
            "runner_up": next_best["classifier"],
            "behind": max(0, behind),
        }
    regret, best = facts["regret"], facts["chosen"] and facts["chosen"]["expected_cost"]
    if not regret or regret["measure"] != "expected cost" or not best:
        return {"others": "unknown"}
    rows = [row for row in regret["rows"] if row["classifier"] != score and not isinstance(row["value"], str)]
    if not rows or score is None:
        return {"others": "unknown"}
    next_best = min(rows, key=lambda row: float(row["value"]))
    behind = in_whole(100 * next_best["value"] / best)
    return {
        "others": "more" if behind > 0 else "tied",
        "runner_up": next_best["classifier"],
        "behind": behind,
    }


def of_beyond(facts: Facts, prevalence: float, score: str | None) -> Facts:
    """Tell at which costs another score, or none, is best: by how many false alarms a miss costs."""
    rows = facts["dominance"]["rows"]  # by ascending slope, at which a miss costs ever less
    slope = facts["condition"] and facts["condition"]["slope"]
    if slope is None or isinstance(slope, str) or score is None or not 0 < prevalence < 1:
        return {}
    here = [i for i, row in enumerate(rows) if float(row["low"]) <= slope <= float(row["high"])]
    here = [i for i in here if score in rows[i]["classifiers"]]
    if not here:
        return {}
    first, last = here[0], here[-1]
    while first and score in rows[first - 1]["classifiers"]:
        first -= 1
    while last + 1 < len(rows) and score in rows[last + 1]["classifiers"]:
        last += 1
    odds = (1 - prevalence) / prevalence
    found: Facts = {}
    if first:
        found |= {"ratio_above": odds / float(rows[first]["low"]), "best_above": _best(rows[first - 1])}
    if last + 1 < len(rows):
        found |= {"ratio_below": odds / float(rows[last]["high"]), "best_below": _best(rows[last + 1])}
    above, below = "best_above" in found, "best_below" in found
    kind = "both" if above and below else "above" if above else "below" if below else "never"
    return found | {"beyond": kind}


def _best(row: Facts) -> Any:
    """Who is best in a row, or the rule that needs no score."""
    if row["classifiers"]:
        return str(row["classifiers"][0])
    return Clause("answer.bar.none" if row["fpr"][0] == 0 else "answer.bar.all")


def of_segments(facts: Facts) -> Facts:
    """Tell whether segments need cut-offs of their own, and who is wrongly flagged more."""
    found = facts["segments"]
    if found is None:
        return {}
    if not found["points"]:
        return {"fair": "none"}
    rows = [row for row in found["rows"] if row["positives"] is not None and row["one"] is not None]
    rows = [row for row in rows if row["negatives"]]
    if len(rows) < 2:
        return {"fair": "unknown"}
    held = found["points"]["held_out"]
    named = _segments_by_name(found, rows)
    differ = {row["threshold"] for row in rows} != {found["fixed"]}
    apart = differ and bool(held and held["gain"] is not None and held["gain"] > NORMAL * held["gain_sem"])
    one, own = ("few", "few apart") if len(rows) <= _NAMED else ("many", "many apart")
    told: Facts = {
        "segments": own if apart else one,
        "segment_names": [*named],
        "segment_count": len(rows),
    }
    if apart:
        cost = held["straight"]["expected_cost"]
        told["saved"] = in_whole(100 * held["gain"] / cost) if cost else 0
        lower = found["lower_is_positive"]
        told["cutoffs"] = [
            Clause("answer.cutoff of", cutoff=threshold(row["threshold"], lower=lower), segment=name)
            for name, row in named.items()
        ]
    return told | _of_fairness(named, apart, weighted=facts["examples"]["weighted"])


def _of_fairness(named: dict[str, Facts], apart: bool, *, weighted: bool) -> Facts:
    rates = {name: row["fpr"] if apart else row["one"]["fpr"] for name, row in named.items()}
    known = {name: rate for name, rate in rates.items() if rate is not None}
    if len(known) < 2:
        return {"fair": "unknown"}
    first, second = max(known, key=lambda name: known[name]), min(known, key=lambda name: known[name])
    most, fewest = (in_whole(100 * known[name]) for name in (first, second))
    fared = "unlike"
    if not weighted:  # the two were found among all pairs
        pairs = len(known) * (len(known) - 1) / 2
        error = math.sqrt(
            sum(known[name] * (1 - known[name]) / named[name]["negatives"] for name in (first, second))
        )
        told_apart = known[first] - known[second] > NormalDist().inv_cdf(1 - 0.025 / pairs) * error
        fared = "unlike" if told_apart else "near"
    return {
        "fair": "two" if len(known) == 2 else "many",
        "fared": "alike" if most == fewest else fared,
        "first": first,
        "second": second,
        "wrong_first": most,
        "wrong_second": fewest,
    }


def _segments_by_name(found: Facts, rows: list[Facts]) -> dict[str, Facts]:
    """Rows by segment: by its value alone, if there is one column."""
    known = f"{found['columns'][0]} = " if len(found["columns"]) == 1 else ""
    return {str(row["segment"]).removeprefix(known): row for row in rows}


def costs_told(cases: int, cost: float, error: float) -> Facts:
    """A cost on new cases, and the ends of its 95 % interval."""
    low, high = max(0.0, cost - NORMAL * error), cost + NORMAL * error
    return {
        "cost": in_whole(cases * cost),
        "cost_low": in_whole(cases * low),
        "cost_high": in_whole(cases * high),
    }


def rule_in_words(rule: Facts) -> Clause:
    """A rule as what one compares with."""
    made = Rule.from_dict(rule)
    if made.constant is not None:
        return Clause(f"answer.comparison.{'all' if made.constant else 'none'}")
    return Clause("answer.comparison.rule", score=made.classifier, cutoff=number(made.threshold))
