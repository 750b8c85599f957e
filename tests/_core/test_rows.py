"""Whether columns are of the same rows, by the lengths and the indexes that they have."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses
from rochull._core.rows import refuse_other_order, same_rows

LABELS = st.lists(
    st.one_of(st.integers(0, 3), st.sampled_from(["a", "b", None, 0.5])), min_size=1, max_size=5
)
OTHER_ORDER = "hold the same index labels in another order: .* reindex, .* to_numpy"


def column(index: Any) -> pd.Series:
    return pd.Series(np.arange(len(index)), index)


@given(LABELS, LABELS)
def test_the_same_labels_in_another_order_are_refused_and_nothing_else_is(a: list[Any], b: list[Any]) -> None:
    b = (b + a)[: len(a)]
    x, y = column(pd.Index(a, dtype=object)), column(pd.Index(b, dtype=object))
    if a != b and Counter(a) == Counter(b):
        refuses(OTHER_ORDER, same_rows, x=x, y=y)
    else:
        same_rows(x=x, y=y)


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(3),
        pd.Index([0.5, 1.5, np.nan]),
        pd.date_range("2020-01-01", periods=3),
        pd.CategoricalIndex(["a", "b", "c"]),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "b"), (2, "a")]),
        pd.interval_range(0, 3),
        pd.Index(["a", "b", "b"]),
        pd.Index([1, "a", (2, 3)], dtype=object),
    ],
    ids=lambda index: type(index).__name__,
)
def test_indexes_of_every_kind(index: pd.Index) -> None:
    x = column(index)
    same_rows(x=x, y=column(index.copy()), z=None, array=np.zeros(3), many=[1, 2, 3])
    refuses(OTHER_ORDER, same_rows, x=x, y=x[::-1])
    refuses(r"x and s\['b'\] hold", refuse_other_order, {"x": x, "s": {"a": x, "b": x[::-1]}})
    refuses("array and frame hold", same_rows, array=x.to_frame(), frame=x[::-1].to_frame())


def test_other_labels_go_by_position() -> None:
    """So do columns without an index, whatever stands beside them."""
    x = column([3, 1, 2])
    for other in (
        column([3, 1, 4]),
        column(["3", "1", "2"]),
        [0, 1, 2],
        pl.Series([0, 1, 2]),
        pa.array([1, 2, 3]),
    ):
        same_rows(x=x, other=other)
    y, s = pd.Series([0, 1, 1, 0], [5, 6, 7, 8]), pd.Series([0.1, 0.9, 0.8, 0.2])
    assert rh.roc_auc(y, s) == 1.0


def test_one_order_that_differs_among_many_is_found() -> None:
    """Neither need be the first column, and a third one of other labels hides nothing."""
    x, y = column([1, 2, 3]), column([2, 1, 3])
    refuses("b and d hold", same_rows, a=np.zeros(3), b=x, c=column([7, 8, 9]), d=y)
    refuses("x and y must have the same length, but x has 3 and y has 2", same_rows, x=x, y=y[:2])


def test_a_sorted_score_does_not_meet_the_wrong_labels() -> None:
    labels, scores = pd.Series([0, 1, 0]), pd.Series([0.2, 0.9, 0.4])
    refuses("y_true and y_score " + OTHER_ORDER, rh.roc_auc, labels, scores.sort_values())
    assert rh.roc_auc(labels, scores.sort_values().reindex(labels.index)) == 1.0
    refuses("score_a and score_b", rh.delong_test, labels.to_numpy(), scores, scores.sort_values())
    refuses(
        r"y_score\['a'\] and y_score\['b'\]", rh.decision_curve, [0, 1, 0], {"a": scores, "b": scores[::-1]}
    )
    policy = rh.Hybrid().add("a", labels, scores).policy()
    refuses("scores and key", policy.decide, scores, rh.NeymanPearson(0.1), key=pd.Series([1, 2, 3])[::-1])


def test_a_mapping_that_reads_its_columns_is_not_asked_for_them() -> None:
    class Reading(Mapping[str, Any]):
        def __getitem__(self, name: str) -> Any:
            raise AssertionError(name)

        def __len__(self) -> int:
            return 1

        def __iter__(self) -> Iterator[str]:
            return iter("a")

    same_rows(x=column([1, 2]), table=Reading())  # of another length, and not looked into
    with pytest.raises(AssertionError, match="a"):
        Reading()["a"]  # as looking would have done
