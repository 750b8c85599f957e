"""Decisions and calibrated scores as columns of Spark: those of Python, row by row."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import rochull as rh
from refusals import refuses

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

SIZE = 100_000
NAME = "a `score` $"


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    """Return labels and scores with many ties."""
    rng = np.random.default_rng(3)
    label = rng.random(SIZE) < 0.4
    return label, np.round(rng.normal(size=SIZE) + label, 2)


@pytest.fixture(scope="module")
def table(data: tuple[Any, Any]) -> pa.Table:
    """Return new scores: ties, thresholds and what is no number."""
    score = data[1][::-1].copy()
    score[:6] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30]
    return pa.table(
        {
            "id": np.arange(SIZE),
            NAME: pa.array(score, mask=np.arange(SIZE) % 1000 == 999),
            "f": score.astype(np.float32),
            "n": pa.array(np.round(data[1] * 10).astype(np.int64)),
        }
    )


@pytest.fixture(scope="module")
def df(local_spark: Any, table: pa.Table) -> Any:
    """Return the table in Spark, which evaluates expressions on one without rows of its own slowly."""
    return local_spark.createDataFrame(table).cache()


@pytest.mark.parametrize(
    ("condition", "key"),
    [
        (rh.ExpectedCost(cost_fn=5, prevalence=0.5), None),
        (rh.NeymanPearson(0.123), "id"),
    ],
)
def test_decisions(df: Any, table: pa.Table, data: tuple[Any, Any], condition: Any, key: str | None) -> None:
    policy = rh.Policy.from_hull(rh.roc_hull(*data))
    found = rh.policies.spark_decide(
        df, policy, condition, key=key, columns={"score": NAME}, column="yes"
    ).toArrow()
    assert found.column_names == [*table.column_names, "yes"]
    score = table[NAME].combine_chunks().fill_null(np.nan).to_numpy()
    known = ~np.isnan(score)
    expected = np.zeros(SIZE, bool)
    keys = None if key is None else np.arange(SIZE)[known]
    expected[known] = policy.decide({"score": score[known]}, condition, key=keys)
    assert found["yes"].to_pylist() == expected.tolist()


def test_decisions_of_other_policies(df: Any, table: pa.Table, data: tuple[Any, Any]) -> None:
    """A rule by itself, which sends some cases to review."""
    hybrid = rh.Hybrid().add("score", *data)
    score = table[NAME].combine_chunks().fill_null(np.nan).to_numpy()
    known = ~np.isnan(score)
    review = rh.Review(cost_fp=1, cost_fn=5, cost_review=0.3, prevalence=0.5)
    fixed = rh.policies.FixedPolicy.from_point(hybrid.at(review))
    found = rh.policies.spark_decide(df, fixed, columns={"score": NAME}).toArrow()["decision"]
    words = np.array(found.to_pylist())
    np.testing.assert_array_equal(words[known], fixed.decide({"score": score[known]}))
    assert len(set(words[known])) == 3


@pytest.mark.parametrize(
    "calibrator",
    [
        rh.PavCalibrator(),
        rh.PavCalibrator(bound="laplace"),
        rh.PavCalibrator(interpolation="linear", bound="elub"),
        rh.LogisticCalibrator(),
    ],
    ids=str,
)
def test_calibrated(df: Any, table: pa.Table, data: tuple[Any, Any], calibrator: Any) -> None:
    calibrator.fit(data[1], data[0])
    cases = [(NAME, "posterior", 0.01), ("f", "llr", None), ("n", "posterior", None)]
    if str(calibrator) != "PavCalibrator()":  # Spark takes seconds for each
        del cases[1:]
    for column, what, prevalence in cases:
        options = {"what": what, "prevalence": prevalence, "column": "new"}
        found = rh.policies.spark_calibrate(df, calibrator, column, **options).toArrow()
        assert found.column_names == [*table.column_names, "new"]
        given = table[column].combine_chunks()
        known = given.is_valid().to_numpy(zero_copy_only=False)
        score = given.fill_null(0).to_numpy()
        known = known & ~np.isnan(score)
        read = calibrator.llr if what == "llr" else lambda x, p=prevalence: calibrator.posterior(x, p)
        got = found["new"].combine_chunks()
        np.testing.assert_array_equal(got.is_valid().to_numpy(zero_copy_only=False), known)
        values = got.to_numpy(zero_copy_only=False)[known]
        if isinstance(calibrator, rh.LogisticCalibrator):
            np.testing.assert_allclose(values, read(score[known]), rtol=1e-12)
        else:
            np.testing.assert_array_equal(values, read(score[known]))


def test_no_row_passes_through_python_where_sql_says_the_map(df: Any, data: tuple[Any, Any]) -> None:
    kde = rh.calibration.KdeCalibrator().fit(data[1][:100], data[0][:100])
    for made, column, worked in (
        (rh.PavCalibrator(bound="laplace").fit(data[1], data[0]), NAME, False),
        (rh.LogisticCalibrator().fit(data[1], data[0]), "f", False),
        (rh.PavCalibrator().fit(data[1], data[0]), "n", True),
        (kde, NAME, True),
    ):
        plan = rh.policies.spark_calibrate(df.limit(9), made, column)._jdf.queryExecution().toString()
        assert ("MapInArrow" in plan) is worked


def test_one_step(df: Any) -> None:
    calibrator = rh.PavCalibrator().fit([1.0, 0.0], [0, 1])
    found = rh.policies.spark_calibrate(df.limit(10), calibrator, "f").toArrow()["posterior"].to_pylist()
    assert found == [None] + [0.5] * 9


def test_bad_input(df: Any) -> None:
    calibrator = rh.PavCalibrator().fit([1.0, 0.0], [1, 0])
    for options, message in (
        ({"score": "none"}, "table has no column 'none'; it has 'id', "),
        ({"score": "f", "what": "odds"}, 'what must be "posterior" or "llr", but is \'odds\''),
        ({"score": "f", "what": "llr", "prevalence": 0.5}, "do not depend on it"),
        ({"score": "f", "prevalence": 1.5}, "prevalence must"),
    ):
        refuses(message, rh.policies.spark_calibrate, df, calibrator, **options)
    with pytest.raises(ValueError, match="column must have a name of its own"):
        rh.policies.spark_calibrate(
            df, rh.calibration.KdeCalibrator().fit([1.0, 0.0, 0.5, 0.2], [1, 0, 0, 1]), "f", column="f"
        )
