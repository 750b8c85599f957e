"""A walk: a wing is one folder with a front door, and one line in the layers of `pyproject.toml`."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOOR = '''"""What becomes of a rule once it is deployed: states, looks and alarms.

It stands on policies. It never keeps a row of what it was shown.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
'''
STUB = "from rochull.watching.monitor import Monitor as Monitor\n"
ROOM = '''"""A monitor of a policy."""

from __future__ import annotations

from rochull.{what}


class Monitor:
    """Looks at what a policy does."""
'''
LINE = '    "watching",\n'
BELOW, ABOVE = "policies.policy import Policy as Policy", "report.report import Report as Report"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the package and of its contracts, with a new wing that nobody has given a floor."""
    shutil.copytree(
        ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "data", "*.js")
    )
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("_build", "*.png"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    wing = tmp_path / "src/rochull/watching"
    wing.mkdir()
    (wing / "__init__.py").write_text(DOOR, encoding="utf-8")
    (wing / "__init__.pyi").write_text(STUB, encoding="utf-8")
    (wing / "monitor.py").write_text(ROOM.format(what=BELOW), encoding="utf-8")
    return tmp_path


def registered(house: Path) -> None:
    """Write the one line: the wing stands above policies, beside or below the report."""
    text = (house / "pyproject.toml").read_text(encoding="utf-8")
    place = re.search(r'^    "report \|.*\n', text, re.MULTILINE)
    assert place is not None
    (house / "pyproject.toml").write_text(text[: place.end()] + LINE + text[place.end() :], encoding="utf-8")


def run(house: Path, *command: str) -> Any:
    path = os.pathsep.join([str(house / "src"), *sys.path])
    return subprocess.run(
        [sys.executable, *command], check=False, cwd=house, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip


CONTRACTS = "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"


@pytest.mark.long
def test_a_new_wing(house: Path) -> None:
    found = run(house, *CONTRACTS, "--no-logo", "--no-cache")
    assert found.returncode == 1
    assert "rochull.watching" in found.stdout  # which is not in the layers
    registered(house)
    found = run(house, *CONTRACTS, "--no-logo", "--no-cache")
    assert found.returncode == 0, found.stdout
    assert run(house, "scripts/draw_house.py", "--check").returncode == 1
    assert run(house, "scripts/draw_house.py").returncode == 0
    drawn = "".join(page.read_text(encoding="utf-8") for page in (house / "docs").glob("*.md"))
    assert "- `monitor`: A monitor of a policy." in drawn
    used = run(house, "-c", "import rochull.watching as w; print(w.Monitor.__module__)")
    assert used.stdout.strip() == "rochull.watching.monitor", used.stderr


@pytest.mark.long
def test_a_wing_that_reaches_up_is_refused(house: Path) -> None:
    registered(house)
    (house / "src/rochull/watching/monitor.py").write_text(ROOM.format(what=ABOVE), encoding="utf-8")
    found = run(house, *CONTRACTS, "--no-logo", "--no-cache")
    assert found.returncode == 1
    assert "rochull.watching is not allowed to import rochull.report" in found.stdout
