"""``rochull multiclass``: weights of several classes, chosen within limits on the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rochull.cli.conditions import takes
from rochull.cli.decider import percentage
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, MemoryOption
from rochull.cli.goals import GOAL, Goal, TypedGoal, typed_weights, wrong_weights
from rochull.cli.interrupted import Interruption
from rochull.cli.options import (
    FullOption,
    JsonOption,
    MissingOption,
    Outputs,
    QuietOption,
    UsageError,
    emit,
    flag,
    origin_of,
    say,
    say_wrapped,
    where_suggested,
    words,
)

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.cli.multiclass_rows import ClassTable
    from rochull.multiclass.measure import Limit, Measure
    from rochull.multiclass.points import MulticlassPoints
    from rochull.multiclass.roc import MulticlassRoc


def _in_panel(panel: str, metavar: str, help: str) -> Any:
    return Option(help=help, metavar=metavar, rich_help_panel=panel)


_searching = partial(_in_panel, "Searching")


@takes({"goal": GOAL})
def multiclass(
    table: Annotated[str, Argument(help="A Parquet or CSV file, or a quoted glob of them.")],
    *,
    label: Annotated[str, Option(help="Column of the labels.", metavar="COLUMN")],
    score: Annotated[
        list[str] | None,
        Option(
            help="A class, and the column of its outputs unless that is called like it; repeat for each. "
            "(all classes that occur)",
            metavar="CLASS=COLUMN",
        ),
    ] = None,
    weight: Annotated[str | None, Option(help="Column of weights.", metavar="COLUMN")] = None,
    where: Annotated[
        str | None, Option(help="Rows to use: a condition in SQL. It is executed.", metavar="SQL")
    ] = None,
    missing: MissingOption = None,
    goal: TypedGoal,
    method: Annotated[
        Literal["coordinate", "greedy", "pairwise"] | None,
        _searching("METHOD", "How to search. (coordinate)"),
    ] = None,
    starts: Annotated[
        int | None,
        _searching("N", "Weights to start from. (20; of greedy 1000)"),
    ] = None,
    random_state: Annotated[int | None, _searching("INTEGER", "Seed of the search. (0)")] = None,
    points: Annotated[
        int | None,
        _searching("N", "Keep so many points, the best first. (all)"),
    ] = None,
    sample: Annotated[
        int | None,
        _searching("ROWS", "Pick the weights on so many rows, drawn at random; the others test them. (all)"),
    ] = None,
    memory: MemoryOption = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write the report: .html, .json or .txt.")
    ] = None,
    policy: Annotated[Path | None, Option(help="Write the points as a policy: .json.")] = None,
    show: Annotated[bool, Option("--open", help="Open the report in the browser.")] = False,
    title: Annotated[str | None, Option(help="A heading for the report.", metavar="TEXT")] = None,
    about: Annotated[
        str | None, Option(help="What the report says of the data, below its heading.", metavar="TEXT")
    ] = None,
    date: Annotated[str | None, Option(help="Of when the data are.", metavar="TEXT")] = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Find weights of more than two classes: the best confusion matrix within limits.

    The table has a column of outputs for each class, such as probabilities.
    A class whose name has one of ( ) , = < > or a quote is put in double quotes
    where a cost, a prior or a limit names it, and quotes inside are doubled.

    If no point is within all limits, the report shows the closest, no policy
    is written, and the exit status is 1.
    """
    outputs = Outputs(output, policy, show)
    aim, room = Goal.of_typed(goal), Engine(None, memory)
    search = _Search.typed(
        goal["weights"] or [], method, starts=starts, random_state=random_state, points=points, sample=sample
    )
    from rochull.cli.multiclass_rows import ClassTable
    from rochull.report.multiclass import MulticlassReport
    from rochull.report.multiclass_text import answer

    with where_suggested(where):
        data = ClassTable.of(table, label, score or [], weight=weight, where=where, memory=room.bytes // 2)
        objective, limits = aim.of([*data.columns])
        picks = search.picks(data, room)
        found = search.run(data, picks, objective, limits)
        tested = None if picks is None else _held_out(data, picks, _points_of(found), objective, limits)
    seed = None if sample is None else random_state
    command = words(
        "multiclass", table, label=label, score=data.typed, weight=weight, where=where, missing=missing,
        sample=sample, random_state=seed,
    )  # fmt: skip
    told = " ".join(filter(None, (about, tested))) or None
    origin = origin_of(table, label=label, date=date, about=told)
    made = MulticlassReport(
        found, subject_to=limits, objective=objective, title=title, columns=data.columns, command=command,
        about=origin,
    )  # fmt: skip
    Interruption.check()
    # Files first: a reader of the output who has seen enough (head) may close it.
    feasible = made.facts["chosen"]["feasible"]
    if not feasible:  # nothing to deploy; the report says how near one comes
        outputs = Outputs(output, None, show)
    said = outputs.write(made, lambda: _policy(found, origin))
    if as_json:
        emit(made.to_json())
    elif not quiet:
        _print(made.facts, tested, said, full=full)
    if not feasible:
        raise ValueError(answer(made.facts) + ("" if policy is None else " No policy is written."))


def _held_out(
    data: ClassTable,
    picks: Array,
    points: MulticlassPoints,
    objective: Measure,
    limits: list[Limit],
) -> str:
    """Say what the best weights do on the rows that did not pick them."""
    from rochull.multiclass.point import InfeasibleLimitsError
    from rochull.report.multiclass_facts import describe

    try:
        best = points.at(objective, limits)
    except InfeasibleLimitsError as error:
        if error.closest is None:
            raise
        best = error.closest
    rest = data.counted(best.weights[None], picks)[0]
    size = int(rest.confusion.sum())
    told = [f"{name} {percentage(share)}" for name, share in zip(rest.classes, rest.errors, strict=True)]
    return (
        f"Held out: the {describe(objective)} is {rest.value(objective):.4g} on the other {size:,} cases, "
        f"and {best.value(objective):.4g} on those that picked the weights; mistaken: {', '.join(told)}."
    )


def _points_of(found: MulticlassRoc | MulticlassPoints) -> MulticlassPoints:
    from rochull.multiclass.roc import MulticlassRoc

    return found.points if isinstance(found, MulticlassRoc) else found


def _policy(found: MulticlassRoc | MulticlassPoints, about: dict[str, str]) -> Any:
    from rochull.multiclass.multiclass_policy import MulticlassPolicy

    return MulticlassPolicy.from_points(_points_of(found), about=about)


def _print(facts: dict[str, Any], tested: str | None, said: Sequence[str], *, full: bool) -> None:
    from rochull.report.brief import classes_brief
    from rochull.report.multiclass_text import multiclass_parts
    from rochull.report.text import print_parts

    print_parts(multiclass_parts(facts) if full else classes_brief(facts))
    if tested is not None:
        say_wrapped(tested)
    if said:
        say(*said)


# --- the examples, and the search ------------------------------------------------------------------


@dataclass(frozen=True)
class _Search:
    """Where the points come from, as it was typed."""

    weights: tuple[tuple[float, ...], ...]
    method: Literal["coordinate", "greedy", "pairwise"]
    starts: int | None
    seed: int
    keep: int | None
    sample: int | None

    @classmethod
    def typed(
        cls,
        weights: list[str],
        method: Literal["coordinate", "greedy", "pairwise"] | None,
        *,
        starts: int | None,
        random_state: int | None,
        points: int | None,
        sample: int | None,
    ) -> _Search:
        given = {"method": method, "starts": starts, "random_state": random_state, "points": points}
        given["sample"] = sample
        for name, value in given.items():
            if value is not None and weights:
                raise UsageError(f"{flag(name)} has no effect with --weights, which needs no search.")
            least = 0 if name == "random_state" else 1
            if isinstance(value, int) and value < least:
                raise UsageError(f"{flag(name)} must be {least} or more, but is {value}.")
        return cls(
            tuple(map(typed_weights, weights)),
            method or "coordinate",
            starts,
            random_state or 0,
            points,
            sample,
        )

    def picks(self, data: ClassTable, room: Engine) -> Array | None:
        """The rows that pick the weights, None for all; an error where they are too many."""
        from rochull.cli.multiclass_rows import drawn, most_rows

        size = self.sample or data.rows
        if self.sample is not None and data.weight is not None:
            raise UsageError("--sample and --weight exclude each other: the rows that test are counted.")
        if self.sample is not None and self.sample >= data.rows:
            raise UsageError(f"--sample must leave some of {data.rows:,} rows to test, but is {size:,}.")
        most = most_rows(room, len(data.columns), weighted=data.weight is not None)
        if size > most and not self.weights:
            held = "this machine" if room.memory is None else f"--memory {room.memory}"
            raise UsageError(
                f"a search holds all its rows, and {held} holds {most:,} of {size:,}; allow more, or give "
                f"--sample {most}, which picks the weights on so many and tests them on the others."
            )
        return None if self.sample is None else drawn(data.rows, size, self.seed)

    def run(
        self, data: ClassTable, picks: Array | None, objective: Measure, limits: list[Limit]
    ) -> MulticlassRoc | MulticlassPoints:
        """The points, or all that a search has found and looked at."""
        from rochull.multiclass.examples import weight_vectors
        from rochull.multiclass.point import InfeasibleLimitsError
        from rochull.multiclass.roc import roc_of

        for vector in self.weights:
            if len(vector) != len(data.columns):
                raise wrong_weights(vector, [*data.columns])
        if self.weights and data.weight is None:
            return data.counted(weight_vectors(self.weights, len(data.columns)))
        roc = roc_of(data.examples(picks))
        if self.weights:
            return roc.points_at(list(self.weights))
        # Without the limits as well: a report tells what they cost, and a reader can take them away.
        for within in (limits, []) if limits else ([],):
            with suppress(InfeasibleLimitsError):  # the best of all that was found says so, or is a mixture
                roc.search(
                    objective, self.method, subject_to=within, n_starts=self.starts, random_state=self.seed
                )
        if self.keep is None and picks is None:
            return roc
        return roc.points[: self.keep]  # without the examples
