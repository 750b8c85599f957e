"""How often bands of the calibration curve cover it at all scores, and how wide they are."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rochull.uncertainty import calibration_band
from studies import simulation
from studies.simulation import Array, Found

TRUTHS = ("calibrated", "flat", "rare", "step", "steep")
METHODS = ("clopper-pearson", "yang-barber")
SIZES = (50, 300, 1000, 10_000)
LEVELS = (0.5, 0.95)


@dataclass(frozen=True)
class CurveScene:
    """Scores that are uniform, to so many digits, and the probability of a positive at each."""

    truth: str
    n: int
    digits: int

    def at(self, score: Array) -> Array:
        """The probability of a positive."""
        rising = {
            "calibrated": score, "flat": np.full(score.size, 0.3), "rare": 0.02 * score,
            "step": 0.1 + 0.8 * (score > 0.5), "steep": 1 / (1 + np.exp(20 * (0.5 - score))),
        }  # fmt: skip
        return np.asarray(rising[self.truth], float)


def trial(scene: CurveScene, rng: np.random.Generator) -> Iterator[Found]:
    """Both methods at both levels: how far the curve is inside, at all scores, and the mean width."""
    score = np.sort(np.round(rng.random(scene.n), scene.digits))
    p = scene.at(score)
    y = rng.random(scene.n) < p
    for level in LEVELS:
        for method in METHODS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that no rising curve fits in
                low, high = calibration_band(y, score, level, method=method).at(score)
            # It covers if 0 lies between the largest excess of one end and the least of the other.
            yield Found(
                f"{level:g}", method, 0.0, float((high - low).mean()), (low - p).max(), (high - p).min()
            )


def report(draws: int, cores: int) -> Iterator[str]:
    """Coverage of the whole curve, and mean width; fewer draws of large samples."""
    yield f"| truth | n | digits | {' | '.join(f'{level:g}, {m}' for level in LEVELS for m in METHODS)} |"
    yield f"|---|---:|---:|{'---:|' * len(LEVELS) * len(METHODS)}"
    for size in SIZES:
        some = max(2, draws // (10 if size >= 10_000 else 1))
        scenes = [CurveScene(truth, size, digits) for truth in TRUTHS for digits in (2, 15)]
        found = simulation.run(trial, scenes, some, cores)
        for scene in scenes:
            outcomes = [found[scene, f"{level:g}", method] for level in LEVELS for method in METHODS]
            cells = [f"{each.coverage:.3f} ({each.estimate.mean():.3f})" for each in outcomes]
            yield f"| {scene.truth} | {size:,} | {scene.digits} | {' | '.join(cells)} |"
