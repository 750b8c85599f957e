"""The plainest code that decides, counts and sweeps outputs of several classes, for the tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
EDGES = [0.0, 5e-324, 3e-310, 2.0**-1022, 1e-200, 0.1, 0.25, 0.5, 1.0, 3.0, 1e150, 1e300, 1.7e308]


def matrix(y: Array, outputs: Array, weights: Any, mass: Array | None = None) -> Array:
    """The confusion matrix of one weight vector; y holds columns."""
    n_classes = outputs.shape[1]
    with np.errstate(over="ignore"):
        called = np.argmax(outputs * np.asarray(weights, float), axis=1)
    out = np.zeros((n_classes, n_classes), np.int64)
    np.add.at(out, (y, called), 1 if mass is None else mass)
    return out


def sweep(y: Array, outputs: Array, weights: Any, j: int) -> list[Array]:
    """The distinct matrices of class j's weight as it grows, by trying quotients and their neighbours."""
    products = outputs * np.asarray(weights, float)
    rival = np.delete(products, j, axis=1).max(axis=1)
    tried = [0.0]
    for y_j, best in zip(outputs[:, j].tolist(), rival.tolist(), strict=True):
        if y_j > 0:
            at = best / y_j
            low, high = at, at
            for _ in range(4):
                low, high = math.nextafter(low, 0), math.nextafter(high, math.inf)
                tried += [low, high]
            tried.append(at)
    found: list[Array] = []
    for weight in sorted(w for w in tried if w < math.inf):
        vector = np.array(weights, float)
        vector[j] = weight
        now = matrix(y, outputs, vector)
        if not found or (now != found[-1]).any():
            found.append(now)
    return found


def cases(seed: int, n: int, n_classes: int, kind: str) -> tuple[Array, Array]:
    """Columns of the true classes, and outputs that favour them: smooth, tied or extreme."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    outputs = rng.dirichlet(np.ones(n_classes), n)
    outputs[np.arange(n), y] += rng.random(n) * 0.5
    if kind == "tied":
        outputs = np.round(outputs * 5) / 5
    if kind == "extreme":
        edges = rng.random(outputs.shape) < 0.5
        outputs[edges] = rng.choice(EDGES, int(edges.sum()))
    return y, outputs
