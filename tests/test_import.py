"""``import rochull`` is light, leaves no trace, and every public name resolves."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull

HEAVY = {
    "duckdb", "jinja2", "matplotlib", "narwhals", "numba", "pandas", "plotly", "polars", "pyarrow",
    "pyspark", "rich", "scipy", "sklearn", "sqlglot", "typer",
}  # fmt: skip


def run_python(code: str, **options: Any) -> str:
    """Run code in a new interpreter, warnings being errors, and return what it prints."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("module", ["rochull", "rochull.datasets"])
def test_import_is_lazy(module: str) -> None:
    loaded = set(run_python(f"import sys, {module}; print(*sys.modules)").split())
    assert module in loaded
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


# --- deciding and calibrating need NumPy alone ---------------------------------------------------------------------------

# Prints the third-party modules that are there now and were not at the start.
FOREIGN = """
import sys
before = {*sys.modules}
import numpy as np
import rochull as rh
from rochull import ExpectedCost, NeymanPearson
found = [{calls}]
foreign = [
    name
    for name, module in sys.modules.items()
    if name not in before
    and "site-packages" in (getattr(module, "__file__", None) or "")
    and name.partition(".")[0] not in ("numpy", "rochull")
]
print(found, foreign)
"""
LABELS, FIRST, SECOND = [1, 1, 1, 0, 1, 0, 0, 0], [6, 5, 5, 5, 3, 2, 2, 2.5], [1, 2, 4, 2, 3, 1, 5, 0]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a document of each kind that decides."""
    place = tmp_path_factory.mktemp("saved")
    hull = rochull.roc_hull(LABELS, FIRST)
    rochull.Policy.from_hull(hull).save(place / "one")
    hulls = {"a": hull, "b": rochull.roc_hull(LABELS, SECOND)}
    rochull.Policy.from_hull(rochull.union(hulls)).save(place / "several")
    rochull.segments.SegmentPolicy.from_hulls(hulls, column="x").save(place / "segments")
    outputs = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8], [0.4, 0.3, 0.3], [0.3, 0.3, 0.4]]
    points = rochull.MulticlassRoc([0, 1, 2, 1, 0], outputs).search("max_error", random_state=0)
    rochull.multiclass.MulticlassPolicy.from_points(points).save(place / "classes")
    rochull.Knob(hull, alarm_rate=0.3).save(place / "knob")
    x, y = np.arange(40) / 40, np.arange(40) % 3 == 0
    for name in LIGHT:
        calibrator = getattr(rochull.calibration, name)()
        calibrator.fit(x if calibrator.takes == "probabilities" else 9 * x - 4, y).save(place / name)
    rochull.PavCalibrator("linear", "laplace").fit(x, y).save(place / "lines")
    return place


CALLS = [
    "rh.Policy.load('one').decide(np.array([1.0, 9.0]), ExpectedCost(cost_fn=5, prevalence=0.3))",
    "rh.Policy.load('one').decide([1, 9], NeymanPearson(0.1), key=['a', 'b'])",
    "rh.Policy.load('one').decide([1, 9], NeymanPearson(0.1), random_state=0)",
    "rh.Policy.load('one').decide([1, 9], NeymanPearson(0.1), deterministic=True)",
    "rh.Policy.load('one').decide([1, 9], rh.Capacity(cases=1), key=[1, 2])",
    "rh.Policy.load('one').decide([1, 9], rh.MinimumPrecision(0.6, prevalence=0.3), key=[1, 2])",
    "rh.Policy.load('several').decide({'a': [1, 9], 'b': [2, 3]}, rh.MinimumRecall(0.6), key=[1, 2])",
    "rh.segments.SegmentPolicy.load('segments').decide([1, 9], rh.Accuracy(0.5), aux={'x': ['a', 'b']})",
    "rh.multiclass.MulticlassPolicy.load('classes').decide([[0.2, 0.3, 0.5]], 'max_error')",
    "rh.Knob.load('knob').decide([1, 9], key=[1, 2])",
    "rh.calibration.load_calibrator('lines').posterior([0.3, 0.6])",
]
# Calibrators whose values need no library; one of kernel densities needs SciPy.
LIGHT = ["PavCalibrator", "LogisticCalibrator", "BetaCalibrator", "TemperatureCalibrator"]
LIGHT += ["GaussianCalibrator", "FourParameterCalibrator"]
CALLS += [
    f"rh.calibration.load_calibrator('{name}').{call}"
    for name in LIGHT
    for call in ("posterior([0.3], [0.2, 0.5])", "decide([0.3], ExpectedCost(cost_fn=5))")
]


def test_a_document_needs_numpy_alone(saved: Path) -> None:
    """And no place that can be written to: kernels, which are kept in a cache, play no part."""
    root = str(Path(rochull.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    found = run_python(FOREIGN.replace("{calls}", ", ".join(CALLS)), cwd=saved, env=environment)
    assert found.endswith(" []"), found


def test_what_is_foreign_is_seen() -> None:
    assert "scipy" in run_python(FOREIGN.replace("{calls}", "__import__('scipy')"))


COMMANDS = """
import sys
from rochull.cli.app import main
said = [main(words.split()) for words in sys.stdin.read().splitlines()]
print(said, {*sys.argv[1:]} & {*sys.modules})
"""


@pytest.mark.long
def test_commands_on_few_rows_import_none_of_the_heavy_libraries(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{i},{label},{rng.random() ** (2 - label)}" for i, label in enumerate([0, 1] * 100)]
    (tmp_path / "t.csv").write_text("\n".join(["id,y,s", *rows]))
    classes = [
        f"{i % 3},{','.join(map(str, rng.dirichlet([1 + (i % 3 == c) for c in range(3)])))}"
        for i in range(60)
    ]
    (tmp_path / "c.csv").write_text("\n".join(["y,a,b,c", *classes]))
    limited = """
    calibrate t.csv --label y --score s --model calibrator.json
    calibrate t.csv --apply calibrator.json -o applied.csv
    report t.csv --label y --score s --max-fpr 0.2 --policy policy.json --json
    decide policy.json t.csv --max-fpr 0.2 --key id -o decided.csv
    sql policy.json --dialect postgres --max-fpr 0.2 --key id
    """
    by_costs = """
    report t.csv --label y --score s --cost-fn 5 -o report.html --policy policy.json
    decide policy.json t.csv --cost-fn 5 -o decided.csv
    multiclass c.csv --label y --score 0=a --score 1=b --score 2=c --policy classes.json
    decide classes.json c.csv --minimise max-error --column 0=a --column 1=b --column 2=c -o called.csv
    """
    heavy = "matplotlib numba pandas pydantic sklearn typer"
    for commands, modules in ((limited, heavy), (by_costs, f"{heavy} scipy")):
        done = subprocess.run(
            [sys.executable, "-c", COMMANDS, *modules.split()],
            input=commands.strip(), cwd=tmp_path, text=True, capture_output=True, check=True,
        )  # fmt: skip
        said = [0] * len(commands.strip().splitlines())
        assert done.stdout.splitlines()[-1] == f"{said} set()", done.stdout + done.stderr


@pytest.mark.long  # as above: it needs DuckDB, which is not in every environment
def test_deciding_few_rows_imports_what_it_needs_alone(tmp_path: Path) -> None:
    hybrid = rochull.Hybrid().add("s", [0, 1, 0, 1], [0.1, 0.4, 0.6, 0.8])
    hybrid.policy().save(tmp_path / "policy.json")
    (tmp_path / "t.csv").write_text("s\n0.2\n0.7\n")
    other = "numpy.ma scipy pyarrow sqlglot rochull.hull.minimax rochull.hull.tasks rochull.hybrid"
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *other.split()],
        input="decide policy.json t.csv --cost-fn 5 -o decided.csv",
        cwd=tmp_path, text=True, capture_output=True, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[0] set()", done.stdout + done.stderr
