"""Decisions and calibrated scores as columns of a Spark data frame, of Spark itself or of Spark Connect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.table_errors import no_column
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.spark_look import SparkLook
from rochull.dialects.spark import MOST_BRANCHES
from rochull.scanning.engines.spark_session import worked
from rochull.scanning.engines.spark_totals import quoted

if TYPE_CHECKING:
    from rochull.calibration.base import Calibrator
    from rochull.conditions.base import Condition

_DOUBLES = ("tinyint", "smallint", "int", "float", "double")


def spark_decide(
    df: Any,
    policy: Any,
    condition: Condition | OperatingPoint | None = None,
    *,
    column: str = "decision",
    look: SparkLook | None = None,
    **options: Any,
) -> Any:
    """Decide every row of a Spark data frame.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With the columns that the policy reads.
    policy : Policy, GroupPolicy, CascadePolicy, FixedPolicy or MulticlassPolicy
        What decides.
    condition : Condition or OperatingPoint, optional
        As in the policy's `to_sql`; none for a :class:`rochull.policies.FixedPolicy`, which needs none.
    column : str, default="decision"
        The name of the new column: of booleans, or of words where there are more than two actions.
    look : SparkLook, optional
        Counts the rows in whatever job reads the data frame; its `check` then says whether the scores are of
        the kind that the policy was made from. Such a data frame is read once.
    **options
        Of the policy's `to_sql`: `key`, which a mixture needs, `columns`, `deterministic` and others.

    Returns
    -------
    pyspark.sql.DataFrame
        With the column; Spark evaluates it where the rows are, no row passes through Python.

    Raises
    ------
    ValueError
        If a name is unknown or unusable, or `key` is missing.

    Notes
    -----
    The decisions are those of the policy's `decide`, row by row; NULL and NaN pass no threshold.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> def decided(df):  # with a session of Spark
    ...     return rh.policies.spark_decide(df, policy, rh.ExpectedCost(cost_fn=5, prevalence=0.5))
    """
    from pyspark.sql import functions as F

    text = policy.to_sql(*(() if condition is None else (condition,)), "spark", **options)
    decided = df.withColumn(column, F.expr(text))
    if look is None:
        return decided
    how = {name: options[name] for name in ("deterministic", "minimax", "subject_to") if name in options}
    found = (
        None if condition is None or isinstance(condition, OperatingPoint) else policy.at(condition, **how)
    )
    watch = policy.watch(condition, found)
    return look.added(decided, policy, watch, column, options.get("columns"))


def spark_calibrate(
    df: Any,
    calibrator: Calibrator,
    score: str | Sequence[str] | Mapping[str, str],
    *,
    column: str = "posterior",
    what: str = "posterior",
    prevalence: float | None = None,
) -> Any:
    """Calibrate a column of scores of a Spark data frame, or several columns into one.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With the scores.
    calibrator : calibrator
        A fitted one of any kind.
    score : str, sequence of str or mapping of str to str
        The column of scores, or all columns that the calibrator reads: their names, or for each name that it
        knows the column where it is.
    column : str, default="posterior"
        The name of the new column, of doubles.
    what : {"posterior", "llr"}, default="posterior"
        Calibrated probabilities, or log-likelihood-ratios.
    prevalence : float, optional
        Proportion of positives among the cases, for posteriors; that of the training data if not given.

    Returns
    -------
    pyspark.sql.DataFrame
        With the column, which is NULL where a score is NULL or NaN.

    Raises
    ------
    ValueError
        If there is no such column, or `what` or the prevalence is none that there is.

    Notes
    -----
    A map becomes an expression of Spark SQL, as the calibrator's `to_sql` writes it, and is as near to the
    values of Python as that states: steps are the same bit for bit. What cannot be written, lines between
    many blocks, and columns of 64-bit integers or decimals, are computed bit for bit in Spark's Python
    workers, in batches, where rochull must be installed.

    Examples
    --------
    >>> import rochull as rh
    >>> calibrator = rh.PavCalibrator().fit([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])
    >>> def calibrated(df):  # with a session of Spark
    ...     return rh.policies.spark_calibrate(df, calibrator, "score", what="llr")
    """
    from pyspark.sql import functions as F

    from rochull.calibration.columns import columns_read

    scores = columns_read(calibrator, score)
    for name in scores:
        if name not in df.columns:
            raise no_column("table", name, df.columns)
    if what not in ("posterior", "llr"):
        raise refused("what", 'must be "posterior" or "llr", but is {}.', repr(what))
    if what == "llr" and prevalence is not None:
        raise Refusal("{}: log-likelihood-ratios do not depend on it.", Parameter("prevalence"))
    reading = _Reading(calibrator, what, prevalence)
    types = {name: df.schema[name].dataType.simpleString() for name in scores}
    text = _expression(calibrator, types, reading)
    if text is not None:
        return df.withColumn(column, F.expr(text))
    if column in scores:
        raise refused("column", "must have a name of its own, but is {}.", repr(column))
    from pyspark.sql.types import DoubleType, StructType

    names = [name for name in df.columns if name != column]
    # Names of our own: Spark would read a point or a backtick in a name as more than a name.
    rows = df.select(*(F.col(quoted(name)).alias(f"c{i}") for i, name in enumerate(names)))
    schema = StructType(list(rows.schema.fields)).add("new", DoubleType())
    work = partial(_added, reading=reading, scores={name: f"c{names.index(name)}" for name in scores})
    return worked(rows, work, schema).toDF(*names, column)


class _Reading:
    """A calibrator and what is asked of it."""

    def __init__(self, calibrator: Calibrator, what: str, prevalence: float | None) -> None:
        self.calibrator, self.what, self.prevalence = calibrator, what, prevalence
        self(np.zeros((1, calibrator.n_features_in_)))  # refuses what cannot be

    def __call__(self, scores: Array) -> Array:
        if self.what == "llr":
            return self.calibrator.llr(scores)
        return self.calibrator.posterior(scores, self.prevalence)


def _expression(calibrator: Calibrator, types: Mapping[str, str], reading: _Reading) -> str | None:
    """The map in SQL; None where doubles do not hold the scores, or SQL has no such name or no quick map."""
    if not set(types.values()) <= set(_DOUBLES):
        return None
    where: Any = list(types) if calibrator.n_columns != 1 else next(iter(types))
    try:
        text = calibrator.to_sql(where, "spark", reading.what, prevalence=reading.prevalence)
    except ValueError:
        return None
    return text if text.count("WHEN") <= 2 * MOST_BRANCHES else None


def _added(batches: Iterable[Any], reading: _Reading, scores: Mapping[str, str]) -> Iterator[Any]:
    """Batches with the new column, from the columns in which the scores are; runs in Spark's workers."""
    import pyarrow as pa

    from rochull.calibration.columns import side_by_side

    for batch in batches:
        columns = {name: _numbers(batch.column(place)) for name, place in scores.items()}
        mask = np.logical_and.reduce([known for _, known in columns.values()])
        values = np.zeros(mask.size)
        if mask.any():
            rows = pa.array(mask)
            read = {
                name: column.filter(rows).to_numpy(zero_copy_only=False)
                for name, (column, _) in columns.items()
            }
            several = len(read) > 1
            values[mask] = reading(side_by_side(read, "scores") if several else next(iter(read.values())))
        yield batch.append_column("new", pa.array(values, mask=~mask))


def _numbers(column: Any) -> tuple[Any, Array]:
    """A column of Arrow that NumPy reads as numbers, and where it is neither NULL nor NaN (n,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_decimal(column.type) or pa.types.is_boolean(column.type):
        column = column.cast(pa.float64() if pa.types.is_decimal(column.type) else pa.int8())
    known = pc.is_valid(column)
    if pa.types.is_floating(column.type):
        known = pc.and_(known, pc.invert(pc.fill_null(pc.is_nan(column), False)))
    return column, np.asarray(known.to_numpy(zero_copy_only=False), bool)
