"""LogisticFusion: the optimum beside a slow search, invariances, documents, and what is refused."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import rochull as rh
from rochull.calibration import logistic_fit

GERMAN = rh.datasets.load("german_credit_scores")
BAD = GERMAN["class"] == "bad"
SYSTEMS = ("logistic", "boosted", "tree")
SCORES = {name: GERMAN[name] for name in SYSTEMS}
MATRIX = np.column_stack([SCORES[name] for name in SYSTEMS])


def loss_of(coef: Any, *terms: Any) -> float:
    """The objective, written out."""
    y, scores, prior, weights, penalty = terms
    offset = np.log(prior) - np.log1p(-prior)
    llr = scores @ coef[:-1] + coef[-1]
    total = 0.0
    for own, share, sign in ((y, prior, -1), (~y, 1 - prior, 1)):
        cost = np.logaddexp(0, sign * (llr[own] + offset))
        total += share * float(np.average(cost, weights=weights[own]))
    share = np.where(y, prior * weights / weights[y].sum(), (1 - prior) * weights / weights[~y].sum())
    spread = np.sqrt(
        np.average((scores - np.average(scores, axis=0, weights=share)) ** 2, axis=0, weights=share)
    )
    return total + penalty / 2 * float(((coef[:-1] * spread) ** 2).sum())


@pytest.mark.parametrize("prior", [None, 0.5, 0.03])
@pytest.mark.parametrize("penalty", [0.0, 0.05])
@pytest.mark.parametrize("weighted", [False, True])
def test_nothing_is_better(prior: float | None, penalty: float, weighted: bool) -> None:
    weights = np.random.default_rng(0).integers(1, 4, BAD.size) if weighted else np.ones(BAD.size)
    made = rh.LogisticFusion(prior, penalty).fit(MATRIX, BAD, weights if weighted else None)
    at = made.prevalence_ if prior is None else prior
    found = np.array([*made.coef_, made.intercept_])
    terms = (BAD, MATRIX, at, weights, penalty)
    slow = minimize(loss_of, np.zeros(4), terms, method="BFGS", options={"gtol": 1e-9})
    assert loss_of(found, *terms) <= slow.fun + 1e-12
    assert found == pytest.approx(slow.x, abs=2e-4)


@given(st.integers(0, 2**32), st.floats(0.01, 100), st.floats(-5, 5))
def test_scale_and_place_of_a_column_do_not_matter(seed: int, scale: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3 == 0
    scores = rng.normal(size=(60, 2)) + 0.5 * y[:, None]
    other = scores * [scale, 1] + [shift, 0]
    for penalty in (0.0, 0.2):
        made = rh.LogisticFusion(0.5, penalty)
        try:
            first = made.fit(scores, y).llr(scores)
        except ValueError:
            continue
        assert made.fit(other, y).llr(other) == pytest.approx(first, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("penalty", [0.0, 0.05])
def test_whole_weights_are_repetitions_and_none_is_left_out(penalty: float) -> None:
    weights = np.random.default_rng(1).integers(0, 3, BAD.size)
    repeated = np.repeat(np.arange(BAD.size), weights)
    far = np.where((weights == 0)[:, None], 50.0, MATRIX)  # nobody looks there
    made = rh.LogisticFusion(0.3, penalty).fit(far, BAD, weights)
    again = rh.LogisticFusion(0.3, penalty).fit(MATRIX[repeated], BAD[repeated])
    assert (*made.coef_, made.intercept_) == pytest.approx((*again.coef_, again.intercept_), rel=1e-7)
    assert made.prevalence_ == again.prevalence_


@pytest.mark.parametrize("penalty", [0.0, 0.05])
def test_scikit_learn_finds_the_same(penalty: float) -> None:
    prior, share = 0.2, BAD.mean()
    weights = np.where(BAD, prior / share, (1 - prior) / (1 - share)) / BAD.size
    at_prior = [weights / weights.sum() @ column for column in MATRIX.T]
    spread = np.sqrt(weights / weights.sum() @ (MATRIX - at_prior) ** 2)
    theirs = LogisticRegression(C=1 / penalty if penalty else np.inf, solver="newton-cholesky", tol=1e-12)
    theirs.fit(MATRIX / spread, BAD, sample_weight=weights)
    llr = theirs.decision_function(MATRIX / spread) - np.log(prior / (1 - prior))
    found = rh.LogisticFusion(prior, penalty).fit(MATRIX, BAD)
    assert found.llr(MATRIX) == pytest.approx(llr, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("penalty", [1e-9, 1e-3, 10.0])
def test_a_penalty_makes_any_columns_fit(penalty: float) -> None:
    """Constant, dependent and separating ones: never worse than scikit-learn's, by the objective."""
    y = np.arange(120) % 4 == 0
    x = np.random.default_rng(0).normal(size=(120, 2)) + y[:, None]
    same = np.ones(120)
    for columns in ((0.1 * same, x[:, 0]), (x[:, 0], 2 * x[:, 0] + 1), (9 * y + x[:, 0], x[:, 1]), (y, y)):
        scores = np.column_stack(columns)
        found = rh.LogisticFusion(0.3, penalty).fit(scores, y)
        weights = np.where(y, 0.3 / y.sum(), 0.7 / (~y).sum())
        spread = np.sqrt(weights @ (scores - weights @ scores) ** 2)
        scaled = scores / np.where(spread > 1e-9, spread, 1)
        theirs = LogisticRegression(C=1 / penalty, solver="newton-cholesky", tol=1e-10, max_iter=500)
        theirs.fit(scaled, y, sample_weight=weights)
        other = theirs.coef_[0] / np.where(spread > 1e-9, spread, 1)
        terms = (y, scores, 0.3, np.ones(120), penalty)
        own = loss_of(np.append(found.coef_, found.intercept_), *terms)
        assert own <= loss_of(np.append(other, theirs.intercept_[0] - np.log(3 / 7)), *terms) * (1 + 1e-9)
        assert np.abs(found.coef_[spread < 1e-9]).max(initial=0) < 1e-9


@pytest.mark.filterwarnings("ignore:.*their log-odds fit the labels better:UserWarning")
def test_one_column_is_logistic_calibration() -> None:
    one = rh.LogisticFusion(0.2).fit(MATRIX[:, :1], BAD)
    line = rh.LogisticCalibrator(0.2).fit(MATRIX[:, 0], BAD)
    assert (one.coef_[0], one.intercept_) == pytest.approx((line.slope_, line.intercept_), rel=1e-9)


def test_names_of_columns_are_kept_and_the_document_decides_alike(tmp_path: Any) -> None:
    made = rh.LogisticFusion(0.5, 0.01).fit(pl.DataFrame(SCORES), BAD)
    shuffled = pl.DataFrame(SCORES).select("tree", "logistic", "boosted")
    assert made.llr(shuffled).tolist() == made.llr(SCORES).tolist()
    made.save(tmp_path / "fusion.json")
    read = rh.load_calibrator(tmp_path / "fusion.json")
    assert read.posterior(shuffled, 0.1).tolist() == made.posterior(SCORES, 0.1).tolist()
    assert read.to_json() == made.to_json()
    hull = rh.roc_hull(BAD, made.llr(SCORES))
    assert hull.auc() > max(rh.roc_hull(BAD, SCORES[name]).auc() for name in SYSTEMS) - 0.01


def test_infinite_scores_that_disagree_are_refused() -> None:
    made = rh.LogisticFusion().fit(MATRIX[:, :2], BAD)
    assert made.llr([[np.inf, 0.1], [0.2, -np.inf]]).tolist() == [np.inf, -np.inf]
    with pytest.raises(ValueError, match="scores hold infinite ones that disagree in row 1"):
        made.llr([[0.1, 0.1], [np.inf, -np.inf]])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (np.column_stack([MATRIX[:, 0], 2 * MATRIX[:, 0]]), "a column that the others explain"),
        (np.column_stack([MATRIX[:, 0], BAD]), "nearly separates; give a penalty"),
        (np.column_stack([MATRIX[:, 0], np.where(BAD, np.inf, 0)]), "infinite scores"),
    ],
)
def test_what_is_refused_says_what_helps(columns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rh.LogisticFusion().fit(columns, BAD)
    if "infinite" not in message:
        assert np.isfinite(rh.LogisticFusion(penalty=1e-3).fit(columns, BAD).coef_).all()


def test_a_penalty_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="penalty must not be negative, but is -1"):
        rh.LogisticFusion(penalty=-1).fit(MATRIX, BAD)


@pytest.mark.parametrize("rows", [1, 7])
def test_rows_that_are_computed_in_parts_have_one_optimum(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    made = rh.LogisticFusion(0.3).fit(MATRIX[:50], BAD[:50])
    monkeypatch.setattr(logistic_fit, "_ROWS", rows)
    again = rh.LogisticFusion(0.3).fit(MATRIX[:50], BAD[:50])
    assert (*again.coef_, again.intercept_) == pytest.approx((*made.coef_, made.intercept_), rel=1e-9)
