"""Plain Parquet files that are decoded by the threads that count: the same answers, and the same refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull.hull import refine
from rochull.hull.buckets import BucketMap
from rochull.hull.refine import ChangedError
from rochull.hull.tasks import BucketCounts
from rochull.scanning import column, passes
from rochull.scanning.engines import duckdb_plain, duckdb_table, duckdb_where, opening
from rochull.scanning.engines.duckdb_plain import CodedColumn, PlainFiles, RowGroup
from rochull.scanning.engines.duckdb_rows import FileRows
from rochull.scanning.engines.duckdb_table import DuckDBTable
from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.engines.opening import ScanColumns, open_table
from rochull.scanning.passes import scan_columns
from scan_cases import assert_same_blocks, when_answered

ROWS = 20_000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan few rows as if they were many, in small row groups."""
    monkeypatch.setattr(column, "SMALL", 0)
    monkeypatch.setattr(duckdb_plain, "_LEAST_ROWS", 0)
    monkeypatch.setattr(duckdb_where, "_ROWS_A_FILE", 0)


def rows_of(labels: Any = (False, True), kind: Any = np.float64, seed: int = 0) -> dict[str, Any]:
    """Labels and two columns of scores, with ties."""
    rng = np.random.default_rng(seed)
    at = (rng.random(ROWS) < 0.3).astype(int)
    return {
        "y": np.array(labels)[at],
        "s": (20 * (rng.normal(size=ROWS) + at + 5)).clip(0, 250).astype(kind),
        "t": rng.normal(size=ROWS) + at,
    }


def written(path: Path, rows: dict[str, Any], **options: Any) -> Path:
    """Two files of several row groups."""
    for part in range(2):
        half = {name: values[part * ROWS // 2 :][: ROWS // 2] for name, values in rows.items()}
        pq.write_table(pa.table(half), path / f"{part}.parquet", **{"row_group_size": 3000} | options)
    return path


def opened(path: Path, *, memory: int | None = None, where: str | None = None, **options: Any) -> DuckDBTable:
    """The table, as a scan opens it."""
    divided = [options[kind] for kind in ("segment", "fold") if kind in options]
    source = FileRows([path], where, [], list(dict.fromkeys(["y", "s", "t", *divided])), memory)
    return DuckDBTable(source, **{"label": "y", "scores": ["s", "t"]} | options)


def same(got: DuckDBTable, rows: dict[str, Any], pos_label: Any = None, **divided: Any) -> None:
    """Assert that blocks, curves, areas and groups are those of arrays."""
    options = {"weight": None, "segment": None, "fold": None} | divided
    twin = MemoryTable.open(rows, label="y", scores=["s", "t"], pos_label=pos_label, where=None, **options)
    found, expected = scan_columns(got, 1e-2), scan_columns(twin, 1e-2)
    for key, one in found.items():
        assert_same_blocks(one, expected[key])
        low, _, high = one.twice_area
        assert low <= twin.exact_areas([key])[key][0] <= high
    assert got.groups == twin.groups


@pytest.mark.crossed
@pytest.mark.parametrize(
    ("labels", "positive"),
    [((False, True), None), ((True, False), False), ((0, 1), None), ((-1, 1), None), ((7, 3), 3)],
)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int16, np.uint8])
def test_numbers_equal_memory(
    tmp_path: Path, labels: Any, positive: Any, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = rows_of(labels, kind)
    monkeypatch.delattr(DuckDBTable, "_answered")  # DuckDB reads nothing
    monkeypatch.delattr(DuckDBTable, "_sample")
    same(opened(written(tmp_path, rows), pos_label=positive), rows, positive)


def divided_rows(kind: str) -> dict[str, Any]:
    """Rows with segments that are texts, held in some way, and folds; some segments are in one file alone."""
    rows: dict[str, Any] = rows_of()
    texts = np.array(["a", "b'c", "", "é"])[np.random.default_rng(1).integers(0, 4, ROWS)]
    texts[-5:] = "last"
    column = pa.array(texts)
    rows["g"] = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
    rows["f"] = (np.arange(ROWS) % 7 - 3).astype(np.int8)
    return rows


DIVIDED = {"segment": "g", "fold": "f"}


@pytest.mark.parametrize("memory", [None, 1 << 16])  # the row groups in pieces
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("string", {}),
        ("large_string", {"use_dictionary": False}),
        ("string", {"dictionary_pagesize_limit": 8, "data_page_size": 100, "write_batch_size": 10}),
        ("dictionary", {}),
    ],
)
def test_segments_and_folds_equal_memory(
    tmp_path: Path, kind: str, options: dict[str, Any], memory: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = divided_rows(kind)
    monkeypatch.setattr(duckdb_plain, "_PIECE", 1000)
    monkeypatch.delattr(DuckDBTable, "_answered")  # DuckDB reads nothing
    monkeypatch.delattr(DuckDBTable, "_sample")
    table = opened(written(tmp_path, rows, **options), memory=memory, **DIVIDED)
    assert table._plain is not None
    assert (table._plain.piece is None) == (memory is None)
    same(
        table,
        {name: np.array(column.to_pylist()) if name == "g" else column for name, column in rows.items()},
        **DIVIDED,
    )


@pytest.mark.parametrize("options", [{}, DIVIDED, {"memory": 1 << 17}, {"memory": 1 << 17} | DIVIDED])
@pytest.mark.parametrize(
    ("where", "of"),
    [
        ("s < 60", lambda rows: rows["s"] < 60),
        ("t > -9 -- all", lambda rows: rows["t"] > -9),
        ("g = 'last' OR i BETWEEN 2990 AND 3005", lambda rows: (rows["g"] == "last") | rows["near"]),
        ("i < 2000 AND i % 3 < 2", lambda rows: (rows["i"] < 2000) & (rows["i"] % 3 < 2)),
    ],
)
def test_conditions_equal_memory(
    tmp_path: Path, where: str, of: Any, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = divided_rows("string") | {"i": np.arange(ROWS)}
    monkeypatch.setattr(duckdb_plain, "_PIECE", 1000)
    for name in ("_answered", "_sample"):  # DuckDB reads the condition alone
        monkeypatch.delattr(DuckDBTable, name)
    table = opened(written(tmp_path, rows), where=where, **options)
    assert table._plain is not None
    assert (table._plain.piece is None) == ("memory" not in options)
    divided = {kind: name for kind, name in options.items() if kind in DIVIDED}
    rows["g"], rows["near"] = np.array(rows["g"].to_pylist()), abs(rows["i"] - 2997.5) < 8
    same(table, {name: column[of(rows)] for name, column in rows.items()}, **divided)


def test_rows_that_a_condition_leaves_out_may_hold_anything(tmp_path: Path) -> None:
    rows = rows_of() | {"i": np.arange(ROWS)}
    some = rows["i"] % 5 > 0
    spoilt = {"y": pa.array(rows["y"], mask=~some), "s": pa.array(rows["s"], mask=~some)}
    spoilt["t"] = np.where(some, rows["t"], np.nan)
    table = opened(written(tmp_path, rows | spoilt), where="i % 5 > 0")
    assert table._plain is not None
    same(table, {name: column[some] for name, column in rows.items()})


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("s > 250", "has no rows"),
        ("y", "label column 'y' has one class only: all [0-9]+ labels are positive"),
        ("CAST(g AS INTEGER) = 3", "cannot be read: Conversion Error"),
        ("i <> 7 OR t > 99", "column 's' has 1 null in 19,999 rows"),
        ("i = 7 OR y", "column 'y' has 1 null in"),
    ],
)
def test_conditions_that_are_refused(tmp_path: Path, where: str, message: str) -> None:
    rows = divided_rows("string") | {"i": np.arange(ROWS)}
    rows["s"], rows["y"] = (pa.array(rows[name], mask=rows["i"] == i) for name, i in (("s", 5), ("y", 7)))
    written(tmp_path, rows)
    with pytest.raises(ValueError, match=message):
        rh.scan(tmp_path, label="y", scores=["s", "t"], engine="duckdb", where=where).roc_hulls()


@pytest.mark.parametrize(
    "change",
    [
        {"g": "new"}, {"g": None}, {"f": 4}, {"f": -4}, {"f": 100}, {"f": None},
    ],
)  # fmt: skip
def test_a_value_that_was_not_there_before(tmp_path: Path, change: dict[str, Any]) -> None:
    rows = divided_rows("string")
    table = opened(written(tmp_path, rows), **DIVIDED)

    def change_files() -> None:
        for name, value in change.items():
            rows[name] = pa.array([*pa.array(rows[name]).to_pylist()[:-1], value], pa.array(rows[name]).type)
        written(tmp_path, rows)

    when_answered(table, change_files)
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan_columns(table, 1e-2)


def test_codes_of_values_that_are_not_known() -> None:
    texts, numbers = CodedColumn("g", ["a", "c"]), CodedColumn("f", [-1, 1])
    assert texts.of(pa.array(["c", "a", "c"]).dictionary_encode()[1:]).tolist() == [0, 1]
    assert numbers.of(pa.array([1, -1, 1], pa.int8())).tolist() == [1, 0, 1]
    for other, known in (
        (pa.array(["a", "b"]).dictionary_encode(), texts),
        (pa.array(["a", None]).dictionary_encode(), texts),
        (pa.array([1, 0]), numbers), (pa.array([1, 2]), numbers), (pa.array([-2]), numbers),
    ):  # fmt: skip
        with pytest.raises(ChangedError):
            known.of(other)


@pytest.mark.parametrize(
    "column",
    [
        np.arange(ROWS) % 2 * (1 << 40),
        np.arange(ROWS) % 2 == 0,
        np.arange(ROWS) % 3 / 2,
        np.arange(ROWS).astype("datetime64[D]") - np.arange(ROWS) // 2 * 2,
    ],
)
def test_segments_that_are_left_to_duckdb(tmp_path: Path, column: Any) -> None:
    rows = rows_of() | {"g": column}
    table = opened(written(tmp_path, rows), segment="g")
    assert table._plain is None
    same(table, rows, segment="g")


def test_classes_are_counted_in_the_first_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of()
    monkeypatch.delattr(DuckDBTable, "_grouped")
    same(opened(written(tmp_path, rows)), rows)


@pytest.mark.parametrize(
    "options", [{"write_statistics": False}, {"write_statistics": ["s"]}, {"data_page_version": "2.0"}]
)
def test_groups_are_known_before_a_pass_too(tmp_path: Path, options: dict[str, Any]) -> None:
    rows = rows_of()
    table = opened(written(tmp_path, rows, **options))
    assert (table.groups[0].n_pos, table.groups[0].n_neg) == (rows["y"].sum(), (~rows["y"]).sum())
    assert table.parts == [(ROWS, table.groups[0].units)]
    same(table, rows)


@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({}, {"weight": "t"}),
        ({}, {"fold": "y"}),
        ({}, {"key": "t"}),
        ({"y": np.tile(["a", "b"], ROWS // 2)}, {"pos_label": "b"}),
        ({"s": pa.array(np.arange(ROWS)).cast(pa.decimal128(21, 2))}, {}),
    ],
)
def test_what_is_left_to_duckdb(tmp_path: Path, change: dict[str, Any], options: dict[str, Any]) -> None:
    rows = rows_of() | change
    if "weight" in options:
        rows["t"] = np.abs(rows["t"])
    assert opened(written(tmp_path, rows), **options)._plain is None


def test_row_groups_of_few_rows_are_left_to_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdb_plain, "_LEAST_ROWS", 1 << 14)
    rows = rows_of()
    table = opened(written(tmp_path, rows))
    assert table._plain is None
    same(table, rows)


def test_files_of_different_types_are_left_to_duckdb(tmp_path: Path) -> None:
    rows = rows_of()
    written(tmp_path, rows)
    half = {name: values[ROWS // 2 :] for name, values in rows.items()}
    pq.write_table(pa.table(half | {"s": half["s"].astype(np.float32)}), tmp_path / "1.parquet")
    assert opened(tmp_path)._plain is None


def test_the_same_file_twice(tmp_path: Path) -> None:
    rows = rows_of()
    written(tmp_path, rows)
    source = FileRows([tmp_path, tmp_path / "0.parquet"], None, [], ["y", "s", "t"])
    again = {name: np.concatenate((values, values[: ROWS // 2])) for name, values in rows.items()}
    same(DuckDBTable(source, label="y", scores=["s", "t"]), again)


def test_what_arrow_cannot_read_is_read_by_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, calls = rows_of(), []

    def broken(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) > 5:  # some row groups have been counted by then
            raise OSError("cannot be decoded")
        return decoded(*arguments)

    decoded = RowGroup.decoded
    monkeypatch.setattr(RowGroup, "decoded", broken)
    same(opened(written(tmp_path, rows)), rows)
    calls.clear()
    table = opened(written(tmp_path, rows))
    monkeypatch.setattr(RowGroup, "decoded", decoded)
    sample, passes = table.sample(100), []
    answer = table.answer

    def second(tasks: Any) -> Any:
        passes.append(tasks)
        if len(passes) == 2:  # while rows are collected
            monkeypatch.setattr(RowGroup, "decoded", broken)
        return answer(tasks)

    table.answer = second  # type: ignore[method-assign]
    same(table, rows)
    assert sample
    assert len(calls) > 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"s": "nan"}, "score column 's' has 1 NaN in 20,000 rows"),
        ({"s": None}, "column 's' has 1 null in 20,000 rows; leave those rows out first"),
        ({"y": None}, "column 'y' has 1 null in 20,000 rows; leave those rows out first"),
        ({"y": True}, "label column 'y' has one class only: all 20000 labels are positive"),
    ],
)
def test_columns_that_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    rows: dict[str, Any] = rows_of()
    ((name, value),) = change.items()
    if value is True:
        rows[name] = np.ones(ROWS, bool)
    else:
        values = rows[name].tolist()
        values[-1] = np.nan if value == "nan" else None
        rows[name] = pa.array(values)
    written(tmp_path, rows)
    with pytest.raises(ValueError, match=message):
        rh.scan(tmp_path, label="y", scores=["s", "t"], engine="duckdb").roc_hulls()


@pytest.mark.crossed
@pytest.mark.parametrize(
    "change", [{"y": (1, 0)}, {"y": (False, None)}, {"s": np.float32}, {"seed": 1}, {"gone": True}]
)
@pytest.mark.parametrize("memory", [None, 1 << 30])
def test_files_that_are_replaced_between_passes(
    tmp_path: Path, change: dict[str, Any], memory: int | None
) -> None:
    table = opened(written(tmp_path, rows_of()), memory=memory)

    def change_files() -> None:
        rows: dict[str, Any] = rows_of(kind=change.get("s", np.float64), seed=change.get("seed", 0))
        if "y" in change:
            rows["y"] = pa.array([change["y"][int(label)] for label in rows["y"]])
        if "gone" in change:
            for path in tmp_path.glob("*.parquet"):
                path.unlink()
        else:
            written(tmp_path, rows)

    when_answered(table, change_files)
    with pytest.raises((RuntimeError, ValueError), match=r"changed between two scans|cannot be read"):
        scan_columns(table, 1e-2)


def test_a_third_label_between_passes(tmp_path: Path) -> None:
    table = opened(written(tmp_path, rows_of((0, 1))))
    written(tmp_path, rows_of((0, 2)))
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan_columns(table, 1e-2)


def test_a_sample_is_of_all_parts_of_the_files(tmp_path: Path) -> None:
    rows = rows_of() | {"t": np.arange(ROWS, dtype=float)}
    table = opened(written(tmp_path, rows, row_group_size=100))
    found = np.sort(table.sample(1000)["t", 0])
    assert 900 < found.size < 1100
    assert np.unique(found).size == found.size
    assert np.diff(found).max() < ROWS / 20
    everything = table.sample(ROWS)["s", 0]
    assert everything.size <= ROWS


@pytest.mark.parametrize("memory", [1 << 10, 1 << 19, 1 << 30])  # room for few labels, some scores, all
def test_what_was_decoded_is_kept_for_the_next_pass(
    tmp_path: Path, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, decoded_columns = rows_of(), []
    monkeypatch.setattr(PlainFiles, "_within", lambda plain, *_: plain)
    table = opened(written(tmp_path, rows, row_group_size=500), memory=memory)
    assert table._plain is not None
    kept, answer, after = table._plain.kept, table.answer, []

    def noted(tasks: Any) -> Any:
        found = answer(tasks)
        after.append((kept.size, set(kept.labels), set(kept.scores)))
        return found

    table.answer = noted  # type: ignore[method-assign]
    groups = [(*group.place, 0) for group in table._plain.groups()]
    decoded = RowGroup.decoded

    def counted(self: RowGroup, names: Any, *options: Any) -> Any:
        decoded_columns.extend(((*self.place, 0), name) for name in names)
        return decoded(self, names, *options)

    monkeypatch.setattr(RowGroup, "decoded", counted)
    same(table, rows)
    (size, of_labels, of_scores), (left, *nothing) = after
    assert 0 < size <= memory
    assert (left, nothing) == (0, [set(), set()])  # what is used for the last time
    everything = [(place, name) for place in groups for name in ("y", "s", "t")]
    again = [c for c in everything if (c[0] not in of_labels if c[1] == "y" else c not in of_scores)]
    assert sorted(decoded_columns) == sorted(everything + again)
    assert (again == []) == (memory == 1 << 30)
    assert (len(of_labels) == len(groups)) == (memory > 1 << 10)
    assert of_scores or memory == 1 << 10  # for which labels leave some room
    table.close()
    assert (kept.size, kept.labels, kept.scores) == (0, {}, {})


def test_of_many_scores_few_are_kept(tmp_path: Path) -> None:
    table = opened(written(tmp_path, rows_of()), memory=1 << 30)
    assert table._plain is not None
    table._plain.kept.most_scores = 20_000
    kept, found = table._plain.kept, []

    def note() -> None:
        found.append((len(kept.labels), len(kept.scores)))

    when_answered(table, note)
    scan_columns(table, 1e-2)
    assert found[0][0] == 8
    assert 0 < found[0][1] < 8


@pytest.mark.parametrize(("room", "at_once"), [(1, 0), (ROWS * 9, 1), (ROWS * 17, 2)])
def test_columns_have_their_passes_in_turn_where_each_is_decoded_once(
    tmp_path: Path, room: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, decoded_columns, passes = rows_of(), [], []
    table = opened(written(tmp_path, rows), memory=1 << 30)
    sample, sampled = table.sample, []
    assert table._plain is not None
    table._plain.kept.most_scores = room
    assert table.columns_at_once == at_once
    decoded, answer = RowGroup.decoded, table.answer

    def counted(self: RowGroup, names: Any, *options: Any) -> Any:
        decoded_columns.extend((self.place, name) for name in names)
        return decoded(self, names, *options)

    def noted(tasks: Any) -> Any:
        passes.append({name for name, _ in tasks})
        return answer(tasks)

    def drawn(size: int) -> Any:
        sampled.append(size)
        return sample(size)

    monkeypatch.setattr(RowGroup, "decoded", counted)
    table.answer, table.sample = noted, drawn  # type: ignore[method-assign]
    same(table, rows)
    assert sampled == [1 << 16]  # rows, however many their columns
    groups = len(list(table._plain.groups()))
    assert len(decoded_columns) == groups * (3 if at_once else 5)
    assert len(set(decoded_columns)) == groups * 3
    assert passes == ([{"s"}] * 2 + [{"t"}] * 2 if at_once == 1 else [{"s", "t"}] * 2)


@pytest.mark.parametrize(
    ("memory", "most", "piece"),
    [(None, ROWS // 4, None), (1 << 30, ROWS // 4, None), (200_000, 2055, None), (1 << 16, 0, 1000)],
)
def test_how_many_rows_are_decoded_together(
    tmp_path: Path, memory: int | None, most: int, piece: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_plain, "n_threads", lambda: 1)
    monkeypatch.setattr(duckdb_plain, "_PIECE", 1000)
    rows = rows_of()
    table = opened(written(tmp_path, rows, row_group_size=1750), memory=memory)
    assert table._plain is not None
    assert (table._plain.at_once, table._plain.piece) == (most, piece)
    parts = [sum(group.rows for group in part) for part in table._plain.together()]
    assert sum(parts) == ROWS
    assert max(parts) <= max(most, 1750)
    assert len(parts) < 12 or most < 3500
    if piece:  # of each row group, two
        pieces = [
            data.scores.size
            for part in table._plain.together()
            for _, data in table._plain.read(part, ["s"], table._values)
        ]
        assert max(pieces) == 1000
        assert sum(pieces) == ROWS
    same(table, rows)


@pytest.mark.long
def test_a_column_that_a_directory_names_is_left_to_duckdb(tmp_path: Path) -> None:
    """Which reads its value there, whatever stands in the file."""
    found = []
    for where in (None, "true"):
        for value in (3, 4):
            home = tmp_path / f"S={value}"
            home.mkdir(exist_ok=True)
            half = {name: column[: ROWS // 2] for name, column in rows_of(kind=np.int64, seed=value).items()}
            pq.write_table(pa.table(half), home / "f.parquet")
        source = str(tmp_path / "*" / "f.parquet")
        scan = rh.scan(source, label="y", scores=["s", "t"], engine="duckdb", where=where)
        assert scan._scanned.table._plain is None  # type: ignore[attr-defined]
        found.append(scan.roc_hulls()["s"].thresholds.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("where", [None, "true"])
def test_a_change_inside_of_what_is_settled_is_noticed(tmp_path: Path, where: str | None) -> None:
    """One label of many turns, in a bucket that the second pass need not look into."""
    rows = rows_of()
    table = opened(written(tmp_path, rows), where=where)

    def turn_a_label() -> None:
        rows["y"][np.argsort(rows["s"])[ROWS // 2]] ^= True
        written(tmp_path, rows)

    when_answered(table, turn_a_label)
    with pytest.raises(RuntimeError, match="the source changed between two scans"):
        scan_columns(table, 1e-2)


def test_a_scan_keeps_nothing_in_the_end(tmp_path: Path) -> None:
    written(tmp_path, rows_of())
    scan = rh.scan(tmp_path, label="y", scores=["s", "t"], engine="duckdb", memory="1GB")
    scan.roc_hulls()
    assert not scan._scanned.table._plain.kept.labels  # type: ignore[attr-defined]
    assert not scan._scanned.table._plain.kept.scores  # type: ignore[attr-defined]


def test_labels_in_the_middle_of_a_buffer() -> None:
    plain = PlainFiles([], "y", {"y": "bool"}, 0)
    labels = np.random.default_rng(0).random(50) < 0.5
    column = pa.array(labels)[3:33]
    assert plain.labels(column, True, False).tolist() == labels[3:33].astype(int).tolist()
    assert plain.labels(column, False, True).tolist() == (~labels[3:33]).astype(int).tolist()


@pytest.mark.parametrize(
    ("memory", "room"), [("64MB", 26.88), ("200MB", 84), ("300MB", 184), ("500MB", 384), ("2GB", 1884)]
)
@pytest.mark.parametrize("cores", [1, 4])
def test_the_libraries_are_a_part_of_the_memory_given(
    tmp_path: Path, memory: str, room: float, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What rows and counts may take together, of 10^6 bytes. Two threads have tables of their own."""
    monkeypatch.setattr(opening, "n_threads", lambda: cores)
    written(tmp_path, rows_of())
    table: Any = rh.scan(tmp_path, label="y", scores="s", engine="duckdb", memory=memory)._scanned.table
    decoded = table._plain.kept.most + table._rows.memory // 4
    threads = max(1, min(2, room // 67))
    whole = 40 * table.limit + (27 + 10 * threads) * table.most_buckets + decoded
    assert table._threads == max(1, min(cores, room // 67))
    assert table.most_buckets == pytest.approx(room * 1e6 / 4 / (27 + 10 * threads), rel=1e-5)
    assert 0.7 * room * 1e6 < whole <= room * 1e6
    assert table._rows.memory == round(room * 1e6 / 2)


@pytest.mark.parametrize("where", [None, "true"])
def test_one_thread_counts_where_more_have_no_room(
    tmp_path: Path, where: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    states: list[int] = []
    partial = BucketCounts.partial
    monkeypatch.setattr(
        BucketCounts, "partial", lambda task, held: states.append(len(held)) or partial(task, held)
    )
    rows = rows_of()
    same(opened(written(tmp_path, rows), where=where, threads=1), rows)
    assert states[0] == 1


def test_many_passes_with_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(100_000) < 0.1
    rows = {"y": y, "s": rng.normal(size=y.size) + y}
    pq.write_table(pa.table(rows), tmp_path / "t.parquet", row_group_size=8000)
    monkeypatch.setattr(duckdb_table, "_LEAST_LIMIT", 1000)
    columns = ScanColumns("y", ["s"], None, None, None, None, None, None)
    path = str(tmp_path / "t.parquet")
    table: Any = open_table(path, columns, engine="duckdb", memory=1_000_000, progress=False)
    passes: list[int] = []
    answer = table.answer
    monkeypatch.setattr(table, "answer", lambda tasks: passes.append(1) or answer(tasks))
    twin = MemoryTable.open(rows, **(columns.options() | {"where": None}))
    assert_same_blocks(scan_columns(table, 1e-2)["s", 0], scan_columns(twin, 1e-2)["s", 0])
    assert len(passes) >= 4


@pytest.mark.parametrize("drawn", [104, 199, 1600])
def test_a_sample_that_came_out_a_little_larger_is_whole(
    tmp_path: Path, drawn: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of it would leave more rows undecided."""
    sizes, learn = [], BucketMap.learn
    monkeypatch.setattr(passes, "_SAMPLE", 100)
    monkeypatch.setattr(
        BucketMap, "learn", lambda sample, *options: sizes.append(sample.size) or learn(sample, *options)
    )
    table = opened(written(tmp_path, rows_of()))
    scores = np.random.default_rng(0).normal(size=drawn)
    table.sample = lambda size: {(name, 0): scores for name in "st"}  # type: ignore[method-assign]
    scan_columns(table, 1e-2)
    assert sizes == [drawn if drawn < 200 else 100] * 2


def test_the_largest_first_map_can_be_divided() -> None:
    assert 1.1 * refine.most_buckets(10**12) < refine._MAX_REFINED
