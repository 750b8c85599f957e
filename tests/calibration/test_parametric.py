"""Logistic and beta calibration: independent optima, other libraries' numbers, invariances, edges."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import rochull as rh
from adversaries import examples
from calibrator_cases import LABELS, PROBABILITY
from profiles import tries

pytestmark = pytest.mark.filterwarnings("ignore:.*the AUC is:UserWarning")  # of whatever is drawn

Array = np.ndarray[Any, Any]
EPS = np.finfo(float).eps

# --- an independent optimum: every example is a row, and SciPy minimises ---------------------------


class Problem:
    """The weighted cross-entropy of rows (n, k), written from its definition."""

    def __init__(self, rows: Array, labels: Array, weights: Array | None, prior: float | None, platt: bool):
        weights = np.ones(len(labels)) if weights is None else weights
        n_pos, n_neg = weights[labels == 1].sum(), weights[labels == 0].sum()
        pi = n_pos / (n_pos + n_neg) if prior is None else prior
        self.weights = np.where(labels == 1, pi / n_pos, (1 - pi) / n_neg) * weights
        self.targets = labels.astype(float)
        if platt:
            self.targets = np.where(labels == 1, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        self.prior = float(self.weights @ self.targets)  # which LLRs are relative to
        self.rows = rows

    def loss(self, log_odds: Array) -> float:
        up, down = np.logaddexp(0, -log_odds), np.logaddexp(0, log_odds)
        return float(self.weights @ (self.targets * up + (1 - self.targets) * down))

    def gradient(self, coef: Array) -> Array:
        z = self.rows @ coef
        return self.rows.T @ (self.weights * ((1 - self.targets) * expit(z) - self.targets * expit(-z)))

    def solve(self, start: Array, bounds: list[tuple[float | None, float | None]] | None = None) -> Any:
        return minimize(
            lambda coef: self.loss(self.rows @ coef), start, jac=self.gradient, bounds=bounds,
            method="L-BFGS-B", options={"ftol": 1e-17, "gtol": 1e-14, "maxiter": 10_000, "maxls": 100},
        )  # fmt: skip


def beta_rows(probability: Array, parameters: str) -> tuple[Array, list[tuple[float | None, float | None]]]:
    """Columns of the regression, and the bounds of its coefficients."""
    p = np.clip(probability, EPS, 1 - EPS)
    up, down, one = np.log(p), -np.log(1 - p), np.ones(len(p))
    if parameters == "abm":
        return np.column_stack([up, down, one]), [(0, None), (0, None), (None, None)]
    if parameters == "am":
        return np.column_stack([up + down, one]), [(0, None), (None, None)]
    return np.column_stack([np.log(2 * p), -np.log(2 * (1 - p))]), [(0, None), (0, None)]


def mixed(rng: np.random.Generator, n: int) -> tuple[Array, Array, Array | None]:
    """Scores of overlapping classes (two pairs in the wrong order), labels and perhaps weights."""
    labels = rng.integers(0, 2, n)
    labels[:4] = [0, 1, 0, 1]
    scores = rng.normal(size=n) + rng.uniform(-2, 2) * labels
    scores[:4] = [-1, -2, 2, 1]
    scores[4:6] = scores.min() - 1, scores.max() + 1
    labels[4:6] = [1, 0]
    weights = None if rng.random() < 0.5 else rng.gamma(1.0, size=n) + 0.01
    return scores, labels, weights


PRIORS = st.sampled_from([None, 0.5, 0.1, 1e-4])
TARGETS = st.sampled_from(["labels", "platt"])


@given(st.integers(0, 2**32), st.integers(6, 200), PRIORS, TARGETS)
@tries(60)
def test_logistic_is_the_optimum(seed: int, n: int, prior: float | None, targets: str) -> None:
    scores, labels, weights = mixed(np.random.default_rng(seed), n)
    problem = Problem(np.column_stack([scores, np.ones(n)]), labels, weights, prior, targets == "platt")
    found = rh.LogisticCalibrator(prior, targets).fit(scores, labels, sample_weight=weights)
    best = problem.solve(np.array([0.0, logit(problem.prior)])).x
    # L-BFGS-B stops at a relative change of the loss; where the curvature is small that is the coarser side.
    assert problem.loss(found.llr(scores) + logit(problem.prior)) <= problem.loss(problem.rows @ best) * (
        1 + 1e-13
    )
    ours = np.array([found.slope_, found.intercept_ + logit(problem.prior)])
    np.testing.assert_allclose(problem.gradient(ours), 0, atol=1e-13)
    if prior in (None, 0.5):
        np.testing.assert_allclose(ours, best, rtol=1e-6, atol=1e-6)


@given(st.integers(0, 2**32), st.integers(6, 200), PRIORS, TARGETS, st.sampled_from(["abm", "am", "ab"]))
@tries(60)
def test_beta_is_the_optimum(seed: int, n: int, prior: float | None, targets: str, parameters: str) -> None:
    rng = np.random.default_rng(seed)
    scores, labels, weights = mixed(rng, n)
    probability = expit(rng.choice([0.5, 2.0]) * scores)
    if rng.random() < 0.3:
        probability = probability.round(1)
    rows, bounds = beta_rows(probability, parameters)
    problem = Problem(rows, labels, weights, prior, targets == "platt")
    found = rh.BetaCalibrator(parameters, prior, targets).fit(probability, labels, sample_weight=weights)
    best = min((problem.solve(np.full(rows.shape[1], s), bounds) for s in (0.1, 1.0)), key=lambda r: r.fun)
    log_odds = found.llr(probability) + logit(problem.prior)
    assert problem.loss(log_odds) <= best.fun * (1 + 1e-10)
    assert found.a_ >= 0
    assert found.b_ >= 0
    if prior in (None, 0.5):
        np.testing.assert_allclose(expit(log_odds), expit(rows @ best.x), atol=2e-5)


def test_the_stored_map_is_the_one_that_is_used() -> None:
    line = rh.LogisticCalibrator().fit(logit(PROBABILITY), LABELS)
    np.testing.assert_allclose(line.llr([-2.0, 3.0]), line.slope_ * np.array([-2, 3]) + line.intercept_)
    beta = rh.BetaCalibrator().fit(PROBABILITY, LABELS)
    expected = beta.a_ * math.log(0.2) - beta.b_ * math.log(0.8) + beta.intercept_
    assert beta.llr([0.2])[0] == pytest.approx(expected, abs=1e-12)


# --- what other libraries give ---------------------------------------------------------------------

# betacal 1.1.0, the package of the paper's authors. Its solver stops at a gradient of 1e-4:
#   BetaCalibration(parameters).fit(PROBABILITY, labels).predict([0, 0.05, 0.3, 0.5, 0.8, 1])
NEW = [0.0, 0.05, 0.3, 0.5, 0.8, 1.0]
BETACAL = {
    "abm": [3.000116214142389e-05, 0.15618073980014285, 0.3245870185520123, 0.4839284831449644,
            0.81981543888414, 1.0],
    "am": [1.9954184594750012e-13, 0.09473696338527876, 0.3664835834566844, 0.535805034531595,
           0.7813762998587728, 0.9999999999998503],
    "ab": [4.173474782105991e-06, 0.15269534856004519, 0.33735643468372983, 0.5, 0.8239208934635198, 1.0],
}  # fmt: skip


@pytest.mark.parametrize("parameters", BETACAL)
def test_beta_agrees_with_betacal(parameters: str) -> None:
    found = rh.BetaCalibrator(parameters).fit(PROBABILITY, LABELS).posterior(NEW)
    np.testing.assert_allclose(found, BETACAL[parameters], atol=5e-5)
    np.testing.assert_allclose(logit(found[:5]), logit(BETACAL[parameters][:5]), atol=2e-3)


def test_a_negative_coefficient_is_dropped_as_in_betacal() -> None:
    labels = [0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0]
    calibrator = rh.BetaCalibrator().fit(PROBABILITY, labels)
    # The same call with these labels; its map_ is (1.6367, 0, 0.4716).
    expected = [8.207435848243154e-26, 0.024772647435425753, 0.3229224600118139, 0.5239043200027154,
                0.7036919421957939, 0.773846246717772]  # fmt: skip
    np.testing.assert_allclose(calibrator.posterior(NEW), expected, atol=5e-5)
    assert calibrator.a_ == pytest.approx(1.6366911905639647, abs=1e-4)
    assert calibrator.b_ == 0


def test_platts_method_agrees_with_scikit_learn() -> None:
    # sklearn.calibration._SigmoidCalibration has Platt's targets; scikit-learn 1.9.1:
    #   fitted = _SigmoidCalibration().fit(logit(PROBABILITY), LABELS); -fitted.a_, -fitted.b_
    expected = (0.5692839974122652, 0.09842487861793006)
    found = rh.LogisticCalibrator(targets="platt").fit(logit(PROBABILITY), LABELS)
    assert (found.slope_, found.intercept_) == pytest.approx(expected, abs=1e-5)  # half of the labels are 1
    rng = np.random.default_rng(0)
    scores, labels, _ = mixed(rng, 500)
    prior = rh.LogisticCalibrator().fit(scores, labels).prevalence_
    theirs = LogisticRegression(C=np.inf, tol=1e-10).fit(scores[:, None], labels)
    plain = rh.LogisticCalibrator().fit(scores, labels)
    assert plain.slope_ == pytest.approx(theirs.coef_[0, 0], abs=1e-6)
    assert plain.intercept_ == pytest.approx(theirs.intercept_[0] - logit(prior), abs=1e-6)


def test_the_sigmoid_of_platts_method_holds_at_the_mean_target() -> None:
    # sklearn.calibration._SigmoidCalibration of unbalanced classes, scikit-learn 1.9.1:
    #   fitted = _SigmoidCalibration().fit(scores, labels); fitted.predict(scores[:4])
    theirs = [0.026786860690612844, 0.019658740323397945, 0.0664446872913872, 0.049297985275222944]
    scores, labels, _ = mixed(np.random.default_rng(5), 40)
    labels = labels & (np.arange(40) % 5 == 0)
    found = rh.LogisticCalibrator(targets="platt").fit(scores, labels)
    P, N = int(labels.sum()), int((1 - labels).sum())
    mean = (P * (P + 1) / (P + 2) + N / (N + 2)) / (P + N)
    assert abs(mean - P / (P + N)) > 0.01
    np.testing.assert_allclose(found.posterior(scores[:4], prevalence=mean), theirs, atol=1e-6)
    # At the training proportion by Bayes' rule.
    expected = expit(logit(theirs) - logit(mean) + logit(P / (P + N)))
    np.testing.assert_allclose(found.posterior(scores[:4]), expected, atol=1e-6)


@pytest.mark.parametrize("prior", [None, 0.5, 0.1])
@pytest.mark.parametrize("targets", ["labels", "platt"])
def test_scores_that_say_nothing_get_llrs_of_zero(prior: float | None, targets: str) -> None:
    labels = np.append(1, np.zeros(1000, int))
    for calibrator in (
        rh.LogisticCalibrator(prior, targets),
        rh.BetaCalibrator("abm", prior, targets),
        rh.BetaCalibrator("am", prior, targets),
    ):
        fitted = calibrator.fit(np.full(1001, 0.3), labels)
        assert fitted.llr([0.1, 0.3, 0.9]).tolist() == [0, 0, 0]
        assert fitted.posterior([0.3])[0] == pytest.approx(1 / 1001)


def test_midpoint_of_ab_is_one_half_at_the_mean_target() -> None:
    calibrator = rh.BetaCalibrator("ab", prevalence=0.2, targets="platt").fit(PROBABILITY, LABELS)
    mean = 0.2 * 9 / 10 + 0.8 / 10  # of eight positives and eight negatives
    assert calibrator.posterior([0.5], prevalence=mean)[0] == pytest.approx(0.5, abs=1e-12)


def test_prior_weighted_line_agrees_with_lir() -> None:
    # lir 1.3.1 has the prior 1/2 (class_weight="balanced"), in log10:
    #   LogitCalibrator(C=1e12, tol=1e-12).fit(logit(PROBABILITY), labels).transform(logit([0.1, 0.5, 0.9]))
    labels = np.where(PROBABILITY < 0.5, 0, LABELS)
    labels[2] = 1
    found = rh.LogisticCalibrator(prevalence=0.5).fit(logit(PROBABILITY), labels)
    expected = [-0.8148558741235955, 0.018498533290869944, 0.8518529407053356]
    np.testing.assert_allclose(found.llr(logit([0.1, 0.5, 0.9])) / math.log(10), expected, atol=1e-6)


# --- what does not change a map -------------------------------------------------------------------


@given(st.integers(0, 2**32), TARGETS)
@tries(20)
def test_a_chosen_prior_makes_the_training_proportion_irrelevant(seed: int, targets: str) -> None:
    scores, labels, _ = mixed(np.random.default_rng(seed), 60)
    weights = np.where(labels == 1, 7.0, 1.0)
    plain = rh.LogisticCalibrator(0.3, targets).fit(scores, labels)
    weighted = rh.LogisticCalibrator(0.3, targets).fit(scores, labels, sample_weight=weights)
    if targets == "labels":  # Platt's targets do depend on the numbers of examples
        np.testing.assert_allclose(weighted.llr(scores), plain.llr(scores), atol=1e-9)
    assert weighted.prevalence_ == pytest.approx(7 * labels.sum() / weights.sum())
    other = rh.LogisticCalibrator(0.9, targets).fit(scores, labels)
    assert np.abs(other.llr(scores) - plain.llr(scores)).max() > 1e-6


@pytest.mark.parametrize(
    "calibrator", [rh.LogisticCalibrator(), rh.BetaCalibrator(), rh.BetaCalibrator("ab")]
)
def test_integer_weights_repeat_and_zero_weights_remove(calibrator: Any) -> None:
    repeats = np.array([1, 2, 1, 0, 3, 1, 1, 2, 1, 1, 0, 1, 2, 1, 1, 1])
    weighted = clone(calibrator).fit(PROBABILITY, LABELS, sample_weight=repeats)
    repeated = clone(calibrator).fit(np.repeat(PROBABILITY, repeats), np.repeat(LABELS, repeats))
    np.testing.assert_allclose(weighted.llr(PROBABILITY), repeated.llr(PROBABILITY), atol=1e-9)
    assert weighted.prevalence_ == pytest.approx(repeated.prevalence_)


@given(st.floats(1e-100, 1e100), st.floats(-100, 100))
@tries(30)
def test_the_line_follows_the_unit_of_the_scores(scale: float, shift: float) -> None:
    scores = logit(PROBABILITY)
    plain = rh.LogisticCalibrator().fit(scores, LABELS)
    moved = rh.LogisticCalibrator().fit(scale * (scores + shift), LABELS)
    np.testing.assert_allclose(moved.llr(scale * (scores + shift)), plain.llr(scores), rtol=1e-8, atol=1e-8)


# --- the family of beta maps ----------------------------------------------------------------------


def test_beta_contains_the_identity() -> None:
    # Every probability k / 10 is right: k positives among ten.
    p = np.repeat(np.arange(1, 10) / 10, 10)
    y = np.concatenate([np.arange(10) < k for k in range(1, 10)])
    for parameters in ("abm", "am", "ab"):
        calibrator = rh.BetaCalibrator(parameters).fit(p, y)
        assert (calibrator.a_, calibrator.b_) == pytest.approx((1, 1), abs=1e-9)
        np.testing.assert_allclose(calibrator.posterior(p), p, atol=1e-9)


def test_midpoint_of_ab_is_one_half_at_the_prior() -> None:
    calibrator = rh.BetaCalibrator("ab", prevalence=0.2).fit(PROBABILITY, LABELS)
    assert calibrator.posterior([0.5], prevalence=0.2)[0] == pytest.approx(0.5, abs=1e-12)
    assert calibrator.a_ != calibrator.b_
    equal = rh.BetaCalibrator("am").fit(PROBABILITY, LABELS)
    assert equal.a_ == equal.b_


@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_inverted_probabilities_give_a_constant(parameters: str) -> None:
    # betacal's map falls here; under a, b >= 0 the optimum is a constant.
    for labels in (1 - LABELS, PROBABILITY < 0.5):  # overlapping, and separated the wrong way round
        calibrator = rh.BetaCalibrator(parameters, prevalence=0.5).fit(PROBABILITY, labels)
        assert calibrator.a_ == calibrator.b_ == 0
        np.testing.assert_allclose(calibrator.llr([0.0, 0.4, 1.0]), 0, atol=1e-12)


def test_two_distinct_probabilities_leave_one_column() -> None:
    p, y = np.repeat([0.2, 0.7], 10), np.arange(20) % 10 < np.repeat([1, 6], 10)
    for parameters in ("abm", "am"):
        np.testing.assert_allclose(
            rh.BetaCalibrator(parameters).fit(p, y).posterior([0.2, 0.7]), [0.1, 0.6], atol=1e-9
        )


def test_zero_and_one_are_clipped() -> None:
    p = np.append(PROBABILITY, [0.0, 1.0])
    calibrator = rh.BetaCalibrator().fit(p, np.append(LABELS, [1, 0]))  # both misleading
    assert np.isfinite(calibrator.llr([0.0, 1.0])).all()
    np.testing.assert_array_equal(calibrator.llr([0.0, 1.0]), calibrator.llr([EPS, 1 - EPS]))
    clipped = rh.BetaCalibrator().fit(np.clip(p, EPS, 1 - EPS), np.append(LABELS, [1, 0]))
    assert clipped.a_ == calibrator.a_
    assert (p[-2:] == [0, 1]).all()  # the caller's array keeps its values


# --- edges of the line ----------------------------------------------------------------------------


def test_infinite_new_scores_reach_the_limits() -> None:
    scores = logit(PROBABILITY)
    line = rh.LogisticCalibrator().fit(scores, LABELS)
    assert line.llr([-np.inf, np.inf]).tolist() == [-np.inf, np.inf]
    assert line.posterior([-np.inf, np.inf]).tolist() == [0, 1]
    falling = rh.LogisticCalibrator().fit(-scores, LABELS)
    assert falling.slope_ == pytest.approx(-line.slope_)
    assert falling.llr([-np.inf, np.inf]).tolist() == [np.inf, -np.inf]
    assert line.llr([1e308, -1e308]) == pytest.approx([1e308 * line.slope_, -1e308 * line.slope_])
    flat = rh.LogisticCalibrator(0.5).fit(np.ones(16), LABELS)
    assert flat.slope_ == 0
    np.testing.assert_allclose(flat.llr([-np.inf, 5.0, np.inf]), 0, atol=1e-15)


@pytest.mark.parametrize("kind", ["<=", "<", ">"])
def test_separated_classes_have_no_finite_optimum(kind: str) -> None:
    scores, labels = {
        "<": ([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1]),
        "<=": ([0.1, 0.2, 0.2, 0.3], [0, 0, 1, 1]),  # quasi-separated: a tie at the threshold
        ">": ([0.1, 0.2, 0.2, 0.3], [1, 0, 1, 0]),
    }[kind]
    with pytest.raises(ValueError, match=r"X: a threshold separates the classes.*targets='platt'"):
        rh.LogisticCalibrator().fit(scores, labels)
    assert np.isfinite(rh.LogisticCalibrator(targets="platt").fit(scores, labels).slope_)
    if kind != ">":
        for parameters in ("abm", "am"):
            with pytest.raises(ValueError, match="X: a threshold separates the classes"):
                rh.BetaCalibrator(parameters).fit(scores, labels)
        assert np.isfinite(rh.BetaCalibrator(targets="platt").fit(scores, labels).llr([0.0, 1.0])).all()


def test_separation_of_ab_is_at_one_half() -> None:
    with pytest.raises(ValueError, match="separates"):
        rh.BetaCalibrator("ab").fit([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1])
    found = rh.BetaCalibrator("ab").fit([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1])  # all map to less than 1/2
    assert found.posterior([0.1, 0.4, 0.5], prevalence=0.5)[2] == pytest.approx(0.5)
    assert np.isfinite([found.a_, found.b_]).all()


def test_an_example_without_weight_does_not_overlap() -> None:
    with pytest.raises(ValueError, match="separates"):
        rh.LogisticCalibrator().fit([1, 2, 3, 4, 9], [0, 0, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0])


_RANKS = np.arange(40.0)


@pytest.mark.filterwarnings("ignore:.*as if they were probabilities:UserWarning")  # of whatever is drawn
@given(examples(max_size=60), TARGETS, PRIORS)
@example(((_RANKS % 3 < _RANKS * 3 / 40).astype(int), 1 - 10 ** (-0.3 * _RANKS), None), "platt", None)
@tries(60)
def test_any_scores_give_a_finite_line_or_say_why_not(
    data: tuple[Array, Array, Array | None], targets: str, prior: float | None
) -> None:
    labels, scores, weights = data
    before = scores.copy()
    try:
        found = rh.LogisticCalibrator(prior, targets).fit(scores, labels, sample_weight=weights)
    except ValueError as error:
        assert str(error).startswith(("X", "sample_weight"))  # noqa: PT017
        return
    finally:
        np.testing.assert_array_equal(scores, before)
    assert np.isfinite([found.slope_, found.intercept_]).all()
    assert not np.isnan(found.llr(scores)).any()
    assert not np.isnan(found.posterior(scores)).any()


def test_a_hardly_overlapping_million_is_solved() -> None:
    rng = np.random.default_rng(0)
    labels = (rng.random(200_000) < 0.3).astype(int)
    scores = rng.normal(size=labels.size) + 8 * labels
    found = rh.LogisticCalibrator().fit(scores, labels)
    problem = Problem(np.column_stack([scores, np.ones(labels.size)]), labels, None, None, platt=False)
    coef = np.array([found.slope_, found.intercept_ + logit(problem.prior)])
    assert problem.loss(problem.rows @ coef) < 1e-4
    np.testing.assert_allclose(problem.gradient(coef), 0, atol=1e-15)


# --- the interface --------------------------------------------------------------------------------


def test_in_a_pipeline_with_weights() -> None:
    pipeline = make_pipeline(rh.LogisticCalibrator(), rh.BetaCalibrator())
    weights = np.arange(1.0, 17)
    probability = pipeline.fit(
        logit(PROBABILITY),
        LABELS,
        logisticcalibrator__sample_weight=weights,
        betacalibrator__sample_weight=weights,
    ).transform(logit(PROBABILITY))
    # The line is calibrated already, so that beta calibration cannot be worse.
    line = pipeline[0].posterior(logit(PROBABILITY))
    score = rh.LogScore().score
    assert score(LABELS, probability, weights) <= score(LABELS, line, weights) + 1e-12
    assert pipeline.get_feature_names_out().tolist() == ["betacalibrator0"]


# --- bad input ------------------------------------------------------------------------------------


LINE, BETA, FINE = rh.LogisticCalibrator, rh.BetaCalibrator, [0.1, 0.2, 0.3, 0.2]


@pytest.mark.parametrize(
    ("calibrator", "scores", "message"),
    [
        (LINE(), [0.1, np.inf, 0.3, 0.2], "X has infinite scores"),
        (LINE(), [0.1, np.nan, 0.3, 0.2], "X has 1 NaN"),
        (LINE(), [0.0, 1.5e-323, 1e-323, 5e-324], "X: its scores lie so close together"),
        (LINE(targets="laplace"), FINE, "targets must be 'labels' or 'platt', but is 'laplace'"),
        (LINE(prevalence=0), FINE, "prevalence must lie strictly between 0 and 1, but is 0"),
        (LINE(prevalence="half"), FINE, "prevalence must be a finite number"),
        (BETA(), [0.1, 1.5, 0.3, 0.2], r"X must be probabilities, between 0 and 1, but holds 1.5\."),
        (BETA(), [0.1, -3, 0.3, 0.2], "X must be probabilities, between 0 and 1, but holds -3"),
        (BETA(), [0.1, -np.inf, 0.3, 0.2], "X must be probabilities, between 0 and 1, but holds -inf"),
        (BETA("abc"), FINE, "parameters must be 'abm', 'am' or 'ab', but is 'abc'"),
        (BETA(targets=None), FINE, "targets must be 'labels' or 'platt', but is None"),
    ],
)
def test_bad_input(calibrator: Any, scores: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        calibrator.fit(scores, [0, 1, 0, 1])


def test_new_probabilities_are_probabilities_too() -> None:
    beta = rh.BetaCalibrator().fit(PROBABILITY, LABELS)
    with pytest.raises(ValueError, match=r"scores must be probabilities, between 0 and 1, but holds 2\.0"):
        beta.llr([0.5, 2.0])


def test_classes_that_hardly_overlap_are_named() -> None:
    for tiny in (1e-100, 1e-14):  # lost beside the mean, and lost beside the curvature of the ends
        scores = [-1, -1, 0, tiny, 2 * tiny, 3 * tiny, 1]
        with pytest.raises(ValueError, match=r"X: the classes overlap in so small a part"):
            rh.LogisticCalibrator().fit(scores, [0, 0, 0, 1, 0, 1, 1])


def test_no_posterior_of_a_finite_llr_is_certain() -> None:
    """Scores of 0 and 1 among the probabilities: a wrong case must not cost infinitely much."""
    p, y = np.array([0.0, 0, 0.2, 0.4, 0.6, 1, 1]), [0, 0, 1, 0, 1, 1, 1]
    made = rh.BetaCalibrator().fit(p, y), rh.LogisticCalibrator().fit(p, y)
    for calibrator, scores in zip(made, ([0.0, 1.0], [-1e3, 1e3]), strict=True):
        for prevalence in (None, 1e-9, 1 - 1e-9):
            low, high = calibrator.posterior(scores, prevalence)
            assert 0 < low < high < 1
        assert np.isfinite(rh.LogScore().score([1, 0], calibrator.posterior(scores)))
    assert made[1].posterior([-np.inf, np.inf]).tolist() == [0, 1]


# --- probabilities given to a line -----------------------------------------------------------------


def test_log_odds_are_offered_where_probabilities_are_given() -> None:
    rng = np.random.default_rng(0)
    odds = rng.normal(0, 3, 600)
    y = rng.random(600) < 1 / (1 + np.exp(-odds))
    p = 1 / (1 + np.exp(-2 * odds))  # too sure
    with pytest.warns(UserWarning, match=r"their log-odds fit the labels better: give log\(p / \(1 - p\)\)"):
        rh.LogisticCalibrator().fit(p, y)
    with pytest.warns(UserWarning, match="log-odds fit the labels better"):
        rh.LogisticCalibrator(0.2, "platt", lower_is_positive=True).fit(p, ~y)
    # What is offered: the same map.
    offered = rh.LogisticCalibrator().fit(2 * odds, y).llr(2 * odds)
    np.testing.assert_allclose(rh.BetaCalibrator("am").fit(p, y).llr(p), offered, rtol=1e-6, atol=1e-9)
    # Neither of numbers in [0, 1] that a line suits, nor of other scores, nor of few.
    linear = rng.random(600)
    rh.LogisticCalibrator().fit(linear, rng.random(600) < 1 / (1 + np.exp(2 - 4 * linear)))
    rh.LogisticCalibrator().fit(2 * p, y)
    rh.LogisticCalibrator().fit(p[:12], y[:12])


def test_the_offer_is_made_by_the_gain_in_likelihood() -> None:
    """Twenty times as likely, with the likelihoods written out."""
    rng = np.random.default_rng(1)
    made, told = rh.LogisticCalibrator(), []
    for n in range(40, 400, 12):
        odds = rng.normal(0, 2, n)
        y = rng.random(n) < 1 / (1 + np.exp(-odds))
        p = 1 / (1 + np.exp(-2 * odds))
        gain = 0.0
        for values, sign in ((2 * odds, 1), (p, -1)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = made.fit(values, y).posterior(values)
            gain += sign * float(np.log(np.where(y, found, 1 - found)).sum())
        told.append((gain > np.log(20), bool(caught)))
    assert {*told} == {(True, True), (False, False)}
