"""The class with the largest weighted output, in SQL: the same row by row as in Python.

Outputs are cast to doubles, and multiplied by weights that are doubles bit for bit, so that the products are
those of NumPy. Where a database stops with an error as a product is too large or too small for a double, such
products are written as what they round to.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rochull._core.extras import Later
from rochull._core.messages import Advice, refused
from rochull.dialects.base import Dialect

if TYPE_CHECKING:
    from sqlglot import exp
else:
    exp = Later("sqlglot.expressions", "sql")

LARGEST = math.nextafter(math.inf, 0)


def output_of(where: Any, label: Any, dialect: Dialect) -> exp.Expression:
    """The outputs of a class as doubles."""
    return dialect.as_double(dialect.column(where, f"columns[{label!r}]"))


def where_usable(
    decided: exp.Expression, outputs: Sequence[exp.Expression], dialect: Dialect
) -> exp.Expression:
    """The decision where no output is negative, infinite or NaN, which most databases put above all else."""
    low, high = (dialect.unfolded(dialect.double(end)) for end in (0.0, LARGEST))
    usable = [
        exp.Between(this=dialect.unfolded(output), low=low.copy(), high=high.copy()) for output in outputs
    ]
    return exp.Case(ifs=[exp.If(this=exp.and_(*usable, copy=False), true=decided)])


def decision(products: Sequence[exp.Expression], classes: Sequence[Any], dialect: Dialect) -> exp.Expression:
    """The first class whose product none after it exceeds: those before it are below some later one."""
    *labels, last = [_label(label, classes, dialect) for label in classes]
    ifs = []
    for c, label in enumerate(labels):
        wins = [exp.GTE(this=products[c].copy(), expression=other.copy()) for other in products[c + 1 :]]
        ifs.append(exp.If(this=exp.and_(*wins, copy=False), true=label))
    return exp.Case(ifs=ifs, default=last)


def product(weight: float, output: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Weight times output, in doubles."""
    if weight == 0:
        return dialect.double(0.0)
    if weight == 1:
        return output.copy()
    refuse_products(dialect)
    if dialect.overflow_is_error:
        if weight > 1:
            return product_below(weight, output, last_output(weight, LARGEST), dialect)
        last = last_output(weight, 0.0)
        if last > 0:
            return product_above(weight, output, last, dialect)
    return plain_product(weight, output, dialect)


def refuse_products(dialect: Dialect) -> None:
    """Raise where a database has no doubles for products that are too large, or very small."""
    if not dialect.has_all_doubles:
        raise refused(
            "weights",
            "other than 0 and 1 are not written for {}, whose numbers hold no product that is infinite or "
            "closer to 0 than 2.2e-308; decide by {}.",
            *(dialect.label, Advice("decide_classes", "MulticlassPolicy.decide")),
        )


# In these a number may be a slot.


def plain_product(weight: float | exp.Var, output: exp.Expression, dialect: Dialect) -> exp.Expression:
    """Weight times output, which is neither too large nor too small for a double."""
    return exp.Mul(this=dialect.double(weight), expression=output.copy())


def product_above(
    weight: float | exp.Var, output: exp.Expression, last: float | exp.Var, dialect: Dialect
) -> exp.Expression:
    """The same, and 0 for outputs up to `last`."""
    outside = exp.LTE(this=output.copy(), expression=dialect.double(last))
    plain = plain_product(weight, output, dialect)
    return exp.Case(ifs=[exp.If(this=outside, true=dialect.double(0.0))], default=plain)


def product_below(
    weight: float | exp.Var, output: exp.Expression, last: float | exp.Var, dialect: Dialect
) -> exp.Expression:
    """The same, and infinity for outputs beyond `last`."""
    outside = exp.GT(this=output.copy(), expression=dialect.double(last))
    plain = plain_product(weight, output, dialect)
    return exp.Case(ifs=[exp.If(this=outside, true=dialect.double(math.inf))], default=plain)


def last_output(weight: float, product: float) -> float:
    """The largest output whose product with the weight does not exceed a number, by bisection."""
    low, high = 0, _bits(LARGEST)  # the bits of floats are ordered like the floats
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


def _label(label: Any, classes: Sequence[Any], dialect: Dialect) -> exp.Expression:
    """A class as a literal; all must be of one type, as the values of a column are."""
    kinds = {type(other) for other in classes}
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise refused("classes", "are of several types ({}), which no column of a database holds.", names)
    if isinstance(label, str):
        return dialect.literal(label, f"classes: {label!r}")
    if isinstance(label, bool):
        return exp.Boolean(this=label)
    return dialect.integer(label) if isinstance(label, int) else dialect.double(label)
