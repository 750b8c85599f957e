"""Maps in which some buckets of another map are divided: what a further round counts and looks into.

Only rows of the divided buckets are placed anew. The others are left out by a bit for each bucket, so that a
further round costs little more than to read, however many the rows; and the parts are so few that their
counts stay in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array, Labelled
from rochull.hull.buckets import CELLS, BucketMap, Pieces, divide, flatten, numbered, spans_of
from rochull.hull.cut_map import CutMap

# Parts of all divided buckets together, about: in between, as many as there were buckets.
_FEW_PARTS, _MANY_PARTS = 1 << 16, 1 << 20
_MOST, _LEAST = 256, 8  # parts of one bucket, as long as there are enough
# Buckets of which the sample has so many scores, more than half of them in one of so many cells, are divided
# as these lie, by a tree of their own; as many buckets at most.
_SEVERAL, _CELLS, _MOST_TREES = 6, 16, 256
_TINY = 1e-290  # a span of which the scale of its parts would overflow
_BLOCK = 1 << 17  # rows that are placed at once


@dataclass(eq=False)
class DividedMap:
    """A monotone map from scores to buckets, some of which are parts of a bucket of `parent`.

    Attributes
    ----------
    parent : the map whose buckets are divided.
    slots : int32 (parent.size,) the number of each divided bucket among these, else -1; from low to high.
    first : int32 (parent.size + 1,) the number of each bucket's first part; of others their number here.
    tree : pieces, one for each divided bucket first; parts are numbered from 0 in each.
    """

    parent: BucketMap | CutMap | DividedMap
    slots: Array
    first: Array
    tree: Pieces

    @classmethod
    def of(
        cls, parent: BucketMap | CutMap | DividedMap, sample: Array, wanted: Array, units: Array
    ) -> DividedMap:
        """Divide the buckets in the mask `wanted` (parent.size,), low scores first.

        Each is divided evenly: between those of its scores that are in `sample` (m,), or between its ends.
        `units` (k,) of weight in each of them say how many parts it is worth.
        """
        chosen = np.flatnonzero(wanted)
        share = units.astype(np.float64)
        parts = max(_FEW_PARTS, min(_MANY_PARTS, parent.size))
        least = max(2, min(_LEAST, parts // max(chosen.size, 1)))
        worth = np.maximum(least, np.rint(parts * (share / max(share.sum(), 1.0))))
        numbers, keys = parent.locate(sample), parent.axis_keys(sample)
        order = np.lexsort((keys, numbers))
        order = order[wanted[numbers[order]]]
        numbers, keys = numbers[order], keys[order]
        begin, end = np.searchsorted(numbers, chosen), np.searchsorted(numbers, chosen, side="right")
        held = end - begin
        low, half, known = _between(parent, chosen, keys, begin, end)
        width = np.where(known, np.minimum(worth, _MOST), 1.0)
        with np.errstate(all="ignore"):
            scale = np.where(known, width / 2 / half, 0.0)
        pieces = [low, scale, width - 1, np.zeros(chosen.size, np.int64)]
        heavy = _uneven(keys, held, begin, low, half)
        pieces = _with_trees(pieces, width, heavy, [keys[begin[i] : end[i]] for i in heavy], worth[heavy])
        slots = np.full(parent.size, -1, np.int32)
        slots[chosen] = np.arange(chosen.size)
        widths = np.ones(parent.size, np.int64)
        widths[chosen] = width
        first = np.concatenate(([0], np.cumsum(widths))).astype(np.int32)
        start, scale, last, base = pieces
        return cls(parent, slots, first, (start, scale, last, base.astype(np.int32)))

    @property
    def size(self) -> int:
        """Number of buckets."""
        return int(self.first[-1])

    @property
    def pieces(self) -> Pieces:
        """Where keys are the numbers of buckets: one piece of as many."""
        return numbered(self.size)

    @property
    def divided(self) -> Array:
        """Which buckets (size,) are parts of a divided one, low scores first."""
        return np.repeat(self.slots >= 0, np.diff(self.first))

    def slim(self) -> DividedMap:
        """The map without the trees that it was flattened from."""
        return DividedMap(self.parent.slim(), self.slots, self.first, self.tree)

    def axis_keys(self, scores: Array) -> Array:
        """The values that are divided (n,)."""
        return self.parent.axis_keys(scores)

    def locate(self, scores: Array) -> Array:
        """The bucket of each score, int32 (n,)."""
        numbers = self.parent.locate(scores)
        self.number(self.axis_keys(scores), numbers)
        return numbers

    def number(self, keys: Array, numbers: Array) -> None:
        """Replace the numbers of the parent's buckets by those here."""
        from rochull._core.kernels import buckets as kernels

        kernels.number_parts(keys, self.slots, self.first, self.tree, numbers)

    def keys(self, scores: Array) -> Array:
        """The numbers of the scores' buckets, which the pieces divide."""
        return self.locate(scores).astype(np.float64)

    def within(self, marked: Array) -> MarkedRows:
        """Tell a task which rows are in these buckets (size,), from low to high."""
        return MarkedRows.of(self, marked)

    def spans(self, buckets: Array) -> tuple[Array, Array]:
        """The keys (k, 2) between which these buckets lie, and for which of them that is known."""
        owner = np.searchsorted(self.first, buckets, side="right") - 1
        slot, part = self.slots[owner], buckets - self.first[owner]
        start, scale, _, base = self.tree
        if not start.size:
            return self.parent.spans(owner)
        ends, known = spans_of(start[slot], scale[slot], part)
        above, there = self.parent.spans(owner)
        whole = slot < 0
        return np.where(whole[:, None], above, ends), np.where(whole, there, known & (base[slot] >= 0))


@dataclass(eq=False)
class MarkedRows:
    """The rows of some buckets of a divided map.

    Attributes
    ----------
    of_map : the map.
    marked : bool (size,) the buckets, low scores first.
    above : the same of its parent: the buckets in which some of these are.
    """

    of_map: DividedMap
    marked: Array
    above: MarkedRows | tuple[BucketMap | CutMap, Array]

    @classmethod
    def of(cls, buckets: DividedMap, marked: Array) -> MarkedRows:
        """The rows of the buckets that are marked, low scores first."""
        from rochull._core.kernels.buckets import marked_words

        parent, some = buckets.parent, np.logical_or.reduceat(marked, buckets.first[:-1])
        if isinstance(parent, DividedMap):
            return cls(buckets, marked, cls.of(parent, some))
        return cls(buckets, marked, (parent, marked_words(some)[0]))

    def rows(self, data: Labelled) -> tuple[Labelled, Array]:
        """The rows, and the numbers of their buckets as keys of the map's pieces."""
        parts = [
            self.found(data.scores[begin : begin + _BLOCK], begin)
            for begin in range(0, data.scores.size, _BLOCK)
        ]
        hits, numbers = (np.concatenate([part[i] for part in parts]) for i in (0, 2)) if parts else ((), ())
        hits = np.asarray(hits, np.int64)
        weights = None if data.weights is None else data.weights[hits]
        keys = np.asarray(numbers, np.float64)
        keys.flags.writeable = False
        return Labelled(data.positive[hits], data.scores[hits], weights), keys

    def found(self, scores: Array, begin: int = 0) -> tuple[Array, Array, Array]:
        """Which rows these are, counted from `begin`, their keys and the numbers of their buckets."""
        hits, keys, numbers = self._above(scores, begin)
        self.of_map.number(keys, numbers)
        held = self.marked[numbers]
        return hits[held], keys[held], numbers[held]

    def _above(self, scores: Array, begin: int) -> tuple[Array, Array, Array]:
        from rochull._core.kernels import buckets as kernels

        if isinstance(self.above, MarkedRows):
            return self.above.found(scores, begin)
        buckets, words = self.above
        keys = buckets.keys(scores)
        hits, numbers = np.empty((2, scores.size), np.int32)
        found = kernels.find_marked(keys, buckets.pieces, words, hits, numbers)
        hits = hits[:found]
        picked = buckets.axis_keys(scores[hits])
        return hits + begin, picked, numbers[:found].copy()


def _between(
    parent: BucketMap | CutMap | DividedMap, chosen: Array, keys: Array, begin: Array, end: Array
) -> tuple[Array, Array, Array]:
    """Where each bucket is divided: from which key on, half of how far (float64), and whether it can be."""
    ends, known = parent.spans(chosen)
    held = np.flatnonzero(end > begin)
    low, high = ends.T.copy()
    low[held], high[held] = keys[begin[held]], keys[end[held] - 1]
    several = np.zeros(chosen.size, bool)
    several[held] = low[held] < high[held]
    single = np.setdiff1d(held, np.flatnonzero(several))
    low[single], high[single] = ends[single].T
    with np.errstate(all="ignore"):
        # Scores of a sample seldom are the outermost ones: as much again is left beside them as between them.
        if low.dtype.kind == "u":
            pad = np.where(several, (high - low) // np.maximum(end - begin, 1).astype(np.uint64), 0)
            pad = pad.astype(np.uint64)
            return low - np.minimum(pad, low), (high - low) / 2.0 + pad, known | several
        pad = np.where(several, (high - low) / np.maximum(end - begin, 1), 0.0)
        pad = np.where(np.isfinite(pad) & (high - low > _TINY), pad, 0.0)
        start = low - pad
        start = np.where(np.isfinite(start) | ~np.isfinite(low), start, low)
        # What is above the start of such a span is in its last part: half of the sample.
        halved = np.flatnonzero(several & (high - low <= _TINY))
        middle = keys[(begin[halved] + end[halved] - 1) // 2]
        start[halved] = np.where(middle < high[halved], middle, low[halved])
        return start, (high / 2 + pad / 2) - start / 2, known | several


def _uneven(keys: Array, held: Array, begin: Array, low: Array, half: Array) -> Array:
    """The buckets, of which the sample has `held` keys each, from `begin` on, in which these lie unevenly."""
    owner = np.repeat(np.arange(held.size), held)
    mine = keys[np.repeat(begin - (np.cumsum(held) - held), held) + np.arange(owner.size)]
    with np.errstate(all="ignore"):
        offset = np.where(mine > low[owner], mine - low[owner], 0).astype(np.float64)
        cell = np.nan_to_num(np.minimum(offset / half[owner] * (_CELLS / 2), _CELLS - 1)).astype(np.int64)
    most = np.bincount(owner * _CELLS + cell, minlength=held.size * _CELLS).reshape(-1, _CELLS).max(axis=1)
    uneven = np.flatnonzero((2 * most > held) & (held >= _SEVERAL))
    return np.sort(uneven[np.argsort(-held[uneven], kind="stable")[:_MOST_TREES]])


def _with_trees(pieces: list[Any], width: Array, heavy: Array, parts: list[Array], worth: Array) -> list[Any]:
    """The pieces, with a tree behind those of heavy buckets, from the samples `parts`; `width` is changed."""
    size = pieces[0].size
    more: list[list[Array]] = [[column] for column in pieces]
    for slot, part, wanted in zip(heavy.tolist(), parts, worth.tolist(), strict=True):
        if part[0] == part[-1]:
            continue
        grid = divide(
            part, part[0], part[-1], CELLS, density=wanted / part.size, heavy=max(8, part.size // 4)
        )
        flat, count = flatten(grid)
        base = flat[3].astype(np.int64)
        flat = (*flat[:3], np.where(base < 0, base - (size - 1), base))  # ~(place + size - 1)
        for column, values in zip(more, flat, strict=True):
            column[0][slot] = values[0]
            column.append(values[1:])
        size += flat[0].size - 1
        width[slot] = count
    return [np.concatenate(column) for column in more]
