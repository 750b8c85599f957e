"""Score columns from whatever holds them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rochull as rh

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
    with pytest.raises(ValueError, match=r"scores\['score'\] must be numeric"):
        policy.decide({"score": ["a", "b"]}, rh.Accuracy(0.9))
    with pytest.raises(ValueError, match="scores must have shape"):
        policy.decide(np.zeros((2, 3)), rh.Accuracy(0.9))
    with pytest.raises(TypeError, match=r"condition must be an operating condition, but is 0\.3"):
        policy.decide([0.5], 0.3)  # type: ignore[arg-type]


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
