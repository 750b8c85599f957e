"""Learning a cascade: steps of a classifier's scores, cut into strata, and the next one in each of these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.cascades.nodes import Node
from rochull.decisions.axes import Column
from rochull.hull.blocks import Blocks, cumulative
from rochull.hull.tallies import Tally, Units, tally_of
from rochull.segments.bins import fit_bins
from rochull.segments.models.base import SegmentedScores, shrunken_blocks


def node_of(groups: Tally, steps: Blocks, units: Units, cuts: Sequence[float] = ()) -> Node:
    """The counts of groups in the given steps, whose own counts say how their odds are taken.

    Steps are split at `cuts`; the parts have the same odds.
    """
    ends = steps.low.astype(float)
    low = np.unique(np.append(ends, cuts))[::-1]
    at = np.searchsorted(-groups.score.astype(float), -low, side="right")
    pos, neg = (np.diff(cumulative(c)[np.append(0, at)]) for c in (groups.pos_units, groups.neg_units))
    own = np.array_equal(pos, steps.pos_units) and np.array_equal(neg, steps.neg_units)
    odds = None
    if not (own and steps.units == units):
        with np.errstate(divide="ignore"):
            rough = np.divide(np.asarray(steps.pos, float), np.asarray(steps.neg, float))
        falling = np.minimum.accumulate(rough * float(units.pos / units.neg))
        odds = tuple(falling[np.searchsorted(-ends, -low)].tolist())
    low = low if len(cuts) else steps.low
    return Node(tuple(low.tolist()), tuple(pos.tolist()), tuple(neg.tolist()), odds)


@dataclass(frozen=True, eq=False)
class Stage:
    """How one classifier is learnt, and what is known of it on all examples."""

    whole: Blocks
    shrinkage: float
    n_strata: int


def quantiles_of(low: Array, mass: Array, n: int) -> Array:
    """Cuts of descending scores (k,), with so much mass each, into `n` parts as equal as possible."""
    total = np.cumsum(mass)
    finite = np.isfinite(low)
    finite[-1:] = False  # below it is nothing
    low, below = low[finite], total[finite]
    if n < 2 or not low.size:
        return low[:0]
    at = np.arange(1, n) / n * float(total[-1])
    place = np.clip(np.searchsorted(below, at), 1, max(low.size - 1, 1))
    other = np.minimum(place, low.size - 1)
    nearer = np.abs(below[place - 1] - at) <= np.abs(below[other] - at)
    return np.unique(low[np.where(nearer, place - 1, other)])


def edges_of(node: Node, data: Labelled, n_strata: int, min_bin: int) -> tuple[float, ...]:
    """Cuts at which steps begin, near the quantiles of the scores, with enough of both classes between.

    What a threshold decides between two such cuts is what it decides in all: steps are never split.
    """
    mass = np.add(node.pos, node.neg, dtype=float)
    chosen = quantiles_of(np.array(node.low, float), mass, n_strata)
    if not chosen.size:
        return ()
    column: dict[Column, Array] = {"score": data.scores}
    found = fit_bins(column, chosen, (data.positive == 1).astype(np.uint8), min_bin=min_bin)
    return tuple(found.axes[0].edges or ())


@dataclass(frozen=True)
class Growth:
    """Settings shared by all strata: units of weight, the least of a class in each, mean weight, cells."""

    units: Units
    min_bin: int
    mean_weight: float
    n_cells: int

    def grown(
        self, columns: Sequence[Array], stages: Sequence[Stage], positive: Array, weights: Array | None
    ) -> Node:
        """The tree of cases with these scores, whose classifiers are given in their order."""
        data, stage = Labelled(positive, columns[0], weights), stages[0]
        groups, steps = self._steps(data, stage)
        if len(columns) == 1:
            return node_of(groups, steps, self.units)
        strata = edges_of(node_of(groups, steps, self.units), data, stage.n_strata, self.min_bin)
        cells = self._cells(groups, stage.whole, strata) if len(columns) == 2 else strata
        cell = np.searchsorted(np.array(cells), columns[0], side="right")
        sorted_ = SegmentedScores.of(data, cell, len(cells) + 1)
        first = [0, *np.searchsorted(cells, strata, side="right").tolist(), len(cells) + 1]

        def part(begin: int, end: int) -> tuple[list[Array], Array, Array | None]:
            rows = sorted_.order[sorted_.begin[begin] : sorted_.begin[end]]
            later = [column[rows] for column in columns[1:]]
            return later, positive[rows], None if weights is None else weights[rows]

        def children(b: int) -> list[Node]:
            """Node for the cells of one stratum, which are decided alike."""
            begin, end = first[b], first[b + 1]
            if end == begin + 1:
                later, labels, mass = part(begin, end)
                return [self.grown(later, stages[1:], labels, mass)]
            parts = [part(c, c + 1) for c in range(begin, end)]
            (column,), labels, mass = part(begin, end)
            _, steps = self._steps(Labelled(labels, column, mass), stages[1])
            tallies = (self._tally(Labelled(own, later[0], mass)) for later, own, mass in parts)
            return [node_of(groups, steps, self.units) for groups in tallies]

        found = share_out(children, range(len(strata) + 1))
        node = node_of(groups, steps, self.units, cells if cells != strata else ())
        return Node(
            node.low, node.pos, node.neg, node.odds, cells, tuple(child for each in found for child in each)
        )

    def _tally(self, data: Labelled) -> Tally:
        return tally_of(data, both_classes=False, units=self.units)

    def _steps(self, data: Labelled, stage: Stage) -> tuple[Tally, Blocks]:
        """Groups of equal score, and the steps by which they are decided."""
        groups = self._tally(data)
        return groups, shrunken_blocks(groups, stage.whole, stage.shrinkage * self.mean_weight)

    def _cells(self, groups: Tally, whole: Blocks, strata: tuple[float, ...]) -> tuple[float, ...]:
        """Where strata are cut further, so that all examples would fall into so many cells."""
        if not self.n_cells:
            return strata
        mass, all_ = (np.asarray(part.pos, float) + np.asarray(part.neg, float) for part in (groups, whole))
        n = round(self.n_cells * float(mass.sum() / all_.sum()))
        return tuple(np.union1d(quantiles_of(groups.score.astype(float), mass, n), strata).tolist())
