"""``rochull watch``: a deployed rule looked after, batch by batch, in a schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.case_reader import CaseReader, ChanceOption, ColumnOption, LabelOption, PositiveOption
from rochull.cli.conditions import CONDITION, Options, Typed, at_its_own, single, takes
from rochull.cli.decider import Asked
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, MemoryOption
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import (
    MissingOption,
    UsageError,
    complain,
    say_warnings,
    say_wrapped,
    warnings_as_lines,
)
from rochull.cli.policies import load
from rochull.cli.statuses import Status
from rochull.cli.summary import JsonOption, Summary

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.cli.case_reader import CountedCases
    from rochull.monitoring.monitor import Monitor

_WARNED = {"misfit": Status.FOREIGN, "relabel": Status.FAILED}  # with --strict, the status of each


@takes({"typed": CONDITION, "goal": GOAL})
def watch(
    policy: Annotated[Path, Argument(help="The policy that decides.")],
    table: Annotated[
        str | None, Argument(help="The batch: a Parquet or CSV file, a glob, or a directory.")
    ] = None,
    *,
    state: Annotated[
        Path,
        Option(help="What is known so far; made by the first batch, and brought up to date: .json."),
    ],
    merge: Annotated[
        list[Path] | None,
        Option(
            help="The state of another machine that watches the same policy: its batches count too. Repeat "
            "for each.",
            metavar="STATE",
        ),
    ] = None,
    typed: Typed,
    goal: TypedGoal,
    at: Annotated[
        str | None,
        Option(help="When the batch was, such as 2026-03-03; alarms keep it.", metavar="TIME"),
    ] = None,
    label: LabelOption = None,
    positive: PositiveOption = None,
    label_probability: ChanceOption = None,
    weight: Annotated[
        str | None,
        Option(help="In its stead: column of weights of the labelled cases.", metavar="COLUMN"),
    ] = None,
    cluster: Annotated[
        str | None,
        Option(help="Column that tells which cases belong together, such as a day.", metavar="COLUMN"),
    ] = None,
    column: ColumnOption = None,
    margin: Annotated[
        str | None,
        Option(
            help="At the first batch: the share of the cost that a better rule has to save. (0.02)",
            metavar="SHARE",
        ),
    ] = None,
    level: Annotated[
        str | None,
        Option(help="At the first batch: the level of all alarms together. (0.95)", metavar="LEVEL"),
    ] = None,
    missing: MissingOption = None,
    strict: Annotated[
        bool,
        Option("--strict", help="End with a status too where scores or posteriors have moved."),
    ] = False,
    page: Annotated[Path | None, Option(help="Write what was known at each look as a page: .html.")] = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> int:
    """Look at a batch: is a limit broken, would another rule be better?

    The first batch needs the condition under which the policy decides; the
    state keeps it. The state holds counts and no row. Labels are optional, and
    may come later: the same batch with labels, and the same --at. The same
    batch twice is refused, and what is refused leaves the state as it was.
    With --merge the states of several machines are put together, and no batch
    need be named; whatever the order, the state is the same. One may look as
    often as one likes: in a stream in which nothing is wrong at most 5 % of
    monitors ever raise an alarm. An alarm that was raised stays.
    """
    more = [name for name in (weight, label_probability, cluster) if name is not None]
    if table is None:
        _refuse_alone(merge, [label, positive, *more, *(column or ()), at])
    reading = CaseReader(table or "", label, positive, Engine(None, memory).bytes)
    first = {"margin": margin, "level": level}
    known = _known(policy, [state] * state.exists() + (merge or []))
    monitor = known or _begun(policy, typed, goal, first, there=partial(reading.places, column))
    if known is not None:
        _refuse_another(known, state, typed, first)
    from rochull.monitoring.claims import PARTS

    _check_files(state, policy, page)
    if weight is not None and label_probability is not None:
        raise UsageError("--weight and --label-probability exclude each other.")
    made_by = {"kind": "policy", "file": str(policy), **_identity(monitor)}
    record = Summary("watch", made_by, table, state, None, as_json, monitor.condition)
    with record.told():
        rows = 0
        if table is not None:
            places = reading.places(column, monitor.classifiers)
            batch = reading.by_scores(monitor.policy, [monitor.point], places, more)
            weights = batch.weights(label_probability) if weight is None else batch.more[weight]
            _update(monitor, batch, at, weights, cluster)
            rows = batch.rows
        monitor.save(state)
        for line in str(monitor).splitlines():
            say_wrapped(line)
        if page is not None:
            from rochull._core.documents import write_text
            from rochull.report.timeline import timeline_page

            write_text(page, timeline_page(monitor))
        findings = {name: getattr(monitor, name) for name in PARTS}
        alarms = [name for name, found in findings.items() if found.alarm]
        say_warnings(findings[name].sentence for name in _WARNED if name in alarms)
        record.facts |= {"rows": rows, **_facts(monitor, findings)}
        record.noted = f", alarms: {', '.join(alarms) or 'none'}"
    if "limits" in alarms:
        return Status.LIMIT
    if "better" in alarms:
        return Status.BETTER
    return next((status for name, status in _WARNED.items() if strict and name in alarms), Status.DONE)


def _check_files(state: Path, policy: Path, page: Path | None) -> None:
    """Raise if a file cannot be written."""
    from rochull._core.files import check_apart

    check_apart(state, policy, "the policy that is watched")
    if page is not None:
        from rochull.report.report import check_target

        check_target(page, (".html",))


def _refuse_alone(merge: Sequence[Path] | None, given: Sequence[str | None]) -> None:
    """Raise unless states are merged, and nothing is said of a batch, where there is none."""
    if not merge:
        raise UsageError("name a batch, or states of other machines by --merge.")
    said = next((text for text in given if text is not None), None)
    if said is not None:
        raise UsageError(f"{said!r} is said of a batch, and none is named.")


def _known(policy: Path, states: Sequence[Path]) -> Monitor | None:
    """Put together what all states know; None before the first batch."""
    from rochull._core.messages import changed, in_place_of
    from rochull.monitoring.monitor import Monitor
    from rochull.policies.policy import Policy

    found = None
    for path in states:
        one = Monitor.load(path)
        if Policy.load(policy).to_dict()["checksum"] != one.policy.to_dict()["checksum"]:
            raise UsageError(f"{path} watches another policy than {policy}; name another state.")
        with changed(in_place_of({"other": "merge"})):
            found = one if found is None else found.merge(one)
    return found


def _begun(
    policy: Path,
    typed: Typed,
    goal: TypedGoal,
    first: dict[str, str | None],
    *,
    there: Callable[[Sequence[str], Sequence[str]], Mapping[str, str]],
) -> Monitor:
    """The beginning of a state, which compares classifiers that the first table has."""
    from rochull.monitoring.monitor import Monitor
    from rochull.policies.policy import Policy

    asked = Asked(Options(typed), Options(typed).condition(), goal, deterministic=False, minimax=False)
    loaded = load(policy, asked)
    if not isinstance(loaded.policy, Policy):
        raise UsageError(f"watch needs a policy of one rule for all cases, which {loaded.what} is not.")
    if loaded.note is not None:
        complain(loaded.note)
    numbers = {name: single(text, name) for name, text in first.items() if text is not None}
    every, decide = loaded.policy.classifiers, loaded.policy.at(loaded.condition).classifiers
    compared = [*there(decide, every)]
    return Monitor(loaded.policy, loaded.condition, classifiers=compared, **numbers)  # type: ignore[arg-type]


def _refuse_another(monitor: Monitor, state: Path, typed: Typed, first: dict[str, str | None]) -> None:
    """Raise if something else is asked than what is watched."""
    from rochull.monitoring.monitor import Monitor

    given = next((name for name, text in first.items() if text is not None), None)
    if given is not None:
        raise UsageError(f"--{given} is said at the first batch, and a state is there; leave it out.")
    condition = Options(typed).condition()
    if condition is not None:
        asked = Monitor(monitor.policy, at_its_own(monitor.policy, condition)[0]).condition
        if asked != monitor.condition:
            raise UsageError(
                f"--state {state} watches under another condition: {monitor.condition}; here it is: {asked}."
            )


def _update(
    monitor: Monitor, batch: CountedCases, at: str | None, weights: Array | None, cluster: str | None
) -> None:
    """Show the monitor the batch."""
    with warnings_as_lines():
        monitor.update(
            batch.scores, batch.truth, at, count=batch.count, sample_weight=weights,
            cluster=None if cluster is None else batch.more[cluster],
        )  # fmt: skip


def _identity(monitor: Monitor) -> dict[str, Any]:
    document = monitor.policy.to_dict()
    return {"format": document["format"], "checksum": document["checksum"]}


def _facts(monitor: Monitor, findings: dict[str, Any]) -> dict[str, Any]:
    """The findings, for programs."""
    told = {}
    for name, found in findings.items():
        told[name] = {
            "alarm": found.alarm, "at": found.at, "evidence": found.evidence, "needed": found.needed,
            "sentence": found.sentence,
        }  # fmt: skip
    better = findings["better"]
    told["better"] |= {
        "rule": None if better.rule is None else better.rule.to_dict(),
        "saves": better.saves if better.saves > 0 else None,
    }
    for one in told.values():  # JSON has no infinite numbers
        one["needed"] = one["needed"] if one["needed"] < 1e300 else None
    return {"cases": monitor.cases, "looks": monitor.looks, "findings": told}
