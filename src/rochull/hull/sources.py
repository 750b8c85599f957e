"""Where examples come from: sources that can be scanned again and again, in any order.

A source need not be in memory nor sorted: it can be sampled, counted per bucket, and looked at again
where buckets are not settled. One algorithm (:mod:`rochull.hull.refine`) runs over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.label_bits import packed_labels
from rochull._core.validation import Array, Labelled
from rochull.hull.tallies import UNIT, Tally, Units, units_of
from rochull.hull.tasks import BucketCounts, BucketGroups, Buckets, Chunk, Task, gather

# Rows of a chunk. Room for more of them would be 4 MiB, of which NumPy makes large pages: in use as a whole.
CHUNK = 500_000
_CHUNKS = 8  # at least, unless they are short: for threads to share
_SHORT = 1 << 16


class Source(Protocol):
    """Labelled scores that can be scanned again and again, in any order."""

    @property
    def units(self) -> Units:
        """The unit of its weights."""

    @property
    def rows(self) -> int:
        """Number of examples; known once it has been counted."""

    def sample(self, size: int) -> Array:
        """About `size` of its scores, or all."""

    def count(self, buckets: Buckets) -> tuple[Array, Array]:
        """Units of positives and of negatives per bucket (buckets.size,), from high scores to low."""

    def survey(self, buckets: Buckets, wanted: Array, limit: int | None) -> Tally | Array:
        """All groups of the buckets in the mask `wanted` (buckets.size,), which runs from high to low.

        If they are more than about `limit` rows, beyond one tie a bucket, then an unordered sample
        of the scores of these rows instead.
        """


class ChunkSource:
    """A source fed in chunks, one after another, as often as it is scanned.

    Parameters
    ----------
    chunks : callable
        Called with no argument for every scan; returns an iterable of tuples `(y_true, y_score)`
        or `(y_true, y_score, sample_weight)`. Every scan must bring the same rows. A chunk may
        hold one class only; `pos_label` is needed unless labels are {0, 1} or booleans.
    pos_label : object, optional
        The label of the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> parts = [([0, 1], [0.1, 0.8]), ([1, 0], [0.3, 0.4])]
    >>> source = rh.ChunkSource(lambda: parts)
    >>> rh.RocHull.from_source(source).tpr.tolist()
    [0.0, 0.5, 1.0, 1.0]
    """

    def __init__(self, chunks: Callable[[], Iterable[tuple[Any, ...]]], pos_label: object = None):
        self._chunks, self._pos_label = chunks, pos_label
        self._units: Units | None = None
        self._rows: int | None = None
        self._dtype: np.dtype[Any] | None = None  # that holds the scores of all chunks

    @property
    def rows(self) -> int:
        """Number of examples of a scan; 0 before the first."""
        return self._rows or 0

    def labelled(self) -> Iterator[Labelled]:
        """Read one scan.

        Yields
        ------
        Labelled
            The validated chunks that are not empty.
        """
        rows, dtypes, weighted = 0, set(), set()
        seen: set[Any] = set()
        for chunk in self._chunks():
            y_true, y_score, weight = (*chunk, None)[:3]
            data = validation.chunk(y_true, y_score, weight, self._pos_label, offset=rows, seen=seen)
            if not data.scores.size:
                continue
            rows += data.scores.size
            dtypes.add(data.scores.dtype)
            weighted.add(data.weights is None)
            if len(weighted) > 1:
                raise ValueError("chunks: some have weights and some have none.")
            # The first scan tells which type holds all scores; from then on all chunks have it.
            dtype = data.scores.dtype if self._dtype is None else self._dtype
            yield replace(data, scores=validation.cast(data.scores, dtype))
        if not rows:
            raise ValueError("chunks is empty.")
        if self._rows is not None and rows != self._rows:
            raise ValueError(f"chunks: a scan brought {rows} rows where an earlier one brought {self._rows}.")
        self._rows, self._dtype = rows, np.result_type(*dtypes)

    @property
    def units(self) -> Units:
        """The unit of its weights; the first use scans weighted data."""
        if self._units is None:
            self._units = units_of(self.labelled())
        return self._units

    def sample(self, size: int) -> Array:
        """Draw an even sample of every chunk; many chunks thin it out, all of them alike.

        Parameters
        ----------
        size : int
            About how many scores.

        Returns
        -------
        ndarray
            Scores, in no order.
        """
        parts: list[Array] = []
        each = max(size // 16, 256)
        for data in self.labelled():
            parts.append(_pick(data.scores, each))
            if sum(p.size for p in parts) > 2 * size:
                parts = [_pick(np.concatenate(parts), size)]
                each = max(each // 2, 1)
        return np.concatenate(parts)

    def count(self, buckets: Buckets) -> tuple[Array, Array]:
        """Count both classes per bucket.

        Parameters
        ----------
        buckets : BucketMap
            The map.

        Returns
        -------
        tuple of ndarray
            Units of positives and of negatives (buckets.size,), from high scores to low.
        """
        found: tuple[Array, Array] = _answer(self.labelled(), BucketCounts(buckets, self.units))
        return found

    def survey(self, buckets: Buckets, wanted: Array, limit: int | None) -> Tally | Array:
        """Collect all groups of some buckets, or a sample of their scores if they are too many.

        Parameters
        ----------
        buckets : BucketMap
            The map.
        wanted : ndarray of bool
            Which buckets (buckets.size,), from high scores to low.
        limit : int or None
            How many rows may be collected.

        Returns
        -------
        Tally or ndarray
            The groups; or scores in no order, if there are more than `limit`.
        """
        task = BucketGroups(buckets, self.units, wanted, limit)
        found: Tally | Array = _answer(self.labelled(), task)
        return found


class ArraySource:
    """A source over arrays in memory; scans are shared out over threads."""

    def __init__(self, data: Labelled, whole: ArraySource | None = None, begin: int = 0):
        self.data = data
        self.rows = data.scores.size
        self._whole, self._begin = whole or self, begin
        self._chunk = min(CHUNK, max(_SHORT, -(-self.rows // _CHUNKS)))
        if whole is not None:
            self._bits = whole._bits
        self.units = UNIT if data.weights is None else units_of(self.labelled())

    @cached_property
    def _bits(self) -> Array | None:
        """Wide labels of the whole, eight to a byte, for who does not sort them: a copy of all is large."""
        if self.data.positive.dtype == np.uint8:
            return None
        bits = packed_labels(self.data.positive)[0] if self.data.bits is None else self.data.bits
        return bits.astype("<u8", copy=False).view(np.uint8)

    def split(self, parts: int) -> list[ArraySource]:
        """Consecutive ranges of unweighted rows."""
        bounds = np.linspace(0, self.rows, parts + 1).astype(np.int64).tolist()
        return [
            ArraySource(Labelled(self.data.positive[i:j], self.data.scores[i:j], None), self, i)
            for i, j in pairwise(bounds)
        ]

    def labelled(self, check: bool = False) -> Iterator[Labelled]:
        """Slices of the arrays, once more in the same order; with `check`, NaN is looked for meanwhile."""
        d = self.data
        for begin in range(0, self.rows, self._chunk):
            part = slice(begin, begin + self._chunk)
            scores = d.scores[part]
            if check:
                self.refuse_nan(scores)
            positive = self._unpacked(begin, scores.size) if self._bits is not None else d.positive[part]
            yield Labelled(positive, scores, None if d.weights is None else d.weights[part])

    def _unpacked(self, begin: int, size: int) -> Array:
        """Labels of so many rows from this one on, from their bits."""
        assert self._bits is not None
        byte, bit = divmod(self._begin + begin, 8)
        return np.unpackbits(self._bits[byte:], count=bit + size, bitorder="little")[bit:]

    def refuse_nan(self, scores: Array) -> None:
        """Raise if one of these is a NaN, and say how many of all are."""
        if validation.has_nan(scores):
            validation.refuse_nan(self._whole.data.scores, "y_score")

    def sample(self, size: int) -> Array:
        """An even sample of all rows."""
        return _pick(self.data.scores, size)

    def rarer(self, size: int) -> float:
        """How many rows are of the rarer class, by so many of them."""
        share = float(_pick(self.data.positive, size).mean())
        return self.rows * min(share, 1 - share)

    def count(self, buckets: Buckets) -> tuple[Array, Array]:
        """Units of positives and of negatives per bucket."""
        check = self.units.weighted  # a NaN that weighs nothing is nowhere found again
        task = BucketCounts(buckets, self.units, self.rows)
        found: tuple[Array, Array] = _answer(self.labelled(check), task)
        return found

    def survey(self, buckets: Buckets, wanted: Array, limit: int | None) -> Tally | Array:
        """All groups of the wanted buckets, or a sample of their scores if they are too many.

        NaN are looked for among these: they are in the first bucket or the last (:func:`child_of`), and
        both are beside a vertex.
        """
        task = BucketGroups(buckets, self.units, wanted, limit)
        found: Tally | Array = _answer(self.labelled(), task)
        if not isinstance(found, Tally):
            self.refuse_nan(found)
        return found


def _pick(scores: Array, size: int) -> Array:
    """`size` scores at even but jittered places; a NaN is left out (and refused when counted)."""
    if scores.size > size:
        jitter = np.random.default_rng(0).random(size)
        scores = scores[((np.arange(size) + jitter) * (scores.size / size)).astype(np.int64)]
    return scores[~np.isnan(scores)] if scores.dtype.kind == "f" else scores


def _answer(chunks: Iterator[Labelled], task: Task) -> Any:
    """One task on chunks that belong to one key."""

    def chunk(data: Labelled) -> Chunk:
        return lambda: [(None, data)]

    return gather(map(chunk, chunks), {None: [task]})[None][0]
