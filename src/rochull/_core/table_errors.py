"""Errors about absent names, nulls and types: one sentence, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_MOST_LISTED = 10


def a_type(value: object) -> str:
    """The type of a value, as it is read after "is"."""
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def listed(names: Iterable[object], nothing: str = "none") -> str:
    """Names for reading, the first ten of them."""
    every = list(map(repr, names))
    shown = ", ".join(every[:_MOST_LISTED]) or nothing
    return shown + (f" and {len(every) - _MOST_LISTED:,} more" if len(every) > _MOST_LISTED else "")


def nearest(name: object, known: Iterable[object]) -> str:
    """A question after the name that was meant, if one is near, to stand at the end of a sentence."""
    from difflib import get_close_matches

    by_text = {str(one).casefold(): one for one in known}
    near = get_close_matches(str(name).strip().casefold(), list(by_text), 1)
    return "".join(f" Did you mean {by_text[text]!r}?" for text in near)


def unknown(what: str, name: object, known: Iterable[object], has: str = ", which has") -> ValueError:
    """Make the error about an unknown name."""
    every = list(known)
    return ValueError(f"{what}{has} {listed(every)}.{nearest(name, every)}")


class NoColumnError(ValueError):
    """A table lacks a column; `name` is that of the column, and `found` is the message without a guess."""

    def __init__(self, found: str, name: object, guess: str) -> None:
        super().__init__(found + guess)
        self.found, self.name = found, name


def no_column(what: str, name: object, present: Iterable[object], why: str = "") -> NoColumnError:
    """Make the error about a table that lacks a column; `why` may say what needs it."""
    every = list(present)
    shown = listed(every, "no named columns")
    return NoColumnError(f"{what} has no column {name!r}{why}; it has {shown}.", name, nearest(name, every))


def beyond_64_bits(what: str) -> ValueError:
    """Make the error about integers that no type of NumPy holds."""
    return ValueError(f"{what} has integers beyond 64 bits.")


class NullsError(ValueError):
    """Columns have nulls where there may be none; `columns` are their names."""

    def __init__(self, text: str, columns: tuple[str, ...]) -> None:
        super().__init__(text)
        self.columns = columns


def have_nulls(counts: Mapping[str, int], rows: int) -> NullsError:
    """Make the error about columns with nulls, so many each, where none are allowed."""
    said = " and ".join(f"column {name!r} has {n:,} null{'s' * (n > 1)}" for name, n in counts.items())
    return NullsError(f"{said} in {rows:,} rows; leave those rows out first.", tuple(counts))


def has_nulls(name: str, count: int, rows: int) -> NullsError:
    """The same of one column."""
    return have_nulls({name: count}, rows)
