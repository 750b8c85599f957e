"""Searches for operating points of several classes: exact along one weight, greedy, or by decomposition.

They stand on measures of confusion matrices, and on sweeps. They never report a point that they did not
replay.
"""
