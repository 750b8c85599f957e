"""Classes of plain files in segments and folds: as a loop over the rows counts them."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull.scanning.engines import plain_counts
from rochull.scanning.engines.duckdb_plain import PlainFiles
from rochull.scanning.engines.kept_columns import KeptColumns
from rochull.scanning.engines.plain_counts import counted_values

KINDS = {"y": "bool", "g": "string", "f": "int8", "n": "int64"}
NAMES = st.lists(st.sampled_from("gfn"), unique=True).map(lambda names: ["y", *names])


def plain_files(path: Path, rows: dict[str, Any], **how: Any) -> PlainFiles:
    """A file of several row groups."""
    table = pa.table({name: pa.array(rows[name], KINDS[name]) for name in rows})
    pq.write_table(table, path / "rows.parquet", row_group_size=70)
    return PlainFiles([str(path / "rows.parquet")], "y", KINDS, table.num_rows, **how)


def some_rows(size: int, seed: int) -> dict[str, Any]:
    """Columns of few values each."""
    rng = np.random.default_rng(seed)
    columns = {
        "y": rng.random(size) < 0.4, "g": rng.choice(np.array(["a", "", "é"]), size),
        "f": rng.integers(-3, 4, size), "n": rng.integers(0, 2, size) * 10,
    }  # fmt: skip
    return {name: column.tolist() for name, column in columns.items()}


def text_of(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


@given(
    st.tuples(st.integers(1, 300), st.integers(0, 2**32), st.booleans()), NAMES,
    st.tuples(st.sampled_from([1, 7, 1 << 16]), st.sampled_from([None, 30])),
)  # fmt: skip
def test_counts_are_those_of_a_loop(
    tmp_path_factory: Any, drawn: tuple[int, int, bool], names: list[str], pieces: tuple[int, int | None]
) -> None:
    (size, seed, some), (piece, at_once) = drawn, pieces
    rows = some_rows(size, seed)
    wanted = np.random.default_rng(seed).random(size) < (0.5 if some else 2)
    home = tmp_path_factory.mktemp("counts")
    bits = {str(home / "rows.parquet"): pa.array(wanted)} if some else {}
    kept = KeptColumns(1 << 20)
    plain = plain_files(home, rows, piece=at_once, chosen=bits, kept=kept)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_counts, "_SLICE", piece)
        found = counted_values(plain, names)
    seen = Counter(zip(*(np.array(rows[name], object)[wanted].tolist() for name in names), strict=True))
    assert found == [(*key, *map(text_of, key), seen[key]) for key in sorted(seen)]
    for group in plain.groups():  # what was decoded is there once more, and then no longer
        columns = list(plain.columns(group, names, keep=False))
        assert sum(len(own[0]) for own in columns) == group.size()
    assert (kept.size, kept.scores) == (0, {})


@pytest.mark.parametrize("change", [{"g": None}, {"y": None}, {"n": 1 << 30}])
def test_what_duckdb_has_to_count(tmp_path: Path, change: dict[str, Any]) -> None:
    rows = some_rows(200, 0)
    for name, value in change.items():
        rows[name][-1] = value
    assert counted_values(plain_files(tmp_path, rows), ["y", "g", "n"]) == []


def test_too_many_combinations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = plain_files(tmp_path, some_rows(200, 0))
    monkeypatch.setattr(plain_counts, "_MOST_CELLS", 2 * 3 * 11)  # the numbers are 0 and 10
    assert counted_values(plain, ["y", "g", "n"])
    monkeypatch.setattr(plain_counts, "_MOST_CELLS", 2 * 3 * 11 - 1)
    assert counted_values(plain, ["y", "g", "n"]) == []
