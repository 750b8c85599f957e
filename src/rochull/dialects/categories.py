"""Values of a column that tells cases apart, written in SQL to be equal where they are in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rochull._core.extras import Later
from rochull.dialects.base import EXACT_IN_SINGLE, Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

EXACT = 2**53  # integers beyond are not told apart by databases that compare them as doubles


def refuse_mixed(what: str, categories: Sequence[Any], remedy: str) -> None:
    """Raise where no column of a database holds the categories, or none that compares as Python does."""
    texts = [c for c in categories if isinstance(c, str)]
    if texts and len(texts) < len(categories):
        raise ValueError(f"{what} holds texts and numbers, which no column of a database does; {remedy}.")
    if any(isinstance(c, int) and abs(c) > EXACT for c in categories):
        raise ValueError(f"{what} holds integers beyond 2**53; {remedy}.")


def are_numbers(categories: Sequence[Any]) -> bool:
    """Whether a column of numbers holds them: some are numbers, and none is a text."""
    return not any(isinstance(c, str) for c in categories) and not are_truths(categories)


def are_truths(categories: Sequence[Any]) -> bool:
    """Whether all are truth values."""
    return bool(categories) and all(isinstance(c, bool) for c in categories)


def side(dialect: Dialect, column: exp.Expression, every: Sequence[Any]) -> exp.Expression:
    """The column, as the side of a comparison with :func:`values`."""
    if any(isinstance(c, str) for c in every):
        return dialect.comparable(column)
    return dialect.unfolded(column) if are_numbers(every) else column.copy()


def values(dialect: Dialect, some: Sequence[Any], every: Sequence[Any]) -> list[exp.Expression]:
    """Return the categories that a column of the type of all of them can hold, as literals."""
    if any(isinstance(c, str) for c in every):
        return [dialect.comparable_text(c, f"the category {c!r}") for c in some if isinstance(c, str)]
    if are_truths(every):
        return [exp.Boolean(this=c) for c in some]
    return [
        dialect.unfolded(
            exp.Literal.number(int(c))
            if isinstance(c, int) and abs(c) <= EXACT_IN_SINGLE
            else dialect.double(float(c))
        )
        for c in some
    ]
