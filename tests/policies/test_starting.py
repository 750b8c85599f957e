"""A process that loads a saved policy and decides starts fast."""

import subprocess
import sys
from pathlib import Path

import rochull as rh

# Seconds of the processor beyond those that NumPy takes; they depend less on what else runs than a clock.
DECIDING = """
import sys, time
begin = time.process_time()
import numpy
of_numpy = time.process_time() - begin
import rochull
policy = rochull.Policy.load(sys.argv[1])
assert policy.decide([0.95, 0.05], rochull.ExpectedCost(1, 5, 0.3), key=["a", "b"]).tolist() == [True, False]
print(time.process_time() - begin - of_numpy)
"""


def test_deciding_with_a_saved_policy_starts_in_a_fifth_of_a_second(tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])).save(path)
    command = [sys.executable, "-c", DECIDING, str(path)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) < 0.2
