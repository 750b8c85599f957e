"""A third action: cases may be passed on to a reviewer, at a cost."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.messages import Advice, Parameter, Refusal, Setting, WrongType, refused
from rochull._core.results import Result
from rochull._core.validation import Array, non_negative, probability
from rochull.conditions.bands import Amounts, Review1D, ReviewBand
from rochull.conditions.base import Condition
from rochull.conditions.clauses import assured, at, clause_number
from rochull.conditions.costs import costs_of
from rochull.conditions.frontier import Choice, Frontier
from rochull.conditions.objectives import Objective
from rochull.conditions.question import Question
from rochull.conditions.ranges import Imprecise, Proportion, as_given, exact, largest_within, middles
from rochull.conditions.review_rules import BandRule, ReviewPoint
from rochull.conditions.rules import OperatingPoint
from rochull.conditions.spans import InBatch
from rochull.conditions.vertices import InfeasibleConditionError, Vertices
from rochull.words.clauses import Clause

Hull = TypeVar("Hull", bound=Vertices)
PERFECT = (0.0, 1.0)
_SEGMENTS = "there are no reviews where thresholds differ by segment; take a policy of one threshold for all."
REVIEWS = Amounts((0, 0), (0, 0), (1, 1))
_COSTS = ("cost_fp", "cost_fn", "cost_review")


@dataclass(frozen=True)
class Review(Condition):
    """Minimise the expected cost per case where a case may also be reviewed.

    A case is called positive, called negative, or passed on to a reviewer. What is passed on is an interval
    of scores, found exactly (Chow's rule: two tangents of one hull); under a limit it is as large as it may
    be, with one block of the hull decided by lot (two under both limits).

    Parameters
    ----------
    cost_fp, cost_fn : float, (low, high) or distribution, default=1.0
        Cost of a false positive and of a false negative, the reviewer's included.
    cost_review : float, (low, high) or distribution, default=0.1
        Cost of a review.
    prevalence : float, (low, high) or distribution, optional
        Proportion of positives among the cases to be decided; that of the object asked, if not given.
    max_share : float, optional
        The largest share of all cases that can be reviewed: of a team that can review 200 of 10,000 cases a
        day, 0.02.
    max_error : float, optional
        The largest share of errors among the cases that are decided without a review.
    reviewer : tuple of 2 float, optional
        The false and the true positive rate of the reviewer, whatever the score of the cases; (0, 1), a
        perfect one, if not given.
    confidence : float, optional
        Strictly between 0 and 1. The band is then chosen so that the *population* keeps `max_error` and
        `max_share` with at least this probability. It is one band without a lot, of unweighted examples that
        stand for the cases: a prevalence is not to be stated. Where nothing else is assured, everything is
        reviewed.
    max_cases : float, optional
        The largest number of cases of a batch that can be reviewed: of a team that can review 200 a day, 200,
        however many there are. It is for :meth:`Policy.decide` and :meth:`Policy.rank`, which review exactly
        so many, or all that are worth a review if these are fewer; and it is the only limit then.

    Raises
    ------
    ValueError
        If a cost is negative, a share is outside [0, 1], nothing costs anything, a confidence is stated
        without a limit, or `max_cases` together with something else.

    Notes
    -----
    Of several classifiers the one is taken that is best for the whole rule. Two classifiers together might do
    better, where they disagree; hulls do not tell what happens there, only the joint counts of their scores.

    References
    ----------
    Chow 1970; Pietraszek 2005, whose cost-based, bounded-abstention and bounded-improvement models are a
    cost alone, `max_share` and `max_error`.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> point = hull.at(rh.Review(cost_review=0.1, max_share=0.25))
    >>> print(point.words)
    positive from score >= 0.9 (50%) or positive from score >= 0.9, review from score >= 0.7 (50%)
    >>> point.review_rate, round(point.error_rate, 4)
    (0.25, 0.1667)
    """

    cost_fp: Imprecise = 1.0
    cost_fn: Imprecise = 1.0
    cost_review: Imprecise = 0.1
    prevalence: Imprecise | None = None
    max_share: float | None = None
    max_error: float | None = None
    reviewer: tuple[float, float] | None = None
    confidence: float | None = None
    max_cases: float | None = None

    def __post_init__(self) -> None:
        self._check(non_negative, *_COSTS, spread=True)
        self._check(probability, "prevalence", spread=True)
        for name in ("max_share", "max_error"):
            if (most := getattr(self, name)) is not None:
                object.__setattr__(self, name, as_given(most, probability(most, name)))
        if self.reviewer is not None:
            object.__setattr__(self, "reviewer", _reviewer(self.reviewer))
        known = middles(self._range())
        if not any(known.get(name, getattr(self, name)) for name in _COSTS):
            raise Refusal(
                "{}, {} and {} are 0: nothing costs anything.",
                Parameter("cost_fp"),
                Parameter("cost_fn"),
                Parameter("cost_review"),
            )
        self._check_confidence()
        if self.max_cases is not None:
            object.__setattr__(self, "max_cases", non_negative(self.max_cases, "max_cases"))
            others = [n for n in ("max_share", "max_error", "confidence") if getattr(self, n) is not None]
            if others:
                raise Refusal(
                    "{}, which a batch keeps by its own counts, and {} exclude each other.",
                    Parameter("max_cases"),
                    Parameter(others[0]),
                )
        if self.confidence is not None and self.max_share is None and self.max_error is None:
            raise Refusal(
                "{} is of limits, but neither {} nor {} is given.",
                Setting("confidence", self.confidence, "g"),
                Parameter("max_error"),
                Parameter("max_share"),
            )

    # --- what it asks for ----------------------------------------------------------------------

    @property
    def best_clause(self) -> Clause:
        """State this as the goal (Clause)."""
        return Clause("best.review", **{name: clause_number(getattr(self, name)) for name in _COSTS})

    def _question(self) -> ReviewQuestion:
        batch = None if self.max_cases is None else InBatch(reviews=self.max_cases)
        return ReviewQuestion(self, (), self.confidence, batch, self._range(), self)

    def _range(self) -> tuple[tuple[str, Any], ...]:
        return tuple(each for each in super()._range() if each[0] != "reviewer")

    @classmethod
    def of(cls, costs: Any) -> Review:
        """Give the review that costs are meant as.

        Parameters
        ----------
        costs : Review or ExpectedCost
            Of the latter a review is free.

        Returns
        -------
        Review
            Itself, if it is one.
        """
        if isinstance(costs, cls):
            return costs
        known = costs_of(costs)
        if known is None:
            raise WrongType(
                "{} must be a Review or an ExpectedCost, but is {}.", Parameter("costs"), repr(costs)
            )
        return cls(known.cost_fp, known.cost_fn, 0.0, known.prevalence)

    def cost_at(self, point: OperatingPoint) -> float:
        """Compute the expected cost per case at an operating point, with that of its reviews.

        Parameters
        ----------
        point : OperatingPoint
            Its cases are reviewed by the reviewer of the condition.

        Returns
        -------
        float
            In the unit of the costs.
        """
        self.question.require_precise()
        amounts, p = amounts_of(self), float(exact(self.prevalence))  # type: ignore[arg-type]
        shares = []
        for called, reviewed in zip(point.called, point.reviewed, strict=True):
            shares.append((1 - called - reviewed, called, reviewed))
        of_class = zip(*(amounts.negative, amounts.positive, amounts.review), strict=True)
        weighed = zip((1 - p, p), shares, of_class, strict=True)
        return sum(w * float(c) * s for w, each, costs in weighed for s, c in zip(each, costs, strict=True))


def amounts_of(review: Review) -> Amounts:
    """Costs of each action with a case of each class, of single numbers."""
    fp, fn, each = (exact(getattr(review, name)) for name in _COSTS)
    false, true = map(exact, review.reviewer or PERFECT)
    return Amounts((0, fn), (fp, 0), (each + fp * false, each + fn * (1 - true)))


def review_of(costs: Any, prevalence: float | None) -> ReviewQuestion:
    """The question that costs are meant as, at the prevalence of some data if they state none."""
    found: Any = Review.of(costs).question.at_prevalence(prevalence)
    made: ReviewQuestion = found
    return made


class ReviewQuestion(Question):
    """A question with a third action, to review a case; the goal is a Review."""

    has_third_action = True

    def _refused(self) -> NoReturn:
        raise WrongType(
            "condition: a Review has a third action, so its best rule is not a point of a hull; it has "
            "no other limits than {} and {}, and no table of regrets: ask at, decide, to_sql, "
            "review_frontier or review_range.",
            Parameter("max_share"),
            Parameter("max_error"),
        )

    @property
    def objective(self) -> Objective:
        self._refused()

    @property
    def costs(self) -> None:
        return None

    def is_met(self, fpr: Fraction, tpr: Fraction) -> bool:
        self._refused()

    def best(self, frontier: Frontier) -> Choice:
        self._refused()

    def best_single(self, frontier: Frontier) -> int:
        self._refused()

    def segment(self, frontier: Frontier) -> tuple[int, int]:
        self._refused()

    def largest_gap(self, whole: Frontier, kept: Frontier) -> float:
        self._refused()

    @property
    def clause(self) -> Clause:
        """The question, to be put in words by a vocabulary (Clause)."""
        review = self.goal
        said = at(review.best_clause, review.prevalence)
        for name in ("max_share", "max_cases", "max_error"):
            if (most := getattr(review, name)) is not None:
                said = Clause(f"reviews.{name}", said=said, most=most)
        if review.reviewer is not None:
            said = Clause("reviews.reviewer", said=said, fpr=review.reviewer[0], tpr=review.reviewer[1])
        return assured(said, self.confidence)

    # --- a number of cases of a batch -----------------------------------------------------------

    def as_share_of(self, size: int) -> ReviewQuestion:
        """Give the condition with the share that so many reviews are of a batch.

        Parameters
        ----------
        size : int
            Cases in the batch.

        Returns
        -------
        ReviewQuestion
            Without `max_cases`.
        """
        most = min(self.reviews_in_batch or 0, size)
        return self.with_numbers(max_cases=None, max_share=most / size if size else 0.0)  # type: ignore[return-value]

    # --- what it is made of --------------------------------------------------------------------

    @cached_property
    def cost_amounts(self) -> Amounts:
        """Costs of each action with a case of each class."""
        if self.ranges or self.goal.prevalence is None:
            self.require_precise()
        return amounts_of(self.goal)

    @property
    def uses(self) -> list[tuple[str, Amounts, Fraction]]:
        """By name, what is used with a case of each class, and the most that may be used a case."""
        return self.uses_among(1)

    def uses_among(self, parts: int) -> list[tuple[str, Amounts, Fraction]]:
        """Give the same where what rounds to a limit meets it.

        Parameters
        ----------
        parts : int
            The weight of all cases, in units: what occurs is a share of so many at most.

        Returns
        -------
        list of (str, Amounts, Fraction)
            As `uses`.
        """
        found = []
        if self.goal.max_share is not None:
            found.append(("max_share", REVIEWS, largest_within(self.goal.max_share, parts)))
        if self.goal.max_error is not None:
            # An error spends 1 - e of what e of each decided case brings in.
            e = largest_within(self.goal.max_error, parts)
            found.append(("max_error", Amounts((-e, 1 - e), (1 - e, -e), (0, 0)), Fraction(0)))
        return found

    def along(self, frontier: Frontier) -> Review1D:
        """Decisions along a frontier.

        Parameters
        ----------
        frontier : Frontier
            The vertices of a hull.

        Returns
        -------
        Review1D
            At its prevalence, with its costs.
        """
        amounts = self.cost_amounts
        return Review1D(frontier, exact(self.goal.prevalence), amounts)

    # --- the best rule -------------------------------------------------------------------------

    def best_band(self, frontier: Frontier, deterministic: bool = False) -> ReviewBand:
        """Find what is best reviewed along a frontier, exactly.

        Parameters
        ----------
        frontier : Frontier
            The vertices of a hull.
        deterministic : bool, default=False
            Between two vertices, without a mixture.

        Returns
        -------
        ReviewBand
            Of least cost; of equals that with fewer reviews.

        Raises
        ------
        InfeasibleConditionError
            If its two limits cannot be kept together.
        """
        here = self.along(frontier)
        limits = self.uses_among(here.total)
        if not limits:
            return here.cheapest(REVIEWS)
        if deterministic:
            single = here.single([(self.cost_amounts, Fraction(0))], [limit[1:] for limit in limits])
            if single is None:
                self._both_unmet(here, deterministic)
            return single[0]
        for _, use, most in limits:
            band = here.within(use, most)
            if all(here.amount(band, other) <= bound for _, other, bound in limits):
                return band
        found, _ = here.at_share(limits[0][2], *limits[1][1:])
        if found is None:
            self._both_unmet(here, deterministic)
        return found

    def _both_unmet(self, here: Review1D, deterministic: bool) -> NoReturn:
        """Say that both limits cannot be kept, and what each would have to be."""
        (_, reviews, share), (_, errors, most) = self.uses_among(here.total)
        fewest = Review1D(here.frontier, exact(self.goal.prevalence), reviews).within(errors, most)
        _, least = here.at_share(share, errors, most)
        e = exact(self.goal.max_error)
        rate = e + least / (1 - share) if share < 1 else Fraction(0)
        review = self.goal
        raise InfeasibleConditionError(
            "no {} keeps both {} and {}: with so many reviews the error is at least {}, and with so "
            "few errors the share is at least {}{}.",
            "single rule" if deterministic else "rule",
            Setting("max_share", review.max_share, "g"),
            Setting("max_error", review.max_error, "g"),
            f"{float(rate):.4g}",
            f"{float(here.amount(fewest, reviews)):.4g}",
            " (with mixtures)" if deterministic else "",
        )

    def promised(self, rule: OperatingPoint, frontier: Frontier) -> float:
        from rochull.conditions.assured_review import promised_band

        return promised_band(self, rule, frontier)

    def own_point(self, hulls: Iterable[Vertices], deterministic: bool, minimax: bool = False) -> ReviewPoint:
        from rochull.conditions.review_ranges import least_worst_band

        if self.goal.max_cases is not None:
            hulls = list(hulls)
            if any(rule.differs_by_segment for hull in hulls for rules in hull.owners for rule in rules):
                raise ValueError(_SEGMENTS)
            raise Refusal(
                "{} is kept by a batch as a whole ({}), which no rule for one case can; give {}.",
                Setting("max_cases", self.goal.max_cases, "g"),
                Advice("decide", "Policy.decide"),
                Parameter("max_share"),
            )
        if self.confidence is not None:
            return self._assured(list(hulls))
        if minimax and self.ranges:
            hull, mixed = least_worst_band(self, list(hulls), deterministic)
            return self.center.point(hull, mixed)  # type: ignore[attr-defined,no-any-return] # a review's
        hull, band = self.best_of(hulls, deterministic)
        return self.point(hull, [(i, j, share) for i, j, share in band.mixed()])

    def best_of(self, hulls: Iterable[Hull], deterministic: bool = False) -> tuple[Hull, ReviewBand]:
        """Find the classifier that is best for the whole rule.

        Parameters
        ----------
        hulls : iterable of Vertices
            Of one classifier each.
        deterministic : bool, default=False
            As for :meth:`best_band`.

        Returns
        -------
        tuple of (Vertices, ReviewBand)
            Its hull, and its best band.

        Raises
        ------
        InfeasibleConditionError
            If none can keep the limits.
        """
        found, missing = [], None
        for hull in hulls:
            try:
                band = self.best_band(hull.frontier, deterministic)
            except InfeasibleConditionError as error:
                missing = error
                continue
            found.append((self.along(hull.frontier).cost(band), hull, band))
        if not found:
            raise missing or ValueError("there is no hull.")
        _, hull, band = min(found, key=lambda each: each[0])
        return hull, band

    def _assured(self, hulls: list[Vertices]) -> ReviewPoint:
        """The best band of which the population keeps the limits; the shortfall is shared out over hulls."""
        from rochull.conditions.assured_review import assured_band

        self.require_precise()
        if not isinstance(self.goal.prevalence, Proportion):
            raise Refusal(
                "{} is of cases like the examples, whose prevalence is theirs: state none in the Review, "
                "instead of {}.",
                Setting("confidence", self.confidence, "g"),
                f"{self.goal.prevalence:g}",
            )
        shortfall, found = (1 - exact(self.confidence)) / len(hulls), []  # type: ignore[arg-type]
        for hull in hulls:
            points = hull.every_threshold
            if points is None:
                raise refused(
                    "confidence",
                    "needs every threshold for the errors of what is decided, but the hull holds its "
                    "vertices alone; make it with RocHull.from_curve(roc_curve(...)), or ask a Hybrid of "
                    "arrays or from_table: a scan keeps the vertices.",
                )
            try:
                band = assured_band(self, points.frontier, shortfall)
            except InfeasibleConditionError as error:
                missing = error
                continue
            found.append(self.point(points, [(*band, Fraction(1))]))
        if not found:
            raise missing
        return max(found, key=self.merit)

    def merit(self, point: OperatingPoint) -> tuple[float | Fraction, ...]:
        reviewed = [float(x) for x in point.reviewed]
        return -self.goal.cost_at(point), -sum(reviewed)

    def point(self, hull: Vertices, mixed: list[tuple[int, int, Fraction]]) -> ReviewPoint:
        """Make an operating point.

        Parameters
        ----------
        hull : Vertices
            Of one classifier.
        mixed : list of (int, int, Fraction)
            Pairs of vertices between which cases are reviewed, with their shares.

        Returns
        -------
        ReviewPoint
            Its amounts are at the prevalence of the condition.
        """
        point, p = hull.frontier.point, exact(self.goal.prevalence)
        called = [sum(share * point(i)[k] for i, _, share in mixed) for k in (0, 1)]
        reached = [sum(share * point(j)[k] for _, j, share in mixed) for k in (0, 1)]
        passed = [b - a for a, b in zip(called, reached, strict=True)]
        reviewer = self.goal.reviewer or PERFECT
        rates = [a + exact(r) * b for a, b, r in zip(called, passed, reviewer, strict=True)]
        reviews = (1 - p) * passed[0] + p * passed[1]
        errors = (1 - p) * called[0] + p * (1 - reached[1])
        rules = tuple(
            (BandRule(high=hull.owners[i][0], low=hull.owners[j][0]), float(share)) for i, j, share in mixed
        )
        if any(part.differs_by_segment for rule, _ in rules for part in (rule.high, rule.low)):
            raise ValueError(_SEGMENTS)
        return ReviewPoint(
            float(rates[0]), float(rates[1]), rules, "vertex" if len(rules) == 1 else "edge", hull.prevalence,
            called=(float(called[0]), float(called[1])), reviewed=(float(passed[0]), float(passed[1])),
            review_rate=float(reviews), error_rate=float(errors / (1 - reviews)) if reviews < 1 else math.nan,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class ReviewFrontier(Result):
    """The least expected cost per case for every share of cases reviewed; straight between its points.

    Attributes
    ----------
    share : ndarray of shape (k,)
        From 0, nothing, to 1, everything; ascending.
    cost : ndarray of shape (k,)
        With that of the reviews; of one classifier it falls first, if a review is worth its cost, then rises.

    Examples
    --------
    >>> import rochull as rh
    >>> hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> hull.review_frontier(rh.Review(cost_review=0.1)).cost.tolist()
    [0.25, 0.05, 0.075, 0.1]
    """

    share: Array
    cost: Array


def frontier_over(review: ReviewQuestion, hulls: Iterable[Vertices]) -> ReviewFrontier:
    """The frontier of the best of several classifiers, each on its own hull, for each share."""
    made = [review.along(hull.frontier).frontier_of_shares() for hull in hulls]
    first, *others = (ReviewFrontier(*map(np.array, each)) for each in made)
    return functools.reduce(_lower, others, first)


def _lower(one: ReviewFrontier, other: ReviewFrontier) -> ReviewFrontier:
    """The lower of two frontiers for each share, with the places where they cross."""
    share = np.union1d(one.share, other.share)
    costs = [np.interp(share, each.share, each.cost) for each in (one, other)]
    apart = costs[0] - costs[1]
    at = np.flatnonzero(apart[:-1] * apart[1:] < 0)
    part = apart[at] / (apart[at] - apart[at + 1])
    crossing = share[at] + part * (share[at + 1] - share[at])
    height = costs[0][at] + part * (costs[0][at + 1] - costs[0][at])
    return ReviewFrontier(np.insert(share, at + 1, crossing), np.insert(np.minimum(*costs), at + 1, height))


def _reviewer(given: Any) -> tuple[float, float]:
    """The rates of a reviewer."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise refused("reviewer", "must be a pair (fpr, tpr), but is {}.", repr(given))
    false, true = (
        probability(rate, Parameter(f"reviewer's {name}"))
        for rate, name in zip(given, ("fpr", "tpr"), strict=True)
    )
    return false, true
