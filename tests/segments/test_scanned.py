"""Error redistribution from a scan: that of the rows, exactly where it says so, else within the thinning."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from refusals import refuses
from scan_cases import divided, scan_of

SIZES = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 0.5, "e": 1.0}
MODELS = ["pav", "gaussian", "equal-variance", "logistic", "fixed", "constant-fpr", "constant-tpr"]


def table_of(size: int, seed: int = 0, digits: int = 15, numbers: bool = False) -> dict[str, Any]:
    """Scores that separate better in some segments than in others; one of these is rare."""
    rng = np.random.default_rng(seed)
    segment = rng.choice(list(SIZES), size, p=[0.4, 0.3, 0.2, 0.08, 0.02])
    y = rng.random(size) < 0.4
    x = np.round(rng.normal(size=size) + y * np.array([SIZES[s] for s in segment]), digits)
    if numbers:
        segment = np.searchsorted(list(SIZES), segment)
    return {"y": y, "x": x, "segment": segment, "w": rng.integers(1, 5, size) / 4}


def both(table: Any, how: Any, weighted: bool = False, max_error: float = 1e-4, **tuned: Any) -> Any:
    """From a scan, and from the rows."""
    weights = table["w"] if weighted else None
    with divided(**({"_MAX_BUCKETS": 1 << 10} | tuned)):
        scan = scan_of(table, segment="segment", weight="w" if weighted else None, max_error=0.01)
        found = rh.ErrorRedistribution(**how).fit_scan(scan, max_error=max_error)
    aux = {"segment": table["segment"]}
    return found, rh.ErrorRedistribution(bins="category", **how).fit(
        table["x"], table["y"], aux=aux, sample_weight=weights
    )


def same_hull(found: Any, expected: Any) -> None:
    """Vertices, counts and attributes."""
    assert found.segments_ == expected.segments_
    assert found.counts_ == expected.counts_
    assert (found.model_, found.n_bins_, found.shrinkage_) == (
        expected.model_, expected.n_bins_, expected.shrinkage_
    )  # fmt: skip
    assert found.hull_.fpr.tolist() == expected.hull_.fpr.tolist()
    assert found.hull_.tpr.tolist() == expected.hull_.tpr.tolist()
    assert found.hull_.units == expected.hull_.units


@tries(25)
@given(
    st.integers(0, 10**6), st.sampled_from([0, 1, 15]), st.booleans(), st.booleans(),
    st.sampled_from([0, np.inf]), st.sampled_from([8, 1 << 12]),
)  # fmt: skip
def test_pav_without_shrinkage_is_exact(  # noqa: PLR0917 - drawn by hypothesis
    seed: int, digits: int, numbers: bool, weighted: bool, shrinkage: float, buckets: int
) -> None:
    table = table_of(1500, seed, digits, numbers)
    found, expected = both(table, {"shrinkage": shrinkage}, weighted, _MAX_BUCKETS=buckets)
    same_hull(found, expected)
    cases = np.linspace(-3, 6, 50)
    for value in (*np.unique(table["segment"]), 99 if numbers else "unseen"):
        aux = {"segment": np.full(50, value)}
        if value in (99, "unseen"):
            with pytest.warns(UserWarning, match="never seen"):
                ratio, other = (each.transform(cases, aux=aux) for each in (found, expected))
        else:
            ratio, other = (each.transform(cases, aux=aux) for each in (found, expected))
        assert ratio.tolist() == other.tolist()
    for condition in (rh.NeymanPearson(0.1), rh.ExpectedCost(cost_fn=2, prevalence=0.5)):
        assert found.at(condition) == expected.at(condition)
        assert found.thresholds(condition) == expected.thresholds(condition)
    assert found.policy().to_json() == expected.policy().to_json()


@pytest.mark.crossed
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_from_all_groups_every_model_is_that_of_the_rows(model: str, weighted: bool) -> None:
    table = table_of(4000, digits=2)
    found, expected = both(table, {"model": model, "shrinkage": 40.0}, weighted, 0.0)
    assert found.segments_ == expected.segments_
    assert found.hull_.units.weighted == expected.hull_.units.weighted
    assert found.hull_.auc() == pytest.approx(expected.hull_.auc(), abs=1e-9)
    for condition in (rh.NeymanPearson(0.1), rh.ExpectedCost(cost_fn=2, prevalence=0.5)):
        for name, threshold in expected.thresholds(condition).items():
            assert found.thresholds(condition)[name] == pytest.approx(threshold, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("model", MODELS)
def test_from_thinned_groups_every_model_is_near_that_of_the_rows(model: str) -> None:
    table = table_of(20_000)
    found, expected = both(table, {"model": model, "shrinkage": 100.0}, max_error=1e-3)
    assert found.hull_.auc() == pytest.approx(expected.hull_.auc(), abs=1e-3)
    assert found.at(rh.NeymanPearson(0.1)).tpr == pytest.approx(
        expected.at(rh.NeymanPearson(0.1)).tpr, abs=3e-3
    )


def test_the_fixed_threshold_is_exact() -> None:
    table = table_of(5000)
    found, expected = both(table, {"model": "fixed"}, max_error=1e-2)
    same_hull(found, expected)
    assert found.thresholds(rh.ExpectedCost(prevalence=0.5)) == expected.thresholds(
        rh.ExpectedCost(prevalence=0.5)
    )


@pytest.mark.long
def test_a_choice_by_cross_validation_divides_counts() -> None:
    table = table_of(20_000)
    found, expected = both(table, {"model": "auto"})
    assert set(found.choice_) == set(expected.choice_)
    assert found.choice_["model"] == expected.choice_["model"]
    np.testing.assert_allclose(found.choice_["auc"], expected.choice_["auc"], atol=4e-3)
    np.testing.assert_allclose(found.choice_["gain"], expected.choice_["gain"], atol=2e-3)
    again, _ = both(table, {"model": "auto", "random_state": np.random.RandomState(3)})
    assert len(again.choice_["auc"]) == len(found.choice_["auc"])
    shrunk, other = both(table, {"random_state": np.random.default_rng(1)})
    assert shrunk.hull_.auc() == pytest.approx(other.hull_.auc(), abs=2e-3)


def test_small_segments_are_together() -> None:
    table = table_of(3000)
    found, expected = both(table, {"shrinkage": 0, "min_bin": 150})
    assert "other" in found.segments_ or any("{" in name for name in found.segments_)
    same_hull(found, expected)
    column = scan_of(table, segment="segment")
    other = rh.ErrorRedistribution(shrinkage=0, min_bin=150).fit_scan(column, column="kind")
    assert all("kind" in name or name == "other" for name in other.segments_)


@pytest.mark.parametrize(
    ("how", "table", "says"),
    [
        ({"bins": "quantile"}, {}, "bins='quantile': the bins of a scan are its segments"),
        ({"bins": {"segment": 3}}, {}, "the bins of a scan are its segments"),
        ({"min_bin": 0}, {}, "min_bin must"),
        ({"model": "best"}, {}, "model must be one of"),
        (
            {"min_bin": 1},
            {"y": [0, 1] * 3, "x": range(6), "segment": list("aabbcc")},
            "in 5 folds needs 5 examples of each class",
        ),
        ({"model": "gaussian"}, {"x": [np.inf, 0.0, 1, 2]}, "X must be finite for model='gaussian'"),
        ({}, {"x": [2**60, 1, 2, 3]}, "integers beyond 2..53"),
    ],
)
def test_mistakes_are_one_sentence(how: Any, table: Any, says: str) -> None:
    rows = {"y": [0, 1, 0, 1], "x": [1.0, 2, 3, 4], "segment": ["a", "a", "b", "b"]} | table
    rows["x"] = np.array(list(rows["x"]))
    refuses(says, rh.ErrorRedistribution(**how).fit_scan, scan_of(rows, segment="segment"))


def test_what_a_scan_must_have() -> None:
    table = table_of(300)
    with pytest.raises(ValueError, match="column: the scan does not know what its segments are called"):
        rh.ErrorRedistribution().fit_scan(scan_of(table))
    with pytest.raises(ValueError, match="by='segment': the scan was made without segment"):
        rh.ErrorRedistribution().fit_scan(scan_of(table), column="segment")
    with pytest.raises(ValueError, match="weights, which groups do not tell apart"):
        rh.ErrorRedistribution().fit_scan(scan_of(table, segment="segment", weight="w"))
    with pytest.raises(ValueError, match="score='q' is not one of 'x'"):
        rh.ErrorRedistribution().fit_scan(scan_of(table, segment="segment"), "q")
    days = table | {"segment": table["segment"].astype(str).astype("S1")}
    with pytest.raises(ValueError, match=r"segments must be strings or numbers, but b'.' is a bytes"):
        rh.ErrorRedistribution().fit_scan(scan_of(days, segment="segment"))
