"""rh.scan: the same hulls from every engine and every kind of source; what cannot be opened says why."""

import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import rochull as rh
from rochull.hull.tallies import Tally
from rochull.hull.tasks import BucketCounts, BucketGroups, LowestScores
from rochull.scanning.engines import opening
from rochull.scanning.engines.table import Column, ScanGroup, groups_of
from rochull.scanning.readings import Scan

SIZE = 4_000
RNG = np.random.default_rng(0)
Y = RNG.random(SIZE) < 0.2
ROWS: dict[str, Any] = {
    "y": Y,
    "a": np.round(RNG.normal(size=SIZE) + Y, 2),
    "b": RNG.integers(0, 9, SIZE) + 2 * Y,
    "w": RNG.integers(1, 5, SIZE) / 4,
    "seg": RNG.choice(["n", "s"], SIZE),
    "fold": RNG.integers(0, 3, SIZE),
}
OPTIONS: dict[str, Any] = {"label": "y", "scores": ["a", "b"], "segment": "seg", "fold": "fold"}


def parquet(path: Path) -> Path:
    """Write the rows in two files."""
    table = pa.table(ROWS)
    for i in range(2):
        pq.write_table(table.slice(i * SIZE // 2, SIZE // 2), path / f"{i}.parquet", row_group_size=500)
    return path


def check(found: rh.scanning.Scan, weight: str | None = None) -> None:
    """Assert that every hull is that of the rows in memory."""
    for by, name in ((None, None), ("segment", "seg"), ("fold", "fold")):
        hulls = found.roc_hulls(by=by)
        for value in [None] if name is None else np.unique(ROWS[name]).tolist():
            mine = slice(None) if name is None else ROWS[name] == value
            weights = None if weight is None else ROWS[weight][mine]
            for score in ("a", "b"):
                expected = rh.roc_hull(ROWS["y"][mine], ROWS[score][mine], sample_weight=weights)
                got = (hulls if value is None else hulls[value])[score]
                assert got.thresholds.tolist() == expected.thresholds.tolist()
                assert got.fpr.tolist() == expected.fpr.tolist()
                assert got.tpr.tolist() == expected.tpr.tolist()


SOURCES: dict[str, Callable[[Path], Any]] = {
    "mapping": lambda path: ROWS,
    "table": lambda path: pa.table(ROWS),
    "glob": lambda path: str(parquet(path) / "*.parquet"),
    "list": lambda path: [parquet(path) / "0.parquet", str(path / "1.parquet")],
    "data set": lambda path: ds.dataset(parquet(path)),
    "stream": lambda path: pa.table(ROWS).to_reader(700),
    "function": lambda path: lambda: pa.table(ROWS).to_reader(700),
}


@pytest.mark.crossed
@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_and_engine(kind: str, engine: Any, tmp_path: Path) -> None:
    check(rh.scan(SOURCES[kind](tmp_path), engine=engine, memory="1GB", **OPTIONS))


@pytest.mark.long
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_weights(engine: Any, tmp_path: Path) -> None:
    check(rh.scan(parquet(tmp_path) / "*.parquet", engine=engine, weight="w", **OPTIONS), "w")


@pytest.mark.long
def test_frames(frame_module: Callable[[Mapping[str, Any]], Any]) -> None:
    for engine in ("auto", "duckdb"):
        check(rh.scan(frame_module(ROWS), engine=engine, **OPTIONS))  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_csv(engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with duckdb.connect() as connection:
        connection.register("rows", pa.table(ROWS))
        connection.execute(f"COPY rows TO '{path}' (HEADER)")
    check(rh.scan(path, engine=engine, **OPTIONS))
    found = rh.scan(path, engine=engine, label="y", scores="a", where="a > 0").roc_hulls()["a"]
    held = ROWS["a"] > 0
    assert found.auc() == rh.roc_hull(ROWS["y"][held], ROWS["a"][held]).auc()


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
def test_relations(engine: Any) -> None:
    with duckdb.connect() as connection:
        connection.register("rows", pa.table(ROWS))
        check(rh.scan(connection.sql("FROM rows"), engine=engine, **OPTIONS))
        with pytest.raises(ValueError, match=r"source is a DuckDB connection; give con\.table"):
            rh.scan(connection, **OPTIONS)


def test_files_that_do_not_fit_are_streamed(tmp_path: Path) -> None:
    path = parquet(tmp_path) / "*.parquet"
    tables = {}
    for comfort in (0.25, 1e-9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(opening, "COMFORT", comfort)
            tables[comfort] = type(rh.scan(path, memory="64MB", **OPTIONS)._scanned.table).__name__
    assert tables == {0.25: "MemoryTable", 1e-9: "DuckDBTable"}


def test_a_stream_larger_than_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_COLLECT_SHARE", 1e-6)
    with pytest.raises(
        ValueError, match="is a stream that can be read once only, and is larger than the mem"
    ):
        rh.scan(pa.table(ROWS).to_reader(700), memory="64MB", **OPTIONS)


@pytest.mark.parametrize(
    ("text", "size"),
    [("2GB", 2 * 10**9), ("1.5 GiB", 3 << 29), ("64mb", 64 * 10**6), (10**9, 10**9), ("70000000", 7 * 10**7)],
)
def test_memory_as_text(text: Any, size: int) -> None:
    assert opening.bytes_of(text) == size


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": "lots"}, "memory must be a number of bytes or a text such as '2GB', but is 'lots'"),
        ({"memory": "1KB"}, "memory='1KB' is too little"),
        ({"engine": "sas"}, "engine must be one of 'auto', 'memory', 'duckdb', 'spark', but is 'sas'"),
        ({"engine": "spark"}, "engine='spark' reads files and Spark data frames"),
        ({"scores": []}, "scores is empty"),
        ({"scores": ["a", "a"]}, "scores names the column 'a' twice"),
        ({"scores": ["a", "y"]}, "scores must not hold the label column 'y'"),
        ({"max_error": 0}, "max_error must lie strictly between 0 and 1"),
        ({"progress": 3}, "progress must be True, False, None or a label"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rh.scan(ROWS, **{"engine": "duckdb"} | OPTIONS | options)


def test_what_is_no_table() -> None:
    with pytest.raises(ValueError, match=r"source must be a file, a data frame, .* but is an int"):
        rh.scan(3, engine="duckdb", **OPTIONS)


def test_the_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    found = rh.scan(parquet(tmp_path) / "*.parquet", engine="duckdb", progress="my rows", **OPTIONS)
    found.roc_hulls()
    assert found._scanned.table._ticks is None  # type: ignore[attr-defined]


class Scaled:
    """A fake table: the answers of a small one, every row `factor` times."""

    def __init__(self, labels: Any, score: Any, factor: int) -> None:
        self.scores, self.limit, self.factor = ("s",), 1 << 40, factor
        rows = np.bincount(labels, minlength=2) * factor
        self.groups: tuple[ScanGroup, ...] = groups_of({"all": ([None], rows[None], None)})
        self._rows = labels, score

    def sample(self, size: int) -> dict[Column, Any]:
        """All scores."""
        return {("s", 0): self._rows[1]}

    def answer(self, tasks: Mapping[Column, Any]) -> dict[Column, list[Any]]:
        """Answer as the small table would, in larger numbers."""
        from rochull._core.validation import Labelled

        def one(task: Any) -> Any:
            state = task.start(1)
            task.add(state, Labelled(self._rows[0].astype(np.uint8), self._rows[1], None))
            found = task.combine([task.partial([state])])
            if isinstance(task, BucketCounts):
                return tuple(part * self.factor for part in found)
            if isinstance(found, Tally):
                return Tally(found.score, found.pos_units * self.factor, found.neg_units * self.factor)
            return found

        assert all(
            isinstance(task, (BucketCounts, BucketGroups, LowestScores))
            for row in tasks.values()
            for task in row
        )
        return {key: [one(task) for task in row] for key, row in tasks.items()}


@pytest.mark.parametrize("factor", [1, 10**6, 10**8])
def test_counts_beyond_32_bits(factor: int) -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(60_000) < 0.5).astype(int)
    score = np.round(rng.normal(size=labels.size) + labels, 3)
    found = Scan(Scaled(labels, score, factor))  # type: ignore[arg-type]
    expected = rh.roc_hull(labels, score)
    got = found.roc_hulls()["s"]
    assert got.thresholds.tolist() == expected.thresholds.tolist()
    assert got.fpr.tolist() == expected.fpr.tolist()
    scanned = found._scanned.column(("s", 0))
    assert scanned.n_pos == int(labels.sum()) * factor
    area = rh.roc_curve(labels, score).auc()
    bound = found.auc()["s"]
    assert bound.low <= area <= bound.high


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_one_heavy_row_does_not_prove_scores_reversed(engine: Any) -> None:
    rng = np.random.default_rng(0)
    y = np.append(rng.integers(0, 2, 298), [0, 1])
    table = {"y": y, "s": rng.normal(size=300) - 2.0 * y, "w": np.where(np.arange(300) < 4, 1.0, 1e-3)}
    scan = rh.scan(table, label="y", scores="s", weight="w", engine=engine)
    assert scan.auc()["s"].high < 0.5
