"""The knob runs along the hull, and outcomes turn it to its target whatever the hull or the stream do.

The streams are binomial counts at the true rates of the knob's rules, of normal scores whose prevalence,
shift and spread may change from batch to batch. Tolerances are stated beside each.
"""

import itertools
import json
import math
from collections.abc import Callable
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses

SEPARATION = 1.5


def normal_hull(prevalence: float = 0.05, n: int = 6_000, separation: float = SEPARATION) -> rh.RocHull:
    rng = np.random.default_rng(0)
    y = (rng.random(n) < prevalence).astype(int)
    return rh.roc_hull(y, rng.normal(size=n) + separation * y)


HULL = normal_hull()


def by_exact_walk(hull: rh.RocHull, position: float) -> tuple[F, F]:
    """The twin: walk the edges in fractions until (fpr + tpr) / 2 is the position."""
    points = [hull.frontier.point(i) for i in range(len(hull))]
    for (x0, y0), (x1, y1) in itertools.pairwise(points):
        if F(position) <= (x1 + y1) / 2:
            share = (F(position) - (x0 + y0) / 2) / ((x1 + y1 - x0 - y0) / 2)
            return x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    raise AssertionError("beyond the last vertex")


@st.composite
def hulls(draw: Any) -> rh.RocHull:
    y = [0, 1, *draw(st.lists(st.integers(0, 1), max_size=30))]
    score = draw(st.lists(st.integers(0, 9), min_size=len(y), max_size=len(y)))
    weight = draw(st.none() | st.lists(st.floats(0.1, 9), min_size=len(y), max_size=len(y)))
    return rh.roc_hull(y, score, sample_weight=weight)


# --- the number -----------------------------------------------------------------------------------


@given(hull=hulls(), positions=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_positions_run_along_the_hull(hull: rh.RocHull, positions: list[float]) -> None:
    knob = rh.Knob(hull)
    points = [knob.at(t) for t in sorted(positions)]
    for t, point in zip(sorted(positions), points, strict=True):
        x, y = by_exact_walk(hull, t)
        assert (point.fpr, point.tpr) == pytest.approx((float(x), float(y)), abs=1e-15)
        assert sum(share for _, share in point.rules) == 1
        assert point.source == ("vertex" if len(point.rules) == 1 else "edge")
    assert [p.fpr for p in points] == sorted(p.fpr for p in points)
    assert [p.tpr for p in points] == sorted(p.tpr for p in points)


@given(hull=hulls())
def test_vertices_have_positions_of_their_own(hull: rh.RocHull) -> None:
    knob = rh.Knob(hull)
    positions = []
    for i in range(len(hull)):
        x, y = map(float, hull.frontier.point(i))
        positions.append(knob.position_of(rh.conditions.OperatingPoint(x, y, ((hull.owners[i][0], 1.0),))))
        assert (knob.at(positions[-1]).fpr, knob.at(positions[-1]).tpr) == (x, y)
        assert len(knob.at(positions[-1]).rules) == 1
        assert knob.at(positions[-1], deterministic=True) == knob.at(positions[-1])
    assert positions == sorted(set(positions))
    assert (positions[0], positions[-1]) == (0, 1)
    for left, right in itertools.pairwise(positions):
        near_left, near_right = left + 0.4 * (right - left), left + 0.6 * (right - left)
        assert knob.at(near_left, deterministic=True) == knob.at(left)
        assert knob.at(near_right, deterministic=True) == knob.at(right)


def test_vertical_and_horizontal_edges() -> None:
    knob = rh.Knob(rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]))  # perfect: up, then right
    assert [(p.fpr, p.tpr) for p in map(knob.at, (0, 0.25, 0.5, 0.75, 1))] == [
        (0, 0),
        (0, 0.5),
        (0, 1),
        (0.5, 1),
        (1, 1),
    ]
    assert str(knob.at(0)) == "fpr 0, tpr 0: never"
    assert str(knob.at(1)) == "fpr 1, tpr 1: always"
    assert str(knob.at(0.5)) == "fpr 0, tpr 1: score >= 3"


@pytest.mark.parametrize(
    "condition",
    [
        rh.ExpectedCost(cost_fn=20, prevalence=0.05),
        rh.NeymanPearson(0.03),
        rh.MinimumRecall(0.7),
        rh.Capacity(fraction=0.1, prevalence=0.05),
        rh.MinimumPrecision(0.4, prevalence=0.05),
    ],
)
def test_the_position_of_a_condition(condition: rh.NeymanPearson) -> None:
    knob = rh.Knob(HULL)
    wanted = HULL.at(condition)
    knob.position = knob.position_of(condition)
    assert knob.position == pytest.approx((wanted.fpr + wanted.tpr) / 2, abs=1e-15)
    assert (knob.at().fpr, knob.at().tpr) == pytest.approx((wanted.fpr, wanted.tpr), abs=1e-14)


def test_a_point_below_the_hull_is_improved() -> None:
    knob = rh.Knob(HULL)
    point = rh.conditions.OperatingPoint(0.3, 0.5, ((rh.conditions.Rule("threshold", "other", 1.0), 1.0),))
    found = knob.at(knob.position_of(point))
    assert found.fpr < 0.3
    assert found.tpr > 0.5


def test_turning_by_hand() -> None:
    knob = rh.Knob(HULL, lowest=0.1, highest=0.8)
    assert knob.position == 0.5
    assert knob.turn(0.125) == knob.position == 0.625
    assert knob.turn(9) == 0.8
    assert knob.turn(-9) == 0.1
    knob.position = 0.25
    for _ in range(10):
        assert knob.feedback(presented=1_000, alarms=900) == 0.25  # it learns, but has no target
    assert knob.alarm_rate == pytest.approx(0.9, abs=0.01)
    assert knob.unmet is None
    assert "Knob(0.25 of Policy(" in repr(knob)
    assert repr(rh.Knob(HULL, alarm_rate=0.1, precision=0.2)).endswith(
        "target alarm_rate 0.1, precision 0.2)"
    )


def test_decisions_are_those_of_the_policy() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    scores = {"a": rng.normal(size=500) + y, "b": rng.normal(size=500) + 2 * y}
    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"])
    policy = hybrid.policy(salt="s")
    for knob in (rh.Knob(policy), rh.Knob(hybrid.hull)):
        for t in (0, 0.111, 0.4, 0.77, 1):
            knob.position = t
            key = np.arange(500)
            assert np.array_equal(
                knob.decide(scores, key=key), knob.policy.decide(scores, knob.at(t), key=key)
            )
            called = knob.decide(scores, random_state=0)
            rate = np.mean(called)
            promised = np.mean(y) * knob.at().tpr + np.mean(1 - y) * knob.at().fpr
            assert rate == pytest.approx(promised, abs=0.03)
    # Of one salt, who is called positive at a position is called so at a higher one on the same edge.
    lower, higher = (policy.decide(scores, rh.Knob(policy).at(t), key=np.arange(500)) for t in (0.40, 0.401))
    assert not np.any(lower & ~higher)


# --- feedback: streams ----------------------------------------------------------------------------


def true_rates(point: rh.conditions.OperatingPoint, shift: float = 0.0, spread: float = 1.0) -> np.ndarray:
    """(fpr, tpr) in a population of normal scores, shifted and spread."""
    rates = np.zeros(2)
    for rule, share in point.rules:
        if rule.threshold is not None:
            z = (rule.threshold - shift) / spread / math.sqrt(2)
            rates += share / 2 * np.array([math.erfc(z), math.erfc(z - SEPARATION / math.sqrt(2))])
        else:
            rates += share * (rule.kind == "always")
    return rates


Series = Callable[[int], float]


def stream(
    knob: rh.Knob,
    batches: int,
    *,
    presented: Callable[[int], int] = lambda k: 1_000,
    prevalence: Series = lambda k: 0.05,
    shift: Series = lambda k: 0.0,
    spread: Series = lambda k: 1.0,
    seed: int = 1,
    verdicts: bool = True,
) -> dict[str, np.ndarray]:
    """Batches of outcomes, fed back; the true alarm rate, precision and recall of each (batches,)."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(batches):
        fpr, tpr = true_rates(knob.at(), shift(k), spread(k))
        pi, n = prevalence(k), presented(k)
        rate = pi * tpr + (1 - pi) * fpr
        positives = rng.binomial(n, pi)
        true, false = int(rng.binomial(positives, tpr)), int(rng.binomial(n - positives, fpr))
        rows.append((rate, pi * tpr / max(rate, 1e-300), tpr, true + false, knob.position))
        knob.feedback(presented=n, alarms=true + false, false_alarms=false if verdicts else None)
    columns = np.array(rows).T
    return dict(zip(("rate", "precision", "recall", "alarms", "position"), columns, strict=True))


def ramp(start: float, stop: float, first: int, last: int) -> Series:
    return lambda k: start + (stop - start) * min(1.0, max(0.0, (k - first) / (last - first)))


def sudden(start: float, stop: float, first: int) -> Series:
    return lambda k: stop if k >= first else start


CHANGES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "another prevalence": {"prevalence": lambda k: 0.01},
    "prevalence from 1% to 10%": {"prevalence": ramp(0.01, 0.10, 50, 150)},
    "prevalence from 10% to 1%": {"prevalence": ramp(0.10, 0.01, 50, 150)},
    "sudden prevalence": {"prevalence": sudden(0.02, 0.10, 100)},
    "scores rise": {"shift": ramp(0.0, 1.0, 50, 150)},
    "scores jump up": {"shift": sudden(0.0, 1.0, 100)},
    "scores jump down": {"shift": sudden(0.0, -1.0, 100)},
    "scores jump far up": {"shift": sudden(0.0, 6.0, 100)},
    "scores widen": {"spread": sudden(1.0, 2.0, 100)},
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_alarm_rate_is_kept(change: str) -> None:
    """From 50 batches after the last change: within 3% on the whole, 8% (standard deviation) each batch.

    One over the root of 2 * 200 is 5%.
    """
    found = stream(rh.Knob(HULL, alarm_rate=0.03), 400, verdicts=False, **CHANGES[change])["rate"][200:]
    assert found.mean() == pytest.approx(0.03, rel=0.03)
    assert found.std() < 0.08 * 0.03


@pytest.mark.parametrize("change", ["scores rise", "prevalence from 1% to 10%"])
def test_a_slow_drift_is_followed_on_the_way(change: str) -> None:
    """While the stream drifts for 100 batches, about as fast as 200 alarms come, the rate lags by 15%."""
    found = stream(rh.Knob(HULL, alarm_rate=0.03), 150, verdicts=False, **CHANGES[change])["rate"][50:]
    assert found.mean() == pytest.approx(0.03, rel=0.15)
    fixed = stream(rh.Knob(HULL, position=rh.Knob(HULL, alarm_rate=0.03).position), 150, **CHANGES[change])
    assert abs(fixed["rate"][-1] / 0.03 - 1) > 0.25  # what would happen without feedback


@pytest.mark.parametrize("change", ["nothing", "sudden prevalence", "scores jump up"])
def test_a_capacity_is_kept(change: str) -> None:
    """Batches of 500 to 1,500 cases: alarms within 5% of the capacity on the whole."""
    knob = rh.Knob(HULL, capacity=40)
    sizes: Callable[[int], int] = lambda k: (500, 1_000, 1_500)[k % 3]  # noqa: E731
    alarms = stream(knob, 400, presented=sizes, verdicts=False, **CHANGES[change])["alarms"]
    assert alarms[0] == 0  # the number of cases is not known yet
    assert alarms[200:].mean() == pytest.approx(40, rel=0.05)
    knob.feedback(capacity=10)  # fewer people from now on
    alarms = stream(knob, 60, presented=sizes, seed=2, verdicts=False, **CHANGES["nothing"])["alarms"]
    if change == "nothing":
        assert alarms.mean() == pytest.approx(10, rel=0.12)


@pytest.mark.parametrize(
    "change", ["nothing", "prevalence from 1% to 10%", "sudden prevalence", "scores jump down", "scores rise"]
)
def test_a_precision_is_kept(change: str) -> None:
    """The last 200 of 500 batches: within 0.03 of a precision of 0.4 on the whole."""
    found = stream(rh.Knob(HULL, precision=0.4), 500, **CHANGES[change])["precision"][300:]
    assert found.mean() == pytest.approx(0.4, abs=0.03)
    assert found.std() < 0.04


SETTINGS = [rh.Knob(HULL).at(t) for t in np.linspace(0, 1, 401)]


def clairvoyant(wanted: float, pi: float, shift: float, target: str) -> float:
    """True positives a case at the best position for somebody who knows the population."""
    best = 0.0
    for fpr, tpr in (true_rates(point, shift) for point in SETTINGS):
        rate = pi * tpr + (1 - pi) * fpr
        if target == "capacity":
            best = max(best, pi * tpr * min(1.0, wanted / max(rate, 1e-300)))
        elif pi * tpr >= wanted * rate:
            best = max(best, pi * tpr)
    return best


@pytest.mark.parametrize("drift", ["prevalence", "scores"])
def test_regret_against_a_clairvoyant(drift: str) -> None:
    """Positives found with 30 hands for 1,000 cases: at most 5% fewer than by a clairvoyant setting.

    Alarms beyond the capacity are left lying, whichever they are; hands without an alarm are idle.
    """
    prevalence = ramp(0.01, 0.10, 50, 250) if drift == "prevalence" else lambda k: 0.05
    shift = sudden(0.0, 1.0, 150) if drift == "scores" else lambda k: 0.0
    start = rh.Knob(HULL, alarm_rate=0.03, prevalence=prevalence(0)).position
    regrets = {}
    for name, knob in {
        "turned": rh.Knob(HULL, capacity=30, position=start),
        "fixed": rh.Knob(HULL, position=start),
    }.items():
        found = stream(knob, 300, prevalence=prevalence, shift=shift)
        worked = np.minimum(1.0, 0.03 / found["rate"])
        pis = np.array([prevalence(k) for k in range(300)])
        caught = float(np.sum(pis * found["recall"] * worked))
        best = {
            (pi, s): clairvoyant(0.03, pi, s, "capacity")
            for pi, s in {(round(prevalence(k), 2), shift(k)) for k in range(300)}
        }
        most = sum(best[round(prevalence(k), 2), shift(k)] for k in range(300))
        regrets[name] = 1 - caught / most
    assert -0.01 < regrets["turned"] < 0.05
    assert regrets["fixed"] > 2 * regrets["turned"]


def test_regret_of_a_precision() -> None:
    """Prevalence from 1% to 10%: recall within 0.08 of a clairvoyant's after the drift, precision kept."""
    found = stream(rh.Knob(HULL, precision=0.4), 400, **CHANGES["prevalence from 1% to 10%"])
    best = clairvoyant(0.4, 0.10, 0.0, "precision") / 0.10
    assert found["recall"][250:].mean() == pytest.approx(best, abs=0.08)


# --- feedback: extremes ---------------------------------------------------------------------------


def test_nothing_is_learnt_from_nothing() -> None:
    knob = rh.Knob(HULL, alarm_rate=0.03, precision=0.2)
    before = knob.to_json()
    assert knob.feedback(presented=0, alarms=0, false_alarms=0) == knob.position
    assert knob.to_json() == before
    knob.feedback(alarms=0, false_alarms=0)
    assert knob.to_json() == before


@pytest.mark.parametrize("size", [1, 7])
def test_tiny_batches(size: int) -> None:
    """12,000 cases one by one, or 7 at a time: as good as in large batches."""
    found = stream(rh.Knob(HULL, alarm_rate=0.1), 12_000 // size, presented=lambda k: size, verdicts=False)
    tail = found["rate"][len(found["rate"]) // 2 :]
    assert tail.mean() == pytest.approx(0.1, rel=0.05)
    assert tail.std() < 0.08 * 0.1


def test_silence_opens_the_knob() -> None:
    """No alarm at all: it opens step by step, without a leap and without end."""
    knob = rh.Knob(HULL, alarm_rate=0.03)
    positions = [knob.position, *(knob.feedback(presented=1_000, alarms=0) for _ in range(200))]
    assert positions == sorted(positions)
    assert max(np.diff(positions)) < 0.25
    assert positions[-1] > 0.999
    assert positions[-1] < 1  # where it could not learn that alarms came back
    back = stream(knob, 300, verdicts=False)["rate"]
    assert back[100:].mean() == pytest.approx(0.03, rel=0.05)


def test_a_flood_closes_the_knob() -> None:
    knob = rh.Knob(HULL, alarm_rate=0.03)
    positions = [knob.position, *(knob.feedback(presented=1_000, alarms=1_000) for _ in range(200))]
    assert positions == sorted(positions, reverse=True)
    assert 0 < positions[-1] < 1e-6
    back = stream(knob, 400, verdicts=False)["rate"]
    assert back[200:].mean() == pytest.approx(0.03, rel=0.05)


def test_huge_batches_learn_at_once() -> None:
    found = stream(rh.Knob(HULL, alarm_rate=0.03), 12, presented=lambda k: 10**7, shift=lambda k: 0.7)
    assert found["rate"][0] > 0.06
    assert found["rate"][6:] == pytest.approx(np.full(6, 0.03), rel=0.02)


@pytest.mark.parametrize("spread", [0.2, 0.05])
@pytest.mark.parametrize("size", [1_000, 100_000])
def test_scores_that_answer_more_than_the_hull_says(spread: float, size: int) -> None:
    """All scores crowd together, so a small turn does much: it must not swing between the extremes."""
    knob = rh.Knob(HULL, alarm_rate=0.03)
    crowd = {"spread": sudden(1.0, spread, 20), "shift": lambda k: -0.3}
    found = stream(knob, 500, presented=lambda k: size, verdicts=False, **crowd)["rate"][200:]
    assert found.mean() == pytest.approx(0.03, rel=0.15)
    assert found.std() < 0.6 * 0.03


def test_outcomes_that_come_late() -> None:
    """Verdicts 5 batches after the alarms, in calls of their own, told where the knob stood."""
    rng = np.random.default_rng(4)
    knob = rh.Knob(HULL, precision=0.4)
    waiting: list[tuple[float, int, int]] = []
    precisions = []
    for k in range(600):
        fpr, tpr = true_rates(knob.at())
        pi = 0.05 if k < 200 else 0.1
        true, false = int(rng.binomial(1_000 * pi, tpr)), int(rng.binomial(1_000 * (1 - pi), fpr))
        precisions.append(pi * tpr / (pi * tpr + (1 - pi) * fpr))
        waiting.append((knob.position, true + false, false))
        knob.feedback(presented=1_000, alarms=true + false)
        if len(waiting) > 5:
            position, alarms, false_alarms = waiting.pop(0)
            knob.feedback(alarms=alarms, false_alarms=false_alarms, position=position)
    assert np.mean(precisions[400:]) == pytest.approx(0.4, abs=0.03)
    assert np.std(precisions[400:]) < 0.05
    assert knob.alarm_rate == pytest.approx(
        float(np.array([0.9, 0.1]) @ true_rates(knob.at())), rel=0.15
    )  # learnt besides
    assert knob.precision == pytest.approx(0.4, abs=0.01)
    assert knob.prevalence == pytest.approx(0.1, abs=0.03)


def test_several_targets_the_strictest_counts() -> None:
    both = rh.Knob(HULL, alarm_rate=0.5, precision=0.4)
    rate, precision = rh.Knob(HULL, alarm_rate=0.5), rh.Knob(HULL, precision=0.4)
    assert both.position == precision.position < rate.position
    assert rh.Knob(HULL, alarm_rate=0.001, precision=0.4).position == pytest.approx(0.01)
    assert stream(both, 300)["precision"][100:].mean() == pytest.approx(0.4, abs=0.03)


# --- what cannot be met ---------------------------------------------------------------------------


def test_a_precision_out_of_reach_is_said() -> None:
    knob = rh.Knob(HULL, precision=0.95)
    found = stream(knob, 200, prevalence=lambda k: 0.001)
    assert knob.position == 0.01
    assert np.all(found["position"][20:] == 0.01)  # it sits at its end
    assert knob.unmet is not None
    assert knob.unmet.startswith("precision=0.95 is out of reach: the highest seems to be 0.")
    # And comes back when there is more to find.
    found = stream(knob, 400, prevalence=lambda k: 0.7)
    assert knob.unmet is None
    assert found["precision"][200:].mean() == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(("precision", "prevalence"), [(0.5, 0.05), (0.6, 0.05), (0.3, 0.2)])
def test_a_precision_of_no_alarms_is_said(precision: float, prevalence: float, tmp_path: Path) -> None:
    knob = rh.Knob(HULL, precision=precision, prevalence=prevalence)
    stream(knob, 5, prevalence=lambda k: prevalence)
    assert knob.unmet is None
    found = stream(knob, 60, shift=lambda k: -6.0, prevalence=lambda k: prevalence)
    assert found["alarms"][10:].sum() == 0
    assert str(knob.unmet).startswith(f"precision={precision:g} cannot be learnt: no alarm has come where")
    knob.save(tmp_path / "knob.json")
    assert rh.Knob.load(tmp_path / "knob.json").unmet == knob.unmet
    knob.feedback(presented=0, alarms=0)  # a day without cases changes nothing
    assert knob.unmet is not None
    stream(knob, 2, prevalence=lambda k: prevalence)  # the old scores are back
    assert knob.unmet is None


def test_few_cases_without_an_alarm_are_no_silence() -> None:
    knob = rh.Knob(HULL, precision=0.5)
    few = int(9.9 / knob.alarm_rate)
    knob.feedback(presented=few, alarms=0, false_alarms=0)
    assert knob.unmet is None
    knob.feedback(presented=few, alarms=0, false_alarms=0)
    assert knob.unmet is not None
    rate = rh.Knob(HULL, alarm_rate=0.1)  # this one opens, and needs no words
    rate.feedback(presented=10_000, alarms=0)
    assert rate.unmet is None


def test_a_precision_that_everything_meets() -> None:
    knob = rh.Knob(HULL, precision=0.03)
    assert knob.position == 1
    assert knob.unmet is None
    found = stream(knob, 100, prevalence=ramp(0.05, 0.01, 20, 60))
    assert found["position"][20] == 1
    assert found["precision"][-1] == pytest.approx(0.03, abs=0.01)


def test_a_capacity_that_is_not_filled() -> None:
    knob = rh.Knob(HULL, capacity=100)
    assert (knob.position, knob.unmet) == (0, None)
    for _ in range(3):
        knob.feedback(presented=80, alarms=0 if knob.position == 0 else 80)
    assert knob.position == 1
    assert knob.unmet == "capacity=100 is not filled by all of about 80 cases."
    for _ in range(20):
        knob.feedback(presented=4_000, alarms=4_000 if knob.position == 1 else 100)
    assert 0 < knob.position < 1
    assert knob.unmet is None
    assert rh.Knob(HULL, capacity=0).feedback(presented=50, alarms=0) == 0


def test_a_range_that_the_target_is_outside_of() -> None:
    knob = rh.Knob(HULL, alarm_rate=0.5, highest=0.2)
    assert knob.position == 0.2
    assert knob.unmet is not None
    assert "beyond the highest position of 0.2" in knob.unmet
    knob = rh.Knob(HULL, alarm_rate=0.001, lowest=0.3)
    assert knob.position == 0.3
    assert "beyond the lowest position of 0.3" in str(knob.unmet)


@pytest.mark.parametrize(("target", "position"), [(0, 0), (1, 1)])
def test_rates_at_the_ends(target: float, position: float) -> None:
    knob = rh.Knob(HULL, alarm_rate=target)
    assert knob.position == position == knob.feedback(presented=100, alarms=100 * target)
    assert rh.Knob(HULL, precision=0).position == 1
    assert rh.Knob(HULL, precision=1).position == 0.01


@given(hull=hulls(), target=st.floats(0.001, 0.999))
def test_it_starts_where_the_hull_promises_the_target(hull: rh.RocHull, target: float) -> None:
    pos, neg = hull.n_pos / hull.units.pos, hull.n_neg / hull.units.neg
    pi = pos / (pos + neg)
    point = rh.Knob(hull, alarm_rate=target).at()
    assert pi * point.tpr + (1 - pi) * point.fpr == pytest.approx(target, abs=1e-9)
    point = rh.Knob(hull, alarm_rate=target, prevalence=0.3).at()
    assert 0.3 * point.tpr + 0.7 * point.fpr == pytest.approx(target, abs=1e-9)
    knob = rh.Knob(hull, precision=target, lowest=0)
    if knob.unmet is None:
        found, best = knob.at(), hull.at(rh.MinimumPrecision(round(target - 1e-9, 12), pi))
        assert pi * found.tpr >= target * (pi * found.tpr + (1 - pi) * found.fpr) - 1e-9
        if best.fpr > 0 and best.tpr < 1:  # else half a false positive is expected, or more cost nothing
            assert (found.fpr, found.tpr) == pytest.approx((best.fpr, best.tpr), abs=1e-5)


def test_a_hull_of_rates() -> None:
    hull = rh.RocHull.from_rates([0.0, 0.2], [0.4, 0.8], [0.9, 0.5])
    with pytest.raises(ValueError, match="made from given rates, which have none; give the proportion"):
        rh.Knob(hull, alarm_rate=0.2)
    assert rh.Knob(hull, alarm_rate=0.2, prevalence=0.5).at().tpr == pytest.approx(0.4)
    knob = rh.Knob(hull, precision=0.9, prevalence=0.5)
    assert knob.at().tpr / (knob.at().tpr + knob.at().fpr) == pytest.approx(0.9)


# --- the document ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "targets",
    [{"alarm_rate": 0.03}, {"precision": 0.4}, {"capacity": 30.5}, {"alarm_rate": 0.1, "capacity": 9}, {}],
)
def test_it_goes_on_exactly_after_a_restart(targets: dict[str, float], tmp_path: Path) -> None:
    knob = rh.Knob(HULL, memory=77.7, prevalence=1 / 3, highest=0.9, **targets)
    first = stream(knob, 30)
    knob.save(tmp_path / "knob.json")
    text = (tmp_path / "knob.json").read_text(encoding="utf-8")
    other = rh.Knob.load(tmp_path / "knob.json")
    assert other.to_json() == text == knob.to_json()
    on, again = stream(knob, 30, seed=3), stream(other, 30, seed=3)
    for name in first:
        assert on[name].tobytes() == again[name].tobytes()
    assert knob.to_json() == other.to_json()
    assert (knob.unmet, knob.alarm_rate, knob.precision) == (other.unmet, other.alarm_rate, other.precision)
    scores = np.random.default_rng(0).normal(size=100)
    assert np.array_equal(knob.decide(scores, key=np.arange(100)), other.decide(scores, key=np.arange(100)))


def test_it_is_small_and_readable() -> None:
    knob = rh.Knob(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]), alarm_rate=0.5)
    document = json.loads(knob.to_json())
    assert document["format"] == "rochull-knob"
    assert document["policy"]["format"] == "rochull-policy"
    assert document["of_alarms"] == {"mean": 0.0, "information": 10.0, "gain": 1.0, "side": 0}
    assert rh.Policy.from_json(json.dumps(document["policy"])).to_json() == knob.policy.to_json()


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"position": 1.5}, "position must lie between 0 and 1"),
        ({"position": 0.9, "highest": 0.5}, r"position=0.9 is outside the range from 0 to 0.5"),
        ({"alarm_rate": -0.1}, "alarm_rate must lie between 0 and 1"),
        ({"precision": 2}, "precision must lie between 0 and 1"),
        ({"capacity": -1}, "capacity must not be negative"),
        ({"capacity": math.inf}, "capacity must be a finite number"),
        ({"prevalence": 0}, "prevalence must lie strictly between 0 and 1"),
        ({"memory": 0}, "memory must be positive"),
        ({"lowest": 0.5, "highest": 0.4}, "lowest=0.5 is above highest=0.4"),
    ],
)
def test_bad_targets(arguments: dict[str, float], message: str) -> None:
    refuses(f"^{message}", rh.Knob, HULL, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"presented": 10, "alarms": 11}, "alarms=11 is more than presented=10"),
        ({"alarms": 1, "false_alarms": 2}, "false_alarms=2 is more than alarms=1"),
        ({"presented": -1, "alarms": 0}, "presented must be an integer of at least 0"),
        ({"presented": 10, "alarms": 1.5}, "alarms must be an integer of at least 0"),
        ({"presented": 10, "alarms": True}, "alarms must be an integer of at least 0"),
        ({"alarms": 5}, "alarms tell nothing without presented or false_alarms"),
        ({"presented": 10, "false_alarms": 5}, "false_alarms tell nothing without alarms"),
        ({"presented": 10, "alarms": 1, "capacity": -2}, "capacity is not a target of this knob"),
        ({"presented": 10, "alarms": 1, "position": 2}, "position must lie between 0 and 1"),
    ],
)
def test_bad_feedback_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    knob = rh.Knob(HULL, alarm_rate=0.1)
    before = knob.to_json()
    refuses(f"^{message}", knob.feedback, **arguments)
    assert knob.to_json() == before


def test_a_hybrid_will_do() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    hybrid = rh.Hybrid()
    for name in "ab":
        hybrid.add(name, y, rng.normal(size=100) + y)
    knob, same = rh.Knob(hybrid, alarm_rate=0.2), rh.Knob(hybrid.policy(), alarm_rate=0.2)
    assert knob.at() == same.at()


def test_a_capacity_is_not_added_to_another_target() -> None:
    for targets, made in (({"alarm_rate": 0.1}, "alarm_rate"), ({}, "no target")):
        knob = rh.Knob(HULL, **targets)
        before = knob.to_json()
        with pytest.raises(
            ValueError, match=f"capacity is not a target of this knob, which was made with {made}"
        ):
            knob.feedback(presented=100, alarms=10, capacity=80)
        assert knob.to_json() == before
        assert knob.targets == targets


def test_bad_arguments() -> None:
    with pytest.raises(TypeError, match="hull must be a RocHull, a Policy or a Hybrid"):
        rh.Knob([0, 1])  # type: ignore[arg-type]
    knob = rh.Knob(HULL)
    with pytest.raises(ValueError, match="position must be a finite number"):
        knob.position = math.nan
    refuses("delta must be a finite number", knob.turn, math.nan)
    refuses("position must lie between", knob.at, -0.1)
    with pytest.raises(TypeError, match="condition must be"):
        knob.position_of(0.5)  # type: ignore[arg-type]


def test_a_review_has_no_position() -> None:
    with pytest.raises(ValueError, match="condition reviews cases, which no position of the knob does"):
        rh.Knob(HULL).position_of(rh.Review(1, 1, 0.01, prevalence=0.1))
