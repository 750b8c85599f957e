"""The groups that a bootstrap draws from, and its draws: groups of equal score, counted anew each time."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from rochull._core import validation
from rochull._core.docstrings import Described, entries
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import pool
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Tally, Units, tally_of, units_of

# A heavy row may be drawn several times: room for 2**4 times a class's weight.
_SPARE_BITS = 4
_THIN_ABOVE = 200_000
_THIN_TO = 10_000
_FULL = 24  # rows of a group, from which drawing its total costs less than drawing its rows


@dataclass(frozen=True, eq=False)
class OrderedGroups:
    """One classifier's scores as groups, from high scores to low.

    Attributes
    ----------
    score : (g,) the lowest score of each group.
    groups : int32 (n_neg,) and (n_pos,), ascending, the group of each row; empty where `totals` suffice.
    order : int32 (n_neg,) and (n_pos,), which row each of `groups` is that of; None: its place is.
    totals : int64 (g,) negatives and positives of each group, in units.
    won : (g,) share of the pairs inside a merged group that the positive example wins; else None.
    whole : the groups before they were merged; else None.
    """

    score: Array
    groups: tuple[Array, Array]
    totals: tuple[Array, Array]
    won: Array | None = None
    whole: Tally | None = None
    order: tuple[Array, Array] | None = None

    def __len__(self) -> int:
        return len(self.score)

    def called(self, threshold: float) -> tuple[int, tuple[float, float]]:
        """How many whole groups are called positive, and which shares (negatives, positives) of the next."""
        groups = _reaching(self.score, threshold)
        if self.whole is None or groups == len(self):
            return groups, (0.0, 0.0)
        score = self.whole.score
        begin = _reaching(score, self.score[groups - 1].item()) if groups else 0
        middle, end = _reaching(score, threshold), _reaching(score, self.score[groups].item())
        neg, pos = (
            float(total[begin:middle].sum() / max(1, total[begin:end].sum()))
            for total in (self.whole.neg_units, self.whole.pos_units)
        )
        return groups, (neg, pos)


def _reaching(score: Array, threshold: float) -> int:
    """How many of descending scores are not below the threshold."""
    from rochull.conditions.rules import threshold_in

    if math.isnan(threshold):
        raise refused("threshold", "must be a number, but is NaN.")
    cut = threshold_in(score.dtype, threshold)
    return bisect_left(range(score.size), True, key=lambda i: bool(score[i] < cut))


@dataclass(frozen=True, eq=False)
class Pool:
    """The data that are drawn from.

    Attributes
    ----------
    classifiers : dict of name (None for the only one) to its ordered scores.
    sizes : rows (unweighted: examples) of each class, negatives first.
    masses : int64 (n_neg,) and (n_pos,), units of each row; None unweighted.
    clusters : for each class the cluster of each row, as an index; None without clusters.
    n_clusters : how many there are.
    pure : int64 (n_clusters,) the class of each cluster if each holds one class only, else None.
    """

    classifiers: dict[str | None, OrderedGroups]
    sizes: tuple[int, int]
    units: Units
    masses: tuple[Array, Array] | None = None
    clusters: tuple[Array, Array] | None = None
    n_clusters: int = 0
    pure: Array | None = None

    @property
    def thinned(self) -> bool:
        """Whether groups were merged."""
        return any(scores.won is not None for scores in self.classifiers.values())

    @property
    def unmerged(self) -> Pool:
        """The same data in all their groups, for what is computed once; nothing is drawn from it."""
        if not self.thinned:
            return self
        every = {
            name: scores if scores.whole is None else _ungrouped(scores.whole)
            for name, scores in self.classifiers.items()
        }
        return replace(self, classifiers=every)


@dataclass(eq=False)
class Resample(Described):
    """A replicate, or the data themselves: what a bootstrapped statistic is a function of.

    :func:`bootstrap` makes them; nobody else needs to.

    Attributes
    ----------
    pool : Pool
        The data that it was drawn from.
    totals : dict of name to (ndarray, ndarray)
        What the negatives and the positives of each group of equal score weigh, in units.
    chosen : bool
        Whether the hull was asked for. What the hull offers was chosen on the sample that judges it.
    areas : set of float
        The areas under whole curves that were asked for.

    Examples
    --------
    >>> import rochull as rh
    >>> y_true, y_score = rh.datasets.make_fawcett()
    >>> def above_the_curve(sample: rh.uncertainty.Resample) -> float:
    ...     return sample.hull().auc() - sample.auc()
    >>> round(rh.bootstrap(y_true, y_score, above_the_curve, n_resamples=50, random_state=0).estimate, 3)
    0.074
    """

    parameters_told = entries("""
name : str, optional
    The classifier, where there are several.
threshold : float
    Fixed beforehand, or found on another sample. Of a merged group that it divides, the share counts that is
    above it in the data.
""")

    pool: Pool
    totals: dict[str | None, tuple[Array, Array]]
    chosen: bool = False
    areas: set[float] = field(default_factory=set)
    _hulls: dict[str | None, RocHull] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str | None, ...]:
        """The classifiers (tuple of str, or of None for the only one)."""
        return tuple(self.totals)

    def _named(self, name: str | None) -> str | None:
        if name in self.totals:
            return name
        if name is None and len(self.totals) == 1:
            return next(iter(self.totals))
        held = ", ".join(map(repr, self.names))
        if name is None:
            raise Refusal("a sample of several classifiers is asked for one by its name: {}.", held)
        raise Refusal("{} is not one of the classifiers {}.", Setting("name", name), held)

    def tally(self, name: str | None = None) -> Tally:
        """Give the groups of equal score with their counts.

        Returns
        -------
        Tally
            Without groups that were not drawn.
        """
        from rochull._core.kernels import replicates as replicate_kernels

        name = self._named(name)
        neg, pos = self.totals[name]
        some = np.empty(neg.size, np.int64)
        some = some[: replicate_kernels.drawn_groups(neg, pos, some)]
        score = self.pool.classifiers[name].score[some]
        return Tally(score, pos[some].astype(np.int64), neg[some].astype(np.int64), self.pool.units)

    def curve(self, name: str | None = None) -> RocCurve:
        """Give the ROC curve.

        Returns
        -------
        RocCurve
            Through all groups that were drawn.
        """
        return RocCurve.from_tally(self.tally(name))

    def hull(self, name: str | None = None) -> RocHull:
        """Give the ROC convex hull.

        Returns
        -------
        RocHull
            What is read from it is in-sample: the hull is chosen on the sample that it describes.
        """
        self.chosen = True
        name = self._named(name)
        if name not in self._hulls:
            self._hulls[name] = RocHull.from_blocks(pool(self.tally(name)))
        return self._hulls[name]

    def auc(self, name: str | None = None, max_fpr: float | None = None) -> float:
        """Compute the area under the raw curve.

        Parameters
        ----------
        max_fpr : float, optional
            Area up to this false positive rate only.

        Returns
        -------
        float
            A tied pair counts one half.
        """
        name = self._named(name)
        if max_fpr is not None and max_fpr != 1:
            return self.curve(name).auc(max_fpr)
        from rochull._core.kernels import replicates as replicate_kernels

        neg, pos = self.totals[name]
        found = min(1.0, float(replicate_kernels.area(pos, neg, self.pool.classifiers[name].won)))
        self.areas.add(found)
        return found

    def hull_auc(self, name: str | None = None) -> float:
        """Compute the area under the hull, which is in-sample as :meth:`hull` is.

        Returns
        -------
        float
            In [1/2, 1].
        """
        return self.hull(name).auc()

    def eer(self, name: str | None = None) -> float:
        """Compute the equal error rate of the hull, which is in-sample as :meth:`hull` is.

        Returns
        -------
        float
            In [0, 1/2].
        """
        return self.hull(name).eer()

    def min_cllr(self, name: str | None = None) -> float:
        """Compute the least Cllr of any monotone recalibration; in-sample, as :meth:`hull` is.

        Returns
        -------
        float
            In bits.
        """
        from rochull.scoring.scoring_rules import LogScore

        return float(LogScore().minimum(self.hull(name), 0.5) / np.log(2))

    def cllr(self, name: str | None = None) -> float:
        """Compute Cllr of scores that are natural log-likelihood-ratios.

        Returns
        -------
        float
            In bits.
        """
        from rochull.scoring.measures import cllr

        groups = self.tally(name)
        weight = np.concatenate([groups.pos, groups.neg])
        positive = np.arange(weight.size) < groups.pos.size
        return cllr(positive, np.tile(groups.score, 2), sample_weight=weight)

    def tpr_at(self, fpr: float, name: str | None = None) -> float:
        """Read the true positive rate at a false positive rate off the raw curve.

        Parameters
        ----------
        fpr : float
            In [0, 1].

        Returns
        -------
        float
            By linear interpolation; of a vertical piece the upper end.
        """
        from rochull._core.kernels import replicates as replicate_kernels

        neg, pos = self.totals[self._named(name)]
        return float(replicate_kernels.height(neg, pos, validation.probability(fpr, "fpr")))

    def rates(self, threshold: float, name: str | None = None) -> tuple[float, float]:
        """Give the rates of the rule "score >= threshold".

        Returns
        -------
        tuple of float
            False and true positive rate.
        """
        called = self.called(threshold, name)
        fpr, tpr = (
            of / float(total.sum()) for of, total in zip(called, self.totals[self._named(name)], strict=True)
        )
        return fpr, tpr

    def called(self, threshold: float, name: str | None = None) -> tuple[float, float]:
        """Give how much of each class the rule "score >= threshold" calls positive.

        Returns
        -------
        tuple of float
            Of the negatives and of the positives, in the units of :meth:`tally`: counts, without weights.
        """
        name = self._named(name)
        groups, part = self.pool.classifiers[name].called(threshold)
        neg, pos = (
            float(total[:groups].sum() + share * total[groups : groups + 1].sum())
            for total, share in zip(self.totals[name], part, strict=True)
        )
        return neg, pos


# --- making a pool ----------------------------------------------------------------------------------


def pool_of(
    positive: Array,
    scores: Mapping[str | None, Array],
    weights: Array | None,
    clusters: Array | None,
    max_groups: int | None,
) -> Pool:
    """The pool of validated rows: labels (n,), scores (n,) of each classifier, weights, cluster labels."""
    truth = np.asarray(positive == 1)
    rows = np.flatnonzero(~truth), np.flatnonzero(truth)
    sizes = rows[0].size, rows[1].size
    alone = len(scores) == 1 and clusters is None and weights is None
    if alone:
        ((name, column),) = scores.items()
        return Pool({name: _grouped(tally_of(Labelled(positive, column, None)), max_groups)}, sizes, Units())
    first = next(iter(scores.values()))
    rows = rows[0][np.argsort(first[rows[0]])[::-1]], rows[1][np.argsort(first[rows[1]])[::-1]]
    units, masses = Units(), None
    if weights is not None:
        found = units_of([Labelled(positive, next(iter(scores.values())), weights)])
        each = found.pair * 2.0**-_SPARE_BITS
        units = Units(each[0], each[1], weighted=True)
        neg, pos = (
            np.rint(weights[part] * unit).astype(np.int64)
            for part, unit in zip(rows, (units.neg, units.pos), strict=True)
        )
        if not (neg.all() and pos.all()):  # of no weight, or of so little that it counts as none
            kept = np.sort(np.concatenate((rows[0][neg > 0], rows[1][pos > 0])))
            some = {name: column[kept] for name, column in scores.items()}
            of = None if clusters is None else clusters[kept]
            return pool_of(positive[kept], some, _unless_constant(weights[kept]), of, max_groups)
        masses = neg, pos
    classifiers = {name: _by_row(column, rows, masses) for name, column in scores.items()}
    if clusters is None:
        return Pool(classifiers, sizes, units, masses)
    labels, index = np.unique(clusters, return_inverse=True)
    index = index.astype(np.int32)
    members = index[rows[0]], index[rows[1]]
    held = np.bincount(members[1], minlength=labels.size) > 0
    mixed = held & (np.bincount(members[0], minlength=labels.size) > 0)
    pure = None if mixed.any() else held.astype(np.int64)
    return Pool(classifiers, sizes, units, masses, members, labels.size, pure)


def _unless_constant(weights: Array) -> Array | None:
    return weights if np.any(weights != weights[0]) else None


def pool_of_groups(groups: Tally, max_groups: int | None) -> Pool:
    """The pool of one classifier of which the groups are known, not the rows; merged if they are too many."""
    sizes = int(groups.neg_units.sum()), int(groups.pos_units.sum())
    return Pool({None: _grouped(groups, max_groups)}, sizes, groups.units)


def _grouped(groups: Tally, max_groups: int | None) -> OrderedGroups:
    """One classifier, whose groups are merged if there are too many."""
    limit = max_groups or (_THIN_TO if groups.score.size > _THIN_ABOVE else groups.score.size)
    score, totals, won, whole = groups.score, (groups.neg_units, groups.pos_units), None, None
    if score.size > limit:
        whole = groups
        score, totals, won = _merged(groups, limit)
    each = np.arange(score.size, dtype=np.int32)
    # Drawn by their totals; where these are units of weight they are not drawn at all.
    if groups.units.weighted or _FULL * score.size < sum(int(total.sum()) for total in totals):
        return OrderedGroups(score, (each[:0], each[:0]), totals, won, whole)
    return OrderedGroups(score, (np.repeat(each, totals[0]), np.repeat(each, totals[1])), totals, won, whole)


def _ungrouped(groups: Tally) -> OrderedGroups:
    """All groups with their totals, of which no row is drawn."""
    none = np.empty(0, np.int32)
    return OrderedGroups(groups.score, (none, none), (groups.neg_units, groups.pos_units))


def _merged(groups: Tally, limit: int) -> tuple[Array, tuple[Array, Array], Array]:
    """At most `limit` runs of groups of about equal share of both classes, and who wins inside."""
    pos, neg = groups.pos_units, groups.neg_units
    rank = np.cumsum(pos) / pos.sum() + np.cumsum(neg) / neg.sum()
    cell = np.minimum((rank * (limit / 2)).astype(np.int64), limit - 1)
    ends = np.append(np.flatnonzero(np.diff(cell)), cell.size - 1)
    begins = np.append(0, ends[:-1] + 1)
    totals = np.add.reduceat(neg, begins), np.add.reduceat(pos, begins)
    above = np.cumsum(pos) - pos  # positives before the group, less those before its run
    above = above - np.repeat(above[begins], np.diff(np.append(begins, cell.size)))
    wins = np.add.reduceat(neg * (above + pos / 2), begins)
    pairs = totals[0].astype(float) * totals[1]
    won = np.divide(wins, pairs, out=np.full(ends.size, 0.5), where=pairs > 0)
    return groups.score[ends], totals, won


def _by_row(column: Array, rows: tuple[Array, Array], masses: tuple[Array, Array] | None) -> OrderedGroups:
    """Groups with the group of every row, so that several classifiers can share the rows that are drawn."""
    score, index = np.unique(column, return_inverse=True)
    if score.dtype.kind == "f":
        score = score + 0  # -0.0 becomes 0.0
    group = (score.size - 1 - index).astype(np.int32)
    groups = group[rows[0]], group[rows[1]]
    neg, pos = (np.zeros(score.size, np.int64) for _ in range(2))
    for total, part, mass in zip((neg, pos), groups, masses or (None, None), strict=True):
        np.add.at(total, part, 1 if mass is None else mass)
    if all(not np.any(part[1:] < part[:-1]) for part in groups):  # the classifier that rows go by
        return OrderedGroups(score[::-1], groups, (neg, pos))
    order = tuple(np.argsort(part, kind="stable").astype(np.int32) for part in groups)
    groups = groups[0][order[0]], groups[1][order[1]]
    return OrderedGroups(score[::-1], groups, (neg, pos), order=(order[0], order[1]))
