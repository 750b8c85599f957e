"""Several classifiers as one robust system: the ROCCH hybrid of Provost & Fawcett (2001)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation, refine
from rochull._tally import tally_of
from rochull._union import union
from rochull._validation import Labelled
from rochull.conditions import Condition, ExpectedCost, MinimumRecall
from rochull.curve import RocCurve
from rochull.hull import RocHull
from rochull.policy import Policy
from rochull.rules import OperatingPoint
from rochull.sources import ArraySource


@dataclass(frozen=True)
class DominanceRow:
    """A range of iso-performance slopes and the classifiers that are optimal on it.

    Attributes
    ----------
    low, high : float
        The slopes from `low` to `high`; the ends belong to the neighbouring rows too.
    classifiers : tuple of str
        Those that reach every vertex of the range; empty for a constant rule.
    rule : str
        The names, or "always" or "never" for a degenerate corner of the hull.
    first, last : int
        The vertices of the hull, from `first` to `last`.
    fpr, tpr : tuple of float
        Lowest and highest rate of these vertices (in-sample).
    """

    low: float
    high: float
    classifiers: tuple[str, ...]
    rule: str
    first: int
    last: int
    fpr: tuple[float, float]
    tpr: tuple[float, float]


@dataclass(frozen=True)
class DominanceTable:
    """Which classifier is optimal at which slopes (Provost & Fawcett 2001, last table).

    Attributes
    ----------
    rows : tuple of DominanceRow
        From slope 0 (misses alone matter) to infinity (false alarms alone matter).
    absolute : str or None
        The classifier that owns the whole hull, if one does.
    """

    rows: tuple[DominanceRow, ...]
    absolute: str | None

    def __str__(self) -> str:
        ranges = [(f"[{row.low:.4g}, {row.high:.4g}]", row.rule) for row in self.rows]
        lines = [f"{slopes:>22}  {rule}" for slopes, rule in [("slope range", "dominator"), *ranges]]
        return "\n".join([*lines, f"absolute dominator: {self.absolute or 'none'}"])


@dataclass(frozen=True)
class Regret:
    """How one classifier, alone, compares with the hybrid under a condition (in-sample).

    Attributes
    ----------
    point : OperatingPoint or None
        Its own best operating point; None if the condition is infeasible for it.
    value : float
        What is lost against the hybrid: expected cost a case for linear costs, false positive rate
        for a minimum recall, else true positive rate (or utility); inf if infeasible.
    """

    point: OperatingPoint | None
    value: float


class Hybrid:
    """Classifiers scored on the same examples, and the best that they can do together.

    Attributes
    ----------
    hulls : dict of str to RocHull
        The hull of each classifier, in the order in which they were added.
    curves : dict of str to RocCurve
        The raw curves, thinned for drawing.
    hull : RocHull
        The union hull; every vertex knows its owners.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.dominance_table())
               slope range  dominator
                  [0, 0.5]  b
                [0.5, inf]  a
    absolute dominator: none
    """

    def __init__(self) -> None:
        self.hulls: dict[str, RocHull] = {}
        self.curves: dict[str, RocCurve] = {}
        self.auc: dict[str, float] = {}
        self._hull: RocHull | None = None
        self._examples: tuple[str, bytes] | None = None

    def __repr__(self) -> str:
        return f"Hybrid({', '.join(self.hulls) or 'empty'})"

    # --- adding --------------------------------------------------------------------------------

    def add(
        self,
        name: str,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        pos_label: object = None,
        curve: bool = False,
    ) -> Hybrid:
        """Add a classifier from its scores.

        Parameters
        ----------
        name : str
            Its name; must be new.
        y_true : array-like of shape (n,)
            The labels: the same, in the same order, for every classifier of a hybrid.
        y_score : array-like of shape (n,)
            Higher means more positive.
        sample_weight : array-like of shape (n,), optional
            The same for every classifier.
        pos_label : object, optional
            The label of the positive class.
        curve : bool, default=False
            Keep the complete raw curve, so that single thresholds are looked for on it too.

        Returns
        -------
        Hybrid
            Itself. If the classifier is dominated, :attr:`hull` stays the same object.

        Raises
        ------
        ValueError
            If the name is taken, or labels or weights differ from those of an earlier classifier.
        """
        self._check_name(name)
        data = _validation.labelled(y_true, y_score, sample_weight, pos_label)
        digest = _digest(data)
        if self._examples is not None and self._examples[1] != digest:
            raise ValueError(
                f"y_true or sample_weight of {name!r} is not that of {self._examples[0]!r}: "
                "classifiers of one hybrid must be scored on the same examples in the same order."
            )
        if curve:
            raw = RocCurve.from_tally(tally_of(data))
            hull, auc = RocHull.from_curve(raw), raw.auc()
        else:
            source = ArraySource(data)
            hull = RocHull.from_source(source)
            twice, n_pos, n_neg = refine.exact_area(source)
            auc = twice / (2 * n_pos * n_neg)
        self._join(name, hull)
        self.auc[name] = auc
        self._examples = (name, digest)
        return self

    def add_point(self, name: str, fpr: float, tpr: float) -> Hybrid:
        """Add a classifier whose output is 0 or 1, as its point in ROC space.

        Its rule is "score >= 1". A rate that equals a count over the number of examples of the
        other classifiers is read as that count.
        """
        self._check_name(name)
        self._join(name, RocHull.from_rates([fpr], [tpr]))
        return self

    def add_curve(self, name: str, curve: Any) -> Hybrid:
        """Add a classifier from a curve, such as one averaged over folds.

        Parameters
        ----------
        name : str
            Its name; must be new.
        curve : RocCurve, or any object with fpr, tpr and thresholds
            Points are read on a grid of 2**-60; a RocCurve keeps its exact counts.

        Returns
        -------
        Hybrid
            Itself.
        """
        self._check_name(name)
        if isinstance(curve, RocCurve):
            hull = RocHull.from_curve(curve)
        else:
            inner = slice(1, None) if np.isinf(np.asarray(curve.thresholds, float)[0]) else slice(None)
            hull = RocHull.from_rates(curve.fpr[inner], curve.tpr[inner], curve.thresholds[inner])
        self._join(name, hull)
        return self

    def _check_name(self, name: str) -> None:
        if str(name) != name or not name:
            raise ValueError(f"name must be a non-empty string, but is {name!r}.")
        if name in self.hulls:
            raise ValueError(f"name {name!r} is taken: a classifier can be added once.")

    def _join(self, name: str, hull: RocHull) -> None:
        hull = hull.named(name)
        self._hull = union({name: hull} if self._hull is None else {"": self._hull, name: hull})
        self.hulls[name] = hull

    # --- reading -------------------------------------------------------------------------------

    @property
    def hull(self) -> RocHull:
        """The union hull.

        Raises
        ------
        ValueError
            If no classifier has been added.
        """
        if self._hull is None:
            raise ValueError("the hybrid is empty: add a classifier first.")
        return self._hull

    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the best operating point of all classifiers together; see :meth:`RocHull.at`."""
        return self.hull.at(condition, deterministic)

    def dominance_table(self) -> DominanceTable:
        """Tell which classifier is optimal at which slopes.

        Returns
        -------
        DominanceTable
            One row for each run of vertices with the same owners, by ascending slope; the constant
            rules own the corners.
        """
        hull = self.hull
        owners = [_names(rules) for rules in hull.owners]
        slopes = np.concatenate(([np.inf], hull.slopes, [0.0]))  # vertex i: from slopes[i + 1] to slopes[i]
        rows: list[DominanceRow] = []
        for i in range(len(hull) - 1, -1, -1):
            low, high = float(slopes[i + 1]), float(slopes[i])
            if rows and rows[-1].rule == _label(owners[i], hull.owners[i][0].kind):
                previous = rows.pop()
                rows.append(
                    replace(
                        previous,
                        high=high,
                        first=i,
                        fpr=(float(hull.fpr[i]), previous.fpr[1]),
                        tpr=(float(hull.tpr[i]), previous.tpr[1]),
                    )
                )
            elif low < high:
                fpr, tpr = float(hull.fpr[i]), float(hull.tpr[i])
                label = _label(owners[i], hull.owners[i][0].kind)
                rows.append(DominanceRow(low, high, owners[i], label, i, i, (fpr, fpr), (tpr, tpr)))
        inner = [set(names) for names in owners[1:-1]]
        everywhere = [n for n in hull.classifiers if all(n in names for names in inner)]
        return DominanceTable(tuple(rows), everywhere[0] if everywhere else None)

    def potentially_optimal(self, condition: ExpectedCost) -> tuple[str, ...]:
        """Name the classifiers that are optimal somewhere in the range of an imprecise condition.

        Parameters
        ----------
        condition : ExpectedCost
            Any of its numbers may be an interval.

        Returns
        -------
        tuple of str
            In order of ascending slope. Constant rules are not listed.
        """
        if not isinstance(condition, ExpectedCost):
            raise ValueError(f"condition must be an ExpectedCost, but is {condition!r}.")
        low, high = condition.slope_range
        rows = [row for row in self.dominance_table().rows if row.high >= low and row.low <= high]
        return tuple(dict.fromkeys(name for row in rows for name in row.classifiers))

    def regret(self, condition: Condition) -> dict[str, Regret]:
        """Tell what each classifier alone loses against the hybrid under a precise condition.

        Parameters
        ----------
        condition : Condition
            With a single number for every parameter.

        Returns
        -------
        dict of str to Regret
            For every classifier, also those that are not on the hull.
        """
        best = _loss(self.at(condition), condition)
        result = {}
        for name, hull in self.hulls.items():
            try:
                point = hull.at(condition)
            except ValueError:
                result[name] = Regret(None, float("inf"))
            else:
                result[name] = Regret(point, max(0.0, _loss(point, condition) - best))
        return result

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> Policy:
        """Make the deployable policy of the union hull; see :meth:`Policy.from_hull`."""
        return Policy.from_hull(self.hull, salt=salt, about=about)


def _names(rules: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.classifier for rule in rules if rule.classifier is not None))


def _label(names: tuple[str, ...], kind: str) -> str:
    return ", ".join(names) if names else kind


def _loss(point: OperatingPoint, condition: Condition) -> float:
    """What the condition minimises, at a point that it chose."""
    if isinstance(condition, ExpectedCost):
        return point.expected_cost(condition)
    if isinstance(condition, MinimumRecall):
        return point.fpr
    utility = getattr(condition, "utility", condition)
    if hasattr(utility, "function"):
        return -float(utility.function(point.fpr, point.tpr))
    return -point.tpr


def _digest(data: Labelled) -> bytes:
    """A fingerprint of labels and weights, in order."""
    digest = hashlib.blake2b(data.positive.tobytes(), digest_size=16)
    if data.weights is not None:
        digest.update(data.weights.tobytes())
    return digest.digest()
