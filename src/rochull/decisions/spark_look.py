"""A look at a data frame that Spark decides, counted by the job that runs anyway."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rochull._core.messages import Refusal
from rochull.decisions.batch_check import BatchCheck
from rochull.decisions.guard import Counted, Watch
from rochull.decisions.plans import Decide
from rochull.decisions.score_kind import ScoreKind
from rochull.scanning.engines.spark_totals import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass
class SparkLook:
    """A look at what Spark decides, by ``DataFrame.observe``: without a job of its own.

    Examples
    --------
    >>> import rochull as rh
    >>> policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]))
    >>> def decided(df, path):  # with a session of Spark
    ...     look = rh.policies.SparkLook()
    ...     condition = rh.ExpectedCost(cost_fn=5, prevalence=0.5)
    ...     rh.policies.spark_decide(df, policy, condition, look=look).write.parquet(path)
    ...     return look.check()
    """

    _watch: Watch = field(default_factory=Watch, init=False)
    _observed: Any = field(default=None, init=False)

    def added(
        self, df: Any, policy: Any, watch: Watch, column: str, columns: Mapping[str, str] | None
    ) -> Any:
        """Count a decided data frame in whatever job reads it; it may be read once.

        Parameters
        ----------
        df : pyspark.sql.DataFrame
            With the decisions.
        policy : Policy
            What decided.
        watch : Watch
            What it knows.
        column : str
            Where the decisions are.
        columns : mapping of str to str or None
            As for :meth:`Policy.to_sql`.

        Returns
        -------
        pyspark.sql.DataFrame
            The same, observed.
        """
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        self._watch, self._observed = watch, Observation()
        decided = F.col(quoted(column))
        counts = [F.count(F.lit(1)).alias("cases")]
        for word in watch.promises:
            called = decided if dict(df.dtypes)[column] == "boolean" else decided == word
            counts.append(F.count_if(called).alias(word))
        for k, kind in enumerate(watch.kinds):
            if not isinstance(kind, ScoreKind):
                continue
            name = quoted((columns or {}).get(str(kind.classifier), str(kind.classifier)))
            known = F.expr(f"{name} IS NOT NULL AND NOT isnan(CAST({name} AS DOUBLE))")
            counts.append(F.count_if(known).alias(f"known_{k}"))
            for i, rule in enumerate(kind.cuts):
                text = policy.decider.expressed(Decide(rule), "spark", columns=columns)
                counts.append(F.count_if(F.expr(text)).alias(f"called_{k}_{i}"))
        return df.observe(self._observed, *counts)

    def check(self, on_misfit: str = "keep") -> BatchCheck:
        """Tell what was counted, once an action on the data frame has ended.

        Parameters
        ----------
        on_misfit : {"keep", "warn", "refuse"}, default="keep"
            Whether what is unusual is an error; else it is a warning.

        Returns
        -------
        BatchCheck
            As :meth:`Policy.check` gives it, but for what the scores look like.
        """
        if self._observed is None:
            raise Refusal("nothing has been looked at: give this object to spark_decide, as look=.")
        found = self._observed.get
        of_kinds = [
            [found[f"known_{k}"], *(found[f"called_{k}_{i}"] for i in range(len(kind.cuts)))]
            if isinstance(kind, ScoreKind)
            else None
            for k, kind in enumerate(self._watch.kinds)
        ]
        decided = {word: found[word] for word in self._watch.promises}
        counted = Counted(found["cases"], of_kinds, decided, lambda kind: None)
        return self._watch.judged(counted).heeded(on_misfit)
