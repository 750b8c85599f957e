"""Policies that know their examples: what their rules do on new cases, and what others would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.messages import Refusal, refused
from rochull._core.rows import refuse_other_order
from rochull._core.tables import some_labels
from rochull._core.validation import probability, weights_1d
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint
from rochull.decisions import questions
from rochull.decisions.score_columns import ScoreColumns, renamed, same_size
from rochull.policies.deployed import Deployed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rochull.policies.diff import Belief, PolicyDiff
    from rochull.policies.label_plan import LabelPlan
    from rochull.policies.performance import Performance
    from rochull.policies.worst_case import WorstCase


class Assessed(Deployed, abstract=True):
    """Base of the policies that hold a hull with its examples: they judge rules on batches."""

    @takes_condition
    def performance(
        self,
        scores: Any,
        condition: Condition | Objective | OperatingPoint,
        y_true: ArrayLike | None = None,
        *,
        pos_label: object = None,
        deterministic: bool = False,
        subject_to: Any = (),
        columns: Mapping[str, str] | None = None,
        level: float = 0.95,
        count: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Performance:
        """Estimate what the deployed rule does on a batch: rates, cost, and what another rule would save.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As for :meth:`decide`.
        condition : Condition or OperatingPoint
            What the rule was found for; not one that a batch as a whole keeps, or with reviews.
        y_true : array-like of shape (n,), optional
            Labels, missing (None or NaN) where they are not known: those that are known have to be a random
            sample of the batch. They correct the estimates, and test both assumptions.
        sample_weight : array-like of shape (n,), optional
            Where some cases were more likely to get a label than others, the inverse of that probability for
            each case with a label; then only the posteriors are tested. :meth:`label_plan` and
            :meth:`decide` with `explore` give such probabilities.
        count : array-like of int, shape (n,), optional
            How many cases each row stands for, where a database has counted them: those between two
            thresholds of the policy may be one row.
        pos_label : object, optional
            The label of the positive class in `y_true`.
        columns : mapping of str to str, optional
            As for :meth:`decide`.

        Returns
        -------
        Performance
            With `label` and `covariate`, two answers under two assumptions, each with intervals; `pvalue` of
            the first; and by the labels `observed`.

        Raises
        ------
        ValueError
            If the policy holds no numbers of examples, the condition has reviews or is kept by a batch as a
            whole, a column is missing, or no case has a score.

        Notes
        -----
        Without labels nobody can know whether the classes' scores are the same and their proportion has
        moved (label shift), or posteriors are the same and other cases come (covariate shift): what the
        rule costs under one is wrong under the other, and only the first can be tested. Every figure
        follows from three shares of the cases: flagged rightly, flagged wrongly, positive. Intervals carry
        the errors of the batch and of the policy's examples, and how much too well the rule does on the
        examples that chose it (leaving one out, in closed form: ``policies/shares.py``).

        With labels, posteriors correct for which cases happened to be labelled (Angelopoulos, Duchi &
        Zrnic 2023, PPI++).
        """
        from rochull.policies.performance import Deployment
        from rochull.policies.prevalence import present

        wanted = questions.within(condition, subject_to)
        if isinstance(wanted, Condition | Question):
            wanted.question.refuse(
                reviews=Refusal(
                    "condition has reviews, whose performance is not estimated; give the costs without them."
                )
            )
        wanted = self._by_case(wanted, ())
        point = self._point(wanted, deterministic, minimax=False)
        named = renamed(scores, columns, self.classifiers)
        beside = {"y_true": y_true, "sample_weight": sample_weight, "count": count}
        refuse_other_order({"scores": scores, **beside})
        held = ScoreColumns(named, present(named, self.hull.classifiers)).counted(count)
        truth = None if y_true is None else some_labels(y_true, pos_label, "y_true")
        if truth is not None:
            same_size(len(truth), held.size, "y_true", "scores")
        level = probability(level, "level", open_ends=True)
        weight = None if sample_weight is None else weights_1d(sample_weight)
        if weight is not None:
            same_size(len(weight), held.size, "sample_weight", "scores")
            if truth is None or weight[~np.isnan(truth)].min(initial=1) < 1:
                raise refused("sample_weight", "must be at least 1 for each case with a label in y_true.")
        return Deployment(self.hull, point, wanted, weight).on(held, truth, level)

    @takes_condition
    def label_plan(
        self,
        scores: Any,
        n: int,
        target: Literal["decision", "cost"] = "decision",
        condition: Condition | Objective | OperatingPoint = ExpectedCost(),  # noqa: B008
        *,
        columns: Mapping[str, str] | None = None,
        level: float = 0.95,
    ) -> LabelPlan:
        """Say which cases to label, with which probability, and how much will be known then.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As for :meth:`decide`.
        n : int
            How many cases can be labelled.
        target : {"decision", "cost"}, default="decision"
            What is to be known: whether another rule of the policy would be better, which cases near the
            threshold tell; or what the deployed rule costs.
        condition : Condition or OperatingPoint, default=ExpectedCost()
            What the rule was found for, with its costs.
        columns : mapping of str to str, optional
            As for :meth:`decide`.

        Returns
        -------
        LabelPlan
            With `probability`, `width` and `draw`.

        Raises
        ------
        ValueError
            If `n` is not between 2 and the number of cases with a score, or as for :meth:`performance`.

        Notes
        -----
        The labels correct what posteriors say of all cases, so the variance is that of the labels about their
        posteriors, each divided by its probability: it is least where the probability is proportional
        to what a label may cost, times ``sqrt(p (1 - p))`` (Neyman). A tenth of the labels is spread
        evenly, for the case that the posteriors are wrong. Give the labels to :meth:`performance` with
        ``sample_weight=plan.weight``.
        """
        from rochull.policies.label_plan import planned

        wanted, point, held = self._deciding(condition, scores, columns)
        return planned(
            self.hull, point, wanted, held, (n, target, probability(level, "level", open_ends=True))
        )

    def _deciding(
        self, condition: Any, scores: Any, columns: Any
    ) -> tuple[Any, OperatingPoint, ScoreColumns]:
        """The condition, its rule, and the scores of the one classifier by which it decides."""
        wanted = self._by_case(condition, ())
        point = self._point(wanted, deterministic=False, minimax=False)
        if len(point.classifiers) > 1:
            raise refused("condition", "is decided by two classifiers; ask for one rule of one of them.")
        named = renamed(scores, columns, self.classifiers)
        needed = list(point.classifiers) or [self.classifiers[0]]
        return wanted, point, ScoreColumns(named, needed, len(self.classifiers) < 2)

    @takes_condition
    def worst_case(
        self,
        scores: Any,
        condition: Condition | Objective | OperatingPoint,
        factor: float = 2.0,
        *,
        margin: float = 0.02,
        columns: Mapping[str, str] | None = None,
    ) -> WorstCase:
        """Say how much the deployed rule can cost if likelihood ratios are off by up to a factor.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            As for :meth:`decide`.
        condition : Condition or OperatingPoint
            What the rule was found for, with its costs.
        factor : float, default=2.0
            At least 1. The posterior odds of each range of scores may be so many times as large, or as small.
        margin : float, default=0.02
            The part of the cost that other decisions have to save before they count as better.
        columns : mapping of str to str, optional
            As for :meth:`decide`.

        Returns
        -------
        WorstCase
            With the bounds of the cost, which are sharp, and the factor from which other decisions may be
            better.
        """
        from rochull.policies.worst_case import worst_case

        wanted, point, held = self._deciding(condition, scores, columns)
        return worst_case(self.hull, point, wanted, held, (factor, margin))

    @takes_condition
    def diff(
        self,
        other: Any,
        scores: Any,
        condition: Condition | Objective | OperatingPoint,
        y_true: ArrayLike | None = None,
        *,
        pos_label: object = None,
        level: float = 0.95,
        **how: Any,
    ) -> PolicyDiff:
        """Compare with another policy on the same cases: who is decided otherwise, and what that costs.

        Parameters
        ----------
        other : Policy, or a policy of another kind
            The new one. A policy whose rules were found before is asked nothing.
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            With the columns of both policies; an array is read by both.
        condition : Condition or OperatingPoint
            What both decide under; its costs are those that are compared.
        y_true : array-like of shape (n,), optional
            Labels, missing where they are not known; those that are have to be a random sample.
        pos_label : object, optional
            The label of the positive class.
        **how
            More that :meth:`decide` takes, for both, such as `key`.

        Returns
        -------
        PolicyDiff
            Numbers of cases, and the change of the cost by the posteriors of each policy and by the labels.

        Raises
        ------
        ValueError
            As for :meth:`decide`, or if a policy decides more than positive or negative.
        """
        from rochull.policies.diff import Changes
        from rochull.policies.saved_plan import SavedPlan

        refuse_other_order({"scores": scores, "y_true": y_true})
        own = self.decide(scores, condition, **how)
        asked = () if isinstance(other, SavedPlan) else (condition,)
        theirs = other.decide(scores, *asked, **how)
        for found in (own, theirs):
            if found.dtype != bool:
                raise refused("other", "is compared by who is flagged: some cases are decided otherwise.")
        truth = None if y_true is None else some_labels(y_true, pos_label, "y_true")
        if truth is not None:
            same_size(len(truth), len(own), "y_true", "scores")
        wanted = questions.within(condition, how.get("subject_to", ()))
        changes = Changes(own, theirs, np.ones(len(own)), wanted, probability(level, "level", open_ends=True))
        return changes.found((belief_of(self, wanted), belief_of(other, wanted)), scores, truth)


def belief_of(policy: Any, condition: Any) -> Belief | None:
    """Tell what decisions of a policy of any kind go by; None where it has no posteriors."""
    from rochull.policies.diff import Belief

    if not isinstance(policy, Assessed):
        return None
    decides = () if questions.of_batch(condition) else policy.at(condition).classifiers
    every = (*decides, *policy.classifiers)
    return Belief(policy.hull, every[0]) if every else None
