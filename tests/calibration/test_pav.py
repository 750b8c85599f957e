"""PAV as a calibrator: against its blocks, its hull, scikit-learn's isotonic regression, and lir."""

import json
import math
import re
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, validate_data

import rochull as rh
from adversaries import Array, examples
from rochull._core.schemas import checksum
from twins import TABLE_LABELS, TABLE_SCORES

Rows = tuple[Array, Array, Array | None]
BOUNDS = (None, "laplace", "focal", "misleading", "elub", "invariance")
kinds = st.tuples(st.sampled_from(["step", "linear"]), st.sampled_from(BOUNDS), st.booleans())


def fitted(rows: Rows, *args: Any, **params: Any) -> rh.PavCalibrator:
    labels, scores, weights = rows
    return rh.PavCalibrator(*args, **params).fit(scores, labels, sample_weight=weights)


def or_none(rows: Rows, kind: tuple[str, str | None, bool]) -> rh.PavCalibrator | None:
    """The calibrator, unless a strict one cannot be made."""
    _, bound, strict = kind
    if not (strict and bound in ("elub", "invariance") and fitted(rows, bound=bound).bounds_ == (0, 0)):
        return fitted(rows, *kind)
    with pytest.raises(ValueError, match="strict has no room"):
        fitted(rows, *kind)
    return None


def present(rows: Rows) -> Array:
    """The distinct scores of examples that weigh something, ascending."""
    labels, scores, weights = rows
    return rh.hull.tally(labels, scores, sample_weight=weights).score[::-1]


def sample(seed: int, n: int, shift: float = 1.0, prevalence: float = 0.4) -> Rows:
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < prevalence).astype(int)
    labels[:2] = [0, 1]
    return labels, rng.normal(size=n) + shift * labels, None


# --- steps are the blocks and the hull ---------------------------------------------------------


def test_the_paper() -> None:
    calibrator = rh.PavCalibrator().fit(TABLE_SCORES, TABLE_LABELS)
    column = [1, 1, *[3 / 4] * 4, *[2 / 3] * 3, 1 / 2, 1 / 2, *[1 / 3] * 3, 0]  # column d of Table I
    assert calibrator.posterior(TABLE_SCORES).tolist() == column
    assert calibrator.transform(TABLE_SCORES).tolist() == column
    assert calibrator.prevalence_ == 9 / 15
    assert calibrator.bounds_ == (-np.inf, np.inf)


@given(examples())
def test_steps_are_the_blocks(rows: Rows) -> None:
    labels, scores, weights = rows
    calibrator = fitted(rows)
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    assert hull.blocks is not None
    assert calibrator.hull_.fp.tolist() == hull.fp.tolist()
    assert calibrator.hull_.tp.tolist() == hull.tp.tolist()
    for end in (hull.blocks.low, hull.blocks.high):
        assert calibrator.posterior(end).tolist() == hull.blocks.posterior.tolist()
        assert calibrator.llr(end).tolist() == hull.blocks.llr.tolist()
    pos, neg = float(hull.blocks.pos.sum()), float(hull.blocks.neg.sum())
    assert calibrator.prevalence_ == pytest.approx(pos / (pos + neg), rel=1e-15)
    assert calibrator.bounds_ == (hull.blocks.llr[-1], hull.blocks.llr[0])


prices = st.sampled_from([0.0, 0.1, 1.0, 7.0, 1e9]) | st.floats(0, 100)


@given(examples(max_size=60), prices, prices, st.sampled_from([0.0, 0.01, 0.5, 0.7, 1.0]))
def test_decisions_equal_those_of_the_hull(rows: Rows, fp: float, fn: float, prevalence: float) -> None:
    calibrator = fitted(rows)
    hull, blocks = calibrator.hull_, calibrator.blocks_
    if (fp == 0 or prevalence == 1) and (fn == 0 or prevalence == 0):
        fp = fn = 1.0
    conditions: list[Any] = [
        rh.ExpectedCost(fp, fn, prevalence),
        rh.ExpectedCost(0, 1, prevalence=0.5),
        rh.ExpectedCost(1, 0, prevalence=0.5),
    ]
    conditions += [rh.Accuracy(prevalence), rh.ExpectedCost(prevalence=0), rh.ExpectedCost(prevalence=1)]
    if not blocks.units.weighted:  # slopes equal to those of the edges, those of 0 and infinity among them
        totals = hull.n_pos, hull.n_neg
        edges = zip(blocks.pos.tolist(), blocks.neg.tolist(), strict=True)
        conditions += [rh.ExpectedCost(p * totals[1], q * totals[0], prevalence=0.5) for p, q in edges]
    scores = np.append(rows[1], [rows[1].min(), rows[1].max()])
    for condition in conditions:
        found = calibrator.decide(scores, condition)
        (rule, share), *more = hull.at(condition).rules
        assert (share, more) == (1.0, [])
        if rule.kind == "threshold":
            assert found.tolist() == [
                score >= rule.threshold for score in scores.tolist()
            ]  # as Python numbers
        else:
            assert found.tolist() == [rule.kind == "always"] * scores.size
        # Bayes decisions from the values say the same.
        assert found.tolist() == rh.decide_by_llr(calibrator.llr(scores), condition).tolist()


def test_what_float64_sees_as_a_tie_is_one_for_the_hull_too() -> None:
    calibrator = rh.PavCalibrator().fit([2, 2, 2, 2, 1, 1, 1, 1], [1, 1, 1, 0, 1, 0, 0, 0])
    slope = 0.3333333333333333  # as a decimal it is less than the LR of the lower block, which is 1/3
    condition = rh.ExpectedCost(cost_fp=slope, prevalence=0.5)
    assert calibrator.llr([1]).tolist() == [math.log(slope)]
    assert calibrator.decide([1], condition).tolist() == [False]
    assert calibrator.hull_.at(condition).tpr == 0.75
    lower = rh.ExpectedCost(cost_fp=slope * (1 - 1e-12))  # that is no rounding
    assert calibrator.decide([1], lower).tolist() == [True]
    assert calibrator.hull_.at(lower).tpr == 1


def test_decisions_of_other_maps_are_those_of_bayes() -> None:
    rows = sample(0, 300)
    condition = rh.ExpectedCost(cost_fp=3, cost_fn=2, prevalence=0.2)
    scores = np.linspace(-4, 5, 200)
    for kind in (("linear",), ("step", "laplace"), ("step", "elub"), ("linear", "misleading", True)):
        calibrator = fitted(rows, *kind)
        expected = rh.decide_by_llr(calibrator.llr(scores), condition)
        assert calibrator.decide(scores, condition).tolist() == expected.tolist()
        by_posterior = rh.decide_by_posterior(
            calibrator.posterior(scores), condition, prevalence=calibrator.prevalence_
        )
        assert by_posterior.tolist() == expected.tolist()
        assert 0 < expected.sum() < 200


def test_parts_concatenate_to_the_calibrator() -> None:
    labels, scores, _ = sample(1, 500)
    parts = [
        rh.hull.Blocks.from_scores(labels[part], scores[part])
        for part in np.array_split(np.argsort(scores), 7)
    ]
    whole = rh.concatenate(parts)
    calibrator = fitted((labels, scores, None))
    for name in ("low", "high", "pos_units", "neg_units"):
        assert getattr(calibrator.blocks_, name).tolist() == getattr(whole, name).tolist()


def test_large_data_are_scanned_to_the_same_blocks() -> None:
    labels, scores, _ = sample(2, 200_000)
    scanned, sorted_ = (
        fitted((labels, scores, None), bound="elub"),
        fitted((labels, scores, None), bound="elub", strict=True),
    )
    for name in ("low", "high", "pos_units", "neg_units"):
        assert getattr(scanned.blocks_, name).tolist() == getattr(sorted_.blocks_, name).tolist()
    assert rh.roc_auc(labels, sorted_.transform(scores)) == rh.roc_auc(labels, scores)


# --- posteriors at a prevalence ----------------------------------------------------------------


@given(examples(), kinds, st.sampled_from([1e-6, 0.1, 0.5, 0.999]))
def test_posteriors_and_llrs_obey_bayes_rule(rows: Rows, kind: Any, prevalence: float) -> None:
    calibrator = or_none(rows, kind)
    if calibrator is None:
        return
    scores = rows[1]
    llr = calibrator.llr(scores)
    for used, given_ in ((calibrator.prevalence_, None), (prevalence, prevalence)):
        expected = rh.conditions.posterior_from_llr(llr, used)
        np.testing.assert_allclose(calibrator.posterior(scores, given_), expected, rtol=1e-12)
    lower, upper = calibrator.bounds_
    assert lower <= llr.min()
    assert llr.max() <= upper


# --- independence of the training proportion (Brümmer & du Preez 2013, section 5) ---------------


@given(
    examples(),
    st.sampled_from(["step", "linear"]),
    st.sampled_from([2, 3, 10]),
    st.sampled_from([0.3, 1e-3, 7]),
)
def test_llrs_do_not_depend_on_class_weights(
    rows: Rows, interpolation: str, times: int, weight: float
) -> None:
    labels, scores, _ = rows
    finite = scores[np.isfinite(scores)].astype(float)
    new = np.concatenate([finite, finite / 2, [np.inf, -np.inf, 0.1]])
    plain = fitted((labels, scores, None), interpolation)
    # Positives repeated, as weights and as rows; and any constant weight of a class.
    repeated = np.repeat(np.arange(labels.size), np.where(labels == 1, times, 1))
    others = [
        fitted((labels, scores, np.where(labels == 1, float(times), 1.0)), interpolation),
        fitted((labels[repeated], scores[repeated], None), interpolation),
        fitted((labels, scores, np.where(labels == 1, weight, 1.7)), interpolation),
    ]
    for other in others:
        assert other.llr(new).tolist() == plain.llr(new).tolist()
        assert other.llr(scores).tolist() == plain.llr(scores).tolist()
        assert other.posterior(scores, 0.5).tolist() == plain.posterior(scores, 0.5).tolist()
    share = times * labels.sum() / (times * labels.sum() + (labels == 0).sum())
    assert others[0].prevalence_ == others[1].prevalence_ == share


@pytest.mark.crossed
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("interpolation", ["step", "linear"])
@pytest.mark.parametrize("bound", BOUNDS)
def test_llrs_do_not_depend_on_large_class_weights(
    bound: str | None, interpolation: str, strict: bool
) -> None:
    labels, scores, _ = sample(8, 800)
    order = np.argsort(scores)
    labels[order[:3]], labels[order[-3:]] = [1, 0, 0], [1, 1, 0]  # so that no end is pure
    plain = fitted((labels, scores, None), interpolation, bound, strict)
    new = np.concatenate([scores, np.linspace(-4, 6, 500), [-np.inf, np.inf]])
    for k in (1e11, 1e-11, 1e140, 1e-140):
        calibrator = fitted((labels, scores, np.where(labels == 1, k, 1.0)), interpolation, bound, strict)
        assert calibrator.llr(new).tolist() == plain.llr(new).tolist()
        assert calibrator.posterior(new, 0.3).tolist() == plain.posterior(new, 0.3).tolist()
        odds = k * (labels == 1).sum() / (labels == 0).sum()
        assert calibrator.prevalence_ == pytest.approx(odds / (1 + odds), rel=0.01)
        found = calibrator.transform(np.sort(new))
        assert np.all(np.diff(found) >= 0)
        assert np.all((found >= 0) & (found <= 1))


def test_weights_whose_odds_leave_float64_are_refused() -> None:
    labels = [0, 1, 0, 0, 1, 0, 1]
    weights = [1e-200 if label else 1e200 for label in labels]
    for interpolation in ("step", "linear"):
        with pytest.raises(ValueError, match=r"sample_weight: the negative class weighs 4e\+200 in total"):
            fitted((np.array(labels), np.arange(7.0), np.array(weights)), interpolation)
    # As extreme as it may be, every number is what it should.
    weights = [1e-150 if label else 2e149 for label in labels]
    calibrator = fitted((np.array(labels), np.arange(1.0, 8), np.array(weights)), "linear")
    assert calibrator.posterior([2.0, 6.5, 7.0], None)[::2].tolist() == [
        pytest.approx(5e-300 / 3, rel=0.5),
        1.0,
    ]
    assert 1e-300 < calibrator.posterior([6.5])[0] < 1e-298


@pytest.mark.parametrize("bound", ["laplace", "misleading", "elub"])
def test_bounds_do_not_depend_on_a_constant_weight(bound: str) -> None:
    labels, scores, _ = sample(3, 200)
    plain = fitted((labels, scores, None), bound=bound)
    same = fitted((labels, scores, np.full(200, 0.3)), bound=bound)
    assert same.llr(scores).tolist() == plain.llr(scores).tolist()
    np.testing.assert_allclose(same.posterior(scores), plain.posterior(scores), rtol=1e-15)


# --- straight lines ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_lines_are_those_of_isotonic_regression_at_equal_class_weights(seed: int) -> None:
    labels, scores, _ = sample(seed, 200, prevalence=0.2)
    scores = np.round(scores, 2)
    balanced = np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (labels == 0).sum())
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, labels, sample_weight=balanced)
    new = np.concatenate([np.linspace(-5, 5, 999), scores])
    calibrator = fitted((labels, scores, None), "linear")
    np.testing.assert_allclose(calibrator.posterior(new, 0.5), peer.predict(new), rtol=1e-10, atol=1e-13)
    # With the weights given, the training prevalence is 1/2.
    weighted = fitted((labels, scores, balanced), "linear")
    np.testing.assert_allclose(weighted.posterior(new), peer.predict(new), rtol=1e-10, atol=1e-13)
    # Without them scikit-learn draws its lines elsewhere, between the same blocks.
    plain = IsotonicRegression(out_of_bounds="clip").fit(scores, labels)
    np.testing.assert_allclose(calibrator.posterior(scores), plain.predict(scores), rtol=1e-10, atol=1e-13)
    assert np.abs(calibrator.posterior(new) - plain.predict(new)).max() > 1e-3


def test_infinite_scores_have_finite_posteriors() -> None:
    for rows in (sample(0, 50), (np.array([0, 1, 0, 1]), np.array([-np.inf, 0.0, 1.0, np.inf]), None)):
        calibrator = fitted(rows, "linear")
        asked = np.array([-np.inf, -1e308, 0.5, 1e308, np.inf])
        found = calibrator.posterior(asked)
        assert np.all((found >= 0) & (found <= 1))
        assert np.all(np.diff(found) >= 0)


@pytest.mark.parametrize("interpolation", ["step", "linear"])
def test_beyond_pure_ends_posteriors_are_certain_and_llrs_infinite(interpolation: str) -> None:
    calibrator = rh.PavCalibrator(interpolation).fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1])
    asked = [-np.inf, 0.0, 1.0, 4.0, 5.0, np.inf]
    for prevalence in (None, 1e-300, 0.5):
        assert calibrator.posterior(asked, prevalence).tolist() == [0, 0, 0, 1, 1, 1]
    assert calibrator.llr(asked).tolist() == [-np.inf] * 3 + [np.inf] * 3
    mixed = rh.PavCalibrator(interpolation).fit([1, 1, 2, 2], [0, 1, 1, 1])  # one end is not pure
    assert mixed.posterior([-np.inf, np.inf]).tolist() == [0.5, 1.0]
    assert mixed.llr([-np.inf, np.inf]).tolist() == [math.log(1 / 3), np.inf]


# --- bounds ------------------------------------------------------------------------------------

# Computed by lir 1.3.1: with y and s as below, lir.algorithms.isotonic_regression.IsotonicCalibrator
# (add_misleading=1).fit(s, y).transform(new) gives these log10 LRs. It adds the same two examples, and
# interpolates the posterior at balanced weights.
LIR_Y = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 0, 0]
LIR_S = [0.1, 0.2, 0.25, 0.3, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.95, 0.05, 0.15]
LIR_NEW = [0.0, 0.05, 0.12, 0.22, 0.4, 0.47, 0.52, 0.65, 0.75, 0.9, 1.0]
LIR_LOG10 = [
    -0.5440680443502757, -0.5440680443502757, -0.5440680443502757, -0.4127891297109567, -0.24303804868629456,
    -0.006179788598154656, 0.3590219426416681, 0.44286948281048266, 0.5351132016973492, 0.5351132016973492,
    0.5351132016973492,
]  # fmt: skip


def test_one_misleading_example_as_in_lir() -> None:
    calibrator = rh.PavCalibrator("linear", "misleading").fit(LIR_S, LIR_Y)
    np.testing.assert_allclose(calibrator.llr(LIR_NEW) / np.log(10), LIR_LOG10, rtol=1e-12)


def test_laplace_by_hand() -> None:
    labels, scores = [1, 1, 1, 0, 1, 0, 0], [7, 6, 5, 4, 3, 2, 1]
    calibrator = rh.PavCalibrator(bound="laplace").fit(scores, labels)
    assert calibrator.posterior(scores).tolist() == [4 / 5, 4 / 5, 4 / 5, 1 / 2, 1 / 2, 1 / 4, 1 / 4]
    assert calibrator.prevalence_ == 6 / 11
    ratios = [
        Fraction(4, 6) / Fraction(1, 5),
        Fraction(1, 6) / Fraction(1, 5),
        Fraction(1, 6) / Fraction(3, 5),
    ]
    assert calibrator.llr([6, 3, 1]).tolist() == pytest.approx([math.log(r) for r in ratios], rel=1e-14)
    assert calibrator.bounds_ == tuple(calibrator.llr([1, 7]))
    assert calibrator.blocks_.pos.tolist() == [4, 1, 1]
    assert calibrator.blocks_.high.tolist() == [7, 4, 2]


def test_added_examples_that_are_pooled_with_no_data_belong_to_no_block() -> None:
    calibrator = rh.PavCalibrator(bound="laplace").fit(np.zeros(10), [1] + [0] * 9)
    assert len(calibrator.blocks_) == 1
    assert calibrator.posterior([-5.0, 0.0, 5.0]).tolist() == [2 / 12] * 3
    assert calibrator.prevalence_ == 3 / 14
    assert calibrator.bounds_[0] == calibrator.bounds_[1] == math.log(Fraction(2, 3) / Fraction(10, 11))


@given(examples(), st.sampled_from(BOUNDS[1:]), st.sampled_from(["step", "linear"]))
def test_bounds_are_finite_and_empirical_ones_clip(rows: Rows, bound: str, interpolation: str) -> None:
    calibrator = fitted(rows, interpolation, bound)
    lower, upper = calibrator.bounds_
    assert np.isfinite([lower, upper]).all()
    everywhere = np.array([-np.inf, *sorted(rows[1].astype(float).tolist()), np.inf])
    found = calibrator.llr(everywhere)
    assert (found.min(), found.max()) == (lower, upper)
    if bound in ("elub", "invariance"):
        assert lower <= 0 <= upper
        free = fitted(rows, interpolation).llr(rows[1])
        np.testing.assert_allclose(calibrator.llr(rows[1]), np.clip(free, lower, upper), rtol=1e-14)
        assert calibrator.prevalence_ == fitted(rows).prevalence_


def test_elub_keeps_the_blocks_inside_exactly() -> None:
    rows = sample(4, 2000)
    plain, bounded = fitted(rows), fitted(rows, bound="elub")
    inside = np.abs(plain.llr(rows[1])) < min(-bounded.bounds_[0], bounded.bounds_[1])
    assert 100 < inside.sum() < 2000
    assert bounded.posterior(rows[1])[inside].tolist() == plain.posterior(rows[1])[inside].tolist()
    assert bounded.bounds_[1] < np.inf == plain.bounds_[1]


# --- strict maps -------------------------------------------------------------------------------


@given(examples(), st.sampled_from(["step", "linear"]), st.sampled_from(BOUNDS[1:]))
def test_strict_maps_keep_the_ranking(rows: Rows, interpolation: str, bound: str) -> None:
    calibrator = or_none(rows, (interpolation, bound, True))
    if calibrator is None:
        return
    labels, scores, weights = rows
    distinct = present(rows)
    for values in (calibrator.llr(distinct), calibrator.transform(distinct)):
        assert np.all(values[1:] > values[:-1])
    ours = calibrator.transform(scores)
    assert rh.roc_auc(labels, ours, sample_weight=weights) == rh.roc_auc(
        labels, scores, sample_weight=weights
    )
    assert ours.min() > 0
    assert ours.max() < 1
    lower, upper = calibrator.bounds_
    ties = fitted(rows, interpolation, bound)
    if bound in ("elub", "invariance"):
        assert (lower, upper) == ties.bounds_


def mean_losses(labels: Array, posterior: Array) -> tuple[float, float]:
    """Brier and log score."""
    right = np.where(labels == 1, posterior, 1 - posterior)
    return float(np.mean((1 - right) ** 2)), float(np.mean(-np.log(right)))


@pytest.mark.parametrize("bound", ["laplace", "misleading", "elub"])
@pytest.mark.parametrize("interpolation", ["step", "linear"])
def test_strict_maps_approach_the_scores_of_pav(interpolation: str, bound: str) -> None:
    labels, scores, _ = sample(5, 5000)
    tied, strict = (fitted((labels, scores, None), interpolation, bound, s) for s in (False, True))
    for ours, theirs in zip(
        mean_losses(labels, strict.transform(scores)),
        mean_losses(labels, tied.transform(scores)),
        strict=True,
    ):
        assert 0 <= abs(ours - theirs) < 1e-5
    assert strict._fitted.spread is not None
    assert set(strict._fitted.spread) == {1e-6}
    assert abs(rh.cllr(labels, strict.llr(scores)) - rh.cllr(labels, tied.llr(scores))) < 1e-5
    np.testing.assert_allclose(strict.llr(scores), tied.llr(scores), rtol=0, atol=2.1e-6)
    assert len(np.unique(strict.transform(scores))) == 5000 > len(np.unique(tied.transform(scores)))
    new_labels, new, _ = sample(6, 3000)
    assert rh.roc_auc(new_labels, strict.transform(new)) == rh.roc_auc(new_labels, new)


def test_a_strict_map_of_a_large_pure_end() -> None:
    """Posteriors next to 1: the spread is raised for them, but never beyond its limit."""
    rng = np.random.default_rng(4)
    top = 200_000
    labels = np.append(rng.integers(0, 2, 400), np.ones(top, int))
    scores = np.append(np.arange(400.0), 1000 + np.arange(top))
    llrs = []
    for ties in (False, True):
        rows = labels, scores, np.where(labels == 1, 1e6, 1.0) if ties else None
        tied, strict = (fitted(rows, bound="misleading", strict=s) for s in (False, True))
        assert strict._fitted.spread is not None
        assert 1e-6 < strict._fitted.spread.max() <= 1e-3
        moved = np.abs(strict.llr(scores) - tied.llr(scores))
        assert moved.max() < 2.1e-3
        assert np.all(np.diff(strict.llr(scores)) > 0)  # always
        posterior = strict.transform(scores)
        assert np.all(np.diff(posterior) >= 0)
        assert bool(np.any(np.diff(posterior) == 0)) == ties
        assert (rh.roc_auc(labels, posterior) == rh.roc_auc(labels, scores)) or ties
        for ours, theirs in zip(
            mean_losses(labels, posterior), mean_losses(labels, tied.transform(scores)), strict=True
        ):
            assert abs(ours - theirs) < 1e-2
        llrs.append(strict.llr(scores).tolist())
    assert llrs[0] == llrs[1]


def test_strict_maps_at_prevalences_up_to_one_half() -> None:
    labels, scores, _ = sample(11, 2000, prevalence=0.05)
    for weights in (None, np.where(labels == 1, 19.0, 1.0)):  # the classes weigh about the same
        strict = fitted((labels, scores, weights), bound="laplace", strict=True)
        for prevalence in (None, 0.5, 0.01, 1e-6):
            assert rh.roc_auc(labels, strict.posterior(scores, prevalence)) == rh.roc_auc(labels, scores)


def test_strict_needs_no_bound() -> None:
    labels, scores = [0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0]
    for interpolation in ("step", "linear"):
        pure = rh.PavCalibrator(interpolation, strict=True).fit(scores, labels)
        llr = pure.llr([-9.0, *scores, 9.0])
        assert np.isfinite(llr).all()
        assert np.all(np.diff(llr) > 0)
        assert pure.posterior(scores) == pytest.approx([0, 0.5, 0.5, 1], abs=1e-6)
    mixed = rh.PavCalibrator(strict=True).fit([1, 1, 2, 3, 3, 3], [0, 1, 0, 1, 1, 0])
    assert np.all(np.diff(mixed.llr([0, 1, 2, 3, 4])) > 0)


@given(examples(max_size=40), st.sampled_from([None, "laplace", "misleading"]))
def test_strict_costs_nothing_but_inside_of_the_spreads(rows: Rows, bound: str | None) -> None:
    """Decisions at the values of blocks, and half way between two, cost what PAV's do."""
    labels, scores, weights = rows
    tied, strict = (fitted(rows, "step", bound, way) for way in (False, True))
    values = np.unique(tied.transform(scores))
    middles = (values[1:] + values[:-1]) / 2
    for threshold in np.concatenate((values, middles)).tolist():
        if not 1e-6 < threshold < 1 - 1e-6 or np.diff(values).min(initial=1) < 1e-3:
            continue  # nearer together than the spread may get
        rule = rh.CostWeighted(threshold)
        assert rule.score(labels, strict.transform(scores), weights) == pytest.approx(
            rule.score(labels, tied.transform(scores), weights), rel=1e-12
        )


def test_strict_without_room() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="strict has no room: the bounds leave one LLR only"):
        rh.PavCalibrator(bound="elub", strict=True).fit(-np.arange(50.0), np.arange(50) >= 25)
    labels = rng.integers(0, 2, 40)
    assert rh.PavCalibrator(bound="laplace", strict=True).fit(np.zeros(40), labels).llr([1.0])[0] > -1


# --- saving and loading ------------------------------------------------------------------------


@given(examples(max_size=60), kinds)
def test_documents_come_back_bit_for_bit(rows: Rows, kind: Any) -> None:
    calibrator = or_none(rows, kind)
    if calibrator is None:
        return
    text = calibrator.to_json(about={"from": "a test"})
    loaded = read(text)
    assert (loaded.interpolation, loaded.bound, loaded.strict) == kind
    assert loaded.to_json() == text  # `about` too
    assert loaded.about == {"from": "a test"}
    new = np.concatenate([rows[1], (rows[1] / 2).astype(rows[1].dtype)])
    for name in ("llr", "posterior", "transform"):
        assert getattr(loaded, name)(new).tolist() == getattr(calibrator, name)(new).tolist()
    condition = rh.ExpectedCost(3, 2, 0.3)
    assert loaded.decide(new, condition).tolist() == calibrator.decide(new, condition).tolist()
    for name in ("prevalence_", "bounds_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(calibrator, name)
    assert loaded.blocks_.low.dtype == calibrator.blocks_.low.dtype == calibrator.hull_.blocks.low.dtype
    for name in ("low", "high", "pos_units", "neg_units"):
        assert getattr(loaded.blocks_, name).tolist() == getattr(calibrator.blocks_, name).tolist()
    assert loaded.blocks_.units == calibrator.blocks_.units


def read(text: str) -> Any:
    """What load_calibrator makes of a document."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "calibrator.json"
        path.write_text(text, encoding="utf-8")
        loaded = rh.load_calibrator(path)
        assert type(loaded) is type(rh.PavCalibrator.load(path))
        return loaded


@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint8]
)
def test_the_type_of_scores_is_kept(dtype: Any, tmp_path: Path) -> None:
    scores = np.array([0.1, 1, 2, 3, 100]).astype(dtype)
    calibrator = rh.PavCalibrator("linear", "laplace", True).fit(scores, [0, 1, 0, 1, 1])
    calibrator.save(tmp_path / "model.json")
    loaded = rh.PavCalibrator.load(tmp_path / "model.json")
    assert loaded.hull_.blocks is not None
    assert loaded.hull_.blocks.low.dtype == dtype
    assert loaded.llr(scores).tolist() == calibrator.llr(scores).tolist()


def test_what_is_not_a_calibrator(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    for content, message in (
        ("{", "the calibrator is not valid"),
        ("[]", "this is not a calibrator document"),
        (rh.Policy.from_hull(rh.roc_hull([0, 1], [0, 1])).to_json(), "this is not a calibrator document"),
    ):
        path.write_text(content)
        for load in (rh.load_calibrator, rh.PavCalibrator.load):
            with pytest.raises(ValueError, match=re.escape(f"{path}: {message}")) as caught:
                load(path)  # type: ignore[operator]
            assert caught.value.__cause__ is None
    with pytest.raises(FileNotFoundError):
        rh.load_calibrator(tmp_path / "none.json")


def test_documents_whose_parts_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    rh.PavCalibrator(bound="laplace", strict=True).fit([1, 2, 3, 4, 5], [0, 1, 0, 1, 1]).save(path)
    whole = json.loads(path.read_text())
    for change, message in (
        ({"spread": whole["spread"] * 2}, "spread has 6 numbers, but the blocks have 3 values"),
        ({"spread": [1e-300] * 3}, "strict: float64 has too few values between two blocks"),
    ):
        document = {**whole, **change}
        path.write_text(json.dumps({**document, "checksum": checksum(document)}))
        with pytest.raises(ValueError, match=f"{re.escape(str(path))}: {message}") as caught:
            rh.load_calibrator(path)
        assert caught.value.__cause__ is None


def test_other_kinds_are_told_apart(tmp_path: Path) -> None:
    document = {
        "format": "rochull-calibrator", "version": 1, "about": {}, "pos_label": "yes",
        "kind": "logistic", "slope": 2.0, "intercept": -1.0, "prevalence": 0.25,
        "fitted_at": None, "targets": "labels",
    }  # fmt: skip
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**document, "checksum": checksum(document)}))
    loaded = rh.load_calibrator(path)
    assert type(loaded) is rh.LogisticCalibrator
    assert (loaded.llr([3.0]).tolist(), loaded.prevalence_, loaded.pos_label) == ([5.0], 0.25, "yes")
    assert loaded.n_features_in_ == 1
    with pytest.raises(
        ValueError, match="this is a calibrator of kind 'logistic'; load_calibrator reads every kind"
    ):
        rh.PavCalibrator.load(path)


def test_a_subclass_loads_itself(tmp_path: Path) -> None:
    class Mine(rh.PavCalibrator):
        pass

    fitted(sample(0, 30)).save(tmp_path / "model.json")
    assert type(Mine.load(tmp_path / "model.json")) is Mine


def test_parameters_set_after_fitting_change_nothing() -> None:
    calibrator = fitted(sample(0, 100))
    text, values = calibrator.to_json(), calibrator.llr([0.0, 1.0]).tolist()
    calibrator.set_params(interpolation="linear", bound="elub", strict=True)
    assert calibrator.llr([0.0, 1.0]).tolist() == values
    assert calibrator.to_json() == text
    assert calibrator.decide([9.0], rh.Accuracy(0.5)).tolist() == [True]


# --- scikit-learn ------------------------------------------------------------------------------


class FirstColumn(rh.PavCalibrator):
    """Takes tables and any labels, as scikit-learn's generic checks give them; one column counts."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        X, y = validate_data(self, X, y)
        super().fit(X[:, 0], y == (y.max() if y.dtype.kind in "iufb" else y[0]), sample_weight)
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: Any) -> Array:
        check_is_fitted(self)
        values: Array = super().transform(validate_data(self, X, reset=False)[:, 0])
        return values[:, None]

    def predict(self, X: Any) -> Any:
        return self.transform(X)[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array, tags.input_tags.two_d_array = False, True
        return tags


# Of the generator's checks this one only: it skips itself, because an environment variable is not set.
NOT_APPLICABLE = {"check_array_api_input"}
# An added example weighs the mean weight of its class: two rows are not one row of weight two then.
WITH_BOUND = {"check_sample_weight_equivalence_on_dense_data"}


@pytest.mark.parametrize(
    "params",
    [{}, {"interpolation": "linear"}, {"interpolation": "linear", "bound": "laplace", "strict": True}],
    ids=str,
)
@pytest.mark.filterwarnings("ignore")  # of what scikit-learn does to provoke errors
def test_checks_of_scikit_learn(params: Any) -> None:
    failed, run = {}, set()
    for estimator, check in estimator_checks_generator(FirstColumn(**params)):
        name = check.func.__name__
        if name in NOT_APPLICABLE:
            continue
        run.add(name)
        try:
            check(estimator)
        except Exception as error:
            failed[name] = error
    assert len(run) > 40
    assert run >= {"check_estimators_pickle", "check_dict_unchanged", *WITH_BOUND}
    assert set(failed) == (WITH_BOUND if "bound" in params else set()), failed


# --- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"interpolation": "cubic"}, 'interpolation must be "step", "linear" or "centred", but is \'cubic\''),
        ({"interpolation": None}, 'interpolation must be "step", "linear" or "centred", but is None'),
        (
            {"bound": "none"},
            'bound must be None, "laplace", "focal", "misleading", "elub" or "invariance", but is \'none\'',
        ),
        ({"strict": "yes"}, "strict must be True or False, but is 'yes'"),
        ({"strict": 1}, "strict must be True or False, but is 1"),
        ({"pos_label": 3}, "pos_label=3 does not occur in y"),
    ],
)
def test_bad_parameters_are_refused_when_fitting(params: Any, message: str) -> None:
    calibrator = rh.PavCalibrator(**params)
    with pytest.raises(ValueError, match=re.escape(message)):
        calibrator.fit([0.0, 1.0], [0, 1])


def test_focal_takes_off_the_prior_of_the_data_alone() -> None:
    """FoCal's pav_calibration: PAV with the added examples, less the log-odds of those that were given."""
    labels = np.repeat([1, 0], [3, 997])
    scores = np.random.default_rng(0).normal(labels)
    laplace, focal = (rh.PavCalibrator(bound=bound).fit(scores, labels) for bound in ("laplace", "focal"))
    assert focal.llr(scores) - laplace.llr(scores) == pytest.approx(math.log(5 * 997 / (999 * 3)), abs=1e-12)
    assert focal.posterior(scores).tolist() == laplace.posterior(scores).tolist()
    assert (focal.prevalence_, laplace.prevalence_) == (0.003, 5 / 1004)
    logit = np.log(focal.posterior(scores) / (1 - focal.posterior(scores)))
    assert logit == pytest.approx(focal.llr(scores) + math.log(3 / 997), abs=1e-12)


# --- centred ---------------------------------------------------------------------------------------


def centred_twin(rows: Rows, bound: str | None, at: Array) -> Array:
    """The posterior at prevalence 1/2 (m,): the blocks' values at the means of their scores, by np.interp."""
    labels, scores, weights = rows
    made = fitted(rows, "step", bound)
    w = np.ones(labels.size) if weights is None else np.asarray(weights, float)
    w = np.where(labels == 1, w / w[labels == 1].sum(), w / w[labels == 0].sum())
    centres, values = [], []
    for block in range(len(made.blocks_)):
        low, high = made.blocks_.low[block], made.blocks_.high[block]
        inside = (scores >= low) & (scores <= high) & (w > 0)
        finite = inside & np.isfinite(scores.astype(float))
        own = finite if finite.any() else inside
        centres.append(float(np.average(scores[own].astype(float), weights=w[own])) if low < high else low)
        values.append(made.posterior([low], 0.5)[0])
    return np.interp(at, centres[::-1], values[::-1])


@given(
    st.integers(0, 2**32), st.integers(2, 60), st.integers(0, 3), st.booleans(),
    st.sampled_from([None, "laplace", "misleading"]),
)  # fmt: skip
def test_centred_lines_run_through_the_means_of_blocks(
    seed: int, n: int, digits: int, weighted: bool, bound: str | None
) -> None:
    labels, scores, _ = sample(seed, n)
    scores = np.round(scores, digits) + 0.0
    weights = np.random.default_rng(seed).integers(1, 9, n) / 4 if weighted else None
    rows = labels, scores, weights
    at = np.sort(np.append(scores, np.linspace(scores.min() - 1, scores.max() + 1, 41)))
    found = fitted(rows, "centred", bound).posterior(at, 0.5)
    assert (np.diff(found) >= -1e-15).all()
    np.testing.assert_allclose(found, centred_twin(rows, bound, at), rtol=1e-9, atol=1e-12)


def test_centred_is_centred_isotonic_regression_at_equal_class_weights() -> None:
    """Oron & Flournoy 2017: what scikit-learn pools, one point each, at the mean of its scores."""
    rng = np.random.default_rng(4)
    labels = rng.permutation(np.arange(200) % 2)
    scores = rng.normal(size=200) + labels
    flat = IsotonicRegression().fit(scores, labels).predict(scores)
    points = [(scores[flat == value].mean(), value) for value in np.unique(flat)]
    at = np.linspace(-4, 4, 81)
    expected = np.interp(at, *zip(*points, strict=True))
    found = fitted((labels, scores, None), "centred")
    np.testing.assert_allclose(found.posterior(at), expected, rtol=1e-12, atol=1e-15)
    inside = np.linspace(points[0][0], points[-1][0], 1000)
    assert (np.diff(found.posterior(inside)) > 0).all()  # where steps and lines are flat in the blocks


@given(examples(), st.sampled_from(BOUNDS))
def test_centred_maps_come_back_and_stay_within_bounds(rows: Rows, bound: str | None) -> None:
    try:
        made = fitted(rows, "centred", bound)
    except ValueError as error:
        assert "float64 tells apart" in str(error)  # noqa: PT017 - of some large integers
        return
    text = made.to_json()
    again = rh.PavCalibrator.from_json(text)
    at = np.append(rows[1].astype(float), [-np.inf, np.inf, 0.0])
    assert again.llr(at).tolist() == made.llr(at).tolist()
    assert again.to_json() == text
    step = fitted(rows, "step", bound)
    assert step.bounds_ == made.bounds_
    ends = [-np.inf, np.inf]
    assert made.llr(ends).tolist() == step.llr(ends).tolist()


def test_a_centred_map_does_not_depend_on_class_weights() -> None:
    labels, scores, _ = sample(2, 300)
    plain = fitted((labels, scores, None), "centred").llr(scores)
    weighted = fitted((labels, scores, np.where(labels, 7.3, 0.1)), "centred").llr(scores)
    np.testing.assert_allclose(weighted, plain, rtol=1e-9)


def test_what_a_centred_map_refuses() -> None:
    labels, scores, _ = sample(1, 20)
    with pytest.raises(ValueError, match='strict goes with the interpolations "step" and "linear"'):
        fitted((labels, scores, None), "centred", strict=True)
    far = 2**60 + np.arange(3)
    with pytest.raises(ValueError, match="needs scores that float64 tells apart"):
        fitted((np.array([0, 0, 1]), far, None), "centred")
    document = json.loads(fitted((labels, scores, None), "centred").to_json())
    for changes, message in (
        ({"centres": None}, "belong to a centred map, and to no other"),
        ({"centres": document["centres"][1:]}, "do not lie in the blocks"),
        ({"centres": document["centres"][::-1]}, "do not lie in the blocks"),
        ({"strict": True, "scores": [], "spread": []}, "."),
    ):
        wrong = {**document, **changes}
        del wrong["checksum"]
        with pytest.raises(ValueError, match=message):
            rh.PavCalibrator.from_dict({**wrong, "checksum": checksum(wrong)})
