"""A table of features of which some columns are auxiliary, by name or by position."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from rochull._core.tables import frame_of
from rochull._core.validation import Array
from rochull.decisions.axes import Column, aux_columns


class AuxTable:
    """The X of a classifier: an array, a sparse matrix or a data frame.

    Attributes
    ----------
    X : as given; lists of rows as an array of objects.
    names : of the columns of a data frame, or None.
    width : number of columns; None if X has no columns, such as a list of texts.
    """

    def __init__(self, X: Any) -> None:
        self.given = self.X = X
        frame = None if issparse(X) else frame_of(X, "X")
        self.names = None if frame is None else list(frame.columns)
        if not hasattr(X, "shape"):
            self.X = np.array(X, dtype=object)
        self.width = int(self.X.shape[1]) if len(self.X.shape) == 2 else None

    @property
    def sparse(self) -> bool:
        """Whether X is a sparse matrix."""
        return bool(issparse(self.X))

    def positions(self, columns: Iterable[Any], parameter: str) -> list[int]:
        """Where the named columns are; each once."""
        columns = list(columns)
        if columns and self.width is None:
            raise ValueError(
                f"{parameter}: X must have shape (n, k) to have auxiliary columns, but has shape "
                f"{self.X.shape}. Reshape your data."
            )
        if columns and self.width == 0:  # in scikit-learn's words
            raise ValueError(f"X has 0 feature(s) (shape={self.X.shape}) while a minimum of 1 is required.")
        found = [self._position(column, parameter) for column in columns]
        if len(set(found)) < len(found):
            raise ValueError(f"{parameter} names a column twice: {columns!r}.")
        return found

    def _position(self, column: Any, parameter: str) -> int:
        width = self.width or 0
        if isinstance(column, str):
            if self.names is None or column not in self.names:
                held = "no names" if self.names is None else ", ".join(map(repr, self.names))
                raise ValueError(f"{parameter} names the column {column!r}, but X has {held}.")
            return self.names.index(column)
        if isinstance(column, (int, np.integer)) and not isinstance(column, bool):
            if not -width <= column < width:
                raise ValueError(f"{parameter} names the column {column}, but X has {width} columns.")
            return int(column) % width
        raise ValueError(f"{parameter} must hold names or positions of columns, but holds {column!r}.")

    def label(self, position: int) -> Column:
        """The name of a column, or its position."""
        name = self.names[position] if self.names is not None else position
        return name if isinstance(name, str) else position

    def columns(self, positions: Iterable[int]) -> dict[Column, Array]:
        """Some columns (n,) under their labels."""
        return aux_columns({self.label(j): self._values(j) for j in positions})

    def usable(self) -> dict[Column, Array]:
        """All columns that hold numbers or categories; none of a matrix that is sparse or not a table."""
        found: dict[Column, Array] = {}
        for j in range(0 if self.sparse else self.width or 0):
            try:
                found |= self.columns([j])
            except ValueError:
                continue
        return found

    def _values(self, position: int) -> Any:
        if self.sparse:
            return self.X.tocsc()[:, [position]].toarray()[:, 0]
        return _safe_indexing(self.X, position, axis=1)

    def without(self, positions: Iterable[int]) -> Any:
        """X without some columns."""
        hidden = set(positions)
        if not hidden:
            return self.given
        kept = [j for j in range(self.width or 0) if j not in hidden]
        if not kept:
            raise ValueError("aux_only leaves the estimator no column of X.")
        if self.sparse:
            return self.X.tocsc()[:, kept]
        return _safe_indexing(
            self.X if hasattr(self.given, "shape") else np.asarray(self.given), kept, axis=1
        )
