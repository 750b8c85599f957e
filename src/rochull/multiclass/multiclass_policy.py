"""Deployed operating points for several classes: a JSON document that decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.cached import cached_property
from rochull._core.cards import Card
from rochull._core.documents import check_texts
from rochull._core.messages import Parameter, Refusal, refused
from rochull._core.schemas import plain_labels
from rochull._core.tables import named_columns
from rochull._core.validation import Array
from rochull.decisions.any_policy import DEPLOYED, AnyPolicy
from rochull.decisions.batch_check import checked_choice
from rochull.decisions.guard import Watch
from rochull.decisions.outputs import ClassOutputs, columns_by_class, stacked
from rochull.decisions.plan_kinds import ClassKind
from rochull.decisions.plans import Plan
from rochull.decisions.score_columns import key_column
from rochull.multiclass.examples import outputs_2d, weights_of
from rochull.multiclass.inputs import DECISIONS, unmasked
from rochull.multiclass.measures import Limit, Measure, Objective
from rochull.multiclass.point import MulticlassPoint, Rules, weighed
from rochull.multiclass.points import MulticlassPoints, points_card
from rochull.multiclass.policy_schema import MULTICLASS_POLICY, multiclass_contents, points_of

# What to decide under: an operating point, an objective whose best point is found, or a weight vector.
MulticlassCondition: TypeAlias = MulticlassPoint | Objective | ArrayLike | Mapping[Any, float]


@dataclass(frozen=True, eq=False)
class MulticlassPolicy(AnyPolicy):
    """Operating points of several classes, ready to decide under conditions given at run time.

    Attributes
    ----------
    points : MulticlassPoints
        Weight vectors with their confusion matrices, which were measured on the data that they were found
        on (in-sample).
    salt : str
        Mixed into the hash of keys, so that two policies do not randomise alike.
    about : dict of str to str
        Free text on where it comes from.

    Examples
    --------
    >>> import rochull as rh
    >>> mc = rh.MulticlassRoc(
    ...     [0, 1, 2, 2], [[0.6, 0.2, 0.2], [0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.4, 0.3, 0.3]]
    ... )
    >>> policy = rh.multiclass.MulticlassPolicy.from_points(mc.points_at([[1, 1, 1], [1, 2, 2]]))
    >>> (
    ...     policy.decide([[0.5, 0.3, 0.2]], [1, 1, 1]).tolist(),
    ...     policy.decide([[0.5, 0.3, 0.2]], [1, 2, 2]).tolist(),
    ... )
    ([0], [1])
    """

    parameters_told = DECISIONS | {"dialect": DEPLOYED["dialect"]}
    schema = MULTICLASS_POLICY

    points: MulticlassPoints
    salt: str = ""
    about: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_points(
        cls, points: MulticlassPoints, *, salt: str = "", about: Mapping[str, str] | None = None
    ) -> MulticlassPolicy:
        """Make a policy from operating points.

        Parameters
        ----------
        points : MulticlassPoints
            One or more, such as a search finds.
        """
        check_texts(about, salt=salt)
        if not len(points):
            raise refused("points", "is empty: a policy needs an operating point.")
        kept = MulticlassPoints(points.weights, points.confusion, plain_labels(points.classes))
        return cls(kept, salt, dict(about or {}))

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes' labels (tuple), in the order in which ties are decided."""
        return self.points.classes

    def at(
        self,
        minimise: Objective = "max_error",
        subject_to: Limit | Sequence[Limit] = (),
        *,
        mixtures: bool = False,
    ) -> MulticlassPoint:
        """Find the best operating point within limits; see :meth:`MulticlassPoints.at`."""
        return self.points.at(minimise, subject_to, mixtures=mixtures)

    @property
    def classifiers(self) -> tuple[Any, ...]:
        """The classes, each of which has outputs (tuple)."""
        return self.classes

    def plan(self, condition: MulticlassCondition) -> Plan:
        """Find the plan that decides under a condition.

        Parameters
        ----------
        condition : MulticlassPoint, objective or weight vector
            As for :meth:`decide`.

        Returns
        -------
        Plan
            The class with the largest weighted output, or a mixture.
        """
        return weighed(rules_for(condition, self.points), self.classes)

    # --- deciding ------------------------------------------------------------------------------

    def decide(
        self,
        outputs: Any,
        condition: MulticlassCondition,
        *,
        key: str | ArrayLike | None = None,
        random_state: Any = None,
        columns: Mapping[Any, Any] | Sequence[Any] | None = None,
        on_misfit: Literal["keep", "warn", "refuse", "ignore"] = "keep",
    ) -> Array:
        """Decide every case.

        Parameters
        ----------
        outputs : array-like of shape (n, C), data frame, or mapping to array-like
            Of every class, non-negative and finite; compared as float64. An array has the classes' columns in
            the order of `classes`; in a frame or a mapping they are called like the classes.
        condition : MulticlassPoint, objective or weight vector
            What to decide under: a point, such as :meth:`at` gives; or "max_error", a measure such as
            ``CostMatrix(costs)`` or a function of confusion matrices, for which the policy's best point is
            taken; or weights of the classes, (C,) or by label.
        key : str or array-like of shape (n,), optional
            Integers or strings that identify the cases, or the name of their column in the table. Where the
            point is a mixture, a case's decision depends on its key alone: the same on every platform and in
            every batch.
        columns : mapping of label to column name, or sequence of names, optional
            Which column of a frame or a mapping belongs to a class that it is not called like; or the columns
            of all classes, in the order of `classes`.
        on_misfit : {"keep", "warn", "refuse", "ignore"}, default="keep"
            Where the batch, by what the policy's points call it, cannot be a mixture of its classes
            at any prevalences (at least 50 cases; examples without weights): warn, refuse, or do not look.

        Returns
        -------
        ndarray of shape (n,)
            Labels: the first class with the largest product of weight and output.
        """
        checked_choice(on_misfit)
        plan, key = self.plan(condition), key_column(key, outputs, "outputs")
        read = ClassOutputs(self.classes, self._matrix(outputs, columns))
        watched = self.watch(on_misfit=on_misfit)
        return self.decider.decided(plan, read, key=key, random_state=random_state, watched=watched)

    def watch(self, condition: Any = None, point: Any = None, on_misfit: str = "keep") -> Watch:
        return Watch(self._kinds, on_misfit=on_misfit)

    @cached_property
    def _kinds(self) -> tuple[ClassKind, ...]:
        points = self.points
        if points.confusion.dtype.kind == "f":  # weights
            return ()
        return (ClassKind(self.classes, points.weights, points.confusion),)

    def _matrix(self, outputs: Any, given: Mapping[Any, Any] | Sequence[Any] | None) -> Array:
        """Outputs float64 (n, C), from whatever holds them."""
        columns = None if given is None else columns_by_class(given, self.classes)
        frame = named_columns(outputs, "outputs")
        if frame is None:
            if columns is not None:
                raise ValueError("columns: outputs is an array, whose columns have no names.")
            found = unmasked(outputs, "outputs")
        else:
            found = stacked(frame, self.classes, columns or {})
        if found.ndim == 2 and found.shape[1] != len(self.classes):
            raise refused(
                "outputs",
                "must have {} columns, one for each class, but has {}.",
                len(self.classes),
                found.shape[1],
            )
        if found.ndim == 2 and not len(found):
            return np.empty(found.shape)
        return outputs_2d(found)

    def to_sql(
        self,
        condition: MulticlassCondition,
        dialect: str,
        *,
        key: str | tuple[str, str] | None = None,
        columns: Mapping[Any, str | tuple[str, str]] | Sequence[str | tuple[str, str]] | None = None,
    ) -> str:
        """Write the decision as one SQL expression, equal to :meth:`decide` row by row.

        Parameters
        ----------
        condition : MulticlassPoint, objective or weight vector
            As for :meth:`decide`.
        key : str or (table, column), optional
            Column of integers or text that identifies a case; needed for a mixture, whose hash of the key is
            that of :meth:`decide`. A NULL key, which :meth:`decide` refuses, is decided by the first rule.
        columns : mapping of label to str or (table, column), or sequence of those, optional
            Where a class's outputs are; by default in a column that is called like the class. A sequence
            has those of all classes, in the order of `classes`.

        Returns
        -------
        str
            The label, a literal; NULL where an output is NULL, NaN, negative or infinite, which
            :meth:`decide` refuses. Columns may be of any type of number: each is cast to a double.

        Examples
        --------
        >>> import rochull as rh
        >>> points = rh.MulticlassRoc(["no", "yes"], [[0.7, 0.3], [0.6, 0.4]]).points_at([1, 1.5])
        >>> print(rh.multiclass.MulticlassPolicy.from_points(points).to_sql([1, 1.5], "duckdb"))
        ... # doctest: +ELLIPSIS
        CASE WHEN ... THEN CASE WHEN CAST("no" AS DOUBLE) >= CAST('1.5' AS DOUBLE) * CAST("yes" AS DOUBLE)
        THEN 'no' ELSE 'yes' END END
        """
        given = {} if columns is None else columns_by_class(columns, self.classes)
        return self.decider.expressed(self.plan(condition), dialect, key=key, columns=given)

    # --- the document --------------------------------------------------------------------------

    def _contents(self) -> dict[str, Any]:
        return {"about": dict(self.about), "salt": self.salt, **multiclass_contents(self.points)}

    @classmethod
    def _of_contents(cls, fields: Mapping[str, Any]) -> MulticlassPolicy:
        return cls(points_of(fields), fields["salt"], fields["about"])

    def _card(self) -> Card:
        return points_card(repr(self), self.points)

    def __repr__(self) -> str:
        classes = ", ".join(map(repr, self.classes[:5])) + (", ..." if len(self.classes) > 5 else "")
        return f"MulticlassPolicy({len(self.points)} operating points of the classes {classes})"


def rules_for(condition: Any, points: MulticlassPoints) -> Rules:
    """Weight vectors and their shares: of a point, of the best point for an objective, or as given."""
    if isinstance(condition, Limit):
        raise refused(
            "condition",
            "is the limit {}, which does not say what is minimised; give a point, such as "
            "at(minimise, subject_to=[...]).",
            condition,
        )
    if isinstance(condition, (str, Measure)) or callable(condition):
        condition = points.at(condition)
    if isinstance(condition, MulticlassPoint):
        if tuple(condition.classes) != tuple(points.classes):
            raise Refusal(
                "{}: the point is of the classes {}, but here they are {}.",
                Parameter("condition"),
                repr(condition.classes),
                repr(points.classes),
            )
        return condition.rules
    vectors = weights_of(condition, points.classes, "condition")
    if len(vectors) > 1:
        raise refused("condition", "must be one weight vector, but there are {}.", len(vectors))
    return ((vectors[0], 1.0),)
