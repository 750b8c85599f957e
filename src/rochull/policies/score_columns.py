"""What a policy is given at run time: score columns from whatever holds them, and rules on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns, numbers_of
from rochull._core.validation import Array
from rochull.conditions.rules import Rule, threshold_in


class Columns:
    """The score columns of some classifiers, from whatever holds them; no other is read.

    Attributes
    ----------
    columns : dict of str to (n,) numbers, which may hold NaN.
    nulls : dict of str to bool (n,), where a number is missing otherwise.
    size : n
    """

    def __init__(self, scores: Any, classifiers: Sequence[str], alone: bool = True) -> None:
        """Unless `alone`, there are other classifiers, so a single column's own name has to fit."""
        self.columns: dict[str | None, Array] = {}
        self.nulls: dict[str | None, Array] = {}
        names = list(classifiers)
        named = named_columns(scores, "scores")
        if named is not None:
            self._take(named, names)
            sizes = {column.size for column in self.columns.values()}
            if not names and named:  # a constant rule: any column tells how many rows there are
                sizes = {len(next(iter(named.values())))}
            if len(sizes) > 1:
                raise ValueError(f"scores has columns of different lengths: {sorted(sizes)}.")
            self.size = sizes.pop() if sizes else 0
            return
        if len(names) > 1:
            raise ValueError(
                f"scores must have a column for each of {', '.join(map(repr, names))}; "
                "a single array is not enough."
            )
        own = getattr(scores, "name", None)
        if not alone and names and isinstance(own, str) and own and own != names[0]:
            raise ValueError(
                f"scores is the column {own!r}, but the operating point needs {names[0]!r}; give a frame."
            )
        array, nulls = numbers_of(scores, "scores")
        self.size = array.size
        self.columns = dict.fromkeys(names, array)
        if nulls is not None:
            self.nulls = dict.fromkeys(names, nulls)

    def _take(self, named: Mapping[Any, Any], names: list[str]) -> None:
        for name in names:
            if name not in named:
                raise no_column("scores", name, named, ", which the operating point needs")
            self.columns[name], nulls = numbers_of(named[name], f"scores[{name!r}]")
            if nulls is not None:
                self.nulls[name] = nulls

    def passing(self, rule: Rule) -> Array:
        """Decisions of one rule (n,); a missing score passes no threshold."""
        if rule.kind != "threshold":
            return np.full(self.size, rule.kind == "always")
        scores = self.columns[rule.classifier]
        passed = np.asarray(scores >= threshold_in(scores.dtype, rule.threshold))
        nulls = self.nulls.get(rule.classifier)
        return passed if nulls is None else passed & ~nulls

    def missing_counts(self) -> Iterator[tuple[str | None, int]]:
        """Names of the columns with missing values, and how many these are."""
        for name, array in self.columns.items():
            count = int(np.count_nonzero(self.nulls.get(name, ())))
            if array.dtype.kind == "f" and array.size and np.isnan(array.min()):
                count += int(np.isnan(array).sum())
            if count:
                yield name, count
