"""Bounds on likelihood ratios: added examples, and what the data bear out (ELUB, invariance verification).

A block of one class has an infinite likelihood ratio. Added examples keep it finite, as they would
have been met had the data been more; empirical bounds cut it off where the data no longer bear it out.
PAV pools the added examples. Other likelihood ratios are clipped, to what PAV says of them with the added
examples at either end, or to the empirical bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.docstrings import described, entries
from rochull._core.messages import refused
from rochull._core.validation import Array, Labelled
from rochull.calibration.bound_names import BOUNDS
from rochull.calibration.map_values import Levels
from rochull.hull.blocks import Blocks, pool, pool_ranges
from rochull.hull.polarity import already_said
from rochull.hull.tallies import PARAMETERS, Tally, tally_of
from rochull.scoring.ratios import AS_LLR, labelled_llr

if TYPE_CHECKING:
    from rochull.scanning.row_passes import Mapped, RowPasses

# What is added above the highest score: (positives, negatives); below the lowest it is the other way round.
ADDED = {"laplace": (1, 1), "focal": (1, 1), "misleading": (0, 1)}


def added_mass(blocks: Blocks, data: Labelled) -> tuple[int, int]:
    """Units that an added example weighs, (negative, positive): the mean weight of its class."""
    return mean_units(blocks, _weighing(data))


def _weighing(data: Labelled) -> tuple[int, int] | None:
    """How many negatives and positives have a weight; None if they are unweighted."""
    if data.weights is None:
        return None
    neg, pos = np.bincount(data.positive[data.weights > 0] == 1, minlength=2).tolist()
    return neg, pos


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


def checked(bound: Any) -> str | None:
    """The parameter `bound`, if there is such a bound."""
    if bound is None or bound in BOUNDS:
        return bound  # type: ignore[no-any-return]
    *some, last = (f'"{name}"' for name in BOUNDS)
    raise refused("bound", f"must be None, {', '.join(some)} or {last}, but is {{}}.", repr(bound))


# --- what the data bear out ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Stated:
    """Likelihood ratios that were stated, descending and all different, and the examples that have them.

    Attributes
    ----------
    level : (k,) the ratios, exact (Fraction, or inf), or their logarithms.
    hits, slips : (k,) weights of the positives and of the negatives.
    more : the weight of one more positive, and of one more negative.
    one : the ratio 1, as levels are.
    quotient : of weights (m,) and weights (m,), as levels are.
    inverse : of a level, or of levels (k,), what they are for the other class.
    """

    level: Array
    hits: Array
    slips: Array
    more: tuple[Any, Any]
    one: Any
    quotient: Callable[[Array, Array], Array]
    inverse: Callable[[Any], Any]

    @classmethod
    def of_blocks(cls, blocks: Blocks, mass: tuple[int, int]) -> Stated:
        """Read them off PAV's own blocks; `mass` is that of a negative and of a positive."""
        pos, neg = (np.array(units.tolist(), object) for units in (blocks.pos_units, blocks.neg_units))
        level = _exact(pos * neg.sum(), neg * pos.sum())
        return cls(level, pos, neg, mass[::-1], Fraction(1), _exact, _inverse)

    @classmethod
    def of_llr(cls, groups: Tally, mass: tuple[float, float]) -> Stated:
        """Read them off examples that are grouped by their LLRs; `mass` as above."""
        return cls(
            groups.score.astype(float), np.asarray(groups.pos, float), np.asarray(groups.neg, float),
            mass[::-1], 0.0, _log_quotient, np.negative,
        )  # fmt: skip

    def mirrored(self) -> Stated:
        """The same for whoever asks about the other class."""
        level = self.inverse(self.level[::-1])
        return replace(self, level=level, hits=self.slips[::-1], slips=self.hits[::-1], more=self.more[::-1])

    def sums(self) -> tuple[Array, Array]:
        """Weight (k + 1,) of the positives, and of the negatives, of the first levels."""
        hits, slips = (np.append(each[:1] * 0, each.cumsum()) for each in (self.hits, self.slips))
        return hits, slips

    def both_ways(self, reach: Callable[[Stated], Any]) -> tuple[Any, Any]:
        """A lower and an upper bound, from how far the ratio can rise above 1."""
        return self.inverse(reach(self.mirrored())), reach(self)


def _exact(above: Array, below: Array) -> Array:
    return np.array([Fraction(p, q) if q else math.inf for p, q in zip(above, below, strict=True)], object)


_inverse = np.frompyfunc(lambda ratio: 1 / ratio if ratio else math.inf, 1, 1)


def _log_quotient(above: Array, below: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(above) - np.log(below))


def elub(stated: Stated) -> tuple[Any, Any]:
    """The empirical lower and upper bound of the likelihood ratio; exact where the ratios are.

    Whoever accepts iff LR > t, where a false acceptance costs t times a miss, expects to lose
    ``E(t) = (miss(t) + 1) / (P + 1) + t (fa(t) + 1) / (N + 1)``, with one misleading example added to
    each class; and min(1, t) with an LR that always is 1. The bounds are how far t can go from 1, up
    and down, before the stated LRs lose more than that. (After Vergeer, van Es, de Jongh, Alberink &
    Stoel 2016.)

    This is as lir 1.3.1 computes it: at every t one misleading example is added to each class, and a
    bound is where the loss first exceeds min(1, t). That is more cautious than adding one to one class a
    side, the negatives for t >= 1 and the positives for t < 1, and taking the outermost t at which the LRs
    lose less, as does the authors' MATLAB code that lir's source quotes (whose loop adds one more at
    each t, besides).
    """
    return stated.both_ways(_loss_reach)


def _loss_reach(stated: Stated) -> Any:
    """How far the threshold can rise from 1.

    Between two thresholds at which the set of accepted examples changes the loss is linear, and at most 1
    as long as ``t <= hits (all slips + 1) / ((all hits + 1) (slips + 1))``, counting those accepted.
    """
    hit, slip = stated.sums()
    accepted = int(np.count_nonzero(stated.level > stated.one))
    limit = stated.quotient(
        hit * (slip[-1] + stated.more[1]), (hit[-1] + stated.more[0]) * (slip + stated.more[1])
    )
    ends = np.append(True, limit[1 : accepted + 1] < stated.level[:accepted])
    last = int(np.flatnonzero(ends)[-1])
    return max(limit[last], stated.level[last] if last < accepted else stated.one)


def invariance(stated: Stated) -> tuple[Any, Any]:
    """The bounds of invariance verification (Alberink et al. 2025); exact where the ratios are.

    Of LRs of at least t the share among positives is to be at least t times that among negatives: it is, if
    every LR is what it says. The shares are smoothed by half an example of each outcome (Jeffreys). The upper
    bound is the least t for which this fails; or, if it never fails among the stated LRs, the highest that a
    positive has. It is at least 1. The lower bound is the same for LRs below t, the other way round. Both
    are secants of the ROC curve from its ends, and change at stated LRs only; so no grid of t is searched,
    as it is by lir, of which these are the limits.
    """
    return stated.both_ways(_secant_reach)


def _secant_reach(stated: Stated) -> Any:
    hit, slip = stated.sums()
    # Twice the smoothed weights, so that halves of whole numbers are whole.
    secant = stated.quotient(
        (2 * hit + stated.more[0]) * (slip[-1] + stated.more[1]),
        (2 * slip + stated.more[1]) * (hit[-1] + stated.more[0]),
    )
    fails = np.flatnonzero(secant[1:] < stated.level)  # before the next higher level
    if fails.size:
        first = int(fails[-1]) + 1
        lower = stated.level[first] if first < stated.level.size else secant[first]
        return max(stated.one, secant[first], lower)
    if secant[0] <= stated.level[0]:
        return max(stated.one, stated.level[0])
    return max(stated.one, stated.level[np.flatnonzero(stated.hits)[0]])


EMPIRICAL: dict[str, Callable[[Stated], tuple[Any, Any]]] = {"elub": elub, "invariance": invariance}


# --- of other LLRs ------------------------------------------------------------------------------


def bounds_of(bound: str, data: Labelled) -> tuple[float, float]:
    """The lower and the upper bound of LLRs, which are the scores of the examples."""
    groups = tally_of(data)
    return _bounds(bound, lambda: groups, lambda: pool(groups), _weighing(data))


def bounds_of_rows(
    bound: str, rows: RowPasses, llr: Mapped, sample: Array, weighing: tuple[int, int] | None
) -> tuple[float, float]:
    """The same of rows that are read anew, of which so many have a weight; a scan of their LLRs tells."""
    from rochull.scanning.tasks import complete

    scanned, key = rows.mapped(llr, sample), ("llr", 0)

    def groups() -> Tally:
        try:
            return complete(scanned.table, [key])[key]
        except MemoryError:
            raise MemoryError(
                f"the bound {bound!r} takes all different LLRs, which are more than may be collected"
            ) from None

    with already_said():
        return _bounds(bound, groups, lambda: scanned.both_classes(key).blocks, weighing)


def _bounds(
    bound: str, groups: Callable[[], Tally], blocks: Callable[[], Blocks], weighing: tuple[int, int] | None
) -> tuple[float, float]:
    if bound in EMPIRICAL:
        found, mass = groups(), (1.0, 1.0)
        if weighing is not None:
            mass = float(found.neg.sum() / weighing[0]), float(found.pos.sum() / weighing[1])
        low, high = EMPIRICAL[bound](Stated.of_llr(found, mass))
        return float(low) + 0.0, float(high) + 0.0  # no -0.0
    own = blocks()
    whole, chosen = with_added(own, bound, mean_units(own, weighing))
    llr = Levels.of_blocks(whole, chosen, own if bound == "focal" else whole).llr
    return float(llr[0]), float(llr[-1])


_TOLD = (
    PARAMETERS
    | AS_LLR
    | entries("""
llr : array-like of shape (n,)
    Log-likelihood-ratios (natural log); infinite ones are legal.
bound : {"laplace", "focal", "misleading", "elub", "invariance"}, default="elub"
    As in :class:`PavCalibrator`; of added examples it is what PAV says of the LLRs at their ends.
""")
)


@described(_TOLD)
def llr_bounds(
    y_true: ArrayLike,
    llr: ArrayLike,
    bound: str = "elub",
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    as_llr: bool = False,
) -> tuple[float, float]:
    """Compute how far log-likelihood-ratios are borne out by labelled cases.

    Returns
    -------
    tuple of float
        The lower and the upper one, natural logs; clip LLRs to them by :func:`numpy.clip`.

    See Also
    --------
    PavCalibrator : Every calibrator takes `bound`, and clips its LLRs itself.

    References
    ----------
    Vergeer, van Es, de Jongh, Alberink & Stoel 2016 for "elub". Alberink, Leegwater, Malmborg, Nordgaard,
    Sjerps & van der Ham 2025, A transparent method to determine limit values for likelihood ratio systems,
    for "invariance".

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> y, llr = np.repeat([1, 0], 3), [np.inf] * 3 + [-np.inf] * 3
    >>> [round(float(end / np.log(10)), 3) for end in rh.calibration.llr_bounds(y, llr, "invariance")]
    [-0.845, 0.845]
    """
    if checked(bound) is None:
        raise refused("bound", "must name a bound, but is None.")
    return bounds_of(bound, labelled_llr(y_true, llr, sample_weight, pos_label, as_llr))
