"""Maps from scores to likelihood ratios: PAV, logistic, beta, Venn-Abers, bounds on them, and repair of
concavities.

It stands on the hull, whose blocks PAV is. It never fits PAV a second time, and never loads a file that could
run code.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
