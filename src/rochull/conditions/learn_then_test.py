"""Limits of any bounded loss: some examples fix what is tested and in which order, the others test it.

What is limited need neither rise nor fall along the scores, and no order of the thresholds by itself begins
where the limit is kept. So a fifth of the examples, drawn at random, chooses the order; given these, the
rules are fixed, each test has its own null, and a sequence of tests that ends at the first failure errs with
the probability of one (Angelopoulos et al. 2021, learn then test).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.frontier import Frontier

_PARTS = 5  # one of so many parts of the examples chooses the order
SEED = 20211003  # of the draw: what is assured must not change from call to call
_BOLDEST = 0.9  # of the stake that one loss could cost the whole capital


def a_fifth_and_rest(points: Frontier) -> tuple[Frontier, Frontier]:
    """A fifth of the examples, drawn at random, and the others: the counts of each at the same points.

    Places among the scores are drawn, so that merged groups do not change the draw. (Runs of
    negatives are merged, as in :func:`rochull.hull.curve.single_thresholds`. A threshold
    is at the end of its run then, where more is wrong than anywhere else in it: that errs to the safe side.)
    """
    rng = np.random.default_rng(SEED)
    reached = points.fp + points.tp
    places = np.sort(rng.choice(int(reached[-1]), int(reached[-1]) // _PARTS, replace=False, shuffle=False))
    drawn = np.diff(np.searchsorted(places, reached))
    neg, pos = np.diff(points.fp), np.diff(points.tp)
    of_neg = np.where(pos > 0, 0, drawn)
    mixed = np.flatnonzero((pos > 0) & (neg > 0))
    of_neg[mixed] = rng.hypergeometric(neg[mixed], pos[mixed], drawn[mixed])
    fp, tp = (np.append(0, np.cumsum(part)) for part in (of_neg, drawn - of_neg))
    learned = Frontier(fp, tp, int(fp[-1]), int(tp[-1]))
    others = points.n_neg - learned.n_neg, points.n_pos - learned.n_pos
    return learned, Frontier(points.fp - fp, points.tp - tp, *others)


def stops_of(learned: Frontier) -> Array:
    """The points of which the learning examples know the thresholds, and both ends: int (m,), ascending."""
    steps = np.flatnonzero(np.diff(learned.fp + learned.tp)) + 1
    return np.append(0, np.append(steps[:-1], len(learned.fp) - 1))


def losses_kept(
    costs: tuple[Fraction, Fraction], most: Fraction, points: Frontier, shortfall: Fraction
) -> Array:
    """The points at which an expected cost per case is at most so much, all of them at once: bool (k,).

    The point that is cheapest by the learning examples is tested first, with the whole shortfall; from
    there on the points above and those below, each up to the first failure with one half of it.
    """
    met = np.zeros(len(points.fp), bool)
    learned, test = a_fifth_and_rest(points)
    stops = stops_of(learned)
    start = int(np.argmin(_totals(costs, learned, stops)))
    first = stops[start : start + 1]
    pvalues = _chosen(costs, most, learned, first, shortfall)
    if not pvalues(costs, most, test, first)[0] <= float(shortfall):
        return met
    met[first] = True
    for part in (stops[:start][::-1], stops[start + 1 :]):
        passed = pvalues(costs, most, test, part) <= float(shortfall / 2)
        met[part] = np.logical_and.accumulate(passed)
    return met


def least_shortfall(costs: tuple[Fraction, Fraction], most: Fraction, point: Frontier) -> float:
    """The p-value of one rule by all of some examples, which did not choose a test: the plainest."""
    return float(_plainest(costs)(costs, most, point, np.array([0]))[0])


Test: TypeAlias = Callable[[tuple[Fraction, Fraction], Fraction, Frontier, Array], Array]


def _plainest(costs: tuple[Fraction, Fraction]) -> Test:
    return exactly if costs[0] == costs[1] else hoeffding_bentkus


def _chosen(
    costs: tuple[Fraction, Fraction], most: Fraction, learned: Frontier, first: Array, shortfall: Fraction
) -> Test:
    """The test of all points: exact if both errors cost the same, else what is best where it begins."""
    stakes = stakes_of(costs, most, learned, shortfall)

    def bets(costs: tuple[Fraction, Fraction], most: Fraction, points: Frontier, at: Array) -> Array:
        return betting(costs, most, points, at, stakes[at])

    tests: tuple[Test, ...] = (hoeffding_bentkus, bets)
    if costs[0] == costs[1]:
        return exactly
    times = _PARTS - 1
    more = Frontier(times * learned.fp, times * learned.tp, times * learned.n_neg, times * learned.n_pos)
    return min(tests, key=lambda test: test(costs, most, more, first)[0])


def _totals(costs: tuple[Fraction, Fraction], points: Frontier, at: Array) -> Array:
    return np.asarray(float(costs[0]) * points.fp[at] + float(costs[1]) * (points.n_pos - points.tp[at]))


def exactly(costs: tuple[Fraction, Fraction], most: Fraction, points: Frontier, at: Array) -> Array:
    """P-values (m,) of an expected loss above a limit where both errors cost the same: binomial tails."""
    from scipy.stats import binom

    if most >= costs[0]:
        return np.zeros(len(at))
    errors = points.fp[at] + points.n_pos - points.tp[at]
    return np.asarray(binom.cdf(errors, points.n_neg + points.n_pos, float(most / costs[0])))


def hoeffding_bentkus(costs: tuple[Fraction, Fraction], most: Fraction, points: Frontier, at: Array) -> Array:
    """P-values (m,) of an expected loss above a limit, from the mean alone.

    References
    ----------
    Bates et al. 2021, section 3.1: the smaller of Hoeffding's and Bentkus's bounds of the same tail.
    """
    from scipy.special import rel_entr
    from scipy.stats import binom

    top, n = float(max(costs)), points.n_neg + points.n_pos
    limit = float(most) / top
    if limit >= 1:
        return np.zeros(len(at))
    mean = _totals(costs, points, at) / (top * n)
    below = np.minimum(mean, limit)
    apart = rel_entr(below, limit) + rel_entr(1 - below, 1 - limit)
    bentkus = math.e * binom.cdf(np.ceil(n * mean - 1e-9), n, limit)
    return np.asarray(np.minimum(1.0, np.minimum(np.exp(-n * apart), bentkus)))


def stakes_of(
    costs: tuple[Fraction, Fraction], most: Fraction, learned: Frontier, shortfall: Fraction
) -> Array:
    """Stakes (k,) in each of the other examples: by the spread of the losses in the learning ones."""
    n, (fp_cost, fn_cost) = learned.n_neg + learned.n_pos, map(float, costs)
    fp, missed = (learned.fp + 0.5) / (n + 1.5), (learned.n_pos - learned.tp + 0.5) / (n + 1.5)
    mean = fp * fp_cost + missed * fn_cost
    spread = fp * fp_cost**2 + missed * fn_cost**2 - mean**2
    wanted = np.sqrt(2 * math.log(1 / shortfall) / (spread * max(1, n * (_PARTS - 1))))
    room = max(fp_cost, fn_cost) - float(most)
    return np.minimum(wanted, _BOLDEST / room) if room > 0 else wanted


def betting(
    costs: tuple[Fraction, Fraction], most: Fraction, points: Frontier, at: Array, stakes: Array
) -> Array:
    """P-values (m,) of an expected loss above a limit: one divided by what bets against it have won.

    Each bet stakes the same, so what is won depends on the counts alone, in any order. The capital is
    expected to shrink if the loss is above the limit, so it is below 1/p with probability 1 - p (Markov).

    References
    ----------
    Waudby-Smith & Ramdas 2024, sections 3 and 4; the stakes are those for a fixed number of examples.
    """
    (fp_cost, fn_cost), limit = map(float, costs), float(most)
    if max(fp_cost, fn_cost) <= limit:
        return np.zeros(len(at))
    fp, missed = points.fp[at], points.n_pos - points.tp[at]
    clean = points.n_neg + points.n_pos - fp - missed
    won = clean * np.log1p(stakes * limit)
    won = won + fp * np.log1p(stakes * (limit - fp_cost)) + missed * np.log1p(stakes * (limit - fn_cost))
    return np.asarray(np.exp(-np.maximum(0.0, won)))
