"""Every gallery example runs and saves its picture; all in this process, for the imports take most of the time."""

import runpy
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("[!_]*.py"))


@pytest.mark.long
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_example_runs(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    try:
        with plt.rc_context():
            runpy.run_path(str(script), run_name="__main__")
    finally:
        plt.close("all")
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 5_000
