"""The cost of a cascade on cases that it was not learnt from, beside each classifier alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.docstrings import Described
from rochull._core.results import Result
from rochull._core.threads import Bar
from rochull._core.validation import Array
from rochull.cascades.optimum import Optimum
from rochull.conditions.costs import ExpectedCost

if TYPE_CHECKING:
    from rochull.cascades.cascade_policy import CascadePoint, CascadePolicy

    # What learns from columns of scores, labels and weights.
    Learn = Callable[[Mapping[str, Array], Array, Array | None], CascadePolicy]


BUDGETS = (0.05, 0.1, 0.2, 0.3, 0.5, None)  # tried where none is named


@dataclass(frozen=True, eq=False)
class CascadeTrial(Result, Described):
    """Cost per case of ways to decide, held out: no case is judged by what was learnt from it.

    Attributes
    ----------
    max_calls : tuple of float or None, length k
        The budgets that were tried; None is as many calls as pay.
    calls : ndarray of shape (k,)
        Calls of classifiers beyond the first, per case.
    cost : ndarray of shape (k,)
        Cost per case of the cascade, all prices included.
    error : ndarray of shape (k,)
        Standard errors of `cost` minus the cost of the first classifier alone, over cases.
    alone : dict of str to float
        The cost of each classifier alone, asked for every case, with its best threshold.
    all : float
        The cost with every classifier asked for every case, the last deciding in each stratum.
    asked : tuple of dict of str to float, length k
        The share of the cases for which each classifier is asked.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 2000)
    >>> scores = {"cheap": rng.normal(y), "dear": rng.normal(2 * y)}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=10, shrinkage=100)
    >>> trial = cascade.held_out(scores, y, rh.ExpectedCost(), max_calls=[0.2, None])
    >>> trial.calls.round(1).tolist(), bool(trial.cost[-1] < min(trial.alone.values()))
    ([0.2, 0.8], True)
    """

    max_calls: tuple[float | None, ...]
    calls: Array
    cost: Array
    error: Array
    alone: Mapping[str, float]
    all: float
    asked: tuple[Mapping[str, float], ...]

    @property
    def advised(self) -> float | None:
        """The budget to take, of those that were tried; 0 where none is worth it.

        As many calls as pay (None), if that costs less than the first classifier alone by more than a
        standard error; else the cheapest budget that does.
        """
        gain = next(iter(self.alone.values())) - self.cost
        sure = [i for i in range(len(self.max_calls)) if gain[i] > self.error[i]]
        if any(self.max_calls[i] is None for i in sure):
            return None
        return self.max_calls[max(sure, key=lambda i: gain[i])] if sure else 0.0


@dataclass(frozen=True, eq=False)
class PricedExamples:
    """Validated examples, and what a mistake about each costs, times the share of the cases that it is."""

    columns: Mapping[str, Array]
    positive: Array
    weights: Array | None
    condition: ExpectedCost

    def masses(self) -> Array:
        """Which part of the cases to be decided each example stands for (n,)."""
        weight = np.ones(self.positive.size) if self.weights is None else self.weights
        share = float(self.condition.question.own_prevalence)
        total = np.bincount(self.positive, weight, 2)
        each: Array = weight * np.where(self.positive == 1, share / total[1], (1 - share) / total[0])
        return each

    def rows(self, which: Array) -> tuple[dict[str, Array], Array, Array | None]:
        """Some of them."""
        columns = {name: column[which] for name, column in self.columns.items()}
        return columns, self.positive[which], None if self.weights is None else self.weights[which]


def held_out(
    learn: Learn, data: PricedExamples, folds: Array, prices: Sequence[float], budgets: Sequence[float | None]
) -> CascadeTrial:
    """The costs of all ways, in a rotation over folds (n,); -1 for examples that are left out."""
    names = list(data.columns)
    ways = len(names) + 1 + len(budgets)
    paid, asked = np.zeros((ways, folds.size)), np.zeros((ways, len(names), folds.size), bool)
    for k in Bar.of(None, "costs held out, fold by fold").over(range(int(folds.max()) + 1)):
        policy = learn(*data.rows((folds >= 0) & (folds != k)))
        test = np.flatnonzero(folds == k)
        new, truth, _ = data.rows(test)
        for i, point in enumerate(_points(policy, data.condition, budgets)):
            decided = policy.decide(new, point, random_state=k)
            needed = [policy.needs_score(name, new, point, random_state=k) for name in names]
            if i <= len(names):  # a classifier alone is asked always, and so are all
                needed = [np.full(test.size, i == len(names) or name == names[i]) for name in names]
            of_miss, of_alarm = data.condition.cost_fn, data.condition.cost_fp
            paid[i, test] = np.where(truth == 1, of_miss * ~decided, of_alarm * decided)
            paid[i, test] += np.dot(prices, needed)
            asked[i][:, test] = needed
    return _trial(data, folds >= 0, tuple(budgets), paid, asked)


def _trial(
    data: PricedExamples, used: Array, budgets: tuple[float | None, ...], paid: Array, asked: Array
) -> CascadeTrial:
    names = list(data.columns)
    mass = np.where(used, data.masses(), 0.0)
    mass /= mass.sum()
    cost, share = paid @ mass, asked @ mass
    gain = paid[len(names) + 1 :] - paid[0]
    error = np.sqrt((mass * (gain - (gain @ mass)[:, None])) ** 2 @ np.ones(used.size))
    ours = share[len(names) + 1 :]
    return CascadeTrial(
        budgets,
        ours[:, 1:].sum(axis=1),
        cost[len(names) + 1 :],
        error,
        dict(zip(names, cost.tolist(), strict=False)),
        float(cost[len(names)]),
        tuple(dict(zip(names, each.tolist(), strict=True)) for each in ours),
    )


def _points(
    policy: CascadePolicy, condition: ExpectedCost, budgets: Sequence[float | None]
) -> list[CascadePoint]:
    """Each classifier alone, all for every case, and the cascade within each budget."""
    optimum, best = policy.optimum(condition), policy.at(condition)
    alone = [
        Optimum(node, [name], optimum.stakes).within(None).plan()
        for name, node in zip(policy.classifiers, policy.alone, strict=True)
    ]
    others = [replace(best, plan=plan) for plan in (*alone, optimum.asking_all())]
    return [*others, *(policy.at(condition, budget) for budget in budgets)]
