"""Objectives, costs and limits on confusion matrices, as they are typed on the command line."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rochull.cli.declared import Option
from rochull.cli.options import UsageError, flag

if TYPE_CHECKING:
    from rochull.multiclass.measure import Limit, Measure

TypedGoal = dict[str, Any]  # the options of what is best, as they were typed


def _option(metavar: str, help: str, *names: str) -> Any:
    return Option(*names, help=help, metavar=metavar, rich_help_panel="What is best (several classes)")


GOAL = {
    "minimise": Annotated[
        str | None,
        _option(
            "WHAT",
            "max-error, mean-error, error-rate, cost, error(CLASS) or called(CLASS,CLASS). (max-error; "
            "cost if costs or priors are given)",
            "--minimise",
            "--minimize",
        ),
    ],
    "cost": Annotated[
        list[str] | None,
        _option(
            "TRUE,CALLED=VALUE",
            "What it costs to call one class another; repeat for each. (1; of a right decision 0)",
        ),
    ],
    "costs": Annotated[
        Path | None,
        _option(
            "FILE", "A CSV file of costs: a row for each true class, a column for each that it is called."
        ),
    ],
    "prior": Annotated[
        list[str] | None,
        _option(
            "CLASS=VALUE",
            "Share of a class among the cases to decide; repeat for all. (those of the examples)",
        ),
    ],
    "limit": Annotated[
        list[str] | None,
        _option(
            "LIMIT",
            'A limit, such as "error(lesion)<=0.05", "called(nevus,lesion)<=0.1", "max-error<=0.3" or '
            '"error-rate<=0.2"; repeat for more.',
        ),
    ],
    "weights": Annotated[
        list[str] | None,
        _option(
            "NUMBERS",
            "Weights of the classes, such as 1,0.5,2, in place of a search; repeat for more.",
        ),
    ],
}


def given_goal(typed: TypedGoal) -> str | None:
    """The first of the options that was typed."""
    return next((name for name in GOAL if typed[name]), None)


# A class in an option: plain, or in double quotes, which are doubled inside.
_LABEL = r'"(?:[^"]|"")+"|[^"(),=<>]+'
_MEASURE = rf"\s*(?P<name>error|called)\s*\(\s*(?P<a>{_LABEL})\s*(?:,\s*(?P<b>{_LABEL})\s*)?\)\s*"
_LIMIT = rf"(?P<measure>(?:{_LABEL}|[(),])*)(?P<side><=|>=)(?P<number>[^<>=]*)"
_COST = rf"\s*(?P<a>{_LABEL})\s*,\s*(?P<b>{_LABEL})\s*=(?P<number>[^=]*)"
_PRIOR = rf"\s*(?P<a>{_LABEL})\s*=(?P<number>[^=]*)"


def number_in(text: str, option: str) -> float:
    """The finite number at the end of an option."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{option} must end in a number, but ends in {text.strip()!r}.")
    return value


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def class_named(name: str, classes: Sequence[Any], option: str) -> Any:
    """The class that is typed so."""
    for label in classes:
        if str(label) == name:
            return label
    from rochull._core.table_errors import names_listed, nearest

    raise UsageError(
        f"{option} names the class {name!r}, but the classes are {names_listed(map(str, classes))}."
        + nearest(name, map(str, classes))
    )


@dataclass(frozen=True)
class _Measure:
    """A measure to minimise or limit, as typed."""

    name: str
    labels: tuple[str, ...]
    option: str

    @classmethod
    def typed(cls, text: str, option: str, words: Sequence[str]) -> _Measure:
        word = text.strip().lower()
        if word in words:
            return cls(word, (), option)
        match = re.fullmatch(_MEASURE, text)
        labels = [] if match is None else [part for part in (match["a"], match["b"]) if part is not None]
        if match is None or len(labels) != {"error": 1, "called": 2}[match["name"]]:
            known = ", ".join([*words, "error(CLASS)"])
            raise UsageError(f"{option} must be one of {known} or called(CLASS,CLASS), but is {text!r}.")
        return cls(match["name"], tuple(map(_unquoted, labels)), option)

    def of(self, classes: Sequence[Any], costs: Measure) -> Measure:
        """The measure; `costs` is the one of the expected cost."""
        from rochull.multiclass.costs import CostMatrix
        from rochull.multiclass.measures import Cell, Error, ErrorRate, MaxError

        labels = [class_named(name, classes, self.option) for name in self.labels]
        match self.name:
            case "error":
                return Error(labels[0])
            case "called":
                return Cell(labels[0], labels[1])
            case "max-error":
                return MaxError()
            case "error-rate":
                return ErrorRate()
            case "mean-error":
                return CostMatrix(_ones(len(classes)), [1.0] * len(classes))
        return costs


def _ones(size: int) -> list[list[float]]:
    """Costs of 1 for every error."""
    return [[float(i != j) for j in range(size)] for i in range(size)]


@dataclass(frozen=True)
class Goal:
    """Objective, costs and limits, as they were typed."""

    minimise: _Measure
    costs: tuple[tuple[str, str, float], ...]
    file: Path | None
    priors: Mapping[str, float]
    limits: tuple[tuple[_Measure, str, float], ...]

    @classmethod
    def of_typed(cls, typed: TypedGoal) -> Goal:
        """Parse the options; raise UsageError on the first fault."""
        minimise, costs = typed["minimise"], typed["costs"]
        cost, prior, limit = (typed[name] or [] for name in ("cost", "prior", "limit"))
        given = "cost" if cost else "costs" if costs else "prior" if prior else None
        what = _Measure.typed(
            minimise or ("cost" if given else "max-error"),
            "--minimise",
            ("max-error", "mean-error", "error-rate", "cost"),
        )
        if given and what.name != "cost":
            raise UsageError(f"{flag(given)} has no effect with --minimise {minimise}.")
        return cls(
            what, tuple(map(_typed_cost, cost)), costs, _typed_priors(prior), tuple(map(_typed_limit, limit))
        )

    def of(self, classes: Sequence[Any]) -> tuple[Measure, list[Limit]]:
        """The objective, and the limits."""
        from rochull.multiclass.costs import CostMatrix
        from rochull.multiclass.measure import Limit

        matrix = _ones(len(classes)) if self.file is None else _read_costs(self.file, classes)
        for true, called, value in self.costs:
            i, j = (classes.index(class_named(name, classes, "--cost")) for name in (true, called))
            matrix[i][j] = value
        priors = None
        if self.priors:
            given = {class_named(name, classes, "--prior"): value for name, value in self.priors.items()}
            missing = next((label for label in classes if label not in given), None)
            if missing is not None:
                raise UsageError(f"--prior must be given for all classes, but not for {str(missing)!r}.")
            priors = [given[label] for label in classes]
        objective = self.minimise.of(classes, CostMatrix(matrix, priors))
        return objective, [Limit(what.of(classes, objective), side, at) for what, side, at in self.limits]


def typed_weights(text: str) -> tuple[float, ...]:
    """Weights of the classes, as they were typed."""
    parts = text.split(",")
    found = tuple(number_in(part, f"--weights {text!r}") for part in parts)
    if min(found) < 0 or not any(found):
        raise UsageError(f"--weights {text!r} must not be negative, and not all 0.")
    return found


def wrong_weights(weights: Sequence[float], classes: Sequence[Any]) -> UsageError:
    """Return the error for weights whose number is not that of the classes."""
    return UsageError(
        f"--weights must be {len(classes)} numbers, for the classes {', '.join(map(str, classes))}, but is "
        f"{','.join(map(str, weights))}."
    )


def weights_in(typed: TypedGoal, classes: Sequence[Any]) -> tuple[float, ...] | None:
    """The one weight vector that was typed, if any, in place of what is best."""
    if not typed["weights"]:
        return None
    other = next((name for name in GOAL if name != "weights" and typed[name]), None)
    if other is not None:
        raise UsageError(f"{flag(other)} has no effect with --weights, which decide by themselves.")
    if len(typed["weights"]) > 1:
        raise UsageError("--weights must be given once: one weight for each class.")
    found = typed_weights(typed["weights"][0])
    if len(found) != len(classes):
        raise wrong_weights(found, classes)
    return found


def _typed_cost(text: str) -> tuple[str, str, float]:
    match = re.fullmatch(_COST, text)
    if match is None:
        raise UsageError(f"--cost must be TRUE,CALLED=VALUE, but is {text!r}.")
    return _unquoted(match["a"]), _unquoted(match["b"]), number_in(match["number"], f"--cost {text!r}")


def _typed_priors(texts: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        match = re.fullmatch(_PRIOR, text)
        if match is None:
            raise UsageError(f"--prior must be CLASS=VALUE, but is {text!r}.")
        value = number_in(match["number"], f"--prior {text!r}")
        if value < 0:
            raise UsageError(f"--prior {text!r} must not be negative.")
        if _unquoted(match["a"]) in found:
            raise UsageError(f"--prior names the class {_unquoted(match['a'])!r} twice.")
        found[_unquoted(match["a"])] = value
    if found and not any(found.values()):
        raise UsageError("--prior is 0 for every class.")
    return found


def _typed_limit(text: str) -> tuple[_Measure, str, float]:
    match = re.fullmatch(_LIMIT, text)
    if match is None:
        raise UsageError(f'--limit must be like "error(CLASS)<=0.05", with <= or >=, but is {text!r}.')
    measure = _Measure.typed(match["measure"], f"--limit {text!r}", ("max-error", "error-rate"))
    value = number_in(match["number"], f"--limit {text!r}")
    if not 0 <= value <= 1:
        raise UsageError(f"--limit {text!r} must end in a share from 0 to 1: 0.4 is 40 %.")
    return measure, match["side"], value


def _read_costs(path: Path, classes: Sequence[Any]) -> list[list[float]]:
    """A matrix of costs in the order of the classes."""
    from rochull._core.file_queries import divider

    with path.open(encoding="utf-8-sig", newline="") as file:
        delimiter = divider(file.readline(), ",")
        file.seek(0)
        read = csv.reader(file, delimiter=delimiter)
        rows = [[cell.strip() for cell in row] for row in read if any(map(str.strip, row))]
    option = f"--costs {str(path)!r}"
    if not rows:
        raise ValueError(f"{option} is empty.")
    header, body = rows[0][1:], {row[0]: row[1:] for row in rows[1:]}
    if len(body) < len(rows) - 1 or len(set(header)) < len(header):
        raise ValueError(f"{option} names a class twice.")
    wanted = [str(label) for label in classes]
    for what, names in (("columns", header), ("rows", list(body))):
        if sorted(names) != sorted(wanted):
            raise ValueError(
                f"{option} must have {what} for the classes {', '.join(wanted)}, but has "
                f"{', '.join(names) or 'none'}."
            )
    short = next((name for name in wanted if len(body[name]) != len(header)), None)
    if short is not None:
        raise ValueError(f"{option} has {len(body[short])} costs in the row of {short!r}, not {len(header)}.")
    return [
        [number_in(body[true][header.index(called)], f"{option}: the row of {true!r}") for called in wanted]
        for true in wanted
    ]
