"""Hulls, curves and areas of many columns of scores, in segments and folds, in the same two passes over a
table.

It stands on the hull's `refine`, which does not know who scans, and on engines that read: memory, DuckDB,
Spark. It never sorts all rows, and never holds a table that is larger than the memory it was given.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
