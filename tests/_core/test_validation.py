"""The door: what is refused, and how; what is accepted, as what; and that nothing given is modified."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rochull as rh
from refusals import refuses
from rochull._core import validation
from rochull._core.keys import keys_1d
from rochull._core.validation import labelled

Y, S = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
AUC = 0.75
MASK = [False, True, False, True]
LONG = np.dtype(np.longdouble)
WIDE_LONGDOUBLE = LONG.itemsize > 8  # elsewhere a longdouble is a float64


# --- refused -----------------------------------------------------------------------------------

BAD_SCORES = [
    ([], "y_score is empty"),
    ([np.nan, 1, np.nan, 2], "y_score has 2 NaN, the first at index 0"),
    (np.array([1, 2, np.nan, 3], np.float32), "y_score has 1 NaN, the first at index 2"),
    ([0.1, None, 0.2, 0.3], "y_score has missing values, the first at index 1"),
    (pd.Series([0.1, None, 0.3, 0.4], dtype="Float64"), "y_score has 1 NaN, the first at index 1"),
    (pd.Series([1, None, 3, 2**60 + 1], dtype="Int64"), "y_score has .*first at index 1"),
    (pl.Series([0.1, 0.2, None, 0.4]), "y_score has 1 NaN, the first at index 2"),
    (pa.array([0.1, 0.2, None, 0.4]), "y_score has 1 NaN, the first at index 2"),
    (np.ones((4, 2)), r"y_score must have shape \(n,\) or \(n, 1\).* predict_proba pass its column \[:, 1\]"),
    (np.ones((4, 3)), r"y_score must have shape \(n,\) or \(n, 1\), but has shape \(4, 3\)\.$"),
    (np.ones((4, 1, 1)), r"y_score must have shape .* has shape \(4, 1, 1\)"),
    (0.5, r"y_score must be an array of shape \(n,\), but is a float"),
    (None, "y_score must be an array .* but is a NoneType"),
    ([[1], [2], [3], [4, 5]], "y_score is not an array: "),
    (["a", "b", "c", "d"], "y_score must be numeric, but has type <U1"),
    (["0.1", "0.4", "0.35", "0.8"], "y_score must be numeric, but has type <U4"),
    ([b"a"] * 4, r"y_score must be numeric, but has type \|S1"),
    (np.array([1, 2, "x", 3], object), r"y_score must be numeric, but index 2 holds 'x' \(str\)"),
    (np.array(S) + 0j, "y_score must be numeric, but has type complex128"),
    (np.array(["2020"] * 4, "M8[Y]"), "y_score must be numeric, but has type datetime64"),
    (np.ma.array(S, mask=MASK), "y_score has 2 masked values; remove those rows first"),
    ([1, 2, 3, 2**64], "y_score has integers beyond 64 bits"),
    ([1, 2, 3, -(2**63) - 1], "y_score has integers beyond 64 bits"),
    ([-1, 2, 3, 2**64 - 1], "y_score has integers beyond 64 bits"),
    ([0.5, 1, 2, 2**53 + 1], "y_score: the value 9007199254740993 at index 3 does not fit float64 exactly"),
    ([0.5, 1, 2, 10**400], "y_score has integers beyond the range of float64"),
    ([0.1, 0.4, 0.35], "y_true and y_score must have the same length, but y_true has 4 and y_score has 3"),
]
BAD_SCORES += [
    ([0.1, "0.2", 0.3, 0.4], r"y_score must be numeric, but index 1 holds '0.2' \(str\)"),
    ({"a": S}, r"y_score must be an array of shape \(n,\), but is a dict"),
    (map(float, S), r"y_score must be an array of shape \(n,\), but is a map"),
    (pl.DataFrame({"s": S}).lazy(), "y_score must be an array .* but is a LazyFrame; collect it first"),
]
if WIDE_LONGDOUBLE:
    MESSAGE = f"y_score has type {LONG}, and its values do not fit float64 exactly"
    BAD_SCORES += [(np.ones(4, LONG) / 3, MESSAGE), (np.array([1, 2, 3, LONG.type("1e4000")]), MESSAGE)]


@pytest.mark.parametrize(("scores", "message"), BAD_SCORES)
def test_bad_scores(scores: Any, message: str) -> None:
    for work in (rh.hull.tally, rh.roc_curve, rh.roc_hull, rh.roc_auc):
        with pytest.raises(ValueError, match=message):
            work(Y, scores)


BAD_LABELS = [
    ([], None, "y_true is empty"),
    ([1, 1, 1, 1], None, "y_true has one class only: all 4 labels are positive"),
    ([0, 0, 0, 0], None, "y_true has one class only: all 4 labels are negative"),
    ([-1, -1, -1, -1], None, "y_true has one class only: all 4 labels are negative"),
    ([True] * 4, None, "y_true has one class only: all 4 labels are positive"),
    (["a"] * 4, "a", "y_true has one class only: all 4 labels are positive"),
    ([0, 1, 2, 1], None, "y_true must have two classes, but has 3: 0, 1, 2"),
    ([0, 1, 2, 1], 1, "y_true must have two classes, but has 3: 0, 1, 2"),
    ([1, 2, 1, 2], None, "y_true takes the values 1, 2; give pos_label"),
    ([0.5, 1, 0.5, 1], None, r"y_true takes the values 0.5, 1.0; give pos_label"),
    (["a", "b", "a", "b"], None, "y_true takes the values 'a', 'b'; give pos_label"),
    (["0", "1", "0", "1"], None, "y_true takes the values '0', '1'; give pos_label"),
    (["a", "b", "a", "b"], "c", "pos_label='c' does not occur in y_true, which holds 'a', 'b'"),
    (["a", "b", "a", "b"], 1, "pos_label=1 does not occur in y_true, which holds 'a', 'b'"),
    ([0, 1, 0, 1], 5, "pos_label=5 does not occur in y_true, which holds 0, 1"),
    ([0, 1, 0, 1], "1", "pos_label='1' does not occur in y_true, which holds 0, 1"),
    ([0, -1, 0, -1], None, "y_true takes the values -1, 0; give pos_label to say which is positive"),
    ([0, "1", 0, 1], "1", "y_true must have two classes, but has 3: 0, '1', 1"),  # NumPy makes text of all
    (["a", np.nan, "a", "a"], "a", "y_true has missing values, the first at index 1"),
    (["a", pd.NA, "a", "a"], "a", "y_true has missing values, the first at index 1"),
    (["a", None, "a", "a"], "a", "y_true has missing values, the first at index 1"),
    ("abab", "a", r"y_true must be an array of shape \(n,\), but is a str"),
    (list("abcdefgh"), "a", r"y_true must have two classes, but has 8: .*'e', \.\.\. \(8 values\)"),
    ([0, 1, None, 1], None, "y_true has missing values, the first at index 2"),
    ([0, 1, np.nan, 1], None, "y_true has 1 NaN"),
    (["a", None, "b", "b"], "b", "y_true has missing values, the first at index 1"),
    (
        pd.Series(["a", "b", None, "b"], dtype="category"),
        "b",
        "y_true has missing values, the first at index 2",
    ),
    (
        pd.Series([True, None, False, True], dtype="boolean"),
        None,
        "y_true has missing values, the first at index 1",
    ),
    (pl.Series([True, None, False, True]), None, "y_true has missing values, the first at index 1"),
    (np.ones((4, 2)), None, r"y_true must have shape \(n,\) or \(n, 1\)"),
    (np.ma.array(Y, mask=MASK), None, "y_true has 2 masked values"),
    (np.array(Y, complex), None, "y_true takes the values 0j, "),
    ([0, 1], None, "y_true and y_score must have the same length, but y_true has 2 and y_score has 4"),
]


@pytest.mark.parametrize(("labels", "pos_label", "message"), BAD_LABELS)
def test_bad_labels(labels: Any, pos_label: Any, message: str) -> None:
    scores = np.arange(8.0) if len(labels) == 8 else S
    for work in (rh.hull.tally, rh.roc_curve, rh.roc_hull, rh.roc_auc):
        with pytest.raises(ValueError, match=message):
            work(labels, scores, pos_label=pos_label)


BAD_WEIGHTS = [
    ([], "sample_weight is empty"),
    (
        [1, 2, 3],
        "y_true and sample_weight must have the same length, but y_true has 4 and sample_weight has 3",
    ),
    ([1, -1, 1, -2], "sample_weight has 2 negative values, the first at index 1"),
    ([1, 2, np.nan, np.inf], "sample_weight has 2 values that are not finite, the first at index 2"),
    ([1, 2, 3, -np.inf], "sample_weight has 1 values that are not finite, the first at index 3"),
    ([0, 0, 0, 0], "sample_weight: the negative class has zero total weight"),
    ([1, 1, 0, 0], "sample_weight: the positive class has zero total weight"),
    ([1e308] * 4, "sample_weight: the negative class weighs inf in total"),
    ([5e-324] * 4, "sample_weight: the negative class weighs 9.88e-324 in total"),
    ([1e300, 1e300, 1e308, 1e308], "sample_weight: the negative class weighs 2e.300 in total"),
    ([1e-200, 1e-200, 1e200, 1e200], "sample_weight: the negative class weighs 2e-200 in total"),
    (["a"] * 4, "sample_weight must be numeric, but has type <U1"),
    ([1, None, 1, 1], "sample_weight has missing values, the first at index 1"),
    (pd.Series([1, 2, None, 4], dtype="Int64"), "sample_weight has .*first at index 2"),
    (np.ones(4) * 1j, "sample_weight must be numeric, but has type complex128"),
    (np.ones((4, 2)), r"sample_weight must have shape \(n,\)"),
    (np.ma.array([1, 2, 3, 4], mask=MASK), "sample_weight has 2 masked values"),
]
if WIDE_LONGDOUBLE:
    BAD_WEIGHTS.append((np.array([1, 2, 3, LONG.type("1e4000")]), "1 values that are not finite"))


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS)
def test_bad_weights(weights: Any, message: str) -> None:
    for work in (rh.hull.tally, rh.roc_curve, rh.roc_hull, rh.roc_auc):
        with pytest.raises(ValueError, match=message):
            work(Y, S, sample_weight=weights)


# --- accepted: labels --------------------------------------------------------------------------

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i4", ">i8", ">u4"]
WORDS = ["no", "no", "yes", "yes"]
GOOD_LABELS: list[tuple[Any, Any]] = [
    (Y, None),
    (tuple(Y), None),
    (range(2), None),
    ([False, False, True, True], None),
    ([False, False, True, True], True),
    ([False, False, True, True], 1),
    (np.array(Y, bool), None),
    ([-1, -1, 1, 1], None),
    ([0.0, 0.0, 1.0, 1.0], None),
    (np.array([-1, -1, 1, 1], np.float32), None),
    (np.array(Y)[:, None], None),
    (np.array(Y, object), None),
    (np.array([False, False, True, True], object), None),
    ([7, 7, 3, 3], 3),
    ([1, 1, 0, 0], 0),
    ([1, 1, 2, 2], 2),
    ([True, True, False, False], False),
    (WORDS, "yes"),
    (np.array(WORDS), "yes"),
    (np.array(WORDS, object), "yes"),
    (np.array(WORDS, "S"), b"yes"),
    (np.array([1, 1, "yes", "yes"], object), "yes"),
    (pd.Series(Y), None),
    (pd.Series(Y, index=[9, 9, 3, 1]), None),
    (pd.DataFrame({"y": Y}), None),
    *[(pd.Series(Y).astype(t), None) for t in ("Int64", "UInt8", "Float64", "boolean", "category", "object")],
    *[(pd.Series(Y).astype(t), None) for t in ("int64[pyarrow]", "bool[pyarrow]")],
    *[(pd.Series(WORDS).astype(t), "yes") for t in ("str", "string", "object", "category")],
    (pl.Series(Y), None),
    (pl.Series(Y).cast(pl.Boolean), None),
    (pl.Series(WORDS), "yes"),
    (pl.Series(WORDS, dtype=pl.Categorical), "yes"),
    (pl.DataFrame({"y": Y}), None),
    (pa.array(Y), None),
    (pa.array([False, False, True, True]), None),
    (pa.array(WORDS), "yes"),
    (pa.array(WORDS).dictionary_encode(), "yes"),
    (pa.chunked_array([WORDS[:1], WORDS[1:]]), "yes"),
    (pa.chunked_array([Y[:3], Y[3:]]), None),
    *[(np.array(Y, dtype), None) for dtype in INTEGERS],
    *[(np.array(Y, dtype), None) for dtype in ("f2", ">f4", ">f8", np.longdouble)],
]


@pytest.mark.parametrize(("labels", "pos_label"), GOOD_LABELS)
def test_good_labels(labels: Any, pos_label: Any) -> None:
    if isinstance(labels, range):
        assert rh.roc_auc(labels, [1, 2]) == 1
        return
    assert rh.roc_auc(labels, S, pos_label=pos_label) == AUC
    assert rh.roc_hull(labels, S, pos_label=pos_label).fp.tolist() == [0, 0, 1, 2]
    assert rh.hull.Blocks.from_scores(labels, S, pos_label=pos_label).pos.sum() == 2


# --- accepted: scores and weights --------------------------------------------------------------

STEPS = [1, 4, 3, 8]
NUMERIC = ["f2", "f4", "f8", ">f2", ">f4", ">f8", np.longdouble, *INTEGERS]
CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(a.tolist()),
    "list of numpy numbers": list,
    "list of rows": lambda a: a[:, None].tolist(),
    "column": lambda a: a[:, None],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "strided": lambda a: np.repeat(a, 3)[::3],
    "Fortran column": lambda a: np.asfortranarray(np.stack([a, a], 1))[:, 1],
    "object": lambda a: a.astype(object),
    "unmasked": np.ma.array,
    "pandas": pd.Series,
    "pandas frame": lambda a: pd.DataFrame({"s": a}),
    "pandas nullable": lambda a: pd.Series(a).convert_dtypes(),
    "pandas pyarrow": lambda a: pd.Series(a).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series,
    "polars frame": lambda a: pl.DataFrame({"s": a}),
    "pyarrow": pa.array,
    "pyarrow chunks": lambda a: pa.chunked_array([a[:1], a[1:]]),
}


@pytest.mark.parametrize("dtype", NUMERIC, ids=str)
def test_scores_of_every_type(dtype: Any) -> None:
    scores = np.array(STEPS, dtype)
    found = labelled(Y, scores).scores
    expected = {"f2": "f4", ">f2": "f4", np.longdouble: "f8"}.get(dtype, np.dtype(dtype).newbyteorder("="))
    assert found.dtype == expected
    assert found.tolist() == STEPS
    assert rh.roc_auc(Y, scores) == AUC
    assert rh.roc_auc(Y, S, sample_weight=scores) == rh.roc_auc(Y, S, sample_weight=STEPS)


@pytest.mark.parametrize("container", sorted(CONTAINERS))
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_scores_in_every_container(container: str, dtype: str) -> None:
    scores = CONTAINERS[container](np.array(STEPS, dtype))
    found = labelled(Y, scores).scores
    assert found.shape == (4,)
    assert found.tolist() == STEPS
    assert rh.roc_curve(Y, scores).thresholds.tolist() == [np.inf, 8, 4, 3, 1]
    assert rh.roc_hull(Y, scores, sample_weight=scores).thresholds.tolist() == [np.inf, 8, 3, 1]


def test_bools_as_scores() -> None:
    assert rh.roc_curve(Y, [False, False, True, True]).thresholds.tolist() == [np.inf, 1, 0]


@pytest.mark.parametrize("container", sorted(set(CONTAINERS) - {"list of rows"}))
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_integers_are_not_merged(container: str, dtype: Any) -> None:
    scores = np.array([2**60 + 1, 2**60, 2**60 + 3, 2**60 + 2], dtype)
    assert rh.hull.tally(Y, CONTAINERS[container](scores)).score.tolist() == sorted(
        scores.tolist(), reverse=True
    )


def test_fractions_that_fit() -> None:
    assert rh.hull.tally(Y, [Fraction(1, 4), Fraction(1, 2), 1, 2]).score.tolist() == [2, 1, 0.5, 0.25]


def test_frames_of_every_library(frame_module: Any) -> None:
    frame = frame_module({"label": WORDS, "score": S, "weight": [1.0, 2.0, 1.0, 2.0]})
    found = rh.roc_hull(frame["label"], frame["score"], sample_weight=frame["weight"], pos_label="yes")
    assert found.fpr.tolist() == rh.roc_hull(Y, S, sample_weight=[1, 2, 1, 2]).fpr.tolist()


# --- nothing given is modified -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("weighted", [False, True])
def test_read_only_arrays_are_enough(dtype: str, weighted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    arrays = [rng.integers(0, 2, 600), (rng.normal(size=600) * 9).astype(dtype), rng.random(600)]
    arrays[1][:9] *= -0 if dtype == "i8" else -0.0
    copies = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=False)
    monkeypatch.setattr("rochull.hull.refine.SORT_ROWS", 0)
    weights = arrays[2] if weighted else None
    for labels in (arrays[0], arrays[0] == 1, np.asarray(pd.Series(arrays[0]))):
        rh.roc_hull(labels, arrays[1], sample_weight=weights)
        rh.roc_auc(labels, arrays[1], sample_weight=weights)
        rh.roc_curve(labels, arrays[1], sample_weight=weights)
    chunks = [tuple(arrays) if weighted else tuple(arrays[:2])]
    rh.RocHull.from_source(rh.ChunkSource(lambda: chunks))
    assert [a.tobytes() for a in arrays] == [a.tobytes() for a in copies]


def test_views_where_nothing_had_to_change() -> None:
    scores, weights = np.array(S), np.ones(4)
    data = labelled(np.array(Y, bool), scores, weights)
    for found, own in ((data.scores, scores), (data.weights, weights)):
        assert found is not None
        assert np.shares_memory(found, own)
        assert own.flags.writeable
        assert not found.flags.writeable


# --- single numbers ----------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["1", None, True, np.nan, np.inf, 1j, [1]])
def test_numbers(value: Any) -> None:
    for check in (validation.real, validation.non_negative, validation.probability):
        with pytest.raises(ValueError, match=r"cost must be a finite number, but is "):
            check(value, "cost")


def test_ranges_of_numbers() -> None:
    assert validation.real(np.float32(2), "cost") == 2.0
    assert validation.non_negative(0, "cost") == 0.0
    assert validation.probability(1, "rate") == 1.0
    with pytest.raises(ValueError, match=r"cost must not be negative, but is -1\."):
        validation.non_negative(-1, "cost")
    with pytest.raises(ValueError, match=r"rate must lie between 0 and 1, but is 1\.5"):
        validation.probability(1.5, "rate")
    with pytest.raises(ValueError, match=r"rate must lie strictly between 0 and 1, but is 0\."):
        validation.probability(0, "rate", open_ends=True)
    with pytest.raises(ValueError, match=r"fpr must lie between 0 and 1, but holds 1\.5 at index 1"):
        validation.rates_1d([0.5, 1.5], "fpr")


def test_swapped_labels_and_scores_are_noticed() -> None:
    y, scores = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8]
    for swapped in (rh.roc_hull, rh.roc_curve, rh.roc_auc, rh.hull.tally):
        with pytest.raises(ValueError, match=r"y_true takes 4 values and y_score two.* in the wrong order"):
            swapped(scores, y)
    with pytest.raises(ValueError, match=r"y takes 4 values and X two.* in the wrong order"):
        rh.PavCalibrator().fit(y, scores)
    with pytest.raises(
        ValueError, match="y_true must have two classes, but has 4"
    ):  # no scores could be labels
        rh.roc_auc([1, 2, 3, 4], scores)
    with pytest.raises(ValueError, match=r"^y_true is not an array: "):
        rh.roc_auc([[0.1], [0.2, 0.3]], [0, 1])  # type: ignore[list-item]


def test_of_a_very_long_label_the_ends_are_shown() -> None:
    long = "a" * 100_000
    for y, pos_label in (
        ([long, "b", long], None),
        ([long, "b", "c"], None),
        ([long, "b"], "x"),
    ):
        with pytest.raises(ValueError, match="aaa") as raised:
            rh.roc_hull(y, [1, 2, 3][: len(y)], pos_label=pos_label)
        assert len(str(raised.value)) < 700
    with pytest.raises(ValueError, match="must be numeric") as raised:
        rh.roc_hull([0, 1], [1, long])
    assert len(str(raised.value)) < 400


def test_a_column_of_128_bits_is_read_or_refused_in_our_words() -> None:
    for dtype in (getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)):
        few = pl.Series([0, 1, 1], dtype=dtype)
        assert rh.roc_hull(few, few).auc() == 1
        with pytest.raises(ValueError, match=r"y_score.*beyond 64 bits|y_score.*does not fit"):
            rh.roc_hull([0, 1, 1], pl.Series([0, 2**70, 2**71 + 1], dtype=dtype))


def test_the_text_that_is_no_number_is_blamed() -> None:
    """Python reads a full-width digit as a number, which DuckDB and other programs do not."""
    with pytest.raises(ValueError, match="must be numeric, but index 2 holds '\uff11'"):
        rh.roc_curve([0, 1, 0, 1], np.array(["0.5", " 1e3", "\uff11", "2"], object))


@pytest.mark.parametrize(
    "cells",
    [
        pd.Series([np.array([0.1, 0.9])] * 4),
        pd.Series([[0.1, 0.9]] * 4),
        pl.Series([[0.1, 0.9]] * 4),
        pl.Series([[0.1, 0.9]] * 4).to_arrow(),
    ],
    ids=["arrays", "lists", "polars", "pyarrow"],
)
def test_cells_that_hold_arrays_or_lists_are_refused(cells: Any) -> None:
    said = r"holds an? (array|list) of 2 numbers at index 0: give the column of the positive class"
    refuses("y_score " + said, validation.labelled, [0, 1, 0, 1], cells)
    policy = rh.Hybrid().add("a", [0, 1, 0, 1], [1, 2, 3, 4]).policy()
    refuses(r"scores\['a'\] " + said, policy.decide, {"a": cells}, rh.NeymanPearson(0.5))
    refuses("y_true must hold labels", validation.labelled, cells, [1, 2, 3, 4])


def test_keys_of_128_bits_are_keys() -> None:
    keys = pl.Series([1, 2, 2**70], dtype=pl.Int128)
    assert keys_1d(keys, 3).tolist() == [1, 2, 2**70]
