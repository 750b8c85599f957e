"""Front doors of packages: what is public is listed once, in a stub, and loaded when it is first used."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

# A stub lists each name as type checkers want it: from the module that defines it, under its own name.
_LISTED = re.compile(r"^from (rochull[\w.]*) import (\w+) as \2$", re.MULTILINE)


def front_door(
    package: dict[str, Any], subpackages: tuple[str, ...] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make a package's ``__getattr__``, ``__dir__`` and ``__all__`` from the stub beside its ``__init__.py``.

    Parameters
    ----------
    package : dict
        The globals of the package.
    subpackages : tuple of str
        Packages inside of it that are public, too.
    """
    name = package["__name__"]
    stub = Path(package["__file__"]).with_suffix(".pyi")
    homes = {public: home for home, public in _LISTED.findall(stub.read_text(encoding="utf-8"))}

    def load(attribute: str) -> Any:
        if attribute in subpackages:
            return import_module(f"{name}.{attribute}")
        if attribute not in homes:
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        value = package[attribute] = getattr(import_module(homes[attribute]), attribute)
        return value

    def listed() -> list[str]:
        return sorted({*package, *homes, *subpackages})

    return load, listed, [*subpackages, *homes]
