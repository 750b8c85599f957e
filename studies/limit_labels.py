"""How many labels tell that a limit is broken: the monitor, its parts, and what no test can do better.

Labels are errors or not, of which 15 % are allowed; one looks after every 10. Beside the monitor stand its
mixture of likelihood ratios alone (from the first label, at a quarter of 5 % and at all of it), the test that
knows the rate (Wald's, which needs the fewest labels on average), and the fewest of any test:

- the mean number is at least log(1 / level) over the divergence of the rate from the limit (Wald 1945);
- the median is at least the number n at which the best test of n labels, the randomised binomial one, finds
  the limit broken half of the time: to have stopped by the n-th label is a test of n labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import kl_div, xlogy
from scipy.stats import binom

from rochull.monitoring.evidence import over_starts, rate_above
from rochull.monitoring.state import period_of
from studies import simulation
from studies.simulation import Array, Found

ALLOWED, STEP, LEVEL = 0.15, 10, 0.05
WAYS = ("monitor", "mixture", "knows the rate", "mixture at 5 %")


@dataclass(frozen=True)
class Broken:
    """A rate of errors above the limit, and how many labels come at most."""

    rate: float
    labels: int

    def __str__(self) -> str:
        return f"{self.rate:g}"

    @property
    def least_mean(self) -> float:
        """The fewest labels on average, at a quarter of the level."""
        apart = kl_div(self.rate, ALLOWED) + kl_div(1 - self.rate, 1 - ALLOWED)
        return float(np.log(4 / LEVEL) / apart)

    @property
    def least_median(self) -> int:
        """The least median number of labels of any test, at a quarter of the level."""
        n = np.arange(1, self.labels + 1)
        most = binom.isf(LEVEL / 4, n, ALLOWED)  # fewer errors than this say nothing
        left = (LEVEL / 4 - binom.sf(most, n, ALLOWED)) / binom.pmf(most, n, ALLOWED)
        power = binom.sf(most, n, self.rate) + left * binom.pmf(most, n, self.rate)
        return int(n[np.argmax(power >= 0.5)])


RATES = (Broken(0.2, 6_000), Broken(0.25, 2_400), Broken(0.4, 600))


def logs(errors: Array, rate: float) -> dict[str, Array]:
    """The evidence of each way after every look."""
    count = errors.reshape(-1, STEP).sum(axis=1).cumsum()
    total = STEP * np.arange(1, len(count) + 1)
    begun = [i for i in range(len(count)) if i == 0 or period_of(i) != period_of(i - 1)]
    before = [(count[i - 1], total[i - 1]) if i else (0, 0) for i in begun]
    since = [rate_above(np.maximum(count - k, 0), np.maximum(total - n, 0), ALLOWED) for k, n in before]
    mixture = since[0]
    known = xlogy(count, rate / ALLOWED) + xlogy(total - count, (1 - rate) / (1 - ALLOWED))
    found = (over_starts(np.array(since)), mixture, known, mixture)
    return dict(zip(WAYS, found, strict=True))


def trial(broken: Broken, rng: np.random.Generator) -> Iterator[Found]:
    """One stream of labels."""
    for way, log in logs(rng.random(broken.labels) < broken.rate, broken.rate).items():
        level = LEVEL if way.endswith("5 %") else LEVEL / 4
        over = np.flatnonzero(log >= -np.log(level))
        yield Found("labels", way, float(STEP * (over[0] + 1)) if over.size else np.inf)


def report(draws: int, cores: int) -> Iterator[str]:
    """A Markdown table of median numbers of labels."""
    found = simulation.run(trial, RATES, draws, cores)
    yield f"Labels until a limit of {ALLOWED:g} is said to be broken (median of {draws:,} streams)"
    yield ""
    yield f"| true error | least mean | least median | {' | '.join(WAYS)} |"
    yield f"|---:|---:|---:|{'---:|' * len(WAYS)}"
    for broken in RATES:
        cells = " | ".join(f"{np.median(found[broken, 'labels', way].truth):,.0f}" for way in WAYS)
        yield f"| {broken} | {broken.least_mean:,.0f} | {broken.least_median:,} | {cells} |"
