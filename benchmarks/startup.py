"""What a user waits for before anything is computed: imports, help, compilation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.clock import clocked, medians
from benchmarks.processes import output, python
from benchmarks.table import Row, at_most, seconds

_STARTS = 7
_COMPILE_ROWS = 10**6
_ENTRY_POINT = "import sys; from rochull.cli.app import main; sys.exit(main())"
_FIRST_REPORT = f"""
import numpy as np
import rochull as rh
rng = np.random.default_rng(0)
labels = rng.integers(0, 2, {_COMPILE_ROWS})
scores = rng.standard_normal({_COMPILE_ROWS}) + labels
rh.roc_hull(labels, scores), rh.roc_curve(labels, scores), rh.roc_auc(labels, scores)
"""


def importing() -> Iterator[Row]:
    """The import beside NumPy's, and with the first function, which is loaded when it is used."""
    found = medians(
        _STARTS,
        {
            "numpy": python("import numpy"),
            "rochull": python("import numpy, rochull"),
            "used": python("import numpy, rochull; rochull.roc_hull"),
        },
    )
    for name, ours, target in (
        ("import rochull, beyond numpy", "rochull", at_most(0.1)),
        ("import rochull; roc_hull, beyond numpy", "used", None),
    ):
        extra = found[ours] - found["numpy"]
        yield Row(name, extra, target, "s", ours=seconds(found[ours]), peer=seconds(found["numpy"]))


def help_text() -> Iterator[Row]:
    """The command's answer to --help."""
    name, target = "rochull --help", at_most(0.4)
    command = _command()
    if not command:
        missing = "there is neither a command rochull beside this Python nor a module rochull.cli.app"
        yield Row(name, target=target, unit="s", note=missing)
        return
    took = medians(_STARTS, {"ours": clocked(lambda: output(*command, "--help"))})["ours"]
    yield Row(name, took, target, "s", ours=seconds(took))


def _command() -> list[str]:
    """The installed command, else what it would call, else nothing."""
    script = Path(sys.executable).with_name("rochull")
    if script.exists():
        return [str(script)]
    return [sys.executable, "-c", _ENTRY_POINT] if find_spec("rochull.cli.app") else []


def compiling(repeats: int) -> Iterator[Row]:
    """The first unweighted float64 report on a new machine, beyond the same with kernels cached."""
    cold, warm = [], []
    for _ in range(repeats):
        with TemporaryDirectory() as cache:
            report = python(_FIRST_REPORT, {"NUMBA_CACHE_DIR": cache})
            cold.append(report())
            warm.append(report())
    first, later = median(cold), median(warm)
    yield Row("compile for the first report", first - later, at_most(6), "s", seconds(first), seconds(later))
