"""Error redistribution in a rotation: every case is judged by a model that was not fitted to it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rochull._core import validation as _validation
from rochull._core.rotation import stratified
from rochull._core.validation import Array, Labelled
from rochull.decisions.axes import Column
from rochull.hull.polarity import already_said

if TYPE_CHECKING:
    from rochull.segments.redistribution import ErrorRedistribution


@dataclass(frozen=True, eq=False)
class Fold:
    """A model, the examples that it was fitted to, and the rows (m,) that were left out."""

    model: ErrorRedistribution
    train: Labelled
    test: Array

    def rows(self, data: Labelled) -> Labelled:
        """The examples that were left out."""
        return data.part(self.test)

    def transform(self, data: Labelled, columns: Mapping[Column, Array]) -> Array:
        """The model's ratios for their scores (m,)."""
        aux = {name: column[self.test] for name, column in columns.items()}
        with warnings.catch_warnings():  # a rare value may be missing from a fold
            warnings.filterwarnings("ignore", "aux: .* never seen in training", UserWarning)
            return self.model.transform(data.given[self.test], aux=aux)


def is_fitted(redistribution: ErrorRedistribution) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(redistribution)
    except NotFittedError:
        return False
    return True


def fitted(
    redistribution: ErrorRedistribution, data: Labelled, columns: Mapping[Column, Array]
) -> ErrorRedistribution:
    """A clone that is fitted to validated examples, whose labels are 0 and 1; they say what is positive."""
    from sklearn.base import clone

    fresh = clone(redistribution).set_params(pos_label=None, lower_is_positive=data.lower_is_positive)
    with already_said():
        model: ErrorRedistribution = fresh.fit(
            data.given, data.positive, aux=dict(columns), sample_weight=data.weights
        )
    return model


def rotation(
    redistribution: ErrorRedistribution,
    data: Labelled,
    columns: Mapping[Column, Array],
    *,
    cv: int = 5,
    random_state: int | None = 0,
) -> Iterator[Fold]:
    """Fit a clone to all folds but one, for each; as many of each class in all."""
    for train, test in stratified(data.positive, _validation.whole(cv, "cv", 2), random_state):
        part = data.part(train)
        model = fitted(redistribution, part, {name: column[train] for name, column in columns.items()})
        yield Fold(model, part, test)


def held_out_scores(
    redistribution: ErrorRedistribution,
    data: Labelled,
    columns: Mapping[Column, Array],
    *,
    cv: int = 5,
    random_state: int | None = 0,
) -> Array:
    """Ratios (n,) by the model that was not fitted to the case."""
    found = np.empty(data.scores.size)
    for fold in rotation(redistribution, data, columns, cv=cv, random_state=random_state):
        found[fold.test] = fold.transform(data, columns)
    return found


def without_zeros(
    data: Labelled, columns: Mapping[Column, Array]
) -> tuple[Labelled, dict[Column, Array], Array]:
    """Examples and columns without weights of zero, and which rows these are (n,)."""
    kept = np.ones(data.scores.size, bool) if data.weights is None else data.weights > 0
    if kept.all():
        return data, dict(columns), kept
    return data.part(kept), {name: column[kept] for name, column in columns.items()}, kept
