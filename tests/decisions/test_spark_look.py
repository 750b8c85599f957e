"""A look at what Spark decides, in the job that runs anyway."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from refusals import refuses

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


def test_the_counts_are_those_of_memory(local_spark: Any) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(0)
    y = np.arange(2_000) % 4 == 0
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(2.0 * y)))
    batch = rng.normal(2.0 * (np.arange(1_000) % 4 == 0))
    batch[7] = np.nan
    asked = rh.Capacity(fraction=0.1, prevalence=0.25)
    for scores, other in ((batch, False), (1.6 * batch, True)):
        look = rh.policies.SparkLook()
        refuses("nothing has been looked at", look.check)
        df = local_spark.createDataFrame(pa.table({"s": scores, "id": np.arange(1_000)}))
        how = {"key": "id", "columns": {"score": "s"}}
        rows = rh.policies.spark_decide(df, policy, asked, look=look, **how).toArrow()
        assert rows.num_rows == 1_000
        with pytest.warns(UserWarning, match="missing"):
            expected = policy.check({"s": scores, "id": np.arange(1_000)}, asked, **how)
        assert expected.other_kind == other
        if not other:
            assert look.check().facts() == expected.facts()
            continue
        with pytest.warns(rh.MisfitWarning) as caught:
            assert look.check().pvalue == expected.pvalue
        assert ["not a mixture" in str(each.message) for each in caught] == [True, False]
        with pytest.raises(rh.policies.MisfitError):
            look.check("refuse")
