"""Numbers of cases that a condition speaks of, and other questions of policies."""

from __future__ import annotations

from typing import Any

from rochull.conditions.base import Condition
from rochull.conditions.door import question_asked
from rochull.conditions.measures import AlarmRate
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint


def within(condition: Any, subject_to: Any) -> Any:
    """Return what to decide under, within limits; a point, or what chose one, is returned unchanged."""
    if subject_to != () or (not isinstance(condition, OperatingPoint) and isinstance(condition, Objective)):
        return question_asked(condition, subject_to)
    return condition


def cases_of(condition: Any) -> int | None:
    """How many rows of a batch the condition wants, whole ones; None if it does not speak of cases."""
    return condition.question.cases_in_batch if is_asked(condition) else None


def reviews_of(condition: Any) -> int | None:
    """How many rows of a batch can be reviewed; None if the condition does not speak of that."""
    return condition.question.reviews_in_batch if is_asked(condition) else None


def is_asked(condition: Any) -> bool:
    """Whether it is a condition; of a point, which services decide one case by, that is seen at once."""
    return not isinstance(condition, OperatingPoint) and isinstance(condition, (Question, Condition))


def of_batch(condition: Any) -> bool:
    """Whether a batch as a whole keeps it."""
    return (cases_of(condition), reviews_of(condition)) != (None, None)


def beside_cases(condition: Condition | Question) -> Question | None:
    """The question without the number of cases; None if it says nothing else."""
    return condition.question.beside_batch()


def states_no_prevalence(condition: Condition | Question) -> bool:
    """Whether the condition depends on a prevalence that it does not state."""
    return condition.question.lacks_prevalence


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


def limits_reviews(condition: Condition | Question) -> bool:
    """Whether it limits the share of cases that are reviewed."""
    return condition.question.parameters.get("max_share") is not None
