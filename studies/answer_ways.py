"""Other ways to the error of a cost on cases left out."""

from __future__ import annotations

from math import sqrt

import numpy as np

from studies.simulation import Array

WAYS = ("cases", "overlap", "nested", "jackknife")
_FOLDS, _REPEATS = 10, 2


def ways(
    weights: tuple[float, float], positive: Array, scores: dict[str, Array], rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    """By way the cost of the best rules of other parts, and its standard error.

    "cases": the variance of what each case costs. "overlap": that of parts, times 1 + n_test / n_train
    (Nadeau and Bengio 2003). "nested": the mean squared error of the same within all parts but one (Bates,
    Hastie and Tibshirani 2023). "jackknife": of the same without each part.
    """
    alarm, miss = weights
    sizes = positive.sum(), (~positive).sum()
    adds = np.where(positive, -miss / sizes[0], alarm / sizes[1])
    orders = [np.argsort(-score) for score in scores.values()]
    places = np.array([np.argsort(order) for order in orders])
    costs, found = np.zeros(positive.size), []
    for _ in range(_REPEATS):
        folds = np.empty(positive.size, int)
        for own in (positive, ~positive):
            rows = np.flatnonzero(own)
            folds[rng.permutation(rows)] = np.arange(rows.size) % _FOLDS
        sums = np.concatenate([_sums(order, adds, folds) for order in orders], axis=1)
        rest = sums.sum(axis=0) - sums
        chosen = rest.argmin(axis=1)
        each = miss + _FOLDS * sums[np.arange(_FOLDS), chosen]
        score, place = np.divmod(chosen, positive.size + 1)
        flagged = places[score[folds], np.arange(positive.size)] < place[folds]
        paid = np.where(positive, miss * ~flagged, alarm * flagged)
        costs += paid / _REPEATS
        without = miss + _nested(rest, sums) * _FOLDS / (_FOLDS - 1)
        of_fold = _FOLDS * _of_cases(paid, positive)
        found.append([each.mean(), each.var(ddof=1), ((without - each) ** 2).mean() - of_fold, without.var()])
    cost, parts, squares, apart = np.mean(found, axis=0)
    of_cases = _of_cases(costs, positive) + np.var([row[0] for row in found], ddof=1) / _REPEATS
    nested = min(max(of_cases, squares * (_FOLDS - 1) / _FOLDS), _FOLDS * of_cases)
    errors = of_cases, (1 / _FOLDS + 1 / (_FOLDS - 1)) * parts, nested, (_FOLDS - 1) * apart
    return {way: (cost, sqrt(var)) for way, var in zip(WAYS, errors, strict=True)}


def _sums(order: Array, adds: Array, folds: Array) -> Array:
    """What all rules of a score add to the cost of each part, less what nobody flagged costs."""
    found = np.zeros((_FOLDS, order.size + 1))
    found[folds[order], np.arange(order.size) + 1] = adds[order]
    return np.cumsum(found, axis=1)


def _nested(rest: Array, sums: Array) -> Array:
    """What rules cost that are chosen without two parts, and judged on one of them: without each part."""
    found = np.zeros((_FOLDS, _FOLDS))
    for i in range(_FOLDS):
        for j in range(i):
            chosen = int((rest[i] - sums[j]).argmin())
            found[i, j], found[j, i] = sums[j, chosen], sums[i, chosen]
    total: Array = found.sum(axis=1)
    return total


def _of_cases(paid: Array, positive: Array) -> float:
    return sum(float(paid[own].var(ddof=1)) / own.sum() for own in (positive, ~positive))
