"""Plans of labels: probabilities, what is drawn, and the width that is found beside the one that was said."""

import warnings

import numpy as np
import pytest

import rochull as rh
from rochull.decisions.score_columns import ScoreColumns
from rochull.policies.performance import Deployment, ranges_of

COST = rh.ExpectedCost(1, 5, 0.2)


def _drawn(n, rng, prevalence=0.2):
    y = rng.random(n) < prevalence
    return y, rng.normal(1.5 * y)


@pytest.fixture(scope="module")
def policy():
    y, s = _drawn(4_000, np.random.default_rng(0))
    return rh.Policy.from_hull(rh.roc_hull(y, s))


@pytest.mark.parametrize("target", ["decision", "cost"])
def test_so_many_are_drawn_each_with_its_probability(policy, target):
    _, s = _drawn(500, np.random.default_rng(1))
    plan = policy.label_plan(s, 60, target, COST)
    assert plan.probability.sum() == pytest.approx(60)
    assert 0 < plan.probability.min() < plan.probability.max() <= 1
    drawn = np.array([plan.draw(i) for i in range(300)])
    assert set(drawn.sum(axis=1)) == {60}
    assert np.abs(drawn.mean(axis=0) - plan.probability).max() < 0.12
    assert plan.weight * plan.probability == pytest.approx(1)
    assert (plan.draw(3) == plan.draw(3)).all()


def test_labels_about_the_threshold_tell_of_the_decision(policy):
    _, s = _drawn(3_000, np.random.default_rng(2))
    decision, cost = (policy.label_plan(s, 100, target, COST) for target in ("decision", "cost"))
    near = np.abs(s - policy.at(COST).rules[0][0].threshold) < 0.4
    assert decision.probability[near].mean() > 1.5 * cost.probability[near].mean()
    assert len(decision.widths) > 2
    assert decision.width == max(decision.widths.values())
    assert policy.label_plan(s, 400, "cost", COST).width < 0.6 * cost.width


def test_the_estimate_is_that_of_every_case_by_itself(policy):
    """The slow twin: posteriors, corrected case by case."""
    rng = np.random.default_rng(3)
    y, s = _drawn(800, rng)
    plan = policy.label_plan(s, 120, "cost", COST)
    chosen = plan.draw(0)
    known = np.where(chosen, y, np.nan)
    found = policy.performance(s, COST, known, sample_weight=plan.weight).observed
    point = policy.at(COST)
    held = ScoreColumns(s, policy.classifiers)
    ((_, ranges),) = ranges_of(policy.hull, point, held, 0.2).items()
    p = ranges.posterior[ranges.ladder.place_of(s)]
    flags = s >= point.rules[0][0].threshold
    told = np.where(flags, 1 - p, 5 * p)
    truth = np.where(flags, ~y, 5 * y)
    each = told + np.where(chosen, (truth - told) / plan.probability, 0)
    assert found.expected_cost.estimate == pytest.approx(each.mean())
    assert found.prevalence.estimate == pytest.approx(
        (p + np.where(chosen, (y - p) / plan.probability, 0)).mean()
    )
    performance = policy.performance(s, COST, known, sample_weight=plan.weight)
    assert performance.label.pvalue == policy.performance(s, COST).label.pvalue  # labels do not test it


def test_the_width_comes_as_it_was_said():
    """A small part of the study `label_plans`."""
    rng = np.random.default_rng(4)
    ratio = {"cost": [], "decision": []}
    for i in range(12):
        y, s = _drawn(3_000, rng)
        policy = rh.Policy.from_hull(rh.roc_hull(y, s))
        y, s = _drawn(3_000, rng)
        for target, ratios in ratio.items():
            plan = policy.label_plan(s, 300, target, COST)
            known = np.where(plan.draw(i), y, np.nan)
            if target == "cost":
                found = policy.performance(s, COST, known, sample_weight=plan.weight).observed.expected_cost
                ratios.append((found.high - found.low) / plan.width)
            else:
                ratios.append(_width_of_saving(policy, s, known, plan) / plan.width)
    assert all(0.85 < np.mean(ratios) < 1.15 for ratios in ratio.values())


def _width_of_saving(policy, s, known, plan):
    """Of the rule of which it is widest, by its labels."""
    from scipy.special import stdtrit

    point = policy.at(COST)
    held = ScoreColumns(s, policy.classifiers)
    ((_, ranges),) = ranges_of(policy.hull, point, held, 0.2, truth=known, weight=plan.weight).items()
    widest = max(plan.widths, key=plan.widths.get)
    (own,) = (point.rules[0][0],)
    steps = np.arange(len(ranges.share))
    rules = {"never": 0, "always": len(steps)}
    rules |= {f"score >= {t}": 1 + i for i, t in enumerate(ranges.ladder.thresholds)}
    shares = [ranges.observed((steps < step) * 1.0) for step in (ranges.step_of(own), rules[widest])]
    difference = shares[0].less(shares[1], same_cells=True)
    prices = Deployment(policy.hull, point, COST).prices
    half = stdtrit(difference.df, 0.975) * np.sqrt(prices @ difference.covariance @ prices)
    return 2 * half


def test_what_is_refused(policy):
    _, s = _drawn(50, np.random.default_rng(5))
    for how, told in (
        ((60, "cost", COST), "50 cases have a score"), ((1, "cost", COST), "n must be"),
        ((10, "both", COST), "target must be"),
        ((10, "cost", rh.NeymanPearson(0.1)), r"two classifiers|no costs"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            policy.label_plan(s, *how)
    known = np.where(np.arange(50) < 9, 1.0, np.nan)
    with pytest.raises(ValueError, match="sample_weight must be at least 1"):
        policy.performance(s, COST, known, sample_weight=[0.5] * 50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert policy.label_plan(s, 10).n == 10  # equal costs, at the policy's own prevalence
