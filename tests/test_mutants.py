"""The list of deliberate mistakes fits the code, and says so where it does not. (They are run by hand.)"""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "mutants.py"
spec = importlib.util.spec_from_file_location("mutants", SCRIPT)
assert spec is not None
assert spec.loader is not None
mutants: Any = importlib.util.module_from_spec(spec)
sys.modules["mutants"] = mutants  # dataclasses look their module up
spec.loader.exec_module(mutants)
LISTED = mutants.listed()


def test_every_mistake_can_be_made_and_has_its_tests() -> None:
    assert [problem for mutant in LISTED if (problem := mutant.problem())] == []
    assert all(mutant.old != mutant.new and mutant.why for mutant in LISTED)
    assert len({(mutant.file, mutant.old, mutant.new) for mutant in LISTED}) == len(LISTED)
    wings = {
        path.name
        for path in (SCRIPT.parent.parent / "src/rochull").iterdir()
        if (path / "__init__.py").exists()
    }
    assert {mutant.file.partition("/")[0] for mutant in LISTED} == wings - {"datasets"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"file": "hull/none.py"}, "hull/none.py is gone: "),
        ({"old": "no such text"}, "'no such text' occurs 0 times instead of once."),
        ({"old": "import"}, "times instead of once."),
        ({"tests": "tests/hull/test_none.py"}, "there is no tests/hull/test_none.py."),
        ({"tests": "tests/hull/test_hull.py::test_none"}, "tests/hull/test_hull.py has no test_none."),
    ],
)
def test_what_has_to_be_changed_is_said(change: dict[str, str], message: str) -> None:
    assert message in mutants.Mutant(**(vars(LISTED[0]) | change)).problem()
