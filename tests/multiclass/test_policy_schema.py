"""Every document that is not exactly a multi-class policy is refused with one line that says why."""

from functools import partial
from typing import Any

import pytest

import rochull as rh
from document_cases import dumped
from document_cases import multiclass as document
from document_cases import refusal as refusal_of

refusal = partial(refusal_of, rh.multiclass.MulticlassPolicy)


def edited(**changes: Any) -> str:
    return dumped({**document(), **changes})


def with_point(i: int, **changes: Any) -> str:
    found = document()
    found["points"][i].update(changes)
    return dumped(found)


MATRIX = document()["points"][0]["confusion"]
WRONG = {
    "a class occurs twice": edited(classes=["a", "a", 2]),
    "at classes.1: it must be a text, a truth value or a number": edited(classes=["a", None, 2]),
    "at classes.1: it must be a text, a truth value or a number of 64 bits": edited(classes=["a", 2**64, 2]),
    "operating point 1 has not 3 weights": with_point(1, weights=[1.0, 2.0]),
    "operating point 0 has not 3 weights, some of them above 0": with_point(0, weights=[0.0, 0.0, 0.0]),
    "points.1.weights.0": with_point(1, weights=[-1.0, 2.0, 1.0]),
    "the confusion matrix of operating point 1 is not 3 by 3": with_point(1, confusion=MATRIX[:2]),
    "operating point 1's confusion matrix sum to 0, or not": with_point(1, confusion=[[1, 0, 0]] * 3),
    "operating point 0's confusion matrix sum to 0, or not": with_point(0, confusion=[[0, 0, 0]] * 3),
    "confusion matrix of operating point 1 does not hold integers": with_point(
        1, confusion=[[float(cell) for cell in row] for row in MATRIX]
    ),
    "confusion matrix of operating point 0 does not hold numbers with a decimal": edited(weighted=True),
    "at points.1.confusion.0.0: it must be a whole number, at least 0": with_point(
        1, confusion=[[-1, 0, 0], *MATRIX[1:]]
    ),
    "at points.1.confusion.0.0: it must be a whole number, at least 0 and below 4611686018427387904": with_point(
        1, confusion=[[2**62, 0, 0], *MATRIX[1:]]
    ),
    "has version 2; this rochull reads version 1": edited(version=2),
    "not a multi-class policy document": edited(format="another"),
    "not a multi-class policy document (format": "[]",
    "at least 1 item": edited(points=[]),
    "Invalid JSON": "{",
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_said(message: str) -> None:
    assert message in refusal(WRONG[message])


def test_weighted_sums_may_differ_in_their_last_bits() -> None:
    found = document()
    found["weighted"] = True
    for point in found["points"]:
        point["confusion"] = [[cell / 3 for cell in row] for row in point["confusion"]]
    found["points"][1]["confusion"][0] = [sum(found["points"][0]["confusion"][0]) * (1 + 1e-15), 0.0, 0.0]
    assert rh.multiclass.MulticlassPolicy.from_json(dumped(found)).points.confusion.dtype == float
    found["points"][1]["confusion"][0][0] *= 1.001
    assert "sum to 0, or not" in refusal(dumped(found))
