"""Every public function and method, from the lists of the root and of the wings."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import rochull as rh


def places() -> Iterator[ModuleType]:
    """Yield the root and the wings."""
    yield rh
    for name in dir(rh):
        if inspect.ismodule(getattr(rh, name)) and not name.startswith("_"):
            yield getattr(rh, name)


def doors() -> Iterator[tuple[str, Any, str]]:
    """Yield (how it is called, what it belongs to, its own name) of all public functions and methods."""
    seen = set()
    for place in places():
        for name in place.__all__:
            thing = getattr(place, name)
            if thing in seen or inspect.ismodule(thing) or not callable(thing):
                continue
            seen.add(thing)
            yield name, None, name
            if inspect.isclass(thing):
                yield from (
                    (f"{name}.{method}", thing, method)
                    for method in dir(thing)
                    if not method.startswith("_") and callable(getattr(thing, method))
                )
