"""Several hulls as one: the operating points of the ROCCH hybrid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rochull._points import GRID, RATES, to_grid, vertices_of
from rochull._tally import Units
from rochull._validation import Array
from rochull.hull import RocHull
from rochull.rules import ALWAYS, NEVER, Rule


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
    if not hulls:
        raise ValueError("hulls is empty: there is nothing to unite.")
    named = [_with_owner(hull, name) for name, hull in hulls.items()]
    scored = [(h, name) for h, name in zip(named, hulls, strict=True) if not _is_rates(h)]
    totals = {(h.n_neg, h.n_pos, h.units): name for h, name in scored}
    if len(totals) > 1:
        (one, first), (other, second) = list(totals.items())[:2]
        raise ValueError(
            f"hulls: {first!r} was scored on {_examples(one)}, but {second!r} on {_examples(other)}; "
            "a hybrid needs classifiers scored on the same examples."
        )
    counted = not any(map(_is_rates, named))
    n_neg, n_pos, units = next(iter(totals)) if counted else (GRID, GRID, RATES)
    parts = [(h.fp, h.tp) if counted else _on_grid(h, next(iter(totals), None)) for h in named]
    fp, tp = (np.concatenate([part[axis][1:-1] for part in parts]) for axis in (0, 1))
    origin = _Origins(named)
    vertices, equal = vertices_of(fp, tp, n_neg, n_pos)
    inner = [_distinct(origin[j][0].owners[origin[j][1]] for j in group) for group in equal]
    owners = ((NEVER,), *inner, (ALWAYS,))
    for hull in named:
        if hull.blocks is None and hull.units == units and hull._owners == owners:
            return hull
    curves = {name: curve for h in named for name, curve in h.curves.items()} if counted else {}
    return RocHull(*vertices, n_neg, n_pos, units, curves=curves, _owners=owners)


def _with_owner(hull: RocHull, name: str) -> RocHull:
    """The hull with its rules in somebody's name; a union keeps its owners' names."""
    return hull if hull.classifiers else hull.named(name)


def _is_rates(hull: RocHull) -> bool:
    return hull.units == RATES


def _examples(totals: tuple[int, int, Units]) -> str:
    n_neg, n_pos, units = totals
    return f"{n_pos / units.pos:g} positives and {n_neg / units.neg:g} negatives"


def _on_grid(hull: RocHull, totals: tuple[int, int, Units] | None) -> tuple[Array, Array]:
    """Vertices on the grid of rates. A given rate that is a count over the total is that count."""
    if not _is_rates(hull):
        return tuple(to_grid(c, n) for c, n in ((hull.fp, hull.n_neg), (hull.tp, hull.n_pos)))  # type: ignore[return-value]
    if totals is None:
        return hull.fp, hull.tp
    snapped = []
    for grid, n in ((hull.fp, totals[0]), (hull.tp, totals[1])):
        rate = grid / GRID
        count = np.rint(rate * n)
        exact = to_grid(count.astype(np.int64), n)
        snapped.append(np.where(count / n == rate, exact, grid))
    return snapped[0], snapped[1]


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
