"""Learning from rows that are read anew for each step: surveys, and logistic regressions.

A survey tells how the columns lie, by the triangles that QR decompositions of pieces of rows leave; a part of
the rows tells where to begin. Then every step of Newton's is a pass, whose sums are those of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import fsum

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.messages import Parameter, Refusal
from rochull._core.validation import Array, Labelled
from rochull.calibration.logistic_fit import (
    DEPENDENT,
    HARDLY_OVERLAP,
    CrossEntropy,
    DependentColumns,
    State,
    check_independent,
    descended,
    optimum,
    penalised,
    refuse_ends,
    state_of,
    targets_of,
    with_ridge,
)
from rochull.scanning.row_passes import RowPasses

EXAMPLES_KEPT = 100_000
Columns = Callable[[Array], Array]  # from scores (n,), or (n, m), to the columns (n, k) of a regression


def as_columns(scores: Array) -> Array:
    """The scores themselves."""
    return np.asarray(scores.reshape(len(scores), -1), float)


def row_weights(data: Labelled) -> Array:
    """The weights (n,): 1 where there are none."""
    return np.ones(len(data.scores)) if data.weights is None else np.asarray(data.weights)


@dataclass(frozen=True, eq=False)
class Survey:
    """All rows, seen once.

    Attributes
    ----------
    sample : an even part of them.
    sizes : (2, 3) of the negatives and of the positives: how many have a weight, the sum of their weights,
        and that of the squares.
    ends : (2, 2) the lowest and the highest first score of each class.
    low, high : (2, k) of each class in the columns.
    triangles : (2, k + 1, k + 1) of the weighted columns of each class, the first of which is constant.
    """

    sample: Labelled
    sizes: Array
    ends: Array
    low: Array
    high: Array
    triangles: Array

    @classmethod
    def of(cls, rows: RowPasses, columns: Columns, infinite: str | None) -> Survey:
        """Read all rows; ValueError with this message, if there is one, where a score is infinite."""
        step = -(-rows.count // EXAMPLES_KEPT)
        pieces = rows.each(partial(_surveyed, columns=columns, step=step, infinite=infinite))
        *sample, sizes, ends, low, high, triangles = zip(*pieces, strict=True)
        total = np.apply_along_axis(fsum, 0, np.stack(sizes))
        for label, mass in zip(("negative", "positive"), total[:, 1].tolist(), strict=True):
            if not mass:
                raise Refusal("{}: the {} class has zero total weight.", Parameter("sample_weight"), label)
        positive, scores, weights = map(np.concatenate, sample)
        lowest, highest = np.min(ends, axis=0)[:, 0], np.max(ends, axis=0)[:, 1]
        return cls(
            Labelled(positive, scores, weights if rows.weighted else None), total,
            np.stack((lowest, highest), axis=1), np.min(low, axis=0), np.max(high, axis=0),
            np.stack([_triangle(np.concatenate(own)) for own in zip(*triangles, strict=True)]),
        )  # fmt: skip

    @property
    def prevalence(self) -> float:
        """The positives' share of the weight."""
        neg, pos = self.sizes[:, 1].tolist()
        return float(pos / (pos + neg))

    def moments(self, label: int) -> tuple[float, float]:
        """Mean and standard deviation of the first column in a class."""
        corner, mass, (low, high) = self.triangles[label], self.sizes[label, 1], self.ends[label].tolist()
        if low == high:
            return low, 0.0
        return float(corner[0, 1] / corner[0, 0]), float(corner[1, 1] / np.sqrt(mass))


def _surveyed(data: Labelled, *, columns: Columns, step: int, infinite: str | None) -> tuple[Array, ...]:
    """Survey a piece."""
    if infinite is not None and not np.isfinite(data.scores).all():
        raise ValueError(infinite)
    weights, found = row_weights(data), []
    for label in (0, 1):
        own = (data.positive == label) & (weights > 0)
        scores, mass = data.scores[own], weights[own]
        x, raw = columns(scores), as_columns(scores)[:, :1]
        root = np.sqrt(mass)[:, None]
        found.append((
            np.array([mass.size, mass.sum(), np.square(mass).sum()]),  # BLAS would wake its threads
            np.append(raw.min(axis=0, initial=np.inf), raw.max(axis=0, initial=-np.inf)),
            x.min(axis=0, initial=np.inf), x.max(axis=0, initial=-np.inf),
            _triangle(np.column_stack((root, root * x))),
        ))  # fmt: skip
    kept = (np.array(each[::step]) for each in (data.positive, data.scores, weights))
    return (*kept, *(np.stack(both) for both in zip(*found, strict=True)))


def _triangle(columns: Array) -> Array:
    """The upper triangle (k, k) of a QR decomposition, with a diagonal that is not negative."""
    k = columns.shape[1]
    found = np.zeros((k, k))
    upper = np.linalg.qr(columns, mode="r")
    found[: len(upper)] = upper
    return found * np.where(np.diag(found) < 0, -1.0, 1.0)[:, None]


@dataclass(frozen=True, eq=False)
class StreamedRegression:
    """The logistic regression of some columns of all rows.

    Attributes
    ----------
    rows, columns : the rows, and the columns of their scores.
    survey : of them.
    share : what the positives weigh together.
    smoothed : whether labels are replaced by Platt's targets.
    """

    rows: RowPasses
    columns: Columns
    survey: Survey
    share: float
    smoothed: bool = False

    @cached_property
    def _totals(self) -> tuple[float, float]:
        neg, pos = self.survey.sizes[:, 1].tolist()
        return pos, neg

    @cached_property
    def prior(self) -> float:
        """The log-odds to which LLRs are relative, as those of :class:`CrossEntropy`."""
        pos, neg = (np.array([total]) for total in self._totals)
        up, down = targets_of(pos, neg, self._totals, self.share, smoothed=self.smoothed)
        return float(np.log(up[0]) - np.log(down[0]))

    def loss(self, data: Labelled, totals: tuple[float, float] | None = None) -> CrossEntropy:
        """The part of the loss that some rows have; all of it, with these totals of their own."""
        weights, is_positive = row_weights(data), data.positive == 1
        masses = np.where(is_positive, weights, 0.0), np.where(is_positive, 0.0, weights)
        up, down = targets_of(*masses, totals or self._totals, self.share, smoothed=self.smoothed)
        return CrossEntropy(up, down, self.prior)

    @cached_property
    def sampled(self) -> tuple[Array, CrossEntropy] | None:
        """The columns and the loss of the sample; None if that lacks a class."""
        data, weights = self.survey.sample, row_weights(self.survey.sample)
        totals = float(weights[data.positive == 1].sum()), float(weights[data.positive != 1].sum())
        return (self.columns(data.scores), self.loss(data, totals)) if all(totals) else None

    def _scaled(self, which: Sequence[int], by: Array, *, intercept: bool) -> tuple[Array, Array]:
        """Centre (k,) and triangle (k, k) of some columns, where a row of each class (2,) weighs so much."""
        stacked = np.concatenate(self.survey.triangles * np.sqrt(by)[:, None, None])
        upper = _triangle(stacked[:, [*([0] if intercept else []), *(1 + np.array(which))]])
        if not intercept:
            return np.zeros(len(which)), upper
        return upper[0, 1:] / upper[0, 0], upper[1:, 1:]

    def _state(self, which: Sequence[int], centre: Array, turn: Array, intercept: bool, coef: Array) -> State:
        """The loss of all rows at coefficients (k,) of some columns, centred and turned; in one pass."""

        def of(data: Labelled) -> tuple[Array, ...]:
            white = np.ones((len(data.scores), coef.size))
            white[:, : len(which)] = (self.columns(data.scores)[:, which] - centre) @ turn
            value, gradient, hessian = state_of(white, self.loss(data), coef)
            return np.array([value]), gradient, hessian

        with np.errstate(under="ignore"):
            value, gradient, hessian = self.rows.sums(of)
        return float(value[0]), gradient, hessian.reshape(coef.size, coef.size)

    def optimum(self, which: Sequence[int], *, intercept: bool = True) -> tuple[Array, float]:
        """As :func:`optimum` of some columns."""
        centre, scale = self._scaled(which, 1 / self.survey.sizes[:, 1], intercept=intercept)
        if intercept and (self.survey.low.min(axis=0) == self.survey.high.max(axis=0))[list(which)].any():
            raise DependentColumns
        check_independent(scale, self.rows.count)
        if intercept and len(which) == 1:
            low, high = self.survey.low[:, which[0]], self.survey.high[:, which[0]]
            neg, pos = zip((low - centre) / scale[0], (high - centre) / scale[0], strict=True)
            refuse_ends(neg, pos)
        start = np.append(np.zeros(len(which)), self.prior)
        if self.sampled is not None:
            columns, loss = self.sampled
            with suppress(ValueError, np.linalg.LinAlgError):  # the sample may be separated
                slopes, constant = optimum(columns[:, which], loss, intercept=intercept)
                start = np.append(scale @ slopes, constant + centre @ slopes)
        turn = np.linalg.inv(scale)
        start = start[: len(which) + intercept]
        found = descended(partial(self._state, which, centre, turn, intercept), start)
        slopes = turn @ found[: len(which)]
        return slopes, float(found[-1] - centre @ slopes) if intercept else 0.0

    def rising(self, *, intercept: bool = True) -> tuple[Array, float]:
        """As :func:`rising` of all columns: the optimum itself, if its slopes are not negative."""
        k, start = self.survey.low.shape[1], self.prior if intercept else 0.0
        every, fails = range(k), None
        try:
            slopes, constant = self.optimum(every, intercept=intercept)
            if (slopes >= 0).all():
                return slopes, constant
        except ValueError as error:  # on the border there may be one
            fails = error
        if k == 1 and (fails is None or isinstance(fails, DependentColumns)):
            return np.zeros(1), start
        zero = np.append(np.zeros(k), start)
        centre = self._standard[0] if intercept else np.zeros(k)
        wants = self._state(every, centre, np.eye(k), True, zero)[1][:k] > 0
        if not wants.any():
            return np.zeros(k), start
        for i in every:
            slopes, constant = np.zeros(k), start
            if wants[i]:
                with suppress(DependentColumns):
                    found, of_it = self.optimum([i], intercept=intercept)
                    slopes[i], constant = max(0.0, found[0]), of_it
            if k == 1 or not self._rises(i, slopes, constant, intercept):
                return slopes, constant
        raise fails or ValueError(HARDLY_OVERLAP)

    def _rises(self, i: int, slopes: Array, constant: float, intercept: bool) -> bool:
        """Whether the second column reduces the loss where column i is fitted, as :func:`rising` asks."""
        which = [i, 1 - i]
        centre, scale = self._scaled(which, 1 / self.survey.sizes[:, 1], intercept=intercept)
        ends = np.array([self.survey.low[:, 1 - i].min(), self.survey.high[:, 1 - i].max()])
        if scale[1, 1] <= DEPENDENT * np.abs(ends).max() or not scale[0, 0]:
            return False
        coef = np.append(scale @ slopes[which], constant + centre @ slopes[which])[: 2 + intercept]
        pull = self._state(which, centre, np.linalg.inv(scale), intercept, coef)[1][1]
        return bool(float(pull) * scale[1, 1] > 1e-12 * np.abs(ends - centre[1]).max())

    @cached_property
    def _standard(self) -> tuple[Array, Array]:
        """Mean and standard deviation (k,) of the columns, as the classes weigh; 1 for constant ones."""
        every, by = range(self.survey.low.shape[1]), np.array([1 - self.share, self.share])
        centre, scale = self._scaled(every, by / self.survey.sizes[:, 1], intercept=True)
        low, high = self.survey.low.min(axis=0), self.survey.high.max(axis=0)
        spread = np.linalg.norm(scale, axis=0)
        return np.where(low == high, low, centre), np.where(low == high, 1.0, spread)

    def standard(self) -> tuple[float, float]:
        """Mean and standard deviation of the one column."""
        (centre,), (spread,) = self._standard
        return float(centre), float(spread)

    def penalised(self, penalty: float) -> tuple[Array, float]:
        """As :func:`penalised` of all columns."""
        every, (centre, spread) = range(self.survey.low.shape[1]), self._standard
        start, ridge = (
            np.append(np.zeros(centre.size), self.prior),
            np.append(np.full(centre.size, penalty), 0),
        )
        if self.sampled is not None:
            columns, loss = self.sampled
            with suppress(ValueError, np.linalg.LinAlgError):
                slopes, constant = penalised(columns, loss, penalty)
                start = np.append(slopes * spread, constant + centre @ slopes)

        def state(coef: Array) -> State:
            return with_ridge(self._state(every, centre, np.diag(1 / spread), True, coef), coef, ridge)

        found = descended(state, start)
        slopes = found[:-1] / spread
        return slopes, float(found[-1] - centre @ slopes)
