"""Temperature scaling: log-odds divided by one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull._core.messages import refused
from rochull._core.schemas import number
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.logistic_fit import CrossEntropy, rising
from rochull.calibration.map_sql import MapSql
from rochull.conditions import bayes
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import tally_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

_INFINITE = "X has infinite log-odds, which no temperature changes."
_FEWEST = 4  # different log-odds that hardly all lie between 0 and 1


class TemperatureCalibrator(Calibrator):
    """Temperature scaling: posterior log-odds are scores divided by a temperature, and nothing is added.

    Scores are log-odds, as the last layer of a neural network gives them: ``log(p / (1 - p))`` of
    probabilities p. The temperature minimises the cross-entropy at the training proportion; it corrects what
    is too sure, or not sure enough, and keeps what is as likely as not.

    Parameters
    ----------
    pos_label : object, optional
        The label of the positive class.
    lower_is_positive : bool, default=False
        The log-odds are those of the negative class.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    temperature_ : float
        Above 1 where the log-odds were too far from 0; infinite where they say nothing.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    LogisticCalibrator : Adds a constant, too.

    References
    ----------
    Guo, Pleiss, Sun & Weinberger 2017, On calibration of modern neural networks.

    Examples
    --------
    >>> import rochull as rh
    >>> made = rh.calibration.TemperatureCalibrator().fit(
    ...     [-2.0, -2.0, -2.0, 2.0, 2.0, 2.0], [0, 0, 1, 0, 1, 1]
    ... )
    >>> round(made.temperature_, 3), made.posterior([-2.0, 0.0, 2.0]).round(3).tolist()
    (2.885, [0.333, 0.5, 0.667])
    """

    takes = "finite scores"
    keeps_order = True
    schema = calibrator_schema("temperature", {"slope": number(least=0), "prevalence": INSIDE})

    def __init__(
        self, pos_label: object = None, lower_is_positive: bool = False, *, bound: str | None = None
    ) -> None:
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
        scores = groups.score.astype(float)
        _check(scores[groups.neg_units > 0].max(), scores[groups.pos_units > 0].min(), scores)
        largest = float(np.abs(scores).max())
        loss = CrossEntropy.of(groups, self.prevalence_, smoothed=False)
        slopes, _ = rising((scores / largest)[:, None], loss, intercept=False)
        self._slope = float(slopes[0] / largest)

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import StreamedRegression, Survey, as_columns

        survey = Survey.of(rows, as_columns, _INFINITE)
        self.prevalence_ = survey.prevalence
        _check(survey.ends[0, 1], survey.ends[1, 0], np.append(survey.sample.scores, survey.ends))
        fit = StreamedRegression(rows, as_columns, survey, self.prevalence_)
        slopes, _ = fit.rising(intercept=False)
        self._slope = float(slopes[0])
        return survey

    @property
    def temperature_(self) -> float:
        """The number by which log-odds are divided."""
        return 1 / self._slope if self._slope else np.inf

    def _llr(self, scores: Array) -> Array:
        odds = bayes.prior_log_odds(self.prevalence_)
        return self._slope * scores.astype(float) - odds if self._slope else np.full(scores.size, -odds)

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        return sql.line(self._slope, scores[0], 0 - bayes.prior_log_odds(self.prevalence_))

    def steps(self) -> None:
        return None  # the map is smooth

    def _document(self) -> dict[str, Any]:
        return {"kind": "temperature", "slope": self._slope, "prevalence": self.prevalence_}

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        restored = cls()
        restored._slope, restored.prevalence_ = fields["slope"], fields["prevalence"]
        return restored


def _check(highest_neg: float, lowest_pos: float, scores: Array) -> None:
    """Raise if no temperature is best of log-odds that end here in each class; warn of probabilities."""
    if not (lowest_pos < 0 or highest_neg > 0):
        raise refused("X", "has only log-odds on the right side of 0, for which no temperature is best.")
    if np.unique(scores).size >= _FEWEST and scores.min() >= 0 and scores.max() <= 1:
        warn(
            "X: all log-odds lie between 0 and 1, as if they were probabilities; log(p / (1 - p)) makes "
            "log-odds of these."
        )
