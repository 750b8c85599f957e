"""Hulls of selected labels: every way to label the others lies between them."""

import itertools

import numpy as np
import pytest

import rochull as rh
from rochull.hull.curve import RocCurve


def _height(hull, fpr):
    at, up = np.asarray(hull.fpr), np.asarray(hull.tpr)
    return np.interp(fpr, *_vertical(at, up))


def _vertical(at, up):
    last = np.append(np.diff(at) > 0, True)  # of a vertical edge its top
    return at[last], up[last]


@pytest.mark.parametrize("seed", range(6))
def test_all_labels_lie_between(seed):
    rng = np.random.default_rng(seed)
    known = rng.permutation([1, 1, 0, 0, int(rng.random() < 0.5), 1])
    scores = np.concatenate([rng.integers(5, 9, 6), rng.integers(0, 5, 5)])
    truth = np.concatenate([known, np.full(5, np.nan)])
    found = rh.hull.hull_bounds(truth, scores)
    grid, hulls = np.linspace(0, 1, 201), []
    for others in itertools.product([0, 1], repeat=5):
        y = np.concatenate([known, others]).astype(int)
        hulls.append(_height(rh.RocHull.from_curve(RocCurve.from_tally(rh.hull.tally(y, scores))), grid))
    low, high = _height(found.lower, grid), _height(found.upper, grid)
    assert (np.min(hulls, axis=0) >= low - 1e-12).all()
    assert (np.max(hulls, axis=0) <= high + 1e-12).all()
    assert np.abs(np.min(hulls, axis=0) - low).max() < 1e-12  # and are reached
    assert np.abs(np.max(hulls, axis=0) - high).max() < 1e-12


def test_all_labelled_is_one_hull():
    lower, upper = rh.hull.hull_bounds([1, 0, 1, 0], [4, 3, 2, 1])
    assert lower.auc() == upper.auc() == rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1]).auc()


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ([1, None, 0, None], "score as high"),
        ([1, 1, None, None], "no negative"),
        ([0, 0, None, None], "no positive"),
        ([1, 0], "has 2 rows"),
    ],
)
def test_what_is_refused(y, told):
    with pytest.raises(ValueError, match=told):
        rh.hull.hull_bounds(y, [4, 3, 2, 1])
