"""A Spark data frame counted between the thresholds of a policy: what `performance` and monitors read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.results import Result
from rochull._core.table_errors import no_column
from rochull._core.tables import some_labels
from rochull._core.validation import Array
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.plans import Decide
from rochull.decisions.score_columns import of_policy
from rochull.policies.learnt import cuts_of
from rochull.scanning.engines.spark_totals import quoted

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.policies.policy import Policy


@dataclass(frozen=True)
class BatchCounts(Result):
    """A batch in groups of cases that no threshold of a policy tells apart.

    Attributes
    ----------
    scores : mapping of str to ndarray of shape (g,)
        By classifier, a score of each group that occurs in it: the least one; NaN where there is none.
    labels : ndarray of shape (g,) or None
        1, 0, or NaN where there is none.
    count : ndarray of int, shape (g,)
        How many cases there are in each group.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> scores = {"score": np.array([0.2, 0.9])}
    >>> print(rh.policies.BatchCounts(scores, None, np.array([700, 300])))
    1,000 cases in 2 groups
    """

    scores: Mapping[str, Array]
    labels: Array | None
    count: Array

    def __str__(self) -> str:
        return f"{int(self.count.sum()):,} cases in {len(self.count):,} groups"


@takes_condition
def spark_counts(
    df: Any,
    policy: Policy,
    condition: Condition | OperatingPoint,
    label: str | None = None,
    *,
    pos_label: object = None,
    columns: Mapping[str, str] | None = None,
) -> BatchCounts:
    """Count a Spark data frame between the thresholds of a policy.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        With a column for each classifier by which the policy decides. Others of the policy are counted where
        they have a column.
    policy : Policy
        That decides.
    condition : Condition or OperatingPoint
        Under which it does.
    label : str, optional
        Column of the labels, null where one is not known.
    pos_label : object, optional
        The label of the positive class.
    columns : mapping of str to str, optional
        As for :meth:`Policy.decide`.

    Returns
    -------
    BatchCounts
        For ``policy.performance(found.scores, condition, found.labels, count=found.count)`` and
        ``monitor.update(found.scores, found.labels, count=found.count)``, which tell the same as they would
        of the rows.

    Raises
    ------
    ValueError
        If a column is missing.

    Notes
    -----
    One aggregation; Spark evaluates it where the rows are, and the driver receives a row for each group, of
    which there are about as many as the hull has vertices.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> def judged(df):  # with a session of Spark
    ...     condition = rh.ExpectedCost(cost_fn=5, prevalence=0.5)
    ...     found = rh.policies.spark_counts(df, policy, condition, "outcome")
    ...     return policy.performance(found.scores, condition, found.labels, count=found.count)
    """
    from pyspark.sql import functions as F

    point = condition if isinstance(condition, OperatingPoint) else policy.at(condition)
    every = policy.classifiers
    places = {name: name for name in every} | of_policy(columns or {}, every)
    needed = [*point.classifiers, *(name for name in every if columns and name in columns)]
    for column in (*(places[name] for name in needed), *([] if label is None else [label])):
        if column not in df.columns:
            raise no_column("df", column, df.columns)
    cuts = cuts_of(policy.hull, point)
    names = [name for name in cuts if places[name] in df.columns]
    how = {name: places[name] for name in names}
    found = df
    for i, name in enumerate(names):
        own = quoted(places[name])
        texts = [policy.decider.expressed(Decide(rule), "spark", columns=how) for rule in cuts[name]]
        there = F.expr(f"{own} IS NOT NULL AND NOT isnan(CAST({own} AS DOUBLE))")
        passed = sum((F.expr(f"({text})").cast("int") for text in texts), F.lit(0))
        found = found.withColumn(f"__place_{i}", F.when(there, passed).otherwise(F.lit(-1)))
    keys = [f"__place_{i}" for i in range(len(names))] + ([] if label is None else [quoted(label)])
    least = [F.min(quoted(places[name])).alias(f"__least_{i}") for i, name in enumerate(names)]
    rows = found.groupBy(*keys).agg(F.count(F.lit(1)).alias("__count"), *least).toArrow()
    columns_found = [rows.column(j).to_numpy(zero_copy_only=False) for j in range(rows.num_columns)]
    place, counts = columns_found[: len(names)], columns_found[len(keys)]
    scores = {}
    for name, at, own in zip(names, place, columns_found[len(keys) + 1 :], strict=True):
        scores[name] = _least(at, np.asarray(own))
    truth = None if label is None else some_labels(columns_found[len(names)], pos_label, "label")
    return BatchCounts(scores, truth, np.asarray(counts, np.int64))


def _least(place: Array, scores: Array) -> Array:
    """The least score of each place (g,): rows of one place have one score, whatever else they have."""
    own = scores.astype(scores.dtype if scores.dtype.kind in "fiu" else float)
    found = own.copy()
    for each in np.unique(place):
        at = place == each
        found[at] = own[at].min() if each >= 0 else np.nan
    return found
