"""The schema of a policy document, and its checks. Kept apart so that deciding needs no pydantic."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from rochull._core.documents import checksum
from rochull.conditions.rules import Rule
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Units

FORMAT, VERSION = "rochull-policy", 1

# Format of a document -> the class that reads it.
READERS = {
    "rochull-policy": "Policy",
    "rochull-segment-policy": "SegmentPolicy",
    "rochull-multiclass-policy": "MulticlassPolicy",
}

_Units = Annotated[int, Field(ge=0, lt=2**62)]
_Size = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class RuleDocument(_Strict):
    """One rule of an operating point."""

    kind: Literal["threshold", "never", "always"]
    classifier: Annotated[str, Field(min_length=1)] | None = None
    threshold: int | Annotated[float, Field(allow_inf_nan=False)] | Literal["inf", "-inf"] | None = None

    @property
    def number(self) -> float | None:
        """The threshold as a number; infinities are written as text."""
        return float(self.threshold) if isinstance(self.threshold, str) else self.threshold

    @field_validator("threshold", mode="before")
    @classmethod
    def _fits(cls, threshold: object) -> object:
        if isinstance(threshold, int) and not -(2**63) <= threshold < 2**64:  # it would become a float
            raise ValueError("an integer beyond 64 bits")
        return threshold

    @model_validator(mode="after")
    def _complete(self) -> RuleDocument:
        has = self.classifier is not None, self.threshold is not None
        if has != ((True, True) if self.kind == "threshold" else (False, False)):
            raise ValueError(f"a rule of kind {self.kind!r} has the wrong fields")
        return self


class PointDocument(_Strict):
    """One operating point: exact counts, and the rules that reach them."""

    fp: _Units
    tp: _Units
    rules: Annotated[tuple[RuleDocument, ...], Field(min_length=1, strict=False)]


class PolicyDocument(_Strict):
    """A policy."""

    format: Literal["rochull-policy"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    about: dict[str, str]
    salt: str
    n_neg: Annotated[_Units, Field(gt=0)]
    n_pos: Annotated[_Units, Field(gt=0)]
    unit_neg: _Size
    unit_pos: _Size
    weighted: bool
    checksum: str
    points: Annotated[tuple[PointDocument, ...], Field(min_length=2, strict=False)]

    @model_validator(mode="after")
    def _is_hull(self) -> PolicyDocument:
        xy = [(point.fp, point.tp) for point in self.points]
        if xy[0] != (0, 0) or xy[-1] != (self.n_neg, self.n_pos):
            raise ValueError("the operating points do not run from (0, 0) to (n_neg, n_pos)")
        for i, ((x0, y0), (x1, y1)) in enumerate(pairwise(xy), start=1):
            if x1 < x0 or y1 < y0 or (x1, y1) == (x0, y0):
                raise ValueError(f"operating point {i} does not ascend from the one before it")
        for i, ((x0, y0), (x1, y1), (x2, y2)) in enumerate(zip(xy, xy[1:], xy[2:], strict=False), start=1):
            if (y1 - y0) * (x2 - x1) <= (y2 - y1) * (x1 - x0):
                raise ValueError(f"operating point {i} is not on the convex hull of the others")
        if not Units(self.unit_neg, self.unit_pos).allow(self.n_neg, self.n_pos):
            raise ValueError("the units make the total weight of a class too small or too large")
        kinds = [{rule.kind for rule in point.rules} for point in self.points]
        if kinds[0] != {"never"} or kinds[-1] != {"always"} or any(k != {"threshold"} for k in kinds[1:-1]):
            raise ValueError('the first rule must be "never", the last "always", and all others thresholds')
        return self


_Model = TypeVar("_Model", bound=BaseModel)


def parse(text: str | bytes) -> PolicyDocument:
    """A checked document from JSON; ValueError says in one sentence what is wrong."""
    return checked(text, PolicyDocument, "policy", _first)


def checked(
    text: str | bytes, model: type[_Model], what: str, complaint: Callable[[ValidationError], str]
) -> _Model:
    """A document of any kind, with a checksum that fits; `complaint` words what the model finds wrong."""
    if isinstance(text, bytes):
        text = text.removeprefix(codecs.BOM_UTF8)  # some editors write one
    try:
        document = model.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(complaint(error)) from None
    contents = json.loads(text)
    if contents["checksum"] != checksum(contents):
        raise ValueError(
            f"the {what} was changed after it was written: its checksum is not that of its contents."
        )
    return document


def document_of(hull: RocHull, salt: str, about: Mapping[str, str]) -> dict[str, Any]:
    """The document of a policy, with its checksum."""
    points = [
        {"fp": int(fp), "tp": int(tp), "rules": [_rule_to_dict(rule) for rule in rules]}
        for fp, tp, rules in zip(hull.fp, hull.tp, hull.owners, strict=True)
    ]
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "about": dict(about),
        "salt": salt,
        "n_neg": hull.n_neg,
        "n_pos": hull.n_pos,
        "unit_neg": hull.units.neg,
        "unit_pos": hull.units.pos,
        "weighted": hull.units.weighted,
        "points": points,
    }
    document["checksum"] = checksum(document)
    return document


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    if rule.kind != "threshold":
        return {"kind": rule.kind}
    threshold: Any = rule.threshold
    if isinstance(threshold, float) and math.isinf(threshold):
        threshold = "inf" if threshold > 0 else "-inf"
    return {"kind": rule.kind, "classifier": rule.classifier, "threshold": threshold}


def hull_of(document: PolicyDocument) -> RocHull:
    """The hull whose vertices a checked document holds."""
    owners = tuple(
        tuple(Rule(rule.kind, rule.classifier, rule.number) for rule in point.rules)
        for point in document.points
    )
    return RocHull(
        np.array([point.fp for point in document.points], np.int64),
        np.array([point.tp for point in document.points], np.int64),
        document.n_neg,
        document.n_pos,
        Units(document.unit_neg, document.unit_pos, document.weighted),
        _owners=owners,
    )


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    parts = [str(part) for part in detail["loc"]]
    if "threshold" in parts[3:]:  # what follows are the types that were tried
        place = ".".join(parts[: parts.index("threshold", 3) + 1])
        return f'the policy is not valid at {place}: it must be a finite number of 64 bits, "inf" or "-inf".'
    return said(detail, "policy", FORMAT, VERSION)


def said(detail: Any, what: str, format_: str, version: int) -> str:
    """A complaint of pydantic in one sentence; a document of another kind is told who reads it."""
    place, found = ".".join(str(part) for part in detail["loc"]), detail["input"]
    if place == "version" and detail["type"] != "missing":
        return f"the {what} has version {_short(repr(found))}; this rochull reads version {version}."
    if place == "format" or detail["type"] == "model_type":
        other = f"; {READERS[found]} reads it" if isinstance(found, str) and found in READERS else ""
        return f"this is not a {what} document (format is not {format_!r}{other})."
    message = detail["msg"].removeprefix("Value error, ")
    return _short(" ".join(f"the {what} is not valid{f' at {place}' if place else ''}: {message}.".split()))


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
