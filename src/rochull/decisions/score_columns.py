"""What a policy is given at run time: score columns from whatever holds them, and rules on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.keys import Lots
from rochull._core.table_errors import listed, no_column, unknown
from rochull._core.tables import named_columns, numbers_of
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.conditions.rules import OperatingPoint, Rule, Scores, decisions_of


def key_column(key: Any, table: Any, what: str = "scores") -> Any:
    """The keys, if need be those of the column that is named."""
    if not isinstance(key, str):
        return key
    named = None if callable(table) else named_columns(table, what)
    if named is None:
        raise ValueError(f"key={key!r} names a column, but {what} has no named columns; give the keys.")
    if key not in named:
        raise no_column(what, key, named, ", which the key names")
    return named[key]


def renamed(table: Any, columns: Mapping[Any, str] | None, known: Sequence[Any]) -> Any:
    """The columns of a table, those under other names called as the policy calls them."""
    if not columns:
        return table
    named = named_columns(table, "scores")
    if named is None:
        raise ValueError("columns: scores has no named columns.")
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


def warn_of_rounding(some: Array) -> None:
    """Warn if some scores (n,) have been rounded past a threshold."""
    if some.any():
        warn(ROUNDED.format(count=np.count_nonzero(some), rows=some.size))


class ScoreColumns:
    """The score columns of some classifiers, from whatever holds them; no other is read.

    Attributes
    ----------
    columns : dict of str to Scores (n,).
    size : n
    """

    def __init__(self, scores: Any, classifiers: Sequence[str], alone: bool = True) -> None:
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
                raise ValueError(f"scores has columns of different lengths: {sorted(sizes)}.")
            self.size = sizes.pop() if sizes else 0
            return
        if len(names) > 1:
            raise ValueError(
                f"scores must have a column for each of {listed(names)}; a single array is not enough."
            )
        own = getattr(scores, "name", None)
        if not alone and names and isinstance(own, str) and own and own != names[0]:
            raise ValueError(
                f"scores is the column {own!r}, but the operating point needs {names[0]!r}; give a frame."
            )
        column = Scores(*numbers_of(scores, "scores"))
        self.size = column.values.size
        self.columns = dict.fromkeys(names, column)

    def _take(self, named: Mapping[Any, Any], names: list[str]) -> None:
        for name in names:
            if name not in named:
                raise no_column("scores", name, named, ", which the operating point needs")
            self.columns[name] = Scores(*numbers_of(named[name], f"scores[{name!r}]"))

    def outcome(self, rule: Rule) -> Array:
        """Actions of one rule (n,)."""
        return rule.outcome(self.size, self.columns.__getitem__)

    def passes(self, rule: Rule) -> Array:
        """Whether one rule calls each case positive (n,)."""
        return rule.passes(self.size, self.columns.__getitem__)

    def decided(self, point: OperatingPoint, lots: Lots) -> Array:
        """What the rules of a point decide (n,), for the user; a warning of scores that have been rounded."""
        rules, shares = zip(*point.rules, strict=True)
        warn_of_rounding(self.rounded_away(rules))
        return decisions_of(lots.mixed([self.outcome(rule) for rule in rules], shares), point.can_review)

    def rounded_away(self, rules: Iterable[Rule]) -> Array:
        """Where a score has been rounded past a threshold of some rules (n,)."""
        some = np.zeros(self.size, bool)
        for rule in rules:
            rounded = rule.rounded_in(lambda name: self.columns[name].values.dtype)
            if rounded != rule:
                some |= self.outcome(rule) != self.outcome(rounded)
        return some

    def say_missing(self) -> None:
        """Warn of missing scores."""
        for name, count in self.missing_counts():
            warn(f"scores[{name!r}] has {count} missing values, which pass no threshold.")

    def missing_counts(self) -> Iterator[tuple[str | None, int]]:
        """Names of the columns with missing values, and how many these are."""
        for name, column in self.columns.items():
            count = 0 if column.nulls is None else int(np.count_nonzero(column.nulls))
            if validation.has_nan(column.values):
                count += int(np.isnan(column.values).sum())
            if count:
                yield name, count
