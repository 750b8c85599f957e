"""Few scores are mapped without compiled loops, to the same bits."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import examples
from profiles import tries
from rochull.calibration import score_maps


def values(calibrator: Any, scores: Any) -> list[str]:
    found = calibrator.llr(scores), calibrator.posterior(scores), calibrator.posterior(scores, 0.01)
    return [value.hex() for column in found for value in column.tolist()]


@tries(60)
@given(examples(max_size=60), examples(max_size=60), st.sampled_from([*product(["step", "linear"], [0, 1])]))
def test_maps_are_the_same_without_kernels(rows: Any, others: Any, kind: tuple[str, int]) -> None:
    """On their own scores and on those of every other type."""
    labels, scores, weights = rows
    interpolation, strict = kind
    calibrator = rh.PavCalibrator(interpolation, "laplace" if strict else None, bool(strict))
    calibrator.fit(scores, labels, weights)
    for asked in (scores, others[1]):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(score_maps, "without_kernels", lambda _: True)
            plain = values(calibrator, asked)
            patch.setattr(score_maps, "without_kernels", lambda _: False)
            assert values(calibrator, asked) == plain


def test_lines_of_many_normal_scores_are_the_same() -> None:
    rng = np.random.default_rng(0)
    labels, scores = rng.random(900) < 0.4, rng.normal(size=900)
    calibrator = rh.PavCalibrator("linear", "laplace", strict=True).fit(scores, labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_maps, "without_kernels", lambda _: True)
        plain = values(calibrator, 3 * scores)
        patch.undo()
        assert values(calibrator, 3 * scores) == plain
