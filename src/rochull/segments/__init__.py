"""Thresholds that vary with auxiliary features (Richman and Mannor's error redistribution): models, choice of
them, ranking of features, policies.

It stands on policies and hulls. It never retrains the classifier.
"""

from rochull._core.front_door import front_door

__getattr__, __dir__ = front_door(globals())
