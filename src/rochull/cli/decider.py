"""What was asked of a policy on the command line, and what every kind of policy answers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from rochull.cli.goals import Goal, TypedGoal, given_goal
from rochull.cli.options import UsageError, flag

if TYPE_CHECKING:
    from rochull.cli.conditions import Options
    from rochull.conditions.base import Condition
    from rochull.conditions.rules import Rule

Columns = Mapping[Any, Any]  # name in the policy -> column of a table, or (table, column)


@dataclass(frozen=True)
class Asked:
    """What to decide under, as it was typed; it is checked before any file is read."""

    options: Options
    condition: Condition | None
    goal: TypedGoal
    deterministic: bool
    minimax: bool
    max_calls: float | None = None
    needs: str | None = None
    by_segment: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.condition is not None and self.minimax and not self.condition.intervals:
            raise UsageError("--minimax has no effect without an interval, such as --cost-fn 5:50.")
        if self.by_segment and self.deterministic:
            raise UsageError("--deterministic has no effect on --cases-of: each number is kept as it is.")
        Goal.of_typed(self.goal)

    @property
    def how(self) -> dict[str, bool]:
        """What the methods of two-class policies take."""
        return {"deterministic": self.deterministic, "minimax": self.minimax}

    def require(self) -> None:
        """Raise unless something was asked."""
        if self.condition is None and given_goal(self.goal) is None:
            raise UsageError(
                "name a condition to decide under, such as --max-fpr 0.05 (of several classes --minimise "
                "max-error)."
            )

    def refuse_any(self, what: str, found_for: str = "") -> None:
        """Refuse all that a policy whose rules are fixed, and were found for this, cannot be asked."""
        given = (self.options.kind, given_goal(self.goal), *(name for name, on in self.how.items() if on))
        asked = next((name for name in given if name is not None), None)
        if asked is not None:
            raise UsageError(
                f"{flag(asked)} cannot change {what}, which decides as it was saved"
                f"{f' ({found_for})' if found_for else ''}; leave it out."
            )
        self.refuse_calls(what)

    def refuse_calls(self, what: str) -> None:
        """Refuse what is for cascades alone."""
        for name in ("max_calls", "needs"):
            if getattr(self, name) is not None:
                raise UsageError(f"{flag(name)} is for cascades, which {what} is not.")


def percentage(share: float) -> str:
    """A share for reading: 12.3%, and of few cases in many two figures, as 0.04%."""
    digits = 1 - math.floor(math.log10(100 * share)) if share else 1
    return f"{share:.{max(1, digits)}%}"


class Decider(ABC):
    """A policy, and what was asked of it.

    Attributes
    ----------
    policy : what was loaded.
    note : what was taken for granted, as nothing was typed.
    chance : whether something is left to chance, unless there are keys.
    numbers : names of the classifiers or classes whose columns of numbers are needed.
    knows_a_part : whether there may be other classifiers, which the policy does not need.
    """

    policy: Any
    note: str | None = None
    chance: bool = False
    numbers: tuple[Any, ...] = ()
    knows_a_part: ClassVar[bool] = False

    @property
    @abstractmethod
    def known(self) -> tuple[Any, ...]:
        """All names in the policy that a column may have."""

    @property
    def features(self) -> dict[Any, bool]:
        """Names of the auxiliary features, and whether they are texts."""
        return {}

    @abstractmethod
    def told(self) -> Iterator[str]:
        """What decides, in sentences; the other attributes are set by it."""

    @abstractmethod
    def decide(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> Any:
        """The decisions (n,) on columns that are called as in the policy."""

    @abstractmethod
    def to_sql(self, dialect: str, key: Any, columns: Columns) -> str:
        """One expression."""

    def estimate_prevalence(self, read: Callable[[tuple[Any, ...]], Mapping[Any, Any]]) -> Any:
        """Decide at the prevalence that scores speak for, which are read by the names of classifiers."""
        raise UsageError("--prevalence estimate needs a policy of one threshold for all; give a number.")

    @property
    def written(self) -> dict[str, str]:
        """What can be decided, by what is typed for it: how it is written in a table."""
        return {"positive": "true", "negative": "false"}

    def ranks(self, columns: Mapping[Any, Any], key: Any, random_state: int | None) -> dict[str, Any]:
        """More columns beside the decisions: of a capacity in cases the order of the cases."""
        return {}

    def counted(self, columns: Columns) -> dict[str, str]:
        """What is counted before DuckDB decides: conditions on a row, by what a warning says of them."""
        return {}

    def by_lot(self, columns: Columns) -> str | None:
        """The condition on a row that lots decide it; None if they decide none."""
        return None

    def refused(self, columns: Columns) -> dict[str, str]:
        """The same of what no row may be."""
        return {}

    def summary(self, counts: Mapping[str, int]) -> Iterator[str]:
        """How many cases got which decision."""
        size = sum(counts.values())
        called = counts.get("true", 0) + counts.get("positive", 0)
        yield f"{self.called_positive}: {called:,} of {size:,} cases ({percentage(called / size)})"
        if {"review", "negative"} & counts.keys():
            called = counts.get("review", 0)
            yield f"Review: {called:,} of {size:,} cases ({percentage(called / size)})"

    @property
    def called_positive(self) -> str:
        """What the summary calls a positive decision."""
        return "Positive"


WORDS = {word: word for word in ("positive", "review", "negative")}  # where cases may be reviewed


class RuleDecider(Decider):
    """Decided by the score of some classifier: by one rule, or a mixture, of all cases or of each part."""

    @abstractmethod
    def _mixed(self) -> tuple[tuple[Rule, ...], ...]:
        """The rules between which lots decide: of each draw the rule of every part of the cases."""

    @abstractmethod
    def _alone(self, rules: tuple[Rule, ...], columns: Columns) -> str:
        """What one draw decides, in DuckDB."""

    def by_lot(self, columns: Columns) -> str | None:
        first, *others = (self._alone(rules, columns) for rules in self._mixed())
        return " OR ".join(f"({first}) <> ({other})" for other in others) or None

    def counted(self, columns: Columns) -> dict[str, str]:
        import numpy as np

        from rochull._core.file_queries import quoted
        from rochull.decisions.score_columns import ROUNDED

        missed = []
        for rules in self._mixed():
            for name in dict.fromkeys(name for rule in rules for name in rule.classifiers):
                for kind, dtype in (("FLOAT", np.dtype("f4")), ("DOUBLE", np.dtype("f8"))):
                    types = dict.fromkeys(columns, np.dtype("i8")) | {name: dtype}
                    rounded = tuple(rule.rounded_in(types.__getitem__) for rule in rules)
                    if rounded != rules:
                        apart = f"({self._alone(rules, columns)}) <> ({self._alone(rounded, columns)})"
                        missed.append(f"typeof({quoted(columns[name])}) = '{kind}' AND {apart}")
        return {ROUNDED: " OR ".join(f"({each})" for each in missed)} if missed else {}
