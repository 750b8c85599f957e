"""Cells of cases, limits and gains, by counting case by case."""

import math

import numpy as np
import pytest

import rochull as rh
from rochull.monitoring.claims import CELLS, Claims, Gain, RateKept, cell_of, spaced, winnings
from rochull.monitoring.evidence import BETS, averaged, rate_above, wealth
from rochull.monitoring.state import MonitorState

_NONE = np.zeros((1, 1, 1)), np.zeros((1, 1, 2))


@pytest.fixture
def cases():
    rng = np.random.default_rng(0)
    return rng.random((3, 300)) < [[0.3], [0.5], [0.2]]


def test_limits_count_what_they_are_about(cases):
    deployed, other, y = cases
    counts = np.bincount(cell_of(deployed, other, y), minlength=CELLS)
    slow = {
        "false positive rate": (deployed & ~y, ~y, 0.2),
        "recall": (~deployed & y, y, 0.2),
        "precision": (deployed & ~y, deployed, 0.2),
        "alarm rate": (deployed, y | ~y, 0.2),
    }
    for measure, (errors, about, bound) in slow.items():
        limit = RateKept(measure, 1 - bound if measure in {"recall", "precision"} else bound)
        flagged = np.array([deployed.sum()])
        state = MonitorState(counts[None, None], *_NONE, np.array([300]), flagged)
        assert limit.broken(state)[0] == pytest.approx(float(rate_above(errors.sum(), about.sum(), bound)))
        worth = limit.values()[cell_of(deployed, other, y)]
        assert worth.min() == -1
        assert np.sign(round(worth.sum(), 9)) == np.sign(round(errors.sum() - bound * about.sum(), 9))


def test_limits_are_read_from_conditions():
    asked = rh.Within(rh.Recall(), [rh.FalsePositiveRate() <= 0.1, rh.Precision(prevalence=0.1) >= 0.5])
    found = [RateKept.of(limit) for limit in asked.question.limits]
    assert [(each.measure, each.limit) for each in found] == [
        ("false positive rate", 0.1),
        ("precision", 0.5),
    ]
    assert str(found[1]) == "precision >= 0.5"
    with pytest.raises(ValueError, match="does not watch"):
        RateKept.of(rh.AlarmRate(prevalence=0.1) >= 0.1)


def test_gains_are_those_of_losses(cases):
    deployed, other, y = cases
    gain = Gain(2, 5, 0.1)
    cells = cell_of(deployed, other, y)

    def loss(flags):
        return 2 * (flags & ~y) + 5 * (~flags & y)

    assert gain.raw[cells] == pytest.approx(loss(deployed) - loss(other))
    assert gain.less_margin[cells] == pytest.approx(loss(deployed) * 0.9 - loss(other))
    assert gain.less_margin.min() == pytest.approx(-gain.scale)


def test_another_rule_has_to_gain_and_to_keep_every_limit(cases):
    deployed, other, y = cases
    cells = cell_of(deployed, other, y)
    counts = np.array(
        [np.bincount(cell_of(deployed, deployed, y), minlength=CELLS), np.bincount(cells, minlength=CELLS)]
    )
    limit, gain = RateKept("false positive rate", 0.6), Gain(0, 1, 0.02)
    claims = Claims((limit,), gain, 1)
    bets = np.zeros((1, len(claims.rules), len(BETS)))
    state = MonitorState(counts[None], bets, np.zeros((1, 1, 2)), np.zeros(1), np.zeros(1))
    kept = rate_above((~other & ~y).sum(), (~y).sum(), 0.4)
    won = averaged(wealth(gain.less_margin / gain.scale, counts[1]))
    assert claims.better(state)[0].tolist() == pytest.approx([min(float(kept), float(won))])
    assert claims.broken(state)[:, 0] == pytest.approx(limit.broken(state))


def test_a_cluster_is_one_bet_on_its_mean(cases):
    deployed, other, y = cases
    cells = np.array([cell_of(deployed, deployed, y), cell_of(deployed, other, y)])
    claims = Claims((RateKept("recall", 0.5),), Gain(1, 5, 0.0), 1)
    weight, cluster = np.random.default_rng(1).random(300) * 3, np.arange(300) // 10
    found = winnings(claims, [(cells, 1.0)], weight / 3, cluster)
    for row, (rule, values) in enumerate(zip(claims.rules, claims.values, strict=True)):
        for b, bet in enumerate(BETS):
            slow = 0.0
            for c in range(30):
                own = slice(10 * c, 10 * c + 10)
                slow += math.log(1 + bet * np.mean(values[cells[rule, own]] * weight[own] / 3))
            assert found[row, b] == pytest.approx(slow)


def test_rules_are_twice_as_far_each():
    assert spaced([0.001, 0.01, 0.015, 0.03, 0.05, 0.07], 0.005) == [1, 3, 5]
    assert spaced([], 0.1) == []
