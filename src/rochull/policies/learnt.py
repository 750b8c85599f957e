"""A policy's hull as a witness of the examples that it was made from: their scores, and what its rules do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.review_rules import ReviewPoint
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.decisions import questions
from rochull.decisions.guard import POSITIVE, REVIEW, Watch
from rochull.decisions.kinds import LearntKind
from rochull.decisions.plan_kinds import SegmentKind
from rochull.decisions.plans import Among
from rochull.decisions.promises import Promise
from rochull.decisions.score_kind import ScoreKind
from rochull.hull.hull import RocHull


@dataclass(frozen=True, eq=False)
class Chain:
    """The thresholds of one classifier on a hull, whoever else is there.

    Attributes
    ----------
    rules : (r,) that call ever more examples positive.
    fp, tp : (r,) units of each class that they call positive: between two of them these are the
        classifier's alone.
    """

    rules: tuple[Rule, ...]
    fp: Array
    tp: Array


def chain_of(hull: RocHull, classifier: str | None) -> Chain:
    """The thresholds of one of a hull's classifiers."""
    found = [
        (rule, int(fp), int(tp))
        for fp, tp, rules in zip(hull.fp, hull.tp, hull.owners, strict=True)
        for rule in rules
        if rule.threshold is not None and rule.classifier == classifier
    ]
    rules = tuple(rule for rule, _, _ in found)
    fp, tp = (np.array([each[i] for each in found], hull.fp.dtype) for i in (1, 2))
    return Chain(rules, fp, tp)


def cuts_of(hull: RocHull, *points: OperatingPoint) -> dict[str, tuple[Rule, ...]]:
    """All thresholds of each classifier that a hull and some points have: scores matter by these alone."""
    found: dict[str, dict[Rule, None]] = {}
    for rules in (*hull.owners, *([rule for rule, _ in point.rules] for point in points)):
        for rule in rules:
            if rule.threshold is not None and rule.classifier is not None:
                found.setdefault(rule.classifier, {})[rule] = None
    return {name: tuple(rules) for name, rules in found.items()}


def watch_of_rates(
    kinds: tuple[LearntKind, ...], hull: RocHull, point: Any, condition: Any, on_misfit: str
) -> Watch:
    """A look at some kinds, and at the shares that a point which was found for a condition promises."""
    known = isinstance(point, OperatingPoint) and not isinstance(condition, OperatingPoint)
    return Watch(kinds, promises_of(hull, point, condition) if known else {}, on_misfit)


def kinds_of_segments(
    hull: RocHull, classifier: str, plan: Among, rules_at: Callable[[int], Sequence[Rule]]
) -> tuple[SegmentKind, ...]:
    """Counts of all segments together, at the vertices; none where examples were not counted."""
    if hull.units.weighted or len(hull) < 3:
        return ()
    pos, neg = hull.tp[1:-1] / hull.units.pos, hull.fp[1:-1] / hull.units.neg
    vertices = range(1, len(hull) - 1)
    return (SegmentKind(classifier, vertices, pos, neg, *_examples(hull), plan, rules_at),)


def kinds_of(hull: RocHull) -> tuple[ScoreKind, ...]:
    """Counts of the scores of each classifier; none where examples were not counted."""
    if hull.units.weighted:
        return ()
    found = []
    for name in hull.classifiers or (None,):
        chain = chain_of(hull, name)
        if chain.rules:
            pos, neg = chain.tp / hull.units.pos, chain.fp / hull.units.neg
            found.append(ScoreKind(name, chain.rules, pos, neg, *_examples(hull)))
    return tuple(found)


def promises_of(hull: RocHull, point: OperatingPoint, condition: Any) -> dict[str, Promise]:
    """The shares of cases that a point of the hull, found for a condition, is to flag and to pass on."""
    if hull.units.weighted:
        return {}
    n_pos, n_neg = _examples(hull)
    prevalence = questions.prevalence_asked(condition, hull.prevalence)

    def promise(rates: tuple[float, float], limited: bool) -> Promise:
        fpr, tpr = rates
        return Promise((tpr * n_pos, n_pos), (fpr * n_neg, n_neg), prevalence, limited)

    if isinstance(point, ReviewPoint):  # its fpr and tpr are those after the reviews
        reviewed = promise(point.reviewed, questions.limits_reviews(condition))
        return {POSITIVE: promise(point.called, False), REVIEW: reviewed}
    return {POSITIVE: promise((point.fpr, point.tpr), questions.limits_alarms(condition))}


def _examples(hull: RocHull) -> tuple[int, int]:
    return round(hull.n_pos / hull.units.pos), round(hull.n_neg / hull.units.neg)
