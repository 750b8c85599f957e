"""Statistics that optimise on the sample: their bias, and how often bootstrap intervals cover the truth."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import inf, log, pi, sqrt

import numpy as np

import rochull as rh
from studies.simulation import Array, Found, Scene

RESAMPLES = 399  # (399 + 1) * 0.025 = 10: the ends are replicates
_FOLDS = 10
_SHARE = 0.25  # of m-out-of-n
_RULE = rh.ExpectedCost(prevalence=0.5)
_Z = 1.959964

HULL, CLLR, LEAST, THRESHOLD = "hull area", "minCllr", "least cost", "optimal threshold"
KEPT = "cost of the chosen rule"


def trial(scene: Scene, rng: np.random.Generator) -> Iterator[Found]:
    """Plain and better intervals of one sample."""
    y, scores = scene.draw(rng)
    options = {"n_resamples": RESAMPLES, "random_state": rng, "progress": False}
    found = rh.bootstrap(y, scores, _statistics, method="bca", **options)
    fewer = rh.bootstrap(y, scores, _statistics, share=_SHARE, **options)
    truths = {
        HULL: scene.auc,
        CLLR: population_cllr(scene.shift),
        LEAST: scene.cost(scene.shift / 2),
        THRESHOLD: scene.shift / 2,
    }
    low, high = ends(found.replicates)
    low_few, high_few = ends(fewer.replicates)
    for i, (what, truth) in enumerate(truths.items()):
        value = float(found.estimate[i])
        scale = _SHARE ** (1 / 3 if what == THRESHOLD else 1 / 2)
        below, above = scale * (low_few[i] - value), scale * (high_few[i] - value)
        yield Found(what, "percentile", truth, value, low[i], high[i])
        yield Found(what, "basic", truth, value, 2 * value - high[i], 2 * value - low[i])
        yield Found(what, "BCa", truth, value, found.low[i], found.high[i])
        yield Found(what, f"basic, m = {_SHARE:g} n", truth, value, value - above, value - below)
        if what == THRESHOLD:
            yield Found(what, f"percentile, m = {_SHARE:g} n", truth, value, value + below, value + above)
        else:
            better = float(found.bias_corrected[i])
            half = _Z * found.standard_error[i]
            yield Found(what, "bias-corrected", truth, better, better - half, better + half)
    raw = rh.auc_interval(y, scores, "logit")
    yield Found(HULL, "raw area, logit", scene.auc, raw.estimate, raw.low, raw.high)
    yield Found(CLLR, "out-of-fold", truths[CLLR], _out_of_fold_cllr(y, scores, rng))
    yield from _kept(scene, y, scores, (low[2], high[2]), rng)


def _statistics(sample: rh.uncertainty.Resample) -> list[float]:
    """Area of the hull, minCllr, least cost, and where that is."""
    hull = sample.hull()
    cost = (hull.fpr + 1 - hull.tpr) / 2
    best = int(np.argmin(cost))
    least = rh.LogScore().minimum(hull, 0.5) / log(2)
    return [hull.auc(), least, cost[best], float(hull.thresholds[best])]


def _kept(
    scene: Scene, y: Array, scores: Array, percentile: tuple[float, float], rng: np.random.Generator
) -> Iterator[Found]:
    """What the rule that is chosen here costs in the population: another one for each sample."""
    found = rh.optimism(y, scores, _RULE, n_resamples=RESAMPLES, random_state=rng, progress=False)
    rotated = rh.optimism(y, scores, _RULE, method="cross-validation", n_resamples=10, random_state=rng)
    rule = found.point.rules[0][0]
    cost = scene.cost({"never": inf, "always": -inf}.get(rule.kind, rule.threshold))
    yield Found(KEPT, "percentile", cost, found.apparent, *percentile)
    yield Found(KEPT, "optimism", cost, found.corrected, found.low, found.high)
    yield Found(KEPT, "cross-validation", cost, rotated.corrected, rotated.low, rotated.high)


def _out_of_fold_cllr(y: Array, scores: Array, rng: np.random.Generator) -> float:
    """Cllr of scores that the other folds have calibrated."""
    llr = np.empty(y.size)
    member = np.empty(y.size, int)
    for label in (0, 1):
        rows = rng.permutation(np.flatnonzero(y == label))
        member[rows] = np.arange(rows.size) % _FOLDS
    for f in range(_FOLDS):
        rest = member != f
        llr[~rest] = rh.PavCalibrator(bound="laplace").fit(scores[rest], y[rest]).llr(scores[~rest])
    return rh.cllr(y, llr)


def ends(replicates: Array) -> tuple[Array, Array]:
    """The replicates that the percentile interval ends at."""
    ordered = np.sort(replicates, axis=0)
    k = round(0.025 * (len(ordered) + 1))
    return ordered[k - 1], ordered[-k]


@cache
def population_cllr(shift: float) -> float:
    """Cllr of the true likelihood ratio: of a positive it is normal, with mean shift**2 / 2."""
    z = np.linspace(-10, 10, 20_001)
    weight = np.exp(-(z**2) / 2) / sqrt(2 * pi) * (z[1] - z[0])
    return float(weight @ np.logaddexp(0, -(shift * z + shift**2 / 2)) / log(2))
