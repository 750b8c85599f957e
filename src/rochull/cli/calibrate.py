"""``rochull calibrate``: fit a calibrator on a table, or apply one that was saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from rochull._core.warned import warn
from rochull.calibration.bound_names import BOUNDS
from rochull.calibration.kinds import CALIBRATORS
from rochull.cli.calibrated import written_rows
from rochull.cli.calibrated_columns import COLUMNS, Output, column_checked, read
from rochull.cli.calibrated_scan import fitted_facts, is_scanned, print_facts
from rochull.cli.declared import Argument, Option
from rochull.cli.engine import Engine, LocalEngineOption, MemoryOption
from rochull.cli.look import Look
from rochull.cli.options import (
    MissingOption,
    UsageError,
    flag,
    number_of_option,
    say,
    say_warnings,
    say_wrapped,
    warnings_as_lines,
    where_suggested,
)
from rochull.cli.summary import JsonOption, Summary, SummaryOption, check_summary, made_by

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.calibration.base import Calibrator

    Kind = str
    Bound = str
else:
    Kind, Bound = Literal[tuple(CALIBRATORS)], Literal[(*BOUNDS, "none")]

# Options that say how to fit, and so have no effect where a saved calibrator is applied.
_FITTING = (
    "label", "positive", "weight", "lower_is_positive", "where", "method", "interpolation", "bound", "strict",
    "fit_prevalence", "penalty", "held_out", "model", "base", "fold", "engine", "memory",
)  # fmt: skip


def calibrate(
    table: Annotated[str, Argument(help="A Parquet or CSV file, or a quoted glob of them.")],
    *,
    label: Annotated[str | None, Option(help="Column of the labels.", metavar="COLUMN")] = None,
    score: Annotated[
        list[str] | None,
        Option(
            help="Column of the scores to calibrate; repeat for a method that reads several.",
            metavar="COLUMN",
        ),
    ] = None,
    positive: Annotated[
        str | None, Option(help="The positive label, unless labels are 0 and 1.", metavar="VALUE")
    ] = None,
    weight: Annotated[str | None, Option(help="Column of weights.", metavar="COLUMN")] = None,
    lower_is_positive: Annotated[
        list[str] | None,
        Option(
            help="Column of scores, such as distances, of which low ones mean positive.", metavar="COLUMN"
        ),
    ] = None,
    where: Annotated[
        str | None, Option(help="Rows to fit on: a condition in SQL. It is executed.", metavar="SQL")
    ] = None,
    missing: MissingOption = None,
    method: Annotated[Kind | None, Option(help="The kind of map. (pav)")] = None,
    interpolation: Annotated[
        Literal["step", "linear", "centred"] | None,
        Option(help="Between the blocks of PAV, or between their middles. (step)"),
    ] = None,
    bound: Annotated[
        Bound | None,
        Option(help="How far LLRs may go: by added examples, or as the data bear them out. (none)"),
    ] = None,
    strict: Annotated[bool, Option("--strict", help="PAV without ties: ranks survive.")] = False,
    fit_prevalence: Annotated[
        str | None,
        Option(
            help="Of logistic curves, beta and fusion: the prior that the map is fitted at, such as 0.5, "
            "where classes weigh the same; --prevalence does not change the map. (the training data's)",
            metavar="NUMBER",
        ),
    ] = None,
    penalty: Annotated[
        str | None,
        Option(help="Of fusion: how small weights are kept, such as 1e-3. (0)", metavar="NUMBER"),
    ] = None,
    prevalence: Annotated[
        str | None,
        Option(
            help="Proportion of positives among the cases that the column posterior assumes; the map "
            "and its LLRs do not change. (the training data's)",
            metavar="NUMBER",
        ),
    ] = None,
    base: Annotated[
        str | None,
        Option(help="Base of the LLRs that are printed, such as 10. (e)", metavar="NUMBER"),
    ] = None,
    apply: Annotated[
        Path | None, Option("--apply", help="Apply this saved calibrator.", metavar="MODEL")
    ] = None,
    column: Annotated[
        list[str] | None,
        Option(
            help="With --apply: where the scores of a name are that a model of several columns reads, unless "
            "in a column of this name; repeat for each.",
            metavar="NAME=COLUMN",
        ),
    ] = None,
    model: Annotated[Path | None, Option(help="Write the calibrator: .json.")] = None,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            help="Write the table with columns posterior, llr (a natural logarithm), log10_lr and bound: "
            "'upper' or 'lower' where the map says no more than its highest or lowest LLR, else empty.",
        ),
    ] = None,
    write: Annotated[
        list[str] | None,
        Option(
            help="Of the new columns only this one; repeat for more. Each takes its time and room. (all)",
            metavar="COLUMN",
        ),
    ] = None,
    held_out: Annotated[
        bool,
        Option(
            "--held-out",
            help="With --label and --output: write what calibrators of the other folds say of each row.",
        ),
    ] = False,
    prefix: Annotated[
        str | None, Option(help="Begin the names of the new columns with this.", metavar="TEXT")
    ] = None,
    fold: Annotated[
        str | None,
        Option(
            help="Of a table that is scanned: column of folds, each judged by a map of the others.",
            metavar="COLUMN",
        ),
    ] = None,
    engine: LocalEngineOption = None,
    memory: MemoryOption = None,
    summary: SummaryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Calibrate scores: columns of posterior probabilities and natural log-likelihood-ratios.

    Fit with --label and --score; or use a calibrator that was written by --model, with --apply.
    """
    given = {
        "label": label, "positive": positive, "weight": weight, "where": where, "method": method,
        "interpolation": interpolation, "bound": bound, "strict": strict or None, "model": model,
        "lower_is_positive": lower_is_positive or None, "fit_prevalence": fit_prevalence, "penalty": penalty,
        "held_out": held_out or None, "base": base, "fold": fold, "engine": engine, "memory": memory,
    }  # fmt: skip
    from rochull._core.files import check_apart

    share = _prevalence(prevalence, "prevalence")
    fitted_at = _prevalence(fit_prevalence, "fit_prevalence")
    printed = _base(base)
    written = None if output is None else Output(table, output, prefix or "", _chosen(write))
    _check_files(model, written)
    if apply is not None:
        name = next((name for name in _FITTING if given[name] is not None), None)
        if name is not None:
            raise UsageError(f"{flag(name)} has no effect with --apply.")
        if written is None:
            raise UsageError("--apply needs --output: where to write the table.")
        check_apart(written.path, apply, "the calibrator that is applied")
        check_summary(summary, output=written.path, table=table, calibrator=apply)
        _apply(apply, score or [], column or [], share, written, summary=summary, as_json=as_json)
        return
    _check_fit({"column": column, "summary": summary, "json": as_json}, label=label, score=score or None)
    shown = {"prevalence": share, "prefix": prefix, "held_out": held_out or None, "write": write}
    useless = next((name for name, value in shown.items() if value is not None), None)
    if written is None and useless is not None:
        raise UsageError(f"{flag(useless)} has no effect without --output.")
    made = _calibrator(
        method or "pav",
        interpolation=interpolation,
        bound=bound,
        strict=strict,
        lower_is_positive=_lower(lower_is_positive or [], score or []),
        prevalence=fitted_at,
        penalty=_penalty(penalty),
    )
    _check_count(made, method or "pav", len(score or []))
    more = {"scores": score, "output": written, "prevalence": share, "base": printed}
    _fit(table, made, given | more | {"method": method or "pav", "reader": Engine(engine, memory)})


def _check_fit(applying: Mapping[str, object], **needed: Any) -> None:
    useless = next((name for name, value in applying.items() if value), None)
    if useless is not None:
        raise UsageError(f"{flag(useless)} has no effect without --apply.")
    for name, value in needed.items():
        if value is None:
            raise UsageError(f"{flag(name)} is needed to fit, or --apply to use a saved calibrator.")


def _check_count(calibrator: Calibrator, method: str, count: int) -> None:
    reads = calibrator.n_columns
    if reads == 1 and count > 1:
        raise UsageError(
            "--score is given more than once; calibrate one score after the other, "
            "and tell their columns apart by --prefix."
        )
    if reads not in (None, count):
        raise UsageError(f"--method {method} reads {reads} columns: give --score for each of them.")


def _prevalence(text: str | None, name: str) -> float | None:
    value = number_of_option(text, name)
    if value is None:
        return None
    if isinstance(value, tuple):
        raise UsageError(f"{flag(name)} must be one number.")
    if not 0 < value < 1:
        raise UsageError(f"{flag(name)} must lie strictly between 0 and 1, but is {text}.")
    return value


def _chosen(typed: Sequence[str] | None) -> Sequence[str]:
    from rochull._core.table_errors import names_listed

    wrong = next((name for name in typed or () if name not in COLUMNS), None)
    if wrong is not None:
        raise UsageError(f"--write must be one of {names_listed(COLUMNS)}, but is {wrong!r}.")
    return typed or COLUMNS


def _base(text: str | None) -> float | None:
    value = number_of_option(text, "base")
    if value is not None and (isinstance(value, tuple) or not 1 < value < float("inf")):
        raise UsageError(f"--base must be a number above 1, but is {text}.")
    return None if value is None else float(value)


def _penalty(text: str | None) -> float | None:
    value = number_of_option(text, "penalty")
    if value is not None and (isinstance(value, tuple) or not 0 <= value < float("inf")):
        raise UsageError(f"--penalty must be a number of at least 0, but is {text}.")
    return None if value is None else float(value)


def _check_files(model: Path | None, output: Output | None) -> None:
    """Raise UsageError if a target cannot be written, before the data are read."""
    from rochull._core.files import check_writable
    from rochull._core.table_files import check_target, output_format

    if model is not None and model.suffix.lower() != ".json":
        raise UsageError(f"--model must end in .json, but is {str(model)!r}.")
    if output is not None:
        output_format(output.path)
    for path in (model, None if output is None else output.path):
        if path is not None:
            check_writable(path)
    if output is not None:
        check_target(output.table, output.columns, output.path)


def _calibrator(method: str, **options: Any) -> Calibrator:
    """The unfitted calibrator that the options describe."""
    from inspect import signature

    from rochull.calibration.kinds import calibrator_class

    def parameters(kind: str) -> Collection[str]:
        return signature(calibrator_class(kind)).parameters

    takes = parameters(method)
    own = {name: value for name, value in options.items() if value}
    for name in own:
        if name not in takes:
            *others, last = (kind for kind in CALIBRATORS if name in parameters(kind))
            kinds = f"{', '.join(others)} or {last}" if others else last
            option = "fit_prevalence" if name == "prevalence" else name
            raise UsageError(f"{flag(option)} is for --method {kinds}.")
    if "bound" in takes:
        own["bound"] = None if own.get("bound") == "none" else own.get("bound")
    return calibrator_class(method)(**own)


def _fit(table: str, calibrator: Calibrator, given: dict[str, Any]) -> None:
    from rochull.calibration.base import SavedCalibrator

    names, reader, parts = given["scores"], given["reader"], None
    if is_scanned(table, given, reader):
        facts = fitted_facts(calibrator, table, given, reader)
    else:
        facts, parts = _fitted_in_memory(table, calibrator, given)
    with warnings_as_lines():
        _say_if_useless(facts, names)
    # Files first: a reader of the output who has seen enough (head) may close it.
    output = given["output"]
    if output is not None:
        written_rows(
            calibrator, names, given["prevalence"], output, parts=None if parts is None else parts.made
        )
    if given["model"] is not None:
        # That it says nothing was already said.
        SavedCalibrator.save(calibrator, given["model"], about=_about(table, given))
    print_facts(facts, given["base"])
    if output is not None:
        how = "in-sample: this table chose the map" if parts is None else parts.told
        *others, last = output.columns
        new = f"columns {', '.join(others)} and {last} are" if others else f"column {last} is"
        say_wrapped(f"The {new} {how}.")
    for what, path in (("Calibrated", output and output.path), ("Model", given["model"])):
        if path is not None:
            say(f"{what}: {path}")


def _fitted_in_memory(
    table: str, calibrator: Calibrator, given: dict[str, Any]
) -> tuple[dict[str, Any], _Parts | None]:
    """Fit the calibrator, and judge it: its facts, and the calibrators of folds, if they are asked for."""
    from rochull._core.tables import scored_examples
    from rochull.hull.polarity import already_said
    from rochull.report import calibration

    names = given["scores"]
    with where_suggested(given["where"]):
        data = scored_examples(
            table, label=given["label"], scores=names, weight=given["weight"], pos_label=given["positive"],
            where=given["where"],
        )  # fmt: skip
    columns = {name: column_checked(column, name, calibrator) for name, column in data.scores.items()}
    scores = read(calibrator, columns)
    with warnings_as_lines(names[0] if len(names) == 1 else None):
        calibrator.fit(scores if calibrator.n_columns == 1 else columns, data.positive, data.weights)
        with already_said():
            facts = calibration.calibration_facts(calibrator, data.positive, scores, data.weights)
        folds = calibration.fitted_by_fold(calibrator, data.positive, scores, data.weights)
        parts = _by_fold(table, calibrator, given, folds) if given["held_out"] else None
    return facts, parts


@dataclass(frozen=True)
class _Parts:
    """Rows of a table and the calibrator of each, and what is said of them."""

    told: str
    made: Sequence[tuple[Array, Calibrator]]


def _by_fold(
    table: str, calibrator: Calibrator, given: dict[str, Any], folds: Iterable[tuple[Array, Calibrator]]
) -> _Parts:
    """The calibrator of the other folds for each row that was fitted, and that of all for the others."""
    made, where = list(folds), given["where"]
    told = f"held out: of {len(made)} folds the others chose the map of each"
    if where is None:
        return _Parts(told, made)
    from rochull._core.table_files import rows_where

    fitted = rows_where(table, where, numbers=given["scores"])
    at, others = fitted.nonzero()[0], (~fitted).nonzero()[0]
    told += "; of the rows that --where leaves out, all"
    return _Parts(told, [*((at[rows], each) for rows, each in made), (others, calibrator)])


def _say_if_useless(facts: Mapping[str, Any], names: Sequence[str]) -> None:
    """Warn of a map that says the same of every score."""
    low, high = facts["bounds"]
    if low == high:
        which = " and ".join(map(repr, names))
        warn(
            f"{which}: the calibrator says the same of every score: positives do not score higher. "
            "Reversed? Then give --lower-is-positive."
        )


def _lower(typed: Sequence[str], scores: Sequence[str]) -> bool:
    """Whether low scores are positive: the columns of which they are, as rochull report takes them."""
    from rochull._core.tables import reversed_columns

    found = reversed_columns(typed, scores)
    if found and found != {*scores}:
        raise UsageError("--lower-is-positive must name every --score of a map, or none.")
    return bool(found)


def _about(table: str, given: dict[str, Any]) -> dict[str, str]:
    from rochull._core.version import __version__

    about = {"rochull": __version__, "table": table, "label": given["label"]}
    if len(given["scores"]) == 1:  # the document itself names several
        about["score"] = given["scores"][0]
    return about if given["positive"] is None else about | {"positive": given["positive"]}


def _one(calibrator: Calibrator, scores: Sequence[str], typed: Sequence[str]) -> str:
    """The column of scores that a model of one column is applied to."""
    if typed or len(scores) > 1:
        raise UsageError("the model reads one column: --score names it, once.")
    learnt = calibrator.about.get("score")
    score = scores[0] if scores else learnt
    if score is None:
        raise UsageError("--score is needed: the model does not name a column.")
    if learnt not in (None, score):
        say_warnings([f"the model was fitted to column {learnt!r}, and maps column {score!r} here."])
    return score


def _several(calibrator: Calibrator, scores: Sequence[str], typed: Sequence[str]) -> list[str]:
    """The columns that a model of several columns is applied to, in its order."""
    from rochull._core.table_errors import names_listed
    from rochull.calibration.columns import columns_read
    from rochull.cli.policies import columns_typed

    known = list(getattr(calibrator, "feature_names_in_", ()))
    places = columns_typed(typed, known, str)
    if known and not set(scores) <= set(known):
        raise UsageError(
            f"--score: the model reads {names_listed(known)}; "
            f"--column {known[0]}=COLUMN says where one of them is."
        )
    return columns_read(calibrator, places if known else scores, "--score")


def _apply(
    path: Path, scores: Sequence[str], typed: Sequence[str], prevalence: float | None, output: Output,
    *, summary: Path | None, as_json: bool,
) -> None:  # fmt: skip
    from rochull.calibration.kinds import load_calibrator

    calibrator = load_calibrator(path)
    applied = made_by("calibrator", path, calibrator.to_dict())
    record = Summary("calibrate", applied, output.table, output.path, summary, as_json)
    with record.told():
        if calibrator.n_columns == 1:
            columns = [_one(calibrator, scores, typed)]
        else:
            columns = _several(calibrator, scores, typed)
        used = calibrator.prevalence_ if prevalence is None else prevalence
        record.condition = f"prevalence {used:.4g}"
        target, look = replace(output, metadata=record.metadata), Look(calibrator, record)
        size, missing = written_rows(calibrator, columns, prevalence, target, look=look)
        which = "column" if len(columns) == 1 else "columns"
        where = f"{which} {', '.join(map(repr, columns))}"
        say_wrapped(f"Calibrated {size:,} scores of {where} at prevalence {used:.4g}.")
        _say_applied(calibrator, output, missing)
        record.facts |= {"rows": size, "written": size, "missing": missing, "columns": columns}


def _say_applied(calibrator: Calibrator, output: Output, missing: int) -> None:
    llr, about = output.named.get("llr"), calibrator.about
    positive = about.get("positive") if calibrator.pos_label is None else calibrator.pos_label
    natural = f"{llr} is a natural logarithm"
    if positive is not None:
        label = f" of column {about['label']!r}" if "label" in about else ""
        say_wrapped(f"Positive is the label {positive!r}{label}{'' if llr is None else '; ' + natural}.")
    elif llr is not None:
        say(f"{natural}.")
    if missing:
        new = [name for kind, name in output.named.items() if kind in ("posterior", "llr")]
        say_wrapped(
            f"{missing:,} of them are missing, and so are their {' and '.join(new or output.columns)}."
        )
    say(f"Calibrated: {output.path}")
