"""One of each result that the wings give, so that what all of them promise can be stated once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import rochull as rh

N = 200
_RNG = np.random.default_rng(3)
Y = _RNG.integers(0, 2, N)
A, B = (_RNG.normal(Y * lift, 1).round(2) for lift in (1.2, 0.8))
P = (1 / (1 + np.exp(-A))).round(3)
FOLDS = np.arange(N) % 5
THREE = np.array(list("abc"))[np.arange(N) % 3]
OUTPUTS = np.eye(3)[np.arange(N) % 3] + _RNG.uniform(0, 1.5, (N, 3))
COSTS = rh.ExpectedCost(1, 5, prevalence=0.3)
ROUGH = rh.ExpectedCost(1, (3, 8), prevalence=(0.2, 0.4))


@cache
def hybrid() -> rh.Hybrid:
    return rh.Hybrid().add("a", Y, A, curve=True).add("b", Y, B, curve=True)


@cache
def points() -> Any:
    return rh.MulticlassRoc(THREE, OUTPUTS).points


def cascade() -> Any:
    table = {"a": A, "b": B}
    return rh.Cascade({"a": 0, "b": 0.05}, n_strata=3, shrinkage=100).fit(table, Y)


def scan() -> Any:
    return rh.scan({"y": Y, "a": A, "b": B}, label="y", scores=["a", "b"])


def estimator() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    given = [
        ("logistic", LogisticRegression()),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]
    return rh.RocchClassifier(given, COSTS, cv=3), np.column_stack([A, B])


def evaluated() -> Any:
    model, X = estimator()
    return model.fit(X, Y).evaluate(X, Y, COSTS)


def nested() -> Any:
    model, X = estimator()
    return rh.estimators.cross_validate_rocch(model, X, Y, [COSTS], cv=2)


RESULTS: dict[str, Callable[[], Any]] = {
    "BatchCheck": lambda: rh.Policy.from_hull(rh.roc_hull(Y, A)).check(np.arange(60.0)),
    "AreaBound": lambda: scan().auc()["a"],
    "AssuredChoice": lambda: hybrid().assured(rh.NeymanPearson(0.3, confidence=0.9)),
    "AucCovariance": lambda: rh.uncertainty.auc_covariance(Y, {"a": A, "b": B}),
    "AuxiliaryRanking": lambda: rh.rank_auxiliary_features(Y, A, {"size": B}, n_permutations=19),
    "Blocks": lambda: rh.roc_hull(Y, A).blocks,
    "BootstrapInterval": lambda: rh.bootstrap(Y, A, lambda sample: sample.auc(), n_resamples=39),
    "CascadeFrontier": lambda: cascade().frontier(COSTS),
    "CascadePoint": lambda: cascade().at(COSTS),
    "Routing": lambda: rh.cascades.route(A, 1 - np.asarray(Y), Y),
    "RoutingPoint": lambda: rh.cascades.route(A, 1 - np.asarray(Y), Y).at(),
    "CascadeTrial": lambda: rh.Cascade({"a": 0, "b": 0.1}).held_out({"a": A, "b": B}, Y, COSTS),
    "CostCurve": lambda: rh.scoring.cost_curve(Y, A),
    "DecisionCurve": lambda: rh.decision_curve(Y, {"a": P, "b": 1 - P}),
    "Decomposition": lambda: rh.decompose(Y, P),
    "DominanceTable": lambda: hybrid().dominance_table(),
    "GainCurve": lambda: rh.scoring.cumulative_gain(Y, A),
    "GroupRule": lambda: rh.constrain_groups(hybrid().hulls, COSTS, "equalised_odds"),
    "HullMembership": lambda: rh.uncertainty.hull_membership(Y, {"a": A, "b": B}, n_resamples=39),
    "Hybrid": hybrid,
    "Interval": lambda: rh.auc_interval(Y, A),
    "MaximumProfit": lambda: rh.scoring.expected_maximum_profit(Y, A, rh.conditions.CreditProfit()),
    "MulticlassAverage": lambda: rh.multiclass.multiclass_average(THREE, OUTPUTS, FOLDS, points().weights[:9]),
    "MulticlassPoint": lambda: points()[0],
    "MulticlassPoints": points,
    "Need": lambda: hybrid().need(COSTS, Y, {"a": A, "b": B}),
    "OperatingPoint": lambda: hybrid().at(COSTS),
    "OperatingPointAverage": lambda: rh.operating_point_average(Y, A, FOLDS),
    "Optimism": lambda: rh.optimism(Y, A, COSTS, n_resamples=39),
    "BatchCounts": lambda: rh.policies.BatchCounts({"a": A[:2]}, None, np.array([3, 5])),
    "MapIntervals": lambda: rh.calibration.bootstrap_map(
        rh.LogisticCalibrator(), A, Y, scores=A[:3], n_resamples=39, random_state=0
    ),
    "CalibrationBand": lambda: rh.uncertainty.calibration_band(Y, P),
    "PavTrace": lambda: rh.hull.pav_trace(Y[:9], A[:9]),
    "DecompositionInterval": lambda: rh.uncertainty.decomposition_interval(
        Y, P, n_resamples=20, random_state=0
    ),
    "CalibrationError": lambda: rh.scoring.expected_calibration_error(Y, P),
    "Finding": lambda: rh.Monitor(hybrid().policy(), rh.ExpectedCost(1, 5, 0.3)).better,
    "Exploration": lambda: hybrid().policy().decide({"a": A, "b": B}, COSTS, explore=0.1, random_state=0),
    "LabelPlan": lambda: hybrid().policy().label_plan({"a": A, "b": B}, 20, condition=rh.ExpectedCost(1, 5, 0.3)),
    "PolicyDiff": lambda: (
        hybrid().policy().diff(hybrid().policy(), {"a": A, "b": B}, rh.ExpectedCost(1, 5, 0.3))
    ),
    "VerifiedRates": lambda: rh.policies.partial_verification(Y == 1, np.where(np.arange(len(Y)) % 3, Y, np.nan)),
    "WorstCase": lambda: hybrid().policy().worst_case({"a": A, "b": B}, rh.ExpectedCost(1, 5, 0.3), factor=2),
    "Performance": lambda: hybrid().policy().performance({"a": A, "b": B}, rh.ExpectedCost(1, 5, 0.3)),
    "PerformanceUnder": lambda: (
        hybrid().policy().performance({"a": A, "b": B}, rh.ExpectedCost(1, 5, 0.3)).label
    ),
    "PotentiallyOptimal": lambda: hybrid().potentially_optimal(ROUGH),
    "PrecisionRecallCurve": lambda: rh.precision_recall_curve(Y, A),
    "PrevalenceEstimate": lambda: rh.estimate_prevalence(A, rh.PavCalibrator(bound="laplace").fit(A, Y)),
    "PriorCurve": lambda: rh.scoring.ece_curve(Y, A),
    "Ranking": lambda: hybrid().policy().rank({"a": A, "b": B}, rh.Capacity(cases=20, prevalence=0.3)),
    "Regret": lambda: hybrid().regret(ROUGH)["a"],
    "RegretTable": lambda: hybrid().regret(ROUGH),
    "Restriction": lambda: hybrid().without("a"),
    "ReviewFrontier": lambda: rh.roc_hull(Y, A).review_frontier(rh.Review(cost_fn=5, cost_review=0.2)),
    "ReviewPoint": lambda: rh.roc_hull(Y, A).at(rh.Review(cost_fn=5, cost_review=0.2)),
    "ReviewRange": lambda: rh.roc_hull(Y, A).review_range(rh.Review(cost_fn=5, cost_review=(0.1, 0.3))),
    "RocBand": lambda: rh.roc_band(Y, A, n_resamples=39),
    "RocCurve": lambda: rh.roc_curve(Y, A),
    "RocHull": lambda: rh.roc_hull(Y, A),
    "RocchCrossValidation": nested,
    "RocchEvaluation": evaluated,
    "SampleSize": lambda: rh.uncertainty.auc_sample_size(0.8, null=0.7),
    "Scan": scan,
    "Sensitivity": lambda: hybrid().sensitivity(ROUGH),
    "StratifiedHull": lambda: rh.stratify(hybrid().hulls),
    "Tally": lambda: rh.hull.tally(Y, A),
    "TestResult": lambda: rh.delong_test(Y, A, B),
    "ThresholdRates": lambda: rh.uncertainty.rates_at_threshold(Y, A, 0.5),
}  # fmt: skip
