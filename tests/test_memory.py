"""`--memory` is a promise: of 10^8 rows the peak of a command is at most the limit and 150 MB."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

ROWS = 100_000_000
LIMIT, MOST = "200MB", 350_000_000
# Not getrusage: a new process inherits the peak of the one that started it.
_RUN = """
import sys
from rochull.cli import main
status = main(sys.argv[1:])
peak, = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(1024 * int(peak))
sys.exit(status)
"""
READ = ["--engine", "duckdb", "--memory", LIMIT]
FIT = ["--label", "y", "--score", "s", *READ]
REPORT = ["report", "{rows}", *FIT, "-o", "{at}/report.html", "--policy", "{at}/policy.json"]
CALIBRATE = ["calibrate", "{rows}", *FIT, "--model", "{at}/pav.json"]
COMMANDS = {
    "report": REPORT,
    "calibrate": CALIBRATE,
    "decide": ["decide", "{at}/policy.json", "{rows}", "--max-fpr", "0.05", "--deterministic", *READ,
               "-o", "{at}/out.parquet"],
    "apply": ["calibrate", "{rows}", "--apply", "{at}/pav.json", "--write", "posterior",
              "-o", "{at}/out.parquet"],
    "logistic": ["calibrate", "{few}", *FIT, "--method", "logistic", "--model", "{at}/logistic.json"],
    "multiclass": ["multiclass", "{classes}", "--label", "y", *(f"--score={i}=s{i}" for i in range(4)),
                   "--memory", LIMIT, "--sample", "830000", "-o", "{at}/report.html"],
}  # fmt: skip


def _write(path: Path, rows: int) -> Path:
    """Write scores of float32 that hardly repeat, a tenth of them positive and shifted by 1."""
    bits = "((h // {}) % 16777216)::FLOAT / 8388608"
    duckdb.sql(f"""
        COPY (SELECT y, ({bits.format(16)} + {bits.format(1 << 40)} + y::INT)::FLOAT AS s
              FROM (SELECT hash(i) AS h, hash(i) % 10 = 0 AS y FROM range({rows}) t(i)))
        TO '{path}' (FORMAT parquet, COMPRESSION uncompressed)""")
    return path


def _write_classes(path: Path, row_groups: int) -> Path:
    """Write outputs of four classes, of float64 that hardly repeat, in row groups as large as Arrow's."""
    size, random = 1 << 20, np.random.default_rng(0)
    schema = pa.schema([("y", pa.int64()), *((f"s{c}", pa.float64()) for c in range(4))])
    with pq.ParquetWriter(path, schema) as writer:
        for _ in range(row_groups):
            label, outputs = random.integers(0, 4, size), random.random((4, size))
            outputs[label, np.arange(size)] += 0.4
            writer.write_table(pa.table([label, *outputs], schema=schema), row_group_size=size)
    return path


def _peak(command: str, rows: Path, few: Path) -> int:
    """Run a command in a process of its own, and remove what it copied: its peak in bytes."""
    at = rows.parent
    words = [
        word.format(rows=rows, few=few, at=at, classes=at / "classes.parquet") for word in COMMANDS[command]
    ]
    ran = subprocess.run(
        [sys.executable, "-c", _RUN, *words], capture_output=True, text=True, check=False, cwd=at
    )
    assert ran.returncode == 0, ran.stderr
    (at / "out.parquet").unlink(missing_ok=True)
    return int(ran.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Path]]:
    """The rows, a tenth of them, and a part by which kernels are compiled: that takes memory of its own."""
    made = tmp_path_factory.mktemp("rows")
    paths = [_write(made / f"{rows}.parquet", rows) for rows in (ROWS, ROWS // 10, ROWS // 50)]
    classes = _write_classes(made / "classes.parquet", 10)
    yield paths
    for path in [*paths, classes]:
        path.unlink()


@pytest.mark.long
def test_the_peak_of_every_command_is_the_limit_and_150_megabytes(tables: list[Path]) -> None:
    rows, few, part = tables
    peaks = {}
    for command in COMMANDS:
        _peak(command, part, part)
        peaks[command] = _peak(command, rows, few)
        if peaks[command] > MOST:  # it may have compiled what only so many rows go through
            peaks[command] = _peak(command, rows, few)
    assert max(peaks.values()) <= MOST, peaks
