"""The ROC convex hull: what one classifier, or several together, can do under any conditions.

The waist of the library: everything below makes hulls, everything above reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, cast

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.docstrings import described
from rochull._core.validation import Array
from rochull.conditions.base import Condition, InfeasibleConditionError, as_condition
from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule, edge_ends
from rochull.hull import refine
from rochull.hull.blocks import Blocks, pool_points
from rochull.hull.curve import PARTIAL, RocCurve, after_never, area_under
from rochull.hull.point_hull import GRID, RATES, vertices_of
from rochull.hull.sources import ArraySource, Source
from rochull.hull.tallies import PARAMETERS, UNIT, Units

Owners = Sequence[tuple[Rule, ...]]


@dataclass(frozen=True, eq=False)
class RocHull:
    """Vertices of an ROC convex hull, from (0, 0) to (1, 1), each with the rules that reach it.

    Attributes
    ----------
    fp, tp : ndarray of shape (k,)
        False and true positives at vertex i: int64 counts (units, if weighted), or float64 rates
        where the hull was made from given points.
    n_neg, n_pos : int
        The totals; 1 for rates.
    units : Units
        The size of a unit; 1 for unweighted data.
    blocks : Blocks or None
        The PAV blocks, which are the edges; None for a hull of several classifiers.
    curves : dict of str or None to RocCurve
        Raw curves where they are held; single thresholds are then looked for on them too.
    classifier : str or None
        Name of the only classifier, where it has one.

    Notes
    -----
    No three vertices are collinear, so they are minimal and unique. The corners belong to the
    constant rules "never" and "always".

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.fpr.tolist(), hull.tpr.tolist(), hull.thresholds.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0], [inf, 0.9, 0.7, 0.1])
    """

    fp: Array
    tp: Array
    n_neg: int
    n_pos: int
    units: Units = UNIT
    blocks: Blocks | None = None
    curves: Mapping[str | None, RocCurve] = field(default_factory=dict)
    classifier: str | None = None
    _owners: Owners | None = None

    @classmethod
    def from_blocks(cls, blocks: Blocks) -> RocHull:
        """Make the hull whose edges are the given blocks.

        Parameters
        ----------
        blocks : Blocks
            Of a whole data set: both classes must be present.

        Returns
        -------
        RocHull
            It holds the blocks.
        """
        tp = np.concatenate(([0], np.cumsum(blocks.pos_units)))
        fp = np.concatenate(([0], np.cumsum(blocks.neg_units)))
        if tp[-1] == 0 or fp[-1] == 0:
            which = "positive" if fp[-1] == 0 else "negative"
            raise ValueError(f"blocks hold one class only: all examples are {which}.")
        return cls(fp, tp, int(fp[-1]), int(tp[-1]), blocks.units, blocks)

    @classmethod
    def from_curve(cls, curve: RocCurve) -> RocHull:
        """Make the hull of a raw curve.

        Parameters
        ----------
        curve : RocCurve
            Every point of it may become a vertex.

        Returns
        -------
        RocHull
            It holds the curve: single thresholds are looked for on it too.
        """
        score = curve.score
        hull = cls.from_blocks(pool_points(score, score, curve.tp_units, curve.fp_units, curve.units))
        if curve.max_error:  # of a thinned curve's groups only the low end is known
            return replace(hull.with_owners(hull.owners), blocks=None, curves={None: curve})
        return replace(hull, curves={None: curve})

    @classmethod
    def from_source(cls, source: Source) -> RocHull:
        """Make the hull of a source by scan, prune and refine.

        Parameters
        ----------
        source : Source
            Such as a :class:`ChunkSource`; it is read about four times.

        Returns
        -------
        RocHull
            The same as if all rows were sorted.
        """
        return cls.from_blocks(refine.blocks_of(source))

    @classmethod
    def from_rates(
        cls,
        fpr: ArrayLike,
        tpr: ArrayLike,
        thresholds: ArrayLike | None = None,
        classifier: str | None = None,
    ) -> RocHull:
        """Make the hull of given operating points of one classifier, such as an averaged curve.

        Parameters
        ----------
        fpr, tpr : array-like of shape (k,)
            In [0, 1]; read on a grid of 2**-60.
        thresholds : array-like of shape (k,), optional
            The rule of point i is "score >= thresholds[i]"; 1 if not given, as for a classifier
            whose output is 0 or 1.
        classifier : str, optional
            Its name.

        Returns
        -------
        RocHull
            Without blocks.
        """
        x, y = validation.rates_1d(fpr, "fpr"), validation.rates_1d(tpr, "tpr")
        steps = np.ones(x.size) if thresholds is None else validation.scores_1d(thresholds, "thresholds")
        validation.same_length(fpr=x, tpr=y, thresholds=steps)
        fp, tp = (np.rint(rate * GRID).astype(np.int64) for rate in (x, y))
        vertices, equal = vertices_of(fp, tp, GRID, GRID)
        rules = [tuple(Rule("threshold", classifier, steps[i].item()) for i in group[:1]) for group in equal]
        owners = ((NEVER,), *rules, (ALWAYS,))
        return cls(*vertices, GRID, GRID, RATES, classifier=classifier).with_owners(owners)

    def with_owners(self, owners: Owners) -> Self:
        """Give the vertices other rules.

        Parameters
        ----------
        owners : sequence of tuple of Rule, of shape (k,)
            The rules that reach each vertex; the first of several is preferred.

        Returns
        -------
        RocHull
            The same hull with these rules.
        """
        return replace(self, _owners=owners)

    def named(self, classifier: str) -> RocHull:
        """Give the rules a classifier's name.

        Parameters
        ----------
        classifier : str
            The name.

        Returns
        -------
        RocHull
            The same hull with named rules.
        """
        curves: dict[str | None, RocCurve] = dict(zip([classifier], self.curves.values(), strict=False))
        owners = self._owners and tuple(
            tuple(rule.named(classifier) for rule in rules) for rules in self._owners
        )
        return replace(self, classifier=classifier, curves=curves, _owners=owners)

    def __len__(self) -> int:
        return len(self.tp)

    def __repr__(self) -> str:
        return f"RocHull({len(self)} vertices, AUC {self.auc():.6g})"

    @property
    def frontier(self) -> Frontier:
        """The vertices as bare points."""
        return Frontier(self.fp, self.tp, self.n_neg, self.n_pos)

    @cached_property
    def fpr(self) -> Array:
        """False positive rate of each vertex (k,)."""
        return self.frontier.fpr

    @cached_property
    def tpr(self) -> Array:
        """True positive rate of each vertex (k,)."""
        return self.frontier.tpr

    @cached_property
    def slopes(self) -> Array:
        """Slope of each edge (k - 1,), descending; inf for a vertical one. For reading only."""
        with np.errstate(divide="ignore"):  # from the counts: differences of rates would cancel
            return np.diff(self.tp) / np.diff(self.fp) * (self.n_neg / self.n_pos)

    @property
    def thresholds(self) -> Array:
        """Lowest score called positive at each vertex (k,); inf at vertex 0 stands for "never".

        On a hull of several classifiers, the threshold of the vertex's first owner.
        """
        if self.blocks is not None:
            return after_never(self.blocks.low)
        inner = [rules[0].threshold for rules in self.owners[1:-1]]
        wide = any(isinstance(t, int) and abs(t) > 2**53 for t in inner)
        return np.array([np.inf, *inner, -np.inf], dtype=object if wide else float)

    @cached_property
    def owners(self) -> Owners:
        """The rules that reach each vertex (k,), one for each classifier that does."""
        if self._owners is not None:
            return self._owners
        blocks = cast(Blocks, self.blocks)
        inner = (Rule("threshold", self.classifier, low.item()) for low in blocks.low[:-1])
        return ((NEVER,), *((rule,) for rule in inner), (ALWAYS,))

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that own a vertex, in order of first appearance (tuple of str)."""
        names = (rule.classifier for rules in self.owners for rule in rules)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @described(PARTIAL)
    def auc(self, max_fpr: float | None = None, *, mcclish: bool = False) -> float:
        """Compute the area under the hull: the AUC after isotonic calibration.

        Returns
        -------
        float
            At least the area under the raw curve (in-sample); a full area is correctly rounded.
        """
        return area_under(self.fp, self.tp, max_fpr, mcclish)

    def eer(self) -> float:
        """Compute the equal error rate: where the hull meets fpr = 1 - tpr.

        Returns
        -------
        float
            The exact crossing, which may lie on an edge; in-sample, like the hull.
        """
        i = int(np.argmax(self.fpr + self.tpr >= 1))
        (x0, y0), (x1, y1) = self.frontier.point(i - 1), self.frontier.point(i)
        share = (1 - x0 - y0) / (x1 + y1 - x0 - y0)
        return float(x0 + share * (x1 - x0))

    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the best operating point under a condition.

        Parameters
        ----------
        condition : Condition
            With a single number for every parameter.
        deterministic : bool, default=False
            One threshold instead of a mixture: the best feasible point of the raw curves, where
            the hull holds them (``source == "curve"``), else the best feasible vertex.

        Returns
        -------
        OperatingPoint
            A vertex for linear costs; for a constraint the exact point of the hull, as a mixture of
            the two end rules of its edge. Of equally good points, the one with the lower false
            positive rate.

        Raises
        ------
        InfeasibleConditionError
            If no point meets the condition; says what can be reached.
        ImpreciseConditionError
            If a parameter is an interval.

        References
        ----------
        Provost & Fawcett 2001, Theorems 1 to 5.

        Examples
        --------
        >>> import rochull as rh
        >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> print(hull.at(rh.ExpectedCost(cost_fn=5)))
        fpr 0.5, tpr 1: score >= 0.7
        """
        as_condition(condition).require_precise()
        assured = condition.confidence is not None
        if assured and (self.blocks is None or self.units.weighted):
            raise ValueError(
                "confidence needs the hull of one classifier, from unweighted examples; of several ask "
                "Hybrid.at. (A policy can decide at the point that these give.)"
            )
        if assured or (deterministic and not condition.best_is_vertex):
            return self._single(condition)
        return point_at(self, condition.best(self.frontier))

    def _single(self, condition: Condition) -> OperatingPoint:
        """The best single rule of the vertices and of the raw curves that are held."""
        i, objective = condition.best_single(self.frontier), condition.objective
        found, merit = point_at(self, Choice(i)), objective.merit(*self.frontier.point(i))
        for name, curve in self.curves.items():
            points = curve.frontier
            try:
                i = condition.best_single(points)
            except InfeasibleConditionError:  # not met by this classifier alone
                continue
            other = objective.merit(*points.point(i))
            if other > merit:
                found, merit = point_on_curve(name, curve, i), other
        return found


def point_at(hull: RocHull, choice: Choice) -> OperatingPoint:
    """The operating point of a choice on a hull."""
    fpr, tpr = choice.rates(hull.frontier)
    if not choice.share:
        return OperatingPoint(fpr, tpr, ((hull.owners[choice.left][0], 1.0),))
    ends = edge_ends(hull.owners[choice.left], hull.owners[choice.left + 1])
    share = float(choice.share)
    return OperatingPoint(fpr, tpr, ((ends[0], 1.0 - share), (ends[1], share)), "edge")


def point_on_curve(name: str | None, curve: RocCurve, i: int) -> OperatingPoint:
    """The operating point of one threshold of a raw curve."""
    rule = Rule("threshold", name, curve.score[i - 1].item()) if i else NEVER
    return OperatingPoint(*Choice(i).rates(curve.frontier), ((rule, 1.0),), "curve")


@described(PARAMETERS)
def roc_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> RocHull:
    """Compute the ROC convex hull of one classifier, which is its PAV calibration.

    Large data are not sorted: two scans find the exact hull (scan, prune, refine).

    Returns
    -------
    RocHull
        Vertex i is the rule "score >= thresholds[i]"; edge i is block i of the calibration.

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Algorithm 3 and Theorem 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    RocHull(4 vertices, AUC 0.875)
    """
    data = validation.labelled(y_true, y_score, sample_weight, pos_label, nan_checked=False)
    return RocHull.from_source(ArraySource(data))
