"""A table of scores that can be scanned again and again, in any order: what every engine offers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array, Labelled
from rochull.hull.tallies import Spread, Units

if TYPE_CHECKING:
    from rochull.hull.tasks import Task

Column: TypeAlias = tuple[str, int]  # a key: the name of the scores, and the number of the group


@dataclass(frozen=True)
class ScanGroup:
    """A part of the rows.

    Attributes
    ----------
    kind : "all", "segment" or "fold".
    value : the segment or the fold; None for all rows.
    n_neg, n_pos : how many rows of each class it has.
    units : the unit of its weights.
    heaviest : how many rows of the greatest weight would weigh as much as the negatives, and the positives.
    """

    kind: str
    value: Any
    n_neg: int
    n_pos: int
    units: Units
    heaviest: tuple[float, float]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.n_neg + self.n_pos

    def __str__(self) -> str:
        return "all rows" if self.kind == "all" else f"{self.kind} {self.value!r}"


class ScoreTable(Protocol):
    """A table of scores.

    Attributes
    ----------
    scores : the names of the score columns.
    groups : all rows (number 0), then the segments, then the folds, each sorted where they can be.
    limit : how many rows of one column may be collected at once.
    """

    scores: tuple[str, ...]
    groups: tuple[ScanGroup, ...]
    limit: int

    def sample(self, size: int) -> dict[Column, Array]:
        """Scores of about `size` rows in all, by column; a group without any may be absent."""

    def answer(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        """Answer the tasks of every column (score, group) in one pass."""

    def exact_areas(self, columns: Sequence[Column]) -> dict[Column, tuple[int, int, int]]:
        """Twice the area under each raw curve in units, and the units of each class (pos, neg)."""


@dataclass(frozen=True, eq=False)
class ChunkRows:
    """The rows of a chunk without their scores.

    Attributes
    ----------
    positive : uint8 (n,) 1 for a positive row.
    weights, keys : as those of :class:`Labelled`.
    codes : the codes (n,) of segments and folds, by their first group.
    asked : the numbers of the groups that somebody asks for; None for all. Number -f stands for all groups of
        the kind that begins with group f: the rows are not divided, and have their codes in place of keys.
    """

    positive: Array
    codes: Mapping[int, Array]
    weights: Array | None = None
    keys: Array | None = None
    asked: Collection[int] | None = None

    @cached_property
    def _divided(self) -> list[_Divided]:
        """The rows in the order of their segments, and of their folds, as far as these are asked for."""
        asked = None if self.asked is None else {_first(n, self.codes) for n in self.asked}
        return [
            _Divided(first, self)
            for first, code in self.codes.items()
            if code.size and (asked is None or first in asked)
        ]

    def of(self, name: str, column: Array) -> Iterator[tuple[Column, Labelled]]:
        """All rows and those of each group, with these scores; they are put in order once for all columns."""
        yield (name, 0), Labelled(self.positive, column, self.weights, self.keys)
        for first, code in self.codes.items():
            if self.asked is not None and -first in self.asked:
                yield (name, -first), Labelled(self.positive, column, self.weights, code)
        for divided in self._divided:
            moved, (weights, keys) = divided.ordered(column), divided.beside
            for group, part in divided.parts:
                own_weights, own_keys = (None if own is None else own[part] for own in (weights, keys))
                yield (name, group), Labelled(divided.positive[part], moved[part], own_weights, own_keys)


@dataclass(frozen=True, eq=False)
class _Divided:
    """Rows in the order of the codes of one kind, which begins with group `first`."""

    first: int
    rows: ChunkRows

    @cached_property
    def _codes(self) -> Array:
        code = self.rows.codes[self.first]
        return _for_kernels(code if code.dtype == np.uint8 else code.astype(np.int64))

    @cached_property
    def _begin(self) -> Array:
        from rochull._core.kernels import held as kernels

        return kernels.code_begins(self._codes, int(self._codes.max()) + 1)

    @cached_property
    def parts(self) -> list[tuple[int, slice]]:
        """The groups that have rows, and where they are."""
        ends = self._begin.tolist()
        return [(self.first + k, slice(i, j)) for k, (i, j) in enumerate(pairwise(ends)) if i < j]

    @cached_property
    def positive(self) -> Array:
        """The labels in this order."""
        return self.ordered(self.rows.positive)

    @cached_property
    def beside(self) -> list[Array | None]:
        """Weights and keys in this order."""
        rows = self.rows
        return [None if own is None else self.ordered(own) for own in (rows.weights, rows.keys)]

    def ordered(self, values: Array) -> Array:
        """Values of the rows, in this order."""
        from rochull._core.kernels import held as kernels

        bits = _for_kernels(values.view(f"u{values.itemsize}"))  # one loop for all numbers of a size
        moved: Array = kernels.in_order(self._codes, self._begin, bits)
        return moved.view(values.dtype)


def _for_kernels(array: Array) -> Array:
    """The same, which cannot be written: kernels are compiled for one kind of array instead of two."""
    view = array.view()
    view.setflags(write=False)
    return view


def keyed(rows: ChunkRows, scores: Mapping[str, Array]) -> Iterator[tuple[Column, Labelled]]:
    """The rows of a chunk by column."""
    for name, column in scores.items():
        yield from rows.of(name, column)


def _first(number: int, firsts: Collection[int]) -> int:
    """The number of the first group of the same kind; 0 for that of all rows."""
    return max((first for first in firsts if first <= number), default=0)


def groups_of(
    totals: Mapping[str, tuple[Sequence[Any], Array, Spread | None]],
) -> tuple[ScanGroup, ...]:
    """Groups in their order.

    `totals` maps each kind to its values, the rows (v, 2) of negatives and positives of each, and their
    weights' spread (v, 2), None if unweighted.
    """
    groups = []
    for kind in ("all", "segment", "fold"):
        if kind not in totals:
            continue
        values, rows, weights = totals[kind]
        if kind == "all" and weights is not None:
            for label, total in zip(("negative", "positive"), weights.total[0].tolist(), strict=True):
                if total == 0:
                    raise ValueError(f"the weight column gives the {label} class zero total weight.")
        if kind != "all" and weights is not None:
            for value, total in zip(values, weights.total.sum(axis=1).tolist(), strict=True):
                if total == 0:
                    raise ValueError(
                        f"the weight column gives all rows of {kind} {value!r} zero total weight."
                    )
        for i, value in enumerate(values):
            units = Units() if weights is None else Units.fitting(weights[i], int(rows[i].sum()))
            n_neg, n_pos = rows[i].astype(int).tolist()
            many = (n_neg, n_pos) if weights is None else _of_the_heaviest(weights[i])
            groups.append(ScanGroup(kind, value, n_neg, n_pos, units, many))
    return tuple(groups)


def _of_the_heaviest(weights: Spread) -> tuple[float, float]:
    """How many rows of its greatest weight would weigh as much as each class (2,)."""
    neg, pos = (float(t / m) if m else 0.0 for t, m in zip(weights.total, weights.most, strict=True))
    return neg, pos
