"""Operating points of several classes: choosing, merging, mixing, fronts and printing."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

import rochull as rh
from refusals import refuses
from rochull.multiclass import points as module

CLASSES = ("a", "b", "c")


def some_points(seed, k=40, n_classes=3, n=12):
    """Points with random confusion matrices, the row sums being the same."""
    rng = np.random.default_rng(seed)
    totals = rng.integers(n // 2, n + 1, n_classes)
    shares = rng.dirichlet(np.full(n_classes, 0.7), (k, n_classes))
    confusion = np.stack(
        [[rng.multinomial(t, p) for t, p in zip(totals, rows, strict=True)] for rows in shares]
    )
    classes = tuple("abcdefgh"[:n_classes])
    return rh.multiclass.MulticlassPoints(rng.random((k, n_classes)), confusion.astype(np.int64), classes)


@pytest.fixture(scope="module")
def vehicle():
    """Points of random weights of a linear discriminant's out-of-fold posteriors."""
    data = rh.datasets.load("vehicle")
    features = np.column_stack([column for name, column in data.items() if name != "Class"])
    posteriors = cross_val_predict(
        LinearDiscriminantAnalysis(), features, data["Class"], cv=5, method="predict_proba"
    )
    weights = np.random.default_rng(0).dirichlet(np.ones(4), 120)
    return rh.MulticlassRoc(data["Class"], posteriors).points_at(np.concatenate([np.ones((1, 4)), weights]))


def random_limits(rng, classes):
    """Up to three limits of any kind."""
    kinds = [
        lambda: rh.multiclass.Error(rng.choice(classes).item()),
        lambda: rh.multiclass.Cell(*rng.choice(classes, 2, replace=False).tolist()),
        rh.multiclass.ErrorRate,
        lambda: rh.multiclass.CostMatrix(rng.integers(0, 5, (len(classes),) * 2)),
    ]
    limits = []
    for _ in range(rng.integers(0, 4)):
        measure = kinds[rng.integers(4)]()
        limits.append(measure <= float(rng.integers(1, 11 if measure.is_share else 20)) / 10)
    return limits


@given(st.integers(0, 2**32 - 1))
def test_at_is_the_first_best_within_the_limits(seed):
    rng = np.random.default_rng(seed)
    points = some_points(seed)
    limits = random_limits(rng, points.classes)
    goal = [rh.multiclass.MaxError(), rh.multiclass.ErrorRate(), rh.multiclass.Error("b")][seed % 3]
    within = [
        all(point.value(limit.measure) <= limit.limit + 1e-12 for limit in limits)
        for point in (points[i] for i in range(len(points)))
    ]
    assert_array_equal(points.satisfying(limits), within)
    if any(within):
        best = min(np.flatnonzero(within), key=lambda i: points[int(i)].value(goal))
        assert_array_equal(points.at(goal, limits).weights, points.weights[best])
        return
    with pytest.raises(rh.multiclass.InfeasibleLimitsError) as caught:
        points.at(goal, limits)
    worst = [
        max((point.value(limit.measure) - limit.limit) / limit.measure.scale() for limit in limits)
        for point in (points[i] for i in range(len(points)))
    ]
    closest = caught.value.closest
    reached = max((closest.value(limit.measure) - limit.limit) / limit.measure.scale() for limit in limits)
    assert reached == pytest.approx(min(worst), abs=1e-12)
    assert caught.value.excess == pytest.approx([closest.value(x.measure) - x.limit for x in limits])


def test_infeasible_limits_are_explained():
    confusion = np.array([[[8, 2], [3, 7]], [[9, 1], [5, 5]]])
    points = rh.multiclass.MulticlassPoints(np.array([[1.0, 1], [2, 1]]), confusion, ("a", "b"))
    with pytest.raises(rh.InfeasibleConditionError) as caught:
        points.at("error", [rh.multiclass.Error("a") <= 0.1, rh.multiclass.Error("b") <= 0.2])
    assert str(caught.value) == (
        "none of the 2 operating points that were found is within all limits. The closest, "
        "with weights [1, 1], has "
        "Error('a') = 0.2 (asked: <= 0.1) and Error('b') = 0.3 (asked: <= 0.2)."
    )
    assert_array_equal(caught.value.closest.weights, [1, 1])
    assert caught.value.excess == pytest.approx((0.1, 0.1))
    copy = pickle.loads(pickle.dumps(caught.value))  # as a worker process sends it
    assert str(copy) == str(caught.value)
    assert copy.excess == caught.value.excess
    with pytest.raises(
        rh.multiclass.InfeasibleLimitsError, match=r"weights \[2, 1\], has Error\('a'\) = 0.1 "
    ):
        points.at(subject_to=rh.multiclass.Error("a") <= 0.05)
    contradiction = [rh.multiclass.Error("a") <= 0.1, rh.multiclass.Error("a") >= 0.2]
    for mixtures in (False, True):
        with pytest.raises(rh.multiclass.InfeasibleLimitsError, match="is within all limits"):
            points.at("error", contradiction, mixtures=mixtures)


def test_what_cannot_be_chosen():
    points = some_points(0)
    refuses("there are no operating points", points[:0].at)
    with pytest.raises(ValueError, match="minimise is NaN at every operating point"):
        points.at(lambda confusion: np.full(len(confusion), np.nan))
    refuses("there is no class 'x'", points.at, "error", rh.multiclass.Error("x") <= 0.1)
    refuses("subject_to must hold limits", points.at, "error", ["Error('a') <= 0.1"])
    with pytest.raises(ValueError, match="linear in the confusion matrix, but minimise is"):
        points.at(lambda confusion: np.zeros(len(confusion)), mixtures=True)
    with pytest.raises(ValueError, match=r"linear inequalities, but not MaxError\(\) >= 0.1"):
        points.at("error", rh.multiclass.MaxError() >= 0.1, mixtures=True)
    empty = rh.multiclass.MulticlassPoints(np.ones((1, 2)), np.array([[[1, 1], [0, 0]]]), ("a", "b"))
    with pytest.raises(ValueError, match="minimise is not finite"):
        empty.at(
            rh.multiclass.CostMatrix([[0, 1], [1, 0]], [1, 1]), rh.multiclass.Error("a") <= 0.1, mixtures=True
        )
    refuses(r"Error\('b'\) is not finite", empty.at, "error", rh.multiclass.Error("b") <= 0.1, mixtures=True)
    with pytest.raises(rh.multiclass.InfeasibleLimitsError, match=r"Error\('b'\) = nan"):
        empty.at("error", rh.multiclass.Error("b") <= 0.1)


@given(st.integers(0, 2**32 - 1))
def test_mixtures_are_feasible_and_no_worse(seed):
    rng = np.random.default_rng(seed)
    points = some_points(seed)
    limits = random_limits(rng, points.classes)
    goal = [rh.multiclass.MaxError(), rh.multiclass.ErrorRate(), rh.multiclass.Error("b")][seed % 3]
    try:
        mixed = points.at(goal, limits, mixtures=True)
    except rh.multiclass.InfeasibleLimitsError as error:
        assert not points.satisfying(limits).any()
        reached = max(e / limit.measure.scale() for e, limit in zip(error.excess, limits, strict=True))
        assert reached > 0
        for shares in rng.dirichlet(np.full(len(points), 0.05), 50):
            other = points.mixture(dict(enumerate(shares)))
            found = max((other.value(x.measure) - x.limit) / x.measure.scale() for x in limits)
            assert found >= reached - 1e-9
        return
    active = sum(abs(mixed.value(limit.measure) - limit.limit) < 1e-8 for limit in limits)
    errors = (
        int((mixed.errors > mixed.errors.max() - 1e-8).sum()) - 1 if goal == rh.multiclass.MaxError() else 0
    )
    assert len(mixed.rules) <= 1 + active + errors
    assert sum(share for _, share in mixed.rules) == pytest.approx(1, abs=1e-15)
    for limit in limits:
        assert mixed.value(limit.measure) <= limit.limit + 1e-12 * limit.measure.scale() + 1e-15
    if points.satisfying(limits).any():
        assert mixed.value(goal) <= points.at(goal, limits).value(goal) + 1e-12
    for shares in rng.dirichlet(np.full(len(points), 0.05), 50):
        other = points.mixture(dict(enumerate(shares)))
        if all(other.value(limit.measure) <= limit.limit for limit in limits):
            assert other.value(goal) >= mixed.value(goal) - 1e-9


def test_the_two_class_mixture_is_that_of_the_hybrid():
    data = rh.datasets.load("adult_scores", ["income", "tree"])
    positive = np.asarray(data["income"] == np.unique(data["income"])[1])[:2000]
    scores = data["tree"][:2000].astype(float)
    hull = rh.roc_hull(positive.astype(int), scores)
    expected = hull.at(rh.NeymanPearson(max_fpr=0.1))
    tuned = np.unique(scores)
    outputs = np.column_stack([1 - scores, scores])
    inner = (tuned > 0) & (tuned < 1)
    middle = np.concatenate([[0.5 / len(tuned)], tuned[inner]])
    weights = np.column_stack([middle, 1 - middle]) * [1 + 1e-12, 1]  # ties fall to the positives
    weights[:, 0] /= 1 + 2e-12
    points = rh.MulticlassRoc(positive, outputs).points_at(weights)
    mixed = points.at(rh.multiclass.Error(True), rh.multiclass.Error(False) <= 0.1, mixtures=True)
    assert 1 - mixed.errors[1] == pytest.approx(expected.tpr, abs=1e-9)
    assert mixed.errors[0] == pytest.approx(0.1, abs=1e-12)
    assert len(mixed.rules) == 2


def test_limits_that_only_one_mixture_meets():
    points = some_points(3)
    half = points.mixture({0: 0.5, 1: 0.5})
    limits = [
        m for label in "abc" for m in (rh.multiclass.Error(label) <= 0.9, rh.multiclass.Error(label) >= 0.0)
    ]
    goal = rh.multiclass.Error("a")
    assert points.at(goal, limits, mixtures=True).value(goal) <= half.value(goal) + 1
    equal = [rh.multiclass.Error("a") <= half.value(goal), rh.multiclass.Error("a") >= half.value(goal)]
    assert points.at("error", equal, mixtures=True).value(goal) == pytest.approx(half.value(goal), abs=1e-12)
    upper = points.at("error", rh.multiclass.MaxError() <= 0.7, mixtures=True)
    assert upper.errors.max() <= 0.7 + 1e-12


def test_rounding_does_not_make_limits_infeasible(monkeypatch):
    points = some_points(4)
    monkeypatch.setattr(module, "best_mixture", lambda goals, beyond: None)
    best = points.at("error", rh.multiclass.Error("a") <= 0.5, mixtures=True)
    assert best.value("error") == points.at("error", rh.multiclass.Error("a") <= 0.5).value("error")
    at = int(np.argmin(points.errors[:, 0]))
    monkeypatch.setattr(module, "least_excess", lambda beyond: np.eye(len(points))[at])
    below = rh.multiclass.Error("a") <= float(points.errors[at, 0]) - 1e-13
    assert not points.satisfying(below).any()
    assert_array_equal(points.at("error", below, mixtures=True).weights, points.weights[at])


def test_mixture():
    points = some_points(1)
    mixed = points.mixture({0: 0.25, 3: 0.75, 5: 0.0})
    assert_allclose(mixed.confusion, 0.25 * points.confusion[0] + 0.75 * points.confusion[3])
    assert [share for _, share in mixed.rules] == [0.25, 0.75]
    assert "with probability 0.25 or [" in repr(mixed)
    with pytest.raises(ValueError, match="the point is a mixture"):
        mixed.weights  # noqa: B018
    single = points.mixture({-1: 1.0})
    assert_array_equal(single.weights, points.weights[-1])
    for wrong, message in [
        ({0: 0.5}, "sum to one, but sum to 0.5"),
        ({99: 1.0}, "there is no point 99; there are 40"),
        ({"0": 1.0}, "there is no point '0'"),
        ({0: 1.5, 1: -0.5}, "the probability of point 0 must lie between 0 and 1"),
    ]:
        refuses(message, points.mixture, wrong)


@given(st.integers(0, 2**32 - 1))
def test_what_is_on_the_hull_is_not_dominated_by_mixtures(seed):
    points = some_points(seed, k=15)
    front, hull = points.pareto(), points.hull()
    on_front = {tuple(w) for w in front.weights}
    assert {tuple(w) for w in hull.weights} <= on_front
    on_hull = {tuple(e) for e in hull.errors}
    for i in range(len(points)):
        point = points[i]
        better = points.dominating(point)
        if tuple(point.errors) in on_hull:
            assert better is None
        if better is not None:
            assert (better.errors <= point.errors + 1e-12).all()
            assert (better.errors < point.errors - 1e-12).any()
        dominated = any((e <= point.errors).all() and (e < point.errors).any() for e in points.errors)
        assert (tuple(points.weights[i]) in on_front) <= (not dominated)
        if dominated:
            assert better is not None


def test_nothing_dominates_what_others_do_not_reach():
    points = some_points(5, k=10)
    best = points.at(rh.multiclass.Error("a"))
    others = points[points.errors[:, 0] > best.errors[0]]
    assert others.dominating(best) is None
    with pytest.raises(ValueError, match="the points are of classes"):
        points.dominating(rh.multiclass.MulticlassPoint(best.rules, best.confusion, ("x", "y", "z")))


def test_two_classes_have_the_two_class_hull():
    rng = np.random.default_rng(6)
    y = rng.integers(0, 2, 300)
    scores = np.round(rng.normal(y, 1.0), 1)
    hull = rh.roc_hull(y, scores)
    confusion = []
    for threshold in np.append(np.unique(scores), np.inf):
        called = scores >= threshold
        tp, fp = int((called & (y == 1)).sum()), int((called & (y == 0)).sum())
        confusion.append([[int((y == 0).sum()) - fp, fp], [int((y == 1).sum()) - tp, tp]])
    points = rh.multiclass.MulticlassPoints(np.ones((len(confusion), 2)), np.array(confusion), (0, 1))
    expected = {(f, 1 - t) for f, t in zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)}
    found = {(f, e) for f, e in points.hull().errors.tolist()}
    # Without the ends that are dominated: where an edge of the hull is vertical or horizontal.
    undominated = {p for p in expected if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in expected)}
    assert_allclose(sorted(found), sorted(undominated), atol=1e-15)
    assert len(points.potentially_optimal()) == len(points.hull())


def test_each_potentially_optimal_point_is_optimal_for_its_costs(vehicle):
    found, costs = vehicle.potentially_optimal(return_costs=True)
    assert len(found) == len(costs) == len(vehicle.potentially_optimal())
    for i, matrix in enumerate(costs):
        assert matrix.classes == vehicle.classes
        array = np.array(matrix.costs)
        assert (np.diag(array) == 0).all()
        assert array[~np.eye(4, dtype=bool)].min() > 0
        assert array.max() == 1
        assert found[i].value(matrix) <= vehicle.values(matrix).min() + 1e-12
    # For any costs and priors one of them is optimal.
    rng = np.random.default_rng(1)
    for _ in range(50):
        matrix = rh.multiclass.CostMatrix(
            rng.exponential(size=(4, 4)) * (1 - np.eye(4)), rng.dirichlet(np.ones(4))
        )
        assert found.values(matrix).min() == pytest.approx(vehicle.values(matrix).min(), abs=1e-12)
    # For costs of the classes alone those on the hull suffice, which all are potentially optimal.
    hull = vehicle.hull()
    assert {tuple(w) for w in hull.weights} <= {tuple(w) for w in found.weights}
    for _ in range(50):
        prices = rng.exponential(size=4)[:, None] * (1 - np.eye(4))
        assert hull.values(rh.multiclass.CostMatrix(prices)).min() == pytest.approx(
            vehicle.values(rh.multiclass.CostMatrix(prices)).min(), abs=1e-12
        )


def test_weighted_points():
    rng = np.random.default_rng(7)
    y = rng.integers(0, 3, 60)
    outputs = rng.random((60, 3)) + np.eye(3)[y] / 2
    weights = rng.dirichlet(np.ones(3), 80)
    plain = rh.MulticlassRoc(y, outputs).points_at(weights)
    halved = rh.MulticlassRoc(y, outputs, sample_weight=np.full(60, 0.5)).points_at(weights)
    for name in ("pareto", "hull", "potentially_optimal"):
        assert_array_equal(getattr(halved, name)().weights, getattr(plain, name)().weights)


def test_merge():
    points = some_points(8)
    both = points[:25].merge(points[15:])
    first = [
        i for i, c in enumerate(points.confusion) if not any((d == c).all() for d in points.confusion[:i])
    ]
    assert_array_equal(both.weights, points.weights[first])
    assert_array_equal(points[:0].merge(points).weights, points.weights[first])
    with pytest.raises(ValueError, match="the points are of classes"):
        points.merge(rh.multiclass.MulticlassPoints(points.weights, points.confusion, ("x", "y", "z")))
    refuses("other is of other examples", points.merge, some_points(9))


def test_sorting_and_picking():
    points = some_points(10)
    values = points.values("error")
    assert_array_equal(points.sorted_by("error").values("error"), np.sort(values))
    assert_array_equal(points[values < 0.5].weights, points.weights[values < 0.5])
    point = points[np.int64(3)]
    assert_array_equal(point.errors, points.errors[3])
    assert_array_equal(point.rates, points.rates[3])
    assert point.value(lambda confusion: confusion[:, 0, 0]) == points.confusion[3, 0, 0]
    assert point.expected_cost(1 - np.eye(3)) == pytest.approx(values[3])
    with pytest.raises(IndexError):
        points[40]


def test_columns_for_a_data_frame():
    points = some_points(11)
    columns = points.to_dict()
    assert list(columns)[:7] == [
        *(f"weight[{c}]" for c in CLASSES),
        *(f"error[{c}]" for c in CLASSES),
        "max_error",
    ]
    assert len(columns) == 7 + 9
    assert all(len(column) == len(points) for column in columns.values())
    assert_array_equal(columns["cell[a, c]"], points.rates[:, 0, 2])


def test_printing_is_narrow():
    for n_classes in (2, 3, 4, 6):
        points = some_points(12, n_classes=n_classes)
        lines = repr(points).splitlines()
        assert max(map(len, lines)) <= 80
        assert lines[0] == f"MulticlassPoints: 40 points of {n_classes} classes, in-sample."
        assert lines[-1] == "... and 30 more"
        assert "in-sample" in repr(points[0])
    assert repr(points[:0]) == "MulticlassPoints: 0 points of 6 classes, in-sample."
    many = rh.multiclass.MulticlassPoint(((np.ones(12), 1.0),), np.eye(12), tuple(range(12)))
    assert repr(many).endswith("9 0, and 2 more)")
    assert "1, ...]" in repr(many)
    tiny = rh.multiclass.MulticlassPoints(
        np.array([[0.00034567, 1.2345e-15]]), np.array([np.eye(2)]), ("a", "b")
    )
    assert repr(tiny).splitlines()[0] == "MulticlassPoints: 1 point of 2 classes, in-sample."
    assert repr(tiny).splitlines()[-1] == "   0 0.00035 1.2e-15 |       0       0 |       0"
    named = rh.multiclass.MulticlassPoints(
        np.ones((1, 3)), np.eye(3)[None], ("melanoma", "normal", "a very long label")
    )
    assert repr(named).splitlines()[2] == (
        "       melanoma     normal a very lo… |   melanoma     normal a very lo… |   error"
    )
    assert (
        len(
            repr(
                rh.multiclass.MulticlassPoints(tiny.weights * 1e200, tiny.confusion, ("a", "b"))
            ).splitlines()[-1]
        )
        < 50
    )


def test_the_cost_of_a_point_takes_a_cost_matrix():
    y, outputs = np.arange(30) % 3, np.random.default_rng(5).random((30, 3))
    point = rh.MulticlassRoc(y, outputs).points_at([1, 1, 1])[0]
    costs, priors = [[0, 1, 5], [2, 0, 1], [1, 9, 0]], [0.2, 0.3, 0.5]
    assert point.expected_cost(rh.multiclass.CostMatrix(costs, priors)) == point.expected_cost(costs, priors)
    with pytest.raises(ValueError, match="priors is given, but costs is a CostMatrix"):
        point.expected_cost(rh.multiclass.CostMatrix(costs), priors)
