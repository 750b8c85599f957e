"""Normal scores whose mean, variance and prior depend on the auxiliary features without bins (Remark 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.validation import Array, Labelled
from rochull.decisions.axes import Category, Column, is_missing

_KNOTS = 8
_LEAST_VARIANCE = 1e-6  # of a case's scores, in variances of all scores


@dataclass(eq=False)
class Features:
    """Auxiliary columns as a matrix: numbers, the median for missing ones; an indicator for each category."""

    # of each numeric column; categories : of the others; gone : columns with missing values
    medians: dict[Column, float] = field(default_factory=dict)
    categories: dict[Column, list[Category]] = field(default_factory=dict)
    gone: set[Column] = field(default_factory=set)

    @classmethod
    def of(cls, columns: Mapping[Column, Array]) -> Features:
        """Learn medians and categories."""
        made = cls()
        for name, values in columns.items():
            missing = is_missing(values)
            if missing.any():
                made.gone.add(name)
            if values.dtype.kind in "iuf":
                made.medians[name] = float(np.median(values[~missing])) if not missing.all() else 0.0
            else:
                made.categories[name] = sorted(set(values[~missing].tolist()), key=str)
        return made

    @property
    def names(self) -> list[Column]:
        """The columns that are needed."""
        return [*self.medians, *self.categories]

    def __call__(self, columns: Mapping[Column, Array]) -> tuple[Array, Array]:
        """The matrix (n, k), and which rows hold a category never seen (n,)."""
        parts, unseen = [], None
        for name in self.names:
            values = columns[name]
            missing = is_missing(values)
            unseen = np.zeros(values.size, bool) if unseen is None else unseen
            if name in self.medians:
                if values.dtype.kind not in "biuf":
                    raise refused(
                        "aux", "column {} was numeric in training, but holds strings now.", repr(name)
                    )
                numbers = np.where(missing, self.medians[name], values.astype(float))
                infinite = np.flatnonzero(np.isinf(numbers))
                if infinite.size:
                    raise refused(
                        "aux", "column {} must be finite, but row {} is not.", repr(name), infinite[0]
                    )
                parts.append(numbers)
            else:
                known = [np.equal(values, category) for category in self.categories[name]]
                parts += [own.astype(float) for own in known]
                unseen |= ~np.logical_or.reduce([missing, *known])
            if name in self.gone:
                parts.append(missing.astype(float))
            else:
                unseen |= missing
        if unseen is None:
            raise refused("aux", "has no columns.")
        return np.column_stack(parts), unseen


class ContinuousModel:
    """Benefit-cost ratio of normal scores with one variance for both classes at each place.

    Parameters
    ----------
    regressor : scikit-learn regressor or None
        Of the mean of each class's scores, and of their variance; clones are fitted.
    classifier : scikit-learn classifier or None
        Of the class, for the ratio of the densities of the auxiliary features.
    """

    name = "equal-variance"

    def __init__(self, regressor: Any = None, classifier: Any = None) -> None:
        self.regressor, self.classifier = regressor, classifier

    def fit(self, data: Labelled, columns: Mapping[Column, Array]) -> Self:
        """Fit two means, a variance and the prior."""
        from sklearn.base import clone

        positive = data.positive == 1
        score = data.scores.astype(float)
        if not np.isfinite(score).all():
            at = int(np.flatnonzero(~np.isfinite(score))[0])
            raise ValueError(f"X must be finite for a model of normal scores, but index {at} is not.")
        weight = np.ones(score.size) if data.weights is None else data.weights / data.weights.mean()
        self.features = Features.of(columns)
        matrix, _ = self.features(columns)
        regressor, classifier = (
            self.regressor or _smooth(matrix),
            self.classifier or _smooth(matrix, classes=True),
        )
        self.mean = []
        square = np.empty(score.size)
        for own in (positive, ~positive):
            fitted = _fit(clone(regressor), matrix[own], score[own], weight[own])
            square[own] = (score[own] - fitted.predict(matrix[own])) ** 2
            self.mean.append(fitted)
        self.variance = _fit(clone(regressor), matrix, square, weight)
        self.least = _LEAST_VARIANCE * float(
            np.average((score - np.average(score, weights=weight)) ** 2, weights=weight)
        )
        self.prior = _fit(clone(classifier), matrix, positive.astype(int), weight)
        pos, neg = float(weight[positive].sum()), float(weight[~positive].sum())
        self.even = float(np.log(neg) - np.log(pos))
        return self

    def parts(self, columns: Mapping[Column, Array]) -> tuple[Array, Array, Array, Array]:
        """Slope and middle of the log ratio, the log of p+ / p-, and which rows are unseen; each (n,)."""
        matrix, unseen = self.features(columns)
        up, down = (np.asarray(fitted.predict(matrix), float) for fitted in self.mean)
        variance = np.maximum(np.asarray(self.variance.predict(matrix), float), self.least)
        share = np.clip(np.asarray(self.prior.predict_proba(matrix), float)[:, 1], 1e-12, 1 - 1e-12)
        return (
            np.maximum(up - down, 0.0) / variance,
            (up + down) / 2,
            np.log(share) - np.log1p(-share) + self.even,
            unseen,
        )

    def ratio(self, score: Array, columns: Mapping[Column, Array]) -> tuple[Array, Array]:
        """The benefit-cost ratio (n,), and which rows hold values never seen."""
        slope, middle, share, unseen = self.parts(columns)
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.where(slope > 0, slope * (score - middle), 0.0)
            return np.asarray(np.exp(moved + share)), unseen

    def thresholds(self, ratio: float, columns: Mapping[Column, Array]) -> Array:
        """The closed form (9) at each case (n,)."""
        slope, middle, share, _ = self.parts(columns)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(ratio)
            return np.asarray(
                np.where(slope > 0, middle + (log - share) / slope, np.where(share >= log, -np.inf, np.inf))
            )


def _fit(model: Any, matrix: Array, target: Array, weight: Array) -> Any:
    """Fit with weights, by whatever name the last step of a pipeline takes them."""
    if (weight == 1).all():
        return model.fit(matrix, target)
    from sklearn.utils.validation import has_fit_parameter

    steps = getattr(model, "steps", None)
    if not has_fit_parameter(steps[-1][1] if steps else model, "sample_weight"):
        raise Refusal("{}: {} does not take weights.", Parameter("sample_weight"), repr(model))
    return model.fit(
        matrix, target, **{f"{steps[-1][0]}__sample_weight" if steps else "sample_weight": weight}
    )


def _smooth(matrix: Array, *, classes: bool = False) -> Any:
    """Splines with a ridge penalty: smooth in every column, additive in several."""
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import SplineTransformer, StandardScaler

    splines = []
    for j in range(matrix.shape[1]):
        knots = np.unique(np.quantile(matrix[:, j], np.linspace(0, 1, _KNOTS)))
        if knots.size > 2:
            splines.append((SplineTransformer(knots=knots[:, None], extrapolation="linear"), [j]))
    last = LogisticRegression(C=10.0, max_iter=1000) if classes else Ridge(alpha=1.0)
    if not splines:
        return make_pipeline(StandardScaler(), last)
    columns = make_column_transformer(*splines, remainder="passthrough", sparse_threshold=0)
    return make_pipeline(columns, StandardScaler(), last)
