"""What a knob learns, against maximum likelihood and brute force."""

import math

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from rochull.policies.knob_positions import Offset, Track, from_log_odds, log_odds


@given(p=st.floats(1e-12, 1 - 1e-12))
def test_log_odds_and_back(p: float) -> None:
    assert from_log_odds(log_odds(p)) == pytest.approx(p, rel=1e-9)
    assert from_log_odds(-log_odds(p)) == pytest.approx(1 - p, rel=1e-9, abs=1e-15)


def test_log_odds_of_certainty() -> None:
    assert (log_odds(0), log_odds(1)) == (-math.inf, math.inf)
    assert (from_log_odds(-800), from_log_odds(800)) == (0, 1)


@given(
    trials=st.integers(1, 10**6),
    share=st.floats(0, 1),
    promised=st.floats(-8, 8),
    mean=st.floats(-3, 3),
    information=st.floats(1, 1e4),
)
def test_one_step_is_the_penalised_maximum_likelihood(
    trials: int, share: float, promised: float, mean: float, information: float
) -> None:
    """The twin: minimise the negative log posterior numerically."""
    hits = round(trials * share)
    before = Offset(mean, information, gain=1.0)
    after = before.after(trials, hits, promised, math.inf, True)

    def loss(b: float) -> float:
        x = promised + b
        likelihood = trials * np.logaddexp(0, x) - hits * x
        return float(likelihood + information * (b - mean) ** 2 / 2)

    best = scipy.optimize.minimize_scalar(
        loss, bounds=(mean - 1, mean + 1), method="bounded", options={"xatol": 1e-10}
    )
    found = [after.mean] if after.gain == 1 else []
    for b in found:  # a step is at most 1 long
        assert loss(b) <= best.fun + 1e-7 * max(1.0, abs(best.fun))
        assert abs(b - mean) <= 1 + 1e-12
    chance = from_log_odds(promised + after.mean)
    assert after.information == pytest.approx(information + trials * chance * (1 - chance), rel=1e-9)


def test_without_forgetting_many_steps_are_one_estimate() -> None:
    """With an endless memory the mean becomes the log-odds of all outcomes together."""
    rng = np.random.default_rng(0)
    offset, promised, hits = Offset(), -2.0, 0
    for _ in range(3_000):
        new = int(rng.binomial(50, 0.3))
        hits += new
        offset = offset.after(50, new, promised, math.inf, True)
    assert promised + offset.mean == pytest.approx(log_odds(hits / 150_000), abs=0.02)
    assert offset.information == pytest.approx(150_000 * 0.3 * 0.7, rel=0.01)


def test_what_is_remembered() -> None:
    """In the long run the information is that of `memory` rare hits, and of `memory` trials otherwise."""
    offset = Offset()
    for _ in range(5_000):
        offset = offset.after(100, 2, log_odds(0.02), 200.0, True)
    assert offset.information == pytest.approx(200, rel=0.02)
    offset = Offset()
    for _ in range(5_000):
        offset = offset.after(2, 1, 0.0, 200.0, False)
    assert offset.information == pytest.approx(200 * 0.25, rel=0.02)


def test_the_gain_falls_with_swings_and_recovers() -> None:
    offset = Offset()
    for hits in (900, 100, 900, 100):
        offset = offset.after(1_000, hits, 0.0, 200.0, True)
    assert offset.gain == pytest.approx(1 / 8)
    assert offset.side == -1
    offset = offset.after(1_000, round(1_000 * from_log_odds(offset.mean)), 0.0, 200.0, True)
    assert offset.gain == pytest.approx(1.05 / 8)  # no clear error
    again = offset.after(1_000, 0, 0.0, 200.0, True)
    assert again.gain == pytest.approx(1.5 * 1.05 / 8)  # on the same side


@pytest.mark.parametrize("promised", [-math.inf, math.inf])
def test_certainty_teaches_nothing(promised: float) -> None:
    assert Offset().after(100, 50, promised, 200.0, True) == Offset()
    assert Offset().after(0, 0, 0.0, 200.0, True) == Offset()


def test_it_stays_finite() -> None:
    offset = Offset()
    for _ in range(100):
        offset = offset.after(10**9, 10**9, -20.0, 200.0, True)
    assert offset.mean == 30
    assert offset.asked(-40) == -30
    for _ in range(200):
        offset = offset.after(10**9, 0, 20.0, 200.0, False)
    assert offset.mean == -30
    assert offset.asked(40) == 30


@tries(50)
@given(st.data())
def test_the_last_position_of_a_precision(data: st.DataObject) -> None:
    """Brute force over a grid of positions."""
    y = [0, 1, *data.draw(st.lists(st.integers(0, 1), max_size=30))]
    score = data.draw(st.lists(st.integers(0, 9), min_size=len(y), max_size=len(y)))
    track = Track(rh.roc_hull(y, score), data.draw(st.sampled_from([0.01, 0.3, 0.9])))
    grid = np.linspace(0, 1, 201)
    promised = np.array([track.precision_odds(t) for t in grid])
    odds = float(data.draw(st.sampled_from([*promised, -1.0, 0.5, 3.0])))
    found = track.at_precision_odds(odds)
    meets = grid[promised >= odds]
    if found is None:
        assert not np.any(promised > odds + 1e-9)
        assert track.highest_precision_odds < odds
    else:
        assert not meets.size or found >= meets[-1] - 1e-9
        assert track.precision_odds(found) >= odds - 1e-9
        assert not np.any(promised[grid > found + 1e-9] > odds + 1e-9)


def test_no_false_positive_promises_half_a_one() -> None:
    track = Track(rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]), 0.5)
    assert track.precision_odds(0.1) == track.precision_odds(0.5) == pytest.approx(math.log(1 / (0.5 / 2)))
    assert track.precision_odds(1) == 0
    weighted = Track(rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1], sample_weight=[1, 1, 2, 2]), 0.5)
    assert weighted.precision_odds(0.1) == pytest.approx(math.log(1e4))
