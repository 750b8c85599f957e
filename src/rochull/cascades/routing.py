"""Routing: which questions are worth a call of a dear model, where a cheap one answers the others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull.hull.curve import RocCurve, roc_curve
from rochull.hull.hull import RocHull
from rochull.policies.policy import Policy


@dataclass(frozen=True)
class RoutingPoint(Result):
    """How far to call: from which score on, how often that is, and how many answers are then right.

    Attributes
    ----------
    threshold : float
        The dear model is called from this score on; inf calls it never.
    calls : float
        Share of the questions for which it is called (in-sample).
    right : float
        Share of right answers (in-sample).
    net : float
        That, less the price of the calls.

    Examples
    --------
    >>> import rochull as rh
    >>> point = rh.cascades.route([1, 4, 3, 2], cheap=[1, 0, 0, 0], dear=[1, 1, 1, 0]).at(max_calls=0.25)
    >>> point.calls, point.right
    (0.25, 0.5)
    """

    threshold: float
    calls: float
    right: float
    net: float


@dataclass(frozen=True, eq=False)
class Routing(Result):
    """The exact frontier of right answers against calls of a dear model, for a router's score.

    Made by :func:`route`.

    Attributes
    ----------
    cheap, dear : float
        Share of the questions that each model alone answers right.
    price : float
        What a call costs, in right answers.
    hull : RocHull
        Of the questions, each as two examples.
    curve : RocCurve
        Every threshold, of the same examples.
    calls, right : ndarray of shape (k,)
        The frontier, from no call to all (in-sample).
    thresholds : ndarray of shape (k,)
        The lowest score at which the dear model is called.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("routellm")
    >>> found = rh.cascades.route(table["characters"], table["weak"], table["strong"], price=0.15)
    >>> round(found.cheap, 3), round(found.dear, 3)
    (0.677, 0.81)
    >>> bool(found.at(max_calls=0.3).right > found.cheap)
    True
    """

    cheap: float
    dear: float
    price: float
    hull: RocHull = field(repr=False)
    curve: RocCurve = field(repr=False)

    @cached_property
    def calls(self) -> Array:
        """Share of the questions for which the dear model is called, at each vertex (k,)."""
        return self._shares(self.hull.fp, self.hull.tp)[0]

    @cached_property
    def right(self) -> Array:
        """Share of right answers at each vertex (k,)."""
        return self._shares(self.hull.fp, self.hull.tp)[1]

    @property
    def thresholds(self) -> Array:
        """Lowest score at which the dear model is called, at each vertex (k,)."""
        return self.hull.thresholds

    def _shares(self, fp: Array, tp: Array) -> tuple[Array, Array]:
        """Shares of calls and of right answers, from counts of examples, of which a question is two."""
        both = int(self.hull.n_pos + self.hull.n_neg)
        return np.asarray((tp + fp) / both), np.asarray(self.cheap + (tp - fp) / both)

    def to_dict(self) -> dict[str, list[float]]:
        """Give the frontier.

        Returns
        -------
        dict of str to list
            `threshold`, `calls` and `right`.
        """
        columns = {"threshold": self.thresholds, "calls": self.calls, "right": self.right}
        return {name: column.tolist() for name, column in columns.items()}

    def at(self, max_calls: float | None = None) -> RoutingPoint:
        """Find the single threshold that is best at the price, within a budget.

        Parameters
        ----------
        max_calls : float, optional
            Share of the questions for which the dear model may be called, at most.

        Returns
        -------
        RoutingPoint
            Of equally good ones that with fewer calls.

        Examples
        --------
        >>> import rochull as rh
        >>> cheap, dear = [1, 0, 0, 0], [1, 1, 1, 0]
        >>> rh.cascades.route([1, 4, 3, 2], cheap, dear, price=0.1).at()
        RoutingPoint(threshold=3.0, calls=0.5, right=0.75, net=0.7)
        """
        most = 1.0 if max_calls is None else validation.probability(max_calls, "max_calls")
        calls, right = self._shares(self.curve.fp_units, self.curve.tp_units)
        net = np.where(calls <= most, right - self.price * calls, -np.inf)
        i = int(np.argmax(net))
        numbers = (self.curve.thresholds[i], calls[i], right[i], net[i])
        return RoutingPoint(*map(float, numbers))

    def policy(self) -> Policy:
        """Write down the frontier, to be deployed.

        Returns
        -------
        Policy
            It decides by a budget, ``rh.Capacity(fraction=..., prevalence=policy.hull.prevalence)``.
        """
        return Policy.from_hull(self.hull)


def route(y_score: ArrayLike, cheap: ArrayLike, dear: ArrayLike, *, price: float = 0.0) -> Routing:
    """Compute which questions are worth the call of a dear model.

    A call wins an answer where the dear model alone is right, and loses one where the cheap one alone is. So
    a question counts as two examples: both positive, one of each class, or both negative. Their ROC convex
    hull is the frontier, exactly.

    Parameters
    ----------
    y_score : array-like of shape (n,)
        What a router says of each question before anybody answers it; higher means that the call is worth
        more. Best such that the router was not trained on these questions.
    cheap, dear : array-like of shape (n,)
        Whether each model's answer is right: 0 and 1, or booleans.
    price : float, default=0.0
        Of a call, in right answers.

    Returns
    -------
    Routing
        The frontier.

    Raises
    ------
    ValueError
        If a call wins an answer on every question, or loses one on each.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.cascades.route([1, 4, 3, 2], cheap=[1, 0, 0, 0], dear=[1, 1, 1, 0])
    >>> found.calls.tolist(), found.right.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.75, 0.75])
    """
    price = validation.non_negative(price, "price")
    scores = validation.scores_1d(y_score, "y_score")
    same_rows(y_score=y_score, cheap=cheap, dear=dear)
    gain = _right(dear, "dear") - _right(cheap, "cheap")
    twice = np.concatenate([gain >= 0, gain > 0])
    if twice.all() or not twice.any():
        raise refused(
            "dear", "differs from cheap in the same way on every question: there is nothing to route."
        )
    share = float(np.mean(_right(cheap, "cheap")))
    curve = roc_curve(twice, np.concatenate([scores, scores]))
    return Routing(share, share + float(np.mean(gain)), price, RocHull.from_curve(curve), curve)


def _right(answers: ArrayLike, name: str) -> Array:
    """Whether answers are right (n,), as 0 and 1."""
    found = np.asarray(answers)
    if found.ndim != 1 or not np.isin(found, (0, 1)).all():
        raise refused(name, "must say of each question whether the answer is right, by 0 and 1.")
    return found.astype(np.int64)
