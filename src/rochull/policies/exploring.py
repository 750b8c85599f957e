"""Cases to be labelled besides those that are flagged: a few at random, with known probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.keys import Lots
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.rules import Action, Rule
from rochull.decisions.decider import PlanDecider
from rochull.decisions.plans import Decide, lot

SALT = ":explore"  # behind that of the policy, so that these lots are others


@dataclass(frozen=True)
class Exploration(Result):
    """Decisions, and which cases are to be labelled.

    Attributes
    ----------
    decisions : ndarray, shape (n,)
        As :meth:`Policy.decide` gives them without exploration.
    label : ndarray of bool, shape (n,)
        Which cases get a label: all that are flagged or reviewed, and those that were drawn of the others.
    probability : ndarray, shape (n,)
        With which each of them gets one: 1 for the former.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0] * 50, [4, 3, 2, 1] * 50))
    >>> scores = np.repeat([1, 2, 3, 4], 500)
    >>> found = policy.decide(scores, rh.ExpectedCost(prevalence=0.5), explore=0.01, random_state=0)
    >>> int(found.decisions.sum()), int(found.label.sum())
    (500, 523)
    """

    decisions: Array
    label: Array
    probability: Array

    @property
    def weight(self) -> Array:
        """The inverse of the probability (n,), as `sample_weight` of :meth:`Policy.performance`."""
        return np.asarray(1 / self.probability)


def explored(decisions: Array, explore: float, lots: tuple[Any, str, Any], *, exactly: bool) -> Exploration:
    """Draw cases that are neither flagged nor reviewed; of a batch with a capacity a fixed number.

    `lots` are the keys, the policy's salt and the random state.
    """
    share = validation.probability(explore, "explore", open_ends=True)
    key, salt, random_state = lots
    if isinstance(random_state, int | np.integer):  # other lots than those of the decisions
        random_state = np.random.SeedSequence([int(random_state), 1])
    taken = decisions if decisions.dtype == bool else decisions != Action.NEGATIVE.word
    others, label = np.flatnonzero(~taken), taken.copy()
    drawn = Lots(key, salt + SALT, random_state, len(decisions))
    if exactly:
        chosen = drawn.ranked(others)[: round(share * len(decisions))]
        share = len(chosen) / max(len(others), 1)
    else:
        chosen = others[drawn.chosen((1 - share, share), others) == 1]
    label[chosen] = True
    return Exploration(decisions, label, np.where(taken, 1.0, max(share, 1e-300)))


def explored_sql(decider: PlanDecider, explore: float, key: Any, taken: str) -> dict[str, str]:
    """Write the columns for DuckDB; `taken` is the condition on a row that it is flagged or reviewed."""
    share = validation.probability(explore, "explore", open_ends=True)
    either = lot([(Decide(Rule("never")), 1 - share), (Decide(Rule("always")), share)])
    apart = PlanDecider(decider.classifiers, decider.features, decider.salt + SALT)
    drawn = apart.expressed(either, "duckdb", key=key)
    return {
        "label": f"({taken}) OR ({drawn})",
        "label_probability": f"CASE WHEN {taken} THEN 1.0 ELSE CAST({share!r} AS DOUBLE) END",
    }
