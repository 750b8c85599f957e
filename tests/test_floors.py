"""The floors of the house beyond what import statements show: names in texts, and imports by a string."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from syntax import PACKAGE, nodes, sources

ROOT = Path(__file__).resolve().parent.parent

# A wing below imports one above it by a string, so that it is loaded only if somebody draws: module -> what.
HIDDEN = {("hull/drawing.py", "rochull.plotting")}


def floor_of() -> dict[str, int]:
    """Return the floor of each wing, from the contract that enforces them."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    [layers] = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    rows = [[name.strip() for name in layer.split("|")] for layer in reversed(layers)]
    return {wing: floor for floor, wings in enumerate(rows) for wing in wings}


FLOOR = floor_of()


def public_names() -> set[str]:
    """Return the public names of all wings above the core that look like no other word."""
    stubs = [PACKAGE / "__init__.pyi", *(PACKAGE / wing / "__init__.pyi" for wing in FLOOR)]
    texts = [stub.read_text(encoding="utf-8") for stub in stubs if stub.exists()]
    found = {
        name for text in texts for name in re.findall(r"^from rochull\.(?!_core).* as (\w+)$", text, re.M)
    }
    return {name for name in found if re.search(r"[a-z][A-Z]|_", name) or name.endswith(("Policy", "Report"))}


def named_above(source: str, known: set[str]) -> Iterator[str]:
    """Yield what a module of the core says of the wings above it, in code, texts and docstrings."""
    for node in nodes(source):
        match node:
            case ast.Constant(value=str(text)):
                text = re.sub(r"(?m)^\s*(?:>>>|\.\.\.) .*$", "", text)  # examples show what users type
                yield from (word for word in re.findall(r"\w+", text) if word in known)
                yield from (m for m in re.findall(r"rochull\.(\w+)", text) if FLOOR.get(m, 0) > 0)
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in known:
                yield name


def imported_by_a_string(module: str, source: str) -> Iterator[tuple[str, str]]:
    """Yield (module, what) where a text names a module of a wing on a higher floor."""
    own = FLOOR.get(module.split("/", maxsplit=1)[0], 99)
    for node in nodes(source):
        match node:
            case ast.Call(func=ast.Name(id="import_module"), args=[ast.Constant(value=str(what)), *_]):
                wing = [*what.split("."), ""][1]
                if (
                    what.startswith("rochull.")
                    and FLOOR[wing] >= own
                    and wing != module.split("/", maxsplit=1)[0]
                ):
                    yield module, what


def test_the_core_names_nothing_of_the_wings_above_it() -> None:
    known = public_names()
    core = {name: source for name, source in sources().items() if name.startswith("_core/")}
    found = {name: set(named_above(source, known)) for name, source in core.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_imports_by_a_string_go_up_where_it_is_listed_and_nowhere_else() -> None:
    found = {each for name, source in sources().items() for each in imported_by_a_string(name, source)}
    assert found == HIDDEN


def test_front_doors_give_names_of_their_own_wing_and_of_lower_ones() -> None:
    for wing, floor in FLOOR.items():
        stub = PACKAGE / wing / "__init__.pyi"
        homes = (
            re.findall(r"^from rochull\.(\w+)", stub.read_text(encoding="utf-8"), re.M)
            if stub.exists()
            else []
        )
        assert {home for home in homes if home != wing and FLOOR[home] >= floor} == set(), wing


def test_these_rules_can_fail() -> None:
    text = (
        '"""Read by `Hybrid.from_table`, or a FixedPolicy."""\nx = "rochull.report.html"\ny = SegmentPolicy'
    )
    known = {"FixedPolicy", "SegmentPolicy", "from_table"}
    assert set(named_above(text, known)) == {"from_table", "FixedPolicy", "report", "SegmentPolicy"}
    assert [*imported_by_a_string("hull/x.py", 'import_module("rochull.hybrid.need")')]
    assert not [*imported_by_a_string("report/x.py", 'import_module("rochull.hybrid.need")')]
    assert public_names() >= {"PavCalibrator", "NeymanPearson", "load_calibrator"}
