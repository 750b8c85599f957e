"""Whether a hybrid can be told from its best member: both are chosen on a part, and judged on the rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.results import Result
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.costs import costs_of
from rochull.conditions.rules import OperatingPoint, Scores
from rochull.hull.hull import RocHull, roc_hull
from rochull.hull.polarity import already_said, say_if_reversed
from rochull.hull.unions import union

_LEVEL = 0.05


@dataclass(frozen=True)
class Need(Result):
    """Held-out costs of a hybrid and of its best member, and whether they can be told apart.

    Attributes
    ----------
    condition : ExpectedCost
        With the prevalence at which costs are told.
    hybrid, alone : float
        Expected cost per case, held out: of the best rule of all classifiers together, and of the best
        rule of the one classifier that is best in training.
    hybrid_error : float
        Standard error of `hybrid`, of the cases: how these were parted is not in it.
    members : dict of str to int
        How often each classifier was that one.
    difference, error : float
        `alone` less `hybrid`, paired case by case, and its standard error.
    pvalue : float
        Of no difference, two-sided.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scores = {name: table[name] for name in ("logistic", "boosted", "knn")}
    >>> hybrid = rh.Hybrid()
    >>> for name, score in scores.items():
    ...     _ = hybrid.add(name, table["class"], score, pos_label="bad")
    >>> found = hybrid.need(rh.ExpectedCost(1, 5, 0.3), table["class"], scores, pos_label="bad")
    >>> found.is_needed
    False
    """

    condition: Condition
    hybrid: float
    hybrid_error: float
    alone: float
    members: dict[str, int]
    difference: float
    error: float
    pvalue: float

    @property
    def is_needed(self) -> bool:
        """Whether the hybrid costs less than its best member, beyond chance (5 %)."""
        return self.pvalue < _LEVEL and self.difference > 0

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers as JSON can hold them, and the level of the test (dict of str to Any)."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "condition"}
        return found | {"level": _LEVEL}

    def __str__(self) -> str:
        best = max(self.members, key=lambda name: self.members[name])
        verdict = (
            "the hybrid costs less" if self.is_needed else "the hybrid cannot be told from its best member"
        )
        if self.pvalue < _LEVEL and self.difference < 0:
            verdict = "the best member alone costs less"
        return (
            f"held out: hybrid {self.hybrid:.4g}, {best} alone {self.alone:.4g} per case; {verdict} "
            f"(p = {self.pvalue:.2g})"
        )


def need_of(
    hulls: Mapping[str, RocHull],
    condition: Condition,
    y_true: ArrayLike,
    scores: Any,
    *,
    pos_label: object,
    n_folds: int,
    random_state: Any,
) -> Need:
    """Judge a hybrid of such classifiers against the best of them; see :meth:`Hybrid.need`."""
    costs = costs_of(condition)
    if costs is None or costs is not condition:  # costs within limits are not judged by costs alone
        raise ValueError(f"condition must be an ExpectedCost, but is {condition!r}.")
    costs.require_precise()
    positive = validation.binary_labels(y_true, pos_label) == 1
    columns = _columns(scores, hulls, positive)
    folds = _folds(positive, validation.whole(n_folds, "n_folds", 2), validation.generator(random_state))
    called = np.zeros((2, positive.size))  # with which probability, by the hybrid and by the best member
    members = dict.fromkeys(hulls, 0)
    for k in range(n_folds):
        train, test = folds != k, folds == k
        with already_said():  # by `_columns`
            fitted = {
                name: roc_hull(
                    positive[train], column[train], lower_is_positive=hulls[name].lower_is_positive
                ).named(name)
                for name, column in columns.items()
            }
        points = {name: hull.at(costs) for name, hull in fitted.items()}
        best = min(points, key=lambda name: costs.cost(points[name].fpr, points[name].tpr))
        members[best] += 1
        for row, point in zip(called, (union(fitted).at(costs), points[best]), strict=True):
            row[test] = _called(point, {name: column[test] for name, column in columns.items()})
    of_fpr, of_miss = map(float, costs.weights)
    values = [costs.cost(float(row[~positive].mean()), float(row[positive].mean())) for row in called]

    def error_of(rows: Array) -> float:
        parts = ((of_fpr, rows[~positive]), (of_miss, rows[positive]))
        return math.sqrt(sum(weight**2 * part.var(ddof=1) / part.size for weight, part in parts))

    error = error_of(called[1] - called[0])
    difference = values[1] - values[0]
    pvalue = math.erfc(abs(difference) / error / math.sqrt(2)) if error else 1.0
    return Need(costs, values[0], error_of(called[0]), values[1], members, difference, error, pvalue)


def _called(point: OperatingPoint, columns: Mapping[str, Array]) -> Array:
    size = next(iter(columns.values())).size
    called = np.zeros(size)
    for rule, share in point.rules:
        called[rule.passes(size, lambda name: Scores(columns[str(name)]))] += share
    return called


def _columns(scores: Any, hulls: Mapping[str, RocHull], positive: Array) -> dict[str, Array]:
    named = named_columns(scores, "scores") or {}
    found = {}
    for name, hull in hulls.items():
        if name not in named:
            raise no_column("scores", name, named, ", which is a classifier of the hybrid")
        found[name] = validation.scores_1d(named[name], f"scores[{name!r}]")
        if found[name].size != positive.size:
            raise ValueError(f"scores[{name!r}] has {found[name].size} rows, but y_true has {positive.size}.")
        data = validation.labelled(
            positive, found[name], None, None, lower_is_positive=hull.lower_is_positive
        )
        say_if_reversed(data, f"scores[{name!r}]")
    return found


def _folds(positive: Array, n_folds: int, rng: np.random.Generator) -> Array:
    """A fold for each example, as many of each class in each."""
    folds = np.empty(positive.size, np.int64)
    for label in (False, True):
        rows = rng.permutation(np.flatnonzero(positive == label))
        if rows.size < 2 * n_folds:
            raise ValueError(
                f"n_folds={n_folds} needs {2 * n_folds} examples of each class, but one has {rows.size}."
            )
        folds[rows] = np.arange(rows.size) % n_folds
    return folds
