"""How sure an AUC is: intervals, tests, and the covariance of many classifiers (DeLong et al. 1988)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import Described, described, entries
from rochull._core.messages import refused
from rochull._core.results import Interval, Result, TestResult
from rochull._core.rows import same_rows
from rochull._core.tables import all_columns
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.uncertainty.auc_components import areas_of
from rochull.uncertainty.bootstrap_intervals import normal_quantile
from rochull.uncertainty.parameters import PARAMETERS

_METHODS = ("score", "delong", "logit")
_FEW, _FEW_TESTED = 30, 20  # examples of a class, up to which normal intervals, and tests, fail
_PERMUTE = "use venkatraman_test, which permutes"
_MODELLED = 50  # examples of a class, from which on the model's variance counts for less and less
_WIDEST = (math.sqrt(5) - 1) / 2  # the area at which the model's variance is largest
WEIGHED = PARAMETERS | entries("""
y_true : array-like of shape (n,)
    Binary labels, at least two of each class; with `pos_label=None` they are {0, 1}, {-1, 1} or
    booleans.
sample_weight : array-like of shape (n,), optional
    Sampling weights: inverse probabilities or importance weights of independent examples, fixed
    beforehand. They are not numbers of repetitions: repeat such rows instead. Constant weights
    change nothing; an example of weight zero is left out.
clusters : array-like of shape (n,), optional
    Whom each example belongs to (patient, customer). Clusters are independent, whatever is in them; of few
    (20 or so of each class) too little is known.
lower_is_positive : bool, default=False
    Whether low scores mean positive.
""")


# --- one classifier -----------------------------------------------------------------------------------


@described(WEIGHED)
def auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    method: str = "score",
    *,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    lower_is_positive: bool = False,
    pos_label: object = None,
) -> Interval:
    """Compute a confidence interval of the area under the ROC curve.

    Parameters
    ----------
    y_score : array-like of shape (n,)
        Higher means more positive. A tied pair counts one half.
    method : {"score", "delong", "logit"}, default="score"
        "score" holds with few examples of a class, and near 0 and 1. "delong" is the normal interval,
        clipped to [0, 1], and "logit" that of the area's logit, transformed back: both are too narrow with
        few examples of a class, and there is a warning if there are 30 or fewer.

    Returns
    -------
    Interval
        Its `estimate` equals :func:`roc_auc`.

    Notes
    -----
    "score" holds every area A that a test at `level` does not reject: ``(estimate - A)**2 <= z**2 V(A)``, as
    Wilson's interval of a rate and Newcombe's of an area do. V(A) is DeLong's variance, but what a class
    adds to it is at least ``min(1, 50 / m) g(A) / m``: m is the class's number of examples, and
    ``g(A) = A**2 (1 - A) / (1 + A)`` the variance of placements that Hanley & McNeil's exponential model
    gives the class that varies more (from A = 0.618 on; below 0.382 with 1 - A for A, and between the two it
    is constant, at its maximum). So a sample in which no example is misplaced, or few are, does not pass for
    certainty. With 3 to 30 positives and 300 or 3,000 negatives it covered in 0.93 of samples or more, for
    areas of 0.7 to 0.99 and eight kinds of scores (see docs/uncertainty.md); with hundreds of each class
    it is DeLong's.

    If the classes are separated perfectly, no variance can be estimated. The interval "delong" is then
    the single point 1 (or 0), and says nothing. The others are then the exact one, or wider: m positives
    and m negatives, m being the size of the smaller class, make m independent pairs, and all of them are
    in order with probability AUC ** m at most; so the lower end is (alpha / 2) ** (1 / m) whatever the
    distributions are, as by Clopper & Pearson (1934). With weights, m is the smaller effective size,
    sum(w)**2 / sum(w**2), and the end approximate. Scores that are all equal have AUC 0.5 and variance 0.

    With `clusters` the variance is Obuchowski's, and m the number of clusters that hold a class, which makes
    "score" wide: "logit" covered in 0.94 to 0.95 of samples with 40 or 100 clusters of six.

    What training adds to the variance is not provided for: see :func:`cross_validate_roc`.

    References
    ----------
    Newcombe 2006, Statistics in Medicine 25, 559-573, method 5; Hanley & McNeil 1982;
    DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014; Pepe 2003, section 5.2 (the logit); Obuchowski 1997,
    Biometrics 53, 567-578 (clusters).

    Examples
    --------
    >>> import rochull as rh
    >>> y, scores = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    >>> found = rh.auc_interval(y, scores)
    >>> round(found.low, 3), found.estimate, round(found.high, 3)
    (0.521, 0.9375, 1.0)
    """
    if method not in _METHODS:
        raise refused("method", 'must be "score", "delong" or "logit", but is {}.', repr(method))
    level = validation.probability(level, "level", open_ends=True)
    data = validation.labelled(y_true, y_score, sample_weight, pos_label, lower_is_positive=lower_is_positive)
    found = areas_of([data], clusters=_codes(clusters, y_true))
    area, variance = found.areas[0], float(found.covariance()[0, 0])
    half = normal_quantile((1 - level) / 2) * math.sqrt(variance)
    if method == "score":
        low, high = score_ends(area, found.parts(), found.sizes, (1 - level) / 2)
        return Interval(low, high, float(area), level, method)
    warn_of_few(f"method={method!r} makes too narrow an interval", found.sizes, _FEW, 'use method="score"')
    if method == "logit":
        low, high = logit_ends(area, half, (1 - level) / 2, min(found.sizes))
    else:
        low, high = max(0.0, float(area) - half), min(1.0, float(area) + half)
    return Interval(low, high, float(area), level, method)


def logit_ends(area: Fraction, half: float, tail: float, pairs: float) -> tuple[float, float]:
    """Ends of the logit interval; `half` is half the length of the plain one."""
    if area in (0, 1):
        low = tail ** (1 / pairs)
        return (low, 1.0) if area else (0.0, 1 - low)
    if half == 0:
        return float(area), float(area)
    lost = 1 - area
    odds = math.log(area.numerator) - math.log(lost.numerator)  # they have one denominator
    spread = half / float(area * lost)
    # Rounding must not put an end on the wrong side.
    return min(_expit(odds - spread), float(area)), max(_expit(odds + spread), float(area))


def score_ends(
    area: Fraction, parts: tuple[float, float], sizes: tuple[float, float], tail: float
) -> tuple[float, float]:
    """Ends of the score interval.

    `parts` is what positives and negatives add to DeLong's variance, and `sizes` are their numbers. Each part
    is the larger of a constant and a concave function of the area, so that on either side of the estimate
    one area is where the test begins to reject: the square root of a concave function is concave.
    """
    estimate, z = float(area), normal_quantile(tail)

    def rejected(at: float) -> bool:
        share = max(at, 1 - at, _WIDEST)
        model = share**2 * (1 - share) / (1 + share)
        variance = sum(
            max(part, min(1.0, _MODELLED / size) * model / size)
            for part, size in zip(parts, sizes, strict=True)
        )
        return (estimate - at) ** 2 > z**2 * variance

    low, high = (_boundary(rejected, estimate, end) for end in (0.0, 1.0))
    lost = tail ** (1 / min(sizes))  # the exact end where no pair is misplaced
    return (min(low, lost) if area == 1 else low), (max(high, 1 - lost) if area == 0 else high)


def _boundary(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    """Where a test begins to reject on the way outside, by halving; `outside` itself if nowhere."""
    if not rejected(outside):
        return outside
    while inside != (middle := inside + (outside - inside) / 2) != outside:
        inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
    return outside


def warn_of_few(what: str, sizes: Sequence[float], few: int, remedy: str) -> None:
    """Warn where the smallest of some classes has so few examples that a method does not keep its word."""
    if min(sizes) <= few:
        warn(f"{what} where a class has {few} examples or fewer, and one has {min(sizes):.4g}: {remedy}.")


def _expit(x: float) -> float:
    tail = math.exp(-abs(x))
    return 1 / (1 + tail) if x >= 0 else tail / (1 + tail)


# --- two classifiers ------------------------------------------------------------------------------------


@described(WEIGHED)
def delong_test(
    y_true: ArrayLike,
    score_a: ArrayLike,
    score_b: ArrayLike,
    *,
    y_true_b: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    sample_weight_b: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    lower_is_positive: bool = False,
    pos_label: object = None,
) -> TestResult:
    """Test whether two classifiers have the same area under the ROC curve.

    Parameters
    ----------
    score_a : array-like of shape (n,)
        Scores of the first classifier. A tied pair counts one half.
    sample_weight_b : array-like of shape (m,), optional
        Those of the second sample, if unpaired.

    Returns
    -------
    TestResult
        `statistic` is z, `pvalue` two-sided, `estimate` the first area less the second. If the variance
        is zero, the p-value is 1 for equal areas and 0 for others.

    Notes
    -----
    The test asks about these two fitted classifiers: how they were trained is not part of the
    variance. Of nested models trained on the same data it is known to be conservative (Demler et al.
    2012). Curves that cross can have equal areas: see :func:`venkatraman_test`.

    Of areas that are 1, 0 or made of ties only, no variance can be estimated. If both are such and differ,
    the p-value is 0 however few the examples are, and says nothing: so
    ``delong_test([0, 0, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1])``, with four.

    With few examples of a class the test rejects too often: of areas of 0.7, at 5 %, in 0.135 of samples
    with 3 positives and 300 negatives, 0.107 with 5, 0.083 with 8, 0.077 with 12 and 0.063 with 20. Where a
    class has 20 or fewer there is a warning; :func:`venkatraman_test`, of the whole curves, permutes instead.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988, equations 3 to 5; Sun & Xu 2014.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> found = rh.delong_test(table["class"] == "bad", table["boosted"], table["tree"])
    >>> round(found.statistic, 2), found.pvalue < 0.001
    (3.45, True)
    """
    a = validation.labelled(
        y_true, score_a, sample_weight, pos_label, name="score_a", lower_is_positive=lower_is_positive
    )
    if y_true_b is None:
        if sample_weight_b is not None:
            raise refused("sample_weight_b", "needs y_true_b: paired examples have one weight each.")
        b = validation.labelled(
            y_true, score_b, sample_weight, pos_label, name="score_b", lower_is_positive=lower_is_positive
        )
        same_rows(score_a=score_a, score_b=score_b)
        both = areas_of([a, b], clusters=_codes(clusters, y_true))
        warn_of_few("delong_test rejects too often", both.sizes, _FEW_TESTED, _PERMUTE)
        difference = both.areas[0] - both.areas[1]
        method = "DeLong, paired" if clusters is None else "Obuchowski, paired"
        return _normal_test(difference, both.variance_of_difference(), method)
    if clusters is not None:
        raise refused("clusters", "are those of paired examples; without y_true_b, or use bootstrap.")
    b = _second_sample(y_true_b, score_b, sample_weight_b, pos_label)
    if lower_is_positive:
        b = replace(b, scores=validation.negated(b.scores, "score_b"))
    first, second = areas_of([a]), areas_of([b], "_b")
    sizes = [*first.sizes, *second.sizes]
    warn_of_few("delong_test rejects too often", sizes, _FEW_TESTED, "judge each area by auc_interval")
    variance = float(first.covariance()[0, 0] + second.covariance()[0, 0])
    return _normal_test(first.areas[0] - second.areas[0], variance, "DeLong, unpaired")


def _codes(clusters: ArrayLike | None, y_true: ArrayLike) -> Array | None:
    """Which cluster (n,) each example belongs to, from 0 on."""
    if clusters is None:
        return None
    same_rows(y_true=y_true, clusters=clusters)
    return validation.codes_1d(clusters, "clusters")[0]


def _second_sample(
    y_true: ArrayLike, y_score: ArrayLike, weight: ArrayLike | None, pos_label: object
) -> Labelled:
    positive = validation.binary_labels(y_true, pos_label, "y_true_b")
    scores = validation.scores_1d(y_score, "score_b")
    weights = None if weight is None else validation.weights_1d(weight, "sample_weight_b")
    same_rows(y_true_b=y_true, score_b=y_score, sample_weight_b=weight)
    return Labelled(positive, scores, weights)


def _normal_test(difference: Fraction, variance: float, method: str) -> TestResult:
    if variance == 0:
        z = math.copysign(math.inf, difference) if difference else 0.0
    else:
        z = float(difference) / math.sqrt(variance)
    return TestResult(z, math.erfc(abs(z) / math.sqrt(2)), float(difference), method)


# --- many classifiers -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class AucCovariance(Result, Described):
    """Areas under the ROC curves of classifiers on the same examples, and how they vary together.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    auc : ndarray of shape (k,)
        Their areas.
    covariance : ndarray of shape (k, k)
        Of these estimates, not of single examples.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores", ["class", "boosted", "tree"])
    >>> y = table.pop("class") == "bad"
    >>> found = rh.uncertainty.auc_covariance(y, table)
    >>> difference = found.interval({"boosted": 1, "tree": -1})
    >>> round(difference.low, 3), round(difference.estimate, 3), round(difference.high, 3)
    (0.025, 0.057, 0.09)
    >>> equal = found.contrast()
    >>> round(equal.statistic, 1), equal.pvalue < 0.001, equal.df
    (11.9, True, 1.0)
    """

    parameters_told = PARAMETERS | entries("""
contrast : array-like of shape (k,) or (r, k), or mapping of str to float, optional
    Weights of the areas in each sum: ``[1, -1]``, or by name ``{"a": 1, "b": -1}``, is the difference of
    two; who is not named has weight 0. If not given, every area by itself, clipped to [0, 1], has an
    interval, and the test asks whether all are equal.
""")

    names: tuple[str, ...]
    auc: Array
    covariance: Array

    def to_dict(self) -> dict[str, Any]:
        """Give the names, the areas, and the covariance matrix as a column for each classifier.

        Returns
        -------
        dict of str to list
            "names", "auc" and, of every classifier, "covariance with " and its name.
        """
        columns = dict(zip(self.names, self.covariance.T.tolist(), strict=True))
        told = {f"covariance with {name}": values for name, values in columns.items()}
        return {"names": list(self.names), "auc": self.auc.tolist(), **told}

    def interval(
        self, contrast: ArrayLike | Mapping[str, float] | None = None, *, level: float = 0.95
    ) -> Interval:
        """Compute the normal confidence interval of every area, or of sums of areas.

        Returns
        -------
        Interval
            With arrays (k,) or (r,), or floats for a single sum.
        """
        level = validation.probability(level, "level", open_ends=True)
        rows = np.eye(len(self.auc)) if contrast is None else self._rows(contrast)
        estimate = rows @ self.auc
        half = normal_quantile((1 - level) / 2) * np.sqrt(np.diag(self._spread(rows)[0]))
        low, high = estimate - half, estimate + half
        if contrast is None:
            low, high = np.maximum(low, 0), np.minimum(high, 1)
        elif isinstance(contrast, Mapping) or np.ndim(contrast) == 1:
            return Interval(float(low[0]), float(high[0]), float(estimate[0]), level, "delong")
        return Interval(low, high, estimate, level, "delong")

    def contrast(self, contrast: ArrayLike | Mapping[str, float] | None = None) -> TestResult:
        """Test whether sums of areas are all zero; if no contrast is given, whether all areas are equal.

        Returns
        -------
        TestResult
            Wald's chi-square with `df` degrees of freedom; `estimate` are the sums (r,). Sums that
            follow from others cost no degree of freedom. Where no sum varies, the p-value is 1 if all
            are zero, and 0 otherwise.

        References
        ----------
        DeLong, DeLong & Clarke-Pearson 1988, equation 5.
        """
        from scipy.special import chdtrc

        k = len(self.auc)
        if contrast is None and k < 2:
            raise refused("contrast", "is needed where there is one classifier only.")
        rows = np.eye(k - 1, k) - np.eye(k - 1, k, 1) if contrast is None else self._rows(contrast)
        estimate = rows @ self.auc
        sizes = np.abs(rows).max(axis=1, keepdims=True)
        rows = rows / np.where(sizes > 0, sizes, 1)  # the scale of a sum says nothing
        spread, scale = self._spread(rows)
        values, vectors = np.linalg.eigh(spread)
        varies = values > scale
        along = vectors.T @ (rows @ self.auc)
        # What does not vary must be zero, but for rounding.
        if np.any(np.abs(along[~varies]) > k * np.finfo(float).eps * np.abs(rows).sum()):
            return TestResult(math.inf, 0.0, estimate, "DeLong, Wald", float(varies.sum()))
        statistic = float(np.sum(along[varies] ** 2 / values[varies]))
        df = float(varies.sum())
        return TestResult(
            statistic, float(chdtrc(df, statistic)) if df else 1.0, estimate, "DeLong, Wald", df
        )

    def _rows(self, contrast: ArrayLike | Mapping[str, float]) -> Array:
        if isinstance(contrast, Mapping):
            unknown = [name for name in contrast if name not in self.names]
            if unknown:
                held = ", ".join(map(repr, self.names))
                raise refused("contrast", "names {}, which is not one of {}.", repr(unknown[0]), held)
            contrast = [validation.real(contrast.get(name, 0), f"contrast[{name!r}]") for name in self.names]
        try:
            rows = np.atleast_2d(np.asarray(contrast, float))
        except (TypeError, ValueError):
            raise refused("contrast", "must hold numbers, but is {}.", repr(contrast)) from None
        if not rows.size or rows.ndim != 2 or rows.shape[1] != len(self.auc) or not np.isfinite(rows).all():
            raise refused(
                "contrast",
                "must hold a finite weight for each of {} classifiers, but has shape {}.",
                len(self.auc),
                np.shape(contrast),
            )
        return rows

    def _spread(self, rows: Array) -> tuple[Array, float]:
        """Covariance of sums of areas (r, r), and up to where its eigenvalues are rounding."""
        spread = rows @ self.covariance @ rows.T
        terms = np.abs(rows) @ np.abs(self.covariance) @ np.abs(rows).T  # before they cancel
        noise = 4 * self.covariance.size * np.finfo(float).eps * float(terms.max())
        return np.where(np.abs(spread) > noise, spread, 0), noise


@described(WEIGHED)
def auc_covariance(
    y_true: ArrayLike,
    scores: Any,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> AucCovariance:
    """Estimate the areas under the ROC curves of many classifiers with their covariance.

    Parameters
    ----------
    scores : array-like of shape (n, k), mapping of str to array-like, or data frame
        A column for each classifier, all on the same examples. The columns of an array are named "0",
        "1" and so on.

    Returns
    -------
    AucCovariance
        With ``.auc``, ``.covariance`` and ``.names``; and ``.contrast()``, which tests whether all
        areas are equal.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson 1988; Sun & Xu 2014.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores", ["class", "boosted", "tree"])
    >>> y = table.pop("class") == "bad"
    >>> found = rh.uncertainty.auc_covariance(y, table)
    >>> found.names, found.auc.round(3).tolist()
    (('boosted', 'tree'), [0.776, 0.719])
    """
    columns = {
        name: validation.labelled(y_true, column, sample_weight, pos_label, name=f"scores[{name!r}]")
        for name, column in _columns(scores).items()
    }
    same_rows(y_true=y_true, scores=scores, sample_weight=sample_weight)
    found = areas_of(list(columns.values()))
    warn_of_few(
        "auc_covariance finds too small variances",
        found.sizes,
        _FEW_TESTED,
        "judge each area by auc_interval",
    )
    auc = np.array([float(area) for area in found.areas])
    return AucCovariance(tuple(columns), auc, found.covariance())


def _columns(scores: Any) -> dict[str, Any]:
    """The scores of each classifier, by name."""
    columns = all_columns(scores, "scores")
    if None not in columns:
        return columns
    array = np.asarray(scores)
    if array.ndim != 2:
        raise refused(
            "scores",
            "must be an array of shape (n, k), a mapping or a data frame, but has shape {}.",
            array.shape,
        )
    return {"0": array[:, 0]}
