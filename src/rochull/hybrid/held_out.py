"""Rules chosen on some cases, judged on others: for many slopes, and for many values of one limit, at once.

On each training part the single rules of all classifiers are chosen for every slope and limit together, and
then each case is asked which of the rules that it did not choose flag it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.question import Question
from rochull.conditions.ranges import exact
from rochull.conditions.rules import NEVER, Rule
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull

N_SLOPES = 99
FEW, MANY = np.arange(1, 10) / 1000, np.arange(1, 92) / 100  # shares that people ask for
VALUES = {
    "max_fpr": np.append(FEW, MANY),
    "min_recall": np.append(np.arange(9, 100) / 100, np.arange(991, 1000) / 1000),
    "min_precision": np.arange(1, 100) / 100,
    "fraction": np.append(FEW, MANY),
}
LIMITED = {"max_fpr": "fpr", "min_recall": "tpr", "min_precision": "precision", "fraction": "alarm rate"}
USUAL = ("max_fpr", "min_recall")  # of limits that nobody asked for
_ROWS = 1 << 12  # cases that are looked at together

Rules: TypeAlias = list[Rule]  # one for each number
Columns: TypeAlias = Mapping[str, Array]
_At: TypeAlias = tuple[str, float]  # a score and a level
_Key: TypeAlias = tuple[str, bool]  # a score, and whether low ones are positive


@dataclass(frozen=True, eq=False)
class SureRates:
    """Rates on cases that did not choose the rules, and how sure they are; or differences of such rates.

    Attributes
    ----------
    tpr, fpr : ndarray of shape (m,)
    var_tpr, var_fpr, cov : ndarray of shape (m,)
        Squares of their standard errors, and their covariance: of the cases, or of clusters of cases, of how
        they were split, and of the choice of rules by the same cases (:mod:`rochull.hybrid.halves`).
    """

    tpr: Array
    fpr: Array
    var_tpr: Array
    var_fpr: Array
    cov: Array


@dataclass(frozen=True, eq=False)
class Family:
    """Rules that were chosen for many numbers, such as slopes.

    Attributes
    ----------
    values : ndarray of shape (m,)
        The numbers, ascending.
    rates : SureRates
        Of the rules.
    less : SureRates or None
        Their rates less those of the rule that they are compared with, on the same cases.
    """

    values: Array
    rates: SureRates
    less: SureRates | None


@dataclass(frozen=True, eq=False)
class HeldOutRules:
    """Rates of rules on cases that did not choose them.

    Attributes
    ----------
    slopes : Family
        Of the best single rule at each slope of the lines of equal cost.
    limits : dict of str to Family
        Of the single rule that is best under one limit: the highest true positive rate at a highest false
        positive rate ("max_fpr"), at a share that is flagged ("fraction") or at a precision
        ("min_precision"), the lowest false positive rate at a true positive rate ("min_recall").
    n_folds, n_repeats : int
        How many parts, and how many times the examples were split.
    against : Rule or None
        The rule that they are compared with.
    against_counts : (int, int) or None
        How many negatives and positives that flags.
    """

    slopes: Family
    limits: dict[str, Family]
    n_folds: int
    n_repeats: int
    against: Rule | None = None
    against_counts: tuple[int, int] | None = None

    def error(self, kind: str, value: float, costs: ExpectedCost) -> float:
        """Give the standard error of the cost of the rules for a slope (kind ""), or under a limit."""
        found = self.limits[kind] if kind else self.slopes
        i, (alarm, miss) = int(np.flatnonzero(found.values == value)[0]), map(float, costs.weights)
        rates = found.rates
        own = alarm**2 * rates.var_fpr[i] + miss**2 * rates.var_tpr[i]
        return math.sqrt(max(0.0, own - 2 * alarm * miss * rates.cov[i]))


def slopes_of(hull: RocHull, own: float | None = None) -> Array:
    """Spread slopes over those that change the optimum; one that is asked for is among them."""
    steep = [slope for slope in _edges(hull) if 0 < slope < math.inf]
    found = np.geomspace(min(steep), max(steep), N_SLOPES) if steep else np.ones(1)
    return np.unique(np.append(found, [] if own is None else own))


def _edges(hull: RocHull) -> Array:
    """Slopes of the edges, which descend."""
    rise, run = np.diff(hull.tp) / hull.n_pos, np.diff(hull.fp) / hull.n_neg
    with np.errstate(divide="ignore"):
        return np.asarray(rise.astype(float) / run.astype(float))


def by_slope(hull: RocHull, slopes: Array) -> Rules:
    """The best rule at each slope: the vertex where the edges turn flatter than that."""
    steeper = np.searchsorted(-_edges(hull), -slopes, side="left")
    return [hull.owners[i][0] for i in steeper.tolist()]


def by_limit(
    curves: Mapping[str, RocCurve], kind: str, values: Array, prevalence: float, made: dict[_At, Rule]
) -> Rules:
    """The best single rule at each value of a limit, of all thresholds of all classifiers.

    Many parts choose the same one: those that were `made` are taken again.
    """
    names = list(curves)
    at = np.array([_places(curve, kind, values, prevalence) for curve in curves.values()])
    fp, tp = (
        np.array([getattr(curves[name], axis)[i] for name, i in zip(names, at, strict=True)])
        for axis in ("fp_units", "tp_units")
    )
    first, then = (fp, -tp) if kind == "min_recall" else (-tp, fp)
    who = np.broadcast_to(np.arange(len(names))[:, None], fp.shape)  # the last key counts first
    best = np.lexsort((who, then, first), axis=0)[0]
    chosen = [(names[who], int(at[who, m])) for m, who in enumerate(best.tolist())]
    return [_rule(name, curves[name], i, made) for name, i in chosen]


def _places(curve: RocCurve, kind: str, values: Array, prevalence: float) -> Array:
    """The point of one curve at each value: the last that is allowed, or the first that is enough."""
    fp, tp = curve.fp_units, curve.tp_units
    if kind in {"max_fpr", "min_recall"}:
        total = int((fp if kind == "max_fpr" else tp)[-1])
        bounds = [(each.numerator * total, each.denominator) for each in _exact(tuple(values.tolist()))]
        if kind == "min_recall":
            return np.searchsorted(tp, [-(-most // unit) for most, unit in bounds], side="left")
        at = np.searchsorted(fp, [most // unit for most, unit in bounds], side="right") - 1
    else:
        caught, alarms = prevalence * tp / tp[-1], (1 - prevalence) * fp / fp[-1]
        if kind == "fraction":
            at = np.searchsorted(caught + alarms, values, side="right") - 1
        else:
            precise = np.divide(caught, caught + alarms, out=np.ones(len(tp)), where=caught + alarms > 0)
            later = np.maximum.accumulate(precise[::-1])  # the best from a point on, from the last point
            at = np.maximum(0, len(later) - 1 - np.searchsorted(later, values, side="left"))
    return np.searchsorted(tp, tp[at], side="left")  # which finds as many with fewer false alarms


@functools.lru_cache(maxsize=8)
def _exact(values: tuple[float, ...]) -> list[Fraction]:
    return [exact(value) for value in values]


def _rule(name: str, curve: RocCurve, i: int, made: dict[_At, Rule]) -> Rule:
    if not i:
        return NEVER
    level = curve.score[i - 1].item()
    found = made.get((name, level))
    if found is None:
        found = made[name, level] = Rule.at_level(level, name, curve.lower_is_positive)
    return found


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Cases that rules are judged on.

    Attributes
    ----------
    positive : ndarray of bool of shape (n,)
    columns : dict of str to ndarray of shape (n,)
    against : ndarray of bool of shape (n,), or None
        Which of them the rule flags that others are compared with.
    clusters : ndarray of int of shape (n,), or None
        Whom each belongs to, from 0.
    """

    positive: Array
    columns: Columns
    against: Array | None = None
    clusters: Array | None = None

    def judged(self, values: Array, folds: Sequence[Array], rules: Sequence[Sequence[Rules]]) -> Family:
        """Judge rules for so many values: `rules[r][k]` on the cases of fold k of the r-th partition."""
        sums = _FlagSums(self, len(values), len(folds))
        levels = [_levels(chosen, list(self.columns)) for chosen in rules]
        places = {
            key: _place(self.columns[key[0]], key, levels) for key in {key for at in levels for key in at}
        }
        for rows in self._parts():
            parts = {key: place[rows, None] for key, place in places.items()}
            sums.add(rows, [_flagged(parts, fold[rows], at) for fold, at in zip(folds, levels, strict=True)])
        return Family(values, sums.moments(), sums.moments(beside=True) if self.against is not None else None)

    def _parts(self) -> list[Array]:
        """Rows, some at a time: those of a cluster together, or without clusters positives first."""
        cuts = np.arange(_ROWS, self.positive.size, _ROWS)
        if self.clusters is None:
            parts = np.split(np.arange(self.positive.size), cuts)
            return [part[np.argsort(~self.positive[part], kind="stable")] for part in parts]
        order = np.argsort(self.clusters, kind="stable")
        told = self.clusters[order]
        cuts = np.unique(np.searchsorted(told, told[cuts], side="left"))
        return [part for part in np.split(order, cuts) if part.size]


def _flagged(places: Mapping[_Key, Array], fold: Array, reached: Mapping[_Key, Array]) -> Array:
    """Which of the rules that they did not choose flag these cases (rows, values)."""
    each = (places[key] >= from_place.take(fold, axis=0) for key, from_place in reached.items())
    return functools.reduce(np.logical_or, each)


def _place(column: Array, key: _Key, levels: Sequence[dict[_Key, Array]]) -> Array:
    """Scores as their places among the distinct ones, and so the levels, in place: fewer bytes to compare."""
    known, place = np.unique(validation.negated(column) if key[1] else column, return_inverse=True)
    narrow = np.min_scalar_type(known.size)
    for at in levels:
        if key in at:  # what nothing reaches, NaN, is beyond the last place
            at[key] = np.searchsorted(known, at[key]).astype(narrow)
    return place.astype(narrow)


def _levels(rules: Sequence[Rules], names: Sequence[str]) -> dict[_Key, Array]:
    """Levels by fold and value for each score; NaN, which nothing reaches, where another one decides."""
    found: dict[_Key, Array] = {}
    for k, chosen in enumerate(rules):
        for m, rule in enumerate(chosen):
            key = (rule.classifier or names[0], rule.lower_is_positive)
            if key not in found:
                found[key] = np.full((len(rules), len(chosen)), np.nan)
            action = rule.constant
            if action is None or action:
                found[key][k, m] = rule.level if action is None else -np.inf
    return found


class _FlagSums:
    """Running sums of how often rules flag cases of each class, and of products of these over clusters.

    A case without a cluster is one of its own. Classes are the positives and the negatives, in this order.
    """

    def __init__(self, cases: LeftOut, size: int, n_repeats: int) -> None:
        self.cases, self.n_repeats = cases, n_repeats
        self.beside = (False,) if cases.against is None else (False, True)
        self.totals = np.array([[np.count_nonzero(cases.positive)], [np.count_nonzero(~cases.positive)]])
        self.rounds = np.zeros((n_repeats, 2, size))
        # Of sums with each other, and with the sizes of clusters: of rates, and of differences of rates.
        self.products = {beside: np.zeros((2, 2, size)) for beside in self.beside}
        self.by_size = {beside: np.zeros((2, 2, size)) for beside in self.beside}
        self.sizes, self.n_clusters = np.zeros((2, 2, 1)), np.zeros(2)
        both = ((0, 0), (1, 1), (0, 1), (1, 0))
        self.pairs = both[:2] if cases.clusters is None else both  # else classes have no cluster in common

    def add(self, rows: Array, each: Sequence[Array]) -> None:
        """Add cases, and whether they are flagged in every partition (rows, size)."""
        flagged = np.zeros(each[0].shape, np.min_scalar_type(self.n_repeats))
        for r, some in enumerate(each):
            flags = some.view(np.uint8)
            flagged += flags
            for j, members in enumerate(self._classes_of(rows)):
                self.rounds[r, j] += flags[members].sum(axis=0, dtype=np.uint32)
        sizes = [part[:, 0] for part in self._by_cluster(rows, np.ones((rows.size, 1), np.float32))]
        for i, j in self.pairs:
            self.sizes[i, j, 0] += sizes[i].astype(float) @ sizes[j]
        self.n_clusters += [np.count_nonzero(part) for part in sizes]
        flagged = flagged.astype(np.float32)
        for beside in self.beside:
            if beside:
                flagged -= np.float32(self.n_repeats) * self.cases.against[rows, None]  # type: ignore[index]
            sums = self._by_cluster(rows, flagged)
            for i, j in self.pairs:
                self.products[beside][i, j] += np.einsum("km,km->m", sums[i], sums[j])
                self.by_size[beside][i, j] += sizes[j] @ sums[i]

    def _by_cluster(self, rows: Array, values: Array) -> list[Array]:
        """Sums over the rows of each cluster, which are together, by class; or without clusters the rows."""
        classes = self._classes_of(rows)
        if self.cases.clusters is None:
            return [values[members] for members in classes]
        told = self.cases.clusters[rows]
        starts = np.flatnonzero(np.append(True, told[1:] != told[:-1]))
        return [
            np.add.reduceat(values * members[:, None], starts, axis=0, dtype=np.float32)
            for members in classes
        ]

    def _classes_of(self, rows: Array) -> tuple[Any, Any]:
        """Which of some rows are positive, and which negative."""
        positive = self.cases.positive[rows]
        if self.cases.clusters is not None:
            return positive, ~positive
        first = int(np.count_nonzero(positive))  # of rows as `LeftOut._parts` gives them
        return slice(first), slice(first, None)

    def moments(self, *, beside: bool = False) -> SureRates:
        """Finish rates, or their differences to those of the rule that is compared with."""
        rates = self.rounds / self.totals
        mean = rates.mean(axis=0)
        if beside:
            against = self.cases.against
            mean = mean - [[np.count_nonzero(against & part)] for part in self._classes()] / self.totals
        spread = np.zeros((2, 2, mean.shape[1]))
        for i in range(2):
            for j in range(2):
                spread[i, j] = self._of_cases(i, j, mean * self.n_repeats, beside)
                if self.n_repeats > 1:
                    apart = rates - rates.mean(axis=0)
                    spread[i, j] += (
                        (apart[:, i] * apart[:, j]).sum(axis=0) / (self.n_repeats - 1) / self.n_repeats
                    )
        return SureRates(mean[0], mean[1], spread[0, 0], spread[1, 1], spread[0, 1])

    def _classes(self) -> tuple[Array, Array]:
        return self.cases.positive, ~self.cases.positive

    def _of_cases(self, i: int, j: int, mean: Array, beside: bool) -> Array:
        """The covariance of the means of classes i and j, by what each cluster adds to them."""
        found = self.products[beside][i, j] + mean[i] * mean[j] * self.sizes[i, j]
        found = found - mean[j] * self.by_size[beside][i, j] - mean[i] * self.by_size[beside][j, i]
        clustered = self.cases.clusters is not None
        n = min(self.n_clusters[i], self.n_clusters[j]) if clustered else self.totals[i, 0]
        total = self.totals[i, 0] * self.totals[j, 0] * self.n_repeats**2
        covariance: Array = np.maximum(found, 0 if i == j else -np.inf) * n / (n - 1) / total
        return covariance


@dataclass(frozen=True, eq=False)
class Tables:
    """Rules for many slopes and limits, of every part of every partition."""

    values: dict[str, Array]
    prevalence: float
    own: tuple[str, float] | None = None  # what the condition asks for, of these
    folds: list[Array] = field(default_factory=list)
    rules: dict[str, list[list[Rules]]] = field(default_factory=dict)
    made: dict[_At, Rule] = field(default_factory=dict)

    @classmethod
    def of(cls, hull: RocHull, condition: Question, share: float) -> Tables:
        costs, own = costs_of(condition), condition.own_prevalence
        values = {"": slopes_of(hull, None if costs is None else costs.slope)}
        asked = {limit.measure.key: float(limit.limit) for limit in condition.limits}
        for kind, key in LIMITED.items():
            if key in asked or kind in USUAL:
                values[kind] = np.unique(np.append(VALUES[kind], asked.get(key, [])))
        kinds = [(kind, asked[key]) for kind, key in LIMITED.items() if key in asked]
        chosen = kinds[0] if len(condition.limits) == 1 and kinds else None
        if not condition.limits and costs is not None:
            chosen = ("", costs.slope)
        share = share if own is None else float(own)
        return cls(values, share, chosen, rules={kind: [] for kind in values})

    def part(self, folds: Array) -> None:
        """Begin a partition."""
        self.folds.append(folds)
        for each in self.rules.values():
            each.append([])

    def learn(self, hull: RocHull, curves: Mapping[str, RocCurve]) -> None:
        """Choose rules on a part."""
        for kind, values in self.values.items():
            found = (
                by_limit(curves, kind, values, self.prevalence, self.made) if kind else by_slope(hull, values)
            )
            self.rules[kind][-1].append(found)

    def judged(self, cases: LeftOut, against: Rule | None) -> HeldOutRules:
        """Judge them on all others."""
        found = {
            kind: cases.judged(values, self.folds, self.rules[kind]) for kind, values in self.values.items()
        }
        counts = None
        if cases.against is not None:
            caught = int(np.count_nonzero(cases.against & cases.positive))
            counts = int(np.count_nonzero(cases.against)) - caught, caught
        n_folds = int(self.folds[0].max()) + 1
        return HeldOutRules(found.pop(""), found, n_folds, len(self.folds), against, counts)
