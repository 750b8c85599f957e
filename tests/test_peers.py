"""Figures of other tools' own tests, which need no data of theirs or data that may be copied: docs/evidence.md."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logit

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


# --- libraries of calibration: python -m benchmarks.calibration_values > tests/peers/calibration.json ---------

AT = [0.05, 0.2, 0.5, 0.8, 0.95]
TABLE = rh.datasets.load("german_credit_scores")
BAD, FORECAST = TABLE["class"] == "bad", np.asarray(TABLE["logistic"], float)
LOG_ODDS, ASKED, LLR = logit(FORECAST), logit(AT), logit(FORECAST) - logit(0.3)


def ece(bins: int) -> float:
    return rh.scoring.expected_calibration_error(BAD, FORECAST, bins).estimate


def in_tens(llr: Any) -> Any:
    return np.array(llr) / math.log(10)


def platt() -> Any:
    """Its posteriors hold at the mean of Platt's targets."""
    P, N = 300, 700
    mean = (P * (P + 1) / (P + 2) + N / (N + 2)) / 1000
    return rh.LogisticCalibrator(targets="platt").fit(LOG_ODDS, BAD).posterior(ASKED, mean)


def isotonic() -> Any:
    """Between two scores a line, drawn at the training proportion; `PavCalibrator` draws it at one half."""
    made = rh.PavCalibrator().fit(LOG_ODDS, BAD)
    return np.interp(ASKED, np.sort(LOG_ODDS), made.posterior(np.sort(LOG_ODDS)))


TEMPERATURE = rh.calibration.TemperatureCalibrator
CALIBRATION: dict[str, dict[str, tuple[Any, float]]] = {  # ours, and within what theirs is, which search
    "netcal 1.4.0": {
        "expected calibration error, 10 bins": (lambda: ece(10), 1e-15),
        "expected calibration error, 15 bins": (lambda: ece(15), 1e-15),
        "TemperatureScaling": (lambda: TEMPERATURE().fit(LOG_ODDS, BAD).posterior(ASKED), 1e-6),
        "BetaCalibration": (lambda: rh.BetaCalibrator().fit(FORECAST, BAD).posterior(AT), 3e-5),
        "LogisticCalibration": (lambda: rh.LogisticCalibrator().fit(LOG_ODDS, BAD).posterior(ASKED), 1e-6),
        "IsotonicRegression": (lambda: rh.PavCalibrator().fit(FORECAST, BAD).posterior(FORECAST[:9]), 1e-15),
    },
    "scikit-learn 1.9.1": {
        "temperature": (lambda: TEMPERATURE().fit(LOG_ODDS, BAD).posterior(ASKED), 1e-9),
        "sigmoid": (platt, 1e-6),
        "isotonic": (isotonic, 1e-12),
    },
    "lir 1.3.1": {
        "KDECalibrator": (lambda: in_tens(rh.calibration.KdeCalibrator().fit(LOG_ODDS, BAD).llr(ASKED)), 1e-9),
        "LogitCalibrator": (lambda: in_tens(rh.LogisticCalibrator(0.5).fit(LOG_ODDS, BAD).llr(ASKED)), 1e-6),
        "IsotonicCalibrator": (
            lambda: in_tens(rh.PavCalibrator("linear", "misleading").fit(LOG_ODDS, BAD).llr(ASKED)), 1e-12,
        ),
        "elub": (lambda: in_tens(rh.calibration.llr_bounds(BAD, LLR, "elub")), 1e-3),
        "invariance bounds": (lambda: in_tens(rh.calibration.llr_bounds(BAD, LLR, "invariance")), 1e-3),
    },
    "llreval 0.0.3": {
        "PAV, LLRs": (lambda: np.sort(rh.roc_hull(BAD, LLR).blocks.llr), 1e-14),
        "hull, area": (lambda: rh.roc_hull(BAD, LLR).auc(), 1e-14),
        "hull, equal error rate": (lambda: rh.eer(BAD, LLR), 1e-10),
        "min_cllr": (lambda: rh.min_cllr(BAD, LLR), 1e-14),
        "cllr": (lambda: rh.cllr(BAD, LLR), 1e-14),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("library", "what"), [(name, what) for name, figures in CALIBRATION.items() for what in figures]
)
def test_libraries_of_calibration_find_the_same(library: str, what: str) -> None:
    ours, within = CALIBRATION[library][what]
    theirs = json.loads((DATA / "calibration.json").read_text())[library][what]
    assert np.ravel(ours()) == pytest.approx(theirs, rel=within, abs=within)


def test_every_figure_of_theirs_is_compared() -> None:
    stored = json.loads((DATA / "calibration.json").read_text())
    assert {name: [*figures] for name, figures in stored.items()} == {
        name: [*figures] for name, figures in CALIBRATION.items()
    }
