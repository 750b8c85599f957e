"""The three searches: never worse than argmax, the same for a seed, and as good as a fine grid."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rochull as rh
from rochull.multiclass.measures import checked_objective
from rochull.multiclass.search import coordinate
from twins_multiclass import cases

METHODS = ["coordinate", "greedy", "pairwise"]
COSTS = rh.multiclass.CostMatrix([[0, 1, 4, 2], [3, 0, 1, 1], [1, 2, 0, 1], [9, 1, 1, 0]])
MODELS = {
    "quadratic": QuadraticDiscriminantAnalysis(reg_param=1e-3),
    "linear": LinearDiscriminantAnalysis(),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
}


@pytest.mark.crossed
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "goal", ["max_error", COSTS, rh.multiclass.ErrorRate(), rh.multiclass.Cell(1, 2)], ids=str
)
def test_a_search_is_sorted_replayed_and_no_worse_than_argmax(method: Any, goal: Any) -> None:
    for seed, kind in enumerate(["smooth", "tied"]):
        mc = rh.MulticlassRoc(*cases(seed, 200, 4, kind))
        found = mc.search(goal, method, n_starts=10, random_state=seed)
        values = found.values(goal)
        assert (np.diff(values) >= 0).all()
        assert values[0] <= mc.points_at(np.ones(4)).values(goal)[0]
        np.testing.assert_array_equal(found.confusion, mc.confusion(found.weights))
        assert len({matrix.tobytes() for matrix in found.confusion}) == len(found)


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_gives_the_same_points(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mc = rh.MulticlassRoc(*cases(3, 200, 4, "smooth"))
    drawn = [mc.search("max_error", method, n_starts=6, random_state=np.random.default_rng(5)) for _ in "ab"]
    np.testing.assert_array_equal(drawn[0].weights, drawn[1].weights)
    first = mc.search("max_error", method, n_starts=6, random_state=5)
    assert first.weights.tolist() != drawn[0].weights.tolist()  # there is something to draw
    monkeypatch.setattr(coordinate, "share_out", lambda function, *rest: list(map(function, *rest)))
    again = mc.search("max_error", method, n_starts=6, random_state=5)
    np.testing.assert_array_equal(first.weights, again.weights)


@given(st.integers(0, 10_000), st.sampled_from(["smooth", "tied"]), st.integers(2, 4))
def test_coordinate_search_ends_where_no_weight_improves(seed: int, kind: str, n_classes: int) -> None:
    mc = rh.MulticlassRoc(*cases(seed, 40, n_classes, kind))
    best = mc.search("max_error", n_starts=2, random_state=seed)[0]
    key = sorted(best.errors.tolist(), reverse=True)
    for label in range(n_classes):
        for errors in mc.sweep(label, best.weights).errors.tolist():
            assert sorted(errors, reverse=True) >= key


def test_weighted_examples_are_searched_as_repeated_ones() -> None:
    y, outputs = cases(6, 150, 3, "smooth")
    weight = np.random.default_rng(6).integers(1, 5, len(y))
    one = rh.MulticlassRoc(y, outputs, weight)
    other = rh.MulticlassRoc(np.repeat(y, weight), np.repeat(outputs, weight, axis=0))
    costs = rh.multiclass.CostMatrix([[0, 1, 2], [2, 0, 1], [1, 5, 0]])
    for goal in ("max_error", costs):
        a, b = (mc.search(goal, n_starts=4, random_state=1) for mc in (one, other))
        np.testing.assert_array_equal(a.confusion, b.confusion)


def triple(name: str, classes: tuple[Any, ...]) -> tuple[Any, Any]:
    data = rh.datasets.load(name)
    label = next(key for key in data if key.lower() == "class")
    y = np.asarray(data[label])
    rows = np.isin(y, classes)
    X = np.column_stack([np.asarray(data[key], float) for key in data if key != label])
    return X[rows], y[rows]


def triples() -> list[Any]:
    """Digits 2, 3 and 5, all triples of the vehicles, and two of the satellite image's."""
    vehicles = combinations(["bus", "opel", "saab", "van"], 3)
    found = [("mfeat_mor", (2, 3, 5)), ("mfeat_mor", (3, 4, 6)), *(("vehicle", three) for three in vehicles)]
    return [*found, ("satimage", (3, 4, 7)), ("satimage", (4, 5, 7))]


def with_grid(name: str, classes: tuple[Any, ...], model: str) -> tuple[Any, Any]:
    """Three classes by a model's out-of-fold outputs, and the points of a fine grid of weights."""
    X, y = triple(name, classes)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    mc = rh.MulticlassRoc(y, cross_val_predict(MODELS[model], X, y, cv=folds, method="predict_proba"))
    ratio = np.exp(np.linspace(-5.5, 5.5, 121))
    grid = np.stack([np.ones((121, 121)), *np.meshgrid(ratio, ratio)], axis=-1).reshape(-1, 3)
    return mc, mc.points_at(grid)


@pytest.mark.crossed
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("name", "classes"), triples(), ids=str)
def test_three_classes_come_within_one_example_of_a_grid(
    name: str, classes: tuple[Any, ...], model: str
) -> None:
    mc, on_grid = with_grid(name, classes, model)
    costs = rh.multiclass.CostMatrix([[0, 1, 3], [2, 0, 1], [5, 4, 0]])
    for goal, one in (("max_error", 1 / mc.totals.min()), (costs, 1 / mc.totals.sum())):
        found = mc.search(goal, random_state=0).values(goal)[0]
        assert found <= on_grid.values(goal).min() + one


@pytest.mark.parametrize(
    ("name", "classes", "pair"),
    [("vehicle", ("opel", "saab", "van"), ("opel", "saab")), ("mfeat_mor", (2, 3, 5), (5, 3))],
)
def test_three_classes_within_a_limit_come_within_one_example_of_a_grid(
    name: str, classes: tuple[Any, ...], pair: tuple[Any, Any]
) -> None:
    mc, on_grid = with_grid(name, classes, "linear")
    limits = [
        rh.multiclass.Cell(*pair) <= 0.02,
        rh.multiclass.Cell(*pair) <= 0.05,
        rh.multiclass.Error(pair[0]) <= 0.1,
    ]
    for limit in limits:
        for goal, one in (("max_error", 1 / mc.totals.min()), ("error", 1 / mc.totals.sum())):
            found = mc.search(goal, subject_to=limit, random_state=0)
            assert found.satisfying(limit)[0]
            assert found.values(goal)[0] <= on_grid[on_grid.satisfying(limit)].values(goal).min() + one


@pytest.mark.long
@pytest.mark.parametrize("many", [20, 1 << 13])
def test_within_limits_no_draw_is_better(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coordinate, "_MANY_WITHIN", many)
    mc = rh.MulticlassRoc(*cases(5, 600, 4, "smooth"))
    limits = [rh.multiclass.Cell(0, 1) <= 0.05, rh.multiclass.Error(2) <= 0.3]
    draws = mc.points_at(np.random.default_rng(1).dirichlet(np.ones(4), 1000))
    for goal in ("max_error", COSTS):
        found = mc.search(goal, subject_to=limits, n_starts=4, random_state=0)
        assert found.satisfying(limits)[0]
        assert found.values(goal)[0] <= draws[draws.satisfying(limits)].values(goal).min()
        np.testing.assert_array_equal(found.confusion, mc.confusion(found.weights))
        monkeypatch.setattr(coordinate, "share_out", lambda function, *rest: list(map(function, *rest)))
        again = mc.search(goal, subject_to=limits, n_starts=4, random_state=0)
        np.testing.assert_array_equal(again.weights, found.weights)


def test_greedy_steps_never_make_the_best_worse() -> None:
    mc = rh.MulticlassRoc(*cases(0, 300, 4, "smooth"))
    best = [
        mc.search("max_error", "greedy", n_starts=100, n_steps=steps, keep=10, random_state=0)
        .values("max_error")
        .tolist()
        for steps in range(5)
    ]
    assert all(len(values) == 10 for values in best)
    for before, after in pairwise(best):
        assert all(b <= a for a, b in zip(before, after, strict=True))
    assert best[-1][0] < best[0][0]


@pytest.mark.parametrize("goal", ["max_error", COSTS], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_many_examples_are_searched_on_fewer_first(
    goal: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, outputs = cases(11, 2000, 4, "smooth")
    weight = np.random.default_rng(0).integers(1, 4, 2000) if weighted else None
    mc = rh.MulticlassRoc(y, outputs, weight)
    plain = mc.search(goal, n_starts=3, random_state=0).values(goal)[0]
    monkeypatch.setattr(coordinate, "_MANY", 20)
    found = mc.search(goal, n_starts=3, random_state=0)
    assert found.values(goal)[0] == pytest.approx(plain, rel=0.01)
    key = coordinate.key_of(checked_objective(goal), found.confusion[0], mc.classes)
    for label in range(4):  # still ends where no weight of all examples improves
        for matrix in mc.sweep(label, found.weights[0]).confusion:
            other = coordinate.key_of(checked_objective(goal), matrix, mc.classes)
            assert other >= key or other == pytest.approx(key, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_where_the_objective_is_undefined_comes_last(method: Any) -> None:
    """Undefined at argmax of the outputs too."""
    y, outputs = cases(5, 200, 3, "smooth")
    mc = rh.MulticlassRoc(y, outputs * [0.7, 1, 1])

    def precision(matrices: Any) -> Any:
        with np.errstate(invalid="ignore"):
            recall, found = matrices[:, 0, 0] / matrices[:, 0].sum(axis=1), matrices[:, :, 0].sum(axis=1)
            return np.where(recall < 0.95, np.nan, -matrices[:, 0, 0] / found)

    found = mc.search(precision, method, n_starts=300, random_state=0)
    values = found.values(precision)
    assert np.isnan(mc.points_at([1, 1, 1]).values(precision)).all()
    assert values[0] == np.nanmin(values)
    assert not np.isnan(values[: np.isfinite(values).sum()]).any()
