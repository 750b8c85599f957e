"""Orders in which the rows of a table come, as a whole number for each row: its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array
from rochull.conditions.rules import Action, Rule, Scores
from rochull.decisions.score_columns import missing_in
from rochull.policies.batch_ranges import ScoreSteps, exact_floats

LAST = (1 << 64) - 1  # the place of a case without a score
_MASK = 0x7FFF_FFFF_FFFF_FFFF
_SIGN = np.uint64(1 << 63)


def ordered_places(values: Array, lower_is_positive: bool) -> Array:
    """Places, uint64 (n,), of scores: the best one has the least, and equal ones have the same."""
    bits = (exact_floats(values) + 0.0).view(np.int64)  # -0.0 is 0.0
    ascending = bits ^ ((bits >> 63) & np.int64(_MASK))
    return np.asarray(ascending if lower_is_positive else ~ascending).view(np.uint64) ^ _SIGN


def score_at(place: int, lower_is_positive: bool) -> float:
    """The score that has a place; NaN where none has."""
    ascending = np.array([place], np.uint64) ^ _SIGN
    bits = (ascending if lower_is_positive else ~ascending).view(np.int64)
    return float((bits ^ ((bits >> 63) & np.int64(_MASK))).view(float)[0])


def score_steps(rules: Sequence[Rule]) -> ScoreSteps | None:
    """The thresholds of rules from "never" to "always", of one classifier; None where they do not descend."""
    inner = rules[1:-1]
    thresholds = [rule.threshold for rule in inner if rule.threshold is not None]
    if not inner or len(thresholds) < len(inner) or rules[-1].constant is None:
        return None
    if len({rule.classifier for rule in inner}) > 1 or any(float(x) != x for x in thresholds):
        return None
    steps = ScoreSteps(np.array(thresholds, float), inner[0].lower_is_positive)
    ends = ordered_places(steps.ends, steps.lower_is_positive)
    return steps if (ends[1:] > ends[:-1]).all() else None


@dataclass(frozen=True, eq=False)
class BestFirst:
    """From the best score to the worst.

    Attributes
    ----------
    steps : the thresholds of the policy.
    """

    flags: ClassVar[str] = "flagged"  # what is done with the cases that come first
    words: ClassVar[Sequence[str]] = "false", "true"  # of the decisions, by number
    takes_all: ClassVar[bool] = True  # whether cases without a score come, too, when no others are left

    steps: ScoreSteps

    @property
    def end(self) -> int:
        """The last place of a case that may come first: one that has a score."""
        return LAST - 1

    def turns_in(self, turns: int) -> int:
        """How many ranges are taken, of so many that there is room for."""
        return turns

    def decided(self, missed: Array, first: Array) -> Array:
        """The number of the decision of each case (n,), of which these (n,) come first."""
        return first

    @property
    def turn(self) -> Array:
        """When each range between the thresholds comes (r + 1,)."""
        return np.arange(self.steps.ends.size + 1)

    def missed(self, scores: Scores) -> Array:
        """How many of the thresholds each case (n,) does not reach; all, if it has no score."""
        found = self.steps.missed(exact_floats(scores.values))
        return np.where(scores.present, found, self.steps.ends.size) if missing_in(scores) else found

    def places(self, scores: Scores) -> Array:
        """The place of each case, uint64 (n,)."""
        found = ordered_places(scores.values, self.steps.lower_is_positive)
        return np.where(scores.present, found, np.uint64(LAST)) if missing_in(scores) else found

    def within(self, scores: Scores, end: int) -> Array:
        """The rows (m,) whose places may be at most `end`."""
        wide = Scores(exact_floats(scores.values), scores.nulls)
        worst = score_at(end, self.steps.lower_is_positive)
        return np.flatnonzero(
            wide.present if np.isnan(worst) else wide.reaching(worst, self.steps.lower_is_positive)
        )


@dataclass(frozen=True, eq=False)
class MostWorthReview:
    """Ranges between thresholds as they come to be reviewed; in each, from where calls change outwards.

    Attributes
    ----------
    steps : the thresholds of the policy.
    turn : (r + 1,) when each range comes.
    start : how many of the ranges are called positive without a review: they begin with their worst score.
    paying : how many ranges, of those that come first, are worth a review.
    """

    flags: ClassVar[str] = "reviewed"
    words: ClassVar[Sequence[str]] = [action.word for action in Action]
    takes_all: ClassVar[bool] = False

    steps: ScoreSteps
    turn: Array
    start: int
    paying: int

    @cached_property
    def _ranges(self) -> tuple[Array, Array, Array]:
        """The first and the last score's place of each range, and its own place, uint64 (r + 1,)."""
        ends = ordered_places(self.steps.ends, self.steps.lower_is_positive)
        low, high = np.append(np.uint64(0), ends + np.uint64(1)), np.append(ends, np.uint64(LAST))
        size = (high - low + np.uint64(1))[np.argsort(self.turn)]
        return low, high, (np.cumsum(size) - size)[self.turn]

    @property
    def end(self) -> int:
        """The last place of a case that may come first: of which a review pays."""
        begin = self._ranges[2][self.turn == self.paying]
        return int(begin[0]) - 1 if begin.size else LAST

    def turns_in(self, turns: int) -> int:
        """As for the other order: those that pay."""
        return min(turns, self.paying)

    def decided(self, missed: Array, first: Array) -> Array:
        """As for the other order."""
        actions = (missed < self.start).astype(np.int8)
        actions[first] = Action.REVIEW
        return actions

    def missed(self, scores: Scores) -> Array:
        """As for the other order."""
        return BestFirst(self.steps).missed(scores)

    def places(self, scores: Scores) -> Array:
        """The place of each case, uint64 (n,)."""
        low, high, begin = self._ranges
        place, missed = BestFirst(self.steps).places(scores), self.missed(scores)
        inside = np.where(missed < self.start, high[missed] - place, place - low[missed])
        return begin[missed] + inside

    def within(self, scores: Scores, end: int) -> Array:
        """The rows (m,) whose places may be at most `end`."""
        wide, ends = Scores(exact_floats(scores.values), scores.nulls), self.steps.ends
        best, worst = np.flatnonzero(self._ranges[2] <= np.uint64(end))[[0, -1]]
        inside = np.ones(wide.values.size, bool)
        if best:
            inside = ~wide.reaching(ends[best - 1], self.steps.lower_is_positive)
        if worst < ends.size:  # else cases without a score are among them
            inside &= wide.reaching(ends[worst], self.steps.lower_is_positive)
        return np.flatnonzero(inside)


CaseOrder = BestFirst | MostWorthReview


@dataclass(eq=False)
class Kept:
    """The rows that come first of those seen so far, and more.

    Attributes
    ----------
    order : in which they come.
    cases : how many are wanted.
    most : how many may be kept.
    end : the last place that one may have.
    """

    order: CaseOrder
    cases: int
    most: int
    end: int

    def __post_init__(self) -> None:
        self.end = self.end if self.cases else -1
        self._parts: list[tuple[Array, Array, Array]] = []
        self.is_full = False

    def candidates(self, scores: Scores) -> tuple[Array, Array]:
        """Rows (m,) of some that may come first, and their places."""
        if self.end < 0 or self.is_full:
            return np.zeros(0, np.intp), np.zeros(0, np.uint64)
        rows = self.order.within(scores, self.end)
        place = self.order.places(scores.at(rows))
        inside = place <= np.uint64(self.end)
        return (rows, place) if inside.all() else (rows[inside], place[inside])

    def add(self, rows: Array, place: Array, lots: Array) -> None:
        """Keep rows (m,) with what lots are drawn by, as long as there is room."""
        self._parts.append((rows, place, lots))
        if sum(own.size for own, _, _ in self._parts) > self.most:
            self._parts = [self.first]
            # Or each part would be sorted out anew.
            self.is_full = self._parts[0][0].size > self.most * 3 // 4
            if self.is_full:
                self._parts = []

    @property
    def first(self) -> tuple[Array, Array, Array]:
        """Rows, places and lots (m,) of the cases that come first, and of those beside the last one."""
        rows, place, lots = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        if not 0 < self.cases < place.size:
            return rows, place, lots
        self.end = int(np.partition(place, self.cases - 1)[self.cases - 1])
        here = place <= np.uint64(self.end)
        return rows[here], place[here], lots[here]
