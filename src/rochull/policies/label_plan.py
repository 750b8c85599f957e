"""Which cases of a batch to label, with which probability, and how wide the interval will be then."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rochull._core import validation
from rochull._core.messages import refused
from rochull._core.results import Result
from rochull._core.validation import Array
from rochull.conditions.frontier import Choice
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull, point_at
from rochull.policies.performance import Deployment, cost_ends, ranges_of
from rochull.policies.shares import Ranges

_EVEN = 0.1  # of the labels is spread evenly
_NEAR = 0.02  # of the cases: rules that differ on fewer are not compared


@dataclass(frozen=True)
class LabelPlan(Result):
    """A plan of which cases to label.

    Attributes
    ----------
    n : int
        How many cases are labelled.
    target : {"decision", "cost"}
    probability : ndarray, shape (n_cases,)
        Of each case to be labelled; 0 without a score.
    width : float
        Of the interval at `level`, if posteriors hold: of the deployed rule's expected cost; or of what
        moving to another rule saves, for the rule of which it is widest.
    widths : dict of str to float
        The latter by rule; empty for the cost.
    level : float

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(4000) < 0.2
    >>> policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    >>> now = rng.random(3000) < 0.2
    >>> scores = rng.normal(1.5 * now)
    >>> plan = policy.label_plan(scores, 200, "cost", rh.ExpectedCost(cost_fn=5, prevalence=0.2))
    >>> chosen = plan.draw(0)
    >>> labels = np.where(chosen, now, np.nan)  # label these
    >>> found = policy.performance(
    ...     scores, rh.ExpectedCost(cost_fn=5, prevalence=0.2), labels, sample_weight=plan.weight
    ... )
    >>> print(plan)
    200 labels tell what the rule costs in an interval of width 0.267 (95 %)
    >>> found.n_labelled
    200
    """

    n: int
    target: str
    probability: Array = field(repr=False)
    width: float
    widths: Mapping[str, float]
    level: float

    @property
    def weight(self) -> Array:
        """The inverse of the probability (n_cases,); 1 where there is none."""
        return np.divide(
            1.0, self.probability, out=np.ones(self.probability.size), where=self.probability > 0
        )

    def draw(self, random_state: Any = None) -> Array:
        """Choose the cases to label.

        Parameters
        ----------
        random_state : int, Generator or None, optional
            Seed.

        Returns
        -------
        ndarray of bool, shape (n_cases,)
            True for exactly `n` cases, each with its probability (systematically, in a random order).
        """
        rng = validation.generator(random_state)
        order = rng.permutation(self.probability.size)
        reached = np.cumsum(self.probability[order])
        reached *= self.n / reached[-1]
        found = np.zeros(self.probability.size, bool)
        steps = np.floor(reached - rng.random() + 1)
        found[order] = np.diff(steps, prepend=0) > 0
        return found

    def __str__(self) -> str:
        what = "what the rule costs" if self.target == "cost" else "what another rule would save"
        return (
            f"{self.n} labels tell {what} in an interval of width {self.width:.3g} ({100 * self.level:g} %)"
        )


def planned(
    hull: RocHull, point: OperatingPoint, condition: Any, columns: ScoreColumns, asked: tuple[int, str, float]
) -> LabelPlan:
    """Make a plan of so many labels, for a target, at a level."""
    n, target, level = asked
    if target not in ("decision", "cost"):
        raise refused("target", 'must be "decision" or "cost", but is {}.', repr(target))
    deployment = Deployment(hull, point, condition)
    prices = deployment.prices
    if prices is None:
        raise refused("condition", "has no costs, so labels have no price; give ExpectedCost(...).")
    ((name, ranges),) = ranges_of(hull, point, columns, deployment.stated()).items()
    n = validation.whole(n, "n", 2)
    if n > ranges.size:
        raise refused("n", "is {}, but {} cases have a score.", n, ranges.size)
    design = _Labelling(ranges, ranges.flagged_by(point), (float(prices[1]), float(prices[2])), n, level)
    others = design.others(hull, name) if target == "decision" else {}
    if target == "decision" and not others:
        raise refused("target", "is the decision, but the policy has no other rule.")
    chance = design.probabilities(design.worth(others))
    widths = {told: design.width(chance, moved, cost=False) for told, moved in others.items()}
    width = max(widths.values()) if widths else design.width(chance, design.errors, cost=True)
    scores = columns.columns[name]
    found = np.zeros(scores.values.size)
    there = scores.present
    found[there] = chance[ranges.ladder.place_of(scores.values[there])]
    return LabelPlan(n, target, found, width, widths, level)


@dataclass(frozen=True, eq=False)
class _Labelling:
    """Labels of a batch by range.

    Attributes
    ----------
    ranges : of the batch.
    flagged : (k,) how much of each the deployed rule flags.
    costs : of a false positive and a false negative.
    n : number of labels.
    level : of intervals.
    """

    ranges: Ranges
    flagged: Array
    costs: tuple[float, float]
    n: int
    level: float

    @property
    def errors(self) -> tuple[Array, Array]:
        """The cost of the deployed rule in each range if a case is positive, and if it is negative (k,)."""
        cost_fp, cost_fn = self.costs
        return cost_fn * (1 - self.flagged), cost_fp * self.flagged

    def others(self, hull: RocHull, classifier: str | None) -> dict[str, tuple[Array, Array]]:
        """Other rules of the classifier: what each saves in each range on a positive, and on a negative.

        Those of which each differs on about twice as many cases as the last, on both sides.
        """
        cost_fp, cost_fn = self.costs
        found: dict[str, tuple[Array, Array]] = {}
        far = {True: 0.0, False: 0.0}
        steps = np.arange(len(self.flagged))
        points = (point_at(hull, Choice(i)) for i in range(len(hull)))
        held = []
        for rule in (one.rules[0][0] for one in points):
            if rule.constant is not None or rule.classifier == classifier:
                moved: Array = (steps < self.ranges.step_of(rule)) - self.flagged
                held.append((float(np.abs(moved) @ self.ranges.share), rule, moved))
        for away, rule, moved in sorted(held, key=lambda one: one[0]):
            side = bool(moved.sum() > 0)
            if away >= max(2 * far[side], _NEAR):
                far[side] = away
                found[str(rule)] = cost_fn * moved, -cost_fp * moved
        return found

    def _noise(self, moved: tuple[Array, Array]) -> Array:
        """The variance of what a label says, about its posterior (k,)."""
        p = self.ranges.posterior
        return np.asarray((moved[0] - moved[1]) ** 2 * p * (1 - p))

    def worth(self, others: Mapping[str, tuple[Array, Array]]) -> Array:
        """The worth of a label of each range (k,), as a variance; each rule weighs alike."""
        if not others:
            return self._noise(self.errors)
        noises = [self._noise(moved) for moved in others.values()]
        return np.asarray(sum(noise / max(noise @ self.ranges.share, 1e-300) for noise in noises))

    def probabilities(self, worth: Array) -> Array:
        """Probabilities (k,) that add up to the number of labels: by worth, and a part evenly."""
        cases = self.ranges.share * self.ranges.size
        score = np.sqrt(worth)
        total = float(score @ cases)
        even = np.full(len(score), 1 / self.ranges.size)
        score = even if not total else (1 - _EVEN) * score / total + _EVEN * even
        low, high = 0.0, float(self.n / score[cases > 0].min())
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if np.minimum(middle * score, 1) @ cases < self.n else (low, middle)
        return np.minimum(high * score, 1)

    def width(self, chance: Array, moved: tuple[Array, Array], *, cost: bool) -> float:
        """The width of the interval of the mean of what is gained or lost, if posteriors hold."""
        from scipy.special import stdtrit

        p, share, size = self.ranges.posterior, self.ranges.share, self.ranges.size
        some = share > 0
        mean = p * moved[0] + (1 - p) * moved[1]
        within = float(share[some] @ (self._noise(moved)[some] / chance[some]))
        between = float(share @ (mean - share @ mean) ** 2)
        labelled = share * size * chance
        df = max(min(float(labelled @ p), float(labelled @ (1 - p))) - 1, 1.0)
        half = float(stdtrit(df, (1 + self.level) / 2)) * math.sqrt((within + between) / size)
        if not cost:
            return 2 * half
        low, high = cost_ends(float(share @ mean), half)
        return high - low
