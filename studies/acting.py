"""Whether to move a deployed rule at the end of a month: what acting costs and wins, by kind of month.

A policy of 8,000 cases, 11 % of them positive, decides at costs 1 and 5. A month has 5,000 cases; of none, or
of 200, the label is known. One acts where labels prove a gain, or where label shift fits (p at least 0.2)
and the interval of the prevalence leaves out the one that was stated; else the rule is kept.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import rochull as rh
from rochull.conditions.rules import OperatingPoint
from studies import simulation
from studies.simulation import Array, Found

PREVALENCE, COSTS, APART = 0.11, (1.0, 5.0), np.array([1.2, 0.9])
POPULATION = 200_000
FITS = 0.2  # the p-value from which label shift is taken for what it is: to be wrong costs much
KINDS = ("stable", "label shift", "covariate shift", "scores x 1.6", "concept drift", "a feature lost")


@dataclass(frozen=True)
class ActedMonth:
    """A month of a kind, with so many labels."""

    kind: str
    labels: int

    def __str__(self) -> str:
        return f"{self.kind} | {self.labels}"


def cases(kind: str, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Labels and scores: log-likelihood-ratios of two normal features, as the kind has changed them."""
    many = 8 * n if kind == "covariate shift" else n
    y = rng.random(many) < (0.25 if kind == "label shift" else PREVALENCE)
    x = rng.normal(size=(many, 2)) + APART * y[:, None]
    score = (x - APART / 2) @ APART
    if kind == "covariate shift":
        kept = np.flatnonzero(rng.random(many) < np.exp(0.4 * np.minimum(score, 5) - 2))[:n]
        return y[kept], score[kept]
    if kind == "scores x 1.6":
        return y, 1.6 * score
    if kind == "concept drift":  # the same scores, of which fewer of the high ones are positive
        return rng.random(many) < 1 / (1 + np.exp(1.96 - 0.35 * score)), score
    if kind == "a feature lost":
        x[:, 1] = 0.0
        return y, (x - APART / 2) @ APART
    return y, score


@cache
def population(kind: str) -> tuple[Array, Array]:
    """Many cases, sorted by score: counts of what stays below each, and the scores."""
    y, score = cases(kind, POPULATION, np.random.default_rng(1))
    order = np.argsort(score)
    y, score = y[order], score[order]
    missed, false = np.append(0, np.cumsum(y)), (~y).sum() - np.append(0, np.cumsum(~y))
    return (COSTS[1] * missed + COSTS[0] * false) / len(y), score


def cost(kind: str, point: OperatingPoint) -> float:
    """What a point costs per case in the population."""
    costs, score = population(kind)
    ends = {"never": math.inf, "always": -math.inf}
    return sum(p * costs[np.searchsorted(score, ends.get(r.kind, r.threshold))] for r, p in point.rules)


def acted(found: Any, point: OperatingPoint, stated: float) -> OperatingPoint:
    """The rule of the next month."""
    observed = found.observed
    if observed is not None and observed.regret.low > 0:
        return observed.best
    prevalence = found.label.prevalence
    if (found.label.pvalue or 0) >= FITS and not prevalence.low <= stated <= prevalence.high:
        return found.label.best
    return point


def trial(month: ActedMonth, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one month."""
    policy = rh.Policy.from_hull(rh.roc_hull(*cases("stable", 8_000, rng)))
    stated = policy.hull.prevalence
    condition = rh.ExpectedCost(*COSTS, stated)
    y, score = cases(month.kind, 5_000, rng)
    known = np.where(np.arange(len(y)) < month.labels, y, np.nan) if month.labels else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = policy.performance(score, condition, known)
    point = policy.at(condition)
    now = acted(found, point, stated)
    own, moved = cost(month.kind, point), cost(month.kind, now)
    least = float(population(month.kind)[0].min())
    yield Found("cost", "keep", own, own)
    yield Found("cost", "act", moved, moved)
    yield Found("cost", "best", least, least)
    yield Found("moved", "act", 1.0, float(now.rules != point.rules))


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table."""
    months = tuple(ActedMonth(kind, labels) for labels in (0, 200) for kind in KINDS)
    found = simulation.run(trial, months, draws, cores)
    yield f"Cost per case when the rule is kept, when one acts, and of the best threshold ({draws:,} draws)"
    yield ""
    yield "| month | labels | keep | act | best | moved | excess of acting, upper bound |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for month in months:
        keep, act, best = (found[month, "cost", name].estimate for name in ("keep", "act", "best"))
        excess = act - keep
        upper = excess.mean() + 1.645 * excess.std(ddof=1) / math.sqrt(len(excess))
        shares = found[month, "moved", "act"].estimate.mean()
        means = " | ".join(f"{each.mean():.3f}" for each in (keep, act, best))
        yield f"| {month} | {means} | {shares:.2f} | {100 * upper / keep.mean():+.1f} % |"
