"""States of the report's page, hybrids to try them on, and what the library says about each."""

import math
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Context
from itertools import product
from typing import Any

import numpy as np

import rochull as rh
from rochull.conditions.base import Condition
from rochull.conditions.cost_spans import CostSpan
from rochull.conditions.rules import NEVER
from rochull.conditions.vertices import InfeasibleConditionError

State = dict[str, Any]
SCORES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
GOALS = ("cost", "max_fpr", "min_recall", "min_precision", "capacity")
GOAL_OF = {"fraction": "capacity"}
MEASURES = {"cost": "expected cost", "min_recall": "fpr"}


# --- hybrids -----------------------------------------------------------------------------------------------


def shipped(name: str, label: str, positive: str) -> rh.Hybrid:
    """Return the hybrid of a shipped table of scores."""
    table = rh.datasets.load(name, [label, *SCORES])
    return rh.Hybrid.from_table(table, label=label, scores=SCORES, pos_label=positive)


def weighted() -> rh.Hybrid:
    """Return a hybrid of weighted examples; weights are eighths, which facts hold exactly."""
    rng = np.random.default_rng(3)
    y, w = rng.integers(0, 2, 600), np.ceil(8 * rng.exponential(size=600)) / 8
    hybrid = rh.Hybrid().add("a", y, rng.normal(1.2 * y), sample_weight=w)
    return hybrid.add("whole", y, np.rint(rng.normal(1.5 * y) * 20).astype(int), sample_weight=w)


def rates_only() -> rh.Hybrid:
    """Return a hybrid of given points, some of them on a grid of tenths."""
    hybrid = rh.Hybrid()
    points = (0.1, 0.5), (0.3, 0.8), (0.0, 0.25), (0.62, 0.97), (0.2, 0.3)
    for name, point in zip("abcde", points, strict=True):
        hybrid.add_point(name, *point)
    return hybrid


def named(names: list[str]) -> rh.Hybrid:
    """Return classifiers of these names, with infinite scores among theirs, and a point."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 200)
    hybrid = rh.Hybrid()
    for name in names:
        score = np.round(rng.normal(size=200) + y, 1)
        score[:2] = np.inf, -np.inf
        hybrid.add(name, y, score)
    return hybrid.add_point("<point>", 0.1, 0.6)


def any_weights() -> rh.Hybrid:
    """Return a hybrid of examples with weights of any size."""
    rng = np.random.default_rng(7)
    y, w = rng.integers(0, 2, 500), rng.lognormal(sigma=5, size=500)
    hybrid = rh.Hybrid().add("a", y, rng.normal(1.2 * y), sample_weight=w)
    return hybrid.add("b", y, rng.normal(y).round(1), sample_weight=w)


def beside_examples() -> rh.Hybrid:
    """Return a hybrid of scored examples and of given rates that are no counts."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 300)
    hybrid = rh.Hybrid().add("scored", y, rng.normal(y).round(2))
    return hybrid.add_point("expert", 0.1234, 0.6543).add_point("rule", 0.5, 0.95)


def tiny() -> rh.Hybrid:
    """Return a hybrid with vertical and horizontal ends, and vertices that several classifiers own."""
    y = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0]
    hybrid = rh.Hybrid().add("a", y, [9, 9, 7, 6, 6, 5, 4, 3, 8, 0])
    hybrid.add("b", y, [9, 1, 7, 6, 2, 5, 4, 3, 8, 0]).add("same", y, [9, 9, 7, 6, 6, 5, 4, 3, 8, 0])
    return hybrid.add("worst", y, [0, 0, 1, 0, 1, 0, 1, 1, 0, 1])


def alone() -> rh.Hybrid:
    """Return a hybrid of one classifier, whose name is an awkward one, with infinite scores."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 400)
    score = rng.normal(y)
    score[rng.random(400) < 0.05] = -np.inf
    score[(rng.random(400) < 0.1) & (y == 1)] = np.inf
    return rh.Hybrid().add("""it's "a" <b>; `x`""", y, score)


def low_is_positive() -> rh.Hybrid:
    """Return a hybrid of classifiers of which two call low scores positive: probabilities, and integers."""
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 400)
    near, rank = (1 / (1 + np.exp(rng.normal(y, 1.2))) for _ in range(2))
    hybrid = rh.Hybrid().add("near", y, np.round(near, 2), lower_is_positive=True)
    hybrid.add("rank", y, np.rint(rank * 40).astype(int), lower_is_positive=True)
    return hybrid.add("high", y, rng.normal(y))


def long_integers() -> rh.Hybrid:
    """Return a hybrid whose scores are integers of every size that SQL writes differently."""
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 500)
    score = np.rint(rng.normal(y, size=500) * 2.0 ** rng.choice([3, 20, 30, 50], 500)).astype(np.int64)
    return rh.Hybrid().add("id", y, score).add("near", y, np.rint(rng.normal(y) * 5).astype(int))


# --- states ------------------------------------------------------------------------------------------------


def states(hull: rh.RocHull, n: int, seed: int, ties: bool = True) -> list[State]:
    """Return random states of every goal: usual numbers, extreme ones, and those at which vertices tie."""
    rng = np.random.default_rng(seed)
    return [_state(hull, rng, ties) for _ in range(n)]


def _state(hull: rh.RocHull, rng: np.random.Generator, ties: bool) -> State:
    fpr, tpr = (float(rng.choice(rates)) if ties else 0.3 for rates in (hull.fpr, hull.tpr))
    found: State = {"goal": str(rng.choice(GOALS, p=[0.4, 0.15, 0.15, 0.15, 0.15]))}
    found |= {"cost_fp": 1, "cost_fn": _cost(rng), "prevalence": _share(rng, 0.5)}
    found |= {
        "max_fpr": _share(rng, fpr), "min_recall": _share(rng, tpr),
        "min_precision": _share(rng, 0.8), "fraction": _share(rng, fpr / 2 + tpr / 2),
    }  # fmt: skip
    if rng.random() < 0.2:
        found["cost_fp"] = _cost(rng)
    if found["goal"] == "cost":
        if ties and rng.random() < 0.4:
            found |= _along_an_edge(hull, rng)
        if rng.random() < 0.3:
            found["cost_fn"] = _interval(found["cost_fn"], _cost(rng))
        if rng.random() < 0.3:
            found["prevalence"] = _interval(found["prevalence"], _share(rng, 0.5))
    return found


def states_within(hull: rh.RocHull, n: int, seed: int) -> list[State]:
    """Return random states of precise costs within one to four limits, most of which some point of the hull keeps."""
    rng = np.random.default_rng(seed)
    return [_state_within(hull, rng) for _ in range(n)]


def _state_within(hull: rh.RocHull, rng: np.random.Generator) -> State:
    found: State = {"goal": "cost", "cost_fp": 1, "cost_fn": _cost(rng), "prevalence": _share(rng, 0.5)}
    if rng.random() < 0.3:
        found |= _along_an_edge(hull, rng)
    i, part, p = int(rng.integers(len(hull) - 1)), float(rng.choice([0, 0, 0.5, 0.9])), found["prevalence"]
    fpr, tpr = (
        float(rates[i] + part * (rates[i + 1] - rates[i])) if part else float(rates[i])
        for rates in (hull.fpr, hull.tpr)
    )
    flagged = p * tpr + (1 - p) * fpr
    slack = float(rng.choice([0, 0, 0.01, 0.1]))
    kept = {
        "max_fpr": fpr + slack, "min_recall": tpr - slack,
        "min_precision": (p * tpr / flagged if flagged else 1) * (1 - slack), "fraction": flagged + slack,
    }  # fmt: skip
    names = rng.permutation(list(kept))[: int(rng.integers(1, 5))].tolist()
    found["within"] = {
        name: _share(rng, 0.5) if rng.random() < 0.1 else min(1.0, max(0.0, kept[name])) for name in names
    }
    return found


def _along_an_edge(hull: rh.RocHull, rng: np.random.Generator) -> State:
    """Costs under which both ends of an edge cost the same, exactly where counts are few."""
    i = int(rng.integers(len(hull) - 1))
    rise, run = int(hull.tp[i + 1] - hull.tp[i]), int(hull.fp[i + 1] - hull.fp[i])
    fp, fn = float(rise * hull.n_neg), float(run * hull.n_pos)
    if i % 2 and min(fp, fn) > 0:  # which is rounded
        return {"cost_fp": 1, "cost_fn": 1, "prevalence": fn / (fp + fn)}
    return {"cost_fp": fp, "cost_fn": fn, "prevalence": 0.5}


def _interval(one: float, other: float) -> Any:
    return one if one == other else sorted([one, other])


def _cost(rng: np.random.Generator) -> float:
    kind = rng.random()
    if kind < 0.4:
        return float(rng.choice([0, 1, 2, 5, 10, 0.1, 0.5]))
    return float(f"{10 ** rng.uniform(-3, 3):.3g}") if kind < 0.9 else float(10 ** rng.uniform(-12, 12))


def _share(rng: np.random.Generator, special: float) -> float:
    kind = rng.random()
    if kind < 0.4:
        return float(rng.choice([0, 1, 0.1, 0.2, 0.25, 0.5, 0.75, 0.9, special]))
    if kind < 0.6:
        return special
    return float(rng.random()) if kind < 0.9 else float(10 ** rng.uniform(-8, 0))


def condition_of(state: State) -> Condition:
    """Return the library's condition; ValueError if there is no such one."""

    def number(name: str) -> Any:
        return tuple(state[name]) if isinstance(state[name], list) else state[name]

    match state["goal"]:
        case "cost":
            costs = rh.ExpectedCost(number("cost_fp"), number("cost_fn"), number("prevalence"))
            limits = [
                condition_of(state | {name: x, "goal": GOAL_OF.get(name, name)})
                for name, x in state.get("within", {}).items()
            ]
            return rh.Within(costs, limits) if limits else costs
        case "max_fpr":
            return rh.NeymanPearson(state["max_fpr"])
        case "min_recall":
            return rh.MinimumRecall(state["min_recall"])
        case "min_precision":
            return rh.MinimumPrecision(state["min_precision"], prevalence=state["prevalence"])
    return rh.Capacity(fraction=state["fraction"], prevalence=state["prevalence"])


# --- what the library says ---------------------------------------------------------------------------------


def plain_rule(rule: rh.conditions.Rule) -> dict[str, Any]:
    """Return a rule as the page has it."""
    found = {"kind": rule.kind, "classifier": rule.classifier, "threshold": _number(rule.threshold)}
    return found | ({"lower_is_positive": True} if rule.lower_is_positive else {})


def number_in(rule: rh.conditions.Rule, segment: Any) -> float:
    """Return the lowest score called positive in one segment: inf for "never", -inf for "always"."""
    own = rule.of(segment) if isinstance(rule, rh.conditions.SegmentedRule) else rule
    return {"never": math.inf, "always": -math.inf}.get(own.kind, own.threshold)  # type: ignore[return-value]


def plain(point: rh.conditions.OperatingPoint | None) -> dict[str, Any] | None:
    """Return a point as the page has it."""
    if point is None:
        return None
    rules = [{"rule": plain_rule(rule), "probability": share} for rule, share in point.rules]
    return {"fpr": point.fpr, "tpr": point.tpr, "rules": rules}


def _number(threshold: float | None) -> Any:
    if isinstance(threshold, float) and math.isinf(threshold):
        return "inf" if threshold > 0 else "-inf"
    return threshold


def expected(hybrid: rh.Hybrid, state: State) -> dict[str, Any]:
    """Return the result of a state, by the library's own calls."""
    found: dict[str, Any] = {
        "feasible": False, "interval": False, "measure": MEASURES.get(state["goal"], "tpr"),
        "chosen": None, "single": None, "baselines": [], "worst": None, "worst_single": None, "span": None, "optimal": None, "line": None,
        "lines": None, "slope": None, "probability_cost": None,
        "regret": [{"name": name, "point": None, "value": math.inf} for name in hybrid.hulls],
    }  # fmt: skip
    try:
        condition = condition_of(state)
    except ValueError:
        return found | figures(state, None)
    found["line"] = line_of(condition, None)
    try:
        table = hybrid.regret(condition)
    except InfeasibleConditionError:
        return found | figures(state, None) | {"message": unmet(hybrid, condition, state)}
    # Which no other threshold is better than:
    vertex = isinstance(condition, rh.ExpectedCost) and not condition.question.spread
    alone = table.singles if state.get("mixtures") is False and not vertex else table
    found["regret"] = [{"name": n, "point": plain(r.point), "value": r.value} for n, r in alone.items()]
    if condition.question.spread:
        point, single = table.minimax, table.least_worst_single
        segment = hybrid.potentially_optimal(condition)
        low, high = condition.slope_range  # type: ignore[attr-defined]
        found |= {
            "interval": True, "worst": table.minimax_regret, "single": plain(single.point), "worst_single": single.worst, "span": [segment.first, segment.last],
            "optimal": list(segment), "slope": [low, high],
            "probability_cost": [1 / (1 + high), 1 / (1 + low)],
            "lines": extreme_lines(condition, hybrid.hull, segment),
        }  # fmt: skip
    else:
        point = hybrid.at(condition)
        try:
            single = hybrid.at(condition, deterministic=True)
        except InfeasibleConditionError:
            assert isinstance(condition, rh.Within)
            if state.get("mixtures") is False:
                several = "these limits" if len(state.get("within", {})) > 1 else "this limit"
                none = f"No single threshold keeps {several}; a mixture of two does: tick “allow mixtures of two rules”."
                return found | figures(state, None) | {"message": none}
            single = None
        found["single"] = plain(single)
        found["line"] = line_of(condition, point)
        if condition.question.costs is not None:
            slope = condition.question.costs.slope
            found |= {"slope": slope, "probability_cost": 1 / (1 + slope)}
    if state.get("mixtures") is False:
        point = table.least_worst_single.point if condition.question.spread else single
    assert point is not None
    if condition.question.spread:
        found["worst"] = table.minimax_regret if "mixtures" not in state else table.least_worst_single.worst
    found["baselines"] = baselines(hybrid, state, alone)
    return found | {"feasible": True, "chosen": plain(point), "message": None} | figures(state, point)


def baselines(hybrid: rh.Hybrid, state: State, table: Any) -> list[dict[str, Any]]:
    """Return what the answer is compared with, and its figures."""
    kinds: list[tuple[str, str | None, Any]] = [("never", None, _at(0, 0)), ("always", None, _at(1, 1))]
    for name in hybrid.hulls:
        usual = hybrid.hundredths.get(name)
        if usual is None:
            kinds.append(("best", name, table[name].point))
        else:
            kinds.append(("half", name, _at(float(usual.fpr[51]), float(usual.tpr[51]))))
    return [{"kind": kind, "classifier": name, **figures(state, point)} for kind, name, point in kinds]


def _at(fpr: float, tpr: float) -> rh.conditions.OperatingPoint:
    return rh.conditions.OperatingPoint(fpr, tpr, ((NEVER, 1.0),))


def unmet(hybrid: rh.Hybrid, condition: Condition, state: State) -> str:
    """Return why no rule meets a condition: a single limit that is out of reach is one on the precision."""
    if isinstance(condition, rh.MinimumPrecision):
        return out_of_reach(hybrid, condition)
    assert isinstance(condition, rh.Within)
    if "min_precision" in state["within"]:
        alone = rh.MinimumPrecision(state["within"]["min_precision"], prevalence=state["prevalence"])
        try:
            hybrid.at(alone)
        except InfeasibleConditionError:
            return out_of_reach(hybrid, alone)
    return "No rule keeps all of these limits: loosen at least one."


def out_of_reach(hybrid: rh.Hybrid, condition: Any) -> str:
    """Return the sentence of the page, in English, on a precision that no rule has."""
    p, fpr, tpr = condition.prevalence, hybrid.hull.fpr[1:], hybrid.hull.tpr[1:]
    most = (p * tpr / (p * tpr + (1 - p) * fpr)).max()
    floor = Context(prec=4, rounding=ROUND_FLOOR).create_decimal(repr(float(most)))
    asked, share, highest = (_percent(x) for x in (condition.min_precision, p, floor))
    return f"A precision of {asked} cannot be reached at a prevalence of {share}; the highest is {highest}."


def _percent(value: Any) -> str:
    """Return a share in six digits, as English writes it."""
    number = Context(prec=6, rounding=ROUND_HALF_UP).create_decimal(str(value)) * 100
    text = f"{number:,f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}\u00a0%"


def line_of(condition: Condition, point: rh.conditions.OperatingPoint | None) -> dict[str, float] | None:
    """Return a tpr + b fpr = c: the limit, or the iso-performance line through a point."""
    numbers: Any = condition  # a precise one: its numbers are numbers
    match numbers:
        case rh.ExpectedCost():
            if point is None:
                return None
            w, m = map(float, numbers.weights)
            return {"a": m, "b": -w, "c": m * point.tpr - w * point.fpr}
        case rh.Within():
            return None  # the page's own: that of the limit at which the point is
        case rh.NeymanPearson():
            return {"a": 0, "b": 1, "c": numbers.max_fpr}
        case rh.MinimumRecall():
            return {"a": 1, "b": 0, "c": numbers.min_tpr}
        case rh.MinimumPrecision(wanted, p):
            return {"a": p * (1 - wanted), "b": -(1 - p) * wanted, "c": 0}
        case rh.Capacity():
            return {"a": numbers.prevalence, "b": 1 - numbers.prevalence, "c": numbers.share}
    raise AssertionError(condition)


def extreme_lines(condition: Any, hull: rh.RocHull, segment: Any) -> list[dict[str, float]]:
    """Return the iso-performance lines of the smallest slope and of the largest."""
    found = []
    for (w, m), v in zip(CostSpan(condition).extreme_weights, (segment.last, segment.first), strict=True):
        a, b = float(m), -float(w)
        found.append({"a": a, "b": b, "c": a * hull.tpr[v] + b * hull.fpr[v]})
    return found


# --- figures -----------------------------------------------------------------------------------------------


def ends(value: Any) -> list[float]:
    """Return the ends of an interval, or the number itself."""
    return value if isinstance(value, list) else [value]


def span_of(values: list[Any], precise: bool) -> Any:
    """Return the range of the values that are defined, or the only one."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return known[0] if precise else [min(known), max(known)]


def figures(state: State, point: rh.conditions.OperatingPoint | None) -> dict[str, Any]:
    """Return cost, net benefit and confusion at a point: ranges over the corners of the box."""
    names = ("expected_cost", "net_benefit", "positive_rate", "precision", "accuracy", "confusion")
    found: dict[str, Any] = dict.fromkeys([*names, "prices"])
    if point is None:
        return found
    boxes = [ends(state[name]) for name in ("cost_fp", "cost_fn", "prevalence")]
    corners, shares = list(product(*boxes)), boxes[2]
    if any(_matters(*corner) for corner in corners):
        for name in names[:2]:
            found[name] = span_of([_value(name, corner, point) for corner in corners], len(corners) == 1)
        paid = [_paid(corner, point) for corner in corners]
        found["prices"] = {
            name: span_of([each[name] for each in paid], len(corners) == 1) for name in ("fp", "fn")
        }
    cells = [_cells(share, point) for share in shares]
    for name in names[2:5]:
        found[name] = span_of([cell[name] for cell in cells], len(shares) == 1)
    found["confusion"] = {
        name: span_of([cell[name] for cell in cells], len(shares) == 1) for name in ("tp", "fp", "fn", "tn")
    }
    return found


def _matters(cost_fp: float, cost_fn: float, prevalence: float) -> bool:
    return (prevalence < 1 and cost_fp > 0) or (prevalence > 0 and cost_fn > 0)


def _value(name: str, corner: tuple[float, float, float], point: rh.conditions.OperatingPoint) -> float:
    if not _matters(*corner):
        return 0.0 if name == "expected_cost" else corner[2] * point.tpr
    condition = rh.ExpectedCost(*corner)
    return getattr(point, name)(condition)  # type: ignore[no-any-return]


def _paid(corner: tuple[Any, ...], point: rh.conditions.OperatingPoint) -> dict[str, float]:
    cost_fp, cost_fn, p = corner
    missed = 10_000 * p * (1 - point.tpr) * cost_fn
    return {"fp": 10_000 * (1 - p) * point.fpr * cost_fp, "fn": missed}


def _cells(prevalence: float, point: rh.conditions.OperatingPoint) -> dict[str, float | None]:
    positives, negatives = 10_000 * prevalence, 10_000 * (1 - prevalence)
    called = positives * point.tpr + negatives * point.fpr
    return {
        "tp": positives * point.tpr, "fp": negatives * point.fpr, "fn": positives * (1 - point.tpr),
        "tn": negatives * (1 - point.fpr), "positive_rate": called / 10_000,
        "accuracy": (positives * point.tpr + negatives * (1 - point.fpr)) / 10_000,
        "precision": positives * point.tpr / called if called else None,
    }  # fmt: skip


# --- comparing ---------------------------------------------------------------------------------------------


def differences(found: Any, wanted: Any, path: str = "", within: float = 1e-12) -> list[str]:
    """Return where two results differ; numbers may, by so much relative to them (and to 1e-3)."""
    if isinstance(wanted, dict):
        return [
            d
            for key, value in wanted.items()
            for d in differences(found[key], value, f"{path}.{key}", within)
        ]
    if isinstance(wanted, (list, tuple)) and isinstance(found, list) and len(found) == len(wanted):
        pairs = enumerate(zip(found, wanted, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{path}[{i}]", within)]
    if _is_number(wanted) and _is_number(found):
        near = found == wanted or abs(found - wanted) <= within * max(1e-3, abs(wanted))
        return [] if near else [f"{path}: {found!r} is not {wanted!r}"]
    return [] if found == wanted else [f"{path}: {found!r} is not {wanted!r}"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
