"""Checks that every map from scores to buckets has to pass, and scores around those that it learned from."""

import numpy as np

from adversaries import Array
from rochull.hull.tasks import Buckets


def assert_monotone(buckets: Buckets, scores: Array) -> None:
    """Higher scores are never in lower buckets, equal scores never in two."""
    ordered = np.sort(scores)
    found = buckets.locate(ordered)
    assert 0 <= found[0] <= found[-1] < buckets.size
    steps = np.diff(found)
    assert np.all(steps >= 0)
    assert np.all(steps[ordered[1:] == ordered[:-1]] == 0)
    start, scale, last, base = buckets.pieces
    assert not np.any(
        scale < 0
    )  # a NaN, beside infinities, sends all scores above the start to the last child
    assert np.all(last >= 0)
    assert len(start) == len(scale) == len(last) == len(base)


def probes(scores: Array) -> Array:
    """The scores and what lies around and between them, in the same type."""
    if scores.dtype.kind == "f":
        limits = np.array([-np.inf, -1.0, -0.0, 0.0, 0.5, 1.0, np.inf], scores.dtype)
        with np.errstate(all="ignore"):
            near = [np.nextafter(scores, way, dtype=scores.dtype) for way in (-np.inf, np.inf)]
            found = np.concatenate([scores, limits, *near, scores / 2 + scores[::-1] / 2])
        return found[~np.isnan(found)]
    info = np.iinfo(scores.dtype)
    limits = np.array([info.min, 0, info.max], scores.dtype)
    return np.concatenate([scores, limits, scores[scores > info.min] - scores.dtype.type(1), scores // 2])
