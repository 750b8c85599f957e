"""How often intervals of the parts of a score hold those of the population, and the size of the test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

PARTS = ("score", "miscalibration", "discrimination", "uncertainty")
REPLICATES, MANY = 200, 400_000


@dataclass(frozen=True)
class Forecasts:
    """Forecasts whose log-odds are normal, and outcomes that they are right or too sure of."""

    kind: str
    n: int

    def drawn(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Forecasts, and the probabilities."""
        x = rng.normal(-1, 1.5, n)
        return expit(x), expit(x if self.kind == "calibrated" else 0.6 * x + 0.3)


def truth(scene: Forecasts) -> list[float]:
    """The parts in the population, from many forecasts and their probabilities."""
    p, q = scene.drawn(MANY, np.random.default_rng(99))
    base = q.mean()
    score, least = (np.mean((each - q) ** 2 + q * (1 - q)) for each in (p, q))
    whole = base * (1 - base)
    return [float(score), float(score - least), float(whole - least), float(whole)]


def trial(scene: Forecasts, rng: np.random.Generator) -> Iterator[Found]:
    """The intervals of one sample, and whether calibration is rejected."""
    p, q = scene.drawn(scene.n, rng)
    y, seed = rng.random(scene.n) < q, int(rng.integers(2**31))
    found = rh.uncertainty.decomposition_interval(y, p, n_resamples=REPLICATES, random_state=seed)
    for name, true in zip(PARTS, truth(scene), strict=True):
        each = getattr(found, name)
        yield Found(name, "", true, float(each.estimate), float(each.low), float(each.high))
    test = rh.uncertainty.calibration_test(y, p, n_simulations=REPLICATES, random_state=seed)
    yield Found("rejected", "", 0.0, float(test.pvalue <= 0.05))


def report(draws: int, cores: int) -> Iterator[str]:
    """Coverage of each part, and how often the test rejects."""
    yield f"| forecasts | n | {' | '.join(PARTS)} | rejected |"
    yield f"|---|---:|{'---:|' * (len(PARTS) + 1)}"
    scenes = [Forecasts(kind, n) for kind in ("calibrated", "too sure") for n in (200, 1000)]
    found = simulation.run(trial, scenes, draws, cores)
    for scene in scenes:
        cells = [f"{found[scene, name, ''].coverage:.2f}" for name in PARTS]
        rejected = found[scene, "rejected", ""].estimate.mean()
        yield f"| {scene.kind} | {scene.n:,} | {' | '.join(cells)} | {rejected:.2f} |"
