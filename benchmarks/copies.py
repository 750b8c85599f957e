"""``python -m benchmarks.copies``: commands that write a file from a file, in copies of it by DuckDB.

A copy is DuckDB's ``COPY`` of the same Parquet file with one more column by ``CASE``; "as many" is one with
three columns of numbers and one of text by ``CASE``, as ``calibrate --apply`` writes unless ``--write`` names
some. Every run is a process of its own, and commands and copies take turns. Counted are core seconds with
imports, and the peak of memory.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

import rochull as rh

_NUMBER = "CASE WHEN score >= 1.5 THEN {i}.7 WHEN score >= 0.5 THEN {i}.3 ELSE {i}.1 END::DOUBLE AS p{i}"
_TEXT = "CASE WHEN score >= 3 THEN 'upper' WHEN score < -3 THEN 'lower' END AS b"
_ONE = "CASE WHEN score >= 1.5 THEN TRUE ELSE FALSE END AS decision"
_AS_MANY = ", ".join([*(_NUMBER.format(i=i) for i in range(3)), _TEXT])
_COPY = """
import duckdb, sys
connection = duckdb.connect()
connection.execute("SET enable_progress_bar = false")
path, out, new = sys.argv[1:]
connection.execute(f"COPY (SELECT *, {new} FROM '{path}') TO '{out}' (COMPRESSION zstd)")
"""
_EXAMPLES = 200_000
_COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of all cores, and the peak in gigabytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=_COMPILED)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed.")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1e6


def models(path: Path, directory: Path) -> dict[str, Path]:
    """Calibrators and a policy made from the file's first rows."""
    rows = duckdb.sql(f"SELECT * FROM '{path}' LIMIT {_EXAMPLES}").fetchnumpy()
    score, label, names = rows["score"], rows["label"], list(rows)
    segment = rows.get("segment")
    found = {}
    for name, calibrator in (
        ("steps", rh.PavCalibrator(bound="laplace")),
        ("lines", rh.PavCalibrator("linear", bound="laplace")),
        ("logistic", rh.LogisticCalibrator()),
    ):
        found[name] = directory / f"{name}.json"
        calibrator.fit(score, label).save(found[name], about={"score": "score"})
    hybrid = rh.Hybrid()
    hybrid.add("score", label, score)
    found["policy"] = directory / "policy.json"
    hybrid.policy().save(found["policy"])
    if "segment" in names:
        of = {name: segment == name for name in sorted(set(segment))}
        hulls = {name: rh.roc_hull(label[own], score[own]) for name, own in of.items()}
        found["segments"] = directory / "segments.json"
        by_segment = rh.segments.SegmentPolicy.from_hulls(hulls, column="segment", elsewhere=hybrid.hull)
        by_segment.save(found["segments"])
    return found


def jobs(path: Path, made: Mapping[str, Path], memory: str) -> dict[str, list[str]]:
    """Commands by name; each writes the file that is named last."""
    program = [str(Path(sys.executable).with_name("rochull"))]
    found = {}
    for kind, only in itertools.product(("steps", "lines", "logistic"), ([], ["--write", "posterior"])):
        name = " ".join([f"calibrate --apply, {kind}", *only])
        found[name] = [*program, "calibrate", str(path), "--apply", str(made[kind]), *only]
    streamed = ["--engine", "duckdb", "--memory", memory]
    decide = [*program, "decide", str(made["policy"]), str(path), "--deterministic", *streamed]
    cases = [program[0], "decide", str(made["policy"]), str(path), "--random-state", "1", *streamed]
    hundredth = str(duckdb.sql(f"FROM '{path}'").shape[0] // 100)
    found |= {
        "decide": [*decide, "--max-fpr", "0.05"],
        "decide --prevalence estimate": [*decide, "--cost-fn", "5", "--prevalence", "estimate"],
        "decide --cases, a hundredth": [*cases, "--cases", hundredth],
        "decide --max-reviews, a hundredth": [
            *[*cases, "--max-reviews", hundredth],
            *["--cost-fn", "3", "--cost-review", "0.3"],
        ],
    }
    if "segments" in made:
        of = [program[0], "decide", str(made["segments"]), str(path), "--deterministic", *streamed]
        found["decide by segment"] = [*of, "--max-fpr", "0.05"]
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure files made by ``scripts/make_rows.py``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", help="Parquet files with columns score and label")
    parser.add_argument("--memory", default="300MB", help="of decide")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", default="", help="commands whose names begin so")
    chosen = parser.parse_args(arguments)
    print("| file | command | core s | copies | copies of as many columns | GB |")
    print("|---|---|---:|---:|---:|---:|")
    for path in chosen.files:
        with tempfile.TemporaryDirectory(dir=path.parent) as place:
            out = str(Path(place) / "out.parquet")
            copies = [[sys.executable, "-c", _COPY, str(path), out, new] for new in (_ONE, _AS_MANY)]
            for name, command in jobs(path, models(path, Path(place)), chosen.memory).items():
                if not name.startswith(chosen.only):
                    continue
                rows = [
                    (run(copies[0]), run([*command, "-o", out]), run(copies[1]))
                    for _ in range(chosen.repeats)
                ]
                seconds = statistics.median(own for _, (own, _), _ in rows)
                one = statistics.median(own / copy for (copy, _), (own, _), _ in rows)
                many = statistics.median(own / copy for _, (own, _), (copy, _) in rows)
                peak = max(gigabytes for _, (_, gigabytes), _ in rows)
                print(
                    f"| {path.name} | {name} | {seconds:.2f} | {one:.2f} | {many:.2f} | {peak:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
