"""``rochull cascade``, and its policy in ``decide`` and ``sql``: as Python has it, from CSV to SQL."""

from __future__ import annotations

import csv
import errno
import functools
import os
import threading
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import rochull as rh
from cascade_cases import scored
from command_line import Run
from rochull._core import threads
from rochull._core.validation import Array
from rochull.cli import app

COSTS = ["--cost-fp", "1", "--cost-fn", "2"]
CONDITION = rh.ExpectedCost(1, 2, 0.3)
STATED = [*COSTS, "--prevalence", "0.3"]


def written(path: str, table: dict[str, Any]) -> str:
    rows = zip(*(c.tolist() if isinstance(c, np.ndarray) else c for c in table.values()), strict=True)
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([list(table), *rows])
    return path


def data(seed: int, n: int = 800) -> tuple[dict[str, Array], Array]:
    return scored(seed, n)


def learnt(run: Run, *more: str) -> Any:
    X, y = data(0)
    table = written("old.csv", {"id": np.arange(y.size), "outcome": np.where(y == 1, "bad", "good"), **X})
    words = ["--label", "outcome", "--positive", "bad", "--score", "cheap", "--score", "dear"]
    return run("cascade", table, *words, "--price", "dear=0.1", "--folds", "2", "--policy", "c.json", *more)


@functools.cache
def document() -> str:
    X, y = data(0)
    made = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=5, shrinkage=100)
    return made.fit(X, y).policy().to_json()


@pytest.mark.long
def test_a_full_disk_leaves_what_was_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("c.png").write_text("as it was")

    def write_bytes(self: Path, data: bytes) -> None:
        with self.open("wb") as file:
            file.write(data[:9])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    done = learnt(run, *COSTS, "--max-calls", "0", "-o", "c.png")
    assert (done.status, done.err) == (1, "rochull: c.png: No space left on device.\n")
    assert {path.name for path in Path().iterdir()} == {"c.png", "old.csv"}
    assert Path("c.png").read_text() == "as it was"


@pytest.mark.long
def test_it_prints_what_python_measures_and_writes_what_python_learns(run: Run) -> None:
    done = learnt(run, *COSTS, "--max-calls", "0.2", "-o", "c.png")
    assert (done.status, done.err) == (0, "")
    X, y = data(0)
    made = rh.Cascade({"cheap": 0, "dear": 0.1}, cv=2)
    trial = made.held_out(X, y, rh.ExpectedCost(1, 2), max_calls=0.2)
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert f"No --prevalence given: the table's own, {y.mean():.4g}, was used." in lines
    shown = {line.split("  ")[0]: line.split() for line in lines}
    assert shown["cheap alone"][-1] == f"{trial.alone['cheap']:.4f}"
    assert shown["dear alone"][-1] == f"{trial.alone['dear']:.4f}"
    assert shown["all for every case"][-1] == f"{trial.all:.4f}"
    ours = shown["cascade, at most 0.2 calls per case"]
    assert ours[-2:] == [f"{trial.cost[0]:.4f}", f"{trial.asked[0]['dear']:.1%}"]
    loaded = rh.cascades.CascadePolicy.load("c.json")
    assert loaded.about["table"] == "old.csv"
    assert str(loaded.at(CONDITION)) == str(made.fit(X, y).at(CONDITION))
    assert Path("c.png").stat().st_size > 5000


@pytest.mark.long
@pytest.mark.usefixtures("run")
def test_what_takes_minutes_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The clock is ours: the two seconds are over at once."""

    class Timer(threading.Timer):
        def start(self) -> None:
            self.function(*self.args, **self.kwargs)

    monkeypatch.setattr(threads.threading, "Timer", Timer)
    learnt(lambda *words: app.main([*words]), *COSTS, "--max-calls", "0.2")
    told = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert told[0] == "rochull: costs held out, fold by fold ..."
    assert told[-1] == "rochull: learning the cascade from all rows ..."


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_policy_decides_says_who_is_asked_and_needs_no_other_score(run: Run, engine: str) -> None:
    Path("c.json").write_text(document(), encoding="utf-8")
    X, _ = data(1)
    condition = [*STATED, "--max-calls", "0.2", "--key", "id"]
    first = written("first.csv", {"id": np.arange(800), "cheap": X["cheap"]})
    done = run("decide", "c.json", first, *condition, "--needs", "dear", "-o", "who.csv", "--engine", engine)
    assert (done.status, done.err) == (0, ""), done.err
    asked = np.array([row["decision"] == "true" for row in rows("who.csv")])
    policy = rh.cascades.CascadePolicy.load("c.json")
    key = np.arange(800)
    assert asked.tolist() == policy.needs_score("dear", X, CONDITION, max_calls=0.2, key=key).tolist()
    assert f"Asks dear: {asked.sum()} of 800 cases" in done.out
    some = [score if need else "" for score, need in zip(X["dear"], asked, strict=True)]
    second = written("second.csv", {"id": key, "cheap": X["cheap"], "panel": some})
    done = run(
        "decide", "c.json", second, *condition, "--column", "dear=panel", "-o", "d.csv", "--engine", engine
    )
    assert (done.status, done.err.count("missing values")) == (0, engine == "duckdb"), done.err
    decided = [row["decision"] == "true" for row in rows("d.csv")]
    assert decided == policy.decide(X, CONDITION, max_calls=0.2, key=key).tolist()
    for more, expected in (([], decided), (["--needs", "dear"], asked.tolist())):
        column = [] if more else ["--column", "dear=panel"]
        sql = run("sql", "c.json", "--dialect", "duckdb", *condition, *more, *column)
        assert sql.status == 0, sql.err
        found = duckdb.sql(f"SELECT {sql.out} FROM read_csv('second.csv') ORDER BY id").fetchall()
        assert [value for (value,) in found] == expected


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "name what errors cost, such as --cost-fp 1 --cost-fn 5"),
        (["--cost-fn", "2:5"], "single costs"),
        ([*COSTS, "--max-calls", "0.1:0.2"], "--max-calls must be one number"),
        ([*COSTS, "--max-calls", "-1"], "--max-calls must"),
        ([*COSTS, "--price", "human=3"], "--price must be NAME=NUMBER, but is 'human=3'"),
        ([*COSTS, "--price", "cheap"], "the names are 'cheap', 'dear'.\n"),
        ([*COSTS, "--price", "cheap=many"], "--price must be a number"),
        ([*COSTS, "--price", "cheap=-1"], "must not be negative"),
        ([*COSTS, "--folds", "1"], "--folds"),
        ([*COSTS, "-o", "c.xls"], "must end in .png, .svg or .pdf"),
    ],
)
def test_what_is_refused(run: Run, more: list[str], message: str) -> None:
    done = learnt(run, *more)
    assert done.status != 0
    assert message in done.err
    assert not Path("c.json").exists()


def test_one_score_is_no_cascade(run: Run) -> None:
    done = run("cascade", "no.csv", "--label", "y", "--score", "cheap", *COSTS)
    assert (done.status, "--score is needed twice" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--max-fpr", "0.1"], "a cascade decides under costs"),
        (["--cost-fn", "2:3"], "single costs"),
        ([*COSTS, "--needs", "deer"], "Did you mean 'dear'?"),
        ([*COSTS, "--minimise", "max-error"], "for policies of several classes"),
        ([*COSTS, "--max-calls", "-1"], "--max-calls must"),
    ],
)
def test_what_a_cascade_cannot_do(run: Run, more: list[str], message: str) -> None:
    Path("c.json").write_text(document(), encoding="utf-8")
    done = run("decide", "c.json", "no.csv", *more, "-o", "d.csv")
    assert done.status != 0
    assert message in done.err


def test_calls_are_for_cascades_alone(run: Run, tmp_path: Path) -> None:
    hull = rh.roc_hull([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9])
    rh.Policy.from_hull(hull).save(tmp_path / "p.json")
    for more in (["--max-calls", "0.1"], ["--needs", "dear"]):
        done = run("sql", "p.json", "--dialect", "duckdb", "--max-fpr", "0.1", *more)
        assert f"{more[0]} is for cascades, which a policy of two classes is not." in done.err


@pytest.mark.long
def test_a_policy_says_that_it_does_not_hold_the_budget(run: Run) -> None:
    done = learnt(run, *STATED, "--max-calls", "0.05")
    assert done.status == 0, done.err
    text = " ".join((done.out + done.err).split())
    assert "The policy holds no budget: give --max-calls 0.05 to rochull decide and sql too." in text
    policy = rh.cascades.CascadePolicy.load("c.json")
    assert f"learnt from: dear for {policy.at(CONDITION).calls['dear']:.1%} of the cases." in text
    assert policy.at(CONDITION, max_calls=0.05).calls["dear"] == pytest.approx(0.05)
