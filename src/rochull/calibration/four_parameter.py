"""Four-parameter logistic calibration: a logistic curve that levels off at both ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from rochull._core import validation
from rochull._core.schemas import number, optional
from rochull._core.validation import Array, Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.logistic_fit import CrossEntropy, rising
from rochull.calibration.map_sql import MapSql
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import tally_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

Curve: TypeAlias = tuple[float, float, float, float]  # slope, constant, floor and gap, of standardised scores
_INFINITE = "X has infinite scores, to which no curve can be fitted; PavCalibrator takes them."

_STEEPEST = 1e3  # slope by standard deviation: a step, in effect
_STARTS = ((0.0, 0.0), (0.01, 0.01), (0.1, 0.1), (0.1, 0.001), (0.001, 0.1))
_MOST = 0.499999


class FourParameterCalibrator(Calibrator):
    """Four-parameter logistic calibration: a rising curve whose LLRs level off at both ends.

    At even prior odds the posterior is ``floor_ + (1 - floor_ - gap_) / (1 + exp(-(slope_ * score +
    intercept_)))``. The four numbers minimise the cross-entropy at a chosen prior, as those of
    :class:`LogisticCalibrator` do, which it contains: both ends are then at 0 and 1.

    Parameters
    ----------
    prevalence : float, optional
        The effective prior, strictly between 0 and 1; the training proportion if not given.
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        Low scores mean positive, as those of a distance do.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    slope_, intercept_ : float
        Of the curve, over scores of which high ones are positive; the slope is not negative.
    floor_, gap_ : float
        The posterior at even odds of the lowest scores, and what that of the highest lacks of 1: below 1/2.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    LogisticCalibrator : A straight line.

    Notes
    -----
    The cross-entropy can have several minima; the best of those that are reached from five starts is
    taken, one of which is the logistic line. So it is never worse than the line on the examples.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=3000) * 3
    >>> y = rng.random(3000) < 0.1 + 0.8 / (1 + np.exp(-2 * x))
    >>> made = rh.calibration.FourParameterCalibrator().fit(x, y)
    >>> round(made.floor_, 2), round(made.gap_, 2), made.llr([-9.0, 9.0]).round(1).tolist()
    (0.11, 0.09, [-2.0, 2.3])
    """

    takes = "finite scores"
    schema = calibrator_schema(
        "four-parameter",
        {
            "slope": number(least=0),
            "intercept": number(),
            "floor": number(least=0, most=0.5),
            "gap": number(least=0, most=0.5),
            "prevalence": INSIDE,
            "fitted_at": optional(INSIDE),
        },
    )

    def __init__(
        self,
        prevalence: float | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        *,
        bound: str | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.pos_label = pos_label
        self.lower_is_positive = lower_is_positive
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        if not np.isfinite(data.scores).all():
            raise ValueError(_INFINITE)
        groups = tally_of(data)
        say_if_reversed(data, "X", groups)
        pos, neg = float(groups.pos.sum()), float(groups.neg.sum())
        self.prevalence_ = pos / (pos + neg)
        x, loss = groups.score.astype(float), CrossEntropy.of(groups, self._share(), smoothed=False)
        if x[0] > x[-1]:
            _refuse_separated(x[groups.neg_units > 0].max(), x[groups.pos_units > 0].min())
        mass = loss.up + loss.down
        centre = float(mass @ x)
        scale = float(np.sqrt(mass @ (x - centre) ** 2)) or 1.0
        x = (x - centre) / scale
        (slope,), constant = rising(x[:, None], loss)
        line = slope, constant - loss.prior
        self._learn(_best(line, _starts(line), partial(_value, x=x, loss=loss)), centre, scale)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import StreamedRegression, Survey, as_columns

        survey = Survey.of(rows, as_columns, _INFINITE)
        self.prevalence_ = survey.prevalence
        (low, high), (neg_pos) = survey.ends.ravel()[[0, 3]], survey.ends.ravel()[[1, 2]]
        if low < high:
            _refuse_separated(*neg_pos)
        fit = StreamedRegression(rows, as_columns, survey, self._share())
        centre, scale = fit.standard()
        (slope,), constant = fit.rising()
        line = slope * scale, constant + slope * centre - fit.prior
        starts = _starts(line)
        if fit.sampled is not None:  # the best of a part of the rows is near that of all
            (column,), loss = fit.sampled[0].T, fit.sampled[1]
            starts = [_best(line, starts, partial(_value, x=(column - centre) / scale, loss=loss))]

        def value(parameters: Array) -> tuple[float, Array]:
            def of(data: Labelled) -> tuple[Array, ...]:
                x = (data.scores.astype(float) - centre) / scale
                loss, gradient = _value(parameters, x, fit.loss(data))
                return np.array([loss]), gradient

            loss, gradient = rows.sums(of)
            return float(loss[0]), gradient

        self._learn(_best(line, starts, value), centre, scale)
        return survey

    def _share(self) -> float:
        """The effective prior."""
        if self.prevalence is None:
            return self.prevalence_
        return validation.probability(self.prevalence, "prevalence", open_ends=True)

    def _learn(self, curve: Curve, centre: float, scale: float) -> None:
        slope, constant, self.floor_, self.gap_ = curve
        self.slope_, self.intercept_ = slope / scale, constant - slope * centre / scale

    def _llr(self, scores: Array) -> Array:
        if self.slope_ == 0:
            return np.full(scores.shape, _ratio(self.intercept_, self.floor_, self.gap_))
        with np.errstate(over="ignore"):
            return np.asarray(
                _ratio(self.slope_ * scores.astype(float) + self.intercept_, self.floor_, self.gap_)
            )

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        z = sql.line(self.slope_, scores[0], self.intercept_)
        above, below = sql.log_sum(self.floor_, 1 - self.gap_, z), sql.log_sum(1 - self.floor_, self.gap_, z)
        return sql.difference(above, below)

    def steps(self) -> None:
        return None  # the map is smooth

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "four-parameter", "slope": self.slope_, "intercept": self.intercept_,
            "floor": self.floor_, "gap": self.gap_, "prevalence": self.prevalence_,
            "fitted_at": self.prevalence,
        }  # fmt: skip

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        restored = cls(fields["fitted_at"])
        restored.slope_, restored.intercept_ = fields["slope"], fields["intercept"]
        restored.floor_, restored.gap_ = fields["floor"], fields["gap"]
        restored.prevalence_ = fields["prevalence"]
        return restored


def _ratio(z: Any, floor: float, gap: float) -> Any:
    """The LLR at a place z of the curve: log((floor + (1 - gap) e^z) / (1 - floor + gap e^z))."""
    with np.errstate(divide="ignore", invalid="ignore"):  # at infinity both may be infinite
        low, high = np.log(floor), np.log(gap)
        up, down = np.logaddexp(low, np.log1p(-gap) + z), np.logaddexp(np.log1p(-floor), high + z)
        return np.where(np.equal(z, np.inf), np.log1p(-gap) - high, up - down)


def _refuse_separated(highest_neg: float, lowest_pos: float) -> None:
    if highest_neg <= lowest_pos:
        raise ValueError("X: a threshold separates the classes, so that no curve is best.")


def _value(parameters: Array, x: Array, loss: CrossEntropy) -> tuple[float, Array]:
    """The loss of a curve over standardised scores (g,), and how it rises by each parameter (4,)."""
    from scipy.special import expit

    slope, constant, floor, gap = parameters
    z = slope * x + constant
    ratio = np.asarray(_ratio(z, floor, gap))
    # Of p = floor + e s at even odds: the log-odds change by 1 / (p (1 - p)) of what p does.
    s, rest, e = expit(z), expit(-z), 1 - floor - gap
    p, q = floor + e * s, gap + e * rest
    pull = -loss.pull(ratio + loss.prior) / np.maximum(p * q, np.finfo(float).tiny)
    by_place = pull * e * s * rest
    slopes = [by_place @ x, by_place.sum(), pull @ rest, -(pull @ s)]
    return loss.at(ratio + loss.prior), np.array(slopes)


def _starts(line: tuple[float, float]) -> list[Curve]:
    """Curves from which the best is looked for, after a straight line of LLRs."""
    slope, constant = line
    return [
        (slope * (1 + 10 * (floor + gap)), constant * (1 + 10 * (floor + gap)), floor, gap)
        for floor, gap in _STARTS
    ]


def _best(
    line: tuple[float, float], starts: Sequence[Curve], value: Callable[[Array], tuple[float, Array]]
) -> Curve:
    """The curve of the least loss that is reached from some, or the line if that is better."""
    from scipy import optimize

    search: Any = optimize.minimize
    limits = [(0, _STEEPEST), (None, None), (0, _MOST), (0, _MOST)]
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000}
    found = [
        search(value, start, jac=True, method="L-BFGS-B", bounds=limits, options=options) for start in starts
    ]
    best = min(found, key=lambda each: float(each.fun))
    at = best.x if best.fun < value(np.array([*line, 0.0, 0.0]))[0] else [*line, 0.0, 0.0]
    made = [float(each) for each in at]
    return made[0], made[1], made[2], made[3]
