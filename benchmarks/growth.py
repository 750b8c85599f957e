"""``python -m benchmarks growth`` draws what a hull takes, in time and memory, against the number of rows.

From ten rows on: in memory, from a file, by peers, and beside two limits (one read, one sort). lir, MAPIE,
NannyML and fairlearn make no hull: jobs of the page that they do as well are drawn below. What was measured
stays in the folder build; a run with other ``--rows`` adds its sizes. The two figures of 10^9 rows are of
docs/scale.md, where they were measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import machine, page
from benchmarks.jobs import JOBS
from benchmarks.processes import output

FILE = "rochull, from a file"
FIRST = "rochull, first call in a process"
_JOB, _PEER, _LEAST_FILE = "hull", "scikit-learn", 10**5
OTHERS = ("cllr", "groups", "limit", "unlabelled")
_KEPT = page.FOLDER.parent / "build" / "benchmarks" / "growth.json"
_PICTURE = page.FOLDER / "images" / "benchmarks_growth.png"
_STATED: dict[str, dict[int, tuple[float, float]]] = {FILE: {10**9: (36.1, 1.04e9)}}  # core seconds, bytes
_LIMITS = {page.READ: "#bbbbbb", page.SORT: "#666666"}
_COLOURS = {
    page.OURS: "#D55E00", FILE: "#E69F00", FIRST: "#F0B090", _PEER: "#0072B2", "llreval": "#009E73",
    "lir": "#CC79A7", "fairlearn": "#0072B2", "MAPIE": "#0072B2", "NannyML": "#0072B2",
}  # fmt: skip
_FIRST_CALL = """
from time import process_time
from benchmarks import inputs
sample = inputs.normal({rows}, inputs.PREVALENCES[0])
begin = process_time()
import rochull
rochull.roc_hull(sample.labels, sample.scores)
print(process_time() - begin)
"""
_SCAN = """
import resource, sys
import rochull
rochull.scan(sys.argv[1], label="y", scores="s", engine="duckdb", memory="2GB").roc_hulls()
used = resource.getrusage(resource.RUSAGE_SELF)
from benchmarks import memory
print(used.ru_utime + used.ru_stime, memory.peak_resident())
"""


def measure(rows: int) -> dict[str, list[float | None]]:
    """Core seconds and bytes beyond the input of each contender at one size."""
    notes: list[str] = []
    seconds = page.at_size(JOBS[_JOB], rows, notes, dict.fromkeys(JOBS[_JOB].peers, 0.0))
    found: dict[str, list[float | None]] = {name: [taken, None] for name, taken in seconds.items()}
    for name in (page.OURS, _PEER):
        if name in found and rows >= 10**4:
            found[name][1] = float(output(sys.executable, "-m", "benchmarks.page", _JOB, name, str(rows)))
    found[FIRST] = [float(output(sys.executable, "-c", _FIRST_CALL.format(rows=rows))), None]
    if rows >= _LEAST_FILE:
        found[FILE] = json.loads(output(sys.executable, "-m", __name__, str(rows)))
    return found


def other_jobs(rows: int) -> dict[str, dict[str, float]]:
    """Core seconds of each contender of the other jobs at one size, where it can be done with so few rows."""
    found: dict[str, dict[str, float]] = {}
    for name in OTHERS:
        job = JOBS[name]
        if rows <= max(peer.largest for peer in job.peers.values()):
            with suppress(Exception):
                found[name] = page.at_size(job, rows, [], dict.fromkeys(job.peers, 0.0))
    return found


def scanned(rows: int) -> tuple[float, float]:
    """In a new process: core seconds, imports and all, and the peak of memory of a hull from a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sample = JOBS[_JOB].sample(rows)
    with TemporaryDirectory() as directory:
        path = Path(directory, "rows.parquet")
        pq.write_table(pa.table({"y": sample.labels.astype("int8"), "s": sample.scores}), path)
        seconds, peak = output(sys.executable, "-c", _SCAN, str(path)).split()
    return float(seconds), float(peak)


def sizes(largest: int) -> Iterator[int]:
    rows = 10
    while rows <= largest:
        yield rows
        rows *= 10


def write(largest: int) -> Path:
    """Measure every size up to the largest, keep it, and draw all that is kept."""
    kept: dict[str, Any] = {}
    with suppress(OSError):
        kept = json.loads(_KEPT.read_text(encoding="utf-8"))
    for rows in sizes(largest):
        load = machine.load()
        kept[str(rows)] = {_JOB: measure(rows), **other_jobs(rows)}
        print(f"{rows:>12,} rows, load {load:.0f}: {kept[str(rows)]}", file=sys.stderr, flush=True)
        _KEPT.parent.mkdir(parents=True, exist_ok=True)
        _KEPT.write_text(json.dumps(kept), encoding="utf-8")
    draw({int(rows): kept[rows] for rows in sorted(kept, key=int)}, _PICTURE)
    return _PICTURE


def draw(measured: dict[int, dict[str, Any]], path: Path) -> None:
    """Time, and memory beyond the input, against rows; below the time of other jobs."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(layout="constrained")
    figure.set_size_inches(12, 8.4)
    grid = figure.add_gridspec(2, 4, height_ratios=(1.5, 1))
    axes = [figure.add_subplot(grid[0, part]) for part in (slice(0, 2), slice(2, 4))]
    found = {rows: one[_JOB] for rows, one in measured.items()}
    names = list(dict.fromkeys(name for one in found.values() for name in one))
    for which, (ax, told) in enumerate(zip(axes, ("core seconds", "MB beyond the input"), strict=True)):
        for name in names:
            points = {rows: one[name][which] for rows, one in found.items() if name in one}
            points |= {rows: stated[which] for rows, stated in _STATED.get(name, {}).items()}
            _line(ax, name, {x: y and y / (1e6 if which else 1) for x, y in points.items()})
        ax.set(xlabel="rows", ylabel=told)
    rows = [10.0**k for k in range(4, 10)]
    axes[1].loglog(rows, [8e-6 * n for n in rows], ls="--", lw=1, color="#bbbbbb", label="the scores")
    axes[1].set_ylim(bottom=0.1)
    axes[1].set_title(f"{FILE}: the whole process, --memory 2GB", fontsize=9)
    for place, job in enumerate(OTHERS):
        ax = figure.add_subplot(grid[1, place])
        done = {rows: one[job] for rows, one in measured.items() if job in one}
        for name in (page.OURS, *JOBS[job].peers):
            _line(ax, name, {rows: one.get(name) for rows, one in done.items()})
        ax.set_title(JOBS[job].title, fontsize=9)
        ax.set(xlabel="rows", ylabel="" if place else "core seconds", xlim=(7, 1.4e6), ylim=(3e-5, 60))
        axes.append(ax)
    for ax in axes:
        ax.grid(alpha=0.3)
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    figure.savefig(path, dpi=110)


def _line(ax: Any, name: str, points: dict[int, float | None]) -> None:
    drawn = sorted((x, y) for x, y in points.items() if y)
    if drawn:
        style = {"ls": "--", "lw": 1} if name in _LIMITS else {"marker": "o", "ms": 3, "lw": 1.6}
        ax.loglog(*zip(*drawn, strict=True), color=(_LIMITS | _COLOURS)[name], label=name, **style)


if __name__ == "__main__":
    machine.use_cores(2)
    print(json.dumps(scanned(int(sys.argv[1]))))
