"""What a fitted classifier says about examples, for the positive class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rochull._core.validation import Array

_KNOWN = ("predict_proba", "predict_llr", "decision_function")


def response(estimator: Any, X: Any, pos_label: object, methods: tuple[str, ...], method: str) -> Array:
    """The output (n,) of the first of `methods` that the estimator has, or of the one that is asked for."""
    from sklearn.utils.validation import check_is_fitted

    if method != "auto" and method not in methods:
        raise ValueError(f"response_method must be 'auto' or one of {methods}, but is {method!r}.")
    check_is_fitted(estimator)  # first: what is not fitted may hide its methods
    wanted = methods if method == "auto" else (method,)
    kind = type(estimator).__name__
    found = next((name for name in wanted if hasattr(estimator, name)), None)
    if found is None:
        has = ", ".join(name for name in _KNOWN if hasattr(estimator, name)) or "none of its kind"
        raise ValueError(f"estimator must have {' or '.join(wanted)}, but {kind} has {has}.")
    is_second = _is_second(np.asarray(estimator.classes_).tolist(), pos_label, kind)
    output = np.asarray(getattr(estimator, found)(X))
    if found == "predict_proba":
        return np.asarray(output[:, int(is_second)])
    return output if is_second else -output


def _is_second(classes: list[Any], pos_label: object, kind: str) -> bool:
    """Whether the positive class is the estimator's second one, as scikit-learn expects it to be."""
    if len(classes) != 2:
        raise ValueError(f"estimator must be a binary classifier, but {kind} has {len(classes)} classes.")
    positive = 1 if pos_label is None else pos_label
    if positive not in classes:
        wanted = "give pos_label" if pos_label is None else f"pos_label={pos_label!r} is not one of them"
        raise ValueError(f"estimator has the classes {classes[0]!r} and {classes[1]!r}; {wanted}.")
    return bool(classes[1] == positive)
