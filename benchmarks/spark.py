"""Spark: the hull of one column of scores, beside Spark's own sort of that column.

On two executors of one core each (`local-cluster`), with generated rows in Parquet files. Both are measured
in turn in the same session, in both orders, each after a run that warms it up: the hull, from opening the
table to its vertices (every pass), and ``orderBy("score")`` written to Spark's sink that keeps nothing. What
is compared is CPU time, of all processes, which other work on the machine moves less than the clock; the sort
is into `spark.sql.shuffle.partitions` parts, 200 if Spark is not told, each a task of its own.

Weights are a column of their own, whole numbers or fractions, which is sorted along.

Run:  python -m benchmarks.spark [--rows 20000000] [--repeat 3] [--partitions 8] [--weight whole|fraction]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

_FILES = 8
_GOAL = 0.8


def main() -> None:
    """Measure, and print one line for each run and the ratio of the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--weight", choices=["whole", "fraction"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), given.rows)
        spark = _session(given.partitions)
        try:
            _compare(spark.read.parquet(folder), given.repeat, given.weight)
        finally:
            spark.stop()


def _write(folder: Path, rows: int) -> None:
    """Rows of a logistic score that a normal variable with a shift of 1.2 gives."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for i in range(_FILES):
        random = np.random.default_rng([0, i])
        size = rows // _FILES
        label = random.random(size) < 0.3
        score = 1 / (1 + np.exp(0.8 - random.normal(size=size) - 1.2 * label))
        fraction = random.random(size) + 0.1
        columns = {"score": score, "label": label, "whole": np.ceil(20 * fraction), "fraction": fraction}
        pq.write_table(pa.table(columns), folder / f"{i}.parquet")


def _session(partitions: int) -> Any:
    import pyspark
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local-cluster[2,1,2048]").appName("rochull")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "2048m",
        "spark.sql.shuffle.partitions": str(partitions),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _compare(df: Any, repeat: int, weight: str | None) -> None:
    import rochull as rh

    df = df.select("score", "label", *([weight] if weight else []))

    def hull() -> Any:
        return rh.scan(df, label="label", scores="score", weight=weight).roc_hulls()["score"]

    def order() -> None:
        df.orderBy("score").write.format("noop").mode("overwrite").save()

    times: dict[str, list[float]] = {"hull": [], "orderBy": []}
    both = (("hull", hull), ("orderBy", order))
    for turn in range(repeat + 1):
        for name, work in both[:: 1 - turn % 2 * 2]:
            seconds = _timed(work)
            if turn:
                times[name].append(seconds)
            print(f"{name:8} {seconds:7.2f} core s{'' if turn else '  (warming up)'}", flush=True)
    ratio = median(hull / order for hull, order in zip(*times.values(), strict=True))
    print(f"hull / orderBy {ratio:.2f} (goal: at most {_GOAL})")


def _timed(work: Callable[[], Any]) -> float:
    begin = _cpu()
    work()
    return _cpu() - begin


def _cpu() -> float:
    """CPU seconds of this process and of those below it, ended ones included (from Linux's /proc)."""
    parent, ticks = {}, {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        pid = int(file.parent.name)
        parent[pid], ticks[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    below = {os.getpid()}
    while more := {pid for pid, of in parent.items() if of in below} - below:
        below |= more
    return sum(ticks.get(pid, 0) for pid in below) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
