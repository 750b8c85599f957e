"""A table and what its passes found: blocks, thinned curves and bounds of areas, by column and group."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.validation import Array
from rochull.hull.blocks import cumulative, pool
from rochull.hull.curve import RocCurve, area_fraction, tally_of_curve
from rochull.hull.polarity import say_if_below_chance
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Tally, ratio
from rochull.scanning.areas import AreaBound
from rochull.scanning.column import ScannedColumn
from rochull.scanning.engines.table import Column, ScanGroup, ScoreTable
from rochull.scanning.held import ScannedColumns
from rochull.scanning.passes import scan_columns
from rochull.scanning.tasks import UnitsBetween, WeighingRows, complete, only, places_of


@dataclass(frozen=True, eq=False)
class CalledPositive:
    """The weights called positive at thresholds among some rows: counts, where they are unweighted.

    Attributes
    ----------
    called : (2, k) false and true positives at each threshold.
    totals : (2,) negatives and positives.
    """

    called: Array
    totals: Array


class ScannedTable:
    """A table of scores that is scanned when something is first asked of it, and again for finer curves.

    Attributes
    ----------
    table : the rows, opened by an engine.
    max_error : how far, in either rate, a point that was dropped from a curve may be from a kept one.
    token : what tells its folds from those of another scan.
    lower_is_positive : the columns that were negated, as low scores are positive.
    """

    def __init__(self, table: ScoreTable, max_error: float, lower_is_positive: Collection[str] = ()) -> None:
        self.lower_is_positive = frozenset(lower_is_positive)
        self.table, self.max_error, self.token = table, max_error, os.urandom(16)
        self._found: ScannedColumns | None = None
        self._said = False
        self._areas: dict[Column, AreaBound] = {}
        self._numbers: dict[str, dict[Any, int]] = {}

    # --- groups of rows ----------------------------------------------------------------------------

    def has(self, kind: str) -> bool:
        """Whether there are groups of a kind: "segment" or "fold"."""
        return any(group.kind == kind for group in self.table.groups)

    def groups(self, by: str | None) -> dict[Any, int]:
        """The numbers of the groups of a kind, by their values."""
        if by is None:
            return {None: 0}  # known before all rows are counted
        if by not in ("all", "segment", "fold"):
            raise refused("by", "must be None, 'segment' or 'fold', but is {}.", repr(by))
        if by not in self._numbers:  # of many segments, each is asked for
            self._numbers[by] = {
                group.value: i for i, group in enumerate(self.table.groups) if group.kind == by
            }
        if not self._numbers[by]:
            raise Refusal("{}: the scan was made without {}.", Setting("by", by), by)
        return self._numbers[by]

    def group(self, segment: Any, fold: Any) -> int:
        """The number of the group of a segment or of a fold; that of all rows if neither is given."""
        if segment is not None and fold is not None:
            raise refused("segment", "and fold: a scan has no folds of its segments; give one of them.")
        for what, value in (("segment", segment), ("fold", fold)):
            if value is not None:
                return int(only(self.groups(what), value, what))
        return 0

    def rows(self, number: int) -> ScanGroup:
        """Facts about a group's rows."""
        return self.table.groups[number]

    def shown(self, key: Column) -> str:
        """Name a column of scores in a group in messages."""
        return f"score column {key[0]!r}, {self.table.groups[key[1]]}"

    # --- columns -----------------------------------------------------------------------------------

    def column(self, key: Column, max_error: float | None = None) -> ScannedColumn:
        """The findings for a column, with a curve of at most this error: that may take another scan."""
        return self._columns(max_error)[key]

    def _columns(self, max_error: float | None = None) -> ScannedColumns:
        """The findings for all columns."""
        if max_error is not None and max_error < self.max_error:
            self.max_error, self._found = max_error, None
        if self._found is None:
            try:
                self._found = scan_columns(self.table, self.max_error)
            finally:
                close = getattr(self.table, "close", None)  # the bar, if it shows one
                if close is not None:
                    close()
            self._say_reversed(self._found)
        return self._found

    def _say_reversed(self, found: ScannedColumns) -> None:
        """Warn, once, of columns whose low scores seem to mean positive, by the most their areas can be."""
        whole, said, self._said = self.table.groups[0], self._said, True
        if said:
            return
        for name in self.table.scores:
            column = found[name, 0]
            area = area_fraction(column.twice_area[2], column.n_pos, column.n_neg)
            lower = name in self.lower_is_positive
            say_if_below_chance(area, *whole.heaviest, f"score column {name!r}", lower)

    def both_classes(self, key: Column) -> ScannedColumn:
        """The findings for a column; an error if it lacks a class."""
        found = self.column(key)
        if not found.n_pos or not found.n_neg:
            which = "positive" if found.n_pos else "negative"
            raise ValueError(f"{self.shown(key)}: blocks hold one class only: all examples are {which}.")
        return found

    def curve(self, key: Column, max_error: float) -> RocCurve:
        """The curve of a column of both classes within an error; complete, if that is 0."""
        error = max_error and validation.probability(max_error, "max_error", open_ends=True)
        self.both_classes(key)
        held, lower = self.column(key, error or None).curve, key[0] in self.lower_is_positive
        if not error and held.max_error:
            return RocCurve.from_tally(self.complete(key), lower)
        arrays = {name: getattr(held, name).copy() for name in ("score", "tp_units", "fp_units")}
        # The caller's own: what is held answers later questions.
        held = replace(held, **arrays, lower_is_positive=lower)
        if not error:
            return held
        room = error - held.max_error
        while held.max_error + room > error:
            room = float(np.nextafter(room, 0))
        # What is complete or as fine as the scan is not made coarser than it was asked for.
        return held.thin(room) if error > self.max_error and room > 0 else held

    def complete(self, key: Column) -> Tally:
        """All groups of equal score of a column, as they were when it was scanned."""
        groups = complete(self.table, [key])[key]
        blocks, held = pool(groups), self.column(key).blocks
        for name in ("low", "high", "pos_units", "neg_units"):
            if not np.array_equal(getattr(blocks, name), getattr(held, name)):
                raise ChangedError()
        return groups

    def tally(self, key: Column, max_error: float) -> Tally:
        """The groups between the points of a column's curve within an error; those of one class too."""
        error = max_error and validation.probability(max_error, "max_error", open_ends=True)
        held = self._columns().tally(key)
        if held is not None and error <= self.max_error:
            return held
        found = self.column(key)
        if found.n_pos and found.n_neg:
            return tally_of_curve(self.curve(key, max_error))
        if max_error == 0 and found.curve.max_error:
            return self.complete(key)
        return tally_of_curve(found.curve)

    # --- areas -------------------------------------------------------------------------------------

    def area(self, key: Column) -> AreaBound:
        """Bounds on the area under a column's raw curve."""
        if key not in self._areas:
            found = self.both_classes(key)
            self._areas[key] = AreaBound.of(found.twice_area, found.n_pos, found.n_neg)
        return self._areas[key]

    def find_exact_areas(self, keys: Iterable[Column]) -> None:
        """Make all of these areas exact, in another pass if some are not."""
        missing = [key for key in keys if not self.area(key).exact]
        if not missing:
            return
        for key, (twice, n_pos, n_neg) in self.table.exact_areas(missing).items():
            held = self.column(key)
            at_least, _, at_most = held.twice_area
            if not at_least <= twice <= at_most or (n_pos, n_neg) != (held.n_pos, held.n_neg):
                raise ChangedError()
            self._areas[key] = AreaBound.of((twice, twice, twice), n_pos, n_neg)

    # --- counts in another pass ----------------------------------------------------------------------

    def called_positive(self, score: str, thresholds: Mapping[int, Array]) -> dict[int, CalledPositive]:
        """Counts that each group calls positive at its thresholds (k,), of which None stands for "never"."""
        dtype, found, tasks = self.column((score, 0)).blocks.low.dtype, {}, {}
        reached, counted = {}, {}
        for number, own in thresholds.items():
            inside, reached[number] = places_of(own, dtype)
            task = UnitsBetween(inside, self.rows(number).units)
            held = self._columns().tally((score, number))
            if held is None:
                tasks[score, number] = [task]
            else:
                counted[number] = task.of_groups(held)
        if tasks:
            counted |= {number: counts for (_, number), (counts,) in self.table.answer(tasks).items()}
        for number in thresholds:
            units, counts = self.rows(number).units, counted[number]
            at = counts.shape[0] - reached[number]
            from_above = [cumulative(column[::-1]) for column in counts.T]
            each = list(zip(from_above, (units.neg, units.pos), strict=True))
            called, total = ([ratio(sums[i], unit) for sums, unit in each] for i in (at, -1))
            found[number] = CalledPositive(np.array(called), np.array(total))
        return found

    def weighing(self, score: str, number: int) -> tuple[int, int]:
        """How many negatives and positives of a group have a positive weight."""
        found = self.rows(number)
        if not found.units.weighted:
            return found.n_neg, found.n_pos
        key = (score, number)
        neg, pos = self.table.answer({key: [WeighingRows()]})[key][0].tolist()
        return neg, pos
