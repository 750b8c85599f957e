"""``python -m benchmarks core``: a table of figures, each with its target. A report, not a test."""

from __future__ import annotations

import argparse

from benchmarks import core, machine, table


def _count(text: str) -> int:
    """Read a number such as 1e7."""
    return int(float(text))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suite", choices=["core"])
    parser.add_argument("--rows", type=_count, default=10**7, help="rows (default: 1e7)")
    parser.add_argument("--repeats", type=int, default=5, help="runs that a median is of (default: 5)")
    parser.add_argument("--cores", type=int, default=2, help="cores to use, of those there are (default: 2)")
    parser.add_argument(
        "--only", nargs="+", choices=[*core.BENCHMARKS], default=[*core.BENCHMARKS], metavar="NAME",
        help=f"some of: {' '.join(core.BENCHMARKS)}",
    )  # fmt: skip
    return parser.parse_args()


def main() -> None:
    """Measure and print, line by line."""
    chosen = _arguments()
    machine.use_cores(chosen.cores)
    for line in machine.describe():
        print(line)
    print(f"n = {chosen.rows:.3g} normal scores, prevalence p; medians of {chosen.repeats}, in turns\n")
    rows = core.run(core.Setup(chosen.rows, chosen.repeats), chosen.only)
    for line in table.lines(rows):
        print(line, flush=True)


if __name__ == "__main__":
    main()
