"""Gaussian calibration: the scores of each class are taken to be normal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull._core.messages import refused
from rochull._core.schemas import items, number, truth
from rochull._core.validation import Array, Labelled
from rochull._core.validation import truth as true_or_false
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.map_sql import MapSql
from rochull.hull.tallies import units_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

INFINITE = "X has infinite scores, which have no density; PavCalibrator takes them."


def class_samples(data: Labelled) -> list[tuple[Array, Array]]:
    """The finite scores (m,), ascending, and weights (m,) of the negatives, and of the positives."""
    units_of([data])  # refuses a class without weight
    if not np.isfinite(data.scores).all():
        raise ValueError(INFINITE)
    scores = data.scores.astype(float)
    weights = np.ones(scores.size) if data.weights is None else data.weights
    order = np.lexsort((weights, scores))  # so that sums do not depend on that of the rows
    own = [order[(data.positive[order] == label) & (weights[order] > 0)] for label in (0, 1)]
    return [(scores[rows], weights[rows]) for rows in own]


def mean_and_deviation(scores: Array, weights: Array) -> tuple[float, float]:
    """Weighted mean and standard deviation, of maximum likelihood."""
    mean = float(np.average(scores, weights=weights))
    return mean, float(np.sqrt(np.average((scores - mean) ** 2, weights=weights)))


def positives_share(samples: list[tuple[Array, Array]]) -> float:
    """The positives' share of the weight."""
    neg, pos = (float(weights.sum()) for _, weights in samples)
    return pos / (pos + neg)


class GaussianCalibrator(Calibrator):
    """Gaussian calibration: log-likelihood-ratios of two normal distributions.

    Parameters
    ----------
    equal_variance : bool, default=False
        Both classes have one standard deviation, so that the LLR is a straight line; otherwise it is a
        parabola, which falls again on one side.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    mean_, std_ : tuple of float
        Of the negatives and of the positives, of maximum likelihood. A common variance is the mean of both,
        so that LLRs do not depend on the proportion of positives.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    KdeCalibrator : Assumes no shape.

    Examples
    --------
    >>> import rochull as rh
    >>> made = rh.calibration.GaussianCalibrator(True).fit(
    ...     [-1.0, 0.0, 1.0, 1.0, 2.0, 3.0], [0, 0, 0, 1, 1, 1]
    ... )
    >>> made.mean_, made.llr([0.0, 1.0, 2.0]).round(6).tolist()
    ((0.0, 2.0), [-3.0, 0.0, 3.0])
    """

    takes = "finite scores"
    schema = calibrator_schema(
        "gaussian",
        {
            "mean": items(number(), 2),
            "std": items(number(above=0), 2),
            "prevalence": INSIDE,
            "equal_variance": truth,
        },
    )

    def __init__(
        self,
        equal_variance: bool = False,
        pos_label: object = None,
        lower_is_positive: bool = False,
        *,
        bound: str | None = None,
    ) -> None:
        self.equal_variance = equal_variance
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        samples = class_samples(data)
        self._learn([mean_and_deviation(*sample) for sample in samples])
        self.prevalence_ = positives_share(samples)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import Survey, as_columns

        survey = Survey.of(rows, as_columns, INFINITE)
        self._learn([survey.moments(label) for label in (0, 1)])
        self.prevalence_ = survey.prevalence
        return survey

    def _learn(self, moments: Sequence[tuple[float, float]]) -> None:
        (low, neg), (high, pos) = moments
        if true_or_false(self.equal_variance, "equal_variance"):
            neg = pos = float(np.sqrt((neg**2 + pos**2) / 2))
        if not neg or not pos:
            raise refused("X", "has equal scores in all of a class, which have no density.")
        self.mean_, self.std_ = (low, high), (neg, pos)

    def _llr(self, scores: Array) -> Array:
        (square, slope, level), x = self._parabola(), scores.astype(float)
        with np.errstate(over="ignore", invalid="ignore"):
            steep = square * x + slope if square else slope
            return np.where(np.equal(steep, 0), level, x * steep + level)

    def _reach(self) -> tuple[float, float]:
        widths = 3 * np.array(self.std_)
        return float((np.array(self.mean_) - widths).min()), float((np.array(self.mean_) + widths).max())

    def _parabola(self) -> tuple[float, float, float]:
        """Factors of x² and x, and the constant: so that infinite ends are what the leading term says."""
        (low, high), (neg, pos) = self.mean_, self.std_
        level = float(np.log(neg / pos)) + (low / neg) ** 2 / 2 - (high / pos) ** 2 / 2
        return (1 / neg**2 - 1 / pos**2) / 2, high / pos**2 - low / neg**2, level

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        (square, slope, level), x = self._parabola(), scores[0]
        if not square:
            return sql.line(slope, x, level)
        steep = sql.sum(sql.product(square, x.copy()), sql.number(slope))
        tree = sql.sum(sql.times(x.copy(), steep), sql.number(level))
        return sql.tamed(x, tree, [square, slope], lambda at: float(self._llr(np.array([at]))[0]))

    def steps(self) -> None:
        return None  # the map is smooth

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "gaussian", "mean": list(self.mean_), "std": list(self.std_),
            "prevalence": self.prevalence_, "equal_variance": bool(self.equal_variance),
        }  # fmt: skip

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        if len(fields["mean"]) != 2 or len(fields["std"]) != 2:
            raise ValueError("the calibrator is not valid at mean: there are two classes.")
        restored = cls(fields["equal_variance"])
        restored.mean_, restored.std_ = fields["mean"], fields["std"]
        restored.prevalence_ = fields["prevalence"]
        return restored
