"""Shares of a batch by assumption: against leaving examples out, counting, and the bootstrap."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import rochull as rh
from rochull.policies.prevalence import RatioLadder
from rochull.policies.shares import Ranges

COST = rh.ExpectedCost(1, 3, 0.3)


def _drawn(n, seed, apart=1.5, prevalence=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, np.round(rng.normal(apart * y), 2)


def _ranges(hull, scores, stated=0.3, truth=None):
    return Ranges.of(RatioLadder.of(hull, None), scores, stated, truth)


def _flagged(ranges, step):
    return (np.arange(len(ranges.share)) < step).astype(float)


def _threshold(hull, slope):
    """The rule where a unit of the false positive rate is worth so much, as a threshold."""
    prevalence = 1 / (1 + slope)
    rule = hull.at(rh.ExpectedCost(1, 1, prevalence)).rules[0][0]
    return rule.threshold if rule.threshold is not None else math.inf if rule.kind == "never" else -math.inf


def test_optimism_is_what_rules_do_too_well_on_the_examples_that_chose_them():
    """Summed over slopes, where single draws vary less: in the population, and in closed form."""
    logs = np.linspace(-1.5, 1.5, 13)
    seen, closed = np.zeros((2, 2))
    for seed in range(60):
        y, s = _drawn(1_000, seed)
        hull = rh.roc_hull(y, s)
        ranges = _ranges(hull, s)
        n_pos, n_neg = ranges.n_examples
        for slope in logs:
            threshold = _threshold(hull, math.exp(slope))
            own = s >= threshold
            seen += [own[y].mean() - norm.sf(threshold - 1.5), norm.sf(threshold) - own[~y].mean()]
            near = ranges.density(0, slope + math.log(n_pos / n_neg)).sum()
            closed += [near / n_pos, near / n_neg]
    assert closed == pytest.approx(seen, rel=0.25)


@pytest.mark.parametrize("step", [0, 1, 3])
def test_the_policy_s_own_examples_have_its_own_shares(step):
    y, s = _drawn(400, 1)
    hull = rh.roc_hull(y, s)
    ranges = _ranges(hull, s, stated=y.mean())
    found = ranges.covariate_shift(_flagged(ranges, step), np.zeros(len(ranges.share)))
    right, wrong = ranges.ladder.pos[:step].sum() / 400, ranges.ladder.neg[:step].sum() / 400
    assert found.mean == pytest.approx([right, wrong, y.mean()])


def test_under_label_shift_shares_follow_from_rates_and_prevalence():
    y, s = _drawn(400, 2)
    hull = rh.roc_hull(y, s)
    ranges = _ranges(hull, _drawn(300, 3)[1])
    step = ranges.step_of(hull.at(COST).rules[0][0])
    found = ranges.label_shift(_flagged(ranges, step), np.zeros(len(ranges.share)), 0.4)
    point = hull.at(COST)
    assert found.mean == pytest.approx([0.4 * point.tpr, 0.6 * point.fpr, 0.4])


def test_errors_under_label_shift_are_those_of_the_bootstrap():
    """Examples and batch are drawn anew in the same ranges."""
    y, s = _drawn(2_000, 4)
    hull = rh.roc_hull(y, s)
    ranges = _ranges(hull, _drawn(1_000, 5, prevalence=0.5)[1])
    flagged, none = _flagged(ranges, 4), np.zeros(len(ranges.share))
    found = ranges.label_shift(flagged, none, ranges.mixture().solve(0.95)[0])
    rng, means = np.random.default_rng(0), []
    of_pos, of_neg = (own / own.sum() for own in (ranges.ladder.pos, ranges.ladder.neg))
    from scipy.optimize import brentq

    ratio = np.exp(ranges.ladder.llr)
    for _ in range(400):
        pos, neg, share = (rng.multinomial(n, p) / n for n, p in ((int(y.sum()), of_pos), (int((~y).sum()), of_neg), (1_000, ranges.share)))  # fmt: skip

        def slope(pi, pos=pos, neg=neg, share=share):
            return float((share - pi * pos - (1 - pi) * neg) @ ((ratio - 1) / (1 + pi * (ratio - 1))))

        pi = brentq(slope, 0.01, 0.99)
        means.append([pi * pos @ flagged, (1 - pi) * neg @ flagged, pi])
    assert np.sqrt(found.covariance.diagonal()) == pytest.approx(np.std(means, axis=0), rel=0.15)


def test_errors_under_covariate_shift_are_those_of_the_bootstrap():
    y, s = _drawn(2_000, 6)
    hull = rh.roc_hull(y, s)
    ranges = _ranges(hull, _drawn(1_000, 7, prevalence=0.5)[1], stated=y.mean())
    flagged = _flagged(ranges, 4)
    found = ranges.covariate_shift(flagged, np.zeros(len(flagged)))
    rng, means = np.random.default_rng(0), []
    n = ranges.ladder.pos + ranges.ladder.neg
    for _ in range(400):
        p = rng.binomial(n.astype(int), ranges.posterior) / n
        share = rng.multinomial(1_000, ranges.share) / 1_000
        means.append([share @ (flagged * p), share @ (flagged * (1 - p)), share @ p])
    assert np.sqrt(found.covariance.diagonal()) == pytest.approx(np.std(means, axis=0), rel=0.15)


def test_where_all_have_a_label_shares_are_counted():
    hull = rh.roc_hull(*_drawn(300, 8))
    y, s = _drawn(200, 9)
    ranges = _ranges(hull, s, truth=y.astype(float))
    found = ranges.observed(_flagged(ranges, 3))
    flagged = s >= ranges.ladder.thresholds[2]
    told = np.stack([flagged & y, flagged & ~y, y]).astype(float)
    assert found.mean == pytest.approx(told.mean(axis=1))
    assert found.covariance == pytest.approx(np.cov(told, ddof=0) / 200)


def test_labels_are_corrected_by_posteriors_that_are_right():
    """The error is that of the labelled part of what posteriors leave open, not of all labels."""
    hull = rh.roc_hull(*_drawn(20_000, 10))
    y, s = _drawn(20_000, 11)
    known = np.where(np.arange(len(y)) < 500, y, np.nan)
    ranges = _ranges(hull, s, truth=known)
    found = ranges.observed(_flagged(ranges, 8))
    alone = y[:500].std() / math.sqrt(500)
    error = math.sqrt(found.covariance[2, 2])
    assert 0.6 * alone < error < 0.9 * alone
    assert abs(found.mean[2] - y.mean()) < 3 * error


def test_differences_of_rules_that_share_cells_know_what_is_common():
    y, s = _drawn(2_000, 12)
    ranges = _ranges(rh.roc_hull(y, s), _drawn(500, 13)[1])
    none = np.zeros(len(ranges.share))
    one, other = (ranges.label_shift(_flagged(ranges, step), none, 0.3) for step in (4, 5))
    same, apart = (one.less(other, same_cells=known) for known in (True, False))
    assert same.mean == pytest.approx(apart.mean)
    assert same.covariance[0, 0] < 0.2 * apart.covariance[0, 0]
    assert one.less(one, same_cells=True).covariance == pytest.approx(np.zeros((3, 3)))


def test_a_cost_has_no_more_degrees_of_freedom_than_examples_tell_it():
    """Of 60 positives the rule misses few; what is worth most decides which count matters."""
    y, s = _drawn(200, 14, apart=2.5)
    hull = rh.roc_hull(y, s)
    ranges = _ranges(hull, _drawn(400, 15)[1])
    step = int(np.flatnonzero(np.cumsum(ranges.ladder.pos) > 0.9 * y.sum())[0]) + 1
    found = ranges.label_shift(_flagged(ranges, step), np.zeros(len(ranges.share)), 0.3)
    flagged = s >= ranges.ladder.thresholds[step - 1]
    missed, false = int((y & ~flagged).sum()), int((~y & flagged).sum())
    assert 2 <= missed < false < y.sum() - 1 == found.df
    assert found.df_of(np.array([-20.0, 1.0, 20.0])) == pytest.approx(missed)
    assert found.df_of(np.array([-0.1, 1.0, 0.1])) == pytest.approx(false)
    assert found.df_of(np.array([1.0, 0.0, 0.0])) == pytest.approx(y.sum() - missed)


def test_what_is_saved_rests_on_the_labels_between_two_rules():
    hull = rh.roc_hull(*_drawn(4_000, 16))
    y, s = _drawn(10_000, 17)
    ranges = _ranges(hull, s, truth=np.where(np.arange(len(y)) < 200, y, np.nan))
    assert ranges.labels is not None
    one, other = (ranges.observed(_flagged(ranges, step)) for step in (5, 7))
    between = float(ranges.labels.pos[5:7].sum()), float(ranges.labels.neg[5:7].sum())
    found = one.less(other, same_cells=True)
    assert found.told_by == (*between, np.inf)
    assert found.df_of(np.array([-5.0, 0.0, 5.0])) == max(between[0], 1.5) < found.df


def test_few_labels_know_that_they_tuned_their_own_correction():
    """The variance is that of what each label leaves open when the others tune the power of the posteriors."""
    hull = rh.roc_hull(*_drawn(4_000, 16))
    y, s = _drawn(100_000, 17)
    ranges = _ranges(hull, s, truth=np.where(np.arange(len(y)) < 40, y, np.nan))
    flagged = (np.cumsum(ranges.share) < 0.2).astype(float)
    found, place = ranges.observed(flagged), ranges.ladder.place_of(s[:40])
    told, truth = (flagged * ranges.posterior)[place], flagged[place] * y[:40]
    left, at_once = [], np.polyfit(told, truth, 1)
    for i in range(40):
        others = np.arange(40) != i
        power = np.polyfit(told[others], truth[others], 1)
        left.append(truth[i] - np.polyval(power, told[i]))
    variance = np.mean(np.square(left)) / 40
    assert found.covariance[0, 0] == pytest.approx(variance, rel=0.1)
    assert np.mean((truth - np.polyval(at_once, told)) ** 2) / 40 < 0.85 * variance
