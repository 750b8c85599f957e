"""What a display promises that takes more than labels and scores: a base class of tests for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import rochull as rh

Array = np.ndarray[Any, Any]


def display_class(name: str) -> Any:
    return getattr(rh.plotting, name)


def legend_texts(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def assert_equal_numbers(first: Mapping[str, Any], second: Mapping[str, Any], rtol: float = 0.0) -> None:
    """Of two displays, by name: arrays and floats up to `rtol`, all else exactly."""
    assert first.keys() == second.keys()
    assert any(isinstance(v, np.ndarray) and v.size > 2 for v in first.values())
    for key, value in first.items():
        if isinstance(value, np.ndarray | float):
            np.testing.assert_allclose(value, second[key], rtol=rtol, atol=rtol, err_msg=key)
        else:
            assert value == second[key]


@dataclass(frozen=True)
class Displays:
    """Some displays by name, with what they must be given, and the numbers that one has computed."""

    options: Mapping[str, dict[str, Any]]
    numbers: Callable[[Any], dict[str, Any]]

    def compute(self, name: str, y: Any, s: Any, /, **options: Any) -> Any:
        return display_class(name).compute(y, s, **{**self.options[name], **options})

    def draw(self, name: str, y: Any, s: Any, /, **options: Any) -> Any:
        return display_class(name).from_predictions(y, s, **{**self.options[name], **options})

    def assert_same(self, ours: Any, theirs: Any, rtol: float = 0.0) -> None:
        assert_equal_numbers(self.numbers(ours), self.numbers(theirs), rtol)


class DisplayContract:
    """A module's subclass names its displays, is parametrized by `name`, and has fixtures for the rest."""

    displays: ClassVar[Displays]

    def more(self) -> dict[str, Any]:
        """Further arrays that a display takes, by keyword."""
        return {}

    def test_computing_and_drawing_give_the_same_numbers(
        self, name: str, labels: Array, scores: Array
    ) -> None:
        computed = self.displays.compute(name, labels, scores)
        assert not hasattr(computed, "ax_")
        assert plt.get_fignums() == []
        drawn = self.displays.draw(name, labels, scores)
        self.displays.assert_same(computed, drawn)
        before = dict(vars(computed))
        computed.plot()
        self.displays.assert_same(drawn, computed)
        assert all(vars(computed)[key] is value for key, value in before.items())
        kind: Any = type("Subclass", (display_class(name),), {})
        assert type(kind.from_predictions(labels, scores, **self.displays.options[name])) is kind

    def test_given_axes_are_used(self, name: str, labels: Array, scores: Array) -> None:
        figure = Figure()
        left, right = figure.subplots(1, 2)
        display = self.displays.draw(name, labels, scores, ax=right)
        assert display.ax_ is right
        assert display.figure_ is figure
        assert display.line_ in right.lines
        assert not left.lines
        assert display.plot(left) is display
        assert display.ax_ is left
        assert display.line_ in left.lines
        assert plt.get_fignums() == []
        display.plot()
        assert len(plt.get_fignums()) == 1
        assert display.figure_ is plt.gcf()

    @pytest.mark.parametrize("given", [{"color": "red", "linewidth": 4.5}, {"c": "red", "lw": 4.5}], ids=str)
    def test_keywords_reach_the_line(
        self, name: str, labels: Array, scores: Array, given: dict[str, Any]
    ) -> None:
        display = self.displays.draw(name, labels, scores, alpha=0.25, **given)
        line = display.line_
        assert isinstance(line, Line2D)
        assert (line.get_color(), line.get_linewidth(), line.get_alpha()) == ("red", 4.5, 0.25)
        with pytest.raises(AttributeError, match="no_such_option"):
            display.plot(no_such_option=1)

    def test_name_is_in_the_legend(self, name: str, labels: Array, scores: Array) -> None:
        display = self.displays.draw(name, labels, scores, name="my model")
        assert any("my model" in text for text in legend_texts(display.ax_))
        assert repr(display) == f"{name}('my model')"
        display.plot(name="another")
        assert "another" in str(display.line_.get_label())
        assert not any("my model" in text for text in legend_texts(display.ax_))
        assert not display.ax_.get_legend().get_frame_on()
        assert len(display.ax_.get_xlabel()) > 2
        assert len(display.ax_.get_ylabel()) > 2

    def test_two_displays_on_the_same_axes(self, name: str, labels: Array, scores: Array) -> None:
        first = self.displays.draw(name, labels, scores, name="one")
        count, before = len(first.ax_.lines), first.ax_.get_xlim()
        second = self.displays.draw(name, labels, scores[::-1], name="two", ax=first.ax_)
        assert first.line_.get_color() != second.line_.get_color()
        references = [line for line in second.ax_.lines if (line.get_gid() or "").startswith("rochull-ref")]
        assert len(references) <= 1  # what does not depend on the data is drawn once
        assert len(second.ax_.lines) <= 2 * count
        low, high = second.ax_.get_xlim()
        assert low <= before[0] < before[1] <= high
        texts = legend_texts(second.ax_)
        assert any("one" in text for text in texts)
        assert any("two" in text for text in texts)
        second.figure_.draw_without_rendering()

    def test_strings_need_a_positive_label(self, name: str, labels: Array, scores: Array) -> None:
        words = np.where(labels == 1, "bad", "good")
        expected = self.displays.compute(name, labels, scores)
        self.displays.assert_same(self.displays.draw(name, words, scores, pos_label="bad"), expected)
        with pytest.raises(ValueError, match=r"y_true takes the values 'bad', 'good'; give pos_label"):
            self.displays.draw(name, words, scores)

    def test_nothing_that_was_given_is_modified(self, name: str, labels: Array, scores: Array) -> None:
        more = self.more()
        columns = [part for value in more.values() for part in (
            value.values() if isinstance(value, dict) else [value])]  # fmt: skip
        given = [labels.copy(), scores.copy(), *columns]
        copies = [array.copy() for array in given]
        for array in given:
            array.flags.writeable = False
        before = dict(plt.rcParams)
        self.displays.draw(name, *given[:2], **more)
        for array, copy in zip(given, copies, strict=True):
            np.testing.assert_array_equal(array, copy)
        assert dict(plt.rcParams) == before

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda y, s: (y[1:], s), r"must have the same length"),
            (lambda y, s: (np.zeros(len(y)), s), "y_true has one class only"),
            (lambda y, s: (y, np.where(s > 0, np.nan, s)), r"y_score has \d+ NaN"),
            (lambda y, s: (y, s[:, None] * [1, 1]), r"must have shape \(n,\) or \(n, 1\)"),
        ],
    )
    def test_bad_input(
        self, name: str, labels: Array, scores: Array, change: Callable[..., Any], message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            self.displays.draw(name, *change(labels, scores))
        assert plt.get_fignums() == []
