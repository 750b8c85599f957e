"""``rochull warm``: kernels compiled beforehand."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from command_line import Run
from rochull._core.kernels import compiled
from rochull.cli import warm


@pytest.mark.parametrize("kept", [0, 2])
def test_it_says_what_is_kept_or_that_nothing_is(kept: int, run: Run, monkeypatch: Any) -> None:
    def compile_(command: list[str], *, env: dict[str, str], **options: Any) -> Any:
        place = Path(env["NUMBA_CACHE_DIR"], "rochull", "kernels-1")
        place.mkdir(parents=True)
        for number in range(kept):
            (place / f"{number}.nbc").touch()
        return SimpleNamespace(returncode=0, stderr="Compiled kernels cannot be kept")

    monkeypatch.setattr(subprocess, "run", compile_)
    done = run("warm", "image/kernels")
    assert done.status == (not kept)
    if kept:
        place = Path("image/kernels").absolute()
        assert done.out == f"2 kernels in image/kernels. Where rochull runs: NUMBA_CACHE_DIR={place}\n"
    else:
        reason = "no kernels could be kept there (Compiled kernels cannot be kept)"
        assert done.err == f"rochull: image/kernels: {reason}.\n"


@pytest.mark.long
def test_what_was_compiled_is_loaded_from_a_directory_that_cannot_be_written(
    run: Run, monkeypatch: Any, tmp_path: Path
) -> None:
    calls = "import numba, rochull as rh; rh.roc_auc([0, 1], [1.0, 2.0])"
    monkeypatch.setattr(warm, "_WORK", calls)
    assert run("warm", str(tmp_path / "kernels")).status == 0
    (generation,) = (tmp_path / "kernels/rochull").iterdir()
    assert generation.name == compiled._generation()
    before = {path.name: path.stat().st_mtime_ns for path in generation.iterdir()}
    refuses = "from rochull._core.kernels import compiled; compiled._Cache.save_overload = None; "
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    subprocess.run([sys.executable, "-c", refuses + calls], env=environment, check=True)
    assert {path.name: path.stat().st_mtime_ns for path in generation.iterdir()} == before


# One kernel of each kind of work, of those that few rows go through, too.
OF_EACH = {
    "upper_hull",
    "merge_classes",
    "placement_sums",
    "hull_figures",
    "step_values",
    "line_values",
    "walk_errors",
    "segment_blocks",
    "drawn_groups",
}
COMPILED = """
import sys
from rochull.cli import warm
warm._ROWS = 6000
warm.work()
modules = [vars(module) for name, module in sys.modules.items() if name.startswith("rochull._core.kernels.")]
print(*(name for held in modules for name, each in held.items() if getattr(each, "signatures", None)))
"""


@pytest.mark.long
def test_the_work_goes_through_every_kind() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} >= OF_EACH
