"""Random weight vectors, improved step by step: the search of Paclik et al. 2008, section 4.3."""

from __future__ import annotations

import numpy as np

from rochull.multiclass.examples import LabelledOutputs, scaled
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.goals import Sought, in_order, values_sought

_FIRST_STEP = 0.5  # standard deviation of the logarithms in the first step's proposals


def greedy(
    examples: LabelledOutputs,
    goal: Sought,
    *,
    n_starts: int,
    keep: int,
    n_steps: int,
    rng: np.random.Generator,
) -> MulticlassPoints:
    """The best `keep` of random weight vectors and of what they propose, the best first.

    The first vectors are all ones, which is argmax of the outputs, and draws that are uniform over the
    simplex. In each step every vector that was kept proposes as many as fill up `n_starts`: its weights times
    log-normal factors, whose standard deviation halves with each step. The best of old and new are kept;
    of equal ones the older. So no step makes the best worse.
    """
    n_classes = examples.n_classes
    first = rng.dirichlet(np.ones(n_classes), n_starts)
    first[0] = 1.0
    best = _best(examples.points(first), goal, keep)
    spread = _FIRST_STEP
    for _ in range(n_steps):
        copies = max(1, n_starts // len(best))
        parents = np.repeat(best.weights, copies, axis=0)
        proposed = parents * np.exp(spread * rng.standard_normal(parents.shape))
        found = examples.points(scaled(proposed))
        best = _best(best.merge(found), goal, keep)
        spread /= 2
    return best


def _best(points: MulticlassPoints, goal: Sought, keep: int) -> MulticlassPoints:
    points = points.merge(points[:0])
    return in_order(points, values_sought(goal, points.confusion, points.classes))[:keep]
