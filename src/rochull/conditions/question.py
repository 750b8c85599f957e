"""The one normal form of a question: what is best, within which limits, how sure, and for which batch.

People write conditions, measures and comparisons; each of them gives its question. What is the same question
is equal, however it was written, and is answered here alone. No limit keeps a rule from being better, so each
is met by a hull on one stretch, and nothing below the hull is better than the best of what all of them leave
of it: a vertex, or a mixture of two neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.messages import Refusal, Setting, refused
from rochull._core.validation import Array
from rochull.conditions.assurance import assured_points, best_assured, promised
from rochull.conditions.clauses import REFERENCE
from rochull.conditions.climbing import climb, climb_points
from rochull.conditions.frontier import Choice, ClippedHull, Frontier, HalfPlane, Plane, common_stretch
from rochull.conditions.objectives import (
    FALSE_POSITIVE_RATE,
    TRUE_POSITIVE_RATE,
    Cost,
    Objective,
    RateLimit,
    UtilityValue,
    best_index,
)
from rochull.conditions.ranges import (
    Distribution,
    ImpreciseConditionError,
    Proportion,
    exact,
    middles,
    moved,
    require_single,
)
from rochull.conditions.said import clause_of, limit_clauses_of
from rochull.conditions.spans import InBatch, Span
from rochull.conditions.unmet import unmet, unmet_alone
from rochull.conditions.vertices import InfeasibleConditionError, Vertices, unsaid
from rochull.words.clauses import Clause

if TYPE_CHECKING:
    from rochull.conditions.rules import OperatingPoint

_ROUNDING = Fraction(1, 10**12)  # rounding slack of rates; never counts as breaking a limit
_Error: TypeAlias = Exception | Callable[[], Exception] | None
NO_PREVALENCE = "is given, but the condition has none that it could replace: {}."


@dataclass(frozen=True, repr=False)
class Question:
    """A goal, the limits to keep, how sure, and for which batch.

    Attributes
    ----------
    goal : Objective, ExpectedCost or Review
        What is best: a measure such as ``Recall()``, the value of a utility, or costs, perhaps with reviews.
    limits : tuple of RateLimit
        What is kept besides, each once. The limit of one, and the numbers of its measure, are intervals where
        the condition has such.
    confidence : float or None
        The probability with which the population is to keep all limits.
    batch : InBatch or None
        What a batch keeps by its own counts.
    ranges : tuple of (str, interval or distribution)
        The numbers that are known roughly, by the names that they have in the condition. (Intervals of a
        limit's measure that are not among them are kept throughout.)
    written : Condition
        What was written; of several spellings the one that has a name.
    spanned : callable
        Makes the span of what was written.
    of_data : float or None
        The prevalence of the data that it is asked of, where none is stated.
    """

    has_third_action: ClassVar[bool] = False  # a third action, so that the best point is not on a hull

    goal: Any
    limits: tuple[RateLimit, ...] = ()
    confidence: float | None = None
    batch: InBatch | None = None
    ranges: tuple[tuple[str, Any], ...] = ()
    written: Any = field(default=None, compare=False)
    spanned: Callable[[], Span] = field(default=Span, compare=False)
    of_data: float | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return repr(self.asked)

    @property
    def question(self) -> Self:
        """Return self."""
        return self

    @cached_property
    def asked(self) -> Any:
        """The condition that asks it: what was written, at the prevalence of the data if it needs that."""
        if self.of_data is None:
            return self.written
        return self.written.at_prevalence(self.of_data).question.asked

    @cached_property
    def span(self) -> Span:
        """Effect of its numbers."""
        return self.spanned() if self.of_data is None else self.asked.question.span

    # --- what it asks for ----------------------------------------------------------------------

    @cached_property
    def objective(self) -> Objective:
        """The objective to make as large or as small as possible, with known numbers."""
        goal = self.goal
        if isinstance(goal, Objective):
            return goal
        require_single(self.ranges)
        return Cost.weighed(goal.cost_fp, goal.cost_fn, goal.prevalence)

    @property
    def costs(self) -> Any:
        """The ExpectedCost that is the goal, by which other figures are computed; None for another goal."""
        return None if isinstance(self.goal, Objective) else vars(self.asked).get("goal", self.asked)

    def merit(self, point: OperatingPoint) -> tuple[float | Fraction, ...]:
        """Key that compares operating points: the larger, the better, from left to right."""
        return self.objective.merit(Fraction(point.fpr), Fraction(point.tpr))

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        """Tell whether rates are allowed, exactly: all are, if nothing is limited."""
        return all(limit.is_met(fpr, tpr) for limit in self.limits)

    def is_kept(self, fpr: float, tpr: float) -> bool:
        """Tell whether rates are allowed that may be rounded, such as those of other examples."""
        if self.needs_alarms and not (fpr or tpr):
            return False
        near = [[Fraction(rate) + way * _ROUNDING for way in (-1, 1)] for rate in (fpr, tpr)]
        return any(self.is_met(*rates) for rates in product(*near))

    def line(self, fpr: float, tpr: float) -> tuple[str, tuple[float, float, float]] | None:
        """Give the line ``a tpr + b fpr = c`` that shows it beside its best point.

        Returns
        -------
        tuple of str and (a, b, c), or None
            What the line is, "iso-performance" or "constraint"; None if there is none.
        """
        if self.costs is not None and not self.limits:
            of_fpr, of_miss = map(float, self.costs.weights)
            return "iso-performance", (of_miss, -of_fpr, of_miss * tpr - of_fpr * fpr)
        planes = self.limits[0].half_planes() if len(self.limits) == 1 and self.costs is None else ()
        if len(planes) != 1:
            return None
        a, b, c = map(float, planes[0])
        return "constraint", (a, b, c)

    @property
    def clause(self) -> Clause:
        """The question, to be put in words by a vocabulary (Clause)."""
        return clause_of(self)

    @property
    def limit_clauses(self) -> tuple[Clause, ...]:
        """The limits (tuple of Clause); a limit at another prevalence than the rest says so."""
        return limit_clauses_of(self)

    # --- the best point ------------------------------------------------------------------------

    @cached_property
    def _one_plane(self) -> Plane | None:
        """The only half-plane of the only limit; else None."""
        planes = self.limits[0].planes() if len(self.limits) == 1 else ()
        return planes[0] if len(planes) == 1 else None

    @cached_property
    def _best_is_last(self) -> bool | None:
        """Whether the best point is the last within the one plane, instead of the first; else None."""
        of_rate = self._one_plane is not None and self.goal in (FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE)
        return self.goal.sign > 0 if of_rate and not self.limits[0].is_least else None

    @property
    def _start(self) -> int:
        """The first point at which the limits are defined."""
        return int(self.needs_alarms)

    def _half(self, frontier: Frontier) -> HalfPlane:
        assert self._one_plane is not None
        return HalfPlane(self._one_plane, frontier, start=self._start)

    def best(self, frontier: Frontier) -> Choice:
        """Find the best point of a hull.

        Raises
        ------
        InfeasibleConditionError
            If no point is allowed.
        """
        self.require_precise()
        is_last = self._best_is_last
        if is_last is not None:
            half = self._half(frontier)
            choice = half.leaving() if is_last else half.entering()
            if choice is None:
                raise self._unmet(frontier)
            i, rate = choice.left, frontier.tp if is_last else frontier.fp
            is_mixed = choice.share and rate[i] != rate[i + 1]
            return choice if is_mixed else Choice(self._of_equals(i, frontier))
        objective = self.objective
        if not self.limits:
            return objective.best(frontier)
        if self._is_climbed:
            end = self._half(frontier).leaving()
            if end is None:
                raise self._unmet(frontier)
            return climb(self.goal.function, frontier, end)
        stretch = self.stretch(frontier)
        if objective.is_single_peaked:
            return stretch.nearest(objective.best(frontier))
        around = self.stretch(frontier, closed=True)
        found = around.restored(objective.best(around.frontier))
        if found == Choice(0) != stretch.low:
            return stretch.restored(objective.best(stretch.frontier))
        return found

    @cached_property
    def needs_alarms(self) -> bool:
        """Whether a limit is undefined where nothing is flagged."""
        return any(limit.needs_alarms for limit in self.limits)

    def approached(self, frontier: Frontier, best: Choice) -> Fraction | float | None:
        """Tell what no point has that keeps the limits, though some come as near to it as one likes.

        A precision is undefined where nothing is flagged. As the share flagged falls to 0, the precision
        stays that of the first vertex, but the objective may get better all the way.

        Parameters
        ----------
        frontier : Frontier
            The vertices of a hull.
        best : Choice
            The best point of it that there is.

        Returns
        -------
        Fraction, float or None
            The value of the objective; None if the best point has the best value.
        """
        if not self.needs_alarms or self.goal == TRUE_POSITIVE_RATE:  # which is 0 where nothing is flagged
            return None
        rates = frontier.point(0), best.exact_rates(frontier)
        never, found = (self.objective.exact_value(*each) for each in rates)
        is_better = self.objective.sign * (never - found) > 0
        return never if is_better and self.stretch(frontier, closed=True).low == Choice(0) else None

    def best_single(self, frontier: Frontier) -> int:
        """Find the best of the points of a frontier, without mixtures; its errors are those of :meth:`best`.

        Returns
        -------
        int
            The index of the point.
        """
        self.require_precise()
        if self.confidence is not None:
            return best_assured(self, frontier)
        if not self.limits:
            return self.objective.best_single(frontier)
        if self._best_is_last is not None or self._is_climbed:
            return self._best_in_plane(frontier)
        allowed = self.allowed(frontier)
        if not allowed.size:
            raise unmet_alone(self.limits, frontier)
        return best_index(self.objective, frontier, allowed)

    def best_of_singles(self, parts: Iterable[Frontier], totals: tuple[int, int]) -> tuple[int, int]:
        """Find the best of the points of several frontiers; its errors are those of the first.

        Parameters
        ----------
        parts : iterable of Frontier
            Points that are single rules.
        totals : tuple of 2 int
            The negatives and positives by which points of unlike frontiers are compared.

        Returns
        -------
        tuple of 2 int
            Which frontier, of equals the first, and which of its points.
        """
        found: list[tuple[Any, int, int]] = []
        refused: list[InfeasibleConditionError] = []
        for at, points in enumerate(parts):
            try:
                i = self.best_single(points)
            except InfeasibleConditionError as error:  # not met by these points alone
                refused.append(error)
                continue
            found.append((self.objective.merit(*points.point_of(totals, i)), at, i))
        if not found:
            raise refused[0]
        return max(found, key=lambda each: each[0])[1:]

    @property
    def _is_climbed(self) -> bool:
        """Whether a utility is climbed up to where the one limit, on too much, is reached."""
        if self._one_plane is None or not isinstance(self.goal, UtilityValue):
            return False
        a, b, _ = self._one_plane.coefficients
        return a >= 0 and b >= 0 and not self._start

    def _best_in_plane(self, frontier: Frontier) -> int:
        half, is_last = self._half(frontier), self._best_is_last
        i = half.first(hull=False) if is_last is False else half.last(hull=False)
        if i is None:
            raise self._unmet(frontier)
        if is_last is None:
            return climb_points(self.goal.function, frontier, i)
        return self._of_equals(i, frontier)

    def _of_equals(self, i: int, frontier: Frontier) -> int:
        """Return the point with the better other rate among those with the same best rate."""
        if self._best_is_last:
            return max(self._start, frontier.leftmost_with_tp(i))
        return frontier.highest_with_fp(i)

    def stretch(self, frontier: Frontier, *, closed: bool = False) -> ClippedHull:
        """Give the part of a hull that the limits allow; all of it, if nothing is limited.

        Parameters
        ----------
        frontier : Frontier
            The vertices.
        closed : bool, default False
            Whether "never" is in it where its mixtures with the first vertex are. Limits that need somebody
            flagged leave it out, and of these mixtures none is the first.
        """
        found = common_stretch(self._known_limits, frontier, closed=closed)
        if found is None:
            raise self._unmet(frontier)
        return found

    def allowed(self, frontier: Frontier) -> Array:
        """List the points of a frontier that the limits allow.

        Returns
        -------
        ndarray of int, shape (m,)
            All of them, if nothing is limited.
        """
        if self.confidence is not None:
            return assured_points(self.limits, frontier, self.confidence)
        met = np.ones(len(frontier.fp), bool)
        for limit in self._known_limits:
            met &= limit.met_by(frontier)
        return np.flatnonzero(met)

    @property
    def _known_limits(self) -> tuple[RateLimit, ...]:
        """The limits, unless one of them is of a batch alone."""
        if self.is_batch_alone:
            raise refused(
                "population",
                "is needed for an operating point: Capacity(cases=...) alone is for decisions on a batch.",
            )
        return self.limits

    def _unmet(self, frontier: Frontier) -> InfeasibleConditionError:
        """Say which limits cannot be met together, and what each would have to be."""
        limits = self.limits
        if self._best_is_last is not None or self._is_climbed:
            told = limits[0].measure.unmet(limits[0], frontier)
            if told is not None:
                return InfeasibleConditionError(told)
        return unmet(limits, frontier)

    def promised(self, rule: OperatingPoint, frontier: Frontier) -> float:
        """Tell the shortfall of confidence that the tests of a rule would take, which is on a frontier."""
        return promised(self, rule, frontier)

    def own_point(
        self, hulls: Iterable[Vertices], deterministic: bool, minimax: bool = False
    ) -> OperatingPoint | None:
        """Find the best point where that is not on a hull; None without a third action."""
        return None

    # --- what a door cannot do -----------------------------------------------------------------

    def refuse(
        self,
        *,
        ranges: _Error = None,
        precise: _Error = None,
        reviews: _Error = None,
        costs: _Error = None,
        confidence: _Error = None,
        no_confidence: _Error = None,
    ) -> None:
        """Raise the error of whatever this question is, or has: at the door of what cannot answer it.

        Parameters
        ----------
        ranges, precise : Exception, or callable that makes it, optional
            Raised if some number is known roughly, or if none is.
        reviews, costs : Exception, or callable that makes it, optional
            Raised if it has a third action, or if its goal is an expected cost.
        confidence, no_confidence : Exception, or callable that makes it, optional
            Raised if it states a confidence, or if it does not.
        """
        found = (
            ranges if self.ranges else precise,
            reviews if self.has_third_action else None,
            None if self.costs is None else costs,
            no_confidence if self.confidence is None else confidence,
        )
        for error in found:
            if error is not None:
                raise error if isinstance(error, Exception) else error()

    # --- which prevalence ----------------------------------------------------------------------

    @cached_property
    def own_prevalence(self) -> Any:
        """The proportion of positives that it is about; None if it states none."""
        goal = self.goal
        stated = [goal.own_prevalence if isinstance(goal, Objective) else goal.prevalence]
        stated += [limit.own_prevalence for limit in self.limits]
        stated += [self.batch.prevalence] if self.batch is not None else []
        return next((prevalence for prevalence in stated if prevalence is not None), None)

    @cached_property
    def lacks_prevalence(self) -> bool:
        """Whether it depends on a prevalence that it does not state: that of the object asked counts."""
        goal = self.goal
        if goal.lacks_prevalence if isinstance(goal, Objective) else goal.prevalence is None:
            return True
        if any(limit.lacks_prevalence for limit in self.limits):
            return True
        return self.is_batch_alone and self.own_prevalence is None

    @property
    def is_batch_alone(self) -> bool:
        """Whether a number of cases is asked for that has no share of a population."""
        return self.batch is not None and self.batch.cases is not None and self.batch.share is None

    def at_prevalence(self, prevalence: float | None) -> Self:
        """Give the question as it is asked of an object.

        Parameters
        ----------
        prevalence : float or None
            The proportion of positives in the object's data, used where the condition states none; None
            if there are no data.

        Returns
        -------
        Question
            The same object, if it does not lack a prevalence.

        Raises
        ------
        ValueError
            If there is none at all.
        """
        if not self.lacks_prevalence:
            return self
        if prevalence is None:
            raise unsaid()
        known: tuple[Any, Self] | None = vars(self).get("_known")  # of the same hull, most often
        if known is None or known[0] is not prevalence:
            known = prevalence, self._of_data(prevalence)
            vars(self)["_known"] = known
        return known[1]

    def _of_data(self, prevalence: float) -> Self:
        """The same at the prevalence of some data, wherever it states none."""
        goal, limits = self.goal, self.limits
        if not isinstance(goal, Objective):
            goal = moved(goal, "prevalence", prevalence) if goal.prevalence is None else goal
        elif goal.lacks_prevalence:
            goal = goal.at_prevalence(prevalence)
        if limits:
            each = (limit.at_prevalence(prevalence) if limit.lacks_prevalence else limit for limit in limits)
            limits = tuple(dict.fromkeys(each))
        batch = None if self.batch is None else self.batch.at_prevalence(prevalence)
        return type(self)(
            goal, limits, self.confidence, batch, self.ranges, self.written, self.spanned, prevalence
        )

    def refuse_prevalence(self) -> None:
        """Raise if another prevalence cannot replace its own."""
        if self.batch is not None and self.batch.cases is not None and self.is_of_batch:
            raise refused(
                "prevalence",
                "is given, but a capacity in cases is kept by the batch's own counts, whatever the "
                "prevalence is. State it in the condition, as a number, if the probabilities of a "
                "ranking are to be at it.",
            )
        if self.own_prevalence is None and not self.lacks_prevalence:
            raise refused("prevalence", NO_PREVALENCE, self)

    # --- numbers that are known roughly --------------------------------------------------------

    @property
    def spread(self) -> dict[str, Any]:
        """The intervals and distributions by name (dict)."""
        return dict(self.ranges)

    @property
    def box(self) -> dict[str, tuple[float, float]]:
        """The ends (low, high) of every interval, and of the support of every distribution (dict)."""
        return {name: v.support() if isinstance(v, Distribution) else v for name, v in self.ranges}

    def require_precise(self) -> None:
        """Raise unless every number that an operating point takes is there, and a single one."""
        if not (self.ranges or self.lacks_prevalence or self.batch):
            return
        _ = self._known_limits
        require_single(self.ranges)
        self.at_prevalence(None)

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers by name (dict); several limits in words."""
        own = {f.name: getattr(self.asked, f.name) for f in fields(self.asked)}
        if "goal" not in own:
            return own
        goal, _ = own.pop("goal"), own.pop("limits")
        told = "; ".join(map(REFERENCE.told, self.limit_clauses))
        return {**goal.question.parameters, "subject_to": told, **own}

    @property
    def said(self) -> str:
        """The repr, with a word on the prevalence if that was taken from the data."""
        of_data = isinstance(self.own_prevalence, Proportion)
        return f"{self!r}{', the prevalence being that of the data' if of_data else ''}"

    @property
    def center(self) -> Question:
        """The precise question at the middle of every interval and the median of every distribution."""
        return self.with_numbers(**middles(self.ranges)) if self.ranges else self

    def corners(self, *, finite: bool = False) -> tuple[Question, ...]:
        """List the precise questions at the corners of the box of intervals, as of the condition."""
        return tuple(corner.question for corner in self.asked.corners(finite=finite))

    def with_numbers(self, **values: Any) -> Question:
        """Give the same with other numbers, which are checked, by name."""
        found: Question = self.asked.with_numbers(**values).question
        return found

    def moved(self, name: str, value: Fraction) -> Question:
        """Give the same with one number that is an exact fraction: for exact computations only."""
        found: Question = moved(self.asked, name, value).question
        return found

    def ends(self) -> tuple[Question, Question]:
        """Find the strictest and the loosest question of the box: the question itself, twice, if precise."""
        if not self.ranges:
            return self, self
        tight, loose = self.span.ends()
        return self.with_numbers(**tight), self.with_numbers(**loose)

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        """Find the first and the last vertex of a hull that are needed somewhere in the range."""
        self.refuse_confidence()
        costs: Any = self.costs
        found: tuple[int, int] | None = costs and costs.question.span.segment(frontier)
        if found is not None:
            if not self.limits:
                return found
            stretch = self.stretch(frontier)
            low, high = (stretch.nearest(Choice(i)) for i in found)
            return low.left, high.left + (high.share > 0)
        # Along a hull the optimum moves one way as a limit loosens, so it stays between those of the ends.
        choices = [end.best(frontier) for end in self.ends()]
        return min(c.left for c in choices), max(c.left + (c.share > 0) for c in choices)

    def regret(self, fpr: Fraction, tpr: Fraction, frontier: Frontier) -> float:
        """Tell what a point loses against the best of a hull; inf if the point is not allowed."""
        if not self.is_met(fpr, tpr):
            return float("inf")
        objective, best = self.objective, self.best(frontier)
        value = self.approached(frontier, best)
        value = objective.exact_value(*best.exact_rates(frontier)) if value is None else value
        return objective.regret(objective.exact_value(fpr, tpr), value)

    def largest_gap(self, whole: Frontier, kept: Frontier) -> float:
        """Tell the most that is lost anywhere in the range of a limit if one hull is kept instead of another.

        Parameters
        ----------
        whole, kept : Frontier
            The vertices of the hulls; the second is nowhere above the first.

        Raises
        ------
        ImpreciseConditionError
            If that is not known for this condition.
        """
        measure = self.limits[0].measure if len(self.limits) == len(self.ranges) == 1 else None
        if self.confidence is not None or measure not in (FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE):
            raise ImpreciseConditionError(f"condition must be precise, but is {self!r}.")
        low, high = map(exact, self.ranges[0][1])
        if measure == TRUE_POSITIVE_RATE:
            return whole.mirrored().gap_above(kept.mirrored(), 1 - high, 1 - low)[0]
        return whole.gap_above(kept, low, high)[0]

    # --- how sure ------------------------------------------------------------------------------

    def with_confidence(self, confidence: float | None) -> Question:
        """Give the same with another confidence, strictly between 0 and 1, if its limits can be promised."""
        if "confidence" not in vars(self.asked):
            return self
        found: Question = replace(self.asked, confidence=confidence).question
        return found

    def refuse_confidence(self) -> None:
        """Raise if it states a confidence: such a limit has no place on a hull."""
        self.refuse(
            confidence=lambda: Refusal(
                "{} needs the examples, which the vertices of a hull do not hold; ask for the segment "
                "without it.",
                Setting("confidence", self.confidence, "g"),
            )
        )

    # --- for which batch -----------------------------------------------------------------------

    @property
    def cases_in_batch(self) -> int | None:
        """How many rows of a batch it wants, whole ones; None if it does not speak of cases."""
        cases = None if self.batch is None else self.batch.cases
        if isinstance(cases, tuple):
            self.require_precise()
        return None if cases is None else math.floor(cases)

    @property
    def reviews_in_batch(self) -> int | None:
        """How many rows of a batch can be reviewed, whole ones; None if it does not speak of that."""
        reviews = None if self.batch is None else self.batch.reviews
        return None if reviews is None else math.floor(reviews)

    @property
    def is_of_batch(self) -> bool:
        """Whether it asks for nothing besides a number of cases, of which most positives are to be found."""
        return self.batch is not None and self.goal == TRUE_POSITIVE_RATE and self.beside_batch() is None

    def beside_batch(self) -> Question | None:
        """Give what it asks for besides a number of cases; None if there is nothing else."""
        batch = self.batch
        if batch is None or batch.cases is None:
            return None
        limits = [limit for limit in self.limits if limit != batch.share]
        if not limits and self.goal == TRUE_POSITIVE_RATE:
            return None
        return replace(self, limits=tuple(limits), batch=None)
