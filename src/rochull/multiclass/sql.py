"""A multi-class decision as one SQL expression, the same row by row as that of `MulticlassPolicy.decide`.

Built as a syntax tree, see `rochull.policies.sql`. Outputs are cast to doubles, and multiplied by weights
that are doubles bit for bit, so that the products are those of NumPy. PostgreSQL and BigQuery stop with an
error where a product is too large or too small for a double: there such products are written as what
they round to.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rochull._core.extras import Later
from rochull._core.keys import cuts
from rochull.policies.sql import _column, _dialect, _double, _literal, _Writer

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

_LARGEST = math.nextafter(math.inf, 0)
_STRICT = ("postgres", "bigquery", "snowflake")  # a product out of range is, or may be, an error


def expression(
    rules: Sequence[tuple[Sequence[float], float]],
    classes: Sequence[Any],
    dialect: str,
    *,
    salt: str,
    key: str | tuple[str, str] | None,
    columns: Mapping[Any, str | tuple[str, str]],
) -> str:
    """The label that weight vectors, mixed in given shares, decide for; NULL where an output is unusable.

    `columns` says for every class where its outputs are.
    """
    dialect = _dialect(dialect)
    writer = _Writer(dialect, salt, {})
    outputs = [
        exp.Cast(
            this=_column(columns[label], f"columns[{label!r}]", dialect), to=exp.DataType.build("double")
        )
        for label in classes
    ]
    labels = [_label(label, classes, writer) for label in classes]
    first, others = cuts([share for _, share in rules])
    decided = {i: _decision(rules[i][0], outputs, labels, dialect) for i in (first, *(i for i, _ in others))}
    tree = decided[first]
    if others:
        if key is None:
            raise ValueError(
                "key is needed: the decision is a mixture of weight vectors; name the column that identifies "
                "a case, or give one of the mixture's points."
            )
        drawn_by = _column(key, "key", dialect)
        tree = writer.mixture(drawn_by, decided[first], [(decided[i], count) for i, count in others])
    usable = exp.and_(*(_usable(output) for output in outputs), copy=False)
    return writer.text(exp.Case(ifs=[exp.If(this=usable, true=tree)]))


def _usable(output: exp.Expression) -> exp.Expression:
    """Neither negative nor infinite nor NaN, which is above everything in most databases; NULL for NULL."""
    return exp.Between(this=output.copy(), low=_double(0.0), high=_double(_LARGEST))


def _decision(
    weights: Sequence[float],
    outputs: Sequence[exp.Expression],
    labels: Sequence[exp.Expression],
    dialect: str,
) -> exp.Expression:
    """The first class whose product none after it exceeds: those before it are below some later one."""
    products = [_product(w, output, dialect) for w, output in zip(weights, outputs, strict=True)]
    ifs = []
    for c, label in enumerate(labels[:-1]):
        wins = [exp.GTE(this=products[c].copy(), expression=product.copy()) for product in products[c + 1 :]]
        ifs.append(exp.If(this=exp.and_(*wins, copy=False), true=label.copy()))
    return exp.Case(ifs=ifs, default=labels[-1].copy())


def _product(weight: float, output: exp.Expression, dialect: str) -> exp.Expression:
    """Weight times output, in doubles."""
    if weight == 0:
        return _double(0.0)
    if weight == 1:
        return output.copy()
    product: exp.Expression = exp.Mul(this=_double(weight), expression=output.copy())
    zero = _last(weight, 0.0)
    if dialect not in _STRICT or (weight < 1 and zero == 0):
        return product
    if weight < 1:
        outside: exp.Expression = exp.LTE(this=output.copy(), expression=_double(zero))
        return exp.Case(ifs=[exp.If(this=outside, true=_double(0.0))], default=product)
    outside = exp.GT(this=output.copy(), expression=_double(_last(weight, _LARGEST)))
    return exp.Case(ifs=[exp.If(this=outside, true=_double(math.inf))], default=product)


def _last(weight: float, product: float) -> float:
    """The largest output whose product with the weight does not exceed a number, by bisection."""
    low, high = 0, _bits(_LARGEST)  # the bits of floats are ordered like the floats
    while low < high:
        middle = (low + high + 1) // 2
        if weight * _of_bits(middle) <= product:
            low = middle
        else:
            high = middle - 1
    return _of_bits(low)


def _bits(number: float) -> int:
    found: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return found


def _of_bits(bits: int) -> float:
    number: float = struct.unpack("<d", struct.pack("<q", bits))[0]
    return number


def _label(label: Any, classes: Sequence[Any], writer: _Writer) -> exp.Expression:
    """A class as a literal; all must be of one type, as the values of a column are."""
    kinds = {type(other) for other in classes}
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"classes are of several types ({names}), which no column of a database holds.")
    if isinstance(label, str):
        if "\0" in label:
            raise ValueError(f"classes: {label!r} has a NUL character, which text in SQL cannot hold.")
        return _literal(label) if label else exp.Literal.string("")
    if isinstance(label, bool):
        return exp.Boolean(this=label)
    return writer.integer(label) if isinstance(label, int) else _double(label)
