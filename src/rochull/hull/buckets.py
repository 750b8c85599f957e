"""Monotone maps from scores to ordered buckets of about equal mass, learned from a sample.

A map is a tree of linear pieces (see :mod:`rochull._core.kernels.hull` for the walk). The root divides the
bulk of the sample evenly; a cell whose sample is uneven is divided again over its own range, and a
value that fills a cell by itself gets a bucket of its own. Whatever the sample was, the map is
monotone: a poor sample costs a further round, never a wrong answer.

Three axes are at hand: the scores themselves; 64-bit keys in the order of the scores (for floats
their bits, which are logarithmic in the distance from 0); and, for scores from 0 to 1, keys that
are logarithmic in the distance from 1 too. The one with the shallowest tree is taken. 64-bit integers
always have keys, for a float64 would merge some.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.sorting import ascending
from rochull._core.validation import Array, Labelled

_ROOT_CELLS = 1024
CELLS = 256
_MAX_DEPTH = 12
# The root divides the sample between these quantiles evenly; the tails get the outermost cells.
_TAIL = 1e-3
# A cell is divided again if it holds more than this share of the sample, and unevenly.
_HEAVY_SHARE = 1 / 256
_GOOD_DEPTH = 1.5
# Buckets of equal length between these quantiles are found in one step. The more crowded the sample is, the
# more they have to be.
_EVEN_TAIL = 1e-4
_MOST_CROWDED = 4.0
_HALF_RANGE = np.finfo(np.float64).max / 2
_SIGN_BIT = np.int64(-(2**63))


Axis = Literal["value", "keys", "folded"]
Pieces: TypeAlias = tuple[Array, Array, Array, Array]  # start, scale, last, base


def ordered_keys(scores: Array, folded: bool = False) -> Array:
    """uint64 keys in the order of the scores (n,), read-only; both zeros have one key."""
    if scores.dtype.kind == "u":
        keys = scores.astype(np.uint64, copy=False).view()
    elif scores.dtype.kind == "i":
        keys = (scores.astype(np.int64) ^ _SIGN_BIT).view(np.uint64)
    else:
        from rochull._core.kernels import hull as kernels

        keys = np.empty(scores.size, np.uint64)
        kernels.float_keys(scores, folded, keys)
    keys.flags.writeable = False  # as scores are, so that kernels are compiled for one kind of array
    return keys


@dataclass(eq=False)
class BucketGrid:
    """`cells` cells of equal length; each is a run of equal buckets, or a grid of its own.

    Starts are keys: float64, or uint64.
    """

    start: Array  # a scalar array ()
    scale: float
    cells: int
    leaf_start: Array = field(repr=False)
    leaf_scale: Array = field(repr=False)
    leaf_width: Array = field(repr=False)  # (cells,) buckets in the cell
    children: dict[int, BucketGrid] = field(default_factory=dict)

    @classmethod
    def plain(cls, start: Array, scale: float, cells: int) -> BucketGrid:
        """Every cell one bucket."""
        return cls(
            start, scale, cells, np.zeros(cells, start.dtype), np.zeros(cells), np.ones(cells, np.int64)
        )


def _scale(cells: int, low: Array, high: Array) -> float:
    """Cells per unit of the axis."""
    with np.errstate(all="ignore"):
        return float(np.float64(cells) / np.float64(high - low))


def _walk(keys: Array, start: Array, scale: float, cells: int) -> Array:
    """The cell of each key: the kernel's step, vectorised."""
    with np.errstate(all="ignore"):
        f = np.where(keys > start, keys - start, 0).astype(np.float64) * scale
    f[~(f < cells - 1)] = cells - 1
    f[~(keys > start)] = 0
    return f.astype(np.int64)


def _atom(value: Array) -> tuple[Array, float, int]:
    """Start, scale and width of a run of three buckets: below `value`, `value` itself, above."""
    if value.dtype.kind == "u":
        return (value - np.uint64(1) if value else value), 1.0, 3
    with np.errstate(all="ignore"):  # below the lowest float64 is -inf
        below = np.nextafter(value, -np.inf)
    return below, _scale(1, below, value), 3


def divide(
    keys: Array, low: Array, high: Array, cells: int, *, density: float, heavy: int, depth: int = 0
) -> BucketGrid:
    """Divide [low, high] evenly, then every uneven heavy cell again; `keys` is the sorted sample.

    `density` is the number of buckets an example of the sample is worth.
    """
    scale = _scale(cells, low, high)
    cut = np.searchsorted(_walk(keys, low, scale, cells), np.arange(cells + 1))
    mass = np.diff(cut)
    width = np.maximum(1, np.rint(mass * density)).astype(np.int64)
    with np.errstate(all="ignore"):
        offset = np.arange(cells + 1) * (np.float64(high - low) / cells)
        edge = low + offset.astype(keys.dtype)
        edge[0], edge[-1] = min(keys[0], low), max(keys[-1], high)
        leaf_scale = width / (edge[1:] - edge[:-1]).astype(np.float64)
    grid = BucketGrid(low, scale, cells, edge[:-1].copy(), np.nan_to_num(leaf_scale, posinf=0.0), width)
    occupied = np.flatnonzero(mass > 1)
    tied = occupied[keys[cut[occupied]] == keys[cut[occupied + 1] - 1]]
    for cell in tied:
        grid.leaf_start[cell], grid.leaf_scale[cell], width[cell] = _atom(keys[cut[cell]])
    if depth >= _MAX_DEPTH:
        return grid
    for cell in np.setdiff1d(np.flatnonzero(mass > heavy), tied):
        inside = keys[cut[cell] : cut[cell + 1]]
        first, final = inside[0], inside[-1]
        coarse = np.bincount(_walk(inside, first, _scale(16, first, final), 16))
        if coarse.max() > len(inside) / 4:
            child = divide(inside, first, final, CELLS, density=density, heavy=heavy, depth=depth + 1)
            grid.children[int(cell)] = child
    return grid


@dataclass(eq=False)
class BucketMap:
    """A monotone map from scores to buckets 0, 1, ... (low scores first).

    Attributes
    ----------
    root : the tree.
    axis : what is divided: the scores' values, 64-bit keys, or keys folded at 0.5.
    """

    root: BucketGrid
    axis: Axis = "value"

    @classmethod
    def learn(cls, sample: Array, n_buckets: int, evenly: int = 0, most: int | None = None) -> BucketMap:
        """From a sample of scores (m,), for about `n_buckets` buckets of equal mass.

        Or, where it lies evenly enough, for buckets of equal length: as fine as `evenly` ones of equal mass,
        if these are at most `most`.
        """
        sample, _ = ascending(sample)
        axes = _axes(sample)
        for axis, u in axes.items() if evenly else ():
            if (grid := _even(u, evenly, most)) is not None:
                return cls(grid, axis)
        best: tuple[float, BucketMap] | None = None
        for axis, u in axes.items():
            tree = _tree(u, n_buckets)
            depth = _depth(tree, u)
            if best is None or depth < best[0]:
                best = depth, cls(tree, axis)
            if best[0] < _GOOD_DEPTH or sample.dtype.kind in "iu":
                break
        assert best is not None
        return best[1]

    @cached_property
    def _flat(self) -> tuple[Pieces, int]:
        return flatten(self.root)

    @property
    def pieces(self) -> Pieces:
        """The kernel's arrays: start, scale, last, base."""
        return self._flat[0]

    @property
    def size(self) -> int:
        """Number of buckets."""
        return self._flat[1]

    def slim(self) -> BucketMap:
        """The map without the tree that it was flattened from."""
        flat = BucketMap(BucketGrid.plain(np.zeros(1)[0], 0.0, 1), self.axis)
        flat.__dict__["_flat"] = (self.pieces, self.size)
        return flat

    def keys(self, scores: Array) -> Array:
        """The values that the kernels divide (n,): the scores, or their 64-bit keys."""
        return scores if self.axis == "value" else ordered_keys(scores, self.axis == "folded")

    def axis_keys(self, scores: Array) -> Array:
        """The values that are divided (n,), as float64 or uint64."""
        return self.keys(scores).astype(np.float64, copy=False) if self.axis == "value" else self.keys(scores)

    def locate(self, scores: Array) -> Array:
        """The bucket of each score, int32 (n,)."""
        from rochull._core.kernels import hull as kernels

        out, keys = np.empty(scores.size, np.int32), self.keys(scores).view()
        keys.setflags(write=False)  # as those of all rows are
        kernels.buckets_of(keys, self.pieces, out)
        return out

    @property
    def divided(self) -> Array:
        """Which buckets are counted: all."""
        return np.ones(self.size, bool)

    def within(self, marked: Array) -> BucketMap:
        """Tell a task which rows can be in these buckets (size,), from low to high."""
        return self

    def rows(self, data: Labelled) -> tuple[Labelled, Array]:
        """Rows for a kernel that walks through the pieces, and their keys; here all of them."""
        return data, self.keys(data.scores)

    def spans(self, buckets: Array) -> tuple[Array, Array]:
        """The keys (k, 2) between which these buckets lie, and for which of them that is known."""
        start, scale, _, base = self.pieces
        leaves = np.flatnonzero(base >= 0)
        leaves = leaves[np.argsort(base[leaves], kind="stable")]
        piece = leaves[np.searchsorted(base[leaves], buckets, side="right") - 1]
        return spans_of(start[piece], scale[piece], buckets - base[piece])


def spans_of(start: Array, scale: Array, part: Array) -> tuple[Array, Array]:
    """The keys (k, 2) between which parts of pieces lie, and for which of them another key is between."""
    with np.errstate(all="ignore"):
        width = 1.0 / scale
        ends = np.stack([part * width, (part + 0.5) * width, (part + 1.0) * width])
        known = np.isfinite(ends).all(axis=0) & (ends < 2.0**63).all(axis=0)
        keys = start + np.where(known, ends, 0.0).astype(start.dtype)
        known &= (keys[0] < keys[1]) & (keys[1] < keys[2]) & np.isfinite(keys[2].astype(np.float64))
    return keys[::2].T, known


def _axes(sample: Array) -> dict[Axis, Array]:
    """The axes that could divide a sorted sample of scores, and its values on them (m,)."""
    if sample.dtype.kind in "iu" and sample.dtype.itemsize == 8:
        return {"keys": ordered_keys(sample)}
    values = sample.astype(np.float64)
    axes: dict[Axis, Array] = {}
    with np.errstate(invalid="ignore"):
        if values[-1] / 2 - values[0] / 2 < _HALF_RANGE:  # finite, and the range does not overflow
            axes["value"] = values
    axes["keys"] = ordered_keys(values)
    if values[0] >= 0 and values[-1] <= 1:
        axes["folded"] = ordered_keys(values, True)
    return axes


def _even(keys: Array, n_buckets: int, most: int | None = None) -> BucketGrid | None:
    """Equal buckets, as fine where a sorted sample is as `n_buckets` of equal mass; None if it is crowded."""
    tail = int(keys.size * _EVEN_TAIL)
    low, high = keys[tail], keys[keys.size - 1 - tail]
    if not low < high:
        return None
    share = np.bincount(_walk(keys, low, _scale(_ROOT_CELLS, low, high), _ROOT_CELLS)) / keys.size
    crowded = _ROOT_CELLS * float(share @ share)  # how many times as full a bucket is, for the mean example
    scale = _scale(cells := int(n_buckets * crowded), low, high)
    if not (crowded < _MOST_CROWDED and 0 < scale < np.inf) or (most is not None and cells > most):
        return None
    grid = BucketGrid.plain(low, 0.0, 1)
    grid.leaf_start[0], grid.leaf_scale[0], grid.leaf_width[0] = low, scale, cells
    return grid


def numbered(size: int) -> Pieces:
    """The pieces where keys are the numbers of buckets: one piece of as many."""
    last = float(size - 1)
    return np.zeros(2), np.array([0.0, 1.0]), np.array([0.0, last]), np.array([~1, 0], np.int32)


def _tree(keys: Array, n_buckets: int) -> BucketGrid:
    """The tree of a sorted sample on one axis."""
    m = keys.size
    low, high = keys[int(m * _TAIL)], keys[m - 1 - int(m * _TAIL)]
    if low == high:
        low, high = keys[0], keys[-1]
    if low == high:
        grid = BucketGrid.plain(low, 0.0, 1)
        grid.leaf_start[0], grid.leaf_scale[0], grid.leaf_width[0] = _atom(low)
        return grid
    heavy = max(8, int(m * _HEAVY_SHARE))
    return divide(keys, low, high, _ROOT_CELLS, density=n_buckets / m, heavy=heavy)


def _depth(grid: BucketGrid, keys: Array) -> float:
    """Mean number of pieces below the root that the sample walks through."""
    if not grid.children or not keys.size:
        return 1.0
    cell = _walk(keys, grid.start, grid.scale, grid.cells)
    parts = {k: keys[cell == k] for k in grid.children}
    deeper = sum(_depth(grid.children[k], part) * part.size for k, part in parts.items())
    return 1.0 + float(deeper / keys.size)


def flatten(root: BucketGrid) -> tuple[Pieces, int]:
    """Lay the tree out in arrays: children of a piece side by side, buckets in the scores' order."""
    start, scale, last, base = ([np.zeros(1)] for _ in range(4))
    n_pieces, n_buckets = 1, 0

    def lay(grid: BucketGrid) -> tuple[Array, float, int, int]:
        nonlocal n_pieces, n_buckets
        block = n_pieces
        n_pieces += grid.cells
        starts = grid.leaf_start.copy()
        scales, lasts, bases = np.zeros((3, grid.cells))
        start.append(starts)
        for column, values in ((scale, scales), (last, lasts), (base, bases)):
            column.append(values)
        done = 0
        for stop in [*sorted(grid.children), grid.cells]:
            run = slice(done, stop)
            width = grid.leaf_width[run]
            scales[run], lasts[run] = grid.leaf_scale[run], width - 1
            bases[run] = n_buckets + np.cumsum(width) - width
            n_buckets += int(width.sum())
            if stop < grid.cells:
                starts[stop], scales[stop], lasts[stop], bases[stop] = lay(grid.children[stop])
            done = stop + 1
        return grid.start, grid.scale, grid.cells - 1, ~block

    top = lay(root)
    start[0] = np.array([top[0]])
    scale[0][0], last[0][0], base[0][0] = top[1:]
    flat = np.concatenate(start), np.concatenate(scale), np.concatenate(last)
    return (*flat, np.concatenate(base).astype(np.int32)), n_buckets
