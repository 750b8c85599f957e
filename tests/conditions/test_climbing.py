"""Functions of the rates that are not what a climb needs are noticed."""

import warnings

import numpy as np
import pytest

import rochull as rh


def clipped(fpr: float, tpr: float) -> float:
    return min(tpr, 0.5) - 1 / (1 + 1 / fpr)


def completed(fpr: float, tpr: float) -> float:
    return min(tpr, 0.5) - fpr / (1 + fpr)


HULL = rh.RocHull.from_rates([0.2], [1.0])


def test_a_division_by_zero_does_not_prune_what_is_best() -> None:
    with pytest.raises(
        ValueError, match=r"^function divides by zero at fpr 0, tpr 1; define its value there"
    ):
        HULL.at(rh.Utility(clipped))
    found = HULL.at(rh.Utility(completed))
    assert (found.fpr, found.tpr) == pytest.approx((0.1, 0.5), abs=1e-6)
    curve = rh.roc_curve([0, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1])  # its run at the bottom has bounds at (0, 0)
    hull = rh.RocHull.from_curve(curve)
    precision = rh.Utility(lambda fpr, tpr: tpr / (tpr + fpr))
    best = max(x and y / (x + y) for x, y in zip(curve.fpr, curve.tpr, strict=True))
    point = hull.at(precision, deterministic=True)
    assert point.tpr / (point.tpr + point.fpr) == best


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda fpr, tpr: tpr + fpr, "rise with fpr"),
        (lambda fpr, tpr: -abs(fpr - 0.3), "rise with fpr"),
        (lambda fpr, tpr: -(tpr**2), "fall with tpr"),
        (lambda fpr, tpr: np.sin(9 * tpr) - fpr, "fall with tpr"),
    ],
)
def test_functions_that_go_the_wrong_way_are_refused(function, what) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=f"^function must not {what}, but is .* at fpr .*, and .* at fpr"):
        rh.Utility(function)
    with pytest.raises(ValueError, match=f"^function must not {what}"):
        rh.Constrained(function, 1, 1, 1)


def test_what_the_grid_does_not_see_the_search_does() -> None:
    def spiked(fpr: float, tpr: float) -> float:
        return tpr - fpr + (5 if 0.095 < fpr < 0.105 else 0)

    with pytest.raises(ValueError, match=r"^function must not rise with fpr or fall with tpr"):
        HULL.at(rh.Utility(spiked))


def test_ordinary_functions_pass_without_a_word() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (
            lambda fpr, tpr: tpr / (tpr + fpr),
            lambda fpr, tpr: tpr - fpr,
            lambda fpr, tpr: tpr**0.5 * (1 - fpr) ** 0.5,
            lambda fpr, tpr: float(tpr >= 0.5),
            lambda fpr, tpr: -max(fpr, 1 - tpr),
        ):
            HULL.at(rh.Utility(function))
            HULL.at(rh.Utility(function), deterministic=True)
