"""Ordered groups of equal score: the only tie rule of the project.

Scores that compare equal are one group, and nothing else is.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, described, entries
from rochull._core.first_use import without_kernels
from rochull._core.messages import Parameter, Refusal
from rochull._core.results import Result
from rochull._core.sorting import ascending
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.conditions.ranges import Proportion

_BATCH = 16
FEW = 1 << 14  # rows
_OFF_BORDER = 1 + 2**-20
_RATE_GRIDS = (10**18, 1 << 60)  # of documents that do not say whether they hold rates
_MAX_UNITS_LOG2 = 58  # a class weighs at most 2**58 units, so that sums and doubles fit 62 bits
_LEAST_TOTAL, _MOST_TOTAL = 1e-150, 1e150  # so that odds, sums and numbers of units stay inside float64
# A weight may be rounded to units of 2**-58 of its class if it is at least so many of them, and so within
# 2**-25 of itself. Beside very many rows the lightest of ordinary weights are fewer: there it is enough that
# the lightest of a class is not lighter than this share of its heaviest.
FINE = 2.0**24
_MANY_ROWS, _ORDINARY = 1 << 18, 2.0**-32
_MANTISSA = 53
MOST_BITS = 2048  # more than sums of any weights take
LIMB = 32  # bits of a weight that are added up at a time: sums of 2**30 rows fit 62 bits

# What the parameters of functions of examples mean; what is not so raises a ValueError that names it.
PARAMETERS = EXAMPLES | entries("""
y_true : array-like of shape (n,)
    Binary labels of both classes; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
y_score : array-like of shape (n,) or (n, 1)
    Higher means more positive. Infinite scores are legal, NaN is not; 0.0 and -0.0 tie.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out.
""")


@dataclass(frozen=True, eq=False)
class Spread:
    """Total, least and greatest of the positive weights of classes, in arrays of one shape.

    Attributes
    ----------
    total, least, most : float64; of a class without weight 0, inf and 0.
    whole : bool, whether all are whole numbers.
    """

    total: Array
    least: Array
    most: Array
    whole: Array

    @classmethod
    def by_code(cls, codes: Array, found: Spread, size: int) -> Self:
        """Add up all that has the same code: (size,) from (n,)."""
        total = np.bincount(codes, found.total, size)
        least, most, whole = np.full(size, np.inf), np.zeros(size), np.ones(size, bool)
        np.minimum.at(least, codes, found.least)
        np.maximum.at(most, codes, found.most)
        np.logical_and.at(whole, codes, found.whole)
        return cls(total, least, most, whole)

    @classmethod
    def of_weights(cls, weights: Array) -> Self:
        """Make exact sums of single weights (n,)."""
        return cls(weights, np.where(weights > 0, weights, np.inf), weights, weights == np.floor(weights))

    def reshape(self, *shape: int) -> Spread:
        """The same in another shape."""
        return Spread(*(a.reshape(*shape) for a in (self.total, self.least, self.most, self.whole)))

    def __getitem__(self, i: int | Array) -> Spread:
        return Spread(self.total[i], self.least[i], self.most[i], self.whole[i])

    def fits(self, sizes: Array, rows: ArrayLike) -> Array:
        """Whether no weight of so many rows changes much when it is rounded to units: `sizes` in a 1."""
        fine = (self.least * sizes >= FINE) | (self.whole & (sizes >= 1))
        many = np.asarray(rows) >= _MANY_ROWS
        return np.asarray(
            fine | (many & (self.least >= self.most * _ORDINARY) & (self.least * sizes >= 1)), bool
        )


@dataclass(frozen=True)
class OneClass:
    """One of two classes, as a part of a message."""

    label: str

    def __str__(self) -> str:
        return f"the {self.label} class"


@dataclass(frozen=True)
class Units:
    """How many units one unit of weight is, per class: powers of two, 1 for unweighted data.

    Integer and dyadic weights are whole numbers of units. Of others each is rounded to a whole unit, about
    2**-58 of its class total, where that changes no weight by more than a small part of itself. Where it
    would, because the lightest weights are so light beside the total, units are so small that no weight is
    rounded, and counts of them are Python's integers, of any size. Sums are exact in any order.

    Attributes
    ----------
    neg, pos : units in a weight of 1; Python integers where counts are.
    weighted : whether there are weights.
    are_rates : whether counts are given rates on a grid, of examples whose number nobody knows.
    limbs : how many parts of 32 bits a weight has, if it is added up in parts; else 0.
    lightest : the lightest weight as a share of its class's total, where that is why counts are Python's.
    """

    neg: float = 1.0
    pos: float = 1.0
    weighted: bool = False
    are_rates: bool = False
    limbs: int = field(default=0, compare=False)
    lightest: float | None = field(default=None, compare=False)

    @classmethod
    def of(cls, neg_total: float, pos_total: float) -> Units:
        """For weighted classes of these total weights, of which none is very light."""
        totals = float(neg_total), float(pos_total)
        for label, total in zip(("negative", "positive"), totals, strict=True):
            if total and not _LEAST_TOTAL <= total <= _MOST_TOTAL:
                raise Refusal(
                    "{}: {} weighs {} in total, which is outside of [{}, {}]; multiply all weights "
                    "by a constant: only their ratio counts.",
                    Parameter("sample_weight"),
                    OneClass(label),
                    f"{total:.3g}",
                    f"{_LEAST_TOTAL:g}",
                    f"{_MOST_TOTAL:g}",
                )
        # A float sum depends a little on its order. The unit must not, so the border between two units
        # is moved away from the totals that occur: powers of two, as of weights that sum to one.
        totals = totals[0] * _OFF_BORDER, totals[1] * _OFF_BORDER
        # frexp(0) is (0, 0): a class that is absent gets some unit.
        neg, pos = (2.0 ** (_MAX_UNITS_LOG2 - math.frexp(total)[1]) for total in totals)
        return cls(neg, pos, weighted=True)

    def prevalence(self, n_neg: int, n_pos: int) -> Proportion:
        """The proportion of positives, by weight, among so many units of each class."""
        pos = Fraction(n_pos) / Fraction(self.pos)
        return Proportion(pos / (pos + Fraction(n_neg) / Fraction(self.neg)))

    @classmethod
    def fitting(cls, spread: Spread, rows: int) -> Units:
        """For the weights of the negatives and of the positives (2,), of so many rows."""
        units = cls.of(*spread.total.tolist())
        if spread.fits(np.array([units.neg, units.pos]), rows).all():
            return units
        lowest = min(math.frexp(least)[1] for least in spread.least.tolist() if least < math.inf)
        highest = max(math.frexp(most)[1] for most in spread.most.tolist())
        scale = max(_MANTISSA - lowest, 0)  # 2**-scale divides every weight
        with np.errstate(divide="ignore", invalid="ignore"):
            lightest = float(np.nanmin(spread.least / spread.total))  # of a class without weight inf or NaN
        limbs = -(-(highest + scale) // LIMB)
        return cls(1 << scale, 1 << scale, weighted=True, limbs=limbs, lightest=lightest)

    @property
    def lightest_told(self) -> str:
        """How light the lightest weight is, in brackets, if that is known."""
        return "" if self.lightest is None else f" (the lightest is {self.lightest:.2g} of it)"

    @property
    def is_wide(self) -> bool:
        """Whether counts are Python's integers."""
        return isinstance(self.neg, int)

    @property
    def pair(self) -> Array:
        """(2,): for a negative, for a positive."""
        if self.is_wide:
            raise Refusal(
                "{}: the lightest weights are too light beside their class's total{} for what holds "
                "weights in 62 bits, such as folds, resampling and several classes; give a weight of "
                "zero to what should not count. (Hulls, curves and PAV of two classes take any.)",
                Parameter("sample_weight"),
                self.lightest_told,
            )
        return np.array([self.neg, self.pos])

    def parts_of(self, data: Labelled) -> list[Labelled]:
        """The examples with each limb of their weights, from the low one up; themselves if there are none."""
        if not self.limbs or data.weights is None:
            return [data]
        mantissa, exponent = np.frexp(data.weights)
        whole = np.ldexp(mantissa, _MANTISSA).astype(np.int64)
        shift = exponent.astype(np.int64) + (int(self.neg).bit_length() - 1 - _MANTISSA)
        parts = []
        for i in range(self.limbs):
            left = np.clip(shift - i * LIMB, 0, LIMB)
            right = np.clip(i * LIMB - shift, 0, 63)
            limb = ((whole >> right) << left) & (
                (1 << LIMB) - 1
            )  # what is shifted out on top is not asked for
            parts.append(Labelled(data.positive, data.scores, limb.astype(float)))
        return parts

    def counts_of(self, data: Labelled) -> Array:
        """How many units each weight is (n,)."""
        if not self.limbs:
            return self.narrow_counts_of(data)
        counts = no_counts(data.scores.size, True)
        for i, part in enumerate(self.parts_of(data)):
            assert part.weights is not None
            counts += part.weights.astype(np.int64).astype(object) << (i * LIMB)
        return counts

    def narrow_counts_of(self, data: Labelled) -> Array:
        """The same as int64; an error where counts are wide."""
        assert data.weights is not None
        return np.asarray(np.rint(data.weights * self.pair[data.positive]).astype(np.int64))

    def of_part(self) -> Units:
        """The units of one of these parts."""
        return LIMB_UNIT if self.limbs else self

    def check(self, n_neg: int, n_pos: int) -> None:
        """Raise unless so many units of each class can be: they weigh what :meth:`of` lets pass."""
        sizes = Fraction(self.neg), Fraction(self.pos)
        if not all(_is_power(size) for size in sizes):
            raise ValueError("a unit is not a power of two, nor of ten")
        totals = n_neg / sizes[0], n_pos / sizes[1]
        low, high = Fraction(_LEAST_TOTAL) / 2, 2 * Fraction(_MOST_TOTAL)  # roundings apart
        if not all(low <= total <= high for total in totals):
            raise ValueError("the units make the total weight of a class too small or too large")
        if not self.weighted and any(total.denominator > 1 for total in totals):
            raise ValueError("without weights the units must make a whole number of examples")


def unit_sizes(totals: Array) -> Array | None:
    """How many units a weight of 1 is in classes of these total weights, as :meth:`Units.of` says of two.

    None where that refuses one.
    """
    held = totals[totals > 0]
    if not ((held >= _LEAST_TOTAL) & (held <= _MOST_TOTAL)).all():
        return None
    return np.asarray(np.ldexp(1.0, _MAX_UNITS_LOG2 - np.frexp(totals * _OFF_BORDER)[1]))


LIMB_UNIT = Units(weighted=True)
UNIT = Units()


def units_written(
    neg: float, pos: float, weighted: bool, counts: Sequence[int], are_rates: bool | None = False
) -> tuple[Units, type]:
    """The units of a document, and the type of its counts: Python's integers if one is beyond 62 bits.

    Where the document does not say whether they are rates (None), they are if both classes end where a
    grid of rates does: no class that is weighted has such a total in such units.
    """
    most = sys.float_info.max
    if are_rates is None:
        are_rates = weighted and neg == pos and neg in _RATE_GRIDS and counts[0] == counts[1] in _RATE_GRIDS
    if max(counts) < 1 << 62 and neg <= most and pos <= most:
        return Units(float(neg), float(pos), weighted, are_rates), np.int64
    if not weighted or neg != pos or neg < 1:
        raise ValueError("the units of a class are too many")
    return Units(int(neg), int(pos), weighted), object


def ratio(counts: Array, total: float) -> Array:
    """Counts (k,) as parts of a total, float64: each rounded once where counts are Python's integers."""
    return np.asarray(counts / total, float)


class InUnits:
    """Groups, or blocks, whose weights are held in whole units."""

    pos_units: Array
    neg_units: Array
    units: Units

    @property
    def pos(self) -> Array:
        """Weight of the positives in each group (g,); int64 counts if unweighted."""
        return ratio(self.pos_units, self.units.pos) if self.units.weighted else self.pos_units

    @property
    def neg(self) -> Array:
        """Weight of the negatives in each group (g,); int64 counts if unweighted."""
        return ratio(self.neg_units, self.units.neg) if self.units.weighted else self.neg_units


@dataclass(frozen=True, eq=False)
class Tally(Result, InUnits):
    """Groups of equal score, from high scores to low.

    Attributes
    ----------
    score : (g,) distinct scores, descending, in the type that was given.
    pos_units, neg_units : int64 (g,) weight of each class in the group, in units; Python's integers where
        those are too many for 62 bits.
    units : the size of a unit.

    Examples
    --------
    >>> import rochull as rh
    >>> both = rh.hull.tally([1, 0], [0.4, 0.4]).merge(rh.hull.tally([1, 0], [0.9, 0.4]))
    >>> both.score.tolist(), both.neg.tolist()
    ([0.9, 0.4], [0, 2])
    """

    score: Array
    pos_units: Array
    neg_units: Array
    units: Units = UNIT

    def merge(self, other: Tally) -> Tally:
        """Unite two tallies.

        Parameters
        ----------
        other : Tally
            Of other examples, in the same units.

        Returns
        -------
        Tally
            Of both sets of examples.
        """
        if self.units != other.units:
            raise Refusal(
                "{}: its weights are in other units; weigh the examples in one call.", Parameter("other")
            )
        from rochull._core.kernels import hull as kernels

        if self.units.is_wide:
            return stacked([self, other], self.units, 0)
        dtype = np.result_type(self.score, other.score)
        merged = kernels.merge_groups(
            validation.cast(self.score, dtype), self.pos_units, self.neg_units,
            validation.cast(other.score, dtype), other.pos_units, other.neg_units,
        )  # fmt: skip
        if merged[0].dtype.kind == "f":
            merged[0][:] += 0  # -0.0 becomes 0.0
        return Tally(*merged, self.units)


@described(PARAMETERS)
def tally(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Tally:
    """Count positives and negatives at every distinct score.

    Parameters
    ----------
    y_score : array-like of shape (n,) or (n, 1)
        Higher means more positive. Infinite scores are legal, NaN is not; 0.0 and -0.0 tie.

    Returns
    -------
    Tally
        Group i holds the examples with the i-th highest score.

    Examples
    --------
    >>> import rochull as rh
    >>> groups = rh.hull.tally([0, 1, 1, 0], [0.1, 0.4, 0.4, 0.4])
    >>> groups.score.tolist(), groups.pos.tolist(), groups.neg.tolist()
    ([0.4, 0.1], [2, 0], [1, 1])
    """
    return tally_of(validation.labelled(y_true, y_score, sample_weight, pos_label))


def tally_of(data: Labelled, *, both_classes: bool = True, units: Units | None = None) -> Tally:
    """All groups of validated examples, by sorting each class; of a part, in the units of the whole."""
    units = units or units_of([data], both_classes=both_classes)
    found = [_sorted(part, units.of_part()) for part in units.parts_of(data)]
    return stacked(found, units, LIMB) if units.is_wide else found[0]


def _sorted(data: Labelled, units: Units) -> Tally:
    """The groups of examples whose weights fit 62 bits."""
    parts = []
    for label in (1, 0):
        chosen = data.positive == label  # compress is several times faster than a mask as index
        weights = None if data.weights is None else data.weights.compress(chosen)
        parts.append((data.scores.compress(chosen), weights))

    def ordered(part: tuple[Array, Array | None], unit: float) -> tuple[Array, Array | None]:
        scores, weights = part
        if weights is None:
            return ascending(scores, spent=True)[0], None
        return sort_weighted(scores, np.rint(weights * unit).astype(np.int64))

    each = map if data.scores.size < FEW else share_out  # to wake a thread costs more than a short sort
    (pos, pos_units), (neg, neg_units) = each(ordered, parts, (units.pos, units.neg))
    return merge_sorted(pos, pos_units, neg, neg_units, units)


def stacked(parts: Sequence[Tally], units: Units, bits: int) -> Tally:
    """The union of tallies in Python's integers, each part's units being `bits` bits above the last's."""
    dtype = np.result_type(*(part.score for part in parts))
    rising = np.unique(np.concatenate([validation.cast(part.score, dtype) for part in parts]))
    pos, neg = no_counts(rising.size, True), no_counts(rising.size, True)
    for i, part in enumerate(parts):
        at = rising.size - 1 - np.searchsorted(rising, part.score)
        for sums, counts in ((pos, part.pos_units), (neg, part.neg_units)):
            sums[at] += counts.astype(object) << (i * bits)
    return Tally(rising[::-1].copy(), pos, neg, units)


def no_counts(size: int, wide: bool) -> Array:
    """Zeros (size,) to add counts of units to: Python's integers if `wide`, else int64."""
    return np.full(size, 0, object) if wide else np.zeros(size, np.int64)


def sort_weighted(scores: Array, mass: Array) -> tuple[Array, Array]:
    """Scores ascending with their units; those that weigh nothing are left out."""
    return ascending(scores[mass > 0], mass[mass > 0])


def merge_sorted(
    pos: Array, pos_units: Array | None, neg: Array, neg_units: Array | None, units: Units
) -> Tally:
    """The tally of two ascending classes."""
    if without_kernels(pos.size + neg.size):
        score, pos_mass, neg_mass = _merged(pos, pos_units, neg, neg_units)
    else:
        from rochull._core.kernels import hull as kernels

        size = pos.size + neg.size
        if size < FEW:
            score = np.empty(size, pos.dtype)
            pos_mass, neg_mass = np.empty(size, np.int64), np.empty(size, np.int64)
        else:  # NumPy has large pages made of a large array
            score, pos_mass, neg_mass = np.empty((3, size), np.int64)
            score = score.view(pos.dtype)[:size]
        size = kernels.merge_classes(pos, neg, pos_units, neg_units, score, pos_mass, neg_mass)
        score, pos_mass, neg_mass = score[:size], pos_mass[:size], neg_mass[:size]
    if score.size < (pos.size + neg.size) // 2:  # views of arrays with room for every row
        score, pos_mass, neg_mass = score.copy(), pos_mass.copy(), neg_mass.copy()
    if score.dtype.kind == "f":
        score += 0  # -0.0 becomes 0.0
    return Tally(score, pos_mass, neg_mass, units)


def _merged(
    pos: Array, pos_units: Array | None, neg: Array, neg_units: Array | None
) -> tuple[Array, Array, Array]:
    """The kernel `merge_classes` by NumPy."""
    score, group = np.unique(np.concatenate((pos, neg)), return_inverse=True)
    mass = np.zeros((2, score.size), np.int64)
    for label, own, units in ((0, group[: pos.size], pos_units), (1, group[pos.size :], neg_units)):
        np.add.at(mass[label], own, 1 if units is None else units)
    return score[::-1].copy(), mass[0, ::-1].copy(), mass[1, ::-1].copy()


def units_of(chunks: Iterable[Labelled], *, both_classes: bool = True) -> Units:
    """The unit of a stream of examples: from the weights of each class."""

    def add(chunk: Labelled) -> Array:
        from rochull._core.kernels import hull as kernels

        positive = np.equal(chunk.positive, 1).view(np.uint8)
        return np.asarray(kernels.class_weights(chunk.weights, positive))

    stream = iter(chunks)
    batch = list(islice(stream, _BATCH))
    if batch and batch[0].weights is None:
        return UNIT
    totals, least, most, whole = np.zeros(2), np.full(2, np.inf), np.zeros(2), np.ones(2, bool)
    rows = 0
    while batch:
        rows += sum(chunk.scores.size for chunk in batch)
        with np.errstate(over="ignore"):  # an infinite total is refused below
            # In the order of the chunks: the same on any number of threads.
            for part in share_out(add, batch):
                totals += part[0]
                least, most = np.minimum(least, part[1]), np.maximum(most, part[2])
                whole &= part[3] == 0
        batch = list(islice(stream, _BATCH))
    for label, total in zip(("negative", "positive"), totals, strict=True):
        if total == 0 and both_classes:
            raise Refusal("{}: the {} class has zero total weight.", Parameter("sample_weight"), label)
    return Units.fitting(Spread(totals, least, most, whole), rows)


def _is_power(size: Fraction) -> bool:
    """Whether a unit is one that is made: of two, or of ten where counts stand beside given rates."""
    twos = not any(part & (part - 1) for part in (size.numerator, size.denominator))
    return twos or (size.denominator == 1 and size == 10 ** (len(str(size.numerator)) - 1))
