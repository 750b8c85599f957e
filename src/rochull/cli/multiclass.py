"""``rochull multiclass``: weights of several classes, chosen within limits on the confusion matrix."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rochull._core.messages import Refusal
from rochull.cli.conditions import takes
from rochull.cli.declared import Argument, Option
from rochull.cli.goals import GOAL, Goal, TypedGoal, class_named, typed_weights, wrong_weights
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
    where_suggested,
    words,
)

if TYPE_CHECKING:
    from rochull._core.validation import Array
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
    aim = Goal.of_typed(goal)
    search = _Search.typed(goal["weights"] or [], method, starts, random_state, points)
    from rochull.report.multiclass import MulticlassReport
    from rochull.report.multiclass_text import answer

    with where_suggested(where):
        data = _Examples.read(table, label, score or [], weight, where)
    objective, limits = aim.of(data.classes)
    found = search.run(data, objective, limits)
    command = words(
        "multiclass",
        table,
        label=label,
        score=data.typed_columns(),
        weight=weight,
        where=where,
        missing=missing,
    )
    origin = origin_of(table, label=label, date=date, about=about)
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
        _print(made.facts, full=full)
        if said:
            say(*said)
    if not feasible:
        raise ValueError(answer(made.facts) + ("" if policy is None else " No policy is written."))


def _policy(found: MulticlassRoc | MulticlassPoints, about: dict[str, str]) -> Any:
    from rochull.multiclass.multiclass_policy import MulticlassPolicy

    points: Any = getattr(found, "points", found)
    return MulticlassPolicy.from_points(points, about=about)


def _print(facts: dict[str, Any], *, full: bool) -> None:
    from rochull.report.brief import classes_brief
    from rochull.report.multiclass_text import multiclass_parts
    from rochull.report.text import print_parts

    print_parts(multiclass_parts(facts) if full else classes_brief(facts))


# --- the examples, and the search ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Examples:
    """Contents of the table."""

    labels: Array
    columns: dict[Any, str]
    outputs: Array
    weights: Array | None

    @property
    def classes(self) -> list[Any]:
        return list(self.columns)

    def typed_columns(self) -> list[str]:
        """The option that names class and column, for each."""
        return [
            str(label) if column == str(label) else f"{label}={column}"
            for label, column in self.columns.items()
        ]

    @classmethod
    def read(
        cls, table: str, label: str, score: list[str], weight: str | None, where: str | None
    ) -> _Examples:
        import numpy as np

        from rochull._core import validation
        from rochull._core.table_errors import NoColumnError
        from rochull._core.tables import columns_of

        labels = columns_of(table, [label], where)[label]
        found = set(labels.tolist())
        try:
            classes = sorted(found)
        except TypeError:
            raise ValueError(f"label column {label!r} holds labels of several types.") from None
        columns = _columns(score, classes, label)
        names = list(columns.values())
        try:
            read = columns_of(table, [*names, *([] if weight is None else [weight])], where, numbers=names)
        except NoColumnError as error:
            if score or error.name not in names:
                raise
            raise Refusal("{} Name the columns of the classes by --score CLASS=COLUMN.", error) from None
        held = [validation.scores_1d(read[name], f"column {name!r}") for name in names]
        for name, column in zip(names, held, strict=True):
            if not (column.min() >= 0 and column.max() < np.inf):
                wrong = column[(column < 0) | (column == np.inf)][0]
                raise ValueError(
                    f"column {name!r} must hold outputs that are finite and not negative, but holds {wrong}."
                )
        shares = None if weight is None else validation.weights_1d(read[weight], f"weight column {weight!r}")
        return cls(labels, columns, np.column_stack([np.asarray(c, float) for c in held]), shares)


def _columns(score: list[str], classes: list[Any], label: str) -> dict[Any, str]:
    """The column of every class, in the order in which they are named."""
    if len(classes) < 2:
        raise ValueError(f"label column {label!r} has {len(classes)} class, but two or more are needed.")
    if not score:
        return {each: str(each) for each in classes}
    columns: dict[Any, str] = {}
    for text in score:
        name, column = _split(text, classes)
        if "=" not in text and text not in map(str, classes):
            raise UsageError(
                f"--score {text!r} names no class: write CLASS=COLUMN, such as '{classes[0]}={text}'."
            )
        each = class_named(name, classes, "--score")
        if each in columns:
            raise UsageError(f"--score names the class {name!r} twice.")
        if column in columns.values() or column == label:
            what = "the labels" if column == label else "another class"
            raise UsageError(f"--score {text!r} names the column of {what}.")
        columns[each] = column
    missing = next((each for each in classes if each not in columns), None)
    if missing is not None:
        raise UsageError(
            f"--score names no column for the class {str(missing)!r}, which label column {label!r} has; "
            "name one, or leave its rows out by --where."
        )
    return columns


def _split(text: str, classes: list[Any]) -> tuple[str, str]:
    """Class and column; a name may hold the sign too."""
    names = [str(each) for each in classes]
    if text in names:
        return text, text
    for name in sorted(names, key=len, reverse=True):
        if text.startswith(f"{name}=") and len(text) > len(name) + 1:
            return name, text[len(name) + 1 :]
    return text.partition("=")[0], text


@dataclass(frozen=True)
class _Search:
    """Where the points come from, as it was typed."""

    weights: tuple[tuple[float, ...], ...]
    method: Literal["coordinate", "greedy", "pairwise"]
    starts: int | None
    seed: int
    keep: int | None

    @classmethod
    def typed(
        cls,
        weights: list[str],
        method: Literal["coordinate", "greedy", "pairwise"] | None,
        starts: int | None,
        random_state: int | None,
        points: int | None,
    ) -> _Search:
        given = {"method": method, "starts": starts, "random_state": random_state, "points": points}
        for name, value in given.items():
            if value is not None and weights:
                raise UsageError(f"{flag(name)} has no effect with --weights, which needs no search.")
            least = 0 if name == "random_state" else 1
            if isinstance(value, int) and value < least:
                raise UsageError(f"{flag(name)} must be {least} or more, but is {value}.")
        return cls(
            tuple(map(typed_weights, weights)), method or "coordinate", starts, random_state or 0, points
        )

    def run(
        self, data: _Examples, objective: Measure, limits: list[Limit]
    ) -> MulticlassRoc | MulticlassPoints:
        """The points, or all that a search has found and looked at."""
        from rochull.multiclass.point import InfeasibleLimitsError
        from rochull.multiclass.roc import MulticlassRoc

        for vector in self.weights:
            if len(vector) != len(data.columns):
                raise wrong_weights(vector, data.classes)
        roc = MulticlassRoc(data.labels, data.outputs, data.weights, data.classes)
        if self.weights:
            return roc.points_at(list(self.weights))
        # Without the limits as well: a report tells what they cost, and a reader can take them away.
        for within in (limits, []) if limits else ([],):
            with suppress(InfeasibleLimitsError):  # the best of all that was found says so, or is a mixture
                roc.search(
                    objective, self.method, subject_to=within, n_starts=self.starts, random_state=self.seed
                )
        return roc if self.keep is None else roc.points[: self.keep]
