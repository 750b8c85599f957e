"""What the tests of documents share: how one is refused, and where everything in it is."""

import copy
import json
import math
from collections.abc import Callable
from typing import Any

import pytest

import rochull as rh
from rochull._core.schemas import checksum


def refusal(kind: Any, text: str | bytes) -> str:
    """The message of its `from_json`, which is one short line."""
    with pytest.raises(rh.PolicyError) as caught:
        kind.from_json(text)
    message = str(caught.value)
    assert "\n" not in message
    assert "\r" not in message
    assert 20 < len(message) < 400
    assert caught.value.__cause__ is None
    assert isinstance(caught.value, ValueError)
    return message


def dumped(found: Any) -> str:
    if isinstance(found, dict) and "checksum" in found:
        found = {**found, "checksum": checksum(found)}  # what is tested is everything else
    return json.dumps(found)  # NaN and Infinity are written as such


def changed(document: Any, path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> str:
    """The text of a document in which something is done to a key of what holds it."""
    found = copy.deepcopy(document)
    holder: Any = found
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return dumped(found)


def put(document: Any, path: tuple[Any, ...], value: Any) -> str:
    """The text of a document with another value somewhere."""
    return changed(document, path, lambda holder, key: holder.__setitem__(key, copy.deepcopy(value)))


def remove(holder: Any, key: Any) -> None:
    """A change: the key goes."""
    del holder[key]


def named(path: tuple[Any, ...]) -> str:
    """How messages write a place."""
    return ".".join(map(str, path))


JUNK = [None, True, -1, 1.5, 10**400, math.nan, math.inf, "text", "", [], {}, [[]], {"a": 1}]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of everything in a document."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inner for place in places(item, (*path, key)))]


JUNK = [None, True, -1, 1.5, 10**400, math.nan, math.inf, "text", "", [], {}, [[]], {"a": 1}]
