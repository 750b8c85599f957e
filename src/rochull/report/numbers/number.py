"""A number of an operating point: a quotient of sums over the four outcomes, in Python and in the page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rochull.conditions.ranges import exact

if TYPE_CHECKING:
    from rochull.conditions.costs import ExpectedCost

OUTCOMES = ("tp", "fp", "fn", "tn")
_PRICES = ("cost_fp", "cost_fn", "odds")  # the last is cost_fp / cost_fn


@dataclass(frozen=True)
class Number:
    """``over / under``, each a sum over true positives, false positives, false negatives, true negatives.

    Attributes
    ----------
    key : str
        Its key among the facts of a point.
    label : str
        What the page calls it.
    over, under : mapping of str to int or str
        What each outcome ("tp", "fp", "fn", "tn", as shares of all cases) counts for: a whole number, or a
        price, which is "cost_fp", "cost_fn", or "odds" for their quotient, with or without a minus sign.
        Where `under` is left out it is 1; where it comes to 0 the number is not defined.
    share : bool
        Whether it is shown in per cent.
    hint : str
        Shown on the page when one points at it.
    text : str
        What the terminal says, with braces for the number; empty if it says nothing.
    """

    key: str
    label: str
    over: Mapping[str, int | str]
    under: Mapping[str, int | str] = field(default_factory=dict)
    share: bool = False
    hint: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if not self.key.isidentifier() or not self.label:
            raise ValueError(
                f"a number of the report needs a key and a label, but has {self.key!r}, {self.label!r}."
            )
        if not self.over:
            raise ValueError(f"the number {self.key!r} says nothing to count: over is empty.")
        for part, counted in (("over", self.over), ("under", self.under)):
            for outcome, amount in counted.items():
                if outcome not in OUTCOMES:
                    raise ValueError(
                        f"{part} of {self.key!r} counts {outcome!r}, which is not one of {OUTCOMES}."
                    )
                if not isinstance(amount, int) and str(amount).removeprefix("-") not in _PRICES:
                    raise ValueError(
                        f"{part} of {self.key!r} counts {outcome!r} for {amount!r}, which is neither a whole "
                        f"number nor one of {_PRICES}."
                    )
        if self.text and "{}" not in self.text:
            raise ValueError(f"text of {self.key!r} has no braces for the number: {self.text!r}.")

    @property
    def priced(self) -> bool:
        """Whether it depends on costs."""
        return any(isinstance(amount, str) for part in (self.over, self.under) for amount in part.values())

    def value(self, fpr: float, tpr: float, prevalence: Any, costs: ExpectedCost | None) -> float | None:
        """The number at a point; None where a prevalence or costs are missing, or where it is not defined."""
        if prevalence is None or (self.priced and costs is None):
            return None
        over, under = (
            _total(part, fpr, tpr, exact(prevalence), costs) for part in (self.over, self.under or None)
        )
        return over / under if under else None

    @property
    def facts(self) -> dict[str, Any]:
        """Facts for the page."""
        found = {
            "key": self.key,
            "label": self.label,
            "hint": self.hint,
            "share": self.share,
            "text": self.text,
        }
        return found | {"over": dict(self.over), "under": dict(self.under)}


def _total(
    part: Mapping[str, int | str] | None, fpr: float, tpr: float, p: Fraction, costs: ExpectedCost | None
) -> float:
    """A sum over outcomes; an amount is rounded once, and an infinite price of nothing is nothing."""
    if part is None:
        return 1.0
    shares = {"tp": (p, tpr), "fp": (1 - p, fpr), "fn": (p, 1.0 - tpr), "tn": (1 - p, 1.0 - fpr)}
    total = 0.0
    for outcome, amount in part.items():
        share, rate = shares[outcome]
        if share and rate:
            total += _times(amount, share, costs) * rate
    return total


def _times(amount: int | str, share: Fraction, costs: ExpectedCost | None) -> float:
    if isinstance(amount, int):
        return float(amount * share)
    assert costs is not None  # asked before
    fp, fn = exact(costs.cost_fp), exact(costs.cost_fn)  # type: ignore[arg-type] # single numbers
    sign, name = (-1 if amount.startswith("-") else 1), amount.removeprefix("-")
    if name != "odds":
        return sign * float(share * (fp if name == "cost_fp" else fn))
    weighed = share * fp
    if not weighed:
        return 0.0
    return sign * (float(weighed / fn) if weighed < 10**308 * fn else math.inf)
