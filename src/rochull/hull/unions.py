"""Several hulls as one: the operating points of the ROCCH hybrid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from rochull._core.messages import Item, Parameter, Refusal, WrongType, refused
from rochull._core.table_errors import a_type
from rochull._core.validation import Array
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hull.blocks import needs_wide
from rochull.hull.hull import RocHull
from rochull.hull.point_hull import GRID, RATES, on_grid, vertices_of
from rochull.hull.tallies import UNIT, Units


def union(hulls: Mapping[str, RocHull]) -> RocHull:
    """The upper hull of several classifiers: the ROCCH hybrid's operating points.

    Parameters
    ----------
    hulls : mapping of str to RocHull
        Hulls of classifiers scored on the same labelled examples and weights. A hull that already
        is a union may take part: its vertices keep their owners. Hulls of given rates
        (:meth:`RocHull.from_rates`) may take part too.

    Returns
    -------
    RocHull
        Each vertex remembers the rules of all classifiers that reach it. It has no blocks. If only
        one hull contributes vertices and it is a union already, that object itself is returned.

    Raises
    ------
    ValueError
        If there is no hull, or the numbers of examples differ.

    References
    ----------
    Provost & Fawcett 2001, section 3.2.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> a, b = rh.roc_hull(y, [4, 1, 3, 2]), rh.roc_hull(y, [3, 2, 4, 1])
    >>> rh.union({"a": a, "b": b}).classifiers
    ('a', 'b')
    """
    if not isinstance(hulls, Mapping):
        raise WrongType(
            "{} must be a mapping of names to hulls, but is {}.", Parameter("hulls"), a_type(hulls)
        )
    if not hulls:
        raise refused("hulls", "is empty: there is nothing to unite.")
    named = [_with_owner(hull, name) for name, hull in hulls.items()]
    n_neg, n_pos, units = _common_scale(dict(zip(hulls, named, strict=True)))
    parts = [to_scale(h, n_neg, n_pos, units) for h in named]
    fp, tp = (np.concatenate([part[axis][1:-1] for part in parts]) for axis in (0, 1))
    origin = _Origins(named)
    vertices, equal = vertices_of(fp, tp, n_neg, n_pos)
    inner = [_distinct(origin[j][0].owners[origin[j][1]] for j in group) for group in equal]
    owners = ((NEVER,), *inner, (ALWAYS,))
    curves = {name: curve for h in named for name, curve in h.curves.items()}
    for hull in named:
        own = () if hull.blocks is not None else hull.owners
        if own == owners and _is_rates(hull) == units.are_rates and len(hull.curves) == len(curves):
            return hull
    return RocHull(*vertices, n_neg, n_pos, units, curves=curves).with_owners(owners)


def is_beneath(hull: RocHull, union: RocHull) -> bool:
    """Whether every inner vertex of a hull is below a union hull on the same counts, or inside an edge.

    Then their union is the union hull. False where that is not clear at once.
    """
    same = (hull.n_neg, hull.n_pos, hull.units) == (union.n_neg, union.n_pos, union.units)
    if not same or hull.curves or needs_wide(hull.n_neg, hull.n_pos):
        return False
    x, y = hull.fp[1:-1], hull.tp[1:-1]
    i = np.searchsorted(union.fp, x, side="right") - 1  # the upper end of a vertical edge
    if i.size and i[-1] == len(union) - 1:  # right of the last negative
        return False
    run, rise = np.diff(union.fp)[i], np.diff(union.tp)[i]
    above, along = (y - union.tp[i]) * run, (x - union.fp[i]) * rise
    return bool(((above < along) | ((above == along) & (x > union.fp[i]))).all())


def _with_owner(hull: RocHull, name: str) -> RocHull:
    """The hull with its rules in somebody's name; a union, and a hull with a name, keep theirs."""
    if not isinstance(name, str):
        raise ValueError(f"hulls: a name must be a string, but is {name!r}.")
    if not isinstance(hull, RocHull):
        raise WrongType("{} must be a RocHull, but is {}.", Item("hulls", name), a_type(hull))
    if hull.classifiers or hull.classifier is not None or any(hull.curves):
        return hull
    if len(hull) == 2 and not hull.curves:  # it has no rule to name
        return hull
    if not name:
        raise ValueError("hulls: a name must not be empty.")
    return hull.named(name)


def _is_rates(hull: RocHull) -> bool:
    return hull.units.are_rates


def _common_scale(hulls: Mapping[str, RocHull]) -> tuple[int, int, Units]:
    """Totals and units in which the points of all hulls are whole numbers.

    Counts stay counts. If there are given rates that are not counts, a count is cut into a power of
    ten of units, as many as the grid has: counts, lines through them, and short decimals are still exact.
    """
    counted = {name: hull for name, hull in hulls.items() if not _is_rates(hull)}
    if not counted:
        return GRID, GRID, RATES
    weights = {name: _weights(hull) for name, hull in counted.items()}
    first, *others = counted
    for other in others:
        if weights[other] != weights[first]:
            raise Refusal(
                "{}: {} was scored on {}, but {} on {}; a hybrid needs classifiers scored on the same "
                "examples.",
                Parameter("hulls"),
                repr(first),
                _examples(weights[first]),
                repr(other),
                _examples(weights[other]),
            )
    finest = max(counted.values(), key=lambda hull: hull.n_neg)
    n_neg, n_pos, units = finest.n_neg, finest.n_pos, finest.units
    if units.is_wide:
        return n_neg, n_pos, units
    fits = all(
        _is_count(h.fp, n_neg).all() and _is_count(h.tp, n_pos).all() for h in hulls.values() if _is_rates(h)
    )
    if fits or units != UNIT:
        return n_neg, n_pos, units
    neg, pos = (10 ** (len(str(GRID // n)) - 1) for n in (n_neg, n_pos))
    return n_neg * neg, n_pos * pos, Units(float(neg), float(pos))


def _weights(hull: RocHull) -> tuple[Fraction, Fraction, bool]:
    """Weight of the positives and of the negatives, exactly, and whether they are weighted."""
    units = hull.units
    return (
        Fraction(hull.n_pos) / Fraction(units.pos),
        Fraction(hull.n_neg) / Fraction(units.neg),
        units.weighted,
    )


def _examples(weights: tuple[Fraction, Fraction, bool]) -> str:
    pos, neg, weighted = weights
    return f"{float(pos):.15g} positives and {float(neg):.15g} negatives{' by weight' if weighted else ''}"


def _is_count(grid: Array, n: int) -> Array:
    """Whether a given rate on the grid is what a count out of n makes there."""
    return np.asarray(on_grid(np.rint(grid / GRID * n) / n) == grid)


def to_scale(hull: RocHull, n_neg: int, n_pos: int, units: Units) -> tuple[Array, Array]:
    """Vertices in units out of n_neg and n_pos. A given rate that is a count is that count."""
    scaled = []
    for x, total, n, unit in (
        (hull.fp, hull.n_neg, n_neg, units.neg),
        (hull.tp, hull.n_pos, n_pos, units.pos),
    ):
        if n % total == 0:
            scaled.append((x.astype(object) if units.is_wide else x) * (n // total))
            continue
        size = 1 if units.weighted else int(unit)
        nearest = (x.astype(object) * (2 * n) + total) // (2 * total)
        if units.is_wide:
            scaled.append(nearest)
            continue
        count = np.rint(x / GRID * (n // size)).astype(np.int64) * size
        scaled.append(np.where(_is_count(x, n // size), count, nearest.astype(np.int64)))
    return scaled[0], scaled[1]


def _distinct(groups: Iterable[tuple[Rule, ...]]) -> tuple[Rule, ...]:
    return tuple(dict.fromkeys(rule for rules in groups for rule in rules))


class _Origins:
    """Which hull and vertex the j-th inner vertex of many hulls is, without a list of them all."""

    def __init__(self, hulls: list[RocHull]) -> None:
        self.hulls = hulls
        self.ends = np.cumsum([len(h) - 2 for h in hulls])

    def __getitem__(self, j: int) -> tuple[RocHull, int]:
        h = int(np.searchsorted(self.ends, j, side="right"))
        begin = self.ends[h - 1] if h else 0
        return self.hulls[h], int(j - begin) + 1
