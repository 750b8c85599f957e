"""The faults in the columns of a table, once it is known that there are some: DuckDB counts them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.file_queries import quoted
from rochull._core.messages import Refusal, refused
from rochull._core.table_errors import LEAVE_OUT, has_nulls, have_nulls
from rochull.hull.refine import ChangedError

if TYPE_CHECKING:
    from rochull.scanning.engines.duckdb_rows import Session

_BATCH = 1 << 19  # rows


def refuse_missing(found: Sequence[tuple[Any, ...]], names: Sequence[str]) -> None:
    """Raise if a label, a segment or a fold is null or NaN."""
    nulls = {name: sum(row[-2] for row in found if row[i] is None) for i, name in enumerate(names)}
    nulls = {name: count for name, count in nulls.items() if count}
    if nulls:
        raise have_nulls(nulls, sum(row[-2] for row in found))
    for i, name in enumerate(names):
        nan = sum(row[-2] for row in found if isinstance(row[i], float) and isnan(row[i]))
        if nan:
            raise Refusal("column {} has {} NaN; {}.", repr(name), f"{nan:,}", LEAVE_OUT)


def spoilt(session: Session, name: str, weight: str | None) -> Exception:
    """The faults in a column of numbers, the weights or scores."""
    # Counted here: DuckDB believes the statistics of a Parquet file, which leave NaN out.
    rows = nulls = nan = negative = infinite = 0
    for batch in session.batches(f"SELECT CAST({quoted(name)} AS DOUBLE) AS c0 FROM {session.rows}", _BATCH):
        values = batch.column(0).drop_null().to_numpy(zero_copy_only=False)
        rows, nulls = rows + batch.num_rows, nulls + batch.column(0).null_count
        nan, negative = nan + int(np.isnan(values).sum()), negative + int((values < 0).sum())
        infinite += int(np.isinf(values).sum())
    if nulls:
        return has_nulls(name, nulls, rows)
    if name == weight:
        for count, what in ((nan + infinite, "values that are not finite"), (negative, "negative values")):
            if count:
                return refused(
                    "weight", "column {} has {} {} in {} rows.", repr(name), f"{count:,}", what, f"{rows:,}"
                )
    if nan:
        return ValueError(f"score column {name!r} has {nan:,} NaN in {rows:,} rows.")
    return ChangedError()
