"""Operating conditions: what is accepted, what is said otherwise, intervals and slopes."""

import dataclasses
import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.conditions.ranges import Rational, exact


def recall(fpr: float, tpr: float) -> float:
    return tpr


# (constructor, good arguments, parameter, what it must be)
PARAMETERS: list[tuple[Any, dict[str, Any], str, str]] = [
    *((rh.ExpectedCost, {}, name, "non-negative") for name in ("cost_fp", "cost_fn")),
    (rh.ExpectedCost, {}, "prevalence", "rate"),
    (rh.Accuracy, {}, "prevalence", "rate"),
    (rh.NeymanPearson, {"max_fpr": 0.1}, "max_fpr", "rate"),
    (rh.MinimumRecall, {"min_tpr": 0.1}, "min_tpr", "rate"),
    (rh.MinimumPrecision, {"min_precision": 0.1, "prevalence": 0.1}, "min_precision", "rate"),
    (rh.MinimumPrecision, {"min_precision": 0.1, "prevalence": 0.1}, "prevalence", "inner rate"),
    (rh.Capacity, {"fraction": 0.1, "prevalence": 0.1}, "fraction", "rate"),
    (rh.Capacity, {"fraction": 0.1, "prevalence": 0.1}, "prevalence", "rate"),
    (rh.Capacity, {"cases": 1, "population": 10, "prevalence": 0.1}, "cases", "non-negative"),
    (rh.Capacity, {"cases": 1, "population": 10, "prevalence": 0.1}, "population", "non-negative"),
    (rh.Constrained, {"utility": recall, "a": 1, "b": 1, "c": 1}, "a", "non-negative"),
    (rh.Constrained, {"utility": recall, "a": 1, "b": 1, "c": 1}, "b", "non-negative"),
    (rh.Constrained, {"utility": recall, "a": 1, "b": 1, "c": 1}, "c", "real"),
]
EVERY = pytest.mark.parametrize(
    ("make", "good", "name", "kind"), [pytest.param(*p, id=f"{p[0].__name__}-{p[2]}") for p in PARAMETERS]
)


@EVERY
def test_numbers_that_are_refused(make: Any, good: dict[str, Any], name: str, kind: str) -> None:
    for bad in (
        math.nan,
        math.inf,
        -math.inf,
        "0.5",
        None,
        True,
        np.True_,
        1j,
        [0.1],
        (0.1, 0.2, 0.3),
        ("a", 1),
    ):
        if bad is None and (make is rh.Capacity or name == "prevalence"):
            continue  # it is the default
        with pytest.raises(ValueError, match=name):
            make(**{**good, name: bad})
    with pytest.raises(ValueError, match=rf"{name} must be a finite number, but is nan"):
        make(**{**good, name: math.nan})
    with pytest.raises(ValueError, match=rf"{name} must be a finite number, but is 1000"):
        make(**{**good, name: 10**400})
    with pytest.raises(ValueError, match=rf"{name}=\(0\.9, 0\.1\) is an interval with low > high"):
        make(**{**good, name: (0.9, 0.1)})
    with pytest.raises(ValueError, match=rf"{name} must be a number or an interval \(low, high\)"):
        make(**{**good, name: (0.5,)})
    if kind == "non-negative":
        with pytest.raises(ValueError, match=rf"{name} must not be negative, but is -1"):
            make(**{**good, name: -1})
        with pytest.raises(ValueError, match=rf"{name} must not be negative, but is -0\.5"):
            make(**{**good, name: (-0.5, 1)})
    elif kind != "real":
        where = "strictly between 0 and 1" if kind == "inner rate" else "between 0 and 1"
        for bad in (-0.01, 1.01, (0.5, 2), (-1, 0.5)):
            with pytest.raises(ValueError, match=f"{name} must lie {where}, but is"):
                make(**{**good, name: bad})
    ends = (0, 1) if kind != "inner rate" else ()
    for end in ends:
        if not (name == "population" and end == 0):
            make(**{**good, name: end})
    if kind == "inner rate":
        for end in (0, 1, (0, 0.5), (0.5, 1)):
            with pytest.raises(ValueError, match=f"{name} must lie strictly between 0 and 1"):
                make(**{**good, name: end})


@EVERY
def test_intervals_are_kept_and_reported(make: Any, good: dict[str, Any], name: str, kind: str) -> None:
    condition = make(**{**good, name: (0.25, 0.5)})
    assert getattr(condition, name) == (0.25, 0.5)
    assert (*condition.question.spread,) == (name,)
    corners = condition.corners()
    assert [getattr(corner, name) for corner in corners] == [0.25, 0.5]
    assert all(type(corner) is type(condition) and corner.question.ranges == () for corner in corners)
    hull = rh.roc_hull([1, 0], [1, 0])
    message = rf"{name}=\(0\.25, 0\.5\) is an interval, so there is no single best rule"
    for deterministic in (False, True):
        with pytest.raises(rh.ImpreciseConditionError, match=message):
            hull.at(condition, deterministic)
    if name != "population":  # a batch is its own population
        with pytest.raises(rh.ImpreciseConditionError, match=message):
            rh.Policy.from_hull(hull).decide([1.0], condition)
    # A list is an interval too, and one of no length is a number.
    assert getattr(make(**{**good, name: [0.25, 0.5]}), name) == (0.25, 0.5)
    precise = make(**{**good, name: (0.5, 0.5)})
    assert (getattr(precise, name), precise.question.ranges) == (0.5, ())
    assert precise == make(**{**good, name: 0.5})


@EVERY
def test_numbers_are_stored_as_floats(make: Any, good: dict[str, Any], name: str, kind: str) -> None:
    for value in (np.float64(0.5), F(1, 2), np.float32(0.5), np.array(0.5)):
        stored = getattr(make(**{**good, name: value}), name)
        knows = isinstance(value, F) and name != "prevalence" and not name.startswith("cost_")  # limits
        assert (type(stored), stored) == (Rational if knows else float, 0.5)


def test_conditions_are_values() -> None:
    assert rh.NeymanPearson(0.1) == rh.NeymanPearson(max_fpr=0.1)
    assert len({rh.MinimumRecall(0.1), rh.MinimumRecall(0.1), rh.MinimumRecall(0.2)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        rh.NeymanPearson(0.1).max_fpr = 0.2  # type: ignore[misc]
    assert repr(rh.ExpectedCost(2, 3, (0.1, 0.2))) == (
        "ExpectedCost(cost_fp=2.0, cost_fn=3.0, prevalence=(0.1, 0.2))"
    )
    assert repr(rh.Accuracy((0.1, 0.2))) == "Accuracy(prevalence=(0.1, 0.2))"
    assert dataclasses.replace(rh.NeymanPearson(0.1), max_fpr=0.2) == rh.NeymanPearson(0.2)


# --- slopes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cost_fp", "cost_fn", "prevalence", "slope"),
    [
        (1, 1, 0.3, F(7, 3)),
        (1, 5, 0.2, F(4, 5)),
        (0.1, 0.3, 0.25, 1),
        (0, 1, 0.5, 0),
        (1, 1, 1, 0),
        (3, 7, 0.1, F(27, 7)),
    ],
)
def test_slopes(cost_fp: float, cost_fn: float, prevalence: float, slope: F) -> None:
    condition = rh.ExpectedCost(cost_fp, cost_fn, prevalence)
    of_fpr, of_miss = condition.weights
    assert of_fpr / of_miss == slope
    assert condition.slope == float(slope)
    assert condition.slope_range == (float(slope), float(slope))


def test_degenerate_slopes() -> None:
    assert rh.ExpectedCost(cost_fp=1e200, cost_fn=1e-200, prevalence=0.5).slope == math.inf
    assert rh.ExpectedCost(cost_fp=1e-200, cost_fn=1e200, prevalence=0.5).slope == 0
    assert rh.ExpectedCost(1, 0, prevalence=0.5).slope == math.inf
    assert rh.Accuracy(0).slope == math.inf
    assert rh.Accuracy(1).slope == 0
    for arguments in ((0, 0, 0.5), (1, 0, 1), (0, 1, 0), (0, (0, 1), 0), ((0, 1), 0, 1), (0, 0, (0.1, 0.2))):
        with pytest.raises(ValueError, match="no error that can occur costs anything"):
            rh.ExpectedCost(*arguments)
    assert rh.ExpectedCost((0, 1), 1, 0.5).slope_range == (0, 1)


def test_a_corner_of_a_box_may_be_free_of_cost() -> None:
    condition = rh.ExpectedCost((0, 1), 1, (0, 1))
    assert condition.corners() == tuple(rh.ExpectedCost(a, 1, p) for a, p in ((0, 1), (1, 0), (1, 1)))
    assert condition.slope_range == (0, math.inf)
    assert condition.question.center.asked == rh.ExpectedCost(0.5, 1, 0.5)
    assert len(rh.ExpectedCost((0, 1), (0, 1), 0.5).corners()) == 3
    assert rh.ExpectedCost((0, 1), 1, 0).corners() == (rh.ExpectedCost(1, 1, 0),)


def test_slope_range_is_that_of_the_box() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        box = [tuple(sorted(np.round(rng.uniform(0.01, 0.99, 2), 3).tolist())) for _ in range(3)]
        condition = rh.ExpectedCost(*box)
        low, high = condition.slope_range
        inside = [rh.ExpectedCost(*(rng.uniform(*side) for side in box)).slope for _ in range(50)]
        assert low <= min(inside)
        assert max(inside) <= high
        assert {c.slope for c in condition.corners()} >= {low, high}
        assert len(condition.corners()) == 2 ** len(condition.question.spread)
        for part in ("slope", "weights"):
            with pytest.raises(rh.ImpreciseConditionError, match="interval"):
                getattr(condition, part)
    accuracy = rh.Accuracy((0.1, 0.5))
    assert accuracy.slope_range == (1, 9)
    assert accuracy.corners() == (rh.Accuracy(0.1), rh.Accuracy(0.5))
    assert rh.Accuracy(0.1).corners() == (rh.Accuracy(0.1),)


def test_cost_is_that_of_the_confusion_matrix() -> None:
    condition = rh.ExpectedCost(cost_fp=3, cost_fn=7, prevalence=0.25)
    # 100 cases, 25 positive: 15 false positives of 75, 5 misses of 25.
    assert math.isclose(condition.cost(15 / 75, 20 / 25), (15 * 3 + 5 * 7) / 100)
    assert condition.cost(0, 1) == 0


def test_numbers_are_read_as_decimals() -> None:
    assert exact(0.1) == F(1, 10)
    assert exact(1e-300) == F(1, 10**300)
    assert exact(3) == 3
    assert exact(1 / 3) == F("0.3333333333333333")


# --- capacity -----------------------------------------------------------------------------------


def test_capacity_share() -> None:
    assert rh.Capacity(200, 10_000, 0.1).share == 1 / 50
    assert rh.Capacity(cases=1, population=3, prevalence=0.1).share == 1 / 3
    assert rh.Capacity(cases=5, population=3, prevalence=0.1).share == 5 / 3
    assert rh.Capacity(fraction=0.01, prevalence=0.1).share == 1 / 100
    with pytest.raises(rh.ImpreciseConditionError, match="cases"):
        _ = rh.Capacity(cases=(1, 2), population=3, prevalence=0.1).share


def test_capacity_needs_one_way_to_say_it() -> None:
    for arguments in (
        {},
        {"population": 1},
        {"fraction": 0.1, "cases": 1},
        {"fraction": 0.1, "population": 1},
        {"fraction": 0.1, "cases": 1, "population": 10},
    ):
        with pytest.raises(ValueError, match="either cases and population, or fraction"):
            rh.Capacity(prevalence=0.1, **arguments)
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert hull.at(rh.Capacity(cases=2, population=4)) == hull.at(rh.Capacity(fraction=0.5, prevalence=0.5))
    for alone in (rh.Capacity(cases=2), rh.Capacity(cases=2, prevalence=0.5)):
        for ask in (hull.at, rh.Hybrid().add("a", [1, 0], [2, 1]).regret, lambda c: c.share):
            with pytest.raises(ValueError, match=r"^population is needed for an operating point: Capacity"):
                ask(alone)
        decided = rh.Policy.from_hull(hull).decide([0.95, 0.9, 0.8, 0.2], alone, key=[1, 2, 3, 4])
        assert decided.sum() == 2  # a batch keeps it by its own alarms
    for zero in (0, (0, 5)):
        with pytest.raises(ValueError, match="population must be positive"):
            rh.Capacity(1, zero, 0.1)  # type: ignore[arg-type]


def test_net_benefit_is_the_cost_saved_in_hits() -> None:
    """Beside calling nothing positive, in the unit of a miss (Vickers & Elkin 2006)."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        cost_fp, cost_fn, p, fpr, tpr = (float(number) for number in rng.uniform(0.01, 1, 5).round(3))
        condition = rh.ExpectedCost(cost_fp, cost_fn, p)
        saved = condition.cost(0, 0) - condition.cost(fpr, tpr)
        assert condition.net_benefit(fpr, tpr) == pytest.approx(saved / cost_fn, abs=1e-12)
        assert rh.conditions.OperatingPoint(fpr, tpr, ()).net_benefit(condition) == condition.net_benefit(
            fpr, tpr
        )
    # At a threshold probability of 20 % a false alarm costs a quarter of a hit.
    assert rh.ExpectedCost(0.2, 0.8, 0.3).net_benefit(0.5, 0.9) == pytest.approx(0.27 - 0.7 * 0.5 / 4)
    assert rh.Accuracy(0.3).net_benefit(0, 1) == 0.3


def test_net_benefit_where_misses_cost_nothing() -> None:
    free = rh.ExpectedCost(1, 0, 0.3)
    assert free.net_benefit(0.1, 0.5) == -math.inf
    assert free.net_benefit(0, 0.5) == 0.15
    assert rh.ExpectedCost(1, 0, 0).net_benefit(1, 1) == -math.inf
    assert rh.ExpectedCost(0, 1, 0.3).net_benefit(1, 0.5) == 0.15
    assert rh.ExpectedCost(1, 5, 1).net_benefit(1, 0.5) == 0.5
    assert rh.ExpectedCost(1e300, 1e-300, 0.5).net_benefit(0.5, 1) == -math.inf
    with pytest.raises(rh.ImpreciseConditionError):
        rh.ExpectedCost(1, (1, 5), 0.3).net_benefit(0, 1)


# --- utilities ----------------------------------------------------------------------------------


def test_utilities() -> None:
    with pytest.raises(ValueError, match=r"function must be callable, but is 0\.5"):
        rh.Utility(0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"function must be callable, but is 0\.5"):
        rh.Constrained(0.5, 1, 1, 1)  # type: ignore[arg-type]
    assert rh.Constrained(recall, 1, 1, 1) == rh.Constrained(rh.Utility(recall), 1, 1, 1)
    assert rh.Utility(recall).question.ranges == ()
    assert rh.Constrained(recall, 1, 1, -5).c == -5


def test_spellings_are_one_question() -> None:
    recall, fpr = rh.Recall(), rh.FalsePositiveRate()
    utility = rh.Utility(recall.value)
    for named, *others in (
        (rh.NeymanPearson(0.1), rh.Within(recall, fpr <= 0.1), rh.Within(rh.NeymanPearson(0.1), [])),
        (rh.NeymanPearson(0.1, 0.9), rh.Within(recall, fpr <= 0.1, 0.9)),
        (
            rh.MinimumRecall(0.9),
            rh.Within(fpr, recall >= 0.9),
            rh.Within(rh.MinimumRecall(0.9), recall >= 0.9),
        ),
        (rh.MinimumPrecision(0.5, 0.1), rh.Within(recall, rh.Precision(0.1) >= 0.5)),
        (rh.Capacity(fraction=0.2), rh.Within(recall, rh.AlarmRate() <= 0.2)),
        (rh.ExpectedCost(1, 1, 0.2), rh.Accuracy(0.2), rh.Within(rh.Accuracy(0.2), [])),
        (rh.Constrained(utility, 0, 2, 0.2), rh.Within(utility, fpr <= 0.1)),
    ):
        for other in others:
            assert named.question == other.question
            assert hash(named.question) == hash(other.question)
    kept, rough = rh.Within(recall, rh.Precision((0.1, 0.2)) >= 0.5), rh.MinimumPrecision(0.5, (0.1, 0.2))
    assert kept.question != rough.question  # kept throughout, and known roughly
    assert repr(rh.Within(recall, fpr <= 0.1).question) == "NeymanPearson(max_fpr=0.1, confidence=None)"


def test_spellings_give_one_kind_one_sentence_and_the_same_parameters() -> None:
    hybrid = rh.Hybrid().add("a", [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    recall, limit = rh.Recall(), rh.FalsePositiveRate() <= 0.25
    spellings = [rh.NeymanPearson(0.25), rh.Within(recall, limit), rh.Constrained(recall, 0, 1, 0.25)]
    spellings += [rh.Within(rh.NeymanPearson(0.25), []), rh.Within(rh.Within(recall, []), limit)]
    reports = [rh.Report(hybrid, each).facts for each in spellings]
    for name in ("kind", "parameters", "text", "clause", "limits", "n_limits"):
        assert len({str(facts["condition"][name]) for facts in reports}) == 1
    assert len({str(facts["chosen"]) for facts in reports}) == 1
    assert reports[1]["condition"]["kind"] == "NeymanPearson"
    costs = [
        rh.Report(hybrid, each).facts["condition"] for each in (rh.Accuracy(0.2), rh.ExpectedCost(1, 1, 0.2))
    ]
    assert costs[0]["kind"] == costs[1]["kind"] == "ExpectedCost"
    assert costs[0]["text"] == costs[1]["text"]


def test_where_a_limit_is_kept_is_told_by_the_numbers() -> None:
    table = rh.datasets.load("german_credit_scores")
    y = table["class"] == "bad"
    hybrid = rh.Hybrid().add("tree", y, table["tree"]).add("boosted", y, table["boosted"])
    condition = rh.Within(rh.ExpectedCost(1, 20, 0.1), [rh.Precision() >= 0.25])
    point = hybrid.at(condition)
    assert point.precision(0.1) == pytest.approx(0.25)
    assert point.precision() == pytest.approx(0.5625)
    text = " ".join(rh.Report(hybrid, condition).to_text().split())
    assert "The limit is kept if 10 % of the cases are positive, by the rates of the past cases" in text
    plain = rh.Within(rh.ExpectedCost(1, 1, 0.1), [rh.Recall() >= 0.8])
    assert "The limit is kept on the past cases of this report" in " ".join(
        rh.Report(hybrid, plain).to_text().split()
    )


def test_thresholds_of_segments_under_a_measure() -> None:
    table = rh.datasets.load("german_credit_scores")
    model = rh.ErrorRedistribution(bins=2).fit(table["tree"], table["class"] == "bad", aux=table["boosted"])
    assert set(model.thresholds(rh.Youden())) == set(model.thresholds(rh.ExpectedCost()))


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (rh.ExpectedCost, "fp", r"ExpectedCost does not take 'fp'; its parameters: 'cost_fp', 'cost_fn', "),
        (rh.ExpectedCost, "cost_n", r"'prevalence'\. Did you mean 'cost_fn'\?"),
        (
            rh.NeymanPearson,
            "fpr",
            r"NeymanPearson does not take 'fpr'; .*'max_fpr'.* Did you mean 'max_fpr'\?",
        ),
    ],
)
def test_a_name_that_is_not_a_parameter(kind: Any, given: str, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        kind(**{given: 1})
