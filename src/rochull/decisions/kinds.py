"""Kinds of cases that a policy knows, and cases of a batch that are looked at: an evenly drawn sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import Scores
from rochull.decisions.plans import Cases, Rows
from rochull.decisions.promises import ENOUGH
from rochull.decisions.score_columns import ScoreColumns


@dataclass(frozen=True, eq=False)
class Sight:
    """Cases that are looked at.

    Attributes
    ----------
    size : how many there are.
    columns : scores (n,) that are there of all cases, by classifier.
    cases : what plans ask, of the whole batch; None where it was decided by rules alone.
    rows : which of the batch's rows are looked at; None for all of them.
    decided : how each is decided (n,), if that is known.
    count : how many cases each stands for (n,); None where each is one.
    """

    size: int
    columns: Mapping[Any, Scores]
    cases: Cases | None
    rows: Rows
    decided: Array | None
    count: Array | None = None

    @classmethod
    def of(cls, held: ScoreColumns, decided: Array | None) -> Sight:
        """An evenly drawn sample, where cases are many."""
        step = -(-held.size // ENOUGH)
        if step < 2 or held.count is not None:
            return cls(held.size, held.columns, held.cases, None, decided, held.count)
        every = slice(None, None, step)
        columns = {name: scores.at(every) for name, scores in held.columns.items()}
        rows = np.arange(0, held.size, step)
        return cls(rows.size, columns, held.cases, rows, None if decided is None else decided[every])


class LearntKind(ABC):
    """Counts that a policy has of its examples, with which those of a batch are compared."""

    classifier: Any

    @abstractmethod
    def counted(self, sight: Sight) -> list[int] | None:
        """Count cases; None where not all is there that it takes."""

    @abstractmethod
    def judged(self, counts: Sequence[int]) -> float:
        """The p-value of such counts, which is at most that; NaN where they are too few."""
