"""The schema of a segment policy's document, and its checks. Apart, so that deciding needs no pydantic."""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError, field_validator, model_validator

from rochull._core.documents import checksum
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hull.hull import RocHull
from rochull.hull.tallies import Units
from rochull.policies.schema import _short, _Size, _Strict, _Units
from rochull.segments.columns import Bins
from rochull.segments.rules import NOBODY, RuleTable, TableOwners

FORMAT, VERSION = "rochull-segment-policy", 1

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Long = Annotated[int, Field(ge=-(2**63), lt=2**64)]
_Index = Annotated[int, Field(ge=0)]
_Name = Annotated[str, Field(min_length=1)]
_Category = bool | _Long | _Finite | str
_CONSTANTS: dict[Any, Rule] = {"never": NEVER, "always": ALWAYS}


def _checked(values: Any) -> Any:
    """A list as it is, unless it holds an integer that would become a float."""
    for value in values if isinstance(values, list) else ():
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            raise ValueError("an integer beyond 64 bits")
    return values


class InfinityDocument(_Strict):
    """An infinite number among categories, where a text is a category of its own."""

    number: Literal["inf", "-inf"]


class AxisDocument(_Strict):
    """How one auxiliary column is cut into cells."""

    column: str | int
    edges: Annotated[tuple[_Finite, ...], Field(strict=False)] | None
    categories: Annotated[tuple[_Category | InfinityDocument, ...], Field(strict=False)] | None
    missing: bool

    @field_validator("categories", mode="before")
    @classmethod
    def _no_long_integers(cls, categories: Any) -> Any:
        return _checked(categories)

    @model_validator(mode="after")
    def _is_axis(self) -> AxisDocument:
        if (self.edges is None) == (self.categories is None):
            raise ValueError("an axis has either edges or categories")
        if any(low >= high for low, high in pairwise(self.edges or ())):
            raise ValueError("the edges do not ascend")
        values = [category_of(category) for category in self.categories or ()]
        if len(set(values)) < len(values):
            raise ValueError("a category occurs twice")
        if not len(self):
            raise ValueError("the axis has no cell")
        return self

    def __len__(self) -> int:
        inner = len(self.edges) + 1 if self.edges is not None else len(self.categories or ())
        return inner + self.missing


class BinsDocument(_Strict):
    """Which segment a case belongs to."""

    axes: Annotated[tuple[AxisDocument, ...], Field(min_length=1, strict=False)]
    of_cell: Annotated[tuple[Annotated[int, Field(ge=-1)], ...], Field(strict=False)]
    labels: Annotated[tuple[_Name, ...], Field(min_length=1, strict=False)]

    @model_validator(mode="after")
    def _fits(self) -> BinsDocument:
        columns = [axis.column for axis in self.axes]
        if len(set(columns)) < len(columns):
            raise ValueError("a column occurs twice")
        if len(self.of_cell) != math.prod(map(len, self.axes)):
            raise ValueError("there is not one bin for each combination of cells")
        if max(self.of_cell, default=-1) >= len(self.labels):
            raise ValueError("a bin has no label")
        if len(set(self.labels)) < len(self.labels):
            twice = next(label for i, label in enumerate(self.labels) if label in self.labels[:i])
            raise ValueError(f"two segments are called {twice!r}")
        return self


class TableDocument(_Strict):
    """The rule of a segment along the points of the hull: from which point on, and which.

    A rule is a threshold and an index into the policy's classifiers, which is null for a constant rule.
    One index may stand for all thresholds.
    """

    first: Annotated[tuple[_Index, ...], Field(min_length=2, strict=False)]
    threshold: Annotated[
        tuple[_Long | _Finite | Literal["never", "always", "inf", "-inf"], ...], Field(strict=False)
    ]
    classifier: _Index | Annotated[tuple[_Index | None, ...], Field(strict=False)] | None

    @field_validator("threshold", mode="before")
    @classmethod
    def _no_long_integers(cls, threshold: Any) -> Any:
        return _checked(threshold)

    @model_validator(mode="after")
    def _runs(self) -> TableDocument:
        if self.first[0] or any(low >= high for low, high in pairwise(self.first)):
            raise ValueError("the points at which the rule changes do not ascend from 0")
        if not len(self.first) == len(self.threshold) == len(self.indices):
            raise ValueError("first, threshold and classifier differ in length")
        *inner, last = self.threshold[1:]
        if self.threshold[0] != "never" or last != "always" or any(t in _CONSTANTS for t in inner):
            raise ValueError('the first rule must be "never", the last "always", and all others thresholds')
        constant = [t in _CONSTANTS for t in self.threshold]
        one_for_none = isinstance(self.classifier, int) and all(constant)
        if one_for_none or constant != [index is None for index in self.indices]:
            raise ValueError("a threshold has no classifier, or a constant rule has one")
        return self

    @property
    def indices(self) -> tuple[int | None, ...]:
        """The classifier of each rule."""
        if isinstance(self.classifier, tuple):
            return self.classifier
        return tuple(None if t in _CONSTANTS else self.classifier for t in self.threshold)

    def table(self, classifiers: tuple[str, ...]) -> RuleTable:
        """The rules."""
        rules = []
        for t, index in zip(self.threshold, self.indices, strict=True):
            number = float(t) if isinstance(t, str) and t not in _CONSTANTS else t
            rules.append(_CONSTANTS[t] if index is None else Rule("threshold", classifiers[index], number))  # type: ignore[arg-type]
        return RuleTable(np.array(self.first, np.int64), tuple(rules))


class SegmentPolicyDocument(_Strict):
    """A segment policy.

    `of_segment` and `elsewhere` are indices into `tables`; `elsewhere` is of cases that belong to no
    segment, and null if they are refused.
    """

    format: Literal["rochull-segment-policy"]
    version: Annotated[int, Field(ge=VERSION, le=VERSION)]
    about: dict[str, str]
    salt: str
    n_neg: Annotated[_Units, Field(gt=0)]
    n_pos: Annotated[_Units, Field(gt=0)]
    unit_neg: _Size
    unit_pos: _Size
    weighted: bool
    checksum: str
    fp: Annotated[tuple[_Units, ...], Field(min_length=2, strict=False)]
    tp: Annotated[tuple[_Units, ...], Field(min_length=2, strict=False)]
    bins: BinsDocument
    classifiers: Annotated[tuple[_Name, ...], Field(strict=False)]
    tables: Annotated[tuple[TableDocument, ...], Field(min_length=1, strict=False)]
    of_segment: Annotated[tuple[_Index, ...], Field(strict=False)]
    elsewhere: _Index | None

    @model_validator(mode="after")
    def _is_hull(self) -> SegmentPolicyDocument:
        if len(self.fp) != len(self.tp):
            raise ValueError("fp and tp differ in length")
        xy = list(zip(self.fp, self.tp, strict=True))
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
        return self

    @model_validator(mode="after")
    def _fits(self) -> SegmentPolicyDocument:
        if len(set(self.classifiers)) < len(self.classifiers):
            raise ValueError("a classifier occurs twice")
        if len(self.of_segment) != len(self.bins.labels):
            raise ValueError("there is not one table for each segment")
        if max(*self.of_segment, self.elsewhere or 0) >= len(self.tables):
            raise ValueError("a segment's table does not exist")
        for i, table in enumerate(self.tables):
            if table.first[-1] >= len(self.fp):
                raise ValueError(f"table {i} goes beyond the last operating point")
            if any(index is not None and index >= len(self.classifiers) for index in table.indices):
                raise ValueError(f"table {i} speaks of a classifier that does not exist")
        return self


def parse(text: str | bytes) -> SegmentPolicyDocument:
    """A checked document from JSON; ValueError says in one sentence what is wrong."""
    if isinstance(text, bytes):
        text = text.removeprefix(codecs.BOM_UTF8)  # some editors write one
    try:
        document = SegmentPolicyDocument.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(_first(error)) from None
    if document.checksum != checksum(json.loads(text)):
        raise ValueError(
            "the segment policy was changed after it was written: its checksum is not that of its contents."
        )
    return document


def document_of(hull: RocHull, bins: Bins, salt: str, about: Mapping[str, str]) -> dict[str, Any]:
    """The document of a policy, with its checksum."""
    owners = hull.owners
    assert isinstance(owners, TableOwners)
    classifiers = list(dict.fromkeys(name for table in owners.tables for name in table.classifiers))
    written = [_table_to_dict(table, classifiers) for table in owners.tables]
    texts = [json.dumps(table) for table in written]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    of_segment = [place[text] for text in texts]
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
        "fp": hull.fp.tolist(),
        "tp": hull.tp.tolist(),
        "bins": _bins_to_dict(bins),
        "classifiers": classifiers,
        "tables": [json.loads(text) for text in place],
        "of_segment": of_segment[: len(bins)],
        "elsewhere": of_segment[-1] if owners.names[-1] is NOBODY else None,
    }
    document["checksum"] = checksum(document)
    return document


def _table_to_dict(table: RuleTable, classifiers: list[str]) -> dict[str, Any]:
    index = [None if rule.classifier is None else classifiers.index(rule.classifier) for rule in table.rules]
    some = {i for i in index if i is not None}
    return {
        "first": table.first.tolist(),
        "threshold": [_threshold(rule) for rule in table.rules],
        "classifier": index if len(some) > 1 else next(iter(some), None),
    }


def _threshold(rule: Rule) -> Any:
    if rule.kind != "threshold":
        return rule.kind
    threshold: Any = rule.threshold
    if isinstance(threshold, float) and math.isinf(threshold):
        return "inf" if threshold > 0 else "-inf"
    return threshold


def _bins_to_dict(bins: Bins) -> dict[str, Any]:
    document = bins.to_dict()
    for axis in document["axes"]:
        for i, category in enumerate(axis["categories"] or ()):
            if isinstance(category, float) and math.isinf(category):
                axis["categories"][i] = {"number": "inf" if category > 0 else "-inf"}
    return document


def category_of(category: Any) -> Any:
    """A category as a value."""
    return float(category.number) if isinstance(category, InfinityDocument) else category


def bins_of(document: BinsDocument) -> Bins:
    """The bins of a checked document."""
    axes = [
        {
            "column": axis.column,
            "edges": axis.edges,
            "categories": None if axis.categories is None else [category_of(c) for c in axis.categories],
            "missing": axis.missing,
        }
        for axis in document.axes
    ]
    return Bins.from_dict({"axes": axes, "of_cell": document.of_cell, "labels": document.labels})


def hull_of(document: SegmentPolicyDocument) -> RocHull:
    """The hull of a checked document."""
    tables = [table.table(document.classifiers) for table in document.tables]
    names: tuple[str | None, ...] = document.bins.labels
    chosen = [tables[i] for i in document.of_segment]
    if document.elsewhere is not None:
        names, chosen = (*names, NOBODY), [*chosen, tables[document.elsewhere]]
    return RocHull(
        np.array(document.fp, np.int64),
        np.array(document.tp, np.int64),
        document.n_neg,
        document.n_pos,
        Units(document.unit_neg, document.unit_pos, document.weighted),
        _owners=TableOwners(names, tuple(chosen), len(document.fp)),
    )


def _first(error: ValidationError) -> str:
    """The first complaint, with its place."""
    detail = error.errors(include_url=False, include_context=False)[0]
    parts = [str(part) for part in detail["loc"]]
    if parts == ["version"] and detail["type"] != "missing":
        found = _short(repr(detail["input"]))
        return f"the segment policy has version {found}; this rochull reads version {VERSION}."
    if parts == ["format"] or detail["type"] == "model_type":
        return f"this is not a segment policy document (format is not {FORMAT!r})."
    for union, meaning in {
        "threshold": 'a finite number of 64 bits, "inf", "-inf", "never" or "always"',
        "classifier": "an index or null, or a list of such",
        "categories": "a text, a truth value or a number of 64 bits",
        "column": "a text or a whole number",
    }.items():
        if union in parts and detail["type"] != "missing" and detail["type"] != "value_error":
            # What follows the index are the types that were tried.
            kept = parts[: parts.index(union) + 2]
            kept = kept if kept[-1].isdigit() else kept[:-1] if kept[-1] != union else kept
            return f"the segment policy is not valid at {'.'.join(kept)}: it must be {meaning}."
    place = f" at {'.'.join(parts)}" if parts else ""
    message = detail["msg"].removeprefix("Value error, ")
    return _short(" ".join(f"the segment policy is not valid{place}: {message}.".split()))
