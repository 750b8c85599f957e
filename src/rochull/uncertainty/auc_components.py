"""Areas under ROC curves with their covariances, from the placements of the examples.

A placement is what an example adds to the area: of a positive the share of the negatives that it beats,
of a negative the share of the positives that beat it, a tie counting one half (DeLong, DeLong &
Clarke-Pearson 1988). Placements come from sorting (Sun & Xu 2014), in O(n log n). Twice an unweighted
placement is a count, and sums of products of counts are integers: a variance is exact until it is rounded
once, however near to 0 or 1 the area is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.messages import Parameter, Refusal, changed, in_place_of
from rochull._core.sorting import ascending
from rochull._core.threads import n_threads, share_out
from rochull._core.validation import Array, Labelled
from rochull.hull import refine
from rochull.hull.tallies import tally_of, units_of

MAX_ROWS = 1 << 30  # so that the square of twice a count fits 62 bits
_ROWS_A_PART = 1 << 15
_PARTS_A_THREAD = 1
_SAMPLE_A_PART = 256


@dataclass(frozen=True, eq=False)
class CountedAreas:
    """Areas of k classifiers on unweighted examples.

    Attributes
    ----------
    n_pos, n_neg : how many examples.
    twice : (k,) sum of the doubled placements of the positives; of the negatives it is the same.
    pos, neg : (k, k) sums of products of the doubled placements of either class.
    """

    n_pos: int
    n_neg: int
    twice: Sequence[int]
    pos: Sequence[Sequence[int]]
    neg: Sequence[Sequence[int]]

    @property
    def areas(self) -> list[Fraction]:
        """The areas, exactly."""
        return [Fraction(twice, 2 * self.n_pos * self.n_neg) for twice in self.twice]

    @property
    def sizes(self) -> tuple[float, float]:
        """How many examples of each class there are."""
        return float(self.n_pos), float(self.n_neg)

    def _parts(self, a: int, b: int) -> tuple[Fraction, Fraction]:
        """The parts that positives and negatives add to the covariance of two areas: S10 / m and S01 / n."""
        product = self.twice[a] * self.twice[b]
        pos, neg = (
            Fraction(size * sums[a][b] - product, size**2 * (size - 1) * (2 * other) ** 2)
            for size, other, sums in ((self.n_pos, self.n_neg, self.pos), (self.n_neg, self.n_pos, self.neg))
        )
        return pos, neg

    def _exact(self, a: int, b: int) -> Fraction:
        """Covariance of two areas (DeLong et al. 1988, the matrix S10 / m + S01 / n)."""
        return sum(self._parts(a, b), Fraction(0))

    def parts(self) -> tuple[float, float]:
        """The parts that positives and negatives add to the variance of the first area."""
        pos, neg = self._parts(0, 0)
        return float(pos), float(neg)

    def covariance(self) -> Array:
        """Covariance matrix of the areas (k, k), correctly rounded."""
        k = range(len(self.twice))
        return np.array([[float(self._exact(a, b)) for b in k] for a in k])

    def variance_of_difference(self) -> float:
        """Variance of the first area less the second."""
        return float(self._exact(0, 0) + self._exact(1, 1) - 2 * self._exact(0, 1))


@dataclass(frozen=True, eq=False)
class WeighedAreas:
    """Areas of k classifiers on weighted examples.

    Attributes
    ----------
    areas : the areas, exactly for the weights in units.
    influence : (k, n) what each example adds to the deviation of the area; the variance is the sum of
        their squares.
    sizes : effective number of positives and of negatives (Kish).
    positive : (n,) whether each example is positive.
    """

    areas: list[Fraction]
    influence: Array
    sizes: tuple[float, float]
    positive: Array

    def parts(self) -> tuple[float, float]:
        """The parts that positives and negatives add to the variance of the first area."""
        squares = self.influence[0] ** 2
        return float(squares[self.positive].sum()), float(squares[~self.positive].sum())

    def covariance(self) -> Array:
        """Covariance matrix of the areas (k, k)."""
        return np.asarray(self.influence @ self.influence.T)

    def variance_of_difference(self) -> float:
        """Variance of the first area less the second: 0 if their placements are equal."""
        difference = self.influence[0] - self.influence[1]
        return float(difference @ difference)


@dataclass(frozen=True, eq=False)
class ClusteredAreas:
    """Areas of k classifiers on examples that belong together in clusters.

    Attributes
    ----------
    areas : the areas, exactly.
    pos, neg : (k, c) what the positives and the negatives of each cluster add to the deviation of the area.
    sizes : number of clusters that hold positives, and negatives.
    """

    areas: list[Fraction]
    pos: Array
    neg: Array
    sizes: tuple[float, float]

    def _sums(self, pos: Array, neg: Array) -> tuple[float, float]:
        """The parts of a variance; what both classes of a cluster add together is shared out evenly."""
        each = (n / (n - 1) for n in (*self.sizes, pos.size))
        of_pos, of_neg, both = (
            factor * float(a @ b) for factor, a, b in zip(each, (pos, neg, pos), (pos, neg, neg), strict=True)
        )
        return of_pos + both, of_neg + both

    def parts(self) -> tuple[float, float]:
        """The parts that positives and negatives add to the variance of the first area."""
        return self._sums(self.pos[0], self.neg[0])

    def covariance(self) -> Array:
        """The variance of the first area (1, 1)."""
        return np.array([[max(0.0, sum(self.parts()))]])

    def variance_of_difference(self) -> float:
        """Variance of the first area less the second."""
        return max(0.0, sum(self._sums(self.pos[0] - self.pos[1], self.neg[0] - self.neg[1])))


def areas_of(
    columns: Sequence[Labelled], second: str = "", clusters: Array | None = None
) -> CountedAreas | WeighedAreas | ClusteredAreas:
    """Areas of classifiers on the same examples; `second` is what follows the names of a second sample.

    `clusters` (n,) are the codes, from 0 on, of what the examples belong to.
    """
    data = columns[0]
    if data.scores.size >= MAX_ROWS:
        raise ValueError(
            f"y_true{second} has {data.scores.size} examples; DeLong's variance takes less than 2**30."
        )
    if clusters is not None:
        return _clustered(columns, clusters)
    if data.weights is not None:
        return _weighed(columns, second)
    n_pos = int(np.count_nonzero(data.positive))
    n_neg = data.positive.size - n_pos
    _require_two(n_pos, n_neg, second)
    if len(columns) == 1:
        twice, pos, neg = _sums(data, n_pos, n_neg)
        return CountedAreas(n_pos, n_neg, [twice], [[pos]], [[neg]])
    return _counted(columns, n_pos, n_neg)


def _clustered(columns: Sequence[Labelled], clusters: Array) -> ClusteredAreas:
    """Obuchowski's variance of areas of clustered examples (1997, equations 4 to 7).

    The area deviates by the mean of V - A over the positives plus that over the negatives, V being the
    placements. Clusters are independent: the variance is the sum over them of the square of what a cluster
    adds, and this square has three parts. Each is multiplied by c / (c - 1) for the c clusters that it is
    about, so that with a cluster for each example it is DeLong's.
    """
    weighed = [replace(data, weights=_weights(data)) for data in columns]
    areas, influence, positive, share = _influence(weighed, "", adjusted=False)
    sums, sizes, c = [], [], int(clusters.max()) + 1
    for label, which in ((True, "positive"), (False, "negative")):
        own = (positive == label) & (share > 0)
        sums.append(np.array([np.bincount(clusters[own], row[own], minlength=c) for row in influence]))
        sizes.append(float(np.unique(clusters[own]).size))
        if sizes[-1] < 2:
            raise Refusal(
                "{}: all {} {} examples are in one, which cannot vary.",
                Parameter("clusters"),
                int(own.sum()),
                which,
            )
    return ClusteredAreas(areas, sums[0], sums[1], (sizes[0], sizes[1]))


def _weights(data: Labelled) -> Array:
    return np.ones(data.scores.size) if data.weights is None else data.weights


def _require_two(n_pos: int, n_neg: int, second: str, having: str = "") -> None:
    for count, which in ((n_pos, "positive"), (n_neg, "negative")):
        if count < 2:
            raise ValueError(
                f"y_true{second} has {count} {which} example{having}; a variance needs two of each class."
            )


def _wide(high: Any, low: Any) -> int:
    return (int(high) << 32) + int(low)


def _sums(data: Labelled, n_pos: int, n_neg: int) -> tuple[int, int, int]:
    """Sum of the doubled placements, and their sums of squares over positives and over negatives.

    The score axis is cut into parts of about equal mass; each class of a part is sorted by itself, and
    the two are merged. The sums are integers: neither the cuts nor the number of threads matter.
    """
    from rochull._core.kernels import ranks as rank_kernels

    parts, counts = _split(data)
    below = np.cumsum(counts[:, 0]) - counts[:, 0]
    above = n_pos - np.cumsum(counts[:, 1])
    room = max(1, (1 << 62) // (2 * max(n_pos, n_neg)) ** 2)

    def work(part: tuple[Array, Array], before: int, beyond: int) -> tuple[Any, ...]:
        (neg, _), (pos, _) = map(ascending, part)
        return rank_kernels.placement_sums(pos, neg, before, beyond, room)

    found = share_out(work, parts, below.tolist(), above.tolist())
    twice, *squares = (sum(int(part[i]) for part in found) for i in range(5))
    return twice, _wide(*squares[:2]), _wide(*squares[2:])


def _split(data: Labelled) -> tuple[list[tuple[Array, Array]], Array]:
    """Copies of the negatives' and the positives' scores in m parts of the axis; how many (m, 2)."""
    from rochull._core.kernels import ranks as rank_kernels

    scores, positive = data.scores, data.positive
    n, threads = scores.size, n_threads()
    m = max(1, min(_PARTS_A_THREAD * threads, n // _ROWS_A_PART))
    sample = np.sort(scores[:: max(1, n // (_SAMPLE_A_PART * m))])
    pivots = sample[sample.size * np.arange(1, m) // m]
    bounds = [n * i // threads for i in range(threads + 1)] if m > 1 else [0, n]
    rows = [slice(i, j) for i, j in pairwise(bounds)]
    tables = np.zeros((len(rows), 2 * m), np.int64)
    share_out(
        lambda part, table: rank_kernels.count_split(scores[part], positive[part], pivots, table),
        rows,
        tables,
    )
    counts = tables.sum(axis=0)
    place = np.cumsum(counts) - counts + np.cumsum(tables, axis=0) - tables
    out = np.empty_like(scores)
    share_out(
        lambda part, start: rank_kernels.scatter_split(scores[part], positive[part], pivots, start, out),
        rows,
        place,
    )
    pieces = np.split(out, np.cumsum(counts)[:-1])
    return list(zip(pieces[::2], pieces[1::2], strict=True)), counts.reshape(m, 2)


def _placement_values(data: Labelled, mass: Array | None, n_pos: int, out: Array) -> None:
    """Write the doubled placement of every example to `out` (n,)."""
    from rochull._core.kernels import ranks as rank_kernels

    ranked, order = ascending(data.scores, np.arange(data.scores.size))
    rank_kernels.placements(ranked, order, data.positive, mass, n_pos, out)


def _counted(columns: Sequence[Labelled], n_pos: int, n_neg: int) -> CountedAreas:
    from rochull._core.kernels import ranks as rank_kernels

    positive = np.equal(columns[0].positive, 1).view(np.uint8)
    k = len(columns)
    found = np.empty((k, positive.size), np.int32)

    def work(data: Labelled, out: Array) -> int:
        _placement_values(Labelled(positive, data.scores, None), None, n_pos, out)
        return int(np.sum(out, where=positive.view(bool), dtype=np.int64))

    twice = share_out(work, columns, found)
    pairs = [(a, b) for a in range(k) for b in range(a, k)]
    sums = share_out(lambda pair: rank_kernels.cross_sums(found[pair[0]], found[pair[1]], positive), pairs)
    pos, neg = [[0] * k for _ in range(k)], [[0] * k for _ in range(k)]
    for (a, b), products in zip(pairs, sums, strict=True):
        pos[a][b] = pos[b][a] = _wide(*products[:2])
        neg[a][b] = neg[b][a] = _wide(*products[2:])
    return CountedAreas(n_pos, n_neg, twice, pos, neg)


def _weighed(columns: Sequence[Labelled], second: str) -> WeighedAreas:
    """The sandwich variance of an area whose examples have fixed weights.

    The factor n / (n - 1) makes it DeLong's variance if all weights are equal.
    """
    areas, influence, positive, share = _influence(columns, second, adjusted=True)
    sizes = [1 / float(np.sum(share[positive == label] ** 2)) for label in (1, 0)]
    return WeighedAreas(areas, influence, (sizes[0], sizes[1]), positive)


def _influence(
    columns: Sequence[Labelled], second: str, *, adjusted: bool
) -> tuple[list[Fraction], Array, Array, Array]:
    """Areas, the influence (k, n) of each example, whether it is positive, and its share of its class.

    Linearised, the area deviates by the sum over each class of w (V - A) / sum(w), V being an example's
    placement.
    """
    with changed(in_place_of({"sample_weight": f"sample_weight{second}"})):
        units = units_of(columns[:1])
    positive = np.equal(columns[0].positive, 1).view(np.uint8)
    mass = np.rint(columns[0].weights * units.pair[positive]).astype(np.int64)
    total = [int(mass[positive == label].sum()) for label in (0, 1)]
    count = [int(np.count_nonzero(mass[positive == label])) for label in (0, 1)]
    _require_two(count[1], count[0], second, " with a weight above zero")
    share = mass / np.array(total, float)[positive]
    factor = share * np.sqrt([n / (n - 1) for n in count])[positive] if adjusted else share
    influence = np.empty((len(columns), positive.size))

    def work(data: Labelled, out: Array) -> Fraction:
        found = np.empty(positive.size, np.int64)
        _placement_values(Labelled(positive, data.scores, None), mass, total[1], found)
        twice, n_pos, n_neg = refine.area_of(tally_of(data))
        area = Fraction(twice, 2 * n_pos * n_neg)
        np.divide(found, 2.0 * np.array(total[::-1], float)[positive], out=out)
        out -= float(area)
        out *= factor
        return area

    return share_out(work, columns, influence), influence, positive.view(bool), share
