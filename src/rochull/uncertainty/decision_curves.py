"""Decision curves: the net benefit of acting on probabilities, against the threshold probability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described, entries
from rochull._core.messages import refused
from rochull._core.results import Interval, Result, table, written
from rochull._core.rows import refuse_other_order, same_rows
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.uncertainty.bootstrap_intervals import effective_size, wilson
from rochull.uncertainty.parameters import PARAMETERS

_TOLD = PARAMETERS | entries("""
clusters : array-like of shape (n,), optional
    Whom each example belongs to (patient, customer). Clusters are independent, whatever is in them; of few
    (20 or so) too little is known.
lower_is_positive : bool, default=False
    Whether `y_score` are probabilities of the negative class.
""")


@dataclass(frozen=True, eq=False)
class DecisionCurve(Result):
    """Net benefits of models at threshold probabilities, beside those of treating all and none.

    The net benefit is ``π tpr - (1 - π) fpr t / (1 - t)`` at the threshold probability t: in true positives a
    case. That of treating none is 0.

    Attributes
    ----------
    thresholds : ndarray of shape (m,)
        Threshold probabilities, as given.
    prevalence : float
        The proportion of positives π.
    net_benefit : dict of str or None to Interval
        By model, each with arrays (m,): of treating the cases whose probability is at least t.
    treat_all : Interval
        With arrays (m,).
    best : dict of str or None to ndarray of shape (m,)
        By model, the most that any threshold on its scores has, by the ROC hull. In-sample: chosen on the
        data that it is judged by. It is above `net_benefit` as far as probabilities are badly calibrated.
    harm : dict of str or None to float
        By model, what is taken off its net benefit; 0 if nothing is.
    cases : object
        What :meth:`difference` needs of the cases.

    Examples
    --------
    >>> import rochull as rh
    >>> curve = rh.decision_curve([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], [0.25, 0.75])
    >>> curve.net_benefit[None].estimate.round(3).tolist(), curve.best[None].round(3).tolist()
    ([0.417, -0.5], [0.417, 0.25])
    >>> curve.treat_all.estimate.round(3).tolist()
    [0.333, -1.0]
    >>> print(curve)
    DecisionCurve(2 thresholds)
    threshold  net_benefit       low    high  treat_all  treat_none
         0.25       0.4167  -0.03659  0.8099     0.3333           0
         0.75         -0.5    -1.929  0.3728         -1           0
    """

    thresholds: Array
    prevalence: float
    net_benefit: dict[str | None, Interval]
    treat_all: Interval
    best: dict[str | None, Array]
    harm: dict[str | None, float]
    cases: _Cases

    def __repr__(self) -> str:
        names = ", ".join(str(name) for name in self.net_benefit if name is not None)
        return f"DecisionCurve({names + ', ' if names else ''}{len(self.thresholds)} thresholds)"

    def __str__(self) -> str:
        columns = self.to_dict()
        shown = {"": columns.pop("model")} if "model" in columns else {}
        return f"{self!r}\n{table(shown | {name: written(values) for name, values in columns.items()})}"

    def to_dict(self) -> dict[str, list[Any]]:
        """Give a row for every model and threshold, with both ends of its interval and what it competes with.

        Returns
        -------
        dict of str to list
            "model" (if they have names), "threshold", "net_benefit", "low", "high", "treat_all" and
            "treat_none".
        """
        size, found = len(self.thresholds), self.net_benefit
        columns: dict[str, list[Any]] = {"model": [name for name in found for _ in range(size)]}
        if list(found) == [None]:
            columns = {}
        columns["threshold"] = self.thresholds.tolist() * len(found)
        for key, end in (("net_benefit", "estimate"), ("low", "low"), ("high", "high")):
            columns[key] = np.concatenate([getattr(each, end) for each in found.values()]).tolist()
        columns["treat_all"] = np.asarray(self.treat_all.estimate).tolist() * len(found)
        columns["treat_none"] = [0.0] * len(columns["threshold"])
        return columns

    def difference(self, name: str | None, other: str | None = None) -> Interval:
        """Compute by how much the net benefit of a model is above that of another one, on the same cases.

        Parameters
        ----------
        name : str or None
            Of the model; None where there is one without a name.
        other : str, optional
            Of the other model; if not given, all are treated. To treat none has a benefit of 0.

        Returns
        -------
        Interval
            With arrays (m,), for each threshold by itself. It is paired: cases that both treat alike add
            nothing. Where all of it is below 0, the model does worse than the other one.

        Raises
        ------
        ValueError
            If there is no such model.

        Notes
        -----
        Four kinds of cases count, which exclude each other: positives and negatives that one of both treats
        alone. Wilson's intervals of their shares are put together as for the net benefit.

        Examples
        --------
        >>> import rochull as rh
        >>> scores = {"a": [0.9, 0.8, 0.7, 0.1], "b": [0.6, 0.4, 0.2, 0.3]}
        >>> rh.decision_curve([1, 0, 1, 0], scores, [0.25, 0.5]).difference("a", "b").estimate.round(
        ...     3
        ... ).tolist()
        [0.333, 0.0]
        """
        known = self.cases.scores
        for each in (name, other)[: 1 if other is None else 2]:
            if each not in known:
                raise ValueError(f"there is no model {each!r}, but there are {', '.join(map(repr, known))}.")
        one, two = known[name], np.ones(len(known[name])) if other is None else known[other]
        shares = self.cases.shares(one, two, self.thresholds)
        of_neg, of_pos = self.cases.parts
        price = of_neg * self.thresholds / (1 - self.thresholds)
        scales = [np.full(price.size, of_pos), np.full(price.size, -of_pos), -price, price]
        of_one_class = self.cases.prevalence is not None
        exclude = [(i, j) for i, j in combinations(range(4), 2) if not of_one_class or i // 2 == j // 2]
        less = self.harm[name] - (0.0 if other is None else self.harm[other])
        return _moved(_combined(shares, scales, exclude), -less)

    def interventions_avoided(self, name: str | None = None) -> Array:
        """Compute how many unnecessary treatments a model saves per case, against treating all.

        Parameters
        ----------
        name : str, optional
            Of the model, where there are several.

        Returns
        -------
        ndarray of shape (m,)
            ``(net benefit - that of treating all) (1 - t) / t``; NaN at t = 0.
        """
        gain = np.asarray(self.net_benefit[name].estimate) - self.treat_all.estimate
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.thresholds > 0, gain * (1 - self.thresholds) / self.thresholds, np.nan)


@described(_TOLD)
def decision_curve(
    y_true: ArrayLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    thresholds: ArrayLike | None = None,
    *,
    prevalence: float | None = None,
    level: float = 0.95,
    harm: float | Mapping[str, float] = 0.0,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    lower_is_positive: bool = False,
    pos_label: object = None,
) -> DecisionCurve:
    """Compute decision curves of probabilities: their net benefit against the threshold probability.

    Parameters
    ----------
    y_score : array-like of shape (n,), or mapping or table of such columns
        Probabilities of the positive class; several models by name.
    thresholds : array-like of shape (m,), optional
        In [0, 1), where a case is treated if its probability is at least so high, at 0 every case; 0.01,
        0.02, ..., 0.99 if not given.
    prevalence : float, optional
        Proportion of positives where the examples do not show it, as in a case-control study, strictly
        between 0 and 1; that of the data if not given.
    harm : float, or mapping of str to float, default=0.0
        What it costs to use a model, such as that of a test, in true positives per case: it is taken off the
        net benefits. Not negative; by name 0 of a model that is not named.
    sample_weight : array-like of shape (n,), optional
        Finite and non-negative; an example of weight zero is left out.

    Returns
    -------
    DecisionCurve
        With an interval for each threshold by itself.

    Notes
    -----
    The intervals put together Wilson's intervals of two rates (Zou & Donner 2008): of the true and the false
    positives among all cases, which exclude each other; with a stated prevalence of tpr and fpr, which are
    independent. In simulations of 1,000 samples (60 to 1,000 examples, a prevalence of 0.3 or 0.05,
    calibrated probabilities, thresholds from 0.05 to 0.8) intervals of 0.95 covered in 0.92 to 1.00. With
    weights they are those of the effective number of examples, ``sum(w)**2 / sum(w**2)``.

    With `clusters` this number is divided by the design effect, at each threshold: by how much the variance
    of the net benefit from the totals of clusters is above that from single examples. It is at least 1.

    References
    ----------
    Korn & Graubard 1998, Survey Methodology 24, 193-201 (the design effect in intervals of proportions).
    Vickers & Elkin 2006; Vickers et al. 2008 (intervals, `interventions_avoided`).

    Examples
    --------
    >>> import rochull as rh
    >>> rh.decision_curve([1, 0, 1, 0], {"a": [0.9, 0.8, 0.7, 0.1], "b": [0.6, 0.4, 0.5, 0.3]})
    DecisionCurve(a, b, 99 thresholds)
    """
    level = validation.probability(level, "level", open_ends=True)
    at = np.arange(1, 100) / 100 if thresholds is None else validation.rates_1d(thresholds, "thresholds")
    if (at == 1).any():
        raise refused("thresholds", "must be below 1: nobody is treated there, whatever the benefit.")
    if prevalence is not None:
        prevalence = validation.probability(prevalence, "prevalence", open_ends=True)
    columns = named_columns(y_score, "y_score") or {None: y_score}
    refuse_other_order({"y_true": y_true, "y_score": y_score, "sample_weight": sample_weight})
    same_rows(y_true=y_true, clusters=clusters)
    codes = None if clusters is None else validation.codes_1d(clusters, "clusters")[0]
    harms, held = _harms(harm, list(columns)), {}
    net, best = {}, {}
    for name, values in columns.items():
        told = "y_score" if name is None else f"y_score[{name!r}]"
        data = validation.forecasts(y_true, values, sample_weight, pos_label, name=told)
        if lower_is_positive:
            data = replace(data, scores=_complements(data.scores))
        curve = RocCurve.from_tally(tally_of(data))
        called = len(curve.score) - np.searchsorted(curve.score[::-1].astype(float), at, side="left")
        held[name] = np.array(data.scores, float)
        weights = np.ones(len(data.scores)) if data.weights is None else np.array(data.weights, float)
        cases = _Cases(np.equal(data.positive, 1), weights, held, prevalence, level, codes)
        judge = _CurveJudge(cases, curve)
        effect = cases.design_effect(held[name], None, at)
        net[name] = _moved(judge.interval(curve.fpr[called], curve.tpr[called], at, effect), -harms[name])
        hull = RocHull.from_curve(curve)
        best[name] = np.max(judge.net_benefit(hull.fpr, hull.tpr, at[:, None]), axis=1) - harms[name]
    everyone = np.ones(at.size)
    effect = cases.design_effect(np.ones(cases.positive.size), None, at)
    treat_all = judge.interval(everyone, everyone, at, effect)
    return DecisionCurve(at, judge.prevalence, net, treat_all, best, harms, cases)


def _complements(probabilities: Array) -> Array:
    """One less each, as decimals: of 0.9 it is 0.1, so that it meets this threshold."""
    distinct, places = np.unique(probabilities, return_inverse=True)
    return np.array([float(1 - Decimal(repr(each))) for each in distinct.astype(float).tolist()])[places]


def _harms(harm: Any, names: list[str | None]) -> dict[str | None, float]:
    """By model."""
    given = harm if isinstance(harm, Mapping) else dict.fromkeys(names, harm)
    for name in given:
        if name not in names:
            raise refused("harm", "names {}, but y_score has {}.", repr(name), ", ".join(map(repr, names)))
    return {name: validation.non_negative(given.get(name, 0.0), "harm") for name in names}


def _moved(found: Interval, by: float) -> Interval:
    return Interval(found.low + by, found.high + by, found.estimate + by, found.level, found.method)


@dataclass(frozen=True, eq=False)
class _Cases:
    """The cases that decision curves are of: which of them two models treat differently."""

    positive: Array
    weights: Array
    scores: dict[str | None, Array]
    prevalence: float | None  # that is stated
    level: float
    clusters: Array | None  # codes (n,), from 0 on

    @property
    def parts(self) -> tuple[float, float]:
        """The weights of the shares of negatives and of positives: those of all cases, or of the class."""
        return (1.0, 1.0) if self.prevalence is None else (1 - self.prevalence, self.prevalence)

    def shares(self, one: Array, other: Array, at: Array) -> list[Interval]:
        """Intervals of four shares, each (m,).

        Of the positives that one treats alone, and that the other does; of the negatives likewise.
        """
        found, effect = [], self.design_effect(one, other, at)
        for members in (self.positive, ~self.positive):
            weights = np.where(members, self.weights, 0.0)
            base = self.weights if self.prevalence is None else weights
            size, total = effective_size(base[base > 0]), base.sum()
            for first, second in ((one, other), (other, one)):
                alone = [weights[(first >= t) & (second < t)].sum() / total for t in at.tolist()]
                found.append(wilson(np.array(alone), _less(size, effect), self.level))
        return found

    def design_effect(self, one: Array, other: Array | None, at: Array) -> Array:
        """By how much clusters multiply the variance of a difference of net benefits (m,), 1 or more.

        Of what one treats, less what the other one does (nobody if None). Where no case differs from the
        mean, those of a cluster are taken to be alike.
        """
        if self.clusters is None:
            return np.ones(at.size)
        _, codes = np.unique(self.clusters[self.weights > 0], return_inverse=True)
        n, c = int((self.weights > 0).sum()), int(codes.max()) + 1
        if c < 2:
            raise refused("clusters", "must be at least two.")
        found = []
        for t in at.tolist():
            acts = (one >= t) * 1.0 - (0.0 if other is None else other >= t)
            own = self._influence(acts, t / (1 - t))[self.weights > 0]
            alone, together = (own**2).sum() * n / (n - 1), (np.bincount(codes, own) ** 2).sum() * c / (c - 1)
            found.append(max(1.0, together / alone) if alone > 0 else n / c)
        return np.array(found)

    def _influence(self, acts: Array, odds: float) -> Array:
        """Return what each case (n,) adds to the deviation of the net benefit of these acts from the mean."""
        worth = np.where(self.positive, 1.0, -odds) * acts
        if self.prevalence is None:
            mean = (self.weights * worth).sum() / self.weights.sum()
            return np.asarray(self.weights * (worth - mean) / self.weights.sum())
        found = np.zeros(worth.size)
        for members, part in zip((~self.positive, self.positive), self.parts, strict=True):
            weights = self.weights[members]
            mean = (weights * worth[members]).sum() / weights.sum()
            found[members] = part * weights * (worth[members] - mean) / weights.sum()
        return found


def _less(size: int, effect: Array) -> Array:
    """How many independent cases (m,) say as much as so many that belong together."""
    return np.maximum(1, np.rint(size / effect)).astype(int)


class _CurveJudge:
    """The worth of rates at threshold probabilities, in one sample."""

    def __init__(self, cases: _Cases, curve: RocCurve) -> None:
        points = curve.frontier
        self.is_known = cases.prevalence is not None
        own = curve.units.prevalence(points.n_neg, points.n_pos)
        self.prevalence = float(own) if cases.prevalence is None else cases.prevalence
        self.level = cases.level
        weights, positive = cases.weights, cases.positive
        self.size = effective_size(weights)
        self.sizes = effective_size(weights[~positive]), effective_size(weights[positive])

    def net_benefit(self, fpr: Array, tpr: Array, at: Array) -> Array:
        """The net benefit of rates at thresholds that fit them in shape."""
        return np.asarray(self.prevalence * tpr - (1 - self.prevalence) * fpr * (at / (1 - at)))

    def interval(self, fpr: Array, tpr: Array, at: Array, effect: Array) -> Interval:
        """Variance of the net benefit of a rule (m,) at each threshold (m,)."""
        share, odds = self.prevalence, at / (1 - at)
        found = self.net_benefit(fpr, tpr, at)
        if self.is_known:
            few, more = _less(self.sizes[1], effect), _less(self.sizes[0], effect)
            hits, alarms = wilson(tpr, few, self.level), wilson(fpr, more, self.level)
            scales, both = (share, (1 - share) * odds), np.zeros(at.size)
        else:
            x, y = share * tpr, (1 - share) * fpr
            size = _less(self.size, effect)
            hits, alarms = wilson(x, size, self.level), wilson(y, size, self.level)
            scales, both = (1.0, odds), -np.sqrt(x * y / ((1 - x) * (1 - y)))  # the correlation
        up, down = scales[0] * (hits.high - hits.estimate), scales[0] * (hits.estimate - hits.low)
        more, less = scales[1] * (alarms.high - alarms.estimate), scales[1] * (alarms.estimate - alarms.low)
        # A difference: its upper end is that of the hits and the lower one of the alarms.
        above = np.sqrt(np.maximum(up**2 + less**2 - 2 * both * up * less, 0))
        below = np.sqrt(np.maximum(down**2 + more**2 - 2 * both * down * more, 0))
        return Interval(found - below, found + above, found, self.level, "Wilson, combined")


def _combined(shares: list[Interval], scales: list[Array], exclude: list[tuple[int, int]]) -> Interval:
    """The interval of a sum of shares that are scaled; pairs of them are of cases that exclude each other."""
    found = sum(np.asarray(scale * each.estimate) for scale, each in zip(scales, shares, strict=True))
    ends = []
    for way in (-1, 1):
        far = [
            np.where(way * scale > 0, each.high - each.estimate, each.estimate - each.low) * scale
            for scale, each in zip(scales, shares, strict=True)
        ]
        squared = sum(each**2 for each in far)
        for i, j in exclude:
            x, y = shares[i].estimate, shares[j].estimate
            with np.errstate(divide="ignore", invalid="ignore"):
                both = np.nan_to_num(np.sqrt(x * y / ((1 - x) * (1 - y))), posinf=1.0)
            squared = squared - 2 * both * far[i] * far[j]
        ends.append(found + way * np.sqrt(np.maximum(squared, 0)))
    return Interval(ends[0], ends[1], found, shares[0].level, "Wilson, combined, paired")
