"""A capacity in cases presents exactly so many rows of a batch."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from refusals import refuses
from rochull.decisions import ladders as _batch


def capacity(cases: float, population: float = 10_000, prevalence: float = 0.3) -> rh.Capacity:
    return rh.Capacity(cases=cases, population=population, prevalence=prevalence)


def policy_of(seed: int, classifiers: int, levels: int, n: int = 40) -> rh.Policy:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, n), [0, 1])
    hulls = {
        f"c{k}": rh.roc_hull(y, np.round(levels / 4 * (y + rng.normal(size=n + 2))))
        for k in range(classifiers)
    }
    return rh.Policy.from_hull(rh.union(hulls), salt="s")


def policy_of_steps(classifiers: int) -> rh.Policy:
    """Every vertex belongs to another classifier, so the alarms of the vertices are in no order."""
    rates = [(0.1, 0.5), (0.2, 0.7), (0.4, 0.85), (0.7, 0.95)][:classifiers]
    hulls = {f"c{k}": rh.RocHull.from_rates([x], [y], [0.0]) for k, (x, y) in enumerate(rates)}
    return rh.Policy.from_hull(rh.union(hulls), salt="steps")


# --- the twin, from the definition ----------------------------------------------------------------


def lot(salt: str, key: object) -> int:
    return int.from_bytes(hashlib.md5(f"{salt}:{key}".encode()).digest()[:4], "big")


def passes(rule: rh.conditions.Rule, row: dict[str, Any]) -> bool:
    if rule.kind != "threshold":
        return rule.kind == "always"
    value = row[str(rule.classifier)]
    return value is not None and value >= rule.threshold  # False for NaN


def twin_ladder(hull: rh.RocHull) -> list[rh.conditions.Rule]:
    """Edge by edge: the rules of one classifier that owns both ends, if there is one, else the first."""
    rules = [hull.owners[0][0]]
    for left, right in zip(hull.owners, hull.owners[1:], strict=False):
        pairs = [(a, b) for a in left for b in right if a.classifier == b.classifier]
        a, b = pairs[0] if pairs else (left[0], right[0])
        rules += [a] if a != rules[-1] else []
        rules += [b]
    return rules


def twin_ends(
    policy: rh.Policy, rows: Sequence[dict[str, Any]], cases: int
) -> tuple[rh.conditions.Rule, rh.conditions.Rule]:
    """The first neighbours between which the number of alarms passes the capacity."""
    rules = twin_ladder(policy.hull)
    alarms = [sum(passes(rule, row) for row in rows) for rule in rules]
    for i in range(len(rules) - 1):
        if alarms[i] <= cases < alarms[i + 1]:
            return rules[i], rules[i + 1]
    return rules[-1], rules[-1]


def twin(
    policy: rh.Policy,
    rows: Sequence[dict[str, Any]],
    keys: Sequence[object],
    cases: int,
    order: str = "score",
) -> list[bool]:
    """By lot; between two rules of one classifier first by its score, from the highest, missing ones last."""
    left, right = twin_ends(policy, rows, cases)
    names = {str(rule.classifier) for rule in (left, right) if rule.classifier is not None}
    decided = [passes(left, row) for row in rows]

    def turn(i: int) -> tuple[bool, float, int, str]:
        value = rows[i][min(names)] if len(names) == 1 and order == "score" else 0.0
        missing = value is None or math.isnan(value)
        return missing, 0.0 if missing else -value, lot(policy.salt, keys[i]), str(keys[i])

    for i in sorted(range(len(rows)), key=turn):
        if sum(decided) == min(cases, len(rows)):
            break
        decided[i] = passes(right, rows[i])
    return decided


# --- property tests ---------------------------------------------------------------------------------

VALUES = st.one_of(
    st.integers(-8, 8).map(float), st.just(math.nan), st.none(), st.sampled_from([-math.inf, math.inf])
)


@st.composite
def batches(draw: st.DrawFn) -> tuple[rh.Policy, list[dict[str, Any]], list[object], int]:
    classifiers = draw(st.integers(1, 4))
    if draw(st.booleans()):
        policy = policy_of_steps(classifiers)
    else:
        policy = policy_of(draw(st.integers(0, 200)), classifiers, draw(st.sampled_from([1, 4, 12])))
    size = draw(st.integers(0, 30))
    rows = [{name: draw(VALUES) for name in policy.classifiers} for _ in range(size)]
    keys: list[object] = list(draw(st.lists(st.integers(), min_size=size, max_size=size, unique=True)))
    if draw(st.booleans()):
        keys = [f"ß{key}" for key in keys]
    return policy, rows, keys, draw(st.integers(0, size + 3))


def table_of(policy: rh.Policy, rows: Sequence[dict[str, Any]]) -> pl.DataFrame:
    if not policy.classifiers:
        return pl.DataFrame({"x": np.zeros(len(rows))})
    return pl.DataFrame(
        {n: pl.Series([row[n] for row in rows], dtype=pl.Float64) for n in policy.classifiers}
    )


def decide(policy: rh.Policy, rows: Sequence[dict[str, Any]], cases: float, **how: Any) -> np.ndarray:
    """The decisions, with the warning about missing scores that is due."""
    table = table_of(policy, rows)
    needed = _batch.classifiers_of(_batch.ladder(policy.hull))
    if any(row[name] is None or math.isnan(row[name]) for row in rows for name in needed):
        with pytest.warns(UserWarning, match="missing values, which pass no threshold"):
            return policy.decide(table, capacity(cases), **how)
    return policy.decide(table, capacity(cases), **how)


@given(batches(), st.sampled_from(["score", "lot"]))
def test_exactly_so_many_rows_are_presented_and_the_twin_names_them(batch: Any, order: str) -> None:
    policy, rows, keys, cases = batch
    made: Any = np.array(keys, object)
    decided = decide(policy, rows, cases, key=made, order=order)
    assert decided.dtype == bool
    assert decided.sum() == min(cases, len(rows))
    assert decided.tolist() == twin(policy, rows, keys, cases, order)
    left, right = twin_ends(policy, rows, cases)
    for row, called in zip(rows, decided, strict=True):
        ends = passes(left, row), passes(right, row)
        assert called in ends  # what both accept is kept, and what neither does is left


@given(batches(), st.integers(0, 5))
def test_without_a_key_the_number_is_exact_too(batch: Any, seed: int) -> None:
    policy, rows, _, cases = batch
    decided = decide(policy, rows, cases, random_state=seed)
    assert decided.sum() == min(cases, len(rows))
    assert decide(policy, rows, cases, random_state=seed).tolist() == decided.tolist()
    left, right = twin_ends(policy, rows, cases)
    for row, called in zip(rows, decided, strict=True):
        assert called in (passes(left, row), passes(right, row))


@given(batches(), st.randoms())
def test_the_order_of_the_rows_does_not_matter(batch: Any, random: Any) -> None:
    policy, rows, keys, cases = batch
    made: Any = np.array(keys, object)
    decided = decide(policy, rows, cases, key=made)
    order = random.sample(range(len(rows)), len(rows))
    again = decide(policy, [rows[i] for i in order], cases, key=made[order])
    assert again.tolist() == decided[order].tolist()


@given(batches())
def test_a_single_rule_stays_within_the_capacity(batch: Any) -> None:
    policy, rows, _, cases = batch
    left, _ = twin_ends(policy, rows, cases)
    decided = decide(policy, rows, cases, deterministic=True)
    assert decided.tolist() == [passes(left, row) for row in rows]
    assert decided.sum() <= cases


@given(batches())
@tries(30)
def test_with_one_classifier_a_larger_capacity_presents_more_of_the_same(batch: Any) -> None:
    policy, rows, keys, _ = batch
    if len(policy.classifiers) > 1:
        return
    made: Any = np.array(keys, object)
    before = np.zeros(len(rows), bool)
    for cases in range(len(rows) + 1):
        decided = decide(policy, rows, cases, key=made)
        assert not np.any(before & ~decided)
        before = decided


# --- by hand ------------------------------------------------------------------------------------------


@pytest.fixture
def policy() -> rh.Policy:
    """never, >= 0.9, >= 0.7, always."""
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))


def test_the_batch_counts_and_not_the_rates(policy: rh.Policy) -> None:
    # By the rates 0.9 would call a quarter positive. Here it calls one row so, and 0.7 six.
    scores = [0.95, 0.8, 0.75, 0.8, 0.7, 0.85, 0.2, 0.1]
    drawn = sorted(range(8), key=lambda key: lot("", key))
    between = [key for key in drawn if 0.7 <= scores[key] < 0.9]
    below = [key for key in drawn if scores[key] < 0.7]
    from_the_top = sorted(drawn, key=lambda key: -scores[key])  # equal ones stay in the order of their lots
    for cases in range(10):
        for population, prevalence in ((10, 0.5), (8, 0.01), (10_000, 0.99)):
            decide = partial(policy.decide, scores, capacity(cases, population, prevalence), key=range(8))
            assert set(np.flatnonzero(decide(order="lot"))) == set([0, *between, *below][:cases])
            assert set(np.flatnonzero(decide())) == set(from_the_top[:cases])


def test_alarms_that_are_the_capacity_are_the_left_rules() -> None:
    """Also where the right rule drops some of them: a mixture with share 0."""
    crossing = (
        rh.RocHull.from_rates([0.1], [0.6], [1.0], "a"),
        rh.RocHull.from_rates([0.4], [0.9], [1.0], "b"),
    )
    made = rh.Policy.from_hull(rh.union({"a": crossing[0], "b": crossing[1]}))
    scores = {"a": [1, 1, 0, 0, 0, 0], "b": [0, 1, 1, 1, 1, 0]}
    for keys in (range(6), range(6, 12), [f"k{i}" for i in range(6)]):
        decided = made.decide(scores, capacity(2), key=keys)
        assert decided.tolist() == [True, True, False, False, False, False]
        three = made.decide(scores, capacity(3), key=keys)
        assert three.sum() == 3
        assert three[1]
        assert not three[5]


def test_cases_are_whole(policy: rh.Policy) -> None:
    scores = [0.95, 0.8, 0.75]
    assert policy.decide(scores, capacity(2.999), key=range(3)).sum() == 2
    assert policy.decide(scores, capacity(0.5), key=range(3)).sum() == 0
    assert policy.decide(scores, capacity(1e300), key=range(3)).sum() == 3
    with pytest.raises(rh.ImpreciseConditionError, match=r"cases=\(1\.0, 2\.0\) is an interval"):
        policy.decide(scores, capacity((1, 2)))  # type: ignore[arg-type]


def test_population_and_prevalence_may_be_intervals_for_they_do_not_matter(policy: rh.Policy) -> None:
    condition = rh.Capacity(cases=2, population=(10, 20), prevalence=(0.1, 0.9))
    assert policy.decide([0.95, 0.8, 0.75], condition, key=range(3)).sum() == 2


@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # batches that only the rules matter for
def test_a_fraction_and_a_point_stay_rules_for_each_case(policy: rh.Policy) -> None:
    scores = np.full(100, 0.95)
    for condition in (rh.Capacity(fraction=0.25, prevalence=0.5), policy.at(capacity(25, 100, 0.5))):
        assert policy.decide(scores, condition, random_state=0).all()


def test_rules_without_order_are_counted_one_by_one() -> None:
    """The thresholds of given rates may ascend along the hull."""
    hull = rh.RocHull.from_rates([0.1, 0.2, 0.4], [0.5, 0.7, 0.9], [0.2, 0.9, 0.5], "a")
    assert [rule.threshold for rule in _batch.ladder(hull)] == [None, 0.2, 0.9, 0.5, None]
    scores = [0.1, 0.3, 0.6, 0.95]
    policy = rh.Policy.from_hull(hull)
    for cases in range(5):
        rows = [{"a": score} for score in scores]
        for order in ("score", "lot"):
            decided = policy.decide({"a": scores}, capacity(cases), key=range(4), order=order)  # type: ignore[arg-type]
            assert decided.tolist() == twin(policy, rows, range(4), cases, order)
            assert decided.sum() == cases


def test_a_vertex_that_is_left_by_another_classifier_has_both_rules() -> None:
    y = [1, 1, 0, 0]
    hull = rh.union({"a": rh.roc_hull(y, [4, 1, 3, 2]), "b": rh.roc_hull(y, [3, 2, 4, 1])})
    rules = _batch.ladder(hull)
    assert rules[0].kind == "never"
    assert rules[-1].kind == "always"
    assert _batch.classifiers_of(rules) == ("a", "b")
    shared = rh.union(
        {
            "a": rh.RocHull.from_rates([0.1, 0.3], [0.5, 0.8], [2.0, 1.0]),
            "b": rh.RocHull.from_rates([0.3, 0.6], [0.8, 0.95], [5.0, 4.0]),
        }
    )
    assert [str(rule) for rule in _batch.ladder(shared)] == [
        "never", "a >= 2.0", "a >= 1.0", "b >= 5.0", "b >= 4.0", "always"
    ]  # fmt: skip
    policy = rh.Policy.from_hull(shared)
    scores = {"a": [2, 1, 0, 0, 0], "b": [0, 5, 5, 5, 4]}  # a >= 1: two alarms; b >= 5: three
    assert policy.decide(scores, capacity(2), key=range(5)).tolist() == [True, True, False, False, False]
    for cases in range(6):
        assert policy.decide(scores, capacity(cases), key=range(5)).sum() == cases


def test_columns_of_all_classifiers_of_the_hull_are_needed() -> None:
    policy = policy_of(3, 3, 4)
    assert len(policy.classifiers) > 1
    table = {name: np.zeros(3) for name in policy.classifiers[1:]}
    refuses(f"scores has no column '{policy.classifiers[0]}'", policy.decide, table, capacity(2))


def test_nothing_given_is_modified_and_constant_hulls_present_at_random() -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 0], [1, 1, 1]))
    scores = np.arange(1000.0)
    keys = np.arange(1000)
    decided = policy.decide(scores, capacity(300), key=keys)
    assert decided.sum() == 300
    assert decided.tolist() == (np.argsort(np.argsort([lot("", key) for key in keys])) < 300).tolist()
    assert scores.tolist() == keys.tolist() == list(range(1000))


def test_a_large_batch_needs_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules are counted by halving: about log2 of their number for each classifier."""
    rules = (
        rh.conditions.Rule("never"),
        *(rh.conditions.Rule("threshold", "a", -float(i)) for i in range(1000)),
        rh.conditions.Rule("always"),
    )
    asked: list[rh.conditions.Rule] = []

    def alarms(rule: rh.conditions.Rule) -> int:
        asked.append(rule)
        return 10_000 if rule.kind == "always" else int(-(rule.threshold or 0.0))

    assert [rule.threshold for rule in _batch.edge(rules, alarms, 700)] == [-700.0, -701.0]
    assert len(asked) <= 12


def test_keys_are_checked(policy: rh.Policy) -> None:
    with pytest.raises(ValueError, match="key has 1 missing value: every case needs its own"):
        policy.decide([0.9, 0.8], capacity(1), key=[1, None])
