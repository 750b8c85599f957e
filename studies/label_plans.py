"""Whether labels tell as much as a plan said: widths of intervals, and how often these cover.

Each draw has a policy of its own and a batch of 3,000 cases, at the same posteriors; scores are normal, 1.5
apart, 20 % are positive and a miss costs 5 false alarms.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from studies import simulation
from studies.performance import APART, COST_FN, drawn
from studies.simulation import Found

PREVALENCE, CASES = 0.2, 3_000


@dataclass(frozen=True)
class PlannedBatch:
    """A policy of so many examples, and so many labels."""

    examples: int
    labels: int

    def __str__(self) -> str:
        return f"{self.examples:,} | {self.labels}"


BATCHES = tuple(PlannedBatch(examples, labels) for examples in (1_000, 8_000) for labels in (100, 300, 1_000))


def trial(batch: PlannedBatch, rng: np.random.Generator) -> Iterator[Found]:
    """One policy, one batch, one plan: the width that was said is the truth of the one that was found."""
    policy = rh.Policy.from_hull(rh.roc_hull(*drawn(batch.examples, PREVALENCE, rng)))
    condition = rh.ExpectedCost(1, COST_FN, PREVALENCE)
    y, scores = drawn(CASES, PREVALENCE, rng)
    rule = policy.at(condition).rules[0][0]
    threshold = {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)
    z = rng.normal(size=400_000)
    true = PREVALENCE * COST_FN * (z + APART < threshold).mean()
    true += (1 - PREVALENCE) * (z >= threshold).mean()
    plan = policy.label_plan(scores, batch.labels, "cost", condition)
    for method, chosen, weight, width in (
        ("planned", plan.draw(rng), plan.weight, plan.width),
        ("at random", rng.permutation(CASES) < batch.labels, None, np.nan),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = policy.performance(
                scores, condition, np.where(chosen, y, np.nan), sample_weight=weight
            ).observed
        cost = found.expected_cost
        yield Found("cost", method, true, cost.estimate, cost.low, cost.high)
        yield Found("width", method, width, cost.high - cost.low)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table."""
    found = simulation.run(trial, BATCHES, draws, cores)
    yield f"Intervals of the cost by labels ({draws:,} draws; a batch of {CASES:,}): width that was said,"
    yield "that was found, its coverage, and both of as many labels at random"
    yield ""
    yield "| examples | labels | said | found | covers | width at random | covers |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for batch in BATCHES:
        said = found[batch, "width", "planned"].truth.mean()
        cells = []
        for method in ("planned", "at random"):
            width = found[batch, "width", method].estimate.mean()
            cells += [f"{width:.3f}", f"{found[batch, 'cost', method].coverage:.3f}"]
        yield f"| {batch} | {said:.3f} | {' | '.join(cells)} |"
