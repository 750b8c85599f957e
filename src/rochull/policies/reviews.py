"""Reviews as a number of cases, kept by a batch as a whole: at most so many, those that are worth it most.

On a batch the rates of the hull are only expectations; what counts is how many cases each block has here. A
review in a block saves its posterior cost less that of the review, so the blocks are taken one by one, and of
one of them a part.
"""

from __future__ import annotations

import numpy as np

from rochull._core.keys import Lots
from rochull._core.validation import Array
from rochull.conditions.review import ReviewQuestion
from rochull.conditions.rules import Action
from rochull.decisions import ladders
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull
from rochull.policies.ranking import Ranking, posteriors


def reviewed(
    hull: RocHull,
    review: ReviewQuestion,
    columns: ScoreColumns,
    lots: Lots,
    *,
    by_score: bool,
    deterministic: bool,
) -> tuple[Array, Ranking]:
    """Decide each case (n,), and return the order in which cases are reviewed.

    The classifier is the one that is best with as large a share of reviews. With `deterministic` no block is
    split.
    """
    own = review.as_share_of(columns.size).best_of(hull.alone())[0]
    along = review.along(own.frontier)
    block = ladders.first_accepting([rules[0] for rules in own.owners], columns) - 1
    turn, pays = np.empty(len(own) - 1, np.intp), np.empty(len(own) - 1, bool)
    for k, (i, _, extra) in enumerate(along.steps()):
        turn[i], pays[i] = k, extra < 0
    first = block < along.start  # called positive without a review
    near = np.zeros(columns.size, np.int64)
    if by_score and own.classifiers:
        rule = next(rules[0] for rules in own.owners if rules[0].classifiers)
        far = ladders.from_the_top(columns.columns[own.classifiers[0]], rule.lower_is_positive)
        near = np.where(first, -far, far)
    order = lots.ordered(turn[block] * (2 * columns.size + 4) + near)
    most = min(review.reviews_in_batch or 0, int(np.count_nonzero(pays[block])))
    if deterministic:
        whole = np.append(0, np.cumsum(np.bincount(turn[block], minlength=turn.size)))
        most = int(whole[np.searchsorted(whole, most, side="right") - 1])
    actions = np.where(first, Action.POSITIVE, Action.NEGATIVE).astype(np.int8)
    actions[order[:most]] = Action.REVIEW
    rank = np.empty(columns.size, np.int64)
    rank[order] = np.arange(1, columns.size + 1)
    share = float(review.own_prevalence)
    return actions, Ranking(rank, posteriors(own, share)[block], most, share)
