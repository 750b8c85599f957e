"""Plans: what is done with a case, as one value; whatever a policy is asked, it answers with a plan.

A case is decided by a rule, or by the class with the largest weighted output; or a classifier's score, the
segment that it is in, or a lot says how to go on. Whoever holds a plan decides with it
(:mod:`rochull.decisions.deciding`), writes it in SQL (:mod:`rochull.decisions.sql`) or as a document
(:mod:`rochull.decisions.plan_schema`), and asks it what it needs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rochull._core.keys import Lots
from rochull._core.validation import Array
from rochull.conditions.rules import ALWAYS, NEVER, Action, OperatingPoint, Rule, Scores, SegmentedRule

if TYPE_CHECKING:
    from rochull.decisions.axes import Bins

Rows = Array | None  # int64 (m,) ascending numbers of rows; None for all of them
Mix = Sequence[tuple[Rule, float]]  # rules and their shares
DtypeOf = Callable[[Any], np.dtype[Any]]


class Cases(Protocol):
    """Cases that plans decide, and what is known of them."""

    lots: Lots
    dtype: type

    def every(self, rows: Rows) -> Array:
        """The rows (m,), all of them if none are named."""

    def scores(self, names: Iterable[Any], rows: Rows) -> Mapping[Any, Scores]:
        """The scores (m,) of some classifiers."""

    def by_rules(self, rules: Sequence[Rule], rows: Rows) -> list[Array]:
        """Actions (m,) by each of some rules."""

    def by_segment(self, mixes: Sequence[Mix], codes: Array, rows: Rows) -> Array:
        """Actions (m,) by the rules of the segment that each row is in, which are mixed in their shares."""

    def reached(self, name: Any, edges: Sequence[float], values: Array, rows: Array) -> Array:
        """How many of some edges each score (m,) reaches."""

    def place(self, among: Among, rows: Rows) -> Array:
        """The segment (m,) of each row; -1 for one that is in none."""

    def outputs(self, labels: Sequence[Any], rows: Rows) -> Array:
        """The outputs (m, C) of some classes."""


class PlanWriter(Protocol):
    """A writer of plans in SQL."""

    def rule(self, rule: Rule) -> Any:
        """A rule."""

    def ask(self, classifier: str, edges: Sequence[float], branches: Sequence[Plan]) -> Any:
        """One of several plans, by a classifier's score; FALSE where that is missing."""

    def lot(self, parts: Sequence[tuple[Plan, float]]) -> Any:
        """One of several plans in their shares, by the keys of the cases."""

    def among(self, parts: Bins, branches: Sequence[Plan], elsewhere: Plan | None) -> Any:
        """One of several plans, by the segment; NULL where a case is in none and there is none for it."""

    def largest(self, classes: Sequence[Any], weights: Sequence[float]) -> Any:
        """The class with the largest weighted output."""


class Plan(ABC):
    """A way to decide a case."""

    @property
    def later(self) -> tuple[Plan, ...]:
        """The plans that may follow."""
        return ()

    @property
    def own(self) -> tuple[Any, ...]:
        """The classifiers, or classes, whose scores are looked at here."""
        return ()

    @property
    def parts(self) -> Bins | None:
        """The bins that find a case's segment here."""
        return None

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        """The same with other plans that follow."""
        return self

    @abstractmethod
    def outcome(self, run: Cases, rows: Rows) -> Array:
        """Actions, or numbers of classes, of some rows (m,), all of whose scores may be looked at."""

    def follow(self, run: Cases, rows: Array, found: Array) -> Iterator[tuple[Plan, Array]]:
        """Write what is done with rows (m,) into `found`, or say how to go on with which of them."""
        found[rows] = self.outcome(run, rows)
        yield from ()

    @abstractmethod
    def to_sql(self, writer: PlanWriter) -> Any:
        """The decision as an expression."""

    def rounded_in(self, dtype_of: DtypeOf) -> Plan:
        """The same with thresholds rounded as scores may have been; see :meth:`Rule.rounded_in`."""
        return self.mapped(lambda plan: plan.rounded_in(dtype_of))

    # --- what it needs -------------------------------------------------------------------------

    def walk(self) -> Iterator[Plan]:
        """Yield the plan and all that may follow."""
        yield self
        for plan in self.later:
            yield from plan.walk()

    def rules(self) -> Iterator[Decide]:
        """Yield the rules that may decide a case."""
        yield from (plan for plan in self.walk() if isinstance(plan, Decide))

    @property
    def classifiers(self) -> tuple[Any, ...]:
        """All classifiers, or classes, whose scores may be needed, in their order."""
        return tuple(dict.fromkeys(name for plan in self.walk() for name in plan.own))

    @property
    def features(self) -> dict[Any, bool]:
        """The auxiliary columns that say in which segment a case is, and whether they hold texts."""
        every = (plan.parts for plan in self.walk())
        return {axis.column: axis.holds_texts for parts in every if parts is not None for axis in parts.axes}

    @property
    def asks(self) -> bool:
        """Whether a score decides which others are needed."""
        return any(isinstance(plan, Ask) for plan in self.walk())

    @property
    def is_of_rules(self) -> bool:
        """Whether it is a rule, or a lot between rules: the scores of all cases are read."""
        return False

    @property
    def is_mixed(self) -> bool:
        """Whether something is left to a lot."""
        return any(isinstance(plan, Lot) for plan in self.walk())

    @property
    def can_review(self) -> bool:
        """Whether some cases may be reviewed, so that decisions are words."""
        return any(isinstance(plan, Decide) and plan.rule.can_review for plan in self.walk())

    @property
    def refuses(self) -> bool:
        """Whether there are cases that it does not decide: of no segment, or with an unusable output."""
        return any(
            isinstance(plan, Largest) or (isinstance(plan, Among) and plan.elsewhere is None)
            for plan in self.walk()
        )

    @property
    def classes(self) -> tuple[Any, ...]:
        """The labels that are decided for, where there are several classes."""
        return next((plan.labels for plan in self.walk() if isinstance(plan, Largest)), ())

    # --- what becomes of it --------------------------------------------------------------------

    def drawn(self) -> tuple[Plan, ...]:
        """The plans between which the lots decide, one for each place among the parts of a lot."""
        most = max((len(plan.shares) for plan in self.walk() if isinstance(plan, Lot)), default=1)
        return tuple(_drawn(self, place) for place in range(most))

    def needing(self, classifier: Any) -> Plan:
        """A plan by which exactly those cases are positive whose score of a classifier is read here."""
        if classifier in self.own:
            return Decide(ALWAYS)
        return self.mapped(lambda plan: plan.needing(classifier)) if self.later else Decide(NEVER)

    def elsewhere_alone(self) -> Plan | None:
        """A plan by which exactly those cases are positive that are in no segment and are decided."""
        return None

    def with_elsewhere(self, other: Plan) -> Plan:
        """The same, where cases that are in no segment, and were refused, are decided by another plan."""
        found = self.mapped(lambda plan: plan.with_elsewhere(other))
        if isinstance(found, Among) and found.elsewhere is None:
            return replace(found, elsewhere=other)
        return found


def _drawn(plan: Plan, place: int) -> Plan:
    if isinstance(plan, Lot):
        return _drawn(plan.later[min(place, len(plan.later) - 1)], place)
    return plan.mapped(lambda later: _drawn(later, place))


@dataclass(frozen=True)
class Decide(Plan):
    """Decide by a rule."""

    rule: Rule

    @property
    def own(self) -> tuple[Any, ...]:
        return self.rule.classifiers

    @property
    def classifiers(self) -> tuple[Any, ...]:
        return tuple(dict.fromkeys(self.rule.classifiers))  # nothing follows: services decide case by case

    @property
    def can_review(self) -> bool:
        return self.rule.can_review

    @property
    def is_of_rules(self) -> bool:
        return True

    def outcome(self, run: Cases, rows: Rows) -> Array:
        return run.by_rules([self.rule], rows)[0]

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.rule(self.rule)

    def rounded_in(self, dtype_of: DtypeOf) -> Plan:
        return Decide(self.rule.rounded_in(dtype_of))

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
    def own(self) -> tuple[Any, ...]:
        return (self.classifier,)

    @property
    def later(self) -> tuple[Plan, ...]:
        return self.branches

    def outcome(self, run: Cases, rows: Rows) -> Array:
        raise AssertionError("what asks is followed")  # pragma: no cover

    def follow(self, run: Cases, rows: Array, found: Array) -> Iterator[tuple[Plan, Array]]:
        scores = run.scores(self.own, rows)[self.classifier]
        here = scores.present
        found[rows[~here]] = Action.NEGATIVE
        at = run.reached(self.classifier, self.edges, scores.values[here], rows[here])
        yield from rows_by_plan(at, len(self.branches), rows[here], self.branches)

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        return asked(self.classifier, self.edges, [change(branch) for branch in self.branches], False)

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.ask(self.classifier, self.edges, self.branches)

    def __str__(self) -> str:
        ends = [*(f"{self.classifier} < {edge:.6g}" for edge in self.edges), "else"]
        return "; ".join(
            f"{end}: ({branch})" if isinstance(branch, Ask) else f"{end}: {branch}"
            for end, branch in zip(ends, self.branches, strict=True)
        )


@dataclass(frozen=True)
class Lot(Plan):
    """Go on by one of several plans, each for its share of the cases; made by :func:`lot`."""

    plans: tuple[Plan, ...]
    shares: tuple[float, ...]

    @property
    def later(self) -> tuple[Plan, ...]:
        return self.plans

    @property
    def is_of_rules(self) -> bool:
        return all(isinstance(plan, Decide) for plan in self.plans)

    def outcome(self, run: Cases, rows: Rows) -> Array:
        if self.is_of_rules:  # lots are drawn where the rules differ
            outcomes = run.by_rules([plan.rule for plan in self.plans if isinstance(plan, Decide)], rows)
            return run.lots.mixed(outcomes, self.shares, rows)
        every = run.every(rows)
        found: Array = np.zeros(every.size, run.dtype)
        which = run.lots.chosen(self.shares, every)
        for plan, own in rows_by_plan(which, len(self.later), np.arange(every.size), self.later):
            found[own] = plan.outcome(run, every[own])
        return found

    def follow(self, run: Cases, rows: Array, found: Array) -> Iterator[tuple[Plan, Array]]:
        yield from rows_by_plan(run.lots.chosen(self.shares, rows), len(self.later), rows, self.later)

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        return lot(zip(map(change, self.later), self.shares, strict=True))

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.lot(tuple(zip(self.later, self.shares, strict=True)))

    def __str__(self) -> str:
        return " or ".join(
            f"{plan} ({100 * share:.3g}%)" for plan, share in zip(self.later, self.shares, strict=True)
        )


@dataclass(frozen=True)
class Among(Plan):
    """Go on by the segment that a case is in; those in none are refused where `elsewhere` is None."""

    bins: Bins
    branches: tuple[Plan, ...]
    elsewhere: Plan | None = None

    def __post_init__(self) -> None:
        if len(self.branches) != len(self.bins):
            raise ValueError(f"there are {len(self.bins)} segments, but {len(self.branches)} plans.")

    @property
    def parts(self) -> Bins | None:
        return self.bins

    @property
    def later(self) -> tuple[Plan, ...]:
        return self.branches if self.elsewhere is None else (*self.branches, self.elsewhere)

    def outcome(self, run: Cases, rows: Rows) -> Array:
        codes = run.place(self, rows)
        if all(plan.is_of_rules for plan in self.later) and not self.can_review:
            return run.by_segment([rules_of(plan) for plan in self.later], codes, rows)
        every = run.every(rows)
        found: Array = np.zeros(every.size, run.dtype)
        for plan, own in rows_by_plan(self._known(codes), len(self.later), np.arange(every.size), self.later):
            found[own] = plan.outcome(run, every[own])
        return found

    def follow(self, run: Cases, rows: Array, found: Array) -> Iterator[tuple[Plan, Array]]:
        yield from rows_by_plan(self._known(run.place(self, rows)), len(self.later), rows, self.later)

    def elsewhere_alone(self) -> Plan | None:
        if self.elsewhere is None:
            return None
        return Among(self.bins, (Decide(NEVER),) * len(self.branches), Decide(ALWAYS))

    def _known(self, codes: Array) -> Array:
        return np.where(codes < 0, len(self.later) - 1, codes)

    def mapped(self, change: Callable[[Plan], Plan]) -> Plan:
        elsewhere = None if self.elsewhere is None else change(self.elsewhere)
        return Among(self.bins, tuple(map(change, self.branches)), elsewhere)

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.among(self.bins, self.branches, self.elsewhere)

    def __str__(self) -> str:
        named = zip((*self.bins.labels, "elsewhere"), self.later, strict=False)
        return "; ".join(f"{name}: {plan}" for name, plan in named)


@dataclass(frozen=True)
class Largest(Plan):
    """Decide for the class with the largest product of weight and output, the first of several."""

    labels: tuple[Any, ...]
    weights: tuple[float, ...]

    @property
    def own(self) -> tuple[Any, ...]:
        return self.labels

    def outcome(self, run: Cases, rows: Rows) -> Array:
        outputs = run.outputs(self.labels, rows)
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.argmax(np.array(self.weights) * outputs, axis=1))

    def to_sql(self, writer: PlanWriter) -> Any:
        return writer.largest(self.labels, self.weights)

    def __str__(self) -> str:
        named = zip(self.labels, self.weights, strict=True)
        return f"largest of {', '.join(f'{weight:.6g} x {label}' for label, weight in named)}"


def rows_by_plan(at: Array, size: int, rows: Array, plans: Sequence[Plan]) -> Iterator[tuple[Plan, Array]]:
    """Yield each plan with its rows, where `at` (m,) says which of them is that of each of `rows` (m,)."""
    order = np.argsort(at.astype(np.int16) if size < 1 << 15 else at, kind="stable")  # rows stay ascending
    ends = np.searchsorted(at[order], np.arange(size + 1))
    own = rows[order]
    for plan, (begin, end) in zip(plans, pairwise(ends.tolist()), strict=True):
        if end > begin:
            yield plan, own[begin:end]


# --- how plans are made ------------------------------------------------------------------------------


def asked(classifier: str, edges: Sequence[float], branches: Sequence[Plan], whole: bool = True) -> Plan:
    """The plan with equal neighbours merged; if `whole`, a rule where all of them are one."""
    kept = [i for i, pair in enumerate(pairwise(branches)) if pair[0] != pair[1]]
    own = (*(branches[i] for i in kept), branches[-1])
    only = own[0] if not kept else None
    if only == Decide(NEVER) or (whole and isinstance(only, Decide) and only.own in ((), (classifier,))):
        return only
    return Ask(classifier, tuple(edges[i] for i in kept), own)


def lot(parts: Iterable[tuple[Plan, float]]) -> Plan:
    """One of some plans in given shares; the plan itself, where all are the same."""
    plans, shares = zip(*parts, strict=True)
    return plans[0] if len(plans) == 1 or all(plan == plans[0] for plan in plans[1:]) else Lot(plans, shares)


def rules_of(plan: Plan) -> tuple[tuple[Rule, float], ...]:
    """The rules of a plan that is a rule, or a lot between rules, and their shares."""
    if isinstance(plan, Decide):
        return ((plan.rule, 1.0),)
    assert isinstance(plan, Lot)
    pairs = zip(plan.later, plan.shares, strict=True)
    return tuple((later.rule, share) for later, share in pairs if isinstance(later, Decide))


def plan_of(answer: Any) -> Plan:
    """The plan of what was found for a condition: a plan, an operating point, or what holds one as `plan`."""
    if isinstance(answer, OperatingPoint):
        return lot((Decide(rule), share) for rule, share in answer.rules)
    found: Plan = answer if isinstance(answer, Plan) else answer.plan
    return found


def among_of(point: OperatingPoint, bins: Bins, names: Sequence[Hashable]) -> Among:
    """The plan of an operating point whose rules differ by segment.

    They call the segments of the bins by `names`; one more may be that of cases elsewhere.
    """
    shares = [share for _, share in point.rules]
    every = [_by_segment(rule, tuple(names)) for rule, _ in point.rules]
    plans = [lot(zip(map(Decide, own), shares, strict=True)) for own in zip(*every, strict=True)]
    return Among(bins, tuple(plans[: len(bins)]), plans[len(bins)] if len(plans) > len(bins) else None)


def _by_segment(rule: Rule, names: tuple[Hashable, ...]) -> Sequence[Rule]:
    if not isinstance(rule, SegmentedRule):
        return (rule,) * len(names)
    return rule.rules if rule.segments == names else [rule.of(name) for name in names]


def in_the_name_of(point: OperatingPoint, classifiers: Sequence[str], place: str) -> OperatingPoint:
    """The point; a rule without a name is that of the only classifier. `place` is what messages call it."""
    for rule, _ in point.rules:
        if rule.differs_by_segment:
            raise ValueError(f"{place}: the rule {str(rule)!r} is of several segments.")
        if rule.is_nameless and len(classifiers) != 1:
            raise ValueError(f"{place}: the rule {str(rule)!r} does not name its classifier.")
    return point.named(classifiers[0]) if any(rule.is_nameless for rule, _ in point.rules) else point
