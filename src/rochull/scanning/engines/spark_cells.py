"""The counts of one column of scores by cells of its axis: classes, rows and buckets in one query of Spark.

Spark aggregates without Python, which costs less than handing every row over. Cells are as fine as the first
rows of the table have it, and nowhere coarser than a part of the axis; if these rows were no sample of the
others, the counts themselves are one, and a second query takes it. The axis tells numbers apart near 0 and 1
as a logarithm would. Cells are monotone, whatever the sample: they are buckets, and the lowest score that
each holds is where it begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._core.validation import Array
from rochull.hull.cut_map import CutMap
from rochull.hull.tallies import no_counts
from rochull.scanning.engines.spark_session import collected, first_rows, is_remote

_MOST = 1 << 20  # cells of both classes that are sent to the driver
_FIRST = 1 << 13  # rows that are looked at first
_PARTS = 1 << 9  # of a unit of the axis, which are divided evenly
_MOST_PARTS = 1 << 12
_APART = 1 << 14  # cells of a unit of the axis at least
_FEWEST, _USUAL, _FINEST = 1 << 12, 1 << 17, 1 << 19  # cells
_BYTES_A_CELL = 1 << 10
_UNKNOWN = 1 << 50  # a size that Spark gives to what it does not know
_BEND = 4.0  # from here on the axis is bent, so that all numbers have few cells
_TIES = 64
_FEW_ROWS = 32  # of a cell
_NARROW = 16  # parts of the axis; where scores lie in fewer, their own range is the axis
_UNEVEN = 4.0  # times the rows that even cells would have, where they are counted anew


@dataclass(frozen=True, eq=False)
class Cells:
    """Counts of a column's cells.

    Attributes
    ----------
    totals : an Arrow table of y (label), n (rows).
    rows : an Arrow table of y, cell, n, low (the lowest score).
    """

    totals: Any
    rows: Any

    @classmethod
    def of(cls, rows: Any, label: Any, score: Any, pos_label: object) -> Cells | None:
        """Count the rows of a data frame by label and by cell of the score, both Spark columns.

        None if some score is null or NaN, where labels are so many that they cannot be classes, and of rows
        that come from the driver or through Connect: Spark may look at each before it has read the query.
        """
        fineness = _fineness(rows)
        if not fineness:
            return None
        named = rows.select(label.alias("y"), score.alias("x"))
        first = first_rows(named.select("x"), _FIRST)
        sample = np.array([x for (x,) in first if x is not None], np.float64)
        cells = None
        is_told = _is_told(named, pos_label)
        for _ in range(2):
            place, cell = _divided(sample[~np.isnan(sample)], fineness)
            found = _counted(named, place, cell, is_told) or (is_told and _counted(named, place, cell, False))
            if not found:
                return None
            cells = cls(found.group_by("y").aggregate([("n", "sum")]).rename_columns(["y", "n"]), found)
            if not cells._is_uneven:
                break
            low, n = (found[name].to_numpy() for name in ("low", "n"))
            sample = np.repeat(low, -(-n * _FIRST // n.sum())).astype(np.float64)
        return cells

    @property
    def _is_uneven(self) -> bool:
        """Whether a row's cell has several times the rows that it would have if all had as many.

        The fullest cells are not looked at: they may be ties.
        """
        n = np.sort(self.rows["n"].to_numpy())[:-_TIES].astype(np.float64)
        return bool((n * n).sum() * min(_FEWEST, n.sum() / _FEW_ROWS) > _UNEVEN * n.sum() ** 2)

    def counts(self, positive: Any, dtype: np.dtype[Any]) -> tuple[CutMap, Array, Array]:
        """The buckets, and rows of positives and negatives in each, from high scores to low."""
        import pyarrow as pa
        import pyarrow.compute as pc

        chosen = pc.equal(self.rows["y"], pa.scalar(positive, self.rows["y"].type)).to_numpy()
        cell, n = self.rows["cell"].to_numpy(), self.rows["n"].to_numpy()
        low = self.rows["low"].to_numpy().astype(dtype) + dtype.type(0)  # -0.0 becomes 0.0
        order = np.lexsort((low, cell))
        cell = cell[order]
        first = np.append(True, cell[1:] != cell[:-1])
        counts = no_counts(2 * int(first.sum()), False).reshape(2, -1)
        np.add.at(counts, (chosen[order].astype(np.int8), np.cumsum(first) - 1), n[order])
        neg, pos = counts[:, ::-1].copy()
        return CutMap(low[order][first]), pos, neg


def _is_told(named: Any, pos_label: object) -> bool:
    """Whether y = 1 says which rows are positive, as far as types go."""
    kind = named.schema["y"].dataType.simpleString()
    if kind == "boolean":
        return pos_label is None or pos_label is True
    return kind in ("tinyint", "smallint", "int", "bigint") and (pos_label is None or pos_label == 1)


def _counted(named: Any, place: str, cell: str, is_told: bool) -> Any:
    """The rows of :class:`Cells`; None if something is not as it has to be."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyspark.sql import functions as F

    placed = named.select("y", "x", F.expr(place).alias("p"))
    by = F.expr(f"IF(ISNULL(x) OR ISNAN(x), NULL, {cell})").alias("cell")
    sums = [F.count("*").alias("n"), F.min("x").alias("low")]
    if is_told:  # half as many groups
        y = F.col("y").cast("bigint")
        sums += [
            F.sum(y).alias("pos"),
            F.sum(F.coalesce(y.isin(0, 1), F.lit(False)).cast("bigint")).alias("zeros_and_ones"),
        ]
    query = placed.groupBy(*([] if is_told else ["y"]), by).agg(*sums)
    found = collected(query.limit(_MOST + 1))
    if found.num_rows > _MOST or found["cell"].null_count:
        return None
    if not is_told:
        return found
    if not pc.all(pc.equal(found["n"], found["zeros_and_ones"])).as_py():
        return None
    kind = pa.bool_() if named.schema["y"].dataType.simpleString() == "boolean" else pa.int64()
    parts = []
    for code, n in ((1, found["pos"]), (0, pc.subtract(found["n"], found["pos"]))):
        part = found.select(["cell", "low"]).append_column("n", n).filter(pc.greater(n, 0))
        parts.append(part.append_column("y", pa.repeat(pa.scalar(code).cast(kind), part.num_rows)))
    return pa.concat_tables(parts)


def _fineness(rows: Any) -> int:
    """How many cells to divide: more for more rows, as far as Spark knows how large they are; 0 for none."""
    if is_remote(rows):
        return 0
    plan = rows._jdf.queryExecution().optimizedPlan()
    if "LocalRelation" in plan.toString():
        return 0
    size = int(str(plan.stats().sizeInBytes()))
    return _USUAL if size >= _UNKNOWN else max(_FEWEST, min(_FINEST, size // _BYTES_A_CELL))


def _divided(sample: Array, fineness: int) -> tuple[str, str]:
    """The place of a score x, and the number of the cell of a place p, in SQL."""
    sample = sample[np.isfinite(sample)]
    place, text = _place_of(sample), _place("CAST(x AS DOUBLE)")
    low, high = sample.min(initial=np.inf), sample.max(initial=-np.inf)
    with np.errstate(all="ignore"):
        scale = float(np.float64(2 * _NARROW / _PARTS) / np.float64(high - low))
    if sample.size and np.ptp(place) < _NARROW / _PARTS and np.isfinite(scale):
        place = (sample - low) * scale
        text = f"LEAST(GREATEST((CAST(x AS DOUBLE) - ({float(low)!r}D)) * {scale!r}D, -16D), 16D)"
    return text, _cell(place * _PARTS, fineness)


def _cell(place: Array, fineness: int) -> str:
    first = int(np.floor(place.min(initial=0.0)))
    part = np.floor(place).astype(np.int64) - first
    held = np.bincount(part[part < _MOST_PARTS], minlength=1)
    width = np.maximum(_APART // _PARTS, held * fineness // max(1, place.size))
    base = np.cumsum(width) - width
    last, end = first + width.size, int(width.sum())
    i = f"(CAST(FLOOR(p * {_PARTS}D) AS INT) - {first})"
    widths, bases = (f"get(array({', '.join(map(str, each.tolist()))}), {i})" for each in (width, base))
    inside = f"{bases} + LEAST(CAST((p * {_PARTS}D - FLOOR(p * {_PARTS}D)) * {widths} AS INT), {widths} - 1)"
    below, above = (f"CAST(FLOOR((p - {at / _PARTS!r}D) * {_APART}D) AS INT)" for at in (first, last))
    return (
        f"CASE WHEN p < {first / _PARTS!r}D THEN {below} WHEN p < {last / _PARTS!r}D THEN {inside} "
        f"ELSE {end} + {above} END"
    )


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
