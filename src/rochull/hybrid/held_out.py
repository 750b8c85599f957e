"""Rules chosen on some cases, judged on others: for many slopes, and for many values of one limit, at once.

On each training part the single rules of all classifiers are chosen for every slope and limit together, and
then each case is asked which of the rules that it did not choose flag it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.question import Question
from rochull.conditions.rules import Rule
from rochull.hull.hull import RocHull
from rochull.hybrid.parts import Cuts, PartRules, Parts, edges, members

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
    steep = [slope for slope in edges(hull) if 0 < slope < math.inf]
    found = np.geomspace(min(steep), max(steep), N_SLOPES) if steep else np.ones(1)
    return np.unique(np.append(found, [] if own is None else own))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Cases that rules are judged on.

    Attributes
    ----------
    positive : ndarray of bool of shape (n,)
    cuts : sequence of Cuts
        Of each classifier, with the places of these cases.
    against : ndarray of bool of shape (n,), or None
        Which of them the rule flags that others are compared with.
    clusters : ndarray of int of shape (n,), or None
        Whom each belongs to, from 0.
    """

    positive: Array
    cuts: Sequence[Cuts]
    against: Array | None = None
    clusters: Array | None = None

    def judged(self, values: Array, folds: Sequence[Sequence[Array]], rules: Sequence[PartRules]) -> Family:
        """Judge rules for so many values: those of every partition, on the rows that each leaves out."""
        sums = _FlagSums(self, np.array([each.left_out[::-1] for each in rules]))
        steps = [each for fold, own in zip(folds, rules, strict=True) for each in self._steps(fold, own)]
        parts = self._parts()
        room = np.empty((max(map(len, parts)), values.size), np.uint8)
        most = np.min_scalar_type(len(folds))
        for rows in parts:
            flagged = np.zeros((rows.size, values.size), most)  # in how many partitions
            for step, flags in steps:
                flagged += flags.take(step[rows], axis=0, mode="clip", out=room[: rows.size])
            sums.add(rows, flagged)
        return Family(values, sums.moments(), sums.moments(beside=True) if self.against is not None else None)

    def _steps(self, folds: Sequence[Array], rules: PartRules) -> Iterator[tuple[Array, Array]]:
        """For each score: which step each case stands on (n,), and what flags those on a step (steps, m).

        Cases of a fold that reach as many of its thresholds are flagged for the same values. Where another
        score decides the threshold is 0, which nothing reaches.
        """
        size = rules.who.shape[1]
        for j, cuts in enumerate(self.cuts):
            levels = np.where(rules.who == j, rules.at, 0)
            if not levels.any():
                continue
            step = np.empty(cuts.place.size, np.min_scalar_type(len(levels) * (size + 1)))
            last = np.empty_like(levels)  # step that is flagged
            for k, (own, rows) in enumerate(zip(levels, folds, strict=True)):
                counts = np.cumsum(np.bincount(own, minlength=len(cuts)))  # thresholds up to a place
                step[rows] = counts[cuts.place[rows]] + k * (size + 1)
                last[k] = counts[np.maximum(own, 1) - 1] - (own == 0)
            flags = np.arange(size + 1)[:, None] <= last[:, None]
            yield step, flags.reshape(-1, size).view(np.uint8)

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


class _FlagSums:
    """Running sums of how often rules flag cases of each class, and of products of these over clusters.

    A case without a cluster is one of its own. Classes are the positives and the negatives, in this order.
    """

    def __init__(self, cases: LeftOut, rounds: Array) -> None:
        self.cases, self.rounds, self.n_repeats, size = cases, rounds, len(rounds), rounds.shape[2]
        self.beside = (False,) if cases.against is None else (False, True)
        self.totals = np.array([[np.count_nonzero(cases.positive)], [np.count_nonzero(~cases.positive)]])
        # Of sums with each other, and with the sizes of clusters: of rates, and of differences of rates.
        self.products = {beside: np.zeros((2, 2, size)) for beside in self.beside}
        self.by_size = {beside: np.zeros((2, 2, size)) for beside in self.beside}
        self.sizes, self.n_clusters = np.zeros((2, 2, 1)), np.zeros(2)
        both = ((0, 0), (1, 1), (0, 1), (1, 0))
        self.pairs = both[:2] if cases.clusters is None else both  # else classes have no cluster in common

    def add(self, rows: Array, flagged: Array) -> None:
        """Add cases, and in how many partitions they are flagged (rows, size)."""
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
    rules: dict[str, list[PartRules]] = field(default_factory=dict)

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

    def learn(self, folds: Array, parts: Iterable[Parts]) -> None:
        """Choose rules on all parts of a partition."""
        self.folds.append(folds)
        found: dict[str, list[PartRules]] = {kind: [] for kind in self.values}
        for some in parts:
            for kind, values in self.values.items():
                chosen = some.by_limit(kind, values, self.prevalence) if kind else some.by_slope(values)
                found[kind].append(chosen)
        for kind, each in found.items():
            self.rules[kind].append(PartRules.joined(each))

    def judged(self, cases: LeftOut, against: Rule | None) -> HeldOutRules:
        """Judge them on all others."""
        folds = [members(fold) for fold in self.folds]
        found = {kind: cases.judged(values, folds, self.rules[kind]) for kind, values in self.values.items()}
        counts = None
        if cases.against is not None:
            caught = int(np.count_nonzero(cases.against & cases.positive))
            counts = int(np.count_nonzero(cases.against)) - caught, caught
        n_folds = int(self.folds[0].max()) + 1
        return HeldOutRules(found.pop(""), found, n_folds, len(self.folds), against, counts)
