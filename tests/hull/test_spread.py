"""How scores lie, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.hull.spread import spread_of


def numpy_of(score: np.ndarray) -> tuple[float, float, float]:
    return score.min(), np.median(score), score.max()


@given(st.data(), st.sampled_from(["f8", "f4", "i8", "u1"]), st.booleans(), st.booleans())
def test_spreads_are_numpy_s(data: st.DataObject, dtype: str, lower: bool, weighted: bool) -> None:
    """Of both classes, with ties, of scores of any type, low or high; whole weights are repetitions."""
    size = data.draw(st.integers(2, 30))
    score = np.array(data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)), dtype)
    y = np.array([0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=size - 2, max_size=size - 2))])
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=size - 2, max_size=size - 2))
    weight = np.array([1, 2, *drawn]) if weighted else np.ones(size, int)
    curve = rh.roc_curve(y, score, sample_weight=weight if weighted else None, lower_is_positive=lower)
    found, (y, score) = spread_of(curve), (np.repeat(each, weight) for each in (y, score))
    assert found.distinct == len(np.unique(score))
    for of, own in ((found.negatives, score[y == 0]), (found.positives, score[y == 1])):
        assert of == pytest.approx(numpy_of(own.astype(float)), rel=1e-15)


def test_a_hybrid_knows_the_spread_of_complete_curves() -> None:
    rng = np.random.default_rng(3)
    y, score = rng.integers(0, 2, 4000), rng.normal(size=4000)
    table = {"y": y, "a": score}
    hybrid = (
        rh.Hybrid().add("a", y, score).add("b", y, -score, lower_is_positive=True).add_point("c", 0.1, 0.9)
    )
    assert hybrid.spreads["a"].positives == pytest.approx(numpy_of(score[y == 1]))
    assert hybrid.spreads["b"].negatives == pytest.approx(numpy_of(-score[y == 0]))
    assert list(hybrid.without("a").hybrid.spreads) == ["b"]
    assert "c" not in hybrid.spreads
    exact, thinned = (rh.scan(table, label="y", scores=["a"]) for _ in range(2))
    exact.roc_curves(max_error=0)
    assert rh.Hybrid.from_scan(exact).spreads["a"] == hybrid.spreads["a"]
    assert rh.Hybrid.from_scan(thinned).spreads in ({}, {"a": hybrid.spreads["a"]})
