"""Every public function that takes two columns or more of the same rows refuses indexes in another order.

Found by their signatures: a new one is tried without being listed here, and what cannot be tried fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import ArrayLike
from sklearn.linear_model import LogisticRegression

import rochull as rh
from public_doors import doors, places
from refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore:X. all log-odds lie between 0 and 1:UserWarning")
N = 60
RNG = np.random.default_rng(7)
LABELS = np.arange(N) % 2
SCORES = RNG.uniform(0.02, 0.98, N).round(2) * 0.6 + 0.4 * LABELS
CLASSES = np.array(["a", "b", "c"])[np.arange(N) % 3]
OUTPUTS = RNG.dirichlet([1, 1, 1], N) + np.eye(3)[np.arange(N) % 3]
INDEX = [f"case {i}" for i in range(N)]
COSTS = rh.ExpectedCost(1, 5, prevalence=0.3)
THREE = "abc"
TWO = np.column_stack([SCORES, SCORES**2])
ONE_SCORE = {
    kind.__name__: kind
    for kind in (
        rh.PavCalibrator, rh.BetaCalibrator, rh.LogisticCalibrator, rh.calibration.GaussianCalibrator,
        rh.calibration.KdeCalibrator, rh.calibration.TemperatureCalibrator,
        rh.calibration.FourParameterCalibrator,
    )
}  # fmt: skip

# Columns of rows by the names of parameters; the columns that several classes need are in OF_CLASSES.
ROWS: dict[str, Any] = {
    "y": LABELS, "y_true": LABELS, "y_true_b": LABELS, "y_pred": LABELS,
    "y_score": SCORES, "score_a": SCORES, "score_b": 1 - SCORES, "probability": SCORES, "llr": SCORES - 0.5,
    "X": SCORES, "scores": {"a": SCORES, "b": SCORES**2}, "aux": {"size": np.arange(N) % 4},
    "sample_weight": np.ones(N), "sample_weight_b": np.ones(N), "key": np.arange(N),
    "clusters": np.arange(N) // 4, "folds": np.arange(N) // 12, "groups": np.arange(N) // 12,
    "group": np.arange(N) // 4 % 2, "outputs": OUTPUTS, "cluster": np.arange(N) // 4,
    "cheap": LABELS, "dear": 1 - LABELS, "count": np.ones(N, int), "flagged": LABELS == 1,
    "strata": np.arange(N) // 12,
}  # fmt: skip
OF_CLASSES = {"y": CLASSES, "y_true": CLASSES, "llr": np.log(OUTPUTS), "X": OUTPUTS}
# What holds no rows of examples, although it is array-like.
NO_ROWS = {
    "thresholds", "threshold", "weights", "weight", "points", "fpr", "tpr", "costs", "priors", "prior_log_odds",
    "auc", "n_pos", "n_neg", "successes", "trials", "recall", "share", "prevalence", "cost_fp", "cost_fn",
    "probability_cost", "log_odds", "posterior", "mu_pos", "sigma_pos", "mu_neg", "sigma_neg", "p_pos", "p_neg",
    "if_positive", "if_negative",
}  # fmt: skip

# They take names of columns, are of scikit-learn, or are results.
ELSEWHERE = {
    "scan",
    "Routing",
    "BatchCounts",
    "GroupRule.to_sql",
    "GroupPolicy.to_sql",
    "ErrorRedistribution.set_fit_request",
}


def features() -> pd.DataFrame:
    """Return what estimators are trained on."""
    return pd.DataFrame({"u": SCORES, "v": np.arange(N) % 4}, INDEX)


@cache
def made(what: str) -> Any:
    """Return the object that a method belongs to, or a model that a function asks."""
    X, estimator = features(), LogisticRegression()
    pair = [("a", estimator), ("b", LogisticRegression(C=0.1))]
    hybrid = rh.Hybrid().add("a", LABELS, SCORES).add("b", LABELS, SCORES**2)
    hulls = {g: rh.roc_hull(LABELS[:30], SCORES[:30] + g).named("a") for g in (0, 1)}
    segments = rh.ErrorRedistribution("pav", bins=[2], min_bin=5, shrinkage=0)
    makers: dict[str, Callable[[], Any]] = {
        "model": lambda: estimator.fit(X, LABELS),
        "model of classes": lambda: estimator.fit(X, CLASSES),
        "hulls": lambda: hybrid.hulls,
        "calibrator": lambda: rh.PavCalibrator(bound="laplace").fit(SCORES, LABELS),
        "Hybrid": lambda: hybrid,
        "Policy": hybrid.policy,
        "FixedPolicy": lambda: rh.policies.FixedPolicy.from_point(hybrid.at(rh.NeymanPearson(0.1))),
        "SavedPlan": lambda: made("FixedPolicy"),
        "Knob": lambda: rh.Knob(hybrid.hull),
        "Cascade": lambda: rh.Cascade({"a": 0, "b": 0.1}, n_strata=3, shrinkage=50, cv=2),
        "CascadePolicy": lambda: made("Cascade").fit(ROWS["scores"], LABELS).policy_,
        "CascadeClassifier": lambda: rh.CascadeClassifier(
            [(n, e, price) for (n, e), price in zip(pair, (0, 0.1), strict=True)], COSTS, cv=2
        ).fit(X, LABELS),
        "RocchClassifier": lambda: rh.RocchClassifier(pair, COSTS, cv=2).fit(X, LABELS),
        "ErrorRedistribution": lambda: segments.fit(SCORES, LABELS, aux=ROWS["aux"]),
        "SegmentPolicy": lambda: made("ErrorRedistribution").policy(),
        "ErrorRedistributionClassifier": lambda: rh.ErrorRedistributionClassifier(
            estimator, aux=["v"], model="pav", bins=[2], min_bin=5, shrinkage=0, condition=COSTS, cv=2
        ).fit(X, LABELS),
        "PavCalibratedClassifier": lambda: rh.estimators.PavCalibratedClassifier(estimator, cv=2).fit(
            X, LABELS
        ),
        "VennAbersClassifier": lambda: rh.estimators.VennAbersClassifier(estimator, cv=2).fit(X, LABELS),
        "MulticlassThresholdClassifier": lambda: rh.estimators.MulticlassThresholdClassifier(
            estimator, cv=2
        ).fit(X, CLASSES),
        "GroupRule": lambda: rh.constrain_groups(hulls, COSTS, "equalized_odds"),
        "GroupPolicy": lambda: made("GroupRule").policy("group"),
        "MulticlassPolicy": lambda: rh.MulticlassRoc(CLASSES, OUTPUTS).policy(),
        "AuxiliaryRanking": lambda: rh.rank_auxiliary_features(LABELS, SCORES, features(), n_permutations=9),
        "CostWeighted": lambda: rh.CostWeighted(0.3),
        "BetaScore": lambda: rh.BetaScore(1, 2),
        "ScoringRule": rh.Brier,
        "Monitor": lambda: rh.Monitor(made("Policy"), COSTS),
        "LogisticFusion": lambda: rh.LogisticFusion().fit(TWO, LABELS),
        **{name: lambda kind=kind: kind().fit(SCORES, LABELS) for name, kind in ONE_SCORE.items()},
    }
    return makers[what]() if what in makers else None


# What else a function must be given, by the name of the parameter.
REST: dict[str, Callable[[], Any]] = {
    "condition": lambda: COSTS,
    "conditions": lambda: COSTS,
    "estimator": lambda: made("model"),
    "other": lambda: made("Policy"),
    "hulls": lambda: made("hulls"),
    "calibrator": lambda: made("calibrator"),
    "statistic": lambda: "auc",
    "prevalence": lambda: 0.3,
    "name": lambda: "c",
    "classifier": lambda: "b",
    "threshold": lambda: 0.5,
    "weights": lambda: [1, 1, 1],
    "methods": lambda: {"fixed": rh.ErrorRedistribution("fixed")},
    "names": lambda: ("u", "v"),
    "n_components": lambda: 1,
    "operating_points": lambda: [[1, 1, 1]],
    "cost_fn": lambda: 5,
    "cost_fp": lambda: 1,
    "thresholds": lambda: None,
    "estimators": lambda: [("a", LogisticRegression()), ("b", LogisticRegression(C=0.1))],
    "cascade": lambda: made("Cascade"),
}
# Where a name means something else, or something is asked for that not all take; None is left out.
OWN: dict[str, dict[str, Any]] = {
    "AssuredChoice.on_split": {"condition": rh.NeymanPearson(0.3, confidence=0.9)},
    "Hybrid.assured": {"condition": rh.NeymanPearson(0.3, confidence=0.9)},
    "SegmentPolicy.rank": {"condition": rh.Capacity(cases=5, population=N, prevalence=0.5)},
    "cross_validate_rocch": {"classifier": rh.RocchClassifier([("a", LogisticRegression())])},
    "estimate_prevalence": {"scores": SCORES},
    "AuxiliaryRanking.reduce": {"max_p_value": 1.0},
    "MulticlassPolicy.decide": {"condition": [1, 1, 1]},
    "rates_at_threshold": {"sample_weight": None},
    "delong_test": {"clusters": None},
    "bootstrap_map": {"scores": SCORES},  # of other cases
    "LogisticFusion.fit": {"X": TWO},
    "LogisticFusion.interval": {"scores": TWO, "X": pd.DataFrame(TWO, INDEX)},
    **{f"{name}.interval": {"scores": SCORES} for name in ONE_SCORE},  # of other cases
}
TRAINED = ("from_estimator", "cross_validate")  # their X is what a classifier is trained on


def rows_of(function: Any) -> list[str]:
    """Return the parameters of a function that are columns of rows, by their names."""
    try:
        parameters = inspect.signature(function).parameters
    except ValueError:  # of NumPy and the like
        return []
    found = []
    for name, parameter in parameters.items():
        told = str(parameter.annotation)
        if name in ROWS or ("ArrayLike" in told and name not in NO_ROWS and name != "self"):
            found.append(name)
    return found


def _is_of_scikit_learn(function: Any) -> bool:
    return str(getattr(function, "__module__", "")).startswith("sklearn")


@cache
def cases() -> dict[str, tuple[Any, str, list[str]]]:
    """Return the doors that take two columns of rows or more, by how they are called."""
    found = {}
    for told, owner, name in doors():
        function = (
            getattr(owner, name)
            if owner
            else next(getattr(place, name) for place in places() if name in place.__all__)
        )
        rows = rows_of(function)
        if len(rows) > 1 and told not in ELSEWHERE and not _is_of_scikit_learn(function):
            found[told] = (owner or function, name if owner else "", rows)
    return found


def of_classes(told: str) -> bool:
    """Whether a door is one of several classes."""
    owner, _, rows = cases()[told]
    return "multiclass" in owner.__module__.lower() or "outputs" in rows or "Multiclass" in told


def indexed(values: Any, index: list[str]) -> Any:
    """Return a Series or a frame with an index."""
    if isinstance(values, dict):
        return pd.DataFrame(values, index)
    if np.ndim(values) == 2:
        return pd.DataFrame(values, index, columns=list(THREE))
    return pd.Series(values, index)


def given_to(told: str) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return a door, and what it is given: all columns of rows with one index, and what it needs besides."""
    owner, name, rows = cases()[told]
    several, whole = of_classes(told), owner.__name__
    function = getattr(made(whole) or _plain(owner, name), name) if name else owner
    given = {}
    for row in rows:
        values = {**ROWS, **OF_CLASSES}[row] if several else ROWS[row]
        if row == "X" and (whole.endswith("Classifier") or any(t in told for t in TRAINED) or "Aux" in told):
            given[row] = features()
        elif row == "X" and whole in ("Cascade", "SupervisedComponents"):
            given[row] = indexed(ROWS["scores"], INDEX).set_axis(
                ["u", "v"] if whole[0] == "S" else ["a", "b"], axis=1
            )
        elif row == "scores" and "Group" in told:
            given[row] = indexed(SCORES, INDEX)
        else:
            given[row] = indexed(values, INDEX)
    for other, parameter in inspect.signature(function).parameters.items():
        if other in REST and other not in given and parameter.default is inspect.Parameter.empty:
            given[other] = REST[other]()
    given |= OWN.get(told, {})
    return function, {name: value for name, value in given.items() if value is not None}


def _plain(owner: Any, name: str) -> Any:
    """Return an object without options, or the class for what needs no object."""
    static = inspect.getattr_static(owner, name)
    return owner if isinstance(static, (classmethod, staticmethod)) else owner()


@pytest.mark.filterwarnings("ignore:X and y are those of fit")
@pytest.mark.parametrize("told", sorted(cases()))
def test_indexes_in_another_order_are_refused(told: str) -> None:
    function, given = given_to(told)
    for row in cases()[told][2]:
        if row not in OWN.get(told, {}):
            turned = {**given, row: given[row].iloc[::-1]}
            refuses("hold the same index labels in another order", function, **turned)


def test_a_new_function_of_two_columns_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def new(y_true: ArrayLike, rank: ArrayLike, about: str = "") -> None:
        """Look at no index."""

    assert rows_of(new) == ["y_true", "rank"]
    monkeypatch.setitem(cases(), "new", (new, "", ["y_true", "y_score"]))
    with pytest.raises(TypeError, match="y_score"):
        test_indexes_in_another_order_are_refused("new")
