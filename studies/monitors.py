"""How often a monitor alarms in stable years, and how soon after a change: by the claims that it tests.

Scores are normal, 1.5 apart, 11 % are positive and a miss costs 5 false alarms. A year has 365 looks at
labelled cases; each year has a policy of its own, whose rule was chosen on the policy's examples, which is
why it is never exactly the best. The prevalence of a day may vary: its log-odds are normal about those of
11 %, each day a cluster. Days are drawn as counts between the thresholds of the policy, and evidence is
added up as the monitor adds it: every look of a year is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincc, betaincinv, betaln, ndtr

import rochull as rh
from rochull.monitoring.claims import CELLS, PARTS, RateKept, cell_of
from rochull.monitoring.evidence import BETS, averaged, over_starts, parts_of_starts, rate_above
from rochull.monitoring.state import period_of
from rochull.policies.learnt import kinds_of
from rochull.policies.prevalence import RatioLadder
from studies import simulation
from studies.simulation import Array, Found

APART, PREVALENCE, COSTS, DAYS = 1.5, 0.11, (1.0, 5.0), 365
ALPHA = 0.05 / len(PARTS)
ORDER = ("better", "limits", "relabel", "misfit")
LOOKS = 30  # that are taken at the kind of scores; all later ones have 2 % of its level


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


STABLE = (
    Year(1_000, 30), Year(1_000, 100, 0.5), Year(8_000, 100, 0.5), Year(8_000, 200), Year(8_000, 30),
)  # fmt: skip
CHANGED = tuple(
    Year(8_000, 100, later=later, since=since) for since in (60, 200) for later in (0.15, 0.2, 0.3, 0.05)
)
STARTS = [i for i in range(DAYS) if i == 0 or period_of(i) != period_of(i - 1)]


def thresholds(ladder: RatioLadder) -> Array:
    """Of the ranges of a policy, descending, with both ends."""
    return np.array([np.inf, *ladder.thresholds, -np.inf])


def counted(ladder: RatioLadder, year: Year, rng: np.random.Generator) -> Array:
    """Labelled cases by day, range and class (days, k, 2): negatives, then positives."""
    prevalence = np.where(np.arange(DAYS) < year.since, PREVALENCE, year.later)
    logits = np.log(prevalence / (1 - prevalence)) + year.spread * rng.normal(size=DAYS)
    pos = rng.binomial(year.cases, 1 / (1 + np.exp(-logits)))
    above = [ndtr(shift - thresholds(ladder)) for shift in (0.0, APART)]
    both = ((year.cases - pos, above[0]), (pos, above[1]))
    return np.stack([rng.multinomial(n, np.diff(share)) for n, share in both], axis=-1)


def cells_of(monitor: rh.Monitor, ladder: RatioLadder) -> Array:
    """The cell of each range and class, by rule (others, k, 2, 8), as ones and zeros."""
    ends = {"never": 0, "always": len(ladder.pos)}
    rules = (monitor.point.rules[0][0], *monitor.others)
    steps = [ends[r.kind] if r.kind in ends else 1 + ladder.thresholds.index(r.level) for r in rules]
    deployed, *others = (np.arange(len(ladder.pos))[:, None] < step for step in steps)
    own = np.array([cell_of(deployed, other, np.arange(2)) for other in others])
    return np.eye(CELLS)[own]


def since(days: Array) -> Array:
    """What came since each start, by day (starts, days, ...); nothing before it."""
    sums = days.cumsum(axis=0)
    return np.stack([np.maximum(sums - (sums[start - 1] if start else 0), 0) for start in STARTS])


def summed(logs: Array) -> Array:
    """Evidence of all starts together (days,), by gains a day (days, ...) that each adds up from its own."""
    sums, parts = logs.cumsum(axis=0), parts_of_starts(len(STARTS))
    begun, found = np.full(logs.shape[1:], -np.inf), []
    for i, (start, end) in enumerate(zip(STARTS, [*STARTS[1:], DAYS], strict=True)):
        begun = np.logaddexp(begun, np.log(parts[i]) - (sums[start - 1] if start else 0))
        of_all = averaged((sums[start:end] + begun).reshape(end - start, -1))
        found.append(np.logaddexp(of_all, np.log(1 - parts[: i + 1].sum())))
    return np.concatenate(found)


def won(days: Array, cells: Array, values: Array, year: Year) -> Array:
    """What each bet wins a day (days, others, b), by the worth of cells (8,)."""
    worth = (cells @ values).reshape(len(cells), -1)
    held = days.reshape(DAYS, -1)
    if year.spread:  # a day is one bet on its mean
        return np.log1p(BETS * (held @ worth.T / year.cases)[..., None])
    return np.stack([held @ np.log1p(bet * worth.T) for bet in BETS], axis=-1)


def better(monitor: rh.Monitor, days: Array, cells: Array, year: Year) -> tuple[Array, Array]:
    """Evidence that another rule is better, as the monitor has it and of the whole past alone (days,)."""
    gain = monitor.claims.gain
    logs = won(days, cells, gain.less_margin / gain.scale, year)
    return summed(logs), averaged(logs.cumsum(axis=0).reshape(DAYS, -1))


def moved(monitor: rh.Monitor, days: Array) -> bool:
    """Whether posteriors are said to have moved."""
    _, ranges, low, high = (np.array(each) for each in zip(*monitor.learnt, strict=True))
    neg, pos = (since(days[:, ranges.astype(int), y]) for y in (0, 1))
    return reaches(((pos, pos + neg, high), (neg, pos + neg, 1 - low)), 2 / ALPHA)


def limit_broken(monitor: rh.Monitor, days: Array, cells: Array, year: Year) -> bool:
    """Whether a limit on the false positive rate is said to be broken that is just kept in the population."""
    flagged = cells[0, :, 0, 4:].sum(axis=-1)  # of the negatives in each range
    limit = float(ndtr(-monitor.point.rules[0][0].threshold))
    if year.spread:
        logs = won(days, cells[:1], RateKept("false positive rate", limit).values(), year)
        return bool(summed(logs).max() >= -np.log(ALPHA))
    false, negative = (since(days[:, :, 0] @ own)[..., None] for own in (flagged, np.ones(len(flagged))))
    return reaches(((false, negative, np.array([limit])),), 1 / ALPHA)


def reaches(claims: Sequence[tuple[Array, Array, Array]], needed: float) -> bool:
    """Whether the mean evidence of claims on rates (count, total, limit) ever is as much as is needed."""
    for evidence in (bound_above, rate_above):  # the second is dear, and asked where the first does not tell
        logs = averaged(np.concatenate([evidence(*claim) for claim in claims], axis=-1))
        if over_starts(logs).max() < np.log(needed):
            return False
    return True


def bound_above(count: Array, total: Array, limit: Array) -> Array:
    """At least the evidence of `rate_above`: 0 where no more than the limit were successes.

    There every likelihood ratio is at most 1. Elsewhere the share of the prior beyond the limit becomes at
    most 1.
    """
    found, t = np.zeros(count.shape), np.broadcast_to(limit, count.shape)
    at = np.nonzero(count > limit * total)
    k, n, t = count[at], total[at], t[at]
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = 10 * limit, 10 * (1 - limit)
        first = betaln(a, b) + np.log(betaincc(a, b, limit))
        ratio = betaln(k + 10 * t, n - k + 10 * (1 - t)) - first[at[-1]]
        ratio = ratio - k * np.log(t) - np.where(n > k, (n - k) * np.log1p(-t), 0)
    found[at] = np.where(t > 0, ratio, np.inf)
    return np.maximum(found, 0.0)


def foreign(monitor: rh.Monitor, days: Array) -> bool:
    """Whether a day of the first LOOKS is said to have scores of another kind."""
    kind = kinds_of(monitor.policy.hull)[0]
    steps = [*(kind.rules.index(rule) for rule in kind.cuts)]
    called = days[:LOOKS].sum(axis=2).cumsum(axis=1)
    for look, day in enumerate(called, 1):
        if kind.judged([int(day[-1]), *map(int, day[steps])]) < ALPHA * 6 / (np.pi * look) ** 2:
            return True
    return False


def trial(year: Year, rng: np.random.Generator) -> Iterator[Found]:
    """One policy and one year: whether there is an alarm of each kind, and of another rule on which day.

    With the evidence of the whole past alone too, as a monitor had it that does not begin anew.
    """
    y = rng.random(year.examples) < PREVALENCE
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(APART * y)))
    monitor = rh.Monitor(policy, rh.ExpectedCost(*COSTS, PREVALENCE))
    ladder = RatioLadder.of(policy.hull, policy.classifiers[0])
    days, cells = counted(ladder, year, rng), cells_of(monitor, ladder)
    logs = dict(zip(("better", "whole past"), better(monitor, days, cells, year), strict=True))
    for name, log in logs.items():
        over = np.flatnonzero(log >= -np.log(ALPHA))
        yield Found("day", name, float(over[0]) if over.size else np.inf)
    if year in STABLE:
        alarms = {name: bool((log >= -np.log(ALPHA)).any()) for name, log in logs.items()}
        alarms["limits"] = limit_broken(monitor, days, cells, year)
        if not year.spread:  # as it goes by cases one by one
            alarms["relabel"] = moved(monitor, days)
        alarms["misfit"] = foreign(monitor, days)
        alarms["any"] = any(alarms.get(name, False) for name in PARTS)
        for name, alarm in alarms.items():
            yield Found("alarm", name, float(alarm))


def most(alarms: Array) -> str:
    """The share of years with an alarm, and the upper end of its exact one-sided 95 % interval."""
    count, n = int(alarms.sum()), alarms.size
    upper = 1.0 if count == n else float(betaincinv(count + 1, n - count, 0.95))
    return f"{100 * count / n:.2f} ({100 * upper:.2f})"


def report(draws: int, cores: int) -> Iterator[str]:
    """Markdown tables of false alarms and of delays."""
    found = simulation.run(trial, STABLE, draws, cores)
    yield f"Alarms in stable years, in % (at most, with 95 % confidence): {draws:,} years of {DAYS} looks."
    yield f"Each part has a quarter of 5 %; scores of another kind by the first {LOOKS} looks."
    yield ""
    yield "| examples | labels a day | spread of days | change | better | limits | relabel | misfit | any |"
    yield "|---:|---:|---:|---|---:|---:|---:|---:|---:|"
    for year in STABLE:
        cells = [
            most(found[year, "alarm", name].truth) if (year, "alarm", name) in found else ""
            for name in (*ORDER, "any")
        ]
        yield f"| {year} | {' | '.join(cells)} |"
    yield ""
    found = simulation.run(trial, CHANGED, max(2, draws // 20), cores)
    yield "Median delay in days until another rule is called better, and the share of years in which it is"
    yield ""
    yield "| examples | labels a day | spread of days | change | begun anew | whole past alone |"
    yield "|---:|---:|---:|---|---:|---:|"
    for year in CHANGED:
        cells = []
        for name in ("better", "whole past"):
            days = found[year, "day", name].truth - year.since
            middle = float(np.median(days))
            shown = f"{middle:.0f}" if np.isfinite(middle) else "none"
            cells.append(f"{shown} ({np.isfinite(days).mean():.2f})")
        yield f"| {year} | {' | '.join(cells)} |"
