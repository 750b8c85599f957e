"""What a policy is given at run time: score columns from whatever holds them, and keys of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation
from rochull._validation import Array
from rochull.rules import OperatingPoint


class Columns:
    """The score columns that an operating point needs, from whatever holds them; no other is read.

    Attributes
    ----------
    columns : dict of str to (n,) numbers, which may hold NaN.
    nulls : dict of str to bool (n,), where a number is missing otherwise.
    size : n
    """

    def __init__(self, scores: Any, point: OperatingPoint) -> None:
        self.columns: dict[str | None, Array] = {}
        self.nulls: dict[str | None, Array] = {}
        names = list(point.classifiers)
        if isinstance(scores, Mapping):
            self._take(scores, list(scores), names)
            sizes = {column.size for column in self.columns.values()}
            if not names and scores:  # a constant rule: any column tells how many rows there are
                sizes = {len(next(iter(scores.values())))}
            if len(sizes) > 1:
                raise ValueError(f"scores has columns of different lengths: {sorted(sizes)}.")
            self.size = sizes.pop() if sizes else 0
            return
        frame = _as_frame(scores)
        if frame is not None:
            self.size = len(frame)
            self._take(frame, frame.columns, names)
            return
        if len(names) > 1:
            raise ValueError(
                f"scores must have a column for each of {', '.join(map(repr, names))}; "
                "a single array is not enough."
            )
        array, nulls = _numbers(scores, "scores")
        self.size = array.size
        self.columns = dict.fromkeys(names, array)
        if nulls is not None:
            self.nulls = dict.fromkeys(names, nulls)

    def _take(self, source: Any, present: list[Any], names: list[str]) -> None:
        for name in names:
            if name not in present:
                raise ValueError(
                    f"scores has no column {name!r}, which the operating point needs; "
                    f"it has {', '.join(map(repr, present))}."
                )
            self.columns[name], nulls = _numbers(source[name], f"scores[{name!r}]")
            if nulls is not None:
                self.nulls[name] = nulls

    def missing_counts(self) -> Iterator[tuple[str | None, int]]:
        """Names of the columns with missing values, and how many these are."""
        for name, array in self.columns.items():
            count = int(np.count_nonzero(self.nulls.get(name, ())))
            if array.dtype.kind == "f" and array.size and np.isnan(array.min()):
                count += int(np.isnan(array).sum())
            if count:
                yield name, count


def _as_frame(scores: Any) -> Any:
    """The data frame as narwhals sees it, or None for an array."""
    if isinstance(scores, (list, tuple, np.ndarray)):
        return None
    import narwhals as nw

    frame = nw.from_native(scores, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _numbers(column: Any, name: str) -> tuple[Array, Array | None]:
    """A column as numbers (n,), and where it has nulls; 0 stands for a null, so that integers stay exact."""
    nulls = None
    if not isinstance(column, (list, tuple, np.ndarray)):
        import narwhals as nw

        series = nw.from_native(column, series_only=True, pass_through=True)
        if isinstance(series, nw.Series):
            if series.dtype.is_numeric() and series.null_count():
                nulls = series.is_null().to_numpy()
                series = series.fill_null(0)
            column = series.to_numpy()
    if isinstance(column, (list, tuple)) and column and not any(map(_validation.is_missing, column)):
        return _validation.scores_1d(column, name, nan_checked=False), None  # reads big integers exactly
    array = np.asarray(column)
    if array.dtype == object and array.ndim == 1:
        gone = np.fromiter(map(_validation.is_missing, array), bool, array.size)
        if gone.any():
            nulls, array = gone, np.where(gone, 0, array)
    if array.size == 0:
        return np.empty(0), None
    return _validation.scores_1d(array, name, nan_checked=False), nulls


def keys_1d(key: ArrayLike, size: int) -> Array:
    """Keys (n,), which are integers or strings."""
    keys = np.asarray(key)
    if keys.ndim != 1 or keys.size != size:
        raise ValueError(f"key must have shape ({size},) like the scores, but has shape {keys.shape}.")
    if keys.size and keys.dtype.kind not in "iuUOT":
        raise ValueError(f"key must hold integers or strings, but has type {keys.dtype}.")
    if keys.dtype == object:
        wrong = {t for t in set(map(type, keys)) if not issubclass(t, (str, int, np.integer)) or t is bool}
        for index, value in enumerate(keys if wrong else ()):
            if type(value) in wrong:
                raise ValueError(
                    f"key must hold integers or strings, but index {index} holds {value!r} "
                    f"({type(value).__name__})."
                )
    return keys
