"""Memory that a hull needs beyond its input."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path

import rochull as rh
from benchmarks import inputs, machine
from benchmarks.processes import output

_WARM_ROWS = 1 << 17


def traced_peak(sample: inputs.Sample) -> int:
    """Bytes that NumPy and Python allocate at most; what kernels allocate is not seen."""
    tracemalloc.start()
    rh.roc_hull(sample.labels, sample.scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def resident_growth(rows: int, prevalence: float) -> int:
    """Bytes by which the resident memory of a new process grows at most; everything is seen."""
    return int(output(sys.executable, "-m", __name__, str(rows), str(prevalence)))


def _measure(rows: int, prevalence: float) -> int:
    """In the new process: kernels are loaded and threads started before the measured call."""
    machine.load_kernels()
    small = inputs.normal(_WARM_ROWS, prevalence)
    rh.roc_hull(small.labels, small.scores)
    sample = inputs.normal(rows, prevalence)
    before = resident_before()
    rh.roc_hull(sample.labels, sample.scores)
    return peak_resident() - before


def resident_before() -> int:
    """Resident bytes; where the system can, the peak so far is forgotten."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status("VmRSS")
    except (OSError, KeyError):
        return peak_resident()


def peak_resident() -> int:
    # Not getrusage where /proc says it: a new process inherits the peak of the one that started it.
    try:
        return _status("VmHWM")
    except (OSError, KeyError):
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    facts = dict(line.split(":", 1) for line in lines)
    return int(facts[key].split()[0]) * 1024


if __name__ == "__main__":
    print(_measure(int(sys.argv[1]), float(sys.argv[2])))
