"""Text for a terminal: it cannot steer it, and is not too wide."""

from __future__ import annotations

import re
import textwrap

_ISOLATED = re.compile("\u2068([^\u202a-\u202e\u2066-\u2069]*)\u2069")  # as wording.isolated writes names


def printable(text: str) -> str:
    """Show control characters as escapes."""
    parts = _ISOLATED.split(text)
    return "".join(
        f"\u2068{_escaped(part)}\u2069" if i % 2 else _escaped(part) for i, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def wrapped(text: str) -> list[str]:
    """Lines of at most 80 characters."""
    return textwrap.wrap(text, 80, subsequent_indent="  ", break_on_hyphens=False)
