"""Intervals of calibrated LLRs and posteriors: the resamples one by one, clusters, coverage, what is refused."""

import math
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.calibration import bootstrap_map

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3 == 0
SCORES = np.round(RNG.normal(size=60) + Y, 2)
AT = [-1.0, 0.4, 2.0]
LAPLACE = rh.PavCalibrator(bound="laplace")


@pytest.mark.parametrize("made", [LAPLACE, rh.LogisticCalibrator(), rh.PavCalibrator("centred")], ids=repr)
@pytest.mark.parametrize("weighted", [False, True])
def test_ends_are_order_statistics_of_maps_fitted_one_by_one(made: Any, weighted: bool) -> None:
    weights = np.arange(1.0, 61.0) if weighted else None
    options: Any = {"n_resamples": 39, "level": 0.9, "random_state": 5, "sample_weight": weights}
    found = bootstrap_map(made, SCORES, Y, AT, prevalence=0.1, **options)
    values = []
    for seed in np.random.SeedSequence(5).spawn(39):
        rng = np.random.default_rng(seed)
        rows = np.concatenate([rng.choice(np.flatnonzero(~Y), 40), rng.choice(np.flatnonzero(Y), 20)])
        own = None if weights is None else weights[rows]
        values.append(type(made)(**made.get_params()).fit(SCORES[rows], Y[rows], own).llr(AT))
    ordered = np.sort(values, axis=0)
    assert found.llr.low.tolist() == ordered[1].tolist()  # 39 resamples: the second from either end
    assert found.llr.high.tolist() == ordered[-2].tolist()
    whole = type(made)(**made.get_params()).fit(SCORES, Y, weights)
    assert found.llr.estimate.tolist() == whole.llr(AT).tolist()
    np.testing.assert_allclose(found.posterior.estimate, whole.posterior(AT, 0.1), rtol=1e-12)
    for end in ("low", "high"):
        expected = rh.conditions.posterior_from_llr(getattr(found.llr, end), 0.1)
        np.testing.assert_allclose(getattr(found.posterior, end), expected, rtol=1e-12, atol=1e-300)
    assert (found.prevalence, found.llr.level) == (0.1, 0.9)
    plain = bootstrap_map(made, SCORES, Y, AT, **options)
    assert plain.llr.low.tolist() == found.llr.low.tolist()
    assert plain.prevalence == whole.prevalence_


def test_labels_columns_and_direction_are_those_of_the_calibrator() -> None:
    options: Any = {"n_resamples": 19, "level": 0.9, "random_state": 1}
    expected = bootstrap_map(LAPLACE, SCORES, Y, AT, **options).llr
    words = np.where(Y, "same", "different")
    made = rh.PavCalibrator(bound="laplace", pos_label="same", lower_is_positive=True)
    found = bootstrap_map(made, -SCORES, words, np.negative(AT), **options).llr
    assert (found.low.tolist(), found.high.tolist()) == (expected.low.tolist(), expected.high.tolist())
    two = np.column_stack([SCORES, RNG.normal(size=60)])
    new = np.column_stack([AT, AT])
    plain = bootstrap_map(rh.LogisticFusion(), two, Y, new, **options).llr
    named = bootstrap_map(
        rh.LogisticFusion(), dict(zip("ab", two.T, strict=True)), Y, dict(zip("ba", new.T, strict=True)), **options
    ).llr  # fmt: skip
    assert named.low.tolist() == plain.low.tolist()


def test_cases_that_belong_together_are_drawn_together() -> None:
    """Each case four times: as single cases they would seem to say twice as much."""
    scores, labels, of = np.repeat(SCORES, 4), np.repeat(Y, 4), np.repeat(np.arange(60), 4)
    options: Any = {"n_resamples": 99, "random_state": 0}
    made = rh.LogisticCalibrator()
    width = [
        np.subtract(found.llr.high, found.llr.low)
        for found in (
            bootstrap_map(made, SCORES, Y, AT, **options),
            bootstrap_map(made, scores, labels, AT, clusters=of, **options),
            bootstrap_map(made, scores, labels, AT, **options),
        )
    ]
    assert (width[1] > 0.7 * width[0]).all()
    assert (width[2] < 0.7 * width[1]).all()


def test_resamples_without_a_map_make_no_end_finite() -> None:
    """Of two overlapping cases many resamples are separated, so that no line is best."""
    y, scores = [0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.8, 0.9, 1.0]
    found = bootstrap_map(rh.LogisticCalibrator(), scores, y, [0.3, 0.9], n_resamples=99, random_state=0)
    assert np.isfinite(found.llr.estimate).all()
    assert (found.llr.low.tolist(), found.llr.high.tolist()) == ([-math.inf] * 2, [math.inf] * 2)
    assert (found.posterior.low.tolist(), found.posterior.high.tolist()) == ([0, 0], [1, 1])
    smooth = rh.LogisticCalibrator(targets="platt")
    assert np.isfinite(bootstrap_map(smooth, scores, y, [0.3], n_resamples=39, random_state=0).llr.low).all()


def test_the_line_of_normal_scores_is_covered() -> None:
    rng, at, missed = np.random.default_rng(3), np.array([-0.5, 0.5, 1.5]), 0
    for _ in range(20):
        y = np.arange(100) % 2
        scores = rng.normal(size=100) + y  # their LLR is the score less a half
        found = bootstrap_map(
            rh.LogisticCalibrator(), scores, y, at, level=0.9, n_resamples=59, random_state=0
        )
        missed += int(((found.llr.low > at - 0.5) | (found.llr.high < at - 0.5)).sum())
    assert 0 < missed <= 15  # of 60, at 90 %


def test_what_is_refused() -> None:
    for options, message in (
        ({"n_resamples": 38}, "n_resamples must be an integer of at least 39, but is 38"),
        ({"level": 1.0}, "level must"),
        ({"prevalence": 0.0}, "prevalence must"),
        ({"clusters": [1, 2]}, "X and clusters must have the same length|clusters"),
        ({"random_state": "x"}, "random_state must"),
    ):
        with pytest.raises(ValueError, match=message):
            bootstrap_map(LAPLACE, SCORES, Y, AT, **options)  # type: ignore[arg-type]
