"""The best cases of Parquet files, as many as can be flagged: by counts and a threshold, at any size.

Rows are read to count them in ranges of scores, once or as often as these have to be divided; once to keep
those that come first; and once to write. In memory are as many as are flagged, and those with the last score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.keys import Lots
from rochull._core.validation import Array, generator
from rochull.cli.decided_batches import InParts, Looks, files_to_decide
from rochull.cli.options import say, say_wrapped
from rochull.conditions.rules import Rule
from rochull.decisions import ladders, questions
from rochull.policies.batch_ranges import TooWideError, exact_floats
from rochull.policies.ranking import posteriors
from rochull.scanning.engines.duckdb_decide import DecisionCounts

if TYPE_CHECKING:
    from rochull._core.file_queries import TableFile
    from rochull.cli.decider import Decider
    from rochull.hull.hull import RocHull

_SHIFTS = 44, 24, 4, 0  # of places, in turn: 2^20 counts at once
_MANY = 1 << 16  # rows for which a table of the first bits pays
_ROW = 64  # bytes that a row takes which is kept, while it is put in order
_MASK = 0x7FFF_FFFF_FFFF_FFFF
_KEYS = (
    "VARCHAR",
    "TINYINT",
    "UTINYINT",
    "SMALLINT",
    "USMALLINT",
    "INTEGER",
    "UINTEGER",
    "BIGINT",
    "UBIGINT",
)


def ordered_places(values: Array, lower_is_positive: bool) -> Array:
    """Places, uint64 (n,), of scores: the best one has the least, and equal ones have the same."""
    bits = (exact_floats(values) + 0.0).view(np.int64)  # -0.0 is 0.0
    ascending = bits ^ ((bits >> 63) & np.int64(_MASK))
    return np.asarray(ascending if lower_is_positive else ~ascending).view(np.uint64) ^ np.uint64(1 << 63)


@dataclass(frozen=True)
class HullSteps:
    """The thresholds of one classifier along a hull.

    Attributes
    ----------
    rule : one of them, which names the classifier.
    ends : uint64 (r,) the last place that reaches each, ascending.
    edge : (r + 1,) the edge of the hull on which a score is that misses so many of them.
    """

    rule: Rule
    ends: Array
    edge: Array

    @classmethod
    def of(cls, hull: RocHull) -> HullSteps | None:
        """The thresholds of a hull, if it has one classifier whose thresholds descend; else None."""
        rules, edges = ladders.rungs(hull)
        inner, thresholds = (
            rules[1:-1],
            [rule.threshold for rule in rules[1:-1] if rule.threshold is not None],
        )
        if not inner or len(thresholds) < len(inner) or rules[-1].constant is None:
            return None
        if len({rule.classifier for rule in inner}) > 1 or any(float(x) != x for x in thresholds):
            return None
        ends = ordered_places(np.array(thresholds, float), inner[0].lower_is_positive)
        return cls(inner[0], ends, edges) if (ends[1:] > ends[:-1]).all() else None

    def missed(self, place: Any) -> Any:
        """How many of the thresholds each place (m,) does not reach: the first ones."""
        if np.size(place) < _MANY:
            return np.searchsorted(self.ends, place)
        found = self._by_part[(place >> np.uint64(_SHIFTS[0])).astype(np.intp)]
        left = np.flatnonzero(found < 0)
        found[left] = np.searchsorted(self.ends, place[left])
        return found

    @cached_property
    def _by_part(self) -> Array:
        """The same of all places whose first bits are alike; -1 where it is not the same of all."""
        first = np.arange(1 << (64 - _SHIFTS[0]), dtype=np.uint64) << np.uint64(_SHIFTS[0])
        least, most = (
            np.searchsorted(self.ends, each) for each in (first, first | np.uint64((1 << _SHIFTS[0]) - 1))
        )
        return np.where(least == most, least, -1).astype(np.min_scalar_type(-self.ends.size - 1))


@dataclass(frozen=True)
class Reach:
    """Rows that come before all others, and those of which some do.

    Attributes
    ----------
    low, width : the first place of the latter, and how many places there are.
    before, here : how many rows come before these places, and have one of them.
    """

    low: int
    width: int
    before: int
    here: int


def reach_of(parts: Callable[[], Iterator[Array]], nth: int, most: int, good: int = 0) -> Reach:
    """Find the places around the row number `nth`, by counts: so few that at most so many rows have them.

    If that can be, so many as are `good`. Each time `parts` is called it yields all places, part by part.
    """
    found = Reach(0, 1 << 64, 0, most + 1)
    for shift in _SHIFTS:
        counts = np.zeros(1 << (found.width.bit_length() - 1 - shift), np.int64)
        for place in parts():
            beyond = place - np.uint64(found.low)  # what is before wraps around
            here = beyond if found.width > 1 << 63 else beyond[beyond < np.uint64(found.width)]
            counts += np.bincount((here >> np.uint64(shift)).astype(np.int64), minlength=counts.size)
        reached = found.before + np.cumsum(counts)
        cut = int(np.searchsorted(reached, min(nth, int(reached[-1]) - 1), side="right"))
        before = int(reached[cut] - counts[cut])
        found = Reach(found.low + (cut << shift), 1 << shift, before, int(counts[cut]))
        if found.here <= (good or most):
            return found
    if found.here <= most:
        return found
    raise MemoryError(f"{found.here:,} cases have the score at which the number is reached")


@dataclass(frozen=True)
class FirstCases:
    """So many rows of a table that come first.

    Attributes
    ----------
    rows : the table, of one classifier.
    steps : the thresholds of the policy.
    cases : how many rows are called positive.
    key : the column that identifies a case, or None.
    lots : what lots are drawn by where there is no key, and what goes before a key.
    whole : whether rows between two thresholds are taken together, or not at all.
    most : how many rows may be kept.
    """

    rows: InParts
    steps: HullSteps
    cases: int
    key: str | None
    lots: tuple[Any, str]
    whole: bool
    most: int

    def places(self, batch: Any) -> tuple[Array, Array]:
        """Where a batch has scores (n,), and their places (n,)."""
        (scores,) = self.rows.of(0, batch).scores.values()
        return scores.present, ordered_places(scores.values, self.steps.rule.lower_is_positive)

    def reach(self, looks: Looks) -> Reach:
        """Count the rows, and look at them."""
        looked = [looks]

        def parts() -> Iterator[Array]:
            look = looked.pop() if looked else None
            for some in self.rows:
                (scores,) = some.scores.values()
                if look is not None:
                    look.at(some, np.zeros(some.size, np.int8))
                place = ordered_places(scores.values, self.steps.rule.lower_is_positive)
                yield place[scores.present]

        good = self.most - self.cases
        return reach_of(parts, self.cases, self.most, good if good > 0 and not self.whole else 0)

    def is_ranked(self, reach: Reach) -> bool:
        """Whether all that come first are kept, and so their order is known."""
        return not self.whole and reach.before + reach.here <= self.most

    def chosen(self, reach: Reach) -> tuple[Array, int]:
        """The rows (m,) that come first, of those that are kept, in their order, and the next place."""
        end, column = reach.low + reach.width, self.rows.numbers
        columns = [*dict.fromkeys([*column.values(), *([] if self.key is None else [self.key])])]
        rows, places, drawn, begin = [], [], [], 0
        source = generator(self.lots[0])
        for batch in self.rows.files.batches(columns):
            present, place = self.places(batch)
            inside = present & (place <= np.uint64(end - 1))
            here = np.flatnonzero(
                inside if self.is_ranked(reach) else inside & (place >= np.uint64(reach.low))
            )
            rows.append(begin + here)
            places.append(place[here])
            if self.key is None:
                drawn.append(source.random(len(batch))[here])
            else:
                drawn.append(np.array(batch.column(self.key).take(here).to_pylist(), object))
            begin += len(batch)
        own, place, lots = (np.concatenate(each) for each in (rows, places, drawn))
        order = np.lexsort((lots, place)) if self.key is None else self._by_key(lots, place)
        left = self.cases - (0 if self.is_ranked(reach) else reach.before)
        last = int(place[order[left]]) if left < order.size else (1 << 64) - 1
        return own[order[:left]], last

    def _by_key(self, keys: Array, place: Array) -> Array:
        level = np.unique(place, return_inverse=True)[1].ravel()
        return Lots(keys, self.lots[1], None, keys.size).ordered(level)


@dataclass
class _Columns:
    """The columns of rows, part by part: decision, and rank and probability if these are known."""

    first: FirstCases
    reach: Reach
    posteriors: Array | None
    rows: Array
    last: int
    begin: int = 0
    positive: int = 0

    def __post_init__(self) -> None:
        self._order = np.argsort(self.rows)
        self._ascending = self.rows[self._order]

    @property
    def names(self) -> list[str]:
        """How the columns are called."""
        more = ["rank"] * self.first.is_ranked(self.reach) + ["probability"]
        return ["decision", *([] if self.posteriors is None else more)]

    def added(self, batch: Any) -> list[Any]:
        """The columns of a batch."""
        import pyarrow as pa

        from rochull._core.parquet_beside import arrow_of

        size, (present, place) = len(batch), self.first.places(batch)
        missed = np.where(present, self.first.steps.missed(place), self.first.steps.ends.size)
        if self.first.whole:
            every = self.first.cases >= self.first.rows.files.rows
            called = np.full(size, every) | (missed < int(self.first.steps.missed(np.uint64(self.last))))
        else:
            called = present & (place < np.uint64(self.reach.low))
        here = slice(*np.searchsorted(self._ascending, [self.begin, self.begin + size]))
        own = self._ascending[here] - self.begin
        rank = np.zeros(size, np.int64)
        if not self.first.whole:
            called[own] = True
            rank[own] = self._order[here] + 1
        self.begin += size
        self.positive += int(np.count_nonzero(called))
        columns = [arrow_of(called)]
        if "rank" in self.names:
            columns.append(arrow_of(rank, rank == 0))
        if self.posteriors is not None:
            edge = self.first.steps.edge[missed].astype(np.min_scalar_type(-self.posteriors.size))
            columns.append(pa.DictionaryArray.from_arrays(arrow_of(edge), arrow_of(self.posteriors)))
        return columns


@dataclass(frozen=True)
class TableOfCases:
    """A table of which so many cases are called positive.

    Attributes
    ----------
    loaded : the policy, and what it is asked.
    table, output : the files.
    places : the column of each classifier.
    key, random_state : what stands in for chance.
    memory : how many bytes may be used.
    metadata : of the file that is written.
    """

    loaded: Decider
    table: str
    output: Path
    places: Mapping[Any, str]
    key: str | None
    random_state: Any
    memory: int
    metadata: Mapping[str, str]

    def _first(self, file: TableFile) -> FirstCases | None:
        """The question, if it is one of these."""
        condition, policy = self.loaded.condition, self.loaded.policy
        cases = questions.cases_of(condition)
        steps = HullSteps.of(policy.hull)
        if (
            cases is None
            or steps is None
            or questions.beside_cases(condition) is not None
            or self.loaded.features
        ):
            return None
        table = file.table()
        own = dict(self.places)
        files = files_to_decide(file, table, self.output, list(own.values()), {})
        if files is None or (self.key is not None and file.types(table)[self.key] not in _KEYS):
            return None
        whole = self.loaded.asked.deterministic
        lots, most = (self.random_state, policy.salt), max(1, self.memory // 2 // _ROW)
        return FirstCases(InParts(files, own, {}, ()), steps, cases, self.key, lots, whole, most)

    def write(self, judged: Callable[[DecisionCounts], None]) -> dict[str, int] | None:
        """Write the table: how many rows got which decision; None where rows cannot be read so."""
        from rochull._core.connections import connected
        from rochull._core.file_queries import TableFile
        from rochull._core.files import replacing
        from rochull._core.inputs import inputs_kept
        from rochull._core.parquet_beside import UnreadableError
        from rochull._core.threads import told_if_long

        with inputs_kept(), connected() as connection:
            first = self._first(TableFile(connection, self.table))
            if first is None:
                return None
            file, rows = TableFile(connection, self.table), first.rows.files.rows
            looks = Looks(self.loaded, rows)
            try:
                reach = first.reach(looks)
                if looks.missing and first.cases >= rows - looks.missing:
                    return None  # lots are drawn of cases without a score
                found, last = first.chosen(reach)
                made = _Columns(first, reach, self._posteriors(), found, last)
                file.check_target(file.table(), made.names, self.output)
                with replacing(self.output) as partial, told_if_long("deciding"):
                    file_of = first.rows.files
                    file_of.write(partial, made.names, made.added, self.metadata)
                    counts = {"true": made.positive, "false": rows - made.positive}
                    gone = {str(name): looks.missing for name in self.places if looks.missing}
                    judged(DecisionCounts(counts, gone, {}, looks.counted, looks.some(self.places)))
            except (UnreadableError, TooWideError):
                return None
        if "rank" in made.names:
            say("Sort by the column rank: rank 1 is worked on first; cases that are not flagged have none.")
        elif "probability" in made.names:
            say_wrapped(f"No ranks: the order of {first.cases:,} cases takes more than --memory.")
        return {word: n for word, n in counts.items() if n}

    def _posteriors(self) -> Array | None:
        """How likely a case on each edge is positive, if cases are ranked."""
        hull = self.loaded.policy.hull
        at = questions.prevalence_asked(self.loaded.condition, hull.prevalence)
        return None if at is None or self.loaded.asked.deterministic else posteriors(hull, at)
