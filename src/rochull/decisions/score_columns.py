"""A policy's input at run time: score columns from whatever holds them, and rules on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from rochull._core import validation
from rochull._core.messages import Item, Message, Parameter, Refusal, Setting, refused
from rochull._core.rows import refuse_other_order
from rochull._core.table_errors import names_listed, no_column, unknown
from rochull._core.tables import named_columns, numbers_of
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import Rule, Scores

_FEW = 8  # numbers that are looked at one by one, which takes less than a call of NumPy


def key_column(key: Any, table: Any, what: str = "scores", aux: Any = None) -> Any:
    """The keys, if need be those of the column that is named; all that is given must be in one order."""
    refuse_other_order({what: table, "key": key, "aux": aux})
    if not isinstance(key, str):
        return key
    named = None if callable(table) else named_columns(table, what)
    if named is None:
        raise Refusal(
            "{} names a column, but {} has no named columns; give the keys.", Setting("key", key), what
        )
    if key not in named:
        raise no_column(what, key, named, ", which the key names")
    return named[key]


def renamed(table: Any, columns: Mapping[Any, str] | None, known: Sequence[Any]) -> Any:
    """The columns of a table, those under other names called as the policy calls them."""
    if not columns:
        return table
    named = named_columns(table, "scores")
    if named is None:
        raise Refusal("{}: scores has no named columns.", Parameter("columns"))
    own = of_policy(columns, known)
    for column in own.values():
        if column not in named:
            raise no_column("scores", column, named, ", which columns names")
    return {**named, **{name: named[column] for name, column in own.items()}}


def of_policy(
    columns: Mapping[Any, Any], known: Sequence[Any], what: str = "a classifier of the policy"
) -> dict[Any, Any]:
    """The columns of names that a policy knows.

    Others are passed over where every known one has its column: a hybrid has classifiers that are off its
    hull. Else they may be misspelt, and are refused.
    """
    other = next((name for name in columns if name not in known), None)
    if other is not None and any(name not in columns for name in known):
        raise unknown(f"columns: {other!r} is not {what}", other, list(known))
    return {name: column for name, column in columns.items() if name in known}


ROUNDED = (
    "scores: {count} of {rows} cases have a threshold of the policy as their score, rounded to float32 or to "
    "the digits in which float32 is written, and so miss it; decide by scores of the type that made the "
    "policy."
)


class ScoreColumns:
    """The score columns of some classifiers, from whatever holds them; no other is read.

    Attributes
    ----------
    columns : dict of str to Scores (n,).
    size : n
    cases : what plans ask of these cases; None where rules alone decide.
    count : (n,) how many cases each row stands for; None where each is one.
    """

    cases: Any = None
    count: Array | None = None

    def __init__(self, scores: Any, classifiers: Sequence[Any], alone: bool = True) -> None:
        """Unless `alone`, there are other classifiers, so a single column's own name has to fit."""
        self.columns: dict[str | None, Scores] = {}
        names = list(classifiers)
        named = named_columns(scores, "scores")
        if named is not None:
            self._take(named, names)
            sizes = {column.values.size for column in self.columns.values()}
            if not names and named:  # a constant rule: any column tells how many rows there are
                sizes = {len(next(iter(named.values())))}
            if len(sizes) > 1:
                raise refused("scores", "has columns of different lengths: {}.", sorted(sizes))
            self.size = sizes.pop() if sizes else 0
            return
        if len(names) > 1:
            raise refused(
                "scores",
                "must have a column for each of {}; a single array is not enough.",
                names_listed(names),
            )
        own = getattr(scores, "name", None)
        if not alone and names and isinstance(own, str) and own and own != names[0]:
            raise refused(
                "scores",
                "is the column {}, but the operating point needs {}; give a frame.",
                repr(own),
                repr(names[0]),
            )
        column = Scores(*numbers_of(scores, "scores"))
        self.size = column.values.size
        self.columns = dict.fromkeys(names, column)

    def _take(self, named: Mapping[Any, Any], names: list[str]) -> None:
        for name in names:
            if name not in named:
                raise no_column("scores", name, named, ", which the operating point needs")
            self.columns[name] = Scores(*numbers_of(named[name], f"scores[{name!r}]"))

    def fetch(self, rows: Mapping[Any, Array | None]) -> dict[Any, Scores]:
        """For each classifier the scores of some rows (m,), or of all."""
        every = self.columns
        return {name: every[name] if own is None else every[name].at(own) for name, own in rows.items()}

    def passes(self, rule: Rule) -> Array:
        """Whether one rule calls each case positive (n,)."""
        return rule.passes(self.size, self.columns.__getitem__)

    def counted(self, count: Any) -> Self:
        """The same, whose rows stand for so many cases each (n,), if that is given."""
        if count is not None:
            held = validation.scores_1d(count, "count")
            same_size(held.size, self.size, "count", "scores")
            if held.dtype.kind not in "iu" or (held < 1).any():
                raise refused("count", "must hold whole numbers of at least 1: how many cases a row is.")
            self.count = held
        return self

    def counts(self, rows: Array) -> Array | None:
        """How many cases each of some rows stands for (m,); None where each is one."""
        return None if self.count is None else self.count[rows]

    def many(self, rows: Array | None = None) -> int:
        """How many cases there are in some rows, given by a truth value for each (n,), or in all."""
        if self.count is None:
            return self.size if rows is None else int(np.count_nonzero(rows))
        return int(self.count.sum() if rows is None else self.count[rows].sum())

    def say_missing(self) -> None:
        """Warn of missing scores."""
        for name, column in self.columns.items():
            if count := missing_in(column):
                warn(
                    Message("{} has {} missing values, which pass no threshold.", Item("scores", name), count)
                )


def missing_in(scores: Scores) -> int:
    """How many of some scores are missing."""
    count = 0 if scores.nulls is None else int(np.count_nonzero(scores.nulls))
    if scores.values.size <= _FEW and scores.values.dtype.kind == "f":
        return count + sum(map(math.isnan, scores.values.tolist()))
    return count + int(np.isnan(scores.values).sum()) if validation.has_nan(scores.values) else count


def fetched(scores: Any, rows: Mapping[Any, Array], size: int, other: str) -> dict[Any, Scores]:
    """For each classifier the scores of those rows (m,) that need them, and of no others.

    `scores` may be a function, or hold some: it is given the rows that need it, if there are any. `other` is
    what has as many rows, `size`.
    """
    if callable(scores):
        every = np.unique(np.concatenate([np.arange(0), *rows.values()]))
        if not every.size:
            return {}
        columns = ScoreColumns(scores(every), list(rows))
        same_size(columns.size, every.size, "scores(rows)", "rows")
        return {name: columns.columns[name].at(np.searchsorted(every, own)) for name, own in rows.items()}
    if isinstance(scores, Mapping) and any(map(callable, scores.values())):
        needed = {name: _asked(scores, name, own, size, other) for name, own in rows.items()}
        return {name: found for name, found in needed.items() if found is not None}
    columns = ScoreColumns(scores, list(rows))
    same_size(columns.size, size, "scores", other)
    return {name: columns.columns[name].at(own) for name, own in rows.items()}


def _asked(scores: Mapping[Any, Any], name: Any, rows: Array, size: int, other: str) -> Scores | None:
    """One entry of a mapping that holds columns and functions; None if no row needs a function's scores."""
    given = scores.get(name)
    if not callable(given):
        columns = ScoreColumns(scores, [name])
        same_size(columns.size, size, f"scores[{name!r}]", other)
        return columns.columns[name].at(rows)
    if not rows.size:
        return None
    columns = ScoreColumns({name: given(rows)}, [name])
    same_size(columns.size, rows.size, f"scores[{name!r}](rows)", "rows")
    return columns.columns[name]


def same_size(found: int, expected: int, name: str, other: str) -> None:
    """Raise unless there are as many rows as elsewhere."""
    if found != expected:
        raise refused(name, "has {} rows, but {} has {}.", found, other, expected)
