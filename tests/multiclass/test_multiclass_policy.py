"""A multi-class policy decides like the weights that it holds, also after a trip through a file."""

import hashlib
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from multiclass_cases import EDGES, LABELS, WEIGHTS, by_hand, mixture, outputs, policy
from profiles import tries
from refusals import refuses


@pytest.fixture
def made() -> rh.multiclass.MulticlassPolicy:
    return policy()


# --- deciding ---------------------------------------------------------------------------------------

NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(0, 1), st.integers(0, 3).map(float))
VECTORS = st.lists(NUMBERS, min_size=3, max_size=3).filter(any)


@given(VECTORS, st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=1, max_size=8))
@tries(200)
def test_decides_as_by_hand(weights: list[float], rows: list[list[float]]) -> None:
    labels = LABELS["text"]
    found = policy().decide(rows, weights)
    assert found.tolist() == [by_hand(labels, weights, row) for row in rows]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_decides_like_argmax_and_like_the_roc(weights: list[float]) -> None:
    rows = outputs(3000)
    y = np.arange(3000) % 3
    roc = rh.MulticlassRoc(y, rows)
    made = rh.multiclass.MulticlassPolicy.from_points(roc.points_at(weights))
    found = made.decide(rows, weights)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(found, np.argmax(np.array(weights) * rows, axis=1))
        np.testing.assert_array_equal(found, roc.decide(weights, rows))
    counted = np.array([[np.sum((y == i) & (found == j)) for j in range(3)] for i in range(3)])
    np.testing.assert_array_equal(made.points.confusion[0], counted)


def test_a_case_without_any_output_is_the_first_class(made: rh.multiclass.MulticlassPolicy) -> None:
    assert made.decide([[0, 0, 0], [0, 0, 1e-5]], [1, 1, 0]).tolist() == ["van", "van"]


def test_an_objective_takes_its_best_point(made: rh.multiclass.MulticlassPolicy) -> None:
    rows = outputs(50)
    costs = rh.multiclass.CostMatrix([[0, 1, 9], [5, 0, 1], [1, 1, 0]])
    for objective in ("max_error", costs, rh.multiclass.Error("bus"), lambda confusion: confusion[:, 0, 1]):
        best = int(np.argmin(made.points.values(objective)))
        expected = made.decide(rows, made.points.weights[best]).tolist()
        assert made.decide(rows, objective).tolist() == expected
        assert made.decide(rows, made.at(objective)).tolist() == expected
    kept = [rh.multiclass.Error("bus") <= float(np.median(made.points.errors[:, 1]))]
    assert made.at("max_error", kept).errors[1] <= kept[0].limit


def test_mixtures_are_decided_by_the_hash_of_the_key(made: rh.multiclass.MulticlassPolicy) -> None:
    rows, shares = outputs(400), [0.2, 0.5, 0.3]
    point = mixture(made, shares)
    keys = [f"case {i}" for i in range(400)]
    found = made.decide(rows, point, key=keys)
    expected = []
    for key, row in zip(keys, rows, strict=True):
        digest = hashlib.md5(f"{made.salt}:{key}".encode()).digest()
        drawn = Fraction(int.from_bytes(digest[:4], "big"), 2**32)
        rule = (drawn < Fraction(0.5) + Fraction(0.3)) + (drawn < Fraction(0.3))  # the last, the lowest
        expected.append(by_hand(made.classes, made.points.weights[rule], row))
    assert found.tolist() == expected
    order = np.random.default_rng(0).permutation(400)
    again = made.decide(rows[order], point, key=[keys[i] for i in order])
    assert again.tolist() == found[order].tolist()


def test_mixtures_without_a_key(made: rh.multiclass.MulticlassPolicy) -> None:
    rows, point = np.tile([[0.4, 0.3, 0.3]], (4000, 1)), mixture(made, [0.25, 0.75])
    how: Any = {"random_state": 3, "on_misfit": "ignore"}  # one row for all is no batch of these classes
    found = made.decide(rows, point, **how)
    np.testing.assert_array_equal(found, made.decide(rows, point, **how))
    own = [by_hand(made.classes, made.points.weights[i], rows[0]) for i in (0, 1)]
    assert own[0] != own[1]
    assert abs(np.mean(found == own[1]) - 0.75) < 4 * math.sqrt(0.75 * 0.25 / 4000)


def test_outputs_from_whatever_holds_them(made: rh.multiclass.MulticlassPolicy, frame_module: Any) -> None:
    rows = outputs(40)
    expected = made.decide(rows, "max_error").tolist()
    columns = dict(zip(made.classes, rows.T.copy(), strict=True))
    reordered = {"other": np.array(["x"] * 40), **dict(reversed(columns.items()))}
    assert made.decide(columns, "max_error").tolist() == expected
    assert made.decide(reordered, "max_error").tolist() == expected
    assert made.decide(frame_module(reordered), "max_error").tolist() == expected
    assert made.decide(rows.tolist(), "max_error").tolist() == expected
    renamed = {f"p_{name}": column for name, column in columns.items()}
    names = {name: f"p_{name}" for name in columns}
    assert made.decide(frame_module(renamed), "max_error", columns=names).tolist() == expected
    narrow = np.random.default_rng(0).random((30, 3)).astype(np.float32)
    assert (
        made.decide(narrow, "max_error").tolist() == made.decide(narrow.astype(float), "max_error").tolist()
    )


def test_columns_called_by_numbers() -> None:
    made, rows = policy((4, 7, 1)), outputs(30)
    expected = made.decide(rows, [1, 2, 1]).tolist()
    assert made.decide(pd.DataFrame(rows, columns=[4, 7, 1]), [1, 2, 1]).tolist() == expected
    assert made.decide(pd.DataFrame(rows[:, ::-1], columns=[1, 7, 4]), [1, 2, 1]).tolist() == expected
    assert made.decide(pl.DataFrame(rows, schema=["4", "7", "1"]), [1, 2, 1]).tolist() == expected


def test_labels_keep_their_type() -> None:
    for labels in LABELS.values():
        found = policy(labels).decide(outputs(200, 3, len(labels)), [1.0] * len(labels))
        assert set(map(type, found.tolist())) == {type(labels[0])}
    mixed = policy(("a", 1, 2.5)).decide([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1])
    assert mixed.tolist() == ["a", 1, 2.5]


def test_an_empty_batch(made: rh.multiclass.MulticlassPolicy) -> None:
    assert made.decide(np.empty((0, 3)), "max_error").tolist() == []
    assert made.decide({name: [] for name in made.classes}, "max_error").tolist() == []


def test_nothing_given_is_modified(made: rh.multiclass.MulticlassPolicy) -> None:
    rows, weights = outputs(30), np.array([1.0, 2, 3])
    before = rows.copy()
    made.decide(rows, weights)
    np.testing.assert_array_equal(rows, before)
    assert weights.tolist() == [1, 2, 3]


# --- bad input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.5, 0.5, math.nan]], "outputs has 1 NaN, the first in row 0, column 2"),
        ([[0.5, 0.5, -0.1]], "outputs has 1 negative values"),
        ([[0.5, 0.5, math.inf]], "outputs has 1 infinite values"),
        ([[0.5, 0.5]], "outputs must have 3 columns, one for each class, but has 2"),
        ([0.5, 0.5, 0.5], r"outputs must have shape \(n, C\)"),
        ([["a", "b", "c"]], "outputs must be numeric"),
        ({"van": [1.0], "bus": [2.0]}, "outputs has no column 'opel' for the class 'opel'"),
        ({"van": [1.0], "bus": [2.0], "opel": [1.0, 2.0]}, "columns of different lengths"),
        ({"van": [1.0], "bus": [2.0], "opel": ["x"]}, r"outputs\['opel'\] must be numeric"),
        (pl.DataFrame({"van": [1, 2], "bus": [None, 0.5], "opel": [1, 2]}), r"'bus'\] has 1 missing"),
        (pl.LazyFrame({"van": [1.0]}), "lazy frame"),
    ],
)  # fmt: skip
def test_outputs_that_cannot_be_decided(
    made: rh.multiclass.MulticlassPolicy, rows: Any, message: str
) -> None:
    refuses(message, made.decide, rows, [1, 1, 1])


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ([1, 1], r"condition must have shape \(k, 3\)"),
        ([0, 0, 0], "condition: vector 0 is all zero"),
        ([1, -1, 0], "condition has 1 value that is negative"),
        ([[1, 1, 1], [1, 2, 3]], "condition must be one weight vector, but there are 2"),
        ("cheapest", "'max_error'"),
        (rh.multiclass.Error("bus") <= 0.1, r"condition is the limit Error\('bus'\) <= 0.1, .* give a point"),
        (rh.multiclass.Error("tram"), "there is no class 'tram'"),
    ],
)
def test_conditions_that_are_none(made: rh.multiclass.MulticlassPolicy, condition: Any, message: str) -> None:
    for use in (lambda: made.decide(outputs(4), condition), lambda: made.to_sql(condition, "duckdb")):
        refuses(message, use)


def test_a_point_of_other_classes(made: rh.multiclass.MulticlassPolicy) -> None:
    with pytest.raises(ValueError, match="condition: the point is of the classes"):
        made.decide(outputs(4), policy(("x", "y", "z")).points[0])


def test_keys_and_columns_that_are_wrong(made: rh.multiclass.MulticlassPolicy) -> None:
    point = mixture(made, [0.5, 0.5])
    refuses("key has 1 missing value", made.decide, outputs(2), point, key=["a", None])
    refuses("columns: 'tram' is not a class of the policy", made.decide, {}, point, columns={"tram": "t"})
    refuses("columns: outputs is an array", made.decide, outputs(2), point, columns={"van": "t"})
    refuses("the classes 1 and '1' have the same column '1'", policy((1, "1")).decide, {"1": [1.0]}, [1, 1])


def test_what_a_policy_cannot_hold(made: rh.multiclass.MulticlassPolicy) -> None:
    with pytest.raises(ValueError, match="salt must be a string, but is 5"):
        rh.multiclass.MulticlassPolicy.from_points(made.points, salt=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"about\['n'\] must be a string, but is 5"):
        rh.multiclass.MulticlassPolicy.from_points(made.points, about={"n": 5})  # type: ignore[dict-item]
    refuses("points is empty", rh.multiclass.MulticlassPolicy.from_points, made.points[:0])
    for label in (None, math.nan, 2**64, ("a", "b")):
        labels = ("a", "b", label)
        points = type(made.points)(made.points.weights, made.points.confusion, labels)
        with pytest.raises(ValueError, match="classes: a document holds texts, truth values and"):
            rh.multiclass.MulticlassPolicy.from_points(points)


# --- the file ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_loaded_policy_is_the_same_bit_for_bit(kind: str, weighted: bool, tmp_path: Path) -> None:
    labels = LABELS[kind]
    size, rng = len(labels), np.random.default_rng(0)
    y = [labels[i % size] for i in range(20 * size)]
    mass = rng.gamma(1, size=len(y)) if weighted else None
    roc = rh.MulticlassRoc(y, outputs(len(y), 1, size), mass, classes=labels)
    points = roc.points_at(rng.random((7, size)) ** 9)
    made = rh.multiclass.MulticlassPolicy.from_points(points, salt="«ß»", about={"made by": "a test, «Ü»"})
    made.save(tmp_path / "policy.json")
    loaded = rh.multiclass.MulticlassPolicy.load(tmp_path / "policy.json")
    assert loaded.to_json() == made.to_json() == (tmp_path / "policy.json").read_text(encoding="utf-8")
    assert (loaded.salt, dict(loaded.about)) == ("«ß»", {"made by": "a test, «Ü»"})
    assert (loaded.classes, [*map(type, loaded.classes)]) == (labels, [*map(type, labels)])
    np.testing.assert_array_equal(loaded.points.weights, points.weights)
    np.testing.assert_array_equal(loaded.points.confusion, points.confusion)
    assert loaded.points.confusion.dtype == points.confusion.dtype
    rows = outputs(300, 2, size)
    assert loaded.decide(rows, "max_error").tolist() == made.decide(rows, "max_error").tolist()


def test_numpy_labels_are_plain_in_the_document(made: rh.multiclass.MulticlassPolicy) -> None:
    labels = tuple(np.array([5, 6, 7]))
    points = type(made.points)(made.points.weights, made.points.confusion, labels)
    again = rh.multiclass.MulticlassPolicy.from_json(
        rh.multiclass.MulticlassPolicy.from_points(points).to_json()
    )
    assert again.classes == (5, 6, 7)


def test_save_is_all_or_nothing(made: rh.multiclass.MulticlassPolicy, tmp_path: Path) -> None:
    path = tmp_path / "policy.json"
    path.write_text("before")
    broken = rh.multiclass.MulticlassPolicy(made.points, salt="\ud800")  # cannot be written as UTF-8
    with pytest.raises(UnicodeEncodeError):
        broken.save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["policy.json"]
    assert path.read_text() == "before"
    made.save(str(path))
    assert rh.multiclass.MulticlassPolicy.load(str(path)).to_json() == made.to_json()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        rh.multiclass.MulticlassPolicy.load(tmp_path / "absent.json")
    (tmp_path / "x.json").write_bytes(b"\xff")
    with pytest.raises(rh.PolicyError, match=r"x\.json: the multi-class policy is not valid"):
        rh.multiclass.MulticlassPolicy.load(tmp_path / "x.json")


def test_each_kind_of_document_is_named_where_another_is_read(made: rh.multiclass.MulticlassPolicy) -> None:
    two = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    with pytest.raises(rh.PolicyError, match=r"not a policy document .*, but 'rochull-multiclass-policy'"):
        rh.Policy.from_json(made.to_json())
    with pytest.raises(rh.PolicyError, match=r"not a multi-class policy document .*, but 'rochull-policy'"):
        rh.multiclass.MulticlassPolicy.from_json(two.to_json())


def test_repr(made: rh.multiclass.MulticlassPolicy) -> None:
    assert repr(made) == "MulticlassPolicy(5 operating points of the classes 'van', 'bus', 'opel')"
    assert repr(policy(LABELS["hostile"])).endswith(", ...)")


def test_a_condition_and_columns_in_other_forms():
    mc = rh.MulticlassRoc(["a", "b", "c"], [[6, 3, 1], [2, 5, 3], [2, 3, 5]])
    policy = rh.multiclass.MulticlassPolicy.from_points(mc.points_at([[1, 1, 1], [1, 3, 1]]))
    outputs = [[6, 3, 1], [2, 5, 3], [4, 3, 2]]
    wanted = policy.decide(outputs, [1, 3, 2])
    assert policy.decide(outputs, {"c": 2, "a": 1, "b": 3}).tolist() == wanted.tolist()
    named = {"p0": [6, 2, 4], "p1": [3, 5, 3], "p2": [1, 3, 2]}
    assert policy.decide(named, [1, 3, 2], columns=["p0", "p1", "p2"]).tolist() == wanted.tolist()
    by_label = policy.to_sql([1, 3, 2], "duckdb", columns={"a": "p0", "b": "p1", "c": "p2"})
    assert policy.to_sql([1, 3, 2], "duckdb", columns=["p0", "p1", "p2"]) == by_label
    for columns in (["p0", "p1"], "abc"):
        refuses("one for each of the 3 classes", policy.to_sql, [1, 3, 2], "duckdb", columns=columns)
