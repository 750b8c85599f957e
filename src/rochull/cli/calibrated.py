"""The posteriors and LLRs of each row of a table, written beside its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rochull.cli.calibrated_columns import LOWER, UPPER, Output, bounds_reached, column_checked, read
from rochull.cli.options import places_suggested

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.calibration.base import Calibrator
    from rochull.cli.look import Look


def written_rows(
    calibrator: Calibrator,
    names: Sequence[str],
    prevalence: float | None,
    output: Output,
    *,
    parts: Sequence[tuple[Array, Calibrator]] | None = None,
    look: Look | None = None,
) -> tuple[int, int]:
    """Write the table with its new columns; returns how many rows it has, and how many lack a score.

    `parts` are rows and the calibrator of each, where these are not all calibrated by the same; `look` sees
    the scores, and tells of them, before the table has its name.
    """
    several = calibrator.n_columns != 1
    options = {name: f"--column {name}=<its column>" if several else "--score <its column>" for name in names}
    with places_suggested(options):
        found = None if parts else _by_batch(calibrator, names, prevalence, output, look)
        return found or _at_once(calibrator, names, prevalence, output, parts=parts, look=look)


def _by_batch(
    calibrator: Calibrator,
    names: Sequence[str],
    prevalence: float | None,
    output: Output,
    look: Look | None,
) -> tuple[int, int] | None:
    """Write a Parquet file from Parquet files, some rows at a time; None where that cannot be done."""
    from rochull._core.connections import connected
    from rochull._core.file_queries import TableFile
    from rochull._core.files import replacing
    from rochull._core.inputs import inputs_kept
    from rochull._core.parquet_beside import UnreadableError
    from rochull.cli.calibrated_batches import ByBatch, files_to_copy

    with inputs_kept(), connected() as connection:
        file = TableFile(connection, output.table)
        table = file.table(names)
        files = files_to_copy(file, table, names, output)
        if files is None:
            return None
        file.check_target(table, output.columns, output.path)
        if look is not None:
            look.begin(files.rows)
        made = ByBatch(calibrator, names, prevalence, look, {*output.named})
        try:
            with replacing(output.path) as partial:
                files.write(partial, output.columns, made.added, output.metadata, files.texts)
                if look is not None:
                    look.tell()
        except UnreadableError:
            return None
    return made.rows, made.missing


def _at_once(
    calibrator: Calibrator,
    names: Sequence[str],
    prevalence: float | None,
    output: Output,
    *,
    parts: Sequence[tuple[Array, Calibrator]] | None,
    look: Look | None,
) -> tuple[int, int]:
    """Write any table, of which the scores and the new columns are in memory."""
    import numpy as np

    from rochull._core.file_queries import quoted
    from rochull._core.table_files import read_columns, write_table

    columns = read_columns(output.table, names, missing=names, numbers=names)
    gone = np.logical_or.reduce([_missing(column) for column in columns.values()])
    posterior, llr = np.full((2, gone.size), np.nan)
    bound, some_gone = np.zeros(gone.size, np.int8), bool(gone.any())
    if not gone.all():
        if some_gone:  # in their place a value like the others, so that messages count all rows
            some = int(np.argmin(gone))
            columns = {name: np.where(gone, column[some], column) for name, column in columns.items()}
        known = read(calibrator, {name: column_checked(columns[name], name, calibrator) for name in names})
        every: Any = np.flatnonzero(~gone) if some_gone else slice(None)
        if look is not None:
            look.begin(gone.size)
            look.at(known[every])
            look.tell()
        for rows, made in parts or [(every, calibrator)]:
            posterior[rows], llr[rows] = made.posterior(known[rows], prevalence), made.llr(known[rows])
            bound[rows] = bounds_reached(made, llr[rows])
    posterior, llr = (np.ma.masked_array(v, gone) if some_gone else v for v in (posterior, llr))
    values = {"posterior": posterior, "llr": llr, "log10_lr": llr, "bound": bound}
    computed = {  # by DuckDB, row by row: as arrays they would be larger than all others
        "log10_lr": f"{{}} / {float(np.log(10))!r}::DOUBLE",
        "bound": f"CASE {{}} WHEN {UPPER} THEN 'upper' WHEN {LOWER} THEN 'lower' END",
    }
    write_table(
        output.table,
        {name: values[kind] for kind, name in output.named.items()},
        output.path,
        computed={
            n: computed[kind].format(quoted(n)) for kind, n in output.named.items() if kind in computed
        },
        numbers=names,
        metadata=output.metadata,
    )
    return gone.size, int(gone.sum())


def _missing(column: Array) -> Array:
    """Where a column has no score (n,)."""
    import numpy as np

    from rochull._core.validation import is_missing

    if column.dtype == object:
        return np.fromiter(map(is_missing, column), bool, column.size)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.size, bool)
