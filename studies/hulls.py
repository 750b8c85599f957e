"""How often the bootstrap's intervals hold what is read off a hull, with few examples and with many."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

import rochull as rh
from rochull.uncertainty import Resample
from studies import simulation
from studies.optima import ends
from studies.simulation import Array, Found

SIZES, AREAS = (8, 20, 100, 500), (0.7, 0.9, 0.99)
STATISTICS = ("hull_auc", "eer", "min_cllr")
PARTS = ("miscalibration", "discrimination")  # of the Brier score of calibrated scores
METHODS = ("percentile", "basic", "studentised")
_RESAMPLES = 199  # (199 + 1) * 0.025 = 5: the ends are replicates
_MANY = 200_000
_RATINGS = (-0.5, 0.5, 1.2, 2.2)


@dataclass(frozen=True)
class HullScene:
    """As many negatives as positives, with a known area; their hull's is the same, or nearly so."""

    kind: str
    size: int
    auc: float

    def quantiles(self, u: Array) -> tuple[Array, Array]:
        """Scores of negatives and positives whose ranks in the population are u."""
        from scipy.special import ndtri

        if self.kind == "exponential":
            return -np.log1p(-u), -np.log1p(-u) * self.auc / (1 - self.auc)
        shift = np.sqrt(2) * NormalDist().inv_cdf(self.auc)
        found = ndtri(u), ndtri(u) + shift
        if self.kind == "ratings":
            return np.digitize(found[0], _RATINGS), np.digitize(found[1], _RATINGS)
        return tuple(shift * (score - shift / 2) for score in found)  # log-likelihood-ratios

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Labels and scores."""
        neg, pos = self.quantiles(rng.random(self.size))[0], self.quantiles(rng.random(self.size))[1]
        return np.repeat([0, 1], self.size), np.concatenate([neg, pos])


SCENES = tuple(
    HullScene(kind, size, auc)
    for kind, areas in (("normal", AREAS), ("exponential", (0.9,)), ("ratings", (0.9,)))
    for auc in areas
    for size in SIZES
)


@cache
def truth(kind: str, auc: float) -> tuple[float, ...]:
    """Of each statistic, from the quantiles of the population."""
    scores = HullScene(kind, 1, auc).quantiles((np.arange(_MANY) + 0.5) / _MANY)
    hull = rh.roc_hull(np.repeat([0, 1], _MANY), np.concatenate(scores))
    least, brier = rh.LogScore().minimum(hull, 0.5), rh.Brier().minimum(hull, 0.5)
    return hull.auc(), hull.eer(), float(least / np.log(2)), 0.0, float(0.25 - brier)


def trial(scene: HullScene, rng: np.random.Generator) -> Iterator[Found]:
    """The interval that is the default, and others from the same replicates."""
    y, scores = scene.draw(rng)
    options = {"n_resamples": _RESAMPLES, "random_state": rng, "progress": False}
    truths = dict(zip((*STATISTICS, *PARTS), truth(scene.kind, scene.auc), strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for name in STATISTICS:
            found = rh.bootstrap(y, scores, name, **options)
            yield from _plain(name, truths[name], found.estimate, found.replicates)
            yield Found(name, "studentised", truths[name], found.estimate, found.low, found.high)
        if scene.kind == "normal":
            parts = rh.bootstrap(y, scores, _decomposed, **options)
            for i, name in enumerate(PARTS):
                yield from _plain(name, truths[name], parts.estimate[i], parts.replicates[:, i])


def _plain(name: str, value: float, told: float, replicates: Array) -> Iterator[Found]:
    low, high = ends(replicates)
    yield Found(name, "percentile", value, told, low, high)
    yield Found(name, "basic", value, told, 2 * told - high, 2 * told - low)


def _decomposed(sample: Resample) -> list[float]:
    """Parts of the Brier score of log-likelihood-ratios at equal shares: all but the uncertainty."""
    from scipy.special import expit

    groups, least = sample.tally(), rh.Brier().minimum(sample.hull(), 0.5)
    p = expit(groups.score)
    score = (groups.pos @ (1 - p) ** 2 + groups.neg @ p**2) / (groups.pos.sum() + groups.neg.sum())
    return [float(score - least), float(0.25 - least)]


def report(draws: int, cores: int) -> Iterator[str]:
    """Coverage and mean width."""
    found = simulation.run(trial, SCENES, draws, cores)
    for kinds, names, methods in (
        (("normal", "exponential", "ratings"), STATISTICS, METHODS),
        (("normal",), PARTS, METHODS[:2]),
    ):
        heads = [f"{name}: {method}" for name in names for method in methods]
        yield f"| scores | AUC | of each class | {' | '.join(heads)} |"
        yield f"|---|---:|---:|{'---:|' * len(heads)}"
        for scene in SCENES:
            if scene.kind in kinds:
                each = [found[scene, name, method] for name in names for method in methods]
                cells = " | ".join(f"{one.coverage:.3f} ({one.width:.2f})" for one in each)
                yield f"| {scene.kind} | {scene.auc:g} | {scene.size} | {cells} |"
        yield ""
