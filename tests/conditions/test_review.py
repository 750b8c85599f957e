"""A third action, beside brute force over all pairs of thresholds and all their mixtures."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import rochull as rh
from rochull.conditions.rules import Action, Scores
from rochull.hull.minimax import minimax_point

SMALL = 40


def problem(seed):
    """A hull, its labels and scores, and the numbers of a review."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    score = rng.integers(0, 7, n) / 4
    small = [0, 0.125, 0.25, 0.5, 1, 2, 5]
    numbers = {
        "cost_fp": float(rng.choice(small[2:])),
        "cost_fn": float(rng.choice(small[2:])),
        "cost_review": float(rng.choice(small[:5])),
        "prevalence": float(rng.choice([0.1, 0.25, 0.5, 0.9])),
    }
    if rng.random() < 0.4:
        numbers["reviewer"] = (float(rng.choice([0, 0.125, 0.5])), float(rng.choice([0.5, 0.75, 1])))
    return y, score, numbers


def limits_of(seed):
    rng = np.random.default_rng([seed, 1])
    share, error = float(rng.choice([0, 0.1, 0.25, 0.5, 1])), float(rng.choice([0, 0.05, 0.125, 0.3, 0.6]))
    kind = seed % 4
    return {"max_share": share if kind in (1, 3) else None, "max_error": error if kind in (2, 3) else None}


def bands_by_hand(y, score, numbers):
    """Cost, share reviewed, and errors of every pair of thresholds, a case."""
    p, (rf, rt) = numbers["prevalence"], numbers.get("reviewer", (0.0, 1.0))
    weight = np.where(y == 1, p / (y == 1).sum(), (1 - p) / (y == 0).sum())
    levels = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    rows = []
    for high, low in itertools.combinations_with_replacement(levels, 2):
        positive, reviewed = score >= high, (score >= low) & (score < high)
        negative = ~positive & ~reviewed
        cost = (weight * numbers["cost_fp"])[positive & (y == 0)].sum()
        cost += (weight * numbers["cost_fn"])[negative & (y == 1)].sum()
        cost += numbers["cost_review"] * weight[reviewed].sum()
        cost += rf * numbers["cost_fp"] * weight[reviewed & (y == 0)].sum()
        cost += (1 - rt) * numbers["cost_fn"] * weight[reviewed & (y == 1)].sum()
        wrong = weight[positive & (y == 0)].sum() + weight[negative & (y == 1)].sum()
        rows.append((cost, weight[reviewed].sum(), wrong))
    return np.array(rows)


def least_by_hand(rows, max_share=None, max_error=None, share=None):
    """The least cost over all mixtures of bands, by a linear programme; None if there is none."""
    cost, reviewed, wrong = rows.T
    above, bounds = [], []
    if max_share is not None:
        above.append(reviewed)
        bounds.append(max_share)
    if max_error is not None:
        above.append(wrong - max_error * (1 - reviewed))
        bounds.append(0.0)
    equal, sums = [np.ones(cost.size)], [1.0]
    if share is not None:
        equal.append(reviewed)
        sums.append(share)
    found = linprog(cost, np.array(above) if above else None, bounds or None, np.array(equal), sums)
    return found.fun if found.status == 0 else None


@pytest.mark.parametrize("seeds", [range(SMALL), pytest.param(range(SMALL, 500), marks=pytest.mark.long)])
def test_the_best_rule_is_that_of_all_pairs_of_thresholds_and_all_mixtures(seeds):
    for seed in seeds:
        y, score, numbers = problem(seed)
        limits = limits_of(seed)
        hull, review = rh.roc_hull(y, score), rh.Review(**numbers, **limits)
        least = least_by_hand(bands_by_hand(y, score, numbers), **limits)
        if least is None:
            with pytest.raises(rh.InfeasibleConditionError, match="no rule keeps both max_share="):
                hull.at(review)
            continue
        point = hull.at(review)
        assert point.expected_cost(review) == pytest.approx(least, abs=1e-8), seed
        assert point.review_rate <= (1 if limits["max_share"] is None else limits["max_share"]) + 1e-15
        if limits["max_error"] is not None and point.review_rate < 1:
            assert point.error_rate <= limits["max_error"] + 1e-12
        band = review.question.best_band(hull.frontier)
        assert sum(end.share > 0 for end in {band.high, band.low}) <= sum(
            x is not None for x in limits.values()
        )


@pytest.mark.parametrize("seed", range(20))
def test_the_frontier_is_the_least_cost_of_every_share(seed):
    y, score, numbers = problem(seed)
    rows = bands_by_hand(y, score, numbers)
    frontier = rh.roc_hull(y, score).review_frontier(rh.Review(**numbers, max_share=0.0))
    assert frontier.share[0] == 0
    assert frontier.share[-1] == 1
    assert (np.diff(frontier.share) > 0).all()
    for share in [*frontier.share, 0.1, 0.37]:
        found = np.interp(share, frontier.share, frontier.cost)
        assert found == pytest.approx(least_by_hand(rows, share=share), abs=1e-8)
    assert frontier.cost.min() == pytest.approx(least_by_hand(rows), abs=1e-9)


@pytest.mark.parametrize("seed", range(SMALL))
def test_a_rule_without_chance_is_the_best_between_two_vertices(seed):
    y, score, numbers = problem(seed)
    limits = limits_of(seed)
    hull, review = rh.roc_hull(y, score), rh.Review(**numbers, **limits)
    here, found = review.question.along(hull.frontier), []
    for i, j in itertools.combinations_with_replacement(range(len(hull)), 2):
        band = rh.conditions.bands.ReviewBand(*map(rh.conditions.frontier.Choice, (i, j)))
        if all(here.amount(band, use) <= most for _, use, most in review.question.uses):
            found.append(here.cost(band))
    if not found:
        with pytest.raises(rh.InfeasibleConditionError, match="single rule"):
            hull.at(review, deterministic=True)
        return
    point = hull.at(review, deterministic=True)
    assert len(point.rules) == 1
    assert here.cost(review.question.best_band(hull.frontier, True)) == min(found)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ["max_share", "max_error"])
@pytest.mark.parametrize("seed", range(4))
def test_every_share_and_error_that_occurs_is_a_limit_that_it_meets(seed, name, wide):
    """Against all bands between vertices: of a double those that round to it at most, of a fraction exactly."""
    rng, p = (
        np.random.default_rng(seed),
        [Fraction(1, 2), None, Fraction(3, 10), Fraction("0.123456789")][seed],
    )
    y = rng.permutation(np.arange(31 + seed) % 3 == 0)
    hull = rh.roc_hull(y, np.round(rng.normal(size=y.size) + 2 * y, 1))
    numbers = {"cost_fp": 1, "cost_fn": 2, "cost_review": 0.0625 if name == "max_share" else 0.5}
    prevalence = None if p is None else float(p)
    here = rh.Review(**numbers, prevalence=prevalence or hull.prevalence).question.along(hull.frontier)
    (a, b), rows = here.units, []
    for i, j in itertools.combinations_with_replacement(range(len(hull)), 2):
        x, t = here.x, here.y
        fp, fn = a * x[i], b * (t[-1] - t[j])
        reviewed = a * (x[j] - x[i]) + b * (t[j] - t[i])
        decided = here.total - reviewed
        value = Fraction(reviewed, here.total) if name == "max_share" else Fraction(fp + fn, decided or 1)
        cost = fp * Fraction(1) + fn * 2 + reviewed * Fraction(numbers["cost_review"])
        rows.append((value, cost / here.total))
    if wide:  # at two costs, of which the second is a hair larger: the answer is the same
        numbers["cost_fn"] = (2, 2 + 2.0**-40)
    for value in sorted({value for value, _ in rows})[:: 1 + len(rows) // 60]:
        for limit, kept in (
            (float(value), [cost for at, cost in rows if float(at) <= float(value)]),
            (value, [cost for at, cost in rows if at <= value]),
            (value - Fraction(1, 10**40), [cost for at, cost in rows if at < value]),
        ):
            if not 0 <= limit <= 1:
                continue
            review = rh.Review(**numbers, prevalence=prevalence, **{name: limit})
            point = minimax_point(hull, review, True) if wide else hull.at(review, deterministic=True)
            plain = rh.Review(**(numbers | {"cost_fn": 2}), prevalence=prevalence or hull.prevalence)
            assert point.expected_cost(plain) == pytest.approx(float(min(kept)), abs=1e-11), limit


def test_a_band_at_its_own_share_is_no_mixture():
    hull = rh.roc_hull([1, 1, 0, 1, 0, 0], [6, 5, 4, 4, 2, 1])
    for limit in (1 / 3, Fraction(1, 3)):
        point = hull.at(rh.Review(1, 1, 0.125, max_share=limit))
        assert (len(point.rules), point.review_rate) == (1, 1 / 3)
    mixed = hull.at(rh.Review(1, 1, 0.125, max_share=Fraction(1, 3) - Fraction(1, 10**20)))
    assert len(mixed.rules) == 2


@pytest.mark.parametrize("seed", range(8))
def test_what_risks_least_over_a_range(seed):
    y, score, numbers = problem(seed)
    hull = rh.roc_hull(y, score)
    wide = numbers | {"cost_review": (0.0, 0.5), "cost_fn": (0.5, 3.0), "prevalence": (0.2, 0.6)}
    review = rh.Review(**wide)
    corners = [bands_by_hand(y, score, numbers | c) for c in corners_of(wide)]
    regrets = np.array([rows[:, 0] - rows[:, 0].min() for rows in corners])
    size = regrets.shape[1]
    least = linprog(
        np.append(np.zeros(size), 1), np.column_stack([regrets, -np.ones(len(regrets))]), np.zeros(len(regrets)),
        [np.append(np.ones(size), 0)], [1],
    ).fun  # fmt: skip
    for deterministic, wanted in ((False, least), (True, regrets.max(axis=0).min())):
        point = rh.Policy.from_hull(hull).at(review, deterministic, minimax=True)
        worst = max(
            point.expected_cost(rh.Review(**numbers | c)) - rows[:, 0].min()
            for c, rows in zip(corners_of(wide), corners, strict=True)
        )
        # Thresholds within blocks are no vertices, so a rule without chance may lack the best of them.
        assert worst >= wanted - 1e-9
        assert deterministic or worst <= wanted + 1e-9
    inside = rh.Review(**numbers | {"cost_review": 0.2, "cost_fn": 1.0, "prevalence": 0.3})
    told, point = hull.review_range(review), hull.at(inside)
    actions = outcome(point.rules[0][0], score)
    assert (actions[outcome(told.positive, score) == Action.POSITIVE] == Action.POSITIVE).all()
    assert (actions[outcome(told.negative, score) == Action.NEGATIVE] == Action.NEGATIVE).all()
    if told.review is not None:
        assert (actions[outcome(told.review, score) == Action.REVIEW] == Action.REVIEW).all()


def corners_of(numbers):
    ranges = {
        name: value for name, value in numbers.items() if isinstance(value, tuple) and name != "reviewer"
    }
    return [dict(zip(ranges, ends, strict=True)) for ends in itertools.product(*ranges.values())]


def outcome(rule, score):
    return rule.outcome(score.size, lambda _: Scores(score))


def test_limits_are_kept_throughout_a_range():
    y, score, numbers = problem(11)
    hull = rh.roc_hull(y, score)
    review = rh.Review(**numbers | {"prevalence": (0.2, 0.6), "cost_fn": (1, 5)}, max_share=0.125)
    for deterministic in (False, True):
        point = rh.Policy.from_hull(hull).at(review, deterministic, minimax=True)
        negative, positive = point.reviewed
        assert all((1 - p) * negative + p * positive <= 0.125 + 1e-15 for p in (0.2, 0.6))
    with pytest.raises(ValueError, match="max_share moves the band as a whole"):
        hull.review_range(review)


def test_costs_alone_are_two_tangents_of_one_hull():
    """Chow's rule: review where the probability is between two numbers."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    hull = rh.roc_hull(y, rng.normal(size=400) + y)
    review = rh.Review(cost_fp=2, cost_fn=3, cost_review=0.5)
    rule = hull.at(review).rules[0][0]
    posterior, low = hull.blocks.posterior, hull.blocks.low
    assert rule.high.level == low[posterior > 1 - 0.5 / 2][-1]
    assert rule.low.level == low[posterior > 0.5 / 3][-1]


def test_the_best_of_several_classifiers_for_the_whole_rule():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 300)
    scores = {"a": y + rng.normal(size=300), "b": y + 2 * rng.random(300), "c": rng.random(300)}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    for review in (
        rh.Review(),
        rh.Review(max_share=0.1),
        rh.Review(max_error=0.05),
        rh.Review(cost_review=0.3),
    ):
        alone = {n: rh.roc_hull(y, s).at(review).expected_cost(review) for n, s in scores.items()}
        point = hybrid.at(review)
        assert point.classifiers == (min(alone, key=alone.get),)
        assert point.expected_cost(review) == min(alone.values())
        of_hull = hybrid.hull.at(review)  # of the vertices that each classifier owns
        assert len(of_hull.classifiers) == 1
        assert of_hull.expected_cost(review) >= min(alone.values())
        assert hybrid.policy().at(review) == of_hull
    costs = rh.Review(cost_review=0.2)
    share = np.linspace(0, 1, 41)
    frontiers = [rh.roc_hull(y, s).review_frontier(costs) for s in scores.values()]
    together = hybrid.review_frontier(costs)
    least = np.min([np.interp(share, f.share, f.cost) for f in frontiers], axis=0)
    np.testing.assert_allclose(np.interp(share, together.share, together.cost), least, atol=1e-12)


def test_a_free_review_by_somebody_perfect_is_what_an_expected_cost_means():
    y, score, _ = problem(2)
    hull, costs = rh.roc_hull(y, score), rh.ExpectedCost(2, 3)
    free = hull.review_frontier(rh.Review(2, 3, 0))
    np.testing.assert_array_equal(hull.review_frontier(costs).cost, free.cost)
    assert free.cost[0] == pytest.approx(hull.at(costs).expected_cost(costs))
    assert free.cost[-1] == 0
    with pytest.raises(TypeError, match="costs must be a Review or an ExpectedCost"):
        hull.review_frontier(rh.NeymanPearson(0.1))


def test_numbers_of_a_point():
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    review = rh.Review(cost_fp=2, cost_fn=4, cost_review=0.1, prevalence=0.2, reviewer=(0.25, 0.75))
    point = hull.at(review)
    assert (point.called, point.reviewed) == ((0.0, 0.5), (0.5, 0.5))
    assert (point.fpr, point.tpr, point.review_rate, point.error_rate) == (0.125, 0.875, 0.5, 0.0)
    assert point.expected_cost(review) == pytest.approx(0.8 * 2 * 0.125 + 0.2 * 4 * 0.125 + 0.05)
    costs = rh.ExpectedCost(prevalence=0.2)
    assert point.expected_cost(costs) == costs.cost(0.125, 0.875)
    never, dear = hull.at(costs), rh.ExpectedCost(2, 4, 0.2)
    assert never.expected_cost(review) == pytest.approx(never.expected_cost(dear))
    everything = hull.at(rh.Review(cost_review=0, max_error=0, cost_fn=9, cost_fp=9))
    assert everything.review_rate == 0.5
    constant = rh.roc_hull([0, 1], [1, 1]).at(rh.Review())
    assert constant.review_rate == 1
    assert math.isnan(constant.error_rate)
    assert str(constant.rules[0][0]) == "review always"
    assert constant.rates_told == "fpr 0, tpr 1, reviewed 1, nothing is decided"


@pytest.mark.parametrize("prevalence", [0, 1])
@pytest.mark.parametrize(
    "limits", [{}, {"max_share": 0.5}, {"max_error": 0.1}, {"max_share": 0.1, "max_error": 0.0}]
)
def test_one_class_alone_needs_no_review(prevalence, limits):
    hull = rh.roc_hull([1, 0, 1, 0, 1], [0.9, 0.8, 0.7, 0.1, 0.1])
    point = hull.at(rh.Review(prevalence=prevalence, **limits))
    assert point.review_rate == 0
    assert point.error_rate == 0


def test_what_is_refused():
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    for wrong, said in (
        ({"cost_review": -1}, "cost_review"),
        ({"max_share": 2}, "max_share"),
        ({"reviewer": 0.9}, "reviewer must be a pair"),
        ({"reviewer": (0, 2)}, "reviewer's tpr"),
        ({"cost_fp": 0, "cost_fn": 0, "cost_review": 0}, "nothing costs anything"),
    ):
        with pytest.raises(ValueError, match=said):
            rh.Review(**wrong)
    with pytest.raises(rh.ImpreciseConditionError, match="cost_review"):
        hull.at(rh.Review(cost_review=(0.1, 0.2)))
    hybrid = rh.Hybrid().add("a", [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    for ask in (
        lambda: hybrid.regret(rh.Review()),
        lambda: hybrid.sensitivity(rh.Review()),
        lambda: hybrid.restrict(rh.Review()),
        lambda: hull.at(rh.Within(rh.Review(), rh.Recall() >= 0.5)),
    ):
        with pytest.raises((TypeError, ValueError), match=r"third action|limits of its own"):
            ask()
    with pytest.raises(rh.InfeasibleConditionError, match=r"the error is at least 0.25, and .* at least 0.5"):
        hull.at(rh.Review(max_share=0, max_error=0))
    other = rh.roc_hull([1, 0, 1], [0.6, 0.5, 0.4])
    strata = rh.stratify({"u": hull, "v": other})
    with pytest.raises(ValueError, match="thresholds differ by segment"):
        strata.at(rh.Review())


def test_exact_where_floats_would_err():
    """A share that is a block's own is used up without a mixture."""
    y = np.repeat([1, 0, 1, 0, 1, 0], [30, 3, 10, 10, 1, 46])
    score = np.repeat([4, 4, 3, 3, 1, 1], [30, 3, 10, 10, 1, 46])
    hull = rh.roc_hull(y, score)
    share = Fraction(20, 100)
    point = hull.at(rh.Review(cost_review=0.0, max_share=float(share)))
    assert len(point.rules) == 1
    assert point.review_rate == 0.2
    assert point.rules[0][0].high.level == 4
    assert point.rules[0][0].low.level == 3


def test_describes_itself():
    told = rh.Review(max_share=0.1, max_error=0.05, reviewer=(0.1, 0.9), prevalence=0.2).describe()
    assert told == (
        "lowest expected cost: a false positive costs 1, a false negative 1, a review 0.1, prevalence 0.2; at most "
        "0.1 of the cases reviewed; at most 0.05 errors among the others; a reviewer with fpr 0.1 and tpr 0.9"
    )
