"""``import rochull`` is light, leaves no trace, and every public name resolves."""

import subprocess
import sys
from pathlib import Path

import pytest

import rochull

HEAVY = {
    "duckdb",
    "jinja2",
    "matplotlib",
    "narwhals",
    "numba",
    "pandas",
    "plotly",
    "polars",
    "pyarrow",
    "pydantic",
    "pyspark",
    "rich",
    "scipy",
    "sklearn",
    "sqlglot",
    "typer",
}


def run_python(code: str, *arguments: str) -> str:
    """Run code in a new interpreter, warnings being errors, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_lazy() -> None:
    loaded = set(run_python("import sys, rochull; print(*sys.modules)").split())
    assert "rochull" in loaded
    assert loaded & HEAVY == set()


DECIDING = """
import sys, time
begin = time.process_time()
import numpy
of_numpy = time.process_time() - begin
import rochull
policy = rochull.Policy.load(sys.argv[1])
for scores in ([0.95, 0.05], {"score": numpy.array([0.95, 0.05])}, {"score": [0.95, 0.05]}):
    policy.decide(scores, rochull.ExpectedCost(1, 5, 0.3))
    policy.decide(scores, rochull.Capacity(fraction=0.1, prevalence=0.4), key=["a", "b"])
    policy.decide(scores, rochull.Capacity(cases=1), random_state=0)
print(time.process_time() - begin - of_numpy, *sys.modules)
"""


def test_deciding_with_a_saved_policy_needs_numpy_alone(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    rochull.Policy.from_hull(rochull.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])).save(path)
    runs = [run_python(DECIDING, str(path)).split() for _ in range(5)]
    assert set(runs[0]) & HEAVY == set()
    # Seconds of this processor, beyond those that NumPy takes; the first run may write bytecode.
    assert min(float(run[0]) for run in runs) < 0.2


def test_import_leaves_numpy_error_state_alone() -> None:
    code = "import numpy as np; before = np.geterr(); import rochull; print(np.geterr() == before)"
    assert run_python(code) == "True"


def test_public_names_are_unique_and_listed() -> None:
    assert len(set(rochull.__all__)) == len(rochull.__all__)
    assert set(rochull.__all__) <= set(dir(rochull))


@pytest.mark.parametrize("name", rochull.__all__)
def test_public_name_resolves(name: str) -> None:
    assert getattr(rochull, name) is not None


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        rochull.no_such_name  # noqa: B018
