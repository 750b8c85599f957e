"""The columns that ``rochull calibrate`` writes: what a calibrator says of each row of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rochull._core.messages import Refusal
from rochull.cli.options import places_suggested

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.calibration.base import Calibrator

_UPPER, _LOWER = 1, 2


@dataclass(frozen=True)
class Output:
    """The table with the calibrated columns."""

    table: str
    path: Path
    prefix: str
    metadata: Mapping[str, str] = field(default_factory=dict)  # of a Parquet file

    @property
    def columns(self) -> list[str]:
        return [f"{self.prefix}{name}" for name in ("posterior", "llr", "log10_lr", "bound")]


def column_checked(column: Array, name: str, calibrator: Calibrator) -> Array:
    """The scores, if they are what the calibrator takes; messages name the column."""
    from rochull._core import validation

    scores = validation.scores_1d(column, f"score column {name!r}")
    if calibrator.takes == "probabilities":
        try:
            validation.rates_1d(scores, f"score column {name!r}", copy=False)
        except ValueError as error:
            kind = type(calibrator).__name__.removesuffix("Calibrator").lower()
            raise Refusal("{} calibration needs probabilities: {}", kind, error) from None
    return scores


def write(
    calibrator: Calibrator,
    names: Sequence[str],
    prevalence: float | None,
    output: Output,
    parts: Sequence[tuple[Array, Calibrator]] | None = None,
    *,
    looked: Callable[[Array], None] = lambda scores: None,
) -> tuple[int, int]:
    """Write the table with its new columns; returns how many rows it has, and how many lack a score.

    `parts` are rows and the calibrator of each, where these are not all calibrated by the same; `looked` sees
    the scores before anything is written.
    """
    import numpy as np

    from rochull._core.file_queries import quoted
    from rochull._core.table_files import read_columns, write_table

    several = calibrator.n_columns != 1
    options = {name: f"--column {name}=<its column>" if several else "--score <its column>" for name in names}
    with places_suggested(options):
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
        looked(known[every])
        for rows, made in parts or [(every, calibrator)]:
            posterior[rows], llr[rows] = made.posterior(known[rows], prevalence), made.llr(known[rows])
            bound[rows] = _bounds_reached(made, llr[rows])
    of_posterior, of_llr, of_log10, of_bound = output.columns
    values = [np.ma.masked_array(v, gone) if some_gone else v for v in (posterior, llr)]
    added = {of_posterior: values[0], of_llr: values[1], of_bound: bound}
    computed = {  # by DuckDB, row by row: as arrays they would be larger than all others
        of_log10: f"{quoted(of_llr)} / {float(np.log(10))!r}::DOUBLE",
        of_bound: f"CASE {quoted(of_bound)} WHEN {_UPPER} THEN 'upper' WHEN {_LOWER} THEN 'lower' END",
    }
    write_table(output.table, added, output.path, computed=computed, numbers=names, metadata=output.metadata)
    return gone.size, int(gone.sum())


def _missing(column: Array) -> Array:
    """Where a column has no score (n,)."""
    import numpy as np

    from rochull._core.validation import is_missing

    if column.dtype == object:
        return np.fromiter(map(is_missing, column), bool, column.size)
    return np.isnan(column) if column.dtype.kind == "f" else np.zeros(column.size, bool)


def read(calibrator: Calibrator, columns: Mapping[str, Array]) -> Array:
    """Return what the calibrator reads: scores (n,), or (n, k) if it takes several columns."""
    from rochull.calibration.base import side_by_side

    one = calibrator.n_columns == 1
    return next(iter(columns.values())) if one else side_by_side(columns, "the table")


def _bounds_reached(calibrator: Calibrator, llr: Array) -> Array:
    """Which LLRs (n,) are the highest or the lowest that a calibrator says, by numbers; 0 for the others."""
    import numpy as np

    low, high = getattr(calibrator, "bounds_", (-np.inf, np.inf))
    codes = np.zeros(llr.size, np.int8)
    codes[np.isfinite(llr) & (llr >= high)] = _UPPER
    if low < high:
        codes[np.isfinite(llr) & (llr <= low)] = _LOWER
    return codes
