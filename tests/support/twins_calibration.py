"""Slow twins of calibration and proper scoring rules, written from Brümmer & du Preez 2013.

Nothing here is imported from rochull. Weights are fractions: nothing overflows or rounds.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.integrate import quad

from twins import groups_of

Loss = Callable[[float], float]


# --- PAV in closed form, equations (4) to (7) ----------------------------------------------------


def pav_closed_form(y_true: Any, y_score: Any, sample_weight: Any = None) -> list[Fraction]:
    """The calibrated probability of every distinct score, from high scores to low.

    Equation (6) has scores ascending and the answer rising with them: p_i is the largest, over starts a <= i,
    of the smallest, over ends b >= i, weighted share of positives from a to b. (Ayer et al. let it fall,
    which exchanges the two.) Equal scores are one index; what weighs nothing is left out.
    """
    groups = groups_of(y_true, y_score, sample_weight)[::-1]
    size = len(groups)

    def share(a: int, b: int) -> Fraction:
        pos, neg = (sum((group[c] for group in groups[a : b + 1]), Fraction(0)) for c in (1, 2))
        return pos / (pos + neg)

    shares = {(a, b): share(a, b) for a in range(size) for b in range(a, size)}
    rising = [max(min(shares[a, b] for b in range(i, size)) for a in range(i + 1)) for i in range(size)]
    return rising[::-1]


def pav_llr_closed_form(y_true: Any, y_score: Any, sample_weight: Any = None) -> list[float]:
    """The calibrated LLR of every distinct score, from high to low: equation (21)."""
    groups = groups_of(y_true, y_score, sample_weight)
    odds = Fraction(sum(g[1] for g in groups), sum(g[2] for g in groups))
    return [log_of(p, (1 - p) * odds) for p in pav_closed_form(y_true, y_score, sample_weight)]


def log_of(above: Fraction, below: Fraction) -> float:
    """The log of a ratio of which one part may be zero."""
    if not above or not below:
        return math.inf if above else -math.inf
    ratio = above / below
    return math.log(ratio.numerator) - math.log(ratio.denominator)


# --- losses, equation (1) ------------------------------------------------------------------------


def loss_by_quad(density: Loss, q: float, positive: bool, breaks: Sequence[float] = ()) -> float:
    """Equation (1) by adaptive quadrature, piece by piece."""
    low, high = (q, 1.0) if positive else (0.0, q)
    ends = [low, *(b for b in sorted(breaks) if low < b < high), high]

    def integrand(t: float) -> float:
        return density(t) / (t if positive else 1 - t)

    pieces = itertools.pairwise(ends)
    return float(sum(quad(integrand, *piece, epsabs=1e-13, epsrel=1e-9, limit=200)[0] for piece in pieces))


def decision_losses(thresholds: Sequence[float], weights: Sequence[float]) -> tuple[Loss, Loss]:
    """A mixture of point masses: what "positive if and only if q > t" costs, on average."""
    pairs = list(zip(thresholds, weights, strict=True))
    return (
        lambda q: sum(w / t for t, w in pairs if not q > t),
        lambda q: sum(w / (1 - t) for t, w in pairs if q > t),
    )


def brier_losses() -> tuple[Loss, Loss]:
    return lambda q: (1 - q) ** 2, lambda q: q**2


def log_losses() -> tuple[Loss, Loss]:
    return (
        lambda q: -math.log(q) if q else math.inf,
        lambda q: -math.log1p(-q) if q < 1 else math.inf,
    )


def mean_loss(
    y_true: Any, q: Any, losses: tuple[Loss, Loss], sample_weight: Any = None, prevalence: float | None = None
) -> float:
    """Equation (2); with a prevalence, the weights of equation (16)."""
    weights = [1.0] * len(y_true) if sample_weight is None else sample_weight
    lost, mass = [0.0, 0.0], [0.0, 0.0]
    for label, forecast, weight in zip(y_true, q, weights, strict=True):
        if weight:
            lost[label] += weight * losses[0 if label else 1](float(forecast))
            mass[label] += weight
    if prevalence is None:
        return (lost[0] + lost[1]) / (mass[0] + mass[1])
    return prevalence * lost[1] / mass[1] + (1 - prevalence) * lost[0] / mass[0]


# --- every monotone assignment -------------------------------------------------------------------


def candidates(y_true: Any, y_score: Any, sample_weight: Any = None) -> list[float]:
    """Probabilities to try: the positive share of every run of scores, and an even grid."""
    groups = groups_of(y_true, y_score, sample_weight)
    found = {i / 10 for i in range(11)}
    for a in range(len(groups)):
        for b in range(a, len(groups)):
            pos, neg = (sum(group[c] for group in groups[a : b + 1]) for c in (1, 2))
            found.add(float(pos / (pos + neg)))
    return sorted(found)


def monotone_assignments(size: int, values: Sequence[float]) -> Iterator[tuple[float, ...]]:
    """Every way to give falling values to `size` scores, which run from high to low."""
    return itertools.combinations_with_replacement(sorted(values, reverse=True), size)


def least_monotone_loss(cost: Any) -> float:
    """The least sum over falling assignments, by dynamic programming.

    `cost` (g, v): of giving value v to group g; groups from high scores to low, values descending.
    """
    best = np.zeros(len(cost[0]))
    for row in cost:
        best = np.minimum.accumulate(best) + row
    return float(best.min())


def cost_table(
    groups: Any, values: Sequence[float], losses: tuple[Loss, Loss], weights: tuple[float, float]
) -> Any:
    """(g, v): the weighted loss of each group at each value; 0 times infinity is 0.

    `weights` are what a positive and a negative of weight one count.
    """
    table = np.zeros((len(groups), len(values)))
    for i, (_, pos, neg) in enumerate(groups):
        for j, q in enumerate(values):
            table[i, j] = sum(
                float(mass) * weight * loss(q)
                for mass, weight, loss in zip((pos, neg), weights, losses, strict=True)
                if mass
            )
    return table
