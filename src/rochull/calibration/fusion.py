"""Fusion: one log-likelihood-ratio out of the scores of several systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rochull._core import validation
from rochull._core.cards import Card
from rochull._core.messages import refused
from rochull._core.schemas import items, number, optional
from rochull._core.validation import Array, Labelled
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import INSIDE, calibrator_schema
from rochull.calibration.cards import titled
from rochull.calibration.logistic_fit import CrossEntropy, DependentColumns, optimum, penalised
from rochull.calibration.map_sql import MapSql
from rochull.conditions import bayes
from rochull.hull.tallies import units_of

if TYPE_CHECKING:
    from rochull.calibration.streamed import Survey
    from rochull.scanning.row_passes import RowPasses

_INFINITE = "X has infinite scores, to which no weights can be fitted."


class LogisticFusion(Calibrator):
    """Prior-weighted logistic fusion: a weighted sum of several systems' scores is one calibrated LLR.

    ``llr = scores @ coef_ + intercept_`` minimises the cross-entropy at a chosen prior π, with the positives
    weighing π together and the negatives 1 - π. Its hull then decides, as that of any score. Quality
    measures, such as the length of a recording, are further columns.

    Parameters
    ----------
    prevalence : float, optional
        The effective prior π, strictly between 0 and 1; the training proportion if not given.
    penalty : float, default=0.0
        λ of the penalty λ/2 · Σ (coef_j s_j)², with s_j the standard deviation of column j at the prior, so
        that scales do not matter. At 0 there is a fusion only where no weighted sum separates the classes.
    pos_label : object, optional
        The label of the positive class.
    bound : {"laplace", "focal", "misleading", "elub", "invariance"}, optional
        LLRs are clipped to what the data bear out, by :func:`llr_bounds` of the examples' own LLRs.

    Attributes
    ----------
    coef_ : ndarray of shape (k,)
        Weights of the columns. A negative one is legal: a system may correct another.
    intercept_ : float
        The LLR where all scores are 0.
    prevalence_ : float
        Proportion of positives in the data that it was fitted on.

    See Also
    --------
    LogisticCalibrator : The same for one column.
    Hybrid : Chooses among systems; a fusion adds them up.

    Notes
    -----
    Scores must be finite when fitting. Of a new infinite score the LLR is infinite, and ValueError says where
    two of them disagree.

    References
    ----------
    Brümmer et al. 2007, Fusion of heterogeneous speaker recognition systems in the STBU submission for the
    NIST speaker recognition evaluation 2006: the objective. Brümmer & du Preez 2013, equation (16).

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scores = {name: table[name] for name in ("logistic", "boosted")}
    >>> fusion = rh.LogisticFusion().fit(scores, table["class"] == "bad")
    >>> fusion.coef_.shape, fusion.llr(scores).shape
    ((2,), (1000,))
    """

    n_columns = None
    takes = "finite scores"
    schema = calibrator_schema(
        "fusion",
        {
            "coef": items(number(), 1),
            "intercept": number(),
            "penalty": number(least=0),
            "prevalence": INSIDE,
            "fitted_at": optional(INSIDE),
        },
    )

    def __init__(
        self,
        prevalence: float | None = None,
        penalty: float = 0.0,
        pos_label: object = None,
        *,
        bound: str | None = None,
    ) -> None:
        self.prevalence = prevalence
        self.penalty = penalty
        self.pos_label = pos_label
        self.bound = bound

    def _fit(self, data: Labelled) -> None:
        units_of([data])  # refuses a class without weight
        penalty = validation.non_negative(self.penalty, "penalty")
        if not np.isfinite(data.scores).all():
            raise ValueError(_INFINITE)
        positive, scores = data.positive == 1, data.scores
        weights = np.ones(positive.size) if data.weights is None else data.weights
        if not weights.all():  # an example of no weight is left out
            positive, scores, weights = (each[weights > 0] for each in (positive, scores, weights))
        n_pos, n_neg = float(weights[positive].sum()), float(weights[~positive].sum())
        self.prevalence_ = n_pos / (n_pos + n_neg)
        prior = self._share()
        up = np.where(positive, prior * weights / n_pos, 0.0)
        down = np.where(positive, 0.0, (1 - prior) * weights / n_neg)
        loss = CrossEntropy(up, down, bayes.prior_log_odds(prior))
        self.coef_, constant = (
            penalised(scores, loss, penalty) if penalty else _plain(lambda: optimum(scores, loss))
        )
        self.intercept_ = constant - loss.prior

    def _fit_rows(self, rows: RowPasses) -> Survey:
        from rochull.calibration.streamed import StreamedRegression, Survey, as_columns

        penalty = validation.non_negative(self.penalty, "penalty")
        survey = Survey.of(rows, as_columns, _INFINITE)
        self.prevalence_ = survey.prevalence
        fit = StreamedRegression(rows, as_columns, survey, self._share())
        every = range(len(rows.names))
        self.coef_, constant = fit.penalised(penalty) if penalty else _plain(lambda: fit.optimum(every))
        self.intercept_ = constant - fit.prior
        return survey

    def _share(self) -> float:
        """The effective prior."""
        if self.prevalence is None:
            return self.prevalence_
        return validation.probability(self.prevalence, "prevalence", open_ends=True)

    def _llr(self, scores: Array) -> Array:
        # A weight of zero says nothing, not even of an infinite score.
        parts = np.where(self.coef_ == 0, 0.0, scores * np.where(self.coef_ == 0, 1.0, self.coef_))
        with np.errstate(invalid="ignore"):
            found = np.asarray(parts.sum(axis=1) + self.intercept_)
        if np.isnan(found).any():
            raise refused(
                "scores", "hold infinite ones that disagree in row {}.", int(np.argmax(np.isnan(found)))
            )
        return found

    def _ratio_in_sql(self, sql: MapSql, scores: Sequence[Any]) -> Any:
        parts = [sql.line(w, x, 0.0) for w, x in zip(self.coef_.tolist(), scores, strict=True) if w]
        return sql.sum(*parts, sql.number(self.intercept_))

    def _in_sql(self, sql: MapSql, columns: Sequence[Any]) -> Any:
        ratio = self._ratio_in_sql(sql, [sql.scores(column) for column in columns])
        return sql.where_known([ratio], sql.of_ratio(ratio))  # infinite scores may disagree

    def steps(self) -> None:
        return None  # the map is smooth

    def _card(self) -> Card:
        names = getattr(self, "feature_names_in_", range(self.n_features_in_))
        return Card(titled(self), [("column", list(map(str, names))), ("weight", self.coef_.tolist())])

    def _document(self) -> dict[str, Any]:
        return {
            "kind": "fusion", "coef": self.coef_.tolist(), "intercept": self.intercept_,
            "penalty": float(self.penalty), "prevalence": self.prevalence_, "fitted_at": self.prevalence,
        }  # fmt: skip

    @classmethod
    def _restore(cls, fields: Mapping[str, Any]) -> Self:
        columns = fields["columns"]
        if len(fields["coef"]) != (columns if isinstance(columns, int) else len(columns)):
            raise ValueError("the calibrator is not valid at coef: there is not one weight for each column.")
        restored = cls(fields["fitted_at"], fields["penalty"])
        restored.coef_, restored.intercept_ = np.array(fields["coef"], float), fields["intercept"]
        restored.prevalence_ = fields["prevalence"]
        return restored


def _plain(fit: Callable[[], tuple[Array, float]]) -> tuple[Array, float]:
    """Weights (k,) and constant of the least loss."""
    try:
        return fit()
    except DependentColumns:
        raise refused("X", "has a column that the others explain; leave it out, or give a penalty.") from None
    except (ValueError, np.linalg.LinAlgError):
        raise refused(
            "X",
            "holds classes that a weighted sum of columns nearly separates; give a penalty, such as 1e-3.",
        ) from None
