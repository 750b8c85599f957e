"""Outputs of several classes, some rows after the others: as with all rows in memory."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import rochull as rh
from command_line import Run
from rochull._core.tables import columns_of
from rochull.cli import multiclass_rows
from rochull.cli.engine import Engine
from rochull.cli.multiclass_rows import ClassTable, drawn, most_rows
from rochull.multiclass.examples import LabelledOutputs

CLASSES = ["a", "b", "c"]
LABELS: dict[str, list[Any]] = {
    "texts": ["b", "it's", " b"],
    "integers": [3, -1, 2**60 + 1],
    "floats": [0.5, -0.0, 1e300],
    "dates": [dt.date(2026, 3, day) for day in (3, 1, 2)],
    "truths": [True, False],
}
COLUMNS: dict[str, Any] = {
    "double": pa.array,
    "float": lambda x: pa.array(x.astype("f4")),
    "int": lambda x: pa.array((9 * x).astype("i2")),
    "decimal": lambda x: pa.array([Decimal(f"{each:.3f}") for each in x], pa.decimal128(20, 3)),
    "wide": lambda x: pa.array([Decimal(int(1e6 * each)) for each in x], pa.decimal128(38, 0)),
}


@pytest.fixture(params=[False, True], ids=["at once", "in batches"])
def batched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param:
        monkeypatch.setattr(multiclass_rows, "_AT_ONCE", 0)
        monkeypatch.setattr(multiclass_rows, "_BATCH", 7)
    return bool(request.param)


def table(labels: list[Any], kind: str = "double", n: int = 5_000) -> pa.Table:
    """A table that several vectors of DuckDB hold, with weights of which some are 0."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, len(labels), n)
    columns = {f"p{i}": COLUMNS[kind](rng.gamma(1.0, size=n) + (codes == i)) for i in range(len(labels))}
    mass = rng.integers(0, 4, n) / 2
    return pa.table({"y": [labels[c] for c in codes], **columns, "mass": mass, "site": rng.integers(0, 2, n)})


def score(labels: list[Any]) -> list[str]:
    return [f"{label}=p{i}" for i, label in enumerate(labels)]


def of_memory(path: str, labels: list[Any], weight: str | None, where: str | None) -> LabelledOutputs:
    """The obvious way."""
    names = [f"p{i}" for i in range(len(labels))]
    y = columns_of(path, ["y"], where)["y"]
    read = columns_of(path, [*names, *([] if weight is None else [weight])], where, numbers=names)
    outputs = np.column_stack([np.asarray(read[name], float) for name in names])
    classes = [next(each for each in sorted(set(y.tolist())) if each in (label, _moment(label)))
               for label in labels]  # fmt: skip
    return LabelledOutputs.of(y, outputs, None if weight is None else read[weight], classes)


def _moment(label: Any) -> Any:
    return dt.datetime(label.year, label.month, label.day) if isinstance(label, dt.date) else label


def assert_same(found: LabelledOutputs, wanted: LabelledOutputs) -> None:
    assert found.classes == wanted.classes
    assert found.outputs.flags.c_contiguous
    for name in ("outputs", "begin", "mass"):
        assert getattr(found, name).tobytes() == getattr(wanted, name).tobytes()
    assert (found.units is wanted.units is None) or found.units.tolist() == wanted.units.tolist()


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("weight", [None, "mass"])
@pytest.mark.parametrize("where", [None, "site = 1"])
def test_labels_of_any_kind(
    batched: bool, kind: str, weight: str | None, where: str | None, tmp_path: Path
) -> None:
    labels, path = LABELS[kind], str(tmp_path / "t.parquet")
    parquet.write_table(table(labels), path, row_group_size=2_048)
    typed = [str(_moment(each)) if kind == "dates" else str(each) for each in labels]
    found = ClassTable.of(path, "y", score(typed), weight=weight, where=where)
    assert_same(found.examples(), of_memory(path, labels, weight, where))


@pytest.mark.parametrize("kind", COLUMNS)
def test_outputs_of_any_kind(batched: bool, kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    parquet.write_table(table(CLASSES, kind, 100), path)
    found = ClassTable.of(path, "y", score(CLASSES))
    assert_same(found.examples(), of_memory(path, CLASSES, None, None))


def test_some_rows_and_the_others(batched: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    parquet.write_table(held := table(CLASSES), path, row_group_size=2_048)
    found, picks = ClassTable.of(path, "y", score(CLASSES)), drawn(5_000, 321, 0)
    rows = np.zeros(5_000, bool)
    rows[picks] = True
    y = np.array(held["y"].to_pylist())
    outputs = np.column_stack([held[f"p{i}"].to_numpy() for i in range(3)])
    assert_same(found.examples(picks), LabelledOutputs.of(y[rows], outputs[rows], None, CLASSES))
    vectors = np.array([[1.0, 1.0, 1.0], [0.3, 2.0, 0.0]])
    for but, left in ((picks, ~rows), (picks[:0], np.ones(5_000, bool))):
        counted = found.counted(vectors, but).confusion
        for vector, matrix in zip(vectors, counted, strict=True):
            called = np.argmax(outputs * vector, axis=1)
            for (i, name), j in itertools.product(enumerate(CLASSES), range(3)):
                assert matrix[i, j] == np.count_nonzero((y == name) & (called == j) & left)


FAULTS = [
    ({"p0": None}, "column 'p0' has 2 nulls in 100 rows"),
    ({"p2": None, "mass": None}, "column 'p2' has 2 nulls and column 'mass' has 2 nulls in 100 rows"),
    ({"p1": np.nan, "p0": -1.0}, "column 'p1' has 2 NaN, the first at index 30"),
    (
        {"p1": np.inf, "p2": -1.0},
        "column 'p1' must hold outputs that are finite and not negative, but holds inf",
    ),
    ({"p2": -0.5}, "but holds -0.5"),
    ({"mass": -0.5}, "weight column 'mass' has 2 negative values, the first at index 30"),
    ({"y": None}, "column 'y' has 2 nulls in 100 rows"),
]


@pytest.mark.parametrize(("wrong", "told"), FAULTS)
def test_what_is_wrong_is_told_of_all_rows(
    batched: bool, wrong: dict[str, Any], told: str, tmp_path: Path
) -> None:
    path, held = str(tmp_path / "t.parquet"), table(CLASSES, n=100)
    columns = {name: held[name].to_pylist() for name in held.column_names}
    for name, value in wrong.items():
        columns[name][30] = columns[name][77] = value
    parquet.write_table(pa.table(columns), path)
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        ClassTable.of(path, "y", score(CLASSES), weight="mass").examples()


@pytest.mark.parametrize("name", ["p1", "mass"])
def test_words_are_no_numbers(batched: bool, name: str, tmp_path: Path) -> None:
    held = table(CLASSES, n=100)
    place = held.column_names.index(name)
    parquet.write_table(held.set_column(place, name, pa.array(["x"] * 100)), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=f"column '{name}'"):
        ClassTable.of(str(tmp_path / "t.parquet"), "y", score(CLASSES), weight="mass").examples()


def test_a_table_that_changed_is_noticed(batched: bool, tmp_path: Path) -> None:
    path = str(tmp_path / "t.parquet")
    parquet.write_table(table(CLASSES, n=100), path)
    found = ClassTable.of(path, "y", score(CLASSES))
    parquet.write_table(table(CLASSES, n=99), path)
    with pytest.raises(ValueError, match="has changed while it was read"):
        found.counted(np.ones((1, 3)))


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.integers(0, 9))
def test_drawn_rows_are_distinct_and_in_order(rows_size: tuple[int, int], seed: int) -> None:
    rows, size = rows_size
    found = drawn(rows, size, seed).tolist()
    assert len(found) == size
    assert found == sorted(set(found))
    assert set(found) <= set(range(rows))
    assert found == drawn(rows, size, seed).tolist()


def test_every_row_is_drawn_as_often() -> None:
    for size in (3, 7):
        often = np.bincount(np.concatenate([drawn(10, size, seed) for seed in range(2_000)]), minlength=10)
        assert abs(often - 200 * size).max() < 5 * np.sqrt(200 * size)


def test_how_many_rows_are_held() -> None:
    found = {m: most_rows(Engine(None, m), 4, weighted=False) for m in ("64MB", "200MB", "500MB", "2GB")}
    assert 0 < found["64MB"] < found["200MB"] < found["500MB"] < found["2GB"]
    assert most_rows(Engine(None, "2GB"), 4, weighted=True) < found["2GB"]
    assert found["2GB"] * 8 * 4 < 2e9  # the outputs alone


# --- on the command line ------------------------------------------------------------------------


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, "multiclass", "t.parquet", "--label", "y", "--starts", "2")


def test_a_sample_picks_and_the_others_test(batched: bool, run: Run, tmp_path: Path) -> None:
    parquet.write_table(held := table(CLASSES), tmp_path / "t.parquet")
    named = [word for text in score(CLASSES) for word in ("--score", text)]
    done = run(*named, "--sample", "400", "--random-state", "3", "--policy", "p.json")
    assert done.status == 0, done.err
    picks = drawn(5_000, 400, 3)
    y = np.array(held["y"].to_pylist())
    outputs = np.column_stack([held[f"p{i}"].to_numpy() for i in range(3)])
    mc = rh.MulticlassRoc(y[picks], outputs[picks])
    best = mc.search(n_starts=2, random_state=3)[0]
    policy = rh.multiclass.MulticlassPolicy.load("p.json")
    assert policy.at("max_error").weights.tolist() == best.weights.tolist()
    assert policy.points.confusion.tolist() == mc.points.confusion.tolist()
    rest = rh.MulticlassRoc(np.delete(y, picks), np.delete(outputs, picks, axis=0))
    errors = rest.errors(best.weights)[0]
    told = (
        f"Held out: the largest error of any class is {errors.max():.4g} on the other 4,600 cases, and "
        f"{best.value('max_error'):.4g} on those that picked the weights; mistaken: "
        f"{', '.join(f'{name} {share:.1%}' for name, share in zip(CLASSES, errors, strict=True))}."
    )
    assert told in " ".join(done.out.split())
    assert policy.about["about"] == told


def test_what_memory_does_not_hold(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(table(CLASSES), tmp_path / "t.parquet")
    named = [word for text in score(CLASSES) for word in ("--score", text)]
    monkeypatch.setattr(multiclass_rows, "most_rows", lambda *_, **__: 400)
    done = run(*named, "--memory", "200MB")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "--memory 200MB holds 400 of 5,000; allow more, or give --sample 400, which picks" in done.err
    assert "this machine holds 400 of 5,000" in run(*named).err
    assert run(*named, "--memory", "200MB", "--sample", "400").status == 0
    monkeypatch.setattr(ClassTable, "examples", None)  # weights that are given need no rows in memory
    weights = partial(run.func, *run.args[:-2], "--weights", "1,2,1")  # type: ignore[attr-defined]
    assert weights(*named, "--memory", "200MB").status == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sample", "5000"], "--sample must leave some of 5,000 rows to test, but is 5,000."),
        (["--sample", "9", "--weight", "mass"], "--sample and --weight exclude each other"),
        (["--sample", "0"], "--sample must be 1 or more, but is 0."),
        (["--sample", "1"], "the sample of 1 rows has no example of class"),
        (["--sample", "4999"], "the sample of 4,999 rows leaves no example of class"),
        (["--memory", "much"], "must be a number of bytes"),
    ],
)
def test_samples_that_are_refused(run: Run, tmp_path: Path, options: list[str], told: str) -> None:
    parquet.write_table(table(CLASSES), tmp_path / "t.parquet")
    done = run(*[word for text in score(CLASSES) for word in ("--score", text)], *options)
    assert done.status != 0
    assert told in done.err
