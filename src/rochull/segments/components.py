"""Supervised principal components: many auxiliary features, of which some were chosen, as a few columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import Described
from rochull._core.messages import Message, Parameter, changed, in_place_of, refused
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull._core.warned import warn
from rochull.decisions.axes import Column, aux_columns
from rochull.segments.models.continuous import Features


@dataclass(frozen=True, eq=False)
class SupervisedComponents(Described):
    """Principal components of chosen features; made by :meth:`AuxiliaryRanking.reduce`.

    Attributes
    ----------
    names : tuple of str or int
        The features. A category has an indicator of its own, and so have missing values, which
        become the median.
    mean, scale : ndarray of shape (d,)
        Of the columns that the features make.
    components : ndarray of shape (k, d)
        Directions; the largest entry of each is positive.
    explained : ndarray of shape (k,)
        Share of the variance of all standardised columns.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y, size = rng.integers(0, 2, 4000), rng.uniform(1, 5, 4000)
    >>> score = rng.normal(size * y)
    >>> X = {"width": size + rng.normal(size=4000), "height": size + rng.normal(size=4000)}
    >>> reduced = rh.rank_auxiliary_features(y, score, X).reduce(X, n_components=1)
    >>> reduced.components.round(2).tolist(), reduced.explained.round(1).tolist()
    ([[0.71, 0.71]], [0.8])
    >>> bent = rh.ErrorRedistribution("gaussian").fit(score, y, aux=reduced.transform(X))
    """

    names: tuple[Column, ...]
    mean: Array
    scale: Array
    components: Array
    explained: Array
    _features: Features

    @classmethod
    def of(
        cls, X: Any, names: tuple[Column, ...], n_components: int, sample_weight: ArrayLike | None = None
    ) -> SupervisedComponents:
        """Learn the components of named columns.

        Parameters
        ----------
        X : data frame, mapping of columns, or array-like of shape (n, m)
            The training data.
        names : tuple of str or int
            The columns.
        n_components : int
            How many.

        Returns
        -------
        SupervisedComponents
            Learnt.
        """
        number = validation.whole(n_components, "n_components", 1)
        columns = _picked(X, names)
        features = Features.of(columns)
        matrix, _ = _matrix(features, columns)
        weight = np.ones(len(matrix)) if sample_weight is None else validation.weights_1d(sample_weight)
        same_rows(X=X, sample_weight=sample_weight)
        if matrix.shape[1] < number:
            raise refused(
                "n_components", "is {}, but the features make {} columns only.", number, matrix.shape[1]
            )
        mean = np.average(matrix, axis=0, weights=weight)
        spread = np.sqrt(np.average((matrix - mean) ** 2, axis=0, weights=weight))
        scale = np.where(spread > 0, spread, 1.0)
        standard = (matrix - mean) / scale
        values, vectors = np.linalg.eigh((standard.T * (weight / weight.sum())) @ standard)
        found = vectors[:, ::-1][:, :number].T
        largest = np.take_along_axis(found, np.abs(found).argmax(axis=1, keepdims=True), axis=1)
        found = np.where(largest < 0, -found, found)
        total = float(values.sum()) or 1.0
        return cls(names, mean, scale, found, values[::-1][:number] / total, features)

    def transform(self, X: Any) -> dict[str, Array]:
        """Compute the components of cases.

        Parameters
        ----------
        X : data frame, mapping of columns, or array-like of shape (n, m)
            With the columns of training.

        Returns
        -------
        dict of str to ndarray of shape (n,)
            "component 1" and so on: auxiliary columns. Categories never seen in training count as
            none of the known ones; a warning counts them.
        """
        matrix, unseen = _matrix(self._features, _picked(X, self.names))
        if unseen.any():
            warn(
                Message(
                    "{}: {} of {} cases have values never seen in training.",
                    Parameter("X"),
                    int(unseen.sum()),
                    unseen.size,
                )
            )
        found = ((matrix - self.mean) / self.scale) @ self.components.T
        return {f"component {k + 1}": found[:, k] for k in range(found.shape[1])}


# --- columns -----------------------------------------------------------------------------------------


@contextmanager
def called_x() -> Iterator[None]:
    """Errors of auxiliary columns, which are called X here."""
    with changed(in_place_of({"aux": "X"})):
        yield


def _picked(X: Any, names: tuple[Column, ...]) -> dict[Column, Array]:
    with called_x():
        columns = aux_columns(X, only=names)
    return {name: columns[name] for name in names}  # the order of training


def _matrix(features: Features, columns: Mapping[Column, Array]) -> tuple[Array, Array]:
    with called_x():
        return features(columns)
