"""Optional libraries: what needs one imports it through here, which says how to install what is not there."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

# What the libraries of each extra of pyproject.toml are for.
_PURPOSES = {
    "files": "to read and write files",
    "spark": "to use Spark",
    "sql": "to write SQL",
    "plot": "to draw",
    "report": "to write reports",
    "cli": "for the command line",
}


def require(module: str, extra: str) -> ModuleType:
    """Import a library that one of the extras brings.

    Raises
    ------
    ImportError
        If it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != library:
            raise  # it is there, and lacks something itself
        raise ImportError(
            f'{library} is needed {_PURPOSES[extra]}; install it with: pip install "rochull[{extra}]"',
            name=library,
        ) from None
