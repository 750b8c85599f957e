"""Examples that the displays share, and no figure that outlives its test."""

from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from display_cases import N

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def features() -> Array:
    return np.random.default_rng(0).normal(size=(N, 2)).round(1)


@pytest.fixture(scope="module")
def labels(features: Array) -> Array:
    return (features[:, 0] + np.random.default_rng(1).normal(size=N) > 0.3).astype(int)
