"""Deployed rules of two classes, or a plan of any policy, as a JSON document that decides in Python, SQL and
Spark; the knob; the prevalence of new cases.

It stands on conditions, hulls and calibration; deciding with a saved policy needs NumPy only. It never needs
the examples that a policy was made from.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
