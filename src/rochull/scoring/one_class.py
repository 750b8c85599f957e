"""Examples with probabilities, which may be of one class only."""

from __future__ import annotations

from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.validation import Labelled


def judged(
    y_true: ArrayLike, probability: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> Labelled:
    """Validated examples with probabilities, which may be of one class."""
    try:
        return validation.forecasts(y_true, probability, sample_weight, pos_label)
    except ValueError:
        if len(validation.codes_1d(y_true, "y_true")[1]) != 1:
            raise
    values = validation.rates_1d(probability, "probability", copy=False)
    return validation.chunk(y_true, values, sample_weight, pos_label)


def is_one_class(data: Labelled) -> bool:
    """Whether all examples are of one class."""
    return bool(data.positive.all() or not data.positive.any())
