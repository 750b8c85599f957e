"""A calibrator's map as one expression of SQL, row by row what it says in Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull._core.extras import Later
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.validation import Array
from rochull.calibration.map_values import posterior_of_ratio
from rochull.calibration.score_maps import LINE, LOWER_TAIL, UPPER_TAIL, ScoreMap
from rochull.conditions import bayes
from rochull.dialects.base import Dialect
from rochull.dialects.registry import dialect_of

if TYPE_CHECKING:
    from sqlglot import exp

    Whens = list[tuple[exp.Expression, float]]
else:
    exp = Later("sqlglot.expressions", "sql")

_MOST_PIECES = 10_000
_TINY, _HUGE = 2.0**-400, 2.0**400  # nearer to 0, or farther, products of doubles may be errors
_FACTORS = 2.0**-200, 2.0**200
_NEAR_0, _NEAR_1 = -708.39, 36.7  # log-odds beyond which there is one probability in float64
_FAR = 800.0  # log-odds beyond both


@dataclass(frozen=True)
class MapSql:
    """A writer of one calibrator's map in one dialect.

    Attributes
    ----------
    dialect : whose SQL.
    as_ratio : whether log-likelihood-ratios are asked for, or posteriors.
    prevalence : at which posteriors are to hold; None stands for that of training.
    training : the prevalence of training.
    unit : what log-likelihood-ratios are divided by.
    bounds : to which they are clipped.
    falls : whether low scores are positive.
    """

    dialect: Dialect
    as_ratio: bool
    prevalence: float | None
    training: float
    unit: float
    bounds: tuple[float, float]
    falls: bool

    @classmethod
    def of(cls, dialect: str, what: str, prevalence: float | None, *fitted: Any) -> MapSql:
        if what not in ("posterior", "llr"):
            raise refused("what", 'must be "posterior" or "llr", but is {}.', repr(what))
        if what == "llr" and prevalence is not None:
            raise Refusal("{}: log-likelihood-ratios do not depend on it.", Parameter("prevalence"))
        return cls(dialect_of(dialect), what == "llr", prevalence, *fitted)

    def written(
        self, columns: Sequence[Any], tree: Callable[[MapSql, Sequence[exp.Expression]], exp.Expression]
    ) -> str:
        """Write what a function makes of the columns, and NULL where a score is not a number."""
        places = [self.dialect.column(where, "column") for where in columns]
        return self.dialect.text(self.where_known(places, tree(self, places)))

    # --- parts ---------------------------------------------------------------------------------

    def where_known(self, parts: Sequence[exp.Expression], value: exp.Expression) -> exp.Expression:
        """The value where all parts are numbers; NULL elsewhere."""
        known = exp.and_(*(self.dialect.is_number(part) for part in parts), copy=False)
        return exp.Case(ifs=[exp.If(this=known, true=value)])

    def scores(self, column: exp.Expression) -> exp.Expression:
        """A column as doubles, of which high ones are positive."""
        double = self.dialect.as_double(column.copy())
        return exp.Neg(this=double) if self.falls else double

    def number(self, value: float) -> exp.Expression:
        """A double; the farthest there is for infinity, where a database has none."""
        if math.isinf(value) and not self.dialect.has_all_doubles:
            value = math.copysign(np.finfo(float).max, value)
        return self.dialect.double(float(value))

    def sum(self, *parts: exp.Expression) -> exp.Expression:
        first, *others = parts
        for part in others:
            first = exp.Add(this=first, expression=part)
        return exp.Paren(this=first)

    def difference(self, one: exp.Expression, other: exp.Expression) -> exp.Expression:
        return exp.Paren(this=exp.Sub(this=one, expression=other))

    def product(self, factor: float, value: exp.Expression) -> exp.Expression:
        return self.times(self.number(factor), value)

    def times(self, one: exp.Expression, other: exp.Expression) -> exp.Expression:
        return exp.Mul(this=one, expression=exp.Paren(this=other))

    def quotient(self, one: exp.Expression, other: exp.Expression) -> exp.Expression:
        return exp.Div(this=one, expression=exp.Paren(this=other))

    def at_least(self, value: exp.Expression, end: float) -> exp.Expression:
        return exp.GTE(this=value.copy(), expression=self.number(end))

    def at_most(self, value: exp.Expression, end: float) -> exp.Expression:
        return exp.LTE(this=value.copy(), expression=self.number(end))

    def case(self, whens: Whens, rest: exp.Expression) -> exp.Expression:
        """The number of the first test that holds, else the rest."""
        ifs = [exp.If(this=test, true=self.number(value)) for test, value in whens]
        return exp.Paren(this=exp.Case(ifs=ifs, default=rest)) if ifs else rest

    def clipped(self, value: exp.Expression, low: float, high: float) -> exp.Expression:
        """A value that does not leave an interval."""
        return self.case([(self.at_most(value, low), low), (self.at_least(value, high), high)], value)

    # --- smooth maps ---------------------------------------------------------------------------

    def line(self, slope: float, x: exp.Expression, constant: float) -> exp.Expression:
        """Return slope times x, plus a constant."""
        if slope == 0:
            return self.number(constant)
        tree = self.sum(self.product(slope, x.copy()), self.number(constant))
        return self.tamed(x, tree, [slope], lambda value: slope * value + constant)

    def tamed(
        self, x: exp.Expression, tree: exp.Expression, factors: Sequence[float], at: Callable[[float], float]
    ) -> exp.Expression:
        """A polynomial of x with such factors; its own values where a database would stop at a product."""
        if not self.dialect.overflow_is_error:
            return tree
        least, most = _FACTORS
        if any(factor and not least <= abs(factor) <= most for factor in factors):
            raise ValueError(
                "the calibrator has a factor that is too large or too small for the products of "
                f"{self.dialect.label}; scale the scores."
            )
        whens: Whens = [(exp.And(this=self.at_least(x, -_TINY), expression=self.at_most(x, _TINY)), at(0.0))]
        for end in (math.inf, _HUGE) if self.dialect.has_all_doubles else (_HUGE,):
            whens += [(self.at_least(x, end), at(end)), (self.at_most(x, -end), at(-end))]
        return self.case(whens, tree)

    def logs(self, p: exp.Expression, least: float) -> tuple[exp.Expression, exp.Expression]:
        """The logarithms of a probability, not nearer than so to 0 and 1, and of what it lacks of 1."""
        p = self.clipped(p, least, 1 - least)
        return exp.Ln(this=p.copy()), exp.Ln(this=self.difference(self.number(1.0), p.copy()))

    def log_sum(self, constant: float, factor: float, z: exp.Expression) -> exp.Expression:
        """The logarithm of a constant plus a factor times e^z, of numbers that are not both 0."""
        if not factor:
            return self.number(math.log(constant))
        moved = self.sum(z, self.number(math.log(factor)))
        if not constant:
            return moved
        end = math.log(constant)
        away = self.difference(moved.copy(), self.number(end))
        more = exp.Ln(this=self.sum(self.number(1.0), exp.Exp(this=away)))
        above = exp.If(this=self.at_least(moved, end + _NEAR_1 + 4), true=moved.copy())
        below = exp.If(this=self.at_most(moved, end - _NEAR_1 - 4), true=self.number(end))
        return exp.Paren(this=exp.Case(ifs=[above, below], default=self.sum(self.number(end), more)))

    def where_between(
        self, x: exp.Expression, low: float, high: float, value: exp.Expression
    ) -> exp.Expression:
        """The value where x is in an interval; NULL elsewhere."""
        inside = exp.And(this=self.at_least(x, low), expression=self.at_most(x, high))
        return exp.Case(ifs=[exp.If(this=inside, true=value)])

    def of_ratio(self, ratio: exp.Expression) -> exp.Expression:
        """The value that is asked for, of log-likelihood-ratios that no bound has clipped."""
        low, high = self.bounds
        if self.as_ratio:
            ends = [(self.at_least(ratio, high), high / self.unit)] * (high < math.inf)
            ends += [(self.at_most(ratio, low), low / self.unit)] * (low > -math.inf)
            value = ratio if self.unit == 1 else self.quotient(ratio, self.number(self.unit))
            return self.case(ends, value)
        prevalence = self.training if self.prevalence is None else self.prevalence
        odds = bayes.prior_log_odds(prevalence)
        whens: Whens = []
        for test, end, near, far in (
            (self.at_least, high, _NEAR_1 - odds, _FAR - odds),
            (self.at_most, low, _NEAR_0 - odds, -_FAR - odds),
        ):
            if math.isfinite(end) or self.dialect.has_all_doubles:
                whens.append((test(ratio, end), float(posterior_of_ratio(np.array([end]), prevalence)[0])))
            if abs(end + odds) > abs(near + odds):
                whens.append((test(ratio, near), float(posterior_of_ratio(np.array([far]), prevalence)[0])))
        less = exp.Exp(this=exp.Neg(this=self.sum(ratio.copy(), self.number(odds))))
        return self.case(whens, self.quotient(self.number(1.0), self.sum(self.number(1.0), less)))

    # --- pieces --------------------------------------------------------------------------------

    def of_pieces(self, made: ScoreMap, column: exp.Expression) -> exp.Expression:
        """Write the pieces of a map: bit for bit where they are constant."""
        if made.lower.size > _MOST_PIECES:
            raise ValueError(
                f"the calibrator has {made.lower.size:,} pieces, and SQL is written of {_MOST_PIECES:,} at "
                "most; write a table by rochull calibrate --apply, or fit it without strict."
            )
        begin = [_begin(*cut) for cut in zip(made.edge.tolist(), made.after.tolist(), strict=True)]
        table, odds = made.readings(self.as_ratio, self.prevalence)
        table = table / self.unit if self.as_ratio else table
        x, ends = self.scores(column), zip(made.lower.tolist(), made.upper.tolist(), strict=True)
        values = [
            self.number(table[a]) if a == b else self._rising(_Piece(made, p, table), x, odds)
            for p, (a, b) in enumerate(ends)
        ]
        edges = [-edge if self.falls else edge for edge in begin]
        return self.dialect.steps(column, edges, values, falls=self.falls)

    def _rising(self, piece: _Piece, x: exp.Expression, odds: float) -> exp.Expression:
        """Write a piece that rises, by the operations of the kernel `line_values`."""
        one, (passed, rest) = self.number(1.0), self._along(piece, x)
        (share, more), (against, less) = piece.share, piece.against
        for_it = self.sum(self.number(share), self.product(more - share, passed))
        against_it = self.sum(self.number(less), self.product(against - less, rest))
        if self.as_ratio:
            value: exp.Expression = exp.Ln(this=self.quotient(for_it, against_it))
            value = value if self.unit == 1 else self.quotient(value, self.number(self.unit))
        else:
            against_it = self.quotient(against_it, self.product(odds, for_it))
            value = self.quotient(one, self.sum(one.copy(), against_it))
        value = self.clipped(value, *piece.values) if piece.is_clipped else value
        guarded = self.dialect.overflow_is_error
        return self.case(
            [
                ((self.at_least if upper else self.at_most)(x, end), piece.values[upper])
                for end, upper in piece.ends(guarded)
            ],
            value,
        )

    def _along(self, piece: _Piece, x: exp.Expression) -> tuple[exp.Expression, exp.Expression]:
        """How far along a piece x is, from 0 to 1, and what is left."""
        wide = self.number(piece.width)
        ahead = self.quotient(self.difference(x.copy(), self.number(piece.left)), wide)
        to_go = self.quotient(self.difference(self.number(piece.right), x.copy()), wide.copy())
        if piece.shape == LINE:
            return ahead, to_go
        one = self.number(1.0)
        bend = self.quotient(one, self.sum(one.copy(), ahead if piece.shape == UPPER_TAIL else to_go))
        other = self.difference(one.copy(), bend.copy())
        return (other, bend) if piece.shape == UPPER_TAIL else (bend, other)


class _Piece:
    """One piece of a map, which rises; pairs are of its lower and its upper end."""

    def __init__(self, made: ScoreMap, p: int, table: Array) -> None:
        ends = [int(made.lower[p]), int(made.upper[p])]
        lines, levels = made.lines, made.levels
        self.shape, self.width = int(made.shape[p]), float(made.width[p])
        self.left, self.right = float(made.left[p]), float(made.right[p])
        self.share, self.against = lines.share[ends].tolist(), lines.rest[ends].tolist()
        self.values = table[ends].tolist()
        self.is_clipped = bool((lines.share[ends] != levels.share[ends]).any())

    def ends(self, guarded: bool) -> Iterator[tuple[float, bool]]:
        """Scores from which, down or up, it has the value of its lower or upper end."""
        near, far = _TINY * self.width * guarded, _HUGE * self.width
        if self.shape != LOWER_TAIL:
            yield self.left + near, False
        elif guarded:
            yield self.right - far, False
        if guarded:
            yield (self.left + far if self.shape == UPPER_TAIL else self.right - near), True


def _begin(edge: Any, after: bool) -> Any:
    """The least score that reaches an edge, or passes it."""
    if not after:
        return edge
    return edge + 1 if abs(edge) > 2**53 and isinstance(edge, int) else math.nextafter(edge, math.inf)
