"""The first cases of Parquet files, as many as can be flagged or reviewed: at any size.

Rows are read once to keep those that come first, and once to write. Where more are asked for than may be
kept, they are counted in ranges of places, once or as often as these have to be divided, before some are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.keys import Lots
from rochull._core.validation import Array, generator
from rochull.cli.case_order import LAST, BestFirst, CaseOrder, Kept, MostWorthReview, score_steps
from rochull.cli.decided_batches import InParts, Looks, SomeRows, counts_of, files_to_decide
from rochull.cli.options import say, say_wrapped
from rochull.conditions.rules import Action
from rochull.decisions import ladders, questions
from rochull.policies.batch_ranges import TooWideError
from rochull.policies.ranking import posteriors
from rochull.scanning.engines.duckdb_decide import DecisionCounts

if TYPE_CHECKING:
    from rochull._core.file_queries import TableFile
    from rochull.cli.decider import Decider

_SHIFTS = 44, 24, 4, 0  # of places, in turn: 2^20 counts at once
_ROW = 64  # bytes that a row takes which is kept, while it is put in order
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
class Flagged:
    """Rows that come first.

    Attributes
    ----------
    rows : (m,) in their order.
    before : the place before which all others do.
    turns : how many ranges of scores are flagged as a whole; None where that is not how.
    is_ranked : whether the order of all is known.
    """

    rows: Array
    before: int = 0
    turns: int | None = None
    is_ranked: bool = False


@dataclass(frozen=True)
class FirstCases:
    """So many rows of a table that come first.

    Attributes
    ----------
    rows : the table, of one classifier.
    order : in which rows come.
    edge : (r + 1,) the edge of the hull on which a score is that misses so many of the thresholds.
    cases : how many rows are flagged: called positive, or reviewed.
    key : the column that identifies a case, or None.
    lots : what lots are drawn by where there is no key, and what goes before a key.
    whole : whether rows between two thresholds are taken together, or not at all.
    most : how many rows may be kept.
    """

    rows: InParts
    order: CaseOrder
    edge: Array
    cases: int
    key: str | None
    lots: tuple[Any, str]
    whole: bool
    most: int

    def flagged(self, looks: Looks) -> Flagged:
        """Find the rows that come first, and look at all."""
        if self.whole:
            return self._whole(looks)
        seen: list[Looks] = [looks]
        if self.cases <= self.most * 3 // 4:
            kept = Kept(self.order, self.cases, self.most, self.order.end)
            self._keep(kept, seen.pop())
            if not kept.is_full:
                return Flagged(self._ordered(kept)[: self.cases], is_ranked=True)

        def parts() -> Iterator[Array]:
            for _, some in self._parts(seen.pop() if seen else None):
                place = self.order.places(*some.scores.values())
                yield place[place <= np.uint64(self.order.end)]

        good = self.most - self.cases
        reach = reach_of(parts, self.cases, self.most, max(good, 0))
        ranked = reach.before + reach.here <= self.most
        high = min(reach.low + reach.width - 1, self.order.end)
        kept = Kept(self.order, self.cases, LAST, high)
        self._keep(kept, None, 0 if ranked else reach.low)
        left = self.cases - (0 if ranked else reach.before)
        return Flagged(self._ordered(kept)[:left], 0 if ranked else reach.low, is_ranked=ranked)

    def _parts(self, looks: Looks | None, key: str | None = None) -> Iterator[tuple[Any, SomeRows]]:
        """Batches and their rows, looked at."""
        columns = dict.fromkeys([*self.rows.numbers.values(), *([] if key is None else [key])])
        begin = 0
        for batch in self.rows.files.batches([*columns]):
            some = self.rows.of(begin, batch)
            if looks is not None:
                looks.at(some, np.zeros(some.size, np.int8))
            yield batch, some
            begin += some.size

    def _whole(self, looks: Looks) -> Flagged:
        counts = np.zeros(self.order.turn.size, np.int64)
        for _, some in self._parts(looks):
            missed = self.order.missed(*some.scores.values())
            counts += np.bincount(missed, minlength=counts.size)
        reached = np.cumsum(counts[np.argsort(self.order.turn)])
        turns = int(np.searchsorted(reached, self.cases, side="right"))
        return Flagged(np.zeros(0, np.int64), turns=self.order.turns_in(turns))

    def _keep(self, kept: Kept, looks: Looks | None, low: int = 0) -> None:
        """Keep rows from a place on."""
        from rochull._core.parquet_beside import arrow_of

        source = generator(self.lots[0])
        for batch, some in self._parts(looks, self.key):
            rows, place = kept.candidates(*some.scores.values())
            rows, place = (each[place >= np.uint64(low)] for each in (rows, place))
            if self.key is None:
                lots = source.random(len(batch))[rows]
            else:
                own = batch.column(self.key).take(arrow_of(rows)).to_pylist()
                lots = np.array(own, object)
            kept.add(some.begin + rows, place, lots)

    def _ordered(self, kept: Kept) -> Array:
        """The rows that are kept, in their order; equal ones by lots."""
        rows, place, lots = kept.first
        if self.key is None:
            return np.asarray(rows[np.lexsort((lots, place))])
        level = np.unique(place, return_inverse=True)[1].ravel()
        return np.asarray(rows[Lots(lots, self.lots[1], None, lots.size).ordered(level)])


@dataclass
class _Columns:
    """The columns of rows, part by part: decision, and rank and probability if these are known."""

    first: FirstCases
    flagged: Flagged
    posteriors: Array | None
    begin: int = 0

    def __post_init__(self) -> None:
        self._order = np.argsort(self.flagged.rows)
        self._ascending = self.flagged.rows[self._order]
        self._edge = self.first.edge.astype(np.min_scalar_type(-1 - self.first.edge.max()))
        self.counts = np.zeros(len(Action), np.int64)

    @property
    def names(self) -> list[str]:
        """How the columns are called."""
        more = ["rank"] * self.flagged.is_ranked + ["probability"]
        return ["decision", *([] if self.posteriors is None else more)]

    @property
    def decided(self) -> dict[str, int]:
        """How many rows got which decision."""
        return dict(zip(self.first.order.words, self.counts.tolist(), strict=False))

    def added(self, batch: Any) -> list[Any]:
        """The columns of a batch."""
        import pyarrow as pa

        from rochull._core.parquet_beside import arrow_of

        order, flagged = self.first.order, self.flagged
        some = self.first.rows.of(self.begin, batch)
        (scores,) = some.scores.values()
        missed = order.missed(scores)
        first, ranks = np.zeros(some.size, bool), np.zeros(some.size, np.int64)
        if flagged.turns is not None:
            first = (order.turn < flagged.turns)[missed]
        elif flagged.before:
            first = order.places(scores) < np.uint64(flagged.before)
        here = slice(*np.searchsorted(self._ascending, [self.begin, self.begin + some.size]))
        own = self._ascending[here] - self.begin
        first[own], ranks[own] = True, self._order[here] + 1
        self.begin += some.size
        columns = [self._decision(missed, first)]
        if "rank" in self.names:
            columns.append(arrow_of(ranks, ranks == 0))
        if self.posteriors is not None:
            edge = arrow_of(self._edge.take(missed))
            columns.append(pa.DictionaryArray.from_arrays(edge, arrow_of(self.posteriors)))
        return columns

    def _decision(self, missed: Array, first: Array) -> Any:
        import pyarrow as pa

        from rochull._core.parquet_beside import arrow_of, arrow_texts

        order = self.first.order
        decided = order.decided(missed, first)
        self.counts += counts_of(decided)
        column = arrow_of(decided)
        if decided.dtype == bool:
            return column
        return pa.DictionaryArray.from_arrays(column, arrow_texts(order.words))


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

    def _asked(self, rows: int) -> tuple[CaseOrder, Array, int] | None:
        """In which order rows come, the edges of the hull, and how many are flagged; if that is known."""
        condition, hull = self.loaded.condition, self.loaded.policy.hull
        cases = questions.cases_of(condition)
        if cases is not None:
            rules, edges = ladders.rungs(hull)
            steps = score_steps(rules)
            if steps is None or questions.beside_cases(condition) is not None:
                return None
            return BestFirst(steps), edges, cases
        if len(hull.classifiers) != 1:
            return None
        review = condition.question.at_prevalence(hull.prevalence)
        own = review.as_share_of(rows).best_of(hull.alone())[0]
        steps = score_steps([each[0] for each in own.owners])
        if steps is None:
            return None
        along = review.along(own.frontier)
        taken = list(along.steps())
        turn = np.argsort([i for i, _, _ in taken])
        paying = sum(extra < 0 for _, _, extra in taken)
        order = MostWorthReview(steps, turn, along.start, paying)
        return order, np.arange(turn.size), review.reviews_in_batch or 0

    def _first(self, file: TableFile) -> FirstCases | None:
        """The question, if it is one of these."""
        table, own = file.table(), dict(self.places)
        files = files_to_decide(file, table, self.output, list(own.values()), {})
        if (
            files is None
            or self.loaded.features
            or (self.key is not None and file.types(table)[self.key] not in _KEYS)
        ):
            return None
        asked = self._asked(files.rows)
        if asked is None:
            return None
        order, edge, cases = asked
        cases = min(cases, files.rows) if order.end >= 0 else 0
        whole = self.loaded.asked.deterministic
        lots, most = (self.random_state, self.loaded.policy.salt), max(1, self.memory // 2 // _ROW)
        return FirstCases(InParts(files, own, {}, ()), order, edge, cases, self.key, lots, whole, most)

    def write(self, judged: Callable[[DecisionCounts], None]) -> dict[str, int] | None:
        """Write the table: how many rows got which decision; None where rows cannot be read so."""
        from rochull._core.connections import connected
        from rochull._core.file_queries import TableFile
        from rochull._core.files import replacing
        from rochull._core.inputs import inputs_kept
        from rochull._core.parquet_beside import UnreadableError
        from rochull._core.threads import told_if_long

        with inputs_kept(), connected() as connection:
            file = TableFile(connection, self.table)
            first = self._first(file)
            if first is None:
                return None
            files = first.rows.files
            looks = Looks(self.loaded, files.rows)
            try:
                found = first.flagged(looks)
                scored = files.rows - looks.missing
                if looks.missing and first.order.takes_all and first.cases >= scored:
                    return None  # lots are drawn of cases without a score
                made = _Columns(first, found, self._posteriors())
                file.check_target(file.table(), made.names, self.output)
                with replacing(self.output) as partial, told_if_long("deciding"):
                    files.write(partial, made.names, made.added, self.metadata)
                    counts = made.decided
                    gone = {str(name): looks.missing for name in self.places if looks.missing}
                    judged(DecisionCounts(counts, gone, {}, looks.counted, looks.some(self.places)))
            except (UnreadableError, TooWideError):
                return None
        if "rank" in made.names:
            say(
                "Sort by the column rank: rank 1 is worked on first; cases that are not "
                f"{first.order.flags} have none."
            )
        elif "probability" in made.names:
            say_wrapped(f"No ranks: the order of {first.cases:,} cases takes more than --memory.")
        return {word: n for word, n in counts.items() if n}

    def _posteriors(self) -> Array | None:
        """How likely a case on each edge is positive, if cases are ranked."""
        hull = self.loaded.policy.hull
        at = questions.prevalence_asked(self.loaded.condition, hull.prevalence)
        return None if at is None or self.loaded.asked.deterministic else posteriors(hull, at)
