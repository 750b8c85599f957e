"""Limits that no point keeps, and what each would have to be instead; and those that no best point keeps."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.messages import Advice, Message, joined
from rochull.conditions.frontier import Frontier, common_stretch
from rochull.conditions.objectives import RateLimit
from rochull.conditions.vertices import InfeasibleConditionError


def unmet(limits: Sequence[RateLimit], frontier: Frontier) -> InfeasibleConditionError:
    """Say which limits no point of a hull keeps together, and what each would have to be."""
    helpful = []
    for limit in limits:
        others = common_stretch([other for other in limits if other is not limit], frontier)
        if others is not None:
            helpful.append(limit.relaxed(others))
    return _none(limits, frontier, helpful)


def unmet_alone(limits: Sequence[RateLimit], frontier: Frontier) -> InfeasibleConditionError:
    """The same of single rules: what is offered instead is kept by one, too."""
    met = [limit.met_by(frontier) for limit in limits]
    helpful = []
    for i, limit in enumerate(limits):
        others = np.ones(len(frontier.fp), bool)
        for kept in (*met[:i], *met[i + 1 :]):
            others &= kept
        helpful.append(limit.relaxed_to(frontier, np.flatnonzero(others)))
    if common_stretch(limits, frontier) is None:
        return _none(limits, frontier, helpful)
    return InfeasibleConditionError(
        "no single rule meets {}; a mixture of two does. {}", joined(" and ", limits), _instead(helpful)
    )


def _none(
    limits: Sequence[RateLimit], frontier: Frontier, helpful: Iterable[RateLimit | None]
) -> InfeasibleConditionError:
    alone = [limit for limit in limits if common_stretch([limit], frontier) is None]
    if alone:
        conflicts = [joined("", [limit]) for limit in alone]
    else:  # stretches of a line: where any two have a point in common, all have
        pairs = itertools.combinations(limits, 2)
        conflicts = [joined(" and ", pair) for pair in pairs if common_stretch(pair, frontier) is None]
    return InfeasibleConditionError(
        "no operating point meets {}. {}", joined("; nor ", conflicts), _instead(helpful)
    )


def _instead(limits: Iterable[RateLimit | None]) -> Message | str:
    instead = joined("; or ", (limit for limit in limits if limit is not None))
    return Message("One of these instead would do: {}.", instead) if instead.parts else ""


def better_nearby(question: Any, limit: Fraction | float, best: tuple[Fraction, Fraction]) -> Message:
    """Say that the best point that keeps the limits is beaten by others that flag next to nothing.

    Parameters
    ----------
    question : Question
        What is asked.
    limit : Fraction or float
        What they come near to.
    best : tuple of 2 Fraction
        False and true positive rate of the best point that there is.
    """
    return Message(
        "no rule is the best within {}: the fewer cases are flagged, the nearer the {} comes to {}, "
        "that of flagging nothing, which has no precision. This rule has {}. {}",
        joined(" and ", question.limits),
        question.objective.measure,
        f"{float(limit):.4g}",
        f"{float(question.objective.exact_value(*best)):.4g}",
        Advice("least_share", "State the least share to flag, such as AlarmRate() >= 0.01."),
    )
