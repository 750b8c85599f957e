"""One interface over the searches for operating points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull.multiclass.examples import LabelledOutputs
from rochull.multiclass.measures import Limit, Objective, checked_limits, checked_objective
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.coordinate import coordinate
from rochull.multiclass.search.goals import GoalWithin, Sought
from rochull.multiclass.search.greedy import greedy
from rochull.multiclass.search.pairwise import pairwise

Method: TypeAlias = Literal["coordinate", "greedy", "pairwise"]
_METHODS = ("coordinate", "greedy", "pairwise")


def search(
    examples: LabelledOutputs,
    objective: Objective,
    method: Method,
    *,
    subject_to: Limit | Sequence[Limit] = (),
    n_starts: int | None = None,
    n_steps: int = 5,
    keep: int = 100,
    interaction: float = 0.01,
    random_state: Any = None,
) -> MulticlassPoints:
    """Operating points with a small objective, the best first: see ``MulticlassRoc.search``."""
    limits, goal = checked_limits(subject_to), checked_objective(objective)
    sought: Sought = GoalWithin(goal, limits) if limits else goal
    if method not in _METHODS:
        raise refused("method", "must be one of {}, but is {}.", ", ".join(map(repr, _METHODS)), repr(method))
    n_steps = validation.whole(n_steps, "n_steps", 0)
    keep = validation.whole(keep, "keep", 1)
    interaction = validation.probability(interaction, "interaction")
    starts = 1000 if method == "greedy" else 20
    if n_starts is not None:
        starts = validation.whole(n_starts, "n_starts", 1)
    rng = np.random.default_rng(validation.entropy(random_state))
    if method == "coordinate":
        return coordinate(examples, sought, n_starts=starts, keep=keep, rng=rng)
    if method == "greedy":
        return greedy(examples, sought, n_starts=starts, keep=keep, n_steps=n_steps, rng=rng)
    return pairwise(examples, sought, n_starts=starts, keep=keep, interaction=interaction, rng=rng)
