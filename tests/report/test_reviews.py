"""A report on a third action: its rule, and the least cost of every share that is reviewed."""

import json
import math
import re
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import rochull as rh
from browser import drawn, opened, to_view
from engine import engine
from reading import plain
from rochull.conditions.rules import Action, Scores
from rochull.report.derived import whole_reviews
from rochull.report.review_order import reviewing
from rochull.report.review_price import further
from rochull.report.review_wording import reviewed_cases, reviewed_of
from rochull.report.verdict_notes import meaning
from rochull.report.wording import number, percent, rounded
from rochull.uncertainty.bootstrap_intervals import wilson


@pytest.fixture(scope="module")
def hybrid() -> rh.Hybrid:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    return rh.Hybrid().add("a", y, y + rng.normal(size=300)).add("b", y, y + 2 * rng.random(300))


@pytest.mark.parametrize("cost", [0.1, (0.05, 0.2)])
def test_facts_and_text(hybrid: rh.Hybrid, cost: float | tuple[float, float]) -> None:
    review = rh.Review(cost_fn=2, cost_review=cost, max_share=0.2)
    report = rh.Report(hybrid, review)
    facts = report.facts["review"]
    schema = json.loads((files("rochull.report") / "report.schema.json").read_text())
    jsonschema.validate(json.loads(report.to_json()), schema)
    if cost == 0.1:
        point = hybrid.at(review)
        assert (facts["review_rate"], facts["error_rate"]) == (point.review_rate, point.error_rate)
        assert facts["expected_cost"] == point.expected_cost(review)
    assert facts["frontier"]["cost"] == hybrid.review_frontier(review.question.center.goal).cost.tolist()
    assert report.facts["condition"] is None
    text = report.to_text()
    assert "Reviewed: 20.0 % of the cases" in text.replace("\n", " ")
    assert "Without reviews it is" in text
    assert rh.Report(hybrid).facts["review"] is None
    assert '"review_rate"' in report.to_html()
    assert f"{reviewing(report.facts)}.{further(report.facts['review'])}" in " ".join(text.split())
    with pytest.raises(ValueError, match="figures has no effect with a Review"):
        rh.Report(hybrid, review, figures=rh.ExpectedCost())


@pytest.mark.parametrize(
    "asked",
    [{}, {"prevalence": 0.037}, {"prevalence": (0.1, 0.33)}, {"max_share": 0.1234}, {"cost_review": 9.0}],
)
def test_what_the_rule_does_with_10000_cases(hybrid: rh.Hybrid, asked: dict[str, Any]) -> None:
    review = rh.Review(**({"cost_fn": 2.0, "cost_review": 0.1} | asked))
    report = rh.Report(hybrid, review)
    table = report.facts["review"]["outcomes"]
    rng = np.random.default_rng(0)  # the same cases as in the hybrid, row by row
    y = rng.integers(0, 2, 300)
    scores = {"a": y + rng.normal(size=300), "b": y + 2 * rng.random(300)}
    prevalence = {"prevalence": y.mean()} | asked
    middle = float(np.mean(prevalence["prevalence"]))
    assert table["prevalence"] == pytest.approx(middle)
    wanted: dict[str, list[float]] = {"positives": [0.0] * 3, "negatives": [0.0] * 3}
    for rule, share in report_rules(hybrid, review):
        outcome = rule.outcome(300, lambda name: Scores(scores[str(name)]))
        for i, action in enumerate((Action.POSITIVE, Action.REVIEW, Action.NEGATIVE)):
            for name, label, mass in (("positives", 1, middle), ("negatives", 0, 1 - middle)):
                wanted[name][i] += 10_000 * mass * share * float(np.mean(outcome[y == label] == action))
    for name, cells in wanted.items():
        assert list(table[name].values()) == pytest.approx(cells, abs=1e-8)
    columns, rows = reviewed_cases(report.facts) or ([], [])
    assert columns == ["", "flagged\nwithout review", "reviewed", "passed\nwithout review"]
    whole = np.array([[int(cell.replace(",", "")) for cell in row[1:]] for row in rows])
    assert whole.sum(axis=1).tolist() == [round(10_000 * middle), 10_000 - round(10_000 * middle)]
    assert np.abs(whole - list(wanted.values())).max() < 1
    text = " ".join(report.to_text().split())
    assert reviewed_of(report.facts) in text
    assert ("the middle of the range" in text) is isinstance(asked.get("prevalence"), tuple)
    html = report.to_html()
    assert all(f"<td>{cell}</td>" in html for row in rows for cell in row[1:])
    older = report.facts | {"review": {k: v for k, v in report.facts["review"].items() if k != "outcomes"}}
    assert reviewed_cases(older) is None


def report_rules(hybrid: rh.Hybrid, review: rh.Review) -> Any:
    """The rules of a report: those of least worst regret, where a number is a range."""
    return (
        review.at_prevalence(hybrid.hull.prevalence)
        .question.own_point(hybrid.hulls.values(), deterministic=False, minimax=bool(review.question.spread))
        .rules
    )


def test_thresholds_that_are_rounded_are_told_with_all_digits(hybrid: rh.Hybrid) -> None:
    review = rh.Review(cost_fn=2, cost_review=0.1)
    text = " ".join(rh.Report(hybrid, review).to_text().split())
    [(rule, _)] = hybrid.at(review).rules
    assert f"With all digits they are {rule.high.threshold} and {rule.low.threshold}." in text
    y, score = [0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6]
    assert "With all digits" not in rh.Report(rh.Hybrid().add("a", y, score), review).to_text()


@pytest.mark.parametrize(
    "asked",
    [{}, {"reviewer": (0.05, 0.9)}, {"max_share": 0.2}, {"max_error": 0.05}, {"cost_review": 5}, {"cost_fn": (2, 3)}],
)  # fmt: skip
def test_the_price_of_reviewing_every_case(hybrid: rh.Hybrid, asked: dict[str, Any]) -> None:
    review = rh.Review(**({"cost_fn": 2, "cost_review": 0.1} | asked))
    facts = rh.Report(hybrid, review).facts
    found = facts["review"]
    false, true = asked.get("reviewer", (0, 1))  # what a review of every case costs
    middle, p = review.question.center.goal, hybrid.prevalence
    everything = middle.cost_review + (1 - p) * middle.cost_fp * false + p * middle.cost_fn * (1 - true)
    assert found["frontier"]["cost"][-1] == pytest.approx(everything)
    assert found["frontier"]["share"][-1] == 1
    costs = meaning(facts)
    assert "To review a case is to have a person decide it." in str(costs)
    assert f"a review {asked.get('cost_review', 0.1)}, a correct decision nothing." in str(costs)


@pytest.mark.parametrize("p", [0.5, 0.1234, 0.33335])
def test_whole_cases_are_as_near_as_can_be(p: float) -> None:
    """Every table that adds up is tried: no other is nearer in its cells and the sums of its actions."""
    rng = np.random.default_rng(round(1e5 * p))
    for size in (10, 97, 10_000, 10**12):
        shares = rng.dirichlet(np.ones(3), 2)
        cells = shares * size * np.array([[p], [1 - p]])
        names = ("flagged", "reviewed", "passed")
        rows = [dict(zip(names, row.tolist(), strict=True)) for row in cells]
        found = np.array(
            whole_reviews(
                {"cases": size, "prevalence": p, **dict(zip(("positives", "negatives"), rows, strict=True))}
            )
        )
        positives = math.floor(size * p + 0.5)
        assert found.sum(axis=1).tolist() == [positives, size - positives]
        base, best = np.floor(cells), math.inf
        for up in product((0, 1), repeat=6):
            made = base + np.reshape(up, (2, 3))
            if made.sum(axis=1).tolist() == [positives, size - positives]:
                best = min(best, _off(made, cells))
        assert _off(found, cells) == pytest.approx(best, abs=1e-3)


def _off(made: Any, cells: Any) -> float:
    return float(((made - cells) ** 2).sum() + ((made - cells).sum(axis=0) ** 2).sum())


@pytest.mark.parametrize(
    "asked",
    [{"max_share": 0.1}, {"max_share": 0.0}, {"max_share": 0.99}, {}, {"cost_review": 9}]
    + [{"cost_fn": 20, "max_share": share, "reviewer": (0.1, 0.9)} for share in (0.05, 0.3, 0.6)],
)
def test_what_one_more_review_would_save_is_what_it_saves(hybrid: rh.Hybrid, asked: dict[str, Any]) -> None:
    """Another report is made, with a limit that is higher by one case in 100."""
    review = rh.Review(**({"cost_fn": 5, "cost_review": 0.1} | asked))
    facts = rh.Report(hybrid, review).facts
    said, here, most = further(facts["review"]), facts["review"]["review_rate"], asked.get("max_share", 1)
    more = hybrid.at(replace(review, max_share=min(1, most + 0.01))).expected_cost(review)
    saved = facts["review"]["expected_cost"] - more
    if saved > 1e-9:
        beyond, more_than = (" (beyond the limit)", " more") if most else ("", "")
        told = f"would save about {number(saved, 2)} per case{more_than}, reviews paid"
        assert said == f" To review {percent(here + 0.01)} of the cases{beyond} {told}."
    else:
        assert said == (" More reviews would save nothing." if 0 < here < 0.99 else "")


@pytest.mark.parametrize("asked", [{"max_error": 0.001}, {"cost_review": (0.02, 0.6)}])
def test_what_another_limit_or_a_range_chose_has_no_price(hybrid: rh.Hybrid, asked: dict[str, Any]) -> None:
    assert further(rh.Report(hybrid, rh.Review(**({"cost_fn": 5} | asked))).facts["review"]) == ""


def test_what_compares_without_reviews_says_so(
    browser: Browser, german: rh.Hybrid, german_page: Path, tmp_path: Path
) -> None:
    text = " ".join(rh.Report(german, ASKED).to_text().split())
    assert "Without reviews: on these data " in text
    assert "by slope of the lines of equal cost, without reviews" in text
    rh.Report(german, rh.ExpectedCost(1, 5, 0.3)).save(tmp_path / "r.html")
    heads = ["#alone caption", "#space", "#shares > summary"]
    for path, own in ((german_page, True), (tmp_path / "r.html", False)):
        with opened(browser, path) as page:
            to_view(page, "Reviews")
            for seen in (True, False):
                page.locator('[data-review="on"]').set_checked(seen)
                drawn(page)
                for head in heads:
                    assert ("(without reviews)" in page.locator(head).inner_text()) == (own or seen)
                said = "; all but the first without reviews" * seen
                assert page.locator("#compare caption").inner_text().endswith(f"number of cases{said}")


def test_scores_that_tell_nothing_are_all_reviewed() -> None:
    hybrid = rh.Hybrid().add("a", [0, 1, 0, 1], [1, 1, 1, 1])
    assert reviewing(rh.Report(hybrid, rh.Review()).facts) == "Review every case"


def rule(kind: str, threshold: float | None = None) -> dict[str, Any]:
    return {"kind": kind, "classifier": "a" if kind == "threshold" else None, "threshold": threshold}


NEVER, ALWAYS = rule("never"), rule("always")
HIGH, LOW, LOWER = (rule("threshold", at) for at in (0.7, 0.25, 0.1))
LOWEST, LOW_TOO = (rule("threshold", at) | {"lower_is_positive": True} for at in (0.1, 0.4))


ORDERS = {
    "answer.order.flag or review": (HIGH, LOW),
    "answer.order.review others": (HIGH, ALWAYS),
    "answer.order.flag": (HIGH, HIGH),
    "answer.order.review": (NEVER, LOW),
    "answer.order.review all": (NEVER, ALWAYS),
    "answer.order.flag none": (NEVER, NEVER),
    "answer.order.flag all": (ALWAYS, ALWAYS),
}
MIXED = [
    [(HIGH, LOW, 0.3), (HIGH, LOWER, 0.7)],
    [(HIGH, HIGH, 0.3), (HIGH, LOW, 0.7)],
    [(HIGH, LOWER, 0.3), (LOW, LOWER, 0.7)],
    [(NEVER, LOWER, 0.3), (LOW, LOW, 0.7)],
    [(HIGH, LOW, 0.25), (HIGH, LOWER, 0.25), (HIGH, LOW, 0.25), (HIGH, HIGH, 0.25)],
    [(LOWEST, LOWEST, 0.3), (LOWEST, LOW_TOO, 0.7)],
    [(NEVER, NEVER, 0.3), (NEVER, ALWAYS, 0.7)],
    [(LOW_TOO, ALWAYS, 0.4), (LOWEST, ALWAYS, 0.6)],
]


def ruled(parts: list[Any]) -> list[dict[str, Any]]:
    return [dict(zip(("high", "low", "probability"), part, strict=True)) for part in parts]


@pytest.mark.usefixtures("keys")
def test_a_rule_with_reviews_is_an_order() -> None:
    rules = [ruled([(*bounds, 1)]) for bounds in ORDERS.values()]
    assert [reviewing({"positive": "bad", "review": {"rules": each}}) for each in rules] == [*ORDERS]


def test_the_page_tells_every_rule_with_reviews_as_the_terminal_does() -> None:
    rules = [*(ruled([(*bounds, 1)]) for bounds in ORDERS.values()), *map(ruled, MIXED)]
    with engine() as made:
        found = made.evaluate("all => all.map((rules) => rochullReviewed.reviewing('bad', rules))", rules)
    told = [plain(reviewing({"positive": "bad", "review": {"rules": each}})) for each in rules]
    assert [plain(each) for each in found] == told
    assert len(set(told)) == len(told)


@pytest.mark.parametrize(
    ("rules", "parts"),
    [
        (MIXED[0], ["a ≥ 0.7;", "a ≥ 0.25, and a random 70.0 % of those from 0.1 up to 0.25;"]),
        (MIXED[2], ["a ≥ 0.7, and a random 70.0 % of those from 0.25 up to 0.7;", "when a ≥ 0.1;"]),
        (MIXED[3], ["a ≥ 0.25, for 70.0 % of the cases", "a ≥ 0.1, for 30.0 % of the cases"]),
        (MIXED[4], ["a ≥ 0.25 (for 50.0 %", "a ≥ 0.1 (for 25.0 %"]),
        (MIXED[7], ["a ≤ 0.1, and a random 40.0 % of those from 0.4 down to 0.1;", "review all others"]),
    ],
)
def test_shares_of_a_mixture_add_up_by_action(rules: list[Any], parts: list[str]) -> None:
    """Of which threshold, and how often: rules with the same one are told together."""
    told = plain(reviewing({"positive": "bad", "review": {"rules": ruled(rules)}}))
    assert all(part in told for part in parts), told


# --- the page ------------------------------------------------------------------------------------------------

N = 80
ASKED = rh.Review(cost_fp=1, cost_fn=5, cost_review=0.2, prevalence=0.3, max_share=0.15)
READ = """() => ({
    caption: document.getElementById("reviewed-of").textContent,
    cells: Object.fromEntries([...document.querySelectorAll("[data-action]")].map((cell) => [cell.dataset.action, {
        text: cell.querySelector(".count").textContent, what: cell.querySelector(".what").textContent,
        value: Number(cell.querySelector(".count").dataset.value), cost: Number(cell.querySelector(".price").dataset.value) }])),
    figures: Object.fromEntries([...document.querySelectorAll("[data-reviewed]")].map(
        (node) => [node.dataset.reviewed, node.dataset.value === "" ? null : Number(node.dataset.value)])),
    of: Object.fromEntries([...document.querySelectorAll("[data-reviewed]")].map(
        (node) => [node.dataset.reviewed, node.nextElementSibling.textContent])),
    compared: ["flagged", "caught", "missed", "false alarms"].map(
        (cell) => document.querySelector(`[data-row=reviewed] [data-cell="${cell}"]`)?.textContent ?? ""),
    exact: document.getElementById("reviewed-exact").hidden ? "" : document.getElementById("reviewed-exact").textContent,
})"""


@pytest.fixture(scope="module")
def german_page(german: rh.Hybrid, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reviews") / "german.html"
    rh.Report(german, ASKED).save(path)
    return path


def random_reviews(n: int) -> list[rh.Review]:
    rng = np.random.default_rng(5)
    return [
        rh.Review(
            cost_fp=round(float(10 ** rng.uniform(-1, 1)), 2),
            cost_fn=round(float(10 ** rng.uniform(-1, 2)), 2),
            cost_review=round(float(rng.choice([0, 10 ** rng.uniform(-2, 0.5)])), 3),
            prevalence=round(float(rng.beta(1, 2)), 3) or 0.001,
            max_share=float(rng.choice([0, 1, round(rng.random(), 3), round(rng.random() / 5, 3)])),
        )
        for _ in range(n)
    ]


def set_review(page: Page, review: rh.Review) -> None:
    page.evaluate(
        """([state, review]) => { rochullReport.views.review = () => review; rochullReport.set({ ...rochullReport.state, ...state }); }""",
        [
            {"goal": "cost", **{key: getattr(review, key) for key in ("cost_fp", "cost_fn", "prevalence")}},
            {"cost": review.cost_review, "most": review.max_share},
        ],
    )


def same_page(shown: Any, facts: dict[str, Any]) -> None:
    """Compare what a page shows with a report that was made for it."""
    found, table = facts["review"], facts["review"]["outcomes"]
    assert plain(shown["caption"]) == plain(reviewed_of(facts))
    _, rows = reviewed_cases(facts) or ([], [])
    for of, row in zip(("positives", "negatives"), rows, strict=True):
        for action, text in zip(("flagged", "reviewed", "passed"), row[1:], strict=True):
            cell = shown["cells"][f"{of}:{action}"]
            assert cell["text"] == text, (of, action)
            assert cell["value"] == pytest.approx(table[of][action], abs=1e-7)
            assert cell["cost"] == pytest.approx(table["costs"][of][action], rel=1e-9, abs=1e-7)
    costs = [cost for row in table["costs"].values() for cost in row.values()]
    assert sum(costs) == pytest.approx(table["cases"] * found["expected_cost"])
    p, figures = table["prevalence"], shown["figures"]
    flagged = p * found["tpr"] + (1 - p) * found["fpr"]
    wanted = {
        "review_rate": found["review_rate"], "error_rate": found["error_rate"], "expected_cost": found["expected_cost"],
        "tpr": found["tpr"], "fpr": found["fpr"], "positive_rate": flagged,
        "precision": p * found["tpr"] / flagged if flagged else None,
    }  # fmt: skip
    for key, value in wanted.items():
        assert figures[key] == (None if value is None else pytest.approx(value, abs=1e-10)), key
    assert shown["exact"] == (rounded(facts) or "")
    size, whole = round(table["cases"]), [[int(cell.replace(",", "")) for cell in row[1:]] for row in rows]
    if "reviewer" not in found["parameters"]:  # whose own rounding is tested where it is told
        (caught, sent, missed), (alarms, also, passed) = whole
        assert {key: text.replace(",", "") for key, text in shown["of"].items()} == {
            "review_rate": f"{sent + also} of {size}",
            "positive_rate": f"{caught + sent + alarms} of {size}",
            "precision": f"{caught + sent} of {caught + sent + alarms}" if caught + sent + alarms else "",
            "error_rate": f"{alarms + missed} of {size - sent - also}" if size - sent - also else "",
            "tpr": f"{caught + sent} of {caught + sent + missed}" if caught + sent + missed else "",
            "fpr": f"{alarms} of {alarms + also + passed}" if alarms + also + passed else "",
            "expected_cost": "",
        }


@pytest.mark.long
def test_every_state_of_the_page_is_a_report(browser: Browser, german: rh.Hybrid, german_page: Path) -> None:
    some = 0
    with opened(browser, german_page) as page:
        same_page(page.evaluate(READ), rh.Report(german, ASKED).facts)
        for review in random_reviews(N):
            set_review(page, review)
            facts, shown = rh.Report(german, review).facts, page.evaluate(READ)
            same_page(shown, facts)
            (caught, sent, missed), (alarms, _, _) = whole_reviews(facts["review"]["outcomes"])
            counts = [caught + sent + alarms, caught + sent, missed, alarms]
            assert [cell.replace(",", "") for cell in shown["compared"]] == [str(count) for count in counts]
            some += 0 < facts["review"]["review_rate"] < 1
        assert page.evaluate("rochullReport.view") == "reviews"
    assert some > N / 3


@pytest.mark.parametrize(
    "asked",
    [
        {"reviewer": (0.05, 0.9)},
        {"reviewer": (0.05, 0.9), "max_share": 0.1, "cost_fn": (3, 9)},
        {"max_error": 0.1, "reviewer": (0, 0.8)},
        {"cost_fn": (2, 10), "cost_review": (0.1, 0.3)},
        {"prevalence": (0.1, 0.3)},
    ],
)
def test_a_condition_that_the_controls_cannot_set_has_its_table_too(
    browser: Browser, german: rh.Hybrid, tmp_path: Path, asked: dict[str, Any]
) -> None:
    review = rh.Review(**({"cost_fn": 5, "cost_review": 0.2} | asked))
    report = rh.Report(german, review)
    report.save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        expect(page.locator("#unmoved")).to_be_visible()
        shown = page.evaluate(READ)
        same_page(shown, report.facts)
        false, true = asked.get("reviewer", (0, 1))
        reviewed = {of: shown["cells"][f"{of}:reviewed"] for of in ("positives", "negatives")}
        for of, rate, right, words in (
            ("positives", true, 1, "then caught"),
            ("negatives", false, 0, "then passed"),
        ):
            count = int(reviewed[of]["text"].replace(",", ""))
            flags = int(count * rate + 0.5)
            if rate == right:
                assert reviewed[of]["what"] == words
            elif of == "positives":
                assert reviewed[of]["what"] == f"{flags:,} then caught, {count - flags:,} missed"
            else:
                assert reviewed[of]["what"] == f"{flags:,} then false alarms, {count - flags:,} passed"


def test_the_table_is_that_of_the_rule_in_view(
    browser: Browser, german: rh.Hybrid, german_page: Path
) -> None:
    with opened(browser, german_page) as page:
        two, three = page.locator("#outcomes-two"), page.locator("#outcomes-three")
        expect(three).to_be_visible()
        expect(two).to_be_hidden()
        expect(page.locator("#unmoved")).to_be_hidden()
        expect(page.locator("#answer-kind")).to_have_text("The best rule with reviews")
        assert page.locator("#answer").inner_text().count("Flag") == 0
        page.fill("#per-cases", "500")
        page.fill("#cost-unit", "EUR")
        cells = page.locator("[data-action]")
        counts = [int(cell.locator(".count").inner_text()) for cell in cells.all()]
        assert sum(counts) == 500
        total = 500 * german.at(ASKED).expected_cost(ASKED)
        prices = [cell.get_attribute("data-value") for cell in cells.locator(".price").all()]
        assert sum(float(price or 0) for price in prices) == pytest.approx(total)
        table = page.evaluate("rochullTake.rowsOf(document.querySelector('#outcomes-three table'))")
        assert table[0] == ["", "flagged without review", "reviewed", "passed without review"]
        assert sum(float(cell) for row in table[1:] for cell in row[1:]) == pytest.approx(500)
        expect(page.locator("#reviewed-mixed")).to_be_visible()
        rows = page.locator("#compare-rows tr")
        expect(rows.first).to_contain_text("the best rule with reviews")
        expect(rows.nth(1)).to_contain_text("the best rule without reviews")
        point, free = german.at(ASKED), german.at(rh.ExpectedCost(1, 5, 0.3))
        saved = 1 - point.expected_cost(ASKED) / free.expected_cost(rh.ExpectedCost(1, 5, 0.3))
        wanted = {"cost": total, "caught": 150 * point.tpr, "missed": 150 * (1 - point.tpr),
                  "false alarms": 350 * point.fpr, "flagged": 150 * point.tpr + 350 * point.fpr}  # fmt: skip
        for key, value in wanted.items():
            cell = rows.first.locator(f'[data-cell="{key}"]')
            assert float(cell.get_attribute("data-value") or "nan") == pytest.approx(value)
        less = rows.nth(1).locator("[data-cell=less]")
        assert float(less.get_attribute("data-value") or "nan") == pytest.approx(saved)
        to_view(page, "ROC")
        expect(three).to_be_visible()  # a view changes no answer
        to_view(page, "Reviews")
        page.get_by_label("people decide these cases").uncheck()
        expect(rows.first).to_have_text(re.compile("^the best rule without reviews"))
        expect(three).to_be_hidden()
        expect(two).to_be_visible()
        expect(page.locator("#answer-kind")).to_have_text("The best rule without reviews")
        expect(page.locator("#asked")).to_contain_text("You have left the report’s condition")
        page.get_by_role("button", name="Back to it").click()
        expect(three).to_be_visible()
        page.get_by_label("a review costs").fill("0.4")
        changed = rh.Report(german, rh.Review(1, 5, 0.4, prevalence=0.3, max_share=0.15)).facts
        expect(page.locator("#reviewed-more")).to_have_text(
            further(changed["review"]).strip().replace(" per", " EUR per")
        )
        expect(page.locator("#asked")).to_contain_text("You have left the report’s condition")


def test_a_report_on_costs_tells_of_reviews_when_asked(
    browser: Browser, german: rh.Hybrid, tmp_path: Path
) -> None:
    rh.Report(german, rh.ExpectedCost(1, 5, 0.3)).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html") as page:
        to_view(page, "Reviews")
        expect(page.locator("#outcomes-two")).to_be_visible()
        page.get_by_label("a review costs").fill("0.2")
        facts = rh.Report(german, rh.Review(1, 5, 0.2, prevalence=0.3)).facts
        expect(page.locator("#reviewed-more")).to_have_text("More reviews would save nothing.")
        same_page(page.evaluate(READ), facts)
        assert page.locator("#open-rule").is_disabled()
        expect(page.locator("#rule-why")).to_be_visible()
        page.evaluate("rochullReport.set({ ...rochullReport.state, prevalence: [0.1, 0.4] })")
        expect(page.locator("#outcomes-two")).to_be_visible()  # a range is answered without reviews
        page.evaluate("rochullReport.set({ ...rochullReport.state, prevalence: 0.3 })")
        page.get_by_label("people decide these cases").uncheck()
        expect(page.locator("#outcomes-two")).to_be_visible()


def cost_interval(shares: Any, totals: tuple[int, int], prices: Any) -> list[float]:
    """Of what cases cost, by class the shares that are decided wrongly and that are reviewed, and their prices."""
    cost, far = 0.0, np.zeros(2)
    for (x, y), n, (a, b) in zip(shares, totals, prices, strict=True):
        one, two = wilson(x, n, 0.95), wilson(y, n, 0.95)
        r = math.sqrt(x * y / (1 - x) / (1 - y)) if x * y else 0.0
        for k, (u, v) in enumerate(((x - one.low, y - two.low), (one.high - x, two.high - y))):
            far[k] += (a * u) ** 2 + (b * v) ** 2 - 2 * r * a * u * b * v
        cost += a * x + b * y
    return [cost - math.sqrt(far[0]), cost + math.sqrt(far[1])]


@pytest.mark.long
def test_how_often_the_interval_of_a_cost_with_reviews_covers() -> None:
    rng, runs, hit = np.random.default_rng(3), 4000, 0
    true, totals, prices = [(0.05, 0.15), (0.1, 0.3)], (300, 100), [(0.8, 0.16), (1.0, 0.04)]
    cost = sum(a * x + b * y for (x, y), (a, b) in zip(true, prices, strict=True))
    drawn = [
        rng.multinomial(n, (x, y, 1 - x - y), runs)[:, :2] / n for (x, y), n in zip(true, totals, strict=True)
    ]
    for k in range(runs):
        low, high = cost_interval([each[k] for each in drawn], totals, prices)
        hit += low <= cost <= high
    assert 0.935 <= hit / runs <= 0.965


def test_rates_with_reviews_have_intervals(browser: Browser, german: rh.Hybrid, german_page: Path) -> None:
    review = rh.Review(1, 5, 0.2, prevalence=0.2)
    point = german.at(review)
    assert len(point.rules) == 1
    with opened(browser, german_page) as page:
        set_review(page, replace(review, max_share=1.0))
        ends = {
            node.get_attribute("data-reviewed"): node.locator("xpath=../small[2]").get_attribute("data-value")
            for node in page.locator("[data-reviewed]").all()
        }
        expect(page.locator("#reviewed-sure")).to_be_visible()
        set_review(
            page, replace(review, prevalence=0.3, max_share=1.0)
        )  # that of the data: shares of all 1,000
        own = page.locator("[data-reviewed=review_rate]")
        share = wilson(float(own.get_attribute("data-value") or "nan"), 1000, 0.95)
        ends_of_own = own.locator("xpath=../small[2]").get_attribute("data-value") or ""
        assert [float(end) for end in ends_of_own.split(",")] == pytest.approx([share.low, share.high])
    found = {key: [float(end) for end in text.split(",")] for key, text in ends.items() if text}
    assert set(found) == {"review_rate", "positive_rate", "precision", "tpr", "fpr", "expected_cost"}
    flags = {"fpr": point.fpr, "passed": 1 - point.tpr}  # of reviewers who make no mistakes
    shares = [(flags["fpr"], point.reviewed[0]), (flags["passed"], point.reviewed[1])]
    assert found["expected_cost"] == pytest.approx(
        cost_interval(shares, (700, 300), [(0.8, 0.8 * 0.2), (0.2 * 5, 0.2 * 0.2)])
    )
    totals = {"fpr": 700, "tpr": 300}
    for key, n in totals.items():
        sure = wilson(getattr(point, key), n, 0.95)
        assert found[key] == pytest.approx([sure.low, sure.high])
    parts = [
        (w, r, wilson(r, n, 0.95)) for w, r, n in zip((0.8, 0.2), point.reviewed, (700, 300), strict=True)
    ]
    low = math.hypot(*(w * (r - sure.low) for w, r, sure in parts))
    high = math.hypot(*(w * (sure.high - r) for w, r, sure in parts))
    assert found["review_rate"] == pytest.approx([point.review_rate - low, point.review_rate + high])
