"""What the tests of meta-estimators share: data that overlap, and what each of them refuses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Array = np.ndarray[Any, Any]


def blobs(n: int = 120, seed: int = 0, shift: float = 1.0) -> tuple[Array, Array]:
    """Three normal features and labels that overlap."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 0], n // 3)
    return rng.normal(size=(y.size, 3)) + shift * y[:, None], y


def assert_refuses_bad_weights(fit: Callable[..., Any]) -> None:
    X, y = blobs()
    with pytest.raises(ValueError, match="sample_weight: class 1 has zero total weight"):
        fit(X, y, sample_weight=(y == 0).astype(float))
    with pytest.raises(ValueError, match="y and sample_weight must have the same length"):
        fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="sample_weight has 120 negative values"):
        fit(X, y, sample_weight=-np.ones(120))
    weights = np.ones(120)
    weights[y == 1] = 0
    weights[1] = 1  # the only positive that counts is in the first fold
    with pytest.raises(ValueError, match="cv: the training part of fold 0 holds no sample_weight for"):
        fit(X, y, sample_weight=weights)
