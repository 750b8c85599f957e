"""Operating conditions, which state what a decision maker wants; rules, operating points, and best points.

It stands on the core only, and computes in rationals. It never sees labelled examples: a frontier is
vertices in counts.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
