"""Docstrings that leave parameters to a table."""

from __future__ import annotations

import pydoc
from inspect import signature
from typing import Any

import pytest

import rochull as rh
from rochull._core.docstrings import Described, composed, described, entries, sections

TABLE = entries("""
x : int
    A number.
-> int
    Another.
low, high : float
    The ends.
**more : Any
    The rest.
""")


@described(TABLE)
def some(x: int, y: str, low: float, high: float, **more: Any) -> None:
    """Do something.

    Parameters
    ----------
    y : str
        Of its own:
        in two lines.

    Notes
    -----
    None.

    Raises
    ------
    ValueError
        Never.
    """


def test_parameters_come_in_the_order_of_the_signature() -> None:
    told = sections(str(some.__doc__))
    assert list(told) == ["", "Parameters", "Raises", "Notes"]  # the order that numpydoc asks for
    assert told["Parameters"].split("\n")[:5] == [
        "x : int", "    A number.", "y : str", "    Of its own:", "    in two lines."]  # fmt: skip
    assert list(entries(told["Parameters"])) == ["x", "y", "low", "high", "**more"]
    assert told["Parameters"].count("The ends.") == 1


def test_overrides_inherit() -> None:
    class Base(Described):
        parameters_told = TABLE

        def act(self, x: int) -> None:
            """Act."""

        @classmethod
        def make(cls, low: float, high: float) -> None:
            """Make."""

        def count(self) -> int:
            """Count."""
            return 0

        def _hidden(self, x: int) -> None:
            """Hide."""

    class Child(Base):
        def act(self, x: int) -> None:
            pass

    assert Child.act.__doc__ == Base.act.__doc__ == "Act.\n\nParameters\n----------\nx : int\n    A number.\n"
    assert "The ends." in str(Base.make.__doc__)
    assert Base.count.__doc__ == "Count.\n\nReturns\n-------\nint\n    Another.\n"
    assert Base._hidden.__doc__ == "Hide."
    assert composed({"": "Only this."}, signature(lambda: None), {}) == "Only this.\n"


@pytest.mark.parametrize("name", ["Policy", "Hybrid", "RocHull", "RocchClassifier", "ErrorRedistribution"])
def test_help_shows_no_tables_of_ours(name: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(rh, name)))
    for ours in ("parameters_told", "described_by", "batch_alone", "assured_otherwise", "shown = "):
        assert ours not in text
