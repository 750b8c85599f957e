"""What people see of a condition, and who may ask a question for its flags."""

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rochull as rh
from rochull.conditions.base import Condition
from rochull.conditions.question import Question
from rochull.conditions.within import as_condition
from rochull.hull.ways import Way
from syntax import nodes, sources

CONDITIONS: list[Any] = [
    rh.ExpectedCost(1, 5), rh.Accuracy(0.2), rh.NeymanPearson(0.1), rh.MinimumRecall(0.9),
    rh.MinimumPrecision(0.5), rh.Capacity(fraction=0.1), rh.Utility(lambda fpr, tpr: tpr),
    rh.Constrained(lambda fpr, tpr: tpr, 1, 1, 1), rh.Within(rh.Recall(), rh.FalsePositiveRate() <= 0.1),
    rh.Review(), rh.GreyZone(0.9, 0.9), rh.conditions.ChurnProfit(), rh.conditions.CreditProfit(),
    as_condition(rh.conditions.EqualErrorRate()), as_condition(rh.conditions.ClosestTopLeft()),
]  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: type(c).__name__)
def test_tab_shows_what_a_user_can_use(condition: Any) -> None:
    assert len([name for name in dir(condition) if name[0] != "_"]) <= 18


def test_every_condition_is_looked_at() -> None:
    public = [getattr(rh.conditions, name) for name in dir(rh.conditions)]
    kinds = {each for each in public if isinstance(each, type) and issubclass(each, Condition)}
    made = {kind for kind in kinds if not inspect.isabstract(kind)}
    assert made - {type(each) for each in CONDITIONS} == set()


FLAGS = ("has_third_action",)
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
    assert flags_asked("if a.confidence is None: pass\nb.costs\nc.has_third_action") == [1, 3]
    assert flags_asked("for a in b.ranges: pass\nif not b.ranges: pass\nx = y and b.spread") == [2, 3]


def few() -> Any:
    return rh.FalsePositiveRate() <= 0.4


ASKED: dict[str, Callable[[], Any]] = {
    "limit": lambda: rh.NeymanPearson(0.3),
    "recall": lambda: rh.MinimumRecall(0.6),
    "costs": lambda: rh.ExpectedCost(1, 5, 0.3),
    "costs of the data": lambda: rh.ExpectedCost(1, 5),
    "accuracy": lambda: rh.Accuracy(0.3),
    "accuracy of the data": rh.Accuracy,
    "profit of the data": rh.conditions.ChurnProfit,
    "precision": lambda: rh.MinimumPrecision(0.5, 0.3),
    "precision of the data": lambda: rh.MinimumPrecision(0.5),
    "capacity": lambda: rh.Capacity(fraction=0.3, prevalence=0.3),
    "capacity of the data": lambda: rh.Capacity(fraction=0.3),
    "costs within a limit": lambda: rh.Within(rh.ExpectedCost(1, 5, 0.3), [few()]),
    "both of the data": lambda: rh.Within(rh.ExpectedCost(1, 5), [few()]),
    "limits of the data": lambda: rh.Within(rh.Recall(), [rh.Precision() >= 0.4, rh.AlarmRate() <= 0.7]),
    "utility": lambda: rh.Utility(lambda fpr, tpr: tpr - fpr),
    "constraint": lambda: rh.Constrained(lambda fpr, tpr: tpr - fpr, 0, 1, 0.5),
    "line": lambda: rh.Constrained(lambda fpr, tpr: tpr - fpr, 0.5, 0.5, 0.5),
    "equal errors": lambda: as_condition(rh.conditions.EqualErrorRate()),
    "reviews": lambda: rh.Review(1, 5, 0.1, 0.3),
    "reviews at the prevalence of the data": lambda: rh.Review(1, 5, 0.1),
    "corner": lambda: as_condition(rh.conditions.ClosestTopLeft()),
}


def stays(ask: Callable[[], Any]) -> list[str]:
    """The files that a condition, its question or its way is in, one after the other; none twice in a row."""
    found: list[str] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        file = Path(frame.f_code.co_filename)
        is_ours = "rochull" in file.parts and file.name != "cached.py"  # a kept attribute is at home
        values = frame.f_locals.values() if event == "call" and is_ours else ()
        is_held = any(isinstance(value, (Condition, Question, Way)) for value in values)
        if is_held and found[-1:] != [str(file)]:
            found.append(str(file))

    sys.setprofile(look)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return found


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", ASKED)
def test_a_condition_passes_through_few_files(name: str, single: bool) -> None:
    y, score = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.1, 0.2]
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, score[::-1])
    hybrid.at(ASKED[name](), single)  # what is imported, and read of the hull, once
    condition = ASKED[name]()
    for most in (15, 9):  # the second time its question is known
        found = stays(lambda: hybrid.at(condition, single))
        assert len(found) <= most, found
        assert len(found) - len({*found}) <= 2, found  # climbs, back into a file
        assert Path(found[0]).name == "hybrid.py"
