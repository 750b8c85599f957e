"""Wide labels as bits, and that they are refused as labels are that are not packed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rochull._core import label_bits
from rochull._core.validation import labelled


@given(st.lists(st.integers(-2, 2) | st.integers(0, 1), min_size=1, max_size=300), st.sampled_from("uilb"))
def test_wide_labels_are_packed(values: list[int], kind: str) -> None:
    labels = np.repeat(np.array(values), 2).astype({"u": "u8", "i": "i4", "l": "i8", "b": "i1"}[kind])[::2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_bits, "_PART", 64)
        bits, held = label_bits.packed_labels(labels)
        patch.setattr(label_bits, "without_kernels", lambda rows: True)
        plain = label_bits.packed_labels(labels)
    shown = np.unpackbits(bits.astype("<u8").view(np.uint8), bitorder="little")
    assert shown.tolist() == [v & 1 for v in values] + [0] * (shown.size - len(values))
    assert held == int(np.bitwise_or.reduce(labels.astype(np.int64)))
    assert (bits.tolist(), held) == (plain[0].tolist(), plain[1])


@pytest.mark.parametrize("odd", [None, 0, 1, 2, -1])
@pytest.mark.parametrize("size", [64, 65, 130])
def test_many_labels_are_refused_as_few_are(odd: int | None, size: int) -> None:
    labels = np.arange(size) % 2 if odd is None else np.full(size, odd)
    if odd in (2, -1):
        labels[:-1] = np.arange(size - 1) % 2
    found = []
    for least in (64, 1 << 17):
        for container in (labels, pd.Series(labels), np.repeat(labels, 2)[::2]):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(label_bits, "_PART", least)
                try:
                    data = labelled(container, np.arange(size))
                except ValueError as error:
                    found.append(str(error))
                else:
                    assert (data.bits is None) == (least > size)
                    found.append(str(data.positive.tolist()))
    assert len(set(found)) == 1
