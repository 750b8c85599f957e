"""What the tests of calibrators share: examples, and every calibrator."""

from typing import Any

import numpy as np

import rochull as rh
from rochull.hull.blocks import Blocks
from sum_of_scores import SumCalibrator

# Sixteen probabilities that are not far from calibrated, with overlapping classes.
PROBABILITY = np.array(
    [0.03, 0.07, 0.11, 0.18, 0.22, 0.31, 0.38, 0.44, 0.52, 0.55, 0.61, 0.67, 0.74, 0.83, 0.91, 0.97]
)
LABELS = np.array([0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1])

CALIBRATORS = [
    rh.PavCalibrator(), rh.PavCalibrator("linear"), rh.PavCalibrator(bound="elub", strict=True),
    rh.PavCalibrator("linear", "laplace", True), rh.LogisticCalibrator(), rh.LogisticCalibrator(0.2, "platt"),
    rh.BetaCalibrator(), rh.BetaCalibrator("am", 0.2), rh.BetaCalibrator("ab", targets="platt"),
    rh.LogisticCalibrator(bound="misleading"), rh.BetaCalibrator(bound="invariance"),
    rh.PavCalibrator(bound="invariance"), rh.PavCalibrator("centred"), rh.calibration.FourParameterCalibrator(),
]  # fmt: skip
SEVERAL = SumCalibrator()  # of two columns; its kind is "sum" while a test says so
SUM = "sum", "sum_of_scores:SumCalibrator"


def scores_for(made: Any, scores: Any = PROBABILITY) -> Any:
    """Scores of as many columns as a calibrator reads."""
    several = getattr(made, "n_columns", 1) != 1
    return np.column_stack([scores, np.square(scores[::-1])]) if several else scores


def blocks_of(labels: Any, scores: Any, weights: Any = None) -> Blocks:
    """The PAV blocks of examples."""
    blocks = rh.roc_hull(labels, scores, sample_weight=weights).blocks
    assert blocks is not None
    return blocks
