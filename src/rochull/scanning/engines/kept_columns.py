"""Decoded columns of files, kept from one pass for the next as far as there is room."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rochull._core.validation import Array


@dataclass(eq=False)
class KeptColumns:
    """Decoded columns, kept for the next pass: as many columns of row groups as fit in `most` bytes.

    A group is known by its place in a file and by that file's size and time: one that was replaced is read.
    Labels, as bits, and codes come first: they take `of_rows` bytes. Scores take `most_scores` bytes at most:
    more of them cost in memory that is new to the process what decoding them again costs. Columns of labels,
    segments and folds that were counted wait among them, as Arrow has them, for the pass that codes them.
    """

    most: int
    of_rows: int = 0
    most_scores: int = 1 << 27
    labels: dict[Any, Array] = field(default_factory=dict)
    codes: dict[Any, Array] = field(default_factory=dict)
    scores: dict[Any, Any] = field(default_factory=dict)
    _sizes: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def size(self) -> int:
        """How many bytes are kept."""
        return sum(self._sizes)

    @property
    def for_scores(self) -> int:
        """How many bytes scores may take."""
        return max(0, min(self.most - self.of_rows, self.most_scores))

    def expect(self, size: int) -> None:
        """Leave room for more bytes of labels and codes."""
        self.of_rows += size

    def add_rows(self, place: Any, positive: Array, codes: Mapping[int, Array]) -> None:
        """Keep a group's labels and codes if there is room, or nearly: threads add at once."""
        size = -(-positive.size // 8) + sum(code.nbytes for code in codes.values())
        if self._sizes[0] + size <= self.most:
            self._sizes[0] += size
            self.labels[place] = np.packbits(positive)
            self.codes |= {(place, first): code for first, code in codes.items()}

    def take_rows(
        self, place: Any, size: int, firsts: Iterable[int], last: bool
    ) -> tuple[Array, dict[int, Array]]:
        """A group's labels and codes, which are kept no longer if it is the last time."""
        positive = np.unpackbits(self.labels[place], count=size)
        codes = {first: self.codes[place, first] for first in firsts}
        if last:
            self._sizes[0] -= self.labels.pop(place).nbytes
            self._sizes[0] -= sum(self.codes.pop((place, first)).nbytes for first in codes)
        return positive, codes

    def take_scores(self, place: Any, name: str, last: bool) -> Any:
        """One of a group's columns of scores, likewise."""
        found = self.scores[place, name]
        if last:
            self._sizes[1] -= self.scores.pop((place, name)).nbytes
        return found

    def add_scores(self, place: Any, name: str, scores: Any) -> None:
        """Keep one of a group's columns of scores if there is room."""
        if self._sizes[1] + scores.nbytes <= self.for_scores:
            self._sizes[1] += scores.nbytes
            self.scores[place, name] = scores

    def forget_scores(self, names: Collection[str]) -> None:
        """Keep scores of these columns alone."""
        for place, name in list(self.scores):
            if name not in names:
                self._sizes[1] -= self.scores.pop((place, name)).nbytes

    def forget(self) -> None:
        """Keep nothing."""
        for held in (self.labels, self.codes, self.scores):
            held.clear()
        self._sizes[:] = 0, 0
