"""Optional libraries: imported through here where they are needed, or else it is said how to install them."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_PURPOSES = {
    "duckdb": "to read and write files",
    "pyarrow": "to read files and Arrow data",
    "pyspark": "to use Spark",
    "sqlglot": "to write SQL",
    "matplotlib": "to draw",
    "jinja2": "to write reports",
    "rich": "to show tables and progress",
    "typer": "for the command line",
}


class MissingLibraryError(ImportError):
    """An optional library is not installed; the message says how to install it."""


def require(module: str, extra: str) -> ModuleType:
    """Import a module of a library that one of the extras brings.

    Raises
    ------
    MissingLibraryError
        If the library is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise  # it is installed, and lacks something itself
        raise _missing(library, extra) from None


def installed(library: str, extra: str) -> None:
    """Raise MissingLibraryError unless a library is there, without importing it."""
    if find_spec(library) is None:
        raise _missing(library, extra)


def _missing(library: str, extra: str) -> MissingLibraryError:
    return MissingLibraryError(
        f'{library} is needed {_PURPOSES[library]}; install it with: pip install "rochull[{extra}]"',
        name=library,
    )


class Later:
    """A module of an optional library that is imported when something of it is first used."""

    def __init__(self, module: str, extra: str) -> None:
        self._module, self._extra = module, extra

    def __getattr__(self, name: str) -> Any:
        value = getattr(require(self._module, self._extra), name)
        setattr(self, name, value)
        return value
