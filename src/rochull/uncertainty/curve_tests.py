"""Tests whether two whole ROC curves are equal, by permutation (Venkatraman & Begg)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import TestResult
from rochull._core.rows import same_rows
from rochull._core.threads import Bar, n_threads, share_out
from rochull._core.validation import Array
from rochull.uncertainty.parameters import PARAMETERS

_BATCH = 16
# Equal distances of an unpaired test may differ by rounding.
_SLACK = 1e-9


@described(PARAMETERS)
def venkatraman_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    n_permutations: int = 2000,
    random_state: Any = None,
    pos_label: object = None,
    progress: bool | str | None = None,
) -> TestResult:
    """Test whether two classifiers have the same ROC curve at every operating point.

    Unlike :func:`delong_test` it finds curves that cross and have equal areas.

    Parameters
    ----------
    score_a : array-like of shape (n,)
        Scores of the first classifier. The scales of the two may differ: only ranks matter.
    n_permutations : int, default=2000
        How often the data are permuted. The least p-value is ``1 / (n_permutations + 1)``.

    Returns
    -------
    TestResult
        `statistic` is the sum over all cut-offs of the difference in the number of errors (paired), or
        the integral of the difference in error rates (unpaired); `estimate` is the mean difference in
        error rates over the cut-offs; `pvalue` is ``(b + 1) / (n_permutations + 1)`` if b permutations
        have at least this statistic.

    Notes
    -----
    At a cut-off with the same number of examples below it, two classifiers differ in errors by twice as
    much as in the positives below. Paired: a permutation exchanges the two ranks of every other example,
    at random. Unpaired: scores become quantiles of the mixture of both classes, mixed alike in both
    samples, and a permutation deals the positives of both samples out anew, and the negatives. That the
    ranks may be exchanged is true of large samples. Ties, those of the data and those that a permutation
    makes, are put in random order, each time anew; both classifiers' order goes by the same numbers, so
    that equal scores stay equal. If the scores have ties, `statistic` depends on the seed.

    References
    ----------
    Venkatraman & Begg 1996 (paired); Venkatraman 2000 (unpaired).

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 200)
    >>> a = rng.normal(y * 1.0)
    >>> b = rng.normal(y * 1.6, 1 + 1.2 * y)  # about the same area, another curve
    >>> bool(rh.delong_test(y, a, b).pvalue > 0.05)
    True
    >>> rh.uncertainty.venkatraman_test(y, a, b, random_state=0).pvalue < 0.01
    True
    """
    m = validation.whole(n_permutations, "n_permutations", 1)
    a = validation.labelled(y_true, score_a, None, pos_label, name="score_a")
    first = np.equal(a.positive, 1).view(np.uint8)
    design: _Design
    if y_true_b is None:
        b = validation.labelled(y_true, score_b, None, pos_label, name="score_b")
        same_rows(score_a=score_a, score_b=score_b)
        design = _Paired(_ranks(a.scores), _ranks(b.scores), first)
        scale, kind = float(first.size) ** 2, "paired"
    else:
        second = np.equal(validation.binary_labels(y_true_b, pos_label, "y_true_b"), 1).view(np.uint8)
        scores = validation.scores_1d(score_b, "score_b")
        same_rows(y_true_b=y_true_b, score_b=score_b)
        design = _Unpaired.of(first, a.scores, second, scores)
        scale, kind = 1.0, "unpaired"
    seeds = np.random.SeedSequence(validation.entropy(random_state)).spawn(m + 1)
    observed = design.distances(seeds[:1], as_given=True)[0]
    batches = [seeds[i : i + _BATCH] for i in range(1, len(seeds), _BATCH)]
    step, found = 2 * n_threads(), []
    for i in Bar.of(progress, "permutations of Venkatraman's test").over(range(0, len(batches), step)):
        found += share_out(design.distances, batches[i : i + step])
    permuted = np.concatenate(found)
    reached = int(np.count_nonzero(permuted >= observed * (1 - _SLACK)))
    method = f"Venkatraman, {kind}, {m} permutations"
    return TestResult(float(observed), (reached + 1) / (m + 1), float(observed) / scale, method)


def _ranks(scores: Array) -> Array:
    """Twice the mid-rank of every score, less two: integers from 0 to 2n - 2."""
    _, group, size = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((2 * np.cumsum(size) - size - 1)[group])


class _Design(Protocol):
    """How the data are permuted."""

    def distances(self, seeds: list[np.random.SeedSequence], as_given: bool = False) -> Array:
        """Distance of the two curves for each seed, of permuted data or of the data themselves."""


@dataclass(frozen=True, eq=False)
class _Paired:
    """Two classifiers on the same examples.

    Attributes
    ----------
    first, second : (n,) their ranks.
    positive : uint8 (n,)
    """

    first: Array
    second: Array
    positive: Array

    def distances(self, seeds: list[np.random.SeedSequence], as_given: bool = False) -> Array:
        from rochull._core.kernels import ranks as rank_kernels

        n = self.positive.size
        counts = np.zeros((2 * n, 4), np.int32)
        swap = np.zeros(n, np.uint8)
        out = np.empty(len(seeds))
        for i, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            if not as_given:
                swap = rng.integers(0, 2, n, np.uint8)
            uniform = rng.random(n)
            out[i] = rank_kernels.paired_distance(
                self.first, self.second, self.positive, swap, uniform, counts
            )
        return out


@dataclass(frozen=True, eq=False)
class _Unpaired:
    """Two samples as one, ordered by quantile.

    Attributes
    ----------
    positive : uint8 (n,) labels of both samples, ascending.
    member : uint8 (n,) 0 for an example of the first sample, 1 for one of the second.
    ends : (g,) where each group of equal quantiles ends.
    """

    positive: Array
    member: Array
    ends: Array

    @classmethod
    def of(cls, first: Array, score_a: Array, second: Array, score_b: Array) -> _Unpaired:
        """From labels and scores of two samples."""
        positive = np.concatenate((first, second))
        share = float(np.mean(positive))
        quantile = np.concatenate((_quantiles(first, score_a, share), _quantiles(second, score_b, share)))
        order = np.argsort(quantile, kind="stable")
        member = np.repeat(np.array([0, 1], np.uint8), (first.size, second.size))
        ends = np.append(np.flatnonzero(np.diff(quantile[order])) + 1, order.size)
        return cls(positive[order], member[order], ends)

    def distances(self, seeds: list[np.random.SeedSequence], as_given: bool = False) -> Array:
        from rochull._core.kernels import ranks as rank_kernels

        n = self.positive.size
        needed = np.array([np.sum(self.member > self.positive), np.sum(self.member & self.positive)])
        n_pos = np.array([np.sum(self.positive) - needed[1], needed[1]], float)
        size = int(needed.sum())
        labels = np.empty(n - size, np.uint8), np.empty(size, np.uint8)
        member = self.member.copy()
        share = float(np.mean(self.positive))
        out = np.empty(len(seeds))
        for i, seed in enumerate(seeds):
            rng = np.random.default_rng(seed)
            if not as_given:
                rank_kernels.draw_members(self.positive, rng.random(n), needed, member)
            rank_kernels.shuffle_ties(self.positive, member, self.ends, rng.random(n), *labels)
            out[i] = rank_kernels.curve_distance(*labels, n_pos, share)
        return out


def _quantiles(positive: Array, scores: Array, share: float) -> Array:
    """Where each score lies in the mixture of both classes in which `share` are positive (n,)."""
    groups, group = np.unique(scores, return_inverse=True)
    found = np.zeros(groups.size)
    for label, weight in ((0, 1 - share), (1, share)):
        size = np.bincount(group[positive == label], minlength=groups.size)
        found += weight * ((2 * np.cumsum(size) - size) / (2 * size.sum()))
    return np.asarray(found[group])
