"""The rule of every segment along the vertices of a hull, stored where it changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import ALWAYS, NEVER, Rule, SegmentedRule
from rochull.hull.hull import Owners, RocHull
from rochull.hull.strata import StratifiedHull, StratifiedOwners
from rochull.hull.tallies import ratio

NOBODY = None  # what the segment of cases is called that belong to none of the others


@dataclass(frozen=True, eq=False)
class RuleTable:
    """The rule of one segment at every vertex of a hull."""

    first: Array  # int64 (r,) the vertex from which each rule holds; ascending, from 0
    rules: tuple[Rule, ...]  # (r,) from "never" to "always", thresholds between

    def at(self, vertex: int) -> Rule:
        """The rule at one vertex."""
        return self.rules[int(np.searchsorted(self.first, vertex, side="right")) - 1]

    def along(self, size: int, values: Array) -> Array:
        """Repeat each rule's value (r,) at each of its vertices (size,)."""
        return np.repeat(values, np.diff(np.append(self.first, size)))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that some rule names."""
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.classifiers))


class LazyOwners(Sequence[tuple[Rule, ...]]):
    """Rules of every vertex of a hull, made when they are asked for; the ends are "never" and "always"."""

    size: int
    tables: tuple[RuleTable, ...]  # of the segments, in the order of a rule's

    def __len__(self) -> int:
        return self.size

    @abstractmethod
    def rule_at(self, i: int) -> SegmentedRule:
        """The rule of an inner vertex."""

    @overload
    def __getitem__(self, i: int) -> tuple[Rule, ...]: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[tuple[Rule, ...], ...]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(self.size)))
        i = range(self.size)[i]
        if i in (0, self.size - 1):
            return ((ALWAYS if i else NEVER),)
        return (self.rule_at(i),)

    def __iter__(self) -> Iterator[tuple[Rule, ...]]:
        return (self[i] for i in range(self.size))


class TableOwners(LazyOwners):
    """Rules from tables.

    Attributes
    ----------
    names : what the segments are called; the last may be `NOBODY`.
    tables : one for each of `names`.
    """

    def __init__(self, names: tuple[Hashable, ...], tables: tuple[RuleTable, ...], size: int) -> None:
        self.names, self.tables, self.size = names, tables, size

    def rule_at(self, i: int) -> SegmentedRule:
        return SegmentedRule(segments=self.names, rules=tuple(table.at(i) for table in self.tables))


def tables_of(owners: Owners, n_segments: int) -> tuple[RuleTable, ...]:
    """The tables of a hull whose vertices have segmented rules, in the order of their segments."""
    if isinstance(owners, LazyOwners) and len(owners.tables) == n_segments:
        return owners.tables
    first: list[list[int]] = [[] for _ in range(n_segments)]
    rules: list[list[Rule]] = [[] for _ in range(n_segments)]
    for i, (rule, *_) in enumerate(owners):
        every = rule.rules if isinstance(rule, SegmentedRule) else (rule,) * n_segments
        for at, before, now in zip(first, rules, every, strict=True):
            if not before or before[-1] != now:
                at.append(i)
                before.append(now)
    return tuple(RuleTable(np.array(at), tuple(own)) for at, own in zip(first, rules, strict=True))


def tables_of_stratified(hull: StratifiedHull) -> tuple[RuleTable, ...]:
    """The same of a stratified hull, in the order of its segments, from the edges that are climbed."""
    climbed = hull.owners
    assert isinstance(climbed, StratifiedOwners)
    vertex = np.searchsorted(climbed.ends, np.arange(climbed.edges.size), side="right")
    order = np.argsort(climbed.edges, kind="stable")
    ends = np.searchsorted(climbed.edges[order], np.arange(len(hull.segments) + 1))
    return tuple(
        _table(part.owners, vertex[order[begin:end]], len(hull) - 1)
        for part, begin, end in zip(hull.segments.values(), ends, ends[1:], strict=False)
    )


def table_along(other: RocHull, hull: StratifiedHull) -> RuleTable:
    """The rules of a hull that is not part of the stratified one, at the same posterior odds.

    An edge is climbed at the first vertex that lies behind an edge of the stratified hull which is not
    steeper.
    """
    edges, own = _shares(hull), _shares(other)
    last = len(hull) - 1
    vertex = np.minimum(np.searchsorted(-edges, -own, side="left") + 1, last)
    return _table(other.owners, vertex, last)


def _shares(hull: RocHull) -> Array:
    """The share of positives on each edge, descending."""
    pos, neg = ratio(np.diff(hull.tp), hull.units.pos), ratio(np.diff(hull.fp), hull.units.neg)
    return np.asarray(pos / (pos + neg))


def _table(owners: Iterable[tuple[Rule, ...]], vertex: Array, last: int) -> RuleTable:
    """The table of a hull whose vertex j + 1 is reached at `vertex[j]` of another."""
    first, rules = [0], [NEVER]
    for at, (rule, *_) in zip(vertex.tolist(), list(owners)[1:], strict=True):
        if at == first[-1]:
            rules[-1] = rule
        else:
            first.append(at)
            rules.append(rule)
    if rules[-1] != ALWAYS:  # pragma: no cover - the last edge is climbed at the last vertex at the latest
        raise AssertionError(f"the last rule before vertex {last} is {rules[-1]}")
    return RuleTable(np.array(first), tuple(rules))
