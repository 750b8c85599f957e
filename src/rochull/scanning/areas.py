"""The area under a raw curve whose order is not known everywhere: an estimate between certified bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from rochull._core.results import Result


@dataclass(frozen=True)
class AreaBound(Result):
    """The area under a raw ROC curve, as far as two passes tell it.

    Inside of the buckets that were not collected the order of the rows is not known. The area is least
    where the negatives come first in each, and greatest where the positives do.

    Attributes
    ----------
    estimate : float
        With every such bucket as one tie; the area itself if it is exact.
    low, high : float
        The area of the rows is not below, and not above: the bounds are rounded outwards.
    exact : bool
        Whether the order of all rows counts. All three numbers are then the area, correctly rounded.

    Examples
    --------
    >>> import rochull as rh
    >>> found = rh.scan({"y": [0, 0, 1, 1], "a": [0.1, 0.4, 0.35, 0.8]}, label="y", scores=["a"]).auc()["a"]
    >>> float(found), found.exact
    (0.75, True)
    >>> print(found)
    0.75
    """

    estimate: float
    low: float
    high: float
    exact: bool

    @classmethod
    def of(cls, twice: tuple[int, int, int], n_pos: int, n_neg: int) -> AreaBound:
        """Round twice an area in units: at least, with ties, at most.

        Parameters
        ----------
        twice : tuple of int
            At least, with ties, at most.
        n_pos, n_neg : int
            Units of both classes, of which none is 0.

        Returns
        -------
        AreaBound
            Exact where the bounds meet.
        """
        pairs = 2 * n_pos * n_neg
        least, middle, most = (number / pairs for number in twice)
        if twice[0] == twice[2]:
            return cls(middle, middle, middle, exact=True)
        if Fraction(least) > Fraction(twice[0], pairs):
            least = math.nextafter(least, 0.0)
        if Fraction(most) < Fraction(twice[2], pairs):
            most = math.nextafter(most, 1.0)
        return cls(middle, least, most, exact=False)

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        if self.exact:
            return f"{self.estimate:.6g}"
        return f"{self.estimate:.6g} (at least {self.low:.9g}, at most {self.high:.9g})"
