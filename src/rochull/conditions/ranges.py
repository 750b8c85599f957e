"""Numbers that are known roughly: intervals, distributions, and the box that those of one object span.

Numbers are read as the decimals that they print as: ``prevalence=0.3`` means 3/10, so that ties
between rules come out as they do on paper.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from rochull._core.messages import Advice, Refusal, Setting, refused
from rochull._core.validation import non_negative

T = TypeVar("T")
Number = float | tuple[float, float]
ROUNDING = 2.0**-44  # what is nearer than this in log-odds ties: see `bayes`, which compares by it too
_FEW_PARTS = 2**26  # no two shares of so few parts have the same nearest double


class Quantiles(Protocol):
    """A distribution of one number, such as a frozen one of scipy.stats."""

    def ppf(self, q: Any, /) -> Any:
        """Quantiles."""
        ...

    def support(self) -> Any:
        """The ends of the support."""
        ...


Imprecise: TypeAlias = Number | Quantiles


_MINIMAX = Advice(
    "minimax",
    "(Hybrid.potentially_optimal names the classifiers of the range, and Hybrid.regret finds the rule that "
    "risks least; with minimax=True a policy decides by it.)",
)


class ImpreciseConditionError(Refusal):
    """The condition has an interval where one number is needed.

    Parameters
    ----------
    template : str or Message
        The sentence, with ``{}`` for each part.
    *parts : object
        What is put in, worded where the message is shown.
    """


class Rational(float):
    """A number that was given as a fraction or a decimal: a float that knows it, and is compared exactly."""

    ratio: Fraction

    def __new__(cls, ratio: Fraction) -> Self:
        made = super().__new__(cls, ratio)
        made.ratio = ratio
        return made

    def __getnewargs__(self) -> tuple[Fraction]:  # type: ignore[override] # of a copy
        return (self.ratio,)

    def __repr__(self) -> str:
        return repr(self.ratio)


class Proportion(Rational):
    """A share of counted things, so that what ties at it does so exactly; below 1 as a float too if it is."""

    __repr__ = float.__repr__

    def __new__(cls, ratio: Fraction) -> Self:
        found = super().__new__(cls, ratio)
        if float(found) < 1 or ratio == 1:
            return found
        made = float.__new__(cls, math.nextafter(1, 0))
        made.ratio = ratio
        return made


def as_given(value: Any, number: float) -> float:
    """A validated number; one that was given as a fraction or a decimal still knows what it was."""
    if isinstance(value, (Fraction, Decimal)):
        return Rational(Fraction(value))
    return value if isinstance(value, Rational) else number


def exact(number: float | Fraction) -> Fraction:
    """The decimal that the number prints as; a fraction, or what knows one, is what it is."""
    if isinstance(number, Rational):
        return number.ratio
    return number if isinstance(number, Fraction) else _decimal(float(number))


@lru_cache(1 << 10)
def _decimal(number: float) -> Fraction:
    """The same of a double: costs and prevalences are asked for again and again."""
    return Fraction(Decimal(repr(number)))


def farthest(limit: float | Fraction, way: int) -> tuple[Fraction, bool]:
    """The farthest from a limit that a value may be and still meet it, and whether it meets it there.

    A value meets a limit if the double nearest to it does, so that every number that a value prints as is a
    limit that it meets. Fractions and decimals are what they are.

    Parameters
    ----------
    limit : float or Fraction
    way : {1, -1}
        Where larger values do not meet it 1, else -1.
    """
    if isinstance(limit, (Fraction, Rational)):
        return exact(limit), True
    beyond = math.nextafter(limit, way * math.inf)
    if math.isinf(beyond):
        return Fraction(limit), True
    (p, q), (r, s) = limit.as_integer_ratio(), beyond.as_integer_ratio()
    half_way = Fraction(p * s + r * q, 2 * q * s)
    return half_way, float(half_way) == limit  # ties go to the even one


def largest_within(limit: float | Fraction, parts: int) -> Fraction:
    """The limit as a fraction, or one above it that meets it, such that no share that meets it is above that.

    Parameters
    ----------
    limit : float or Fraction
        The most that a share may be.
    parts : int
        The largest denominator that a share may have.
    """
    if not limit or isinstance(limit, (Fraction, Rational)):  # no share rounds to 0
        return exact(limit)
    if parts > _FEW_PARTS and exact(limit).denominator > _FEW_PARTS:  # not a number that was typed
        end, is_within = farthest(limit, 1)
        return max(exact(limit), end if is_within else end - Fraction(1, end.denominator * parts))
    nearest = Fraction(limit).limit_denominator(min(parts, _FEW_PARTS))
    return max(exact(limit), nearest) if float(nearest) == limit else exact(limit)


class Distribution:
    """A frozen distribution as a value: two of the same family and parameters are equal.

    Parameters
    ----------
    given : object
        With `ppf` and `support`, such as ``scipy.stats.lognorm(1)``.
    """

    __slots__ = ("_key", "given")

    def __init__(self, given: Any) -> None:
        self.given = given
        family, args = getattr(getattr(given, "dist", None), "name", None), getattr(given, "args", ())
        named = sorted(getattr(given, "kwds", {}).items())
        parts = [*(f"{value!r}" for value in args), *(f"{name}={value!r}" for name, value in named)]
        self._key = f"{family}({', '.join(parts)})" if isinstance(family, str) else None

    def __repr__(self) -> str:
        return self._key or repr(self.given)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return self.given is other.given or (self._key is not None and self._key == other._key)

    def __hash__(self) -> int:
        return hash(self._key or id(self.given))

    def ppf(self, q: Any) -> Any:
        """Quantiles of the distribution."""
        return self.given.ppf(q)

    def support(self) -> tuple[float, float]:
        """The ends of the support, which may be infinite."""
        low, high = self.given.support()
        return float(low), float(high)

    @property
    def median(self) -> float:
        """Half of the probability is below it."""
        return float(self.ppf(0.5))


def plane_of(limit: Any, **instead: Any) -> tuple[Any, Any, Any]:
    """The (a, b, c) of a limit's half-plane ``a tpr + b fpr <= c``, exactly; some numbers may be others."""
    names = inspect.signature(limit.half_plane).parameters
    given = {name: getattr(limit, name) for name in names} | instead
    known = {name: value if value is None else exact(value) for name, value in given.items()}
    parts = limit.half_plane(**known)
    a, b, c = (part if isinstance(part, (int, Fraction)) else exact(part) for part in parts)
    return a, b, c


def moved(numbered: Any, name: str, value: Any) -> Any:
    """The same with one number that is known to be allowed, such as an exact fraction: not checked."""
    made = object.__new__(type(numbered))
    vars(made).update(vars(numbered), **{name: value})
    vars(made).pop("question", None)  # which is made from the numbers
    return made


class Numbered:
    """Base of frozen dataclasses of numbers, any of which may be an interval `(low, high)`."""

    def with_numbers(self, **values: Any) -> Self:
        """Give the same with other numbers, which are checked.

        Parameters
        ----------
        **values : float
            By name.

        Returns
        -------
        Self
            A new one.
        """
        return replace(self, **values)  # type: ignore[type-var]

    def corners(self, *, finite: bool = False) -> tuple[Self, ...]:
        """List what is precise at the corners of the box of intervals.

        Parameters
        ----------
        finite : bool, default=False
            Leave out the corners at infinity, where the support of a distribution has no upper end.

        Returns
        -------
        tuple
            Every choice of one end for each interval, or for the support of each distribution; itself
            if it has none. A corner where no error costs anything is left out, for there all rules are alike.

        Raises
        ------
        ImpreciseConditionError
            If the support of a distribution is unbounded.
        """
        box = {name: v.support() if isinstance(v, Distribution) else v for name, v in self._range()}
        for name, (_, high) in box.items():
            if math.isinf(high) and not finite:
                raise ImpreciseConditionError(
                    "{} has no upper end, so the box has no corners there; give an interval (low, high).",
                    Setting(name, getattr(self, name)),
                )
        if not box:
            return (self,)
        ends = [[(name, end) for end in pair if math.isfinite(end)] for name, pair in box.items()]
        choices = map(dict, itertools.product(*ends))
        return tuple(self.with_numbers(**choice) for choice in choices if self._matters(choice))

    def _range(self) -> tuple[tuple[str, Any], ...]:
        """The numbers that are intervals or distributions, by name."""
        return ranges_of(vars(self))

    def _matters(self, values: dict[str, float]) -> bool:
        """Whether rules can differ with such numbers."""
        return True

    def _check(self, check: Callable[[float, str], float], *names: str, spread: bool = False) -> None:
        """Validate parameters, each a number or an interval, and store them as floats.

        With `spread` each may be a distribution too. A prevalence may be None: that of the object asked. A
        limit stays the fraction or decimal that was given.
        """

        def checked(value: Any, name: str) -> float:
            number = check(value, name)
            is_weight = name == "prevalence" or name.startswith("cost_")
            return number if is_weight and not isinstance(value, Rational) else as_given(value, number)

        for name in names:
            value = getattr(self, name)
            if value is None and name == "prevalence":
                continue
            if spread and all(callable(getattr(value, method, None)) for method in ("ppf", "support")):
                object.__setattr__(self, name, _distribution(value, name, check))
            elif isinstance(value, (tuple, list)):
                if len(value) != 2:
                    raise refused(
                        name, "must be a number or an interval (low, high), but is {}.", repr(value)
                    )
                low, high = (checked(end, name) for end in value)
                if low > high:
                    raise Refusal("{} is an interval with low > high.", Setting(name, value))
                object.__setattr__(self, name, (low, high) if low < high else low)
            else:
                object.__setattr__(self, name, checked(value, name))


def ranges_of(numbers: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Select the numbers that are intervals or distributions, by name."""
    return tuple(
        one for one in numbers.items() if isinstance(one[1], (tuple, Distribution)) and one[0][0] != "_"
    )


def middles(ranges: Iterable[tuple[str, Any]]) -> dict[str, float]:
    """The middle of every interval and the median of every distribution, by name."""
    return {
        name: value.median if isinstance(value, Distribution) else float(sum(map(exact, value)) / 2)
        for name, value in ranges
    }


def require_single(ranges: Sequence[tuple[str, Any]]) -> None:
    """Raise if there is an interval or a distribution."""
    if ranges:
        name, value = ranges[0]
        kind = "an interval" if isinstance(value, tuple) else "a distribution"
        raise ImpreciseConditionError(
            "{} is {}, so there is no single best rule; give one number. {}",
            *(Setting(name, value), kind, _MINIMAX),
        )


def _distribution(value: Any, name: str, check: Callable[[float, str], float]) -> Distribution:
    """A validated distribution: of one number, on a support within the legal range."""
    found = value if isinstance(value, Distribution) else Distribution(value)
    try:
        low, high = found.support()
        middle = found.median
    except (TypeError, ValueError):
        raise refused(name, "must be the distribution of one number, but is {}.", repr(value)) from None
    if not (low <= middle <= high and math.isfinite(middle)):
        raise refused(name, "is a distribution without a median in its support: {}.", repr(found))
    for end in (low, high):
        if end != math.inf or check is not non_negative:
            try:
                check(end, name)
            except ValueError as error:
                ends = f"{low:g}, {high:g}"
                raise refused(name, "is a distribution on [{}]: {}", ends, error) from None
    return found


def interval_in_words(value: object) -> str:
    """A number of a condition, or an interval, for reading."""
    if value is None:
        return "that of the data"
    if isinstance(value, tuple):
        return " to ".join(map(interval_in_words, value))
    if isinstance(value, Proportion):
        return f"{value:.4g} (that of the data)"
    return f"{value:.10g}" if isinstance(value, (int, float)) else str(value)
