"""Results of a hybrid's rules on examples that did not choose them, beside what the hull promised."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import fill
from typing import Any

import numpy as np

from rochull._core.results import Interval, Result
from rochull._core.validation import Array
from rochull.conditions.base import Condition
from rochull.conditions.review_rules import ReviewPoint
from rochull.conditions.rules import Action, OperatingPoint, Rule, Scores, rules_in_words
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hybrid.hybrid import Hybrid
from rochull.uncertainty.rates import rate_interval

_WIDTH = 80


class EvaluationTable(Result, ABC):
    """A table with a row for each condition, and what it says of single classifiers."""

    conditions: tuple[Condition, ...]
    alone: Any  # costs (m,) by classifier

    @property
    def measures(self) -> tuple[str, ...]:
        """Name of the cost under each condition (tuple of str), such as "miss rate"."""
        return tuple(condition.question.objective.loss_measure for condition in self.conditions)

    def _asked(self) -> dict[str, Array]:
        """The first columns."""
        conditions = np.array([repr(condition) for condition in self.conditions])
        return {"condition": conditions, "measure": np.array(self.measures)}

    @abstractmethod
    def _held_out(self, classifier: str | None = None) -> tuple[Array, Array]:
        """False and true positive rates (k, m) in k folds: those of a classifier alone, or of the hybrid."""

    @property
    def kept(self) -> Array:
        """The share of the folds in which the held-out rates keep all limits (m,).

        Of a single evaluation 1 or 0. NaN where a condition limits nothing.
        """
        return self._kept(None)

    @property
    def alone_kept(self) -> dict[str, Array]:
        """The same (m,) of each classifier alone; NaN also where it cannot meet the condition."""
        return {name: self._kept(name) for name in self.alone}

    def _kept(self, classifier: str | None) -> Array:
        rates, found = self._held_out(classifier), np.full(len(self.conditions), np.nan)
        for j, condition in enumerate(self.conditions):
            if [*condition.question.limits]:
                folds = [
                    _keeps(condition, *each) for each in zip(*(rate[:, j] for rate in rates), strict=True)
                ]
                found[j] = np.mean(folds)
        return found

    def _told(self, kept: float) -> str:
        """Words on limits that were kept; none where nothing is limited."""
        folds = len(self._held_out()[0])
        if math.isnan(kept):
            return ""
        if folds == 1:
            return "limits kept" if kept else "limits broken"
        return f"limits kept in {round(kept * folds)} of {folds} folds"

    def _by_name(self, *attributes: str) -> dict[str, Array]:
        """The columns of every classifier."""
        return {f"{of}:{name}": values for of in attributes for name, values in getattr(self, of).items()}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    @abstractmethod
    def _lines(self) -> Iterator[str]: ...

    def _explained(self, rules: Sequence[str]) -> Iterator[str]:
        """The meaning of the rows' numbers; then the costs and rates of single classifiers."""
        for i, (condition, measure, rule, kept) in enumerate(
            zip(self.conditions, self.measures, rules, self.kept, strict=True), 1
        ):
            told = "; ".join(filter(None, [rule, self._told(kept)]))
            text = f"{i:>3}  {condition.question.written}, cost: {measure}{'; ' * bool(told)}{told}"
            yield fill(text, _WIDTH, subsequent_indent="     ", break_on_hyphens=False)
        columns = self._by_name("alone", "alone_fpr", "alone_tpr", "alone_kept")
        names = [name.removeprefix("alone:") for name in columns if name.startswith("alone:")]
        if names:
            yield "alone, each at its best threshold, held out: cost (fpr, tpr), in this order:"
        for name in names:
            of_it = ("alone", "alone_fpr", "alone_tpr", "alone_kept")
            shown = (
                "cannot meet it"
                if math.isnan(value)
                else f"{short(value)} ({', '.join(filter(None, [f'{x:.3f}', f'{y:.3f}', self._told(kept)]))})"
                for value, x, y, kept in zip(*(columns[f"{of}:{name}"].tolist() for of in of_it), strict=True)
            )
            text = f"     {name}: {', '.join(shown)}"
            yield fill(text, _WIDTH, subsequent_indent="       ", break_on_hyphens=False)


@dataclass(frozen=True, eq=False)
class RocchEvaluation(EvaluationTable):
    """A hybrid on held-out examples, under m conditions.

    Attributes
    ----------
    conditions : tuple of Condition
        As given.
    points : tuple of OperatingPoint
        What decides under each, with its rates on the out-of-fold hull that chose it (in-sample).
    in_sample_cost : ndarray of shape (m,)
        What each condition minimises, on that hull: the expected cost per case; of conditions without costs
        the false positive rate for a minimum recall, the negative utility, else the miss rate 1 - tpr.
    fpr, tpr, cost : Interval of ndarray of shape (m,)
        The same on the held-out examples, in ``.estimate``, with an interval in ``.low`` and ``.high``:
        each condition's alone. The ends are NaN for weighted examples, and for utilities.
    alone : dict of str to ndarray of shape (m,)
        Held-out cost of each trained classifier alone, at its own best threshold of the out-of-fold
        scores; NaN where it cannot meet the condition.
    alone_fpr, alone_tpr : dict of str to ndarray of shape (m,)
        Its held-out rates there.
    n_neg, n_pos : int
        The held-out examples of each class.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = make_classification(900, weights=[0.8], random_state=4)
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = rh.RocchClassifier([("bayes", GaussianNB()), ("tree", tree)]).fit(X[:600], y[:600])
    >>> found = model.evaluate(X[600:], y[600:], rh.ExpectedCost(cost_fn=20, prevalence=0.2))
    >>> print(found)
    Held-out evaluation: 61 positives, 239 negatives
        in-sample (out of fold)  held-out
      #   fpr   tpr      cost    fpr   tpr      cost (95%)                  optimism
      1 0.370 0.983    0.3617  0.364 0.967    0.4224 (0.3165 to 0.7427)      0.06063
      1  ExpectedCost(cost_fp=1.0, cost_fn=20.0, prevalence=0.2), cost: expected
         cost per case; bayes >= 0.0142
    alone, each at its best threshold, held out: cost (fpr, tpr), in this order:
         bayes: 0.4224 (0.364, 0.967)
         tree: 0.6116 (0.109, 0.869)
    >>> found.optimism.round(4).tolist()
    [0.0606]
    """

    conditions: tuple[Condition, ...]
    points: tuple[OperatingPoint, ...]
    in_sample_cost: Array
    fpr: Interval
    tpr: Interval
    cost: Interval
    alone: Mapping[str, Array]
    alone_fpr: Mapping[str, Array]
    alone_tpr: Mapping[str, Array]
    n_neg: int
    n_pos: int

    @property
    def in_sample_fpr(self) -> Array:
        """False positive rates (m,) on the out-of-fold hull that chose the rules."""
        return np.array([point.fpr for point in self.points])

    @property
    def in_sample_tpr(self) -> Array:
        """True positive rates (m,) on the out-of-fold hull that chose the rules."""
        return np.array([point.tpr for point in self.points])

    @property
    def optimism(self) -> Array:
        """By how much the in-sample cost is too low (m,): held-out less in-sample."""
        return np.asarray(self.cost.estimate - self.in_sample_cost)

    def to_dict(self) -> dict[str, Array]:
        """Give all numbers as columns of a table with a row for each condition.

        Returns
        -------
        dict of str to ndarray of shape (m,)
            ``measure`` says what the costs of a row are; ``fpr_low`` and ``fpr_high`` and so on are the
            ends of intervals; ``kept`` is 1 where the held-out rates keep all limits of the condition, 0
            where they do not, NaN where it has none; ``alone:`` and a name is the held-out cost of that
            classifier, ``alone_fpr:`` and ``alone_tpr:`` are its rates, and ``alone_kept:`` is as ``kept``.
        """
        table = {
            **self._asked(),
            "rule": np.array([rules_of(point) for point in self.points]),
            "in_sample_fpr": self.in_sample_fpr,
            "in_sample_tpr": self.in_sample_tpr,
            "in_sample_cost": self.in_sample_cost,
        }
        for name, found in (("fpr", self.fpr), ("tpr", self.tpr), ("cost", self.cost)):
            table |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}  # type: ignore[dict-item]
        table |= {"optimism": self.optimism, "kept": self.kept}
        return table | self._by_name("alone", "alone_fpr", "alone_tpr", "alone_kept")

    def _held_out(self, classifier: str | None = None) -> tuple[Array, Array]:
        if classifier is not None:
            return self.alone_fpr[classifier][None], self.alone_tpr[classifier][None]
        return np.asarray(self.fpr.estimate)[None], np.asarray(self.tpr.estimate)[None]

    def _lines(self) -> Iterator[str]:
        yield f"Held-out evaluation: {self.n_pos} positives, {self.n_neg} negatives"
        yield "    in-sample (out of fold)  held-out"
        percent = f"({100 * self.cost.level:g}%)"
        yield f"  #   fpr   tpr      cost    fpr   tpr      cost {percent:<22} optimism"
        table = self.to_dict()
        for i in range(len(self.points)):
            row = {name: column[i] for name, column in table.items()}
            yield (
                f"{i + 1:>3} {row['in_sample_fpr']:.3f} {row['in_sample_tpr']:.3f} "
                f"{short(row['in_sample_cost']):>9}  {row['fpr']:.3f} {row['tpr']:.3f} "
                f"{short(row['cost']):>9} {_ends(row):<22} {short(row['optimism'], 8):>8}"
            )
        yield from self._explained([rules_in_words(point) for point in self.points])


def _keeps(condition: Condition, fpr: float, tpr: float) -> float:
    """1 or 0; NaN where there is no rule. A precision of no alarms is not kept."""
    if math.isnan(fpr):
        return math.nan
    if fpr == tpr == 0:
        return condition.question.is_met(Fraction(0), Fraction(0))
    return condition.question.is_kept(fpr, tpr)


def rules_of(point: OperatingPoint) -> str:
    """The rules of a point without its rates."""
    return point.words


def short(value: float, width: int = 9) -> str:
    """A number with up to four digits, as many as fit the width."""
    return next(
        (text for text in (f"{value:.{n}g}" for n in (4, 3, 2)) if len(text) <= width), f"{value:.1g}"
    )


def _ends(row: Mapping[str, Any]) -> str:
    if math.isnan(row["cost_low"]):
        return ""
    return f"({short(row['cost_low'], 8)} to {short(row['cost_high'], 8)})"


# --- measuring --------------------------------------------------------------------------------------


class HeldOut:
    """Examples that did not choose the rules.

    Attributes
    ----------
    positive : bool (n,)
    weights : (n,) or None.
    score : scores (n,) of the classifier of that name; asked once.
    """

    def __init__(self, positive: Array, weights: Array | None, score: Callable[[str], Array]) -> None:
        self.positive, self.weights, self.score = positive, weights, score
        self._scores: dict[str, Scores] = {}
        share = np.ones(positive.size) if weights is None else weights
        self._share = np.where(positive, 0.0, share), np.where(positive, share, 0.0)
        self._total = tuple(float(part.sum()) for part in self._share)
        for total, which in zip(self._total, ("negative", "positive"), strict=True):
            if not total:
                raise ValueError(f"sample_weight: the {which} class has zero total weight.")

    def called(self, point: OperatingPoint, action: Action = Action.POSITIVE) -> Array:
        """How much of the negatives and of the positives (2,) a point calls positive, or reviews."""
        return np.asarray(sum(share * self._called(rule, action) for rule, share in point.rules))

    def _called(self, rule: Rule, action: Action) -> Array:
        passed = rule.outcome(self.positive.size, self._of) == action
        return np.array([float(part[passed].sum()) for part in self._share])

    def _of(self, name: str | None) -> Scores:
        name = str(name)
        if name not in self._scores:
            self._scores[name] = Scores(self.score(name))
        return self._scores[name]

    def rates(self, point: OperatingPoint, action: Action = Action.POSITIVE) -> tuple[float, float]:
        """False and true positive rate of a point, by weight; or the shares that it reviews."""
        fpr, tpr = np.minimum(self.called(point, action) / self._total, 1.0).tolist()
        return fpr, tpr

    def judged(self, point: OperatingPoint) -> ReviewPoint:
        """A point with what its rules call positive, and review, of these examples."""
        called, reviewed = (self.rates(point, action) for action in (Action.POSITIVE, Action.REVIEW))
        return ReviewPoint(*called, point.rules, called=called, reviewed=reviewed)

    def intervals(self, point: OperatingPoint, level: float, method: str) -> tuple[Interval, Interval]:
        """The rates with their intervals, whose ends are NaN where examples are weighted."""
        if self.weights is not None or len(point.rules) > 1:
            fpr, tpr = (Interval(math.nan, math.nan, rate, level, method) for rate in self.rates(point))
            return fpr, tpr
        counts = zip(self.called(point), self._total, strict=True)
        fpr, tpr = (rate_interval(k, n, method, level=level) for k, n in counts)
        return fpr, tpr


def conditions_of(
    conditions: Condition | Sequence[Condition], prevalence: float | None
) -> tuple[Condition, ...]:
    """One or several conditions, all of them precise; at this prevalence where they state none."""
    found = (conditions,) if isinstance(conditions, Condition) else tuple(conditions)
    if not found:
        raise ValueError("conditions is empty.")
    for condition in found:
        if not isinstance(condition, Condition):
            raise ValueError(f"conditions must hold operating conditions, but one is {condition!r}.")
    found = tuple(condition.at_prevalence(prevalence) for condition in found)
    for condition in found:
        condition.question.require_precise()
        condition.question.refuse(
            reviews=ValueError(
                f"conditions: {condition!r} has reviews; score(..., condition=...) judges them."
            )
        )
    return found


def alone(hybrid: Hybrid, names: Sequence[str], conditions: Sequence[Condition], held: HeldOut) -> Array:
    """Held-out cost, fpr and tpr (3, m, k) of each classifier at the threshold that its own scores choose."""
    found = np.full((3, len(conditions), len(names)), np.nan)
    for j, name in enumerate(names):
        for i, condition in enumerate(conditions):
            try:
                point = hybrid.hulls[name].at(condition, deterministic=True)
            except InfeasibleConditionError:
                continue
            rates = held.rates(point)
            found[:, i, j] = condition.question.objective.loss(*rates), *rates
    return found


def evaluation(
    conditions: tuple[Condition, ...],
    points: tuple[OperatingPoint, ...],
    held: HeldOut,
    single: Mapping[str, Array],  # (3, m) each: cost, fpr and tpr
    *,
    level: float,
    method: str,
) -> RocchEvaluation:
    """Measure the points that decide under the conditions."""
    rates = [held.intervals(point, level, method) for point in points]
    costs = [c.question.objective.loss_interval(*pair) for c, pair in zip(conditions, rates, strict=True)]
    chosen = [c.question.objective.loss(p.fpr, p.tpr) for c, p in zip(conditions, points, strict=True)]
    n_pos = int(np.count_nonzero(held.positive))
    return RocchEvaluation(
        conditions,
        points,
        np.array(chosen),
        _together([fpr for fpr, _ in rates]),
        _together([tpr for _, tpr in rates]),
        _together(costs),
        {name: values[0] for name, values in single.items()},
        {name: values[1] for name, values in single.items()},
        {name: values[2] for name, values in single.items()},
        held.positive.size - n_pos,
        n_pos,
    )


def _together(found: list[Interval]) -> Interval:
    low, high, estimate = (np.array([getattr(i, end) for i in found]) for end in ("low", "high", "estimate"))
    return Interval(low, high, estimate, found[0].level, found[0].method)
