"""Threshold curves that follow the mean of one class."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from refusals import refuses
from rochull._core.validation import Array, Labelled
from rochull.segments.choice import BASELINES, MODELS, candidates
from rochull.segments.models.base import SegmentedScores
from rochull.segments.models.baselines import ConstantFprModel, ConstantTprModel

each = pytest.mark.parametrize(("make", "label"), [(ConstantFprModel, 0), (ConstantTprModel, 1)])

SCORES = np.arange(3.0)


def segmented(y: Any, s: Any, g: Any, w: Any = None, n: int | None = None) -> SegmentedScores:
    weights, g = None if w is None else np.asarray(w, float), np.asarray(g)
    data = Labelled(np.asarray(y, np.uint8), np.asarray(s, float), weights)
    return SegmentedScores.of(data, g, int(g.max()) + 1 if n is None else n)


def random(seed: int, n: int = 600, k: int = 4) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    g, y = rng.integers(0, k, n), rng.integers(0, 2, n)
    return y, rng.normal(y * (1 + g) - 0.7 * g, 1 + 0.3 * g * y), g


@each
def test_scores_are_adjusted_by_the_mean_of_the_class(make: Any, label: int) -> None:
    y, s, g = random(0)
    w = np.random.default_rng(1).exponential(size=600)
    model = make().fit(segmented(y, s, g, w))
    for k in range(5):
        own = (y == label) & ((g == k) | (k == 4))
        expected = s - (s[own] * w[own]).sum() / w[own].sum()
        np.testing.assert_allclose(model.ratio(s, np.full(600, k)), expected, atol=1e-12)


@each
def test_thresholds_are_the_level_sets_exactly(make: Any, label: int) -> None:
    for seed in range(5):
        y, s, g = random(seed)
        s = s * 10.0 ** (3 * seed - 6) + 1 / 3  # rounding differs with the scale
        model = make().fit(segmented(y, s, g))
        grid = np.sort(np.concatenate([s, [-np.inf, np.inf, -1e300, 1e300]]))
        for k in range(5):
            assert (np.diff(model.ratio(grid, np.full(grid.size, k))[1:-1]) >= 0).all()
        own = model.ratio(s, g)
        for offset in np.sort(own)[[5, 120, 300, 480, 594]]:
            found = model.thresholds(float(offset))
            assert found.shape == (5,)
            np.testing.assert_array_equal(s >= found[g], own >= offset)
            assert (own[s == found[g]] >= offset).all()
            below = np.nextafter(found, -np.inf)
            assert (model.ratio(below, np.arange(5)) < offset).all()


@each
def test_the_order_of_the_rows_and_constant_weights_do_not_matter(make: Any, label: int) -> None:
    y, s, g = random(9)
    first = make().fit(segmented(y, s, g)).mean
    turned = np.random.default_rng(0).permutation(s.size)
    np.testing.assert_allclose(make().fit(segmented(y[turned], s[turned], g[turned])).mean, first, rtol=1e-12)
    np.testing.assert_allclose(make().fit(segmented(y, s, g, np.full(s.size, 0.25))).mean, first, rtol=1e-12)
    times = np.random.default_rng(1).integers(1, 4, s.size)
    repeated = make().fit(segmented(*(np.repeat(a, times) for a in (y, s, g)))).mean
    np.testing.assert_allclose(make().fit(segmented(y, s, g, times)).mean, repeated, rtol=1e-12)


@each
def test_a_segment_without_the_class_is_adjusted_by_the_whole(make: Any, label: int) -> None:
    y, s, g = random(2, k=2)
    keep = (g == 0) | (y != label)
    model = make().fit(segmented(y[keep], s[keep], g[keep]))
    assert model.mean[1] == model.mean[2] == pytest.approx(s[keep & (y == label)].mean(), abs=1e-12)


@each
def test_infinite_scores_are_refused(make: Any, label: int) -> None:
    y, s, g = random(1)
    s[5] = np.inf
    refuses("model of means, but index 5 is not", make().fit, segmented(y, s, g))


# --- in ErrorRedistribution --------------------------------------------------------------------------------


def test_they_are_known_by_name_and_no_candidates_of_auto() -> None:
    assert BASELINES == ("constant-fpr", "constant-tpr")
    for name in BASELINES:
        assert [c.name for c in candidates(name, [4, 8], "cv", SCORES)] == [name, name]
        assert type(candidates(name, 4, 0.0, SCORES)[0].model()).name == name
    assert {c.name for c in candidates("auto", 4, 0.0, SCORES)} == set(MODELS)
    refuses('"constant-fpr", "constant-tpr", "auto", but is \'bent\'', candidates, "bent", 4, 0.0, SCORES)


@pytest.fixture(scope="module")
def example_1() -> tuple[Array, Array, Array]:
    """Example 1 of the paper: the negatives have mean 0 everywhere, the positives X1."""
    rng = np.random.default_rng(3)
    y, x = rng.integers(0, 2, 200_000), rng.uniform(1, 5, 200_000)
    return y, rng.normal(x * y), x


def test_example_1_of_the_paper(example_1: tuple[Array, Array, Array]) -> None:
    """All three have the area E Phi(X / sqrt(2)) = 0.95011 in the population, X uniform on [1, 5].

    The positives' distance from the mean of their bin and the mean of an independent negative's bin are
    together uniform again, so that bins cost constant TPR nothing:
    ``scipy.stats.norm.cdf(np.linspace(1, 5, 200001) / 2**0.5).mean()``.
    """
    y, s, x = example_1
    area = {}
    for model in ("fixed", "constant-fpr", "constant-tpr"):
        fitted = rh.ErrorRedistribution(model, n_bins=8).fit(s, y, aux={"x": x})
        area[model] = fitted.curve(y, s, aux={"x": x}).auc()
        assert fitted.model_ == model
    assert area["fixed"] == pytest.approx(0.95011, abs=0.0015)
    assert area["constant-fpr"] == pytest.approx(area["fixed"], abs=2e-4)
    assert area["constant-tpr"] == pytest.approx(0.95011, abs=0.0015)


@pytest.mark.parametrize(("model", "label"), [("constant-fpr", 0), ("constant-tpr", 1)])
def test_thresholds_keep_one_distance_from_the_mean(
    example_1: tuple[Array, Array, Array], model: str, label: int
) -> None:
    y, s, x = (a[:20_000] for a in example_1)
    seg = rh.ErrorRedistribution(model, n_bins=5).fit(s, y, aux={"x": x})
    found = seg.thresholds(rh.NeymanPearson(max_fpr=0.1))
    where = seg.segment({"x": x})
    means = [s[(where == k) & (y == label)].mean() for k in range(5)] + [s[y == label].mean()]
    apart = np.array(list(found.values())) - means
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)
    assert list(found)[-1] is None
    rate = (s >= seg.thresholds(rh.NeymanPearson(max_fpr=0.1), aux={"x": x}))[y == 0].mean()
    assert 0.095 < rate <= 0.1
