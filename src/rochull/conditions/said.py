"""A question in clauses: what is best, what is limited, at which prevalence, how sure."""

from __future__ import annotations

from typing import Any

from rochull.conditions.clauses import assured, at, clause_number, within
from rochull.conditions.objectives import RateLimit
from rochull.conditions.ranges import exact
from rochull.words.clauses import Clause


def clause_of(question: Any) -> Clause:
    """State a question, to be put in words by a vocabulary."""
    said, prevalence = within(question.goal.best_clause, question.limit_clauses), question.own_prevalence
    if prevalence is not None or (question.lacks_prevalence and not question.is_batch_alone):
        said = at(said, prevalence)
    return assured(said, question.confidence)


def limit_clauses_of(question: Any) -> tuple[Clause, ...]:
    """State the limits; a limit at another prevalence than the rest says so."""
    cases = None if question.batch is None else question.batch.cases
    kept = tuple(_said(limit, question.own_prevalence) for limit in question.limits)
    if cases is None:
        return kept
    of = _population(cases, question.limits)
    if of is not None:
        return (Clause("limit.cases of", cases=clause_number(cases), population=of),)
    return (*kept, Clause("limit.cases", cases=clause_number(cases)))


def _population(cases: Any, limits: tuple[RateLimit, ...]) -> float | None:
    """Out of how many cases these are, if a whole number of them is all that the limits say."""
    shares: list[Any] = [each.limit for each in limits if each.measure.key == "alarm rate"]
    if len(limits) != len(shares) or len(shares) != 1 or isinstance(cases, tuple):
        return None
    [share] = shares
    of = None if isinstance(share, tuple) or not share else exact(cases) / exact(share)
    return None if of is None or of.denominator != 1 else float(of)


def _said(limit: RateLimit, prevalence: Any) -> Clause:
    own = limit.own_prevalence
    if own is None or own == prevalence:
        return limit.clause
    return Clause("limit.at", limit=limit.clause, prevalence=clause_number(own))
