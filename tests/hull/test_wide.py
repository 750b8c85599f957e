"""Weights of any spread: every path is exact, as Python's fractions have it, or refuses."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import Array
from rochull._core.validation import Labelled
from rochull.hull import refine
from rochull.hull.sources import ArraySource
from rochull.hull.tallies import Spread, Units, tally_of

# Positive float64 of every size whose sums are within bounds: subnormal ones too.
WEIGHTS = st.one_of(
    st.just(0.0),
    st.floats(5e-324, 1e140, allow_subnormal=True),
    st.sampled_from([0.1, 0.3, 1.0, 5e-324, 1e-18]),
)
ROWS = st.lists(st.tuples(st.booleans(), st.integers(0, 5), WEIGHTS), max_size=12)


def twin(y: Any, score: Any, weight: Any) -> tuple[list[Any], list[Fraction], list[Fraction], Fraction]:
    """Lows of the blocks, false and true positives at the vertices, the area under the curve: in fractions."""
    groups: dict[Any, list[Fraction]] = {}
    for label, value, mass in zip(y, score, weight, strict=True):
        if mass:
            groups.setdefault(value, [Fraction(0), Fraction(0)])[int(label)] += Fraction(mass)
    order = sorted(groups, reverse=True)
    x, up = [Fraction(0)], [Fraction(0)]
    for value in order:
        x.append(x[-1] + groups[value][0])
        up.append(up[-1] + groups[value][1])
    hull = [0]
    for c in range(1, len(x)):
        while len(hull) > 1:
            a, b = hull[-2:]
            if (up[c] - up[a]) * (x[b] - x[a]) < (up[b] - up[a]) * (x[c] - x[a]):
                break
            hull.pop()
        hull.append(c)
    area = sum(((x[i + 1] - x[i]) * (up[i + 1] + up[i]) for i in range(len(order))), Fraction(0))
    return (
        [order[i - 1] for i in hull[1:]],
        [x[i] for i in hull],
        [up[i] for i in hull],
        area / (2 * x[-1] * up[-1]),
    )


def check(hull: rh.RocHull, rows: tuple[Any, Any, Any]) -> None:
    low, fp, tp, _ = twin(*rows)
    assert hull.blocks is not None
    assert hull.blocks.low.tolist() == low
    assert [Fraction(int(n)) / Fraction(hull.units.neg) for n in hull.fp] == fp
    assert [Fraction(int(n)) / Fraction(hull.units.pos) for n in hull.tp] == tp


def importance(n: int, k: float) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    return (rng.random(n) < 1 / (1 + np.exp(-x))).astype(int), np.round(x, 2), np.exp(k * x)


@pytest.mark.parametrize("e", [1.0, 1e-8, 1e-16, 1e-18, 1e-100, 1e-300, 3e-323, 5e-324])
def test_a_light_block_has_its_posterior(e: float) -> None:
    calibrator = rh.PavCalibrator().fit([1, 1, 2, 2], [1, 0, 1, 0], [e, 3 * e, 1, 1])
    exact = calibrator.hull_.units.is_wide or e == 1
    assert calibrator.posterior([1.0, 2.0]) == pytest.approx([0.25, 0.5], rel=0 if exact else 2**-25, abs=0)
    assert exact == (e in (1.0, 3e-323, 5e-324) or e < 1e-9)
    again = rh.PavCalibrator.from_json(calibrator.to_json())
    assert again.posterior([1.0, 2.0]).tolist() == calibrator.posterior([1.0, 2.0]).tolist()


@pytest.mark.long
@given(ROWS)
def test_weights_of_any_spread_are_exact(rows: list[tuple[bool, int, float]]) -> None:
    rows = [*rows, (True, 2, 1e-3), (False, 3, 1e30)]  # both classes, and a spread that units cannot hold
    y, score, weight = (list(column) for column in zip(*rows, strict=True))
    hull = rh.roc_hull(y, score, sample_weight=weight)
    if not hull.units.is_wide:  # both classes fit units, each by itself
        return
    check(hull, (y, score, weight))
    *_, area = twin(y, score, weight)
    assert rh.roc_auc(y, score, sample_weight=weight) == float(area)
    halves = [slice(0, 1), slice(1, None)]
    source = rh.ChunkSource(lambda: [(y[part], score[part], weight[part]) for part in halves])
    check(rh.RocHull.from_source(source), (y, score, weight))


@pytest.mark.long
@pytest.mark.parametrize("k", [8, 20, 40])
def test_importance_weights_are_exact_by_every_path(k: float, tmp_path: Path) -> None:
    y, score, weight = rows = importance(4000, k)
    hull = rh.roc_hull(y, score, sample_weight=weight)
    check(hull, tuple(column.tolist() for column in rows))
    *_, area = twin(*(column.tolist() for column in rows))
    curve = rh.roc_curve(y, score, sample_weight=weight)
    assert curve.auc() == rh.roc_auc(y, score, sample_weight=weight) == float(area)
    scanned = refine.scan_blocks(ArraySource(Labelled(y, score, weight)), n_buckets=64)
    check(rh.RocHull.from_blocks(scanned), tuple(column.tolist() for column in rows))
    scan = rh.scan({"y": y, "s": score, "w": weight}, label="y", scores=["s"], weight="w")
    check(scan.roc_hulls()["s"], tuple(column.tolist() for column in rows))
    assert scan.auc()["s"].estimate == float(area)
    document = rh.Policy.from_hull(hull).to_json()
    again = rh.Policy.from_json(document).hull
    assert (again.units, again.fp.tolist(), again.tp.tolist()) == (
        hull.units,
        hull.fp.tolist(),
        hull.tp.tolist(),
    )
    assert json.loads(document)["n_neg"] == hull.n_neg


def test_parts_of_a_score_axis_and_segments_are_exact() -> None:
    y, score, weight = importance(500, 30)
    whole = rh.roc_hull(y, score, sample_weight=weight)
    parts = [rh.hull.Blocks.from_scores(y[p], score[p], weight[p]) for p in (score >= 0, score < 0)]
    assert rh.RocHull.from_blocks(rh.concatenate(parts)).tpr.tolist() == whole.tpr.tolist()
    one = rh.stratify({"all": whole})
    assert one.fpr.tolist() == whole.fpr.tolist()
    both = rh.union({"a": whole, "b": rh.RocHull.from_rates([0.2], [0.9])})
    assert both.n_neg == whole.n_neg


def test_limbs_add_up_to_the_weights() -> None:
    rng = np.random.default_rng(3)
    weight = np.append(np.ldexp(rng.random(200), rng.integers(-1074, 400, 200)), [5e-324, 0.0])
    units = Units.fitting(
        Spread(np.full(2, 1e120), np.full(2, 5e-324), np.full(2, 1e120), np.zeros(2, bool)), 9
    )
    counts = units.counts_of(Labelled(np.ones(weight.size, np.uint8), weight, weight))
    assert [Fraction(int(n), int(units.pos)) for n in counts] == [Fraction(w) for w in weight.tolist()]


def test_ordinary_weights_stay_in_64_bits() -> None:
    rng = np.random.default_rng(2)
    y, score = rng.integers(0, 2, 2000), rng.random(2000)
    for weight in (
        np.ones(2000),
        rng.random(2000) + 0.01,
        rng.standard_exponential(2000),
        rng.integers(1, 10**9, 2000),
    ):
        assert tally_of(Labelled(y, score, weight.astype(float))).pos_units.dtype == np.int64
    counts = np.where(rng.random(2000) < 0.5, 1.0, 2.0**40)  # whole numbers are exact however light
    assert tally_of(Labelled(y, score, counts)).pos_units.dtype == np.int64
    counts = np.where(rng.random(2000) < 0.5, 1.0, 2.0**55)
    assert tally_of(Labelled(y, score, counts / 2.0**4)).units.is_wide


@pytest.mark.parametrize("light", [1e-8, 1e-16, 1e-20, 1e-120])
def test_light_parts_keep_their_weights(light: float) -> None:
    """What is light beside the whole is neither left out nor coarse, as it is not among all examples."""
    rng = np.random.default_rng(5)
    y, score, weight = rng.integers(0, 2, 60), np.arange(60.0), rng.random(60)
    weight[30:50] *= light
    parts = [
        rh.hull.Blocks.from_scores(y[a:b], score[a:b], sample_weight=weight[a:b])
        for a, b in ((0, 30), (30, 50), (50, 60))
    ]
    found = rh.concatenate(parts)
    whole = rh.hull.Blocks.from_scores(y, score, sample_weight=weight)
    assert found.high.tolist() == whole.high.tolist()
    for side in ("pos", "neg"):
        assert getattr(found, side) == pytest.approx(getattr(whole, side), rel=2.0**-24)
    assert found.units.is_wide == (light < 1e-8)


def test_what_holds_62_bits_refuses() -> None:
    y, score, weight = importance(300, 20)
    folds = np.arange(300) % 3
    refused = pytest.raises(
        ValueError,
        match=r"the lightest weights are too light beside their class's total \(the lightest is .*e-\d+ of it",
    )
    with refused:
        rh.operating_point_average(y, score, folds, sample_weight=weight)
    with refused:
        rh.bootstrap(y, score, rh.roc_auc, sample_weight=weight, n_resamples=20, random_state=0)
    with refused:
        rh.MulticlassRoc(folds, np.eye(3)[folds], sample_weight=weight)
