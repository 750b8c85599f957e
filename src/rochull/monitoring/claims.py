"""Claims about a deployed rule: that a case is worth nothing on average; and the evidence against them.

A labelled case falls in one of eight cells, by what the deployed rule does with it, what another rule does
with it, and its label. A claim gives each cell a value of at least -1, and says that the mean is not above
0. So counts of cells are all that has to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.conditions.measures import AlarmRate, Precision
from rochull.conditions.objectives import FalsePositiveRate, Objective, Recall
from rochull.monitoring.evidence import BETS, averaged, least_mean, rate_above, two_means_above, wealth
from rochull.monitoring.state import MonitorState

PARTS = ("limits", "better", "misfit", "relabel")  # of a monitor, which share its level
CELLS = 8
# Of each cell, whether the deployed rule flags, the other one does, and the case is positive.
_D, _V, _Y = (np.arange(CELLS) >> bit & 1 for bit in (2, 1, 0))
MEASURES: dict[str, type[Objective]] = {
    "false positive rate": FalsePositiveRate,
    "recall": Recall,
    "precision": Precision,
    "alarm rate": AlarmRate,
}


def cell_of(deployed: Array, other: Array, positive: Array) -> Array:
    """The cell of each case (n,)."""
    return np.asarray(4 * deployed + 2 * other + positive)


@dataclass(frozen=True)
class RateKept:
    """A limit on a rate: of the cases that it is about, at most a share may be an error.

    Attributes
    ----------
    measure : a key of MEASURES.
    limit : the number that is not to be exceeded, or for recall and precision to be reached.
    prevalence : at which it is to be kept; None for that of the stream.
    """

    measure: str
    limit: float
    prevalence: float | None = None

    @classmethod
    def of(cls, asked: Any, prevalence: float | None = None) -> RateKept:
        """Read a limit of a condition."""
        for name, kind in MEASURES.items():
            if type(asked.measure) is kind and not asked.is_least:
                by_class = name in {"false positive rate", "recall"}
                return cls(name, float(asked.limit), None if by_class else prevalence)
        raise refused("condition", "has a limit that a monitor does not watch: {}.", str(asked))

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.measure in {'recall', 'precision'} else '<='} {self.limit:g}"

    @property
    def bound(self) -> float:
        """The share of errors that is allowed."""
        return 1 - self.limit if self.measure in {"recall", "precision"} else self.limit

    def tables(self, flags: Array) -> tuple[Array, Array]:
        """The cells (8,) in which a case counts, and in which it is an error, if `flags` (8,) decides."""
        about = {"false positive rate": 1 - _Y, "recall": _Y, "precision": flags, "alarm rate": 1 + 0 * _Y}
        error = {"recall": 1 - flags, "precision": 1 - _Y}.get(self.measure, flags)
        return about[self.measure], about[self.measure] * error

    def broken(self, since: MonitorState) -> Array:
        """Evidence that the deployed rule breaks it (p,), by cases without weights and clusters."""
        if self.prevalence is not None:
            return by_class(self.values(), since.counts[:, 0], self.prevalence)
        if self.measure == "alarm rate":  # which needs no labels
            return rate_above(since.flagged, since.decided, self.bound)
        about, error = self.tables(_D)
        return rate_above(since.counts[:, 0] @ error, since.counts[:, 0] @ about, self.bound)

    def kept(self, counts: Array) -> Array:
        """Evidence that the other rule keeps it, by counts of cells (..., 8)."""
        if self.prevalence is not None:
            return by_class(self.values(other=True), counts, self.prevalence)
        about, error = self.tables(_V)
        return rate_above(counts @ (about - error), counts @ about, 1 - self.bound)

    def values(self, *, other: bool = False) -> Array:
        """The claim that the deployed rule keeps it, or that the other does not, as values of cells (8,)."""
        about, error = self.tables(_V if other else _D)
        worth = about * (error - self.bound) * (-1 if other else 1)
        return np.asarray(worth / max(-worth.min(), 1e-12))


@dataclass(frozen=True)
class Gain:
    """A measure of what another rule is better by, less a margin of what the deployed one costs.

    Attributes
    ----------
    cost_fp, cost_fn : of errors; 0 and 1 where positives are to be caught, 1 and 0 where fewer negatives are
        to be flagged.
    margin : a share of the cost.
    prevalence : at which costs count; None for that of the stream.
    """

    cost_fp: float
    cost_fn: float
    margin: float
    prevalence: float | None = None

    @property
    def raw(self) -> Array:
        """The gain of a case by cell (8,)."""
        return np.asarray(self._loss(_D) - self._loss(_V))

    @property
    def less_margin(self) -> Array:
        """The gain less the margin (8,)."""
        return np.asarray(self.raw - self.margin * self._loss(_D))

    @property
    def scale(self) -> float:
        """The most that a case can lose."""
        return float(max(-self.less_margin.min(), 1e-12))

    def won(self, counts: Array) -> Array:
        """Evidence that the other rule gains, by counts of cells (..., 8)."""
        if self.prevalence is not None:
            return by_class(self.less_margin, counts, self.prevalence)
        return averaged(wealth(self.less_margin / self.scale, counts))

    def least(self, counts: Array, alpha: float) -> float:
        """The least that the other rule saves per case, by counts of cells (8,)."""
        if self.prevalence is None:
            return least_mean(self.raw, counts, alpha)
        ends = [least_mean(self.raw[y == _Y], counts[y == _Y], alpha / 2) for y in (0, 1)]
        return (1 - self.prevalence) * ends[0] + self.prevalence * ends[1]

    def _loss(self, flags: Array) -> Array:
        return np.where(flags > _Y, self.cost_fp, np.where(flags < _Y, self.cost_fn, 0.0))


@dataclass(frozen=True)
class Claims:
    """All claims of a monitor.

    Attributes
    ----------
    limits : to be kept.
    gain : by which rules are compared.
    others : number of other rules.
    """

    limits: tuple[RateKept, ...]
    gain: Gain
    others: int

    @property
    def values(self) -> Array:
        """The values of cells (claims, 8), for cases with weights or in clusters."""
        own = [limit.values() for limit in self.limits]
        each = [self.gain.less_margin / self.gain.scale, *(limit.values(other=True) for limit in self.limits)]
        return np.array([*own, *(each * self.others)]).reshape(-1, CELLS)

    @property
    def rules(self) -> list[int]:
        """The rule whose cells count, for every claim: 0 for the deployed one."""
        each = range(1 + len(self.limits))
        return [0 for _ in self.limits] + [1 + i for i in range(self.others) for _ in each]

    def broken(self, since: MonitorState) -> Array:
        """Evidence against each limit (p, limits), from the beginning of each period."""
        bets = averaged(since.bets)
        return np.stack([limit.broken(since) + bets[:, i] for i, limit in enumerate(self.limits)], axis=1)

    def better(self, since: MonitorState) -> Array:
        """Evidence that each other rule is better (p, others): that it gains, and that it keeps every limit.

        From the beginning of each period.
        """
        each = 1 + len(self.limits)
        bets = averaged(since.bets[:, len(self.limits) :])
        bets = bets.reshape(len(bets), self.others, each)
        cells = since.counts[:, 1:]
        claims = [self.gain.won(cells) + bets[:, :, 0]]
        claims += [limit.kept(cells) + bets[:, :, 1 + i] for i, limit in enumerate(self.limits)]
        return np.asarray(np.min(claims, axis=0))


def by_class(values: Array, counts: Array, prevalence: float) -> Array:
    """Evidence that the mean of cells of such values (8,) is above 0 at a prevalence, by counts (..., 8)."""
    pos, neg = ((values[y == _Y], counts[..., y == _Y]) for y in (1, 0))
    return two_means_above(pos, neg, prevalence)


def winnings(
    claims: Claims,
    lots: Sequence[tuple[Array, float]],
    weight: Array,
    cluster: Array | None,
    count: Array | None = None,
) -> Array:
    """Logarithms of what each bet (claims, b) wins on cases with weights (n,) of at most 1, or in clusters.

    `lots` are the cells of the cases by rule (1 + others, n) for each rule that the deployed one may draw,
    with its probability. The cases of a cluster are one bet on their mean. Each is one case, or so many (n,).
    """
    many = np.ones(len(weight)) if count is None else count
    found = np.zeros((len(claims.rules), len(BETS)))
    for row, (rule, values) in enumerate(zip(claims.rules, claims.values, strict=True)):
        worth = weight * sum(p * values[cells[rule]] for cells, p in lots)
        if cluster is not None:
            worth = np.bincount(cluster, many * worth) / np.bincount(cluster, many)
        each = 1 if cluster is not None else many[:, None]
        found[row] = (each * np.log1p(BETS * worth[:, None])).sum(axis=0)
    return found


def spaced(distances: Sequence[float], least: float) -> list[int]:
    """Choose rules, in order of their distance, each about twice as far as the last one."""
    chosen, far = [], 0.0
    for i, distance in enumerate(distances):
        if distance >= max(2 * far, least):
            chosen.append(i)
            far = distance
    if distances and len(distances) - 1 not in chosen:
        chosen.append(len(distances) - 1)
    return chosen
