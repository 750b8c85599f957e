"""How the caller is warned, however deep inside the package something is noticed."""

from __future__ import annotations

import inspect
import warnings

from rochull._core.messages import Message, Told


class Notice(Told, UserWarning):
    """A warning that holds its message."""


def warn(text: str | Message | Warning) -> None:
    """Warn the caller of the public function, however deep this is."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "rochull":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text if isinstance(text, Warning) else Notice(text), stacklevel=depth)
