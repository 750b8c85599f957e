"""Data frames of Spark: the same hulls, areas and curves as in memory, whichever way Spark takes."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rochull as rh
from rochull.hull.buckets import BucketMap
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Tally, Units
from rochull.hull.tasks import BucketCounts, BucketGroups, LowestScores
from rochull.scanning.column import SMALL
from rochull.scanning.engines import spark_cells, spark_session, spark_table, spark_worker
from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.engines.spark_table import SparkTable
from rochull.scanning.passes import scan_columns
from spark_cases import COLUMNS, assert_same, rows, stages

# pyspark says so of every pandas from 3 on; nothing here goes through pandas.
pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

TABLE = rows()


@pytest.fixture(scope="module")
def df(local_spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the table, in a few files."""
    folder = tmp_path_factory.mktemp("rows")
    for i in range(3):
        pq.write_table(TABLE.slice(i * 20_000, 20_000), folder / f"{i}.parquet")
    return local_spark.read.parquet(str(folder))


def filed(local_spark: Any, folder: Path, table: pa.Table) -> Any:
    """A table in a file: Spark would place rows of a query before it runs."""
    pq.write_table(table, folder / "rows.parquet")
    return local_spark.read.parquet(str(folder / "rows.parquet"))


def opened(df: Any, **options: Any) -> SparkTable:
    """Open a data frame."""
    return SparkTable.open(df, **{**COLUMNS, **options})


@pytest.mark.parametrize("weight", [None, pytest.param("w", marks=pytest.mark.short), "whole", "late"])
def test_equals_the_table_in_memory(df: Any, weight: str | None) -> None:
    options = {"scores": ["s"], "weight": weight, "segment": "seg", "fold": "fold"}
    assert_same(opened(df, **options), TABLE, **options)


def test_a_file_that_is_replaced_between_passes(local_spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a b.parquet"
    pq.write_table(TABLE, path)
    scan = rh.scan(path, label="label", scores="s", pos_label="yes", engine="spark")
    pq.write_table(TABLE.take(np.arange(TABLE.num_rows)[::-1]), path)  # Spark would count the same
    with pytest.raises(
        (ValueError, RuntimeError), match=r"the source changed between two scans|Spark failed"
    ):
        scan.roc_hulls()


def test_columns_of_all_types_in_the_same_passes(df: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"scores": ["s", "f`` $", "t", "big"], "fold": "fold"}
    queries = []
    worked = SparkTable._worked
    monkeypatch.setattr(SparkTable, "_worked", lambda *given: queries.append(given[2]) or worked(*given))
    assert_same(opened(df, **options), TABLE, **options)
    assert queries == [spark_worker.packed]  # the counts are Spark's own


def test_where_cells_were_too_many(df: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, made = spark_cells.count_cells, []

    def fails_once(*given: Any, **options: Any) -> Any:
        made.append(options)
        return counted(*given, **options) if len(made) > 1 else None

    monkeypatch.setattr(spark_cells, "count_cells", fails_once)
    options = {"scores": ["s"], "segment": "seg"}
    assert_same(opened(df, **options), TABLE, **options)
    assert [call.get("n_groups", 0) for call in made] == [0, 3]


def test_small_columns_and_one_tie(local_spark: Any, tmp_path: Path) -> None:
    positive = np.arange(45_000) % 3 == 0
    score = np.where(np.arange(45_000) % 100 == 0, np.arange(45_000) / 7.0, 0.25)
    table = pa.table({"label": np.where(positive, "yes", "no"), "s": score})
    assert_same(opened(filed(local_spark, tmp_path, table), scores=["s"]), table, scores=["s"])
    few = table.slice(0, 500)
    assert_same(opened(local_spark.createDataFrame(few), scores=["s"]), few, scores=["s"])


def test_infinite_scores_and_both_zeros(local_spark: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    score = rng.normal(size=50_000)
    score[:900] = np.repeat([np.inf, -np.inf, -0.0], 300)
    score[900:1200] = 0.0
    rng.shuffle(score)
    table = pa.table({"label": np.where(rng.random(50_000) < 0.4, "yes", "no"), "s": score})
    assert_same(opened(filed(local_spark, tmp_path, table), scores=["s"]), table, scores=["s"])


@pytest.mark.parametrize("key", ["id", "name"])
def test_a_scan(df: Any, key: str) -> None:
    options: Any = {"label": "label", "scores": "s", "pos_label": "yes", "segment": "seg", "key": key}
    found, expected = rh.scan(df, **options), rh.scan(TABLE, **options)
    assert isinstance(found._scanned.table, SparkTable)
    for by in (None, "segment"):
        hulls, others = (scan.roc_hulls(by=by) for scan in (found, expected))
        assert str(hulls) == str(others)
    assert found.auc(exact=True) == expected.auc(exact=True)
    ours, theirs = (
        scan.bootstrap_by_key("auc", n_resamples=40, random_state=1) for scan in (found, expected)
    )
    assert str(ours) == str(theirs)


@pytest.mark.parametrize("weight", [None, "w"])
def test_exact_areas(df: Any, weight: str | None) -> None:
    options = {"scores": ["s", "big"], "weight": weight, "segment": "seg"}
    keys = [("s", 0), ("big", 0), ("s", 2)]
    expected = MemoryTable.open(TABLE, **{**COLUMNS, **options}).exact_areas(keys)
    assert opened(df, **options).exact_areas(keys) == expected


def mapped(names: list[str], size: int) -> dict[tuple[str, int], BucketMap]:
    return {(name, 0): BucketMap.learn(TABLE[name].to_numpy()[::50], size) for name in names}


def test_never_more_rows_than_allowed(df: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = opened(df, scores=["f`` $", "s"])
    maps = mapped(["f`` $", "s"], 64)
    table.answer({key: [BucketCounts(found, Units())] for key, found in maps.items()})
    collected = []
    groups_of = SparkTable._groups_of

    def watched(self: SparkTable, tasks: Any, most: int, *given: Any) -> Any:
        found = groups_of(self, tasks, most, *given)
        collected.append((sum(g.score.size for g in found[1].values()), most))
        return found

    monkeypatch.setattr(SparkTable, "_groups_of", watched)
    wanted = {key: np.ones(found.size, bool) for key, found in maps.items()}
    # The first has 60,000 scores, or nearly; the second 10,000.
    tasks = {key: [BucketGroups(found, Units(), wanted[key], 12_000)] for key, found in maps.items()}
    answers = {key: answer for key, (answer,) in table.answer(tasks).items()}
    assert isinstance(answers["s", 0], Tally)
    assert answers["s", 0].pos.sum() == table.groups[0].n_pos
    sample = answers["f`` $", 0]
    assert isinstance(sample, np.ndarray)
    assert sample.dtype == np.float32
    assert 1000 < sample.size < 40_000
    assert np.isin(sample, TABLE["f`` $"].to_numpy()).all()
    assert np.unique(maps["f`` $", 0].locate(sample)).size > 50
    assert all(rows <= most + 1 for rows, most in collected)


@settings(max_examples=100)
@given(st.lists(st.integers(1, 4 * SMALL), min_size=1, max_size=6), st.integers(SMALL, 20 * SMALL))
def test_groups_share_what_may_be_collected(rows: list[int], budget: int) -> None:
    small = sum(size for size in rows if size <= SMALL)
    if small + sum(size > SMALL for size in rows) > budget:
        with pytest.raises(ValueError, match=r"collects at most .* too few for .* segments and folds"):
            spark_table.shares(rows, budget)
        return
    level = max(  # the slow way: the highest at which all fit
        level
        for level in range(1, 4 * SMALL + 1, 997)
        if small + sum(min(size, level) for size in rows if size > SMALL) <= budget
    )
    found = spark_table.shares(rows, budget)
    assert sum(found) <= budget
    for size, share in zip(rows, found, strict=True):
        assert share == size if size <= SMALL else min(size, level) <= share <= size


@pytest.mark.parametrize("limit", [300_000, 12_000])
def test_all_groups_together_send_few_rows(local_spark: Any, tmp_path: Path, limit: int) -> None:
    rng = np.random.default_rng(7)
    size = 160_000
    label = rng.random(size) < 0.3
    table = pa.table(
        {
            "label": np.where(label, "yes", "no"),
            "s": rng.normal(size=size) + label,
            "seg": np.array(["x", "y", "z"])[np.arange(size) % 3],
        }
    )
    options = {"scores": ["s"], "segment": "seg"}
    for i in range(2):
        pq.write_table(table.slice(i * size // 2, size // 2), tmp_path / f"{i}.parquet")
    found = opened(local_spark.read.parquet(str(tmp_path)), limit=limit, **options)
    sent, wanted, answer = [], [], found.answer

    def watched(tasks: Any) -> Any:
        wanted.append(sum(np.count_nonzero(t.wanted) for row in tasks.values() for t in row[:1]
                          if isinstance(t, BucketGroups)))  # fmt: skip
        answers = answer(tasks)
        sent.append(sum(a.score.size if isinstance(a, Tally) else a.size for row in answers.values()
                        for a in row[:1] if not isinstance(a, tuple)))  # fmt: skip
        return answers

    found.answer = watched  # type: ignore[method-assign]
    before = stages(local_spark)
    assert_same(found, table, **options)
    run = [stage for i, stage in stages(local_spark).items() if i not in before]
    shuffled = [stage.shuffleWriteRecords() for stage in run]
    assert len(sent) == 2 if limit == 300_000 else len(sent) > 2
    assert all(rows <= limit + buckets for rows, buckets in zip(sent, wanted, strict=True))
    # Counts in pieces of buckets, and samples: never the rows of a pass.
    assert max(shuffled) < size / 4
    if limit == 300_000:
        assert max(shuffled) == 0  # what was counted was so before
        assert sum(stage.inputRecords() for stage in run) <= size


def test_a_third_round(local_spark: Any, tmp_path: Path) -> None:
    # The sample cannot tell the scores apart that matter: half of them lie in a millionth of the axis.
    rng = np.random.default_rng(6)
    score = np.concatenate((rng.random(30_000), 0.5 + rng.random(30_000) * 2.0**-40))
    table = pa.table({"label": np.where(rng.random(60_000) < 0.2 + 0.5 * score, "yes", "no"), "s": score})
    found = opened(filed(local_spark, tmp_path, table), scores=["s"], limit=8_000)
    passes = []
    answer = found.answer
    found.answer = lambda tasks: passes.append(tasks) or answer(tasks)  # type: ignore[method-assign]
    assert_same(found, table, scores=["s"])
    assert len(passes) > 2


@pytest.mark.parametrize("weight", [None, "w", "whole"])
@pytest.mark.parametrize("share", [None, 2.0])
def test_rows_of_one_column_need_no_workers_if_they_are_few(
    local_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float | None, weight: str | None
) -> None:
    rng = np.random.default_rng(8)
    table = pa.table({
        "label": np.where(rng.random(60_000) < 0.3, "yes", "no"), "s": rng.normal(size=60_000),
        "w": rng.random(60_000), "whole": rng.integers(0, 3, 60_000),
    })  # fmt: skip
    found, condition, asked = filed(local_spark, tmp_path, table), spark_table.condition, []

    def known(columns: Any) -> Any:
        text, least = condition(columns) or ("TRUE", 1.0)
        return text, share or least

    def worked(*given: Any) -> Any:
        asked.append(given)
        return spark_session.worked(*given)

    monkeypatch.setattr(spark_table, "condition", known)
    monkeypatch.setattr(spark_table, "worked", worked)
    options = {"scores": ["s"], "weight": weight}
    assert_same(opened(found, limit=70_000, **options), table, **options)
    assert bool(asked) == (share is not None)


def test_a_source_that_changes(df: Any, local_spark: Any) -> None:
    table = opened(df, scores=["s"])
    table._rows = table._rows.limit(1000)
    with pytest.raises(RuntimeError, match=str(ChangedError())):
        scan_columns(table, 1e-3)
    table = opened(df, scores=["s"])
    table.answer({("s", 0): [BucketCounts(mapped(["s"], 16)["s", 0], Units())]})
    found = mapped(["s"], 16)["s", 0]  # another map: counted anew
    ((low, seen),) = table.answer({("s", 0): [LowestScores(found, Units(), np.ones(found.size, bool))]})[
        "s", 0
    ]
    score = TABLE["s"].to_numpy()
    expected = [score[found.locate(score) == b].min(initial=np.inf) for b in range(found.size)]
    assert seen.tolist() == np.isfinite(expected).tolist()
    assert low[seen > 0].tolist() == [x for x in expected if np.isfinite(x)]


def test_bad_input(df: Any, local_spark: Any) -> None:
    from pyspark.sql import functions as F

    for column, value, message in (
        ("s", float("nan"), "score column 's' has 1200 NaN in 60000 rows"),
        ("s", None, "column 's' has 1200 nulls in 60,000 rows"),
        ("label", None, "column 'label' has 1200 nulls"),
        ("label", "maybe", "label column 'label' must have two classes, but has 3"),
        ("fold", None, "column 'fold' has 1200 nulls"),
        ("w", -1.0, "weight column 'w' must be finite and not negative, but 1200 of 60000"),
        ("w", None, "column 'w' has 1200 nulls"),
        ("id", None, "column 'id' has 1200 nulls"),
    ):
        bad = F.pmod(F.col("big"), F.lit(100)) == 7
        changed = df.withColumn(column, F.when(bad, F.lit(value)).otherwise(F.col(column)))
        count = int(np.sum(TABLE["big"].to_numpy() % 100 == 7))
        with pytest.raises(ValueError, match=message.replace("1200", str(count))):
            opened(changed, scores=["s"], weight="w", fold="fold", key="id")
    for options, message in (
        ({"scores": ["none"]}, "table has no column 'none'; it has 'label', 's'"),
        ({"scores": ["seg"]}, "score column 'seg' must hold numbers, but has type string"),
        ({"where": "nothing > 1"}, "where='nothing > 1': "),
        ({"key": "w"}, "key column 'w' must hold integers or strings, but has type double"),
        ({"where": "s > 2"}, "table has no rows"),
        ({"where": "label = 'no'"}, "label column 'label' has one class only"),
        ({"pos_label": None}, "give pos_label to say which is positive"),
        ({"label": "big"}, "must have two classes|more than 131,072 values|give pos_label|does not occur"),
    ):
        with pytest.raises(ValueError, match=message):
            opened(df, **{"scores": ["s"], **options})


def test_only_the_rows_asked_for(df: Any) -> None:
    mask = TABLE["s"].to_numpy() > 0.5
    some = TABLE.filter(mask)
    assert_same(opened(df, scores=["s"], where="s > 0.5"), some, scores=["s"])


def test_labels_of_other_types(local_spark: Any) -> None:
    score = np.arange(1000) % 37
    for positive, pos_label in ((np.arange(1000) % 3 == 0, None), (np.arange(1000) % 2 * 2 - 1, None)):
        table = pa.table({"label": positive, "s": score.astype(np.int16)})
        assert_same(
            opened(local_spark.createDataFrame(table), scores=["s"], pos_label=pos_label),
            table.set_column(0, "label", pa.array(np.where(np.equal(positive, 1), "yes", "no"))),
            scores=["s"],
        )


def test_what_is_a_frame_of_spark(df: Any) -> None:
    assert spark_session.is_spark(df)
    assert not spark_session.is_spark(TABLE)
    assert not spark_session.is_spark("rows.parquet")


def test_java_is_looked_for(local_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyspark.sql import SparkSession

    assert spark_session.spark_session() is SparkSession.getActiveSession()
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert not spark_session.has_java()
    with pytest.raises(RuntimeError, match=r"needs Java, but none was found: install OpenJDK 17 or 21"):
        spark_session.spark_session()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not spark_session.has_java()
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    with pytest.raises(ImportError, match=r'pyspark is needed to use Spark; .* "rochull\[spark\]"'):
        spark_session.spark_session()


@pytest.mark.parametrize(
    ("master", "set_to", "environment", "used"),
    [
        ("local[2]", "python3", None, sys.executable),
        ("local[2]", "/own/python", None, "/own/python"),
        ("local[2]", "python3", "python3", "python3"),
        ("spark://host:7077", "python3", None, "python3"),
    ],
)
def test_workers_run_this_python(
    master: str, set_to: str, environment: str | None, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYSPARK_PYTHON", raising=False)
    if environment is not None:
        monkeypatch.setenv("PYSPARK_PYTHON", environment)
    context = SimpleNamespace(master=master, pythonExec=set_to)
    rows = SimpleNamespace(sparkSession=SimpleNamespace(sparkContext=context))
    rows.mapInArrow = lambda work, schema: context.pythonExec
    assert spark_session.worked(rows, None, "") == used
    assert context.pythonExec == set_to


@pytest.mark.long
def test_spark_works_from_cron(tmp_path: Path) -> None:
    pq.write_table(TABLE.select(["label", "s"]), tmp_path / "rows.parquet")
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYSPARK", "SPARK"))
    }
    environment |= {"PATH": os.defpath, "SPARK_LOCAL_IP": "127.0.0.1"}
    if "JAVA_HOME" not in environment:
        environment["JAVA_HOME"] = str(Path(shutil.which("java") or "").resolve().parent.parent)
    command = [str(Path(sys.executable).with_name("rochull")), "report", "rows.parquet", "--engine", "spark"]
    done = subprocess.run(
        [*command, "--label", "label", "--positive", "yes", "--score", "s"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_files(local_spark: Any, tmp_path: Path) -> None:
    table = TABLE.select(["label", "s"]).slice(0, 100)
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("label,s\nyes,0.5\nno,0.25\n")
    assert spark_session.spark_files(tmp_path / "*.parquet").count() == 100
    assert spark_session.spark_files(str(tmp_path / "a.csv")).toArrow()["s"].to_pylist() == [0.5, 0.25]
    assert rh.roc_hull is not None


def test_files_that_spark_cannot_read(local_spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    pq.write_table(TABLE.slice(0, 100), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"part\.parquet' cannot be read by Spark: \w.*[.!?]$"):
        rh.scan(path, label="y", scores="s", engine="spark")
    pq.write_table(TABLE.slice(0, 1000), path, write_page_checksum=True)
    damaged = bytearray(path.read_bytes())
    damaged[200] ^= 4
    path.write_bytes(damaged)
    with pytest.raises(
        ValueError, match=r"^Spark failed: file:\S*part\.parquet: could not verify .* CRC .*\.$"
    ):
        rh.scan(path, label="label", scores="s", pos_label="yes", engine="spark")
    with pytest.raises(FileNotFoundError, match=r"no file matches '.*none\.parquet'"):
        rh.scan(tmp_path / "none.parquet", label="y", scores="s", engine="spark")


def test_a_worker_that_dies_where_spark_does_not_try_again(local_spark: Any) -> None:
    def deadly(batches: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    df = local_spark.createDataFrame(TABLE.select(["label", "s"]).slice(0, 100))
    with pytest.raises(
        ValueError, match=r"^Spark failed: a worker died, .* while local\[N, 4\] .*try again\.$"
    ):
        opened(df.mapInArrow(deadly, df.schema), scores=["s"])


def test_memory_bounds_what_the_driver_collects(local_spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "part.parquet"
    pq.write_table(TABLE.slice(0, 100), path)
    limits = []
    for memory in ("64MB", None):
        scan = rh.scan(path, label="label", scores="s", pos_label="yes", engine="spark", memory=memory)
        limits.append(scan._scanned.table.limit)
    assert limits == [400_000, spark_table.LIMIT]
