"""Operating points of several classes for the tests of their reports, hostile labels among them."""

from typing import Any

import numpy as np

import rochull as rh

Array = np.ndarray[Any, Any]


HOSTILE = [
    '</script><img src=x onerror="alert(1)">',
    "<b>{{ 7 * 7 }}</b> $x$ &amp;",
    "\u2028\x1b[31m[red]",
    "y" * 90,
]
CLASSES = ("lesion", "normal", "scar")


def outputs_of(codes: Array, n_classes: int, seed: int = 0) -> Array:
    """Outputs that know something about the classes."""
    rng = np.random.default_rng(seed)
    return rng.gamma(1.0, size=(len(codes), n_classes)) + 1.2 * np.eye(n_classes)[codes]


def made_points(
    n_classes: int, k: int, labels: Any = None, weighted: bool = False
) -> rh.multiclass.MulticlassPoints:
    codes = np.random.default_rng(1).integers(0, n_classes, 300)
    weight = np.random.default_rng(2).uniform(0.2, 2, 300) if weighted else None
    roc = rh.MulticlassRoc(
        np.array(labels or CLASSES)[codes], outputs_of(codes, n_classes), weight, classes=labels
    )
    weights = np.random.default_rng(3).dirichlet(np.ones(n_classes), k)
    return roc.points_at(weights)
