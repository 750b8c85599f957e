"""Whoever gives a condition's numbers where the condition belongs is told what to write."""

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import rochull as rh
from public_doors import doors, places

Y, A = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
HULL: Any = rh.roc_hull(Y, A)
HYBRID: Any = rh.Hybrid().add("a", Y, A).add("b", Y, A[::-1])
POLICY: Any = HYBRID.policy()
MADE: Any = {"a": A}
CLASSIFIER: Any = rh.RocchClassifier
COSTS = rh.ExpectedCost(cost_fn=5)
# Which take what other people made, or decide between several classes.
OTHERS = {"watch", "under", "decided_at", "plan", "facts", "from_hulls", "on_split", "compute", "of_hybrid"}
OTHERS |= {"net_benefit", "prices", "loss", "optimum", "needs_score_sql", "expected_maximum_profit"}
SAVED = ("FixedPolicy", "SavedPlan", "GroupPolicy")  # decide without a condition


def takers() -> Iterator[Any]:
    """Yield every public function of a condition that takes no other keywords; not what dataclasses make."""
    for told, owner, name in doors():
        thing = (
            next(getattr(place, told) for place in places() if told in place.__all__)
            if owner is None
            else None
        )
        function = getattr(owner, name) if thing is None else getattr(thing, "__init__", thing)
        code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
        if code is None or code.co_filename == "<string>" or {name, *told.split(".")} & {*OTHERS, *SAVED}:
            continue
        taken = inspect.signature(function).parameters
        if not {"condition", "conditions"} & taken.keys() or "Multiclass" in told or "_request" in name:
            continue
        if all(one.kind is not one.VAR_KEYWORD for one in taken.values()):
            yield pytest.param(function, id=told)


@pytest.mark.parametrize("function", list(takers()))
def test_numbers_of_a_condition_are_told_where_they_go(function: Any) -> None:
    with pytest.raises(
        TypeError, match=r"takes 'cost_fn' as part of a condition: write .*rh\.ExpectedCost\(cost_fn=5\)"
    ):
        function(cost_fn=5)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: HULL.at(cost_fp=5), r"at\(rh.ExpectedCost(cost_fp=5))."),
        (lambda: HULL.at(COSTS, prevalence=0.3), "at(rh.ExpectedCost(..., prevalence=0.3))."),
        (lambda: HULL.at(COSTS, max_fpr=0.1), "at(rh.Within(condition, [rh.NeymanPearson(max_fpr=0.1)]))."),
        (
            lambda: HULL.at(cost_fn=2, prevalence=0.5, min_precision=0.9),
            "at(rh.Within(rh.ExpectedCost(cost_fn=2, prevalence=0.5), [rh.MinimumPrecision(min_precision=0.9)])).",
        ),
        (lambda: POLICY.decide({"a": A, "b": A}, cost_review=1), "decide(scores, rh.Review(cost_review=1))."),
        (
            lambda: CLASSIFIER([], cost_fn=2),
            "RocchClassifier(estimators, rh.ExpectedCost(cost_fn=2)).",
        ),
        (
            lambda: HULL.at(rh.Recall(), max_fpr=0.1),
            "at(rh.Within(condition, [rh.NeymanPearson(max_fpr=0.1)])).",
        ),
        (
            lambda: CLASSIFIER([]).score([], [], cost_fn=2),
            "score(..., condition=rh.ExpectedCost(cost_fn=2)).",
        ),
        (lambda: HULL.at(cases=5), "at(rh.Capacity(cases=5))."),
        (lambda: HULL.at(specificity=0.9), "at(rh.NeymanPearson(max_fpr=0.1))."),
        (lambda: HULL.at(sensitivity=0.8), "at(rh.MinimumRecall(min_tpr=0.8))."),
        (lambda: HULL.at("Balanced-accuracy"), "give rh.conditions.BalancedAccuracy()."),
    ],
)
def test_the_words_to_write(call: Any, told: str) -> None:
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value).endswith(told.replace("\\", ""))


def test_other_keywords_stay_as_they_are() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        HULL.at(COSTS, colour=1, cost_fn=2)
    assert "condition" in inspect.signature(HULL.at).parameters


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: rh.Hybrid({"a": A}), r"write Hybrid\.from_table\(table, label=\.\.\., scores=\[\.\.\.\]\)"),
        (lambda: rh.Hybrid(a=HULL), r"or Hybrid\(\)\.add\(name, y_true, y_score\)"),
        (lambda: rh.Policy.from_hull(HYBRID), r"hull must be a RocHull, such as hybrid\.hull .* is a Hybrid"),
        (lambda: rh.union(MADE), r"hulls\['a'\] must be a RocHull, but is a list"),
        (lambda: rh.Policy.from_hull(HULL).check(A, key=A), "check takes 'key' beside a condition only"),
    ],
)
def test_what_is_put_together_otherwise(call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call()
    assert not inspect.signature(rh.Hybrid).parameters
