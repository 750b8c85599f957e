"""Labels until an alarm, beside MAPIE's RiskMonitoring and river's detectors, on the same streams.

Neither is a dependency: run it in an environment of its own, ``pip install mapie==1.6.0 river .``, as
``python -m benchmarks.monitoring``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

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


def limit_told(errors: Array) -> float:
    """After how many labels a monitor says that a limit is broken, at a quarter of 5 %."""
    counts = np.cumsum(errors.reshape(-1, STEP).sum(axis=1))
    totals = STEP * np.arange(1, len(counts) + 1.0)
    logs = [rate_above(since(counts, one), since(totals, one), ALLOWED) for one in starts(len(counts))]
    over = np.flatnonzero(over_starts(np.array(logs)) >= np.log(80))
    return float(STEP * (over[0] + 1)) if over.size else np.inf


def mapie_told(errors: Array, rng: np.random.Generator) -> tuple[float, float]:
    """The same by MAPIE at 5 %: given the threshold, and with that of 1,000 examples and a tolerance of 0.05.

    Its bound of the whole history is computed once.
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
    return found[0], found[1]


def limits() -> Iterator[str]:
    """A table of labels until a limit on an error rate is said to be broken."""
    rng = np.random.default_rng(0)
    yield f"| true error ({ALLOWED:g} is allowed) | Monitor | MAPIE, threshold given | MAPIE, from examples |"
    yield "|---:|---:|---:|---:|"
    for rate in RATES:
        found = np.array([(limit_told(e), *mapie_told(e, rng)) for e in rng.random((DRAWS, MOST)) < rate])
        alarms = np.isfinite(found).mean(axis=0)
        pairs = zip(np.median(found, axis=0), alarms, strict=True)
        cells = [f"{middle:,.0f} ({share:.2f})" for middle, share in pairs]
        yield f"| {rate:g} | {' | '.join(cells)} |"


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
    yield f"| prevalence from day {CHANGE} | better by | rh.Monitor | {' | '.join(made)} | MAPIE, risk |"
    yield f"|---:|---:|{'---:|' * (2 + len(made))}"
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
        yield f"| {later:g} | {np.mean([row[1] for row in found]):.0%} | {' | '.join(cells)} |"


def year(
    later: float, rng: np.random.Generator, made: dict[str, Callable[[], object]]
) -> tuple[list[float], float]:
    """Days of the alarms, and by how much of its cost the best rule would be better after the change."""
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
    return days, float(1 - min(each) / each[0])


if __name__ == "__main__":
    for line in chain(limits(), [""], decisions()):
        print(line, flush=True)
