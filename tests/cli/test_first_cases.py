"""So many cases of a table that is read part by part: the same as in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from rochull._core import parquet_beside
from rochull.cli import first_cases
from rochull.cli.case_order import ordered_places
from rochull.cli.first_cases import Reach, reach_of

RNG = np.random.default_rng(7)
Y = np.tile([0, 0, 1], 100)
S = np.round(RNG.normal(1.0 * Y), 1)
KINDS = {"double": pa.float64(), "float": pa.float32(), "int": pa.int64(), "tiny": pa.int8()}


def _table(kind: str, rows: int, gone: int, texts: bool) -> pa.Table:
    rng = np.random.default_rng(rows)
    number = np.round(rng.normal(0.3, 1, rows), 1)
    whole = kind in ("int", "tiny")
    score = [None if gone and i % gone == 0 else int(x) if whole else float(x) for i, x in enumerate(number)]
    if gone and not whole:
        score = [float("nan") if i % (gone + 1) == 1 else x for i, x in enumerate(score)]
    key = rng.permutation(rows) + 1000
    return pa.table({"id": [f"k{k}" for k in key] if texts else key, "score": pa.array(score, KINDS[kind])})


def _in_two_files(lower: bool, table: pa.Table) -> None:
    """A policy, and the table of 150 rows that it is to decide."""
    hull = rh.roc_hull(Y, -S, lower_is_positive=True) if lower else rh.roc_hull(Y, S)
    rh.Policy.from_hull(hull).save("p.json")
    parquet.write_table(table.slice(0, 70), "0.parquet", row_group_size=60)
    parquet.write_table(table.slice(70), "1.parquet", row_group_size=90)


TABLES = pytest.mark.parametrize(
    ("kind", "gone", "texts"),
    [("double", 0, True), ("float", 6, False), ("int", 5, True), ("tiny", 0, False)],
)
CHANCE = pytest.mark.parametrize("how", [["--key", "id"], ["--random-state", "3"], ["--deterministic"]])
VALUES = st.lists(
    st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52]), min_size=1, max_size=30
)


@pytest.fixture(autouse=True)
def _out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()


class TooMany(Exception):
    """So many cases have the last score that they are not kept."""


def _decided(run: Run, *asked: str) -> tuple[dict[str, list[Any]], str, str]:
    done = run("decide", "p.json", "*.parquet", *asked, "-o", "out/o.parquet")
    if done.status and (found := re.search(r"(\d+) cases have the score", done.err)):
        raise TooMany(int(found[1]))
    assert done.status == 0, done.err
    text = " ".join(
        line for line in done.out.splitlines() if not line.startswith(("Log:", "Sort by", "  flagged"))
    )
    return parquet.read_table("out/o.parquet").to_pydict(), text[text.index("Positive: ") :], done.err


@pytest.mark.crossed
@pytest.mark.parametrize("lower", [False, True])
@TABLES
@pytest.mark.parametrize("cases", [0, 1, 37, 120, 150])
@CHANCE
def test_the_same_as_in_memory(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    *,
    lower: bool,
    kind: str,
    gone: int,
    texts: bool,
    cases: int,
    how: list[str],
) -> None:
    _in_two_files(lower, _table(kind, 150, gone, texts))
    monkeypatch.setattr(parquet_beside, "_ROWS", 23)
    expected = _decided(run, "--cases", str(cases), *how, "--engine", "memory")
    scores = [x for x in expected[0]["score"] if x is not None and x == x]  # noqa: PLR0124
    if len(scores) < 150 and cases >= len(scores):  # lots decide between cases without scores
        asked = ["--cases", str(cases), *how, "--engine", "duckdb", "-o", "out/p.parquet"]
        assert "--cases needs all rows in memory" in run("decide", "p.json", "*.parquet", *asked).err
        return
    for row in (1, 900_000, 2_500_000):  # many rows may be kept, or few
        monkeypatch.setattr(first_cases, "_ROW", row)
        asked = ["--cases", str(cases), *how, "--engine", "duckdb", "--memory", "200MB"]
        try:
            found = _decided(run, *asked)
        except TooMany as error:
            if error.args[0] > 10**8 // row:
                continue
            raise
        assert str(found[0]["score"]) == str(expected[0]["score"])
        assert found[0]["decision"] == expected[0]["decision"]
        assert found[0].get("probability") == expected[0].get("probability")
        called = [rank if rank <= cases else None for rank in expected[0].get("rank", [])]
        assert found[0].get("rank", called) == called
        assert found[1:] == expected[1:]
        assert "rank" in found[0] or "--deterministic" in how or row > 1


@pytest.mark.crossed
@pytest.mark.parametrize("lower", [False, True])
@TABLES
@pytest.mark.parametrize("reviews", [0, 1, 37, 120, 151])
@pytest.mark.parametrize("price", ["0.05", "0.3", "0.9", "4"])
@CHANCE
def test_as_many_reviews_as_in_memory(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    *,
    lower: bool,
    kind: str,
    gone: int,
    texts: bool,
    reviews: int,
    price: str,
    how: list[str],
) -> None:
    _in_two_files(lower, _table(kind, 150, gone, texts))
    monkeypatch.setattr(parquet_beside, "_ROWS", 23)
    asked = ["--max-reviews", str(reviews), "--cost-fn", "3", "--cost-review", price, *how, "--engine"]
    expected = _decided(run, *asked, "memory")
    reviewed = [word == "review" for word in expected[0]["decision"]]
    for row in (1, 900_000, 2_500_000):  # many rows may be kept, or few
        monkeypatch.setattr(first_cases, "_ROW", row)
        try:
            found = _decided(run, *asked, "duckdb", "--memory", "200MB")
        except TooMany as error:
            if error.args[0] > 10**8 // row:
                continue
            raise
        assert found[0]["decision"] == expected[0]["decision"]
        assert found[0].get("probability") == expected[0].get("probability")
        ranks = zip(expected[0].get("rank", []), reviewed, strict=False)
        called = [rank if own else None for rank, own in ranks]
        assert found[0].get("rank", called) == called
        assert found[1:] == expected[1:]
        assert "rank" in found[0] or "--deterministic" in how or row > 1


def test_reviews_are_not_of_several_classifiers(run: Run) -> None:
    hybrid = rh.Hybrid()
    for name, scores in (("score", S), ("other", np.round(RNG.normal(1.0 * Y), 1))):
        hybrid.add(name, Y, scores)
    hybrid.policy().save("p.json")
    parquet.write_table(pa.table({"score": S, "other": S}), "t.parquet")
    asked = ["--max-reviews", "20", "--random-state", "1", "--engine", "duckdb", "-o", "out/o.parquet"]
    assert "--max-reviews needs all rows in memory" in run("decide", "p.json", "t.parquet", *asked).err


@given(VALUES, st.integers(0, 40), st.integers(1, 9))
def test_a_reach_is_found_by_counts(values: list[float], nth: int, most: int) -> None:
    place = ordered_places(np.array(values), False)

    def parts() -> Iterator[Any]:
        yield from np.array_split(place, 3)

    ordered = np.sort(place)
    at = ordered[min(nth, len(values) - 1)]
    if np.count_nonzero(place == at) > most:
        with pytest.raises(MemoryError, match="have the score at which the number is reached"):
            reach_of(parts, nth, most)
        return
    found = reach_of(parts, nth, most)
    inside = (place >= np.uint64(found.low)) & (place - np.uint64(found.low) < found.width)
    assert at in place[inside]
    assert found == Reach(
        found.low, found.width, np.count_nonzero(ordered < found.low), np.count_nonzero(inside)
    )
    assert found.here <= most


def test_the_last_score_has_too_many_cases(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rh.Policy.from_hull(rh.roc_hull(Y, S)).save("p.json")
    parquet.write_table(_table("tiny", 90, 0, False), "t.parquet")
    monkeypatch.setattr(first_cases, "_ROW", 10_000_000)
    asked = ["--cases", "20", "--key", "id", "--engine", "duckdb", "--memory", "200MB", "-o", "out/o.parquet"]
    done = run("decide", "p.json", "t.parquet", *asked)
    assert done.status == 1
    assert "cases have the score at which the number is reached; allow more by --memory" in done.err
    assert not Path("out/o.parquet").exists()


def test_integers_that_float64_does_not_tell_apart_are_for_memory(run: Run) -> None:
    rh.Policy.from_hull(rh.roc_hull(Y, S)).save("p.json")
    parquet.write_table(pa.table({"score": [2**53 + 1, 3, 2]}), "t.parquet")
    asked = ["--cases", "2", "--random-state", "1", "-o", "out/o.parquet", "--engine"]
    assert "--cases needs all rows" in run("decide", "p.json", "t.parquet", *asked, "duckdb").err
    assert run("decide", "p.json", "t.parquet", *asked, "memory").status == 0


def test_more_cases_than_rows(run: Run) -> None:
    rh.Policy.from_hull(rh.roc_hull(Y, S)).save("p.json")
    parquet.write_table(_table("double", 60, 0, False), "t.parquet")
    found = [
        _decided(run, "--cases", "61", "--key", "id", "--engine", engine) for engine in ("memory", "duckdb")
    ]
    assert found[0] == found[1]
    assert "--cases 61 limits nothing: the table has 60 rows" in found[0][2]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_ranks_are_of_the_lots_that_decided(run: Run, engine: str) -> None:
    rh.Policy.from_hull(rh.roc_hull(Y, S)).save("p.json")
    parquet.write_table(pa.table({"score": np.repeat([0.0, 1.0], 30)}), "t.parquet")
    found, _, _ = _decided(run, "--cases", "10", "--engine", engine)
    flagged = [rank for rank, is_flagged in zip(found["rank"], found["decision"], strict=True) if is_flagged]
    assert sorted(flagged) == list(range(1, 11))
