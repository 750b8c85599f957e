"""``rochull report``: what the scores of a table can do, as a page, tables and a policy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.conditions import (
    ConfidenceOption,
    Figures,
    FiguresCostFn,
    FiguresCostFp,
    FiguresPrevalence,
    Options,
    Typed,
    takes_condition,
)
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import (
    SCALE,
    Engine,
    EngineOption,
    MemoryOption,
    engine_errors,
    refuse_in_scan,
)
from rochull.cli.interrupted import Interruption
from rochull.cli.options import (
    FullOption,
    JsonOption,
    MissingOption,
    Outputs,
    QuietOption,
    Resampling,
    UsageError,
    emit,
    judged_rows,
    origin_of,
    say,
    segmentation,
    warnings_as_lines,
    where_suggested,
    words,
)

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.hull.ways import Assured
    from rochull.hybrid.hybrid import Hybrid
    from rochull.scanning.engines.opening import Engine as Name

_SURE = "How sure it is"


@takes_condition
def report(
    table: Annotated[str, Argument(help="A Parquet or CSV file, a quoted glob, or a directory.")],
    *,
    label: Annotated[str, Option(help="Column of the labels.", metavar="COLUMN")],
    score: Annotated[
        list[str], Option(help="Column of a classifier's scores; repeat for each.", metavar="COLUMN")
    ],
    positive: Annotated[
        str | None, Option(help="The positive label, unless labels are 0 and 1.", metavar="VALUE")
    ] = None,
    positive_name: Annotated[
        str | None, Option(help="What positive cases are called, in the plural.", metavar="TEXT")
    ] = None,
    case_name: Annotated[
        str | None, Option(help="What cases are called, in the plural.", metavar="TEXT")
    ] = None,
    unit: Annotated[str | None, Option(help="What costs are in, such as EUR.", metavar="TEXT")] = None,
    current: Annotated[
        str | None,
        Option(help="The rule in use, such as 'boosted >= 0.5', to compare with.", metavar="RULE"),
    ] = None,
    weight: Annotated[str | None, Option(help="Column of weights.", metavar="COLUMN")] = None,
    lower_is_positive: Annotated[
        list[str] | None,
        Option(
            help="Column of scores, such as distances, of which low ones mean positive; repeat for more.",
            metavar="COLUMN",
        ),
    ] = None,
    where: Annotated[
        str | None, Option(help="Rows to use: a condition in SQL. It is executed.", metavar="SQL")
    ] = None,
    missing: MissingOption = None,
    typed: Typed,
    confidence: ConfidenceOption = None,
    figures_cost_fp: FiguresCostFp = None,
    figures_cost_fn: FiguresCostFn = None,
    figures_prevalence: FiguresPrevalence = None,
    output: Annotated[
        Path | None, Option("--output", "-o", help="Write the report: .html, .json or .txt.")
    ] = None,
    policy: Annotated[
        Path | None,
        Option(help="Write the deployable policy: .json. With --confidence that of the assured rule."),
    ] = None,
    show: Annotated[bool, Option("--open", help="Open the report in the browser.")] = False,
    title: Annotated[str | None, Option(help="A heading for the report.", metavar="TEXT")] = None,
    about: Annotated[
        str | None, Option(help="What the report says of the data, below its heading.", metavar="TEXT")
    ] = None,
    date: Annotated[str | None, Option(help="Of when the data are.", metavar="TEXT")] = None,
    deterministic: Annotated[
        bool, Option("--deterministic", help="Choose one threshold, never a mixture of two.")
    ] = False,
    segment: Annotated[
        list[str] | None,
        Option(help="Column that thresholds may depend on; repeat for more.", metavar="COLUMN"),
    ] = None,
    bootstrap: Annotated[
        int | None,
        Option(help="Show intervals from so many replicates.", metavar="N", rich_help_panel=_SURE),
    ] = None,
    cluster: Annotated[
        str | None,
        Option(
            help="Column of whom a row belongs to; their rows stay together.",
            metavar="COLUMN",
            rich_help_panel=_SURE,
        ),
    ] = None,
    random_state: Annotated[
        int | None, Option(help="Seed of the bootstrap. (0)", metavar="INTEGER", rich_help_panel=_SURE)
    ] = None,
    fold: Annotated[
        str | None,
        Option(help="Column of folds: show how much these differ.", metavar="COLUMN", rich_help_panel=_SURE),
    ] = None,
    full: FullOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    engine: EngineOption = None,
    memory: MemoryOption = None,
    exact_auc: Annotated[
        bool,
        Option("--exact-auc", help="Order all rows for the AUC, not within bounds.", rich_help_panel=SCALE),
    ] = False,
) -> None:
    """Tell which classifiers, at which thresholds, can be optimal, and which one is under a condition.

    A cost may be an interval, such as --cost-fn 5:50. Without --prevalence the table's own is used.
    """
    options = Options(typed, confidence=confidence, segment=segment)
    figures = Figures(figures_cost_fp, figures_cost_fn, figures_prevalence, options)
    condition, told_at = options.condition(), figures.costs()  # what is wrong is said before data are read
    _refuse_together(confidence, segment)
    resampling, reader = Resampling(bootstrap, cluster, random_state, fold), Engine(engine, memory)
    outputs = Outputs(output, policy, show)
    command = words(
        "report", table, label=label, positive=positive, score=score, weight=weight,
        lower_is_positive=lower_is_positive, where=where, missing=missing, segment=segment,
        bootstrap=bootstrap, cluster=cluster, random_state=random_state, fold=fold, engine=engine,
        memory=memory, exact_auc=exact_auc, **(names := {
            "positive_name": positive_name, "case_name": case_name, "unit": unit, "current": current
        }),
    )  # fmt: skip
    from rochull.report.report import Report

    columns: dict[str, Any] = {
        "label": label, "scores": score, "weight": weight, "pos_label": positive, "where": where
    }  # fmt: skip
    with where_suggested(where), engine_errors(), warnings_as_lines():
        used = reader.of(table, columns, resampling, segment)
        given = table, columns, resampling, segment, lower_is_positive or []
        if used == "memory":
            hybrid, parts = _from_memory(*given)
        else:
            hybrid, parts = _from_scan(*given, reader=reader, used=used, exact=exact_auc)
        parts |= {"figures": told_at, "deterministic": deterministic, "asked": figures.words(deterministic)}
        origin = origin_of(table, label=label, positive=positive, date=date, about=about)
        if used == "memory":
            parts |= judged_rows(hybrid, condition, table, cluster=cluster, current=current, **columns)
        parts |= names
        made = Report(hybrid, condition, title=title, command=command, about=origin, **parts)
    Interruption.check()
    # Files first: a reader of the output who has seen enough (head) may close it.
    said = outputs.write(made, lambda: _policy(hybrid, made.facts, origin, parts, condition))
    if as_json:
        emit(made.to_json())
    elif not quiet:
        _print_tables(made.facts, full=full)
        _say_what_was_done(said, _lacking(options, figures), hybrid)
        if policy is not None:
            _say_of_policy(made.facts, confidence, segment)


# --- parts of the command -----------------------------------------------------------------------


def _from_memory(
    table: str,
    columns: dict[str, Any],
    resampling: Resampling,
    segment: list[str] | None,
    lower: list[str],
) -> tuple[Hybrid, dict[str, Any]]:
    """The hybrid of all rows, and the rows themselves for what needs them."""
    from rochull.hybrid.hybrid import Hybrid

    return Hybrid.from_table(table, lower_is_positive=lower, **columns), {
        "uncertainty": resampling.uncertainty(table, **columns),
        "segment": segmentation(table, segment, **columns),
    }


def _from_scan(
    table: str,
    columns: dict[str, Any],
    resampling: Resampling,
    segment: list[str] | None,
    lower: list[str],
    *,
    reader: Engine,
    used: Name,
    exact: bool,
) -> tuple[Hybrid, dict[str, Any]]:
    """The hybrid of a table that is scanned, and the scan for all that is read off it."""
    from rochull.hybrid.hybrid import Hybrid
    from rochull.report.scanned import Scanned

    refuse_in_scan(used, columns, resampling, segment)
    scan = reader.scan(
        used, table, segment=segment[0] if segment else None, fold=resampling.fold, lower_is_positive=lower,
        **columns,
    )  # fmt: skip
    scanned = Scanned(
        scan,
        used,
        n_resamples=resampling.bootstrap or 0,
        random_state=resampling.random_state or 0,
        exact=exact,
    )
    return Hybrid.from_scan(scan), {"scanned": scanned}


def _policy(
    hybrid: Hybrid,
    facts: dict[str, Any],
    about: dict[str, str],
    parts: dict[str, Any],
    condition: Condition | None,
) -> Any:
    """Return the policy to deploy: thresholds by segment of the classifier that has them, if any.

    With a confidence it is the assured rule, which the vertices do not show; otherwise it holds these and the
        best single rule of the report, which may lie between them.
    """
    from rochull.hull import ways

    if condition is not None:
        known = condition.at_prevalence(hybrid.hull.prevalence)
        way = ways.way_of(known.question, deterministic=False)
        if isinstance(way, ways.Assured):
            return _assured(hybrid, way, about)
    if facts["segments"] is None:
        from rochull.report.deploy import single_of

        return hybrid.policy(about=about, singles=single_of(facts))
    name = facts["segments"]["classifier"]
    source = parts["scanned"] if "scanned" in parts else parts["segment"]
    return source.model_of(name).policy(name=name, about=about)


def _assured(hybrid: Hybrid, way: Assured, about: dict[str, str]) -> Any:
    """The rule that the report assures; over a range that of least worst regret."""
    from rochull.hull.ways import OverRange
    from rochull.policies.fixed import FixedPolicy

    known = way.question.asked
    point = hybrid.regret(known).least_worst.point if isinstance(way, OverRange) else hybrid.at(known)
    if point is None:
        raise ValueError("--policy: no rule keeps the limits with this confidence over the whole range.")
    return FixedPolicy.from_point(point, condition=known.describe(), about=about)


def _refuse_together(confidence: str | None, segment: list[str] | None) -> None:
    if confidence is not None and segment:
        raise UsageError(
            "--confidence and --segment exclude each other: what the confidence chooses is one rule for all; "
            "give --where for the rows of one segment."
        )


def _say_what_was_done(said: list[str], lacking: str | None, hybrid: Hybrid) -> None:
    """Say which prevalence stands for one that was not typed, and where files are."""
    if lacking is not None:
        print(f"No {lacking} given: the table's own, {hybrid.prevalence:.4g}, was used.")
    if said:
        say(*said)


def _say_of_policy(facts: dict[str, Any], confidence: str | None, segment: list[str] | None) -> None:
    """Say what the written policy lacks, and what its thresholds depend on."""
    if confidence is not None:
        say(
            "The policy holds the assured rule alone: rochull decide and rochull sql take it",
            "without a condition.",
        )
    if segment:
        owner = facts["segments"]["classifier"]
        state = facts["answer"]["state"] if facts["answer"] else {}
        say(f"The policy has thresholds of {owner!r} by {', '.join(map(repr, segment))}.")
        if not str(state.get("segments")).endswith("apart"):
            say("Page and headline are of one cut-off for all:", "leave --segment out for a policy of it.")


def _lacking(options: Options, figures: Figures) -> str | None:
    """The option that was not typed, so that the table's own prevalence stands for it."""
    if options.needs_prevalence:
        return None if options.prevalence else "--prevalence"
    return "--figures-prevalence" if figures.given and not figures.prevalence else None


def _print_tables(facts: dict[str, Any], *, full: bool) -> None:
    from rochull.report.brief import brief
    from rochull.report.text import print_parts, renderables

    print_parts(renderables(facts) if full or facts["answer"] is None else brief(facts))
