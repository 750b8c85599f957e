"""Draw the wings of the house as docs/house.md, from the folders, their docstrings and the layers.

Usage: python scripts/draw_house.py [--check]

With --check nothing is written, and the exit status is 1 if the page is not what the code says.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE, PAGE = ROOT / "src" / "rochull", ROOT / "docs" / "house.md"
HEAD = """# The house

<!-- drawn by scripts/draw_house.py: do not edit -->

Every wing and every room of `src/rochull`, by floor, from the docstrings. Why they are as they are stands in
[architecture](architecture.md).

"""


def floors() -> list[list[str]]:
    """Read the floors, top to bottom, each a list of wings, from the contract that enforces them."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def docstring(path: Path) -> str:
    """Return a module's docstring as one line for each paragraph."""
    found = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return "\n".join(" ".join(part.split()) for part in found.split("\n\n"))


def rooms(folder: Path, indent: str = "") -> Iterator[str]:
    """Yield a line for each module of a wing, and for each folder in it."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.stem != "__init__":
            yield f"{indent}- `{path.stem}`: {docstring(path).splitlines()[0]}"
        elif (path / "__init__.py").exists():
            yield f"{indent}- `{path.name}/`: {docstring(path / '__init__.py').splitlines()[0]}"
            yield from rooms(path, indent + "  ")


def drawn() -> str:
    """Return the page: the floors, then every wing with its rooms."""
    rows, every = floors(), []
    lines = ["| floor | wings |", "|---|---|"]
    for i, wings in enumerate(rows):
        links = ", ".join(f"[{wing}](#{wing.strip('_')})" for wing in wings)
        lines.append(f"| {len(rows) - i} | {links} |")
        every += wings
    for wing in every:
        summary, *more = docstring(PACKAGE / wing / "__init__.py").splitlines()
        lines += [
            "",
            f"## {wing.strip('_')}",
            "",
            " ".join([summary, *more[:1]]),
            "",
            *rooms(PACKAGE / wing),
        ]
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Write the page, or compare."""
    wanted = drawn()
    if "--check" in sys.argv[1:]:
        is_right = PAGE.exists() and PAGE.read_text(encoding="utf-8") == wanted
        if not is_right:
            print("docs/house.md is not what the code says: run python scripts/draw_house.py")
        return int(not is_right)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
