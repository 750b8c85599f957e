"""Numbers of equal rows against a dict; this file runs compiled, and again as plain Python."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rochull._core.kernels import distinct

kernels: Any = distinct


@given(st.integers(1, 3), st.sampled_from([1, 4, 64]), st.booleans(), st.data())
def test_numbers_are_those_of_a_dict(width: int, room: int, alike: bool, data: st.DataObject) -> None:
    word = st.integers(0, 2**32 - 1) if data.draw(st.booleans()) else st.integers(0, 2)
    rows = data.draw(st.lists(st.lists(word, min_size=width, max_size=width), max_size=40))
    words = np.array(rows, np.uint32).reshape(len(rows), width)
    # Factors of zero give all rows one hash, so that every one is compared with all before it.
    factors = np.zeros(width, np.uint64) if alike else np.arange(1, 2 * width, 2, dtype=np.uint64)
    first, numbers = np.empty((2, len(rows)), np.int64)
    found = kernels.number_rows(words, factors, room, first, numbers)
    known: dict[tuple[int, ...], int] = {}
    assert numbers.tolist() == [known.setdefault(tuple(row), len(known)) for row in rows]
    assert first[:found].tolist() == [rows.index(list(row)) for row in known]


@given(st.lists(st.binary(max_size=6).map(lambda text: text.replace(b"\0", b"")), min_size=1, max_size=20))
def test_texts_are_parted(texts: list[bytes]) -> None:
    rows = np.zeros((len(texts), 7), np.uint8)
    kernels.part_texts(np.frombuffer(b"\0".join(texts), np.uint8), rows)
    assert [bytes(row).rstrip(b"\0") for row in rows] == texts
