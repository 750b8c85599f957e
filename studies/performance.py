"""What a deployed rule costs on a batch without labels, or with few: coverage under each assumption.

Each draw has a policy of its own, whose rule is chosen on its examples, and a batch whose population is
known. Scores are normal, 1.5 apart, 11 % positive, and a miss costs 5 false alarms. Under covariate shift
cases are drawn by their scores, at the same posteriors.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COST_FN = 1.5, 0.11, 5.0
LABELS = 200
FIGURES = ("prevalence", "alarm_rate", "tpr", "fpr", "precision", "expected_cost")


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
        if self.kind == "covariate shift":  # of three times as many, those that exp(0.6 score) chooses
            y, scores = drawn(8 * n, PREVALENCE, rng)
            kept = np.flatnonzero(rng.random(8 * n) < np.exp(0.6 * np.minimum(scores, 4) - 2.4))
            return y[kept[:n]], scores[kept[:n]]
        return drawn(n, 0.25 if self.kind == "label shift" else PREVALENCE, rng)


def drawn(n: int, prevalence: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels and scores of the two classes."""
    y = rng.random(n) < prevalence
    return y, rng.normal(APART * y)


KINDS = {"stable": ("label", "covariate"), "label shift": ("label",), "covariate shift": ("covariate",)}
MONTHS = tuple(
    Month(examples, cases, kind)
    for kind in KINDS
    for examples, cases in ((500, 5_000), (2_000, 500), (8_000, 5_000), (50_000, 5_000))
)


def truth(month: Month, threshold: float) -> dict[str, float]:
    """The figures of a threshold in the population of the batch."""
    z = np.linspace(-8, 10, 40_001)
    density = [np.exp(-((z - shift) ** 2) / 2) for shift in (APART, 0.0)]
    prevalence = 0.25 if month.kind == "label shift" else PREVALENCE
    pos, neg = prevalence * density[0], (1 - prevalence) * density[1]
    if month.kind == "covariate shift":
        pos, neg = (each * np.exp(0.6 * np.minimum(z, 4)) for each in (pos, neg))
    total = (pos + neg).sum()
    right, wrong, positive = (
        pos[z >= threshold].sum() / total,
        neg[z >= threshold].sum() / total,
        pos.sum() / total,
    )
    return {
        "prevalence": positive, "alarm_rate": right + wrong, "tpr": right / positive,
        "fpr": wrong / (1 - positive), "precision": right / (right + wrong),
        "expected_cost": COST_FN * (positive - right) + wrong,
    }  # fmt: skip


def trial(month: Month, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one batch."""
    hull = rh.roc_hull(*drawn(month.examples, PREVALENCE, rng))
    condition = rh.ExpectedCost(1, COST_FN, hull.prevalence)
    threshold = hull.at(condition).rules[0][0].threshold
    true = truth(month, inf if threshold is None else threshold)
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
