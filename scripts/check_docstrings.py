"""Validate the docstrings of every public name with numpydoc.

Public are the names in ``rochull.__all__``, those in the ``__all__`` of a public module, and the public
methods and properties which their classes define. The checks are those of ``[tool.numpydoc_validation]`` in
pyproject.toml. Each finding is printed as ``name: code message``; the exit status is 1 if there is any.
"""

import dataclasses
import functools
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import ERROR_MSGS, validate

import rochull

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = rochull.__name__
ACCESSORS = (property, functools.cached_property)
GENERATED = re.compile(r"set_\w+_request")  # scikit-learn writes these methods, and their docstrings


def enabled_checks() -> set[str]:
    """Read the codes to check: those listed, or after "all" every code but those listed."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        listed = set(tomllib.load(file)["tool"]["numpydoc_validation"]["checks"])
    unknown = listed - set(ERROR_MSGS) - {"all"}
    if unknown:
        raise SystemExit(f"pyproject.toml: unknown numpydoc checks: {', '.join(sorted(unknown))}")
    return set(ERROR_MSGS) - listed if "all" in listed else listed


def public_members(cls: type, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that rochull, not a library, defines for a class."""
    seen: set[str] = set()
    bare: dict[str, Any] = {}  # overrides without words of their own: the ancestor's are checked
    for owner in cls.__mro__:
        if owner.__module__.partition(".")[0] != PACKAGE:
            continue
        for attribute, value in vars(owner).items():
            if attribute.startswith("_") or attribute in seen or GENERATED.fullmatch(attribute):
                continue
            is_accessor = isinstance(value, ACCESSORS)
            member = value if is_accessor else getattr(owner, attribute)
            is_public = is_accessor or inspect.isroutine(member)
            if is_public and member.__doc__ is None:
                bare.setdefault(attribute, member)
                continue
            seen.add(attribute)
            if is_public:
                yield f"{name}.{attribute}", member
    yield from ((f"{name}.{attribute}", bare[attribute]) for attribute in bare.keys() - seen)


def public_objects(module: Any, prefix: str) -> Iterator[tuple[str, Any, bool]]:
    """Yield (name, object, whether it is a member of a class) for everything to validate."""
    for attribute in module.__all__:
        name, value = f"{prefix}.{attribute}", getattr(module, attribute)
        if inspect.ismodule(value):  # what a front door says is checked by tests/test_house.py
            yield from public_objects(value, name)
        elif inspect.isclass(value):
            yield name, value, False
            for member_name, member in public_members(value, name):
                yield member_name, member, True
        elif callable(value):
            yield name, value, False


def needs_example(value: Any, is_member: bool) -> bool:
    """Tell whether EX01 applies: a member is shown by its class's example, an exception by its raiser's."""
    return not is_member and not (inspect.isclass(value) and issubclass(value, BaseException))


def findings(name: str, value: Any, checks: set[str]) -> list[str]:
    """Validate one object and return its findings as lines."""
    if isinstance(value, ACCESSORS):
        # A property returns the value that its summary names; a Returns section would repeat it.
        checks = checks - {"PR01", "RT01", "RT02"}
        value = value.fget if isinstance(value, property) else value.func
    document = get_doc_object(value)
    errors = [error for error in validate(document)["errors"] if error[0] in checks]
    if dataclasses.is_dataclass(value):
        # The fields of a value object are its attributes; documenting them twice would not help.
        described = {
            part for item in document["Attributes"] + document["Parameters"] for part in names_of(item)
        }
        own = vars(value).get("__annotations__", {})  # inherited ones are described where they are defined
        fields = {field.name for field in dataclasses.fields(value) if field.name in own}
        fields = {name for name in fields if not name.startswith("_")}
        errors = [error for error in errors if error[0] != "PR01"]
        errors += [("PR01", f"Field {field!r} not documented") for field in sorted(fields - described)]
    return [f"{name}: {code} {message}" for code, message in errors]


def names_of(item: Any) -> list[str]:
    """Split the names that share one description, such as "low, high"."""
    return [name.strip() for name in item.name.split(",")]


def main() -> int:
    """Print every finding and return the exit status."""
    checks = enabled_checks()
    lines: list[str] = []
    count = 0
    seen: dict[int, Any] = {}  # at the root and in its wing it is the same object
    for name, value, is_member in public_objects(rochull, PACKAGE):
        if id(value) in seen:
            continue
        seen[id(value)] = value
        count += 1
        lines += findings(name, value, checks if needs_example(value, is_member) else checks - {"EX01"})
    print(*lines, f"{count} public docstrings, {len(lines)} findings", sep="\n")
    return 1 if lines or not count else 0


if __name__ == "__main__":
    sys.exit(main())
