"""Tables decided some rows after the others: the same decisions and words as in memory."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

import rochull as rh
from command_line import Run
from rochull._core import parquet_beside
from rochull._core.parquet_beside import ParquetCopy, UnreadableError
from rochull.cli import decided_batches
from rochull.cli.decided_batches import Looks, SomeRows
from rochull.conditions.rules import NEVER, Scores
from rochull.decisions.axes import Texts
from rochull.decisions.plans import Decide
from rochull.scanning.engines import duckdb_decide

RNG = np.random.default_rng(5)
Y = np.tile([0, 0, 1], 200)
S = np.round(RNG.normal(1.0 * Y), 1)
KIND = np.array(["north", "south", "it's"], object)[RNG.integers(0, 3, Y.size)]
AGE = RNG.integers(20, 60, Y.size)
HULL = rh.roc_hull(Y, S)
REVIEW = {"--cost-fp": "3", "--cost-fn": "5", "--cost-review": "0.4"}
LIMIT = {"--max-fpr": "0.2", "--deterministic": ""}


def _segments() -> rh.segments.SegmentPolicy:
    own = {k: rh.roc_hull(Y[k == KIND], S[k == KIND]) for k in sorted(set(KIND))}
    return rh.segments.SegmentPolicy.from_hulls(own, column="kind", elsewhere=HULL)


def _by_age() -> rh.segments.SegmentPolicy:
    own = {int(k): rh.roc_hull(Y[k == AGE % 5], S[k == AGE % 5]) for k in range(5)}
    return rh.segments.SegmentPolicy.from_hulls(own, column="age", elsewhere=HULL)


def _lower() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull(Y, -S, lower_is_positive=True))


POLICIES: dict[str, tuple[Any, dict[str, str]]] = {
    "one": (lambda: rh.Policy.from_hull(HULL), LIMIT),
    "reviews": (lambda: rh.Policy.from_hull(HULL), REVIEW),
    "lower": (_lower, LIMIT),
    "segments": (_segments, LIMIT),
    "numbers": (_by_age, LIMIT),
}
KINDS = {
    "double": pa.float64(),
    "float": pa.float32(),
    "int": pa.int32(),
    "tiny": pa.int8(),
}


def _table(rows: int, kind: str, gone: int) -> pa.Table:
    """Rows of which some have no score, no segment, or one that was never seen."""
    rng = np.random.default_rng(rows)
    number = np.round(rng.normal(0.5, 1, rows), 1)
    whole = kind in ("int", "tiny")
    score = [None if gone and i % gone == 0 else int(x) if whole else float(x) for i, x in enumerate(number)]
    if gone and not whole:
        score = [float("nan") if i % (gone + 1) == 1 else x for i, x in enumerate(score)]
    kinds = np.array(["north", "south", "it's", "east", None], object)
    return pa.table(
        {
            "id": np.arange(rows),
            "score": pa.array(score, KINDS[kind]),
            "kind": pa.array(kinds[rng.integers(0, 3 + 2 * bool(gone), rows)], pa.string()),
            "age": pa.array(rng.integers(0, 5 + bool(gone), rows), pa.int16()),
        }
    )


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize(
    ("kind", "gone"), [("double", 0), ("double", 7), ("float", 5), ("int", 4), ("tiny", 0)]
)
def test_the_same_as_in_memory(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, kind: str, gone: int
) -> None:
    make, asked = POLICIES[name]
    make().save("p.json")
    table = _table(300, kind, gone)
    parquet.write_table(table.slice(0, 170), "0.parquet", row_group_size=60)
    parquet.write_table(table.slice(170), "1.parquet", row_group_size=90, use_dictionary=False)
    monkeypatch.setattr(parquet_beside, "_ROWS", 23)
    options = [each for pair in asked.items() for each in pair if each]
    found = {}
    for engine in ("memory", "duckdb"):
        monkeypatch.setattr(duckdb_decide, "decide_files", None)  # rows are decided in parts
        done = run("decide", "p.json", "*.parquet", *options, "--engine", engine, "-o", "out/o.parquet")
        assert done.status == 0, done.err
        lines = [line for line in done.out.replace(" (in parts)", "").splitlines() if "Log:" not in line]
        text = " ".join(lines)
        found[engine] = parquet.read_table("out/o.parquet"), text[text.index("Positive: ") :], done.err
    assert str(found["duckdb"][0].to_pylist()) == str(found["memory"][0].to_pylist())  # NaN too
    assert found["duckdb"][1:] == found["memory"][1:]


@pytest.fixture(autouse=True)
def _out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(1, 30))
def test_rows_that_are_kept_are_those_at_even_places(sizes: list[int], most: int) -> None:
    size = sum(sizes)
    scores, ages = np.arange(size) + 0.5, Texts.coded(np.arange(size) % 3, ["a", "b"])
    policy = rh.Policy.from_hull(HULL)
    loaded: Any = SimpleNamespace(watch=policy.watch(), plan=policy.plan(rh.ExpectedCost(prevalence=0.5)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decided_batches, "_ENOUGH", most)
        looks = Looks(loaded, size)
    begin = 0
    for own in sizes:
        here = slice(begin, begin + own)
        rows = SomeRows(begin, own, {"score": Scores(scores[here])}, {"k": ages[here]})
        looks.at(rows, (scores[here].astype(int) % 2).astype(np.int8))
        begin += own
    held, decided = looks.sample({"score": "s", "k": "kind"}, np.array(["no", "yes"]).__getitem__)
    every = slice(None, None, -(-size // most))
    assert held["s"].tolist() == scores[every].tolist()
    assert held["kind"].tolist() == np.array(["a", "b", None])[np.arange(size) % 3][every].tolist()
    assert decided.tolist() == np.where(np.arange(size) % 2, "yes", "no")[every].tolist()
    (kind,) = loaded.watch.kinds
    assert list(looks.counted.values()) == kind.counts_of(Scores(scores))


def test_what_needs_more_than_its_row_is_left_to_others(tmp_path: Path) -> None:
    hulls = {"a": HULL, "b": HULL}
    without = rh.segments.SegmentPolicy.from_hulls(hulls, column="kind")
    for plan, expected in (
        (rh.Policy.from_hull(HULL).plan(rh.Capacity(fraction=0.37, prevalence=0.3)), False),  # by lot
        (Decide(NEVER), False),  # no scores
        (rh.Policy.from_hull(HULL).plan(rh.ExpectedCost(prevalence=0.5)), True),
        (without.plan(rh.ExpectedCost(prevalence=0.5)), False),  # some are refused
    ):
        loaded: Any = SimpleNamespace(plan=plan)
        assert decided_batches.decides_rows(loaded) is expected


def test_a_file_that_arrow_cannot_read_is_left_to_duckdb(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    parquet.write_table(_table(80, "double", 0), "t.parquet")

    def batches(*_: object, **__: object) -> Any:
        raise UnreadableError

    monkeypatch.setattr(ParquetCopy, "batches", batches)
    asked = ["--max-fpr", "0.2", "--deterministic", "--engine", "duckdb", "-o", "out/o.parquet"]
    assert run("decide", "p.json", "t.parquet", *asked).status == 0
    assert parquet.read_table("out/o.parquet").num_rows == 80


def test_another_policy_beside_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    _segments().save("q.json")
    parquet.write_table(_table(200, "double", 0), "t.parquet")
    found = []
    for engine in ("memory", "duckdb"):
        monkeypatch.setattr(duckdb_decide, "decide_files", None)
        asked = ["--max-fpr", "0.2", "--deterministic", "--shadow", "q.json", "--engine", engine]
        done = run("decide", "p.json", "t.parquet", *asked, "-o", "out/o.parquet")
        assert done.status == 0, done.err
        said = next(line for line in done.out.splitlines() if line.startswith("Shadow:"))
        found.append((parquet.read_table("out/o.parquet"), said))
    assert found[0] == found[1]
    assert "shadow" in found[0][0].column_names


def test_a_large_table_is_read_in_parts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rh.Policy.from_hull(HULL).save("p.json")
    parquet.write_table(_table(200, "double", 0), "t.parquet")
    found = []
    for large in (1 << 23, 1):
        monkeypatch.setattr("rochull.cli.decide._LARGE", large)
        asked = ["--max-fpr", "0.2", "--deterministic", "-o", "out/o.parquet"]
        done = run("decide", "p.json", "t.parquet", *asked)
        assert done.status == 0, done.err
        assert (" (in parts)" in done.out) is (large == 1)
        found.append(parquet.read_table("out/o.parquet"))
    assert found[0] == found[1]
