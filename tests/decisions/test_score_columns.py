"""Score columns from whatever holds them."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rochull as rh
from refusals import refuses
from rochull.conditions.rules import Scores
from rochull.decisions.score_columns import missing_in

CONDITIONS = [rh.ExpectedCost(2, 5, 0.3), rh.Accuracy(0.9), rh.NeymanPearson(0.17), rh.MinimumRecall(0.55)]
CONDITIONS += [rh.MinimumPrecision(0.4, 0.4), rh.Capacity(fraction=0.6, prevalence=0.4)]


@pytest.fixture
def policy() -> rh.Policy:
    return rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))


@pytest.fixture(scope="module")
def union() -> rh.Policy:
    """A policy of two classifiers, which meet on an edge."""
    y = [1, 1, 0, 0]
    hulls = {"a": rh.roc_hull(y, [0.4, 0.1, 0.3, 0.2]), "b": rh.roc_hull(y, [0.3, 0.2, 0.4, 0.1])}
    return rh.Policy.from_hull(rh.union(hulls))


def passes(value: Any, threshold: Any) -> bool:
    return bool(value >= threshold)


MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "dict": dict,
    "dict of lists": lambda d: {k: v.tolist() for k, v in d.items()},
    "dict of series": lambda d: {k: pd.Series(v, index=range(5, 5 + len(v))) for k, v in d.items()},
    "dict of polars": lambda d: {k: pl.Series(v) for k, v in d.items()},
    "pandas": pd.DataFrame,
    "pandas with an index": lambda d: pd.DataFrame(d).set_index(np.arange(len(next(iter(d.values()))))[::-1]),
    "pandas nullable": lambda d: pd.DataFrame(d).convert_dtypes(),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_tables(maker: str, dtype: type, union: rh.Policy) -> None:
    policy = union
    assert union.at(CONDITIONS[2]).classifiers == ("a", "b")
    rng = np.random.default_rng(0)
    data = {name: np.round(rng.normal(size=50), 1).astype(dtype) for name in policy.classifiers}
    data["other"] = np.array(["text"] * 50, object)
    table = MAKERS[maker](data)
    for condition in CONDITIONS:
        point = policy.at(condition)
        decided = policy.decide(table, condition, random_state=1)
        every = [
            [passes(v, rule.threshold) for v in data[rule.classifier]]
            if rule.kind == "threshold"
            else [rule.kind == "always"] * 50
            for rule, _ in point.rules
        ]  # type: ignore[index]
        sure = np.array(every).all(axis=0), ~np.array(every).any(axis=0)
        assert decided[sure[0]].all()
        assert not decided[sure[1]].any()
        if len(every) == 1:
            assert decided.tolist() == every[0]


ROWS = [0.95, None, 0.05, float("nan")]
WITH_MISSING: dict[str, Any] = {
    "list": ROWS,
    "object array": np.array(ROWS, object),
    "float array": np.array([0.95, np.nan, 0.05, np.nan]),
    "float32 array": np.array([0.95, np.nan, 0.05, np.nan], np.float32),
    "dict": {"score": ROWS},
    "series": pd.Series([0.95, None, 0.05, np.nan]),
    "pandas": pd.DataFrame({"score": ROWS}),
    "pandas objects": pd.DataFrame({"score": np.array([0.95, None, 0.05, pd.NA], object)}),
    "pandas nullable": pd.DataFrame({"score": pd.array([0.95, None, 0.05, None], "Float64")}),
    "polars": pl.DataFrame({"score": pl.Series(ROWS, dtype=pl.Float64, strict=False)}),
    "pyarrow": pa.table({"score": pa.array([0.95, None, 0.05, None])}),
}


@pytest.mark.parametrize("kind", WITH_MISSING)
def test_missing_scores_pass_no_threshold_and_are_counted(kind: str, policy: rh.Policy) -> None:
    with pytest.warns(UserWarning, match=r"scores\['score'\] has 2 missing values, which pass no") as caught:
        decided = policy.decide(WITH_MISSING[kind], rh.Accuracy(0.9))
    assert decided.tolist() == [True, False, False, False]
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([2**60, None, 2**60 + 1, 2**60 + 2], dtype=pl.Int64),
        pd.Series([2**60, None, 2**60 + 1, 2**60 + 2], dtype="Int64"),
        np.array([2**60, None, 2**60 + 1, 2**60 + 2], object),
        pa.chunked_array([[2**60, None, 2**60 + 1, 2**60 + 2]]),
    ],
    ids=["polars", "pandas", "object", "pyarrow"],
)
def test_integers_beside_missing_ones_stay_exact(column: Any) -> None:
    hull = rh.roc_hull([0, 0, 1, 1], np.array([0, 0, 1, 2]) + 2**60)
    with pytest.warns(UserWarning, match="1 missing"):
        decided = rh.Policy.from_hull(hull).decide({"score": column}, rh.MinimumRecall(1))
    assert decided.tolist() == [False, False, True, True]


class Recording(Mapping[str, Any]):
    """A mapping that records which columns are read."""

    def __init__(self, columns: dict[str, Any]) -> None:
        self.columns, self.read = columns, set[str]()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def test_only_the_needed_columns_are_read(union: rh.Policy) -> None:
    policy = union
    for condition in CONDITIONS:
        columns = Recording({name: [0.5, 0.6] for name in (*policy.classifiers, "text", "z")})
        policy.decide(columns, condition, key=[1, 2])
        assert columns.read == set(policy.at(condition).classifiers)
        needed = {name: [0.5, 0.6] for name in policy.at(condition).classifiers}
        assert policy.decide({**needed, "text": ["a", "b"]}, condition, key=[1, 2]).size == 2


def test_columns_that_cannot_be_used(policy: rh.Policy, union: rh.Policy) -> None:
    condition = next(c for c in CONDITIONS if len(union.at(c).classifiers) == 2)
    first, second = union.at(condition).classifiers
    for name in ("dict", "pandas", "polars", "pyarrow"):
        table = MAKERS[name]({first: np.zeros(3)})
        with pytest.raises(ValueError, match=rf"scores has no column '{second}', which .* it has '{first}'"):
            union.decide(table, condition)
    with pytest.raises(ValueError, match=rf"a column for each of '{first}', '{second}'; a single array"):
        union.decide([0.1, 0.2], condition)
    with pytest.raises(ValueError, match=r"columns of different lengths: \[2, 3\]"):
        union.decide({first: [1.0, 2.0], second: [1.0, 2.0, 3.0]}, condition)
    refuses(r"scores\['score'\] must be numeric", policy.decide, {"score": ["a", "b"]}, rh.Accuracy(0.9))
    with pytest.raises(ValueError, match="scores has 3 columns without names; give a frame or a mapping"):
        policy.decide(np.zeros((2, 3)), rh.Accuracy(0.9))
    refuses(
        r"one number for each case, such as predict_proba\(X\)\[:, 1\]\.$",
        policy.decide,
        {"score": np.zeros((2, 2))},
        rh.Accuracy(0.9),
    )
    refuses("scores must have shape", policy.decide, np.zeros((2, 3, 1)), rh.Accuracy(0.9))
    with pytest.raises(ValueError, match="scores is a lazy frame, which holds no numbers yet; collect it"):
        policy.decide(pl.LazyFrame({"score": [0.5]}), rh.Accuracy(0.9))
    with pytest.raises(
        TypeError, match=r"condition must be .* condition, but is 0\.3; give one such as rh\.Exp"
    ):
        policy.decide([0.5], 0.3)  # type: ignore[arg-type]
    for one in (0.5, np.float64(0.5), np.array(0.5)):
        with pytest.raises(
            ValueError, match=r"^scores\['score'\] is the single number 0\.5; give an array, \[0\.5\]\."
        ):
            policy.decide({"score": one}, rh.Accuracy(0.9))


@pytest.mark.parametrize("series", [pd.Series, pl.Series], ids=["pandas", "polars"])
def test_a_column_of_another_classifier_is_refused(series: Any, union: rh.Policy, policy: rh.Policy) -> None:
    costs = (rh.ExpectedCost(cost_fn=2.0**k, prevalence=0.5) for k in range(-9, 9))
    condition = next(c for c in costs if union.at(c).classifiers == ("a",))
    values = np.array([0.1, 5.0])
    expected = union.decide(values, condition, random_state=0).tolist()
    for name in ("a", ""):
        column = series(name=name, data=values) if series is pd.Series else series(name, values)
        assert union.decide(column, condition, random_state=0).tolist() == expected
    for name in ("b", "another"):
        column = series(name=name, data=values) if series is pd.Series else series(name, values)
        with pytest.raises(
            ValueError, match=f"scores is the column '{name}', but the operating point needs 'a'"
        ):
            union.decide(column, condition, random_state=0)
        policy.decide(column, condition, random_state=0)  # it has one classifier only


@pytest.mark.parametrize("maker", [m for m in MAKERS if m not in ("pandas with an index",)])
def test_tables_without_rows(maker: str, policy: rh.Policy) -> None:
    table = MAKERS[maker]({"score": np.empty(0), "a": np.empty(0)})
    for condition in CONDITIONS:
        for extra in ({}, {"key": []}, {"random_state": 1}):
            decided = policy.decide(table, condition, **extra)  # type: ignore[arg-type]
            assert (decided.shape, decided.dtype) == ((0,), bool)
    assert policy.decide([], rh.Accuracy(0.9)).shape == (0,)


def test_constant_rules_need_no_column() -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 0], [1, 1, 1]))
    for table in ({"x": ["a", "b"]}, pd.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [1, 2]}), [0.1, 0.2]):
        assert policy.decide(table, rh.Accuracy(0.9)).tolist() == [True, True]
        assert policy.decide(table, rh.Accuracy(0.1)).tolist() == [False, False]
    assert policy.decide({}, rh.Accuracy(0.9)).tolist() == []


# --- decimals -----------------------------------------------------------------------------------

CENTS = [*("0.1", "0.7", "0.69", "0.70", "0.9", "-3.25", "123456789.12345", "0.3"), None]
DECIMALS: dict[str, Callable[[list[Decimal | None]], Any]] = {
    "pyarrow": lambda v: pa.table({"score": pa.array(v, pa.decimal128(30, 5))}),
    "pyarrow, 256 bits": lambda v: pa.table({"score": pa.array(v, pa.decimal256(60, 8))}),
    "polars": lambda v: pl.DataFrame({"score": pl.Series(v, dtype=pl.Decimal(30, 5))}),
    "pandas objects": lambda v: pd.DataFrame({"score": v}),
    "pandas, of pyarrow": lambda v: pd.DataFrame(
        {"score": pd.Series(v, dtype=pd.ArrowDtype(pa.decimal128(30, 5)))}
    ),
    "list": lambda v: {"score": v},
    "array": lambda v: np.array(v, object),
}


@pytest.mark.filterwarnings("ignore:scores:UserWarning")
@pytest.mark.parametrize("kind", DECIMALS)
def test_decimals_are_compared_as_a_database_does(kind: str, policy: rh.Policy) -> None:
    numbers = [None if text is None else Decimal(text) for text in CENTS]
    table = DECIMALS[kind](numbers)
    values = ", ".join(f"({text or 'NULL'})" for text in CENTS)
    for threshold in (0.1, 0.7, 0.3, -3.25, 123456789.12345, math.nextafter(0.7, 1), 0.6999999, 1, -3):
        point = rh.conditions.OperatingPoint(
            0, 0, ((rh.conditions.Rule("threshold", "score", threshold), 1.0),)
        )
        text = policy.to_sql(point, "duckdb")
        with duckdb.connect() as opened:
            cast = f"SELECT CAST(c AS DECIMAL(18, 5)) AS score FROM (VALUES {values}) AS t(c)"
            query = f"SELECT {text} FROM ({cast})"
            expected = [row[0] for row in opened.execute(query).fetchall()]
        assert policy.decide(table, point).tolist() == expected
        assert expected == [v is not None and float(v) >= threshold for v in numbers]


@pytest.mark.parametrize("kind", DECIMALS)
def test_whole_decimals_are_integers(kind: str, policy: rh.Policy) -> None:
    """As PostgreSQL's NUMERIC(20, 0) holds unsigned integers."""
    numbers = [2**60 + step for step in (-1, 0, 1, 2)]
    point = rh.conditions.OperatingPoint(0, 0, ((rh.conditions.Rule("threshold", "score", 2**60 + 1), 1.0),))
    assert policy.decide(DECIMALS[kind](list(map(Decimal, numbers))), point).tolist() == [
        False,
        False,
        True,
        True,
    ]


def test_decimals_of_any_size(policy: rh.Policy) -> None:
    def decided(*texts: str, threshold: float) -> list[bool]:
        point = rh.conditions.OperatingPoint(
            0, 0, ((rh.conditions.Rule("threshold", "score", threshold), 1.0),)
        )
        return policy.decide([Decimal(text) for text in texts], point).tolist()

    assert decided("1e30", "-1e30", threshold=0) == [True, False]
    assert decided("Infinity", "-Infinity", "2", threshold=3) == [True, False, False]
    assert decided(str(2**64 - 1), "0", threshold=2**64 - 1) == [True, False]
    assert decided(str(2**64 - 1), "-1", threshold=0) == [True, False]
    with pytest.warns(UserWarning, match="1 missing"):
        assert decided("NaN", "2.5", threshold=-1) == [False, True]
    mixed = np.array([Decimal("0.75"), 1, 0.25], object)
    assert policy.decide(mixed, rh.Accuracy(0.5)).tolist() == [
        v >= policy.at(rh.Accuracy(0.5)).rules[0][0].threshold for v in mixed
    ]
    assert isinstance(mixed[0], Decimal)  # the caller's own array is as it was


# --- scores that float32 has rounded past a threshold ------------------------------------------------

TENTHS = np.arange(1, 10) / 10
RNG = np.random.default_rng(17)
SCORES = RNG.choice(TENTHS, 400)
GROUP = RNG.choice(["a", "b"], 400)
Y = (RNG.random(400) < SCORES).astype(int)
HULLS = {each: rh.roc_hull(Y[own], SCORES[own]) for each in ("a", "b") for own in [each == GROUP]}
COSTS = [rh.ExpectedCost(cost, 1, 0.5) for cost in (0.1, 0.3, 1, 2, 5)]
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "policy": lambda scores, condition: rh.Policy.from_hull(rh.roc_hull(Y, SCORES)).decide(
        scores, condition, key=range(400)
    ),
    "segments": lambda scores, condition: rh.segments.SegmentPolicy.from_hulls(HULLS, column="g").decide(
        scores, condition, aux={"g": GROUP}, key=range(400)
    ),
    "groups": lambda scores, condition: rh.constrain_groups(HULLS, condition, "none").decide(
        scores, group=GROUP, key=range(400)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_case_that_is_decided_otherwise_is_counted(kind: str) -> None:
    decide, rounded, seen = KINDS[kind], SCORES.astype(np.float32), 0
    for condition in COSTS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = decide(rounded, condition)
        otherwise = int(np.count_nonzero(found != decide(SCORES, condition)))  # no warning: an error here
        told = [str(each.message) for each in caught]
        if otherwise:
            assert len(told) == 1
            assert told[0].startswith(f"scores: {otherwise} of 400 cases have a threshold of the policy")
            assert caught[0].filename == __file__
        assert bool(told) == bool(otherwise)
        seen += bool(otherwise)
    assert 0 < seen < len(COSTS)


def test_scores_that_were_narrow_from_the_beginning_are_no_news() -> None:
    narrow = SCORES.astype(np.float32)
    policy = rh.Policy.from_hull(rh.roc_hull(Y, narrow))
    for condition in COSTS:
        found = policy.decide(narrow, condition)
        assert found.tolist() == KINDS["policy"](SCORES, condition).tolist()


def test_scores_that_were_written_as_text() -> None:
    """0.3 as float32 is above 0.3, which is what a text file has."""
    narrow, counts = SCORES.astype(np.float32), 0
    policy = rh.Policy.from_hull(rh.roc_hull(Y, narrow))
    as_read = np.array([str(score) for score in narrow]).astype(float)
    for condition in COSTS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = policy.decide(as_read, condition, key=range(400))
        otherwise = int(np.count_nonzero(found != policy.decide(narrow, condition, key=range(400))))
        assert [str(each.message).split(" have ")[0] for each in caught] == (
            [f"scores: {otherwise} of 400 cases"] if otherwise else []
        )
        counts += bool(otherwise)
    assert counts
    assert policy.decide(narrow.astype(float), COSTS[0]).tolist() == policy.decide(narrow, COSTS[0]).tolist()


def test_low_scores_and_reviews() -> None:
    hull = rh.roc_hull(Y, 1 - SCORES, lower_is_positive=True)
    policy, rounded = rh.Policy.from_hull(hull), (1 - SCORES).astype(np.float32)
    review, told = rh.Review(1, 1, 0.2, 0.5), 0
    for condition in (*COSTS, review):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = policy.decide(rounded, condition, key=range(400))
        same = (found == policy.decide(1 - SCORES, condition, key=range(400))).all()
        assert bool(caught) != same
        told += bool(caught)
    assert told


# --- names of columns that the policy does not know ------------------------------------------------------


def test_a_classifier_off_the_hull_may_be_named() -> None:
    hybrid = rh.Hybrid().add("good", Y, SCORES).add("bad", Y, np.zeros(400))
    policy, limit = hybrid.policy(), rh.NeymanPearson(0.2)
    assert policy.classifiers == ("good",)
    table, places = {"x": SCORES, "y": np.zeros(400)}, {"good": "x", "bad": "y"}
    decided = policy.decide(table, limit, columns=places, key=range(400))
    assert decided.tolist() == policy.decide({"good": SCORES}, limit, key=range(400)).tolist()
    text = policy.to_sql(limit, "duckdb", columns=places, key="id")
    assert text == policy.to_sql(limit, "duckdb", columns={"good": "x"}, key="id")
    by_segment = rh.segments.SegmentPolicy.from_hulls(HULLS, column="g", elsewhere=HULLS["a"])
    whole = {"score": "x", "g": "y", "bad": "z"}
    segmented = by_segment.to_sql(limit, "duckdb", columns=whole, key="id")
    assert segmented == by_segment.to_sql(limit, "duckdb", columns={"score": "x", "g": "y"}, key="id")
    found = by_segment.decide({"x": SCORES, "y": GROUP}, limit, columns=whole, key=range(400))
    assert found.tolist() == by_segment.decide({"score": SCORES, "g": GROUP}, limit, key=range(400)).tolist()
    for wrong in ({"bad": "y"}, {"goood": "x"}):  # here the one that is needed may be meant
        refuses("is not a classifier of the policy", policy.decide, table, limit, columns=wrong)
        refuses("is not a classifier of the policy", policy.to_sql, limit, "duckdb", columns=wrong, key="id")
    some = {"score": "x", "bad": "z"}
    refuses("'bad' is not a classifier or an aux", by_segment.to_sql, limit, "duckdb", columns=some, key="id")


@pytest.mark.parametrize("size", [1, 8, 9, 30])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_missing_scores_are_counted_among_few_as_among_many(size: int, dtype: str) -> None:
    values = np.arange(size).astype(dtype)
    assert missing_in(Scores(values)) == 0
    assert missing_in(Scores(values, np.ones(size, bool))) == size
    if dtype != "i4":
        values[::3] = np.nan
        assert missing_in(Scores(values)) == len(values[::3])
