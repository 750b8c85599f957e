"""Logistic regression of grouped scores at a chosen prior: what the parametric calibrators fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from rochull._core.first_use import expit
from rochull._core.validation import Array
from rochull.conditions import bayes
from rochull.hull.tallies import Tally

State: TypeAlias = tuple[float, Array, Array]  # a loss, how it falls by each coefficient, its curvature
DEPENDENT = 1e-7  # a column that another one explains but for this share adds nothing
_TINY = float(np.finfo(float).tiny)
_STEPS, _SHORTEST = 200, 2.0**-40  # of Newton's
_MANY, _PART = 1 << 16, 16  # groups of which every 16th tells where to begin
_ROWS = 1 << 12  # computed at a time: few enough to stay in the cache
HARDLY_OVERLAP = (
    "X: the classes overlap in so small a part of the scores' range that the logistic regression does not "
    "converge in double precision; transform the scores, or use targets='platt'."
)


class DependentColumns(ValueError):
    """A column is a sum of others."""


@dataclass(frozen=True, eq=False)
class CrossEntropy:
    """Expected log loss of groups of equal score, at a prior (Brümmer & du Preez 2013, equation 16).

    Attributes
    ----------
    up, down : (g,) what -log p and -log(1 - p) of group i weigh; together one.
    prior : the log-odds of the proportion of positives; of smoothed labels, of their mean. They are the
        best if all groups have the same, and LLRs are relative to them: 0 where the scores say nothing.
    """

    up: Array
    down: Array
    prior: float

    @classmethod
    def of(cls, groups: Tally, prior: float, *, smoothed: bool) -> CrossEntropy:
        """Positives weigh `prior` together, a probability; `smoothed` replaces labels by Platt's targets."""
        totals = float(groups.pos.sum()), float(groups.neg.sum())
        up, down = targets_of(groups.pos, groups.neg, totals, prior, smoothed=smoothed)
        if not smoothed:
            return cls(up, down, bayes.prior_log_odds(prior))
        return cls(up, down, float(np.log(up.sum()) - np.log(down.sum())))

    def at(self, log_odds: Array) -> float:
        """The loss of these posterior log-odds (g,)."""
        return float(self.up @ np.logaddexp(0, -log_odds) + self.down @ np.logaddexp(0, log_odds))

    def pull(self, log_odds: Array) -> Array:
        """Minus the derivative of the loss by each group's log-odds (g,)."""
        return np.asarray(self.up * expit(-log_odds) - self.down * expit(log_odds))


def targets_of(
    pos: Array, neg: Array, totals: tuple[float, float], prior: float, *, smoothed: bool
) -> tuple[Array, Array]:
    """The weights of -log p and -log(1 - p) (g,), from those of both classes and their totals."""
    n_pos, n_neg = totals
    pos, neg = prior * (pos / n_pos), (1 - prior) * (neg / n_neg)
    if not smoothed:
        return pos, neg
    of_pos, of_neg = (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2)
    return of_pos * pos + of_neg * neg, (1 - of_pos) * pos + (1 - of_neg) * neg


@np.errstate(under="ignore")
def rising(columns: Array, loss: CrossEntropy, *, intercept: bool = True) -> tuple[Array, float]:
    """Slopes (k,) >= 0 and constant of the least loss, of rising columns (g, k), k = 1 or 2.

    A convex problem: a point on the border is the optimum if and only if no slope that is zero wants
    to rise (Karush, Kuhn and Tucker). The classes must not be separated by a rising map.
    """
    k = columns.shape[1]
    start = loss.prior if intercept else 0.0
    wants = columns.T @ loss.pull(np.full(len(columns), start)) > 0  # (k,) whether a slope wants to rise
    if not wants.any():
        return np.zeros(k), start
    for i in range(k):
        slopes, constant = np.zeros(k), start
        if wants[i]:
            with suppress(DependentColumns):  # equal ones, which want by rounding alone
                found, constant = optimum(columns[:, [i]], loss, intercept=intercept)
                slopes[i] = max(0.0, found[0])
        pull = loss.pull(columns @ slopes + constant)
        if k == 1 or not _rises(columns[:, 1 - i], columns[:, i], pull, intercept):
            return slopes, constant
    found, constant = optimum(columns, loss, intercept=intercept)
    return np.maximum(found, 0.0), constant


def _rises(column: Array, fitted: Array, pull: Array, intercept: bool) -> bool:
    """Whether a second column (g,) reduces the loss where the first is fitted."""
    known = np.column_stack([fitted, np.full(len(fitted), float(intercept))])
    rest = column - known @ np.linalg.lstsq(known, column, rcond=None)[0]
    size = float(np.abs(rest).max())
    if size <= DEPENDENT * float(np.abs(column).max()):
        return False  # it can do nothing that the first does not
    return float(rest @ pull) > 1e-12 * size


@np.errstate(under="ignore")
def optimum(columns: Array, loss: CrossEntropy, *, intercept: bool = True) -> tuple[Array, float]:
    """Slopes (k,) and constant of the least loss, of independent columns (g, k). It must exist.

    DependentColumns is raised for others.
    """
    k = columns.shape[1]
    parts = _parts(len(columns))
    balanced = loss.up / loss.up.sum() + loss.down / loss.down.sum()
    centre = np.zeros(k)
    if intercept:
        centre = np.sum([balanced[rows] @ columns[rows] for rows in parts], axis=0) / balanced.sum()
    # In coordinates of unit covariance curvatures are alike, whatever the scores are.
    heavy = np.sqrt(balanced)[:, None]
    triangles = [np.linalg.qr((columns[rows] - centre) * heavy[rows], mode="r") for rows in parts]
    scale = np.asarray(np.linalg.qr(np.concatenate(triangles), mode="r"))
    check_independent(scale, len(columns))
    turn = np.linalg.inv(scale)
    white = np.ones((len(columns), k + intercept))
    for rows in parts:
        white[rows, :k] = (columns[rows] - centre) @ turn
    if intercept and k == 1:
        _refuse_rounded(white[:, 0], loss)
    found = _newton(white, loss, np.append(np.zeros(k), loss.prior)[: white.shape[1]])
    slopes = turn @ found[:k]
    return slopes, float(found[-1] - centre @ slopes) if intercept else 0.0


def check_independent(scale: Array, rows: int) -> None:
    """Raise unless no column is a sum of others, by the triangle of their QR decomposition (k, k)."""
    size = np.linalg.svd(scale / np.maximum(np.linalg.norm(scale, axis=0), _TINY), compute_uv=False)
    if not size[-1] > size[0] * rows * np.finfo(float).eps:
        raise DependentColumns


@np.errstate(under="ignore")
def penalised(columns: Array, loss: CrossEntropy, penalty: float) -> tuple[Array, float]:
    """Slopes (k,) and constant of the least loss and penalty / 2 times their squares; columns any (g, k).

    A slope is that of a column of one standard deviation, as `up` and `down` weigh the groups.
    """
    k, mass = columns.shape[1], loss.up + loss.down  # together one
    parts, whole = _parts(len(columns)), np.ones((len(columns), k + 1))
    near = columns[0]  # from which a constant column differs by 0 exactly
    centre = near + np.sum([mass[rows] @ (columns[rows] - near) for rows in parts], axis=0)
    spread = np.sqrt(np.sum([mass[rows] @ (columns[rows] - centre) ** 2 for rows in parts], axis=0))
    spread[spread == 0] = 1
    for rows in parts:
        whole[rows, :k] = (columns[rows] - centre) / spread
    found = _newton(whole, loss, np.append(np.zeros(k), loss.prior), np.append(np.full(k, penalty), 0.0))
    coef = found[:k] / spread
    return coef, float(found[-1] - centre @ coef)


def _newton(columns: Array, loss: CrossEntropy, start: Array, ridge: Array | float = 0.0) -> Array:
    """Coefficients (k,) of the least loss, to rounding; of many groups from those of a part.

    Half of `ridge` (k,) times their squares is added to it.

    Newton's method, whose steps are halved until they gain. The last one squares the error.
    """
    if len(columns) > _MANY:
        part = slice(None, None, _PART)
        with suppress(ValueError):  # a part may be separated where the whole is not
            some = CrossEntropy(loss.up[part], loss.down[part], loss.prior)
            start = _newton(columns[part], some, start, ridge / _PART)
    return descended(partial(_state, columns, loss, ridge=ridge), start)


def descended(state: Callable[[Array], State], coef: Array) -> Array:
    """Coefficients (k,) of the least loss, of which `state` tells wherever it is asked."""
    now, gradient, hessian = state(coef)
    for _ in range(_STEPS):
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            break
        gain, size = float(gradient @ step), 1.0
        if abs(gain) <= 1e-16 * now:
            return np.asarray(coef + step)
        found = state(coef + step)
        while not found[0] <= now - 1e-4 * size * gain + 1e-15 * now and size > _SHORTEST:
            size /= 2
            found = state(coef + size * step)
        coef, (now, gradient, hessian) = coef + size * step, found
    raise ValueError(HARDLY_OVERLAP)


def _state(columns: Array, loss: CrossEntropy, coef: Array, *, ridge: Array | float) -> State:
    return with_ridge(state_of(columns, loss, coef), coef, ridge)


def with_ridge(state: State, coef: Array, ridge: Array | float) -> State:
    """The state where half of `ridge` (k,) times the squares of the coefficients is added to the loss."""
    value, gradient, hessian = state
    value += float(np.sum(ridge * coef**2)) / 2
    return float(value), gradient - ridge * coef, hessian + ridge * np.eye(coef.size)


def state_of(columns: Array, loss: CrossEntropy, coef: Array) -> State:
    """The loss at coefficients (k,), how it falls by each (k,), and its curvature (k, k); part by part."""
    value, gradient, hessian = 0.0, np.zeros(coef.size), np.zeros((coef.size, coef.size))
    for rows in _parts(len(columns)):
        part, up, down = columns[rows], loss.up[rows], loss.down[rows]
        log_odds = part @ coef
        small = np.exp(-np.abs(log_odds))
        near, rising = 1 / (1 + small), log_odds >= 0  # the likelier of the two outcomes
        far, mass = small * near, up + down
        value += mass @ np.log1p(small) + np.where(rising, down, up) @ np.abs(log_odds)
        gradient += np.where(rising, up * far - down * near, up * near - down * far) @ part
        hessian += (part.T * (mass * near * far)) @ part
    return value, gradient, hessian


def _parts(count: int) -> list[slice]:
    """Rows that are computed together: so few that BLAS does not wake threads for them, either."""
    return [slice(begin, begin + _ROWS) for begin in range(0, count, _ROWS)]


def _refuse_rounded(column: Array, loss: CrossEntropy) -> None:
    """Raise if the classes overlap by so little that they are separated once their mean is taken off."""
    neg, pos = column[loss.down > 0], column[loss.up > 0]
    refuse_ends((neg.min(), neg.max()), (pos.min(), pos.max()))


def refuse_ends(neg: tuple[float, float], pos: tuple[float, float]) -> None:
    """Raise if no negative is beyond a positive; of each class the lowest and the highest score."""
    if neg[1] <= pos[0] or pos[1] <= neg[0]:
        raise ValueError(HARDLY_OVERLAP)
