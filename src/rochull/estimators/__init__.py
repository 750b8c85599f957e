"""Estimators of scikit-learn that train classifiers and decide by what the other wings find.

It stands on every wing that fits something. It never judges a classifier on the examples that it was trained
on, unless asked to.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
