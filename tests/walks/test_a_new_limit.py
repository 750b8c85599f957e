"""Walks of a newcomer: what is to be added is one new file, and all of the library treats it right."""

import ast
import importlib
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rochull as rh
from rochull.conditions.base import Condition
from rochull.report import wording
from syntax import nodes, sources

# --- a limit ------------------------------------------------------------------------------------------

NEW_LIMITS = '''
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rochull.conditions.limits import WithinHalfPlane
from rochull.conditions.objectives import FALSE_POSITIVE_RATE, TRUE_POSITIVE_RATE
from rochull.conditions.ranges import Number


@dataclass(frozen=True)
class MaximumFalseDiscovery(WithinHalfPlane):
    """Maximise the true positive rate with at most so many false alarms among the alarms."""

    objective = TRUE_POSITIVE_RATE
    limited = "at most {max_fdr, share} of the alarms false"
    needs_alarms = True

    max_fdr: Number
    prevalence: Number

    @staticmethod
    def half_plane(max_fdr: Any, prevalence: Any) -> tuple[Any, Any, Any]:
        return -max_fdr * prevalence, (1 - max_fdr) * (1 - prevalence), 0


@dataclass(frozen=True)
class MinimumSpecificity(WithinHalfPlane):
    """Maximise the true positive rate with a specificity of at least so much."""

    objective = TRUE_POSITIVE_RATE
    limited = "a specificity of at least {min_specificity, share}"
    straight = ("min_specificity",)

    min_specificity: Number

    @staticmethod
    def half_plane(min_specificity: Any) -> tuple[Any, Any, Any]:
        return 0, 1, 1 - min_specificity


@dataclass(frozen=True)
class MaximumMissed(WithinHalfPlane):
    """Minimise the false positive rate with at most so many missed positives of 10,000 cases."""

    objective = FALSE_POSITIVE_RATE
    limited = "at most {missed, number} of 10,000 cases missed"
    amounts = ("missed",)

    missed: Number
    prevalence: Number | None = None

    @staticmethod
    def half_plane(missed: Any, prevalence: Any) -> tuple[Any, Any, Any]:
        return -prevalence, 0, missed / 10_000 - prevalence
'''


@pytest.fixture
def new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "new_limits.py").write_text(NEW_LIMITS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(importlib.import_module("sys").modules, "new_limits", raising=False)
    return importlib.import_module("new_limits")


def pairs(new: Any) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield a new limit and a known one that means the same: precise, and over a range."""
    yield (
        new.MaximumFalseDiscovery(0.4, 0.3), rh.MinimumPrecision(0.6, 0.3),
        new.MaximumFalseDiscovery((0.35, 0.45), (0.25, 0.3)), rh.MinimumPrecision((0.55, 0.65), (0.25, 0.3)),
    )  # fmt: skip
    yield (
        new.MinimumSpecificity(0.91), rh.NeymanPearson(0.09),
        new.MinimumSpecificity((0.8, 0.95)), rh.NeymanPearson((0.05, 0.2)),
    )  # fmt: skip


@pytest.fixture(scope="module")
def german() -> tuple[Any, rh.Hybrid]:
    table = rh.datasets.load("german_credit_scores")
    names = ["knn", "boosted", "tree"]
    return table, rh.Hybrid.from_table(table, label="class", scores=names, pos_label="bad", curve=True)


def test_a_new_limit_finds_its_points(new: Any, german: Any) -> None:
    table, hybrid = german
    alone = rh.roc_hull(table["class"], table["knn"], pos_label="bad")
    for limit, same, *_ in pairs(new):
        for deterministic in (False, True):
            for made in (alone, hybrid.hulls["knn"], hybrid.hull, hybrid):
                assert made.at(limit, deterministic) == made.at(same, deterministic)
        assert hybrid.at(limit).source == "edge"
        rates = [
            rh.optimism(table["class"], table["knn"], c, n_resamples=40, random_state=0, pos_label="bad")
            for c in (limit, same)
        ]
        assert rates[0] == rates[1]
    with pytest.raises(rh.InfeasibleConditionError, match="no operating point meets"):
        rh.roc_hull([0, 1, 0, 1], [4, 3, 2, 1]).at(new.MaximumFalseDiscovery(0.1, 0.3))


def test_a_new_limit_in_what_a_hybrid_tells(new: Any, german: Any) -> None:
    _, hybrid = german
    for limit, same, rough, same_rough in pairs(new):
        for mine, known in ((limit, same), (rough, same_rough)):
            table, other = hybrid.regret(mine).to_dict(), hybrid.regret(known).to_dict()
            for name, column in table.items():
                if name == "high":  # read from a sample, in which 1 - u stands for u
                    assert column == pytest.approx(other[name], abs=1e-3)
                elif name == "mean":
                    assert column == pytest.approx(other[name], abs=1e-6)
                else:
                    assert column == other[name]
            segments = [hybrid.potentially_optimal(c) for c in (mine, known)]
            assert segments[0].points == segments[1].points
            assert hybrid.restrict(mine).classifiers == hybrid.restrict(known).classifiers
            found, expected = (hybrid.sensitivity(c).parameters for c in (mine, known))
            assert found[0].breakpoints[::-1] == pytest.approx([1 - at for at in expected[0].breakpoints])
            assert [p.breakpoints for p in found[1:]] == [p.breakpoints for p in expected[1:]]
            assert [p.stake for p in found] == pytest.approx([p.stake for p in expected])
        kept = hybrid.without("boosted")
        assert kept.loss(limit) == kept.loss(same) > 0
        with pytest.raises(rh.ImpreciseConditionError, match="condition must be precise"):
            kept.loss(rough)
        with pytest.raises(rh.ImpreciseConditionError, match="is an interval, so there is no single best"):
            hybrid.at(rough)


def test_a_new_limit_is_deployed(new: Any, german: Any) -> None:
    table, hybrid = german
    policy = rh.Policy.from_json(hybrid.policy().to_json())
    scores = {name: table[name] for name in policy.classifiers}
    keys = np.arange(len(table["class"]))
    for limit, same, *_ in pairs(new):
        found = policy.decide(scores, limit, key=keys)
        assert np.array_equal(found, policy.decide(scores, same, key=keys))
        assert policy.to_sql(limit, "duckdb", key="id") == policy.to_sql(same, "duckdb", key="id")
        X, y = make_classification(400, weights=[0.7], random_state=4)
        model = rh.RocchClassifier([("bayes", GaussianNB()), ("logistic", LogisticRegression())], cv=3)
        found, expected = (
            model.set_params(condition=c).fit(X[:300], y[:300]).evaluate(X[300:], y[300:], c)
            for c in (limit, same)
        )
        for name, column in found.to_dict().items():
            if name != "condition":
                assert column.tolist() == expected.to_dict()[name].tolist()


def test_a_new_limit_is_reported(new: Any, german: Any, tmp_path: Path) -> None:
    _, hybrid = german
    costs = rh.ExpectedCost(1, 5, prevalence=0.3)
    for limit, same, *_ in pairs(new):
        report, other = (rh.Report(hybrid, c, figures=costs) for c in (limit, same))
        for name in ("chosen", "deterministic", "regret"):
            assert report.facts[name] == other.facts[name]
        assert report.facts["line"]["kind"] == "constraint"
        assert "at least as likely to be beyond it as within it" in " ".join(report.to_text().split())
        assert np.allclose(report.facts["line"]["points"], other.facts["line"]["points"])
        text = report.facts["condition"]["text"]
        assert text.startswith("highest true positive rate with a")
        assert "{" not in text
        assert " ".join(text.split()) in " ".join(str(report).split())
        report.save(tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        told = wording.asked(report.facts)
        assert f"{told}.</span>" in page  # the fixed answer, for the page has no control for it
        assert limit.label.split(" ", 1)[0] in {"a", "at"}  # what it limits, as a legend says it


@pytest.mark.parametrize("prevalence", [None, 0.25])
def test_a_new_limit_beside_costs(new: Any, german: Any, prevalence: float | None) -> None:
    """Alone, or as one of several; a prevalence that it does not state is that of the costs, or of the data."""
    _, hybrid = german
    share, costs = prevalence or hybrid.prevalence, rh.ExpectedCost(5, 1, prevalence)
    recall = rh.Recall() >= 1 - 0.03 / share
    mine = rh.Within(costs, [new.MaximumMissed(300), new.MaximumFalseDiscovery(0.7, share)])
    same = rh.Within(costs, [recall, rh.MinimumPrecision(0.3, share)])
    for deterministic in (False, True):
        found, expected = (hybrid.at(c, deterministic=deterministic) for c in (mine, same))
        assert (found.fpr, found.tpr) == pytest.approx((expected.fpr, expected.tpr), abs=1e-12)
    assert found.tpr > hybrid.at(costs).tpr
    text = str(rh.Report(hybrid, mine))
    assert "at most 300 of 10,000 cases missed" in " ".join(text.split())
    assert "0.7 of the alarms false" in " ".join(text.split())
    for told in (str(mine), repr(mine)):  # by what is said of it, not by how far rates are beyond it
        assert new.MaximumMissed(300).label in told
        assert "<=" not in told
    nothing = rh.roc_hull([0, 1, 0, 1], [4, 3, 2, 1])
    with pytest.raises(rh.InfeasibleConditionError):  # no alarms are none of which few are false
        nothing.at(rh.Within(rh.ExpectedCost(1, 1, 0.3), [new.MaximumFalseDiscovery(0.1, 0.3)]))


def test_a_limit_that_goes_two_ways(new: Any, german: Any) -> None:
    """Where no end of a range is the strictest, no rule is known to be allowed everywhere."""
    from rochull.conditions.limits import WithinHalfPlane

    class Tilted(new.MinimumSpecificity):  # type: ignore[misg, name-defined]
        @staticmethod
        def half_plane(min_specificity: Any) -> tuple[Any, Any, Any]:
            return 0.5 - min_specificity, 2 * min_specificity, 0.3

    assert issubclass(Tilted, WithinHalfPlane)
    with pytest.raises(rh.ImpreciseConditionError, match=r"\(0\.2, 0\.9\) makes the limit stricter for some"):
        german[1].regret(Tilted((0.2, 0.9)))


def test_an_incomplete_limit(new: Any) -> None:
    source = textwrap.dedent(NEW_LIMITS)
    without = source.replace("    objective = TRUE_POSITIVE_RATE\n", "").replace("    @staticmethod\n", "")
    without = without.replace("def half_plane", "@staticmethod\n    def plane")
    made: dict[str, Any] = {"__name__": new.__name__}
    exec(without, made)
    with pytest.raises(
        TypeError, match="MinimumSpecificity is not complete: it does not define half_plane"
    ) as told:
        made["MinimumSpecificity"](0.9)
    assert "(give the (a, b, c) of the points that it allows, a tpr + b fpr <= c" in str(told.value)
    assert "; nor objective (the measure to make as large or as small as possible)" in str(told.value)
    with pytest.raises(TypeError, match="half_plane takes 'recall', which is not one of its numbers"):
        exec(source.replace("plane(min_specificity", "plane(recall"), {"__name__": new.__name__})
    with pytest.raises(
        TypeError, match=r"MaximumFalseDiscovery\.limited names 'fdr', which is not one of its"
    ):
        exec(source.replace("{max_fdr, share}", "{fdr, share}"), {"__name__": new.__name__})
    made = {"__name__": new.__name__}
    exec(source.replace("@dataclass(frozen=True)\n", ""), made)
    with pytest.raises(TypeError, match="takes none of its numbers: decorate it with @dataclass"):
        made["MinimumSpecificity"](0.9)
    confident = source.replace(
        "    min_specificity: Number\n", "    min_specificity: Number\n    confidence: Any = None\n"
    )
    made = {"__name__": new.__name__}
    exec(confident, made)  # its half-plane says what a confidence promises
    assured = made["MinimumSpecificity"](0.5, confidence=0.9)
    hull = rh.RocHull.from_curve(rh.roc_curve([0, 1] * 50, [*range(0, 100, 2), *range(40, 140, 2)][:100]))
    assert len(hull.at(assured).rules) == 1


def bound_elsewhere(node: ast.AST) -> list[str]:
    """The names that a statement gives to what is no condition of the package."""
    match node:
        case ast.ClassDef(name=name):
            return [name]
        case ast.ImportFrom(module=str(module), names=names):
            at_home = module == "rochull" or module.startswith("rochull.conditions")
            return [each.asname or each.name for each in names if not at_home]
    return []


def asked_by_type(source: str, names: set[str]) -> Iterator[int]:
    """Yield the lines that ask which condition something is, or whether it has a confidence."""
    names = names - {name for node in nodes(source) for name in bound_elsewhere(node)}
    for node in nodes(source):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, asked]):
                found = {each.id for each in ast.walk(asked) if isinstance(each, ast.Name)}
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value="confidence"), *_]
            ):
                found = names
            case ast.MatchClass(cls=ast.Name(id=name)):
                found = {name}
            case _:
                continue
        if found & names:
            yield node.lineno if isinstance(node, ast.Call) else node.cls.lineno


def test_nobody_asks_a_condition_for_its_type() -> None:
    public = (getattr(rh.conditions, name) for name in rh.conditions.__all__)
    names = {c.__name__ for c in public if isinstance(c, type) and issubclass(c, Condition)}
    assert {"ExpectedCost", "NeymanPearson", "Constrained"} <= names
    found = {
        f"{path}:{line}"
        for path, source in sources().items()
        if not path.startswith("conditions/")
        for line in asked_by_type(source, names)
    }
    assert found == set()
    ladder = (
        "isinstance(c, (str, Utility))\ngetattr(c, 'confidence', 0)\nmatch c:\n    case Capacity(): pass\n"
    )
    assert list(asked_by_type(ladder, names)) == [1, 2, 4]
    for door in ("rochull", "rochull.conditions", "rochull.conditions.conjunction"):
        assert list(asked_by_type(f"from {door} import Within\nisinstance(c, Within)", names)) == [2]
    other = "from rochull.multiclass.search.within import Within\nisinstance(c, Within)\n"
    assert list(asked_by_type(other, names)) == []  # another thing of that name
