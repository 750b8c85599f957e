"""A prevalence that a condition does not state: that of the object asked, said in the answer; else refused."""

import copy
import json
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.conditions.ranges import Proportion, exact

RNG = np.random.default_rng(5)
Y = RNG.random(400) < 0.118
SCORE = np.round(RNG.normal(1.2 * Y), 1)
OTHER = np.round(RNG.normal(0.9 * Y), 1)
OWN = Fraction(int(Y.sum()), Y.size)
HULL = rh.roc_hull(Y, SCORE)
HYBRID = rh.Hybrid().add("a", Y, SCORE).add("b", Y, OTHER)
RATES = rh.RocHull.from_rates([0.1, 0.3], [0.5, 0.8], [2.0, 1.0])
UNSAID: list[Any] = [
    rh.ExpectedCost(1, 12),
    rh.Accuracy(),
    rh.Capacity(fraction=0.1),
    rh.Capacity(cases=30, population=400),
    rh.MinimumPrecision(0.3),
]
EVERY = pytest.mark.parametrize("condition", UNSAID, ids=repr)


def said(condition: Any) -> Any:
    return condition.with_numbers(prevalence=Proportion(OWN))


@EVERY
def test_it_is_that_of_the_data(condition: Any) -> None:
    weighted = rh.roc_hull(Y, SCORE, sample_weight=np.full(Y.size, 0.25))
    for asked in (HULL, HYBRID, weighted, rh.stratify({"x": HULL, "y": HULL}), rh.Policy.from_hull(HULL)):
        found = asked.at(condition)
        assert found == asked.at(said(condition))
        assert found.prevalence == pytest.approx(float(OWN))
        assert found.prevalence_from == "data"
        assert str(found).endswith(f" (at the data's prevalence, {float(OWN):.4g})")
        assert "prevalence_from='data'" in repr(found)
        plain = asked.at(said(condition))
        assert plain.prevalence_from is None
        assert "data" not in str(plain)


@EVERY
def test_where_there_are_no_data_it_is_refused(condition: Any) -> None:
    document = rh.Policy.from_hull(RATES)
    for ask in (RATES.at, document.at, rh.Hybrid().add_point("p", 0.1, 0.5).at):
        with pytest.raises(
            ValueError, match=r"^prevalence is needed: .* state one, such as prevalence=0.1\.$"
        ):
            ask(condition)
    with pytest.raises(ValueError, match=r"^prevalence is needed"):
        document.decide([1.0, 2.0], condition if condition.question.cases_in_batch is None else rh.Accuracy())


def test_all_questions_of_a_hybrid_take_it() -> None:
    for condition in UNSAID:
        known = said(condition)
        assert dict(HYBRID.regret(condition)) == dict(HYBRID.regret(known))
        assert HYBRID.sensitivity(condition).point == HYBRID.sensitivity(known).point
        assert HYBRID.potentially_optimal(condition) == HYBRID.potentially_optimal(known)
        assert HYBRID.restrict(condition).classifiers == HYBRID.restrict(known).classifiers
        assert HYBRID.without("a").loss(condition) == HYBRID.without("a").loss(known)
        assert "the prevalence being that of the data" in str(HYBRID.regret(condition)).replace("\n  ", " ")
        facts, others = (rh.Report(HYBRID, each).facts for each in (condition, known.with_numbers()))
        assert facts["chosen"]["fpr"] == others["chosen"]["fpr"]
        assert facts["chosen"]["confusion"]["prevalence_from"] == "table"
        json.dumps(facts)


def test_a_point_prices_itself_at_its_own_data() -> None:
    point, costs = HULL.at(rh.NeymanPearson(0.2)), rh.ExpectedCost(1, 12)
    assert point.expected_cost(costs) == point.expected_cost(said(costs))
    assert point.net_benefit(costs) == point.net_benefit(said(costs))
    with pytest.raises(ValueError, match=r"^prevalence is needed"):
        RATES.at(rh.NeymanPearson(0.2)).expected_cost(costs)
    for alone in (
        lambda: costs.slope,
        lambda: costs.cost(0.1, 0.2),
        lambda: costs.net_benefit(0.1, 0.2),
    ):
        with pytest.raises(ValueError, match="prevalence"):
            alone()
    with pytest.raises(ValueError, match=r"^prevalence is needed"):
        _ = rh.ExpectedCost(cost_fn=(5, 50)).slope_range


def test_decisions_say_it_in_a_warning() -> None:
    policy, condition = rh.Policy.from_hull(HULL), rh.ExpectedCost(1, 12)
    for use in (lambda c: policy.decide(SCORE, c).tolist(), lambda c: policy.to_sql(c, "duckdb")):
        with pytest.warns(UserWarning, match=rf"policy's data decides, {float(OWN):.4g}; state") as caught:
            found = use(condition)
        assert caught[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert use(said(condition)) == found


def test_ties_at_it_are_those_of_the_counts() -> None:
    """Blocks of as many positives as negatives tie under equal costs, whatever floats make of the prevalence."""
    for n in range(1, 40):
        y = [1] * n + [1, 0] + [0] * (2 * n + 1)
        score = [3] * n + [2, 2] + [1] * (2 * n + 1)
        assert rh.roc_hull(y, score).at(rh.Accuracy()).rules[0][0].threshold == 3


def test_estimators_and_averages_take_it() -> None:
    average = rh.operating_point_average(Y, SCORE, np.arange(Y.size) % 4)
    costs = rh.ExpectedCost(1, 12)
    assert average.mean(costs).tolist() == average.mean(said(costs)).tolist()
    calibrator = rh.PavCalibrator().fit(SCORE, Y)
    assert calibrator.decide(SCORE, costs).tolist() == calibrator.decide(SCORE, said(costs)).tolist()
    posterior = calibrator.posterior(SCORE)
    assert (
        rh.decide_by_posterior(posterior, costs).tolist()
        == rh.decide_by_posterior(posterior, said(costs), prevalence=float(OWN)).tolist()
    )
    with pytest.raises(ValueError, match=r"^prevalence is needed"):
        rh.decide_by_llr([0.0], costs)
    groups = rh.constrain_groups({"x": HULL, "y": HULL}, costs, "equal_tpr")
    assert groups.cost == rh.constrain_groups({"x": HULL, "y": HULL}, said(costs), "equal_tpr").cost


def test_a_proportion_is_a_float_that_is_exact() -> None:
    third = Proportion(Fraction(1, 3))
    for same in (third, copy.deepcopy(third), pickle.loads(pickle.dumps(third))):
        assert (same, exact(same), repr(same)) == (1 / 3, Fraction(1, 3), repr(1 / 3))
    kept = rh.ExpectedCost(prevalence=third).with_numbers(cost_fn=2)
    assert exact(kept.prevalence) == Fraction(1, 3)
