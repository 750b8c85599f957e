"""Densities by Gaussian kernels, of many scores at once: a series for each stretch of the axis."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from rochull._core.validation import Array

_STRETCH = 1 / 16  # of a bandwidth, which has one series
_TERMS = 12  # of a series: the next would add 2e-15 of what a kernel 10 bandwidths away does
_LEFT_OUT = 37.0  # kernels that together add e to the minus this of what the nearest one does
_ROWS = 1 << 16  # points that are looked at together
_AT_ONCE = 1 << 18  # pairs of a stretch and a kernel
_KEPT = 1 << 14  # stretches whose series are kept

_Side: TypeAlias = Literal["left", "right"]


class KernelSums:
    """A density by kernels: where these are, ascending (k,), their weights (k,), and their deviation.

    Its logarithm is that of the sum over all kernels to 1e-12 and rounding. In a stretch of the axis kernels
    that add nothing to what the nearest one does are left out, and of the others two series tell: of those on
    the left of its middle, and on the right. A stretch has the same series whatever else is asked for.
    """

    def __init__(self, at: Array, weight: Array, width: float) -> None:
        self.at, self.weight, self.width = at, weight, width
        self._known = np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2, _TERMS))

    def log_density(self, x: Array) -> Array:
        """The logarithm of the density at points (n,); NaN or -inf so far away that floats overflow."""
        parts = (x[begin : begin + _ROWS] for begin in range(0, x.size, _ROWS))
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            found = np.concatenate([np.zeros(0), *map(self._log_sum, parts)])
            return np.asarray(found - np.log(self.width))

    def _log_sum(self, x: Array) -> Array:
        stretch = np.rint(x / (self.width * _STRETCH))
        known, nearest, terms = self._series_of(stretch)
        which = np.minimum(np.searchsorted(known, stretch), known.size - 1)
        off = np.clip((x - stretch * (self.width * _STRETCH)) / self.width, -_STRETCH, _STRETCH)
        sides = []
        for side, towards in enumerate((-off, off)):
            total = np.zeros(x.size)
            for term in terms[:, side].T[::-1]:
                total = total * towards + np.ascontiguousarray(term)[which]
            sides.append(np.log(total) - ((x - nearest[which, side]) / self.width) ** 2 / 2)
        return np.asarray(np.logaddexp(*sides))

    def _series_of(self, stretch: Array) -> tuple[Array, Array, Array]:
        """Stretches (m,), ascending, all of these among them, and their series."""
        known, nearest, terms = self._known
        wanted = np.unique(stretch)
        new = np.setdiff1d(wanted, known, assume_unique=True)
        if not new.size:
            return self._known
        if known.size + new.size > _KEPT:
            known, nearest, terms, new = known[:0], nearest[:0], terms[:0], wanted
        made = self._made(new * (self.width * _STRETCH))
        order = np.argsort(np.append(known, new))
        self._known = (
            np.append(known, new)[order],
            np.concatenate((nearest, made[0]))[order],
            np.concatenate((terms, made[1]))[order],
        )
        return self._known

    def _made(self, middle: Array) -> tuple[Array, Array]:
        """By the middles of stretches (m,): the nearest kernels of both sides (m, 2), and terms (m, 2, t)."""
        share = self.weight / self.weight.sum()
        low, left = _one_sided(-self.at[::-1], share[::-1], -middle, self.width, "right")
        high, right = _one_sided(self.at, share, middle, self.width, "left")
        return np.stack((-low, high), axis=1), np.stack((left, right), axis=1)


def _one_sided(at: Array, share: Array, middle: Array, width: float, side: _Side) -> tuple[Array, Array]:
    """The nearest kernel above each middle (m,), infinite if there is none, and the terms of all (m, t)."""
    nearest, terms = np.full(middle.size, np.inf), np.zeros((middle.size, _TERMS))
    first = np.searchsorted(at, middle, side)
    some = np.flatnonzero(first < at.size)
    first = first[some]
    nearest[some] = at[first]
    gap = (at[first] - middle[some]) / width
    reach = middle[some] + width * np.sqrt(gap**2 + 2 * (_LEFT_OUT - np.log(share[first])))
    size = np.maximum(np.searchsorted(at, reach, "right") - first, 1)
    for part in _parts(size):
        begins = np.cumsum(size[part]) - size[part]
        which = np.repeat(first[part] - begins, size[part]) + np.arange(size[part].sum())
        beyond = (at[which] - np.repeat(at[first[part]], size[part])) / width
        term = share[which] * np.exp(-beyond * (beyond / 2 + np.repeat(gap[part], size[part])))
        for power in range(_TERMS):
            terms[some[part], power] = np.add.reduceat(term, begins)
            term *= beyond / (power + 1)
    return nearest, terms


def _parts(size: Array) -> Iterator[slice]:
    """Consecutive windows of these sizes (m,), so many of them that they hold about `_AT_ONCE` together."""
    ends = np.flatnonzero(np.diff(np.cumsum(size) // _AT_ONCE)) + 1
    for begin, end in pairwise([0, *ends.tolist(), size.size]):
        yield slice(begin, end)
