"""Clauses that state a condition, and how they read in the reference, in a legend and as options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol

from rochull.conditions.ranges import Distribution, Proportion, interval_in_words
from rochull.words.clauses import Clause, Vocabulary, catalogue

REFERENCE = Vocabulary("reference", {"number": interval_in_words, "share": interval_in_words})
BRIEF = Vocabulary(
    "reference", {"number": interval_in_words, "share": lambda share: stated(share, "{:.4g}".format)}
)


def stated(value: Any, one: Callable[[float], str], between: str = " to ") -> str:
    """Write what somebody stated.

    Parameters
    ----------
    value : float, (low, high) or str
        A distribution is a text already.
    one : callable
        How a number is written.
    between : str
        What stands between the ends of an interval.

    Returns
    -------
    str
        Of an interval both ends.
    """
    if isinstance(value, list | tuple):
        return between.join(stated(end, one) for end in value)
    return value if isinstance(value, str) else one(value)


def _percent(value: Any) -> str:
    return f"{stated(value, lambda end: f'{100 * end:g}')} %"


def _option(value: Any) -> str:
    return stated(value, "{:.10g}".format, ":")


LEGEND = Vocabulary("legend", {"number": interval_in_words, "share": _percent})
OPTIONS = Vocabulary("command", {"number": _option, "share": _option, "list": " ".join}, own=True)


def clause_number(value: Any) -> Any:
    """Give a number of a condition as clauses hold it.

    Parameters
    ----------
    value : float, Fraction, (low, high), Distribution or None
        As it was stated.

    Returns
    -------
    float, (low, high) or str
        A distribution by its name; a proportion of the data in four digits, as it is read.
    """
    if isinstance(value, Proportion):
        return float(f"{value:.4g}")
    if isinstance(value, tuple):
        return tuple(map(clause_number, value))
    if isinstance(value, Fraction):
        return float(value)
    return str(value) if isinstance(value, Distribution) else value


def measure_named(key: str, **numbers: Any) -> str:
    """Name a measure.

    Parameters
    ----------
    key : str
        Its key.
    **numbers : object
        Those of it that are a part of its name.

    Returns
    -------
    str
        The key itself, if the catalogue has no words for it.
    """
    own = f"measure.{key}"
    return REFERENCE.told(Clause(own, **numbers)) if own in catalogue() else key


class Nameable(Protocol):
    """A measure, as it is spoken of."""

    @property
    def key(self) -> str:
        """Its key."""

    @property
    def sign(self) -> int:
        """1 if the larger, the better; else -1."""

    @property
    def measure(self) -> str:
        """Its name in words."""


def about(what: str, measure: Nameable, **slots: Any) -> Clause:
    """Say something of a measure.

    Parameters
    ----------
    what : {"best", "limit", "least"}
        That it is to be the best, or is limited, on its worse side or on its better one.
    measure : Objective
        Which.
    **slots : object
        Its numbers.

    Returns
    -------
    Clause
        In words of its own, where the catalogue has them.
    """
    own = f"{what}.{measure.key}"
    if own in catalogue():
        return Clause(own, **slots)
    return Clause(
        f"{what}.other", measure=measure.measure, way="high" if measure.sign > 0 else "low", **slots
    )


def form_of(goal: Clause) -> str:
    """Tell how a goal reads: a rate, which limits imply; costs, with numbers of their own; or another."""
    if goal.key in ("best.tpr", "best.fpr"):
        return "rate"
    return "costs" if "cost_fp" in dict(goal.slots) else "other"


def within(goal: Clause, limits: Sequence[Clause]) -> Clause:
    """Say what is best, and within which limits.

    Parameters
    ----------
    goal : Clause
        What is best.
    limits : sequence of Clause
        Each is said once.

    Returns
    -------
    Clause
        The goal itself without limits.
    """
    if not limits:
        return goal
    return Clause("within", goal=goal, limits=tuple(dict.fromkeys(limits)), form=form_of(goal))


def at(said: Clause, prevalence: Any) -> Clause:
    """Add the proportion of positives.

    Parameters
    ----------
    said : Clause
        What is said so far.
    prevalence : float, (low, high), Distribution or None
        That of the data, if it is a Proportion, or None.

    Returns
    -------
    Clause
        With it.
    """
    inner = dict(said.slots)
    form = "within" if inner.get("form") == "costs" else "alone"
    if prevalence is None:
        return Clause("prevalence.unsaid", said=said, form=form)
    whose = "data" if isinstance(prevalence, Proportion) else "stated"
    return Clause(f"prevalence.{whose}", said=said, form=form, prevalence=clause_number(prevalence))


def assured(said: Clause, confidence: float | None) -> Clause:
    """Add the confidence, if one is stated.

    Parameters
    ----------
    said : Clause
        What is said so far.
    confidence : float or None
        With which the population is to keep the limits.

    Returns
    -------
    Clause
        With it.
    """
    return said if confidence is None else Clause("assured", said=said, confidence=confidence)
