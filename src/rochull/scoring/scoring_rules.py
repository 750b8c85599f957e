"""Regular binary proper scoring rules (Brümmer & du Preez 2013, section 1.2): what a forecast costs.

A rule averages the costs of decisions over their threshold t. With a density ω on [0, 1], a forecast q loses

    ``L1(q) = ∫_q^1 ω(t) / t dt``        if the example is positive,                            (1)
    ``L0(q) = ∫_0^q ω(t) / (1 - t) dt``  if it is negative.

Three conventions are in use, and each class here says which is its own.

- Form (1): ω is a probability density. Beta(1, 1) is the log score, Beta(2, 2) is 3 x Brier, a point mass
  at t the cost of deciding at threshold t: 1 / t for a miss and 1 / (1 - t) for a false alarm.
- Appendix A's other form: ``L1(q) = ∫_q^1 (1 - t) v(t) dt`` and ``L0(q) = ∫_0^q t v(t) dt`` with any weight
  v >= 0, so that ``ω(t) = t (1 - t) v(t)`` up to scale. The index shifts by one: the weight
  ``t^(α-1) (1-t)^(β-1)`` of Buja et al. 2005 is form (1) with Beta(α + 1, β + 1), up to scale.
- :class:`Brier` is scaled as a mean squared error, which is form (1) with Beta(2, 2) divided by 3.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import Described, entries
from rochull._core.messages import Parameter, Refusal
from rochull._core.rows import same_rows
from rochull._core.threads import share_out
from rochull._core.validation import Array, Labelled
from rochull.conditions.bayes import log_of, prior_log_odds, raised, raised_posterior
from rochull.conditions.ranges import exact
from rochull.hull import tallies
from rochull.hull.hull import RocHull
from rochull.hull.sources import ArraySource
from rochull.scoring import quadrature
from rochull.scoring.losses import LOG_ODDS, checked_losses, mass_of, share_between
from rochull.scoring.one_class import is_one_class, judged
from rochull.scoring.ratios import AS_LLR, labelled_llr

_ROWS = 1 << 15
_LEAST, _MOST = 1e-3, 1e6  # parameters of a Beta density for which losses have all their digits
_EVEN = (np.arange(2000) + 0.5) / 2000  # where a density must be positive for its rule to be strict

# What the parameters of measures mean; what is not so raises a ValueError that names it.
PARAMETERS = (
    tallies.PARAMETERS
    | AS_LLR
    | entries("""
llr : array-like of shape (n,) or (n, 1)
    Log-likelihood-ratios (natural log); infinite ones are legal. Weights matter within a class only.
probability : array-like of shape (n,) or (n, 1)
    Probabilities of the positive class.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative; an example of weight zero is left out. For tiny ones see the notes of
    :class:`ScoringRule`.
""")
)


class _Belief:
    """Forecasts (n,), each read from what was given: near certainty only log-odds tell them apart."""

    def __init__(
        self,
        *,
        p: Array | None = None,
        log_odds: Array | None = None,
        llr: Array | None = None,
        prior: float | None = None,
    ):
        """Either probabilities, or log-odds, or log-likelihood-ratios with a prior."""
        self._p, self._given, self._prior = p, llr if log_odds is None else log_odds, prior

    @cached_property
    def log_odds(self) -> Array:
        if self._given is None:
            return np.asarray(self.log_p - self.log_complement)
        return self._given if self._prior is None else self._given + prior_log_odds(self._prior)

    @cached_property
    def p(self) -> Array:
        from scipy.special import expit

        return np.asarray(expit(self.log_odds)) if self._p is None else self._p

    @cached_property
    def complement(self) -> Array:
        from scipy.special import expit

        return np.asarray(expit(-self.log_odds) if self._p is None else 1 - self._p)

    @cached_property
    def log_p(self) -> Array:
        from scipy.special import log_expit

        return np.asarray(log_expit(self.log_odds) if self._p is None else np.log(self._p))

    @cached_property
    def log_complement(self) -> Array:
        from scipy.special import log_expit

        return np.asarray(log_expit(-self.log_odds) if self._p is None else np.log1p(-self._p))

    def above(self, thresholds: tuple[float, ...]) -> Array:
        """How many of the ascending thresholds are strictly below each forecast (n,).

        Compared with what was given, so that ties are decided as in `decide_by_posterior` and
        `decide_by_llr`.
        """
        if self._given is None:
            at = np.array(thresholds)
            return np.searchsorted(raised_posterior(at, 1 - at), self.p)
        return np.searchsorted(_cuts(thresholds, self._prior), self._given)


_Read = Callable[[Array], _Belief]


@lru_cache(maxsize=16)
def _cuts(thresholds: tuple[float, ...], prior: float | None) -> Array:
    """Thresholds as log-likelihood-ratios at a prior; as log-odds without one."""
    share = exact(0.5 if prior is None else prior)
    return raised([log_of(t / (1 - t) * (1 - share) / share) for t in map(exact, thresholds)])


class ScoringRule(Described):
    """A regular binary proper scoring rule, from any density over decision thresholds.

    Parameters
    ----------
    density : callable
        ω of form (1), on arrays (n,) of thresholds strictly between 0 and 1. It must integrate to 1 over
        [0, 1]. It may jump, and it may rise to infinity at 0 and 1, where it is never evaluated.
    strict : bool, optional
        Whether the density is positive almost everywhere. If not given, decided from 2,000 even
        thresholds; a value that underflows to 0 there counts as 0.
    points : array-like of shape (k,), optional
        Thresholds inside of narrow peaks of the density, where it is to be looked at closely.

    Attributes
    ----------
    strict : bool
        Whether only the true probability has the least expected loss.
    scale : float
        Losses are those of form (1) with a normalised density, times this.

    Raises
    ------
    ValueError
        If the density does not integrate to 1 (to 1e-6), is negative or NaN or infinite inside, or does
        not take and return arrays.

    Notes
    -----
    The density is integrated once, when the rule is made: in log-odds, by Chebyshev panels, to about
    1e-12 of each loss. Below log-odds of -350, and above 27 where floats near 1 get coarse, it is
    continued as a power of t and of 1 - t. The panels are compared with the density at thresholds in steps
    of 1/4096 in log-odds, within ±12. A peak narrower than that may be missed: the integral is then not 1,
    and `points` finds it.

    *Tiny weights.* The hull counts weights in whole units, about 2**-58 of a class's total. An example of
    less than half a unit weighs nothing in it, nor in any mean here: it is left out, even if its loss is
    infinite. So a mean loss and its minimum are of the same examples.

    References
    ----------
    Brümmer & du Preez 2013, equation (1).

    Examples
    --------
    >>> import rochull as rh
    >>> rule = rh.ScoringRule(lambda t: 6 * t * (1 - t))  # Beta(2, 2), which is 3 x Brier
    >>> if_positive, if_negative = rule.losses([0.8])
    >>> if_positive.round(12).tolist(), if_negative.round(12).tolist(), rule.strict
    ([0.12], [1.92], True)
    """

    parameters_told = PARAMETERS
    strict: bool
    scale: float = 1.0
    _table: quadrature.Table
    _label: str

    def __init__(
        self,
        density: Callable[[Array], ArrayLike],
        *,
        strict: bool | None = None,
        points: ArrayLike | None = None,
    ):
        self._integrate(quadrature.checked_function(density, "density"), "density", strict, points)
        self._label = _name(density)
        if not abs(self._table.mass - 1) <= 1e-6:
            raise ValueError(
                f"density must integrate to 1 over [0, 1], but its integral is {self._table.mass:.7g}."
            )

    def _integrate(
        self,
        density: quadrature.Density,
        name: str,
        strict: bool | None,
        points: ArrayLike | None,
        **options: float,
    ) -> None:
        at = [] if points is None else validation.rates_1d(points, "points").tolist()
        for end in (p for p in at if p in (0, 1)):
            raise ValueError(f"points must lie strictly between 0 and 1, but hold {end!r}.")
        with np.errstate(over="ignore", under="ignore"):
            self._table = quadrature.table_of(density, name, tuple(at), **options)
        self.strict = bool((density(_EVEN) > 0).all()) if strict is None else strict

    @staticmethod
    def from_weight_function(
        weight: Callable[[Array], ArrayLike],
        *,
        strict: bool | None = None,
        points: ArrayLike | None = None,
        scale: float | None = None,
    ) -> ScoringRule:
        """Make a rule from the weight v of Appendix A's other form, keeping its scale.

        Parameters
        ----------
        weight : callable
            v on arrays (n,) of thresholds: ``L1(q) = ∫_q^1 (1 - t) v(t) dt``, ``L0(q) = ∫_0^q t v(t) dt``.
            It need not be normalised, but ``t (1 - t) v(t)`` must have a finite integral.
        strict : bool, optional
            Whether the weight is positive almost everywhere. If not given, decided from 2,000 even
            thresholds.
        points : array-like of shape (k,), optional
            Thresholds inside of narrow peaks of the weight, where it is to be looked at closely.
        scale : float, optional
            The integral of ``t (1 - t) v(t)``, where it is known: a weight that is found to have another
            one, by more than 1e-6 of it, is refused.

        Returns
        -------
        ScoringRule
            Its `scale` is the integral of ``t (1 - t) v(t)``. The weight 2 gives ``(q - y)**2``,
            ``1 / (t (1 - t))`` the log score, and the Beta(2, 2) density the loss behind the H-measure.

        Raises
        ------
        ValueError
            If the integral diverges or is zero or not `scale`, or the weight is negative or NaN or infinite
            inside, or has more narrow peaks than can be found.

        Notes
        -----
        No number of looks finds every peak of a function. What is guaranteed: the weight is looked at in even
        steps of 2**-15 (3.1e-5) in log-odds within ±12, which is 7.6e-6 of a threshold near 1/2 and less
        towards 0 and 1. Losses are integrated on panels. Where the weight is off its panel by more than 1e-6
        of the largest value there, it is looked at closely until it no longer is, or refused. (In a panel
        of the last width, around a jump, and in noise, by more than twice the largest value.) So every peak
        is found that is wider than a step and higher than that. A narrower one may be missed in silence,
        unless `points` names a threshold inside; with `scale` it is refused. All mass at one threshold is
        no function: :meth:`from_thresholds` and :meth:`mixture` take it exactly.

        Examples
        --------
        >>> import numpy as np
        >>> import rochull as rh
        >>> brier = rh.ScoringRule.from_weight_function(lambda t: np.full(t.shape, 2.0))
        >>> round(brier.score([1, 0], [0.8, 0.1]), 12), round(brier.scale, 12)
        (0.025, 0.333333333333)
        """
        values = quadrature.checked_function(weight, "weight")
        rule = ScoringRule.__new__(ScoringRule)
        rule._integrate(lambda t: values(t) * t * (1 - t), "weight", strict, points, width=2.0**-15)
        rule._label, rule.scale = _name(weight), rule._table.mass
        if not rule.scale:
            raise ValueError("weight must be positive somewhere, but its integral is 0.")
        if scale is not None and not abs(rule.scale / validation.positive(scale, "scale") - 1) <= 1e-6:
            raise ValueError(
                f"weight must have the stated scale {scale!r}, but the integral of t (1 - t) weight(t) is "
                f"{rule.scale:.7g}; name thresholds inside of narrow peaks in points."
            )
        return rule

    @staticmethod
    def from_thresholds(thresholds: ArrayLike, weights: ArrayLike) -> ScoringRule:
        """Make a rule that averages the costs of decisions at some thresholds, exactly.

        Parameters
        ----------
        thresholds : array-like of shape (k,)
            Strictly between 0 and 1; the weights of equal ones are added.
        weights : array-like of shape (k,)
            Non-negative, with sum 1 (to 1e-9).

        Returns
        -------
        ScoringRule
            Form (1) with a mixture of point masses: not strict, and neither continuous nor convex. At a
            threshold an example is called positive if and only if its forecast is above it, as by
            :func:`decide_by_posterior`: what ties to rounding is not.

        Examples
        --------
        >>> import rochull as rh
        >>> rule = rh.ScoringRule.from_thresholds([0.2, 0.5], [0.5, 0.5])
        >>> [loss.tolist() for loss in rule.losses([0.2, 0.4])]
        [[3.5, 1.0], [0.0, 0.625]]
        """
        at = validation.rates_1d(thresholds, "thresholds")
        mass = validation.weights_1d(weights, "weights")
        same_rows(thresholds=thresholds, weights=weights)
        for end in at[(at == 0) | (at == 1)].tolist():
            raise ValueError(f"thresholds must lie strictly between 0 and 1, but hold {end!r}.")
        if not abs(mass.sum() - 1) <= 1e-9:
            raise ValueError(f"weights must sum to 1, but their sum is {mass.sum():.10g}.")
        at, which = np.unique(at, return_inverse=True)
        return _Thresholds(tuple(at.tolist()), tuple(np.bincount(which, mass).tolist()))

    @staticmethod
    def from_losses(
        if_positive: Callable[[Array], ArrayLike], if_negative: Callable[[Array], ArrayLike]
    ) -> ScoringRule:
        """Make a rule from a pair of losses, if they are proper.

        Parameters
        ----------
        if_positive, if_negative : callable
            What forecasts (n,) lose if their example is positive, and if it is negative: not negative, 0 at 1
            and at 0, where the forecast is right, and finite but perhaps where it is certain and wrong.

        Returns
        -------
        ScoringRule
            With these losses; its `scale` is their weight over all thresholds. It is strict if every 2,000th
            part of [0, 1] has some.

        Raises
        ------
        ValueError
            If a forecast other than the true probability loses less on average. That is looked at for
            neighbours of 28,000 forecasts, in steps of 1/512 in log-odds within ±20, and so shown for all
            pairs of them.

        See Also
        --------
        ScoringRule.weight_between : Tells which thresholds a rule weighs.

        Examples
        --------
        >>> import numpy as np
        >>> import rochull as rh
        >>> def size(q):
        ...     return np.sqrt(q**2 + (1 - q) ** 2)
        >>> spherical = rh.ScoringRule.from_losses(lambda q: 1 - q / size(q), lambda q: 1 - (1 - q) / size(q))
        >>> round(spherical.score([1, 0], [0.8, 0.1]), 6), round(spherical.weight_between(0.25, 0.75), 3)
        (0.017987, 0.775)
        """
        return _Pair(*checked_losses(if_positive, if_negative), (_name(if_positive), _name(if_negative)))

    @staticmethod
    def mixture(rules: Sequence[ScoringRule], weights: ArrayLike) -> ScoringRule:
        """Make a rule that averages other rules, such as a density and point masses.

        Parameters
        ----------
        rules : sequence of ScoringRule, of length k
            Any of them; mixtures too.
        weights : array-like of shape (k,)
            Positive, with sum 1 (to 1e-9).

        Returns
        -------
        ScoringRule
            Every loss is the weighted mean of theirs, and so is its scale. It is strict if one of them is.

        Raises
        ------
        ValueError
            If there is not one positive weight for each rule, or their sum is not 1.

        References
        ----------
        Brümmer & du Preez 2013, section 1.2: the weight ω may be any probability distribution.

        Examples
        --------
        >>> import rochull as rh
        >>> rule = rh.ScoringRule.mixture([rh.Brier(), rh.CostWeighted(0.2)], [0.75, 0.25])
        >>> [loss.tolist() for loss in rule.losses([0.0, 0.2, 1.0])], rule.strict
        ([[2.0, 1.73, 0.0], [0.0, 0.03, 1.0625]], True)
        """
        mass = validation.weights_1d(weights, "weights")
        if mass.size != len(rules) or not (mass > 0).all() or not abs(mass.sum() - 1) <= 1e-9:
            raise ValueError(
                f"weights must be positive and sum to 1, one for each of {len(rules)} rules, but are "
                f"{mass.tolist()}."
            )
        return _Mixture(tuple(rules), tuple(mass.tolist()))

    def __repr__(self) -> str:
        return f"ScoringRule({self._label})"

    def __mul__(self, factor: float) -> ScoringRule:
        rules, weights = _parts(self)
        by = validation.positive(factor, "factor")
        return _Mixture(rules, tuple(by * weight for weight in weights))

    __rmul__ = __mul__

    def __add__(self, other: ScoringRule) -> ScoringRule:
        if not isinstance(other, ScoringRule):
            return NotImplemented
        (rules, weights), (more, others) = _parts(self), _parts(other)
        return _Mixture((*rules, *more), (*weights, *others))

    # --- losses --------------------------------------------------------------------------------

    def _if_positive(self, belief: _Belief) -> Array:
        """L1 (n,)."""
        return self._table.if_positive(belief.log_odds)

    def _if_negative(self, belief: _Belief) -> Array:
        """L0 (n,)."""
        return self._table.if_negative(belief.log_odds)

    def _both(self, belief: _Belief) -> tuple[Array, Array]:
        with _extremes():
            return self._if_positive(belief), self._if_negative(belief)

    def losses(self, probability: ArrayLike) -> tuple[Array, Array]:
        """Compute what each forecast loses if its example is positive, and if it is negative.

        Returns
        -------
        if_positive : ndarray of shape (n,)
            L1 of form (1), times the rule's scale; infinite only where it truly is.
        if_negative : ndarray of shape (n,)
            L0, likewise.
        """
        return self._both(_Belief(p=validation.rates_1d(probability, "probability")))

    def losses_at_log_odds(self, log_odds: ArrayLike) -> tuple[Array, Array]:
        """Compute the same from log-odds, which tell extreme forecasts apart.

        Parameters
        ----------
        log_odds : array-like of shape (n,)
            Posterior log-odds (natural log), not log-likelihood-ratios; infinite ones are legal.

        Returns
        -------
        if_positive : ndarray of shape (n,)
            L1, as :meth:`losses` gives it.
        if_negative : ndarray of shape (n,)
            L0, likewise.
        """
        x = validation.scores_1d(np.atleast_1d(log_odds), "log_odds").astype(float)
        return self._both(_Belief(log_odds=x))

    # --- means ---------------------------------------------------------------------------------

    def score(
        self,
        y_true: ArrayLike,
        probability: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        prevalence: float | None = None,
        pos_label: object = None,
    ) -> float:
        """Compute the mean loss of probabilities.

        Parameters
        ----------
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; an example of weight zero, or below 2**-59 of its class's total, is
            left out, even if its loss is infinite: see the notes on tiny weights in
            :class:`ScoringRule`.
        prevalence : float, optional
            What the positives weigh together, strictly between 0 and 1; the negatives weigh the rest. If
            not given, each example counts by its own weight.

        Returns
        -------
        float
            Lower is better. Infinite only if a forecast was certain and wrong, and the rule is infinite
            there. Examples of one class have a mean loss, too, but at no `prevalence`.

        References
        ----------
        Brümmer & du Preez 2013, equation (2); with `prevalence`, the weights of equation (16).
        """
        share = _share(prevalence)
        read = judged if share is None else validation.forecasts
        return mean_loss(self, read(y_true, probability, sample_weight, pos_label), share)

    def score_llr(
        self,
        y_true: ArrayLike,
        llr: ArrayLike,
        prevalence: float,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: object = None,
        as_llr: bool = False,
    ) -> float:
        """Compute the mean loss of log-likelihood-ratios that are used at a prior.

        Parameters
        ----------
        prevalence : float
            The prior, strictly between 0 and 1: forecasts have the log-odds ``llr + logit prevalence``,
            and it is what the positives weigh together.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative: what examples weigh within their class.

        Returns
        -------
        float
            Lower is better. Infinite only if an infinite ratio was wrong, and the rule is infinite there.

        References
        ----------
        Brümmer & du Preez 2013, equations (15) to (19).

        Examples
        --------
        >>> import rochull as rh
        >>> rh.LogScore().score_llr([1, 0], [-730.0, -730.0], prevalence=0.5)
        365.0
        """
        share = validation.probability(prevalence, "prevalence", open_ends=True)
        data = labelled_llr(y_true, llr, sample_weight, pos_label, as_llr)
        return self._mean(data, lambda x: _Belief(llr=x, prior=share), share)

    def _mean(self, data: Labelled, belief: _Read, share: float | None) -> float:
        """The mean loss of validated examples, in pieces that stay in the cache."""
        # Refuses a class that weighs nothing, and totals that overflow.
        units = tallies.units_of([data], both_classes=not is_one_class(data))
        least = 0.0 if units.is_wide else 2.0**-59  # of a scaled weight; half a unit is rounded to none
        if units.is_wide and data.weights is not None:
            totals = (float(data.weights[(data.positive == 1) == label].sum()) for label in (False, True))
            units = tallies.Units.of(*totals)
        # Powers of two, so that totals are below 1 and no sum of losses overflows before its mean does.
        scales = [math.ldexp(unit, -58) if units.weighted else 1.0 for unit in (units.neg, units.pos)]

        def sums(begin: int) -> list[float]:
            return self._sums(data.part(slice(begin, begin + _ROWS)), belief, scales, least)

        parts = share_out(sums, range(0, data.scores.size, _ROWS))
        n_neg, lost_neg, n_pos, lost_pos = map(math.fsum, zip(*parts, strict=True))
        if not (n_neg and n_pos):
            if not n_neg + n_pos:
                raise Refusal("{}: all examples weigh nothing.", Parameter("sample_weight"))
            return (lost_neg + lost_pos) / (n_neg + n_pos)
        odds = n_pos / scales[1] / (n_neg / scales[0])
        return _mixed(lost_pos / n_pos, lost_neg / n_neg, share, odds)

    def _sums(self, data: Labelled, belief: _Read, scales: Sequence[float], least: float) -> list[float]:
        """Weights and losses of the negatives, then of the positives, whose weights have these scales."""
        losses, out = (self._if_negative, self._if_positive), list[float]()
        for label, scale, loss in zip((False, True), scales, losses, strict=True):
            of_class = (data.positive == 1) == label
            # Row numbers: much faster than a mask where the classes are mixed.
            some = of_class if data.weights is None else of_class & (data.weights > least / scale)
            chosen = np.flatnonzero(some)
            with _extremes():
                lost = loss(belief(data.scores[chosen].astype(float, copy=False)))
                weight = np.ones(1) if data.weights is None else data.weights[chosen] * scale
                total = lost.size if data.weights is None else weight.sum()
                out += [float(total), float(np.sum(weight * lost))]
        return out

    def sums(self, data: Labelled, prior: float | None = None) -> list[float]:
        """Add up what a mean is made of, for rows that are read in pieces.

        Parameters
        ----------
        data : Labelled
            Labels 0 and 1, weights, and as scores probabilities; log-likelihood-ratios with a `prior`.
        prior : float, optional
            The proportion of positives at which log-likelihood-ratios are used.

        Returns
        -------
        list of float
            Weight and loss of the negatives, then of the positives. Rows without weight are left out.

        Examples
        --------
        >>> import numpy as np
        >>> import rochull as rh
        >>> from rochull._core.validation import Labelled
        >>> rh.Brier().sums(Labelled(np.array([1, 0, 0]), np.array([0.5, 0.25, 0.5]), None))
        [2.0, 0.3125, 1.0, 0.25]
        """
        return self._sums(data, lambda x: _Belief(**{"llr" if prior else "p": x}, prior=prior), (1, 1), 0)

    # --- yardsticks ----------------------------------------------------------------------------

    def minimum(self, hull: RocHull, prevalence: float | None = None) -> float:
        """Compute the least mean loss that a monotone recalibration of the scores can reach.

        Parameters
        ----------
        hull : RocHull
            Its edges are the calibrated blocks: PAV is optimal for every rule at every prior. Of a hull
            of several classifiers, the least mean loss of the best monotone combination of decisions.
        prevalence : float, optional
            What the positives weigh together, strictly between 0 and 1. If not given, the (weighted)
            proportion of positives in the hull's data.

        Returns
        -------
        float
            Always finite. In-sample: the same data choose and judge the map.

        References
        ----------
        Brümmer & du Preez 2013, sections 4.5 and 5.

        Examples
        --------
        >>> import rochull as rh
        >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> rh.Brier().minimum(hull)
        0.125
        """
        if not isinstance(hull, RocHull):
            raise TypeError(f"hull must be a RocHull, but is {hull!r}.")
        share = _share(prevalence)
        odds = hull.n_pos / hull.units.pos / (hull.n_neg / hull.units.neg)
        if share is None and hull.units.are_rates:
            raise ValueError("prevalence must be given for a hull of rates, which has none of its own.")
        pos, neg = tallies.ratio(np.diff(hull.tp), hull.n_pos), tallies.ratio(np.diff(hull.fp), hull.n_neg)
        with _extremes():
            llr = np.log(pos / neg)
            belief = (
                _Belief(log_odds=llr + math.log(odds)) if share is None else _Belief(llr=llr, prior=share)
            )
            lost_pos, lost_neg = self._both(belief)
        some_pos, some_neg = pos > 0, neg > 0  # a loss of nothing is nothing, even where it is infinite
        # Not by a scalar product: that of BLAS depends on its number of threads.
        mean_pos, mean_neg = (
            float(np.sum(weight[some] * lost[some]))
            for weight, lost, some in ((pos, lost_pos, some_pos), (neg, lost_neg, some_neg))
        )
        return _mixed(mean_pos, mean_neg, share, odds)

    def uncertainty(self, prevalence: float) -> float:
        """Compute the mean loss of the constant forecast that equals the prevalence.

        Parameters
        ----------
        prevalence : float
            Proportion of positives, in [0, 1].

        Returns
        -------
        float
            The least mean loss of any constant forecast: the rule's generalised entropy.
        """
        share = validation.probability(prevalence, "prevalence")
        if share in (0, 1):
            return 0.0
        lost_pos, lost_neg = self.losses(share)
        return _mixed(float(lost_pos[0]), float(lost_neg[0]), share, 1.0)

    def weight_between(self, low: float, high: float) -> float:
        """Compute which share of the rule's weight ω lies on thresholds in an interval.

        Parameters
        ----------
        low, high : float
            Its ends, in [0, 1].

        Returns
        -------
        float
            In [0, 1], to about 1e-6 but for weight within 1e-15 of 1.

        Examples
        --------
        >>> import rochull as rh
        >>> round(rh.BetaScore(2, 2).weight_between(0, 0.25), 6)  # of a Beta(2, 2) distribution
        0.15625
        """
        ends = validation.probability(low, "low"), validation.probability(high, "high")
        return share_between(self.losses_at_log_odds, *ends)

    def calibration_loss(
        self,
        y_true: ArrayLike,
        probability: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        prevalence: float | None = None,
        pos_label: object = None,
    ) -> float:
        """Compute how much of the mean loss a monotone recalibration would save.

        Parameters
        ----------
        prevalence : float, optional
            As for :meth:`score`.

        Returns
        -------
        float
            :meth:`score` less :meth:`minimum`: negative by rounding at most, infinite if the score is.
            In-sample: a little is saved by recalibrating even what is calibrated in the population.
        """
        data, share = validation.forecasts(y_true, probability, sample_weight, pos_label), _share(prevalence)
        score = mean_loss(self, data, share)
        return score - self.minimum(RocHull.from_source(ArraySource(data)), share)

    def calibration_loss_llr(
        self,
        y_true: ArrayLike,
        llr: ArrayLike,
        prevalence: float,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: object = None,
        as_llr: bool = False,
    ) -> float:
        """Compute how much of the mean loss of log-likelihood-ratios a recalibration would save.

        Parameters
        ----------
        prevalence : float
            The prior, as for :meth:`score_llr`.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative: what examples weigh within their class.

        Returns
        -------
        float
            :meth:`score_llr` less :meth:`minimum`: negative by rounding at most, infinite if the score is.

        Examples
        --------
        >>> import rochull as rh
        >>> round(rh.LogScore().calibration_loss_llr([1, 0, 1, 0], [3, 1, 0, -2], 0.5), 6)
        0.198907
        """
        share = validation.probability(prevalence, "prevalence", open_ends=True)
        data = labelled_llr(y_true, llr, sample_weight, pos_label, as_llr)
        score = self._mean(data, lambda x: _Belief(llr=x, prior=share), share)
        return score - self.minimum(RocHull.from_source(ArraySource(data)), share)


def mean_loss(rule: ScoringRule, data: Labelled, share: float | None = None) -> float:
    """The mean loss of probabilities that are validated, whose positives may weigh a `share` together."""
    return rule._mean(data, lambda p: _Belief(p=p), share)


def _name(function: object) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _extremes() -> np.errstate:
    """Certainty has infinite logs; a loss beyond all floats is infinite, and one below them zero."""
    return np.errstate(divide="ignore", over="ignore", under="ignore")


def _share(prevalence: float | None) -> float | None:
    return None if prevalence is None else validation.probability(prevalence, "prevalence", open_ends=True)


def _mixed(if_positive: float, if_negative: float, share: float | None, odds: float) -> float:
    """Mean losses of both classes, mixed at a prevalence, or else at odds of positives."""
    pos, neg = odds / (1 + odds), 1 / (1 + odds)
    if share is not None:
        pos, neg = share, float(1 - exact(share))
    return pos * if_positive + neg * if_negative


# --- closed forms --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Thresholds(ScoringRule):
    """A mixture of decision costs at ascending thresholds (k,)."""

    thresholds: tuple[float, ...]
    weights: tuple[float, ...]

    strict = False

    def __repr__(self) -> str:
        return f"ScoringRule.from_thresholds({list(self.thresholds)}, {list(self.weights)})"

    @cached_property
    def _totals(self) -> tuple[Array, Array]:
        """The cost of a positive, and of a negative, that is above i thresholds (k + 1,)."""
        t, w = np.array(self.thresholds), np.array(self.weights)
        missed = np.append(np.cumsum((w / t)[::-1])[::-1], 0.0)
        return missed, np.append(0.0, np.cumsum(w / (1 - t)))

    def _if_positive(self, belief: _Belief) -> Array:
        return np.asarray(self._totals[0][belief.above(self.thresholds)])

    def _if_negative(self, belief: _Belief) -> Array:
        return np.asarray(self._totals[1][belief.above(self.thresholds)])


@dataclass(frozen=True)
class _Mixture(ScoringRule):
    """A weighted sum of rules (k,)."""

    rules: tuple[ScoringRule, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "strict", any(rule.strict for rule in self.rules))
        scale = sum(w * rule.scale for w, rule in zip(self.weights, self.rules, strict=True))
        object.__setattr__(self, "scale", scale)

    def __repr__(self) -> str:
        if abs(sum(self.weights) - 1) <= 1e-9:
            return f"ScoringRule.mixture({list(self.rules)}, {list(self.weights)})"
        return " + ".join(f"{w} * {rule!r}" for w, rule in zip(self.weights, self.rules, strict=True))

    def _if_positive(self, belief: _Belief) -> Array:
        return self._mixed([rule._if_positive(belief) for rule in self.rules])

    def _if_negative(self, belief: _Belief) -> Array:
        return self._mixed([rule._if_negative(belief) for rule in self.rules])

    def _mixed(self, losses: list[Array]) -> Array:
        return np.asarray(sum(w * loss for w, loss in zip(self.weights, losses, strict=True)))


@dataclass(frozen=True)
class _Pair(ScoringRule):
    """Losses of positives and of negatives that a caller stated."""

    lost: Callable[[Array], Array]
    gained: Callable[[Array], Array]
    names: tuple[str, str]

    def __post_init__(self) -> None:
        odd = np.arange(2001) / 2000
        object.__setattr__(self, "strict", bool((np.diff(self.gained(odd[:-1])) > 0).all()))
        object.__setattr__(self, "scale", mass_of(*self.losses_at_log_odds(LOG_ODDS)))

    def __repr__(self) -> str:
        return f"ScoringRule.from_losses({', '.join(self.names)})"

    def _if_positive(self, belief: _Belief) -> Array:
        return self.lost(belief.p)

    def _if_negative(self, belief: _Belief) -> Array:
        return self.gained(belief.p)


def _parts(rule: ScoringRule) -> tuple[tuple[ScoringRule, ...], tuple[float, ...]]:
    """The rules that one is a sum of, and their weights."""
    return (rule.rules, rule.weights) if isinstance(rule, _Mixture) else ((rule,), (1.0,))


@dataclass(frozen=True)
class CostWeighted(ScoringRule):
    """The cost of decisions at one threshold: ``1 / t`` for a miss, ``1 / (1 - t)`` for a false alarm.

    Form (1) with a point mass at t; not strict. An example is called positive if and only if its
    forecast is above t, as by :func:`decide_by_posterior`: what ties to rounding is not. False alarms
    cost t / (1 - t) times what misses do.

    Parameters
    ----------
    threshold : float
        Strictly between 0 and 1.

    References
    ----------
    Brümmer & du Preez 2013, section 1.2.

    Examples
    --------
    >>> import rochull as rh
    >>> [loss.tolist() for loss in rh.CostWeighted(0.2).losses([0.1, 0.2, 0.3])]
    [[5.0, 5.0, 0.0], [0.0, 0.0, 1.25]]
    """

    threshold: float

    strict = False

    def __post_init__(self) -> None:
        threshold = validation.probability(self.threshold, "threshold", open_ends=True)
        object.__setattr__(self, "threshold", threshold)

    def _if_positive(self, belief: _Belief) -> Array:
        return np.array([1 / self.threshold, 0.0])[belief.above((self.threshold,))]

    def _if_negative(self, belief: _Belief) -> Array:
        return np.array([0.0, 1 / (1 - self.threshold)])[belief.above((self.threshold,))]


@dataclass(frozen=True, init=False)
class Brier(ScoringRule):
    """The squared error ``(q - y)**2`` of a probability, which lies in [0, 1].

    Form (1) with Beta(2, 2), divided by 3; strict. Appendix A's other form with the weight 2.

    References
    ----------
    Brier 1950; Brümmer & du Preez 2013, section 1.2.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.Brier().score([1, 0], [0.8, 0.1]), 12)
    0.025
    """

    strict = True
    scale = 1 / 3

    def __init__(self) -> None:
        """Without parameters, and without the table of a density."""

    def _if_positive(self, belief: _Belief) -> Array:
        return np.square(belief.complement)

    def _if_negative(self, belief: _Belief) -> Array:
        return np.square(belief.p)


@dataclass(frozen=True, init=False)
class LogScore(ScoringRule):
    """The logarithmic loss in nats: ``-log q`` of a positive, ``-log(1 - q)`` of a negative.

    Form (1) with Beta(1, 1), the uniform density; strict. Appendix A's other form with the weight
    ``1 / (t (1 - t))``.

    References
    ----------
    Good 1952; Brümmer & du Preez 2013, section 1.2.

    Examples
    --------
    >>> import rochull as rh
    >>> round(rh.LogScore().score([1, 0], [0.5, 0.5]), 6)
    0.693147
    """

    strict = True

    def __init__(self) -> None:
        """Without parameters, and without the table of a density."""

    def _if_positive(self, belief: _Belief) -> Array:
        return np.asarray(0.0 - belief.log_p)

    def _if_negative(self, belief: _Belief) -> Array:
        return np.asarray(0.0 - belief.log_complement)


@dataclass(frozen=True)
class BetaScore(ScoringRule):
    """The rule of a Beta(a, b) density over thresholds, in closed form; strict.

    Parameters
    ----------
    a, b : float
        Parameters of the density in form (1), positive: BetaScore(1, 1) is the log score, BetaScore(2, 2)
        is 3 x Brier, BetaScore(1/2, 1/2) is 2 / π times the boosting loss ``sqrt((1 - q) / q)``, and
        point masses are the limit of large ones. The weight ``t^(α-1) (1-t)^(β-1)`` of Appendix A's other
        form is, up to scale, BetaScore(α + 1, β + 1).

    Raises
    ------
    ValueError
        If a parameter is not a number between 1e-3 and 1e6: beyond, losses would lose their digits.

    Notes
    -----
    Losses are incomplete beta functions with a parameter a - 1, also for a below 1, where they grow without
    bound: right to about 1e-13 wherever they fit a float.

    References
    ----------
    Brümmer & du Preez 2013, equation (1); Buja, Stuetzle & Shen 2005, whose indices are one less.

    Examples
    --------
    >>> import rochull as rh
    >>> [loss.round(12).tolist() for loss in rh.BetaScore(2, 2).losses([0.8])]
    [[0.12], [1.92]]
    """

    a: float
    b: float

    strict = True

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            value = validation.positive(getattr(self, name), name)
            if not _LEAST <= value <= _MOST:
                raise ValueError(f"{name} must lie between {_LEAST:g} and {_MOST:g}, but is {value!r}.")
            object.__setattr__(self, name, value)

    def _if_positive(self, belief: _Belief) -> Array:
        return quadrature.beta_loss(self.a, self.b, belief.log_odds)

    def _if_negative(self, belief: _Belief) -> Array:
        return quadrature.beta_loss(self.b, self.a, -belief.log_odds)
