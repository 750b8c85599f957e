"""What the tests of cascades share: three scores that are better and better, and cascades of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import rochull as rh
from rochull._core.validation import Array

COST = rh.ExpectedCost(1, 2, 0.3)
NAMES = ["cheap", "dear", "human"]


def scored(seed: int = 0, n: int = 2000, stages: int = 2) -> tuple[dict[str, Array], Array]:
    """Scores, of the first classifier rounded so that there are ties; and labels."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    columns = {name: rng.normal((k + 1) * y) for k, name in enumerate(NAMES[:stages])}
    return {**columns, "cheap": columns["cheap"].round(1)}, y


def fitted(X: Any, y: Any, **options: Any) -> rh.Cascade:
    """Of all columns, at small prices."""
    names = X.keys() if isinstance(X, dict) else getattr(X, "column_names", X.columns)
    prices = {name: 0.05 * k for k, name in enumerate(names)}
    return rh.Cascade(prices, **{"n_strata": 8, "shrinkage": 30.0, **options}).fit(X, y)


def policy(seed: int = 0, stages: int = 2, **options: Any) -> rh.cascades.CascadePolicy:
    """Of drawn scores."""
    return fitted(*scored(seed, stages=stages), **options).policy(salt="s", about={"from": "a test"})
