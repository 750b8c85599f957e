"""The report: facts are the library's numbers, its text fits a terminal, and files are whole or not there."""

import html
import json
import os
import re
import webbrowser
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import report_cases as cases
import rochull as rh
from refusals import refuses
from rochull import datasets
from rochull.report import facts as facts_module
from rochull.report import need_wording, wording
from rochull.report.facts import facts_of
from rochull.report.html import resource
from rochull.report.numbers import NUMBERS
from rochull.report.text import to_text

NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
SCHEMA = json.loads(files("rochull.report").joinpath("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)  # the schema itself is checked once, in test_schema.py
HOSTILE = [
    '</script><img src=x onerror="alert(1)">',
    "<b>%{x}</b> {{ 7 * 7 }} &amp;",
    "\u2028\x1b[31m[red]",
    "x" * 200,
]


@pytest.fixture(scope="module")
def hostile() -> rh.Hybrid:
    """Return classifiers whose names attack the page."""
    return cases.named(HOSTILE)


# --- facts ---------------------------------------------------------------------------------------


def test_facts_are_the_library_s_numbers(german: rh.Hybrid) -> None:
    facts = facts_of(german, COSTS)
    point = german.at(COSTS)
    assert (facts["chosen"]["fpr"], facts["chosen"]["tpr"]) == (point.fpr, point.tpr)
    assert facts["chosen"]["expected_cost"] == point.expected_cost(COSTS)
    assert facts["chosen"]["rules"][0]["rule"]["threshold"] == point.rules[0][0].threshold
    assert (facts["hybrid"]["fp"], facts["hybrid"]["tp"]) == (
        german.hull.fp.tolist(),
        german.hull.tp.tolist(),
    )
    assert facts["chosen"]["net_benefit"] == point.net_benefit(COSTS)
    assert facts["hybrid"]["auc"] == german.hull.auc()
    assert {c["name"]: c["auc"] for c in facts["classifiers"]} == german.auc
    regret = german.regret(COSTS)
    assert {row["classifier"]: row["value"] for row in facts["regret"]["rows"]} == {
        name: found.value for name, found in regret.items()
    }
    table = german.dominance_table()
    assert facts["dominance"]["absolute"] == table.absolute
    assert [row["classifiers"] for row in facts["dominance"]["rows"]] == [
        list(r.classifiers) for r in table.rows
    ]
    for c in facts["classifiers"]:
        hull, curve = german.hulls[c["name"]], german.curves[c["name"]]
        assert hull.blocks is not None
        assert (c["hull"]["fp"], c["hull"]["tp"]) == (hull.fp.tolist(), hull.tp.tolist())
        assert c["hull"]["thresholds"] == ["inf", *hull.blocks.low.tolist()]
        assert c["calibration"]["high"] == hull.blocks.high.tolist()
        assert np.diff(c["hull"]["tp"]).tolist() == hull.blocks.pos.tolist()
        assert (c["curve"]["fp"], c["curve"]["tp"]) == (curve.fp_units.tolist(), curve.tp_units.tolist())
        assert (c["curve"]["max_error"], c["integer"]) == (1e-3, False)
    assert facts["totals"] == {"positives": 300, "negatives": 700}
    assert facts["examples"] == {"positives": 300, "negatives": 700, "weighted": False, "prevalence": 0.3}
    assert facts["in_sample"] is True


def test_confusion_is_per_case(german: rh.Hybrid) -> None:
    cases = facts_of(german, COSTS)["chosen"]["confusion"]
    assert cases["tp"] + cases["fn"] == pytest.approx(3000)
    assert cases["fp"] + cases["tn"] == pytest.approx(7000)
    cost = facts_of(german, COSTS)["chosen"]["expected_cost"]
    assert cases["fp"] + 5 * cases["fn"] == pytest.approx(10_000 * cost)
    other = facts_of(german, rh.NeymanPearson(0.1))["chosen"]["confusion"]
    assert (other["prevalence"], other["prevalence_from"]) == (0.3, "table")


CONDITIONS = [
    COSTS,
    rh.ExpectedCost(1, 0, 0.5),
    rh.Accuracy(0.5),
    rh.NeymanPearson(0.05),
    rh.MinimumRecall(0.9),
    rh.MinimumPrecision(0.6, prevalence=0.3),
    rh.Capacity(cases=20, population=100, prevalence=0.3),
    rh.Capacity(fraction=0.1, prevalence=0.3),
    rh.Utility(lambda fpr, tpr: tpr - fpr),
    rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.4),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: type(c).__name__)
def test_every_condition(german: rh.Hybrid, condition: Any) -> None:
    report = rh.Report(german, condition)
    facts, point = report.facts, german.at(condition)
    assert json.loads(report.to_json()) == facts
    assert (facts["chosen"]["fpr"], facts["chosen"]["tpr"]) == (point.fpr, point.tpr)
    assert all(row["value"] >= 0 for row in facts["regret"]["rows"] if row["value"] != "inf")
    assert len(facts["deterministic"]["rules"]) == 1
    if facts["line"] is not None:
        ends = np.array(facts["line"]["points"])
        assert ((ends > -1e-9) & (ends < 1 + 1e-9)).all()
        (x0, y0), (x1, y1) = ends
        off = (x1 - x0) * (point.tpr - y0) - (y1 - y0) * (point.fpr - x0)
        assert off == pytest.approx(0, abs=1e-9)  # the condition's line goes through its best point
    assert wording.condition(facts["condition"]) in report.to_text().replace("\n", " ")


def test_a_range_of_conditions(german: rh.Hybrid) -> None:
    condition = rh.ExpectedCost(1, (1, 50), prevalence=0.3)
    report = rh.Report(german, condition)
    assert report.facts["chosen"] is None
    assert report.facts["condition"]["potentially_optimal"] == list(german.potentially_optimal(condition))
    low, high = condition.slope_range
    assert report.facts["condition"]["probability_cost_range"] == [1 / (1 + high), 1 / (1 + low)]
    assert "1 to 50" in report.to_text(width=200)
    limit = rh.NeymanPearson((0.1, 0.2))
    report = rh.Report(german, limit)
    assert report.facts["robust"]["rows"][0]["worst"] == german.regret(limit).minimax_regret
    assert report.facts["condition"]["potentially_optimal"] == list(german.potentially_optimal(limit))
    assert "10 % to 20 %" in report.to_text(width=200)
    assert '<h2 id="robust">' in report.to_html()


def test_a_condition_that_one_classifier_cannot_meet() -> None:
    y = [0, 0, 1, 1]
    hybrid = rh.Hybrid().add("good", y, [1, 2, 3, 4]).add("bad", y, [4, 3, 2, 1])
    report = rh.Report(hybrid, rh.MinimumPrecision(0.9, prevalence=0.5))
    assert [row["value"] for row in report.facts["regret"]["rows"]] == [0.0, "inf"]
    assert report.facts["dominance"]["absolute"] == "good"
    told = " ".join(report.to_text().split())
    assert (
        "good is at least as good as every other score (bad), and as any switching between them, whatever"
        in told
    )
    assert "cannot meet it" in report.to_text()
    with pytest.raises(rh.InfeasibleConditionError):
        rh.Report(rh.Hybrid().add("bad", y, [4, 3, 2, 1]), rh.MinimumPrecision(0.9, prevalence=0.5))
    refuses("the hybrid is empty", rh.Report, rh.Hybrid())


def test_weights_and_points() -> None:
    hybrid = rh.Hybrid().add("a", [0, 1, 1, 0], [1, 2, 3, 2.5], sample_weight=[0.5, 1, 1, 1.5])
    facts = facts_of(hybrid.add_point("p", 0.1, 0.9))
    assert facts["examples"] == {"positives": 2.0, "negatives": 2.0, "weighted": True, "prevalence": 0.5}
    assert facts["totals"] == {"positives": 2, "negatives": 2}
    weighted, point = facts["classifiers"]
    assert (weighted["hull"]["fp"], weighted["hull"]["tp"]) == ([0, 0, 1.5, 2], [0, 1, 2, 2])
    assert point["calibration"] is point["curve"] is point["auc"] is None
    assert point["hull"]["fp"] == pytest.approx([0, 0.2, 2], abs=1e-15)
    assert point["hull"]["tp"] == pytest.approx([0, 1.8, 2], abs=1e-15)
    assert point["hull"]["thresholds"] == ["inf", 1, "-inf"]
    assert "total weight" in to_text(facts)
    rates = rh.Report(rh.Hybrid().add_point("p", 0.1, 0.9), rh.NeymanPearson(0.1))
    assert rates.facts["examples"] is None
    assert rates.facts["totals"] == {"positives": 1, "negatives": 1}
    assert (rates.facts["hybrid"]["fp"], rates.facts["hybrid"]["tp"]) == ([0, 0.1, 1], [0, 0.9, 1])
    assert rates.facts["chosen"]["confusion"] is None


def test_amounts_are_integers_where_examples_are_counted() -> None:
    """A rate that is a count is that count; beside one that is none, scored classifiers keep their counts."""
    y, score = [0, 0, 0, 1, 1, 1, 0, 1], [1, 2, 5, 3, 4, 6, 0, 2]
    for rate, kind in ((0.25, int), (0.1, float)):
        facts = facts_of(rh.Hybrid().add_point("p", rate, 1).add("a", y, score))
        point, scored = facts["classifiers"]
        assert type(point["hull"]["fp"][1]) is kind
        assert (point["hull"]["fp"][1], point["hull"]["tp"][1]) == (rate * 4, 4)
        assert scored["hull"]["fp"] == [0, 0, 1, 2, 4]
        assert scored["integer"]
        assert scored["hull"]["thresholds"] == ["inf", 6, 3, 2, 0]
        rules = facts["hybrid"]["owners"][facts["hybrid"]["fp"].index(rate * 4)]
        assert [rule["classifier"] for rule in rules] == ["p"]
        for amounts in (*facts["totals"].values(), scored["hull"]["fp"], scored["curve"]["tp"]):
            assert {type(amount) for amount in np.ravel(amounts).tolist()} == {int}


def test_many_curves_keep_fewer_points(german: rh.Hybrid, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = facts_of(german)["classifiers"]
    monkeypatch.setattr(facts_module, "_DRAWN", 200)
    monkeypatch.setattr(facts_module, "_KEPT", 200)
    for few, all_ in zip(facts_of(german)["classifiers"], whole, strict=True):
        points = [list(zip(c["curve"]["fp"], c["curve"]["tp"], strict=True)) for c in (few, all_)]
        assert set(points[0]) < set(points[1])
        assert len(points[0]) <= 200 / 5 + 2
        assert [points[0][end] for end in (0, -1)] == [(0, 0), (700, 300)]
        assert few["curve"]["max_error"] == pytest.approx(0.001 + 2 * 5 / 200)
        assert (few["hull"], few["auc"]) == (all_["hull"], all_["auc"])


def test_a_weighted_hull_keeps_its_slopes() -> None:
    rng = np.random.default_rng(3)
    y, score, weight = rng.integers(0, 2, 300), rng.normal(size=300), rng.lognormal(size=300)
    hybrid = rh.Hybrid().add("a", y, score + y, sample_weight=weight).add("b", y, score, sample_weight=weight)
    facts = facts_of(hybrid)
    fp, tp = (np.array(facts["hybrid"][axis]) for axis in ("fp", "tp"))
    assert fp / facts["totals"]["negatives"] == pytest.approx(hybrid.hull.fpr, rel=1e-15)
    assert tp / facts["totals"]["positives"] == pytest.approx(hybrid.hull.tpr, rel=1e-15)
    assert facts["totals"]["positives"] == pytest.approx(weight[y == 1].sum())


def test_misses_that_cost_nothing(german: rh.Hybrid) -> None:
    """The best rule then is the top of the first edge, without a false alarm."""
    facts = facts_of(german, rh.ExpectedCost(1, 0, 0.3))
    assert facts["chosen"]["net_benefit"] == 0.3 * facts["chosen"]["tpr"]
    hybrid = rh.Hybrid().add_point("p", 0.1, 0.9)
    rows = facts_of(hybrid, rh.ExpectedCost(0, 1, 0.3))["regret"]["rows"]
    assert rows[0]["point"]["net_benefit"] == 0.3


LIMITS: list[Any] = [
    rh.NeymanPearson(0.05),
    rh.MinimumRecall(0.9),
    rh.MinimumPrecision(0.6, prevalence=0.2),
    rh.Capacity(cases=20, population=100, prevalence=0.2),
    rh.Capacity(fraction=0.1, prevalence=0.2),
    rh.Utility(lambda fpr, tpr: tpr - fpr),
    rh.Constrained(lambda fpr, tpr: tpr, a=0.5, b=0.5, c=0.4),
]


@pytest.mark.parametrize("condition", LIMITS, ids=lambda c: type(c).__name__)
def test_figures_beside_a_limit(german: rh.Hybrid, condition: Any) -> None:
    """They change what is told of the points, and nothing else."""
    costs = rh.ExpectedCost(2, 5, prevalence=0.2)
    facts, bare = rh.Report(german, condition, figures=costs).facts, rh.Report(german, condition).facts
    assert (facts["figures"], bare["figures"]) == ({"cost_fp": 2, "cost_fn": 5, "prevalence": 0.2}, None)
    points = [facts["chosen"], facts["deterministic"], *(row["point"] for row in facts["regret"]["rows"])]
    others = [bare["chosen"], bare["deterministic"], *(row["point"] for row in bare["regret"]["rows"])]
    for point, other in zip(points, others, strict=True):
        if point is None:
            assert other is None
            continue
        rates = {"fpr": point["fpr"], "tpr": point["tpr"]}
        assert point["expected_cost"] == costs.cost(**rates)
        assert point["net_benefit"] == costs.net_benefit(**rates)
        own = hasattr(condition, "prevalence")
        assert point["confusion"]["prevalence_from"] == ("condition" if own else "figures")
        assert point["confusion"]["tp"] == 2000 * point["tpr"]
        hits, alarms = 0.2 * point["tpr"], 0.8 * point["fpr"]
        assert point["precision"] == pytest.approx(hits / (hits + alarms))
        assert other["expected_cost"] is other["net_benefit"] is None
        same = {key: point[key] for key in ("fpr", "tpr", "rules", "source")}
        assert same == {key: other[key] for key in same}
    for key in set(facts) - {
        "figures",
        "chosen",
        "deterministic",
        "regret",
        "baselines",
        "answer",
        "opening",
    }:
        assert facts[key] == bare[key]
    text = " ".join(rh.Report(german, condition, figures=costs).to_text().split())
    assert f"expected cost {costs.cost(points[0]['fpr'], points[0]['tpr']):.4g} per case, net benefit" in text
    assert "are for a false alarm that costs 2, and a miss 5." in text
    assert "Of 10,000 cases, 20 % of them bad (of the past ones 30.0 %)" in text
    assert " more)" not in text  # a loss of utility is no share of a cost
    VALIDATOR.validate(facts)


def test_figures_that_tell_nothing_are_refused(german: rh.Hybrid) -> None:
    costs, limit = rh.ExpectedCost(1, 5, 0.3), rh.NeymanPearson(0.1)
    for condition, figures, message in (
        (COSTS, costs, "^figures has no effect with ExpectedCost, whose own costs and prevalence tell them"),
        (rh.Accuracy(0.3), costs, "^figures has no effect with ExpectedCost"),
        (None, costs, r"^figures has no effect without a condition\.$"),
        (limit, rh.ExpectedCost(1, (5, 50), 0.3), "^figures must be an ExpectedCost of single numbers"),
        (limit, rh.MinimumRecall(0.3), "^figures must be an ExpectedCost of single numbers, but is Minimum"),
        (rh.MinimumPrecision(0.6, 0.2), costs, r"must have the condition's prevalence, 0\.2, but has 0\.3"),
        (rh.Capacity(fraction=0.1, prevalence=0.2), costs, "figures must have the condition's prevalence"),
    ):  # fmt: skip
        refuses(message, rh.Report, german, condition, figures=figures)


def test_figures_of_given_rates() -> None:
    """Without examples there is no other prevalence; misses may cost nothing."""
    hybrid = rh.Hybrid().add_point("p", 0.1, 0.9)
    found = rh.Report(hybrid, rh.NeymanPearson(0.1), figures=rh.ExpectedCost(1, 0, 0.5)).facts["chosen"]
    assert (found["expected_cost"], found["net_benefit"]) == (pytest.approx(0.05), "-inf")
    assert found["precision"] == pytest.approx(0.9)


def test_the_schema_is_documented(german: rh.Hybrid) -> None:
    assert facts_module.__doc__ is not None

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    facts = facts_of(german, COSTS)
    facts["condition"]["parameters"] = facts["condition"]["clause"] = {}
    facts["deploy"] = facts["answer"] = facts["opening"] = None  # have modules of their own
    facts["figures"] = facts_of(german, rh.NeymanPearson(0.1), figures=COSTS)["figures"]
    documented = set(re.findall(r"``(\w+)``", facts_module.__doc__)) | {number.key for number in NUMBERS}
    assert keys(facts) <= documented


# --- text and files ------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [COSTS, rh.NeymanPearson(0.05), None])
def test_text_fits_a_terminal(german: rh.Hybrid, hostile: rh.Hybrid, condition: Any) -> None:
    for hybrid in (german, hostile):
        text = rh.Report(hybrid, condition).to_text()
        assert max(map(len, text.splitlines())) <= 80
        assert all(c == "\n" or c.isprintable() for c in text)
        assert "in-sample" in text
    assert "[red]" in text
    assert "0.1744 or more." in rh.Report(german, COSTS).to_text()


def test_the_text_tells_the_net_benefit(german: rh.Hybrid) -> None:
    words = " ".join(rh.Report(german, COSTS).to_text().split())
    assert "expected cost 0.502 per case, net benefit 0.1996" in words
    free = rh.Report(rh.Hybrid().add_point("p", 0.1, 0.9), rh.ExpectedCost(1, 0, 0.3))
    assert "net benefit 0" in free.to_text()
    assert "net benefit" not in rh.Report(german, rh.NeymanPearson(0.1)).to_text()


def test_areas_are_told_beside_the_largest_alone(german: rh.Hybrid) -> None:
    report = rh.Report(german, COSTS)
    best = max(german.hulls, key=lambda name: german.hulls[name].auc())
    beside = f"({best} alone: {german.hulls[best].auc():.4f})"
    assert beside in " ".join(report.to_text().split())
    assert f"(in-sample) {beside}." in report.to_html()
    assert "95 % intervals (DeLong's, made wider where a class has few cases)" in html.unescape(
        report.to_html()
    )
    assert wording.largest_alone({"classifiers": [{}]}) == ""
    same = report.facts | {"hybrid": {"auc": german.hulls[best].auc() + 1e-9}}
    assert wording.largest_alone(same) == ""


def test_conditions_that_are_not_cross_validated_say_so(german: rh.Hybrid) -> None:
    told = "By how much was not measured for this kind of condition. Try the rule on new cases"
    limited = rh.Within(COSTS, [rh.FalsePositiveRate() <= 0.3])
    for condition in (
        limited,
        rh.ExpectedCost(1, (3, 8), 0.3),
        rh.conditions.Review(1, 5, 0.1, prevalence=0.3),
    ):
        report = rh.Report(german, condition)
        assert told in " ".join(report.to_text().split())
    assert told not in " ".join(rh.Report(german, COSTS).to_text().split())


def test_the_command_is_kept(german: rh.Hybrid) -> None:
    words = ["rochull", "report", "a b.csv"]
    assert rh.Report(german, command=words).facts["command"] == words
    assert rh.Report(german).facts["command"] is None
    for wrong in ("rochull report", ["rochull", 1]):
        refuses("command must be a list of words, but is", rh.Report, german, command=wrong)


def test_a_measure_is_a_condition_and_nothing_else_is(german: rh.Hybrid) -> None:
    """As for :meth:`Hybrid.at`."""
    chosen, point = rh.Report(german, rh.BalancedAccuracy()).facts["chosen"], german.at(rh.BalancedAccuracy())  # type: ignore[arg-type]
    assert (chosen["fpr"], chosen["tpr"]) == (point.fpr, point.tpr)
    with pytest.raises(TypeError, match="condition must be an operating condition, but is 'x'"):
        rh.Report(german, "x")  # type: ignore[arg-type]


def test_it_says_whether_the_hybrid_is_needed(german: rh.Hybrid) -> None:
    table = datasets.load("german_credit_scores")
    y, scores = table["class"] == "bad", {name: table[name] for name in NAMES}
    found = german.need(COSTS, y, scores)
    report = rh.Report(german, COSTS, need=found)
    VALIDATOR.validate(report.facts)
    assert report.facts["need"] == {
        "hybrid": found.hybrid, "hybrid_error": found.hybrid_error, "alone": found.alone, "members": found.members, "difference": found.difference,
        "error": found.error, "pvalue": found.pvalue, "level": 0.05, "n_folds": 10, "n_repeats": 1,
        "rivals": [asdict(each) for each in found.rivals],
    }  # fmt: skip
    sentence, measured = need_wording.need_verdict(report.facts), need_wording.need_measured(report.facts)
    assert sentence.startswith("The best rule uses one score. In 10-fold cross-validation")
    start = "Held out in 10-fold cross-validation, rules chosen in this way cost"
    assert measured.startswith(f"{start} {found.hybrid:.2f} per case. The 95 % interval ")
    told = " ".join(report.to_text().split())
    for each in (sentence, measured, need_wording.by_costs(report.facts)):
        assert each in told
        assert each in report.to_html()
    other = rh.ExpectedCost(cost_fn=7, prevalence=0.3)
    refuses("need is of another condition: ExpectedCost", rh.Report, german, other, need=found)
    assert "Held out in" not in rh.Report(german, COSTS).to_text()


def test_every_page_carries_the_notices_of_what_is_bundled(german: rh.Hybrid) -> None:
    notices = resource("report.bundle.LICENSE")
    assert "preact" in notices
    assert notices in rh.Report(german).to_html()


def test_in_a_notebook(german: rh.Hybrid, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rh.Report, "to_html", lambda self: '<p title="\'">&amp;</p>')
    page = "&lt;p title=&quot;&#x27;&quot;&gt;&amp;amp;&lt;/p&gt;"
    allowed = 'sandbox="allow-scripts allow-downloads" allow="clipboard-write"'
    frame = f'<iframe {allowed} srcdoc="{page}" width="100%" height="900"></iframe>'
    report = rh.Report(german, COSTS)
    assert report.interactive()._repr_html_() == frame
    light = report._repr_html_()  # the page is not in it
    assert len(light) < 20_000
    assert "<table" in light
    assert "iframe" not in light


def test_opening(german: rh.Hybrid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rh.Report, "to_html", lambda self: "page")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda uri: not opened.append(uri))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    report = rh.Report(german)
    for given in (None, tmp_path / "a b.html"):
        path = report.open(given)
        assert path.read_text(encoding="utf-8") == "page"
        assert opened.pop() == path.as_uri()
        assert given in (None, path)
    refuses(r"must end in \.html\.$", report.open, tmp_path / "r.json")

    def none(uri: str) -> bool:
        raise webbrowser.Error("there is none")

    monkeypatch.setattr("webbrowser.open", none)
    with pytest.warns(UserWarning, match=r"no browser could be opened; the page is .*a b\.html\."):
        report.open(tmp_path / "a b.html")


def test_saving(german: rh.Hybrid, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = rh.Report(german, COSTS, title="Credit")
    report.save(tmp_path / "r.html")
    report.save(str(tmp_path / "r.json"))
    report.save(tmp_path / "r.TXT")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == report.facts
    assert (tmp_path / "r.TXT").read_text(encoding="utf-8") == report.to_text()
    assert "Report(naive_bayes, logistic" in repr(report)
    before = sorted(os.listdir(tmp_path))
    refuses(r"must end in \.html, \.json or \.txt", report.save, tmp_path / "r.pdf")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        report.save(tmp_path / "no" / "r.html")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space left"):
        report.save(tmp_path / "new.html")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_range_of_conditions_has_a_robust_rule(german: rh.Hybrid) -> None:
    """The minimax-regret rule and what each classifier alone risks: as facts, and on 80 columns."""
    condition = rh.ExpectedCost(1, (5, 50), 0.1)
    report, table = rh.Report(german, condition), german.regret(condition)
    rows = {row["classifier"] or row["kind"]: row for row in report.facts["robust"]["rows"]}
    least = rows["worst"]
    assert (least["worst"], least["mean"]) == (table.minimax_regret, table.least_worst.mean)
    assert (least["fpr"], least["tpr"]) == (table.minimax.fpr, table.minimax.tpr)
    assert [part["probability"] for part in least["rules"]] == [share for _, share in table.minimax.rules]
    assert rows["worst_single"]["worst"] == table.least_worst_single.worst
    assert rows["mean"]["mean"] == table.least_mean.mean
    for name in german.hulls:
        row = rows[name]
        assert (row["kind"], row["worst"], row["mean"]) == ("alone", table[name].worst, table[name].mean)
    text = report.to_text()
    assert max(map(len, text.splitlines())) <= 80
    assert "smallest worst extra cost" in text
    assert f"{table.minimax_regret:.4g}" in text
    plain, _, experts = " ".join(text.split()).partition("For experts ")
    assert "Its mean assumes that a miss costs 5 to 50, each value equally likely." in plain
    assert "cost_fn ~ uniform(5, 50)" in experts
    assert "uniform(" not in plain
    assert rh.Report(german, rh.ExpectedCost(1, 5, 0.1)).facts["robust"] is None
    json.loads(report.to_json())


def test_a_table_in_the_place_of_a_hybrid_is_told_what_to_do() -> None:
    with pytest.raises(
        TypeError, match=r"hybrid must be a Hybrid, such as Hybrid.from_table.*, but is a dict"
    ):
        rh.Report({"y": [0, 1], "a": [0.1, 0.9]})  # type: ignore[arg-type]
