"""All columns of a table in the same passes: two, as long as no column has to be refined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rochull._core.threads import told_if_long
from rochull.hull.tallies import Units
from rochull.scanning import column
from rochull.scanning.column import ScannedColumn
from rochull.scanning.engines.table import Column, ScoreTable

_SAMPLE = 1 << 16
_BUCKETS = 1 << 22  # of all columns together


def scan_columns(table: ScoreTable, max_error: float) -> dict[Column, ScannedColumn]:
    """Scan all columns of a table in the same passes: two, as long as no column has to be refined."""
    parts = _parts(table)
    columns = [(name, group) for name in table.scores for group in range(len(parts))]
    large = [c for c in columns if parts[c[1]][0] > column.SMALL]
    sample = table.sample(_SAMPLE * max(1, min(16, len(large)))) if large else {}
    budget = _BUCKETS // max(1, len(large))
    # Where counts and groups are two queries, those of small columns go with the large ones'.
    counted_first = bool(large) and getattr(table, "counts_apart", False)
    pending, asked, done = {}, {}, {}
    for key in columns:
        rows, units = parts[key[1]]
        pending[key] = column.scan_column(
            rows, units, sample.get(key, np.zeros(0)), column.n_buckets(rows, budget),
            max_error=max_error, limit=table.limit, counted_first=counted_first,
        )  # fmt: skip
        asked[key] = next(pending[key])
    while asked:
        with told_if_long(f"pass over the table for {len(asked):,} columns and groups of rows"):
            answers = table.answer(asked)
        waiting, asked = asked, {}
        for key in waiting:
            try:
                asked[key] = pending[key].send(answers[key])
            except StopIteration as stop:
                done[key] = stop.value
    return {key: done[key] for key in columns}


def _parts(table: ScoreTable) -> Sequence[tuple[int, Units]]:
    """Rows and unit of every group. A table may know them before the first pass has counted the classes."""
    known: Sequence[tuple[int, Units]] | None = getattr(table, "parts", None)
    return known if known is not None else [(group.rows, group.units) for group in table.groups]
