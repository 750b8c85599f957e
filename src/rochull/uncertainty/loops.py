"""Compiled loops over replicates, for the statistics that have one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.uncertainty.draws import DrawPlan, draws_of
from rochull.uncertainty.replicates import Pool, Resample

Loop = Callable[[Array], Array]  # from generators' states (r, 4) to the statistic of each replicate (r, ...)
_OF_HULLS = ("hull_auc", "eer", "min_cllr")
_EXACT = 1 << 53  # counts below are themselves in float64


def loop_of(pool: Pool, plan: DrawPlan, statistic: Any, *, with_errors: bool) -> Loop | None:
    """The loop for a statistic of one classifier, drawn row by row; `with_errors` its error beside it."""
    rows_alone = len(pool.classifiers) == 1 and not pool.n_clusters and pool.masses is None
    if not (rows_alone and plan.stratified and next(iter(pool.classifiers.values())).groups[1].size):
        return None
    if statistic in ("auc", Resample.auc):
        return lambda states: _areas(pool, plan, states)
    n_neg, n_pos = draws_of(pool, plan, None) or pool.sizes
    if statistic not in _OF_HULLS or 2 * n_neg * n_pos >= _EXACT:
        return None
    value, which = slice(None) if with_errors else 0, _OF_HULLS.index(statistic)
    return lambda states: np.asarray(_hull_figures(pool, plan, states, which)[:, value])


def _areas(pool: Pool, plan: DrawPlan, states: Array) -> Array:
    from rochull._core.kernels import replicates as kernels

    out = np.empty(len(states))
    kernels.areas(states, *_drawn_by(pool, plan), out)
    return np.minimum(out, 1.0)


def _hull_figures(pool: Pool, plan: DrawPlan, states: Array, which: int) -> Array:
    from rochull._core.kernels import replicates as kernels

    out = np.empty((len(states), 2))
    n_neg, n_pos = pool.sizes
    kernels.hull_figures(states, *_drawn_by(pool, plan), (float(n_pos), float(n_neg)), which, out)
    return out


def _drawn_by(pool: Pool, plan: DrawPlan) -> tuple[tuple[int, int], Array, Array, Array, Array]:
    """How many of each class are drawn, positives first, their groups, and room for the groups' totals."""
    (ordered,) = pool.classifiers.values()
    n_neg, n_pos = draws_of(pool, plan, None) or pool.sizes
    neg, pos = ordered.groups
    room = np.empty((2, len(ordered)), np.int32)
    return (n_pos, n_neg), pos, neg, room[1], room[0]
