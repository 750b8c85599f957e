"""Counts that a monitor keeps: they add up, so that states of disjoint cases merge in any order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from rochull._core.messages import refused
from rochull._core.results import plain
from rochull._core.validation import Array

_DOUBLING = 32  # batches, up to which the beginnings of periods double; after that they are so far apart
_GRID = 2.0**-32  # of what is kept: sums of its multiples are exact, and so the same in any order
_BY_PERIOD = ("counts", "bets", "groups", "decided", "flagged")


def period_of(looks: int) -> int:
    """The period of a batch that comes after so many others: periods begin at 0, 1, 2, 4, ..., 32, 64, 96."""
    return looks.bit_length() if looks < _DOUBLING else _DOUBLING.bit_length() - 1 + looks // _DOUBLING


@dataclass(frozen=True, eq=False)
class MonitorState:
    """All that is kept of the cases, by the period in which they came (p, ...).

    What happened before a change does not hide it: evidence is counted from the beginning of every period.
    Periods of two machines are added by their number.

    Attributes
    ----------
    counts : (p, rules, 8) labelled cases by cell, for the deployed rule and each other.
    bets : (p, claims, b) logarithms of what bets on weighted and clustered cases have won.
    groups : (p, g, 2) positives and negatives by range of the score.
    decided, flagged : (p,) cases without weights and clusters; of a mixture, by its probabilities.
    cases : with or without a label.
    looks : number of batches.
    pvalues : of the batches as scores of another kind; NaN is left out.
    seen : the period of each batch by its checksum; labels that come later belong to it.
    labelled : checksums of the batches of which labels came.
    alarms : by name when each was first given.
    history : what was known after each batch.
    """

    counts: Array
    bets: Array
    groups: Array
    decided: Array
    flagged: Array
    cases: int = 0
    looks: int = 0
    pvalues: tuple[float, ...] = ()
    seen: Mapping[str, int] = field(default_factory=dict)
    labelled: tuple[str, ...] = ()
    alarms: Mapping[str, str] = field(default_factory=dict)
    history: tuple[Mapping[str, Any], ...] = ()

    def plus(self, other: MonitorState) -> MonitorState:
        """The state of all cases of both; of an alarm that both gave, the lesser text."""
        twice = set(self.seen) & set(other.seen) | set(self.labelled) & set(other.labelled)
        if twice:
            raise refused("other", "has seen {} of the same batches, which would count twice.", len(twice))
        alarms = dict(self.alarms)
        for name, at in other.alarms.items():
            alarms[name] = min(at, alarms.get(name, at))
        sums: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name) for name in ("cases", "looks")
        }
        for name in _BY_PERIOD:
            sums[name] = _added(getattr(self, name), getattr(other, name))
        for name in ("pvalues", "labelled"):
            sums[name] = tuple(sorted(getattr(self, name) + getattr(other, name)))
        both = (*self.history, *other.history)
        sums["history"] = tuple(sorted(both, key=lambda row: (row["at"], row["batch"])))
        sums["seen"] = dict(sorted({**self.seen, **other.seen}.items()))
        return MonitorState(**sums, alarms=alarms)

    @classmethod
    def nothing(cls, rules: int, claims: int, ranges: int, cells: int, bets: int) -> Self:
        """The state before the first case."""
        sizes = (1, rules, cells), (1, claims, bets), (1, ranges, 2), (1,), (1,)
        return cls(*map(np.zeros, sizes))  # type: ignore[arg-type]

    def in_period(self, period: int) -> MonitorState:
        """The state of one batch, as of that period."""
        moved: dict[str, Any] = {
            name: np.concatenate([0 * np.repeat(held, period, 0), np.round(held / _GRID) * _GRID])
            for name, held in self._periods
        }
        return replace(self, **moved)

    @property
    def since(self) -> MonitorState:
        """All that came since the beginning of each period."""
        summed: dict[str, Any] = {name: np.cumsum(held[::-1], axis=0)[::-1] for name, held in self._periods}
        return replace(self, **summed)

    @property
    def _periods(self) -> list[tuple[str, Array]]:
        return [(name, getattr(self, name)) for name in _BY_PERIOD]

    def alarmed(self, at: Mapping[str, str], *known: Mapping[str, Any]) -> MonitorState:
        """The state with more alarms, and what is known now; alarms that were given before stay."""
        return replace(self, alarms={**at, **self.alarms}, history=(*self.history, *known))

    def contents(self) -> dict[str, Any]:
        """The fields of the document."""
        seen = [{"checksum": name, "period": period} for name, period in self.seen.items()]
        return {name: plain(value) for name, value in vars(self).items()} | {"seen": seen}

    @classmethod
    def of_contents(cls, fields: Mapping[str, Any]) -> Self:
        """Read the fields of a document."""
        arrays = {name: np.array(fields[name], float) for name in _BY_PERIOD}
        alarms = {name: at for name, at in fields["alarms"].items() if at is not None}
        seen = {each["checksum"]: each["period"] for each in fields["seen"]}
        return cls(**{**fields, **arrays, "alarms": alarms, "seen": seen})


def _added(one: Array, other: Array) -> Array:
    """The sum of what came in each period, of which one may have fewer."""
    short, long = sorted((one, other), key=len)
    found = np.array(long, float)
    found[: len(short)] += short
    return found
