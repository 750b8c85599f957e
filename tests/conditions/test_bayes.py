"""Bayes' rule in log-odds and its decisions, against rational arithmetic and against the hull."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import Array, examples
from rochull.conditions import bayes
from rochull.conditions.ranges import exact

decimals = st.integers(1, 999).map(lambda k: k / 1000)
costs = st.sampled_from([0.0, 1.0, 0.1, 3.0, 1e-3, 250.0, 1e6]) | st.floats(0, 1e6)


def cheaper_positive(posterior: Fraction, cost_fp: float, cost_fn: float) -> bool:
    """The definition: whether calling it positive is expected to cost less, strictly."""
    return (1 - posterior) * exact(cost_fp) < posterior * exact(cost_fn)


# --- posteriors and LLRs -----------------------------------------------------------------------


@given(st.fractions(Fraction(1, 1000), 1000), decimals)
def test_bayes_rule(ratio: Fraction, prevalence: float) -> None:
    odds = ratio * exact(prevalence) / (1 - exact(prevalence))
    expected = float(odds / (1 + odds))
    llr = math.log(ratio)
    assert rh.conditions.posterior_from_llr([llr], prevalence)[0] == pytest.approx(expected, rel=1e-12)
    assert rh.conditions.llr_from_posterior([expected], prevalence)[0] == pytest.approx(
        llr, rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_readings_of_any_type_are_float64(dtype: Any) -> None:
    llr = np.array([-2, 0, 3], dtype)
    found = rh.conditions.posterior_from_llr(llr, 0.5)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, 1 / (1 + np.exp([2.0, 0.0, -3.0])), rtol=1e-14)
    probability = np.array([0, 1], dtype)
    assert rh.conditions.llr_from_posterior(probability, 0.25).tolist() == [-np.inf, np.inf]


def test_far_values_do_not_overflow() -> None:
    llr = np.array([-np.inf, -1e4, -730.0, 0.0, 730.0, 1e4, np.inf])
    found = rh.conditions.posterior_from_llr(llr, 0.5)
    assert found.tolist()[:2] == [0.0, 0.0]
    assert found[2] == pytest.approx(math.exp(-730), rel=1e-12)  # a denormal number
    assert found.tolist()[3:] == [0.5, 1.0, 1.0, 1.0]
    assert rh.conditions.posterior_from_llr([1e300], 1e-300).tolist() == [1.0]
    assert rh.conditions.llr_from_posterior([5e-324, 0.5], 0.5) == pytest.approx([math.log(5e-324), 0.0])


def test_the_caller_keeps_his_array() -> None:
    llr = np.array([1.0, -1.0])
    llr.flags.writeable = False
    rh.conditions.posterior_from_llr(llr, 0.1)
    rh.decide_by_llr(llr, rh.ExpectedCost(prevalence=0.5))
    assert llr.tolist() == [1.0, -1.0]


@pytest.mark.parametrize("prevalence", [0, 1, -0.1, 1.5, math.nan, "half", None, True])
def test_bad_prevalence(prevalence: Any) -> None:
    with pytest.raises(ValueError, match="prevalence must"):
        rh.conditions.posterior_from_llr([0.0], prevalence)
    with pytest.raises(ValueError, match="prevalence must"):
        rh.conditions.llr_from_posterior([0.5], prevalence)
    if prevalence is not None:
        with pytest.raises(ValueError, match="prevalence must"):
            rh.decide_by_posterior([0.5], rh.ExpectedCost(prevalence=0.5), prevalence=prevalence)


def test_bad_values() -> None:
    with pytest.raises(ValueError, match="llr has 1 NaN, the first at index 1"):
        rh.conditions.posterior_from_llr([0.0, math.nan], 0.5)
    with pytest.raises(ValueError, match="llr has 1 NaN"):
        rh.decide_by_llr([math.nan], rh.ExpectedCost(prevalence=0.5))
    for wrong in (-1e-9, 1 + 1e-9, 2.0):
        for function in (rh.conditions.llr_from_posterior, rh.decide_by_posterior):
            with pytest.raises(ValueError, match="posterior must lie between 0 and 1, but holds"):
                function(
                    [0.5, wrong],
                    0.5 if function is rh.conditions.llr_from_posterior else rh.ExpectedCost(prevalence=0.5),
                )
    with pytest.raises(ValueError, match="posterior has 1 NaN"):
        rh.conditions.llr_from_posterior([math.nan], 0.5)
    with pytest.raises(ValueError, match=r"^llr must be an array of shape \(n,\), but is a float\.$"):
        rh.conditions.posterior_from_llr(0.0, 0.5)


# --- decisions ---------------------------------------------------------------------------------


@given(st.lists(decimals, min_size=1, max_size=20), costs, costs, decimals)
def test_decisions_are_the_cheaper_ones(
    posterior: list[float], fp: float, fn: float, prevalence: float
) -> None:
    if fp == fn == 0:
        fn = 1.0
    condition = rh.ExpectedCost(fp, fn, prevalence)
    exactly = [exact(p) for p in posterior]
    expected = [cheaper_positive(p, fp, fn) for p in exactly]
    assert rh.decide_by_posterior(posterior, condition).tolist() == expected
    # The same cases seen from another prevalence, and as LLRs.
    for other in (0.5, 0.01):
        seen = [_moved(p, prevalence, other) for p in exactly]
        margin = [abs(_odds(p) * exact(fn) / exact(fp) - 1) if fp else 1 for p in exactly]
        clear = [m > 1e-12 for m in margin]  # ties are tried below
        found = rh.decide_by_posterior([float(p) for p in seen], condition, prevalence=other)
        assert found[clear].tolist() == np.array(expected)[clear].tolist()
        llr = [math.log(_odds(p) / _odds(exact(prevalence))) for p in exactly]
        assert rh.decide_by_llr(llr, condition)[clear].tolist() == np.array(expected)[clear].tolist()


def _odds(p: Fraction) -> Fraction:
    return p / (1 - p)


def _moved(p: Fraction, old: float, new: float) -> Fraction:
    odds = _odds(p) / _odds(exact(old)) * _odds(exact(new))
    return odds / (1 + odds)


@given(decimals)
def test_a_tie_is_not_called_positive(threshold: float) -> None:
    share = exact(threshold)
    condition = rh.ExpectedCost(
        cost_fp=float(share.numerator), cost_fn=float(share.denominator - share.numerator), prevalence=0.5
    )
    assert not rh.decide_by_posterior([threshold], condition)[0]
    above = threshold * (1 + 2e-15 + 1e-12 * (1 - threshold))
    assert rh.decide_by_posterior([above], condition)[0]
    assert not rh.decide_by_llr(
        [bayes.log_of(exact(condition.cost_fp) / exact(condition.cost_fn))], condition
    )[0]
    # A prevalence cancels where posteriors hold at it.
    skewed = rh.ExpectedCost(condition.cost_fp, condition.cost_fn, prevalence=0.01)
    assert not rh.decide_by_posterior([threshold], skewed)[0]
    assert rh.decide_by_posterior([above], skewed)[0]


def ways_to_decide(calibrator: Any, scores: Array, condition: rh.ExpectedCost) -> dict[str, Array]:
    """The decisions of one condition from LLRs and posteriors, made of each other at three prevalences."""
    llr = calibrator.llr(scores)
    found = {
        "llr": rh.decide_by_llr(llr, condition),
        "own posterior": rh.decide_by_posterior(
            calibrator.posterior(scores), condition, prevalence=calibrator.prevalence_
        ),
    }
    for p in (condition.prevalence, calibrator.prevalence_, 0.35):
        routes = {
            "posterior": calibrator.posterior(scores, prevalence=p),
            "posterior from llr": rh.conditions.posterior_from_llr(llr, p),
        }
        for name, posterior in routes.items():
            found[f"{name} at {p}"] = rh.decide_by_posterior(posterior, condition, prevalence=p)
            back = rh.conditions.llr_from_posterior(posterior, p)
            found[f"llr from {name} at {p}"] = rh.decide_by_llr(back, condition)
        if p == condition.prevalence:
            found["posterior as it is"] = rh.decide_by_posterior(routes["posterior"], condition)
    return found


def conditions_for(hull: rh.RocHull, labels: Array, rng: np.random.Generator) -> list[rh.ExpectedCost]:
    """Some of small whole costs, and one that ties with each block."""
    prevalence = rng.choice([0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.65, 0.7, 0.9, 0.95, 0.99])
    found = [
        rh.ExpectedCost(*rng.integers(1, 10, 2), prevalence=p) for p in (prevalence, float(labels.mean()))
    ]
    share = exact(prevalence)
    assert hull.blocks is not None
    for pos, neg in zip(hull.blocks.pos.tolist(), hull.blocks.neg.tolist(), strict=True):
        if pos and neg:
            fp, fn = pos * hull.n_neg * share, neg * hull.n_pos * (1 - share)
            scale = share.denominator
            found.append(rh.ExpectedCost(float(fp * scale), float(fn * scale), prevalence))
    return found


@pytest.mark.long
def test_all_ways_to_decide_agree_with_the_hull_on_ties_too() -> None:
    """Many conditions that tie with a block: it is not called positive, whatever rounding has added."""
    rng = np.random.default_rng(7)
    ties = rounded = 0
    for _ in range(400):
        n = int(rng.integers(2, 60))
        scores = rng.integers(0, rng.integers(2, 12), n).astype(float)
        labels = np.append((rng.random(n - 2) < rng.uniform(0.05, 0.95)).astype(int), [0, 1])
        calibrator = rh.PavCalibrator().fit(scores, labels)
        hull = calibrator.hull_
        assert hull.blocks is not None
        # Exact odds of each block against the slope: 0 is a tie.
        ratios = zip(hull.blocks.pos_units.tolist(), hull.blocks.neg_units.tolist(), strict=True)
        odds = [Fraction(p * hull.n_neg, q * hull.n_pos) for p, q in ratios if p and q]
        for condition in conditions_for(hull, labels, rng):
            slope = bayes.slope_of(condition)
            margins = [abs(ratio / slope - 1) for ratio in odds]  # type: ignore[operator]
            ties += 0 in margins
            rounded += any(0 < margin < 1e-12 for margin in margins)
            (rule, _), *_ = hull.at(condition).rules
            expected = scores >= {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)
            for name, called in ways_to_decide(calibrator, scores, condition).items():
                assert called.tolist() == expected.tolist(), (name, condition, scores, labels)
    assert ties > 700
    assert rounded > 5  # the proportion of labels, which is no decimal: a tie all the same


@pytest.mark.parametrize("extra", [False, True])
def test_the_own_prior_of_a_block_is_a_tie_everywhere(extra: bool) -> None:
    # 5/6 is written down as 0.8333333333333334, which is more: the mixed block must not be called for that.
    labels, scores = np.array([1, 0, 1, 1, 1, 1]), np.arange(6.0)
    calibrator, condition = rh.PavCalibrator().fit(scores, labels), rh.Accuracy(5 / 6)
    for at in (calibrator.hull_.at(condition), rh.Policy.from_hull(calibrator.hull_).at(condition)):
        assert str(at.rules[0][0]) == "score >= 2.0"
    assert calibrator.hull_.at(condition, deterministic=extra).rules[0][0].threshold == 2
    for called in ways_to_decide(calibrator, scores, condition).values():
        assert called.tolist() == [False, False, True, True, True, True]


def test_a_posterior_that_is_rounded_up_is_a_tie() -> None:
    scores, labels = np.array([5.0, 0, 0, 0, 5, 5, 1]), [0, 0, 1, 0, 1, 0, 1]
    condition = rh.ExpectedCost(1, 6, 0.2)
    posterior = rh.PavCalibrator().fit(scores, labels).posterior(scores, prevalence=0.2)
    assert rh.decide_by_posterior(posterior, condition).tolist() == (scores > 0).tolist()
    assert rh.roc_hull(labels, scores).at(condition).rules[0][0].threshold == 1
    # Both ends of the scale: one unit in the last place above is a tie, and certainty is none.
    for share in (1e-9, 1e-3, 0.3, 0.999, 1 - 1e-12):
        exactly = exact(share)
        tied = rh.ExpectedCost(float(exactly), float(1 - exactly), 0.5)
        assert rh.decide_by_posterior([np.nextafter(share, 1), 1], tied).tolist() == [False, True]
        llr = bayes.log_of(exactly / (1 - exactly))
        assert rh.decide_by_llr([np.nextafter(llr, np.inf), llr + 1e-11, np.inf], tied).tolist() == [
            False,
            True,
            True,
        ]


CERTAIN = [-np.inf, -1e300, 0.0, 1e300, np.inf]


@pytest.mark.parametrize(
    ("condition", "by_llr", "by_posterior"),
    [
        # Misses cost nothing: only what no negative ever reaches may be called.
        (rh.ExpectedCost(cost_fn=0, prevalence=0.5), [0, 0, 0, 0, 1], [0, 0, 0, 1]),
        (rh.ExpectedCost(prevalence=0), [0, 0, 0, 0, 1], [0, 0, 0, 1]),
        # False alarms cost nothing: all but what no positive ever reaches is called.
        (rh.ExpectedCost(cost_fp=0, prevalence=0.5), [0, 1, 1, 1, 1], [0, 1, 1, 1]),
        (rh.ExpectedCost(prevalence=1), [0, 1, 1, 1, 1], [0, 1, 1, 1]),
        # Slopes that no float64 holds.
        (rh.ExpectedCost(1e-300, 1e300, prevalence=0.5), [0, 0, 1, 1, 1], [0, 1, 1, 1]),
        (rh.ExpectedCost(1e300, 1e-300, prevalence=0.5), [0, 0, 0, 1, 1], [0, 0, 0, 1]),
        # A threshold nearer to 1 than any float64: certainty is above it all the same.
        (rh.ExpectedCost(1e30, 1, prevalence=0.5), [0, 0, 0, 1, 1], [0, 0, 0, 1]),
    ],
    ids=str,
)
def test_extreme_conditions(condition: Any, by_llr: list[int], by_posterior: list[int]) -> None:
    assert rh.decide_by_llr(CERTAIN, condition).astype(int).tolist() == by_llr
    posterior = [0.0, 1e-3, 1 - 2**-53, 1.0]
    assert rh.decide_by_posterior(posterior, condition).astype(int).tolist() == by_posterior
    assert rh.decide_by_posterior(posterior, condition, prevalence=0.5).astype(int).tolist() == by_posterior


@pytest.mark.parametrize("cost", [10.0**power for power in (*range(240, 301, 12), *range(-300, -239, 12))])
def test_what_ties_to_rounding_is_a_tie_far_from_zero_too(cost: float) -> None:
    """Log-odds of 600 have steps of 1e-13, more than what is added to those of 1."""
    at = math.log(cost)
    beside = [np.nextafter(at, -np.inf), at, np.nextafter(at, np.inf), at + 1e-10]
    assert rh.decide_by_llr(beside, rh.ExpectedCost(cost_fp=cost, prevalence=0.5)).tolist() == [
        False,
        False,
        False,
        True,
    ]


@given(examples(max_size=60), costs, costs, st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_decisions_of_the_blocks_are_those_of_the_hull(
    rows: tuple[Array, Array, Array | None], fp: float, fn: float, prevalence: float
) -> None:
    labels, scores, weights = rows
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    if (fp == 0 or prevalence == 1) and (fn == 0 or prevalence == 0):
        fp = fn = 1.0
    conditions = [rh.ExpectedCost(fp, fn, prevalence)]
    if weights is None:  # and such as tie with a block
        blocks = hull.blocks
        assert blocks is not None
        for p, q in zip(blocks.pos.tolist(), blocks.neg.tolist(), strict=True):
            conditions.append(rh.ExpectedCost(p * hull.n_neg, q * hull.n_pos, prevalence=0.5))
    for condition in conditions:
        assert hull.blocks is not None
        called = rh.decide_by_llr(hull.blocks.llr, condition)
        vertex = int(np.sum(called))
        assert not np.any(~called[:vertex])  # the blocks at the top
        assert hull.at(condition).rules == ((hull.owners[vertex][0], 1.0),)


def test_other_conditions_are_refused() -> None:
    for function in (rh.decide_by_llr, rh.decide_by_posterior):
        with pytest.raises(TypeError, match="condition must be an ExpectedCost or Accuracy"):
            function([0.5], rh.NeymanPearson(0.1))  # type: ignore[operator]
        with pytest.raises(rh.ImpreciseConditionError, match="interval"):
            function([0.5], rh.ExpectedCost(cost_fn=(1, 2), prevalence=0.5))  # type: ignore[operator]
        assert function([0.75], rh.Accuracy(prevalence=0.5)).tolist() == [True]  # type: ignore[operator]


# --- exact logs --------------------------------------------------------------------------------


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(1, 10**30))
def test_equal_ratios_have_equal_logs(p: int, q: int, k: int) -> None:
    assert bayes.log_of(Fraction(p * k, q * k)) == float(np.log(np.array([p / q]))[0])


def test_logs_of_ratios_beyond_float64() -> None:
    assert bayes.log_of(Fraction(0)) == -np.inf
    for exponent in (400, 5000):
        assert bayes.log_of(Fraction(10) ** exponent) == pytest.approx(exponent * math.log(10), rel=1e-15)
        assert bayes.log_of(Fraction(1, 10**exponent)) == pytest.approx(-exponent * math.log(10), rel=1e-15)
    assert bayes.log_of(Fraction(7, 10**323)) == pytest.approx(math.log(7) - 323 * math.log(10), rel=1e-15)


def test_prior_log_odds() -> None:
    assert bayes.prior_log_odds(0.5) == 0
    assert bayes.prior_log_odds(1e-300) == pytest.approx(-300 * math.log(10), rel=1e-14)
    assert bayes.prior_log_odds(0.2) == pytest.approx(-math.log(4), rel=1e-14)
    assert bayes.prior_log_odds(0.9) == -bayes.prior_log_odds(0.1)  # decimals: complements are exact
    assert bayes.prior_log_odds(1 - 2**-53) == pytest.approx(
        math.log(10**16 - 1), rel=1e-15
    )  # prints as 16 nines
