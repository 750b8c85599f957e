"""What the tests of documents share: one of each kind, how one is refused, and where everything in it is."""

import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rochull as rh
from multiclass_cases import policy as multiclass_policy
from rochull._core.schemas import checksum
from rochull.decisions.axes import Axis, Bins
from rochull.segments.rules import RuleTable

Document = dict[str, Any]
NEVER, ALWAYS = rh.conditions.Rule("never"), rh.conditions.Rule("always")
HULL = rh.roc_hull([1, 1, 1, 0, 1, 0, 0, 0], [6, 5, 5, 5, 3, 2, 2, 2.5])


def parsed(made: Any, **options: Any) -> Document:
    found: Document = json.loads(made.to_json(**options))
    return found


def policy() -> Document:
    """Vertices (0, 0), (0, 1), (1, 4), (4, 4)."""
    found = parsed(rh.Policy.from_hull(HULL, salt="x", about={"from": "a test"}))
    assert [(p["fp"], p["tp"]) for p in found["points"]] == [(0, 0), (0, 1), (1, 4), (4, 4)]
    return found


def monitor() -> Document:
    """One batch seen, of which an alarm was given."""
    limits = [rh.FalsePositiveRate() <= 0.25]
    watched = rh.Monitor(rh.Policy.from_hull(HULL), rh.Within(rh.ExpectedCost(1, 2, 0.5), limits))
    found = parsed(watched.update([6, 5, 2] * 5, [0, 0, 1] * 5, at="monday"))
    assert found["state"]["alarms"] == {"limits": "monday"}
    return found


def rule(classifier: str, threshold: float) -> rh.conditions.Rule:
    return rh.conditions.Rule("threshold", classifier, threshold)


def segment_policy() -> Document:
    """An axis of edges, one of categories, two segments, four vertices."""
    axes = (
        Axis("size", edges=(0.5, 2.0), missing=True),
        Axis(7, categories=("web", 4, 0.5, math.inf, True), missing=False),
    )
    bins = Bins(axes, np.arange(20) % 3 - 1, ("small", "large"))
    tables = [
        RuleTable(np.array([0, 1, 2, 3]), (NEVER, rule("a", 6.5), rule("b", 2), ALWAYS)),
        RuleTable(np.array([0, 2, 3]), (NEVER, rule("b", -math.inf), ALWAYS)),
        RuleTable(np.array([0, 1]), (NEVER, ALWAYS)),
    ]
    found = parsed(rh.segments.SegmentPolicy._of(HULL, bins, tables, "x", {"from": "a test"}))
    assert (found["fp"], found["tp"]) == ([0, 0, 1, 4], [0, 1, 4, 4])
    return found


def group_policy() -> Document:
    """One group of a vertex, one of an edge, and that of missing values."""
    hulls = {"a": HULL, 4: rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5]), None: HULL}
    made = rh.constrain_groups(hulls, rh.Accuracy(), "equal_tpr", salt="x")
    found = parsed(made.policy("sex", about={"from": "a test"}))
    never, threshold = {"kind": "never"}, {"kind": "threshold", "classifier": "score", "threshold": 6.5}
    plans = [{"kind": "decide", "rule": rule} for rule in (never, threshold)]
    mixture = {"kind": "lot", "plans": plans, "shares": [0.5, 0.5]}
    found["plan"]["branches"][1] = mixture  # the same, whatever is the best there
    return parsed(rh.groups.GroupPolicy.from_json(dumped(found)))


def fixed_policy() -> Document:
    """A mixture of two rules with reviews."""
    first = rh.conditions.BandRule(high=rule("a", 6.5), low=rule("a", 2))
    second = rh.conditions.BandRule(high=NEVER, low=rule("a", 0.5))
    point = rh.conditions.OperatingPoint(0.25, 0.5, ((first, 0.75), (second, 0.25)))
    return parsed(
        rh.policies.FixedPolicy.from_point(point, condition="x", salt="x", about={"from": "a test"})
    )


def saved_plan() -> Document:
    """A rule, or another classifier, by a first score."""
    from plan_cases import PLANS

    return parsed(rh.policies.SavedPlan.of(PLANS["asked"], condition="x", salt="x", about={"from": "a test"}))


def multiclass() -> Document:
    found = parsed(multiclass_policy(("a", 2, 0.5)))
    found["points"] = found["points"][:2]
    return found


def knob() -> Document:
    made = rh.Knob(HULL, alarm_rate=0.2, precision=0.5, capacity=7)
    made.feedback(presented=100, alarms=30, false_alarms=10)
    return parsed(made)


def pav(dtype: Any = np.float64) -> Document:
    """Blocks (2, 0), (2, 1), (0, 2) of a strict map, with infinite scores where the type has them."""
    scores = np.array([9, 8, 7, 6, 5, 3, 2]).astype(dtype)
    if scores.dtype.kind == "f":
        scores[[0, -1]] = math.inf, -math.inf
    calibrator = rh.PavCalibrator("linear", "laplace", True).fit(scores, [1, 1, 0, 1, 1, 0, 0])
    found = parsed(calibrator, about={"from": "a test"})
    assert [(b["pos"], b["neg"]) for b in found["blocks"]] == [(2, 0), (2, 1), (0, 2)]
    return found


HEADER = {"format": "rochull-calibrator", "version": 1, "about": {}, "pos_label": None, "checksum": ""}
FITTED = {"prevalence": 0.25, "fitted_at": 0.5, "targets": "platt"}
LOGISTIC = {**HEADER, "kind": "logistic", "slope": -2.0, "intercept": 0.5, **FITTED}
BETA = {**HEADER, "kind": "beta", "a": 1.0, "b": 0.5, "intercept": -0.5, **FITTED, "parameters": "am"}


def multiclass_calibrator() -> Document:
    rng, y = np.random.default_rng(0), np.repeat([0, 1, 2], 9)
    outputs = rng.dirichlet(np.ones(3), y.size) + np.eye(3)[y]
    return parsed(rh.multiclass.MulticlassCalibrator().fit(outputs / 2, y))


def refusal(kind: Any, text: str | bytes) -> str:
    """The message of its `from_json`, which is one short line."""
    with pytest.raises(kind.refusal) as caught:
        kind.from_json(text)
    message = str(caught.value)
    assert "\n" not in message
    assert "\r" not in message
    assert 20 < len(message) < 400
    assert caught.value.__cause__ is None
    assert isinstance(caught.value, ValueError)
    return message


def dumped(found: Any) -> str:
    if isinstance(found, dict) and "checksum" in found:
        found = {**found, "checksum": checksum(found)}  # what is tested is everything else
    return json.dumps(found)  # NaN and Infinity are written as such


def changed(document: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> str:
    """The text of a document in which something is done to a key of what holds it."""
    found = copy.deepcopy(document)
    holder: Any = found
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return dumped(found)


def put(document: Any, path: tuple[Any, ...], value: Any) -> str:
    """The text of a document with another value somewhere."""
    return changed(document, path, lambda holder, key: holder.__setitem__(key, copy.deepcopy(value)))


def remove(holder: Any, key: Any) -> None:
    """A change: the key goes."""
    del holder[key]


def named(path: tuple[Any, ...]) -> str:
    """How messages write a place."""
    return ".".join(map(str, path))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


JUNK = [None, True, False, -1, 0, 1.5, 10**400, math.nan, math.inf, "text", "", [], {}, [[]], {"a": 1}]


class Compared(str):
    """A text that counts how often it is compared."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)  # type: ignore[no-any-return]

    __hash__ = str.__hash__


def mutated(document: Document, rng: random.Random) -> str:
    """The text of a document in which up to three things are changed at random, checksum included."""
    found = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path = rng.choice([place for place in places(found) if place])
        holder: Any = found
        for key in path[:-1]:
            holder = holder[key]
        _mutate(found, holder, path[-1], rng)
    text = dumped(found)
    if rng.random() < 0.05:  # under one key twice, or cut off
        at = rng.randrange(len(text))
        text = (
            text[:at] + rng.choice(("", text[max(0, at - 9) : at], '"a": 1, "a": 2', "9" * 5000)) + text[at:]
        )
    return text


def _mutate(document: Document, holder: Any, key: Any, rng: random.Random) -> None:
    value = holder[key]
    elsewhere: Any = document
    for part in rng.choice(places(document)):
        elsewhere = elsewhere[part]
    numbers = [
        0,
        -1,
        1,
        2**31,
        2**53 + 1,
        2**62,
        2**63,
        2**64,
        2**1100,
        1e308,
        5e-324,
        -0.0,
        "inf",
        "-inf",
        "nan",
    ]
    ways = ["junk", "number", "elsewhere", "remove", "text"]
    if isinstance(value, list):
        ways += ["twice", "shuffle", "reverse", "many", "short"] * 2
    if isinstance(value, (int, float)):
        ways += ["near", "near", "near", "type"]
    match rng.choice(ways):
        case "junk":
            holder[key] = copy.deepcopy(rng.choice(JUNK))
        case "number":
            holder[key] = rng.choice(numbers)
        case "elsewhere":
            holder[key] = copy.deepcopy(elsewhere)
        case "remove":
            del holder[key]
        case "text":
            holder[key] = rng.choice(("", "a", "never", "always", "\u2028", "x" * 300, "\x00", "NaN"))
        case "twice":
            holder[key] = [*value, *copy.deepcopy(value)]
        case "shuffle":
            rng.shuffle(value)
        case "reverse":
            value.reverse()
        case "many":
            holder[key] = copy.deepcopy(value[:1]) * rng.choice((0, 3, 50))
        case "short":
            del value[rng.randrange(len(value) + 1) :]
        case "near":
            holder[key] = value + rng.choice(
                (1, -1, 1e-9 if isinstance(value, float) else 0, value, -2 * value)
            )
        case "type":
            holder[key] = rng.choice((str, bool, lambda number: -number))(value)
