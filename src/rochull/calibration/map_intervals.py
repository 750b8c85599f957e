"""How sure a calibrated posterior and likelihood ratio is, at a case's score: the map fitted to resamples."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.results import Interval, Result
from rochull._core.rows import same_rows
from rochull._core.validation import Array
from rochull.calibration.base import PARAMETERS, Calibrator
from rochull.calibration.columns import read_columns, score_columns
from rochull.calibration.map_values import posterior_of_ratio
from rochull.conditions.ranges import exact
from rochull.uncertainty.bootstrap_intervals import quantiles
from rochull.uncertainty.parameters import PARAMETERS as UNCERTAIN

_TOLD = UNCERTAIN | {name: PARAMETERS[name] for name in ("X", "y", "sample_weight", "scores")}


@dataclass(frozen=True, eq=False)
class MapIntervals(Result):
    """Intervals of what a calibrator says of some scores; each for itself, not for all at once.

    Attributes
    ----------
    llr : Interval
        Of log-likelihood-ratios (m,), natural logs.
    posterior : Interval
        Of posteriors (m,) at `prevalence`.
    prevalence : float
        The prior, which is taken as known.

    Examples
    --------
    >>> import rochull as rh
    >>> scores, y = [0.1, 0.2, 0.6, 0.5, 0.8, 0.9], [0, 0, 0, 1, 1, 1]
    >>> made = rh.LogisticCalibrator(targets="platt")
    >>> found = rh.calibration.bootstrap_map(made, scores, y, [0.9], n_resamples=39, random_state=0)
    >>> [end.round(2).tolist() for end in (found.posterior.low, found.posterior.high)]
    [[0.7], [0.99]]
    """

    llr: Interval
    posterior: Interval
    prevalence: float


@described(_TOLD)
def bootstrap_map(
    calibrator: Calibrator,
    X: Any,
    y: ArrayLike,
    scores: ArrayLike,
    *,
    prevalence: float | None = None,
    level: float = 0.95,
    n_resamples: int = 999,
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: Any = None,
) -> MapIntervals:
    """Compute how sure calibrated LLRs and posteriors are, by fitting the map to resampled cases.

    Parameters
    ----------
    calibrator : calibrator
        Such as a :class:`PavCalibrator`; only its parameters matter, whether it is fitted or not.
    prevalence : float, optional
        Proportion of positives at which posteriors hold; that of the data if not given.
    n_resamples : int, default=999
        As many maps are fitted. Cases are drawn within their class; whole clusters from all.

    Returns
    -------
    MapIntervals
        By percentiles.

    See Also
    --------
    Calibrator.interval : A band for finite samples and all scores at once; wider.

    Notes
    -----
    A resample to which no map can be fitted, as of classes that are separated, counts as an LLR that is
    infinite in either direction, so that ends are infinite where there are many of them. They hold for each
    score by itself, and for the map that a calibrator finds of very many cases: not for the truth, where
    that is of another shape. How often they cover is measured in the guide on uncertainty.

    References
    ----------
    Davison & Hinkley 1997, sections 2.4 and 5.3.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> bad = table["class"] == "bad"
    >>> found = rh.calibration.bootstrap_map(
    ...     rh.BetaCalibrator(), table["boosted"], bad, [0.2, 0.8], n_resamples=99, random_state=0
    ... )
    >>> found.llr.estimate.round(2).tolist(), found.posterior.estimate.round(2).tolist()
    ([-0.06, 1.37], [0.29, 0.63])
    >>> found.llr.low.round(2).tolist(), found.llr.high.round(2).tolist()
    ([-0.24, 1.23], [0.11, 1.62])
    """
    tail = (1 - exact(validation.probability(level, "level", open_ends=True))) / 2
    count = validation.whole(n_resamples, "n_resamples", math.ceil(1 / tail) - 1)
    first = clone(calibrator).fit(X, y, sample_weight)
    several = first.n_columns != 1
    values = score_columns(X, "X")[0] if several else validation.scores_1d(X, "X")
    new = read_columns(first, scores, "scores") if several else validation.scores_1d(scores, "scores")
    same_rows(X=X, y=y, clusters=clusters)
    positive = validation.labels_beside(y, first.pos_label, "y", X, "X")
    weights = None if sample_weight is None else validation.weights_1d(sample_weight)
    share = first.prevalence_
    if prevalence is not None:
        share = validation.probability(prevalence, "prevalence", open_ends=True)
    groups = None if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1].ravel()
    seeds = np.random.SeedSequence(validation.entropy(random_state)).spawn(count)
    low, high = np.empty((2, count, len(new)))
    again = clone(calibrator).set_params(pos_label=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of what was said of the cases themselves
        for i, seed in enumerate(seeds):
            rows = _drawn(positive == 1, groups, np.random.default_rng(seed))
            try:
                again.fit(values[rows], positive[rows], None if weights is None else weights[rows])
                low[i] = high[i] = again.llr(new)
            except ValueError:
                low[i], high[i] = -math.inf, math.inf
    llr = Interval(
        quantiles(low, tail)[0], quantiles(high, tail)[1], first.llr(scores), level,
        f"bootstrap, {count} resamples",
    )  # fmt: skip
    low_end, high_end, estimate = (
        posterior_of_ratio(np.asarray(end), share) for end in (llr.low, llr.high, llr.estimate)
    )
    return MapIntervals(llr, Interval(low_end, high_end, estimate, level, llr.method), share)


def _drawn(positive: Array, groups: Array | None, rng: np.random.Generator) -> Array:
    """Numbers of drawn rows: as many of each class, or whole clusters."""
    if groups is None:
        own = (np.flatnonzero(positive == label) for label in (False, True))
        return np.concatenate([rng.choice(rows, rows.size) for rows in own])
    times = np.bincount(rng.integers(0, groups.max() + 1, groups.max() + 1), minlength=groups.max() + 1)
    return np.repeat(np.arange(groups.size), times[groups])
