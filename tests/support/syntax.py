"""The package's sources, each read, parsed and walked once for all rules that look at them."""

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "rochull"


@cache
def sources() -> dict[str, str]:
    """The modules of the package, by their paths in it."""
    found = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in found}


parsed = cache(ast.parse)


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """What `ast.walk` yields."""
    return tuple(ast.walk(parsed(source)))
