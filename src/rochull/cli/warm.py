"""``rochull warm``: kernels compiled beforehand, as for the image of a container."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from rochull.cli.declared import Argument

_WORK = "from rochull.cli.warm import work; work()"
_ROWS = 1 << 18  # so many that hulls of arrays go through buckets
_CLASSIFIED = 20_000  # so many that breakpoints of several classes do


def warm(
    directory: Annotated[Path, Argument(help="Where compiled kernels are kept; made if need be.")],
) -> None:
    """Compile what most work needs, so that no first call waits for it.

    Set NUMBA_CACHE_DIR to the directory where rochull runs; it may be read only
    there. It is for this version of rochull, its libraries and this kind of
    processor; elsewhere kernels are compiled as they always are.
    """
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(directory.absolute())}
    command = [sys.executable, "-c", _WORK]
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    kept = len([*directory.glob("rochull/kernels-*/*.nbc")])
    if done.returncode or not kept:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise ValueError(f"{directory}: no kernels could be kept there ({last}).")
    print(f"{kept} kernels in {directory}. Where rochull runs: NUMBA_CACHE_DIR={directory.absolute()}")


def work() -> None:
    """Call what compiles the kernels of hulls, areas, intervals, calibration, several classes and scans."""
    import numba  # noqa: F401  (few rows go through kernels too, where it has been imported)
    import numpy as np

    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, _ROWS)
    scores = (rng.normal(size=_ROWS) + labels).round(5)
    for job in _JOBS:
        for kind in (np.float64, np.float32):
            job(labels, scores.astype(kind), rng)


def _hulls(labels: Any, scores: Any, rng: Any) -> None:
    import rochull as rh

    weights = rng.random(labels.size)
    for rows in (slice(None), slice(1000)):
        for own in (None, weights[rows]):
            rh.roc_hull(labels[rows], scores[rows], sample_weight=own)
            rh.roc_curve(labels[rows], scores[rows], sample_weight=own)
            rh.roc_auc(labels[rows], scores[rows], sample_weight=own)


def _intervals(labels: Any, scores: Any, rng: Any) -> None:
    import rochull as rh

    rows = slice(500)
    rh.auc_interval(labels[rows], scores[rows])
    for statistic in ("auc", "hull_auc"):
        rh.bootstrap(labels[rows], scores[rows], statistic, n_resamples=100, random_state=0)


def _maps(labels: Any, scores: Any, rng: Any) -> None:
    import rochull as rh

    for interpolation in ("step", "linear"):
        calibrator = rh.PavCalibrator(interpolation).fit(scores[:5000], labels[:5000])
        calibrator.posterior(scores)


def _classes(labels: Any, scores: Any, rng: Any) -> None:
    import rochull as rh

    outputs = rng.dirichlet([1.0, 1.0, 1.0], 500)
    classes = (outputs.cumsum(axis=1) > rng.random((500, 1))).argmax(axis=1)
    rh.MulticlassRoc(classes, outputs).search("max_error", random_state=0)


def _scans(labels: Any, scores: Any, rng: Any) -> None:
    from importlib.util import find_spec

    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        return
    from tempfile import TemporaryDirectory

    import pyarrow as pa
    import pyarrow.parquet as pq

    import rochull as rh

    columns = {"y": labels.astype(bool), "s": scores, "g": labels, "w": rng.random(labels.size)}
    with TemporaryDirectory() as place:
        path = f"{place}/rows.parquet"
        pq.write_table(pa.table(columns), path)
        options: Any
        for options in ({}, {"segment": "g"}, {"fold": "g"}, {"weight": "w"}):
            rh.scan(path, label="y", scores=["s"], engine="duckdb", **options)


def _commands(labels: Any, scores: Any, rng: Any) -> None:
    """Reports with what is beside the hull, of few rows and of a scan, a calibrator, and several classes."""
    from tempfile import TemporaryDirectory

    import numpy as np

    from rochull.cli.app import main

    if scores.dtype != np.float64:  # as tables have them
        return
    with TemporaryDirectory() as place:
        rows = np.column_stack([labels, scores, np.arange(labels.size) % 3])
        for name, part in (("all", rows), ("few", rows[:1000])):
            _table(f"{place}/{name}.csv", part, "y,s,g")
        outputs = rng.dirichlet([1.0, 1.0, 1.0], _CLASSIFIED)
        classes = (outputs.cumsum(axis=1) > rng.random((_CLASSIFIED, 1))).argmax(axis=1)
        _table(f"{place}/classes.csv", np.column_stack([classes, outputs]), "y,0,1,2")
        told = "--label y --score s"
        for command in (
            f"report {place}/few.csv {told} --bootstrap 50 --quiet",
            f"report {place}/all.csv {told} --engine duckdb --bootstrap 50 --quiet",
            f"report {place}/all.csv {told} --segment g --quiet",
            f"report {place}/all.csv {told} --fold g --quiet",
            f"calibrate {place}/all.csv {told} --model {place}/model.json",
            *(
                f"multiclass {place}/classes.csv --label y --score 0 --score 1 --score 2 {goal} --quiet"
                for goal in ("", "--minimise mean-error", "--cost 0,1=3 --limit error(0)<=0.9")
            ),
        ):
            if main(command.split()):
                raise RuntimeError(command)


def _table(path: str, rows: Any, header: str) -> None:
    import numpy as np

    np.savetxt(path, rows, fmt="%.6g", delimiter=",", header=header, comments="")


_JOBS: tuple[Callable[[Any, Any, Any], None], ...] = (_hulls, _intervals, _maps, _classes, _scans, _commands)
