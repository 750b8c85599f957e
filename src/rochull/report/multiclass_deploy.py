"""Templates for a page to write the rule of any of its points: the policy document, and SQL.

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
from rochull.decisions.outputs import columns_by_class, refuse_shared_columns
from rochull.dialects.registry import dialects
from rochull.multiclass.multiclass_policy import MulticlassPolicy
from rochull.multiclass.points import MulticlassPoints

if TYPE_CHECKING:
    from typing import TypeAlias

    from sqlglot import exp

    from rochull.decisions.sql import Where
    from rochull.dialects.base import Dialect

    OutputColumns: TypeAlias = Mapping[Any, Where] | Sequence[Where]

Facts = dict[str, Any]


def deploy_facts(
    points: MulticlassPoints,
    columns: OutputColumns | None,
    command: Sequence[str] | None,
    about: Mapping[str, str] | None = None,
) -> Facts:
    """Templates for the policy document, with `about` and the command, and the SQL of every point."""
    made = {} if command is None else {"command": shlex.join(command)}
    origin = {"rochull": __version__, **(about or {}), **made}
    try:
        policy = MulticlassPolicy.from_points(points, about=origin)
    except ValueError as error:
        nothing = {name: {"unavailable": str(error)} for name in dialects()}
        return {"policy": None, "why": str(error), "sql": nothing}
    given = {} if columns is None else columns_by_class(columns, policy.classes)
    places = {label: given.get(label, str(label)) for label in policy.classes}
    sql = {name: _sql(places, dialect) for name, dialect in dialects().items()}
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


def _sql(places: Mapping[Any, Where], dialect: Dialect) -> Facts:
    """The templates of one dialect."""
    from rochull.decisions import products
    from rochull.dialects.base import slot

    try:
        refuse_shared_columns(places)
        outputs = [products.output_of(place, label, dialect) for label, place in places.items()]
        decided = products.decision([slot(str(c)) for c in range(len(outputs))], [*places], dialect)
        products.refuse_products(dialect)
    except ValueError as error:
        return {"unavailable": str(error)}
    pieces = dialect.pieces(products.where_usable(decided, outputs, dialect))
    frame = [int(piece) if i % 2 else piece for i, piece in enumerate(pieces) if piece]
    return {"frame": frame, "products": [_products(output, dialect) for output in outputs]}


def _products(output: exp.Expression, dialect: Dialect) -> Facts:
    """How weight times output of one class is written."""
    from rochull.decisions import products
    from rochull.dialects.base import slot

    weight, last = slot("weight"), slot("last")
    guarded: list[exp.Expression] | list[None] = [None, None]
    if dialect.overflow_is_error:
        guarded = [
            guard(weight, output, last, dialect) for guard in (products.product_above, products.product_below)
        ]
    small, large = (form and dialect.pieces(form) for form in guarded)
    return {
        "zero": dialect.text(products.product(0.0, output, dialect)),
        "one": dialect.text(products.product(1.0, output, dialect)),
        "plain": dialect.pieces(products.plain_product(weight, output, dialect)),
        "small": small,
        "large": large,
    }
