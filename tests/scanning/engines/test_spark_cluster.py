"""Spark on several processes: executors that are lost, tasks that fail and run again, and Spark Connect."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rochull.scanning.engines import spark_cells
from rochull.scanning.engines.spark_table import SparkTable
from spark_cases import COLUMNS, assert_same, rows, session

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

TABLE = rows(40_000, seed=1).select(["label", "s", "fold"])


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Two executors of one core each."""
    found = session("local-cluster[2,1,1024]", **{"spark.executor.memory": "1024m"})
    yield found
    found.stop()


@pytest.fixture(scope="module")
def df(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the table, in two partitions."""
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    pq.write_table(TABLE, path)
    return spark.read.parquet(str(path)).repartition(2)


def opened(df: Any) -> SparkTable:
    """Open a data frame."""
    return SparkTable.open(df, **{**COLUMNS, "scores": ["s"]})


def test_a_task_that_fails_twice(df: Any) -> None:
    def flaky(batches: Any) -> Any:
        from pyspark import TaskContext

        task = TaskContext.get()
        for batch in batches:
            yield batch.slice(0, batch.num_rows // 2)
            if task.partitionId() % 2 and task.attemptNumber() < 2:
                raise OSError("lost half way")
            yield batch.slice(batch.num_rows // 2)

    assert_same(opened(df.mapInArrow(flaky, df.schema)), TABLE, scores=["s"])


def test_a_task_that_always_fails(df: Any) -> None:
    def broken(batches: Any) -> Any:
        raise OSError("the disk is gone")
        yield from batches

    with pytest.raises(Exception, match="the disk is gone"):
        opened(df.mapInArrow(broken, df.schema))


def test_an_executor_that_is_killed(df: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    armed = tmp_path / "armed"

    def deadly(batches: Any) -> Any:
        for batch in batches:
            yield batch.slice(0, batch.num_rows // 2)
            try:
                armed.unlink()  # one task alone can
            except FileNotFoundError:
                yield batch.slice(batch.num_rows // 2)
            else:
                status = Path(f"/proc/{os.getppid()}/status").read_text(encoding="utf-8")  # of the daemon
                executor = next(line for line in status.splitlines() if line.startswith("PPid:")).split()[1]
                os.kill(int(executor), signal.SIGKILL)

    looked = spark_cells.first_rows

    def first_rows(*given: Any) -> Any:
        found = looked(*given)
        armed.touch()  # for the count
        return found

    monkeypatch.setattr(spark_cells, "first_rows", first_rows)
    table = opened(df.mapInArrow(deadly, df.schema))
    assert not armed.exists()
    assert table.counted
    passes, answer = [], table.answer

    def interrupted(tasks: Any) -> Any:
        armed.touch()
        answers = answer(tasks)
        passes.append(armed.exists())
        return answers

    table.answer = interrupted  # type: ignore[method-assign]
    assert_same(table, TABLE, scores=["s"])
    assert passes == [True, False]  # the first brings what is counted already


def test_connect() -> None:
    program = Path(__file__).parents[2] / "support" / "spark_connect.py"
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Connect says the same\n"
