"""Out-of-fold scores: every part of a rotation is scored by a model that was trained on the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation as _validation
from rochull._core.responses import SCORES, class_outputs, classes_of, method_of, positive_output
from rochull._core.rotation import Rotation, groups_for, held_out_rows, splits_of
from rochull._core.rows import refuse_other_order, same_rows
from rochull._core.validation import Array
from rochull._core.warned import warn


@dataclass(frozen=True, eq=False)
class Stacked:
    """Out-of-fold scores of all folds, one fold after the other.

    Attributes
    ----------
    y : (n,) labels, as given.
    scores : (n,) each from a model that was not trained on it; (n, C) outputs of several classes.
    folds : (n,) the fold, from 0.
    rows : (n,) the row of the data; in repeated cross-validation a row occurs several times.
    sample_weight : (n,) or None.
    overlap : size of a test part by that of its training part, the mean of all splits.
    """

    y: Array
    scores: Array
    folds: Array
    rows: Array
    sample_weight: Array | None
    overlap: float

    def __repr__(self) -> str:
        again = ", rows tested more than once" if self.is_repeated else ""
        what = "scores" if self.scores.ndim == 1 else f"outputs of {self.scores.shape[1]} classes"
        return f"Stacked({self.rows.size} {what}, {int(self.folds[-1]) + 1} folds{again})"

    @property
    def is_repeated(self) -> bool:
        """Whether some row was tested more than once."""
        return bool(np.unique(self.rows).size < self.rows.size)


def positive_score(fitted: Any, X: Any, *, response: str, positive: Any) -> Array:
    """Scores (n,) of a fitted classifier or detector: higher means more positive."""
    name = method_of(fitted, SCORES if response == "auto" else (response,))
    classes = classes_of(fitted)
    if classes and positive not in classes:
        raise ValueError(
            f"estimator: its classes are {classes}, without the positive one, which is {positive!r}."
        )
    scores = positive_output(fitted, X, name, classes, positive)
    return _validation.scores_1d(scores, f"{name} of {type(fitted).__name__}")


def score_of_each(fitted: Any, X: Any, *, response: str, classes: Sequence[Any]) -> Array:
    """Outputs (n, C) of a fitted classifier, in the order of the classes."""
    return class_outputs(
        fitted, X, method_of(fitted, ("predict_proba",) if response == "auto" else (response,)), classes
    )


def stack(
    estimator: Any,
    ask: Callable[[Any, Any], Array],
    X: Any,
    y: ArrayLike,
    *,
    cv: Any,
    groups: ArrayLike | None,
    n_jobs: int | None,
    sample_weight: ArrayLike | None,
) -> Stacked:
    """Train the estimator in a rotation, and stack what `ask` gets from it of the test parts."""
    from sklearn.utils import indexable

    labels = np.asarray(y).ravel()
    X, labels, groups = indexable(X, labels, groups)
    weights = None
    if sample_weight is not None:
        weights = _validation.weights_1d(sample_weight)
    same_rows(y=y, sample_weight=sample_weight)
    refuse_other_order({"X": X, "y": y, "groups": groups, "sample_weight": sample_weight})
    splits = splits_of(cv, X, labels, groups_for(cv, groups), least=2)
    params = {} if weights is None or not _takes_weights(estimator) else {"sample_weight": weights}
    rotation = Rotation(X, labels, ask, n_jobs)
    (found,) = rotation.held_out([estimator], [params], splits)
    rows = held_out_rows(splits)
    return Stacked(
        labels[rows],
        np.concatenate([scores for _, scores in found]),
        np.repeat(np.arange(len(splits)), [test.size for _, test in splits]),
        rows,
        None if weights is None else weights[rows],
        float(np.mean([test.size / train.size for train, test in splits])),
    )


def _takes_weights(estimator: Any) -> bool:
    from sklearn.utils.validation import has_fit_parameter

    if has_fit_parameter(estimator, "sample_weight"):
        return True
    warn(f"{type(estimator).__name__}.fit takes no sample_weight: only the averaging uses the weights.")
    return False
