"""Bands of review that keep their limits in the population with a stated confidence.

The learning examples put the cases in an order in which they are decided: first those of whom the decision
is surest, from both ends of the scores inward. So the bands are fixed before they are tested, and nested; the
error of what is decided is tested band by band by an exact binomial tail, up to the first that fails.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.messages import Setting, joined
from rochull._core.validation import Array
from rochull.conditions.assurance import most_allowed
from rochull.conditions.binomial_bound import least_examples, within_shortfall
from rochull.conditions.frontier import Frontier
from rochull.conditions.learn_then_test import a_fifth_and_rest, stops_of
from rochull.conditions.objectives import Trials
from rochull.conditions.ranges import exact
from rochull.conditions.vertices import InfeasibleConditionError

_FIRST = 3  # times the decisions that would do without any error, before the first test


def assured_band(review: Any, points: Frontier, shortfall: Fraction) -> tuple[int, int]:
    """The cheapest band that is assured: positive up to one point of a curve, negative after another.

    Parameters
    ----------
    review : Review
        At the prevalence of the data; with a limit.
    points : Frontier
        The counts of every threshold of one classifier, unweighted.
    shortfall : Fraction
        The probability with which some limit may be broken.

    Raises
    ------
    InfeasibleConditionError
        If no band is assured. To review everything is, unless the share of reviews is limited.
    """
    limits = {name: most for name, _, most in review.uses}
    each = shortfall / len(limits)
    learned, test = a_fifth_and_rest(points)
    high, low = order_of(review, learned)
    kept = np.ones(len(high), bool)
    if "max_error" in limits:
        kept &= _error_kept(exact(review.goal.max_error), (high, low), (learned, test), each)
        kept[0] = True  # where nothing is decided, nothing is wrong
    if "max_share" in limits:
        reviewed = _reached(test, low) - _reached(test, high)
        share = Trials(
            reviewed, np.full(len(high), len_of(test)), "examples", limits["max_share"], rises=False
        )
        kept &= reviewed <= most_allowed(share, each, review.confidence)
    if not kept.any():
        raise InfeasibleConditionError(
            "{} cannot be reached: no band of reviews is assured to keep {} by these {} positives "
            "and {} negatives.",
            Setting("confidence", review.confidence, "g"),
            joined(" and ", (Setting(name, getattr(review.goal, name), "g") for name in limits)),
            points.n_pos,
            points.n_neg,
        )
    among = np.flatnonzero(kept)[::-1]  # of bands that cost the same that with fewer reviews
    best = among[np.argmin(_costs(review, points, high[among], low[among]))]
    return int(high[best]), int(low[best])


def promised_band(review: Any, point: Any, frontier: Frontier) -> float:
    """The shortfall that the tests of a point would take, by all examples."""
    from scipy.stats import binom

    n, found = len_of(frontier), 0.0
    reviewed = round(point.review_rate * n)
    wrong = round(point.error_rate * (n - reviewed)) if reviewed < n else 0
    trials = {"max_error": (wrong, n - reviewed), "max_share": (reviewed, n)}
    for name, _, _ in review.uses:
        errors, cases = trials[name]
        if cases:
            found = max(found, float(binom.cdf(errors, cases, getattr(review.goal, name))))
    return found * len(review.uses)


def order_of(review: Any, learned: Frontier) -> tuple[Array, Array]:
    """The bands in which more and more is decided, from nothing to everything: two int (m,), points.

    What costs less than a review and errs less than the limit comes first, the surest of it first; then what
    saves most for the errors that it adds; then what costs more than a review.
    """
    from rochull._core.kernels.hull import upper_hull

    stops = stops_of(learned)
    fp, tp = learned.fp[stops], learned.tp[stops]
    corners = upper_hull(fp, tp, False)
    sizes = np.diff(corners)
    of_class = np.stack([np.diff(fp[corners]), np.diff(tp[corners])]) + 0.5
    negative, positive = of_class / of_class.sum(axis=0)
    amounts = review.cost_amounts
    as_negative, as_positive, reviewed = (
        float(costs[0]) * negative + float(costs[1]) * positive
        for costs in (amounts.negative, amounts.positive, amounts.review)
    )
    is_positive = np.logical_and.accumulate(as_positive < as_negative)
    called = int(sizes[is_positive].sum())
    saved = reviewed - np.where(is_positive, as_positive, as_negative)
    wrong = np.where(is_positive, negative, positive)
    most = 1.0 if review.goal.max_error is None else review.goal.max_error
    place = np.repeat(_place(saved, wrong, most), sizes)
    # Farther out is surer: what half an example of each class adds to small blocks must not hide that.
    top = np.minimum.accumulate(place[:called][::-1])[::-1]
    bottom = np.minimum.accumulate(place[called:])[::-1]
    in_order = np.argsort(np.append(top, bottom), kind="stable")
    is_top = np.repeat([True, False], [len(top), len(bottom)])[in_order]
    last = len(stops) - 1
    return stops[np.append(0, np.cumsum(is_top))], stops[np.append(last, last - np.cumsum(~is_top))]


def _place(saved: Array, wrong: Array, most: float) -> Array:
    """Where a block comes in the order: from 0, of the free ones by its errors, to 3."""
    with np.errstate(divide="ignore", over="ignore"):
        price = np.maximum(wrong - most, 1e-300) / np.maximum(saved, 1e-300)
    free, dear = 1 + price / (1 + price), 2 - saved / (1 + np.abs(saved))
    free = np.where(np.isnan(free), 2.0, free)
    return np.where(saved <= 0, dear, np.where(wrong <= most, wrong, free))


def _error_kept(
    most: Fraction, bands: tuple[Array, Array], parts: tuple[Frontier, Frontier], shortfall: Fraction
) -> Array:
    """The bands of whose decisions at most so many are wrong, up to the first that is not assured."""
    (high, low), (learned, test) = bands, parts
    met = np.zeros(len(high), bool)
    if most >= 1:
        return ~met
    least = least_examples(most, shortfall)
    share = (_reached(learned, high) + len_of(learned) - _reached(learned, low)) / max(1, len_of(learned))
    ready = share * len_of(test) >= _FIRST * least
    first = int(np.argmax(ready))
    if not ready[first]:
        return met
    high, low = high[first:], low[first:]
    errors = test.fp[high] + test.n_pos - test.tp[low]
    decided = _reached(test, high) + len_of(test) - _reached(test, low)
    met[first:] = np.logical_and.accumulate(within_shortfall(errors, decided, most, shortfall))
    return met


def _reached(points: Frontier, at: Array) -> Array:
    return np.asarray(points.fp[at] + points.tp[at])


def len_of(points: Frontier) -> int:
    """How many examples it counts."""
    return int(points.n_neg + points.n_pos)


def _costs(review: Any, points: Frontier, high: Array, low: Array) -> Array:
    """Total costs of bands, by all examples."""
    amounts, found = review.cost_amounts, np.zeros(len(high))
    for k, (counts, size) in enumerate(((points.fp, points.n_neg), (points.tp, points.n_pos))):
        found += float(amounts.positive[k]) * counts[high]
        found += float(amounts.review[k]) * (counts[low] - counts[high])
        found += float(amounts.negative[k]) * (size - counts[low])
    return found
