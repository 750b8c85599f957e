"""What a cascade does with a case: decide it, ask a classifier, or draw a lot between two ways to go on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from rochull._core.keys import Lots
from rochull._core.validation import Array
from rochull.conditions.rules import ALWAYS, NEVER, Action, Rule, Scores


class PlanWriter(Protocol):
    """What writes plans in SQL."""

    def rule(self, rule: Rule) -> Any:
        """A rule."""

    def ask(self, classifier: str, edges: Sequence[float], branches: Sequence[Any]) -> Any:
        """One of several expressions, by a classifier's score; FALSE where that is missing."""

    def lot(self, first: Any, second: Any, share: float) -> Any:
        """The second expression for a share of the cases, by their keys."""


class Plan(ABC):
    """What is done with a case."""

    @property
    @abstractmethod
    def reads(self) -> str | None:
        """The classifier whose score is looked at first; None if there is none."""

    @property
    @abstractmethod
    def later(self) -> tuple[Plan, ...]:
        """What may follow."""

    @abstractmethod
    def follow(
        self, rows: Array, scores: Scores | None, lots: Lots, found: Array
    ) -> Iterator[tuple[Plan, Array]]:
        """Write the actions of rows (m,) into `found`, or say what is done with which of them next."""

    @abstractmethod
    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        """The same with other plans that follow."""

    @abstractmethod
    def to_sql(self, writer: PlanWriter) -> Any:
        """The decision as an expression."""

    @property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers that may be read, in their order."""
        own = () if self.reads is None else (self.reads,)
        return tuple(dict.fromkeys((*own, *(name for plan in self.later for name in plan.classifiers))))

    @property
    def is_mixed(self) -> bool:
        """Whether something is left to a lot."""
        return any(plan.is_mixed for plan in self.later)

    def needing(self, classifier: str) -> Plan:
        """A plan by which exactly those cases are positive whose score of a classifier is read here."""
        if self.reads == classifier:
            return Decide(ALWAYS)
        return self.mapped(lambda plan: plan.needing(classifier)) if self.later else Decide(NEVER)


@dataclass(frozen=True)
class Decide(Plan):
    """Decide by a rule."""

    rule: Rule

    @property
    def reads(self) -> str | None:
        return self.rule.classifier

    @property
    def later(self) -> tuple[Plan, ...]:
        return ()

    def follow(
        self, rows: Array, scores: Scores | None, lots: Lots, found: Array
    ) -> Iterator[tuple[Plan, Array]]:
        def scores_of(classifier: str | None) -> Scores:
            assert scores is not None
            return scores

        found[rows] = self.rule.outcome(rows.size, scores_of)
        yield from ()

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        return self

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.rule(self.rule)

    def __str__(self) -> str:
        return str(self.rule)


@dataclass(frozen=True)
class Ask(Plan):
    """Go on by a classifier's score: branch i is of ``edges[i - 1] <= score < edges[i]``.

    A case whose score is missing is called negative, as a missing score passes no threshold.
    """

    classifier: str
    edges: tuple[float, ...]
    branches: tuple[Plan, ...]

    @property
    def reads(self) -> str | None:
        return self.classifier

    @property
    def later(self) -> tuple[Plan, ...]:
        return self.branches

    def follow(
        self, rows: Array, scores: Scores | None, lots: Lots, found: Array
    ) -> Iterator[tuple[Plan, Array]]:
        assert scores is not None
        here = scores.present
        found[rows[~here]] = Action.NEGATIVE
        at = np.searchsorted(np.array(self.edges), scores.values[here], side="right")
        order = np.argsort(at.astype(np.int16), kind="stable")  # by radix; rows stay ascending
        ends = np.searchsorted(at[order], np.arange(len(self.branches) + 1))
        there = rows[here][order]
        for branch, (begin, end) in zip(self.branches, pairwise(ends.tolist()), strict=True):
            if end > begin:
                yield branch, there[begin:end]

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        return asked(self.classifier, self.edges, [change(branch) for branch in self.branches], False)

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.ask(self.classifier, self.edges, [branch.to_sql(writer) for branch in self.branches])

    def __str__(self) -> str:
        ends = [*(f"{self.classifier} < {edge:.6g}" for edge in self.edges), "else"]
        return "; ".join(
            f"{end}: ({branch})" if isinstance(branch, Ask) else f"{end}: {branch}"
            for end, branch in zip(ends, self.branches, strict=True)
        )


@dataclass(frozen=True)
class Lot(Plan):
    """Go on by the second plan for a share of the cases, by the first for the others."""

    first: Plan
    second: Plan
    share: float

    @property
    def reads(self) -> str | None:
        return None

    @property
    def later(self) -> tuple[Plan, ...]:
        return self.first, self.second

    @property
    def is_mixed(self) -> bool:
        return True

    def follow(
        self, rows: Array, scores: Scores | None, lots: Lots, found: Array
    ) -> Iterator[tuple[Plan, Array]]:
        second = lots.chosen([1 - self.share, self.share], rows).astype(bool)
        yield self.first, rows[~second]
        yield self.second, rows[second]

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        first, second = change(self.first), change(self.second)
        return first if first == second else Lot(first, second, self.share)

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.lot(self.first.to_sql(writer), self.second.to_sql(writer), self.share)

    def __str__(self) -> str:
        return f"{self.first} ({100 - 100 * self.share:.3g}%) or {self.second} ({100 * self.share:.3g}%)"


def asked(classifier: str, edges: Sequence[float], branches: Sequence[Plan], whole: bool = True) -> Plan:
    """The plan with equal neighbours merged; if `whole`, a rule where all of them are one."""
    kept = [i for i, pair in enumerate(pairwise(branches)) if pair[0] != pair[1]]
    own = (*(branches[i] for i in kept), branches[-1])
    only = own[0] if not kept else None
    if only == Decide(NEVER) or (whole and isinstance(only, Decide) and only.reads in (None, classifier)):
        return only
    return Ask(classifier, tuple(edges[i] for i in kept), own)


def actions(
    plan: Plan, classifiers: Sequence[str], fetch: Callable[[str, Array], Scores], lots: Lots
) -> Array:
    """Actions (n,) by a plan; `fetch` gives the scores of a classifier for ascending rows, once for each.

    A classifier is asked when it is known of all cases whether they need it: after those before it.
    """
    found = np.zeros(lots.size, np.int8)
    waiting: list[tuple[Plan, Array]] = [(plan, np.arange(lots.size))]
    for name in (None, *classifiers):
        own = [each for each in waiting if each[0].reads == name]
        waiting = [each for each in waiting if each[0].reads != name]
        rows = np.sort(np.concatenate([part for _, part in own])) if own else np.arange(0)
        scores = fetch(name, rows) if name is not None and own else None
        while own:
            each, part = own.pop()
            given = None
            if scores is not None and each.reads is not None:
                given = scores.at(np.searchsorted(rows, part))
            for further in each.follow(part, given, lots, found):
                (own if further[0].reads in (None, name) else waiting).append(further)
    return found
