"""How limits are written: ``measure <= limit``, for two classes and for several."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NoReturn

from rochull._core import validation
from rochull._core.messages import refused
from rochull.conditions.ranges import as_given, farthest


class Comparable:
    """Base of measures: ``measure <= limit`` and ``measure >= limit`` are limits.

    Attributes
    ----------
    is_share : bool
        Whether the values are shares, from 0 to 1, so that other limits are mistakes.
    comparison : type
        What a limit on it is.
    """

    is_share: ClassVar[bool] = False
    comparison: ClassVar[type[Comparison]]

    def __le__(self, limit: float) -> Any:
        return self._compared("<=", limit)

    def __ge__(self, limit: float) -> Any:
        return self._compared(">=", limit)

    def _compared(self, side: str, limit: float) -> Any:
        return self.comparison(self, side, as_given(limit, validation.real(limit, f"the limit of {self}")))

    def compared(self, side: str, limit: str) -> str:
        """Name a limit on it.

        Parameters
        ----------
        side : {"<=", ">="}
            On which side of the limit it must stay.
        limit : str
            The limit.

        Returns
        -------
        str
            Such as "Recall() >= 0.6".
        """
        return f"{self} {side} {limit}"

    def __lt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} <= {limit!r}.")

    def __gt__(self, limit: float) -> NoReturn:
        raise TypeError(f"a limit includes its end: write {self} >= {limit!r}.")


@dataclass(frozen=True, repr=False)
class Comparison:
    """A limit on a measure.

    Attributes
    ----------
    measure : Comparable
        What is limited.
    side : {"<=", ">="}
        On which side of the limit it must stay; the limit itself is allowed.
    limit : float
        The limit; of a share from 0 to 1. A value meets it if the double nearest to the value does; one that
        was given as a Fraction or a Decimal is compared with the value itself.

    Raises
    ------
    ValueError
        If a share is limited by a number that is not from 0 to 1, such as 40 for 40 %.
    """

    measure: Any
    side: str
    limit: float

    def __post_init__(self) -> None:
        if isinstance(self.limit, tuple):  # of a condition with a range, which was checked there
            return
        if self.measure.is_share and not 0 <= self.limit <= 1:
            raise ValueError(
                f"the limit of {self.measure} must be from 0 to 1, but is {self.limit:g}; limits are shares: "
                "0.4 is 40 %."
            )

    def meets(self, value: Fraction) -> bool:
        """Tell whether a value is within it.

        Parameters
        ----------
        value : Fraction
            Of the measure, exactly.

        Returns
        -------
        bool
            As the double nearest to it is, unless the limit is a fraction or a decimal.
        """
        way = 1 if self.side == "<=" else -1
        end, is_within = farthest(self.limit, way)
        return way * value < way * end or (is_within and value == end)

    def __str__(self) -> str:
        return str(self.measure.compared(self.side, _told(self.limit, "g")))

    def __repr__(self) -> str:
        return str(self.measure.compared(self.side, _told(self.limit, "")))

    def __bool__(self) -> NoReturn:
        # Python reads a <= measure <= b as (a <= measure) and (measure <= b), and would drop the first.
        raise TypeError(f"the limit {self} has no truth value; write two limits instead of a chain or 'and'.")


def _told(limit: Any, form: str) -> str:
    """A limit as text, or the ends of its interval."""
    if isinstance(limit, tuple):
        return f"({', '.join(_told(end, form) for end in limit)})"
    return f"{float(limit):{form}}"


def as_limits(subject_to: Any, kinds: type | tuple[type, ...], example: str) -> tuple[Any, ...]:
    """Limits as a tuple; one may stand by itself.

    Parameters
    ----------
    subject_to : limit or iterable of limits
    kinds : types of which each must be one.
    example : str
        For the message.
    """
    given = (subject_to,) if isinstance(subject_to, kinds) else subject_to
    limits = tuple(given) if hasattr(given, "__iter__") else (given,)
    for limit in limits:
        if not isinstance(limit, kinds):
            raise refused("subject_to", "must hold limits such as {}, but holds {}.", example, repr(limit))
    return limits
