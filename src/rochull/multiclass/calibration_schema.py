"""Schema of a multi-class calibrator's document: binary calibrators, and how they are put together."""

from __future__ import annotations

from typing import Any

from rochull._core.schemas import Schema, items, label, number, one_of, optional, texts
from rochull.calibration.kinds import calibrator_of

_SLACK = 1e-9  # of the sum of the priors


def _check(found: dict[str, Any]) -> None:
    size, method, priors = len(found["classes"]), found["method"], found["priors"]
    if len(set(found["classes"])) < size:
        raise ValueError("a class occurs twice")
    if len(priors) != size or abs(sum(priors) - 1) > _SLACK:
        raise ValueError(f"priors are not {size} numbers that sum to 1")
    if (found["coupling"] is None) != (method == "ovr"):
        raise ValueError("coupling belongs to pairs, and to nothing else")
    wanted = size if method == "ovr" and size > 2 else size * (size - 1) // 2
    if len(found["calibrators"]) != wanted:
        raise ValueError(f"calibrators are {len(found['calibrators'])} instead of {wanted}")


MULTICLASS_CALIBRATOR = Schema(
    "rochull-multiclass-calibrator",
    "multi-class calibrator",
    {
        "about": texts,
        "method": one_of("pairwise", "ovr"),
        "coupling": optional(one_of("least_squares", "mean_llr")),
        "contrast": one_of("log_ratio", "share"),
        "classes": items(label, 2),
        "priors": items(number(above=0, below=1)),
        "calibrators": items(calibrator_of),
    },
    _check,
)
