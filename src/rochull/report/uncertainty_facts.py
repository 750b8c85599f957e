"""How sure the numbers of a report are, as plain values: by the bootstrap, and by how much folds differ.

The facts are a dict with these keys; `null` stands for what does not apply or is unknown.

``level``
    Nominal coverage of every interval.
``bootstrap``
    Null without resampling. ``n_resamples``; ``clusters``, how many are drawn from, or null;
    ``classifiers``, for each: ``name``, the intervals ``auc`` (of the raw curve) and ``auc_hull``, and
    the share of replicates in which it is ``on_hull``, and in which it is so ``alone``: owns a vertex that
    no other owns; the interval ``auc_union`` of the union hull's area (null if a classifier in it has no
    scores); ``chosen``, the intervals ``fpr``, ``tpr``, ``expected_cost`` and ``normalised_cost`` (1 being
    all wrong) of the chosen rule, which is held fixed; ``optimism``; ``bands``, of the raw curves of the
    chosen classifiers: ``name``, ``fpr``, the ends ``low`` and ``high`` at each, and ``method``.
``folds``
    Null without folds. ``n_folds``; ``classifiers``, for each ``name`` and ``auc``; ``chosen``, the ``fpr``,
    ``tpr`` and ``expected_cost`` of the chosen rule, which is held fixed. Each value is the ``mean`` over
    the folds, their standard deviation ``std`` and that of the mean, ``sem``. Those of the rule are
    ``in_sample``: it was chosen on the rows of all folds.

An interval has ``estimate``, ``low``, ``high``, ``method`` and ``in_sample``: whether the data chose what
they measure, so that the value is too good and the interval need not cover the population's. The ends are
null where all replicates agree, which tells nothing. That of a hull has ``bias`` too, the mean of the
replicates minus the estimate. Methods are those that cover best. Rates and cost of the rule: "wilson"; for
weights, clusters or a randomised rule "bca". Raw areas: "score"; for clusters "bca". Areas of hulls: "basic".

``optimism``
    What the condition's optimum keeps on data that did not choose it: ``measure`` ("expected cost", "tpr",
    "fpr" or "utility"), its value ``apparent`` (in-sample) and ``corrected``, the difference ``optimism``
    (positive where the data flatter), an interval ``low`` to ``high`` of what the chosen rule keeps, the
    corrected rates ``fpr`` and ``tpr``, and ``n_infeasible``: replicates that cannot meet the condition. See
    :func:`rochull.optimism`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core import validation
from rochull.averaging.operating_points import operating_point_average
from rochull.hull.curve import roc_auc
from rochull.report.resampled import MEASURES, FixedRule, bootstrap_facts

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.conditions.base import Condition
    from rochull.conditions.rules import OperatingPoint
    from rochull.hybrid.hybrid import Hybrid

from rochull.report.uncertainty import Uncertainty

Facts = dict[str, Any]


def uncertainty_facts(
    hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None, given: Uncertainty
) -> Facts:
    """Tell how sure a report's numbers are; the module tells the schema."""
    rule = None
    if chosen is not None:
        rule = FixedRule(chosen, condition, given.scores, np.size(given.y_true))
    given = _rising(hybrid, given)
    _check_same(hybrid, given)
    return {
        "level": float(given.level),
        "bootstrap": bootstrap_facts(hybrid, rule, given) if given.n_resamples else None,
        "folds": None if given.folds is None else _folds(hybrid, rule, given),
    }


def _rising(hybrid: Hybrid, given: Uncertainty) -> Uncertainty:
    """The same examples, with scores of which high ones are positive; their labels are 0 and 1 by now."""
    lower = [name for name in given.scores if name in hybrid.hulls and hybrid.hulls[name].lower_is_positive]
    if not lower:
        return given
    columns = {name: validation.scores_1d(given.scores[name], f"scores[{name!r}]") for name in lower}
    turned = {name: validation.negated(column, f"scores[{name!r}]") for name, column in columns.items()}
    return replace(given, scores={**given.scores, **turned}, pos_label=None)


def _check_same(hybrid: Hybrid, given: Uncertainty) -> None:
    """Raise unless the examples are those of the hybrid, as far as its areas tell."""
    for name in hybrid.auc:
        if name not in given.scores:
            raise ValueError(
                f"uncertainty: scores has no column {name!r}, which is a classifier of the hybrid."
            )
    for name, column in given.scores.items():
        if name not in hybrid.auc:
            raise ValueError(f"uncertainty: scores of {name!r} are given, but the hybrid was made from none.")
        auc = roc_auc(given.y_true, column, sample_weight=given.sample_weight)
        if auc != hybrid.auc[name]:
            raise ValueError(
                f"uncertainty: the scores of {name!r} have AUC {auc:.6g} and those that the hybrid was made "
                f"from {hybrid.auc[name]:.6g}: give the same examples."
            )


# --- folds ---------------------------------------------------------------------------------------


def _folds(hybrid: Hybrid, rule: FixedRule | None, given: Uncertainty) -> Facts:
    folds: Any = given.folds
    called = np.zeros(np.size(given.y_true)) if rule is None or not rule.is_known else rule.called
    average = operating_point_average(given.y_true, called, folds, sample_weight=given.sample_weight)
    chosen = None
    if rule is not None and rule.is_known:
        # The rule calls with probability q: its rates are those of "q >= level", by the steps of the levels.
        levels = average.thresholds[1:]
        steps = levels - np.append(levels[1:], 0.0)
        fpr, tpr = (average.per_fold(rate)[:, 1:] @ steps for rate in ("fpr", "tpr"))
        chosen = rule_over_folds(rule, fpr, tpr)
    return {
        "n_folds": average.n_folds,
        "classifiers": [
            {
                "name": name,
                "auc": spread_over_folds(_fold_areas(name, given)) if name in given.scores else None,
            }
            for name in hybrid.hulls
        ],
        "chosen": chosen,
    }


def _fold_areas(name: str, given: Uncertainty) -> Array:
    """AUC of a classifier in each fold (n_folds,)."""
    codes, labels = validation.codes_1d(given.folds, "folds")  # type: ignore[arg-type]
    data = validation.labelled(given.y_true, given.scores[name], given.sample_weight)
    areas = []
    for fold in range(len(labels)):
        members = codes == fold
        weights = None if data.weights is None else data.weights[members]
        areas.append(roc_auc(data.positive[members], data.scores[members], sample_weight=weights))
    return np.array(areas)


def rule_over_folds(rule: FixedRule, fpr: Array, tpr: Array) -> Facts:
    """How much the rates and the cost of a rule differ, which the rows of all folds chose."""
    facts: Facts = dict.fromkeys(MEASURES)
    for name, values in zip(MEASURES, rule.with_cost(fpr, tpr), strict=False):
        facts[name] = spread_over_folds(values) | {"in_sample": True}
    return facts


def spread_over_folds(values: Array) -> Facts:
    """Mean over the folds, and how much they differ."""
    std = float(np.std(values, ddof=1))
    return {"mean": float(np.mean(values)), "std": std, "sem": std / len(values) ** 0.5}
