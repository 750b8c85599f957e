"""Cutting auxiliary columns into bins, none of them too small.

A numeric column is cut at edges, another into its categories; several columns make a product of bins, or
a tree divides them. Cells with too few examples are merged by a stated rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise, product
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Setting, refused
from rochull._core.validation import Array
from rochull.decisions.axes import UNSEEN, Axis, Bins, Column, aux_columns, coded, is_long, is_missing

_KINDS = ("auto", "quantile", "uniform", "category")
_MOST_CELLS = 1_000_000
_FINE = 64  # cells of a numeric column among whose edges a tree chooses


def fit_bins(
    aux: Any, spec: Any, positive: Array, *, n_bins: int = 10, min_bin: int = 20, score: Array | None = None
) -> Bins:
    """Cut the auxiliary columns of labelled examples into bins of at least `min_bin` of each class.

    Cells of one ordered column that hold fewer are merged with the neighbour that holds fewer examples;
    of categories, and of several columns, all such cells together are one bin, which takes the smallest
    others until it holds enough.
    """
    columns = aux_columns(aux, positive.size, list(spec) if isinstance(spec, Mapping) else None)
    if isinstance(spec, str) and spec == "tree":
        return _tree_bins(columns, positive, score, n_bins, min_bin)
    if not isinstance(spec, (str, int, np.integer, Mapping)) and len(columns) > 1:
        raise ValueError(
            f"bins are edges of one column, but aux has {len(columns)}; give a mapping of columns."
        )
    axes = tuple(
        _axis(name, values, spec[name] if isinstance(spec, Mapping) else spec, n_bins)
        for name, values in columns.items()
    )
    return _merged(axes, columns, positive, min_bin)


def _merged(axes: tuple[Axis, ...], columns: Mapping[Column, Array], positive: Array, min_bin: int) -> Bins:
    sizes = [len(axis) for axis in axes]
    if math.prod(sizes) > _MOST_CELLS:
        raise ValueError(
            f"bins make {math.prod(sizes)} combinations of cells; at most {_MOST_CELLS} are possible."
        )
    cells = axes[0].cells(columns[axes[0].column])
    for axis in axes[1:]:
        cells = cells * len(axis) + axis.cells(columns[axis.column])
    total = math.prod(sizes)
    neg, pos = np.bincount(2 * cells + positive, minlength=2 * total).reshape(-1, 2).T
    return merged_cells(axes, pos, neg, min_bin)


def merged_cells(axes: tuple[Axis, ...], pos: Array, neg: Array, min_bin: int) -> Bins:
    """Bins of cells with so many positives and negatives (c,)."""
    if len(axes) == 1 and axes[0].ordered:
        of_cell = _merge_neighbours(pos, neg, min_bin, axes[0].missing)
        if axes[0].edges is not None:
            return _without_edges(axes[0], of_cell)
    else:
        of_cell = _merge_rest(pos, neg, min_bin)
    return Bins(axes, of_cell, _labels(axes, of_cell))


def _enough(pos: Array, neg: Array, min_bin: int) -> Array:
    return np.asarray((pos >= min_bin) & (neg >= min_bin))


def _merge_neighbours(pos: Array, neg: Array, min_bin: int, missing: bool) -> Array:
    """Runs of cells, each with enough of both classes; a cell of missing values may join the last."""
    cells = [i for i in range(pos.size) if pos[i] + neg[i] or not missing or i < pos.size - 1]
    size = [(int(pos[i]), int(neg[i])) for i in cells]
    # A group is called by its first place; whoever joins another begins no group any more.
    begins, before, after = (
        [True] * len(cells),
        list(range(-1, len(cells) - 1)),
        list(range(1, len(cells) + 1)),
    )
    short = [(sum(both), i) for i, both in enumerate(size) if min(both) < min_bin]
    heapify(short)
    while short:
        total, i = heappop(short)
        if not begins[i] or total != sum(size[i]) or min(size[i]) >= min_bin:
            continue  # as it was before it grew
        near = [j for j in (before[i], after[i]) if 0 <= j < len(cells)]
        if not near:
            break
        j = min(near, key=lambda k: sum(size[k]))
        a, b = min(i, j), max(i, j)
        size[a] = size[a][0] + size[b][0], size[a][1] + size[b][1]
        begins[b], after[a] = False, after[b]
        if after[b] < len(cells):
            before[after[b]] = a
        heappush(short, (sum(size[a]), a))
    of_cell = np.full(pos.size, UNSEEN)
    of_cell[cells] = np.cumsum(begins) - 1
    return of_cell


def _merge_rest(pos: Array, neg: Array, min_bin: int) -> Array:
    """Cells with enough of both classes; the rest is one bin, which takes others until it has enough."""
    seen = pos + neg > 0
    good = _enough(pos, neg, min_bin)
    rest = seen & ~good
    for i in np.flatnonzero(good)[np.argsort((pos + neg)[good], kind="stable")]:
        if not rest.any() or (pos[rest].sum() >= min_bin and neg[rest].sum() >= min_bin):
            break
        rest[i], good[i] = True, False
    of_cell = np.full(pos.size, UNSEEN)
    of_cell[good] = np.arange(good.sum())
    of_cell[rest] = good.sum()
    return of_cell


def _without_edges(axis: Axis, of_cell: Array) -> Bins:
    """Merged cells of a numeric column as longer ones."""
    inner = of_cell[: len(of_cell) - axis.missing]
    kept = tuple(edge for edge, a, b in zip(axis.edges or (), inner, inner[1:], strict=False) if a != b)
    shorter = Axis(axis.column, edges=kept, missing=axis.missing)
    bins = np.append(np.unique(inner), of_cell[-1:] if axis.missing else [])
    bins = bins.astype(np.int64)
    return Bins((shorter,), bins, _labels((shorter,), bins))


# --- one column --------------------------------------------------------------------------------------


_TOO_LONG = (
    "column {} holds integers beyond 2**53, which float64 cannot tell apart; rank them, or use 'category'."
)


def _axis(column: Column, values: Array, spec: Any, n_bins: int) -> Axis:
    """How a column of the training data is cut."""
    gone = is_missing(values)
    missing = bool(gone.any())
    known = values[~gone] if missing else values
    numeric = values.dtype.kind in "iuf"
    if isinstance(spec, (bool, np.bool_)):
        raise ValueError(f"bins of column {column!r} must not be {spec!r}.")
    if numeric and not (isinstance(spec, str) and spec == "category") and is_long(values):
        raise refused("aux", _TOO_LONG, repr(column))
    if not isinstance(spec, (str, int, np.integer)):
        return Axis(column, edges=_given_edges(column, spec, numeric), missing=missing)
    if isinstance(spec, (int, np.integer)):
        n_bins, spec = validation.whole(int(spec), f"bins of column {column!r}", 1), "quantile"
    if spec not in _KINDS:
        raise ValueError(
            f"bins of column {column!r} must be one of {_KINDS}, a number or edges, but is {spec!r}."
        )
    if spec == "category" or (spec == "auto" and not numeric):
        read = coded(known)
        distinct = set(known.tolist()) if read is None else {read[1][i] for i in np.unique(read[0]).tolist()}
        if any(isinstance(c, str) for c in distinct):
            return Axis(column, categories=tuple(sorted(distinct, key=str)), missing=missing)
        return Axis(column, categories=tuple(sorted(distinct)), missing=missing)
    if not numeric:
        text = "column {} holds no numbers, so {} is not possible; use 'category'."
        raise refused("aux", text, repr(column), Setting("bins", spec))
    finite = np.compress(np.isfinite(known), known) if known.dtype.kind == "f" else known
    cuts = finite
    if finite.size and spec == "uniform":
        cuts = np.linspace(finite.min(), finite.max(), n_bins + 1)[1:-1]
    elif finite.size:
        ordered = np.sort(finite)
        cuts = ordered[(np.arange(1, n_bins) * ordered.size) // n_bins]
        # Where the lowest value is many, the first cut is above it.
        above = ordered[ordered > ordered[:1]][:1]
        cuts = np.where(cuts > ordered[:1], cuts, above) if above.size else above
    return Axis(column, edges=tuple(sorted({float(cut) for cut in cuts})), missing=missing)


def _given_edges(column: Column, spec: Any, numeric: bool) -> tuple[float, ...]:
    try:
        edges = np.asarray(spec, float)
    except (TypeError, ValueError):
        raise ValueError(f"bins of column {column!r} must be numbers, but are {spec!r}.") from None
    if edges.ndim != 1 or not np.isfinite(edges).all() or (np.diff(edges) <= 0).any():
        raise ValueError(f"bins of column {column!r} must be finite, ascending edges, but are {spec!r}.")
    if not numeric:
        raise refused("aux", "column {} holds no numbers, so it cannot be cut at edges.", repr(column))
    return tuple(edges.tolist())


def _labels(axes: tuple[Axis, ...], of_cell: Array) -> tuple[str, ...]:
    """A name for each bin: the box of cells that it is, or "other"."""
    cells = np.stack(np.unravel_index(np.arange(of_cell.size), [len(axis) for axis in axes]))
    names = []
    order = np.argsort(of_cell, kind="stable")
    ends = np.searchsorted(of_cell[order], np.arange(int(of_cell.max()) + 2))
    for begin, end in pairwise(ends.tolist()):
        own = cells[:, order[begin:end]]
        sides = [np.unique(side).tolist() for side in own]
        if math.prod(map(len, sides)) != own.shape[1]:
            names.append("other")
            continue
        parts = [axis.label(side) for axis, side in zip(axes, sides, strict=True)]
        names.append(" and ".join(part for part in parts if part) or "all")
    return tuple(names)


# --- a tree ------------------------------------------------------------------------------------------


def _tree_bins(
    columns: Mapping[Column, Array], positive: Array, score: Array | None, n_bins: int, min_bin: int
) -> Bins:
    """Bins by a regression tree on all columns; its cuts make a grid whose cells are merged leaf by leaf.

    The tree looks for cuts that move the prior, and the mean and spread of the scores of each class.
    Categories are put in the order of their share of positives first.
    """
    from sklearn.tree import DecisionTreeRegressor

    names = list(columns)
    fine = [_axis(name, columns[name], "auto", _FINE) for name in names]
    cells = [axis.cells(columns[name]) for axis, name in zip(fine, names, strict=True)]
    place = [_places(axis, own, positive) for axis, own in zip(fine, cells, strict=True)]
    features = np.column_stack([order[own] for order, own in zip(place, cells, strict=True)])
    tree = DecisionTreeRegressor(max_leaf_nodes=max(2, n_bins), min_samples_leaf=2 * min_bin, random_state=0)
    tree.fit(features.astype(np.float32), _moments(positive, score))
    cut = {j: np.sort(tree.tree_.threshold[tree.tree_.feature == j]) for j in range(len(names))}
    used = [j for j in cut if cut[j].size] or [0]
    axes, at = zip(*(_coarse(fine[j], place[j], cut[j]) for j in used), strict=True)
    grid = np.zeros((math.prod(map(len, at)), len(names)), np.float32)
    grid[:, used] = list(product(*at))
    leaves, leaf_of_cell = np.unique(tree.apply(grid), return_inverse=True)
    if leaves.size == 1:
        return Bins(axes, np.zeros(len(grid), np.int64), ("all",))
    leaf = np.searchsorted(leaves, tree.apply(features.astype(np.float32)))
    pos = np.bincount(leaf[positive == 1], minlength=leaves.size)
    merged = _merge_rest(pos, np.bincount(leaf, minlength=leaves.size) - pos, min_bin)
    of_cell = merged[leaf_of_cell]
    return Bins(axes, of_cell, _labels(axes, of_cell))


def _places(axis: Axis, cells: Array, positive: Array) -> Array:
    """Where each cell stands in the order that the tree cuts: categories by their share of positives."""
    if axis.edges is not None:
        return np.arange(len(axis))
    count = np.bincount(cells, minlength=len(axis))
    share = np.bincount(cells[positive == 1], minlength=len(axis)) / np.maximum(count, 1)
    return np.argsort(np.argsort(share, kind="stable"), kind="stable")


def _coarse(axis: Axis, place: Array, cuts: Array) -> tuple[Axis, list[int]]:
    """An axis with the edges that the tree uses, and a place inside of each of its cells."""
    if axis.edges is None:
        return axis, place.tolist()
    inner = sorted({int(cut) for cut in cuts} & set(range(len(axis.edges))))
    at = [0, *(i + 1 for i in inner), *([len(axis) - 1] if axis.missing else [])]
    return Axis(axis.column, edges=tuple(axis.edges[i] for i in inner), missing=axis.missing), at


def _moments(positive: Array, score: Array | None) -> Array:
    """The targets of the tree: the class, and mean and spread of each class's ranks (n, 5)."""
    y = (positive == 1).astype(float)
    rank = np.zeros(y.size)
    if score is not None:
        _, index, count = np.unique(score, return_inverse=True, return_counts=True)
        rank = (np.cumsum(count) - count / 2)[index] / y.size - 0.5
    targets = np.column_stack([y, y * rank, (1 - y) * rank, y * rank**2, (1 - y) * rank**2])
    spread = targets.std(axis=0)
    return np.asarray(targets / np.where(spread > 0, spread, 1))
