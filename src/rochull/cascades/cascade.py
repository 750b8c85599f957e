"""Cascades: a cheap score for every case, and a costlier classifier asked where it is worth its price."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from rochull._core import validation
from rochull._core.docstrings import Described, entries
from rochull._core.messages import Item, Parameter, Refusal, refused
from rochull._core.rows import same_rows
from rochull._core.table_errors import no_column
from rochull._core.tables import named_columns, numbers_of
from rochull._core.validation import Array, Labelled
from rochull.cascades.cascade_policy import (
    ASKED,
    CascadeFrontier,
    CascadePoint,
    CascadePolicy,
    costs_like_prices,
)
from rochull.cascades.cascade_schema import MOST_CLASSIFIERS
from rochull.cascades.growth import Growth, Stage
from rochull.cascades.nodes import Node
from rochull.conditions.base import Condition
from rochull.conditions.keywords import takes_condition
from rochull.decisions.axes import is_long
from rochull.hull.blocks import Blocks
from rochull.hull.refine import blocks_of
from rochull.hull.sources import ArraySource
from rochull.segments.choice import Candidate, candidates, choose, folds_of

if TYPE_CHECKING:
    from rochull.cascades.held_out import CascadeTrial

_STRATA = (20, 5, 10, 40)  # of equals the first is chosen: an infinite shrinkage is alike for all


class Cascade(Described, BaseEstimator):
    """Classifiers in an order, each with a price per call: the next is asked only where it pays.

    The scores of the first are cut into strata, and these into cells. In each cell, whatever the condition, a
    case is either decided at once or passed on to the next classifier, whose threshold is its stratum's own.

    Parameters
    ----------
    prices : mapping of str to float
        The classifiers in the order in which they are asked, and what a call of each costs, in the unit of
        the costs of errors. The first is asked for every case; a case reaches the third through the second,
        and pays for both.
    n_strata : int, sequence of int or "auto", default="auto"
        Into how many strata the scores of a classifier are cut, at the ends of their PAV blocks. "auto"
        chooses among 5, 10, 20 and 40 in cross-validation, for each step of the cascade.
    n_cells : int or None, default=100
        Into how many cells of nearly equal size the strata before the last classifier are cut further, to
        choose where it is asked. What a call saves is then taken to fall as scores go away from the
        threshold, on both sides, as it does wherever the positive share among cases with the same later
        score does not fall with the earlier one: neighbours that say otherwise are pooled, and of these the
        nearer to the threshold is asked first. With None the strata are the cells, and nothing is presumed.
    min_bin : int, default=20
        A stratum holds at least so many examples of each class, if need be by taking in a neighbour; 0 leaves
        even the blocks of a single class alone.
    shrinkage : float, "cv" or sequence of float, default="cv"
        How many examples like those of the whole population are added to a stratum, when the next
        classifier's thresholds are learnt there, as in :class:`ErrorRedistribution`; 0 is the exact optimum
        on the training data, with inf the next classifier has the same threshold in all strata. "cv" chooses
        among 0, 30, 100, 300, 1000 and inf.
    cv : int, default=5
        Number of folds for what is chosen in cross-validation.
    random_state : int, Generator, RandomState or None, default=0
        Shuffles the folds.
    pos_label : object, optional
        The label of the positive class.

    Attributes
    ----------
    policy_ : CascadePolicy
        What was learnt.
    n_strata_ : tuple of int
        How many strata were asked for, for each classifier but the last.
    shrinkage_ : tuple of float
        What was chosen for each classifier but the first.
    choice_ : tuple of dict of str to list
        For each classifier but the first the candidates of the cross-validation, with the mean area under the
        held-out curves of its scores with a threshold in each stratum; empty if nothing was to choose.

    Notes
    -----
    With ``shrinkage=0, n_cells=None`` the answer to a condition is the exact optimum on the training data
    over all rules that decide, in each stratum, by any threshold of the classifier that was asked last. On
    new cases that is not the best: strata are blocks of PAV at least, so that a lot spends a budget on cases
    of which some need the call much more, and on few examples the wrong strata are chosen. What is chosen
    for a classifier looks at the one before it alone. All figures of costs and calls are
    in-sample, but those of :meth:`held_out`.

    Examples
    --------
    >>> import numpy as np
    >>> import rochull as rh
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 4000)
    >>> scores = {"cheap": rng.normal(y), "dear": rng.normal(2 * y)}
    >>> cascade = rh.Cascade({"cheap": 0, "dear": 0.05}, n_strata=10, shrinkage=100).fit(scores, y)
    >>> point = cascade.at(rh.ExpectedCost(cost_fp=1, cost_fn=2))
    >>> beside = cascade.frontier(rh.ExpectedCost(cost_fp=1, cost_fn=2))
    >>> bool(point.cost < min(*beside.alone.values(), beside.all)), 0 < point.calls["dear"] < 1
    (True, True)
    >>> round(cascade.at(rh.ExpectedCost(cost_fp=1, cost_fn=2), max_calls=0.2).calls["dear"], 6)
    0.2
    """

    parameters_told = ASKED | entries("""
-> CascadePolicy
    Ready to decide.
""")

    def __init__(
        self,
        prices: Mapping[str, float],
        *,
        n_strata: int | Sequence[int] | str = "auto",
        n_cells: int | None = 100,
        min_bin: int = 20,
        shrinkage: float | str | Sequence[float] = "cv",
        cv: int = 5,
        random_state: Any = 0,
        pos_label: object = None,
    ) -> None:
        self.prices = prices
        self.n_strata = n_strata
        self.n_cells = n_cells
        self.min_bin = min_bin
        self.shrinkage = shrinkage
        self.cv = cv
        self.random_state = random_state
        self.pos_label = pos_label

    def fit(self, X: Any, y: ArrayLike, *, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the strata, and the next classifier in each of them.

        Parameters
        ----------
        X : data frame or mapping of str to array-like of shape (n,)
            A column of scores for each classifier, for all cases, best such that it was not trained on them;
            higher means more positive.
        y : array-like of shape (n,)
            Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative; an example of weight zero is left out.

        Returns
        -------
        self
            Fitted.
        """
        names, prices = _prices(self.prices)
        min_bin = validation.whole(self.min_bin, "min_bin", 0)
        cells = 0 if self.n_cells is None else validation.whole(self.n_cells, "n_cells", 1)
        columns, positive, weights = self._examples(X, y, sample_weight)
        chosen = self._chosen(names, columns, positive, weights, min_bin)
        wholes = [blocks_of(ArraySource(Labelled(positive, column, weights))) for column in columns]
        units = wholes[0].units
        strata = [candidate.n_bins for candidate in chosen]
        stages = [
            Stage(*each)
            for each in zip(wholes, [0.0, *(c.shrinkage for c in chosen)], [*strata, 0], strict=True)
        ]
        mean = 1.0 if weights is None else float(weights.mean())
        root = Growth(units, min_bin, mean, cells).grown(columns, stages, positive, weights)
        self.policy_ = CascadePolicy(
            tuple(names), tuple(prices), root, tuple(map(_alone, wholes)),
            int(wholes[0].neg_units.sum()), int(wholes[0].pos_units.sum()), units, bool(cells),
        )  # fmt: skip
        self.n_strata_, self.shrinkage_ = tuple(strata), tuple(c.shrinkage for c in chosen)
        return self

    def _examples(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[list[Array], Array, Array | None]:
        """Columns of scores, labels and weights, without examples of no weight."""
        names, _ = _prices(self.prices)
        positive = (validation.binary_labels(y, self.pos_label, "y") == 1).astype(np.uint8)
        columns = _columns(X, names, positive)
        same_rows(y=y, X=X, sample_weight=sample_weight)
        if sample_weight is None:
            return columns, positive, None
        weights = validation.weights_1d(sample_weight)
        kept = weights > 0
        return [column[kept] for column in columns], positive[kept], weights[kept]

    def _chosen(
        self,
        names: Sequence[str],
        columns: Sequence[Array],
        positive: Array,
        weights: Array | None,
        min_bin: int,
    ) -> list[Candidate]:
        """Strata and shrinkage for each step, by the held-out curve of the next score."""
        if isinstance(self.n_strata, str) and self.n_strata != "auto":
            raise ValueError(f'n_strata must be "auto", a number or several, but is {self.n_strata!r}.')
        sizes = _STRATA if isinstance(self.n_strata, str) else self.n_strata
        chosen, tables = [], []
        for before, name, column in zip(columns, names, columns[1:], strict=False):
            data = Labelled(positive, column, weights)
            tried = candidates("pav", sizes, self.shrinkage, column)
            found, table = choose(
                tried, data, {name: before},
                bins="quantile", min_bin=min_bin, cv=self.cv, random_state=self.random_state,
            )  # fmt: skip
            chosen.append(found)
            tables.append(table)
        self.choice_ = tuple(tables)
        return chosen

    @takes_condition
    def at(
        self, condition: Condition, max_calls: float | None = None, deterministic: bool = False
    ) -> CascadePoint:
        """Find the cheapest way to decide under a condition; see :meth:`CascadePolicy.at`.

        Returns
        -------
        CascadePoint
            Its figures are in-sample.
        """
        check_is_fitted(self)
        return self.policy_.at(condition, max_calls, deterministic)

    @takes_condition
    def frontier(self, condition: Condition) -> CascadeFrontier:
        """Compute the least cost for every number of calls; see :meth:`CascadePolicy.frontier`.

        Returns
        -------
        CascadeFrontier
            In-sample.
        """
        check_is_fitted(self)
        return self.policy_.frontier(condition)

    @takes_condition
    def held_out(
        self,
        X: Any,
        y: ArrayLike,
        condition: Condition,
        *,
        max_calls: float | Sequence[float | None] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> CascadeTrial:
        """Measure in cross-validation what a cascade with these parameters costs new cases.

        Parameters
        ----------
        X : data frame or mapping of str to array-like of shape (n,)
            As for :meth:`fit`; this cascade need not be fitted, and is not changed.
        y : array-like of shape (n,)
            Binary labels.
        condition : ExpectedCost
            In the unit of the prices. A prevalence that it does not state is that of these examples.
        max_calls : float, None or sequence of these, optional
            The budgets to try; None is as many calls as pay.
        sample_weight : array-like of shape (n,), optional
            Finite and non-negative.

        Returns
        -------
        CascadeTrial
            The costs of the cascade, of each classifier alone and of all for every case.
        """
        from rochull.cascades.held_out import PricedExamples, held_out

        columns, positive, weights = self._examples(X, y, sample_weight)
        budgets = list(max_calls) if isinstance(max_calls, Iterable) else [max_calls]
        share = float(np.average(positive, weights=weights))
        costs = costs_like_prices(condition).at_prevalence(share)
        named = dict(zip(self.prices, columns, strict=True))
        folds = folds_of(positive, validation.whole(self.cv, "cv", 2), self.random_state)

        def learn(columns: Mapping[str, Array], labels: Array, mass: Array | None) -> CascadePolicy:
            made: Cascade = clone(self).set_params(pos_label=None)
            return made.fit(columns, labels, sample_weight=mass).policy_

        return held_out(
            learn, PricedExamples(named, positive, weights, costs), folds, _prices(self.prices)[1], budgets
        )

    def policy(self, *, salt: str = "", about: Mapping[str, str] | None = None) -> CascadePolicy:
        """Write down what was learnt, to be deployed."""
        check_is_fitted(self)
        known = self.policy_
        return CascadePolicy(
            known.classifiers, known.prices, known.root, known.alone, known.n_neg, known.n_pos, known.units,
            known.peaked, salt, dict(about or {}),
        )  # fmt: skip


def _prices(prices: Any) -> tuple[list[str], list[float]]:
    """The classifiers and their prices, checked."""
    if not isinstance(prices, Mapping) or not 2 <= len(prices) <= MOST_CLASSIFIERS:
        raise refused(
            "prices",
            "must be a mapping of 2 to {} classifiers to the price of a call, but is {}.",
            MOST_CLASSIFIERS,
            repr(prices),
        )
    for name in prices:
        if not isinstance(name, str) or not name:
            raise Refusal("{}: a classifier's name must be text, but is {}.", Parameter("prices"), repr(name))
    return list(prices), [
        validation.non_negative(price, Item("prices", name)) for name, price in prices.items()
    ]


def _columns(X: Any, names: Sequence[str], positive: Array) -> list[Array]:
    """The scores of all classifiers, without missing ones."""
    named = named_columns(X, "X")
    if named is None:
        raise refused("X", "must be a table with a column of scores for each of {}.", list(names))
    found = []
    for name in names:
        if name not in named:
            raise no_column("X", name, named, ", which prices names")
        scores, nulls = numbers_of(named[name], Item("X", name))
        if nulls is not None and nulls.any():
            raise Refusal("{} has {} missing values.", Item("X", name), int(nulls.sum()))
        validation.refuse_nan(scores, Item("X", name))
        same_rows(**{f"X[{name!r}]": scores, "y": positive})
        if is_long(scores):
            raise Refusal(
                "{} holds integers beyond 2**53, which float64 cannot tell apart; rank them first.",
                Item("X", name),
            )
        found.append(scores + 0.0 if scores.dtype.kind == "f" else scores)
    return found


def _alone(steps: Blocks) -> Node:
    """The steps of a classifier on all cases."""
    low, pos, neg = (tuple(part.tolist()) for part in (steps.low, steps.pos_units, steps.neg_units))
    return Node(low, pos, neg, None)
