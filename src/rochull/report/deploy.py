"""What a report hands over for use: the policy document, and SQL that a browser can put together.

The facts are a dict with these keys.

``policy``
    The policy document as text, to be saved as it is: what ``hybrid.policy(about=...).to_json()`` gives.
    (Written anew by another program it may be refused: its checksum tells 1 from 1.0, and JavaScript does
    not.)
``sql``
    For each dialect the pieces of the text that :meth:`rochull.Policy.to_sql` writes at a point of the union
    hull.

The pieces of a dialect are:

``never``, ``always``
    The whole text of these rules.
``classifiers``
    By name, for all that own a vertex of the union hull: a text ``unavailable``, why the dialect has no
    column of that name; else ``float``, ``integer`` (only if its scores are integers) and ``exact`` (only if
    there is one). The first two are what stands before and after the threshold. The text of a threshold rule
    of vertex v is

    1. ``exact[v]`` (v as a string) if there is one;
    2. ``integer[0] + threshold + integer[1]`` if the classifier's scores are integers, and the threshold lies
       between -2**24 and 2**24, ends included;
    3. else ``float[0] + repr(float(threshold)) + float[1]``, with Python's ``repr`` ("inf" and "-inf" as they
       are, and "0.0" for minus zero).
``mixture``
    ``parts``, five texts, and ``slots``, what stands between them. Two rules, the first of the lower false
    positive rate, and the ``share`` (a double) of the second: ``count`` is ``ceil(share * 2**32)``. If it is
    0, the text is that of the first rule; if it is 2**32, that of the second. Else the slots are the quoted
    "key", the "count" in hexadecimal as eight lower-case digits, the text of the second rule ("other"), and
    that of the first ("first").
``key``
    How a column that identifies a case is quoted: ``open``, the name in which each ``close`` is written as
    ``escaped``, then ``close``. The name must not be empty, nor hold any of the texts ``refused``.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from rochull.conditions.rules import Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from rochull.hybrid.hybrid import Hybrid
    from rochull.policies.sql import _Writer

Facts = dict[str, Any]
DIALECTS = ("duckdb", "spark", "postgres", "bigquery", "snowflake")
SLOTS = ("key", "count", "other", "first")
_HASH = 0x9E3779B9  # any number of eight digits that no dialect writes by itself
_LONG = 2**53  # beyond it, thresholds are written in more than one way


def deploy_facts(hybrid: Hybrid, about: Mapping[str, str] | None = None) -> Facts:
    """Make the policy document, and the pieces of SQL.

    Parameters
    ----------
    hybrid : Hybrid
        With at least one classifier.
    about : mapping of str to str, optional
        What the policy says of its origin.

    Returns
    -------
    dict
        The schema is this module's documentation.
    """
    policy = hybrid.policy(about=about).to_json()
    return {"policy": policy, "sql": {name: _dialect(hybrid, name) for name in DIALECTS}}


def _dialect(hybrid: Hybrid, dialect: str) -> Facts:
    from rochull.policies.sql import _Writer

    writer = _Writer(dialect, hybrid.policy().salt, {})
    return {
        "never": writer.text(writer.rule(Rule("never"))),
        "always": writer.text(writer.rule(Rule("always"))),
        "classifiers": {name: _classifier(hybrid, writer, name) for name in hybrid.hull.classifiers},
        "mixture": _mixture(writer),
        "key": _key(writer),
    }


def _classifier(hybrid: Hybrid, writer: _Writer, name: str) -> Facts:
    """What stands around the thresholds of one classifier, and the rules that do not fit in there."""

    def text(threshold: float) -> str:
        return writer.text(writer.rule(Rule("threshold", name, threshold)))

    try:
        found: Facts = {"float": _around(text, (k + 0.5 for k in count()))}
    except ValueError as error:  # no such name in this dialect
        return {"unavailable": str(error)}
    owned = ((v, rule) for v, rules in enumerate(hybrid.hull.owners) for rule in rules)
    thresholds = {v: rule.threshold or 0 for v, rule in owned if rule.classifier == name}
    if any(isinstance(threshold, int) for threshold in thresholds.values()):
        found["integer"] = _around(text, count())
    long = {str(v): text(threshold) for v, threshold in thresholds.items() if abs(threshold) >= _LONG}
    return found | ({"exact": long} if long else {})


def _around(text: Callable[[float], str], numbers: Iterator[float]) -> list[str]:
    """The text before and after a number, told by the first one that stands in it once."""
    return next(parts for number in numbers if len(parts := text(number).split(repr(number))) == 2)


def _mixture(writer: _Writer) -> Facts:
    """The text around what differs between mixtures of two rules."""
    from rochull.policies.sql import _column

    names = {slot: _column(f"<{slot}>", slot, writer.dialect) for slot in SLOTS if slot != "count"}
    rest = writer.text(writer.mixture(names["key"], names["first"], [(names["other"], _HASH)]))
    texts = {slot: writer.text(column) for slot, column in names.items()} | {"count": f"{_HASH:08x}"}
    slots, parts = sorted(SLOTS, key=lambda slot: rest.index(texts[slot])), []
    for slot in slots:
        part, rest = rest.split(texts[slot])
        parts.append(part)
    return {"parts": [*parts, rest], "slots": slots}


def _key(writer: _Writer) -> Facts:
    """How the dialect quotes a name; where it cannot hold the closing quote, this is refused."""
    from rochull.policies.sql import _NOT_IN_NAMES, _column

    refused = list(dict.fromkeys(["\0", *_NOT_IN_NAMES.get(writer.dialect, ())]))
    opening, closing = writer.text(_column("key", "key", writer.dialect)).split("key")
    escaped = closing
    if closing not in refused:
        twice = writer.text(_column(closing, "key", writer.dialect))
        escaped = twice.removeprefix(opening).removesuffix(closing)
    return {"open": opening, "close": closing, "escaped": escaped, "refused": refused}
