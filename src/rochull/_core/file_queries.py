"""Tables in files as DuckDB reads them: one file, a glob, or a directory of Parquet files.

Names and paths are quoted, so whatever they hold is a name or a path; the one piece of SQL is `where`, which
the user writes on purpose.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.decimals import beyond_float64
from rochull._core.extras import require
from rochull._core.inputs import asked_once, look_at
from rochull._core.messages import Advice, Refusal, Setting
from rochull._core.missing_words import missing_words, no_number, refuse_words
from rochull._core.page_checksums import is_damaged
from rochull._core.table_errors import beyond_64_bits, is_made_up, no_column, refuse_alike
from rochull._core.validation import Array, objects

if TYPE_CHECKING:
    import duckdb

Source = str | os.PathLike[str]

# Suffix of a name -> (format, delimiter, compression of what is written).
_FORMATS = {
    ".parquet": ("parquet", "", "zstd"),
    ".csv": ("csv", ",", "none"),
    ".csv.gz": ("csv", ",", "gzip"),
    ".tsv": ("csv", "\t", "none"),
}

# First bytes of files that are not text, whatever the name says.
_NO_TEXT = {
    b"PK\x03\x04": "a zip archive, or a workbook of Excel: unpack it, or save it as CSV",
    b"\x1f\x8b": "compressed by gzip: let its name end in .csv.gz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd: unpack it",
    b"PAR1": "a Parquet file: let its name end in .parquet",
}
_DELIMITERS = (";", "\t", "|")  # where a header has none of the usual ones
_UNDIVIDED = " (a comma, semicolon, tab or bar tells columns apart)"
_LONGEST_HEADER = 1 << 22
_CONVERTED = "iconv -f {} -t UTF-8 OLD.csv > NEW.csv"
_NOT_UTF8 = re.compile(r"(?i)not utf-?8|invalid unicode|utf-8 encoded")

_UNITED = ", union_by_name = true"

_IRREGULAR = "not possible to automatically detect the CSV"

# Where DuckDB refers to its pages, from the clause on that does so.
_ADDRESS = re.compile(r"\s*\(https?://.*|[^.;:!?(]*https?://.*")

# How DuckDB begins the line of a longer message that tells what is wrong.
_REASONS = ("Error when", "Expected Number of Columns", "Value with unterminated quote")

# How a table begins that is files alone.
_OF_FILES = ("read_csv(", "read_parquet(")

# Types for a column of numbers written as text; the first that fits all of them is taken.
_NUMBERS = ("BIGINT", "UBIGINT", "DOUBLE", "BOOLEAN")


@dataclass(frozen=True, eq=False)
class TableFile:
    """A file, a glob of files or a directory, on a connection of DuckDB.

    Attributes
    ----------
    connection : the connection that reads it.
    source : the path.
    """

    connection: duckdb.DuckDBPyConnection
    source: Source

    @property
    def shown(self) -> str:
        """Its name in messages."""
        return path_shown(self.source)

    @property
    def kind(self) -> str:
        """Its format: "parquet" or "csv"."""
        return file_format(self.source)[0]

    # --- queries ---------------------------------------------------------------------------------

    def run(self, query: str) -> duckdb.DuckDBPyConnection:
        """Execute one query; what DuckDB complains about becomes one sentence on the source."""
        import duckdb

        try:
            return self.connection.execute(query)
        except duckdb.Error as error:
            raise self._explained(error) from None

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a short answer."""
        return self.run(query).fetchall()

    def types(self, table: str) -> dict[str, str]:
        """The type of every column."""
        query = f"DESCRIBE SELECT * FROM {table}"
        rows = asked_once(query, self.rows) if table.startswith(_OF_FILES) else self.rows(query)
        return {str(row[0]): str(row[1]) for row in rows}

    def count(self, table: str) -> int:
        """How many rows there are."""
        return int(self.rows(f"SELECT count(*) FROM {table}")[0][0])

    def _explained(self, error: BaseException) -> Exception:
        """Word an error of DuckDB as one sentence on the source."""
        if "No space left" in str(error):
            return OSError("there is no room on the disk.")
        if "File too large" in str(error):
            return OSError("a file would be larger than this user or this disk may write.")
        if "OutOfMemory" in type(error).__name__ or "Out of Memory" in str(error):
            return MemoryError(f"not enough memory to read {self.shown}.")
        if self.kind == "csv" and _NOT_UTF8.search(str(error)):
            return ValueError(
                f"{self.shown} is not UTF-8 text; if it comes from Windows it is cp1252: write it anew as "
                f"UTF-8, such as by {_CONVERTED.format('cp1252')}."
            )
        if self.kind == "csv" and _IRREGULAR in str(error):
            return ValueError(
                f"{self.shown} is not a regular CSV file: the first line must name the columns, every row "
                "must have as many, and a value that begins with a double quote must end with one."
            )
        return ValueError(f"{self.shown} cannot be read: {first_sentence(error)}")

    def arrays(self, query: str) -> list[Array]:
        """The columns of an answer (n,); masked where they have nulls."""
        import duckdb

        result = self.run(query)
        try:
            return [
                _readable(column) for column in result.fetchnumpy().values() if isinstance(column, np.ndarray)
            ]
        except duckdb.Error as error:  # what is wrong further down in the file shows up only now
            raise self._explained(error) from None

    def filtered(self, query: str, table: str, where: str) -> str:
        """The query with a condition, if it is one."""
        import duckdb

        types = self.types(table)
        keep_nan(self.connection, where, types)
        self._refuse_renamed(types, named_in(where, types))
        # On lines of its own, so that a comment in it ends with it.
        full = f"{query} WHERE (\n{where}\n)"
        try:
            if not where.strip() or len(self.connection.extract_statements(full)) != 1:
                raise Refusal("{} is not one condition in SQL.", Setting("where", where))
            self.connection.execute(f"EXPLAIN SELECT 1 FROM {table} WHERE (\n{where}\n)")  # reads no rows
        except duckdb.Error as error:
            raise Refusal(
                "{} is not a condition on this table: {}", Setting("where", where), first_sentence(error)
            ) from None
        return full

    # --- what stands after FROM ------------------------------------------------------------------

    def table(self, text: Sequence[str] = (), *, everything_text: bool = False) -> str:
        """The table function that reads the source."""
        if not os.fspath(self.source):
            raise ValueError("the name of the table is empty.")
        if "://" in os.fspath(self.source):
            raise ValueError(f"{self.shown} is not a file of this machine; copy it here first.")
        look_at(os.fspath(self.source), self.files())
        if self.kind == "parquet":
            refuse_words(self.shown)
            return self.parquet(patterns_of(self.source))
        path = f"[{', '.join(map(literal, patterns_of(self.source)))}]"
        delimiter = self._delimiter(path)
        known = list(self.types(csv_of(path, delimiter)))
        self._refuse_repeated(known, path, delimiter)
        if everything_text:
            return csv_of(path, delimiter, all_varchar="true")  # as it is written
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in text if name in known)
        given = {"types": f"{{{types}}}"} if types else {}
        if words := missing_words():
            given["nullstr"] = f"[{', '.join(map(literal, dict.fromkeys(['', *words])))}]"
        return csv_of(path, delimiter, **given)

    def files(self) -> list[str]:
        """The files that there are now."""
        if os.path.isfile(self.source):
            return [os.fspath(self.source)]
        patterns = ", ".join(map(literal, patterns_of(self.source)))
        return [str(file) for (file,) in self.rows(f"SELECT file FROM glob([{patterns}])")]

    def _delimiter(self, path: str) -> str:
        """The delimiter of the first CSV file."""
        files = asked_once(f"SELECT file FROM glob({path}) LIMIT 1", self.rows)
        if not files:
            raise FileNotFoundError(f"there is no file {self.shown}.")
        return delimiter_of(files[0][0])

    def copied_to(self, target: Path, metadata: Mapping[str, str]) -> tuple[str, str]:
        """The options of a COPY to `target`, and what then stands between the columns: as in this file.

        A Parquet file holds `metadata` beside its columns.
        """
        kind, delimiter, compression = file_format(target)
        options = f"FORMAT {kind}, COMPRESSION {compression}, USE_TMP_FILE false"
        if kind != "csv":
            held = ", ".join(f"{literal(name)}: {literal(text)}" for name, text in metadata.items())
            return f"{options}, KV_METADATA {{{held}}}" if held else options, delimiter
        if delimiter == file_format(self.source)[1]:
            delimiter = self._delimiter(f"[{', '.join(map(literal, patterns_of(self.source)))}]")
        return f"{options}, HEADER, DELIMITER {literal(delimiter)}", delimiter

    def parquet(self, patterns: Sequence[str]) -> str:
        """The table function that reads Parquet files, with types wide enough for all of them."""
        paths = ", ".join(map(literal, patterns))
        if len(patterns) == 1:
            files = self.rows(f"SELECT 1 FROM glob({paths}) LIMIT 2")
            if not files:
                raise FileNotFoundError(f"there is no file {self.shown}.")
            if len(files) == 1:
                return f"read_parquet({paths})"
        # DuckDB would cast all files to the types of the first.
        query = (
            "SELECT count(DISTINCT kinds) FROM (SELECT list((name, type, num_children, converted_type, "
            "scale, precision, logical_type) ORDER BY name) AS kinds "
            f"FROM parquet_schema([{paths}]) GROUP BY file_name)"
        )
        differ = self.rows(query)[0][0] > 1
        return f"read_parquet([{paths}]{_UNITED if differ else ''})"

    def with_numbers(self, table: str, columns: Sequence[str], required: Collection[str] = ()) -> str:
        """The table with those columns of text that hold numbers only as numbers.

        Raise if one that is `required` holds numbers and words.
        """
        types = self.types(table)
        text = [name for name in columns if types.get(name) == "VARCHAR"]
        if not text or self.kind != "csv":
            return table
        value = {name: bare(name) for name in text}
        # A cast to an integer would round 1.5, so its digits decide whether it is one.
        beyond = {name: _is_beyond(value[name]) for name in text}
        tests = ", ".join(
            f"count({value[name]}), count_if(regexp_full_match({value[name]}, '[-+]?[0-9]+')), "
            f"count_if({beyond[name]}), "
            + ", ".join(f"count(TRY_CAST({value[name]} AS {kind}))" for kind in _NUMBERS)
            for name in text
        )
        counts = iter(self.rows(f"SELECT {tests} FROM {table}")[0])
        casts = []
        for name in text:
            size, digits, infinite, *fits = (next(counts) for _ in range(3 + len(_NUMBERS)))
            whole = digits == size
            kinds = zip(_NUMBERS, fits, strict=True)
            kind = next((k for k, fit in kinds if fit == size and (whole or not k.endswith("INT"))), None)
            if infinite and kind == "DOUBLE":
                found = self.rows(f"SELECT {value[name]} FROM {table} WHERE {beyond[name]} LIMIT 1")
                raise beyond_float64(found[0][0], f"column {name!r}: ")
            if whole and kind == "DOUBLE":
                as_double = f"TRY_CAST(CAST({value[name]} AS DOUBLE) AS HUGEINT)"
                rounded = f"count_if(TRY_CAST({value[name]} AS HUGEINT) <> {as_double})"
                if self.rows(f"SELECT {rounded} FROM {table}")[0][0]:
                    raise beyond_64_bits(f"column {name!r}")
            if kind is None and name in required and any(fits):
                self._refuse_word(table, name)
            if kind is not None:
                casts.append(f"CAST({value[name]} AS {kind}) AS {quoted(name)}")
        return f"(SELECT * REPLACE ({', '.join(casts)}) FROM {table})" if casts else table

    # --- checks ----------------------------------------------------------------------------------

    def _refuse_word(self, table: str, name: str) -> None:
        """Raise with the words in a column of numbers."""
        word = f"{bare(name)} IS NOT NULL AND TRY_CAST({bare(name)} AS DOUBLE) IS NULL"
        each = f"SELECT {quoted(name)}, count(*) AS n FROM {table} WHERE {word} GROUP BY 1 ORDER BY 2 DESC, 1"
        if found := self.rows(f"{each} LIMIT 3"):
            distinct, wrong = self.rows(f"SELECT count(*), sum(n) FROM ({each})")[0]
            raise no_number(name, (int(wrong), self.count(table)), found, distinct)

    def require_columns(self, table: str, columns: Sequence[str]) -> None:
        """Raise unless the columns are there; DuckDB itself matches names in whatever capitals."""
        try:
            present = self.types(table)
        except ValueError as error:
            raise self._blamed(columns, error) from None
        self._refuse_renamed(present, columns)
        absent = next((name for name in columns if name not in present), None)
        if absent is not None:
            one = self.kind == "csv" and len(present) == 1
            raise no_column(self.shown, absent, present, _UNDIVIDED if one else "")
        self.refuse_parts(table, columns)
        if self.kind == "parquet":
            self._refuse_damaged(columns)

    def _refuse_renamed(self, present: Collection[str], columns: Collection[str]) -> None:
        """Raise if one of the columns of a Parquet file was renamed by DuckDB, or another is like it."""
        if self.kind != "parquet" or not any(is_made_up(name, present) for name in present):
            return
        parquet, held = require("pyarrow.parquet", "files"), []
        for file in self.files():
            own = parquet.read_schema(file).names
            refuse_alike(path_shown(file), columns, own)
            held += own
        for name in columns:
            if name not in held and is_made_up(name, present):
                raise no_column(self.shown, name, dict.fromkeys(held))

    def refuse_parts(self, table: str, columns: Sequence[str]) -> None:
        """Raise if a column is not in each of several Parquet files, or has types no common one holds."""
        if not table.endswith(f"{_UNITED})"):
            return
        schema = table.removesuffix(f"{_UNITED})").replace("read_parquet", "parquet_schema", 1) + ")"
        whole = "type IN ('INT32', 'INT64') AND coalesce(converted_type, '') NOT SIMILAR TO 'U?INT_(8|16)'"
        for name in columns:
            own = f"lower(name) = lower({literal(name)})"
            query = (
                f"SELECT file_name, count_if({own}) > 0, count_if({own} AND type = 'FLOAT') > 0, "
                f"count_if({own} AND {whole}) > 0, any_value(num_rows) FROM {schema} "
                f"JOIN {schema.replace('parquet_schema', 'parquet_file_metadata', 1)} USING (file_name) "
                "GROUP BY file_name ORDER BY file_name"
            )
            found = self.rows(query)
            absent = [file for file, has, *_, rows in found if rows and not has]
            if absent and any(has for _, has, *_ in found):
                raise ValueError(f"{path_shown(absent[0])} has no column {name!r}, which other files have.")
            integers = [file for file, _, _, integer, rows in found if integer and rows]
            if integers and any(single for _, _, single, *_ in found):
                raise ValueError(
                    f"column {name!r} holds integers in {path_shown(integers[0])} and 32-bit floats in other "
                    "files, which would round them; write it with one type."
                )

    def _refuse_damaged(self, columns: Sequence[str]) -> None:
        """Raise if a Parquet file has checksums, and they say that other bytes were written."""
        for file in self.files():
            if is_damaged(file, columns):
                raise ValueError(
                    f"{path_shown(file)} is damaged: its bytes are not those that were written, as its "
                    "checksums tell; copy it anew, or write it again."
                )

    def _blamed(self, columns: Sequence[str], error: ValueError) -> ValueError:
        """The error, or that one of several CSV files has no such column."""
        if self.kind != "csv":
            return error
        files = self.files()
        for file in files if len(files) > 1 else ():
            table = csv_of(literal(file), delimiter_of(file))
            held = TableFile(self.connection, file).types(table)
            absent = next((name for name in columns if name not in held), None)
            if absent is not None:
                return no_column(path_shown(file), absent, held)
        return error

    def _refuse_repeated(self, known: Sequence[str], path: str, delimiter: str) -> None:
        """Raise if DuckDB renamed a column because another has its name, in whatever capitals."""
        query = f"SELECT * FROM {csv_of(path, delimiter, header='false', all_varchar='true')} LIMIT 1"
        try:
            header = [name or "" for row in asked_once(query, self.rows) for name in row]
        except ValueError:  # a header that does not stand for itself
            return
        if len(header) != len(known):
            return
        folded = [name.lower() for name in header]
        for index, (name, renamed) in enumerate(zip(header, known, strict=True)):
            if name and name != renamed and folded[index] in folded[:index]:
                raise ValueError(f"{self.shown} has more than one column {name!r}; rename one of them.")

    def check_target(self, table: str, extra: Sequence[str], target: Path) -> None:
        """Raise if the target is a file that is read, or a new column's name is taken."""
        if target.exists() and any(target.samefile(file) for file in self.files()):
            raise ValueError(
                f"the output {path_shown(target)} is also the table that is read; name another file."
            )
        # As DuckDB matches names: ignoring case. It would rename the new column silently.
        types = self.types(table)
        self._refuse_renamed(types, types)
        present = {name.lower(): name for name in reversed(types)}
        taken = next((present[name.lower()] for name in extra if name.lower() in present), None)
        if taken is not None:
            raise Refusal("{} already has a column {}. {}", self.shown, repr(taken), Advice("prefix", ""))


def named_in(where: str, names: Iterable[str]) -> list[str]:
    """The columns that a condition may be on."""
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", where, re.IGNORECASE)]


def keep_nan(connection: duckdb.DuckDBPyConnection, where: str, types: Mapping[str, str]) -> None:
    """See to it that no rows are passed over by what files state of a column, where these may be of NaN."""
    floats = (name for name, kind in types.items() if "FLOAT" in kind or "DOUBLE" in kind)
    if any(name.lower() in where.lower() for name in floats):
        connection.execute("SET disabled_optimizers = 'statistics_propagation,filter_pushdown'")


def _readable(column: Array) -> Array:
    """The column, in which bytes can be labels: DuckDB has them as byte arrays."""
    if column.dtype == object:
        held = np.flatnonzero(~np.ma.getmaskarray(column))
        if held.size and type(column[held[0]]) is bytearray:
            column[held] = objects([bytes(value) for value in column[held]])
    return column


# --- names and texts -----------------------------------------------------------------------------


def file_format(source: Source) -> tuple[str, str, str]:
    """Format, delimiter and compression of a table, by the end of its name."""
    name = os.fspath(source).lower()
    if os.path.isdir(source):
        return _FORMATS[".parquet"]
    for suffix, found in _FORMATS.items():
        if name.endswith(suffix):
            return found
    raise ValueError(f"{path_shown(source)} must end in {', '.join(_FORMATS)}, which tells its format.")


def csv_of(path: str, delimiter: str, **options: str) -> str:
    """The table function that reads CSV files; `path` and the values of the options are SQL.

    DuckDB would guess from apostrophes that they quote, from # that a comment begins, and from rows further
    down that a table begins there, and pass over rows.
    """
    said = {"delim": literal(delimiter), "quote": "'\"'", "comment": "''", "skip": "0"}
    given = {"header": "true"} | said | options
    return f"read_csv({path}, {', '.join(f'{name} = {value}' for name, value in given.items())})"


def delimiter_of(path: str) -> str:
    """The delimiter of a CSV file: by its name, or else by its header."""
    usual = file_format(path)[1]
    with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as file:
        header = file.readline(_LONGEST_HEADER)
        more = b"" if header.strip() else file.read(_LONGEST_HEADER)
    kind = next((kind for mark, kind in _NO_TEXT.items() if header.startswith(mark)), None)
    if kind is not None:
        raise ValueError(f"{path_shown(path)} is not a CSV file, but {kind}.")
    if header[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) or b"\0" in header:
        raise ValueError(
            f"{path_shown(path)} is not UTF-8 text, but UTF-16: write it anew as UTF-8, such as by "
            f"{_CONVERTED.format('UTF-16')}."
        )
    if not header.strip():
        if not more.strip():
            raise ValueError(f"{path_shown(path)} is empty, without even a header.")
        raise ValueError(
            f"{path_shown(path)} begins with an empty line, but the first line must name the columns; remove "
            "what is before them."
        )
    return divider(header.decode("latin-1"), usual)


def divider(header: str, usual: str) -> str:
    """Find the delimiter between the names of columns: the usual one, or else one of a few others."""
    bare = re.sub(r'"[^"]*"', "", header)
    return next((mark for mark in (usual, *_DELIMITERS) if mark in bare), usual)


def patterns_of(source: Source) -> list[str]:
    """A file or a glob, or the Parquet files below a directory, without what Spark takes for hidden.

    What exists is a file, whatever signs its name has.
    """
    try:
        os.fspath(source).encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{path_shown(source)} is a name that is not UTF-8, which DuckDB cannot read."
        ) from None
    if os.path.isfile(source):
        return [_only(os.fspath(source))]
    if os.path.exists(source) and not os.path.isdir(source):
        raise ValueError(f"{path_shown(source)} is not a regular file, which is read more than once.")
    if not os.path.isdir(source):
        pattern = os.fspath(source)
        return (sorted(glob(pattern, recursive=True)) if _has_backslash(pattern) else []) or [pattern]
    found = []
    for place, directories, names in os.walk(source):
        # A column of partitions may begin with an underscore.
        directories[:] = sorted(d for d in directories if d[0] != "." and (d[0] != "_" or "=" in d))
        parquet = (name for name in names if name[0] not in "._" and name.lower().endswith(".parquet"))
        found += [os.path.join(place, name) for name in sorted(parquet)]
    if not found:
        raise FileNotFoundError(f"there is no Parquet file in the directory {path_shown(source)}.")
    return list(map(_only, found))


def _only(path: str) -> str:
    """The pattern of one file. DuckDB finds no pattern where a name has a backslash, but the name itself."""
    return path if _has_backslash(path) else re.sub(r"([*?\[])", r"[\1]", path)


def _has_backslash(path: str) -> bool:
    """Whether a backslash is part of a name, and not what stands between names."""
    return os.sep == "/" and "\\" in path


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def bare(name: str) -> str:
    """A column of text in SQL, without the blanks around its values; null where that is empty or missing."""
    value, words = f"trim({quoted(name)})", missing_words()
    if not words:
        return f"nullif({value}, '')"
    return f"CASE WHEN {value} NOT IN ({', '.join(map(literal, ['', *words]))}) THEN {value} END"


def _is_beyond(value: str) -> str:
    """Whether a text is a number so large that a double of it is infinite, as nobody wrote."""
    return f"isinf(TRY_CAST({value} AS DOUBLE)) AND NOT regexp_full_match({value}, '(?i)[-+]?inf(inity)?')"


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def path_shown(source: Source) -> str:
    """Name a path in messages."""
    return repr(os.fspath(source))


def first_sentence(error: BaseException) -> str:
    """The first line of a longer message, with the reason if it is further down, as one sentence."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    reason = [line for line in lines[1:] if line.startswith(_REASONS)]
    line = _ADDRESS.sub("", " ".join([lines[0], *reason[:1]]))
    return line if line.endswith((".", "!", "?")) else f"{line}."
