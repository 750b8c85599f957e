"""How often intervals of a calibrated LLR, by resampling the map, hold the LLR of the population."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Found, Scene

MAPS = {
    "logistic": rh.LogisticCalibrator(), "Gaussian": rh.calibration.GaussianCalibrator(),
    "kernel": rh.calibration.KdeCalibrator(), "PAV, laplace": rh.PavCalibrator(bound="laplace"),
    "PAV, centred, laplace": rh.PavCalibrator("centred", "laplace"),
}  # fmt: skip
SIZES = (50, 200, 1000)
AREA, AT = 0.85, (-2.0, 0.0, 2.0)  # LLRs of the population at which it is looked
_RESAMPLES = 199


@dataclass(frozen=True)
class MapScene:
    """One kind of map, and how many examples it is fitted to."""

    name: str
    n: int


def trial(scene: MapScene, rng: np.random.Generator) -> Iterator[Found]:
    """The interval at each LLR."""
    normal = Scene(AREA, scene.n)
    y, scores = normal.draw(rng)
    at = np.array(AT) / normal.shift + normal.shift / 2
    made, seed = MAPS[scene.name], int(rng.integers(2**31))
    found = rh.calibration.bootstrap_map(made, scores, y, at, n_resamples=_RESAMPLES, random_state=seed).llr
    ends = (np.asarray(each).tolist() for each in (found.estimate, found.low, found.high))
    for truth, estimate, low, high in zip(AT, *ends, strict=True):
        yield Found(f"{truth:g}", "bootstrap", truth, estimate, low, high)


def report(draws: int, cores: int) -> Iterator[str]:
    """Coverage of each map at each size; 200 draws at most."""
    yield f"| map | {' | '.join(f'n = {size}, LLR {at:g}' for size in SIZES for at in AT)} |"
    yield f"|---|{'---:|' * len(SIZES) * len(AT)}"
    scenes = {name: [MapScene(name, size) for size in SIZES] for name in MAPS}
    for name, own in scenes.items():
        found = simulation.run(trial, own, min(draws, 200), cores)
        cells = [f"{found[scene, f'{at:g}', 'bootstrap'].coverage:.3f}" for scene in own for at in AT]
        yield f"| {name} | {' | '.join(cells)} |"
