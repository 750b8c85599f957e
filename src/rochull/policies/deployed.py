"""Policies of two classes whose hull answers conditions."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from rochull._core.messages import Advice, Message, Refusal, Setting, refused
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.conditions.door import question_asked
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint
from rochull.decisions import questions
from rochull.decisions.any_policy import AnyPolicy
from rochull.decisions.plans import Plan
from rochull.hull.hull import RocHull


class Deployed(AnyPolicy, abstract=True):
    """Base of the policies: operating points and rules that decide under conditions given at run time."""

    hull: RocHull
    _batch_alone: ClassVar[str] = (
        "condition: a capacity of so many cases is kept by a batch as a whole, which no expression "
        "of one row can; give Capacity(fraction=...), or the point policy.at(condition)."
    )
    _assured_otherwise: ClassVar[str] = (
        "decide by the point that Hybrid.at, or RocHull.at of one classifier, finds with it, or by a "
        "FixedPolicy of that."
    )

    @takes_condition
    def at(
        self,
        condition: Condition | Objective,
        deterministic: bool = False,
        *,
        minimax: bool = False,
        subject_to: Any = (),
    ) -> OperatingPoint:
        """Find the operating point that decides under a condition; see :meth:`RocHull.at`.

        Returns
        -------
        OperatingPoint
            The same as of the hull that the policy was made from, with two limits: a single rule is
            the best of those that the policy holds, and a limit with a stated
            confidence needs the examples. Give :meth:`decide` the point ``hull.at(condition)`` then, or save
            that rule by ``hybrid.assured(condition).policy()``.
        """
        wanted = question_asked(condition, subject_to)
        self._refuse_confidence(wanted)
        if minimax:
            from rochull.hull.minimax import minimax_point

            return minimax_point(self.hull, wanted, deterministic)
        return self.hull.at(wanted, deterministic)

    def plan(
        self,
        condition: Any,
        deterministic: bool = False,
        *,
        minimax: bool = False,
        subject_to: Any = (),
    ) -> Plan:
        """Find the plan that decides under a condition, or at a point.

        Returns
        -------
        Plan
            That of the point that :meth:`at` finds; not of ``Capacity(cases=...)``, which no plan for single
            cases can keep.
        """
        if isinstance(condition, Plan):
            return condition
        wanted = self._by_case(condition, subject_to)
        return self.planned(self._point(wanted, deterministic, minimax))

    def _by_case(self, condition: Any, subject_to: Any) -> Any:
        """Return what to decide under, if single cases can keep it."""
        wanted = questions.within(condition, subject_to)
        if questions.cases_of(wanted) is not None:
            raise ValueError(self._batch_alone)
        return wanted

    @abstractmethod
    def _point(self, condition: Any, deterministic: bool, minimax: bool) -> OperatingPoint:
        """The operating point to decide by."""

    @abstractmethod
    def planned(self, point: OperatingPoint) -> Plan:
        """Make the plan of an operating point.

        Parameters
        ----------
        point : OperatingPoint
            What decides.

        Returns
        -------
        Plan
            What is done with a case.
        """

    def _refuse_confidence(self, condition: Condition | Question) -> None:
        # The counts of the vertices would do for some limits, but not how many classifiers there were.
        question = condition.question
        question.refuse(
            confidence=lambda: Refusal(
                "{} needs the examples, which a policy does not hold; {}",
                Setting("confidence", question.confidence, "g"),
                self._assured_otherwise,
            )
        )

    def _cases_of(self, condition: Any, *, minimax: bool = False) -> int | None:
        """How many rows of a batch are asked for, with nothing that a batch cannot keep; None if not said."""
        cases = questions.cases_of(condition)
        if cases is not None or questions.reviews_of(condition) is not None:
            self._refuse_confidence(condition)
            if minimax:
                raise refused(
                    "minimax",
                    "has no effect on a number of cases, which the batch keeps by its own counts; leave it "
                    "out, or limit the share, such as by {}.",
                    Advice("share", "Capacity(fraction=...)"),
                )
        return cases

    def _told_prevalence(self, condition: Condition) -> float:
        """The prevalence at which probabilities are stated."""
        found = condition.question.at_prevalence(self.hull.prevalence).own_prevalence
        if isinstance(found, tuple):
            raise Refusal(
                "{} is an interval, but probabilities need one number; give one.",
                Setting("prevalence", found),
            )
        return float(found)

    def decided_at(
        self, condition: Condition, deterministic: bool, *, minimax: bool = False
    ) -> OperatingPoint:
        """Find what decides, as :meth:`at`; a warning if the policy's own prevalence chose it.

        Returns
        -------
        OperatingPoint
            Decisions cannot say where their prevalence comes from, as this point does.
        """
        found = self.at(condition, deterministic, minimax=minimax)
        if found.prevalence_from is not None:
            warn_of_own_prevalence(found.prevalence)
        return found


def warn_of_own_prevalence(prevalence: float | None) -> None:
    """Say that a condition states no prevalence, and which one decides."""
    warn(
        Message(
            "condition states no prevalence, so that of the policy's data decides, {}; state that of "
            "the cases to be decided, such as {}.",
            f"{prevalence:.4g}",
            Setting("prevalence", 0.1),
        )
    )
