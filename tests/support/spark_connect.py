"""Run by a test in a process of its own, because a session of Spark Connect bears no other beside it."""

from typing import Any

import numpy as np

import rochull as rh
import spark_cases
from rochull.scanning.engines.memory_table import MemoryTable
from rochull.scanning.engines.spark_session import is_spark
from rochull.scanning.engines.spark_table import SparkTable
from spark_cases import COLUMNS, assert_same, rows


def main() -> None:
    """Compare hulls, an exact area, and columns of posteriors."""
    spark = spark_cases.session("connect")
    try:
        table = rows(34_000).select(["label", "s", "seg"])
        df = spark.createDataFrame(table)
        assert is_spark(df)
        assert "connect" in type(df).__module__
        options: dict[str, Any] = {"scores": ["s"], "segment": "seg"}
        found = SparkTable.open(df, **{**COLUMNS, **options})
        assert_same(found, table, **options)
        expected = MemoryTable.open(table, **{**COLUMNS, "scores": ["s"]}).exact_areas([("s", 0)])
        assert found.exact_areas([("s", 0)]) == expected
        scores, labels = table["s"].to_numpy(), table["label"].to_numpy() == "yes"
        for calibrator in (rh.PavCalibrator(), rh.LogisticCalibrator()):
            calibrator.fit(scores, labels)
            got = rh.policies.spark_calibrate(df, calibrator, "s").toArrow()["posterior"].to_numpy()
            np.testing.assert_allclose(got, calibrator.posterior(scores), rtol=1e-12)  # of steps the same
    finally:
        spark.stop()
    print("Connect says the same")


if __name__ == "__main__":
    main()
