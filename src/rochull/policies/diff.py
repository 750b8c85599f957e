"""Two policies on the same cases: who is decided otherwise, and what that costs or saves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rochull._core.results import Interval, Result
from rochull._core.validation import Array
from rochull.conditions.costs import costs_of
from rochull.conditions.rules import OperatingPoint
from rochull.decisions.questions import prevalence_asked
from rochull.decisions.score_columns import ScoreColumns
from rochull.hull.hull import RocHull
from rochull.policies.prevalence import RatioLadder
from rochull.policies.shares import Ranges
from rochull.uncertainty.means import CountedMean


@dataclass(frozen=True)
class PolicyDiff(Result):
    """How two policies differ on a batch.

    Attributes
    ----------
    n, n_labelled : int
        Numbers of cases, and of those with a label.
    both, old_only, new_only, neither : int
        Numbers of cases that are flagged by both policies, by one of them, by none.
    by_old, by_new : Interval or None
        By how much the cost per case changes, by the posteriors of either policy, at the condition's
        prevalence; below 0 the new one saves. Each thinks well of its own decisions: where
        the two disagree, labels decide. None where a policy has no posteriors, or there are no costs.
    observed : Interval or None
        The same by the labels, case by case: the labelled ones have to be a random sample.
    changed : ndarray of bool, shape (n,)
        Which rows are decided otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> scores = {"old": rng.normal(y), "new": rng.normal(2 * y)}
    >>> old, new = (rh.Policy.from_hull(rh.roc_hull(y, s).named(n)) for n, s in scores.items())
    >>> found = old.diff(new, scores, rh.ExpectedCost(cost_fn=5, prevalence=0.3), y)
    >>> found.old_only, found.new_only
    (608, 238)
    >>> print(found.observed)
    -0.257 (-0.313 to -0.2007; 95 % counts)
    """

    n: int
    n_labelled: int
    both: int
    old_only: int
    new_only: int
    neither: int
    by_old: Interval | None
    by_new: Interval | None
    observed: Interval | None
    changed: Array = field(repr=False)

    def __str__(self) -> str:
        share = (self.old_only + self.new_only) / self.n
        lines = [
            f"{share:.2%} of {self.n:,} cases are decided otherwise:",
            f"  {self.new_only:,} are flagged by the new policy alone, {self.old_only:,} by the old one",
        ]
        for name, told in (
            ("by_old", "the posteriors of the old policy"), ("by_new", "the posteriors of the new policy"),
            ("observed", f"{self.n_labelled:,} labels"),
        ):  # fmt: skip
            found = getattr(self, name)
            if found is not None:
                lines.append(
                    f"cost per case by {told}: {found.estimate:+.4g} ({found.low:+.4g} to {found.high:+.4g})"
                )
        return "\n".join(lines)


@dataclass(frozen=True)
class Belief:
    """Where a policy's posteriors come from.

    Attributes
    ----------
    hull : of the policy.
    classifier : that decides.
    """

    hull: RocHull
    classifier: str


@dataclass(frozen=True, eq=False)
class Changes:
    """Decisions of two policies on the rows of a batch.

    Attributes
    ----------
    old, new : (n,) which rows are flagged.
    count : (n,) how many cases each row stands for.
    condition : whose costs and prevalence count.
    level : of intervals.
    """

    old: Array
    new: Array
    count: Array
    condition: Any
    level: float = 0.95

    @property
    def _costs(self) -> tuple[float, float] | None:
        if isinstance(self.condition, OperatingPoint):
            return None
        costs: Any = costs_of(self.condition)
        return None if costs is None else (float(costs.cost_fp), float(costs.cost_fn))

    def found(
        self, believed: tuple[Belief | None, Belief | None], scores: Any, truth: Array | None
    ) -> PolicyDiff:
        """Describe the changes; `truth` (n,) is 1, 0, or NaN where it is not known.

        What each policy believes is None where it has no posteriors.
        """
        cells = [self.old & self.new, self.old & ~self.new, ~self.old & self.new, ~self.old & ~self.new]
        both, old_only, new_only, neither = (int(self.count[rows].sum()) for rows in cells)
        known = np.zeros(len(self.old), bool) if truth is None else ~np.isnan(truth)
        by_old, by_new = (self._by_posteriors(belief, scores) for belief in believed)
        observed = None
        if truth is not None and known.any() and self._costs is not None:
            observed = self.observed(truth).interval(self.level)
        return PolicyDiff(
            int(self.count.sum()), int(self.count[known].sum()), both, old_only, new_only, neither,
            by_old, by_new, observed, self.old != self.new,
        )  # fmt: skip

    def observed(self, truth: Array, prevalence: float | None = None) -> CountedMean:
        """The change of the cost by the labels (n,), at their own prevalence or at another."""
        assert self._costs is not None
        cost_fp, cost_fn = self._costs
        moved, most = self.new.astype(float) - self.old, max(cost_fp, cost_fn)
        worth = moved * np.where(truth == 1, -cost_fn, cost_fp)
        return CountedMean.of_cases(worth, truth, self.count, (-most, most), prevalence)

    def cost(self, truth: Array, prevalence: float | None = None) -> CountedMean:
        """The cost of the new policy by the labels (n,)."""
        assert self._costs is not None
        cost_fp, cost_fn = self._costs
        worth = np.where(truth == 1, cost_fn * ~self.new, cost_fp * self.new)
        return CountedMean.of_cases(worth, truth, self.count, (0.0, max(cost_fp, cost_fn)), prevalence)

    def _by_posteriors(self, belief: Belief | None, scores: Any) -> Interval | None:
        """The change by the posteriors of a policy, which carry the errors of its examples."""
        if self._costs is None or belief is None or belief.hull.units.weighted:
            return None
        hull, (cost_fp, cost_fn) = belief.hull, self._costs
        stated = prevalence_asked(self.condition, hull.prevalence)
        stated = hull.prevalence if stated is None else stated
        if stated is None:
            return None
        name = belief.classifier
        held = ScoreColumns(scores, [name], hull.classifiers == (name,)).columns[name]
        there, moved = held.present, self.new.astype(float) - self.old
        ladder = RatioLadder.of(hull, name)
        place = ladder.place_of(held.values[there])
        count, moved = self.count[there], moved[there]
        ranges = Ranges.of(ladder, held.values[there], stated, None, count)
        posterior, n = ranges.posterior[place], count.sum()
        worth = moved * (cost_fp * (1 - posterior) - cost_fn * posterior)
        mean = float(worth @ count) / n
        share = np.bincount(place, count * moved, len(ladder.llr)) / n
        variance = float((worth - mean) ** 2 @ count) / n**2
        variance += (cost_fp + cost_fn) ** 2 * float(share**2 @ ranges.posterior_variance)
        from scipy.special import ndtri

        width = float(ndtri((1 + self.level) / 2)) * math.sqrt(variance)
        return Interval(mean - width, mean + width, mean, self.level, "posteriors")
