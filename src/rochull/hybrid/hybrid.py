"""Several classifiers as one robust system: the ROCCH hybrid of Provost & Fawcett (2001)."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cards import Card, Swatch
from rochull._core.docstrings import EXAMPLES, Described, entries
from rochull._core.messages import Advice, Message, Refusal, Told, in_place_of, refused
from rochull._core.results import Result
from rochull._core.threads import share_out
from rochull._core.validation import Labelled
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.door import question_asked
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.hull.curve import RocCurve, UsualPoints
from rochull.hull.drawing import display
from rochull.hull.hull import RocHull, best_single
from rochull.hull.minimax import SingleRules
from rochull.hull.pictures import colours_of, hull_picture
from rochull.hull.polarity import say_if_reversed
from rochull.hull.spread import ScoreSpread
from rochull.hull.ways import OneThreshold, OnHull, way_of
from rochull.hybrid.dominance import DominanceTable, dominance_of
from rochull.hybrid.members import Examples, Member, Members
from rochull.hybrid.regret import RegretTable, regret_table
from rochull.policies.policy import MOST_THRESHOLDS, Policy

if TYPE_CHECKING:
    from rochull.conditions.review import Review, ReviewFrontier
    from rochull.hybrid.assured import AssuredChoice
    from rochull.hybrid.need import Need
    from rochull.hybrid.restriction import Restriction
    from rochull.hybrid.sensitivity import PotentiallyOptimal, Sensitivity
    from rochull.scanning.readings import Scan

_SHOWN = 10  # names in a message


class Hybrid(Result, Described):
    """Classifiers scored on the same examples, and the best that they can do together.

    Attributes
    ----------
    hulls : dict of str to RocHull
        The hull of each classifier, in the order in which they were added.
    about : dict of str to str
        What the positive class is called (``positive``), and in which column (``label``), where it was said.
    curves : dict of str to RocCurve
        The raw curves, thinned for drawing, where there are some; see :meth:`add`.
    hundredths : dict of str to UsualPoints
        The points at thresholds 1, 0.99, ..., 0, of classifiers whose scores are within [0, 1] and whose
        complete curve was at hand.
    spreads : dict of str to ScoreSpread
        How the scores of each classifier lie whose complete curve was at hand.
    auc : dict of str to float
        Area under the raw curve of each classifier that was added from scores.
    hull : RocHull
        The union hull; every vertex knows its owners.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.dominance_table())
               slope range  dominator
                    [0, 1]  b
                  [1, inf]  a
    absolute dominator: none
    >>> {name: regret.value for name, regret in hybrid.regret(rh.ExpectedCost(cost_fn=3)).items()}
    {'a': 0.25, 'b': 0.0}
    >>> hybrid.without("a").loss(rh.ExpectedCost(cost_fp=3))
    0.25
    """

    parameters_told = EXAMPLES | entries("""
name : str
    Its name; must be new.
curve : bool, default=False
    Keep the complete raw curves; see :meth:`add`.
scores : sequence of str
    Columns of the scores; each is a classifier of that name.
-> Hybrid
    Itself. If nothing of the classifier is above the hull, :attr:`hull` stays the same object.
""")

    __signature__: ClassVar = inspect.Signature()

    def __init__(self, *given: Any, **named: Any) -> None:
        if given or named:
            raise TypeError(
                "Hybrid() is made empty: write Hybrid.from_table(table, label=..., scores=[...]) for columns "
                "of a table, or Hybrid().add(name, y_true, y_score) for each classifier."
            )
        self._members = Members()

    def _holding(self, members: Members) -> Self:
        """Hold other members: nothing else changes a hybrid."""
        self._members = members
        return self

    def __repr__(self) -> str:
        return f"Hybrid({', '.join(self.hulls) or 'empty'})"

    def _card(self) -> Card:
        if not self.hulls:
            return Card(repr(self))
        shades, table = colours_of(self.hulls), self.to_dict()
        names = [Swatch(name, shades[name]) for name in table.pop("classifier")]
        picture = hull_picture(repr(self), self.hull, shades)
        return Card(repr(self), [("classifier", names), *table.items()], picture=picture)

    def to_dict(self) -> dict[str, Any]:
        """Give a row for each classifier.

        Returns
        -------
        dict of str to list
            `classifier`, `auc` of its raw curve (None where there is none), `hull_auc`, and `vertices`, how
            many of the hull's are its own (in-sample).
        """
        owned = [rule.classifier for rules in self.hull.owners for rule in rules]
        return {
            "classifier": list(self.hulls),
            "auc": [self.auc.get(name) for name in self.hulls],
            "hull_auc": [hull.auc() for hull in self.hulls.values()],
            "vertices": [owned.count(name) for name in self.hulls],
        }

    def __str__(self) -> str:
        if len(self.hulls) < 2:
            return repr(self)
        return f"{self!r}\nwhether it is better than its best member: need(condition, y_true, scores)"

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        label: str,
        scores: Sequence[str],
        weight: str | None = None,
        pos_label: object = None,
        lower_is_positive: bool | Sequence[str] = False,
        where: str | None = None,
        curve: bool = False,
    ) -> Hybrid:
        """Make a hybrid of the score columns of one table.

        Parameters
        ----------
        table : str, path, data frame or mapping of str to array-like
            A Parquet or CSV file or a glob of them, of which only the needed columns are read; or
            a table in memory.
        label : str
            Column of the labels.
        weight : str, optional
            Column of the weights.
        pos_label : object, optional
            The label of the positive class. Text is matched to the type of the column.
        lower_is_positive : bool or sequence of str, default=False
            Whether low scores mean positive, as those of a distance do: in all columns of scores, or in those
            that are named.
        where : str, optional
            Rows to use, of a file: a condition in SQL on any of its columns.

        Returns
        -------
        Hybrid
            With the classifiers in the order of `scores`.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the table cannot be read, or a column is missing, has nulls, or is not what it should be.

        Examples
        --------
        >>> import rochull as rh
        >>> rh.Hybrid.from_table(
        ...     {"y": ["no", "yes"], "a": [0.2, 0.7]}, label="y", scores=["a"], pos_label="yes"
        ... )
        Hybrid(a)
        """
        from rochull._core.tables import reversed_columns, scored_examples

        examples = scored_examples(
            table, label=label, scores=scores, weight=weight, pos_label=pos_label, where=where
        )

        reversed_ = reversed_columns(lower_is_positive, examples.scores)

        def scored(name: str) -> tuple[Labelled, Member] | ValueError:
            try:
                data = validation.labelled(
                    examples.positive, examples.scores[name], examples.weights,
                    lower_is_positive=name in reversed_,
                )  # fmt: skip
                return data, Member.from_examples(name, data, curve=curve)
            except ValueError as error:  # of several the first column's is raised, on any number of threads
                return error

        members = Members().called(pos_label, label)
        for name, found in zip(examples.scores, share_out(scored, examples.scores), strict=True):
            if isinstance(found, ValueError):
                raise _of_column(name, found) from None
            data, member = found
            members.check_name(name)
            if member.seems_reversed:
                say_if_reversed(data, f"score column {name!r}")
            known = members.examples  # labels and weights are the same for all
            same = Examples.of(name, data) if known is None else replace(known, classifier=name)
            members = members.joined(member, same)
        return cls()._holding(members)

    @classmethod
    def from_scan(
        cls, scan: Scan, scores: Sequence[str] | None = None, *, segment: Any = None, curve: bool = False
    ) -> Hybrid:
        """Make a hybrid of the score columns of a scan, which may be of more rows than memory holds.

        Parameters
        ----------
        scan : Scan
            What :func:`scan` gave.
        scores : sequence of str, optional
            Columns of the scores; all if not given.
        segment : optional
            Of the rows of this segment; of all if not given.
        curve : bool, default=False
            Keep the raw curves as fine as they were scanned for: single thresholds are looked for on all of
            their points. Without it, those of :attr:`curves` are at most 0.001 apart.

        Returns
        -------
        Hybrid
            Its hulls are those of :meth:`from_table`, number by number. Its :attr:`auc` are the estimates
            of :meth:`Scan.auc`, which are exact after ``scan.auc(exact=True)``. Classifiers that are to be
            added from scores are refused, as it is unknown whether they are of the same rows.

        Raises
        ------
        ValueError
            If a column or the segment is not in the scan, or it lacks a class.

        Examples
        --------
        >>> import rochull as rh
        >>> table = rh.datasets.load("german_credit_scores")
        >>> scan = rh.scan(table, label="class", scores=["knn", "boosted"], pos_label="bad")
        >>> print(rh.Hybrid.from_scan(scan).at(rh.NeymanPearson(0.09), deterministic=True))
        fpr 0.09, tpr 0.417: boosted >= 0.606
        """
        members = Members()
        for name in scan.scores if scores is None else scores:
            found = scan.reading(name, segment=segment)
            members.check_name(name)
            members = members.joined(Member.from_reading(name, found, curve=curve), Examples.of_scan(name))
        return cls()._holding(members)

    # --- adding --------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        curve: bool = False,
    ) -> Hybrid:
        """Add a classifier from its scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            The labels: the same, in the same order, for every classifier of a hybrid.
        sample_weight : array-like of shape (n,), optional
            The same for every classifier.
        curve : bool, default=False
            Keep the complete raw curve. Without it, up to a million examples, a thinned one is kept in
            :attr:`curves` for drawing, and every threshold that can be the best single one;
            beyond that, where sorting them all would be the slowest step, only the hull.

        Raises
        ------
        ValueError
            If the name is taken, or labels or weights differ from those of an earlier classifier.
        """
        self._members.check_name(name)
        data = validation.labelled(
            y_true, y_score, sample_weight, pos_label, lower_is_positive=lower_is_positive
        )
        examples = Examples.of(name, data)
        if self._members.examples is not None:
            self._members.examples.refuse_others(examples)
        member = Member.from_examples(name, data, curve=curve)
        self._holding(self._members.joined(member, examples).called(pos_label))
        if member.seems_reversed:
            say_if_reversed(data, f"y_score of {name!r}")
        return self

    def add_point(self, name: str, fpr: float, tpr: float) -> Hybrid:
        """Add a classifier whose output is 0 or 1, as its point in ROC space.

        Its rule is "score >= 1".

        Parameters
        ----------
        fpr, tpr : float
            Its rates. A rate that equals a count over the number of examples of the other
            classifiers is read as that count.
        """
        self._members.check_name(name)
        return self._holding(self._members.joined(Member(name, RocHull.from_rates([fpr], [tpr]))))

    def add_curve(self, name: str, curve: Any) -> Hybrid:
        """Add a classifier from a curve, such as one averaged over folds.

        Parameters
        ----------
        curve : RocCurve, or any object with fpr, tpr and thresholds
            Points are read on a grid of 1e-18; a RocCurve keeps its exact counts.
        """
        self._members.check_name(name)
        if isinstance(curve, RocCurve):
            member = Member.from_curve(name, RocHull.from_curve(curve), curve, curve.thin())
        else:
            inner = slice(1, None) if np.isinf(np.asarray(curve.thresholds, float)[0]) else slice(None)
            lower = bool(getattr(curve, "lower_is_positive", False))
            rates = curve.fpr[inner], curve.tpr[inner], curve.thresholds[inner]
            member = Member(name, RocHull.from_rates(*rates, lower_is_positive=lower))
        return self._holding(self._members.joined(member))

    # --- reading -------------------------------------------------------------------------------

    @property
    def hulls(self) -> dict[str, RocHull]:
        """The hull of each classifier, in the order in which they were added."""
        return self._members.hulls

    @property
    def curves(self) -> dict[str, RocCurve]:
        """The raw curves, thinned for drawing, where there are some."""
        return {own.name: own.curve for own in self._members.each if own.curve is not None}

    @property
    def hundredths(self) -> dict[str, UsualPoints]:
        """The points at thresholds 1, 0.99, ..., 0, where scores are within [0, 1]."""
        return {own.name: own.hundredths for own in self._members.each if own.hundredths is not None}

    @property
    def spreads(self) -> dict[str, ScoreSpread]:
        """How the scores of each classifier lie whose complete curve was at hand."""
        return {own.name: own.spread for own in self._members.each if own.spread is not None}

    @property
    def auc(self) -> dict[str, float]:
        """Area under the raw curve of each classifier that was added from scores."""
        return {own.name: own.auc for own in self._members.each if own.auc is not None}

    @property
    def about(self) -> dict[str, str]:
        """Name of the positive class, and its column, where they were given."""
        return dict(self._members.about)

    @property
    def hull(self) -> RocHull:
        """The union hull; an error if no classifier has been added."""
        if self._members.union is None:
            raise ValueError("the hybrid is empty: add a classifier first.")
        return self._members.union

    @property
    def prevalence(self) -> float:
        """Proportion of positives, by weight, among the examples; an error if there are only rates."""
        union = self._members.union
        found = None if union is None else union.prevalence
        if found is None:
            raise ValueError("the hybrid has no examples, only rates; give the prevalence yourself.")
        return found

    @takes_condition
    def at(
        self,
        condition: Condition | Objective | Question,
        deterministic: bool = False,
        *,
        subject_to: Any = (),
    ) -> OperatingPoint:
        """Find the best operating point of all classifiers together; see :meth:`RocHull.at`.

        Parameters
        ----------
        condition : Condition or Objective
            With a single number for every parameter.
        deterministic : bool, default=False
            One threshold instead of a mixture: the best of all vertices, also of classifiers below
            the hull, and of their raw curves. So it is never worse than any classifier alone, as far as
            its thresholds are known: a warning names those of which only some are (see :meth:`add`).
        subject_to : RateLimit, Condition, or sequence of these, default=()
            More limits, all of which are kept.

        Returns
        -------
        OperatingPoint
            It names the classifiers that it needs. With a stated confidence it is that of
            :meth:`assured`.
        """
        asked = question_asked(condition, subject_to)
        return way_of(asked.at_prevalence(self.hull.prevalence), deterministic).point(self).under(asked)

    @takes_condition
    def review_frontier(self, costs: Review | ExpectedCost) -> ReviewFrontier:
        """Compute the least cost for every share of cases that is reviewed.

        See :meth:`RocHull.review_frontier`.

        Parameters
        ----------
        costs : Review or ExpectedCost
            With a single number for every parameter.

        Returns
        -------
        ReviewFrontier
            Of the best classifier for each share, by its own hull.
        """
        from rochull.conditions.review import frontier_over, review_of

        return frontier_over(review_of(costs, self.hull.prevalence), self.hulls.values())

    # What ways of finding a point ask for; see `rochull.hull.ways`.

    def alone(self) -> Iterable[RocHull]:
        """Give the hull of each classifier.

        Returns
        -------
        iterable of RocHull
            In the order in which they were added.
        """
        return self.hulls.values()

    def best_point(self, question: Question) -> OperatingPoint:
        """Find the best vertex of :attr:`hull`, or mixture of two; see :meth:`RocHull.best_point`.

        Parameters
        ----------
        question : Question
            Of single numbers, at a known prevalence.

        Returns
        -------
        OperatingPoint
            With its rules.
        """
        return self.hull.best_point(question)

    def best_single_point(self, question: Question) -> OperatingPoint:
        """Find the best single rule of all classifiers; see :meth:`RocHull.best_single_point`.

        Parameters
        ----------
        question : Question
            Of single numbers, at a known prevalence.

        Returns
        -------
        OperatingPoint
            With its rule.
        """
        return best_single([self.hull, *self.hulls_with_curves.values()], question)

    def assured_point(self, question: Question) -> OperatingPoint:
        """Find the best rule that is assured, as :meth:`assured` does.

        Parameters
        ----------
        question : Question
            With a confidence, at a known prevalence.

        Returns
        -------
        OperatingPoint
            With its rule.
        """
        return self.assured(question.asked).point

    @property
    def hulls_with_curves(self) -> dict[str, RocHull]:
        """The hulls, each holding what is known of its raw curve: where single thresholds are looked for."""
        return {member.name: member.with_curve for member in self._members.each}

    @property
    def unknown_thresholds(self) -> list[str]:
        """The classifiers of which not every threshold is known that can be the best single one."""
        return [member.name for member in self._members.each if not member.is_complete]

    def _asked(self, condition: Condition) -> Question:
        """The question, at the prevalence of the examples if it states none."""
        return question_asked(condition).at_prevalence(self.hull.prevalence)

    @takes_condition
    def assured(
        self,
        condition: Condition,
        y_true: ArrayLike | None = None,
        scores: Any = None,
        *,
        pos_label: object = None,
    ) -> AssuredChoice:
        """Choose a threshold with which the population keeps limits with a stated confidence.

        Parameters
        ----------
        condition : Condition
            With limits and a confidence.
        y_true : array-like of shape (n,), optional
            Labels of a separate split, on which to set the threshold. Without it the examples of the
            hybrid set it, corrected for the number of its classifiers; those that :meth:`restrict` or
            :meth:`without` left out count too, for these examples could choose among them.
        scores : data frame or mapping of str to array-like of shape (n,), optional
            Scores of the separate split; only the chosen classifier's column is read.
        pos_label : object, optional
            The label of the positive class in `y_true`.

        Returns
        -------
        AssuredChoice
            The assured rule beside the plain empirical one; errors as for :meth:`AssuredChoice.from_hulls`.
        """
        from rochull.hybrid.assured import AssuredChoice, refuse_repeats, with_confidence

        if not self.hulls:
            raise ValueError("the hybrid is empty: add a classifier first.")
        if (y_true is None) != (scores is None):
            raise refused("y_true", "and scores of a separate split must be given together.")
        hulls = self.hulls_with_curves
        if y_true is None:
            refuse_repeats(with_confidence(condition), self._members.repeats)
            return AssuredChoice.from_hulls(hulls, condition, n_candidates=self._members.n_candidates)
        return AssuredChoice.on_split(hulls, condition, y_true, scores, pos_label=pos_label)

    @takes_condition
    def need(
        self,
        condition: Condition,
        y_true: ArrayLike,
        scores: Any,
        *,
        pos_label: object = None,
        n_folds: int = 10,
        n_repeats: int = 1,
        random_state: Any = 0,
        clusters: ArrayLike | None = None,
        against: Rule | None = None,
    ) -> Need:
        """Test whether the hybrid differs from its best member under a condition.

        Its hull is at least as good as each of them on the examples that made it, always. Here both are
        chosen on all folds but one, and judged on that one. Under one condition the best rule of a hybrid is
        that of its best member, so that the two differ only where members tie: what a hybrid brings, it
        brings where conditions vary (`regret`, `dominance_table`). ``members`` tells how sure it is which
        one is best.

        Parameters
        ----------
        condition : Condition
            Costs, within limits or not, or a limit on a rate, with a single number for every parameter.
        y_true : array-like of shape (n,)
            The labels: a hybrid does not keep its examples, so they are given again.
        scores : data frame or mapping of str to array-like of shape (n,)
            A column for each classifier of the hybrid.
        n_folds : int, default=10
            Each class needs twice as many examples.
        n_repeats : int, default=1
            How many times the examples are split into folds. Costs are means over these, so that they
            depend less on how examples were split.
        random_state : int, Generator or None, default=0
            Shuffles the folds.
        clusters : array-like of shape (n,), optional
            Whom each example belongs to (patient, customer): folds and errors are of whole clusters.
        against : Rule, optional
            A rule that no part chose, such as today's: ``held_out`` has differences to it.

        Returns
        -------
        Need
            Both costs, held out, and a test of their difference, paired by case; and what the best rules of
            each classifier alone cost, and thresholds that need no data, 0.5 and the one that the costs set
            for a calibrated probability. The test is of these rules on new cases; that other examples would
            have made other rules is not in it.

        Raises
        ------
        ValueError
            If the condition has neither costs nor a limit on a rate, a column is missing, or there are too
            few examples.
        """
        from rochull.hybrid.need import need_of

        question = self._asked(condition)
        options: dict[str, Any] = {"pos_label": pos_label, "n_folds": n_folds}
        options |= {"n_repeats": n_repeats, "random_state": random_state}
        options |= {"clusters": clusters, "against": against}
        return need_of(self.hulls, question, y_true, scores, **options)

    def dominance_table(self) -> DominanceTable:
        """Tell which classifier is optimal at which slopes.

        Returns
        -------
        DominanceTable
            One row for each run of vertices with the same owners, by ascending slope; the constant
            rules own the corners. A classifier that touches an edge of the hull is named with its slope.
        """
        return dominance_of(self.hull, self.hulls)

    @takes_condition
    def potentially_optimal(self, condition: Condition) -> PotentiallyOptimal:
        """Find the segment of the hull that is optimal somewhere in the range of a condition.

        Parameters
        ----------
        condition : Condition
            Any of its numbers may be an interval; those of an :class:`ExpectedCost` a distribution,
            of which the support counts. A limit with a stated confidence is refused.

        Returns
        -------
        PotentiallyOptimal
            The vertices; as a sequence, the names of the classifiers that own them, in order of
            ascending slope. Constant rules are not listed.

        Raises
        ------
        InfeasibleConditionError
            If no point meets the condition somewhere in the range.
        """
        from rochull.hybrid.sensitivity import potentially_optimal

        return potentially_optimal(self._asked(condition), self.hull)

    @takes_condition
    def regret(self, condition: Condition) -> RegretTable:
        """Tell what rules, and each classifier alone, lose against the hybrid.

        Under an imprecise condition the hybrid is given the right numbers and the rule is not: its
        regret has a worst case over the range, which is attained at a corner of the box, and a mean.
        The minimax-regret rule loses least in the worst case; it may be a mixture of two vertices.

        Parameters
        ----------
        condition : Condition
            Any of its numbers may be an interval. Those of an :class:`ExpectedCost` may be
            distributions: worst cases are then taken over the support, and are infinite where a cost
            has no bound. Means read an interval as a uniform distribution.

        Returns
        -------
        RegretTable
            A mapping from every classifier, also those that are not on the hull, to what it loses. Single
            rules are looked for among the thresholds that are known: a warning names the classifiers of
            which only some are, as in :meth:`at`.

        Notes
        -----
        Under a constraint a rule that breaks the limit anywhere in the range has infinite regret; of
        the others, regret is the shortfall in true positive rate (for a minimum recall, the excess
        of the false positive rate). With a stated confidence each classifier's own rule is corrected
        for the number of all, so the limits are kept by whichever row of the table is picked; under costs
        every rule is then a single threshold, and regret is against the best that is assured. If no point
        of the hull keeps it somewhere in the range, there is an InfeasibleConditionError.
        """

        question = self._asked(condition)
        asked = way_of(question, deterministic=True)
        hulls = self.hulls if isinstance(asked, OnHull) else self.hulls_with_curves
        asked.warn(self.unknown_thresholds)

        def at(precise: Question, deterministic: bool, name: str | None) -> OperatingPoint:
            among = self if name is None else only(self, [name])
            way = way_of(precise, deterministic)
            if isinstance(way, OneThreshold):
                return among.best_single_point(precise)
            return way.point(among)

        def assured() -> dict[str, list[SingleRules]]:
            from rochull.hybrid.assured import assured_rules, refuse_repeats

            refuse_repeats(question, self._members.repeats)
            return assured_rules(hulls, question, self._members.n_candidates)

        return regret_table(question, self.hull, hulls, at, assured)

    @takes_condition
    def sensitivity(self, condition: Condition) -> Sensitivity:
        """Tell where the optimal rule changes as one number of a condition does, and what is at stake.

        Parameters
        ----------
        condition : Condition
            A cost or a limit, precise or not, without confidence. A single number is varied by a
            factor of 10 each way (a rate: by a factor of 10 in its odds), an interval from end to
            end, with the others at their middle.

        Returns
        -------
        Sensitivity
            The breakpoints of each parameter, the rule on each side, and what keeping the present
            one would lose.
        """
        from rochull.hybrid.sensitivity import sensitivity_of

        return sensitivity_of(self._asked(condition), self.hull)

    @takes_condition
    def restrict(self, condition: Condition | None = None, keep: Sequence[str] = ()) -> Restriction:
        """Choose a small set of classifiers that is enough for the range of a condition.

        Every vertex of the segment that is optimal somewhere in the range is owned by one that is
        kept, so nothing is lost inside the range. Those that own a vertex alone come first; the rest
        is a set cover, found greedily: always the one that owns most of the vertices that are still
        without an owner. It can be larger than the smallest cover, by a factor of 1 + ln(vertices)
        at most.

        Parameters
        ----------
        condition : Condition, optional
            The range of conditions; all slopes if there is none.
        keep : sequence of str, default=()
            Classifiers of the hybrid that are kept in any case.

        Returns
        -------
        Restriction
            The classifiers, their hybrid, and what is given up outside the range. Under a stated confidence
            that hybrid is still corrected for all classifiers: the same examples chose among them.
        """
        from rochull.hybrid.restriction import Restriction, cover

        kept = self._known(keep, "keep")
        first, last = 1, len(self.hull) - 2
        if condition is not None:
            question = self._asked(condition)
            condition = question.asked
            first, last = question.segment(self.hull.frontier)
        chosen = cover([self.hull.owners[i] for i in range(first, last + 1)], kept, list(self.hulls))
        return Restriction(condition, self, only(self, chosen), (first, last))

    def without(self, names: str | Sequence[str]) -> Restriction:
        """Leave classifiers out, such as those that are too expensive to run, and tell what that loses.

        Parameters
        ----------
        names : str or sequence of str
            Classifiers to leave out; one at least must stay.

        Returns
        -------
        Restriction
            The hybrid of the others, and what is given up. Under a stated confidence it is still
            corrected for all classifiers, because it may be the examples that spoke against some.
        """
        from rochull.hybrid.restriction import Restriction

        gone = self._known([names] if isinstance(names, str) else names, "names")
        stay = [name for name in self.hulls if name not in gone]
        if not stay:
            raise refused("names", "holds all classifiers: one at least must stay.")
        return Restriction(None, self, only(self, stay), None)

    def _known(self, names: Sequence[str], what: str) -> list[str]:
        """The names, if all are classifiers of this hybrid."""
        if isinstance(names, str):
            raise ValueError(f"{what} must be a sequence of names, but is {names!r}.")
        for name in names:
            if name not in self.hulls:
                there = ", ".join(map(repr, self.hulls))
                raise ValueError(f"{what}: there is no classifier {name!r}; there are {there}.")
        return list(names)

    def plot(self, condition: Condition | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw the curves, their hull and the best point under a condition; needs matplotlib.

        Parameters
        ----------
        condition : Condition, optional
            Its best point is marked.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of :meth:`rochull.plotting.RocHullDisplay.plot`.

        Returns
        -------
        RocHullDisplay
            With the figure as `figure_`.
        """
        return display("RocHullDisplay").from_hybrid(self, condition=condition, ax=ax, **options)

    def policy(
        self,
        *,
        singles: Iterable[OperatingPoint] = (),
        most: int = MOST_THRESHOLDS,
        salt: str = "",
        about: Mapping[str, str] | None = None,
    ) -> Policy:
        """Make the deployable policy of the union hull; see :meth:`Policy.from_hull`.

        Parameters
        ----------
        singles : iterable of OperatingPoint, default=()
            Single rules between the vertices to hold besides them, such as ``hybrid.at(condition,
            deterministic=True)`` or ``hybrid.regret(rough).least_worst_single.point``.
        most : int, default=1000
            As for :meth:`Policy.from_hull`.
        salt : str, default=""
            Mixed into the hash of keys.
        about : mapping of str to str, optional
            Free text to keep in the document.

        Returns
        -------
        Policy
            It needs nothing else to decide. It holds the vertices of the hull, and the single rules between
            them that some condition can find best, if these are few; else its best single rule can be worse
            than that of :meth:`at`, unless that is one of `singles`. :meth:`Policy.decide` takes points too.
        """
        known = self.hulls_with_curves.values()
        curves = {name: curve for hull in known for name, curve in hull.curves.items()}
        hull = replace(self.hull, curves=curves)
        return Policy.from_hull(hull, singles=singles, most=most, salt=salt, about=about)


def holding(members: Members) -> Hybrid:
    """Make the hybrid of such members."""
    return Hybrid()._holding(members)


def only(hybrid: Hybrid, names: Sequence[str]) -> Hybrid:
    """A hybrid of some of the classifiers, in the order in which they were added."""
    return holding(hybrid._members.only(names))


def _of_column(name: str, error: ValueError) -> Refusal:
    """Return the error about the scores of a table's column."""
    column = Message("score column {}{}", repr(name), Advice("y_score", ": y_score"))
    if isinstance(error, Told) and error.parameter == "y_score":
        return Refusal(error.message.changed(in_place_of({"y_score": column})))
    return Refusal("score column {}: {}", repr(name), error)
