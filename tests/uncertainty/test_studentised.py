"""Studentised intervals of what is read off a hull: standard errors by definition, ends, and coverage."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from rochull.uncertainty import studentised

Array = np.ndarray[Any, Any]
pytestmark = pytest.mark.filterwarnings("ignore:statistic=.* too narrow:UserWarning")  # of few examples
NAMES = ("hull_auc", "eer", "min_cllr")


def sample(seed: int, n: int, *, ties: bool = False) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [n, n + 3])
    scores = rng.normal(size=y.size) + 1.5 * y
    return y, np.round(scores) if ties else scores


def slow_error(name: str, y: Array, scores: Array) -> float:
    """By single examples: of the placements of PAV's scores, of the losses, of the decisions at the EER."""
    hull = rh.roc_hull(y, scores)
    at = [int(np.flatnonzero((hull.blocks.low <= s) & (s <= hull.blocks.high))[0]) for s in scores]
    pos, neg = scores[y == 1].size, scores[y == 0].size
    own = {label: [-at[i] for i in np.flatnonzero(y == label)] for label in (0, 1)}  # high is positive
    if name == "hull_auc":
        beats = np.array([[(p > q) + (p == q) / 2 for q in own[0]] for p in own[1]])
        return math.sqrt(beats.mean(axis=0).var() / neg + beats.mean(axis=1).var() / pos)
    if name == "min_cllr":
        llr = hull.blocks.llr[at]
        lost = np.log2(1 + np.exp(np.where(y == 1, -llr, llr)))
        return math.sqrt(lost[y == 1].var() / pos + lost[y == 0].var() / neg) / 2
    # Along the edge that holds the EER, w FPR + (1 - w) FNR is constant: w is found from its ends.
    edge = next(k for k in range(len(hull.fpr) - 1) if hull.fpr[k + 1] >= 1 - hull.tpr[k + 1] - 1e-12)
    fall, rise = hull.tpr[edge + 1] - hull.tpr[edge], hull.fpr[edge + 1] - hull.fpr[edge]
    weight, rate = fall / (fall + rise), hull.eer()
    return math.sqrt(rate * (1 - rate) * (weight**2 / neg + (1 - weight) ** 2 / pos))


@pytest.mark.parametrize("name", NAMES)
@tries(20)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 25), ties=st.booleans())
def test_standard_errors(name: str, seed: int, n: int, ties: bool) -> None:
    y, scores = sample(seed, n, ties=ties)
    found = math.sqrt(studentised.VARIANCES[name](rh.roc_hull(y, scores), (n, n + 3)))
    assert found == pytest.approx(slow_error(name, y, scores), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_ends_from_the_replicates(name: str) -> None:
    """The same draws, by a function that gives the error too."""
    y, scores = sample(1, 30)
    sizes = (30.0, 33.0)

    def both(one: rh.uncertainty.Resample) -> list[float]:
        return [getattr(one, name)(), math.sqrt(studentised.VARIANCES[name](one.hull(), sizes))]

    how: Any = {"n_resamples": 79, "random_state": 3, "level": 0.9}
    drawn, found = rh.bootstrap(y, scores, both, **how), rh.bootstrap(y, scores, name, **how)
    assert found.method == "studentised"
    assert found.in_sample
    rounding = 1e-12 if name == "min_cllr" else 0  # a sum, whose terms are in another order
    assert found.replicates.tolist() == pytest.approx(drawn.replicates[:, 0].tolist(), rel=rounding, abs=0)
    estimate, error = drawn.estimate
    ratios = sorted((value - estimate) / own for value, own in drawn.replicates if own)
    assert len(ratios) == 79
    assert found.low == pytest.approx(estimate - ratios[-4] * error)  # 0.05 (79 + 1) = 4
    assert found.high == pytest.approx(estimate - ratios[3] * error)
    for method in ("percentile", "basic", "bca"):
        assert rh.bootstrap(y, scores, name, method=method, **how).method == method


def test_where_no_example_is_misplaced() -> None:
    """The area is bounded as by `auc_interval`; the others as in normal scores with the area of its lower end."""
    y = np.repeat([0, 1], 8)
    found = {name: rh.bootstrap(y, np.arange(16.0), name, n_resamples=39, random_state=0) for name in NAMES}
    area = rh.auc_interval(y, np.arange(16.0))
    assert (found["hull_auc"].low, found["hull_auc"].high) == (pytest.approx(area.low), 1.0)
    rng, shift = np.random.default_rng(0), math.sqrt(2) * rh_quantile(area.low)
    many = np.repeat([0, 1], 40_000)
    scores = rng.normal(size=many.size) + shift * many
    assert found["eer"].low == found["min_cllr"].low == 0
    assert found["eer"].high == pytest.approx(rh.eer(many, scores), abs=0.01)
    assert found["min_cllr"].high == pytest.approx(rh.min_cllr(many, scores), abs=0.01)


def rh_quantile(share: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(share))


@pytest.mark.parametrize(
    "options",
    [{"clusters": np.arange(63) // 3}, {"sample_weight": np.linspace(0.5, 2, 63)}, {"stratified": False}],
    ids=["clusters", "weights", "unstratified"],
)
def test_it_takes_what_other_methods_take(options: dict[str, Any]) -> None:
    y, scores = sample(5, 30)
    for name in NAMES:
        found = rh.bootstrap(y, scores, name, n_resamples=99, random_state=0, **options)
        assert found.method == "studentised"
        assert found.low < found.high
        two = rh.bootstrap(y, {"a": scores, "b": -scores}, name, n_resamples=39, random_state=0, **options)
        assert two.low.shape == two.high.shape == two.estimate.shape == (2,)
        assert two.estimate[0] == found.estimate


def test_what_has_no_standard_error() -> None:
    y, scores = sample(5, 30)
    for statistic in ("auc", "cllr", lambda one: one.hull().auc()):
        with pytest.raises(ValueError, match="method can be 'studentised' for the statistics 'hull_auc'"):
            rh.bootstrap(y, scores, statistic, method="studentised")
    with pytest.raises(ValueError, match="method='studentised' needs share=1"):
        rh.bootstrap(y, scores, "eer", method="studentised", share=0.5)
    few = rh.bootstrap(y, scores, "eer", share=0.5, n_resamples=39, random_state=0)
    assert few.method == "percentile, m-out-of-n"


@pytest.mark.parametrize("name", NAMES)
def test_coverage_with_few_examples(name: str) -> None:
    """With 8 of each class percentiles hold the truth in a third to two thirds of samples (docs/uncertainty.md)."""
    truth = {"hull_auc": 0.9, "eer": 0.1824, "min_cllr": 0.5586}[name]
    rng, y, held = np.random.default_rng(8), np.repeat([0, 1], 8), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for _ in range(20):
            found = rh.bootstrap(
                y, rng.normal(size=16) + 1.8124 * y, name, n_resamples=59, random_state=rng, progress=False
            )
            held.append(found.low <= truth <= found.high)
    assert sum(held) >= 17
