"""Slow twins: the plainest code that computes what the library computes, written from the definitions.

Nothing here is imported from rochull. Counts are Python integers or fractions: nothing overflows or rounds.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

Group = tuple[int, int, int, int]  # first row, last row, positives, negatives
Point = tuple[Any, Any]


# --- Fawcett & Niculescu-Mizil 2007 ------------------------------------------------------------

# Table I: scores and labels of 15 instances, and the columns of the PAV algorithm run bottom-up.
TABLE_SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.27, 0.2, 0.18, 0.1, 0.02]
TABLE_LABELS = [1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0]
_COLUMNS = {
    "initial": "1 1 0 1 1 1 0 1 1 0 1 0 0 1 0",
    "a1": "1 1 0 1 1 1 0 1 1 0 1 0 1/2 1/2 0",
    "a2": "1 1 0 1 1 1 0 1 1 0 1 1/3 1/3 1/3 0",
    "b": "1 1 0 1 1 1 0 1 1 1/2 1/2 1/3 1/3 1/3 0",
    "c1": "1 1 0 1 1 1 1/2 1/2 1 1/2 1/2 1/3 1/3 1/3 0",
    "c2": "1 1 0 1 1 1 2/3 2/3 2/3 1/2 1/2 1/3 1/3 1/3 0",
    "d": "1 1 3/4 3/4 3/4 3/4 2/3 2/3 2/3 1/2 1/2 1/3 1/3 1/3 0",
}
TABLE_COLUMNS = {name: [Fraction(v) for v in text.split()] for name, text in _COLUMNS.items()}
# Figure 2: the hull of these instances, in counts (false positives, true positives).
FIGURE_VERTICES = [(0, 0), (0, 2), (1, 5), (2, 7), (3, 8), (5, 9), (6, 9)]


def share(group: Group) -> Fraction:
    """Share of the positives in a group."""
    return Fraction(group[2], group[2] + group[3])


def pav_steps(pos: Sequence[int], neg: Sequence[int]) -> Iterator[list[Group]]:
    """Every state of Algorithm 1, run bottom-up: each step pools the lowest pair of adjacent violators.

    Rows run from high scores to low and each has examples; violators are a group and a better one below it.
    """
    groups = [(i, i, int(p), int(q)) for i, (p, q) in enumerate(zip(pos, neg, strict=True))]
    yield groups
    while True:
        violators = [i for i in range(len(groups) - 1) if share(groups[i]) < share(groups[i + 1])]
        if not violators:
            return
        i = violators[-1]
        above, below = groups[i], groups[i + 1]
        pooled = (above[0], below[1], above[2] + below[2], above[3] + below[3])
        groups = [*groups[:i], pooled, *groups[i + 2 :]]
        yield groups


def row_shares(groups: list[Group]) -> list[Fraction]:
    """A column of Table I: the estimate of every row."""
    return [share(group) for group in groups for _ in range(group[0], group[1] + 1)]


def pav(pos: Sequence[int], neg: Sequence[int]) -> list[Group]:
    """The last state of Algorithm 1 with equal neighbours pooled too, so that blocks are unique."""
    *_, groups = pav_steps(pos, neg)
    out: list[Group] = []
    for group in groups:
        if out and share(out[-1]) == share(group):
            top = out.pop()
            group = (top[0], group[1], top[2] + group[2], top[3] + group[3])
        out.append(group)
    return out


# --- curves and hulls --------------------------------------------------------------------------


def groups_of(y_true: Any, y_score: Any, sample_weight: Any = None) -> list[tuple[Any, Fraction, Fraction]]:
    """(score, positive weight, negative weight) of every distinct score, from high to low."""
    weights = [1] * len(y_true) if sample_weight is None else sample_weight
    mass: dict[Any, list[Fraction]] = {}
    for label, score, weight in zip(y_true, np.asarray(y_score).tolist(), weights, strict=True):
        mass.setdefault(score, [Fraction(0), Fraction(0)])[0 if label == 1 else 1] += Fraction(float(weight))
    return [(score, *mass[score]) for score in sorted(mass, reverse=True) if any(mass[score])]


def curve_of(y_true: Any, y_score: Any, sample_weight: Any = None) -> list[Point]:
    """(False positives, true positives) of "never" and of every threshold, each counted anew."""
    weights = [1] * len(y_true) if sample_weight is None else sample_weight
    rows = list(zip(y_true, np.asarray(y_score).tolist(), weights, strict=True))
    points: list[Point] = [(Fraction(0), Fraction(0))]
    for threshold in sorted({score for _, score, weight in rows if weight}, reverse=True):
        called = [(label, Fraction(float(weight))) for label, score, weight in rows if score >= threshold]
        points.append((sum(w for y, w in called if y != 1), sum(w for y, w in called if y == 1)))
    return points


def hull_of(points: Sequence[Point]) -> list[Point]:
    """Upper hull by gift wrapping: from each vertex on to the steepest and then farthest point."""
    points = [(_exact(x), _exact(y)) for x, y in points]
    last = max(points)
    vertices = [min(points)]
    while vertices[-1] != last:
        x0, y0 = vertices[-1]
        best = None
        for x, y in points:
            dx, dy = x - x0, y - y0
            if dx < 0 or (dx == 0 and dy <= 0):
                continue
            turn = 1 if best is None else dy * best[0] - best[1] * dx
            if turn > 0 or (turn == 0 and dx + abs(dy) > best[0] + abs(best[1])):
                best = (dx, dy)
        vertices.append((x0 + best[0], y0 + best[1]))
    return vertices


def _exact(value: Any) -> Any:
    return value if isinstance(value, Fraction) else int(value)


def decisions(y_score: Any, threshold: Any) -> list[bool]:
    """The rule "positive iff score >= threshold", row by row; None is the rule "never"."""
    return [threshold is not None and bool(score >= threshold) for score in np.asarray(y_score)]


def cost_of(y_true: Any, decided: Sequence[bool], cost_fp: Any, cost_fn: Any) -> Any:
    """Total cost of decisions."""
    return sum(
        cost_fp if called else cost_fn
        for label, called in zip(y_true, decided, strict=True)
        if bool(label) != called
    )


# --- pairs -------------------------------------------------------------------------------------


def twice_pairs(y_true: Any, y_score: Any, sample_weight: Any = None) -> tuple[Any, Any]:
    """(2 won + tied, 2 all) over the pairs of a positive and a negative, each weighing the product."""
    y, s = np.asarray(y_true) == 1, np.asarray(y_score)
    w = np.array([1 if v is None else Fraction(float(v)) for v in _weights(sample_weight, len(y))], object)
    above = (s[y][:, None] > s[~y]).astype(int)
    below = (s[y][:, None] < s[~y]).astype(int)
    value = (1 + above - below).astype(object)
    return (w[y] @ value @ w[~y]), 2 * w[y].sum() * w[~y].sum()


def pair_auc(y_true: Any, y_score: Any, sample_weight: Any = None) -> float:
    """AUC by its definition: pairs won, and half of those that are tied."""
    won, possible = twice_pairs(y_true, y_score, sample_weight)
    return float(Fraction(won, possible))


def _weights(sample_weight: Any, size: int) -> Sequence[Any]:
    return [None] * size if sample_weight is None else sample_weight


# --- weights drawn by key ------------------------------------------------------------------------


def split_mix(state: int) -> int:
    """The next number of SplitMix64 (Vigna's splitmix64.c), in Python's integers."""
    z = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
    return z ^ (z >> 31)


def weight_of(number: int) -> int:
    """How many rows a uniform number of 64 bits stands for: the quantile of the distribution."""
    weight, below = 0, math.exp(-1)
    share = (2**64 - 1 - number) / 2**64
    while share >= below and weight < 20:
        weight += 1
        below += math.exp(-1) / math.factorial(weight)
    return weight
