"""``python -m benchmarks growth`` draws what a hull takes, in time and memory, against the number of rows.

From ten rows on: in memory, from a file, by peers, and beside two limits (one read, one sort). What was
measured stays in the folder build; a run with other ``--rows`` adds its sizes. The two figures of 10^9 rows
are of docs/scale.md, where they were measured.
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
_KEPT = page.FOLDER.parent / "build" / "benchmarks" / "growth.json"
_PICTURE = page.FOLDER / "images" / "benchmarks_growth.png"
_STATED: dict[str, dict[int, tuple[float, float]]] = {FILE: {10**9: (53.0, 1.3e9)}}  # core seconds, bytes
_LIMITS = {page.READ: "#bbbbbb", page.SORT: "#666666"}
_COLOURS = {page.OURS: "#D55E00", FILE: "#E69F00", FIRST: "#F0B090", _PEER: "#0072B2", "llreval": "#009E73"}
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
        kept[str(rows)] = measure(rows)
        print(f"{rows:>12,} rows, load {load:.0f}: {kept[str(rows)]}", file=sys.stderr, flush=True)
        _KEPT.parent.mkdir(parents=True, exist_ok=True)
        _KEPT.write_text(json.dumps(kept), encoding="utf-8")
    draw({int(rows): found for rows, found in kept.items()}, _PICTURE)
    return _PICTURE


def draw(found: dict[int, dict[str, Any]], path: Path) -> None:
    """Time, and memory beyond the input, against rows."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, layout="constrained")
    figure.set_size_inches(12, 4.8)
    names = list(dict.fromkeys(name for one in found.values() for name in one))
    for which, (ax, told) in enumerate(zip(axes, ("core seconds", "MB beyond the input"), strict=True)):
        for name in names:
            points = {rows: one[name][which] for rows, one in found.items() if name in one}
            points |= {rows: stated[which] for rows, stated in _STATED.get(name, {}).items()}
            drawn = sorted((rows, value) for rows, value in points.items() if value is not None and value > 0)
            if drawn:
                x, y = zip(*drawn, strict=True)
                limit = name in _LIMITS
                style = {"ls": "--", "lw": 1} if limit else {"marker": "o", "ms": 3, "lw": 1.6}
                scaled = [value / (1e6 if which else 1) for value in y]
                ax.loglog(x, scaled, color=(_LIMITS | _COLOURS).get(name), label=name, **style)
        ax.set(xlabel="rows", ylabel=told)
        ax.grid(alpha=0.3)
    rows = [10.0**k for k in range(4, 10)]
    axes[1].loglog(rows, [8e-6 * n for n in rows], ls="--", lw=1, color="#bbbbbb", label="the scores")
    axes[1].set_ylim(bottom=0.1)
    axes[1].set_title(f"{FILE}: the whole process, --memory 2GB", fontsize=9)
    for ax in axes:
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    machine.use_cores(2)
    print(json.dumps(scanned(int(sys.argv[1]))))
