"""How a knob finds its way: positions along a hull, and what outcomes say beyond the hull's promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.conditions.frontier import Choice
from rochull.hull.hull import RocHull

_FAR = 30.0  # log-odds beyond which nothing is told apart
_CLEAR = 3.0  # standard deviations: an error that is not due to chance
_LEAST_GAIN = 2.0**-10
_LONGEST_STEP = 1.0  # in log-odds: one odd batch, such as of a day without data, may not throw the knob open
_ROUNDING = 1e-12  # of log-odds
_HALF_A_GRAIN = 1e-4  # the false positive rate below which a hull of rates or weights promises nothing


def log_odds(probability: float) -> float:
    """The log-odds of a probability, infinite for 0 and 1."""
    if 0 < probability < 1:
        return math.log(probability / (1 - probability))
    return math.copysign(math.inf, probability - 0.5)


def from_log_odds(value: float) -> float:
    """The probability with the given log-odds."""
    return 1 / (1 + math.exp(-value)) if value >= 0 else math.exp(value) / (1 + math.exp(value))


@dataclass(frozen=True, eq=False)
class Track:
    """A hull as a knob runs along it, at a prevalence.

    Attributes
    ----------
    hull : RocHull
    prevalence : strictly between 0 and 1.
    """

    hull: RocHull
    prevalence: float

    @cached_property
    def positions(self) -> Array:
        """(fpr + tpr) / 2 of each vertex (k,), correctly rounded."""
        frontier = self.hull.frontier
        return np.array([float(sum(frontier.point(i)) / 2) for i in range(len(self.hull))])

    @cached_property
    def _alarms(self) -> Array:
        """The share of cases called positive at each vertex (k,): strictly ascending from 0 to 1."""
        return (1 - self.prevalence) * self.hull.fpr + self.prevalence * self.hull.tpr

    @cached_property
    def _falling(self) -> tuple[Array, Array, Array]:
        """Positions, fpr and tpr (j,) from where the hull has half a false positive, to its end.

        Before that the hull promises a precision that no data can (having seen no false positive promises
        nothing), and from there on precision falls.
        """
        hull, units = self.hull, self.hull.units
        half = _HALF_A_GRAIN if units.weighted else 0.5 * units.neg / hull.n_neg
        i = int(np.searchsorted(hull.fpr, half, side="right"))  # the first vertex beyond
        share = (half - hull.fpr[i - 1]) / (hull.fpr[i] - hull.fpr[i - 1])
        position, tpr = (
            values[i - 1] + share * (values[i] - values[i - 1]) for values in (self.positions, hull.tpr)
        )
        return (
            np.append(position, self.positions[i:]),
            np.append(half, hull.fpr[i:]),
            np.append(tpr, hull.tpr[i:]),
        )

    @cached_property
    def _odds(self) -> Array:
        """Log-odds of precision (j,) along these: not rising."""
        _, fpr, tpr = self._falling
        return np.asarray(np.log(self.prevalence * tpr) - np.log((1 - self.prevalence) * fpr))

    @cached_property
    def _vertices(self) -> dict[tuple[float, float], int]:
        """The vertices by their rates, correctly rounded as those of operating points are."""
        return {Choice(i).rates(self.hull.frontier): i for i in range(len(self.hull))}

    def position_of(self, fpr: float, tpr: float) -> float:
        """(fpr + tpr) / 2; of a vertex, exactly its position."""
        vertex = self._vertices.get((fpr, tpr))
        return (fpr + tpr) / 2 if vertex is None else float(self.positions[vertex])

    def choice(self, position: float) -> Choice:
        """The vertex at a position, or the mixture of its neighbours."""
        i = min(int(np.searchsorted(self.positions, position, side="right")) - 1, len(self.positions) - 1)
        start = Fraction(float(self.positions[i]))
        if position <= start:
            return Choice(max(i, 0))
        return Choice(i, (Fraction(position) - start) / (Fraction(float(self.positions[i + 1])) - start))

    def nearest(self, position: float) -> Choice:
        """The vertex nearest to a position; of two, the lower."""
        return Choice(int(np.argmin(np.abs(self.positions - position))))

    def alarm_rate(self, position: float) -> float:
        """The share of cases that the hull promises to call positive."""
        return float(np.interp(position, self.positions, self._alarms))

    def at_alarm_rate(self, rate: float) -> float:
        """The position of which the hull promises this share."""
        return float(np.interp(rate, self._alarms, self.positions))

    def precision_odds(self, position: float) -> float:
        """Log-odds of the precision that the hull promises; up to their peak they count as equal to it."""
        positions, false, true = self._falling
        fpr, tpr = float(np.interp(position, positions, false)), float(np.interp(position, positions, true))
        return math.log(self.prevalence * tpr) - math.log((1 - self.prevalence) * fpr)

    def at_precision_odds(self, odds: float) -> float | None:
        """The last position of which the hull promises at least this precision, None if there is none."""
        positions, fpr, tpr = self._falling
        meets = np.flatnonzero(self._odds >= odds - _ROUNDING)
        if not meets.size:
            return None
        i = int(meets[-1])
        if i == len(positions) - 1:
            return 1.0
        ratio = math.exp(odds) * (1 - self.prevalence) / self.prevalence  # wanted of tpr / fpr
        surplus, after = tpr[i : i + 2] - ratio * fpr[i : i + 2]
        share = min(1.0, max(0.0, surplus / (surplus - after)))
        return float(positions[i] + share * (positions[i + 1] - positions[i]))

    @property
    def highest_precision_odds(self) -> float:
        """Log-odds of the highest precision that the hull promises anywhere."""
        return float(self._odds.max())


@dataclass(frozen=True)
class Offset:
    """A shift of the log-odds that a hull promises, as learnt from outcomes.

    A change of prevalence adds the same to the log-odds of precision at every position; a hull that is wrong
    for other reasons is corrected where the knob stands.

    Attributes
    ----------
    mean : what is added.
    information : of the mean, in outcomes at even odds times 4: its variance is one over this.
    gain : from 0 to 1: how much of the step towards what fits best is taken. Smaller where the stream
        answers a turn of the knob more than the hull says, so that the steps overshoot.
    side : the sign of the last error that was no accident.
    """

    mean: float = 0.0
    information: float = 10.0
    gain: float = 1.0
    side: Literal[-1, 0, 1] = 0

    def after(self, trials: int, hits: int, promised: float, memory: float, rare: bool) -> Offset:
        """Learn from `hits` of `trials`, where the hull promised these log-odds of a hit.

        What was known counts less by ``exp(-trials / memory)``, so that the mean follows a drift; if hits
        are rare it is they that are counted, as they were expected: as ``trials chance (1 - chance)``. The
        mean moves to the mode of a normal prior and a binomial likelihood.
        """
        if not trials or not math.isfinite(promised):
            return self
        chance = from_log_odds(promised + self.mean)
        spread = trials * chance * (1 - chance)
        known = max(1.0, self.information * math.exp(-(spread if rare else trials) / memory))
        error = hits - trials * chance
        side, gain = self.side, min(1.0, 1.05 * self.gain)
        if abs(error) > _CLEAR * math.sqrt(spread) + 0.5:
            now: Literal[-1, 1] = 1 if error > 0 else -1
            gain = max(_LEAST_GAIN, self.gain / 2) if now == -side else min(1.0, 1.5 * self.gain)
            side = now
        step = gain * (self._mode(trials, hits, promised, known) - self.mean)
        step = min(_LONGEST_STEP, max(-_LONGEST_STEP, step))
        mean = min(_FAR, max(-_FAR, self.mean + step))
        chance = from_log_odds(promised + mean)
        return Offset(mean, known + trials * chance * (1 - chance), gain, side)

    def _mode(self, trials: int, hits: int, promised: float, known: float) -> float:
        """Where ``hits - trials chance(b) - known (b - mean)``, which falls with b, is zero."""
        low, high = self.mean - trials / known, self.mean + trials / known
        b = self.mean
        for _ in range(100):
            chance = from_log_odds(promised + b)
            slope = hits - trials * chance - known * (b - self.mean)
            if slope > 0:
                low = b
            else:
                high = b
            newton = b + slope / (trials * chance * (1 - chance) + known)
            following = newton if low < newton < high else (low + high) / 2
            if abs(following - b) <= 1e-12 * max(1.0, abs(b)):
                break
            b = following
        return b

    def corrected(self, promised: float) -> float:
        """The log-odds that are to be expected where the hull promises these."""
        return promised + self.mean

    def asked(self, wanted: float) -> float:
        """The log-odds to ask the hull for, in order to get these."""
        return min(_FAR, max(-_FAR, wanted - self.mean))
