"""Rising maps from scores to calibrated values: steps, lines between blocks, and strict ones.

A map is a list of pieces of the score axis, each constant or rising from one *level* to another. What
a piece is compared with are scores that occurred, so scores are compared exactly, whatever their type:
a float64 score with int64 blocks, or the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.first_use import without_kernels
from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.calibration import few_scores
from rochull.calibration.map_values import Levels, at_odds, spread_levels
from rochull.conditions.rules import threshold_in

_ROWS = 1 << 16  # of a chunk
_MOST_CELLS = 1 << 15
LINE, UPPER_TAIL, LOWER_TAIL = 0, 1, 2  # the shapes of `along` in `_core/kernels/maps.py`
_EXACT = 1 << 53


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """A rising map from scores to levels.

    Attributes
    ----------
    levels : Levels
    lines : the same number of Levels, between which lines are drawn; what leaves `levels` is clipped.
    odds : training odds.
    edge : (m - 1,) scores where pieces 1, 2, ... begin, ascending.
    after : bool (m - 1,) whether such a piece begins just after its edge, instead of at it.
    lower, upper : (m,) the levels that piece p rises from and to; equal for a constant piece.
    shape : (m,) how it rises.
    left, right : (m,) the scores that it rises between, where they are finite.
    width : (m,) its length, or that of a tail's bend.
    """

    levels: Levels
    lines: Levels
    odds: float
    edge: Array
    after: Array
    lower: Array
    upper: Array
    shape: Array
    left: Array
    right: Array
    width: Array
    _lookups: dict[str, _Lookup] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lookups": {}}  # made anew where they are needed

    def llr(self, scores: Array) -> Array:
        """Log-likelihood-ratios (n,) of validated scores."""
        return self._values(scores, *self.readings(True), as_log=True)

    def posterior(self, scores: Array, prevalence: float | None = None) -> Array:
        """Posteriors (n,) of validated scores, at the training prevalence or another one in (0, 1)."""
        return self._values(scores, *self.readings(False, prevalence))

    def as_levels(self, prevalence: float | None = None) -> Stepped | None:
        """The map as levels and what they say, at a prevalence; None if a piece rises."""
        if not np.array_equal(self.lower, self.upper):
            return None
        (posterior, _), (llr, _) = self.readings(False, prevalence), self.readings(True)
        each = np.arange(llr.size, dtype=float)
        return Stepped(posterior, llr, lambda scores: self._values(scores, each, 1.0))

    def readings(self, as_log: bool, prevalence: float | None = None) -> tuple[Array, float]:
        """The value of each level (k,), and the prior odds at which it holds."""
        if as_log:
            return self.levels.llr, 1.0
        if prevalence is None:
            return self.levels.posterior, self.odds
        odds = prevalence / (1 - prevalence)
        return at_odds(self.levels.share, self.levels.rest, odds), odds

    def _values(self, scores: Array, table: Array, odds: float, *, as_log: bool = False) -> Array:
        wide = scores.dtype.kind in "iu" and scores.dtype.itemsize == 8
        kind = scores.dtype.name if wide else "float64"  # every other type fits float64
        if kind not in self._lookups:
            self._lookups[kind] = _Lookup.of(self, kind)
        lookup = self._lookups[kind]
        steps = np.array_equal(self.lower, self.upper)
        of_piece = table[self.lower]
        pieces = self.lower, self.upper, self.shape, lookup.left, lookup.right, self.width
        lines = self.lines.share, self.lines.rest, odds, as_log, table
        if without_kernels(scores.size):
            keys = _keys(scores, kind)
            if steps:
                return of_piece[np.searchsorted(lookup.cuts, keys, side="right")]
            return few_scores.line_values(keys, lookup.cuts, pieces, lines)
        from rochull._core.kernels import maps as kernels

        out = np.empty(scores.size)

        def work(begin: int) -> None:
            part = slice(begin, begin + _ROWS)
            keys = _keys(scores[part], kind)
            keys.flags.writeable = False  # kernels are compiled for one kind of array
            if steps:
                kernels.step_values(keys, lookup.grid, of_piece, out[part])
                return
            kernels.line_values(keys, lookup.grid, *pieces, *lines, out[part])

        share_out(work, range(0, scores.size, _ROWS))
        return out


@dataclass(frozen=True, eq=False)
class Stepped:
    """A map that is constant on every piece.

    Attributes
    ----------
    posterior, llr : what each level says (k,), ascending.
    level : the level (n,) that validated scores are at, of which high ones are positive, as float64.
    """

    posterior: Array
    llr: Array
    level: Callable[[Array], Array]


# --- making maps --------------------------------------------------------------------------------


def step_map(low: Array, levels: Levels, odds: float) -> ScoreMap:
    """A score has the level of the first block, from high to low, whose low it reaches.

    `low` (k,) ascends, as the levels do; below all, a score belongs to the lowest block.
    """
    return _steps(low[1:], False, levels, odds)


def count_map(edge: Array, values: Array, *, after: bool) -> ScoreMap:
    """A map whose posterior is ``values[i]`` (k + 1,), i being how many edges (k,) a score reaches.

    The edges ascend. With `after`, an edge must be passed.
    """
    return _steps(edge, after, Levels(values, values, values, values), 1.0)


def _steps(edge: Array, after: bool, levels: Levels, odds: float) -> ScoreMap:
    k = edge.size + 1
    each, unused = np.arange(k, dtype=np.int32), np.zeros(k, edge.dtype)
    return ScoreMap(
        levels, levels, odds, edge, np.full(k - 1, after), each, each,
        np.zeros(k, np.int8), unused, unused, np.ones(k),
    )  # fmt: skip


def linear_map(low: Array, high: Array, levels: Levels, lines: Levels, odds: float) -> ScoreMap:
    """Constant in the blocks (k,), which ascend; between two of them a straight line.

    The lines are drawn between the levels of `lines`, and clipped to those of `levels`.
    """
    k = low.size
    left, right = np.repeat(low, 2)[1:], np.repeat(low, 2)[1:]
    left[1::2], right[1::2] = high[:-1], low[1:]
    lower = np.arange(2 * k - 1) // 2
    upper = np.arange(1, 2 * k) // 2
    gap = lower != upper
    pieces = _Pieces(left, right, gap, lower, upper, _infinite(left) & gap, _infinite(right) & gap)
    return _joined(levels, lines, odds, pieces, tail=None)


def strict_map(
    score: Array, low: Array, levels: Levels, odds: float, *,
    steps: bool, clipped: bool, plain: float | None = None, spread: Array | None = None,
) -> tuple[ScoreMap, Array]:  # fmt: skip
    """A map that tells all scores (n,) apart, which ascend, and how far it spread the levels of the blocks.

    It runs through the scores, and on to the end of a level's spread where `steps` says that it
    jumps at the next block's low; and beyond the ends it rises for ever. `clipped` levels are not left
    at the ends. A `spread` that was found before is used again. For `plain` see `spread_levels`.
    """
    first = np.append(True, (np.diff(levels.share) > 0) | (np.diff(levels.rest) < 0))
    level = (np.cumsum(first) - 1)[np.searchsorted(low, score, side="right") - 1]
    apart = Levels(levels.share[first], levels.rest[first], levels.llr[first], levels.posterior[first])
    values, spread = spread_levels(apart, level, odds, clipped=clipped, plain=plain, spread=spread)
    n, k = score.size, spread.size  # then come the upper ends of the spreads, and the lowest end
    lower = np.arange(n)
    upper = np.arange(1, n + 1)
    if steps:
        upper[:-1] = np.where(level[1:] > level[:-1], n + level[:-1], upper[:-1])
    # The first piece ends at the first score, the last one begins at the last.
    lower, upper = np.append(n + k, lower), np.concatenate(([0], upper[:-1], [n + k - 1]))
    left, right = np.concatenate((score[:1], score)), np.concatenate((score, score[-1:]))
    low_open, high_open = _infinite(left), _infinite(right)
    low_open[0] = high_open[-1] = True
    if _infinite(score[-1:])[0] and score[-1] > 0:
        upper[-1] = lower[-1]
    finite = score[~_infinite(score)]
    tail = float(_distance(finite[:1], finite[-1:])[0]) if finite.size else 0.0
    tail = min(tail, float(np.finfo(float).max)) or 1.0
    begin = int(_infinite(score[:1])[0] and score[0] < 0)  # then nothing is below the first score
    columns = (left, right, np.zeros(left.size, bool), lower, upper, low_open, high_open)
    return _joined(values, values, odds, _Pieces(*(column[begin:] for column in columns)), tail=tail), spread


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Pieces (m,) of a map: see `ScoreMap`. Each lies between two scores; an open end is at infinity."""

    left: Array
    right: Array
    after: Array
    lower: Array
    upper: Array
    low_open: Array
    high_open: Array


def _joined(levels: Levels, lines: Levels, odds: float, pieces: _Pieces, *, tail: float | None) -> ScoreMap:
    """The map of all pieces.

    A piece with an open end rises by a tail of that width; without one it is constant, at the level
    of its other end, or half way if both are open.
    """
    left, right, lower, upper = pieces.left, pieces.right, pieces.lower, pieces.upper
    both, one = pieces.low_open & pieces.high_open, pieces.low_open ^ pieces.high_open
    width = _distance(left, right)
    # So wide is one gap only: on either side of zero there is no room for two.
    wide = np.flatnonzero((lower != upper) & (both | (~one & np.isinf(width))))
    shape = np.zeros(left.size, np.int8)
    if tail is None:
        lower = np.where(one & pieces.low_open, upper, lower)
        upper = np.where(one & pieces.high_open, lower, upper)
    else:
        shape[one & pieces.high_open], shape[pieces.low_open] = UPPER_TAIL, LOWER_TAIL
        width[one | both] = tail
    width[lower == upper] = 1.0
    made = ScoreMap(
        levels, lines, odds, left[1:], pieces.after[1:], lower.astype(np.int32), upper.astype(np.int32),
        shape, left, right, width,
    )  # fmt: skip
    for p in wide:
        made = _cut_at_zero(made, int(p), left[p], right[p])
    return made


def _cut_at_zero(found: ScoreMap, p: int, left: Any, right: Any) -> ScoreMap:
    """Piece p, which has no finite width, in two; or constant, half way, if it has no tails."""
    a, b = int(found.lower[p]), int(found.upper[p])
    between = not np.isinf(left)
    passed = 0.5
    if between:
        passed = float(-left / 2) / (float(right) / 2 - float(left) / 2)
    middle = found.levels.share.size
    levels, lines = (
        each.and_between(a, b, passed, found.odds, found.lines) for each in (found.levels, found.lines)
    )
    if not between and found.shape[p] == LINE:
        lower, upper = found.lower.copy(), found.upper.copy()
        lower[p] = upper[p] = middle
        width = found.width.copy()
        width[p] = 1.0
        return replace(found, levels=levels, lines=lines, lower=lower, upper=upper, width=width)
    zero = found.left.dtype.type(0)
    pieces = {
        "lower": (a, middle),
        "upper": (middle, b),
        "shape": (LINE, LINE) if between else (LOWER_TAIL, UPPER_TAIL),
        "left": (left, zero),
        "right": (zero, right),
        "width": (-float(left), float(right)) if between else (found.width[p],) * 2,
    }
    columns: dict[str, Any] = {}
    for name, pair in pieces.items():
        column = getattr(found, name)
        columns[name] = np.concatenate((column[:p], np.array(pair, column.dtype), column[p + 1 :]))
    edge, after = np.insert(found.edge, p, zero), np.insert(found.after, p, False)
    return replace(found, levels=levels, lines=lines, edge=edge, after=after, **columns)


def _infinite(scores: Array) -> Array:
    return np.isinf(scores) if scores.dtype.kind == "f" else np.zeros(scores.size, bool)


def _distance(left: Array, right: Array) -> Array:
    """right - left (m,) as float64, rounded once."""
    if left.dtype.kind in "iu":
        kind = np.uint64 if left.dtype.kind == "u" else np.int64
        # The difference modulo 2**64, which is the difference.
        return (right.astype(kind).view(np.uint64) - left.astype(kind).view(np.uint64)).astype(float)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(right.astype(float) - left.astype(float))


# --- looking up -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Lookup:
    """A map's edges for scores of one kind: "float64", or the keys of "int64" or "uint64".

    Attributes
    ----------
    cuts : ascending keys where pieces 1, 2, ... begin.
    left, right : tuple
        See `Place` in the kernels: a place is at the sum of a key and a number.
    """

    cuts: Array
    left: tuple[Array, Array]
    right: tuple[Array, Array]

    @cached_property
    def grid(self) -> tuple[Array, Array, Any, float, float]:
        """See `piece_of` in the kernels."""
        return _grid(self.cuts)

    @classmethod
    def of(cls, found: ScoreMap, kind: str) -> _Lookup:
        ends = (found.left, found.right)
        if kind == "float64":
            return cls(_float_cuts(found.edge, found.after), *map(_float_places, ends))
        if found.edge.dtype.kind in "iu" and np.can_cast(found.edge.dtype, kind):
            cuts = _keys(found.edge, kind) + found.after.astype(np.uint64)
            return cls(cuts, *((_keys(end, kind), np.zeros(end.size)) for end in ends))
        info = np.iinfo(kind)
        cuts = _integer_cuts(found.edge, found.after, info)
        return cls(cuts, *(_integer_places(end, info) for end in ends))


def _keys(scores: Array, kind: str) -> Array:
    """Scores as float64, or as uint64 in the same order; a view where that will do."""
    if kind == "float64":
        return np.ascontiguousarray(scores, dtype=np.float64)
    keys = np.ascontiguousarray(scores, dtype=kind).view(np.uint64)
    return keys if kind == "uint64" else keys ^ np.uint64(1 << 63)


def _beyond_float64(scores: Array) -> bool:
    """Whether there are integers that float64 may not hold."""
    return bool(
        scores.dtype.kind in "iu"
        and scores.size
        and (scores.max() > _EXACT or (scores.dtype.kind == "i" and scores.min() < -_EXACT))
    )


def _float_cuts(edge: Array, after: Array) -> Array:
    """The smallest float64 (m,) that is at least each edge; above it, where `after`."""
    cuts = edge.astype(float)
    if _beyond_float64(edge):
        exact = edge.tolist()
        cuts = np.array([threshold_in(np.dtype(float), value) for value in exact])
        after = after & np.array([float(cut) == value for cut, value in zip(cuts, exact, strict=True)])
    with np.errstate(all="ignore"):
        return np.where(after, np.nextafter(cuts, np.inf), cuts)


def _float_places(scores: Array) -> tuple[Array, Array]:
    """Scores as float64, and what that lacks."""
    keys, lacking = scores.astype(float), np.zeros(scores.size)
    if _beyond_float64(scores):
        exact = zip(scores.tolist(), keys.tolist(), strict=True)
        lacking[:] = [value - int(rounded) for value, rounded in exact]
    return keys, lacking


def _integer_places(scores: Array, info: Any) -> tuple[Array, Array]:
    """Keys of integers near the scores, and what they lack. (Of infinite scores nothing is used.)"""
    keys, lacking = np.zeros(scores.size, np.uint64), np.zeros(scores.size)
    for i, value in enumerate(scores.tolist()):
        if not math.isinf(value):
            at = min(max(round(value), int(info.min)), int(info.max))
            keys[i], lacking[i] = at - int(info.min), float(Fraction(value) - at)
    return keys, lacking


def _integer_cuts(edge: Array, after: Array, info: Any) -> Array:
    """Keys of the smallest integers that are at least each edge, or above; those beyond the type go."""
    cuts: list[int] = []
    for value, above in zip(edge.tolist(), after.tolist(), strict=True):
        if value == np.inf:
            break
        whole = info.min if value == -np.inf else math.floor(value) + 1 if above else math.ceil(value)
        if whole > info.max:
            break
        cuts.append(max(whole, info.min) - info.min)
    return np.array(cuts, np.uint64)


def _grid(cuts: Array) -> tuple[Array, Array, Any, float, float]:
    """A uniform grid over ascending cuts, of a few cells a cut."""
    from rochull._core.kernels import maps as kernels

    n = int(min(max(16, 4 * cuts.size), _MOST_CELLS))
    finite = cuts[np.isfinite(cuts)]
    start, scale = cuts.dtype.type(0), 0.0
    if finite.size:
        start = finite[0]
        with np.errstate(over="ignore", divide="ignore"):
            scale = float(np.float64(n) / np.float64(finite[-1] - start)) if finite[-1] > start else 0.0
    cells = np.empty(cuts.size, np.int64)
    kernels.cells_of(cuts, start, scale, float(n - 1), cells)
    first = np.searchsorted(cells, np.arange(n + 1)).astype(np.int32)
    return cuts, first, start, scale, float(n - 1)
