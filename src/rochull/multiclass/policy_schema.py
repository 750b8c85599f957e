"""Fields of a multi-class policy's document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rochull._core.schemas import Schema, items, label, number, record, text, texts, truth, whole
from rochull.multiclass.points import MulticlassPoints

_SLACK = 1e-9  # sums of weights may differ in their last bits
_COUNT, _WEIGHT = whole(least=0, below=2**62), number(least=0)


def _cell(value: Any) -> Any:
    """Read a count, or a weight."""
    return _COUNT(value) if isinstance(value, int) else _WEIGHT(value)


def _check(found: dict[str, Any]) -> None:
    size, weighted, points = len(found["classes"]), found["weighted"], found["points"]
    if len(set(found["classes"])) < size:
        raise ValueError("a class occurs twice")
    for i, point in enumerate(points):
        weights, confusion = point["weights"], point["confusion"]
        if len(weights) != size or not any(weights):
            raise ValueError(f"operating point {i} has not {size} weights, some of them above 0")
        if len(confusion) != size or any(len(row) != size for row in confusion):
            raise ValueError(f"the confusion matrix of operating point {i} is not {size} by {size}")
        if {type(cell) for row in confusion for cell in row} != {float if weighted else int}:
            wanted = "numbers with a decimal point" if weighted else "integers"
            raise ValueError(f"the confusion matrix of operating point {i} does not hold {wanted} alone")
        for row, first in zip(confusion, points[0]["confusion"], strict=True):  # of the same examples
            total = sum(first)
            if not 0 < total < math.inf or abs(sum(row) - total) > (_SLACK * total if weighted else 0):
                raise ValueError(
                    f"the rows of operating point {i}'s confusion matrix sum to 0, or not to the first one's"
                )


_POINT = record({"weights": items(_WEIGHT), "confusion": items(items(_cell))})
MULTICLASS_POLICY = Schema(
    "rochull-multiclass-policy",
    "multi-class policy",
    {
        "about": texts,
        "salt": text,
        "classes": items(label, 2),
        "weighted": truth,
        "points": items(_POINT, 1),
    },
    _check,
)


def multiclass_contents(points: MulticlassPoints) -> dict[str, Any]:
    """Write the operating points."""
    columns = points.weights.tolist(), points.confusion.tolist()
    return {
        "classes": list(points.classes),
        "weighted": points.confusion.dtype.kind == "f",
        "points": [
            {"weights": weights, "confusion": confusion} for weights, confusion in zip(*columns, strict=True)
        ],
    }


def points_of(found: Mapping[str, Any]) -> MulticlassPoints:
    """The operating points of a checked document."""
    weights, confusion = ([point[name] for point in found["points"]] for name in ("weights", "confusion"))
    kind = float if found["weighted"] else np.int64
    return MulticlassPoints(np.array(weights, float), np.array(confusion, kind), found["classes"])
