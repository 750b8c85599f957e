"""How often a monitor alarms in stable years, and how soon after a change: by the claims that it tests.

Scores are normal, 1.5 apart, 11 % are positive and a miss costs 5 false alarms. A year has 365 looks at
labelled cases; the rule was chosen on the policy's own examples, which is why it is never exactly the
best. The prevalence of a day may vary: its log-odds are normal about those of 11 %, each day a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import rochull as rh
from rochull.conditions.rules import Rule
from rochull.monitoring.claims import CELLS, cell_of
from rochull.monitoring.evidence import BETS, averaged, wealth
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COSTS, DAYS = 1.5, 0.11, (1.0, 5.0), 365


@dataclass(frozen=True)
class Year:
    """Examples of the policy, labelled cases a day, the spread of days, the prevalence from day 60 on."""

    examples: int
    cases: int
    spread: float = 0.0
    later: float = PREVALENCE
    margin: float = 0.02

    def __str__(self) -> str:
        return f"{self.examples:,} | {self.cases} | {self.spread:g} | {self.later:g} | {self.margin:g}"


YEARS = (
    Year(1_000, 30),
    Year(8_000, 30),
    Year(8_000, 200),
    Year(8_000, 100, 0.5),
    *(Year(8_000, 100, later=later) for later in (0.15, 0.2, 0.3, 0.05)),
)


def counted(monitor: rh.Monitor, year: Year, rng: np.random.Generator) -> Array:
    """Cells of the labelled cases by day and rule (days, others, 8)."""
    prevalence = np.where(np.arange(DAYS) < 60, PREVALENCE, year.later)
    logits = np.log(prevalence / (1 - prevalence)) + year.spread * rng.normal(size=DAYS)
    y = rng.random((DAYS, year.cases)) < 1 / (1 + np.exp(-logits))[:, None]
    scores = rng.normal(APART * y)
    rules = [monitor.point.rules[0][0], *monitor.others]
    flags = [scores >= _threshold(rule) for rule in rules]
    found = np.zeros((DAYS, len(monitor.others), CELLS))
    for i, own in enumerate(flags[1:]):
        cells = cell_of(flags[0], own, y) + CELLS * np.arange(DAYS)[:, None]
        found[:, i] = np.bincount(cells.ravel(), minlength=DAYS * CELLS).reshape(DAYS, CELLS)
    return found


def _threshold(rule: Rule) -> float:
    """The least score that a rule flags."""
    return {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)


def trial(year: Year, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one year: whether, and on which day, another rule is called better."""
    y = rng.random(year.examples) < PREVALENCE
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(APART * y)))
    monitor = rh.Monitor(policy, rh.ExpectedCost(*COSTS, PREVALENCE), margin=year.margin)
    values = monitor.claims.gain.less_margin / monitor.claims.gain.scale
    cells = counted(monitor, year, rng)
    if year.spread:
        means = cells @ values / year.cases
        logs = np.log1p(means[..., None] * BETS).cumsum(axis=0)
    else:
        logs = wealth(values, cells.cumsum(axis=0))
    over = np.flatnonzero(averaged(averaged(logs)) >= np.log(4 / (1 - monitor.level)))
    alarm = float(over.size > 0)
    day = float(over[0]) if over.size else np.nan
    yield Found("better", "alarm", 1.0, alarm, alarm, alarm)
    yield Found("better", "day", day, day, day, day)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table of alarms and delays."""
    found = simulation.run(trial, YEARS, draws, cores)
    yield f"Another rule is called better, at a quarter of 5 % ({draws:,} years; Monte Carlo error at"
    noise = simulation.noise(0.0125, draws)
    yield f"1.25 %: {noise:.4f}); median day of the alarm, the change being on day 60:"
    yield ""
    yield "| examples | labels a day | spread of days | prevalence from day 60 | margin | alarms | day |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for year in YEARS:
        alarms = found[year, "better", "alarm"].coverage
        days = found[year, "better", "day"].truth
        day = f"{np.nanmedian(days):.0f}" if np.isfinite(days).any() else ""
        yield f"| {year} | {alarms:.4f} | {day} |"
