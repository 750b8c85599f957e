"""Limits on the population's error rate that hold with a stated confidence, beside the plain optimum.

One classifier's threshold keeps its limit by an order statistic (:meth:`ErrorRateLimit.allowed_errors`). The
best of several thresholds was chosen for looking good, and is corrected, or set on examples that did not
choose it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, Described, entries
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.conditions.base import Condition, InfeasibleConditionError
from rochull.conditions.binomial_bound import least_examples
from rochull.conditions.error_rates import ErrorRateLimit, limit_with_confidence
from rochull.conditions.rules import OperatingPoint
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.hybrid.sensitivity import brief


@dataclass(frozen=True)
class AssuredChoice(Described):
    """A threshold whose population rate keeps a limit with a stated confidence, beside the plain one.

    Attributes
    ----------
    condition : NeymanPearson or MinimumRecall
        With its confidence.
    point : OperatingPoint
        The assured rule, with its rates on the examples that set the threshold.
    plain : OperatingPoint
        The best single rule whose rate on the same examples keeps the limit. Its population rate
        breaks the limit about every other time, and more often if it was the best of several.
    method : {"single", "bonferroni", "separate split"}
        How the confidence was kept: there was one candidate; or each of several was assured more than
        was asked for; or the threshold was set on examples that did not choose the classifier.
    n_candidates : int
        Classifiers among which one was chosen, those included that the same examples left out before.
    confidence_each : float
        What each candidate was assured: ``1 - (1 - confidence) / n_candidates`` by Bonferroni.
    plain_confidence : float
        What the same bound, with the same correction, promises of the plain rule.
    n : int
        Examples of the class that the limit is about.
    allowed : int
        Errors among them up to which a rule is assured.

    Notes
    -----
    The promise is about examples drawn like those that set the threshold. The scores must not come from a
    classifier that was trained on them.

    References
    ----------
    Tong, Feng & Li 2018, Proposition 1 (the umbrella bound).

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> curve = rh.roc_curve(table["class"], table["boosted"], pos_label="bad")
    >>> hull = rh.RocHull.from_curve(curve)
    >>> print(rh.hybrid.AssuredChoice.from_hulls(hull, rh.NeymanPearson(0.1, confidence=0.95)))
    assured: fpr 0.08, tpr 0.397: score >= 0.633
    plain:   fpr 0.1, tpr 0.437: score >= 0.576
             (of its population rate the same bound promises 46.8%)
    single: 1 candidate, at most 56 errors among 700
    """

    parameters_told = EXAMPLES | entries("condition : NeymanPearson or MinimumRecall\n    With a confidence.")

    condition: ErrorRateLimit
    point: OperatingPoint
    plain: OperatingPoint
    method: str
    n_candidates: int
    confidence_each: float
    plain_confidence: float
    n: int
    allowed: int

    def __str__(self) -> str:
        candidates = f"{self.n_candidates} candidate{'s' * (self.n_candidates > 1)}"
        promised = f"{100 * self.plain_confidence:.3g}%" if self.plain_confidence else "nothing"
        return (
            f"assured: {brief(self.point)}\n"
            f"plain:   {brief(self.plain)}\n"
            f"         (of its population rate the same bound promises {promised})\n"
            f"{self.method}: {candidates}, at most {self.allowed} errors among {self.n}"
        )

    @property
    def threshold(self) -> float | None:
        """The assured rule's threshold; None for a constant rule."""
        return self.point.rules[0][0].threshold

    @property
    def classifier(self) -> str | None:
        """The assured rule's classifier; None for a constant rule, or where it has no name."""
        return self.point.rules[0][0].classifier

    @classmethod
    def from_hulls(
        cls,
        hulls: RocHull | Mapping[str, RocHull],
        condition: Condition,
        *,
        n_candidates: int | None = None,
    ) -> AssuredChoice:
        """Choose among classifiers by the examples that they were all scored on.

        Parameters
        ----------
        hulls : RocHull or mapping of str to RocHull
            Of unweighted examples. Each classifier's threshold is looked for on its raw curve, where the
            hull holds it, else among the vertices: as safe, and somewhat less powerful.
        n_candidates : int, optional
            How many classifiers there were before the same examples chose these; by default as many
            as are given.

        Returns
        -------
        AssuredChoice
            Of m classifiers each gets the best threshold that is assured with
            ``1 - (1 - confidence) / m``. All m then keep the limit with the confidence, and so does the
            best of them on these examples.

        Raises
        ------
        InfeasibleConditionError
            If there are fewer than ``log((1 - confidence) / m) / log(1 - limit)`` examples of the class;
            the message has the number.
        ValueError
            If the condition has no confidence, examples are weighted, there are only rates, or
            `n_candidates` is less than the number of hulls.
        """
        condition = limit_with_confidence(condition)
        named = {"": hulls} if isinstance(hulls, RocHull) else dict(hulls)
        m = len(named)
        if n_candidates is not None:
            m = validation.whole(n_candidates, "n_candidates", len(named))
        for name, hull in named.items():
            _refuse_without_examples(name, hull)
            n = hull.n_pos if condition.of_positives else hull.n_neg  # the same for all
        each = 1 - condition.shortfall / m
        stricter = condition.with_confidence(float(each))
        _check_enough(condition, n, m)
        without = condition.with_confidence(None)
        return cls(
            condition,
            _best([hull.at(stricter) for hull in named.values()], condition),
            plain := _best([hull.at(without, deterministic=True) for hull in named.values()], condition),
            "bonferroni" if m > 1 else "single",
            m,
            float(each),
            _confidence_of(plain, condition, n, m),
            n,
            stricter.allowed_errors(n),
        )

    @classmethod
    def on_split(
        cls,
        hulls: Mapping[str, RocHull],
        condition: Condition,
        y_true: ArrayLike,
        scores: Any,
        *,
        pos_label: object = None,
    ) -> AssuredChoice:
        """Choose a classifier by its hull, and set its threshold on a separate split.

        Parameters
        ----------
        hulls : mapping of str to RocHull
            Of any kind.
        y_true : array-like of shape (n,)
            Labels of examples that neither trained the classifiers nor made the hulls.
        scores : data frame or mapping of str to array-like of shape (n,)
            Their scores; only the chosen classifier's column is read.

        Returns
        -------
        AssuredChoice
            The classifier is the one whose hull is best at the rate where the split is expected to set the
            threshold. It is one candidate for the split, so nothing is corrected. Errors are those of
            :meth:`from_hulls`.
        """
        condition = limit_with_confidence(condition)
        positive = validation.binary_labels(y_true, pos_label)
        n = int(np.count_nonzero(positive == condition.of_positives))
        # At the rate to be expected of the threshold.
        where = condition.at_error_rate(min(1.0, (condition.allowed_errors(n) + 1) / (n + 1)))
        points = {name: hull.at(where) for name, hull in hulls.items()}
        chosen = max(points, key=lambda name: _merit(points[name], where))
        data = validation.labelled(
            y_true, _column(scores, chosen), None, pos_label, name=f"scores[{chosen!r}]"
        )
        hull = RocHull.from_curve(RocCurve.from_tally(tally_of(data))).named(chosen)
        found = cls.from_hulls({chosen: hull}, condition)
        return replace(found, method="separate split", n_candidates=len(hulls))


def with_curves(hulls: Mapping[str, RocHull], curves: Mapping[str, RocCurve]) -> dict[str, RocHull]:
    """The hulls, with a raw curve where there is one; the points of a thinned curve are exact too."""
    held: dict[str, Mapping[str | None, RocCurve]] = {name: {name: curve} for name, curve in curves.items()}
    return {
        name: replace(hull, curves=held[name]) if name in held and not hull.curves else hull
        for name, hull in hulls.items()
    }


def refuse_repeats(repeats: int) -> None:
    """Raise if scores are of examples that were scored before: these are not independent."""
    if repeats:
        raise ValueError(
            f"confidence needs every example once, but {repeats} scores are of examples that were scored "
            "before; take folds whose test parts do not overlap, or set the threshold on a separate split "
            "with Hybrid.assured."
        )


def best_single(hulls: Iterable[RocHull], together: RocHull, condition: Condition) -> OperatingPoint:
    """The best single rule of some classifiers, each by itself, and of the vertices of their union."""
    found = together.at(condition, deterministic=True)
    best = _merit(found, condition)
    for hull in hulls:
        try:
            point = hull.at(condition, deterministic=True)
        except InfeasibleConditionError:
            continue
        other = _merit(point, condition)
        if other > best:
            found, best = point, other
    return found


def _refuse_without_examples(name: str, hull: RocHull) -> None:
    whose = f"classifier {name!r}" if name else "the hull"
    if hull.blocks is None:
        raise ValueError(
            f"confidence needs examples, but {whose} has only operating points; "
            "give y_true and scores of a separate split."
        )
    if hull.units.weighted:
        raise ValueError(f"confidence needs unweighted examples, but those of {whose} are weighted.")


def _check_enough(condition: ErrorRateLimit, n: int, m: int) -> None:
    """Refuse too few examples in terms of the caller's confidence, not of each candidate's."""
    limit = condition.error_limit
    least = least_examples(limit, condition.shortfall / m) if limit < 1 else 0
    if n < least and m > 1:
        raise condition.too_few(n, least, f" for the best of {m} classifiers")


def _merit(point: OperatingPoint, condition: Condition) -> tuple[float | Fraction, ...]:
    return condition.objective.merit(Fraction(point.fpr), Fraction(point.tpr))


def _best(points: list[OperatingPoint], condition: ErrorRateLimit) -> OperatingPoint:
    """The best of the points, of equals the first."""
    return max(points, key=lambda point: _merit(point, condition))


def _confidence_of(point: OperatingPoint, condition: ErrorRateLimit, n: int, m: int) -> float:
    """What the bound promises of a rule with this empirical rate."""
    from scipy.stats import binom

    rate, limit = condition.error_rate(point.fpr, point.tpr), condition.error_limit
    if limit == 1:
        return 1.0
    return max(0.0, float(1 - m * binom.cdf(round(rate * n), n, float(limit))))


def _column(scores: Any, name: str) -> Array:
    """One column of a table, whatever holds it."""
    named = named_columns(scores, "scores") or {}
    if name not in named:
        raise no_column("scores", name, named, ", which is the chosen classifier")
    column: Array = named[name]
    return column
