"""Test a hybrid against its best member: both are chosen on a part, and judged on the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.messages import Item, Refusal, refused
from rochull._core.results import Result
from rochull._core.rows import refuse_other_order
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint, Rule, Scores
from rochull.hull.hull import RocHull
from rochull.hull.polarity import say_if_reversed
from rochull.hull.unions import union
from rochull.hull.ways import Way, way_of
from rochull.hybrid.halves import Halves, blocks_of_fold
from rochull.hybrid.held_out import HeldOutRules, LeftOut, Tables
from rochull.hybrid.parts import Cuts, Parts, parts_of

_LEVEL = 0.05


class FewToJudgeError(ValueError):
    """There are too few examples, or clusters, of a class for so many folds."""


@dataclass(frozen=True)
class Rival:
    """Costs of one classifier's rules beside the hybrid's, all on cases that did not choose them.

    Attributes
    ----------
    classifier : str
    threshold : float or None
        Of a rule that no data chose: 0.5, or what the costs set for a calibrated probability. None of the
        classifier's best rules, chosen as the hybrid's are.
    cost : float
        Expected cost per case.
    difference, error : float
        `cost` less the hybrid's, paired case by case, and its standard error.
    """

    classifier: str
    threshold: float | None
    cost: float
    difference: float
    error: float


@dataclass(frozen=True)
class Need(Result):
    """Held-out costs of a hybrid and of its best member, and whether they can be told apart.

    Attributes
    ----------
    condition : Condition
        With the prevalence that costs assume.
    hybrid, alone : float
        Expected cost per case, held out: of the best rule of all classifiers together, and of the best
        rule of the one classifier that is best in training.
    hybrid_error : float
        Standard error of `hybrid`: of the cases, of how they were split if that was done more than once, and,
        for costs or one limit, of the choice of rules by the same cases.
    members : dict of str to int
        How often each classifier was that one.
    difference, error : float
        `alone` less `hybrid`, paired case by case, and its standard error.
    pvalue : float
        Of no difference, two-sided.
    n_folds, n_repeats : int
        How many parts, and how many times the examples were split: decisions on a case are averaged.
    rivals : tuple of Rival
        The best rules of each classifier alone; then of each whose scores are within [0, 1] the thresholds
        that need no data: 0.5, and the one that the costs set for a calibrated probability at the prevalence
        of the examples.
    held_out : HeldOutRules or None
        What single rules for other slopes, and for limits, do on cases that did not choose them.

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
    n_folds: int
    n_repeats: int
    rivals: tuple[Rival, ...]
    held_out: HeldOutRules | None = None

    @property
    def is_needed(self) -> bool:
        """Whether the hybrid costs less than its best member, beyond chance (5 %)."""
        return self.pvalue < _LEVEL and self.difference > 0

    @property
    def facts(self) -> dict[str, Any]:
        """All numbers as JSON can hold them, and the level of the test (dict of str to Any)."""
        apart = ("condition", "held_out")
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in apart}
        return found | {"level": _LEVEL, "rivals": [asdict(each) for each in self.rivals]}

    def __str__(self) -> str:
        best = max(self.members, key=lambda name: self.members[name])
        verdict = (
            "the hybrid costs less"
            if self.is_needed
            else "the hybrid cannot be told apart from its best member"
        )
        if self.pvalue < _LEVEL and self.difference < 0:
            verdict = "the best member alone costs less"
        return (
            f"held out: hybrid {self.hybrid:.4g}, {best} alone {self.alone:.4g} per case; {verdict} "
            f"(p = {self.pvalue:.2g})"
        )


def need_of(
    hulls: Mapping[str, RocHull],
    condition: Question,
    y_true: ArrayLike,
    scores: Any,
    *,
    pos_label: object,
    n_folds: int,
    n_repeats: int,
    random_state: Any,
    clusters: ArrayLike | None = None,
    against: Rule | None = None,
) -> Need:
    """Judge a hybrid of such classifiers against the best of them; see :meth:`Hybrid.need`."""
    costs, asked = _judged_by(condition), condition.asked
    positive = validation.binary_labels(y_true, pos_label) == 1
    refuse_other_order({"y_true": y_true, "scores": scores, "clusters": clusters})
    columns, cuts = _columns(scores, hulls, positive)
    codes = None if clusters is None else validation.codes_1d(clusters, "clusters")[0]
    n_folds, n_repeats = validation.whole(n_folds, "n_folds", 2), validation.whole(n_repeats, "n_repeats", 1)
    flags = None if against is None else _called(OperatingPoint(0, 0, ((against, 1.0),)), columns) == 1
    cases = LeftOut(positive, cuts, flags, codes)
    tables = Tables.of(union(dict(hulls)), condition, float(positive.mean()))
    way = way_of(condition, deterministic=False)
    trial = _Trial(way, costs, cases, columns, tables, dict.fromkeys(hulls, 0))
    rng, least = validation.generator(random_state), _least(positive, codes)
    if least < 2 * n_folds:
        of = "examples" if codes is None else "clusters"
        raise FewToJudgeError(
            f"n_folds={n_folds} needs {2 * n_folds} {of} of each class, but one has {least}."
        )
    called, rounds = trial.run([_folds(positive, n_folds, rng, codes) for _ in range(n_repeats)])
    compared = _Compared(costs, positive, called, rounds, codes)
    (alone, difference, error), *own = (compared.chosen(i) for i in range(1, len(called)))
    rivals = [Rival(name, None, *found) for name, found in zip(hulls, own, strict=True)]
    pvalue = math.erfc(abs(difference) / error / math.sqrt(2)) if error else 1.0
    size = 2 * n_folds * blocks_of_fold(n_folds, least)
    halves = Halves.of(cases, _folds(positive, size, rng, codes), tables, rng)
    found = halves.all_widened(tables.judged(cases, against))
    own_error = compared.error(called[0], compared.rounds[:, 0])
    if tables.own is not None:
        own_error = max(own_error, found.error(*tables.own, costs))
    return Need(
        asked, _cost(costs, positive, called[0]), own_error, alone, trial.members, difference, error, pvalue,
        n_folds, n_repeats, (*rivals, *_untuned(hulls, columns, compared)), found,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Trial:
    """Rules are chosen on all folds but one, and judged on that one."""

    way: Way
    costs: ExpectedCost
    cases: LeftOut
    columns: Mapping[str, Array]
    tables: Tables
    members: dict[str, int]

    def run(self, partitions: Sequence[Array]) -> tuple[Array, Array]:
        """With which probability rules of the hybrid, of its best member, and of each flag each case.

        And what these rules cost in each partition.
        """
        positive = self.cases.positive
        called, rounds = np.zeros((2 + len(self.members), positive.size)), []
        sizes = np.array([np.count_nonzero(~positive), np.count_nonzero(positive)])
        for folds in partitions:
            flagged = np.zeros((len(called), 2))  # negatives, and positives

            def judged(folds: Array = folds, flagged: Array = flagged) -> Iterator[Parts]:
                for parts, left_out in parts_of(self.cases.cuts, folds):
                    for k, rows in enumerate(left_out):
                        truth = positive[rows]
                        for row, sums, point in zip(called, flagged, self._chosen(parts, k), strict=True):
                            flags = _called(point, self.columns, rows)
                            row[rows] += flags / len(partitions)
                            sums += flags[~truth].sum(), flags[truth].sum()
                    yield parts

            self.tables.learn(folds, judged())
            rounds.append([self.costs.cost(*rates) for rates in (flagged / sizes).tolist()])
        return called, np.array(rounds)

    def _chosen(self, parts: Parts, k: int) -> tuple[OperatingPoint, ...]:
        """The best rule of all, that of the best classifier, and that of each."""
        points = {name: self.way.point(hull) for name, hull in parts.hulls[k].items()}
        best = min(points, key=lambda name: self.costs.cost(points[name].fpr, points[name].tpr))
        self.members[best] += 1
        return self.way.point(parts.unions[k]), points[best], *points.values()


def _judged_by(condition: Question) -> ExpectedCost:
    """The costs of a condition; without any, what is missed, or wrongly flagged, is all that costs."""
    condition.require_precise()
    other = refused(
        "condition", "must be an ExpectedCost, or a limit on a rate, but is {}.", repr(condition.asked)
    )
    condition.refuse(reviews=other)
    found = costs_of(condition) or _LOSSES.get(condition.objective.key)
    if found is None:
        raise other
    return found


_LOSSES = {"tpr": ExpectedCost(0, 1, 1.0), "fpr": ExpectedCost(1, 0, 0.0)}


def _cost(costs: ExpectedCost, positive: Array, row: Array) -> float:
    return costs.cost(float(row[~positive].mean()), float(row[positive].mean()))


@dataclass(frozen=True)
class _Compared:
    """Rules as the probabilities with which they flag each case; the first are the hybrid's.

    `rounds[r, i]` is what rules i cost when the cases were split for the r-th time.
    """

    costs: ExpectedCost
    positive: Array
    called: Array
    rounds: Array
    clusters: Array | None = None

    def error(self, row: Array, rounds: Array) -> float:
        """The standard error of a cost, or of a difference: of the cases, and of how they were split."""
        weights = map(float, self.costs.weights)
        parts = list(zip(weights, (~self.positive, self.positive), strict=True))
        if self.clusters is None:
            of_cases = sum(weight**2 * row[own].var(ddof=1) / row[own].size for weight, own in parts)
        else:
            adds = np.zeros(row.size)  # what each case adds to the cost's error
            for sign, (weight, own) in zip((1, -1), parts, strict=True):
                adds[own] = sign * weight * (row[own] - row[own].mean()) / row[own].size
            each = np.bincount(self.clusters, adds)
            of_cases = float(each @ each) * each.size / (each.size - 1)
        return math.sqrt(of_cases + (rounds.var(ddof=1) / len(rounds) if len(rounds) > 1 else 0))

    def chosen(self, i: int) -> tuple[float, float, float]:
        """Return the cost of rules i, the excess over the hybrid's, and its standard error."""
        return self._beside(self.called[i], self.rounds[:, i] - self.rounds[:, 0])

    def untuned(self, row: Array) -> tuple[float, float, float]:
        """The same of a rule that no data chose."""
        return self._beside(row, self.rounds[:, 0])

    def _beside(self, row: Array, rounds: Array) -> tuple[float, float, float]:
        cost, own = (_cost(self.costs, self.positive, each) for each in (row, self.called[0]))
        return cost, cost - own, self.error(row - self.called[0], rounds)


def _untuned(
    hulls: Mapping[str, RocHull], columns: Mapping[str, Array], compared: _Compared
) -> Iterator[Rival]:
    """The thresholds that need no data, of scores that may be probabilities."""
    share = float(compared.positive.mean())
    alarm, miss = map(float, compared.costs.weights)
    # Where odds are those at which a false alarm and a miss cost the same: of these examples, so that the
    # odds of the condition's prevalence are taken back to theirs.
    alarm, miss = share * alarm, (1 - share) * miss
    by_costs = float(f"{alarm / (alarm + miss):.6g}")
    for name, column in columns.items():
        if not 0 <= column.min() <= column.max() <= 1:
            continue
        lower = hulls[name].lower_is_positive
        own = float(f"{1 - by_costs:.6g}") if lower else by_costs
        for threshold in dict.fromkeys((0.5, own) if 0 < own < 1 else (0.5,)):
            row = _called(OperatingPoint(0, 0, ((Rule("threshold", name, threshold, lower), 1.0),)), columns)
            yield Rival(name, threshold, *compared.untuned(row))


def _called(point: OperatingPoint, columns: Mapping[str, Array], rows: Array | None = None) -> Array:
    """With which probability each case is flagged, or each of some."""
    size = next(iter(columns.values())).size if rows is None else rows.size
    called = np.zeros(size)

    def scores_of(name: str | None) -> Scores:
        return Scores(columns[str(name)] if rows is None else columns[str(name)][rows])

    for rule, share in point.rules:
        called[rule.passes(size, scores_of)] += share
    return called


def _columns(
    scores: Any, hulls: Mapping[str, RocHull], positive: Array
) -> tuple[dict[str, Array], list[Cuts]]:
    """The scores of each classifier, and the thresholds that parts can choose."""
    named = named_columns(scores, "scores") or {}
    found, cuts = {}, []
    for name, hull in hulls.items():
        if name not in named:
            raise no_column("scores", name, named, ", which is a classifier of the hybrid")
        found[name] = validation.scores_1d(named[name], f"scores[{name!r}]")
        if found[name].size != positive.size:
            raise Refusal(
                "{} has {} rows, but y_true has {}.", Item("scores", name), found[name].size, positive.size
            )
        data = validation.labelled(
            positive, found[name], None, None, lower_is_positive=hull.lower_is_positive
        )
        say_if_reversed(data, f"scores[{name!r}]")
        cuts.append(Cuts.of(name, data))
    return found, cuts


def _least(positive: Array, clusters: Array | None) -> int:
    """How many examples, or clusters, the rarer class has."""
    sizes = [
        own.size if clusters is None else np.unique(clusters[own]).size
        for own in map(np.flatnonzero, (positive, ~positive))
    ]
    return min(sizes)


def _folds(positive: Array, n_folds: int, rng: np.random.Generator, clusters: Array | None) -> Array:
    """A fold for each example, as many of each class in each; whole clusters, if there are some."""
    folds = np.empty(positive.size, np.int64)
    if clusters is None:
        for label in (False, True):
            rows = np.flatnonzero(positive == label)
            folds[rng.permutation(rows)] = np.arange(rows.size) % n_folds
        return folds
    # Clusters with a positive case first, so that each fold has as many of them.
    with_positive = np.bincount(clusters, positive) > 0
    order = np.concatenate([rng.permutation(np.flatnonzero(with_positive == kind)) for kind in (True, False)])
    of_cluster = np.empty(order.size, np.int64)
    of_cluster[order] = np.arange(order.size) % n_folds
    found: Array = of_cluster[clusters]
    return found
