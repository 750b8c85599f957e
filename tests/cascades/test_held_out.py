"""Held-out costs of a cascade: against a rotation by hand, and against those on a great many new cases."""

from __future__ import annotations

import numpy as np
import pytest

import rochull as rh
from cascade_cases import COST, scored
from refusals import refuses
from rochull.segments.choice import folds_of

PRICES = {"cheap": 0.01, "dear": 0.1}


def made(**options: object) -> rh.Cascade:
    return rh.Cascade(PRICES, **{"n_strata": 5, "shrinkage": 50, "cv": 3, **options})  # type: ignore[arg-type]


def test_it_is_a_rotation_over_the_folds() -> None:
    X, y = scored(0, 900)
    costs = rh.ExpectedCost(1, 2, float(y.mean()))
    trial = made().held_out(X, y, costs, max_calls=[0, None])
    folds, paid = folds_of(y, 3, 0), np.zeros((3, y.size))
    for k in range(3):
        rest = {name: column[folds != k] for name, column in X.items()}
        new = {name: column[folds == k] for name, column in X.items()}
        policy = made().fit(rest, y[folds != k]).policy()
        for i, name in enumerate(X):
            cut = rh.roc_hull(y[folds != k], rest[name]).at(costs).rules[0][0].lowest
            wrong = (new[name] >= cut) != y[folds == k]  # type: ignore[operator]
            paid[i, folds == k] = wrong * np.where(y[folds == k] == 1, 2, 1) + PRICES[name]
        wrong = policy.decide(new, costs) != y[folds == k]
        calls = policy.needs_score("dear", new, costs)
        paid[2, folds == k] = wrong * np.where(y[folds == k] == 1, 2, 1) + 0.01 + 0.1 * calls
    assert trial.alone == pytest.approx(dict(zip(X, paid[:2].mean(axis=1), strict=True)))
    assert trial.cost == pytest.approx([paid[0].mean(), paid[2].mean()])
    assert trial.error[0] == 0
    gain = paid[2] - paid[0]
    assert trial.error[1] == pytest.approx(gain.std() / np.sqrt(y.size))
    assert trial.asked[1]["dear"] == pytest.approx(trial.calls[1])
    assert 0 < trial.calls[1] < trial.asked[1]["cheap"] == pytest.approx(1)


def test_labels_weights_and_a_stated_prevalence() -> None:
    X, y = scored(1, 600)
    words, weight = np.where(y == 1, "bad", "good"), np.where(y == 1, 3, 1)
    stated = rh.ExpectedCost(1, 2, 0.75 if y.mean() == 0.5 else 3 * y.mean() / (1 + 2 * y.mean()))
    options = {"n_strata": 3, "pos_label": "bad"}
    weighted = made(**options).held_out(X, words, rh.ExpectedCost(1, 2), sample_weight=weight)
    assert weighted.cost == pytest.approx(
        made(**options).held_out(X, words, stated, sample_weight=weight).cost
    )
    alone = made(**options).held_out(X, words, stated)
    assert alone.alone["dear"] == pytest.approx(weighted.alone["dear"], abs=0.05)
    refuses("condition must be an ExpectedCost", made().held_out, X, y, rh.NeymanPearson(0.1))
    refuses("max_calls", made().held_out, X, y, COST, max_calls=[-1])


@pytest.mark.parametrize(
    ("cost", "error", "advised"),
    [
        ([0.95, 0.9, 0.8], [0.01, 0.01, 0.01], None),
        ([0.95, 0.9, 0.8], [0.01, 0.01, 0.3], 0.2),  # the gain of all that pay is not sure
        ([0.85, 0.9, 0.99], [0.01, 0.01, 0.02], 0.1),
        ([0.95, 0.9, 0.8], [0.1, 0.1, 0.3], 0.0),
        ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], 0.0),
    ],
)
def test_the_budget_that_is_worth_it(cost: list[float], error: list[float], advised: float | None) -> None:
    found = rh.cascades.CascadeTrial(
        (0.1, 0.2, None),
        np.zeros(3),
        np.array(cost),
        np.array(error),
        {"cheap": 1.0, "dear": 0.5},
        0.7,
        ({},) * 3,
    )
    assert found.advised == advised


@pytest.mark.long
def test_it_is_near_what_new_cases_cost() -> None:
    costs, rows = rh.ExpectedCost(1, 2, 0.5), []
    for seed in range(6):
        X, y = scored(seed, 2500)
        trial = rh.Cascade(PRICES).held_out(X, y, costs, max_calls=[0.2, None])
        policy = rh.Cascade(PRICES).fit(X, y).policy()
        new, truth = scored(seed + 100, 40_000)
        point = policy.at(costs)
        wrong, calls = policy.decide(new, point) != truth, policy.needs_score("dear", new, point)
        paid = (wrong * np.where(truth == 1, 2, 1) + 0.01 + 0.1 * calls).mean()
        rows.append([trial.cost[1] - paid, point.cost - paid])
    held, inside = np.array(rows).mean(axis=0)
    assert abs(held) < 0.01 < -inside  # in-sample figures flatter
