"""Figures of other tools' own tests, which need no data of theirs or data that may be copied: docs/evidence.md."""

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh

DATA = Path(__file__).resolve().parent / "peers"

# --- scikit-learn 1.9, sklearn/metrics/tests/test_ranking.py (BSD-3-Clause) ------------------------------

TOY = [  # test_roc_curve_toydata, test_precision_recall_curve_toydata: y, scores, fpr, tpr, AUC, average precision
    ([0, 1], [0, 1], [0, 0, 1], [0, 1, 1], 1.0, 1.0),
    ([0, 1], [1, 0], [0, 1, 1], [0, 0, 1], 0.0, 0.5),
    ([1, 0], [1, 1], [0, 1], [0, 1], 0.5, 0.5),
    ([1, 0], [1, 0], [0, 0, 1], [0, 1, 1], 1.0, 1.0),
    ([1, 0], [0.5, 0.5], [0, 1], [0, 1], 0.5, 0.5),
]


@pytest.mark.parametrize("case", TOY, ids=str)
def test_toy_data_of_scikit_learn(case: Any) -> None:
    y, score, fpr, tpr, auc, precision = case
    curve = rh.roc_curve(y, score)
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == (fpr, tpr)
    assert rh.roc_auc(y, score) == auc
    assert rh.average_precision(y, score) == precision


DET = [  # test_det_curve_toydata and test_det_curve_tie_handling: y, fpr, fnr; scores rise
    ([0, 0, 1], [0, 0.5, 1], [0], [0]),
    ([0, 1, 0], [0, 0.25, 0.5], [0.5, 0.5, 0], [0, 1, 1]),
    ([0, 1, 1], [0.25, 0.5, 0.75], [0], [0]),
    ([1, 0, 0], [0.5, 0.75, 1], [1, 1, 0.5, 0], [0, 1, 1, 1]),
    ([1, 0, 1], [0, 0.5, 1], [1, 1, 0], [0, 0.5, 0.5]),
    ([1, 0], [0.5, 0.5], [1, 0], [0, 1]),
    ([0, 0, 1], [0.25, 0.5, 0.5], [0.5, 0], [0, 1]),
    ([0, 1, 1], [0.25, 0.5, 0.5], [0], [0]),
    ([1, 0, 0], [0.25, 0.5, 0.5], [1, 1, 0], [0, 1, 1]),
    ([1, 0, 1], [0.25, 0.5, 0.5], [1, 1, 0], [0, 0.5, 1]),
    ([1, 1, 0], [0.25, 0.5, 0.5], [1, 1, 0], [0, 0.5, 1]),
]


@pytest.mark.parametrize(("y", "score", "fpr", "fnr"), DET)
def test_error_trade_offs_of_scikit_learn(
    y: list[int], score: list[float], fpr: list[float], fnr: list[float]
) -> None:
    """Its curve leaves out where all are called positive or none is, once there is no error left to lose."""
    curve = rh.roc_curve(y, score)
    points = set(zip(curve.fpr.tolist(), (1 - curve.tpr).tolist(), strict=True))
    assert set(zip(fpr, fnr, strict=True)) <= points


def test_pairs_of_classes_of_scikit_learn() -> None:
    """test_multiclass_ovo_roc_auc_toydata: its mean of one against one is Hand and Till's."""
    outputs = [[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]]
    pairs = [
        (rh.roc_auc([1, 0, 1], [0.1, 0.3, 0.35]) + rh.roc_auc([0, 1, 0], [0.8, 0.4, 0.5])) / 2,
        (rh.roc_auc([1, 1, 0], [0.1, 0.35, 0]) + rh.roc_auc([0, 0, 1], [0.1, 0.15, 0.8])) / 2,
        (rh.roc_auc([1, 0], [0.4, 0.2]) + rh.roc_auc([0, 1], [0.3, 0.8])) / 2,
    ]
    found = rh.multiclass.hand_till(["a", "b", "a", "c"], outputs, classes=["a", "b", "c"])
    assert found == pytest.approx(sum(pairs) / 3, abs=1e-15)


# --- PYLLR, commit 442b10b5 (MIT): its functions on these scores ------------------------------------------------

PYLLR = [  # seed, n, EER to what its search finds, Cllr, least Cllr
    (0, 200, 0.19367588929446378, 0.7327785319299106, 0.534129435904619),
    (1, 1000, 0.2441417335582024, 0.8152116529432587, 0.7041643667467563),
]


@pytest.mark.parametrize(("seed", "n", "eer", "cllr", "least"), PYLLR)
def test_figures_of_pyllr(seed: int, n: int, eer: float, cllr: float, least: float) -> None:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.3
    llr = np.round(rng.normal(size=n) + 1.5 * y, 1)
    assert rh.eer(y, llr) == pytest.approx(eer, abs=1e-10)
    assert rh.cllr(y, llr) == pytest.approx(cllr, rel=1e-14)
    assert rh.min_cllr(y, llr) == pytest.approx(least, rel=1e-14)


# --- lir, commit b4ae531f, tests/test_metrics.py (Apache-2.0) --------------------------------------------------

LIR = [  # Cllr, likelihood ratios of cases from different sources, and from the same
    (1, [1, 1], [1, 1]),
    (2, [3.0] * 20, [1 / 3.0] * 20),
    (0.4150374992788437, [1 / 3.0] * 2, [3.0] * 2),
    (0.7075187496394219, [1 / 3.0] * 2, [1]),
    (0.507177646488535, [1 / 100.0] * 100, [1]),
    (0.5400680236656377, [1 / 100.0] * 100 + [100], [1]),
    (0.5723134914863265, [1 / 100.0] * 100 + [100] * 2, [1]),
    (0.6952113122368764, [1 / 100.0] * 100 + [100] * 6, [1]),
    (1.0849625007211563, [2], [2] * 2),
    (1.6699250014423126, [8], [8] * 8),
    (0.5, [0, 0], [1, 1]),
    (0, [0, 0], [math.inf] * 2),
    (math.inf, [math.inf, 1], [1, 1]),
]


@pytest.mark.parametrize(("expected", "different", "same"), LIR)
def test_cllr_of_lir(expected: float, different: list[float], same: list[float]) -> None:
    y = [0] * len(different) + [1] * len(same)
    with np.errstate(divide="ignore"):
        llr = np.log(np.array(different + same, float))
    assert rh.cllr(y, llr) == pytest.approx(expected, rel=1e-14)


# --- yardstick, commit fa91f90c (MIT) -----------------------------------------------------------------------------


def test_two_class_example_of_yardstick() -> None:
    """test-prob-roc_auc.R (by pROC), test-prob-brier_class.R (by mclust): its own tolerance is .01 there."""
    with (DATA / "two_class_example.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    y = np.array([row["truth"] == "Class1" for row in rows])
    probability = np.array([float(row["Class1"]) for row in rows])
    assert rh.roc_auc(y, probability) == pytest.approx(0.939313857389967, rel=1e-14)
    assert rh.Brier().score(y, probability) == pytest.approx(0.10561859, abs=5e-9)


def test_gain_capture_of_yardstick() -> None:
    """test-prob-gain_capture.R: the share of a perfect gain is twice the area less one."""
    most = (3 / 5) / 2 + (1 - 3 / 5) - 0.5
    parts = [0.4 * 2 / 3 / 2, 0.2 * 2 / 3, 0.2 * 2 / 3, 0.2 * (1 - 2 / 3) / 2, 0.2, -0.5]
    area = rh.roc_auc(["Yes", "Yes", "No", "Yes", "No"], [0.9, 0.8, 0.7, 0.68, 0.4], pos_label="Yes")
    assert 2 * area - 1 == pytest.approx(sum(parts) / most, rel=1e-14)
