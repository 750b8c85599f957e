"""Bins of auxiliary columns."""

import json
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import tries
from refusals import refuses
from rochull.decisions.axes import Axis, aux_columns
from rochull.segments.bins import fit_bins, merged_cells
from rochull.segments.segment_schema import bins_dict, read_bins


def alternating(n: int) -> Any:
    return (np.arange(n) % 2).astype(np.uint8)


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "arrow", "array", "lists"])
def test_columns_come_from_any_table(kind: str) -> None:
    table: dict[str, Any] = {"size": [1.0, 2.0, float("nan")], "channel": ["web", None, "shop"]}
    aux = {
        "dict": table,
        "pandas": pd.DataFrame(table),
        "polars": pl.DataFrame(table),
        "arrow": pa.table(table),
        "array": np.array([[1.0, 10], [2.0, 20], [np.nan, 30]]),
        "lists": [[1.0, 10], [2.0, 20], [float("nan"), 30]],
    }[kind]
    columns = aux_columns(aux, 3)
    first, second = columns.values()
    assert np.array_equal(first, [1, 2, np.nan], equal_nan=True)
    if kind in ("array", "lists"):
        assert list(columns) == [0, 1]
        assert second.tolist() == [10, 20, 30]
    else:
        assert list(columns) == ["size", "channel"]
        assert second.tolist() == ["web", None, "shop"]


def test_a_series_keeps_its_name_and_nothing_is_modified() -> None:
    series = pd.Series([3, 1, 2], name="size")
    assert list(aux_columns(series)) == ["size"]
    given = np.array([3.0, np.nan])
    fit_bins({"a": given}, "auto", np.array([0, 1], np.uint8), min_bin=1)
    assert np.isnan(given[1])


@pytest.mark.parametrize(
    ("aux", "message"),
    [
        ({}, "no columns"),
        (np.zeros((2, 2, 2)), "shape"),
        ({"a": [1, 2, 3]}, "'a' has 3 rows, but y_score has 2"),
        ({"a": [[1], [2]]}, "'a' must have shape"),
        ({"a": [{}, {}]}, "must hold numbers or strings, but holds dict"),
    ],
)
def test_bad_tables(aux: Any, message: str) -> None:
    refuses(message, aux_columns, aux, 2)


def test_quantile_bins_and_their_labels() -> None:
    x = np.arange(100)
    bins = fit_bins({"x": x}, "quantile", alternating(100), n_bins=4, min_bin=1)
    assert bins.labels == ("x < 25", "25 <= x < 50", "50 <= x < 75", "x >= 75")
    assert np.bincount(bins.assign({"x": x})).tolist() == [25] * 4
    assert bins.assign({"x": [-1e9, 25, 1e9, np.inf, -np.inf]}).tolist() == [0, 1, 3, 3, 0]


def test_many_equal_values_make_fewer_bins() -> None:
    x = np.r_[np.zeros(90), np.arange(1, 11)]
    bins = fit_bins({"x": x}, "quantile", alternating(100), n_bins=10, min_bin=1)
    assert bins.labels == ("x < 1", "x >= 1")
    assert fit_bins({"x": np.zeros(100)}, "auto", alternating(100), min_bin=1).labels == ("all",)


def test_uniform_given_and_counted_bins() -> None:
    x = np.linspace(0, 10, 101)
    y = alternating(101)
    assert fit_bins({"x": x}, "uniform", y, n_bins=2, min_bin=1).labels == ("x < 5", "x >= 5")
    assert fit_bins({"x": x}, [2, 8], y, min_bin=1).labels == ("x < 2", "2 <= x < 8", "x >= 8")
    assert len(fit_bins({"x": x}, 7, y, min_bin=1)) == 7
    assert fit_bins({"x": x, "z": x}, {"x": [5]}, y, min_bin=1).columns == ("x",)


def test_missing_values_have_a_bin_if_they_were_seen() -> None:
    x = np.r_[np.arange(80.0), np.full(20, np.nan)]
    bins = fit_bins({"x": x}, [40], alternating(100), min_bin=5)
    assert bins.labels == ("x < 40", "x >= 40", "x is missing")
    assert bins.assign({"x": [1, None, 50]}).tolist() == [0, 2, 1]
    never = fit_bins({"x": x[:80]}, [40], alternating(80), min_bin=5)
    assert never.assign({"x": [1, np.nan]}).tolist() == [0, -1]


def test_categories_and_values_never_seen() -> None:
    c = np.array(["web", "shop", "phone"] * 40)
    bins = fit_bins({"c": c}, "auto", (np.arange(120) % 4 < 2).astype(np.uint8), min_bin=5)
    assert bins.labels == ("c = phone", "c = shop", "c = web")
    assert bins.assign({"c": ["web", "fax", None, "phone"]}).tolist() == [2, -1, -1, 0]
    numbers = fit_bins(
        {"c": np.arange(120) % 3}, "category", (np.arange(120) % 4 < 2).astype(np.uint8), min_bin=5
    )
    assert numbers.assign({"c": [2, 7, 0]}).tolist() == [2, -1, 0]
    truth = fit_bins(
        {"c": np.arange(120) % 3 == 0}, "auto", (np.arange(120) % 4 < 2).astype(np.uint8), min_bin=5
    )
    assert truth.labels == ("c = False", "c = True")


def test_small_bins_are_merged_with_the_smaller_neighbour() -> None:
    #   bin:        0       1      2       3
    x = np.repeat([0, 1, 2, 3], [50, 4, 30, 60])
    bins = fit_bins({"x": x}, [1, 2, 3], alternating(144), min_bin=10)
    assert bins.labels == ("x < 1", "1 <= x < 3", "x >= 3")
    one_class = np.r_[alternating(50), np.ones(94)].astype(np.uint8)
    assert fit_bins({"x": x}, [1, 2, 3], one_class, min_bin=10).labels == ("all",)


def test_small_categories_are_together_and_take_the_smallest_others() -> None:
    c = np.repeat(["a", "b", "c", "d", "e"], [100, 60, 40, 6, 6])
    y = alternating(212)
    assert fit_bins({"c": c}, "auto", y, min_bin=6).labels == ("c = a", "c = b", "c = c", "c in {d, e}")
    assert fit_bins({"c": c}, "auto", y, min_bin=10).labels == ("c = a", "c = b", "c in {c, d, e}")


@given(st.integers(0, 1000), st.integers(1, 30), st.sampled_from(["quantile", "uniform", "category", "tree"]))
def test_every_bin_holds_enough_of_both_classes(seed: int, min_bin: int, spec: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 300))
    y = (rng.random(n) < rng.uniform(0.2, 0.8)).astype(np.uint8)
    aux = (
        {"a": rng.integers(0, 12, n), "b": rng.integers(0, 3, n)}
        if seed % 2
        else {"a": rng.integers(0, 12, n)}
    )
    bins = fit_bins(aux, spec, y, n_bins=6, min_bin=min_bin, score=rng.normal(size=n))
    found = bins.assign(aux)
    assert found.min() == 0
    assert found.max() == len(bins) - 1
    least = min(min(np.sum(y[found == k] == c) for c in (0, 1)) for k in range(len(bins)))
    assert least >= min_bin or len(bins) == 1
    again = read_bins(json.loads(json.dumps(bins_dict(bins))))
    assert np.array_equal(again.assign(aux), found)
    assert again.labels == bins.labels


def test_several_columns_make_a_product() -> None:
    n = 400
    aux = {"x": np.arange(n), "c": np.where(np.arange(n) // 2 % 2, "u", "v")}
    bins = fit_bins(aux, {"x": [200], "c": "category"}, alternating(n), min_bin=5)
    assert set(bins.labels) == {f"{x} and c = {c}" for x in ("x < 200", "x >= 200") for c in "uv"}
    assert bins.assign({"x": [1], "c": ["w"]}).tolist() == [-1]


def test_a_tree_finds_the_column_that_matters() -> None:
    rng = np.random.default_rng(0)
    n = 4000
    aux = {"noise": rng.normal(size=n), "size": rng.uniform(0, 10, n), "kind": rng.choice(["p", "q", "r"], n)}
    y = rng.integers(0, 2, n).astype(np.uint8)
    score = rng.normal(y * np.where((aux["size"] > 6) & (aux["kind"] == "q"), 4.0, 0.3))
    bins = fit_bins(aux, "tree", y, n_bins=3, min_bin=20, score=score)
    assert set(bins.columns) == {"size", "kind"}
    assert len(bins) == 3
    easy = bins.assign({"noise": [0.0], "size": [8.0], "kind": ["q"]})
    for other in ({"size": [5.0], "kind": ["q"]}, {"size": [8.0], "kind": ["p"]}):
        assert bins.assign({"noise": [0.0], **other}) != easy
    assert bins.assign({"noise": [0.0], "size": [8.0], "kind": ["z"]}).tolist() == [-1]


@pytest.mark.parametrize(
    ("aux", "spec", "message"),
    [
        ({"a": ["x", "y"]}, "quantile", "holds no numbers, so bins='quantile'"),
        ({"a": ["x", "y"]}, [1.0], "holds no numbers, so it cannot be cut"),
        ({"a": [1, 2]}, [2, 1], "must be finite, ascending edges"),
        ({"a": [1, 2]}, "octile", "bins of column 'a' must be one of"),
        ({"a": [1, 2]}, {"b": 3}, "aux has no column 'b'"),
        ({"a": [1, 2], "b": [1, 2]}, [1.5], "edges of one column, but aux has 2"),
        ({"a": [1, 2]}, 0, "bins of column 'a'"),
        ({"a": [1, 2]}, True, "bins of column 'a' must not be True"),
        ({"a": [1, 2]}, ["a", "b"], "bins of column 'a' must be numbers"),
    ],
)
def test_bad_bins(aux: Any, spec: Any, message: str) -> None:
    refuses(message, fit_bins, aux, spec, np.array([0, 1], np.uint8))


def test_a_column_that_is_missing_or_has_changed() -> None:
    bins = fit_bins({"x": np.arange(40)}, [20], alternating(40), min_bin=5)
    refuses("aux has no column 'x'; it has 'z'", bins.assign, {"z": [1]})
    refuses("'x' was numeric in training, but holds strings", bins.assign, {"x": ["small"]})


@pytest.mark.parametrize(
    "days",
    [
        np.arange("2026-01-01", "2026-02-10", dtype="datetime64[D]"),
        [date(2026, 1, 1)] * 40,
        [timedelta(1)] * 40,
    ],
    ids=["numpy", "dates", "times"],
)
def test_dates_are_refused_by_name(days: Any) -> None:
    with pytest.raises(ValueError, match="aux column 'day' holds dates or times; turn them into numbers"):
        fit_bins({"day": days}, "auto", alternating(40))


def test_lists_keep_their_types() -> None:
    columns = aux_columns(
        {"a": ["x", float("nan"), "y"], "b": [1, "b", True], "c": [1, 2, 3], "d": [True, False, True]}
    )
    assert columns["a"].tolist() == ["x", None, "y"]
    assert columns["b"].tolist() == [1, "b", True]
    assert columns["c"].dtype.kind == "i"
    assert columns["d"].dtype.kind == "b"
    rows = aux_columns([[0.3, "a"], [0.7, "b"]])
    assert rows[0].dtype.kind == "f"
    assert rows[1].tolist() == ["a", "b"]


def test_long_integers_are_categories_or_refused() -> None:
    ids = 2**60 + np.arange(40) // 2 % 2
    bins = fit_bins({"id": ids}, "category", alternating(40), min_bin=5)
    assert bins.assign({"id": ids}).tolist() == (np.arange(40) // 2 % 2).tolist()
    refuses("'id' holds integers beyond 2", fit_bins, {"id": ids}, "auto", alternating(40))


def test_labels_are_distinct() -> None:
    seconds = 1_700_000_000 + np.arange(100)
    bins = fit_bins({"t": seconds}, "quantile", alternating(100), n_bins=10, min_bin=1)
    assert len(set(bins.labels)) == len(bins) == 10
    mixed = np.array([1, "1"] * 50, object)
    both = fit_bins({"c": mixed}, "category", (np.arange(100) % 4 < 2).astype(np.uint8), min_bin=5)
    assert len(set(both.labels)) == 2


def test_a_column_without_values_is_one_bin() -> None:
    gone = {"a": [None] * 40, "x": np.arange(40)}
    bins = fit_bins(gone, "auto", alternating(40), n_bins=2, min_bin=5)
    assert bins.assign(gone).max() == 1
    assert fit_bins({"a": [None] * 40}, "auto", alternating(40), min_bin=5).labels == ("all",)
    assert fit_bins({"a": [None] * 40}, "category", alternating(40), min_bin=5).assign(
        {"a": ["x", None]}
    ).tolist() == [-1, 0]


def test_only_the_columns_of_the_bins_are_read() -> None:
    bins = fit_bins({"x": np.arange(40)}, "auto", alternating(40), n_bins=2, min_bin=5)
    table = {"x": [1, 39], "when": [object(), object()]}
    assert bins.assign(table).tolist() == [0, 1]
    assert bins.assign(pd.DataFrame(table)).tolist() == [0, 1]


def test_categories_of_another_type_are_refused() -> None:
    numbers = fit_bins({"c": np.arange(40) // 2 % 2}, "category", alternating(40), min_bin=5)
    refuses("'c' held numbers in training, but holds texts", numbers.assign, {"c": ["0", "1"]})
    texts = fit_bins(
        {"c": np.array(["a", "b"])[np.arange(40) // 2 % 2]}, "category", alternating(40), min_bin=5
    )
    refuses("'c' held texts in training, but holds numbers", texts.assign, {"c": [0, 1]})
    assert texts.assign({"c": [None, float("nan")]}).tolist() == [-1, -1]


def neighbours(pos: list[int], neg: list[int], min_bin: int, missing: bool) -> list[int]:
    """The bin of each cell: the smallest one that is short joins the smaller neighbour, again and again."""
    bins = [[i] for i in range(len(pos)) if pos[i] + neg[i] or not missing or i < len(pos) - 1]

    def size(own: list[int]) -> tuple[int, int]:
        return sum(pos[i] for i in own), sum(neg[i] for i in own)

    while len(bins) > 1:
        short = [(sum(size(own)), i) for i, own in enumerate(bins) if min(size(own)) < min_bin]
        if not short:
            break
        i = min(short)[1]
        j = min((k for k in (i - 1, i + 1) if 0 <= k < len(bins)), key=lambda k: sum(size(bins[k])))
        bins[min(i, j)] += bins.pop(max(i, j))
    return [next((k for k, own in enumerate(bins) if i in own), -1) for i in range(len(pos))]


@tries(200)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12), st.integers(1, 9),
    st.booleans(),
)  # fmt: skip
def test_neighbours_are_merged_in_order_of_size(
    cells: list[tuple[int, int]], min_bin: int, missing: bool
) -> None:
    pos, neg = (np.array(column) for column in zip(*cells, strict=True))
    edges = range(len(cells) - 1 - missing)
    axis, values = Axis("x", tuple(edges), missing=missing), [-1.0, *edges] + [np.nan] * missing
    found = merged_cells((axis,), pos, neg, min_bin).assign({"x": np.array(values)}).tolist()
    assert found == neighbours([*pos], [*neg], min_bin, missing)
