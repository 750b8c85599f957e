"""Where a feature's values and thresholds go on an axis: along numbers, or in strips of categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.table_errors import no_column
from rochull.decisions.axes import is_missing
from rochull.plotting.segmented import thresholds_of

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.conditions.base import Condition
    from rochull.decisions.axes import Axis, Category, Column
    from rochull.segments.redistribution import ErrorRedistribution

_GRID = 401
MISSING, ELSEWHERE = "missing", "elsewhere"


@dataclass(frozen=True, eq=False)
class Strips:
    """One column's values, as they are drawn and as thresholds are looked up."""

    kind: str  # "bins" of a number, "continuous" or "category"
    places: Array  # inner edges (m - 1,) of bins, values (m,), or names (m,) of categories
    values: Array  # (m,) a value in each place, for the look-up
    # (n,) number, index among the names, or for the strips beside numbers -1, -2, ... in `beside`.
    position: Array
    beside: Array  # (n,) 0 for what has a place, k for the k-th strip beside the numbers
    # names of strips beside numbers, with a value in each
    extra: dict[str, Any] = field(default_factory=dict)


def feature_of(model: ErrorRedistribution, feature: Column | None) -> Column:
    """The column to draw: the one that is asked for, or the first of those that matter."""
    known = _columns(model)
    if feature is None:
        return known[0]
    if feature not in known:
        raise ValueError(f"feature={feature!r} is not one of {', '.join(map(repr, known))}.")
    return feature


def _columns(model: ErrorRedistribution) -> list[Column]:
    if model.bins_ is not None:
        return list(model.bins_.columns)
    features = model.continuous_.features
    return [*features.medians, *features.categories]


def strips_of(model: ErrorRedistribution, feature: Column, column: Array) -> Strips:
    """Where thresholds of a fitted model are looked up along a feature, and where cases are drawn."""
    gone = is_missing(column)
    if model.bins_ is not None:
        axis = next(axis for axis in model.bins_.axes if axis.column == feature)
        if axis.categories is not None:
            return _of_categories(list(axis.categories), axis.missing, column, gone)
        return _of_bins(axis, column, gone)
    features = model.continuous_.features
    if feature in features.categories:
        return _of_categories(features.categories[feature], feature in features.gone, column, gone)
    known = column[~gone].astype(float)
    grid = np.linspace(known.min(), known.max(), _GRID) if known.size else np.zeros(1)
    extra = {MISSING: np.nan} if feature in features.gone or gone.any() else {}
    return Strips("continuous", grid, grid, column.astype(float), gone.astype(int), extra)


def _of_bins(axis: Axis, column: Array, gone: Array) -> Strips:
    edges = np.array(axis.edges, float)
    below = np.nextafter(edges[0], -np.inf) if edges.size else 0.0
    extra = {}
    if axis.missing or gone.any():
        extra[MISSING] = np.nan
    return Strips("bins", edges, np.append(below, edges), column.astype(float), gone.astype(int), extra)


def _of_categories(known: list[Category], missing: bool, column: Array, gone: Array) -> Strips:
    """A strip each, one for missing values, and one for values that were never seen."""
    listed: list[Any] = [*known, *([None] if missing or gone.any() else [])]
    names = [MISSING if value is None else str(value) for value in listed]
    index: dict[Any, int] = {value: i for i, value in enumerate(known)}
    given = [None if is_gone else value for value, is_gone in zip(column.tolist(), gone, strict=True)]
    if None in listed:
        index[None] = len(known)
    position = np.array([index.get(value, -1) for value in given])
    unseen = np.flatnonzero(position < 0)
    if unseen.size:
        listed.append(given[int(unseen[0])])
        names.append(ELSEWHERE)
        position[unseen] = len(names) - 1
    return Strips(
        "category", np.array(names, object), _column_of(listed), position.astype(float),
        np.zeros(column.size, int),
    )  # fmt: skip


def _column_of(values: list[Any]) -> Array:
    """Numbers if all are (NaN for None), else objects."""
    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        return np.array([np.nan if value is None else value for value in values], float)
    made = np.empty(len(values), object)
    made[:] = values
    return made


def held_of(
    model: ErrorRedistribution, feature: Column, columns: Mapping[Column, Array]
) -> dict[Column, Any]:
    """The other columns' values while one is drawn: the median of numbers, else the most frequent."""
    found: dict[Column, Any] = {}
    for name in _columns(model):
        if name == feature:
            continue
        if name not in columns:
            raise no_column("aux", name, columns)
        column = columns[name]
        known = column[~is_missing(column)]
        if not known.size:
            found[name] = None
        elif column.dtype.kind in "iuf":
            found[name] = float(np.median(known))
        else:
            values, counts = np.unique(known.astype(object), return_counts=True)
            found[name] = values[int(np.argmax(counts))]
    return found


def looked_up(
    model: ErrorRedistribution,
    condition: Condition,
    feature: Column,
    values: Array,
    held: Mapping[Column, Any],
) -> Array:
    """The threshold at each value (m,) of the feature, the other columns being held."""
    aux = {name: _column_of([value] * values.size) for name, value in held.items()}
    return thresholds_of(model, condition, {feature: values, **aux})
