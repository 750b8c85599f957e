"""Readers of tables: in memory, by DuckDB, by Spark.

Each imports its engine inside its functions only. They never count or decide: they answer the tasks of a
scan.
"""
