"""Bounds on what PAV says: added examples, and the empirical bounds of Vergeer et al. 2016.

A block of one class has an infinite likelihood ratio. Added examples keep it finite, as they would
have been met had the data been more; empirical bounds cut it off where the data no longer bear it out.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import Blocks, pool_ranges

# What is added above the highest score: (positives, negatives); below the lowest it is the other way round.
ADDED = {"laplace": (1, 1), "focal": (1, 1), "misleading": (0, 1)}


def added_mass(blocks: Blocks, data: Labelled) -> tuple[int, int]:
    """Units that an added example weighs, (negative, positive): the mean weight of its class."""
    if data.weights is None:
        return mean_units(blocks, None)
    neg, pos = np.bincount(data.positive[data.weights > 0] == 1, minlength=2).tolist()
    return mean_units(blocks, (neg, pos))


def mean_units(blocks: Blocks, rows: tuple[int, int] | None) -> tuple[int, int]:
    """Mean units of a negative and of a positive, of which so many have a weight; None if unweighted."""
    if rows is None:
        return 1, 1
    totals = int(blocks.neg_units.sum()), int(blocks.pos_units.sum())
    neg, pos = (max(1, (2 * total + count) // (2 * count)) for total, count in zip(totals, rows, strict=True))
    return neg, pos


def with_added(blocks: Blocks, bound: str, mass: tuple[int, int]) -> tuple[Blocks, slice]:
    """The blocks pooled anew with the added examples, and which of them hold data.

    The score ranges remain those of the data. Added examples that are pooled with no data make a
    block of their own at the end, outside of the slice.
    """
    neg, pos = mass
    more_pos, more_neg = ADDED[bound]
    top, bottom = (more_pos * pos, more_neg * neg), (more_neg * pos, more_pos * neg)
    low, high = (_with_ends(ends, blocks.high[0], blocks.low[-1]) for ends in (blocks.low, blocks.high))
    pooled = pool_ranges(
        low,
        high,
        _with_ends(blocks.pos_units, top[0], bottom[0]),
        _with_ends(blocks.neg_units, top[1], bottom[1]),
        blocks.units,
    )
    alone = [
        (int(pooled.pos_units[i]), int(pooled.neg_units[i])) == added for i, added in ((0, top), (-1, bottom))
    ]
    return pooled, slice(int(alone[0]), len(pooled) - int(alone[1]))


def part_of(blocks: Blocks, chosen: slice) -> Blocks:
    """Some consecutive blocks."""
    columns = ("low", "high", "pos_units", "neg_units")
    return replace(blocks, **{name: getattr(blocks, name)[chosen] for name in columns})


def _with_ends(values: Array, first: object, last: object) -> Array:
    """An array with one more element at either end, of its own type."""
    return np.concatenate((np.array([first], values.dtype), values, np.array([last], values.dtype)))


def elub(blocks: Blocks, mass: tuple[int, int]) -> tuple[Fraction, Fraction]:
    """The empirical lower and upper bound of the likelihood ratio, exactly.

    Whoever accepts iff LR > t, where a false acceptance costs t times a miss, expects to lose
    ``E(t) = (miss(t) + 1) / (P + 1) + t (fa(t) + 1) / (N + 1)``, with one misleading example added to
    each class; and min(1, t) with an LR that always is 1. The bounds are how far t can go from 1, up
    and down, before the blocks' own LRs lose more than that. (After Vergeer, van Es, de Jongh, Alberink &
    Stoel 2016.)

    This is as lir 1.3.1 computes it: at every t one misleading example is added to each class, and a
    bound is where the loss first exceeds min(1, t). That is more cautious than adding one to one class a
    side, the negatives for t >= 1 and the positives for t < 1, and taking the outermost t at which the LRs
    lose less, as does the authors' MATLAB code that lir's source quotes (whose loop adds one more at
    each t, besides).
    """
    pos, neg = blocks.pos_units.tolist(), blocks.neg_units.tolist()
    upper = _reach(pos, neg, mass[1], mass[0])
    # Mirrored: who accepts the other class iff 1 / LR > 1 / t.
    lower = 1 / _reach(neg[::-1], pos[::-1], mass[0], mass[1])
    return lower, upper


def _reach(hits: list[int], slips: list[int], more_hits: int, more_slips: int) -> Fraction:
    """How far the threshold can rise from 1, the blocks being ordered from high likelihood ratios to low.

    Between two thresholds at which the set of accepted blocks changes the loss is linear, and at most 1
    as long as ``t <= hits (all slips + 1) / ((all hits + 1) (slips + 1))``, counting those accepted.
    """
    n_hits, n_slips = sum(hits), sum(slips)
    accepted = sum(hit * n_slips > slip * n_hits for hit, slip in zip(hits, slips, strict=True))
    hit, slip = sum(hits[:accepted]), sum(slips[:accepted])
    threshold = Fraction(1)
    while True:
        limit = Fraction(hit * (n_slips + more_slips), (n_hits + more_hits) * (slip + more_slips))
        if limit <= threshold:
            return threshold
        accepted -= 1  # there is one: of none the limit is 0
        p, q = hits[accepted], slips[accepted]
        if not q or limit * q * n_hits < p * n_slips:
            return limit
        threshold = Fraction(p * n_slips, q * n_hits)
        hit, slip = hit - p, slip - q
