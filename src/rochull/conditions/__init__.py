"""What a decision maker wants (conditions), what decides (rules and operating points), and the best point of
a frontier.

It stands on the core only, and computes in rationals. It never sees labelled examples: a frontier is
vertices in counts.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
