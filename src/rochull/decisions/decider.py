"""A plan on a table: which of its columns are read, and what cases are decided or how that is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.keys import Lots
from rochull._core.messages import Item, Refusal, refused
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import OperatingPoint, Scores, decisions_of
from rochull.decisions.axes import Bins
from rochull.decisions.deciding import Needs, Run
from rochull.decisions.outputs import ClassOutputs
from rochull.decisions.plans import Among, Plan, in_the_name_of, plan_of
from rochull.decisions.score_columns import (
    ScoreColumns,
    fetched,
    key_column,
    of_policy,
    renamed,
    same_size,
)

Watched = Callable[[ScoreColumns, Array], Any]


@dataclass(frozen=True, eq=False)
class Read:
    """Cases whose scores are looked at where they are needed.

    Attributes
    ----------
    plan : what decides them all.
    scores : what holds, or gives, their scores.
    codes : by bins, the segment (n,) of each case.
    outputs : of several classes.
    other : what tells how many cases there are.
    lots : what stands in for chance.
    """

    plan: Plan
    scores: Any
    codes: Mapping[Bins, Array]
    outputs: ClassOutputs | None
    other: str
    lots: Lots

    def run(self) -> Run:
        """The cases, to be decided."""
        return Run(self.lots.size, self.lots, self._fetch, lambda among: self.codes[among.bins], self.outputs)

    def known_of_all(self, classifiers: Sequence[Any]) -> ScoreColumns:
        """The scores that are there of all cases, without asking for more."""
        named = None if callable(self.scores) or self.outputs else named_columns(self.scores, "scores")
        names = [name for name in classifiers if not callable((named or {}).get(name, callable))]
        held = ScoreColumns({name: (named or {})[name] for name in names}, names)
        held.size, held.cases = self.lots.size, self.run()
        return held

    def _fetch(self, needs: Needs) -> dict[Any, Scores]:
        size = self.lots.size
        rows = {name: np.arange(size) if own is None else own for name, own in needs.items()}
        return fetched(self.scores, rows, size, self.other)


@dataclass(frozen=True)
class PlanDecider:
    """A policy's knowledge of the tables that its plans decide.

    Attributes
    ----------
    classifiers : the classifiers, or classes, of which a table may have scores.
    features : the auxiliary columns that tell segments.
    salt : goes before a key when it is hashed.
    """

    classifiers: tuple[Any, ...]
    features: tuple[Any, ...]
    salt: str

    @property
    def known(self) -> tuple[Any, ...]:
        """All names that may have a column of another name."""
        return (*self.classifiers, *(name for name in self.features if name not in self.classifiers))

    @property
    def what(self) -> str:
        """The kind of these names, for messages."""
        return f"a classifier{' or an auxiliary column' * bool(self.features)} of the policy"

    def decided(
        self,
        plan: Plan,
        scores: Any,
        *,
        key: Any = None,
        random_state: Any = None,
        columns: Mapping[Any, Any] | None = None,
        aux: Any = None,
        unseen: Any = None,
        watched: Watched | None = None,
    ) -> Array:
        """Decide every case by a plan, for the user; `watched` sees the scores and the decisions."""
        if plan.is_of_rules:
            key = key_column(key, scores, aux=aux)
            scores = renamed(scores, columns, self.classifiers)
            held = ScoreColumns(scores, plan.classifiers, len(self.classifiers) < 2)
            lots = Lots(key, self.salt, random_state, held.size)
            decided = decisions_of(Run(held.size, lots, held.fetch).decided(plan), plan.can_review)
            if watched is not None:
                watched(held, decided)
            return decided
        read = self.read(
            plan, scores, aux=aux, key=key, random_state=random_state, columns=columns, unseen=unseen
        )
        found = read.run().decided(read.plan)
        decided = labels_of(plan)[found] if plan.classes else decisions_of(found, plan.can_review)
        if watched is not None:
            watched(read.known_of_all(self.classifiers), decided)
        return decided

    def read(
        self,
        plan: Plan,
        scores: Any,
        *,
        aux: Any = None,
        key: Any = None,
        random_state: Any = None,
        columns: Mapping[Any, Any] | None = None,
        unseen: Any = None,
    ) -> Read:
        """Read cases in segments, of several classes, or whose scores are asked for step by step."""
        key = key_column(key, scores, aux=aux)
        scores, aux = self._tables(plan, scores, aux, columns or {})
        outputs = ClassOutputs.of(scores, plan.classes) if plan.classes else None
        codes: dict[Bins, Array] = {}
        for among in (step for step in plan.walk() if isinstance(step, Among)):
            codes[among.bins] = among.bins.assign(aux)
            plan = self._known(plan, among, codes[among.bins], aux, unseen)
        if codes:
            size, other = next((own.size, bins.what) for bins, own in codes.items())
        elif outputs is None:
            size, other = self._size(plan, scores), "the first classifier's column"
        else:
            size, other = len(outputs.matrix), "outputs"
        if outputs is not None:
            same_size(len(outputs.matrix), size, "outputs", other)
        return Read(plan, scores, codes, outputs, other, Lots(key, self.salt, random_state, size))

    def _size(self, plan: Plan, scores: Any) -> int:
        """How many cases there are, of which the first classifier asked has all scores."""
        first = (*self.classifiers, *plan.classifiers)[0]
        named = named_columns(scores, "scores")
        if named is None:
            raise refused("scores", "must have a column for each of {}.", list(self.classifiers))
        if first not in named:
            raise no_column("scores", first, named, ", whose scores all cases have")
        if callable(named[first]):
            raise Refusal("{} must hold the scores of all cases, not a function.", Item("scores", first))
        return len(named[first])

    def _known(self, plan: Plan, among: Among, codes: Array, aux: Any, unseen: Any) -> Plan:
        """The plan for cases of which some may be in no segment: refused, or decided with a warning."""
        if unseen not in (None, "warn", "raise") and not isinstance(unseen, OperatingPoint):
            raise refused("unseen", "must be 'warn', 'raise' or an operating point, but is {}.", repr(unseen))
        strangers = among.bins.strangers(codes, aux)
        if strangers is None:
            return plan
        if isinstance(unseen, OperatingPoint):
            warn(strangers.decided("unseen"))
            return plan.with_elsewhere(plan_of(in_the_name_of(unseen, self.classifiers, "unseen")))
        if unseen == "raise" or among.elsewhere is None:
            raise Refusal(strangers.refused)
        warn(strangers.decided("the rule for cases elsewhere"))
        return plan

    def _tables(self, plan: Plan, scores: Any, aux: Any, columns: Mapping[Any, str]) -> tuple[Any, Any]:
        """Scores and auxiliary features, their columns called as in the policy."""
        own, known = self.features, self.known
        columns = of_policy(columns, known, self.what)
        if aux is None and own and named_columns(scores, "scores") is None:
            what = next((step.bins.what for step in plan.walk() if isinstance(step, Among)), "aux")
            raise ValueError(f"{what} is needed: scores has no column {own[0]!r}, for it has no names.")
        if aux is None:
            both = renamed(scores, columns, known)
            return both, both
        of_scores = {name: column for name, column in columns.items() if name not in own}
        of_aux = {name: column for name, column in columns.items() if name in own}
        return renamed(scores, of_scores, known), renamed(aux, of_aux, known)

    def expressed(
        self, plan: Plan, dialect: str, *, key: Any = None, columns: Mapping[Any, Any] | None = None
    ) -> str:
        """The plan as one SQL expression."""
        from rochull.decisions import sql

        known = tuple(dict.fromkeys((*self.known, *plan.classifiers)))
        named = of_policy(columns or {}, known, self.what)
        return sql.expression(plan, dialect, salt=self.salt, key=key, columns=named)


def labels_of(plan: Plan) -> Array:
    """Labels as an array (C,): of their own type if they share one, else of objects."""
    labels: Sequence[Any] = plan.classes
    if len({type(label) for label in labels}) == 1 and isinstance(labels[0], (str, int, float)):
        return np.array(labels)
    found = np.empty(len(labels), object)
    found[:] = labels
    return found
