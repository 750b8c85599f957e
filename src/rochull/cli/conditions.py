"""Conditions as they are typed: a row for each kind, the options of commands made from the rows."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from rochull.cli.options import UsageError, flag, number

if TYPE_CHECKING:
    from rochull.conditions.base import Condition
    from rochull.conditions.costs import ExpectedCost

Typed = dict[str, str | None]  # options of conditions, as they were typed


@dataclass(frozen=True)
class Kind:
    """A kind of condition on the command line: its class, and the help of its options.

    Attributes
    ----------
    name : the class in :mod:`rochull.conditions`, which is not imported before it is used.
    options : help of each option.
    called : parameters of the class that are not called as their options.
    has_prevalence : whether it depends on the proportion of positives.
    takes_intervals : whether a number may be LOW:HIGH.
    otherwise : what an option that was not typed stands for, if another was.
    """

    name: str
    options: Mapping[str, str]
    called: Mapping[str, str] | None = None
    has_prevalence: bool = False
    takes_intervals: bool = False
    otherwise: float | None = None

    def make(self, numbers: Mapping[str, Any], prevalence: Any) -> Condition:
        """The condition with these numbers, by option."""
        from rochull import conditions

        called = self.called or {}
        given = {called.get(n, n): self.otherwise if numbers[n] is None else numbers[n] for n in self.options}
        if self.has_prevalence:
            given["prevalence"] = prevalence
        made: Condition = getattr(conditions, self.name)(**given)
        return made


COSTS = Kind(
    "ExpectedCost",
    {
        "cost_fp": "Cost of a false positive. (1 if only the other is given)",
        "cost_fn": "Cost of a false negative. (1 if only the other is given)",
    },
    has_prevalence=True,
    takes_intervals=True,
    otherwise=1.0,
)
CAPACITY = Kind(
    "Capacity",
    {
        "cases": "How many cases can be called positive ...",
        "population": "... out of how many.",
        "fraction": "The share that can be called positive.",
    },
    has_prevalence=True,
)
KINDS = (
    COSTS,
    Kind("NeymanPearson", {"max_fpr": "Highest false positive rate allowed."}),
    Kind("MinimumRecall", {"min_recall": "Lowest true positive rate allowed."}, {"min_recall": "min_tpr"}),
    Kind("MinimumPrecision", {"min_precision": "Lowest precision allowed."}, has_prevalence=True),
    CAPACITY,
)
_PREVALENCE = {"prevalence": "Proportion of positives among the cases to decide."}
_HELP = COSTS.options | _PREVALENCE | {n: told for kind in KINDS[1:] for n, told in kind.options.items()}  # type: ignore[operator]


def _option(name: str, help: str) -> Any:
    return typer.Option(flag(name), help=help, metavar="NUMBER", rich_help_panel="The condition (one kind)")


def takes_condition(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of all conditions, in the place of its parameter `typed`."""
    hints = get_type_hints(command, include_extras=True)
    parameters = []
    for each in inspect.signature(command).parameters.values():
        if each.name == "typed":
            for name, told in _HELP.items():
                hints[name] = Annotated[str | None, _option(name, told)]
                parameters.append(
                    Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=hints[name])
                )
        else:
            parameters.append(each.replace(annotation=hints[each.name]))

    @functools.wraps(command)
    def run(**given: Any) -> None:
        command(typed={name: given.pop(name) for name in _HELP}, **given)

    del hints["typed"]
    run.__annotations__ = hints
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _beside(name: str, what: str) -> Any:
    return _option(f"figures_{name}", f"With a limit: {what} that the figures are told at.")


FiguresCostFp = Annotated[str | None, _beside("cost_fp", "cost of a false positive")]
FiguresCostFn = Annotated[str | None, _beside("cost_fn", "cost of a false negative")]
FiguresPrevalence = Annotated[str | None, _beside("prevalence", "proportion of positives")]


class Options:
    """The condition as it was typed; it is checked before any data are read.

    Parameters
    ----------
    typed : what was typed, by option.
    batch : whether a table keeps a number of cases as a whole, whatever the population is.
    """

    def __init__(self, typed: Typed, batch: bool = False) -> None:
        self._typed = typed
        given = [(kind, names) for kind in KINDS if (names := [n for n in kind.options if self._has(n)])]
        if len(given) > 1:
            (_, (one, *_)), (_, (other, *_)), *_ = given
            raise UsageError(f"{flag(one)} and {flag(other)} are different conditions; give one of them.")
        self._kind: Kind | None = given[0][0] if given else None
        self.kind: str | None = given[0][1][0] if given else None  # the first option that says which it is
        incomplete = self._has("cases") != self._has("population") and not (batch and self._has("cases"))
        if incomplete or (self._has("cases") and self._has("fraction")):
            raise UsageError("a capacity is either --cases with --population, or --fraction.")
        if self.prevalence and not self.needs_prevalence:
            why = "without a condition" if self.kind is None else f"with {flag(self.kind)}"
            raise UsageError(f"--prevalence has no effect {why}.")

    def _has(self, name: str) -> bool:
        return self._typed[name] is not None

    @property
    def prevalence(self) -> str | None:
        """The proportion of positives, if it was typed."""
        return self._typed["prevalence"]

    @property
    def needs_prevalence(self) -> bool:
        """Whether the condition depends on the proportion of positives."""
        return self._kind is not None and self._kind.has_prevalence

    def condition(self, prevalence: float | None = None) -> Condition | None:
        """The condition, or None; `prevalence` is used where none was typed."""
        value = {name: number(text, name) for name, text in self._typed.items()}
        interval = next((name for name in value if isinstance(value[name], tuple)), None)
        if interval is not None and not (self._kind and self._kind.takes_intervals):
            raise UsageError(f"{flag(interval)} must be one number: intervals are for costs.")
        share: Any = value["prevalence"] if self.prevalence else prevalence
        if self.needs_prevalence and share is None and not self._has("cases"):
            raise UsageError("this condition needs --prevalence: the proportion of positives to expect.")
        return None if self._kind is None else self._kind.make(value, share)


_FIGURES = (*COSTS.options, *_PREVALENCE)


@dataclass(frozen=True)
class Figures:
    """What the figures beside a limit are told at, as it was typed."""

    cost_fp: str | None
    cost_fn: str | None
    prevalence: str | None
    limit: Options

    def __post_init__(self) -> None:
        kind, given = self.limit.kind, self.given
        if given is not None and kind is None:
            raise UsageError(f"{given} has no effect without a condition.")
        if given is not None and kind is not None and kind in COSTS.options:
            raise UsageError(f"{given} has no effect with {flag(kind)}: the condition has costs of its own.")
        if self.prevalence is not None and kind is not None and self.limit.needs_prevalence:
            raise UsageError(f"--figures-prevalence has no effect with {flag(kind)}: give --prevalence.")

    @property
    def given(self) -> str | None:
        """The first of the options that was typed."""
        return next((flag(f"figures_{name}") for name in _FIGURES if getattr(self, name) is not None), None)

    def costs(self, condition: Condition | None, table: float) -> ExpectedCost | None:
        """Costs and prevalence, or None; without one typed it is the condition's, or the table's."""
        from rochull.conditions.costs import ExpectedCost

        if self.given is None:
            return None
        values: dict[str, Any] = dict.fromkeys(COSTS.options, 1.0)
        own = None if condition is None else condition.own_prevalence
        values["prevalence"] = table if own is None else own
        for name in _FIGURES:
            found = number(getattr(self, name), f"figures_{name}")
            if isinstance(found, tuple):
                raise UsageError(f"{flag(f'figures_{name}')} must be one number, but is an interval.")
            values[name] = values[name] if found is None else found
        try:
            return ExpectedCost(**values)
        except ValueError as error:
            named = re.sub("|".join(_FIGURES), lambda name: flag(f"figures_{name[0]}"), str(error))
            raise ValueError(named) from error
