"""A batch of cases in segments, and the scores that decide them: asked for only where a threshold does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import Rule, threshold_in
from rochull.policies.score_columns import Columns
from rochull.segments.rules import RuleTable


@dataclass(frozen=True, eq=False)
class Part:
    """The scores of one classifier, of the rows that need it.

    Attributes
    ----------
    rows : int64 (m,) ascending.
    scores : (m,) numbers, which may hold NaN.
    nulls : bool (m,) where a number is missing otherwise, or None.
    """

    rows: Array
    scores: Array
    nulls: Array | None

    @classmethod
    def of(cls, columns: Columns, name: str, rows: Array, at: Array) -> Part:
        """From the places `at` of the column."""
        nulls = columns.nulls.get(name)
        return cls(rows, columns.columns[name][at], None if nulls is None else nulls[at])

    @property
    def present(self) -> Array:
        """Where there is a number (m,)."""
        here = ~np.isnan(self.scores) if self.scores.dtype.kind == "f" else np.ones(self.rows.size, bool)
        return here if self.nulls is None else here & ~self.nulls


def needing(rules: Sequence[Iterable[Rule]]) -> dict[str, Array]:
    """For each classifier, in which segments (s,) some of their rules has a threshold of its scores."""
    names = dict.fromkeys(name for own in rules for rule in own for name in rule.classifiers)
    return {
        name: np.array([any(name in rule.classifiers for rule in own) for own in rules]) for name in names
    }


class Batch:
    """Cases and the scores that some rules need of them.

    Attributes
    ----------
    segment : int64 (n,) the segment of each case; the last one's, of cases elsewhere, may be -1.
    parts : dict of str to Part, for each classifier.
    """

    def __init__(self, scores: Any, segment: Array, rules: Sequence[Iterable[Rule]]) -> None:
        self.segment = segment
        rows = {name: np.flatnonzero(own[segment]) for name, own in needing(rules).items()}
        self.parts = _fetched(scores, rows, segment.size)

    def missing_counts(self) -> Iterator[tuple[str, int]]:
        """Names of the classifiers with missing scores, and of how many cases that need them."""
        for name, part in self.parts.items():
            count = part.rows.size - int(np.count_nonzero(part.present))
            if count:
                yield name, count

    def passing(self, rules: Sequence[Rule]) -> Array:
        """Decisions (n,) by the rule of each segment (s,); a missing score passes no threshold."""
        passed = np.array([rule.kind == "always" for rule in rules])[self.segment]
        for name, part in self.parts.items():
            steps = np.zeros(len(rules), part.scores.dtype)
            some = np.zeros(len(rules), bool)
            for s, rule in enumerate(rules):
                if rule.kind == "threshold" and rule.classifier == name:
                    step = threshold_in(part.scores.dtype, rule.threshold)
                    some[s] = _fits(part.scores.dtype, step)
                    steps[s] = step if some[s] else 0
            at = self.segment[part.rows]
            called = some[at] & (part.scores >= steps[at])
            passed[part.rows] |= called if part.nulls is None else called & ~part.nulls
        return passed

    def alarms(self, tables: Sequence[RuleTable], size: int) -> Array:
        """How many cases are called positive at each vertex (size,) of the hull with these tables."""
        count = np.bincount(np.where(self.segment < 0, len(tables) - 1, self.segment), minlength=len(tables))
        ordered = {name: self._ordered(part, len(tables)) for name, part in self.parts.items()}
        total = np.zeros(size, np.int64)
        for s, table in enumerate(tables):
            if count[s]:
                found = [_alarms(rule, int(count[s]), s, ordered) for rule in table.rules]
                total += table.along(size, np.array(found))
        return total

    def _ordered(self, part: Part, n_segments: int) -> list[Array]:
        """The scores of each segment, ascending, without those that are missing."""
        here = part.present
        segment = self.segment[part.rows[here]]
        segment = np.where(segment < 0, n_segments - 1, segment)
        order = np.argsort(segment, kind="stable")
        ends = np.searchsorted(segment[order], np.arange(1, n_segments))
        return [np.sort(scores) for scores in np.split(part.scores[here][order], ends)]


def _alarms(rule: Rule, count: int, segment: int, ordered: Mapping[str, Sequence[Array]]) -> int:
    if rule.kind != "threshold":
        return count if rule.kind == "always" else 0
    scores = ordered[rule.classifier or ""][segment]
    step = threshold_in(scores.dtype, rule.threshold)
    return int(scores.size - np.searchsorted(scores, step)) if _fits(scores.dtype, step) else 0


def _fits(dtype: np.dtype[Any], step: Any) -> bool:
    """Whether any number of the type reaches the threshold, as it is in the type."""
    return dtype.kind == "f" or step != np.inf


def _fetched(scores: Any, rows: dict[str, Array], size: int) -> dict[str, Part]:
    """The scores of those rows that need them."""
    if callable(scores):
        every = np.flatnonzero(_any_of(rows.values(), size))
        if not every.size:
            return {}
        columns = Columns(scores(every), list(rows))
        _same_size(columns.size, every.size, "scores(rows)", "rows")
        return {name: Part.of(columns, name, own, np.searchsorted(every, own)) for name, own in rows.items()}
    if isinstance(scores, Mapping) and any(map(callable, scores.values())):
        parts = {name: _asked(scores, name, own, size) for name, own in rows.items()}
        return {name: part for name, part in parts.items() if part is not None}
    columns = Columns(scores, list(rows))
    _same_size(columns.size, size, "scores", "aux")
    return {name: Part.of(columns, name, own, own) for name, own in rows.items()}


def _asked(scores: Mapping[str, Any], name: str, rows: Array, size: int) -> Part | None:
    """One entry of a mapping that holds columns and functions; None if no row needs a function's scores."""
    given = scores.get(name)
    if not callable(given):
        columns = Columns(scores, [name])
        _same_size(columns.size, size, f"scores[{name!r}]", "aux")
        return Part.of(columns, name, rows, rows)
    if not rows.size:
        return None
    columns = Columns({name: given(rows)}, [name])
    _same_size(columns.size, rows.size, f"scores[{name!r}](rows)", "rows")
    return Part.of(columns, name, rows, np.arange(rows.size))


def _any_of(rows: Iterable[Array], size: int) -> Array:
    some = np.zeros(size, bool)
    for own in rows:
        some[own] = True
    return some


def _same_size(found: int, expected: int, name: str, other: str) -> None:
    if found != expected:
        raise ValueError(f"{name} has {found} rows, but {other} has {expected}.")
