"""Held-out tables in the facts: the answer's costs are theirs, and the terminal's and the page's too."""

import json
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.report.judged import against_of, judged_under, usual_rule


@pytest.fixture(scope="module")
def table() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    y = rng.random(800) < 0.3
    return {
        "y": y,
        "scores": {name: 1 / (1 + np.exp(-rng.normal(s * y - 1))) for name, s in (("a", 2), ("b", 1))},
    }


def hybrid_of(table: dict[str, Any]) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, score in table["scores"].items():
        hybrid.add(name, table["y"], score)
    return hybrid


CONDITIONS = {
    "costs": rh.ExpectedCost(1, 5, 0.3),
    "within": rh.Within(rh.ExpectedCost(1, 5, 0.3), [rh.FalsePositiveRate() <= 0.1]),
    "slack": rh.Within(rh.ExpectedCost(1, 5, 0.3), [rh.FalsePositiveRate() <= 0.9]),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_answer_is_of_new_cases(table: dict[str, Any], name: str) -> None:
    condition, hybrid = CONDITIONS[name], hybrid_of(table)
    against = against_of(hybrid, condition)
    need = hybrid.need(condition, table["y"], table["scores"], n_repeats=2, against=against)
    facts = json.loads(rh.Report(hybrid, condition, held_out=need.held_out).to_json())
    answer, state = facts["answer"], facts["answer"]["state"]
    assert state["on"] == "new"
    tables = answer["held_out"]
    found, own = (tables["limits"]["max_fpr"], 0.1) if name == "within" else (tables["slopes"], None)
    values = found.get("value") or found["slope"]
    own = own or facts["condition"]["slope"]
    i = values.index(own)  # exactly
    alarm, miss = 0.7, 1.5
    cost = alarm * found["fpr"][i] + miss * (1 - found["tpr"][i])
    assert state["cost"] == pytest.approx(10_000 * cost, abs=0.51)
    if name == "costs":
        assert cost == pytest.approx(need.hybrid, rel=1e-5)
        low, high = (need.hybrid + sign * 1.96 * need.hybrid_error for sign in (-1, 1))
        assert (state["cost_low"], state["cost_high"]) == (round(10_000 * low), round(10_000 * high))
    half = answer["comparison"]
    other = alarm * half["fp"] / facts["totals"]["negatives"]
    other += miss * (1 - half["tp"] / facts["totals"]["positives"])
    less = found["less"]
    assert alarm * less["fpr"][i] - miss * less["tpr"][i] == pytest.approx(cost - other, abs=1e-5)
    spread = alarm**2 * less["var_fpr"][i] + miss**2 * less["var_tpr"][i] - 2 * alarm * miss * less["cov"][i]
    if abs(cost - other) <= 1.96 * spread**0.5:
        assert (state["saving"], state["saved"]) == ("same", None)
    else:
        share = round(100 * (1 - cost / other))
        assert (state["saving"], state["saved"]) == ("less" if share > 0 else "more", abs(share))


def test_two_limits_or_none_have_no_figure_of_new_cases(table: dict[str, Any]) -> None:
    hybrid = hybrid_of(table)
    limits = [rh.FalsePositiveRate() <= 0.1, rh.Precision() >= 0.6]
    condition = rh.Within(rh.ExpectedCost(1, 5, 0.3), limits)
    found = hybrid.need(condition, table["y"], table["scores"]).held_out
    facts = rh.Report(hybrid, condition, held_out=found).facts
    assert facts["answer"]["state"]["on"] == "here"
    assert facts["answer"]["held_out"]["limits"].keys() == {"max_fpr", "min_recall", "min_precision"}


def test_no_condition_is_judged_at_even_costs(table: dict[str, Any]) -> None:
    hybrid = hybrid_of(table)
    found = hybrid.need(judged_under(None, hybrid.hull.prevalence), table["y"], table["scores"]).held_out
    state = rh.Report(hybrid, held_out=found).facts["answer"]["state"]
    assert (state["situation"], state["on"]) == ("unnamed", "new")


def test_what_is_judged_and_compared(table: dict[str, Any]) -> None:
    hybrid = hybrid_of(table)
    even = rh.ExpectedCost(1, 1, 0.3)
    for condition in (
        None,
        rh.ExpectedCost(1, (2, 5), 0.3),
        rh.conditions.Youden(),
        rh.conditions.Review(1, 5, 1),
    ):
        assert judged_under(condition, 0.3) == even
    limit = rh.NeymanPearson(0.1)
    assert judged_under(limit, 0.3) == limit
    own = hybrid.at(even, deterministic=True).rules[0][0]
    assert usual_rule(hybrid, own, None)[0] == "half"
    assert usual_rule(hybrid, None, (1.0, 0.5))[0] == "none"
    assert usual_rule(hybrid, None, (0.5, 1.0))[0] == "all"
