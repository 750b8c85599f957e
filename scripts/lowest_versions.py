"""Print each library that rochull and its extras need, in the lowest version that pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,]+)\])?(?:>=([\w.]+))?")


def lowest(requirements: list[str]) -> dict[str, str]:
    """Return the lowest version of each library; an extra of rochull's own stands for what it brings."""
    found = {}
    for requirement in requirements:
        match = REQUIREMENT.fullmatch(requirement)
        if match is None or (match[1] != "rochull" and match[3] is None):
            raise SystemExit(f"pyproject.toml: {requirement!r} is not a library with a lowest version.")
        if match[1] == "rochull":
            extras = match[2].split(",")
            found |= lowest([one for extra in extras for one in PROJECT["optional-dependencies"][extra]])
        elif found.setdefault(match[1], match[3]) != match[3]:
            raise SystemExit(f"pyproject.toml: {match[1]} has two lowest versions.")
    return found


for library, version in sorted(lowest([*PROJECT["dependencies"], "rochull[all]"]).items()):
    print(f"{library}=={version}")
