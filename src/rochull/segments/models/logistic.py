"""Platt calibration whose slope and intercept depend on the segment, penalised."""

from __future__ import annotations

from typing import Self

import numpy as np

from rochull._core.validation import Array
from rochull.segments.models.base import SegmentedScores, SegmentModel

_SPREAD = 1.0  # of a segment's deviations, a priori, in log-odds for scores of standard deviation 1
_MOST_STEPS = 100


class LogisticModel(SegmentModel):
    """Log-odds ``a_i h + b_i``: those of the whole population, and deviations of the segments.

    Deviations are normal with standard deviation 1 a priori, for scores of standard deviation 1. A
    segment whose slope would not be positive has one ratio for all its cases.
    """

    name = "logistic"

    def fit(self, data: SegmentedScores) -> Self:
        """Fit slopes and intercepts."""
        self.n_segments = len(data)
        if not np.isfinite(data.score).all():
            at = int(data.order[np.flatnonzero(~np.isfinite(data.score))].min())
            raise ValueError(f"X must be finite for a logistic model, but index {at} is not.")
        weight = np.ones(data.score.size) if data.weight is None else data.weight / data.mean_weight
        center = float(np.average(data.score, weights=weight))
        scale = float(np.sqrt(np.average((data.score - center) ** 2, weights=weight))) or 1.0
        constant, slope = _penalised((data.score - center) / scale, data, weight)
        neg, pos = (np.append(mass, mass.sum()) for mass in data.masses())
        with np.errstate(divide="ignore"):
            flat = np.log(pos) - np.log(neg)
        even = float(np.log(neg[-1]) - np.log(pos[-1]))  # turns log-odds into the log of the ratio of rates
        rises = slope > 0
        self.slope = np.where(rises, slope / scale, 0.0)
        self.constant = np.where(rises, constant - slope * center / scale, flat) + even
        return self

    def ratio(self, score: Array, segment: Array) -> Array:
        """Odds at the score, over the odds of the whole population."""
        slope = self.slope[segment]
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.where(slope > 0, slope * np.asarray(score, float), 0.0)
            return np.asarray(np.exp(moved + self.constant[segment]))


def _penalised(h: Array, data: SegmentedScores, weight: Array) -> tuple[Array, Array]:
    """Constant and slope of every segment and of the whole (s + 1,), by Newton's method.

    With ``u_i`` the two coefficients of segment i and ``u`` those of the whole, the loss adds
    ``|u_i - u|^2 / 2`` to the log loss; u is their mean at the optimum. Segments meet in u alone, so that
    a step solves a 2 x 2 system each, and one for u.
    """
    from scipy.special import expit

    s = len(data)
    penalty = np.eye(2) / _SPREAD**2
    own, whole = np.zeros((s, 2)), np.zeros(2)

    def at(own: Array, whole: Array) -> float:
        log_odds = own[data.segment, 0] + own[data.segment, 1] * h
        sign = np.where(data.positive == 1, -log_odds, log_odds)
        return float((weight * np.logaddexp(0, sign)).sum() + ((own - whole) ** 2).sum() / (2 * _SPREAD**2))

    now = at(own, whole)
    for _ in range(_MOST_STEPS):
        share = expit(own[data.segment, 0] + own[data.segment, 1] * h)
        pull, bend = weight * (share - data.positive), weight * share * (1 - share)
        own_pull = np.stack([np.bincount(data.segment, pull * p, s) for p in (1.0, h)], axis=1)
        gradient = own_pull + (own - whole) / _SPREAD**2
        a, b, c = (np.bincount(data.segment, bend * p, s) for p in (1.0, h, h * h))
        inverse = np.linalg.inv(np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -2) + penalty)
        # The whole's own part of the system, after the segments are eliminated.
        to_whole = -(own - whole).sum(axis=0) / _SPREAD**2
        left = s * penalty - penalty @ inverse.sum(axis=0) @ penalty
        right = -to_whole - penalty @ np.einsum("sij,sj->i", inverse, gradient)
        step_whole = np.linalg.solve(left, right)
        step = np.einsum("sij,sj->si", inverse, -gradient + penalty @ step_whole)
        size = 1.0
        while (after := at(own + size * step, whole + size * step_whole)) > now and size > 1e-9:
            size /= 2
        own, whole = own + size * step, whole + size * step_whole
        if now - after <= 1e-12 * abs(now):
            break
        now = after
    else:
        raise RuntimeError(f"the logistic fit has not converged in {_MOST_STEPS} steps of Newton's method.")
    found = np.vstack([own, whole])
    return found[:, 0], found[:, 1]
