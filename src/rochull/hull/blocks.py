"""PAV: blocks of consecutive scores within which the order carries no information.

One object read two ways (Fawcett & Niculescu-Mizil 2007, Theorem 1): the blocks are the edges of
the ROC convex hull, and their positive shares are the isotonic calibration of the scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rochull._core import validation
from rochull._core.docstrings import Described
from rochull._core.first_use import without_kernels
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.results import Result
from rochull.conditions.frontier import quotient
from rochull.hull.tallies import FINE, UNIT, InUnits, Tally, Units, no_counts, tally_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rochull._core.validation import Array

_FEW = 64  # points, for which nothing is done beforehand
_NARROW = 1 << 63


@dataclass(frozen=True, eq=False)
class Blocks(Result, InUnits, Described):
    """Pooled blocks of scores, from high scores to low.

    Blocks of a whole data set and of a range of the score axis are the same thing; a range may
    hold one class only.

    Attributes
    ----------
    low, high : ndarray of shape (k,)
        Extreme scores of block i, in the type of the scores. ``high[i] >= low[i] > high[i + 1]``.
    pos_units, neg_units : int64 ndarray of shape (k,)
        Weight of each class, in whole units.
    units : Units
        The size of a unit; 1 for unweighted data.

    Examples
    --------
    >>> import rochull as rh
    >>> blocks = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).blocks
    >>> blocks.posterior.tolist(), blocks.low.tolist()
    ([1.0, 0.5, 0.0], [0.9, 0.7, 0.1])
    """

    _shown = ("low", "high", "pos", "neg", "posterior", "llr")

    low: Array
    high: Array
    pos_units: Array
    neg_units: Array
    units: Units = UNIT

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
    ) -> Blocks:
        """Make the blocks of one range of the score axis, which may hold one class only.

        For a whole data set use :func:`roc_hull`, which insists on both classes.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Binary labels; {0, 1} or booleans unless `pos_label` is given.

        Returns
        -------
        Blocks
            To be put together by :func:`concatenate`.
        """
        return pool(tally_of(validation.chunk(y_true, y_score, sample_weight, pos_label), both_classes=False))

    def __len__(self) -> int:
        return len(self.low)

    def __repr__(self) -> str:
        return f"Blocks({len(self)} blocks, {self.pos.sum():g} positive, {self.neg.sum():g} negative)"

    @property
    def posterior(self) -> Array:
        """Calibrated probability of the positive class in each block (k,): pos / (pos + neg)."""
        pos, neg = np.asarray(self.pos, float), np.asarray(self.neg, float)
        return np.asarray(pos / (pos + neg))

    @property
    def llr(self) -> Array:
        """Calibrated log-likelihood-ratio (natural log) of each block (k,).

        ``log(pos / P) - log(neg / N)``; a block of one class has +inf or -inf. Needs both classes.
        Brümmer & du Preez 2013, section 5: it does not depend on the prior.
        """
        pos, neg = self.pos_units.tolist(), self.neg_units.tolist()
        n_pos, n_neg = sum(pos), sum(neg)
        if not n_pos or not n_neg:
            raise ValueError("llr needs both classes, but the blocks hold one only.")
        found = np.array([quotient(p * n_neg, q * n_pos) for p, q in zip(pos, neg, strict=True)])
        with np.errstate(divide="ignore"):
            llr = np.asarray(np.log(found))
        beyond = np.flatnonzero(np.isinf(llr) & (self.pos_units > 0) & (self.neg_units > 0))
        for i in beyond.tolist():  # the ratio is beyond float64, its logarithm is not
            llr[i] = math.log(pos[i] * n_neg) - math.log(neg[i] * n_pos)
        return llr


def pool(groups: Tally) -> Blocks:
    """PAV of ordered groups (single scores, or ranges that are known to be poolable)."""
    return pool_ranges(groups.score, groups.score, groups.pos_units, groups.neg_units, groups.units)


def pool_ranges(low: Array, high: Array, pos: Array, neg: Array, units: Units) -> Blocks:
    """PAV of ordered ranges of scores (g,): the upper hull of their cumulative weights."""
    return pool_points(low, high, cumulative(pos), cumulative(neg), units)


def cumulative(counts: Array) -> Array:
    """Sums (g + 1,) of the first counts, from none to all."""
    sums = no_counts(counts.size + 1, counts.dtype == object)
    counts.cumsum(out=sums[1:])
    return sums


def pool_points(low: Array, high: Array, y: Array, x: Array, units: Units) -> Blocks:
    """The same from the cumulative weights (g + 1,) of the positives and of the negatives."""
    vertices = upper_hull(x, y)
    x, y = x[vertices], y[vertices]
    return Blocks(
        low=low[vertices[1:] - 1],
        high=high[vertices[:-1]],
        pos_units=y[1:] - y[:-1],
        neg_units=x[1:] - x[:-1],
        units=units,
    )


def upper_hull(x: Array, y: Array) -> Array:
    """Indices of the vertices of the upper hull of points (k,), from (0, 0) to the top right.

    See the kernel, which does it for counts of up to 62 bits. This does the same for Python's integers.
    """
    if x.dtype.kind != "O" and not without_kernels(x.size):
        from rochull._core.kernels import hull as kernels

        return np.asarray(kernels.upper_hull(x, y, needs_wide(x[-1], y[-1])))
    kept = _turns(x, y)
    x, y = x[kept], y[kept]
    points, stack = list(zip(x.tolist(), y.tolist(), strict=True)), [0]
    for c, (right, up) in enumerate(points[1:], start=1):
        if up <= points[stack[-1]][1] and c < x.size - 1:
            continue
        while len(stack) > 1:
            (x0, y0), (x1, y1) = points[stack[-2]], points[stack[-1]]
            if (up - y0) * (x1 - x0) < (y1 - y0) * (right - x0):
                break
            stack.pop()
        stack.append(c)
    return kept[np.array(stack, np.int64)]


def _turns(x: Array, y: Array) -> Array:
    """Indices of points among which the vertices are: others are not above the line of their neighbours."""
    kept = np.arange(x.size)
    if x.dtype.kind == "O" or needs_wide(x[-1], y[-1]) or not (np.diff(x) + np.diff(y)).all():
        return kept
    while kept.size > _FEW:
        right, up = np.diff(x[kept]), np.diff(y[kept])
        turns = np.pad(up[:-1] * right[1:] > up[1:] * right[:-1], 1, constant_values=True)
        if turns.sum() > 0.8 * kept.size:
            break
        kept = kept[turns]
    return kept


def needs_wide(n_negative: int, n_positive: int) -> bool:
    """Whether cross products of such totals may not fit 64 bits."""
    return int(n_negative) * int(n_positive) >= _NARROW


def concatenate(parts: Sequence[Blocks]) -> Blocks:
    """Pool the blocks of consecutive ranges of the score axis.

    Parameters
    ----------
    parts : sequence of Blocks
        In any order. Ranges must not overlap, and no tie may be split over two of them: a tied
        group that was pooled in two pieces is pooled wrongly. A range may hold one class only.

    Returns
    -------
    Blocks
        The same as pooling all examples at once, exactly if they are unweighted or their weights
        are integer or dyadic. Other weights are rounded once more, to units of the whole, where that changes
        the weight of no block by more than 2**-25 of itself: two blocks that tie in the whole may stay
        apart by so much. Where parts are too light for that beside the whole, nothing is rounded.

    Raises
    ------
    ValueError
        If there are no parts, their ranges overlap or share a score, or only some have weights.

    Examples
    --------
    >>> import rochull as rh
    >>> upper = rh.hull.Blocks.from_scores([1, 1, 0], [0.9, 0.8, 0.7])
    >>> lower = rh.hull.Blocks.from_scores([1, 1], [0.3, 0.2])
    >>> rh.concatenate([lower, upper]).posterior.tolist()
    [1.0, 0.6666666666666666]
    """
    if not parts:
        raise refused("parts", "is empty: there is nothing to concatenate.")
    parts = [part for part in parts if len(part)] or parts[:1]  # an empty range adds nothing
    if len(parts) == 1:
        return parts[0]
    ordered = sorted(parts, key=lambda part: part.high[0], reverse=True)
    for above, below in pairwise(ordered):
        if not above.low[-1] > below.high[0]:
            raise refused(
                "parts",
                "overlap: one reaches down to {} and another up to {}; a tie must not be split over two "
                "ranges.",
                above.low[-1],
                below.high[0],
            )
    if len({part.units.weighted for part in ordered}) > 1:
        raise Refusal("{}: some have weights and some have none.", Parameter("parts"))
    units = _units_of_all(ordered)
    pos = [in_units(part.pos_units, part.units.pos, units.pos) for part in ordered]
    neg = [in_units(part.neg_units, part.units.neg, units.neg) for part in ordered]
    dtype = np.result_type(*(part.low for part in ordered))
    low, high = (
        np.concatenate([validation.cast(getattr(part, end), dtype) for part in ordered])
        for end in ("low", "high")
    )
    pos_units, neg_units = np.concatenate(pos), np.concatenate(neg)
    some = pos_units + neg_units > 0  # what weighs less than a unit of the whole is left out
    return pool_ranges(low[some], high[some], pos_units[some], neg_units[some], units)


def _units_of_all(parts: Sequence[Blocks]) -> Units:
    """Units in which no block of the parts changes its weight by more than a small part of itself."""
    if not parts[0].units.weighted:
        return UNIT
    if not any(part.units.is_wide for part in parts):
        units = Units.of(*(sum(float(getattr(part, c).sum()) for part in parts) for c in ("neg", "pos")))
        if all(
            _keeps(counts, old, new)
            for part in parts
            for counts, old, new in (
                (part.neg_units, part.units.neg, units.neg), (part.pos_units, part.units.pos, units.pos)
            )
        ):  # fmt: skip
            return units
    size = max(1, *(int(unit) for part in parts for unit in (part.units.neg, part.units.pos)))
    return Units(size, size, weighted=True)


def _keeps(counts: Array, old: float, new: float) -> bool:
    """Whether counts are many in another unit, too, or are not rounded."""
    found = in_units(counts, old, new)
    few = (counts > 0) & (found < FINE)
    return bool((in_units(found[few], new, old) == counts[few]).all())


def in_units(counts: Array, old: float, new: float) -> Array:
    """Counts of one unit in another; both are powers of two. An integer as new unit asks for Python's."""
    change = Fraction(new) / Fraction(old)
    if change >= 1:
        held = counts.astype(object) if isinstance(new, int) else counts
        return np.asarray(held << (change.numerator.bit_length() - 1))
    shift = min(change.denominator.bit_length() - 1, 62)  # 62 bits hold any count
    return np.asarray((counts + (1 << (shift - 1))) >> shift)
