"""A PAV calibrator from a scan is that of the rows, number by number."""

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import rochull as rh
from profiles import tries
from scan_cases import divided, scan_of, table_of

NEW = np.concatenate((np.linspace(-4, 5, 200), [-np.inf, np.inf]))
BOUNDS = [None, "laplace", "misleading", "elub"]


@tries(60)
@given(
    st.integers(0, 10**6), st.sampled_from([0, 1, 15]), st.sampled_from(["step", "linear", "centred"]),
    st.sampled_from(BOUNDS), st.booleans(), st.booleans(), st.sampled_from([5, 64, 10**6]),
)  # fmt: skip
def test_it_is_that_of_the_rows(  # noqa: PLR0917 - drawn by hypothesis
    seed: int, digits: int, interpolation: str, bound: Any, strict: bool, weighted: bool, buckets: int
) -> None:
    table = table_of(300, seed, digits)
    strict = strict and bound is not None and interpolation != "centred"
    how: Any = {"interpolation": interpolation, "bound": bound, "strict": strict}
    with divided(_MAX_BUCKETS=buckets):
        scan = scan_of(table, ["z", "x"], weight="w" if weighted else None, max_error=0.1)
        found = rh.PavCalibrator(**how).fit_scan(scan, "x")
    weights = table["w"] if weighted else None
    expected = rh.PavCalibrator(**how).fit(table["x"], table["y"], sample_weight=weights)
    assert found.llr(NEW).tolist() == expected.llr(NEW).tolist()
    assert found.posterior(NEW, 0.1).tolist() == expected.posterior(NEW, 0.1).tolist()
    assert (found.prevalence_, found.bounds_) == (expected.prevalence_, expected.bounds_)
    assert found.to_json() == expected.to_json()
    assert found.n_features_in_ == 1


def test_a_segment_or_a_fold() -> None:
    table = table_of()
    scan = scan_of(table, segment="segment", fold="fold", weight="w")
    for name, value in (("segment", "b"), ("fold", 2)):
        rows = table[name] == value
        found = rh.PavCalibrator(bound="laplace").fit_scan(scan, **{name: value})
        expected = rh.PavCalibrator(bound="laplace").fit(
            table["x"][rows], table["y"][rows], sample_weight=table["w"][rows]
        )
        assert found.llr(NEW).tolist() == expected.llr(NEW).tolist()


@pytest.mark.parametrize(
    ("how", "what", "says"),
    [
        ({"bound": "none"}, {}, "bound must be None"),
        ({"interpolation": "cubic"}, {}, "interpolation must be"),
        ({"strict": 1}, {}, "strict must be True or False"),
        ({}, {"score": "q"}, "score='q' is not one of 'x'"),
        ({}, {"fold": 3}, "by='fold': the scan was made without fold"),
    ],
)
def test_mistakes_are_one_sentence(how: Any, what: Any, says: str) -> None:
    scan = scan_of({"y": [0, 0, 1, 1], "x": [1.0, 2, 3, 4]})
    with pytest.raises(ValueError, match=says):
        rh.PavCalibrator(**how).fit_scan(scan, **what)
