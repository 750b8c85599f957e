"""Questions that policies ask of a condition: the only place in this wing that reads its flags."""

from __future__ import annotations

from typing import Any

from rochull.conditions.base import Condition
from rochull.conditions.measures import AlarmRate
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.within import question_asked


def within(condition: Any, subject_to: Any) -> Any:
    """Return what to decide under, within limits; a point, or what chose one, is returned unchanged."""
    if isinstance(condition, Objective) or subject_to != ():
        return question_asked(condition, subject_to)
    return condition


def asked_of(condition: Any, subject_to: Any) -> Question:
    """The condition that is asked, within limits; points are none."""
    return question_asked(condition, subject_to)


def cases_of(condition: Any) -> int | None:
    """How many rows of a batch the condition wants, whole ones; None if it does not speak of cases."""
    return condition.question.cases_in_batch if isinstance(condition, (Condition, Question)) else None


def reviews_of(condition: Any) -> int | None:
    """How many rows of a batch can be reviewed; None if the condition does not speak of that."""
    return condition.question.reviews_in_batch if isinstance(condition, (Condition, Question)) else None


def of_batch(condition: Any) -> bool:
    """Whether a batch as a whole keeps it."""
    return (cases_of(condition), reviews_of(condition)) != (None, None)


def beside_cases(condition: Condition | Question) -> Question | None:
    """The question without the number of cases; None if it says nothing else."""
    return condition.question.beside_batch()


def states_no_prevalence(condition: Condition | Question) -> bool:
    """Whether the condition depends on a prevalence that it does not state."""
    return condition.question.lacks_prevalence


def assurance_of(condition: Condition | Question) -> float | None:
    """How sure its limits have to be; None if they are kept on the examples alone."""
    return condition.question.confidence


def prevalence_asked(condition: Condition | Question, own: float | None) -> float | None:
    """The prevalence that it is about, or that of the policy's data; None if that is not one number."""
    found = condition.question.own_prevalence
    found = own if found is None else found
    return None if found is None or isinstance(found, tuple) else float(found)


def limits_alarms(condition: Condition | Question) -> bool:
    """Whether it limits the share of cases that are called positive."""
    return any(
        isinstance(each.measure, AlarmRate) and each.side == "<=" for each in condition.question.limits
    )


def may_review(condition: Condition | Question) -> bool:
    """Whether some cases may be reviewed, so that decisions are words."""
    return condition.question.can_review


def has_ranges(condition: Condition | Question) -> bool:
    """Whether some of its numbers are intervals."""
    return bool(condition.question.ranges)


def may_lie_between(condition: Condition | Question) -> bool:
    """Whether its best single rule may lie between vertices of the hull."""
    return not condition.question.best_is_vertex


def costs_of(condition: Condition | Question) -> Any:
    """The expected cost that it is, in its own unit; None if it is another condition."""
    question = condition.question
    return None if question.limits or question.batch is not None else question.costs
