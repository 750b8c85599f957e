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
from rochull.monitoring.evidence import BETS, averaged, over_starts, rate_above
from rochull.policies.prevalence import RatioLadder
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COSTS, DAYS = 1.5, 0.11, (1.0, 5.0), 365


@dataclass(frozen=True)
class Year:
    """Examples of the policy, labelled cases a day, the spread of days, the prevalence since some day."""

    examples: int
    cases: int
    spread: float = 0.0
    later: float = PREVALENCE
    since: int = 60

    def __str__(self) -> str:
        changed = f"{self.later:g} from day {self.since}" if self.later != PREVALENCE else "none"
        return f"{self.examples:,} | {self.cases} | {self.spread:g} | {changed}"


STABLE = (Year(1_000, 30), Year(8_000, 30), Year(8_000, 200), Year(1_000, 100, 0.5), Year(8_000, 100, 0.5))
CHANGED = tuple(
    Year(8_000, 100, later=later, since=since) for since in (60, 200) for later in (0.15, 0.2, 0.3, 0.05)
)
STARTS = (0, 1, 2, 4, 8, 16, *range(32, DAYS, 32))  # of the periods, as the state has them


def counted(monitor: rh.Monitor, year: Year, rng: np.random.Generator) -> tuple[Array, Array]:
    """Cells of the labelled cases by day and rule (days, others, 8), and classes by range (days, k, 2)."""
    prevalence = np.where(np.arange(DAYS) < year.since, PREVALENCE, year.later)
    logits = np.log(prevalence / (1 - prevalence)) + year.spread * rng.normal(size=DAYS)
    y = rng.random((DAYS, year.cases)) < 1 / (1 + np.exp(-logits))[:, None]
    scores = rng.normal(APART * y)
    rules = [monitor.point.rules[0][0], *monitor.others]
    flags = [scores >= _threshold(rule) for rule in rules]
    found = np.zeros((DAYS, len(monitor.others), CELLS))
    day = np.arange(DAYS)[:, None]
    for i, own in enumerate(flags[1:]):
        cells = cell_of(flags[0], own, y) + CELLS * day
        found[:, i] = np.bincount(cells.ravel(), minlength=DAYS * CELLS).reshape(DAYS, CELLS)
    ladder = RatioLadder.of(monitor.policy.hull, monitor.policy.classifiers[0])
    place, k = ladder.place_of(scores.ravel()).reshape(y.shape), len(ladder.pos)
    groups = [np.bincount((place + k * day)[y == label], minlength=DAYS * k) for label in (True, False)]
    return found, np.stack(groups, axis=-1).reshape(DAYS, k, 2)


def _threshold(rule: Rule) -> float:
    """The least score that a rule flags."""
    return {"never": np.inf, "always": -np.inf}.get(rule.kind, rule.threshold)


def since(days: Array, start: int) -> Array:
    """What came since a day, by day (days, ...)."""
    return np.concatenate([0 * days[:start], days[start:]]).cumsum(axis=0)


def trial(year: Year, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one year: whether, and on which day, another rule is called better; or to label anew.

    With the evidence of the whole past alone too, as a monitor had it that does not begin anew.
    """
    y = rng.random(year.examples) < PREVALENCE
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(APART * y)))
    monitor = rh.Monitor(policy, rh.ExpectedCost(*COSTS, PREVALENCE))
    gain, alpha = monitor.claims.gain, (1 - monitor.level) / 4
    cells, groups = counted(monitor, year, rng)
    logs, moved = [], []
    for start in STARTS:
        if year.spread:
            means = cells @ (gain.less_margin / gain.scale) / year.cases
            logs.append(averaged(since(np.log1p(means[..., None] * BETS), start)))
        else:
            logs.append(gain.won(since(cells, start)))
            if year in STABLE:
                moved.append(posteriors_moved(monitor, since(groups, start)))
    evidence = {"better": averaged(over_starts(np.array(logs))), "whole past": averaged(logs[0])}
    if moved:
        evidence["relabel"] = over_starts(np.array(moved)) - np.log(2)
    for name, log in evidence.items():
        over = np.flatnonzero(log >= -np.log(alpha))
        alarm = float(over.size > 0)
        day = float(over[0]) if over.size else np.inf
        yield Found(name, "alarm", 1.0, alarm, alarm, alarm)
        yield Found(name, "day", day, day, day, day)


def posteriors_moved(monitor: rh.Monitor, groups: Array) -> Array:
    """Evidence that posteriors have moved (days,), as the monitor counts it."""
    found = []
    for _, i, low, high in monitor.learnt:
        pos, total = groups[:, i, 0], groups[:, i].sum(axis=1)
        found += [rate_above(pos, total, high), rate_above(total - pos, total, 1 - low)]
    return averaged(np.stack(found, axis=1))


def report(draws: int, cores: int) -> Iterator[str]:
    """Markdown tables of false alarms and of delays."""
    found = simulation.run(trial, (*STABLE, *CHANGED), draws, cores)
    yield f"Alarms, each at a quarter of 5 % ({draws:,} years of 365 looks; Monte Carlo error at 1.25 %:"
    yield f"{simulation.noise(0.0125, draws):.4f})"
    yield ""
    yield "| examples | labels a day | spread of days | change | better | whole past alone | relabel |"
    yield "|---:|---:|---:|---|---:|---:|---:|"
    for year in STABLE:
        cells = [
            f"{found[year, name, 'alarm'].coverage:.4f}" if (year, name, "alarm") in found else ""
            for name in ("better", "whole past", "relabel")
        ]
        yield f"| {year} | {' | '.join(cells)} |"
    yield ""
    yield "Median delay in days until another rule is called better, and the share of years in which it is"
    yield ""
    yield "| examples | labels a day | spread of days | change | begun anew | whole past alone |"
    yield "|---:|---:|---:|---|---:|---:|"
    for year in CHANGED:
        cells = []
        for name in ("better", "whole past"):
            days = found[year, name, "day"].truth - year.since
            middle = float(np.median(days))
            shown = f"{middle:.0f}" if np.isfinite(middle) else "none"
            cells.append(f"{shown} ({np.isfinite(days).mean():.2f})")
        yield f"| {year} | {' | '.join(cells)} |"
