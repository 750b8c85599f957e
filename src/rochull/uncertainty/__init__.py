"""How sure a number is: the bootstrap, DeLong's covariances, exact intervals of rates, bands, tests of
curves, optimism.

It stands on the hull and on scoring. It never draws without a `random_state`, and never depends on the number
of threads.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
