"""Facts for a report on a table that was scanned, whose rows are never in memory together.

Beside the facts of all reports there is the key ``scan``: ``engine``, ``rows``, ``max_error`` of the thinned
curves, ``areas`` (for each classifier the bounds ``low`` and ``high`` of its raw area, and whether they are
``exact``), and ``not_told``: sentences on what takes all rows at once. It is null where rows were in memory.

Hulls, thresholds, the chosen rule, its rates in every fold and in every segment are those of the rows. What
is read off thinned curves is not exact, but within their error: intervals of areas, and bent curves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rochull.report.resampled import FixedRule, hull_interval, intervals_of_rule, with_cost_interval
from rochull.report.scanned_segments import model_of_scan, scanned_segments
from rochull.report.uncertainty import require_enough
from rochull.report.uncertainty_facts import rule_over_folds, spread_over_folds
from rochull.report.wording import tell
from rochull.uncertainty.auc_components import CountedAreas
from rochull.uncertainty.delong import score_ends
from rochull.uncertainty.rates import rate_interval

if TYPE_CHECKING:
    from rochull._core.validation import Array
    from rochull.conditions.base import Condition
    from rochull.conditions.rules import OperatingPoint
    from rochull.hull.tallies import Tally
    from rochull.hybrid.hybrid import Hybrid
    from rochull.scanning.readings import Scan
    from rochull.segments.redistribution import ErrorRedistribution

Facts = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Scanned:
    """A scan behind a report, and how to tell how sure its numbers are.

    Parameters
    ----------
    scan : Scan
        What the hybrid was made of. Its folds tell how much these differ; its segments are those on which
        thresholds may depend.
    engine : str, optional
        Who scanned, for the reader.
    n_resamples : int, default=0
        Bootstrap replicates; none for 0.
    level : float, default=0.95
        Nominal coverage of the intervals.
    exact : bool, default=False
        Whether the raw areas are exact, for which all rows are ordered: of hybrids that are made of the scan
        from then on.
    random_state : int, default=0
        Seed of the bootstrap.

    Examples
    --------
    >>> import rochull as rh
    >>> from rochull.report import Scanned
    >>> table = rh.datasets.load("german_credit_scores")
    >>> scan = rh.scan(table, label="class", scores=["knn", "boosted"], fold="fold", pos_label="bad")
    >>> report = rh.Report(rh.Hybrid.from_scan(scan), rh.NeymanPearson(0.1), scanned=Scanned(scan))
    >>> round(report.facts["uncertainty"]["folds"]["classifiers"][1]["auc"]["mean"], 2)
    0.78
    """

    scan: Scan
    engine: str = "memory"
    n_resamples: int = 0
    level: float = 0.95
    exact: bool = False
    random_state: Any = 0
    _models: dict[str, ErrorRedistribution] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.n_resamples:
            require_enough(self.n_resamples, self.level)
        if self.exact:
            self.scan.auc(exact=True)  # kept by the scan: the hybrid is made of these

    def facts(self, hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None) -> Facts:
        """The facts that in memory come from the rows.

        Parameters
        ----------
        hybrid : Hybrid
            Made of the scan.
        condition : Condition, optional
            What the point was chosen for.
        chosen : OperatingPoint, optional
            The best point of the hybrid.

        Returns
        -------
        dict
            The keys ``scan``, ``uncertainty`` and ``segments``.
        """
        uncertainty, segments = None, None
        if self.n_resamples or self.scan.has("fold"):
            uncertainty = {
                "level": float(self.level),
                "bootstrap": self._bootstrap(hybrid, condition, chosen) if self.n_resamples else None,
                "folds": self._folds(hybrid, condition, chosen) if self.scan.has("fold") else None,
            }
        if self.scan.has("segment"):
            segments = scanned_segments(self.scan, hybrid, condition, self.model_of)
        return {"scan": self._about(), "uncertainty": uncertainty, "segments": segments}

    def model_of(self, name: str) -> ErrorRedistribution:
        """Fit the thresholds of one classifier by segment, once.

        Parameters
        ----------
        name : str
            One of the scores.

        Returns
        -------
        ErrorRedistribution
            It is fitted.
        """
        if name not in self._models:
            self._models[name] = model_of_scan(self.scan, name)
        return self._models[name]

    def _about(self) -> Facts:
        areas = self.scan.auc()
        return {
            "engine": self.engine,
            "rows": sum(self.scan.counts()),
            "max_error": max(curve.max_error for curve in self.scan.roc_curves().values()),
            "areas": {
                name: {"low": area.low, "high": area.high, "exact": area.exact}
                for name, area in areas.items()
            },
            "not_told": self._not_told(),
        }

    def _not_told(self) -> list[str]:
        """Sentences on the results that need all rows at once."""
        return [tell("report.sure.in memory")] if self.n_resamples else []

    # --- folds ------------------------------------------------------------------------------------

    def _folds(self, hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None) -> Facts:
        areas = list(self.scan.auc("fold", self.exact).values())
        rates = None
        if chosen is not None:
            rule = FixedRule(chosen, condition, {}, 0)
            rates = rule_over_folds(rule, *self._in_folds(chosen, len(areas)))
        return {
            "n_folds": len(areas),
            "classifiers": [
                {"name": name, "auc": spread_over_folds(np.array([float(by[name]) for by in areas]))}
                for name in hybrid.hulls
            ],
            "chosen": rates,
        }

    def _in_folds(self, chosen: OperatingPoint, n_folds: int) -> tuple[Array, Array]:
        """Rates (n_folds,) of a rule that is held fixed: false positives, then true ones."""

        def reaching(name: str | None, level: float) -> Array:
            threshold = 0 - level if name in self.scan.lower_is_positive else level
            average = self.scan.operating_point_average(name, [threshold])
            return np.array([average.per_fold(rate)[:, 1] for rate in ("fpr", "tpr")])

        whole = np.ones((2, n_folds))
        fpr, tpr = sum(share * rule.positives(whole, reaching) for rule, share in chosen.rules)
        return fpr, tpr

    # --- intervals --------------------------------------------------------------------------------

    def _bootstrap(self, hybrid: Hybrid, condition: Condition | None, chosen: OperatingPoint | None) -> Facts:
        rows = [self._areas(hybrid, name) for name in hybrid.hulls]
        return {
            "n_resamples": self.n_resamples,
            "clusters": None,
            "classifiers": rows,
            "auc_union": rows[0]["auc_hull"] if len(rows) == 1 else None,
            "chosen": self._fixed(condition, chosen),
            "optimism": None,
            "bands": [],
        }

    def _areas(self, hybrid: Hybrid, name: str) -> Facts:
        """Intervals of one classifier's areas."""
        options: dict[str, Any] = {
            "n_resamples": self.n_resamples, "level": self.level, "random_state": self.random_state
        }  # fmt: skip
        found = self.scan.bootstrap(
            lambda sample: [sample.hull().auc()], name, method="basic", progress=None, **options
        )  # fmt: skip
        return {
            "name": name,
            "auc": area_interval(self.scan.tallies()[name], hybrid.auc[name], self.level),
            "auc_hull": hull_interval(found, 0) | {"estimate": hybrid.hulls[name].auc()},
            "on_hull": None,
            "alone": None,
        }

    def _fixed(self, condition: Condition | None, chosen: OperatingPoint | None) -> Facts | None:
        """Wilson's intervals of the rates of a rule that is held fixed, from its counts."""
        if chosen is None or len(chosen.rules) > 1:
            return None
        n_neg, n_pos = self.scan.counts()
        fpr, tpr = (
            rate_interval(round(rate * size), size, "wilson", level=self.level)
            for rate, size in ((chosen.fpr, n_neg), (chosen.tpr, n_pos))
        )
        costs = None if condition is None else condition.question.costs
        return intervals_of_rule(with_cost_interval(fpr, tpr, costs), costs)


def area_interval(groups: Tally, area: float, level: float) -> Facts | None:
    """The score interval, from counts; None for a class of one example.

    Twice a placement is a count, and of all examples of a group and a class it is the same.
    """
    pos, neg = groups.pos_units.tolist(), groups.neg_units.tolist()
    n_pos, n_neg = sum(pos), sum(neg)
    if min(n_pos, n_neg) < 2:
        return None
    twice = of_pos = of_neg = above = 0
    below = n_neg
    for p, n in zip(pos, neg, strict=True):  # from high scores to low
        below -= n
        beaten, beating = 2 * below + n, 2 * above + p
        above += p
        twice, of_pos, of_neg = twice + p * beaten, of_pos + p * beaten**2, of_neg + n * beating**2
    found = CountedAreas(n_pos, n_neg, [twice], [[of_pos]], [[of_neg]])
    # A thinned curve has an area of its own; the interval is about that of all rows.
    middle = found.areas[0] if float(found.areas[0]) == area else Fraction(area)
    low, high = score_ends(middle, found.parts(), found.sizes, (1 - level) / 2)
    told = low < high
    ends = {"low": low if told else None, "high": high if told else None}
    return {"estimate": area, **ends, "method": "score", "in_sample": False}
