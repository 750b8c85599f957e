"""Tables and sessions for the tests on Spark."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyspark

from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.passes import scan_columns

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    # Queries are many and small: most of the time would go into compiling them well.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}
COLUMNS = {"label": "label", "weight": None, "segment": None, "fold": None, "pos_label": "yes", "where": None}


def session(master: str, **settings: str) -> Any:
    """Start a session, or one of Connect for the master "connect"."""
    from pyspark.sql import SparkSession

    os.environ["SPARK_HOME"] = str(Path(pyspark.__file__).parent)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    running = SparkSession.getActiveSession()
    if running is not None:  # of other settings
        running.stop()
    builder = SparkSession.builder
    builder = builder.remote("local[2]") if master == "connect" else builder.master(master)
    for name, value in {**SETTINGS, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    if master != "connect":
        spark.sparkContext.setLogLevel("OFF")
    return spark


def rows(size: int = 60_000, seed: int = 0) -> pa.Table:
    """Scores with heavy ties (s), 32 bits (f), logarithmic (t), integers beyond doubles (big), and groups."""
    rng = np.random.default_rng(seed)
    label = rng.random(size) < 0.3
    score = np.round(1 / (1 + np.exp(-rng.normal(size=size) - label)), 4)
    score[rng.random(size) < 0.3] = 0.5
    return pa.table(
        {
            "label": np.where(label, "yes", "no"),
            "s": score,
            "f`` $": (rng.normal(size=size) + label).astype(np.float32),
            "t": np.exp(-np.exp(rng.normal(size=size) + 1 - label)) ** 8,
            "big": rng.integers(0, 2**40, size) + 2**60 + label * 2**38,
            "w": rng.random(size),
            "seg": np.array(["x", 'y"', "z'; --"])[rng.integers(0, 3, size)],
            "fold": rng.integers(0, 5, size),
            "id": np.arange(size),
            "whole": np.arange(size) % 4,
            "late": np.where(np.arange(size) < size - 1, np.arange(size) % 4, 0.5),
            "name": np.char.add("row ", np.arange(size).astype(str)),
        }
    )


def assert_same(spark_table: Any, table: pa.Table, **options: Any) -> None:
    """Compare all that is read off a table of Spark with the one in memory."""
    in_memory = MemoryTable.open(table, **{**COLUMNS, **options})
    assert spark_table.groups == in_memory.groups or options.get("weight")
    assert spark_table.scores == in_memory.scores
    found, expected = scan_columns(spark_table, 1e-3), scan_columns(in_memory, 1e-3)
    assert found.keys() == expected.keys()
    for key, column in expected.items():
        for name in ("low", "high", "pos_units", "neg_units"):
            ours, theirs = (getattr(each.blocks, name) for each in (found[key], column))
            np.testing.assert_array_equal(ours, theirs, str((key, name)))
            assert ours.dtype == theirs.dtype
        assert found[key].blocks.units == column.blocks.units
        assert (found[key].n_pos, found[key].n_neg) == (column.n_pos, column.n_neg)
        low, middle, high = found[key].twice_area
        assert low <= middle <= high
        assert max(low, column.twice_area[0]) <= min(high, column.twice_area[2])
        assert_on_the_curve(found[key].curve, table, in_memory, key)


def assert_on_the_curve(curve: Any, table: pa.Table, in_memory: MemoryTable, key: tuple[str, int]) -> None:
    """Check every point of a thinned, unweighted curve: what reaches its threshold."""
    if in_memory.groups[key[1]].units.weighted:
        return
    group = in_memory.groups[key[1]]
    chosen = np.ones(table.num_rows, bool)
    if group.kind != "all":
        chosen = table["seg" if group.kind == "segment" else "fold"].to_numpy() == group.value
    score = table[key[0]].to_numpy()[chosen]
    positive = table["label"].to_numpy()[chosen] == "yes"
    for side, rate in ((positive, curve.tpr), (~positive, curve.fpr)):
        reached = score[side].size - np.searchsorted(np.sort(score[side]), curve.thresholds[1:])
        np.testing.assert_allclose(rate[1:], reached / score[side].size, rtol=1e-12)


def stages(spark: Any) -> dict[int, Any]:
    """The stages that Spark has run, as its own page shows them."""
    context = spark.sparkContext
    none = context._gateway.new_array(context._jvm.double, 0)
    found = context._jsc.sc().statusStore().stageList(None, False, False, none, None)
    return {found.apply(i).stageId(): found.apply(i) for i in range(found.size())}


@contextmanager
def event_log(spark: Any, folder: Path) -> Iterator[list[dict[str, Any]]]:
    """What Spark writes to its event log meanwhile, known at the end."""
    context, events = spark.sparkContext, []
    jvm, inner = context._jvm, context._jsc.sc()
    conf = inner.conf().clone()
    for name in ("compress", "rolling.enabled"):
        conf.set(f"spark.eventLog.{name}", "false")
    none = jvm.scala.Option.apply(None)
    log = jvm.org.apache.spark.scheduler.EventLoggingListener(
        "log", none, jvm.java.net.URI(folder.as_uri()), conf, inner.hadoopConfiguration()
    )
    log.start()
    inner.addSparkListener(log)
    try:
        yield events
    finally:
        inner.listenerBus().waitUntilEmpty()
        inner.removeSparkListener(log)
        log.stop()
    (file,) = (path for path in folder.iterdir() if not path.name.endswith(".crc"))
    events += map(json.loads, file.read_text(encoding="utf-8").splitlines())


def plan_nodes(events: list[dict[str, Any]]) -> list[tuple[dict[str, Any], list[str]]]:
    """The nodes of all plans in an event log, as they were last, and the names of those below each."""
    plans = {e["executionId"]: e["sparkPlanInfo"] for e in events if "sparkPlanInfo" in e}
    found: list[tuple[dict[str, Any], list[str]]] = []

    def walk(node: dict[str, Any]) -> list[str]:
        below = [name for child in node["children"] for name in walk(child)]
        found.append((node, below))
        return [node["nodeName"], *below]

    for plan in plans.values():
        walk(plan)
    return found
