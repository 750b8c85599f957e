"""The SQL of Databricks. No server is at hand: the tests parse the text, and Spark's own is evaluated."""

from __future__ import annotations

from rochull.dialects.spark import Spark


class Databricks(Spark):
    """Databricks SQL, which says all of this as Spark does."""

    name, label, syntax = "databricks", "Databricks", "databricks"
