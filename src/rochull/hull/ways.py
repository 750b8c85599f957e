"""A question resolved once: at the door it is settled how its best point is found, and nobody asks again.

A way is found from a question, from the prevalence of the data, and from whether mixtures will do. It finds
the point on whatever can be asked: the hull of one classifier, or several together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from rochull._core.warned import warn
from rochull.conditions.question import Question
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.vertices import Vertices

_SHOWN = 10  # names in a message


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
class OnHull:
    """At a vertex, or on an edge."""

    question: Question

    def point(self, asked: Answering) -> OperatingPoint:
        """Find the point."""
        return asked.best_point(self.question)


@dataclass(frozen=True, slots=True)
class OneThreshold:
    """At a single threshold, between the vertices too."""

    question: Question

    def point(self, asked: Answering) -> OperatingPoint:
        """Find the point, with a warning where better thresholds may not be known."""
        found = asked.best_single_point(self.question)
        warn_of_unknown(asked.unknown_thresholds)
        return found


@dataclass(frozen=True, slots=True)
class Assured:
    """At a rule that the population keeps its limits by, with a stated confidence."""

    question: Question

    def point(self, asked: Answering) -> OperatingPoint:
        """Find the point."""
        return asked.assured_point(self.question)


@dataclass(frozen=True, slots=True)
class WithReviews:
    """At a band of cases that are reviewed."""

    question: Question
    deterministic: bool
    minimax: bool = False

    def point(self, asked: Answering) -> OperatingPoint:
        """Find the point, of the classifier that is best for the whole rule."""
        found = self.question.own_point(asked.alone(), self.deterministic, self.minimax)
        assert found is not None
        return found


Way: TypeAlias = OnHull | OneThreshold | Assured | WithReviews


def way_of(question: Question, deterministic: bool, minimax: bool = False) -> Way:
    """How the best point of a question is found, whose prevalence is settled.

    Parameters
    ----------
    question : Question
        At a known prevalence.
    deterministic : bool
        Take no mixture.
    minimax : bool
        Of reviews over a range, take the point that risks least.
    """
    if question.confidence is not None:
        return Assured(question)
    if question.can_review:
        return WithReviews(question, deterministic, minimax)
    question.require_precise()
    if deterministic and not question.best_is_vertex:
        return OneThreshold(question)
    return OnHull(question)


def point_of(
    asked: Answering, question: Question, prevalence: float | None, deterministic: bool
) -> OperatingPoint:
    """The best point of what is asked; it says so if the prevalence is that of the data."""
    way = way_of(question.at_prevalence(prevalence), deterministic)
    return way.point(asked).under(question)


def warn_of_unknown(names: Sequence[str]) -> None:
    """Warn of classifiers that may have better single thresholds than those that are known."""
    if names:
        shown = ", ".join(map(repr, filter(None, names[:_SHOWN]))) + (", ..." if len(names) > _SHOWN else "")
        warn(
            f"not every threshold{f' of {shown}' if shown else ''} is known, and one of the others may be "
            "better than this single rule; keep them with curve=True (of a scan, after "
            "scan.roc_curves(max_error=0)), or by RocHull.from_curve(roc_curve(...))."
        )
