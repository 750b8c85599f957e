"""A batch of cases in segments, and the scores that decide them: asked for only where a threshold does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rochull._core.validation import Array, negated
from rochull.conditions.rules import Rule, Scores, outcome_by_row, threshold_in
from rochull.decisions.deciding import needing
from rochull.decisions.ladders import from_the_top
from rochull.decisions.score_columns import fetched
from rochull.segments.rules import RuleTable

# Which rows (m,) need the scores of a classifier, ascending, and their scores.
NeededScores: TypeAlias = tuple[Array, Scores]


class Batch:
    """Cases and the scores that some rules need of them.

    Attributes
    ----------
    segment : int64 (n,) the segment of each case; the last one's, of cases elsewhere, may be -1.
    needed : dict of str to NeededScores, for each classifier.
    """

    def __init__(self, scores: Any, segment: Array, rules: Sequence[Iterable[Rule]]) -> None:
        self.segment = segment
        rows = {name: np.flatnonzero(own[segment]) for name, own in needing(rules).items()}
        found = fetched(scores, rows, segment.size, "aux")
        self.needed: dict[str, NeededScores] = {name: (rows[name], own) for name, own in found.items()}

    def missing_counts(self) -> Iterator[tuple[str, int]]:
        """Names of the classifiers with missing scores, and of how many cases that need them."""
        for name, (rows, scores) in self.needed.items():
            count = rows.size - int(np.count_nonzero(scores.present))
            if count:
                yield name, count

    def outcome(self, rules: Sequence[Rule]) -> Array:
        """Actions (n,) by the rule of each segment (s,)."""
        return outcome_by_row(rules, self.segment, self.needed)

    def alarms(self, tables: Sequence[RuleTable], size: int) -> Array:
        """How many cases are called positive at each vertex (size,) of the hull with these tables."""
        count = np.bincount(np.where(self.segment < 0, len(tables) - 1, self.segment), minlength=len(tables))
        lower = {rule.classifier for table in tables for rule in table.rules if rule.lower_is_positive}
        ordered = {
            name: self._ordered(*needed, len(tables), negative=name in lower)
            for name, needed in self.needed.items()
        }
        total = np.zeros(size, np.int64)
        for s, table in enumerate(tables):
            if count[s]:
                reaching = partial(_reaching, {name: scores[s] for name, scores in ordered.items()})
                found = [rule.positives(int(count[s]), reaching) for rule in table.rules]
                total += table.along(size, np.array(found))
        return total

    def by_score(
        self, own: Sequence[Rule | None], ranked: Callable[[Array], Array]
    ) -> Callable[[Array], Array]:
        """The order of rows (m,) by lot, in which each segment's rows have changed places by their scores.

        `own` (s,) are rules of the classifiers whose scores order a segment; None where none does. Those of
        different segments are not compared.
        """

        def order(rows: Array) -> Array:
            drawn = ranked(rows)
            segment = self.segment[drawn]
            segment = np.where(segment < 0, len(own) - 1, segment)
            top = np.zeros(drawn.size, np.int64)
            for k, rule in enumerate(own):
                if rule is None or rule.classifier is None:
                    continue
                (there, scores), inside = self.needed[rule.classifier], np.flatnonzero(segment == k)
                held = scores.at(np.searchsorted(there, drawn[inside]))
                top[inside] = from_the_top(held, rule.lower_is_positive)
            found = np.empty_like(drawn)
            found[np.argsort(segment, kind="stable")] = drawn[np.lexsort((top, segment))]
            return found

        return order

    def _ordered(self, rows: Array, scores: Scores, n_segments: int, *, negative: bool) -> list[Array]:
        """The scores of each segment, negated if low ones are positive, ascending, without missing ones."""
        here = scores.present
        segment = self.segment[rows[here]]
        segment = np.where(segment < 0, n_segments - 1, segment)
        order = np.argsort(segment, kind="stable")
        ends = np.searchsorted(segment[order], np.arange(1, n_segments))
        values = scores.values[here][order]
        return [np.sort(own) for own in np.split(negated(values, "scores") if negative else values, ends)]


def _reaching(ascending: Mapping[str, Array], name: str | None, threshold: float) -> int:
    """How many of a classifier's scores are at least the threshold."""
    scores = ascending[name or ""]
    least = threshold_in(scores.dtype, threshold)
    beyond = scores.dtype.kind != "f" and least == np.inf  # no integer is infinite
    return 0 if beyond else int(scores.size - np.searchsorted(scores, least))
