"""Limits that the population keeps with a stated confidence, beside the plain optimum.

One classifier's threshold keeps its limits by the tests of :mod:`rochull.conditions.assurance`. The best of
several thresholds was chosen for looking good, and is corrected, or set on examples that did not choose it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, Described, entries
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.rows import refuse_other_order
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.conditions.assurance import counted, none_assured
from rochull.conditions.base import Condition
from rochull.conditions.error_rates import WithinErrorRate
from rochull.conditions.question import Question
from rochull.conditions.ranges import exact
from rochull.conditions.rules import OperatingPoint, brief
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull, optimum
from rochull.hull.minimax import SingleRules, single_rules
from rochull.hull.tallies import tally_of
from rochull.policies.fixed import FixedPolicy


@dataclass(frozen=True)
class AssuredChoice(Result, Described):
    """A threshold with which the population keeps limits with a stated confidence, beside the plain one.

    Attributes
    ----------
    condition : Condition
        With its confidence.
    point : OperatingPoint
        The assured rule, with its rates on the examples that set the threshold.
    plain : OperatingPoint
        The best single rule whose rates on the same examples keep the limits. Its population rates
        break a limit about every other time, and more often if it was the best of several.
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
        Examples of the class that the limit is about; all, if it is not about one class alone.
    allowed : int or None
        Errors among them up to which a rule is assured; None if that is not a single number.

    Notes
    -----
    The promise is about examples drawn like those that set the threshold. A precision, or a share called
    positive, without a stated prevalence is that of such examples, which then must not have been drawn class
    by class. The scores must not come from a
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

    parameters_told = EXAMPLES | entries("condition : Condition\n    With limits and a confidence.")

    condition: Condition
    point: OperatingPoint
    plain: OperatingPoint
    method: str
    n_candidates: int
    confidence_each: float
    plain_confidence: float
    n: int
    allowed: int | None

    def __str__(self) -> str:
        candidates = f"{self.n_candidates} candidate{'s' * (self.n_candidates > 1)}"
        promised = f"{100 * self.plain_confidence:.3g}%" if self.plain_confidence else "nothing"
        of = f"{self.n} examples" if self.allowed is None else f"at most {self.allowed} errors among {self.n}"
        return (
            f"assured: {brief(self.point)}\n"
            f"plain:   {brief(self.plain)}\n"
            f"         (of its population rate the same bound promises {promised})\n"
            f"{self.method}: {candidates}, {of}"
        )

    @property
    def threshold(self) -> float | None:
        """The assured rule's threshold; None for a constant rule."""
        return self.point.rules[0][0].threshold

    @property
    def classifier(self) -> str | None:
        """The assured rule's classifier; None for a constant rule, or where it has no name."""
        return self.point.rules[0][0].classifier

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> FixedPolicy:
        """Make what is deployed: a document with the assured rule, which decides by it and is asked nothing.

        Parameters
        ----------
        salt : str, default=""
            Mixed into the hash of keys, where the rule is a mixture.
        about : mapping of str to str, optional
            Free text to keep in the document.

        Returns
        -------
        FixedPolicy
            It tells the condition with its confidence, at the prevalence of the examples if it states none.
        """
        known = self.condition.at_prevalence(self.point.prevalence)
        return FixedPolicy.from_point(self.point, condition=known.describe(), salt=salt, about=about)

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
        named = {"": hulls} if isinstance(hulls, RocHull) else dict(hulls)
        m = len(named)
        if n_candidates is not None:
            m = validation.whole(n_candidates, "n_candidates", len(named))
        wanted = with_confidence(condition)
        for name, hull in named.items():
            _refuse_without_examples(name, hull)
            question = wanted.at_prevalence(hull.prevalence)  # the same for all
            n, allowed = counted(question, hull.frontier, m)
        stricter, without = _of_each(question, m), question.with_confidence(None)
        each: float = stricter.confidence  # type: ignore[assignment]
        plain = _best(_each_at(without, named), question)
        kept = max(0.0, 1 - m * question.promised(plain, hull.frontier))
        chosen = _best(_each_at(stricter, named), question)
        method = "bonferroni" if m > 1 else "single"
        return cls(wanted.asked, chosen.under(wanted), plain.under(wanted), method, m, each, kept, n, allowed)

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
        question = with_confidence(condition)
        positive = validation.binary_labels(y_true, pos_label)
        refuse_other_order({"y_true": y_true, "scores": scores})
        n_neg, n_pos = np.bincount(positive.astype(int), minlength=2).tolist()
        where = _set_on(question, n_neg, n_pos).at_prevalence(n_pos / (n_neg + n_pos))
        points = _each_at(where, hulls, deterministic=False)
        chosen = max(points, key=lambda name: where.merit(points[name]))
        data = validation.labelled(
            y_true, _column(scores, chosen), None, pos_label, name=f"scores[{chosen!r}]",
            lower_is_positive=hulls[chosen].lower_is_positive,
        )  # fmt: skip
        curve = RocCurve.from_tally(tally_of(data), data.lower_is_positive)
        hull = RocHull.from_curve(curve).named(chosen)
        found = cls.from_hulls({chosen: hull}, question.asked)
        return replace(found, method="separate split", n_candidates=len(hulls))


def _set_on(question: Question, n_neg: int, n_pos: int) -> Question:
    """The question, without confidence, whose best point is where so many examples may set the threshold."""
    asked, without = question.asked, question.with_confidence(None)
    if not isinstance(asked, WithinErrorRate):
        return without
    n = n_pos if asked.of_positives else n_neg
    at_rate = asked.at_error_rate(min(1.0, (asked.allowed_errors(n) + 1) / (n + 1)))
    return at_rate.question


def refuse_repeats(question: Question, repeats: int) -> None:
    """Raise if scores for a confidence are of examples that were scored before: these are not independent."""
    if repeats:
        question.refuse(
            confidence=refused(
                "confidence",
                "needs every example once, but {} scores are of examples that were scored before; take "
                "folds whose test parts do not overlap, or set the threshold on a separate split with "
                "Hybrid.assured.",
                repeats,
            )
        )


def assured_rules(
    hulls: Mapping[str, RocHull], question: Question, n_candidates: int
) -> dict[str, list[SingleRules]]:
    """The single rules of each of some classifiers with which the population keeps the limits of a question.

    All rules of all classifiers do so together with its confidence: each classifier's are assured with
    ``1 - (1 - confidence) / n_candidates``. So does any that is chosen among them, whatever for.
    """
    stricter, found = _of_each(question, n_candidates), {}
    for name, hull in hulls.items():
        _refuse_without_examples(name, hull)
        counted(question, hull.frontier, n_candidates)  # says so if there are too few examples for any
        found[name] = single_rules(hull, stricter)
    if not any(part.among.size for own in found.values() for part in own):
        raise none_assured(question, next(iter(hulls.values())).frontier)
    return found


def _of_each(question: Question, n_candidates: int) -> Question:
    """The question as each of several classifiers has to meet it, so that all of them do together."""
    shortfall = (1 - exact(question.confidence)) / n_candidates  # type: ignore[arg-type]
    return question.with_confidence(float(1 - shortfall))


def _refuse_without_examples(name: str, hull: RocHull) -> None:
    whose = f"classifier {name!r}" if name else "the hull"
    if hull.blocks is None:
        raise refused(
            "confidence",
            "needs examples, but {} has only operating points; give y_true and scores of a separate split.",
            whose,
        )
    if hull.units.weighted:
        raise refused("confidence", "needs unweighted examples, but those of {} are weighted.", whose)


def with_confidence(condition: object) -> Question:
    """The question, if it is a precise one with a stated confidence."""
    unsure = refused(
        "condition",
        "must have limits and a confidence, such as NeymanPearson(0.1, confidence=0.9), but is {}.",
        repr(condition),
    )
    if not isinstance(condition, (Condition, Question)):
        raise unsure
    question = condition.question
    question.refuse(no_confidence=unsure)
    if not question.lacks_prevalence:
        question.require_precise()
    return question


def _each_at(
    question: Question, hulls: Mapping[str, RocHull], deterministic: bool = True
) -> dict[str, OperatingPoint]:
    """The points of those classifiers that have one; an error if none has."""
    found, refused = {}, None
    for name, hull in hulls.items():
        try:
            found[name] = optimum(hull, question, deterministic)
        except InfeasibleConditionError as error:
            refused = refused or error
    if refused is not None and not found:
        raise refused
    return found


def _best(points: Mapping[str, OperatingPoint], question: Question) -> OperatingPoint:
    """The best of the points, of equals the first."""
    return max(points.values(), key=question.merit)


def _column(scores: Any, name: str) -> Array:
    """One column of a table, whatever holds it."""
    named = named_columns(scores, "scores") or {}
    if name not in named:
        raise no_column("scores", name, named, ", which is the chosen classifier")
    column: Array = named[name]
    return column
