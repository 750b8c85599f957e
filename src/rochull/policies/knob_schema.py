"""The schema of a saved knob, and its checks. Kept apart so that turning a knob needs no pydantic."""

from __future__ import annotations

import codecs
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rochull._core.documents import checksum

FORMAT, VERSION = "rochull-knob", 1

_Share = Annotated[float, Field(ge=0, le=1)]
_Inside = Annotated[float, Field(gt=0, lt=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class OffsetDocument(_Strict):
    """What was learnt from outcomes."""

    mean: Annotated[float, Field(ge=-30, le=30)]
    information: Annotated[float, Field(ge=1)]
    gain: Annotated[float, Field(gt=0, le=1)]
    side: Annotated[int, Field(ge=-1, le=1)]


class KnobDocument(_Strict):
    """A knob."""

    format: Literal["rochull-knob"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    position: _Share
    lowest: _Share
    highest: _Share
    alarm_rate: _Share | None
    precision: _Share | None
    capacity: Annotated[float, Field(ge=0)] | None
    prevalence: _Inside
    memory: Annotated[float, Field(gt=0)]
    presented: Annotated[float, Field(ge=0)] | None
    silence: Annotated[float, Field(ge=0)]
    of_alarms: OffsetDocument
    of_precision: OffsetDocument
    policy: dict[str, Any]
    checksum: str

    @model_validator(mode="after")
    def _in_order(self) -> KnobDocument:
        if not self.lowest <= self.position <= self.highest:
            raise ValueError("the position is not between lowest and highest")
        return self


def parse(text: str | bytes) -> KnobDocument:
    """A checked document from JSON; ValueError says in one sentence what is wrong."""
    if isinstance(text, bytes):
        text = text.removeprefix(codecs.BOM_UTF8)  # some editors write one
    try:
        document = KnobDocument.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(_first(error)) from None
    if document.checksum != checksum(json.loads(text)):
        raise ValueError(
            "the knob was changed after it was written: its checksum is not that of its contents."
        )
    return document


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in detail["loc"])
    if place == "version" and detail["type"] != "missing":
        found = repr(detail["input"])
        return f"the knob has version {found[:100]}; this rochull reads version {VERSION}."
    if place == "format" or detail["type"] == "model_type":
        return f"this is not a knob document (format is not {FORMAT!r})."
    message = detail["msg"].removeprefix("Value error, ")
    text = " ".join(f"the knob is not valid{f' at {place}' if place else ''}: {message}.".split())
    return text if len(text) <= 200 else f"{text[:200]}..."
