"""The examples behind a report, and how to tell how sure its numbers are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, described, entries
from rochull._core.rows import refuse_other_order
from rochull._core.tables import all_columns
from rochull.conditions.ranges import exact

Facts = dict[str, Any]
BEHIND = EXAMPLES | entries("""
y_true : array-like of shape (n,)
    The labels that the hybrid was made from.
scores : mapping or data frame of columns of shape (n,)
    The scores of its classifiers, by name.
sample_weight : array-like of shape (n,), optional
    The weights that the hybrid was made from.
""")


@described(BEHIND)
@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The examples behind a report, and how to tell how sure its numbers are.

    A :class:`Hybrid` holds curves, but not the examples; give them again to :class:`Report`.

    Parameters
    ----------
    n_resamples : int, default=2000
        Bootstrap replicates, at least ``2 / (1 - level) - 1`` (39 for 0.95); none for 0.
    folds : array-like of shape (n,), optional
        The fold of each example, where the scores are out-of-fold.
    clusters : array-like of shape (n,), optional
        Whom each example belongs to (patient, customer): the bootstrap draws whole clusters.
    level : float, default=0.95
        Nominal coverage of the intervals, strictly between 0 and 1.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the bootstrap.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> y, scores = table["class"] == "bad", {"boosted": table["boosted"], "tree": table["tree"]}
    >>> hybrid = rh.Hybrid().add("boosted", y, scores["boosted"]).add("tree", y, scores["tree"])
    >>> sure = rh.report.Uncertainty(y, scores, n_resamples=200, folds=table["fold"])
    >>> found = rh.Report(hybrid, rh.NeymanPearson(0.1), uncertainty=sure).facts["uncertainty"]
    >>> [round(found["bootstrap"]["classifiers"][1]["auc"][end], 2) for end in ("low", "high")]
    [0.68, 0.75]
    >>> round(found["folds"]["chosen"]["tpr"]["sem"], 2)
    0.03
    """

    y_true: ArrayLike
    scores: Mapping[str, ArrayLike]
    n_resamples: int = 2000
    folds: ArrayLike | None = None
    clusters: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    pos_label: object = None
    level: float = 0.95
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not self.n_resamples and self.folds is None:
            raise ValueError("n_resamples is 0 and there are no folds: nothing would tell how sure it is.")
        if self.clusters is not None and not self.n_resamples:
            raise ValueError("clusters have no effect with n_resamples=0.")
        level = validation.probability(self.level, "level", open_ends=True)
        if self.n_resamples:
            require_enough(self.n_resamples, level)
        given: Any = self.scores  # may be a data frame, which is neither true nor false
        columns = {} if isinstance(given, Mapping) and not given else all_columns(given, "scores")
        if None in columns:
            raise ValueError("scores must hold a named column for each classifier.")
        names = ("y_true", "scores", "folds", "clusters", "sample_weight")
        refuse_other_order({name: getattr(self, name) for name in names})
        object.__setattr__(self, "scores", dict(columns))
        object.__setattr__(self, "y_true", validation.binary_labels(self.y_true, self.pos_label))


def require_enough(n_resamples: int, level: float) -> None:
    """Raise unless the replicates reach to the quantiles of the level."""
    from rochull.uncertainty.resampling import is_count

    least = max(2, math.ceil(2 / (1 - exact(level)) - 1))
    if not is_count(n_resamples) or n_resamples < least:
        raise ValueError(
            f"n_resamples must be an integer of at least {least} for {100 * level:g} % intervals, but is "
            f"{n_resamples!r}."
        )
