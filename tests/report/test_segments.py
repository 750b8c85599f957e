"""Thresholds by segment in the report: the numbers are the library's, and those held out are."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import rochull as rh
from refusals import refuses
from rochull._core import validation
from rochull.cli import app
from rochull.hull.tallies import Units
from rochull.report import Scanned, Segmentation, derived, live_segments, segment_wording, segments, wording
from rochull.report.text import to_text

Array = np.ndarray[Any, Any]
N = 900
CONDITION = rh.ExpectedCost(cost_fp=1, cost_fn=3, prevalence=0.4)
MODEL = rh.ErrorRedistribution("equal-variance", n_bins=4)


@pytest.fixture(scope="module")
def table() -> dict[str, Array]:
    """Example 1 of the paper, a worse score, and a category with missing values."""
    rng = np.random.default_rng(0)
    y, size = rng.integers(0, 2, N), rng.uniform(1, 5, N)
    channel = rng.choice(np.array(["web", "shop", None], object), N, p=[0.5, 0.4, 0.1])
    return {"y": y, "a": rng.normal(size * y), "b": rng.normal(y), "size": size, "channel": channel}


@pytest.fixture(scope="module")
def hybrid(table: dict[str, Array]) -> rh.Hybrid:
    return rh.Hybrid().add("a", table["y"], table["a"]).add("b", table["y"], table["b"])


def segmentation(table: dict[str, Array], *names: str, **options: Any) -> Segmentation:
    scores = {name: table[name] for name in ("a", "b")}
    given = {"redistribution": MODEL, **options}
    return Segmentation(table["y"], scores, {name: table[name] for name in names or ("size",)}, **given)


@pytest.fixture(scope="module")
def found(hybrid: rh.Hybrid, table: dict[str, Array]) -> dict[str, Any]:
    return rh.Report(hybrid, CONDITION, segment=segmentation(table)).facts["segments"]


def test_in_sample_numbers_are_those_of_the_library(found: dict[str, Any], table: dict[str, Array]) -> None:
    y, s, aux = table["y"], table["a"], {"size": table["size"]}
    model = rh.ErrorRedistribution("equal-variance", n_bins=4).fit(s, y, aux=aux)
    assert found["classifier"] == "a"
    assert found["columns"] == ["size"]
    assert found["areas"]["straight"] == rh.roc_auc(y, s)
    assert found["areas"]["bent"] == model.curve(y, s, aux=aux).auc()
    thresholds = model.thresholds(CONDITION)
    assert [row["threshold"] for row in found["rows"]] == list(thresholds.values())
    assert [row["segment"] for row in found["rows"]] == [*model.segments_, "elsewhere"]
    curve = rh.RocHull.from_curve(rh.roc_curve(y, s))
    fixed = curve.at(CONDITION, deterministic=True).rules[0][0].threshold
    assert found["fixed"] == fixed
    called = {"straight": s >= fixed, "bent": s >= model.thresholds(CONDITION, aux=aux)}
    for kind, flags in called.items():
        point = found["points"][kind]
        assert point["tpr"] == pytest.approx(flags[y == 1].mean())
        assert point["fpr"] == pytest.approx(flags[y == 0].mean())
        assert point["expected_cost"] == pytest.approx(0.6 * point["fpr"] + 0.4 * 3 * (1 - point["tpr"]))
    where = model.segment(aux)
    for k, row in enumerate(found["rows"][:-1]):
        own = where == k
        assert (row["negatives"], row["positives"]) == ((y[own] == 0).sum(), y[own].sum())
        assert row["tpr"] == pytest.approx(called["bent"][own & (y == 1)].mean())
        assert row["fpr"] == pytest.approx(called["bent"][own & (y == 0)].mean())
        assert row["one"]["tpr"] == pytest.approx(called["straight"][own & (y == 1)].mean())
        assert row["one"]["fpr"] == pytest.approx(called["straight"][own & (y == 0)].mean())
    assert found["rows"][-1]["one"] is None
    assert found["points"]["bent"]["expected_cost"] < found["points"]["straight"]["expected_cost"]


def test_held_out_numbers_are_those_of_a_rotation(found: dict[str, Any], table: dict[str, Array]) -> None:
    """The rotation by hand: every fold is judged by what was chosen on the others."""
    y, s, x = table["y"], table["a"], table["size"]
    areas, called, ratio = [], np.zeros((2, N), bool), np.empty(N)
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(s[:, None], y):
        model = rh.ErrorRedistribution("equal-variance", n_bins=4).fit(
            s[train], y[train], aux={"size": x[train]}
        )
        own = {"size": x[test]}
        ratio[test] = model.transform(s[test], aux=own)
        areas.append((rh.roc_auc(y[test], s[test]), rh.roc_auc(y[test], ratio[test])))
        hull = rh.RocHull.from_curve(rh.roc_curve(y[train], s[train]))
        called[0, test] = s[test] >= hull.at(CONDITION, deterministic=True).rules[0][0].threshold
        called[1, test] = s[test] >= model.thresholds(CONDITION, aux=own)
    straight, bent = np.array(areas).T
    held = found["areas"]["held_out"]
    assert held["straight"] == pytest.approx(straight.mean())
    assert held["bent"] == pytest.approx(bent.mean())
    assert held["gain"] == pytest.approx((bent - straight).mean())
    assert held["gain_sem"] == pytest.approx((bent - straight).std(ddof=1) / 5**0.5)
    for kind, flags in zip(("straight", "bent"), called, strict=True):
        point = found["points"]["held_out"][kind]
        assert point["tpr"] == pytest.approx(flags[y == 1].mean())
        assert point["fpr"] == pytest.approx(flags[y == 0].mean())
    whole, drawn = rh.roc_curve(y, ratio), found["curves"]["held_out"]
    assert len(drawn["fpr"]) <= 2 / 0.004 + 2
    points = np.stack([whole.fpr, whole.tpr], axis=1)
    for rates in zip(drawn["fpr"], drawn["tpr"], strict=True):
        assert np.abs(points - rates).max(axis=1).min() <= 5e-7
    before = np.searchsorted(np.add(drawn["fpr"], drawn["tpr"]), points.sum(axis=1) + 2e-6, side="right") - 1
    assert (points - np.stack([drawn["fpr"], drawn["tpr"]], axis=1)[before]).max() <= 0.004 + 1e-6


def test_noise_gains_nothing_held_out() -> None:
    rng = np.random.default_rng(0)
    y, s, x = rng.integers(0, 2, 2000), rng.normal(size=2000), rng.integers(0, 40, 2000)
    raw = rh.ErrorRedistribution("pav", bins="category", shrinkage=0, min_bin=1)
    given = Segmentation(y, {"a": s}, {"x": x}, redistribution=raw)
    report = rh.Report(rh.Hybrid().add("a", y, s), rh.ExpectedCost(prevalence=0.5), segment=given)
    areas, points = (report.facts["segments"][key] for key in ("areas", "points"))
    assert areas["bent"] > areas["straight"] + 0.1
    assert abs(areas["held_out"]["gain"]) < 0.03
    assert points["bent"]["expected_cost"] < points["straight"]["expected_cost"] - 0.05
    assert (
        points["held_out"]["bent"]["expected_cost"] > points["held_out"]["straight"]["expected_cost"] - 0.02
    )
    assert derived.segment_state(report.facts)["gain"] in {"perhaps better", "perhaps worse", "worse"}


def test_without_a_condition_there_are_areas_only(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    for condition, words in (
        (None, "Name a condition"),
        (rh.ExpectedCost((1, 2), 5, prevalence=0.5), "The condition is a range"),
    ):
        report = rh.Report(hybrid, condition, segment=segmentation(table))
        found = report.facts["segments"]
        assert found["points"] is None
        assert found["fixed"] is None
        assert {row["threshold"] for row in found["rows"]} == {None}
        assert found["areas"]["bent"] > found["areas"]["straight"]
        assert words in report.to_text()
        assert words in report.to_html()
        json.loads(report.to_json())


def test_the_classifier_of_the_best_single_rule(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    turned = rh.Hybrid().add("b", table["y"], table["b"]).add("a", table["y"], table["a"])
    for made in (hybrid, turned):
        report = rh.Report(made, rh.NeymanPearson(0.2), segment=segmentation(table))
        assert report.facts["segments"]["classifier"] == "a"
    # The best rule is of a classifier without scores, so that the largest area decides.
    pointed = rh.Hybrid().add("b", table["y"], table["b"]).add("a", table["y"], table["a"])
    pointed.add_point("expert", 0.01, 0.99)
    report = rh.Report(pointed, rh.NeymanPearson(0.2), segment=segmentation(table))
    assert report.facts["deterministic"]["rules"][0]["rule"]["classifier"] == "expert"
    assert report.facts["segments"]["classifier"] == "a"


def test_a_segment_that_is_always_positive() -> None:
    y, x = np.tile([0, 1, 1, 1], 50), np.repeat([0.0, 1.0], 100)
    s = np.where(x == 1, 0.0, np.random.default_rng(0).normal(y))
    given = Segmentation(y, {"a": s}, {"x": x}, redistribution=rh.ErrorRedistribution("pav", shrinkage=0))
    report = rh.Report(rh.Hybrid().add("a", y, s), rh.ExpectedCost(prevalence=0.75), segment=given)
    assert "-inf" in {row["threshold"] for row in report.facts["segments"]["rows"]}
    assert "always" in report.to_text()
    assert "always" in report.to_html()


def test_what_other_data_say_is_refused(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    other = table | {"a": -table["a"]}
    with pytest.raises(ValueError, match=r"segment: the scores of 'a' have AUC 0\.0\d+ and those that"):
        rh.Report(hybrid, CONDITION, segment=segmentation(other))
    y, aux = table["y"], {"size": table["size"]}
    with pytest.raises(ValueError, match="scores of 'c' are given, but the hybrid was made from none"):
        rh.Report(hybrid, CONDITION, segment=Segmentation(y, {"c": table["a"]}, aux))
    refuses("aux column 'size' has 3 rows", Segmentation, y, {"a": table["a"]}, {"size": [1, 2, 3]})
    refuses("scores must hold a named column", Segmentation, y, table["a"], aux)
    refuses("cv must be", Segmentation, y, {"a": table["a"]}, aux, cv=1)
    words = np.where(y == 1, "bad", "good")
    same = Segmentation(words, {"a": table["a"]}, aux, pos_label="bad", redistribution=MODEL)
    assert rh.Report(hybrid, CONDITION, segment=same).facts["segments"]["areas"]["straight"] > 0.9


def test_weights_count(table: dict[str, Array]) -> None:
    w = np.random.default_rng(1).exponential(size=N)
    w[::9] = 0.0
    made = rh.Hybrid().add("a", table["y"], table["a"], sample_weight=w)
    made = made.add("b", table["y"], table["b"], sample_weight=w)
    given = segmentation(table, sample_weight=w)
    found = rh.Report(made, rh.NeymanPearson(0.2), segment=given).facts["segments"]
    model = rh.ErrorRedistribution("equal-variance", n_bins=4).fit(
        table["a"], table["y"], aux={"size": table["size"]}, sample_weight=w
    )
    assert [row["threshold"] for row in found["rows"]] == list(
        model.thresholds(rh.NeymanPearson(0.2)).values()
    )
    own = table["y"] == 0
    called = table["a"] >= model.thresholds(rh.NeymanPearson(0.2), aux={"size": table["size"]})
    assert found["points"]["bent"]["fpr"] == pytest.approx(np.average(called[own], weights=w[own]))
    assert sum(row["negatives"] for row in found["rows"]) == pytest.approx(w[own].sum())
    assert found["points"]["bent"]["expected_cost"] is None


def test_areas_compare_like_with_like(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    """In-sample both are areas of hulls: where thresholds are alike, so are these."""
    y, s = table["y"], table["a"]
    pooled = IsotonicRegression(out_of_bounds="clip").fit_transform(s, y)
    fixed = rh.ErrorRedistribution("fixed")
    raw = rh.ErrorRedistribution("pav", n_bins=4, shrinkage=0)
    for model in (fixed, raw):
        report = rh.Report(hybrid, CONDITION, segment=segmentation(table, redistribution=model))
        areas = report.facts["segments"]["areas"]
        assert areas["straight_hull"] == pytest.approx(roc_auc_score(y, pooled))
        assert areas["straight_hull"] > areas["straight"]
        wanted = areas["bent"] if model is raw else areas["straight_hull"]  # PAV is its own hull
        assert areas["bent_hull"] == pytest.approx(wanted)
        held = areas["held_out"]
        in_sample = [f"{areas[key]:.4f}" for key in ("straight_hull", "bent_hull")]
        assert segment_wording.areas(report.facts)[1] == [
            ["AUC of the hull", *in_sample, "–", "–"],
            ["AUC", "–", "–", f"{held['straight']:.4f}", f"{held['bent']:.4f}"],
        ]


def test_held_out_areas_of_pav_are_both_of_its_steps(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    """As scikit-learn's isotonic regression makes them: a raw score is not tied, and would look better by that."""
    y, s, areas = table["y"], table["a"], []
    model = rh.ErrorRedistribution("pav", n_bins=4)
    facts = rh.Report(hybrid, CONDITION, segment=segmentation(table, redistribution=model)).facts
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(s[:, None], y):
        steps = rh.roc_hull(y[train], s[train]).thresholds[1:]  # the lowest score of each step
        pooled = IsotonicRegression(out_of_bounds="clip").fit(s[train], y[train])
        level = pooled.predict(
            np.array([steps[steps <= each].max(initial=s[train].min()) for each in s[test]])
        )
        areas.append(roc_auc_score(y[test], level))
    held = facts["segments"]["areas"]["held_out"]
    assert held["straight"] == pytest.approx(np.mean(areas))
    assert held["straight"] != held["bent"]


def test_a_condition_that_cannot_be_met_in_a_fold() -> None:
    """Only the case of the highest score is called at this precision; in one fold it is held out."""
    y = np.arange(200) % 10 == 3
    s = np.where(np.arange(200) == 3, 9.0, np.random.default_rng(2).normal(size=200) - y)
    condition = rh.MinimumPrecision(0.999, prevalence=0.1)
    fixed = rh.ErrorRedistribution("fixed")
    given = Segmentation(y, {"a": s}, {"x": np.arange(200) % 2}, redistribution=fixed)
    report = rh.Report(rh.Hybrid().add("a", y, s), condition, segment=given)
    points = report.facts["segments"]["points"]
    assert (points["straight"]["fpr"], points["straight"]["tpr"]) == (0, pytest.approx(0.05))
    assert points["held_out"] is None
    (rates,) = [row for row in segment_wording.measures(report.facts)[1] if row[0] == "TPR"]
    assert rates == ["TPR", "5.0 %", "5.0 %", "–", "–"]
    section = report.to_html().split('aria-labelledby="segments"')[1].split("</section>")[0]
    (row,) = re.findall(r"<tr><th[^>]*><bdi[^>]*>TPR</bdi></th>(.*?)</tr>", section)
    assert re.findall(r"<td>(.*?)</td>", row) == rates[1:]
    assert "In some fold no threshold meets the condition, so there are no held-out rates." in section
    met = rh.Report(rh.Hybrid().add("a", y, s), rh.NeymanPearson(0.5), segment=given).to_html()
    assert "In some fold" not in met.split("<script", 1)[0]


# --- under any condition -----------------------------------------------------------------------------------


def check_live(
    live: dict[str, Any], model: rh.ErrorRedistribution, examples: dict[str, Array], aux: dict[str, Array]
) -> None:
    """Count at every vertex, by the plainest code."""
    y, s, w = (examples[name] for name in ("y", "s", "w"))
    hull, where = model.hull_, model.segment(aux)
    assert np.array(live["fp"]) == pytest.approx(hull.fp / hull.units.neg, rel=1e-15)
    assert np.array(live["tp"]) == pytest.approx(hull.tp / hull.units.pos, rel=1e-15)
    assert live["totals"] == pytest.approx({"negatives": w[y == 0].sum(), "positives": w[y == 1].sum()})
    names = [*model.segments_, None]
    assert [row["segment"] for row in live["segments"]] == [*model.segments_, "elsewhere"]
    for k, (name, row) in enumerate(zip(names, live["segments"], strict=True)):
        steps, own = row["steps"], where == k
        assert steps["vertex"][0] == 0
        assert sorted(set(steps["vertex"])) == steps["vertex"]
        if name is None:
            assert row["negatives"] is row["positives"] is steps["fp"] is steps["tp"] is None
        else:
            assert row["negatives"] == pytest.approx(w[own & (y == 0)].sum())
            assert row["positives"] == pytest.approx(w[own & (y == 1)].sum())
        for v, (rule, *_) in enumerate(hull.owners):
            j = sum(vertex <= v for vertex in steps["vertex"]) - 1
            segmented = rule.of(name) if isinstance(rule, rh.conditions.SegmentedRule) else rule
            wanted = {"never": "inf", "always": "-inf"}.get(segmented.kind, segmented.threshold)
            assert steps["threshold"][j] == (wanted if wanted != math.inf else "inf")
            if name is not None:
                called = own & ((segmented.kind == "always") | (s >= segmented.lowest))
                called &= segmented.kind != "never"
                assert steps["fp"][j] == pytest.approx(w[called & (y == 0)].sum())
                assert steps["tp"][j] == pytest.approx(w[called & (y == 1)].sum())


@pytest.mark.crossed
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("model", [
    rh.ErrorRedistribution("pav", n_bins=4, shrinkage=0), rh.ErrorRedistribution("fixed"), MODEL,
    rh.ErrorRedistribution("pav", n_bins=3, shrinkage=50),
])  # fmt: skip
def test_what_thresholds_are_along_the_hull(
    table: dict[str, Array], model: rh.ErrorRedistribution, weighted: bool
) -> None:
    y, s, aux = table["y"], table["a"].copy(), {"size": table["size"], "channel": table["channel"]}
    if model.model in {"pav", "fixed"}:
        s[::50] = np.inf
        s[1::50] = -np.inf
    w = np.random.default_rng(1).exponential(size=N) if weighted else None
    given = Segmentation(y, {"a": s}, aux, redistribution=model, sample_weight=w)
    found = rh.Report(rh.Hybrid().add("a", y, s, sample_weight=w), segment=given).facts["segments"]
    assert found["live_why"] is None
    fitted = clone(model).fit(s, y, aux=aux, sample_weight=w)
    check_live(found["live"], fitted, {"y": y, "s": s, "w": np.ones(N) if w is None else w}, aux)
    if not weighted:
        numbers = [
            *found["live"]["fp"],
            *(n for row in found["live"]["segments"][:-1] for n in row["steps"]["tp"]),
        ]
        assert {type(number) for number in numbers} == {int}
    json.dumps(found["live"], allow_nan=False)


@pytest.mark.crossed
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("condition", [None, rh.NeymanPearson(0.1)])
def test_a_scan_tells_the_same(dtype: Any, condition: Any) -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 3000)
    part = rng.choice(["a", "b", "rare"], 3000, p=[0.5, 0.495, 0.005])
    table = {"y": y, "s": (10 * rng.normal(1.5 * y)).astype(dtype), "part": part}
    scan = rh.scan(table, label="y", scores="s", segment="part")
    facts = rh.Report(rh.Hybrid.from_scan(scan), condition, scanned=Scanned(scan)).facts["segments"]
    model = rh.ErrorRedistribution().fit_scan(scan)
    examples = {"y": y, "s": table["s"].astype(float), "w": np.ones(3000)}
    check_live(facts["live"], model, examples, {"part": table["part"]})
    if condition is not None:
        assert facts["rows"][0]["tpr"] == pytest.approx(
            (table["s"] >= facts["rows"][0]["threshold"])[(table["part"] == "a") & (y == 1)].mean()
        )


def test_why_thresholds_do_not_move(
    hybrid: rh.Hybrid, table: dict[str, Array], monkeypatch: pytest.MonkeyPatch
) -> None:
    smooth = rh.ErrorRedistribution("equal-variance", bins="continuous")
    many = rh.ErrorRedistribution("equal-variance", bins="category", min_bin=1)
    codes = {"code": (np.arange(N) % 70).astype(float)}
    scores = {"a": table["a"]}
    for given, why in (
        (
            segmentation(table, redistribution=smooth),
            "Every case has a threshold of its own, so there",
        ),
        (
            Segmentation(table["y"], scores, codes, redistribution=many),
            "There are 70 segments; a page moves 60",
        ),
    ):
        found = rh.Report(hybrid, segment=given).facts["segments"]
        assert found["live"] is None
        assert found["live_why"].startswith(why)
    monkeypatch.setattr(live_segments, "MOST_STEPS", 10)
    found = rh.Report(hybrid, segment=segmentation(table)).facts["segments"]
    assert found["live"] is None
    assert re.match(
        r"The thresholds change \d+ times along the curve; a page holds 10 at most", found["live_why"]
    )


# --- words -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(hybrid: rh.Hybrid, table: dict[str, Array]) -> rh.Report:
    segment = segmentation(table, "size", "channel", redistribution=rh.ErrorRedistribution("pav", n_bins=3))
    return rh.Report(hybrid, CONDITION, segment=segment)


def test_text_fits_80_columns(report: rh.Report) -> None:
    text = report.to_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "Thresholds of a that depend on size and channel" in text
    named = " ".join(row[0] for row in segment_wording.thresholds(report.facts)[1])
    assert "channel is missing" in named
    assert "elsewhere (never seen)" in named
    assert "held out:" in text
    plain, _, experts = " ".join(text.split()).partition("For experts ")
    assert "Elsewhere is for values of size and channel that no case here has" in plain
    assert "Elsewhere, scores are judged by all cases together, down to the likelihood ratio" in experts
    for jargon in ("PAV", "likelihood ratio", "convex hull", "slope", "folds for areas"):
        assert jargon not in plain
        assert jargon in experts
    assert "(FPR and TPR in-sample)" in plain
    assert "all: one" in text
    assert "(standard error over the folds) higher." in " ".join(text.split())


def test_page_holds_the_numbers(report: rh.Report) -> None:
    page = report.to_html()
    facts = report.facts["segments"]
    assert 'id="bent"' in page
    assert "Thresholds of a that depend on size and channel" in page
    for row in facts["rows"]:
        assert segment_wording.threshold(row["threshold"], False) in page
    assert "channel = web" in page
    held = facts["areas"]["held_out"]
    assert f"{held['bent']:.4f}" in page
    assert json.loads(report.to_json())["segments"] == facts


def test_what_one_threshold_does_in_every_segment_is_told(report: rh.Report) -> None:
    found = report.facts["segments"]
    columns, rows = segment_wording.thresholds(report.facts)
    assert columns[-2:] == ["one:\nFPR", "one:\nTPR"]
    for row, cells in zip(found["rows"][:-1], rows, strict=False):
        assert cells[-2:] == [wording.percent(row["one"][name]) for name in ("fpr", "tpr")]
    (elsewhere, bent, straight), points = rows[-3:], found["points"]
    assert elsewhere[1:3] == ["0", "0"]
    assert [bent[0], straight[0]] == ["all: by segment", "all: one threshold"]
    assert bent[4:6] == [wording.percent(points["bent"][name]) for name in ("fpr", "tpr")]
    assert straight[3:] == [
        segment_wording.threshold(found["fixed"], False), "–", "–",
        *(wording.percent(points["straight"][name]) for name in ("fpr", "tpr")),
    ]  # fmt: skip
    assert max(map(len, report.to_text().splitlines())) <= 80
    older = [{key: value for key, value in row.items() if key != "one"} for row in found["rows"]]
    _, plain = segment_wording.thresholds(report.facts | {"segments": found | {"rows": older}})
    assert [cells[:-2] for cells in plain] == [cells[:-2] for cells in rows]  # a document that lacks it


def test_the_bin_of_the_smallest_is_explained(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    cells = np.array([("a", "x"), ("b", "y"), ("a", "y"), ("b", "x"), ("other", "x"), ("other", "y")])
    for shares, told in (
        ([0.04, 0.04, 0.23, 0.23, 0.23, 0.23], True),
        ([0.1, 0.1, 0.2, 0.2, 0.2, 0.2], False),
    ):
        drawn = cells[np.random.default_rng(1).choice(6, N, p=shares)].T
        given = table | {"channel": drawn[0], "kind": drawn[1]}
        report = rh.Report(hybrid, CONDITION, segment=segmentation(given, "channel", "kind"))
        rows = [row["segment"] for row in report.facts["segments"]["rows"]]
        assert ("other" in rows) == told
        sentence = wording.tell("report.segments.other")
        assert (sentence in (segment_wording.unseen(report.facts) or "")) == told
        assert (sentence in " ".join(report.to_text().split())) == told


def test_pages_without_segments_do_not_mention_them(hybrid: rh.Hybrid) -> None:
    report = rh.Report(hybrid, CONDITION)
    assert report.facts["segments"] is None
    assert 'id="bent"' not in report.to_html()
    assert "segment" not in report.to_text()


def test_names_are_text(table: dict[str, Array]) -> None:
    hostile = "<b>\x1b[31m{{ 7 * 7 }}</script>"
    y, s = table["y"], table["a"]
    channel = np.where(table["size"] > 3, hostile, "plain").astype(object)
    given = Segmentation(y, {hostile: s}, {hostile: channel}, redistribution=rh.ErrorRedistribution("fixed"))
    report = rh.Report(rh.Hybrid().add(hostile, y, s), CONDITION, segment=given)
    page, text = report.to_html(), report.to_text()
    assert hostile not in page
    assert "\x1b" not in text
    assert "{{ 7 * 7 }}" in text.replace("\n", "")


def test_many_segments_are_cut_short_in_a_terminal(hybrid: rh.Hybrid, table: dict[str, Array]) -> None:
    code = (np.arange(N) % 45).astype(float)
    given = Segmentation(
        table["y"], {"a": table["a"]}, {"code": code}, redistribution=rh.ErrorRedistribution(
            "equal-variance", bins="category", min_bin=1)
    )  # fmt: skip
    report = rh.Report(hybrid, CONDITION, segment=given)
    columns, rows = segment_wording.thresholds(report.facts)
    assert len(rows) == 48
    assert all(len(row) == len(columns) for row in rows)
    _, short = segment_wording.thresholds(report.facts, 20)
    assert len(short) == 21
    assert short[17][0] == "... 28 more"
    assert short[:17] == rows[:17]
    assert short[-3:] == rows[-3:]
    assert "... 28 more" in to_text(report.facts)
    assert "<summary>The thresholds of 46 segments</summary>" in report.to_html()


PLAIN = {
    "classifier": "a", "columns": ["plan"], "model": "pav", "shrinkage": 0, "n_folds": 5, "fixed": 1, "rows": [],
    "points": None, "areas": {"held_out": None},
}  # fmt: skip


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("gain", "key"), [(0.01, "better"), (-0.01, "worse"), (0.001, "same"), (-0.001, "same")]
)
def test_verdict(gain: float, key: str) -> None:
    areas = {"held_out": {"gain": gain, "gain_sem": 0.001}}
    text = segment_wording.gain_verdict({"segments": PLAIN | {"areas": areas}})
    assert text == f"report.segments.area {key}"
    assert segment_wording.how({"segments": PLAIN | {"areas": areas}, "need": None}).endswith(
        "segments.areas"
    )
    assert segment_wording.gain_verdict({"segments": PLAIN}) == "report.segments.memory"


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("bent", "sem", "gain", "beside"),
    [
        (0.518, 0.01, "better", "better"),
        (0.518, 0.02, "perhaps better", "chance"),
        (0.56, 0.01, "worse", "worse"),
        (0.56, 0.02, "perhaps worse", "chance"),
        (0.539, 0.0, "same", "chance"),
    ],
)
def test_the_verdict_weighs_what_was_chosen_before_the_area(
    bent: float, sem: float, gain: str, beside: str
) -> None:
    """On German credit the cost fell while the area did, and the page said "use one threshold"."""
    costs = {"straight": 0.539, "bent": bent}
    held = {kind: {"expected_cost": cost, "fpr": 0.1, "tpr": 0.9} for kind, cost in costs.items()}
    held |= {"gain": round(0.539 - bent, 6), "gain_sem": sem}
    areas = {"held_out": {"gain": -0.01, "gain_sem": 0.001}}
    found = PLAIN | {"areas": areas, "points": {"held_out": held}}
    facts = {"segments": found, "need": None}
    assert segment_wording.gain_verdict(facts) == f"report.segments.cost {gain}"
    assert segment_wording.how(facts).endswith(f"{'same' if gain == 'same' else 'cost'} and areas")
    assert segment_wording.beside(facts) == f"report.segments.beside {beside}"
    assert segment_wording.is_sure(facts) == (gain in ("better", "worse"))
    alike = {"segments": found | {"rows": [{"threshold": 1}, {"threshold": 1}]}}
    kept = "alike" if beside == "chance" else beside
    assert segment_wording.beside(alike) == f"report.segments.beside {kept}"


def test_without_costs_nothing_is_said_beside_the_answer() -> None:
    found = PLAIN | {"points": {"held_out": {"gain": None, "gain_sem": None}}}
    assert segment_wording.beside({"segments": found}) is segment_wording.beside({"segments": None}) is None


@pytest.mark.usefixtures("keys")
def test_what_may_surprise_beside_the_verdict(report: rh.Report) -> None:
    """A cost of other folds at the top, and thresholds that are the same on all cases."""
    found, need = report.facts["segments"], {"hybrid": 0.4363, "hybrid_error": 0.02, "n_folds": 10}
    rows = [row | {"threshold": found["fixed"]} for row in found["rows"]]
    changes = {"partitions": {"need": need}, "alike": {"segments": found | {"rows": rows}}}
    for key, change in changes.items():
        for facts, told in ((report.facts, False), (report.facts | change, True)):
            assert (f"report.segments.{key}" in segment_wording.verdicts(facts)) == told


@pytest.mark.parametrize(("bent", "gained"), [((0.09, 0.6), True), ((0.11, 0.7), True), ((0.1, 0.6), False)])
def test_the_verdict_weighs_both_rates_under_a_limit(bent: tuple[float, float], gained: bool) -> None:
    kinds = {"straight": (0.1, 0.6 if gained else 0.65), "bent": bent}
    held = {kind: {"fpr": fpr, "tpr": tpr, "expected_cost": None} for kind, (fpr, tpr) in kinds.items()}
    assert derived.rates_gained(held) == gained
    areas = {"held_out": {"gain": -0.01, "gain_sem": 0.001}}
    held |= {"gain": None, "gain_sem": None}
    text = segment_wording.gain_verdict({"segments": PLAIN | {"areas": areas, "points": {"held_out": held}}})
    assert ("use one threshold" in text) == (not gained)


@pytest.mark.parametrize(("value", "shrunk"), [(30.0, "some"), ("inf", "all"), (0.0, "no"), (None, "no")])
def test_how_shrinkage_is_said(value: Any, shrunk: str) -> None:
    assert derived.segment_state({"segments": PLAIN | {"shrinkage": value}})["shrunk"] == shrunk


def test_the_first_screen_of_a_page_tells_whether_segments_pay(
    hybrid: rh.Hybrid, table: dict[str, Any]
) -> None:
    shop = np.random.default_rng(8).choice(list("ab"), N)  # which says nothing of the cases
    given = Segmentation(table["y"], {"a": table["a"], "b": table["b"]}, {"shop": shop})
    report = rh.Report(hybrid, rh.ExpectedCost(1, 2), segment=given)
    assert segment_wording.beside(report.facts) == "Thresholds by shop: no proven gain."
    assert " · thresholds by shop: no proven gain</span></p>" in report.to_html()


def test_what_is_saved_held_out_is_a_paired_mean(table: dict[str, Array], hybrid: rh.Hybrid) -> None:
    """Against the losses of every case, written out."""
    costs = rh.ExpectedCost(1, 4, prevalence=0.2)
    rng, y = np.random.default_rng(5), table["y"]
    called = rng.random((2, y.size)) < 0.4
    data = validation.labelled(y, table["a"], name="a")
    found = segments._saved(called, data, costs)
    w, m = 0.8, 0.8  # what fpr = 1 costs, and tpr = 0
    losses = np.where(y == 1, m * ~called, w * called)  # of its class, (2, n)
    means = [(losses[0] - losses[1])[y == label] for label in (0, 1)]
    assert found["gain"] == pytest.approx(sum(each.mean() for each in means))
    assert found["gain_sem"] == pytest.approx(np.sqrt(sum(each.var() / each.size for each in means)))
    assert segments._saved(called, data, rh.NeymanPearson(0.1)) == {"gain": None, "gain_sem": None}
    held = rh.Report(hybrid, costs, segment=segmentation(table, "size")).facts["segments"]["points"][
        "held_out"
    ]
    saved = held["straight"]["expected_cost"] - held["bent"]["expected_cost"]
    assert held["gain"] == pytest.approx(saved)


# --- the command line --------------------------------------------------------------------------------------


@pytest.fixture(params=["csv", "parquet"])
def file(request: pytest.FixtureRequest, tmp_path: Path, table: dict[str, Array]) -> str:
    frame = pd.DataFrame(table)
    frame["label"] = np.where(frame["y"] == 1, "bad", "good")
    frame["size"] = frame["size"].where(np.arange(N) % 30 > 0)
    path = tmp_path / f"table.{request.param}"
    frame.to_csv(path, index=False) if request.param == "csv" else frame.to_parquet(path)
    return str(path)


@pytest.fixture
def options(file: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    return ["report", file, "--label", "label", "--positive", "bad", "--score", "a", "--score", "b"]


def test_columns_of_a_file(
    options: list[str], file: str, tmp_path: Path, table: dict[str, Array], capsys: pytest.CaptureFixture[str]
) -> None:
    """Missing values are a segment of their own; the numbers are those of Python."""
    target, policy = tmp_path / "report.json", tmp_path / "policy.json"
    more = ["--segment", "size", "--segment", "channel", "--max-fpr", "0.1"]
    status = app.main([*options, *more, "-o", str(target), "--policy", str(policy)])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80 or str(tmp_path) in out
    assert "by 'size', 'channel'." in out
    facts = json.loads(target.read_text())["segments"]
    size = np.where(np.arange(N) % 30 > 0, table["size"], np.nan)
    given = Segmentation(
        table["y"], {"a": table["a"], "b": table["b"]}, {"size": size, "channel": table["channel"]}
    )
    hybrid = rh.Hybrid().add("a", table["y"], table["a"]).add("b", table["y"], table["b"])
    expected = rh.Report(hybrid, rh.NeymanPearson(0.1), segment=given).facts["segments"]
    assert facts == json.loads(json.dumps(expected))
    assert app.main([*options, "--segment", "channel", "--max-fpr", "0.1"]) == 0
    assert "channel is" in capsys.readouterr().out  # in a narrow column


def test_what_cannot_be_a_segment(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for more, status, words in (
        (["--segment", "label"], 2, "--segment must not be the label column 'label'."),
        (["--segment", "size", "--segment", "size"], 2, "--segment names the column 'size' twice."),
        (["--segment", "sise"], 1, "has no column 'sise'"),
    ):
        assert app.main([*options, *more]) == status
        assert words in capsys.readouterr().err


def test_where_selects_the_rows_of_segments(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    options = [*options, "--segment", "channel", "--where", "channel = 'web'", "--max-fpr", "0.1"]
    assert app.main(options) == 0
    assert "for each" not in capsys.readouterr().out  # there is but one
    assert app.main([*options, "--full"]) == 0
    out = capsys.readouterr().out
    assert "channel = web" in out or "all cases" in out
    assert "shop" not in out


@pytest.mark.long
def test_reports_without_segments_do_not_load_scikit_learn() -> None:
    code = """
import sys, rochull as rh
y, s = [0, 1, 0, 1], [1, 2, 3, 4]
rh.Report(rh.Hybrid().add("a", y, s), rh.NeymanPearson(0.5)).to_text()
print("sklearn" in sys.modules)
"""
    command = [sys.executable, "-W", "error", "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"


def amounts_one_by_one(values: Any) -> Any:
    if isinstance(values, list):
        return [amounts_one_by_one(value) for value in values]
    return int(values) if abs(values) < 2**53 and values == int(values) else values


@drawn(
    arrays(
        st.sampled_from([float, np.int64]),
        array_shapes(min_dims=0, max_dims=2, min_side=0),
        elements=st.sampled_from([0, 1, 7, 2**52, 2**60]),
    ),
    st.floats(0, 3),
)
def test_amounts_are_integers_where_they_are_some(values: Any, part: float) -> None:
    for found in (values, values * part, values / 3):
        told = live_segments.counts((found, found), Units(1, 1))
        assert repr(told["fp"]) == repr(told["tp"]) == repr(amounts_one_by_one(found.tolist()))
