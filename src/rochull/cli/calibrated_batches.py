"""Parquet files calibrated some rows after the others, so that no more of them are in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.cli.calibrated_columns import COLUMNS, LOWER, UPPER, Output, bounds_reached, column_checked, read

if TYPE_CHECKING:
    from rochull._core.file_queries import TableFile
    from rochull._core.parquet_beside import ParquetCopy
    from rochull._core.validation import Array
    from rochull.calibration.base import Calibrator
    from rochull.cli.look import Look

_BOUNDS = "upper", "lower"  # in the order of their numbers


def files_to_copy(file: TableFile, table: str, names: Sequence[str], output: Output) -> ParquetCopy | None:
    """The files, if they and the output are Parquet, and columns of these names hold plain numbers."""
    from rochull._core.parquet_beside import ParquetCopy
    from rochull._core.table_files import output_format
    from rochull.scanning.engines.duckdb_plain import SCORES

    if file.kind != "parquet" or output_format(output.path)[0] != "parquet":
        return None
    file.require_columns(table, names)
    types = file.types(table)
    return ParquetCopy.of(file.files(), list(types)) if all(types[name] in SCORES for name in names) else None


class ByBatch:
    """A calibrator, the columns that it reads, and what it says of them batch by batch.

    Attributes
    ----------
    rows, missing : how many rows were seen, and how many of them lack a score.
    """

    def __init__(
        self,
        calibrator: Calibrator,
        names: Sequence[str],
        prevalence: float | None,
        look: Look | None,
        chosen: Collection[str],
    ) -> None:
        self._calibrator, self._names, self._prevalence = calibrator, names, prevalence
        self._chosen = chosen
        self._look, self._stepped = look, calibrator.as_levels(prevalence)
        self.rows = self.missing = 0

    def added(self, batch: Any) -> list[Any]:
        """The new columns of a batch that are written, as Arrow has them, in their order."""
        from rochull._core.parquet_beside import known_values

        found = {name: known_values(batch.column(name)) for name in self._names}
        masks = [known for _, known in found.values() if known is not None]
        known = np.logical_and.reduce(masks) if masks else None
        scores = None
        if known is None or known.any():
            columns = {name: values for name, (values, _) in found.items()}
            if known is not None:  # elsewhere a value like the others
                some = int(np.argmax(known))
                columns = {name: np.where(known, values, values[some]) for name, values in columns.items()}
            for name, column in columns.items():
                columns[name] = column_checked(column, name, self._calibrator, self.rows)
            scores = read(self._calibrator, columns)
            if self._look is not None:
                self._look.at(scores if known is None else scores[known])
        self.rows += len(batch)
        self.missing += 0 if known is None else int(np.count_nonzero(~known))
        gone = None if known is None else ~known
        made = self._levels(scores, gone) if self._stepped else self._values(scores, gone, len(batch))
        return [make() for kind, make in zip(COLUMNS, made, strict=True) if kind in self._chosen]

    def _levels(self, scores: Array | None, gone: Array | None) -> list[Callable[[], Any]]:
        """The columns of a map of steps: places in what the steps say, which is written once."""
        import pyarrow as pa

        from rochull._core.parquet_beside import arrow_of

        assert self._stepped is not None
        llr = self._stepped.llr
        dtype = np.min_scalar_type(-llr.size)
        level = np.zeros(0 if gone is None else gone.size, dtype)
        if scores is not None:
            level = self._stepped.level(scores).astype(dtype)
        place = arrow_of(level, gone)

        def coded(table: Array) -> Any:
            return pa.DictionaryArray.from_arrays(place, arrow_of(table))

        tables = self._stepped.posterior, llr, llr / float(np.log(10))
        reached = bounds_reached(self._calibrator, llr)
        return [*(partial(coded, table) for table in tables), lambda: _bounds(reached[level], gone)]

    def _values(self, scores: Array | None, gone: Array | None, size: int) -> list[Callable[[], Any]]:
        """The columns of any map."""
        from rochull._core.parquet_beside import arrow_of

        made, posterior = self._calibrator, np.zeros(size)
        llr = posterior
        if scores is not None and self._chosen == {"posterior"}:
            posterior = made.posterior(scores, self._prevalence)
        elif scores is not None:
            posterior, llr = made.posterior_and_llr(scores, self._prevalence)
        return [
            lambda: arrow_of(posterior, gone),
            lambda: arrow_of(llr, gone),
            lambda: arrow_of(llr / float(np.log(10)), gone),
            lambda: _bounds(bounds_reached(made, llr), gone),
        ]


def _bounds(reached: Array, gone: Array | None) -> Any:
    """The column that tells which bound is reached, by numbers."""
    import pyarrow as pa

    from rochull._core.parquet_beside import arrow_of, arrow_texts

    none = reached == 0 if gone is None else gone | (reached == 0)
    place = arrow_of(reached - min(UPPER, LOWER), none)
    return pa.DictionaryArray.from_arrays(place, arrow_texts(_BOUNDS))
