"""Several classifiers together, against each alone and against brute force."""

import math
import re
import warnings
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rochull as rh
from profiles import some

Y = np.repeat([0, 1], [18, 22])


def scores(seed: int, count: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0, 2.5, (count, 1)) * (rng.random((count, Y.size)) < 0.6)
    rows = np.round(strength * Y + rng.normal(size=(count, Y.size)), 1)
    return {f"c{i}": row for i, row in enumerate(rows)}


def hybrid_of(seed: int, **options: Any) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, score in scores(seed).items():
        assert hybrid.add(name, Y, score, **options) is hybrid
    return hybrid


# --- adding -------------------------------------------------------------------------------------


def test_it_is_the_union_of_its_hulls() -> None:
    for seed in some(range(10), 3):
        hybrid = hybrid_of(seed)
        union = rh.union({name: rh.roc_hull(Y, score) for name, score in scores(seed).items()})
        assert hybrid.hull.fpr.tolist() == union.fpr.tolist()
        assert hybrid.hull.tpr.tolist() == union.tpr.tolist()
        assert list(map(set, hybrid.hull.owners)) == list(map(set, union.owners))
        assert list(hybrid.hulls) == list(scores(seed))
        assert hybrid.hull.auc() >= max(hull.auc() for hull in hybrid.hulls.values())
        for name, score in scores(seed).items():
            assert hybrid.auc[name] == rh.roc_auc(Y, score)
            assert hybrid.hulls[name].auc() >= hybrid.auc[name]
            assert hybrid.curves[name].auc() == hybrid.auc[name]
        assert hybrid.prevalence == 22 / 40


def test_a_dominated_classifier_leaves_the_hull_object_unchanged() -> None:
    hybrid = rh.Hybrid().add("good", Y, Y + np.linspace(0, 0.9, Y.size)[::-1] * 1.2)
    before = hybrid.hull
    hybrid.add("useless", Y, np.zeros(Y.size)).add("inverted", Y, -Y).add_point("low", 0.5, 0.3)
    assert hybrid.hull is before
    assert list(hybrid.hulls) == ["good", "useless", "inverted", "low"]
    hybrid.add("perfect", Y, Y)
    assert hybrid.hull is not before


def test_a_useless_classifier_may_come_first() -> None:
    hybrid = rh.Hybrid().add("useless", Y, np.zeros(Y.size), curve=True).add("inverted", Y, -Y, curve=True)
    assert hybrid.hull.classifiers == ()
    assert set(hybrid.hull.curves) == {"useless", "inverted"}
    hybrid.add("perfect", Y, Y)
    assert hybrid.hull.classifiers == ("perfect",)


@pytest.mark.parametrize(
    ("labels", "weights"),
    [
        (1 - Y, None),
        (np.roll(Y, 1), None),
        (Y[:-1], None),
        (np.append(Y, 1), None),
        (Y, np.ones(Y.size)),
        (Y, np.linspace(1, 2, Y.size)),
    ],
)
def test_other_examples_are_refused_and_change_nothing(labels: np.ndarray, weights: Any) -> None:
    hybrid = hybrid_of(0)
    before = hybrid.hull, list(hybrid.hulls), list(hybrid.curves), list(hybrid.auc)
    with pytest.raises(ValueError, match=r"y_true or sample_weight of 'new' is not .* 'c3': .* same order"):
        hybrid.add("new", labels, np.zeros(labels.size), sample_weight=weights)
    assert before == (hybrid.hull, list(hybrid.hulls), list(hybrid.curves), list(hybrid.auc))


def test_other_weights_are_refused() -> None:
    weights = np.linspace(1, 2, Y.size)
    hybrid = rh.Hybrid().add("a", Y, Y, sample_weight=weights)
    hybrid.add("b", Y.astype(bool), Y, sample_weight=weights.tolist())
    hybrid.add("c", np.where(Y == 1, "yes", "no"), Y, sample_weight=weights, pos_label="yes")
    for other in (None, weights[::-1], 2 * weights):
        with pytest.raises(ValueError, match=r"sample_weight of 'd' is not that of 'c'"):
            hybrid.add("d", Y, Y, sample_weight=other)
    assert math.isclose(hybrid.prevalence, weights[Y == 1].sum() / weights.sum())


def test_names() -> None:
    hybrid = hybrid_of(0)
    for bad in ("", None, 5, b"a"):
        with pytest.raises(ValueError, match="name must be a non-empty string"):
            hybrid.add(bad, Y, Y)  # type: ignore[arg-type]
    for add in (
        lambda name: hybrid.add(name, Y, Y),
        lambda name: hybrid.add_point(name, 0.1, 0.2),
        lambda name: hybrid.add_curve(name, rh.roc_curve(Y, Y)),
    ):
        with pytest.raises(ValueError, match="name 'c1' is taken"):
            add("c1")
    assert repr(hybrid) == "Hybrid(c0, c1, c2, c3)"


def test_an_empty_hybrid() -> None:
    hybrid = rh.Hybrid()
    assert repr(hybrid) == "Hybrid(empty)"
    for use in (
        lambda: hybrid.hull,
        hybrid.dominance_table,
        hybrid.policy,
        lambda: hybrid.at(rh.Accuracy(0.5)),
        lambda: hybrid.regret(rh.Accuracy(0.5)),
    ):
        with pytest.raises(ValueError, match="the hybrid is empty"):
            use()
    with pytest.raises(ValueError, match="only rates"):
        _ = hybrid.prevalence


# --- points and curves --------------------------------------------------------------------------


def test_points_equal_to_counts_share_vertices() -> None:
    for seed in some(range(10), 3):
        hybrid = hybrid_of(seed)
        before = hybrid.hull
        for i in range(1, len(before) - 1):
            hybrid.add_point(f"p{i}", before.fp[i] / 18, before.tp[i] / 22)
        assert hybrid.hull.fp.tolist() == before.fp.tolist()
        for i, rules in enumerate(hybrid.hull.owners[1:-1], start=1):
            assert rules == (*before.owners[i], rh.conditions.Rule("threshold", f"p{i}", 1.0))


def test_points_alone_and_then_scores() -> None:
    hybrid = rh.Hybrid().add_point("p", 0.2, 0.6).add_point("q", 0.1, 0.2)
    assert hybrid.hull.fpr.tolist() == [0, 0.2, 1]
    with pytest.raises(ValueError, match="only rates"):
        _ = hybrid.prevalence
    hybrid.add("perfect", Y, Y)
    assert (hybrid.hull.fpr.tolist(), hybrid.hull.tpr.tolist()) == ([0, 0, 1], [0, 1, 1])
    assert hybrid.prevalence == 22 / 40
    for bad in (-0.1, 1.1, math.nan, "x", None):
        with pytest.raises(ValueError, match="fpr"):
            hybrid.add_point("bad", bad, 0.5)  # type: ignore[arg-type]
    assert "bad" not in hybrid.hulls


def test_curves() -> None:
    score = scores(1)["c0"]
    curve = rh.roc_curve(Y, score)
    by_curve, by_scores = rh.Hybrid().add_curve("a", curve), rh.Hybrid().add("a", Y, score, curve=True)
    assert by_curve.hull.owners == by_scores.hull.owners
    assert by_curve.hull.fp.tolist() == by_scores.hull.fp.tolist()
    averaged = SimpleNamespace(
        fpr=np.array([0, 0.1, 0.4, 1]),
        tpr=np.array([0, 0.5, 0.9, 1]),
        thresholds=np.array([np.inf, 0.9, 0.4, 0]),
    )
    hybrid = rh.Hybrid().add_curve("mean", averaged)
    assert hybrid.hull.fpr.tolist() == [0, 0.1, 0.4, 1]
    assert [rule.threshold for rules in hybrid.hull.owners[1:-1] for rule in rules] == [0.9, 0.4]
    averaged.tpr = averaged.tpr[:2]
    with pytest.raises(ValueError, match="same length"):
        rh.Hybrid().add_curve("x", averaged)
    other = rh.roc_curve([1, 0, 0], [3, 2, 1])
    with pytest.raises(ValueError, match="same examples"):
        by_curve.add_curve("other", other)
    assert (list(by_curve.hulls), list(by_curve.curves)) == (["a"], ["a"])


def test_single_thresholds_are_looked_for_on_all_kept_curves() -> None:
    for seed in some(range(8), 3):
        hybrid = hybrid_of(seed, curve=True)
        for limit in (0.1, 0.3, 0.6):
            best = max(
                (tpr, -fpr)
                for score in scores(seed).values()
                for fpr, tpr in zip(*rates(rh.roc_curve(Y, score)), strict=True)
                if fpr <= limit
            )
            point = hybrid.at(rh.NeymanPearson(limit), deterministic=True)
            assert (point.tpr, -point.fpr) == best
            assert len(point.rules) == 1


def rates(curve: rh.hull.RocCurve) -> tuple[list[float], list[float]]:
    return curve.fpr.tolist(), curve.tpr.tolist()


# --- imprecise conditions -----------------------------------------------------------------------

INTERVALS = [
    rh.ExpectedCost(cost_fn=(1, 10), prevalence=0.3),
    rh.ExpectedCost(cost_fp=(0.5, 1.5), cost_fn=(1, 2), prevalence=(0.4, 0.6)),
    rh.ExpectedCost(prevalence=(0.01, 0.99)),
    rh.ExpectedCost(prevalence=(0, 1)),
    rh.ExpectedCost(cost_fp=(0, 1), prevalence=0.5),
    rh.ExpectedCost(cost_fp=1, cost_fn=(0, 1), prevalence=0.5),
    rh.Accuracy((0.45, 0.55)),
    rh.Accuracy(0.3),
    rh.Accuracy(0),
]


@pytest.mark.parametrize("condition", INTERVALS, ids=repr)
def test_potentially_optimal_against_a_grid_of_slopes(condition: rh.ExpectedCost) -> None:
    low, high = condition.slope_range
    for seed in some(range(12), 3):
        hybrid = hybrid_of(seed)
        hull = hybrid.hull
        edges = [s for s in hull.slopes.tolist() if low <= s <= high]
        ends = [1e6 if math.isinf(slope) else slope for slope in (low, high)]
        logarithmic = np.geomspace(*(max(end, 1e-9) for end in ends), 200)
        found = set()
        for slope in [low, high, *np.linspace(*ends, 50), *logarithmic, *edges]:
            if slope < low or slope > high:
                continue
            value = -hull.fpr if math.isinf(slope) else hull.tpr - slope * hull.fpr
            best = np.flatnonzero(value >= value.max() - 1e-12 * max(1, min(slope, 1e6)))
            found |= {rule.classifier for i in best for rule in hull.owners[i]} - {None}
        assert set(hybrid.potentially_optimal(condition)) == found


def test_ends_of_ranges_belong_to_both() -> None:
    """At prevalence 0.3 the slope is 7/3 on paper; a float slope of the edge need not equal 7/3."""
    y = np.repeat([0, 1], [30, 20])
    # An edge of slope (14/20) / (9/30) = 7/3 from a's (0, 2) to b's (9, 16).
    a, b = y * 0.0, y * 0.0
    a[30:32] = 1
    b[30:46], b[:9] = 1, 1
    hybrid = rh.Hybrid().add("a", y, a).add("b", y, b)
    assert hybrid.hull.fp.tolist() == [0, 0, 9, 30]
    assert set(hybrid.potentially_optimal(rh.Accuracy(0.3))) == {"a", "b"}
    assert hybrid.potentially_optimal(rh.Accuracy((0.1, 0.3))) == ("b", "a")
    assert hybrid.potentially_optimal(rh.Accuracy((0.3, 0.5))) == ("b", "a")
    assert hybrid.potentially_optimal(rh.Accuracy((0.1, 0.2999999))) == ("a",)
    assert hybrid.potentially_optimal(rh.Accuracy((0.3000001, 0.5))) == ("b",)


def test_what_needs_one_number_says_so() -> None:
    with pytest.raises(TypeError, match="condition must be an operating condition, but is 3"):
        hybrid_of(0).potentially_optimal(3)  # type: ignore[arg-type]
    with pytest.raises(rh.ImpreciseConditionError, match="cost_fn"):
        hybrid_of(0).at(rh.ExpectedCost(cost_fn=(1, 2), prevalence=0.5))


# --- regret -------------------------------------------------------------------------------------


def f_measure(fpr: float, tpr: float) -> float:
    return 2 * 0.3 * tpr / (0.3 * tpr + 0.7 * fpr + 0.3)


CONDITIONS: dict[str, tuple[Any, Any]] = {
    "cost": (rh.ExpectedCost(2, 3, 0.3), lambda x, y: 0.7 * 2 * x + 0.3 * 3 * (1 - y)),
    "accuracy": (rh.Accuracy(0.6), lambda x, y: 0.4 * x + 0.6 * (1 - y)),
    "Neyman-Pearson": (rh.NeymanPearson(0.13), lambda x, y: -y),
    "recall": (rh.MinimumRecall(0.61), lambda x, y: x),
    "capacity": (rh.Capacity(fraction=0.3, prevalence=0.4), lambda x, y: -y),
    "precision": (rh.MinimumPrecision(0.55, 0.4), lambda x, y: -y),
    "utility": (rh.Utility(f_measure), lambda x, y: -f_measure(x, y)),
    "constrained": (rh.Constrained(f_measure, 0.5, 0.5, 0.3), lambda x, y: -f_measure(x, y)),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_regret_against_each_hull_alone(name: str) -> None:
    condition, loss = CONDITIONS[name]
    infeasible = 0
    for seed in range(10):
        hybrid = hybrid_of(seed)
        best = hybrid.at(condition)
        regrets = hybrid.regret(condition)
        assert list(regrets) == list(hybrid.hulls)
        for classifier, score in scores(seed).items():
            regret = regrets[classifier]
            try:
                alone = rh.roc_hull(Y, score).at(condition)
            except rh.InfeasibleConditionError:
                assert (regret.point, regret.value) == (None, math.inf)
                infeasible += 1
                continue
            assert regret.point is not None
            assert (regret.point.fpr, regret.point.tpr) == (alone.fpr, alone.tpr)
            assert regret.value >= 0
            expected = loss(alone.fpr, alone.tpr) - loss(best.fpr, best.tpr)
            assert math.isclose(regret.value, expected, abs_tol=1e-12)
            owns = {rule.classifier for rule, _ in best.rules} <= {classifier, None}
            assert regret.value < 1e-12 if owns else True
    assert infeasible > 0 or name != "precision"


def test_policy_is_that_of_the_hull() -> None:
    hybrid = hybrid_of(2)
    policy = hybrid.policy(salt="s", about={"data": "random"})
    assert (policy.salt, dict(policy.about)) == ("s", {"data": "random"})
    assert policy.hull.owners == hybrid.hull.owners
    for condition, _ in CONDITIONS.values():
        assert policy.at(condition) == hybrid.at(condition)
    assert policy.classifiers == hybrid.hull.classifiers


def test_weights_that_sum_to_a_power_of_two_have_one_unit_on_every_path() -> None:
    rng = np.random.default_rng(0)
    n = 300_000
    y = (rng.random(n) < 0.3).astype(int)
    score = rng.normal(size=n) + y
    weight = np.where(y == 1, 0.5 / y.sum(), 0.5 / (n - y.sum()))
    hybrid = rh.Hybrid().add("a", y, score, sample_weight=weight)
    hybrid.add("b", y, -score, sample_weight=weight, curve=True)
    scan, sort = rh.roc_hull(y, score, sample_weight=weight), rh.roc_curve(y, score, sample_weight=weight)
    assert scan.tp.tolist() == rh.RocHull.from_curve(sort).tp.tolist()


def test_a_failing_utility_is_not_called_infeasible() -> None:
    hybrid = rh.Hybrid().add("a", [1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(ValueError, match="not a number"):
        hybrid.regret(rh.Utility(lambda fpr, tpr: float("nan")))


def test_a_report_on_distributions() -> None:
    condition = rh.ExpectedCost(cost_fn=stats.lognorm(0.5, scale=5), prevalence=(0.1, 0.3))
    hybrid = hybrid_of(0)
    report = rh.Report(hybrid, condition)
    found = report.facts["condition"]
    assert found["parameters"] == {
        "cost_fp": 1.0,
        "cost_fn": "lognorm(0.5, scale=5)",
        "prevalence": [0.1, 0.3],
    }
    assert found["slope_range"] == [0, "inf"]
    assert found["potentially_optimal"] == list(hybrid.potentially_optimal(condition))
    assert "lognorm(0.5, scale=5)" in found["text"]


def test_a_table_and_the_same_scores_one_by_one() -> None:
    table = {"y": Y, **scores(3)}
    together = rh.Hybrid.from_table(table, label="y", scores=list(scores(3)))
    one_by_one = hybrid_of(3)
    assert together.hull.owners == one_by_one.hull.owners
    assert together.auc == one_by_one.auc
    assert list(together.hulls) == list(one_by_one.hulls)
    with pytest.raises(ValueError, match="is not that of 'c3'"):
        together.add("other", 1 - Y, Y)


# --- one threshold under a limit -------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("curve", [False, True])
@pytest.mark.parametrize(
    "condition",
    [
        rh.NeymanPearson(0.09),
        rh.MinimumRecall(0.83),
        rh.Capacity(fraction=0.3, prevalence=0.3),
        rh.MinimumPrecision(0.6, prevalence=0.3),
        rh.Constrained(lambda fpr, tpr: tpr, 0.3, 0.7, 0.2),
    ],
    ids=lambda c: type(c).__name__,
)
def test_one_threshold_is_at_least_as_good_as_every_member(condition: Any, curve: bool) -> None:
    """Also a member below the hull counts, the points kept of its curve too, and the assured rule."""
    table = rh.datasets.load("german_credit_scores")
    names = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
    hybrid = rh.Hybrid.from_table(table, label="class", scores=names, pos_label="bad", curve=curve)
    point = hybrid.at(condition, deterministic=True)
    assert len(point.rules) == 1
    merit = condition.question.objective.merit(point.fpr, point.tpr)
    for name, hull in hybrid.hulls.items():
        raw = rh.roc_curve(table["class"], table[name], pos_label="bad")
        raw = raw if curve else raw.thin()
        alone = rh.RocHull.from_curve(raw).at(condition, deterministic=True)
        assert merit >= condition.question.objective.merit(alone.fpr, alone.tpr)
        with warnings.catch_warnings(action="ignore"):  # that it holds its vertices alone
            alone = hull.at(condition, deterministic=True)
        assert merit >= condition.question.objective.merit(alone.fpr, alone.tpr)
    assert hybrid.policy().at(condition, deterministic=True).rules == point.rules
    vertex = replace(hybrid.hull, curves={}).at(condition, deterministic=True)
    assert merit > condition.question.objective.merit(vertex.fpr, vertex.tpr)
    (rule, _), *_ = point.rules  # and it is what it says
    called = table[rule.classifier] >= rule.threshold
    assert point.tpr == pytest.approx(np.mean(called[table["class"] == "bad"]))
    assert point.fpr == pytest.approx(np.mean(called[table["class"] != "bad"]))
    assert hybrid.regret(condition).least_worst_single.point == point
    if "confidence" in vars(condition):
        of_data = {"prevalence": None} if "prevalence" in vars(condition) else {}  # which is the stated one
        assured = hybrid.at(replace(condition, confidence=0.9, **of_data))
        assert merit >= condition.question.objective.merit(assured.fpr, assured.tpr)


def test_a_member_that_cannot_meet_a_limit_is_passed_over() -> None:
    y = np.array([1, 1, 0, 0])
    for curve in (False, True):
        hybrid = (
            rh.Hybrid().add("bad", y, [1, 2, 4, 3], curve=curve).add("good", y, [4, 1, 3, 2], curve=curve)
        )
        condition = rh.MinimumPrecision(0.9, prevalence=0.5)
        for point in (
            hybrid.at(condition, deterministic=True),
            hybrid.hull.at(condition, deterministic=True),
        ):
            assert str(point.rules[0][0]) == "good >= 4"


def test_unknown_names_are_told_the_known_ones() -> None:
    y = [1, 1, 0, 0]
    hybrid = rh.Hybrid().add("gbm", y, [4, 1, 3, 2]).add("tree", y, [3, 2, 4, 1])
    with pytest.raises(ValueError, match="there is no classifier 'gmb'; there are 'gbm', 'tree'"):
        hybrid.without(["gmb"])


# --- as text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("confidence", [None, 0.9])
def test_prints_fit_a_terminal(confidence: float | None) -> None:
    table = rh.datasets.load("german_credit_scores")
    names = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
    hybrid = rh.Hybrid.from_table(table, label="class", scores=names, pos_label="bad")
    costs, limit = (
        rh.ExpectedCost(cost_fn=(1, 60), prevalence=(0.01, 0.4)),
        rh.NeymanPearson(0.15, confidence),
    )
    shown = [hybrid.regret(limit), hybrid.without("tree"), hybrid.restrict(costs)]
    if confidence is None:
        shown += [f(c) for f in (hybrid.sensitivity, hybrid.potentially_optimal) for c in (costs, limit)]
        shown += [
            hybrid.regret(costs),
            hybrid.policy().estimate_prevalence({"logistic": table["logistic"][:100]}),
        ]
    else:
        shown.append(hybrid.assured(limit))
    for found in shown:
        text = str(found)
        assert max(map(len, text.splitlines())) <= 80, text
        assert not re.search(r"[1-9]\d{6}", text), text  # six digits are enough to read
        assert "w + m" not in text
        assert not re.search(r"vertices in the range.*\neach classifier", text)


# --- single rules ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_a_single_rule_is_never_worse_than_a_classifier_alone(seed: int) -> None:
    """Curves that are thinned for drawing do not decide."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 20_000)
    scores = {"a": rng.normal(size=y.size) + y, "b": np.round(rng.normal(size=y.size) + y, 2)}
    hybrid, weight = rh.Hybrid(), None if seed < 2 else rng.integers(1, 4, y.size)
    for name, score in scores.items():
        hybrid.add(name, y, score, sample_weight=weight)
    curves = [rh.roc_curve(y, score, sample_weight=weight) for score in scores.values()]
    for limit in (0.003, 0.0171, 0.4):
        best = max(float(c.tpr[c.fpr <= limit].max()) for c in curves)
        assert hybrid.at(rh.NeymanPearson(limit), deterministic=True).tpr == best
        best = min(float(c.fpr[c.tpr >= limit].min()) for c in curves)
        assert hybrid.at(rh.MinimumRecall(limit), deterministic=True).fpr == best
        called = rh.Capacity(fraction=limit, prevalence=0.3)
        best = max(float(c.tpr[0.3 * c.tpr + 0.7 * c.fpr <= limit].max()) for c in curves)
        assert hybrid.at(called, deterministic=True).tpr == pytest.approx(best, abs=1e-12)


def test_thresholds_that_are_not_known_are_said() -> None:
    y, score = [0, 1, 0, 1] * 50, np.arange(200)
    curve = rh.roc_curve(y, score).thin(0.1)
    hybrid = rh.Hybrid().add("a", y, score).add_curve("b", curve)
    with pytest.warns(UserWarning, match=r"^not every threshold of 'b' is known, .* curve=True") as caught:
        hybrid.at(rh.NeymanPearson(0.1), deterministic=True)
    assert caught[0].filename == __file__
    hybrid.at(rh.Accuracy(), deterministic=True)  # is at a vertex in any case
    hybrid.regret(rh.ExpectedCost(1, 5, 0.5))
    for ranged in (rh.ExpectedCost(1, (5, 50), 0.5), rh.NeymanPearson((0.1, 0.2))):
        with pytest.warns(UserWarning, match=r"^not every threshold of 'b' is known") as caught:
            hybrid.regret(ranged)
        assert caught[0].filename == __file__


def test_of_single_rules_that_cost_the_same_the_one_with_fewer_false_alarms() -> None:
    """Of two classifiers, whose costs differ by rounding in floats."""
    y = np.repeat([0, 1], [700, 300])

    def flagged(fp: int, tp: int) -> Any:
        return np.append(np.arange(700) < fp, np.arange(300) < tp).astype(float)

    hybrid = rh.Hybrid().add("many", y, flagged(89, 152)).add("few", y, flagged(48, 117))
    costs, limit = rh.ExpectedCost(24_500, 12_300, 0.5), rh.AlarmRate() <= 0.619
    assert hybrid.at(costs, deterministic=True, subject_to=limit).fpr == 48 / 700
    assert hybrid.at(costs, subject_to=limit).fpr == 48 / 700
