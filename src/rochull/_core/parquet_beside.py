"""Parquet files copied by Arrow with more columns, some rows after the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ROWS, _BYTES = 1 << 20, 1 << 26  # that are in memory together, at most; a row is taken to be of mean size
_BUFFER = 1 << 20
_FEW = 2  # bytes of a text, at most, where these are places in a dictionary
_HEADERS = 1 << 10  # bytes of a column that are not of its values, at most
_MANY = 8  # bytes of a value, at least, where a dictionary was given up, or is as large as the values
_SAMPLE = 1 << 13  # numbers that are compressed, to see whether it pays
_SHRUNK = 0.9  # of the bytes of a column, at most, where it does


class UnreadableError(Exception):
    """Arrow cannot read what may be read otherwise."""


@dataclass(frozen=True)
class ParquetCopy:
    """Parquet files of one schema.

    Attributes
    ----------
    paths : the files.
    schema : of all of them, as Arrow has it.
    rows : how many there are.
    at_once : how many are in memory together.
    dictionaries : columns whose values were written once, and so are again.
    texts : those of them that are texts of which there are few, so that they can be copied as codes.
    """

    paths: Sequence[str]
    schema: Any
    rows: int
    at_once: int
    dictionaries: Sequence[str]
    texts: Sequence[str]

    @classmethod
    def of(cls, paths: Sequence[str], columns: Sequence[str]) -> ParquetCopy | None:
        """The files, if these are the columns of each, in all of the same types; else None.

        None, too, where Arrow is too old to write texts beside the rows (before its version 17).
        """
        import pyarrow as pa
        from pyarrow import parquet

        if not hasattr(parquet.ParquetWriter, "add_key_value_metadata"):
            return None
        schema: Any = None
        rows, size, coded = 0, 0, []
        for path in paths:
            try:
                with parquet.ParquetFile(path) as file:
                    own, footer = file.schema_arrow.remove_metadata(), file.metadata
            except (pa.ArrowException, OSError):
                return None
            if own.names != list(columns) or own != (own if schema is None else schema):
                return None
            for group in map(footer.row_group, range(footer.num_row_groups)):
                size += group.total_byte_size
                if group.num_rows and not rows:
                    chunks = map(group.column, range(group.num_columns))
                    coded = [chunk for chunk in chunks if chunk.has_dictionary_page and _repeats(chunk)]
                rows += group.num_rows
            schema = own
        if not rows:
            return None
        at_once = min(_ROWS, max(1, _BYTES * rows // max(1, size)))
        texts = [field.name for field in schema if pa.types.is_string(field.type)]
        few = [
            chunk.path_in_schema
            for chunk in coded
            if chunk.path_in_schema in texts and chunk.total_uncompressed_size <= _FEW * chunk.num_values
        ]
        return cls(paths, schema, rows, at_once, [chunk.path_in_schema for chunk in coded], few)

    def batches(self, columns: Sequence[str] | None = None, coded: Sequence[str] = ()) -> Iterator[Any]:
        """Yield record batches of all rows in their order, or some columns of them.

        Columns of text that are to be `coded` are dictionaries, and places in these.
        """
        import pyarrow as pa
        from pyarrow import parquet

        how: Any = {"pre_buffer": False, "buffer_size": _BUFFER, "read_dictionary": list(coded)}
        some: Any = {"columns": columns, "use_threads": False}
        try:
            for path in self.paths:
                with parquet.ParquetFile(path, **how) as file:
                    for group in range(file.metadata.num_row_groups):  # or it would read ahead
                        yield from file.iter_batches(self.at_once, row_groups=[group], **some)
        except (pa.ArrowException, OSError) as error:
            raise UnreadableError from error

    def write(
        self,
        target: str | os.PathLike[str],
        columns: Sequence[str],
        added: Callable[[Any], Sequence[Any]],
        metadata: Mapping[str, str],
        coded: Sequence[str] = (),
    ) -> None:
        """Write all rows, and beside each batch new columns, which `added` makes of it.

        Those that are dictionaries are read as their values. `metadata` are texts that the file holds, and
        `coded` is as for :meth:`batches`.
        """
        import pyarrow as pa

        writer = None
        try:
            for batch in self.batches(coded=coded):
                own = added(batch)
                fields = [pa.field(name, array.type) for name, array in zip(columns, own, strict=True)]
                schema = pa.schema([*batch.schema.remove_metadata(), *fields])
                table = pa.Table.from_arrays([*batch.columns, *own], schema=schema)
                if writer is None:
                    writer = self._writer(target, table, columns)
                    writer.add_key_value_metadata(dict(metadata))
                writer.write_table(table, row_group_size=len(batch))
        finally:
            if writer is not None:
                writer.close()

    def _writer(self, target: str | os.PathLike[str], table: Any, columns: Sequence[str]) -> Any:
        """Open the file for rows like these, the first ones; such columns are new."""
        import pyarrow as pa
        from pyarrow import parquet

        new = [name for name in columns if pa.types.is_dictionary(table.schema.field(name).type)]
        coded, leaves = [*self.dictionaries, *new], _leaves(table.schema)
        plain = {name for name in table.column_names if name not in coded}
        random = {name for name in plain if _hardly_shrinks(table.column(name).chunk(0))}
        return parquet.ParquetWriter(
            target, table.schema, store_schema=False, use_dictionary=coded,
            compression={path: "none" if path in random else "zstd" for path in leaves},
            # The least of few values takes longer than they do.
            write_statistics=[path for path in leaves if path not in new],
        )  # fmt: skip


def _repeats(chunk: Any) -> bool:
    """Whether a dictionary is of use: to put together one of values that hardly repeat costs most of all."""
    return bool(chunk.total_uncompressed_size < _MANY * chunk.num_values + _HEADERS)


def _hardly_shrinks(column: Any) -> bool:
    """Whether a column is of random digits: to compress it is a fifth of the time of a copy, for nothing."""
    import pyarrow as pa

    if not pa.types.is_floating(column.type) or len(column) < _SAMPLE:
        return False
    some = pa.py_buffer(numbers_in(column[:_SAMPLE]))
    return bool(pa.compress(some, "zstd").size > _SHRUNK * some.size)


def _leaves(schema: Any) -> list[str]:
    """The columns that a file of such rows has, by their paths: parts of lists and structures too."""
    import pyarrow as pa
    from pyarrow import parquet

    empty = pa.BufferOutputStream()
    parquet.write_table(pa.Table.from_batches([], schema), empty, store_schema=False)
    columns = parquet.ParquetFile(empty.getvalue()).schema
    return [columns.column(i).path for i in range(len(columns))]


def known_values(column: Any) -> tuple[Any, Any]:
    """A column of numbers as an array (n,), and where it has a value (n,); None where it has all."""
    import numpy as np

    from rochull._core.validation import has_nan

    known = None
    if column.null_count:
        known = numbers_in(column.is_valid())
        column = column.fill_null(0)
    values = numbers_in(column)
    if has_nan(values):
        known = ~np.isnan(values) if known is None else known & ~np.isnan(values)
    return values, known


def numbers_in(column: Any) -> Any:
    """An Arrow column without nulls as an array: numbers where they are (to_numpy would import pandas)."""
    import numpy as np
    import pyarrow as pa

    kind, begin, size = column.type, column.offset, len(column)
    if pa.types.is_boolean(kind) and size:
        bits = np.frombuffer(column.buffers()[1], np.uint8)
        return np.unpackbits(bits, count=begin + size, bitorder="little")[begin:].view(bool)
    if (pa.types.is_integer(kind) or pa.types.is_floating(kind)) and size:
        dtype = np.dtype(f"{'f' if pa.types.is_floating(kind) else str(kind)[0]}{kind.bit_width // 8}")
        return np.frombuffer(column.buffers()[1], dtype, size, begin * dtype.itemsize)
    return column.to_numpy(zero_copy_only=False)


def arrow_of(values: Any, missing: Any = None) -> Any:
    """Numbers or truth values (n,) as Arrow has them, null where they are `missing` (n,).

    Arrow's own constructor would import pandas, which takes longer than a million rows.
    """
    import numpy as np
    import pyarrow as pa

    is_truth = values.dtype == bool
    held = np.packbits(values, bitorder="little") if is_truth else np.ascontiguousarray(values)
    there = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    kind = pa.bool_() if is_truth else pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, values.size, [there, pa.py_buffer(held)])


def arrow_texts(values: Any) -> Any:
    """Texts as Arrow has them, likewise."""
    import numpy as np
    import pyarrow as pa

    held = [value.encode() for value in values]
    ends = np.cumsum([0, *map(len, held)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(held), pa.py_buffer(ends), pa.py_buffer(b"".join(held)))
