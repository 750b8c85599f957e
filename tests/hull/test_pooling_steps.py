"""The trace of PAV: Table I of the paper, column by column, and its slow twin."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from twins import TABLE_COLUMNS, TABLE_LABELS, TABLE_SCORES, pav_steps, row_shares


def test_table_1_from_a1_to_c2() -> None:
    trace = rh.hull.pav_trace(TABLE_LABELS, TABLE_SCORES)
    columns = [[Fraction(v).limit_denominator(99) for v in column] for column in trace.posterior.tolist()]
    for i, name in enumerate(("initial", "a1", "a2", "b", "c1", "c2")):
        assert columns[i] == TABLE_COLUMNS[name]
    assert columns[-1] == TABLE_COLUMNS["d"]
    assert list(zip(trace.first, trace.last, strict=True))[:5] == [
        (12, 13),
        (11, 13),
        (9, 10),
        (6, 7),
        (6, 8),
    ]
    assert str(trace).splitlines()[3].split() == ["0.7", *["0"] * 6, "1/2", "2/3", "3/4"]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(any), min_size=2, max_size=9))
@tries(50)
def test_every_step_is_that_of_the_twin(counts: list[tuple[int, int]]) -> None:
    pos, neg = map(list, zip(*counts, strict=True))
    if not sum(pos) or not sum(neg):
        return
    score = np.arange(len(pos), 0, -1.0)
    y = [1] * sum(pos) + [0] * sum(neg)
    trace = rh.hull.pav_trace(y, [*np.repeat(score, pos), *np.repeat(score, neg)])
    expected = [[float(share) for share in row_shares(groups)] for groups in pav_steps(pos, neg)]
    np.testing.assert_allclose(trace.posterior, expected, rtol=1e-15)


def test_weights_and_long_data() -> None:
    trace = rh.hull.pav_trace([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 3, 1, 1])
    assert trace.posterior[-1].tolist() == [1, 0.25, 0.25, 0]
    with pytest.raises(ValueError, match=r"y_score has 2,001 different values, and a trace shows 2,000"):
        rh.hull.pav_trace(np.arange(2001) % 2, np.arange(2001))
