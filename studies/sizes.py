"""The size of the t-tests over folds where two classifiers are equally good: how often they reject at 5 %.

Linear discriminants that share one feature; each has another one, and perhaps features that are only
noise. These are exchangeable, so that the expected costs are equal. The more noise, the more a
classifier depends on its training set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

_SHIFT = 1.0  # of every feature between the classes
_LEVEL = 0.95
_TESTS = {
    "n-1": {"df": "n-1"},
    "2n-2": {"df": "2n-2"},
    "Nadeau-Bengio, n-1": {"df": "n-1", "correction": "nadeau-bengio"},
}


@dataclass(frozen=True)
class Design:
    """How folds are made: a rotation, repeated or not, or (repeats = 0) independent data for each fold."""

    n: int
    folds: int
    repeats: int = 1
    noise: int = 0

    @property
    def features(self) -> tuple[list[int], list[int]]:
        """Those of either classifier: of the shared one, its own, and noise."""
        first = [0, 1, *range(3, 3 + self.noise)]
        return first, [0, 2, *range(3 + self.noise, 3 + 2 * self.noise)]

    def sample(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Features and labels."""
        y = np.arange(self.n) % 2
        x = rng.standard_normal((self.n, 3 + 2 * self.noise))
        x[:, :3] += _SHIFT * y[:, None]
        return x, y

    def __str__(self) -> str:
        noise = f", {self.noise} noise features" if self.noise else ""
        if not self.repeats:
            n = self.n // self.folds
            return f"{self.folds} independent pairs of samples, {self.n - n} to train and {n} to test{noise}"
        rotation = f"{self.folds} folds" if self.repeats == 1 else f"{self.repeats} x {self.folds} folds"
        return f"{rotation} of {self.n}{noise}"


DESIGNS = (
    Design(200, 10, 0),
    Design(1000, 10, 0),
    Design(200, 10),
    Design(1000, 10),
    Design(1000, 5),
    Design(200, 10, 1, 30),
    Design(200, 10, 10),
    Design(200, 10, 10, 30),
)


def trial(design: Design, rng: np.random.Generator) -> Iterator[Found]:
    """Both classifiers in the same folds; the truth 1 is "covered" where a test rejects."""
    labels, folds, scores = zip(*_splits(design, rng), strict=True)
    y, fold = np.concatenate(labels), np.concatenate(folds)
    averages = [
        rh.operating_point_average(y, np.concatenate(column), fold, operating_points=[0.0])
        for column in zip(*scores, strict=True)
    ]
    for name, options in _TESTS.items():
        if options.get("correction"):
            options = {**options, "correction": 1 / (design.folds - 1)}
        found = averages[0].compare(1, 1, rh.ExpectedCost(prevalence=0.5), other=averages[1], **options)
        rejected = float(found.pvalue <= 1 - _LEVEL)
        yield Found("cost", name, 1.0, float(found.estimate), rejected, rejected)


def _splits(design: Design, rng: np.random.Generator) -> Iterator[tuple[Array, Array, list[Array]]]:
    """Labels, fold and both classifiers' scores of every test part."""
    for f in range(design.folds * max(1, design.repeats)):
        part = f % design.folds
        if f == 0 or not design.repeats:
            x, y = design.sample(rng)
        if part == 0 or not design.repeats:
            member = _rotation(y, design.folds, rng)
        test = member == part
        scores = [_discriminant(x[:, chosen], y, test) for chosen in design.features]
        yield y[test], np.full(int(test.sum()), f), scores


def _rotation(y: Array, folds: int, rng: np.random.Generator) -> Array:
    """A fold for every example, each class shared out evenly."""
    member = np.empty(y.size, int)
    for label in (0, 1):
        rows = np.flatnonzero(y == label)
        member[rng.permutation(rows)] = np.arange(rows.size) % folds
    return member


def _discriminant(x: Array, y: Array, test: Array) -> Array:
    """Fisher's linear discriminant, trained on the rest and positive above 0."""
    old, truth = x[~test], y[~test]
    means = [old[truth == label].mean(axis=0) for label in (0, 1)]
    within = old - np.where(truth[:, None] == 1, means[1], means[0])
    direction = np.linalg.solve(within.T @ within, means[1] - means[0]) * len(old)
    return np.asarray((x[test] - (means[0] + means[1]) / 2) @ direction)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table of the share of rejections."""
    found = simulation.run(trial, DESIGNS, draws, cores)
    yield "Share of rejections at 5 % where both classifiers have the same expected cost"
    yield f"({draws:,} draws, Monte Carlo error {simulation.noise(0.05, draws):.3f} at 0.05):"
    yield ""
    yield f"| design | {' | '.join(_TESTS)} |"
    yield f"|---|{'---:|' * len(_TESTS)}"
    for design in DESIGNS:
        shares = [found[design, "cost", name].coverage for name in _TESTS]
        yield f"| {design} | {' | '.join(f'{share:.3f}' for share in shares)} |"
