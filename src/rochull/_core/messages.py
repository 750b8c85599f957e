"""Messages as data: a template and its parts, worded by whoever shows them.

In Python a parameter is called ``max_fpr``, on the command line ``--max-fpr``. So an error holds which
parameter it is about, and nobody has to search its text for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

Words: TypeAlias = Callable[[Any], str]  # how one part is worded where it is shown


@dataclass(frozen=True)
class Parameter:
    """A parameter of the caller, by the name that it has in Python."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Setting(Parameter):
    """A parameter with a value that was given, or that could be; `spec` formats it where it is shown."""

    value: Any
    spec: str | None = None

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.spec is None else f"{self.name}={self.value:{self.spec}}"


@dataclass(frozen=True)
class Column(Parameter):
    """The part of a parameter that belongs to one classifier, such as its scores."""

    column: Any

    def __str__(self) -> str:
        return f"{self.name} of {self.column!r}"


@dataclass(frozen=True)
class Item(Parameter):
    """An entry of a parameter, such as a mapping or a table, under a name."""

    item: Any

    def __str__(self) -> str:
        return f"{self.name}[{self.item!r}]"


# What a check calls its value: a parameter, or words such as "column 'y'".
Name: TypeAlias = "str | Parameter | Message"


def named(name: Name) -> Name:
    """The part of a message for what a check calls its value: words stay unchanged."""
    return Parameter(name) if isinstance(name, str) and name.isidentifier() else name


@dataclass(frozen=True)
class Advice:
    """A remedy, by its key in the catalogue; a place without that remedy says nothing.

    Attributes
    ----------
    key : str
        Its key.
    python : str
        What is said in Python, where a message is read without a catalogue.
    """

    key: str
    python: str

    def __str__(self) -> str:
        return self.python


class Message:
    """A sentence with parts that are worded where it is shown.

    Parameters
    ----------
    template : str
        With ``{}`` for each part; taken as it stands where there are no parts.
    *parts : object
        A :class:`Parameter`, an :class:`Advice`, a limit, another message, an error, or anything with a text.
    """

    __slots__ = ("parts", "template")

    def __init__(self, template: str, *parts: Any) -> None:
        self.template, self.parts = template, parts

    def told(self, words: Words = str) -> str:
        """Word the message.

        Parameters
        ----------
        words : callable
            Gives the text of one part; an empty one takes the blank before it along.

        Returns
        -------
        str
            The sentence.
        """
        if not self.parts:
            return self.template
        told = [part_told(part, words) for part in self.parts]
        template = self.template
        if not all(told):
            pieces = template.split("{}")
            pieces = [
                p.removesuffix(" ") if not said else p for p, said in zip(pieces, [*told, " "], strict=True)
            ]
            template = "{}".join(pieces)
        return template.format(*told)

    def every_part(self) -> Iterator[Any]:
        """List the parts, those of messages within included."""
        for part in self.parts:
            inner = message_of(part)
            if inner is None:
                yield part
            else:
                yield from inner.every_part()

    def changed(self, change: Callable[[Any], Any]) -> Message:
        """Put other parts in the place of some; messages within are changed likewise."""
        inner = ((part, message_of(part)) for part in self.parts)
        return Message(
            self.template, *(change(part) if held is None else held.changed(change) for part, held in inner)
        )

    def __str__(self) -> str:
        return self.told()

    def __repr__(self) -> str:
        return f"Message({str(self)!r})"


def joined(separator: str, parts: Iterable[Any]) -> Message:
    """Parts one after the other, as a part of a message."""
    every = list(parts)
    return Message(separator.join(["{}"] * len(every)), *every)


def message_of(part: object) -> Message | None:
    """The message that something is, or holds; None if it is only a text."""
    found = part.message if isinstance(part, Told) else part
    return found if isinstance(found, Message) else None


def part_told(part: object, words: Words = str) -> str:
    """One part in words; a message within a message is worded likewise."""
    inner = message_of(part)
    return words(part) if inner is None else inner.told(words)


class Told(Exception):
    """Base of errors and warnings that hold their message.

    Parameters
    ----------
    template, *parts : as of a :class:`Message`; or a message.
    """

    message: Message

    def __init__(self, template: str | Message, *parts: Any) -> None:
        self.message = template if isinstance(template, Message) else Message(template, *parts)
        super().__init__(str(self.message))

    @property
    def parameter(self) -> str | None:
        """The parameter that it is about: the first that it names (str or None)."""
        return next((part.name for part in self.message.every_part() if isinstance(part, Parameter)), None)

    @property
    def advice(self) -> tuple[str, ...]:
        """The keys of what can be done about it (tuple of str)."""
        return tuple(part.key for part in self.message.every_part() if isinstance(part, Advice))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message.template, *self.message.parts), self.__dict__


class Refusal(Told, ValueError):
    """A value that cannot be used."""


class WrongType(Told, TypeError):
    """A value of a type that cannot be used."""


class NoRoomError(Told, OSError):
    """A disk is full."""


class UnavailableError(Told, RuntimeError):
    """Something that is needed is not installed, or cannot be had."""


def refused(name: Name, text: str, *parts: Any) -> Refusal:
    """Refuse the value of a parameter, by the name that begins the sentence.

    Parameters
    ----------
    name : str or Parameter
        As in :func:`named`.
    text : str
        What stands after the name, with ``{}`` for each part.
    *parts : object
        As of a :class:`Message`.

    Returns
    -------
    Refusal
        To be raised.
    """
    return Refusal(f"{{}} {text}", named(name), *parts)


@contextmanager
def changed(change: Callable[[Any], Any]) -> Iterator[None]:
    """Put other parts in the place of some, where an error holds them."""
    try:
        yield
    except ValueError as error:
        if not isinstance(error, Told):
            raise
        raise Refusal(error.message.changed(change)) from None


def in_place_of(parameters: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A change of a message: other parts in the place of parameters, or a name for one."""

    def change(part: Any) -> Any:
        if not isinstance(part, Parameter) or part.name not in parameters:
            return part
        other = parameters[part.name]
        return replace(part, name=other) if isinstance(other, str) else other

    return change
