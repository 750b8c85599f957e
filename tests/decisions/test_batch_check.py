"""A look at a batch before it is decided."""

import math
import warnings

import numpy as np
import pytest

import rochull as rh
from rochull.decisions.batch_check import MisfitError
from rochull.decisions.guard import Counted, Watch
from rochull.decisions.promises import ENOUGH, LEAST_CASES, Promise

COST = rh.ExpectedCost(1, 5, 0.2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def scored(n, prevalence, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < round(n * prevalence)
    return y, rng.normal(2.0 * y - 2)


@pytest.fixture(scope="module")
def shares():
    """A policy of probabilities."""
    y, logits = scored(3_000, 0.3, 0)
    return rh.Policy.from_hull(rh.roc_hull(y, sigmoid(logits)))


@pytest.fixture(scope="module")
def logits():
    return rh.Policy.from_hull(rh.roc_hull(*scored(3_000, 0.3, 0)))


BATCH = scored(1_000, 0.4, 1)[1]


@pytest.mark.parametrize(("looks", "other"), [
    ("percent", 100 * sigmoid(BATCH)), ("logits", BATCH), ("reversed", sigmoid(-BATCH)),
    ("constant", np.full(80, 0.41)), (None, np.r_[np.zeros(300), np.ones(300)]),
])  # fmt: skip
def test_it_says_what_scores_of_another_kind_look_like(shares, looks, other):
    found = shares.check(other)
    assert found.other_kind
    assert (found.looks, found.classifier) == (looks, "score")
    words = {"percent": "percentages", "logits": "log-odds", "reversed": "low ones", "constant": "one number"}
    with pytest.warns(rh.MisfitWarning, match=words.get(looks, "not a mixture of the classes")) as caught:
        shares.decide(other, COST)
    assert {warning.filename for warning in caught} == {__file__}


def test_scores_that_have_drifted_too_are_still_percentages(shares):
    drifted = sigmoid(scored(6_000, 0.3, 3)[1] * 1.12)
    assert 1e-9 < shares.check(drifted).pvalue < 5e-4
    assert shares.check(drifted).looks is None
    assert shares.check(100 * drifted).looks == "percent"


def test_probabilities_in_place_of_logits(logits):
    found = logits.check(sigmoid(BATCH))
    assert (found.looks, found.other_kind) == ("probabilities", True)
    assert logits.check(BATCH[::-1]).pvalue > 0.01
    assert logits.check(-3 - BATCH).looks is None


@pytest.mark.parametrize("prevalence", [0, 0.02, 0.9])
def test_another_prevalence_is_no_other_kind(shares, prevalence):
    _, batch = scored(2_000, prevalence, 2)
    assert shares.check(sigmoid(batch)).pvalue > 0.01
    shares.decide(sigmoid(batch), COST)


def test_what_is_done_with_another_kind(shares):
    other = sigmoid(BATCH) * 100
    for choice in ("keep", "warn"):
        with pytest.warns(rh.MisfitWarning):
            decided = shares.decide(other, COST, on_misfit=choice)
        assert decided.tolist() == (other >= shares.at(COST).rules[0][0].threshold).tolist()
    with pytest.raises(MisfitError, match="not a mixture"):
        shares.decide(other, COST, on_misfit="refuse")
    with pytest.raises(
        ValueError, match='on_misfit must be "keep", "warn", "refuse" or "ignore", but is \'stop\''
    ):
        shares.decide(other, COST, on_misfit="stop")
    assert shares.decide(other, COST, on_misfit="ignore").all()


@pytest.mark.parametrize("asked", [rh.Capacity(cases=30), rh.Review(1, 5, 0.2, 0.3, max_cases=20)])
def test_what_a_batch_keeps_is_looked_at_too(shares, asked):
    with pytest.warns(rh.MisfitWarning, match="percentages"):
        shares.decide(sigmoid(BATCH) * 100, asked, random_state=0)
    assert shares.check(sigmoid(BATCH), asked).pvalue > 0.01


def test_small_batches_are_not_tested(shares):
    few = np.full(LEAST_CASES - 1, 99.0)
    assert math.isnan(shares.check(few).pvalue)
    shares.decide(few, COST)
    missing = np.append(few, [np.nan] * 40)
    assert math.isnan(shares.check(missing).pvalue)
    with pytest.warns(rh.MisfitWarning):
        shares.decide(np.full(LEAST_CASES, 99.0), COST)


def test_of_many_an_evenly_drawn_sample_is_enough(shares):
    many = np.tile(sigmoid(BATCH[:10]), 2 * ENOUGH // 10)
    every_second = shares.check(np.repeat(many[::2], 2)[: many.size])
    assert shares.check(many[::2]).pvalue == every_second.pvalue < 5e-4


def test_where_examples_were_not_counted_nothing_is_tested():
    y, scores = scored(400, 0.3, 0)
    given = rh.roc_hull(y, scores, sample_weight=np.full(y.size, 0.3))
    policy = rh.Policy.from_hull(given)
    assert math.isnan(policy.check(100 * scores).pvalue)
    assert str(policy.check(100 * scores)) == "400 cases: scores not tested"
    policy.decide(100 * scores, COST)


def test_each_classifier_is_tested(shares):
    y, good = scored(2_000, 0.3, 3)
    weak = good + np.random.default_rng(4).normal(size=y.size)
    hybrid = rh.Hybrid()
    hybrid.add("good", y, good)
    hybrid.add("weak", y, np.where(good > 0, 5.0, 0.0) + np.tanh(weak))
    policy = hybrid.policy()
    columns = {"good": good, "weak": np.where(good > 0, 5.0, 0.0) + np.tanh(weak)}
    assert policy.check(columns).pvalue > 0.01
    for name in policy.hull.classifiers:
        found = policy.check({**columns, name: 100 * columns[name] + 20})
        assert (found.classifier, found.other_kind) == (name, True)


# --- the share that was stated --------------------------------------------------------------------------


def test_a_share_that_was_stated(shares):
    rule = rh.Capacity(fraction=0.05, prevalence=0.3)
    _, batch = scored(5_000, 0.3, 6)
    found = shares.check(sigmoid(batch), rule, random_state=0)
    assert found.expected_share == pytest.approx(0.05)
    assert found.share == np.mean(shares.decide(sigmoid(batch), rule, random_state=0))
    assert found.share_pvalue > 0.01
    more = sigmoid(scored(5_000, 0.6, 6)[1])
    with pytest.warns(rh.MisfitWarning, match=r"flag 5 % .*: there are more positives. .* cases=250\."):
        shares.decide(more, rule, random_state=0)
    with pytest.warns(rh.MisfitWarning) as caught:
        shares.decide(100 * more, rule, random_state=0)
    assert ["percentages" in str(each.message) for each in caught] == [True, False]
    assert "the scores are of another kind. A number of cases" in str(caught[1].message)
    same = rh.Recall(), [rh.AlarmRate(prevalence=0.3) <= 0.05]
    with pytest.warns(rh.MisfitWarning, match="are flagged where the rule was to flag"):
        shares.decide(more, same[0], subject_to=same[1], random_state=0)


def test_no_share_is_stated(shares):
    more = sigmoid(scored(5_000, 0.6, 6)[1])
    for condition in (rh.NeymanPearson(0.05), COST, shares.at(rh.Capacity(fraction=0.05, prevalence=0.3))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shares.decide(more, condition, random_state=0)
        assert math.isnan(shares.check(more, condition).share_pvalue)
    found = shares.check(more, COST)
    point = shares.at(COST)
    assert found.expected_share == pytest.approx(0.2 * point.tpr + 0.8 * point.fpr)


def test_a_share_of_reviews_that_was_stated(shares):
    rule = rh.Review(5, 1, 0.01, 0.3, max_share=0.05)
    batch, point = sigmoid(scored(5_000, 0.3, 6)[1]), shares.at(rule)
    found, decided = shares.check(batch, rule, random_state=0), shares.decide(batch, rule, random_state=0)
    assert found.expected_review_share == pytest.approx(point.review_rate) == pytest.approx(0.05)
    assert (found.review_share, found.share) == (np.mean(decided == "review"), np.mean(decided == "positive"))
    assert found.expected_share == pytest.approx(0.3 * point.called[1] + 0.7 * point.called[0])
    assert found.review_pvalue > 0.01
    assert math.isnan(found.share_pvalue)  # no limit on what is flagged was stated
    assert found.facts()["reviews"]["expected"] == found.expected_review_share
    assert str(found).endswith(f"; reviewed {found.review_share:.3g}, expected 0.05")
    more = sigmoid(scored(5_000, 0.8, 6)[1])
    with pytest.warns(
        rh.MisfitWarning, match=r"reviewed where .* review 5 % .*: .* fewer, positives.* max_c"
    ):
        shares.decide(more, rule, random_state=0)
    assert shares.check(more, rule, random_state=0).pvalue > 0.01
    with pytest.raises(MisfitError, match="reviewed where the rule was to review 5 %"):
        shares.decide(more, rule, random_state=0, on_misfit="refuse")
    no_limit = rh.Review(5, 1, 0.01, 0.3)
    assert math.isnan(shares.check(more, no_limit).review_pvalue)
    assert shares.check(more, no_limit).expected_review_share == pytest.approx(
        shares.at(no_limit).review_rate
    )


def test_what_is_flagged_lies_between_the_rates_of_the_classes():
    watch = Watch((), {"positive": Promise((90.0, 100), (30.0, 300))})

    def pvalue(size, called):
        return watch.judged(Counted(size, (), {"positive": called}, lambda kind: None)).pvalue

    assert pvalue(1_000, 500) == 1
    assert max(pvalue(1_000, 990), pvalue(1_000, 20)) < 5e-4
    assert math.isnan(pvalue(30, 30))
    assert pvalue(10_000_000, 9_900_000) == pvalue(ENOUGH, 99_000)


# --- other policies -------------------------------------------------------------------------------------


def test_a_policy_by_segment_looks_at_what_it_flags():
    rng = np.random.default_rng(0)
    y = np.arange(3_000) % 4 == 0
    kind = np.array(["x", "y"])[rng.integers(2, size=y.size)]
    scores = sigmoid(rng.normal(2.0 * y - 1))
    policy = rh.ErrorRedistribution().fit(scores, y, aux={"kind": kind}).policy(name="m")
    rule = rh.Capacity(fraction=0.1, prevalence=0.25)
    policy.decide({"m": scores, "kind": kind}, rule, random_state=0)
    with pytest.warns(rh.MisfitWarning) as caught:
        policy.decide({"m": 100 * scores, "kind": kind}, rule, random_state=0)
    assert ["not a mixture" in str(each.message) for each in caught] == [True, False]
    with pytest.raises(MisfitError):
        policy.decide({"m": 100 * scores, "kind": kind}, rule, random_state=0, on_misfit="refuse")
    point = policy.at(rule)
    assert policy.watch(point, point).promises == {}  # whose rates are they?


def test_a_cascade_looks_at_the_scores_that_all_cases_have():
    rng = np.random.default_rng(0)
    y = np.arange(3_000) % 4 == 0
    scores = {"cheap": rng.normal(1.0 * y), "dear": rng.normal(2.0 * y)}
    policy = rh.Cascade({"cheap": 0, "dear": 0.1}).fit(scores, y).policy()
    policy.decide(scores, COST)
    asked = {"cheap": 1.6 * scores["cheap"], "dear": lambda rows: scores["dear"][rows]}
    with pytest.warns(rh.MisfitWarning, match="scores of 'cheap' are not a mixture"):
        policy.decide(asked, COST)
    with pytest.raises(MisfitError):
        policy.decide(asked, COST, on_misfit="refuse")


def test_what_knows_no_examples_does_not_look(shares):
    point = shares.at(COST)
    fixed = rh.policies.FixedPolicy.from_point(point)
    assert fixed.decide(np.full(200, 99.0)).all()
    assert fixed.watch().kinds == ()
