"""Reviews whose limits the population keeps: against a slow twin, and in simulation."""

import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import norm

import rochull as rh
from rochull.conditions.assured_review import assured_band, order_of
from rochull.conditions.learn_then_test import a_fifth_and_rest


def sample(seed, n=1000, prevalence=0.3, shift=2.0, digits=9):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    return y, np.round(rng.normal(size=n) + shift * y, digits)


def held(y, score, **how):
    return rh.RocHull.from_curve(rh.roc_curve(y, score, **how))


def tail(errors, cases, share):
    """P(Binomial(cases, share) <= errors), added up."""
    return sum(math.comb(cases, j) * share**j * (1 - share) ** (cases - j) for j in range(errors + 1))


def best_by_hand(review, points, shortfall):
    """Band by band; None where everything is to be reviewed."""
    learned, test = a_fifth_and_rest(points)
    high, low = order_of(review.question, learned)
    n, n_learned = test.n_neg + test.n_pos, learned.n_neg + learned.n_pos
    e = None if review.max_error is None else F(str(review.max_error))
    each = shortfall / len(review.question.uses)
    found, walking = [], True
    for i, j in zip(high.tolist(), low.tolist(), strict=True):
        assured = [True]
        decided = int(test.fp[i] + test.tp[i]) + n - int(test.fp[j] + test.tp[j])
        if e is not None:
            known = F(
                int(learned.fp[i] + learned.tp[i]) + n_learned - int(learned.fp[j] + learned.tp[j]), n_learned
            )
            least = next(k for k in range(n * 100) if (1 - e) ** k <= each)
            tested = known * n >= 3 * least
            errors = int(test.fp[i]) + test.n_pos - int(test.tp[j])
            walking = walking and not (tested and tail(errors, decided, e) > each)
            assured.append((tested and walking) or (i == 0 and j == len(points.fp) - 1))
        if review.max_share is not None:
            assured.append(tail(n - decided, n, F(str(review.max_share))) <= each)
        if all(assured):
            a = review.question.cost_amounts
            cost = sum(
                c.positive * int(counts[i])
                + c.review * int(counts[j] - counts[i])
                + c.negative * int(counts[-1] - counts[j])
                for c, counts in zip(map(_OfClass, [a] * 2, (0, 1)), (points.fp, points.tp), strict=True)
            )
            found.append((cost, int(points.fp[j] + points.tp[j] - points.fp[i] - points.tp[i]), (i, j)))
    return min(found)[2] if found else None


class _OfClass:
    def __init__(self, amounts, k):
        self.positive, self.review, self.negative = (
            F(each[k]) for each in (amounts.positive, amounts.review, amounts.negative)
        )


@pytest.mark.parametrize("seed", range(9))
def test_a_walk_over_bands_against_the_twin(seed):
    limits = [{"max_error": 0.1}, {"max_share": 0.4}, {"max_error": 0.15, "max_share": 0.7}][seed % 3]
    reviewer = {} if seed % 2 else {"reviewer": (0.05, 0.9)}
    review = rh.Review(1, 2, 0.25, **limits, **reviewer, confidence=0.8)
    y, score = sample(seed, 400, digits=seed % 2 + 1)
    made = held(y, score)
    review = review.at_prevalence(made.prevalence)
    points = made.every_threshold.frontier
    wanted = best_by_hand(review, points, F(1, 5))
    if wanted is None:
        with pytest.raises(rh.InfeasibleConditionError, match=r"^confidence=0.8 cannot be reached: no band"):
            assured_band(review.question, points, F(1, 5))
        return
    assert assured_band(review.question, points, F(1, 5)) == wanted


@pytest.mark.parametrize("seed", range(4))
def test_bands_are_nested_and_the_surest_come_first(seed):
    y, score = sample(seed, 600, digits=1 if seed % 2 else 9)
    made = held(y, score)
    review = rh.Review(1, 3, 0.2, max_error=0.1).at_prevalence(made.prevalence)
    learned, _ = a_fifth_and_rest(made.every_threshold.frontier)
    high, low = order_of(review.question, learned)
    assert (high[0], low[0], high[-1]) == (0, len(learned.fp) - 1, low[-1])
    assert (np.diff(high) >= 0).all()
    assert (np.diff(low) <= 0).all()
    assert (np.diff(high - low) > 0).all()
    decided = learned.fp[high] + learned.tp[high] + 120 - learned.fp[low] - learned.tp[low]
    errors = learned.fp[high] + learned.n_pos - learned.tp[low]
    half = np.searchsorted(decided, 60)
    assert errors[half] / decided[half] < errors[-1] / 120


def test_the_point_and_what_stands_beside_it():
    y, score = sample(1, 2000)
    made, review = held(y, score), rh.Review(1, 2, 0.25, max_error=0.05, confidence=0.9)
    point = made.at(review)
    ((rule, share),) = point.rules
    assert share == 1
    decided = (score >= rule.high.level) | (score < rule.low.level)
    wrong = np.where(score >= rule.high.level, y == 0, y == 1)
    assert point.review_rate == pytest.approx(np.mean(~decided))
    assert point.error_rate == pytest.approx(wrong[decided].mean())
    assert point.error_rate < made.at(rh.Review(1, 2, 0.25, max_error=0.05)).error_rate
    policy = rh.Policy.from_hull(made)
    actions = policy.decide(score, point)
    np.testing.assert_array_equal(actions == "review", ~decided)
    assert "CASE" in policy.to_sql(point, "duckdb")
    choice = rh.Hybrid().add("a", y, score).add("b", y, np.round(score)).assured(review)
    assert choice.confidence_each == 0.95
    assert 0 < choice.plain_confidence < 0.9
    assert choice.point.expected_cost(rh.Review(1, 2, 0.25, made.prevalence)) >= point.expected_cost(
        rh.Review(1, 2, 0.25, made.prevalence)
    )
    assert review.describe().endswith("; kept in the population with confidence 0.9")
    split = rh.Hybrid().add("a", y, score).assured(review, y, {"a": score})
    assert split.point.rules[0][0].high.threshold == rule.high.threshold


def test_with_too_few_examples_everything_is_reviewed():
    point = held(*sample(0, 50)).at(rh.Review(max_error=0.01, confidence=0.9))
    assert point.review_rate == 1
    assert str(point.rules[0][0]) == "review always"
    assert held([0, 0, 0, 1], [1, 2, 3, 4]).at(rh.Review(max_error=0, confidence=0.9)).review_rate == 1
    everything = held(*sample(0, 200)).at(rh.Review(1, 1, 0.3, max_error=1, confidence=0.9))
    assert everything.review_rate < 0.5


def test_what_is_refused():
    y, score = sample(2, 100)
    made, review = held(y, score), rh.Review(max_error=0.1, confidence=0.9)
    weighted = held(y, score, sample_weight=np.ones(100))
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, -score + 3 * y)
    for ask, said in (
        (lambda: rh.Review(confidence=0.9), "confidence=0.9 is of limits"),
        (lambda: rh.Review(max_error=0.1, confidence=1), "confidence must lie strictly between 0 and 1"),
        (
            lambda: made.at(rh.Review(prevalence=0.2, max_error=0.1, confidence=0.9)),
            "whose prevalence is theirs",
        ),
        (lambda: weighted.at(review), "from unweighted examples"),
        (lambda: replace(rh.roc_hull(y, score), curves={}).at(review), "confidence needs every threshold"),
        (lambda: hybrid.hull.at(review), "confidence needs the hull of one classifier"),
    ):
        with pytest.raises(ValueError, match=said):
            ask()
    with pytest.raises(rh.InfeasibleConditionError, match="is assured to keep max_share"):
        held(*sample(2, 300)).at(rh.Review(max_error=0.1, max_share=0.1, confidence=0.9))


# --- the promise ------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(
    ("limits", "shift"),
    [({"max_error": 0.05}, 2.0), ({"max_share": 0.2}, 1.2), ({"max_error": 0.1, "max_share": 0.6}, 2.0)],
)
@pytest.mark.parametrize("classifiers", [1, 3])
def test_violations(limits, shift, classifiers):
    """Of the best of several classifiers too; scores are continuous and rounded in turn."""
    rng, runs, broken, used = np.random.default_rng(9), 200, 0, 0
    review = rh.Review(1, 2, 0.25, **limits, confidence=0.9)
    for i in range(runs):
        y = (rng.random(600) < 0.3).astype(int)
        hybrid = rh.Hybrid()
        for j in range(classifiers):
            score = rng.normal(size=600) + shift * y
            hybrid.add(f"c{j}", y, np.round(score, 1) if i % 2 else score)
        try:
            rule = hybrid.at(review).rules[0][0]
        except rh.InfeasibleConditionError:
            continue
        slack = 0.05 if i % 2 else 0.0
        high, low = (
            at.level if at.constant is None else (np.inf, -np.inf)[int(at.constant)]
            for at in (rule.high, rule.low)
        )
        beyond = [(norm.sf(high - slack - m), norm.cdf(low - slack - m)) for m in (0, shift)]
        decided = 0.7 * sum(beyond[0]) + 0.3 * sum(beyond[1])
        wrong = 0.7 * beyond[0][0] + 0.3 * beyond[1][1]
        used += decided > 0
        broken += wrong > limits.get("max_error", 1) * decided or 1 - decided > limits.get("max_share", 1)
    assert used > runs / 10
    assert broken <= runs * 0.1 + 3 * math.sqrt(runs * 0.09)
