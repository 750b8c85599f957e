"""How often intervals of an area cover with few positives, whatever the scores are like."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

KINDS = ("normal", "wide", "narrow", "exponential", "mirrored", "contaminated")
METHODS = ("score", "logit", "delong")
SIZES, AREAS = (3, 5, 8, 12, 20, 30, 100), (0.7, 0.8, 0.9, 0.95, 0.99)
_NEGATIVES = 300


@dataclass(frozen=True)
class FewScene:
    """A few positives among many negatives, with a known area."""

    kind: str
    n_pos: int
    auc: float

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Labels and scores."""
        labels = np.repeat([1, 0], [self.n_pos, _NEGATIVES])
        positive, odds = labels == 1, self.auc / (1 - self.auc)
        if self.kind == "exponential":
            return labels, rng.exponential(np.where(positive, odds, 1.0))
        if self.kind == "mirrored":
            return labels, -rng.exponential(np.where(positive, 1.0, odds))
        lost = 1 - self.auc if self.kind == "contaminated" else 0.0  # positives that look like negatives
        spread = {"wide": 2.0, "narrow": 0.5}.get(self.kind, 1.0)
        shift = hypot(1, spread) * NormalDist().inv_cdf((self.auc - lost / 2) / (1 - lost))
        found = positive & (rng.random(labels.size) >= lost)
        return labels, rng.normal(np.where(found, shift, 0.0), np.where(positive, spread, 1.0))


def trial(scene: FewScene, rng: np.random.Generator) -> Iterator[Found]:
    """Each method of `auc_interval`."""
    labels, scores = scene.draw(rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that the others are too narrow here
        for method in METHODS:
            found = rh.auc_interval(labels, scores, method)
            yield Found("AUC", method, scene.auc, found.estimate, found.low, found.high)


def report(draws: int, cores: int) -> Iterator[str]:
    """The least coverage over the kinds of scores, and the mean width."""
    scenes = [FewScene(kind, size, area) for kind in KINDS for size in SIZES for area in AREAS]
    found = simulation.run(trial, scenes, draws, cores)
    yield f"| positives | AUC | {' | '.join(METHODS)} |"
    yield f"|---:|---:|{'---:|' * len(METHODS)}"
    for size in SIZES:
        for area in AREAS:
            cells = []
            for method in METHODS:
                each = [found[FewScene(kind, size, area), "AUC", method] for kind in KINDS]
                width = float(np.mean([one.width for one in each]))
                cells.append(f"{min(one.coverage for one in each):.3f} ({width:.3f})")
            yield f"| {size} | {area:g} | {' | '.join(cells)} |"
