"""Ordered groups of equal score: the only tie rule of the project.

Scores that compare equal are one group, and nothing else is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, described, entries
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled

_BATCH = 16
_FEW = 1 << 17  # rows
_OFF_BORDER = 1 + 2**-20
_MAX_UNITS_LOG2 = 58  # a class weighs at most 2**58 units, so that sums and doubles fit 62 bits
_LEAST_TOTAL, _MOST_TOTAL = 1e-150, 1e150  # so that odds, sums and numbers of units stay inside float64

# What the parameters of functions of examples mean; what is not so raises a ValueError that names it.
PARAMETERS = EXAMPLES | entries("""
y_true : array-like of shape (n,)
    Binary labels of both classes; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
y_score : array-like of shape (n,) or (n, 1)
    Higher means more positive. Infinite scores are legal, NaN is not; 0.0 and -0.0 tie.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out.
""")


@dataclass(frozen=True)
class Units:
    """How many units one unit of weight is, per class: powers of two, 1 for unweighted data.

    Each weight is rounded to a whole unit, about 2**-58 of its class total; integer and dyadic
    weights are exact. Sums of the rounded weights are then exact in any order. (A weight that is
    tiny beside the total, below 2**-59 of it, counts as zero.)
    """

    neg: float = 1.0
    pos: float = 1.0
    weighted: bool = False

    @classmethod
    def of(cls, neg_total: float, pos_total: float) -> Units:
        """For weighted classes of these total weights."""
        totals = float(neg_total), float(pos_total)
        for label, total in zip(("negative", "positive"), totals, strict=True):
            if total and not _LEAST_TOTAL <= total <= _MOST_TOTAL:
                raise ValueError(
                    f"sample_weight: the {label} class weighs {total:.3g} in total, which is outside of "
                    f"[{_LEAST_TOTAL:g}, {_MOST_TOTAL:g}]; multiply all weights by a constant: only their "
                    "ratio counts."
                )
        # A float sum depends a little on its order. The unit must not, so the border between two units
        # is moved away from the totals that occur: powers of two, as of weights that sum to one.
        totals = totals[0] * _OFF_BORDER, totals[1] * _OFF_BORDER
        # frexp(0) is (0, 0): a class that is absent gets some unit.
        neg, pos = (2.0 ** (_MAX_UNITS_LOG2 - math.frexp(total)[1]) for total in totals)
        return cls(neg, pos, weighted=True)

    @property
    def pair(self) -> Array:
        """(2,): for a negative, for a positive."""
        return np.array([self.neg, self.pos])

    def check(self, n_neg: int, n_pos: int) -> None:
        """Raise unless so many units of each class can be: they weigh what :meth:`of` lets pass."""
        if any(math.frexp(size)[0] != 0.5 for size in (self.neg, self.pos)):
            raise ValueError("a unit is not a power of two")
        totals = Fraction(n_neg) / Fraction(self.neg), Fraction(n_pos) / Fraction(self.pos)
        low, high = Fraction(_LEAST_TOTAL) / 2, 2 * Fraction(_MOST_TOTAL)  # roundings apart
        if not all(low <= total <= high for total in totals):
            raise ValueError("the units make the total weight of a class too small or too large")
        if not self.weighted and any(total.denominator > 1 for total in totals):
            raise ValueError("without weights the units must make a whole number of examples")


UNIT = Units()


class InUnits:
    """Groups, or blocks, whose weights are held in whole units."""

    pos_units: Array
    neg_units: Array
    units: Units

    @property
    def pos(self) -> Array:
        """Weight of the positives in each group (g,); int64 counts if unweighted."""
        return self.pos_units / self.units.pos if self.units.weighted else self.pos_units

    @property
    def neg(self) -> Array:
        """Weight of the negatives in each group (g,); int64 counts if unweighted."""
        return self.neg_units / self.units.neg if self.units.weighted else self.neg_units


@dataclass(frozen=True, eq=False)
class Tally(InUnits):
    """Groups of equal score, from high scores to low.

    Attributes
    ----------
    score : (g,) distinct scores, descending, in the type that was given.
    pos_units, neg_units : int64 (g,) weight of each class in the group, in units.
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
            raise ValueError("other: its weights are in other units; weigh the examples in one call.")
        from rochull._core.kernels import hull as kernels

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


def tally_of(data: Labelled, *, both_classes: bool = True) -> Tally:
    """All groups of validated examples, by sorting each class."""
    units = units_of([data], both_classes=both_classes)
    parts = []
    for label in (1, 0):
        chosen = data.positive == label  # compress is several times faster than a mask as index
        weights = None if data.weights is None else np.compress(chosen, data.weights)
        parts.append((np.compress(chosen, data.scores), weights))

    def ordered(part: tuple[Array, Array | None], unit: float) -> tuple[Array, Array | None]:
        scores, weights = part
        if weights is None:
            return np.sort(scores), None
        return sort_weighted(scores, np.rint(weights * unit).astype(np.int64))

    each = map if data.scores.size < _FEW else share_out  # to wake a thread costs more than a short sort
    (pos, pos_units), (neg, neg_units) = each(ordered, parts, (units.pos, units.neg))
    return merge_sorted(pos, pos_units, neg, neg_units, units)


def sort_weighted(scores: Array, mass: Array) -> tuple[Array, Array]:
    """Scores ascending with their units; those that weigh nothing are left out."""
    scores, mass = scores[mass > 0], mass[mass > 0]
    order = np.argsort(scores)
    return scores[order], mass[order]


def merge_sorted(
    pos: Array, pos_units: Array | None, neg: Array, neg_units: Array | None, units: Units
) -> Tally:
    """The tally of two ascending classes."""
    from rochull._core.kernels import hull as kernels

    score, pos_mass, neg_mass = kernels.merge_classes(pos, neg, pos_units, neg_units)
    if score.size < (pos.size + neg.size) // 2:  # views of arrays with room for every row
        score, pos_mass, neg_mass = score.copy(), pos_mass.copy(), neg_mass.copy()
    if score.dtype.kind == "f":
        score += 0  # -0.0 becomes 0.0
    return Tally(score, pos_mass, neg_mass, units)


def units_of(chunks: Iterable[Labelled], *, both_classes: bool = True) -> Units:
    """The unit of a stream of examples: from the total weight of each class."""
    from rochull._core.kernels import hull as kernels

    def add(chunk: Labelled) -> Array:
        positive = np.equal(chunk.positive, 1).view(np.uint8)
        return np.asarray(kernels.class_totals(chunk.weights, positive))

    totals, stream = np.zeros(2), iter(chunks)
    while batch := list(islice(stream, _BATCH)):
        if batch[0].weights is None:
            return UNIT
        with np.errstate(over="ignore"):  # an infinite total is refused below
            # In the order of the chunks: the same on any number of threads.
            for part in share_out(add, batch):
                totals += part
    for label, total in zip(("negative", "positive"), totals, strict=True):
        if total == 0 and both_classes:
            raise ValueError(f"sample_weight: the {label} class has zero total weight.")
    return Units.of(*totals)
