"""A table of scores that can be scanned again and again, in any order: what every engine offers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from rochull._core.validation import Array, Labelled
from rochull.hull.tallies import Spread, Units
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


def keyed(
    positive: Array,
    scores: Mapping[str, Array],
    weights: Array | None,
    codes: Mapping[int, Array],
    keys: Array | None = None,
    *,
    asked: Collection[int] | None = None,
) -> Iterator[tuple[Column, Labelled]]:
    """The rows of a chunk by column; `codes` are the codes of segments and folds, by their first group.

    Rows are put in the order of their codes once, whatever the number of columns. `asked` are the numbers of
    the groups that somebody asks for; by default all. Number -f stands for all groups of the kind that begins
    with group f: the rows are not divided, and have their codes in place of keys.
    """
    for name, column in scores.items():
        yield (name, 0), Labelled(positive, column, weights, keys)
    for first, code in codes.items():
        if asked is not None and -first in asked:
            for name, column in scores.items():
                yield (name, -first), Labelled(positive, column, weights, code)
        if asked is not None and first not in {_first(number, codes) for number in asked}:
            continue
        order = np.argsort(code, kind="stable")
        ordered = code[order]
        begin = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        ends = [*begin[1:].tolist(), code.size]
        labels, mass, hashes = (None if a is None else a[order] for a in (positive, weights, keys))
        assert labels is not None
        for name, column in scores.items():
            moved = column[order]
            for i, j in zip(begin.tolist(), ends, strict=True):
                rows = slice(i, j)
                mine, own = (None if a is None else a[rows] for a in (mass, hashes))
                yield (name, first + int(ordered[i])), Labelled(labels[rows], moved[rows], mine, own)


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
