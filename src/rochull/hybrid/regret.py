"""Losses of rules and classifiers alone against the hybrid, under precise and imprecise conditions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.cards import Card
from rochull._core.printable import wrapped
from rochull._core.results import Result
from rochull.conditions.base import Condition
from rochull.conditions.clauses import measure_named
from rochull.conditions.costs import costs_of
from rochull.conditions.frontier import Choice, Frontier, least_cost_vertex
from rochull.conditions.objectives import Cost
from rochull.conditions.question import Question
from rochull.conditions.ranges import Distribution
from rochull.conditions.rules import OperatingPoint, rules_in_words
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.conditions.worst_case import CostRegret
from rochull.hull.drawing import display
from rochull.hull.hull import RocHull, optimum
from rochull.hull.minimax import (
    Found,
    SingleRules,
    found_at,
    hull_over,
    least_worst,
    least_worst_single,
    single_rules,
)
from rochull.hull.ways import Assured, OverRange, way_of
from rochull.hybrid.mean_regret import LimitMeans, cost_means, limit_means

_HIGH = 0.95
_WIDTH = 80
At = Callable[[Question, bool, str | None], OperatingPoint]


@dataclass(frozen=True)
class Regret(Result):
    """Loss against the hybrid by a rule that is kept whatever the condition is (in-sample).

    Attributes
    ----------
    point : OperatingPoint or None
        The rule, or the mixture of two; None if no rule meets the condition.
    worst : float
        The largest regret over the range of the condition: expected cost per case for linear costs,
        false positive rate for a minimum recall, else true positive rate (or utility). It is inf if
        the rule breaks a limit somewhere in the range, or if a cost has no bound.
    mean : float
        The mean regret, if the numbers of the condition are independent and intervals uniform.
    high : float
        The regret that is exceeded with a probability of 5% only, to about 1/1000 of probability; for a
        `Constrained` utility, and with a stated confidence, to about 1/100.
    corner : Condition or None
        A precise condition where the largest regret is attained; None if that is at infinity.

    Examples
    --------
    >>> import rochull as rh
    >>> hybrid = rh.Hybrid().add_point("p", 0.25, 0.75)
    >>> found = hybrid.regret(rh.Accuracy((0, 0.5)))["p"]
    >>> found.worst, found.mean, found.corner
    (0.125, 0.0625, Accuracy(prevalence=0.0))
    """

    point: OperatingPoint | None
    worst: float
    mean: float
    high: float
    corner: Condition | None = None

    @property
    def value(self) -> float:
        """The regret under a precise condition; else the largest one."""
        return self.worst


@dataclass(frozen=True, eq=False)
class RegretTable(Result, Mapping[str, Regret]):
    """Losses of rules against the hybrid, which knows the condition; a mapping from classifiers.

    The value of a classifier's name is what it loses alone, at its own point of least worst regret
    (its best point, if the condition is precise), which may be a mixture of two of its rules.

    Attributes
    ----------
    condition : Condition
        The range of conditions.
    measure : str
        What regret is in.
    distribution : str
        What means are taken over.
    accuracy : float
        How far means may be off; 0 if they are exact.
    alone : dict of str to Regret
        What each classifier loses alone; also reached by indexing.
    singles : dict of str to Regret
        The same with one threshold, never a mixture.
    rules : tuple of Regret
        The vertices of the hull that are optimal somewhere in the range, and the one beside them at
        each end, from low to high rates.
    least_worst : Regret
        The minimax-regret rule; it may be a mixture. Its point is None if every rule can lose
        without bound.
    least_worst_single : Regret
        The same with one threshold, of all that are known: a vertex, or a point of a raw curve.
    least_mean : Regret
        The rule of least mean regret. Its point is None if all means are infinite.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> table = hybrid.regret(rh.Accuracy((0.3, 0.6)))
    >>> print(table.minimax, f"loses {table.minimax_regret:.4f} at most")
    fpr 0.166667, tpr 0.666667: a >= 4 (66.7%) or b >= 2 (33.3%) loses 0.0667 at most
    >>> round(table["a"].worst, 4), round(table["a"].mean, 4)
    (0.1, 0.0167)
    """

    condition: Condition
    measure: str
    distribution: str
    accuracy: float
    alone: dict[str, Regret]
    singles: dict[str, Regret]
    rules: tuple[Regret, ...]
    least_worst: Regret
    least_worst_single: Regret
    least_mean: Regret

    @property
    def minimax(self) -> OperatingPoint | None:
        """The minimax-regret rule (OperatingPoint or None)."""
        return self.least_worst.point

    @property
    def minimax_regret(self) -> float:
        """The largest regret of the minimax-regret rule."""
        return self.least_worst.worst

    def __getitem__(self, name: str) -> Regret:
        return self.alone[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.alone)

    def __len__(self) -> int:
        return len(self.alone)

    def _all_rules(self) -> list[tuple[str, str | None, Regret]]:
        """All rules, with their kinds, and the classifiers of those alone."""
        return [
            ("least worst", None, self.least_worst), ("least worst single", None, self.least_worst_single),
            ("least mean", None, self.least_mean), *(("vertex", None, found) for found in self.rules),
            *(("alone", name, found) for name, found in self.alone.items()),
            *(("alone, single", name, found) for name, found in self.singles.items()),
        ]  # fmt: skip

    def to_dict(self) -> dict[str, list[Any]]:
        """Give all rules as columns of a table.

        Returns
        -------
        dict of str to list
            ``kind`` ("least worst", "least worst single", "least mean", "vertex", "alone" or "alone,
            single"), ``classifier`` (of those alone), ``rule``, ``fpr`` and ``tpr`` (in-sample), ``worst``,
            ``mean`` and ``high``; None for a rule that there is not.
        """
        named = self._all_rules()
        points = [found.point for _, _, found in named]
        table: dict[str, list[Any]] = {
            "kind": [k for k, _, _ in named],
            "classifier": [n for _, n, _ in named],
        }
        table["rule"] = [point and point.words for point in points]
        table |= {rate: [point and getattr(point, rate) for point in points] for rate in ("fpr", "tpr")}
        return table | {m: [getattr(found, m) for *_, found in named] for m in ("worst", "mean", "high")}

    def plot(self, *, ax: Any = None, **options: Any) -> Any:
        """Draw mean and largest regrets, of each classifier alone and of all; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of :meth:`rochull.plotting.RegretDisplay.plot`.

        Returns
        -------
        RegretDisplay
            With the figure as `figure_`.
        """
        return display("RegretDisplay").from_table(self, ax=ax, **options)

    def _card(self) -> Card:
        title = f"regret in {self.measure} (in-sample) under {self.condition.question.written}"
        short = {"rule": [_named(found, ".4g") for *_, found in self._all_rules()]}
        return Card(title, list((self.to_dict() | short).items()))

    def __str__(self) -> str:
        from rochull.hybrid.sensitivity import cut

        asked = way_of(self.condition.question, deterministic=True)
        precise = not isinstance(asked, OverRange)
        lines = [*wrapped(f"regret in {self.measure} (in-sample) under {self.condition.question.said}")]
        if not precise:
            error = f", to {self.accuracy:.1g}" if self.accuracy else ""
            lines += wrapped(f"mean over {self.distribution}{error}; high: exceeded with probability 0.05")
        lines.append(_line("", "regret" if precise else "worst", *([] if precise else ["mean", "high"])))
        rows = [("least worst", self.least_worst), ("one rule", self.least_worst_single)]
        if not precise:
            rows.append(("least mean", self.least_mean))
        lines += [_cells(f"{name}: {_named(found)}", found, precise) for name, found in rows]
        if not precise and self.least_worst.corner is not None:
            lines += wrapped(f"  the least worst is attained at {self.least_worst.corner!r}")
        if self.rules:
            lines.append("vertices in the range and beside it")
            lines += cut([_cells(f"  {_named(found)}", found, precise) for found in self.rules])
        corrected = " (corrected for the number of all)"
        confident = isinstance(asked, Assured) and len(self.alone) > 1
        lines.append("each classifier alone" + corrected * confident)
        order = sorted(self.alone, key=lambda name: self.alone[name].worst)
        lines += cut(
            [_cells(f"  {name}: {_named(self.alone[name])}", self.alone[name], precise) for name in order]
        )
        return "\n".join(lines)


def _named(found: Regret, digits: str = "g") -> str:
    return "none" if found.point is None else rules_in_words(found.point, digits)


def _cells(text: str, found: Regret, precise: bool) -> str:
    values = [found.worst] if precise else [found.worst, found.mean, found.high]
    return _line(text, *(f"{value:.4g}" for value in values))


def _line(text: str, *cells: str) -> str:
    width = _WIDTH - 11 * len(cells)
    if len(text) > width:
        text = text[: width - 3] + "..."
    return text.ljust(width) + "".join(f"{cell:>11}" for cell in cells)


def described(question: Question) -> str:
    """Describe the distributions that the means are taken over."""
    parts = []
    for name, value in question.ranges:
        kind = repr(value) if isinstance(value, Distribution) else f"uniform({value[0]:g}, {value[1]:g})"
        parts.append(f"{name} ~ {kind}")
    return ", ".join(parts) + (", independent" if len(parts) > 1 else "") if parts else "one condition"


# --- a table -------------------------------------------------------------------------------------------


def regret_table(
    question: Question,
    hull: RocHull,
    hulls: Mapping[str, RocHull],
    at: At,
    assured: Callable[[], Mapping[str, list[SingleRules]]] = dict,
) -> RegretTable:
    """Compute the losses of every rule, and of every classifier alone, against a union hull.

    `at` chooses the best point under a precise question, of all classifiers together or of one. Under costs
    within limits that have a confidence, `assured` gives the rules of each classifier that keep them.
    """
    judge: _OfCosts | _OfLimits
    match costs_of(question), way_of(question, deterministic=True):
        case None, Assured():
            judge = _OfAssuredLimits(question, hull, at)
        case None, _:
            judge = _OfLimits(question, hull, at)
        case _, Assured():
            judge = _OfAssuredCosts(question, hull, assured())
        case _:
            judge = _OfCosts(question, hull)
    span = range(0)
    if judge.segment is not None:
        span = range(max(0, judge.segment[0] - 1), min(len(hull), judge.segment[1] + 2))
    curves = {name: curve for each in hulls.values() for name, curve in each.curves.items()}
    together = replace(hull, curves=curves)
    candidates = [
        *map(judge.best_of, hulls.values()), *map(judge.best_single_of, hulls.values()),
        judge.best_of(hull, True), judge.best_single_of(together, True), judge.least_mean(),
        *(_candidate(found_at(hull, Choice(i))) for i in span),
    ]  # fmt: skip
    known = iter(judge.regrets([c for c in candidates if c is not None]))
    nothing = Regret(None, math.inf, math.inf, math.inf)
    regrets = [nothing if c is None else next(known) for c in candidates]
    n = len(hulls)
    return RegretTable(
        question.asked, judge.measure, described(question), judge.accuracy,
        dict(zip(hulls, regrets[:n], strict=True)), dict(zip(hulls, regrets[n : 2 * n], strict=True)),
        tuple(regrets[2 * n + 3 :]), *regrets[2 * n : 2 * n + 3],
    )  # fmt: skip


@dataclass(frozen=True)
class _Candidate:
    """A point, with its rates as fractions; `kept` if it is known to keep the limit everywhere."""

    point: OperatingPoint
    x: Fraction
    y: Fraction
    kept: bool = False


def _candidate(found: Found | None) -> _Candidate | None:
    return None if found is None else _Candidate(*found)


class _OfCosts:
    """Losses of candidates under linear costs, within limits or without."""

    measure = measure_named(Cost.key)
    segment: tuple[int, int] | None

    def __init__(self, question: Question, hull: RocHull) -> None:
        self.hull, self.stretch = hull, question.stretch(hull.frontier)
        self.segment = question.segment(hull.frontier)
        self._judge_by(question, question.stretch(hull.frontier, closed=True).frontier)

    def _judge_by(self, question: Question, best: Frontier) -> None:
        """Measure regret against the best of a hull."""
        self.question = question
        self.stakes = CostRegret(question.costs, best)
        self.means = cost_means(question.costs, best)
        self.accuracy = self.means.accuracy

    def best_of(self, hull: RocHull, together: bool = False) -> _Candidate | None:
        """The point of least worst regret of a hull."""
        try:
            return _candidate(least_worst(self.stakes, hull, self.question))
        except InfeasibleConditionError:  # not met by this classifier alone
            if together:
                raise
            return None

    def best_single_of(self, hull: RocHull, together: bool = False) -> _Candidate | None:
        """The same of single thresholds: those of the vertices, and of the raw curves that are held."""
        return _candidate(least_worst_single(self.stakes, single_rules(hull, self.question)))

    def least_mean(self) -> _Candidate | None:
        """The best point at the mean weights: the mean cost needs nothing else."""
        w, m = self.means.weights
        if math.inf in (w, m):
            if w == m:
                return None
            w, m = Fraction(w == math.inf), Fraction(m == math.inf)
        return _candidate(self.cheapest((Fraction(w), Fraction(m))))

    def cheapest(self, weights: tuple[Fraction, Fraction]) -> Found:
        """The point of least cost."""
        i = least_cost_vertex(weights, self.hull.frontier)
        return found_at(self.hull, self.stretch.nearest(Choice(i)))

    def keeps(self, found: _Candidate) -> bool:
        """Whether a candidate keeps the limits."""
        return self.question.is_met(found.x, found.y)

    def regrets(self, candidates: list[_Candidate]) -> list[Regret]:
        """Compute the loss of each."""
        fpr, tpr = (np.array([getattr(c.point, rate) for c in candidates]) for rate in ("fpr", "tpr"))
        highs = self.means.quantile(fpr, tpr, _HIGH).tolist()
        found = []
        for c, high in zip(candidates, highs, strict=True):
            if not self.keeps(c):
                found.append(Regret(c.point, math.inf, math.inf, math.inf))
                continue
            worst = self.stakes.worst(c.x, c.y)
            found.append(Regret(c.point, worst.value, self.means.mean(c.x, c.y), high, worst.corner))
        return found


class _OfAssuredCosts(_OfCosts):
    """The same within limits that the population keeps with a confidence: single rules, which are assured."""

    def __init__(self, question: Question, hull: RocHull, assured: Mapping[str, list[SingleRules]]) -> None:
        self.hull, self.segment, self.assured = hull, None, assured
        best, self.made = hull_over(part for own in assured.values() for part in own)
        self._judge_by(question, best)

    def best_of(self, hull: RocHull, together: bool = False) -> _Candidate | None:
        own = [self.assured[hull.classifier or ""]] if not together else self.assured.values()
        return _candidate(least_worst_single(self.stakes, (part for parts in own for part in parts)))

    best_single_of = best_of

    def cheapest(self, weights: tuple[Fraction, Fraction]) -> Found:
        return self.made[least_cost_vertex(weights, self.stakes.frontier)]

    def keeps(self, found: _Candidate) -> bool:
        return True  # they were assured by more than their rates


class _OfLimits:
    """Losses of candidates under a constraint, or a utility."""

    def __init__(self, question: Question, hull: RocHull, at: At) -> None:
        self.hull, self.at, self.question = hull, at, question
        self.measure = question.objective.measure
        # A rule is allowed everywhere in the box if it is at the strictest end; it loses most at the loosest.
        self.tight, self.loose = question.ends()
        self.segment = self._segment()
        self.most = self._best(self.loose)
        self.means = self._means()
        self.accuracy = self.means.accuracy

    def _segment(self) -> tuple[int, int] | None:
        return self.question.segment(self.hull.frontier)

    def _means(self) -> LimitMeans:
        return limit_means(self.question, self._best, self._turns(), self.hull.frontier)

    def _best(self, question: Question) -> float | Fraction:
        """The objective at the best point of all classifiers together."""
        frontier = self.hull.frontier
        return question.objective.exact_value(*question.best(frontier).exact_rates(frontier))

    def _turns(self) -> list[tuple[Fraction, float | Fraction]] | None:
        """Where the best point turns, if it goes along straight lines in between."""
        names = [*self.question.spread]
        if len(names) != 1 or names[0] not in self.question.span.straight:
            return None
        frontier, value = self.hull.frontier, self.question.objective.exact_value
        return [(t, value(*frontier.point(i))) for t, i in self.loose.span.turning_points(names[0], frontier)]

    def best_of(self, hull: RocHull, together: bool = False) -> _Candidate | None:
        """The best point at the strictest end of the range: it is allowed everywhere."""
        try:
            found = self._best_on(hull, together)
        except InfeasibleConditionError:
            if together:
                raise
            return None
        return found and replace(found, kept=True)

    def _best_on(self, hull: RocHull, together: bool) -> _Candidate | None:
        return _candidate(found_at(hull, self.tight.best(hull.frontier)))

    def best_single_of(self, hull: RocHull, together: bool = False) -> _Candidate | None:
        """The same of single thresholds."""
        try:
            return self._best_single_on(hull, together)
        except InfeasibleConditionError:
            if together:
                raise
            return None

    def _best_single_on(self, hull: RocHull, together: bool) -> _Candidate | None:
        tight = self.tight
        found = self.at(tight, True, None) if together else optimum(hull, tight, deterministic=True)
        return self._chosen(found)

    def _chosen(self, point: OperatingPoint) -> _Candidate:
        return _Candidate(point, Fraction(point.fpr), Fraction(point.tpr), True)

    def least_mean(self) -> _Candidate | None:
        """Where less is lost at one end of the range, as much less is lost at all others."""
        return self.best_of(self.hull, True)

    def regrets(self, candidates: list[_Candidate]) -> list[Regret]:
        """Compute the loss of each."""
        objective = self.question.objective
        lost = -objective.sign * self.means.sample
        high_best = -objective.sign * float(np.quantile(lost, 1 - _HIGH, method="hazen"))
        found = []
        for c in candidates:
            if not (c.kept or self.tight.is_met(c.x, c.y)):
                found.append(Regret(c.point, math.inf, math.inf, math.inf, self.tight.asked))
                continue
            here = objective.exact_value(c.x, c.y)
            worst, mean, high = (
                objective.regret(here, best) for best in (self.most, self.means.best, high_best)
            )
            found.append(Regret(c.point, worst, mean, high, self.loose.asked))
        return found


class _OfAssuredLimits(_OfLimits):
    """The same where the population keeps the limit with a confidence: of single rules, which are assured."""

    def _segment(self) -> None:
        return None

    def _means(self) -> LimitMeans:
        return limit_means(self.question, self._best, None, None)

    def _best(self, question: Question) -> float:
        point = self.at(question, False, None)
        return float(question.objective.value(point.fpr, point.tpr))

    def _best_on(self, hull: RocHull, together: bool) -> _Candidate:
        return self._chosen(self.at(self.tight, False, None if together else hull.classifier))

    def _best_single_on(self, hull: RocHull, together: bool) -> _Candidate:
        return self._chosen(self.at(self.tight, True, None if together else hull.classifier))
