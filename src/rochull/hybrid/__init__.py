"""Several classifiers as one: the union of their hulls, who is optimal where, and what conditions that are
known roughly leave open.

It stands on policies and hulls. It never interpolates scores between classifiers: a mixture is a mixture of
rules.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
