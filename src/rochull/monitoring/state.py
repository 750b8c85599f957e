"""Counts that a monitor keeps: they add up, so that states of disjoint cases merge in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from rochull._core.messages import refused
from rochull._core.results import plain
from rochull._core.validation import Array


@dataclass(frozen=True, eq=False)
class MonitorState:
    """All that is kept of the cases.

    Attributes
    ----------
    counts : (rules, 8) labelled cases by cell, for the deployed rule and each other.
    bets : (claims, b) logarithms of what bets on weighted and clustered cases have won.
    groups : (g, 2) positives and negatives by range of the score.
    cases : with or without a label.
    decided, flagged : of those without weights and clusters; of a mixture, by its probabilities.
    looks : number of batches.
    pvalues : of the batches as scores of another kind; NaN is left out.
    seen, labelled : checksums of the batches, and of those of which labels came.
    alarms : by name when each was first given.
    """

    counts: Array
    bets: Array
    groups: Array
    cases: int = 0
    decided: int = 0
    flagged: float = 0
    looks: int = 0
    pvalues: tuple[float, ...] = ()
    seen: tuple[str, ...] = ()
    labelled: tuple[str, ...] = ()
    alarms: Mapping[str, str] = field(default_factory=dict)

    def plus(self, other: MonitorState) -> MonitorState:
        """The state of all cases of both; of an alarm that both gave, the lesser text."""
        twice = set(self.seen) & set(other.seen) | set(self.labelled) & set(other.labelled)
        if twice:
            raise refused("other", "has seen {} of the same batches, which would count twice.", len(twice))
        alarms = dict(self.alarms)
        for name, at in other.alarms.items():
            alarms[name] = min(at, alarms.get(name, at))
        summed = ("counts", "bets", "groups", "cases", "decided", "flagged", "looks")
        sums: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in summed}
        for name in ("pvalues", "seen", "labelled"):
            sums[name] = tuple(sorted(getattr(self, name) + getattr(other, name)))
        return MonitorState(**sums, alarms=alarms)

    def alarmed(self, at: Mapping[str, str]) -> MonitorState:
        """The state with more alarms; those that were given before stay."""
        return replace(self, alarms={**at, **self.alarms})

    def contents(self) -> dict[str, Any]:
        """The fields of the document."""
        return {name: plain(value) for name, value in vars(self).items()}

    @classmethod
    def of_contents(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a document."""
        arrays = {name: np.array(fields[name], float) for name in ("counts", "bets", "groups")}
        alarms = {name: at for name, at in fields["alarms"].items() if at is not None}
        return cls(**{**fields, **arrays, "alarms": alarms})
