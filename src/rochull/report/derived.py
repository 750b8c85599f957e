"""Values that words need beside the facts: the only module for them that computes or compares."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

from rochull.words.clauses import Clause

Facts = dict[str, Any]
Corner = dict[str, float]
NORMAL = 1.96  # standard errors to both sides, of a 95 % interval
FEW = 30  # cases: the standard error of a share of fewer may be above 9 %, sqrt(0.25 / 30)
_FEW_FLAGGED = 5  # of fewer flagged cases a precision has a remark
_FEW_CLUSTERS = 10  # from here on the bootstrap does not warn
_SAME = 0.005  # of a cost: less rounds to 0 %
_CHANCE = 2.0  # standard errors


# --- costs ------------------------------------------------------------------------------------------


def share_saved(cost: float, other: float) -> float:
    """By which share a cost is lower than another; negative where it is higher."""
    return 1 - cost / other if other else 0.0 if not cost else -math.inf


def as_much(cost: float, other: float) -> bool:
    """Whether one cost rounds to 0 % less than another, so that both are called equal."""
    return abs(share_saved(cost, other)) < _SAME


def saving(cost: float, other: float) -> tuple[str, float]:
    """Compare two costs: "same", "beyond" (any share), "nearly" (all), "less" or "more", and the per cent."""
    share = share_saved(cost, other)
    if as_much(cost, other):
        return "same", 0.0
    if share == -math.inf:  # than nothing
        return "beyond", share
    nearly = 1 - _SAME <= share < 1
    return "nearly" if nearly else "less" if share > 0 else "more", 100 * abs(share)


def cheaper(facts: Facts) -> Iterator[tuple[Facts, Corner]]:
    """Yield each baseline that costs less than the rule for a range, and the corner where it does so most."""
    chosen = facts["robust"] and facts["robust"]["rows"][0]
    ends = _ends_of_range(facts) if chosen else {}
    if not chosen or chosen["fpr"] is None or not ends:
        return
    totals, wide = facts["totals"], [name for name, both in ends.items() if len(both) > 1]
    for row in facts["baselines"]:
        if row["fp"] is None or row["breaks"]:
            continue
        other = {"fpr": row["fp"] / totals["negatives"], "tpr": row["tp"] / totals["positives"]}
        worst, corner = min(_savings(chosen, other, ends), key=lambda each: each[0])
        if worst < -_SAME:
            yield row, {name: corner[name] for name in wide}


def _savings(row: Facts, other: Facts, ends: dict[str, list[float]]) -> Iterator[tuple[float, Corner]]:
    """Yield savings of a rule as shares of another's cost, at each corner of a range."""
    for values in product(*ends.values()):
        corner = dict(zip(ends, values, strict=True))
        if _cost({"fpr": 1.0, "tpr": 0.0}, corner) > 0:  # else nothing costs anything
            yield share_saved(_cost(row, corner), _cost(other, corner)), corner


def _cost(at: Facts, corner: Corner) -> float:
    p = corner["prevalence"]
    found: float = (1 - p) * corner["cost_fp"] * at["fpr"] + p * corner["cost_fn"] * (1 - at["tpr"])
    return found


def _ends_of_range(facts: Facts) -> dict[str, list[float]]:
    """Give the ends of both costs and of the prevalence; empty unless they are numbers and intervals."""
    asked = facts["condition"]["parameters"]
    found = {name: asked.get(name) for name in ("cost_fp", "cost_fn", "prevalence")}
    if any(isinstance(each, str | None) for each in found.values()):
        return {}
    return {name: each if isinstance(each, list) else [each] for name, each in found.items()}


# --- how sure ---------------------------------------------------------------------------------------


def told_apart(rival: Facts) -> bool:
    """Whether the 95 % interval of a rival's cost beside the rule's holds no zero."""
    return bool(abs(rival["difference"]) > NORMAL * rival["error"])


def beside_rule(rival: Facts) -> str:
    """Compare a rival with the rule: "alike", "more" or "less" costly."""
    return "alike" if not told_apart(rival) else "more" if rival["difference"] > 0 else "less"


def gain_kind(gain: float, error: float) -> str:
    """Weigh a gain by its standard error: "none", "better", "worse", or these with "perhaps" before."""
    if gain == 0:
        return "none"
    if abs(gain) > _CHANCE * error:
        return "better" if gain > 0 else "worse"
    return "perhaps better" if gain > 0 else "perhaps worse"


def rates_gained(held: Facts) -> bool:
    """Whether thresholds by segment do better than one in a rate."""
    bent, straight = held["bent"], held["straight"]
    return bool(max(bent["tpr"] - straight["tpr"], straight["fpr"] - bent["fpr"]) > 0)


def is_flattered(kept: Facts | None) -> bool:
    """Whether the bootstrap finds that the data flatter their rule."""
    return bool(kept and kept["optimism"] > 0)


def flattery(facts: Facts) -> Facts:
    """Name values on how much better than on new cases a rule looks, and whether that can be measured."""
    asked, review, sure = facts["condition"], facts["review"], facts["uncertainty"]
    kept = sure and sure["bootstrap"] and sure["bootstrap"]["optimism"]
    judged = asked is None or (asked["slope"] is not None and not asked["n_limits"])  # what `need` can be of
    given = review["parameters"] if review else {}
    return {
        "need": "yes" if facts["need"] else "no",
        "flattered": "yes" if is_flattered(kept) else "no",
        "judged": "yes" if judged and not review else "no",
        "margin": "no" if given.get("max_share", 1) != 1 or "max_error" in given else None,
    }


def has_few_clusters(boot: Facts) -> bool:
    """Whether clusters are too few to tell how they vary."""
    return bool(boot["clusters"] is not None and boot["clusters"] < _FEW_CLUSTERS)


# --- cases ------------------------------------------------------------------------------------------


def flagged_cases(facts: Facts, point: Facts, *, precision: bool = False) -> int | None:
    """Count the past cases that are flagged where these are few; None where they are not."""
    total = facts["examples"]
    cases = round(point["fpr"] * total["negatives"] + point["tpr"] * total["positives"])
    return cases if cases < (_FEW_FLAGGED if precision else FEW) else None


def best_on_few(facts: Facts, name: str) -> dict[str, int]:
    """Where a classifier is best, if that is only near a corner of the hull, and with how few cases."""
    total = facts["examples"]
    found: dict[str, int] = {}
    if total is None or total["weighted"]:
        return {}
    negatives, positives = total["negatives"], total["positives"]
    for row in facts["dominance"]["rows"]:
        if name not in row["classifiers"]:
            continue
        flagged = row["fpr"][1] * negatives + row["tpr"][1] * positives
        left = (1 - row["fpr"][0]) * negatives + (1 - row["tpr"][0]) * positives
        cases = round(min(flagged, left))
        if cases >= FEW:
            return {}
        where = "flagged" if flagged <= left else "passed"
        found[where] = max(cases, found.get(where, 0))
    return found


def outcomes_of(row: Facts, cases: float, prevalence: float) -> dict[str, int]:
    """Count by the rates of a rule what becomes of so many cases; whole cases that add up."""
    positives, negatives = cases * prevalence, cases * (1 - prevalence)
    caught, wrong = positives * row["tpr"], negatives * row["fpr"]
    return whole_cases({"tp": caught, "fn": positives - caught, "fp": wrong, "tn": negatives - wrong})


def cells_of(facts: Facts, cases: int) -> dict[str, int] | None:
    """Count by the rule of the answer what becomes of so many cases; None where it is not one threshold."""
    if facts["answer"]["rule"] is None:
        return None
    rates = dict(zip(("fpr", "tpr"), answer_rates(facts), strict=True))
    return outcomes_of(rates, cases, facts["answer"]["prevalence"])


def adding_up(values: list[float], cases: float, of: float) -> list[int]:
    """Counts of so many cases out of others as whole numbers whose sum is that of all, each near its own."""
    ends = [0.0]
    for value in values:
        ends.append(ends[-1] + value * (cases / of))
    return [high - low for low, high in pairwise(int(end + 0.5) for end in ends)]


_UNIT = 10**6  # of a case: what is nearer is equal


def whole_cases(table: dict[str, Any]) -> dict[str, int]:
    """Expected outcomes as whole cases that add up: all and the positives, each cell and the flagged nearest.

    Of two tables that are equally near it is the one with fewer cases caught, then with more false alarms.
    Its twin is in ``report_format.ts``.
    """
    near = [math.floor(_UNIT * table[cell] + 0.5) for cell in ("tp", "fn", "fp", "tn")]
    (tp, a), (fn, b), (fp, c), (tn, d) = (divmod(each, _UNIT) for each in near)
    more = math.floor((a + b) / _UNIT + 0.5)  # positives
    rest = math.floor((a + b + c + d) / _UNIT + 0.5) - more

    def off(up: tuple[int, int]) -> int:
        t, f = up
        gaps = (t * _UNIT - a, (more - t) * _UNIT - b, f * _UNIT - c, (rest - f) * _UNIT - d)
        return sum(gap**2 for gap in (*gaps, gaps[0] + gaps[2]))

    t, f = min(((0, 1), (0, 0), (1, 1), (1, 0)), key=off)
    return {"tp": tp + t, "fn": fn + more - t, "fp": fp + f, "tn": tn + rest - f}


_OF, _ACTIONS = ("positives", "negatives"), ("flagged", "reviewed", "passed")


def whole_reviews(table: Facts, size: float | None = None) -> list[list[int]]:
    """The positives and the negatives of each action as whole cases, of so many, that add up.

    All and the positives are the nearest; then of every cell the number below or above it, so that these and
    the sums of the actions are as near as can be, by squares. Its twin is in ``report_reviewed.ts``.
    """
    size = table["cases"] if size is None else size
    positives = math.floor(size * table["prevalence"] + 0.5)
    totals = positives, round(size) - positives
    exact = [
        [math.floor(1e6 * (table[of][action] * size / table["cases"]) + 0.5) / 1e6 for action in _ACTIONS]
        for of in _OF
    ]
    ways = [
        [row for row in product(*((math.floor(x) + 1, math.floor(x)) for x in cells)) if sum(row) == total]
        for cells, total in zip(exact, totals, strict=True)
    ]

    def off(rows: tuple[tuple[int, ...], ...]) -> int:  # in whole millionths, so that ties are ties
        gaps = (
            [round(1e6 * (n - x)) for n, x in zip(row, cells, strict=True)]
            for row, cells in zip(rows, exact, strict=True)
        )
        return int(sum(a * a + b * b + a * b for a, b in zip(*gaps, strict=True)))

    return [list(row) for row in min(product(*ways), key=off)]


# --- what rules cost, as bars -----------------------------------------------------------------------


def bars_of(facts: Facts) -> tuple[Clause, list[tuple[Clause, int]]] | None:
    """How errors are priced, and what rules cost of so many cases."""
    answer = facts["answer"]
    asked, state, cases = facts["review"] or facts["condition"], answer["state"], answer["cases"]
    given: Facts = (
        {"cost_fp": 1.0, "cost_fn": 1.0} if asked is None else facts["figures"] or asked["parameters"]
    )
    alarm, miss = given.get("cost_fp"), given.get("cost_fn")
    of = cells_of(facts, cases)
    if state.get("range") == "miss" and of is not None and alarm is not None and isinstance(miss, list):
        # Of the cells above, so that a reader who multiplies finds the same.
        beside, rows = _beside(facts, cases), []
        for end in miss:
            rows.append((Clause("answer.bar.if miss", miss=end), round(of["fp"] * alarm + of["fn"] * end)))
            rows += [(name, round(own["fp"] * alarm + own["fn"] * end)) for name, own in beside]
        return Clause("answer.price.range"), rows
    if not isinstance(alarm, int | float) or not isinstance(miss, int | float) or "cost_here" not in state:
        return None
    rows = [(Clause("answer.bar.this"), state.get("cost", state["cost_here"]))]
    if facts["review"] is not None:
        cost = facts["review"]["frontier"]["cost"]
        rows.append((Clause("answer.bar.no reviews"), round(cases * cost[0])))
        rows.append((Clause("answer.bar.all reviewed"), round(cases * cost[-1])))
    else:
        rows += _others(answer, (1 - answer["prevalence"]) * alarm, answer["prevalence"] * miss)
    return _price(answer, float(alarm), float(miss)), rows


def cheaper_beyond(facts: Facts, rows: list[tuple[Clause, int]]) -> list[bool]:
    """Tell of each bar whether it costs less than the rule, at the same costs, because it breaks a limit."""
    kinds = {row["kind"] for row in facts["baselines"] if row["breaks"]}
    ends = (("always", "answer.bar.all"), ("never", "answer.bar.none"))
    broken = {name for kind, name in ends if kind in kinds}
    if facts["answer"]["state"].get("breaks") == "yes":
        broken.add("answer.rule")
    found, own = [], 0
    for name, cost in rows:
        if name.key in {"answer.bar.this", "answer.bar.if miss"}:
            own = cost
        found.append(name.key in broken and cost < own)
    return found


def _beside(facts: Facts, cases: int) -> list[tuple[Clause, dict[str, int]]]:
    """The rule that one compares with, if it is a threshold, and what becomes of so many cases by it."""
    answer, totals = facts["answer"], facts["totals"]
    compared = answer["comparison"]
    if compared["rule"]["kind"] != "threshold":
        return []
    rates = {"fpr": compared["fp"] / totals["negatives"], "tpr": compared["tp"] / totals["positives"]}
    return [(_compared(answer), outcomes_of(rates, cases, answer["prevalence"]))]


def _compared(answer: Facts) -> Clause:
    rule = answer["state"]["comparison"]
    return Clause("answer.rule", score=rule["score"], cutoff=rule["cutoff"])


def _others(answer: Facts, alarms: float, misses: float) -> list[tuple[Clause, int]]:
    """The comparison, and flagging everybody and nobody, the cheaper first; not the rule itself."""
    state, rows = answer["state"], []
    if answer["comparison"]["rule"]["kind"] == "threshold":
        rows.append((_compared(answer), state["cost_other"]))
    ends = [(alarms, "always", Clause("answer.bar.all")), (misses, "never", Clause("answer.bar.none"))]
    own = answer["rule"]["kind"]
    told = sorted(ends, key=lambda end: end[0])
    return [*rows, *((name, round(answer["cases"] * cost)) for cost, kind, name in told if kind != own)]


def _price(answer: Facts, alarm: float, miss: float) -> Clause:
    unit = answer["names"]["unit"]
    if unit is not None:
        return Clause("answer.price.unit", alarm=alarm, miss=miss, unit=unit)
    if not alarm:
        return Clause("answer.price.misses")
    return Clause("answer.price.alarms", ratio=miss / alarm)


def smallest_cost(found: Facts) -> tuple[float, float]:
    """Find the share of reviews of least cost, and that cost."""
    share, cost = (found["frontier"][name] for name in ("share", "cost"))
    least = min(range(len(cost)), key=cost.__getitem__)
    return share[least], cost[least]


def widest(scan: Facts) -> float | None:
    """Give the widest bounds of a raw area; None where all are exact."""
    wide = [end["high"] - end["low"] for end in scan["areas"].values() if not end["exact"]]
    return max(wide) if wide else None


def lost_share(facts: Facts, value: float) -> float | None:
    """Give a loss as a share of what the chosen rule costs; None where there is no such cost."""
    cost = None if facts["figures"] else facts["chosen"]["expected_cost"]
    return value / cost if cost and value else None


def hull_rates(facts: Facts) -> tuple[list[float], list[float]]:
    """Give both rates of the vertices of the hull, from their counts."""
    hull, totals = facts["hybrid"], facts["totals"]
    return [n / totals["negatives"] for n in hull["fp"]], [n / totals["positives"] for n in hull["tp"]]


def is_apart(state: Facts) -> bool:
    """Tell whether each segment has a cut-off of its own."""
    return str(state.get("segments")).endswith("apart")


def answer_rates(facts: Facts) -> tuple[float, float]:
    """Give both rates of the rule of the answer, or of its cut-offs by segment."""
    answer, totals = facts["answer"], facts["totals"]
    if is_apart(answer["state"]):
        rates = facts["segments"]["points"]["bent"]
        return rates["fpr"], rates["tpr"]
    return answer["fp"] / totals["negatives"], answer["tp"] / totals["positives"]


def decided(facts: Facts) -> tuple[list[float], list[float]]:
    """Count the positives and negatives that the rule of the answer flags, and those that it passes."""
    totals = [facts["totals"][name] for name in ("positives", "negatives")]
    fpr, tpr = answer_rates(facts)
    flagged = [rate * total for rate, total in zip((tpr, fpr), totals, strict=True)]
    if not facts["examples"]["weighted"]:
        flagged = [round(count) for count in flagged]
    return flagged, [total - own for total, own in zip(totals, flagged, strict=True)]


def best_area(facts: Facts) -> Facts:
    """Find the classifier with the largest area of its own hull."""
    found: Facts = max(facts["classifiers"], key=lambda c: c["auc_hull"])
    return found


def cases_in(rows: list[Facts], name: str) -> float:
    """Add up the cases of segments."""
    found: float = sum(row[name] for row in rows)
    return found


# --- which classifier is best -----------------------------------------------------------------------

_NAMED = 3  # other scores, of which each is named
_RIVALS = 4  # rules, of which the cheapest are named


def best_state(facts: Facts) -> Facts:
    """Name values on who is best where: by which scores, on few cases and never at all."""
    scores, name = facts["classifiers"], facts["dominance"]["absolute"]
    others = [c["name"] for c in scores if c["name"] != name]
    if len(scores) < 2 or name is not None:
        named = "few" if len(others) <= _NAMED else "many"
        best = "only" if len(scores) < 2 else "one"
        return {"best": best, "name": name, "others": named, "names": others, "few": {}, "never": []}
    few = {each: at for each in others if (at := best_on_few(facts, each))}
    rest = [c["name"] for c in scores if c["on_hull"] and c["name"] not in few]
    ends = {end: Clause("report.best.where", end=end) for at in few.values() for end in sorted(at)}
    best = "none" if not few or len(rest) > 1 else "except" if rest else "too few"
    return {
        "best": best,
        "name": rest[0] if rest else None,
        "where": [ends[end] for end in sorted(ends)],
        "few": {
            each: [Clause("report.best.cases", where=ends[end], cases=n) for end, n in at.items()]
            for each, at in (few if rest else {}).items()
        },
        "never": [c["name"] for c in scores if not c["on_hull"]],
    }


def rivals(found: Facts | None, *, tuned: bool) -> list[Facts]:
    """The best rules of each classifier, or the thresholds that no data chose, the cheapest first."""
    kind = [each for each in found["rivals"] if (each["threshold"] is None) == tuned] if found else []
    return sorted(kind, key=lambda each: float(each["cost"]))


def first_of(rules: list[Facts]) -> tuple[list[Facts], Facts]:
    """The cheapest rules, and how many there are."""
    left_out = "none" if len(rules) <= _RIVALS else "some"
    return rules[:_RIVALS], {"left_out": left_out, "shown": _RIVALS, "all": len(rules)}


def folds_of(found: Facts) -> Clause:
    """The rounds of a cross-validation."""
    return Clause("report.folds", n_repeats=found["n_repeats"], n_folds=found["n_folds"])


def need_state(facts: Facts) -> Facts | None:
    """Name values on how often which score was the best one, and on the others; None if it was not asked."""
    found = facts["need"]
    if found is None or len(found["members"]) < 2:
        return None
    often = sorted(filter(all, found["members"].items()), key=lambda item: -item[1])
    others = [each for each in rivals(found, tuned=True) if each["classifier"] != often[0][0]]
    first, counts = first_of(others)
    return counts | {
        "won": "all" if len(often) == 1 else "some",
        "name": often[0][0],
        "folds": folds_of(found),
        "times": found["n_folds"] * found["n_repeats"],
        "counted": [Clause("report.need.won", name=name, n=n) for name, n in often],
        "first": first,
        "names": [each["classifier"] for each in others if not told_apart(each)],
    }


# --- thresholds by segment --------------------------------------------------------------------------


def segment_state(facts: Facts) -> Facts:
    """Name values on thresholds by segment: how they were learned, and what they gain on other cases."""
    found = facts["segments"]
    areas, held = found["areas"]["held_out"], (found["points"] or {}).get("held_out") or {}
    gain = held.get("gain")
    area = areas and gain_kind(areas["gain"], areas["gain_sem"])
    shrinkage = found["shrinkage"]
    return {
        "name": found["classifier"],
        "columns": found["columns"],
        "n_folds": found["n_folds"],
        "folds": "none" if found["n_folds"] is None else "some",
        "model": found["model"].replace("-", "_"),
        "shrunk": "all" if shrinkage == "inf" else "some" if shrinkage else "no",
        "alike": "yes" if {row["threshold"] for row in found["rows"] or []} == {found["fixed"]} else "no",
        "held": "yes" if held else "no",
        "gain": None if gain is None else gain_kind(gain, held["gain_sem"]),
        "cost_way": gain and gain_kind(gain, 0.0),
        "area_gain": area and ("same" if area.startswith("perhaps") else area),
        "area_way": areas and gain_kind(areas["gain"], 0.0),
    }


def ends_of_rates(facts: Facts) -> dict[str, tuple[Facts, Facts]] | None:
    """Find the segments of the lowest and highest rates by one threshold; None where some are not known."""
    found = {}
    for rate, of in (("fpr", "negatives"), ("tpr", "positives")):
        known = [row for row in facts["segments"]["rows"] if row.get("one") and row[of]]
        if len(known) < 2:
            return None
        low, high = (choose(known, key=lambda row: row["one"][rate]) for choose in (min, max))
        found[rate] = low, high
    return found
