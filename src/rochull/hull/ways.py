"""A question resolved once: at the door it is settled how its best point is found, and nobody asks again.

A way is found from a question, from the prevalence of the data, and from whether mixtures will do. It finds
the point on whatever can be asked: the hull of one classifier, or several together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rochull._core.messages import Advice, Message
from rochull._core.warned import warn
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.vertices import Vertices

_SHOWN = 10  # names in a message
_KEEP = Advice(
    "keep_thresholds",
    "; keep them with curve=True (of a scan, after scan.roc_curves(max_error=0)), or by "
    "RocHull.from_curve(roc_curve(...))",
)


class Answering(Protocol):
    """Anything that can be asked for a point."""

    @property
    def unknown_thresholds(self) -> Sequence[str]:
        """The classifiers of which not every threshold is known that can be the best single one."""

    def alone(self) -> Iterable[Vertices]:
        """Each classifier by itself."""

    def best_point(self, question: Question) -> OperatingPoint:
        """The best vertex, or mixture of two."""

    def best_single_point(self, question: Question) -> OperatingPoint:
        """The best single rule of all that are known."""

    def assured_point(self, question: Question) -> OperatingPoint:
        """The best rule that is assured."""


@dataclass(frozen=True, slots=True)
class Way(ABC):
    """The choices made for a question."""

    question: Question

    @abstractmethod
    def point(self, asked: Answering) -> OperatingPoint:
        """Find the point."""

    def warn(self, unknown: Sequence[str], how: Advice = _KEEP) -> None:
        """Warn of classifiers that may have a better threshold than those that are known; here none has."""
        return


class OnHull(Way):
    """At a vertex, or on an edge."""

    __slots__ = ()

    def point(self, asked: Answering) -> OperatingPoint:
        return asked.best_point(self.question)


class BetweenVertices(Way):
    """Perhaps at a threshold between two vertices, which may not be known."""

    __slots__ = ()

    def warn(self, unknown: Sequence[str], how: Advice = _KEEP) -> None:
        _warn(unknown, how)


def _warn(unknown: Sequence[str], how: Advice) -> None:
    """Warn of classifiers of which a threshold that is not known may be better."""
    if unknown:
        told = ", ".join(map(repr, filter(None, unknown[:_SHOWN])))
        told += ", ..." * (len(unknown) > _SHOWN)
        warn(
            Message(
                "not every threshold{} is known, and one of the others may be better than this single "
                "rule{}.",
                f" of {told}" if told else "",
                how,
            )
        )


class OneThreshold(BetweenVertices):
    """At a single threshold."""

    __slots__ = ()

    def point(self, asked: Answering) -> OperatingPoint:
        found = asked.best_single_point(self.question)
        _warn(asked.unknown_thresholds, _KEEP)  # of what was asked, not of the question
        return found


class Assured(Way):
    """At a rule that the population keeps its limits by, with a stated confidence."""

    __slots__ = ()

    def point(self, asked: Answering) -> OperatingPoint:
        return asked.assured_point(self.question)


@dataclass(frozen=True, slots=True)
class WithReviews(Way):
    """At a band of cases that are reviewed, of the classifier that is best for the whole rule."""

    deterministic: bool

    def point(self, asked: Answering) -> OperatingPoint:
        found = self.question.own_point(asked.alone(), self.deterministic)
        assert found is not None
        return found


class OverRange(BetweenVertices):
    """At the rule that risks least over a range of numbers; which that is, `minimax` finds."""

    __slots__ = ()

    def point(self, asked: Answering) -> OperatingPoint:
        self.question.require_precise()  # none is best over all of the range
        raise AssertionError


class AssuredOverRange(OverRange, Assured):
    """The same among rules that are assured."""

    __slots__ = ()

    def warn(self, unknown: Sequence[str], how: Advice = _KEEP) -> None:
        return


class AssuredReviews(Assured, WithReviews):
    """At a band of cases that are reviewed, which is assured."""

    __slots__ = ()


class ReviewsOverRange(OverRange, WithReviews):
    """The same, where it risks least over a range of numbers."""

    __slots__ = ()

    def warn(self, unknown: Sequence[str], how: Advice = _KEEP) -> None:
        return


def way_of(question: Question, deterministic: bool) -> Way:
    """How the best point of a question is found, whose prevalence is settled.

    Parameters
    ----------
    question : Question
        At a known prevalence.
    deterministic : bool
        Take no mixture.
    """
    if question.has_third_action:
        sure = WithReviews if question.confidence is None else AssuredReviews
        return (ReviewsOverRange if question.ranges else sure)(question, deterministic)
    if question.ranges:
        return OverRange(question) if question.confidence is None else AssuredOverRange(question)
    if question.confidence is not None:
        return Assured(question)
    is_vertex = not (isinstance(question.goal, Objective) or question.limits or question.batch)
    return OnHull(question) if is_vertex or not deterministic else OneThreshold(question)
