"""What words need beside the facts is computed in two modules, and no rendering computes or compares numbers."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import rochull.report
from rochull.report import derived

# Modules that make facts, or derive from them; each other module of the wing is a rendering.
COMPUTING = {
    "answer", "answer_state", "baselines", "calibration", "calibration_scanned", "current", "deploy", "derived", "facts",
    "held_out", "judged", "live_segments", "multiclass", "multiclass_answer", "multiclass_baselines", "multiclass_deploy",
    "multiclass_derived", "multiclass_facts", "multiclass_savings", "opening", "packing", "report", "resampled", "review_price",
    "reviews", "robust", "scanned", "scanned_segments", "segments", "singles", "uncertainty", "uncertainty_facts",
    "timeline",  # draws a monitor, not facts
}  # fmt: skip
# Functions that round a number to be read, or lay text out on lines and marks on a picture.
SHOWING = {
    "wording": {"number", "in_percent", "_rest", "loss", "_value_and_ends", "with_ends", "_rounded"},
    "brief": {"brief", "_columns", "_cut", "_bars"},
    "text": {"print_parts", "__rich_console__"},
    "html": {"_look"},
    "segment_wording": {"thresholds"},
}
SUMS = (ast.Sub, ast.Div, ast.Pow, ast.FloorDiv, ast.Mod)
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
FUNCTIONS = {"min", "max", "sum", "abs", "round"}
LIBRARIES = {"math", "statistics", "scipy", "fractions"}


def renderings() -> Iterator[Path]:
    folder = Path(rochull.report.__file__).parent
    yield from (path for path in sorted(folder.glob("*.py")) if path.stem not in COMPUTING | {"__init__"})


def computed(tree: ast.AST) -> Iterator[ast.expr]:
    """Yield what is computed or compared; how long a list is may be, as that is layout."""
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, SUMS):
                if not any(_is_length(side) for side in (left, right)):
                    yield node
            case ast.Compare(left=left, ops=ops, comparators=others):
                if any(isinstance(op, ORDERS) for op in ops) and not any(map(_is_length, [left, *others])):
                    yield node
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                yield node


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


@pytest.mark.parametrize("path", [*renderings()], ids=lambda path: path.stem)
def test_a_rendering_computes_nothing(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    showing = SHOWING.get(path.stem, set())
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name in showing:
            node.body = []
    assert [ast.unparse(each) for each in computed(tree)] == []
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported & LIBRARIES <= ({"math"} if path.stem == "wording" else set())


def test_functions_that_show_are_there() -> None:
    folder = Path(rochull.report.__file__).parent
    for name, functions in SHOWING.items():
        tree = ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))
        assert functions <= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(
    ("gain", "error", "weighed"),
    [(0.0, 0.1, "none"), (0.3, 0.1, "better"), (0.2, 0.1, "perhaps better"), (-0.3, 0.1, "worse"), (-0.1, 0.1, "perhaps worse")],
)  # fmt: skip
def test_a_gain_is_weighed_by_two_standard_errors(gain: float, error: float, weighed: str) -> None:
    assert derived.gain_kind(gain, error) == weighed


def test_counts_that_are_rounded_add_up() -> None:
    found = derived.adding_up([1.0, 1.0, 1.0], 10, 3.0)
    assert sum(found) == 10
    assert max(found) - min(found) <= 1
