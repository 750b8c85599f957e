"""The schema of a saved calibrator, and its checks. Kept apart so that calibrating needs no pydantic."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    create_model,
    model_validator,
)

from rochull._core.documents import checksum
from rochull.hull.tallies import Units

FORMAT, VERSION = "rochull-calibrator", 1


def _number(value: object) -> int | float:
    """An integer or a float, as written; infinities are text."""
    if value in ("inf", "-inf"):
        return float(value)
    if isinstance(value, float) and np.isfinite(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**64:
        return value
    raise ValueError('it must be a finite number of 64 bits, "inf" or "-inf"')


_Score = Annotated[int | float, PlainValidator(_number)]
_Units = Annotated[int, Field(ge=0, lt=2**60)]
_Float = Annotated[float, Field(allow_inf_nan=False)]
_Inside = Annotated[float, Field(gt=0, lt=1)]
_Label = str | bool | int | _Float | None
_ScoreType = Literal[
    "float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"
]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Header(BaseModel):
    """What is looked at first: whether it is a calibrator at all."""

    model_config = ConfigDict(extra="ignore", strict=True)

    format: Literal["rochull-calibrator"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    kind: str


class _Document(_Strict):
    """What every calibrator's document has."""

    format: Literal["rochull-calibrator"]
    version: int
    about: dict[str, str]
    pos_label: _Label
    checksum: str


class LogisticDocument(_Document):
    """``llr = slope * score + intercept``."""

    kind: Literal["logistic"]
    slope: _Float
    intercept: _Float
    prevalence: _Inside
    fitted_at: _Inside | None
    targets: Literal["labels", "platt"]


class BetaDocument(_Document):
    """``llr = a log p - b log(1 - p) + intercept``."""

    kind: Literal["beta"]
    a: Annotated[_Float, Field(ge=0)]
    b: Annotated[_Float, Field(ge=0)]
    intercept: _Float
    prevalence: _Inside
    fitted_at: _Inside | None
    targets: Literal["labels", "platt"]
    parameters: Literal["abm", "am", "ab"]


class BlockDocument(_Strict):
    """One block of PAV: a range of scores, with the units of each class."""

    low: _Score
    high: _Score
    pos: _Units
    neg: _Units


class PavDocument(_Document):
    """The blocks of the training data, from high scores to low, and what the map makes of them."""

    kind: Literal["pav"]
    interpolation: Literal["step", "linear"]
    bound: Literal["laplace", "misleading", "elub"] | None
    strict: bool
    score_type: _ScoreType
    unit_neg: Annotated[_Float, Field(gt=0)]
    unit_pos: Annotated[_Float, Field(gt=0)]
    weighted: bool
    added_neg: Annotated[_Units, Field(gt=0)]
    added_pos: Annotated[_Units, Field(gt=0)]
    blocks: Annotated[tuple[BlockDocument, ...], Field(min_length=1, strict=False)]
    scores: Annotated[tuple[_Score, ...], Field(strict=False)] | None
    spread: Annotated[tuple[Annotated[float, Field(gt=0, le=0.5)], ...], Field(strict=False)] | None

    @model_validator(mode="after")
    def _is_pav(self) -> PavDocument:
        fits = _fits(self.score_type)
        for i, block in enumerate(self.blocks):
            if not (fits(block.low) and fits(block.high)):
                raise ValueError(f"a score of block {i} is not of the type {self.score_type}")
        _check_blocks(self.blocks)
        totals = [sum(getattr(block, name) for block in self.blocks) for name in ("neg", "pos")]
        if not all(totals):
            raise ValueError("the blocks hold one class only")
        if max(totals) >= 2**60 or self.added_neg > totals[0] or self.added_pos > totals[1]:
            raise ValueError("the units of a class, or of an added example, are too many")
        sizes = (self.unit_neg, self.unit_pos)
        if any(np.frexp(size)[0] != 0.5 for size in sizes):
            raise ValueError("a unit is not a power of two")
        if not Units(*sizes).allow(*totals):
            raise ValueError("the units make the total weight of a class too small or too large")
        if not self.weighted and (*sizes, self.added_neg, self.added_pos) != (1, 1, 1, 1):
            raise ValueError("without weights every unit must be 1")
        self._check_strict(fits)
        return self

    def _check_strict(self, fits: Callable[[int | float], bool]) -> None:
        """The scores of a strict map must be those of the blocks."""
        if (self.scores is None, self.spread is None) != (not self.strict,) * 2:
            raise ValueError("scores and spread belong to a strict map, and to no other")
        if self.scores is None:
            return
        if any(not above > below for above, below in pairwise(self.scores)):
            raise ValueError("the scores do not descend")
        if not all(map(fits, self.scores)):
            raise ValueError(f"one of the scores is not of the type {self.score_type}")
        known, i = set(self.scores), 0
        if any(block.low not in known or block.high not in known for block in self.blocks):
            raise ValueError("the ends of a block are not among the scores")
        for score in self.scores:
            while i < len(self.blocks) and score < self.blocks[i].low:
                i += 1
            if i == len(self.blocks) or score > self.blocks[i].high:
                raise ValueError("one of the scores is in no block")


def _check_blocks(blocks: tuple[BlockDocument, ...]) -> None:
    """The blocks must descend, in scores and in posteriors."""
    for i, block in enumerate(blocks):
        if block.low > block.high:
            raise ValueError(f"the low of block {i} is above its high")
        if not block.pos and not block.neg:
            raise ValueError(f"block {i} is empty")
    for i, (above, below) in enumerate(pairwise(blocks), start=1):
        if not above.low > below.high:
            raise ValueError(f"block {i} is not below the one before it")
        if above.pos * below.neg <= below.pos * above.neg:
            raise ValueError(f"the posterior of block {i} is not below that of the one before it")


def _fits(score_type: str) -> Callable[[int | float], bool]:
    """Whether a number is one of a type, written as that type is."""
    dtype = np.dtype(score_type)
    if dtype.kind == "f":

        def is_float(number: int | float) -> bool:
            with np.errstate(over="ignore"):
                return isinstance(number, float) and float(dtype.type(number)) == number

        return is_float
    info = np.iinfo(dtype)
    return lambda number: isinstance(number, int) and info.min <= number <= info.max


_MODELS: dict[str, type[_Document]] = {
    "pav": PavDocument,
    "logistic": LogisticDocument,
    "beta": BetaDocument,
}


FieldsOf = Callable[[str], Mapping[str, Any] | None]


def _model_of(kind: str, fields_of: FieldsOf) -> type[_Document]:
    """What a document of a kind must hold."""
    if kind in _MODELS:
        return _MODELS[kind]
    fields = fields_of(kind)
    if fields is None:
        raise ValueError(f"the calibrator is not valid at kind: there is no kind {_short(repr(kind))}.")
    own: dict[str, Any] = {name: (type_, ...) for name, type_ in fields.items()}
    return create_model(kind, __base__=_Document, kind=(str, ...), **own)


def parse(text: str | bytes, fields_of: FieldsOf = lambda kind: None) -> dict[str, Any]:
    """The contents of a checked document; ValueError says in one sentence what is wrong.

    `fields_of` gives the fields of a kind that is not described here, or None if there is none.
    """
    if isinstance(text, bytes):
        text = text.removeprefix(codecs.BOM_UTF8)  # some editors write one
    try:
        document = _model_of(_Header.model_validate_json(text).kind, fields_of).model_validate_json(text)
    except ValidationError as error:
        raise ValueError(_first(error)) from None
    if document.checksum != checksum(json.loads(text)):
        raise ValueError(
            "the calibrator was changed after it was written: its checksum is not that of its contents."
        )
    return document.model_dump()


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    parts = [str(part) for part in detail["loc"]]
    if parts[:1] == ["pos_label"]:
        return (
            "the calibrator is not valid at pos_label: it must be a string, a number, a truth value or null."
        )
    place = ".".join(parts)
    if place == "version" and detail["type"] != "missing":
        found = _short(repr(detail["input"]))
        return f"the calibrator has version {found}; this rochull reads version {VERSION}."
    if place == "format" or detail["type"] == "model_type":
        return f"this is not a calibrator document (format is not {FORMAT!r})."
    message = detail["msg"].removeprefix("Value error, ")
    at = f" at {place}" if place else ""
    return _short(" ".join(f"the calibrator is not valid{at}: {message}.".split()))


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
