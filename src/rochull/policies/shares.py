"""Shares of a batch that are flagged rightly, flagged wrongly, and positive, with their joint error.

Every figure of a rule follows from these three, A, B and P. Labels tell them; without labels, an assumption:

- *label shift*: the classes' scores are those of the policy's examples, so A = P tpr and B = (1 - P) fpr;
- *covariate shift*: of the cases with one score as many are positive as before, so that A is the mean
  posterior of the flagged, and P that of all.

The rule was chosen on the examples that judge it. Leave one out: a range of c positives and d negatives
changes its side if the slope of the condition lies within 1/c (a positive) or 1/d (a negative) of its
log-ratio, and then all its c or d are judged otherwise. So over all slopes each range judges one example of
each class too well; with r ranges in a unit of log-ratio about the slope, ``r / n_pos`` comes off the true
positive rate and ``r / n_neg`` is added to the false positive rate. (Weighted as by the logarithmic
score, this is the divergence of the fit by PAV, the number of its ranges: Meyer & Woodroofe 2000.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import Action, OperatingPoint, Rule
from rochull.policies.mixture import Mixture, Sample, lift
from rochull.policies.prevalence import RatioLadder

_WIDTH = 0.7  # standard deviation, in log-ratios, of the window in which ranges are counted
_FEWEST = 1.5  # degrees of freedom; with fewer an interval would say nothing at all


@dataclass(frozen=True, eq=False)
class Part:
    """How cases of one sample, in cells, move an estimate.

    Attributes
    ----------
    weight : (r,) the share of the sample in each cell.
    moves : (r, 3) by how much one of its cases moves the mean, times the size of the sample.
    size : number of cases.
    """

    weight: Array
    moves: Array
    size: int

    @property
    def covariance(self) -> Array:
        """The covariance of the mean (3, 3)."""
        away = self.moves - self.weight @ self.moves
        return np.asarray((away * self.weight[:, None]).T @ away / self.size)


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of cases, as estimated.

    Attributes
    ----------
    mean : (3,) flagged rightly, flagged wrongly, positive.
    parts : of each independent sample.
    extra : (3, 3) a covariance besides.
    df : degrees of freedom.
    told_by : cases that are caught, falsely flagged, missed, where these may be too few to tell a variance;
        of a difference those by which they differ.
    counted : cases that are caught, falsely flagged, positive and all, where nothing but these is known.
    """

    mean: Array
    parts: tuple[Part, ...]
    extra: Array
    df: float
    told_by: tuple[float, ...] | None = None
    counted: tuple[int, ...] | None = None

    @property
    def covariance(self) -> Array:
        """The covariance by all samples (3, 3)."""
        return np.asarray(self.extra + sum(part.covariance for part in self.parts))

    def df_of(self, prices: Array) -> float:
        """Degrees of freedom of a sum of the shares at prices (3,).

        Few cases tell their own variance badly: the degrees are no more than the cases of the kind that makes
        most of the variance.
        """
        if self.told_by is None:
            return self.df
        right, wrong, positive = self.mean.tolist()
        each = np.array([prices[0] + prices[2], prices[1], prices[2]])  # a positive is caught or missed
        shares = np.array([right, wrong, positive - right])
        dearest = int(np.argmax((each * shares) ** 2 / np.maximum(self.told_by, _FEWEST)))
        return min(self.df, max(self.told_by[dearest], _FEWEST))

    def less(self, other: Shares, *, same_cells: bool) -> Shares:
        """The difference; without the same cells its errors are added, as if they were one."""
        mean, extra = self.mean - other.mean, self.extra + other.extra
        if not same_cells:
            spread = sum(np.sqrt(each.covariance.diagonal()) for each in (self, other))
            return Shares(mean, (), np.diag(np.asarray(spread) ** 2), self.df)
        pairs = zip(self.parts, other.parts, strict=True)
        parts = tuple(replace(own, moves=own.moves - their.moves) for own, their in pairs)
        between: tuple[float, ...] | None = None
        if self.told_by and other.told_by:
            both = zip(self.told_by, other.told_by, strict=True)
            between = tuple(own if math.isinf(own) else abs(own - their) for own, their in both)
        return Shares(mean, parts, extra, self.df, between)


@dataclass(frozen=True, eq=False)
class Labels:
    """Labelled cases of a batch.

    Attributes
    ----------
    pos, neg : (k,) how many of each class are in each range.
    cells : (4, c) of those that were labelled by probabilities: range, label, the inverse of the probability,
        how many there are; None of a random sample.
    """

    pos: Array
    neg: Array
    cells: Array | None = None

    @property
    def size(self) -> int:
        """Number of labelled cases."""
        return int(self.pos.sum() + self.neg.sum())


@dataclass(frozen=True, eq=False)
class Ranges:
    """A batch in the ranges of one classifier's scores between the thresholds of a policy, from high to low.

    Attributes
    ----------
    ladder : the thresholds, and the examples between them.
    share : (k,) of the cases in each range.
    size : number of cases.
    stated : the prevalence at which posteriors are those of the examples.
    labels : of some cases, or None.
    """

    ladder: RatioLadder
    share: Array
    size: int
    stated: float
    labels: Labels | None = None

    @classmethod
    def of(
        cls,
        ladder: RatioLadder,
        scores: Array,
        stated: float,
        truth: Array | None,
        count: Array | None = None,
    ) -> Ranges:
        """Count scores (n,), of which some may have a label (n,): 1, 0, or NaN where there is none.

        Each is of one case, or of so many (n,).
        """
        place, k = ladder.place_of(scores), len(ladder.llr)

        def many(rows: Any) -> Array:
            weights = None if count is None else count[rows]
            return np.bincount(place[rows], weights, minlength=k)

        labels = None
        if truth is not None and not np.isnan(truth).all():
            labels = Labels(*(many(truth == label) for label in (1, 0)))
        share = many(slice(None))
        return cls(ladder, share / share.sum(), int(share.sum()), stated, labels)

    def weighted(self, scores: Array, truth: Array, weight: Array, count: Array | None) -> Ranges:
        """The same, whose labelled cases (n,) had probabilities of which the weights are the inverses."""
        assert self.labels is not None
        known = ~np.isnan(truth)
        rows = np.stack([self.ladder.place_of(scores)[known], truth[known], weight[known]])
        cells, at = np.unique(rows, axis=1, return_inverse=True)
        many = np.bincount(at.ravel(), None if count is None else count[known])
        return replace(self, labels=replace(self.labels, cells=np.vstack([cells, many])))

    # --- what is known of a range ---------------------------------------------------------------

    @property
    def n_examples(self) -> tuple[float, float]:
        """Examples of each class: positives and negatives."""
        return float(self.ladder.pos.sum()), float(self.ladder.neg.sum())

    @property
    def _df(self) -> float:
        return max(min(self.n_examples) - 1, 1.0)

    @property
    def ratio(self) -> Array:
        """The log-ratio of the counts (k,); half an example of each is added in a range of one class."""
        pos, neg = self.ladder.pos, self.ladder.neg
        half = 0.5 * ((pos == 0) | (neg == 0))
        return np.asarray(np.log(pos + half) - np.log(neg + half))

    @property
    def posterior(self) -> Array:
        """The posterior of each range at the prevalence that is stated (k,)."""
        if self.stated in (0, 1):  # whatever the range
            return np.full(len(self.share), float(self.stated))
        return self._posterior_of(self.ladder.pos, self.ladder.neg)

    def _posterior_of(self, pos: Array, neg: Array) -> Array:
        n_pos, n_neg = self.n_examples
        of_pos, of_neg = self.stated * pos / n_pos, (1 - self.stated) * neg / n_neg
        return np.asarray(of_pos / (of_pos + of_neg))

    @property
    def posterior_variance(self) -> Array:
        """The variance of the posteriors (k,); half an example stands for none."""
        pos, neg = (np.maximum(own, 0.5) for own in (self.ladder.pos, self.ladder.neg))
        p = self._posterior_of(pos, neg)
        return np.asarray((p * (1 - p)) ** 2 * (1 / pos + 1 / neg))

    def step_of(self, rule: Rule) -> int:
        """How many ranges a rule flags."""
        if rule.constant is not None:
            return len(self.share) if rule.constant is Action.POSITIVE else 0
        return 1 + self.ladder.thresholds.index(rule.level)

    def flagged_by(self, point: OperatingPoint) -> Array:
        """How much of each range a point flags (k,), whose rules are of these scores."""
        steps = np.arange(len(self.share))
        return np.asarray(sum(share * (steps < self.step_of(rule)) for rule, share in point.rules))

    def density(self, step: int, slope: float | None) -> Array:
        """How many ranges a unit of log-ratio has about the slope of a rule, by range (k,)."""
        ratio = self.ratio
        if slope is None and 0 < step < len(ratio):
            slope = float(ratio[step - 1] + ratio[step]) / 2
        if slope is None or not math.isfinite(slope):
            return np.zeros(len(ratio))
        return np.asarray(np.exp(-(((ratio - slope) / _WIDTH) ** 2) / 2) / (math.sqrt(2 * math.pi) * _WIDTH))

    # --- under an assumption --------------------------------------------------------------------

    def mixture(self) -> Mixture:
        """The batch as a mixture of the examples' classes."""
        some = self.share > 0
        return Mixture(Sample(self.ladder.llr[some], self.share[some], self.size), self.ladder.levels)

    def label_shift(self, flagged: Array, density: Array, prevalence: float) -> Shares:
        """Under the classes of the examples, at the prevalence that was estimated of the batch."""
        least = 0.5 / self.size
        pi = min(max(prevalence, least), 1 - least)
        n_pos, n_neg = self.n_examples
        of_pos, of_neg = self.ladder.pos / n_pos, self.ladder.neg / n_neg
        levels = self.ladder.levels
        assert levels is not None
        tpr, fpr = of_pos @ flagged, of_neg @ flagged
        w = lift(pi, self.ladder.llr)
        rise = levels.pos.mean(lambda r: lift(pi, r)) - levels.neg.mean(lambda r: lift(pi, r))
        per_prevalence = np.array([tpr, -fpr, 1.0]) / rise
        right, wrong = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])
        parts = (
            Part(of_pos, np.outer(-pi * w, per_prevalence) + np.outer(pi * flagged, right), round(n_pos)),
            Part(
                of_neg,
                np.outer(-(1 - pi) * w, per_prevalence) + np.outer((1 - pi) * flagged, wrong),
                round(n_neg),
            ),
            Part(self.share, np.outer(w, per_prevalence), self.size),
        )
        too_well = np.array([-pi / n_pos, (1 - pi) / n_neg, 0.0])
        mean = np.array([pi * tpr, (1 - pi) * fpr, pi]) + density.sum() * too_well
        mean, extra = _possible(mean), np.outer(too_well, too_well) * (density @ density)
        caught, false = n_pos * mean[0] / pi, n_neg * mean[1] / (1 - pi)
        return Shares(mean, parts, extra, self._df, (caught, false, n_pos - caught))

    def covariate_shift(self, flagged: Array, density: Array) -> Shares:
        """Under the posteriors of the examples."""
        p = self.posterior
        moves = np.stack([flagged * p, flagged * (1 - p), p], axis=1)
        by_posterior = self.share[:, None] * np.stack([flagged, -flagged, np.ones(len(p))], axis=1)
        pos, neg = (np.maximum(own, 0.5) for own in (self.ladder.pos, self.ladder.neg))
        too_well = np.stack([-p / pos, (1 - p) / neg, 0 * p], axis=1) * (self.share * density)[:, None]
        extra = (by_posterior * self.posterior_variance[:, None]).T @ by_posterior + too_well.T @ too_well
        mean = self.share @ moves + too_well.sum(axis=0)
        return Shares(_possible(mean), (Part(self.share, moves, self.size),), extra, self._df)

    def observed(self, flagged: Array) -> Shares:
        """By the labels, and what posteriors say of the other cases (Angelopoulos et al. 2023, PPI++)."""
        labels = self.labels
        assert labels is not None
        if labels.cells is not None:
            return self._by_probabilities(flagged, labels.cells)
        m = labels.size
        p, ones = self.posterior, np.ones(len(self.share))
        told = np.stack([flagged * p, flagged * (1 - p), p], axis=1)
        of_pos, of_neg = (np.stack(own, axis=1) for own in (
            (flagged, 0 * ones, ones), (0 * ones, flagged, 0 * ones)
        ))  # fmt: skip
        weight = np.concatenate([labels.pos, labels.neg]) / m
        truth, twice = np.concatenate([of_pos, of_neg]), np.concatenate([told, told])
        others = self.size * self.share - labels.pos - labels.neg
        rest = round(others.sum())
        if rest == 0:
            found = Shares(weight @ truth, (Part(weight, truth, m),), np.zeros((3, 3)), self._labelled_df)
            is_drawn = bool(np.any((flagged > 0) & (flagged < 1)))  # by a mixture: then nobody counted them
            return found if is_drawn else replace(found, counted=(*map(round, m * found.mean), m))
        away, predicted = truth - weight @ truth, twice - weight @ twice
        common, own = weight @ (away * predicted), weight @ predicted**2
        power = np.divide(common, (1 + m / rest) * own, out=np.zeros(3), where=own > 0)
        part, unlabelled = Part(weight, truth - power * twice, m), Part(others / rest, power * told, rest)
        mean = weight @ part.moves + unlabelled.weight @ unlabelled.moves
        # The labels that tune the power are those that it is judged by: each as if it had been left out.
        own_part = np.divide(predicted**2, m * own, out=np.zeros_like(predicted), where=own > 0)
        part = replace(part, moves=(away - power * predicted) / (1 - np.minimum(own_part, 0.5)))
        # That a cost may rest on few misses, its interval knows, being one of the logarithm.
        told_by = float(labels.pos @ flagged), float(labels.neg @ flagged), math.inf
        return Shares(_possible(mean), (part, unlabelled), np.zeros((3, 3)), self._labelled_df, told_by)

    def _by_probabilities(self, flagged: Array, cells: Array) -> Shares:
        """By what posteriors say of all cases, corrected by labels, each by its inverse probability."""
        place, (truth, weight, many) = cells[0].astype(int), cells[1:]
        p = self.posterior
        told = np.stack([flagged * p, flagged * (1 - p), p], axis=1)
        own = flagged[place]
        seen = np.stack([own * truth, own * (1 - truth), truth], axis=1)
        corrected = told[place] + weight[:, None] * (seen - told[place])
        others = self.size * self.share - np.bincount(place, many, len(p))
        part = Part(np.concatenate([others, many]) / self.size, np.concatenate([told, corrected]), self.size)
        return Shares(_possible(part.weight @ part.moves), (part,), np.zeros((3, 3)), self._labelled_df)

    @property
    def _labelled_df(self) -> float:
        assert self.labels is not None
        return max(min(float(self.labels.pos.sum()), float(self.labels.neg.sum())) - 1, 1.0)


def _possible(mean: Array) -> Array:
    """Shares that are none less than 0 and no more than there are of a class."""
    right, wrong, positive = mean.tolist()
    positive = min(max(positive, 0.0), 1.0)
    return np.array([min(max(right, 0.0), positive), min(max(wrong, 0.0), 1 - positive), positive])
