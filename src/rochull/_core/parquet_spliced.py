"""Parquet files with more columns: those that are there are copied byte by byte, and not decoded."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from rochull._core.compact_thrift import BINARY, I64, LIST, STRUCT, Record, RecordReader, record_bytes
from rochull._core.file_queries import path_shown

_MAGIC = b"PAR1"
_BUFFER = 1 << 20
_FEW, _SMALL = 16, 1 << 13  # groups, from which these need so many rows: each costs a footer's entry

# Fields of a footer's records.
_SCHEMA, _ROWS, _GROUPS, _TEXTS, _MADE_BY, _ORDERS, _ENCRYPTED = 2, 3, 4, 5, 6, 7, 8  # of a file
_CHUNKS, _SIZE, _GROUP_ROWS, _BEGIN, _PACKED, _NUMBER = 1, 2, 3, 5, 6, 7  # of a group of rows
_ELSEWHERE, _OF_CHUNK, _KEYS = 1, 3, (8, 9)  # of a chunk
_UNPACKED, _LENGTH, _DATA, _INDEX, _DICTIONARY, _BLOOM = (
    6,
    7,
    9,
    10,
    11,
    (14, 15),
)  # in its description
_CHILDREN, _NAME = 5, 4  # of an element of the schema


@dataclass(frozen=True)
class Spliced:
    """Parquet files of one schema, to be written as one.

    Attributes
    ----------
    paths : the files.
    footers : of each.
    rows : how many there are.
    """

    paths: Sequence[str]
    footers: Sequence[Record]
    rows: int

    @classmethod
    def of(cls, paths: Sequence[str], columns: Sequence[str]) -> Spliced | None:
        """The files, if these are the columns of each, written alike in all; else None."""
        try:
            footers = [_footer(path) for path in paths]
            whole = all(_is_whole(footer, columns) and _alike(footer, footers[0]) for footer in footers)
            groups = [group for footer in footers for group in _held(footer, _GROUPS)]
            rows = sum(group[_GROUP_ROWS][1] for group in groups)
        except (OSError, LookupError, TypeError, ValueError):
            return None
        if not whole or not rows or (len(groups) > _FEW and rows < len(groups) * _SMALL):
            return None
        return cls(paths, footers, rows)

    def write(
        self,
        target: str | os.PathLike[str],
        batches: Iterable[Any],
        metadata: Mapping[str, str],
        *,
        plain: bool = False,
    ) -> int:
        """Write all rows, and beside them the columns of some record batches; returns how many those have.

        `metadata` are texts that the file holds. Equal values are written once, those of `plain` columns if
        they come so. Where the batches end too early nothing more is written.
        """
        groups: list[Record] = []
        added, taken = None, _InTurn(batches)
        with open(target, "wb", buffering=_BUFFER) as out:
            out.write(_MAGIC)
            for path, footer in zip(self.paths, self.footers, strict=True):
                with open(path, "rb") as source:
                    for group in _held(footer, _GROUPS):
                        size = group[_GROUP_ROWS][1]
                        table = taken.next(size) if size else None
                        if table is None:
                            continue
                        begin = out.tell()
                        chunks = [_copied(chunk, source, out) for chunk in _held(group, _CHUNKS)]
                        added, others = _encoded(table, out, plain)
                        groups.append(_group(group, [*chunks, *others], begin, out.tell(), len(groups)))
            if added is not None:
                end = record_bytes(self._footer(groups, added, metadata))
                out.write(end + len(end).to_bytes(4, "little") + _MAGIC)
        return taken.rows + taken.left()

    def _footer(self, groups: Sequence[Record], added: Record, metadata: Mapping[str, str]) -> Record:
        first = dict(self.footers[0])
        root, *elements = _held(first, _SCHEMA)
        new = _held(added, _SCHEMA)[1:]
        kind, children = root[_CHILDREN]
        root = root | {_CHILDREN: (kind, children + len(new))}
        first[_SCHEMA] = LIST, (STRUCT, [root, *elements, *new])
        first[_ROWS] = I64, sum(group[_GROUP_ROWS][1] for group in groups)
        first[_GROUPS] = LIST, (STRUCT, groups)
        first.pop(_TEXTS, None)
        if metadata:
            texts = [
                {i + 1: (BINARY, text.encode()) for i, text in enumerate(each)} for each in metadata.items()
            ]
            first[_TEXTS] = LIST, (STRUCT, texts)
        if _ORDERS in first:
            first[_ORDERS] = LIST, (STRUCT, [*_held(first, _ORDERS), *_held(added, _ORDERS)])
        return first


class _InTurn:
    """Record batches, taken so many rows at a time."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches: Iterator[Any] = iter(batches)
        self._left: list[Any] = []
        self.rows = 0

    def next(self, size: int) -> Any:
        """The next rows as a table; None where there are not as many."""
        import pyarrow as pa

        held = sum(map(len, self._left))
        while held < size:
            batch = next(self._batches, None)
            if batch is None:
                return None
            self._left.append(batch)
            held += len(batch)
        table = pa.Table.from_batches(self._left)
        self._left = table.slice(size).to_batches()
        self.rows += size
        return table.slice(0, size)

    def left(self) -> int:
        """How many rows were not taken."""
        return sum(map(len, (*self._left, *self._batches)))


def _held(record: Record, field: int) -> Any:
    """The records of a list."""
    return record[field][1][1]


def _footer(path: str) -> Record:
    with open(path, "rb") as file:
        return _footer_in(file)


def _footer_in(file: BinaryIO) -> Record:
    file.seek(-8, os.SEEK_END)
    size, magic = int.from_bytes(file.read(4), "little"), file.read(4)
    if magic != _MAGIC:
        raise ValueError(magic)
    file.seek(-8 - size, os.SEEK_END)
    return RecordReader(file.read(size)).record()


def _is_whole(footer: Record, columns: Sequence[str]) -> bool:
    """Whether a file has these columns alone, and holds all of their chunks itself."""
    names, inside = [], 0
    for element in _held(footer, _SCHEMA)[1:]:
        if not inside:
            names.append(element[_NAME][1].decode())
        inside += element.get(_CHILDREN, (0, 0))[1] - bool(inside)
    chunks = [chunk for group in _held(footer, _GROUPS) for chunk in _held(group, _CHUNKS)]
    odd = any(_OF_CHUNK not in chunk or not {_ELSEWHERE, *_KEYS}.isdisjoint(chunk) for chunk in chunks)
    return names == list(columns) and not odd and _ENCRYPTED not in footer


def _alike(one: Record, other: Record) -> bool:
    """Whether the schema, who wrote it, and hence what its statistics mean, are the same."""
    same = all(one.get(field) == other.get(field) for field in (_MADE_BY, _ORDERS))
    return same and _held(one, _SCHEMA)[1:] == _held(other, _SCHEMA)[1:]


def _copied(chunk: Record, source: BinaryIO, out: BinaryIO) -> Record:
    """Copy a chunk of a column; its record where it is now."""
    said = dict(chunk[_OF_CHUNK][1])
    places = [said[field][1] for field in (_DATA, _DICTIONARY) if field in said and said[field][1] > 0]
    begin, left = min(places), said[_LENGTH][1]
    moved = out.tell() - begin
    source.seek(begin)
    while left:
        held = source.read(min(left, _BUFFER))
        if not held:
            raise ValueError(f"{path_shown(source.name)} has changed while it was read.")
        out.write(held)
        left -= len(held)
    for field in (_INDEX, *_BLOOM):
        said.pop(field, None)
    for field in (_DATA, _DICTIONARY):
        if field in said and said[field][1] > 0:
            said[field] = said[field][0], said[field][1] + moved
    return {2: (I64, 0), _OF_CHUNK: (STRUCT, said)}


def _encoded(table: Any, out: BinaryIO, plain: bool) -> tuple[Record, list[Record]]:
    """Write the columns of a table; the footer of a file that had them alone, and their records."""
    import pyarrow as pa
    from pyarrow import parquet

    coded = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    held = io.BytesIO()
    with parquet.ParquetWriter(
        held, table.schema, compression="zstd", store_schema=False, use_dictionary=coded if plain else True
    ) as writer:
        writer.write_table(table, row_group_size=len(table))
    footer = _footer_in(held)
    (group,) = _held(footer, _GROUPS)
    return footer, [_copied(chunk, held, out) for chunk in _held(group, _CHUNKS)]


def _group(before: Record, chunks: Sequence[Record], begin: int, end: int, number: int) -> Record:
    """The record of some rows whose chunks stand there."""
    size = sum(chunk[_OF_CHUNK][1][_UNPACKED][1] for chunk in chunks)
    own = {_CHUNKS: (LIST, (STRUCT, list(chunks))), _SIZE: (I64, size), _BEGIN: (I64, begin)}
    found = before | own | {_PACKED: (I64, end - begin)}
    found.pop(_NUMBER, None)  # which may be beyond 16 bits
    return found
