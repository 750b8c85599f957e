"""Labels that take weeks, those of positives longer: whether an estimate drifts while they arrive.

A policy of 4,000 examples, a month of 3,000 cases of which 11 % are positive. A label takes 10 days on
average, that of a positive 30. With weights, each label counts by the inverse of the probability that one of
its class has come by that day.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COSTS = 1.5, 0.11, (1.0, 5.0)
DELAY = np.array([10.0, 30.0])  # days, by class
FIGURES = ("prevalence", "tpr", "expected_cost")


@dataclass(frozen=True)
class Day:
    """How many days after the month one looks."""

    days: int

    def __str__(self) -> str:
        return str(self.days)


DAYS = tuple(map(Day, (7, 14, 28, 56)))


def drawn(n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels (0 or 1) and scores."""
    y = (rng.random(n) < PREVALENCE).astype(int)
    return y, rng.normal(APART * y)


def trial(day: Day, rng: np.random.Generator, examples: int = 4_000, cases: int = 3_000) -> Iterator[Found]:
    """One policy and one month; the truth is what all of its labels would tell."""
    policy = rh.Policy.from_hull(rh.roc_hull(*drawn(examples, rng)))
    condition = rh.ExpectedCost(*COSTS, PREVALENCE)
    y, score = drawn(cases, rng)
    come = rng.exponential(DELAY[y]) <= day.days
    arrived = 1 - np.exp(-day.days / DELAY)
    known = np.where(come, y, np.nan)
    truth = policy.performance(score, condition, y).observed
    for name, weight in (("weighted", 1 / arrived[y]), ("as they come", None)):
        found = policy.performance(score, condition, known, sample_weight=weight).observed
        for figure in FIGURES:
            one = getattr(found, figure)
            yield Found(figure, name, getattr(truth, figure).estimate, one.estimate, one.low, one.high)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table."""
    found = simulation.run(trial, DAYS, draws, cores)
    yield f"Mean error in standard deviations; in brackets how many intervals cover ({draws:,} draws)"
    yield ""
    yield f"| days | labels | {' | '.join(FIGURES)} |"
    yield f"|---:|---|{'---:|' * len(FIGURES)}"
    for day in DAYS:
        for name in ("weighted", "as they come"):
            each = (found[day, figure, name] for figure in FIGURES)
            cells = " | ".join(f"{one.bias / one.spread:+.2f} ({one.coverage:.2f})" for one in each)
            yield f"| {day} | {name} | {cells} |"
