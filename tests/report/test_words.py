"""Words and numbers of the page, the page without JavaScript and the terminal: one format, and names apart."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

import report_cases as cases
import rochull as rh
from browser import Tab, drawn, opened
from engine import engine
from rochull.report import Segmentation, dominance_wording, robust_wording, segment_wording, wording

COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
STATES: list[dict[str, Any]] = [
    {},
    {"cost_fn": 123.456, "prevalence": 0.0123},
    {"cost_fp": 12345, "cost_fn": 0.001234},
    {"goal": "max_fpr", "max_fpr": 0.0371},
    {"goal": "min_precision", "min_precision": 0.61, "mixtures": False},
    {"goal": "capacity", "fraction": 0.05},
    {"cost_fn": [2, 7.5], "prevalence": [0.1, 0.25]},
]
# Everything that is read or said aloud: the page's text, that of its drawings, and labels.
TEXTS = """() => document.querySelectorAll("code").forEach((node) => { node.hidden = true; }) ?? [document.body.innerText, ...[...document.querySelectorAll("svg text")].map((node) => node.textContent),
  ...[...document.querySelectorAll("[aria-label], [aria-valuetext]")].map((node) => node.ariaValueText ?? node.ariaLabel)].join("\\n")"""


# --- what breaks the format ------------------------------------------------------------------------


def odd_numbers(text: str) -> list[str]:
    """Numbers in a text that are not as the style has them: 12,350, 0.1744, 1.2e−7, 15.3 %; −0.2."""
    text = re.sub(r"[\u2066-\u2069]|Made by rochull \S+", "", text)
    text = re.sub(r"With\s+all\s+digits\s+the\s+\w+\s+\w+(\s+\S+\s+≥\s+\S+(\s+and)?)+", "", text)
    found = re.findall(r"(?<![\w.])-\d\S*", text)  # a hyphen is no minus
    found += re.findall(r"\S*\d%", text)  # the sign stands apart
    found += re.findall(r"(?:FPR|TPR|rate|prevalence|precision|recall)(?: of)? 0?\.\d+(?![\d.–\s]*%)", text)
    for match in re.finditer(r"(?<![\w.,])\d[\d,.]*(?:[eE][−+-]?\d+)?(?![\w])", text):
        number = match[0].rstrip(".,")
        if not re.fullmatch(r"(\d{1,3}(,\d{3})+|\d+)(\.\d+)?(e−?\d+)?", number) or re.fullmatch(
            r"\d{5,}", number
        ):
            found.append(number)
        digits = number.partition("e")[0].replace(",", "")
        share = text[match.start() :].replace("\u00a0", " ").startswith(f"{number} %")
        near = share and min(float(digits), abs(100 - float(digits))) < 0.05  # shown by its distance
        if "." in digits and len(digits.replace(".", "").lstrip("0")) > 4 and not near:
            found.append(number)
    return found


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("cost −0.1744 (12,350) at 15.3 % or 1.2e−7; 99.9988 % of 48,842, in 0.0–0.4 %.", []),
        ("-0.2", ["-0.2"]),
        ("15.3%", ["15.3%"]),
        ("prevalence 0.3, FPR 0.12", ["prevalence 0.3", "FPR 0.12"]),
        ("1e-7 or 1.2E9", ["1e-7", "1.2E9"]),
        ("0.12345, 48842", ["0.12345", "48842"]),
    ],
)
def test_what_is_odd(text: str, odd: list[str]) -> None:
    assert sorted(odd_numbers(text)) == sorted(odd)


# --- the page --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def german() -> rh.Report:
    """Everything that a report can have."""
    table = rh.datasets.load("german_credit_scores")
    y, scores = np.asarray(table["class"] == "bad"), {name: table[name] for name in ("tree", "boosted")}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    sure = rh.report.Uncertainty(y, scores, n_resamples=40, folds=table["fold"])
    segment = Segmentation(y, scores, {"purpose": table["purpose"]}, cv=3)
    return rh.Report(hybrid, COSTS, uncertainty=sure, segment=segment)


@pytest.fixture
def page(tab: Tab, german: rh.Report, tmp_path: Path) -> Iterator[Page]:
    german.save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as shown:
        yield shown


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def test_numbers_of_the_page_have_one_format(page: Page) -> None:
    unfold(page)
    start = page.evaluate("rochullReport.state")
    views = page.evaluate("rochullReport.views.names.map(({ id }) => id)")
    for i, change in enumerate(STATES):
        page.evaluate("state => rochullReport.set(state)", start | change)
        for view in views[i % 2 :: 2]:
            page.evaluate("id => rochullReport.choose(id)", view)
            assert odd_numbers(page.evaluate(TEXTS)) == []


def test_numbers_without_javascript_and_in_the_terminal(
    browser: Browser, german: rh.Report, tmp_path: Path
) -> None:
    german.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", java_script_enabled=False) as page:
        for summary in page.locator("details > summary").locator("visible=true").all():
            summary.click()
        assert odd_numbers(page.locator("body").inner_text()) == []
    assert odd_numbers(german.to_text()) == []
    hybrid = cases.shipped("german_credit_scores", "class", "bad")
    for condition in (rh.NeymanPearson(0.1), rh.Capacity(fraction=0.05), rh.ExpectedCost(1, (2, 9)), None):
        assert odd_numbers(rh.Report(hybrid, condition).to_text()) == []


def test_python_and_the_page_write_alike() -> None:
    rng = np.random.default_rng(0)
    values = [0.0, 1.0, 12345.6, 0.2750, 1e-5, 9.9e8, 1e9, 1.2345e-7, 123456789.0]
    values += [float(f"{x:.6g}") for x in 10 ** rng.uniform(-9, 12, 60)]
    values += [-value for value in values if value]
    shares = [0.0, 1.0, 0.5, 0.1525, 0.00012, 0.999988, *rng.uniform(0, 1, 50).tolist()]
    pairs = np.sort(rng.uniform(0, 1, (30, 2))).tolist()
    with engine() as made:
        for name, own, given in (
            ("number", wording.number, values),
            ("rate", wording.percent, shares),
            ("rates", wording.span, pairs),
        ):
            found = made.evaluate(f"all => all.map(rochullFormat.{name})", given)
            assert [text.replace("\u00a0", " ") for text in found] == [own(each) for each in given]


def shown_text(page: Page, script: str) -> str:
    """What is read of the page after a script, hyphenation of bidirectional text and hard spaces left out."""
    text = page.evaluate(f"{{ {script}; document.body.innerText }}")
    return " ".join(re.sub("[\u2066-\u2069]", "", text).replace("\u00a0", " ").split())


def test_what_is_for_experts_is_apart_from_the_rest(tab: Tab, german: rh.Report, tmp_path: Path) -> None:
    """In the terminal below a line, on the page folded; each sentence of the one stands in the other."""
    rough = rh.Report(cases.shipped("german_credit_scores", "class", "bad"), rh.ExpectedCost(1, (4, 12), 0.3))
    for report in (german, rough):
        facts = report.facts
        plain, _, experts = (
            " ".join(part.split())
            for part in re.sub("[\u2066-\u2069]", "", report.to_text()).partition("\nFor experts ")
        )
        notes = [wording.rounded(facts)]
        if facts["segments"]:
            notes += [*segment_wording.for_experts(facts), str(wording.methods(facts, drawn=False))[:40]]
        else:
            notes += [robust_wording.distribution(facts)]
            means = "Its mean assumes that a miss costs 4 to 12, each value equally likely."
            assert means in plain
        report.save(tmp_path / "r.html")
        with tab(tmp_path / "r.html") as page:
            unfold(page)
            whole = shown_text(page, "0")
            kept = shown_text(page, "document.querySelectorAll('.expert').forEach((part) => part.remove())")
        for note in notes:
            said = re.sub("[\u2066-\u2069]", "", note)
            assert said in experts
            assert said in whole
            assert said not in plain
            assert said not in kept
        for jargon in ("PAV", "likelihood ratio", "uniform(", "MOVER", "convex hull"):
            assert jargon not in plain
            assert jargon not in kept


def test_who_types_a_threshold_as_it_is_told_loses_no_case() -> None:
    """Four digits, on the side that keeps the cases whose score is the threshold; the page tells the same ones."""
    rng = np.random.default_rng(23)
    values = (rng.normal(size=400) * 10.0 ** rng.integers(-7, 11, 400)).tolist()
    values += [0.0, 1.0, -1.0, 0.363184, 9.99996, 0.99996, -0.99996, -1.00004, 1e5, 123456, 0.1]
    values += np.float32([0.1, 0.2, 0.7, 1e-3]).astype(float).tolist()
    for lower in (False, True):
        told = [wording.threshold(value, lower=lower) for value in values]
        for value, text in zip(values, told, strict=True):
            near = float(text.replace(",", "").replace("−", "-").replace("∞", "inf"))
            assert near >= value if lower else near <= value
            assert near == pytest.approx(value, rel=1.001e-3)
        with engine() as made:
            script = "([all, low]) => all.map((x) => rochullFormat.threshold(x, low))"
            assert made.evaluate(script, [values, lower]) == told
        ends = [wording.threshold(end, lower=lower) for end in (math.inf, -math.inf)]
        assert ends == ["∞", "−∞"]


@pytest.mark.parametrize(("by", "confidence"), [(1, None), (7, None), (7, 0.5)])
def test_thresholds_are_called_rounded_only_where_they_are(
    tab: Tab, tmp_path: Path, by: int, confidence: float | None
) -> None:
    rng = np.random.default_rng(19)
    y = rng.random(400) < 0.3
    scores = np.round(y + rng.normal(size=400), 2) / by
    report = rh.Report(rh.Hybrid().add("score", y, scores), rh.NeymanPearson(0.2, confidence=confidence))
    assert ("shown in four digits" in " ".join(report.to_text().split())) == (by > 1)
    report.save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        unfold(page)
        note, own = page.locator("#rounded"), str(wording.rounded(report.facts))
        said = re.sub("[\u2066-\u2069]", "", note.inner_text() if note.is_visible() else "None")
        assert said == own
        assert (" score ≥ " in own.partition("With all digits ")[2]) == (by > 1)
        assert ("as it is downloaded" in own) == (by > 1 and confidence is None)
        page.locator('[data-field="cost_fn"]').fill("7")
        drawn(page)
        told = re.sub("[\u2066-\u2069]", "", note.inner_text() if note.is_visible() else "")
        assert told.startswith(wording.ROUNDED if by > 1 else "")
        rules = page.evaluate("rochullReport.result.chosen.rules")
        kind = "the thresholds are" if len(rules) > 1 else "the rule is"
        exact = " and ".join(f"score ≥ {each['rule']['threshold']}" for each in rules)
        assert told == (f"{wording.ROUNDED} With all digits {kind} {exact}." if by > 1 else "")


@pytest.mark.parametrize(
    ("condition", "single", "title"),
    [
        (COSTS, False, ""),
        (COSTS, True, ""),
        (rh.Within(COSTS, [rh.FalsePositiveRate() <= 0.2]), False, "; mixtures of two thresholds allowed"),
        (
            rh.NeymanPearson(0.2), True,
            "; one threshold for each, against the best rule of all, mixtures included",
        ),
        (rh.NeymanPearson(0.2), False, "; mixtures of two thresholds allowed"),
        (rh.NeymanPearson(0.2, confidence=0.9), False, ""),
        (rh.Accuracy(), False, ""),
    ],
)  # fmt: skip
def test_classifiers_alone_and_one_threshold_in_the_same_words(
    tab: Tab, tmp_path: Path, condition: Any, single: bool, title: str
) -> None:
    report = rh.Report(cases.shipped("german_credit_scores", "class", "bad"), condition, deterministic=single)
    text, alone = " ".join(report.to_text().split()), wording.single_rule(report.facts)
    titled = f"Each classifier on its own, at its best threshold{title}"
    assert f"{titled} negatives positives " in text
    report.save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as page:
        assert page.locator("#alone caption").inner_text() == titled
        said = re.sub("[\u2066-\u2069]", "", page.locator("#single").inner_text()).replace("\u00a0", " ")
        assert page.locator("#single").is_visible() == (alone is not None)
    if alone is not None:
        assert (
            f"{alone} For all figures of that one, make the report with deterministic=True (--deterministic)"
            in text
        )
        assert said == f"{alone} For all figures of that one, untick “allow mixtures of two rules”."


@pytest.mark.parametrize(
    (
        "condition",
        "words",
    ),  # those of a page; tests/conditions/test_clauses.py has every condition in a reference's
    [
        (rh.ExpectedCost(1, (2, 1500), (0.1, 0.25)), "costs 1, a miss 2 to 1,500, prevalence 10 % to 25 %"),
        (
            rh.Capacity(fraction=0.0012, prevalence=0.5),
            "at most 0.12 % of the cases flagged, prevalence 50 %",
        ),
        (rh.Review(max_cases=1200), "; at most 1,200 cases of a batch reviewed"),
        (
            rh.Within(rh.NeymanPearson(0.2), [rh.Precision(0.1) >= 0.2], confidence=0.9),
            "at most 20 % of the negatives wrongly flagged and at least 20 % of the flagged cases positive, prevalence "
            "10 %; kept in the population with confidence 90 %",
        ),
        (
            rh.Review(max_error=0.05, reviewer=(0.1, 0.95)),
            "at most 5 % errors among the cases that are not reviewed; reviewers who wrongly flag 10 % of the negatives "
            "and catch 95 % of the positives",
        ),
    ],
)
def test_a_condition_in_words(condition: Any, words: str) -> None:
    assert wording.condition({"clause": condition.question.clause.to_dict()}).endswith(words)


# --- names from right to left ------------------------------------------------------------------------

HEBREW, ARABIC, SEGMENT = "מודל א", "نموذج 2", "צפון (1)"


@pytest.fixture(scope="module")
def turned() -> rh.Report:
    rng = np.random.default_rng(3)
    y = rng.random(800) < 0.3
    scores = {name: rng.normal(y * gain) for name, gain in ((HEBREW, 2.0), (ARABIC, 1.5), ("שלישי", 0.1))}
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    about = {"table": "נתונים.csv", "label": "מצב", "positive": "חולה"}
    where = rng.choice(np.array([SEGMENT, "Ost <&> West"], object), 800)
    return rh.Report(hybrid, COSTS, about=about, segment=Segmentation(y, scores, {"אזור": where}))


def test_names_from_right_to_left_are_isolated(tab: Tab, turned: rh.Report, tmp_path: Path) -> None:
    """Each in an element of its own that isolates, or between marks that do, in whatever a person reads."""
    turned.save(tmp_path / "r.html")
    script = """() => {
      const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walk.nextNode()) {
        const { data, parentElement: parent } = walk.currentNode;
        if (parent.closest("script, textarea, option")) continue;
        const rest = data.replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, "");
        const alone = getComputedStyle(parent).unicodeBidi.includes("isolate") && parent.childNodes.length === 1;
        if (/[\\u0590-\\u06ff]/.test(rest) && !alone && !parent.closest("bdi")) found.push(data.trim());
      }
      for (const node of document.querySelectorAll("[aria-label], [title], [aria-valuetext]")) {
        for (const text of [node.getAttribute("aria-label"), node.title, node.getAttribute("aria-valuetext")]) {
          const rest = (text || "").replace(/\\u2068[^\\u2068\\u2069]*\\u2069/g, "");
          if (/[\\u0590-\\u06ff]/.test(rest) && /[a-z]/i.test(rest)) found.push(text);
        }
      }
      for (const node of document.querySelectorAll("bdi")) { // what joins such names to words reads from left to right
        const parts = /\\u2068/.test(node.textContent) && /[a-z=]/i.test(node.textContent.replace(/\\u2068[^\\u2069]*\\u2069/g, ""));
        if (parts && getComputedStyle(node).direction !== "ltr") found.push(node.textContent);
      }
      return found; }"""
    with tab(tmp_path / "r.html") as page:
        unfold(page)
        start = page.evaluate("rochullReport.state")
        for change in ({}, {"goal": "max_fpr", "max_fpr": 0.1}, {"cost_fn": [2, 9]}):
            page.evaluate("state => rochullReport.set(state)", start | change)
            for view in page.evaluate("rochullReport.views.names.map(({ id }) => id)"):
                page.evaluate("id => rochullReport.choose(id)", view)
                drawn(page)
            assert page.evaluate(script) == []


def test_names_from_right_to_left_in_the_terminal(turned: rh.Report) -> None:
    assert wording.isolated("plain") == "plain"
    assert wording.segment("אזור = a") == "\u2068אזור\u2069 = a"
    sentence = turned.to_text().split("\nIn-sample")[0]
    assert f"\u2068{HEBREW}\u2069 ≥" in sentence.replace("\n", " ")
    assert "\u2068חולה\u2069" in sentence
    rows = [{"name": HEBREW, "on_hull": True}, {"name": ARABIC, "on_hull": False}]
    text = dominance_wording.absolute(
        {"classifiers": rows, "dominance": {"absolute": None}, "examples": None}
    )
    assert text.endswith(f"Never better than the others: \u2068{ARABIC}\u2069.")
    hidden = rh.Hybrid().add_point("\u202eab\u2069", 0.1, 0.9)  # what turns text around is shown, not done
    assert "\u202e" not in rh.Report(hybrid=hidden, condition=COSTS).to_text()
