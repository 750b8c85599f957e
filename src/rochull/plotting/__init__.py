"""Displays: `compute` gives the numbers, `from_predictions` and `from_estimator` draw them too, `plot` draws
them again.

It stands on every wing that has numbers, and on matplotlib, which is an extra. It never computes while it
draws.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
