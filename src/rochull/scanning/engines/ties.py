"""Groups of equal score from rows that come in order, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from rochull._core.validation import Array
from rochull.hull.tallies import Tally, Units


def grouped(scores: Array, pos: Array, neg: Array, units: Units) -> Tally:
    """Groups of rows in descending order."""
    if scores.dtype.kind == "f":
        scores = scores + 0  # -0.0 becomes 0.0
    begin = np.flatnonzero(np.concatenate((np.ones(min(1, scores.size), bool), scores[1:] != scores[:-1])))
    if not begin.size:
        return Tally(scores, np.zeros(0, np.int64), np.zeros(0, np.int64), units)
    return Tally(scores[begin], np.add.reduceat(pos, begin), np.add.reduceat(neg, begin), units)


def whole_ties(pieces: Iterable[Tally]) -> Iterator[Tally]:
    """The pieces, each with the whole of its last tie: that waits for the next piece."""
    held: Tally | None = None
    for piece in pieces:
        if held is not None:
            score, pos, neg = (
                np.concatenate((getattr(held, name), getattr(piece, name)))
                for name in ("score", "pos_units", "neg_units")
            )
            piece = grouped(score, pos, neg, piece.units)
        if not piece.score.size:
            continue
        held = _part(piece, slice(-1, None))
        if piece.score.size > 1:
            yield _part(piece, slice(None, -1))
    if held is not None:
        yield held


def _part(groups: Tally, part: slice) -> Tally:
    return Tally(groups.score[part], groups.pos_units[part], groups.neg_units[part], groups.units)
