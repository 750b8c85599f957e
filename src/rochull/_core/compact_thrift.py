"""Records in the compact protocol of Thrift, as the footers of Parquet files are, read and written.

A record is a dictionary from the numbers of its fields to their types and values. Numbers are integers, a
list is its elements' type and the elements, and whatever else is bytes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_LONG = 15  # elements, from which their number follows
Record: TypeAlias = dict[int, tuple[int, Any]]


class RecordReader:
    """Records in bytes; IndexError or ValueError where they are not such."""

    def __init__(self, held: bytes) -> None:
        self.held, self.at = held, 0

    def record(self) -> Record:
        """The next record."""
        held, field, found = self.held, 0, {}
        while head := held[self.at]:
            self.at += 1
            kind = head & 15
            field = field + (head >> 4) if head >> 4 else self._signed()
            found[field] = kind, self._value(kind)
        self.at += 1
        return found

    def _unsigned(self) -> int:
        held, found, shift = self.held, 0, 0
        while True:
            byte = held[self.at]
            self.at += 1
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7

    def _signed(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self.held):
            raise IndexError
        return self.held[self.at - size : self.at]

    def _value(self, kind: int) -> Any:
        if kind in (TRUE, FALSE):
            return None
        if kind in (I16, I32, I64):
            return self._signed()
        if kind == BINARY:
            return self._bytes(self._unsigned())
        if kind == STRUCT:
            return self.record()
        if kind in (LIST, SET):
            head = self._bytes(1)[0]
            size, inner = head >> 4, head & 15
            size = self._unsigned() if size == _LONG else size
            if inner in (TRUE, FALSE):
                return inner, [self._bytes(1) for _ in range(size)]
            return inner, [self._value(inner) for _ in range(size)]
        if kind in (BYTE, DOUBLE):
            return self._bytes(1 if kind == BYTE else 8)
        raise ValueError(f"type {kind}")


def record_bytes(record: Record) -> bytes:
    """The bytes of a record."""
    out = bytearray()
    _write_record(out, record)
    return bytes(out)


def _write_record(out: bytearray, record: Record) -> None:
    before = 0
    for field, (kind, value) in sorted(record.items()):
        step = field - before
        if 0 < step < 16:
            out.append(step << 4 | kind)
        else:
            out.append(kind)
            _write_signed(out, field)
        before = field
        _write_value(out, kind, value)
    out.append(0)


def _write_unsigned(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _write_signed(out: bytearray, value: int) -> None:
    _write_unsigned(out, 2 * value if value >= 0 else -2 * value - 1)


def _write_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in (I16, I32, I64):
        _write_signed(out, value)
    elif kind == BINARY:
        _write_unsigned(out, len(value))
        out += value
    elif kind == STRUCT:
        _write_record(out, value)
    elif kind in (LIST, SET):
        inner, elements = value
        out.append(min(len(elements), _LONG) << 4 | inner)
        if len(elements) >= _LONG:
            _write_unsigned(out, len(elements))
        for each in elements:
            _write_value(out, BYTE if inner in (TRUE, FALSE) else inner, each)
    elif kind in (BYTE, DOUBLE):
        out += value
