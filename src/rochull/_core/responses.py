"""The one place that asks a fitted classifier what it makes of examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation

if TYPE_CHECKING:
    from rochull._core.validation import Array

SCORES = ("decision_function", "predict_proba")  # in the order in which "auto" looks for them
_OF_SECOND = ("decision_function", "predict_llr")  # they rise with the second of two classes
_KNOWN = ("predict_proba", "predict_llr", "decision_function")


def classes_of(fitted: Any) -> list[Any]:
    """The classes of a fitted estimator; none if it does not tell, as a detector of outliers does not."""
    return list(np.asarray(getattr(fitted, "classes_", []), object).tolist())


def own_classes(fitted: Any, classes: Array) -> Array:
    """The fitted classifier's own classes, which must be those of the labels."""
    own = np.asarray(getattr(fitted, "classes_", classes))
    if not np.array_equal(np.sort(own), np.sort(classes)):
        raise ValueError(f"estimator: its classes are {own.tolist()}, but those of y are {classes.tolist()}.")
    return own


def method_of(fitted: Any, methods: Sequence[str]) -> str:
    """The first of some methods that an estimator has."""
    name = next((name for name in methods if hasattr(fitted, name)), None)
    if name is None:
        raise ValueError(f"estimator: {type(fitted).__name__} has no {' or '.join(methods)}.")
    return name


def positive_output(fitted: Any, X: Any, method: str, classes: Sequence[Any], positive: Any) -> Array:
    """The output (n,) of a method for the positive class: higher means more positive.

    `classes` are in the order of the estimator's columns; where it tells none, its scores are taken as they
    are. Predicted labels become 1 where the positive class is predicted, else 0.
    """
    output = np.asarray(getattr(fitted, method)(X))
    if method == "predict" and classes:
        strange = output[~np.isin(output, classes)]
        if strange.size:
            raise ValueError(
                f"predict of {type(fitted).__name__} gives {strange.tolist()[0]!r}, but the classes are "
                f"{', '.join(map(repr, classes))}."
            )
        return np.asarray(output == positive).astype(np.int8)
    at = list(classes).index(positive) if classes else 1
    if output.ndim == 2 and output.shape[1] > 1:
        return np.asarray(output[:, at])
    if at == 1 or method not in _OF_SECOND:
        return output
    return np.asarray(-(output if output.dtype.kind == "f" else output.astype(float)))


def class_outputs(fitted: Any, X: Any, method: str, classes: Sequence[Any]) -> Array:
    """Outputs (n, C) of a method, in the order of these classes; the estimator may have another one."""
    outputs = np.asarray(getattr(fitted, method)(X))
    known = classes_of(fitted) or list(classes)
    if outputs.ndim != 2 or outputs.shape[1] != len(known):
        raise ValueError(
            f"estimator: {method} of {type(fitted).__name__} must give an output for each of {len(known)} "
            f"classes, but gives shape {outputs.shape}."
        )
    for label in classes:
        if label not in known:
            raise ValueError(f"estimator: its classes are {known}, without {label!r}.")
    return outputs[:, [known.index(label) for label in classes]]


def response(estimator: Any, X: Any, pos_label: object, methods: tuple[str, ...], method: str) -> Array:
    """Responses (n,) of a binary classifier that somebody else has fitted, by one of the methods."""
    from sklearn.utils.validation import check_is_fitted

    if method != "auto" and method not in methods:
        raise ValueError(f"response_method must be 'auto' or one of {methods}, but is {method!r}.")
    check_is_fitted(estimator)  # first: what is not fitted may hide its methods
    wanted = methods if method == "auto" else (method,)
    kind = type(estimator).__name__
    if not any(hasattr(estimator, name) for name in wanted):
        has = ", ".join(name for name in _KNOWN if hasattr(estimator, name)) or "none of its kind"
        raise ValueError(f"estimator must have {' or '.join(wanted)}, but {kind} has {has}.")
    classes = classes_of(estimator)
    if len(classes) != 2:
        raise ValueError(f"estimator must be a binary classifier, but {kind} has {len(classes)} classes.")
    positive = 1 if pos_label is None else pos_label
    if positive not in classes:
        wrong = "give pos_label" if pos_label is None else f"pos_label={pos_label!r} is not one of them"
        raise ValueError(f"estimator has the classes {classes[0]!r} and {classes[1]!r}; {wrong}.")
    return positive_output(estimator, X, method_of(estimator, wanted), classes, positive)


def positive_scores(fitted: Any, X: Any, methods: Sequence[str], classes: Array, positive: int) -> Array:
    """Validated scores (n,) by the first of the methods that a classifier of these classes has."""
    name = method_of(fitted, methods)
    own = own_classes(fitted, classes)
    scores = positive_output(fitted, X, name, own.tolist(), classes.tolist()[positive])
    return scores if name == "predict" else validation.scores_1d(scores, f"{name} of {type(fitted).__name__}")
