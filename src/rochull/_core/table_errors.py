"""Errors about absent names, nulls and types: one sentence, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rochull._core.messages import Advice, Message, Name, Refusal, named, refused
from rochull._core.missing_words import DECIMAL_COMMA

_MOST_LISTED = 10
_LONGEST = 200  # characters of a value


def a_type(value: object) -> str:
    """The type of a value, as it is read after "is"."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def brief_repr(value: object) -> str:
    """A value for a message; the two ends if it is a very long one."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 50]} ... {text[-40:]}"


def names_listed(names: Iterable[object], nothing: str = "none") -> str:
    """Names for reading, the first ten of them."""
    every = list(map(brief_repr, names))
    shown = ", ".join(every[:_MOST_LISTED]) or nothing
    return shown + (f" and {len(every) - _MOST_LISTED:,} more" if len(every) > _MOST_LISTED else "")


def nearest(name: object, known: Iterable[object]) -> str:
    """A question after the name that was meant, if one is near, to stand at the end of a sentence."""
    from difflib import get_close_matches

    by_text = {str(one).casefold(): one for one in known}
    near = get_close_matches(str(name).strip().casefold(), list(by_text), 1)
    return "".join(f" Did you mean {brief_repr(by_text[text])}?" for text in near)


def unknown(
    what: str | Message, name: object, known: Iterable[object], has: str = ", which has", *more: Advice
) -> Refusal:
    """Make the error about an unknown name."""
    every = list(known)
    template = "{}{} {}.{}" + " {}" * len(more)
    return Refusal(template, what, has, names_listed(every), nearest(name, every), *more)


class NoColumnError(Refusal):
    """A table lacks a column; `name` is that of the column, and `found` is the message without a guess."""

    def __init__(self, found: Message, name: object, guess: str) -> None:
        super().__init__("{}{}", found, guess)
        self.found, self.name, self.guess = found, name, guess

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.found, self.name, self.guess)


def no_column(what: Name, name: object, present: Iterable[object], why: str = "") -> NoColumnError:
    """Make the error about a table that lacks a column; `why` may say what needs it."""
    every = list(present)
    shown = names_listed(every, "no named columns")
    found = Message("{} has no column {}{}; it has {}.", named(what), repr(name), why, shown)
    return NoColumnError(found, name, nearest(name, every))


def refuse_alike(what: Name, names: Iterable[str], present: Sequence[str]) -> None:
    """Raise if a column has the name of another one, in whatever capitals: DuckDB would take either."""
    by_fold: dict[str, list[str]] = {}
    for one in present:
        by_fold.setdefault(one.lower(), []).append(one)
    for name in names:
        alike = by_fold.get(name.lower(), [])
        if len(alike) > 1:
            rename = "; rename one of them."
            if len(set(alike)) < len(alike):
                twice = next(one for one in alike if alike.count(one) > 1)
                raise Refusal("{} has more than one column {}{}", named(what), repr(twice), rename)
            said = " and ".join(map(repr, alike))
            raise Refusal(
                "{} has the columns {}, which differ in capitals alone{}", named(what), said, rename
            )


def is_made_up(name: str, present: Iterable[str]) -> bool:
    """Whether DuckDB may have given a column this name, as another one has its own."""
    base, _, number = name.rpartition("_")
    return number.isdecimal() and base.lower() in {one.lower() for one in present}


def not_a_number(what: Name, index: int, value: Any) -> Refusal:
    """Make the error about a value among numbers that is not a number."""
    if isinstance(value, (list, tuple)) or bool(getattr(value, "ndim", 0)):
        held = a_type(value) if isinstance(value, (list, tuple)) else "an array"
        text = "holds {} of {} numbers at index {}: give the column of the positive class."
        return refused(what, text, held, len(value), index)
    comma = isinstance(value, str) and DECIMAL_COMMA.fullmatch(value)
    why = ", a decimal comma: write numbers with a point" if comma else f" ({type(value).__name__})"
    return refused(what, "must be numeric, but index {} holds {}{}.", index, brief_repr(value), why)


def beyond_64_bits(what: Name) -> Refusal:
    """Make the error about integers that no type of NumPy holds."""
    return refused(what, "has integers beyond 64 bits.")


LEAVE_OUT = Advice("leave_out", "leave those rows out first")


class NullsError(Refusal):
    """Columns have nulls where there may be none; `columns` are their names."""

    columns: tuple[str, ...] = ()


def have_nulls(counts: Mapping[str, int], rows: int) -> NullsError:
    """Make the error about columns with nulls, so many each, where none are allowed."""
    said = " and ".join(f"column {name!r} has {n:,} null{'s' * (n > 1)}" for name, n in counts.items())
    error = NullsError("{} in {} rows; {}.", said, f"{rows:,}", LEAVE_OUT)
    error.columns = tuple(counts)
    return error


def has_nulls(name: str, count: int, rows: int) -> NullsError:
    """The same of one column."""
    return have_nulls({name: count}, rows)
