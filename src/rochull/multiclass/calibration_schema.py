"""The schema of a saved calibrator of several classes. Kept apart so that calibrating needs no pydantic."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from rochull._core.documents import checksum
from rochull.calibration import schema as binary
from rochull.calibration.base import _plain
from rochull.policies.schema import _Strict, checked, said

FORMAT, VERSION = "rochull-multiclass-calibrator", 1
_WHAT = "multi-class calibrator"
_SLACK = 1e-9  # of the sum of the priors

_Label = bool | int | Annotated[float, Field(allow_inf_nan=False)] | str


class MulticlassCalibratorDocument(_Strict):
    """Binary calibrators, each with a document of its own, and how they are put together."""

    format: Literal["rochull-multiclass-calibrator"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    about: dict[str, str]
    method: Literal["pairwise", "ovr"]
    coupling: Literal["least_squares", "mean_llr"] | None
    contrast: Literal["log_ratio", "share"]
    classes: Annotated[tuple[_Label, ...], Field(min_length=2, strict=False)]
    priors: Annotated[tuple[Annotated[float, Field(gt=0, lt=1)], ...], Field(strict=False)]
    calibrators: Annotated[tuple[dict[str, Any], ...], Field(strict=False)]
    checksum: str

    @model_validator(mode="after")
    def _fits(self) -> MulticlassCalibratorDocument:
        size = len(self.classes)
        if len(set(self.classes)) < size:
            raise ValueError("a class occurs twice")
        if len(self.priors) != size or abs(sum(self.priors) - 1) > _SLACK:
            raise ValueError(f"priors are not {size} numbers that sum to 1")
        if (self.coupling is None) != (self.method == "ovr"):
            raise ValueError("coupling belongs to pairs, and to nothing else")
        wanted = size if self.method == "ovr" and size > 2 else size * (size - 1) // 2
        if len(self.calibrators) != wanted:
            raise ValueError(f"calibrators are {len(self.calibrators)} instead of {wanted}")
        return self


def parse(text: str | bytes) -> tuple[MulticlassCalibratorDocument, list[dict[str, Any]]]:
    """A checked document from JSON, and the checked contents of its calibrators."""
    document = checked(text, MulticlassCalibratorDocument, _WHAT, _first)
    parts = []
    for i, part in enumerate(document.calibrators):
        try:
            parts.append(binary.parse(json.dumps(part)))
        except ValueError as error:
            raise ValueError(f"the {_WHAT} is not valid at calibrators.{i}: {error}") from None
    return document, parts


def document_of(
    how: tuple[str, str | None, str],
    classes: Sequence[Any],
    priors: Sequence[float],
    calibrators: Sequence[str],
    about: Mapping[str, str],
) -> dict[str, Any]:
    """The document of a fitted calibrator, with its checksum; `calibrators` are the documents' texts."""
    for key, text in dict[Any, Any](about).items():
        if not (isinstance(key, str) and isinstance(text, str)):
            raise ValueError(f"about must hold texts under texts, but holds {text!r} under {key!r}.")
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "about": dict(about),
        "method": how[0],
        "coupling": how[1],
        "contrast": how[2],
        "classes": [_label(label) for label in classes],
        "priors": list(priors),
        "calibrators": [json.loads(text) for text in calibrators],
    }
    document["checksum"] = checksum(document)
    return document


def _label(label: Any) -> Any:
    """A label as JSON writes it."""
    try:
        found = _plain(label)
    except ValueError:
        found = None
    if found is None or (isinstance(found, int) and not -(2**63) <= found < 2**64):
        raise ValueError(
            f"classes: a document holds texts, truth values and finite numbers of 64 bits, not {label!r}."
        )
    return found


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    place = detail["loc"]
    if len(place) > 2 and place[0] == "classes":  # what follows the index are the types that were tried
        return (
            f"the {_WHAT} is not valid at classes.{place[1]}: it must be a text, a truth value or a number."
        )
    return said(detail, _WHAT, FORMAT, VERSION)
