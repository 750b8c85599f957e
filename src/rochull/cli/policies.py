"""Policies of every kind on the command line: the document says which kind it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rochull.cli import summary
from rochull.cli.decider import Asked, Decider
from rochull.cli.options import UsageError


def load(path: Path, asked: Asked) -> Decider:
    """The policy in a file, of whatever kind its document says that it is."""
    from rochull._core.documents import read_file
    from rochull.cli.kinds import Segmented, kind_of
    from rochull.decisions.any_policy import PolicyError
    from rochull.policies.policy import Policy

    def read(text: bytes) -> Decider:
        try:
            document = Policy.schema.parsed(text)
        except ValueError as error:
            raise PolicyError("{}", error) from None
        made_by, here = kind_of(document.get("format") if isinstance(document, dict) else None)
        if asked.by_segment and here is not Segmented:
            raise UsageError("--cases-of is for a policy by segment, which this one is not.")
        found = here(made_by.from_dict(document), asked)
        found.made_by = summary.made_by("policy", path, document)
        return found

    return read_file(path, read, PolicyError)


def columns_typed(
    typed: Sequence[str],
    known: Sequence[Any],
    read: Any,
    asked: str = "--column must be NAME=COLUMN",
    *,
    others: bool = False,
) -> dict[Any, Any]:
    """Parse texts like those of --column NAME=COLUMN, by name; `read` converts the part after "=".

    With `others` other names are passed over where every known one was typed, as in Python.
    """
    split = {text: _split(text, known) for text in typed}
    found = {name: read(place) for name, place in filter(None, split.values())}
    for text, own in split.items():
        if own is None and not (others and "=" in text and all(name in found for name in known)):
            from rochull._core.table_errors import names_listed, nearest

            raise UsageError(
                f"{asked}, but is {text!r}; the names are {names_listed(known)}."
                + (nearest(text.partition("=")[0], known) if "=" in text else "")
            )
    return found


def _split(text: str, known: Sequence[Any]) -> tuple[Any, str] | None:
    """Name and column, if it is a known one; a name may hold the sign too."""
    for name in sorted(known, key=lambda name: len(str(name)), reverse=True):
        if text.startswith(f"{name}=") and len(text) > len(str(name)) + 1:
            return name, text[len(str(name)) + 1 :]
    return None
