"""The report: numbers equal the library's, and a page that loads nothing and shows names as text."""

import base64
import hashlib
import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull import datasets
from rochull.report import facts as facts_module
from rochull.report.facts import facts_of
from rochull.report.text import to_text

NAMES = ["naive_bayes", "logistic", "knn", "tree", "boosted"]
COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
HOSTILE = [
    '</script><img src=x onerror="alert(1)">',
    "<b>%{x}</b> {{ 7 * 7 }} &amp;",
    "\u2028\x1b[31m[red]",
    "x" * 200,
]


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    """Return the shipped classifiers of the German credit data."""
    path = datasets.path("german_credit_scores")
    return rh.Hybrid.from_table(path, label="class", scores=NAMES, pos_label="bad")


@pytest.fixture(scope="module")
def hostile() -> rh.Hybrid:
    """Return classifiers whose names attack the page, with infinite scores among theirs."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 60)
    hybrid = rh.Hybrid()
    for name in HOSTILE:
        score = np.round(rng.normal(size=60) + y, 1)
        score[:2] = np.inf, -np.inf
        hybrid.add(name, y, score)
    return hybrid.add_point("<point>", 0.1, 0.6)


class Page(HTMLParser):
    """What a browser would find in the page: elements, attributes, text, scripts."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "script":
            self.raw.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            attributes, before = self.raw[-1]
            self.raw[-1] = (attributes, before + data)
        else:
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of all elements of one kind."""
        return [attributes for name, attributes in self.tags if name == tag]


# --- facts ---------------------------------------------------------------------------------------


def test_facts_are_the_library_s_numbers(german: rh.Hybrid) -> None:
    facts = facts_of(german, COSTS)
    point = german.at(COSTS)
    assert (facts["chosen"]["fpr"], facts["chosen"]["tpr"]) == (point.fpr, point.tpr)
    assert facts["chosen"]["expected_cost"] == point.expected_cost(COSTS)
    assert facts["chosen"]["rules"][0]["rule"]["threshold"] == point.rules[0][0].threshold
    assert facts["hybrid"]["fpr"] == german.hull.fpr.tolist()
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
        blocks = german.hulls[c["name"]].blocks
        assert blocks is not None
        assert c["calibration"]["posterior"] == blocks.posterior.tolist()
        assert sum(c["calibration"]["pos"]) == 300
        assert c["curve"]["max_error"] == 1e-3
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


def test_cost_curve_is_the_lowest_cost(german: rh.Hybrid) -> None:
    curve = facts_of(german)["hybrid"]["cost_curve"]
    at, cost = np.array(curve["probability_cost"]), np.array(curve["cost"])
    assert (np.diff(at) >= 0).all()
    assert (at[0], at[-1], cost[0], cost[-1]) == (0, 1, 0, 0)
    p = np.linspace(0, 1, 101)
    lines = (1 - p)[:, None] * german.hull.fpr + p[:, None] * (1 - german.hull.tpr)  # (101, k)
    assert np.interp(p, at, cost) == pytest.approx(lines.min(axis=1), abs=1e-12)


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
    assert facts["condition"]["text"] in report.to_text().replace("\n", " ")
    assert "</html>" in report.to_html()


def test_a_range_of_conditions(german: rh.Hybrid) -> None:
    condition = rh.ExpectedCost(1, (1, 50), prevalence=0.3)
    report = rh.Report(german, condition)
    assert report.facts["chosen"] is None
    assert report.facts["condition"]["potentially_optimal"] == list(german.potentially_optimal(condition))
    low, high = condition.slope_range
    assert report.facts["condition"]["probability_cost_range"] == [1 / (1 + high), 1 / (1 + low)]
    assert "1 to 50" in report.to_text(width=200)
    assert "no single best rule" in report.to_html()
    with pytest.raises(rh.ImpreciseConditionError):
        rh.Report(german, rh.NeymanPearson((0.1, 0.2)))


def test_a_condition_that_one_classifier_cannot_meet() -> None:
    y = [0, 0, 1, 1]
    hybrid = rh.Hybrid().add("good", y, [1, 2, 3, 4]).add("bad", y, [4, 3, 2, 1])
    report = rh.Report(hybrid, rh.MinimumPrecision(0.9, prevalence=0.5))
    assert [row["value"] for row in report.facts["regret"]["rows"]] == [0.0, "inf"]
    assert report.facts["dominance"]["absolute"] == "good"
    assert "good is an absolute dominator" in report.to_text()
    assert "cannot meet it" in report.to_text()
    with pytest.raises(rh.InfeasibleConditionError):
        rh.Report(rh.Hybrid().add("bad", y, [4, 3, 2, 1]), rh.MinimumPrecision(0.9, prevalence=0.5))
    with pytest.raises(ValueError, match="the hybrid is empty"):
        rh.Report(rh.Hybrid())


def test_weights_and_points() -> None:
    hybrid = rh.Hybrid().add("a", [0, 1, 1, 0], [1, 2, 3, 2.5], sample_weight=[0.5, 1, 1, 1.5])
    facts = facts_of(hybrid.add_point("p", 0.1, 0.9))
    assert facts["examples"] == {"positives": 2.0, "negatives": 2.0, "weighted": True, "prevalence": 0.5}
    assert facts["classifiers"][1]["calibration"] is None
    assert "total weight" in to_text(facts)
    rates = rh.Report(rh.Hybrid().add_point("p", 0.1, 0.9), rh.NeymanPearson(0.1))
    assert rates.facts["examples"] is None
    assert rates.facts["chosen"]["confusion"] is None
    assert "What the scores mean" not in rates.to_html()


def test_the_schema_is_documented(german: rh.Hybrid) -> None:
    assert facts_module.__doc__ is not None

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    facts = facts_of(german, COSTS)
    facts["condition"]["parameters"] = {}
    documented = set(re.findall(r"``(\w+)``", facts_module.__doc__)) | {
        "kind",
        "rule",
        "classifier",
        "threshold",
    }
    assert keys(facts) <= documented


# --- the page ------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [COSTS, rh.NeymanPearson(0.05), None])
def test_names_are_only_text(hostile: rh.Hybrid, condition: Any) -> None:
    report = rh.Report(hostile, condition, title="<script>alert(2)</script>")
    page = Page(report.to_html())
    kinds = {tag for tag, _ in page.tags}
    assert kinds.isdisjoint({"img", "b", "iframe", "object", "embed", "link", "base", "form", "point"})
    assert not [a for _, attributes in page.tags for a in attributes if a.startswith("on")]
    assert len(page.raw) == 3
    text = " ".join(page.text)
    for name in [*HOSTILE, "<point>", "<script>alert(2)</script>"]:
        assert name in text
    assert "49" not in {word for part in page.text for word in part.split()}
    charts = [
        attributes["data-classifier"] for attributes in page.named("div") if "data-classifier" in attributes
    ]
    assert charts == HOSTILE
    assert json.loads(page.raw[0][1]) == report.facts
    assert "\u2028" not in page.raw[0][1]
    assert "<" not in page.raw[0][1]


def test_the_page_loads_nothing(german: rh.Hybrid) -> None:
    page = Page(rh.Report(german, COSTS).to_html())
    for _, attributes in page.tags:
        assert {"src", "href", "srcset", "action", "data", "poster"}.isdisjoint(attributes)
    [content] = [
        attributes["content"]
        for attributes in page.named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert content is not None
    directives = {part.split()[0]: part.split()[1:] for part in content.split(";")}
    assert directives["default-src"] == ["'none'"]
    assert directives["base-uri"] == directives["form-action"] == ["'none'"]
    assert not [word for words in directives.values() for word in words if ":" in word and word[-1] != ":"]
    executed = [script for attributes, script in page.raw if "type" not in attributes]
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in executed]
    assert directives["script-src"] == [f"'sha256-{value}'" for value in hashes]
    assert len(executed) == 2


def test_the_page_is_accessible(german: rh.Hybrid) -> None:
    html = rh.Report(german, COSTS).to_html()
    page = Page(html)
    assert page.named("html") == [{"lang": "en"}]
    assert len(page.named("caption")) == len(page.named("table"))
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.named("th"))
    charts = [a for a in page.named("div") if "chart" in (a.get("class") or "").split()]
    assert len(charts) == 2 + len(NAMES)
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    assert page.named("noscript")
    assert len(re.findall("in-sample", " ".join(page.text), re.IGNORECASE)) >= 4


def test_the_page_shows_the_tables(german: rh.Hybrid) -> None:
    text = " ".join(" ".join(Page(rh.Report(german, COSTS).to_html()).text).split())
    for row in german.dominance_table().rows:
        assert ", ".join(row.classifiers) in text
    assert "naive_bayes ≥ 0.174434" in text
    assert "Outcome per 10,000 cases at a prevalence of 0.3 (the condition's)" in text
    assert "Never needed: knn, tree." in text


def test_in_a_notebook(hostile: rh.Hybrid) -> None:
    page = Page(rh.Report(hostile)._repr_html_())
    [(tag, attributes)] = page.tags
    assert (tag, attributes["sandbox"]) == ("iframe", "allow-scripts")
    assert (attributes["srcdoc"] or "").startswith("<!DOCTYPE html>")


# --- text and files ------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [COSTS, rh.NeymanPearson(0.05), None])
def test_text_fits_a_terminal(german: rh.Hybrid, hostile: rh.Hybrid, condition: Any) -> None:
    for hybrid in (german, hostile):
        text = rh.Report(hybrid, condition).to_text()
        assert max(map(len, text.splitlines())) <= 80
        assert all(c == "\n" or c.isprintable() for c in text)
        assert "In-sample" in text
    assert "[red]" in text
    assert "0.174434" in rh.Report(german, COSTS).to_text()


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
    with pytest.raises(ValueError, match=r"must end in \.html, \.json or \.txt"):
        report.save(tmp_path / "r.pdf")
    with pytest.raises(FileNotFoundError, match="there is no directory"):
        report.save(tmp_path / "no" / "r.html")

    def full(*_: object, **__: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space left"):
        report.save(tmp_path / "new.html")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_range_of_conditions_has_a_robust_rule(german: rh.Hybrid) -> None:
    """The minimax-regret rule and what each classifier alone risks: as facts, on 80 columns and in HTML."""
    condition = rh.ExpectedCost(1, (5, 50), 0.1)
    report, table = rh.Report(german, condition), german.regret(condition)
    rows = {row["name"]: row for row in report.facts["robust"]["rows"]}
    least = rows["least worst regret"]
    assert (least["worst"], least["mean"]) == (table.minimax_regret, table.least_worst.mean)
    assert (least["fpr"], least["tpr"]) == (table.minimax.fpr, table.minimax.tpr)
    assert [part["probability"] for part in least["rules"]] == [share for _, share in table.minimax.rules]
    assert rows["the same with one threshold"]["worst"] == table.least_worst_single.worst
    assert rows["least mean regret"]["mean"] == table.least_mean.mean
    for name in german.hulls:
        row = rows[f"{name} alone"]
        assert (row["classifier"], row["worst"], row["mean"]) == (name, table[name].worst, table[name].mean)
    text, page = report.to_text(), report.to_html()
    assert max(map(len, text.splitlines())) <= 80
    for shown in (text, page):
        assert "least worst regret: " in shown
        assert f"{table.minimax_regret:.4g}" in shown
        assert "cost_fn ~ uniform(5, 50)" in shown
    assert rh.Report(german, rh.ExpectedCost(1, 5, 0.1)).facts["robust"] is None
    json.loads(report.to_json())
