"""The names of bounds on likelihood ratios, which `bounds.py` computes; the command line asks for no more."""

BOUNDS = ("laplace", "focal", "misleading", "elub", "invariance")
