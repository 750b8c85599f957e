"""Simulated samples of which the truth is known, drawn on all cores, and how often intervals cover it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import erfc, sqrt
from multiprocessing import get_context
from queue import SimpleQueue
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_SEED = 20080101
_LIBRARIES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
_CHUNK = 20  # draws of one task


@dataclass(frozen=True)
class Scene:
    """Standard normal scores, those of the positives shifted so that the area is `auc`."""

    auc: float
    n: int
    prevalence: float = 0.5

    @property
    def n_pos(self) -> int:
        """Positives of a sample."""
        return round(self.n * self.prevalence)

    @property
    def shift(self) -> float:
        """Distance of the classes."""
        return sqrt(2) * NormalDist().inv_cdf(self.auc)

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Labels and scores."""
        labels = (np.arange(self.n) < self.n_pos).astype(np.int8)
        return labels, rng.standard_normal(self.n) + self.shift * labels

    def rates(self, threshold: float) -> tuple[float, float]:
        """False and true positive rate of a threshold in the population."""
        return _beyond(threshold), _beyond(threshold - self.shift)

    def cost(self, threshold: float) -> float:
        """Expected cost of a threshold in the population, with equal costs and classes of equal size."""
        fpr, tpr = self.rates(threshold)
        return (fpr + 1 - tpr) / 2


def _beyond(z: float) -> float:
    return erfc(z / sqrt(2)) / 2


@dataclass(frozen=True)
class Found:
    """An interval, or only an estimate, and the truth."""

    what: str
    method: str
    truth: float
    estimate: float = np.nan
    low: float = np.nan
    high: float = np.nan


Trial = Callable[[Any, np.random.Generator], Iterator[Found]]
Key = tuple[Any, str, str]


@dataclass(frozen=True)
class Outcome:
    """What all draws found: arrays (draws,)."""

    truth: Array
    estimate: Array
    low: Array
    high: Array

    @property
    def coverage(self) -> float:
        """Share of the intervals that hold the truth."""
        return float(np.mean((self.low <= self.truth) & (self.truth <= self.high)))

    @property
    def width(self) -> float:
        """Mean width; infinite ones count as the widest finite one."""
        wide = self.high - self.low
        return float(
            np.where(np.isfinite(wide), wide, np.nanmax(np.where(np.isfinite(wide), wide, 0))).mean()
        )

    @cached_property
    def _errors(self) -> Array:
        return self.estimate - self.truth

    @property
    def bias(self) -> float:
        """Mean error of the estimate."""
        return float(np.mean(self._errors))

    @property
    def spread(self) -> float:
        """Standard deviation of the error."""
        return float(np.std(self._errors, ddof=1))

    @property
    def rmse(self) -> float:
        """Root of the mean squared error."""
        return float(np.sqrt(np.mean(self._errors**2)))


def noise(share: float, draws: int) -> float:
    """Monte Carlo standard error of a share."""
    return sqrt(max(share * (1 - share), 1e-12) / draws)


def run(trial: Trial, scenes: Sequence[Any], draws: int, cores: int) -> dict[Key, Outcome]:
    """All draws of all scenes. The results do not depend on the number of cores."""
    os.environ.update(dict.fromkeys(_LIBRARIES, "1"))  # of the new processes: each has one core
    context = get_context("spawn")
    with context.Manager() as manager:
        free = manager.Queue()
        for core in _usable()[:cores]:
            free.put(core)
        with ProcessPoolExecutor(cores, context, _keep_to_one_core, (free,)) as processes:
            tasks = [(s, c) for s in range(len(scenes)) for c in range(-(-draws // _CHUNK))]
            jobs = [
                processes.submit(_chunk, trial, scenes[s], (s, c), min(_CHUNK, draws - c * _CHUNK))
                for s, c in tasks
            ]
            rows: dict[Key, list[Found]] = {}
            for job, (s, _) in zip(jobs, tasks, strict=True):
                for found in job.result():
                    rows.setdefault((scenes[s], found.what, found.method), []).append(found)
    return {key: _outcome(found) for key, found in rows.items()}


def _outcome(rows: list[Found]) -> Outcome:
    columns = ([getattr(row, c) for row in rows] for c in ("truth", "estimate", "low", "high"))
    return Outcome(*(np.array(column, float) for column in columns))


def _chunk(trial: Trial, scene: Any, seed: tuple[int, int], draws: int) -> list[Found]:
    rng = np.random.default_rng([_SEED, *seed])
    return [found for _ in range(draws) for found in trial(scene, rng)]


def _usable() -> list[int | None]:
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return [None] * (os.cpu_count() or 1)


def _keep_to_one_core(free: SimpleQueue[int | None]) -> None:
    """Draws are shared out over processes: threads inside of one would only get in the way."""
    core = free.get()
    if core is not None:
        os.sched_setaffinity(0, {core})
