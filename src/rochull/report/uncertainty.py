"""How sure the numbers of a report are, as plain values: by the bootstrap, and by how much folds differ.

The facts are a dict with these keys; `null` stands for what does not apply or cannot be told.

``level``
    Nominal coverage of every interval.
``bootstrap``
    Null without resampling. ``n_resamples``; ``clusters``, how many are drawn from, or null;
    ``classifiers``, for each: ``name``, the intervals ``auc`` (of the raw curve) and ``auc_hull``, and
    the share of replicates in which it is ``on_hull``, and in which it is so ``alone``: owns a vertex that
    no other owns (null for weighted examples); the interval ``auc_union`` of the union hull's area (null if
    a classifier in it has no scores); ``chosen``, the intervals ``fpr``, ``tpr`` and
    ``expected_cost`` of the chosen rule, which is held fixed; ``optimism``.
``folds``
    Null without folds. ``n_folds``; ``classifiers``, for each ``name`` and ``auc``; ``chosen``, the ``fpr``,
    ``tpr`` and ``expected_cost`` of the chosen rule, which is held fixed. Each value is the ``mean`` over
    the folds, their standard deviation ``std`` and that of the mean, ``sem``.

An interval has ``estimate``, ``low``, ``high``, ``method`` ("bca", "percentile" or "clopper-pearson") and
``in_sample``: whether the data chose what they measure, so that the value is too good and the interval need
not cover the population's. That of a hull has ``bias`` too, the mean of the replicates minus the estimate.

``optimism``
    What the condition's optimum keeps on data that did not choose it: ``measure`` ("expected cost", "tpr",
    "fpr" or "utility"), its value ``apparent`` (in-sample) and ``corrected``, the difference ``optimism``
    (positive where the data flatter), an interval ``low`` to ``high`` of what the chosen rule keeps, the
    corrected rates ``fpr`` and ``tpr``, and ``n_infeasible``: replicates that cannot meet the condition. See
    :func:`rochull.optimism`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation
from rochull._union import union
from rochull.averaging import operating_point_average
from rochull.bands import hull_membership
from rochull.conditions import ExpectedCost
from rochull.curve import roc_auc
from rochull.in_sample import optimism
from rochull.rates import rate_interval
from rochull.resampling import bootstrap, score_columns

if TYPE_CHECKING:
    from rochull._resample import Resample
    from rochull._validation import Array
    from rochull.conditions import Condition
    from rochull.hybrid import Hybrid
    from rochull.rules import OperatingPoint

Facts = dict[str, Any]
_MEASURES = ("fpr", "tpr", "expected_cost")


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The examples behind a report, and how to tell how sure its numbers are.

    A :class:`Hybrid` holds curves, but not the examples; give them again to :class:`Report`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The labels that the hybrid was made from.
    scores : mapping or data frame of columns of shape (n,)
        The scores of each of its classifiers, by name.
    n_resamples : int, default=2000
        Bootstrap replicates; none for 0.
    folds : array-like of shape (n,), optional
        The fold of each example, where the scores are out-of-fold.
    clusters : array-like of shape (n,), optional
        Whom each example belongs to (patient, customer): the bootstrap draws whole clusters.
    sample_weight : array-like of shape (n,), optional
        The weights that the hybrid was made from.
    pos_label : object, optional
        The label of the positive class.
    level : float, default=0.95
        Nominal coverage of the intervals, strictly between 0 and 1.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the bootstrap.

    Raises
    ------
    ValueError
        If there is neither a bootstrap nor a fold, or clusters without a bootstrap; for labels of one class
        only, bad weights or a level outside (0, 1). :class:`Report` raises if scores, folds or clusters do
        not fit, or are not those of the hybrid.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> y, scores = table["class"] == "bad", {"boosted": table["boosted"], "tree": table["tree"]}
    >>> hybrid = rh.Hybrid().add("boosted", y, scores["boosted"]).add("tree", y, scores["tree"])
    >>> sure = rh.Uncertainty(y, scores, n_resamples=200, folds=table["fold"])
    >>> found = rh.Report(hybrid, rh.NeymanPearson(0.1), uncertainty=sure).facts["uncertainty"]
    >>> [round(found["bootstrap"]["classifiers"][1]["auc"][end], 2) for end in ("low", "high")]
    [0.68, 0.75]
    >>> round(found["folds"]["chosen"]["tpr"]["sem"], 2)
    0.03
    """

    y_true: ArrayLike
    scores: Mapping[str, ArrayLike]
    n_resamples: int = 2000
    folds: ArrayLike | None = None
    clusters: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    pos_label: object = None
    level: float = 0.95
    random_state: Any = 0

    def __post_init__(self) -> None:
        if not self.n_resamples and self.folds is None:
            raise ValueError("n_resamples is 0 and there are no folds: nothing would tell how sure it is.")
        if self.clusters is not None and not self.n_resamples:
            raise ValueError("clusters have no effect with n_resamples=0.")
        _validation.probability(self.level, "level", open_ends=True)
        columns = score_columns(self.scores)
        if None in columns:
            raise ValueError("scores must hold a named column for each classifier.")
        object.__setattr__(self, "scores", dict(columns))
        object.__setattr__(self, "y_true", _validation.binary_labels(self.y_true, self.pos_label))

    @property
    def _drawing(self) -> dict[str, Any]:
        """Keywords of every bootstrap."""
        return {
            "n_resamples": self.n_resamples,
            "clusters": self.clusters,
            "random_state": self.random_state,
        }


def uncertainty_facts(
    hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None, given: Uncertainty
) -> Facts:
    """Tell how sure a report's numbers are.

    Parameters
    ----------
    hybrid : Hybrid
        Made from the given examples.
    condition : Condition, optional
        What the point was chosen for.
    chosen : OperatingPoint, optional
        The best point of the hybrid, if one was chosen.
    given : Uncertainty
        The examples, and what to do with them.

    Returns
    -------
    dict
        The schema is this module's documentation.
    """
    _check_same(hybrid, given)
    rule = None if chosen is None else _Fixed(chosen, condition, given)
    return {
        "level": float(given.level),
        "bootstrap": _bootstrap(hybrid, rule, given) if given.n_resamples else None,
        "folds": None if given.folds is None else _folds(hybrid, rule, given),
    }


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


@dataclass(frozen=True, eq=False)
class _Fixed:
    """A rule that is held fixed: how often it calls each example positive, which is a score of its own."""

    point: OperatingPoint
    condition: Condition | None
    given: Uncertainty

    @property
    def is_known(self) -> bool:
        """Whether there are scores of every classifier that the rule needs."""
        return all(name in self.given.scores for name in self.point.classifiers)

    @cached_property
    def called(self) -> Array:
        """Probability that each example is called positive (n,)."""
        called = np.zeros(np.size(self.given.y_true))
        for rule, share in self.point.rules:
            if rule.threshold is not None and rule.classifier is not None:
                scores = _validation.scores_1d(self.given.scores[rule.classifier], rule.classifier)
                called[scores >= rule.threshold] += share
            elif rule.kind == "always":
                called += share
        return called

    def with_cost(self, fpr: Array, tpr: Array) -> Array:
        """The rates, and the expected cost a case if there are costs: (2, ...) or (3, ...)."""
        if not isinstance(self.condition, ExpectedCost):
            return np.stack([fpr, tpr])
        of_fpr, of_miss = map(float, self.condition.weights)
        return np.stack([fpr, tpr, of_fpr * fpr + of_miss * (1 - tpr)])


# --- the bootstrap -------------------------------------------------------------------------------


def _bootstrap(hybrid: Hybrid, rule: _Fixed | None, given: Uncertainty) -> Facts:
    clusters = None if given.clusters is None else len(_validation.codes_1d(given.clusters, "clusters")[1])
    return {
        "n_resamples": given.n_resamples,
        "clusters": clusters,
        **_areas(hybrid, given),
        "chosen": _fixed_intervals(rule, given) if rule is not None and rule.is_known else None,
        "optimism": _optimism(hybrid, rule, given),
    }


def _areas(hybrid: Hybrid, given: Uncertainty) -> Facts:
    """Areas under the raw curves, the hulls and the union hull, and who is on the latter."""
    names, weight = list(given.scores), given.sample_weight
    unknown: Facts = {"auc": None, "auc_hull": None, "on_hull": None, "alone": None}
    if not names:
        return {"classifiers": [{"name": name, **unknown} for name in hybrid.hulls], "auc_union": None}

    def raw(sample: Resample) -> list[float]:
        return [sample.auc(name) for name in names]

    def hulls(sample: Resample) -> list[float]:
        each = {name: sample.hull(name).named(name) for name in names}
        return [*(hull.auc() for hull in each.values()), union(each).auc()]

    options = {"level": given.level, "sample_weight": weight, **given._drawing}
    auc = bootstrap(given.y_true, given.scores, raw, method="bca", **options)
    hull = bootstrap(given.y_true, given.scores, hulls, **options)
    either, alone = _members(given)
    rows = {
        name: {
            "auc": _interval(auc, i),
            "auc_hull": _interval(hull, i) | {"bias": float(hull.bias[i])},
            "on_hull": either.get(name),
            "alone": alone.get(name),
        }
        for i, name in enumerate(names)
    }
    classifiers = [{"name": name, **rows.get(name, unknown)} for name in hybrid.hulls]
    together = _interval(hull, -1) | {"bias": float(hull.bias[-1])}
    return {"classifiers": classifiers, "auc_union": together if _all_scored(hybrid, given) else None}


def _members(given: Uncertainty) -> tuple[dict[str, float], dict[str, float]]:
    """How often each classifier is on the union hull, and alone at a vertex; empty for weighted examples."""
    if given.sample_weight is not None:
        return {}, {}
    found = hull_membership(given.y_true, given.scores, **given._drawing)
    return found.classifier, found.alone


def _all_scored(hybrid: Hybrid, given: Uncertainty) -> bool:
    """Whether the union hull is that of classifiers whose scores are known."""
    return set(hybrid.hulls) == set(given.scores)


def _fixed_intervals(rule: _Fixed, given: Uncertainty) -> Facts:
    """Rates and cost of the rule as it is: exact intervals of rates where these are counts."""

    def statistic(sample: Resample) -> Array:
        groups = sample.tally()
        called = groups.score  # the probability to be called positive
        return rule.with_cost(
            (called @ groups.neg) / groups.neg.sum(), (called @ groups.pos) / groups.pos.sum()
        )

    found = bootstrap(
        given.y_true, rule.called, statistic,
        method="bca", level=given.level, sample_weight=given.sample_weight, **given._drawing,
    )  # fmt: skip
    facts: Facts = dict.fromkeys(_MEASURES)
    facts |= {name: _interval(found, i) for i, name in enumerate(_MEASURES[: np.size(found.low)])}
    if given.sample_weight is None and given.clusters is None and len(rule.point.rules) == 1:
        positive = np.asarray(given.y_true) == 1
        for name, members in (("fpr", ~positive), ("tpr", positive)):
            called = int(np.count_nonzero(rule.called[members]))
            exact = rate_interval(called, int(np.count_nonzero(members)), level=given.level)
            facts[name] |= {"low": exact.low, "high": exact.high, "method": exact.method}
    for name in _MEASURES:
        if facts[name] is not None:
            facts[name]["in_sample"] = True  # these data chose the rule
    return facts


def _interval(found: Any, i: int) -> Facts:
    """Element i of an interval of arrays."""
    return {
        "estimate": float(found.estimate[i]),
        "low": float(found.low[i]),
        "high": float(found.high[i]),
        "method": found.method,
        "in_sample": found.in_sample,
    }


def _optimism(hybrid: Hybrid, rule: _Fixed | None, given: Uncertainty) -> Facts | None:
    """What the optimum keeps, where it was chosen among classifiers whose scores are all known."""
    if rule is None or rule.condition is None or not _all_scored(hybrid, given):
        return None
    try:
        found = optimism(
            given.y_true, given.scores, rule.condition,
            level=given.level, sample_weight=given.sample_weight, **given._drawing,
        )  # fmt: skip
    except ValueError:  # the input is fine by now: hardly any replicate meets the condition
        return None
    names = ("measure", "apparent", "corrected", "optimism", "low", "high", "fpr", "tpr", "n_infeasible")
    return {name: getattr(found, name) for name in names}


# --- folds ---------------------------------------------------------------------------------------


def _folds(hybrid: Hybrid, rule: _Fixed | None, given: Uncertainty) -> Facts:
    folds: Any = given.folds
    called = np.zeros(np.size(given.y_true)) if rule is None or not rule.is_known else rule.called
    average = operating_point_average(given.y_true, called, folds, sample_weight=given.sample_weight)
    chosen: Facts | None = None
    if rule is not None and rule.is_known:
        # The rule calls with probability q: its rates are those of "q >= level", by the steps of the levels.
        levels = average.thresholds[1:]
        steps = levels - np.append(levels[1:], 0.0)
        fpr, tpr = (average.per_fold(rate)[:, 1:] @ steps for rate in ("fpr", "tpr"))
        found = rule.with_cost(fpr, tpr)
        chosen = dict.fromkeys(_MEASURES)
        chosen |= {name: _spread(values) for name, values in zip(_MEASURES, found, strict=False)}
    return {
        "n_folds": average.n_folds,
        "classifiers": [
            {"name": name, "auc": _spread(_fold_areas(name, given)) if name in given.scores else None}
            for name in hybrid.hulls
        ],
        "chosen": chosen,
    }


def _fold_areas(name: str, given: Uncertainty) -> Array:
    """AUC of a classifier in each fold (n_folds,)."""
    codes, labels = _validation.codes_1d(given.folds, "folds")  # type: ignore[arg-type]
    data = _validation.labelled(given.y_true, given.scores[name], given.sample_weight)
    areas = []
    for fold in range(len(labels)):
        members = codes == fold
        weights = None if data.weights is None else data.weights[members]
        areas.append(roc_auc(data.positive[members], data.scores[members], sample_weight=weights))
    return np.array(areas)


def _spread(values: Array) -> Facts:
    """Mean over the folds, and how much they differ."""
    std = float(np.std(values, ddof=1))
    return {"mean": float(np.mean(values)), "std": std, "sem": std / len(values) ** 0.5}
