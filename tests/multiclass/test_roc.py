"""MulticlassRoc as its users see it: points, decisions, searches that are remembered."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

import rochull as rh
from refusals import refuses
from rochull._core.messages import message_of
from twins_multiclass import cases

GOOD = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6]]


def example(n: int = 200, n_classes: int = 3, seed: int = 0) -> rh.MulticlassRoc:
    y, outputs = cases(seed, n, n_classes, "smooth")
    return rh.MulticlassRoc(y, outputs)


def test_confusion_matrices_are_those_of_scikit_learn() -> None:
    y, outputs = cases(0, 300, 4, "tied")
    mc = rh.MulticlassRoc(y, outputs)
    for weights in ([1, 1, 1, 1], [0.5, 2, 0, 1]):
        called = np.argmax(outputs * np.array(weights, float), axis=1)
        expected = confusion_matrix(y, called, labels=range(4))
        np.testing.assert_array_equal(mc.confusion(weights)[0], expected)
        np.testing.assert_array_equal(mc.decide(weights), called)
        np.testing.assert_array_equal(mc.decide(weights, outputs[:7]), called[:7])
        errors = 1 - np.diag(expected) / expected.sum(axis=1)
        np.testing.assert_allclose(mc.errors(weights)[0], errors, atol=1e-15)
    assert mc.n_classes == 4
    np.testing.assert_allclose(mc.priors, np.bincount(y) / 300)


@pytest.mark.parametrize("labels", [["a", "b", "c"], [3, 7, 9], [(1, "x"), "b", 4], [True, "no", 0.5]])
def test_labels_of_any_kind_are_given_back(labels: list[Any]) -> None:
    y = np.empty(3, object)
    y[:] = labels
    mc = rh.MulticlassRoc(y, GOOD, classes=labels)
    assert mc.decide([1, 1, 1]).tolist() == labels
    assert mc.sweep(labels[1]).classes == tuple(labels)


def test_searches_are_remembered() -> None:
    mc = example()
    found = mc.search(rh.multiclass.CostMatrix(1 - np.eye(3)), random_state=1)
    np.testing.assert_array_equal(mc.points.weights[: len(found)], found.weights)
    assert len(mc.points) > len(found) + 100  # and draws for an overview
    more = mc.search("max_error", "greedy", n_starts=50, random_state=1)
    matrices = {matrix.tobytes() for points in (found, more) for matrix in points.confusion}
    held = [matrix.tobytes() for matrix in mc.points.confusion]
    assert matrices <= set(held)
    assert len(held) == len(set(held))


def test_a_point_is_searched_for_before_it_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    costs = rh.multiclass.CostMatrix([[0, 1, 9], [1, 0, 1], [1, 1, 0]])
    limits = [rh.multiclass.Cell(0, 1) <= 0.01, rh.multiclass.Error(2) <= 0.3]
    mc = example()
    mc.search("max_error", random_state=0)
    best = example().search(costs, random_state=0)[0]
    assert mc.at(costs).value(costs) == best.value(costs)
    within = example().search(costs, subject_to=limits, random_state=0)[0]
    assert mc.at(costs, limits).value(costs) == within.value(costs)
    monkeypatch.setattr(type(mc), "search", None)  # no second time
    assert mc.at(costs, limits).value(costs) == within.value(costs)
    assert mc.at("max_error").value("max_error") <= mc.points.values("max_error").min()


@pytest.mark.parametrize("method", ["coordinate", "greedy", "pairwise"])
def test_a_search_never_returns_what_breaks_a_limit(method: Any) -> None:
    mc = rh.MulticlassRoc([0, 1, 2] * 2, [[0.4, 0.3, 0.3]] * 6)  # all that can be called is one class
    limits = [rh.multiclass.Error(c) <= 0.03 for c in range(3)]
    with pytest.raises(rh.multiclass.InfeasibleLimitsError, match=r"Error\(1\) = 1 .* nothing closer") as e:
        mc.search("max_error", method, subject_to=limits, n_starts=5, random_state=0)
    assert max(e.value.excess) == pytest.approx(0.97)
    with pytest.raises(rh.multiclass.InfeasibleLimitsError):
        mc.at("max_error", limits)
    # What was found is remembered: a mixture of it can be within limits that no point is within.
    limits = [rh.multiclass.Error(c) <= 0.67 for c in range(3)]
    with pytest.raises(rh.multiclass.InfeasibleLimitsError):
        mc.search("max_error", method, subject_to=limits, n_starts=5, random_state=0)
    assert mc.at("max_error", limits, mixtures=True).errors == pytest.approx([2 / 3] * 3)
    wide = rh.multiclass.Error(0) <= 0.4
    found = example().search("error", method, subject_to=wide, n_starts=20, random_state=0)
    assert found.satisfying(wide).all()


def test_limits_that_nothing_meets_were_searched_for() -> None:
    mc = example()
    with pytest.raises(
        rh.multiclass.InfeasibleLimitsError, match="A search within the limits found nothing closer"
    ) as e:
        mc.at(
            "error",
            [rh.multiclass.Error(0) <= 0.0, rh.multiclass.Error(1) <= 0.0, rh.multiclass.Error(2) <= 0.0],
        )
    assert len(e.value.excess) == 3
    assert e.value.closest is not None
    inner = message_of(e.value.message.parts[0])
    assert inner is not None
    assert str(e.value) == f"{inner} A search within the limits found nothing closer."
    read = pickle.loads(pickle.dumps(e.value))
    assert (str(read), read.excess) == (str(e.value), e.value.excess)


def test_points_are_searched_for_when_first_asked_for() -> None:
    mc = example()
    points = mc.points
    assert len(points) > 100
    assert len(points) == len(mc.points)
    best = mc.at("max_error")
    assert best.errors.max() == points.values("max_error").min()
    limited = mc.at("max_error", rh.multiclass.Error(1) <= best.errors[1] / 2)
    assert limited.errors[1] <= best.errors[1] / 2
    assert limited.errors.max() >= best.errors.max()


def test_a_search_within_limits_finds_what_the_points_lack() -> None:
    mc = example(400, 4)
    limits = [rh.multiclass.Error(0) <= 0.0, rh.multiclass.Cell(2, 1) <= 0.01]
    found = mc.search(rh.multiclass.ErrorRate(), subject_to=limits, random_state=0)
    assert found.errors[0][0] == 0
    assert found.rates[0][2, 1] <= 0.01
    assert mc.at(rh.multiclass.ErrorRate(), limits).errors[0] == 0
    free = mc.search(rh.multiclass.ErrorRate(), random_state=0)
    assert free.values(rh.multiclass.ErrorRate())[0] < found.values(rh.multiclass.ErrorRate())[0]


def test_where_no_point_is_within_the_limits_the_closest_is_told() -> None:
    mc = example()
    limits = [rh.multiclass.Error(0) <= 0.01, rh.multiclass.Error(1) <= 0.01, rh.multiclass.Error(2) <= 0.01]
    with pytest.raises(rh.multiclass.InfeasibleLimitsError) as searched:
        mc.search("max_error", "greedy", subject_to=limits, n_starts=200, random_state=0)
    closest = searched.value.closest
    assert closest is not None
    assert closest.errors.max() == mc.points.errors.max(axis=1).min()
    with pytest.raises(rh.multiclass.InfeasibleLimitsError) as caught:
        mc.at("max_error", limits)
    assert caught.value.closest is not None
    np.testing.assert_array_equal(caught.value.closest.confusion, closest.confusion)


@pytest.mark.parametrize("method", ["coordinate", "greedy", "pairwise"])
def test_a_search_judges_limits_as_the_points_do(method: Any) -> None:
    """A limit on costs that is met in rationals only."""
    y, outputs = np.repeat([0, 1], 10), np.tile([[1.0, 0.0], [0.0, 1.0]], (10, 1))[np.r_[0:20:2, 1:20:2]]
    outputs[:3] = [0, 1]
    outputs[-1] = [1, 0]
    mc = rh.MulticlassRoc(y, outputs + 0.01)
    costs = rh.multiclass.CostMatrix([[0, 0.1], [0.1, 0]], priors=[1, 9])  # 0.1 * 0.1 * 0.3 + 0.9 * 0.1 * 0.1
    limit = costs <= 0.012
    assert mc.points_at([1, 1]).values(costs)[0] > 0.012
    found = mc.search(rh.multiclass.Error(0), method, subject_to=limit, n_starts=3, random_state=0)
    assert found.satisfying(limit)[0]
    assert found.at(rh.multiclass.Error(0), limit).errors.tolist() == found.errors[0].tolist() == [0.3, 0.1]


def test_a_large_objective_does_not_hide_a_broken_limit() -> None:
    mc = example()
    limit = rh.multiclass.Error(1) <= 0.2
    found = mc.search(
        lambda matrices: 1e30 - matrices[:, 0, 0] * 1e14, subject_to=limit, n_starts=3, random_state=0
    )
    assert found.satisfying(limit)[0]
    best = found.values(lambda matrices: -matrices[:, 0, 0])
    assert best[0] == best[found.satisfying(limit)].min()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda mc: mc.sweep(9), "label: there is no class 9"),
        (lambda mc: mc.sweep(0, np.ones((2, 3))), "weights must be one vector to sweep from, but are 2"),
        (lambda mc: mc.sweep(0, [1, 0, 0]), "weights: all are zero but that of 0"),
        (lambda mc: mc.confusion(np.zeros((0, 3))), "weights is empty"),
        (lambda mc: mc.search(subject_to=None), "subject_to must hold limits .* but holds None"),
        (lambda mc: mc.search(subject_to=True), "subject_to must hold limits .* but holds True"),
        (
            lambda mc: mc.search(lambda matrices: matrices[:, 0, 0] * 1j),
            "result of objective must be numeric",
        ),
        (lambda mc: mc.decide(np.ones((2, 3))), "weights must be one vector to decide with, but are 2"),
        (lambda mc: mc.decide([1, 1, 1], [[0.5, 0.5]]), "outputs has 2 columns, but there are 3 classes"),
        (lambda mc: mc.decide([1, 1, 1], [[0.5, -0.5, 0]]), "negative"),
        (lambda mc: mc.search("gini"), "objective must be 'max_error', "),
        (lambda mc: mc.search("max_error", "annealing"), "method must be one of 'coordinate', 'greedy'"),
        (lambda mc: mc.search(n_starts=0), "n_starts must be an integer of at least 1, but is 0"),
        (lambda mc: mc.search(n_steps=-1), "n_steps must be an integer of at least 0"),
        (lambda mc: mc.search(keep=0), "keep must be an integer of at least 1"),
        (lambda mc: mc.search(random_state=-1), "random_state must be"),
        (lambda mc: mc.search(method="pairwise", interaction=2), "interaction must lie between 0 and 1"),
        (lambda mc: mc.search(rh.multiclass.Error("x")), "there is no class 'x'"),
        (lambda mc: mc.search(lambda matrices: 1.0), "one number for each confusion matrix"),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    refuses(message, call, example(30))


def test_what_is_given_out_is_not_shared() -> None:
    mc, weights = example(), np.ones((1, 3))
    points, totals = mc.points_at(weights), mc.totals
    weights[:], totals[:] = 7, 9
    assert points.weights.tolist() == [[1, 1, 1]]
    assert mc.totals.sum() == 200


def test_products_beyond_all_floats_tie_without_a_warning() -> None:
    mc = rh.MulticlassRoc([0, 1], [[1.0, 0.5], [0.5, 1.0]])
    assert mc.decide([1e300, 1e300], [[1e300, 1e301]]).tolist() == [0]


@pytest.mark.parametrize("text", [False, True])
def test_a_frame_called_like_the_classes_is_taken_by_name(text: bool) -> None:
    import pandas as pd
    import polars as pl

    y, outputs = cases(2, 60, 3, "smooth")
    plain = rh.MulticlassRoc(y, outputs)
    names: list[Any] = ["2", "0", "1"] if text else [2, 0, 1]
    frames: list[Any] = [pd.DataFrame(outputs[:, [2, 0, 1]], columns=names)]
    if text:
        frames.append(pl.DataFrame(outputs[:, [2, 0, 1]], schema=names))
    for frame in frames:
        mc = rh.MulticlassRoc(y, frame)
        assert mc.classes == (0, 1, 2)
        np.testing.assert_array_equal(mc.confusion([1, 2, 3]), plain.confusion([1, 2, 3]))
        np.testing.assert_array_equal(mc.decide([1, 2, 3], frame), plain.decide([1, 2, 3]))
        policy = mc.policy()
        np.testing.assert_array_equal(policy.decide(frame, [1, 2, 3]), plain.decide([1, 2, 3]))
        assert rh.multiclass.hand_till(y, frame) == rh.multiclass.hand_till(y, outputs)
        logs = np.log(outputs)
        frame_of_logs = pd.DataFrame(logs[:, [2, 0, 1]], columns=names)
        assert rh.multiclass.multiclass_cllr(y, frame_of_logs) == rh.multiclass.multiclass_cllr(y, logs)
    with pytest.raises(ValueError, match="more than one column 'x'"):
        rh.MulticlassRoc(y, pd.DataFrame(outputs, columns=["x", "x", "y"]))


def test_weights_by_label_and_as_points():
    mc = rh.MulticlassRoc(["a", "b", "b"], [[6, 3], [2, 5], [4, 3]])
    assert repr(mc) == "MulticlassRoc(examples: 'a' 1, 'b' 2; 0 operating points found)"
    wanted = mc.points_at([1, 3])
    for weights in ({"b": 3, "a": 1}, wanted, wanted[0]):
        assert mc.confusion(weights).tolist() == wanted.confusion.tolist()
        assert mc.errors(weights).tolist() == wanted.errors.tolist()
        assert mc.decide(weights).tolist() == mc.decide([1, 3]).tolist()
    refuses("weights has no value for class 'b'", mc.decide, {"a": 1})
    mixture = mc.points_at([[1, 1], [1, 3]]).mixture({0: 0.5, 1: 0.5})
    refuses("a MulticlassPolicy decides with it, by a key or a random state", mc.decide, mixture)
    other = rh.MulticlassRoc(["x", "y"], [[6, 3], [2, 5]]).points_at([1, 1])[0]
    refuses("the point is of the classes", mc.decide, other)
