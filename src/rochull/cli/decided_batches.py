"""Parquet files decided some rows after the others, by rules that need nothing but these rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.conditions.rules import Action, Scores, decisions_of
from rochull.decisions.axes import UNSEEN, Bins, Texts
from rochull.decisions.deciding import Run, warn_of_scores
from rochull.decisions.plans import Among, Decide
from rochull.decisions.score_columns import missing_in
from rochull.decisions.score_kind import ScoreKind

if TYPE_CHECKING:
    from rochull._core.file_queries import TableFile
    from rochull._core.parquet_beside import ParquetCopy
    from rochull._core.validation import Array
    from rochull.cli.decider import Decider
    from rochull.scanning.engines.duckdb_decide import DecisionCounts

_ENOUGH = 100_000  # rows that are kept, to look at them
_FEATURES = ("TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "FLOAT", "DOUBLE")
_WORDS = [action.word for action in Action]


def decides_rows(decider: Decider) -> bool:
    """Whether each row is decided by its scores and its segment alone, and none is refused."""
    plan = decider.plan
    if isinstance(plan, Among):
        if type(plan.bins) is not Bins or plan.elsewhere is None:
            return False
        return bool(plan.classifiers) and all(isinstance(each, Decide) for each in plan.later)
    return isinstance(plan, Decide) and bool(plan.classifiers)


def files_to_decide(
    file: TableFile, table: str, output: Path, numbers: Sequence[str], features: Mapping[str, bool]
) -> ParquetCopy | None:
    """The files, if these and the output are Parquet, and columns hold plain numbers, or texts."""
    from rochull._core.parquet_beside import ParquetCopy
    from rochull._core.table_files import output_format
    from rochull.scanning.engines.duckdb_plain import SCORES

    if file.kind != "parquet" or output_format(output)[0] != "parquet":
        return None
    file.require_columns(table, [*numbers, *features])
    types = file.types(table)
    plain = all(types[name] in SCORES for name in numbers)
    alike = all(
        types[name] == "VARCHAR" if text else types[name] in _FEATURES for name, text in features.items()
    )
    apart = not set(numbers) & set(features)
    return ParquetCopy.of(file.files(), list(types)) if plain and alike and apart else None


@dataclass(frozen=True)
class SomeRows:
    """Rows that are in memory.

    Attributes
    ----------
    begin, size : how many rows are before them, and how many they are.
    scores : (n,) by classifier.
    features : (n,) auxiliary columns, by their names in the policy.
    """

    begin: int
    size: int
    scores: Mapping[Any, Scores]
    features: Mapping[Any, Array]

    @classmethod
    def of(cls, begin: int, batch: Any, numbers: Mapping[Any, str], features: Mapping[Any, str]) -> SomeRows:
        """The rows of a record batch."""
        scores = {place: scores_in(batch.column(place)) for place in dict.fromkeys(numbers.values())}
        return cls(
            begin,
            len(batch),
            {name: scores[place] for name, place in numbers.items()},
            {name: _feature(batch.column(place)) for name, place in features.items()},
        )

    def fetch(self, needs: Mapping[Any, Array | None]) -> dict[Any, Scores]:
        """For each classifier the scores of some rows (m,), or of all."""
        every = self.scores
        return {name: every[name] if rows is None else every[name].at(rows) for name, rows in needs.items()}


def counts_of(actions: Array) -> Array:
    """How many of some actions, int8 (n,), are of each kind: a tenth of the time of np.bincount."""
    return np.array([np.count_nonzero(actions == action) for action in range(len(Action))])


def scores_in(column: Any) -> Scores:
    """The scores of a column of Arrow."""
    from rochull._core.parquet_beside import numbers_in

    if not column.null_count:
        return Scores(numbers_in(column))
    return Scores(numbers_in(column.fill_null(0)), numbers_in(column.is_null()))


def _feature(column: Any) -> Array:
    import pyarrow as pa

    from rochull._core.parquet_beside import numbers_in

    if pa.types.is_dictionary(column.type):
        levels = column.dictionary.to_pylist()
        places = column.indices
        return Texts.coded(numbers_in(places.fill_null(len(levels)) if places.null_count else places), levels)
    scores = scores_in(column)
    return scores.values if scores.nulls is None else np.where(scores.nulls, np.nan, scores.values)


@dataclass
class InParts:
    """The rows of a table, part by part.

    Attributes
    ----------
    files : that hold them.
    numbers, features : the columns of scores and of auxiliary features, by names in the policy.
    texts : the columns of these that hold texts.
    """

    files: ParquetCopy
    numbers: Mapping[Any, str]
    features: Mapping[Any, str]
    texts: Sequence[str]

    def __iter__(self) -> Iterator[SomeRows]:
        begin = 0
        columns = list(dict.fromkeys([*self.numbers.values(), *self.features.values()]))
        for batch in self.files.batches(columns, self.texts):
            yield self.of(begin, batch)
            begin += len(batch)

    def of(self, begin: int, batch: Any) -> SomeRows:
        """The rows of a batch."""
        return SomeRows.of(begin, batch, self.numbers, self.features)


@dataclass
class Decided:
    """A policy's decisions on rows, part by part, and what is to be said of all of them."""

    loaded: Decider
    missing: Counter[Any] = field(default_factory=Counter)
    rounded: int = 0
    strangers: int = 0

    def of(self, rows: SomeRows) -> Array:
        """Actions (n,)."""
        from rochull._core.keys import Lots

        plan, codes = self.loaded.plan, np.zeros(0, np.int64)
        if isinstance(plan, Among):
            codes = plan.bins.assign(rows.features)
            self.strangers += int(np.count_nonzero(codes == UNSEEN))
        run = Run(rows.size, Lots(None, "", 0, rows.size), rows.fetch, lambda _: codes)
        found = plan.outcome(run, None)
        self.missing.update(run.missing)
        self.rounded += run.rounded
        return found

    def column(self, actions: Array) -> Any:
        """The decisions as Arrow has them."""
        import pyarrow as pa

        from rochull._core.parquet_beside import arrow_of, arrow_texts

        if not self.loaded.plan.can_review:
            return arrow_of(decisions_of(actions))
        return pa.DictionaryArray.from_arrays(arrow_of(actions), arrow_texts(_WORDS))

    def warn(self, rows: int) -> None:
        """Say what memory would have said."""
        from rochull._core.warned import warn
        from rochull.cli.decider import STRANGERS

        if self.strangers:
            warn(STRANGERS.format(count=self.strangers, rows=rows))
        warn_of_scores(self.loaded.plan, self.missing, self.rounded, rows)


class Looks:
    """Counts of rows, and some of them, that tell whether they are of the kind that a policy knows.

    Attributes
    ----------
    missing : how many scores are missing, of the classifier that lacks most.
    """

    def __init__(self, loaded: Decider, rows: int) -> None:
        self._step = -(-rows // _ENOUGH)
        kinds = enumerate(loaded.watch.kinds)
        self._kinds = {k: kind for k, kind in kinds if isinstance(kind, ScoreKind)}
        self._counts: dict[int, Array] = {}
        self._kept: list[SomeRows] = []
        self._actions: list[Array] = []
        self.missing = 0

    def at(self, rows: SomeRows, actions: Array) -> None:
        """Look at rows and what is done with them (n,)."""
        self.missing += max((missing_in(scores) for scores in rows.scores.values()), default=0)
        for k, kind in self._kinds.items():
            scores = rows.scores.get(kind.classifier)
            if scores is not None:
                self._counts[k] = self._counts.get(k, 0) + np.array(kind.counts_of(scores))
        some = slice(-rows.begin % self._step, None, self._step)
        kept = {name: own.at(some) for name, own in rows.scores.items()}
        features = {name: own[some] for name, own in rows.features.items()}
        self._actions.append(actions[some].copy())
        self._kept.append(SomeRows(rows.begin, len(actions[some]), kept, features))

    @property
    def counted(self) -> dict[Any, int]:
        """How many scores there are, and how many each cut calls positive, by kind and place."""
        return {(k, i): int(n) for k, counts in self._counts.items() for i, n in enumerate(counts)}

    def sample(
        self, places: Mapping[Any, str], words: Callable[[Array], Array]
    ) -> tuple[dict[str, Array], Array]:
        """The rows that were kept: columns (m,), and how each was decided, as text."""
        held: dict[str, Array] = {}
        for name, place in places.items():
            if name in self._kept[0].scores:
                parts = [each.scores[name] for each in self._kept]
                held[place] = np.concatenate([np.where(own.present, own.values, np.nan) for own in parts])
            else:
                held[place] = np.concatenate([_read(each.features[name]) for each in self._kept])
        return held, words(np.concatenate(self._actions))

    def some(self, places: Mapping[Any, str]) -> Callable[[str], Array]:
        """Given a column, the scores of it that were kept."""

        def of(place: str) -> Array:
            found = self.sample(places, lambda actions: actions)[0][place]
            return found[~np.isnan(found)]

        return of


def _read(values: Array) -> Array:
    """Auxiliary values that stand for themselves."""
    if not isinstance(values, Texts):
        return values
    levels = np.empty(len(values.levels) + 1, object)
    levels[:-1] = values.levels
    return levels[values.codes]


@dataclass(frozen=True)
class TableInParts:
    """A table to decide row by row.

    Attributes
    ----------
    deciders : the policy that decides, and one that does beside it.
    table, output : the files.
    places : the column of each name in a policy.
    metadata : of the file that is written.
    """

    deciders: Sequence[Decider]
    table: str
    output: Path
    places: Mapping[Any, str]
    metadata: Mapping[str, str]

    def write(self, judged: Callable[[DecisionCounts, Sequence[Decided]], None]) -> DecisionCounts | None:
        """Write the table with the decisions; None where rows cannot be read so.

        `judged` gets what was counted before the file has its name; what it raises ends the work.
        """
        from rochull._core.connections import connected
        from rochull._core.file_queries import TableFile
        from rochull._core.files import replacing
        from rochull._core.inputs import inputs_kept
        from rochull._core.parquet_beside import UnreadableError
        from rochull._core.threads import told_if_long

        reviews = {each.plan.can_review for each in self.deciders}
        if len(reviews) > 1 or not all(map(decides_rows, self.deciders)):
            return None
        numbers, features = self._named("numbers"), self._named("features")
        texts = {self.places[name]: text for each in self.deciders for name, text in each.features.items()}
        with inputs_kept(), connected() as connection:
            file = TableFile(connection, self.table)
            table = file.table()
            files = files_to_decide(file, table, self.output, list(numbers.values()), texts)
            if files is None:
                return None
            names = ["decision", "shadow"][: len(self.deciders)]
            file.check_target(table, names, self.output)
            rows = InParts(files, numbers, features, [place for place, text in texts.items() if text])
            made = _Decisions(
                rows, [Decided(each) for each in self.deciders], Looks(self.deciders[0], files.rows)
            )
            try:
                with replacing(self.output) as partial, told_if_long("deciding"):
                    files.write(partial, names, made.added, self.metadata, rows.texts)
                    judged(found := self._found(made), made.deciders)
            except UnreadableError:
                return None
        return found

    def _named(self, what: str) -> dict[Any, str]:
        return {name: self.places[name] for each in self.deciders for name in getattr(each, what)}

    def _found(self, made: _Decisions) -> DecisionCounts:
        from rochull.scanning.engines.duckdb_decide import DecisionCounts

        words = _WORDS if self.deciders[0].plan.can_review else ["false", "true"]
        decided = {word: int(n) for word, n in zip(words, made.counts, strict=False) if n}
        looks, table = made.looks, np.array(words)
        looked = looks.counted | {("shadow", 0): made.otherwise}
        sample = partial(looks.sample, self.places, table.__getitem__)
        return DecisionCounts(decided, {}, {}, looked, looks.some(self.places), sample)


@dataclass
class _Decisions:
    """Decisions, part by part, and how many of each there are.

    Attributes
    ----------
    rows, deciders, looks : what is decided, by whom, and what is looked at.
    begin : how many rows are done.
    counts : of each action.
    otherwise : how many rows the other policy decides otherwise.
    """

    rows: InParts
    deciders: Sequence[Decided]
    looks: Looks
    begin: int = 0
    counts: Array = field(default_factory=lambda: np.zeros(len(Action), np.int64))
    otherwise: int = 0

    def added(self, batch: Any) -> list[Any]:
        """The new columns of a part."""
        some = self.rows.of(self.begin, batch)
        actions = [each.of(some) for each in self.deciders]
        own, other = actions[0], actions[-1]
        self.looks.at(some, own)
        self.counts += counts_of(own)
        if other is not own:
            self.otherwise += int(np.count_nonzero(own != other))
        self.begin += len(batch)
        return [each.column(found) for each, found in zip(self.deciders, actions, strict=True)]
