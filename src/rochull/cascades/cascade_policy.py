"""Deployed cascades: a JSON document that decides, and asks for a score only where it is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.docstrings import Described, entries
from rochull._core.documents import check_texts
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.cascades.cascade_schema import CASCADE, node_dict
from rochull.cascades.nodes import Node
from rochull.cascades.optimum import Chosen, Optimum, Stakes
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost, costs_alone
from rochull.conditions.keywords import takes_condition
from rochull.conditions.ranges import exact
from rochull.conditions.rules import Rule
from rochull.conditions.within import as_condition
from rochull.decisions import questions
from rochull.decisions.any_policy import DEPLOYED, AnyPolicy
from rochull.decisions.batch_check import checked_choice
from rochull.decisions.guard import Watch
from rochull.decisions.plans import Plan, plan_of
from rochull.decisions.score_kind import ScoreKind
from rochull.hull.tallies import Units
from rochull.policies.deployed import warn_of_own_prevalence
from rochull.policies.policy_schema import HULL, units_of

ASKED = DEPLOYED | entries("""
condition : ExpectedCost
    With a single number for every parameter, in the unit of the prices. A prevalence that it does not state
    is that of the data which the cascade was made from; decisions come with a warning then.
max_calls : float, optional
    How many classifiers beyond the first are asked per case, on average, at most. With two classifiers it is
    the share of the cases for which the second is asked.
deterministic : bool, default=False
    Draw no lots: the stratum of which a budget of calls affords a part only is decided without a call.
scores : data frame, or mapping of str to array-like or callable
    A column for each classifier. In a mapping those after the first may be callables: ``scores[name](rows)``
    is given the int64 row numbers (m,) of those cases for which the classifier is asked, and returns their
    scores (m,); it is not called if there are none. A score that is not asked for may be missing.
columns : mapping of str to str, optional
    Which column has a classifier's scores, unless it is called like that; in SQL also (table, column).
classifier : str
    One of the classifiers.
""")


def costs_like_prices(condition: Condition) -> ExpectedCost:
    """The condition, if its unit is that of the prices."""
    asked = as_condition(condition)
    costs = costs_alone(asked)
    if costs is None:
        raise refused(
            "condition", "must be an ExpectedCost, whose unit is that of the prices, but is {}.", repr(asked)
        )
    return costs


@dataclass(frozen=True)
class CascadePoint(Result, Described):
    """A cascade's rules under a condition, and what they cost. All figures are in-sample.

    Attributes
    ----------
    plan : Plan
        What is done with a case.
    fpr, tpr : float
        False and true positive rate on the data that the cascade was made from.
    calls : dict of str to float
        The share of the cases for which each classifier is asked.
    error_cost, call_cost, cost : float
        What the errors of a case cost, what its calls cost, and their sum.
    prevalence : float
        Proportion of positives among the cases to be decided.
    prevalence_from : {"data", None}
        "data" where the condition states none.

    Examples
    --------
    >>> import rochull as rh
    >>> scores = {"cheap": [1, 2, 3, 4], "dear": [2, 7, 6, 9]}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=4, min_bin=0, shrinkage=0)
    >>> point = cascade.fit(scores, [0, 1, 0, 1]).at(rh.ExpectedCost(prevalence=0.5))
    >>> print(point)
    cost 0.05, dear for 50% of the cases (in-sample): cheap < 2: never; cheap < 4: dear >= 7; else: always
    """

    plan: Plan
    fpr: float
    tpr: float
    calls: Mapping[str, float]
    error_cost: float
    call_cost: float
    cost: float
    prevalence: float
    prevalence_from: Literal["data"] | None = None

    def __str__(self) -> str:
        asked = ", ".join(f"{name} for {100 * share:.3g}%" for name, share in [*self.calls.items()][1:])
        said = "" if self.prevalence_from is None else f", at the data's prevalence of {self.prevalence:.4g}"
        return f"cost {self.cost:.6g}, {asked} of the cases (in-sample{said}): {self.plan}"


@dataclass(frozen=True, eq=False)
class CascadeFrontier(Result):
    """The cost for every number of calls, from no call to as many as pay; straight between. In-sample.

    Attributes
    ----------
    calls : ndarray of shape (k,)
        Calls of classifiers beyond the first per case, ascending from 0.
    cost : ndarray of shape (k,)
        Expected cost per case, all prices included. The first is that of the first classifier alone.
    alone : dict of str to float
        The cost of each classifier alone, asked for every case, with its best threshold.
    all : float
        The cost with every classifier asked for every case, the last deciding in each stratum.

    Examples
    --------
    >>> import rochull as rh
    >>> scores = {"cheap": [1, 2, 3, 4], "dear": [2, 7, 6, 9]}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=4, min_bin=0, shrinkage=0)
    >>> found = cascade.fit(scores, [0, 1, 0, 1]).frontier(rh.ExpectedCost())
    >>> found.calls.tolist(), found.cost.tolist(), found.alone, found.all
    ([0.0, 0.5], [0.25, 0.05], {'cheap': 0.25, 'dear': 0.1}, 0.1)
    """

    calls: Array
    cost: Array
    alone: Mapping[str, float]
    all: float


@dataclass(frozen=True, eq=False)
class CascadePolicy(AnyPolicy):
    """A cascade, ready to decide under conditions given at run time; made by :meth:`Cascade.policy`.

    Attributes
    ----------
    classifiers : tuple of str
        In the order in which they are asked; the first is for every case.
    prices : tuple of float
        Of a call of each.
    root : Node
        The counts that the decisions are taken from, of the first classifier and in its strata of the next.
    alone : tuple of Node
        Those of each classifier on all cases.
    n_neg, n_pos : int
        The totals, in units.
    units : Units
        The size of a unit; 1 for unweighted data.
    peaked : bool
        Whether what a call saves is taken to fall from the threshold on, on both sides.
    salt : str
        Mixed into the hash of keys, so that two policies do not randomise alike.
    about : dict of str to str
        Free text on where it comes from.

    Examples
    --------
    >>> import rochull as rh
    >>> scores = {"cheap": [1, 2, 3, 4], "dear": [2, 7, 6, 9]}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=4, min_bin=0, shrinkage=0)
    >>> policy = cascade.fit(scores, [0, 1, 0, 1]).policy()
    >>> cost = rh.ExpectedCost(prevalence=0.5)
    >>> asked = []
    >>> new = {"cheap": [2, 5], "dear": lambda rows: asked.extend(rows.tolist()) or [8.0]}
    >>> policy.decide(new, cost).tolist(), asked
    ([True, True], [0])
    """

    parameters_told = ASKED | entries("-> CascadePolicy\n    Ready to decide.")
    schema = CASCADE

    classifiers: tuple[str, ...]
    prices: tuple[float, ...]
    root: Node
    alone: tuple[Node, ...]
    n_neg: int
    n_pos: int
    units: Units
    peaked: bool = False
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_texts(self.about, salt=self.salt)

    @property
    def prevalence(self) -> float:
        """Proportion of positives, by weight, in the data."""
        return self.units.prevalence(self.n_neg, self.n_pos)

    # --- what is best --------------------------------------------------------------------------

    @takes_condition
    def at(
        self, condition: Condition, max_calls: float | None = None, deterministic: bool = False
    ) -> CascadePoint:
        """Find the cheapest way to decide under a condition.

        Returns
        -------
        CascadePoint
            The exact optimum over the strata on the data that the cascade was made from, unless it is
            `peaked`: then what a call saves is smoothed before cells are chosen. With `max_calls` one of them
            may be asked by lot, unless `deterministic`.

        Raises
        ------
        ValueError
            If the condition is not an expected cost.
        """
        chosen = self._chosen(condition, max_calls, deterministic)
        stakes = chosen.optimum.stakes
        fp, tp, calls = chosen.rates()
        errors = fp * stakes.alarm + (self.n_pos - tp) * stakes.miss
        paid = sum((share * price for share, price in zip(calls, stakes.prices, strict=True)), Fraction(0))
        return CascadePoint(
            chosen.plan(),
            float(fp / self.n_neg),
            float(tp / self.n_pos),
            dict(zip(self.classifiers, map(float, calls), strict=True)),
            float(errors),
            float(paid),
            float(errors + paid),
            float(stakes.pos_share * self.n_pos),
            "data" if questions.states_no_prevalence(condition) else None,
        )

    @takes_condition
    def frontier(self, condition: Condition) -> CascadeFrontier:
        """Compute the least cost for every number of calls.

        Returns
        -------
        CascadeFrontier
            Its vertices, in-sample, beside each classifier alone and all for every case.
        """
        optimum = self.optimum(condition)
        calls, cost = (np.array([float(x) for x in xs]) for xs in zip(*optimum.frontier(), strict=True))
        stakes = optimum.stakes
        alone = {
            name: float(Optimum(node, [name], stakes).line.cost + price)
            for name, node, price in zip(self.classifiers, self.alone, stakes.prices, strict=True)
        }
        return CascadeFrontier(calls, cost, alone, float(optimum.everything()))

    def optimum(self, condition: Condition) -> Optimum:
        """Weigh all strata under a condition: what :meth:`at` and :meth:`frontier` read from.

        Returns
        -------
        Optimum
            In rationals.
        """
        asked = costs_like_prices(condition).at_prevalence(self.prevalence)
        of_alarm, of_miss = asked.weights
        share = exact(asked.question.own_prevalence)
        n_neg, n_pos = int(self.n_neg), int(self.n_pos)
        stakes = Stakes(
            of_miss / n_pos, of_alarm / n_neg, share / n_pos, (1 - share) / n_neg,
            tuple(map(exact, self.prices)),
        )  # fmt: skip
        return Optimum(self.root, self.classifiers, stakes, self.peaked)

    def _chosen(self, condition: Condition, max_calls: float | None, deterministic: bool) -> Chosen:
        budget = None if max_calls is None else exact(validation.non_negative(max_calls, "max_calls"))
        chosen = self.optimum(condition).within(budget)
        return Chosen(chosen.optimum, chosen.sites) if deterministic else chosen

    def plan(self, condition: Any, max_calls: float | None = None, deterministic: bool = False) -> Plan:
        """Find the cheapest plan under a condition, as :meth:`at` does.

        Parameters
        ----------
        condition : ExpectedCost or CascadePoint
            What to decide under; or what :meth:`at` gave.

        Returns
        -------
        Plan
            What is done with a case.
        """
        if isinstance(condition, (CascadePoint, Plan)):
            return plan_of(condition)
        plan = self._chosen(condition, max_calls, deterministic).plan()
        if questions.states_no_prevalence(condition):
            warn_of_own_prevalence(self.prevalence)
        return plan

    # --- deciding ------------------------------------------------------------------------------

    @takes_condition
    def decide(
        self,
        scores: Any,
        condition: Condition | CascadePoint,
        *,
        max_calls: float | None = None,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        deterministic: bool = False,
        columns: Mapping[str, str] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
    ) -> Array:
        """Decide every case; a classifier's scores are looked at where it is asked only.

        Parameters
        ----------
        condition : ExpectedCost or CascadePoint
            What to decide under, as for :meth:`at`; or what it gave.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive. A missing score of a case for which it is asked makes the
            case negative; a warning counts them.
        """
        checked_choice(on_misfit)
        table = {"key": key, "random_state": random_state, "columns": columns}
        plan = self.plan(condition, max_calls, deterministic)
        return self.decider.decided(plan, scores, watched=self.watch(on_misfit=on_misfit), **table)

    @cached_property
    def _kinds(self) -> tuple[ScoreKind, ...]:
        """The look at the first classifier's scores, which all cases have."""
        root, units = self.root, self.units
        if units.weighted or len(root.low) < 2:
            return ()
        rules = tuple(Rule("threshold", self.classifiers[0], low) for low in root.low[:-1])
        pos, neg = (
            np.array(sums[1:-1]) / of for sums, of in zip(root.sums, (units.pos, units.neg), strict=True)
        )
        totals = round(self.n_pos / units.pos), round(self.n_neg / units.neg)
        return (ScoreKind(self.classifiers[0], rules, pos, neg, *totals),)

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        return Watch(self._kinds, on_misfit=on_misfit)

    @takes_condition
    def needs_score(
        self,
        classifier: str,
        scores: Any,
        condition: Condition | CascadePoint,
        *,
        max_calls: float | None = None,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        deterministic: bool = False,
        columns: Mapping[str, str] | None = None,
    ) -> Array:
        """Tell for which cases a classifier is asked, from the scores of those before it.

        Parameters
        ----------
        condition : ExpectedCost or CascadePoint
            As for :meth:`decide`, with the same key or random state.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where :meth:`decide` reads the classifier's score.
        """
        table = {"key": key, "random_state": random_state, "columns": columns}
        plan = self.plan(condition, max_calls, deterministic).needing(self._known(classifier))
        return self.decider.decided(plan, scores, **table)

    def _known(self, classifier: str) -> str:
        if classifier not in self.classifiers:
            raise refused("classifier", "must be one of {}, but is {}.", self.classifiers, repr(classifier))
        return classifier

    # --- SQL -----------------------------------------------------------------------------------

    @takes_condition
    def to_sql(
        self,
        condition: Condition | CascadePoint,
        dialect: str,
        *,
        max_calls: float | None = None,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
        deterministic: bool = False,
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        condition : ExpectedCost or CascadePoint
            What to decide under.
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed where one stratum is asked by lot.

        Returns
        -------
        str
            TRUE or FALSE, never NULL. A classifier's column is read in the branches that ask for it alone, so
            it may be NULL, or a costly expression, elsewhere.

        Examples
        --------
        >>> import rochull as rh
        >>> scores = {"cheap": [1, 2, 3, 4], "dear": [2, 7, 6, 9]}
        >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=4, min_bin=0, shrinkage=0)
        >>> policy = cascade.fit(scores, [0, 1, 0, 1]).policy()
        >>> print(policy.to_sql(rh.ExpectedCost(prevalence=0.5), "spark"))
        CASE WHEN `cheap` < CAST('2.0' AS DOUBLE) THEN FALSE
        WHEN `cheap` < CAST('4.0' AS DOUBLE)
          THEN COALESCE(`dear` >= 7 AND `dear` <= CAST('inf' AS DOUBLE), FALSE)
        WHEN `cheap` <= CAST('inf' AS DOUBLE) THEN TRUE ELSE FALSE END
        """
        plan = self.plan(condition, max_calls, deterministic)
        return self.decider.expressed(plan, dialect, key=key, columns=columns)

    def needs_score_sql(
        self,
        classifier: str,
        condition: Condition | CascadePoint,
        dialect: str,
        *,
        max_calls: float | None = None,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
        deterministic: bool = False,
    ) -> str:
        """Write as one SQL expression whether a classifier is asked for a case; see :meth:`needs_score`.

        Parameters
        ----------
        condition : ExpectedCost or CascadePoint
            As for :meth:`to_sql`, with the same key.
        key : str or (table, column), optional
            As for :meth:`to_sql`.

        Returns
        -------
        str
            TRUE or FALSE, never NULL; it reads the columns of the classifiers before this one.
        """
        plan = self.plan(condition, max_calls, deterministic).needing(self._known(classifier))
        return self.decider.expressed(plan, dialect, key=key, columns=columns)

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        units = self.units
        found = (int(self.n_neg), int(self.n_pos), units.neg, units.pos, units.weighted)
        return {
            "about": dict(self.about),
            "salt": self.salt,
            **dict(zip(HULL, found, strict=True)),
            "classifiers": list(self.classifiers),
            "prices": list(self.prices),
            "peaked": self.peaked,
            "root": node_dict(self.root),
            "alone": list(map(node_dict, self.alone)),
        }

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> CascadePolicy:
        names = "classifiers", "prices", "peaked", "root", "alone", "n_neg", "n_pos", "salt", "about"
        return cls(**{name: fields[name] for name in names}, units=units_of(fields))

    def __repr__(self) -> str:
        return f"CascadePolicy({' -> '.join(self.classifiers)}, {len(self.root.edges) + 1} strata)"
