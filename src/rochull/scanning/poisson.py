"""A bootstrap in one pass: every row draws its weight in each replicate from the hash of its key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rochull._core import validation
from rochull._core.key_hashes import replicate_seeds
from rochull._core.messages import Parameter, Refusal
from rochull._core.validation import Array, Labelled
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Tally, Units
from rochull.scanning.engines.table import Column, ScoreTable
from rochull.scanning.tasks import SumTask
from rochull.uncertainty.replicates import Pool, pool_of_groups

_ENTRIES = 1 << 25  # of a table of counts: replicates beyond it take another pass
_TRIES = 1000


@dataclass(frozen=True, eq=False)
class PoissonCounts(SumTask):
    """Units of every replicate between thresholds: int64 (k + 1, 2, r), from low scores to high.

    `thresholds` (k,) ascend, in the type of the scores; `seeds` (r,) are the replicates'. Rows need `keys`.
    """

    thresholds: Array
    units: Units
    seeds: Array

    def _empty(self) -> Array:
        return np.zeros((self.thresholds.size + 1, 2, self.seeds.size), np.int64)

    def add(self, state: Array, data: Labelled) -> bool:
        from rochull._core.kernels import poisson as kernels

        assert data.keys is not None
        step = np.searchsorted(self.thresholds, data.scores, side="right")
        mass = np.empty(0, np.int64) if data.weights is None else self.units.narrow_counts_of(data)
        kernels.add_weights(step, data.positive, mass, data.keys, self.seeds, kernels.LIMITS, state)
        return True


@dataclass(frozen=True, eq=False)
class PoissonReplicates:
    """Replicates of one column.

    Attributes
    ----------
    pool : what they were drawn from.
    totals : for each replicate the units of the negatives and of the positives in each group (g,).
    redrawn : how many lacked a class, so that others were drawn.
    """

    pool: Pool
    totals: list[tuple[Array, Array]]
    redrawn: int


def replicates(
    table: ScoreTable,
    key: Column,
    groups: Tally,
    max_groups: int | None,
    *,
    n_resamples: int,
    random_state: int,
) -> PoissonReplicates:
    """Draw replicates of one column, in as few passes as their counts may be held."""
    if not getattr(table, "has_keys", False):
        raise Refusal(
            "{}: the scan was made without; name the column of the rows' keys when scanning.",
            Parameter("key"),
        )
    seed = validation.whole(random_state, "random_state", 0) % 2**64
    pool = pool_of_groups(groups, max_groups)
    thresholds = next(iter(pool.classifiers.values())).score[::-1].copy()
    at_once = max(1, _ENTRIES // (2 * (thresholds.size + 1)))
    found: list[tuple[Array, Array]] = []
    number = 0
    while len(found) < n_resamples:
        if number >= n_resamples * _TRIES:
            raise Refusal(
                "{}: nearly all replicates lack a class; its examples are too few.", Parameter("key")
            )
        numbers = np.arange(number, number + min(at_once, n_resamples - len(found)))
        task = PoissonCounts(thresholds, table.groups[key[1]].units, replicate_seeds(seed, numbers))
        counts = table.answer({key: [task]})[key][0]
        if counts[0].any():  # below the lowest score
            raise ChangedError()
        number += numbers.size
        for r in range(numbers.size):
            neg, pos = (np.ascontiguousarray(counts[:0:-1, label, r]) for label in (0, 1))
            if neg.any() and pos.any():
                found.append((neg, pos))
    return PoissonReplicates(pool, found, number - n_resamples)
