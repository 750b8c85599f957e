"""PAV of all segments at once against PAV of each alone: the same to the last digit."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import tries
from rochull._core.validation import Array, Labelled
from rochull.hull.blocks import pool
from rochull.hull.hull import RocHull
from rochull.hull.tallies import tally_of
from rochull.segments.models.base import LevelSets, PavModel, SegmentedScores, SegmentModel, shrunken_blocks
from rochull.segments.models.gaussian import GaussianModel
from rochull.segments.models.pooling import SegmentGroups
from rochull.segments.rules import tables_of

WEIGHTS = {
    "none": lambda rng, n: None,
    "whole": lambda rng, n: rng.integers(1, 9, n).astype(float),
    "dyadic": lambda rng, n: rng.integers(1, 9, n) / 8,
    "any": lambda rng, n: rng.random(n) + 1e-3,
    "far apart": lambda rng, n: np.exp(60 * rng.normal(size=n)),
}


def segmented(seed: int, weights: str, digits: int, k: int) -> SegmentedScores:
    """Segments of any size; some have one class alone, and a few scores are infinite."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 200))
    segment = np.append(np.arange(k), rng.integers(0, k, size))
    y = np.append(np.arange(k) % 2, rng.random(size) < rng.choice([0.1, 0.5]))
    y[:2] = 0, 1
    score = np.round(rng.normal(size=y.size) + y, digits)
    score[rng.random(y.size) < 0.02] = rng.choice([-np.inf, np.inf])
    data = Labelled(y.astype(np.uint8), score, WEIGHTS[weights](rng, y.size))
    return SegmentedScores.of(data, segment, k)


def steps_alone(data: SegmentedScores, shrinkage: float) -> list[tuple[Array, Array]]:
    """Scores and ratios of the steps of every segment, and of the whole, each made for itself."""
    neg, pos = (float(mass.sum()) for mass in data.masses())
    whole, added = data.whole_blocks, shrinkage * data.mean_weight
    parts = [
        shrunken_blocks(tally_of(data.part(i), both_classes=False), whole, added) for i in range(len(data))
    ]
    found = []
    for blocks in [*parts, whole]:
        own = np.asarray(blocks.pos, float)[::-1], np.asarray(blocks.neg, float)[::-1]
        with np.errstate(divide="ignore"):
            ratio = np.divide(*own) * (neg / pos)
        found.append((blocks.low[::-1], np.maximum.accumulate(ratio)))
    return found


@tries(60)
@given(
    st.integers(0, 10**6), st.sampled_from(list(WEIGHTS)), st.sampled_from([0, 1, 12]), st.integers(2, 9),
    st.sampled_from([0.0, 0.3, 30.0, 1e4, np.inf]),
)  # fmt: skip
def test_all_at_once_is_each_alone(seed: int, weights: str, digits: int, k: int, shrinkage: float) -> None:
    data = segmented(seed, weights, digits, k)
    model, expected = PavModel(shrinkage).fit(data), steps_alone(data, shrinkage)
    score = np.unique(np.concatenate([data.score, [-np.inf, -9.0, 9.0, np.inf]]))
    for i, (low, ratio) in enumerate(expected):
        at = np.maximum(np.searchsorted(low, score, side="right") - 1, 0)
        assert model.ratio(score, np.full(score.size, i)).tolist() == ratio[at].tolist()
    for price in np.unique(np.concatenate([ratio for _, ratio in expected])):
        found = []
        for low, ratio in expected:
            j = int(np.searchsorted(ratio, price, side="left"))
            found.append(-np.inf if j == 0 else np.nan if j == low.size else float(low[j]))
        assert np.array_equal(model.thresholds(float(price)), found, equal_nan=True)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("digits", [0, 12])
def test_groups_are_tallies(weights: str, digits: int) -> None:
    for seed in range(5):
        data = segmented(seed, weights, digits, 4)
        groups: Any = SegmentGroups.of(data.positive, data.score, data.weight, data.segment, 4)
        assert (groups is None) == (weights == "far apart")
        if groups is None:
            continue
        for i in range(4):
            tally, part = tally_of(data.part(i), both_classes=False), slice(*groups.begin[i : i + 2])
            assert groups.score[part].tolist() == tally.score.tolist()
            assert not np.signbit(groups.score[part][groups.score[part] == 0]).any()
            assert groups.pos_units[part].tolist() == tally.pos_units.tolist()
            assert groups.neg_units[part].tolist() == tally.neg_units.tolist()
            assert groups.sizes[:, i].tolist() == [tally.units.neg, tally.units.pos]
            assert groups.totals[i] == float((tally.pos + tally.neg).sum())


@pytest.mark.parametrize("make", [lambda: PavModel(3.0), lambda: PavModel(np.inf), GaussianModel])
@pytest.mark.parametrize("lower", [False, True])
def test_tables_hold_the_rules_of_every_vertex(make: Any, lower: bool) -> None:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        segment, y = rng.integers(0, 5, 200), rng.integers(0, 2, 200)
        data = SegmentedScores.of(Labelled(y.astype(np.uint8), rng.normal(y), None), segment, 5)
        model: SegmentModel = make().fit(data)
        ratios = RocHull.from_blocks(pool(model.tally(data))).thresholds
        owners = LevelSets(model, ratios, (*"abcde", None), lower)
        for one, other in zip(tables_of(owners, 6), tables_of(list(owners), 6), strict=True):
            assert one.first.tolist() == other.first.tolist()
            assert one.rules == other.rules
