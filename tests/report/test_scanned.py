"""Facts of a report on a table that was scanned: what is exact, and what is said not to be told."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from refusals import refuses
from rochull._core.validation import labelled
from rochull.hull.tallies import tally_of
from rochull.report import Scanned
from rochull.report.scanned import area_interval


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=4, max_size=60))
def test_an_area_interval_is_that_of_the_rows(rows: list[tuple[int, int]]) -> None:
    y, score = np.array(rows).T
    groups = tally_of(labelled(y, score, None)) if 0 < y.sum() < y.size else None
    if groups is None:
        return
    area = rh.roc_auc(y, score)
    found = area_interval(groups, area, 0.9)
    if min(y.sum(), (1 - y).sum()) < 2:
        assert found is None
        return
    expected = rh.auc_interval(y, score, level=0.9)
    assert found is not None
    if expected.low < expected.high:
        assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high), rel=1e-12)
    else:
        assert found["low"] is found["high"] is None


def rows(size: int) -> dict[str, Any]:
    """Return scores of two classifiers, with segments and folds; the first is rounded."""
    rng = np.random.default_rng(1)
    y = rng.random(size) < 0.3
    shift = {"a": rng.normal(1.2 * y).round(2), "b": rng.normal(y)}
    return {"y": y, **shift, "part": rng.choice(["n", "s"], size), "fold": rng.integers(0, 5, size)}


def test_a_thinned_scan_tells_the_same() -> None:
    size = 120_000
    table, condition = rows(size), rh.ExpectedCost(cost_fn=5, prevalence=0.3)
    scan = rh.scan(table, label="y", scores=["a", "b"], segment="part", fold="fold")
    scanned = Scanned(scan, n_resamples=60, exact=True)
    found = rh.Report(rh.Hybrid.from_scan(scan), condition, scanned=scanned).facts
    scores = {name: table[name] for name in ("a", "b")}
    sure = rh.report.Uncertainty(table["y"], scores, n_resamples=60, folds=table["fold"])
    whole = rh.Hybrid.from_table(table, label="y", scores=["a", "b"])
    expected = rh.Report(whole, condition, uncertainty=sure).facts
    assert found["chosen"] == expected["chosen"]
    assert found["dominance"] == expected["dominance"]
    for ours, theirs in zip(found["classifiers"], expected["classifiers"], strict=True):
        assert (ours["auc"], ours["hull"], ours["calibration"]) == (
            theirs["auc"], theirs["hull"], theirs["calibration"]
        )  # fmt: skip
    ours, theirs = found["uncertainty"], expected["uncertainty"]
    for name in ("fpr", "tpr", "expected_cost"):
        assert ours["bootstrap"]["chosen"][name] == pytest.approx(
            theirs["bootstrap"]["chosen"][name], abs=1e-12
        )
        assert ours["folds"]["chosen"][name] == pytest.approx(theirs["folds"]["chosen"][name], abs=1e-12)
    for mine, other in zip(ours["bootstrap"]["classifiers"], theirs["bootstrap"]["classifiers"], strict=True):
        for end in ("low", "high"):
            assert mine["auc"][end] == pytest.approx(other["auc"][end], abs=3e-5)
            assert mine["auc_hull"][end] == pytest.approx(other["auc_hull"][end], abs=2e-3)
    assert found["scan"]["rows"] == size
    assert all(area["exact"] for area in found["scan"]["areas"].values())
    counted = [sum(row[key] for row in found["segments"]["rows"]) for key in ("negatives", "positives")]
    assert counted == [size - table["y"].sum(), table["y"].sum()]


@pytest.mark.filterwarnings("ignore:not every threshold of 'b' is known:UserWarning")  # the scan thins it
def test_the_counts_of_segments_are_those_of_their_thresholds() -> None:
    table = rows(80_000)
    scan = rh.scan(table, label="y", scores="b", segment="part")
    report = rh.Report(rh.Hybrid.from_scan(scan), rh.NeymanPearson(0.1), scanned=Scanned(scan))
    found, y = report.facts["segments"], table["y"]
    assert found["rows"][-1]["segment"] == "elsewhere"
    fixed = table["b"] >= found["fixed"]
    assert found["points"]["straight"]["fpr"] == pytest.approx(fixed[~y].mean(), abs=1e-15)
    for row in found["rows"][:-1]:
        own = table["part"] == row["segment"].split()[-1]
        called = table["b"][own] >= row["threshold"]
        assert row["tpr"] == pytest.approx(called[y[own]].mean(), abs=1e-15)
        assert row["fpr"] == pytest.approx(called[~y[own]].mean(), abs=1e-15)
        assert row["one"]["tpr"] == pytest.approx(fixed[own & y].mean(), abs=1e-15)
        assert row["one"]["fpr"] == pytest.approx(fixed[own & ~y].mean(), abs=1e-15)
    # A randomised rule has no counts, and a limit that nothing can meet no thresholds.
    mixed = rh.Report(rh.Hybrid.from_scan(scan), rh.NeymanPearson(0.1), scanned=Scanned(scan, n_resamples=60))
    boot = mixed.facts["uncertainty"]["bootstrap"]
    assert (boot["chosen"] is None) == (len(mixed.facts["chosen"]["rules"]) > 1)
    assert boot["auc_union"] == boot["classifiers"][0]["auc_hull"]
    ranged = rh.Report(rh.Hybrid.from_scan(scan), rh.ExpectedCost(1, (5, 50), 0.3), scanned=Scanned(scan))
    assert ranged.facts["segments"]["points"] is None
    assert "Scanned by memory: 80,000 rows." in " ".join(ranged.to_text().split())


def test_it_stands_alone() -> None:
    table = rows(2000)
    scan = rh.scan(table, label="y", scores="b")
    hybrid = rh.Hybrid.from_scan(scan)
    sure = rh.report.Uncertainty(table["y"], {"b": table["b"]})
    with pytest.raises(ValueError, match="scanned stands for uncertainty and segment"):
        rh.Report(hybrid, scanned=Scanned(scan), uncertainty=sure)
    refuses("n_resamples must be an integer of at least 39", Scanned, scan, n_resamples=10)
    plain = rh.Report(hybrid, scanned=Scanned(scan)).facts
    assert plain["uncertainty"] is plain["segments"] is None
