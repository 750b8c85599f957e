"""``python -m benchmarks.scale``: what a hull of a file larger than memory costs, beside reading it once.

Every run is a process of its own, with its own peak of memory. Reading the two columns as Arrow with
DuckDB and the hull take turns, because other work on the machine makes both slower; ratios are of neighbours.
Files and limits may be several (``--memory 200MB,500MB,2GB``): the last column says how many times as much a
row costs in core seconds as with the file and the limit before, and warns above twice.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyarrow.parquet import ParquetFile

_STEP = 2.0  # times as much a row, between a size or a limit and the next
_READ = """
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
for batch in connection.sql(f"SELECT score, label FROM '{path}'").to_arrow_reader(1 << 19):
    pass
"""
_WARM = """
import os, tempfile
import pyarrow.parquet
import rochull as rh
rows = numpy.random.default_rng(0).normal(size=200_000)
with tempfile.TemporaryDirectory() as directory:
    small = os.path.join(directory, "small.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"label": rows > 0, "score": rows.round(4)}), small)
    rh.scan(small, label="label", scores="score", engine="duckdb", memory=memory).roc_hulls()
"""
_HULL = """
found = rh.scan(path, label="label", scores="score", engine="duckdb", memory=memory).roc_hulls()["score"]
"""
_FRAME = """
import json, sys, time
path, memory = sys.argv[1:]
import numpy, duckdb, pyarrow
{warm}
begin, used = time.perf_counter(), time.process_time()
{work}
wall, cpu = time.perf_counter() - begin, time.process_time() - used
try:
    peak = int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]) / 1e6
except (OSError, StopIteration):
    peak = float("nan")
print(json.dumps(dict(wall=wall, cpu=cpu, peak=peak)))
"""


def run(work: str, path: Path, memory: str, warm: str = "") -> dict[str, Any]:
    """Seconds, seconds of all cores and gigabytes of one process."""
    command = [
        sys.executable,
        "-c",
        _FRAME.replace("{work}", work).replace("{warm}", warm),
        str(path),
        memory,
    ]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    measured: dict[str, Any] = json.loads(found.stdout)
    return measured


def measure(path: Path, memory: str, repeats: int) -> dict[str, float]:
    """Medians of runs in turns."""
    pairs = [(run(_READ, path, memory), run(_HULL, path, memory, _WARM)) for _ in range(repeats)]
    return {
        "read": statistics.median(read["wall"] for read, _ in pairs),
        "hull": statistics.median(hull["wall"] for _, hull in pairs),
        "ratio": statistics.median(hull["wall"] / read["wall"] for read, hull in pairs),
        "read cpu": statistics.median(read["cpu"] for read, _ in pairs),
        "hull cpu": statistics.median(hull["cpu"] for _, hull in pairs),
        "cpu ratio": statistics.median(hull["cpu"] / read["cpu"] for read, hull in pairs),
        "peak GB": max(hull["peak"] for _, hull in pairs),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure files made by ``scripts/make_rows.py``, small ones first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", help="Parquet files with columns score and label")
    parser.add_argument("--memory", default="2GB", help="limits, with commas between them")
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args(arguments)
    print("| file | memory | read, s | hull, s | ratio | read, core s | hull, core s | ratio | GB | step |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    before: dict[str, float] = {}  # what a row costs, by what was measured last with the same file or limit
    for path in chosen.files:
        rows = ParquetFile(path).metadata.num_rows
        for memory in chosen.memory.split(","):
            found = measure(path, memory, chosen.repeats)
            cells = " | ".join(f"{value:.2f}" for value in found.values())
            each = found["hull cpu"] / rows
            steps = [
                max(each / before[last], before[last] / each)
                for last in (str(path), memory)
                if last in before
            ]
            step = max(steps, default=1.0)
            before |= {str(path): each, memory: each}
            warned = " (more than twice)" if step > _STEP else ""
            print(f"| {path.name} | {memory} | {cells} | {step:.2f}{warned} |", flush=True)


if __name__ == "__main__":
    main()
