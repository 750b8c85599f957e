"""Measures of how near a rule is to one without errors, the top left corner of the ROC plane.

Neither is linear in the rates, and both have one best point on a hull, which may lie inside of an edge: the
set below a hull is convex. It is found exactly.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.objectives import Objective


class _Nearness(Objective):
    """A measure that falls along a hull to its best point, and rises after it."""

    sign = -1
    is_linear = False

    @abstractmethod
    def _share(self, start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
        """Where along the line through two points the measure is lowest; 0 is the start, and 1 the end."""

    def best(self, frontier: Frontier) -> Choice:
        def share(i: int) -> Fraction:
            return self._share(frontier.point(i), frontier.point(i + 1))

        edges = range(len(frontier.fp) - 1)
        i = bisect_left(edges, True, key=lambda i: share(i) < 1)
        if i == len(edges):
            return Choice(i)
        return Choice(i, max(share(i), Fraction(0)))


@dataclass(frozen=True)
class ClosestTopLeft(_Nearness):
    """The distance to the point without errors, (0, 1): ``sqrt(fpr**2 + (1 - tpr)**2)``, to be low.

    Notes
    -----
    It is pROC's ``coords(roc, "best", best.method="closest.topleft")``. Neither costs nor the prevalence
    are in it, and its threshold is not that of Youden's index.

    References
    ----------
    Perkins & Schisterman 2006, The inconsistency of "optimal" cutpoints, who advise against it.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> print(hull.at(rh.ClosestTopLeft(), deterministic=True))
    fpr 0.333333, tpr 1: score >= 3
    """

    key = loss_measure = "distance to the top left"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return np.hypot(fpr, 1 - tpr)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> float:
        return float(np.hypot(float(fpr), float(1 - tpr)))

    def merit(self, fpr: Fraction, tpr: Fraction) -> tuple[float | Fraction, ...]:
        return -(fpr**2) - (1 - tpr) ** 2, -fpr, tpr  # by the square, which is a fraction

    def _share(self, start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        return ((1 - y) * dy - x * dx) / (dx * dx + dy * dy)


@dataclass(frozen=True)
class EqualErrorRate(_Nearness):
    """The larger of both error rates, ``max(fpr, 1 - tpr)``, to be low: it is lowest where they are equal.

    Notes
    -----
    On a hull both error rates are equal there, most often by a mixture of two thresholds; they are
    :meth:`RocHull.eer`. With ``deterministic=True`` it is the single threshold whose larger error is lowest.

    References
    ----------
    Brummer & du Preez 2006, Application-independent evaluation of speaker detection.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    >>> point = hull.at(rh.EqualErrorRate())
    >>> point.fpr == 1 - point.tpr == hull.eer()
    True
    """

    key = loss_measure = "larger error rate"

    def value(self, fpr: Any, tpr: Any) -> Any:
        return np.maximum(fpr, 1 - tpr)

    def exact_value(self, fpr: Fraction, tpr: Fraction) -> Fraction:
        return max(fpr, 1 - tpr)

    def _share(self, start: tuple[Fraction, Fraction], end: tuple[Fraction, Fraction]) -> Fraction:
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        return (1 - x - y) / (dx + dy)
