"""Words that stand for a missing value in CSV files, such as NA: those that whoever reads the files names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from rochull._core.messages import Advice, Parameter, Refusal, refused

# What other programs write; text all the same, unless it is named: NA is Namibia too.
_USUAL = (
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "NULL",
    "null",
    "None",
    "none",
    ".",
    "-",
    "--",
    "?",
    "\\N",
    "nil",
    "missing",
)
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
_WORDS: ContextVar[tuple[str, ...]] = ContextVar("_WORDS", default=())


def missing_words() -> tuple[str, ...]:
    """The words that stand for a missing value now."""
    return _WORDS.get()


@contextmanager
def taken_as_missing(words: str | Sequence[str] | None) -> Iterator[None]:
    """Within it a value of a CSV file that is one of these words is missing, as one is that is empty."""
    given: tuple[Any, ...] = (words,) if isinstance(words, str) else tuple(words or ())
    wrong = next((word for word in given if not isinstance(word, str)), None)
    if wrong is not None:
        raise refused("missing", "must be a word or a list of words, but holds {}.", repr(wrong))
    token = _WORDS.set(given)
    try:
        yield
    finally:
        _WORDS.reset(token)


def refuse_words(shown: str) -> None:
    """Raise if words are named where there are none to read."""
    if missing_words():
        raise Refusal(
            "{} is for CSV files; {} is none, and says itself what is missing.", Parameter("missing"), shown
        )


def no_number(column: str, rows: tuple[int, int], found: Sequence[tuple[str, int]], distinct: int) -> Refusal:
    """Make the error about a column of numbers with words.

    `rows` are those with a word and all; `found` are words, each with how often it occurs, of so many.
    """
    said = ", ".join(f"{word!r} ({times:,})" for word, times in found)
    more = f" and {distinct - len(found):,} more" if distinct > len(found) else ""
    usual = any(word.strip() in _USUAL for word, _ in found)
    advice = [Advice("missing", "rh.scan takes such words for missing values by missing=.")] if usual else []
    more += "; write numbers with a decimal point" * any(DECIMAL_COMMA.fullmatch(word) for word, _ in found)
    template = "column {} must be numeric, but {} of {} rows hold {}{}." + " {}" * len(advice)
    return Refusal(template, repr(column), f"{rows[0]:,}", f"{rows[1]:,}", said, more, *advice)
