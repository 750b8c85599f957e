"""Fields of a segment policy's document."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rochull._core.schemas import (
    Schema,
    extended,
    items,
    name,
    optional,
    record,
    text,
    texts,
    whole,
    written,
)
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.decisions.axes import Bins
from rochull.decisions.bins_schema import bins_dict, read_bins
from rochull.hull.hull import RocHull
from rochull.policies.policy_schema import HULL, RATES, UNITS, check_hull, hull_fields, hull_of
from rochull.segments.rules import NOBODY, RuleTable, TableOwners

_INDEX = whole(least=0)
_CONSTANTS: dict[Any, Rule] = {"never": NEVER, "always": ALWAYS}


# --- the tables ---------------------------------------------------------------------------------


def _threshold(value: Any) -> Any:
    if isinstance(value, str) and value in _CONSTANTS:
        return value
    try:
        return extended(value)
    except ValueError:
        raise ValueError(
            'it must be a finite number of 64 bits, "inf", "-inf", "never" or "always"'
        ) from None


def _classifier(value: Any) -> Any:
    """Read the index of each rule's classifier; one index may stand for all thresholds."""
    if value is None or isinstance(value, list):
        return value if value is None else items(optional(_INDEX))(value)
    try:
        return _INDEX(value)
    except ValueError:
        raise ValueError("it must be an index or null, or a list of such") from None


_TABLE = record({"first": items(_INDEX, 2), "threshold": items(_threshold), "classifier": _classifier})


def _table(value: Any) -> dict[str, Any]:
    """Read the rule of a segment along the points of the hull: from which point on, and which.

    A rule is a threshold and an index into the policy's classifiers, which is null for a constant rule.
    """
    first, threshold, classifier = _TABLE(value).values()
    constant = [isinstance(t, str) for t in threshold]
    one = not isinstance(classifier, tuple)
    indices = tuple(None if is_constant else classifier for is_constant in constant) if one else classifier
    if first[0] or any(low >= high for low, high in pairwise(first)):
        raise ValueError("the points at which the rule changes do not ascend from 0")
    if not len(first) == len(threshold) == len(indices):
        raise ValueError("first, threshold and classifier differ in length")
    if (threshold[0], threshold[-1]) != ("never", "always") or any(constant[1:-1]):
        raise ValueError('the first rule must be "never", the last "always", and all others thresholds')
    one_for_none = one and classifier is not None and all(constant)
    if one_for_none or constant != [index is None for index in indices]:
        raise ValueError("a threshold has no classifier, or a constant rule has one")
    return {"first": first, "threshold": threshold, "classifier": indices}


def _table_of(found: Mapping[str, Any], classifiers: Sequence[str], lower: Collection[str]) -> RuleTable:
    rules = tuple(
        _CONSTANTS[threshold]
        if index is None
        else Rule("threshold", classifiers[index], threshold, classifiers[index] in lower)
        for threshold, index in zip(found["threshold"], found["classifier"], strict=True)
    )
    return RuleTable(np.array(found["first"], np.int64), rules)


def _table_dict(table: RuleTable, classifiers: list[str]) -> dict[str, Any]:
    index = [None if rule.classifier is None else classifiers.index(rule.classifier) for rule in table.rules]
    some = {i for i in index if i is not None}
    return {
        "first": table.first.tolist(),
        "threshold": [
            written(rule.threshold) if rule.kind == "threshold" else rule.kind for rule in table.rules
        ],
        "classifier": index if len(some) > 1 else next(iter(some), None),
    }


# --- the document -------------------------------------------------------------------------------


def _check(found: dict[str, Any]) -> None:
    if len(found["fp"]) != len(found["tp"]):
        raise ValueError("fp and tp differ in length")
    check_hull(found, found["fp"], found["tp"])
    classifiers, tables = found["classifiers"], found["tables"]
    if len(set(classifiers)) < len(classifiers):
        raise ValueError("a classifier occurs twice")
    if len(found["of_segment"]) != len(found["bins"]):
        raise ValueError("there is not one table for each segment")
    if max(*found["of_segment"], found["elsewhere"] or 0) >= len(tables):
        raise ValueError("a segment's table does not exist")
    lower = set(found["lower_is_positive"])
    if unknown := lower - set(classifiers):
        raise ValueError(f"{min(unknown)!r}, of which low scores are positive, is not a classifier")
    low_is_positive = [name in lower for name in classifiers]
    for i, table in enumerate(tables):
        if table["first"][-1] >= len(found["fp"]):
            raise ValueError(f"table {i} goes beyond the last operating point")
        if any(index is not None and index >= len(classifiers) for index in table["classifier"]):
            raise ValueError(f"table {i} speaks of a classifier that does not exist")
        _check_falling(i, table, low_is_positive)


def _check_falling(i: int, table: Mapping[str, Any], low_is_positive: Sequence[bool]) -> None:
    """Raise if a classifier's threshold does not fall along the points, or rise where low is positive."""
    last: dict[int, Any] = {}
    for index, threshold in zip(table["classifier"], table["threshold"], strict=True):
        if index is None:
            continue
        level = -threshold if low_is_positive[index] else threshold
        if index in last and not level < last[index]:
            way = "rise" if low_is_positive[index] else "fall"
            raise ValueError(f"the thresholds of table {i} do not {way}")
        last[index] = level


# `of_segment` and `elsewhere` are indices into `tables`; `elsewhere` is of cases that belong to no segment,
# and null if they are refused. `lower_is_positive` are the classifiers of which low scores are.
SEGMENT_POLICY = Schema(
    "rochull-segment-policy",
    "segment policy",
    {
        "about": texts,
        "salt": text,
        **HULL,
        **RATES,
        "fp": items(UNITS, 2),
        "tp": items(UNITS, 2),
        "bins": read_bins,
        "classifiers": items(name),
        "lower_is_positive": items(name),
        "tables": items(_table, 1),
        "of_segment": items(_INDEX),
        "elsewhere": optional(_INDEX),
    },
    _check,
    {"lower_is_positive": [], "given_rates": None},
)


def contents_of(hull: RocHull, bins: Bins) -> dict[str, Any]:
    """Write a segment policy's hull and bins."""
    owners = hull.owners
    assert isinstance(owners, TableOwners)
    classifiers = list(dict.fromkeys(name for table in owners.tables for name in table.classifiers))
    rules = (rule for table in owners.tables for rule in table.rules if rule.lower_is_positive)
    lower = list(dict.fromkeys(rule.classifier for rule in rules))
    tables = [json.dumps(_table_dict(table, classifiers)) for table in owners.tables]
    place = {table: i for i, table in enumerate(dict.fromkeys(tables))}
    of_segment = [place[table] for table in tables]
    return {
        **hull_fields(hull),
        "fp": hull.fp.tolist(),
        "tp": hull.tp.tolist(),
        "bins": bins_dict(bins),
        "classifiers": classifiers,
        **({"lower_is_positive": lower} if lower else {}),
        "tables": [json.loads(table) for table in place],
        "of_segment": of_segment[: len(bins)],
        "elsewhere": of_segment[-1] if owners.names[-1] is NOBODY else None,
    }


def policy_hull(found: Mapping[str, Any]) -> RocHull:
    """The hull of a checked document."""
    named = found["classifiers"], frozenset(found["lower_is_positive"])
    tables = [_table_of(table, *named) for table in found["tables"]]
    names, chosen = found["bins"].labels, [tables[i] for i in found["of_segment"]]
    if found["elsewhere"] is not None:
        names, chosen = (*names, NOBODY), [*chosen, tables[found["elsewhere"]]]
    owners = TableOwners(names, tuple(chosen), len(found["fp"]))
    return hull_of(found, found["fp"], found["tp"], owners)
