"""Parameters of commands as they are declared; what is typed as usual is read here, anything else by typer.

Typer, and what it stands on, take longer to import than some rows take to be decided.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

Command = Callable[..., Any]
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Declared:
    """A parameter beside its type.

    Attributes
    ----------
    kind : its function in typer.
    names : as it is typed; of an option that has none, its name with hyphens.
    shown : how the help shows it, in the words of typer.
    during : makes of its value what the command runs within.
    """

    kind: Literal["Argument", "Option"]
    names: tuple[str, ...]
    shown: Mapping[str, Any]
    during: Callable[[Any], AbstractContextManager[None]] | None = None


def Argument(**shown: Any) -> Declared:
    """Declare what is typed without a name."""
    return Declared("Argument", (), shown)


def Option(*names: str, during: Any = None, **shown: Any) -> Declared:
    """Declare what is typed after its name, or by its name alone."""
    return Declared("Option", names, shown, during)


@dataclass(frozen=True)
class _Taken:
    """A parameter, and how it is read."""

    name: str
    default: Any
    type: Any
    declared: Declared

    @classmethod
    def of(cls, parameter: Parameter, hint: Any) -> _Taken:
        kind, declared = get_args(hint)
        inner = next((each for each in get_args(kind) if each is not NoneType), kind)
        optional = NoneType in get_args(kind)
        return cls(parameter.name, parameter.default, inner if optional else kind, declared)

    @property
    def names(self) -> tuple[str, ...]:
        if self.declared.kind == "Argument":
            return ()
        return self.declared.names or (f"--{self.name.replace('_', '-')}",)

    @property
    def many(self) -> bool:
        return get_origin(self.type) is list

    def read(self, text: str) -> Any:
        """The value of a text, None where typer has to read it."""
        kind = get_args(self.type)[0] if self.many else self.type
        if kind is str:
            return text
        if kind is Path:
            return Path(text)
        if kind is int and _WHOLE.fullmatch(text):
            return int(text)
        return text if get_origin(kind) is Literal and text in get_args(kind) else None


def _taken(command: Command) -> list[_Taken]:
    hints = get_type_hints(command, include_extras=True)
    return [_Taken.of(each, hints[each.name]) for each in signature(command).parameters.values()]


def options_of(command: Command) -> frozenset[str]:
    """The names of its options, without hyphens in front."""
    return frozenset(name.removeprefix("--") for each in _taken(command) for name in each.names)


def read(command: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """Values of the parameters where the words are those of plain options and arguments, else None."""
    taken = _taken(command)
    named = {name: each for each in taken for name in each.names}
    places = iter([each for each in taken if each.declared.kind == "Argument"])
    found: dict[str, Any] = {}
    left = iter(words)
    for word in left:
        name, sign, value = word.partition("=") if word.startswith("--") else (word, "", "")
        each = named.get(name) if word.startswith("-") else next(places, None)
        if each is None or (each.type is bool and (sign or not each.declared.names)):
            return None
        if each.declared.kind == "Argument":
            value = word
        elif not sign and each.type is not bool:
            value = next(left, "-")
            if value.startswith("-"):
                return None
        got = True if each.type is bool else each.read(value)
        if got is None or (each.name in found and not each.many):
            return None
        found[each.name] = [*found.get(each.name, ()), got] if each.many else got
    given = {each.name: found.get(each.name, each.default) for each in taken}
    return None if Parameter.empty in given.values() else given


def run(command: Command, given: Mapping[str, Any]) -> Any:
    """Call it with the values of its parameters."""
    with ExitStack() as stack:
        for each in _taken(command):
            if each.declared.during is not None:
                stack.enter_context(each.declared.during(given[each.name]))
        return command(**given)


def for_typer(command: Command) -> Command:
    """The command with its parameters declared in typer's way."""
    import typer

    @functools.wraps(command)
    def called(**given: Any) -> Any:
        return run(command, given)

    hints = get_type_hints(command, include_extras=True)
    made = {}
    for name, hint in hints.items():
        kind, *declared = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        made[name] = hint
        for each in declared:
            made[name] = Annotated[kind, getattr(typer, each.kind)(*each.names, **each.shown)]
    parameters = [each.replace(annotation=made[each.name]) for each in signature(command).parameters.values()]
    called.__annotations__ = made
    called.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return called
