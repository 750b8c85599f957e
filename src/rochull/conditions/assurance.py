"""Which points of a curve keep limits in the population, all of them at once, with a stated confidence.

What is limited is counted in trials, where it can be. Errors that only rise or fall along a curve have one
boundary, which an order statistic finds. The errors among the cases called positive do neither: there the
thresholds are tested one by one, in an order that the scores alone fix, up to the first that fails. An
expected cost is tested in an order that other examples fix. What is of another population is bounded at all
thresholds at once. (``docs/uncertainty.md`` has the proofs.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from rochull._core.messages import Setting, joined
from rochull._core.validation import Array
from rochull.conditions.binomial_bound import least_examples, most_errors, within_shortfall
from rochull.conditions.frontier import Frontier
from rochull.conditions.learn_then_test import SEED, least_shortfall, losses_kept
from rochull.conditions.objectives import Objective, RateLimit, Trials, best_index
from rochull.conditions.ranges import exact
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.vertices import InfeasibleConditionError

_FIRST_HITS = 10  # hits expected at the limit before the first threshold that is tested
_FIRST_CLEAN = 6  # or so many times the cases that would do if all of them were hits
_CHUNK = 4096  # thresholds that are tested at a time


class Sure(Protocol):
    """A question with limits that the population is to keep with a confidence."""

    @property
    def objective(self) -> Objective:
        """The objective to optimise."""

    @property
    def limits(self) -> tuple[RateLimit, ...]:
        """The limits to keep."""

    @property
    def confidence(self) -> float | None:
        """How sure."""


def assured_points(limits: Iterable[RateLimit], frontier: Frontier, confidence: float) -> Array:
    """List the points that keep all limits in the population, with this confidence for all of them together.

    Parameters
    ----------
    limits : RateLimit
        At a stated prevalence, or at that of the data.
    frontier : the counts of every threshold of one classifier, unweighted.

    Returns
    -------
    int (m,)
        Perhaps none.

    Raises
    ------
    InfeasibleConditionError
        If there are too few examples for any.
    """
    kept = tuple(dict.fromkeys(limits))
    shortfall = _share(kept, frontier, confidence)
    met = np.ones(len(frontier.fp), bool)
    for limit in kept:
        trials, costs = limit.trials(frontier), limit.measure.losses
        if costs is not None:
            met &= losses_kept(costs, exact(limit.limit), frontier, shortfall)
        elif trials is None:
            met &= _bounded(limit, frontier, shortfall / _sides(kept, frontier))
        elif trials.walked:
            met &= _walked(trials, shortfall, confidence)
        else:
            met &= trials.errors <= most_allowed(trials, shortfall, confidence)
    return np.flatnonzero(met)


def best_assured(condition: Sure, frontier: Frontier) -> int:
    """The best of the points that keep the limits of a condition with its confidence."""
    among = assured_points(condition.limits, frontier, condition.confidence)  # type: ignore[arg-type]
    if not among.size:
        raise none_assured(condition, frontier)
    return best_index(condition.objective, frontier, among)


def none_assured(condition: Sure, frontier: Frontier) -> InfeasibleConditionError:
    """Say that no threshold keeps the limits of a condition with its confidence."""
    limits = condition.limits
    return InfeasibleConditionError(
        "{} cannot be reached for {}: no threshold is assured to keep {} by these {} positives "
        "and {} negatives.",
        Setting("confidence", condition.confidence, "g"),
        joined(" and ", limits),
        "it" if len(limits) == 1 else "them",
        frontier.n_pos,
        frontier.n_neg,
    )


def promised(condition: Sure, rule: OperatingPoint, frontier: Frontier) -> float:
    """The shortfall that the tests of a point would take, which is one of a frontier's classifier."""
    from scipy.stats import binom

    n_neg, n_pos = frontier.n_neg, frontier.n_pos
    point = Frontier(np.array([round(rule.fpr * n_neg)]), np.array([round(rule.tpr * n_pos)]), n_neg, n_pos)
    kept, found = condition.limits, 0.0
    for limit in kept:
        trials, costs = limit.trials(point), limit.measure.losses
        if costs is not None:
            found = max(found, least_shortfall(costs, exact(limit.limit), point))
        elif trials is None:
            found = max(found, _sides(kept, point) * _tail_of_bound(limit, point))
        elif trials.share < 1:
            found = max(found, float(binom.cdf(trials.errors[0], trials.cases[0], float(trials.share))))
    return found * _parts(kept, point)


def counted(condition: Sure, frontier: Frontier, n_candidates: int) -> tuple[int, int | None]:
    """The examples that the limits are about, and the errors allowed the best of several classifiers."""
    kept = condition.limits
    trials = kept[0].trials(frontier) if len(kept) == 1 else None
    if trials is None or trials.walked:
        return frontier.n_neg + frontier.n_pos, None
    where = f" for the best of {n_candidates} classifiers" if n_candidates > 1 else ""
    confidence: float = condition.confidence  # type: ignore[assignment]
    each = (1 - exact(confidence)) / n_candidates
    return int(trials.cases[0]), most_allowed(trials, each, confidence, where)


def needs_every_threshold(condition: Sure, frontier: Frontier) -> bool:
    """Whether thresholds are tested one after the other, so that none may be left out."""
    if condition.confidence is None:
        return False
    for limit in condition.limits:
        trials = limit.trials(frontier)
        if limit.measure.losses is not None or (trials is not None and trials.walked):
            return True
    return False


def _parts(limits: Iterable[RateLimit], frontier: Frontier) -> int:
    """Among how many the shortfall is shared out.

    Errors that rise along the curve have their boundaries in one order: the promise of all of them breaks
    only where the first one's does. So it is with those that fall. All that are bounded at all thresholds
    at once have one bound.
    """
    groups: set[Any] = set()
    for limit in limits:
        trials = limit.trials(frontier)
        if limit.measure.losses is not None or (trials is not None and trials.walked):
            groups.add(limit)
        else:
            groups.add("bounded" if trials is None else trials.rises)
    return max(1, len(groups))


def _share(limits: Iterable[RateLimit], frontier: Frontier, confidence: float) -> Fraction:
    return (1 - exact(confidence)) / _parts(limits, frontier)


def most_allowed(trials: Trials, shortfall: Fraction, confidence: float, where: str = "") -> int:
    """The largest number of errors that is assured to keep a limit."""
    n, share = int(trials.cases[0]), trials.share
    if share >= 1:
        return n
    if n < (least := least_examples(share, shortfall)):
        raise _too_few(trials, n, least, confidence, where)
    return most_errors(n, share, shortfall)


def _walked(trials: Trials, shortfall: Fraction, confidence: float) -> Array:
    """The points from the first that is tested up to the one before the first that fails: bool (k,)."""
    errors, cases, share = trials.errors, trials.cases, trials.share
    met, total = np.zeros(len(cases), bool), int(cases[-1])
    if share >= 1:
        return np.asarray(cases > 0)
    least = least_examples(share, shortfall)
    if total <= least:
        raise _too_few(trials, total, least + 1, confidence)
    first = min(first_tested(share, shortfall), total - 1)
    i = int(np.searchsorted(cases, first, side="right"))  # the first point of more cases
    if not _begun(trials, i, first, shortfall):
        return met
    for low in range(i, len(cases), _CHUNK):
        part = slice(low, low + _CHUNK)
        passed = within_shortfall(errors[part], cases[part], share, shortfall)
        met[part] = np.logical_and.accumulate(passed)
        if not passed.all():
            break
    return met


def first_tested(share: Fraction, shortfall: Fraction) -> int:
    """How many cases are called positive where the first test is made: the data have no say in it."""
    clean, hits = _FIRST_CLEAN * least_examples(share, shortfall), _FIRST_HITS / float(1 - share)
    return math.ceil(max(clean, hits))


def _begun(trials: Trials, i: int, first: int, shortfall: Fraction) -> bool:
    """Whether so many cases from the top pass. Of a group of equal scores some may be beyond: by lot."""
    errors, cases = int(trials.errors[i - 1]), int(trials.cases[i - 1])
    tied, wrong = int(trials.cases[i]) - cases, int(trials.errors[i]) - errors
    if drawn := first - cases:
        errors += int(np.random.default_rng(SEED).hypergeometric(wrong, tied - wrong, drawn))
    return bool(within_shortfall(np.array([errors]), np.array([first]), trials.share, shortfall)[0])


def _sides(limits: Iterable[RateLimit], frontier: Frontier) -> int:
    """How many bounds must hold at once: each rate, where it can be too high or too low for a limit."""
    planes = [plane for limit in limits if limit.trials(frontier) is None for plane in limit.half_planes()]
    sides = {(rate, plane[rate] > 0) for plane in planes for rate in (0, 1) if plane[rate] != 0}
    return max(2, len(sides))  # a one-sided bound of Massart holds for shortfalls up to one half


def _bounded(limit: RateLimit, frontier: Frontier, shortfall: Fraction) -> Array:
    """The points that keep a limit as far as its rates can be off anywhere on the curve: bool (k,).

    A rate is too high by more than sqrt(-log(a) / 2n) somewhere with a probability of at most a, and too
    low likewise (Massart 1990).
    """
    met = np.ones(len(frontier.fp), bool)
    met[0] = not limit.needs_alarms
    off = math.sqrt(-math.log(shortfall) / 2)
    for plane in limit.half_planes():
        a, b, c = map(float, plane)
        room = abs(a) / math.sqrt(frontier.n_pos) + abs(b) / math.sqrt(frontier.n_neg)
        met &= a * frontier.tpr + b * frontier.fpr + off * room <= c
    return met


def _tail_of_bound(limit: RateLimit, point: Frontier) -> float:
    """The least shortfall with which :func:`_bounded` allows a point."""
    found = 0.0
    for plane in limit.half_planes():
        a, b, c = map(float, plane)
        room = abs(a) / math.sqrt(point.n_pos) + abs(b) / math.sqrt(point.n_neg)
        left = max(0.0, c - a * float(point.tpr[0]) - b * float(point.fpr[0]))
        found = max(found, math.exp(-2 * (left / room) ** 2) if room else 0.0)
    return found


def _too_few(
    trials: Trials, n: int, least: float, confidence: float, where: str = ""
) -> InfeasibleConditionError:
    takes = f"it takes at least {least}" if math.isfinite(least) else f"no number of {trials.of} is enough"
    return InfeasibleConditionError(
        "{} cannot be reached with {} {}{}: {}.",
        Setting("confidence", confidence, "g"),
        n,
        trials.of,
        where,
        takes,
    )
