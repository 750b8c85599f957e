"""Operating points averaged over folds, with variances and paired tests (Paclik et al. 2008), and scores from
a rotation.

It stands on conditions and the hull. It never keeps more than the rows and one table of counts in memory.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
