"""Keywords where a condition belongs: whoever writes `at(cost_fn=5)` is shown the condition to write."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ParamSpec, TypeVar

from rochull._core.table_errors import brief_repr, names_listed

P = ParamSpec("P")
R = TypeVar("R")
_NAMES = ("condition", "conditions", "costs")  # what a condition is called where it is taken
# Rates by the names of those who judge tests, and whether the number is that of the other rate.
_RATES = {
    "specificity": ("max_fpr", True), "fpr": ("max_fpr", False), "sensitivity": ("min_tpr", False),
    "recall": ("min_tpr", False), "tpr": ("min_tpr", False), "precision": ("min_precision", False),
    "ppv": ("min_precision", False),
}  # fmt: skip
_KINDS = ("ExpectedCost", "NeymanPearson", "MinimumRecall", "MinimumPrecision", "Capacity", "Review")


def takes_condition(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function that takes a condition say what to write where it is given the numbers of one.

    Parameters
    ----------
    function : callable
        With a parameter for the condition, and without one for any keyword.

    Returns
    -------
    callable
        The same function; other unknown keywords stay the TypeError that they are.
    """
    code = function.__code__  # a signature takes 20 us at import
    positional = code.co_varnames[: code.co_argcount]
    known = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}

    @functools.wraps(function)
    def told(*args: P.args, **options: P.kwargs) -> R:
        if not known.issuperset(options):
            unknown = {name: value for name, value in options.items() if name not in known}
            given = [*args, *(value for name, value in options.items() if name in known)]
            if (wanted := _condition_of(unknown, given)) is not None:
                raise TypeError(_sentence(function, positional, unknown, wanted))
        return function(*args, **options)

    return told


def _sentence(
    function: Callable[..., Any], positional: tuple[str, ...], unknown: Mapping[str, Any], wanted: str
) -> str:
    """State what is taken instead, with the call to write."""
    name = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    taken = next((each for each in positional if each in _NAMES), None)
    if taken is None:
        parts = ["...", f"condition={wanted}"]
    else:
        before = positional[: positional.index(taken)]
        parts = [*(each for each in before if each not in ("self", "cls")), wanted]
    call = f"{name}({', '.join(parts)})"
    return f"{name} takes {names_listed(unknown)} as part of a condition: write {call}."


def _condition_of(numbers: Mapping[str, Any], given: Iterable[Any]) -> str | None:
    """The condition to write for numbers, within the one that is given; None if no condition has them all."""
    from rochull import conditions

    held = next((each for each in given if is_dataclass(each) and hasattr(each, "at_prevalence")), None)
    if held is not None and _names(held).issuperset(numbers):
        return _call(type(held), numbers, "..., ")
    numbers = dict(map(_limit, numbers, numbers.values()))
    kinds: list[Any] = [getattr(conditions, kind) for kind in _KINDS]
    made, rest = ["condition"] if held is not None else [], dict(numbers)
    while rest:
        kind = max(kinds, key=lambda kind: len(_names(kind) & rest.keys()))
        taken = {name: rest.pop(name) for name in numbers if name in _names(kind) & rest.keys()}
        if not taken:
            return None
        made.append(_call(kind, taken))
    return made[0] if len(made) == 1 else f"rh.Within({made[0]}, [{', '.join(made[1:])}])"


def _limit(name: str, value: Any) -> tuple[str, Any]:
    """A rate that is meant as a limit, under the name that the limit's condition has for it."""
    wanted, is_other = _RATES.get(name, (name, False))
    return wanted, round(1 - value, 12) if is_other and isinstance(value, int | float) else value


def _names(condition: Any) -> set[str]:
    return {field.name for field in fields(condition)}


def _call(kind: type, numbers: Mapping[str, Any], before: str = "") -> str:
    return f"rh.{kind.__name__}({before}{', '.join(f'{n}={brief_repr(v)}' for n, v in numbers.items())})"
