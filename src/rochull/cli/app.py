"""The command line: parse, call, print. No statistics, and nothing heavy is imported before it is used."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rochull._core.extras import MissingLibraryError
from rochull.cli.calibrate import calibrate
from rochull.cli.conditions import (
    Figures,
    FiguresCostFn,
    FiguresCostFp,
    FiguresPrevalence,
    Options,
    Typed,
    takes_condition,
)
from rochull.cli.engine import (
    SCALE,
    Engine,
    EngineOption,
    LocalEngineOption,
    MemoryOption,
    engine_errors,
    refuse_in_scan,
    refuse_in_stream,
)
from rochull.cli.multiclass import multiclass
from rochull.cli.options import (
    Interruption,
    Outputs,
    Resampling,
    UsageError,
    compiling_announced,
    complain,
    segmentation,
    where_suggested,
    words,
)
from rochull.cli.sql import sql

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hybrid.hybrid import Hybrid
    from rochull.policies.policy import Policy
    from rochull.scanning.engines.opening import Engine as Name

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="From classifier scores to decisions that stay right when costs, priors or capacity change.",
)

_SURE = "How sure it is"

# --- commands ------------------------------------------------------------------------------------


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    if version:
        from rochull._core.version import __version__

        print(f"rochull {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
@takes_condition
def report(
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
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
    typed: Typed,
    figures_cost_fp: FiguresCostFp = None,
    figures_cost_fn: FiguresCostFn = None,
    figures_prevalence: FiguresPrevalence = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the report: .html, .json or .txt.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="Write the deployable policy: .json.")] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the report in the browser.")] = False,
    title: Annotated[str | None, typer.Option(help="A heading for the report.", metavar="TEXT")] = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(help="Column that thresholds may depend on; repeat for more.", metavar="COLUMN"),
    ] = None,
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
    engine: EngineOption = None,
    memory: MemoryOption = None,
    exact_auc: Annotated[
        bool,
        typer.Option(
            "--exact-auc", help="Order all rows for the AUC, not within bounds.", rich_help_panel=SCALE
        ),
    ] = False,
) -> None:
    """Tell which classifiers, at which thresholds, can be optimal, and which one is under a condition.

    A cost may be an interval, such as --cost-fn 5:50. Without --prevalence the table's own is used.
    """
    options = Options(typed)
    figures = Figures(figures_cost_fp, figures_cost_fn, figures_prevalence, options)
    figures.costs(options.condition(prevalence=0.5), 0.5)  # what is wrong is said before the data are read
    resampling, reader = Resampling(bootstrap, cluster, random_state, fold), Engine(engine, memory)
    outputs = Outputs(output, policy, show)
    command = words(
        "report", table, label=label, positive=positive, score=score, weight=weight, where=where,
        segment=segment, bootstrap=bootstrap, cluster=cluster, random_state=random_state, fold=fold,
        engine=engine, memory=memory, exact_auc=exact_auc,
    )  # fmt: skip
    from rochull.report.report import Report

    columns: dict[str, Any] = {
        "label": label, "scores": score, "weight": weight, "pos_label": positive, "where": where
    }  # fmt: skip
    with compiling_announced(), where_suggested(), engine_errors():
        used = reader.of(table, columns, resampling, segment)
        given = table, columns, resampling, segment
        if used == "memory":
            hybrid, parts = _from_memory(*given)
        else:
            hybrid, parts = _from_scan(*given, reader=reader, used=used, exact=exact_auc)
        with _warnings_as_lines():
            condition = options.condition(hybrid.prevalence)
            parts["figures"] = figures.costs(condition, hybrid.prevalence)
            about = _about(table, label, positive)
            made = Report(hybrid, condition, title=title, command=command, about=about, **parts)
    Interruption.check()
    # Files first: a reader of the output who has seen enough (head) may close it.
    said = outputs.write(made, lambda: hybrid.policy(about=about))
    _print_tables(made.facts)
    lacking = _lacking(options, figures)
    if lacking is not None:
        print(f"No {lacking} given: the table's own, {hybrid.prevalence:.4g}, was used.")
    for line in said:
        print(line)
    if policy is not None and segment:
        print("The policy has one threshold for all: ErrorRedistribution(...).policy() has them by segment.")


@app.command()
@takes_condition
def decide(
    policy: Annotated[Path, typer.Argument(help="A policy written by rochull report.")],
    table: Annotated[str, typer.Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
    *,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Write the table with a column decision: .parquet or .csv.")
    ],
    typed: Typed,
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
    engine: LocalEngineOption = None,
    memory: MemoryOption = None,
) -> None:
    """Decide every row of a table by a policy, under a condition given now.

    With --prevalence estimate the proportion of positives is estimated from the table's own scores. --cases
    alone calls exactly so many rows positive. A limit holds for the sample that made the policy: one with a
    stated confidence needs the examples, which a policy does not hold (Hybrid.assured, in Python).
    """
    estimated = typed["prevalence"] == "estimate"
    options = Options(typed | {"prevalence": "0.5"} if estimated else typed, batch=True)
    condition = options.condition()
    if condition is None:
        raise UsageError("name a condition to decide under, such as --max-fpr 0.05.")
    if key is not None and random_state is not None:
        raise UsageError("--key and --random-state exclude each other: a key decides without chance.")
    from rochull._core import table_files as files
    from rochull._core.files import check_writable
    from rochull.policies.policy import Policy

    files.output_format(output)
    check_writable(output)
    loaded, reader = Policy.load(policy), Engine(engine, memory)
    used = reader.of_columns(table, [*loaded.classifiers, key], optional=True)
    if used == "duckdb":
        refuse_in_stream(**{"--prevalence estimate": estimated, "--cases": typed["cases"]})
    if estimated:
        condition = _at_estimate(loaded, condition, table)
    needed, chance = _rule(loaded, condition, deterministic)
    if key is not None and not chance:
        print(f"Key: {key!r} is not needed, because nothing is left to chance.")
        key = None
    if used == "duckdb":
        refuse_in_stream(**{"a randomised rule without --key or --deterministic": chance and key is None})
        how: dict[str, Any] = {"key": key, "deterministic": deterministic}
        called, size = _stream(loaded, table, output, condition, needed=needed, how=how, memory=reader.bytes)
    else:
        scores, keys = _scores(table, needed, key)
        if chance and key is None and random_state is None:
            print("The rule is randomised: give --key or --random-state to get the same decisions again.")
        how = {"key": keys, "random_state": random_state, "deterministic": deterministic}
        decisions = _decide(loaded, scores, condition, how)
        files.write_table(table, {"decision": decisions}, output, numbers=list(needed))
        called, size = int(decisions.sum()), decisions.size
    print(f"Positive: {called:,} of {size:,} cases ({called / size:.1%})")
    print(f"Decisions: {output}")


app.command()(calibrate)
app.command()(sql)
app.command()(multiclass)


# --- parts of the commands -----------------------------------------------------------------------


def _from_memory(
    table: str,
    columns: dict[str, Any],
    resampling: Resampling,
    segment: list[str] | None,
) -> tuple[Hybrid, dict[str, Any]]:
    """The hybrid of all rows, and the rows themselves for what needs them."""
    from rochull.hybrid.hybrid import Hybrid

    return Hybrid.from_table(table, **columns), {
        "uncertainty": resampling.uncertainty(table, **columns),
        "segment": segmentation(table, segment, **columns),
    }


def _from_scan(
    table: str,
    columns: dict[str, Any],
    resampling: Resampling,
    segment: list[str] | None,
    *,
    reader: Engine,
    used: Name,
    exact: bool,
) -> tuple[Hybrid, dict[str, Any]]:
    """The hybrid of a table that is scanned, and the scan for all that is read off it."""
    from rochull.hybrid.hybrid import Hybrid
    from rochull.report.scanned import Scanned

    refuse_in_scan(used, columns, resampling, segment)
    scan = reader.scan(used, table, segment=segment[0] if segment else None, fold=resampling.fold, **columns)
    scanned = Scanned(
        scan,
        used,
        n_resamples=resampling.bootstrap or 0,
        random_state=resampling.random_state or 0,
        exact=exact,
    )
    return Hybrid.from_scan(scan), {"scanned": scanned}


def _lacking(options: Options, figures: Figures) -> str | None:
    """The option that was not typed, so that the table's own prevalence stands for it."""
    if options.needs_prevalence:
        return None if options.prevalence else "--prevalence"
    return "--figures-prevalence" if figures.given and not figures.prevalence else None


def _about(table: str, label: str, positive: str | None) -> dict[str, str]:
    from rochull._core.version import __version__

    named = f"./{table}" if table.startswith("-") else table  # as in the command line
    about = {"rochull": __version__, "table": named, "label": label}
    return about if positive is None else about | {"positive": positive}


def _print_tables(facts: dict[str, Any]) -> None:
    from rich.console import Console

    from rochull.report.text import WIDTH, renderables

    console = Console(highlight=False)
    for part in renderables(facts):
        console.print(part, width=min(console.width, WIDTH))


def _at_estimate(policy: Policy, condition: Condition, table: str) -> Condition:
    """The condition at the prevalence that the table's scores speak for."""
    from rochull.policies.prevalence import under

    scores, _ = _scores(table, policy.classifiers, None)
    found = policy.estimate_prevalence(scores)
    _say(f"Estimated from these scores: {found}.")
    return under(condition, "estimate", lambda: found)


def _rule(policy: Policy, condition: Condition, deterministic: bool) -> tuple[Sequence[str], bool]:
    """Say what decides; the classifiers that it needs, and whether it leaves anything to chance."""
    from rochull.hybrid.sensitivity import brief
    from rochull.policies import batches

    _say(f"Condition: {condition.describe()}")
    if batches.cases_of(condition) is None:
        point = policy.at(condition, deterministic)
        _say(f"Rule: {brief(point)} (rates in-sample)")
        return point.classifiers, len(point.rules) > 1
    _say("Rule: the edge of the hull where this table's alarms reach the number of cases.")
    return batches.classifiers_of(batches.ladder(policy.hull)), not deterministic


def _say(text: str) -> None:
    """Print a sentence, in lines of 80 characters."""
    from rochull.hybrid.sensitivity import wrapped

    print("\n".join(wrapped(text)))


def _scores(table: str, classifiers: Sequence[str], key: str | None) -> tuple[dict[str, Any], Any]:
    """The score columns that are needed, and the keys."""
    import numpy as np

    from rochull._core.table_files import count_rows, read_columns

    columns = list(dict.fromkeys([*classifiers, *([] if key is None else [key])]))
    print(f"Columns read: {', '.join(map(repr, columns)) or 'none'}")
    if not columns:  # a constant rule
        return {"": np.broadcast_to(np.int8(0), count_rows(table))}, None
    text = [] if key is None or key in classifiers else [key]
    found = read_columns(table, columns, missing=list(classifiers), text=text)
    return {name: found[name] for name in classifiers}, None if key is None else found[key]


def _stream(
    policy: Policy,
    table: str,
    output: Path,
    condition: Any,
    *,
    needed: Sequence[str],
    how: dict[str, Any],
    memory: int,
) -> tuple[int, int]:
    """Decide row by row, in DuckDB: how many are called positive, of how many."""
    from rochull.scanning.engines.duckdb_decide import decide_files

    columns = [*needed, *([] if how["key"] is None else [how["key"]])]
    print(f"Columns read: {', '.join(map(repr, dict.fromkeys(columns))) or 'none'} (by DuckDB)")

    def expression(columns: Mapping[str, str]) -> str:
        return policy.to_sql(condition, "duckdb", columns=columns, **how)

    found = decide_files(table, expression, output, scores=needed, key=how["key"], memory=memory)
    for name, count in found.missing.items():
        complain(f"warning: scores[{name!r}] has {count} missing values, which pass no threshold.")
    return found.positive, found.rows


def _decide(policy: Policy, scores: dict[str, Any], condition: Any, given: dict[str, Any]) -> Any:
    """The decisions."""
    with _warnings_as_lines():
        return policy.decide(scores, condition, **given)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    """Say every warning once, in a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        complain(f"warning: {message}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; see :func:`rochull.cli.entry.main`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    try:
        with Interruption.watched():
            result = app(args=arguments, standalone_mode=False, prog_name="rochull")
            Interruption.check()
    except UsageError as error:
        complain(error)
        return 2
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted.")
        return 130
    except (ValueError, OSError, MissingLibraryError) as error:  # a PolicyError is a ValueError
        complain(_in_options(error))
        return 1
    except Exception as error:
        if Interruption.pressed and "interrupted" in str(error):  # what DuckDB makes of it
            complain("interrupted.")
            return 130
        # The parser's own errors; their class depends on the version of typer.
        if not hasattr(error, "format_message"):
            raise
        complain(f"{error.format_message().rstrip('.')}. Try rochull --help.")
        return 2
    if result == 130:  # what the parser makes of it
        complain("interrupted.")
    return result if isinstance(result, int) else 0


def _in_options(error: Exception) -> str:
    """The message, in the words of the command line."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    text = str(error)
    for python, option in _OPTIONS:
        text = text.replace(python, option)
    return text


_OPTIONS = (
    ("give pos_label", "give --positive"),
    ("pos_label=", "--positive "),
    (" (Hybrid.potentially_optimal names the classifiers of the range, and Hybrid.regret finds the rule that "
     "risks least.)", " (rochull report shows what is optimal in the range.)"),
    ("deterministic=True", "--deterministic"),
    ("memory must be a number", "--memory must be a number"),
    ("memory='", "--memory '"),
    ("allow more memory", "allow more --memory"),
    ("key is needed", "--key is needed"),
)  # fmt: skip
