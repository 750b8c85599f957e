"""What is deployed where rates agree between groups: a validated JSON document that decides."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import ArrayLike

from rochull._core.documents import Document, check_texts
from rochull._core.schemas import label
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.score_columns import key_column
from rochull.groups import decisions
from rochull.groups.schema import GROUP_POLICY
from rochull.policies.deployed import DEPLOYED
from rochull.policies.policy import PolicyError
from rochull.policies.schema import point_fields, point_of

GROUPED = DEPLOYED | {}


@dataclass(frozen=True, eq=False)
class GroupPolicy(Document):
    """A rule for each group, ready to decide; made by :meth:`GroupRule.policy`.

    Attributes
    ----------
    points : dict of hashable to OperatingPoint
        What each group is decided by. The group None is of cases whose group is missing.
    column : str
        The column of a table that tells the group.
    salt : str
        Goes before a key when it is hashed.
    about : dict of str to str
        Free text on where it comes from.

    Examples
    --------
    >>> import rochull as rh
    >>> hulls = {
    ...     "easy": rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]),
    ...     "hard": rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5]),
    ... }
    >>> rule = rh.constrain_groups(hulls, rh.ExpectedCost(cost_fp=3, prevalence=0.5), "equal_tpr")
    >>> policy = rh.groups.GroupPolicy.from_json(rule.policy("kind").to_json())
    >>> policy.decide({"score": [3.5, 9.0, 6.0], "kind": ["hard", "hard", "easy"]}, key=[1, 2, 3]).tolist()
    [False, True, False]
    """

    parameters_told = GROUPED
    schema = GROUP_POLICY
    refusal = PolicyError

    points: Mapping[Hashable, OperatingPoint]
    column: str
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_texts(self.about, salt=self.salt, column=self.column)
        if not self.column:
            raise ValueError("column must not be empty.")
        for group in self.points:
            try:
                label(group if group is not None else "")
            except ValueError:
                raise ValueError(
                    f"a document holds groups that are texts, truth values or finite numbers, not {group!r}."
                ) from None

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers whose scores some group's decision needs (tuple of str)."""
        return decisions.classifiers_of(self.points.values())

    def decide(
        self,
        scores: Any,
        group: ArrayLike | None = None,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        unseen: OperatingPoint | str = "raise",
    ) -> Array:
        """Decide every case by the rule of its group; see :meth:`GroupRule.decide`.

        Parameters
        ----------
        scores : data frame, mapping of str to array-like, or array-like of shape (n,)
            A column for each of `classifiers`; an array if there is one only.
        group : array-like of shape (n,), optional
            The group of each case; by default the column of `scores` that the policy names.
        unseen : "raise" or OperatingPoint, default="raise"
            What to do with cases of other groups, as for :meth:`GroupRule.decide`.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive.
        """
        key = key_column(key, scores)
        if group is None:
            named = named_columns(scores, "scores")
            if named is None:
                raise ValueError(f"group is needed: scores has no names, so no column {self.column!r}.")
            if self.column not in named:
                raise no_column("scores", self.column, named, ", which tells the group")
            group = named[self.column]
        return decisions.decided(
            self.points, self.classifiers, scores, group,
            key=key, salt=self.salt, random_state=random_state, unseen=unseen,
        )  # fmt: skip

    def to_sql(
        self,
        dialect: str,
        *,
        key: str | tuple[str, str] | None = None,
        group: str | tuple[str, str] | None = None,
        columns: Mapping[str, str | tuple[str, str]] | None = None,
        unseen: OperatingPoint | None = None,
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed where a group's point is a mixture.
        group : str or (table, column), optional
            The column that tells the group, unless it is called like that of the policy.
        columns : mapping of str to str or (table, column), optional
            Where a classifier's scores are; by default in a column of its name.
        unseen : OperatingPoint, optional
            Decides cases of other groups. Without it the expression is NULL for these, which :meth:`decide`
            refuses.

        Returns
        -------
        str
            TRUE or FALSE; NULL for a case that is of no group with a rule, unless `unseen` decides it.

        Raises
        ------
        ValueError
            If the dialect, a classifier or a name is unknown or unusable, or `key` is missing.

        Examples
        --------
        >>> import rochull as rh
        >>> hulls = {
        ...     "f": rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1]),
        ...     "m": rh.roc_hull([1, 0, 1, 0], [8, 7, 6, 5]),
        ... }
        >>> rule = rh.constrain_groups(hulls, rh.ExpectedCost(cost_fp=3, prevalence=0.5), "none")
        >>> print(rule.policy("sex").to_sql("duckdb"))
        CASE WHEN "sex" IN ('f') THEN COALESCE("score" >= 3
          AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE)
        WHEN "sex" IN ('m') THEN COALESCE("score" >= 8
          AND ROW(CAST("score" AS DOUBLE)) <= ROW(CAST('inf' AS DOUBLE)), FALSE) ELSE NULL END
        """
        from rochull.groups import sql

        if unseen is not None:
            unseen = decisions.in_the_name_of(unseen, self.classifiers)
        return sql.expression(
            self.points, unseen, dialect,
            group=self.column if group is None else group, salt=self.salt, key=key, columns=columns,
        )  # fmt: skip

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        groups = [{"group": group, **point_fields(point)} for group, point in self.points.items()]
        return {"about": dict(self.about), "salt": self.salt, "column": self.column, "groups": groups}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> GroupPolicy:
        points = {each["group"]: point_of(each) for each in fields["groups"]}
        return cls(points, fields["column"], fields["salt"], fields["about"])

    def __repr__(self) -> str:
        names = ", ".join(self.classifiers) or "no classifier"
        return f"GroupPolicy({len(self.points)} groups by {self.column!r}, rules of {names})"
