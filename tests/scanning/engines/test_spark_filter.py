"""The condition that leaves rows out before a second look: it lets every row pass that is wanted."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from rochull.scanning.engines.spark_filter import Known, condition

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

RNG = np.random.default_rng(8)
SIZE = 40_000
NORMAL = RNG.normal(size=SIZE)
SCORES = {
    "normal": NORMAL,
    "saturated": 1 / (1 + np.exp(-12 * NORMAL)),
    "skewed": np.exp(8 * NORMAL) * np.sign(RNG.random(SIZE) - 0.2),
    "float32": NORMAL.astype(np.float32),
    "bigint": (NORMAL * 2**40).astype(np.int64) + 2**60,
    "tinyint": RNG.integers(-9, 9, SIZE).astype(np.int8),
    "infinite": np.where(NORMAL > 1, np.inf, np.where(NORMAL < -1, -np.inf, NORMAL)),
    "zeros": np.where(NORMAL > 0, 0.0, np.where(NORMAL > -1, -0.0, NORMAL)),
}


def known(score: Any, size: int, share: float) -> tuple[Known, Any]:
    """Look into some of about `size` buckets of neighbouring scores, and which rows that is."""
    distinct, place = np.unique(score, return_inverse=True)
    bucket = place // max(1, distinct.size // size)
    count = int(bucket.max()) + 1
    low = np.array([score[bucket == b].min() for b in range(count)], score.dtype)
    wanted = np.random.default_rng(3).random(count) < share
    return Known(low, np.bincount(bucket), wanted), wanted[bucket]


def passing(spark: Any, text: str, **columns: Any) -> Any:
    """The rows that pass, as a mask."""
    columns["row"] = np.arange(SIZE)
    frame = spark.createDataFrame(pa.table(columns))
    mask = np.zeros(SIZE, bool)
    mask[frame.where(text).select("row").toArrow()["row"].to_numpy()] = True
    return mask


@pytest.mark.parametrize("name", SCORES)
def test_no_wanted_row_is_left_out(local_spark: Any, name: str) -> None:
    score = SCORES[name]
    found, wanted = known(score, 300, 0.1)
    text, share = condition({"s0": [found]}) or (None, 1.0)
    if name in {"tinyint", "infinite", "zeros"}:  # large ties may leave little to gain
        text = text or "TRUE"
    assert text is not None
    passed = passing(local_spark, text, s0=score)
    assert passed[wanted].all()
    assert passed.mean() <= share * (1 + 1e-12)
    assert wanted.any()
    if text != "TRUE":
        assert passed.mean() < 0.75
    if name in {"normal", "saturated", "skewed", "float32", "bigint"}:
        assert passed.mean() < 2 * wanted.mean() + 0.05


def test_groups_and_columns_share_the_condition(local_spark: Any) -> None:
    parts = NORMAL[: SIZE // 2], NORMAL[SIZE // 2 :]
    both = [known(NORMAL, 200, 0.05), *(known(part, 100, 0.05) for part in parts)]
    other = known(SCORES["saturated"], 300, 0.05)
    told = condition({"s0": [found for found, _ in both], "s1": [other[0]]})
    assert told is not None
    text, _ = told
    passed = passing(local_spark, text, s0=NORMAL, s1=SCORES["saturated"])
    wanted = both[0][1] | np.concatenate((both[1][1], both[2][1])) | other[1]
    assert passed[wanted].all()
    assert passed.mean() < 0.75


def test_where_it_is_not_worth_it() -> None:
    found, _ = known(NORMAL, 300, 1.0)
    assert condition({"s0": [found]}) is None
    infinite = Known(np.array([-np.inf, np.inf]), np.array([5, 5]), np.array([True, True]))
    assert condition({"s0": [infinite]}) is None
    one = Known(np.array([1.0]), np.array([5]), np.array([True]))
    assert condition({"s0": [one]}) is None


def test_nothing_is_wanted(local_spark: Any) -> None:
    found, _ = known(NORMAL, 300, 0.0)
    assert (text := condition({"s0": [found]})) is not None
    assert not passing(local_spark, text[0], s0=NORMAL).any()
