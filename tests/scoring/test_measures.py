"""Measures of likelihood-ratios and probabilities, against their definitions and other libraries."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta

import rochull as rh
from adversaries import examples
from rochull._core import validation
from rochull.scoring.measures import prevalence_of
from twins import curve_of, groups_of, pav
from twins_scoring import as_llr, as_probability, class_mean, german, ones, softplus

# --- twins, row by row --------------------------------------------------------------------------


def cllr_twin(y: Any, llr: Any, weights: Any) -> float:
    pos = class_mean([softplus(-x) for x in llr], [v == 1 for v in y], weights)
    neg = class_mean([softplus(x) for x in llr], [v != 1 for v in y], weights)
    return (pos + neg) / (2 * math.log(2))


def dcf_twin(y: Any, llr: Any, weights: Any, condition: rh.ExpectedCost) -> float:
    decided = rh.decide_by_llr(llr, condition)
    pmiss = class_mean([not d for d in decided], [v == 1 for v in y], weights)
    pfa = class_mean(decided, [v != 1 for v in y], weights)
    return condition.cost(pfa, 1 - pmiss)


def min_dcf_twin(y: Any, score: Any, weights: Any, condition: rh.ExpectedCost) -> float:
    points = curve_of(y, score, weights)
    neg, pos = points[-1]
    return min(condition.cost(float(x / neg), float(t / pos)) for x, t in points)


def recalibrated(y: Any, score: Any, weights: Any) -> list[tuple[float, float, float]]:
    """(probability, positives, negatives) of every PAV block, by the slow twin on weights as fractions."""
    groups = groups_of(y, score, weights)
    blocks = pav_of([(pos, neg) for _, pos, neg in groups])
    return [(float(pos / (pos + neg)), float(pos), float(neg)) for pos, neg in blocks]


def pav_of(groups: Any) -> list[Any]:
    """PAV of (positives, negatives) in fractions, from high scores to low."""
    blocks: list[Any] = []
    for pos, neg in groups:
        blocks.append((pos, neg))
        while len(blocks) > 1 and share(blocks[-2]) <= share(blocks[-1]):
            (a, b), (c, d) = blocks.pop(), blocks.pop()
            blocks.append((a + c, b + d))
    return blocks


def share(block: Any) -> Any:
    return block[0] / (block[0] + block[1])


def h_twin(y: Any, score: Any, weights: Any, a: float, b: float) -> float:
    """Hand's H by its definition: the best threshold for each cost, and the mean over costs, numerically."""
    points = curve_of(y, score, weights)
    neg, pos = (float(total) for total in points[-1])
    prevalence = pos / (pos + neg)
    c = (np.arange(200_000) + 0.5) / 200_000
    density = beta.pdf(c, a, b)

    def expected(vertices: Any) -> float:
        costs = [
            c * (1 - prevalence) * float(x) / neg + (1 - c) * prevalence * (1 - float(t) / pos)
            for x, t in vertices
        ]
        return float(np.mean(np.min(costs, axis=0) * density))

    return 1 - expected(points) / expected([points[0], points[-1]])


def test_the_twin_of_pav_is_that_of_the_paper() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        y = rng.integers(0, 2, 12).tolist()
        expected = [(g[2], g[3]) for g in pav(y, [1 - v for v in y])]
        exact = groups_of(y, list(range(12, 0, -1)))
        assert pav_of([(p, q) for _, p, q in exact]) == expected


# --- examples -----------------------------------------------------------------------------------


def close(found: float, expected: float, tolerance: float = 1e-12) -> bool:
    return found == expected or abs(found - expected) <= tolerance * max(1.0, abs(expected))


# --- Cllr ---------------------------------------------------------------------------------------


@given(examples(max_size=100))
def test_cllr_by_its_definition(rows: Any) -> None:
    labels, scores, weights = rows
    llr = as_llr(scores)
    expected = cllr_twin(labels, llr.tolist(), ones(weights, llr.size))
    assert close(rh.cllr(labels, llr, sample_weight=weights), expected)


@given(examples(max_size=100))
def test_minimum_cllr_by_the_slow_pav(rows: Any) -> None:
    labels, scores, weights = rows
    blocks = recalibrated(labels, scores, weights)
    pos, neg = sum(p for _, p, _ in blocks), sum(q for _, _, q in blocks)
    bits = sum(
        p / pos * math.log2(1 + q * pos / (p * neg)) + q / neg * math.log2(1 + p * neg / (q * pos))
        for _, p, q in blocks
        if p and q
    )
    found = rh.min_cllr(labels, scores, sample_weight=weights)
    assert close(found, bits / 2, 1e-11)
    assert 0 <= found <= 1 + 1e-12
    assert found <= rh.cllr(labels, as_llr(scores), sample_weight=weights) + 1e-12


# llreval 0.0.3, on the out-of-fold scores of german_credit_scores:
#   y = (d["class"] == "bad").astype(int); llr = logit(d[name].astype(float)) - logit(0.3)
#   pav = PAV(llr, y); cllr(llr[y == 1], llr[y == 0]), min_cllr(pav), ROCCH(pav).EER()
LLREVAL = {
    "logistic": (0.8072989340096061, 0.7790603554998923, 0.2729347826077152),
    "boosted": (0.9982788590820175, 0.7961783205796938, 0.291538461538203),
    "naive_bayes": (0.8410804762095222, 0.7746589428505417, 0.275620253160607),
}


@pytest.mark.parametrize("name", LLREVAL)
def test_llreval_agrees(name: str) -> None:
    labels, probability = german(name)
    llr = logit(probability) - logit(0.3)
    cllr, least, equal = LLREVAL[name]
    assert rh.cllr(labels, llr) == pytest.approx(cllr, abs=1e-13)
    assert rh.min_cllr(labels, llr) == pytest.approx(least, abs=1e-13)
    assert rh.eer(labels, llr) == pytest.approx(equal, abs=1e-6)  # a numerical maximum there


def test_cllr_is_stable_at_extreme_llrs() -> None:
    # exp(-730) is 1e-317: a quotient of likelihoods overflows there, and the cost does not.
    assert rh.cllr([1, 0], [-730.0, 0.0]) == pytest.approx((730 / math.log(2) + 1) / 2, rel=1e-15)
    assert rh.cllr([1, 0], [0.0, 730.0]) == pytest.approx((730 / math.log(2) + 1) / 2, rel=1e-15)
    assert rh.cllr([1, 0], [-1e4, 1e4]) == pytest.approx(1e4 / math.log(2), rel=1e-15)
    assert rh.cllr([1, 0], [1e4, -1e4]) == 0
    assert rh.cllr([1, 0], [50.0, -50.0]) == pytest.approx(math.exp(-50) / math.log(2), rel=1e-14)
    assert rh.cllr([1, 0], np.array([-7300, 0], np.int64)) == pytest.approx((7300 / math.log(2) + 1) / 2)


def test_cllr_is_infinite_only_where_an_llr_misleads() -> None:
    assert rh.cllr([1, 0], [math.inf, -math.inf]) == 0
    assert rh.cllr([1, 1, 0], [math.inf, 0.0, -math.inf]) == 0.25
    assert rh.cllr([1, 0], [-math.inf, 0.0]) == math.inf
    assert rh.cllr([1, 0], [0.0, math.inf]) == math.inf
    # Not where what misleads weighs nothing.
    assert rh.cllr([1, 1, 0], [-math.inf, 0.0, 0.0], sample_weight=[0, 1, 1]) == 1


@given(examples(max_size=60), st.sampled_from([0.25, 8.0]))
def test_weights_matter_within_a_class_only(rows: Any, factor: float) -> None:
    labels, scores, weights = rows
    weights = ones(weights, labels.size)
    other = np.where(labels == 1, factor * weights, weights)
    llr = as_llr(scores)
    for function in (rh.cllr, rh.min_cllr, rh.eer):
        assert close(
            function(labels, llr, sample_weight=other), function(labels, llr, sample_weight=weights), 1e-11
        )


def test_minimum_cllr_of_perfect_and_useless_scores() -> None:
    assert rh.min_cllr([0, 0, 1, 1], [1, 2, 3, 4]) == 0
    assert rh.min_cllr([0, 0, 1, 1], [4, 3, 2, 1]) == pytest.approx(1, abs=1e-15)
    assert rh.cllr([0, 1], [0, 0]) == 1
    hull = rh.roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    assert rh.LogScore().minimum(hull, 0.5) / math.log(2) == rh.min_cllr([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])


@given(examples(max_size=100))
def test_equal_error_rate_is_the_hulls(rows: Any) -> None:
    labels, scores, weights = rows
    found = rh.eer(labels, scores, sample_weight=weights)
    assert found == rh.roc_hull(labels, scores, sample_weight=weights).eer()
    assert 0 <= found <= 0.5


# --- detection costs ----------------------------------------------------------------------------

PREVALENCES = [0.5, 0.01, 0.9, 0.01, 1e-6, 0.5, 0.3]  # in no order, some of them twice
COSTS = st.sampled_from([(1.0, 1.0), (10.0, 1.0), (0.5, 3.0), (1e-5, 1e5)])


@given(examples(max_size=60), COSTS)
def test_detection_costs_by_their_definition(rows: Any, costs: tuple[float, float]) -> None:
    labels, scores, weights = rows
    llr, each = as_llr(scores), ones(weights, labels.size)
    keywords: dict[str, Any] = {"cost_fp": costs[0], "cost_fn": costs[1], "sample_weight": weights}
    actual = rh.dcf(labels, llr, PREVALENCES, normalise=False, **keywords)
    least = rh.min_dcf(labels, scores, PREVALENCES, normalise=False, **keywords)
    relative = (
        rh.dcf(labels, llr, PREVALENCES, **keywords),
        rh.min_dcf(labels, scores, PREVALENCES, **keywords),
    )
    for i, prevalence in enumerate(PREVALENCES):
        condition = rh.ExpectedCost(*costs, prevalence)
        assert close(actual[i], dcf_twin(labels, llr, each, condition))
        assert close(least[i], min_dcf_twin(labels, scores, weights, condition))
        trivial = min(condition.cost(0, 0), condition.cost(1, 1))
        assert close(relative[0][i], actual[i] / trivial)
        assert close(relative[1][i], least[i] / trivial)
        assert relative[1][i] <= min(1, relative[0][i]) + 1e-12
        assert actual[i] == rh.dcf(labels, llr, prevalence, normalise=False, **keywords)


def test_priors_given_twice_have_one_cost() -> None:
    labels, llr = [1, 1, 1, 0, 0, 0], [2.0, 0.5, -1.0, 1.0, -0.5, -2.0]
    alone = [rh.dcf(labels, llr, p) for p in (0.2, 0.7)]
    assert rh.dcf(labels, llr, [0.7, 0.2, 0.7, 0.7, 0.2]).tolist() == [alone[i] for i in (1, 0, 1, 1, 0)]
    alone = [rh.min_dcf(labels, llr, p) for p in (0.2, 0.7)]
    assert rh.min_dcf(labels, llr, [0.7, 0.2, 0.7, 0.7, 0.2]).tolist() == [alone[i] for i in (1, 0, 1, 1, 0)]
    assert isinstance(rh.dcf(labels, llr, 0.2), float)
    assert isinstance(rh.min_dcf(labels, llr, np.float64(0.2)), float)
    assert rh.dcf(labels, llr, [0.2]).shape == (1,)


@pytest.mark.parametrize(("prevalence", "odds"), [(0.1, 9 / 1), (0.35, 13 / 7), (0.05, 19 / 1)])
def test_a_cost_that_ties_is_not_called_positive(prevalence: float, odds: float) -> None:
    # A prevalence is the decimal that it prints as; log(0.65 / 0.35) in floats is not log(13 / 7).
    llr = np.array([np.log(odds), np.log(odds)])
    assert rh.dcf([1, 0], llr, prevalence) == pytest.approx(1)  # the miss
    assert rh.dcf([1, 0], llr + 1e-12, prevalence) == pytest.approx(odds)  # the false alarm
    assert not rh.decide_by_llr(llr, rh.Accuracy(prevalence)).any()
    rounded = np.nextafter(llr, np.inf)  # what ties to rounding is a tie, here as there
    assert rh.dcf([1, 0], rounded, prevalence) == pytest.approx(1)
    assert not rh.decide_by_llr(rounded, rh.Accuracy(prevalence)).any()
    assert rh.dcf([1, 0], [0, 0], 0.5) == 1


def test_llrs_of_any_type_are_compared_exactly() -> None:
    narrow = np.full(2, np.log(9), np.float32)  # 2.5e-8 above the threshold, and called positive
    assert narrow.astype(float)[0] > np.log(9)
    assert rh.dcf([1, 0], narrow, 0.1) == pytest.approx(9)
    assert rh.dcf([1, 0], np.array([3, 2], np.int8), 0.1) == 0


def test_costs_of_many_priors_and_vertices() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 5000)
    llr = rng.normal(size=5000) + 2 * labels - 1
    prevalence = rng.random(3000)
    for function in (rh.dcf, rh.min_dcf):
        found = function(labels, llr, prevalence, cost_fn=7.0)
        some = rng.integers(0, 3000, 20)
        assert found[some].tolist() == [function(labels, llr, p, cost_fn=7.0) for p in prevalence[some]]
    hull = rh.roc_hull(labels, llr)
    least = rh.min_dcf(labels, llr, prevalence[:50], normalise=False)
    for p, cost in zip(prevalence[:50].tolist(), least, strict=True):
        point = hull.at(rh.Accuracy(p))
        assert cost == pytest.approx(rh.Accuracy(p).cost(point.fpr, point.tpr), abs=1e-15)


def test_the_complement_of_a_prevalence_near_1_is_that_of_its_decimal() -> None:
    # 1 - 2**-53 prints as 0.9999999999999999, so that the negatives are 1e-16 of all, and not 1.1e-16.
    labels, scores = [1] * 100 + [0] * 100, [1.0] * 195 + [0.0] * 5
    prevalence = 1 - 2**-53
    condition = rh.ExpectedCost(cost_fn=1e-16, prevalence=prevalence)
    point = rh.roc_hull(labels, scores).at(condition)
    least = rh.min_dcf(labels, scores, prevalence, cost_fn=1e-16, normalise=False)
    assert least == pytest.approx(condition.cost(point.fpr, point.tpr), rel=1e-14, abs=0)
    relative = rh.min_dcf(labels, scores, prevalence, cost_fn=1e-16)
    assert 0.94 < relative <= 1
    assert rh.dcf(labels, np.zeros(200), prevalence, cost_fn=1e-16) == pytest.approx(1, rel=1e-14)
    for rule in (rh.CostWeighted(0.5), rh.CostWeighted(1 - 1e-9), rh.LogScore()):
        hull = rh.roc_hull(labels, scores)
        mixed = rule.score_llr([1, 0], [-1.0, 1.0], prevalence)
        lost_pos, lost_neg = rule.losses_at_log_odds(np.array([-1.0, 1.0]) + math.log(1e16 - 1))
        assert mixed == pytest.approx(float(lost_pos[0] + 1e-16 * lost_neg[1]), rel=1e-12, abs=0)
        assert rule.minimum(hull, prevalence) <= rule.score_llr(labels, np.zeros(200), prevalence) * (
            1 + 1e-12
        )


def test_costs_that_underflow_or_overflow_are_normalised_exactly() -> None:
    labels, llr = [1, 0, 1, 0], [2.0, 1.0, 0.0, -1.0]
    for prevalence, fp, fn in ((1e-200, 1.0, 1e-200), (0.5, 1e-300, 5e-324), (1e-320, 1e308, 1e-10)):
        never = rh.dcf(labels, llr, prevalence, cost_fp=fp, cost_fn=fn)
        assert (never, rh.min_dcf(labels, llr, prevalence, cost_fp=fp, cost_fn=fn)) == (1, 0.5)
    # "Always" is infinitely dear beside "never", and what it does not do costs nothing.
    wrong = rh.dcf([1, 0], [1e9, 1e9], 1e-300, cost_fn=1e-300)
    assert wrong == math.inf
    assert rh.dcf([1, 0], [1e9, -1e9], 1e-300, cost_fn=1e-300) == 0
    assert rh.dcf([1, 0], [-1e9, -1e9], 1e-200, cost_fn=1e-200, normalise=False) == 0  # 1e-400


def test_costs_of_tiny_prevalences() -> None:
    found = rh.dcf([1, 0], [1e4, -1e4], [1e-300, 1e-9, 1 - 1e-9])
    assert found.tolist() == [0, 0, 0]
    assert rh.dcf([1, 0], [0.0, 0.0], [1e-300, 1e-9]).tolist() == [1, 1]


# --- H measure ----------------------------------------------------------------------------------

# hmeasure 0.1.6, on the out-of-fold scores of german_credit_scores, y = 1 for "bad":
#   [h_score(y, score.astype(float), severity_ratio=r) for r in (1, -1, None, 0.25)]
# which are Beta(2, 2), Hand & Anagnostopoulos's, Beta(2, 1 + 7/3) and Beta(2, 5).
HMEASURE = {
    "naive_bayes": [0.24516711934718938, 0.2605107879693369, 0.29425412842056964, 0.3224377185129651],
    "logistic": [0.2523989045815511, 0.2627903824702269, 0.2929088350565898, 0.31303707874529496],
    "knn": [0.20578667485591873, 0.21261625577186571, 0.2393007564382128, 0.2537287238292455],
    "tree": [0.1889870800731035, 0.18873477749049572, 0.21429337605439547, 0.2173990731649028],
    "boosted": [0.2491719982255265, 0.25290517054134665, 0.27688450681191323, 0.28669439544772146],
}


@pytest.mark.parametrize("name", HMEASURE)
def test_hmeasure_agrees(name: str) -> None:
    labels, score = german(name)
    found = [
        rh.h_measure(labels, score, prior)
        for prior in ("beta22", "hand-anagnostopoulos", (2, 10 / 3), [2, 5.0])
    ]
    assert found == pytest.approx(HMEASURE[name], abs=1e-12)


@pytest.mark.crossed
@pytest.mark.parametrize("prior", [(2, 2), (1, 1), (3.5, 1.5), (1.2, 6)])
@pytest.mark.parametrize("seed", range(3))
def test_h_measure_by_its_definition(prior: tuple[float, float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.append(rng.integers(0, 2, 30), [0, 1])
    scores = np.round(rng.normal(size=32) + labels, 1)
    weights = rng.integers(1, 4, 32) if seed else None
    expected = h_twin(labels, scores, weights, *prior)
    assert rh.h_measure(labels, scores, prior, sample_weight=weights) == pytest.approx(expected, abs=1e-6)


def test_named_priors_of_the_h_measure() -> None:
    labels, scores = [1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.1, 0.2]
    assert rh.h_measure(labels, scores) == rh.h_measure(labels, scores, (2, 2))
    expected = rh.h_measure(labels, scores, (1.4, 1.6))
    assert rh.h_measure(labels, scores, "hand-anagnostopoulos") == pytest.approx(expected, rel=1e-14)
    twice = rh.h_measure(labels, scores, "hand-anagnostopoulos", sample_weight=[2, 1, 2, 1, 1])
    assert twice == pytest.approx(h_twin(labels, scores, [2, 1, 2, 1, 1], 11 / 7, 10 / 7), abs=1e-6)


@given(examples(max_size=60))
def test_h_measure_is_between_none_and_all(rows: Any) -> None:
    labels, scores, weights = rows
    for prior in ("beta22", "hand-anagnostopoulos", (0.5, 7.0)):
        assert 0 <= rh.h_measure(labels, scores, prior, sample_weight=weights) <= 1


def test_h_measure_of_perfect_and_useless_scores() -> None:
    assert rh.h_measure([0, 0, 1, 1], [1, 2, 3, 4]) == 1
    assert rh.h_measure([0, 0, 1, 1], [4, 3, 2, 1]) == pytest.approx(0, abs=1e-15)
    assert rh.h_measure([0, 0, 1, 1], [1, 1, 1, 1]) == pytest.approx(0, abs=1e-15)


# --- decomposition ------------------------------------------------------------------------------

RULES = [
    rh.Brier(),
    rh.LogScore(),
    rh.BetaScore(2.0, 3.0),
    rh.CostWeighted(0.3),
    rh.ScoringRule.from_thresholds([0.2, 0.5, 0.9], [0.5, 0.25, 0.25]),
    rh.ScoringRule(lambda t: 12 * t**2 * (1 - t)),
]


@given(examples(max_size=100), st.sampled_from(RULES))
def test_parts_add_up(rows: Any, rule: Any) -> None:
    labels, scores, weights = rows
    probability = as_probability(scores)
    parts = rh.decompose(labels, probability, rule, sample_weight=weights)
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0
    assert math.isfinite(parts.uncertainty + parts.discrimination)
    assert parts.score == rule.score(labels, probability, weights)
    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert close(total, parts.score)


@given(examples(max_size=60))
def test_parts_by_the_slow_pav(rows: Any) -> None:
    labels, scores, weights = rows
    probability = as_probability(scores)
    blocks = recalibrated(labels, probability, weights)
    total = sum(p + q for _, p, q in blocks)
    rate = sum(p for _, p, _ in blocks) / total
    brier = sum(p * (1 - r) ** 2 + q * r**2 for r, p, q in blocks) / total
    log = sum(-p * math.log(r) - q * math.log1p(-r) for r, p, q in blocks if p and q) / total
    entropy = -rate * math.log(rate) - (1 - rate) * math.log(1 - rate)
    parts = rh.decompose(labels, probability, sample_weight=weights)
    assert close(parts.uncertainty, rate * (1 - rate))
    assert close(parts.discrimination, rate * (1 - rate) - brier)
    parts = rh.decompose(labels, probability, rh.LogScore(), sample_weight=weights)
    assert close(parts.uncertainty, entropy)
    assert close(parts.discrimination, entropy - log, 1e-11)


# model-diagnostics 1.5.0, on the out-of-fold scores of german_credit_scores, y = 1 for "bad":
#   decompose(y, p.astype(float), weights=w, scoring_function=f).row(0)
# with w = None or np.arange(1000) % 7 + 1.0, and f = SquaredError() or LogLoss();
# the columns are miscalibration, discrimination, uncertainty, score.
MODEL_DIAGNOSTICS = {
    ("logistic", "brier", False): (
        0.005025983927351735, 0.050857688572209375, 0.20999999999999994, 0.1641682953551423),
    ("logistic", "brier", True): (
        0.006283714964956139, 0.05005080037128984, 0.21118202925398952, 0.16741494384765582),
    ("logistic", "log", False): (
        0.01689808161156031, 0.12913024203594486, 0.6108643020548934, 0.49863214163050884),
    ("logistic", "log", True): (
        0.021117990393822228, 0.12876066160669153, 0.6133658402141153, 0.505723169001246),
    ("naive_bayes", "brier", False): (
        0.01079948627682803, 0.04998457598642461, 0.20999999999999994, 0.17081491029040335),
    ("naive_bayes", "brier", True): (
        0.010624268005191229, 0.05012399728137934, 0.21118202925398952, 0.1716822999778014),
    ("naive_bayes", "log", False): (
        0.04429170076689842, 0.1294840360688106, 0.6108643020548934, 0.5256719667529812),
    ("naive_bayes", "log", True): (
        0.04535504943153734, 0.1302473288733066, 0.6133658402141153, 0.5284735607723461),
}  # fmt: skip


@pytest.mark.parametrize("case", MODEL_DIAGNOSTICS)
def test_model_diagnostics_agrees(case: tuple[str, str, bool]) -> None:
    name, rule, weighted = case
    labels, probability = german(name)
    weights = np.arange(1000) % 7 + 1.0 if weighted else None
    parts = rh.decompose(
        labels, probability, rh.LogScore() if rule == "log" else rh.Brier(), sample_weight=weights
    )
    found = parts.miscalibration, parts.discrimination, parts.uncertainty, parts.score
    assert found == pytest.approx(MODEL_DIAGNOSTICS[case], abs=1e-13)


@pytest.mark.parametrize("rule", [rh.Brier(), rh.LogScore(), rh.BetaScore(2, 0.5)])
@pytest.mark.parametrize("label", [0, 1])
def test_the_decomposition_of_one_class(rule: Any, label: int) -> None:
    """All is miscalibration: the constant forecast knows the class. By single examples."""
    p, weights = [0.2, 0.5, 0.7], [1.0, 2.0, 5.0]
    alone = [2 * rule.score([label, 1 - label], [value, 1.0 - label]) for value in p]
    for weight in (None, weights):
        found = rh.decompose([label] * 3, p, rule, sample_weight=weight)
        assert found.score == pytest.approx(np.average(alone, weights=weight), rel=1e-12)
        assert (found.miscalibration, found.discrimination, found.uncertainty) == (found.score, 0, 0)
    assert rh.decompose([0, 0], [0.2, 0.5]).score == pytest.approx(0.145, abs=1e-15)
    with pytest.raises(ValueError, match="give pos_label"):
        rh.decompose(["a", "a"], [0.2, 0.5])


def test_what_is_decomposed_is_validated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    real = validation.forecasts
    monkeypatch.setattr(validation, "forecasts", lambda *given: (seen.append(1), real(*given))[1])
    labels, probability = german("boosted")
    for rule in (rh.Brier(), rh.LogScore(), rh.BetaScore(2, 0.5)):
        for weights in (None, np.arange(1000) % 7 + 0.5):
            seen.clear()
            found = rh.decompose(labels, probability, rule, sample_weight=weights)
            assert len(seen) == 1
            assert found.score == rule.score(labels, probability, weights)


def test_an_infinite_score_is_miscalibration() -> None:
    parts = rh.decompose([1, 0, 1, 0], [0.0, 0.5, 1.0, 0.25], rule=rh.LogScore())
    assert (parts.score, parts.miscalibration) == (math.inf, math.inf)
    assert parts.uncertainty == pytest.approx(math.log(2))
    assert 0 < parts.discrimination < parts.uncertainty


def test_parts_of_constant_and_of_perfect_forecasts() -> None:
    constant = rh.decompose([1, 0, 0, 0], [0.25] * 4)
    assert constant == rh.scoring.Decomposition(0.1875, 0.0, 0.0, 0.1875)
    perfect = rh.decompose([1, 0, 0, 0], [1, 0, 0, 0])
    assert perfect == rh.scoring.Decomposition(0.0, 0.0, 0.1875, 0.1875)
    inverted = rh.decompose([1, 0, 0, 0], [0, 1, 1, 1])
    assert inverted == rh.scoring.Decomposition(1.0, 0.8125, 0.0, 0.1875)


def test_prevalence_of_a_hull() -> None:
    labels, scores = [1, 0, 0, 1, 0], [3, 2, 1, 2, 5]
    assert prevalence_of(rh.roc_hull(labels, scores)) == 0.4
    weighted = rh.roc_hull(labels, scores, sample_weight=[0.1, 2, 3, 0.2, 5])
    assert prevalence_of(weighted) == pytest.approx(0.3 / 10.3, rel=1e-15)


def test_tiny_weights_count_in_a_score_as_in_its_minimum() -> None:
    """However light, a weight above zero counts in the hull, and in a mean."""
    labels, llr = [1, 1, 0, 0], np.array([1.0, 2.0, -1.0, np.inf])
    for least, expected in ((0, 0), (1e-300, 1), (1e-20, 1), (2.0**-58, 1), (1.0, 1)):
        weights = [1, 1, 1, least]
        found = rh.cllr(labels, llr, sample_weight=weights)
        curve = rh.scoring.ece_curve(labels, llr, [0.0], sample_weight=weights)
        assert found == pytest.approx(float(curve.actual[0]), rel=1e-14)
        assert found == math.inf if expected else found < 0.4
        parts = rh.decompose(labels, expit(llr), rh.LogScore(), sample_weight=weights)
        assert parts.score == math.inf if expected else parts.score < 0.4
    for scale in (2.0**-400, 2.0**400):  # the unit follows the weights
        tiny = scale * np.array([1, 1, 1, 1e-20])
        assert rh.cllr(labels, llr, sample_weight=tiny) == math.inf


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [rh.Brier, "brier", np.square])
def test_a_rule_is_a_scoring_rule(rule: Any) -> None:
    with pytest.raises(TypeError, match="rule must be a ScoringRule"):
        rh.decompose([0, 1], [0.5, 0.25], rule)


@pytest.mark.parametrize("function", [rh.dcf, rh.min_dcf])
def test_bad_conditions_are_named(function: Any) -> None:
    for prevalence in (0, 1.0, [0.5, 0], [1]):
        with pytest.raises(ValueError, match="prevalence must lie strictly between 0 and 1"):
            function([0, 1], [1, 2], prevalence)
    for prevalence in (-0.1, [0.5, 1.5]):
        with pytest.raises(ValueError, match="prevalence must lie between 0 and 1"):
            function([0, 1], [1, 2], prevalence)
    with pytest.raises(ValueError, match="prevalence has 1 NaN"):
        function([0, 1], [1, 2], math.nan)
    with pytest.raises(ValueError, match="prevalence is empty"):
        function([0, 1], [1, 2], [])
    with pytest.raises(ValueError, match="cost_fp must be positive"):
        function([0, 1], [1, 2], 0.5, cost_fp=0)
    with pytest.raises(ValueError, match="cost_fn must be positive"):
        function([0, 1], [1, 2], 0.5, cost_fn=-1)
    with pytest.raises(ValueError, match="cost_fn must be a finite number"):
        function([0, 1], [1, 2], 0.5, cost_fn=math.inf)


@pytest.mark.parametrize("prior", ["beta", 3, (1, 2, 3), None, "ab"])
def test_an_unknown_prior_is_named(prior: Any) -> None:
    with pytest.raises(ValueError, match="prior must be 'beta22', 'hand-anagnostopoulos' or a pair"):
        rh.h_measure([0, 1], [1, 2], prior)


@pytest.mark.parametrize("prior", [(0, 1), (2, -1), (math.nan, 1)])
def test_parameters_of_a_prior_are_positive(prior: Any) -> None:
    with pytest.raises(ValueError, match="prior must be"):
        rh.h_measure([0, 1], [1, 2], prior)
