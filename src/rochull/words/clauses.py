"""Clauses: what is said as values, and vocabularies that put them in words."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rochull.words.formats import Pieces, Slot, parsed

Styles: TypeAlias = Mapping[str, Callable[[Any], str]]  # how each kind of slot is written


@dataclass(frozen=True)
class Clause:
    """Something to say: a key of the catalogue, and what goes into its slots.

    Parameters
    ----------
    key : str
        Such as "limit.at_most".
    **slots : object
        Numbers, texts, other clauses, or lists of these.
    """

    key: str
    slots: tuple[tuple[str, Any], ...] = ()

    def __init__(self, key: str, **slots: Any) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "slots", tuple(slots.items()))

    def to_dict(self) -> dict[str, Any]:
        """Write it as JSON can hold it.

        Returns
        -------
        dict
            The key under "key", the slots by name, clauses within likewise.
        """
        return {"key": self.key, **{name: _plain(value) for name, value in self.slots}}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Clause:
        """Read what :meth:`to_dict` wrote.

        Parameters
        ----------
        written : mapping
            Such as from JSON.

        Returns
        -------
        Clause
            With lists in place of tuples.
        """
        return cls(written["key"], **{name: _read(value) for name, value in written.items() if name != "key"})


def _plain(value: Any) -> Any:
    if isinstance(value, Clause):
        return value.to_dict()
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return Clause.from_dict(value)
    return [_read(each) for each in value] if isinstance(value, list) else value


class WordlessError(LookupError):
    """A vocabulary has no words of its own for what it is to tell."""


@functools.cache
def catalogue() -> Mapping[str, Any]:
    """Read the messages by key: one text for all vocabularies, or one for each that words it in its own way.

    Returns
    -------
    dict
        Of ``catalogue.json``.
    """
    from importlib import resources  # which takes longer than the rest, and is needed where something is said

    text = resources.files("rochull.words").joinpath("catalogue.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """How clauses are worded where they are shown.

    Attributes
    ----------
    name : str
        Its own wordings are under this name in the catalogue; else those of "reference" count.
    styles : mapping of str to callable
        How a value in each kind of slot is written, text included; lists as in a sentence, if not otherwise.
    named : mapping of str to object
        Slots that every clause has, such as what a positive case is called.
    own : bool
        Whether it has its own words alone, so that what it lacks is unknown.
    """

    name: str
    styles: Styles
    named: Mapping[str, Any] = field(default_factory=dict)
    own: bool = False

    def text_of(self, key: str) -> str | None:
        """Give the text of a key, if this vocabulary has one."""
        found = catalogue()[key]
        every = {"reference": found} if isinstance(found, str) else found
        text: str | None = every.get(self.name, None if self.own else every.get("reference"))
        if text is None and self.own:
            raise WordlessError(f"{self.name} has no words for {key!r}.")
        return text

    def told(self, clause: Clause) -> str:
        """Put a clause in words.

        Parameters
        ----------
        clause : Clause
            With what its slots need.

        Returns
        -------
        str
            Empty where the vocabulary has nothing to say.

        Raises
        ------
        KeyError
            If the catalogue lacks the key, or the clause a slot.
        WordlessError
            If the vocabulary has its own words alone, and none for this.
        """
        text = self.text_of(clause.key)
        return "" if text is None else self._filled(parsed(text), {**self.named, **dict(clause.slots)})

    def _filled(self, pieces: Pieces, slots: Mapping[str, Any]) -> str:
        return "".join(p if isinstance(p, str) else self._slot(p, slots[p.name], slots) for p in pieces)

    def _slot(self, slot: Slot, value: Any, slots: Mapping[str, Any]) -> str:
        match slot.kind:
            case "select":
                return self._filled(slot.branch("null" if value is None else str(value)), slots)
            case "plural":
                return self._filled(slot.branch("one" if value == 1 else "other"), slots)
            case "list":
                return self.styles.get("list", listed)([self._text(each) for each in value])
            case "message":
                return self._filled(parsed(value), slots)
            case "text":
                return self._text(value)
            case kind:
                return self.styles["count" if kind == "#" else kind](value)

    def _text(self, value: Any) -> str:
        return self.told(value) if isinstance(value, Clause) else self.styles.get("text", str)(value)


def listed(texts: list[str]) -> str:
    """Join texts as a list within a sentence.

    Parameters
    ----------
    texts : list of str
        At least one.

    Returns
    -------
    str
        With "and" before the last.
    """
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
