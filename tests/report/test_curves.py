"""The numbers of the page's views are those of the library: 500 random states of each, in a real browser."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import report_cases as cases
import rochull as rh
from engine import Engine, model_of
from rochull.uncertainty.bootstrap_intervals import wilson

N = 500


@pytest.fixture(scope="module")
def table() -> Any:
    """German credit; float32 as the decimals that they print as, which is how 0.6 is compared with them."""
    found = dict(rh.datasets.load("german_credit_scores"))
    return found | {name: np.asarray(found[name]).astype(str).astype(float) for name in cases.SCORES}


@pytest.fixture(scope="module")
def page(german: rh.Hybrid) -> Iterator[Engine]:
    """The facts of German credit, their model and what computes the views."""
    with model_of(rh.Report(german).facts) as made:
        made.run("const C = rochullCurves;")
        yield made


@pytest.fixture(scope="module")
def states() -> list[dict[str, Any]]:
    """Costs from cheap to dear, prevalences from rare to common, and reviews."""
    rng = np.random.default_rng(21)
    return [
        {
            "goal": "cost", "cost_fp": round(float(10 ** rng.uniform(-1, 1)), 2),
            "cost_fn": round(float(10 ** rng.uniform(-1, 2)), 2),
            "prevalence": round(float(rng.beta(1, 2)), 3) or 0.001,
            "cost": round(float(rng.choice([0, 10 ** rng.uniform(-3, 1)])), 4),
            "most": round(float(rng.choice([0, 1, rng.random()])), 3),
        }
        for _ in range(N)
    ]  # fmt: skip


def asked(page: Engine, script: str, states: list[dict[str, Any]]) -> list[Any]:
    found = page.evaluate(f"states => states.map((state) => {script})", states)
    assert isinstance(found, list)
    return found


@pytest.mark.long
def test_images_of_the_roc_plane(page: Engine, german: rh.Hybrid, states: list[dict[str, Any]]) -> None:
    script = """Object.fromEntries(Object.entries(C.maps).map(([id, map]) => [id,
        Array.from(model.union.fpr, (f, i) => map(f, model.union.tpr[i], state.prevalence)).slice(1, -1)]))"""
    f, t = german.hull.fpr[1:-1], german.hull.tpr[1:-1]
    for state, found in zip(states, asked(page, script, states), strict=True):
        p = state["prevalence"]
        called = p * t + (1 - p) * f
        with np.errstate(all="ignore"):
            wanted = {
                "roc": (f, t),
                "pr": (t, p * t / called),
                "gain": (called, t),
                "lift": (called, t / called),
            }
        for view, columns in wanted.items():
            assert np.array(found[view]) == pytest.approx(np.stack(columns, axis=1), rel=1e-12)
    deviates = np.array([[x if x is not None else -np.inf for x in pair] for pair in found["det"]])
    assert deviates == pytest.approx(np.stack([norm.ppf(f), norm.isf(t)], axis=1), rel=1e-9)


def test_gain_is_that_of_the_library(page: Engine, table: Any, states: list[dict[str, Any]]) -> None:
    places = np.linspace(0, 1, 11)
    script = (
        "Array.from(model.hulls[4].fpr, (f, i) => C.maps.gain(f, model.hulls[4].tpr[i], state.prevalence))"
    )
    for state, found in zip(states, asked(page, script, states), strict=True):
        p = state["prevalence"]
        curve = rh.scoring.cumulative_gain(table["class"] == "bad", table["boosted"], prevalence=p)
        assert np.interp(places, *np.transpose(found)) == pytest.approx(curve.achievable(places), rel=1e-9)


def test_cost_at_every_threshold(page: Engine, table: Any, states: list[dict[str, Any]]) -> None:
    steps = page.evaluate(
        "facts.classifiers.map(C.steps).map((s) => ({ ...s, threshold: [...s.threshold] }))"
    )
    script = "facts.classifiers.map((each) => C.costs(C.steps(each), model.totals, state))"
    bad = table["class"] == "bad"
    rates, scores = [], rh.datasets.load("german_credit_scores")
    dtypes = {name: np.asarray(scores[name]).dtype for name in cases.SCORES}
    for name, step in zip(cases.SCORES, steps, strict=True):
        flagged = table[name][:, None] >= np.array(step["threshold"]).astype(dtypes[name]).astype(str).astype(
            float
        )
        rates.append((flagged[~bad].mean(axis=0), flagged[bad].mean(axis=0)))
        assert len(step["threshold"]) > 100
        assert (np.diff(step["threshold"]) < 0).all()
    for state, found in zip(states, asked(page, script, states), strict=True):
        p = state["prevalence"]
        for (f, t), cost in zip(rates, found, strict=True):
            wanted = (1 - p) * state["cost_fp"] * f + p * state["cost_fn"] * (1 - t)
            np.testing.assert_allclose(cost, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.long
def test_decision_curves(page: Engine, table: Any, german: rh.Hybrid, states: list[dict[str, Any]]) -> None:
    script = """({ own: facts.classifiers.map((each) => C.decision(each, model.totals, state)),
        best: C.bestDecision(model.hulls[0], state), all: C.bestDecision({ fpr: [1], tpr: [1] }, state) })"""
    scores = {name: table[name] for name in cases.SCORES}
    for state, found in zip(states, asked(page, script, states), strict=True):
        if not 0 < state["prevalence"] < 1:
            continue
        wanted = rh.decision_curve(table["class"] == "bad", scores, prevalence=state["prevalence"])
        for name, own in zip(cases.SCORES, found["own"], strict=True):
            np.testing.assert_allclose(own, wanted.net_benefit[name].estimate, rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found["best"], wanted.best[cases.SCORES[0]], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(found["all"], wanted.treat_all.estimate, rtol=1e-6, atol=1e-12)


@pytest.mark.long
def test_calibration_with_counts_and_intervals(
    page: Engine, table: Any, states: list[dict[str, Any]]
) -> None:
    script = "facts.classifiers.map((each) => C.reliability(each, model.totals, state, model.prevalence, model.wilson))"
    bad = np.asarray(table["class"] == "bad")
    bins = {
        name: np.clip(np.searchsorted(np.arange(1, 10) / 10, table[name], side="right"), 0, 9)
        for name in cases.SCORES
    }
    for state, found in zip(states, asked(page, script, states), strict=True):
        p = state["prevalence"]
        weight = np.where(bad, p / 0.3, (1 - p) / 0.7) / bad.size
        for name, told in zip(cases.SCORES, found, strict=True):
            inside = bins[name][:, None] == np.arange(10)
            mass, said, yes = (inside.T @ w for w in (weight, weight * table[name], weight * bad))
            assert told["error"] == pytest.approx(np.abs(said - yes).sum(), abs=1e-7)  # float32
            some = mass > 0
            size, positive = inside.sum(axis=0)[some], (inside & bad[:, None]).sum(axis=0)[some]
            assert [each["size"] for each in told["bins"]] == size.tolist()
            assert [each["forecast"] for each in told["bins"]] == pytest.approx(
                (said / np.where(some, mass, 1))[some]
            )
            assert [each["observed"] for each in told["bins"]] == pytest.approx(
                (yes / np.where(some, mass, 1))[some]
            )
            ends = wilson(positive / size, size, 0.95)
            odds = p * 0.7 / ((1 - p) * 0.3)
            for end, k in ((ends.low, 0), (ends.high, 1)):
                moved = end * odds / (end * odds + 1 - end)
                assert [each["interval"][k] for each in told["bins"]] == pytest.approx(moved, abs=1e-9)


@pytest.mark.long
def test_reviews_are_those_of_the_library(
    page: Engine, german: rh.Hybrid, states: list[dict[str, Any]]
) -> None:
    script = "((found) => ({ ...found, name: model.names[found.owner] }))(C.reviews(model, state, state))"
    worth = 0
    for state, found in zip(states, asked(page, script, states), strict=True):
        numbers = (state["cost_fp"], state["cost_fn"], state["cost"], state["prevalence"])
        frontier = german.review_frontier(rh.Review(*numbers))
        least = np.min([np.interp(frontier.share, [x["share"] for x in each], [x["cost"] for x in each])
                        for each in found["frontiers"]], axis=0)  # fmt: skip
        np.testing.assert_allclose(least, frontier.cost, rtol=1e-10, atol=1e-13)
        review = rh.Review(*numbers, max_share=state["most"])
        point = german.at(review)
        assert found["best"]["cost"] == pytest.approx(point.expected_cost(review), rel=1e-10)
        assert found["best"]["share"] == pytest.approx(point.review_rate, abs=1e-10)
        worth += point.review_rate > 0
    assert worth > N / 4
