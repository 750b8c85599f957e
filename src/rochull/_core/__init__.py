"""What every wing stands on: checked input, threads, files, documents, keys of rows, tables, and compiled
kernels.

It stands on NumPy alone where it can; whatever is heavier is imported inside the functions that need it. It
never knows what a hull, a condition or a rule is.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__, __all__ = front_door(globals())
