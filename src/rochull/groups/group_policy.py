"""Deployed rules whose rates agree between groups: a validated JSON document that decides."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from rochull._core.documents import check_texts
from rochull._core.messages import refused
from rochull._core.rows import refuse_other_order
from rochull._core.schemas import label
from rochull._core.validation import Array
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.groups import GroupBins
from rochull.decisions.plans import Among, in_the_name_of, plan_of
from rochull.policies.saved_plan import SavedPlan, rates_written


@dataclass(frozen=True, eq=False)
class GroupPolicy(SavedPlan):
    """A rule for each group, ready to decide; made by :meth:`GroupRule.policy`.

    Its document is that of a :class:`SavedPlan`.

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

    @classmethod
    def of_groups(
        cls,
        points: Mapping[Hashable, OperatingPoint],
        column: str,
        *,
        examples: Mapping[Hashable, tuple[int, int]] | None = None,
        salt: str = "",
        about: Mapping[str, str] | None = None,
    ) -> GroupPolicy:
        """Make a policy of a point for each group.

        Parameters
        ----------
        points : mapping of hashable to OperatingPoint
            What each group is decided by; None is the group of cases whose group is missing.
        column : str
            The column of a table that tells the group.
        examples : mapping of hashable to (int, int), optional
            Of how many negatives and positives of each group the rates are, where these were counted: what
            is decided is then compared with them.

        Returns
        -------
        GroupPolicy
            It decides by these points, and no others.
        """
        check_texts(about, salt=salt, column=column)
        if not column:
            raise ValueError("column must not be empty.")
        for group in points:
            try:
                label(group if group is not None else "")
            except ValueError:
                raise ValueError(
                    f"a document holds groups that are texts, truth values or finite numbers, not {group!r}."
                ) from None
        counts = (
            {} if n is None else {"n_neg": n[0], "n_pos": n[1]} for n in map((examples or {}).get, points)
        )
        rates = zip(rates_written(*points.values()), counts, strict=True)
        return cls(by_group(points, column), "", salt, dict(about or {}), tuple(a | b for a, b in rates))

    @property
    def column(self) -> str:
        """The column of a table that tells the group (str)."""
        return str(self.features[0])

    def decide(  # type: ignore[override]
        self,
        scores: Any,
        group: ArrayLike | None = None,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        unseen: OperatingPoint | str = "raise",
        columns: Mapping[str, str] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
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
        columns : mapping of str to str, optional
            Which column of a table has a classifier's scores or the group, unless it is called like that.

        Returns
        -------
        ndarray of bool, shape (n,)
            True where the case is called positive.
        """
        refuse_other_order({"scores": scores, "group": group, "key": key})
        table = {"key": key, "random_state": random_state, "unseen": refused_or(unseen), "columns": columns}
        aux = None if group is None else {self.column: group}
        return super().decide(scores, aux=aux, on_misfit=on_misfit, **table)

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
        plan = self.plan()
        if unseen is not None:
            plan = plan.with_elsewhere(plan_of(in_the_name_of(unseen, self.classifiers, "unseen")))
        own = {} if group is None else {self.column: group}
        return self.decider.expressed(plan, dialect, key=key, columns={**(columns or {}), **own})

    # --- the document --------------------------------------------------------------------------

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> Self:
        plan = fields["plan"]
        if not isinstance(plan, Among) or not isinstance(plan.bins, GroupBins) or not fields["rates"]:
            raise ValueError("the plan is not that of groups; load it as a SavedPlan.")
        return super()._of_contents(fields)

    def __repr__(self) -> str:
        names = ", ".join(self.classifiers) or "no classifier"
        return f"GroupPolicy({len(self.points)} groups by {self.column!r}, rules of {names})"


def by_group(points: Mapping[Hashable, OperatingPoint], column: str) -> Among:
    """The plan of a point for each group, which a column tells."""
    return Among(GroupBins.of(column, tuple(points)), tuple(map(plan_of, points.values())))


def refused_or(unseen: OperatingPoint | str) -> OperatingPoint | str:
    """Check what is to be done with cases of other groups."""
    if unseen != "raise" and not isinstance(unseen, OperatingPoint):
        raise refused("unseen", "must be 'raise' or an operating point, but is {}.", repr(unseen))
    return unseen
