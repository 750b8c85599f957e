"""What points of several classes are compared with: the facts, the sentence, and the page's own."""

import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import rochull as rh
from browser import Shows
from multiclass_report_cases import CLASSES, made_points, outputs_of
from reading import plain
from rochull.multiclass import Cell, CostMatrix, Error, MulticlassPoints
from rochull.report import MulticlassReport
from rochull.report.multiclass_verdict import condition_asked, examined, headline, meaning, traded

COSTS = CostMatrix([[0, 5, 1], [1, 0, 1], [2, 1, -0.5]], priors=[1, 2, 7])
OBJECTIVES: list[Any] = ["max_error", "error", COSTS, Cell("scar", "lesion")]


def roc_of(weighted: bool = False) -> rh.MulticlassRoc:
    rng = np.random.default_rng(4)
    codes = rng.choice(3, 200, p=[0.6, 0.3, 0.1])
    weight = rng.uniform(0.2, 2, 200) if weighted else None
    return rh.MulticlassRoc(np.array(CLASSES)[codes], outputs_of(codes, 3), weight)


def twin(roc: rh.MulticlassRoc) -> dict[tuple[str, int | None], Any]:
    """The confusion matrices, decided case by case with weights that say so."""
    never = 1e-250
    rules: dict[tuple[str, int | None], Any] = {
        ("largest", None): [1, 1, 1],
        ("balanced", None): 1 / roc.priors,
    }
    rules |= {("always", c): np.where(np.arange(3) == c, 1, never) for c in range(3)}
    return {key: roc.points_at(weights) for key, weights in rules.items()}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_baselines_are_the_rules_that_they_name(objective: Any, weighted: bool) -> None:
    roc = roc_of(weighted)
    points = roc.points_at(np.random.default_rng(3).dirichlet(np.ones(3), 20))
    limits = [Error("scar") <= 0.4, Cell("lesion", "normal") >= 0.1]
    made = MulticlassReport(roc, subject_to=limits, objective=objective).facts["baselines"]
    wanted = twin(roc)
    assert [(row["kind"], row["class"]) for row in made] == list(wanted)
    for row, rule in zip(made, wanted.values(), strict=True):
        np.testing.assert_allclose(row["confusion"], rule.confusion[0], rtol=1e-12)
        np.testing.assert_allclose(row["value"], rule.values(objective)[0], rtol=1e-12, atol=1e-15)
        assert all(each <= 0 for each in row["excess"]) == rule.satisfying(limits)[0]
        assert (row["rates"] is None) == (row["errors"] is None) == (not weighted)
    of_points = MulticlassReport(points).facts["baselines"]
    assert [row["kind"] for row in of_points] == ["always"] * 3
    alike = MulticlassPoints(np.array([[2.0, 2.0, 2.0]]), wanted["largest", None].confusion, points.classes)
    assert MulticlassReport(alike).facts["baselines"][0]["confusion"] == made[0]["confusion"]


def odd(confusion: Any) -> Any:
    return confusion[:, 0, 1] - 3.0


SIX = ["a", "b", "c", "d", "e", "f", "\u05d2"]  # and one more, written from right to left
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    **{
        str(objective): (roc_of, {"objective": objective, "subject_to": Error("scar") <= 0.4})
        for objective in OBJECTIVES
    },
    "no priors": (
        roc_of,
        {
            "objective": CostMatrix([[0, 5, 1], [1, 0, 1], [2, 1, 0]]),
            "subject_to": [Error("lesion") <= 0.2, Error("normal") <= 0.5],
        },
    ),
    "a cell": (roc_of, {"objective": CostMatrix(1 - np.eye(3)), "subject_to": Cell("scar", "lesion") <= 0.2}),
    "a needless limit": (roc_of, {"objective": COSTS, "subject_to": Error("lesion") <= 0.99}),
    "gains": (roc_of, {"objective": CostMatrix([[-3, 1, 1], [1, -1, 1], [1, 1, -1]])}),
    "several limits": (roc_of, {"subject_to": [Error("scar") <= 0.5, Error("lesion") <= 0.9]}),
    "nothing within": (
        roc_of,
        {"subject_to": [Error("scar") <= 0, Error("lesion") <= 0], "objective": COSTS},
    ),
    "no weights needed": (lambda: roc_of().points_at([[1, 1, 1], [9, 1, 1]]), {"objective": COSTS}),
    "no weights tried": (lambda: roc_of().points_at([[1, 1, 1]]), {"objective": COSTS}),
    "the same, beyond": (lambda: roc_of().points_at([[2, 2, 2]]), {"subject_to": Error("scar") <= 0}),
    "far apart": (lambda: roc_of().points_at([[1, 1e-9, 0], [1, 1e-8, 1e-8]]), {}),
    "many": (lambda: made_points(7, 30, SIX), {"objective": "error"}),
    "a function": (roc_of, {"objective": odd}),
    "weighted": (lambda: roc_of(weighted=True), {"objective": COSTS, "subject_to": Error("scar") <= 0.4}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_page_says_the_same_sentence(shows: Shows, case: str) -> None:
    made, options = CASES[case]
    found = made()
    report = MulticlassReport(found, **options)
    with shows(found, **options) as page:
        assert plain(page.locator("#verdict").text_content() or "") == plain(headline(report.facts))
        assert plain(page.locator("#traded").text_content() or "") == plain(traded(report.facts))


def test_the_sentence_of_a_rule_that_breaks_a_limit(shows: Shows) -> None:
    with shows(roc_of(), subject_to=Error("scar") <= 0.4) as page:
        bar = page.locator(".bar")
        page.set_viewport_size({"width": 1280, "height": 720})
        expect(bar).to_be_hidden()  # the answer is beside what one scrolls to
        page.set_viewport_size({"width": 1000, "height": 700})
        page.get_by_label("only rules within the limits").uncheck()
        page.locator(".limits [type=text]").fill("1")
        expect(page.locator(".bar-rule")).to_contain_text("breaks the limit")
        bound = plain(page.locator(".bound", has_text="✗").inner_text())
        assert re.fullmatch(r"✗ error [\d.]+ %, not ≤ 1 %", bound)
        said = page.locator("#verdict")
        expect(said).to_contain_text("This rule breaks the limit. Call a case")
        expect(said).to_contain_text("(which keeps the limit)")
        page.evaluate(
            """() => multiclassView.set({ only: true, limits:
              [0, 2].map((c) => ({ kind: "error", true: c, called: null, side: "<=", limit: 0 })) })"""
        )
        expect(said).to_contain_text(
            re.compile(r"^None of [\d,]+ rules keeps all limits; this one comes closest. Call a")
        )
        page.evaluate("multiclassView.set({ only: false })")
        page.get_by_role("button", name="next rule").click()
        expect(said).to_contain_text("others come closer. Call a case")
        assert bar.evaluate("e => e.getBoundingClientRect().bottom <= innerHeight")
        page.set_viewport_size({"width": 1280, "height": 720})


def said(made: Any, **options: Any) -> str:
    return plain(" ".join(str(MulticlassReport(made, **options)).split()))


def test_which_errors_are_smaller_than_by_the_largest_output() -> None:
    costs = CostMatrix([[0, 5, 1], [1, 0, 1], [2, 1, 0]])
    roc = roc_of()
    found, first = roc.at(costs), roc.points_at([[1, 1, 1]])[0]
    told = traded(MulticlassReport(roc, objective=costs).facts)
    for name, own, other in zip(roc.classes, found.errors, first.errors, strict=True):
        text, (smaller, larger) = (
            f"{name} {100 * own:.1f} % instead of {100 * other:.1f} %",
            told.split("Larger"),
        )
        assert (text in smaller, text in larger) == (own < other, own > other)
    assert traded(MulticlassReport(roc.points_at([[1, 1, 1]]), objective=costs).facts) == ""


ERRORS: dict[str, Any] = {"objective": CostMatrix(1 - np.eye(3))}
SENTENCES: list[tuple[Any, dict[str, Any], str, str]] = [
    (None, {}, "order, compared", "meaning, usual"),
    (None, ERRORS, "order, compared", "meaning, unit.error, usual"),
    (None, ERRORS | {"subject_to": Error("scar") <= 0.2}, "order, compared, limits.price", "meaning, unit.error, usual"),
    (None, ERRORS | {"subject_to": Error("lesion") <= 0.9}, "order, compared, limits.idle", "meaning, unit.error, usual"),
    ([[1, 1, 1], [9, 1, 1]], ERRORS, "order.needless, compared", "meaning, unit.error, usual"),
    ([[1, 1, 1]], {}, "order.largest, compared", "meaning, usual"),
    ([[1, 2, 3]], {}, "order, compared", "meaning"),
    (None, {"objective": CostMatrix([[-1, 2, 2], [2, 0, 2], [2, 2, 0]])}, "order, compared", "meaning, unit.same, usual"),
]  # fmt: skip


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(("weights", "options", "first", "below"), SENTENCES)
def test_the_sentence(weights: Any, options: dict[str, Any], first: str, below: str) -> None:
    facts = MulticlassReport(roc_of() if weights is None else roc_of().points_at(weights), **options).facts
    for told, keys in ((headline(facts), first), (meaning(facts), below)):
        assert told == " ".join(f"answer.classes.{key}" for key in keys.split(", "))


def test_numbers_in_the_sentence() -> None:
    limited = said(roc_of(), **ERRORS, subject_to=Error("scar") <= 0.2)
    assert "16 % less (not told apart on these cases) than the largest output without weights, 62" in limited
    assert re.search(r" and \d+ % less \(\d+ % to \d+ %\) than calling every case scar\. To keep", limited)
    assert limited.count("95 % interval") == 1
    assert "at most 20 %, errors are larger" in limited
    assert "normal 45.3 % instead of 39.1 % and lesion " in limited
    assert "Weights: lesion 1, normal 1e−9, scar 1e−9" in said(roc_of().points_at([[1, 1e-9, 1e-9]]))
    nothing = said(roc_of().points_at([[1, 1, 1], [9, 1, 1]]), **ERRORS)
    assert "the largest output (baseline)" in nothing
    assert "than the largest output" not in nothing


def test_the_class_that_is_always_called_keeps_the_limits_if_one_does() -> None:
    assert "calling every case scar." in said(roc_of(), subject_to=Error("scar") <= 0.1, objective="error")
    assert "calling every case lesion." in said(roc_of(), objective="error")


def test_words_below_the_sentence() -> None:
    roc = roc_of()
    costs = CostMatrix([[0, 5, 1], [1, 0, 1], [2, 1, 0]], priors=[1, 2, 7])
    limits = [Error("scar") <= 0.9, Cell("lesion", "normal") >= 0.015, COSTS <= 4]
    facts = MulticlassReport(roc, objective=costs, subject_to=limits).facts
    assert condition_asked(facts) == (
        "lowest expected cost: a case that is called another class costs 1, a right one nothing, but lesion called "
        "normal 5 and scar called lesion 2; shares of the classes: lesion 10 %, normal 20 % and scar 70 %; error of "
        f"scar at most 90 %; lesion called normal at least 1.5 %; {facts['limits'][2]['text']}"
    )
    plainest = MulticlassReport(roc).facts
    assert condition_asked(plainest) == "largest error of any class as small as possible"
    assert examined(plainest).startswith("Measured on 200 past cases: lesion (")
    points = roc.points_at([[1, 2, 3]])
    assert examined(MulticlassReport(points).facts).endswith(") · 1 rule tried, each a set of weights")
    gains = MulticlassReport(roc, objective=CostMatrix([[-1, 2, 2], [2, 0, 2], [2, 2, 0]])).facts
    assert "costs 2, but lesion called lesion −1; classes as frequent as in these data" in condition_asked(
        gains
    )
    every = MulticlassReport(roc, objective=CostMatrix(np.arange(9.0).reshape(3, 3))).facts
    assert "but 7 kinds of decisions cost other amounts, see the table of costs" in condition_asked(every)
    weighted = MulticlassReport(roc_of(weighted=True)).facts
    assert examined(weighted).startswith("Measured on past cases of total weight 2")


def test_many_classes_fit_a_terminal() -> None:
    text = str(
        MulticlassReport(
            made_points(10, 40, [f"digit {c}" for c in range(10)]), subject_to=Error("digit 1") <= 0.9
        )
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "Of the cases of each class, those that are called each class (columns), in %" in text
    assert "that keep the limit: errors of the classes in %" in text
