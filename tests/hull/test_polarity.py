"""Scores of which low ones mean positive are noticed; those that are no worse than chance are not."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rochull as rh
from adversaries import Array

REVERSED = r"the AUC is 0\.[01]\d*, below one half by more than chance, so low scores seem to mean positive"


def sample(n: int, shift: float, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, n - 2), [0, 1])
    return y, rng.normal(size=n) + shift * y


def by_scan(y: Any, scores: Any) -> Any:
    return rh.scan({"y": y, "s": scores}, label="y", scores=["s"]).roc_hulls()


DOORS: list[Callable[[Any, Any], Any]] = [
    rh.roc_hull,
    lambda y, scores: rh.Hybrid().add("a", y, scores),
    lambda y, scores: rh.PavCalibrator().fit(scores, y),
    lambda y, scores: rh.Hybrid.from_table({"y": y, "s": scores}, label="y", scores=["s"]),
    by_scan,
    lambda y, scores: rh.scan(
        {"y": y, "s": scores, "w": 0.5 + 0 * y}, label="y", scores="s", weight="w"
    ).auc(),
    lambda y, scores: rh.PavCalibrator("linear", "laplace", strict=True).fit(scores, y),
    lambda y, scores: rh.LogisticCalibrator().fit(scores, y),
    lambda y, scores: rh.BetaCalibrator(targets="platt").fit(1 / (1 + np.exp(-scores)), y),
    lambda y, scores: rh.VennAbers().fit(scores, y),
    lambda y, scores: rh.ErrorRedistribution("fixed", min_bin=1).fit(
        scores, y, aux={"a": np.arange(y.size) % 2}
    ),
]


@pytest.mark.parametrize("door", DOORS)
def test_reversed_scores_are_noticed_once(door: Callable[[Any, Any], Any]) -> None:
    with pytest.warns(UserWarning, match=REVERSED) as caught:
        door(*sample(300, -2.0))
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("n", "shift"), [(300, 2.0), (300, 0.0), (10, -2.0), (20_000, 0.0)])
def test_scores_that_chance_explains_are_not(door: Callable[[Any, Any], Any], n: int, shift: float) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        door(*sample(n, shift))
    assert not any(re.search(REVERSED, str(warning.message)) for warning in caught)


def test_the_remedy_is_named_and_is_one() -> None:
    y, scores = sample(300, -2.0)
    with pytest.warns(UserWarning, match="declare that by lower_is_positive=True, or give the other class"):
        rh.roc_hull(y, scores)
    rh.roc_hull(y, scores, lower_is_positive=True)
    with pytest.warns(
        UserWarning, match="so high scores seem to mean positive: leave out lower_is_positive=True"
    ):
        rh.roc_hull(y, -scores, lower_is_positive=True)


def test_chance_is_seldom_taken_for_reversed() -> None:
    found = 0
    for seed in range(500):
        y, scores = sample(60, 0.0, seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            rh.roc_hull(y, scores)
        found += len(caught)
    assert found == 0


def test_one_heavy_example_proves_nothing() -> None:
    y, scores = sample(300, -2.0)
    rh.roc_hull(y, scores, sample_weight=np.where(np.arange(300) < 4, 1.0, 1e-3))
    with pytest.warns(UserWarning, match=REVERSED):
        rh.roc_hull(y, scores, sample_weight=np.full(300, 0.5))
