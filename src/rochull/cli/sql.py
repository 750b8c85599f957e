"""``rochull sql``: the decision of a policy as one SQL expression."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from rochull.cli.conditions import (
    CONDITION,
    MaxCallsOption,
    MinimaxOption,
    NeedsOption,
    Options,
    Typed,
    single,
    takes,
)
from rochull.cli.decider import Asked
from rochull.cli.declared import Argument, Option
from rochull.cli.goals import GOAL, TypedGoal
from rochull.cli.options import UsageError, complain, emit, flag
from rochull.cli.policies import columns_typed, load
from rochull.dialects.registry import names

*_DIALECTS, _LAST_DIALECT = names()


@takes({"typed": CONDITION, "goal": GOAL})
def sql(
    policy: Annotated[
        Path,
        Argument(
            help="A policy of rochull report, cascade or multiclass, a calibrator of rochull calibrate, or "
            "one saved in Python."
        ),
    ],
    *,
    dialect: Annotated[str, Option(help=f"{', '.join(_DIALECTS)} or {_LAST_DIALECT}.", metavar="DIALECT")],
    typed: Typed,
    minimax: MinimaxOption = False,
    max_calls: MaxCallsOption = None,
    needs: NeedsOption = None,
    goal: TypedGoal,
    key: Annotated[
        str | None,
        Option(help="Column that identifies a case; a randomised rule needs it.", metavar="COLUMN"),
    ] = None,
    column: Annotated[
        list[str] | None,
        Option(
            help="Where a classifier's scores are, a class's outputs or a feature of segments, as COLUMN or "
            "TABLE.COLUMN, unless in a column of its name; repeat for each. A name with a point of its own "
            "is put in double quotes.",
            metavar="NAME=COLUMN",
        ),
    ] = None,
    deterministic: Annotated[
        bool,
        Option("--deterministic", help="Use the best threshold that the policy holds, no randomisation."),
    ] = False,
    what: Annotated[Literal["posterior", "llr"] | None, Option(help="Of a calibrator. (posterior)")] = None,
    base: Annotated[
        str | None, Option(help="Of the logarithm of an LLR, such as 10. (e)", metavar="NUMBER")
    ] = None,
) -> None:
    """Print the decision as one SQL expression, as rochull decide says.

    It is true or false for each row; with a review 'positive', 'review' or
    'negative'; of several classes, the label. Without --prevalence that of
    the data which made the policy is used.

    A policy by groups is asked nothing; cases of other groups are NULL.
    A limit holds for the sample that made the policy. To keep it in the
    population, give rochull report --confidence and --policy: that policy holds
    the assured rule, and is asked nothing.

    Of a calibrator it is the posterior, at --prevalence, or the LLR.
    """
    if _is_calibrator(policy):
        asked = {
            **{name: value for name, value in typed.items() if name != "prevalence"}, **goal,
            "minimax": minimax, "max_calls": max_calls, "needs": needs, "key": key,
            "deterministic": deterministic,
        }  # fmt: skip
        _refuse_asked(policy, asked)
        emit(_map(policy, column or [], dialect, what=what, prevalence=typed["prevalence"], base=base))
        return
    if what is not None or base is not None:
        raise UsageError(
            f"{flag('base' if what is None else 'what')} is for a calibrator, which this is not."
        )
    options = Options(typed)
    if typed["cases"] is not None:
        raise UsageError(
            "--cases (--max-cases) is kept by a table as a whole (rochull decide), which no expression of "
            f"one row can; give --max-share{_share(typed)}."
        )
    loaded = load(
        policy,
        Asked(
            options, options.condition(), goal, deterministic, minimax, single(max_calls, "max_calls"), needs
        ),
    )
    if loaded.note is not None:
        complain(loaded.note)
    columns = columns_typed(column or (), loaded.known, _place, others=loaded.knows_a_part)
    emit(loaded.to_sql(dialect, key and _place(key), columns))


def _is_calibrator(path: Path) -> bool:
    """Whether a file is one; what cannot be read is refused with the policies."""
    import json

    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("format") == "rochull-calibrator"


def _refuse_asked(path: Path, asked: Mapping[str, Any]) -> None:
    """Raise if a calibrator is asked what only policies know."""
    useless = next((name for name, value in asked.items() if value), None)
    if useless is not None:
        raise UsageError(f"{flag(useless)} is for a policy, and {str(path)!r} is a calibrator.")


def _map(
    path: Path,
    columns: list[str],
    dialect: str,
    *,
    what: str | None,
    prevalence: str | None,
    base: str | None,
) -> str:
    """The map of a calibrator, over columns that are called as in its document unless said otherwise."""
    from rochull.calibration.kinds import load_calibrator

    if base is not None and what != "llr":
        raise UsageError("--base has no effect without --what llr.")
    made = load_calibrator(path)
    known = list(getattr(made, "feature_names_in_", ())) or [made.about.get("score", "score")]
    places: dict[str, Any] = {name: name for name in known} | columns_typed(columns, known, _place)
    where = places[known[0]] if made.n_columns == 1 else places
    how = {"prevalence": single(prevalence, "prevalence"), "base": single(base, "base")}
    return made.to_sql(where, dialect, what or "posterior", **how)


def _share(typed: Typed) -> str:
    """Return the share of the cases that the typed number of them is, if both are numbers."""
    try:
        return f" {float(typed['cases'] or '') / float(typed['population'] or ''):g}"
    except (ValueError, ZeroDivisionError):
        return ""


def _place(text: str) -> str | tuple[str, str]:
    """A column, or a table and its column; what stands in double quotes is one name, points and all."""
    if "." not in text:
        return text
    from sqlglot import errors, exp

    try:
        found = exp.to_column(text)
    except errors.SqlglotError:
        found = None
    # Anything but names, as a function or a literal, is another node; what follows "--" would be lost.
    if isinstance(found, exp.Column) and not any(node.comments for node in found.walk()):
        names = [part.name for part in found.parts]
        if len(names) == 1 and names[0]:
            return names[0]
        if len(names) == 2 and all(names):
            return names[0], names[1]
    raise UsageError(f"{text!r} must be COLUMN or TABLE.COLUMN; other names go into double quotes.")
