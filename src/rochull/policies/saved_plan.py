"""A plan that was found before, as a JSON document that decides: whatever it is of, it is asked nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rochull._core.docstrings import entries
from rochull._core.documents import check_texts
from rochull.decisions.any_policy import DEPLOYED, AnyPolicy
from rochull.decisions.plan_schema import SAVED_PLAN, plan_dict
from rochull.decisions.plans import Plan, plan_of


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

    parameters_told = DEPLOYED | entries("-> SavedPlan\n    Ready to decide.")
    schema = SAVED_PLAN

    found: Plan
    condition: str = ""
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, answer: Any, *, condition: str = "", salt: str = "", about: Mapping[str, str] | None = None
    ) -> SavedPlan:
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
        return cls(plan, condition, salt, dict(about or {}))

    @property
    def classifiers(self) -> tuple[Any, ...]:
        """The classifiers, or classes, whose scores the plan may need (tuple)."""
        return self.found.classifiers

    @property
    def features(self) -> tuple[Any, ...]:
        """The auxiliary columns that tell segments or groups (tuple)."""
        return tuple(self.found.features)

    def at(self, condition: None = None) -> Plan:
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

    def _contents(self) -> dict[str, Any]:
        told = {"about": dict(self.about), "salt": self.salt, "condition": self.condition}
        return {**told, "plan": plan_dict(self.found)}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> SavedPlan:
        return cls(fields["plan"], fields["condition"], fields["salt"], fields["about"])

    def __repr__(self) -> str:
        return f"SavedPlan({self.found})"
