"""Performance of a deployed rule on a batch: figures, assumptions, labels, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull.policies.performance import _summed

COST = rh.ExpectedCost(1, 5, 0.1)


def _drawn(n, seed, prevalence=0.1, apart=1.5):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < prevalence
    return y, rng.normal(apart * y)


@pytest.fixture(scope="module")
def policy():
    return rh.Policy.from_hull(rh.roc_hull(*_drawn(8_000, 0)))


def test_counted_rows_are_as_good_as_rows():
    """Cases between two thresholds may be one row: every figure, p-value and look is the same."""
    rng = np.random.default_rng(3)
    y = rng.random(2_000) < 0.2
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    y = rng.random(900) < 0.3
    s = rng.normal(1.5 * y)
    place = np.searchsorted(np.sort([t for t in policy.hull.thresholds if np.isfinite(t)]), s, "right")
    known = np.where(rng.random(900) < 0.4, y, np.nan)
    groups, at, count = np.unique(
        np.stack([place, np.nan_to_num(known, nan=2)]), axis=1, return_index=True, return_counts=True
    )
    condition = rh.ExpectedCost(1, 5, 0.2)
    rows = policy.performance(s, condition, known)
    counted = policy.performance(s[at], condition, known[at], count=count)
    assert groups.shape[1] < 120
    for name in ("label", "covariate", "observed"):
        own, other = getattr(rows, name).to_dict(), getattr(counted, name).to_dict()
        for figure in ("prevalence", "tpr", "fpr", "precision", "expected_cost", "regret", "pvalue"):
            assert other[figure] == pytest.approx(own[figure])
    look, twin = policy.check(s), policy.check(s[at], count=count)
    assert twin.pvalue == look.pvalue
    assert twin.n == 900
    for bad in ([0] * len(at), [1.5] * len(at), [1]):
        with pytest.raises(ValueError, match="count"):
            policy.performance(s[at], condition, count=bad)


@pytest.mark.parametrize("positives", [0, 1, 30])
def test_where_all_cases_are_labelled_they_are_counted(policy, positives):
    """Few positives make no interval of what rests on the negatives wide."""
    rng = np.random.default_rng(positives)
    y = np.arange(200) < positives
    s = rng.normal(1.5 * y)
    found = policy.performance(s, COST, y).observed
    flagged = s >= found_threshold(policy)
    counts = {
        "prevalence": (positives, 200),
        "alarm_rate": (flagged.sum(), 200),
        "fpr": (flagged[~y].sum(), 200 - positives),
    }
    if positives:
        counts["tpr"] = flagged[y].sum(), positives
    for name, (k, n) in counts.items():
        own, exact = getattr(found, name), rh.rate_interval(k, n)
        assert (own.low, own.high) == (exact.low, exact.high), name
    # Both errors at once, each by its own exact interval, hold it.
    wrong, missed = (rh.rate_interval(each.sum(), 200) for each in (flagged & ~y, ~flagged & y))
    low, high = (getattr(wrong, end) + 5 * getattr(missed, end) for end in ("low", "high"))
    assert low <= found.expected_cost.low <= found.expected_cost.estimate <= found.expected_cost.high <= high


@pytest.mark.long
def test_costs_and_benefits_of_counted_cases_are_covered():
    rng = np.random.default_rng(0)
    for cases, prevalence, tpr, fpr, ratio in [
        (60, 0.05, 0.8, 0.1, 5),
        (200, 0.2, 0.95, 0.3, 5),
        (1000, 0.5, 0.95, 0.3, 5),
    ]:
        shares = np.array([prevalence * tpr, (1 - prevalence) * fpr, prevalence * (1 - tpr)])
        prices, worth = np.array([-ratio, 1.0, ratio]), np.array([1.0, -1 / ratio, 0.0])
        told, held = shares + shares[0] * np.array([0, 0, 1]), np.zeros(2)  # as many as are positive
        for right, wrong, missed, _ in rng.multinomial(cases, [*shares, 1 - shares.sum()], 500):
            for i, each in enumerate((prices, worth)):
                low, high = _summed((right, wrong, right + missed, cases), each, 0.95)
                held[i] += low <= each @ told <= high
        assert (held / 500 >= 0.93).all()


def found_threshold(policy):
    return policy.hull.at(COST).rules[0][0].threshold


def test_what_rises_with_the_prevalence_is_told_under_label_shift(policy):
    y, scores = _drawn(5_000, 1, prevalence=0.25)
    found = policy.performance(scores, COST)
    decided = policy.decide(scores, COST)
    cost = (decided & ~y).mean() + 5 * (~decided & y).mean()
    assert found.label.expected_cost.low < cost < found.label.expected_cost.high
    assert found.covariate.expected_cost.high < cost  # which takes another thing for granted
    assert found.pvalue > 0.01
    assert found.observed is None
    assert str(found).startswith("Label shift is not excluded: two figures")
    best = policy.at(rh.ExpectedCost(1, 5, found.label.prevalence.estimate))
    assert (found.label.best.fpr, found.label.best.tpr) == (best.fpr, best.tpr)
    assert 0 < found.label.regret.low < found.label.regret.estimate < found.label.regret.high


def test_cases_that_were_chosen_by_their_scores_exclude_label_shift(policy):
    y, scores = _drawn(40_000, 2)
    kept = np.random.default_rng(0).random(40_000) < 1 / (1 + np.exp(4 - 2 * scores))
    y, scores = y[kept], scores[kept]
    found = policy.performance(scores, COST)
    decided = policy.decide(scores, COST, on_misfit="ignore")
    cost = (decided & ~y).mean() + 5 * (~decided & y).mean()
    assert found.label.is_excluded
    assert found.covariate.expected_cost.low < cost < found.covariate.expected_cost.high
    assert "nothing here can test" in str(found)
    known = np.where(np.arange(len(y)) < 300, y, np.nan)
    found = policy.performance(scores, COST, known)
    assert str(found).startswith("Label shift is excluded, covariate shift is not.")
    assert found.observed.expected_cost.low < cost < found.observed.expected_cost.high


def test_where_both_are_wrong_labels_say_so(policy):
    y, scores = _drawn(5_000, 3, apart=0.5)  # the classes have come closer
    found = policy.performance(scores, COST, y)
    assert found.label.is_excluded
    assert found.covariate.is_excluded
    assert str(found).startswith("Neither assumption holds")
    decided = policy.decide(scores, COST, on_misfit="ignore")
    assert found.observed.tpr.estimate == pytest.approx(decided[y].mean())
    assert found.observed.precision.estimate == pytest.approx(y[decided].mean())
    assert found.n_labelled == found.n == 5_000


@given(st.integers(0, 10_000), st.sampled_from([0.03, 0.3, 0.9]), st.integers(1, 20))
def test_figures_belong_together(seed, prevalence, cost_fn):
    y, s = _drawn(200, seed, 0.3)
    condition = rh.ExpectedCost(2, cost_fn, prevalence)
    found = rh.Policy.from_hull(rh.roc_hull(y, s)).performance(_drawn(100, seed + 1)[1], condition)
    for under in (found.label, found.covariate):
        p, tpr, fpr = (getattr(under, name).estimate for name in ("prevalence", "tpr", "fpr"))
        cost = p * cost_fn * (1 - tpr) + (1 - p) * 2 * fpr
        assert under.expected_cost.estimate == pytest.approx(cost, abs=1e-9)
        assert under.alarm_rate.estimate == pytest.approx(p * tpr + (1 - p) * fpr, abs=1e-9)
        assert under.regret.high <= max(under.expected_cost.high, under.regret.estimate)
        for name in (
            "prevalence",
            "alarm_rate",
            "tpr",
            "fpr",
            "precision",
            "expected_cost",
            "net_benefit",
            "regret",
        ):
            each = getattr(under, name)
            assert math.isnan(each.estimate) or each.low <= each.estimate <= each.high


def test_low_scores_that_are_positive_are_the_same(policy):
    y, s = _drawn(8_000, 0)
    mirrored = rh.Policy.from_hull(rh.roc_hull(y, -s, lower_is_positive=True))
    scores = _drawn(500, 4)[1]
    for one, other in zip(
        (mirrored.performance(-scores, COST)).label.tpr.to_dict().values(),
        policy.performance(scores, COST).label.tpr.to_dict().values(),
        strict=True,
    ):
        assert one == other


def test_a_mixture_of_two_classifiers_adds_what_it_cannot_know():
    rng = np.random.default_rng(5)
    y = rng.random(3_000) < 0.3
    hybrid = rh.Hybrid()
    hybrid.add("a", y, np.where(y & (rng.random(3_000) < 0.4), 3, rng.normal(size=3_000)))
    hybrid.add("b", y, rng.normal(1.2 * y))
    policy = hybrid.policy()
    limits = np.linspace(0.01, 0.6, 200)
    mixed = next(x for x in limits if len(policy.at(rh.NeymanPearson(x)).classifiers) == 2)
    batch = pd.DataFrame({"a": rng.normal(size=400), "b": rng.normal(size=400)})
    found = policy.performance(batch, rh.NeymanPearson(mixed))
    point = policy.at(rh.NeymanPearson(mixed))
    assert found.label.expected_cost is None
    assert found.label.regret is None
    assert (found.label.best.fpr, found.label.best.rules) == (point.fpr, point.rules)
    assert found.label.tpr.low < point.tpr < found.label.tpr.high
    renamed = policy.performance(
        batch.rename(columns={"a": "x"}), rh.NeymanPearson(mixed), columns={"a": "x"}
    )
    assert renamed.label.tpr == found.label.tpr


def test_a_single_threshold_between_vertices_is_judged_by_its_own_rates():
    y, s = _drawn(300, 6, 0.4)
    hull = rh.roc_hull(y, s)
    policy = rh.Policy.from_hull(hull)
    limit = next(
        x for x in np.linspace(0.02, 0.5, 100) if policy.at(rh.NeymanPearson(x), True).source == "curve"
    )
    point = policy.at(rh.NeymanPearson(limit), True)
    found = policy.performance(s, rh.NeymanPearson(limit), y, deterministic=True)
    assert found.observed.tpr.estimate == pytest.approx(point.tpr)
    assert found.observed.fpr.estimate == pytest.approx(point.fpr)
    same = policy.performance(s, point, y)  # a point says nothing of costs
    assert same.observed.tpr == found.observed.tpr


def test_labels_may_be_missing_in_any_way(policy):
    y, scores = _drawn(200, 7, 0.4)
    held = y[:50]
    as_objects = [*held.tolist(), *[None] * 150]
    as_words = [*np.where(held, "bad", "good"), *[None] * 150]
    as_pandas = pd.Series(as_objects, dtype="boolean")
    expected = policy.performance(scores, COST, np.where(np.arange(200) < 50, y, np.nan)).observed
    for given_, label in ((as_objects, None), (as_words, "bad"), (as_pandas, None)):
        found = policy.performance(scores, COST, given_, pos_label=label)
        assert found.n_labelled == 50
        assert found.observed.tpr == expected.tpr


def test_cases_without_a_score_are_left_out(policy):
    scores = _drawn(300, 8)[1]
    holes = np.concatenate([scores, [np.nan] * 20])
    assert policy.performance(holes, COST) == policy.performance(scores, COST)


def test_refusals(policy):
    y, scores = _drawn(100, 9, 0.4)
    with pytest.raises(ValueError, match="y_true has 99 rows, but scores has 100"):
        policy.performance(scores, COST, y[:99])
    with pytest.raises(ValueError, match="reviews"):
        policy.performance(scores, rh.Review(1, 5, 0.1, prevalence=0.1))
    with pytest.raises(ValueError, match="batch as a whole"):
        policy.performance(scores, rh.Capacity(cases=10, population=100, prevalence=0.1))
    with pytest.raises(ValueError, match="must have two classes"):
        policy.performance(scores, COST, np.arange(100))
    with pytest.raises(ValueError, match="has no case with a score"):
        policy.performance(np.full(5, np.nan), COST)
    weighted = rh.Policy.from_hull(rh.roc_hull(y, scores, sample_weight=np.linspace(1, 2, 100)))
    with pytest.raises(ValueError, match="holds no numbers of examples"):
        weighted.performance(scores, COST)
    indexed = pd.Series(y, index=range(99, -1, -1))
    with pytest.raises(ValueError, match="index"):
        policy.performance(pd.Series(scores), COST, indexed)


def test_nothing_given_is_changed(policy):
    y, scores = _drawn(100, 10, 0.4)
    known = np.where(np.arange(100) < 50, y, np.nan)
    before = scores.copy(), known.copy()
    policy.performance(scores, COST, known)
    assert np.array_equal(scores, before[0])
    assert np.array_equal(known, before[1], equal_nan=True)


@pytest.mark.filterwarnings("error")
def test_at_the_ends_there_are_numbers_too(policy):
    _, scores = _drawn(100, 11)
    for prevalence in (0.0, 1.0):
        found = policy.performance(scores, rh.ExpectedCost(1, 5, prevalence))
        assert found.covariate.prevalence.estimate == prevalence
        assert found.covariate.expected_cost.estimate >= 0
    assert policy.performance(scores, COST, [None] * 100) == policy.performance(scores, COST)
    one = policy.performance(scores[:1], COST)
    assert one.n == 1
    assert one.pvalue is None


def test_an_estimate_does_not_drift_while_labels_arrive() -> None:
    """Positives are labelled later: each label counts by how many of its class have one by then."""
    rng = np.random.default_rng(0)
    y = rng.random(1_000) < 0.2
    policy = rh.Policy.from_hull(rh.roc_hull(y, rng.normal(1.5 * y)))
    errors = []
    for _ in range(20):
        y = (rng.random(600) < 0.2).astype(int)
        score, arrived = rng.normal(1.5 * y), np.array([0.8, 0.4])[y]
        known = np.where(rng.random(600) < arrived, y, np.nan)
        both = [
            policy.performance(score, rh.ExpectedCost(1, 5, 0.2), known, sample_weight=weight).observed
            for weight in (1 / arrived, None)
        ]
        errors.append([one.prevalence.estimate - y.mean() for one in both])
    bias, spread = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert abs(bias[0]) < 0.55 * spread[0]  # two and a half standard errors
    assert bias[1] < -2 * spread[1]


def test_the_best_rule_has_figures_of_its_own(policy):
    """Where all are labelled they are counted, in wider intervals; of the deployed rule they are its own."""
    y, scores = _drawn(3_000, 2, prevalence=0.3)
    found = policy.performance(scores, COST, y).observed
    called = scores >= found.best.rules[0][0].threshold
    figures = found.best_figures
    assert figures["tpr"].estimate == pytest.approx(called[y].mean())
    assert figures["expected_cost"].estimate == pytest.approx(
        found.expected_cost.estimate - found.regret.estimate
    )
    alone = policy.performance(scores, found.best, y).observed.tpr
    assert figures["tpr"].low < alone.low < alone.high < figures["tpr"].high
    assert figures["tpr"].level == 0.95
    same = policy.performance(scores, COST).covariate
    assert all(each == getattr(same, name) for name, each in same.best_figures.items())


def test_so_many_more_labels_halve_the_interval(policy):
    y, scores = _drawn(5_000, 4, prevalence=0.2)

    def known(n):
        return policy.performance(scores, COST, np.where(np.arange(5_000) < n, y, np.nan))

    found = known(300)
    wide, less = (each.observed.expected_cost for each in (found, known(300 + found.labels_to_halve)))
    assert 600 < found.labels_to_halve < 1_500
    assert less.high - less.low == pytest.approx((wide.high - wide.low) / 2, rel=0.15)
    assert known(4_000).labels_to_halve is None
    assert policy.performance(scores, COST).labels_to_halve is None
