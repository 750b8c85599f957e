"""Bands around curves and hulls, and how sure it is that a classifier is on the hull."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.tables import all_columns
from rochull._core.threads import Bar
from rochull._core.validation import Array
from rochull.conditions.rules import Rule
from rochull.hull.curve import roc_curve
from rochull.hull.hull import RocHull, roc_hull
from rochull.hull.unions import union
from rochull.uncertainty.bootstrap_intervals import (
    effective_size,
    few_false_positives,
    height,
    normal_quantile,
    normal_tail,
    wilson,
)
from rochull.uncertainty.parameters import PARAMETERS
from rochull.uncertainty.replicates import Resample
from rochull.uncertainty.resampling import bootstrap

_GRID = 101
_SHOWN = 6  # points of a printed band, vertices of printed shares
_ONLY = "score"  # what a classifier without a name is called
_ANY_LEVEL = 0.1  # where no interval is asked for: no number of replicates is too small for it
_FEW = 5.0  # negatives expected beyond a threshold, below which the bootstrap knows it too badly
_LEAST_SPREAD = 1.0  # examples: the band is never thinner than one example's step allows


@dataclass(frozen=True)
class RocBand(Result):
    """A confidence band of an ROC curve or of its hull.

    Attributes
    ----------
    fpr : ndarray of shape (k,)
        False positive rates, ascending from 0 to 1.
    low, high : ndarray of shape (k,)
        Ends of the band: true positive rates.
    estimate : ndarray of shape (k,)
        The curve or hull of the data.
    level : float
        Nominal coverage.
    method : str
        "ks", "simultaneous" or "pointwise".
    simultaneous : bool
        Whether the level is that of the whole curve, or of each point by itself.
    in_sample : bool
        Whether the band is that of a hull, which is biased upwards: it describes how the hull varies,
        and need not cover the population's.

    Examples
    --------
    >>> import rochull as rh
    >>> y_true, y_score = rh.datasets.make_fawcett()
    >>> band = rh.roc_band(y_true, y_score, "pointwise", of="hull", random_state=0)
    >>> band.in_sample, band.simultaneous, band.fpr.size
    (True, False, 101)
    """

    fpr: Array
    low: Array
    high: Array
    estimate: Array
    level: float
    method: str
    simultaneous: bool
    in_sample: bool

    def __str__(self) -> str:
        what = f"{'hull' if self.in_sample else 'curve'}, {self.level * 100:g}%, {self.method}"
        if self.in_sample:
            what += ", in-sample"
        at = range(self.fpr.size)
        if self.fpr.size > _SHOWN:  # a few, evenly spread
            at = np.unique(np.linspace(0, self.fpr.size - 1, _SHOWN).round().astype(int)).tolist()
        rows = [
            f"TPR at FPR {self.fpr[i]:.3g}: {self.estimate[i]:.3f} ({self.low[i]:.3f} to {self.high[i]:.3f})"
            for i in at
        ]
        points = f"{self.fpr.size} point{'s' * (self.fpr.size != 1)}"
        return "\n".join((f"ROC band at {points} ({what})", *rows))


@described(PARAMETERS)
def roc_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    method: str = "simultaneous",
    *,
    of: str = "curve",
    level: float = 0.95,
    fpr: ArrayLike | None = None,
    n_resamples: int = 2000,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = None,
    progress: bool | str | None = None,
) -> RocBand:
    """Compute a confidence band of an ROC curve.

    Parameters
    ----------
    method : {"simultaneous", "pointwise", "ks"}, default="simultaneous"
        "simultaneous": bootstrap, the largest studentised deviation over the grid.
        "pointwise": bootstrap percentiles of the true positive rate at each false positive rate;
        each point by itself covers, the curve as a whole does not.
        Without `clusters` neither is narrower than Wilson's interval of a rate, so that a rate of 1 in
        all replicates does not count as certain. Where fewer than five negatives are expected on one
        side of the threshold, order statistics take the bootstrap's place; see the notes.
        "ks": Kolmogorov-Smirnov bands of both classes' distributions; holds for any n and any
        continuous distribution, and is wide; without clusters and weights.
    of : {"curve", "hull"}, default="curve"
        The raw curve or its hull.
    fpr : array-like of shape (k,), optional
        Where to evaluate; 101 equally spaced rates if not given.
    n_resamples : int, default=2000
        Of the bootstrap.
    sample_weight : array-like of shape (n,), optional
        Weights go with the examples that are drawn. Where the band is kept from being
        narrower than chance allows, the number of positives is then the effective one,
        ``sum(w)**2 / sum(w**2)``.

    Returns
    -------
    RocBand
        Ascending in `fpr`; both ends are monotone.

    Notes
    -----
    At a false positive rate x with ``x * n_neg < 5`` (or ``(1 - x) * n_neg < 5``) the right threshold lies
    among the few highest (lowest) negative scores, or beyond them all, and replicates do not show how badly
    it is known: at x = 0 they would call certain what the sample's curve begins with. Which of the ordered
    negatives lies beyond x is binomial for every distribution. The quantiles of that number give the
    horizontal uncertainty, Wilson's interval the vertical one; they are put together as by Zou & Donner
    (2008). Where no negative need lie beyond, the lower end is 0; always so at x = 0. With weights and
    clusters, n is the effective number ``sum(w)**2 / sum(w**2)``, over clusters as if the examples of each
    were one. The band of a hull describes how it varies, and has none of this.

    References
    ----------
    Campbell 1994 (Kolmogorov-Smirnov); Macskassy & Provost 2004; Zou & Donner 2008.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> band = rh.roc_band(table["class"] == "bad", table["boosted"], "ks", fpr=[0.1, 0.3])
    >>> band.low.round(2).tolist(), band.estimate.round(2).tolist(), band.high.round(2).tolist()
    ([0.24, 0.56], [0.44, 0.71], [0.6, 0.83])
    """
    if method not in ("simultaneous", "pointwise", "ks"):
        raise refused("method", 'must be "simultaneous", "pointwise" or "ks", but is {}.', repr(method))
    if of not in ("curve", "hull"):
        raise refused("of", 'must be "curve" or "hull", but is {}.', repr(of))
    level = validation.probability(level, "level", open_ends=True)
    at = np.linspace(0, 1, _GRID) if fpr is None else np.sort(validation.rates_1d(fpr, "fpr"))
    if method == "ks":
        if clusters is not None:
            raise refused("clusters", "need a bootstrap: method='ks' is for independent examples.")
        if sample_weight is not None:
            raise refused("sample_weight", "needs a bootstrap: method='ks' is for examples of equal weight.")
        low, estimate, high = _kolmogorov(y_true, y_score, pos_label, of=of, level=level, at=at)
    else:
        low, estimate, high = _resampled(
            y_true, y_score, pos_label, of=of, level=level, at=at, simultaneous=method == "simultaneous",
            n_resamples=n_resamples, clusters=clusters, sample_weight=sample_weight,
            random_state=random_state, progress=Bar.of(progress, "bootstrap of the ROC band"),
        )  # fmt: skip
    low, high = np.maximum.accumulate(np.clip(low, 0, 1)), np.clip(high, 0, 1)
    high = np.minimum.accumulate(high[::-1])[::-1]
    return RocBand(at, low, high, estimate, level, method, method != "pointwise", of == "hull")


def _resampled(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: object, *, of: str, level: float, at: Array,
    simultaneous: bool, clusters: ArrayLike | None, sample_weight: ArrayLike | None, **options: Any,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Low end, curve and high end by the bootstrap, and by what else is known where that fails."""

    def rates(sample: Resample) -> Array:
        return height(*_xy(sample.hull() if of == "hull" else sample.curve()), at)

    found = bootstrap(
        y_true, y_score, rates, level=level, clusters=clusters, sample_weight=sample_weight,
        pos_label=pos_label, **options,
    )  # fmt: skip
    estimate, low, high = np.asarray(found.estimate), np.asarray(found.low), np.asarray(found.high)
    n_neg, n_pos = sizes = _effective(y_true, sample_weight, clusters, pos_label)
    few = np.minimum(at, 1 - at) * n_neg < _FEW
    if of == "hull":  # its band is how it varies; no threshold of the sample bounds it
        few[:] = False
    tail = (1 - level) / 2
    if simultaneous:
        spread = _spread(found.replicates, n_pos)
        width = _largest(found.replicates, estimate, spread, few | (at == 0) | (at == 1), level)
        low, high, tail = estimate - width * spread, estimate + width * spread, normal_tail(width)
    if clusters is None:
        least = wilson(estimate, n_pos, level)
        low, high = np.minimum(low, least.low), np.maximum(high, least.high)
    if few.any():
        curve = _xy(roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label))
        estimate[few] = height(*curve, at[few])  # groups may have been merged
        low[few], high[few] = few_false_positives(*curve, at[few], sizes, tail)
    low[at == 1] = 1.0  # for sure
    return low, estimate, high


def _effective(
    y_true: ArrayLike, sample_weight: ArrayLike | None, clusters: ArrayLike | None, pos_label: object
) -> tuple[int, int]:
    """How many independent negatives and positives say as much as the given ones, or their clusters."""
    positive = np.equal(validation.binary_labels(y_true, pos_label), 1)
    weights = None if sample_weight is None else validation.weights_1d(sample_weight)
    codes = None if clusters is None else validation.codes_1d(clusters, "clusters")[0]
    sizes = []
    for part in (~positive, positive):
        mass = None if weights is None else weights[part] / weights[part].max()
        if codes is not None:
            mass = np.bincount(codes[part], mass)
        sizes.append(int(part.sum()) if mass is None else effective_size(mass))
    return sizes[0], sizes[1]


def _xy(curve: Any) -> tuple[Array, Array]:
    return curve.fpr, curve.tpr


def _kolmogorov(
    y_true: ArrayLike, y_score: ArrayLike, pos_label: object, *, of: str, level: float, at: Array
) -> tuple[Array, Array, Array]:
    """Campbell's band: both rates may be off by the Kolmogorov-Smirnov distance of their class."""
    from scipy.stats import kstwo

    curve = roc_curve(y_true, y_score, pos_label=pos_label)
    each = np.sqrt(level)  # the classes are independent
    d_neg, d_pos = (float(kstwo.ppf(each, int(n[-1]))) for n in (curve.fp_units, curve.tp_units))
    x, y = _xy(roc_hull(y_true, y_score, pos_label=pos_label) if of == "hull" else curve)
    # Of a vertical piece the lower end: the same height in the curve turned by half a circle.
    below = 1 - height(1 - x[::-1], 1 - y[::-1], np.clip(1 - (at - d_neg), 0, 1))
    lower = np.where(at - d_neg >= 0, below - d_pos, 0.0)
    upper = np.where(at + d_neg < 1, height(x, y, np.clip(at + d_neg, 0, 1)) + d_pos, 1.0)
    return lower, height(x, y, at), upper


def _spread(replicates: Array, n_pos: int) -> Array:
    """Standard error at each point, kept above that of a rate one example away from 0 or 1.

    At the ends of the axis the replicates may not vary at all.
    """
    floor = _LEAST_SPREAD * np.sqrt(1 / n_pos * (1 - 1 / n_pos) / n_pos) if n_pos > 1 else 1.0
    return np.asarray(np.maximum(replicates.std(axis=0, ddof=1), floor))


def _largest(replicates: Array, estimate: Array, spread: Array, few: Array, level: float) -> float:
    """How many standard errors the largest deviation is, outside of where the bootstrap fails.

    There, neighbouring points differ by an example or so: Bonferroni over at most as many.
    """
    n_few = min(int(np.sum(few)), int(_FEW))
    found = normal_quantile((1 - level) / 2 / max(1, n_few + (not few.all())))
    if not few.all():
        apart = np.abs((replicates - estimate)[:, ~few] / spread[~few])
        largest = np.sort(apart.max(axis=1))
        rank = min(len(largest), int(np.ceil(level * (len(largest) + 1))))
        found = max(found, float(largest[rank - 1]))
    return found


# --- membership of the hull --------------------------------------------------------------------------


@dataclass(frozen=True)
class HullMembership(Result):
    """How often classifiers and vertices are on the convex hull when the examples are drawn again.

    Attributes
    ----------
    classifier : dict of str to float
        Share of the replicates in which the classifier owns an inner vertex of the hull.
    alone : dict of str to float
        Share in which it owns one that no other classifier owns.
    vertex : dict of Rule to float
        For the rules of the inner vertices of the data's hull, from high thresholds to low: share of
        the replicates in which the rule's point is a vertex of the replicate's hull. These vertices
        were chosen on the data (in-sample); neighbours take each other's place from sample to sample,
        so that small shares side by side are usual.
    n_resamples : int
        Number of replicates.

    Examples
    --------
    >>> import rochull as rh
    >>> y_true, y_score = rh.datasets.make_fawcett()
    >>> scores = {"good": y_score, "noise": [0.5] * 15}
    >>> rh.uncertainty.hull_membership(y_true, scores, n_resamples=50, random_state=0).classifier
    {'good': 1.0, 'noise': 0.0}
    """

    classifier: dict[str, float]
    alone: dict[str, float]
    vertex: dict[Rule, float]
    n_resamples: int

    def __str__(self) -> str:
        rows = [f"on the hull in this share of {self.n_resamples:,} replicates:"]
        for name, share in self.classifier.items():
            rows.append(f"  {name}: {share:.3f} (alone somewhere: {self.alone[name]:.3f})")
        rows.append(f"and of the {len(self.vertex)} inner vertices (in-sample), by threshold:")
        often = sorted(self.vertex.items(), key=lambda item: -item[1])
        rows += [
            f"  {rule.classifier or _ONLY} >= {rule.threshold:.6g}: {share:.3f}"
            for rule, share in often[:_SHOWN]
        ]
        if len(often) > _SHOWN:
            rows.append(f"  ... {len(often) - _SHOWN} more")
        return "\n".join(rows)


@described(PARAMETERS)
def hull_membership(
    y_true: ArrayLike,
    y_score: Any,
    *,
    n_resamples: int = 1000,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = None,
    progress: bool | str | None = None,
) -> HullMembership:
    """Estimate how sure it is that classifiers, and vertices, are potentially optimal.

    Parameters
    ----------
    y_score : array-like of shape (n,), or mapping or data frame of such columns
        Scores of several classifiers on the same examples, or of one, which is called "score". The
        columns of an array of shape (n, k) are named "0", "1" and so on.
    n_resamples : int, default=1000
        Number of bootstrap replicates.

    Returns
    -------
    HullMembership
        A share for each classifier, and for each vertex of the data's hull.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scores = {name: table[name] for name in ("boosted", "naive_bayes", "tree")}
    >>> found = rh.uncertainty.hull_membership(
    ...     table["class"] == "bad", scores, n_resamples=200, random_state=0
    ... )
    >>> found.classifier["boosted"] > 0.9 > found.classifier["tree"]
    True
    """
    columns = {name or _ONLY: column for name, column in all_columns(y_score, "y_score").items()}
    names = list(columns)
    exact = None if len(columns) > 1 else max(2, len(y_true))  # type: ignore[arg-type]
    if clusters is not None or sample_weight is not None:
        exact = None  # these are never merged
    vertices: list[Rule] = []

    def owned(sample: Resample) -> Array:
        hull = union({name: sample.hull(name).named(name) for name in names})
        if not vertices:  # the first sample is the data themselves
            vertices.extend(rule for rules in hull.owners[1:-1] for rule in rules)
        owners = [{rule.classifier for rule in rules} for rules in hull.owners[1:-1]]
        either = [any(name in some for some in owners) for name in names]
        alone = [any(some == {name} for some in owners) for name in names]
        return np.array(either + alone + _still_vertices(sample, hull, vertices), float)

    found = bootstrap(
        y_true, columns, owned, n_resamples=n_resamples, clusters=clusters, sample_weight=sample_weight,
        pos_label=pos_label, max_groups=exact, random_state=random_state, level=_ANY_LEVEL,
        progress=Bar.of(progress, "bootstrap of the membership of the hull"),
    )  # fmt: skip
    shares = found.replicates.mean(axis=0).tolist()
    n = len(names)
    return HullMembership(
        dict(zip(names, shares[:n], strict=True)),
        dict(zip(names, shares[n : 2 * n], strict=True)),
        dict(zip(vertices, shares[2 * n :], strict=True)),
        n_resamples,
    )


def _still_vertices(sample: Resample, hull: RocHull, rules: list[Rule]) -> list[bool]:
    """Whether each rule's point in a sample is a vertex of the sample's hull."""
    corners = set(zip(hull.fp[1:-1].tolist(), hull.tp[1:-1].tolist(), strict=True))  # not those of the square
    called = {name: [np.append(0, np.cumsum(t)) for t in sample.totals[name]] for name in sample.names}
    result = []
    for rule in rules:
        groups, _ = sample.pool.classifiers[rule.classifier].called(rule.threshold)  # type: ignore[arg-type]
        neg, pos = called[rule.classifier]
        result.append((int(neg[groups]), int(pos[groups])) in corners)
    return result
