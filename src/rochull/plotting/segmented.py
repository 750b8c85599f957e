"""The common part of displays of error redistribution: examples with auxiliary features, conditions."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.rows import refuse_other_order
from rochull._core.table_errors import a_type
from rochull.conditions.base import Condition
from rochull.conditions.error_rates import NeymanPearson
from rochull.conditions.ranges import Proportion
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array, Labelled
    from rochull.decisions.axes import Column
    from rochull.segments.redistribution import ErrorRedistribution

DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)), (0, (5, 1.4, 1.2, 1.4)), (0, (9, 2)))


@dataclass(frozen=True, eq=False)
class SegmentedExamples:
    """Validated examples of a positive weight, their auxiliary columns, and which rows (n,) they are."""

    data: Labelled
    columns: dict[Column, Array]
    kept: Array

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        aux: Any,
        sample_weight: ArrayLike | None,
        pos_label: object,
    ) -> SegmentedExamples:
        """Check what callers give."""
        from rochull.decisions.axes import aux_columns
        from rochull.segments.held_out import without_zeros

        data = validation.labelled(y_true, y_score, sample_weight, pos_label)
        refuse_other_order({"y_true": y_true, "y_score": y_score, "aux": aux, "sample_weight": sample_weight})
        return cls(*without_zeros(data, aux_columns(aux, data.scores.size)))

    @property
    def weight(self) -> Array:
        weights = self.data.weights
        return np.ones(self.data.scores.size) if weights is None else weights

    @property
    def prevalence(self) -> Proportion:
        """The proportion of positives, by weight."""
        own = float(self.weight[self.data.positive == 1].sum())
        return Proportion(Fraction(own) / Fraction(float(self.weight.sum())))

    def fitted(self, redistribution: ErrorRedistribution | None) -> ErrorRedistribution:
        """The model itself if it is fitted, else a clone that is fitted to the examples; "pav" for None."""
        from rochull.segments.held_out import fitted, is_fitted
        from rochull.segments.redistribution import ErrorRedistribution

        model = ErrorRedistribution() if redistribution is None else redistribution
        if not isinstance(model, ErrorRedistribution):
            raise ValueError(f"redistribution must be an ErrorRedistribution, but is {a_type(model)}.")
        return model if is_fitted(model) else fitted(model, self.data, self.columns)


def named_conditions(
    conditions: Condition | Sequence[Condition] | Mapping[str, Condition] | None,
    prevalence: float | None = None,
) -> dict[str, Condition]:
    """Conditions by what the legend calls them, at this prevalence; three false positive rates for None."""
    if conditions is None:
        conditions = [NeymanPearson(max_fpr) for max_fpr in (0.05, 0.2, 0.5)]
    if isinstance(conditions, Condition):
        conditions = [conditions]
    if isinstance(conditions, Mapping):
        found = {str(name): condition.at_prevalence(prevalence) for name, condition in conditions.items()}
    else:
        found = {}
        for asked in conditions:
            condition = asked.at_prevalence(prevalence)
            condition.question.require_precise()
            name, number = condition.label, 2
            while name in found:
                name, number = f"{condition.label} ({number})", number + 1
            found[name] = condition
    if not found:
        raise ValueError("conditions is empty: there is no threshold to draw.")
    return found


def legend_beside(ax: Axes, **options: Any) -> None:
    """A legend to the right of the axes, where it hides nothing."""
    legend(ax, beside=True, **options)


def thresholds_of(model: ErrorRedistribution, condition: Condition, aux: Any) -> Array:
    """The threshold of each case (n,); what was never seen is shown as "elsewhere" and needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "aux: .* never seen in training", UserWarning)
        return np.asarray(model.thresholds(condition, aux=aux), float)
