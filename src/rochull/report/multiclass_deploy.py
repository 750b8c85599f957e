"""What a page needs to write the rule of any of its points: the policy document, and SQL.

The browser fills templates that are made here from what Python itself writes, so that it knows no dialect
and no layout, and its texts are Python's.

``policy``
    Null where a policy cannot hold the labels, and then ``why`` says so. Else ``head``, the text of the
    document of one point up to its points, and ``checksums`` (k,), one for each point. The text of point p is
    the head, ``,``, a line break, and as JSON with an indent of one a field ``points``, a list of one object
    with ``weights`` (C,) and ``confusion`` (C, C), and a field ``checksum``; then the end of the object, and
    a line break. Numbers are as Python writes them: a float has a point or an exponent, and counts have
    neither unless the examples are weighted.

``sql``
    By dialect, either ``unavailable``, which says why, or ``frame`` and ``products``. The expression is the
    frame, a list of texts and numbers, joined; a number c stands for the product of class c:

    - for weight 0 its ``zero``; for weight 1 its ``one``;
    - below 1, if ``small`` is not null and z, the largest double whose product with the weight is not above
      0, is above 0: ``small``;
    - above 1, if ``large`` is not null: ``large``, with z the largest double whose product with the weight is
      finite;
    - else ``plain``.

    The last three are lists of texts between which "weight" and "last" stand for the weight and for z, as
    Python writes floats.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rochull._core.documents import as_text
from rochull._core.version import __version__
from rochull.multiclass.points import MulticlassPoints
from rochull.multiclass.policy import MulticlassPolicy, _apart, _named

if TYPE_CHECKING:
    from sqlglot import exp

DIALECTS = ("duckdb", "spark", "postgres", "bigquery", "snowflake")

Facts = dict[str, Any]
Columns = Mapping[Any, str | tuple[str, str]] | Sequence[str | tuple[str, str]]


def deploy_facts(points: MulticlassPoints, columns: Columns | None, command: Sequence[str] | None) -> Facts:
    """Templates for the policy document and the SQL of every point."""
    about = {"rochull": __version__} | ({} if command is None else {"command": shlex.join(command)})
    try:
        policy = MulticlassPolicy.from_points(points, about=about)
    except ValueError as error:
        nothing = {dialect: {"unavailable": str(error)} for dialect in DIALECTS}
        return {"policy": None, "why": str(error), "sql": nothing}
    sql = {dialect: _sql(policy, columns, dialect) for dialect in DIALECTS}
    return {"policy": _policy(policy), "why": None, "sql": sql}


def _policy(policy: MulticlassPolicy) -> Facts:
    documents = [
        replace(policy, points=policy.points[p : p + 1]).to_dict() for p in range(len(policy.points))
    ]
    head = {name: value for name, value in documents[0].items() if name not in ("points", "checksum")}
    return {
        "head": as_text(head).removesuffix("\n}\n"),
        "checksums": [document["checksum"] for document in documents],
    }


def _sql(policy: MulticlassPolicy, columns: Columns | None, dialect: str) -> Facts:
    """The templates of one dialect."""
    given = {} if columns is None else _named(columns, policy.classes)
    places = {label: given.get(label, str(label)) for label in policy.classes}
    weights = [_sentinel(str(places), c) for c in range(len(policy.classes))]
    try:
        _apart(places)
        text = policy.to_sql(weights, dialect, columns=places)
        products = [
            _Product(place, label, dialect).forms(weight)
            for (label, place), weight in zip(places.items(), weights, strict=True)
        ]
    except ValueError as error:
        return {"unavailable": str(error)}
    found = [_filled(form, weight) for form, weight in zip(products, weights, strict=True)]
    return {"frame": _framed(text, found), "products": products}


def _framed(text: str, products: Sequence[str]) -> list[str | int]:
    """The text with the number of a product in the place of each."""
    frame: list[str | int] = [text]
    for c, product in enumerate(products):
        parts: list[str | int] = []
        for part in frame:
            if isinstance(part, int):
                parts.append(part)
                continue
            first, *rest = part.split(product)
            parts += [first, *(piece for text in rest for piece in (c, text))]
        frame = parts
    return [part for part in frame if part != ""]


def _sentinel(names: str, n: int) -> float:
    """A weight above 0.5, whose product needs no care, that no name contains; the n-th of those."""
    candidates = (0.75 + i / 2**40 for i in range(len(names) + n + 1))
    return [number for number in candidates if repr(number) not in names][n]


class _Product:
    """How a dialect writes weight times output of one class."""

    def __init__(self, place: str | tuple[str, str], label: Any, dialect: str) -> None:
        from sqlglot import exp

        from rochull.policies.sql import _column, _dialect, _Writer

        self.dialect, self.names = _dialect(dialect), str(place)
        self.writer = _Writer(self.dialect, "", {})
        column = _column(place, f"columns[{label!r}]", self.dialect)
        self.output: exp.Expression = exp.Cast(this=column, to=exp.DataType.build("double"))

    def text(self, weight: float) -> str:
        from rochull.multiclass.sql import _product

        return self.writer.text(_product(weight, self.output, self.dialect))

    def forms(self, weight: float) -> Facts:
        """What the page fills; `weight` is one whose product is plain."""
        return {
            "zero": self.text(0.0),
            "one": self.text(1.0),
            "plain": self.split(weight, None),
            "small": self.careful(-1, 0.0),
            "large": self.careful(1, None),
        }

    def careful(self, sign: int, product: float | None) -> list[str] | None:
        """What keeps a product from leaving the doubles, below it or above; null where nothing needs to."""
        from rochull.multiclass.sql import _LARGEST, _last

        for power in range(2, 1000):  # the first that no name contains
            weight = 2.0 ** (sign * power)
            last = _last(weight, _LARGEST if product is None else product)
            if repr(weight) not in self.names and repr(last) not in self.names:
                break
        return self.split(weight, last) if repr(last) in self.text(weight) else None

    def split(self, weight: float, last: float | None) -> list[str]:
        """The text, taken apart where the numbers are: texts at even places, and what stands between."""
        parts = [self.text(weight)]
        for name, number in (("last", last), ("weight", weight)):
            if number is None:
                continue
            sign = f"'{number!r}'"
            parts = [
                piece
                for i, part in enumerate(parts)
                for piece in ([part] if i % 2 else _between(part.split(sign), name))
            ]
        return parts


def _between(texts: Sequence[str], name: str) -> list[str]:
    """Texts, with the quotes that were taken away, and a name between each two."""
    found = [texts[0]]
    for text in texts[1:]:
        found[-1] += "'"
        found += [name, "'" + text]
    return found


def _filled(form: Facts, weight: float) -> str:
    return "".join(part if i % 2 == 0 else repr(weight) for i, part in enumerate(form["plain"]))
