"""A batch is told apart by its scores and its time, however a database divided its rows."""

from __future__ import annotations

import numpy as np

from rochull.decisions.score_columns import ScoreColumns
from rochull.monitoring.checksums import batch_checksum


def test_rows_that_are_counted_may_come_in_any_order_and_in_parts() -> None:
    whole = ScoreColumns({"a": [3.0, 1.0, np.nan], "b": [1.0, 2.0, 2.0]}, ["a", "b"]).counted([4, 5, 2])
    parts = ScoreColumns({"a": [np.nan, 3.0, 1.0, 3.0], "b": [2.0, 1.0, 2.0, 1.0]}, ["a", "b"])
    assert batch_checksum(whole, "monday") == batch_checksum(parts.counted([2, 1, 5, 3]), "monday")
    assert batch_checksum(whole, "monday") != batch_checksum(parts.counted([2, 2, 5, 3]), "monday")


def test_times_and_scores_tell_batches_apart() -> None:
    batches = [([1.0, 2.0], None), ([1.0, 2.0], "monday"), ([2.0, 1.0], None), ([1.0, 2.5], None)]
    found = {batch_checksum(ScoreColumns({"a": scores}, ["a"]), at) for scores, at in batches}
    assert len(found) == len(batches)
