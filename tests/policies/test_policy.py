"""A policy decides like the hull that it came from, also after a trip through a file."""

import hashlib
import math
import stat
import sys
import uuid
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rochull as rh
from refusals import refuses
from rochull.conditions.rules import threshold_in

CONDITIONS = {
    "cost": rh.ExpectedCost(2, 5, 0.3),
    "accuracy": rh.Accuracy(0.4),
    "Neyman-Pearson": rh.NeymanPearson(0.17),
    "recall": rh.MinimumRecall(0.55),
    "capacity": rh.Capacity(cases=30, population=100, prevalence=0.4),
    "fraction": rh.Capacity(fraction=0.6, prevalence=0.4),
    "precision": rh.MinimumPrecision(0.4, 0.4),
    "utility": rh.Utility(lambda fpr, tpr: tpr / (1 + tpr + fpr)),
    "constrained": rh.Constrained(lambda fpr, tpr: tpr - fpr, 0.4, 0.6, 0.35),
}


def labelled(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, n), [0, 1])
    return y, rng.normal(size=n + 2) + y


def with_infinities(y: np.ndarray, score: np.ndarray) -> np.ndarray:
    score = score.copy()
    score[np.flatnonzero(y)[:4]] = np.inf
    score[np.flatnonzero(y == 0)[:4]] = -np.inf
    score[:2] = np.inf
    return score


KINDS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "float64": lambda y, s: s,
    "float32": lambda y, s: s.astype(np.float32),
    "beyond 2**53": lambda y, s: np.round(8 * s).astype(np.int64) + 2**60,
    "uint64": lambda y, s: np.round(8 * s + 30).astype(np.uint64) + np.uint64(2**64 - 100),
    "infinite": with_infinities,
    "minus infinity": lambda y, s: np.where(y == 1, s, -np.inf),
    "denormal": lambda y, s: np.round(8 * s) * 5e-324,
    "huge": lambda y, s: s * 3e307,
    "boolean": lambda y, s: s > 0.5,
}


def make_hull(kind: str) -> rh.RocHull:
    y, score = labelled(1)
    if kind == "weighted":
        return rh.roc_hull(y, score, sample_weight=np.random.default_rng(2).gamma(1, size=y.size))
    if kind == "rates":
        return rh.RocHull.from_rates([0.1, 1 / 3], [0.5, 0.8], [0.9, 0.2], "averaged")
    if kind == "useless":
        return rh.roc_hull(y, np.zeros(y.size))
    if kind == "mixed union":
        return rh.union({"a": rh.roc_hull(y, score), "binary": rh.RocHull.from_rates([0.1234], [0.8])})
    if kind == "union":
        rng = np.random.default_rng(3)
        return rh.union({name: rh.roc_hull(y, np.round(y + rng.normal(size=y.size), 1)) for name in "abc"})
    return rh.roc_hull(y, KINDS[kind](y, score))


ALL_HULLS = [*KINDS, "weighted", "rates", "useless", "mixed union", "union"]


@pytest.fixture
def policy() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))


# --- the file -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL_HULLS)
def test_a_loaded_policy_chooses_what_the_hull_chooses_bit_for_bit(kind: str, tmp_path: Path) -> None:
    hull = make_hull(kind)
    policy = rh.Policy.from_hull(hull, salt="s", about={"made by": "a test, «Ü»"})
    policy.save(tmp_path / "policy.json")
    loaded = rh.Policy.load(tmp_path / "policy.json")
    assert (loaded.salt, dict(loaded.about)) == ("s", {"made by": "a test, «Ü»"})
    named = hull if hull.classifiers else hull.named("score")
    named = replace(named.with_owners(named.owners), blocks=None)  # a policy holds vertices and thresholds
    for condition in CONDITIONS.values():
        for deterministic in (False, True):
            expected = named.at(condition, deterministic)
            for one in (policy, loaded):
                found = one.at(condition, deterministic)
                assert found == expected
                assert same_bits(found, expected)
    assert loaded.hull.owners == named.owners
    assert loaded.to_json() == policy.to_json() == (tmp_path / "policy.json").read_text(encoding="utf-8")


def same_bits(a: rh.conditions.OperatingPoint, b: rh.conditions.OperatingPoint) -> bool:
    """Also the types and the zero signs of thresholds and rates."""
    return repr(a) == repr(b)


def test_a_policy_of_a_curve_holds_every_threshold_that_can_be_best() -> None:
    held = rh.RocHull.from_curve(rh.roc_curve(*labelled(1)))
    policy = rh.Policy.from_json(rh.Policy.from_hull(held).to_json())
    assert policy.every_threshold
    limits = [rh.NeymanPearson(rate) for rate in np.linspace(0, 1, 41)]
    limits += [rh.Capacity(fraction=rate, prevalence=0.3) for rate in np.linspace(0.02, 1, 40)]
    limits += [rh.MinimumRecall(rate) for rate in np.linspace(0, 1, 41)]
    for limit in limits:
        found, best = (of.at(limit, deterministic=True) for of in (policy, held))
        assert (found.fpr, found.tpr) == (best.fpr, best.tpr)


def test_decisions_by_a_rule_of_the_vertices_alone_are_told() -> None:
    held = rh.RocHull.from_curve(rh.roc_curve(*labelled(1)))
    policy = rh.Policy.from_hull(replace(held, curves={}, blocks=rh.roc_hull(*labelled(1)).blocks))
    assert not policy.every_threshold
    limit = rh.NeymanPearson(0.17)
    for ask in (policy.decide, lambda _, c, **how: policy.to_sql(c, "duckdb", **how)):
        with pytest.warns(UserWarning, match="not every threshold of .* the policy of a hull"):
            ask([0.5], limit, deterministic=True)
        ask([0.5], rh.ExpectedCost(prevalence=0.3), deterministic=True)  # its best rule is a vertex
    policy.decide([0.5], limit, key=[1])
    best = held.at(limit, deterministic=True)
    one = rh.Policy.from_hull(held, singles=[best])
    assert one.decide([0.5], limit, deterministic=True).shape == (1,)


def test_so_many_thresholds_are_held_at_most() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(40_000) < 0.3
    many = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(size=y.size) + y))
    assert not many.every_threshold
    assert dict(many.hull.curves) == {}


def test_save_is_all_or_nothing(policy: rh.Policy, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text("before")
    broken = rh.Policy(policy.hull, salt="\ud800")  # cannot be written as UTF-8
    with pytest.raises(UnicodeEncodeError):
        broken.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["policy.json"]
    assert path.read_text() == "before"
    (tmp_path / "directory").mkdir()
    with pytest.raises(OSError, match="directory"):
        policy.save(tmp_path / "directory")
    with pytest.raises(FileNotFoundError):
        policy.save(tmp_path / "absent" / "policy.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["directory", "policy.json"]
    policy.save(str(path))
    assert rh.Policy.load(str(path)).at(rh.Accuracy(0.5)) == policy.at(rh.Accuracy(0.5))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["directory", "policy.json"]
    plain = tmp_path / "plain"
    plain.write_text("")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_texts_must_be_strings(policy: rh.Policy) -> None:
    with pytest.raises(ValueError, match="salt must be a string, but is 5"):
        rh.Policy.from_hull(policy.hull, salt=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"about\['n'\] must be a string, but is 5"):
        rh.Policy.from_hull(policy.hull, about={"n": 5})  # type: ignore[dict-item]


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rh.Policy.load(tmp_path / "absent.json")


def test_repr(policy: rh.Policy) -> None:
    assert repr(policy) == "Policy(4 operating points of score)"
    assert repr(rh.Policy.from_hull(make_hull("useless"))) == "Policy(2 operating points of no classifier)"


# --- decisions ----------------------------------------------------------------------------------

DTYPES = [np.float64, np.float32, np.int64, np.int8, np.uint8, np.uint64, np.bool_, np.float16]


def passes(value: Any, threshold: float | None) -> bool:
    """The rule as exact arithmetic says it; missing values pass no threshold."""
    number = value.item() if isinstance(value, np.generic) else value
    if number is None or number != number or threshold is None:  # noqa: PLR0124
        return False
    if np.isinf(number) or np.isinf(threshold):
        return bool(float(number) >= threshold)
    return F(number) >= F(threshold)


THRESHOLDS = [0.7, 0.1, 0.0, -0.0, 5e-324, 1e-50, 1.0, 0.5, 127, 127.5, 255, 3.4e38, 1e300, -1e300, 2**53 + 1]
THRESHOLDS += [2**63 - 1, 2**64 - 1, -(2**63), float("inf"), float("-inf"), -0.5, 16777217, 65504.5]


@pytest.mark.filterwarnings("ignore:scores. [0-9]+ of [0-9]+ cases have a threshold:UserWarning")
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_threshold_in_another_type_is_exact(dtype: Any) -> None:
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        some = [0.7, 0.1, 0.0, -0.0, 1, np.inf, -np.inf, 16777216, 16777218, np.finfo(dtype).max, 5e-324]
        with np.errstate(over="ignore", under="ignore"):
            values = np.array(some + [-v for v in some], dtype)
            more = np.nextafter(values, dtype.type(np.inf)), np.nextafter(values, dtype.type(0))
            values = np.concatenate([values, *more])
        if dtype.itemsize == 8:
            values = np.append(values, [2.0**53, 2.0**53 + 2, 2.0**63, 2.0**64])
    elif dtype.kind == "b":
        values = np.array([False, True])
    else:
        limits = np.iinfo(dtype)
        values = np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], dtype)
        if limits.max > 2**53:
            values = np.append(values, np.array([2**53, 2**53 + 1, 2**53 + 2], dtype))
    points = [
        rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("threshold", "a", t), 1.0),))
        for t in THRESHOLDS
    ]
    policy = rh.Policy.from_hull(make_hull("union"))
    for point, threshold in zip(points, THRESHOLDS, strict=True):
        decided = policy.decide({"a": values}, point)
        assert decided.tolist() == [passes(v, threshold) for v in values], threshold
        assert decided.dtype == bool


def test_threshold_in_needs_a_threshold() -> None:
    refuses("no threshold", threshold_in, np.dtype(float), None)


@pytest.mark.parametrize("kind", ALL_HULLS)
@pytest.mark.parametrize("condition", ["cost", "accuracy"])
def test_decisions_are_thresholding(kind: str, condition: str) -> None:
    y, score = labelled(1)
    hull = make_hull(kind)
    policy = rh.Policy.from_hull(hull)
    columns = {name: KINDS.get(kind, KINDS["float64"])(y, score) for name in policy.classifiers or ("score",)}
    before = {name: column.copy() for name, column in columns.items()}
    point = policy.at(CONDITIONS[condition])
    ((rule, _),) = point.rules
    if rule.kind == "threshold":
        expected = [passes(v, rule.threshold) for v in columns[rule.classifier]]  # type: ignore[index]
    else:
        expected = [rule.kind == "always"] * y.size
    assert policy.decide(columns, CONDITIONS[condition]).tolist() == expected
    assert policy.decide(columns, point).tolist() == expected
    if kind in KINDS:  # the confusion matrix is the one that the point promises
        called = np.array(expected)
        assert (called[y == 0].mean(), called[y == 1].mean()) == (point.fpr, point.tpr)
    for name, column in columns.items():
        np.testing.assert_array_equal(column, before[name])


def test_never_differs_from_at_least_infinity() -> None:
    y = [1, 1, 0, 0]
    policy = rh.Policy.from_hull(rh.roc_hull(y, [np.inf, 1, 1, -np.inf]))
    scores = [np.inf, 3e300, -np.inf, np.nan]
    reach = {0.0: [True, False, False, False], 1.0: [True, True, False, False]}
    for condition, limit in ((rh.NeymanPearson(0), 0.0), (rh.MinimumRecall(1), 1.0)):
        with pytest.warns(UserWarning, match="1 missing"):
            assert policy.decide(scores, condition).tolist() == reach[limit]
    never = rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("never"), 1.0),))
    assert policy.decide(scores, never).tolist() == [False] * 4


def test_a_point_of_a_nameless_hull() -> None:
    hull = make_hull("float64")
    y, score = labelled(1)
    policy = rh.Policy.from_hull(hull)
    for name, condition in CONDITIONS.items():
        if name == "capacity":  # of cases: a batch as a whole keeps it, see test__batch.py
            continue
        ours, theirs = (policy.decide(score, c, key=range(y.size)) for c in (condition, hull.at(condition)))
        assert ours.tolist() == theirs.tolist()
    many = rh.Policy.from_hull(make_hull("union"))
    refuses("does not name its classifier", many.decide, score, hull.at(rh.Accuracy(0.5)))


@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # batches that only the rules matter for
def test_three_rules_in_their_shares() -> None:
    a, b = (rh.conditions.Rule("threshold", "score", threshold) for threshold in (9.0, 5.0))
    point = rh.conditions.OperatingPoint(
        0.5, 0.5, ((a, 0.2), (b, 0.3), (rh.conditions.Rule("always"), 0.5)), "inside"
    )
    policy = rh.Policy.from_hull(make_hull("float64"), salt="three")
    n = 20_000
    for how in ({"key": range(n)}, {"random_state": 3}):
        for score, share in ((0.0, 0.5), (5.0, 0.8), (9.0, 1.0), (np.nan, 0.5)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                called = policy.decide(np.full(n, score), point, **how)  # type: ignore[arg-type]
            assert abs(called.mean() - share) < 4 * math.sqrt(0.25 / n)
    # Whoever is called with a score is with a higher one, and a case is decided by its key alone.
    calls = [policy.decide(np.full(n, score), point, key=range(n)) for score in (0.0, 5.0, 9.0)]
    assert np.all(calls[0] <= calls[1])
    assert np.all(calls[1] <= calls[2])
    assert policy.decide(np.zeros(50), point, key=range(50)).tolist() == calls[0][:50].tolist()
    # A rule that is never chosen, and one that always is.
    rules = ((a, 0.0), (rh.conditions.Rule("never"), 1.0), (rh.conditions.Rule("always"), 0.0))
    assert not policy.decide(
        np.full(n, 9.0), rh.conditions.OperatingPoint(0, 0, rules, "inside"), key=range(n)
    ).any()


def test_the_points_of_groups_are_decided() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 4000), rng.normal(size=4000)
    score += y
    hull = rh.roc_hull(y, score)
    low, high = hull.at(rh.MinimumRecall(0.3)), hull.at(rh.MinimumRecall(0.9))
    rules = (low.rules[0][0], high.rules[0][0], rh.conditions.Rule("always"))
    shares = (0.5, 0.3, 0.2)
    point = rh.conditions.OperatingPoint(0.5, 0.5, tuple(zip(rules, shares, strict=True)), "inside")
    called = rh.Policy.from_hull(hull).decide(score, point, key=range(4000))
    rates = [1.0 if r.threshold is None else np.mean(score >= r.threshold) for r in rules]
    assert abs(called.mean() - np.dot(shares, rates)) < 0.03


def test_rules_for_each_segment_are_refused() -> None:
    scores = {"a": [4, 1, 3, 2], "b": [1, 2, 4, 3]}
    hulls = {name: rh.roc_hull([1, 0, 1, 0], column) for name, column in scores.items()}
    stratified = rh.stratify(hulls)
    advice = r"SegmentPolicy, such as ErrorRedistribution\.policy\(\)\.$"
    refuses(f"^hull is stratified: .*{advice}", rh.Policy.from_hull, stratified)
    refuses(f"^hull is stratified: .*{advice}", rh.Knob, stratified)
    policy = rh.Policy.from_hull(hulls["a"])
    point, refused = stratified.at(rh.Accuracy(0.4)), f"^condition: the point has a rule for each .*{advice}"
    for decide in (lambda: policy.decide([1, 2], point), lambda: policy.to_sql(point, "duckdb")):
        refuses(refused, decide)


# --- mixtures -----------------------------------------------------------------------------------

HALF = rh.NeymanPearson(0.25)  # on an edge of the policy of the fixture: >= 0.9 or >= 0.7, one half each
# Independent of the library: the first four bytes of the MD5 of "salt:key", as a big-endian number.
GOLDEN = {
    ("", 1): 0x3558193C,
    ("s", 1): 0xB7348FFD,
    ("", "alpha"): 0x059803CD,
    ("s", "Ü"): 0x64B62842,
    ("", 2**64 - 1): 0xB891D1DC,
}


def uniform(salt: str, key: object) -> float:
    return int.from_bytes(hashlib.md5(f"{salt}:{key}".encode()).digest()[:4], "big") / 2**32


def test_keys_are_hashed_as_they_always_were(policy: rh.Policy) -> None:
    for (salt, key), number in GOLDEN.items():
        assert uniform(salt, key) == number / 2**32
        salted = rh.Policy.from_hull(policy.hull, salt=salt)
        for share in (number / 2**32, number / 2**32 + 2**-40):
            rules = [rh.conditions.Rule("never"), rh.conditions.Rule("always")]
            point = rh.conditions.OperatingPoint(0, 0, ((rules[0], 1 - share), (rules[1], share)), "edge")
            decided = salted.decide([0.5], point, key=[key])
            assert decided.tolist() == [number / 2**32 < share]


@pytest.mark.parametrize("salt", ["", "another"])
def test_a_key_decides_alike_in_any_batch_and_order(policy: rh.Policy, salt: str) -> None:
    policy = rh.Policy.from_hull(policy.hull, salt=salt)
    rng = np.random.default_rng(0)
    score = rng.choice([0.95, 0.8, 0.7, 0.5], 500)
    keys = rng.permutation(10**6)[:500]
    decided = policy.decide(score, HALF, key=keys)
    expected = [s >= (0.7 if uniform(salt, k) < 0.5 else 0.9) for s, k in zip(score, keys, strict=True)]
    assert decided.tolist() == expected
    order = rng.permutation(500)
    assert policy.decide(score[order], HALF, key=keys[order]).tolist() == decided[order].tolist()
    for part in np.array_split(np.arange(500), 7):
        assert policy.decide(score[part], HALF, key=keys[part]).tolist() == decided[part].tolist()
    # Integers of any type and as text are one key; so is a list, or a series.
    for same in (keys.astype(np.int32), keys.astype(np.uint64), keys.astype(str), keys.tolist()):
        assert policy.decide(score, HALF, key=same).tolist() == decided.tolist()
    objects = keys.astype(object)
    assert policy.decide(score, HALF, key=objects).tolist() == decided.tolist()
    loaded = rh.Policy.from_json(policy.to_json())
    assert loaded.decide(score, HALF, key=keys).tolist() == decided.tolist()


def test_salts_randomise_apart(policy: rh.Policy) -> None:
    score = np.full(2000, 0.8)
    decided = [
        rh.Policy.from_hull(policy.hull, salt=salt).decide(score, HALF, key=range(2000))
        for salt in ("x", "y")
    ]
    assert 800 < np.sum(decided[0] != decided[1]) < 1200


@pytest.mark.parametrize("how", ["key", "text key", "seed", "generator"])
def test_shares_are_met_and_decisions_grow_with_them(policy: rh.Policy, how: str) -> None:
    n = 20_000
    score = np.full(n, 0.8)  # passes the right rule only
    previous = np.zeros(n, bool)
    for max_fpr in (0.0, 0.1, 0.25, 0.4, 0.499, 0.5):
        share = max_fpr / 0.5
        given = {
            "key": {"key": np.arange(n)},
            "text key": {"key": [f"case {i}" for i in range(n)]},
            "seed": {"random_state": 7},
            "generator": {"random_state": np.random.default_rng(7)},
        }[how]
        decided = policy.decide(score, rh.NeymanPearson(max_fpr), **given)  # type: ignore[arg-type]
        assert abs(decided.mean() - share) <= 5 * (share * (1 - share) / n) ** 0.5
        assert not np.any(previous & ~decided)
        previous = decided


def test_rules_that_agree_are_not_randomised(policy: rh.Policy) -> None:
    score = np.repeat([0.95, 0.1], 100)
    assert policy.decide(score, HALF, random_state=0).tolist() == (score > 0.5).tolist()


def test_random_states(policy: rh.Policy) -> None:
    score = np.full(100, 0.8)
    first, again, other = (policy.decide(score, HALF, random_state=seed) for seed in (3, 3, 4))
    assert first.tolist() == again.tolist() != other.tolist()
    old = [policy.decide(score, HALF, random_state=np.random.RandomState(3)).tolist() for _ in range(2)]
    assert old[0] == old[1]
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    policy.decide(score, HALF)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([1.5, 2.0], "integers or strings, but has type float64"),
        ([True, False], "integers or strings, but has type bool"),
        (np.array(["a", 0.5], object), r"index 1 holds 0\.5 \(float\)"),
        (np.array([1, True], object), r"index 1 holds True \(bool\)"),
        (np.array([1, np.bool_(True)], object), r"index 1 holds .*True.* \(bool"),
        ([b"a", b"b"], "integers or strings, but has type"),
        (np.array(["2020", "2021"], "M8[Y]"), "integers or strings, but has type datetime64"),
        ([1], r"have shape \(2,\) like the scores, but has shape \(1,\)"),
        ([[1], [2]], r"but has shape \(2, 1\)"),
        (5, "but is an int"),
    ],
)
@pytest.mark.parametrize("condition", [HALF, rh.Accuracy(0.5)], ids=["mixture", "vertex"])
def test_keys_that_are_refused(policy: rh.Policy, key: Any, message: str, condition: Any) -> None:
    refuses(f"key must .*{message}", policy.decide, [0.95, 0.8], condition, key=key)


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([None, None], "key has 2 missing values: every case needs its own"),
        ([1, None], "key has 1 missing value: "),
        (pd.Series([1, pd.NA], dtype="Int64"), "key has 1 missing value: "),
        (pd.Series(["a", pd.NA], dtype="string"), "key has 1 missing value: "),
        (pl.Series([None, 2]), "key has 1 missing value: "),
        (pl.Series(["a", None]), "key has 1 missing value: "),
        (np.array([uuid.UUID(int=1), uuid.UUID(int=2)], object), r"\(UUID\); str\(\) makes a string of it"),
    ],
    ids=repr,
)
def test_keys_that_are_missing_or_no_text(policy: rh.Policy, key: Any, message: str) -> None:
    refuses(message, policy.decide, [0.95, 0.8], HALF, key=key)


def test_what_chose_a_point_decides_too(policy: rh.Policy) -> None:
    """An assured choice stands for its point; a table of regrets has several, and says which to give."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    hybrid = rh.Hybrid().add("score", y, rng.normal(size=200) + y, curve=True)
    policy, scores = hybrid.policy(), {"score": rng.normal(size=50)}
    choice = hybrid.assured(rh.NeymanPearson(0.1, confidence=0.9))
    assert policy.decide(scores, choice).tolist() == policy.decide(scores, choice.point).tolist()
    assert policy.to_sql(choice, "duckdb") == policy.to_sql(choice.point, "duckdb")
    table = hybrid.regret(rh.ExpectedCost(cost_fn=(1, 5), prevalence=0.5))
    with pytest.raises(TypeError) as caught:
        policy.decide(scores, table)
    assert str(caught.value) == "condition is a RegretTable; give the rule to decide by, such as its minimax."
    policy.decide(scores, table.minimax, random_state=0)
    with pytest.raises(TypeError, match=r"must be an operating condition, but is a RocHull\.$|RocHull\("):
        policy.decide(scores, hybrid.hull)


@pytest.mark.parametrize(
    "condition",
    [
        rh.NeymanPearson(0.1, confidence=0.9),
        rh.MinimumPrecision(0.6, confidence=0.9),
        rh.Capacity(fraction=0.1, confidence=0.9),
        rh.Review(max_error=0.1, confidence=0.9),
        rh.Within(rh.Recall(), rh.ExpectedCost(1, 5) <= 0.4, confidence=0.9),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_confidence_is_refused_everywhere_by_one_sentence(policy: rh.Policy, condition: Any) -> None:
    for ask in (
        lambda: policy.at(condition),
        lambda: policy.at(condition, minimax=True),
        lambda: policy.decide([0.9], condition, random_state=0),
        lambda: policy.to_sql(condition, "duckdb"),
    ):
        with pytest.raises(
            ValueError, match=r"^confidence=0.9 needs the examples, which a policy does not hold"
        ):
            ask()


@pytest.mark.parametrize("cases", [{"cases": 1, "population": 4}, {"cases": 0, "population": 9}])
def test_what_a_batch_cannot_keep_beside_a_number_of_cases(cases: Any) -> None:
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    by_segment = rh.segments.SegmentPolicy.from_hulls({"x": hull}, column="kind")
    columns = {"score": [0.9, 0.2], "kind": ["x", "x"]}
    assured = rh.Capacity(**cases, confidence=0.9)
    plain, vague = rh.Capacity(**cases), rh.Capacity(**cases, prevalence=(0.1, 0.2))
    for policy in (rh.Policy.from_hull(hull), by_segment):
        for ask in (policy.decide, policy.rank):
            refuses("^confidence=0.9 needs the examples, which a policy does not hold", ask, columns, assured)
        refuses("^minimax has no effect on a number", policy.decide, columns, plain, minimax=True)
        refuses(r"^prevalence=\(0.1, 0.2\) is an interval", policy.rank, columns, vague)
        assert policy.decide(columns, vague).sum() == cases["cases"]
    refuses("^confidence=0.9 needs", by_segment.needs_score, assured, columns)
    refuses("^minimax has no effect", by_segment.needs_score, plain, columns, minimax=True)


def test_big_integers_in_a_list_are_not_merged() -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([0, 1, 0, 1], [2**53, 2**53 + 1, 5, 2**60]))
    condition = rh.NeymanPearson(0)
    assert policy.decide([2**53, 2**53 + 1, 5], condition).tolist() == [False, True, False]


# --- ranges, and columns by name ---------------------------------------------------------------------

RANGES = [
    rh.ExpectedCost(1, (2, 20), 0.3),
    rh.ExpectedCost((0.5, 3), 2, (0.2, 0.6)),
    rh.NeymanPearson((0.1, 0.3)),
    rh.MinimumRecall((0.5, 0.7)),
]


@pytest.mark.filterwarnings("ignore::rochull.MisfitWarning")  # batches that only the rules matter for
@pytest.mark.parametrize("condition", RANGES, ids=str)
@pytest.mark.parametrize("single", [False, True])
def test_minimax_decides_by_the_rule_of_least_worst_regret(condition: Any, single: bool) -> None:
    y, score = labelled(7)
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, np.round(y + np.sin(score * 9), 1))
    policy = rh.Policy.from_json(hybrid.policy().to_json())
    table = hybrid.regret(condition)
    least = (table.least_worst_single if single else table.least_worst).point
    found = policy.at(condition, single, minimax=True)
    assert least is not None
    assert (found.fpr, found.tpr, found.rules) == (least.fpr, least.tpr, least.rules)
    batch = {"a": score, "b": y + 0.1, "id": np.arange(y.size)}
    how: dict[str, Any] = {"deterministic": single, "minimax": True}
    assert (
        policy.decide(batch, condition, key="id", **how).tolist()
        == policy.decide(batch, least, key=batch["id"]).tolist()
    )
    expected = policy.to_sql(least, "duckdb", key="id")
    assert policy.to_sql(condition, "duckdb", key="id", **how) == expected
    for refused in (policy.at, lambda c: policy.decide(batch, c), lambda c: policy.to_sql(c, "duckdb")):
        refuses("is an interval.*minimax=True", refused, condition)


def test_minimax_of_a_precise_condition_is_the_best_rule() -> None:
    policy = rh.Policy.from_hull(make_hull("union"))
    for name, condition in CONDITIONS.items():
        assert policy.at(condition, minimax=True) == policy.at(condition), name


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame], ids=["dict", "pandas", "polars"])
def test_keys_and_scores_by_the_names_of_their_columns(make: Callable[[Any], Any]) -> None:
    hull = make_hull("float64").named("gbm")
    policy, condition = rh.Policy.from_hull(hull), rh.NeymanPearson(0.17)
    score, keys = labelled(3)[1], [f"case {i}" for i in range(62)]
    expected = policy.decide(score, condition, key=keys)
    assert 0 < expected.sum() < expected.size
    table = make({"gbm": score, "case_id": keys})
    assert policy.decide(table, condition, key="case_id").tolist() == expected.tolist()
    other = make({"s": score, "gbm": -score, "case_id": keys})
    found = policy.decide(other, condition, key="case_id", columns={"gbm": "s"})
    assert found.tolist() == expected.tolist()
    refuses("no column 'case_i'.*Did you mean 'case_id'", policy.decide, table, condition, key="case_i")
    refuses("key='id' names a column, but scores has no named", policy.decide, score, condition, key="id")
    for columns, said in (({"gmb": "gbm"}, "Did you mean 'gbm'"), ({"gbm": "t"}, "no column 't'")):
        refuses(said, policy.decide, table, condition, key=keys, columns=columns)
    refuses("columns: scores has no named columns", policy.decide, score, condition, columns={"gbm": "s"})


def test_a_case_is_decided_by_a_point_in_few_steps(policy: rh.Policy) -> None:
    """Services decide case by case: what a point and a rule need not be asked is not asked of them."""
    point, steps = policy.at(rh.ExpectedCost(1, 5, prevalence=0.3)), []

    def count(frame: Any, event: str, argument: Any) -> None:
        steps.extend([frame.f_code.co_name] * (event == "call"))

    policy.decide([0.9], point)
    sys.setprofile(count)
    try:
        policy.decide([0.9], point)
    finally:
        sys.setprofile(None)
    assert len(steps) < 90, steps
