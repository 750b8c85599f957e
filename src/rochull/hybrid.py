"""Several classifiers as one robust system: the ROCCH hybrid of Provost & Fawcett (2001)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rochull import _validation, refine
from rochull._dominance import DominanceTable, dominance_of
from rochull._points import RATES
from rochull._regret import Regret, loss
from rochull._tally import tally_of
from rochull._union import union
from rochull._validation import Labelled
from rochull.conditions import Condition, ExpectedCost, InfeasibleConditionError
from rochull.curve import RocCurve, area_fraction
from rochull.hull import RocHull
from rochull.optimum import optimal_range
from rochull.policy import Policy
from rochull.rules import OperatingPoint
from rochull.sources import ArraySource

_DRAWN = 1_000_000  # examples up to which the raw curve is sorted out for drawing


class Hybrid:
    """Classifiers scored on the same examples, and the best that they can do together.

    Attributes
    ----------
    hulls : dict of str to RocHull
        The hull of each classifier, in the order in which they were added.
    curves : dict of str to RocCurve
        The raw curves, thinned for drawing, where there are some; see :meth:`add`.
    auc : dict of str to float
        Area under the raw curve of each classifier that was added from scores.
    hull : RocHull
        The union hull; every vertex knows its owners.

    Examples
    --------
    >>> import rochull as rh
    >>> y = [1, 1, 0, 0]
    >>> hybrid = rh.Hybrid().add("a", y, [4, 1, 3, 2]).add("b", y, [3, 2, 4, 1])
    >>> print(hybrid.dominance_table())
               slope range  dominator
                    [0, 1]  b
                  [1, inf]  a
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

    @classmethod
    def from_table(
        cls,
        table: Any,
        *,
        label: str,
        scores: Sequence[str],
        weight: str | None = None,
        pos_label: object = None,
        where: str | None = None,
    ) -> Hybrid:
        """Make a hybrid of the score columns of one table.

        Parameters
        ----------
        table : str, path, data frame or mapping of str to array-like
            A Parquet or CSV file or a glob of them, of which only the needed columns are read; or
            a table in memory.
        label : str
            Column of the labels.
        scores : sequence of str
            Columns of the scores; each is a classifier of that name.
        weight : str, optional
            Column of the weights.
        pos_label : object, optional
            The label of the positive class. Text is matched to the type of the column.
        where : str, optional
            Rows to use, of a file: a condition in SQL on any of its columns.

        Returns
        -------
        Hybrid
            With the classifiers in the order of `scores`.

        Raises
        ------
        OSError
            If there is no such file.
        ValueError
            If the table cannot be read, or a column is missing, has nulls, or is not what it should be.

        Examples
        --------
        >>> import rochull as rh
        >>> rh.Hybrid.from_table(
        ...     {"y": ["no", "yes"], "a": [0.2, 0.7]}, label="y", scores=["a"], pos_label="yes"
        ... )
        Hybrid(a)
        """
        from rochull.engines.tables import scored_examples

        examples = scored_examples(
            table, label=label, scores=scores, weight=weight, pos_label=pos_label, where=where
        )
        hybrid = cls()
        for name, column in examples.scores.items():
            try:
                hybrid.add(name, examples.positive, column, sample_weight=examples.weights)
            except ValueError as error:
                raise ValueError(f"score column {name!r}: {error}") from None
        return hybrid

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
            Without it, a thinned one for drawing is kept in :attr:`curves` up to a million
            examples; beyond that, where sorting them all would be the slowest step, only the hull.

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
        raw = None
        if curve or data.scores.size <= _DRAWN:
            raw = RocCurve.from_tally(tally_of(data))
            hull, auc = RocHull.from_curve(raw), raw.auc()
            if not curve:
                hull = replace(hull, curves={})
        else:
            source = ArraySource(data)
            hull = RocHull.from_source(source)
            auc = area_fraction(*refine.exact_area(source))
        self._join(name, hull)
        if raw is not None:
            self.curves[name] = raw.thin()
        self.auc[name] = auc
        self._examples = (name, digest)
        return self

    def add_point(self, name: str, fpr: float, tpr: float) -> Hybrid:
        """Add a classifier whose output is 0 or 1, as its point in ROC space.

        Its rule is "score >= 1".

        Parameters
        ----------
        name : str
            Its name; must be new.
        fpr, tpr : float
            Its rates. A rate that equals a count over the number of examples of the other
            classifiers is read as that count.

        Returns
        -------
        Hybrid
            Itself. If the point is not above the hull, :attr:`hull` stays the same object.
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
        if isinstance(curve, RocCurve):
            self.curves[name] = curve.thin()
        return self

    def _check_name(self, name: str) -> None:
        if str(name) != name or not name:
            raise ValueError(f"name must be a non-empty string, but is {name!r}.")
        if name in self.hulls:
            raise ValueError(f"name {name!r} is taken: a classifier can be added once.")

    def _join(self, name: str, hull: RocHull) -> None:
        hull = hull.named(name)
        self._hull = union(
            {name: hull} if self._hull is None else {" and ".join(self.hulls): self._hull, name: hull}
        )
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

    @property
    def prevalence(self) -> float:
        """Proportion of positives, by weight, among the examples.

        Raises
        ------
        ValueError
            If no classifier was added from scores.
        """
        for hull in self.hulls.values():
            if hull.units != RATES:
                pos, neg = hull.n_pos / hull.units.pos, hull.n_neg / hull.units.neg
                return pos / (pos + neg)
        raise ValueError("the hybrid has no examples, only rates; give the prevalence yourself.")

    def at(self, condition: Condition, deterministic: bool = False) -> OperatingPoint:
        """Find the best operating point of all classifiers together; see :meth:`RocHull.at`.

        Parameters
        ----------
        condition : Condition
            With a single number for every parameter.
        deterministic : bool, default=False
            One threshold instead of a mixture.

        Returns
        -------
        OperatingPoint
            It names the classifiers that it needs.
        """
        if len(self.hulls) == 1:  # it knows more than a union: its examples, for a stated confidence
            return next(iter(self.hulls.values())).at(condition, deterministic)
        return self.hull.at(condition, deterministic)

    def dominance_table(self) -> DominanceTable:
        """Tell which classifier is optimal at which slopes.

        Returns
        -------
        DominanceTable
            One row for each run of vertices with the same owners, by ascending slope; the constant
            rules own the corners.
        """
        return dominance_of(self.hull)

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
        first, last = optimal_range(condition, self.hull.frontier)
        rules = (rule for i in range(last, first - 1, -1) for rule in self.hull.owners[i])
        return tuple(dict.fromkeys(rule.classifier for rule in rules if rule.classifier is not None))

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
        best = loss(self.at(condition), condition)
        result = {}
        for name, hull in self.hulls.items():
            try:
                point = hull.at(condition)
            except InfeasibleConditionError:
                result[name] = Regret(None, float("inf"))
            else:
                result[name] = Regret(point, max(0.0, loss(point, condition) - best))
        return result

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> Policy:
        """Make the deployable policy of the union hull; see :meth:`Policy.from_hull`.

        Parameters
        ----------
        salt : str, default=""
            Mixed into the hash of keys.
        about : mapping of str to str, optional
            Free text to keep in the document.

        Returns
        -------
        Policy
            It needs nothing else to decide.
        """
        return Policy.from_hull(self.hull, salt=salt, about=about)


def _digest(data: Labelled) -> bytes:
    """A fingerprint of labels and weights, in order."""
    digest = hashlib.blake2b((data.positive == 1).tobytes(), digest_size=16)
    if data.weights is not None:
        digest.update(data.weights.tobytes())
    return digest.digest()
