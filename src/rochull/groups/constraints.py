"""Decisions whose rates must agree between groups: the cheapest ones, exactly, and what that costs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import Described, described, entries
from rochull._core.documents import check_texts
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.results import Result
from rochull._core.rows import refuse_other_order
from rochull._core.validation import Array
from rochull.conditions.costs import ExpectedCost, costs_of
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import as_given, largest_within
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.any_policy import DEPLOYED
from rochull.decisions.decider import PlanDecider
from rochull.decisions.plans import Plan
from rochull.groups import rates as group_points
from rochull.groups.group_policy import GroupPolicy, by_group, refused_or
from rochull.groups.optimum import CONSTRAINTS, constrained_rates, most_parts, optimal_points
from rochull.groups.rates import GroupRates
from rochull.hull.hull import RocHull

_SPELLINGS = {"equalized_odds": "equalised_odds"}
_TOLD = DEPLOYED | entries("""
tolerance : float, default=0.0
    The largest difference between any two groups in each constrained rate, in [0, 1]; read as the
    decimal that it prints as.
""")
_WIDTH = 80
_TIED = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, eq=False)
class GroupRule(Result, Described):
    """A rule for each group, under a constraint between the groups; made by :func:`constrain_groups`.

    Attributes
    ----------
    points : dict of hashable to OperatingPoint
        What each group is decided by: one rule, two that are mixed, or three where the point is
        strictly below the group's hull.
    rates : dict of hashable to GroupRates
        `share`, `prevalence`, `fpr`, `tpr`, `selection_rate` and `precision` of each group (in-sample).
    condition : ExpectedCost
        What is minimised over the whole population.
    constraint : str
        What must agree between the groups.
    tolerance : float
        How far the constrained rates of two groups may be apart.
    cost, unconstrained_cost : float
        Expected cost per case of the whole population, with the constraint and without (in-sample).
    price : float
        The difference of the two: what the constraint costs per case.
    violation : float
        The largest difference of a constrained rate between any two groups; 0 if none is constrained.
    differences : dict of str to float
        The largest difference between any two groups in "fpr", "tpr" and "selection_rate".
    salt : str
        Goes before a key when it is hashed.

    Examples
    --------
    >>> import rochull as rh
    >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
    >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    >>> rule = rh.constrain_groups({"easy": easy, "hard": hard}, rh.Accuracy(0.5), "equalised_odds")
    >>> print(rule.points["easy"])
    fpr 0, tpr 0.5: never (50%) or score >= 3 (50%)
    >>> rule.cost, rule.price
    (0.25, 0.125)
    """

    parameters_told = _TOLD

    points: Mapping[Hashable, OperatingPoint]
    rates: Mapping[Hashable, GroupRates]
    condition: ExpectedCost
    constraint: str
    tolerance: float
    cost: float
    unconstrained_cost: float
    price: float
    violation: float
    differences: Mapping[str, float]
    salt: str = ""
    _classifiers: tuple[str, ...] = field(default=(), repr=False)
    _examples: Mapping[Hashable, tuple[int, int]] = field(default_factory=dict, repr=False)

    @classmethod
    def prices(
        cls, hulls: Mapping[Hashable, RocHull], condition: ExpectedCost, *, tolerance: float = 0.0
    ) -> ConstraintPrices:
        """Find the rules under every constraint, to compare what each costs.

        Parameters
        ----------
        hulls : mapping of hashable to RocHull
            As in :func:`constrain_groups`.
        condition : ExpectedCost
            What is minimised.

        Returns
        -------
        ConstraintPrices
            Its `rules` holds a :class:`GroupRule` for each constraint; printed, it is a table.
        """
        rules = {
            name: constrain_groups(hulls, condition, name, tolerance=0.0 if name == "none" else tolerance)
            for name in CONSTRAINTS
        }
        return ConstraintPrices(rules)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores some group's decision needs (tuple of str)."""
        return self._plan.classifiers

    @property
    def _plan(self) -> Plan:
        return by_group(self.points, "group")

    def decide(
        self,
        scores: Any,
        group: ArrayLike,
        *,
        key: ArrayLike | None = None,
        random_state: Any = None,
        unseen: OperatingPoint | str = "raise",
    ) -> Array:
        """Decide every case by the rule of its group.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each of `classifiers` (called "score" if the hulls name none); an array if
            there is one only.
        group : array-like of shape (n,)
            The group of each case, as the hulls were called. Missing values belong to the group None,
            if there is one.
        key : array-like of shape (n,), optional
            Integers or strings that identify the cases. Where a group's point is a mixture, a case's
            decision depends on its group, scores and key alone: the same on every platform.
        unseen : "raise" or OperatingPoint, default="raise"
            What to do with cases of other groups: refuse them all, or decide them by this point; they
            are counted in a warning then.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive. A missing score passes no threshold; it is counted
            in a warning.
        """
        refuse_other_order({"scores": scores, "group": group, "key": key})
        decider = PlanDecider(self._classifiers, ("group",), self.salt)
        table = {"key": key, "random_state": random_state, "unseen": refused_or(unseen)}
        return decider.decided(self._plan, scores, aux={"group": group}, **table)

    def policy(self, column: str, *, about: Mapping[str, str] | None = None) -> GroupPolicy:
        """Make what is deployed: a JSON document that decides, in this process or another.

        Parameters
        ----------
        column : str
            The column of a table that tells the group.

        Returns
        -------
        GroupPolicy
            It decides as this rule does, needs nothing else, and writes itself as SQL.
        """
        return GroupPolicy.of_groups(
            self.points, column, examples=self._examples, salt=self.salt, about=about
        )

    def to_sql(
        self,
        dialect: str,
        *,
        group: str | tuple[str, str],
        key: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
        unseen: OperatingPoint | None = None,
    ) -> str:
        """Write the decision as one SQL expression; see :meth:`GroupPolicy.to_sql`.

        Parameters
        ----------
        group : str or (table, column)
            The column that tells the group.
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed where a group's point is a mixture.
        columns : mapping of str to str or (table, column), optional
            Where a classifier's scores are; by default in a column of its name.
        unseen : OperatingPoint, optional
            Decides cases of other groups; without it the expression is NULL for these.

        Returns
        -------
        str
            A CASE over the groups: TRUE or FALSE.
        """
        column = group if isinstance(group, str) else group[-1]
        made = GroupPolicy.of_groups(self.points, column, salt=self.salt)
        return made.to_sql(dialect, group=group, key=key, columns=columns, unseen=unseen)

    def to_dict(self) -> dict[str, list[Any]]:
        """Give the groups as columns of a table.

        Returns
        -------
        dict of str to list
            ``group``, ``share``, ``prevalence``, ``fpr``, ``tpr``, ``selection_rate``, ``precision`` (NaN
            where none is called positive) and ``rule``: a row for each group, in-sample.
        """
        told = ("share", "prevalence", "fpr", "tpr", "selection_rate", "precision")
        rates = {name: [getattr(own, name) for own in self.rates.values()] for name in told}
        return {"group": list(self.points), **rates, "rule": [point.words for point in self.points.values()]}

    def __str__(self) -> str:
        within = f" within {self.tolerance:g}" if self.tolerance else ""
        lines = _wrapped(
            f"{_spoken(self.constraint)}{within} (in-sample), under {self.condition.question.written}"
        )
        lines.append(
            f"expected cost per case {self.cost:.6g}, without constraint {self.unconstrained_cost:.6g}, "
            f"price {self.price:.4g}"
        )
        lines.append(f"largest difference of a constrained rate {self.violation:.4g}")
        names = [_short(name) for name in self.points]
        width = max(5, *map(len, names))
        heads = ("share", "prev.", "fpr", "tpr", "selected", "precision")
        lines.append(" " * width + "".join(f"{head:>10}" for head in heads))
        for name, (group, point) in zip(names, self.points.items(), strict=True):
            r = self.rates[group]
            numbers = (r.share, r.prevalence, r.fpr, r.tpr, r.selection_rate, r.precision)
            cells = "".join(f"{'none' if math.isnan(x) else format(x, '.4f'):>10}" for x in numbers)
            parts = point.words.split(" or ")
            rules = " or ".join(part.replace(" ", _TIED) for part in parts)  # lines end between rules
            lines += [f"{name:<{width}}{cells}", *_wrapped(f"  {rules}")]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class ConstraintPrices:
    """The price of every constraint between groups; made by :meth:`GroupRule.prices`.

    Attributes
    ----------
    rules : dict of str to GroupRule
        The cheapest rules under each constraint, "none" first.
    """

    rules: Mapping[str, GroupRule]

    def __str__(self) -> str:
        first, last = self.rules["none"], self.rules["equalised_odds"]
        within = f" within {last.tolerance:g}" if last.tolerance else ""
        under = first.condition.question.written
        lines = _wrapped(f"price of constraints between groups{within} (in-sample), {under}")
        lines.append(f"{'largest difference between groups':>78}")
        heads = ("cost", "price", "fpr", "tpr", "selected")
        lines.append(" " * 18 + "".join(f"{head:>12}" for head in heads))
        for name, rule in self.rules.items():
            apart = (rule.differences[rate] for rate in ("fpr", "tpr", "selection_rate"))
            cells = "".join(f"{value:>12.4g}" for value in (rule.cost, rule.price, *apart))
            lines.append(f"{_spoken(name):<18}{cells}")
        return "\n".join(lines)


@described(_TOLD)
@takes_condition
def constrain_groups(
    hulls: Mapping[Hashable, RocHull],
    condition: ExpectedCost,
    constraint: str,
    *,
    tolerance: float = 0.0,
    salt: str = "",
) -> GroupRule:
    """Find the cheapest rules of all groups whose rates agree between the groups.

    Each group may be at any point between its hull and the diagonal. The optimum is exact, in rational
    arithmetic: no grid of rates, and no tolerance of a solver.

    Parameters
    ----------
    hulls : mapping of hashable to RocHull or Hybrid
        The hull of each group, from that group's examples alone, weighted or not. It may be a union of
        several classifiers' hulls, as that of a :class:`Hybrid` is. The group None stands for cases whose
        group is missing.
    condition : ExpectedCost
        What is minimised over the whole population, with a single number for every parameter;
        :class:`Accuracy` is one.
    constraint : {"none", "demographic_parity", "equal_tpr", "equal_fpr", "equalised_odds"}
        What must agree: nothing, the selection rates, the true positive rates (equal opportunity), the
        false positive rates, or both of these.

    Returns
    -------
    GroupRule
        Its rates and costs are those on the examples of the hulls (in-sample). Of equally cheap rules,
        those with the lower false positive rate of the population.

    Raises
    ------
    ValueError
        If there is no hull, a hull is of given rates (its group's size is unknown), some hulls are of
        weighted examples or name their classifiers and others are not, the condition is not an expected
        cost, or the constraint is unknown.
    ImpreciseConditionError
        If a parameter of the condition is an interval or a distribution.

    Notes
    -----
    The condition's prevalence p is that of the whole population to be decided; if it states none, it is that
    of the examples of all groups, and nothing is reweighted. Its positives are spread over
    the groups as the positives of the hulls are (parts b_g), and its negatives as the negatives (a_g), so
    that prior shift leaves each group's rates unchanged: group g is p b_g + (1 - p) a_g of the population,
    and its own prevalence is p b_g of that. Selection rates are meant under these.

    The cost, sum over g of (1 - p) cost_fp a_g fpr_g + p cost_fn b_g (1 - tpr_g), is linear, and so is every
    constraint. One constrained rate, or a window with a tolerance, is found among the vertices' rates. Both
    rates alike: the common point is a vertex of the least of the hulls; a group whose hull is above it mixes
    an edge with "never" or "always". Both within a tolerance: a linear programme.

    References
    ----------
    Hardt, Price & Srebro 2016, "Equality of opportunity in supervised learning", section 3.2.

    Examples
    --------
    >>> import rochull as rh
    >>> easy = rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])
    >>> hard = rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5])
    >>> condition = rh.ExpectedCost(cost_fp=3, prevalence=0.5)
    >>> rule = rh.constrain_groups({"easy": easy, "hard": hard}, condition, "equal_tpr")
    >>> print(rule)
    equal tpr (in-sample), under ExpectedCost(cost_fp=3.0, cost_fn=1.0,
        prevalence=0.5)
    expected cost per case 0.25, without constraint 0.125, price 0.125
    largest difference of a constrained rate 0
              share     prev.       fpr       tpr  selected precision
    easy     0.5000    0.5000    0.0000    0.5000    0.2500    1.0000
      never (50%) or score >= 3 (50%)
    hard     0.5000    0.5000    0.0000    0.5000    0.2500    1.0000
      score >= 8
    >>> rule.decide([3.5, 9.0, 6.0], ["hard", "hard", "easy"], key=[1, 2, 3]).tolist()
    [False, True, False]
    """
    if isinstance(constraint, str):
        constraint = _SPELLINGS.get(constraint, constraint)
    if constraint not in CONSTRAINTS:
        raise refused("constraint", "must be one of {}, but is {}.", ", ".join(CONSTRAINTS), repr(constraint))
    if costs_of(condition) is None:
        raise refused("condition", "must be ExpectedCost or Accuracy, but is {}.", repr(condition))
    number = as_given(tolerance, validation.probability(tolerance, "tolerance"))
    if number and constraint == "none":
        raise Refusal("{} has nothing to limit: the constraint is 'none'.", Setting("tolerance", tolerance))
    check_texts(None, salt=salt)
    hulls = group_points.checked(hulls)
    condition = condition.at_prevalence(group_points.prevalence_of(hulls))
    groups = group_points.groups(hulls, condition)
    free = optimal_points(groups, "none", Fraction(0))
    rates = constrained_rates(groups, constraint)
    limit = largest_within(number, most_parts(groups, rates))
    best = optimal_points(groups, constraint, limit)
    costs = [group_points.cost(groups, points) for points in (best, free)]
    apart = {"fpr": "equal_fpr", "tpr": "equal_tpr", "selection_rate": "demographic_parity"}
    return GroupRule(
        points={
            n: group_points.operating_point(h, g, p)
            for (n, h), g, p in zip(hulls.items(), groups, best, strict=True)
        },
        rates=dict(zip(hulls, map(group_points.rates_of, groups, best), strict=True)),
        condition=condition,
        constraint=constraint,
        tolerance=float(number),
        cost=float(costs[0]),
        unconstrained_cost=float(costs[1]),
        price=float(costs[0] - costs[1]),
        violation=float(max((group_points.difference(pairs, best) for pairs in rates), default=0)),
        differences={
            k: float(group_points.difference(constrained_rates(groups, only)[0], best))
            for k, only in apart.items()
        },
        salt=salt,
        _classifiers=tuple(dict.fromkeys(name for hull in hulls.values() for name in hull.classifiers)),
        _examples=group_points.examples_of(hulls),
    )


# --- text ---------------------------------------------------------------------------------------------


def _spoken(constraint: str) -> str:
    return "no constraint" if constraint == "none" else constraint.replace("_", " ")


def _short(name: Hashable) -> str:
    text = "missing" if name is None else str(name)
    return text if len(text) <= 20 else text[:19] + "…"


def _wrapped(text: str) -> list[str]:
    lines = textwrap.wrap(text, _WIDTH, subsequent_indent="    ", replace_whitespace=False)
    return [line.replace(_TIED, " ") for line in lines]
