"""Front doors of packages: what is public is listed once, in a stub, and loaded when it is first used."""

from __future__ import annotations

import os
import sys
from importlib import import_module

TYPE_CHECKING = False  # `typing` takes longer to load than all of this
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


def front_door(package: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make a package's ``__getattr__`` and ``__dir__`` from the stub beside its ``__init__.py``.

    Parameters
    ----------
    package : dict
        The globals of the package. A name that the stub takes from the package itself is a subpackage.
    """
    own = package["__name__"]
    with open(os.path.splitext(package["__file__"])[0] + ".pyi", encoding="utf-8") as stub:
        homes = dict(_listed(stub))

    def load(name: str) -> Any:
        # With a list, `help(package)` would print every class and function whole: a megabyte. Without one
        # it prints what the package says of itself.
        if name == "__all__" and sys._getframe(1).f_globals.get("__name__") != "pydoc":
            return [*homes]
        if name not in homes:
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        if homes[name] == own:
            return import_module(f"{own}.{name}")
        value = package[name] = getattr(import_module(homes[name]), name)
        return value

    def listed() -> list[str]:
        return sorted({*homes, *(name for name in package if name.startswith("_"))})

    return load, listed


def _listed(stub: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names in a stub and their homes, as type checkers want them: `from HOME import NAME as NAME`."""
    for line in stub:
        match line.split():
            case ["from", home, "import", name, "as", again] if name == again:
                yield name, home
