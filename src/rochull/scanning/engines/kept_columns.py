"""Decoded columns of files, kept from one pass for the next as far as there is room."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
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
    _lock: Lock = field(default_factory=Lock)  # of the sizes: threads add and take at once

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
        """Keep a group's labels and codes if there is room."""
        size = -(-positive.size // 8) + sum(code.nbytes for code in codes.values())
        if self._takes(0, size, self.most):
            self.labels[place] = np.packbits(positive)
            self.codes |= {(place, first): code for first, code in codes.items()}

    def take_rows(
        self, place: Any, size: int, firsts: Iterable[int], last: bool
    ) -> tuple[Array, dict[int, Array]]:
        """A group's labels and codes, which are kept no longer if it is the last time."""
        positive = np.unpackbits(self.labels[place], count=size)
        codes = {first: self.codes[place, first] for first in firsts}
        if last:
            gone = [self.labels.pop(place), *(self.codes.pop((place, first)) for first in codes)]
            self._takes(0, -sum(one.nbytes for one in gone))
        return positive, codes

    def take_scores(self, place: Any, name: str, last: bool) -> Any:
        """One of a group's columns of scores, likewise."""
        found = self.scores[place, name]
        if last:
            self._takes(1, -self.scores.pop((place, name)).nbytes)
        return found

    def add_scores(self, place: Any, name: str, scores: Any) -> None:
        """Keep one of a group's columns of scores if there is room."""
        if self._takes(1, scores.nbytes, self.for_scores):
            self.scores[place, name] = scores

    def forget_scores(self, names: Collection[str]) -> None:
        """Keep scores of these columns alone."""
        for place, name in list(self.scores):
            if name not in names:
                self._takes(1, -self.scores.pop((place, name)).nbytes)

    def _takes(self, which: int, size: int, most: int | None = None) -> bool:
        """Whether so many more bytes are kept: not if they are more than `most` then."""
        with self._lock:
            fits = most is None or self._sizes[which] + size <= most
            self._sizes[which] += size * fits
        return fits

    def forget(self) -> None:
        """Keep nothing."""
        for held in (self.labels, self.codes, self.scores):
            held.clear()
        self._sizes[:] = 0, 0
