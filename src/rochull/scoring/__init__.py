"""How good scores, probabilities and likelihood ratios are: proper scoring rules, their minimum over a hull,
Cllr, costs and curves of them.

It stands on the hull. It never recalibrates what it judges.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
