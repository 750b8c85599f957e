"""Maps of scores against plain Python on the blocks: every type of score against blocks of every type."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adversaries import FAMILIES, Array, examples, labels_for
from calibrator_cases import blocks_of
from rochull._core.validation import Labelled
from rochull.calibration import score_maps
from rochull.calibration.map_values import Levels
from rochull.calibration.score_maps import ScoreMap
from rochull.hull.blocks import Blocks
from rochull.hull.tallies import tally_of

Rows = tuple[Array, Array, Array | None]
MOST = float(np.finfo(float).max)


def odds_of(blocks: Blocks) -> float:
    return float(blocks.pos.sum()) / float(blocks.neg.sum())


def step_map(blocks: Blocks) -> ScoreMap:
    levels = Levels.of_blocks(blocks, slice(None))
    return score_maps.step_map(blocks.low[::-1], levels, odds_of(blocks))


def linear_map(blocks: Blocks) -> ScoreMap:
    levels = Levels.of_blocks(blocks, slice(None))
    return score_maps.linear_map(blocks.low[::-1], blocks.high[::-1], levels, levels, odds_of(blocks))


def strict_map(rows: Rows, *, steps: bool) -> tuple[ScoreMap, Array]:
    """A strict map with one example of each class added at either end; and its scores, ascending."""
    labels, scores, weights = rows
    ends = [scores.max(), scores.max(), scores.min(), scores.min()]
    scores = np.append(scores, np.array(ends, scores.dtype))
    weights = None if weights is None else np.append(weights, [1.0] * 4)
    groups = tally_of(Labelled(np.append(labels, [1, 0, 1, 0]), scores, weights))
    blocks = blocks_of(np.append(labels, [1, 0, 1, 0]), scores, weights)
    made, _ = score_maps.strict_map(
        groups.score[::-1], blocks.low[::-1], Levels.of_blocks(blocks, slice(None)), odds_of(blocks),
        steps=steps, clipped=False,
    )  # fmt: skip
    return made, groups.score[::-1]


def as_type(values: list[Any], dtype: Any) -> Array:
    """The numbers of a type nearest below the given ones, and its extremes."""
    if np.dtype(dtype).kind == "f":
        with np.errstate(over="ignore"):
            return np.array([*map(float, values), -math.inf, math.inf, 0.0, 0.5], dtype)
    info = np.iinfo(dtype)
    finite = [math.floor(v) for v in values if not math.isinf(v)]
    return np.array([min(max(v, info.min), info.max) for v in [*finite, info.min, info.max, 0]], dtype)


def neighbours(scores: Array) -> Array:
    """Scores, and the next ones of their type below and above."""
    if scores.dtype.kind == "f":
        with np.errstate(all="ignore"):
            parts = [np.nextafter(scores, scores.dtype.type(s)) for s in (-np.inf, np.inf)]
    else:
        info = np.iinfo(scores.dtype)
        parts = [
            np.where(scores > info.min, scores - 1, scores),
            np.where(scores < info.max, scores + 1, scores),
        ]
    return np.concatenate([scores, *(part.astype(scores.dtype) for part in parts)])


TYPES = [np.float64, np.float32, np.int64, np.int32, np.uint64, np.uint8]


def new_scores(scores: Array, dtype: Any) -> Array:
    """What could be told apart wrongly: scores of any type on, and next to, those of the training data."""
    if np.dtype(dtype) == scores.dtype:
        return np.sort(neighbours(scores))
    return np.sort(neighbours(as_type(scores.tolist(), dtype)))


def place(score: Any, low: list[Any]) -> int:
    """The block, counted from the lowest, that a score belongs to by step."""
    return max([0, *(i for i in range(len(low)) if low[i] <= score)])  # as Python numbers: exactly


@given(examples(max_size=40), st.sampled_from(TYPES))
def test_steps(rows: Rows, dtype: Any) -> None:
    blocks = blocks_of(*rows)
    made = step_map(blocks)
    scores = new_scores(rows[1], dtype)
    low, llr, posterior = ([*column[::-1].tolist()] for column in (blocks.low, blocks.llr, blocks.posterior))
    places = [place(score, low) for score in scores.tolist()]
    assert made.llr(scores).tolist() == [llr[i] for i in places]
    assert made.posterior(scores).tolist() == [posterior[i] for i in places]


@given(examples(max_size=40), st.floats(1e-6, 1 - 1e-6))
def test_steps_at_another_prevalence(rows: Rows, prevalence: float) -> None:
    blocks = blocks_of(*rows)
    found = step_map(blocks).posterior(blocks.low, prevalence)
    pos, neg = blocks.pos_units.tolist(), blocks.neg_units.tolist()
    for value, p, q in zip(found.tolist(), pos, neg, strict=True):
        for_it = Fraction(p, sum(pos)) * Fraction(prevalence)
        against = Fraction(q, sum(neg)) * (1 - Fraction(prevalence))
        assert value == pytest.approx(float(for_it / (for_it + against)), rel=1e-14)


@given(examples(max_size=40), st.sampled_from(TYPES), st.booleans())
def test_counting_edges(rows: Rows, dtype: Any, after: bool) -> None:
    edge = np.unique(rows[1])[: -1 if after else None]  # nothing may be above the greatest of its type
    values = np.linspace(0, 1, edge.size + 1)
    scores = new_scores(rows[1], dtype)
    found = score_maps.count_map(edge, values, after=after).posterior(scores)
    edges = edge.tolist()
    counts = [sum(e < s if after else e <= s for e in edges) for s in scores.tolist()]
    assert found.tolist() == values[counts].tolist()


def share_on_a_line(score: Any, blocks: Blocks) -> tuple[int, Fraction | None]:
    """(Block, None) inside of a block, else (block below, exact posterior at prevalence 1/2)."""
    low, high = blocks.low[::-1].tolist(), blocks.high[::-1].tolist()
    i = place(score, low)
    if score <= high[i] or i == len(low) - 1:
        return i, None
    pos, neg = blocks.pos_units[::-1].tolist(), blocks.neg_units[::-1].tolist()
    shares = [Fraction(p * sum(neg), p * sum(neg) + q * sum(pos)) for p, q in zip(pos, neg, strict=True)]
    ends = [high[i], low[i + 1]]
    infinite = [math.isinf(end) for end in ends]
    if all(infinite):
        return i, (shares[i] + shares[i + 1]) / 2
    if any(infinite):
        return i, shares[i + infinite.index(True) * -1 + 1] if infinite[0] else shares[i]
    along = (Fraction(score) - Fraction(ends[0])) / (Fraction(ends[1]) - Fraction(ends[0]))
    return i, shares[i] + (shares[i + 1] - shares[i]) * along


def between(scores: Array) -> list[Any]:
    """Scores and points between them, as Python numbers."""
    finite = sorted({s for s in scores.tolist() if not math.isinf(s)})
    middles = [a + (b - a) * k / 7 for a, b in pairwise(finite) if b - a < 1e300 for k in (1, 3)]
    return [*scores.tolist(), *middles]


@given(examples(max_size=40), st.sampled_from(TYPES))
def test_lines(rows: Rows, dtype: Any) -> None:
    blocks = blocks_of(*rows)
    made = linear_map(blocks)
    scores = np.concatenate([new_scores(rows[1], dtype), as_type(between(rows[1]), dtype)])
    halves, llr, posterior = made.posterior(scores, 0.5), made.llr(scores), made.posterior(scores)
    block_llr, block_posterior = blocks.llr[::-1], blocks.posterior[::-1]
    for i, score in enumerate(scores.tolist()):
        block, share = share_on_a_line(score, blocks)
        if share is None:  # exactly the block's
            assert llr[i] == block_llr[block]
            assert posterior[i] == block_posterior[block]
            continue
        assert block_llr[block] <= llr[i] <= block_llr[block + 1]
        assert block_posterior[block] <= posterior[i] <= block_posterior[block + 1]
        assert halves[i] == pytest.approx(float(share), rel=1e-12, abs=1e-14)
        if 0 < float(share) < 1 and float(1 - share):
            expected = math.log(share) - math.log(1 - share)
            assert llr[i] == pytest.approx(expected, rel=1e-12, abs=1e-12)


BLOCKS = (np.array([1, 3, 0]), np.array([0, 2, 4]))  # of three blocks, from high to low


def three(low: list[Any], high: list[Any], dtype: Any = float) -> ScoreMap:
    return linear_map(Blocks(np.array(low, dtype), np.array(high, dtype), *BLOCKS))


def test_gaps_wider_than_float64() -> None:
    made = three([MOST, -MOST, -np.inf], [MOST, -MOST, -np.inf])
    scores = np.array([-MOST, -MOST / 2, -1.0, 0.0, 5e-324, 1.0, MOST / 2, np.nextafter(MOST, 0), MOST])
    along = np.array([0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.75, 1, 1])
    share = (3 / 4) / (3 / 4 + 2 / 6)
    np.testing.assert_allclose(made.posterior(scores, 0.5), share + (1 - share) * along, rtol=1e-14)
    assert made.llr(scores)[-1] == np.inf
    assert made.llr(np.array([-np.inf])) == -np.inf
    lopsided = three([MOST, -MOST * 2.0**-3, -np.inf], [MOST, -MOST * 2.0**-3, -np.inf])
    np.testing.assert_allclose(lopsided.posterior(np.array([0.0]), 0.5), share + (1 - share) / 9, rtol=1e-14)


def test_gaps_of_denormals() -> None:
    made = three([1e-323, 0.0, -1.0], [1.0, 0.0, -1.0])
    share = (3 / 4) / (3 / 4 + 2 / 6)
    found = made.posterior(np.array([0.0, 5e-324, 1e-323]), 0.5)
    np.testing.assert_allclose(found, [share, (share + 1) / 2, 1], rtol=1e-14)


def test_gaps_beside_infinite_scores() -> None:
    made = three([np.inf, 0.0, -np.inf], [np.inf, 0.0, -np.inf])
    scores = np.array([-np.inf, -MOST, -1.0, 0.0, 1.0, MOST, np.inf])
    assert made.posterior(scores).tolist() == [0.0, *[0.6] * 5, 1.0]
    both = linear_map(Blocks(*(np.array([np.inf, -np.inf]),) * 2, np.array([3, 1]), np.array([1, 3])))
    assert both.posterior(scores).tolist() == [0.25, *[0.5] * 5, 0.75]
    assert both.llr(scores)[1:-1].tolist() == [0.0] * 5
    pure = linear_map(Blocks(*(np.array([np.inf, -np.inf]),) * 2, np.array([3, 0]), np.array([0, 3])))
    assert pure.llr(scores).tolist() == [-np.inf, *[0.0] * 5, np.inf]


def test_integers_against_fractional_blocks() -> None:
    made = three([9.3, 4.25, 0.1], [9.4, 4.75, 0.1])
    for dtype in (np.int64, np.uint64, np.int8):
        found = made.posterior(np.arange(11, dtype=dtype), 0.5)
        same = made.posterior(np.arange(11.0), 0.5)
        np.testing.assert_allclose(found, same, rtol=1e-14)
    beyond = three([1e300, 5.0, -1e300], [1e301, 5.0, -1e300])
    found = beyond.posterior(np.array([-(2**63), 5, 2**63 - 1]), 0.5)
    share = (3 / 4) / (3 / 4 + 2 / 6)
    np.testing.assert_allclose(found, share, rtol=1e-14)  # both gaps end far away


def test_integers_just_above_a_tiny_end() -> None:
    made = linear_map(Blocks(*(np.array([1e61, -1e-128]),) * 2, np.array([1, 0]), np.array([0, 1])))
    share = 1e-128 / 1e61  # of the way
    assert made.llr(np.array([0])) == pytest.approx([math.log(share)], rel=1e-12)
    assert made.llr(np.array([0.0])) == pytest.approx([math.log(share)], rel=1e-12)


@given(examples(max_size=60), st.sampled_from(["step", "linear", "strict steps", "strict lines"]))
def test_maps_rise_in_every_type(rows: Rows, kind: str) -> None:
    if kind.startswith("strict"):
        made, _ = strict_map(rows, steps=kind.endswith("steps"))
    else:
        made = (step_map if kind == "step" else linear_map)(blocks_of(*rows))
    for dtype in TYPES:
        scores = np.sort(np.concatenate([new_scores(rows[1], dtype), as_type(between(rows[1]), dtype)]))
        for values in (made.llr(scores), made.posterior(scores), made.posterior(scores, 1e-3)):
            assert values.dtype == np.float64
            assert not np.isnan(values).any()
            assert np.all(values[1:] >= values[:-1])


@given(examples(max_size=60), st.booleans())
def test_strict_maps(rows: Rows, steps: bool) -> None:
    made, scores = strict_map(rows, steps=steps)
    for values in (made.llr(scores), made.posterior(scores)):
        assert np.all(values[1:] > values[:-1])
    # Beyond the ends it stays inside of the lowest and the highest level.
    ends = as_type([], scores.dtype)
    ends = np.array([ends.min(), ends.max()])
    least, most = made.llr(ends)
    assert made.levels.llr.min() <= least <= made.llr(scores[:1])[0]
    assert made.levels.llr.max() >= most >= made.llr(scores[-1:])[0]
    assert np.isfinite([least, most]).all()
    assert 0 < made.posterior(ends)[0] < made.posterior(ends)[1] < 1


def test_strict_steps_jump_at_the_next_low_and_lines_do_not() -> None:
    labels, scores = np.array([0, 1, 0, 0, 1, 0, 1, 1]), np.array([1.0, 1.0, 2, 3, 5, 6, 7, 8])
    rows = (labels, scores, None)
    below, low = np.nextafter(5.0, 0), 5.0  # the second block begins at 5
    with_steps, _ = strict_map(rows, steps=True)
    values = with_steps.posterior(np.array([3.0, 4.0, below, low]))
    assert np.all(np.diff(values) > 0)
    assert values[2] - values[0] < 1e-5
    assert values[3] - values[2] > 0.1
    with_lines, _ = strict_map(rows, steps=False)
    values = with_lines.posterior(np.array([3.0, 4.0, below, low]), 0.5)
    assert values[1] == pytest.approx((values[0] + values[3]) / 2, rel=1e-9)


def test_strict_tails_rise_far_out() -> None:
    made, _ = strict_map((np.array([0, 1, 0, 1]), np.array([1.0, 2, 3, 4]), None), steps=True)
    for scores in (np.array([5.0, 10, 100, 1e4]), -np.array([1e4, 100, 10, 1.0])):
        assert np.all(np.diff(made.llr(scores)) > 0)
    ends = made.llr(np.array([-np.inf, np.inf]))
    assert ends.tolist() == [made.levels.llr.min(), made.levels.llr.max()]


@pytest.mark.parametrize("scores", [[np.inf], [-np.inf], [-np.inf, np.inf], [-np.inf, 3.0, np.inf], [7.0]])
def test_strict_maps_through_infinite_scores(scores: list[float]) -> None:
    rows = (np.array([0, 1] * len(scores)), np.repeat(scores, 2), None)
    made, found = strict_map(rows, steps=True)
    assert found.tolist() == scores
    assert np.all(made.edge[1:] >= made.edge[:-1])
    asked = np.array([-np.inf, -1e3, -1.0, 0.0, 1.0, 3.0, 4.0, 1e3, np.inf])
    assert np.all(np.diff(made.llr(asked)) > 0)


@pytest.mark.parametrize("family", ["normal", "int64, all of it", "float32"])
@pytest.mark.parametrize("kind", ["step", "linear", "strict"])
def test_values_do_not_depend_on_what_stands_beside(family: str, kind: str, monkeypatch: Any) -> None:
    rng = np.random.default_rng(3)
    scores = FAMILIES[family](rng, 300)
    rows = (labels_for(scores, "good", rng), scores, None)
    made = (
        strict_map(rows, steps=False)[0]
        if kind == "strict"
        else {"step": step_map, "linear": linear_map}[kind](blocks_of(*rows))
    )
    new = FAMILIES[family](rng, 1000)
    whole = made.llr(new)
    assert [made.llr(new[i : i + 1])[0] for i in range(0, 1000, 50)] == whole[::50].tolist()
    assert made.llr(new[::-3]).tolist() == whole[::-3].tolist()  # a view with a stride
    monkeypatch.setattr(score_maps, "_ROWS", 7)
    assert made.llr(new).tolist() == whole.tolist()
    assert made.llr(new[:0]).tolist() == []


def test_scores_may_be_read_only_and_are_not_changed() -> None:
    made = linear_map(blocks_of(np.array([0, 1, 0, 1]), np.arange(4)))
    for dtype in (np.float64, np.int64, np.uint64):
        scores = np.arange(5, dtype=dtype)
        scores.flags.writeable = False
        assert made.llr(scores).tolist() == made.llr(np.arange(5.0)).tolist()
        assert scores.tolist() == [0, 1, 2, 3, 4]


def test_a_map_is_pickled_without_its_lookups() -> None:
    made = linear_map(blocks_of(np.array([0, 1, 0, 1]), np.arange(4.0)))
    before = made.llr(np.linspace(-1, 5, 50)).tolist()
    assert made._lookups
    copy = pickle.loads(pickle.dumps(made))
    assert not copy._lookups
    assert copy.llr(np.linspace(-1, 5, 50)).tolist() == before


def test_many_edges_in_one_cell() -> None:
    # Edges that a uniform grid cannot part are searched.
    scores = np.append(10.0 ** np.arange(-300, 300, 4), 0.0)
    for made in (
        step_map(blocks_of(np.arange(151) % 2, scores)),
        strict_map((np.arange(151) % 2, scores, None), steps=True)[0],
    ):
        values = made.llr(np.sort(scores))
        assert np.all(values[1:] >= values[:-1])
        assert made.llr(np.sort(scores)).tolist() == [made.llr(np.array([s]))[0] for s in np.sort(scores)]
