"""All numbers of a report, as plain values that JSON can hold. No layout, no HTML, no rounding.

The facts are a dict with these keys; `null` stands for what does not apply, and the strings "inf"
and "-inf" for infinite numbers. ``report.schema.json`` beside this file is the same as a JSON Schema.

``format``, ``version``, ``rochull``
    "rochull-report", the version of this schema, and of the library.
``title``, ``in_sample``
    The title; and true, with every rate, cost, AUC and calibration below but those of ``need``: the data that
    chose the points are those that measured them.
``about``, ``positive``
    What is said of the data: texts by ``table``, ``label``, ``positive``, ``date``, ``about`` and others;
    null if nothing is. And what a case of the positive class is called.
``command``
    The command line that made the report, as a list of words, without the options of the condition and
    without outputs; null if none did.
``asked``
    The options of its condition, as words; null if they are not known.
``examples``
    ``positives``, ``negatives`` (weights), ``weighted``, ``prevalence``; null if only rates are known.
``totals``
    ``negatives`` and ``positives``: what every ``fp`` and ``tp`` of the curves and hulls is out of, so that
    ``fpr = fp / negatives``. Numbers of examples, which are integers; weights, if the examples are weighted;
    1 and 1 if only rates are known. A rate that was given beside examples is multiplied by their number. An
    ``fp`` or ``tp`` means the double that is written, where a number of a condition means the decimal.
``classifiers``
    For each, in the order in which they were added: ``name``; ``auc`` (raw), ``auc_interval``
    (``low``, ``high``: its 95 % score interval, by the curve that is kept for drawing; null if the examples
    are weighted, or no curve is kept), ``auc_hull``; ``on_hull``,
    whether some condition makes it optimal; ``integer``, whether its scores are integers (JSON does not tell
    3 from 3.0, SQL does); ``lower_is_positive``, whether low scores are positive; ``curve`` (``fp``, ``tp``,
    ``thresholds``, ``max_error``: how far a dropped point may be from a kept one; null if none is kept);
    ``hundredths``
    (``fp``, ``tp`` at thresholds 1, 0.99, ..., 0, or where low scores are positive 0, 0.01, ..., 1; null
    unless its scores are within [0, 1] and its complete curve was at hand); ``forecast`` (``fp``, ``tp``: the
    sums of the scores, as probabilities, of the negatives and the positives that reach 0.9, 0.8, ..., 0, as
    shares of their class; null where ``hundredths`` is); ``scores``: how many are ``distinct``, and of the
    ``negatives`` and the ``positives`` the ``least``, the ``median`` (null where it is not a number) and the
    ``greatest``; null unless the complete curve was at hand; ``hull`` (``fp``, ``tp``,
    ``thresholds``, the first of which is "inf", for "never", or "-inf" where low scores are positive);
    ``calibration``: null, or ``high``. PAV blocks are the edges of the hull: block i has scores
    from ``thresholds[i + 1]`` to ``high[i]`` (down to that, where low scores are positive), and
    ``tp[i + 1] - tp[i]`` positives among ``tp[i + 1] - tp[i] + fp[i + 1] - fp[i]`` examples.
``hybrid``
    The union hull: ``auc``, ``fp``, ``tp``, ``owners`` (the rules that reach each vertex). A rule has
    ``kind`` ("threshold", "never", "always"), ``classifier`` and ``threshold``, and if it calls positive what
    scores at most that, ``lower_is_positive``.
``dominance``
    ``absolute`` (a name or null) and ``rows``, by ascending slope: ``low``, ``high``,
    ``classifiers``, ``rule``, and the range of ``fpr`` and ``tpr``. The corners belong to the rules
    "never" and "always".
``condition``
    ``kind``, ``parameters``, ``text``, ``clause`` (what the text says, for other words: a ``key`` of the
    catalogue and its slots by name, some of which are clauses), ``python`` (what makes it after ``import
    rochull as rh``; null where no text does), ``slope`` of the iso-performance lines (linear costs only),
    and where that lies on a cost curve, ``probability_cost``; for intervals ``slope_range``,
    ``probability_cost_range`` and ``potentially_optimal``; ``n_limits``, how many limits it keeps;
    ``limited``, whether they change the rule; ``limited_at``, the prevalence that one of them depends on;
    ``approached``, the value that rules come near to, and none has, or null;
    of costs within limits the ``limits``, called as options of the
    command line ("max_fpr", "min_recall", "min_precision", "fraction"), or null if there are others, or of
    another prevalence. Null if no condition
    was named.
``figures``
    For a condition that has no costs of its own, the ``cost_fp``, ``cost_fn`` and ``prevalence`` that its
    figures assume; null if none were given.
``opening``
    Where the page's controls begin (:mod:`rochull.report.opening`): ``movable``, ``state``; null if no
    condition was named.
``mixtures``
    Whether the best point may be a mixture of two rules; if not, it is the best single one.
``chosen``, ``deterministic``
    The best point, and the best single rule: ``fpr``, ``tpr``, ``source``, ``rules`` (each a ``rule`` with
    its ``probability``), each of the ``numbers`` by its key (at the condition's costs or those of
    ``figures``; null where these or a prevalence are missing; a net benefit is "-inf" if there are false
    alarms and misses cost nothing), and ``confusion``: ``tp``, ``fp``, ``fn``, ``tn`` per ``cases`` at
    ``prevalence``, which is the condition's (``prevalence_from`` "condition"), that of ``figures``
    ("figures") or the table's ("table").
``regret``
    ``measure`` ("expected cost", "tpr", "fpr", ...) and ``rows``: what each classifier alone, at its own
    best ``point``, loses; a ``value`` of "inf" if the condition cannot be met with it.
``baselines``
    What the best point is compared with (:mod:`rochull.report.baselines`): ``kind``, ``classifier``, ``fp``,
    ``tp``, ``point``, ``breaks``, ``told_apart``, ``as_cheap``.
``singles``
    The single thresholds that can be the best one (:mod:`rochull.report.singles`): ``fp``, ``tp``,
    ``classifier``, ``threshold``, ``max_error``, ``unknown``.
``robust``
    Of a range of conditions: the rules that risk least (:mod:`rochull.report.robust`); else null.
``need``
    Whether the hybrid is better than its best member on other cases, as :meth:`rochull.Hybrid.need` found
    under the report's condition: held-out costs per case of the ``hybrid`` (its standard error is
    ``hybrid_error``) and of the best member ``alone``;
    ``members``, how often each was that one; ``difference`` (alone less hybrid), its standard ``error`` and
    ``pvalue``; the ``level`` below which it is not chance; ``n_folds`` and ``n_repeats``; ``rivals``, the
    best rules of each classifier alone (a ``threshold`` of null) and thresholds that need no data:
    ``classifier``, ``threshold``, ``cost``, and the ``difference`` of that to ``hybrid`` with its ``error``.
    Null if it was not asked.
``line``
    Two ``points`` of the ``kind`` "iso-performance" line through the chosen point, or of the limit
    that the "constraint" sets.
``numbers``
    Numbers shown for a point beside its rates (:mod:`rochull.report.numbers`): ``key``, ``label``, ``hint``,
    ``text``, ``share`` (shown in per cent), and what it is: a quotient of the sums ``over`` and ``under`` of
    what each outcome counts for.
``deploy``
    The policy document and templates of SQL (:mod:`rochull.report.deploy`).
``uncertainty``
    Intervals, and how much folds differ (:mod:`rochull.report.uncertainty_facts`); null if neither was
    asked for.
``segments``
    Thresholds that depend on auxiliary features (:mod:`rochull.report.segments`); null if not asked for.
``review``
    What a third action brings, under a :class:`Review` (:mod:`rochull.report.reviews`), which leaves
    ``condition`` and what follows from it null; else null.
``answer``
    The one rule, what it is compared with, and what is said of it (:mod:`rochull.report.answer`); null if
    only rates are known.
``scan``
    For a table that was scanned: the engine, bounds of areas, and what is unknown about it
    (:mod:`rochull.report.scanned`); else null.

A new version number means that a reader of the old one would be wrong. Keys may be added within a version.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.version import __version__
from rochull.conditions.base import Condition
from rochull.conditions.code import code
from rochull.conditions.costs import ExpectedCost, costs_alone, costs_of
from rochull.conditions.question import Question
from rochull.conditions.ranges import Proportion, Rational, interval_in_words
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.conditions.within import as_condition
from rochull.hull.unions import to_scale
from rochull.hull.ways import Assured, OnHull, OverRange, WithReviews, way_of
from rochull.report.answer import Reader, answer_facts
from rochull.report.baselines import auc_ends, baseline_facts, forecast_facts, spread_facts, usual_thresholds
from rochull.report.deploy import deploy_facts, single_of
from rochull.report.live_segments import counts
from rochull.report.numbers import NUMBERS
from rochull.report.opening import opening
from rochull.report.reviews import review_facts
from rochull.report.robust import robust_facts
from rochull.report.segments import Segmentation, json_number, segment_facts
from rochull.report.singles import single_rules
from rochull.report.wording import tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rochull._core.validation import Array
    from rochull.conditions.rules import OperatingPoint, Rule
    from rochull.hull.curve import RocCurve
    from rochull.hull.hull import RocHull
    from rochull.hybrid.hybrid import Hybrid
    from rochull.hybrid.need import Need
    from rochull.report.scanned import Scanned
    from rochull.report.uncertainty import Uncertainty

FORMAT, VERSION = "rochull-report", 2
CASES = 10_000
_DRAWN, _KEPT = 5_000, 2_500  # points of raw curves that a page draws; of more, every curve keeps fewer

Facts = dict[str, Any]


def facts_of(
    hybrid: Hybrid,
    condition: Condition | None = None,
    *,
    title: str | None = None,
    uncertainty: Uncertainty | None = None,
    segment: Segmentation | None = None,
    scanned: Scanned | None = None,
    command: list[str] | None = None,
    figures: ExpectedCost | None = None,
    about: Mapping[str, str] | None = None,
    need: Need | None = None,
    deterministic: bool = False,
    asked: list[str] | None = None,
    reader: Reader | None = None,
) -> Facts:
    """Compute everything that a report shows; :class:`Report` has the parameters, the module the schema."""
    given = condition = None if condition is None else as_condition(condition)
    condition, figures, review = _asked(hybrid, condition, figures, need)
    examples = _examples(hybrid)
    facts: Facts = {
        **{"format": FORMAT, "version": VERSION, "rochull": __version__},
        "title": title or tell("report.title"),
        **_of_data(about, hybrid.about),
        "in_sample": True,
        "command": command,
        "asked": asked,
        "examples": examples,
        **_of_hulls(hybrid),
        "mixtures": not deterministic,
        **dict.fromkeys(("condition", "figures", "chosen", "deterministic", "regret", "robust", "line")),
        "need": None if need is None else need.facts,
        "numbers": [number.facts for number in NUMBERS],
        "segments": None if segment is None else segment_facts(hybrid, condition, segment),
        "review": review,
        **dict.fromkeys(("baselines", "uncertainty", "scan")),
    }
    chosen = single = way = None
    if condition is not None:
        facts["condition"] = _condition(hybrid, condition) | {"python": code(given)}
        if isinstance(way := way_of(condition.question, deterministic=True), OverRange):
            facts["robust"], single = robust_facts(hybrid.regret(condition), condition, _rule)
        else:
            single = hybrid.at(condition, deterministic=True)
            chosen = single if deterministic else hybrid.at(condition)
            facts |= _choice(hybrid, condition, (chosen, single), examples, figures)
    facts["baselines"] = facts["baselines"] or baseline_facts(hybrid, None, {}, condition)
    facts["singles"], rules = single_rules(hybrid, single)
    singles = [] if way is None or isinstance(way, Assured) else single_of(facts)
    facts["deploy"] = deploy_facts(hybrid, rules, about, singles)
    if uncertainty is not None:
        facts["uncertainty"] = _how_sure(hybrid, condition, chosen, uncertainty)
    if scanned is not None:
        facts |= scanned.facts(hybrid, condition, chosen)
    lead = facts["deterministic"] or _at_even_costs(hybrid, facts["examples"], given)
    facts["answer"] = answer_facts(facts, hybrid, condition or given, lead, reader or Reader())
    return facts | {"opening": opening(facts)}


def _how_sure(
    hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None, given: Uncertainty
) -> Facts:
    from rochull.report.uncertainty_facts import uncertainty_facts  # few reports have it

    return uncertainty_facts(hybrid, condition, chosen, given)


def _at_even_costs(hybrid: Hybrid, examples: Facts | None, given: Condition | None) -> Facts | None:
    """The best single rule where nobody named a condition: both errors cost 1."""
    if given is not None or examples is None:
        return None
    costs = ExpectedCost(1.0, 1.0, examples["prevalence"])
    return _point(hybrid.at(costs, deterministic=True), costs, examples["prevalence"], "table")


# --- classifiers ---------------------------------------------------------------------------------


def _of_hulls(hybrid: Hybrid) -> Facts:
    """Facts that do not depend on the condition."""
    hull = hybrid.hull
    return {
        "totals": counts((hull.n_neg, hull.n_pos), hull.units, ("negatives", "positives")),
        "classifiers": [_classifier(hybrid, name) for name in hybrid.hulls],
        "hybrid": {
            "auc": hull.auc(),
            **counts((hull.fp, hull.tp), hull.units),
            "owners": [[_rule(rule) for rule in rules] for rules in hull.owners],
        },
        "dominance": _dominance(hybrid),
    }


_YES = {"1", "1.0", "true", "t", "yes", "y", "positive"}
_LABELS = {
    "label", "labels", "target", "class", "classes", "outcome", "response", "truth", "y_true", "positive",
}  # fmt: skip


def _of_data(about: Mapping[str, str] | None, known: Mapping[str, str]) -> Facts:
    """Describe the data; a positive case is called by its label, after its column unless it is a word.

    If nothing is said of the positive class, it has the name that the hybrid knows. A label that only says
    yes is called by its column, unless that only says that it holds labels.
    """
    given = dict(about or {})
    names = given if "positive" in given else known
    name = names.get("positive", "positive")
    column = (names if "label" in names else given).get("label", "")
    if name.casefold() in _YES and len(column) > 2 and column.casefold() not in _LABELS:
        name = column
    elif not name[:1].isalpha():
        name = f"{names['label']} {name}" if "label" in names else name if names is given else "positive"
    return {"about": given or None, "positive": name}


def _examples(hybrid: Hybrid) -> Facts | None:
    hull = next((hull for hull in hybrid.hulls.values() if not hull.units.are_rates), None)
    if hull is None:
        return None
    return {
        **counts((hull.n_neg, hull.n_pos), hull.units, ("negatives", "positives")),
        "weighted": hull.units.weighted,
        "prevalence": hybrid.prevalence,
    }


def _classifier(hybrid: Hybrid, name: str) -> Facts:
    hull, union, integer = hybrid.hulls[name], hybrid.hull, has_integers(hybrid.hulls[name])
    points = to_scale(hull, union.n_neg, union.n_pos, union.units)
    lower, high = hull.lower_is_positive, None if hull.blocks is None else hull.blocks.high
    return {
        "name": name,
        "lower_is_positive": lower,
        "auc": hybrid.auc.get(name),
        "auc_interval": auc_ends(hybrid, name),
        "auc_hull": hull.auc(),
        "on_hull": name in union.classifiers,
        "integer": integer,
        "curve": _curve(hybrid, name),
        "hundredths": usual_thresholds(hybrid, name),
        "forecast": forecast_facts(hybrid, name),
        "scores": spread_facts(hybrid, name),
        "hull": {
            **counts(points, union.units),
            "thresholds": _thresholds(hull, hull),
        },
        "calibration": None if high is None else {"high": _numbers(0 - high if lower else high)},
    }


def _curve(hybrid: Hybrid, name: str) -> Facts | None:
    """The thinned curve, which keeps fewer points where there are many curves."""
    curve, size = hybrid.curves.get(name), sum(map(len, hybrid.curves.values()))
    if curve is None:
        return None
    if size > _DRAWN:  # at most 2 / error points stay of each
        curve = curve.thin(min(2 * len(hybrid.curves) / _KEPT, 0.1))
    found = counts((curve.fp_units, curve.tp_units), curve.units)
    return found | {"thresholds": _thresholds(hybrid.hulls[name], curve), "max_error": curve.max_error}


def _thresholds(hull: RocHull, curve: RocHull | RocCurve) -> list[float | str]:
    integer = has_integers(hull)
    return [json_number(int(t) if integer and math.isfinite(t) else t) for t in curve.thresholds.tolist()]


def has_integers(hull: RocHull) -> bool:
    """Whether the scores of a classifier are integers, as its rules hold them."""
    if hull.blocks is not None:
        return hull.blocks.low.dtype.kind in "iu"
    inner = [rule.threshold for rules in hull.owners[1:-1] for rule in rules]
    return bool(inner) and all(isinstance(threshold, int) for threshold in inner)


def _dominance(hybrid: Hybrid) -> Facts:
    table = hybrid.dominance_table()
    rows = [
        {
            "low": json_number(row.low),
            "high": json_number(row.high),
            "classifiers": list(row.classifiers),
            "rule": row.rule,
            "fpr": list(row.fpr),
            "tpr": list(row.tpr),
        }
        for row in table.rows
    ]
    return {"absolute": table.absolute, "rows": rows}


# --- the condition and what it chooses -----------------------------------------------------------


def _condition(hybrid: Hybrid, condition: Condition) -> Facts:
    found: Facts = {
        "kind": _kind(condition.question),
        **_called(condition),
        "slope": None,
        "probability_cost": None,
        "slope_range": None,
        "probability_cost_range": None,
        "potentially_optimal": None,
        "n_limits": len(set(condition.question.center.limits)),
        "limited": _limited(hybrid, condition),
        "limits": _limits(condition),
        "limited_at": _limited_at(condition.question),
        "approached": _approached(hybrid, condition.question),
    }
    costs, way = costs_of(condition), way_of(condition.question, deterministic=True)
    if isinstance(way, OverRange) and not isinstance(way, Assured):
        found["potentially_optimal"] = list(hybrid.potentially_optimal(condition))
    if costs is not None and isinstance(way, OverRange):
        low, high = costs.slope_range
        found["slope_range"] = _numbers((low, high))
        found["probability_cost_range"] = [1 / (1 + high), 1 / (1 + low)]
    elif costs is not None:
        found["slope"] = json_number(costs.slope)
        found["probability_cost"] = 1 / (1 + costs.slope)
    return found


def _kind(question: Question) -> str:
    """Kind of the condition, by which a page's controls show it: one for all spellings of a question."""
    return type(question.asked if costs_alone(question) is None else question.goal).__name__


def _limited_at(question: Question) -> float | None:
    """At which prevalence its limits are kept, if that makes a difference to one of them; else None."""
    stated = [limit.own_prevalence for limit in question.limits]
    return next((float(share) for share in stated if isinstance(share, (int, float))), None)


def _approached(hybrid: Hybrid, question: Question) -> float | None:
    """The value that rules within its limits come near to, and none has; else None."""
    if not isinstance(way_of(question, deterministic=False), OnHull) or not question.needs_alarms:
        return None
    known, frontier = question.at_prevalence(hybrid.hull.prevalence), hybrid.hull.frontier
    try:
        value = known.approached(frontier, known.best(frontier))
    except InfeasibleConditionError:
        return None
    return None if value is None else float(value)


def _limited(hybrid: Hybrid, condition: Condition) -> bool:
    """Whether limits change the rule: the one of least cost breaks them. Of ranges whether there are any."""
    costs = costs_of(condition)
    if costs is None or isinstance(way_of(costs.question, deterministic=False), OverRange):
        return bool(set(condition.question.center.limits))
    free = hybrid.at(costs)
    return not condition.question.center.is_kept(free.fpr, free.tpr)


_OPTION_OF = {"fpr": "max_fpr", "tpr": "min_recall", "precision": "min_precision", "alarm rate": "fraction"}


def _limits(condition: Condition) -> Facts | None:
    """The limits of costs if a page's controls can show them: one of a kind, at the costs' prevalence."""
    limits = [] if costs_of(condition) is None else list(condition.question.limits)
    if not limits or any(limit.is_least for limit in limits):
        return None
    found = {_OPTION_OF.get(limit.measure.key, ""): float(limit.limit) for limit in limits}
    known = all(limit.own_prevalence in (None, condition.question.own_prevalence) for limit in limits)
    known &= not any(isinstance(limit.limit, Rational) for limit in limits)  # the page knows doubles alone
    return found if known and "" not in found and len(found) == len(limits) else None


def _parameter(value: Any, is_spread: bool) -> Any:
    """A number of a condition as JSON has it; in words what the page cannot compute with."""
    if isinstance(value, tuple):
        return list(value)
    if is_spread:
        return interval_in_words(value)
    return str(value.ratio) if type(value) is Rational else value


def _called(condition: Condition) -> Facts:
    """Its numbers, and what it is in words."""
    values, spread = condition.question.parameters, condition.question.spread
    return {
        "parameters": {
            name: _parameter(value, name in spread)
            for name, value in values.items()
            if isinstance(value, (int, float, tuple, str)) or name in spread
        },
        "text": condition.describe(),
        "clause": condition.question.clause.to_dict(),
    }


def _asked(
    hybrid: Hybrid, condition: Condition | None, figures: ExpectedCost | None, need: Need | None
) -> tuple[Condition | None, ExpectedCost | None, Facts | None]:
    """Condition and figures, at a known prevalence, and a review; an error unless all belong together."""
    if figures is not None:
        _check_figures(figures, condition)
    prevalence, written = hybrid.hull.prevalence, code(condition)
    if condition is not None:
        condition = condition.question.at_prevalence(prevalence).asked  # the spelling that has a name
    if need is not None and need.condition != condition:
        raise ValueError(f"need is of another condition: {need.condition!r}, not {condition!r}.")
    if figures is not None:
        own = None if condition is None else condition.question.own_prevalence
        figures = figures.at_prevalence(prevalence if own is None else own)
    if condition is not None and isinstance(way_of(condition.question, deterministic=True), WithReviews):
        told = _called(condition) | {"python": written}
        return None, figures, told | review_facts(hybrid, condition, _rule, CASES)
    return condition, figures, None


def _check_figures(figures: Any, condition: Condition | None) -> None:
    """Raise unless these numbers can stand beside the condition's own."""
    costs = costs_of(figures)
    rough = ValueError(f"figures must be an ExpectedCost of single numbers, but is {figures!r}.")
    if costs is None:
        raise rough
    costs.question.refuse(ranges=rough)
    if condition is None:
        raise ValueError("figures has no effect without a condition.")
    condition.question.refuse(
        reviews=ValueError("figures has no effect with a Review, which has costs of its own."),
        costs=ValueError(
            "figures has no effect with ExpectedCost, whose own costs and prevalence tell them."
        ),
    )
    own = condition.question.own_prevalence
    if isinstance(own, (int, float)) and figures.prevalence not in (None, own):
        raise ValueError(
            f"figures must have the condition's prevalence, {own!r}, but has {figures.prevalence!r}."
        )


def _choice(
    hybrid: Hybrid,
    condition: Condition,
    points: tuple[OperatingPoint, OperatingPoint],
    examples: Facts | None,
    figures: ExpectedCost | None,
) -> Facts:
    chosen, single = points
    costs = costs_of(condition) or figures
    prevalence, origin = condition.question.own_prevalence, "condition"
    if prevalence is None and figures is not None:
        prevalence, origin = figures.prevalence, "figures"
    elif prevalence is None and examples is not None:
        prevalence, origin = examples["prevalence"], "table"
    origin = "table" if isinstance(prevalence, Proportion) else origin

    def point(found: OperatingPoint) -> Facts:
        return _point(found, costs, prevalence, origin)

    table = hybrid.regret(condition)
    rows = [
        {
            "classifier": name,
            "point": None if regret.point is None else point(regret.point),
            "value": json_number(regret.value),
        }
        for name, regret in (table.singles if chosen is single else table).items()
    ]
    alone: Any = {row["classifier"]: row["point"] for row in rows}
    return {
        "figures": None if figures is None else {f.name: getattr(figures, f.name) for f in fields(figures)},
        "chosen": point(chosen),
        "deterministic": point(single),
        "regret": {"measure": condition.question.objective.key, "rows": rows},
        "line": _line(chosen, condition),
        "baselines": baseline_facts(hybrid, point, alone, condition, points),
    }


def _point(found: OperatingPoint, costs: ExpectedCost | None, prevalence: Any, origin: str) -> Facts:
    fpr, tpr = found.fpr, found.tpr
    confusion = None
    if prevalence is not None:
        positives, negatives = CASES * prevalence, CASES * (1 - prevalence)
        confusion = {
            "cases": CASES,
            "prevalence": prevalence,
            "prevalence_from": origin,
            "tp": positives * tpr,
            "fp": negatives * fpr,
            "fn": positives * (1 - tpr),
            "tn": negatives * (1 - fpr),
        }
    return {
        "fpr": fpr,
        "tpr": tpr,
        "source": found.source,
        "rules": [{"rule": _rule(rule), "probability": share} for rule, share in found.rules],
        **{number.key: json_number(number.value(fpr, tpr, prevalence, costs)) for number in NUMBERS},
        "confusion": confusion,
    }


def _line(point: OperatingPoint, condition: Condition) -> Facts | None:
    """The line ``a tpr + b fpr = c`` that shows the condition, within the unit square."""
    found = condition.question.line(point.fpr, point.tpr)
    ends = None if found is None else _clipped(*found[1])
    return {"kind": found[0], "points": ends} if found and ends else None


def _clipped(a: float, b: float, c: float) -> list[list[float]] | None:
    """Where the line ``a y + b x = c`` enters and leaves the unit square."""
    ends = []
    if a:
        ends += [[x, (c - b * x) / a] for x in (0.0, 1.0)]
    if b:
        ends += [[(c - a * y) / b, y] for y in (0.0, 1.0)]
    ends = [[x + 0.0, y + 0.0] for x, y in ends]  # without -0.0
    inside = sorted([x, y] for x, y in ends if -1e-12 <= x <= 1 + 1e-12 and -1e-12 <= y <= 1 + 1e-12)
    return [inside[0], inside[-1]] if inside and inside[0] != inside[-1] else None


# --- plain values --------------------------------------------------------------------------------


def _rule(rule: Rule) -> Facts:
    return {"kind": None, "classifier": None, "threshold": None} | rule.to_dict()


def _numbers(values: Array | tuple[float, ...]) -> list[float | str]:
    return [json_number(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]
