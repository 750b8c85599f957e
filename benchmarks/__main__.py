"""``python -m benchmarks`` writes docs/benchmarks.md, and ``growth`` a picture for it.

With another SUITE it prints a table of figures, each with its target.

A report, not a test.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from time import perf_counter

from benchmarks import (
    calibration,
    core,
    groups,
    growth,
    hybrid,
    inference,
    jobs,
    machine,
    multiclass,
    named,
    page,
    report,
    reviews,
    segments,
    suite,
    table,
)

SUITES = {
    "core": core.BENCHMARKS,
    "calibration": calibration.BENCHMARKS,
    "inference": inference.BENCHMARKS,
    "groups": groups.BENCHMARKS,
    "hybrid": hybrid.BENCHMARKS,
    "segments": segments.BENCHMARKS,
    "multiclass": multiclass.BENCHMARKS,
    "report": report.BENCHMARKS,
    "reviews": reviews.BENCHMARKS,
    "named": named.BENCHMARKS,
}
PAGE = "page"  # jobs by sizes, beside peers
GROWTH = "growth"  # one job from ten rows on, drawn
NAMES = {
    PAGE: [*jobs.JOBS],
    GROWTH: [],
    **{name: [*found] for name, found in SUITES.items()},
}


def _count(text: str) -> int:
    """Read a number such as 1e7."""
    return int(float(text))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", nargs="?", default=PAGE, choices=[*NAMES], help="default: page")
    parser.add_argument("--rows", type=_count, help="rows (default: 1e7; of the page 1e8, its largest)")
    parser.add_argument("--repeats", type=int, default=5, help="runs that a median is of (default: 5)")
    parser.add_argument("--cores", type=int, default=2, help="cores to use, of those there are (default: 2)")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME",
        help="; ".join(f"some of {name}: {' '.join(found)}" for name, found in NAMES.items()),
    )  # fmt: skip
    chosen = parser.parse_args()
    chosen.rows = chosen.rows or (10**8 if chosen.suite == PAGE else 10**7)
    chosen.only = chosen.only or NAMES[chosen.suite]
    unknown = set(chosen.only) - set(NAMES[chosen.suite])
    if unknown:
        parser.error(f"{chosen.suite} has no benchmark {', '.join(sorted(unknown))}")
    return chosen


def _measured(chosen: argparse.Namespace) -> Iterator[str]:
    """The lines of the chosen suite."""
    yield f"n = {chosen.rows:.3g} normal scores, prevalence p; medians of {chosen.repeats}, in turns\n"
    rows = suite.run(suite.Setup(chosen.rows, chosen.repeats), SUITES[chosen.suite], chosen.only)
    yield from table.lines(rows)


def main() -> None:
    """Measure and print, line by line."""
    chosen = _arguments()
    machine.use_cores(chosen.cores)
    if chosen.suite == PAGE:
        print(page.write(chosen.rows, chosen.only))
        return
    if chosen.suite == GROWTH:
        print(growth.write(chosen.rows))
        return
    for line in machine.describe():
        print(line)
    begin = perf_counter()
    for line in _measured(chosen):
        print(line, flush=True)
    print(f"{perf_counter() - begin:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
