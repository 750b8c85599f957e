"""All numbers of a multi-class report, as plain values that JSON can hold. No layout, no HTML, no rounding.

The facts are a dict with these keys; `null` stands for what does not apply. The same as a JSON Schema is in
``multiclass.schema.json`` beside this file. The version changes where a reader of the last would be wrong.

``format``, ``version``, ``rochull``
    "rochull-multiclass-report", the version of this schema, and of the library.
``title``, ``about``, ``in_sample``, ``weighted``, ``source``
    The title; what is said of the data, texts by ``table``, ``label``, ``date``, ``about`` and others, null
    if nothing is; true: the examples that chose the points are those that measured them; whether the examples
    have weights; and "mc" or "points", what the report was made from, as the page's Python line calls it.
``classes``
    For each, in the order of the columns: ``name``, as it is shown; its label as a file has it, ``label``,
    as Python writes it, ``code``, and as the command line does, ``option``; ``column``, where its outputs are
    in a table; and ``total``, the number of its examples, or their weight.
``points``
    For each of the k operating points, in the order in which they were given: ``weights`` (k, C) and
    ``confusion`` (k, C, C); row i are the examples of class i. ``rates`` (rows divided by their sums),
    ``errors`` (k, C) and ``error_rates`` (k,) are null unless the examples are weighted: quotients of counts
    come out alike anywhere.
``objective``
    What is minimised: ``kind`` is "max_error", "error_rate", "expected_cost" or "given"; ``text`` for a
    reader; ``code`` in Python; ``option``, what the command line minimises, null where it has no word for
    it; ``share``, whether its values are shares; ``named``, whether "the" goes before the text; ``values``
    (k,) of a "given" one, null where it is not defined.
``costs``, ``priors``
    Those of an expected cost, (C, C) and (C,); priors are null if they are those of the examples.
``limits``
    For each: ``kind`` is "cell", "error" or "given"; ``true`` and ``called``, indices of classes; ``side``
    ("<=" or ">="); ``limit``; ``share``, whether that is one; ``text``; ``code``; ``option``, as the command
    line has it, or null; ``scale``, in which its excess is measured; and of a "given" one ``excess`` (k,), by
    how much each point breaks it, in units of the scale: at most 0 where it is kept, null where it is not
    defined.
``remaining``
    Indices of the points within all limits.
``chosen``
    The best of these, or if there is none, the point with the smallest largest excess (the best of those, if
    there are some): ``index``, ``value`` of the objective, ``feasible``, ``excess`` over each limit, in units
    of its scale, and ``unlimited``, the index of the best of all points.
``leading``
    At most ten of the remaining, the best first, the chosen one before its equals: ``index`` and ``value``.
``baselines``
    What the points are compared with, see :mod:`rochull.report.multiclass_baselines`.
``command``
    The command line that read the examples, a list of texts, without what says which point is chosen
    (objective, costs, limits, weights) and without the files that are written; null if it was none.
``answer``
    The answer in messages, see :mod:`rochull.report.multiclass_answer`.
``deploy``
    Templates for the policy document and the SQL of each point, see :mod:`rochull.report.multiclass_deploy`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.documents import check_texts
from rochull._core.version import __version__
from rochull.decisions.outputs import columns_by_class
from rochull.multiclass.costs import CostMatrix
from rochull.multiclass.inputs import index_of
from rochull.multiclass.measure import Limit, Measure
from rochull.multiclass.measures import (
    Cell,
    Error,
    ErrorRate,
    MaxError,
    Objective,
    checked_limits,
    checked_objective,
    smallest,
)
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.roc import MulticlassRoc
from rochull.report.multiclass_answer import answer_facts
from rochull.report.multiclass_baselines import baseline_facts
from rochull.report.multiclass_deploy import deploy_facts
from rochull.report.wording import number, share, tell
from rochull.words.clauses import Clause, Vocabulary

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.report.multiclass_deploy import OutputColumns

FORMAT, VERSION = "rochull-multiclass-report", 2
LEADING = 10
_WORDS = Vocabulary("page", {"share": str})  # names unchanged: who shows a text isolates them

Facts = dict[str, Any]


def facts_of(
    source: MulticlassRoc | MulticlassPoints,
    limits: Limit | Sequence[Limit] = (),
    objective: Objective = "max_error",
    title: str | None = None,
    *,
    columns: OutputColumns | None = None,
    command: Sequence[str] | None = None,
    about: Mapping[str, str] | None = None,
) -> Facts:
    """Compute everything that a multi-class report shows; the schema is this module's documentation."""
    check_texts(about)
    points, minimised = _points(source), checked_objective(objective)
    wanted = checked_limits(limits)
    excess = np.array([_excess(limit, points) for limit in wanted]).reshape(len(wanted), len(points))
    weighted = points.confusion.dtype.kind == "f"
    found: Facts = {
        "format": FORMAT,
        "version": VERSION,
        "rochull": __version__,
        "title": title or tell("report.several.title"),
        "about": None if about is None else dict(about),
        "in_sample": True,
        "weighted": weighted,
        "source": "mc" if isinstance(source, MulticlassRoc) else "points",
        "classes": _classes(points, columns),
        "points": {
            "weights": points.weights.tolist(),
            "confusion": points.confusion.tolist(),
            "rates": points.rates.tolist() if weighted else None,
            "errors": points.errors.tolist() if weighted else None,
            "error_rates": points.values("error").tolist() if weighted else None,
        },
        **_objective(minimised, points),
        "limits": [_limit(limit, points, row) for limit, row in zip(wanted, excess, strict=True)],
        **_choice(minimised, points, excess),
        "baselines": baseline_facts(source, points, minimised, wanted, _excess),
        "command": None if command is None else list(command),
        "deploy": deploy_facts(points, columns, command, about),
    }
    return found | {"answer": answer_facts(found)}


def _points(source: object) -> MulticlassPoints:
    points = source.points if isinstance(source, MulticlassRoc) else source
    if not isinstance(points, MulticlassPoints):
        raise ValueError(
            f"the points must be a MulticlassRoc or MulticlassPoints, but are a {type(source).__name__}."
        )
    if len(points) == 0:
        raise ValueError("the points are none: there is nothing to report.")
    empty = np.flatnonzero((points.confusion.sum(axis=2) <= 0).any(axis=0))
    if empty.size:
        raise ValueError(f"the points have no example of class {points.classes[empty[0]]!r}.")
    return points


def _excess(limit: Limit, points: MulticlassPoints) -> Array:
    """By how much each point (k,) breaks a limit, in units of its scale; inf where that is not defined."""
    excess = limit.excess(points.confusion, points.classes) / limit.measure.scale()
    met = limit.met(points.confusion, points.classes)  # sums of costs are compared exactly there
    excess = np.where(met, np.minimum(excess, 0.0), np.maximum(excess, np.nextafter(0.0, 1.0)))
    return np.where(np.isnan(excess), np.inf, excess)


def _classes(points: MulticlassPoints, columns: OutputColumns | None) -> list[Facts]:
    labels = [_plain(label) for label in points.classes]
    names = [named(label) for label in labels]
    if len(set(names)) < len(names):  # 1 and "1"
        names = [repr(label) for label in labels]
    totals = points.confusion[0].sum(axis=1).tolist()
    given = {} if columns is None else columns_by_class(columns, points.classes)
    places = [given.get(label, str(label)) for label in points.classes]
    return [
        {
            "name": name,
            "label": str(label),
            "code": repr(label),
            "option": typed(label),
            "column": place if isinstance(place, str) else place[-1],
            "total": total,
        }
        for name, label, place, total in zip(names, labels, places, totals, strict=True)
    ]


def named(label: Any) -> str:
    """A label as a reader is shown it: "34 of 177 2" would be read as numbers."""
    text = str(_plain(label))
    return _WORDS.told(Clause("answer.classes.numbered", name=text)) if re.match(r"[-+.]?\d", text) else text


_BARE = re.compile(r"-?\w([\w .:/+-]*\w)?")  # what needs no quotes in an option


def typed(label: Any) -> str:
    """A label as the command line takes it: in double quotes, which are doubled, unless it is plain."""
    text = str(_plain(label))
    return text if _BARE.fullmatch(text) else '"' + text.replace('"', '""') + '"'


def option_of(minimised: Any) -> str | None:
    """Name a measure as the command line does; None for costs, which have own options, and functions."""
    match minimised:
        case MaxError():
            return "max-error"
        case ErrorRate():
            return "error-rate"
        case CostMatrix():
            return "cost"
        case Error():
            return f"error({typed(minimised.label)})"
        case Cell():
            return f"called({typed(minimised.true)},{typed(minimised.called)})"
    return None


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _objective(minimised: Any, points: MulticlassPoints) -> Facts:
    costs, priors = 1.0 - np.eye(len(points.classes)), None
    kind, values = _KINDS.get(type(minimised), "given"), None
    if kind == "expected_cost":
        costs, priors = minimised.aligned(points.classes)  # as given: the page writes them in Python
    elif kind == "given":
        values = [_number(value) for value in points.values(minimised).tolist()]
    told: Facts = {"kind": kind, "text": describe(minimised), "code": code_of(minimised, points)}
    told |= {"option": option_of(minimised), "share": _is_share(minimised), "values": values}
    told["named"] = kind != "given" or isinstance(minimised, Error)
    return {
        "objective": told,
        "costs": costs.tolist(),
        "priors": None if priors is None else priors.tolist(),
    }


_KINDS: dict[type, str] = {MaxError: "max_error", ErrorRate: "error_rate", CostMatrix: "expected_cost"}


def _is_share(measure: Any) -> bool:
    return isinstance(measure, Measure) and measure.is_share


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def describe(minimised: Any) -> str:
    """Name an objective for a reader."""
    match minimised:
        case MaxError():
            return tell("answer.classes.goal.largest")
        case ErrorRate():
            return tell("answer.classes.goal.rate")
        case CostMatrix():
            return tell("answer.classes.short.cost")
        case Error():
            return _WORDS.told(Clause("answer.classes.limited", kind="error", name=named(minimised.label)))
        case Cell():
            names = {"name": named(minimised.true), "called": named(minimised.called)}
            return _WORDS.told(Clause("answer.classes.limited", kind="cell", **names))
        case Measure():
            return str(minimised)
    return str(getattr(minimised, "__name__", tell("report.several.function")))


def code_of(minimised: Any, points: MulticlassPoints) -> str:
    """How Python writes a measure; a function by its name."""
    match minimised:
        case Error():
            return f"rh.multiclass.Error({_plain(minimised.label)!r})"
        case Cell():
            return f"rh.multiclass.Cell({_plain(minimised.true)!r}, {_plain(minimised.called)!r})"
        case CostMatrix():
            costs, priors = minimised.aligned(points.classes)
            given = [_short(costs)] if priors is None else [_short(costs), f"priors={_short(priors)}"]
            return f"rh.multiclass.CostMatrix({', '.join(given)})"
        case Measure():
            return f"rh.multiclass.{minimised}"
    name = str(getattr(minimised, "__name__", ""))
    return name if name.isidentifier() else "objective"


def _short(numbers: Array) -> str:
    """A list of numbers as Python writes it, whole numbers without a point."""
    shown = np.vectorize(lambda x: int(x) if x == int(x) else float(x), otypes=[object])(numbers)
    return str(shown.tolist())


def _limit(limit: Limit, points: MulticlassPoints, excess: Array) -> Facts:
    measure, classes = limit.measure, points.classes
    told: Facts = {"kind": "given", "true": None, "called": None, "side": limit.side, "limit": limit.limit}
    told["share"] = _is_share(measure)
    shown = share(limit.limit) if told["share"] else number(limit.limit)
    told["text"] = _WORDS.told(
        Clause(
            "answer.classes.limit",
            limited=describe(measure),
            way="most" if limit.side == "<=" else "least",
            limit=shown,
        )
    )
    told["code"] = f"{code_of(measure, points)} {limit.side} {limit.limit!r}"
    option = None if isinstance(measure, CostMatrix) else option_of(measure)
    told["option"] = None if option is None else f"{option}{limit.side}{limit.limit!r}"
    told |= {"scale": measure.scale(), "excess": None}
    if isinstance(measure, Error):
        told |= {"kind": "error", "true": index_of(measure.label, classes, str(measure))}
    elif isinstance(measure, Cell):
        true, called = (index_of(label, classes, str(measure)) for label in (measure.true, measure.called))
        told |= {"kind": "cell", "true": true, "called": called}
    else:
        told["excess"] = [_number(value) for value in excess.tolist()]
    return told


def _choice(minimised: Any, points: MulticlassPoints, excess: Array) -> Facts:
    """The best of the points that no limit excludes, else the closest to the limits."""
    remaining, values = np.flatnonzero((excess <= 0).all(axis=0)), points.values(minimised)
    among = remaining
    if not remaining.size:
        worst = excess.max(axis=0)
        among = np.flatnonzero(worst == worst.min())
    found = smallest(minimised, points.confusion[among], points.classes)
    index = int(among[found or 0])  # None: it is not defined at any
    others = remaining[np.argsort(values[remaining], kind="stable")].tolist()
    leading = [index, *(p for p in others if p != index)][: LEADING * bool(remaining.size)]
    return {
        "remaining": remaining.tolist(),
        "leading": [{"index": p, "value": _number(float(values[p]))} for p in leading],
        "chosen": {
            "index": index,
            "value": _number(float(values[index])),
            "feasible": bool(remaining.size),
            "excess": [_number(found) for found in excess[:, index].tolist()],
            "unlimited": smallest(minimised, points.confusion, points.classes) or 0,
        },
    }
