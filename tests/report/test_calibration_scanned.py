"""How well a calibration does on a scanned table, beside the rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.report.calibration import calibration_facts, measures_of
from rochull.report.calibration_scanned import scanned_facts

N = 900


def _rows(kind: str = "few") -> dict[str, Any]:
    rng = np.random.default_rng(5)
    y = rng.random(N) < 0.3
    score = rng.normal(size=N) + y
    return {"y": y.astype(int), "s": score.round(1) if kind == "few" else score, "f": np.arange(N) % 3}


def _named(facts: dict[str, Any], column: str) -> dict[str, float | None]:
    return {row["name"]: row[column] for row in facts["rows"]}


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("kind", ["few", "many"])
@pytest.mark.parametrize("bound", [None, "laplace", "elub"])
def test_in_sample_it_is_that_of_the_rows(kind: str, bound: str | None, lower: bool) -> None:
    rows = _rows(kind)
    scores = -rows["s"] if lower else rows["s"]
    model = rh.PavCalibrator(bound=bound, lower_is_positive=lower).fit(scores, rows["y"])
    scan = rh.scan({**rows, "s": scores}, label="y", scores="s", lower_is_positive=lower)
    found, twin = scanned_facts(model, scan, "s"), calibration_facts(model, rows["y"], scores, None)
    assert found["lacking"].startswith("Nothing was held out")
    assert (found["folds"], found["examples"], found["bounds"]) == (0, N, twin["bounds"])
    assert found["prevalence"] == pytest.approx(twin["prevalence"])
    assert _named(found, "in_sample") == pytest.approx(_named(twin, "in_sample"))
    assert _named(found, "raw")["AUC"] == pytest.approx(_named(twin, "raw")["AUC"])


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("options", [{"bound": "laplace"}, {"interpolation": "linear", "bound": "laplace"}])
def test_held_out_it_is_a_map_of_the_other_folds(options: dict[str, Any], lower: bool) -> None:
    rows = _rows()
    scores = -rows["s"] if lower else rows["s"]
    model = rh.PavCalibrator(lower_is_positive=lower, **options).fit(scores, rows["y"])
    scan = rh.scan({**rows, "s": scores}, label="y", scores="s", fold="f", lower_is_positive=lower)
    llr, posterior = np.empty(N), np.empty(N)
    for fold in range(3):
        own = rows["f"] == fold
        other = rh.PavCalibrator(lower_is_positive=lower, **options).fit(scores[~own], rows["y"][~own])
        llr[own], posterior[own] = other.llr(scores[own]), other.posterior(scores[own])
    found = scanned_facts(model, scan, "s")
    assert found["folds"] == 3
    # The groups of the thinned curve are those of equal score where these are few.
    assert _named(found, "held_out") == pytest.approx(
        {**dict.fromkeys(_named(found, "in_sample")), **measures_of(rows["y"], llr, posterior, None)}
    )


def test_of_weighted_rows_nothing_is_held_out() -> None:
    rows = _rows() | {"w": np.arange(N) % 4 + 0.5}
    scan = rh.scan(rows, label="y", scores="s", fold="f", weight="w")
    model = rh.PavCalibrator(bound="laplace").fit_scan(scan, "s")
    found = scanned_facts(model, scan, "s")
    twin = calibration_facts(model, rows["y"], rows["s"], rows["w"])
    assert found["folds"] == 0
    assert "weighted" in found["lacking"]
    assert _named(found, "in_sample") == pytest.approx(_named(twin, "in_sample"))
