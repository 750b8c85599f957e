"""Thresholds that depend on auxiliary features, for a report: what they are, and what they gain.

The facts are a dict with these keys; `null` stands for what does not apply or is unknown.

``classifier``, ``lower_is_positive``, ``columns``, ``model``, ``shrinkage``
    Whose thresholds they are: that of the best single rule, or without one that of the largest AUC; whether
    it calls positive what scores at most its threshold. The
    auxiliary columns, the model of :class:`rochull.ErrorRedistribution` and its shrinkage.
``n_folds``
    Of the rotation that everything ``held_out`` comes from: thresholds were chosen on the other folds. Both
    are null where the table was scanned (:mod:`rochull.report.scanned`).
``areas``
    AUC of the ``straight`` curve (one threshold for all) and of the ``bent`` one, in-sample, and of their
    hulls (``straight_hull``, ``bent_hull``), which compare like with like: the bent curve of PAV, which was
    fitted to these data, is nearly its own hull; ``held_out``, means of both curves over the folds
    (for PAV, the curves of its steps, learnt on the other folds, with one threshold as by segment), and of
    their difference the mean ``gain`` and its standard deviation ``gain_sem``.
``curves``
    ``fpr`` and ``tpr``, thinned for drawing, of ``straight``, ``bent`` (in-sample) and ``held_out``, the bent
    one of the rotation.
``points``
    Under the condition the ``straight`` and the ``bent`` rule, and both ``held_out``: ``fpr``, ``tpr`` and
    ``expected_cost``; held out also by how much less the bent rule costs per case (``gain``) and the standard
    error of that (``gain_sem``), paired by cases. The rules are not randomised. Null without a condition, or
    if it cannot be met.
``fixed``
    The one threshold for all. Here and below "inf" stands for a rule that calls nothing positive, "-inf" for
    one that calls everything so, whatever the direction of the scores.
``rows``
    For each segment, and "elsewhere" for values that are in none: ``segment``, ``positives``, ``negatives``
    (weights), ``threshold``, ``fpr`` and ``tpr`` in the segment, and the ``fpr`` and ``tpr`` there of the
    ``one`` threshold for all (in-sample; null without a condition, and elsewhere).
``live``, ``live_why``
    What the thresholds are under any other condition; or null, and why there is no such table. ``totals``
    (``negatives``, ``positives``) and ``fp``, ``tp``: the vertices of the bent hull, in-sample, in numbers of
    examples or in weights. ``segments``, the last of which is "elsewhere": ``segment``, ``negatives``,
    ``positives`` (null elsewhere), and ``steps``, lists of the same length: from ``vertex[j]`` of the hull to
    the one before ``vertex[j + 1]`` the segment has ``threshold[j]``, which calls ``fp[j]`` of its negatives
    and ``tp[j]`` of its positives (both lists are null elsewhere); and ``straight`` (``fp``, ``tp``): what
    the one threshold at each vertex of the classifier's own hull calls of them, null elsewhere and where it
    were too much for a page. A point between two vertices is a mixture:
    each segment has its threshold of the one or of the other.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.rows import refuse_other_order
from rochull._core.tables import all_columns
from rochull._core.validation import Array, Labelled
from rochull.conditions.base import Condition
from rochull.conditions.costs import costs_of
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.curve import RocCurve
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.hull.ways import OverRange, way_of
from rochull.report.live_segments import (
    ELSEWHERE,
    counted,
    ladders_of,
    live_facts,
    straight_ladder,
    threshold_fact,
)
from rochull.report.uncertainty import BEHIND

if TYPE_CHECKING:
    from rochull.hybrid.hybrid import Hybrid
    from rochull.segments.redistribution import ErrorRedistribution

Facts = dict[str, Any]
_DRAWN = 0.004  # how far a point of a curve that is only drawn may be from the one before it


@described(BEHIND)
@dataclass(frozen=True, eq=False)
class Segmentation:
    """The examples behind a report, with auxiliary features on which thresholds may depend.

    A :class:`Hybrid` holds curves, but not the examples; give them again to :class:`Report`.

    Parameters
    ----------
    aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k)
        The auxiliary features: numbers or categories; missing values are a segment of their own.
    redistribution : ErrorRedistribution, optional
        How thresholds are learned; one that is not fitted, by default of the model "pav".
    cv : int, default=5
        Number of folds in which the gain is measured on cases that did not choose the thresholds.
    random_state : int or None, default=0
        Shuffles the folds.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> from rochull.report import Segmentation
    >>> rng = np.random.default_rng(0)
    >>> size, y = rng.uniform(1, 5, 2000), rng.integers(0, 2, 2000)
    >>> score = rng.normal(size * y)
    >>> segment = Segmentation(y, {"detector": score}, {"size": size})
    >>> report = rh.Report(rh.Hybrid().add("detector", y, score), rh.NeymanPearson(0.1), segment=segment)
    >>> areas = report.facts["segments"]["areas"]
    >>> bool(areas["straight"] < areas["held_out"]["bent"] < areas["bent"])
    True
    """

    y_true: ArrayLike
    scores: Mapping[str, ArrayLike]
    aux: Any
    redistribution: ErrorRedistribution | None = None
    cv: int = 5
    sample_weight: ArrayLike | None = None
    pos_label: object = None
    random_state: int | None = 0
    _models: dict[str, ErrorRedistribution] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        from rochull.decisions.axes import aux_columns

        columns = all_columns(self.scores, "scores")
        if None in columns:
            raise ValueError("scores must hold a named column for each classifier.")
        positive = validation.binary_labels(self.y_true, self.pos_label)
        validation.whole(self.cv, "cv", 2)
        names = ("y_true", "scores", "aux", "sample_weight")
        refuse_other_order({name: getattr(self, name) for name in names})
        object.__setattr__(self, "scores", dict(columns))
        object.__setattr__(self, "y_true", positive)
        object.__setattr__(self, "aux", aux_columns(self.aux, positive.size))

    def model_of(self, name: str, lower_is_positive: bool = False) -> ErrorRedistribution:
        """Fit the thresholds of one classifier, once.

        Parameters
        ----------
        name : str
            One of the scores.
        lower_is_positive : bool, default=False
            Whether low scores of it are positive; of a report's classifier its hybrid has said so.

        Returns
        -------
        ErrorRedistribution
            It is fitted.
        """
        from rochull.segments.held_out import fitted
        from rochull.segments.redistribution import ErrorRedistribution

        if name not in self._models:
            unfitted = self.redistribution or ErrorRedistribution()
            self._models[name] = fitted(unfitted, *self.examples(name, lower_is_positive))
        return self._models[name]

    def examples(self, name: str, lower_is_positive: bool = False) -> tuple[Labelled, dict[Any, Array]]:
        """Give the examples of one classifier, and the auxiliary columns, without weights of zero.

        Parameters
        ----------
        name : str
            One of the scores.
        lower_is_positive : bool, default=False
            Whether low scores of it are positive.

        Returns
        -------
        tuple of Labelled and dict
            Both are validated.
        """
        from rochull.segments.held_out import without_zeros

        data = validation.labelled(
            self.y_true, self.scores[name], self.sample_weight, name=f"scores[{name!r}]",
            lower_is_positive=lower_is_positive,
        )  # fmt: skip
        return without_zeros(data, self.aux)[:2]


def of_one_rule(condition: Condition | None) -> Condition | None:
    """The condition, if some rule is the best under it: not over a range."""
    way = condition and way_of(condition.question, deterministic=True)
    return None if isinstance(way, OverRange) else condition


def segment_facts(hybrid: Hybrid, condition: Condition | None, given: Segmentation) -> Facts:
    """Choose thresholds by segment for the best classifier, and measure what they gain."""
    condition = of_one_rule(condition)
    for known in given.scores:
        if hybrid.auc.get(known) is None:
            raise ValueError(f"segment: scores of {known!r} are given, but the hybrid was made from none.")
    name = best_of(hybrid, condition, given.scores)
    lower = hybrid.hulls[name].lower_is_positive
    data, columns = given.examples(name, lower)
    straight = _curve(data, data.scores)
    if straight.auc() != hybrid.auc[name]:
        raise ValueError(
            f"segment: the scores of {name!r} have AUC {straight.auc():.6g} and those that the hybrid was "
            f"made from {hybrid.auc[name]:.6g}: give the same examples."
        )
    model = given.model_of(name, lower)
    bent = _curve(data, model.transform(data.given, aux=columns))
    turned = _Rotation.of(model, data, columns, condition, given)
    chosen = _chosen(model, straight, data, columns, condition)
    return {
        "classifier": name,
        "lower_is_positive": lower,
        "columns": [str(column) for column in columns],
        "model": model.model_,
        "shrinkage": json_number(model.shrinkage_) if model.model_ == "pav" else None,
        "n_folds": turned.n_folds,
        "areas": areas_of(straight, bent) | {"held_out": turned.areas},
        "curves": {
            key: drawn_curve(curve) for key, curve in
            (("straight", straight), ("bent", bent), ("held_out", _curve(data, turned.ratio)))
        },
        "points": None if chosen is None else chosen["points"] | {"held_out": turned.points},
        "fixed": None if chosen is None else threshold_fact(chosen["fixed"], lower),
        "rows": _rows(model, data, columns, chosen),
        **_live(model, data, columns, hybrid.hulls[name]),
    }  # fmt: skip


def best_of(hybrid: Hybrid, condition: Condition | None, names: Collection[str]) -> str:
    """The classifier of the best single rule, one of these names; without one that of the largest area."""
    if condition is not None:
        rule = hybrid.at(condition, deterministic=True)
        owner = next((name for name in rule.classifiers if name in names), None)
        if owner is not None:
            return owner
    if not names:
        raise ValueError("segment: scores is empty: there is no classifier to choose thresholds for.")
    return max(names, key=lambda name: hybrid.auc[name])


def _curve(data: Labelled, scores: Array) -> RocCurve:
    return RocCurve.from_tally(tally_of(Labelled(data.positive, scores, data.weights)))


def _stepped(train: Labelled, scores: Array) -> Array:
    """Replace scores by the steps of PAV on other cases, so that areas compare with those by segments."""
    hull = RocHull.from_curve(RocCurve.from_tally(tally_of(train)))
    return np.searchsorted(hull.thresholds[::-1], scores, side="right").astype(float)


def areas_of(straight: RocCurve, bent: RocCurve) -> Facts:
    """In-sample, of both curves and of their hulls."""
    curves = {"straight": straight, "bent": bent}
    hulls = {f"{key}_hull": RocHull.from_curve(curve).auc() for key, curve in curves.items()}
    return {key: curve.auc() for key, curve in curves.items()} | hulls


def drawn_curve(curve: RocCurve) -> Facts:
    """Thin a curve for drawing: no rule is chosen on it."""
    thin = curve.thin(_DRAWN)
    return {"fpr": thin.fpr.round(6).tolist(), "tpr": thin.tpr.round(6).tolist()}


def _weight(data: Labelled) -> Array:
    return np.ones(data.scores.size) if data.weights is None else data.weights


def _point(called: Array, data: Labelled, condition: Condition) -> Facts:
    """Rates of what is called positive, and the cost."""
    weight, positive = _weight(data), data.positive == 1
    fpr, tpr = (float(np.average(called[own], weights=weight[own])) for own in (~positive, positive))
    costs = costs_of(condition)
    return {"fpr": fpr, "tpr": tpr, "expected_cost": costs and costs.cost(fpr, tpr)}


def _saved(called: Array, data: Labelled, condition: Condition) -> Facts:
    """Saving per case by the second of two rules (2, n), paired case by case; nulls without costs."""
    costs = costs_of(condition)
    if costs is None:
        return {"gain": None, "gain_sem": None}
    weight, positive = _weight(data), data.positive == 1
    of_fpr, of_tpr = map(float, costs.weights)
    gain = variance = 0.0
    more = called[0].astype(float) - called[1]
    for own, times in ((~positive, of_fpr), (positive, -of_tpr)):
        mean = np.average(more[own], weights=weight[own])
        share = weight[own] / weight[own].sum()
        gain += times * mean
        variance += times**2 * float((share**2 * (more[own] - mean) ** 2).sum())
    return {"gain": float(gain), "gain_sem": math.sqrt(variance)}


def _threshold_table(
    model: ErrorRedistribution, condition: Condition, data: Labelled, aux: Mapping[Any, Array]
) -> Array:
    """The threshold of each example (n,), among scores of which high ones are positive."""
    found: Array = model.thresholds(condition, aux=aux)
    return 0 - found if data.lower_is_positive else found


def _fixed(curve: RocCurve, condition: Condition) -> float:
    """The best single threshold, among scores of which high ones are positive."""
    return RocHull.from_curve(curve).at(condition, deterministic=True).rules[0][0].lowest


def _chosen(
    model: ErrorRedistribution,
    straight: RocCurve,
    data: Labelled,
    columns: Mapping[Any, Array],
    condition: Condition | None,
) -> Facts | None:
    """Both rules under the condition, on the data that chose them; None if it cannot be met."""
    if condition is None:
        return None
    try:
        fixed = _fixed(straight, condition)
        each = _threshold_table(model, condition, data, columns)
        thresholds = None if model.bins_ is None else model.thresholds(condition)
    except InfeasibleConditionError:
        return None
    points = {
        "straight": _point(data.scores >= fixed, data, condition),
        "bent": _point(data.scores >= each, data, condition),
    }
    return {"points": points, "fixed": fixed, "thresholds": thresholds}


@dataclass(frozen=True, eq=False)
class _Rotation:
    """Results for every case by models that were not fitted to it."""

    n_folds: int
    ratio: Array
    areas: Facts
    points: Facts | None

    @classmethod
    def of(
        cls,
        model: ErrorRedistribution,
        data: Labelled,
        columns: Mapping[Any, Array],
        condition: Condition | None,
        given: Segmentation,
    ) -> _Rotation:
        from rochull.segments.held_out import rotation

        ratio = np.empty(data.scores.size)
        called, areas = np.zeros((2, ratio.size), bool), []
        feasible = condition is not None
        for fold in rotation(model, data, columns, cv=given.cv, random_state=given.random_state):
            test = fold.rows(data)
            ratio[fold.test] = fold.transform(data, columns)
            one = _stepped(fold.train, test.scores) if model.model_ == "pav" else test.scores
            areas.append((_curve(test, one).auc(), _curve(test, ratio[fold.test]).auc()))
            try:
                if feasible:
                    assert condition is not None
                    fixed = _fixed(RocCurve.from_tally(tally_of(fold.train)), condition)
                    called[0, fold.test] = test.scores >= fixed
                    aux = {name: column[fold.test] for name, column in columns.items()}
                    called[1, fold.test] = test.scores >= _threshold_table(fold.model, condition, test, aux)
            except InfeasibleConditionError:
                feasible = False
        points = None
        if feasible and condition is not None:
            kinds = ("straight", "bent")
            points = {kind: _point(row, data, condition) for kind, row in zip(kinds, called, strict=True)}
            points |= _saved(called, data, condition)
        return cls(len(areas), ratio, _areas(np.array(areas)), points)


def _areas(found: Array) -> Facts:
    """Means over the folds (k, 2) of the straight and the bent area, and of their difference."""
    gain = found[:, 1] - found[:, 0]
    return {
        "straight": float(found[:, 0].mean()),
        "bent": float(found[:, 1].mean()),
        "gain": float(gain.mean()),
        "gain_sem": float(gain.std(ddof=1) / math.sqrt(gain.size)),
    }


def _rows(
    model: ErrorRedistribution,
    data: Labelled,
    columns: Mapping[Any, Array],
    chosen: Facts | None,
) -> list[Facts]:
    """Facts of every segment; none without bins."""
    if model.bins_ is None:
        return []
    segment, weight, positive = model.segment(columns), _weight(data), data.positive == 1
    k = len(model.segments_)
    found: Facts = {"segment": list(model.segments_), "threshold": [None] * k, "one": [None] * k}
    at: tuple[Any, ...] = ()  # the threshold of each case, by its segment and by one for all
    if chosen is not None:
        each = np.array(list(chosen["thresholds"].values()))  # the last is elsewhere
        each = 0 - each if data.lower_is_positive else each
        found["threshold"] = [threshold_fact(level, data.lower_is_positive) for level in each.tolist()]
        at = (each[segment], chosen["fixed"])
    rates: dict[str, list[Any]] = {}
    for own, mass, rate in ((~positive, "negatives", "fpr"), (positive, "positives", "tpr")):
        total = np.bincount(segment[own], weight[own], k)
        called = [weight * (data.scores >= threshold) for threshold in at]
        found[mass], found[rate] = total.tolist(), [None] * k
        rates[rate] = [(np.bincount(segment[own], each[own], k) / total).tolist() for each in called]
    if chosen is not None:
        found |= {name: by[0] for name, by in rates.items()}
        found["one"] = [
            {"fpr": fpr, "tpr": tpr} for fpr, tpr in zip(rates["fpr"][1], rates["tpr"][1], strict=True)
        ]
        ends = {
            "segment": ELSEWHERE,
            "negatives": 0.0,
            "positives": 0.0,
            "fpr": None,
            "tpr": None,
            "one": None,
        }
        for key, value in ends.items():
            found[key].append(value)
    return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]


def _live(model: ErrorRedistribution, data: Labelled, columns: Mapping[Any, Array], hull: RocHull) -> Facts:
    """The thresholds under any condition, or why there are none."""
    ladders = ladders_of(model)
    if isinstance(ladders, str):
        return {"live": None, "live_why": ladders}
    segment, plain = model.segment(columns), straight_ladder(hull, len(ladders))
    totals, called = counted(data, segment, ladders)
    straight = None if plain is None else counted(data, segment, [plain] * len(ladders))[1]
    return {"live": live_facts(model, ladders, totals, called, straight), "live_why": None}


def json_number(value: Any) -> float | str:
    """A number that JSON can hold."""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value  # type: ignore[no-any-return]
