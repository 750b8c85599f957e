"""The schema of a multi-class policy's document. Kept apart so that deciding needs no pydantic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError, field_validator, model_validator

from rochull._core.documents import checksum
from rochull.multiclass.points import MulticlassPoints
from rochull.policies.schema import _Strict, _Units, checked, said

FORMAT, VERSION = "rochull-multiclass-policy", 1
_SLACK = 1e-9  # sums of weights may differ in their last bits

_Size = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Long = Annotated[int, Field(ge=-(2**63), lt=2**64)]
_Label = bool | _Long | Annotated[float, Field(allow_inf_nan=False)] | str


class PointDocument(_Strict):
    """One operating point: the weights of the classes, and the confusion matrix that they reached."""

    weights: Annotated[tuple[_Size, ...], Field(strict=False)]
    confusion: Annotated[
        tuple[Annotated[tuple[_Units | _Size, ...], Field(strict=False)], ...], Field(strict=False)
    ]

    @field_validator("confusion", mode="before")
    @classmethod
    def _no_long_integers(cls, confusion: Any) -> Any:
        rows = confusion if isinstance(confusion, list) else []
        cells = (cell for row in rows if isinstance(row, list) for cell in row)
        if any(isinstance(cell, int) and cell >= 2**62 for cell in cells):  # it would become a float
            raise ValueError("an integer of 2**62 or more")
        return confusion


class MulticlassPolicyDocument(_Strict):
    """A multi-class policy."""

    format: Literal["rochull-multiclass-policy"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    about: dict[str, str]
    salt: str
    classes: Annotated[tuple[_Label, ...], Field(min_length=2, strict=False)]
    weighted: bool
    checksum: str
    points: Annotated[tuple[PointDocument, ...], Field(min_length=1, strict=False)]

    @field_validator("classes", mode="before")
    @classmethod
    def _no_long_integers(cls, classes: Any) -> Any:
        for label in classes if isinstance(classes, list) else ():
            if isinstance(label, int) and not -(2**63) <= label < 2**64:  # it would become a float
                raise ValueError("an integer beyond 64 bits")
        return classes

    @model_validator(mode="after")
    def _fits(self) -> MulticlassPolicyDocument:
        size = len(self.classes)
        if len(set(self.classes)) < size:
            raise ValueError("a class occurs twice")
        for i, point in enumerate(self.points):
            if len(point.weights) != size or not any(point.weights):
                raise ValueError(f"operating point {i} has not {size} weights, some of them above 0")
            if len(point.confusion) != size or any(len(row) != size for row in point.confusion):
                raise ValueError(f"the confusion matrix of operating point {i} is not {size} by {size}")
            kinds = {type(cell) for row in point.confusion for cell in row}
            if kinds != {float if self.weighted else int}:
                wanted = "numbers with a decimal point" if self.weighted else "integers"
                raise ValueError(f"the confusion matrix of operating point {i} does not hold {wanted} alone")
            self._same_totals(i, point)
        return self

    def _same_totals(self, i: int, point: PointDocument) -> None:
        """All operating points are of the same examples."""
        for row, first in zip(point.confusion, self.points[0].confusion, strict=True):
            total = sum(first)
            if not 0 < total < np.inf or abs(sum(row) - total) > (_SLACK * total if self.weighted else 0):
                raise ValueError(
                    f"the rows of operating point {i}'s confusion matrix sum to 0, or not to the first one's"
                )


def parse(text: str | bytes) -> MulticlassPolicyDocument:
    """A checked document from JSON; ValueError says in one sentence what is wrong."""
    return checked(text, MulticlassPolicyDocument, "multi-class policy", _first)


def document_of(points: MulticlassPoints, salt: str, about: Mapping[str, str]) -> dict[str, Any]:
    """The document of a policy, with its checksum."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "about": dict(about),
        "salt": salt,
        "classes": list(points.classes),
        "weighted": points.confusion.dtype.kind == "f",
        "points": [
            {"weights": weights, "confusion": confusion}
            for weights, confusion in zip(points.weights.tolist(), points.confusion.tolist(), strict=True)
        ],
    }
    document["checksum"] = checksum(document)
    return document


def points_of(document: MulticlassPolicyDocument) -> MulticlassPoints:
    """The operating points of a checked document."""
    confusion = np.array([point.confusion for point in document.points])
    return MulticlassPoints(
        np.array([point.weights for point in document.points], float),
        confusion.astype(float if document.weighted else np.int64, copy=False),
        document.classes,
    )


def checked_labels(classes: Sequence[Any]) -> tuple[Any, ...]:
    """Labels that a document can hold, as plain values."""
    labels = tuple(label.item() if isinstance(label, np.generic) else label for label in classes)
    for label in labels:
        finite = isinstance(label, float) and np.isfinite(label)
        whole = isinstance(label, int) and -(2**63) <= label < 2**64
        if not (isinstance(label, str) or finite or whole):
            raise ValueError(
                f"classes: a policy holds texts, truth values and finite numbers of 64 bits, not {label!r}."
            )
    return labels


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    place = detail["loc"]
    if len(place) > 2 and place[0] == "classes":  # what follows the index are the types that were tried
        return (
            f"the multi-class policy is not valid at {place[0]}.{place[1]}: it must be a text, a truth value "
            "or a finite number of 64 bits."
        )
    if len(place) > 5 and place[2] == "confusion":
        where = ".".join(map(str, place[:5]))
        return f"the multi-class policy is not valid at {where}: it must be a finite number, not negative."
    return said(detail, "multi-class policy", FORMAT, VERSION)
