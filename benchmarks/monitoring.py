"""Labels until an alarm, beside MAPIE's RiskMonitoring and river's detectors, on the same streams.

Neither is a dependency: run it in an environment of its own, ``pip install mapie==1.6.0 river .``, as
``python -m benchmarks.monitoring``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, kl_div, ndtr

import rochull as rh
from rochull.monitoring.claims import CELLS, cell_of
from rochull.monitoring.evidence import averaged, over_starts, rate_above
from rochull.monitoring.state import period_of

Array = NDArray[np.float64]
ALLOWED, RATES, DRAWS, MOST, STEP = 0.15, (0.15, 0.2, 0.25, 0.4), 12, 12_000, 20
REFERENCE, TOLERANCE = 1_000, 0.05
DAYS, CASES, CHANGE = 365, 100, 60
PREVALENCE, LATER, COSTS, APART = 0.11, (0.11, 0.15, 0.2, 0.3, 0.05), (1.0, 5.0), 1.5


def starts(looks: int) -> list[int]:
    """The batches with which a monitor begins anew."""
    return [i for i in range(looks) if i == 0 or period_of(i) != period_of(i - 1)]


def since(sums: Array, start: int) -> Array:
    """What came since a batch, by batch."""
    return np.maximum(sums - (sums[start - 1] if start else 0), 0)


def least_labels(rate: float) -> float:
    """The mean number of labels that the best test of the same level needs which knows the rate (Wald)."""
    apart = kl_div(rate, ALLOWED) + kl_div(1 - rate, 1 - ALLOWED)
    return float(np.log(80) / apart) if rate > ALLOWED else np.inf


def limit_told(errors: Array, limit: float = ALLOWED) -> float:
    """After how many labels a monitor says that a limit is broken, at a quarter of 5 %."""
    counts = np.cumsum(errors.reshape(-1, STEP).sum(axis=1))
    totals = STEP * np.arange(1, len(counts) + 1.0)
    logs = [rate_above(since(counts, one), since(totals, one), limit) for one in starts(len(counts))]
    over = np.flatnonzero(over_starts(np.array(logs)) >= np.log(80))
    return float(STEP * (over[0] + 1)) if over.size else np.inf


def both_told(errors: Array, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Labels by a monitor and by MAPIE at 5 %: given the limit, and with that of 1,000 examples.

    Then it is the upper bound of the examples' error, an exact one for the monitor, and a tolerance of 0.05.
    MAPIE's bound of the whole history is computed once.
    """
    from mapie.exchangeability_testing import RiskMonitoring

    monitor = RiskMonitoring("accuracy", threshold=ALLOWED, warn=False)
    monitor.update(np.ones(len(errors), int), 1 - errors.astype(int))
    examples = 1 - (rng.random(REFERENCE) < ALLOWED - TOLERANCE).astype(int)
    learnt = RiskMonitoring("accuracy", tolerance=TOLERANCE, warn=False)
    learnt.compute_threshold(np.ones(REFERENCE, int), examples)
    found = []
    for threshold in (ALLOWED, learnt.threshold):
        over = np.flatnonzero(monitor.online_risk_lower_bound_sequence_history > threshold)
        found.append(float(over[0] + 1) if over.size else np.inf)
    upper = float(betaincinv(REFERENCE - examples.sum() + 1, examples.sum(), 0.975))
    return limit_told(errors), found[0], limit_told(errors, upper + TOLERANCE), found[1]


def limits() -> Iterator[str]:
    """A table of labels until a limit on an error rate is said to be broken."""
    rng = np.random.default_rng(0)
    yield f"| true error, {ALLOWED:g} is allowed | least | Monitor | MAPIE | from examples: Monitor | MAPIE |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for rate in RATES:
        found = np.array([both_told(e, rng) for e in rng.random((DRAWS, MOST)) < rate])
        alarms = np.isfinite(found).mean(axis=0)
        pairs = zip(np.median(found, axis=0), alarms, strict=True)
        cells = [f"{middle:,.0f} ({share:.2f})" for middle, share in pairs]
        yield f"| {rate:g} | {least_labels(rate):,.0f} | {' | '.join(cells)} |"


def least_days(monitor: rh.Monitor, prevalence: float) -> float:
    """The mean number of days that the best test of the same level needs, which knows all rates.

    Of a claim that the mean gain of a rule is at most 0, that is the largest expected logarithm of what a
    bet wins (Honda & Takemura 2010); of all rules that are compared, the soonest.
    """
    ends = {"never": np.inf, "always": -np.inf}
    levels = [ends.get(rule.kind, rule.threshold) for rule in (monitor.point.rules[0][0], *monitor.others)]
    values = monitor.claims.gain.less_margin / monitor.claims.gain.scale
    bets, days = np.linspace(0, 0.999, 1_000), np.inf
    for level in levels[1:]:
        low, high = min(level, levels[0]), max(level, levels[0])
        chances = np.zeros(CELLS)
        for y, share in ((0, 1 - prevalence), (1, prevalence)):
            above = ndtr(APART * y - np.array([high, low]))
            for flags, chance in zip(((1, 1), (low == levels[0], low == level), (0, 0)),
                                     (above[0], above[1] - above[0], 1 - above[1]), strict=True):  # fmt: skip
                chances[cell_of(*(np.array(flag, int) for flag in flags), np.array(y))] += share * chance
        most = float((np.log1p(bets[:, None] * values) @ chances).max())
        days = min(days, np.log(80) / most / CASES if most > 0 else np.inf)
    return float(days)


def decided(monitor: rh.Monitor, y: Array, scores: Array) -> float:
    """On which day another rule is called better."""
    ends = {"never": np.inf, "always": -np.inf}
    rules = [monitor.point.rules[0][0], *monitor.others]
    flags = [scores >= ends.get(rule.kind, rule.threshold) for rule in rules]
    day = np.repeat(np.arange(DAYS), CASES)
    cells = [
        np.bincount(cell_of(flags[0], own, y) + CELLS * day, minlength=CELLS * DAYS) for own in flags[1:]
    ]
    counts = np.stack([own.reshape(DAYS, CELLS) for own in cells], axis=1).cumsum(axis=0)
    logs = np.array([monitor.claims.gain.won(since(counts, one)) for one in starts(DAYS)])
    over = np.flatnonzero(averaged(over_starts(logs)) >= np.log(80))
    return float(over[0]) if over.size else np.inf


def detectors() -> dict[str, Callable[[], object]]:
    """Detectors of river, on the cost of each case."""
    from river import drift

    return {"ADWIN": drift.ADWIN, "Page-Hinkley": drift.PageHinkley}


def decisions() -> Iterator[str]:
    """A table of days until an alarm after a change of the prevalence on day 60."""
    rng, made = np.random.default_rng(1), detectors()
    yield f"| prevalence since day {CHANGE} | better by | least | Monitor | {' | '.join(made)} | MAPIE |"
    yield f"|---:|---:|---:|{'---:|' * (2 + len(made))}"
    for later in LATER:
        found = [year(later, rng, made) for _ in range(DRAWS // 2)]
        days = np.array([row[0] for row in found])
        cells = []
        for column in days.T:
            early, late = (column < CHANGE).mean(), column[column >= CHANGE] - CHANGE
            if later == PREVALENCE:
                cells.append(f"{np.isfinite(column).mean():.2f} of years")
            else:
                cells.append(f"{np.median(late) if late.size else np.nan:.0f} ({early:.2f} before)")
        better, least = (float(np.median([row[i] for row in found])) for i in (1, 2))
        yield f"| {later:g} | {better:.0%} | {least:.0f} | {' | '.join(cells)} |"


def year(
    later: float, rng: np.random.Generator, made: dict[str, Callable[[], object]]
) -> tuple[list[float], float, float]:
    """Days of the alarms, by how much of its cost the best rule would be better, and the least delay."""
    y = rng.random(8_000) < PREVALENCE
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(APART * y)))
    monitor = rh.Monitor(policy, rh.ExpectedCost(*COSTS, PREVALENCE))
    share = np.repeat(np.where(np.arange(DAYS) < CHANGE, PREVALENCE, later), CASES)
    y = rng.random(len(share)) < share
    scores = rng.normal(APART * y)
    threshold = monitor.point.rules[0][0].threshold
    cost = np.where(scores >= threshold, COSTS[0] * ~y, COSTS[1] * y)
    days = [decided(monitor, y, scores)]
    for make in made.values():
        detector, day = make(), np.inf
        for i, value in enumerate(cost.tolist()):
            detector.update(value)  # type: ignore[attr-defined]
            if detector.drift_detected:  # type: ignore[attr-defined]
                day = i // CASES
                break
        days.append(day)
    wrong = (scores >= threshold) != y
    from mapie.exchangeability_testing import RiskMonitoring

    risk = RiskMonitoring("accuracy", threshold=float(wrong[: CHANGE * CASES].mean() * 1.02), warn=False)
    risk.update(np.ones(len(wrong), int), 1 - wrong.astype(int))
    over = np.flatnonzero(risk.online_risk_lower_bound_sequence_history > risk.threshold)
    days.append(over[0] // CASES if over.size else np.inf)
    late = slice(CHANGE * CASES, None)
    each = [
        np.where(scores[late] >= t, COSTS[0] * ~y[late], COSTS[1] * y[late]).mean()
        for t in (threshold, *np.linspace(-1, 4, 101))
    ]
    return days, float(1 - min(each) / each[0]), least_days(monitor, later)


if __name__ == "__main__":
    for line in chain(limits(), [""], decisions()):
        print(line, flush=True)
