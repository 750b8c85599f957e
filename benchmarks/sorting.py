"""One single-threaded np.sort, under the CPU dispatch that is best for it.

NumPy chooses its dispatch when it is imported, so a second process sorts without AVX-512, which
is the faster way on some processors.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks import inputs
from benchmarks.clock import Contender, clocked


@contextmanager
def contenders(rows: int, prevalence: float, without: list[str]) -> Iterator[dict[str, Contender]]:
    """Sorts of the normal scores: here, and in a process without the given features, if any."""
    scores = inputs.normal(rows, prevalence).scores
    here = {"default dispatch": clocked(lambda: np.sort(scores))}
    if not without:
        yield here
        return
    command = [sys.executable, "-m", __name__, str(rows), str(prevalence)]
    env = {**os.environ, "NPY_DISABLE_CPU_FEATURES": " ".join(without)}
    with subprocess.Popen(  # leaving closes its input, and so ends it
        command, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def elsewhere() -> float:
            print(file=process.stdin, flush=True)
            return _reply(process)

        _reply(process)  # its scores are made
        yield {**here, f"without {' '.join(without)}": elsewhere}


def _reply(process: subprocess.Popen[str]) -> float:
    line = process.stdout.readline() if process.stdout else ""
    if not line:
        raise RuntimeError("the process that sorts without AVX-512 ended early.")
    return float(line)


def _serve(rows: int, prevalence: float) -> None:
    """Sort once for every line of the input; print the seconds."""
    scores = inputs.normal(rows, prevalence).scores
    print(0, flush=True)
    for _ in sys.stdin:
        print(clocked(lambda: np.sort(scores))(), flush=True)


if __name__ == "__main__":
    _serve(int(sys.argv[1]), float(sys.argv[2]))
