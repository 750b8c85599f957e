"""Reports from the trackers of tools for this job, each tried here: docs/evidence.md lists them with their right values."""

import math

import numpy as np
import pytest

import rochull as rh


def test_large_logits_keep_their_order() -> None:
    """torchmetrics 2819: a sigmoid makes these equal in float32, and the area is 0.5."""
    logits = np.array(
        [
            98.0950, 98.4612, 98.1145, 98.1506, 97.6037, 98.9425, 99.2644, 99.5014, 99.7280, 99.6595, 99.6931,
            99.4667, 99.9623, 99.8949, 99.8768,
        ],
        np.float32,
    )  # fmt: skip
    assert rh.roc_auc([0] + [1] * 14, logits) == 13 / 14


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_in_batches_are_the_scores(dtype: type) -> None:
    """anomalib 2003, torchmetrics 1604: batches of one score were mapped to probabilities one by one."""
    scores = np.arange(-2, 2, 0.2).astype(dtype)
    assert rh.roc_auc(scores > 0, scores) == 1
    pieces = [scores[i : i + 1] for i in range(scores.size)]
    assert rh.roc_auc(np.concatenate(pieces) > 0, np.concatenate(pieces)) == 1


def test_a_tiny_score_is_not_zero() -> None:
    """scikit-learn 3864."""
    assert rh.roc_auc([1, 0, 0], [1e-10, 0, 0]) == 1


@pytest.mark.parametrize("scale", [1, 1e-6, 1e-7, 1e-300])
def test_no_tolerance_joins_scores(scale: float) -> None:
    """scikit-learn 6688: thresholds nearer than a tolerance were joined."""
    scores = scale * np.array([0.1, 0.4, 0.35, 0.8])
    assert rh.roc_auc([0, 0, 1, 1], scores) == 0.75
    assert len(rh.roc_curve([0, 0, 1, 1], scores).thresholds) == 5


def test_a_difference_of_one_bit_is_one() -> None:
    """scikit-learn 19093: 3.4000000000000004 and 3.4 are two thresholds, on every machine."""
    assert rh.roc_curve([1, 0], [3.4, 3.4000000000000004]).thresholds.tolist() == [
        math.inf, 3.4000000000000004, 3.4
    ]  # fmt: skip


def test_no_point_is_inside_a_tie() -> None:
    """LeakPro 465: the points counted one case of every tie, so that a coin had an area of 0.375."""
    curve = rh.roc_curve([1, 0, 1, 0], [9, 9, 5, 5])
    assert (curve.fpr.tolist(), curve.tpr.tolist()) == ([0, 0.5, 1], [0, 0.5, 1])
    assert curve.auc() == 0.5


def test_coordinates_beside_those_of_spss() -> None:
    """MatlabAUC 1: a tie of both classes at 13; the report has SPSS's coordinates."""
    given = [
        (-1, 1), (1, 2), (-1, 3), (-1, 4), (1, 5), (-1, 6), (1, 7), (-1, 8), (1, 9), (1, 10), (1, 11), (-1, 13),
        (1, 13), (1, 14), (1, 14),
    ]  # fmt: skip
    curve = rh.roc_curve(*zip(*given, strict=True))
    spss = [
        (1, 1), (1, 0.833), (0.889, 0.833), (0.889, 0.667), (0.889, 0.5), (0.778, 0.5), (0.778, 0.333),
        (0.667, 0.333), (0.667, 0.167), (0.556, 0.167), (0.444, 0.167), (0.333, 0.167), (0.222, 0), (0, 0),
    ]  # fmt: skip
    ours = list(zip(curve.tpr.round(3).tolist(), curve.fpr.round(3).tolist(), strict=True))
    assert ours == spss[::-1]


def test_a_large_table_has_an_interval() -> None:
    """pROC 19: 144,720 cases gave "1-1"."""
    rng = np.random.default_rng(0)
    score = np.r_[rng.random(120_000) / 2, 0.5 + rng.random(24_720) / 4]
    found = rh.auc_interval(rng.random(score.size) < score, score, "delong")
    assert (round(found.low, 4), round(found.estimate, 4), round(found.high, 4)) == (0.7574, 0.76, 0.7625)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_curve_without_error_has_an_interval() -> None:
    """pROC 25: DeLong's interval failed where low scores are positive and nothing is wrong."""
    y, score = ["A", "B", "A", "B"], [1, 0, 1, 0]
    for positive, lower in (("A", False), ("B", True)):
        how = {"pos_label": positive, "lower_is_positive": lower}
        assert rh.roc_auc(y, score, **how) == 1
        found = rh.auc_interval(y, [-x if lower else x for x in score], "delong", pos_label=positive)
        assert (found.low, found.estimate, found.high) == (1, 1, 1)
        assert rh.auc_interval(y, [-x if lower else x for x in score], pos_label=positive).low < 0.6


def test_infinite_scores_are_scores() -> None:
    """pROC 30 and 32: DeLong's placements were wrong beside an infinite score, which is refused since."""
    y, score = [1, 1, 0, 0, 1], [math.inf, 2, 1, -math.inf, 1]
    wins = [1.0 if a > b else 0.5 * (a == b) for a in (math.inf, 2, 1) for b in (1, -math.inf)]
    assert rh.roc_auc(y, score) == sum(wins) / 6
    curve = rh.roc_curve(y, score)
    assert (curve.fpr[[0, -1]].tolist(), curve.tpr[[0, -1]].tolist()) == ([0, 1], [0, 1])


def test_the_lowest_threshold_where_low_scores_are_positive() -> None:
    """pROC 60: coordinates at -Inf failed in this direction."""
    y = "110011111111101111011110110101111"
    value = [
        72, 65, 271, 73, 87, 114, 111, 47, 88, 44, 121, 207, 33, 138, 284, 62, 120, 116, 202, 172, 117, 69, 102,
        150, 131, 77, 124, 46, 579, 117, 96, 83, 102,
    ]  # fmt: skip
    labels = [int(each) for each in y]
    curve = rh.roc_curve(labels, value, lower_is_positive=True)
    pairs = [
        1.0 if a < b else 0.5 * (a == b)
        for a, own in zip(value, labels, strict=True) if own
        for b, other in zip(value, labels, strict=True) if not other
    ]  # fmt: skip
    assert curve.auc() == pytest.approx(sum(pairs) / len(pairs), abs=1e-15)
    assert (curve.thresholds[0], curve.fpr[0], curve.tpr[0]) == (-math.inf, 0, 0)
    assert (curve.thresholds[-1], curve.fpr[-1], curve.tpr[-1]) == (579, 1, 1)


def test_an_interval_at_a_threshold_that_is_given() -> None:
    """pROC 57: its bootstrap refused the threshold; of counts the interval is exact."""
    value = [
        81.3, 123.3, 42.9, 49.3, 31.9, 12.6, 23.3, 2, 165.8, 3.1, 13.6, 13.6, 10.4, 3.7, 2, 23.8, 47.5, 126.8,
        10.3, 18.4,
    ]  # fmt: skip
    y = [1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1]
    flagged = np.array(value) >= 5
    caught, spared = int((flagged & (np.array(y) == 1)).sum()), int((~flagged & (np.array(y) == 0)).sum())
    assert (caught, sum(y), spared, len(y) - sum(y)) == (14, 15, 3, 5)
    curve = rh.roc_curve(y, value)
    at = int((curve.thresholds >= 5).sum()) - 1
    assert (curve.tpr[at], 1 - curve.fpr[at]) == (14 / 15, pytest.approx(3 / 5))
    found = rh.rate_interval(caught, sum(y))
    assert (round(found.low, 4), round(found.high, 4)) == (0.6805, 0.9983)


def test_a_strict_map_keeps_every_rank() -> None:
    """scikit-learn 16321: isotonic calibration makes ties, so that the area changes; a strict map makes none."""
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.4
    score = rng.normal(size=2000) + y
    new_y = rng.random(2000) < 0.4
    new = rng.normal(size=2000) + new_y
    area = rh.roc_auc(new_y, new)
    assert rh.roc_auc(new_y, rh.PavCalibrator().fit(score, y).posterior(new)) != area
    strict = rh.PavCalibrator(strict=True).fit(score, y)
    assert rh.roc_auc(new_y, strict.posterior(new)) == area


def test_thresholds_of_three_classes_are_no_worse_than_one_class() -> None:
    """mlr 2731: thresholds tuned for accuracy had 0.09 where the largest class has 0.65."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, 600, p=[0.66, 0.17, 0.17])
    outputs = rng.dirichlet(np.ones(3), 600)  # which know nothing
    roc = rh.MulticlassRoc(y, outputs, classes=[0, 1, 2])
    accuracy = rh.multiclass.CostMatrix(1 - np.eye(3), classes=[0, 1, 2])
    best = roc.search(accuracy, random_state=0).at(accuracy)
    assert np.trace(best.confusion) >= (y == 0).sum()
