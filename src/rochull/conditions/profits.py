"""Profits that are known by a name: what a hit brings is random, what a false alarm costs is not.

A hit brings ``scale X - offset``, where X has a known law on [0, 1]. Whoever must choose before X is known
needs its mean only, so these are expected costs. Whoever can wait for X gets the expected maximum profit.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from rochull._core.messages import Setting, refused
from rochull._core.results import Result
from rochull._core.validation import Array, non_negative, positive, probability
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.frontier import Frontier
from rochull.conditions.ranges import Imprecise, exact


@dataclass(frozen=True)
class MaximumProfit(Result):
    """Expected profit if the rule may follow the benefit of a hit.

    Attributes
    ----------
    profit : float
        The expected maximum profit per case.
    fraction : float
        The expected share of all cases that are called positive then.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.conditions.MaximumProfit(profit=0.5, fraction=0.25).fraction
    0.25
    """

    profit: float
    fraction: float


class StochasticProfit(ExpectedCost):
    """Maximise an expected profit: a hit brings ``scale X - offset``, and a false alarm costs `cost_fp`.

    A new one states its law, :meth:`_beyond`, and calls :meth:`_state` when it is made.

    Attributes
    ----------
    cost_fp : float
        What a false alarm costs.
    cost_fn : float
        What a hit brings on average, and a miss forgoes.
    """

    _varied = ("prevalence",)
    _stated: tuple[Any, ...]
    _benefit: tuple[Fraction, Fraction]

    def _state(
        self,
        stated: tuple[Any, ...],
        cost_fp: float,
        mean: Fraction,
        benefit: tuple[Fraction, Fraction],
        prevalence: Imprecise | None,
    ) -> None:
        """Make it the expected cost that it is; the benefit is scale and offset, and the mean that of X."""
        scale, offset = benefit
        gain = scale * mean - offset
        if gain < 0:
            raise ValueError(
                f"{type(self).__name__}: a hit loses {float(-gain):.6g} on average, so that nothing is worth "
                "calling positive."
            )
        object.__setattr__(self, "_stated", stated)
        object.__setattr__(self, "_benefit", benefit)
        super().__init__(cost_fp, float(gain), prevalence)

    def _plain(self) -> ExpectedCost:
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self._stated, self.prevalence)

    def __repr__(self) -> str:
        made = zip(inspect.signature(type(self)).parameters, self.__getnewargs__(), strict=True)
        parts = (f"{name}={value!r}" for name, value in made)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StochasticProfit):
            return NotImplemented
        mine, its = ((type(x), x._stated, x.prevalence) for x in (self, other))
        return mine == its

    def __hash__(self) -> int:
        return hash((type(self), self._stated, self.prevalence))

    def with_numbers(self, **values: float) -> Self:
        return type(self)(*self._stated, values.get("prevalence", self.prevalence))  # type: ignore[call-arg]

    @abstractmethod
    def _beyond(self, x: Array) -> tuple[Array, Array]:
        """Give ``P(X > x)`` and ``E[X; X > x]`` at numbers that are not negative.

        Parameters
        ----------
        x : ndarray of shape (k,)
            May be infinite.

        Returns
        -------
        tuple of 2 ndarray of shape (k,)
            In this order.
        """

    def profit(self, fpr: float, tpr: float) -> float:
        """Compute the expected profit per case at the given rates.

        Parameters
        ----------
        fpr, tpr : float
            False and true positive rate.

        Returns
        -------
        float
            In the unit of the costs; to call nothing positive brings 0.
        """
        of_fpr, of_hit = map(float, self.weights)
        return of_hit * tpr - of_fpr * fpr

    def expected_maximum(self, frontier: Frontier) -> MaximumProfit:
        """Compute the expected maximum profit over a hull: each edge is taken where it pays.

        Parameters
        ----------
        frontier : Frontier
            The vertices of a hull.

        Returns
        -------
        MaximumProfit
            With the share of cases that are then called positive.
        """
        _ = self.weights  # of single numbers
        numbers = (self.prevalence, self.cost_fp, *self._benefit)
        share, of_alarm, scale, offset = (float(exact(number)) for number in numbers)  # type: ignore[arg-type]
        hits, alarms = share * np.diff(frontier.tpr), (1 - share) * np.diff(frontier.fpr)
        with np.errstate(divide="ignore", over="ignore"):
            pays = np.divide(of_alarm * alarms, hits, out=np.full(hits.shape, np.inf), where=hits > 0)
        chance, part = self._beyond((pays + offset) / scale)
        profit = float(np.sum(scale * hits * part - (offset * hits + of_alarm * alarms) * chance))
        return MaximumProfit(max(0.0, profit), float(np.sum((hits + alarms) * chance)))


class ChurnProfit(StochasticProfit):
    """Maximise the expected profit of a campaign against churn; positives are those who would leave.

    Whoever is called positive is contacted and offered an incentive. Of those who would leave a share accept,
    which has a Beta distribution, and stay. ``hull.at(...)`` gives the rule of the highest expected profit,
    and :func:`rochull.scoring.expected_maximum_profit` the EMP measure.

    Parameters
    ----------
    lifetime_value : float, default=200.0
        What a customer who stays is worth.
    incentive : float, default=10.0
        What the incentive costs, below `lifetime_value`; whoever would have stayed takes it.
    contact : float, default=1.0
        What contacting someone costs.
    acceptance : (a, b), default=(6.0, 14.0)
        The Beta distribution of the share that accepts.
    prevalence : float, (low, high) or distribution, optional
        Proportion of those who would leave; that of the object asked, if not given.

    Attributes
    ----------
    cost_fp : float
        What a false alarm costs.
    cost_fn : float
        What a hit brings on average, and a miss forgoes.

    References
    ----------
    Verbraken, Verbeke & Baesens 2013, IEEE TKDE 25, 961-973.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.conditions.ChurnProfit(prevalence=0.2).profit(fpr=0.1, tpr=0.5)
    4.72
    """

    _called = "churn profit"

    def __init__(
        self,
        lifetime_value: float = 200.0,
        incentive: float = 10.0,
        contact: float = 1.0,
        acceptance: tuple[float, float] = (6.0, 14.0),
        prevalence: Imprecise | None = None,
    ) -> None:
        value, gift = positive(lifetime_value, "lifetime_value"), non_negative(incentive, "incentive")
        call = non_negative(contact, "contact")
        if gift >= value:
            raise refused(
                "incentive",
                "must be below {}, but is {}.",
                Setting("lifetime_value", value, "g"),
                f"{gift:g}",
            )
        if np.shape(acceptance) != (2,):
            raise refused(
                "acceptance", "must be a pair (a, b) of positive numbers, but is {}.", repr(acceptance)
            )
        a, b = (positive(number, "acceptance") for number in acceptance)
        mean, benefit = exact(a) / (exact(a) + exact(b)), (exact(value) - exact(gift), exact(call))
        cost_fp = float(exact(gift) + exact(call))
        self._state((value, gift, call, (a, b)), cost_fp, mean, benefit, prevalence)

    def _beyond(self, x: Array) -> tuple[Array, Array]:
        from scipy.special import betaincc

        (a, b), inside = self._stated[3], np.minimum(x, 1.0)
        return betaincc(a, b, inside), a / (a + b) * betaincc(a + 1, b, inside)


class CreditProfit(StochasticProfit):
    """Maximise the expected profit of lending; positives are those who would not repay.

    Whoever is called positive gets no loan. A loan that is not repaid loses a share of its amount: nothing
    with probability `no_loss`, all of it with probability `full_loss`, and else any share alike. A repaid one
    brings `roi` of its amount. ``hull.at(...)`` gives the rule of the highest expected profit, and
    :func:`rochull.scoring.expected_maximum_profit` the EMP measure.

    Parameters
    ----------
    roi : float, default=0.2644
        What a repaid loan brings, as a share of its amount.
    no_loss, full_loss : float, default=0.55 and 0.1
        Probabilities, at most 1 together.
    prevalence : float, (low, high) or distribution, optional
        Proportion of those who would not repay; that of the object asked, if not given.

    Attributes
    ----------
    cost_fp : float
        What a false alarm costs.
    cost_fn : float
        What a hit brings on average, and a miss forgoes.

    References
    ----------
    Verbraken, Bravo, Weber & Baesens 2014, European Journal of Operational Research 238, 505-513.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.conditions.CreditProfit(prevalence=0.2).profit(fpr=0.1, tpr=0.5)
    0.006348
    """

    _called = "credit profit"

    def __init__(
        self,
        roi: float = 0.2644,
        no_loss: float = 0.55,
        full_loss: float = 0.1,
        prevalence: Imprecise | None = None,
    ) -> None:
        brought = non_negative(roi, "roi")
        none, all_of_it = probability(no_loss, "no_loss"), probability(full_loss, "full_loss")
        between = 1 - exact(none) - exact(all_of_it)
        if between < 0:
            raise refused(
                "no_loss",
                "and full_loss must be at most 1 together, but are {} and {}.",
                f"{none:g}",
                f"{all_of_it:g}",
            )
        mean, benefit = exact(all_of_it) + between / 2, (Fraction(1), Fraction(0))
        self._state((brought, none, all_of_it), brought, mean, benefit, prevalence)

    def _beyond(self, x: Array) -> tuple[Array, Array]:
        _, none, all_of_it = self._stated
        inside, some = np.minimum(x, 1.0), max(0.0, 1 - none - all_of_it)
        atom = np.where(x < 1, all_of_it, 0.0)
        return atom + some * (1 - inside), atom + some * (1 - inside**2) / 2
