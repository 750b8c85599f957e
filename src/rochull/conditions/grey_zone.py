"""A grey zone by predictive values: what is neither surely positive nor surely negative is reviewed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from rochull._core.messages import Refusal, WrongType
from rochull._core.validation import probability
from rochull.conditions.bands import ReviewBand
from rochull.conditions.base import Condition
from rochull.conditions.clauses import at
from rochull.conditions.frontier import Choice, Frontier, HalfPlane
from rochull.conditions.measures import Precision
from rochull.conditions.objectives import Cost, RateLimit
from rochull.conditions.ranges import Proportion, as_given, exact
from rochull.conditions.review import ReviewQuestion
from rochull.conditions.review_rules import ReviewPoint
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.vertices import Vertices
from rochull.words.clauses import Clause


@dataclass(frozen=True)
class GreyZone(Condition):
    """Review as few cases as possible, with sure predictive values on both sides of them.

    Above the zone cases are called positive, and a share of at least `min_precision` of them are; below it
    they are called negative, and a share of at least `min_npv` of them are.

    Parameters
    ----------
    min_precision : float
        The least positive predictive value above the zone, in [0, 1].
    min_npv : float
        The least negative predictive value below it, in [0, 1].
    prevalence : float, optional
        Strictly between 0 and 1; that of the object asked, if not given.

    Notes
    -----
    Costs are not in it: where they are known, :class:`Review` is the rule of least cost. An end is decided by
    lot in one block of the hull; with ``deterministic=True`` it is a vertex. Where no case is sure, that side
    is empty. Where both values can be kept without a review, nothing is reviewed, and of all such rules that
    with the fewest errors is taken. The values hold on the data that the zone was chosen on (in-sample); on
    new cases each is missed about every other time.

    References
    ----------
    Coste & Pouchot 2003, A grey zone for quantitative diagnostic and screening tests.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0], range(11, 0, -1))
    >>> point = hull.at(rh.conditions.GreyZone(0.9, 0.9), deterministic=True)
    >>> print(point.words)
    positive from score >= 9, review from score >= 4
    >>> round(point.review_rate, 3), point.error_rate
    (0.455, 0.0)
    """

    min_precision: float
    min_npv: float
    prevalence: float | None = None

    reviewer = None  # a perfect one, in the rates after the reviews

    def __post_init__(self) -> None:
        for name in ("min_precision", "min_npv"):
            least = getattr(self, name)
            object.__setattr__(self, name, as_given(least, probability(least, name)))
        if self.prevalence is not None and not isinstance(self.prevalence, Proportion):
            share = probability(self.prevalence, "prevalence", open_ends=True)
            object.__setattr__(self, "prevalence", as_given(self.prevalence, share))

    def _question(self) -> GreyZoneQuestion:
        return GreyZoneQuestion(self, written=self)

    def cost_at(self, point: OperatingPoint) -> NoReturn:
        """Raise, as there are no costs in it.

        Parameters
        ----------
        point : OperatingPoint
            Of any condition.
        """
        raise Refusal("a grey zone has no costs to judge {} by; state them in a Review.", str(point))


class GreyZoneQuestion(ReviewQuestion):
    """The question of a grey zone."""

    def _refused(self) -> NoReturn:
        raise WrongType("condition: a GreyZone has a third action, and no costs: ask at, decide or to_sql.")

    @property
    def clause(self) -> Clause:
        zone = self.goal
        least = {name: float(getattr(zone, name)) for name in ("min_precision", "min_npv")}
        return at(Clause("best.grey zone", **least), zone.prevalence)

    def merit(self, point: OperatingPoint) -> tuple[Any, ...]:
        return (-sum(float(each) for each in point.reviewed),)

    def own_point(self, hulls: Iterable[Vertices], deterministic: bool, minimax: bool = False) -> ReviewPoint:
        found: list[Any] = [
            self.point(hull, [*self.zone(hull.frontier, deterministic).mixed()]) for hull in hulls
        ]
        best: ReviewPoint = min(found, key=lambda point: float(point.review_rate))
        return best

    def zone(self, frontier: Frontier, deterministic: bool = False) -> ReviewBand:
        """Find the narrowest zone along a frontier, exactly.

        Parameters
        ----------
        frontier : Frontier
            The vertices of a hull.
        deterministic : bool, default=False
            Between two vertices, without a mixture.

        Returns
        -------
        ReviewBand
            Empty where both values can be kept without a review; then with the fewest errors.
        """
        self.require_precise()
        share, end = exact(self.goal.prevalence), len(frontier.fp) - 1
        high = _surely(frontier, self.goal.min_precision, self.goal.prevalence, deterministic)
        # With the classes changed round, the negative predictive value is the precision.
        cleared = _surely(frontier.mirrored(), self.goal.min_npv, Proportion(1 - share), deterministic)
        low = Choice(end - cleared.left)
        if cleared.share:
            low = Choice(low.left - 1, 1 - cleared.share)
        if high <= low:
            return ReviewBand(high, low)
        best = max(low, min(high, Cost(1 - share, share).best(frontier)))
        return ReviewBand(best, best)


def _surely(frontier: Frontier, least: Any, prevalence: Any, deterministic: bool) -> Choice:
    """As far as a precision is kept along a hull; its start, where it never is."""
    [plane] = RateLimit(Precision(prevalence), ">=", least).planes()
    half = HalfPlane(plane, frontier, start=1)
    if not deterministic:
        return half.leaving() or Choice(0)
    return Choice(half.last() or 0)
