"""How a plan decides cases: whatever it is of, in whatever table they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core.keys import Lots
from rochull._core.messages import Item, Message
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import Rule, Scores, outcome_by_row
from rochull.decisions.outputs import ClassOutputs
from rochull.decisions.plans import Among, Mix, Plan, Rows
from rochull.decisions.score_columns import ROUNDED, missing_in

Needs = Mapping[Any, Rows]  # for each classifier the rows whose scores are needed
_WIDE = np.dtype(float)
_NONE = ", which pass no threshold"
_ASKED = " where it is asked; these cases are negative"


class Run:
    """Cases that a plan decides.

    Attributes
    ----------
    size : how many cases.
    lots : what stands in for chance.
    fetch : given what is needed, the scores of these rows; a classifier may be left out if no row needs it.
    codes : given a plan, the segment (n,) of each case; -1 for one that is in none.
    outputs : of several classes.
    dtype : of actions, or of numbers of classes.
    missing : how many scores that were needed are missing, by classifier.
    """

    def __init__(
        self,
        size: int,
        lots: Lots,
        fetch: Callable[[Needs], Mapping[Any, Scores]],
        codes: Callable[[Among], Array] | None = None,
        outputs: ClassOutputs | None = None,
    ) -> None:
        self.size, self.lots, self._fetch = size, lots, fetch
        self._codes, self._outputs = codes, outputs
        self._held: dict[Any, tuple[Array, Scores]] = {}
        self.missing: dict[Any, int] = {}
        self._rounded: Array | None = None
        self.dtype: type = np.int8 if outputs is None else np.intp

    def decided(self, plan: Plan) -> Array:
        """Decide every case (n,): actions, or the numbers of classes; with warnings."""
        if plan.is_of_rules:
            found = plan.outcome(self, None)
        else:
            found = self._followed(plan) if plan.asks else plan.outcome(self, None)
        warn_of_scores(plan, self.missing, self.rounded, self.size)
        return found

    @property
    def rounded(self) -> int:
        """How many cases miss a threshold because their scores were rounded."""
        return 0 if self._rounded is None else int(np.count_nonzero(self._rounded))

    def _followed(self, plan: Plan) -> Array:
        """Step by step: a classifier is asked when it is known of all cases whether they need it."""
        found: Array = np.zeros(self.size, self.dtype)
        waiting = [_Step(plan, np.arange(self.size), frozenset())]
        while waiting:
            ready = [step for step in waiting if not step.left]
            waiting = [step for step in waiting if step.left]
            for step in ready:
                further = step.plan.follow(self, step.rows, found)
                waiting += [_Step(then, rows, step.read) for then, rows in further]
            if not ready:
                name = _next(waiting)
                self._hold(name, np.sort(np.concatenate([s.rows for s in waiting if name in s.left])))
                waiting = [replace(s, read=s.read | {name}) if name in s.left else s for s in waiting]
        return found

    def _hold(self, name: Any, rows: Array) -> None:
        """Fetch the scores of a classifier that some rows need."""
        before = self._held.pop(name, None)
        rows = rows if before is None else np.union1d(rows, before[0])
        self._held[name] = rows, self._scored({name: rows})[name]

    # --- what plans ask for --------------------------------------------------------------------

    def every(self, rows: Rows) -> Array:
        """The rows (m,), all of them if none are named."""
        return np.arange(self.size) if rows is None else rows

    def scores(self, names: Iterable[Any], rows: Rows) -> dict[Any, Scores]:
        """The scores (m,) of some classifiers."""
        if not self._held:
            return dict(self._scored(dict.fromkeys(names, rows)))
        held = {name: self._held[name] for name in names if name in self._held}
        found = {
            name: scores.at(np.searchsorted(there, self.every(rows)))
            for name, (there, scores) in held.items()
        }
        needs = {name: rows for name in names if name not in held}
        return {**found, **self._scored(needs)} if needs else found

    def _scored(self, needs: Needs) -> Mapping[Any, Scores]:
        found = self._fetch(needs)
        for name, scores in found.items():
            if count := missing_in(scores):
                self.missing[name] = self.missing.get(name, 0) + count
        return found

    def by_rules(self, rules: Sequence[Rule], rows: Rows) -> list[Array]:
        """Actions (m,) by each of some rules."""
        scores = self.scores([name for rule in rules for name in rule.classifiers], rows)
        size, found = self.size if rows is None else rows.size, []
        for rule in rules:
            found.append(rule.outcome(size, scores.__getitem__))
            rounded = rule.rounded_in(lambda name: scores[name].values.dtype)
            if rounded is not rule and rounded != rule:
                other = rounded.outcome(size, scores.__getitem__)
                if other.tobytes() != found[-1].tobytes():
                    self._round(rows, found[-1] != other)
        return found

    def by_segment(self, mixes: Sequence[Mix], codes: Array, rows: Rows) -> Array:
        """Actions (m,) by the rules of the segment that each row is in, which are mixed in their shares."""
        draws = [[mix[min(place, len(mix) - 1)][0] for mix in mixes] for place in range(max(map(len, mixes)))]
        here = {name: np.flatnonzero(own[codes]) for name, own in needing(zip(*draws, strict=True)).items()}
        wanted = here if rows is None else {name: rows[own] for name, own in here.items()}
        scored = {name: (here[name], scores) for name, scores in self._scored(wanted).items()}
        outcomes = [outcome_by_row(rules, codes, scored) for rules in draws]
        dtypes = {name: scores.values.dtype for name, (_, scores) in scored.items()}
        for rules, found in zip(draws, outcomes, strict=True):
            rounded = [rule.rounded_in(lambda name: dtypes.get(name, _WIDE)) for rule in rules]
            if rounded != rules:
                self._round(rows, found != outcome_by_row(rounded, codes, scored))
        return self._mixed(outcomes, [tuple(share for _, share in mix) for mix in mixes], codes, rows)

    def _mixed(
        self, outcomes: list[Array], shares: list[tuple[float, ...]], codes: Array, rows: Rows
    ) -> Array:
        found = outcomes[0]
        each = [own for own in dict.fromkeys(shares) if len(own) > 1]
        if len(each) == 1:  # where a segment has one rule, all outcomes are the same
            return self.lots.mixed(outcomes, each[0], rows)
        for own in each:
            here = np.flatnonzero(np.array([other == own for other in shares])[codes])
            mixed = [outcome[here] for outcome in outcomes[: len(own)]]
            found = found.copy()
            found[here] = self.lots.mixed(mixed, own, here if rows is None else rows[here])
        return found

    def _round(self, rows: Rows, apart: Array) -> None:
        if apart.any():
            self._rounded = np.zeros(self.size, bool) if self._rounded is None else self._rounded
            self._rounded[slice(None) if rows is None else rows] |= apart

    def reached(self, name: Any, edges: Sequence[float], values: Array, rows: Array) -> Array:
        """How many of some edges each score (m,) reaches."""
        found = np.searchsorted(np.array(edges), values, side="right")
        rules = (Rule("threshold", name, edge).rounded_in(lambda _: values.dtype) for edge in edges)
        rounded = [rule.threshold for rule in rules]
        if rounded != list(edges):
            self._round(rows, found != np.searchsorted(np.array(rounded), values, side="right"))
        return found

    def place(self, among: Among, rows: Rows) -> Array:
        """The segment (m,) of each row; -1 for one that is in none."""
        assert self._codes is not None
        codes = self._codes(among)
        return codes if rows is None else codes[rows]

    def outputs(self, labels: Sequence[Any], rows: Rows) -> Array:
        """The outputs (m, C) of some classes."""
        assert self._outputs is not None
        return self._outputs.at(labels, rows)


def warn_of_scores(plan: Plan, missing: Mapping[Any, int], rounded: int, size: int) -> None:
    """Warn of scores that are missing where they are needed, and of rounded ones, among so many cases."""
    told = (
        next((step.bins.missing for step in plan.walk() if isinstance(step, Among)), _NONE) if missing else ""
    )
    for name, count in missing.items():
        warn(
            Message("{} has {} missing values{}.", Item("scores", name), count, _ASKED if plan.asks else told)
        )
    if rounded:
        warn(ROUNDED.format(count=rounded, rows=size))


def needing(rules: Iterable[Iterable[Rule]]) -> dict[str, Array]:
    """For each classifier, in which segments (s,) some of their rules has a threshold of its scores."""
    every = list(map(list, rules))
    names = dict.fromkeys(name for own in every for rule in own for name in rule.classifiers)
    return {
        name: np.array([any(name in rule.classifiers for rule in own) for own in every]) for name in names
    }


@dataclass(frozen=True, eq=False)
class _Step:
    """A plan for some rows, and the classifiers whose scores have been read for these."""

    plan: Plan
    rows: Array
    read: frozenset[Any]

    @property
    def left(self) -> tuple[Any, ...]:
        """The classifiers whose scores it waits for."""
        return tuple(name for name in self.plan.own if name not in self.read)


def _next(waiting: Sequence[_Step]) -> Any:
    """A classifier that is waited for and that no other case can come to need later."""
    names = dict.fromkeys(name for step in waiting for name in step.left)
    behind = {
        name
        for step in waiting
        for name in step.plan.classifiers
        if name not in step.left and name not in step.read
    }
    return next((name for name in names if name not in behind), next(iter(names)))
