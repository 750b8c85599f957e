"""What an average over folds tells besides its moments: areas, columns, whose folds they are; in print."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold

import rochull as rh
from rochull.averaging import pooled_average

Array = np.ndarray[Any, Any]
N_FOLDS = 10


def example(seed: int = 0, n: int = 300) -> tuple[Array, Array, Array]:
    """Labels, tied scores and stratified folds."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    folds = np.empty(n, int)
    for label in (False, True):
        members = np.flatnonzero(y == label)
        folds[rng.permutation(members)] = np.arange(members.size) % N_FOLDS
    return y.astype(int), np.round(rng.normal(size=n) + y, 1), folds


def rotated(cv: Any, n: int = 60) -> rh.averaging.OperatingPointAverage:
    X, y = rh.datasets.make_highleyman(n)
    return rh.cross_validate_roc(LogisticRegression(), X, y, cv, operating_points=20)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("average", ["operating_point", "threshold", "vertical"])
def test_areas_of_the_folds(average: str, weighted: bool) -> None:
    y, score, folds = example()
    weights = np.random.default_rng(1).integers(0, 4, y.size) / 2 if weighted else None
    made = getattr(rh.averaging, f"{average}_average")(y, score, folds, 5, sample_weight=weights)
    expected = []
    for fold in range(N_FOLDS):
        here = folds == fold
        weight = None if weights is None else weights[here]
        expected.append(rh.roc_auc(y[here], score[here], sample_weight=weight))
    assert made.auc_folds == pytest.approx(expected, abs=1e-14)  # of all scores, not of five points
    assert made.auc == pytest.approx(np.mean(expected), abs=1e-14)
    assert made.auc_std == pytest.approx(np.std(expected, ddof=1), abs=1e-14)
    assert made.auc_sem == pytest.approx(np.std(expected, ddof=1) / 10**0.5, abs=1e-14)
    assert pickle.loads(pickle.dumps(made)).auc == made.auc


def test_area_of_a_pooled_curve() -> None:
    y, score, folds = example()
    pooled = pooled_average(y, score, folds, 5)
    assert pooled.auc == rh.roc_auc(y, score)
    assert np.isnan(pooled.auc_std)
    assert np.isnan(pooled.auc_sem)


def test_a_fold_without_a_class_has_no_area() -> None:
    average = rh.operating_point_average([0, 1, 1], [1, 2, 3], ["a", "a", "b"], measures="tpr")
    assert average.tpr_mean.size == 4
    with pytest.raises(ValueError, match=r"^folds: fold 'b' has no negative example, without which its area"):
        _ = average.auc


def youden(c: Any) -> Array:
    return np.asarray(c.tp / c.n_pos - c.fp / c.n_neg)


def test_columns_of_a_table() -> None:
    import pandas as pd
    import polars as pl

    average = rh.operating_point_average(*example(), 8)
    columns = average.to_dict(["tpr", rh.ExpectedCost(prevalence=0.5), youden])
    assert list(columns) == ["threshold", *(
        f"{name}_{what}" for name in ("tpr", "expected_cost", "youden") for what in ("mean", "std", "sem")
    )]  # fmt: skip
    assert columns["youden_sem"].tolist() == average.sem(youden).tolist()
    assert pd.DataFrame(columns).shape == pl.DataFrame(columns).shape == (9, 10)
    columns["tpr_mean"][:] = -1
    assert average.tpr_mean.min() == 0
    with pytest.raises(ValueError, match=r"^measures: two of them are called 'expected_cost'"):
        average.to_dict([rh.ExpectedCost(prevalence=0.5), rh.ExpectedCost(prevalence=0.1)])


def test_other_splits_are_refused() -> None:
    first, second = (rotated(StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)) for seed in (1, 2))
    assert first.folds == second.folds
    assert first.compare(5, 6, other=first).pvalue <= 1
    with pytest.raises(ValueError, match=r"^other was averaged over other folds"):
        first.compare(5, 6, other=second)


def test_other_repetitions_are_refused() -> None:
    splitters = (RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=seed) for seed in (1, 1, 2))
    first, same, second = (rotated(cv) for cv in splitters)
    assert first.compare(3, 3, other=same).pvalue == 1
    with pytest.raises(ValueError, match=r"^other was averaged over other folds"):
        first.compare(3, 3, other=second)


@pytest.mark.parametrize("n_folds", [N_FOLDS, 140])
@pytest.mark.parametrize("average", ["operating_point", "threshold", "vertical"])
def test_folds_that_are_permuted_within_a_class_are_refused(average: str, n_folds: int) -> None:
    y = np.repeat([0, 1], 2 * n_folds)
    score, folds = np.random.default_rng(0).normal(size=y.size), np.tile(np.arange(n_folds), 4)
    permuted = folds.copy()
    permuted[:2] = folds[[1, 0]]
    function = getattr(rh.averaging, f"{average}_average")
    first, same, second = (function(y, score, f, 5) for f in (folds, folds.copy(), permuted))
    assert first.compare(2, 2, other=same).pvalue == 1
    with pytest.raises(ValueError, match=r"^other was averaged over other folds"):
        first.compare(2, 2, other=second)


def test_rows_in_another_order_are_refused() -> None:
    y, score, folds = example()
    first, turned = (
        rh.operating_point_average(y[o], score[o], folds[o], 5) for o in (slice(None), slice(None, None, -1))
    )
    with pytest.raises(ValueError, match=r"or over rows in another order"):
        first.compare(2, 2, other=turned)


def test_a_rotation_and_its_fold_labels_are_the_same_split() -> None:
    X, y = rh.datasets.make_highleyman(60)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    trained = rh.cross_validate_roc(LogisticRegression(), X, y, cv, operating_points=10)
    assert trained.stacked is not None
    order = np.argsort(trained.stacked.rows)
    assert order.tolist() != list(range(order.size))  # the folds were shuffled
    given = rh.operating_point_average(y, X[:, 0], trained.stacked.folds[order], 10)
    assert 0 <= given.compare(3, 3, other=trained).pvalue <= 1
    some = rh.cross_validate_roc(
        LogisticRegression(), X, y, ShuffleSplit(5, random_state=0), operating_points=10
    )
    with pytest.raises(ValueError, match=r"^other was averaged over other folds"):
        given.compare(3, 3, other=some)


def test_repeated_folds_are_corrected_unless_told_otherwise() -> None:
    average = rotated(RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0))
    assert average.repeated
    assert average.overlap == pytest.approx(0.25)
    plain = average.std("tpr") / 20**0.5
    assert average.sem("tpr", correction=None) == pytest.approx(plain)
    assert average.tpr_sem == pytest.approx(plain * (1 + 20 * 0.25) ** 0.5)
    assert average.auc_sem == pytest.approx(average.auc_std * (1 / 20 + 0.25) ** 0.5)
    found, told = average.compare(10, 12), average.compare(10, 12, correction="nadeau-bengio")
    uncorrected = average.compare(10, 12, correction=None)
    assert found.pvalue == told.pvalue > uncorrected.pvalue
    assert "variance 1/n + 0.25" in found.method
    assert "1/n" not in uncorrected.method
    circles = average.indistinguishable(10)
    assert circles.tolist() == average.indistinguishable(10, correction="nadeau-bengio").tolist()
    assert circles.sum() > average.indistinguishable(10, correction=None).sum()


def test_a_single_rotation_is_not_corrected() -> None:
    average = rotated(5)
    assert not average.repeated
    assert average.compare(10, 12).pvalue == average.compare(10, 12, correction=None).pvalue
    assert average.tpr_sem == pytest.approx(average.tpr_std / 5**0.5)


def test_in_print() -> None:
    average = rh.operating_point_average(*example(), 30)
    first, second, *rows = str(average).splitlines()
    assert first == "OperatingPointAverage(31 points, 10 folds, operating points)"
    assert second.startswith(f"AUC {average.auc:.4g} ± {average.auc_sem:.2g} (")
    assert rows[0].split() == ["threshold", "fpr", "±", "fpr", "tpr", "±", "tpr"]
    assert len(rows) == 1 + 12 + 1
    assert rows[1].split() == ["0", "inf", *["0.000"] * 4]
    pooled = str(pooled_average(*example(), 4)).splitlines()
    assert pooled[0] == "OperatingPointAverage(5 points, 1 fold, pooled)"
    assert "±" not in "".join(pooled)
    repeated = rotated(RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0))
    assert repr(repeated) == (
        "OperatingPointAverage(21 points, 10 folds, operating points, rows tested more than once)"
    )
    assert "standard error, Nadeau-Bengio)" in str(repeated)
    assert repr(repeated.stacked) == "Stacked(240 scores, 10 folds, rows tested more than once)"
    assert repr(rotated(5).stacked) == "Stacked(120 scores, 5 folds)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"i": 1, "j": []}, "j is empty"),
        ({"i": True}, "i must be an index of a point, but is True"),
        ({"i": True, "adjust": "holm"}, "i must be an index of a point, but is True"),
        ({"i": 1, "j": [True, False]}, "j must be an index of a point"),
    ],
)
def test_indices(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}"):
        rh.operating_point_average(*example(), 5).compare(**arguments)
