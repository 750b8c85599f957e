"""What a policy is given at run time: score columns from whatever holds them, and rules on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.validation import Array
from rochull.conditions.rules import Rule, Scores


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
        if isinstance(scores, Mapping):
            self._take(scores, list(scores), names)
            sizes = {column.values.size for column in self.columns.values()}
            if not names and scores:  # a constant rule: any column tells how many rows there are
                sizes = {len(next(iter(scores.values())))}
            if len(sizes) > 1:
                raise ValueError(f"scores has columns of different lengths: {sorted(sizes)}.")
            self.size = sizes.pop() if sizes else 0
            return
        frame = as_frame(scores)
        if frame is not None:
            self.size = len(frame)
            self._take(frame, frame.columns, names)
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
        column = numbers_of(scores, "scores")
        self.size = column.values.size
        self.columns = dict.fromkeys(names, column)

    def _take(self, source: Any, present: list[Any], names: list[str]) -> None:
        for name in names:
            if name not in present:
                raise ValueError(
                    f"scores has no column {name!r}, which the operating point needs; "
                    f"it has {', '.join(map(repr, present))}."
                )
            self.columns[name] = numbers_of(source[name], f"scores[{name!r}]")

    def outcome(self, rule: Rule) -> Array:
        """Actions of one rule (n,)."""
        return rule.outcome(self.size, self.columns.__getitem__)

    def passes(self, rule: Rule) -> Array:
        """Whether one rule calls each case positive (n,)."""
        return rule.passes(self.size, self.columns.__getitem__)

    def missing_counts(self) -> Iterator[tuple[str | None, int]]:
        """Names of the columns with missing values, and how many these are."""
        for name, column in self.columns.items():
            count = 0 if column.nulls is None else int(np.count_nonzero(column.nulls))
            if validation.has_nan(column.values):
                count += int(np.isnan(column.values).sum())
            if count:
                yield name, count


def as_frame(scores: Any) -> Any:
    """The data frame as narwhals sees it, or None for an array."""
    if isinstance(scores, (list, tuple, np.ndarray)):
        return None
    import narwhals as nw

    frame = nw.from_native(scores, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("scores is a lazy frame, which holds no numbers yet; collect it first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def numbers_of(column: Any, name: str) -> Scores:
    """A column as numbers (n,), and where it has nulls; 0 stands for a null, so that integers stay exact."""
    nulls = None
    if not isinstance(column, (list, tuple, np.ndarray)):
        import narwhals as nw

        series = nw.from_native(column, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            if series.dtype.is_numeric() and series.null_count():
                nulls = series.is_null().to_numpy()
                series = series.fill_null(0)
            column = _objects(series.to_list()) if series.dtype == nw.Decimal else series.to_numpy()
    if isinstance(column, (list, tuple)) and any(isinstance(value, Decimal) for value in column):
        column = _objects(column)
    if isinstance(column, (list, tuple)) and column and not any(map(validation.is_missing, column)):
        return Scores(validation.scores_1d(column, name, nan_checked=False))  # reads big integers exactly
    array = np.asarray(column)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"{name} has {array.shape[1]} columns without names; give a frame or a mapping, whose columns "
            "have the names of the classifiers."
        )
    if array.dtype == object and array.ndim == 1:
        gone = np.fromiter(map(validation.is_missing, array), bool, array.size)
        if gone.any():
            nulls, array = gone, np.where(gone, 0, array)
        array = _without_decimals(array)
    if array.size == 0:
        return Scores(np.empty(0))
    return Scores(validation.scores_1d(array, name, nan_checked=False), nulls)


def _objects(values: Sequence[Any]) -> Array:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _without_decimals(array: Array) -> Array:
    """Objects (n,) with integers of 64 bits in place of decimals if all are whole, else the nearest doubles.

    So does a database that compares a decimal with a double: the double 0.1 is above one tenth, and the
    decimal 0.1 passes it.
    """
    found = {i: value for i, value in enumerate(array) if isinstance(value, Decimal)}
    if not found:
        return array
    array, values = array.copy(), list(found.values())
    whole = all(value.is_finite() and value == value.to_integral_value() for value in values)
    fits = whole and (max(values) < 2**64 if min(values) >= 0 else all(-(2**63) <= v < 2**63 for v in values))
    array[list(found)] = [int(value) if fits else float(value) for value in values]
    return array
