"""Proper scoring rules: their definition, PAV's optimality by brute force, published identities, extremes."""

import ast
import copy
import importlib
import math
import pickle
import tracemalloc
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.metrics import brier_score_loss, log_loss

import rochull as rh
from adversaries import Array, examples
from profiles import tries
from refusals import refuses
from twins import curve_of, groups_of, pair_auc
from twins_calibration import (
    Loss,
    brier_losses,
    candidates,
    cost_table,
    decision_losses,
    least_monotone_loss,
    log_losses,
    loss_by_quad,
    mean_loss,
    monotone_assignments,
    pav_closed_form,
    pav_llr_closed_form,
)

# Scores are drawn that pass for probabilities; what is said of them has a test in test_measures.py.
pytestmark = pytest.mark.filterwarnings("ignore:llr. all values lie between 0 and 1:UserWarning")

Losses = tuple[Loss, Loss]
PRIORS = (1e-3, 0.3, 0.5, 0.93)

# An uneven density: nothing below 0.1, heavy to 0.25, nothing to 0.5, and light above 0.5; neither expected
# loss is convex.
STEPS = ((0.1, 0.25, 4.0), (0.5, 0.9, 1.0))


def uneven(t: Array) -> Array:
    return np.asarray(sum(np.where((t > low) & (t <= high), height, 0.0) for low, high, height in STEPS))


def uneven_losses() -> Losses:
    def lost(q: float, positive: bool) -> float:
        total = 0.0
        for low, high, height in STEPS:
            q_in = min(max(q, low), high)
            ratio = high / q_in if positive else (1 - low) / (1 - q_in)
            total += height * math.log(ratio)
        return total

    return lambda q: lost(q, True), lambda q: lost(q, False)


def boosting_losses() -> Losses:
    def root(up: float, down: float) -> float:
        return 2 / math.pi * math.sqrt(up / down) if down else math.inf

    return lambda q: root(1 - q, q), lambda q: root(q, 1 - q)


def beta_losses(a: float, b: float) -> Losses:
    constant = math.gamma(a + b) / math.gamma(a) / math.gamma(b)

    def density(t: float) -> float:
        return constant * t ** (a - 1) * (1 - t) ** (b - 1)

    return (
        cache(lambda q: loss_by_quad(density, q, positive=True)),
        cache(lambda q: loss_by_quad(density, q, positive=False)),
    )


def mixture() -> tuple[list[float], list[float]]:
    return [0.5, 0.2, 0.75, 0.5, 0.3], [0.3, 0.1, 0.4, 0.1, 0.1]


def density_and_points() -> tuple[rh.ScoringRule, Losses]:
    """An uneven density with half the weight, and two point masses with a quarter each."""
    rule = rh.ScoringRule.mixture(
        [rh.ScoringRule(uneven), rh.CostWeighted(0.3), rh.CostWeighted(0.8)], [0.5, 0.25, 0.25]
    )
    (smooth1, smooth0), (jump1, jump0) = uneven_losses(), decision_losses([0.3, 0.8], [0.5, 0.5])
    return rule, (lambda q: (smooth1(q) + jump1(q)) / 2, lambda q: (smooth0(q) + jump0(q)) / 2)


# Each rule with a twin: its losses by plain arithmetic or quadrature.
RULES: dict[str, tuple[rh.ScoringRule, Losses]] = {
    "Brier": (rh.Brier(), brier_losses()),
    "log": (rh.LogScore(), log_losses()),
    "cost 0.3": (rh.CostWeighted(0.3), decision_losses([0.3], [1])),
    "cost 1/2": (rh.CostWeighted(0.5), decision_losses([0.5], [1])),
    "decisions": (rh.ScoringRule.from_thresholds(*mixture()), decision_losses(*mixture())),
    "boosting": (rh.BetaScore(0.5, 0.5), boosting_losses()),
    "Beta(1, 1)": (rh.BetaScore(1, 1), log_losses()),
    "Beta(3, 1.5)": (rh.BetaScore(3, 1.5), beta_losses(3, 1.5)),
    "uneven": (rh.ScoringRule(uneven), uneven_losses()),
    "density and points": density_and_points(),
    "Beta(4, 2) density": (rh.ScoringRule(lambda t: 20 * t**3 * (1 - t)), beta_losses(4, 2)),
}
BOUNDED = sorted(set(RULES) - {"log", "boosting", "Beta(1, 1)"})
names = st.sampled_from(sorted(RULES))


@st.composite
def small(draw: st.DrawFn) -> tuple[Array, Array, Array | None]:
    """A few examples with ties, both classes, perhaps with weights."""
    n = draw(st.integers(2, 7))
    labels = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    labels[:2] = 0, 1
    scores = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), float)
    weights = draw(st.none() | st.lists(st.sampled_from([0.0, 0.25, 1.0, 1.5, 4.0]), min_size=n, max_size=n))
    if weights is None:
        return labels, scores, None
    return labels, scores, np.array([1.0, 1.0, *weights[2:]])


def at_rows(values: list[Any], rows: Any) -> Array:
    """What each distinct score was given, row by row; rows of weight zero get the average."""
    given = {group[0]: value for group, value in zip(groups_of(*rows), values, strict=True)}
    return np.array([float(given.get(score, Fraction(1, 2))) for score in rows[1].tolist()])


# --- the definition ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(RULES))
def test_losses_are_those_of_the_definition(name: str) -> None:
    rule, losses = RULES[name]
    q = np.array([0.001, 0.1, 0.2, 0.25, 0.3, 0.31, 0.5, 0.6, 0.75, 0.8, 0.999])
    for found, loss in zip(rule.losses(q), losses, strict=True):
        np.testing.assert_allclose(found, [loss(x) for x in q.tolist()], rtol=1e-8, atol=1e-12)
    inner = (q != 0.2) & (q != 0.3) & (q != 0.5) & (q != 0.75)  # where rules jump, log-odds are rounded
    for found, other in zip(rule.losses(q[inner]), rule.losses_at_log_odds(logit(q[inner])), strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-14)


def test_scaling_and_the_state_index() -> None:
    q = np.linspace(0.01, 0.99, 25)
    for rule, if_positive, if_negative in (
        (rh.BetaScore(1, 1), -np.log(q), -np.log1p(-q)),
        (rh.BetaScore(2, 2), 3 * (1 - q) ** 2, 3 * q**2),
        (rh.BetaScore(2, 1), 2 * (1 - q), 2 * (-np.log1p(-q) - q)),
        (rh.BetaScore(1, 2), 2 * (q - 1 - np.log(q)), 2 * q),
        (rh.BetaScore(0.5, 0.5), 2 / np.pi * np.sqrt((1 - q) / q), 2 / np.pi * np.sqrt(q / (1 - q))),
        (rh.ScoringRule(np.ones_like), -np.log(q), -np.log1p(-q)),
        (rh.CostWeighted(0.4), (q <= 0.4) / 0.4, (q > 0.4) / 0.6),
    ):
        np.testing.assert_allclose(rule.losses(q)[0], if_positive, rtol=1e-12)
        np.testing.assert_allclose(rule.losses(q)[1], if_negative, rtol=1e-11, atol=1e-13)
    assert rh.Brier().scale == 1 / 3
    assert rh.BetaScore(2, 2).scale == rh.ScoringRule(np.ones_like).scale == 1


def test_a_point_mass_is_the_limit_of_narrow_densities() -> None:
    q = np.array([0.1, 0.2, 0.4, 0.6])
    for found, expected in zip(rh.BetaScore(3e5, 7e5).losses(q), rh.CostWeighted(0.3).losses(q), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)


def test_the_form_of_appendix_a() -> None:
    q = np.array([0.003, 0.2, 0.5, 0.9])
    convert = rh.ScoringRule.from_weight_function
    for weight, rule, factor in (
        (lambda t: np.full(t.shape, 2.0), rh.Brier(), 1.0),
        (lambda t: 1 / (t * (1 - t)), rh.LogScore(), 1.0),
        (lambda t: 6 * t * (1 - t), rh.BetaScore(3, 3), 0.2),  # the loss behind the H-measure
        (lambda t: (t * (1 - t)) ** -1.5, rh.BetaScore(0.5, 0.5), math.pi),  # boosting
        (lambda t: t**3 * (1 - t), rh.BetaScore(5, 3), 1 / 105),
    ):
        converted = convert(weight)
        for found, expected in zip(converted.losses(q), rule.losses(q), strict=True):
            np.testing.assert_allclose(found, factor * expected, rtol=1e-11)
        assert converted.scale == pytest.approx(factor * rule.scale, rel=1e-12)
        assert converted.strict
    hand = convert(lambda t: 6 * t * (1 - t)).losses(q)[0]
    np.testing.assert_allclose(hand, 0.5 - 3 * q**2 + 4 * q**3 - 1.5 * q**4, rtol=1e-11)


@pytest.mark.parametrize("name", sorted(RULES))
def test_propriety(name: str) -> None:
    """Lemma 12: the expected loss falls to the true probability and rises from there."""
    rule, _ = RULES[name]
    q = np.linspace(0.002, 0.998, 499)
    if_positive, if_negative = rule.losses(q)
    for at in (0, 30, 120, 249, 250, 400, 498):
        expected = q[at] * if_positive + (1 - q[at]) * if_negative
        assert (np.diff(expected[: at + 1]) <= 1e-12).all()
        assert (np.diff(expected[at:]) >= -1e-12).all()
        if rule.strict:
            assert np.argmin(expected) == at
            assert (np.delete(expected, at) > expected[at] + 1e-10).all()
        assert rule.uncertainty(q[at]) == pytest.approx(expected[at], rel=1e-13)
    assert rule.uncertainty(0) == rule.uncertainty(1) == 0


def test_strict() -> None:
    strict = {name: rule.strict for name, (rule, _) in RULES.items()}
    not_strict = {"cost 0.3", "cost 1/2", "decisions", "uneven", "density and points"}
    assert {name for name, is_strict in strict.items() if not is_strict} == not_strict
    assert rh.ScoringRule(uneven, strict=True).strict
    assert not rh.ScoringRule(np.ones_like, strict=False).strict
    assert not rh.ScoringRule.from_weight_function(np.ones_like, strict=False).strict
    assert not rh.ScoringRule.from_weight_function(lambda t: np.where(t < 0.01, 0.0, 1.0)).strict


# --- PAV is optimal ------------------------------------------------------------------------------


def test_closed_form_of_a_table() -> None:
    """Fawcett & Niculescu-Mizil's Table I, whose last column is the answer."""
    from twins import TABLE_COLUMNS, TABLE_LABELS, TABLE_SCORES

    assert pav_closed_form(TABLE_LABELS, TABLE_SCORES) == TABLE_COLUMNS["d"]


@given(examples(max_size=12))
def test_equation_6_is_the_hull(rows: Any) -> None:
    labels, scores, weights = rows
    if weights is not None:
        weights = np.rint(weights * 8) / 8
        weights[[np.argmax(labels), np.argmin(labels)]] = 1
    blocks = rh.roc_hull(labels, scores, sample_weight=weights).blocks
    assert blocks is not None
    distinct = np.array([group[0] for group in groups_of(labels, scores, weights)], scores.dtype)
    block = len(blocks) - np.searchsorted(blocks.low[::-1], distinct, side="right")
    expected = np.array(pav_closed_form(labels, scores, weights), float)
    np.testing.assert_allclose(blocks.posterior[block], expected, rtol=1e-15)
    llr = np.array(pav_llr_closed_form(labels, scores, weights))
    np.testing.assert_allclose(blocks.llr[block], llr, rtol=1e-13, atol=1e-15)


@tries(40)
@given(small())
def test_pav_beats_every_monotone_assignment(rows: Any) -> None:
    labels, scores, weights = rows
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    groups = groups_of(*rows)
    values = candidates(*rows)[::-1]
    pav = at_rows(pav_closed_form(*rows), rows)
    total = float(sum(group[1] + group[2] for group in groups))
    for name, (rule, losses) in RULES.items():
        table = cost_table(groups, values, losses, (1 / total, 1 / total))
        least = least_monotone_loss(table)
        assert rule.minimum(hull) == pytest.approx(least, rel=1e-7, abs=1e-9), name
        assert rule.score(labels, pav, weights) == pytest.approx(least, rel=1e-7, abs=1e-9), name
        assert mean_loss(labels, pav, losses, weights) == pytest.approx(least, rel=1e-9, abs=1e-12), name


@tries(25)
@given(small(), st.sampled_from(PRIORS))
def test_pav_llr_beats_every_monotone_assignment(rows: Any, prior: float) -> None:
    """Equations (16) to (21): one map for every rule and prior."""
    labels, scores, weights = rows
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    groups = groups_of(*rows)
    llr = pav_llr_closed_form(*rows)
    values = sorted({*candidates(*rows), *expit(np.array(llr) + logit(prior)).tolist()}, reverse=True)
    of_pos, of_neg = (
        share / float(sum(group[i] for group in groups)) for i, share in ((1, prior), (2, 1 - prior))
    )
    each = at_rows(llr, rows)
    for name, (rule, losses) in RULES.items():
        least = least_monotone_loss(cost_table(groups, values, losses, (of_pos, of_neg)))
        assert rule.minimum(hull, prior) == pytest.approx(least, rel=1e-7, abs=1e-9), name
        assert rule.score_llr(labels, each, prior, weights) == pytest.approx(least, rel=1e-7, abs=1e-9), name


@tries(15)
@given(small())
def test_one_map_for_auc_and_every_rule_at_once(rows: Any) -> None:
    """Fawcett & Niculescu-Mizil's corollary; assignments one by one, to test the dynamic programme too."""
    labels, scores, _ = rows
    scores = np.minimum(scores, 3)  # at most four groups
    rows = (labels, scores, None)
    groups = groups_of(*rows)
    values = sorted({*candidates(*rows)}, reverse=True)[:: 1 if len(groups) < 4 else 2]
    pav = at_rows(pav_closed_form(*rows), rows)
    rules = [losses for _, losses in RULES.values()] + [decision_losses([t], [1]) for t in (0.1, 0.45, 0.8)]
    tables = [cost_table(groups, values, losses, (1, 1)) for losses in rules]
    own = [mean_loss(labels, pav, losses) * len(labels) for losses in rules]
    hull = rh.roc_hull(labels, scores)
    best_auc = hull.auc()
    assert pair_auc(labels, pav) == pytest.approx(best_auc, abs=1e-15)
    index = {value: j for j, value in enumerate(values)}
    row = {group[0]: i for i, group in enumerate(groups)}
    least = np.full(len(rules), np.inf)
    for number, assigned in enumerate(monotone_assignments(len(groups), values)):
        columns = [index[value] for value in assigned]
        costs = [float(table[np.arange(len(groups)), columns].sum()) for table in tables]
        least = np.minimum(least, costs)
        if number % 20 == 0:
            q = [assigned[row[score]] for score in scores.tolist()]
            assert pair_auc(labels, q) <= best_auc + 1e-15
    assert (np.array(own) <= least + 1e-9).all()
    assert least.tolist() == pytest.approx([least_monotone_loss(table) for table in tables], abs=1e-12)


@given(examples(max_size=40), names, st.sampled_from(PRIORS))
def test_nothing_is_below_the_minimum(rows: Any, name: str, prior: float) -> None:
    labels, scores, weights = rows
    rule, _ = RULES[name]
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    least = rule.minimum(hull, prior)
    assert 0 <= least < np.inf
    found = rule.score_llr(labels, scores, prior, weights)
    assert found >= least - 1e-12
    assert rule.calibration_loss_llr(labels, scores, prior, weights) == found - least
    assert least <= rule.uncertainty(prior) * (1 + 1e-12)
    p = expit(scores.astype(float))
    score = rule.score(labels, p, weights)
    own = rule.calibration_loss(labels, p, weights)
    assert own == (
        np.inf if score == np.inf else score - rule.minimum(rh.roc_hull(labels, p, sample_weight=weights))
    )
    assert own >= -1e-12


@given(examples(max_size=60), names)
def test_recalibrated_scores_have_nothing_to_lose(rows: Any, name: str) -> None:
    labels, scores, weights = rows
    rule, _ = RULES[name]
    blocks = rh.roc_hull(labels, scores, sample_weight=weights).blocks
    assert blocks is not None
    block = np.minimum(len(blocks) - np.searchsorted(blocks.low[::-1], scores, side="right"), len(blocks) - 1)
    assert rule.calibration_loss(labels, blocks.posterior[block], weights) == pytest.approx(0, abs=1e-9)
    for prior in PRIORS:
        assert rule.calibration_loss_llr(labels, blocks.llr[block], prior, weights) == pytest.approx(
            0, abs=1e-9
        )


@given(examples(max_size=30), st.floats(0.01, 0.99), st.sampled_from([None, *PRIORS]))
def test_the_minimum_of_one_cost_is_that_of_the_cheapest_vertex(
    rows: Any, threshold: float, prior: float | None
) -> None:
    labels, scores, weights = rows
    points = curve_of(labels, scores, weights)
    n_neg, n_pos = map(float, points[-1])
    pos, neg = (n_pos, n_neg) if prior is None else (prior, 1 - prior)
    costs = [
        (pos * (1 - float(y) / n_pos) / threshold + neg * float(x) / n_neg / (1 - threshold)) / (pos + neg)
        for x, y in points
    ]
    hull = rh.roc_hull(labels, scores, sample_weight=weights)
    single = rh.CostWeighted(threshold).minimum(hull, prior)
    assert single == pytest.approx(min(costs), rel=1e-12, abs=1e-15)
    assert single == rh.ScoringRule.from_thresholds([threshold], [1]).minimum(hull, prior)
    optimum = hull.at(rh.ExpectedCost(cost_fp=threshold, cost_fn=1 - threshold, prevalence=prior or 0.5))
    if prior is not None:
        cost = prior * (1 - optimum.tpr) / threshold + (1 - prior) * optimum.fpr / (1 - threshold)
        assert single == pytest.approx(cost, rel=1e-12, abs=1e-15)


def test_hulls_without_blocks() -> None:
    y = [1, 1, 0, 0, 1, 0]
    a, b = rh.roc_hull(y, [5, 1, 3, 2, 4, 0]), rh.roc_hull(y, [1, 5, 3, 0, 4, 2])
    both = rh.union({"a": a, "b": b})
    assert both.blocks is None
    for rule, _ in RULES.values():
        assert rule.minimum(both) <= min(rule.minimum(a), rule.minimum(b)) + 1e-12
        assert rule.minimum(both, 0.2) <= rule.minimum(a, 0.2) + 1e-12
    rates = rh.RocHull.from_rates(a.fpr, a.tpr)
    assert rh.Brier().minimum(rates, 0.3) == pytest.approx(rh.Brier().minimum(a, 0.3), rel=1e-14)
    with pytest.raises(ValueError, match="prevalence must be given for a hull of rates"):
        rh.Brier().minimum(rates)


# --- means ---------------------------------------------------------------------------------------


@given(examples(max_size=50), names, st.sampled_from([None, *PRIORS]))
@example((np.array([0, 1, 1]), np.array([0.3, -0.5, 1]), np.array([1, 2e9, 1e9])), next(iter(RULES)), None)
def test_means_are_those_of_the_twin(rows: Any, name: str, prior: float | None) -> None:
    labels, scores, weights = rows
    rule, losses = RULES[name]
    p = np.round(expit(np.clip(scores.astype(float), -8, 8)), 4)
    expected = mean_loss(labels, p, losses, weights, prior)
    assert rule.score(labels, p, weights, prevalence=prior) == pytest.approx(expected, rel=1e-7, abs=1e-10)
    if prior is not None:
        llr = logit(p) - logit(prior)
        clear = np.abs(logit(p)[:, None] - logit(np.array(mixture()[0]))).min(axis=1) > 1e-9
        if clear.all():  # elsewhere rounding decides at a threshold
            found = rule.score_llr(labels, llr, prior, weights)
            assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    labels, p = rng.integers(0, 2, 100_000), rng.beta(0.5, 0.5, 100_000).clip(1e-9, 1 - 1e-9)
    weights = rng.gamma(1, size=100_000) if weighted else None
    brier = brier_score_loss(labels, p, sample_weight=weights)
    assert rh.Brier().score(labels, p, weights) == pytest.approx(brier, rel=1e-12)
    assert rh.LogScore().score(labels, p, weights) == pytest.approx(
        log_loss(labels, p, sample_weight=weights), rel=1e-12
    )


def test_integer_weights_are_repetition() -> None:
    rng = np.random.default_rng(6)
    labels, p, weights = rng.integers(0, 2, 500), rng.random(500), rng.integers(0, 4, 500)
    many = [np.repeat(values, weights) for values in (labels, p)]
    for rule, _ in RULES.values():
        assert rule.score(labels, p, weights) == pytest.approx(rule.score(*many), rel=1e-13)
        assert rule.score(labels, p, weights * 1e140) == pytest.approx(rule.score(*many), rel=1e-13)


def test_labels_and_types() -> None:
    rule, p = rh.Brier(), [0.8, 0.1, 0.3]
    expected = rule.score([1, 0, 0], p)
    assert expected == pytest.approx((0.04 + 0.01 + 0.09) / 3, rel=1e-15)
    assert rule.score([True, False, False], np.array(p)[:, None]) == expected
    assert rule.score(["a", "b", "b"], p, pos_label="a") == expected
    assert rule.score([1, -1, -1], np.array(p, np.float32)) == pytest.approx(expected, rel=1e-7)
    assert rule.score([1, 0, 0], [1, 0, 1]) == pytest.approx(1 / 3)
    assert rh.LogScore().score_llr([1, 0], [1, 0], 0.5) == rh.LogScore().score_llr([1, 0], [1.0, 0.0], 0.5)
    assert [loss.tolist() for loss in rule.losses(0.5)] == [[0.25], [0.25]]
    assert [loss.tolist() for loss in rule.losses_at_log_odds(0)] == [[0.25], [0.25]]


def test_large_data_need_little_memory_and_stay_as_they_are() -> None:
    rng = np.random.default_rng(7)
    labels, p = rng.integers(0, 2, 1_000_000), rng.random(1_000_000)
    before = p.copy()
    expected = float(np.mean((p - labels) ** 2))
    tracemalloc.start()
    found = rh.Brier().score(labels, p)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == pytest.approx(expected, rel=1e-13)
    assert found == rh.Brier().score(labels, p)  # the threads' order does not matter
    assert peak < 6_000_000  # less than one array of the data
    assert np.array_equal(p, before)


def test_ties_at_a_threshold_are_decided_as_by_the_hull() -> None:
    """A posterior at the threshold is not called positive, in probabilities and in LLRs at any prior."""
    for prior, threshold in ((0.3, 0.3), (0.1, 0.2), (0.07, 0.35), (0.9, 0.6)):
        share, cut = Fraction(str(prior)), Fraction(str(threshold))
        ratio = cut / (1 - cut) * (1 - share) / share
        llr = float(np.log(ratio.numerator / ratio.denominator))
        beside = np.array([np.nextafter(llr, -9), llr, np.nextafter(llr, 9), llr + 1e-12])
        decided = rh.decide_by_llr(
            beside, rh.ExpectedCost(cost_fp=threshold, cost_fn=1 - threshold, prevalence=prior)
        )
        assert decided.tolist() == [False, False, False, True]  # what ties to rounding is a tie
        for rule in (rh.CostWeighted(threshold), rh.ScoringRule.from_thresholds([threshold], [1])):
            for value, called in zip(beside, decided, strict=True):
                # The negative's ratio of -inf is right, so that the loss is the positive's.
                found = rule.score_llr([1, 0], [value, -np.inf], prior)
                assert found == pytest.approx(0 if called else prior / threshold, rel=1e-15)
            p = np.array(
                [np.nextafter(threshold, 0), threshold, np.nextafter(threshold, 1), threshold + 1e-12]
            )
            condition = rh.ExpectedCost(cost_fp=threshold, cost_fn=1 - threshold, prevalence=0.5)
            assert rh.decide_by_posterior(p, condition).tolist() == decided.tolist()
            assert (rule.losses(p)[0] == 0).tolist() == decided.tolist()


@pytest.mark.parametrize(
    "name",
    [
        "scoring.scoring_rules", "scoring.measures", "scoring.prior_curves", "scoring.cost_curves",
        "uncertainty.resampling",
    ],
)  # fmt: skip
def test_sums_are_not_left_to_the_linear_algebra_library(name: str) -> None:
    """A scalar product of long vectors depends on the number of its threads."""
    tree = ast.parse(Path(importlib.import_module(f"rochull.{name}").__file__ or "").read_text("utf-8"))
    products = [node for node in ast.walk(tree) if isinstance(node, ast.MatMult)]
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not products
    assert not called & {"dot", "inner", "vdot", "einsum", "matmul", "average"}


# --- extremes ------------------------------------------------------------------------------------

FAR = np.array([-np.inf, -1e4, -1e3, -746.0, -730.0, -40.0, 0.0, 40.0, 730.0, 746.0, 1e3, 1e4, np.inf])


@pytest.mark.parametrize("name", sorted(RULES))
def test_far_log_odds(name: str) -> None:
    rule, losses = RULES[name]
    if_positive, if_negative = rule.losses_at_log_odds(FAR)
    assert (np.diff(if_positive[np.isfinite(if_positive)]) <= 1e-12).all()
    assert (np.diff(if_negative[np.isfinite(if_negative)]) >= -1e-12).all()
    assert (if_positive[-1], if_negative[0]) == (0, 0)
    for found, loss, ends in ((if_positive, losses[0], FAR), (if_negative, losses[1], -FAR)):
        assert not np.isnan(found).any()
        assert (found >= 0).all()
        assert not np.signbit(found).any()
        if name in BOUNDED:
            assert found[ends == -np.inf][0] == pytest.approx(loss(0.0 if ends is FAR else 1.0), rel=1e-7)
        else:
            assert found[ends == -np.inf][0] == np.inf
            assert np.isfinite(found[np.isfinite(ends) & (np.abs(ends) < 1100)]).all()


def test_logarithmic_losses_are_finite_for_finite_ratios() -> None:
    for rule in (rh.LogScore(), rh.BetaScore(1, 1), rh.ScoringRule(np.ones_like)):
        found = rule.losses_at_log_odds([-1e4, -730.0, -20.0, 730.0, 1e4])
        np.testing.assert_allclose(
            found[0], [1e4, 730, 20 + math.log1p(math.exp(-20)), 0, 0], rtol=1e-11, atol=1e-300
        )
        np.testing.assert_allclose(found[1], [0, 0, math.exp(-20), 730, 1e4], rtol=1e-8, atol=1e-300)
        assert rule.score_llr([1, 0], [-730.0, -800.0], 0.5) == pytest.approx(365, rel=1e-12)
        assert rule.score_llr([1, 0], [-np.inf, -5.0], 0.5) == np.inf
        assert rule.calibration_loss_llr([1, 0, 1], [-np.inf, -5.0, 2.0], 0.5) == np.inf
    assert rh.BetaScore(0.5, 0.5).losses_at_log_odds([-1400.0])[0][0] == pytest.approx(
        2 / math.pi * math.exp(700), rel=1e-12
    )
    assert rh.BetaScore(2, 0.01).losses_at_log_odds([2000.0])[0][0] == pytest.approx(
        rh.BetaScore(2, 0.01).losses_at_log_odds([1000.0])[0][0] * math.exp(-10), rel=1e-12
    )


def test_small_losses_keep_their_digits() -> None:
    x = np.array([20.0, 40.0, 300.0])
    for values, sign in (
        (rh.Brier().losses_at_log_odds(x)[0], 2),
        (rh.LogScore().losses_at_log_odds(x)[0], 1),
    ):
        np.testing.assert_allclose(values, np.exp(-sign * np.log1p(np.exp(x))), rtol=1e-8)
    assert rh.LogScore().losses([1e-20])[1][0] == 1e-20
    assert rh.BetaScore(2, 2).losses([1e-20])[1][0] == pytest.approx(3e-40, rel=1e-14)


def test_weighted_sums_do_not_overflow_before_their_mean() -> None:
    weights = [4e149, 4e149, 1.0]
    found = rh.LogScore().score_llr([1, 1, 0], [-1e4, -2e4, -1e4], 0.5, weights)
    assert found == pytest.approx(7500, rel=1e-14)


def test_certainty() -> None:
    log = rh.LogScore()
    assert log.score([1, 0], [1.0, 0.0]) == 0
    assert log.score([1, 0], [0.0, 0.0]) == np.inf
    assert log.score([1, 0, 1], [0.0, 0.5, 0.5], [0, 1, 1]) == pytest.approx(math.log(2))  # weighs nothing
    assert log.score_llr([1, 0, 1, 0], [-np.inf, np.inf, 0.0, 0.0], 0.5, [0, 0, 1, 1]) == math.log(2)
    assert log.score_llr([1, 0, 1, 0], [-np.inf, np.inf, 0.0, 0.0], 0.5, [0, 1, 1, 1]) == np.inf
    assert log.score([1, 0], [5e-324, 0.0]) == pytest.approx(744.44 / 2, rel=1e-4)
    separated = rh.roc_hull([0, 0, 1], [1, 2, 3])
    for rule, _ in RULES.values():
        assert rule.minimum(separated) == 0
        assert rule.score_llr([0, 0, 1], [-np.inf, -np.inf, np.inf], 0.2) == 0


def test_nearly_pure_blocks_are_exact() -> None:
    """One negative among many positives: 1 - p must not be taken from a rounded p."""
    n = 10**7
    labels = np.ones(n + 2, np.uint8)
    labels[[0, -1]] = 0
    scores = np.zeros(n + 2)
    scores[-1] = -1
    hull = rh.roc_hull(labels, scores)
    rest = 1 / (n + 1)
    expected = (-n * math.log1p(-rest) - math.log(rest)) / (n + 2)
    assert rh.LogScore().minimum(hull) == pytest.approx(expected, rel=1e-14)
    prior = 1 - 1e-12
    assert rh.LogScore().uncertainty(prior) == pytest.approx(
        -prior * math.log(prior) - (1 - prior) * math.log(1 - prior), rel=1e-14
    )


# --- objects and what is refused -----------------------------------------------------------------


def test_rules_are_values() -> None:
    assert rh.CostWeighted(0.5) == rh.CostWeighted(0.5) != rh.CostWeighted(0.4)
    assert rh.BetaScore(2, 1) == rh.BetaScore(2.0, 1.0) != rh.BetaScore(1, 2)
    assert rh.Brier() == rh.Brier() != rh.LogScore()
    assert len({rh.Brier(), rh.Brier(), rh.BetaScore(1, 1), rh.BetaScore(1, 1)}) == 2
    assert repr(rh.BetaScore(2, 1)) == "BetaScore(a=2.0, b=1.0)"
    assert repr(rh.ScoringRule(uneven)) == "ScoringRule(uneven)"
    mixed = rh.ScoringRule.from_thresholds([0.5, 0.2, 0.5], [0.25, 0.5, 0.25])
    assert repr(mixed) == "ScoringRule.from_thresholds([0.2, 0.5], [0.5, 0.5])"
    both = rh.ScoringRule.mixture([rh.Brier(), rh.CostWeighted(0.5)], [0.75, 0.25])
    assert repr(both) == "ScoringRule.mixture([Brier(), CostWeighted(threshold=0.5)], [0.75, 0.25])"
    assert both == rh.ScoringRule.mixture([rh.Brier(), rh.CostWeighted(0.5)], [0.75, 0.25]) != mixed
    assert (both.strict, both.scale) == (True, 0.5)
    assert not rh.ScoringRule.mixture([mixed, rh.CostWeighted(0.5)], [0.5, 0.5]).strict
    with pytest.raises(AttributeError):
        rh.CostWeighted(0.5).threshold = 0.1  # type: ignore[misc]
    for rule in (*(rule for rule, _ in RULES.values()), mixed):
        assert isinstance(rule, rh.ScoringRule)
        for other in (copy.deepcopy(rule), pickle.loads(pickle.dumps(rule))):
            assert other.score([1, 0], [0.4, 0.3]) == rule.score([1, 0], [0.4, 0.3])


def test_bad_ratios_and_prevalences() -> None:
    rule, hull = rh.LogScore(), rh.roc_hull([1, 0], [1, 0])
    with pytest.raises(ValueError, match="probability must have shape"):
        rule.score([1, 0], [[0.5, 0.5], [0.1, 0.9]])
    for function in (rule.score_llr, rule.calibration_loss_llr):
        for prior in (0, 1, -0.1, np.nan, "half", None):
            with pytest.raises(ValueError, match="prevalence must"):
                function([1, 0], [0.0, 1.0], prior)
    for prior in (0, 1.0, 2):
        with pytest.raises(ValueError, match="prevalence must lie strictly between 0 and 1"):
            rule.minimum(hull, prior)
        with pytest.raises(ValueError, match="prevalence must lie strictly between 0 and 1"):
            rule.score([1, 0], [0.5, 0.5], prevalence=prior)
    with pytest.raises(ValueError, match="prevalence must lie between 0 and 1"):
        rule.uncertainty(1.5)
    with pytest.raises(ValueError, match="probability must lie between 0 and 1"):
        rule.losses([2.0])
    with pytest.raises(ValueError, match="log_odds has 1 NaN"):
        rule.losses_at_log_odds([np.nan])
    with pytest.raises(TypeError, match=r"hull must be a RocHull, but is \[1, 2\]"):
        rule.minimum([1, 2])  # type: ignore[arg-type]


def test_bad_rules() -> None:
    make = rh.ScoringRule.from_thresholds
    for arguments, message in (
        (([0.2, 1.0], [0.5, 0.5]), r"thresholds must lie strictly between 0 and 1, but hold 1\.0"),
        (([0.2, -1.0], [0.5, 0.5]), "thresholds must lie between 0 and 1"),
        (([0.2, 0.3], [0.5, 0.4]), r"weights must sum to 1, but their sum is 0\.9"),
        (([0.2, 0.3], [1.5, -0.5]), "weights has 1 negative values"),
        (([0.2], [0.5, 0.5]), "thresholds has 1 and weights has 2"),
        (([], []), "thresholds is empty"),
    ):
        with pytest.raises(ValueError, match=message):
            make(*arguments)
    for weights in ([0.5], [0.5, 0.4], [1.0, 0.0]):
        with pytest.raises(
            ValueError, match="weights must be positive and sum to 1, one for each of 2 rules"
        ):
            rh.ScoringRule.mixture([rh.Brier(), rh.LogScore()], weights)
    with pytest.raises(
        ValueError, match=r"density must integrate to 1 over \[0, 1\], but its integral is 0\.5\."
    ):
        rh.ScoringRule(lambda t: np.full(t.shape, 0.5))
    with pytest.raises(ValueError, match=r"but its integral is 0\."):
        rh.ScoringRule(np.zeros_like)
    with pytest.raises(ValueError, match="density: its integral diverges at 0"):
        rh.ScoringRule(lambda t: 1 / t)
    with pytest.raises(TypeError, match="density must be a function"):
        rh.ScoringRule([0.5])  # type: ignore[arg-type]
    weight = rh.ScoringRule.from_weight_function
    with pytest.raises(ValueError, match="weight must be positive somewhere"):
        weight(np.zeros_like)
    with pytest.raises(ValueError, match="weight must not be negative"):
        weight(lambda t: -t)
    with pytest.raises(ValueError, match="weight: its integral diverges at 1"):
        weight(lambda t: (1 - t) ** -2)
    with pytest.raises(TypeError, match="weight must be a function"):
        weight(2)  # type: ignore[arg-type]
    for bad in (0, 1, 1.5, np.nan, "x"):
        with pytest.raises(ValueError, match="threshold must"):
            rh.CostWeighted(bad)  # type: ignore[arg-type]
    for bad in (0, -1, np.inf):
        with pytest.raises(ValueError, match="b must be"):
            rh.BetaScore(1, bad)


@pytest.mark.parametrize(("a", "b", "name"), [(1e-4, 1, "a"), (2, 1e7, "b"), (0, 1, "a"), (1, -1, "b")])
def test_beta_parameters_without_accuracy_are_refused(a: float, b: float, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must"):
        rh.BetaScore(a, b)
    for edge in (1e-3, 1e6):
        losses = rh.BetaScore(edge, edge).losses([0.0, 0.5, 1.0])
        assert not np.isnan(losses).any()


@pytest.mark.parametrize("at", [0.3, 0.5, 0.777])
def test_a_narrow_peak_of_a_weight_is_found(at: float) -> None:
    """A unit of form (1) within 1e-5, beside the weight 1: nothing but looking tells of it."""
    for width, points in ((1e-5, None), (1e-9, [at])):
        height = 1 / (width * at * (1 - at))

        def weight(t: Array, width: float = width, height: float = height) -> Array:
            return 1 + np.where(np.abs(t - at) < width / 2, height, 0.0)

        rule = rh.ScoringRule.from_weight_function(weight, points=points)
        assert rule.scale == pytest.approx(1 + 1 / 6, rel=1e-7 if points is None else 1e-6)
        below, above = rule.losses([at - 1e-4, at + 1e-4])[0]
        assert below - above == pytest.approx(1 / at, rel=1e-3)


@pytest.mark.parametrize("log_odds", [6.56, 9.45, 11.77, -11.77])
@pytest.mark.parametrize("width", [1.05 * 2.0**-15, 2.0**-20])
def test_a_narrow_peak_near_certainty_is_found(log_odds: float, width: float) -> None:
    """Near 1 few floats are left between the nodes of a panel; a narrower peak is named."""
    ends = expit(np.array([log_odds - width / 2, log_odds + width / 2]))
    height = 1 / np.diff(ends)[0] / (expit(log_odds) * expit(-log_odds))

    def weight(t: Array) -> Array:
        return 1 + np.where((t >= ends[0]) & (t <= ends[1]), height, 0.0)

    points = None if width > 2.0**-15 else [expit(log_odds)]
    rule = rh.ScoringRule.from_weight_function(weight, points=points)
    assert rule.scale == pytest.approx(1 + 1 / 6, rel=1e-5)


@pytest.mark.parametrize("log_odds", [-9.3, -0.7721, 0.0113, 3.3])
@pytest.mark.parametrize("width", [4e-5, 5e-4])
@pytest.mark.parametrize("height", [0.5, 0.05])
def test_a_low_peak_of_a_weight_is_found(log_odds: float, width: float, height: float) -> None:
    """Half as high as what is around it, between the nodes of a panel."""
    ends = expit(np.array([log_odds - width / 2, log_odds + width / 2]))

    def weight(t: Array) -> Array:
        return 1 + np.where((t >= ends[0]) & (t <= ends[1]), height, 0.0)

    rule = rh.ScoringRule.from_weight_function(weight)
    added = height * float(np.diff(ends**2 / 2 - ends**3 / 3)[0])
    assert rule.scale - 1 / 6 == pytest.approx(added, rel=1e-5)


def test_a_stated_scale_is_checked() -> None:
    """Of a peak too narrow to be met by chance its scale alone tells."""

    def weight(t: Array) -> Array:
        return 6 + np.where(np.abs(t - 0.3) < 1e-8, 1e8 / 0.42, 0.0)

    assert rh.ScoringRule.from_weight_function(weight).scale == pytest.approx(1)
    refuses(
        r"weight must have the stated scale 2, but the integral of t \(1 - t\) weight\(t\) is 1; name",
        rh.ScoringRule.from_weight_function,
        weight,
        scale=2,
    )
    rule = rh.ScoringRule.from_weight_function(weight, points=[0.3], scale=2)
    assert rule.scale == pytest.approx(2, rel=1e-6)
    refuses("scale must be positive", rh.ScoringRule.from_weight_function, weight, scale=0)


def test_points_are_thresholds() -> None:
    refuses("points must lie strictly between 0 and 1", rh.ScoringRule, np.ones_like, points=[0.5, 1.0])
    assert rh.ScoringRule(np.ones_like, points=[0.5]).score([1, 0], [0.5, 0.5]) == pytest.approx(math.log(2))


def test_rules_add_up() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = rng.random(300) < p**1.5
    brier, cost, hull = rh.Brier(), rh.CostWeighted(0.1), rh.roc_hull(y, p)
    rule = 0.5 * brier + cost
    for value in (lambda r: r.score(y, p), lambda r: r.minimum(hull), lambda r: r.scale,
                  lambda r: rh.decompose(y, p, r).miscalibration):  # fmt: skip
        assert value(rule) == pytest.approx(0.5 * value(brier) + value(cost), rel=1e-12)
        assert value(rule * 4) == pytest.approx(4 * value(rule), rel=1e-12)
    assert rule.strict
    assert not (cost + cost).strict
    assert repr(rule + rule) == " + ".join(2 * ["0.5 * Brier()", "1.0 * CostWeighted(threshold=0.1)"])
    assert rule == brier * 0.5 + cost
    with pytest.raises(ValueError, match="factor must be positive, but is 0"):
        0 * brier
    with pytest.raises(TypeError):
        brier + 1  # type: ignore[operator]
