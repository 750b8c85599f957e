"""The values that a calibration map gives, in four readings, and how a strict map moves them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.validation import Array
from rochull.conditions import bayes
from rochull.hull.blocks import Blocks

# How far a strict map may move a value, as a fraction of the way to the next level's: tried in turn.
_SPREADS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 0.5)
_LEAST, _LEAST_REST = float(np.finfo(float).tiny), 2.0**-53  # of a probability, and of what it lacks of 1
_MOST_FOR_POSTERIORS = 1e-3  # no LLR moves by more than about twice that


@dataclass(frozen=True, eq=False)
class Levels:
    """Values that a map gives, each in four readings; an array each, of shape (k,), ascending.

    Attributes
    ----------
    share, rest : LR / (1 + LR) and 1 / (1 + LR), the posterior at prevalence 1/2 and its complement:
        each with its own small numbers, so that neither end of the scale is rounded away.
    llr : log LR.
    posterior : at the training prevalence.
    """

    share: Array
    rest: Array
    llr: Array
    posterior: Array

    @classmethod
    def of_blocks(cls, blocks: Blocks, chosen: slice, base: Blocks | None = None) -> Levels:
        """The levels of the chosen blocks. Each number is one exact ratio, rounded once.

        Likelihood ratios are relative to the proportions of all blocks, or of those of `base`.
        """
        pos, neg = blocks.pos_units.tolist(), blocks.neg_units.tolist()
        base = blocks if base is None else base
        n_pos, n_neg = int(base.pos_units.sum()), int(base.neg_units.sum())
        ratios = [(p * n_neg, q * n_pos) for p, q in zip(pos, neg, strict=True)]
        share = np.array([p / (p + q) for p, q in ratios])
        rest = np.array([q / (p + q) for p, q in ratios])
        with np.errstate(divide="ignore"):
            llr = np.log(np.array([p / q if q else np.inf for p, q in ratios]))
        columns = (share, rest, llr, blocks.posterior)
        share, rest, llr, posterior = (column[chosen][::-1] for column in columns)
        # Of weighted data the posteriors of two blocks are rounded more than once, perhaps past each other.
        return cls(share, rest, llr, np.maximum.accumulate(posterior))

    @classmethod
    def of(cls, share: Array, rest: Array, odds: float) -> Levels:
        """The levels with these shares, at the given training odds."""
        with np.errstate(divide="ignore"):
            return cls(share, rest, np.log(share / rest), at_odds(share, rest, odds))

    @classmethod
    def of_ratio(cls, ratio: Fraction, odds: Fraction) -> Levels:
        """One level, of an exact likelihood ratio."""
        readings = (ratio / (1 + ratio), 1 / (1 + ratio), ratio * odds / (1 + ratio * odds))
        share, rest, posterior = (np.array([float(reading)]) for reading in readings)
        return cls(share, rest, np.array([bayes.log_of(ratio)]), posterior)

    def clipped(self, lower: Fraction, upper: Fraction, odds: Fraction) -> Levels:
        """The levels with their likelihood ratios clipped to an interval; those inside stay the same."""
        return self._map(_clip, *(Levels.of_ratio(ratio, odds) for ratio in (lower, upper)))

    def and_between(self, i: int, j: int, passed: float, odds: float, lines: Levels) -> Levels:
        """One level more, at the end: so far along the line from level i to level j, as `lines` has them.

        It lies between level i and level j.
        """
        share = lines.share[i] + (lines.share[j] - lines.share[i]) * passed
        rest = lines.rest[i] - (lines.rest[i] - lines.rest[j]) * passed
        new = Levels.of(np.array([share]), np.array([rest]), odds)
        return self._map(lambda old, more: np.append(old, _clip(more, old[i], old[j])), new)

    def _map(self, function: Callable[..., Array], *others: Levels) -> Levels:
        """Levels made of a function of every reading."""
        names = ("share", "rest", "llr", "posterior")
        return Levels(*(function(*(getattr(levels, name) for levels in (self, *others))) for name in names))


def _clip(values: Array, one: Array, other: Array) -> Array:
    """Values clipped to the interval between two, in whichever order they are."""
    return np.clip(values, np.minimum(one, other), np.maximum(one, other))


def posterior_of_ratio(llr: Array, prevalence: float) -> Array:
    """Posteriors (n,) of log-likelihood-ratios; finite ones are not certainty, however they are rounded.

    One wrong case would cost infinitely much.
    """
    found = bayes.posterior_from_llr(llr, prevalence)
    return np.where(np.isfinite(llr), np.clip(found, _LEAST, 1 - _LEAST_REST), found)


def at_odds(share: Array, rest: Array, odds: float) -> Array:
    """Posteriors at the prior odds (k,): the operations of the kernel `probability_of`, monotone too."""
    with np.errstate(divide="ignore", over="ignore", under="ignore"):
        return np.asarray(1.0 / (1.0 + rest / (share * odds)))


def spread_levels(
    levels: Levels,
    level: Array,
    odds: float,
    *,
    clipped: bool,
    plain: float | None = None,
    spread: Array | None = None,
) -> tuple[Levels, Array]:
    """Levels for scores (n,) in ascending order, all different; `level` (n,) is where each comes from.

    The r-th of the m scores at a level is moved down by ``1 - r / (m + 1)`` times `spread` (k,) times the way
    to the level below, or to 0. So no score passes the value of its level, and a decision at that very value
    is made as without the spread. Where there is no way down, the lowest level is moved up instead: at 0, or
    where it is a bound (`clipped`). The spread is raised where float64 cannot tell
    the LLRs of two scores apart; and, but no further than `_MOST_FOR_POSTERIORS`, where it cannot tell
    their posteriors apart, at prevalence 1/2 or at the odds `plain` of the examples, each counted once.
    (Not at the training odds: the LLRs do not depend on weights that are constant in each class.) At the
    end are the upper ends of the spreads (k,), and the lowest end.
    """
    k = levels.share.size
    if spread is not None and spread.size != k:
        raise refused("spread", "has {} numbers, but the blocks have {} values.", spread.size, k)
    if clipped and k == 1:
        raise refused("strict", "has no room: the bounds leave one LLR only, which is 0.")
    rises = clipped or not levels.share[0]
    which, moves = _moves(level, k, rises)
    room, attempt = _room(levels, rises), np.zeros(k, np.int64)
    while True:
        used = np.array(_SPREADS)[attempt] if spread is None else spread
        values = _moved(levels, which, moves, used * room, odds, clipped=clipped)
        readings = values.llr, *(at_odds(values.share, values.rest, at) for at in (1.0, plain or odds))
        llr_ties, *posterior_ties = (_ties(reading[: level.size], level) for reading in readings)
        stuck = attempt[llr_ties].min(axis=0) == len(_SPREADS) - 1
        if stuck.any() or (spread is not None and llr_ties.size):
            raise Refusal(
                "{}: float64 has too few values between two blocks for all scores there.", Parameter("strict")
            )
        raised = _raised(attempt, llr_ties, len(_SPREADS) - 1)
        for ties in posterior_ties:
            raised = np.maximum(raised, _raised(attempt, ties, _SPREADS.index(_MOST_FOR_POSTERIORS)))
        if spread is not None or np.array_equal(raised, attempt):
            return _in_order(values, which), used
        attempt = raised


def _room(levels: Levels, rises: bool) -> Array:
    """How far it is from each level (k,) down to the next one, or to 0; up from the lowest one if it rises.

    It moves at most as far as from the level to 0 and to 1, unless it is there: so no LLR moves by much.
    """
    share, rest = levels.share, levels.rest
    steps = np.where(share[:-1] < 0.5, np.diff(share), -np.diff(rest))
    way = np.append((steps[0] if steps.size else rest[0]) if rises else share[0], steps)
    for end in (share, rest):
        way = np.where(end > 0, np.minimum(way, end), way)
    return np.asarray(way)


def _moves(level: Array, k: int, rises: bool) -> tuple[Array, Array]:
    """Which level each value comes from, and where it is moved to, from -1 to 0; the lowest from 0 to 1."""
    size = np.bincount(level)
    rank = np.arange(1, level.size + 1) - (np.cumsum(size) - size)[level]
    along = rank / (size[level] + 1) - 1
    ends = np.append(np.zeros(k), -1.0)
    if rises:
        along[level == 0] += 1
        ends[[0, k]] = 1.0, 0.0
    return np.concatenate((level, np.arange(k), [0])), np.append(along, ends)


def _moved(levels: Levels, which: Array, moves: Array, reach: Array, odds: float, *, clipped: bool) -> Levels:
    """The values, moved by so much of the reach (k,) of their levels."""
    shift = moves * reach[which]
    values = Levels.of(levels.share[which] + shift, levels.rest[which] - shift, odds)
    # What is not moved, the end of a spread, keeps every reading.
    values = values._map(lambda found, level: np.where(moves == 0, level[which], found), levels)
    if clipped:
        values = values._map(lambda found, level: _clip(found, level[0], level[-1]), levels)
    return values


def _ties(values: Array, level: Array) -> Array:
    """The levels (2, t) of neighbours that are not told apart."""
    tied = np.flatnonzero(np.diff(values) <= 0)
    return np.stack((level[tied], level[tied + 1]))


def _raised(attempt: Array, ties: Array, last: int) -> Array:
    """The attempts (k,), one higher at the levels that tie, but not raised above the last one."""
    raised, short = attempt.copy(), np.unique(ties)
    raised[short] = np.maximum(attempt[short], np.minimum(attempt[short] + 1, last))
    return raised


def _in_order(values: Levels, which: Array) -> Levels:
    """The values with training posteriors that do not fall, whatever was rounded."""
    order = np.argsort(np.append(which[:-1], -1), kind="stable")  # each level's upper end comes last
    posterior = values.posterior.copy()
    posterior[order] = np.maximum.accumulate(posterior[order])
    return replace(values, posterior=posterior)
