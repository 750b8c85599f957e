"""The rows of Parquet files that fulfil a condition: a bit for each, found once for all passes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rochull._core.file_queries import literal
from rochull._core.parquet_beside import numbers_in
from rochull._core.validation import Array
from rochull.scanning.engines.duckdb_rows import FileRows, Session

_BATCH = 1 << 19
_BLOCK = 1 << 20  # rows whose bits are put together; a multiple of 8
_ROWS_A_FILE = 1 << 16  # each file takes a query: with fewer rows in them one of all files is faster


def chosen_rows(
    rows: FileRows, session: Session, files: Mapping[str, int], room: int
) -> dict[str, Any] | None:
    """Bits of Arrow for the rows of each file, which has so many: those that fulfil the condition.

    None if they take more bytes than there is `room`, or if files should not be asked one by one.
    """
    import pyarrow as pa

    if sum(files.values()) // 8 > room or not _tell_alone(rows, files):
        return None
    try:
        found = {path: _bits(_places(session, path, str(rows.where)), size) for path, size in files.items()}
    except ValueError:  # which reading all of them brings in words that name the source
        return None
    return {
        path: pa.Array.from_buffers(pa.bool_(), files[path], [None, pa.py_buffer(bits)])
        for path, bits in found.items()
    }


def _tell_alone(rows: FileRows, files: Mapping[str, int]) -> bool:
    """Whether a condition on one file is the same as on all: types, directories and places may change it."""
    if len(files) < 2:
        return True
    if sum(files.values()) < _ROWS_A_FILE * len(files):
        return False
    in_paths = any("=" in part for path in files for part in Path(path).parent.parts)
    return not (rows.is_united or in_paths or "file_index" in str(rows.where).lower())


def _places(session: Session, path: str, where: str) -> Iterator[Array]:
    """The numbers of the rows of a file that fulfil a condition."""
    file = f"read_parquet({literal(path)}, file_row_number = true)"
    for batch in session.batches(f"SELECT file_row_number FROM {file} WHERE (\n{where}\n)", _BATCH):
        if batch.num_rows:
            yield numbers_in(batch.column(0))


def _bits(places: Iterable[Array], size: int) -> Array:
    """Bits of so many rows, of which some are named in any order."""
    bits = np.zeros(-(-size // 8), np.uint8)
    for part in places:
        ordered = part if (part[1:] > part[:-1]).all() else np.sort(part, kind="stable")
        begins = np.arange(ordered[0] // _BLOCK, ordered[-1] // _BLOCK + 1) * _BLOCK
        for begin, own in zip(begins, np.split(ordered, np.searchsorted(ordered, begins[1:])), strict=True):
            block = np.zeros(min(_BLOCK, size - begin), bool)
            block[own - begin] = True
            bits[begin // 8 : (begin + _BLOCK) // 8] |= np.packbits(block, bitorder="little")
    return bits
