"""Records in Thrift's compact protocol, read and written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull._core import compact_thrift as thrift

NUMBERS = st.sampled_from([thrift.I16, thrift.I32, thrift.I64])


def _values(records: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[int, Any]]:
    """Types with values."""
    whole = st.integers(-(2**63), 2**63 - 1)
    plain = st.one_of(
        st.tuples(NUMBERS, whole),
        st.tuples(st.just(thrift.BINARY), st.binary(max_size=200)),
        st.tuples(st.just(thrift.DOUBLE), st.binary(min_size=8, max_size=8)),
        st.tuples(st.just(thrift.BYTE), st.binary(min_size=1, max_size=1)),
        st.tuples(st.sampled_from([thrift.TRUE, thrift.FALSE]), st.none()),
    )
    lists = st.one_of(
        st.tuples(st.just(thrift.I32), st.lists(whole, max_size=20)),
        st.tuples(st.just(thrift.STRUCT), st.lists(records, max_size=3)),
        st.tuples(st.just(thrift.TRUE), st.lists(st.binary(min_size=1, max_size=1), max_size=3)),
    )
    kinds = st.sampled_from([thrift.LIST, thrift.SET])
    return st.one_of(plain, st.tuples(kinds, lists), st.tuples(st.just(thrift.STRUCT), records))


RECORDS = st.deferred(lambda: st.dictionaries(st.integers(1, 2**15 - 1), _values(RECORDS), max_size=4))


@given(RECORDS, st.integers(0, 40))
def test_a_record_is_read_as_it_was_written(record: thrift.Record, cut: int) -> None:
    held = thrift.record_bytes(record)
    reader = thrift.RecordReader(held + b"more")
    assert reader.record() == record
    assert reader.at == len(held)
    with pytest.raises((IndexError, ValueError)):
        thrift.RecordReader(held[: max(0, len(held) - 1 - cut)]).record()


def test_a_map_is_not_read() -> None:
    with pytest.raises(ValueError, match="type 11"):
        thrift.RecordReader(bytes([1 << 4 | thrift.MAP, 0, 0])).record()
