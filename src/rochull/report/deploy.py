"""Parts of a report for deployment: the policy document, and SQL that a browser can put together.

The facts are a dict with these keys.

``policy``
    The policy document as text, to be saved unchanged: what ``hybrid.policy(...).to_json()`` gives, with the
    best single rule of the report's condition among its ``singles`` if a curve of its classifier is known.
    (Written anew by another program it may be refused: its checksum tells 1 from 1.0, and JavaScript does
    not.)
``sql``
    For each dialect the pieces of the text that :meth:`rochull.Policy.to_sql` writes at a point of the union
    hull.

The pieces of a dialect are:

``label``
    The dialect as people write it.
``never``, ``always``
    The whole text of these rules.
``classifiers``
    By name, for all that own a vertex of the union hull or one of the ``singles``: a text ``unavailable``,
    why the dialect has no column of that name; else ``float``, ``integer`` (only if its scores are integers)
    and ``exact`` (only if there is one). The first two are what stands before and after the threshold. The
    text of a threshold rule of vertex v is

    1. ``exact[v]`` (v as a string; of point k of the ``singles`` "single:k") if there is one;
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

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rochull.dialects.base import Dialect
    from rochull.hybrid.hybrid import Hybrid

Facts = dict[str, Any]
Rules = dict[str, dict[str, Rule]]
_LONG = 2**53  # beyond it, thresholds are written in more than one way
_NAME = "the_name_of_a_column"
_SMALL = 2.0**-1022  # below it, some dialects have no numbers


def deploy_facts(
    hybrid: Hybrid,
    single_rules: list[Rule],
    about: Mapping[str, str] | None = None,
    singles: Sequence[OperatingPoint] = (),
) -> Facts:
    """Make the policy document, with `about` and `singles`, and the pieces of SQL of all rules."""
    from rochull.dialects.registry import dialects

    policy, rules = _policy(hybrid, about, singles), _by_classifier(hybrid, single_rules)
    sql = {name: _pieces(rules, policy.salt, dialect) for name, dialect in dialects().items()}
    return {"policy": policy.to_json(), "sql": sql}


def _policy(hybrid: Hybrid, about: Mapping[str, str] | None, singles: Sequence[OperatingPoint]) -> Any:
    """The policy with single rules, as far as it can hold them: not those of a classifier without a curve.

    Of the others it holds none, so that a page stays small.
    """
    try:
        return hybrid.policy(about=about, singles=singles, most=0)
    except ValueError:
        return hybrid.policy(about=about, most=0)


def single_of(facts: Facts) -> list[OperatingPoint]:
    """The best single rule of a report, if it has a condition and there is one."""
    if facts["robust"] is not None:
        found = facts["robust"]["rows"][1]
    else:
        found = facts["deterministic"] or {"rules": None}
    if not found["rules"]:
        return []
    rules = tuple((Rule.from_dict(part["rule"]), part["probability"]) for part in found["rules"])
    return [OperatingPoint(found["fpr"], found["tpr"], rules)]


def _by_classifier(hybrid: Hybrid, singles: list[Rule]) -> Rules:
    """The rules of every classifier that the page can name, each by what the page calls its point."""
    found: Rules = {name: {} for name in hybrid.hull.classifiers}
    vertices = ((str(v), rule) for v, rules in enumerate(hybrid.hull.owners) for rule in rules)
    for key, rule in (*vertices, *((f"single:{k}", rule) for k, rule in enumerate(singles))):
        for name in rule.classifiers:
            found.setdefault(name, {})[key] = rule
    return found


def _pieces(rules: Rules, salt: str, dialect: Dialect) -> Facts:
    """The pieces of a dialect: sqlglot, which takes long to load, is asked for what is not kept."""
    kept = {} if salt else _kept().get(dialect.name, {})
    texts = kept or texts_around(dialect, salt)
    return {
        "label": dialect.label,
        **{str(rule): texts[str(rule)] for rule in (NEVER, ALWAYS)},
        "classifiers": {name: _classifier(own, dialect, name, texts) for name, own in rules.items()},
        "mixture": texts["mixture"],
        "key": _key(dialect, texts["quotes"]),
    }


@cache
def _kept() -> dict[str, Facts]:
    """Read what :func:`texts_around` gives for our own dialects, as scripts/write_sql.py kept it."""
    text = files("rochull.report").joinpath("templates", "sql.json").read_text(encoding="utf-8")
    found: dict[str, Facts] = json.loads(text)
    return found


def texts_around(dialect: Dialect, salt: str = "") -> Facts:
    """Write the texts of a dialect, without what rules and names differ in; `salt` is the policy's.

    A number has texts where high scores are positive, and where low ones are: before and after a threshold,
    each cut where the column's name stands.
    """
    from rochull.dialects.base import slot

    column, number = dialect.column(_NAME), slot("threshold")

    def around(literal: Any) -> list[list[list[str]]]:
        trees = (dialect.reaching_literal(column, literal, lower_is_positive=low) for low in (False, True))
        return [[text.split(_NAME) for text in dialect.pieces(tree)[::2]] for tree in trees]

    return {
        **{str(rule): dialect.text(dialect.rule(rule, {})) for rule in (NEVER, ALWAYS)},
        "float": around(dialect.double(number)),
        "integer": around(number),
        "mixture": _mixture(dialect, salt),
        "quotes": list(dialect.quotes),
    }


def _classifier(own: Mapping[str, Rule], dialect: Dialect, name: str, texts: Facts) -> Facts:
    """Collect the SQL around one classifier's thresholds, and the rules that do not fit in there."""
    try:
        dialect.check_column(name)
        exact = {at: dialect.text(dialect.rule(rule, {})) for at, rule in own.items() if _is_exact(rule)}
    except ValueError as error:
        return {"unavailable": str(error)}
    closing, lower = texts["quotes"][1], any(rule.lower_is_positive for rule in own.values())
    kinds = ["float"] + ["integer"] * any(isinstance(rule.threshold, int) for rule in own.values())
    escaped = name.replace(closing, 2 * closing)
    if not name.isprintable():  # some dialects have escapes of their own
        begin, end = map(len, texts["quotes"])
        escaped = dialect.text(dialect.column(name))[begin:-end]
    found: Facts = {kind: [escaped.join(parts) for parts in texts[kind][lower]] for kind in kinds}
    return found | ({"exact": exact} if exact else {})


def _is_exact(rule: Rule) -> bool:
    """Whether a threshold does not fit in where others do."""
    return abs(rule.level) >= _LONG or 0 < abs(rule.level) < _SMALL


def _mixture(dialect: Dialect, salt: str) -> Facts:
    """The text around what differs between mixtures of two rules."""
    from rochull.dialects.base import slot

    other = slot("other"), slot("count")
    pieces = dialect.pieces(dialect.mixture(slot("key"), salt, slot("first"), [other]))
    return {"parts": pieces[::2], "slots": pieces[1::2]}


def _key(dialect: Dialect, quotes: Sequence[str]) -> Facts:
    """How the dialect quotes a name."""
    opening, closing = quotes
    refused = list(dict.fromkeys(["\0", *dialect.refused_in_names]))
    return {"open": opening, "close": closing, "escaped": 2 * closing, "refused": refused}
