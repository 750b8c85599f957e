"""What is printed: for programs in UTF-8 or not at all, for people without signs that steer a terminal."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import GERMAN, LABEL, Run
from rochull._core import extras, printable, threads
from rochull.cli import entry
from rochull.cli.app import main
from signals import Field

NAME = "\u03a9mega \u00df\u20ac"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    made = rh.Policy.from_hull(
        rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]).named(NAME), salt="\u00df\u20ac"
    )
    made.save(tmp_path / "policy.json")
    return tmp_path / "policy.json"


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-16"])
def test_sql_is_utf_8(policy: Path, encoding: str) -> None:
    words = ["sql", policy, "--dialect", "duckdb", "--max-fpr", "0.25", "--key", NAME]
    found = subprocess.run(
        [sys.executable, "-c", "from rochull.cli import main; main()", *words],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
    )
    text = rh.Policy.load(policy).to_sql(rh.NeymanPearson(0.25), "duckdb", key=NAME)
    assert found.stdout.decode() == f"{text}\n"


def test_a_closed_output_is_an_error(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["sql", str(policy), "--dialect", "duckdb", "--max-fpr", "0.25", "--deterministic"]) == 1
    said = "rochull: there is no standard output to print to: it is closed.\n"
    assert capsys.readouterr().err == said


def test_names_that_are_no_text_are_refused(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(policy), "--dialect", "duckdb", "--max-fpr", "0.25", "--key"]
    assert main(["sql", *given, "k\udcff"]) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "rochull: '\\udcff' is not text in UTF-8.\n")


def test_what_is_printed_cannot_steer_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "a\x1b]0;title\x07\u202eb\n\x9b31m"
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    pq.write_table(pa.table({"y": np.arange(60) % 2, evil: rng.random(60)}), "t.parquet")
    target = f"{evil}.parquet".replace("/", "")
    for words in (
        [
            "report",
            "t.parquet",
            "--label",
            "y",
            "--score",
            evil,
            "--max-fpr",
            "0.3",
            "--policy",
            f"{evil}.json",
        ],
        ["decide", f"{evil}.json", "t.parquet", "--max-fpr", "0.3", "--deterministic", "-o", target],
        [
            "calibrate",
            "t.parquet",
            "--label",
            "y",
            "--score",
            evil,
            "-o",
            f"{evil}c.parquet",
            "--prefix",
            evil,
        ],
    ):
        assert main(words) == 0
        captured = capsys.readouterr()
        assert not {c for c in captured.out + captured.err if not c.isprintable()} - {"\n"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["report", "t\udcff.parquet", "--label", "y", "--score", "s"], "is a name that is not UTF-8"),
        (
            ["report", "t.parquet", "--label", "y", "--score", "s", "--memory", "9" * 44],
            "--memory is 1e+44 bytes",
        ),
        (
            ["report", "t.parquet", "--label", "y", "--score", "s", "--memory", "9" * 400],
            "--memory is inf bytes",
        ),
        (
            ["report", "t.parquet", "--label", "y", "--score", "s", "-o", "x.json", "--policy", "./x.json"],
            "--output and --policy are both",
        ),
    ],
)
def test_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"y": [0, 1], "s": [0.1, 0.2]}), "t.parquet")
    assert main(words) in (1, 2)
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def _raising(error: BaseException) -> Any:
    def call(*_: object, **__: object) -> None:
        raise error

    return call


def test_no_memory_is_said(
    policy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rh.Policy, "from_dict", _raising(MemoryError("Unable to allocate 745. GiB")))
    assert main(["sql", str(policy), "--dialect", "duckdb", "--max-fpr", "0.25"]) == 1
    said = "rochull: there is not enough memory. Unable to allocate 745. GiB\n"
    assert capsys.readouterr().err == said
    monkeypatch.setattr(printable, "_escaped", _raising(MemoryError()))  # nor for what says it
    assert main(["sql", str(policy), "--dialect", "duckdb", "--max-fpr", "0.25"]) == 1
    assert capsys.readouterr().err == said


def test_ctrl_c_while_importing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(extras, "installed", _raising(KeyboardInterrupt()))
    assert entry.main([]) == 130
    assert capsys.readouterr().err == "rochull: interrupted.\n"


class Defined:
    """What sends a signal to its process while a class is defined: Python 3.11 makes a RuntimeError of it."""

    def __init__(self, sent: signal.Signals) -> None:
        self.sent = sent

    def __set_name__(self, owner: type, name: str) -> None:
        signal.raise_signal(self.sent)


def defining(sent: signal.Signals) -> None:
    """Define a class in the middle of which a signal comes."""
    type("Class", (), {"field": Defined(sent)})


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("how", ["defining", "cause", "context"])
def test_a_signal_that_became_another_error(
    policy: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sent: signal.Signals,
    how: str,
) -> None:
    def load(*_: object) -> None:
        if how == "defining":
            defining(sent)
        try:
            signal.raise_signal(sent)
        except KeyboardInterrupt as error:
            if how == "cause":
                raise ValueError("what became of it") from error
            raise RuntimeError("what came after it")  # noqa: B904 - it has a context, and no cause

    monkeypatch.setattr(rh.Policy, "from_dict", load)
    assert main(["sql", str(policy), "--dialect", "duckdb", "--max-fpr", "0.25"]) == 128 + sent
    assert capsys.readouterr().err == "rochull: interrupted.\n"


def test_a_signal_while_importing_that_became_another_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extras, "installed", lambda *_: defining(signal.SIGINT))
    assert entry.main([]) == 130
    assert capsys.readouterr().err == "rochull: interrupted.\n"
    monkeypatch.setattr(extras, "installed", _raising(RuntimeError("a bug")))
    with pytest.raises(RuntimeError, match="a bug"):
        entry.main([])


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_after_the_work_is_done(sent: signal.Signals) -> None:
    """What is left is to shut down: the status is that of the work, and nothing is said."""
    code = f"""
import atexit, os, sys
atexit.register(os.kill, os.getpid(), {int(sent)})
from rochull.cli import main
sys.argv[1:] = ["--version"]
status = main()
os.kill(os.getpid(), {int(sent)})
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"rochull {rh.__version__}\n", "")


@pytest.mark.parametrize("where", ["rochull.cli.interrupted", "rochull._core.extras"])
def test_ctrl_c_before_anything_listens(
    where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Finder:
        def find_spec(self, name: str, *_: object) -> None:
            if name == where:
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, where)
    monkeypatch.setattr(sys, "meta_path", [Finder(), *sys.meta_path])
    assert entry.main([]) == 130
    assert capsys.readouterr().err == "rochull: interrupted.\n"


@pytest.mark.long
@pytest.mark.parametrize("module", ["numpy.exceptions", "numpy.lib", "rochull.policies.policy"])
def test_a_signal_while_numpy_is_loaded(policy: Path, module: str) -> None:
    """NumPy's compiled part cannot be loaded twice, so what says that it was interrupted must not need it."""
    code = f"""
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGTERM)
sys.meta_path.insert(0, Finder())
from rochull.cli import main
sys.exit(main(["sql", sys.argv[1], "--dialect", "duckdb", "--max-fpr", "0.25"]))
"""
    done = subprocess.run([sys.executable, "-c", code, policy], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "rochull: interrupted.\n")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_duckdb_is_loaded(policy: Path, tmp_path: Path, sent: signal.Signals) -> None:
    """DuckDB's compiled part makes its enumerations by Python code, and aborts the process where that raises."""
    (tmp_path / "t.csv").write_text(f"{NAME}\n0.5\n", encoding="utf-8")
    code = f"""
import enum, os, sys
from rochull.cli import main
makes = enum.EnumType._find_data_repr_
def interrupted(*arguments):
    if "duckdb" in sys.modules:
        os.kill(os.getpid(), {int(sent)})
    return makes(*arguments)
enum.EnumType._find_data_repr_ = interrupted
sys.exit(main(["decide", *sys.argv[1:], "--max-fpr", "0.25", "--deterministic", "--engine", "duckdb"]))
"""
    command: list[str | Path] = [
        sys.executable,
        "-c",
        code,
        policy,
        tmp_path / "t.csv",
        "-o",
        tmp_path / "d.csv",
    ]
    done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    assert (done.returncode, done.stderr) == (128 + sent, "rochull: interrupted.\n")
    assert not (tmp_path / "d.csv").exists()


@pytest.mark.long
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_signals_leave_nothing(tmp_path: Path, sent: signal.Signals) -> None:
    """Whenever it comes: before, while or after the rows are written."""
    rng, size = np.random.default_rng(0), 400_000
    rows = tmp_path / "t.parquet"
    pq.write_table(pa.table({"s": rng.random(size), "text": [f"{i:0100d}" for i in range(size)]}), rows)
    rh.Policy.from_hull(rh.roc_hull([1, 0], [0.5, 0.0]).named("s")).save(tmp_path / "p.json")
    (tmp_path / "spill").mkdir()
    words = ["decide", tmp_path / "p.json", rows, "--max-fpr", "0.5", "--deterministic", "--engine", "duckdb"]
    for delay in (0.8, 1.4, 2.0, 2.6):
        started = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import sys; from rochull.cli import main; sys.exit(main())",
                *words,
                "-o",
                tmp_path / "d.csv",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(tmp_path / "spill")},
        )
        time.sleep(delay)
        started.send_signal(sent)
        _, said = started.communicate(timeout=60)
        assert started.returncode in (0, 128 + sent, -sent), said
        assert {path.name for path in tmp_path.iterdir()} <= {"t.parquet", "p.json", "spill", "d.csv"}
        assert list((tmp_path / "spill").iterdir()) == []


@pytest.mark.long
def test_signals_at_random_moments(tmp_path: Path) -> None:
    """Three of the 200 on the page of evidence: outputs are whole or as they were, and nothing else changes."""
    field = Field(tmp_path, rows=2_000)
    with closing(field):
        assert [field.attack(seed) for seed in range(3)] == [None] * 3


@pytest.mark.parametrize("terminal", [False, True])
def test_what_takes_long_is_told_where_no_bar_can_be_seen(
    terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clock is ours: the two seconds are over at once."""

    class Timer(threading.Timer):
        def start(self) -> None:
            self.function(*self.args, **self.kwargs)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(threads.threading, "Timer", Timer)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    level = logging.getLogger("rochull").level
    words = ["report", GERMAN, *LABEL, "--score", "knn", "--engine", "duckdb"]
    assert main(words) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    told = "rochull: pass over the table, columns and groups of rows: 1 ..."
    assert {*said} == (set() if terminal else {told})
    assert logging.getLogger("rochull").level == level


def test_a_name_that_another_column_has_is_refused_by_every_command(run: Run) -> None:
    """DuckDB calls the second of them a_1, and would take the first for either."""
    columns = [[0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], [9.0, 8.0, 7.0, 8.5], [3.0, 4.0, 5.0, 6.0]]
    pq.write_table(pa.table(columns, names=["y", "A", "a", "b"]), "t.parquet")
    rh.Policy.from_hull(rh.roc_hull([0, 1], [1.0, 2.0]).named("b")).save("b.json")
    both = ["--label", "y", "--score", "a"]
    commands: list[list[str]] = [
        ["report", "t.parquet", *both],
        ["report", "t.parquet", *both, "--engine", "duckdb"],
        ["report", "t.parquet", "--label", "y", "--score", "b", "--where", "a > 0"],
        ["calibrate", "t.parquet", *both, "--model", "m.json"],
        ["cascade", "t.parquet", *both, "--score", "b", "--price", "b=0.1", "--cost-fn", "2"],
        ["multiclass", "t.parquet", "--label", "y", "--score", "0=a", "--score", "1=b"],
        *(
            ["decide", "b.json", "t.parquet", "--cost-fn", "2", "-o", "o.parquet", "--engine", engine, *more]
            for engine in ("memory", "duckdb")
            for more in ([], ["--column", "b=a"])
        ),
    ]
    for words in commands:
        done = run(*words)
        assert done.status in (1, 2), words
        assert "columns 'A' and 'a', which differ in capitals alone" in done.err, words
    assert not Path("o.parquet").exists()
