"""What people see of a condition, and who may ask a question for its flags."""

import ast
from typing import Any

import pytest

import rochull as rh
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


def flags_asked(source: str) -> list[int]:
    """Lines that ask for a flag, which is settled once at the door."""
    found = []
    for node in nodes(source):
        match node:
            case ast.Attribute(attr="can_review" | "best_is_vertex" | "intervals"):
                found.append(node.lineno)
            case ast.Compare(left=ast.Attribute(attr="confidence" | "costs"), ops=[ast.Is() | ast.IsNot()]):
                found.append(node.lineno)
    return found


# May only shrink. Those of rules and of operating points, which can review too, are among them.
STILL = {
    "cli/report.py",
    "cli/cascade.py",
    "cli/conditions.py",
    "cli/decider.py",
    "cli/kinds.py",
    "cli/options.py",
    "decisions/decider.py",
    "decisions/plans.py",
    "decisions/questions.py",
    "estimators/conditions.py",
    "estimators/evaluation.py",
    "estimators/hybrid.py",
    "estimators/scorers.py",
    "groups/rates.py",
    "hull/minimax.py",
    "hull/ways.py",
    "hybrid/assured.py",
    "hybrid/hybrid.py",
    "hybrid/mean_regret.py",
    "hybrid/regret.py",
    "plotting/significance.py",
    "plotting/threshold_spread.py",
    "policies/policy_schema.py",
    "report/baselines.py",
    "report/facts.py",
    "report/resampled.py",
    "report/reviews.py",
    "report/scanned_segments.py",
    "report/segments.py",
    "segments/redistribution.py",
    "uncertainty/in_sample.py",
}


def test_nobody_above_asks_for_flags() -> None:
    found = {
        path
        for path, source in sources().items()
        if not path.startswith("conditions/") and flags_asked(source)
    }
    assert found == STILL
    assert flags_asked("if a.confidence is None: pass\nb.costs\nc.can_review") == [1, 3]
