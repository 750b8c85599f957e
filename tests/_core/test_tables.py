"""Columns by name from whatever a user calls a table."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull._core import validation
from rochull._core.table_errors import no_column
from rochull._core.tables import (
    all_columns,
    columns_of,
    named_columns,
    numbers_of,
    positive_label,
    values_of,
)

COLUMNS = {"a": [1, 2, 3], "b": [0.5, 0.25, -1.0]}
TABLES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "mapping": dict,
    "structured": lambda d: np.array(
        list(zip(*d.values(), strict=True)), [(name, np.asarray(v).dtype) for name, v in d.items()]
    ),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "a batch of Arrow": pa.record_batch,
    "Arrow columns": lambda d: {name: pa.array(v) for name, v in d.items()},
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_gives_the_same_columns(kind: str) -> None:
    table = TABLES[kind](COLUMNS)
    for found in (columns_of(table, ["b", "a"]), all_columns(table, "scores")):
        assert {name: (v.dtype.kind, v.tolist()) for name, v in found.items()} == {
            "a": ("i", [1, 2, 3]),
            "b": ("f", [0.5, 0.25, -1.0]),
        }
    with pytest.raises(ValueError, match=r"^table has no column 'c'; it has 'a', 'b'\.$"):
        columns_of(table, ["a", "c", "d"])


def test_arrays_have_columns_by_position() -> None:
    found = all_columns(np.arange(6).reshape(3, 2), "scores")
    assert {name: column.tolist() for name, column in found.items()} == {"0": [0, 2, 4], "1": [1, 3, 5]}
    assert list(all_columns([[1, 2], [3, 4]], "scores")) == ["0", "1"]
    for single in ([1, 2], np.zeros((3, 1)), pd.Series([1.0], name="s")):
        assert list(all_columns(single, "scores")) == [None]
    with pytest.raises(ValueError, match=r"^scores has no columns\.$"):
        all_columns({}, "scores")


def test_columns_of_a_pandas_frame_without_names() -> None:
    found = all_columns(pd.DataFrame(np.arange(6.0).reshape(2, 3)), "scores")
    assert {name: column.tolist() for name, column in found.items()} == {0: [0, 3], 1: [1, 4], 2: [2, 5]}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pl.LazyFrame(COLUMNS), r"^x is a lazy frame, which holds no numbers yet; collect it first\.$"),
        (pa.table(COLUMNS).to_reader(), r"^x is a stream, which can be read once only; read it into a table"),
    ],
    ids=["lazy", "stream"],
)
def test_what_holds_no_columns_yet(table: Any, says: str) -> None:
    for read in (named_columns, all_columns):
        with pytest.raises(ValueError, match=says):
            read(table, "x")


LAZY = pl.LazyFrame({"y": [0, 1, 0, 1], "s": [0.1, 0.4, 0.3, 0.8]})
DOORS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda t: rh.scan(t, label="y", scores="s").roc_hulls(),
    "scan with DuckDB": lambda t: rh.scan(t, label="y", scores="s", engine="duckdb").roc_hulls(),
    "hybrid": lambda t: rh.Hybrid.from_table(t, label="y", scores="s"),
    "bootstrap": lambda t: rh.bootstrap([0, 1, 0, 1], t, "auc"),
    "covariance": lambda t: rh.uncertainty.auc_covariance([0, 1, 0, 1], t),
    "auxiliary": lambda t: rh.ErrorRedistribution().fit([1, 2, 3, 4], [0, 1, 0, 1], aux=t),
    "ranking": lambda t: rh.rank_auxiliary_features([0, 1, 0, 1], [1, 2, 3, 4], t),
    "policy": lambda t: rh.Policy.from_hull(rh.roc_hull([0, 1], [0, 1])).decide(t, rh.Accuracy(0.5)),
}


@pytest.mark.parametrize("door", DOORS)
def test_lazy_frames_are_refused_by_one_sentence_everywhere(door: str) -> None:
    with pytest.raises(
        ValueError, match=r" is a lazy frame, which holds no numbers yet; collect it first\.$"
    ):
        DOORS[door](LAZY)


def test_few_of_many_columns_are_shown() -> None:
    present = [f"feature_{i}" for i in range(300)]
    said = str(no_column("table", "feature_2_7", present))
    assert said.startswith("table has no column 'feature_2_7'; it has 'feature_0', 'feature_1', ")
    assert said.endswith("'feature_9' and 290 more. Did you mean 'feature_27'?")


NULLS: dict[str, Any] = {
    "list": [2**60, None, 2**60 + 1],
    "objects": np.array([2**60, None, 2**60 + 1], object),
    "masked": np.ma.masked_array([2**60, 7, 2**60 + 1], [False, True, False]),
    "pandas": pd.Series([2**60, None, 2**60 + 1], dtype="Int64"),
    "polars": pl.Series([2**60, None, 2**60 + 1]),
    "pyarrow": pa.array([2**60, None, 2**60 + 1]),
    "chunks": pa.chunked_array([[2**60], [None, 2**60 + 1]]),
    "decimals": pl.Series([Decimal(2**60), None, Decimal(2**60 + 1)]),
}


@pytest.mark.parametrize("kind", NULLS)
def test_nulls_beside_long_integers(kind: str) -> None:
    numbers, nulls = numbers_of(NULLS[kind], "x")
    assert (numbers.dtype, numbers.tolist()) == (np.int64, [2**60, 0, 2**60 + 1])
    assert nulls is not None
    assert nulls.tolist() == [False, True, False]
    with pytest.raises(ValueError, match=r"^column 'x' has 1 null in 3 rows; leave those rows out first\.$"):
        columns_of({"x": NULLS[kind]}, ["x"])


@pytest.mark.parametrize(
    "values",
    [["a", 1, True], ["1", "a\0"], [1, 2.5, 2**60], [2**63, -1], [True, 2], [1, (2, 3)], [[1], [2, 3]]],
    ids=repr,
)
def test_a_list_keeps_its_values(values: list[Any]) -> None:
    found, nulls = values_of(values)
    assert list(map(type, found.tolist())) == list(map(type, values))
    assert found.tolist() == values
    assert nulls is None


CENTS = ["0.25", "0.1", "-7", "123456789.5"]


def decimal_tables(tmp_path: Path) -> Mapping[str, Any]:
    """Return the same decimals, wherever a table may lie."""
    table = pa.table({"y": [0, 1, 0, 1], "s": pa.array(map(Decimal, CENTS), pa.decimal128(18, 4))})
    pq.write_table(table, tmp_path / "t.parquet")
    return {"Arrow": table, "polars": pl.from_arrow(table), "Parquet": tmp_path / "t.parquet"}


@pytest.mark.parametrize("place", ["Arrow", "polars", "Parquet"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_decimals_are_taken_from_every_place(place: str, engine: Any, tmp_path: Path) -> None:
    table = decimal_tables(tmp_path)[place]
    expected = rh.roc_hull([0, 1, 0, 1], list(map(float, CENTS)))
    hulls = (
        rh.scan(table, label="y", scores="s", engine=engine).roc_hulls()["s"],
        rh.Hybrid.from_table(table, label="y", scores="s").hull,
    )
    for hull in hulls:
        assert hull.thresholds[:-1].tolist() == expected.thresholds[:-1].tolist()
        assert hull.tpr.tolist() == expected.tpr.tolist()


def odd_columns() -> dict[str, Any]:
    """Return columns of numbers that Arrow does not have, or that narwhals cannot turn into its types."""
    return {
        "sparse": pd.Series(pd.arrays.SparseArray(SCORES)),
        "fractions": pd.Series(list(map(Fraction, SCORES)), dtype=object),
        "long doubles": pd.Series(np.array(SCORES, np.longdouble)),
        "big endian": np.array(SCORES, ">f8"),
        "decimals and floats": [Decimal(str(s)) if i % 2 else s for i, s in enumerate(SCORES)],
    }


SCORES = [0.5, 0.25, 1.5, -2.0, 0.0]


@pytest.mark.parametrize("kind", odd_columns())
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_columns_that_arrow_does_not_have(kind: str, engine: Any) -> None:
    column, labels = odd_columns()[kind], [1, 0, 1, 0, 0]
    frame = {"y": labels, "s": column, "another": [(), [], "", None, object()]}
    if isinstance(column, pd.Series):
        frame = pd.DataFrame(frame)
    hull = rh.scan(frame, label="y", scores="s", engine=engine).roc_hulls()["s"]
    expected = rh.roc_hull(labels, SCORES)
    assert hull.thresholds.tolist() == expected.thresholds.tolist()
    assert (hull.fp.tolist(), hull.tp.tolist()) == (expected.fp.tolist(), expected.tp.tolist())


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_what_is_no_number_is_refused_by_every_engine(engine: Any) -> None:
    for scores in (np.array([1j, 2j]), np.array([(1,), (2,)], [("a", "i4")])):
        with pytest.raises(ValueError, match=r"column 's'[ :].*numeric"):
            rh.scan({"y": [0, 1], "s": scores}, label="y", scores="s", engine=engine)


@pytest.mark.parametrize(
    "table",
    [
        pa.Table.from_arrays([pa.array([0, 1])] * 3, ["y", "s t", "s t"]),
        pd.DataFrame([[0, 1, 2], [1, 2, 3]], columns=["y", "s t", "s t"]),
    ],
    ids=["Arrow", "pandas"],
)
def test_a_name_of_two_columns_is_told(table: Any) -> None:
    with pytest.raises(ValueError, match=r"^table has more than one column 's t'; rename one of them\.$"):
        columns_of(table, ["y"])


LABELS: dict[str, tuple[list[Any], Any]] = {
    "NUL": (["p", "p\0"], "p"),
    "bytes": ([b"p", b"n"], b"p"),
    "bytes with NUL": ([b"p", b"p\0"], b"p"),
    "text for bytes": ([b"p", b"n"], "p"),
    "date": ([date(2020, 1, 1), date(2020, 1, 2)], "2020-01-01"),
    "time": ([datetime(2020, 1, 1), datetime(2020, 1, 1, 1)], "2020-01-01"),
    "decimal": ([Decimal("1.10"), Decimal("2.20")], "1.1"),
    "enum": (["p", "n"], "p"),
}


@pytest.mark.parametrize("place", ["list", "Arrow", "pandas", "polars", "Parquet"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", LABELS)
def test_labels_are_the_same_for_every_engine(kind: str, engine: Any, place: str, tmp_path: Path) -> None:
    (positive, negative), named = LABELS[kind]
    truth = [1, 0, 1, 0, 0]
    column: Any = pa.array([positive if t else negative for t in truth])
    table: Any = pa.table({"y": column.dictionary_encode() if kind == "enum" else column, "s": SCORES})
    if place == "list":
        table = table.to_pydict()
    elif place == "pandas":
        table = table.to_pandas()
    elif place == "polars":
        table = pl.from_arrow(table)
    elif place == "Parquet":
        pq.write_table(table, tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    hull = rh.scan(table, label="y", scores="s", pos_label=named, engine=engine).roc_hulls()["s"]
    expected = rh.roc_hull(truth, SCORES)
    assert (hull.fp.tolist(), hull.tp.tolist()) == (expected.fp.tolist(), expected.tp.tolist())


def test_a_time_is_no_label_of_days() -> None:
    days = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    assert positive_label("2020-01-02", days) == date(2020, 1, 2)
    assert positive_label("2020-01-02T10:00", days) == "2020-01-02T10:00"


def test_nanoseconds_are_labels() -> None:
    times = np.array(["2020-01-01", "2020-01-02"], "M8[ns]")
    named = positive_label("2020-01-02", times)
    assert validation.binary_labels(times, named).tolist() == [0, 1]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_labels_that_are_no_values_are_refused(engine: Any, tmp_path: Path) -> None:
    table = pa.table({"y": [{"a": True}, {"a": False}], "s": [1.0, 2.0]})
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet"):
        with pytest.raises(
            ValueError, match=r"^label column 'y' must hold labels, but index 0 holds \{'a': "
        ):
            rh.scan(source, label="y", scores="s", engine=engine)
