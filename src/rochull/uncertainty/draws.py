"""Drawing replicates: which rows (or clusters) are in, and what their groups then weigh."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rochull._core.messages import Parameter, Refusal
from rochull._core.validation import Array
from rochull.uncertainty.replicates import Pool, Resample

_TRIES = 1000


@dataclass(frozen=True)
class DrawPlan:
    """How to draw: whether classes are drawn apart, and which share of the rows."""

    stratified: bool = True
    share: float = 1.0


def draw(pool: Pool, plan: DrawPlan, state: Array) -> tuple[Resample, int]:
    """One replicate from a generator's state (4,), and how often it lacked a class and was drawn again."""
    failed = 0
    while True:
        totals = _drawn_clusters(pool, plan, state) if pool.clusters else _drawn_rows(pool, plan, state)
        if totals is not None:
            return Resample(pool, totals), failed
        failed += 1
        if failed == 1000:
            raise Refusal(
                "{}: 1,000 replicates in a row lacked a class; there are too few of them.",
                Parameter("clusters"),
            )


Totals = dict[str | None, tuple[Array, Array]]


def draws_of(pool: Pool, plan: DrawPlan, rng: np.random.Generator | None) -> tuple[int, int] | None:
    """How many rows of each class to draw; None if a class would be absent."""
    neg, pos = (max(1, round(size * plan.share)) for size in pool.sizes)
    if plan.stratified or rng is None:
        return neg, pos
    found = int(rng.binomial(neg + pos, pool.sizes[1] / sum(pool.sizes)))
    return (neg + pos - found, found) if 0 < found < neg + pos else None


def _generator(state: Array) -> np.random.Generator:
    from rochull._core.kernels import replicates as replicate_kernels

    return np.random.Generator(np.random.PCG64(int(replicate_kernels.step(state))))


def _drawn_rows(pool: Pool, plan: DrawPlan, state: Array) -> Totals | None:
    from rochull._core.kernels import replicates as kernels

    draws = draws_of(pool, plan, None if plan.stratified else _generator(state))
    if draws is None:
        return None
    if len(pool.classifiers) == 1 and pool.masses is None:
        ((name, ordered),) = pool.classifiers.items()
        if not ordered.groups[1].size:
            totals = [np.empty(len(ordered), np.int64) for _ in draws]
            for known, count, out in zip(ordered.totals, draws, totals, strict=True):
                kernels.draw_totals(state, known, count, out)
            return {name: (totals[0], totals[1])}
        found = []
        for groups, count in zip(ordered.groups, draws, strict=True):
            out = np.empty(len(ordered), np.int32)
            kernels.draw_groups(state, groups, count, out)
            found.append(out)
        return {name: (found[0], found[1])}
    counts = []
    for size, count in zip(pool.sizes, draws, strict=True):
        drawn = np.empty(size, np.uint16)
        kernels.draw_rows(state, count, drawn)
        counts.append(drawn)
    return _gathered(pool, (counts[0], counts[1]))


def _drawn_clusters(pool: Pool, plan: DrawPlan, state: Array) -> Totals | None:
    from rochull._core.kernels import replicates as kernels

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
    from rochull._core.kernels import replicates as kernels

    masses, clusters = pool.masses or (None, None), pool.clusters or (None, None)
    totals: Totals = {}
    for name, ordered in pool.classifiers.items():
        found = []
        orders = ordered.order or (None, None)
        for part in (0, 1):
            out = np.empty(len(ordered), np.int64)
            kernels.gather(
                counts[part], clusters[part], ordered.groups[part], orders[part], masses[part], out
            )
            found.append(out)
        totals[name] = found[0], found[1]
    return totals


def original(pool: Pool) -> Resample:
    """The data themselves."""
    return Resample(pool, {name: ordered.totals for name, ordered in pool.classifiers.items()})


def training_and_test(
    pool: Pool, n_folds: int, rng: np.random.Generator
) -> Iterator[tuple[Resample, Resample]]:
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


def jackknife(
    pool: Pool, stratified: bool, groups: int, rng: np.random.Generator
) -> Iterator[Iterator[Resample]]:
    """The data without random groups of what is drawn (rows or clusters), each left out once.

    One iterator for each stratum that the bootstrap draws from: what is drawn together is centred together.
    """
    if pool.n_clusters:
        pure = pool.pure if stratified else None
        strata = [np.full(pool.n_clusters, True)] if pure is None else [pure == 0, pure == 1]
        for members in strata:
            yield _without_clusters(pool, np.flatnonzero(members), groups, rng)
    elif not any(ordered.groups[1].size for ordered in pool.classifiers.values()):
        for size in _strata(pool, stratified):
            yield _without_totals(pool, size, groups, rng)
    else:
        for size in _strata(pool, stratified):
            yield _without_rows(pool, size, groups, rng)


def _strata(pool: Pool, stratified: bool) -> list[tuple[int, int]]:
    """How many rows of each class belong to each stratum."""
    neg, pos = pool.sizes
    return [(neg, 0), (0, pos)] if stratified else [(neg, pos)]


def _parts(classes: Array, groups: int, rng: np.random.Generator) -> Iterator[Array]:
    """Masks of random groups of what is drawn together, none of which holds all there is of a class.

    `classes` (2, m) tells which hold negatives, and which positives.
    """
    size = classes.shape[1]
    groups = min(size, groups)
    if groups < 2:
        return
    some = [held for held in classes if held.any() and not held.all()]
    for _ in range(_TRIES):
        part = rng.permutation(size) % groups
        if all(np.bincount(part[held]).max() < held.sum() for held in some):
            for g in range(groups):
                yield part == g
            return
    raise ValueError("method='bca' leaves out examples, and one of the classes has a single one.")


def _without_clusters(
    pool: Pool, members: Array, groups: int, rng: np.random.Generator
) -> Iterator[Resample]:
    assert pool.clusters is not None
    held = np.array([np.bincount(of, minlength=pool.n_clusters) > 0 for of in pool.clusters])
    for out in _parts(held[:, members], groups, rng):
        kept = np.ones(pool.n_clusters, np.uint16)
        kept[members[out]] = 0
        yield Resample(pool, _gathered(pool, (kept, kept)))


def _without_rows(
    pool: Pool, size: tuple[int, int], groups: int, rng: np.random.Generator
) -> Iterator[Resample]:
    positive = np.repeat([False, True], size)
    for out in _parts(np.array([~positive, positive]), groups, rng):
        kept = [np.ones(of, np.uint16) for of in pool.sizes]
        for label in (0, 1):
            if size[label]:
                kept[label][out[positive == label]] = 0
        yield Resample(pool, _gathered(pool, (kept[0], kept[1])))


def _without_totals(
    pool: Pool, size: tuple[int, int], groups: int, rng: np.random.Generator
) -> Iterator[Resample]:
    """Where rows are known by their groups' totals only; the class of each left-out row is random."""
    ((name, ordered),) = pool.classifiers.items()
    rests = [total.copy() for total in ordered.totals]
    neg, pos = size
    for left in range(min(neg + pos, groups), 0, -1):
        rows = (neg + pos) // left
        found = int(rng.hypergeometric(pos, neg, rows)) if neg and pos else rows * (pos > 0)
        out = [_some(rng, rest, count) for rest, count in zip(rests, (rows - found, found), strict=True)]
        rests = [rest - drawn for rest, drawn in zip(rests, out, strict=True)]
        neg, pos = neg - (rows - found), pos - found
        kept = [total - drawn for total, drawn in zip(ordered.totals, out, strict=True)]
        if not all(total.any() for total in kept):
            raise ValueError("method='bca' leaves out examples, and one of the classes has hardly any.")
        yield Resample(pool, {name: (kept[0], kept[1])})
