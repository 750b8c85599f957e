"""Checksums of the pages of a Parquet file, if its writer left some: DuckDB reads past them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rochull._core.inputs import file_version

# The first page stands behind the file's first four bytes. Its header begins with type, size, size when
# compressed, and the checksum, if it has one: 32-bit integers, each behind a sign that it is the next field.
_NEXT = rb"\x15[\x80-\xff]*[\x00-\x7f]"
_WITH_CHECKSUM = re.compile(rb"PAR1" + 4 * _NEXT, re.DOTALL)
_HEAD = 32  # bytes, more than those take
_BUFFER = 1 << 20
_BATCH = 1 << 17


def has_checksums(path: str) -> bool:
    """Whether the first page has a checksum, as then all have."""
    with open(path, "rb") as file:
        return _WITH_CHECKSUM.match(file.read(_HEAD)) is not None


def is_damaged(path: str, columns: Sequence[str]) -> bool:
    """Whether a page of these columns is not what its checksum says; asked again, a file is not read again.

    What cannot be read for another reason is not: who reads it says why.
    """
    sound = _sound(path, file_version(path))
    unread = [name for name in columns if name not in sound]
    if not unread or not has_checksums(path):
        return False
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(
            path, page_checksum_verification=True, pre_buffer=False, buffer_size=_BUFFER
        ) as file:
            for _ in file.iter_batches(_BATCH, columns=unread):
                pass
    except (pa.ArrowException, OSError) as error:
        return "CRC" in str(error)
    sound.update(unread)
    return False


@lru_cache(1 << 12)
def _sound(path: str, version: object) -> set[str]:
    """The columns of a file whose checksums are right."""
    return set()
