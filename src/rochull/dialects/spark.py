"""The SQL of Spark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rochull._core.extras import Later
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

MOST_BRANCHES = 50  # Java stops compiling what is much longer
_EXACT = 2**53  # integers up to this are doubles


class Spark(Dialect):
    """Spark SQL."""

    name, label, syntax = "spark", "Spark", "spark"
    refused_in_names = ("${",)  # the beginning of a variable, even between quotes
    overflow_is_error = False
    has_long_integers = True

    def comparable(self, column: exp.Expression) -> exp.Expression:
        return super().comparable(column)

    def is_number(self, column: exp.Expression) -> exp.Expression:
        return super().is_number(column)

    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        return super().hash_digits(text)

    def steps(
        self, column: exp.Expression, begin: Sequence[float], values: Sequence[exp.Expression], *, falls: bool
    ) -> exp.Expression:
        """Many steps are found by bisection in an array, which is made once: of a small table once a row."""
        exact = all(abs(x) <= _EXACT or abs(x) == math.inf for x in begin)
        plain = all(isinstance(value, exp.Cast) for value in values)  # others would all be computed
        if len(begin) <= MOST_BRANCHES or not (exact and plain):
            return super().steps(column, begin, values, falls=falls)
        place, step, edges = (exp.to_identifier(name) for name in ("i", "k", "e"))
        size = exp.Literal.number(len(begin))
        beyond = exp.Add(this=place, expression=step)
        edge = _called("ELEMENT_AT", edges, _called("LEAST", beyond.copy(), size))
        sign = exp.LTE if falls else exp.GTE
        passed = exp.And(
            this=exp.LTE(this=beyond.copy(), expression=size.copy()),
            expression=sign(this=self.as_double(column.copy()), expression=edge),
        )
        moved = exp.If(this=passed, true=beyond.copy(), false=place.copy())
        powers = [exp.Literal.number(2**k) for k in reversed(range(len(begin).bit_length()))]
        search = exp.Lambda(this=moved, expressions=[place.copy(), step.copy()])
        found = _called("AGGREGATE", _called("ARRAY", *powers), exp.Literal.number(0), search)
        made = _called("ARRAY", _called("ARRAY", *(self.double(float(edge)) for edge in begin)))
        steps = _called("TRANSFORM", made, exp.Lambda(this=found, expressions=[edges.copy()]))
        one = exp.Literal.number(1)
        which = exp.Add(this=_called("ELEMENT_AT", steps, one), expression=one.copy())
        return _called("ELEMENT_AT", _called("ARRAY", *values), which)


def _called(function: str, *given: exp.Expression) -> exp.Expression:
    return exp.Anonymous(this=function, expressions=list(given))
