"""The prevalence of a table of any size, from counts of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rochull.hull.hull import RocHull
    from rochull.policies.prevalence import PrevalenceEstimate

_ROWS = 1 << 18  # of a batch


def estimate_counted(hull: RocHull, table: str, places: Mapping[str, str], memory: int) -> PrevalenceEstimate:
    """Estimate the prevalence by the columns of classifiers, which are read once."""
    from rochull._core.file_queries import quoted
    from rochull._core.parquet_beside import ParquetCopy, UnreadableError
    from rochull.cli.decided_batches import scores_in
    from rochull.cli.engine import engine_errors
    from rochull.decisions.score_columns import missing_in
    from rochull.policies.batch_ranges import RangeCounts, estimated
    from rochull.policies.prevalence import present
    from rochull.scanning.engines.duckdb_plain import SCORES
    from rochull.scanning.engines.duckdb_rows import FileRows

    present(dict(places), hull.classifiers)  # refuses constant rules
    columns = list(dict.fromkeys(places.values()))

    def counted(batches: Iterable[Any]) -> PrevalenceEstimate:
        counts = {name: RangeCounts(hull, name) for name in places}
        for batch in batches:
            for name, each in counts.items():
                scores = scores_in(batch.column(places[name]))
                each.add(scores.values[scores.present] if missing_in(scores) else scores.values)
        return estimated(hull, counts)

    source = FileRows([table], None, columns, columns, memory)
    with engine_errors(), source.open() as session:
        types, files = session.types(), None
        if source.is_parquet and all(types[name] in SCORES for name in columns):
            files = ParquetCopy.of(source.files(session), list(types))
        if files is not None:
            try:
                return counted(files.batches(columns))
            except UnreadableError:
                pass
        wanted = ", ".join(f"{_number(name, types[name])} AS {quoted(name)}" for name in columns)
        return counted(session.batches(f"SELECT {wanted} FROM {session.rows}", _ROWS))


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
