"""Changes of scores that a batch of another kind looks like."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rochull._core.validation import Array
from rochull.conditions.rules import Scores
from rochull.decisions.promises import LEAST_CASES
from rochull.decisions.score_kind import OUTSIDE, ScoreKind

_FITS = 0.01  # a p-value of changed scores by which they look as they should
_POSSIBLE = 1e-9  # one by which they may have drifted too
_FAR_BETTER = 1e10  # how many times that of the scores as they were given


def _fit(kind: ScoreKind, scores: Scores) -> float:
    size, *called = kind.counts_of(scores)
    return kind.pvalue(called, size) if size >= LEAST_CASES else 0.0


def look(kind: ScoreKind, scores: Scores) -> str | None:
    """Name what some scores of another kind look like; None if like nothing that is known."""
    values = np.asarray(scores.values[scores.present], float)
    if not values.size:
        return None
    if values.min() == values.max():
        return "constant"
    learnt = [rule.threshold for rule in kind.rules if rule.threshold is not None]
    shares = bool(learnt) and min(learnt) >= 0 and max(learnt) <= 1
    changed: Mapping[str, Array] = {}
    with np.errstate(over="ignore", divide="ignore"):
        if shares and values.min() >= 0 and values.max() <= 100:
            changed = {"percent": values / 100, "reversed": 1 - values}
        elif shares:
            changed = {"logits": 1 / (1 + np.exp(-values))}
        elif values.min() >= 0 and values.max() <= 1:
            changed = {"probabilities": np.log(values) - np.log1p(-values)}
        else:
            changed = {"reversed": -values}
    fits = {name: _fit(kind, Scores(own)) for name, own in changed.items()}
    best = max(fits, key=lambda name: fits[name])
    # Where even the right scores have drifted, what makes them far more likely is still what they look like.
    found, given = (fit - OUTSIDE for fit in (fits[best], _fit(kind, scores)))
    fits_far_better = found >= max(_POSSIBLE, _FAR_BETTER * given)
    return best if fits[best] >= _FITS or fits_far_better else None
