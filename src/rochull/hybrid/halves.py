"""How much rates on cases left out vary because the same cases choose the rules.

Training parts overlap. Where scores are nearly alike, the luck of the cases decides between them for most
parts at once, so that what rules do on the rest varies more than the cases alone tell. Cases are therefore
halved many times. In each half rules are chosen on its parts and judged on the rest, as with all cases, and
the rule that the half as a whole chooses is judged on the other half. Both vary as cases do; what goes beyond
that is the choice.

Cases stand for all in blocks, and thresholds that some part chose for all thresholds, so that nothing is
fitted again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from rochull._core.cached import cached_property
from rochull._core.validation import Array

if TYPE_CHECKING:
    from rochull.hybrid.held_out import Family, HeldOutRules, LeftOut, SureRates, Tables
    from rochull.hybrid.parts import Cuts

_HALVINGS, _THRESHOLDS, _BLOCKS = 150, 150, 25  # times, of all scores, and blocks of a half
_EVERY = 4  # value is looked at; between them what is added is interpolated
_STEEP = 1e300  # for an infinite slope, at which no false alarm is worth anything


def blocks_of_fold(n_folds: int, least: int) -> int:
    """Say of how many blocks a fold of a half is made, if the rarer class has so many cases, or clusters."""
    return max(1, min(least // (2 * n_folds), _BLOCKS // n_folds))


@dataclass(frozen=True, eq=False)
class _Half:
    """A half: rates of the rules on its training parts and on all of it, and whom they flag elsewhere.

    Attributes
    ----------
    tpr, fpr : ndarray of shape (folds + 1, C)
        On the parts that leave out a fold, and on the half as a whole.
    left_out : ndarray of shape (2, folds, C)
        Positives and negatives of each fold that are flagged.
    total : ndarray of shape (2, 1)
        All of the half.
    others : ndarray of shape (2, C)
        Those of the other half that are flagged.
    elsewhere : ndarray of shape (2, 1)
        All of the other half.
    against : two ndarrays of shape (2, 1), or None
        Rates in both halves of the rule which others are compared with.
    """

    tpr: Array
    fpr: Array
    left_out: Array
    total: Array
    others: Array
    elsewhere: Array
    against: tuple[Array, Array] | None


@dataclass(frozen=True, eq=False)
class Halves:
    """Cases in blocks, and how many of each block are flagged at some thresholds.

    Attributes
    ----------
    flagged : ndarray of shape (2, G, C)
        Positives and negatives of each block that each of C rules flags.
    against : ndarray of shape (2, G), or None
        Those that the rule flags which others are compared with.
    sizes : ndarray of shape (2, G)
        All of them.
    n_folds : int
        Of each half.
    prevalence : float
        At which limits on the share of flagged cases, and on the precision, hold.
    halves : ndarray of int of shape (h, G / 2)
        The blocks of each half, in the order of its folds.
    """

    flagged: Array
    against: Array | None
    sizes: Array
    n_folds: int
    prevalence: float
    halves: Array

    @classmethod
    def of(
        cls,
        cases: LeftOut,
        blocks: Array,
        tables: Tables,
        rng: np.random.Generator,
    ) -> Halves:
        """Count what the rules of tables do in each block."""
        n_blocks = int(blocks.max()) + 1
        classes = (cases.positive, ~cases.positive)
        sizes = np.array([np.bincount(blocks[own], minlength=n_blocks) for own in classes], float)
        flagged = [np.zeros((2, n_blocks, 1)), sizes[:, :, None]]  # nobody, and everybody
        for j, some in _thresholds(tables, cases.cuts).items():
            place = np.searchsorted(some, cases.cuts[j].place, side="right")
            size = some.size + 1
            counts = [
                np.bincount(blocks[own] * size + place[own], minlength=n_blocks * size) for own in classes
            ]
            flagged.append(np.cumsum(np.reshape(counts, (2, n_blocks, size)), axis=2)[:, :, :-1])
        against = None
        if cases.against is not None:
            against = np.array(
                [np.bincount(blocks[own], cases.against[own], minlength=n_blocks) for own in classes]
            )
        orders = np.array([rng.permutation(n_blocks) for _ in range(_HALVINGS)])
        return cls(
            np.concatenate(flagged, axis=2),
            against,
            sizes,
            int(tables.folds[0].max()) + 1,
            tables.prevalence,
            orders.reshape(2 * _HALVINGS, -1),
        )

    def all_widened(self, found: HeldOutRules) -> HeldOutRules:
        """Add what the choice of rules adds to the variances of all families."""
        limits = {kind: self.widened(kind, family) for kind, family in found.limits.items()}
        return replace(found, slopes=self.widened("", found.slopes), limits=limits)

    def widened(self, kind: str, found: Family) -> Family:
        """Add that to those of one family; `kind` is "" for slopes."""
        at = np.unique(np.append(np.arange(0, found.values.size, _EVERY), found.values.size - 1))
        each = [self._apart(kind, found.values[at], half) for half in self._looked_at]
        apart, beside = map(np.array, zip(*each, strict=True))
        less = None if found.less is None else _widened(found.less, beside, at)
        return replace(found, rates=_widened(found.rates, apart, at), less=less)

    @cached_property
    def _looked_at(self) -> list[_Half]:
        """All halves: what no family changes is counted once."""
        return [self._half(half) for half in self.halves]

    def _half(self, half: Array) -> _Half:
        other = np.ones(self.sizes.shape[1], bool)
        other[half] = False
        folds = half.reshape(self.n_folds, -1)
        left_out, size = self.flagged[:, folds].sum(axis=2), self.sizes[:, folds].sum(axis=2)
        whole, total = left_out.sum(axis=1, keepdims=True), size.sum(axis=1, keepdims=True)
        trained = np.append(whole - left_out, whole, axis=1), np.append(total - size, total, axis=1)
        tpr, fpr = trained[0] / trained[1][:, :, None]
        elsewhere = self.sizes[:, other].sum(axis=1, keepdims=True)
        against = None
        if self.against is not None:
            own = self.against[:, half].sum(axis=1, keepdims=True) / total
            against = own, self.against[:, other].sum(axis=1, keepdims=True) / elsewhere
        # Counts are whole numbers, so that no difference is rounded.
        return _Half(tpr, fpr, left_out, total, self._everywhere - whole[:, 0], elsewhere, against)

    @cached_property
    def _everywhere(self) -> Array:
        return np.asarray(self.flagged.sum(axis=1))

    def _apart(self, kind: str, values: Array, half: _Half) -> tuple[Array, Array]:
        """Rates of a half's rules on its rest, less those on the other half (2, m); and so beside a rule."""
        chosen = _chosen(kind, values, half.tpr, half.fpr, self.prevalence)
        rows = np.arange(self.n_folds)[:, None]
        on_rest = half.left_out[:, rows, chosen[:-1]].sum(axis=1) / half.total
        apart = on_rest - half.others[:, chosen[-1]] / half.elsewhere
        if half.against is None:
            return apart, apart
        return apart, apart - half.against[0] + half.against[1]


def _thresholds(tables: Tables, cuts: Sequence[Cuts]) -> Mapping[int, Array]:
    """Thresholds of each score that some part chose, strictest first; of many, some."""
    every = [each for rounds in tables.rules.values() for each in rounds]
    who, at = (np.concatenate([getattr(each, name).ravel() for each in every]) for name in ("who", "at"))
    last = np.array([len(each) - 1 for each in cuts])
    known = (at > 0) & (at < last[who])
    who, at = who[known], at[known]
    scores, first = np.unique(who, return_index=True)
    found = {j: np.unique(at[who == j]) for j in scores[np.argsort(first)].tolist()}
    step = -(-sum(map(len, found.values())) // _THRESHOLDS)
    return {j: each[step // 2 :: step] for j, each in found.items()}


def _chosen(kind: str, values: Array, tpr: Array, fpr: Array, prevalence: float) -> Array:
    """The best of rules with such rates (q, C), at each value (q, m)."""
    at = values[:, None]
    if kind == "":
        value = np.minimum(at, _STEEP) * fpr[:, None]
        best: Array = np.argmax(np.subtract(tpr[:, None], value, out=value), axis=2)
        return best
    # The first that is allowed, from the best on: nobody, or everybody, always is.
    order = np.argsort(fpr if kind == "min_recall" else -tpr, axis=1, kind="stable")
    caught, alarms = (partial(np.take_along_axis, each, order, 1) for each in (tpr, fpr))
    match kind:
        case "max_fpr":
            allowed = alarms()[:, None] <= at
        case "min_recall":
            allowed = caught()[:, None] >= at
        case _:
            found, wrong = prevalence * caught()[:, None], (1 - prevalence) * alarms()[:, None]
            allowed = found >= at * (found + wrong) if kind == "min_precision" else found + wrong <= at
    return np.take_along_axis(order, np.argmax(allowed, axis=2), 1)


def _widened(rates: SureRates, apart: Array, at: Array) -> SureRates:
    """Add what differences of halves (h, 2, m) at some values have beyond the cases' own variance."""
    every = np.array([[rates.var_tpr, rates.cov], [rates.cov, rates.var_fpr]])
    own, around = every[..., at], apart - apart.mean(axis=0)
    spread = np.einsum("him,hjm->ijm", around, around) / len(apart)
    scale = np.sqrt(np.einsum("iim->im", own + spread))
    both = np.where(scale[:, None] * scale[None] == 0, 1, scale[:, None] * scale[None])
    # The other half has twice the variance of all cases, and so has what a half tells but for its choices.
    excess = (spread - 4 * own) / 2 / both
    weights, axes = np.linalg.eigh(np.moveaxis(excess, 2, 0))
    more = np.einsum("mik,mk,mjk->ijm", axes, np.maximum(weights, 0), axes) * both
    where = np.arange(every.shape[2])
    var_tpr, cov, _, var_fpr = (np.interp(where, at, row) for row in more.reshape(4, -1))
    return replace(
        rates,
        var_tpr=rates.var_tpr + var_tpr,
        var_fpr=rates.var_fpr + var_fpr,
        cov=rates.cov + cov,
    )
