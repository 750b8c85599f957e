"""Partial VOROS (arXiv 2510.18520): mean least costs within limits, beside its authors'.

They publish predictions for two hospitals' patients in two scenarios (github.com/tufts-ml/partial-VOROS,
in tests/fixtures; no licence, so nothing of it is here). A rule is chosen on the validation part for each
of 1,000 cost ratios, and judged on the test part: one threshold, as by its authors, or a mixture of two.

    git clone https://github.com/tufts-ml/partial-VOROS
    python benchmarks/partial_voros.py partial-VOROS/tests/fixtures
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import rochull as rh


class Scenario(NamedTuple):
    """Limits, the range of the cost of a false alarm in misses, and the authors' mean test cost."""

    precision: float
    alarms: float
    ratios: tuple[float, float]
    files: str
    published: float


FIRST, SECOND = (0.15, 0.5, (1 / 9, 1 / 6)), (0.5, 0.1, (1 / 40, 1 / 20))
SCENARIOS = {
    "MIMIC 1": Scenario(*FIRST, "scenario1_pvoros", 0.261),
    "MIMIC 2": Scenario(*SECOND, "scenario2", 0.538),
    "eICU 1": Scenario(*FIRST, "eicu_s1_pvoros", 0.319),
    "eICU 2": Scenario(*SECOND, "eicu_s2_pvoros", 0.707),
}


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of a file."""
    with path.open(newline="") as file:
        rows = [(int(row["y_true"]), float(row["proba_y_eq_1"])) for row in csv.DictReader(file)]
    labels, scores = zip(*rows, strict=True)
    return np.array(labels), np.array(scores)


def mean_cost(scenario: Scenario, folder: Path, single: bool) -> float:
    """The mean over the ratios of the cost on the test part, per unit of ``ratio * N + P``."""
    y, scores = read(folder / f"{scenario.files}_valid.csv")
    y_test, test = read(folder / f"{scenario.files}_test.csv")
    curve = rh.RocHull.from_curve(rh.roc_curve(y, scores))
    policy = rh.Policy.from_hull(curve)
    limits = [rh.Precision() >= scenario.precision, rh.AlarmRate() <= scenario.alarms]
    pos, neg = int(y_test.sum()), int((1 - y_test).sum())
    rates: dict[rh.conditions.Rule, tuple[float, float]] = {}
    costs = []
    for ratio in np.linspace(*scenario.ratios, 1000).tolist():
        point = curve.at(rh.Within(rh.ExpectedCost(ratio, 1), limits), deterministic=single)
        weight = ratio * neg / (ratio * neg + pos)
        for rule, share in point.rules:
            if rule not in rates:
                alone = rh.conditions.OperatingPoint(0.0, 0.0, ((rule, 1.0),))
                called = policy.decide(test, alone)
                rates[rule] = float(called[y_test == 0].mean()), float(called[y_test == 1].mean())
            fpr, tpr = rates[rule]
            costs.append(share * (weight * fpr + (1 - weight) * (1 - tpr)))
    return sum(costs) / 1000


def main() -> None:
    """Print a row for each scenario."""
    folder = Path(sys.argv[1])
    print(f"{'mean cost':10}{'published':>12}{'one threshold':>16}{'mixture':>12}")
    for name, scenario in SCENARIOS.items():
        single, mixed = (mean_cost(scenario, folder, single) for single in (True, False))
        print(f"{name:10}{scenario.published:12.3f}{single:16.4f}{mixed:12.4f}")


if __name__ == "__main__":
    main()
