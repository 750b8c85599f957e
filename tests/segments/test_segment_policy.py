"""A segment policy decides like its rules, one row at a time, and asks for no score that it does not need."""

from __future__ import annotations

import datetime
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
import segment_cases
from profiles import some, tries
from refusals import refuses
from rochull.decisions.axes import Bins
from rochull.segments.rules import RuleTable, TableOwners
from rochull.segments.segment_schema import bins_dict
from segment_cases import AXES, points, rows, slow_decisions

ALWAYS_LAST = RuleTable(np.array([0, 1]), (rh.conditions.Rule("never"), rh.conditions.Rule("always")))


def example(n: int = 6000, seed: int = 0) -> tuple[Any, Any, dict[str, Any]]:
    """Cases that are the easier the larger they are; some sizes and kinds are missing."""
    rng = np.random.default_rng(seed)
    size, kind = rng.uniform(0, 3, n).round(2), rng.choice(["web", "shop", "it's"], n).astype(object)
    y = rng.integers(0, 2, n)
    score = rng.normal(size * y + (kind == "web"), 1 + (kind == "shop")).round(2)
    size[rng.random(n) < 0.05] = np.nan
    kind[rng.random(n) < 0.05] = None
    return score, y, {"size": size, "kind": kind}


def hulls(seed: int = 0, n: int = 400) -> dict[str, rh.RocHull]:
    """For each of three segments, the hull of two classifiers."""
    rng = np.random.default_rng(seed)
    found = {}
    for i, name in enumerate(("web", "shop", "x")):
        y = rng.integers(0, 2, n * (i + 1))
        scores = {"a": rng.normal(y * (i + 0.3)).round(1), "b": np.round(9 * rng.normal(y)).astype(int)}
        found[name] = rh.union({c: rh.roc_hull(y, s) for c, s in scores.items()})
    return found


@pytest.fixture(scope="module")
def segmented() -> rh.ErrorRedistribution:
    score, y, aux = example()
    bins = {"size": [1, 2], "kind": "category"}
    return rh.ErrorRedistribution("pav", bins=bins, shrinkage=50).fit(score, y, aux=aux)


@pytest.fixture(scope="module")
def several() -> rh.segments.SegmentPolicy:
    made = hulls()
    return rh.segments.SegmentPolicy.from_hulls(made, column="place", elsewhere=made["web"], salt="s")


@pytest.fixture(scope="module")
def one() -> rh.segments.SegmentPolicy:
    """Three segments of one classifier; no rule for others."""
    rng = np.random.default_rng(3)
    made = {}
    for i, name in enumerate("uvw"):
        y = rng.integers(0, 2, 300)
        # The highest score is a negative's and the lowest a positive's, so that the ends may be the best.
        y, score = np.append(y, [0, 1]), np.append(rng.normal(i * y + y / 4).round(1), [9, -9])
        made[name] = rh.roc_hull(y, score)
    return rh.segments.SegmentPolicy.from_hulls(made, column="place", salt="s")


# --- decisions --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")
@pytest.mark.parametrize("seed", some(range(8), 2))
def test_decisions_are_those_of_the_rules_row_by_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = rng.choice(list(AXES), int(rng.integers(1, 4)), replace=False).tolist()
    made = segment_cases.policy(seed, names, ["a", "b"])
    table = rows(400, seed)
    listed = table.to_dicts()
    calls = 0
    for point in points(made):
        found = made.decide(table, point, aux=table, key=table["key"].to_numpy())
        assert found.tolist() == slow_decisions(made, point, listed)
        calls += np.count_nonzero(found)
    assert 0 < calls < len(table) * len(points(made))


@pytest.mark.parametrize("name", list(AXES))
def test_a_large_batch_is_divided_like_small_ones(name: str) -> None:
    """Many rows may be looked up in another way than few."""
    table = rows(40_000, 4).select(name)
    for axis in AXES[name]:
        cut = Bins((axis,), np.arange(len(axis)), tuple(map(str, range(len(axis)))))
        made = rh.segments.SegmentPolicy._of(
            rh.roc_hull([1, 0], [2, 1]), cut, [ALWAYS_LAST] * (len(axis) + 1), "", None
        )
        whole = made.segment(table)
        parts = [made.segment(table[i : i + 5000]) for i in range(0, 40_000, 5000)]
        assert np.array_equal(whole, np.concatenate(parts)), axis


@pytest.mark.filterwarnings("ignore:aux:UserWarning")
@pytest.mark.parametrize("model", ["pav", "gaussian", "equal-variance", "logistic", "fixed"])
def test_a_vertex_decides_like_the_benefit_cost_ratio(model: str) -> None:
    score, y, aux = example(3000)
    seg = rh.ErrorRedistribution(model, bins={"size": [1, 2], "kind": "category"}, shrinkage=50)
    made = seg.fit(score, y, aux=aux).policy()
    other, _, its = example(2000, seed=1)
    its["kind"][:50] = "new"
    ratio = seg.transform(other, aux=its)
    for i in range(1, len(made.hull) - 1, 7):
        point = rh.conditions.OperatingPoint(0, 0, ((made.hull.owners[i][0], 1.0),))
        assert np.array_equal(made.decide(other, point, aux=its), ratio >= seg.ratios_[i])


def test_the_point_is_that_of_the_model(segmented: rh.ErrorRedistribution) -> None:
    made = segmented.policy()
    assert made.segments == segmented.segments_
    assert made.classifiers == ("score",)
    for condition in (rh.NeymanPearson(0.07), rh.ExpectedCost(2, 1, 0.3), rh.MinimumRecall(0.6)):
        ours, theirs = made.at(condition), segmented.at(condition)
        assert (ours.fpr, ours.tpr, ours.source) == (theirs.fpr, theirs.tpr, theirs.source)
        if isinstance(condition, rh.ExpectedCost):  # for a limit the model offers more than the vertices
            assert made.thresholds(condition) == segmented.thresholds(condition)
        score, _, aux = example(500, seed=5)
        keys = np.arange(500)
        by_theirs = made.decide(score, theirs, aux=aux, key=keys)  # whose rules have no name
        assert np.array_equal(made.decide(score, condition, aux=aux, key=keys), by_theirs)
        single = made.decide(score, segmented.at(condition, deterministic=True), aux=aux)
        assert np.array_equal(single, score >= segmented.thresholds(condition, aux=aux))


def test_what_is_known_needs_no_score(one: rh.segments.SegmentPolicy) -> None:
    rng = np.random.default_rng(0)
    place = {"place": rng.choice(list("uvw"), 900)}
    scores = rng.normal(size=900)
    asked: list[Any] = []

    def score(rows: Any) -> Any:
        assert rows.dtype == np.int64
        asked.append(rows)
        return scores[rows]

    skipped = 0
    for condition in (rh.NeymanPearson(0.001), rh.MinimumRecall(0.5), rh.MinimumRecall(0.9999)):
        needed = one.needs_score(condition, place)
        expected = one.decide(scores, condition, aux=place, key=np.arange(900))
        asked.clear()
        assert np.array_equal(one.decide(score, condition, aux=place, key=np.arange(900)), expected)
        assert np.array_equal(np.concatenate([*asked, np.empty(0, int)]), np.flatnonzero(needed))
        assert len(asked) <= 1
        asked.clear()
        by_name = one.decide({"score": score}, condition, aux=place, key=np.arange(900))
        assert np.array_equal(by_name, expected)
        assert len(asked) == bool(needed.any())
        # Whatever else is given where no score is needed has no effect, and no warning.
        spoiled = np.where(needed, scores, np.nan)
        assert np.array_equal(one.decide(spoiled, condition, aux=place, key=np.arange(900)), expected)
        rules = [rule for rule, _ in one.at(condition).rules]
        for name in "uvw":
            kinds = {r.of(name).kind if isinstance(r, rh.conditions.SegmentedRule) else r.kind for r in rules}
            here = needed[place["place"] == name]
            assert here.all() if "threshold" in kinds else not here.any()
        skipped += 0 < np.count_nonzero(~needed) < 900
    assert skipped


def test_no_score_at_all_is_asked_for_at_the_ends(one: rh.segments.SegmentPolicy) -> None:
    def refuse(rows: Any) -> Any:
        raise AssertionError(rows)

    place = {"place": ["u", "w"]}
    for condition, called in (
        (rh.ExpectedCost(cost_fp=1e9, prevalence=0.5), False),
        (rh.ExpectedCost(cost_fn=1e9, prevalence=0.5), True),
    ):
        for scores in (refuse, {"score": refuse}, [math.nan, math.nan]):
            assert one.decide(scores, condition, aux=place).tolist() == [called, called]
        assert not one.needs_score(condition, place).any()


def test_a_batch_of_segments_that_are_known_asks_for_no_score(segmented: rh.ErrorRedistribution) -> None:
    def refuse(rows: Any) -> Any:
        raise AssertionError(rows)

    made = segmented.policy()
    condition = rh.NeymanPearson(0.001)
    rules = [rule for rule, _ in made.at(condition).rules]
    kinds = {
        name: {r.of(name).kind if isinstance(r, rh.conditions.SegmentedRule) else r.kind for r in rules}
        for name in made.segments
    }
    known = [name for name, found in kinds.items() if "threshold" not in found]
    assert 0 < len(known) < len(kinds)
    _, _, aux = example()
    here = np.isin(np.array([*made.segments, ""])[made.segment(aux)], known)
    some = {name: column[here] for name, column in aux.items()}
    assert here.any()
    assert not made.needs_score(condition, some).any()
    for scores in (refuse, {"score": refuse}):
        assert not made.decide(scores, condition, aux=some).any()
    elsewhere = {"size": [1.0, 1.0], "kind": ["new", "web"]}
    assert made.needs_score(condition, elsewhere)[0] == (made.thresholds(condition)[None] < np.inf)


def test_each_classifier_is_asked_for_its_own_rows(several: rh.segments.SegmentPolicy) -> None:
    rng = np.random.default_rng(1)
    n = 600
    place = {"place": rng.choice(["web", "shop", "x"], n)}
    table = {"a": rng.normal(size=n), "b": rng.integers(-20, 20, n)}
    for i in range(1, len(several.hull) - 1, 5):
        rule = several.hull.owners[i][0]
        assert isinstance(rule, rh.conditions.SegmentedRule)
        point = rh.conditions.OperatingPoint(0, 0, ((rule, 1.0),))
        asked: dict[str, Any] = {}

        def part(name: str, asked: dict[str, Any] = asked) -> Callable[[Any], Any]:
            return lambda rows: (asked.__setitem__(name, rows), table[name][rows])[1]

        expected = several.decide(table, point, aux=place)
        assert np.array_equal(several.decide({c: part(c) for c in "ab"}, point, aux=place), expected)
        for name in "ab":
            own = [s for s in ("web", "shop", "x") if rule.of(s).classifier == name]
            rows_of = np.flatnonzero(np.isin(place["place"], own))
            assert np.array_equal(asked.get(name, np.empty(0)), rows_of)
        both = several.decide(lambda rows: {c: table[c][rows] for c in "ab"}, point, aux=place)
        assert np.array_equal(both, expected)
        mixed = several.decide({"a": table["a"], "b": part("b")}, point, aux=place)
        assert np.array_equal(mixed, expected)


def test_any_table(several: rh.segments.SegmentPolicy, frame_module: Any) -> None:
    rng = np.random.default_rng(2)
    columns = {
        "a": rng.normal(size=50),
        "b": rng.integers(-9, 9, 50),
        "place": rng.choice(["web", "x"], 50).astype(object),
        "when": [datetime.date(2026, 1, 1)] * 50,  # is not read
    }
    table = frame_module(columns)
    condition = rh.ExpectedCost(prevalence=0.5)
    plain = several.decide({c: columns[c] for c in "ab"}, condition, aux={"place": columns["place"]})
    assert np.array_equal(several.decide(table, condition, aux=table), plain)
    assert 0 < plain.sum() < 50


def test_arrays(one: rh.segments.SegmentPolicy) -> None:
    values = {4: rh.roc_hull([1, 0], [2, 1]), 7: rh.roc_hull([0, 1, 0, 1], [2, 3, 4, 5])}
    made = rh.segments.SegmentPolicy.from_hulls(values, column=1)
    aux = np.array([[9, 4], [9, 7], [9, 7]])
    assert made.segment(aux).tolist() == [0, 1, 1]
    assert made.decide([2, 2, 5], rh.ExpectedCost(prevalence=0.5), aux=aux).tolist() == [True, False, True]
    assert made.segments == ("4", "7")


def test_missing_scores_pass_no_threshold_and_are_counted(one: rh.segments.SegmentPolicy) -> None:
    condition = rh.MinimumRecall(0.5)
    place = {"place": list("uuvw")}
    assert one.needs_score(condition, place).all()
    with pytest.warns(UserWarning, match=r"scores\['score'\] has 3 missing values where a threshold decides"):
        found = one.decide([math.nan, None, None, 9.0], condition, aux=place, deterministic=True)
    assert found.tolist() == [False, False, False, True]
    with pytest.warns(UserWarning, match="has 1 missing values") as caught:
        one.decide(pl.DataFrame({"score": [1, None, 3, 4]}), condition, aux=place, deterministic=True)
    assert caught[0].filename == __file__


def test_unseen_values_are_counted_and_never_silent(segmented: rh.ErrorRedistribution) -> None:
    made = segmented.policy()
    aux = {"size": [0.5, 0.5, 2.5], "kind": ["web", "new", "newer"]}
    condition = rh.NeymanPearson(0.2)
    assert made.segment(aux).tolist()[1:] == [-1, -1]
    with pytest.warns(
        UserWarning, match="aux: 2 of 3 cases have values never seen in training; the rule"
    ) as w:
        found = made.decide([9.0, 9.0, -9.0], condition, aux=aux)
    assert w[0].filename == __file__
    assert found.tolist() == [True, True, False]
    with pytest.raises(
        ValueError, match=r"2 of 3 cases have values never seen in training, the first at index 1"
    ):
        made.decide([9.0, 9.0, -9.0], condition, aux=aux, unseen="raise")
    with pytest.raises(ValueError, match="unseen must be 'warn', 'raise' or an operating point"):
        made.decide([9.0, 9.0, -9.0], condition, aux=aux, unseen="ignore")  # type: ignore[arg-type]


def test_without_a_rule_for_others_they_are_refused(one: rh.segments.SegmentPolicy) -> None:
    for place in ("new", None, math.nan):
        with pytest.raises(ValueError, match="1 of 2 cases have values never seen in training"):
            one.decide([1.0, 2.0], rh.NeymanPearson(0.2), aux={"place": ["u", place]})
        assert one.needs_score(
            rh.ExpectedCost(cost_fp=1e9, prevalence=0.5), {"place": ["u", place]}
        ).tolist() == [
            False,
            True,
        ]
    with pytest.raises(ValueError, match="no rule for values never seen, and SQL cannot refuse them"):
        one.to_sql(rh.NeymanPearson(0.2), "duckdb", key="id")
    assert None not in one.thresholds(rh.NeymanPearson(0.2))


# --- mixtures ---------------------------------------------------------------------------------------


def test_mixtures_go_by_the_keys(one: rh.segments.SegmentPolicy) -> None:
    condition = rh.NeymanPearson(0.123)
    point = one.at(condition)
    assert len(point.rules) == 2
    rng = np.random.default_rng(0)
    scores, place, keys = rng.normal(size=4000), rng.choice(list("uvw"), 4000), np.arange(4000)
    found = one.decide(scores, condition, aux={"place": place}, key=keys)
    order = rng.permutation(4000)[:999]
    part = one.decide(scores[order], condition, aux={"place": place[order]}, key=keys[order])
    assert np.array_equal(part, found[order])
    left, right = (
        one.decide(scores, rh.conditions.OperatingPoint(0, 0, ((rule, 1.0),)), aux={"place": place})
        for rule, _ in point.rules
    )
    between = left != right
    share = np.mean(found[between] == right[between])
    assert np.array_equal(found[~between], left[~between])
    assert abs(share - point.rules[1][1]) < 4 * math.sqrt(0.25 / between.sum())
    drawn = one.decide(scores, condition, aux={"place": place}, random_state=5)
    assert np.array_equal(drawn, one.decide(scores, condition, aux={"place": place}, random_state=5))
    assert np.array_equal(
        one.decide(scores, condition, aux={"place": place}, deterministic=True),
        one.decide(scores, one.at(condition, deterministic=True), aux={"place": place}),
    )


# --- a capacity of cases ----------------------------------------------------------------------------


@tries(40)
@given(st.integers(0, 10**6), st.integers(0, 130), st.booleans())
def test_exactly_so_many_cases(seed: int, cases: int, keyed: bool) -> None:
    rng = np.random.default_rng(seed)
    names = rng.choice(list(AXES), 2, replace=False).tolist()
    made = segment_cases.policy(seed, names, ["a", "b"])
    table = rows(120, seed)
    condition = rh.Capacity(cases=cases, population=1000, prevalence=0.3)
    lots = {"key": table["key"].to_numpy()} if keyed else {"random_state": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = made.decide(table, condition, aux=table, **lots)
        alarms = [slow_decisions(made, point, table.to_dicts()) for point in points(made)[: len(made.hull)]]
        at_most = made.decide(table, condition, aux=table, deterministic=True, **lots)
    assert np.count_nonzero(found) == min(cases, 120)
    counts = [sum(calls) for calls in alarms]
    beyond = next((i for i, count in enumerate(counts) if count > cases), len(counts))
    assert at_most.tolist() == alarms[beyond - 1]
    for i, called in enumerate(found.tolist()):  # a mixture of two neighbours
        assert called in {calls[i] for calls in alarms[beyond - 1 : beyond + 1]}


@pytest.mark.parametrize("seed", some(range(5), 2))
def test_the_best_scores_of_a_segment_come_first(seed: int) -> None:
    """Between two points of the hull lots say how many of each segment are taken, and scores which."""
    rng = np.random.default_rng(seed)
    y, own = rng.integers(0, 2, 300), rng.normal(size=300).round(1)
    hull = rh.roc_hull(y, own + y)
    policy = rh.segments.SegmentPolicy.from_hulls({"x": hull, "y": hull, "z": hull}, column="at")
    n = 500
    table = {"score": rng.normal(0.5, 1.2, n).round(2), "at": rng.choice(["x", "y", "z"], n)}
    key = rng.permutation(n)
    for cases in (1, 20, 77, 250, 490):
        condition = rh.Capacity(cases=cases, prevalence=0.5)
        least = policy.decide(table, condition, key=key, deterministic=True)
        best, lot = (policy.decide(table, condition, key=key, order=order) for order in ("score", "lot"))
        assert best.sum() == lot.sum() == cases
        assert best[least].all()
        for place in "xyz":
            here = table["at"] == place
            assert best[here].sum() == lot[here].sum()
            taken, left = table["score"][here & best], table["score"][here & ~best]
            assert not (taken.size and left.size) or taken.min() >= left.max()
    refuses('order must be "score" or "lot", but is 3', policy.decide, table, condition, key=key, order=3)


def test_where_one_classifier_follows_another_lots_decide() -> None:
    y = [1, 1, 1, 0, 1, 1, 0, 0, 0, 0]
    a = rh.roc_hull(y, [5, 5, 1, 1, 1, 1, 1, 1, 1, 1])
    b = rh.roc_hull(y, [1, 1, 1, 1, 1, 1, 0, 0, 0, 0])
    union = rh.union({"a": a, "b": b})  # never, a >= 5, b >= 1, always
    policy = rh.segments.SegmentPolicy.from_hulls({"x": union}, column="at")
    rng = np.random.default_rng(0)
    table = {"a": rng.permutation(90) / 10, "b": rng.permutation(90) / 40, "at": ["x"] * 90}
    both = [table[name] >= least for name, least in (("a", 5), ("b", 1))]
    low, high = (int(np.count_nonzero(called)) for called in both)
    assert high > low + 5
    condition = rh.Capacity(cases=low + 5, prevalence=0.5)
    found, lot = (policy.decide(table, condition, key=np.arange(90), order=o) for o in ("score", "lot"))
    assert np.array_equal(found, lot)


def test_a_capacity_asks_for_all_scores(one: rh.segments.SegmentPolicy) -> None:
    condition = rh.Capacity(cases=2, population=10, prevalence=0.5)
    place = {"place": list("uvwu")}
    assert one.needs_score(condition, place).all()
    scores = np.array([1.0, 9.0, 2.0, 3.0])
    assert one.decide(lambda rows: scores[rows], condition, aux=place).sum() == 2
    refuses("a capacity of so many cases is kept by a batch as a whole", one.to_sql, condition, "duckdb")


# --- hulls of segments ------------------------------------------------------------------------------


def same_rules(rule: rh.conditions.Rule, other: rh.conditions.Rule, names: tuple[Any, ...]) -> bool:
    if not isinstance(other, rh.conditions.SegmentedRule):
        return rule == other
    assert isinstance(rule, rh.conditions.SegmentedRule)
    return all(rule.of(name) == other.of(name) for name in names)


@pytest.mark.parametrize("seed", some(range(4), 2))
def test_the_rules_are_those_of_the_stratified_hull(seed: int) -> None:
    made = hulls(seed)
    whole, policy = rh.stratify(made), rh.segments.SegmentPolicy.from_hulls(made, column="place")
    assert np.array_equal(policy.hull.fp, whole.fp)
    assert np.array_equal(policy.hull.tp, whole.tp)
    assert sorted(policy.classifiers) == ["a", "b"]
    for ours, theirs in zip(policy.hull.owners, whole.owners, strict=True):
        assert same_rules(ours[0], theirs[0], ("web", "shop", "x"))
    assert policy.hull.owners[:2] == tuple(policy.hull.owners[i] for i in (0, 1))
    assert policy.hull.owners[-1] == (rh.conditions.Rule("always"),)
    changes = sum(table.first.size - 1 for table in policy._owners.tables)
    assert changes == sum(len(hull) - 1 for hull in made.values())


def test_cases_elsewhere_are_decided_at_the_same_posterior_odds() -> None:
    made = hulls(1)
    for name, hull in made.items():  # as if it were a segment
        policy = rh.segments.SegmentPolicy.from_hulls(made, column="place", elsewhere=hull)
        for (rule,) in policy.hull.owners:
            if isinstance(rule, rh.conditions.SegmentedRule):
                assert rule.of(None) == rule.of(name)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 999)
    other = rh.roc_hull(y, rng.normal(y).round(1), sample_weight=rng.uniform(1, 2, 999)).named("a")
    policy = rh.segments.SegmentPolicy.from_hulls(made, column="place", elsewhere=other)
    pos, neg = other.n_pos / other.units.pos, other.n_neg / other.units.neg
    up, right = np.diff(policy.hull.tp), np.diff(policy.hull.fp)
    seen = set()
    for i in range(1, len(policy.hull) - 1):
        price = up[i - 1] / right[i - 1] * (1 - 1e-9) if right[i - 1] else 1e9  # the edge is worth its price
        best = other.at(rh.ExpectedCost(cost_fp=price, cost_fn=1, prevalence=pos / (pos + neg)))
        rule = policy.hull.owners[i][0]
        assert isinstance(rule, rh.conditions.SegmentedRule)
        assert rule.of(None) == best.rules[0][0]
        seen.add(str(rule.of(None)))
    assert len(seen) > 10


def test_a_hull_for_none_decides_the_others() -> None:
    made: dict[Any, rh.RocHull] = {"u": rh.roc_hull([1, 0], [2, 1]), None: rh.roc_hull([0, 1, 1], [5, 7, 6])}
    policy = rh.segments.SegmentPolicy.from_hulls(made, column="place")
    assert policy.thresholds(rh.ExpectedCost(prevalence=0.5)) == {"u": 2.0, None: 6.0}
    with pytest.warns(UserWarning, match="2 of 3 cases"):
        found = policy.decide([5, 5, 6], rh.ExpectedCost(prevalence=0.5), aux={"place": ["u", "v", None]})
    assert found.tolist() == [True, False, True]


def test_hulls_that_cannot_be_used() -> None:
    hull = rh.roc_hull([1, 0], [2, 1])
    rates = rh.RocHull.from_rates([0.1], [0.5])
    new = rh.segments.SegmentPolicy.from_hulls
    for wrong, message in {
        (("u", "v"),): "hulls: the segment .* is neither text nor a number",
        (math.nan,): "hulls: the segment nan is neither text nor a number",
        (1, "1"): "two segments are called '1'",
        (None,): "for None only",
        (): "hulls is empty",
    }.items():
        refuses(message, new, dict.fromkeys(wrong, hull), column="place")
    with pytest.raises(ValueError, match="elsewhere is given, but hulls has one for None too"):
        new({"u": hull, None: hull}, column="place", elsewhere=hull)
    refuses("elsewhere is of given rates", new, {"u": hull}, column="place", elsewhere=rates)
    with pytest.raises(ValueError, match="some name their classifiers and some do not"):
        new({"u": hull, "v": hull.named("a")}, column="place")
    refuses("salt must be a string, but is 5", new, {"u": hull}, column="place", salt=5)
    refuses(r"about\['x'\] must be a string", new, {"u": hull}, column="place", about={"x": None})


def test_numpy_keys_are_values_of_columns() -> None:
    hull = rh.roc_hull([1, 0], [2, 1])
    made = rh.segments.SegmentPolicy.from_hulls(
        {np.int64(3): hull, np.float32(0.5): hull}, column="x", elsewhere=hull
    )
    assert made.bins.axes[0].categories == (3, 0.5)
    assert rh.segments.SegmentPolicy.from_json(made.to_json()).segment({"x": [0.5, 3.0]}).tolist() == [1, 0]


# --- the document -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:scores:UserWarning", "ignore:aux:UserWarning")
@pytest.mark.parametrize("seed", some(range(10), 3))
def test_a_loaded_policy_is_the_same(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    names = rng.choice(list(AXES), 2, replace=False).tolist()
    made = segment_cases.policy(seed, names, [["a"], ["b"], ["a", "b"]][seed % 3], fallback=seed % 4 > 0)
    made.save(tmp_path / "policy.json")
    found = rh.segments.SegmentPolicy.load(tmp_path / "policy.json")
    assert found.to_json() == made.to_json()
    assert list(map(str, found.hull.owners)) == list(map(str, made.hull.owners))
    assert found.hull.owners[:] == made.hull.owners[:]
    assert bins_dict(found.bins) == bins_dict(made.bins)
    assert (found.salt, found.about, found.classifiers) == (made.salt, made.about, made.classifiers)
    assert all(map(np.array_equal, (found.hull.fp, found.hull.tp), (made.hull.fp, made.hull.tp)))
    assert found.hull.units == made.hull.units
    table = rows(200, seed)
    if not made._has_fallback:
        table = table.filter(pl.Series(made.segment(table) >= 0))
    for point in points(made):
        key = table["key"].to_numpy()
        both = [p.decide(table, point, aux=table, key=key) for p in (made, found)]
        assert np.array_equal(*both)


def test_thresholds_come_back_bit_for_bit() -> None:
    steps = [math.inf, float(np.finfo(float).max), 2**63 + 1, 0.1 + 0.2, 5e-324, -0.0, -(2**63), -math.inf]
    for threshold in steps:
        rule = rh.conditions.Rule("threshold", "a", threshold)
        table = RuleTable(
            np.array([0, 1, 2]), (rh.conditions.Rule("never"), rule, rh.conditions.Rule("always"))
        )
        hull = rh.roc_hull([1, 0], [2, 1])
        bins = segment_cases.bins(np.random.default_rng(0), ["size"])
        made = rh.segments.SegmentPolicy._of(hull, bins, [table] * (len(bins) + 1), "", None)
        found = rh.segments.SegmentPolicy.from_json(made.to_json())._owners.tables[0].rules[1].threshold
        assert type(found) is type(threshold)
        assert found == threshold
        assert math.copysign(1, found) == math.copysign(1, threshold)


def test_a_policy_of_many_bins_is_small() -> None:
    rng = np.random.default_rng(0)
    made = {}
    for i in range(100):
        y = rng.integers(0, 2, 4000)
        made[i] = rh.roc_hull(y, rng.normal(y * (0.5 + i / 50)))
    policy = rh.segments.SegmentPolicy.from_hulls(made, column="bin", elsewhere=made[50])
    assert len(policy.hull) > 2000
    text = policy.to_json()
    assert len(text) < 70 * len(policy.hull) + 100_000  # and not 100 times as much
    assert len(rh.segments.SegmentPolicy.from_json(text).hull) == len(policy.hull)
    fixed = rh.ErrorRedistribution("fixed", bins="quantile", n_bins=100)
    y, size = rng.integers(0, 2, 20_000), rng.uniform(size=20_000)
    made_fixed = fixed.fit(rng.normal(y), y, aux=size).policy()
    assert len(made_fixed.segments) > 90
    assert made_fixed.to_json().count('"first"') == 1  # they share one table


# --- what is refused --------------------------------------------------------------------------------


def test_what_no_document_can_hold() -> None:
    score, y, aux = example(500)
    seg = rh.ErrorRedistribution("equal-variance", bins="continuous")
    sizes = np.nan_to_num(aux["size"], nan=1.0)
    seg.fit(score, y, aux={"size": sizes})
    refuses('bins="continuous" has a threshold for every case', seg.policy)


def test_bad_input(one: rh.segments.SegmentPolicy, several: rh.segments.SegmentPolicy) -> None:
    condition, place = rh.MinimumRecall(0.5), {"place": list("uvw")}
    refuses("scores has 2 rows, but aux has 3", one.decide, [1.0, 2.0], condition, aux=place)
    with pytest.raises(ValueError, match=r"scores\(rows\) has 2 rows, but rows has 3"):
        one.decide(lambda rows: [1.0, 2.0], condition, aux=place)
    with pytest.raises(ValueError, match=r"scores\['score'\]\(rows\) has 2 rows, but rows has 3"):
        one.decide({"score": lambda rows: [1.0, 2.0]}, condition, aux=place)
    refuses(r"scores has no column 'score'", one.decide, {"other": lambda rows: rows}, condition, aux=place)
    refuses("aux has no column 'place'; it has 'other'", one.decide, [1.0], condition, aux={"other": [1]})
    with pytest.raises(ValueError, match="aux has no column 'place'; it has 'other'"):
        one.decide([1.0], condition, aux=pl.DataFrame({"other": [1]}))
    two = rh.segments.SegmentPolicy.from_json(segment_cases.policy(0, ["size", "year"], ["a"]).to_json())
    refuses(r"aux has columns of different lengths: \[1, 2\]", two.segment, {"size": [1.0], "year": [1, 2]})
    refuses(r"key must have shape \(3,\)", one.decide, [1.0, 2.0, 3.0], condition, aux=place, key=[1, 2])
    refuses("the policy has several classifiers: see at", several.thresholds, condition)
    nameless = rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("threshold", None, 1.0), 1.0),))
    with pytest.raises(ValueError, match=r"the rule 'score >= 1\.0' does not name its classifier"):
        several.decide([1.0], nameless, aux={"place": ["web"]})
    assert one.decide([1.0, 0.0, 1.0], nameless, aux=place).tolist() == [True, False, True]
    foreign = rh.conditions.SegmentedRule(segments=("u",), rules=(rh.conditions.Rule("never"),))
    with pytest.raises(ValueError, match="segment='v' is not one of 'u'"):
        one.decide([1.0] * 3, rh.conditions.OperatingPoint(0, 0, ((foreign, 1.0),)), aux=place)


def test_nothing_given_is_modified(one: rh.segments.SegmentPolicy) -> None:
    scores, place = np.array([1.0, 0.0, 5.0]), np.array(list("uvw"), object)
    before = scores.copy(), place.copy()
    one.decide(scores, rh.NeymanPearson(0.123), aux={"place": place}, random_state=0)
    one.decide(scores, rh.Capacity(cases=1, population=9, prevalence=0.5), aux={"place": place})
    assert np.array_equal(scores, before[0])
    assert np.array_equal(place, before[1])


def test_an_empty_batch(one: rh.segments.SegmentPolicy) -> None:
    place = {"place": np.empty(0, object)}
    for condition in (rh.NeymanPearson(0.1), rh.Capacity(cases=3, population=9, prevalence=0.5)):
        found = one.decide(np.empty(0), condition, aux=place, key=np.empty(0, int))
        assert found.dtype == bool
        assert found.shape == (0,)


def test_words(several: rh.segments.SegmentPolicy) -> None:
    assert repr(several) == f"SegmentPolicy({len(several.hull)} operating points of b, a in 3 segments)"
    owners = several.hull.owners
    assert isinstance(owners, TableOwners)
    assert len(list(owners)) == len(owners) == len(several.hull)
    with pytest.raises(IndexError):
        owners[len(owners)]


def test_segments_inside_of_segments_are_refused() -> None:
    y, score = rh.datasets.make_fawcett()
    hull = rh.roc_hull(y, score)
    inner = rh.stratify({"x": hull})
    with pytest.raises(ValueError, match=r"hulls\['a'\] has segments itself"):
        rh.segments.SegmentPolicy.from_hulls({"a": inner, "b": hull}, column="c")
    for wrong, message in (
        ([hull], "hulls must be a mapping"),
        ({"a": None}, r"hulls\['a'\] must be a RocHull"),
    ):
        refuses(message, rh.segments.SegmentPolicy.from_hulls, wrong, column="c")
    with pytest.raises(ValueError, match=r"hulls\['elsewhere'\] has segments itself"):
        rh.segments.SegmentPolicy.from_hulls({"b": hull}, column="c", elsewhere=inner)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [(1, "2", "holds texts and numbers"), (2**53 + 1, 2**53, "holds integers beyond 2")],
    ids=["mixed", "long"],
)
def test_categories_that_no_database_holds_have_no_sql(first: Any, second: Any, message: str) -> None:
    y, score = rh.datasets.make_fawcett()
    policy = rh.segments.SegmentPolicy.from_hulls(
        {first: rh.roc_hull(y, score), second: rh.roc_hull(y, score + 50)},
        column="c",
        elsewhere=rh.roc_hull(y, score),
    )
    refuses(message, policy.to_sql, rh.Accuracy(0.5), "duckdb")


def test_one_table_has_scores_features_and_keys() -> None:
    easy, hard = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]), rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    policy = rh.segments.SegmentPolicy.from_hulls({"easy": easy, "hard": hard}, column="kind", elsewhere=hard)
    table = {"score": [3, 6, 7, 9], "kind": ["easy", "hard", "hard", "hard"], "id": [1, 2, 3, 4]}
    for condition in (rh.NeymanPearson(0.3), rh.ExpectedCost(1, (1, 3), 0.4)):
        how: dict[str, Any] = {"minimax": bool(condition.question.spread)}
        point = policy.at(condition, **how)
        expected = policy.decide(table["score"], point, aux={"kind": table["kind"]}, key=table["id"])
        assert policy.decide(table, condition, key="id", **how).tolist() == expected.tolist()
        named = {"s": table["score"], "k": table["kind"], "id": table["id"]}
        columns = {"score": "s", "kind": "k"}
        found = policy.decide(named, condition, key="id", columns=columns, **how)
        assert found.tolist() == expected.tolist()
        assert policy.to_sql(condition, "duckdb", key="id", **how) == policy.to_sql(point, "duckdb", key="id")
    refuses("aux is needed: scores has no column 'kind'", policy.decide, [1, 2], rh.NeymanPearson(0.3))
    columns = {"kid": "k"}
    refuses("Did you mean 'kind'", policy.decide, table, rh.NeymanPearson(0.3), columns=columns)
