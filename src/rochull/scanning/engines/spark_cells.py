"""The counts of columns of scores by cells of their axes: classes, rows and buckets in one query of Spark.

Spark aggregates without Python, which costs less than handing every row over, and all columns, segments and
folds share one reading. Cells are about as fine as the first rows of the table have it; if these were no
sample of the others, the counts themselves are one, and a second query takes it. The axis is that of the
numbers, or where these are too unlike for it one that tells them apart near 0 and 1 as a logarithm would.
Cells are monotone, whatever the sample: they are buckets, and the lowest score that each holds is where it
begins. Both classes have about as many cells: curves need the steps of either to be small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rochull._core.validation import Array
from rochull.hull.cut_map import CutMap
from rochull.hull.tallies import no_counts
from rochull.scanning.engines.spark_session import collected, first_rows, is_remote
from rochull.scanning.engines.spark_worker import codes_of

MOST = 1 << 20  # cells of all columns, groups and classes that are sent to the driver
_GROUP_CELLS = 1 << 18  # of all segments and folds
_FEWEST_GROUPS = 1 << 6
_FIRST = 1 << 13  # rows that are looked at first
_PARTS = 1 << 9  # of a unit of the axis, which are divided evenly
_MOST_PARTS = 1 << 12
_APART = 1 << 5  # cells of a part at least
_FEWEST, _USUAL, _FINEST = 1 << 12, 1 << 16, 1 << 19  # cells
_CELLS_A_BYTE = 1 << 6  # under the root
_UNKNOWN = 1 << 50  # a size that Spark gives to what it does not know
_BEND = 4.0  # from here on the axis is bent, so that all numbers have few cells
_TIES = 64
_FEW_ROWS = 32  # of a cell
_EVEN_PARTS = 1 << 10  # of the numbers' own axis, which is cheaper
_CROWD = 1 << 7  # scores of the sample that a part of it may hold
_UNEVEN = 4.0  # times the rows that even cells would have, where they are counted anew
_HEAVY = 1 << 26  # a whole weight, of which 10^11 stay below 2^63
_HEAVIEST = 1 << 57  # of all together: in units of 1 or of less


class CellCounts(NamedTuple):
    """The buckets of a column, and units of positives and negatives and rows in each, from high to low."""

    buckets: CutMap
    pos: Array
    neg: Array
    rows: Array


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of cells.

    Attributes
    ----------
    rows : an Arrow table of part (the number of a column of scores times that of kinds, and of a kind), the
        kinds but the first (where a row is of a group of that kind), y, cell, n (rows), units (of weight, if
        there are weights), low and whole (the lowest score of any weight, if it fits a double or if not).
    kinds : "all", and "segment" or "fold" if these divide the rows.
    in_ones : whether units are 1, and not those of the classes and groups.
    """

    rows: Any
    kinds: Sequence[str]
    in_ones: bool = False

    def of(self, column: int, kind: str = "all") -> Any:
        """The cells that hold some weight of a column of scores, in the groups of a kind."""
        import pyarrow.compute as pc

        found = self._part(column, kind)
        return found.filter(pc.greater(found[_unit(found)], 0))

    def _part(self, column: int, kind: str) -> Any:
        import pyarrow.compute as pc

        part = column * len(self.kinds) + self.kinds.index(kind)
        return self.rows.filter(pc.equal(self.rows["part"], part))

    def totals(self, kind: str) -> Any:
        """The rows n, and units, of each label in each group of a kind: an Arrow table."""
        found, by = self._part(0, kind), ["y", *{kind} - {"all"}]
        sums = ["n", *{"units"}.intersection(found.column_names)]
        summed = found.group_by(by).aggregate([(name, "sum") for name in sums])
        return summed.select([*by, *(f"{name}_sum" for name in sums)]).rename_columns([*by, *sums])

    def opened(
        self,
        scores: Sequence[str],
        types: Mapping[str, np.dtype[Any]],
        positive: Any,
        values: Mapping[int, Any],
    ) -> dict[tuple[str, int], CellCounts]:
        """The :meth:`counts` of all columns of scores in all groups."""
        return {
            (name, number): found
            for i, name in enumerate(scores)
            for number, found in self.counts(i, positive, types[name], values)
        }

    def counts(
        self, column: int, positive: Any, dtype: np.dtype[Any], values: Mapping[int, Any]
    ) -> Iterator[tuple[int, CellCounts]]:
        """The counts by group.

        `values` are those of the segments and of the folds, by their first group.
        """
        for kind, first in zip(self.kinds, (0, *values), strict=True):
            found = self.of(column, kind)
            group = np.zeros(found.num_rows, np.int64)
            if first:
                group = first + codes_of(found[kind], values[first])
            yield from _by_group(found, group, positive, dtype)


def _by_group(
    found: Any, group: Array, positive: Any, dtype: np.dtype[Any]
) -> Iterator[tuple[int, CellCounts]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = pc.equal(found["y"], pa.scalar(positive, found["y"].type)).to_numpy()
    cell, low = found["cell"].to_numpy(), _lowest(found).astype(dtype) + dtype.type(0)  # -0.0 becomes 0.0
    order = np.lexsort((low, cell, group))
    cell, group, low = cell[order], group[order], low[order]
    new = np.append(True, group[1:] != group[:-1])
    first = new | np.append(True, cell[1:] != cell[:-1])
    counts = no_counts(3 * int(first.sum()), False).reshape(3, -1)
    place = np.cumsum(first) - 1
    np.add.at(counts, (chosen[order].astype(np.int8), place), found[_unit(found)].to_numpy()[order])
    np.add.at(counts[2], place, found["n"].to_numpy()[order])
    starts, begins = low[first], np.flatnonzero(new[first])
    for number, i, j in zip(group[new].tolist(), begins, [*begins[1:], starts.size], strict=True):
        neg, pos, rows = counts[:, i:j][:, ::-1].copy()
        yield number, CellCounts(CutMap(starts[i:j]), pos, neg, rows)


def _unit(found: Any) -> str:
    """The column that says how much a cell weighs."""
    return "units" if "units" in found.column_names else "n"


def _lowest(found: Any) -> Array:
    return np.asarray(found["whole" if found["low"].null_count else "low"].to_numpy())


def is_told(kind: str, pos_label: object) -> bool:
    """Whether y = 1 says which rows are positive, as far as types go."""
    if kind == "boolean":
        return pos_label is None or pos_label is True
    return kind in ("tinyint", "smallint", "int", "bigint") and (pos_label is None or pos_label == 1)


def count_cells(
    rows: Any, columns: int, *, kinds: Sequence[str], told: bool, fineness: int, n_groups: int = 0
) -> Cells | None:
    """Count rows by label and cell.

    `rows` is a data frame of y (labels; if `told`, 1 says which are positive), x0, x1, ... (scores), each of
    the kinds but the first, is_bad (whether something is null), and where rows are weighted w (the weights)
    or, once the units are known, units_all, units_segment, ... (weights in whole units); `n_groups` is how
    many segments and folds there are, if that is known.

    None if there are no rows, some score is NaN or something else bad, if weights w are not all whole numbers
    or are too heavy together, and where cells are too many.
    """
    weights = [name for name in ("w",) if name in rows.columns]
    first = first_rows(rows.select("y", *(f"x{i}" for i in range(columns)), *kinds[1:], *weights), _FIRST)
    if weights:
        if not all(_is_whole(row["w"]) for row in first):
            return None
        rows = rows.selectExpr(*_whole(rows, kinds))
    n_groups = n_groups or max(_FEWEST_GROUPS, len({(k, row[k]) for row in first for k in kinds[1:]}))
    samples = [_shared([row["y"] for row in first], [row[f"x{i}"] for row in first]) for i in range(columns)]
    for _ in range(2):
        each_fine = max(min(_FEWEST, MOST // (4 * columns)), fineness // columns)
        most = max(MOST, 4 * columns * n_groups)
        found = None
        for way in dict.fromkeys((told, False)):
            chosen = rows.selectExpr(*_told(rows)) if way else rows
            found = found or _summed(_placed(chosen, samples, kinds, each_fine, n_groups), kinds, way, most)
        if not found:
            return None
        cells = Cells(found, kinds, bool(weights))
        each = [cells.of(i) for i in range(columns)]
        if not any(map(_is_uneven, each)):
            break
        samples = [
            _shared(found["y"].to_pylist(), _lowest(found), found[_unit(found)].to_numpy()) for found in each
        ]
    return None if weights and sum(cells.totals("all")["units"].to_pylist()) > _HEAVIEST else cells


def _is_uneven(found: Any) -> bool:
    """Whether a row's cell has several times the rows that it would have if all had as many.

    The fullest cells are not looked at: they may be ties.
    """
    n = np.sort(found[_unit(found)].to_numpy())[:-_TIES].astype(np.float64)
    return bool((n * n).sum() * min(_FEWEST, n.sum() / _FEW_ROWS) > _UNEVEN * n.sum() ** 2)


def _shared(labels: Sequence[Any], scores: Any, n: Array | int = 1) -> Array:
    """Scores that are numbers, and what share of the two classes, half each, has them (2, k)."""
    number = {label: i for i, label in enumerate(dict.fromkeys(labels))}
    code, scores = np.array([number[label] for label in labels], np.int64), np.array(scores, float)
    n = np.broadcast_to(n, code.shape)[kept := np.isfinite(scores)]
    total = np.bincount(code[kept], n, len(number))
    return np.stack([scores[kept], n / (total[code[kept]] * len(number))])


def _told(rows: Any) -> list[str]:
    """The columns of rows, of which those are bad too whose label is neither 0 nor 1."""
    others = [f"`{name}`" for name in rows.columns if name != "is_bad"]
    return [*others, "is_bad OR CAST(y AS BIGINT) NOT IN (0, 1) AS is_bad"]


def _is_whole(weight: float | None) -> bool:
    return weight is not None and 0 <= weight <= _HEAVY and weight.is_integer()


def _whole(rows: Any, kinds: Sequence[str]) -> list[str]:
    """The columns of rows, with weights as units of 1; rows are bad too if these are not whole numbers."""
    others = [f"`{name}`" for name in rows.columns if name not in ("is_bad", "w")]
    units = f"IF(w BETWEEN 0 AND {_HEAVY}, CAST(w AS BIGINT), NULL)"
    bad = f"is_bad OR IFNULL({units} != w, TRUE) AS is_bad"
    return [*others, bad, *(f"{units} AS units_{kind}" for kind in kinds)]


def _placed(rows: Any, samples: Sequence[Array], kinds: Sequence[str], fineness: int, n_groups: int) -> Any:
    """The rows with their cells, once for every column of scores and kind of group."""
    if is_remote(rows) or "LocalRelation" in rows._jdf.queryExecution().optimizedPlan().toString():
        rows = rows.coalesce(1 << 16)  # or Spark would look at each row before it compiles the query
    axes = [_divided(sample, fineness, i) for i, sample in enumerate(samples)]
    each = max(1, _GROUP_CELLS // (len(samples) * n_groups))
    coarser = math.ceil(math.log2(max(1, 2 * fineness / each)))
    rows = rows.selectExpr("*", *(f"{place} AS t{i}" for i, (place, _) in enumerate(axes)))
    rows = rows.selectExpr("*", *(f"CAST(FLOOR(t{i}) AS INT) AS f{i}" for i in range(len(axes))))
    cells = [f"IF(is_bad OR ISNAN(x{i}), NULL, {cell}) AS c{i}" for i, (_, cell) in enumerate(axes)]
    rows = rows.selectExpr("*", *cells)
    types = {field.name: field.dataType.simpleString() for field in rows.schema}
    columns: list[str] = []
    parts: list[str] = []
    any_wide = "bigint" in (types[f"x{i}"] for i in range(len(axes)))
    for i in range(len(axes)):
        is_wide = types[f"x{i}"] == "bigint"
        for number, kind in enumerate(kinds):
            units = f"units_{kind}"
            part = {
                "part": f"{i * len(kinds) + number}",
                **{k: k if k == kind else f"CAST(NULL AS {types[k]})" for k in kinds[1:]},
                "cell": f"shiftright(c{i}, {coarser})" if number else f"c{i}",
                "low": "CAST(NULL AS DOUBLE)" if is_wide else f"CAST(x{i} AS DOUBLE)",
            }
            if any_wide:
                part["whole"] = f"x{i}" if is_wide else "CAST(NULL AS BIGINT)"
            if units in types:
                part["units"] = units
            columns += [f"{text} AS {name}_{len(parts)}" for name, text in part.items()]
            parts.append(f"({', '.join(f'{name}_{len(parts)}' for name in part)}) AS p{len(parts)}")
    return rows.sparkSession.sql(
        f"SELECT * FROM {{rows}} UNPIVOT INCLUDE NULLS (({', '.join(part)}) FOR p IN ({', '.join(parts)}))",
        rows=rows.selectExpr("y", *columns),
    )


def _summed(placed: Any, kinds: Sequence[str], told: bool, most: int) -> Any:
    """The rows of :class:`Cells`; None if something is not as it has to be."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyspark.sql import functions as F

    # A column that nobody needs costs time in every row.
    weighted, lows = "units" in placed.columns, [c for c in ("low", "whole") if c in placed.columns]
    sums = {low: f"MIN(IF(units > 0, {low}, NULL))" if weighted else f"MIN({low})" for low in lows}
    is_positive = "CAST(y AS BIGINT) = 1"
    counts = {"n": ("COUNT(*)", f"COUNT_IF({is_positive})")}
    if weighted:
        counts["units"] = "SUM(units)", f"SUM(IF({is_positive}, units, 0L))"
    for name, (both, positive) in counts.items():
        sums[name] = both
        if told:  # half as many groups
            sums[f"pos_{name}"] = positive
    query = placed.groupBy("part", *kinds[1:], *([] if told else ["y"]), "cell").agg(
        *(F.expr(f"{text} AS {name}") for name, text in sums.items())
    )
    found = collected(query.limit(most + 1))
    if not 0 < found.num_rows <= most or found["cell"].null_count:
        return None
    if not told:
        return found
    kind = pa.bool_() if placed.schema["y"].dataType.simpleString() == "boolean" else pa.int64()
    parts = []
    for code in (1, 0):
        part = found.drop_columns([f"pos_{name}" for name in counts])
        for name in counts:
            n = found[f"pos_{name}"] if code else pc.subtract(found[name], found[f"pos_{name}"])
            part = part.set_column(part.column_names.index(name), name, n)
        part = part.filter(pc.greater(part["n"], 0))
        parts.append(part.append_column("y", pa.repeat(pa.scalar(code).cast(kind), part.num_rows)))
    return pa.concat_tables(parts)


def fineness(rows: Any) -> int:
    """How many cells to divide: more for more rows, as far as Spark knows how large they are."""
    if is_remote(rows):
        return _USUAL
    size = int(str(rows._jdf.queryExecution().optimizedPlan().stats().sizeInBytes()))
    cells = math.isqrt(size * _CELLS_A_BYTE)
    if size >= _UNKNOWN or _USUAL < cells < 2 * _USUAL:  # a few more would leave Spark's faster map of keys
        return _USUAL
    return max(_FEWEST, min(_FINEST, cells))


def _divided(shared: Array, fineness: int, column: int) -> tuple[str, str]:
    """A score's place t on its axis, in parts, and the number of a cell from that and its floor f, in SQL."""
    (sample, share), x, least = shared, f"CAST(x{column} AS DOUBLE)", 1
    low, high = sample.min(initial=np.inf), sample.max(initial=-np.inf)
    with np.errstate(all="ignore"):
        scale = float(np.float64(_EVEN_PARTS) / np.float64(high - low))
        place = (sample - low) * scale
    most = float(_MOST_PARTS)
    text = f"LEAST(GREATEST(({x} - ({float(low)!r}D)) * {scale!r}D, {-most!r}D), {most!r}D)"
    rooted = _place_of(sample) * _PARTS
    if not (sample.size and np.isfinite(scale)) or _crowd(sample, place) > max(
        _CROWD, _crowd(sample, rooted)
    ):
        place, text, least = rooted, f"({_place(x)}) * {_PARTS}D", min(_APART, 1 + fineness // _PARTS)
    return text, _cell(place, share * fineness, least, column)


def _crowd(sample: Array, place: Array) -> int:
    """How many different scores the fullest part holds."""
    _, first = np.unique(sample, return_index=True)
    return int(np.unique(np.floor(place[first]), return_counts=True)[1].max(initial=0))


def _cell(place: Array, cells: Array, least: int, column: int) -> str:
    first = int(np.floor(place.min(initial=0.0)))
    part = np.floor(place).astype(np.int64) - first
    held = np.bincount(part[part < _MOST_PARTS], cells[part < _MOST_PARTS], minlength=1)
    width = np.maximum(least, held.astype(np.int64))
    base = np.cumsum(width) - width
    last, end = first + width.size, int(width.sum())
    t, f = f"t{column}", f"f{column}"
    widths, bases = (
        f"get(array({', '.join(map(str, each.tolist()))}), {f} - ({first}))" for each in (width, base)
    )
    inside = f"{bases} + LEAST(CAST(({t} - {f}) * {widths} AS INT), {widths} - 1)"
    below, above = (f"CAST(FLOOR(({t} - ({at})) * {_APART}) AS INT)" for at in (first, last))
    return f"CASE WHEN {f} < {first} THEN {below} WHEN {f} < {last} THEN {inside} ELSE {end} + {above} END"


def _place_of(x: Array) -> Array:
    """The places of numbers on the axis, about as Spark finds them."""
    with np.errstate(all="ignore"):
        near = np.where(x < 0.5, _root_of(x), _TWICE - _root_of(1 - x))
        return np.where(x < 0, -_bent_of(-x), np.where(x <= 1, near, _TWICE + _bent_of(x - 1)))


def _root_of(x: Array) -> Array:
    return np.asarray(np.sqrt(np.sqrt(np.sqrt(np.sqrt(np.maximum(x, 0.0))))))


def _bent_of(x: Array) -> Array:
    far = np.minimum(_root_of(_root_of(x)), 16.0)
    return np.where(x < _BEND**16, _root_of(x), _BEND - 1 + far)


_TWICE = 2 * float(_root_of(np.array(0.5)))


def _place(x: str) -> str:
    """The place of a number on the axis in SQL."""
    near, above = f"{_TWICE!r}D - {_root(f'1D - {x}')}", f"{_TWICE!r}D + {_bent(f'({x} - 1D)')}"
    return (
        f"CASE WHEN {x} < 0D THEN -{_bent(f'(-{x})')} WHEN {x} < 0.5D THEN {_root(x)} "
        f"WHEN {x} <= 1D THEN {near} ELSE {above} END"
    )


def _root(x: str) -> str:
    return f"SQRT(SQRT(SQRT(SQRT({x}))))"


def _bent(x: str) -> str:
    """The 16th root; of large numbers, whose roots are far apart, the root of it, and 3 more."""
    far = f"LEAST({_root(_root(x))}, 16D)"
    return f"IF({x} < {_BEND**16!r}D, {_root(x)}, {_BEND - 1!r}D + {far})"
