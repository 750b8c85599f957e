"""Tables in files: Parquet and CSV, one file or a glob, read and written by DuckDB.

Only the columns that are asked for are read.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rochull._core.connections import connected
from rochull._core.file_queries import Source, TableFile, file_format, literal, path_shown, quoted
from rochull._core.files import replacing
from rochull._core.inputs import check_inputs, inputs_kept
from rochull._core.table_errors import have_nulls
from rochull._core.validation import Array, masked_values
from rochull._core.wide_numbers import wide_types


def read_columns(
    source: Source,
    columns: Sequence[str],
    where: str | None = None,
    *,
    missing: Sequence[str] = (),
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> dict[str, Array]:
    """Read some columns of a file or glob, rows in the order of the file.

    Parameters
    ----------
    source : str or path
        A Parquet or CSV file, or a glob of them, known by its suffix; or a directory of Parquet files. A CSV
        file has a header.
    columns : sequence of str
        The columns to read; no other is.
    where : str, optional
        A condition in SQL on any columns. It is executed: write it yourself.
    missing : sequence of str
        Columns, of numbers unless they are in `text`, in which nulls are legal: NaN in a float column, else
        None in one of objects.
    text : sequence of str
        Columns that are read as they are written where the file is CSV, leading zeros included.
    numbers : sequence of str
        Further columns of numbers. Where the file is CSV all their values decide on the type, ±inf among
        them, and not the first ones alone: 64-bit integers, else float64; text if none is a number.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        FLOAT is float32, BIGINT int64, BOOLEAN bool, VARCHAR object, and so on.

    Raises
    ------
    FileNotFoundError
        If no file matches.
    ValueError
        If a file cannot be read, a column is not there, is there twice or has nulls, one of `numbers` holds
        words too, `where` is not a condition, or no row is left.
    """
    with inputs_kept(), connected(own=where is not None) as connection:
        file = TableFile(connection, source)
        chosen = selection(file, columns, where, missing=missing, text=text, numbers=numbers)
        parts = ", ".join(f"{part} AS {quoted(name)}" for name, part in chosen.parts.items())
        found = file.arrays(f"SELECT {parts} FROM {chosen.table}")
        check_inputs()
    arrays = dict(zip(columns, found, strict=False))
    _refuse_nulls({name: array for name, array in arrays.items() if name not in missing})
    if not found[0].size:
        raise no_rows(source, where)
    return {name: filled(array) for name, array in arrays.items()}


@dataclass(frozen=True)
class Selection:
    """Some columns of a file, of some of its rows.

    Attributes
    ----------
    table : what stands after FROM.
    types : of all its columns.
    parts : the columns by name, of types that NumPy has.
    """

    table: str
    types: Mapping[str, str]
    parts: Mapping[str, str]


def selection(
    file: TableFile,
    columns: Sequence[str],
    where: str | None = None,
    *,
    missing: Sequence[str] = (),
    text: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> Selection:
    """Find the columns that :func:`read_columns` reads, as SQL."""
    numeric = [name for name in dict.fromkeys([*missing, *numbers]) if name not in text]
    table = file.table([*text, *numeric])
    file.require_columns(table, columns)
    table = file.with_numbers(table, numeric, () if where else numbers)
    if where is not None:  # what is left may be numbers alone
        table = f"({file.filtered(f'SELECT * FROM {table}', table, where)})"
        table = file.with_numbers(table, numeric, numbers)

    def selected(parts: str) -> str:
        return f"SELECT {parts} FROM {table}"

    types = file.types(table)
    wide = wide_types(file.rows, selected, {name: types[name] for name in columns})
    parts = {name: quoted(name) for name in columns}
    casts = {name: f"CAST({quoted(name)} AS {kind})" for name, kind in wide.items()}
    return Selection(table, types, parts | casts)


def no_rows(source: Source, where: str | None) -> ValueError:
    """Make the error about a table without rows, or without any that meets a condition."""
    rows = "no rows" if where is None else f"no rows where {where}"
    return ValueError(f"{path_shown(source)} has {rows}: there is nothing to read.")


def rows_where(source: Source, where: str, *, numbers: Sequence[str] = ()) -> Array:
    """Whether the condition holds in each row (n,), as :func:`read_columns` reads those where it does."""
    with inputs_kept(), connected(own=True) as connection:
        file = TableFile(connection, source)
        table = file.with_numbers(file.table(numbers), numbers)
        file.filtered(f"SELECT 1 FROM {table}", table, where)
        (holds,) = file.arrays(f"SELECT coalesce((\n{where}\n), false) AS holds FROM {table}")
        check_inputs()
    return np.asarray(holds, bool)


def count_rows(source: Source) -> int:
    """Number of rows of a file or glob."""
    with connected() as connection:
        file = TableFile(connection, source)
        return file.count(file.table())


def column_names(source: Source) -> tuple[str, ...]:
    """Names of the columns of a file or glob."""
    with connected() as connection:
        file = TableFile(connection, source)
        return tuple(file.types(file.table()))


def write_table(
    source: Source,
    extra: Mapping[str, Array],
    path: Source,
    *,
    computed: Mapping[str, str] | None = None,
    numbers: Sequence[str] = (),
    rows: Array | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write the columns of a file or glob and some more to `path`: all of it, or nothing.

    Parameters
    ----------
    source : str or path
        As for :func:`read_columns`.
    extra : mapping of str to ndarray of shape (n,)
        New columns, in the order of the rows.
    path : str or path
        Parquet or CSV, by its suffix. From CSV to CSV, values are copied as they are written, and what
        stands between them is as in the source.
    computed : mapping of str to str, optional
        The last columns, as SQL in terms of the others; one of a name in `extra` takes its place.
    numbers : sequence of str
        Columns of numbers, as for :func:`read_columns`: from CSV to Parquet, ±inf stays a number.
    rows : ndarray of int, shape (m,), optional
        The rows to write, in this order; all if not given.
    metadata : mapping of str to str, optional
        Texts that a Parquet file holds beside its columns.

    Raises
    ------
    ValueError
        If `path` is a file of the source, a new column's name is taken, be it in other capitals, or the
        number of rows differs.
    """
    target, kind = Path(path), output_format(path)[0]
    with inputs_kept(), connected() as connection:
        file = TableFile(connection, source)
        as_text = kind == "csv" and file.kind == "csv"
        table = file.table(numbers, everything_text=as_text)
        last = computed or {}
        file.check_target(table, [*dict.fromkeys([*extra, *last])], target)
        if not as_text:
            table = file.with_numbers(table, numbers)
        options, _ = file.copied_to(target, metadata or {})
        size = expected = len(next(iter(extra.values())))
        query, added = f"SELECT * FROM {table} POSITIONAL JOIN extra_columns", dict(extra)
        if rows is not None:
            taken = {name.lower() for name in (*file.types(table), *extra)}
            place = next(name for i in itertools.count() if (name := f"place_{i}") not in taken)
            added[place], expected = np.full(size, -1), rows.size
            added[place][rows] = np.arange(rows.size)
            query = f"SELECT * EXCLUDE ({place}) FROM ({query}) WHERE {place} >= 0 ORDER BY {place}"
        if last:
            gone = [quoted(name) for name in last if name in extra]
            others = f" EXCLUDE ({', '.join(gone)})" if gone else ""
            made = ", ".join(f"{sql} AS {quoted(name)}" for name, sql in last.items())
            query = f"SELECT *{others}, {made} FROM ({query})"
        connection.register("extra_columns", added)
        with replacing(target) as partial:
            written = file.rows(f"COPY ({query}) TO {literal(partial)} ({options})")[0][0]
            # A positional join pads the shorter side; a file of another length has changed meanwhile.
            if written != expected or file.count(table) != size:
                raise ValueError(f"{file.shown} does not have the {size} rows that were decided.")


def check_target(source: Source, extra: Sequence[str], path: Source) -> None:
    """Raise what :func:`write_table` would, as far as the values of the columns do not matter."""
    output_format(path)
    with connected() as connection:
        file = TableFile(connection, source)
        file.check_target(file.table(), extra, Path(path))


def output_format(path: Source) -> tuple[str, str, str]:
    """Format, delimiter and compression for a table written to `path`; ValueError if there is none."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {path_shown(target.parent)} to write to.")
    return file_format(path)


def _refuse_nulls(columns: Mapping[str, Any]) -> None:
    """Raise if some columns have nulls, all of which the error names."""
    counts = {name: masked_values(array) for name, array in columns.items()}
    counts = {name: count for name, count in counts.items() if count}
    if counts:
        raise have_nulls(counts, next(iter(columns.values())).size)


def filled(array: Any) -> Array:
    """The column without its mask."""
    if not masked_values(array):
        return np.asarray(array)
    missed = np.ma.getmask(array)
    values: Array = np.array(array.data, dtype=array.dtype if array.dtype.kind == "f" else object)
    values[missed] = np.nan if array.dtype.kind == "f" else None
    return values
