"""Deployed rules: a validated JSON document of operating points that decides under a condition.

The document holds numbers and names, never code. Thresholds are written so that they come back bit
for bit, and rates as the exact counts that they came from, so that a loaded policy chooses exactly
what the hull chose.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.cached import cached_property
from rochull._core.cards import Card
from rochull._core.documents import check_texts
from rochull._core.keys import Lots
from rochull._core.messages import Advice, Parameter, WrongType, refused
from rochull._core.table_errors import a_type, names_listed
from rochull._core.validation import Array
from rochull.conditions.base import Condition, no_condition
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import ChosePoint, ComparedPoints, OperatingPoint, Rule, decisions_of
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.decisions import ladders, questions
from rochull.decisions.deciding import Run
from rochull.decisions.plans import Plan, in_the_name_of, plan_of
from rochull.decisions.promises import LEAST_CASES
from rochull.decisions.score_columns import ScoreColumns, key_column, renamed
from rochull.decisions.score_kind import ScoreKind
from rochull.hull.hull import RocHull, point_at
from rochull.hull.pictures import hull_card
from rochull.hull.ways import way_of
from rochull.policies.assessed import Assessed
from rochull.policies.deployed import warn_of_own_prevalence
from rochull.policies.policy_schema import POLICY, contents_of, policy_hull
from rochull.policies.singles import between, curves_of, every_between

if TYPE_CHECKING:
    from rochull.decisions.batch_check import BatchCheck
    from rochull.decisions.guard import Watch
    from rochull.policies.prevalence import PrevalenceEstimate
    from rochull.policies.ranking import Ranking

ONLY_CLASSIFIER = "score"
MOST_THRESHOLDS = 1_000  # between the vertices, which a document holds
_LONG = 60  # characters of an object that still fit a message
_HOLD = Advice(
    "hold_thresholds",
    "; make the policy of a hull that holds its raw curves, or decide by the point that this hull, or the "
    "Hybrid, finds",
)
_SEGMENTS = (
    "{}, which a Policy cannot tell apart; take a SegmentPolicy, such as ErrorRedistribution.policy()."
)


@dataclass(frozen=True, eq=False)
class Policy(Assessed):
    """Operating points and rules, ready to decide under conditions given at run time.

    Attributes
    ----------
    hull : RocHull
        The operating points; their rates were measured on the data that made them (in-sample).
    salt : str
        Mixed into the hash of keys, so that two policies do not randomise alike.
    about : dict of str to str
        Free text on where it comes from.
    every_threshold : bool
        Whether it holds every single rule that some condition can find best, and not the vertices alone.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> policy.decide([0.95, 0.75, 0.2], rh.ExpectedCost(cost_fn=5, prevalence=0.5)).tolist()
    [True, True, False]
    """

    schema = POLICY

    hull: RocHull
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    every_threshold: bool = False

    @classmethod
    def from_hull(
        cls,
        hull: RocHull,
        *,
        singles: Iterable[OperatingPoint] = (),
        most: int = MOST_THRESHOLDS,
        salt: str = "",
        about: Mapping[str, str] | None = None,
    ) -> Policy:
        """Make a policy from the vertices of a hull.

        Parameters
        ----------
        hull : RocHull
            Of one classifier (called "score" if it has no name) or of several.
        singles : iterable of OperatingPoint, default=()
            Single rules between the vertices to hold besides them, such as
            ``hull.at(condition, deterministic=True)``: points of the raw curves that the hull holds.

        most : int, default=1000
            All single rules between the vertices that some condition can find best are held if they are at
            most so many; 1,000 make a document of 200 kB.

        Returns
        -------
        Policy
            It holds the vertices, `singles`, and all single rules between them that some condition can find
            best, where the hull holds its raw curves and these are at most `most`. Else its best single rule
            is the best of those that it holds, and a decision by one comes with a warning.

        Raises
        ------
        ValueError
            If a text is none, the hull is stratified (its rules differ from segment to segment), or one of
            `singles` is a mixture or not on a curve of the hull.
        """
        check_texts(about, salt=salt)
        if not isinstance(hull, RocHull):
            raise WrongType(
                "{} must be a RocHull, such as hybrid.hull or roc_hull(y_true, y_score), but is {}.",
                Parameter("hull"),
                a_type(hull),
            )
        if any(rule.differs_by_segment for rules in hull.owners for rule in rules):
            raise ValueError(_SEGMENTS.format("hull is stratified: it has rules for each segment"))
        if not (hull.classifiers or any(hull.curves)):  # of constant rules, a curve may know the name
            hull = hull.named(ONLY_CLASSIFIER)
            singles = [point.named(ONLY_CLASSIFIER) for point in singles]
        totals = hull.n_neg, hull.n_pos
        every = every_between(hull, most)
        points = dict.fromkeys((*between(hull, singles), *(every or ())))
        bare = RocHull(hull.fp, hull.tp, *totals, hull.units, curves=curves_of([*points], totals, hull.units))
        return cls(bare.with_owners(hull.owners), salt, dict(about or {}), every is not None)

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """All classifiers that some condition may need (tuple of str)."""
        return tuple(dict.fromkeys((*self.hull.classifiers, *map(str, self.hull.curves))))

    # --- deciding ------------------------------------------------------------------------------

    @takes_condition
    def decide(
        self,
        scores: Any,
        condition: Condition | Objective | OperatingPoint,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        deterministic: bool = False,
        minimax: bool = False,
        subject_to: Any = (),
        prevalence: float | str | None = None,
        order: Literal["score", "lot"] = "score",
        columns: Mapping[str, str] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
        explore: float | None = None,
    ) -> Any:
        """Decide every case.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each classifier that the operating point needs (`policy.at(condition).
            classifiers` says which; no other is read); an array if it needs one only. Decimals are
            compared as the nearest doubles, or as integers where all are whole.
        condition : Condition, OperatingPoint or AssuredChoice
            What to decide under; of an assured choice, its point. A ``Capacity(cases=...)`` is kept by the
            batch as a whole, see Notes. A prevalence that it does not state is that of
            the policy's own data, which a warning says; other cases may have another.
        prevalence : float or "estimate", optional
            Used instead of the condition's. "estimate" takes that of this very batch,
            :meth:`estimate_prevalence`, and so follows a population that drifts; kept half a case
            away from 0 and 1. How wide the interval is, that method tells; this one does not.
            A batch that is not a mixture of the two classes has no such prevalence; see `on_misfit`.
        order : {"score", "lot"}, default="score"
            Under ``Capacity(cases=...)`` and ``Review(max_cases=...)``: whether rows between two thresholds
            of one classifier are taken by their scores, or by lot, as a mixture of both rules. :meth:`rank`
            gives the order.
        columns : mapping of str to str, optional
            Which column of a table has a classifier's scores, unless it is called like the classifier. Other
            names, such as of classifiers off the hull, are passed over where every classifier of the policy
            has a column, and refused where one of them may be misspelt.
        on_misfit : {"keep", "warn", "refuse", "ignore"}, default="keep"
            Where the batch is not what the policy was made from, as :meth:`check` tests it before anything is
            promised: "keep" the prevalence that was stated instead of the estimate, with a warning; only
            "warn", and act on the estimate all the same; "refuse" to decide; or "ignore" it, without a
            look. A batch of fewer than 50 cases is not tested.
        explore : float, optional
            The probability with which a case that is neither flagged nor reviewed is to be labelled all the
            same, so that labels tell of all cases. It changes no decision. Beside a number of cases it has a
            budget of its own: that share of the batch.

        Returns
        -------
        ndarray of bool, shape (n,), or Exploration
            True where the case is called positive. A missing score passes no threshold; it is
            counted in a warning. So is a score that is a threshold rounded past itself: 0.7 as float32 is
            less than 0.7, and 0.3, as text has it, less than 0.3 as float32. Under a :class:`Review` an array
            of words: "positive", "review" or "negative".

        Raises
        ------
        ValueError
            If a column that is needed is missing or not numeric, lengths differ, or a key is missing; or
            if `prevalence` is given for a condition that does not use one.

        Warns
        -----
        MisfitWarning
            If the scores are of another kind, or more cases are flagged than a share that was stated: by
            tests that warn of at most one undrifted batch in a thousand.

        Notes
        -----
        Under ``Capacity(cases=...)`` exactly `cases` rows (rounded down) are called positive, or all
        if there are fewer, whatever rates, `population` and `prevalence` promise: the edge of the
        hull is the first one, from "never", whose right end has more alarms than `cases` in this
        batch. Rows that both its ends accept are presented; of those that one accepts, so many as are
        missing: those with the best scores where one classifier has both ends, which finds more positives on
        average (``studies/capacity_order.py``). Equal scores, and rows between two classifiers, whose
        scores cannot be compared, are taken in the order of their keys' hashes (equal ones in the order of
        the keys; rows with the same key in the order of the rows), each by the right rule up to some hash
        and by the left rule beyond it. This needs a column for every classifier of the hull. With
        ``deterministic=True`` the left rule alone decides, which presents at most `cases` rows.
        ``Capacity(fraction=...)`` decides case by case, by the rates.

        Under ``Review(max_cases=...)`` at most `max_cases` rows (rounded down) are reviewed, by the counts of
        this batch: block by block of the hull of the classifier that is best with as large a share of
        reviews, first those where a review saves the most at the blocks' posteriors, and none where it costs
        more than it saves. Of the last block the rows next to the threshold without reviews are taken, or
        some by lot; with ``deterministic=True`` none. This too needs a column for every classifier.
        """
        from rochull.decisions.batch_check import checked_choice

        checked_choice(on_misfit)
        wanted = questions.within(condition, subject_to)
        if explore is not None:
            from rochull.policies.exploring import explored

            given: dict[str, Any] = {
                "key": key, "random_state": random_state, "columns": columns, "prevalence": prevalence,
                "deterministic": deterministic, "minimax": minimax, "order": order, "on_misfit": on_misfit,
            }  # fmt: skip
            found = self.decide(scores, wanted, **given)
            by = key_column(key, scores), self.salt, random_state
            return explored(found, explore, by, exactly=questions.of_batch(wanted))
        if prevalence is not None:
            from rochull.policies.prevalence import under

            own = renamed(scores, columns, self.classifiers)
            wanted = under(wanted, prevalence, lambda: self.estimated(own), on_misfit)
        cases = self._cases_of(wanted, minimax=minimax)
        if cases is None and questions.reviews_of(wanted) is None:
            point = self._point(wanted, deterministic, minimax)
            table = {"key": key, "random_state": random_state, "columns": columns}

            def watched(held: ScoreColumns, decided: Array | None) -> None:
                if held.many() >= LEAST_CASES:
                    self.watch(wanted, point, on_misfit)(held, decided)

            return self.decider.decided(plan_of(point), scores, watched=watched, **table)
        scores, key = renamed(scores, columns, self.classifiers), key_column(key, scores)
        if cases is None:
            watch = self.watch(wanted, None, on_misfit)
            how: dict[str, Any] = {"deterministic": deterministic, "watch": watch}
            actions, _ = self._reviewed(wanted, scores, (key, random_state), order, **how)
            return decisions_of(actions, can_review=True)
        held = ScoreColumns(
            scores, ladders.classifiers_of(ladders.ladder(self.hull)), len(self.classifiers) < 2
        )
        lots = Lots(key, self.salt, random_state, held.size)
        held.say_missing()
        self.watch(wanted, None, on_misfit)(held, None)
        return self._capped(
            wanted, held, lots, by_score=ladders.is_by_score(order), deterministic=deterministic
        )

    def _capped(
        self, wanted: Condition, held: ScoreColumns, lots: Lots, *, by_score: bool, deterministic: bool
    ) -> Array:
        """Decide a batch of which so many cases can be flagged."""
        cases = questions.cases_of(wanted)
        assert cases is not None
        kept = self._within_cases(wanted, held, lots, cases, deterministic)
        if kept is not None:
            return kept
        ladder = ladders.ladder(self.hull)
        return _presented(held, ladder, lots, cases, by_score=by_score, deterministic=deterministic)

    def _within_cases(
        self, wanted: Condition, held: ScoreColumns, lots: Lots, cases: int, deterministic: bool
    ) -> Array | None:
        """Decide as is best without the limit on cases, if that keeps it; None if that limit binds."""
        beside = questions.beside_cases(wanted)
        if beside is None:
            return None
        plan = plan_of(self._point(beside, deterministic, minimax=False))
        found = decisions_of(plan.outcome(Run(held.size, lots, held.fetch), None))
        if np.count_nonzero(found) <= cases:
            return found
        low = beside.at_prevalence(self.hull.prevalence).stretch(self.hull.frontier).low
        rules = point_at(self.hull, low).rules
        least = sum(share * np.count_nonzero(held.passes(rule)) for rule, share in rules)
        if least > cases:
            raise InfeasibleConditionError(
                f"cases={cases} are too few: the other limits call at least {math.ceil(least)} of the "
                f"{held.size} cases of this batch positive."
            )
        return None

    def _reviewed(
        self,
        review: Any,
        scores: Any,
        lots_of: tuple[Any, Any],
        order: str,
        *,
        deterministic: bool = False,
        watch: Watch | None = None,
    ) -> tuple[Array, Ranking]:
        """Decide each case of a batch of which only some can be reviewed; with the order of review."""
        by_score = ladders.is_by_score(order)
        if questions.states_no_prevalence(review):
            warn_of_own_prevalence(self.hull.prevalence)
        held = ScoreColumns(scores, self.hull.classifiers, len(self.classifiers) < 2)
        held.say_missing()
        if watch is not None:
            watch(held, None)
        key, random_state = lots_of
        lots = Lots(key, self.salt, random_state, held.size)
        from rochull.policies.reviews import reviewed

        asked = review.question.at_prevalence(self.hull.prevalence)
        return reviewed(self.hull, asked, held, lots, by_score=by_score, deterministic=deterministic)

    @takes_condition
    def rank(
        self,
        scores: Any,
        condition: Condition,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        order: Literal["score", "lot"] = "score",
        columns: Mapping[str, str] | None = None,
    ) -> Ranking:
        """Put a batch in the order in which so many of its cases are worked on.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each classifier of the policy; an array if there is one only.
        condition : Capacity, Within or Review
            With `cases`, alone or beside other limits; or with `max_cases`. Probabilities are
            stated at its prevalence or, if it has none, at that of the policy's own data.
        order : {"score", "lot"}, default="score"
            As for :meth:`decide`.
        columns : mapping of str to str, optional
            As for :meth:`decide`.

        Returns
        -------
        Ranking
            The first `cases` are those that :meth:`decide` calls positive, or passes on to be reviewed; of
            these the one comes first of which a review saves the most.

        Raises
        ------
        ValueError
            As for :meth:`decide`; if the condition speaks of no cases; or if there is not one prevalence.
        """
        cases = self._cases_of(condition)
        scores, key = renamed(scores, columns, self.classifiers), key_column(key, scores)
        if questions.reviews_of(condition) is not None:
            return self._reviewed(condition, scores, (key, random_state), order)[1]
        if cases is None:
            raise refused(
                "condition", "must be a Capacity or a Review of so many cases, but is {}.", repr(condition)
            )
        by_score = ladders.is_by_score(order)
        prevalence = self._told_prevalence(condition)
        rules = ladders.ladder(self.hull)
        held = ScoreColumns(scores, ladders.classifiers_of(rules), len(self.classifiers) < 2)
        lots = Lots(key, self.salt, random_state, held.size)
        presented = self._within_cases(condition, held, lots, cases, deterministic=False)
        if presented is None:
            presented = _presented(held, rules, lots, cases, by_score=by_score)
        from rochull.policies.ranking import ranking

        return ranking(self.hull, held, presented, lots, by_score=by_score, prevalence=prevalence)

    # --- looking at a batch --------------------------------------------------------------------

    @cached_property
    def _kinds(self) -> tuple[ScoreKind, ...]:
        from rochull.policies.learnt import kinds_of

        return kinds_of(self.hull)

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        from rochull.policies.learnt import watch_of_rates

        asked = None if condition is None else _decided(condition)
        return watch_of_rates(self._kinds, self.hull, point, asked, on_misfit)

    def check(
        self,
        scores: Any,
        condition: Condition | Objective | OperatingPoint | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        **how: Any,
    ) -> BatchCheck:
        """Look at a batch before it is decided: whether its scores are of the kind that the policy knows.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As for :meth:`decide`.
        condition : Condition, optional
            As for :meth:`decide`; then the share that is flagged is known too.
        columns : mapping of str to str, optional
            As for :meth:`decide`.
        **how
            More that :meth:`decide` takes; without a condition `count`, as :meth:`performance` does.

        Returns
        -------
        BatchCheck
            With `pvalue`, `share` and `expected_share`. :meth:`decide` warns of what is unusual by itself.

        Notes
        -----
        *Kind.* Thresholds of a classifier cut its scores into a few ranges, in which the policy counted its
        examples. A batch that is a mixture of the two classes, at whatever prevalence, has no more and no
        fewer cases in a band of ranges than both samples' errors allow; one threshold confines the
        prevalence. Tails are beta-binomial, as in Fisher's exact test: rare positives make it see less.

        *Share.* Under a limit on the share that is flagged, that of the batch is compared with what
        the policy's counts give at the condition's prevalence, in the same way.
        """
        from rochull.policies.prevalence import present

        if condition is None and how.keys() - {"count"}:
            told = names_listed(how)
            raise TypeError(f"check takes {told} beside a condition only: write check(scores, condition).")
        asked = None if condition is None else questions.within(condition, how.pop("subject_to", ()))
        if asked is None or questions.of_batch(asked):
            named = renamed(scores, columns, self.classifiers)
            held = ScoreColumns(named, present(named, self.hull.classifiers)).counted(how.get("count"))
            return self.watch(asked, None).checked(held, None)
        point = self._point(asked, how.pop("deterministic", False), how.pop("minimax", False))
        watch, found = self.watch(asked, point), []
        self.decider.decided(
            plan_of(point), scores, columns=columns, **how,
            watched=lambda held, decided: found.append(watch.checked(held, decided)),
        )  # fmt: skip
        return found[0]

    def estimate_prevalence(self, scores: Any, *, level: float = 0.95) -> PrevalenceEstimate:
        """Estimate the share of positives in an unlabelled batch; see :func:`estimate_prevalence`.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            Columns of some classifiers or all; an array if the policy has one classifier only. Cases
            without a score are left out.

        Returns
        -------
        PrevalenceEstimate
            By one classifier: the one whose standard error at the mean of all their estimates is the
            least, as the counts of the policy's rules tell it. Its `classifier` says which.

        Warns
        -----
        MisfitWarning
            If the scores are not a mixture of the two classes.

        Raises
        ------
        ValueError
            If no column can be used, or there are no cases.
        """
        from rochull.policies.prevalence import heeded

        found = self.estimated(scores, level)
        if found is None:
            raise refused("scores", "is empty, so there is no prevalence to estimate.")
        return heeded(found)

    def estimated(self, scores: Any, level: float = 0.95) -> PrevalenceEstimate | None:
        """Estimate the prevalence of a batch without a warning; see :meth:`estimate_prevalence`.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As there.

        Returns
        -------
        PrevalenceEstimate or None
            None if it has no cases.
        """
        from rochull.policies.prevalence import of_columns, present

        columns = ScoreColumns(scores, present(scores, self.hull.classifiers))
        return of_columns(self.hull, columns, level) if columns.size else None

    @takes_condition
    def to_sql(
        self,
        condition: Condition | Objective | OperatingPoint,
        dialect: str,
        *,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
        deterministic: bool = False,
        minimax: bool = False,
        subject_to: Any = (),
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        condition : Condition, OperatingPoint or AssuredChoice
            What to decide under. Not ``Capacity(cases=...)``, which no expression of one row can keep.
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed for a mixture, whose hash of the
            key is that of :meth:`decide`. A NULL key, which :meth:`decide` refuses, is decided by the
            rule of the lower false positive rate.
        columns : mapping of str to str or (table, column), optional
            Where a classifier's scores are; by default in a column of its name. Other names are as for
            :meth:`decide`.

        Returns
        -------
        str
            TRUE or FALSE, never NULL: NULL and NaN pass no threshold. Under a :class:`Review` 'positive',
            'review' or 'negative'. Columns may be of any type of
            number: integers up to 64 bits; decimals, which :meth:`decide` compares alike where they have
            at most 15 significant digits, or are whole. Names are quoted, hence matched in their exact
            letters where the database does so: Snowflake's unquoted names are in capitals.

        Raises
        ------
        ValueError
            If the dialect, a classifier or a name is unknown or unusable, or `key` is missing.

        Examples
        --------
        >>> import rochull as rh
        >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
        >>> print(policy.to_sql(rh.ExpectedCost(cost_fn=5, prevalence=0.5), "duckdb"))
        COALESCE("score" >= CAST('0.7' AS DOUBLE)
        AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)
        """
        plan = self.plan(condition, deterministic, minimax=minimax, subject_to=subject_to)
        return self.decider.expressed(plan, dialect, key=key, columns=columns)

    def _point(self, condition: Any, deterministic: bool, minimax: bool) -> OperatingPoint:
        """The operating point to decide by; a rule without a name is that of the only classifier."""
        condition = _decided(condition)
        if not isinstance(condition, OperatingPoint):
            return self.decided_at(condition, deterministic, minimax=minimax)
        if any(rule.differs_by_segment for rule, _ in condition.rules):
            raise ValueError(_SEGMENTS.format("condition: the point has a rule for each segment"))
        return in_the_name_of(condition, self.classifiers, "condition")

    def decided_at(
        self, condition: Condition, deterministic: bool, *, minimax: bool = False
    ) -> OperatingPoint:
        found = super().decided_at(condition, deterministic, minimax=minimax)
        if deterministic and found.source != "curve" and not self.every_threshold:
            question = condition.question.at_prevalence(self.hull.prevalence)
            way_of(question, deterministic).warn(self.classifiers, _HOLD)
        return found

    def planned(self, point: OperatingPoint) -> Plan:
        return plan_of(point)

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        return {"about": dict(self.about), "salt": self.salt, **contents_of(self.hull, self.every_threshold)}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Policy:
        return cls(policy_hull(fields), fields["salt"], fields["about"], fields["every_threshold"])

    def _card(self) -> Card:
        return hull_card(repr(self), self.hull)

    def __repr__(self) -> str:
        return (
            f"Policy({len(self.hull)} operating points of {', '.join(self.classifiers) or 'no classifier'})"
        )


def _presented(
    columns: ScoreColumns,
    ladder: tuple[Rule, ...],
    lots: Lots,
    cases: int,
    *,
    by_score: bool,
    deterministic: bool = False,
) -> Array:
    """Which rows (n,) are presented: `cases` of them, or those that the left rule of the edge accepts."""
    rules = ladders.edge(ladder, lambda rule: int(np.count_nonzero(columns.passes(rule))), cases)
    passing = [columns.passes(rule) for rule in rules[: 1 if deterministic else 2]]
    if len(passing) == 1:
        return passing[0]
    own = ladders.ordering(rules) if by_score else None
    if own is None:
        return ladders.present(passing[0], passing[1], lots.ranked, cases)
    ranked = ladders.by_score(columns.columns[own.classifier], own.lower_is_positive, lots.ranked)
    return ladders.present(passing[0], passing[1], ranked, cases)


def _decided(condition: Any) -> Condition | Question | OperatingPoint:
    """Return what to decide under: a condition, a point, or the point of something that chose one."""
    if isinstance(condition, (OperatingPoint, Question, Condition)):  # in the order of how fast that is seen
        return condition
    if isinstance(condition, ChosePoint) and isinstance(condition.point, OperatingPoint):
        return condition.point
    kind = type(condition).__name__
    if isinstance(condition, ComparedPoints) and isinstance(condition.minimax, OperatingPoint):
        raise WrongType(
            "{} is a {}; give the rule to decide by, such as its minimax.", Parameter("condition"), kind
        )
    shown = repr(condition)
    shown = f"a {kind}" if len(shown) > _LONG else shown
    raise TypeError(no_condition(shown))
