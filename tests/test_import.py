"""``import rochull`` is light, leaves no trace, and every public name resolves."""

import subprocess
import sys

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


def run_python(code: str) -> str:
    """Run code in a new interpreter, warnings being errors, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_is_lazy() -> None:
    loaded = set(run_python("import sys, rochull; print(*sys.modules)").split())
    assert "rochull" in loaded
    assert loaded & HEAVY == set()


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
