"""Rates that must be alike in groups of the population, exactly, and what that costs.

It stands on policies and hulls. It never changes a score: each group gets rules.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
