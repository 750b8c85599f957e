"""ConcavityRepair against plain lists, and the areas that it must add."""

import struct
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

import rochull as rh
from adversaries import FAMILIES, Array, examples, names
from profiles import tries
from twins import TABLE_LABELS, TABLE_SCORES, curve_of, groups_of, hull_of, pav, twice_pairs

Hollow = tuple[list[Any], Fraction]  # the scores of one block, from high to low, and the area below its chord


def hollows(labels: Any, scores: Any, weights: Any = None) -> list[Hollow]:
    """Every block of more than one score, with the area between chord and curve by trapezoids."""
    groups = groups_of(labels, scores, weights)
    n_pos, n_neg = sum(p for _, p, _ in groups), sum(q for *_, q in groups)
    found = []
    for first, last, pos, neg in pav([int(4 * p) for _, p, _ in groups], [int(4 * q) for *_, q in groups]):
        if first < last:
            below, above = Fraction(0), Fraction(0)
            for _, p, q in groups[first : last + 1]:
                below += q * (above + p / 2)
                above += p
            area = Fraction(pos * neg, 32) - below
            found.append(([score for score, *_ in groups[first : last + 1]], area / (n_pos * n_neg)))
    return found


def order_after(labels: Any, scores: Any, weights: Any, least: float) -> list[list[Any]]:
    """The scores in the order that they have after the repair, from high to low, by turning lists round."""
    order = [score for score, *_ in groups_of(labels, scores, weights)]
    for block, area in hollows(labels, scores, weights):
        if float(area) > least:
            first = order.index(block[0])
            order[first : first + len(block)] = block[::-1]
    return order


def mirrored(score: float, low: float, high: float) -> float:
    """The float64 that is as many numbers below `high` as `score` is above `low`."""

    def number_of(x: float) -> int:
        (bits,) = struct.unpack("<q", struct.pack("<d", x))
        return bits if bits >= 0 else -(bits + 2**63)

    n = number_of(low) + number_of(high) - number_of(score)
    (size,) = struct.unpack("<d", struct.pack("<q", abs(n)))
    return size if n >= 0 else -size


def auc_of(labels: Any, scores: Any, weights: Any = None) -> Fraction:
    return Fraction(*twice_pairs(labels, scores, weights))


def hull_auc_of(labels: Any, scores: Any, weights: Any = None) -> Fraction:
    vertices = hull_of([(int(4 * x), int(4 * y)) for x, y in curve_of(labels, scores, weights)])
    twice = sum((b[0] - a[0]) * (a[1] + b[1]) for a, b in pairwise(vertices))
    return Fraction(twice, 2 * vertices[-1][0] * vertices[-1][1])


@st.composite
def exact_examples(draw: st.DrawFn) -> tuple[Array, Array, Array | None]:
    """Examples whose scores fit float64 and whose weights are whole numbers, or none."""
    labels, scores, weights = draw(examples(max_size=60))
    if scores.dtype.kind != "f":
        scores = scores.astype(float)
    if weights is not None:
        weights = np.ceil(weights * 4) / 4
    return labels, scores, weights


@given(exact_examples(), st.sampled_from([0.0, 0.0, 1e-3, 0.02, 0.1]))
def test_equals_turning_lists_round(data: tuple[Array, Array, Array | None], least: float) -> None:
    labels, scores, weights = data
    repair = rh.ConcavityRepair(min_area=least).fit(scores, labels, sample_weight=weights)
    expected = [hollow for hollow in hollows(*data) if float(hollow[1]) > least]
    found = repair.concavities_
    assert found.low.tolist() == [block[-1] for block, _ in expected]
    assert found.high.tolist() == [block[0] for block, _ in expected]
    assert found.area.tolist() == [float(area) for _, area in expected]
    weighing = scores if weights is None else scores[weights > 0]
    assert found.examples.tolist() == [np.isin(weighing, block).sum() for block, _ in expected]
    # The order, ties included, and the very numbers.
    kept = np.array([score for score, *_ in groups_of(*data)])
    repaired = repair.transform(kept)
    assert np.unique(repaired).size == kept.size
    assert kept[np.argsort(repaired)[::-1]].tolist() == order_after(labels, scores, weights, least)
    for score, new in zip(kept.tolist(), repaired.tolist(), strict=True):
        inside = [block for block, _ in expected if score in block]
        assert new == (mirrored(score, inside[0][-1], inside[0][0]) if inside else score)


@given(exact_examples(), st.sampled_from([0.0, 0.01]))
def test_area_that_is_added(data: tuple[Array, Array, Array | None], least: float) -> None:
    labels, scores, weights = data
    raw, hull = auc_of(*data), hull_auc_of(*data)
    repair = rh.ConcavityRepair(min_area=least)
    after = auc_of(labels, repair.fit(scores, labels, sample_weight=weights).transform(scores), weights)
    assert float(after - raw) == pytest.approx(2 * repair.concavities_.area.sum(), abs=1e-12)
    if least == 0:
        assert after == 2 * hull - raw  # as much above the chords as it was below them
        assert after >= hull >= raw


everything = st.floats(allow_nan=False)


@given(
    st.lists(everything, min_size=2, max_size=2, unique=True), st.lists(everything, min_size=1, max_size=8)
)
@tries(200)
def test_the_mirror_is_exact(ends: list[float], asked: list[float]) -> None:
    low, high = sorted(ends)
    repair = rh.ConcavityRepair().fit([low, high], [1, 0])
    with np.errstate(over="ignore", under="ignore"):
        beside = [np.nextafter(x, to) for x in (low, high, *asked) for to in (-np.inf, np.inf)]
    scores = np.unique(np.array([low, high, 0.0, *asked, *beside]) + 0.0)
    repaired = repair.transform(scores)
    inside = (scores >= low) & (scores <= high)
    assert np.all(repaired[inside][:-1] > repaired[inside][1:])  # strictly, however near they were
    assert np.all((repaired[inside] >= low) & (repaired[inside] <= high))
    assert repaired[~inside].tolist() == scores[~inside].tolist()
    assert repair.transform(repaired).tolist() == scores.tolist()  # twice is not at all
    assert repaired[inside].tolist() == [mirrored(x, low, high) for x in scores[inside].tolist()]


def test_mirror_across_zero() -> None:
    repair = rh.ConcavityRepair().fit([-np.inf, np.inf], [1, 0])
    scores = np.array([-np.inf, -1e308, -2.5, -5e-324, -0.0, 0.0, 5e-324, 2.5, np.inf])
    assert repair.transform(scores).tolist() == (-scores).tolist()


def test_scores_in_gaps_stay() -> None:
    repair = rh.ConcavityRepair().fit([1, 2, 3, 4, 5, 6, 7], [1, 0, 0, 1, 1, 1, 0])
    assert repair.concavities_.low.tolist() == [4, 1]
    assert repair.concavities_.high.tolist() == [7, 3]
    scores = np.array([-np.inf, 0.5, -0.0, 3.5, np.nextafter(3, 4), np.nextafter(4, 3), 7.1, np.inf])
    assert repair.transform(scores).tobytes() == scores.tobytes()


@given(names, st.integers(0, 2**32))
def test_order_within_and_between_ranges(family: str, seed: int) -> None:
    """New scores of any type: order is kept, except inside each repaired range, where it is turned round."""
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, 80)
    labels = np.append(rng.integers(0, 2, 78), [0, 1])
    exact = np.array([float(v) == v for v in scores.tolist()])
    labels, scores = labels[exact], scores[exact]
    if len(set(labels.tolist())) < 2:
        return
    repair = (
        rh.ConcavityRepair().fit(scores[::2], labels[::2]) if len(set(labels[::2].tolist())) == 2 else None
    )
    if repair is None:
        return
    new = np.unique(scores[1::2]).astype(float)
    repaired, place = repair.transform(new), repair.concavities_.place(new)
    for i in range(new.size - 1):
        same = place[i] == place[i + 1] != -1
        assert (repaired[i] > repaired[i + 1]) == same
        assert repaired[i] != repaired[i + 1]


@given(exact_examples(), st.integers(0, 2**32))
def test_a_tie_is_half_way_on_any_data(data: tuple[Array, Array, Array | None], seed: int) -> None:
    labels, scores, weights = data
    repair = rh.ConcavityRepair().fit(scores, labels, sample_weight=weights)
    rng = np.random.default_rng(seed)
    new = np.append(rng.choice(scores, 20), rng.normal(size=20))
    truth = np.append(rng.integers(0, 2, 38), [0, 1])
    place = repair.concavities_.place(new)
    tied = new.copy()
    tied[place >= 0] = repair.concavities_.low[place[place >= 0]]
    assert 2 * auc_of(truth, tied) == auc_of(truth, new) + auc_of(truth, repair.transform(new))


def test_the_papers_example() -> None:
    """Fawcett & Niculescu-Mizil 2007, Table I and Figure 2: four concavities, drawn by hand."""
    found = rh.ConcavityRepair().fit(TABLE_SCORES, TABLE_LABELS).concavities_
    assert found.high.tolist() == [0.7, 0.45, 0.3, 0.2]
    assert found.low.tolist() == [0.5, 0.35, 0.27, 0.1]
    # Triangles below the chords from (0, 2) to (1, 5), (2, 7), (3, 8) and (5, 9); all negatives come first.
    assert found.area.tolist() == [1.5 / 54, 1 / 54, 0.5 / 54, 1 / 54]
    assert found.examples.tolist() == [4, 3, 2, 3]
    assert len(found) == 4
    assert repr(found) == "Concavities(4 ranges, area 0.0740741)"


@pytest.mark.parametrize("feature", ["age", "serum_cholestoral", "oldpeak", "maximum_heart_rate_achieved"])
def test_areas_by_scikit_learn(feature: str) -> None:
    table = rh.datasets.load("heart", ["class", feature])
    labels, scores = (table["class"] == "present").astype(int), table[feature]
    raw = roc_auc_score(labels, scores)
    tied = roc_auc_score(labels, IsotonicRegression().fit(scores, labels).predict(scores))
    repair = rh.ConcavityRepair().fit(scores, labels)
    assert repair.concavities_.area.sum() == pytest.approx(tied - raw, abs=1e-12)
    assert tied - raw > 0.001
    assert roc_auc_score(labels, repair.transform(scores)) == pytest.approx(2 * tied - raw, abs=1e-12)


def test_only_larger_areas() -> None:
    scores, labels = np.arange(9), [0, 1, 0, 0, 1, 1, 1, 0, 0]
    areas = rh.ConcavityRepair().fit(scores, labels).concavities_.area
    assert areas.size == 2
    least = float(areas.min())
    assert rh.ConcavityRepair(min_area=least).fit(scores, labels).concavities_.area.tolist() == [areas.max()]
    below = np.nextafter(least, 0)
    assert len(rh.ConcavityRepair(min_area=below).fit(scores, labels).concavities_) == 2
    nothing = rh.ConcavityRepair(min_area=1).fit(scores, labels)
    assert len(nothing.concavities_) == 0
    assert nothing.transform(scores).tolist() == scores.tolist()


def test_a_straight_edge_is_no_concavity() -> None:
    repair = rh.ConcavityRepair().fit([1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1])
    assert len(repair.concavities_) == 0
    assert repair.transform([1, 2, 3]).tolist() == [1, 2, 3]


def test_weights_are_repetitions() -> None:
    rng = np.random.default_rng(4)
    scores, labels = rng.normal(size=60), rng.integers(0, 2, 60)
    weights = rng.integers(0, 4, 60)
    weighted = rh.ConcavityRepair().fit(scores, labels, sample_weight=weights).concavities_
    repeated = rh.ConcavityRepair().fit(np.repeat(scores, weights), np.repeat(labels, weights)).concavities_
    for name in ("low", "high", "area"):
        assert getattr(weighted, name).tolist() == getattr(repeated, name).tolist()
    assert weighted.examples.tolist() == [
        np.sum((scores >= low) & (scores <= high) & (weights > 0))
        for low, high in zip(weighted.low, weighted.high, strict=True)
    ]
    unweighted = rh.ConcavityRepair().fit(scores, labels).concavities_
    assert weighted.area.tolist() != unweighted.area.tolist()


def test_types() -> None:
    labels = [1, 0, 0, 1]
    narrow = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    repaired = rh.ConcavityRepair().fit(narrow, labels).transform(narrow)
    assert repaired.dtype == np.float64
    expected = [mirrored(x, float(narrow[0]), float(narrow[2])) for x in narrow[:3].tolist()]
    assert repaired.tolist() == [*expected, float(narrow[3])]
    integers = rh.ConcavityRepair().fit([1, 2, 3, 4], labels).transform(np.array([1, 3, 4], np.uint8))
    assert integers.tolist() == [3, 1, 4]
    large = [-(2**63), 2**60, 2**62 + 2**10, 2**63 - 2**10]
    repair = rh.ConcavityRepair().fit(large, labels)
    assert repair.transform(large[::2]).tolist() == large[2::-2]
    assert repair.transform([False, True]).tolist() == [
        mirrored(x, float(large[0]), float(large[2])) for x in (0.0, 1.0)
    ]


@pytest.mark.parametrize(
    "scores",
    [
        np.array([0, 2**53 + 1]),
        np.array([0, -(2**53) - 1]),
        np.array([0, 2**63 - 1]),
        np.array([0, 2**64 - 1], np.uint64),
        [0, 2**60 + 2**7],
    ],
)
def test_integers_that_floats_cannot_hold(scores: Any) -> None:
    with pytest.raises(
        ValueError, match=r"X has 1 integers that float64 cannot hold exactly, the first at index 1"
    ):
        rh.ConcavityRepair().fit(scores, [1, 0])
    with pytest.raises(ValueError, match="X has 1 integers"):
        rh.ConcavityRepair().fit([0, 1], [1, 0]).transform(scores)


@pytest.mark.parametrize("scores", [[2**53, -(2**53)], [2**53 + 2, 2**60 + 2**8], [2**63, 2**64 - 2**11]])
def test_integers_that_floats_can_hold(scores: Any) -> None:
    repaired = rh.ConcavityRepair().fit(scores, [0, 1] if scores[0] > scores[1] else [1, 0]).transform(scores)
    assert [int(x) for x in repaired] == scores[::-1]


@pytest.mark.parametrize("value", [-0.1, np.nan, np.inf, "0.1", None])
def test_bad_min_area(value: Any) -> None:
    with pytest.raises(ValueError, match="min_area must"):
        rh.ConcavityRepair(min_area=value).fit([0.1, 0.2], [0, 1])
