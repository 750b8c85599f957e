"""The command line: parse, call, print. No statistics, and nothing heavy is imported before it is used."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rochull._cli_calibrate import calibrate
from rochull._cli_common import Resampling, UsageError, compiling_announced, complain, flag, number

if TYPE_CHECKING:
    from rochull.conditions import Condition
    from rochull.policy import Policy

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="From classifier scores to decisions that stay right when costs, priors or capacity change.",
)

_PANEL = "The condition (one kind)"
_SURE = "How sure it is"


def _option(*names: str, help: str, metavar: str = "NUMBER") -> Any:
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=_PANEL)


CostFp = Annotated[
    str | None, _option("--cost-fp", help="Cost of a false positive. (1 if only the other is given)")
]
CostFn = Annotated[
    str | None, _option("--cost-fn", help="Cost of a false negative. (1 if only the other is given)")
]
Prevalence = Annotated[
    str | None,
    _option("--prevalence", help="Proportion of positives among the cases to decide."),
]
MaxFpr = Annotated[str | None, _option("--max-fpr", help="Highest false positive rate allowed.")]
MinRecall = Annotated[str | None, _option("--min-recall", help="Lowest true positive rate allowed.")]
MinPrecision = Annotated[str | None, _option("--min-precision", help="Lowest precision allowed.")]
Cases = Annotated[str | None, _option("--cases", help="How many cases can be called positive ...")]
Population = Annotated[str | None, _option("--population", help="... out of how many.")]
Fraction = Annotated[str | None, _option("--fraction", help="The share that can be called positive.")]


@dataclass(frozen=True)
class _Options:
    """The condition as it was typed; it is checked before any data are read."""

    cost_fp: str | None
    cost_fn: str | None
    prevalence: str | None
    max_fpr: str | None
    min_recall: str | None
    min_precision: str | None
    cases: str | None
    population: str | None
    fraction: str | None

    def __post_init__(self) -> None:
        kinds = {kind: names for kind in _KINDS if (names := [n for n in kind if self._given(n)])}
        if len(kinds) > 1:
            one, other, *_ = (names[0] for names in kinds.values())
            raise UsageError(f"{flag(one)} and {flag(other)} are different conditions; give one of them.")
        if bool(self.cases) != bool(self.population) or (self.cases and self.fraction):
            raise UsageError("a capacity is either --cases with --population, or --fraction.")
        if self.prevalence and not self.needs_prevalence:
            given = next((flag(names[0]) for names in kinds.values()), None)
            why = "without a condition" if given is None else f"with {given}"
            raise UsageError(f"--prevalence has no effect {why}.")

    def _given(self, name: str) -> bool:
        return getattr(self, name) is not None

    @property
    def needs_prevalence(self) -> bool:
        """Whether the condition depends on the proportion of positives."""
        return any(map(self._given, (*_COSTS, "min_precision", *_CAPACITY)))

    def condition(self, prevalence: float | None = None) -> Condition | None:
        """The condition, or None; `prevalence` is used where none was typed."""
        from rochull import conditions

        value = {f.name: number(getattr(self, f.name), f.name) for f in fields(self)}
        interval = next((name for name in value if isinstance(value[name], tuple)), None)
        if interval is not None and not any(map(self._given, _COSTS)):
            raise UsageError(f"{flag(interval)} must be one number: intervals are for costs.")
        share: Any = value["prevalence"] if self.prevalence else prevalence
        if self.needs_prevalence and share is None:
            raise UsageError("this condition needs --prevalence: the proportion of positives to expect.")
        if any(map(self._given, _COSTS)):
            costs: dict[str, Any] = {name: value[name] if self._given(name) else 1.0 for name in _COSTS}
            return conditions.ExpectedCost(**costs, prevalence=share)
        if value["max_fpr"] is not None:
            return conditions.NeymanPearson(value["max_fpr"])
        if value["min_recall"] is not None:
            return conditions.MinimumRecall(value["min_recall"])
        if value["min_precision"] is not None:
            return conditions.MinimumPrecision(value["min_precision"], share)
        if any(map(self._given, _CAPACITY)):
            return conditions.Capacity(**{name: value[name] for name in _CAPACITY}, prevalence=share)
        return None


_COSTS = ("cost_fp", "cost_fn")
_CAPACITY = ("cases", "population", "fraction")
_KINDS = (_COSTS, ("max_fpr",), ("min_recall",), ("min_precision",), _CAPACITY)


# --- commands ------------------------------------------------------------------------------------


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from rochull._version import __version__

        print(f"rochull {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def report(
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file, or a quoted glob of them.")],
    *,
    label: Annotated[str, typer.Option(help="Column of the labels.", metavar="COLUMN")],
    score: Annotated[
        list[str], typer.Option(help="Column of a classifier's scores; repeat for each.", metavar="COLUMN")
    ],
    positive: Annotated[
        str | None, typer.Option(help="The positive label, unless labels are 0 and 1.", metavar="VALUE")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of weights.", metavar="COLUMN")] = None,
    where: Annotated[
        str | None, typer.Option(help="Rows to use: a condition in SQL. It is executed.", metavar="SQL")
    ] = None,
    cost_fp: CostFp = None,
    cost_fn: CostFn = None,
    prevalence: Prevalence = None,
    max_fpr: MaxFpr = None,
    min_recall: MinRecall = None,
    min_precision: MinPrecision = None,
    cases: Cases = None,
    population: Population = None,
    fraction: Fraction = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the report: .html, .json or .txt.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="Write the deployable policy: .json.")] = None,
    title: Annotated[str | None, typer.Option(help="A heading for the report.", metavar="TEXT")] = None,
    bootstrap: Annotated[
        int | None,
        typer.Option(help="Show intervals from so many replicates.", metavar="N", rich_help_panel=_SURE),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Column of whom a row belongs to; these are drawn.", metavar="COLUMN", rich_help_panel=_SURE
        ),
    ] = None,
    random_state: Annotated[
        int | None, typer.Option(help="Seed of the bootstrap. (0)", metavar="INTEGER", rich_help_panel=_SURE)
    ] = None,
    fold: Annotated[
        str | None,
        typer.Option(
            help="Column of folds: show how much these differ.", metavar="COLUMN", rich_help_panel=_SURE
        ),
    ] = None,
) -> None:
    """Tell which classifiers, at which thresholds, can be optimal, and which one is under a condition.

    A cost may be an interval, such as --cost-fn 5:50. Without --prevalence the table's own is used.
    """
    options = _Options(
        cost_fp, cost_fn, prevalence, max_fpr, min_recall, min_precision, cases, population, fraction
    )
    options.condition(prevalence=0.5)  # what is wrong with the numbers is said before the data are read
    resampling = Resampling(bootstrap, cluster, random_state, fold)
    from rochull.hybrid import Hybrid
    from rochull.report.report import Report, check_target

    for path in filter(None, (output, policy)):
        check_target(path, (".json",) if path is policy else (".html", ".json", ".txt"))
    with compiling_announced():
        columns: dict[str, Any] = {
            "label": label, "scores": score, "weight": weight, "pos_label": positive, "where": where
        }  # fmt: skip
        hybrid = Hybrid.from_table(table, **columns)
        assumed = hybrid.prevalence if options.needs_prevalence and not prevalence else None
        sure = resampling.uncertainty(table, **columns)
        made = Report(hybrid, options.condition(assumed), title=title, uncertainty=sure)
    # Files first: a reader of the output who has seen enough (head) may close it.
    if output is not None:
        made.save(output)
    if policy is not None:
        hybrid.policy(about=_about(table, label, positive)).save(policy)
    _print_tables(made.facts)
    if assumed is not None:
        print(f"No --prevalence given: the table's own, {assumed:.4g}, was used.")
    for what, written in (("Report", output), ("Policy", policy)):
        if written is not None:
            print(f"{what}: {written}")


@app.command()
def decide(
    policy: Annotated[Path, typer.Argument(help="A policy written by rochull report.")],
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file with scores, or a quoted glob.")],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the table with a column decision: .parquet or .csv.")
    ],
    cost_fp: CostFp = None,
    cost_fn: CostFn = None,
    prevalence: Prevalence = None,
    max_fpr: MaxFpr = None,
    min_recall: MinRecall = None,
    min_precision: MinPrecision = None,
    cases: Cases = None,
    population: Population = None,
    fraction: Fraction = None,
    key: Annotated[
        str | None,
        typer.Option(help="Column that identifies a case: same key, same decision.", metavar="COLUMN"),
    ] = None,
    random_state: Annotated[
        int | None, typer.Option(help="Seed for a randomised rule without --key.", metavar="INTEGER")
    ] = None,
    deterministic: Annotated[
        bool, typer.Option(help="Use the best vertex of the hull, no randomisation.")
    ] = False,
) -> None:
    """Decide every row of a table by a policy, under a condition given now."""
    options = _Options(
        cost_fp, cost_fn, prevalence, max_fpr, min_recall, min_precision, cases, population, fraction
    )
    condition = options.condition()
    if condition is None:
        raise UsageError("name a condition to decide under, such as --max-fpr 0.05.")
    if key is not None and random_state is not None:
        raise UsageError("--key and --random-state exclude each other: a key decides without chance.")
    from rochull._files import check_writable
    from rochull.engines import duckdb_files as files
    from rochull.policy import Policy
    from rochull.report.facts import describe

    files.output_format(output)
    check_writable(output)
    loaded = Policy.load(policy)
    point = loaded.at(condition, deterministic)
    print(f"Condition: {describe(condition)}")
    print(f"Rule: {point} (rates in-sample)")
    if key is not None and len(point.rules) == 1:
        print(f"Key: {key!r} is not needed, because nothing is left to chance.")
        key = None
    scores, keys = _scores(table, point.classifiers, key)
    if len(point.rules) > 1 and key is None and random_state is None:
        print("The rule is randomised: give --key or --random-state to get the same decisions again.")
    decisions = _decide(loaded, scores, point, keys, random_state)
    files.write_table(table, {"decision": decisions}, output, numbers=list(point.classifiers))
    called = int(decisions.sum())
    print(f"Positive: {called:,} of {decisions.size:,} cases ({called / decisions.size:.1%})")
    print(f"Decisions: {output}")


app.command()(calibrate)


# --- parts of the commands -----------------------------------------------------------------------


def _about(table: str, label: str, positive: str | None) -> dict[str, str]:
    from rochull._version import __version__

    about = {"rochull": __version__, "table": table, "label": label}
    return about if positive is None else about | {"positive": positive}


def _print_tables(facts: dict[str, Any]) -> None:
    from rich.console import Console

    from rochull.report.text import WIDTH, renderables

    console = Console(highlight=False)
    for part in renderables(facts):
        console.print(part, width=min(console.width, WIDTH))


def _scores(table: str, classifiers: Sequence[str], key: str | None) -> tuple[dict[str, Any], Any]:
    """The score columns that are needed, and the keys."""
    import numpy as np

    from rochull.engines.duckdb_files import count_rows, read_columns

    columns = list(dict.fromkeys([*classifiers, *([] if key is None else [key])]))
    print(f"Columns read: {', '.join(map(repr, columns)) or 'none'}")
    if not columns:  # a constant rule
        return {"": np.broadcast_to(np.int8(0), count_rows(table))}, None
    text = [] if key is None or key in classifiers else [key]
    found = read_columns(table, columns, missing=list(classifiers), text=text)
    return {name: found[name] for name in classifiers}, None if key is None else found[key]


def _decide(policy: Policy, scores: dict[str, Any], point: Any, keys: Any, random_state: int | None) -> Any:
    """The decisions; a warning becomes a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        decisions = policy.decide(scores, point, key=keys, random_state=random_state)
    for warning in caught:
        complain(f"warning: {warning.message}")
    return decisions


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        Those of the process, if not given.

    Returns
    -------
    int
        The exit status: 0, or 1 after an error, or 2 if the options are wrong.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    try:
        result = app(args=arguments, standalone_mode=False, prog_name="rochull")
    except UsageError as error:
        complain(error)
        return 2
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted.")
        return 130
    except (ValueError, OSError) as error:  # a PolicyError is a ValueError
        complain(_in_options(error))
        return 1
    except Exception as error:
        # The parser's own errors; their class depends on the version of typer.
        if not hasattr(error, "format_message"):
            raise
        complain(f"{error.format_message().rstrip('.')}. Try rochull --help.")
        return 2
    return result if isinstance(result, int) else 0


def _in_options(error: Exception) -> str:
    """The message, in the words of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    return str(error).replace("give pos_label", "give --positive").replace("pos_label=", "--positive ")
