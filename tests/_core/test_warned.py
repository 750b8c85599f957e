"""A warning points at the caller's line, however deep inside the package it is given."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from types import FrameType, FunctionType

import pytest

from rochull._core.warned import warn


def inside(function: Callable[..., None], module: str = "rochull.somewhere") -> Callable[..., None]:
    """The function, as if it were one of a module."""
    assert isinstance(function, FunctionType)
    return FunctionType(
        function.__code__, {**function.__globals__, "__name__": module}, closure=function.__closure__
    )


def here() -> int:
    frame = inspect.currentframe()
    assert isinstance(frame, FrameType)
    assert isinstance(frame.f_back, FrameType)
    return frame.f_back.f_lineno


@pytest.mark.parametrize("depth", [0, 1, 7])
def test_the_caller_of_the_package_is_warned(depth: int) -> None:
    def down(left: int) -> None:
        if left:
            again(left - 1)
        else:
            warn("mind the gap.")

    again = inside(down)
    with pytest.warns(UserWarning, match=r"^mind the gap\.$") as caught:
        again(depth)
    line = here() - 1
    assert [(each.filename, each.lineno) for each in caught] == [(__file__, line)]


def foreign(call: Callable[[], None]) -> None:
    call()


def test_the_nearest_caller_outside_is_warned() -> None:
    """Where the package is called by what the package calls; names that are like its own are others'."""
    emit = inside(lambda: warn("mind the gap."))
    within = inside(lambda function: function(emit))
    for module in ("rochull_of_mine", "other.rochull"):
        with pytest.warns(UserWarning, match="mind the gap") as caught:
            within(inside(foreign, module))
        assert caught[0].lineno == inspect.getsourcelines(foreign)[1] + 1


def test_a_warning_is_given_once_for_each_line_of_the_caller() -> None:
    """As Python does by default: not once for the package."""
    emit = inside(lambda: warn("mind the gap."))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            emit()
        emit()
    line = here() - 1
    assert [(each.filename, each.lineno) for each in caught] == [(__file__, line - 1), (__file__, line)]
