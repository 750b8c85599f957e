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
    "walk_rows",
    "bucket_moves",
    "segment_blocks",
    "drawn_groups",
}
COMPILED = """
import sys
from rochull.cli import app, warm
warm._ROWS = 20000
def compiled():
    modules = [vars(module) for name, module in sys.modules.items() if name.startswith("rochull._core.kernels.")]
    return {name: {*each.signatures} for held in modules for name, each in held.items()
            if getattr(each, "signatures", None)}
warm.work()
before = compiled()
"""
# Of other sizes, and of more classes, than those that `warm` calls.
COMMANDS = """
import numpy as np
rng = np.random.default_rng(1)
classes = rng.integers(0, 4, 30000)
outputs = rng.random((30000, 4)) + 0.8 * (classes[:, None] == range(4))
rows = [classes, *(outputs / outputs.sum(axis=1, keepdims=True)).T, classes > 0, outputs[:, 0].round(4)]
np.savetxt("rows.csv", np.column_stack(rows), "%.6g", ",", header="k,0,1,2,3,y,s", comments="")
scores = "--score 0 --score 1 --score 2 --score 3"
costs = "--cost-fp 1 --cost-fn 5 --prevalence 0.5"
for command in (
    f"multiclass rows.csv --label k {scores}",
    f"multiclass rows.csv --label k {scores} --minimise mean-error",
    f"multiclass rows.csv --label k {scores} --cost 1,2=3 --limit error(3)<=0.9",
    f"report rows.csv --label y --score s {costs} --lower-is-positive s --policy p.json",
    f"watch p.json rows.csv --label y {costs} --state s.json",
    f"judge p.json rows.csv --label y {costs}",
):
    assert not app.main(command.split()), command
assert compiled() == before
"""


@pytest.mark.long
def test_the_work_goes_through_every_kind() -> None:
    script = COMPILED + "print(*before)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {*done.stdout.split()} >= OF_EACH


@pytest.mark.long
def test_commands_compile_nothing_after_it(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", COMPILED + COMMANDS], cwd=tmp_path, check=True)
