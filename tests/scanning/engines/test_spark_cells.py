"""Cells of a column that Spark counts by itself: the rows of each class in consecutive ranges of scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rochull.scanning.engines import spark_cells
from rochull.scanning.engines.spark_cells import Cells
from rochull.scanning.engines.spark_table import SparkTable
from spark_cases import COLUMNS, assert_same, event_log, plan_nodes, stages

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

SIZE = 40_000
RNG = np.random.default_rng(2)
NORMAL = RNG.normal(size=SIZE)
SCORES = {
    "normal": NORMAL,
    "ascending": np.sort(NORMAL),  # the first rows are no sample
    "probabilities": 1 / (1 + np.exp(-30 * NORMAL)),
    "exponents": np.exp(40 * NORMAL),
    "float32": NORMAL.astype(np.float32),
    "bigint": (NORMAL * 2**30).astype(np.int64) + 2**60,
    "tinyint": RNG.integers(-9, 9, SIZE).astype(np.int8),
    "infinite": np.where(NORMAL > 1, np.inf, np.where(NORMAL < -1, -np.inf, 1e300 * NORMAL)),
    "narrow": 1000 + 1e-6 * RNG.random(SIZE),
    "zeros": np.where(NORMAL > 0, 0.0, np.where(NORMAL > -1, -0.0, NORMAL)),
    "one": np.full(SIZE, 0.3),
}


def counted(
    spark: Any, folder: Path, label: Any, score: Any, pos_label: object = None, **weights: Any
) -> Cells | None:
    pq.write_table(pa.table({"y": label, "x0": score, **weights}), folder / "rows.parquet")
    rows = spark.read.parquet(str(folder / "rows.parquet")).selectExpr("*", "ISNULL(x0) AS is_bad")
    told = spark_cells.is_told(rows.schema["y"].dataType.simpleString(), pos_label)
    return spark_cells.count_cells(rows, 1, kinds=["all"], told=told, fineness=spark_cells.fineness(rows))


@pytest.mark.parametrize("name", [pytest.param("normal", marks=pytest.mark.short), *list(SCORES)[1:]])
def test_counts_of_ranges(local_spark: Any, tmp_path: Path, name: str) -> None:
    score, positive = SCORES[name], RNG.random(SIZE) < 0.3
    cells = counted(local_spark, tmp_path, positive, score)
    assert cells is not None
    ((group, (buckets, pos, neg, rows)),) = cells.counts(0, True, score.dtype, {})
    assert group == 0
    assert np.all(np.diff(buckets.starts) > 0)
    assert np.isin(buckets.starts, score).all()
    assert rows.tolist() == (pos + neg).tolist()
    for count, chosen in ((pos, positive), (neg, ~positive)):  # the slow way
        begin = np.searchsorted(np.sort(score[chosen]), buckets.starts)
        assert count[::-1].tolist() == np.diff(begin, append=np.count_nonzero(chosen)).tolist()
    distinct = np.unique(score).size
    assert buckets.size == distinct if distinct < 50 else buckets.size > 500


@pytest.mark.parametrize(
    ("negative", "positive", "pos_label"),
    [(0, 1, None), (-1, 1, None), (False, True, None), (False, True, False), (3, 1, 3), ("n", "p", "p")],
)
def test_labels(local_spark: Any, tmp_path: Path, negative: Any, positive: Any, pos_label: Any) -> None:
    is_second = NORMAL + RNG.normal(size=SIZE) > 0
    label = pa.array([positive if second else negative for second in is_second.tolist()])
    cells = counted(local_spark, tmp_path, label, NORMAL, pos_label)
    assert cells is not None
    found = cells.totals("all")
    n = dict(zip(found["y"].to_pylist(), found["n"].to_pylist(), strict=True))
    assert n == {positive: is_second.sum(), negative: (~is_second).sum()}


def test_what_cells_do_not_tell(local_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label = NORMAL > 0
    for value in (None, float("nan")):
        score = pa.array([*NORMAL[1:].tolist(), value], from_pandas=False)
        assert counted(local_spark, tmp_path, label, score) is None
    monkeypatch.setattr(spark_cells, "MOST", 100)
    monkeypatch.setattr(spark_cells, "_FEWEST_GROUPS", 1)
    assert counted(local_spark, tmp_path, label, NORMAL) is None


WHOLE = RNG.integers(0, 4, SIZE).astype(float)


@pytest.mark.parametrize("labels", [(False, True), ("n", "p")])
@pytest.mark.parametrize("name", ["normal", "bigint"])
def test_weights_that_are_whole_numbers(
    local_spark: Any, tmp_path: Path, name: str, labels: tuple[Any, Any]
) -> None:
    score, positive = SCORES[name], RNG.random(SIZE) < 0.3
    label = pa.array([labels[second] for second in positive.tolist()])
    cells = counted(local_spark, tmp_path, label, score, w=WHOLE)
    assert cells is not None
    ((_, (buckets, pos, neg, rows)),) = cells.counts(0, labels[1], score.dtype, {})
    edges = [*buckets.starts.tolist(), np.inf]
    cell = np.searchsorted(edges, score, "right") - 1  # the slow way; some rows without weight are before all
    heavy = WHOLE > 0
    assert score[heavy].min() == edges[0]
    for count, chosen in ((pos, positive), (neg, ~positive)):
        assert (
            count[::-1].tolist()
            == np.bincount(cell[chosen & heavy], WHOLE[chosen & heavy], len(edges) - 1).tolist()
        )
    assert np.all(rows[::-1] >= np.bincount(cell[heavy], minlength=len(edges) - 1))
    assert rows.sum() <= SIZE
    found = cells.totals("all")
    each = {
        y: (n, units)
        for y, n, units in zip(*(found[c].to_pylist() for c in ("y", "n", "units")), strict=True)
    }
    assert each == {
        labels[k]: (np.count_nonzero(of), WHOLE[of].sum()) for k, of in ((1, positive), (0, ~positive))
    }


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("value", [0.5, -1.0, 2.0**27, 1e300, float("inf"), float("nan"), None])
def test_weights_that_are_not_all_whole_numbers(
    local_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float | None, place: int
) -> None:
    monkeypatch.setattr(spark_cells, "_FIRST", 10)
    weights = WHOLE[:1000].tolist()
    weights[place] = value
    label, score = NORMAL[:1000] > 0, NORMAL[:1000]
    assert counted(local_spark, tmp_path, label, score, w=pa.array(weights, from_pandas=False)) is None


def test_weights_that_are_heavy_together(
    local_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label = NORMAL > 0
    assert counted(local_spark, tmp_path, label, NORMAL, w=WHOLE) is not None
    monkeypatch.setattr(spark_cells, "_HEAVIEST", int(WHOLE.sum()) - 1)
    assert counted(local_spark, tmp_path, label, NORMAL, w=WHOLE) is None


GROUPS = {"segment": "seg", "fold": "fold"}


@pytest.mark.parametrize(
    ("is_sorted", "options", "readings"),
    [
        pytest.param(False, {"scores": ["s"]}, 2, marks=pytest.mark.short),
        (True, {"scores": ["s"]}, 3),  # the counts are taken as a sample once
        (False, {"scores": ["s", "t"], "key": "id", **GROUPS}, 2),
        (False, {"scores": ["s"], "weight": "whole", **GROUPS}, 2),
        (False, {"scores": ["s"], "weight": "w", **GROUPS}, 3),  # weights are summed before
    ],
)
def test_the_table_is_read_twice(
    local_spark: Any, tmp_path: Path, is_sorted: bool, options: Any, readings: int
) -> None:
    size = 160_000
    score = RNG.normal(size=size)
    label = np.where(RNG.random(size) < 1 / (1 + np.exp(-score)), "yes", "no")
    order = np.argsort(score) if is_sorted else np.arange(size)
    table = pa.table({
        "label": label, "s": score, "t": score + RNG.normal(size=size), "w": RNG.random(size) + 0.01, "id": order,
        "whole": RNG.integers(0, 9, size),
        "seg": np.array(["x", "y", "z"])[order % 3], "fold": order % 2,
    }).take(order)  # fmt: skip
    for i in range(2):
        pq.write_table(table.slice(i * size // 2, size // 2), tmp_path / f"{i}.parquet")
    frame, before = local_spark.read.parquet(str(tmp_path)), stages(local_spark)
    assert_same(SparkTable.open(frame, **{**COLUMNS, **options}), table, **options)
    run = [stage for i, stage in stages(local_spark).items() if i not in before]
    read = sum(stage.inputRecords() for stage in run)
    assert read <= readings * size + 2 * spark_cells._FIRST  # and the first rows
    # Cells go from stage to stage, and no rows, which were so many in every kind of group.
    copies = len(options["scores"]) * (1 + len(GROUPS.keys() & options.keys()))
    assert max(stage.shuffleWriteRecords() for stage in run) < copies * size / 2


@pytest.mark.parametrize("options", [{"scores": ["s"]}, {"scores": ["s"], "segment": "seg"}])
def test_plans_and_event_log_tell_that_no_rows_are_moved(
    local_spark: Any, tmp_path: Path, options: Any
) -> None:
    size, partitions = 160_000, 2
    table = pa.table({
        "label": np.where(RNG.random(size) < 0.3, "yes", "no"),
        "s": RNG.normal(size=size),
        "seg": np.array(["x", "y", "z"])[np.arange(size) % 3],
    })  # fmt: skip
    (rows := tmp_path / "rows").mkdir()
    (log := tmp_path / "log").mkdir()
    for i in range(partitions):
        pq.write_table(table.slice(i * size // partitions, size // partitions), rows / f"{i}.parquet")
    with event_log(local_spark, log) as events:
        opened = SparkTable.open(local_spark.read.parquet(str(rows)), **{**COLUMNS, **options})
        assert_same(opened, table, **options)
    most = 2 * partitions * sum(buckets.size for buckets in opened.counted.values())  # of two classes
    assert most < size
    nodes, ended = plan_nodes(events), [e for e in events if e["Event"] == "SparkListenerTaskEnd"]
    exchanges = [(node, below) for node, below in nodes if "Exchange" in node["nodeName"]]
    assert exchanges
    assert not any("Sort" in node["nodeName"] for node, _ in nodes)
    for node, below in exchanges:  # counts, which have been added up in each partition
        assert any("HashAggregate" in name for name in below)
        (written,) = (m["accumulatorId"] for m in node["metrics"] if m["name"] == "shuffle records written")
        each = [a["Update"] for e in ended for a in e["Task Info"]["Accumulables"] if a["ID"] == written]
        assert 0 < sum(map(int, each)) <= most
    metrics = [e["Task Metrics"] for e in ended]
    shuffled = [m["Shuffle Write Metrics"] for m in metrics]
    assert sum(m["Shuffle Records Written"] for m in shuffled) <= len(exchanges) * most
    assert sum(m["Shuffle Bytes Written"] for m in shuffled) <= 100 * len(exchanges) * most
    read = sum(m["Input Metrics"]["Records Read"] for m in metrics)
    assert 2 * size <= read <= 2 * size + 2 * spark_cells._FIRST
