"""The steps of PAV one by one, as the paper's Table I shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.hull.tallies import PARAMETERS, tally_of

_MOST = 2000  # different scores


@dataclass(frozen=True, eq=False)
class PavTrace(Result):
    """The pools of PAV, step by step, from low scores to high.

    Attributes
    ----------
    scores : ndarray of shape (g,)
        Different scores, from high to low.
    first, last : int ndarray of shape (s,)
        In step i the groups from ``first[i]`` to ``last[i]`` of these become one.
    posterior : ndarray of shape (s + 1, g)
        Shares of positives, before the first step and after each.

    Examples
    --------
    >>> import rochull as rh
    >>> print(rh.hull.pav_trace([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    score  start    1
      0.9      1    1
      0.8      0  1/2
      0.7      1  1/2
      0.1      0    0
    """

    _shown = ("first", "last")

    scores: Array
    first: Array
    last: Array
    posterior: Array

    def __str__(self) -> str:
        names = ["score", "start", *map(str, range(1, len(self.posterior)))]
        cells = [[f"{score:g}" for score in self.scores.tolist()]]
        cells += [[_fraction(share) for share in column] for column in self.posterior.tolist()]
        columns = [[name, *column] for name, column in zip(names, cells, strict=True)]
        wide = [max(map(len, column)) for column in columns]
        rows = zip(*columns, strict=True)
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, wide, strict=True)) for row in rows
        )


def _fraction(share: float) -> str:
    """A share of few cases as a fraction."""
    found = Fraction(share).limit_denominator(1000)
    return str(found) if abs(float(found) - share) < 1e-12 else f"{share:.3g}"


@described(PARAMETERS)
def pav_trace(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> PavTrace:
    """Trace PAV: which groups of scores it pools in which step, and what their posteriors are then.

    It is for teaching: :func:`roc_hull` has the result, of any number of scores.

    Returns
    -------
    PavTrace
        A step pools two neighbours of which the one with the higher scores has the smaller share of
        positives, the lowest such pair first. Neighbours whose shares are equal are not pooled (in a
        hull they are one block).

    Raises
    ------
    ValueError
        If there are more than 2,000 different scores, or data are invalid.

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Algorithm 1 and Table I.

    Examples
    --------
    >>> import rochull as rh
    >>> trace = rh.hull.pav_trace([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> trace.first.tolist(), trace.last.tolist(), trace.posterior.tolist()
    ([1], [2], [[1.0, 0.0, 1.0, 0.0], [1.0, 0.5, 0.5, 0.0]])
    """
    groups = tally_of(validation.labelled(y_true, y_score, sample_weight, pos_label))
    if len(groups.score) > _MOST:
        raise ValueError(
            f"y_score has {len(groups.score):,} different values, and a trace shows {_MOST:,} at most."
        )
    pos, neg = np.asarray(groups.pos, float), np.asarray(groups.neg, float)
    shares, ends = [pos / (pos + neg)], []
    for first, last in _pooled(pos.tolist(), neg.tolist()):
        shares.append(shares[-1].copy())
        part = slice(first, last + 1)
        shares[-1][part] = pos[part].sum() / (pos[part].sum() + neg[part].sum())
        ends.append((first, last))
    made = np.array(ends, int).reshape(-1, 2)
    return PavTrace(groups.score, made[:, 0], made[:, 1], np.array(shares))


def _pooled(pos: list[float], neg: list[float]) -> Iterator[tuple[int, int]]:
    """First and last group of each new pool: groups come one by one, from the lowest score up."""
    stack: list[tuple[int, float, float]] = []  # last group, positives, negatives of each
    for i in reversed(range(len(pos))):
        stack.append((i, pos[i], neg[i]))
        while len(stack) > 1:
            (last, p, n), (_, above, against) = stack[-2], stack[-1]
            if not above * n < p * against:
                break
            stack[-2:] = [(last, p + above, n + against)]
            yield i, last
