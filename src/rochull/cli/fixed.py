"""Policies whose rules are fixed, on the command line: asked nothing, they decide as they were saved."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from rochull.cli.decider import WORDS, Asked, Columns, RuleDecider

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rochull.conditions.rules import OperatingPoint, Rule


class _Fixed(RuleDecider):
    """Operating points that were chosen before."""

    what: ClassVar[str]
    knows_a_part = True  # those that the rules need

    def __init__(self, policy: Any, asked: Asked) -> None:
        asked.refuse_any(self.what, getattr(policy, "condition", ""))
        self.policy, self.numbers = policy, policy.classifiers
        self.chance = any(len(point.rules) > 1 for point in self._points())

    @property
    def written(self) -> dict[str, str]:
        return WORDS if any(point.can_review for point in self._points()) else super().written

    @abstractmethod
    def _points(self) -> Sequence[OperatingPoint]:
        """The operating point of each part of the cases."""

    @abstractmethod
    def _with(self, points: Sequence[OperatingPoint]) -> Any:
        """The policy with others."""

    def _mixed(self) -> tuple[tuple[Rule, ...], ...]:
        found = [[rule for rule, _ in point.rules] for point in self._points()]
        draws = range(max(map(len, found)))
        return tuple(tuple(rules[min(draw, len(rules) - 1)] for rules in found) for draw in draws)

    def _alone(self, rules: tuple[Rule, ...], columns: Columns) -> str:
        points = zip(self._points(), rules, strict=True)
        made = self._with([replace(point, rules=((rule, 1.0),)) for point, rule in points])
        needed = {name for rule in rules for name in rule.classifiers} | set(self.features)
        text: str = made.to_sql("duckdb", **self._placed({n: columns[n] for n in columns if n in needed}))
        return text

    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        return self.policy.decide(columns, key=key, random_state=random_state)

    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        text: str = self.policy.to_sql(dialect, key=key, **self._placed(columns))
        return text

    def _placed(self, columns: Columns) -> dict[str, Any]:
        """The columns as the policy takes them."""
        return {"columns": columns}


class Single(_Fixed):
    """One operating point for all cases, such as an assured one."""

    what = "a policy of one rule"

    @property
    def known(self) -> tuple[Any, ...]:
        return self.policy.classifiers  # type: ignore[no-any-return]

    def told(self) -> Iterator[str]:
        from rochull.hybrid.sensitivity import brief

        if self.policy.condition:
            yield f"Condition: {self.policy.condition}"
        yield f"Rule, as it was saved: {brief(self.policy.point)} (rates in-sample)"

    def _points(self) -> Sequence[OperatingPoint]:
        return (self.policy.point,)

    def _with(self, points: Sequence[OperatingPoint]) -> Any:
        return replace(self.policy, point=points[0])


class Grouped(_Fixed):
    """A rule for each group, of rates that agree."""

    what = "a policy by groups"

    @property
    def known(self) -> tuple[Any, ...]:
        return (*self.policy.classifiers, self.policy.column)

    @property
    def features(self) -> dict[Any, bool]:
        return {self.policy.column: any(isinstance(group, str) for group in self.policy.points)}

    def told(self) -> Iterator[str]:
        from rochull.hybrid.sensitivity import brief

        yield f"Rules by {self.policy.column!r}, as they were saved (rates in-sample):"
        for group, point in self.policy.points.items():
            yield f"  {'missing' if group is None else group}: {brief(point)}"

    def refused(self, columns: Columns) -> dict[str, str]:
        decided = self._alone(self._mixed()[0], columns)
        return {"{count} of {rows} cases are of no group that has a rule.": f"({decided}) IS NULL"}

    def _points(self) -> Sequence[OperatingPoint]:
        return tuple(self.policy.points.values())

    def _with(self, points: Sequence[OperatingPoint]) -> Any:
        return replace(self.policy, points=dict(zip(self.policy.points, points, strict=True)))

    def _placed(self, columns: Columns) -> dict[str, Any]:
        own = self.policy.column
        return {
            "group": columns.get(own),
            "columns": {name: place for name, place in columns.items() if name != own},
        }
