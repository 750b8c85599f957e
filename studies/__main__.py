"""How often intervals cover, and whether promises are kept: ``python -m studies [NAME ...]``.

Seeds are fixed, and results do not depend on the number of cores. Reports, not tests.
"""

from __future__ import annotations

import argparse
import sys
from time import perf_counter

from benchmarks import machine

from studies import capacity_order, coverage

ORDER = "order"  # which cases fill a capacity; its draws are splits, 100 unless --draws says otherwise
NAMES = (*coverage.PARTS, ORDER)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of: {' '.join(NAMES)} (default: all)")
    parser.add_argument(
        "--draws", type=lambda text: int(float(text)), help="simulated samples (default: 2000)"
    )
    parser.add_argument("--cores", type=int, default=2, help="cores to use, of those there are (default: 2)")
    chosen = parser.parse_args()
    if unknown := sorted({*chosen.names} - {*NAMES}):
        parser.error(f"there is no study {', '.join(unknown)}; there are: {' '.join(NAMES)}")
    if chosen.draws is not None and chosen.draws < 2:
        parser.error(f"--draws must be at least 2, but is {chosen.draws}")
    return chosen


def main() -> None:
    """Compute and print, line by line."""
    chosen = _arguments()
    names = chosen.names or NAMES
    machine.use_cores(chosen.cores)
    for line in machine.describe():
        print(line)
    begin = perf_counter()
    if parts := [name for name in names if name != ORDER]:
        for line in coverage.report(chosen.draws or 2000, machine.cores(), parts):
            print(line, flush=True)
    if ORDER in names:
        for line in capacity_order.report(chosen.draws or 100):
            print(line, flush=True)
    print(f"{perf_counter() - begin:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
