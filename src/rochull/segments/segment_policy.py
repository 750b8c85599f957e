"""Deployed thresholds that vary by segment: a validated JSON document that decides.

The document holds numbers and names, never code. What it holds of every segment is the rule along the hull's
vertices, written where it changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.cached import cached_property
from rochull._core.docstrings import entries
from rochull._core.documents import check_texts
from rochull._core.keys import Lots
from rochull._core.messages import Item, Message, Parameter, Refusal, refused
from rochull._core.table_errors import a_type
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.conditions.capacity import Capacity
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule, SegmentedRule, decisions_of
from rochull.decisions import ladders, questions
from rochull.decisions.axes import Axis, Bins
from rochull.decisions.batch_check import checked_choice
from rochull.decisions.decider import PlanDecider
from rochull.decisions.guard import Watch
from rochull.decisions.plan_kinds import SegmentKind
from rochull.decisions.plans import Among, Decide, among_of
from rochull.hull.hull import RocHull
from rochull.hull.strata import stratify
from rochull.policies.deployed import Deployed
from rochull.policies.learnt import kinds_of_segments, watch_of_rates
from rochull.policies.ranking import Ranking
from rochull.segments.batches import Batch
from rochull.segments.queue import Queue, cases_by_segment
from rochull.segments.rules import (
    NOBODY,
    RuleTable,
    TableOwners,
    table_along,
    tables_of,
    tables_of_stratified,
)
from rochull.segments.segment_schema import SEGMENT_POLICY, contents_of, policy_hull

_ONLY_CLASSIFIER = "score"


@dataclass(frozen=True, eq=False)
class SegmentPolicy(Deployed):
    """Rules for every segment of a population, ready to decide under conditions given at run time.

    Made by :meth:`ErrorRedistribution.policy` or :meth:`from_hulls`.

    Attributes
    ----------
    hull : RocHull
        The operating points; their rates were measured on the data that made them (in-sample). The rule
        of a vertex is a :class:`SegmentedRule`.
    bins : Bins
        Which segment a case belongs to.
    salt : str
        Mixed into the hash of keys, so that two policies do not randomise alike.
    about : dict of str to str
        Free text on where it comes from.

    Examples
    --------
    >>> import rochull as rh
    >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
    >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    >>> policy = rh.segments.SegmentPolicy.from_hulls({"easy": easy, "hard": hard}, column="kind")
    >>> policy.thresholds(rh.ExpectedCost(cost_fp=3, prevalence=0.5))
    {'easy': 3.0, 'hard': 8.0}
    >>> kinds = {"kind": ["easy", "hard", "hard"]}
    >>> policy.decide([5, 5, 9], rh.ExpectedCost(cost_fp=3, prevalence=0.5), aux=kinds).tolist()
    [True, False, True]
    """

    parameters_told = entries("-> SegmentPolicy\n    Ready to decide.")
    schema = SEGMENT_POLICY
    _assured_otherwise = (
        "thresholds by segment keep no such limit: leave it out, or take one threshold for all."
    )

    hull: RocHull
    bins: Bins
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_hulls(
        cls,
        hulls: Mapping[Any, RocHull],
        *,
        column: str | int,
        elsewhere: RocHull | None = None,
        salt: str = "",
        about: Mapping[str, str] | None = None,
    ) -> SegmentPolicy:
        """Make a policy from the hull of each segment, which may be a union of several classifiers' hulls.

        Parameters
        ----------
        hulls : mapping of str, int, float or bool to RocHull
            The hull of each value of the column, from the examples with this value alone; without a
            classifier's name it is of "score". One under the key None is of examples with other values or
            none.
        column : str or int
            Name or position of the column that tells the segment.
        elsewhere : RocHull, optional
            Decides cases whose value has no hull, at the same posterior odds as everywhere: such as the
            hull of all examples. They do not count in the rates. Without it, and without a hull for None,
            such cases are refused.
        """
        check_texts(about, salt=salt)
        if not isinstance(hulls, Mapping):
            raise refused("hulls", "must be a mapping of segments to hulls, but is {}.", a_type(hulls))
        for key, hull in [*hulls.items(), *([] if elsewhere is None else [("elsewhere", elsewhere)])]:
            if not isinstance(hull, RocHull):
                raise Refusal("{} must be a RocHull, but is {}.", Item("hulls", key), a_type(hull))
            if any(isinstance(rule, SegmentedRule) for rules in hull.owners[1:2] for rule in rules):
                raise Refusal(
                    "{} has segments itself; give the hulls of single segments.", Item("hulls", key)
                )
        values = {_value_of(key): hull for key, hull in hulls.items()}
        if elsewhere is not None and NOBODY in values:
            raise refused("elsewhere", "is given, but hulls has one for None too.")
        if elsewhere is not None and elsewhere.units.are_rates:
            raise refused("elsewhere", "is of given rates, which have no posterior odds.")
        whole = stratify(values)
        found = dict(zip(values, tables_of_stratified(whole), strict=True))
        if elsewhere is not None:
            found[NOBODY] = table_along(elsewhere, whole)
        categories = tuple(value for value in values if value is not NOBODY)
        if not categories:
            raise refused("hulls", "has a hull for None only.")
        axis = Axis(column, categories=categories)
        bins = Bins((axis,), np.arange(len(categories)), tuple(map(str, categories)))
        fallback = [found[NOBODY]] if NOBODY in found else []
        tables = (*(found[value] for value in categories), *fallback)
        return cls._of(whole, bins, tables, salt, about)

    @classmethod
    def of_bins(
        cls,
        hull: RocHull,
        bins: Bins,
        salt: str,
        about: Mapping[str, str] | None,
        *,
        name: str = _ONLY_CLASSIFIER,
    ) -> SegmentPolicy:
        """Make a policy from a hull whose vertices have a rule for each bin and for cases elsewhere.

        Parameters
        ----------
        hull : RocHull
            With such rules, in this order.
        bins : Bins
            What sends cases to segments.
        salt, about : str, and mapping of str to str or None
            As for :meth:`from_hulls`.
        name : str, default="score"
            What the classifier is called, where the rules do not name it.

        """
        check_texts(about, salt=salt)
        return cls._of(hull, bins, tables_of(hull.owners, len(bins) + 1), salt, about, name=name)

    @classmethod
    def _of(
        cls,
        hull: RocHull,
        bins: Bins,
        tables: Sequence[RuleTable],
        salt: str,
        about: Mapping[str, str] | None,
        *,
        name: str = _ONLY_CLASSIFIER,
    ) -> SegmentPolicy:
        twice = next((label for label, count in Counter(bins.labels).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"two segments are called {twice!r}; a policy tells them apart by their names.")
        rules = [rule for table in tables for rule in table.rules]
        if any(rule.is_nameless for rule in rules):
            if any(rule.classifiers for rule in rules):
                raise ValueError("hulls: some name their classifiers and some do not.")
            each = {id(rule): rule for rule in rules}  # of many segments, some share theirs
            named = {key: rule.named(name) for key, rule in each.items()}
            tables = [
                RuleTable(table.first, tuple(named[id(rule)] for rule in table.rules)) for table in tables
            ]
        names = (*bins.labels, NOBODY)[: len(tables)]
        owners = TableOwners(names, tuple(tables), len(hull))
        bare = RocHull(hull.fp, hull.tp, hull.n_neg, hull.n_pos, hull.units)
        return cls(bare.with_owners(owners), bins, salt, dict(about or {}))

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers that some condition may need (tuple of str)."""
        return tuple(dict.fromkeys(name for table in self._owners.tables for name in table.classifiers))

    @property
    def segments(self) -> tuple[str, ...]:
        """The segments' names, without that of cases elsewhere (tuple of str)."""
        return self.bins.labels

    @property
    def _owners(self) -> TableOwners:
        owners = self.hull.owners
        assert isinstance(owners, TableOwners)
        return owners

    @property
    def _has_fallback(self) -> bool:
        return self._owners.names[-1] is NOBODY

    @takes_condition
    def thresholds(self, condition: Condition) -> dict[Hashable, float]:
        """List the threshold of every segment under a condition.

        Returns
        -------
        dict of hashable to float
            Of the best single rule: the lowest score that is called positive in each segment; -inf where
            every case is, inf where none is. Under None that of cases elsewhere. Where low scores are
            positive, the highest score; inf where every case is, -inf where none is.

        Raises
        ------
        ValueError
            If the policy has several classifiers: ask :meth:`at`, whose rules name them.
        """
        if len(self.classifiers) > 1:
            raise ValueError("the policy has several classifiers: see at(condition), whose rules name them.")
        [rule] = (rule for rule, _ in self.at(condition, deterministic=True).rules)
        names = self._owners.names
        rules = [rule.of(name) if isinstance(rule, SegmentedRule) else rule for name in names]
        lower = any(rule.lower_is_positive for table in self._owners.tables for rule in table.rules)
        named = zip(names, rules, strict=True)
        return {name: 0 - rule.lowest if lower else rule.lowest for name, rule in named}

    def segment(self, aux: Any) -> Array:
        """Find the segment of each case.

        Returns
        -------
        ndarray of int64 of shape (n,)
            Index into `segments`; -1 for a value never seen in training, and for missing values where none
            were seen.
        """
        return self.bins.assign(aux)

    # --- deciding ------------------------------------------------------------------------------

    @takes_condition
    def decide(
        self,
        scores: Any,
        condition: Condition | Objective | OperatingPoint | Mapping[Any, int],
        *,
        aux: Any = None,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        deterministic: bool = False,
        minimax: bool = False,
        subject_to: Any = (),
        unseen: Literal["warn", "raise"] = "warn",
        order: Literal["score", "lot"] = "score",
        columns: Mapping[Any, str] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
    ) -> Array:
        """Decide every case.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, array-like of shape (n,), or callable
            As for :meth:`Policy.decide`. A callable ``scores(rows)`` is given the int64 row numbers (m,)
            of those cases whose segment has a threshold, and returns what else would be given, of these
            rows; it is not called if there are none. A mapping may hold callables, which return (m,).
        condition : Condition, OperatingPoint or mapping of segment to int
            What to decide under. A ``Capacity(cases=...)`` is kept by the batch as a whole: exactly so many
            cases are called positive, or all; see :meth:`Policy.decide`. It needs all scores. A mapping
            says so of each segment, by its name; under None of cases elsewhere. Then as many are called as
            there are, at most, and nothing else can be asked for.
        unseen : {"warn", "raise"}, default="warn"
            What to do about cases whose auxiliary values were never seen in training: decide them by the
            rule of cases elsewhere, and count them in a warning; or refuse. A policy without such a rule
            refuses in any case.
        order : {"score", "lot"}, default="score"
            Under ``Capacity(cases=...)``: whether cases of one segment between two thresholds of one
            classifier are taken from the highest score down, or by lot. Which segment comes next is drawn by
            lot: between two points of the hull all segments have the same odds of a positive.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k), optional
            The auxiliary features, under the names that they had in training; other columns are not read. By
            default they are columns of the same table as the scores.
        columns : mapping of str or int to str, optional
            Which column of a table has a classifier's scores or an auxiliary feature, unless it is called
            like that. As for :meth:`Policy.decide` there may be other names where all of these have one.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive. A missing score passes no threshold; where one was
            needed it is counted in a warning.
        """
        checked_choice(on_misfit)
        if isinstance(condition, Mapping):
            if deterministic or minimax or subject_to != ():
                raise Refusal(
                    "{}: numbers of cases by segment are kept exactly, without deterministic, minimax or "
                    "subject_to.",
                    Parameter("condition"),
                )
            how = {"aux": aux, "key": key, "random_state": random_state, "unseen": unseen, "order": order}
            how["watch"] = self.watch(None, None, on_misfit)
            return self._presented_of_each(condition, self._lined_up(scores, columns=columns, **how)[0])
        table = {"aux": aux, "key": key, "random_state": random_state, "unseen": unseen, "columns": columns}
        wanted = questions.within(condition, subject_to)
        cases = self._cases_of(wanted, minimax=minimax)
        if cases is None:
            point = self._point(wanted, deterministic, minimax)
            watched = self.watch(wanted, point, on_misfit)
            return self.decider.decided(self.planned(point), scores, watched=watched, **table)
        if questions.beside_cases(wanted) is not None:
            raise Refusal(
                "{}: a number of cases together with other limits is decided by a Policy alone; give "
                "AlarmRate() <= a share here.",
                Parameter("condition"),
            )
        batch, lots = self._batch(scores, self.watch(wanted, None, on_misfit), **table)
        return self._present(batch, cases, lots, deterministic, ladders.is_by_score(order))

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        return watch_of_rates(self._kinds, self.hull, point, condition, on_misfit)

    @cached_property
    def _kinds(self) -> tuple[SegmentKind, ...]:
        if len(self.classifiers) != 1:
            return ()
        tables = self._owners.tables[: len(self.bins)]
        never = Among(self.bins, (Decide(NEVER),) * len(self.bins), Decide(NEVER))
        return kinds_of_segments(
            self.hull, self.classifiers[0], never, lambda vertex: [table.at(vertex) for table in tables]
        )

    @takes_condition
    def rank(
        self,
        scores: Any,
        condition: Condition | Mapping[Any, int],
        *,
        aux: Any = None,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        unseen: Literal["warn", "raise"] = "warn",
        order: Literal["score", "lot"] = "score",
        columns: Mapping[Any, str] | None = None,
        prevalence: float | None = None,
    ) -> Ranking:
        """Put a batch in the order in which its cases are worked on: one queue of all segments.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, array-like of shape (n,), or callable
            As for :meth:`decide`.
        condition : Capacity, or mapping of segment to int
            With `cases`; or how many cases of each segment, as for :meth:`decide`.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k), optional
            As for :meth:`decide`.
        unseen : {"warn", "raise"}, default="warn"
            As for :meth:`decide`.
        order : {"score", "lot"}, default="score"
            As for :meth:`decide`.
        columns : mapping of str or int to str, optional
            As for :meth:`decide`.
        prevalence : float, optional
            The one at which probabilities are stated, where a mapping is given; by default that of the
            policy's own data. A Capacity states its own.

        Returns
        -------
        Ranking
            Those first that :meth:`decide` calls positive; then by the odds of a positive, which are
            compared over all segments (one exchange rate); among cases of equal odds by lot, those of one
            segment from the best score down.

        Raises
        ------
        ValueError
            As for :meth:`decide`; if the condition speaks of no cases; or if there is no prevalence.

        Examples
        --------
        >>> import rochull as rh
        >>> easy, hard = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]), rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
        >>> policy = rh.segments.SegmentPolicy.from_hulls({"easy": easy, "hard": hard}, column="kind")
        >>> cases = {"score": [3, 6, 8, 1], "kind": ["easy", "hard", "hard", "easy"]}
        >>> found = policy.rank(cases, rh.Capacity(cases=2), key=[1, 2, 3, 4])
        >>> found.called.tolist(), found.probability.tolist()
        ([True, False, True, False], [1.0, 0.5, 1.0, 0.0])
        >>> policy.rank(cases, {"easy": 0, "hard": 2}, key=[1, 2, 3, 4]).rank.tolist()
        [3, 2, 1, 4]
        """
        if isinstance(condition, Mapping):
            stated: Condition = Capacity(cases=1, prevalence=prevalence)
        elif prevalence is not None:
            raise refused("prevalence", "is that of the Capacity; state it there.")
        else:
            stated = condition
        cases = self._cases_of(stated)
        if cases is None:
            raise refused(
                "condition",
                "must be a Capacity of so many cases, or a mapping of segments to numbers of cases, but "
                "is {}.",
                repr(condition),
            )
        at = self._told_prevalence(stated)
        how = {"aux": aux, "key": key, "random_state": random_state, "unseen": unseen, "order": order}
        queue, batch, lots = self._lined_up(scores, columns=columns, **how)
        if isinstance(condition, Mapping):
            presented = self._presented_of_each(condition, queue)
        else:
            presented = self._present(batch, cases, lots, False, ladders.is_by_score(order))
        return queue.ranking(presented, self.hull, at)

    def _lined_up(
        self, scores: Any, *, order: str, watch: Watch | None = None, **table: Any
    ) -> tuple[Queue, Batch, Lots]:
        """A batch in its queue."""
        batch, lots = self._batch(scores, watch, **table)
        segment = batch.segment
        tables, last = self._owners.tables, len(self.hull) - 1
        drawn, by_score = lots.ranked(np.arange(segment.size)), ladders.is_by_score(order)
        return Queue.of(batch, tables, last, drawn, by_score=by_score), batch, lots

    def _presented_of_each(self, condition: Mapping[Any, int], queue: Queue) -> Array:
        """So many cases of each segment, the first of the queue."""
        names = self._owners.names
        present = np.bincount(queue.segment, minlength=len(names)) > 0
        return queue.first_of_each(cases_by_segment(condition, names, present))

    def _batch(self, scores: Any, watch: Watch | None, **table: Any) -> tuple[Batch, Lots]:
        """All scores that some rule needs."""
        never = Decide(NEVER)
        every = Among(self.bins, (never,) * len(self.bins), never if self._has_fallback else None)
        found = self.decider.read(every, scores, **table)
        if watch is not None:
            watch(found.known_of_all(self.classifiers), None)
        batch = Batch(found.scores, found.codes[self.bins], self._every_rule())
        _warn_of_missing(batch)
        return batch, found.lots

    @takes_condition
    def needs_score(
        self,
        condition: Condition | OperatingPoint,
        aux: Any,
        deterministic: bool = False,
        *,
        minimax: bool = False,
    ) -> Array:
        """Tell which cases need a score: those whose segment is not decided as a whole.

        Parameters
        ----------
        condition : Condition or OperatingPoint
            What to decide under.

        Returns
        -------
        ndarray of bool, shape (n,)
            False where every rule of the point is "never" or "always" in the case's segment. What score is
            given there, if any, has no effect.
        """
        if self._cases_of(condition, minimax=minimax) is None:
            later = self.planned(self._point(condition, deterministic, minimax)).later
            some = [bool(plan.classifiers) for plan in later]
        else:
            some = [any(rule.classifiers for rule in rules) for rules in self._every_rule()]
        if not self._has_fallback:
            some.append(True)  # `decide` refuses them
        return np.array(some)[self.segment(aux)]

    def _present(self, batch: Batch, cases: int, lots: Lots, deterministic: bool, by_score: bool) -> Array:
        """Exactly so many cases: a mixture of the first neighbours between which their number lies."""
        alarms = batch.alarms(self._owners.tables, len(self.hull))
        beyond = int(np.argmax(alarms > cases)) or len(self.hull)  # none are called at vertex 0
        left = self._passes(batch, beyond - 1)
        if deterministic or beyond == len(self.hull):
            return left
        ranked: Callable[[Array], Array] = lots.ranked
        if by_score:
            ends = [(table.at(beyond - 1), table.at(beyond)) for table in self._owners.tables]
            ranked = batch.by_score([ladders.ordering(pair) for pair in ends], ranked)
        return ladders.present(left, self._passes(batch, beyond), ranked, cases)

    def _passes(self, batch: Batch, vertex: int) -> Array:
        return decisions_of(batch.outcome([table.at(vertex) for table in self._owners.tables]))

    def _every_rule(self) -> list[tuple[Rule, ...]]:
        return [table.rules for table in self._owners.tables]

    def _point(self, condition: Any, deterministic: bool, minimax: bool) -> OperatingPoint:
        if not isinstance(condition, OperatingPoint):
            return self.decided_at(condition, deterministic, minimax=minimax)
        nameless = next((rule for rule, _ in condition.rules if rule.is_nameless), None)
        if nameless is None:
            return condition
        if len(self.classifiers) != 1:
            raise Refusal(
                "{}: the rule {} does not name its classifier.", Parameter("condition"), repr(str(nameless))
            )
        return condition.named(self.classifiers[0])

    def planned(self, point: OperatingPoint) -> Among:
        return among_of(point, self.bins, self._owners.names)

    @property
    def features(self) -> tuple[Any, ...]:
        """The auxiliary columns that tell the segments (tuple of str or int)."""
        return self.bins.columns

    @takes_condition
    def to_sql(
        self,
        condition: Condition | Objective | OperatingPoint,
        dialect: str,
        *,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[Any, str | tuple[str, str]] | None = None,
        deterministic: bool = False,
        minimax: bool = False,
        subject_to: Any = (),
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        condition : Condition or OperatingPoint
            What to decide under. Not ``Capacity(cases=...)``, which no expression of one row can keep.
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed for a mixture. Of a NULL key the rule
            with the lower false positive rate decides.
        columns : mapping of str or int to str or (table, column), optional
            Where a classifier's scores or an auxiliary feature are; by default in a column of its name. The
            positions of an array need one.

        Returns
        -------
        str
            TRUE or FALSE, never NULL. Auxiliary columns are of the type that they had in training: text is
            compared as text, truth values as such, and numbers of any type as numbers of float64. NULL and
            NaN are missing values. Values never seen are decided by the rule of cases elsewhere.

        Raises
        ------
        ValueError
            If the dialect, a column or a name is unknown or unusable, `key` is missing, or the policy has
            no rule for cases elsewhere.

        Examples
        --------
        >>> import rochull as rh
        >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
        >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
        >>> hulls = {"easy": easy, "hard": hard}
        >>> policy = rh.segments.SegmentPolicy.from_hulls(hulls, column="kind", elsewhere=hard)
        >>> print(policy.to_sql(rh.ExpectedCost(cost_fp=3, prevalence=0.5), "duckdb"))
        CASE WHEN "kind" IN ('easy') THEN COALESCE("score" >= 3
          AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)
        ELSE COALESCE("score" >= 8
          AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE) END
        """
        wanted = self._by_case(condition, subject_to)
        if not self._has_fallback:
            raise ValueError(
                "the policy has no rule for values never seen, and SQL cannot refuse them: make it with a "
                "hull `elsewhere`."
            )
        plan = self.plan(wanted, deterministic, minimax=minimax)
        return self.decider.expressed(plan, dialect, key=key, columns=columns)

    def unseen_sql(self, dialect: str, *, columns: Mapping[Any, Any] | None = None) -> str:
        """Write as one SQL expression whether a case's auxiliary values were never seen in training.

        Parameters
        ----------
        columns : mapping of str or int to str or (table, column), optional
            Where an auxiliary feature is; by default in a column of its name.

        Returns
        -------
        str
            TRUE where :meth:`segment` is -1.
        """
        plan = Among(self.bins, (Decide(NEVER),) * len(self.bins), Decide(ALWAYS))
        return PlanDecider((), self.bins.columns, self.salt).expressed(plan, dialect, columns=columns)

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        return {"about": dict(self.about), "salt": self.salt, **contents_of(self.hull, self.bins)}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> SegmentPolicy:
        return cls(policy_hull(fields), fields["bins"], fields["salt"], fields["about"])

    def __repr__(self) -> str:
        names = ", ".join(self.classifiers) or "no classifier"
        return f"SegmentPolicy({len(self.hull)} operating points of {names} in {len(self.bins)} segments)"


def _warn_of_missing(batch: Batch) -> None:
    for name, count in batch.missing_counts():
        warn(
            Message(
                "{} has {} missing values where a threshold decides, which pass none.",
                Item("scores", name),
                count,
            )
        )


def _value_of(key: Any) -> Any:
    """A key of `hulls` as the value of a column."""
    value = key.item() if isinstance(key, np.generic) else key
    if value is not NOBODY and (not isinstance(value, (str, int, float, bool)) or value != value):  # noqa: PLR0124
        raise ValueError(
            f"hulls: the segment {key!r} is neither text nor a number, so a column cannot hold it."
        )
    return value
