"""Baselines of an operating point of several classes: the unweighted outputs, and one class always.

A list, one entry for each rule; its keys are

``kind``, ``class``
    "largest": the class with the largest output; "balanced": with the largest output divided by the share of
    the class in the examples; "always": ``class``, an index, which is null for the others. Of points without
    their examples, the first two are there only if one of the points has such weights.
``confusion``, ``rates``, ``errors``, ``error_rate``
    As of a point; the last three are null unless the examples are weighted.
``value``, ``excess``
    Of the report's objective, and over each of its limits in units of its scale; null where that is not
    defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.roc import MulticlassRoc

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.multiclass.measure import Limit

Facts = dict[str, Any]
_CLOSE = 1e-12  # relative: weights that are the same but for rounding


def baseline_facts(
    source: MulticlassRoc | MulticlassPoints,
    points: MulticlassPoints,
    minimised: Any,
    limits: Sequence[Limit],
    excess: Callable[[Limit, MulticlassPoints], Array],
) -> list[Facts]:
    """Every rule that the points are compared with, and how it does."""
    totals = points.confusion[0].sum(axis=1)
    kinds: list[tuple[str, int | None]] = []
    matrices = []
    for kind, weights in (("largest", np.ones(totals.size)), ("balanced", totals.sum() / totals)):
        matrix = _decided(source, weights)
        if matrix is not None:
            kinds.append((kind, None))
            matrices.append(matrix)
    for c in range(totals.size):
        kinds.append(("always", c))
        matrices.append(totals[:, None] * (np.arange(totals.size) == c))
    rules = MulticlassPoints(np.ones((len(kinds), totals.size)), np.array(matrices), points.classes)
    weighted, values = rules.confusion.dtype.kind == "f", rules.values(minimised)
    over = np.array([excess(limit, rules) for limit in limits]).reshape(len(limits), len(rules))
    return [
        {
            "kind": kind,
            "class": c,
            "confusion": rules.confusion[n].tolist(),
            "rates": rules.rates[n].tolist() if weighted else None,
            "errors": rules.errors[n].tolist() if weighted else None,
            "error_rate": float(rules.values("error")[n]) if weighted else None,
            "value": _number(values[n]),
            "excess": [_number(each) for each in over[:, n]],
        }
        for n, (kind, c) in enumerate(kinds)
    ]


def _decided(source: MulticlassRoc | MulticlassPoints, weights: Array) -> Array | None:
    """The confusion matrix of a weight vector; None where neither examples nor a point tell it."""
    if isinstance(source, MulticlassRoc):
        return np.asarray(source.confusion(weights)[0])
    scaled = source.weights / source.weights.max(axis=1, keepdims=True)
    alike = np.isclose(scaled, weights / weights.max(), rtol=_CLOSE, atol=0).all(axis=1)
    return np.asarray(source.confusion[alike.argmax()]) if alike.any() else None


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None
