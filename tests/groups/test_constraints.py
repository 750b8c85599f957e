"""Rules of groups under constraints: what they promise, what they decide, and what fairlearn finds."""

import hashlib
import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from refusals import refuses
from rochull.groups.optimum import CONSTRAINTS

EASY = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
HARD = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
HULLS: dict[Any, rh.RocHull] = {"easy": EASY, "hard": HARD}
RATES = {"demographic_parity": ["selection_rate"], "equal_tpr": ["tpr"], "equal_fpr": ["fpr"]}
RATES |= {"none": [], "equalised_odds": ["fpr", "tpr"]}


def population(n: int = 4000, seed: int = 5) -> tuple[Any, Any, Any]:
    """Labels, scores and groups (n,) that differ in prevalence and in how well they are told apart."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    a, b = group == "a", group == "b"
    y = rng.random(n) < np.where(a, 0.2, np.where(b, 0.4, 0.3))
    return y.astype(int), np.round(rng.normal(size=n) + y * np.where(a, 0.6, np.where(b, 1.2, 2)), 2), group


def hulls_by(y: Any, s: Any, group: Any, weight: Any = None) -> dict[Any, rh.RocHull]:
    return {
        name: rh.roc_hull(y[of], s[of], sample_weight=None if weight is None else weight[of])
        for name, of in ((name, group == name) for name in np.unique(group))
    }


def realised(
    rule: rh.groups.GroupRule, y: Any, s: Any, group: Any, **options: Any
) -> dict[Any, tuple[float, float]]:
    """False and true positive rate of each group's decisions."""
    called = rule.decide(s, group, **options)
    return {
        g: (called[(group == g) & (y == 0)].mean(), called[(group == g) & (y == 1)].mean())
        for g in rule.points
    }


# --- the optimum ----------------------------------------------------------------------------------------


# fairlearn 0.15.0, ThresholdOptimizer(grid_size=1000) with objective="accuracy_score": the expected error
# rate of its decisions on the data sets' own out-of-fold scores. The numbers were made by
#
#   class Scores(BaseEstimator):
#       fitted_ = True
#       def fit(self, X, y): return self
#       def predict(self, X): return X[:, 0]
#   columns = rh.datasets.load("adult_scores"); y = (columns["income"] == ">50K").astype(int)
#   X, g = columns[score].astype(float)[:, None], columns[group].astype(str)
#   optimizer = ThresholdOptimizer(estimator=Scores(), constraints=theirs, prefit=True,
#                                  predict_method="predict", tol=tolerance or None)
#   optimizer.fit(X, y, sensitive_features=g)
#   chance = optimizer._pmf_predict(X, sensitive_features=g)[:, 1]
#   np.where(y == 1, 1 - chance, chance).mean()
#
# (german: "german_credit_scores", class == "bad".) Its tolerance is one of the grid too, and it has none for
# equalised odds.
FAIRLEARN = [
    ("adult", "logistic", "sex", "demographic_parity", 0.0, 0.1664087798),
    ("adult", "logistic", "sex", "equal_tpr", 0.0, 0.1484769744),
    ("adult", "logistic", "sex", "equal_fpr", 0.0, 0.1555715706),
    ("adult", "logistic", "sex", "equalised_odds", 0.0, 0.1624367464),
    ("adult", "logistic", "sex", "demographic_parity", 0.05, 0.1581686092),
    ("adult", "boosted", "race", "demographic_parity", 0.0, 0.1304049651),
    ("adult", "boosted", "race", "equal_tpr", 0.0, 0.1258107874),
    ("adult", "boosted", "race", "equal_fpr", 0.0, 0.1268796404),
    ("adult", "boosted", "race", "equalised_odds", 0.0, 0.1415022540),
    ("adult", "boosted", "race", "demographic_parity", 0.05, 0.1275705514),
    ("adult", "boosted", "sex", "demographic_parity", 0.0, 0.1470919872),
    ("adult", "boosted", "sex", "equal_tpr", 0.0, 0.1260564777),
    ("adult", "boosted", "sex", "equal_fpr", 0.0, 0.1314452221),
    ("adult", "boosted", "sex", "equalised_odds", 0.0, 0.1372982829),
    ("adult", "boosted", "sex", "demographic_parity", 0.05, 0.1373667655),
    ("adult", "naive_bayes", "race", "demographic_parity", 0.0, 0.1547217934),
    ("adult", "naive_bayes", "race", "equal_tpr", 0.0, 0.1518406293),
    ("adult", "naive_bayes", "race", "equal_fpr", 0.0, 0.1527993920),
    ("adult", "naive_bayes", "race", "equalised_odds", 0.0, 0.1628952622),
    ("adult", "naive_bayes", "race", "demographic_parity", 0.05, 0.1527836881),
    ("german_credit", "logistic", "housing", "demographic_parity", 0.0, 0.2416385465),
    ("german_credit", "logistic", "housing", "equal_tpr", 0.0, 0.2384355152),
    ("german_credit", "logistic", "housing", "equal_fpr", 0.0, 0.2366082667),
    ("german_credit", "logistic", "housing", "equalised_odds", 0.0, 0.2409132258),
    ("german_credit", "logistic", "housing", "demographic_parity", 0.05, 0.2365614037),
    ("german_credit", "tree", "foreign_worker", "demographic_parity", 0.0, 0.2458546429),
    ("german_credit", "tree", "foreign_worker", "equal_tpr", 0.0, 0.2447519030),
    ("german_credit", "tree", "foreign_worker", "equal_fpr", 0.0, 0.2442183077),
    ("german_credit", "tree", "foreign_worker", "equalised_odds", 0.0, 0.2514557692),
    ("german_credit", "tree", "foreign_worker", "demographic_parity", 0.05, 0.2446983929),
]


@pytest.mark.parametrize("case", FAIRLEARN)
def test_never_worse_than_the_grid_of_fairlearn(case: tuple[str, str, str, str, float, float]) -> None:
    name, score, group, constraint, tolerance, theirs = case
    label, positive = {"adult": ("income", ">50K"), "german_credit": ("class", "bad")}[name]
    columns = rh.datasets.load(f"{name}_scores", [label, score, group])
    y = (columns[label] == positive).astype(int)
    hulls = hulls_by(y, columns[score], columns[group].astype(str))
    rule = rh.constrain_groups(hulls, rh.Accuracy(float(y.mean())), constraint, tolerance=tolerance)
    assert rule.violation <= tolerance
    assert theirs - 1e-4 < rule.cost < theirs - 2e-8


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("tolerance", [0.0, 0.05])
def test_what_is_promised_is_what_the_points_give(constraint: str, tolerance: float) -> None:
    tolerance = 0.0 if constraint == "none" else tolerance
    y, s, group = population()
    condition = rh.ExpectedCost(cost_fn=3, prevalence=0.4)
    rule = rh.constrain_groups(hulls_by(y, s, group), condition, constraint, tolerance=tolerance)
    assert sum(r.share for r in rule.rates.values()) == pytest.approx(1)
    shared = sum(r.share * r.prevalence for r in rule.rates.values())
    assert shared == pytest.approx(0.4)
    cost = sum(
        r.share * ((1 - r.prevalence) * r.fpr + 3 * r.prevalence * (1 - r.tpr)) for r in rule.rates.values()
    )
    assert rule.cost == pytest.approx(cost, abs=1e-14)
    assert rule.price == pytest.approx(rule.cost - rule.unconstrained_cost, abs=1e-14)
    assert rule.price >= 0
    for rate, apart in rule.differences.items():
        values = [getattr(r, rate) for r in rule.rates.values()]
        assert apart == pytest.approx(max(values) - min(values), abs=1e-14)
    assert rule.violation == max((rule.differences[rate] for rate in RATES[constraint]), default=0)
    assert rule.violation <= tolerance
    for name, point in rule.points.items():
        assert (point.fpr, point.tpr) == (rule.rates[name].fpr, rule.rates[name].tpr)
        assert sum(share for _, share in point.rules) == pytest.approx(1, abs=1e-15)
        parts = [rates_of(r, y[group == name], s[group == name]) for r, _ in point.rules]
        for axis, rate in enumerate((point.fpr, point.tpr)):
            mixed = sum(share * part[axis] for (_, share), part in zip(point.rules, parts, strict=True))
            assert mixed == pytest.approx(rate, abs=1e-14)


def rates_of(rule: rh.conditions.Rule, y: Any, s: Any) -> tuple[float, float]:
    called = np.full(y.size, rule.kind == "always") if rule.threshold is None else s >= rule.threshold
    return called[y == 0].mean(), called[y == 1].mean()


def test_without_constraint_it_is_the_stratified_hull() -> None:
    y, s, group = population()
    hulls = hulls_by(y, s, group)
    condition = rh.ExpectedCost(cost_fn=2, prevalence=0.35)
    rule = rh.constrain_groups(hulls, condition, "none")
    whole = rh.stratify(hulls).at(condition)
    assert rule.cost == rule.unconstrained_cost == pytest.approx(whole.expected_cost(condition), abs=1e-15)
    segmented = whole.rules[0][0]
    assert isinstance(segmented, rh.conditions.SegmentedRule)
    for name, point in rule.points.items():
        assert [r.threshold for r, _ in point.rules] == [segmented.of(name).threshold]


def test_constraints_are_nested() -> None:
    y, s, group = population()
    hulls = hulls_by(y, s, group)
    condition = rh.Accuracy(0.3)
    prices = {
        (c, t): rh.constrain_groups(hulls, condition, c, tolerance=t).price
        for c in CONSTRAINTS[1:]
        for t in (0.0, 0.01, 0.1, 1.0)
    }
    for constraint in CONSTRAINTS[1:]:
        ladder = [prices[constraint, t] for t in (0.0, 0.01, 0.1, 1.0)]
        assert ladder == sorted(ladder, reverse=True)
        assert ladder[0] > 0
        assert ladder[-1] == 0
    for t, single in itertools.product((0.0, 0.01, 0.1), ("equal_tpr", "equal_fpr")):
        assert prices["equalised_odds", t] >= prices[single, t]


@given(st.integers(0, 10**6), st.sampled_from(CONSTRAINTS[1:]), st.sampled_from([0.0, 0.1]))
@tries(40)
def test_integer_weights_are_repetitions(seed: int, constraint: str, tolerance: float) -> None:
    y, s, group = population(300, seed)
    weight = np.random.default_rng(seed).integers(1, 5, y.size)
    condition = rh.ExpectedCost(cost_fn=2, prevalence=0.3)
    rules = [
        rh.constrain_groups(hulls, condition, constraint, tolerance=tolerance)
        for hulls in (
            hulls_by(y, s, group, weight),
            hulls_by(*(np.repeat(column, weight) for column in (y, s, group))),
        )
    ]
    assert rules[0].points == rules[1].points
    assert rules[0].rates == rules[1].rates
    assert rules[0].cost == rules[1].cost


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_the_condition_s_prevalence_is_one_weight_for_all_positives(constraint: str) -> None:
    """Where three quarters are to be positive, each positive weighs as much as 3 n_neg / n_pos negatives."""
    y, s, group = population(1000)
    n_pos = int(y.sum())
    weight = np.where(y == 1, 3 * (y.size - n_pos), n_pos)
    weighted = hulls_by(y, s, group, weight)
    rule = rh.constrain_groups(hulls_by(y, s, group), rh.Accuracy(0.75), constraint)
    same = rh.constrain_groups(weighted, rh.Accuracy(0.75), constraint)
    assert rule.cost == pytest.approx(same.cost, abs=1e-14)
    assert same.points.keys() == rule.points.keys()
    for name, rates in rule.rates.items():
        of = group == name
        positive = weight[of & (y == 1)].sum() / weight[of].sum()
        assert rates.share == pytest.approx(weight[of].sum() / weight.sum())
        assert rates.prevalence == pytest.approx(positive)
        called = rates.prevalence * rates.tpr + (1 - rates.prevalence) * rates.fpr
        assert rates.selection_rate == pytest.approx(called)
        assert rates.precision == pytest.approx(positive * rates.tpr / called)


def test_each_group_may_use_the_classifier_that_is_best_there() -> None:
    y, s, group = population()
    other = np.where(group == "a", s + y, -s)
    hulls = {
        g: rh.union({"first": rh.roc_hull(y[of], s[of]), "second": rh.roc_hull(y[of], other[of])})
        for g, of in ((g, group == g) for g in "abc")
    }
    rule = rh.constrain_groups(hulls, rh.Accuracy(0.3), "equalised_odds")
    assert rule.points["a"].classifiers == ("second",)
    assert rule.points["b"].classifiers == rule.points["c"].classifiers == ("first",)
    assert rule.classifiers == ("second", "first")
    frame = {"first": s, "second": other, "unused": ["text"] * s.size}
    found = realised(rule, y, frame, group, key=np.arange(y.size))
    for fpr, tpr in found.values():
        assert fpr == pytest.approx(rule.points["a"].fpr, abs=0.05)
        assert tpr == pytest.approx(rule.points["a"].tpr, abs=0.08)
    refuses("scores has no column 'second'", rule.decide, {"first": s}, group)


# --- deciding -------------------------------------------------------------------------------------------


def three_rules() -> rh.groups.GroupRule:
    """One group stays on its hull; others mix an edge with a constant."""
    y, s, group = population()
    rule = rh.constrain_groups(hulls_by(y, s, group), rh.Accuracy(0.3), "equalised_odds")
    assert max(len(point.rules) for point in rule.points.values()) == 3
    assert {point.source for point in rule.points.values()} == {"vertex", "inside"}
    return rule


def test_a_mixture_of_three_is_cut_at_sums_of_probabilities() -> None:
    rule = three_rules()
    name = next(g for g, point in rule.points.items() if len(point.rules) == 3)
    point = rule.points[name]
    scores = np.round(np.random.default_rng(1).normal(1, 1, 500), 2)
    keys = [f"case {i}" for i in range(500)]
    decided = rule.decide(scores, [name] * 500, key=keys)
    for score, key, called in zip(scores, keys, decided, strict=True):
        u = Fraction(int(hashlib.md5(f":{key}".encode()).hexdigest()[:8], 16), 2**32)
        above = 0.0
        for taken, share in reversed(point.rules):  # noqa: B007 - the one that the loop ends at
            above += share
            if u < above:
                break
        assert called == (
            taken.kind == "always" or (taken.threshold is not None and score >= taken.threshold)
        )


@pytest.mark.parametrize("key", [None, np.arange(3000)])
@pytest.mark.parametrize("shares", [(0.5, 0.3, 0.2), (0.2, 0.3, 0.5)])
def test_each_of_three_rules_decides_its_share(shares: tuple[float, ...], key: Any) -> None:
    """What only the last two rules call is called as often as they decide, what all call always."""
    made, thresholds = three_rules(), (3.0, 2.0, 1.0)
    (name,) = next(iter(made.points.values())).classifiers
    rules = [rh.conditions.Rule("threshold", name, at) for at in thresholds]
    point = rh.conditions.OperatingPoint(0.2, 0.5, tuple(zip(rules, shares, strict=True)))
    rule = replace(made, points={"only": point})
    called = [
        np.mean(rule.decide(np.full(3000, score), ["only"] * 3000, key=key, random_state=0))
        for score in (0.5, 1.5, 2.5, 3.5)
    ]
    assert called == pytest.approx([0, shares[2], shares[1] + shares[2], 1], abs=0.03)


def test_the_rates_are_met_by_cases_like_those_of_the_hulls() -> None:
    """By keys, by a seed and by a generator, whose every number may be used once only."""
    y, s, group = (np.tile(column, 50) for column in population())
    rule = three_rules()
    for options in (
        {"key": np.arange(y.size)},
        {"random_state": 3},
        {"random_state": np.random.default_rng(4)},
        {"random_state": np.random.RandomState(5)},
    ):
        for name, rates in realised(rule, y, s, group, **options).items():
            n = np.sum((group == name) & (y == 1))
            assert rates == pytest.approx((rule.points[name].fpr, rule.points[name].tpr), abs=2 / n**0.5)


def test_decisions_depend_on_key_group_and_salt_alone() -> None:
    y, s, group = population()
    rule, keys = three_rules(), np.arange(y.size)
    decided = rule.decide(s, group, key=keys)
    order = np.random.default_rng(0).permutation(y.size)
    assert np.array_equal(decided[order], rule.decide(s[order], group[order], key=keys[order]))
    alone = [rule.decide(s[i : i + 1], group[i : i + 1], key=keys[i : i + 1])[0] for i in range(50)]
    assert alone == decided[:50].tolist()
    salted = rh.constrain_groups(hulls_by(y, s, group), rh.Accuracy(0.3), "equalised_odds", salt="other")
    assert salted.cost == rule.cost
    assert not np.array_equal(decided, salted.decide(s, group, key=keys))
    assert np.array_equal(*(rule.decide(s, group, random_state=9) for _ in range(2)))


@pytest.mark.parametrize("kind", ["pandas", "category", "polars", "array", "objects", "column"])
def test_groups_come_from_anything(kind: str) -> None:
    y, s, group = population(600)
    rule = rh.constrain_groups(hulls_by(y, s, group), rh.Accuracy(0.3), "equal_tpr")
    expected = rule.decide(s, group.tolist(), key=range(600))
    given_as: Any = {
        "pandas": lambda: pd.Series(group),
        "category": lambda: pd.Series(group, dtype="category"),
        "polars": lambda: pl.Series(group),
        "array": lambda: group,
        "objects": lambda: group.astype(object),
        "column": lambda: group[:, None],
    }[kind]()
    frame = pl.DataFrame({"score": s}) if kind == "polars" else pd.DataFrame({"score": s})
    assert np.array_equal(rule.decide(frame, given_as, key=range(600)), expected)
    assert np.array_equal(rule.decide(s, given_as, key=range(600)), expected)


def test_names_of_any_kind() -> None:
    hulls = {np.int64(1): EASY, ("x", 2): HARD, None: EASY}
    rule = rh.constrain_groups(hulls, rh.Accuracy(0.5), "equal_tpr")
    assert [*rule.points] == [1, ("x", 2), None]
    assert rule.decide([3, 6, 3, 2], [1, ("x", 2), None, float("nan")]).tolist() == [True, True, True, False]
    assert rule.decide([3.0], pd.Series([pd.NA], dtype="string")).tolist() == [True]
    refuses(r"1 cases are of no group that has a rule \('y'; first at 1\)", rule.decide, [3, 3], [None, "y"])
    assert "missing" in str(rule)


def test_unseen_groups_are_refused() -> None:
    rule = rh.constrain_groups(HULLS, rh.Accuracy(0.5), "equal_fpr")
    scores, group = [3.0, 9.0, 1.0, 5.0], ["easy", "else", None, "else"]
    found = r"group: 3 cases are of no group that has a rule \('else', missing; first at 1\)"
    refuses(found, rule.decide, scores, group)
    pooled = rh.roc_hull([1, 0, 1, 0], [9, 5, 4, 1]).at(rh.Accuracy(0.1))
    assert pooled.rules[0][0].classifier is None
    with pytest.warns(UserWarning, match=f"{found}. They are decided by unseen"):
        decided = rule.decide(scores, group, unseen=pooled)
    assert decided.tolist() == [True, True, False, False]
    never = rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("never"), 1.0),))
    with pytest.warns(UserWarning, match="no group"):
        assert rule.decide(scores, group, unseen=never).tolist() == [True, False, False, False]


def test_a_missing_score_passes_no_threshold() -> None:
    rule = rh.constrain_groups(HULLS, rh.ExpectedCost(cost_fp=3, prevalence=0.5), "none")
    with pytest.warns(UserWarning, match=r"scores\['score'\] has 2 missing values"):
        decided = rule.decide([np.nan, np.inf, np.nan], ["easy", "hard", "hard"])
    assert decided.tolist() == [False, True, False]


def test_no_cases() -> None:
    rule = rh.constrain_groups(HULLS, rh.Accuracy(0.5), "equalised_odds")
    assert rule.decide([], []).tolist() == []


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hulls": {}}, "hulls is empty"),
        ({"hulls": {"a": [1, 2]}}, r"hulls\['a'\] must be a RocHull or a Hybrid, but is a list"),
        ({"hulls": {float("nan"): EASY}}, "call the group of missing values None"),
        ({"hulls": {"a": rh.RocHull.from_rates([0.1], [0.5])}}, r"hulls\['a'\] is of given rates"),
        ({"hulls": {"a": rh.stratify(HULLS)}}, r"hulls\['a'\] is stratified"),
        (
            {"hulls": {"a": EASY, "b": rh.roc_hull([1, 0], [2, 1], sample_weight=[1, 2])}},
            "some are of weighted examples and some are not",
        ),
        ({"hulls": {"a": EASY, "b": HARD.named("m")}}, "some name their classifier and some do not"),
        ({"condition": rh.NeymanPearson(0.1)}, "condition must be ExpectedCost or Accuracy, but is Neyman"),
        ({"condition": "accuracy"}, "condition must be ExpectedCost or Accuracy, but is 'accuracy'"),
        ({"condition": rh.ExpectedCost(prevalence=(0.1, 0.2))}, "prevalence"),
        ({"constraint": "fair"}, "constraint must be one of none, demographic_parity, .* but is 'fair'"),
        ({"constraint": ["none"]}, "constraint must be one of"),
        ({"tolerance": -0.1}, "tolerance must lie between 0 and 1"),
        ({"tolerance": float("nan")}, "tolerance must be a finite number"),
        ({"constraint": "none", "tolerance": 0.1}, "tolerance=0.1 has nothing to limit"),
        ({"salt": 3}, "salt must be a string"),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    arguments = {"hulls": HULLS, "condition": rh.Accuracy(0.5), "constraint": "equal_tpr", **change}
    refuses(message, rh.constrain_groups, **arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group": ["easy"]}, r"scores has 2 rows, but group has 1"),
        ({"group": [["easy", "hard"], ["easy", "hard"]]}, "cannot be a group's name"),
        (
            {"group": np.array([["easy", "hard"]] * 2)},
            r"group must have shape \(n,\), but has shape \(2, 2\)",
        ),
        ({"group": "easy"}, r"group must be an array of shape \(n,\), but is a str\.$"),
        ({"unseen": "never"}, "unseen must be 'raise' or an operating point, but is 'never'"),
        ({"key": [1, None]}, "key has 1 missing value: "),
        ({"key": [1]}, "key must have shape"),
        ({"scores": ["x", "y"]}, "numeric"),
        ({"scores": {"other": [1, 2]}}, "scores has no column 'score'"),
    ],
)
def test_bad_cases(change: dict[str, Any], message: str) -> None:
    rule = rh.constrain_groups(HULLS, rh.Accuracy(0.5), "equalised_odds")
    refuses(message, rule.decide, **{"scores": [1.0, 2.0], "group": ["easy", "hard"], **change})


def test_a_point_for_unseen_groups_must_be_usable() -> None:
    hulls = {"a": rh.union({"m": EASY, "n": EASY}), "b": HARD.named("n")}
    rule = rh.constrain_groups(hulls, rh.Accuracy(0.5), "equal_fpr")
    frame = {"m": [1.0], "n": [1.0]}
    for point, message in (
        (EASY.at(rh.Accuracy(0.5)), "unseen: the rule 'score >= 3' does not name its classifier"),
        (rh.stratify(HULLS).at(rh.Accuracy(0.5)), "unseen: the rule .* is of several segments"),
    ):
        with pytest.warns(UserWarning, match="no group"), pytest.raises(ValueError, match=message):
            rule.decide(frame, ["c"], unseen=point)


# --- text -------------------------------------------------------------------------------------------------


def test_the_text_fits_80_columns() -> None:
    y, s, group = population()
    long = {f"a name of many words, such as {g}": hull for g, hull in hulls_by(y, s, group).items()}
    condition = rh.ExpectedCost(cost_fp=1.123456789, cost_fn=1234.56789, prevalence=0.123456789)
    prices = rh.groups.GroupRule.prices(long, condition, tolerance=0.012345)
    assert [*prices.rules] == list(CONSTRAINTS)
    for text in map(str, (prices, *prices.rules.values())):
        assert max(map(len, text.splitlines())) <= 80
        assert "in-sample" in text
    never = rh.constrain_groups(HULLS, rh.ExpectedCost(prevalence=0), "demographic_parity")
    assert "none" in str(never)  # its precision


def test_american_spelling() -> None:
    one, other = (rh.constrain_groups(HULLS, rh.Accuracy(0.5), f"equali{c}ed_odds") for c in "sz")
    assert one.constraint == other.constraint == "equalised_odds"
    assert one.points == other.points
