"""A monitor: silent while the rule is best, alarms that come, states that add up, and what is refused."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import rochull as rh
from rochull._core.schemas import checksum
from rochull.monitoring.evidence import averaged, rate_above, wealth

COST = rh.ExpectedCost(1, 5, 0.1)


def _drawn(n, rng, prevalence=0.1, apart=1.5):
    y = rng.random(n) < prevalence
    return y, rng.normal(apart * y)


@pytest.fixture(scope="module")
def policy():
    y, s = _drawn(8_000, np.random.default_rng(0))
    return rh.Policy.from_hull(rh.roc_hull(y, s))


def _watched(policy, *, days=30, size=200, seed=1, prevalence=0.1):
    rng = np.random.default_rng(seed)
    monitor = rh.Monitor(policy, COST)
    for day in range(days):
        y, s = _drawn(size, rng, prevalence)
        monitor.update(s, y, at=f"day {day}")
    return monitor


def test_it_is_silent_while_nothing_has_changed(policy):
    found = _watched(policy)
    for part in (found.limits, found.better, found.misfit, found.relabel):
        assert not part.alarm
        assert part.at is None
    assert found.cases == 6_000
    assert found.looks == 30
    assert found.better.rule is None
    assert math.isnan(found.better.saves)
    assert str(found.better) == "No other rule is proven to be better."


def test_it_says_where_to_move_and_what_that_saves(policy):
    found = _watched(policy, prevalence=0.35)
    assert found.better.alarm
    assert found.better.at.startswith("day ")
    old, new = found.point.rules[0][0].threshold, found.better.rule.threshold
    assert new < old  # with more positives more are flagged
    y, s = _drawn(200_000, np.random.default_rng(2), 0.35)

    def cost(threshold):
        return ((s >= threshold) & ~y).mean() + 5 * ((s < threshold) & y).mean()

    assert 0 < found.better.saves < cost(old) - cost(new)
    assert found.relabel.alarm  # the posteriors are those of another prevalence


def test_it_is_silent_where_the_cost_rises_and_the_rule_is_still_best():
    """Posteriors stay and more of the doubtful cases come: nothing to be gained by another threshold."""
    rng = np.random.default_rng(3)
    s = rng.uniform(0, 1, 20_000)
    policy = rh.Policy.from_hull(rh.roc_hull(rng.random(20_000) < s**3, s))
    condition = rh.ExpectedCost(1, 3)
    monitor = rh.Monitor(policy, rh.ExpectedCost(1, 3, policy.hull.prevalence))
    for _ in range(20):
        s = rng.uniform(0.45, 0.8, 300)  # about the threshold
        monitor.update(s, rng.random(300) < s**3)
    assert not monitor.better.alarm
    assert not monitor.relabel.alarm
    assert monitor.misfit.alarm  # which it says by another name
    assert policy.at(condition).rules == monitor.point.rules


@pytest.mark.parametrize(
    ("condition", "drift"),
    [
        (rh.NeymanPearson(0.1), {"shift": 0.3}),
        (rh.MinimumRecall(0.8), {"shift": -0.5}),
        (rh.MinimumPrecision(0.4, 0.1), {"prevalence": 0.03}),
        (rh.Capacity(fraction=0.1, prevalence=0.1), {"prevalence": 0.3}),
    ],
)
def test_limits_that_are_broken_are_told(policy, condition, drift):
    rng = np.random.default_rng(4)
    monitor, kept = rh.Monitor(policy, condition), rh.Monitor(policy, condition)
    for day in range(25):
        y, s = _drawn(200, rng, drift.get("prevalence", 0.1))
        monitor.update(s + drift.get("shift", 0), y, at=day)
        y, s = _drawn(200, rng)
        kept.update(s, y, at=day)
    assert monitor.limits.alarm
    assert "is broken" in str(monitor.limits)
    assert not kept.limits.alarm


def test_room_below_a_limit_is_found(policy):
    """Negatives score lower than they did, so that more positives can be caught within the limit."""
    rng = np.random.default_rng(5)
    monitor = rh.Monitor(policy, rh.NeymanPearson(0.1))
    for _ in range(25):
        y, s = _drawn(400, rng, 0.3)
        monitor.update(np.where(y, s, s - 1), y)
    assert monitor.better.alarm
    assert monitor.better.rule.threshold < monitor.point.rules[-1][0].threshold
    assert not monitor.limits.alarm


def test_scores_of_another_kind_are_told_without_labels(policy):
    monitor = rh.Monitor(policy, COST)
    _, s = _drawn(2_000, np.random.default_rng(6))
    monitor.update(100 * s, at="monday")
    assert monitor.misfit.alarm
    assert monitor.misfit.at == "monday"
    assert not monitor.better.alarm


def test_rules_of_two_classifiers_are_compared():
    rng = np.random.default_rng(7)
    y = rng.random(6_000) < 0.2
    hybrid = rh.Hybrid()
    hybrid.add("a", y, rng.normal(1.5 * y))
    hybrid.add("b", y, np.where(rng.random(6_000) < 0.5, rng.normal(4 * y), rng.normal(size=6_000)))
    policy = hybrid.policy()
    condition = rh.ExpectedCost(1, 3, 0.2)
    monitor = rh.Monitor(policy, condition)
    assert {rule.classifier for rule in (monitor.point.rules[0][0], *monitor.others)} >= {"a", "b"}
    for _ in range(20):
        y = rng.random(300) < 0.2
        spoilt = {
            monitor.point.classifiers[0]: rng.normal(size=300)
        }  # the one that decides says nothing any more
        table = {"a": rng.normal(1.5 * y), "b": rng.normal(3 * y), **spoilt}
        monitor.update(pd.DataFrame(table), y)
    assert monitor.better.alarm


def test_states_add_up_in_any_order(policy):
    rng = np.random.default_rng(8)
    batches = [_drawn(150, rng, 0.25) for _ in range(6)]
    one, two, three = (rh.Monitor(policy, COST) for _ in range(3))
    for i, (y, s) in enumerate(batches):
        (one, two, three)[i % 3].update(s, y, sample_weight=[1 + i / 7] * 150 if i > 2 else None)
    every = [a.merge(b).merge(c).to_dict() for a, b, c in itertools.permutations((one, two, three))]
    assert all(document == every[0] for document in every)
    with pytest.raises(ValueError, match="has seen 2 of the same batches"):
        one.merge(one)
    with pytest.raises(ValueError, match="watches another policy"):
        one.merge(rh.Monitor(policy, rh.ExpectedCost(1, 6, 0.1)))


def test_a_document_goes_on_where_it_was(policy, tmp_path):
    whole, first = _watched(policy, days=8, prevalence=0.3), _watched(policy, days=0, prevalence=0.3)
    rng = np.random.default_rng(1)
    for day in range(8):
        y, s = _drawn(200, rng, 0.3)
        first.save(tmp_path / "monitor.json")
        first = rh.Monitor.load(tmp_path / "monitor.json")
        first.update(s, y, at=f"day {day}")
    assert first.to_json() == whole.to_json()
    assert str(first) == str(whole)


def test_the_same_batch_twice_is_refused_and_changes_nothing(policy):
    y, s = _drawn(100, np.random.default_rng(9))
    monitor = rh.Monitor(policy, COST).update(s, y)
    before = monitor.to_json()
    with pytest.raises(ValueError, match=r"seen before.* by at"):
        monitor.update(s.copy(), y)
    for bad in (lambda: monitor.update(s, y[:50]), lambda: monitor.update(s, np.arange(100)),
                lambda: monitor.update(s + 1, y, sample_weight=[1000.0] * 100),
                lambda: monitor.update(["a"] * 100, y), lambda: monitor.update(s + 1, y, cluster=[1] * 99)):  # fmt: skip
        with pytest.raises(ValueError, match=r"\."):
            bad()
    assert monitor.to_json() == before


def test_an_alarm_stays_with_its_time(policy):
    monitor = _watched(policy, prevalence=0.4, days=15)
    at = monitor.better.at
    rng = np.random.default_rng(10)
    for _ in range(40):
        y, s = _drawn(300, rng, 0.03)
        monitor.update(s, y)
    assert monitor.better.alarm
    assert monitor.better.at == at


def test_clusters_are_one_bet_each(policy):
    """Days whose prevalence varies: as single cases they seem to prove something, as days they do not."""
    rng = np.random.default_rng(11)
    apart, together = rh.Monitor(policy, COST), rh.Monitor(policy, COST)
    for _ in range(60):
        y, s = _drawn(100, rng, np.clip(rng.lognormal(np.log(0.1), 0.8), 0, 1))
        apart.update(s, y)
        together.update(s, y, cluster=["one day"] * 100)
    assert together.better.evidence < apart.better.evidence or not together.better.alarm
    assert not together.better.alarm


def test_a_change_is_not_hidden_by_the_days_before_it(policy):
    """The same change is proven about as soon after many good days as at the beginning."""
    delays = []
    for good in (0, 70):
        rng, monitor = np.random.default_rng(20), rh.Monitor(policy, COST)
        for day in range(good + 40):
            y, s = _drawn(150, rng, 0.1 if day < good else 0.35)
            monitor.update(s, y, at=day)
            if monitor.better.alarm:
                break
        delays.append(int(monitor.better.at) - good)
    assert 0 <= delays[0] < 20
    assert 0 <= delays[1] < delays[0] + 15


def test_evidence_is_counted_from_every_beginning(policy):
    """The slow twin: a monitor begun at each of the batches 0, 1, 2, 4, ..., and what they bet."""
    rng = np.random.default_rng(21)
    batches = [_drawn(300, rng, 0.1 if day < 6 else 0.3) for day in range(11)]
    starts = [0, 1, 2, 4, 8]
    whole, later = rh.Monitor(policy, COST), []
    for day, (y, s) in enumerate(batches):
        whole.update(s, y, at=day)
    for start in starts:
        one = rh.Monitor(policy, COST)
        for day, (y, s) in enumerate(batches[start:]):
            one.update(s, y, at=day)
        state = one.to_dict()["state"]
        counts = np.sum(state["counts"], axis=0)
        gain = one.claims.gain
        later.append([averaged(wealth(gain.less_margin / gain.scale, own)) for own in counts[1:]])
    parts = np.array([0.25] + [0.75 / 32] * 4)
    total = parts @ np.exp(np.array(later)) + 1 - parts.sum()
    assert whole.better.evidence == pytest.approx(total.mean())


def test_the_target_is_the_condition_whatever_the_stream_has(policy):
    """Half of the stream is positive: nothing has drifted, and a monitor of the stream alarms all the same."""
    rng = np.random.default_rng(22)
    told = {}
    for target in ("stream", "condition"):
        monitor = rh.Monitor(policy, COST, target=target)
        for day in range(6):
            y, s = _drawn(700, rng, 0.5)
            monitor.update(s, y, at=day)
        told[target] = monitor.better.alarm, monitor.relabel.alarm, monitor.misfit.alarm
        assert rh.Monitor.from_json(monitor.to_json()).to_json() == monitor.to_json()
    assert told == {"stream": (True, True, False), "condition": (False, False, False)}
    drifted = rh.Monitor(policy, COST, target="condition")
    for day in range(6):
        y, s = _drawn(1_500, rng, 0.5)
        drifted.update(np.where(y, s, s + 0.75), y, at=day)  # negatives score higher than they did
    assert drifted.better.alarm
    assert drifted.better.rule.threshold > drifted.point.rules[0][0].threshold
    y, s = _drawn(300_000, rng, 0.1)
    s = np.where(y, s, s + 0.75)
    old, new = (
        ((s >= t) & ~y).mean() + 5 * ((s < t) & y).mean()
        for t in (drifted.point.rules[0][0].threshold, drifted.better.rule.threshold)
    )
    assert 0 < drifted.better.saves < old - new
    assert drifted.relabel.alarm
    with pytest.raises(ValueError, match="without sample_weight and cluster"):
        drifted.update(s[:5], y[:5], sample_weight=[1] * 5)
    with pytest.raises(ValueError, match='must be "stream" or "condition"'):
        rh.Monitor(policy, COST, target="batch")


def test_limits_at_the_condition_s_prevalence(policy):
    rng = np.random.default_rng(23)
    for condition in (rh.MinimumPrecision(0.4, 0.1), rh.Capacity(fraction=0.1, prevalence=0.1)):
        kept, broken = (rh.Monitor(policy, condition, target="condition") for _ in range(2))
        for day in range(4):
            y, s = _drawn(1_500, rng, 0.5)
            kept.update(s, y, at=day)
            broken.update(np.where(y, s, s + 0.8), y, at=day)
        assert (kept.limits.alarm, broken.limits.alarm) == (False, True)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (rh.Review(1, 5, 0.1, prevalence=0.1), "has reviews"),
        (rh.NeymanPearson(0.1, confidence=0.9), "states a confidence"),
        (rh.Capacity(cases=5, population=10, prevalence=0.1), "batch as a whole"),
        (rh.Utility(lambda fpr, tpr: tpr - fpr), "must have costs"),
    ],
)
def test_what_it_does_not_watch_is_refused(policy, condition, told):
    with pytest.raises(ValueError, match=told):
        rh.Monitor(policy, condition)


def test_a_stable_year_seldom_alarms(policy):
    """A small part of the study `monitors`: 40 streams of 60 looks."""
    alarms = sum(_watched(policy, seed=100 + i, days=12, size=500).better.alarm for i in range(12))
    assert alarms <= 1


def test_labels_may_come_after_the_scores(policy):
    """Nothing counts twice: neither cases nor looks, nor what a label proves."""
    whole, late = rh.Monitor(policy, COST), rh.Monitor(policy, COST)
    rng = np.random.default_rng(12)
    batches = [_drawn(200, rng, 0.3) for _ in range(5)]
    for day, (y, s) in enumerate(batches):
        whole.update(s, y, at=day)
        late.update(s, at=day)
    assert late.better.evidence <= 1
    for day, (y, s) in enumerate(batches):
        late.update(s, y, at=day)
    assert (late.cases, late.looks) == (whole.cases, whole.looks) == (1_000, 5)
    assert late.better.evidence == pytest.approx(whole.better.evidence)
    with pytest.raises(ValueError, match="seen before"):
        late.update(batches[0][1], batches[0][0], at=0)


def test_cases_one_by_one_are_told_apart_by_their_time(policy):
    monitor = rh.Monitor(policy, COST).update([0.5], [1], at=1).update([0.5], [1], at=2)
    assert monitor.cases == 2
    with pytest.raises(ValueError, match="seen before"):
        monitor.update([0.5], [0], at=2)


def test_a_mixture_proves_less_than_its_lots_on_average(policy):
    """Watched by its probabilities: below the average of what monitors of the drawn decisions would find."""
    point = policy.at(rh.NeymanPearson(0.123))
    assert len(point.rules) == 2
    monitor = rh.Monitor(policy, rh.NeymanPearson(0.123))
    assert monitor.point.rules == point.rules
    rng = np.random.default_rng(13)
    y, s = _drawn(3_000, rng)
    monitor.update(s + 0.2, y)
    flags = [s + 0.2 >= rule.threshold for rule, _ in point.rules]
    drawn = []
    for _ in range(200):
        first = rng.random(3_000) < point.rules[0][1]
        own = np.where(first, flags[0], flags[1])
        drawn.append(math.exp(rate_above((own & ~y).sum(), (~y).sum(), 0.123)))
    assert 1 < monitor.limits.evidence < np.mean(drawn)


def test_an_alarm_that_all_cases_no_longer_prove_says_so(policy):
    monitor = _watched(policy, prevalence=0.4, days=15)
    assert "is better" in str(monitor.better)
    rng = np.random.default_rng(14)
    for _ in range(80):
        y, s = _drawn(1_000, rng)
        monitor.update(s, y)
    assert monitor.better.alarm
    assert str(monitor.better) == "Another rule was better."
    assert monitor.better.rule is None


def test_a_policy_of_weights_has_no_posteriors_to_watch():
    y, s = _drawn(500, np.random.default_rng(15), 0.3)
    policy = rh.Policy.from_hull(rh.roc_hull(y, s, sample_weight=np.linspace(1, 2, 500)))
    monitor = rh.Monitor(policy, COST).update(s, y)
    assert str(monitor.relabel) == "The policy holds no numbers of examples."
    assert rh.Monitor.from_json(monitor.to_json()).to_json() == monitor.to_json()


def test_only_a_policy_is_watched(policy):
    with pytest.raises(TypeError, match="policy must be a Policy, but is a RocHull"):
        rh.Monitor(policy.hull, COST)
    with pytest.raises(ValueError, match="scores is empty"):
        rh.Monitor(policy, COST).update([], [])


def test_a_state_of_other_rules_is_refused(policy):
    document = rh.Monitor(policy, COST).to_dict()
    document["state"]["counts"] = [rows[:-1] for rows in document["state"]["counts"]]
    document["checksum"] = checksum(document)
    with pytest.raises(ValueError, match="its counts are not those of its policy's rules"):
        rh.Monitor.from_dict(document)


def test_what_was_known_is_kept(policy):
    """An auditor asks what it said on some day, and from which data."""
    monitor = _watched(policy, days=9, prevalence=0.35)
    rows = monitor.history
    assert [row["cases"] for row in rows] == [200 * i for i in range(1, 10)]
    assert [row["at"] for row in rows] == [f"day {i}" for i in range(9)]
    first = next(row for row in rows if "better" in row["alarms"])
    assert first["at"] == monitor.better.at
    assert first["better"] >= 1 > rows[0]["better"] >= 0
    assert len({row["batch"] for row in rows}) == 9
    other = rh.Monitor(policy, COST).update(*_drawn(50, np.random.default_rng(30))[::-1], at="another")
    assert other.merge(monitor).history == monitor.merge(other).history
    assert len(monitor.merge(other).history) == 10


def test_scores_of_another_kind_are_told_after_many_looks(policy):
    """The level of a look shrinks, so the p-value of a batch must be able to."""
    _, s = _drawn(300, np.random.default_rng(0))
    assert policy.check(100 * s).pvalue < 1e-10
    monitor = rh.Monitor(policy, rh.ExpectedCost(1, 5, 0.1))
    for day in range(60):
        monitor.update(s, at=day)
    assert not monitor.misfit.alarm
    assert monitor.update(100 * s, at="foreign").misfit.alarm
