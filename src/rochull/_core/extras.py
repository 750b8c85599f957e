"""Libraries that come with extras: imported where they are used, and named where they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """Import a module that comes with an extra; an ImportError says which one to install."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        library = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != library:
            raise  # the library is there, and lacks something itself
        raise ModuleNotFoundError(
            f'this needs {library}, which is not installed: pip install "rochull[{extra}]"', name=library
        ) from None
