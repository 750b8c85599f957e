"""Python code for a condition: the calls that made it, after ``import rochull as rh``."""

from __future__ import annotations

import inspect
from fractions import Fraction
from typing import Any

from rochull import conditions
from rochull.conditions.base import Condition
from rochull.conditions.objectives import Objective, RateLimit
from rochull.conditions.profits import StochasticProfit
from rochull.conditions.ranges import Proportion, exact
from rochull.conditions.within import Best, Within


class _UnwrittenError(Exception):
    """A part of the condition cannot be written as code, such as a function."""


def code(condition: Condition | None) -> str | None:
    """Write the expression that makes a condition.

    Parameters
    ----------
    condition : Condition or None
        As it was given.

    Returns
    -------
    str or None
        None where no text makes it: of a function, a distribution, or a class from outside the library.
    """
    try:
        return None if condition is None else _written(condition)
    except _UnwrittenError:
        return None


def _written(value: Any) -> str:
    match value:
        case Within(goal=goal, limits=limits, confidence=confidence):
            sure = "" if confidence is None else f", confidence={_written(confidence)}"
            return f"rh.conditions.Within({_written(goal)}, [{', '.join(map(_written, limits))}]{sure})"
        case Best(measure=measure):
            return _written(measure)
        case RateLimit(measure=measure, side=side, limit=limit):
            return f"{_written(measure)} {side} {_written(limit)}"
        case Condition() | Objective():
            return _call(value)
        case tuple():
            return f"({', '.join(map(_written, value))})"
        case int() | float() | Fraction() if exact(float(value)) == exact(value) or isinstance(
            value, Proportion
        ):
            return repr(float(value)).removesuffix(".0")
    raise _UnwrittenError


def _call(value: Any) -> str:
    name = type(value).__name__
    if getattr(conditions, name, None) is not type(value):
        raise _UnwrittenError
    names = inspect.signature(type(value)).parameters
    if isinstance(value, StochasticProfit):
        stated = dict(zip(names, value.__getnewargs__(), strict=True))
    else:
        stated = {each: getattr(value, each) for each in names}
    parts = (f"{each}={_written(given)}" for each, given in stated.items() if given is not None)
    return f"rh.conditions.{name}({', '.join(parts)})"
