"""A look at a batch before a decision promises something: are its scores of the kind that the policy knows,
and are the shares of what it decides those that were stated. (`rochull watch` is another thing: a monitor.)

A policy knows counts: of its classifiers' scores, and of the examples that a rule calls positive. The
batch is counted by the same rules, whoever counts: NumPy, DuckDB or Spark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rochull._core.validation import Array
from rochull.conditions.rules import Action, Scores
from rochull.decisions.batch_check import UNUSUAL, BatchCheck
from rochull.decisions.kinds import LearntKind, Sight
from rochull.decisions.looks import look
from rochull.decisions.promises import LEAST_CASES, Promise
from rochull.decisions.score_columns import ScoreColumns
from rochull.decisions.score_kind import ScoreKind

POSITIVE, REVIEW = Action.POSITIVE.word, Action.REVIEW.word
_NAMES = {  # by the key of each share
    POSITIVE: ("share", "expected_share", "share_pvalue"),
    REVIEW: ("review_share", "expected_review_share", "review_pvalue"),
}


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a batch, whoever counted.

    Attributes
    ----------
    size : how many cases there are.
    of_kinds : for each kind what was counted of its scores; None where that cannot be known.
    decided : how many cases are "positive", and passed on to "review"; empty if nothing was decided.
    some : given what is known of a classifier, some of its scores: looked at where they are of another kind.
    """

    size: int
    of_kinds: Sequence[Sequence[int] | None]
    decided: Mapping[str, int]
    some: Callable[[ScoreKind], Scores | None]


@dataclass(frozen=True, eq=False)
class Watch:
    """Facts that are known before a batch is decided, and looked at in each.

    Attributes
    ----------
    kinds : what is known of the scores.
    promises : what is known of the shares that are "positive" and passed on to "review".
    on_misfit : what is done where the batch is of another kind.
    """

    kinds: tuple[LearntKind, ...] = ()
    promises: Mapping[str, Promise] = field(default_factory=dict)
    on_misfit: str = "keep"

    def __call__(self, held: ScoreColumns, decided: Array | None) -> BatchCheck:
        """Check a batch, and say what is due."""
        if self.on_misfit == "ignore":
            return BatchCheck(held.size)
        return self.checked(held, decided).heeded(self.on_misfit)

    def checked(self, held: ScoreColumns, decided: Array | None) -> BatchCheck:
        """Check a batch, of which it may be known how each case is decided (n,)."""
        found: dict[str, int] = {}
        if decided is not None and self.promises:
            every = {POSITIVE: decided} if decided.dtype == bool else {}
            every = every or {word: decided == word for word in self.promises}
            found = {word: held.many(rows) for word, rows in every.items()}
        large = held.many() >= LEAST_CASES
        sight = Sight.of(held, decided)
        of_kinds = [kind.counted(sight) if large else None for kind in self.kinds]
        return self.judged(
            Counted(held.many(), of_kinds, found, lambda kind: sight.columns.get(kind.classifier))
        )

    def judged(self, counted: Counted) -> BatchCheck:
        """Check a batch by its counts."""
        every = zip(self.kinds, counted.of_kinds, strict=True)
        known = ((kind, kind.judged(counts)) for kind, counts in every if counts is not None)
        found = [(pvalue, kind) for kind, pvalue in known if not math.isnan(pvalue)]
        least, kind = min(found, key=lambda each: each[0], default=(math.nan, None))
        least = min(1.0, len(found) * least)
        looks, tests = None, [least] if found else []
        shares: dict[str, Any] = {}
        if least < UNUSUAL and isinstance(kind, ScoreKind):
            scores = counted.some(kind)
            looks = None if scores is None else look(kind, scores)
        for word, count in counted.decided.items():
            own, size = self.promises[word], counted.size
            achieved = count / size if size else math.nan
            shares |= zip(_NAMES[word], (achieved, own.expected, own.excess(count, size)), strict=True)
            if size >= LEAST_CASES:
                tests.append(own.outside(count, size))
        pvalue = min(1.0, len(tests) * min(tests)) if tests else math.nan
        return BatchCheck(counted.size, pvalue, None if kind is None else kind.classifier, looks, **shares)
