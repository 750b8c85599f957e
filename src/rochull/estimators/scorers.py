"""An expected cost, or what is reached within limits, as a scorer of scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from rochull._core import validation
from rochull._core.rows import same_rows
from rochull._core.warned import warn
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost, costs_alone
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.within import as_condition
from rochull.hull.curve import roc_curve
from rochull.hull.hull import RocHull
from rochull.multiclass.measure import Measure
from rochull.multiclass.scorer import multiclass_scorer


@takes_condition
def cost_scorer(condition: Condition | Objective | Measure, *, pos_label: object = None) -> Any:
    """Make a scorer of an expected cost, or of what limits leave, for ``scoring=`` in scikit-learn.

    Parameters
    ----------
    condition : Condition, Objective or measure of several classes
        With a single number for every parameter. Its prevalence counts, whatever that of the scored
        examples; without one it is theirs. Of several classes a measure such as
        ``rochull.multiclass.CostMatrix(costs)``; see :func:`rochull.multiclass.multiclass_scorer`.
    pos_label : object, optional
        The label of the positive class. Without it 1 (True) is positive of {0, 1}, {-1, 1} or booleans; of
        other labels the second in their order, as in scikit-learn and :class:`RocchClassifier`, and a warning
        says which.

    Returns
    -------
    scorer
        Called with an estimator, examples and their labels; greater is better, as scikit-learn expects. It
        takes a `sample_weight`. Of an expected cost it gives minus the cost per case of what `predict` says.
        Of any other condition, what the condition makes large at the best threshold of the examples' scores
        that keeps its limits: under ``NeymanPearson(0.1)`` the recall at a false positive rate of at most
        0.1, under ``MinimumRecall(0.9)`` minus the false positive rate, under ``Within(costs, limits)`` minus
        the cost.

    Raises
    ------
    ValueError
        If `condition` is something else, has an interval, or has reviews. Scoring fails where a class has no
        example although the condition states a prevalence: the rate of its errors is unknown then; and where
        no threshold keeps the limits.

    Notes
    -----
    Of an expected cost decisions are judged, not scores, so that a classifier pays for the threshold that it
    has. A `TunedThresholdClassifierCV` with this scorer finds the best; a :class:`RocchClassifier` decides by
    its own `condition`, which should be the one that it is judged by.

    Under limits scores are judged (`decision_function`, else `predict_proba`), as by the area under the
    curve. The scored examples choose the threshold, so the figure is optimistic: it is for comparing
    classifiers. How a rule that was fixed before does on other examples is shown by
    :meth:`RocchClassifier.evaluate`.

    With scikit-learn's metadata routing enabled, ``cost_scorer(...).set_score_request(sample_weight=True)``
    asks for the weights.

    Examples
    --------
    >>> import rochull as rh
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_score
    >>> X, y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=4)
    >>> scorer = rh.cost_scorer(rh.ExpectedCost(cost_fn=20, prevalence=0.2))
    >>> float(cross_val_score(LogisticRegression(), X, y, scoring=scorer, cv=3).mean().round(1))
    -1.4
    >>> tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer)
    >>> float(cross_val_score(tuned, X, y, scoring=scorer, cv=3).mean().round(1))
    -0.8
    >>> recall = rh.cost_scorer(rh.NeymanPearson(max_fpr=0.1))
    >>> float(cross_val_score(LogisticRegression(), X, y, scoring=recall, cv=3).mean().round(1))
    0.7
    """
    if isinstance(condition, Measure):
        return multiclass_scorer(condition)
    if not isinstance(condition, (Condition, Objective)):
        raise ValueError(
            f"condition must be a Condition, an Objective or a CostMatrix, but is {condition!r}."
        )
    asked = as_condition(condition)
    asked.question.refuse(
        ranges=ValueError(
            f"condition must be precise, but is {condition!r}; give single numbers for ranges."
        ),
        reviews=ValueError(
            f"condition: {condition!r} has reviews, which no scorer of decisions or scores has."
        ),
    )
    costs = costs_alone(asked)
    if costs is None:
        return make_scorer(
            best_within, response_method=("decision_function", "predict_proba"), condition=asked,
            pos_label=pos_label,
        )  # fmt: skip
    return make_scorer(
        expected_cost, greater_is_better=False, cost_fp=costs.cost_fp, cost_fn=costs.cost_fn,
        prevalence=costs.question.own_prevalence, pos_label=pos_label,
    )  # fmt: skip


def best_within(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    condition: Condition,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The value that a condition makes large, at the best threshold of these scores that keeps its limits."""
    pos_label = _positive_label(validation.codes_1d(y_true, "y_true")[1], pos_label)
    curve = roc_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    hull = RocHull.from_curve(curve)
    point = hull.at(condition, deterministic=True)
    return float(condition.at_prevalence(hull.prevalence).question.merit(point)[0])


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    cost_fp: float,
    cost_fn: float,
    prevalence: float | None = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The expected cost per case of decisions; without a prevalence, that of these cases is meant."""
    true, called = _positive(y_true, y_pred, pos_label)
    weight = np.ones(true.size) if sample_weight is None else validation.weights_1d(sample_weight)
    same_rows(y_true=y_true, y_pred=y_pred, sample_weight=sample_weight)
    of_class = {which: float(weight[true == which].sum()) for which in (True, False)}
    wrong = float(weight[called & ~true].sum()), float(weight[~called & true].sum())
    if prevalence is None:
        total = sum(of_class.values())
        if not total:
            raise ValueError("sample_weight has a total of zero.")
        return (cost_fp * wrong[0] + cost_fn * wrong[1]) / total
    for which, total in of_class.items():
        if not total:
            what = "positive" if which else "negative"
            raise ValueError(
                f"y_true has no {what} example{'' if sample_weight is None else ' of any weight'}, so that "
                f"the cost at prevalence {prevalence:g} is not known; stratify the folds, or leave the "
                "prevalence to the examples."
            )
    stated = ExpectedCost(cost_fp, cost_fn, prevalence)
    return stated.cost(wrong[0] / of_class[False], 1 - wrong[1] / of_class[True])


def _positive(y_true: ArrayLike, y_pred: ArrayLike, pos_label: object) -> tuple[Any, Any]:
    """Where labels, and predictions, are of the positive class (n,); one class alone may occur."""
    codes, known = validation.codes_1d(y_true, "y_true")
    called, said = validation.codes_1d(y_pred, "y_pred")
    same_rows(y_true=y_true, y_pred=y_pred)
    labels = list(dict.fromkeys([*known, *said]))
    listed = ", ".join(map(repr, labels[:10]))
    if len(labels) > 2:
        raise ValueError(f"y_true and y_pred must be of two classes, but hold {listed}.")
    if pos_label is None:
        pos_label = _positive_label(labels, None)
        if pos_label is None:
            raise ValueError(f"y_true and y_pred hold {listed}; give pos_label to say which is positive.")
    elif pos_label not in labels and len(labels) > 1:
        raise ValueError(f"pos_label={pos_label!r} does not occur among the labels {listed}.")
    is_positive = [np.array([label == pos_label for label in own], bool) for own in (known, said)]
    return is_positive[0][codes], is_positive[1][called]


def _positive_label(labels: Sequence[Any], pos_label: object) -> object:
    """The positive label; of others than 0 and 1 the second in their order, if there are two."""
    if pos_label is not None or set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
        return 1 if pos_label is None else pos_label
    if len(labels) != 2:
        return None
    second = np.unique(np.asarray(labels)).tolist()[1]
    warn(f"cost_scorer: pos_label is not given, so {second!r} is the positive class (the second label).")
    return second
