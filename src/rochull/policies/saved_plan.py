"""A plan that was found before, as a JSON document that decides: whatever it is of, it is asked nothing."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from rochull._core.cached import cached_property
from rochull._core.docstrings import entries
from rochull._core.documents import check_texts
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.any_policy import DEPLOYED, AnyPolicy
from rochull.decisions.batch_check import checked_choice
from rochull.decisions.guard import Watch
from rochull.decisions.plan_kinds import GroupKind
from rochull.decisions.plan_schema import SAVED_PLAN, parts_of, plan_dict
from rochull.decisions.plans import Among, Plan, plan_of, rules_of

_SOURCE: dict[int, Any] = {1: "vertex", 2: "edge"}


@dataclass(frozen=True, eq=False)
class SavedPlan(AnyPolicy):
    """A plan, ready to decide: what a policy found under a condition, such as that of a cascade.

    Attributes
    ----------
    found : Plan
        What is done with a case.
    condition : str
        What it was found for, in words; empty if that was not said.
    salt : str
        Goes before a key when it is hashed.
    about : dict of str to str
        Free text on where it comes from.
    rates : tuple of dict
        ``fpr`` and ``tpr`` of the rule, or of that of each segment or group, as they were measured on the
        data that chose it; of groups with the numbers of examples, ``n_neg`` and ``n_pos``, where these were
        counted. Empty where the answer had none.

    Notes
    -----
    Costs, prevalence and limits are those that the plan was found for, and no others can be asked. Documents
    of fixed rules and of groups that were written before are read as well.

    Examples
    --------
    >>> import rochull as rh
    >>> scores = {"cheap": [1, 2, 3, 4], "dear": [2, 7, 6, 9]}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.1}, n_strata=4, min_bin=0, shrinkage=0)
    >>> point = cascade.fit(scores, [0, 1, 0, 1]).at(rh.ExpectedCost(prevalence=0.5))
    >>> saved = rh.policies.SavedPlan.of(point).to_json()
    >>> rh.policies.SavedPlan.from_json(saved).decide({"cheap": [2, 5], "dear": [8, 0]}).tolist()
    [True, True]
    """

    parameters_told = DEPLOYED | entries("""
columns : mapping of str to str or (table, column), optional
    Where a classifier's scores, or an auxiliary column, are; by default in a column of its name. Other names
    are passed over where every one of the policy has a column, and refused where one may be misspelt.
-> SavedPlan
    Ready to decide.
""")
    schema = SAVED_PLAN

    found: Plan
    condition: str = ""
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)
    rates: tuple[Mapping[str, float], ...] = ()

    @classmethod
    def of(
        cls, answer: Any, *, condition: str = "", salt: str = "", about: Mapping[str, str] | None = None
    ) -> Self:
        """Make a policy of a plan, or of a point that holds one.

        Parameters
        ----------
        answer : Plan, OperatingPoint, CascadePoint or MulticlassPoint
            What was found, with names of classifiers. Of a policy by segment its `plan` is asked.
        condition : str, default=""
            What it was found for, in words, such as those of ``condition.describe()``.
        """
        check_texts(about, condition=condition, salt=salt)
        plan = plan_of(answer)
        if any(step.rule.is_nameless or step.rule.differs_by_segment for step in plan.rules()):
            raise ValueError("answer has a rule without a classifier's name, or for each segment.")
        rates = rates_written(answer) if isinstance(answer, OperatingPoint) else ()
        return cls(plan, condition, salt, dict(about or {}), rates)

    @property
    def classifiers(self) -> tuple[Any, ...]:
        """The classifiers, or classes, whose scores the plan may need (tuple)."""
        return self.found.classifiers

    @property
    def features(self) -> tuple[Any, ...]:
        """The auxiliary columns that tell segments or groups (tuple)."""
        return tuple(self.found.features)

    @property
    def points(self) -> Mapping[Hashable, OperatingPoint]:
        """The operating points of segments or groups by name (dict), in-sample; without any, one under "".

        Empty where no rates are known.
        """
        parts = {name: rules_of(plan) for name, plan in parts_of(self.found).items()} if self.rates else {}
        return {
            name: OperatingPoint(rates["fpr"], rates["tpr"], rules, _SOURCE.get(len(rules), "inside"))
            for (name, rules), rates in zip(parts.items(), self.rates, strict=True)
        }

    def at(self, condition: None = None) -> Plan | OperatingPoint:
        """Give the plan, whatever it was found for.

        Parameters
        ----------
        condition : None
            There is nothing to ask.

        Returns
        -------
        Plan
            What is done with a case.
        """
        return self.found

    def decide(
        self,
        scores: Any,
        *,
        aux: Any = None,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        unseen: OperatingPoint | str | None = None,
        columns: Mapping[str, str] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
    ) -> Array:
        """Decide every case.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each of `classifiers`; an array if there is one only.
        aux : data frame, mapping of columns, or array-like of shape (n,) or (n, k), optional
            The columns that tell segments or groups; by default columns of `scores`.
        unseen : "raise", "warn" or OperatingPoint, optional
            What to do with cases in no segment or group, as for :meth:`SegmentPolicy.decide`.

        Returns
        -------
        ndarray of shape (n,)
            What is done with each case: bool, or words where cases may be reviewed, or labels of classes.
            What is missing or rounded is counted in warnings, as by :meth:`Policy.decide`.

        Raises
        ------
        ValueError
            If a column that is needed is missing or not numeric, lengths differ, or a key is missing.
        """
        checked_choice(on_misfit)
        table = {"key": key, "random_state": random_state, "columns": columns}
        watched = self.watch(on_misfit=on_misfit)
        return self.decider.decided(self.plan(), scores, aux=aux, unseen=unseen, watched=watched, **table)

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        return Watch(self._kinds, on_misfit=on_misfit)

    @cached_property
    def _kinds(self) -> tuple[GroupKind, ...]:
        """The examples of each group, where they were counted."""
        if not isinstance(self.found, Among) or not any("n_pos" in each for each in self.rates):
            return ()
        return (GroupKind(self.found, tuple(map(_called, self.rates))),)

    def to_sql(
        self,
        dialect: str,
        *,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed where lots decide.

        Returns
        -------
        str
            As by :meth:`Policy.to_sql`.

        Raises
        ------
        ValueError
            If the dialect, a classifier or a name is unknown or unusable, or `key` is missing.

        Examples
        --------
        >>> import rochull as rh
        >>> rule = rh.conditions.Rule("threshold", "boosted", 0.7)
        >>> point = rh.conditions.OperatingPoint(0.1, 0.5, ((rule, 1.0),))
        >>> print(rh.policies.SavedPlan.of(point).to_sql("duckdb"))
        COALESCE("boosted" >= CAST('0.7' AS DOUBLE)
        AND ROW(CAST("boosted" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)
        """
        return self.decider.expressed(self.plan(), dialect, key=key, columns=columns)

    def _contents(self) -> dict[str, Any]:
        told = {"about": dict(self.about), "salt": self.salt, "condition": self.condition}
        rates = {"rates": [dict(each) for each in self.rates]} if self.rates else {}
        return {**told, "plan": plan_dict(self.found), **rates}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        return cls(fields["plan"], fields["condition"], fields["salt"], fields["about"], fields["rates"])

    def __repr__(self) -> str:
        return f"SavedPlan({self.found})"


def rates_written(*points: OperatingPoint) -> tuple[dict[str, float], ...]:
    """The rates of points, for documents."""
    return tuple({"fpr": point.fpr, "tpr": point.tpr} for point in points)


def _called(rates: Mapping[str, Any]) -> tuple[tuple[float, int], tuple[float, int]] | None:
    """Examples of each class that were called positive, and all of them."""
    if "n_pos" not in rates or "n_neg" not in rates:
        return None
    neg, pos = rates["n_neg"], rates["n_pos"]
    return (rates["tpr"] * pos, pos), (rates["fpr"] * neg, neg)
