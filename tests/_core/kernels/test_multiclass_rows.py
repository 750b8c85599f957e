"""The compiled loops of sweeps within limits, on a few breakpoints counted by hand."""

from __future__ import annotations

import numpy as np

from rochull._core.kernels import multiclass_rows as kernels

THETA = np.array([0.0, 1.0, 2.0, 2.0, np.inf, 8.0])
OTHER = np.array([1, 1, 2, 1, 0, 2], np.int16)
FIRST_OF = np.array([0, 2, 4, 6])
NONE = np.zeros(0, np.int64)


def test_the_span_leaves_out_zero_and_infinity() -> None:
    assert kernels.span(THETA) == (1.0, 8.0)
    assert kernels.span(np.array([0.0, np.inf])) == (np.inf, 0.0)


def test_cells_and_members_of_buckets() -> None:
    low = int(np.array([1.0]).view(np.int64)[0]) >> 52  # one bucket to a factor of two
    for units, one in ((NONE, 1), (np.full(6, 3), 3)):
        cells = np.zeros((4, 3, 3), np.int64)
        kernels.bucket_cells(THETA, OTHER, units, FIRST_OF, 52, low, cells)
        assert np.argwhere(cells).tolist() == [[0, 0, 1], [1, 1, 1], [1, 1, 2], [3, 2, 2]]
        assert cells.max() == one
    moves = np.zeros((3, 3, 2))
    moves[1, 1], moves[1, 2] = [1, -1], [-2, 3]
    counted, helping = np.zeros((4, 2)), np.zeros((4, 2))
    kernels.bucket_moves(cells, moves, np.array([1.0, -1.0]), counted, helping)
    assert counted[1].tolist() == [-3, 6]
    assert helping[1].tolist() == [-6, 9]
    members = kernels.bucket_members(THETA, np.array([False, True, False, True]), 52, low)
    assert members.tolist() == [2, 3, 5]


def test_a_walk_keeps_a_limit_before_it_lowers_a_goal() -> None:
    """Row 0 is limited to two of its units; row 1 falls with each turn."""
    moves = np.zeros((3, 3, 2))
    moves[:, :, 0], moves[:, :, 1] = 1, -1
    members = np.array([1, 2, 3, 5])
    best = np.empty(2)
    arrays = THETA, OTHER, NONE, FIRST_OF, members, np.zeros(1, np.int64)
    for allowed, cut in ((0, 0.0), (1, 1.0), (2, 1.0), (3, 2.0), (9, 8.0)):
        found = kernels.walk_rows(
            *arrays,
            np.zeros((1, 2)),
            np.ones(1, bool),
            63,
            0,
            moves,
            np.array([0.0, 10.0]),
            np.ones(2),
            np.array([-float(allowed), 0.0]),
            1,
            best,
        )
        assert found == cut
        assert best[0] == 0.0
