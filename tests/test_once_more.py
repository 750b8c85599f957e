"""What fails in CI is run once more, alone: what passes then is listed as unstable, and three at most may be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import pytest
from pathlib import Path

@pytest.mark.parametrize("n", range({flaky}))
def test_flaky(n):
    seen = Path(f"seen-{{n}}")
    before = seen.exists()
    seen.touch()
    assert before

@pytest.mark.parametrize("n", range({broken}))
def test_broken(n):
    raise AssertionError

def test_sound():
    assert True
"""


def once_more(folder: Path, flaky: int, broken: int) -> tuple[int, list[str], str]:
    """Return the status, what is unstable, and the closing line."""
    (folder / "tests").mkdir()
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "tests/test_it.py").write_text(TESTS.format(flaky=flaky, broken=broken), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    long\n", encoding="utf-8")
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests/support")}

    def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env=environment,
            check=False,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    first = run(python, "-m", "pytest", "-q", "--failed=failed", "tests")
    assert first.returncode == int(flaky + broken > 0), first.stdout
    assert len((folder / "failed").read_text(encoding="utf-8").splitlines()) == flaky + broken
    again = run(ROOT / "scripts/once_more.sh", "failed", "unstable")
    found = folder / "unstable"
    unstable = found.read_text(encoding="utf-8").splitlines() if found.exists() else []
    return again.returncode, unstable, again.stdout + again.stderr


@pytest.mark.long  # processes of pytest
@pytest.mark.parametrize(
    ("flaky", "broken", "status"),
    [(0, 0, 1), (1, 0, 0), (3, 0, 0), (4, 0, 1), (0, 1, 1), (2, 1, 1), (1, 20, 1)],
)
def test_once_more(flaky: int, broken: int, status: int, tmp_path: Path) -> None:
    ended, unstable, said = once_more(tmp_path, flaky, broken)
    assert ended == status, said
    tried = 0 < flaky + broken <= 20
    assert unstable == [f"tests/test_it.py::test_flaky[{n}]" for n in range(flaky * tried)]
    if tried:
        assert (f"{flaky} passed" in said) == (flaky > 0)
        assert (f"{broken} failed" in said) == (broken > 0)
    assert ("4 tests are unstable, of which 3 are allowed." in said) == (flaky == 4)
