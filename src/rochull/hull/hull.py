"""The ROC convex hull: what one classifier, or several together, can do under any conditions.

The waist of the library: everything below makes hulls, everything above reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rochull._core import validation
from rochull._core.cached import cached_property
from rochull._core.cards import Card
from rochull._core.docstrings import described
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.rows import same_rows
from rochull._core.validation import Array, Labelled
from rochull._core.warned import warn
from rochull.conditions.assurance import needs_every_threshold
from rochull.conditions.base import Condition
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.door import question_asked
from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.keywords import takes_condition
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.rules import ALWAYS, NEVER, OperatingPoint, Rule, edge_ends
from rochull.conditions.unmet import better_nearby
from rochull.hull.blocks import Blocks, cumulative, pool_points
from rochull.hull.curve import PARTIAL, RocCurve, after_never, area_under
from rochull.hull.drawing import display
from rochull.hull.point_hull import GRID, RATES, on_grid, vertices_of
from rochull.hull.polarity import say_if_reversed
from rochull.hull.tallies import PARAMETERS, UNIT, Units, tally_of
from rochull.hull.thresholds import Thresholds
from rochull.hull.ways import OneThreshold, OnHull, way_of

# What reads examples or reviews is imported where that is done: a saved policy decides without it, at once.
if TYPE_CHECKING:
    from rochull.conditions.review import Review, ReviewFrontier
    from rochull.conditions.review_ranges import ReviewRange
    from rochull.hull.sources import Source

Owners = Sequence[tuple[Rule, ...]]


@dataclass(frozen=True, eq=False)
class RocHull(Result):
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
    lower_is_positive : bool
        Whether low scores are positive: "score <= threshold". The blocks, and the tallies and curves
        that a hull is made from, then hold the scores negated; :attr:`thresholds` and rules do not.

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

    _shown: ClassVar[tuple[str, ...]] = ("thresholds", "fpr", "tpr")

    fp: Array
    tp: Array
    n_neg: int
    n_pos: int
    units: Units = UNIT
    blocks: Blocks | None = None
    curves: Mapping[str | None, RocCurve] = field(default_factory=dict)
    classifier: str | None = None
    lower_is_positive: bool = False
    _owners: Owners | None = None

    @classmethod
    def from_blocks(
        cls, blocks: Blocks, lower_is_positive: bool = False, curve: RocCurve | None = None
    ) -> RocHull:
        """Make the hull whose edges are the given blocks.

        Parameters
        ----------
        blocks : Blocks
            Of a whole data set: both classes must be present.
        lower_is_positive : bool, default=False
            Whether these are blocks of scores that were negated, because low ones are positive.
        curve : RocCurve, optional
            The raw curve of the same data, on which single thresholds are then looked for too.

        Returns
        -------
        RocHull
            It holds the blocks, and the curve.
        """
        tp, fp = cumulative(blocks.pos_units), cumulative(blocks.neg_units)
        if tp[-1] == 0 or fp[-1] == 0:
            which = "positive" if fp[-1] == 0 else "negative"
            raise refused("blocks", "hold one class only: all examples are {}.", which)
        totals = int(fp[-1]), int(tp[-1])
        curves: dict[str | None, RocCurve] = {} if curve is None else {None: curve}
        return cls(fp, tp, *totals, blocks.units, blocks, curves, lower_is_positive=lower_is_positive)

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
        blocks = pool_points(score, score, curve.tp_units, curve.fp_units, curve.units)
        hull = cls.from_blocks(blocks, curve.lower_is_positive, curve)
        if curve.max_error:  # of a thinned curve's groups only the low end is known
            return replace(hull.with_owners(hull.owners), blocks=None, curves={None: curve})
        return hull

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
        from rochull.hull import refine

        return cls.from_blocks(refine.blocks_of(source))

    @classmethod
    def from_rates(
        cls,
        fpr: ArrayLike,
        tpr: ArrayLike,
        thresholds: ArrayLike | None = None,
        classifier: str | None = None,
        lower_is_positive: bool = False,
    ) -> RocHull:
        """Make the hull of given operating points of one classifier, such as an averaged curve.

        Parameters
        ----------
        fpr, tpr : array-like of shape (k,)
            In [0, 1]; read on a grid of 1e-18, so that 0.05 is the decimal, as in a limit.
        thresholds : array-like of shape (k,), optional
            The rule of point i is "score >= thresholds[i]"; 1 if not given, as for a classifier
            whose output is 0 or 1.
        classifier : str, optional
            Its name.
        lower_is_positive : bool, default=False
            Whether the rules are "score <= thresholds[i]".

        Returns
        -------
        RocHull
            Without blocks.
        """
        x, y = validation.rates_1d(fpr, "fpr"), validation.rates_1d(tpr, "tpr")
        steps = np.ones(x.size) if thresholds is None else validation.scores_1d(thresholds, "thresholds")
        same_rows(fpr=fpr, tpr=tpr, thresholds=thresholds)
        fp, tp = map(on_grid, (x, y))
        vertices, equal = vertices_of(fp, tp, GRID, GRID)
        lower = validation.truth(lower_is_positive, "lower_is_positive")
        rules = [(Rule("threshold", classifier, steps[group[0]].item(), lower),) for group in equal]
        hull = cls(*vertices, GRID, GRID, RATES, classifier=classifier, lower_is_positive=lower)
        return hull.with_owners(((NEVER,), *rules, (ALWAYS,)))

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

    def plot(self, condition: Condition | None = None, *, ax: Any = None, **options: Any) -> Any:
        """Draw the hull, the raw curves that it holds, and the best point; needs matplotlib.

        Parameters
        ----------
        condition : Condition, optional
            Its best point is marked.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.
        **options : Any
            Options of :meth:`rochull.plotting.RocHullDisplay.plot`.

        Returns
        -------
        RocHullDisplay
            With the figure as `figure_`.
        """
        return display("RocHullDisplay").from_hull(self, condition=condition, ax=ax, **options)

    def __len__(self) -> int:
        return len(self.tp)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} vertices, AUC {self.auc():.6g})"

    def _card(self) -> Card:
        from rochull.hull.pictures import hull_card

        return hull_card(repr(self), self)

    @property
    def frontier(self) -> Frontier:
        """The vertices as bare points."""
        return Frontier(self.fp, self.tp, self.n_neg, self.n_pos)

    @cached_property
    def prevalence(self) -> float | None:
        """Proportion of positives, by weight, in the data; None where the hull was made from given rates."""
        return None if self.units.are_rates else self.units.prevalence(self.n_neg, self.n_pos)

    @property
    def every_threshold(self) -> Thresholds | None:
        """The points of every threshold; None where they are not known, or the examples are weighted."""
        complete = ((name, curve) for name, curve in self.curves.items() if not curve.max_error)
        found = next(complete, None)
        return None if found is None or self.units.weighted else Thresholds(*found)

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
        """Slope of each edge (k - 1,), descending, correctly rounded; inf for a vertical one."""
        return self.frontier.slopes

    @property
    def thresholds(self) -> Array:
        """Lowest score called positive at each vertex (k,); inf at vertex 0 stands for "never".

        Where low scores are positive, the highest one, after -inf. On a hull of several classifiers, the
        threshold of the vertex's first owner.
        """
        if self.blocks is not None:
            levels = after_never(self.blocks.low)
            return 0 - levels if self.lower_is_positive else levels
        first = [rules[0] for rules in self.owners[1:-1]]
        inner = [rule.threshold for rule in first]
        lower = all(rule.lower_is_positive for rule in first) if first else self.lower_is_positive
        wide = any(isinstance(t, int) and abs(t) > 2**53 for t in inner)
        ends = (-np.inf, np.inf) if lower else (np.inf, -np.inf)
        return np.array([ends[0], *inner, ends[1]], dtype=object if wide else float)

    @cached_property
    def owners(self) -> Owners:
        """The rules that reach each vertex (k,), one for each classifier that does."""
        if self._owners is not None:
            return self._owners
        lows = cast(Blocks, self.blocks).low[:-1].tolist()
        return ((NEVER,), *((_rule_at(self, low),) for low in lows), (ALWAYS,))

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

    def alone(self) -> Iterator[RocHull]:
        """Give what the hull knows of each classifier alone.

        Yields
        ------
        RocHull
            Of the vertices that the classifier owns, and the corners; itself, if there is one classifier.
        """
        names = self.classifiers
        if len(names) < 2:
            yield self
            return
        last = len(self) - 1
        for name in names:
            own = [next((rule for rule in rules if rule.classifier == name), None) for rules in self.owners]
            at = [0, *(i for i, rule in enumerate(own) if rule is not None), last]
            inner = ((rule,) for rule in own if rule is not None)
            bare = RocHull(self.fp[at], self.tp[at], self.n_neg, self.n_pos, self.units)
            yield bare.with_owners((self.owners[0], *inner, self.owners[-1]))

    @takes_condition
    def review_frontier(self, costs: Review | ExpectedCost) -> ReviewFrontier:
        """Compute the least cost for every share of cases that is reviewed.

        Parameters
        ----------
        costs : Review or ExpectedCost
            With a single number for every parameter. The limits of a Review do not count; under an
            ExpectedCost a review costs nothing, and the reviewer makes no errors.

        Returns
        -------
        ReviewFrontier
            From no review to reviewing everything, in-sample. Of several classifiers that of the best one for
            each share.

        Examples
        --------
        >>> import rochull as rh
        >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> frontier = hull.review_frontier(rh.Review(cost_review=0.1))
        >>> frontier.share.tolist(), frontier.cost.tolist()
        ([0.0, 0.5, 0.75, 1.0], [0.25, 0.05, 0.075, 0.1])
        """
        from rochull.conditions.review import frontier_over, review_of

        return frontier_over(review_of(costs, self.prevalence), self.alone())

    def review_range(self, review: Review) -> ReviewRange:
        """Tell what is done under all conditions of a range.

        Parameters
        ----------
        review : Review
            Some of whose numbers are intervals, without a limit.

        Returns
        -------
        ReviewRange
            Exactly: what is positive, reviewed and negative under all of them.

        Raises
        ------
        ValueError
            If the hull is of several classifiers, which of them decides may change within the range; ask
            the hull of one. Or if the condition has a limit.
        """
        if len(self.classifiers) > 1:
            raise ValueError("the hull is of several classifiers; ask one of hybrid.hulls.")
        from rochull.conditions.review import review_of
        from rochull.conditions.review_ranges import review_range_of

        return review_range_of(review_of(review, self.prevalence), self)

    @takes_condition
    def at(
        self,
        condition: Condition | Objective | Question,
        deterministic: bool = False,
        *,
        subject_to: Any = (),
    ) -> OperatingPoint:
        """Find the best operating point under a condition.

        Parameters
        ----------
        condition : Condition or Objective
            With a single number for every parameter. A prevalence that it does not state is that of the
            data, as the point then says. A measure, such as ``rh.Recall()``, is to be the best.
        deterministic : bool, default=False
            One threshold instead of a mixture: the best feasible point of the raw curves
            (``source == "curve"``), which hulls of a RocCurve and of fewer than 131,072 examples hold; else
            the best feasible vertex, and a warning where thresholds between the vertices are not held.
        subject_to : RateLimit, Condition, or sequence of these, default=()
            More limits, all of which are kept: ``rh.Precision(prevalence=0.1) >= 0.5``, or
            ``rh.NeymanPearson(0.1)``; see :class:`Within`.

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
        ValueError
            If the condition states no prevalence, and the hull was made from given rates.

        References
        ----------
        Provost & Fawcett 2001, Theorems 1 to 5.

        Examples
        --------
        >>> import rochull as rh
        >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
        >>> print(hull.at(rh.ExpectedCost(cost_fn=5)))
        fpr 0.5, tpr 1: score >= 0.7 (at the data's prevalence, 0.5)
        """
        asked = question_asked(condition, subject_to)
        return way_of(asked.at_prevalence(self.prevalence), deterministic).point(self).under(asked)

    @property
    def unknown_thresholds(self) -> Sequence[str]:
        """The name of the classifier, if thresholds between the vertices are not held (tuple of str)."""
        blocks = None if self.curves else self.blocks
        return (
            (self.classifier or "",) if blocks is not None and bool((blocks.low != blocks.high).any()) else ()
        )

    def best_point(self, question: Question) -> OperatingPoint:
        """Find the best vertex, or mixture of two.

        Parameters
        ----------
        question : Question
            Of single numbers, at a known prevalence.

        Returns
        -------
        OperatingPoint
            Of equally good ones the one with the lower false positive rate.
        """
        best = question.best(self.frontier)
        if (limit := question.approached(self.frontier, best)) is not None:
            warn(better_nearby(question, limit, best.exact_rates(self.frontier)))
        return point_at(self, best)

    def known_thresholds(self) -> Thresholds:
        """Give the points of every threshold, which a test of one after the other needs.

        Returns
        -------
        Thresholds
            The curve, its name and its frontier.

        Raises
        ------
        ValueError
            If the hull holds its vertices alone.
        """
        if self.every_threshold is None:
            raise refused(
                "confidence",
                "needs every threshold for a limit on the precision, but the hull holds its vertices "
                "alone; make it with RocHull.from_curve(roc_curve(...)), or ask a Hybrid of arrays or "
                "from_table: a scan keeps the vertices.",
            )
        return self.every_threshold

    def best_single_point(self, question: Question) -> OperatingPoint:
        """Find the best single rule of the vertices and of the raw curves that are held.

        Parameters
        ----------
        question : Question
            Of single numbers, at a known prevalence.

        Returns
        -------
        OperatingPoint
            An error if none keeps the limits.
        """
        return best_single([self], question)

    def assured_point(self, question: Question) -> OperatingPoint:
        """Find the best rule of one classifier that is assured to keep its limits in the population.

        Parameters
        ----------
        question : Question
            With a confidence, at a known prevalence.

        Returns
        -------
        OperatingPoint
            An error if the hull is not of one classifier on unweighted examples.
        """
        if self.blocks is None or self.units.weighted:
            raise refused(
                "confidence",
                "needs the hull of one classifier, with one threshold for all, from unweighted examples; "
                "of several ask Hybrid.at. (A policy can decide at the point that these give.)",
            )
        own = question.own_point(self.alone(), deterministic=True)
        if own is not None:
            return own
        question.require_precise()
        if not needs_every_threshold(question, self.frontier):
            return self.best_single_point(question)
        points = self.known_thresholds()
        return point_on_curve(points.name, points.curve, question.best_single(points.frontier))


@runtime_checkable
class HasHull(Protocol):
    """Anything that has a hull of its own, such as a hybrid, which is made further up."""

    @property
    def hull(self) -> RocHull:
        """The hull."""


def own_hull(given: Any) -> Any:
    """Take the hull of anything that has one of its own; whatever else is given stays."""
    found = given.hull if isinstance(given, HasHull) else None
    return found if isinstance(found, RocHull) else given


def optimum(hull: RocHull, question: Question, deterministic: bool) -> OperatingPoint:
    """The best operating point, as :meth:`RocHull.at`, without a word on thresholds that are not held."""
    known = question.at_prevalence(hull.prevalence)
    way = way_of(known, deterministic)
    if isinstance(way, OneThreshold):
        return hull.best_single_point(known).under(question)
    if isinstance(way, OnHull):
        return point_at(hull, known.best(hull.frontier)).under(question)
    return way.point(hull).under(question)


def best_single(hulls: Iterable[RocHull], question: Question) -> OperatingPoint:
    """The best single rule of some hulls, at a known prevalence; the first is also that of all together."""
    together, *others = hulls
    held = [part for hull in (together, *others) for part in held_rules(hull)]
    at, i = question.best_of_singles([points for points, _ in held], (together.n_neg, together.n_pos))
    return held[at][1](i)


def held_rules(hull: RocHull) -> Iterator[tuple[Frontier, Callable[[int], OperatingPoint]]]:
    """Yield points of single rules, with what makes the rule of one: the vertices, then each curve's."""
    yield hull.frontier, lambda i: point_at(hull, Choice(i))
    for name, curve in hull.curves.items():
        yield curve.frontier, partial(point_on_curve, name, curve)


def _owners_of(hull: RocHull, i: int) -> tuple[Rule, ...]:
    """The rules that reach vertex i, one for each classifier that does; those of the others are not made."""
    if hull._owners is not None:
        return hull._owners[i]
    if i in (0, hull.fp.size - 1):
        return (ALWAYS if i else NEVER,)
    return (_rule_at(hull, cast(Blocks, hull.blocks).low[i - 1].item()),)


def _rule_at(hull: RocHull, low: Any) -> Rule:
    """The rule whose lowest positive score this is, on a hull of one classifier."""
    return Rule.at_level(low, hull.classifier, hull.lower_is_positive)


def point_at(hull: RocHull, choice: Choice) -> OperatingPoint:
    """The operating point of a choice on a hull."""
    fpr, tpr = choice.rates(hull.frontier)
    if not choice.share:
        single = ((_owners_of(hull, choice.left)[0], 1.0),)
        return OperatingPoint(fpr, tpr, single, prevalence=hull.prevalence)
    ends = edge_ends(_owners_of(hull, choice.left), _owners_of(hull, choice.left + 1))
    share = float(choice.share)
    rules = (ends[0], 1.0 - share), (ends[1], share)
    return OperatingPoint(fpr, tpr, rules, "edge", hull.prevalence)


def point_on_curve(name: str | None, curve: RocCurve, i: int) -> OperatingPoint:
    """The operating point of one threshold of a raw curve."""
    points = curve.frontier
    prevalence = curve.units.prevalence(points.n_neg, points.n_pos)
    rule = rule_on_curve(name, curve, i)
    return OperatingPoint(*Choice(i).rates(points), ((rule, 1.0),), "curve", prevalence)


def rule_on_curve(name: str | None, curve: RocCurve, i: int) -> Rule:
    """The rule of that point."""
    return Rule.at_level(curve.score[i - 1].item(), name, curve.lower_is_positive) if i else NEVER


@described(PARAMETERS)
def roc_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    lower_is_positive: bool = False,
) -> RocHull:
    """Compute the ROC convex hull of one classifier, which is its PAV calibration.

    Large data are not sorted: two scans find the exact hull (scan, prune, refine).

    Returns
    -------
    RocHull
        Vertex i is the rule "score >= thresholds[i]"; edge i is block i of the calibration. Of fewer than
        131,072 examples it holds the raw curve too, so that a single rule is looked for among all thresholds.

    References
    ----------
    Fawcett & Niculescu-Mizil 2007, Algorithm 3 and Theorem 1.

    Examples
    --------
    >>> import rochull as rh
    >>> rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    RocHull(4 vertices, AUC 0.875)
    >>> distance = rh.roc_hull([1, 1, 0, 0], [1, 3, 2, 4], lower_is_positive=True)
    >>> print(distance.at(rh.NeymanPearson(0), deterministic=True))
    fpr 0, tpr 0.5: score <= 1
    """
    data = validation.labelled(
        y_true, y_score, sample_weight, pos_label, nan_checked=False, lower_is_positive=lower_is_positive
    )
    return hull_of(data, "y_score", curve=True)


def hull_of(data: Labelled, name: str, *, curve: bool = False) -> RocHull:
    """The hull of examples for use: what `name` are is looked at for NaN, and for being reversed.

    With `curve` it holds the raw curve, unless the examples are so many that they are not sorted.
    """
    from rochull.hull import refine
    from rochull.hull.sources import ArraySource

    if data.scores.size >= refine.SORT_ROWS:
        blocks = refine.blocks_of(ArraySource(data))
        say_if_reversed(data, name)
        return RocHull.from_blocks(blocks, data.lower_is_positive)
    validation.refuse_nan(data.scores, name)
    groups = tally_of(data)
    say_if_reversed(data, name, groups)
    hull = RocHull.from_curve(RocCurve.from_tally(groups, data.lower_is_positive))
    return hull if curve else replace(hull, curves={})
