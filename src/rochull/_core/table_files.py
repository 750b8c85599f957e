# long: what reads, checks and writes one kind of table, with the same connection.
"""Tables in files: Parquet and CSV, one file or a glob, read and written by DuckDB.

Only the columns that are asked for are read. Names and paths are quoted, so whatever they hold is a
name or a path; the one piece of SQL is `where`, which the user writes on purpose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.files import replacing
from rochull._core.validation import Array

if TYPE_CHECKING:
    import duckdb

# Suffix of a name -> (format, delimiter, compression of what is written).
_FORMATS = {
    ".parquet": ("parquet", "", "zstd"),
    ".csv": ("csv", ",", "none"),
    ".csv.gz": ("csv", ",", "gzip"),
    ".tsv": ("csv", "\t", "none"),
}

_UNITED = ", union_by_name = true"

# Types for a column of numbers written as text; the first that fits all of them is taken.
_NUMBERS = ("BIGINT", "UBIGINT", "DOUBLE", "BOOLEAN")


def read_columns(
    source: str | os.PathLike[str],
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
        A Parquet or CSV file, or a glob of them, told by its suffix; or a directory of Parquet files. A CSV
        file has a header.
    columns : sequence of str
        The columns to read; no other is.
    where : str, optional
        A condition in SQL on any columns. It is executed: write it yourself.
    missing : sequence of str
        Columns of numbers in which nulls are legal: NaN in a float column, else None in one of objects.
    text : sequence of str
        Columns that are read as they are written where the file is CSV, leading zeros included.
    numbers : sequence of str
        Further columns of numbers. Where the file is CSV all their values decide on the type, ±inf among
        them, and not the first ones alone: 64-bit integers, else float64; text if one is no number.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        FLOAT is float32, BIGINT int64, BOOLEAN bool, VARCHAR object, and so on.

    Raises
    ------
    FileNotFoundError
        If no file matches.
    ValueError
        If a file cannot be read, a column is not there, is there twice or has nulls, `where` is not a
        condition, or no row is left.
    """
    with _connected() as connection:
        numeric = dict.fromkeys([*missing, *numbers])
        table = _table(connection, source, [*text, *numeric])
        _require(connection, source, table, columns)
        table = _with_numbers(connection, source, table, list(numeric))
        wanted = ", ".join(map(_name, columns))
        query = f"SELECT {wanted} FROM {table}"
        if where is None:
            found = _numpy(connection, source, query)
        else:
            found = _numpy(connection, source, _filtered(connection, query, table, where))
    arrays = {name: _whole(array, name, name in missing) for name, array in zip(columns, found, strict=False)}
    if not found[0].size:
        rows = "no rows" if where is None else f"no rows where {where}"
        raise ValueError(f"{_shown(source)} has {rows}: there is nothing to read.")
    return arrays


def count_rows(source: str | os.PathLike[str]) -> int:
    """Number of rows of a file or glob."""
    with _connected() as connection:
        return _count(connection, source, _table(connection, source))


def write_table(
    source: str | os.PathLike[str],
    extra: Mapping[str, Array],
    path: str | os.PathLike[str],
    *,
    numbers: Sequence[str] = (),
) -> None:
    """Write the columns of a file or glob and some more to `path`: all of it, or nothing.

    Parameters
    ----------
    source : str or path
        As for :func:`read_columns`.
    extra : mapping of str to ndarray of shape (n,)
        New columns, in the order of the rows.
    path : str or path
        Parquet or CSV, told by its suffix. From CSV to CSV, values are copied as they are written.
    numbers : sequence of str
        Columns of numbers, as for :func:`read_columns`: from CSV to Parquet, ±inf stays a number.

    Raises
    ------
    ValueError
        If `path` is a file of the source, a new column's name is taken, be it in other capitals, or the
        number of rows differs.
    """
    target, (kind, delimiter, compression) = Path(path), output_format(path)
    with _connected() as connection:
        as_text = kind == "csv" and _format(source)[0] == "csv"
        table = _table(connection, source, numbers, everything_text=as_text)
        _check_target(connection, source, table, list(extra), target)
        if not as_text:
            table = _with_numbers(connection, source, table, numbers)
        connection.register("extra_columns", dict(extra))
        options = f"FORMAT {kind}, COMPRESSION {compression}"
        if kind == "csv":
            options += f", HEADER, DELIMITER {_literal(delimiter)}"
        with replacing(target) as partial:
            query = f"SELECT * FROM {table} POSITIONAL JOIN extra_columns"
            copy = f"COPY ({query}) TO {_literal(partial)} ({options})"
            rows = _run(connection, source, copy).fetchall()[0][0]
            size = len(next(iter(extra.values())))
            # A positional join pads the shorter side; a file of another length has changed meanwhile.
            if (
                rows != size
                or _run(connection, source, f"SELECT count(*) FROM {table}").fetchall()[0][0] != size
            ):
                raise ValueError(f"{_shown(source)} does not have the {size} rows that were decided.")


def check_target(source: str | os.PathLike[str], extra: Sequence[str], path: str | os.PathLike[str]) -> None:
    """Raise what :func:`write_table` would, as far as the values of the columns do not matter."""
    output_format(path)
    with _connected() as connection:
        _check_target(connection, source, _table(connection, source), extra, Path(path))


def output_format(path: str | os.PathLike[str]) -> tuple[str, str, str]:
    """Format, delimiter and compression for a table written to `path`; ValueError if there is none."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no directory {_shown(target.parent)} to write to.")
    return _format(path)


# --- DuckDB --------------------------------------------------------------------------------------


@contextmanager
def _connected() -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    # A path is a path of this machine: no extension is fetched to read one of another.
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    try:
        yield connection
    finally:
        connection.close()


def _run(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], query: str
) -> duckdb.DuckDBPyConnection:
    """Execute one query; what DuckDB complains about becomes one sentence on the source."""
    import duckdb

    try:
        return connection.execute(query)
    except duckdb.Error as error:
        raise _explained(source, error) from None


def _explained(source: str | os.PathLike[str], error: BaseException) -> Exception:
    """What DuckDB complains about, as one sentence on the source."""
    if "OutOfMemory" in type(error).__name__ or "Out of Memory" in str(error):
        return MemoryError(f"not enough memory to read {_shown(source)}: {first_sentence(error)}")
    return ValueError(f"{_shown(source)} cannot be read: {first_sentence(error)}")


def _numpy(connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], query: str) -> list[Array]:
    import duckdb

    result = _run(connection, source, query)
    try:
        return [column for column in result.fetchnumpy().values() if isinstance(column, np.ndarray)]
    except duckdb.Error as error:  # what is wrong further down in the file shows up only now
        raise _explained(source, error) from None


def _filtered(connection: duckdb.DuckDBPyConnection, query: str, table: str, where: str) -> str:
    """The query with a condition, if it is one."""
    import duckdb

    # On lines of its own, so that a comment in it ends with it.
    full = f"{query} WHERE (\n{where}\n)"
    try:
        if not where.strip() or len(connection.extract_statements(full)) != 1:
            raise ValueError(f"where={where!r} is not one condition in SQL.")
        connection.execute(f"SELECT 1 FROM {table} WHERE (\n{where}\n) LIMIT 0")
    except duckdb.Error as error:
        raise ValueError(
            f"where={where!r} is not a condition on this table: {first_sentence(error)}"
        ) from None
    return full


def _format(source: str | os.PathLike[str]) -> tuple[str, str, str]:
    name = os.fspath(source).lower()
    if os.path.isdir(source):
        return _FORMATS[".parquet"]
    for suffix, found in _FORMATS.items():
        if name.endswith(suffix):
            return found
    raise ValueError(f"{_shown(source)} must end in {', '.join(_FORMATS)}, which tells its format.")


def _table(
    connection: duckdb.DuckDBPyConnection,
    source: str | os.PathLike[str],
    text: Sequence[str] = (),
    *,
    everything_text: bool = False,
) -> str:
    """The table function that reads the source."""
    if not os.fspath(source):
        raise ValueError("the name of the table is empty.")
    if "://" in os.fspath(source):
        raise ValueError(f"{_shown(source)} is not a file of this machine; copy it here first.")
    kind, delimiter, _ = _format(source)
    if kind == "parquet":
        return _parquet(connection, source, _patterns(source))
    path = _literal(os.fspath(source))
    if not _run(connection, source, f"SELECT 1 FROM glob({path}) LIMIT 1").fetchall():
        raise FileNotFoundError(f"there is no file {_shown(source)}.")
    options = f", header = true, delim = {_literal(delimiter)}"
    known = _names(connection, source, f"read_csv({path}{options})")
    _refuse_repeated(connection, source, known, f"{path}, delim = {_literal(delimiter)}")
    if everything_text:
        return f"read_csv({path}{options}, all_varchar = true)"
    if text:
        types = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in text if name in known)
        options += f", types = {{{types}}}" if types else ""
    return f"read_csv({path}{options})"


def _patterns(source: str | os.PathLike[str]) -> list[str]:
    """A file or a glob, or the Parquet files below a directory, without what Spark takes for hidden."""
    if not os.path.isdir(source):
        return [os.fspath(source)]
    found = []
    for place, directories, names in os.walk(source):
        # A column of partitions may begin with an underscore.
        directories[:] = sorted(d for d in directories if d[0] != "." and (d[0] != "_" or "=" in d))
        parquet = (name for name in names if name[0] not in "._" and name.lower().endswith(".parquet"))
        found += [os.path.join(place, name) for name in sorted(parquet)]
    if not found:
        raise FileNotFoundError(f"there is no Parquet file in the directory {_shown(source)}.")
    return [re.sub(r"([*?\[])", r"[\1]", path) for path in found]


def _parquet(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], patterns: Sequence[str]
) -> str:
    """The table function that reads Parquet files, with types wide enough for all of them."""
    paths = ", ".join(map(_literal, patterns))
    if len(patterns) == 1:
        files = _run(connection, source, f"SELECT 1 FROM glob({paths}) LIMIT 2").fetchall()
        if not files:
            raise FileNotFoundError(f"there is no file {_shown(source)}.")
        if len(files) == 1:
            return f"read_parquet({paths})"
    # DuckDB would cast all files to the types of the first.
    query = (
        "SELECT count(DISTINCT kinds) FROM (SELECT list((name, type, num_children, converted_type, scale, "
        f"precision, logical_type) ORDER BY name) AS kinds FROM parquet_schema([{paths}]) GROUP BY file_name)"
    )
    differ = _run(connection, source, query).fetchall()[0][0] > 1
    return f"read_parquet([{paths}]{_UNITED if differ else ''})"


def _refuse_parts(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], table: str, columns: Sequence[str]
) -> None:
    """Raise if a column is not in each of several Parquet files, or has types no common one holds."""
    if not table.endswith(f"{_UNITED})"):
        return
    schema = table.removesuffix(f"{_UNITED})").replace("read_parquet", "parquet_schema", 1) + ")"
    whole = "type IN ('INT32', 'INT64') AND coalesce(converted_type, '') NOT SIMILAR TO 'U?INT_(8|16)'"
    for name in columns:
        own = f"lower(name) = lower({_literal(name)})"
        query = (
            f"SELECT file_name, count_if({own}) > 0, count_if({own} AND type = 'FLOAT') > 0, "
            f"count_if({own} AND {whole}) > 0, any_value(num_rows) FROM {schema} "
            f"JOIN {schema.replace('parquet_schema', 'parquet_file_metadata', 1)} USING (file_name) "
            "GROUP BY file_name ORDER BY file_name"
        )
        found = _run(connection, source, query).fetchall()
        absent = [file for file, has, *_, rows in found if rows and not has]
        if absent and any(has for _, has, *_ in found):
            raise ValueError(f"{_shown(absent[0])} has no column {name!r}, which other files have.")
        integers = [file for file, _, _, integer, rows in found if integer and rows]
        if integers and any(single for _, _, single, *_ in found):
            raise ValueError(
                f"column {name!r} holds integers in {_shown(integers[0])} and 32-bit floats in other files, "
                "which would round them; write it with one type."
            )


def _blamed(
    connection: duckdb.DuckDBPyConnection,
    source: str | os.PathLike[str],
    columns: Sequence[str],
    error: ValueError,
) -> ValueError:
    """The error, or that one of several CSV files has no such column."""
    kind, delimiter, _ = _format(source)
    if kind != "csv":
        return error
    files = _run(connection, source, f"SELECT file FROM glob({_literal(os.fspath(source))})").fetchall()
    for (file,) in files if len(files) > 1 else ():
        if not os.path.getsize(file):
            return ValueError(f"{_shown(file)} is empty, without even a header.")
        table = f"read_csv({_literal(file)}, header = true, delim = {_literal(delimiter)})"
        held = _names(connection, file, table)
        for name in columns:
            if name not in held:
                return ValueError(
                    f"{_shown(file)} has no column {name!r}; it has {', '.join(map(repr, held))}."
                )
    return error


def _refuse_repeated(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], known: Sequence[str], file: str
) -> None:
    """Raise if DuckDB renamed a column of a CSV file because another has its name, in whatever capitals."""
    query = f"SELECT * FROM read_csv({file}, header = false, all_varchar = true) LIMIT 1"
    try:
        header = [name or "" for row in _run(connection, source, query).fetchall() for name in row]
    except ValueError:  # a header that does not stand for itself
        return
    if len(header) != len(known):
        return
    folded = [name.lower() for name in header]
    for index, (name, renamed) in enumerate(zip(header, known, strict=True)):
        if name and name != renamed and folded[index] in folded[:index]:
            raise ValueError(f"{_shown(source)} has more than one column {name!r}; rename one of them.")


def _with_numbers(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], table: str, columns: Sequence[str]
) -> str:
    """The table with those columns of text that hold numbers only as numbers."""
    rows = _run(connection, source, f"DESCRIBE SELECT * FROM {table}").fetchall()
    read = {row[0] for row in rows if row[1] == "VARCHAR"}
    text = [name for name in columns if name in read]
    if not text or _format(source)[0] != "csv":
        return table
    value = {name: f"nullif(trim({_name(name)}), '')" for name in text}
    # A cast to an integer would round 1.5, so what is one is told by its digits.
    tests = ", ".join(
        f"count({value[name]}), count_if(regexp_full_match({value[name]}, '[-+]?[0-9]+')), "
        + ", ".join(f"count(TRY_CAST({value[name]} AS {kind}))" for kind in _NUMBERS)
        for name in text
    )
    counts = iter(_run(connection, source, f"SELECT {tests} FROM {table}").fetchall()[0])
    casts = []
    for name in text:
        size, digits, *fits = (next(counts) for _ in range(2 + len(_NUMBERS)))
        whole = digits == size
        kinds = zip(_NUMBERS, fits, strict=True)
        kind = next((k for k, fit in kinds if fit == size and (whole or not k.endswith("INT"))), None)
        if kind is not None:
            casts.append(f"CAST({value[name]} AS {kind}) AS {_name(name)}")
    return f"(SELECT * REPLACE ({', '.join(casts)}) FROM {table})" if casts else table


def _check_target(
    connection: duckdb.DuckDBPyConnection,
    source: str | os.PathLike[str],
    table: str,
    extra: Sequence[str],
    target: Path,
) -> None:
    """Raise if the target is a file that is read, or a new column's name is taken."""
    patterns = ", ".join(map(_literal, _patterns(source)))
    files = _run(connection, source, f"SELECT file FROM glob([{patterns}])").fetchall()
    if target.exists() and any(target.samefile(file) for (file,) in files):
        raise ValueError(f"the output {_shown(target)} is also the table that is read; name another file.")
    # As DuckDB matches names: ignoring case. It would rename the new column silently.
    present = {name.lower(): name for name in reversed(_names(connection, source, table))}
    taken = next((present[name.lower()] for name in extra if name.lower() in present), None)
    if taken is not None:
        raise ValueError(f"{_shown(source)} already has a column {taken!r}.")


def _names(connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], table: str) -> list[str]:
    return [str(row[0]) for row in _run(connection, source, f"DESCRIBE SELECT * FROM {table}").fetchall()]


def _count(connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], table: str) -> int:
    return int(_run(connection, source, f"SELECT count(*) FROM {table}").fetchall()[0][0])


def _require(
    connection: duckdb.DuckDBPyConnection, source: str | os.PathLike[str], table: str, columns: Sequence[str]
) -> None:
    # DuckDB's own matching of names ignores case.
    try:
        present = _names(connection, source, table)
    except ValueError as error:
        raise _blamed(connection, source, columns, error) from None
    for name in columns:
        if name not in present:
            raise ValueError(
                f"{_shown(source)} has no column {name!r}; it has {', '.join(map(repr, present))}."
            )
    _refuse_parts(connection, source, table, columns)


def _whole(array: Any, name: str, missing: bool) -> Array:
    """The column without its mask."""
    missed = np.ma.getmask(array)
    count = int(np.count_nonzero(missed))
    if not count:
        return np.asarray(array)
    if not missing:
        raise ValueError(
            f"column {name!r} has {count} null{'s' * (count > 1)} in {array.size} rows; "
            "leave those rows out first."
        )
    values: Array = np.array(array.data, dtype=array.dtype if array.dtype.kind == "f" else object)
    values[missed] = np.nan if array.dtype.kind == "f" else None
    return values


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _shown(source: str | os.PathLike[str]) -> str:
    return repr(os.fspath(source))


def first_sentence(error: BaseException) -> str:
    """The first line of a longer message, with the reason if it is further down, as one sentence."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    reason = [line for line in lines[1:] if line.startswith("Error when")]
    line = " ".join([lines[0], *reason[:1]])
    return line if line.endswith((".", "!", "?")) else f"{line}."
