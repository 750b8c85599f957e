"""Error redistribution from a scan: its segments are the bins, their blocks and thinned groups the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.rotation import possible_folds
from rochull._core.table_errors import a_type
from rochull._core.validation import Array
from rochull.decisions.axes import Axis, Bins, Column
from rochull.hull.blocks import Blocks, pool
from rochull.hull.refine import area_of
from rochull.hull.tallies import Tally, Units
from rochull.scanning.readings import Scan
from rochull.segments.bins import merged_cells
from rochull.segments.choice import Candidate, best_of
from rochull.segments.models.base import FixedModel, PavModel, SegmentedScores, SegmentModel, by_ratio

_COARSE = 1e-3  # of the curves on which candidates are compared


@dataclass(frozen=True, eq=False)
class ScannedSegments:
    """One column of scores of a scan, in bins of segments."""

    scan: Scan  # these two: where they are from
    score: str
    bins: Bins  # the bins; of categories, of which small ones are together in one
    members: list[list[Any]]  # the segments of each bin
    counts: Array  # int64 (s, 2) negatives and positives of each bin

    @classmethod
    def of(cls, scan: Scan, score: str | None, column: Column, min_bin: int) -> ScannedSegments:
        """Merge segments with fewer than `min_bin` examples of a class, as bins of categories are."""
        found = scan.counts("segment")
        for value in found:
            if not isinstance(value, (str, int, float)):
                raise ValueError(
                    f"segments must be strings or numbers, but {value!r} is {a_type(value)}; turn "
                    "them into such before scanning."
                )
        texts = any(isinstance(value, str) for value in found)
        values = sorted(found, key=str) if texts else sorted(found)
        counts = np.array([found[value] for value in values])
        bins = merged_cells((Axis(column, categories=tuple(values)),), counts[:, 1], counts[:, 0], min_bin)
        rows = [np.flatnonzero(bins.of_cell == b).tolist() for b in range(len(bins))]
        name = scan.scores[0] if score is None and len(scan.scores) == 1 else score
        scan.reading(name)  # refuses a name that is not there
        return cls(
            scan, str(name), bins, [[values[i] for i in row] for row in rows],
            np.array([counts[row].sum(axis=0) for row in rows]),
        )  # fmt: skip

    @property
    def whole(self) -> Blocks:
        """The blocks of all rows."""
        return self.scan.reading(self.score).blocks

    def ends(self) -> Array:
        """The highest and the lowest score."""
        return np.array([self.whole.high[0], self.whole.low[-1]])

    def blocks(self) -> list[Blocks]:
        """The blocks of each bin, exactly, in units of the whole."""
        held, units = self.scan.blocks("segment"), self.whole.units
        return [
            _blocks_in(held[row[0]][self.score], units) if len(row) == 1 else pool(self._merged(row))
            for row in self.members
        ]

    def _merged(self, row: Sequence[Any]) -> Tally:
        """All groups of some segments together: few rows, or they would not have been merged."""
        units = self.whole.units
        parts = [_tally_in(self.scan.tally(self.score, segment=v, max_error=0), units) for v in row]
        while len(parts) > 1:  # two at a time, then what came out, so that no group is merged with all others
            parts = [reduce(Tally.merge, parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return parts[0]

    def tallies(self, max_error: float) -> list[Tally]:
        """The groups of each bin, thinned, in units of the whole; those of several segments side by side."""
        units, found = self.whole.units, []
        for row in self.members:
            parts = [
                _tally_in(self.scan.tally(self.score, segment=v, max_error=max_error), units) for v in row
            ]
            found.append(Tally(*_joined(parts), units))
        return found

    def mean_weight(self) -> float:
        """Mean weight of the examples of positive weight."""
        neg, pos = self.scan.weighing()
        return float(np.asarray(self.whole.pos + self.whole.neg, float).sum()) / (neg + pos)


def fitted(chosen: Candidate, data: ScannedSegments, max_error: float) -> tuple[SegmentModel, Tally, Tally]:
    """The model of a candidate; the examples by their ratio, from which hull and curve are made."""
    model = chosen.model()
    if isinstance(model, PavModel) and (not model.shrinkage or math.isinf(model.shrinkage)):
        model.fit_blocks(data.blocks(), data.whole)
        tally = model.block_tally()
        return model, tally, tally
    tallies = data.tallies(max_error)
    model.fit(_rows(tallies, data.mean_weight()))
    points = _by_model(model, tallies)
    if not isinstance(model, FixedModel):
        return model, points, points
    whole = data.whole  # the hull of the scores themselves is known exactly
    return model, Tally(whole.low.astype(float), whole.pos_units, whole.neg_units, whole.units), points


def chosen_of(
    tried: list[Candidate], data: ScannedSegments, cv: int, random_state: Any
) -> tuple[Candidate, dict[str, list[Any]]]:
    """The best candidate in a cross-validation, whose folds divide the counts of thinned groups at random."""
    if len(tried) == 1:
        return tried[0], {}
    if data.whole.units.weighted:
        raise ValueError(
            "the rows have weights, which groups do not tell apart: give one model and shrinkage."
        )
    cv = possible_folds(cv, int(data.counts.min()), " in every bin")
    rng = random_state
    if not isinstance(rng, (np.random.Generator, np.random.RandomState)):
        rng = validation.generator(random_state)
    elif isinstance(rng, np.random.RandomState):
        rng = np.random.default_rng(rng.randint(2**31))
    tallies = data.tallies(_COARSE)
    parts = [(_divided(t.pos_units, cv, rng), _divided(t.neg_units, cv, rng)) for t in tallies]
    area = []
    for k in range(cv):
        held = [
            Tally(t.score, pos[k].astype(np.int64), neg[k].astype(np.int64))
            for t, (pos, neg) in zip(tallies, parts, strict=True)
        ]
        rest = [
            Tally(t.score, t.pos_units - pos[k], t.neg_units - neg[k])
            for t, (pos, neg) in zip(tallies, parts, strict=True)
        ]
        rows = _rows(rest, 1.0)
        area.append([_area(candidate.model().fit(rows), held) for candidate in tried])
        del rows  # of a fold at a time: there may be as many as the table has
    return best_of(tried, np.array(area))


def _divided(counts: Array, cv: int, rng: np.random.Generator) -> list[Array]:
    """Counts of the examples of each fold, drawn without replacement, as many in each as can be."""
    parts, rest, small = [], counts.copy(), np.min_scalar_type(-int(counts.max()))
    for left in range(cv, 0, -1):
        part = rng.multivariate_hypergeometric(rest, round(int(rest.sum()) / left), method="marginals")
        parts.append(part.astype(small))
        rest = rest - part
    return parts


def _area(model: SegmentModel, held: list[Tally]) -> float:
    twice, n_pos, n_neg = area_of(_by_model(model, held))
    return twice / (2 * n_pos * n_neg)


def _by_model(model: SegmentModel, tallies: list[Tally]) -> Tally:
    """Groups of every segment by their ratio."""
    segment = np.repeat(np.arange(len(tallies)), [t.score.size for t in tallies])
    score, pos, neg = _joined(tallies)
    some = (pos > 0) | (neg > 0)
    ratio = model.ratio(score[some].astype(float), segment[some])
    return by_ratio(ratio, pos[some], neg[some], tallies[0].units)


def _joined(tallies: Sequence[Tally]) -> tuple[Array, Array, Array]:
    """Scores and units of the positives and of the negatives, one tally after another."""
    score, pos, neg = (
        np.concatenate([getattr(groups, name) for groups in tallies])
        for name in ("score", "pos_units", "neg_units")
    )
    return score, pos, neg


def _rows(tallies: list[Tally], each: float) -> SegmentedScores:
    """Weighted examples that stand for the groups of each segment."""
    scores, labels, weights, sizes = [], [], [], []
    for groups in tallies:
        masses = [np.asarray(mass, float) for mass in (groups.neg, groups.pos)]
        held = [mass > 0 for mass in masses]
        scores += [groups.score[some] for some in held]
        weights += [mass[some] for mass, some in zip(masses, held, strict=True)]
        labels += [np.full(np.count_nonzero(some), y, np.uint8) for y, some in enumerate(held)]
        sizes.append(sum(int(np.count_nonzero(some)) for some in held))
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return SegmentedScores(
        np.concatenate(labels), np.concatenate(scores).astype(float), np.concatenate(weights), begin,
        np.arange(begin[-1]), each,
    )  # fmt: skip


def _tally_in(groups: Tally, units: Units) -> Tally:
    """A tally in other units."""
    if groups.units == units:
        return groups
    pos, neg = (
        np.rint(mass * unit).astype(np.int64)
        for mass, unit in ((groups.pos, units.pos), (groups.neg, units.neg))
    )
    some = (pos > 0) | (neg > 0)
    return Tally(groups.score[some], pos[some], neg[some], units)


def _blocks_in(blocks: Blocks, units: Units) -> Blocks:
    """Blocks in other units."""
    if blocks.units == units:
        return blocks
    pos, neg = (
        np.rint(mass * unit).astype(np.int64)
        for mass, unit in ((blocks.pos, units.pos), (blocks.neg, units.neg))
    )
    return Blocks(blocks.low, blocks.high, pos, neg, units)
