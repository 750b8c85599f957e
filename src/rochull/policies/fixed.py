"""A rule that was chosen before, as a JSON document that decides: it is asked nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from rochull._core.messages import refused
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.plans import Among
from rochull.policies.policy import ONLY_CLASSIFIER
from rochull.policies.saved_plan import SavedPlan


@dataclass(frozen=True, eq=False)
class FixedPolicy(SavedPlan):
    """One operating point, ready to decide: what a :class:`Policy` cannot find again without the examples.

    Its document is that of a :class:`SavedPlan`. Reviews are kept: decisions are words then.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> hybrid = rh.Hybrid().add("boosted", table["class"], table["boosted"], pos_label="bad")
    >>> policy = hybrid.assured(rh.NeymanPearson(0.1, confidence=0.95)).policy()
    >>> policy
    FixedPolicy(boosted >= 0.633...)
    >>> policy.decide({"boosted": [0.7, 0.6]}).tolist()
    [True, False]
    """

    @classmethod
    def from_point(
        cls,
        point: OperatingPoint,
        *,
        condition: str = "",
        salt: str = "",
        about: Mapping[str, str] | None = None,
    ) -> FixedPolicy:
        """Make a policy of an operating point, whatever found it.

        Parameters
        ----------
        point : OperatingPoint
            Of classifiers with names; the only classifier is called "score" if it has none.
        condition : str, default=""
            What it was chosen for, in words, such as those of ``condition.describe()``.

        Returns
        -------
        FixedPolicy
            It decides at this point, and at no other.

        Raises
        ------
        ValueError
            If a text is none, or the point has a rule for each segment.
        """
        if any(rule.differs_by_segment for rule, _ in point.rules):
            raise refused("point", "has a rule for each segment, which a FixedPolicy cannot tell apart.")
        return cls.of(point.named(ONLY_CLASSIFIER), condition=condition, salt=salt, about=about)

    @property
    def point(self) -> OperatingPoint:
        """The rule, or mixture of rules, that decides (OperatingPoint); its rates are in-sample."""
        return self.points[""]

    def at(self, condition: None = None) -> OperatingPoint:
        """Give the point, whatever it was found for.

        Parameters
        ----------
        condition : None
            There is nothing to ask.

        Returns
        -------
        OperatingPoint
            What decides.
        """
        return self.point

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        if isinstance(fields["plan"], Among) or not fields["rates"]:
            raise ValueError("the plan is not that of one operating point; load it as a SavedPlan.")
        return super()._of_contents(fields)

    def __repr__(self) -> str:
        return f"FixedPolicy({self.point.words})"
