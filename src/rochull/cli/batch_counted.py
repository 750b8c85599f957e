"""The prevalence of a table of any size, from counts of its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rochull.hull.hull import RocHull
    from rochull.policies.prevalence import PrevalenceEstimate

_ROWS = 1 << 18  # of a batch


def estimate_counted(hull: RocHull, table: str, places: Mapping[str, str], memory: int) -> PrevalenceEstimate:
    """Estimate the prevalence by the columns of classifiers, which DuckDB reads once."""
    from rochull._core.parquet_beside import known_values
    from rochull.cli.engine import engine_errors
    from rochull.policies.batch_ranges import RangeCounts, estimated
    from rochull.policies.prevalence import present
    from rochull.scanning.engines.duckdb_rows import FileRows

    present(dict(places), hull.classifiers)  # refuses constant rules
    counts = {name: RangeCounts(hull, name) for name in places}
    columns = list(dict.fromkeys(places.values()))
    with engine_errors(), FileRows([table], None, columns, columns, memory).open() as session:
        types = session.types()
        wanted = ", ".join(_number(name, types[name]) for name in columns)
        for batch in session.batches(f"SELECT {wanted} FROM {session.rows}", _ROWS):
            for name, each in counts.items():
                values, known = known_values(batch.column(columns.index(places[name])))
                each.add(values if known is None else values[known])
    return estimated(hull, counts)


def _number(name: str, kind: str) -> Any:
    """A column as numbers that Arrow has as such."""
    from rochull._core.file_queries import quoted
    from rochull._core.messages import Item, Refusal
    from rochull.scanning.engines.duckdb_plain import SCORES

    if kind in SCORES:
        return quoted(name)
    if kind != "BOOLEAN" and not kind.startswith("DECIMAL"):
        raise Refusal("{} must be numeric, but has type {}.", Item("scores", name), kind)
    return f"CAST({quoted(name)} AS {'TINYINT' if kind == 'BOOLEAN' else 'DOUBLE'})"
