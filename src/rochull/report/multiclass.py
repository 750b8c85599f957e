"""The report on the operating points of several classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rochull.report.card import classes_card
from rochull.report.multiclass_facts import facts_of
from rochull.report.report import Report
from rochull.report.wording import tell

if TYPE_CHECKING:
    from rochull._core.cards import Card
    from rochull.multiclass.measure import Limit
    from rochull.multiclass.measures import Objective
    from rochull.multiclass.points import MulticlassPoints
    from rochull.multiclass.roc import MulticlassRoc
    from rochull.report.multiclass_deploy import OutputColumns


class MulticlassReport(Report):
    """Operating points of several classes, to be moved along, with limits on the confusion matrix.

    The page shows the weights and the confusion matrix at one operating point at a time. One sets limits on
    cells of the confusion matrix, sees which points remain, and takes the best of them by the largest error,
    the mean error, or an expected cost. The page says in Python and as a command line what it shows, and has
    the point that is seen as a policy document and as SQL.

    Parameters
    ----------
    points : MulticlassRoc or MulticlassPoints
        The operating points; of a :class:`MulticlassRoc` those that it has found.
    subject_to : Limit or sequence of Limit, optional
        Limits to begin with, such as ``rh.multiclass.Error("lesion") <= 0.05``.
    objective : str, Measure or callable, default="max_error"
        What is minimised to begin with; see :meth:`MulticlassPoints.at`.
    title : str, optional
        A heading for the page.
    columns : mapping of label to str or (table, column), or sequence of those, optional
        Where the outputs of the classes are, for SQL; see :meth:`MulticlassPolicy.to_sql`.
    command : sequence of str, optional
        The command line that read the examples, for the page to complete; see the facts.
    about : mapping of str to str, optional
        What the report says of the data, as of :class:`Report`; the policy that the page hands over holds it.

    Attributes
    ----------
    facts : dict
        Every number that the report shows, as plain values (documented in
        :mod:`rochull.report.multiclass_facts`). All are in-sample.

    Notes
    -----
    Where no point is within all limits, the report names the closest: the one whose largest excess over a
    limit is the smallest.

    Examples
    --------
    >>> import rochull as rh
    >>> y = ["a", "a", "b", "b", "c", "c"]
    >>> outputs = [[5, 1, 2], [3, 4, 1], [1, 6, 2], [2, 3, 3], [1, 2, 4], [2, 4, 3]]
    >>> mc = rh.MulticlassRoc(y, outputs)
    >>> points = mc.points_at([[1, 1, 1], [2, 1, 1], [1, 1, 2], [4, 1, 2]])
    >>> report = rh.report.MulticlassReport(points, subject_to=[rh.multiclass.Error("a") <= 0.2])
    >>> report.facts["remaining"], report.facts["chosen"]["index"]
    ([1, 3], 1)
    """

    def __init__(
        self,
        points: MulticlassRoc | MulticlassPoints,
        *,
        subject_to: Limit | Sequence[Limit] = (),
        objective: Objective = "max_error",
        title: str | None = None,
        columns: OutputColumns | None = None,
        command: Sequence[str] | None = None,
        about: Mapping[str, str] | None = None,
    ):
        self.facts: dict[str, Any] = facts_of(
            points, subject_to, objective, title, columns=columns, command=command, about=about
        )

    def __repr__(self) -> str:
        names = ", ".join(c["name"] for c in self.facts["classes"])
        limits = ", ".join(x["text"] for x in self.facts["limits"])
        slots = {"n": len(self.facts["points"]["weights"]), "within": len(self.facts["remaining"])}
        return f"MulticlassReport({names}; {tell('report.several.held', limits=limits or None, **slots)})"

    def _card(self) -> Card:
        return classes_card(repr(self), self.facts)

    def __str__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        from rochull.report.multiclass_html import to_html

        return to_html(self.facts)

    def to_text(self, width: int = 80) -> str:
        from rochull.report.multiclass_text import to_text

        return to_text(self.facts, width)
