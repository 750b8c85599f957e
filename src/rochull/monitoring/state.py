"""Counts that a monitor keeps: they add up, so that states of disjoint cases merge in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array


@dataclass(frozen=True, eq=False)
class MonitorState:
    """All that is kept of the cases.

    Attributes
    ----------
    counts : (rules, 8) labelled cases by cell, for the deployed rule and each other.
    bets : (claims, b) logarithms of what bets on weighted and clustered cases have won.
    groups : (g, 2) positives and negatives by range of the score.
    cases, flagged : with or without a label.
    looks : number of batches.
    pvalues : of the batches as scores of another kind; NaN is left out.
    seen : checksums of the batches.
    alarms : by name when each was first given.
    """

    counts: Array
    bets: Array
    groups: Array
    cases: int = 0
    flagged: int = 0
    looks: int = 0
    pvalues: tuple[float, ...] = ()
    seen: tuple[str, ...] = ()
    alarms: Mapping[str, str] = field(default_factory=dict)

    def plus(self, other: MonitorState) -> MonitorState:
        """The state of all cases of both; of an alarm that both gave, the lesser text."""
        twice = set(self.seen) & set(other.seen)
        if twice:
            raise refused("other", "has seen {} of the same batches, which would count twice.", len(twice))
        alarms = dict(self.alarms)
        for name, at in other.alarms.items():
            alarms[name] = min(at, alarms.get(name, at))
        summed = ("counts", "bets", "groups", "cases", "flagged", "looks")
        sums: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in summed}
        for name in ("pvalues", "seen"):
            sums[name] = tuple(sorted(getattr(self, name) + getattr(other, name)))
        return MonitorState(**sums, alarms=alarms)

    def alarmed(self, at: Mapping[str, str]) -> MonitorState:
        """The state with more alarms; those that were given before stay."""
        return replace(self, alarms={**at, **self.alarms})

    def contents(self) -> dict[str, Any]:
        """The fields of the document."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in asdict(self).items()
        } | {"alarms": dict(self.alarms), "pvalues": list(self.pvalues), "seen": list(self.seen)}

    @classmethod
    def of_contents(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a document."""
        arrays = {name: np.array(fields[name], float) for name in ("counts", "bets", "groups")}
        return cls(**{**fields, **arrays})
