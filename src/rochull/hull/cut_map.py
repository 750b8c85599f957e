"""Maps whose buckets begin at given scores: those of a table that somebody else has counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rochull._core.validation import Array, Labelled
from rochull.hull.buckets import Pieces, numbered, ordered_keys


@dataclass(eq=False)
class CutMap:
    """A monotone map from scores to buckets that begin at scores.

    Attributes
    ----------
    starts : the lowest score of each bucket, all different, ascending; the first has what is below too.
    """

    starts: Array

    @property
    def size(self) -> int:
        """Number of buckets."""
        return self.starts.size

    @property
    def pieces(self) -> Pieces:
        """Where keys are the numbers of buckets: one piece of as many."""
        return numbered(self.size)

    @property
    def divided(self) -> Array:
        """Which buckets are counted: all."""
        return np.ones(self.size, bool)

    def slim(self) -> CutMap:
        """The map, which is quick to send."""
        return self

    def locate(self, scores: Array) -> Array:
        """The bucket of each score, int32 (n,); quick if these ascend."""
        return np.maximum(np.searchsorted(self.starts, scores, side="right") - 1, 0).astype(np.int32)

    def keys(self, scores: Array) -> Array:
        """The numbers of the scores' buckets, which the pieces divide."""
        from rochull._core.kernels import buckets as kernels

        found = np.empty(scores.size, np.int32)
        kernels.cuts_of(scores, self.starts, found)
        keys = found.astype(np.float64)
        keys.flags.writeable = False
        return keys

    def axis_keys(self, scores: Array) -> Array:
        """The values that a further map divides (n,)."""
        return ordered_keys(scores)

    def within(self, marked: Array) -> CutMap:
        """Tell a task which rows can be in these buckets (size,), from low to high."""
        return self

    def rows(self, data: Labelled) -> tuple[Labelled, Array]:
        """Rows for a kernel that walks through the pieces, and their keys; here all of them."""
        return data, self.keys(data.scores)

    def spans(self, buckets: Array) -> tuple[Array, Array]:
        """The keys (k, 2) between which these buckets lie, and for which of them that is known."""
        keys = ordered_keys(self.starts)
        after = np.minimum(buckets + 1, self.size - 1)
        ends = np.stack([keys[buckets], keys[after]], axis=1)
        return ends, ends[:, 1] - ends[:, 0] > 1
