"""Imprecise conditions: which part of a hull can be optimal, and where the optimal rule changes."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from rochull._core.printable import wrapped
from rochull._core.results import Result
from rochull.conditions.base import Condition
from rochull.conditions.frontier import Choice
from rochull.conditions.question import Question
from rochull.conditions.ranges import Distribution, exact
from rochull.conditions.rules import OperatingPoint, Rule, brief
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.hull import RocHull, point_at

_FACTOR = 10  # of costs, counts and odds, each way
_CENTRAL = 0.005  # of the probability of an unbounded distribution is left out at its end
_SHOWN = 12  # lines of a table before it is cut


# --- the segment ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PotentiallyOptimal(Result, Sequence[str]):
    """The part of a hull that is optimal somewhere in the range of a condition.

    As a sequence it is the names of the classifiers there, by ascending slope; it equals the tuple
    of these names.

    Attributes
    ----------
    condition : Condition
        What was asked for.
    first, last : int
        The vertices of the hull, from `first` to `last`.
    points : tuple of OperatingPoint
        Each of these vertices, from low to high rates (in-sample).
    owners : tuple of tuple of Rule
        All rules that reach each vertex; constant rules at the corners.
    slopes : tuple of float
        Of the edges between them, descending.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.potentially_optimal(rh.ExpectedCost(cost_fn=(0.5, 4))))
    vertices 1 to 2 of the hull, slopes 1 to 1 (in-sample)
    fpr 0, tpr 0.5: a >= 4
    fpr 0.5, tpr 1: b >= 2
    """

    condition: Condition
    first: int
    last: int
    points: tuple[OperatingPoint, ...]
    owners: tuple[tuple[Rule, ...], ...]
    slopes: tuple[float, ...]

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that own a vertex of the segment, by ascending slope (tuple of str)."""
        rules = (rule for owners in reversed(self.owners) for rule in owners)
        return tuple(dict.fromkeys(name for rule in rules for name in rule.classifiers))

    @property
    def fpr(self) -> tuple[float, ...]:
        """False positive rates of the vertices (tuple of float)."""
        return tuple(point.fpr for point in self.points)

    @property
    def tpr(self) -> tuple[float, ...]:
        """True positive rates of the vertices (tuple of float)."""
        return tuple(point.tpr for point in self.points)

    def __len__(self) -> int:
        return len(self.classifiers)

    def __iter__(self) -> Iterator[str]:
        return iter(self.classifiers)

    def __contains__(self, name: object) -> bool:
        return name in self.classifiers

    def __getitem__(self, index: Any) -> Any:
        return self.classifiers[index]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PotentiallyOptimal):
            mine, theirs = ((p.condition, p.points, p.owners) for p in (self, other))
            return mine == theirs
        return self.classifiers == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.classifiers)

    def __str__(self) -> str:
        if self.first == self.last:
            head = f"vertex {self.first} of the hull (in-sample)"
        else:
            span = f"slopes {self.slopes[-1]:.4g} to {self.slopes[0]:.4g}"
            head = f"vertices {self.first} to {self.last} of the hull, {span} (in-sample)"
        return "\n".join([head, *cut([line for point in self.points for line in wrapped(brief(point))])])


def potentially_optimal(question: Question, hull: RocHull) -> PotentiallyOptimal:
    """The vertices of a hull that are needed somewhere in the range of a question."""
    first, last = question.segment(hull.frontier)
    return PotentiallyOptimal(
        question.asked, first, last,
        tuple(point_at(hull, Choice(i)) for i in range(first, last + 1)),
        tuple(tuple(hull.owners[i]) for i in range(first, last + 1)),
        tuple(hull.slopes[first:last].tolist()),
    )  # fmt: skip


def cut(lines: list[str], shown: int = _SHOWN) -> list[str]:
    """The first lines of a long list, and how many are left out."""
    if len(lines) <= shown + 1:
        return lines
    return [*lines[:shown], f"... and {len(lines) - shown} more"]


# --- where the optimal rule changes -------------------------------------------------------------------


@dataclass(frozen=True)
class Stretch:
    """Values of one parameter for which the same rules are optimal.

    Attributes
    ----------
    low, high : float
        The values from `low` to `high`.
    rules : tuple of Rule
        One, or the two that are mixed (in a proportion that depends on the value); none where the
        condition cannot be met.
    regret : tuple of float
        What is lost at `low` and at `high` by keeping the present rule (in-sample); inf where that
        breaks the limit.
    """

    low: float
    high: float
    rules: tuple[Rule, ...]
    regret: tuple[float, float]


@dataclass(frozen=True)
class ParameterSensitivity:
    """How the optimal rule depends on one parameter, with the others fixed.

    Attributes
    ----------
    name : str
        The parameter.
    value : float
        Where it stands.
    stretches : tuple of Stretch
        Side by side, by ascending value.
    """

    name: str
    value: float
    stretches: tuple[Stretch, ...]

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """The values at which the optimal rule changes (tuple of float)."""
        return tuple(stretch.low for stretch in self.stretches[1:])

    @property
    def stake(self) -> float:
        """The most that is lost within the range by keeping the present rule."""
        return max(max(stretch.regret) for stretch in self.stretches)


@dataclass(frozen=True)
class Sensitivity(Result):
    """Where the optimal rule changes as one parameter does, and what is then at stake.

    Attributes
    ----------
    condition : Condition
        What was asked about.
    base : Condition
        The precise condition from which one parameter at a time is varied: the middle of each
        interval, the median of each distribution.
    point : OperatingPoint
        The present rule: the best one at `base`.
    measure : str
        What regret is in.
    parameters : tuple of ParameterSensitivity
        One for each parameter. An interval is varied from end to end, a distribution over its
        support (without 0.5% of the probability at an infinite end); a single cost or count by a
        factor of 10 each way, and a single rate by a factor of 10 in its odds.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.sensitivity(rh.Accuracy((0.1, 0.6))))
    now fpr 0, tpr 0.5: a >= 4
    at Accuracy(prevalence=0.35); regret in expected cost per case (in-sample)
    prevalence from 0.1 to 0.6 (now 0.35)
          from            to     regret               rule
           0.1 ..        0.5          0 ..         0  a >= 4
           0.5 ..        0.6          0 ..       0.1  b >= 2
    """

    condition: Condition
    base: Condition
    point: OperatingPoint
    measure: str
    parameters: tuple[ParameterSensitivity, ...]

    def __getitem__(self, name: str) -> ParameterSensitivity:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters)
        raise KeyError(f"{name!r} is not one of {known}")

    def __str__(self) -> str:
        head = f"at {self.base.question.said}; regret in {self.measure} (in-sample)"
        lines = [*wrapped(f"now {brief(self.point)}"), *wrapped(head)]
        for found in self.parameters:
            low, high = found.stretches[0].low, found.stretches[-1].high
            lines.append(f"{found.name} from {low:.6g} to {high:.6g} (now {found.value:.6g})")
            lines.append(f"{'from':>10}    {'to':>10}  {'regret':>9}    {'':>9}  rule")
            rows = [_row(stretch) for stretch in found.stretches]
            here = next(i for i, s in enumerate(found.stretches) if found.value <= s.high)
            begin = max(0, min(here - _SHOWN // 2, len(rows) - _SHOWN))
            shown = rows[begin : begin + _SHOWN]
            if begin:
                shown.insert(0, f"  ... {begin} before")
            if begin + _SHOWN < len(rows):
                shown.append(f"  ... {len(rows) - begin - _SHOWN} after")
            lines += shown
        return "\n".join(lines)


def short_rule(rule: Rule) -> str:
    """A rule for reading: six digits of its threshold."""
    return f"{rule:.6g}"


def _row(stretch: Stretch) -> str:
    rules = " or ".join(map(short_rule, stretch.rules)) or "cannot be met"
    regret = f"{stretch.regret[0]:>9.4g} .. {stretch.regret[1]:>9.4g}"
    numbers = f"{stretch.low:>10.5g} .. {stretch.high:>10.5g}  {regret}  "
    lines = textwrap.wrap(rules, 80 - len(numbers), break_on_hyphens=False)
    return numbers + ("\n" + " " * len(numbers)).join(lines)


def sensitivity_of(question: Question, hull: RocHull) -> Sensitivity:
    """Vary each parameter of a condition on its own; see :meth:`Hybrid.sensitivity`."""
    question.refuse_confidence()
    base = question.center
    measure, names = base.objective.measure, question.span.varied()
    choice = base.best(hull.frontier)
    parameters = tuple(_vary(question, base, name, hull, choice) for name in names)
    return Sensitivity(question.asked, base.asked, point_at(hull, choice), measure, parameters)


def _vary(
    question: Question, base: Question, name: str, hull: RocHull, choice: Choice
) -> ParameterSensitivity:
    """Follow the optimum, and the present choice, as one parameter goes from end to end."""
    frontier, present = hull.frontier, choice.exact_rates(hull.frontier)
    value = cast(float, getattr(base.asked, name))
    low, high = map(exact, _range(getattr(question.asked, name), value, name in question.span.amounts))
    turns = {t for t, _ in base.span.turning_points(name, frontier) if low < t < high}
    stops = [low, *sorted(turns), high]
    found: list[tuple[Fraction, Fraction, tuple[Rule, ...]]] = []
    begin: Fraction
    for begin, end in itertools.pairwise(stops):
        rules = _optimal_rules(base.moved(name, (begin + end) / 2), hull)
        if found and found[-1][2] == rules:
            begin = found.pop()[0]
        found.append((begin, end, rules))
    lost_at = {t: base.moved(name, t).regret(*present, frontier) for part in found for t in part[:2]}
    stretches = (
        Stretch(float(begin), float(end), rules, (lost_at[begin], lost_at[end]))
        for begin, end, rules in found
    )
    return ParameterSensitivity(name, value, tuple(stretches))


def _optimal_rules(question: Question, hull: RocHull) -> tuple[Rule, ...]:
    try:
        choice = question.best(hull.frontier)
    except InfeasibleConditionError:
        return ()
    return tuple(rule for rule, _ in point_at(hull, choice).rules)


def _range(given: Any, value: float, is_amount: bool) -> tuple[Any, Any]:
    """The values over which a parameter is varied."""
    if isinstance(given, tuple):
        return given
    if isinstance(given, Distribution):
        low, high = given.support()
        return low, high if math.isfinite(high) else float(given.ppf(1 - _CENTRAL))
    number = exact(value)
    if is_amount:
        return number / _FACTOR, number * _FACTOR if number else Fraction(_FACTOR)
    if number in (0, 1):
        return (Fraction(0), Fraction(1, _FACTOR)) if number == 0 else (1 - Fraction(1, _FACTOR), Fraction(1))
    return number / (number + _FACTOR * (1 - number)), _FACTOR * number / (1 + (_FACTOR - 1) * number)
