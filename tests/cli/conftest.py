"""One way to run the command line for all its tests."""

from pathlib import Path

import pytest

from command_line import Outcome, Run
from rochull.cli import app


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A function that runs the command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def invoke(*arguments: str) -> Outcome:
        status = app.main(list(map(str, arguments)))
        out, err = capsys.readouterr()
        lines = err.splitlines(keepends=True)
        return Outcome(
            status, out, "".join(line for line in lines if not line.endswith(" ...\n"))
        )  # of a first run, or a slow one

    return invoke
