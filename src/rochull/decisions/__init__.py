"""Decisions on cases, and how they are made and written: plans, the columns that they need, which
segment a case is in, batches, SQL and Spark.

It stands on rules, hulls and calibration. It never chooses what is best: whoever does gives a plan.
"""
