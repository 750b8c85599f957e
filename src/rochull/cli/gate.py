"""``rochull gate``: whether a new policy may replace the old one, for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.case_reader import CaseReader, ColumnOption, KeyOption, LabelOption, PositiveOption
from rochull.cli.conditions import CONDITION, Options, Typed, single, takes
from rochull.cli.decider import Asked
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, MemoryOption
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import MissingOption, UsageError, complain, say
from rochull.cli.policies import load
from rochull.cli.statuses import Status
from rochull.cli.summary import JsonOption, Summary

if TYPE_CHECKING:
    from rochull.uncertainty.means import CountedMean


@takes({"typed": CONDITION, "goal": GOAL})
def gate(
    new: Annotated[Path, Argument(help="The policy that is to decide.")],
    *,
    table: Annotated[
        str, Option(help="Labelled cases that made neither policy: Parquet or CSV.", metavar="TABLE")
    ],
    label: LabelOption = None,
    positive: PositiveOption = None,
    max_cost: Annotated[
        str | None, Option(help="What a case may cost at most, on average.", metavar="COST")
    ] = None,
    against: Annotated[Path | None, Option(help="The policy that decides now.", metavar="OLD")] = None,
    margin: Annotated[
        str | None,
        Option(help="By how much a case may cost more than under that policy. (0)", metavar="COST"),
    ] = None,
    level: Annotated[str | None, Option(help="How sure it has to be. (0.95)", metavar="LEVEL")] = None,
    typed: Typed,
    goal: TypedGoal,
    key: KeyOption = None,
    deterministic: Annotated[
        bool, Option("--deterministic", help="Both decide by the best single threshold.")
    ] = False,
    column: ColumnOption = None,
    missing: MissingOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> int:
    """Fail unless labelled cases show that a new policy is good enough.

    --max-cost limits what it costs per case; --against and --margin what it
    costs more than the old one, case by case. Each is shown where the upper end
    of a one-sided interval of 95 % keeps it. So a gate fails too where there
    are too few cases; it says how many would do. With --prevalence the costs
    are those at this share of positives, whatever that of the table is.
    """
    if label is None or (max_cost is None and against is None):
        raise UsageError("a gate needs --label, and --max-cost or --against.")
    if margin is not None and against is None:
        raise UsageError("--margin has no effect without --against.")
    options = Options(typed)
    asked = Asked(options, options.condition(), goal, deterministic, minimax=False, prices=True)
    _require_costs(asked.condition)
    deciders = {"new": load(new, asked)} | ({} if against is None else {"old": load(against, asked)})
    sure = 0.95 if level is None else float(single(level, "level") or 0)
    record = Summary("gate", deciders["new"].made_by, table, printed=as_json, condition=deciders["new"].asks)
    reader = CaseReader(table, label, positive, Engine(None, memory).bytes)
    with record.told():
        for note in dict.fromkeys(each.note for each in deciders.values()):
            if note is not None:
                complain(note)
        found = reader.by_decisions(deciders, column or (), key)
        from rochull._core.validation import probability
        from rochull.policies.diff import Changes

        sure = probability(sure, "level", open_ends=True)
        share = single(typed["prevalence"], "prevalence")
        truth, old = found.truth, found.flags.get("old", found.flags["new"])
        assert truth is not None
        changes = Changes(old, found.flags["new"], found.count, asked.condition)
        tests = {}
        if max_cost is not None:
            tests["cost"] = _tested(changes.cost(truth, share), single(max_cost, "max_cost"), sure)
        if against is not None:
            limit = 0.0 if margin is None else single(margin, "margin")
            same = (
                deciders["new"].plan == deciders["old"].plan
            )  # then no case is decided otherwise, seen or not
            tests["difference"] = _tested(changes.observed(truth, share), limit, sure, certain=same)
        labelled = int(found.count[truth >= 0].sum())  # NaN stands for no label
        for name, test in tests.items():
            say(_line(name, test, sure, labelled))
        passed = all(test["passed"] for test in tests.values())
        say("Gate passed." if passed else "Gate failed.")
        record.facts |= {"rows": found.rows, "labelled": labelled, "passed": passed, "gates": tests}
    return Status.DONE if passed else Status.GATE


_SHOWN = {"cost": ("Cost per case", "--max-cost"), "difference": ("New less old", "--margin")}


def _require_costs(condition: Any) -> None:
    from rochull.conditions.costs import costs_of

    costs: Any = None if condition is None else costs_of(condition)
    if costs is None or any(isinstance(each, tuple) for each in (costs.cost_fp, costs.cost_fn)):
        raise UsageError("a gate compares costs: give --cost-fp and --cost-fn, as single numbers.")


def _tested(mean: CountedMean, limit: Any, level: float, *, certain: bool = False) -> dict[str, Any]:
    """Whether a mean is shown to be within a limit; if not, about how many times as many cases would do."""
    estimate = mean.estimate
    high = estimate if certain else mean.high(level)
    found = {"estimate": estimate, "high": high, "limit": limit, "passed": bool(high <= limit)}
    room = limit - estimate
    return found | {"times": None if high <= limit or room <= 0 else ((high - estimate) / room) ** 2}


def _line(name: str, test: dict[str, Any], level: float, labelled: int) -> str:
    """A test for reading."""
    what, option = _SHOWN[name]
    said = f"{what}: {test['estimate']:.4g}, at most {test['high']:.4g} ({100 * level:g} %)"
    within = f"{option} {test['limit']:g}"
    if test["passed"]:
        return f"{said}: within {within}."
    if test["times"] is None:
        return f"{said}: not within {within}."
    needed = float(f"{labelled * test['times']:.2g}")
    return f"{said}: not shown to be within {within}; about {needed:,.0f} labelled cases would show it."
