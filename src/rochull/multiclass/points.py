"""Operating points of several classes: weights, with the confusion matrices that they reach."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np

from rochull._core import validation
from rochull._core.cards import Card, matrix
from rochull._core.docstrings import Described
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.multiclass import front
from rochull.multiclass.inputs import DECISIONS
from rochull.multiclass.measure import errors_of, rates_of
from rochull.multiclass.measures import (
    CostMatrix,
    Limit,
    MaxError,
    Measure,
    Objective,
    checked_limits,
    checked_objective,
    objective_values,
    smallest,
)
from rochull.multiclass.mixtures import MET, best_mixture, least_excess
from rochull.multiclass.point import InfeasibleLimitsError, MulticlassPoint, numbered

__all__ = ["InfeasibleLimitsError", "MulticlassPoint", "MulticlassPoints"]

_CLASSES = 4  # in a card
_SHOWN = 10  # points in a printed table


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassPoints(Result, Described):
    """Operating points found by a search, best first.

    Attributes
    ----------
    weights : ndarray of shape (k, C)
        Point p calls an example with outputs y the first class c with the largest ``weights[p, c] * y[c]``.
    confusion : ndarray of shape (k, C, C)
        ``confusion[p, i, j]`` is the weight of the examples of class i that point p calls j; int64 counts if
        unweighted. In-sample: of the examples on which the points were found.
    classes : tuple
        The classes' labels, in the order of the columns.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> outputs = [[5, 4, 1], [2, 3, 2], [3, 5, 3], [1, 6, 4], [2, 3, 4], [0, 5, 4]]
    >>> points = rh.MulticlassRoc(y, outputs).points_at([[1, 1, 1], [2, 1, 1], [2, 1, 2], [1, 1, 2]])
    >>> points
    MulticlassPoints: 4 points of 3 classes, in-sample.
         weights                 | errors                 | largest
               a       b       c |       a       b       c |   error
       0       1       1       1 |     0.5       0     0.5 |     0.5
       1       2       1       1 |       0     0.5       1 |       1
       2       2       1       2 |       0       1       0 |       1
       3       1       1       2 |     0.5       1       0 |       1
    >>> points.at("error").errors
    array([0.5, 0. , 0.5])
    >>> points.at("error", subject_to=[rh.multiclass.Error("c") <= 0.1]).weights
    array([2., 1., 2.])
    """

    parameters_told = DECISIONS

    weights: Array
    confusion: Array
    classes: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.weights)

    @overload
    def __getitem__(self, index: int) -> MulticlassPoint: ...
    @overload
    def __getitem__(self, index: slice | Array) -> MulticlassPoints: ...
    def __getitem__(self, index: Any) -> MulticlassPoint | MulticlassPoints:
        """A point, or some of them (by slice, mask or indices)."""
        if isinstance(index, numbers.Integral):
            return MulticlassPoint(((self.weights[index], 1.0),), self.confusion[index], self.classes)
        return MulticlassPoints(self.weights[index], self.confusion[index], self.classes)

    def __repr__(self) -> str:
        head = _headline(self)
        return head if not len(self) else "\n".join([head, *_table(self)])

    def _card(self) -> Card:
        return points_card(_headline(self), self)

    @property
    def errors(self) -> Array:
        """Per-class errors (k, C)."""
        return errors_of(self.confusion)

    @property
    def rates(self) -> Array:
        """The rows of the confusion matrices, divided by their sums (k, C, C)."""
        return rates_of(self.confusion)

    def values(self, objective: Objective) -> Array:
        """Evaluate a measure at every point (k,), in-sample."""
        return objective_values(checked_objective(objective), self.confusion, self.classes)

    def sorted_by(self, objective: Objective) -> MulticlassPoints:
        """Sort the points, the smallest value first: ties keep their order, NaN comes last."""
        return self[np.argsort(self.values(objective), kind="stable")]

    def satisfying(self, subject_to: Limit | Sequence[Limit]) -> Array:
        """Tell which points are within all limits (k,); where a limited measure is NaN, they are not."""
        within = np.ones(len(self), bool)
        for limit in checked_limits(subject_to):
            within &= limit.met(self.confusion, self.classes)
        return within

    def at(
        self,
        minimise: Objective = "max_error",
        subject_to: Limit | Sequence[Limit] = (),
        *,
        mixtures: bool = False,
    ) -> MulticlassPoint:
        """Choose the best point within limits on the confusion matrix.

        Parameters
        ----------
        mixtures : bool, default=False
            Whether points may be mixed at random, which can only be better. It takes measures whose value for
            a mixture is the mean of the points' values (`Error`, `Cell`, `ErrorRate`, `CostMatrix`), or
            `MaxError` to be minimised or with an upper limit.

        Returns
        -------
        MulticlassPoint
            Of equally good points the first. A mixture has at most one point more than there are active
            limits (of `MaxError`: errors); it exceeds a limit by 1e-12 at most. In-sample.
        """
        limits, objective = checked_limits(subject_to), checked_objective(minimise)
        if not len(self):
            raise ValueError("there are no operating points to choose from.")
        within = np.flatnonzero(self.satisfying(limits))
        single = None
        if within.size:
            best = smallest(objective, self.confusion[within], self.classes)
            if best is None:
                raise refused("minimise", "is NaN at every operating point that is within the limits.")
            single = self[int(within[best])]
        if mixtures:
            return self._mixed(objective, limits, single)
        if single is None:
            raise self._infeasible(limits, self._closest(objective, limits))
        return single

    def _closest(
        self, objective: Measure | Callable[[Array], Array], limits: Sequence[Limit]
    ) -> MulticlassPoint:
        """The point whose largest excess is the smallest; of those the one with the smallest objective."""
        excess = [limit.excess(self.confusion, self.classes) / limit.measure.scale() for limit in limits]
        worst = np.nan_to_num(np.max(excess, axis=0), nan=np.inf)
        near = np.flatnonzero(worst == worst.min())
        best = smallest(objective, self.confusion[near], self.classes)
        return self[int(near[best or 0])]

    def _infeasible(self, limits: Sequence[Limit], closest: MulticlassPoint) -> InfeasibleLimitsError:
        """The error that says what can be reached."""
        excess = tuple(float(limit.excess(closest.confusion, self.classes)) for limit in limits)
        broken = [
            f"{limit.measure} = {closest.value(limit.measure):.6g} (asked: {limit.side} {limit.limit:g})"
            for limit, beyond in zip(limits, excess, strict=True)
            if not beyond <= 0
        ]
        rules = " or ".join(numbered(weights) for weights, _ in closest.rules)
        what = "no mixture" if len(closest.rules) > 1 else "none"
        return InfeasibleLimitsError(
            f"{what} of the {len(self)} operating points that were found is within all limits. "
            f"The closest, with weights {rules}, has {' and '.join(broken)}.",
            closest,
            excess,
        )

    def _mixed(
        self,
        objective: Measure | Callable[[Array], Array],
        limits: Sequence[Limit],
        single: MulticlassPoint | None,
    ) -> MulticlassPoint:
        """The best mixture within limits; `single` is the best point, if there is one."""
        goals, beyond = self._goals(objective), self._beyond(limits)
        scale = float(np.ptp(goals)) or 1.0
        found = best_mixture((goals - goals.min()) / scale, beyond)
        if found is None:
            if single is not None:  # which meets a limit to the last digit, and nothing else does
                return single
            found = least_excess(beyond)
            if (beyond @ found).max() > MET:
                raise self._infeasible(limits, self._point(found))
        mixture = self._point(found)
        if single is not None and single.value(objective) <= mixture.value(objective) + MET * scale:
            return single
        return mixture

    def _goals(self, objective: Measure | Callable[[Array], Array]) -> Array:
        """Values of the objective at every point (g, k), whose largest one is minimised."""
        if isinstance(objective, MaxError):
            return _finite(self.errors.T, "minimise")
        if isinstance(objective, Measure) and objective.linear:
            return _finite(self.values(objective)[None], "minimise")
        raise ValueError(
            "mixtures=True takes MaxError() or a measure that is linear in the confusion matrix, but "
            f"minimise is {objective!r}."
        )

    def _beyond(self, limits: Sequence[Limit]) -> Array:
        """By how much every point breaks each limit (m, k), divided by the scale of what is limited."""
        rows = [np.zeros((0, len(self)))]
        for limit in limits:
            if isinstance(limit.measure, MaxError) and limit.side == "<=":
                excess = self.errors.T - limit.limit
            elif limit.measure.linear:
                excess = limit.excess(self.confusion, self.classes)[None]
            else:
                raise ValueError(f"mixtures=True takes limits that are linear inequalities, but not {limit}.")
            rows.append(_finite(excess, str(limit.measure)) / limit.measure.scale())
        return np.concatenate(rows)

    def mixture(self, probabilities: Mapping[int, float]) -> MulticlassPoint:
        """Mix points at random, with the confusion matrix that is expected.

        Parameters
        ----------
        probabilities : mapping of int to float
            The probability with which each point decides, by its index; they sum to one.
        """
        shares = np.zeros(len(self))
        for index, share in probabilities.items():
            if not isinstance(index, numbers.Integral) or not -len(self) <= index < len(self):
                raise Refusal(
                    "{}: there is no point {}; there are {}.",
                    Parameter("probabilities"),
                    repr(index),
                    len(self),
                )
            shares[index] += validation.probability(share, f"the probability of point {index}")
        if abs(shares.sum() - 1) > 1e-9:
            raise refused("probabilities", "must sum to one, but sum to {}.", repr(float(shares.sum())))
        return self._point(shares / shares.sum())

    def _point(self, shares: Array) -> MulticlassPoint:
        """The mixture with given probabilities (k,)."""
        mixed = np.flatnonzero(shares)
        if len(mixed) == 1:
            return self[int(mixed[0])]
        rules = tuple((self.weights[at], float(shares[at])) for at in mixed)
        return MulticlassPoint(rules, np.tensordot(shares[mixed], self.confusion[mixed], 1), self.classes)

    def dominating(self, point: MulticlassPoint) -> MulticlassPoint | None:
        """Look for a mixture of these points with no per-class error above those of a point, and one below.

        Parameters
        ----------
        point : MulticlassPoint
            Of the same classes and examples.

        Returns
        -------
        MulticlassPoint or None
            The mixture (or point) with the smallest sum of per-class errors; None if nothing dominates.
        """
        self._same_examples(point.classes, point.confusion[None])
        errors = _finite(self.errors, "the errors")
        found = best_mixture(errors.sum(axis=1)[None], (errors - point.errors).T)
        if found is None:
            return None
        mixture = self._point(found)
        better = point.errors - mixture.errors > MET
        return mixture if better.any() else None

    def merge(self, other: MulticlassPoints) -> MulticlassPoints:
        """Join the points of another search; of equal confusion matrices only the first is kept.

        Parameters
        ----------
        other : MulticlassPoints
            Of the same classes and examples.
        """
        if len(self):
            self._same_examples(other.classes, other.confusion)
        weights = np.concatenate([self.weights, other.weights])
        confusion = np.concatenate([self.confusion, other.confusion])
        first = front.distinct(confusion.reshape(len(confusion), -1))
        return MulticlassPoints(weights[first], confusion[first], self.classes)

    def _same_examples(self, classes: tuple[Any, ...], confusion: Array) -> None:
        """Raise unless the matrices (k, C, C) can be of the examples that these points are of."""
        if tuple(classes) != tuple(self.classes):
            raise ValueError(f"the points are of classes {self.classes!r}, but other is of {classes!r}.")
        totals = confusion.sum(axis=-1)
        if not np.allclose(totals, self.confusion[0].sum(axis=-1), rtol=1e-9):
            raise ValueError("other is of other examples: the numbers of examples of the classes differ.")

    def pareto(self) -> MulticlassPoints:
        """Keep the points whose per-class errors no other point dominates.

        Returns
        -------
        MulticlassPoints
            In the same order. A point dominates another one if none of its per-class errors is larger and one
            is smaller, in counts; of points with equal errors the first is kept.
        """
        return self[front.pareto(self._losses())]

    def hull(self) -> MulticlassPoints:
        """Keep the points on the lower convex hull of the per-class errors.

        Returns
        -------
        MulticlassPoints
            In the same order: the points that are the only best ones for some costs and priors, when an error
            costs the same whatever a class is called instead. No mixture of points dominates or equals them;
            of points with equal errors the first is kept.

        Notes
        -----
        They are the vertices of the convex hull of the errors and of all that is above. scipy's Qhull
        suggests them for up to five classes, else a linear programme for each point. Each is then proven by
        class weights for which it is the best, in rationals. A vertex is missed only if it is better than the
        others by less than 1e-9 of the range, in all directions.
        """
        return self[front.vertices(self._losses())[0]]

    @overload
    def potentially_optimal(self, return_costs: Literal[False] = False) -> MulticlassPoints: ...
    @overload
    def potentially_optimal(
        self, return_costs: Literal[True]
    ) -> tuple[MulticlassPoints, tuple[CostMatrix, ...]]: ...
    def potentially_optimal(
        self, return_costs: bool = False
    ) -> MulticlassPoints | tuple[MulticlassPoints, tuple[CostMatrix, ...]]:
        """Keep the points that are the only best ones for some cost matrix and priors.

        Parameters
        ----------
        return_costs : bool, default=False
            Whether a cost matrix is given for each point.

        Returns
        -------
        points : MulticlassPoints
            In the same order; of points with equal confusion matrices the first.
        costs : tuple of CostMatrix
            Only with `return_costs`: for each point one for which it has the smallest expected cost of all.
            The costs of errors are above zero and at most one, at equal priors.

        Notes
        -----
        The expected cost is linear in the C^2 - C off-diagonal rates. Their coefficients, prior times cost,
        may be any numbers from zero on. So the points are the vertices of the convex hull of these rates and
        of all that is above: the fewest of which one is optimal whatever the costs of errors are (none
        negative, correct decisions free) and whatever the priors. A point that is only ever as good as others
        is left out. Membership is decided by a linear programme, in the manner of Clarkson (1994), to the
        precision stated for :meth:`hull`.

        References
        ----------
        K. L. Clarkson (1994). More output-sensitive geometric algorithms. Proc. 35th Symposium on Foundations
        of Computer Science, 695-702.
        """
        n_classes = len(self.classes)
        off = ~np.eye(n_classes, dtype=bool)
        index, directions = front.vertices(self.confusion[:, off])
        points = self[index]
        if not return_costs:
            return points
        totals = self.confusion[:1].sum(axis=-1).astype(float)
        matrices = []
        for direction in directions:
            costs = np.zeros((n_classes, n_classes))
            costs[off] = direction
            costs *= totals.T  # from a price of each example to a price of the rate
            matrices.append(CostMatrix(costs / costs.max(), np.ones(n_classes), self.classes))
        return points, tuple(matrices)

    def _losses(self) -> Array:
        """Errors in each class (k, C): counts, up to a constant of each class."""
        return np.asarray(-np.diagonal(self.confusion, axis1=1, axis2=2))

    def to_dict(self) -> dict[str, Array]:
        """Make columns for a data frame.

        Returns
        -------
        dict of str to ndarray of shape (k,)
            ``weight[label]`` and ``error[label]`` of each class, ``max_error``, and ``cell[true, called]`` of
            each pair of classes: the rates.
        """
        errors, rates = self.errors, self.rates
        columns = {f"weight[{label}]": self.weights[:, c] for c, label in enumerate(self.classes)}
        columns |= {f"error[{label}]": errors[:, c] for c, label in enumerate(self.classes)}
        columns["max_error"] = errors.max(axis=1)
        for i, true in enumerate(self.classes):
            for j, called in enumerate(self.classes):
                columns[f"cell[{true}, {called}]"] = rates[:, i, j]
        return columns


def _finite(values: Array, name: str) -> Array:
    """Values for a linear programme."""
    if not np.isfinite(values).all():
        raise refused(name, "is not finite at every operating point, so that they cannot be mixed.")
    return np.asarray(values)


def _many(points: MulticlassPoints) -> str:
    """The number of points, as a sentence says it."""
    return f"{len(points)} point{'s' if len(points) != 1 else ''}"


def _headline(points: MulticlassPoints) -> str:
    """Say in a line how many there are."""
    return f"MulticlassPoints: {_many(points)} of {len(points.classes)} classes, in-sample."


def points_card(title: str, points: MulticlassPoints) -> Card:
    """A card of the points: weights and errors of the first classes, and the largest error of all."""
    shown = points.classes[:_CLASSES]
    weights = [(f"weight of {label}", points.weights[:, j].tolist()) for j, label in enumerate(shown)]
    errors = [(f"error of {label}", points.errors[:, j].tolist()) for j, label in enumerate(shown)]
    largest = points.errors.max(axis=1)
    columns = [("point", list(range(len(points)))), *weights, *errors, ("largest error", largest.tolist())]
    if not len(points):
        return Card(title, columns)
    best = int(largest.argmin())
    said = f"point {best}, whose largest error is the least"
    return Card(title, columns, (f"Picture: {said}.",), picture=matrix(points.rates[best], said))


def _narrow(value: float, width: int) -> str:
    """A number of up to three digits, to the right of a column with a space before it."""
    shown = (f"{value:.{digits}g}" for digits in (3, 2, 1))
    return f"{next((text for text in shown if len(text) <= 7), '>1e99'):>{width}}"


def _table(points: MulticlassPoints) -> list[str]:
    """The lines of a table of the first points, at most 80 characters wide."""
    shown = 3 if len(points.classes) > 4 else len(points.classes)
    more = " ..." if shown < len(points.classes) else ""
    names = [str(label) for label in points.classes[:shown]]
    room = {2: 14, 3: 11}.get(shown, 8)  # of a column, with the space before its text
    width = 1 + min(max(7, *map(len, names)), room - 1)
    cut = [name if len(name) < width else name[: width - 2] + "…" for name in names]
    labels = "".join(f"{name:>{width}}" for name in cut) + more
    lines = [
        f"     {'weights':<{len(labels)}}| {'errors':<{len(labels) - 1}}| largest",
        f"    {labels} |{labels} |   error",
    ]
    head = points[:_SHOWN]
    for at, (weights, errors) in enumerate(zip(head.weights, head.errors, strict=True)):
        rows = ["".join(_narrow(value, width) for value in row[:shown]) + more for row in (weights, errors)]
        lines.append(f"{at:>4}{rows[0]} |{rows[1]} |{_narrow(errors.max(), 8)}")
    if len(points) > _SHOWN:
        lines.append(f"... and {len(points) - _SHOWN} more")
    return lines
