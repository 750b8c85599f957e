"""Where the calibration curve lies, for all scores at once, if the probability rises with the score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.hull.blocks import Blocks, pool
from rochull.hull.tallies import PARAMETERS, tally_of

if TYPE_CHECKING:
    from rochull.hull.hull import RocHull

_EXACT = 1 << 16  # different scores up to which every stretch of them is looked at
_PART = 256  # groups of about as many rows among which every stretch is looked at, where scores are more
_METHODS = ("clopper-pearson", "yang-barber")


@dataclass(frozen=True, eq=False)
class CalibrationBand(Result):
    """A band in which the probability of a positive lies, at all scores at once, if it rises with the score.

    Attributes
    ----------
    start, end : ndarray of shape (g,)
        The lowest and the highest score of group i, ascending; equal where every score is a group.
    low : ndarray of shape (g,)
        From the score ``end[i]`` on the probability is at least ``low[i]``; below ``end[0]`` at least 0.
    high : ndarray of shape (g,)
        Up to the score ``start[i]`` it is at most ``high[i]``; above ``start[-1]`` at most 1.
    level : float
        The probability with which all of it holds, or more.
    method : str
        "clopper-pearson" or "yang-barber".

    Examples
    --------
    >>> import rochull as rh
    >>> band = rh.uncertainty.calibration_band([0] * 40 + [1] * 40, [0.1] * 40 + [0.9] * 40)
    >>> [end.round(3).tolist() for end in band.at([0.05, 0.1, 0.5, 0.9])]
    [[0.0, 0.0, 0.0, 0.887], [0.113, 0.113, 1.0, 1.0]]
    """

    start: Array
    end: Array
    low: Array
    high: Array
    level: float
    method: str

    def at(self, scores: ArrayLike) -> tuple[Array, Array]:
        """Read the band at scores.

        Parameters
        ----------
        scores : array-like of shape (n,)
            Any scores.

        Returns
        -------
        tuple of ndarray of shape (n,)
            Low and high ends: probabilities.
        """
        return self._at(validation.scores_1d(scores, "scores"))

    def _at(self, scores: Array) -> tuple[Array, Array]:
        low = np.append(0.0, self.low)[np.searchsorted(self.end, scores, "right")]
        return low, np.append(self.high, 1.0)[np.searchsorted(self.start, scores, "left")]

    @property
    def is_monotone(self) -> bool:
        """Whether a rising curve fits in; if none does, the probability does not rise, at this level."""
        return all(bool((low <= high).all()) for low, high in map(self._at, (self.start, self.end)))

    def miscalibrated(self, tolerance: float = 0.0) -> Array:
        """Find the stretches of forecasts that are off, the scores being probabilities.

        Parameters
        ----------
        tolerance : float, default=0
            How far a forecast may be off.

        Returns
        -------
        ndarray of shape (k, 2)
            Ends of stretches, ascending and apart, in which the probability is further than that from the
            forecast. All of them are, with the probability `level`.
        """
        tolerance = validation.non_negative(tolerance, "tolerance")
        until = np.minimum(np.append(self.end[1:], math.inf), self.low - tolerance)
        since = np.maximum(np.append(-math.inf, self.start[:-1]), self.high + tolerance)
        found = np.concatenate([np.stack([self.end, until], 1), np.stack([since, self.start], 1)]).astype(
            float
        )
        found = found[found[:, 0] < found[:, 1]]
        found = found[np.argsort(found[:, 0])]
        reach = np.maximum.accumulate(found[:, 1])
        first = np.append(True, found[1:, 0] > reach[:-1])[: len(found)]
        return np.stack([found[first, 0], reach[np.append(first[1:], True)[: len(found)]]], 1)

    @property
    def deviation(self) -> tuple[float, float]:
        """The least and the most by which a forecast that occurs can be off, the scores being probabilities.

        Forecasts are shown to be calibrated within a tolerance that is not below the second number, and not
        to be within one that is below the first.
        """
        least = max(0.0, float((self.low - self.end).max()), float((self.start - self.high).max()))
        above = np.where(self.start < self.end, np.append(self.high[1:], 1.0), self.high) - self.start
        below = self.end - np.where(self.start < self.end, np.append(0.0, self.low[:-1]), self.low)
        return least, max(float(above.max()), float(below.max()))

    def may_be_optimal(self, hull: RocHull, threshold: float) -> Array:
        """Tell which vertices of the data's hull may be optimal in the population.

        Parameters
        ----------
        hull : RocHull
            Of the same scores.
        threshold : float
            The probability from which on calling a case positive pays: ``cost_fp / (cost_fp + cost_fn)``.

        Returns
        -------
        ndarray of bool of shape (k,)
            False where a rule surely calls cases wrongly: positive below the threshold, or negative above.

        Examples
        --------
        >>> import rochull as rh
        >>> y, score = [0] * 40 + [1] * 40, [0.1] * 40 + [0.9] * 40
        >>> band = rh.uncertainty.calibration_band(y, score)
        >>> band.may_be_optimal(rh.roc_hull(y, score), 0.3).tolist()
        [False, True, False]
        """
        threshold = validation.probability(threshold, "threshold")
        first = hull.thresholds.astype(float)
        # Of all that is called positive the lowest, and of all that is not the highest.
        called = np.append(self.high, 1.0)[np.searchsorted(self.start, first, "left")]
        left = np.append(0.0, self.low)[np.searchsorted(self.end, first, "left")]
        return np.asarray((called >= threshold) & (left <= threshold))

    def __str__(self) -> str:
        at = np.unique(np.linspace(0, self.low.size - 1, 6).round().astype(int)).tolist()
        rows = [f"at {self.end[i]:.4g}: {self._at(self.end[[i]])[0][0]:.3f} to "
                f"{self._at(self.end[[i]])[1][0]:.3f}" for i in at]  # fmt: skip
        how = f"{100 * self.level:g} %, simultaneous if the probability rises with the score, {self.method}"
        return "\n".join((f"calibration band ({how})", *rows))


_TOLD = PARAMETERS | entries("""
y_true : array-like of shape (n,)
    Binary labels; {0, 1} or booleans unless `pos_label` is given. One class may be absent.
confidence : float, default=0.95
    The probability with which the whole band covers, strictly between 0 and 1.
""")


@described(_TOLD)
def calibration_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    confidence: float = 0.95,
    *,
    method: str = "clopper-pearson",
    pos_label: object = None,
) -> CalibrationBand:
    """Compute a confidence band of the calibration curve, for finite samples and all scores at once.

    Parameters
    ----------
    method : {"clopper-pearson", "yang-barber"}, default="clopper-pearson"
        "clopper-pearson": exact bounds over every stretch of consecutive scores, at a level that counts all
        stretches (Dimitriadis et al.). "yang-barber": Hoeffding's bounds over stretches of PAV's blocks.

    Returns
    -------
    CalibrationBand
        With a warning, if no rising curve fits in.

    Notes
    -----
    It holds for independent cases of any distribution, if the probability of a positive does not fall where
    the score rises; ``is_monotone`` tells if that is refuted. Of up to 2^16 different scores all stretches
    are looked at. Of more it is those of up to 128 groups of 1, 2, 4, ... rows, which the labels do not
    choose: the level counts these stretches, and they are so few that the band is narrower.

    References
    ----------
    Dimitriadis, Dümbgen, Henzi, Puke & Ziegel 2022, Honest calibration assessment for binary outcome
    predictions. Yang & Barber 2019, Contraction and uniform convergence of isotonic regression.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> forecast = rng.random(2000)
    >>> band = rh.uncertainty.calibration_band(rng.random(2000) < forecast**2, forecast)
    >>> [end.round(3).tolist() for end in band.at([0.5])]
    [[0.116], [0.432]]
    >>> [round(float(end), 2) for end in band.deviation]  # not calibrated within less than 0.1
    [0.1, 0.47]
    """
    data = validation.chunk(y_true, y_score, None, pos_label)
    return band_of(data, confidence, method)


def band_of(data: Labelled, confidence: float, method: str = "clopper-pearson") -> CalibrationBand:
    """The band of validated examples, whose weights are not counts."""
    if data.weights is not None:
        raise refused("sample_weight", "has no place in a calibration band, which counts cases.")
    if not data.scores.size:
        raise refused("y_score", "is empty.")
    groups = tally_of(data, both_classes=False)
    if method == "yang-barber":
        return band_of_blocks(pool(groups), confidence, method, groups.score.size)
    score, pos, neg = (column[::-1] for column in (groups.score, groups.pos_units, groups.neg_units))
    return _checked(score, score, pos, neg, (confidence, method, pos.size))


def band_of_blocks(
    blocks: Blocks, confidence: float, method: str = "clopper-pearson", different: int | None = None
) -> CalibrationBand:
    """The band from the counts of PAV's blocks, of data with so many different scores: at most all are.

    Stretches of whole blocks are some of all stretches, of which none was chosen without looking at the
    labels: so the level counts all.
    """
    if blocks.units.weighted:
        raise refused("sample_weight", "has no place in a calibration band, which counts cases.")
    columns = blocks.low, blocks.high, blocks.pos_units, blocks.neg_units
    start, end, pos, neg = (column[::-1] for column in columns)
    return _checked(start, end, pos, neg, (confidence, method, different or int((pos + neg).sum())))


def _checked(
    start: Array, end: Array, pos: Array, neg: Array, how: tuple[float, str, int]
) -> CalibrationBand:
    confidence, method, different = how
    level = validation.probability(confidence, "confidence", open_ends=True)
    if method not in _METHODS:
        raise refused("method", 'must be "clopper-pearson" or "yang-barber", but is {}.', repr(method))
    lower = _exact_lower if method == "clopper-pearson" else _hoeffding_lower
    log_half = math.log1p(-level) - math.log(2)
    low = lower(pos, neg, log_half, different)
    high = 1 - lower(neg[::-1], pos[::-1], log_half, different)[::-1]
    band = CalibrationBand(start, end, low, high, level, method)
    if not band.is_monotone:
        warn(
            "calibration band: no rising curve fits in, so the probability of a positive does not rise with "
            "the score everywhere, and the band does not cover; look at parts of the range."
        )
    return band


def _exact_lower(pos: Array, neg: Array, log_level: float, different: int) -> Array:
    """The largest lower bound (g,) of Clopper & Pearson over stretches that end at group i or before.

    They fail together with a probability of ``exp(log_level)``, `different` being all that labels chose from.
    """
    from scipy.special import betaincinv

    from rochull._core.kernels import stretches as kernels

    sizes, part, stretches = [np.arange(pos.size)], 2 * pos.size, different * (different + 1) / 2
    if different == pos.size > _EXACT:
        sizes, part = _ever_larger(pos + neg), _PART
        stretches = sum(kernels.count_in_parts(begin.size, part) for begin in sizes)
    log_share = log_level - math.log(stretches)
    known, (hits, size) = np.zeros(pos.size), np.zeros((2, pos.size), np.int64)
    for begin in reversed(sizes):  # a high bound spares the search of short ones
        last = np.append(begin[1:], pos.size) - 1
        of_pos, of_neg = (np.add.reduceat(column, begin, dtype=np.int64) for column in (pos, neg))
        best = known[last], hits[last], size[last]
        kernels.best_in_parts(of_pos, of_neg, log_share, part, *best)
        known[last], hits[last], size[last] = best
    begin = np.flatnonzero(np.append(True, (np.diff(hits) != 0) | (np.diff(size) != 0)))
    hits, size = hits[begin], size[begin]  # of most groups those of the one before
    found = np.where(hits > 0, betaincinv(np.maximum(hits, 1), size - hits + 1, math.exp(log_share)), 0.0)
    return np.repeat(np.maximum.accumulate(found), np.diff(begin, append=pos.size))


def _ever_larger(rows: Array) -> list[Array]:
    """Where groups begin: single scores, then such of up to 2, 4, 8, ... rows, or of one score with more.

    The last are so few that they make one part.
    """
    until, begins, exponent = np.cumsum(rows), [np.arange(rows.size)], 0
    while begins[-1].size > _PART:
        exponent += 1
        ends = (until - rows) >> exponent, (until - 1) >> exponent
        begin = np.flatnonzero(np.append(True, (np.diff(ends[0]) != 0) | (np.diff(ends[1]) != 0)))
        if begin.size < begins[-1].size:
            begins.append(begin)
    return begins


def _hoeffding_lower(pos: Array, neg: Array, log_level: float, different: int) -> Array:
    """The same of the bounds of Yang & Barber (2019), over stretches of PAV's blocks."""
    log_share = log_level - math.log(different * (different + 1) / 2)
    hit, rows = np.cumsum(pos), np.cumsum(pos + neg)
    best = np.zeros(pos.size)
    for begin in range(pos.size):
        hits, size = hit[begin:] - hit[begin] + pos[begin], rows[begin:] - rows[begin] + (pos + neg)[begin]
        best[begin:] = np.maximum(best[begin:], hits / size - np.sqrt(-log_share / 2 / size))
    return np.maximum.accumulate(best)
