"""What an answer is compared with: counted from the examples, one by one."""

import numpy as np
import pytest

import report_cases as cases
import rochull as rh
from rochull.hull.curve import HUNDREDTHS


def test_each_classifier_at_one_half() -> None:
    table = rh.datasets.load("german_credit_scores")
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    bad, costs = table["class"] == "bad", rh.ExpectedCost(1, 5)
    never, always, *rows = rh.Report(hybrid, costs).facts["baselines"]
    assert (never["point"]["expected_cost"], always["point"]["expected_cost"]) == pytest.approx((1.5, 0.7))
    assert [row["classifier"] for row in rows] == cases.SCORES
    for row in rows:
        flagged = table[row["classifier"]] >= 0.5
        assert row["kind"] == "half"
        assert (row["fp"], row["tp"]) == ((flagged & ~bad).sum(), (flagged & bad).sum())
        cost = ((flagged & ~bad).sum() + 5 * (~flagged & bad).sum()) / bad.size
        assert row["point"]["expected_cost"] == pytest.approx(cost)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hundredths_are_counted_as_numpy_compares(dtype: type, lower: bool) -> None:
    rng = np.random.default_rng(1)
    y, weight = rng.integers(0, 2, 500), rng.integers(1, 9, 500) / 8
    score = np.round(rng.random(500), 2).astype(dtype)
    hybrid = rh.Hybrid().add("a", y, score, sample_weight=weight, lower_is_positive=lower)
    curve, usual = hybrid.hundredths["a"], HUNDREDTHS[::-1] if lower else HUNDREDTHS
    assert curve.thresholds[1:].tolist() == usual.tolist()
    for i, threshold in enumerate(usual.tolist()):
        flagged = score <= dtype(threshold) if lower else score >= dtype(threshold)
        assert curve.tpr[i + 1] == pytest.approx(weight[flagged & (y == 1)].sum() / weight[y == 1].sum())
        assert curve.fpr[i + 1] == pytest.approx(weight[flagged & (y == 0)].sum() / weight[y == 0].sum())


def test_what_is_no_probability_is_at_its_best() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    hybrid = rh.Hybrid().add("logit", y, rng.normal(y)).add_point("expert", 0.2, 0.6)
    assert hybrid.hundredths == {}
    for condition in (None, rh.ExpectedCost(1, 2), rh.MinimumPrecision(0.99, prevalence=0.01)):
        try:
            facts = rh.Report(hybrid, condition).facts
        except rh.InfeasibleConditionError:
            continue
        rows = facts["baselines"][2:]
        assert [row["kind"] for row in rows] == ["best", "best"]
        alone = [row["point"] for row in (facts["regret"] or {"rows": []})["rows"]] or [None, None]
        assert [row["point"] for row in rows] == alone


def test_low_scores_at_one_half() -> None:
    rng = np.random.default_rng(4)
    y, score = rng.integers(0, 2, 300), np.round(rng.random(300), 1)
    facts = rh.Report(rh.Hybrid().add("a", y, score, lower_is_positive=True), rh.ExpectedCost(1, 2)).facts
    row, flagged = facts["baselines"][2], score <= 0.5
    assert (row["fp"], row["tp"]) == ((flagged & (y == 0)).sum(), (flagged & (y == 1)).sum())
    [part] = row["point"]["rules"]
    assert part["rule"] == {
        "kind": "threshold",
        "classifier": "a",
        "threshold": 0.5,
        "lower_is_positive": True,
    }


@pytest.mark.parametrize(
    ("more", "as_cheap"), [(0.0, [True, False]), (5e-13, [False, False]), (-5e-13, [True, False])]
)
def test_whether_no_rule_is_as_cheap_is_not_rounded(more: float, as_cheap: list[bool]) -> None:
    """Where a miss costs .2 false alarms, a rule with rates of .1 and .5 costs as much as flagging nobody."""
    y = np.repeat([1, 0], 10)
    hybrid = rh.Hybrid().add("a", y, np.r_[[1] * 5, [0] * 5, 1, [0] * 9].astype(float))
    costs = rh.ExpectedCost(1, 0.2 * (1 + more), prevalence=0.5)
    rows = rh.Report(hybrid, costs).facts["baselines"][:2]
    assert [row["as_cheap"] for row in rows] == as_cheap
