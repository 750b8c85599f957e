"""A capacity in cases, kept by a batch as a whole: exactly so many rows are presented.

On a batch the rates of the hull are only expectations; what counts is how many rows each rule calls
positive here (Provost & Fawcett 2001, Theorem 5, workforce utilisation).
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.conditions.rules import NEVER, OperatingPoint, Rule, Scores, edge_ends
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull


def ladder(hull: RocHull) -> tuple[Rule, ...]:
    """The rules along a hull, from "never" to "always", such that each edge has few classifiers.

    Where a vertex is left by another classifier than it was reached by, it has both rules, one
    after the other: they have the same rates.
    """
    return rungs(hull)[0]


def rungs(hull: RocHull) -> tuple[tuple[Rule, ...], Array]:
    """The rules of the ladder (r,), and the edge that leads to each but the first (r - 1,)."""
    rules, edges = [NEVER], []
    for i, (left, right) in enumerate(zip(hull.owners[:-1], hull.owners[1:], strict=True)):
        for edge, rule in zip((i - 1, i), edge_ends(left, right), strict=True):
            if rule != rules[-1]:
                rules.append(rule)
                edges.append(max(edge, 0))
    return tuple(rules), np.array(edges, np.intp)


def classifiers_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    """The classifiers of some rules, in order of first appearance."""
    return OperatingPoint(0.0, 0.0, tuple((rule, 1.0) for rule in rules)).classifiers


def edge(rules: tuple[Rule, ...], alarms: Callable[[Rule], int], cases: int) -> tuple[Rule, ...]:
    """The first neighbours on the ladder, left and right, with alarms of left <= cases < of right.

    If "always" has no more alarms than `cases`, it alone. Along the ladder the alarms of several
    classifiers need not ascend; those of one do, as its thresholds descend. So the first rule beyond
    the limit is looked for classifier by classifier, by halving.
    """
    first = len(rules)
    for name in dict.fromkeys(rule.classifier for rule in rules[1:]):
        own = [i for i in range(1, first) if rules[i].classifier == name]
        if _descending([rules[i].level for i in own if rules[i].constant is None]):
            low = bisect.bisect_right(own, cases, key=lambda i: alarms(rules[i]))
        else:  # a hull of given rates may have any thresholds
            low = next((k for k, i in enumerate(own) if alarms(rules[i]) > cases), len(own))
        if low < len(own):
            first = own[low]
    return rules[-1:] if first == len(rules) else rules[first - 1 : first + 1]


def _descending(levels: list[float]) -> bool:
    return all(high >= low for high, low in pairwise(levels))


def first_accepting(rules: Sequence[Rule], columns: ScoreColumns) -> Array:
    """Which of the rules along a hull is the first that calls each case positive (n,); the last does all."""
    found = np.zeros(columns.size, np.intp)
    for i in range(len(rules) - 1, 0, -1):
        found[columns.passes(rules[i])] = i
    return found


def ordering(rules: Iterable[Rule]) -> Rule | None:
    """A rule of the only classifier of neighbouring ones: its scores order what is between them."""
    found = [rule for rule in rules if rule.classifiers]
    return found[0] if len({rule.classifier for rule in found}) == 1 else None


def from_the_top(scores: Scores, lower_is_positive: bool) -> Array:
    """How many different scores are better than each (n,): 0 for the best; missing ones come last."""
    _, place = np.unique(scores.values, return_inverse=True)
    found = place.ravel() if lower_is_positive else place.max(initial=0) - place.ravel()
    return np.where(scores.present, found, scores.values.size + 1)


def is_by_score(order: str) -> bool:
    """Whether rows between two thresholds are taken by their scores, and not by lot."""
    if order not in ("score", "lot"):
        raise refused("order", 'must be "score" or "lot", but is {}.', repr(order))
    return order == "score"


def by_score(
    scores: Scores, lower_is_positive: bool, ranked: Callable[[Array], Array]
) -> Callable[[Array], Array]:
    """The order of rows (m,) from the best score to the worst; equal ones in the order of their lots."""

    def order(rows: Array) -> Array:
        drawn = ranked(rows)
        return drawn[np.argsort(from_the_top(scores.at(drawn), lower_is_positive), kind="stable")]

    return order


def present(left: Array, right: Array, ranked: Callable[[Array], Array], cases: int) -> Array:
    """Exactly `cases` rows (n,): those that both rules accept, and of those that one accepts enough.

    Rows between the rules are taken in the order that `ranked` gives them. As far as the walk has come, the
    right rule decides; beyond, the left one. So the number of rows presented starts with the left
    rule's alarms, ends with the right one's, and changes by one at each step: it is `cases` somewhere.
    The first time it is, the walk stops: a mixture, with the share that fits.
    """
    presented = left.copy()
    between = ranked(np.flatnonzero(left != right))
    after = np.count_nonzero(left) + np.cumsum(np.where(right[between], 1, -1))
    count = np.append(np.count_nonzero(left), after)
    walked = between[: int(np.argmax(count == cases))]
    presented[walked] = right[walked]
    return presented
