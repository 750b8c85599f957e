"""What is said of tables that lack a column or have nulls: one sentence, wherever they come from."""

from __future__ import annotations

from collections.abc import Iterable

_MOST_LISTED = 20


def no_column(what: str, name: object, present: Iterable[object], why: str = "") -> ValueError:
    """What is said of a table that lacks a column; `why` may say what needs it."""
    listed = list(map(repr, present))
    shown = ", ".join(listed[:_MOST_LISTED]) or "no named columns"
    if len(listed) > _MOST_LISTED:
        from difflib import get_close_matches

        near = get_close_matches(repr(name), listed, 1)
        shown += f" and {len(listed) - _MOST_LISTED} more" + "".join(f", such as {one}" for one in near)
    return ValueError(f"{what} has no column {name!r}{why}; it has {shown}.")


def has_nulls(name: str, count: int, rows: int) -> ValueError:
    """What is said of a column with nulls where there may be none."""
    return ValueError(
        f"column {name!r} has {count:,} null{'s' * (count > 1)} in {rows:,} rows; leave those rows out first."
    )
