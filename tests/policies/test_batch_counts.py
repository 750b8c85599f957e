"""Spark's counts tell what the rows do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rochull as rh

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
CONDITION = rh.ExpectedCost(1, 5, 0.2)


def _same(one: Any, other: Any) -> None:
    for name in ("label", "covariate", "observed"):
        for figure in ("prevalence", "tpr", "expected_cost", "regret"):
            own, theirs = (getattr(getattr(each, name), figure) for each in (one, other))
            for end in ("low", "estimate", "high"):
                assert getattr(own, end) == pytest.approx(getattr(theirs, end), rel=1e-9)


def test_counts_of_spark_are_those_of_the_rows(local_spark: Any) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(0)
    y = rng.random(3_000) < 0.2
    hybrid = rh.Hybrid()
    hybrid.add("a", y, rng.normal(1.5 * y)).add(
        "b", y, rng.normal(np.where(rng.random(3_000) < 0.6, 3, 0) * y)
    )
    policy = hybrid.policy()
    assert policy.at(CONDITION).classifiers == ("a",)
    y = rng.random(2_000) < 0.3
    a, b = rng.normal(1.5 * y), rng.normal(1.5 * y)
    a[::100], b[::70] = np.nan, np.nan
    known = [None if i % 3 else "bad" if each else "good" for i, each in enumerate(y)]
    truth = np.where(np.arange(2_000) % 3, np.nan, y)
    df = local_spark.createDataFrame(pa.table({"a": a, "score b": b, "outcome": known}))
    for columns, rows in (({"b": "score b"}, {"a": a, "b": b}), (None, {"a": a})):
        found = rh.policies.spark_counts(df, policy, CONDITION, "outcome", pos_label="bad", columns=columns)
        assert found.count.sum() == 2_000
        assert len(found.count) < 1_500
        _same(
            policy.performance(found.scores, CONDITION, found.labels, count=found.count),
            policy.performance(rows, CONDITION, truth),
        )
        monitors = [rh.Monitor(policy, CONDITION, classifiers=list(rows)) for _ in range(2)]
        monitors[0].update(found.scores, found.labels, "monday", count=found.count)
        monitors[1].update(rows, truth, "monday")
        one, other = (monitor.to_dict()["state"] for monitor in monitors)
        for name in ("counts", "groups", "decided", "flagged", "pvalues"):
            np.testing.assert_allclose(one[name], other[name])
    with pytest.raises(ValueError, match="none"):
        rh.policies.spark_counts(df, policy, CONDITION, "none")
