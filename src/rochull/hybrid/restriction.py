"""Fewer classifiers: which to keep for a range of conditions, and what is given up without the others."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.results import Result
from rochull.conditions.base import Condition
from rochull.conditions.cost_spans import CostSpan
from rochull.conditions.costs import ExpectedCost
from rochull.conditions.door import question_asked
from rochull.conditions.frontier import Frontier
from rochull.conditions.rules import OperatingPoint, Rule
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.hull.hull import RocHull
from rochull.hull.ways import OverRange, way_of
from rochull.hybrid.mean_regret import least_costs


@dataclass(frozen=True)
class GivenUp:
    """The most that is lost, over all conditions (in-sample).

    Attributes
    ----------
    tpr : float
        Largest true positive rate given up at the same false positive rate.
    fpr : float
        Where that is.
    cost : float
        Largest expected cost per case given up, in units of ``w + m``: the cost of fpr = 1 plus that
        of tpr = 0.
    slope : float
        The slope of the iso-performance lines, ``w / m``, for which that is.
    """

    tpr: float
    fpr: float
    cost: float
    slope: float


@dataclass(frozen=True, eq=False)
class Restriction(Result):
    """Some of a hybrid's classifiers, and what is given up without the others (in-sample).

    Attributes
    ----------
    condition : Condition or None
        The range that the classifiers were kept for; None for all slopes, or if they were named.
    whole : Hybrid
        All classifiers.
    hybrid : Hybrid
        Those that are kept.
    segment : tuple of int or None
        The first and the last vertex of the whole hull that are needed in the range; None if there
        is none, because classifiers were left out by name.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.restrict(rh.ExpectedCost(cost_fn=(2, 4))))
    keeps 1 of 2 classifiers: b
    inside the range nothing is lost
    elsewhere at most TPR 0.5, at FPR 0; and at most 0.1667 in expected cost, if the
      costs of fpr = 1 and of tpr = 0 sum to 1, at slope 2 (in-sample)
    AUC of the hull 0.75, of all 0.875
    """

    condition: Condition | None
    whole: Any
    hybrid: Any
    segment: tuple[int, int] | None

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that are kept, in the order in which they were added (tuple of str)."""
        return tuple(self.hybrid.hulls)

    @property
    def hull(self) -> RocHull:
        """The hull of the classifiers that are kept."""
        found: RocHull = self.hybrid.hull
        return found

    @cached_property
    def loss_inside(self) -> float:
        """Largest true positive rate given up within the segment: 0, by the choice of classifiers.

        It is 0 too where there is no segment: nothing was promised.
        """
        if self.segment is None:
            return 0.0
        whole: Frontier = self.whole.hull.frontier
        first, last = (whole.point(i)[0] for i in self.segment)
        if last == 0 and self.segment[1] < whole.highest_with_fp(0):  # of a vertical edge, the lower end only
            return 0.0
        return whole.gap_above(self.hull.frontier, first, last)[0]

    @cached_property
    def loss_outside(self) -> GivenUp:
        """The most that is given up elsewhere."""
        whole, kept = self.whole.hull.frontier, self.hull.frontier
        tpr, fpr = whole.gap_above(kept, Fraction(0), Fraction(1))
        # Between two slopes of the kept hull the difference of costs is convex, so a slope is worst.
        slopes = kept.slopes
        m = 1 / (1 + slopes)
        w = np.multiply(slopes, m, out=np.ones(m.size), where=m > 0)
        lost = least_costs(w, m, kept) - least_costs(w, m, whole) if tpr else np.zeros(1)
        worst = int(np.argmax(lost))
        slope = w[worst] / m[worst] if m[worst] else math.inf
        return GivenUp(tpr, fpr, max(0.0, float(lost[worst])), float(slope))

    @property
    def auc_loss(self) -> float:
        """Area under the hull that is given up."""
        everything: float = self.whole.hull.auc()
        return max(0.0, everything - self.hull.auc())

    def loss(self, condition: Condition) -> float:
        """Tell what is given up under a condition, at most.

        Parameters
        ----------
        condition : Condition
            Precise; or an imprecise :class:`ExpectedCost`, :class:`NeymanPearson` or
            :class:`MinimumRecall`, for which the largest loss over the range is given. With a stated
            confidence, that of the assured rules: both are corrected for all classifiers.

        Returns
        -------
        float
            Expected cost per case for linear costs, false positive rate for a minimum recall, else
            true positive rate (or utility); inf if all classifiers meet the condition, but not those
            that are kept.

        Raises
        ------
        ImpreciseConditionError
            For other imprecise conditions.
        InfeasibleConditionError
            If all classifiers together do not meet the condition.
        """
        whole, kept = self.whole.hull.frontier, self.hull.frontier
        question = question_asked(condition).at_prevalence(self.whole.hull.prevalence)
        if isinstance(way_of(question, deterministic=False), OverRange):
            costs = question.costs
            return question.largest_gap(whole, kept) if costs is None else _largest_cost(costs, whole, kept)
        best: OperatingPoint = self.whole.at(question)
        try:
            point: OperatingPoint = self.hybrid.at(question)
        except InfeasibleConditionError:
            return math.inf
        objective = question.objective
        return objective.regret(*(objective.value(at.fpr, at.tpr) for at in (point, best)))

    def __str__(self) -> str:
        names, elsewhere = ", ".join(self.classifiers), self.loss_outside
        lines = [f"keeps {len(self.classifiers)} of {len(self.whole.hulls)} classifiers: {names or 'none'}"]
        if self.segment is not None:
            inside = self.loss_inside
            lines.append("inside the range " + (f"TPR {inside:.4g} is lost" if inside else "nothing is lost"))
        where = "anywhere" if self.segment is None else "elsewhere"
        most = (
            f"{where} at most TPR {elsewhere.tpr:.4g}, at FPR {elsewhere.fpr:.4g}; and at most "
            f"{elsewhere.cost:.4g} in expected cost, if the costs of fpr = 1 and of tpr = 0 sum to 1, "
            f"at slope {elsewhere.slope:.4g} (in-sample)"
        )
        lines.append(most if elsewhere.tpr else f"{where} nothing is lost (in-sample)")
        lines.append(f"AUC of the hull {self.hull.auc():.6g}, of all {self.whole.hull.auc():.6g}")
        wrapper = textwrap.TextWrapper(80, subsequent_indent="  ", break_on_hyphens=False)
        return "\n".join(part for line in lines for part in wrapper.wrap(line))


# --- set cover ------------------------------------------------------------------------------------------


def cover(owners: Iterable[Sequence[Rule]], keep: Sequence[str], order: Sequence[str]) -> list[str]:
    """A small set of classifiers that own all vertices: those needed, then greedily, then pruned.

    Vertices of constant rules need no classifier. Of equals the one that comes first in `order`.
    """
    sets = [frozenset(name for rule in rules for name in rule.classifiers) for rules in owners]
    sets = [names for names in sets if names]
    fixed = dict.fromkeys([*keep, *(next(iter(names)) for names in sets if len(names) == 1)])
    chosen = list(fixed)
    open_sets = [names for names in sets if names.isdisjoint(fixed)]
    rank = {name: i for i, name in enumerate(order)}
    while open_sets:
        counts: dict[str, int] = {}
        for names in open_sets:
            for name in names:
                counts[name] = counts.get(name, 0) + 1
        best = min(counts, key=lambda name: (-counts[name], rank[name]))
        chosen.append(best)
        open_sets = [names for names in open_sets if best not in names]
    for name in chosen[len(fixed) :]:  # what was taken first may have become superfluous
        rest = set(chosen) - {name}
        if all(not names.isdisjoint(rest) for names in sets):
            chosen.remove(name)
    return sorted(chosen, key=rank.__getitem__)


# --- what is given up -------------------------------------------------------------------------------------


def _largest_cost(condition: ExpectedCost, whole: Frontier, kept: Frontier) -> float:
    """The largest expected cost given up over a box.

    Where one vertex of the kept hull is best, what is given up is convex in each number of the
    condition. So it is largest at a corner of the box, or where two vertices of the kept hull cost
    the same: at one of its slopes s. There it is ``m`` times a constant, for ``w = s m``.
    """
    pairs = [tuple(map(float, corner.weights)) for corner in condition.corners(finite=True)]
    (a0, a1), (b0, b1), (p0, p1) = CostSpan(condition).spans
    with np.errstate(divide="ignore"):
        slopes = np.diff(kept.tpr) / np.diff(kept.fpr)
    for s in slopes[(slopes > 0) & np.isfinite(slopes)].tolist():
        odds = (a0 / (s * b1) if b1 else math.inf), (a1 / (s * b0) if b0 else math.inf)
        low, high = (max(p0, _share(odds[0])), min(p1, _share(odds[1])))
        if low > high:
            continue
        if math.isinf(a1) and math.isinf(b1):
            pairs.append((math.inf, s))
            continue
        peak = 1.0 if math.isinf(a1) else 0.0 if math.isinf(b1) else a1 / (a1 + s * b1) if a1 or b1 else 0.0
        p = min(max(peak, low), high)
        m = min(math.inf if math.isinf(b1) else p * b1, math.inf if math.isinf(a1) else (1 - p) * a1 / s)
        pairs.append((s * m, m))
    return max([_beyond(condition, whole, kept), *(_given_up(pair, whole, kept) for pair in pairs)])


def _share(odds: float) -> float:
    return 1.0 if math.isinf(odds) else odds / (1 + odds)


def _given_up(pair: tuple[float, ...], whole: Frontier, kept: Frontier) -> float:
    if math.isinf(pair[0]):  # both costs without bound, in the proportion s
        lost = _given_up((pair[1], 1.0), whole, kept)
        return math.inf if lost else 0.0
    w, m = np.array([pair[0]]), np.array([pair[1]])
    lost = float((least_costs(w, m, kept) - least_costs(w, m, whole))[0])
    return lost if lost > 1e-15 * (pair[0] + pair[1]) else 0.0


def _beyond(condition: ExpectedCost, whole: Frontier, kept: Frontier) -> float:
    """Return the most that is given up, by the other error, as the cost of one grows without bound."""
    (_, a1), (_, b1), (p0, p1) = CostSpan(condition).spans
    found = 0.0
    if math.isinf(b1) and p1 > 0 and not math.isinf(a1):  # no miss is allowed: the first vertex with tpr 1
        x, y = (float(f.fpr[np.searchsorted(f.tp, f.n_pos)]) for f in (kept, whole))
        found = max(found, (1 - p0) * a1 * (x - y))
    if math.isinf(a1) and p0 < 1 and not math.isinf(b1):
        y, x = (float(f.tpr[np.searchsorted(f.fp, 0, side="right") - 1]) for f in (kept, whole))
        found = max(found, p1 * b1 * (x - y))
    return found
