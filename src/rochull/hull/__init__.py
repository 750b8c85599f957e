"""The waist of the house: from labelled scores to ordered groups, blocks, ROC curves and the ROC convex hull,
which is PAV.

It stands on conditions, which say what is best on a hull, and on the kernels. It never asks where rows come
from, nor draws or stores what it finds.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
