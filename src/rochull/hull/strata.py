"""One hull of a population in segments: every segment decides by a threshold of its own."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, overload

import numpy as np

from rochull._core.messages import Item, Parameter, Refusal, refused
from rochull._core.table_errors import a_type
from rochull._core.validation import Array
from rochull.conditions.rules import ALWAYS, NEVER, Rule, SegmentedRule
from rochull.hull.blocks import in_units, upper_hull
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Units

_MOST_UNITS = 1 << 60
_NEAR = 2.0**-50  # two slopes that are rounded less than this apart are compared exactly


@dataclass(frozen=True, eq=False, repr=False)
class StratifiedHull(RocHull):
    """The hull of a population in segments; made by :func:`stratify`.

    Attributes
    ----------
    fp, tp : ndarray of shape (k,)
        False and true positives of the whole population at vertex i, in units if weighted.
    n_neg, n_pos : int
        The totals.
    units : Units
        The size of a unit; 1 for unweighted data.
    blocks : None
        The edges are not ranges of scores.
    curves : dict
        Empty.
    classifier, lower_is_positive : None and False
        They may differ from segment to segment.
    segments : dict of hashable to RocHull
        The hull of each segment, in units common to all.

    Notes
    -----
    A vertex is a vertex of every segment's hull, at about the same posterior odds everywhere.

    Examples
    --------
    >>> import rochull as rh
    >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
    >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    >>> hull = rh.stratify({"easy": easy, "hard": hard})
    >>> print(hull.at(rh.ExpectedCost(cost_fp=3)).rules[0][0])
    easy: score >= 3; hard: score >= 8
    """

    _shown: ClassVar[tuple[str, ...]] = ("fpr", "tpr")

    segments: Mapping[Hashable, RocHull] = field(default_factory=dict)

    @property
    def thresholds(self) -> Array:
        """Not defined: there is one threshold for each segment, see `owners` and :meth:`positions`."""
        raise AttributeError(
            "a stratified hull has thresholds for each segment: see owners[i] or at(condition)."
        )

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that own a vertex of some segment (tuple of str)."""
        return tuple(dict.fromkeys(name for hull in self.segments.values() for name in hull.classifiers))

    def positions(self, i: int) -> Array:
        """Find which vertex of each segment's hull makes vertex i.

        Parameters
        ----------
        i : int
            A vertex, from 0 ("never") to k - 1 ("always").

        Returns
        -------
        ndarray of int64 of shape (s,)
            In the order of `segments`.
        """
        owners = self.owners
        assert isinstance(owners, StratifiedOwners)
        return owners.positions(range(len(self))[i])


class StratifiedOwners(Sequence[tuple[Rule, ...]]):
    """The rules of every vertex, made when they are asked for: there are k times s of them."""

    def __init__(self, segments: Mapping[Hashable, RocHull], edges: Array, ends: Array) -> None:
        self.names = tuple(segments)
        self.inner = [hull.owners for hull in segments.values()]
        self.edges, self.ends = edges, ends

    def positions(self, i: int) -> Array:
        """Which vertex each segment is at: how many of its edges have been climbed."""
        climbed = self.edges[: self.ends[i]]
        return np.bincount(climbed, minlength=len(self.names))

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, i: int) -> tuple[Rule, ...]: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[tuple[Rule, ...], ...]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        i = range(len(self))[i]
        if i in (0, len(self) - 1):
            return ((ALWAYS if i else NEVER),)
        rules = tuple(own[j][0] for own, j in zip(self.inner, self.positions(i).tolist(), strict=True))
        return (SegmentedRule(segments=self.names, rules=rules),)

    def __iter__(self) -> Iterator[tuple[Rule, ...]]:
        return (self[i] for i in range(len(self)))


def stratify(hulls: Mapping[Hashable, RocHull]) -> StratifiedHull:
    """Unite the hulls of the segments of a population: the best thresholds that differ by segment.

    The best vector of thresholds takes in every segment the vertex where costs and benefits balance
    at the same posterior odds. All edges of all segments, in counts, sorted by slope, are the edges of
    the whole: a Minkowski sum. This is the exact optimum, on these data (in-sample), of the trade-off
    between the rates of the whole population.

    Parameters
    ----------
    hulls : mapping of hashable to RocHull
        The hull of each segment, from that segment's examples alone. It may be a union of several
        classifiers' hulls.

    Returns
    -------
    StratifiedHull
        Its rates are those of the whole population. A vertex's rule is a :class:`SegmentedRule`.

    Raises
    ------
    ValueError
        If there is no hull, a hull is of given rates (their segment's size is unknown), or only some
        are of weighted examples.

    References
    ----------
    Richman & Mannor, problem (3): solved exactly on the empirical distributions; and (2), where
    mixtures are allowed.

    Examples
    --------
    >>> import rochull as rh
    >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
    >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    >>> hull = rh.stratify({"easy": easy, "hard": hard})
    >>> hull.fpr.tolist(), hull.tpr.tolist()
    ([0.0, 0.0, 0.25, 1.0], [0.0, 0.75, 1.0, 1.0])
    """
    if not isinstance(hulls, Mapping):
        raise refused("hulls", "must be a mapping of segments to hulls, but is {}.", a_type(hulls))
    if not hulls:
        raise refused("hulls", "is empty: there is nothing to stratify.")
    own: Any  # what was given
    for name, own in hulls.items():
        if not isinstance(own, RocHull) or isinstance(own.owners[1][0], SegmentedRule):
            raise Refusal("{} must be the hull of a segment, but is {}.", Item("hulls", name), repr(own))
    segments = _common_units(hulls)
    parts = list(segments.values())
    dx = np.concatenate([np.diff(hull.fp) for hull in parts])
    dy = np.concatenate([np.diff(hull.tp) for hull in parts])
    edges = np.repeat(np.arange(len(parts)), [len(hull) - 1 for hull in parts])
    order = _by_slope(dx, dy)
    dx, dy, edges = dx[order], dy[order], edges[order]
    last = np.append(~_equal_to_next(dx, dy), True)  # parallel edges are one
    ends = np.concatenate(([0], np.flatnonzero(last) + 1))
    fp, tp = (np.append(0, np.cumsum(step))[ends] for step in (dx, dy))
    first = parts[0]
    hull = StratifiedHull(fp, tp, int(fp[-1]), int(tp[-1]), first.units, segments=segments)
    return hull.with_owners(StratifiedOwners(segments, edges, ends))


def _by_slope(dx: Array, dy: Array) -> Array:
    """The order of edges from steep to flat, exactly; stable, so that a segment's own order is kept."""
    angle = _angle(dx, dy)  # descends with the slope's fall; 1 if vertical
    order = np.argsort(-angle, kind="stable")
    near = np.append(np.abs(np.diff(angle[order])) <= _NEAR, False)
    begin = 0
    while begin < near.size:  # runs of edges that float64 may have put in the wrong order
        if not near[begin]:
            begin += 1
            continue
        end = begin + int(np.argmin(near[begin:])) + 1
        run = order[begin:end]
        exact = [Fraction(int(dy[j]), int(dx[j]) + int(dy[j])) for j in run]
        order[begin:end] = run[sorted(range(run.size), key=lambda k: (-exact[k], run[k]))]
        begin = end
    return order


def _angle(dx: Array, dy: Array) -> Array:
    """How steep edges are, from 0 to 1, in float64."""
    return np.asarray(dy / (dx + dy if dx.dtype == object else dx.astype(float) + dy), float)


def _equal_to_next(dx: Array, dy: Array) -> Array:
    """Whether each edge but the last has exactly the slope of the next."""
    angle = _angle(dx, dy)
    near = np.abs(np.diff(angle)) <= _NEAR
    for i in np.flatnonzero(near):
        near[i] = int(dy[i]) * int(dx[i + 1]) == int(dy[i + 1]) * int(dx[i])
    return np.asarray(near)


def _common_units(hulls: Mapping[Hashable, RocHull]) -> dict[Hashable, RocHull]:
    """The hulls in the units of the whole population."""
    for name, hull in hulls.items():
        if hull.units.are_rates:
            raise Refusal("{} is of given rates: the size of its segment is unknown.", Item("hulls", name))
    parts = hulls.values()
    weighted = {hull.units.weighted for hull in parts}
    if len(weighted) > 1:
        raise Refusal("{}: some are of weighted examples and some are not.", Parameter("hulls"))
    if any(hull.units.is_wide for hull in parts):
        size = max(int(unit) for hull in parts for unit in (hull.units.neg, hull.units.pos))
        units = Units(size, size, weighted=True)
        return {name: _with_units(hull, units) for name, hull in hulls.items()}
    neg = _finest([(hull.n_neg, hull.units.neg) for hull in parts])
    pos = _finest([(hull.n_pos, hull.units.pos) for hull in parts])
    units = Units(neg, pos, weighted.pop())
    return {name: hull if hull.units == units else _with_units(hull, units) for name, hull in hulls.items()}


def _finest(totals: list[tuple[int, float]]) -> float:
    """The finest of the units, or the finest power of two in which the whole class fits."""
    whole = sum(Fraction(total) / Fraction(unit) for total, unit in totals)
    finest = max(unit for _, unit in totals)
    while whole * Fraction(finest) >= _MOST_UNITS:
        finest /= 2
    return finest


def _with_units(hull: RocHull, units: Units) -> RocHull:
    """A hull in other units; points that are no longer vertices after rounding are left out."""
    fp, tp = in_units(hull.fp, hull.units.neg, units.neg), in_units(hull.tp, hull.units.pos, units.pos)
    if not (fp[-1] and tp[-1]):
        raise ValueError("hulls: a segment weighs less than 2**-60 of its class.")
    kept = upper_hull(fp, tp)
    owners = tuple(hull.owners[i] for i in kept.tolist())
    counts = fp[kept], tp[kept], int(fp[-1]), int(tp[-1])
    return RocHull(*counts, units, classifier=hull.classifier).with_owners(owners)
