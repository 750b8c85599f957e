"""The classes of plain Parquet files in segments and folds, counted by the threads that decode them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from rochull._core.parquet_beside import numbers_in
from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.scanning.engines.duckdb_plain import PlainFiles, RowGroup, bits_in

_MOST_CELLS = 1 << 20
_SLICE = 1 << 16  # rows whose cells stay in the cache


class _LeftError(Exception):
    """A column that DuckDB has to count."""


def counted_values(plain: PlainFiles, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """For all that occurs in these columns: the values, the values as DuckDB writes them, how many rows.

    Nothing where there are nulls, or too many values.
    """
    kinds = [plain.types[name] for name in names]

    def of_group(group: RowGroup) -> Counter[tuple[Any, ...]]:
        found: Counter[tuple[Any, ...]] = Counter()
        for columns in plain.columns(group, names, keep=True):
            if len(columns[0]):
                found.update(_cells([_coded(*each) for each in zip(columns, kinds, strict=True)]))
        return found

    try:
        parts = share_out(of_group, plain.groups())
    except _LeftError:
        return []
    total = sum(parts, Counter[tuple[Any, ...]]())
    return [(*values, *map(_written, values), rows) for values, rows in sorted(total.items())]


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cells(columns: Sequence[tuple[Sequence[Any], Array]]) -> dict[tuple[Any, ...], int]:
    """How many rows have each combination of values, from the values and the place of each row's."""
    values, codes = zip(*columns, strict=True)
    shape = [len(own) for own in values]
    if prod(shape) > _MOST_CELLS:
        raise _LeftError
    if shape == [2]:
        ones = int(np.count_nonzero(codes[0]))
        counts = np.array([codes[0].size - ones, ones])
    else:
        counts = np.zeros(prod(shape), np.int64)
        kind = np.uint16 if counts.size < 1 << 16 else np.int64  # the fewer bytes, the faster
        for begin in range(0, codes[0].size, _SLICE):
            cell: Array = np.zeros(1, kind)
            for size, own in zip(shape, codes, strict=True):
                cell = cell * kind(size) + own[begin : begin + _SLICE].astype(kind)
            counts += np.bincount(cell, minlength=counts.size)
    held = np.flatnonzero(counts)
    places = np.unravel_index(held, shape)
    each = ([own[i] for i in at.tolist()] for own, at in zip(values, places, strict=True))
    return dict(zip(zip(*each, strict=True), counts[held].tolist(), strict=True))


def _coded(column: Any, kind: str) -> tuple[Sequence[Any], Array]:
    """The values that a decoded column may have, and the place of each row's."""
    if column.null_count:
        raise _LeftError
    if kind == "bool":
        return [False, True], bits_in(column)
    if kind == "string":
        return column.dictionary.to_pylist(), numbers_in(column.indices)
    numbers = numbers_in(column)
    least, greatest = int(numbers.min()), int(numbers.max())
    if greatest - least >= _MOST_CELLS:
        raise _LeftError
    return range(least, greatest + 1), numbers if least == 0 else numbers.astype(np.int64) - least
