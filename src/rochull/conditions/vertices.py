"""Vertices that a question is asked of, and why it may have no answer there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from rochull._core.messages import Refusal, Setting, refused
from rochull.conditions.frontier import Frontier

if TYPE_CHECKING:
    from rochull.conditions.rules import Rule


def unsaid() -> Refusal:
    """Say that a prevalence is needed."""
    return refused(
        "prevalence",
        "is needed: the condition states none, and there are no examples here whose own could stand for it; "
        "state one, such as {}.",
        Setting("prevalence", 0.1),
    )


class InfeasibleConditionError(Refusal):
    """No operating point meets the condition; the message says what can be reached.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.
    """


class Vertices(Protocol):
    """Vertices of a hull, on which points are found, the rules that reach them, and the data's prevalence."""

    @property
    def frontier(self) -> Frontier:
        """The vertices."""

    @property
    def owners(self) -> Sequence[tuple[Rule, ...]]:
        """The rules that reach each."""

    @property
    def prevalence(self) -> float | None:
        """Proportion of positives in the data; None if there are none."""

    @property
    def every_threshold(self) -> Vertices | None:
        """The points of all thresholds of the one classifier, unweighted; None if they are not known."""
