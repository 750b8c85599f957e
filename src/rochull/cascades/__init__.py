"""Cascades: classifiers in an order, of which the next is asked only where it is worth its price.

They stand on rules, hulls and plans. They never ask a classifier for a case that is decided without it.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
