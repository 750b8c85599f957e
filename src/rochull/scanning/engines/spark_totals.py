"""Facts about a Spark data frame that a scan needs before its passes: types, classes, groups, weights."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.table_errors import have_nulls, no_column
from rochull._core.tables import positive_label
from rochull._core.validation import Array
from rochull.hull.refine import ChangedError
from rochull.hull.tallies import Spread
from rochull.scanning.engines import spark_cells
from rochull.scanning.engines.spark_session import collected
from rochull.scanning.engines.table import Column, ScanGroup, groups_of

_TYPES = {
    "boolean": np.int8, "tinyint": np.int8, "smallint": np.int16, "int": np.int32, "bigint": np.int64,
    "float": np.float32, "double": np.float64,
}  # fmt: skip
_MOST_GROUPS = 1 << 17


@dataclass(frozen=True, eq=False)
class Totals:
    """Facts about a table.

    Attributes
    ----------
    types : the type of each column of scores.
    groups : all rows, segments, folds.
    values : the values of the segments and of the folds (Arrow arrays), by their first group.
    weighted, keyed : whether there is a column of weights, and one of keys.
    counted : the cells of every column.
    """

    types: dict[str, np.dtype[Any]]
    groups: tuple[ScanGroup, ...]
    values: dict[int, Any]
    weighted: bool
    keyed: bool
    counted: dict[Column, spark_cells.CellCounts]


def table_totals(
    df: Any, *, label: str, scores: Sequence[str], weight: str | None, segment: str | None,
    fold: str | None, pos_label: object, where: str | None, key: str | None,
    lower_is_positive: Collection[str] = (),
) -> tuple[Any, Totals]:  # fmt: skip
    """The rows with columns of our own names, and their totals: one reading, where weights are whole numbers.

    Others are added up before, in one more. Where something is missing another reading tells what, and where
    labels or groups are many, how many.
    """
    from pyspark.sql import functions as F

    kinds = {kind: name for kind, name in (("segment", segment), ("fold", fold)) if name is not None}
    needed = [label, *scores, *([weight] if weight else []), *kinds.values(), *([key] if key else [])]
    rows = _chosen(df, needed, where)
    types = {name: _type(rows, name) for name in scores}
    columns = {kind: F.col(quoted(name)).alias(kind) for kind, name in kinds.items()}
    key_type = _key_type(rows, key)
    types |= {name: np.dtype(np.int64) for name in lower_is_positive if types[name].kind != "f"}
    sent = [_sent(name, types[name], name in lower_is_positive) for name in scores]
    null = [F.col(quoted(name)).isNull() for name in needed if name != weight]
    named = [*(column.alias(f"x{i}") for i, column in enumerate(sent)), *columns.values(),
             reduce(or_, null).alias("is_bad")]  # fmt: skip
    options: dict[str, Any] = {"kinds": ("all", *kinds), "fineness": spark_cells.fineness(rows)}
    weights = [F.col(quoted(weight)).cast("double").alias("w")] if weight else []
    told = spark_cells.is_told(rows.schema[label].dataType.simpleString(), pos_label)
    named_rows = rows.select(F.col(quoted(label)).alias("y"), *named, *weights)
    cells = spark_cells.count_cells(named_rows, len(scores), told=told, **options)
    if cells is not None:
        tables = {kind: cells.totals(kind) for kind in options["kinds"]}
    else:
        grouped = rows.groupBy(F.col(quoted(label)).alias("y"), *columns.values())
        checks = [F.count("*").alias("n"), *_checks(scores, types, weight, key)]
        found = collected(grouped.agg(*checks).limit(_MOST_GROUPS + 1))
        _refuse(found, label, scores, weight, kinds, key=key)
        tables = dict.fromkeys(options["kinds"], found)
    chosen = positive = _positive(tables["all"], label, pos_label)
    parts, values = _groups(tables, kinds, chosen)
    _refuse_light(parts, weight)
    renamed = [_is_positive(label, chosen).alias("y")]
    if cells is None:
        named_rows, positive = rows.select(*renamed, *named, *weights), 1
        by_kind = dict(zip(kinds, values.items(), strict=True))
        cells = _known_cells(named_rows, parts, by_kind if weight else None, len(scores), options)
    opened = cells.opened(scores, types, positive, values)
    if cells.in_ones:
        opened = _scaled(opened, parts)
    renamed += [*(column.alias(f"s{i}") for i, column in enumerate(sent)), *weights]
    renamed += [F.col(quoted(key)).cast(key_type).alias("k")] if key else []
    renamed += [F.col(quoted(kinds[k])).alias(f"g{first}") for k, first in zip(kinds, values, strict=True)]
    return rows.select(*renamed), Totals(types, parts, values, weight is not None, key is not None, opened)


def _groups(
    tables: Mapping[str, Any], kinds: Mapping[str, str], chosen: Any
) -> tuple[tuple[ScanGroup, ...], dict[int, Any]]:
    """The groups of all kinds, and the values of segments and folds by their first group."""
    totals: dict[str, Any] = {"all": _summed(tables["all"], chosen, None, [None])}
    values, first = {}, 1
    for kind, name in kinds.items():
        codes, labels, values[first] = _codes(tables[kind][kind], f"{kind} column {name!r}")
        totals[kind] = _summed(tables[kind], chosen, codes, labels)
        first += len(labels)
    return groups_of(totals), values


def _known_cells(
    rows: Any,
    parts: Sequence[ScanGroup],
    weighted: Mapping[str, tuple[int, Any]] | None,
    columns: int,
    options: Mapping[str, Any],
) -> spark_cells.Cells:
    """The cells of rows whose groups are known, and if they are weighted the values of these."""
    if weighted is not None:
        rows = _in_units(rows, parts, weighted)
    cells = spark_cells.count_cells(rows, columns, told=True, n_groups=len(parts) - 1, **options)
    if cells is None:
        raise ChangedError()
    return cells


def _in_units(rows: Any, parts: Sequence[ScanGroup], values: Mapping[str, tuple[int, Any]]) -> Any:
    """The rows with their weights in the units of each kind of group."""
    import pyarrow as pa
    from pyspark.sql import functions as F

    pair = parts[0].units.pair.tolist()
    rows = rows.selectExpr("*", *(f"{unit!r}D AS all_{y}" for y, unit in enumerate(pair)))
    for kind, (first, labels) in values.items():
        pairs = np.array([parts[first + i].units.pair for i in range(len(labels))])
        units = pa.table({kind: labels, f"{kind}_0": pairs[:, 0], f"{kind}_1": pairs[:, 1]})
        rows = rows.join(F.broadcast(rows.sparkSession.createDataFrame(units)), kind, "left")
    each = (f"CAST(RINT(w * IF(y = 1, {k}_1, {k}_0)) AS BIGINT) AS units_{k}" for k in ("all", *values))
    return rows.selectExpr("*", *each).drop("w")


def _scaled(
    opened: Mapping[Column, spark_cells.CellCounts], parts: Sequence[ScanGroup]
) -> dict[Column, spark_cells.CellCounts]:
    """Counts of weights that are whole numbers in the units of their groups."""
    scaled = {}
    for (name, number), found in opened.items():
        of_neg, of_pos = map(int, parts[number].units.pair.tolist())
        pos, neg = found.pos * of_pos, found.neg * of_neg
        scaled[name, number] = spark_cells.CellCounts(found.buckets, pos, neg, found.rows)
    return scaled


def _refuse_light(parts: Sequence[ScanGroup], weight: str | None) -> None:
    """Raise where weights need more than 62 bits."""
    wide = [part.units for part in parts if part.units.is_wide]
    if wide:
        light = min(wide, key=lambda units: units.lightest or 0.0)
        raise refused(
            "weight",
            "column {}: its lightest weights are too light beside their class's total{} for Spark, "
            "where weights are held in 62 bits; leave rows of next to no weight out, or scan the "
            "table with DuckDB or in memory, which add up weights of any spread.",
            repr(weight),
            light.lightest_told,
        )


def _chosen(df: Any, names: Sequence[str], where: str | None) -> Any:
    """The needed columns of the rows that are asked for."""
    from pyspark.errors import PySparkException

    from rochull._core.file_queries import first_sentence

    present = list(df.columns)
    for name in names:
        if name not in present:
            raise no_column("table", name, present)
    if where is not None:
        try:
            df = df.where(where)
            df.schema  # noqa: B018  # Connect looks at the condition only when it is asked
        except PySparkException as error:
            raise Refusal("{}: {}", Setting("where", where), first_sentence(error)) from None
    return df.select(*(quoted(name) for name in dict.fromkeys(names)))


def _type(rows: Any, name: str) -> np.dtype[Any]:
    found = rows.schema[name].dataType.simpleString()
    if found.startswith("decimal"):
        return np.dtype(np.float64)
    if found not in _TYPES:
        raise ValueError(f"score column {name!r} must hold numbers, but has type {found}.")
    return np.dtype(_TYPES[found])


def _score(name: str, dtype: np.dtype[Any]) -> Any:
    from pyspark.sql import functions as F

    spark = next(kind for kind, of in reversed(_TYPES.items()) if of == dtype)
    return F.col(quoted(name)).cast(spark)


def _sent(name: str, dtype: np.dtype[Any], lower_is_positive: bool) -> Any:
    """A column of scores as workers get it."""
    column = _score(name, dtype)
    return _negated(column, name, dtype) if lower_is_positive else column


def _negated(column: Any, name: str, dtype: np.dtype[Any]) -> Any:
    """As :func:`rochull._core.validation.negated` does it."""
    from pyspark.sql import functions as F

    turned = F.lit(0) - column
    if dtype.kind == "f":
        return turned
    why = F.lit(f"score column {name!r} holds {-(2**63)}, whose negative does not fit 64 bits.")
    return F.when(column == F.lit(-(2**63)), F.raise_error(why)).otherwise(turned)


def _key_type(rows: Any, key: str | None) -> str:
    """The type that keys are sent in."""
    found = "bigint" if key is None else rows.schema[key].dataType.simpleString()
    if found in {"tinyint", "smallint", "int", "bigint"}:
        return "bigint"
    if found == "string" or found.startswith(("varchar", "char")):
        return "string"
    raise refused("key", "column {} must hold integers or strings, but has type {}.", repr(key), found)


def _checks(
    scores: Sequence[str], types: Mapping[str, np.dtype[Any]], weight: str | None, key: str | None
) -> list[Any]:
    """Aggregates that count what must not be there, and sum the weights."""
    from pyspark.sql import functions as F

    def number(condition: Any) -> Any:
        return F.coalesce(F.sum(condition.cast("bigint")), F.lit(0))

    checks = []
    for i, name in enumerate(scores):
        column = F.col(quoted(name))
        checks.append(number(column.isNull()).alias(f"null{i}"))
        if types[name].kind == "f":
            checks.append(number(F.isnan(column.cast("double"))).alias(f"nan{i}"))
    if weight:
        column = F.col(quoted(weight)).cast("double")
        bad = F.isnan(column) | (column < 0) | (column == F.lit(float("inf")))
        checks += [number(column.isNull()).alias("nullw"), number(bad).alias("bad"), F.sum(column).alias("w")]
        least = F.coalesce(F.min(F.when(column > 0, column)), F.lit(float("inf")))
        fraction = F.sum(column - F.floor(column).cast("double"))
        checks += [least.alias("least"), F.max(column).alias("most"), fraction.alias("fraction")]
    if key:
        checks.append(number(F.col(quoted(key)).isNull()).alias("nullk"))
    return checks


def _refuse(
    found: Any, label: str, scores: Sequence[str], weight: str | None, kinds: Mapping[str, str],
    *, key: str | None,
) -> None:  # fmt: skip
    """Raise for nulls, NaN and bad weights."""
    if found.num_rows == 0:
        raise ValueError("table has no rows.")
    if found.num_rows > _MOST_GROUPS:
        named = " and ".join(repr(name) for name in (label, *kinds.values()))
        raise ValueError(f"{named}: more than {_MOST_GROUPS:,} values or combinations; they are not classes.")
    n = found["n"].to_numpy()
    rows = int(n.sum())
    nulls = [(name, int(n[_null(found[c])].sum())) for c, name in (("y", label), *kinds.items())]
    nulls += [(name, int(found[f"null{i}"].to_numpy().sum())) for i, name in enumerate(scores)]
    if weight:
        nulls.append((weight, int(found["nullw"].to_numpy().sum())))
    if key:
        nulls.append((key, int(found["nullk"].to_numpy().sum())))
    lacking = {name: count for name, count in nulls if count}
    if lacking:
        raise have_nulls(lacking, rows)
    for i, name in enumerate(scores):
        if f"nan{i}" in found.column_names and (count := int(found[f"nan{i}"].to_numpy().sum())):
            raise ValueError(
                f"score column {name!r} has {count} NaN in {rows} rows; remove those rows first."
            )
    if weight and (count := int(found["bad"].to_numpy().sum())):
        raise refused(
            "weight",
            "column {} must be finite and not negative, but {} of {} rows are not.",
            repr(weight),
            count,
            rows,
        )


def _null(column: Any) -> Array:
    return np.asarray(column.is_null().to_numpy())


def _distinct(column: Any) -> list[Any]:
    return list(dict.fromkeys(column.to_pylist()))


def _positive(found: Any, label: str, pos_label: object) -> Any:
    """The label of positives."""
    distinct = _distinct(found["y"])
    name = f"label column {label!r}"
    labels = np.asarray(distinct)
    chosen = positive_label(pos_label, labels)
    if len(distinct) == 1:
        raise refused(name, "has one class only: all labels are {}.", repr(distinct[0]))
    is_positive = validation.binary_labels(labels, chosen, name)
    return distinct[int(np.flatnonzero(np.equal(is_positive, 1))[0])]


def _is_positive(label: str, value: Any) -> Any:
    from pyspark.sql import functions as F

    return (F.col(quoted(label)) == F.lit(value)).cast("tinyint")


def _codes(column: Any, name: str) -> tuple[Array, list[Any], Any]:
    """The code of each row of the totals, the labels of the codes, and both as an Arrow array."""
    import pyarrow as pa

    distinct = _distinct(column)
    codes, labels = validation.codes_1d(distinct, name)
    by_code = sorted(zip(codes.tolist(), distinct, strict=True), key=lambda pair: int(pair[0]))
    code_of = {value: code for code, value in by_code}
    values = pa.array([value for _, value in by_code], column.type)
    return np.array([code_of[value] for value in column.to_pylist()]), labels, values


def _summed(
    found: Any, chosen: Any, codes: Array | None, labels: Sequence[Any]
) -> tuple[Sequence[Any], Array, Spread | None]:
    """The labels, and rows (v, 2) and spread of the weights (v, 2) of their groups."""
    positive, size = np.array([y == chosen for y in found["y"].to_pylist()], np.int64), 2 * len(labels)
    both = positive if codes is None else 2 * codes + positive
    rows = np.zeros(size, np.int64)
    np.add.at(rows, both, found["n"].to_numpy())
    if "units" in found.column_names:  # whole numbers, which are told apart from others by that alone
        total = found["units"].to_numpy().astype(float)
        spread = Spread(total, np.where(total > 0, 1.0, np.inf), total, np.ones(total.size, bool))
        return labels, rows.reshape(-1, 2), Spread.by_code(both, spread, size).reshape(-1, 2)
    if "w" not in found.column_names:
        return labels, rows.reshape(-1, 2), None
    columns = (found[name].to_numpy() for name in ("w", "least", "most", "fraction"))
    total, least, most, fraction = (np.asarray(column, float) for column in columns)
    spread = Spread.by_code(both, Spread(total, least, most, fraction == 0), size)
    return labels, rows.reshape(-1, 2), spread.reshape(-1, 2)


def quoted(name: str) -> str:
    """A column's name that Spark takes for nothing else."""
    return "`" + name.replace("`", "``") + "`"
