"""Tables that are Spark data frames, of Spark itself or of Spark Connect: Spark scans and adds up.

The first pass is Spark's own count of cells, when the table is opened. Any other becomes one query: Python
workers that Spark starts beside the rows place each in its bucket, and Spark adds up what they found. The
driver receives cells, arrays as long as there are buckets, and groups of equal score of the few buckets that
are looked into: of all columns, segments and folds together never more than `limit`, and one for each of
these buckets. Spark moves no rows between its executors: where the rows looked into are more than may be
collected, workers send a sample, by which the buckets are divided.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from rochull._core.inputs import Versions, versions_of
from rochull._core.messages import Refusal
from rochull._core.validation import Array, Labelled
from rochull.hull.cut_map import CutMap
from rochull.hull.divided import DividedMap
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Tally
from rochull.hull.tasks import BucketCounts, BucketGroups, Buckets, LowestScores, Task, gather
from rochull.scanning.column import SMALL
from rochull.scanning.engines import spark_worker
from rochull.scanning.engines.spark_filter import Known, condition
from rochull.scanning.engines.spark_session import collected, worked
from rochull.scanning.engines.spark_totals import Totals, table_totals
from rochull.scanning.engines.spark_worker import PassPlan, WantedBuckets
from rochull.scanning.engines.table import Column, ScanGroup
from rochull.scanning.engines.ties import grouped

LIMIT = 1 << 24
_SAMPLE = 1 << 16
_AREA_BUCKETS = 1 << 14
_PIECES_A_PARTITION = 32


class SparkTable:
    """Columns of a Spark data frame.

    Parameters
    ----------
    rows : DataFrame of Spark
        With columns y (1 for a positive), s0, s1, ... (scores), w (weight), k (key), g1, ... (segments, folds
        by first group).
    totals : Totals
        What is known of its groups.
    limit : int
        How many rows of all columns and groups may be collected.
    versions : dict, optional
        The files that are read, as they must stay.
    """

    def __init__(
        self, rows: Any, totals: Totals, *, limit: int = LIMIT, versions: Versions | None = None
    ) -> None:
        self._rows, self.limit, self._versions = rows, limit, versions or {}
        self.scores: tuple[str, ...] = tuple(totals.types)
        self.groups: tuple[ScanGroup, ...] = totals.groups
        self._types, self._values, self._weighted = totals.types, totals.values, totals.weighted
        self.has_keys = totals.keyed
        # From the count, of every bucket from low scores to high: (map, lowest scores, rows or units).
        self._counted: dict[Column, tuple[Buckets, Array, Array]] = {}
        self._opened = totals.counted
        self._share = shares([group.rows for group in self.groups], limit // len(self.scores))

    @classmethod
    def open(
        cls,
        df: Any,
        *,
        label: str,
        scores: Sequence[str],
        weight: str | None,
        segment: str | None,
        fold: str | None,
        pos_label: object,
        where: str | None,
        key: str | None = None,
        lower_is_positive: Collection[str] = (),
        limit: int = LIMIT,
        files: Iterable[str] = (),
    ) -> SparkTable:
        """Look at the columns that a scan needs: one pass that counts rows, nulls and NaN in every group.

        `files` are those of this machine that Spark reads.
        """
        versions = versions_of(files)
        rows, totals = table_totals(
            df, label=label, scores=scores, weight=weight, segment=segment, fold=fold, pos_label=pos_label,
            where=where, key=key, lower_is_positive=lower_is_positive,
        )  # fmt: skip
        return cls(rows, totals, limit=limit, versions=versions)

    @property
    def counted(self) -> dict[Column, Buckets]:
        """The buckets of all columns, which were counted when the table was opened."""
        return {key: found.buckets for key, found in self._opened.items()}

    @property
    def _columns(self) -> dict[str, str]:
        return {name: f"s{i}" for i, name in enumerate(self.scores)}

    def sample(self, size: int) -> dict[Column, Array]:
        """Where the counted buckets begin; nobody asks, as every column has been counted."""
        return {key: found.buckets.starts for key, found in self._opened.items()}

    def answer(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        """Answer the tasks of every column: one query for those that add up, one for those that collect."""
        sums = {key: found for key, row in tasks.items() if (found := self._sums(key, row))}
        summed = self._summed(sums) if sums else {}
        for key, row in sums.items():
            for i, task in enumerate(row):
                if isinstance(task, BucketCounts):
                    self._keep(key, task, *summed[key][i : i + 2])
        for key in tasks:
            if any(self._is_counted(key, task) for task in tasks[key]):
                cells = self._opened[key]
                self._counted[key] = cells.buckets, cells.buckets.starts, cells.rows[::-1]
        surveys = {key: task for key, row in tasks.items() for task in row if isinstance(task, BucketGroups)}
        surveyed = self._survey(surveys) if surveys else {}

        def one(key: Column, task: Task) -> Any:
            if isinstance(task, BucketGroups):
                return surveyed[key]
            if isinstance(task, LowestScores):
                return self._lowest(key, task)
            if self._is_counted(key, task):
                return self._opened[key].pos.copy(), self._opened[key].neg.copy()
            found = summed[key][sums[key].index(task)]
            return tuple(found) if isinstance(task, BucketCounts) else found

        if versions_of(self._versions) != self._versions:
            raise ChangedError()
        return {key: [one(key, task) for task in row] for key, row in tasks.items()}

    def _is_counted(self, key: Column, task: Task) -> bool:
        return isinstance(task, BucketCounts) and task.buckets is self.counted.get(key)

    # --- sums -------------------------------------------------------------------------------------

    def _sums(self, key: Column, row: Sequence[Task]) -> list[Task]:
        """The sums for the tasks of a column; after a count the lowest scores of its buckets."""
        found: list[Task] = []
        for task in row:
            if isinstance(task, BucketGroups) or self._is_counted(key, task):
                continue
            if isinstance(task, LowestScores):
                if key in self._counted and self._counted[key][0] is task.buckets:
                    continue
                task = BucketCounts(task.buckets, task.units)
            found.append(task)
            if isinstance(task, BucketCounts):
                found.append(LowestScores(task.buckets, task.units, np.ones(task.buckets.size, bool)))
        return found

    def _summed(self, tasks: Mapping[Column, Sequence[Task]]) -> dict[Column, list[Any]]:
        plan = self._plan({key: [_light(task) for task in row] for key, row in tasks.items()})
        empty = {key: [_empty(task, self._types[key[0]]) for task in row] for key, row in tasks.items()}
        pieces = sum(array.size for row in empty.values() for array in row) // spark_worker.PIECE
        found = self._worked(plan, spark_worker.arrays, spark_worker.PIECES)
        found = found.repartition(min(64, 1 + pieces // _PIECES_A_PARTITION), "number", "piece")
        found = collected(worked(found, spark_worker.add, spark_worker.PIECES))
        arrays = [array.reshape(-1) for row in empty.values() for array in row]
        for number, kind, piece, data in zip(*(found[i].to_pylist() for i in range(4)), strict=True):
            array = np.frombuffer(data, spark_worker.TYPES[kind])
            begin = piece * spark_worker.PIECE
            arrays[number][begin : begin + array.size] = array.astype(arrays[number].dtype)
        return empty

    def _keep(self, key: Column, task: BucketCounts, counts: Array, low: Array) -> None:
        """Refuse counts that are not those of the groups; keep what the second pass asks for."""
        units, buckets = counts.sum(axis=0)[::-1].copy(), task.buckets
        if not isinstance(buckets, DividedMap):
            self._check(key, *counts.sum(axis=1).tolist())
        else:  # whose other buckets have been counted before
            whole = buckets.slots < 0
            units[buckets.first[:-1][whole]] = self._counted[key][2][whole]
        self._counted[key] = buckets, low, units

    def _check(self, key: Column, n_pos: int, n_neg: int) -> None:
        group = self.groups[key[1]]
        if not self._weighted and (n_pos, n_neg) != (group.n_pos, group.n_neg):
            raise ChangedError()

    def _lowest(self, key: Column, task: LowestScores) -> tuple[Array, Array]:
        _, low, units = self._counted[key]
        wanted = task.wanted[::-1]
        return low[wanted], (units[wanted] > 0).astype(np.int8)

    # --- groups -----------------------------------------------------------------------------------

    def _survey(self, tasks: Mapping[Column, BucketGroups]) -> dict[Column, Tally | Array]:
        allowed = {key: self._allowed(key, task) for key, task in tasks.items()}
        steps = {
            key: math.ceil(held / min(_SAMPLE, allowed[key]))
            for key, task in tasks.items()
            if (held := self._held(key, task)) > allowed[key]
        }
        if not steps:
            return self._sent(tasks, allowed) or dict(self._unpacked(self._wanted(tasks)))
        # Of divided buckets every group is added up: they hold the ties that no division tells apart.
        first = {key: step for key, step in steps.items() if not isinstance(tasks[key].buckets, DividedMap)}
        whole, groups, cut = self._groups_of(tasks, sum(allowed.values()), first)
        samples = {key: groups.pop(key).score for key in cut}
        tasks = {key: task for key, task in tasks.items() if key not in cut}
        return samples | (self._settled(tasks, allowed, groups, whole) if tasks else {})

    def _sent(
        self, tasks: Mapping[Column, BucketGroups], allowed: Mapping[Column, int]
    ) -> dict[Column, Tally | Array] | None:
        """The groups of the only column, if its rows can come without a way through Python's workers."""
        if len(tasks) > 1 or (found := self._where(tasks)) is None:
            return None
        (where, share), ((key, task),) = found, tasks.items()
        if key[1] or not self._tells_rows(key) or share * self.groups[0].rows > allowed[key]:
            return None
        table = collected(self._rows.where(where).select("y", self._columns[key[0]], *"w" * self._weighted))
        positive, scores, *weights = (column.to_numpy() for column in table.columns)
        rows = Labelled(positive.astype(np.uint8), scores, *weights or [None])
        answers = gather(iter([lambda: [(key, rows)]]), {key: [replace(task, limit=None)]}, 1)
        return {key: answers[key][0]}

    def _settled(
        self,
        tasks: Mapping[Column, BucketGroups],
        allowed: Mapping[Column, int],
        groups: dict[Column, Tally],
        whole: bool,
    ) -> dict[Column, Tally | Array]:
        """The groups of columns, or some of their scores where there are too many, after a first look."""
        if whole:
            if all(found.score.size <= allowed[key] for key, found in groups.items()):
                return dict(groups)
            sizes = {key: found.score.size for key, found in groups.items()}
        else:
            sizes = self._sizes(self._wanted(tasks))
        # Of columns with too many groups some are enough; those with few are asked for again if cut.
        few = {key: task for key, task in tasks.items() if sizes[key] <= allowed[key]}
        if few and not whole:
            complete, kept, _ = self._groups_of(few, sum(allowed[key] for key in few))
            if not complete:
                raise ChangedError()
            groups.update(kept)
        for key in tasks.keys() - few.keys():
            if groups[key].score.size < min(_SAMPLE, allowed[key]):
                groups[key] = self._groups_of({key: tasks[key]}, min(_SAMPLE, allowed[key]))[1][key]
        return {
            key: found if key in few else found.score[:: max(1, -(-found.score.size // allowed[key]))]
            for key, found in groups.items()
        }

    def _allowed(self, key: Column, task: BucketGroups) -> int:
        share = self._share[key[1]]
        most = share if task.limit is None else min(task.limit, share)
        return int(most + np.count_nonzero(task.wanted))

    def _held(self, key: Column, task: BucketGroups) -> float:
        """How many rows the wanted buckets hold, if that is known: more than there are groups."""
        if not self._tells_rows(key) or self._counted[key][0] is not task.buckets:
            return self.groups[key[1]].rows
        return int(self._counted[key][2][task.wanted[::-1]].sum())

    def _tells_rows(self, key: Column) -> bool:
        """Whether the rows of a column's buckets have been counted, and not their units alone."""
        counted = self._counted.get(key)
        return counted is not None and (not self._weighted or counted[0] is self._opened[key].buckets)

    def _groups_of(
        self, tasks: Mapping[Column, BucketGroups], most: int, steps: Mapping[Column, int] | None = None
    ) -> tuple[bool, dict[Column, Tally], set[Column]]:
        """The groups of the wanted buckets, and whether they are all: no more than so many are collected.

        Last the columns of which workers sent one group in so many `steps`.
        """
        plan = replace(self._wanted(tasks), steps=steps or {})
        found = collected(self._ties(plan).limit(most + 1))
        groups = self._read(plan, found)
        thinned = set(found["z"].to_pylist() if steps else ())
        cut = {key for number, key in enumerate(plan.work) if -1 - number in thinned}
        return sum(group.score.size for group in groups.values()) <= most, groups, cut

    def _read(self, plan: PassPlan, found: Any) -> dict[Column, Tally]:
        """Groups as they come: those of equal score are added up."""
        columns = {name: found[name].to_numpy() for name in found.column_names}
        order = np.argsort(columns["z"], kind="stable")
        columns = {name: column[order] for name, column in columns.items()}
        groups = {}
        for key, part in plan.work.items():
            i, j = np.searchsorted(columns["z"], (part.offset, part.offset + part.buckets.size)).tolist()
            dtype = self._types[key[0]]
            score = columns["whole" if spark_worker.is_wide_dtype(dtype) else "score"][i:j].astype(dtype)
            down = np.argsort(score, kind="stable")[::-1]
            groups[key] = grouped(
                score[down], columns["pos"][i:j][down], columns["neg"][i:j][down], part.units
            )
        return groups

    def _unpacked(self, plan: PassPlan) -> dict[Column, Tally]:
        """All groups of the wanted buckets: those of equal score are added up here."""
        found = collected(self._worked(plan, spark_worker.packed, spark_worker.PACKED))
        number = found["number"].to_numpy()
        columns = {name: found[name].to_pylist() for name in ("score", "pos", "neg")}
        order = np.argsort(number, kind="stable")
        ends = np.searchsorted(number[order], np.arange(len(plan.work) + 1))
        groups = {}
        for i, (key, part) in enumerate(plan.work.items()):
            rows = order[ends[i] : ends[i + 1]].tolist()
            score = np.frombuffer(b"".join(columns["score"][row] for row in rows), self._types[key[0]])
            sizes = [len(columns["score"][row]) // score.itemsize for row in rows]
            pos, neg = (
                np.concatenate(
                    [np.zeros(0, np.int64),
                     *(spark_worker.widened(columns[name][row], size)
                       for row, size in zip(rows, sizes, strict=True))]
                )
                for name in ("pos", "neg")
            )  # fmt: skip
            down = np.argsort(score, kind="stable")[::-1]
            groups[key] = grouped(score[down], pos[down], neg[down], part.units)
        return groups

    def _sizes(self, plan: PassPlan) -> dict[Column, int]:
        """How many groups the wanted buckets hold."""
        from pyspark.sql import functions as F

        found = collected(self._ties(plan).groupBy("z").agg(F.count("*").alias("n")))
        z, n = found["z"].to_numpy(), found["n"].to_numpy()
        sizes = {}
        for key, part in plan.work.items():
            sizes[key] = int(n[(z >= part.offset) & (z < part.offset + part.buckets.size)].sum())
        return sizes

    def _wanted(self, tasks: Mapping[Column, BucketGroups]) -> PassPlan:
        plan = self._parts({key: (task.buckets, task.wanted[::-1]) for key, task in tasks.items()})
        where = self._where(tasks)
        return replace(plan, where=where and where[0])

    def _where(self, tasks: Mapping[Column, BucketGroups]) -> tuple[str, float] | None:
        """A condition on the rows that the wanted buckets can hold, where the buckets have been counted.

        And the share of a table's rows that meets it, if there are no weights.
        """
        known: dict[str, list[Known]] = {}
        for key in sorted(tasks, key=lambda key: key[1]):
            buckets, low, units = self._counted.get(key, (None, None, None))
            if buckets is not tasks[key].buckets or low is None or units is None:
                return None
            held = units > 0
            found = Known(low[held], units[held], tasks[key].wanted[::-1][held])
            known.setdefault(self._columns[key[0]], []).append(found)
        return condition(known)

    def _ties(self, plan: PassPlan) -> Any:
        """Groups of equal score, added up by Spark."""
        rows = self._worked(plan, spark_worker.survey, spark_worker.GROUPS)
        return rows.groupBy("z", "score", "whole").agg(*_sums())

    # --- the exact area ---------------------------------------------------------------------------

    def exact_areas(self, columns: Sequence[Column]) -> dict[Column, tuple[int, int, int]]:
        """Twice the area under each raw curve, and the units of each class.

        Spark orders the groups inside of each bucket, and the rest is known from the buckets' units.
        """
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        size = max(1 << 6, _AREA_BUCKETS // max(1, len(columns)))
        starts = {key: self._opened[key].buckets.starts for key in columns}
        maps = {key: CutMap(low[:: -(-low.size // size)]) for key, low in starts.items()}
        plan = self._parts({key: (buckets, np.ones(buckets.size, bool)) for key, buckets in maps.items()})
        before = (
            Window.partitionBy("z")
            .orderBy("score", "whole")
            .rowsBetween(Window.unboundedPreceding, Window.currentRow)
        )
        lost = F.expr("CAST(pos AS DECIMAL(19, 0)) * CAST(2 * below - neg AS DECIMAL(19, 0))")
        groups = self._ties(plan).select("*", F.sum("neg").over(before).alias("below"))
        lost_in = groups.select("z", "pos", "neg", lost.alias("twice")).groupBy("z")
        found = collected(lost_in.agg(*_sums(), F.sum("twice").cast("string").alias("twice")))
        table = {name: found[name].to_pylist() for name in ("z", "pos", "neg", "twice")}
        rows = sorted(zip(*table.values(), strict=True))
        answers = {}
        for key, part in plan.work.items():
            twice, n_pos, n_neg = 0, 0, 0
            for z, pos, neg, inside in rows:
                if part.offset <= z < part.offset + part.buckets.size:
                    twice += int(inside) + 2 * pos * n_neg
                    n_pos, n_neg = n_pos + pos, n_neg + neg
            self._check(key, n_pos, n_neg)
            answers[key] = twice, n_pos, n_neg
        return answers

    # --- queries ----------------------------------------------------------------------------------

    def _parts(self, parts: Mapping[Column, tuple[Buckets, Array]]) -> PassPlan:
        made, offset = {}, 0
        for key, (buckets, wanted) in parts.items():
            units = self.groups[key[1]].units
            made[key] = WantedBuckets(buckets.slim(), units, offset, np.ascontiguousarray(wanted))
            offset += buckets.size
        return self._plan(made)

    def _plan(self, work: Mapping[Column, Any]) -> PassPlan:
        firsts = {max((f for f in self._values if f <= group), default=0) for _, group in work}
        values = {first: column for first, column in self._values.items() if first in firsts}
        return PassPlan(work, self._columns, values, self._weighted, self.has_keys)

    def _worked(self, plan: PassPlan, work: Any, schema: str) -> Any:
        """The rows as workers return them."""
        rows = self._rows if plan.where is None else self._rows.where(plan.where)
        return worked(rows.select(*plan.needed), partial(work, plan=plan), schema)


def shares(rows: Sequence[int], budget: int) -> list[int]:
    """How many rows of each group may be collected, that all together are no more than the budget.

    Small groups are collected whole; of the others, those of which a like share is more than they hold leave
    what they do not need to the rest.
    """
    small = sum(size for size in rows if size <= SMALL)
    large = sorted(size for size in rows if size > SMALL)
    left = budget - small
    if left < len(large):
        raise Refusal(
            "the driver collects at most {} rows of a column of scores, too few for {} segments and folds; "
            "give more memory, or scan with DuckDB.",
            f"{budget:,}",
            f"{len(rows) - 1:,}",
        )
    share = left
    for i, size in enumerate(large):
        share = left // (len(large) - i)
        if size >= share:
            break
        left -= size
    return [size if size <= SMALL else min(size, share) for size in rows]


def _light(task: Task) -> Task:
    """A task that is quick to send."""
    if isinstance(task, (BucketCounts, LowestScores)):
        return replace(task, buckets=task.buckets.slim())
    return task


def _empty(task: Task, dtype: np.dtype[Any]) -> Array:
    """The answer of a task to no rows."""
    if isinstance(task, LowestScores):
        return np.zeros(task.wanted.size, dtype)
    return np.array(task.partial([]))


def _sums() -> list[Any]:
    from pyspark.sql import functions as F

    return [F.sum(name).alias(name) for name in ("pos", "neg")]
