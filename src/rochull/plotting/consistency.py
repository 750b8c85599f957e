"""Consistency bands: how far from the diagonal a recalibrated curve gets if the forecasts are right.

Labels are drawn anew as independent Bernoulli variables of the forecasts, and pooled by PAV
(Dimitriadis, Gneiting & Jordan 2021, consistency resampling).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.hull.blocks import needs_wide
from rochull.hull.tallies import Units

MAX_GROUPS = 10_000  # of equal or nearly equal forecasts
MAX_WEIGHTED = 100_000  # examples up to which weighted labels are drawn one by one
_MAX_GRID = 500  # forecasts at which the band is known, by rank and by value
_LEAST_SHARE = 2.0**-59  # of the total: what weighs less counts for nothing, as in the hull
_BATCH = 25  # resamples from one generator: fixed, so that the number of threads changes nothing


@dataclass(frozen=True, eq=False)
class ConsistencyBand:
    """Pointwise quantiles of the recalibrated curve of calibrated forecasts."""

    probability: Array  # (g,) forecasts, ascending
    low: Array  # these two: (g,) between them the curve lies with the given probability, at each forecast
    high: Array
    level: float  # that probability


@dataclass(frozen=True, eq=False)
class Groups:
    """Examples with (nearly) equal forecasts, ascending."""

    probability: Array  # (g,) mean forecast
    weight: Array  # (g,) total weight
    count: Array  # (g,) examples of equal weight that vary as much: (sum of w) ** 2 / (sum of w ** 2)


def consistency_band(
    probability: Array,
    weights: Array | None,
    n_resamples: int,
    level: float,
    random_state: int | np.random.Generator | None,
) -> ConsistencyBand:
    """The band of validated forecasts, whose weights are not all zero.

    Every example is one independent draw, whatever it weighs: a weight says how much it counts, not
    how often it was seen.
    """
    order = np.argsort(probability, kind="stable")
    forecast = probability[order].astype(float)
    mass = np.ones(forecast.size) if weights is None else _scaled(weights)[order]
    some = mass > 0
    forecast, mass = forecast[some], mass[some]
    starts = _starts(forecast)
    groups = _grouped(forecast, mass, starts)
    draw: Callable[[np.random.Generator], Array]
    if weights is not None and forecast.size <= MAX_WEIGHTED:
        draw = partial(_draw_examples, forecast=forecast, mass=mass, starts=starts)
    else:
        draw = partial(_draw_groups, groups=groups)
    unit = Units.of(0.0, float(groups.weight.sum())).pos if weights is not None else 1.0
    grid = _grid(groups.probability)
    generators = np.random.default_rng(random_state).spawn(-(-n_resamples // _BATCH))
    sizes = [_BATCH] * (len(generators) - 1) + [n_resamples - _BATCH * (len(generators) - 1)]

    def batch(generator: np.random.Generator, size: int) -> Array:
        return np.stack([_pav(draw(generator), groups.weight, unit)[grid] for _ in range(size)])

    curves = np.concatenate(share_out(batch, generators, sizes))  # (n_resamples, grid)
    low, high = np.quantile(curves, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return ConsistencyBand(groups.probability[grid], low, high, level)


def _scaled(weights: Array) -> Array:
    """Weights (n,) between 0 and 1, so that no square of them over- or underflows; tiny ones are zero."""
    scaled = weights / weights.max()
    return np.where(scaled < _LEAST_SHARE * scaled.sum(), 0.0, scaled)


def _starts(forecast: Array) -> Array:
    """First example of each group: of equal forecasts, or of many neighbours where these are too many."""
    starts = np.flatnonzero(np.append(True, forecast[1:] != forecast[:-1]))
    if starts.size <= MAX_GROUPS:
        return starts
    part = starts * MAX_GROUPS // forecast.size  # equal forecasts stay together
    return np.asarray(starts[np.append(True, part[1:] != part[:-1])])


def _grouped(forecast: Array, mass: Array, starts: Array) -> Groups:
    weight = np.add.reduceat(mass, starts)
    mean = np.add.reduceat(mass * forecast, starts) / weight
    count = weight**2 / np.add.reduceat(mass**2, starts)
    last = np.append(starts[1:], forecast.size) - 1
    return Groups(np.clip(mean, forecast[starts], forecast[last]), weight, count)  # of equal ones exactly


def _draw_examples(generator: np.random.Generator, *, forecast: Array, mass: Array, starts: Array) -> Array:
    """Weight of the positives in each group (g,), example by example."""
    return np.asarray(np.add.reduceat(mass * (generator.random(forecast.size) < forecast), starts))


def _draw_groups(generator: np.random.Generator, *, groups: Groups) -> Array:
    """Weight of the positives in each group (g,), from as many examples of equal weight as vary as much.

    A number between two whole ones is rounded at random, such that its inverse, to which the variance
    is proportional, is right on average.
    """
    floor = np.floor(groups.count)
    share = floor * (floor + 1) * (1 / groups.count - 1 / (floor + 1))  # of the resamples that round down
    count = np.where(generator.random(floor.size) < share, floor, floor + 1).astype(np.int64)
    return np.asarray(groups.weight * (generator.binomial(count, groups.probability) / count))


def _pav(positive: Array, weight: Array, unit: float) -> Array:
    """Recalibrated probability of every group (g,), ascending like the groups."""
    from rochull._core.kernels import hull as kernels

    total = np.rint(weight * unit).astype(np.int64)[::-1]
    pos = np.minimum(np.rint(positive * unit).astype(np.int64)[::-1], total)
    x, y = (np.concatenate(([0], np.cumsum(units))) for units in (total - pos, pos))
    vertices = kernels.upper_hull(x, y, needs_wide(max(x[-1], 1), max(y[-1], 1)))
    rise, run = np.diff(y[vertices]), np.diff(x[vertices])
    return np.asarray(np.repeat(rise / (rise + run), np.diff(vertices))[::-1])


def _grid(probability: Array) -> Array:
    """Groups at which the band is known: all, or some evenly by rank and some evenly by value."""
    if probability.size <= 2 * _MAX_GRID:
        return np.arange(probability.size)
    by_rank = np.linspace(0, probability.size - 1, _MAX_GRID).round().astype(int)
    values = np.linspace(probability[0], probability[-1], _MAX_GRID)
    by_value = np.clip(np.searchsorted(probability, values), 0, probability.size - 1)
    return np.unique(np.concatenate([by_rank, by_value]))
