"""Schemas of JSON documents, and the one strict way to read them.

A document is described by *readers*. A reader takes a value as :mod:`json` gives it and returns what is
kept, or raises ``ValueError`` with half a sentence on what it must be. The first fault ends the reading; on
its way out it collects its place. Nothing is converted, but a whole number may stand where a float may.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import operator
import re
import reprlib
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Reader = Callable[[Any], Any]

VERSION = 1  # of every format
_OURS = re.compile(r"rochull-[a-z-]{1,40}")  # formats of which one may be taken for another
_MOST_BITS = 1200  # float64 needs 1126
_LONGEST = 200  # characters of a complaint
_INFINITIES = {"inf": math.inf, "-inf": -math.inf}
_BOUNDS = {
    "above": (operator.gt, "above"),
    "least": (operator.ge, "at least"),
    "below": (operator.lt, "below"),
    "most": (operator.le, "at most"),
}


class Misfit(ValueError):
    """A value that a document may not hold; `place` are the keys and indices that lead to it."""

    def __init__(self, why: Any, place: tuple[str | int, ...]) -> None:
        super().__init__(why)
        self.place = place


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; of two values under one key neither is the right one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = repeated(key for key, _ in pairs)
        raise Misfit(f"the key {reprlib.repr(twice)} occurs twice in an object", ())
    return found


def repeated(values: Iterable[Hashable]) -> Any:
    """The first value that occurred before; None if none did."""
    seen: set[Hashable] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def at(key: str | int, reader: Reader, value: Any) -> Any:
    """Read what stands under a key; a fault gets its place."""
    try:
        return reader(value)
    except ValueError as error:
        raise Misfit(error, (key, *getattr(error, "place", ()))) from None


# --- single values ------------------------------------------------------------------------------


def truth(value: Any) -> bool:
    """Read true or false."""
    if isinstance(value, bool):
        return value
    raise ValueError("it must be true or false")


def text(value: Any) -> str:
    """Read text; halves of surrogate pairs are none."""
    if not isinstance(value, str):
        raise ValueError("it must be text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("it must be text that UTF-8 can hold") from None
    return value


def name(value: Any) -> str:
    """Read text that is not empty."""
    found = text(value)
    if found:
        return found
    raise ValueError("it must not be empty")


def one_of(*choices: str) -> Reader:
    """Make a reader of one of some texts."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise ValueError(f"it must be {' or '.join(map(repr, choices))}")

    return read


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    """Whether a value is a number: finite, and of 64 bits if it is an integer."""
    if isinstance(value, float):
        return math.isfinite(value)
    return _is_whole(value) and -(2**63) <= value < 2**64


def _ranged(kind: str, value: Any, bounds: Mapping[str, float]) -> Any:
    """A value inside the bounds; None is never inside."""
    if value is not None and all(_BOUNDS[bound][0](value, end) for bound, end in bounds.items()):
        return value
    ends = " and ".join(f"{_BOUNDS[bound][1]} {end}" for bound, end in bounds.items())
    raise ValueError(f"it must be {kind}{', ' * bool(ends)}{ends}")


def whole(**bounds: int) -> Reader:
    """Make a reader of integers; the bounds are `above`, `least`, `below` and `most`."""
    return lambda value: _ranged("a whole number", value if _is_whole(value) else None, bounds)


def number(**bounds: float) -> Reader:
    """Make a reader of finite numbers, which become float64; the bounds are those of :func:`whole`."""

    def read(value: Any) -> Any:
        fits = isinstance(value, float) or _is_whole(value)
        found = float(value) if fits and abs(value) <= sys.float_info.max else None
        return _ranged("a finite number", found, bounds)

    return read


def unit(value: Any) -> int | float:
    """Read how many units a weight of 1 has; beyond float64 it is an integer."""
    if _is_whole(value) and 0 < value.bit_length() <= _MOST_BITS and value > sys.float_info.max:
        return int(value)
    found: float = number(above=0)(value)
    return found


def extended(value: Any) -> int | float:
    """Read a number as it is written; infinite ones are text."""
    if isinstance(value, str) and value in _INFINITIES:
        return _INFINITIES[value]
    if _is_finite(value):
        return value  # type: ignore[no-any-return]
    raise ValueError('it must be a finite number of 64 bits, "inf" or "-inf"')


def written(value: Any) -> Any:
    """Write what :func:`extended` reads."""
    return str(value) if isinstance(value, float) and math.isinf(value) else value


def label(value: Any) -> Any:
    """Read a class's label, or a category."""
    if isinstance(value, bool) or _is_finite(value):
        return value
    if isinstance(value, str):
        return text(value)
    raise ValueError("it must be a text, a truth value or a number of 64 bits")


def plain_labels(labels: Iterable[Any]) -> tuple[Any, ...]:
    """Labels of classes as plain values, if :func:`label` can read them again."""
    found = tuple(given.item() if isinstance(given, np.generic) else given for given in labels)
    for given in found:
        try:
            label(given)
        except ValueError:
            raise ValueError(
                f"classes: a document holds texts, truth values and finite numbers of 64 bits, not {given!r}."
            ) from None
    return found


# --- what holds others --------------------------------------------------------------------------


def optional(reader: Reader) -> Reader:
    """Make a reader that also takes null."""
    return lambda value: None if value is None else reader(value)


def items(reader: Reader, least: int = 0) -> Reader:
    """Make a reader of a list, which becomes a tuple."""

    def read(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise ValueError("it must be a list")
        if len(value) < least:
            raise ValueError(f"it must have at least {least} item{'s' * (least > 1)}")
        return tuple([at(i, reader, item) for i, item in enumerate(value)])

    return read


def texts(value: Any) -> dict[str, str]:
    """Read texts under texts."""
    if not isinstance(value, dict):
        raise ValueError("it must be an object")
    return {text(key): at(key, text, item) for key, item in value.items()}


def record(
    fields: Mapping[str, Reader],
    check: Callable[[dict[str, Any]], None] | None = None,
    left_out: Mapping[str, Any] | None = None,
) -> Callable[[Any], dict[str, Any]]:
    """Make a reader of an object with these fields and no others; `check` looks at all of them together.

    `left_out` are the fields that need not be there, and what they hold then.
    """

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("it must be an object")
        value, found = {**(left_out or {}), **value}, {}
        for field, reader in fields.items():
            if field not in value:
                raise Misfit("the field is required", (field,))
            found[field] = at(field, reader, value[field])
        for field in value:
            if field not in fields:
                raise Misfit("there is no such field", (field,))
        if check is not None:
            check(found)
        return found

    return read


# --- documents ----------------------------------------------------------------------------------


def checksum(document: Mapping[str, Any]) -> str:
    """SHA-256 of everything else in the document, in an order and spacing of its own."""
    contents = {key: value for key, value in document.items() if key != "checksum"}
    text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Schema:
    """The contents of documents of one kind.

    Attributes
    ----------
    format : what documents of this kind have under "format".
    what : what they are called in messages.
    fields : between the version and the checksum.
    check : looks at all fields together.
    left_out : the fields that need not be there, and what they hold then.
    earlier : schemas of documents as they were written before, which are read too.
    now : of such a schema, what its fields say in those of today.
    """

    format: str
    what: str
    fields: Mapping[str, Reader]
    check: Callable[[dict[str, Any]], None] | None = None
    left_out: Mapping[str, Any] | None = None
    earlier: tuple[Schema, ...] = ()
    now: Callable[[dict[str, Any]], dict[str, Any]] | None = None

    def sealed(self, contents: Mapping[str, Any]) -> dict[str, Any]:
        """The document with these contents."""
        lacking = [name for name in self.fields if name not in {**contents, **(self.left_out or {})}]
        if lacking:
            raise TypeError(
                f"the {self.what} is written without {', '.join(lacking)}, which its schema names."
            )
        document = {"format": self.format, "version": VERSION, **contents}
        return {**document, "checksum": checksum(document)}

    def parsed(self, text: str | bytes) -> Any:
        """The value of a JSON text; ValueError says in one sentence why it has none."""
        try:
            if isinstance(text, (bytes, bytearray)):
                text = bytes(text).removeprefix(codecs.BOM_UTF8).decode()  # some editors write a mark
            return json.loads(text, object_pairs_hook=_once)
        except RecursionError:
            why = "nested too deeply"
        except UnicodeDecodeError as error:
            why = f"not UTF-8 at byte {error.start}"
        except json.JSONDecodeError as error:
            why = f"{error.msg} at line {error.lineno}, column {error.colno}"
        except Misfit as error:
            why = str(error)
        except ValueError:  # Python refuses to read it
            why = "an integer has thousands of digits"
        raise self._refusal(ValueError(f"Invalid JSON: {why}"))

    def checked(self, document: Any) -> dict[str, Any]:
        """The fields of a document as they are kept; ValueError says in one sentence what is wrong."""
        found = document if isinstance(document, dict) else {}
        for old in self.earlier:
            if found.get("format") == old.format and old.now is not None:
                return old.now(old.checked(document))
        if found.get("format") != self.format:
            other = found.get("format")
            but = f", but {other!r}" if isinstance(other, str) and _OURS.fullmatch(other) else ""
            raise ValueError(f"this is not a {self.what} document (format is not {self.format!r}{but}).")
        version = found.get("version", VERSION)
        if version != VERSION or not _is_whole(version):
            raise ValueError(
                f"the {self.what} has version {reprlib.repr(version)}; this rochull reads version {VERSION}."
            )
        head = {"format": text, "version": whole()}
        try:
            fields = record({**head, **self.fields, "checksum": text}, self.check, self.left_out)(found)
        except ValueError as error:
            raise self._refusal(error) from None
        if fields["checksum"] != checksum(found):
            raise ValueError(
                f"the {self.what} was changed after it was written: its checksum is not that of its contents."
            )
        return fields

    def _refusal(self, error: ValueError) -> ValueError:
        """A fault in one short line, with its place."""
        place = ".".join(map(str, getattr(error, "place", ())))
        why = f"the {self.what} is not valid{' at ' * bool(place)}{place}: {str(error).removesuffix('.')}."
        line = "".join(character if character.isprintable() else " " for character in why)
        return ValueError(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}...")
