"""The door of whatever answers questions: what people write becomes a question there."""

from __future__ import annotations

from typing import Any

from rochull.conditions.base import Condition
from rochull.conditions.question import Question
from rochull.conditions.within import Within, as_condition, limits_in


def question_asked(condition: Any, subject_to: Any = ()) -> Question:
    """Make the question to ask of a hull, from a condition, or from a measure to optimise, within limits.

    Parameters
    ----------
    condition : Condition or Objective
    subject_to : RateLimit, Condition, or sequence of these
    """
    limits = limits_in(subject_to)
    if limits:
        return Within(condition, limits).question
    return (condition if isinstance(condition, (Condition, Question)) else as_condition(condition)).question
