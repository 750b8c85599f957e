"""Packing of labels, beside what each bit should be."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rochull._core.kernels.labels import pack_labels


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 1), max_size=200))
def test_each_bit_is_that_of_its_label(labels: list[int]) -> None:
    out = np.full(-(-len(labels) // 64), 7, np.uint64)
    held = pack_labels(np.array(labels + [0] * (-len(labels) % 64), np.int64), out)
    words = [
        sum((label & 1) << i for i, label in enumerate(labels[k : k + 64])) for k in range(0, len(labels), 64)
    ]
    assert out.tolist() == words
    assert held == int(np.bitwise_or.reduce(np.array(labels, np.int64), initial=0))
