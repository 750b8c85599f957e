"""A deployed rule looked after, batch by batch: are its limits kept, would another rule be better?

It stands on policies. It keeps counts, never a row, and every test is valid at each look, however often
one looks.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
