"""How separation difficulty and prior vary over the bins of a feature, and how they would by chance.

Permutations are shared by all features. A permuted sequence that is dealt out to the bins one after the other
is a random assignment like any other, so its running sums, at the bins' ends, give the sums of every bin: a
permutation costs as much for a hundred features as for one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array, Labelled
from rochull.decisions.axes import Column
from rochull.segments.bins import fit_bins

_LEAST_SPREAD = 1e-3  # of a class in a bin, in standard deviations of the whole class
_ABSENT = 0.5  # a class that a permutation leaves out of a bin counts as half an example there
_TIE = 1 - 1e-9  # of sums in another order


@dataclass(frozen=True, eq=False)
class Cut:
    """How features are cut, each on its own."""

    bins: Any  # these three: as for ErrorRedistribution
    n_bins: int
    min_bin: int
    columns: Mapping[Column, Array]  # the features

    def __post_init__(self) -> None:
        validation.whole(self.n_bins, "n_bins", 1)
        if isinstance(self.bins, Mapping):
            absent = next((name for name in self.bins if name not in self.columns), None)
            if absent is not None:
                raise ValueError(f"bins names the column {absent!r}, which X does not have.")
        elif not isinstance(self.bins, (str, int, np.integer)):
            raise ValueError(f"bins must be a name, a number or a mapping of columns, but is {self.bins!r}.")
        every = self.bins.values() if isinstance(self.bins, Mapping) else [self.bins]
        if any(isinstance(spec, str) and spec in ("tree", "continuous") for spec in every):
            raise ValueError('bins must not be "tree" or "continuous": each feature has bins of its own.')

    def of(self, name: Column) -> Any:
        """The entry of `bins` for a feature."""
        return self.bins.get(name, "auto") if isinstance(self.bins, Mapping) else self.bins

    def cells(self, name: Column, positive: Array) -> tuple[Array, int]:
        """The bin of each example, and how many there are."""
        column = {name: self.columns[name]}
        found = fit_bins(column, self.of(name), positive, n_bins=self.n_bins, min_bin=self.min_bin)
        return found.assign(column), len(found)


@dataclass(frozen=True, eq=False)
class Measures:
    """Variances of the separation difficulty and of the prior: arrays (m, 2) for m features."""

    variance: Array  # of the data
    excess: Array  # less the mean of the permutations
    p_value: Array  # share of the permutations, the data among them, that are as large


@dataclass(frozen=True, eq=False)
class _Sums:
    """Weight, mean and mean square of scores in k bins and both classes (2, k)."""

    mass: Array
    mean: Array
    square: Array


class _Sample:
    """Labelled scores in standard units, negatives first."""

    def __init__(self, data: Labelled) -> None:
        positive = data.positive == 1
        self.order = np.argsort(positive, kind="stable")
        self.late = positive[self.order]
        self.split = int(np.count_nonzero(~positive))
        score = data.scores.astype(float)[self.order]
        self.weight = np.ones(score.size) if data.weights is None else data.weights[self.order]
        score = score - np.average(score, weights=self.weight)
        self.score = score / (float(np.sqrt(np.average(score**2, weights=self.weight))) or 1.0)
        self.absent = _ABSENT * float(self.weight.mean())
        whole = self.sums(np.zeros(score.size, np.int64), 1)
        spread = np.sqrt(np.maximum(whole.square - whole.mean**2, 0.0))
        self.floor = np.where(spread > 0, _LEAST_SPREAD * spread, 1.0)

    def sums(self, cells: Array, k: int) -> _Sums:
        """Sum up the data in their bins."""
        key = cells + k * self.late
        weighted = (self.weight, self.weight * self.score, self.weight * self.score**2)
        mass, total, square = (np.bincount(key, values, 2 * k).reshape(2, k) for values in weighted)
        return _Sums(mass, total / mass, square / mass)

    def running(self, rng: np.random.Generator) -> tuple[list[Array], list[Array]]:
        """Running sums (n + 1,), from 0, of a permutation.

        Of weight, score and its square, permuted within each class; and of the weight of the negatives and
        of the positives, permuted over all examples.
        """
        same = np.arange(self.score.size)
        inside = np.concatenate([rng.permutation(same[: self.split]), rng.permutation(same[self.split :])])
        score, weight = self.score[inside], self.weight[inside]
        moved = rng.permutation(same)
        classes = self.weight[moved] * (moved < self.split), self.weight[moved] * (moved >= self.split)
        return [_running(values) for values in (weight, weight * score, weight * score**2)], [
            _running(values) for values in classes
        ]

    def variances(self, sums: _Sums, neg: Array, pos: Array) -> tuple[float, float]:
        """Variance of SD and of P over the bins, whose classes weigh `neg` and `pos` (k,)."""
        sigma = np.sqrt(np.maximum(sums.square - sums.mean**2, self.floor**2))
        separation = (sums.mean[1] - sums.mean[0]) / np.sqrt(sigma[0] * sigma[1])
        odds = np.maximum(pos, self.absent) / np.maximum(neg, self.absent)  # but for a constant, p+ / p-
        prior = np.log(odds * sigma[0] / sigma[1])
        return _variance(separation, sums.mass.sum(axis=0)), _variance(prior, neg + pos)


def _running(values: Array) -> Array:
    return np.concatenate(([0.0], np.cumsum(values)))


def _variance(values: Array, mass: Array) -> float:
    share = mass / mass.sum()
    return float(share @ (values - share @ values) ** 2)


def measure(
    data: Labelled, features: Sequence[tuple[Array, int]], number: int, rng: np.random.Generator
) -> Measures:
    """Both variances for features, each given by the bins of the examples (n,) and how many there are."""
    sample = _Sample(data)
    seen, ends = [], []
    for cells, k in features:
        own = cells[sample.order]
        sums = sample.sums(own, k)
        seen.append(sample.variances(sums, *sums.mass))
        counts = np.bincount(own + k * sample.late, minlength=2 * k)
        ends.append((_ends(counts), _ends(counts[:k] + counts[k:]), k))
    chance = np.zeros((number, len(features), 2))
    for b in range(number):
        moments, classes = sample.running(rng)
        for j, (by_class, by_bin, k) in enumerate(ends):
            if k == 1:
                continue
            mass, total, square = (np.diff(values[by_class]).reshape(2, k) for values in moments)
            neg, pos = (np.diff(values[by_bin]) for values in classes)
            chance[b, j] = sample.variances(_Sums(mass, total / mass, square / mass), neg, pos)
    variance = np.array(seen)
    p_value = (1 + (chance >= variance * _TIE).sum(axis=0)) / (1 + number)
    return Measures(variance, variance - chance.mean(axis=0), p_value)


def _ends(counts: Array) -> Array:
    return np.concatenate(([0], np.cumsum(counts)))
