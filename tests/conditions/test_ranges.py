"""Conditions whose numbers are intervals or distributions: what is accepted, and which corners count."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rochull as rh


def test_imprecise_conditions_are_value_errors() -> None:
    assert issubclass(rh.ImpreciseConditionError, ValueError)
    with pytest.raises(rh.ImpreciseConditionError, match="potentially_optimal"):
        rh.roc_hull([1, 0], [1, 0]).at(rh.ExpectedCost(cost_fn=(5, 50), prevalence=0.5))


def test_distributions_are_values() -> None:
    one, same = (rh.ExpectedCost(cost_fn=stats.lognorm(0.5, scale=10), prevalence=(0.1, 0.2)) for _ in "ab")
    assert one == same
    assert hash(one) == hash(same)
    assert one != rh.ExpectedCost(cost_fn=stats.lognorm(0.5, scale=11), prevalence=(0.1, 0.2))
    assert one != rh.ExpectedCost(cost_fn=stats.expon(scale=10), prevalence=(0.1, 0.2))
    assert repr(one) == "ExpectedCost(cost_fp=1.0, cost_fn=lognorm(0.5, scale=10), prevalence=(0.1, 0.2))"
    assert dataclasses.replace(one, cost_fp=2).cost_fn == one.cost_fn
    assert (*one.question.spread,) == ("cost_fn", "prevalence")
    assert one.question.box == {"cost_fn": (0, math.inf), "prevalence": (0.1, 0.2)}
    assert one.question.center.asked == rh.ExpectedCost(1, stats.lognorm(0.5, scale=10).median(), 0.15)
    assert rh.Accuracy(0.3).question.center.asked == rh.Accuracy(0.3)
    assert rh.Accuracy((0.3, 0.6)).question.center.asked == rh.Accuracy(0.45)
    assert one.slope_range == (0, math.inf)
    assert one.cost_fn != 3
    with pytest.raises(
        rh.ImpreciseConditionError, match=r"cost_fn=lognorm\(0\.5, scale=10\) is a distribution"
    ):
        _ = one.slope
    with pytest.raises(rh.ImpreciseConditionError, match="has no upper end, so the box has no corners there"):
        one.corners()
    assert [c.cost_fn for c in one.corners(finite=True)] == [0, 0]
    with pytest.raises(rh.ImpreciseConditionError):
        rh.roc_hull([1, 0], [1, 0]).at(one)
    assert rh.Accuracy(stats.beta(2, 5)).corners() == (rh.Accuracy(0.0), rh.Accuracy(1.0))
    assert repr(rh.Accuracy(stats.beta(2, 5))) == "Accuracy(prevalence=beta(2, 5))"


class Own:
    """A distribution of somebody's own."""

    def __init__(self, low: float = 1, high: float = 2, middle: Any = None) -> None:
        self.ends, self.middle = (low, high), (low + high) / 2 if middle is None else middle

    def ppf(self, q: Any) -> Any:
        return self.middle

    def support(self) -> tuple[float, float]:
        return self.ends


def test_distributions_that_are_refused() -> None:
    own = Own()
    assert rh.ExpectedCost(own, prevalence=0.5) == rh.ExpectedCost(own, prevalence=0.5)
    assert rh.ExpectedCost(own, prevalence=0.5) != rh.ExpectedCost(Own(), prevalence=0.5)
    assert hash(rh.ExpectedCost(own, prevalence=0.5)) == hash(rh.ExpectedCost(own, prevalence=0.5))
    assert repr(own) in repr(rh.ExpectedCost(own, prevalence=0.5))
    for name, wrong, message in (
        ("cost_fn", stats.norm(5), r"\[-inf, inf\]: cost_fn must be"),
        ("cost_fp", stats.uniform(-1, 2), r"\[-1, 1\]: cost_fp must not be negative"),
        ("prevalence", stats.uniform(0, 2), r"\[0, 2\]: prevalence must lie"),
        ("prevalence", stats.expon(), r"\[0, inf\]: prevalence must be"),
    ):
        with pytest.raises(ValueError, match=rf"{name} is a distribution on {message}"):
            rh.ExpectedCost(**{name: wrong})
    for bad in (Own(1, 2, np.ones(3)), Own("a", 2, 1.0)):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="cost_fn must be the distribution of one number"):
            rh.ExpectedCost(cost_fn=bad, prevalence=0.5)
    for bad in (Own(1, 2, math.nan), Own(1, 2, 3.0), Own(0, math.inf, math.inf)):
        with pytest.raises(ValueError, match="cost_fn is a distribution without a median in its support"):
            rh.ExpectedCost(cost_fn=bad, prevalence=0.5)
    with pytest.raises(ValueError, match="max_fpr must be a finite number"):
        rh.NeymanPearson(stats.beta(1, 2))
    with pytest.raises(ValueError, match="no error that can occur costs anything"):
        rh.ExpectedCost(cost_fn=stats.lognorm(1), prevalence=0, cost_fp=0)


def test_ends_of_supports_where_nothing_costs_anything_are_left_out() -> None:
    condition = rh.ExpectedCost(1, stats.uniform(0, 2), stats.beta(2, 5))
    assert len(condition.corners()) == 3
    assert condition.slope_range == (0, math.inf)
    assert rh.ExpectedCost(0, stats.uniform(0, 2), stats.beta(2, 5)).slope_range == (0, 0)
    assert rh.ExpectedCost(stats.uniform(0, 2), 0, stats.beta(2, 5)).slope_range == (math.inf, math.inf)
    assert rh.ExpectedCost(stats.uniform(1, 2), stats.lognorm(1), 0.25).slope_range == (0, math.inf)
    assert rh.ExpectedCost(stats.lognorm(1), (1, 2), 0.25).slope_range == (0, math.inf)
    assert rh.ExpectedCost(stats.uniform(1, 2), (1, 2), 0.25).slope_range == (1.5, 9)
