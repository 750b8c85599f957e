"""Descriptions of parameters that many functions of the wing share; a docstring says only what differs."""

from __future__ import annotations

from rochull._core.docstrings import EXAMPLES, entries

PARAMETERS = EXAMPLES | entries("""
score_b : array-like of shape (n,) or (m,)
    Scores of the second one, on the same examples (paired) unless `y_true_b` is given.
y_true_b : array-like of shape (m,), optional
    Labels of other, independent examples, that `score_b` belongs to (unpaired).
level : float, default=0.95
    Nominal coverage of each interval, strictly between 0 and 1.
clusters : array-like of shape (n,), optional
    Whom each example belongs to (patient, customer): whole clusters are drawn, or left out.
sample_weight : array-like of shape (n,), optional
    Weights go with the examples. One of weight zero is left out; constant weights are as none.
random_state : int, Generator, RandomState or None
    Seed. Results do not depend on the number of threads.
progress : bool or str, optional
    Show a progress bar on stderr, with this label; if not given, on a terminal when it takes long.
""")
