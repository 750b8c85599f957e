"""How well a calibration does on a scanned table, beside the rows in memory."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import rochull as rh
from rochull.calibration.kinds import calibrator_class
from rochull.report.calibration import calibration_facts, measures_of
from rochull.report.calibration_scanned import scanned_facts
from rochull.scanning.row_passes import RowPasses
from rochull.scanning.scanned import ScannedTable

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
    found, twin = scanned_facts(model, scan, ["s"]), calibration_facts(model, rows["y"], scores, None)
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
    found = scanned_facts(model, scan, ["s"])
    assert found["folds"] == 3
    # The groups of the thinned curve are those of equal score where these are few.
    assert _named(found, "held_out") == pytest.approx(
        {**dict.fromkeys(_named(found, "in_sample")), **measures_of(rows["y"], llr, posterior, None)}
    )


KINDS = ["logistic", "beta", "kde", "fusion"]


def _held_out(kind: Any, rows: dict[str, Any], X: Any, weights: Any) -> dict[str, float | None]:
    """The slow way: a calibrator for every fold, and measures of all rows."""
    llr, posterior = np.empty(N), np.empty(N)
    for fold in range(3):
        own = rows["f"] == fold
        other = kind().fit(X[~own], rows["y"][~own], None if weights is None else weights[~own])
        llr[own], posterior[own] = other.llr(X[own]), other.posterior(X[own])
    return measures_of(rows["y"], llr, posterior, weights)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("kind", KINDS)
def test_measures_of_other_maps_are_those_of_the_rows(kind: str, weight: str | None) -> None:
    rows = _rows("many") | {"w": np.arange(N) % 4 + 0.5}
    rows |= {"p": 1 / (1 + np.exp(-rows["s"])), "t": rows["s"] ** 2}
    names = {"beta": ["p"], "fusion": ["s", "t"]}.get(kind, ["s"])
    X = np.column_stack([rows[name] for name in names]) if kind == "fusion" else rows[names[0]]
    weights = None if weight is None else rows[weight]
    scan = rh.scan(rows, label="y", scores=names, fold="f", weight=weight)
    model = calibrator_class(kind)().fit_scan(scan, names if kind == "fusion" else None)
    found, twin = scanned_facts(model, scan, names), calibration_facts(model, rows["y"], X, weights)
    for name in ("examples", "prevalence", "bounds"):
        assert found[name] == pytest.approx(twin[name], rel=1e-12)
    assert _named(found, "in_sample") == pytest.approx(_named(twin, "in_sample"))
    expected = dict.fromkeys(_named(found, "in_sample")) | _held_out(calibrator_class(kind), rows, X, weights)
    assert _named(found, "held_out") == pytest.approx(expected)
    assert found["folds"] == 3


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Scans of posteriors, as they are asked for."""
    seen, mapped = Mock(), RowPasses.mapped

    def spied(self: RowPasses, *given: Any) -> ScannedTable:
        seen()
        return mapped(self, *given)

    monkeypatch.setattr(RowPasses, "mapped", spied)
    return seen


def _judged(model: Any, score: np.ndarray[Any, Any], y: np.ndarray[Any, Any], spy: Mock) -> bool:
    """Compare a fit with that of the rows: whether posteriors were put in order for it."""
    scan = rh.scan({"y": y, "s": score}, label="y", scores="s", lower_is_positive=model.lower_is_positive)
    found = scanned_facts(model.fit_scan(scan, "s"), scan, ["s"])
    twin = calibration_facts(model, y, score, None)
    assert _named(found, "in_sample") == pytest.approx(_named(twin, "in_sample"))
    return bool(spy.called)


@pytest.mark.parametrize(
    ("how", "by", "scanned"),
    [
        ({}, 1, False),
        ({"lower_is_positive": True}, -1, False),
        ({"bound": "laplace"}, 1, True),  # which makes ties
        ({}, -1, True),  # of scores that low ones are positive of: the slope is not above 0
        ({}, 0, True),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_posteriors_are_scanned_where_they_are_not_in_the_order_of_the_scores(
    how: dict[str, Any], by: int, scanned: bool, spy: Mock
) -> None:
    rows = _rows("many")
    assert _judged(rh.LogisticCalibrator(**how), by * rows["s"], rows["y"], spy) is scanned


def test_posteriors_that_rounding_ties_are_scanned(spy: Mock) -> None:
    y = np.arange(N) % 2
    score = np.linspace(0, 50, N) * np.where(y == 1, 1, -1)
    score[:20] *= -1 / 50
    assert _judged(calibrator_class("temperature")(), score, y, spy)


@pytest.mark.parametrize(
    "how",
    [{"bound": "laplace"}, {"interpolation": "linear", "bound": "elub"}, {"strict": True, "bound": "focal"}],
)
def test_weighted_rows_are_held_out_exactly(how: dict[str, Any]) -> None:
    rows = _rows("many") | {"w": np.arange(N) % 4 + 0.5}
    scan = rh.scan(rows, label="y", scores="s", fold="f", weight="w")
    found = scanned_facts(rh.PavCalibrator(**how).fit_scan(scan, "s"), scan, ["s"])
    twin = calibration_facts(rh.PavCalibrator(**how).fit_scan(scan, "s"), rows["y"], rows["s"], rows["w"])
    expected = _held_out(lambda: rh.PavCalibrator(**how), rows, rows["s"], rows["w"])
    assert _named(found, "held_out") == pytest.approx(dict.fromkeys(_named(found, "in_sample")) | expected)
    assert _named(found, "in_sample") == pytest.approx(_named(twin, "in_sample"))
