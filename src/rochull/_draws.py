"""Drawing replicates: which rows (or clusters) are in, and what their groups then weigh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rochull._resample import Pool, Resample
from rochull._validation import Array


@dataclass(frozen=True)
class Plan:
    """How to draw: whether classes are drawn apart, and which share of the rows."""

    stratified: bool = True
    share: float = 1.0


def draw(pool: Pool, plan: Plan, state: Array) -> tuple[Resample, int]:
    """One replicate from a generator's state (4,), and how often it lacked a class and was drawn again."""
    failed = 0
    while True:
        totals = _drawn_clusters(pool, plan, state) if pool.clusters else _drawn_rows(pool, plan, state)
        if totals is not None:
            return Resample(pool, totals), failed
        failed += 1
        if failed == 1000:
            raise ValueError("clusters: 1,000 replicates in a row lacked a class; there are too few of them.")


Totals = dict[str | None, tuple[Array, Array]]


def draws_of(pool: Pool, plan: Plan, rng: np.random.Generator | None) -> tuple[int, int] | None:
    """How many rows of each class to draw; None if a class would be absent."""
    neg, pos = (max(1, round(size * plan.share)) for size in pool.sizes)
    if plan.stratified or rng is None:
        return neg, pos
    found = int(rng.binomial(neg + pos, pool.sizes[1] / sum(pool.sizes)))
    return (neg + pos - found, found) if 0 < found < neg + pos else None


def _generator(state: Array) -> np.random.Generator:
    from rochull import _resample_kernels

    return np.random.Generator(np.random.PCG64(int(_resample_kernels.step(state))))


def _drawn_rows(pool: Pool, plan: Plan, state: Array) -> Totals | None:
    from rochull import _resample_kernels as kernels

    draws = draws_of(pool, plan, None if plan.stratified else _generator(state))
    if draws is None:
        return None
    if len(pool.classifiers) == 1:
        ((name, ordered),) = pool.classifiers.items()
        if not ordered.groups[1].size:
            totals = [np.empty(len(ordered), np.int64) for _ in draws]
            for known, count, out in zip(ordered.totals, draws, totals, strict=True):
                kernels.draw_totals(state, known, count, out)
            return {name: (totals[0], totals[1])}
        masses = pool.masses or (None, None)
        found = []
        for groups, mass, count in zip(ordered.groups, masses, draws, strict=True):
            out = np.empty(len(ordered), np.int32 if mass is None else np.int64)
            kernels.draw_groups(state, groups, mass, count, out)
            found.append(out)
        return {name: (found[0], found[1])}
    counts = []
    for size, count in zip(pool.sizes, draws, strict=True):
        drawn = np.empty(size, np.uint16)
        kernels.draw_rows(state, count, drawn)
        counts.append(drawn)
    return _gathered(pool, (counts[0], counts[1]))


def _drawn_clusters(pool: Pool, plan: Plan, state: Array) -> Totals | None:
    from rochull import _resample_kernels as kernels

    counts = np.zeros(pool.n_clusters, np.uint16)
    if plan.stratified and pool.pure is not None:
        for label in (0, 1):
            members = np.flatnonzero(pool.pure == label)
            drawn = np.empty(members.size, np.uint16)
            kernels.draw_rows(state, max(1, round(members.size * plan.share)), drawn)
            counts[members] = drawn
    else:
        kernels.draw_rows(state, max(1, round(pool.n_clusters * plan.share)), counts)
    totals = _gathered(pool, (counts, counts))
    neg, pos = next(iter(totals.values()))
    return totals if neg.any() and pos.any() else None


def _gathered(pool: Pool, counts: tuple[Array, Array]) -> Totals:
    """The groups' totals of each classifier, from how often rows (or clusters) are drawn."""
    from rochull import _resample_kernels as kernels

    masses, clusters = pool.masses or (None, None), pool.clusters or (None, None)
    totals: Totals = {}
    for name, ordered in pool.classifiers.items():
        found = []
        for part in (0, 1):
            out = np.empty(len(ordered), np.int64)
            kernels.gather(counts[part], clusters[part], ordered.groups[part], masses[part], out)
            found.append(out)
        totals[name] = found[0], found[1]
    return totals


def original(pool: Pool) -> Resample:
    """The data themselves."""
    return Resample(pool, {name: ordered.totals for name, ordered in pool.classifiers.items()})


def parted(pool: Pool, n_folds: int, rng: np.random.Generator) -> Iterator[tuple[Resample, Resample]]:
    """All folds but one, and that one, in a random rotation; classes or clusters are shared out evenly."""
    whole = original(pool).totals
    for left in _fold_totals(pool, n_folds, rng):
        rest = {
            name: tuple(total - out for total, out in zip(whole[name], left[name], strict=True))
            for name in whole
        }
        yield Resample(pool, rest), Resample(pool, left)  # type: ignore[arg-type]


def _fold_totals(pool: Pool, n_folds: int, rng: np.random.Generator) -> Iterator[Totals]:
    """The groups' totals of each fold."""
    (ordered, *_) = pool.classifiers.values()
    if not pool.n_clusters and not ordered.groups[1].size:  # rows are known by their totals only
        rests = [total.copy() for total in ordered.totals]
        for left in range(n_folds, 0, -1):
            drawn = [_some(rng, rest, round(int(rest.sum()) / left)) for rest in rests]
            rests = [rest - out for rest, out in zip(rests, drawn, strict=True)]
            yield dict.fromkeys(pool.classifiers, (drawn[0], drawn[1]))
        return
    sizes = (pool.n_clusters,) if pool.n_clusters else pool.sizes
    member = [rng.permutation(size) % n_folds for size in sizes]
    if pool.pure is not None:  # each class by itself
        for label in (0, 1):
            of = pool.pure == label
            member[0][of] = rng.permutation(int(of.sum())) % n_folds
    for f in range(n_folds):
        counts = [(fold == f).astype(np.uint16) for fold in member]
        yield _gathered(pool, (counts[0], counts[-1]))


def _some(rng: np.random.Generator, totals: Array, count: int) -> Array:
    """How many of each group are among so many that are taken at random."""
    return np.asarray(rng.multivariate_hypergeometric(totals, count, method="marginals"))


def without(pool: Pool, part: int, chosen: Array) -> Resample:
    """The data without some rows (bool) of a class, or without some clusters: for the jackknife.

    `part` is the class, or -1 for clusters. Of groups drawn by their totals, `chosen` is how many to
    leave out of each (int64).
    """
    if part >= 0 and not any(ordered.groups[1].size for ordered in pool.classifiers.values()):
        ((name, ordered),) = pool.classifiers.items()
        totals = list(ordered.totals)
        totals[part] = totals[part] - chosen
        return Resample(pool, {name: (totals[0], totals[1])})
    if part < 0:
        kept = (~chosen).astype(np.uint16)
        return Resample(pool, _gathered(pool, (kept, kept)))
    counts: list[Any] = [np.ones(size, np.uint16) for size in pool.sizes]
    counts[part] = (~chosen).astype(np.uint16)
    if pool.clusters is not None:
        raise ValueError("rows cannot be left out where clusters are drawn.")
    return Resample(pool, _gathered(pool, (counts[0], counts[1])))
