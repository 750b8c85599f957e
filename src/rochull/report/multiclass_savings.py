"""By how much less a rule of several classes costs than a baseline, and how sure that is on these cases.

Both rules decide the same cases, so they are compared case by case: the quotient r of their costs has the
variance of the mean of c(rule) - r c(baseline). The facts hold no decisions case by case, but both confusion
matrices and both sets of weights. Let f be the factor by which the weight of a class is larger than in the
baseline. Then a case can only move from one class to another of larger f, and with the classes in this order
the two rows of a class say how many cases move past each place between classes. They leave open whether one
case moves far, or several follow each other: of these two, what has the larger variance is taken. Where all
errors of a class cost the same, no decisions that fit the matrices have a larger one.

``classes/savings.ts`` is the twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

Facts = dict[str, Any]
_Z = NormalDist().inv_cdf(0.975)


def saving_interval(facts: Facts, row: Facts) -> tuple[float, float] | None:
    """The 95 % interval of the chosen rule's saving against a baseline, as a share of the baseline's cost.

    That the rule was chosen on the same cases is not in it. None where examples have weights, or a cost is
    not above 0.
    """
    at, other = facts["chosen"], row["value"]
    if facts["weighted"] or at["value"] <= 0 or other <= 0:
        return None
    ratio, order = at["value"] / other, _order(facts, row)
    rows = zip(row["confusion"], facts["points"]["confusion"][at["index"]], facts["costs"], strict=True)
    mean, square = [], []  # of each class: of c(rule) - r c(baseline)
    for before, after, costs in (([each[c] for c in order] for each in rows_of) for rows_of in rows):
        both = [_sums(pairs, costs, ratio) for pairs in (_far(before, after), _near(before, after))]
        mean.append(both[0][0] / sum(before))
        square.append(max(total for _, total in both) / sum(before))
    totals = [c["total"] for c in facts["classes"]]
    if facts["priors"] is None:  # the mean over all cases is 0
        variance = sum(n * s for n, s in zip(totals, square, strict=True)) / sum(totals) ** 2
    else:
        shares = [p / sum(facts["priors"]) for p in facts["priors"]]
        each = zip(shares, totals, mean, square, strict=True)
        variance = sum(p**2 * (s - m**2) / n for p, n, m, s in each)
    apart = math.exp(_Z * math.sqrt(max(variance, 0)) / at["value"])
    return 1 - ratio * apart, 1 - ratio / apart


def _order(facts: Facts, row: Facts) -> list[int]:
    """The classes by the factor of their weights; any order will do for what calls every case one class."""
    weights = facts["points"]["weights"][facts["chosen"]["index"]]
    usual = [c["total"] if row["kind"] == "balanced" else 1 for c in facts["classes"]]
    return sorted(range(len(weights)), key=lambda c: weights[c] * usual[c])


def _near(before: list[int], after: list[int]) -> Iterator[tuple[int, int, int]]:
    """(from, to, cases): each moves as little as can be, and most move."""
    left, due, i, j = [*before], [*after], 0, 0
    while i < len(left) and j < len(due):
        n = min(left[i], due[j])
        yield i, j, n
        left[i], due[j] = left[i] - n, due[j] - n
        i, j = (i, j + 1) if left[i] else (i + 1, j)


def _far(before: list[int], after: list[int]) -> Iterator[tuple[int, int, int]]:
    """The same where as many cases as can be stay, and the others move far."""
    stay = [*map(min, before, after)]
    yield from ((c, c, n) for c, n in enumerate(stay))
    left, due = ([n - s for n, s in zip(each, stay, strict=True)] for each in (before, after))
    yield from _near(left, due)


def _sums(pairs: Iterator[tuple[int, int, int]], costs: list[float], ratio: float) -> tuple[float, float]:
    """Sum c(rule) - r c(baseline), and its square, over the cases."""
    found = [(n, costs[j] - ratio * costs[i]) for i, j, n in pairs]
    return sum(n * d for n, d in found), sum(n * d**2 for n, d in found)
