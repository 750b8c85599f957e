"""The command line on tables larger than memory: the same numbers, and one clear error where it fails."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

import rochull as rh
from command_line import GERMAN, LABEL, Outcome, Run, saved_policy
from rochull._core.file_queries import TableFile
from rochull._core.parquet_beside import ParquetCopy, UnreadableError
from rochull._core.table_files import read_columns
from rochull._core.threads import Bar
from rochull.cli import report
from rochull.cli.interrupted import Interruption
from rochull.hull.refine import ChangedError
from rochull.scanning.engines import duckdb_decide, duckdb_rows

DATA = [GERMAN, *LABEL, "--score", "knn", "--score", "boosted"]
DUCKDB = ["--engine", "duckdb", "--memory", "200MB"]


@pytest.fixture(autouse=True)
def spill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of temporary files would be seen."""
    (tmp_path / "spill").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spill"))


def facts_of(run: Run, *arguments: str) -> dict[str, Any]:
    """Return the facts of a report."""
    done = run("report", *arguments, "-o", "facts.json")
    assert done.status == 0, done.err
    assert max(map(len, done.out.splitlines())) <= 80
    found: dict[str, Any] = json.loads(Path("facts.json").read_text(encoding="utf-8"))
    return found


def one_line(done: Outcome, message: str, *kept: str) -> None:
    """Check that a run failed with one line, and left nothing behind."""
    assert done.status == 1, done.err
    [line] = done.err.splitlines()
    assert line.startswith("rochull: ")
    assert message in line
    assert sorted(os.listdir()) == sorted(["spill", *kept])
    assert os.listdir("spill") == []


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# --- the same numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--cost-fn", "5"],
        ["--cost-fn", "5:50"],
        ["--max-fpr", "0.1"],
        ["--min-precision", "0.6", "--where", "age >= 30"],
        ["--max-fpr", "0.1", "--weight", "duration"],
    ],
)
def test_report(run: Run, options: list[str]) -> None:
    expected = facts_of(run, *DATA, *options)
    found = facts_of(run, *DATA, *options, *DUCKDB)
    assert found.pop("scan")["engine"] == "duckdb"
    assert expected.pop("scan") is None
    assert found.pop("command") == [*expected.pop("command"), *DUCKDB]
    assert found.pop("need") is None  # it takes the rows
    assert (expected.pop("need") is not None) == (options == ["--cost-fn", "5"])
    answers = found.pop("answer"), expected.pop("answer")
    assert answers[0]["headline"] == answers[1]["headline"]
    assert answers[0]["state"]["on"] == "here"  # for what is said of new cases takes the rows
    assert (answers[1]["state"]["on"] == "new") == (options in ([], ["--cost-fn", "5"]))
    assert found == expected


def test_report_by_fold_and_segment(run: Run) -> None:
    options = ["--cost-fn", "5", "--fold", "fold", "--segment", "job"]
    expected = facts_of(run, *DATA, *options)
    found = facts_of(run, *DATA, *options, *DUCKDB)
    folds = [facts["uncertainty"]["folds"] for facts in (found, expected)]
    assert folds[0]["n_folds"] == folds[1]["n_folds"] == 10
    for ours, theirs in zip(*(by["classifiers"] for by in folds), strict=True):
        assert ours["auc"] == pytest.approx(theirs["auc"], abs=1e-12)
    for name in ("fpr", "tpr", "expected_cost"):
        ours, theirs = (by["chosen"][name] for by in folds)
        assert ours == pytest.approx(theirs, abs=1e-12)
    ours, theirs = found["segments"], expected["segments"]
    assert ours["held_out" if "held_out" in ours else "n_folds"] is None
    for name in ("straight", "bent"):
        assert ours["points"][name] == pytest.approx(theirs["points"][name], abs=1e-12)
        assert ours["areas"][name] == pytest.approx(theirs["areas"][name], abs=1e-3)
    assert len(ours["rows"]) == len(theirs["rows"])
    for mine, other in zip(ours["rows"], theirs["rows"], strict=True):
        assert mine.pop("one") == pytest.approx(other.pop("one"), abs=1e-12)
        assert mine == pytest.approx(other, abs=1e-12)


def test_report_how_sure(run: Run) -> None:
    options = ["--cost-fn", "5", "--bootstrap", "200"]
    expected, found = (facts_of(run, *DATA, *options, *engine) for engine in ([], DUCKDB))
    boots = [facts["uncertainty"]["bootstrap"] for facts in (found, expected)]
    for name in ("fpr", "tpr", "expected_cost", "normalised_cost"):
        assert boots[0]["chosen"][name] == pytest.approx(boots[1]["chosen"][name], abs=1e-12)
    for ours, theirs in zip(*(boot["classifiers"] for boot in boots), strict=True):
        assert ours["auc"] == pytest.approx(theirs["auc"], abs=1e-12)
        for end in ("low", "high"):
            assert ours["auc_hull"][end] == pytest.approx(theirs["auc_hull"][end], abs=0.01)
    done = run("report", *DATA, *options, *DUCKDB, "--full")
    assert "share of replicates in which a classifier is on the hull need all rows" in " ".join(
        done.out.split()
    )


def test_report_page_and_policy(run: Run) -> None:
    done = run(
        "report", *DATA, "--max-fpr", "0.1", *DUCKDB, "--segment", "job", "-o", "r.html", "--policy", "p.json"
    )
    assert done.status == 0, done.err
    assert "Scanned by duckdb: 1,000 rows." in Path("r.html").read_text(encoding="utf-8")
    found = rh.segments.SegmentPolicy.load("p.json")
    done = run("report", *DATA, "--max-fpr", "0.1", "--segment", "job", "--policy", "p.json")
    assert done.status == 0, done.err
    expected = rh.segments.SegmentPolicy.load("p.json")
    ours, theirs = found.to_dict(), expected.to_dict()
    assert {name for name in ours if ours[name] != theirs[name]} <= {"about", "checksum", "salt"}
    assert [axis["column"] for axis in ours["bins"]["axes"]] == ["job"]
    assert run("report", *DATA, "--max-fpr", "0.1", *DUCKDB, "--policy", "p.json").status == 0
    whole = rh.Hybrid.from_table(GERMAN, label="class", scores=["knn", "boosted"], pos_label="bad")
    assert rh.Policy.load("p.json").hull.owners == whole.hull.owners


def test_the_engine_is_chosen_by_size(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Scanned" not in run("report", *DATA, "--full").out
    monkeypatch.setattr(duckdb_rows.FileRows, "size", lambda self: 1 << 50)
    assert "Scanned by duckdb" in run("report", *DATA, "--full").out
    done = run("report", *DATA, "--cluster", "age", "--bootstrap", "40")
    assert (done.status, done.err) == (
        2, "rochull: --cluster needs all rows in memory, and --engine duckdb never has them there; give "
        "--engine memory.\n",
    )  # fmt: skip


def test_areas_are_bounded_or_exact(run: Run) -> None:
    with duckdb.connect() as connection:
        scores = "round(sin(i) + (i % 3 = 0)::INT / 3, 6)"
        connection.execute(
            f"COPY (SELECT i % 3 = 0 AS y, {scores} AS s FROM range(200000) t(i)) TO 'rows.parquet'"
        )
    columns = ["rows.parquet", "--label", "y", "--score", "s"]
    expected = facts_of(run, *columns)["classifiers"][0]
    bounded, exact = (facts_of(run, *columns, *DUCKDB, *more) for more in ([], ["--exact-auc"]))
    area = bounded["scan"]["areas"]["s"]
    assert area["low"] <= expected["auc"] <= area["high"] < area["low"] + 1e-4
    assert exact["classifiers"][0]["auc"] == expected["auc"]
    assert exact["classifiers"][0]["hull"] == expected["hull"] == bounded["classifiers"][0]["hull"]


# --- decide ----------------------------------------------------------------------------------------


@pytest.fixture
def policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A policy of two classifiers."""
    return saved_policy(tmp_path_factory.mktemp("policy"), ["knn", "boosted"])


def tables() -> None:
    """Write the German credit scores with a key, some scores missing, in three formats."""
    with duckdb.connect() as connection:
        query = (
            f"SELECT * REPLACE (CASE WHEN age = 30 THEN NULL ELSE boosted END AS boosted), "
            f"'case ' || row_number() OVER () AS id FROM '{GERMAN}'"
        )
        for name in ("in.parquet", "in.csv", "in.tsv"):
            options = "(DELIMITER '\t')" if name == "in.tsv" else ""
            connection.execute(f"COPY ({query}) TO '{name}' {options}")


@pytest.mark.parametrize("source", ["in.parquet", "in.csv", pytest.param("in.tsv", marks=pytest.mark.long)])
@pytest.mark.parametrize("output", ["out.parquet", pytest.param("out.csv", marks=pytest.mark.long)])
def test_decide(run: Run, policy: str, source: str, output: str) -> None:
    tables()
    for options in (["--max-fpr", "0.1", "--key", "id"], ["--cost-fn", "5", "--prevalence", "0.3"]):
        found = []
        for engine in (["--engine", "memory"], DUCKDB):
            done = run("decide", policy, source, *options, *engine, "-o", output)
            assert done.status == 0, done.err
            assert "scores['boosted'] has 40 missing values" in done.err
            columns = read_columns(output, ["id", "decision"])
            found.append((columns["id"].tolist(), columns["decision"].tolist(), done.out.splitlines()[-2]))
        assert found[0] == found[1]


def test_decide_from_csv_to_csv_copies_the_text(run: Run, policy: str) -> None:
    Path("in.csv").write_text("id,number_0,boosted\n007,x,0.90\n008,,1e-1\n", encoding="utf-8")
    done = run("decide", policy, "in.csv", "--max-fpr", "0.1", "--deterministic", *DUCKDB, "-o", "out.csv")
    assert done.status == 0, done.err
    assert Path("out.csv").read_text() == "id,number_0,boosted,decision\n007,x,0.90,true\n008,,1e-1,false\n"


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (
            ["--max-fpr", "0.1"],
            2,
            "a randomised rule without --key or --deterministic needs all rows in memory",
        ),
        (["--cases", "5"], 2, "--cases needs all rows in memory"),
        (["--max-fpr", "0.1", "--key", "nope"], 1, "has no column 'nope'"),
        (["--max-fpr", "0.1", "--key", "hole"], 1, "key has 1 missing value: every case needs its own"),
        (["--max-fpr", "0.1", "--key", "id", "-o", "in.csv"], 1, "is also the table that is read"),
    ],
)
def test_decide_refuses(run: Run, policy: str, options: list[str], status: int, message: str) -> None:
    lines = "id,hole,boosted,knn\n1,1,0.5,0.5\n2,,0.1,0.2\n"
    Path("in.csv").write_text(lines, encoding="utf-8")
    output = [] if "-o" in options else ["-o", "out.csv"]
    done = run("decide", policy, "in.csv", *options, *DUCKDB, *output)
    assert (done.status, len(done.err.splitlines())) == (status, 1), done.err
    assert message in done.err
    assert sorted(os.listdir()) == ["in.csv", "spill"]
    assert Path("in.csv").read_text(encoding="utf-8") == lines


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_prevalence_is_estimated_from_counts_as_from_rows(run: Run, policy: str, suffix: str) -> None:
    gone = "CASE WHEN random() < 0.1 THEN NULL ELSE boosted END"
    duckdb.sql("SELECT setseed(0.5)")
    duckdb.sql(f"COPY (SELECT * REPLACE ({gone} AS boosted) FROM '{GERMAN}') TO 'in.{suffix}'")
    found = []
    for options in (["--engine", "memory"], DUCKDB):
        out = f"out.{suffix}"
        asked = ["--cost-fn", "5", "--prevalence", "estimate", "--deterministic", "-o", out]
        done = run("decide", policy, f"in.{suffix}", *asked, *options)
        assert done.status == 0, done.err
        said = [line for line in done.out.splitlines() if line.startswith(("Estimated", "Condition", "Rule"))]
        found.append((said, duckdb.sql(f"SELECT decision FROM '{out}'").fetchall()))
    assert found[0] == found[1]
    assert found[0][0][0].startswith("Estimated from these scores: prevalence 0.")


def test_a_prevalence_is_estimated_by_duckdb_where_arrow_cannot_read(
    run: Run, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["decide", policy, GERMAN, "--cost-fn", "5", "--prevalence", "estimate", "--deterministic"]
    expected = run(*asked, *DUCKDB, "-o", "out.parquet")

    def unread(*args: object, **how: object) -> Iterator[Any]:
        yield from ()
        raise UnreadableError

    monkeypatch.setattr(ParquetCopy, "batches", unread)
    found = run(*asked, *DUCKDB, "-o", "out.parquet")
    assert found.out.split("Log:")[0] == expected.out.split("Log:")[0]


def test_a_prevalence_needs_numbers(run: Run, policy: str) -> None:
    duckdb.sql(f"COPY (SELECT * REPLACE ('x' AS boosted) FROM '{GERMAN}') TO 'in.parquet'")
    asked = ["--cost-fn", "5", "--prevalence", "estimate", *DUCKDB, "-o", "out.parquet"]
    done = run("decide", policy, "in.parquet", *asked)
    assert done.status == 1
    assert "must be numeric, but has type VARCHAR" in done.err


def test_decide_needs_columns_and_numbers(run: Run, policy: str) -> None:
    done = run("decide", policy, GERMAN, "--max-fpr", "0.1", "--key", "knn", *DUCKDB, "-o", "out.csv")
    one_line(done, "key must hold integers or strings, but has type FLOAT.")
    for lines, message in (
        ("knn\n1\n", "has no column 'boosted'"),
        ("boosted\nx\n", "scores['boosted'] must be numeric, but has type VARCHAR."),
        ("boosted,decision\n1,1\n", "already has a column 'decision'"),
        ("boosted\n", "has no rows"),
        ("boosted\n1e400\n", "column 'boosted': the number 1e400 is beyond the range of float64"),
    ):
        Path("in.csv").write_text(lines, encoding="utf-8")
        for engine in (DUCKDB, []) if "1e400" in lines else (DUCKDB,):
            limit = ["--max-fpr", "0.1", "--deterministic"]
            done = run("decide", policy, "in.csv", *limit, *engine, "-o", "out.csv")
            one_line(done, message, "in.csv")


def test_decide_shows_how_far_it_is(run: Run, policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tables()
    steps: list[int] = []

    class Followed(Bar):
        def over(self, steps_: range) -> Iterator[int]:
            for step in steps_:
                steps.append(step)
                yield step

    class Slow:
        """A connection that tells its progress."""

        def __init__(self) -> None:
            self.asked = 0

        def query_progress(self) -> float:
            self.asked += 1
            return min(100.0, 10.0 * self.asked)

    slow = Slow()
    with duckdb_decide._watched(slow, Followed("deciding")):
        while slow.asked < 3:
            time.sleep(0.01)
    assert 150 <= len(steps) <= 1000


# --- how it fails ----------------------------------------------------------------------------------


def test_a_truncated_file(run: Run) -> None:
    whole = Path(GERMAN).read_bytes()
    Path("cut.parquet").write_bytes(whole[: len(whole) // 2])
    for engine in (DUCKDB, ["--engine", "memory"], []):
        done = run("report", "cut.parquet", *DATA[1:], *engine, "-o", "r.html")
        one_line(done, "'cut.parquet' cannot be read: ", "cut.parquet")
    Path("whole.parquet").write_bytes(whole)
    done = run("report", "*.parquet", *DATA[1:], *DUCKDB, "-o", "r.html")
    one_line(done, "cut.parquet", "cut.parquet", "whole.parquet")


def test_missing_columns_and_files(run: Run) -> None:
    for words in (["--score", "nope"], ["--weight", "nope"], ["--fold", "nope"], ["--segment", "nope"]):
        one_line(
            run("report", *DATA, *words, *DUCKDB, "-o", "r.html"), "has no column 'nope'; it has 'checking"
        )
    one_line(run("report", "no*.csv", *DATA[1:], *DUCKDB, "-o", "r.html"), "there is no file 'no*.csv'.")


def test_three_labels(run: Run) -> None:
    Path("t.csv").write_text("y,s\n0,0.1\n1,0.5\n2,0.3\n", encoding="utf-8")
    words = ["t.csv", "--label", "y", "--score", "s", *DUCKDB, "-o", "r.html"]
    one_line(run("report", *words), "label column 'y' must have two classes, but has 3: 0, 1, 2", "t.csv")
    one_line(
        run("report", *words, "--positive", "1"), "label column 'y' must have two classes, but has 3", "t.csv"
    )


def test_nan_far_down(run: Run) -> None:
    with duckdb.connect() as connection:
        score = "CASE WHEN i = 10000000 THEN 'nan'::FLOAT ELSE (i % 7)::FLOAT END"
        connection.execute(
            f"COPY (SELECT i % 3 = 0 AS y, {score} AS s FROM range(10000100) t(i)) TO 'n.parquet'"
        )
    done = run(
        "report", "n.parquet", "--label", "y", "--score", "s", *DUCKDB, "-o", "r.html", "--policy", "p.json"
    )
    one_line(done, "score column 's' has 1 NaN in 10,000,100 rows.", "n.parquet")


def test_nulls(run: Run) -> None:
    Path("t.csv").write_text("y,s\n0,0.1\n1,\n1,0.3\n", encoding="utf-8")
    done = run("report", "t.csv", "--label", "y", "--score", "s", *DUCKDB, "-o", "r.html")
    said = """'s' has 1 null in 3 rows; leave those rows out first, with --where '"s" IS NOT NULL'."""
    one_line(done, said, "t.csv")


def test_no_room_to_spill(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i % 3 = 0 AS y, hash(i)::DOUBLE AS s FROM range(6000000) t(i)) TO 'n.parquet'"
        )
    opened = duckdb_rows.private

    @contextmanager
    def small(memory: int | None) -> Iterator[Any]:
        with opened(memory) as (connection, directory):
            connection.execute("SET max_temp_directory_size = '1MB'")
            yield connection, directory

    monkeypatch.setattr(duckdb_rows, "private", small)
    options = ["--engine", "duckdb", "--memory", "128MB", "--exact-auc", "-o", "r.html"]
    done = run("report", "n.parquet", "--label", "y", "--score", "s", *options)
    one_line(done, "no room on the disk to sort 'n.parquet'", "n.parquet")


def test_no_room_for_the_output(run: Run, policy: str) -> None:
    tables()
    with largest_file(20_000):
        page = run("report", *DATA, *DUCKDB, "-o", "r.html")
        table = run("decide", policy, "in.csv", "--max-fpr", "0.1", "--key", "id", *DUCKDB, "-o", "out.csv")
    assert page.status == table.status == 1
    assert "rochull: r.html: File too large.\n" in page.err  # kernels that are compiled now cannot be kept
    assert "out.csv" in table.err
    assert sorted(os.listdir()) == ["in.csv", "in.parquet", "in.tsv", "spill"]


def test_a_source_that_changes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*_: object, **__: object) -> None:
        raise ChangedError

    monkeypatch.setattr("rochull.scanning.scanned.scan_columns", changed)
    one_line(run("report", *DATA, *DUCKDB, "-o", "r.html"), "the source changed between two scans")


def test_too_little_memory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def little(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rochull.scanning.scanned.scan_columns", little)
    one_line(run("report", *DATA, *DUCKDB, "-o", "r.html"), "not enough memory; allow more by --memory.")
    for text in ("lots", "-1", "2XB", "1KB"):
        done = run("report", *DATA, "--engine", "duckdb", "--memory", text)
        assert done.status in (1, 2)
        assert "--memory" in done.err


def test_memory_is_a_limit_for_every_engine(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("report", *DATA, "--engine", "memory", "--memory", "1GB", "-o", "r.html").status == 0
    monkeypatch.setattr("rochull.scanning.engines.duckdb_rows.FileRows.size", lambda _: 3 * 10**9)
    done = run("report", *DATA, "--engine", "memory", "--memory", "1GB", "-o", "s.html")
    assert done.status == 2
    assert (
        "--engine memory would read about 3 GB, but --memory is 1GB; allow more, or leave --engine"
        in done.err
    )
    assert run("report", *DATA, "--engine", "paper").status == 2


def test_spark_without_java(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rochull.scanning.engines.spark_session.has_java", lambda: False)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    done = run("report", *DATA, "--engine", "spark", "-o", "r.html")
    one_line(done, "--engine 'spark' needs Java, but none was found: install OpenJDK 17 or 21")


def test_spark_without_pyspark(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    done = run("report", *DATA, "--engine", "spark", "-o", "r.html")
    one_line(done, 'pyspark is needed to use Spark; install it with: pip install "rochull[spark]"')


def test_spark_says_it_in_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    error = type("AnalysisException", (Exception,), {"__module__": "pyspark.errors"})

    def fails(*_: object, **__: object) -> None:
        raise error("[PATH_NOT_FOUND] Path does not exist: x.\nJVM stacktrace: ...")

    monkeypatch.setattr("rochull.scanning.scanner.open_table", fails)
    one_line(
        run("report", *DATA, "--engine", "spark", "-o", "r.html"), "[PATH_NOT_FOUND] Path does not exist"
    )


# --- Ctrl-C ----------------------------------------------------------------------------------------

# What a shell starts in the background ignores Ctrl-C, and so would what it starts.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"


@pytest.fixture
def listening() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listening")
def test_an_interrupt_that_a_library_swallows(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = report._from_memory

    def swallowing(*given: Any) -> Any:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        except KeyboardInterrupt:
            pass
        return made(*given)

    monkeypatch.setattr(report, "_from_memory", swallowing)
    before = signal.getsignal(signal.SIGINT)
    done = run("report", *DATA, "-o", "r.html")
    assert (done.status, done.err.splitlines()[-1]) == (130, "rochull: interrupted.")
    assert os.listdir() == ["spill"]
    assert signal.getsignal(signal.SIGINT) is before
    monkeypatch.setattr(report, "_from_memory", made)
    assert (
        run("report", *DATA, "--engine", "memory", "--label", "nope").status == 1
    )  # and then it is forgotten


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interrupt_in_a_query(run: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def interrupted(*_: object, **__: object) -> None:
        Interruption.pressed = True
        raise error

    monkeypatch.setattr("rochull.scanning.scanned.scan_columns", interrupted)
    done = run("report", *DATA, *DUCKDB, "-o", "r.html")
    assert (done.status, done.err) == (130, "rochull: interrupted.\n")
    assert os.listdir() == ["spill"]


@pytest.mark.long
def test_interrupted_while_it_scans(tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "COPY (SELECT i % 3 = 0 AS y, hash(i)::DOUBLE AS s FROM range(8000000) t(i)) TO "
            f"'{tmp_path}/n.parquet'"
        )
    code = (
        LISTEN + "import sys, rochull.scanning.engines.duckdb_table as t; from rochull.cli.app import main\n"
        "answer = t.DuckDBTable.answer\n"
        "def loud(*given): print('scanning', flush=True); return answer(*given)\n"
        "t.DuckDBTable.answer = loud; sys.exit(main())"
    )
    words = [
        "report",
        "n.parquet",
        "--label",
        "y",
        "--score",
        "s",
        *DUCKDB,
        "-o",
        "r.html",
        "--policy",
        "p.json",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=os.environ | {"TMPDIR": str(tmp_path / "spill")},
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "scanning\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err.splitlines()[-1]) == (130, "rochull: interrupted.")
    assert sorted(os.listdir(tmp_path)) == ["n.parquet", "spill"]
    assert [str(path) for path in (tmp_path / "spill").rglob("*")] == []


def test_what_lacks_memory_is_the_table_and_not_the_output(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, rows = saved_policy(tmp_path, ["knn"]), TableFile.rows

    def full(self: TableFile, query: str) -> list[tuple[Any, ...]]:
        if ".partial" in query and query.startswith("SELECT"):
            raise self._explained(duckdb.OutOfMemoryException("Out of Memory Error: too large"))
        return rows(self, query)

    monkeypatch.setattr(TableFile, "rows", full)
    done = run("decide", policy, GERMAN, "--max-fpr", "0.1", "--deterministic", *DUCKDB, "-o", "o.csv")
    assert (done.status, "o.csv" in done.err) == (1, False)
    assert f"not enough memory to read '{GERMAN}'" in done.err
