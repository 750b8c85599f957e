"""The order in which cases of segments are worked on, and capacities of single segments.

Between two vertices of the hull all segments have the same odds of a positive: one exchange rate for all. So
the vertex at which a case is called first puts cases of all segments into one order.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.messages import Item, Message, Parameter, Refusal, refused
from rochull._core.table_errors import unknown
from rochull._core.validation import Array
from rochull.conditions.rules import decisions_of
from rochull.decisions.ladders import from_the_top, ordering
from rochull.hull.hull import RocHull
from rochull.policies.ranking import Ranking, posteriors
from rochull.segments.batches import Batch
from rochull.segments.rules import RuleTable


@dataclass(frozen=True, eq=False)
class Queue:
    """Cases in order.

    Attributes
    ----------
    segment : int64 (n,) the number of each case's segment, from 0.
    vertex : int64 (n,) the vertex of the hull at which each case is called positive first, from 1.
    top : int64 (n,) how many scores are better, among cases of one segment and vertex; all 0 by lot.
    place : int64 (n,) the place by lot.
    """

    segment: Array
    vertex: Array
    top: Array
    place: Array

    @classmethod
    def of(
        cls, batch: Batch, tables: Sequence[RuleTable], last: int, drawn: Array, *, by_score: bool
    ) -> Queue:
        """The queue of a batch; `drawn` (n,) are its rows by lot, and `last` is the hull's last vertex."""
        size = batch.segment.size
        segment = np.where(batch.segment < 0, len(tables) - 1, batch.segment)
        vertex, step = np.full(size, last), np.zeros(size, np.int64)
        for k in range(max(len(table.rules) for table in tables) - 1, 0, -1):
            own = [min(k, len(table.rules) - 1) for table in tables]
            passes = decisions_of(batch.outcome([t.rules[i] for t, i in zip(tables, own, strict=True)]))
            steps = np.array(own)[segment[passes]]
            first = np.array([table.first[i] for table, i in zip(tables, own, strict=True)])
            vertex[passes], step[passes] = first[segment[passes]], steps
        place = np.empty(size, np.int64)
        place[drawn] = np.arange(size)
        top = _from_the_top(batch, tables, segment, step) if by_score else np.zeros(size, np.int64)
        return cls(segment, vertex, top, place)

    def order(self, presented: Array) -> Array:
        """The rows (n,) in the order of the queue, those that are presented (n,) first.

        Cases of one vertex come by lot; those of one segment have changed places by their scores.
        """
        late = ~presented
        drawn = np.lexsort((self.place, self.vertex, late))
        at = np.empty(drawn.size, np.int64)
        at[drawn] = np.arange(drawn.size)
        group = (self.segment, self.vertex, late)
        found = np.empty_like(drawn)
        found[at[np.lexsort((at, *group))]] = np.lexsort((self.place, self.top, *group))
        return found

    def first_of_each(self, cases: Sequence[int]) -> Array:
        """Whether a case is among the first of its segment (n,); as many as `cases` (s,) says."""
        order = np.lexsort((self.place, self.top, self.vertex, self.segment))
        segment = self.segment[order]
        begin = np.searchsorted(segment, np.arange(len(cases)))
        presented = np.empty(order.size, bool)
        presented[order] = np.arange(order.size) - begin[segment] < np.array(cases, np.int64)[segment]
        return presented

    def ranking(self, presented: Array, hull: RocHull, prevalence: float) -> Ranking:
        """Ranks and probabilities where some cases (n,) are presented."""
        rank = np.empty(presented.size, np.int64)
        rank[self.order(presented)] = np.arange(1, presented.size + 1)
        probability = posteriors(hull, prevalence)[self.vertex - 1]
        return Ranking(rank, probability, int(np.count_nonzero(presented)), prevalence)


def _from_the_top(batch: Batch, tables: Sequence[RuleTable], segment: Array, step: Array) -> Array:
    """How many scores are better (n,), of the only classifier whose scores order a case's edge."""
    sizes = [len(table.rules) for table in tables]
    pairs = [(table.rules[max(k - 1, 0)], rule) for table in tables for k, rule in enumerate(table.rules)]
    own = [ordering(pair) for pair in pairs]
    at = (np.cumsum(sizes) - sizes)[segment] + step
    top = np.zeros(segment.size, np.int64)
    for name, (rows, scores) in batch.needed.items():
        for lower in (False, True):
            wanted = (name, lower)
            here = [rule is not None and (rule.classifier, rule.lower_is_positive) == wanted for rule in own]
            some = np.array(here)[at[rows]]
            if some.any():
                top[rows[some]] = from_the_top(scores, lower)[some]
    return top


def cases_by_segment(given: Mapping[Any, Any], names: Sequence[Hashable], present: Array) -> list[int]:
    """How many cases of each segment (s,); `present` (s,) says which segments have cases at all.

    Raises
    ------
    ValueError
        If a segment of the policy is left out, a name is not one of its segments, or a number is not whole.
    """
    for name, count in given.items():
        if name not in names:
            raise unknown(
                Message("{}: {} is not a segment of the policy", Parameter("condition"), repr(name)),
                name,
                list(map(str, names)),
            )
        whole = isinstance(count, numbers.Integral) and not isinstance(count, bool)
        if not whole or count < 0:
            raise refused(
                Item("condition", name), "must be a number of cases, a whole one, but is {}.", repr(count)
            )
    for name, some in zip(names, present.tolist(), strict=True):
        if some and name not in given:
            told = "cases elsewhere (None)" if name is None else f"the segment {name!r}"
            text = "{}: how many cases of {} are called positive is not said."
            raise Refusal(text, Parameter("condition"), told)
    return [int(given.get(name, 0)) for name in names]
