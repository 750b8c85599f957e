"""What a deployed rule costs on a batch without labels, or with few: coverage under each assumption.

Each draw has a policy of its own, whose rule is chosen on its examples, and a batch whose population is
known. Scores are normal, 1.5 apart, 11 % positive, and a miss costs 5 false alarms. The batches are of the
six kinds of months in `acting`; where neither assumption holds, labels alone tell.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import inf

import numpy as np
from scipy.stats import norm

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COST_FN = 1.5, 0.11, 5.0
LABELS = 200
FIGURES = (
    "prevalence", "alarm_rate", "tpr", "fpr", "precision", "expected_cost", "net_benefit", "regret",
)  # fmt: skip
GRID = np.linspace(-8, 12, 40_001)


@dataclass(frozen=True)
class Month:
    """A policy of so many examples, and a batch of a kind."""

    examples: int
    cases: int
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} | {self.examples:,} | {self.cases:,}"

    def batch(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Labels and scores of cases."""
        if self.kind == "covariate shift":  # of eight times as many, those that exp(0.6 score) chooses
            y, scores = drawn(8 * n, PREVALENCE, rng)
            kept = np.flatnonzero(rng.random(8 * n) < np.exp(0.6 * np.minimum(scores, 4) - 2.4))
            return y[kept[:n]], scores[kept[:n]]
        y, scores = drawn(n, 0.25 if self.kind == "label shift" else PREVALENCE, rng)
        if self.kind == "concept drift":
            y = rng.random(n) < drifted(scores)
        elif self.kind == "scores x 1.6":
            scores = 1.6 * scores
        elif self.kind == "a feature lost":
            scores = rng.normal(LOST[0] * y, LOST[1])
        return y, scores


def drawn(n: int, prevalence: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels and scores of the two classes."""
    y = rng.random(n) < prevalence
    return y, rng.normal(APART * y)


def drifted(scores: Array) -> Array:
    """The share of positives by score after the concept has drifted: high scores say less."""
    return np.asarray(1 / (1 + np.exp(2.35 - 0.525 * scores)))


LOST = 0.96, 0.8  # distance of the classes, and their standard deviation, without the second feature
KINDS = {
    "stable": ("label", "covariate"), "label shift": ("label",), "covariate shift": ("covariate",),
    "scores x 1.6": (), "concept drift": (), "a feature lost": (),
}  # fmt: skip
MONTHS = tuple(
    Month(examples, cases, kind)
    for kind in KINDS
    for examples, cases in ((500, 5_000), (2_000, 500), (8_000, 5_000), (50_000, 5_000))
)


@cache
def population(kind: str) -> Array:
    """Shares of the cases flagged rightly, and wrongly, by threshold of GRID (2, t)."""
    prevalence = 0.25 if kind == "label shift" else PREVALENCE
    apart, wide = {"scores x 1.6": (1.6 * APART, 1.6), "a feature lost": LOST}.get(kind, (APART, 1.0))
    each = ((apart, prevalence), (0.0, 1 - prevalence))
    both = np.array([share * norm.pdf(GRID, shift, wide) for shift, share in each])
    if kind == "covariate shift":
        both = both * np.exp(0.6 * np.minimum(GRID, 4))
    if kind == "concept drift":
        positive = drifted(GRID)
        both = both.sum(axis=0) * np.array([positive, 1 - positive])
    return np.asarray(both[:, ::-1].cumsum(axis=1)[:, ::-1] / both.sum())


def truth(kind: str, threshold: float, others: Array) -> dict[str, float]:
    """The figures of a threshold in the population of a kind of batch, among others it may move to."""
    flagged = population(kind)
    at = np.minimum(np.searchsorted(GRID, np.append(threshold, others)), len(GRID) - 1)
    positive = flagged[0, 0]
    (right, *_), (wrong, *_) = flagged[:, at]
    costs = COST_FN * (positive - flagged[0, at]) + flagged[1, at]
    return {
        "prevalence": positive, "alarm_rate": right + wrong, "tpr": right / positive,
        "fpr": wrong / (1 - positive), "precision": right / (right + wrong), "expected_cost": costs[0],
        "net_benefit": right - wrong / COST_FN, "regret": costs[0] - costs.min(),
    }  # fmt: skip


def trial(month: Month, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one batch."""
    hull = rh.roc_hull(*drawn(month.examples, PREVALENCE, rng))
    condition = rh.ExpectedCost(1, COST_FN, hull.prevalence)
    threshold = hull.at(condition).rules[0][0].threshold
    true = truth(month.kind, inf if threshold is None else threshold, hull.thresholds)
    y, scores = month.batch(month.cases, rng)
    known = np.where(np.arange(len(y)) < LABELS, y, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rh.Policy.from_hull(hull).performance(scores, condition, known)
    for assumption in (*KINDS[month.kind], "observed"):
        for name in FIGURES:
            interval = getattr(getattr(found, assumption), name)
            yield Found(assumption, name, true[name], interval.estimate, interval.low, interval.high)
    for name, under in (("label", found.label), ("covariate", found.covariate)):
        rejected = float(under.pvalue is not None and under.pvalue < 0.05)
        yield Found(name, "rejected", 1.0, rejected, rejected, rejected)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table of coverage."""
    found = simulation.run(trial, MONTHS, draws, cores)
    noise = simulation.noise(0.95, draws)
    yield f"Coverage of 95 % intervals ({draws:,} draws, Monte Carlo error {noise:.3f});"
    yield f"{LABELS} labels; the last two columns are p-values below 0.05 by these."
    yield ""
    yield f"| month | examples | cases | answer | {' | '.join(FIGURES)} | label | covariate |"
    yield f"|---|---:|---:|---|{'---:|' * (len(FIGURES) + 2)}"
    for month in MONTHS:
        tests = " | ".join(
            f"{found[month, name, 'rejected'].coverage:.3f}" for name in ("label", "covariate")
        )
        for assumption in (*KINDS[month.kind], "observed"):
            cells = " | ".join(f"{found[month, assumption, name].coverage:.3f}" for name in FIGURES)
            yield f"| {month} | {assumption} | {cells} | {tests} |"
