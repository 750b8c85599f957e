"""One column in two passes: the hull as by sorting, a thinned curve within its error, bounds of the area."""

from collections.abc import Mapping
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from rochull._core.validation import Labelled
from rochull.hull import refine
from rochull.hull.blocks import pool
from rochull.hull.curve import RocCurve
from rochull.hull.refine import area_of
from rochull.hull.tallies import Units, tally_of
from rochull.hull.tasks import BucketCounts, LowestScores
from rochull.scanning import held, passes
from rochull.scanning.column import ScannedColumn, column_of
from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.passes import scan_columns
from scan_cases import check_curve, tables, tuned, when_answered


def scanned(
    table: MemoryTable, *, max_error: float = 1e-4, limit: int | None = None, **how: Any
) -> Mapping[Any, ScannedColumn]:
    """Every column of the table, scanned with many passes."""
    table.limit = limit or table.limit
    with tuned(**({"SMALL": 0, "_ROWS_A_BUCKET": 1} | how)):
        return scan_columns(table, max_error)


@tries(60)
@given(
    tables(), st.sampled_from([1, 3, 1 << 10]), st.integers(1, 3), st.sampled_from([5, 64, 10**6]),
    st.sampled_from([0, 10**3, 10**6]),
)  # fmt: skip
def test_every_group_equals_the_hull_of_its_rows(
    rows: tuple[Any, ...], chunk: int, threads: int, buckets: int, collect: int
) -> None:
    labels, scores, weights, segment, fold = rows
    table: Any = MemoryTable(labels, scores, weights, segment, fold)
    table.collect = collect  # rows of segments and folds are sorted if so many may be held
    found = scanned(table, _CHUNK=chunk, threads=threads, _MAX_BUCKETS=buckets)
    assert len(found) == len(scores) * len(table.groups)
    for (name, number), got in found.items():
        group = table.groups[number]
        of = {"all": np.zeros(labels.size), "segment": segment, "fold": fold}[group.kind]
        mine = of == (0 if group.kind == "all" else group.value)
        held = mine if weights is None else mine & (weights > 0)
        if len(set(labels[held].tolist())) < 2:
            assert got.n_pos == 0 or got.n_neg == 0
            continue
        part = None if weights is None else weights[mine]
        expected = rh.roc_hull(labels[mine], scores[name][mine], sample_weight=part)
        assert expected.blocks is not None
        for attribute in ("low", "high", "pos", "neg"):
            left, right = getattr(got.blocks, attribute), getattr(expected.blocks, attribute)
            assert left.dtype == right.dtype
            assert left.tolist() == right.tolist()
        check_curve(got, rh.roc_curve(labels[mine], scores[name][mine], sample_weight=part))


def test_many_survivors_take_a_third_pass_and_never_more_than_the_limit() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(60_000) < 0.5
    score = rng.normal(size=labels.size)  # no signal: nearly nothing is settled
    table = MemoryTable(labels, {"s": score}, None)
    passes: list[list[str]] = []
    answer = table.answer

    def counted(tasks: Any) -> Any:
        passes.append([type(task).__name__ for row in tasks.values() for task in row])
        found = answer(tasks)
        for row in found.values():
            for got in row:
                if hasattr(got, "score"):
                    assert got.score.size <= 3_000 + 2 * 4096
        return found

    table.answer = counted  # type: ignore[method-assign]
    got = scanned(table, limit=3_000, _MAX_BUCKETS=256)["s", 0]
    assert len(passes) > 2
    assert passes[0] == ["BucketCounts"]
    expected = rh.roc_hull(labels, score)
    assert got.blocks.high.tolist() == expected.blocks.high.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("limit", [1_500, 5_000, 20_000, 10**6])
def test_little_room_costs_two_further_passes_over_few_rows(limit: int) -> None:
    """Whatever the limit, a row costs at most about twice as much: no further pass counts what is settled."""
    rng = np.random.default_rng(2)
    labels = rng.random(60_000) < 0.3
    score = rng.normal(size=labels.size) + 2.0 * labels
    table = MemoryTable(labels, {"s": score}, None)
    counted: list[int] = []  # rows, in the passes that count
    passes, answer = [], table.answer

    def recorded(tasks: Any) -> Any:
        passes.append(tasks)
        found = answer(tasks)
        for row, got in zip(tasks["s", 0], found["s", 0], strict=True):
            if isinstance(row, BucketCounts):
                counted.append(int(got[0].sum() + got[1].sum()))
        return found

    table.answer = recorded  # type: ignore[method-assign]
    got = scanned(table, max_error=0.05, limit=limit, _MAX_BUCKETS=256)["s", 0]
    expected = rh.roc_hull(labels, score).blocks
    assert expected is not None
    assert got.blocks.high.tolist() == expected.high.tolist()
    assert got.blocks.pos.tolist() == expected.pos.tolist()
    assert len(passes) == (2 if limit > 20_000 else 4)
    assert counted[0] == labels.size
    assert all(rows < labels.size for rows in counted[1:])


def test_one_huge_tie_costs_nothing() -> None:
    rng = np.random.default_rng(1)
    labels = rng.random(200_000) < 0.1
    score = np.where(rng.random(labels.size) < 0.99, 0.5, rng.random(labels.size))
    table = MemoryTable(labels, {"s": score}, None)
    got = scanned(table, limit=4_000)["s", 0]
    assert got.blocks.pos.tolist() == rh.roc_hull(labels, score).blocks.pos.tolist()  # type: ignore[union-attr]


def test_an_error_below_all_numbers_keeps_every_step() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(500) < 0.5
    score = rng.normal(size=labels.size)
    with tuned(SMALL=0):
        curve = rh.scan({"y": labels, "s": score}, label="y", scores="s", max_error=5e-324).roc_curves()["s"]
    assert len(curve) == labels.size + 1


def test_a_limit_that_cannot_be_kept_is_one_sentence() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(5_000) < 0.5
    table = MemoryTable(labels, {"s": rng.normal(size=labels.size)}, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refine, "_MAX_ROUNDS", 1)
        with pytest.raises(MemoryError, match="more than 10 rows are undecided after 1 rounds; allow more"):
            scanned(table, limit=10, _MAX_BUCKETS=4)


def test_a_table_that_changes_between_passes_is_refused() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(5_000) < 0.5
    table = MemoryTable(labels, {"s": rng.normal(size=labels.size) + labels}, None)
    when_answered(table, lambda: table._columns.update(s=table._columns["s"] + 0.01))
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scanned(table)


def test_columns_of_different_length_are_refused() -> None:
    table = {"y": [0, 1, 1], "s": np.arange(400_000.0)}
    with pytest.raises(ValueError, match="column 's' must have the same length, but column 'y' has 3"):
        rh.scan(table, label="y", scores="s")


def test_what_changes_after_the_scan_is_noticed_later() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(100_000) < 0.5
    table = {"y": labels, "s": rng.normal(size=labels.size) + labels, "fold": np.arange(labels.size) % 3}
    scan = rh.scan(table, label="y", scores="s", fold="fold")
    scan.roc_hulls()
    scan._scanned.table._columns["s"] = -scan._scanned.table._columns["s"]  # type: ignore[attr-defined]
    for read in (
        lambda: scan.auc(exact=True),
        lambda: scan.roc_curves(0),
        lambda: scan.operating_point_average("s", 10),
    ):
        with pytest.raises(RuntimeError, match="the source changed between two scans"):
            read()


def test_a_curve_that_is_changed_by_its_owner_changes_no_other() -> None:
    scan = rh.scan({"y": [0, 1, 0, 1], "s": [0.1, 0.2, 0.3, 0.4]}, label="y", scores="s")
    scan.roc_curves()["s"].score[:] = 0
    assert scan.roc_curves()["s"].score.tolist() == [0.4, 0.3, 0.2, 0.1]


def test_weights_that_are_all_zero_are_refused() -> None:
    table = {"y": [0, 1], "s": [0.1, 0.2], "w": [0.0, 0.0]}
    with pytest.raises(ValueError, match="the weight column gives the negative class zero total weight"):
        rh.scan(table, label="y", scores="s", weight="w").roc_hulls()


def test_a_thread_that_gets_all_rows_may_collect_them_all() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(20_000) < 0.5
    table = MemoryTable(labels, {"s": rng.normal(size=labels.size)}, None)
    table.limit = 20_000
    from rochull.scanning.tasks import complete

    with tuned(_CHUNK=1 << 20, threads=8):
        assert complete(table, [("s", 0)])["s", 0].score.size == 20_000


@tries(100)
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([-np.inf, -1, -0.0, 0.0, 0.5, 2, 3, np.inf])), max_size=40
    ),
    st.sampled_from([np.float64, np.float32, np.int16]), st.sampled_from([0, 1e-4, 0.1, 0.5]),
)  # fmt: skip
def test_column_of_is_what_all_groups_tell(rows: list[Any], kind: Any, error: float) -> None:
    rows = [(label, score) for label, score in rows if kind != np.int16 or np.isfinite(score)] or [(True, 1)]
    pos, neg = (np.sort(np.array([x for label, x in rows if label is own], kind)) for own in (True, False))
    labels = np.repeat(np.array([1, 0], np.uint8), [pos.size, neg.size])
    groups = tally_of(Labelled(labels, np.concatenate((pos, neg)), None))
    got = column_of(pos, neg, Units(), error)
    blocks = pool(groups)
    for name in ("low", "high", "pos_units", "neg_units"):
        assert getattr(got.blocks, name).dtype == getattr(blocks, name).dtype
        assert getattr(got.blocks, name).tolist() == getattr(blocks, name).tolist()
        assert not np.signbit(got.blocks.low[got.blocks.low == 0]).any()
    assert (got.n_pos, got.n_neg) == (pos.size, neg.size)
    assert got.twice_area == (area_of(groups)[0],) * 3
    assert got.curve.score.dtype == pos.dtype
    if pos.size and neg.size and groups.score[0] < np.inf:  # which is the threshold of "never"
        check_curve(got, RocCurve.from_tally(groups))
    if not error:
        assert got.curve.score.tolist() == groups.score.tolist()


def test_groups_are_sorted_as_far_as_memory_allows() -> None:
    rng = np.random.default_rng(0)
    labels, score = rng.random(2000) < 0.3, rng.normal(size=2000)
    segment, fold = np.arange(2000) % 4, np.where(np.arange(2000) % 10, 0, 1)  # 1,800 and 200 rows

    def collected(collect: int) -> list[Any]:
        table: Any = MemoryTable(labels, {"s": score}, None, segment, fold)
        table.collect = collect
        seen: list[Any] = []
        answer = table.answer

        def noted(tasks: Any) -> Any:
            seen.extend((key[1], type(task)) for key, row in tasks.items() for task in row)
            return answer(tasks)

        table.answer = noted
        with tuned(SMALL=0), pytest.MonkeyPatch.context() as patch:
            patch.setattr(passes, "_MOST_SORTED", 1000)
            scan_columns(table, 1e-4)
        return sorted({(number, kind.__name__) for number, kind in seen if kind is not LowestScores})

    counts = [(number, name) for number in range(7) for name in ("BucketCounts", "BucketGroups")]
    assert collected(0) == counts
    assert collected(400) == counts
    # Of the folds 200 rows are few enough: 8 bytes, and 64 while they are looked at. Segments take 48,000, and
    # with these folds 49,600.
    assert collected(1000) == sorted([*counts[:12], (-5, "SortedRows")])
    assert collected(1600) == sorted([*counts[:2], *counts[10:], (-1, "SortedRows")])
    assert collected(1700) == sorted([*counts[:2], *counts[10:12], (-1, "SortedRows"), (-5, "SortedRows")])


@pytest.mark.parametrize(("collect", "at_once"), [(1600, 1), (2800, 1), (4000, 2)])
def test_thinned_curves_are_the_same_on_any_number_of_threads(collect: int, at_once: int) -> None:
    rng = np.random.default_rng(0)
    labels, score = rng.random(2000) < 0.3, rng.normal(size=2000).round(2)
    busy: list[int] = []
    most = [0]

    def looked_at(*rows: Any) -> ScannedColumn:
        busy.append(1)
        most.append(len(busy))
        try:
            return column_of(*rows)
        finally:
            busy.pop()

    def curves(threads: int) -> list[list[Any]]:
        table: Any = MemoryTable(labels, {"s": score}, None, np.arange(2000) % 4, np.arange(2000) % 3)
        table.collect = collect
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(held, "column_of", looked_at)
            found = scanned(table, max_error=0.05, threads=threads)
        return [[key, c.curve.score.tolist(), c.curve.tp_units.tolist()] for key, c in sorted(found.items())]

    assert curves(1) == curves(2) == curves(5)
    assert max(most) <= at_once
