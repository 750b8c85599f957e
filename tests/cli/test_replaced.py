"""A table that is replaced while a command reads it: no decision stands beside the wrong row."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from command_line import Outcome, Run
from rochull._core.file_queries import TableFile
from rochull.scanning.engines import duckdb_decide

ROWS = 60
DECIDE = ["decide", "p.json", "t.csv", "--max-fpr", "0.5", "--deterministic", "-o", "o.csv"]
DATA = ["t.csv", "--label", "y", "--score", "s"]
COSTS = ["--cost-fp", "1", "--cost-fn", "2", "--prevalence", "0.3"]
COMMANDS = {
    "memory": DECIDE,
    "duckdb": [*DECIDE, "--engine", "duckdb"],
    "only": [*DECIDE, "--only", "positive"],
    "apply": ["calibrate", "t.csv", "--apply", "c.json", "-o", "o.csv"],
    "fit": ["calibrate", *DATA, "--method", "logistic", "-o", "o.csv"],
    "report": ["report", *DATA, "--score", "r", *COSTS, "--segment", "g", "-o", "o.json"],
    "bootstrap": ["report", *DATA, *COSTS, "--bootstrap", "40", "-o", "o.json"],
    "scan": ["report", *DATA, "--max-fpr", "0.3", "--engine", "duckdb", "-o", "o.json"],
    "multiclass": ["multiclass", "t.csv", "--label", "y", "--score", "0=r", "--score", "1=s", "--minimise",
                   "max-error", "--policy", "o.json"],
}  # fmt: skip
SAID = "has changed while it was read", "the source changed between two scans"


def tables() -> tuple[str, str]:
    """Two days: as many rows, in another order, so that what is right for one is wrong for the other."""
    rng = np.random.default_rng(0)
    rows = [f"{i},{i % 2},{rng.random():.3f},{rng.random():.3f},{'ab'[i // 2 % 2]}" for i in range(ROWS)]
    return tuple("\n".join(["id,y,s,r,g", *day, ""]) for day in (rows, rows[::-1]))  # type: ignore[return-value]


@contextmanager
def replaced_at(moment: int) -> Iterator[list[int]]:
    """Put the second day in the place of the first right before a query, and count the queries."""
    seen, run, copied = [0], TableFile.run, duckdb_decide._copied

    def tick() -> None:
        seen[0] += 1
        if seen[0] == moment:
            Path("new.csv").write_text(tables()[1])
            os.replace("new.csv", "t.csv")

    def run_late(self: TableFile, query: str) -> Any:
        tick()
        return run(self, query)

    def copied_late(*given: Any) -> int:
        tick()
        return copied(*given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableFile, "run", run_late)
        patch.setattr(duckdb_decide, "_copied", copied_late)
        yield seen


@pytest.fixture
def saved(tmp_path: Path, run: Run) -> None:
    """A policy and a calibrator, and the table of the first day."""
    rng = np.random.default_rng(1)
    y, s = np.arange(ROWS) % 2, rng.random(ROWS).round(3)
    rh.Policy.from_hull(rh.roc_hull(y, s).named("s")).save("p.json")
    rh.LogisticCalibrator().fit(s, y).save("c.json", about={"score": "s"})
    Path("t.csv").write_text(tables()[0])


def tried(run: Run, command: list[str], moment: int, day: str | None = None) -> tuple[Outcome, str, int]:
    """The outcome, what was written, and how many queries there were."""
    Path("t.csv").write_text(day or tables()[0])
    for left in ("o.csv", "o.json"):
        Path(left).unlink(missing_ok=True)
    with replaced_at(moment) as seen:
        done = run(*command)
    return done, "".join(p.read_text() for p in map(Path, ("o.csv", "o.json")) if p.exists()), seen[0]


def check(run: Run, name: str, last: int | None = None) -> int:
    """Check that every answer is that of one of the days, whichever query the change comes before.

    Of `last` so many queries from the end are tried. Tells how many runs were refused.
    """
    command, right, refused = COMMANDS[name], set(), 0
    right.add(tried(run, command, 0, tables()[1])[1])
    _, first, queries = tried(run, command, 0)
    right.add(first)
    for moment in range(1 if last is None else queries - last + 1, queries + 1):
        done, written, _ = tried(run, command, moment)
        if done.status == 0:
            assert written in right
        else:
            refused += 1
            assert any(said in done.err for said in SAID), done.err
            assert (done.status, written, done.err.count("\n")) == (1, "", 1)
    return refused


@pytest.mark.parametrize("name", ["memory", "duckdb", "apply"])
def test_what_is_written_is_of_one_day(run: Run, saved: None, name: str) -> None:
    assert check(run, name, last=3) > 0


@pytest.mark.long
@pytest.mark.parametrize("name", [*COMMANDS])
def test_at_every_moment_what_is_written_is_of_one_day(run: Run, saved: None, name: str) -> None:
    """More than 100 races in all, none of them left to luck."""
    assert check(run, name) > 0
