"""A rule that was chosen before, as a JSON document that decides: it is asked nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from rochull._core.docstrings import entries
from rochull._core.documents import check_texts
from rochull._core.messages import refused
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.any_policy import DEPLOYED, AnyPolicy
from rochull.policies.policy import ONLY_CLASSIFIER
from rochull.policies.policy_schema import FIXED_POLICY, point_fields, point_of


@dataclass(frozen=True, eq=False)
class FixedPolicy(AnyPolicy):
    """One operating point, ready to decide: what a :class:`Policy` cannot find again without the examples.

    Attributes
    ----------
    point : OperatingPoint
        What decides: a rule, or a mixture of rules. Its rates were measured on the data that chose it.
    condition : str
        What it was chosen for, in words; empty if that was not said.
    salt : str
        Goes before a key when it is hashed.
    about : dict of str to str
        Free text on where it comes from.

    Notes
    -----
    Costs, prevalence and limits are those that the point was chosen for, and no others can be asked.
    Reviews are kept: decisions are words then.

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

    parameters_told = DEPLOYED | entries("""
columns : mapping of str to str or (table, column), optional
    Where a classifier's scores are; by default in a column of its name. Other names are passed over where
    every classifier of the policy has a column, and refused where one of them may be misspelt.
""")
    schema = FIXED_POLICY

    point: OperatingPoint
    condition: str = ""
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

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
        check_texts(about, condition=condition, salt=salt)
        if any(rule.differs_by_segment for rule, _ in point.rules):
            raise refused("point", "has a rule for each segment, which a FixedPolicy cannot tell apart.")
        return cls(point.named(ONLY_CLASSIFIER), condition, salt, dict(about or {}))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores the decision needs (tuple of str)."""
        return self.point.classifiers

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

    def decide(
        self,
        scores: Any,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        columns: Mapping[str, str] | None = None,
    ) -> Array:
        """Decide every case.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each of `classifiers`; an array if there is one only.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive; words, where cases may be reviewed. What is missing or
            rounded is counted in warnings, as by :meth:`Policy.decide`.

        Raises
        ------
        ValueError
            If a column that is needed is missing or not numeric, lengths differ, or a key is missing.
        """
        table = {"key": key, "random_state": random_state, "columns": columns}
        return self.decider.decided(self.plan(), scores, **table)

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
            Column of integers or text that identifies a case; needed for a mixture.

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
        >>> print(rh.policies.FixedPolicy.from_point(point).to_sql("duckdb"))
        COALESCE("boosted" >= CAST('0.7' AS DOUBLE)
        AND ROW(CAST("boosted" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)
        """
        return self.decider.expressed(self.plan(), dialect, key=key, columns=columns)

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        told = {"about": dict(self.about), "salt": self.salt, "condition": self.condition}
        return {**told, **point_fields(self.point)}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> FixedPolicy:
        return cls(point_of(fields), fields["condition"], fields["salt"], fields["about"])

    def __repr__(self) -> str:
        return f"FixedPolicy({self.point.words})"
