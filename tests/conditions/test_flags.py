"""What people see of a condition, and who may ask a question for its flags."""

import ast
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rochull as rh
from rochull.conditions.base import Condition
from rochull.conditions.question import Question
from rochull.hull.ways import Way
from syntax import nodes, sources

CONDITIONS: list[Any] = [
    rh.ExpectedCost(1, 5), rh.Accuracy(0.2), rh.NeymanPearson(0.1), rh.MinimumRecall(0.9),
    rh.MinimumPrecision(0.5), rh.Capacity(fraction=0.1), rh.Utility(lambda fpr, tpr: tpr),
    rh.Constrained(lambda fpr, tpr: tpr, 1, 1, 1), rh.Within(rh.Recall(), rh.FalsePositiveRate() <= 0.1),
    rh.Review(), rh.conditions.ChurnProfit(), rh.conditions.CreditProfit(),
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: type(c).__name__)
def test_tab_shows_what_a_user_can_use(condition: Any) -> None:
    assert len([name for name in dir(condition) if name[0] != "_"]) <= 18


FLAGS = "has_third_action", "best_is_vertex"
RANGES = "ranges", "spread", "box"


def flags_asked(source: str) -> list[int]:
    """Lines that ask a question for a flag: how it is answered is settled once, by a way."""
    found = []
    for node in nodes(source):
        match node:
            case ast.Attribute(attr=name) if name in FLAGS:
                found.append(node.lineno)
            case ast.Compare(left=ast.Attribute(attr="confidence" | "costs"), ops=[ast.Is() | ast.IsNot()]):
                found.append(node.lineno)
        found += [at.lineno for at in truths(node) if isinstance(at, ast.Attribute) and at.attr in RANGES]
    return sorted({*found})


def truths(node: ast.AST) -> list[ast.expr]:
    """The expressions of which a node asks the truth."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
            return [test]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(func=ast.Name("bool"), args=args):
            return args
    return []


def test_nobody_above_asks_for_flags() -> None:
    found = {
        path: lines
        for path, source in sources().items()
        if not path.startswith("conditions/") and (lines := flags_asked(source))
    }
    assert [*found] == ["hull/ways.py"], found
    assert flags_asked("if a.confidence is None: pass\nb.costs\nc.best_is_vertex") == [1, 3]
    assert flags_asked("for a in b.ranges: pass\nif not b.ranges: pass\nx = y and b.spread") == [2, 3]


def test_a_condition_passes_through_few_files() -> None:
    y, score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.1, 0.2]
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, score[::-1])
    hybrid.at(rh.NeymanPearson(0.2))  # what is imported, and read of the hull, once
    condition = rh.NeymanPearson(0.3)
    for most in (15, 8):  # the second time its question is known
        stays: list[str] = []

        def look(frame: FrameType, event: str, _: Any, stays: list[str] = stays) -> None:
            held = event == "call" and any(
                isinstance(value, (Condition, Question, Way)) for value in frame.f_locals.values()
            )
            file = frame.f_code.co_filename
            own = (
                "rochull" in Path(file).parts and Path(file).name != "cached.py"
            )  # a kept attribute is at home
            if held and own and stays[-1:] != [file]:
                stays.append(file)

        sys.setprofile(look)
        try:
            hybrid.at(condition)
        finally:
            sys.setprofile(None)
        assert len(stays) <= most
        assert len(stays) - len({*stays}) <= 2  # climbs, back into a file
        assert Path(stays[0]).name == "hybrid.py"
