"""The best point of a concave frontier under an operating condition, exactly.

Works on the vertices of any hull; what the vertices stand for is the caller's business. Linear
questions are settled in rational arithmetic, so ties and limits that fall on a vertex are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import singledispatch

import numpy as np

from rochull.conditions.conditions import (
    Capacity,
    Condition,
    Constrained,
    ExpectedCost,
    InfeasibleConditionError,
    MinimumPrecision,
    MinimumRecall,
    NeymanPearson,
    Utility,
    exact,
)
from rochull.conditions.frontier import Choice, Frontier, climb, climb_points


@singledispatch
def best(condition: Condition, frontier: Frontier) -> Choice:
    """The best point of a hull; mixtures allowed where the condition is a constraint."""
    raise TypeError(f"condition must be an operating condition, but is {condition!r}.")


@singledispatch
def best_single(condition: Condition, frontier: Frontier) -> int:
    """The best single point of a frontier that need not be concave (a raw curve, or vertices).

    Not needed for linear costs: their best point is a vertex.
    """
    raise TypeError(f"condition must be an operating condition, but is {condition!r}.")


def merit(condition: Condition, fpr: Fraction, tpr: Fraction) -> tuple[float | Fraction, ...]:
    """What a feasible point is compared by: the larger, the better."""
    if isinstance(condition, MinimumRecall):
        return -fpr, tpr
    if isinstance(condition, Constrained):
        condition = condition.utility  # type: ignore[assignment]
    if isinstance(condition, Utility):
        return condition.function(float(fpr), float(tpr)), -fpr, tpr
    return tpr, -fpr


# --- linear costs -------------------------------------------------------------------------------


@best.register
def _(condition: ExpectedCost, frontier: Frontier) -> Choice:
    return Choice(crest(condition.weights, frontier))


def crest(weights: tuple[Fraction, Fraction], frontier: Frontier, level: bool = False) -> int:
    """The first vertex of least cost, or with `level` the last; the weights are of fpr and of a miss."""
    of_fpr, of_miss = weights

    def rises(i: int) -> bool:
        """Whether edge i is steeper than the iso-performance lines (or as steep): worth climbing.

        A vertical edge always is: it adds no false positive, even where misses cost nothing.
        """
        (x0, y0), (x1, y1) = frontier.point(i), frontier.point(i + 1)
        gain, loss = (y1 - y0) * of_miss, (x1 - x0) * of_fpr
        return x0 == x1 or gain > loss or (level and gain == loss)

    low, high = 0, len(frontier.fp) - 1
    while low < high:  # edges are sorted by slope
        middle = (low + high) // 2
        if rises(middle):
            low = middle + 1
        else:
            high = middle
    return low


# --- one linear constraint ------------------------------------------------------------------------


def _last_within(frontier: Frontier, a: Fraction, b: Fraction, c: Fraction) -> int:
    """The last point with a tpr + b fpr <= c; both rates ascend."""

    def load(i: int) -> Fraction:
        x, y = frontier.point(i)
        return a * y + b * x

    if load(0) > c:
        raise InfeasibleConditionError(
            f"no operating point meets {float(a):g} tpr + {float(b):g} fpr <= {float(c):g}: "
            f"the least that can be reached is 0."
        )
    low, high = 0, len(frontier.fp) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if load(middle) <= c:
            low = middle
        else:
            high = middle - 1
    return low


def _leftmost_at_height(frontier: Frontier, i: int) -> int:
    """The first point as high as point i: the better end of a horizontal run."""
    return int(np.searchsorted(frontier.tp, frontier.tp[i], side="left"))


def _cut(frontier: Frontier, a: Fraction, b: Fraction, c: Fraction) -> Choice:
    """Where a tpr + b fpr = c crosses a hull, or its end."""
    i = _last_within(frontier, a, b, c)
    if i == len(frontier.fp) - 1:
        return Choice(i)
    (x0, y0), (x1, y1) = frontier.point(i), frontier.point(i + 1)
    start = a * y0 + b * x0
    return Choice(i, (c - start) / (a * y1 + b * x1 - start))


def _highest_within(frontier: Frontier, a: Fraction, b: Fraction, c: Fraction) -> Choice:
    """The highest point of a hull with a tpr + b fpr <= c, the leftmost of equals."""
    cut = _cut(frontier, a, b, c)
    i = cut.left
    if not cut.share or frontier.tp[i] == frontier.tp[i + 1]:
        return Choice(_leftmost_at_height(frontier, i))
    return cut


@best.register
def _(condition: NeymanPearson, frontier: Frontier) -> Choice:
    return _highest_within(frontier, *_constraint(condition))


@best.register
def _(condition: Capacity, frontier: Frontier) -> Choice:
    return _highest_within(frontier, *_constraint(condition))


def _constraint(condition: NeymanPearson | Capacity | Constrained) -> tuple[Fraction, Fraction, Fraction]:
    """(a, b, c) of a tpr + b fpr <= c."""
    condition.require_precise()
    if isinstance(condition, NeymanPearson):
        return Fraction(0), Fraction(1), exact(condition.max_fpr)  # type: ignore[arg-type]
    if isinstance(condition, Capacity):
        prevalence = exact(condition.prevalence)  # type: ignore[arg-type]
        return prevalence, 1 - prevalence, condition.exact_share
    return exact(condition.a), exact(condition.b), exact(condition.c)  # type: ignore[arg-type]


@best_single.register
def _(condition: NeymanPearson, frontier: Frontier) -> int:
    condition.require_precise()
    if condition.confidence is not None:
        allowed = allowed_errors(condition, frontier.n_neg)
        return _leftmost_at_height(frontier, int(np.searchsorted(frontier.fp, allowed, side="right")) - 1)
    return _leftmost_at_height(frontier, _last_within(frontier, *_constraint(condition)))


@best_single.register
def _(condition: Capacity, frontier: Frontier) -> int:
    return _leftmost_at_height(frontier, _last_within(frontier, *_constraint(condition)))


def _first_reaching(frontier: Frontier, height: Fraction) -> int:
    """The first point with tpr >= height."""
    low, high = 0, len(frontier.tp) - 1
    while low < high:
        middle = (low + high) // 2
        if frontier.point(middle)[1] >= height:
            high = middle
        else:
            low = middle + 1
    return low


def _top_of_vertical(frontier: Frontier, i: int) -> int:
    """The last point with the same false positives as point i: the better end of a vertical run."""
    return int(np.searchsorted(frontier.fp, frontier.fp[i], side="right")) - 1


@best.register
def _(condition: MinimumRecall, frontier: Frontier) -> Choice:
    condition.require_precise()
    height = exact(condition.min_tpr)  # type: ignore[arg-type]
    i = _first_reaching(frontier, height)
    if i == 0 or frontier.fp[i] == frontier.fp[i - 1] or frontier.point(i)[1] == height:
        return Choice(_top_of_vertical(frontier, i))
    below, above = frontier.point(i - 1)[1], frontier.point(i)[1]
    return Choice(i - 1, (height - below) / (above - below))


@best_single.register
def _(condition: MinimumRecall, frontier: Frontier) -> int:
    condition.require_precise()
    if condition.confidence is not None:
        allowed = allowed_errors(condition, frontier.n_pos)
        needed = np.searchsorted(frontier.tp, frontier.n_pos - allowed, side="left")
        return _top_of_vertical(frontier, int(needed))
    return _top_of_vertical(frontier, _first_reaching(frontier, exact(condition.min_tpr)))  # type: ignore[arg-type]


# --- limits on the population's rate ------------------------------------------------------------

_EXACT_UP_TO = 1_000  # examples up to which a tie of the binomial sum with 1 - confidence is settled exactly
_NEAR = 1e-9  # relative; the library's sums are more precise


def allowed_errors(condition: NeymanPearson | MinimumRecall, n: int) -> int:
    """The largest number of errors among `n` examples that assures a population rate within the limit.

    A threshold with at most k errors lies beyond the (k + 1)-th extreme score of the class. The
    population's error rate beyond that score exceeds the limit with probability
    P(Binomial(n, limit) <= k), at most, whatever the distribution (Tong, Feng & Li 2018,
    Proposition 1); ties and infinite scores only make it smaller.
    """
    from scipy.stats import binom

    limit, shortfall = error_limit(condition), 1 - exact(condition.confidence)  # type: ignore[arg-type]
    if limit == 1:  # no rule errs more often than always
        return n
    least = least_examples(limit, shortfall)
    if n < least:
        raise too_few(condition, n, least)
    allowed = min(n - 1, int(binom.ppf(float(shortfall), n, float(limit))) + 1)
    while allowed > 0 and not _sum_within(allowed, n, limit, shortfall):
        allowed -= 1
    return allowed


def too_few(
    condition: NeymanPearson | MinimumRecall, n: int, least: float, where: str = ""
) -> InfeasibleConditionError:
    """That `n` examples are too few for a confidence, and how many it takes; `where` begins with a space."""
    what = "negatives" if isinstance(condition, NeymanPearson) else "positives"
    takes = f"it takes at least {least}" if math.isfinite(least) else f"no number of {what} is enough"
    return InfeasibleConditionError(
        f"confidence={condition.confidence:g} cannot be reached with {n} {what}{where}: {takes}."
    )


def error_limit(condition: NeymanPearson | MinimumRecall) -> Fraction:
    """The limit on the error rate of the class that the condition is about, as a decimal."""
    if isinstance(condition, NeymanPearson):
        return exact(condition.max_fpr)  # type: ignore[arg-type]
    return 1 - exact(condition.min_tpr)  # type: ignore[arg-type]


def least_examples(limit: Fraction, shortfall: Fraction) -> float:
    """The least n with ``(1 - limit)**n <= shortfall``: log(shortfall) / log(1 - limit), rounded up."""
    if limit == 0:
        return math.inf
    least = math.log(shortfall) / math.log1p(-float(limit))
    n = max(1, math.ceil(least * (1 - _NEAR)))
    while n <= _EXACT_UP_TO and (1 - limit) ** n > shortfall:
        n += 1
    return n if n <= _EXACT_UP_TO else math.ceil(least)


def _sum_within(k: int, n: int, limit: Fraction, shortfall: Fraction) -> bool:
    """Whether P(Binomial(n, limit) <= k) <= shortfall; of ties that are not settled, the safe answer."""
    from scipy.stats import binom

    total, most = float(binom.cdf(k, n, float(limit))), float(shortfall)
    if abs(total - most) > _NEAR * most:
        return total < most
    if n > _EXACT_UP_TO:
        return False
    success, failure = limit.numerator, limit.denominator - limit.numerator
    terms = (math.comb(n, j) * success**j * failure ** (n - j) for j in range(k + 1))
    return Fraction(sum(terms), limit.denominator**n) <= shortfall


# --- precision --------------------------------------------------------------------------------------


def _ray(condition: MinimumPrecision) -> tuple[Fraction, Fraction]:
    """(u, v) such that the precision is met where u tpr >= v fpr, and tpr > 0 or fpr > 0."""
    condition.require_precise()
    precision, prevalence = exact(condition.min_precision), exact(condition.prevalence)  # type: ignore[arg-type]
    return (1 - precision) * prevalence, precision * (1 - prevalence)


def _no_precision(condition: MinimumPrecision, frontier: Frontier) -> InfeasibleConditionError:
    wanted, prevalence = float(condition.min_precision), float(condition.prevalence)  # type: ignore[arg-type]
    tpr, fpr = prevalence * frontier.tpr[1:], (1 - prevalence) * frontier.fpr[1:]
    reachable = float(np.max(tpr / (tpr + fpr)))
    return InfeasibleConditionError(
        f"min_precision={wanted:g} cannot be met at prevalence {prevalence:g}: "
        f"the highest precision that can be reached is {reachable:.6g}."
    )


@best.register
def _(condition: MinimumPrecision, frontier: Frontier) -> Choice:
    u, v = _ray(condition)

    def surplus(i: int) -> Fraction:
        """Concave along a hull and zero at (0, 0): non-negative up to where the ray cuts it."""
        x, y = frontier.point(i)
        return u * y - v * x

    if len(frontier.fp) < 2 or surplus(1) < 0:
        raise _no_precision(condition, frontier)
    low, high = 1, len(frontier.fp) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if surplus(middle) >= 0:
            low = middle
        else:
            high = middle - 1
    if low == len(frontier.fp) - 1 or frontier.tp[low] == frontier.tp[low + 1]:
        return Choice(_leftmost_at_height(frontier, low))
    here, after = surplus(low), surplus(low + 1)
    return Choice(low, here / (here - after))


@best_single.register
def _(condition: MinimumPrecision, frontier: Frontier) -> int:
    u, v = _ray(condition)
    x, y = frontier.fpr, frontier.tpr
    near = np.flatnonzero(float(u) * y - float(v) * x >= -1e-12)
    for i in near[near > 0][::-1]:
        fpr, tpr = frontier.point(int(i))
        if u * tpr >= v * fpr and frontier.fp[i] + frontier.tp[i] > 0:
            return _leftmost_at_height(frontier, int(i))
    raise _no_precision(condition, frontier)


# --- any utility --------------------------------------------------------------------------------------


@best.register
def _(condition: Utility, frontier: Frontier) -> Choice:
    return climb(condition.function, frontier, Choice(len(frontier.fp) - 1))


@best.register
def _(condition: Constrained, frontier: Frontier) -> Choice:
    condition.require_precise()
    end = _cut(frontier, *_constraint(condition))
    return climb(condition.utility.function, frontier, end)  # type: ignore[union-attr]


@best_single.register
def _(condition: Utility, frontier: Frontier) -> int:
    return climb_points(condition.function, frontier, len(frontier.fp) - 1)


@best_single.register
def _(condition: Constrained, frontier: Frontier) -> int:
    end = _last_within(frontier, *_constraint(condition))
    return climb_points(condition.utility.function, frontier, end)  # type: ignore[union-attr]
