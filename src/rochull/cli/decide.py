"""``rochull decide``: every row of a table decided by a policy, of whatever kind."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.conditions import (
    CONDITION,
    CasesOfOption,
    MaxCallsOption,
    MinimaxOption,
    NeedsOption,
    Options,
    Typed,
    cases_by_segment,
    single,
    takes,
)
from rochull.cli.decider import PLAIN, Asked, Decider, percentage
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, LocalEngineOption, MemoryOption, refuse_in_stream
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import (
    MissingOption,
    UsageError,
    column_options,
    places_suggested,
    say,
    say_warnings,
    say_wrapped,
    warnings_as_lines,
)
from rochull.cli.policies import columns_typed, load
from rochull.cli.summary import JsonOption, Summary, SummaryOption, check_summary

_LARGE = 1 << 23  # bytes of a Parquet file of about 10^6 rows, from which on reading it in parts is quicker

if TYPE_CHECKING:
    from rochull.cli.decided_batches import Decided
    from rochull.decisions.batch_check import BatchCheck
    from rochull.scanning.engines.duckdb_decide import DecisionCounts


@takes({"typed": CONDITION, "goal": GOAL})
def decide(
    policy: Annotated[
        Path,
        Argument(help="A policy of rochull report, cascade or multiclass, or one saved in Python."),
    ],
    table: Annotated[str, Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
    *,
    output: Annotated[
        Path, Option("--output", "-o", help="Write the table with a column decision: .parquet or .csv.")
    ],
    typed: Typed,
    cases_of: CasesOfOption = None,
    minimax: MinimaxOption = False,
    max_calls: MaxCallsOption = None,
    needs: NeedsOption = None,
    goal: TypedGoal,
    key: Annotated[
        str | None,
        Option(help="Column that identifies a case: same key, same decision.", metavar="COLUMN"),
    ] = None,
    column: Annotated[
        list[str] | None,
        Option(
            help="Where a classifier's scores are, a class's outputs or a feature of segments, unless in a "
            "column of its name; repeat for each.",
            metavar="NAME=COLUMN",
        ),
    ] = None,
    random_state: Annotated[
        int | None, Option(help="Seed for a randomised rule without --key.", metavar="INTEGER")
    ] = None,
    deterministic: Annotated[
        bool,
        Option("--deterministic", help="Use the best threshold that the policy holds, no randomisation."),
    ] = False,
    missing: MissingOption = None,
    shadow: Annotated[
        Path | None,
        Option(
            help="Another policy, which decides beside it: its decisions are in the column shadow.",
            metavar="POLICY",
        ),
    ] = None,
    explore: Annotated[
        str | None,
        Option(
            help="Share of the cases that are neither flagged nor reviewed which are to be labelled all the "
            "same: columns label and label_probability say which, and how likely it was.",
            metavar="SHARE",
        ),
    ] = None,
    only: Annotated[
        str | None,
        Option(
            help="Write the rows that are decided so and no others: positive, negative, review or a class; "
            "those of a queue in the order of their ranks.",
            metavar="DECISION",
        ),
    ] = None,
    strict: Annotated[
        bool,
        Option("--strict", help="Take a warning as an error: no table is written."),
    ] = False,
    engine: LocalEngineOption = None,
    memory: MemoryOption = None,
    summary: SummaryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide every row of a table by a policy, under a condition given now.

    The policy has one threshold for all, or one for each segment, or is of
    several classes; its file says which. One by groups, or of an assured rule,
    is asked nothing: it decides as it was saved.

    Without --prevalence that of the data which made the policy is used.
    With --prevalence estimate the proportion of positives is estimated from
    the table's own scores. --cases alone calls exactly so many rows positive,
    and --cases-of so many of a segment, the most likely positives first; columns
    rank and probability say in which order. With --only positive these rows
    alone are written, the first one on top.
    With --cost-review, or a limit on reviews or on errors, a row is positive,
    negative or review; --max-reviews is the number of rows that can be reviewed.
    A limit holds for the sample that made the policy. To keep it in the
    population, give rochull report --confidence and --policy: that policy holds
    the assured rule, and is asked nothing.
    """
    estimated = typed["prevalence"] == "estimate"
    by_segment = cases_by_segment(cases_of or (), typed)
    stated: Typed = typed | {"cases": str(sum(by_segment.values()))} if by_segment else typed
    options = Options(stated | {"prevalence": "0.5"} if estimated else stated, batch=True)
    calls, share = single(max_calls, "max_calls"), single(explore, "explore")
    asked = Asked(options, options.condition(), goal, deterministic, minimax, calls, needs, by_segment)
    _refuse_both(key, random_state)
    _check_outputs(output, summary, table, policy)
    loaded, reader = load(policy, asked), Engine(engine, memory)
    beside = None if shadow is None else load(shadow, replace(asked, prices=True))
    places = _places(column or (), loaded, beside)
    used = reader.of_columns(table, [*places.values(), key], optional=True)
    if used == "duckdb":
        refuse_in_stream(**{"--cases-of": by_segment})
    record = Summary("decide", loaded.made_by, table, output, summary, as_json)
    with record.told():
        if estimated:
            _estimate(loaded, table, places, strict, reader.bytes if used == "duckdb" else None)
            if beside is not None:
                beside.agree_with(loaded)
        record.condition = loaded.asks
        for said in loaded.told():
            say_wrapped(said)
        chance = loaded.chance or share is not None or (beside is not None and beside.chance)
        key = _key_needed(key, chance=chance)
        job = _Job(loaded, table, output, places, key, strict, _written(loaded, only), record, beside, share)
        by_lot = chance and key is None
        if by_lot and random_state is None and (used != "duckdb" or loaded.of_batch):
            say_wrapped(_told_of_lots(by_segment or typed["cases"] or typed["max_reviews"]))
        used = "duckdb" if engine in (None, "auto") and job.is_cheaper_in_parts else used
        if used == "memory":
            counts = job.in_memory(random_state)
        elif loaded.of_batch:
            counts = job.first_cases(reader.bytes, random_state)
        else:
            refuse_in_stream(**{"a randomised rule without --key or --deterministic": by_lot})
            counts = job.stream(reader.bytes)
        say(*loaded.summary(counts), f"Decisions: {output}{job.rows_told(counts, only)}")
        record.facts |= {"engine": used, **job.facts(counts)}


def _places(typed: Sequence[str], loaded: Decider, beside: Decider | None) -> dict[Any, str]:
    """Where the columns are that one of two policies knows."""
    known = list(dict.fromkeys([*loaded.known, *(() if beside is None else beside.known)]))
    found = columns_typed(typed, known, str, others=loaded.knows_a_part)
    return {name: str(name) for name in known} | found


def _refuse_both(key: str | None, random_state: int | None) -> None:
    if key is not None and random_state is not None:
        raise UsageError("--key and --random-state exclude each other: a key decides without chance.")


def _key_needed(key: str | None, *, chance: bool) -> str | None:
    """Return the key, unless nothing is left to chance."""
    if key is not None and not chance:
        say(f"Key: {key!r} is not needed, because nothing is left to chance.")
    return key if chance else None


def _check_outputs(output: Path, summary: Path | None, table: str, policy: Path) -> None:
    """Raise if a target cannot be written, before the data are read."""
    from rochull._core.files import check_apart, check_writable
    from rochull._core.table_files import output_format

    output_format(output)
    check_writable(output)
    check_apart(output, policy, "the policy that decides")
    check_summary(summary, output=output, table=table, policy=policy)


def _written(loaded: Decider, only: str | None) -> str | None:
    """How the only decision that is wanted is written."""
    if only is None or only in loaded.written:
        return only and loaded.written[only]
    from rochull._core.table_errors import names_listed

    raise UsageError(f"--only must be one of {names_listed([*loaded.written])}, but is {only!r}.")


def _told_of_lots(of_batch: object) -> str:
    why = "Among cases that are alike lots decide" if of_batch else "The rule is randomised"
    return f"{why}: give --key or --random-state to get the same decisions again."


def _estimate(
    loaded: Decider, table: str, places: Mapping[Any, str], strict: bool, memory: int | None
) -> None:
    """Put the prevalence that the table's scores speak for into the condition; with `memory` by counts."""

    def estimated(policy: Any) -> Any:
        held = {name: places[name] for name in policy.classifiers}
        if memory is None:
            return policy.estimated(_read(table, held, [], None)[0])
        from rochull.cli.batch_counted import estimate_counted

        with places_suggested(column_options(held)):
            return estimate_counted(policy.hull, table, held, memory)

    with warnings_as_lines(strict=strict):
        say_wrapped(f"Estimated from these scores: {loaded.estimate_prevalence(estimated)}.")


def _read(
    table: str, places: Mapping[Any, str], texts: list[str], key: str | None
) -> tuple[dict[Any, Any], Any]:
    """The columns under their names in the policy, and the keys."""
    import numpy as np

    from rochull._core.table_files import count_rows, read_columns

    columns = list(dict.fromkeys([*places.values(), *([] if key is None else [key])]))
    if not columns:  # a constant rule
        return {"": np.broadcast_to(np.int8(0), count_rows(table))}, None
    own = list(places.values())
    text = [*texts, *([] if key is None or key in own else [key])]
    with places_suggested(column_options(places)):
        found = read_columns(
            table, columns, missing=own, text=text, numbers=[place for place in own if place not in texts]
        )
    return {name: found[place] for name, place in places.items()}, None if key is None else found[key]


@dataclass(frozen=True)
class _Job:
    """A table to decide."""

    loaded: Decider
    table: str
    output: Path
    places: Mapping[Any, str]
    key: str | None
    strict: bool
    only: str | None  # of the decisions, as it is written
    record: Summary
    shadow: Decider | None
    explore: float | None

    @property
    def _deciders(self) -> tuple[Decider, ...]:
        return (self.loaded,) if self.shadow is None else (self.loaded, self.shadow)

    @property
    def _numbers(self) -> list[Any]:
        return list(dict.fromkeys(name for each in self._deciders for name in each.numbers))

    @property
    def _features(self) -> dict[Any, bool]:
        return {name: is_text for each in self._deciders for name, is_text in each.features.items()}

    @property
    def _needed(self) -> dict[Any, str]:
        return {name: self.places[name] for name in (*self._numbers, *self._features)}

    def _shadowed(self, otherwise: int, rows: int) -> None:
        """Say how many cases the other policy decides otherwise."""
        say(f"Shadow: {otherwise:,} of {rows:,} cases decided otherwise ({percentage(otherwise / rows)})")
        self.record.facts["otherwise"] = otherwise

    def rows_told(self, counts: Mapping[str, int], only: str | None) -> str:
        """How many rows are written, where these are not all."""
        return "" if self.only is None else f" ({counts.get(self.only, 0):,} rows, those decided {only})"

    def facts(self, counts: Mapping[str, int]) -> dict[str, Any]:
        """The decisions in numbers, for programs."""
        loaded, rows = self.loaded, sum(counts.values())
        words = {text: word for word, text in loaded.written.items()}
        decided = dict.fromkeys(words.values(), 0) | {words.get(text, text): n for text, n in counts.items()}
        promised = loaded.promised(rows)
        shares = {word: {"promised": promised.get(word), "achieved": n / rows} for word, n in decided.items()}
        written = rows if self.only is None else counts.get(self.only, 0)
        return {"rows": rows, "written": written, "decisions": decided, "shares": shares}

    def _say_read(self, how: str = "") -> None:
        read = [*self._needed.values(), *([] if self.key is None else [self.key])]
        say(f"Columns read: {', '.join(map(repr, dict.fromkeys(read))) or 'none'}{how}")

    def in_memory(self, random_state: int | None) -> dict[str, int]:
        """Decide all rows at once: how many got which decision."""
        import numpy as np

        from rochull._core.table_files import write_table
        from rochull.decisions.batch_check import BatchCheck, checks_noted

        texts = [self.places[name] for name, is_text in self._features.items() if is_text]
        needed = self._needed
        self._say_read()
        columns, keys = _read(self.table, needed, texts, self.key)
        if random_state is None and self.key is None:  # all columns speak of the same lots
            random_state = int.from_bytes(os.urandom(4), "big")
        with warnings_as_lines(strict=self.strict), checks_noted() as checks:
            # First, as the last look is the one at the decisions.
            shadow = None if self.shadow is None else self.shadow.decide(columns, keys, random_state)
            decisions = self.loaded.decide(columns, keys, random_state)
            added = self.loaded.ranks(columns, keys, random_state)
            if shadow is not None:
                self._shadowed(int(np.count_nonzero(decisions != shadow)), len(decisions))
                added = {"shadow": shadow, **added}
            added = self._explored(decisions, keys, random_state) | added
        self._tell(checks[-1] if checks else BatchCheck(len(decisions)))
        numbers = [place for place in needed.values() if place not in texts]
        kind = (lambda value: str(value).lower()) if decisions.dtype.kind == "b" else str
        rows = None
        if self.only is not None:
            rows = np.flatnonzero([kind(value) == self.only for value in decisions.tolist()])
            rows = rows[np.argsort(added["rank"][rows], kind="stable")] if "rank" in added else rows
        write_table(
            self.table, {"decision": decisions, **added}, self.output, numbers=numbers, rows=rows,
            metadata=self.record.metadata,
        )  # fmt: skip
        if "rank" in added and rows is None:
            say("Sort by the column rank: rank 1 is worked on first.")
        return {kind(value): count for value, count in Counter(decisions.tolist()).items()}

    def _explored(self, decisions: Any, keys: Any, random_state: int | None) -> dict[str, Any]:
        """Columns of the cases to label."""
        if self.explore is None:
            return {}
        from rochull.policies.exploring import explored

        lots = keys, self.loaded.policy.salt, random_state
        found = explored(decisions, self.explore, lots, exactly=self.loaded.of_batch)
        return {"label": found.label, "label_probability": found.probability}

    def _beside(self, places: Mapping[Any, str], columns: Mapping[str, str]) -> dict[str, str]:
        """Columns in SQL beside the decision: that of the other policy, and the cases to label."""
        found: dict[str, str] = {}
        if self.shadow is not None:
            found["shadow"] = self.shadow.in_duckdb(self.key, places)
        if self.explore is not None:
            from rochull.policies.exploring import explored_sql

            own = f"({self.loaded.to_sql('duckdb', self.key, places)})"
            taken = own if self.loaded.written is PLAIN else f"({own} <> 'negative')"
            key = None if self.key is None else columns.get(self.key, self.key)
            found |= explored_sql(self.loaded.policy.decider, self.explore, key, taken)
        return found

    def _looked(self, places: Mapping[Any, str]) -> dict[Any, str]:
        """Conditions that are counted: for the look, and where the other policy decides otherwise."""
        found = self.loaded.looked(places)
        if self.shadow is not None:
            own, other = (each.to_sql("duckdb", self.key, places) for each in (self.loaded, self.shadow))
            found["shadow", 0] = f"({own}) <> ({other})"
        return found

    def stream(self, memory: int) -> dict[str, int]:
        """Decide row by row: part by part where that will do, else in DuckDB."""
        self._say_read(" (in parts)")
        found = self._by_batch() or self._by_duckdb(memory)
        if self.shadow is not None:
            self._shadowed(found.looked["shadow", 0], found.rows)
        return found.decided

    @property
    def is_cheaper_in_parts(self) -> bool:
        """Whether a table that fits into memory takes less time where it is decided part by part."""
        place = Path(self.table)
        if self.loaded.of_batch or self._needs_all or not place.is_file() or place.stat().st_size < _LARGE:
            return False
        from rochull.cli.decided_batches import decides_rows

        files = place.suffix == self.output.suffix == ".parquet"
        return files and all(map(decides_rows, self._deciders))

    @property
    def _needs_all(self) -> bool:
        """Whether more is asked for than a decision on each row."""
        return self.key is not None or self.only is not None or self.explore is not None

    def first_cases(self, memory: int, random_state: int | None) -> dict[str, int]:
        """Decide so many cases of a table that is read part by part."""
        from rochull.cli.engine import engine_errors
        from rochull.cli.first_cases import TableOfCases

        def judge(found: DecisionCounts) -> None:
            self._say_noticed(found)
            with warnings_as_lines(strict=self.strict):
                self.loaded.warn_of_cases(found.rows)
                self._tell(self.loaded.judged(found, self._needed).heeded())

        self._say_read(" (in parts)")
        others = (self.shadow, self.explore, self.only)
        how = (self.key, random_state, memory, self.record.metadata)
        job = TableOfCases(self.loaded, self.table, self.output, self._needed, *how)
        with engine_errors(), places_suggested(column_options(self._needed)):
            found = job.write(judge) if others == (None, None, None) else None
        if found is None:
            reviewed = PLAIN is not self.loaded.written
            refuse_in_stream(**{"--max-reviews" if reviewed else "--cases": True})
        return found or {}

    def _by_batch(self) -> DecisionCounts | None:
        """Decide some rows after the others; None where that cannot be done."""
        from rochull.cli.decided_batches import TableInParts

        if self._needs_all:
            return None

        def judge(found: DecisionCounts, made: Sequence[Decided]) -> None:
            with warnings_as_lines(strict=self.strict):
                for each in reversed(made):
                    each.warn(found.rows)
                self._tell(self.loaded.judged(found, self._needed).heeded())

        job = TableInParts(self._deciders, self.table, self.output, self._needed, self.record.metadata)
        with places_suggested(column_options(self._needed)):
            return job.write(judge)

    def _by_duckdb(self, memory: int) -> DecisionCounts:
        """Decide in SQL."""
        from rochull.scanning.engines.duckdb_decide import RowRule, decide_files

        loaded, needed = self.loaded, self._needed

        def placed(columns: Mapping[str, str]) -> dict[Any, str]:
            return {name: columns.get(place, place) for name, place in needed.items()}

        rule = RowRule(
            lambda columns: loaded.in_duckdb(self.key, placed(columns)),
            lambda columns: loaded.counted(placed(columns)),
            lambda columns: loaded.refused(placed(columns)),
            lambda columns: loaded.by_lot(placed(columns)),
            lambda columns: self._looked(placed(columns)),
            [*dict.fromkeys(needed.values())] if loaded.sampled else (),
            lambda columns: self._beside(placed(columns), columns),
        )

        def judge(found: DecisionCounts) -> None:
            with warnings_as_lines(strict=self.strict):
                self._tell(loaded.judged(found, needed).heeded())

        with places_suggested(column_options(needed)):
            return decide_files(
                self.table, rule, self.output, scores=[needed[name] for name in self._numbers],
                features={needed[name]: is_text for name, is_text in self._features.items()},
                key=self.key, memory=memory, noticed=self._say_noticed, judged=judge, only=self.only,
                metadata=self.record.metadata,
            )  # fmt: skip

    def _tell(self, check: BatchCheck) -> None:
        say_wrapped(f"Batch: {check}.")
        self.record.facts["tests"] |= check.facts()

    def _say_noticed(self, found: DecisionCounts) -> None:
        missing = (
            f"scores[{name!r}] has {count} missing values, which pass no threshold."
            for name, count in found.missing.items()
        )
        say_warnings([*missing, *found.counted], strict=self.strict)
