"""Pairs of losses that a caller states: whether they are those of a proper rule, and what it weighs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.scoring.quadrature import checked_function

Loss = Callable[[Array], Array]

_ROUNDING = 64 * float(np.finfo(float).eps)
# Log-odds of the forecasts that are compared: close together where decisions are, to the last float near 1.
_CORE = np.arange(-20, 20, 2.0**-9)
LOG_ODDS = np.concatenate([np.arange(-700, -20, 0.125), _CORE, np.arange(20, 36.5, 0.125)])


def checked_losses(
    if_positive: Callable[[Array], Any], if_negative: Callable[[Array], Any]
) -> tuple[Loss, Loss]:
    """A caller's losses, where they are proper on the forecasts of `LOG_ODDS` and at both ends.

    Of forecasts a < b, a must not lose more than b where positives have the probability a, nor b more than a
    where they have b. Of neighbours that is enough: then the loss of a positive falls and that of a negative
    rises, and what holds of a pair and the next one holds of their ends.
    """
    losses = _ended(if_positive, "if_positive", 1.0), _ended(if_negative, "if_negative", 0.0)
    q = np.unique(np.concatenate([1 / (1 + np.exp(-LOG_ODDS)), np.arange(1, 2000) / 2000]))
    lost, gained = (loss(q) for loss in losses)
    usual = sum(float(loss(np.array([0.5]))[0]) for loss in losses)  # of which their rounding is a part
    for sign, p in ((1, q[:-1]), (-1, q[1:])):  # what the others lose more than the true probability
        more = sign * ((1 - p) * np.diff(gained) + p * np.diff(lost))
        size = (1 - p) * (gained[:-1] + gained[1:]) + p * (lost[:-1] + lost[1:])
        wrong = more < -_ROUNDING * (size + usual)
        if wrong.any():
            i = int(np.argmax(wrong))
            true, other = (q[i], q[i + 1])[::sign]
            raise refused(
                "if_positive",
                "and if_negative are not proper: where positives have the probability {}, the forecast {} "
                "loses less than the true one.",
                f"{true:.6g}",
                f"{other:.6g}",
            )
    return losses


def _ended(function: Callable[[Array], Any], name: str, right: float) -> Loss:
    """A caller's loss, whose every value is looked at; infinite at one end perhaps, and 0 at the other."""
    inner = checked_function(function, name)

    def loss(q: Array) -> Array:
        out, certain = np.empty(q.shape), (q == 0) | (q == 1)
        out[~certain] = inner(q[~certain])
        with np.errstate(all="ignore"):
            out[certain] = np.asarray(function(q[certain].copy()), float)
        return out

    at_right, at_wrong = loss(np.array([right, 1 - right])).tolist()
    if at_right != 0:
        raise refused(name, f"must be 0 at {right:g}, but is {at_right!r}: take that off.")
    if not at_wrong >= 0:
        raise refused(name, "must not be negative, but is {} at {}.", repr(at_wrong), f"{1 - right:g}")
    return loss


def _weights(lost: Array, gained: Array) -> Array:
    """Weights (m - 1,) of the thresholds between forecasts (m,), from the losses of positives and negatives.

    ``∫ ω / t`` and ``∫ ω / (1 - t)`` are differences of losses; they give ω's mass, if it is at one
    threshold, exactly, and else with an error of the second order.
    """
    less, more = np.maximum(-np.diff(lost), 0), np.maximum(np.diff(gained), 0)
    both = less + more
    return np.asarray(np.where(both > 0, less * more / np.where(both > 0, both, 1.0), 0.0))


def mass_of(lost: Array, gained: Array) -> float:
    """All of ω, from the losses of forecasts (m,)."""
    return float(_weights(lost, gained).sum())


def share_between(losses: Callable[[Array], tuple[Array, Array]], low: float, high: float) -> float:
    """The share of ω on thresholds between two; `losses` takes log-odds."""
    with np.errstate(divide="ignore"):
        at = np.log([low, high]) - np.log1p([-low, -high])
    cuts = np.unique(np.append(LOG_ODDS, np.clip(at, LOG_ODDS[0], LOG_ODDS[-1])))
    weights = _weights(*losses(cuts))
    inside = (cuts[:-1] >= at[0]) & (cuts[1:] <= at[1])
    return float(weights[inside].sum() / weights.sum())
