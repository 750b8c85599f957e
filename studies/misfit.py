"""The test of fit of an estimated prevalence: its size under prior shift, its power against other changes.

Each draw has a calibration set of its own, whose PAV blocks are chosen on its labels, and a batch. Under
prior shift the share of p-values below 0.05 is the size; of batches that changed otherwise it is the power.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found


@dataclass(frozen=True)
class Shift:
    """Positives and negatives to calibrate on, cases in the batch and their prevalence, and the scores."""

    pos: int
    neg: int
    batch: int
    prevalence: float
    distance: float = 1.5  # of two normal classes; 0 for exponential ones, of means 1 and 3

    def scores(self, positive: Array, rng: np.random.Generator) -> Array:
        """Scores of cases of these classes."""
        if self.distance:
            return rng.normal(self.distance * positive)
        return rng.exponential(1.0 + 2.0 * positive)

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Labels and scores to calibrate on, and the batch's scores."""
        y = np.arange(self.pos + self.neg) < self.pos
        return y, self.scores(y, rng), self.scores(rng.random(self.batch) < self.prevalence, rng)

    def __str__(self) -> str:
        kind = f"normal, {self.distance:g} apart" if self.distance else "exponential"
        return f"{kind} | {self.pos:,} + {self.neg:,} | {self.batch:,} | {self.prevalence:g}"


SHIFTS = tuple(
    Shift(*sizes, distance)
    for distance in (1.5, 3.0, 0.0)
    for sizes in (
        (30, 300, 300, 0.1), (100, 100, 200, 0.35), (100, 100, 2_000, 0.35), (500, 500, 1_000, 0.35),
        (100, 9_900, 10_000, 0.02), (1_000, 3_000, 10_000, 0.01), (1_000, 3_000, 4_000, 0.9),
    )
)  # fmt: skip


def _mixed(scores: Array, rng: np.random.Generator) -> Array:
    """A tenth of the cases is of another kind, between the classes."""
    return np.where(rng.random(scores.size) < 0.1, rng.normal(0.75, 0.2, scores.size), scores)


CHANGES: dict[str, Callable[[Array, np.random.Generator], Array]] = {
    "prior shift": lambda scores, _: scores,
    "times 1.6": lambda scores, _: 1.6 * scores,
    "plus 0.5": lambda scores, _: scores + 0.5,
    "a tenth of another kind": _mixed,
}


def trial(shift: Shift, rng: np.random.Generator) -> Iterator[Found]:
    """One calibration set and one batch, changed in all ways; the truth 1 is "covered" by a rejection."""
    y, scores, batch = shift.draw(rng)
    hull = rh.roc_hull(y, scores)
    for name, changed in CHANGES.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rh.MisfitWarning)
            found = rh.estimate_prevalence(changed(batch, rng), hull)
        for level in (0.05, 0.01):
            rejected = float(found.pvalue < level)
            yield Found(name, f"{level:g}", 1.0, found.estimate, rejected, rejected)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table of the share of rejections."""
    found = simulation.run(trial, SHIFTS, draws, cores)
    yield "Share of p-values below 0.05 (below 0.01)"
    yield f"({draws:,} draws, Monte Carlo error {simulation.noise(0.05, draws):.3f} at 0.05):"
    yield ""
    yield f"| scores | calibration | batch | prevalence | {' | '.join(CHANGES)} |"
    yield f"|---|---:|---:|---:|{'---:|' * len(CHANGES)}"
    for shift in SHIFTS:
        cells = [
            f"{found[shift, name, '0.05'].coverage:.3f} ({found[shift, name, '0.01'].coverage:.3f})"
            for name in CHANGES
        ]
        yield f"| {shift} | {' | '.join(cells)} |"
