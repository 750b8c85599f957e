"""How many of an unlabelled batch are positive: the mixture of the two classes that its scores look like.

A score with likelihood ratio r is ``1 + pi (r - 1)`` times as likely under prevalence pi as under pi = 0. The
logarithm of the product is concave in pi, and its maximum is where the EM iteration of Saerens,
Latinne & Decaestecker (2002) ends. Ratios that were learnt are wrong in two ways that matter when
the batch is large, and both can be read off the labelled counts: they vary with the training data,
and on these data they look better than they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.rows import same_rows
from rochull._core.table_errors import names_listed
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import Rule
from rochull.conditions.within import require_prevalence
from rochull.decisions.any_policy import DEPLOYED
from rochull.decisions.batch_check import REMEDY, MisfitError, MisfitWarning
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.blocks import pool_ranges
from rochull.hull.hull import RocHull
from rochull.hull.tallies import UNIT
from rochull.policies import misfit
from rochull.policies.learnt import chain_of
from rochull.policies.mixture import LabelledRatios, Mixture, Sample, without_itself

_KEPT = " So the prevalence that was stated, or that of the policy's data, is kept."
_UNKNOWN_ERROR = (
    "calibrator: neither a document nor weighted examples say how well its ratios are known, so the "
    "interval is too short and the fit is not tested: give labelled examples as y_true and y_score. Without "
    "them 95 % intervals held the prevalence in 0.62 to 0.71 of batches, of 200 to 500 examples to fit to."
)
_MOST = 700.0  # LLRs beyond it count as it: no prevalence above 1e-300 tells them apart


@dataclass(frozen=True)
class PrevalenceEstimate(Result):
    """The share of positives in an unlabelled batch, with an interval.

    Attributes
    ----------
    estimate : float
        In [0, 1]. 0.5 where every log-likelihood-ratio of the batch is 0, which tells nothing.
    low, high : float
        Ends of the interval, in [0, 1].
    level : float
        Its nominal coverage, such as 0.95.
    method : {"blocks", "labelled", "known"}
        Where the likelihood ratios' own error is taken from; see :func:`estimate_prevalence`.
    n : int
        Number of scores.
    em : float
        Where EM ends: the maximum likelihood if the ratios were known. `estimate` differs from it by a
        correction of its bias.
    pvalue : float
        Of the batch as a mixture of the two classes that the ratios were learnt from, which is what the
        estimate presumes. Small where the classes themselves have changed; NaN where nothing tells: under
        the method "known", with one ratio for all scores, or with fewer than eight cases or labelled examples
        of a class.
    classifier : str or None
        Whose scores were used, where there was a choice.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("adult_scores", ["income", "boosted"])
    >>> hull = rh.roc_hull(table["income"][:4000] == ">50K", table["boosted"][:4000])
    >>> found = rh.estimate_prevalence(table["boosted"][4000:6000], hull)
    >>> print(found)
    prevalence 0.214, 95% from 0.1864 to 0.2428
    (2,000 scores, method: blocks, fit: p = 0.96)
    """

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    em: float
    pvalue: float
    classifier: str | None = None

    def __str__(self) -> str:
        whose = "" if self.classifier is None else f" of {self.classifier}"
        fit = "fit not tested" if math.isnan(self.pvalue) else f"fit: p = {self.pvalue:.2g}"
        return (
            f"prevalence {self.estimate:.4g}, {100 * self.level:g}% from {self.low:.4g} to {self.high:.4g}\n"
            f"({self.n:,} scores{whose}, method: {self.method}, {fit})"
        )


@described(DEPLOYED)
def estimate_prevalence(
    scores: ArrayLike,
    calibrator: Any,
    *,
    level: float = 0.95,
    y_true: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    pos_label: object = None,
) -> PrevalenceEstimate:
    """Estimate the share of positives among unlabelled cases from their scores.

    Parameters
    ----------
    scores : array-like of shape (n,) or (n, 1)
        Scores of the cases, or the columns that the calibrator reads; their classes' distributions must be
        those of the calibrator's data, only the classes' proportions may differ (prior shift).
    calibrator : object with a method `llr`, or RocHull
        Such as ``PavCalibrator(bound="laplace")``; its log-likelihood-ratios must be finite. A hull of
        one classifier is bounded here: an example of each class is added above the highest
        score and below the lowest, as "laplace" does; where it has no counts (weights, given
        rates), a block of one class at an end is pooled with the next one instead.
    y_true, y_score : array-like of shape (k,), optional
        Labelled examples that the calibrator was not fitted on. The ratios' error is then measured on
        them, and they need not be calibrated. For a logistic or beta calibrator, whose parameters are few,
        those that it was fitted on will do, and are not needed unless it was loaded. Given the very examples
        of its blocks, a PAV calibrator or a hull is taken as if none were given.
    pos_label : object, optional
        The label of the positive class in `y_true`.

    Returns
    -------
    PrevalenceEstimate
        With the estimate, the interval, EM's own answer and the p-value of the fit.

    Raises
    ------
    ValueError
        If a score is NaN, there is none, a ratio is infinite, the hull is one of several classifiers, or
        `y_true`, `y_score` or `pos_label` is given without the others that it needs.

    Warns
    -----
    MisfitWarning
        If the scores are not a mixture of the two classes (`pvalue` below 0.01), so that there is no
        prevalence to be found: they were scaled or shifted, say, or cases of another kind are among them.

    Notes
    -----
    Let w(s) = (r - 1) / (1 + pi (r - 1)) for a score of ratio r. EM's answer solves "mean of w over
    the batch = 0", since the mixture's own mean, pi E_pos[w] + (1 - pi) E_neg[w], is 0 for true
    ratios. Here the batch's mean is compared with what is known of the mixture's:

    - "labelled" (`y_true` is given, or the calibrator holds ``fitted_ratios_``): with its mean over the
      labelled examples.
    - "blocks" (a hull with counts, or a calibrator whose `hull_` has them): with its mean over the
      training examples, each judged by the ratio that its block would have without it: (c - 1/2) /
      (c + 1/2) times the ratio for one of c positives, the inverse for one of c negatives. PAV's
      choice of the blocks adds nothing to first order (Meyer & Woodroofe 2000: the divergence of its fit
      is the number of blocks).
    - "known" (other calibrators, weights, given rates): with 0. The interval is then that of EM, and
      too short as soon as the batch is not small beside the training data: of a calibrator that was
      loaded, or fitted with weights, a warning says so.

    The interval has the prevalences whose log-likelihood, corrected like its derivative above, is close
    enough to the maximum; twice the difference is first multiplied by the part of the variance that
    is the batch's: V = Var(w) / n + pi^2 Var_pos(w) / n_pos + (1 - pi)^2 Var_neg(w) / n_neg.

    On Adult intervals of 95% cover in 92.8% to 99.0% of the batches, and the bias is at most 0.16 of the
    standard deviation; EM's own interval covers in 77.5% to 99.0%, and its bias reaches half a
    standard deviation, both worst in the largest batches at 90%. (PAV on 8,000 rows of ``boosted`` or
    ``knn``, batches of 200, 2,000 and 10,000 other rows at eight prevalences from 1% to 90%, 400
    splits: ``examples/prevalence_on_adult.py``.) The fewer the examples of the rarer class, the less the
    counts tell of the blocks at the ends: with 1,000 rows to calibrate on, of which 240 are positive,
    and 10,000 cases at 1%, intervals cover in 88%, with 300 rows in 84%. A beta calibrator on 4,000 rows
    (200 splits, batches of 10,000, four prevalences) covers in 93% to 96% with 4,000 labelled rows
    given, its own or others, and in 72% to 86% without.

    All this is about prior shift. If the classes themselves change, no interval here covers. *Test of fit.*
    Under prior shift the batch's mean of any function of the ratio lies on the line between the means of
    the classes. Four cosines of the ratio are asked how far off it they are, in units of the errors of
    the batch and of the examples (Hansen's J, with quantiles of Hotelling's T²). At 0.05 it
    rejected prior shift in 1.6% to 7.2% of the batches (21 settings twice, 1,000 draws each, from 30
    examples of the rarer class on): below 3% with the fewest examples, 3% to 6% in most settings from 1,000
    examples on. With 10 positives it is not reliable: 1.4% to 9.4%. Its power depends on the change
    (``studies/misfit.py``): it saw normal scores multiplied by 1.6 in 95% of batches of 200 where classes
    are 1.5 apart, in 34% where they are 3 apart, and hardly ever exponential ones with 500 examples of each
    class or fewer, for these are nearly a mixture still. Such a change moves the estimate unseen: a high
    p-value does not prove that the classes are the same.

    References
    ----------
    Saerens, Latinne & Decaestecker 2002, Adjusting the outputs of a classifier to new a priori
    probabilities, section 2.2, for the iteration.
    Meyer & Woodroofe 2000, On the degrees of freedom in shape-restricted regression.
    Hansen 1982, Large sample properties of generalized method of moments estimators, for the test.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.5
    >>> calibrator = rh.PavCalibrator(bound="laplace").fit(rng.normal(2 * y), y)
    >>> batch = rng.normal(2 * (rng.random(5000) < 0.1))
    >>> found = rh.estimate_prevalence(batch, calibrator)
    >>> print(f"{found.estimate:.3f}, 95% from {found.low:.3f} to {found.high:.3f}")
    0.094, 95% from 0.079 to 0.111
    """
    level = validation.probability(level, "level", open_ends=True)
    values = _read(calibrator, scores, "scores")
    if (y_true is None) != (y_score is None):
        raise refused("y_true", "and y_score must be given together: they are the labelled examples.")
    if pos_label is not None and y_true is None:
        raise refused("pos_label", "is given without y_true, whose label it would be.")
    llr_of, known = _ratios(calibrator)
    if y_true is not None and y_score is not None:
        positive = validation.labels_beside(y_true, pos_label, "y_true", y_score, "y_score") == 1
        labelled = _read(calibrator, y_score, "y_score")
        same_rows(y_true=y_true, y_score=y_score)
        if known is None or known.fitted is None or not _made_from(calibrator, positive, labelled):
            llr = llr_of(labelled)
            known = LabelledRatios(Sample.of(llr[positive]), Sample.of(llr[~positive]))
    elif known is None and isinstance(calibrator, _OfFit):
        warn(_UNKNOWN_ERROR)
    return heeded(_estimate(Mixture(Sample.of(llr_of(values)), known), level))


def _estimate(mixture: Mixture, level: float, classifier: str | None = None) -> PrevalenceEstimate:
    known = mixture.known
    method = "known" if known is None else "labelled" if known.fitted is None else "blocks"
    estimate, low, high, em = mixture.solve(level)
    pvalue = misfit.pvalue(mixture, estimate)
    return PrevalenceEstimate(estimate, low, high, level, method, mixture.batch.n, em, pvalue, classifier)


def heeded(found: PrevalenceEstimate) -> PrevalenceEstimate:
    """The estimate, with a warning where the batch is not a mixture of the classes."""
    if found.pvalue < misfit.UNUSUAL:
        warn(MisfitWarning(misfit_of(found)))
    return found


def misfit_of(found: PrevalenceEstimate) -> str:
    """Return the sentence on an estimate that its own test rejects."""
    whose = "" if found.classifier is None else f" of {found.classifier!r}"
    return (
        f"prevalence: the scores{whose} are not a mixture of the classes that were learnt "
        f"(p = {found.pvalue:.1g}), so the estimate {found.estimate:.4g} cannot be relied on. {REMEDY}"
    )


# --- the ratios -------------------------------------------------------------------------------------


@runtime_checkable
class _GivesLlr(Protocol):
    """Anything that gives log-likelihood-ratios: calibrators, ours and others', are made further up."""

    def llr(self, scores: Any) -> Any:
        """The log-likelihood-ratio of each score."""


@runtime_checkable
class _OfColumns(Protocol):
    """One that knows how many columns of scores it reads."""

    n_columns: int


@runtime_checkable
class _OfHull(Protocol):
    """One that was made from a hull."""

    hull_: Any


@runtime_checkable
class _OfFit(Protocol):
    """One that has the ratios of the examples that it was fitted on."""

    fitted_ratios_: tuple[Array, Array, Array] | None


def _read(calibrator: Any, scores: Any, name: str) -> Array:
    """Validated scores: one column, or those that the calibrator reads."""
    if not isinstance(calibrator, _OfColumns) or calibrator.n_columns == 1:
        return validation.scores_1d(scores, name)
    from rochull.calibration.columns import read_columns

    several: Any = calibrator
    return read_columns(several, scores, name)


def _ratios(calibrator: Any) -> tuple[Callable[[Array], Array], LabelledRatios | None]:
    """The map from scores to finite LLRs, and what is known of the examples that it was made from."""
    if isinstance(calibrator, RocHull):
        names = calibrator.classifiers
        if len(names) > 1:
            raise refused(
                "calibrator",
                "is a hull of {} classifiers; ask Policy.estimate_prevalence, which takes a column of "
                "scores for each.",
                len(names),
            )
        ladder = RatioLadder.of(calibrator, names[0] if names else None)
        return ladder.llr_of, ladder.levels
    if not isinstance(calibrator, _GivesLlr):
        raise refused("calibrator", "must have a method llr or be a RocHull, but is {}.", repr(calibrator))

    def llr_of(values: Array) -> Array:
        llr = np.asarray(calibrator.llr(values), float)
        if not np.isfinite(llr).all():
            raise refused(
                "calibrator",
                "gives log-likelihood-ratios that are not finite, with which one score would rule out a "
                'prevalence of 0 or 1; fit it with a bound, as PavCalibrator(bound="laplace").',
            )
        return np.asarray(np.clip(llr, -_MOST, _MOST))

    hull = calibrator.hull_ if isinstance(calibrator, _OfHull) else None
    if not isinstance(hull, RocHull) or hull.blocks is None or hull.units.weighted:
        return llr_of, _of_fit(calibrator.fitted_ratios_ if isinstance(calibrator, _OfFit) else None)
    blocks, lower = hull.blocks, hull.lower_is_positive
    low, high = (llr_of(0 - end if lower else end) for end in (blocks.low, blocks.high))
    llr = (low + high) / 2  # the same, but for a strict map
    return llr_of, without_itself(llr, blocks.pos_units, blocks.neg_units)


def _of_fit(ratios: tuple[Array, Array, Array] | None) -> LabelledRatios | None:
    """The examples that a calibrator of few parameters was fitted on."""
    if ratios is None:
        return None
    llr, *counts = ratios
    neg, pos = (Sample(np.clip(llr, -_MOST, _MOST), own / own.sum(), int(own.sum())) for own in counts)
    return LabelledRatios(pos, neg)


def _made_from(calibrator: Any, positive: Array, scores: Array) -> bool:
    """Whether the blocks of a hull hold as many of each class as they would of these examples (n,)."""
    hull = calibrator if isinstance(calibrator, RocHull) else calibrator.hull_
    blocks = hull.blocks
    if blocks is None or hull.units.weighted or len(scores) != hull.n_neg + hull.n_pos:
        return False
    values = validation.negated(scores, "y_score") if hull.lower_is_positive else scores
    block = np.minimum(np.searchsorted(-blocks.low.astype(float), -values.astype(float)), len(blocks) - 1)
    counts = (np.bincount(block[positive == label], minlength=len(blocks)) for label in (True, False))
    inside = (blocks.low[block] <= values) & (values <= blocks.high[block])
    same = (
        np.array_equal(own, units)
        for own, units in zip(counts, (blocks.pos_units, blocks.neg_units), strict=True)
    )
    return bool(inside.all()) and all(same)


@dataclass(frozen=True, eq=False)
class RatioLadder:
    """Information on one classifier's scores in its rules on a hull.

    Attributes
    ----------
    thresholds : (k - 1,) descending; of negated scores, where low ones are positive.
    llr : (k,) the ratio in each of the ranges between them, from high scores to low.
    levels : the examples in the ranges; None if their number is unknown.
    pos, neg : (k,) how many there are of each class; weights, if their number is unknown.
    lower_is_positive : whether low scores are positive.
    """

    thresholds: list[float]
    llr: Array
    levels: LabelledRatios | None
    pos: Array
    neg: Array
    lower_is_positive: bool = False

    @classmethod
    def of(cls, hull: RocHull, classifier: str | None) -> RatioLadder:
        """Between two of its vertices the counts are those of the classifier alone, whoever else is there."""
        chain = chain_of(hull, classifier)
        both = (chain.tp, hull.n_pos), (chain.fp, hull.n_neg)
        pos, neg = (np.diff(counts, prepend=0, append=n) for counts, n in both)
        thresholds, units = [rule.level for rule in chain.rules], hull.units
        lower = any(rule.lower_is_positive for rule in chain.rules)
        if not all(above > below for above, below in pairwise(thresholds)):
            raise ValueError(f"the hull's thresholds of {classifier or 'its classifier'} do not descend.")
        if units.weighted:  # nobody knows how many examples there were
            return cls(thresholds, _pooled(pos, neg), None, pos, neg, lower)
        llr = _bounded(pos, neg, (int(units.pos), int(units.neg)))
        pos, neg = pos / units.pos, neg / units.neg
        return cls(thresholds, llr, without_itself(llr, pos, neg), pos, neg, lower)

    def cut(self, rule: Rule, tpr: float, fpr: float) -> RatioLadder:
        """The same ranges, one of them in two at the threshold of a rule, whose rates are known."""
        if rule.level in self.thresholds:
            return self
        at = sum(level > rule.level for level in self.thresholds)
        halves = []
        for counts, rate in ((self.pos, tpr), (self.neg, fpr)):
            above = min(max(rate * counts.sum() - counts[:at].sum(), 0.0), counts[at])
            halves.append(np.concatenate([counts[:at], [above, counts[at] - above], counts[at + 1 :]]))
        thresholds = [*self.thresholds[:at], rule.level, *self.thresholds[at:]]
        return replace(
            self,
            thresholds=thresholds,
            llr=np.insert(self.llr, at, self.llr[at]),
            pos=halves[0],
            neg=halves[1],
        )

    def llr_of(self, values: Array) -> Array:
        """The ratio of each score (n,)."""
        return self.llr[self.place_of(values)]

    def place_of(self, values: Array) -> Array:
        """The range of each score (n,): the first whose threshold it reaches."""
        if self.lower_is_positive:
            values = validation.negated(values, "scores")
        steps = self.thresholds[::-1]
        if values.dtype.kind in "iu":  # compared as integers: beyond 2**53 not all are floats
            info = np.iinfo(values.dtype)
            steps = [t if math.isinf(t) else math.ceil(t) for t in steps]
            over = sum(t > info.max for t in steps)
            whole = [int(max(t, info.min)) for t in steps[: len(steps) - over]]
            place = np.searchsorted(np.array(whole, values.dtype), values, "right")
        else:
            place = np.searchsorted(np.array(steps, float), values, "right")
        return np.asarray(len(self.llr) - 1 - place)


def _bounded(pos: Array, neg: Array, added: tuple[int, int]) -> Array:
    """LLRs (k,), with an example of each class, of so many units, added at either end and pooled anew."""
    if len(pos) == 1:  # all examples in one block, which tells nothing
        return np.zeros(1)
    place = -np.arange(len(pos) + 2)
    pos, neg = (
        np.concatenate(([mass], counts, [mass])) for counts, mass in zip((pos, neg), added, strict=True)
    )
    pooled = pool_ranges(place, place, pos, neg, UNIT)
    return np.asarray(np.repeat(pooled.llr, pooled.high - pooled.low + 1)[1:-1])


def _pooled(pos: Array, neg: Array) -> Array:
    """LLRs (k,) of weights, where a range of one class at an end is pooled with the next."""
    pos, neg, llr = pos.astype(float), neg.astype(float), np.zeros(len(pos))
    ends = [np.argmax(np.cumsum(side) > 0) for side in (neg, pos[::-1])]
    first, last = int(ends[0]), len(pos) - 1 - int(ends[1])
    if first < last:
        edges = [0, *range(first + 1, last + 1)]
        shares = [np.add.reduceat(side, edges) / side.sum() for side in (pos, neg)]
        llr[:] = np.repeat(np.log(shares[0] / shares[1]), np.diff([*edges, len(pos)]))
    return llr


# --- at run time ------------------------------------------------------------------------------------


def present(scores: Any, classifiers: tuple[str, ...]) -> tuple[str, ...]:
    """The classifiers that there is a column of; all, where the scores are one array."""
    if not classifiers:
        raise ValueError("the policy has no classifier, only constant rules, so its scores tell nothing.")
    names = named_columns(scores, "scores")
    if names is None:
        return classifiers
    found = tuple(name for name in classifiers if name in names)
    if not found:
        raise refused("scores", "has no column of any classifier: {}.", names_listed(classifiers))
    return found


def of_columns(hull: RocHull, columns: ScoreColumns, level: float) -> PrevalenceEstimate:
    """The estimate by that score column whose standard error is the least.

    Cases without a score are left out, classifier by classifier.
    The prevalence at which they are compared is the mean of their estimates; the errors are those that the
    counts of the hull promise, so that a batch does not choose the classifier by its luck.
    """
    batches = {}
    for name, column in columns.columns.items():
        there = column.present
        if there.any():
            ladder = RatioLadder.of(hull, name)
            batches[name] = Sample.of(ladder.llr_of(column.values[there]), columns.counts(there))
    return of_batches(hull, batches, level)


def of_batches(hull: RocHull, batches: Mapping[str | None, Sample], level: float) -> PrevalenceEstimate:
    """The same, of the ratios of each classifier's scores."""
    level = validation.probability(level, "level", open_ends=True)
    mixtures = {name: Mixture(batch, RatioLadder.of(hull, name).levels) for name, batch in batches.items()}
    if not mixtures:
        raise refused("scores", "has no case with a score, so its prevalence cannot be estimated.")
    found = {name: _estimate(mixture, level, name) for name, mixture in mixtures.items()}
    middle = math.fsum(one.estimate for one in found.values()) / len(found)
    return found[min(mixtures, key=lambda name: mixtures[name].spread(middle))]


def under(
    condition: Any,
    prevalence: Any,
    estimate: Callable[[], PrevalenceEstimate | None],
    on_misfit: str = "keep",
) -> Any:
    """The condition at another prevalence: a number, or "estimate" for that of the batch, if it has cases.

    An estimate that its own test rejects is not acted on, unless there is only to be a warning.
    """
    asked = require_prevalence(condition)
    if not isinstance(prevalence, str):
        return asked.with_numbers(prevalence=validation.probability(prevalence, "prevalence"))
    if prevalence != "estimate":
        raise refused("prevalence", 'must be a number or "estimate", but is {}.', repr(prevalence))
    found = estimate()
    if found is None:
        return asked
    if found.method == "known":
        text = (
            "prevalence: whether these scores are a mixture of the classes that were learnt cannot be "
            "tested, for the policy holds no numbers of examples (weights, or given rates)."
        )
        warn(MisfitWarning(text))
    elif found.pvalue < misfit.UNUSUAL and on_misfit != "ignore":
        if on_misfit == "refuse":
            raise MisfitError(misfit_of(found))
        kept = on_misfit == "keep"
        warn(MisfitWarning(misfit_of(found) + _KEPT * kept))
        if kept:
            return asked
    least = 0.5 / found.n  # half a case: at 0 and 1 some conditions are undefined
    return asked.with_numbers(prevalence=min(max(found.estimate, least), 1 - least))
