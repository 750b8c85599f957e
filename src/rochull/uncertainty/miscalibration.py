"""How sure the parts of a score are: a test of calibration by simulation, and intervals of all parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import Interval, TestResult
from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.hull.blocks import pool
from rochull.hull.tallies import Tally, tally_of
from rochull.scoring.measures import decompose
from rochull.scoring.scoring_rules import Brier, ScoringRule
from rochull.uncertainty.parameters import PARAMETERS
from rochull.uncertainty.rates import rate_interval

_PARTS = ("score", "miscalibration", "discrimination", "uncertainty")


@described(PARAMETERS)
def calibration_test(
    y_true: ArrayLike,
    probability: ArrayLike,
    rule: ScoringRule | None = None,
    *,
    n_simulations: int = 2000,
    random_state: Any = None,
    pos_label: object = None,
) -> TestResult:
    """Test whether probabilities are calibrated, by outcomes that are drawn from them.

    Parameters
    ----------
    probability : array-like of shape (n,)
        Forecasts, in [0, 1].
    rule : ScoringRule, optional
        By which miscalibration is measured; :class:`Brier` if not given.
    n_simulations : int, default=2000
        How often outcomes are drawn. The least p-value is ``1 / (n_simulations + 1)``.

    Returns
    -------
    TestResult
        `statistic` is the miscalibration of :func:`decompose`; `estimate` what it exceeds the mean of
        simulated ones by; `pvalue` is ``(b + 1) / (n_simulations + 1)`` if b of them are at least as large.

    Notes
    -----
    Given the probabilities, calibrated outcomes are independent draws from them, so the p-value is valid for
    any number of cases, without any assumption on the calibration curve; it sees what PAV sees, deviations
    that a rising map mends.

    References
    ----------
    Dimitriadis, Gneiting & Jordan 2021, Stable reliability diagrams for probabilistic classifiers:
    miscalibration. Czado, Gneiting & Held 2009, Predictive model assessment for count data: simulated
    outcomes.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> y = rng.random(500) < p
    >>> rh.uncertainty.calibration_test(y, p, random_state=0).pvalue > 0.05
    True
    >>> bool(rh.uncertainty.calibration_test(y, p**2, random_state=0).pvalue < 0.001)
    True
    """
    parts = _ScoreParts(y_true, probability, rule, pos_label)
    found = parts.estimate[1]
    pvalue, mean = parts.calibrated(n_simulations, "n_simulations", validation.entropy(random_state))
    return TestResult(found, pvalue, found - mean, "miscalibration, simulated")


@dataclass(frozen=True)
class DecompositionInterval(Interval):
    """Intervals of the parts of a mean score, which are also attributes of its own.

    Attributes
    ----------
    part : tuple of str
        The names of the parts, in the order of `low`, `high` and `estimate` (4,).
    score, miscalibration, discrimination, uncertainty : Interval
        As in :func:`decompose`; estimates are those of the sample.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> found = rh.uncertainty.decomposition_interval(
    ...     table["class"] == "bad", table["logistic"], random_state=0, n_resamples=200
    ... )
    >>> print(found.uncertainty)
    0.21 (0.1982 to 0.2208; 95 % basic bootstrap)
    """

    _shown = ("part", "estimate", "low", "high")
    part = _PARTS

    def _rows(self) -> tuple[str, ...]:
        return self.part

    def _of(self, name: str) -> Interval:
        at = self.part.index(name)
        low, high, estimate = (float(each[at]) for each in (self.low, self.high, self.estimate))  # type: ignore[index]
        return Interval(low, high, estimate, self.level, self.method)

    @property
    def score(self) -> Interval:
        """The mean loss of the forecasts."""
        return self._of("score")

    @property
    def miscalibration(self) -> Interval:
        """The part that recalibration would save."""
        return self._of("miscalibration")

    @property
    def discrimination(self) -> Interval:
        """The part that recalibrated forecasts save against a constant one."""
        return self._of("discrimination")

    @property
    def uncertainty(self) -> Interval:
        """The loss of the constant forecast."""
        return self._of("uncertainty")


@described(PARAMETERS)
def decomposition_interval(
    y_true: ArrayLike,
    probability: ArrayLike,
    rule: ScoringRule | None = None,
    *,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: Any = None,
    pos_label: object = None,
) -> DecompositionInterval:
    """Bound the parts of the mean score of probabilities, as :func:`decompose` makes them.

    Parameters
    ----------
    probability : array-like of shape (n,)
        Forecasts, in [0, 1].
    rule : ScoringRule, optional
        :class:`Brier` if not given. The score must be finite.
    n_resamples : int, default=2000
        How often cases are drawn.

    Returns
    -------
    DecompositionInterval
        Of the population's parts.

    Notes
    -----
    PAV fits the cases that it judges, so that miscalibration and discrimination are too large in a sample,
    and in a sample of it by about as much again. So the ends are reflected at the estimate (the basic
    bootstrap), which takes that off: an estimate may lie above its own interval. The lower end of
    miscalibration is 0 unless :func:`calibration_test` rejects at half of 1 - `level`. Uncertainty is a
    function of the proportion of positives alone, whose Wilson interval is read. How often they cover is on
    the page of uncertainty.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> found = rh.uncertainty.decomposition_interval(rng.random(500) < p, p, random_state=0).miscalibration
    >>> found.low, round(found.high, 3), round(found.estimate, 3)
    (0.0, 0.009, 0.009)
    """
    tail = (1 - validation.probability(level, "level", open_ends=True)) / 2
    parts = _ScoreParts(y_true, probability, rule, pos_label)
    estimate = parts.estimate
    if not np.isfinite(estimate).all():
        raise ValueError("probability has an infinite score: no forecast of what happened may be 0.")
    seed = validation.entropy(random_state)
    values = parts.replicates(parts.resampled, n_resamples, "n_resamples", seed)
    low, high = 2 * estimate - np.quantile(values, [1 - tail, tail], axis=0)
    if parts.calibrated(n_resamples, "n_resamples", seed)[0] > tail:
        low[1] = 0.0
    low[3], high[3] = parts.uncertain(level)
    return DecompositionInterval(
        np.maximum(low, 0.0), np.maximum(high, 0.0), estimate, float(level), "basic bootstrap"
    )


class _ScoreParts:
    """Groups of equal forecasts, and the parts of a score for other counts in them."""

    def __init__(
        self, y_true: ArrayLike, probability: ArrayLike, rule: ScoringRule | None, pos_label: object
    ) -> None:
        self.rule = Brier() if rule is None else rule
        found = decompose(y_true, probability, self.rule, pos_label=pos_label)
        self.estimate = np.array([getattr(found, name) for name in _PARTS])
        self.groups = tally_of(validation.forecasts(y_true, probability, None, pos_label))
        self.pos, self.neg = self.groups.pos_units, self.groups.neg_units
        self.losses = self.rule.losses(np.asarray(self.groups.score, float))

    def of(self, pos: Array, neg: Array) -> Array:
        """Score, miscalibration, discrimination and uncertainty (4,) of counts (g,)."""
        score, some = _mean(pos, neg, self.losses), pos + neg > 0
        blocks = pool(Tally(self.groups.score[some], pos[some], neg[some]))
        least = _mean(blocks.pos_units, blocks.neg_units, self.rule.losses(blocks.posterior))
        p, n = pos.sum(keepdims=True), neg.sum(keepdims=True)
        constant = _mean(p, n, self.rule.losses(p / (p + n)))
        return np.array([score, max(0.0, score - least), max(0.0, constant - least), constant])

    def resampled(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Counts of as many cases, drawn from them."""
        counts = np.concatenate([self.pos, self.neg])
        pos, neg = np.split(rng.multinomial(counts.sum(), counts / counts.sum()), 2)
        return pos, neg

    def simulated(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Counts of the same forecasts, with outcomes that are drawn from them."""
        size = self.pos + self.neg
        pos = rng.binomial(size, np.asarray(self.groups.score, float))
        return pos, size - pos

    def calibrated(self, count: int, name: str, seed: Any) -> tuple[float, float]:
        """The p-value of calibration, and the mean miscalibration of what is calibrated."""
        found, values = self.estimate[1], self.replicates(self.simulated, count, name, seed)[:, 1]
        slack = 1e-12 * max(1.0, abs(found)) if np.isfinite(found) else 0.0
        return (int(np.count_nonzero(values >= found - slack)) + 1) / (count + 1), float(values.mean())

    def uncertain(self, level: float) -> tuple[float, float]:
        """The loss of constant forecasts over the interval of the proportion of positives."""
        n_pos = int(self.pos.sum())
        ends = rate_interval(n_pos, n_pos + int(self.neg.sum()), "wilson", level=level)
        at = [float(self.rule.uncertainty(share)) for share in np.linspace(ends.low, ends.high, 33).tolist()]
        return min(at), max(at)

    def replicates(
        self,
        drawn: Callable[[np.random.Generator], tuple[Array, Array]],
        count: int,
        name: str,
        seed: Any,
    ) -> Array:
        """The parts (count, 4) of counts that are drawn so often."""
        seeds = np.random.SeedSequence(seed).spawn(validation.whole(count, name, 1))
        found = np.empty((count, 4))

        def work(i: int) -> None:
            found[i] = self.of(*drawn(np.random.default_rng(seeds[i])))

        share_out(work, range(count))
        return found


def _mean(pos: Array, neg: Array, losses: tuple[Array, Array]) -> float:
    """The mean loss of counts; what nobody has costs nothing, even where it would cost infinitely much."""
    if_pos, if_neg = (np.where(n > 0, loss, 0.0) for n, loss in zip((pos, neg), losses, strict=True))
    return float((pos @ if_pos + neg @ if_neg) / (pos.sum() + neg.sum()))
