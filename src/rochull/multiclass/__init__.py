"""More than two classes: operating points are weights of the classes, found by search, chosen within limits,
averaged, deployed.

It stands on policies and averaging. It never reduces classes to pairs unless asked to.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
