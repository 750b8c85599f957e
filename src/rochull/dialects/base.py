"""The base of all dialects of SQL: what they share, and what each has to say of itself.

An expression is a syntax tree of sqlglot, never pieces of text: a name is a quoted identifier whatever it
holds, and a literal holds nothing that any dialect could read as its end. A page that fills in numbers and
names of its own gets the text with slots, which no name and no literal can imitate.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.extras import Later
from rochull._core.keys import BITS
from rochull.conditions.rules import Action, Rule, threshold_in
from rochull.dialects.truths import valued

if TYPE_CHECKING:
    import sqlglot
    from sqlglot import exp
else:
    sqlglot, exp = Later("sqlglot", "sql"), Later("sqlglot.expressions", "sql")

_PLAIN = " _-.:,/+="
_EXACT_IN_DOUBLE = 2**53
EXACT_IN_SINGLE = 2**24
_MOST_NESTED = 8  # CASE in CASE
_SMALLEST = 2.0**-1022
CLASSIFIER = "the rule's classifier"  # what messages call a column of scores
_MARK = "\0"  # of a slot: refused in names and texts


def slot(name: str) -> exp.Var:
    """A place that is filled in later; see :meth:`Dialect.pieces`."""
    return exp.Var(this=f"{_MARK}{name}{_MARK}")


class Dialect(ABC):
    """How one database writes a decision.

    A subclass says all of the following that have no default, and :meth:`is_number`, :meth:`hash_digits` and
    :meth:`comparable`; one that leaves something out cannot be made. What else differs is overridden, and
    nothing notices where it is not: :meth:`key_text`, :meth:`as_double`, :meth:`double`, :meth:`plain_text`.

    Attributes
    ----------
    name : str
        As callers name it, in small letters.
    label : str
        As people write it.
    syntax : str or type
        The dialect of sqlglot that quotes names and knows types and functions.
    refused_in_names : tuple of str
        What no name of a column can hold, even between quotes.
    overflow_is_error : bool
        Whether a product of doubles that is too large or too small for one is, or may be, an error.
    has_long_integers : bool
        Whether an integer beyond 64 bits may be written down unchanged.
    has_truth_values : bool, default=True
        Whether what is true is a value; decisions are 1 and 0 otherwise.
    has_all_doubles : bool, default=True
        Whether there are infinite doubles, and such as are closer to 0 than 2.2e-308. Where there are none
        `is_number` and `reaching` of infinite thresholds are the dialect's own; see `tsql.py`.
    aliases : tuple of str, optional
        Other names that callers may use.

    Examples
    --------
    >>> from rochull.dialects.postgres import Postgres
    >>> class Greenplum(Postgres):
    ...     name, label = "greenplum", "Greenplum"
    >>> dialect = Greenplum()
    >>> print(dialect.text(dialect.double(0.5)))
    CAST('0.5' AS DOUBLE PRECISION)
    """

    name: str
    label: str
    syntax: Any
    refused_in_names: tuple[str, ...]
    overflow_is_error: bool
    has_long_integers: bool
    has_truth_values: bool = True
    has_all_doubles: bool = True
    aliases: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls.aliases = vars(cls).get("aliases", ())  # not those of a dialect that it derives from
        unsaid = [name for name in Dialect.__annotations__ if not hasattr(cls, name)]
        methods = sorted(Dialect.__abstractmethods__)
        unsaid += [name for name in methods if getattr(cls, name) is getattr(Dialect, name)]
        if unsaid:
            raise TypeError(
                f"the SQL dialect {cls.__name__} does not say its {', '.join(unsaid)}; "
                "rochull.dialects.base tells what each means."
            )

    # --- what every dialect says ---------------------------------------------------------------

    @abstractmethod
    def is_number(self, column: exp.Expression) -> exp.Expression:
        """Whether a column is a number: TRUE for infinity, not TRUE for NaN and NULL.

        As it is here NaN is above infinity, or equal to nothing.
        """
        if not self.has_all_doubles:
            raise TypeError(
                f"the SQL dialect {type(self).__name__} has no infinity (has_all_doubles), with which "
                "is_number as it is here compares; it must say otherwise what is a number."
            )
        return exp.LTE(this=self.unfolded(column), expression=self.unfolded(self.double(math.inf)))

    @abstractmethod
    def hash_digits(self, text: exp.Expression) -> exp.Expression:
        """The first eight hexadecimal digits of the MD5 of a text in UTF-8, ordered like their bytes.

        As it is here texts are UTF-8, and are compared by their bytes. Or the four bytes themselves:
        what is ordered like :meth:`hash_limit`.
        """
        return exp.Left(this=exp.MD5(this=text), expression=exp.Literal.number(BITS // 4))

    @abstractmethod
    def comparable(self, column: exp.Expression) -> exp.Expression:
        """A column of texts, to be equal to what :meth:`comparable_text` writes if all characters are.

        As it is here texts are compared by their characters, as collations do not that take "A" for "a" or
        "a " for "a".
        """
        return column.copy()

    # --- text ----------------------------------------------------------------------------------

    def text(self, tree: exp.Expression) -> str:
        """An expression as text."""
        tree = tree if self.has_truth_values else valued(tree)
        return tree.sql(dialect=self.syntax, unsupported_level=sqlglot.ErrorLevel.RAISE, comments=False)

    def pieces(self, tree: exp.Expression) -> list[str]:
        """An expression with slots: texts at even places, and between them the names of the slots."""
        return self.text(tree).split(_MARK)

    @property
    def quotes(self) -> tuple[str, str]:
        """The quotes before and after a name; the closing one is doubled inside it."""
        syntax = sqlglot.Dialect.get_or_raise(self.syntax)
        return str(syntax.IDENTIFIER_START), str(syntax.IDENTIFIER_END)

    # --- names and literals --------------------------------------------------------------------

    def column(self, where: Any, place: str = CLASSIFIER) -> exp.Expression:
        """A column, or a column of a table, as quoted identifiers; `place` is what messages call it."""
        quoted = [exp.to_identifier(part, quoted=True) for part in reversed(self.check_column(where, place))]
        return exp.Column(this=quoted[0], table=quoted[1] if len(quoted) > 1 else None)

    def check_column(self, where: Any, place: str = CLASSIFIER) -> tuple[str, ...]:
        """Take such a name apart, or refuse it."""
        parts = (where,) if isinstance(where, str) else where
        whole = isinstance(parts, tuple) and len(parts) in (1, 2)
        if not whole or not all(isinstance(part, str) and part and _MARK not in part for part in parts):
            raise ValueError(f"{place} must be the name of a column, or (table, column), but is {where!r}.")
        for sign in self.refused_in_names:
            if any(sign in part for part in parts):
                raise ValueError(f"{place} is {where!r}, but no name in {self.name} can hold {sign!r}.")
        return parts

    def double(self, number: float | exp.Var) -> exp.Expression:
        """A double bit for bit, infinities included; or a slot for what Python's `repr` makes of it.

        A decimal literal would be compared as a decimal, or in single precision.
        """
        if not (self.has_all_doubles or isinstance(number, exp.Var)) and not _is_ordinary(number):
            raise ValueError(
                f"{self.label} cannot hold the number {number!r}: it has no infinity, and takes what is "
                "closer to 0 than 2.2e-308 for 0."
            )
        digits = number if isinstance(number, exp.Var) else repr(number + 0.0)
        return self.as_double(self._quoted(digits))

    def as_double(self, value: exp.Expression) -> exp.Expression:
        """A value as a double."""
        return exp.Cast(this=value, to=exp.DataType.build("double"))

    def integer(self, number: int) -> exp.Expression:
        """An integer of any size."""
        if self.has_long_integers or -(2**63) < number < 2**63:
            return exp.Literal.number(number)
        return exp.Cast(this=exp.Literal.string(str(number)), to=exp.DataType.build("decimal"))

    def _quoted(self, digits: str | exp.Var) -> exp.Expression:
        """Letters and digits as text, or a slot for them."""
        if isinstance(digits, str):
            return exp.Literal.string(digits)
        syntax = sqlglot.Dialect.get_or_raise(self.syntax)
        return exp.Var(this=f"{syntax.QUOTE_START}{digits.name}{syntax.QUOTE_END}")

    def literal(self, text: str, what: str) -> exp.Expression:
        """Text; `what` is what messages call it. All ASCII signs but the plainest are given by their codes.

        Dialects, settings of one dialect, and what stands before a database (variables of Spark, templates,
        placeholders of a driver) differ in what the others mean between quotes.
        """
        text.encode()  # text that is not Unicode is refused here, as `decide` does
        if _MARK in text:
            raise ValueError(f"{what} has a NUL character, which text in SQL cannot hold.")
        parts: list[exp.Expression] = []
        plain = ""
        for character in text:
            if ord(character) < 128 and not character.isalnum() and character not in _PLAIN:
                parts += [self.plain_text(plain)] * bool(plain)
                parts.append(exp.Chr(expressions=[exp.Literal.number(ord(character))]))
                plain = ""
            else:
                plain += character
        parts += [self.plain_text(plain)] * (bool(plain) or not parts)
        whole, *rest = parts
        for part in rest:
            whole = exp.DPipe(this=whole, expression=part, safe=True)
        return whole

    def plain_text(self, text: str) -> exp.Expression:
        """Text without any sign that could end or change it."""
        return exp.Literal.string(text)

    def comparable_text(self, text: str, what: str) -> exp.Expression:
        """A text with which such a column is compared; `what` is what messages call it."""
        return self.literal(text, what)

    def unfolded(self, value: exp.Expression) -> exp.Expression:
        """One side of a comparison that NaN must not pass; the other is given to this too.

        A database that believes the smallest and the largest value which a file states of a column, and
        which are not of NaN, takes the comparison for true in all rows: its own dialect hides the value.
        """
        return value.copy()

    # --- rules ---------------------------------------------------------------------------------

    def rule(self, rule: Rule, columns: Mapping[Any, exp.Expression]) -> exp.Expression:
        """TRUE or FALSE, never NULL. A classifier's scores are in the given column, or one of its name."""

        def column_of(classifier: str | None) -> exp.Expression:
            name = classifier or ""
            return columns[name] if name in columns else self.column(name)

        found: exp.Expression = rule.to_sql(self, column_of)
        return found

    def action(self, action: Action) -> exp.Expression:
        """Write what is done with every row."""
        return exp.Boolean(this=action is Action.POSITIVE)

    def reaching(
        self, column: exp.Expression, threshold: float, lower_is_positive: bool = False
    ) -> exp.Expression:
        """Whether a score is there and at least the threshold, whatever type of number the column has.

        Where low scores are positive, at most.
        """
        return self._known(column, self.passing(column, threshold, lower_is_positive))

    def passing(
        self, column: exp.Expression, threshold: float, lower_is_positive: bool = False
    ) -> exp.Expression:
        """The same of a score that is a number.

        Integers beyond 2**53 are rounded where they meet a double, so thresholds there are written twice.
        """
        lower, level = lower_is_positive, -threshold if lower_is_positive else threshold
        sign = exp.LTE if lower else exp.GTE
        if isinstance(threshold, int) and abs(threshold) <= EXACT_IN_SINGLE:
            return sign(this=column.copy(), expression=exp.Literal.number(threshold))
        end = float(threshold_in(np.dtype(float), threshold, lower))
        if -_EXACT_IN_DOUBLE < level <= _EXACT_IN_DOUBLE or not -(2**63) <= threshold <= 2**64:
            return sign(this=column.copy(), expression=self.double(end))
        # An integer column is compared with the integer, and `above` holds for all that pass. For a
        # column of floats the integer may be rounded, but not across any float: `above` settles it,
        # as does a comparison of doubles with the last double that does not pass.
        outside = math.nextafter(end, math.inf if lower else -math.inf)
        ends = self.integer(int(outside)), self.double(outside)
        above = [(exp.LT if lower else exp.GT)(this=column.copy(), expression=end) for end in ends]
        either = exp.Paren(this=exp.Or(this=above[0], expression=above[1]))
        whole = math.floor(threshold) if lower else math.ceil(threshold)
        return exp.And(this=sign(this=column.copy(), expression=self.integer(whole)), expression=either)

    def reaching_literal(
        self, column: exp.Expression, number: exp.Expression, *, lower_is_positive: bool = False
    ) -> exp.Expression:
        """The same of a number that is written down; it may be a slot."""
        sign = exp.LTE if lower_is_positive else exp.GTE
        return self._known(column, sign(this=column.copy(), expression=number))

    def _known(self, column: exp.Expression, passed: exp.Expression) -> exp.Expression:
        """Whether a test holds, of a score that is a number."""
        known = exp.And(this=passed, expression=self.is_number(column))
        return exp.Coalesce(this=known, expressions=[exp.Boolean(this=False)])

    def steps(
        self, column: exp.Expression, begin: Sequence[float], values: Sequence[exp.Expression], *, falls: bool
    ) -> exp.Expression:
        """The value (k + 1,) of the step that a score is in, which is a number.

        `begin` (k,) says where steps 1, 2, ... begin: at least, for a map that rises, the numbers ascending;
        at most, for one that `falls`, descending. It is a tree of CASE, of which no database takes many
        inside of each other.
        """
        fan = next(fan for fan in itertools.count(2) if fan**_MOST_NESTED >= len(values))
        return self._branches(column, begin, values, falls, fan)

    def _branches(
        self, column: exp.Expression, begin: Sequence[float], values: Sequence[Any], falls: bool, fan: int
    ) -> exp.Expression:
        if len(values) == 1:
            found: exp.Expression = values[0]
            return found
        size = -(-len(values) // fan)
        *later, first = (
            (i, self._branches(column, begin[i : i + size - 1], values[i : i + size], falls, fan))
            for i in reversed(range(0, len(values), size))
        )
        ifs = [exp.If(this=self.passing(column, begin[i - 1], falls), true=branch) for i, branch in later]
        return exp.Case(ifs=ifs, default=first[1])

    def first_of(self, tests: Mapping[Action, exp.Expression]) -> exp.Expression:
        """The word of the first action whose test is TRUE, else that of the negative one."""
        ifs = [exp.If(this=test, true=self._quoted(action.word)) for action, test in tests.items()]
        return exp.Case(ifs=ifs, default=self._quoted(Action.NEGATIVE.word))

    # --- mixtures ------------------------------------------------------------------------------

    def mixture(
        self,
        key: exp.Expression,
        salt: str,
        first: exp.Expression,
        others: Sequence[tuple[exp.Expression, int | exp.Var]],
    ) -> exp.Expression:
        """One of several decisions by the hash of the key; see :func:`rochull._core.keys.cuts`."""
        ifs = [exp.If(this=self.drawn(key, salt, count), true=other) for other, count in reversed(others)]
        return exp.Case(ifs=ifs, default=first)

    def drawn(self, key: exp.Expression, salt: str, count: int | exp.Var) -> exp.Expression:
        """Whether the hash of the key is among the first `count` of all; NULL for a NULL key.

        The hash is compared as eight hexadecimal digits, which are ordered like the numbers.
        """
        text = self.key_text(key.copy())
        start = self.literal(f"{salt}:", "the policy's salt")
        salted = exp.DPipe(this=start, expression=text, safe=True)
        digits = count if isinstance(count, exp.Var) else f"{count:0{BITS // 4}x}"
        limit = self.hash_limit(digits if isinstance(digits, str) else digits.name)
        return exp.LT(this=self.hash_digits(salted), expression=limit)

    def hash_limit(self, digits: str) -> exp.Expression:
        """Write what the hash is compared with; the digits may be the text of a slot."""
        return self._quoted(exp.Var(this=digits))

    def key_text(self, key: exp.Expression) -> exp.Expression:
        """A key as text."""
        return exp.Cast(this=key, to=exp.DataType.build("text"))


def _is_ordinary(number: float) -> bool:
    """Whether a double is neither infinite nor subnormal."""
    return number == 0 or _SMALLEST <= abs(number) < math.inf
