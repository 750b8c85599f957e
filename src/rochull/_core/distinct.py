"""Which values of a column differ, before anybody orders them."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rochull._core.first_use import without_arrow, without_kernels

Array = NDArray[Any]

_COUNTED = 1 << 16
_MANY = 1 << 12  # values, from which a loop over their bits is faster than sets of Python
_ROWS = 4  # that take as long as a value does here
_ROOM = 1 << 8
_SPARSE = 8  # times as much room as texts take, beyond which they are not given rows of one length
_PIECE = 1 << 12  # texts that are joined at once: they stay in cache while Python goes over them
_ODD = np.uint64(0x9E3779B97F4A7C15)


def few_integers(values: Array) -> tuple[Array, list[int]] | None:
    """Places (n,) of integers among the values that occur, which ascend: counted, not sorted."""
    if values.dtype.kind not in "iu":
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= _COUNTED:
        return None
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    offset = (wide - wide.dtype.type(low)).astype(np.intp, copy=False)
    present = np.bincount(offset) > 0
    codes = offset if present.all() else (np.cumsum(present) - 1)[offset]
    return codes, [low + at for at in np.flatnonzero(present).tolist()]


def texts_as_objects(values: Any) -> Any:
    """Make objects of texts in a list or in polars; anything else is returned.

    NumPy would make rows of the longest of them, and leave out a NUL at the end.
    """
    if str(getattr(values, "dtype", "")).startswith(("String", "Categorical", "Enum")):
        values = values.to_list()
    elif not isinstance(values, (list, tuple)) or not values or not isinstance(values[0], str):
        return values
    return np.fromiter(values, object, len(values))


def of_categories(values: Any) -> tuple[Array, Any] | None:
    """Places (n,) of the rows of a column of pandas or Arrow among its categories, and these as they occur.

    None of other columns, and where a value is missing.
    """
    column = getattr(values, "array", values)
    codes, categories = _of_arrow(values) or (getattr(column, name, None) for name in ("codes", "categories"))
    if not isinstance(codes, np.ndarray) or categories is None or not codes.size or codes.min() < 0:
        return None
    places, present = few_integers(codes) or np.unique(codes, return_inverse=True)[::-1]
    order = np.argsort(_first(places, len(present)))
    return np.argsort(order)[places], categories[np.asarray(present)[order]]


def _of_arrow(values: Any) -> tuple[Array, Array] | None:
    """The codes and the dictionary of many texts that Arrow holds, with no object of Python for each."""
    dtype = getattr(values, "dtype", None)  # what pandas holds otherwise it would write anew
    if getattr(dtype, "type", str) is not str or getattr(dtype, "storage", None) == "python":
        return None
    whole = hasattr(values, "__arrow_c_array__")
    if not (whole or hasattr(values, "__arrow_c_stream__")) or getattr(values, "ndim", 1) != 1:
        return None
    if len(values) < _MANY or without_arrow(len(values)):
        return None
    try:
        import pyarrow as pa

        column = pa.chunked_array([pa.array(values)] if whole else values)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if "string" not in str(kind):
            return None
        coded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    except (ImportError, TypeError, ValueError, NotImplementedError):  # of texts that are not Unicode too
        return None
    if coded.null_count or coded.dictionary.null_count:
        return None
    return coded.indices.to_numpy(), coded.dictionary.to_numpy(zero_copy_only=False)


def first_of_each(values: Array) -> tuple[Array, Array] | None:
    """Rows that hold each value first, ascending, and the place (n,) among these of every row's value.

    Texts and integers are the same if their bits are; objects, if they are one object, or equal where hardly
    any row has another's object. What is equal beside that has to be found among the rows that are returned.
    None where all rows are best looked at.
    """
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind not in "OSUiu" or values.size < _MANY or without_kernels(_ROWS * values.size):
        return None
    if kind == "O" and len(set(map(id, values[:_MANY].tolist()))) == _MANY:
        if (rows := _letters(values)) is None:
            return _first_of_equals(values)
        values = rows
    elif size % 4:
        values = values.astype(f"{kind}{size + 4 - size % 4}")
    from rochull._core.kernels import distinct as kernels

    words = np.frombuffer(np.ascontiguousarray(values), np.uint32).reshape(len(values), -1)
    factors = (np.arange(words.shape[1], dtype=np.uint64) * _ODD) ^ _ODD | np.uint64(1)
    first, numbers = np.empty((2, len(values)), np.int64)
    found = kernels.number_rows(words, factors, _ROOM, first, numbers)
    return first[:found], numbers


def _letters(values: Array) -> Array | None:
    """The letters of objects that are texts, a row of bytes for each: Python would hash one after the other.

    None of other objects, of texts with a zero in them, and where few texts are much longer than the others.
    """
    from rochull._core.kernels import distinct as kernels

    pieces, longest = [], 0
    try:
        for at in range(0, values.size, _PIECE):
            texts = ["", *values[at : at + _PIECE].tolist(), ""]
            letters = np.frombuffer("\0".join(texts).encode("utf-8", "surrogatepass"), np.uint8)
            zeros = np.flatnonzero(letters == 0)
            if zeros.size != len(texts) - 1:
                return None
            pieces.append(letters[1:-1])
            longest = max(longest, int(np.diff(zeros).max()) - 1)
    except TypeError:
        return None
    if longest * values.size > _SPARSE * sum(letters.size for letters in pieces):
        return None
    rows = np.zeros((values.size, 4 * (longest // 4 + 1)), np.uint8)
    for at, letters in enumerate(pieces):
        kernels.part_texts(letters, rows[at * _PIECE : (at + 1) * _PIECE])
    return rows


def _first_of_equals(values: Array) -> tuple[Array, Array] | None:
    """The same by Python's hashes; None where something has none."""
    known: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        numbers = np.fromiter(map(known.__getitem__, values.tolist()), np.int64, values.size)
    except TypeError:
        return None
    return _first(numbers, len(known)), numbers


def _first(numbers: Array, found: int) -> Array:
    """The first row (found,) of each number."""
    first = np.empty(found, np.int64)
    first[numbers[::-1]] = np.arange(numbers.size - 1, -1, -1)  # the last that is written stays
    return first
