"""Logistic regression of grouped scores at a chosen prior: what the parametric calibrators fit."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from rochull._core.validation import Array
from rochull.conditions import bayes
from rochull.hull.tallies import Tally

_DEPENDENT = 1e-7  # a column that another one explains but for this share adds nothing
_HARDLY_OVERLAP = (
    "X: the classes overlap in so small a part of the scores' range that the logistic regression does not "
    "converge in double precision; transform the scores, or use targets='platt'."
)


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
        n_pos, n_neg = float(groups.pos.sum()), float(groups.neg.sum())
        pos, neg = prior * (groups.pos / n_pos), (1 - prior) * (groups.neg / n_neg)
        if not smoothed:
            return cls(pos, neg, bayes.prior_log_odds(prior))
        of_pos, of_neg = (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2)
        up, down = of_pos * pos + of_neg * neg, (1 - of_pos) * pos + (1 - of_neg) * neg
        return cls(up, down, float(np.log(up.sum()) - np.log(down.sum())))

    def at(self, log_odds: Array) -> float:
        """The loss of these posterior log-odds (g,)."""
        return float(self.up @ np.logaddexp(0, -log_odds) + self.down @ np.logaddexp(0, log_odds))

    def pull(self, log_odds: Array) -> Array:
        """Minus the derivative of the loss by each group's log-odds (g,)."""
        return np.asarray(self.up * expit(-log_odds) - self.down * expit(log_odds))


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
    if size <= _DEPENDENT * float(np.abs(column).max()):
        return False  # it can do nothing that the first does not
    return float(rest @ pull) > 1e-12 * size


@np.errstate(under="ignore")
def optimum(columns: Array, loss: CrossEntropy, *, intercept: bool = True) -> tuple[Array, float]:
    """Slopes (k,) and constant of the least loss, of independent columns (g, k). It must exist."""
    k = columns.shape[1]
    balanced = loss.up / loss.up.sum() + loss.down / loss.down.sum()
    centre = balanced @ columns / balanced.sum() if intercept else np.zeros(k)
    # In coordinates of unit covariance the solver's tolerance means the same for any scores.
    scale = np.asarray(np.linalg.qr((columns - centre) * np.sqrt(balanced)[:, None], mode="r"))
    white = np.linalg.solve(scale.T, (columns - centre).T).T
    if intercept:
        if k == 1:
            _refuse_rounded(white[:, 0], loss)
        white = np.column_stack([white, np.ones(len(white))])
    found = _polished(_by_scikit_learn(white, loss), white, loss)
    slopes = np.linalg.solve(scale, found[:k])
    return slopes, float(found[-1] - centre @ slopes) if intercept else 0.0


def _by_scikit_learn(columns: Array, loss: CrossEntropy) -> Array:
    """Coefficients (k,), by an unpenalised logistic regression in which a group has both labels."""
    rows = np.concatenate([np.flatnonzero(loss.up), np.flatnonzero(loss.down)])
    labels = np.repeat([1, 0], [np.count_nonzero(loss.up), np.count_nonzero(loss.down)])
    weights = np.concatenate([loss.up[loss.up > 0], loss.down[loss.down > 0]])
    model = LogisticRegression(
        C=np.inf,
        solver="newton-cholesky",
        fit_intercept=False,
        tol=1e-10 * min(loss.up.sum(), loss.down.sum()),
        max_iter=1000,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether it has converged is checked in _polished
        model.fit(columns[rows], labels, sample_weight=weights)
    return np.asarray(model.coef_[0], float)


def _polished(coef: Array, columns: Array, loss: CrossEntropy) -> Array:
    """Newton's method from coefficients near the optimum, to rounding.

    The solver's tolerance is absolute, but where the classes hardly overlap the whole loss is small.
    """
    for _ in range(50):
        log_odds = columns @ coef
        gradient = columns.T @ loss.pull(log_odds)
        curvature = (loss.up + loss.down) * expit(log_odds) * expit(-log_odds)
        try:
            step = np.linalg.solve((columns * curvature[:, None]).T @ columns, gradient)
        except np.linalg.LinAlgError:
            break
        gain, now = float(gradient @ step), loss.at(log_odds)
        if abs(gain) <= 1e-16 * now:  # the step squares the error
            return np.asarray(coef + step)
        coef = coef + step
    raise ValueError(_HARDLY_OVERLAP)


def _refuse_rounded(column: Array, loss: CrossEntropy) -> None:
    """Raise if the classes overlap by so little that they are separated once their mean is taken off."""
    neg, pos = column[loss.down > 0], column[loss.up > 0]
    if neg.max() <= pos.min() or pos.max() <= neg.min():
        raise ValueError(_HARDLY_OVERLAP)
