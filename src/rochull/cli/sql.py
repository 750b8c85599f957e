"""``rochull sql``: the decision of a policy as one SQL expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from rochull.cli.conditions import Options, Typed, takes_condition
from rochull.cli.options import (
    UsageError,
)
from rochull.policies.dialects.registry import names

*_DIALECTS, _LAST_DIALECT = names()
_NAME = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
_PLACE = re.compile(rf"(?:{_NAME.pattern})(?:\.(?:{_NAME.pattern}))?")


@takes_condition
def sql(
    policy: Annotated[Path, typer.Argument(help="A policy written by rochull report.")],
    *,
    dialect: Annotated[
        str, typer.Option(help=f"{', '.join(_DIALECTS)} or {_LAST_DIALECT}.", metavar="DIALECT")
    ],
    typed: Typed,
    key: Annotated[
        str | None,
        typer.Option(help="Column that identifies a case; a randomised rule needs it.", metavar="COLUMN"),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="Where a classifier's scores are, as COLUMN or TABLE.COLUMN, unless in a column of its "
            "name; repeat for each. A name with a point of its own is put in double quotes.",
            metavar="CLASSIFIER=COLUMN",
        ),
    ] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Use the best vertex of the hull, no randomisation.")
    ] = False,
) -> None:
    """Print the decision as one SQL expression: true or false for each row, as rochull decide says.

    A limit holds for the sample that made the policy: one with a stated confidence needs the examples, which
    a policy does not hold (Hybrid.assured, in Python).
    """
    options = Options(typed)
    condition = options.condition()
    if condition is None:
        raise UsageError("name a condition to decide under, such as --max-fpr 0.05.")
    if typed["cases"] is not None:
        raise UsageError(
            "--cases is kept by a table as a whole (rochull decide), which no expression of one row can; "
            "give --fraction."
        )
    from rochull.policies.policy import Policy

    loaded = Policy.load(policy)
    columns = dict(_split(text, loaded.classifiers) for text in column or ())
    print(
        loaded.to_sql(
            condition, dialect, key=key and _place(key), columns=columns, deterministic=deterministic
        )
    )


def _split(text: str, classifiers: Sequence[str]) -> tuple[str, str | tuple[str, str]]:
    """Classifier and column; a classifier's name may hold the sign too."""
    for name in sorted(classifiers, key=len, reverse=True):
        if text.startswith(f"{name}=") and len(text) > len(name) + 1:
            return name, _place(text[len(name) + 1 :])
    has = ", ".join(map(repr, classifiers)) or "none"
    raise UsageError(
        f"--column must be CLASSIFIER=COLUMN, but is {text!r}; the policy's classifiers are {has}."
    )


def _place(text: str) -> str | tuple[str, str]:
    """A column, or a table and its column; what stands in double quotes is one name, points and all."""
    if "." not in text:
        return text
    names = [quoted.replace('""', '"') or bare for quoted, bare in _NAME.findall(text)]
    if _PLACE.fullmatch(text) and len(names) <= 2:
        return (names[0], names[1]) if len(names) == 2 else names[0]
    raise UsageError(f"{text!r} must be COLUMN or TABLE.COLUMN; other names go into double quotes.")
