"""The door to drawing, which stands above all wings whose objects draw themselves."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def display(name: str) -> Any:
    """A display by its name, loaded only if somebody draws: nothing here depends on it."""
    return getattr(import_module("rochull.plotting"), name)
