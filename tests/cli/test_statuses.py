"""The statuses that commands end with: those of the table, the same in the help and on the page."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rochull as rh
from command_line import Run
from rochull.cli import app
from rochull.cli.statuses import Status, rows

PAGE = Path(__file__).parents[2] / "docs/howto/cli.md"


@pytest.fixture
def decide(tmp_path: Path) -> list[str]:
    """A command that decides, and the scores of a batch like those of the policy."""
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    score = rng.normal(size=400) + y
    rh.Policy.from_hull(rh.roc_hull(y, score).named("s")).save(tmp_path / "p.json")
    pq.write_table(pa.table({"s": score}), tmp_path / "same.parquet")
    pq.write_table(pa.table({"s": np.full(400, np.median(score))}), tmp_path / "other.parquet")
    pq.write_table(pa.table({"s": [0.5, None]}), tmp_path / "null.parquet")
    return ["decide", "p.json", "--cost-fn", "2", "--deterministic", "-o", "o.csv"]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["same.parquet", "--prevalence", "0.5"], Status.DONE),
        (["none.parquet", "--prevalence", "0.5"], Status.FAILED),
        (["null.parquet", "--prevalence", "0.5"], Status.DONE),
        (["null.parquet", "--prevalence", "0.5", "--strict"], Status.FAILED),
        (["same.parquet", "--prevalence", "half"], Status.USAGE),
        (["same.parquet", "--what"], Status.USAGE),
        (["same.parquet", "--prevalence", "estimate", "--strict"], Status.DONE),
        (["other.parquet", "--prevalence", "estimate"], Status.DONE),
        (["other.parquet", "--prevalence", "estimate", "--strict"], Status.FOREIGN),
    ],
)
def test_each_status(run: Run, decide: list[str], words: list[str], status: Status) -> None:
    done = run(*decide, *words)
    assert done.status == status, done.err
    assert Path("o.csv").exists() == (status == Status.DONE)


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, Status.INTERRUPTED), (signal.SIGTERM, Status.TERMINATED)]
)
def test_the_statuses_of_signals(
    run: Run, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals, status: Status
) -> None:
    monkeypatch.setattr(app, "command_line", lambda: lambda **_: signal.raise_signal(sent))
    monkeypatch.setattr(app.Wording, "of", lambda *_: app.Wording())
    assert run("sql").status == status == 128 + sent


def test_the_help_and_the_page_have_the_table(run: Run) -> None:
    shown = " ".join(run("--help").out.split())
    for status, told in rows():
        assert f"{status}: {told}" in shown
    for command in app.COMMANDS:
        assert "Exit statuses: rochull --help lists them." in run(command, "--help").out
    table = re.findall(r"^\| (\d+) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(int(status), told.replace("`", "")) for status, told in table] == rows()
