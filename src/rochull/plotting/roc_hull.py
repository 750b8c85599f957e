"""ROC curves of one classifier or several with their convex hull, and the best point under a condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rochull._core.table_errors import a_type
from rochull._core.tables import named_columns
from rochull.conditions.base import Condition
from rochull.conditions.keywords import takes_condition
from rochull.conditions.rules import OperatingPoint
from rochull.hull.hull import RocHull
from rochull.hybrid.hybrid import Hybrid
from rochull.plotting.base import (
    IN_SAMPLE,
    STAR,
    Display,
    apart,
    grey,
    ink,
    looks_of,
    roc_axes,
    style,
    titled,
)
from rochull.plotting.legends import legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rochull._core.validation import Array

_CELL = 5e-4
_FEW = 6  # classifiers that have a colour each, needed or not
_ONE = "score"
_VERTICES = 60  # that are marked by their owners' colours


@dataclass(eq=False, repr=False)
class RocHullDisplay(Display):
    """ROC curves and the convex hull of all of them, with the best point under a condition.

    Attributes
    ----------
    fpr, tpr : dict of str to ndarray of shape (k,)
        Each classifier's curve; points closer than 0.0005 are left out. Of a hybrid without raw curves, its
        hull.
    hull_fpr, hull_tpr : ndarray of shape (h,)
        The vertices of the hull (in-sample).
    owners : tuple of str
        The classifiers that the hull needs, in the order in which they first appear on it.
    vertex_owners : tuple of str of length h
        Of each vertex the first classifier that reaches it; "" at both ends.
    condition : Condition or None
        The condition, with the prevalence that it was answered for.
    point : OperatingPoint or None
        The best under it (in-sample).

    References
    ----------
    Provost & Fawcett 2001; Fawcett & Niculescu-Mizil 2007.

    Examples
    --------
    >>> import rochull as rh
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scores = {name: table[name] for name in ("boosted", "tree", "knn")}
    >>> display = rh.plotting.RocHullDisplay.compute(
    ...     table["class"], scores, condition=rh.ExpectedCost(1, 5), pos_label="bad"
    ... )
    >>> display.owners, display.point.classifiers, round(display.point.tpr, 3)
    (('boosted', 'knn'), ('boosted',), 0.91)
    """

    _drawn_by: ClassVar = {"compute": "from_predictions", "of_hybrid": "from_hybrid", "of_hull": "from_hull"}

    fpr: dict[str, Array]
    tpr: dict[str, Array]
    hull_fpr: Array
    hull_tpr: Array
    owners: tuple[str, ...]
    vertex_owners: tuple[str, ...]
    condition: Condition | None = None
    point: OperatingPoint | None = None
    name: str | None = None

    @classmethod
    def compute(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike | Mapping[str, ArrayLike],
        *,
        condition: Condition | None = None,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        lower_is_positive: bool = False,
        name: str | None = None,
    ) -> Self:
        """Compute the numbers without drawing them.

        Parameters
        ----------
        y_score : array-like of shape (n,), or mapping or table of such columns
            Scores, higher means more positive; several classifiers by name.
        condition : Condition, optional
            Its best point is marked.
        """
        hybrid = Hybrid()
        columns = named_columns(y_score, "y_score") or {_ONE: y_score}
        for key, scores in columns.items():
            hybrid.add(
                str(key), y_true, scores, sample_weight=sample_weight, pos_label=pos_label,
                lower_is_positive=lower_is_positive, curve=True,
            )  # fmt: skip
        return cls.of_hybrid(hybrid, condition=condition, name=name)

    @classmethod
    def of_hybrid(
        cls, hybrid: Hybrid, *, condition: Condition | None = None, name: str | None = None
    ) -> Self:
        """Take the curves of a hybrid, without drawing them.

        Parameters
        ----------
        hybrid : Hybrid
            Of one classifier at least.
        condition : Condition, optional
            Its best point is marked.
        """
        if not isinstance(hybrid, Hybrid):
            raise ValueError(f"hybrid must be a Hybrid, but is {a_type(hybrid)}.")
        curves: dict[str, Any] = {key: hybrid.curves.get(key, alone) for key, alone in hybrid.hulls.items()}
        asked = None if condition is None else condition.at_prevalence(hybrid.hull.prevalence)
        return cls._of(hybrid.hull, curves, asked, None if asked is None else hybrid.at(asked), name)

    @classmethod
    @takes_condition
    def of_hull(cls, hull: RocHull, *, condition: Condition | None = None, name: str | None = None) -> Self:
        """Take a hull and the raw curves that it holds, without drawing them.

        Parameters
        ----------
        hull : RocHull
            Of one classifier or several.
        condition : Condition, optional
            Its best point is marked.
        """
        names = hull.classifiers or (hull.classifier,)
        curves: dict[str, Any] = {key or _ONE: hull.curves[key] for key in names if key in hull.curves}
        if len(names) == 1:
            curves = curves or {names[0] or _ONE: hull}
        asked = None if condition is None else condition.at_prevalence(hull.prevalence)
        return cls._of(hull, curves, asked, None if asked is None else hull.at(asked), name)

    @classmethod
    def _of(
        cls,
        hull: RocHull,
        curves: Mapping[str, Any],
        condition: Condition | None,
        point: OperatingPoint | None,
        name: str | None,
    ) -> Self:
        """The numbers of a hull, and of curves below it."""
        points = {key: np.stack([curve.fpr, curve.tpr]) for key, curve in curves.items()}
        points = {key: each[:, apart(each, _CELL)] for key, each in points.items()}
        first = tuple(rules[0].classifier or "" for rules in hull.owners)
        return cls(
            fpr={key: each[0] for key, each in points.items()},
            tpr={key: each[1] for key, each in points.items()},
            hull_fpr=hull.fpr,
            hull_tpr=hull.tpr,
            owners=tuple(dict.fromkeys(owner for owner in first if owner)),
            vertex_owners=first,
            condition=condition,
            point=point,
            name=name,
        )

    @classmethod
    def from_hybrid(cls, hybrid: Hybrid, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw the curves of a hybrid and their hull."""
        return cls._made_by(cls.of_hybrid, (hybrid,), ax, options)

    @classmethod
    def from_hull(cls, hull: RocHull, *, ax: Axes | None = None, **options: Any) -> Self:
        """Draw a hull and the raw curves that it holds."""
        return cls._made_by(cls.of_hull, (hull,), ax, options)

    def draw(self, ax: Axes, name: str | None, **kwargs: Any) -> None:
        """Draw the curves, their hull with its vertices in the colours of their owners, and the best point.

        Of more than six classifiers those that the hull does not need are grey, and one entry of the legend.

        Parameters
        ----------
        **kwargs : Any
            For the main line, such as ``color``: the curve of one classifier, the hull of several.
        """
        roc_axes(ax)
        if len(self.fpr) == 1:
            (key,) = self.fpr
            by = name or (None if key == _ONE else key)
            look = style(ax, kwargs, by=by, label=by or "ROC curve")
            self.line_ = ax.plot(self.fpr[key], self.tpr[key], **look)[0]
            look = {"color": self.line_.get_color(), "lw": 0.9, "ls": (0, (5, 2))}
            said = titled(name, f"hull ({IN_SAMPLE})")
            ax.plot(self.hull_fpr, self.hull_tpr, **look, marker="o", ms=2.5, label=said)
        else:
            shades = self._draw_members(ax, name)
            said = titled(name, f"hull of all ({IN_SAMPLE})")
            plain = {"color": ink(ax), "linewidth": 1.3, "zorder": 3}
            self.line_ = ax.plot(self.hull_fpr, self.hull_tpr, **style(ax, kwargs, label=said, **plain))[0]
            self._draw_vertices(ax, name, shades)
        self._draw_point(ax, name)
        legend(ax, loc="lower right")

    def _draw_members(self, ax: Axes, name: str | None) -> dict[str, Any]:
        """The curve of each classifier; their colours."""
        needed = [key for key in self.fpr if len(self.fpr) <= _FEW or key in self.owners]
        others = [key for key in self.fpr if key not in needed]
        faint: dict[str, Any] = {"color": grey(ax), "lw": 0.6, "alpha": 0.5, "zorder": 1.5}
        for i, key in enumerate(others):
            said = "_nolegend_" if i else titled(name, f"{len(others)} others, never better")
            ax.plot(self.fpr[key], self.tpr[key], **faint, label=said)
        looks = looks_of(ax, {*needed, *self.owners})
        shades = {key: look["color"] for key, look in looks.items()}
        for key in needed:
            look = style(ax, {}, label=titled(name, key), linewidth=1.1, alpha=0.85, **looks[key])
            ax.plot(self.fpr[key], self.tpr[key], **look)
        return shades

    def _draw_vertices(self, ax: Axes, name: str | None, shades: Mapping[str, Any]) -> None:
        """Marks on the hull in the colours of those who reach them; of very many none."""
        if len(self.hull_fpr) > _VERTICES:
            return
        for owner in self.owners:
            at = [i for i, other in enumerate(self.vertex_owners) if other == owner]
            said = "_nolegend_" if owner in self.fpr else titled(name, owner)
            look: dict[str, Any] = {"ms": 4.5, "color": shades[owner], "zorder": 4, "label": said}
            ax.plot(self.hull_fpr[at], self.hull_tpr[at], "o", **look)

    def _draw_point(self, ax: Axes, name: str | None) -> None:
        """The best point, and the line that shows the condition beside it."""
        if self.point is None or self.condition is None:
            return
        colour = ink(ax)
        at, line = (
            (self.point.fpr, self.point.tpr),
            self.condition.question.line(self.point.fpr, self.point.tpr),
        )
        if line is not None:
            said, (of_tpr, of_fpr, right) = line
            if of_tpr:
                x = np.array([-0.1, 1.1])
                y = (right - of_fpr * x) / of_tpr
            else:
                x, y = np.full(2, right / of_fpr), np.array([-0.1, 1.1])
            ax.plot(x, y, ls=(0, (1, 1.5)), lw=1.2, color=colour, label=titled(name, said), zorder=2)
        by = ", ".join(self.point.classifiers)
        said = f"best at {self.condition.label}" + (f": {by}" if by and by != _ONE else "")
        ax.plot(*at, "*", ms=15, color=STAR, mec=colour, zorder=6, label=titled(name, said), ls="none")
