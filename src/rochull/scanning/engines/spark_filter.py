"""Rows that a second look can leave out: a condition that Spark evaluates before it sends rows to Python.

The scores' axis is cut into equal cells, and a bitmap says in which of them a wanted bucket lies. A cell is
found by operations that IEEE 754 rounds in one way only, so that Spark and NumPy agree to the bit, and all of
them are monotone: a bucket lies between the cells of its own lowest score and of the next bucket's. Python
looks at the rows that pass once more, so that cells may well hold more than is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from rochull._core.validation import Array

_CELLS = 1 << 16
_WORD = 32  # bits of a word: a BIGINT holds them without a sign
_TAIL = 1e-3  # of the wanted buckets on each side that share the outermost cells
_WORTH_IT = 0.75  # a condition that keeps a larger share of the rows costs more than it saves


@dataclass(frozen=True, eq=False)
class Known:
    """Counts of a column's buckets that hold rows, from low scores to high.

    Attributes
    ----------
    low : the lowest score in each.
    units : units of both classes in each.
    wanted : bool, which are looked into.
    """

    low: Array
    units: Array
    wanted: Array


Axis: TypeAlias = tuple[str, Callable[[Array], Array]]  # in SQL, of {x}; and in NumPy


def condition(columns: Mapping[str, Iterable[Known]]) -> tuple[str, float] | None:
    """Which rows can be in a wanted bucket of any column, in SQL; None if these are most of all.

    And at most what share of the first group's units they hold.

    `columns` maps the name of each column (one that SQL can read unquoted) to what is known in its groups,
    the largest group first.
    """
    kept, parts = 0.0, []
    for column, groups in columns.items():
        held = list(groups)
        with np.errstate(all="ignore"):
            share, text = min((_of_column(axis, column, held) for axis in _AXES), key=lambda found: found[0])
        kept += share
        parts.append(text)
        if kept > _WORTH_IT:
            return None
    return " OR ".join(parts), kept


def _of_column(axis: Axis, column: str, groups: list[Known]) -> tuple[float, str]:
    """The share of the first group's rows that pass, and the condition, where this axis is divided."""
    text, along = axis
    places = [along(known.low.astype(np.float64)) for known in groups]
    wanted = np.concatenate([place[known.wanted] for place, known in zip(places, groups, strict=True)])
    if not wanted.size:
        return 0.0, "FALSE"
    finite = wanted[np.isfinite(wanted)]
    if not finite.size:
        return 1.0, "TRUE"
    start, end = np.quantile(finite, (_TAIL, 1 - _TAIL), method="nearest").tolist()
    scale = float(np.float64(_CELLS) / np.float64(end - start))
    if not np.isfinite(scale):
        return 1.0, "TRUE"
    ranges = []
    for place in places:
        cell = np.clip((place - start) * scale, 0.0, _CELLS - 1.0).astype(np.int64)
        ranges.append((cell, np.append(cell[1:], _CELLS - 1)))
    mask = np.zeros(_CELLS + 1, np.int64)
    for (first, last), known in zip(ranges, groups, strict=True):
        np.add.at(mask, first[known.wanted], 1)
        np.add.at(mask, last[known.wanted] + 1, -1)
    inside = np.cumsum(mask[:-1]) > 0
    before = np.append(0, np.cumsum(inside))
    (first, last), known = ranges[0], groups[0]
    share = float(known.units[before[last + 1] > before[first]].sum() / max(1, known.units.sum()))
    return share, _text(text.format(x=f"CAST({column} AS DOUBLE)"), start, scale, inside)


def _text(place: str, start: float, scale: float, inside: Array) -> str:
    cell = f"CAST(LEAST(GREATEST(({place} - ({start!r}D)) * {scale!r}D, 0D), {_CELLS - 1}D) AS INT)"
    words = (inside.reshape(-1, _WORD) << np.arange(_WORD)).sum(axis=1)
    array = ", ".join(f"{word}L" for word in words.tolist())
    word = f"get(array({array}), shiftright({cell}, {_WORD.bit_length() - 1}))"
    return f"getbit({word}, {cell} & {_WORD - 1}) = 1"


# --- axes -----------------------------------------------------------------------------------------


def _root(x: Array) -> Array:
    """The 16th root: it tells small numbers apart as a logarithm would, but is rounded in one way only."""
    return np.asarray(np.sqrt(np.sqrt(np.sqrt(np.sqrt(x)))))


def _signed(x: Array) -> Array:
    return np.where(x < 0, -_root(np.maximum(-x, 0.0)), _root(np.maximum(x, 0.0)))


def _folded(x: Array) -> Array:
    near_one = _TWICE - _root(np.maximum(1.0 - x, 0.0))
    return np.where(x < 0.5, _root(np.maximum(x, 0.0)), near_one)


def _sql_root(x: str) -> str:
    return f"SQRT(SQRT(SQRT(SQRT(GREATEST({x}, 0D)))))"


_TWICE: Any = 2 * float(_root(np.array(0.5)))
_AXES: tuple[Axis, ...] = (
    ("{x}", np.asarray),
    (f"IF({{x}} < 0D, -{_sql_root('-{x}')}, {_sql_root('{x}')})", _signed),
    (f"IF({{x}} < 0.5D, {_sql_root('{x}')}, {_TWICE!r}D - {_sql_root('1D - {x}')})", _folded),
)
