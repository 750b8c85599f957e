"""Outputs, labels and operating points on which a multi-class policy and its SQL must agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import rochull as rh
from rochull.multiclass.points import MulticlassPoint
from sql_cases import HOSTILE, SALT

LABELS: dict[str, tuple[Any, ...]] = {
    "text": ("van", "bus", "opel"),
    "hostile": tuple(HOSTILE),
    "whole": (3, -(2**63), 2**63 - 1),
    "truth": (False, True),
    "number": (0.1, 2.5, -1e300),
    "empty": ("", " ", "a"),
}
# Of three classes; the products of some overflow and underflow.
WEIGHTS = [
    [1.0, 1.0, 1.0],
    [0.3, 1.7, 0.9],
    [0.0, 1.0, 3.0],
    [1e-300, 3e-310, 5e-324],
    [1e300, 1.0, 1e308],
    [0.1, math.nextafter(0.1, 1), math.nextafter(1.0, 2)],
]
EDGES = [0.0, 5e-324, 1e-310, 2.0**-1022, 1e-15, 0.1, 0.5, 1.0, 3.0, 1e15, 1e300, math.nextafter(math.inf, 0)]


def outputs(n: int, seed: int = 0, classes: int = 3) -> np.ndarray:
    """Outputs (n, C) with ties and values at the ends of doubles."""
    rng = np.random.default_rng(seed)
    found = rng.choice([0.0, 0.1, 0.2, 0.3], (n, classes))
    smooth = rng.random(n) < 0.5
    found[smooth] = rng.dirichlet(np.ones(classes), int(smooth.sum()))
    edges = rng.random((n, classes)) < 0.2
    found[edges] = rng.choice(EDGES, int(edges.sum()))
    return found


def policy(labels: tuple[Any, ...] = LABELS["text"], salt: str = SALT) -> rh.multiclass.MulticlassPolicy:
    """A policy of some operating points, its confusion matrices counted on outputs with every label."""
    size = len(labels)
    y = [labels[i % size] for i in range(20 * size)]
    weights = np.random.default_rng(1).random((5, size))
    roc = rh.MulticlassRoc(y, outputs(len(y), 1, size), classes=labels)
    return rh.multiclass.MulticlassPolicy.from_points(
        roc.points_at(weights), salt=salt, about={"from": "a test"}
    )


def mixture(made: rh.multiclass.MulticlassPolicy, shares: list[float]) -> MulticlassPoint:
    """The first points of a policy, mixed."""
    rules = tuple((made.points.weights[i], share) for i, share in enumerate(shares))
    confusion = sum(share * made.points.confusion[i] for i, share in enumerate(shares))
    return MulticlassPoint(rules, np.asarray(confusion), made.classes)


def by_hand(labels: tuple[Any, ...], weights: Any, row: Any) -> Any:
    """The rule in plain Python: the first class with the largest product; None for an unusable output."""
    if any(y is None or not 0 <= y < math.inf for y in row):  # NaN fails
        return None
    products = [float(w) * float(y) for w, y in zip(weights, row, strict=True)]
    return labels[products.index(max(products))]
