"""``rochull judge``: what a deployed rule promised beside what it did, when the labels are in."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull._core.messages import Message
from rochull.cli.case_reader import CaseReader, ChanceOption, ColumnOption, LabelOption, PositiveOption
from rochull.cli.conditions import CONDITION, Options, Typed, takes
from rochull.cli.decider import Asked
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, MemoryOption
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import FullOption, MissingOption, UsageError, say, say_wrapped, warnings_as_lines
from rochull.cli.policies import load
from rochull.cli.statuses import Status
from rochull.cli.summary import JsonOption, Summary
from rochull.cli.wording import worded

if TYPE_CHECKING:
    from rochull.conditions.rules import OperatingPoint
    from rochull.policies.performance import Performance, PerformanceUnder

_FIGURES = ("prevalence", "alarm_rate", "tpr", "fpr", "precision", "expected_cost", "net_benefit", "regret")
_BROKEN = "{} is broken."
_IF = {
    "label shift": "if only the share of positives has moved",
    "covariate shift": "if only other cases came",
}
_FITS = 0.2  # the p-value from which label shift is taken for what it is (studies/acting.py)
_LIMITED = {"fpr": "fpr", "tpr": "tpr", "precision": "precision", "alarm rate": "alarm_rate"}  # by measure


@takes({"typed": CONDITION, "goal": GOAL})
def judge(
    policy: Annotated[Path, Argument(help="The policy that decided.")],
    table: Annotated[str, Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
    *,
    label: LabelOption = None,
    positive: PositiveOption = None,
    label_probability: ChanceOption = None,
    typed: Typed,
    goal: TypedGoal,
    deterministic: Annotated[
        bool, Option("--deterministic", help="It decided by the best single threshold.")
    ] = False,
    column: ColumnOption = None,
    missing: MissingOption = None,
    memory: MemoryOption = None,
    full: FullOption = False,
    as_json: JsonOption = False,
) -> int:
    """Judge a saved policy on cases that it has not seen: promise beside fact.

    Give the condition under which it decided. Every figure has an interval of
    95 %. Without --label, or where labels are missing, two answers stand side
    by side: if only the share of positives has moved, and if only other cases
    came. --full prints every answer with all its ends.
    """
    options = Options(typed)
    loaded = load(policy, Asked(options, options.condition(), goal, deterministic, minimax=False))
    from rochull.policies.policy import Policy

    found = loaded.policy
    if not isinstance(found, Policy):
        raise UsageError(f"judge needs a policy of one rule for all cases, which {loaded.what} is not.")
    point = found.at(loaded.condition, deterministic)
    reading = CaseReader(table, label, positive, Engine(None, memory).bytes)
    record = Summary("judge", loaded.made_by, table, printed=as_json, condition=loaded.asks)
    with record.told():
        for said in loaded.told():
            say_wrapped(said)
        batch = reading.by_scores(
            found,
            [point],
            reading.places(column, point.classifiers, found.classifiers),
            [] if label_probability is None else [label_probability],
        )
        with warnings_as_lines():
            judged = found.performance(
                batch.scores, loaded.condition, batch.truth, sample_weight=batch.weights(label_probability),
                count=batch.count, deterministic=deterministic,
            )  # fmt: skip
        promised = _promise(point, loaded.condition, found.hull.prevalence)
        broken = _broken(judged.observed, loaded.condition)
        for line in (*_headline(judged, promised, point), *(worded(Message(_BROKEN, one)) for one in broken)):
            say_wrapped(line)
        say(*(_all_tables(judged, promised) if full else _one_table(judged, promised)))
        record.facts |= {"rows": batch.rows, "labelled": judged.n_labelled, "broken": list(map(str, broken))}
        record.facts |= _facts(judged, promised)
    if broken:
        return Status.LIMIT
    observed = judged.observed
    gains = observed is not None and observed.regret is not None and observed.regret.low > 0
    return Status.BETTER if gains else Status.DONE


def _promise(point: OperatingPoint, condition: Any, own: float | None) -> dict[str, float]:
    """Figures of the rule on the examples that made the policy, at the condition's prevalence."""
    from rochull.conditions.costs import costs_of
    from rochull.decisions.questions import prevalence_asked

    asked = prevalence_asked(condition, own)
    share = own if asked is None else asked
    if share is None:
        return {"tpr": point.tpr, "fpr": point.fpr}
    right, wrong = share * point.tpr, (1 - share) * point.fpr
    found = {"prevalence": share, "alarm_rate": right + wrong, "tpr": point.tpr, "fpr": point.fpr}
    found["precision"] = right / (right + wrong) if right + wrong else math.nan
    costs: Any = costs_of(condition)
    if costs is not None:
        found["expected_cost"] = float(costs.cost_fp) * wrong + float(costs.cost_fn) * (share - right)
    return found


def _broken(observed: PerformanceUnder | None, condition: Any) -> list[Any]:
    """Limits that the labels prove to be broken: all of the figure's interval lies beyond."""
    found = []
    for limit in condition.question.limits if observed is not None else ():
        name = _LIMITED.get(limit.measure.key)
        if name is not None:
            figure = getattr(observed, name)
            if figure.high < limit.limit if limit.side == ">=" else figure.low > limit.limit:
                found.append(limit)
    return found


def _shown(judged: Performance) -> list[PerformanceUnder]:
    """The answers that stand: by labels, or under each assumption that is not excluded."""
    if judged.observed is not None:
        return [judged.observed]
    return [each for each in (judged.label, judged.covariate) if not each.is_excluded]


def _headline(judged: Performance, promised: dict[str, float], point: OperatingPoint) -> list[str]:
    """Lines on the cost, the promise, whether to move, the labels, and what has moved."""
    now = [
        f"{_between(each.expected_cost)} {_IF.get(each.assumption, 'by labels')}"
        for each in _shown(judged) if each.expected_cost is not None
    ]  # fmt: skip
    lines = []
    if now:
        cost = f"Cost per case: {' and '.join(now)}; {promised['expected_cost']:.3g} was promised."
        lines = [cost + _as_promised(judged, promised["expected_cost"]), _advice(judged, promised, point)]
    labels = f"Labels: {judged.n_labelled:,} of {judged.n:,} cases"
    if judged.labels_to_halve is not None:
        labels += f"; about {judged.labels_to_halve:,} more would halve the interval of the cost"
    return [*lines, labels, f"Drift: {judged.verdict}"]


def _between(interval: Any) -> str:
    return f"{interval.estimate:.3g} ({interval.low:.3g} to {interval.high:.3g})"


def _as_promised(judged: Performance, promise: float) -> str:
    """Whether the labels tell the cost from the promise."""
    found = None if judged.observed is None else judged.observed.expected_cost
    if found is None:
        return ""
    return " It costs more." if found.low > promise else " It costs less." if found.high < promise else ""


def _advice(judged: Performance, promised: dict[str, float], point: OperatingPoint) -> str:
    """Whether to move: by labels that prove it, or by a share of positives that has surely moved."""
    from rochull.conditions.rules import rules_in_words

    found, label = judged.observed, judged.label
    if found is not None and found.regret is not None and found.regret.low > 0:
        saved = f"it saves {found.regret.estimate:.3g} per case, at least {found.regret.low:.2g}"
        return f"Move to {rules_in_words(found.best)}: {saved}."
    share, fits = label.prevalence, (label.pvalue or 0) >= _FITS
    if fits and not share.low <= promised["prevalence"] <= share.high and label.best.rules != point.rules:
        saved = f"about {label.regret.estimate:.2g} per case" if label.regret is not None else "something"
        return (
            f"Positives seem to be {_between(share)} of the cases. If nothing else has changed,"
            f" {rules_in_words(label.best)} saves {saved}; labels would prove it."
        )
    return "Keep the rule: nothing here shows that another one is better."


def _one_table(judged: Performance, promised: dict[str, float]) -> list[str]:
    """Promise beside the answers that stand."""
    from rochull._core.results import table

    answers = _shown(judged)
    names = [name for name in _FIGURES if any(getattr(each, name) is not None for each in answers)]
    columns = {"": names, "promised": [_promised(promised, name, 3) for name in names]}
    for each in answers:
        columns[f"by {each.assumption}"] = [_between(getattr(each, name)) for name in names]
    return ["", *table(columns).splitlines(), "", "--full prints all figures."]


def _promised(promised: dict[str, float], name: str, digits: int) -> str:
    return f"{promised[name]:.{digits}g}" if name in promised else ""


def _all_tables(judged: Performance, promised: dict[str, float]) -> list[str]:
    """Promise beside every answer, and the best rule now."""
    from rochull._core.printable import wrapped
    from rochull._core.results import table, written
    from rochull.conditions.rules import brief

    lines: list[str] = []
    for each in (judged.label, judged.covariate, judged.observed):
        if each is None:
            continue
        shown = [name for name in _FIGURES if getattr(each, name) is not None]
        columns = {f"by {each.assumption}": shown}
        columns["promised"] = [_promised(promised, name, 4) for name in shown]
        for end, word in (("estimate", "now"), ("low", "low"), ("high", "high")):
            columns[word] = written([getattr(getattr(each, name), end) for name in shown])
        lines += ["", *table(columns).splitlines()]
    best = judged.label if judged.observed is None else judged.observed
    saved = "" if best.regret is None else f", which saves {best.regret.estimate:.3g} per case"
    return [*lines, "", *wrapped(f"Best now, by {best.assumption}: {brief(best.best)}{saved}")]


def _facts(judged: Performance, promised: dict[str, float]) -> dict[str, Any]:
    """The same for programs."""
    found: dict[str, Any] = {"promised": promised, "drift": judged.verdict}
    found["labels_to_halve"] = judged.labels_to_halve
    for name in ("label", "covariate", "observed"):
        under = getattr(judged, name)
        if under is not None:
            figures = {key: getattr(under, key) for key in _FIGURES}
            found[name] = {
                key: None
                if each is None
                else {end: _finite(getattr(each, end)) for end in ("estimate", "low", "high")}
                for key, each in figures.items()
            } | {"pvalue": under.pvalue, "best": [rule.to_dict() for rule, _ in under.best.rules]}
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
