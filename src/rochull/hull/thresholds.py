"""All thresholds of a raw curve, as something that operating points are found on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rochull.conditions.frontier import Frontier
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hull.curve import RocCurve


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The points of a complete curve, each with its rule: not a hull, but asked like one.

    Attributes
    ----------
    name : the classifier's, if it has one.
    curve : of unweighted examples.
    """

    name: str | None
    curve: RocCurve

    @property
    def frontier(self) -> Frontier:
        """Their counts."""
        return self.curve.frontier

    @property
    def owners(self) -> Sequence[tuple[Rule, ...]]:
        """The rule that reaches each, made when it is asked for."""
        return _Rules(self)

    @property
    def prevalence(self) -> float:
        """The prevalence of the examples."""
        return self.curve.units.prevalence(self.frontier.n_neg, self.frontier.n_pos)

    @property
    def every_threshold(self) -> Thresholds:
        """Return self."""
        return self

    def rule(self, i: int) -> Rule:
        """The rule of point i."""
        if not 0 < i < len(self.curve) - 1:
            return ALWAYS if i else NEVER
        level = self.curve.score[i - 1].item()
        return Rule.at_level(level, self.name, self.curve.lower_is_positive)


@dataclass(frozen=True)
class _Rules(Sequence[tuple[Rule, ...]]):
    of: Thresholds

    def __len__(self) -> int:
        return len(self.of.curve)

    def __getitem__(self, i: Any) -> Any:
        return (self.of.rule(i),)
