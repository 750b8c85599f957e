"""The format of messages, a part of ICU's: texts with slots for numbers, lists, plurals and choices.

=============================  ===============================================
``{name}``                     a text, or a clause in the same vocabulary
``{name, number}``             a number, or an interval of two
``{name, share}``              a share of something: 0.1 in a reference, 10 % on a page
``{name, count}``              a whole number of things
``{name, list}``               texts as a list within a sentence
``{name, message}``            a message that is given, with the same slots
=============================  ===============================================

``{name, plural, one {a case} other {# cases}}`` goes by a number, which ``#`` stands for, and
``{name, select, low {less} other {more}}`` by a word, which is "null" where there is none.

The page's formatter reads the same format; ``tests/words/vectors.json`` holds what both must give.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

SIMPLE = ("text", "number", "share", "count", "list", "message")
CHOICES = ("plural", "select")
_HEAD = re.compile(r"\{\s*(\w+)\s*(?:,\s*(\w+)\s*)?")
_CASE = re.compile(r"[\s,]*(\w+)\s*\{")
_TEXT = re.compile(r"[^{}#]+")


class FormatError(ValueError):
    """A message of the catalogue cannot be read."""


@dataclass(frozen=True)
class Slot:
    """A place where something is put in.

    Attributes
    ----------
    name : str
        What.
    kind : str
        One of the simple kinds, "plural" or "select"; "#" for the number of the plural around it.
    branches : tuple of (str, pieces)
        What a plural or a select says in each case.
    """

    name: str
    kind: str = "text"
    branches: tuple[tuple[str, Pieces], ...] = ()

    def branch(self, case: str) -> Pieces:
        """Give what is said in a case, or else in all others."""
        found = dict(self.branches)
        return found.get(case, found["other"])


Pieces: TypeAlias = Sequence["str | Slot"]


@functools.cache
def parsed(text: str) -> Pieces:
    """Read a message.

    Parameters
    ----------
    text : str
        In the format above.

    Returns
    -------
    sequence of str or Slot
        Its pieces, in order.

    Raises
    ------
    FormatError
        If it cannot be read.
    """
    pieces, end = _pieces(text, 0, None)
    if end < len(text):
        raise FormatError(f"{text!r} closes a brace that is not open.")
    return pieces


def _pieces(text: str, at: int, plural: str | None) -> tuple[Pieces, int]:
    """The pieces from a place up to the brace that closes what is around them."""
    found: list[str | Slot] = []
    while at < len(text) and text[at] != "}":
        if text[at] == "{":
            slot, at = _slot(text, at, plural)
            found.append(slot)
        elif text[at] == "#":
            found.append("#" if plural is None else Slot(plural, "#"))
            at += 1
        else:
            told = _TEXT.match(text, at)
            assert told is not None
            found.append(told[0])
            at = told.end()
    return tuple(found), at


def _slot(text: str, at: int, plural: str | None) -> tuple[Slot, int]:
    """The slot that begins at a place, and where it ends."""
    head = _HEAD.match(text, at)
    if head is None:
        raise FormatError(f"{text!r} has a slot without a name.")
    name, kind, at = head[1], head[2] or "text", head.end()
    branches: list[tuple[str, Pieces]] = []
    if kind in CHOICES:
        while (case := _CASE.match(text, at)) is not None:
            said, at = _pieces(text, case.end(), name if kind == "plural" else plural)
            branches.append((case[1], said))
            at += 1
        if "other" not in dict(branches):
            raise FormatError(f"{text!r}: the {kind} of {name!r} has no case 'other'.")
    elif kind not in SIMPLE:
        raise FormatError(f"{text!r} has a slot of kind {kind!r}; kinds are {', '.join(SIMPLE + CHOICES)}.")
    if text[at : at + 1] != "}":
        raise FormatError(f"{text!r} does not close the slot {name!r}.")
    return Slot(name, kind, tuple(branches)), at + 1


def names_in(pieces: Pieces) -> set[str]:
    """List the names of all slots, those within branches included.

    Parameters
    ----------
    pieces : sequence of str or Slot
        As :func:`parsed` gives them.

    Returns
    -------
    set of str
        Each once.
    """
    slots = [piece for piece in pieces if isinstance(piece, Slot)]
    inner = (names_in(said) for slot in slots for _, said in slot.branches)
    return {slot.name for slot in slots}.union(*inner)
