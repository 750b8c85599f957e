"""A calibrator of two columns, which the walk adds: the LLR is a sum of two scores, its prior that of the data."""

import numpy as np

from rochull._core.schemas import number
from rochull.calibration.base import Calibrator
from rochull.calibration.calibrator_schema import calibrator_schema
from rochull.hull.tallies import units_of


class SumCalibrator(Calibrator):
    """The LLR is ``2 a - b + intercept_``; the intercept makes the classes' mean LLRs opposite."""

    schema = calibrator_schema("sum", {"intercept": number(), "prevalence": number(above=0, below=1)})
    n_columns = 2
    takes = "finite scores"

    def __init__(self, pos_label=None):
        self.pos_label = pos_label

    def _fit(self, data):
        units_of([data])  # refuses a class without weight
        positive = data.positive == 1
        weights = np.ones(positive.size) if data.weights is None else data.weights
        total = 2 * data.scores[:, 0] - data.scores[:, 1]
        high, low = (np.average(total[own], weights=weights[own]) for own in (positive, ~positive))
        self.intercept_ = float(-(high + low) / 2)
        self.prevalence_ = float(np.average(positive, weights=weights))

    def _llr(self, scores):
        return 2 * scores[:, 0] - scores[:, 1] + self.intercept_

    def _ratio_in_sql(self, sql, scores):
        a, b = scores
        return sql.sum(sql.product(2.0, a), sql.product(-1.0, b), sql.number(self.intercept_))

    def steps(self):
        return None

    def _document(self):
        return {"kind": "sum", "intercept": self.intercept_, "prevalence": self.prevalence_}

    @classmethod
    def _restore(cls, document):
        found = cls()
        found.intercept_, found.prevalence_ = document["intercept"], document["prevalence"]
        return found
