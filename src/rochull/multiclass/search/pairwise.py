"""Search by decomposition: classes that are not confused with each other are searched apart.

After Landgrebe and Duin (2008), whose idea is that many dimensions of a multi-class ROC are independent of
each other, which a perturbation of the weights shows in the confusion matrix.
"""

from __future__ import annotations

import numpy as np

from rochull._core.threads import share_out
from rochull._core.validation import Array
from rochull.multiclass.examples import LabelledOutputs, scaled
from rochull.multiclass.measure import rates_of
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.search.coordinate import Descent, first_vectors
from rochull.multiclass.search.goals import Sought, ranked

_SHARES = np.linspace(0, 1, 9)  # of the examples between two thresholds: where a pair is perturbed
_STEEPEST = 700.0  # logarithm of a factor


def pairwise(
    examples: LabelledOutputs,
    goal: Sought,
    *,
    n_starts: int,
    keep: int,
    interaction: float,
    rng: np.random.Generator,
) -> MulticlassPoints:
    """The combinations of what was found in each group of classes that interact, the best first.

    A group keeps the weights of the other classes at 1, and is searched by coordinate search on its own
    weights. The first combination has the best of every group; the others exchange one group's weights. They
    all are judged by replaying them on all examples. From the best one, coordinate search goes on with all
    weights, for groups that looked apart at argmax of the outputs may meet elsewhere.
    """
    descent = Descent.of(examples, goal)
    base = np.ones(examples.n_classes)
    few = examples if descent.coarse is None else descent.coarse.examples
    groups = [g for g in groups_of(interactions(few, base, interaction) > interaction) if len(g) > 1]
    starts = first_vectors(examples, n_starts, rng)

    def search_group(group: list[int], start: Array) -> Array:
        vector = base.copy()
        vector[group] = start[group] / np.exp(np.log(start[group]).mean())
        ended = descent.run(vector, group)
        others = [c for c in range(base.size) if c not in group]
        if not others:
            return ended
        # Only divided by a power of two meanwhile, so that the other weights are exactly 1 again, unless they
        # fell below all floats.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            restored = ended / ended[others[0]]
        return np.asarray(restored if np.isfinite(restored).all() else base)

    tasks = [(group, start) for group in groups for start in starts]
    ends = share_out(search_group, *zip(*tasks, strict=True)) if tasks else []
    by_group = []
    for at in range(len(groups)):
        vectors = np.array([base, *ends[at * n_starts : (at + 1) * n_starts]])
        found = examples.points(vectors)
        by_group.append(ranked(found.merge(found[:0]), goal))
    best = base.copy()
    for group, points in zip(groups, by_group, strict=True):
        best[group] = points.weights[0][group]
    combined = [base, best]
    for group, points in zip(groups, by_group, strict=True):
        for weights in points.weights[1:]:
            other = best.copy()
            other[group] = weights[group]
            combined.append(other)
    found = ranked(examples.points(np.array(combined)), goal)
    last = descent.run(found.weights[0])
    return ranked(found.merge(examples.points(last[None])), goal)[:keep]


def interactions(examples: LabelledOutputs, weights: Array, share: float) -> Array:
    """How much any rate of confusion between two classes reacts when either's weight is changed (C, C).

    Each pair i, j is perturbed by the factors of `perturbations`. What they interact is the largest change of
    the share of class i that is called j, or of j that is called i.
    """
    n_classes = examples.n_classes
    base = rates_of(examples.confusion_units(weights[None]))[0]
    found = np.zeros((n_classes, n_classes))
    for i in range(n_classes):
        for j in range(i + 1, n_classes):
            factors = np.exp(perturbations(examples, weights, i, j, share))
            vectors = np.repeat(weights[None], 2 * len(factors), axis=0)
            vectors[: len(factors), j] *= factors
            vectors[len(factors) :, i] /= factors
            rates = rates_of(examples.confusion_units(scaled(vectors)))
            change = np.abs(rates - base)
            found[i, j] = found[j, i] = max(change[:, i, j].max(), change[:, j, i].max())
    return found


def perturbations(examples: LabelledOutputs, weights: Array, i: int, j: int, share: float) -> Array:
    """Logarithms of factors on class j's weight, of two classes, that the outputs of their examples suggest.

    A factor is a threshold on the log ratio of the products of i and j. They range over 0, the threshold
    below which a `share` of class i is, and that above which a `share` of class j is: between these, both
    classes have errors if they overlap, and neither has more than its share if they do not.
    """
    ratios = []
    for c in (i, j):
        part = slice(examples.begin[c], examples.begin[c + 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(weights[i] * examples.outputs[i, part]) - np.log(
                weights[j] * examples.outputs[j, part]
            )
        ratios.append(np.clip(ratio[~np.isnan(ratio)], -_STEEPEST, _STEEPEST))
    ends = [0.0]
    if ratios[0].size:
        ends.append(float(np.quantile(ratios[0], share, method="lower")))
    if ratios[1].size:
        ends.append(float(np.quantile(ratios[1], 1 - share, method="higher")))
    both = np.concatenate(ratios)
    inside = both[(both >= min(ends)) & (both <= max(ends))]
    between = np.quantile(inside, _SHARES) if inside.size else _SHARES[:0]
    return np.append(between, ends)


def groups_of(linked: Array) -> list[list[int]]:
    """Classes that are linked, directly or over others: each group in order."""
    left, groups = set(range(len(linked))), []
    while left:
        group, reached = set[int](), {min(left)}
        while reached:
            group |= reached
            reached = {int(c) for c in np.flatnonzero(linked[sorted(group)].any(axis=0))} - group
        groups.append(sorted(group))
        left -= group
    return groups
