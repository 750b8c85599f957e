"""The order in which a batch's cases are worked on, and how likely each of them is positive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rochull._core.keys import Lots
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.decisions import ladders
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull


@dataclass(frozen=True, eq=False)
class Ranking(Result):
    """Cases in the order in which they are presented.

    Attributes
    ----------
    rank : ndarray of int64 of shape (n,)
        1 for the case that comes first. Those that are called positive, or reviewed under a :class:`Review`,
        have the ranks 1 to `cases`.
    probability : ndarray of shape (n,)
        Of being positive, at `prevalence`: that of the block of scores, or of the edge of several
        classifiers' hull, in which the case is (in-sample).
    cases : int
        How many are called positive, or reviewed.
    prevalence : float
        That of the condition; of the policy's own data, if it states none.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> found = policy.rank([0.2, 0.75, 0.95, 0.8], rh.Capacity(cases=2), key=[1, 2, 3, 4])
    >>> found.rank.tolist(), found.probability.tolist()
    ([4, 3, 1, 2], [0.0, 0.5, 1.0, 0.5])
    """

    rank: Array
    probability: Array
    cases: int
    prevalence: float

    @property
    def called(self) -> Array:
        """Whether each case is called positive, or reviewed (n,)."""
        return np.asarray(self.rank <= self.cases)


def ranking(
    hull: RocHull, columns: ScoreColumns, presented: Array, lots: Lots, *, by_score: bool, prevalence: float
) -> Ranking:
    """The order: what is presented first; edge by edge; inside an edge by score, or by lot."""
    rules, edges = ladders.rungs(hull)
    rung = ladders.first_accepting(rules, columns)
    score = np.zeros(columns.size, np.int64)
    if by_score:
        for i in range(1, len(rules)):
            own = ladders.ordering(rules[i - 1 : i + 1])
            if own is not None:
                rows = np.flatnonzero(rung == i)
                scores = columns.columns[own.classifier].at(rows)
                score[rows] = ladders.from_the_top(scores, own.lower_is_positive)
    level = np.where(presented, rung, rung + len(rules)) * (columns.size + 2) + score
    order = lots.ordered(level)
    rank = np.empty(columns.size, np.int64)
    rank[order] = np.arange(1, columns.size + 1)
    probability = posteriors(hull, prevalence)[edges][rung - 1]
    return Ranking(rank, probability, int(np.count_nonzero(presented)), prevalence)


def posteriors(hull: RocHull, prevalence: float) -> Array:
    """How likely a case on each edge (m - 1,) is positive."""
    if prevalence in (0, 1):
        return np.full(len(hull) - 1, float(prevalence))
    with np.errstate(divide="ignore"):
        against = (1 - prevalence) / (prevalence * hull.slopes)  # odds of a negative
    return np.asarray(1 / (1 + against))
