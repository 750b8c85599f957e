"""Every number on the report's page is the library's, whatever is set; its text is that number, rounded."""

import math
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import report_cases as cases
import rochull as rh
from browser import answers, opened
from rochull.report import Segmentation, derived, wording

N = 200
# Sets each state, and reads what then stands on the page: {key: [value, text]}, or null if it is refused.
READ = """states => states.map((state) => {
    try {
        rochullReport.set(state);
    } catch {
        return null;
    }
    return Object.fromEntries([...document.querySelectorAll("[data-key]")].map(
        (node) => [node.dataset.key, [node.dataset.value, node.textContent]]));
})"""
FIGURES = (
    "expected_cost", "net_benefit", "precision", "positive_rate", "accuracy", "worst", "slope", "probability_cost",
)  # fmt: skip
CELLS = ("tp", "fp", "fn", "tn")
RATES = ("fpr", "tpr", "single_fpr", "single_tpr", "precision", "positive_rate", "accuracy")


@pytest.fixture(scope="module")
def german_model() -> rh.ErrorRedistribution:
    return rh.ErrorRedistribution("pav", shrinkage=100)


@pytest.fixture(scope="module")
def german_page(
    german: rh.Hybrid, german_model: rh.ErrorRedistribution, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Save a page with segments; the model is fitted as the report fits it."""
    table = rh.datasets.load("german_credit_scores")
    y, aux = table["class"] == "bad", {"housing": table["housing"]}
    scores = {name: table[name] for name in cases.SCORES}
    fresh = rh.ErrorRedistribution("pav", shrinkage=100)
    report = rh.Report(german, segment=Segmentation(y, scores, aux, redistribution=fresh))
    german_model.fit(table[report.facts["segments"]["classifier"]], y, aux=aux)
    path = tmp_path_factory.mktemp("page") / "german.html"
    report.save(path)
    return path


def read(page: Page, states: list[cases.State]) -> list[dict[str, Any] | None]:
    """The live numbers of each state; what is said beside a share (of how many it is one) is left to test_outcomes."""
    found = answers(page, READ, states)
    assert isinstance(found, list)
    return [each and {key: told for key, told in each.items() if not key.startswith("of:")} for each in found]


def value_of(text: str | None) -> Any:
    """Return what stands in data-value: a number, a range, text, or None."""
    if not text:
        return None
    parts = [_number(part) for part in text.split(",")]
    return parts[0] if len(parts) == 1 else parts


def _number(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def wanted_values(wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what should stand under each key, of a result of the library."""
    chosen, single = wanted["chosen"], wanted["single"]
    found = {key: wanted[key] for key in FIGURES}
    for rate in ("fpr", "tpr"):
        found[rate] = chosen and chosen[rate]
        found[f"single_{rate}"] = single and single[rate]
    for cell in CELLS:
        found[cell] = wanted["confusion"] and wanted["confusion"][cell]
        found[f"price:{cell}"] = wanted["prices"] and wanted["prices"].get(cell)  # only errors have one
    for i, row in enumerate(wanted["regret"]):
        found[f"regret:{i}"] = row["value"]
        for rate in ("fpr", "tpr"):
            found[f"regret_{rate}:{i}"] = row["point"] and row["point"][rate]
    rules = chosen["rules"] if chosen else []
    for j in range(2):
        rule = rules[j] if j < len(rules) else None
        found[f"threshold:{j}"] = _threshold(rule and rule["rule"])
        found[f"probability:{j}"] = rule and rule["probability"]
    found["single_threshold"] = _threshold(single and single["rules"][0]["rule"])
    return found


def _threshold(rule: dict[str, Any] | None) -> float | None:
    return None if rule is None or rule["threshold"] is None else float(rule["threshold"])


def near_the_best(
    values: dict[str, Any], wanted: dict[str, Any], state: cases.State, facts: dict[str, Any]
) -> None:
    """Check a single threshold of a page that does not hold all: it is held, allowed, and near the best."""
    singles, totals = facts["singles"], facts["totals"]
    x, y = values["single_fpr"], values["single_tpr"]
    held = zip(singles["fp"], singles["tp"], singles["threshold"], strict=True)
    point = (pytest.approx(x, abs=1e-12), pytest.approx(y, abs=1e-12))
    thresholds = [
        float(threshold)
        for fp, tp, threshold in held
        if (fp / totals["negatives"], tp / totals["positives"]) == point
    ]
    assert thresholds == [math.inf if values["single_threshold"] is None else values["single_threshold"]]
    line = wanted["line"]
    over = line["a"] * y + line["b"] * x - line["c"]
    assert (over if state["goal"] in ("min_recall", "min_precision") else -over) >= -1e-12
    best = wanted["single"]
    assert x >= best["fpr"] - 1e-12 if state["goal"] == "min_recall" else y <= best["tpr"] + 1e-12
    assert (x, y) == pytest.approx((best["fpr"], best["tpr"]), abs=2 * singles["max_error"])


def compared(
    page: Page, hybrid: rh.Hybrid, states: list[cases.State]
) -> list[tuple[cases.State, dict[str, Any]]]:
    """Compare every state's page with the library; return those that the page accepted."""
    accepted = []
    facts = page.evaluate("rochullReport.facts")
    for state, shown in zip(states, read(page, states), strict=True):
        wanted = cases.expected(hybrid, state)
        if shown is None:
            continue
        values = {key: value_of(value) for key, (value, _) in shown.items() if not key.startswith("segment")}
        numbers = wanted_values(wanted)
        assert set(values) == set(numbers)
        if (
            facts["singles"]["max_error"]
            and wanted["single"]
            and (wanted["interval"] or state["goal"] != "cost")
        ):
            if not wanted["interval"]:
                near_the_best(values, wanted, state, facts)
            numbers = {key: value for key, value in numbers.items() if not key.startswith("single_")}
        assert cases.differences(values, numbers) == [], state
        accepted.append((state, shown))
    return accepted


def possible(state: cases.State) -> bool:
    """Whether a person can set a state: all numbers are in range, and some error costs something."""
    try:
        cases.condition_of(state)
        cases.condition_of(state | {"goal": "cost"})
    except ValueError:
        return False
    return state["cost_fp"] > 0


def test_adult(browser: Browser, tmp_path: Path) -> None:
    hybrid = cases.shipped("adult_scores", "income", ">50K")
    states = [state for state in cases.states(hybrid.hull, 2 * N, seed=21) if possible(state)][:N]
    assert len(states) == N
    rh.Report(hybrid).save(tmp_path / "adult.html")
    with opened(browser, tmp_path / "adult.html") as page:
        accepted = compared(page, hybrid, states)
    assert len(accepted) == N


def test_german_credit_and_its_segments(
    browser: Browser, german_page: Path, german: rh.Hybrid, german_model: rh.ErrorRedistribution
) -> None:
    states = [state for state in cases.states(german.hull, 2 * N, seed=22) if possible(state)][:N]
    with opened(browser, german_page) as page:
        accepted = compared(page, german, states)
    assert len(accepted) == N
    names = [*german_model.segments_, None]
    with_segments = 0
    for state, shown in accepted:
        thresholds = [value_of(shown[f"segment_threshold:{s}"][0]) for s in range(len(names))]
        try:
            condition = cases.condition_of(state)
            point = None if condition.question.spread else german_model.at(condition)
        except ValueError:
            point = None
        if point is None:
            assert thresholds == [None] * len(names)
            continue
        rules = [rule for rule, _ in point.rules]
        for name, found in zip(names, thresholds, strict=True):
            own = [cases.number_in(rule, name) for rule in rules]
            assert found == (own[0] if len(set(own)) == 1 else own)
        rates = [[value_of(shown[f"segment_{r}:{s}"][0]) for s in range(len(names))] for r in ("fpr", "tpr")]
        counts = list(german_model.counts_.values())
        for side, rate in enumerate(("fpr", "tpr")):
            called = sum(x * count[side] for x, count in zip(rates[side][:-1], counts, strict=True))
            assert called / sum(count[side] for count in counts) == pytest.approx(
                getattr(point, rate), abs=1e-9
            )
            assert rates[side][-1] is None
        with_segments += 1
    assert with_segments > N / 2


# --- text --------------------------------------------------------------------------------------------------


def outcomes(shown: dict[str, Any]) -> dict[str, int]:
    """Return the outcomes of a state as the terminal has them: whole cases."""
    return derived.whole_cases({cell: value_of(shown[cell][0]) for cell in CELLS})


def in_words(key: str, value: float, german: bool) -> str:
    """Return the text of one number as a terminal has it, in the signs of the locale."""
    if key in RATES or key.startswith(("regret_", "probability:")):
        text = wording.percent(value)
    elif key in CELLS:
        text = wording.count(value)
    else:
        text = wording.threshold(value) if "threshold" in key else wording.number(value)
    return (text.translate({44: ".", 46: ","}) if german else text).replace(" ", "\u00a0")


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
def test_texts_are_the_numbers_rounded(
    browser: Browser, german_page: Path, german: rh.Hybrid, locale: str
) -> None:
    states = [state for state in cases.states(german.hull, N, seed=23) if possible(state)][:80]
    seen = 0
    with opened(browser, german_page, locale=locale) as page:
        pages = read(page, states)
    for shown in pages:
        assert shown is not None
        for key, (text_value, text) in shown.items():
            values = value_of(text_value) if not key.startswith("segment") else None
            for value in values if isinstance(values, list) else [values]:
                if value is None or math.isinf(value):
                    continue
                if key.startswith("probability:") and (text == "" or not 0.0005 <= value <= 0.9995):
                    continue  # of a mixture one share tells both, or what the other leaves as it is shown
                if text.endswith(" percentage points"):  # what a classifier alone catches less
                    value, text = round(100 * value, 2), text.removesuffix(" percentage points")
                text = text.removeprefix("cost ")
                whole = key in CELLS and not isinstance(values, list)
                wanted = in_words(key, outcomes(shown)[key] if whole else value, locale == "de-DE")
                ends = re.split("–| to ", text)  # the sign of a percentage is told once
                assert wanted in ends or wanted.removesuffix("\u00a0%") in ends, (key, value, text)
                seen += 1
    assert seen > 1000
