"""Which auxiliary features tell how hard a case is: a ranking, and a reduction of many to a few."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import EXAMPLES, Described, described
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.results import Result
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array, Labelled
from rochull.averaging.paired_tests import holm
from rochull.decisions.axes import Column, aux_columns
from rochull.segments.choice import Candidate, areas_without, candidates, choose, folds_of
from rochull.segments.components import SupervisedComponents, called_x
from rochull.segments.measures import Cut, measure

_NAME = 18  # characters of a feature's name in a table of 80


@dataclass(frozen=True, eq=False)
class AuxiliaryRanking(Result, Described):
    """Auxiliary features, from the most to the least promising; see :func:`rank_auxiliary_features`.

    Attributes
    ----------
    names : tuple of str or int
        The columns, the best first. All arrays are in this order.
    separation : ndarray of shape (m,)
        Variance of the separation difficulty over the bins, each weighted by its share of the data.
    separation_excess : ndarray of shape (m,)
        The same, less its mean under permutation, which is what chance alone makes of it.
    separation_p_value : ndarray of shape (m,)
        By permutation of the scores within each class.
    prior : ndarray of shape (m,)
        Variance of the prior (a logarithm) over the bins.
    prior_excess, prior_p_value : ndarray of shape (m,)
        Likewise.
    p_value : ndarray of shape (m,)
        Of both measures: twice the smaller p-value, at most 1.
    p_adjusted : ndarray of shape (m,)
        `p_value` adjusted for the number of features (Holm 1979).
    n_bins : ndarray of int of shape (m,)
        Number of bins of each feature.
    n_permutations : int
        No p-value can be below ``1 / (n_permutations + 1)``.
    gain : ndarray of shape (m,) or None
        Held-out area under the bent curve less that of a fixed threshold, mean over the folds; NaN
        for features that it was not asked for.
    gain_error : ndarray of shape (m,) or None
        Its standard error over the folds.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y, size = rng.integers(0, 2, 4000), rng.uniform(1, 5, 4000)
    >>> found = rh.rank_auxiliary_features(y, rng.normal(size * y), {"size": size}, gain=True)
    >>> print(found)
    feature            bins  var(SD)      p   var(P)      p   Holm     gain   (s.e.)
    size                 10     1.34  0.005   0.0112  0.532  0.010  +0.0204   0.0017
    """

    names: tuple[Column, ...]
    separation: Array
    separation_excess: Array
    separation_p_value: Array
    prior: Array
    prior_excess: Array
    prior_p_value: Array
    p_value: Array
    p_adjusted: Array
    n_bins: Array
    n_permutations: int
    gain: Array | None = None
    gain_error: Array | None = None

    def __len__(self) -> int:
        return len(self.names)

    def __str__(self) -> str:
        head = f"{'feature':{_NAME}} {'bins':>4} {'var(SD)':>8} {'p':>6} {'var(P)':>8} {'p':>6} {'Holm':>6}"
        lines = [head + ("" if self.gain is None else f" {'gain':>8} {'(s.e.)':>8}")]
        for i, name in enumerate(map(str, self.names)):
            shown = name if len(name) <= _NAME else name[: _NAME - 3] + "..."
            line = (
                f"{shown:{_NAME}} {self.n_bins[i]:4d} {self.separation[i]:8.3g} "
                f"{self.separation_p_value[i]:6.3f} {self.prior[i]:8.3g} {self.prior_p_value[i]:6.3f} "
                f"{self.p_adjusted[i]:6.3f}"
            )
            if self.gain is not None and self.gain_error is not None:
                known = np.isfinite(self.gain[i])
                line += f" {self.gain[i]:+8.4f} {self.gain_error[i]:8.4f}" if known else f" {'-':>8} {'-':>8}"
            lines.append(line)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Give all columns as lists, for JSON or a data frame.

        Returns
        -------
        dict of str to list
            One entry for each feature, the best first; None for a gain that is not known. Without `gain`
            those columns are left out.
        """
        table: dict[str, Any] = {"name": list(self.names)}
        for name in (
            "n_bins", "separation", "separation_excess", "separation_p_value", "prior", "prior_excess",
            "prior_p_value", "p_value", "p_adjusted", "gain", "gain_error",
        ):  # fmt: skip
            values = getattr(self, name)
            if values is not None:
                table[name] = [None if value != value else value for value in values.tolist()]  # noqa: PLR0124
        return table

    def kept(self, max_p_value: float = 0.05, threshold: float = 0.0) -> tuple[Column, ...]:
        """List the features whose measures say that thresholds should differ.

        Parameters
        ----------
        max_p_value : float, default=0.05
            The largest `p_value`, which is not adjusted: a feature too many costs little here.
        threshold : float, default=0.0
            At least one of both variances, less what chance makes of it, is as large.

        Returns
        -------
        tuple of str or int
            Names, in the order of the ranking.
        """
        limit = validation.probability(max_p_value, "max_p_value")
        least = validation.non_negative(threshold, "threshold")
        large = np.maximum(self.separation_excess, self.prior_excess) >= least
        return tuple(self.names[i] for i in np.flatnonzero((self.p_value <= limit) & large))

    def reduce(
        self,
        X: Any,
        n_components: int = 2,
        *,
        max_p_value: float = 0.05,
        threshold: float = 0.0,
        sample_weight: ArrayLike | None = None,
    ) -> SupervisedComponents:
        """Reduce the features that pass to a few principal components, as new auxiliary features.

        Parameters
        ----------
        X : data frame, mapping of columns, or array-like of shape (n, m)
            The training data, which give means, scales and components.
        n_components : int, default=2
            How many.
        max_p_value, threshold : float
            Which features are kept; see :meth:`kept`.

        Returns
        -------
        SupervisedComponents
            Turns the training data and new data alike into columns for :class:`ErrorRedistribution`.

        References
        ----------
        Richman & Mannor, section 4. Bair, Hastie, Paul & Tibshirani 2006, Prediction by supervised
        principal components.
        """
        names = self.kept(max_p_value, threshold)
        if not names:
            raise Refusal(
                "{} and {} keep no feature of {}.",
                Setting("max_p_value", max_p_value),
                Setting("threshold", threshold),
                len(self),
            )
        return SupervisedComponents.of(X, names, n_components, sample_weight)


@described(EXAMPLES)
def rank_auxiliary_features(
    y_true: ArrayLike,
    y_score: ArrayLike,
    X: Any,
    *,
    bins: Any = "auto",
    n_bins: int = 10,
    min_bin: int = 20,
    n_permutations: int = 200,
    gain: bool | int = False,
    model: str = "pav",
    shrinkage: Any = 100.0,
    cv: int = 5,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> AuxiliaryRanking:
    """Rank features by how much the thresholds should depend on them.

    Parameters
    ----------
    y_score : array-like of shape (n,) or (n, 1)
        Finite scores, best such that the classifier was not trained on these examples.
    X : data frame, mapping of columns, or array-like of shape (n,) or (n, m)
        The features: numbers or categories, missing values allowed. They may be those of the classifier,
        or others.
    bins : str, int or mapping, default="auto"
        How each feature is cut, as for :class:`ErrorRedistribution`; a mapping has entries for some
        features. Not "tree", which looks at the scores.
    n_bins : int, default=10
        Of numeric features.
    min_bin : int, default=20
        Least number of examples of each class in a bin.
    n_permutations : int, default=200
        For the p-values. To be significant among m features at 0.05, after Holm's adjustment and for two
        measures, more than 40 m are needed.
    gain : bool or int, default=False
        Measure the gain in area by cross-validation too: for all features, or for so many, those with the
        smallest p-values.
    model, shrinkage : str, float
        Of the :class:`ErrorRedistribution` that the gain is measured of. What they leave open is chosen
        in the training part of each fold.
    cv : int, default=5
        Number of folds.
    sample_weight : array-like of shape (n,), optional
        Finite and non-negative; an example of weight zero is left out.
    random_state : int, Generator, RandomState or None, default=0
        For permutations and folds.

    Returns
    -------
    AuxiliaryRanking
        Sorted by gain where that was measured; else, and then, by p-value, and of equal ones by the sum
        of both variances less what chance makes of them.

    Notes
    -----
    In bin i the separation difficulty is ``SD_i = (mu_i+ - mu_i-) / sqrt(sigma_i+ sigma_i-)``, and the
    prior is ``P_i = log(p_i+ sigma_i- / (p_i- sigma_i+))``. The paper prints SD without the root; then it
    would depend on the unit of the scores.

    Each p-value is of a null hypothesis of no effect. For SD: within a class, scores do not depend on the
    feature; scores are permuted within each class. For P: neither the class nor the scores of a class depend
    on it; classes are permuted over all examples, and scores within each class.

    Neither variance sees the scores of both classes shift together, and a large prior need not mean a gain,
    where the scores contain it already. The gain sees both, and what "pav" wins by repairing concavities of
    the curve.

    References
    ----------
    Richman & Mannor, section 4.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 4000)
    >>> X = {"noise": rng.normal(size=4000), "size": rng.uniform(1, 5, 4000)}
    >>> score = rng.normal(X["size"] * y)  # the larger, the easier
    >>> found = rh.rank_auxiliary_features(y, score, X, gain=True)
    >>> found.names[0], bool(found.gain[0] > 0.01)
    ('size', True)
    >>> bool(found.separation_p_value[0] < 0.01 < found.prior_p_value[0])
    True
    """
    data = validation.labelled(y_true, y_score, sample_weight, pos_label)
    if not np.isfinite(data.scores).all():
        at = int(np.flatnonzero(~np.isfinite(data.scores))[0])
        raise refused("y_score", "must be finite, but index {} is not.", at)
    refuse_other_order({"y_true": y_true, "y_score": y_score, "X": X, "sample_weight": sample_weight})
    with called_x():
        columns = aux_columns(X, data.scores.size)
    if data.weights is not None and not data.weights.all():
        kept = data.weights > 0
        data, columns = data.part(kept), {name: column[kept] for name, column in columns.items()}
    number = validation.whole(n_permutations, "n_permutations", 1)
    rng = np.random.default_rng(validation.entropy(random_state))
    folds = folds_of(data.positive, validation.whole(cv, "cv", 2), rng) if gain else None
    cut = Cut(bins, n_bins, validation.whole(min_bin, "min_bin", 1), columns)
    ranking = _by_measures(data, columns, cut, number, rng)
    if folds is None:
        return ranking
    tried = candidates(model, n_bins, shrinkage, data.scores)
    first = len(columns) if gain is True else validation.whole(gain, "gain", 1)
    found = [
        _gains(tried, data, {name: columns[name]}, bins=cut.of(name), folds=folds, min_bin=cut.min_bin)
        for name in ranking.names[:first]
    ]
    return _by_gain(ranking, found)


def _by_measures(
    data: Labelled, columns: Mapping[Column, Array], cut: Cut, number: int, rng: np.random.Generator
) -> AuxiliaryRanking:
    """The ranking without gains."""
    positive = (data.positive == 1).astype(np.uint8)
    features = [cut.cells(name, positive) for name in columns]
    found = measure(data, features, number, rng)
    both = np.minimum(2 * found.p_value.min(axis=1), 1.0)
    order = np.lexsort((-found.excess.sum(axis=1), both))
    names = list(columns)
    separation, prior = (
        (found.variance[order, j], found.excess[order, j], found.p_value[order, j]) for j in (0, 1)
    )
    sizes = np.array([k for _, k in features])
    return AuxiliaryRanking(
        tuple(names[i] for i in order),
        *separation,
        *prior,
        both[order],
        holm(both)[order],
        sizes[order],
        number,
    )


# --- gains -------------------------------------------------------------------------------------------


def _gains(
    tried: list[Candidate],
    data: Labelled,
    column: Mapping[Column, Array],
    *,
    bins: Any,
    folds: Array,
    min_bin: int,
) -> tuple[float, float]:
    """Mean and standard error, over the folds, of the area won over the fixed threshold."""
    fixed = Candidate("fixed", tried[0].n_bins)
    gain = []
    cv = int(folds.max()) + 1
    for k in range(cv):
        chosen = tried[0]
        if len(tried) > 1:
            train = (folds >= 0) & (folds != k)
            part = {name: values[train] for name, values in column.items()}
            how: dict[str, Any] = {"bins": bins, "min_bin": min_bin, "cv": cv, "random_state": k}
            chosen, _ = choose(tried, data.part(train), part, **how)
        base, bent = areas_without([fixed, chosen], data, column, folds, k, bins=bins, min_bin=min_bin)
        gain.append(bent - base)
    return float(np.mean(gain)), float(np.std(gain, ddof=1) / np.sqrt(cv))


def _by_gain(ranking: AuxiliaryRanking, found: list[tuple[float, float]]) -> AuxiliaryRanking:
    """The ranking sorted by the gains of its first features; the others stay behind them."""
    gains = np.full((len(ranking), 2), np.nan)
    gains[: len(found)] = found
    order = np.argsort(-gains[:, 0], kind="stable")  # NaN is last
    arrays: dict[str, Any] = {
        name: value[order] for name, value in vars(ranking).items() if isinstance(value, np.ndarray)
    }
    names = tuple(ranking.names[i] for i in order)
    return replace(ranking, names=names, gain=gains[order, 0], gain_error=gains[order, 1], **arrays)
