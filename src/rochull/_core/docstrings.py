"""Docstrings in which every parameter is described once: what one leaves out is filled in from a table."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from textwrap import dedent
from typing import Any, ClassVar, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)
# The order of sections; numpydoc's validation asks for it.
_ORDER: tuple[str, ...] = ("", "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
_ORDER += ("See Also", "Notes", "References", "Examples")
_STARS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def sections(docstring: str) -> dict[str, str]:
    """The sections of a docstring in numpydoc's format by their titles; what precedes them all is ''."""
    first, *rest = _TITLE.split(inspect.cleandoc(docstring) + "\n")
    return {"": first} | dict(zip(rest[::2], rest[1::2], strict=True))


def entries(section: str) -> dict[str, str]:
    """The entries of a section of parameters; one that describes several is found under each name."""
    found = {}
    for entry in _ENTRY.split(dedent(section) + "\n"):
        names = entry.partition("\n")[0].partition(" :")[0]
        found.update({name.strip(): entry.rstrip() for name in names.split(",") if name.strip()})
    return found


def composed(parts: Mapping[str, str], signature: inspect.Signature, described: Mapping[str, str]) -> str:
    """A docstring with these sections, in which the parameters are described in their order."""
    names = [_STARS.get(p.kind, "") + name for name, p in signature.parameters.items()]
    texts = dict.fromkeys(described[name] for name in names if name in described)
    filled = {**parts, "Parameters": "\n".join(texts)}
    blocks = [
        f"{title}\n{'-' * len(title)}\n{filled[title].strip()}" if title else filled[title].strip()
        for title in _ORDER
        if filled.get(title, "").strip()
    ]
    return "\n\n".join(blocks) + "\n"


def _names(function: Any) -> list[str]:
    code = inspect.unwrap(function).__code__
    return [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]


def describe(function: Any, table: Mapping[str, str]) -> None:
    """Fill in what a docstring leaves out of its parameters; what it returns, by the type after an arrow."""
    if function.__doc__:  # there is none under -OO
        parts = sections(function.__doc__)
        own, signature = entries(parts.get("Parameters", "")), inspect.signature(function)
        returned = table.get(f"-> {signature.return_annotation}", "").removeprefix("-> ")
        function.__doc__ = composed({"Returns": returned, **parts}, signature, {**table, **own})


def described(table: Mapping[str, str]) -> Callable[[F], F]:
    """Decorate a function whose docstring leaves parameters to a table, as :func:`entries` reads it."""

    def decorate(function: F) -> F:
        describe(function, table)
        return function

    return decorate


# What examples of two classes are, wherever they are given.
EXAMPLES = entries("""
y_true : array-like of shape (n,)
    Binary labels; with `pos_label=None` they are {0, 1}, {-1, 1} or booleans.
y_score : array-like of shape (n,)
    Higher means more positive.
sample_weight : array-like of shape (n,), optional
    Finite and non-negative.
pos_label : object, optional
    The label of the positive class.
lower_is_positive : bool, default=False
    Low scores mean positive, as those of a distance do: a rule is "score <= threshold".
""")


class Described:
    """Base of classes whose methods leave parameters to a table, and overrides to what they override.

    A class states its table as `parameters_told`, beside those of its bases. It is kept under another name,
    which `help` does not show.
    """

    parameters_told: ClassVar[Mapping[str, str]]
    _described_by: ClassVar[Mapping[str, str]] = EXAMPLES

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "parameters_told" in vars(cls):
            cls._described_by = {**cls._described_by, **cls.parameters_told}
            del cls.parameters_told
        for name, value in vars(cls).items():
            method = getattr(value, "__func__", value)
            if name.startswith("_") or not inspect.isfunction(method):
                continue
            inherited: Any = getattr(super(cls, cls), name, None)
            inherited = getattr(inherited, "__func__", inherited)
            if method.__doc__:
                describe(method, cls._described_by)
            elif inspect.isfunction(inherited) and _names(method) == _names(inherited):
                method.__doc__ = inherited.__doc__
