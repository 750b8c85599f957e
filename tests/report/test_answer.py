"""The answer: what is said in every situation, in how many words, and that its numbers are those of the rule."""

import dataclasses
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import numpy as np
import pytest

import rochull as rh
from reading import grade, sentences, words
from rochull.report import Segmentation
from rochull.report.answer import Reader, messages
from rochull.report.answer_state import of_rates, of_segments, scale_of
from rochull.report.derived import cells_of
from rochull.report.facts import facts_of
from rochull.report.wording import count, number, share
from rochull.words.clauses import Clause, Vocabulary
from rochull.words.decisions import chosen, tables

PLAIN = Vocabulary("page", {"number": number, "share": share, "count": count})
SCHEMA = json.loads(files("rochull.report").joinpath("report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
NAMES = (
    "positive",
    "negative",
    "case",
    "each",
    "score",
    "score_low",
    "runner_up",
    "first",
    "second",
    "few_of",
)


def told(found: dict[str, Any]) -> str:
    return PLAIN.told(Clause.from_dict(found))


def bare(found: dict[str, Any]) -> str:
    """The same with names that have no letters, which do not count."""
    inner = {name: bare(slot) for name, slot in found.items() if isinstance(slot, dict)}
    said = {name: "*" for name in NAMES if name in found}
    lists = {name: ["*" for _ in slot] for name, slot in found.items() if isinstance(slot, list)}
    return told(found | said | inner | lists)


def lead(answer: dict[str, Any], say: Callable[[dict[str, Any]], str] = told) -> str:
    return " ".join(map(say, (answer["headline"], *answer["lede"])))


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    table = rh.datasets.load("german_credit_scores")
    hybrid = rh.Hybrid()
    for name in ("naive_bayes", "logistic", "boosted"):
        hybrid.add(name, table["class"], table[name], pos_label="bad")
    return hybrid


LIMITS = [rh.NeymanPearson(0.3), rh.MinimumRecall(0.7), rh.MinimumPrecision(0.6)]
CONDITIONS: list[Any] = [
    None,
    rh.ExpectedCost(1, 5, 0.3),
    rh.ExpectedCost(1, 5, 0.001),
    rh.ExpectedCost(1, 500, 0.3),
    rh.ExpectedCost(0, 1, 0.3),
    rh.ExpectedCost(1, 0, 0.3),
    rh.ExpectedCost(1, (2, 10), 0.3),
    rh.ExpectedCost((1, 2), (2, 10), (0.1, 0.4)),
    *LIMITS,
    rh.Capacity(cases=200, population=2000),
    rh.Capacity(fraction=0.1),
    rh.conditions.Youden(),
    rh.conditions.Review(1, 5, 0.3, prevalence=0.3),
    rh.conditions.Review(1, 5, 3, prevalence=0.3),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_words_are_few_and_plain(german: rh.Hybrid, condition: Any) -> None:
    long = Reader("people with an income above the median", "customers of the branch in town", "EUR")
    for reader in (Reader(), long):
        facts = facts_of(german, condition, reader=reader)
        VALIDATOR.validate(json.loads(json.dumps(facts)))
        answer = facts["answer"]
        text = lead(answer, bare)
        assert len(words(text)) <= 40, text
        assert grade(text) <= 8, (grade(text), text)
        beside = [row["message"] for row in answer["rows"]] + [answer["caveat"]] * bool(answer["caveat"])
        for each in (text, *map(bare, beside)):
            assert all(len(words(sentence)) <= 25 for sentence in sentences(each)), each
        assert "None" not in " ".join([lead(answer), *map(told, beside)])


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_cases_have_the_name_that_they_were_given(german: rh.Hybrid, condition: Any) -> None:
    answer = facts_of(german, condition, reader=Reader("buyers", "calls"))["answer"]
    beside = [row["message"] for row in answer["rows"] if row["key"] != "try"]
    said = " ".join([lead(answer), *map(told, beside), told(answer["caveat"]) if answer["caveat"] else ""])
    assert "cases" not in said


@pytest.mark.parametrize("margin", [None, "none", "open", "tight", "built", "assured", "slack"])
def test_what_risks_least_within_limits_keeps_them(german: rh.Hybrid, margin: str | None) -> None:
    state = facts_of(german, rh.ExpectedCost(1, (2, 10), 0.3))["answer"]["state"]
    for kind in ("miss", "costs", "measure"):
        said = " ".join(map(told, messages({**state, "margin": margin, "range": kind})["lede"]))
        assert "no other single cut-off" in said.lower()
        assert ("that keeps your limits risks less" in said) == (margin is not None), said


def test_a_word_is_a_token_with_a_letter() -> None:
    assert words("Of 100 you catch 93; 24 % less.") == ["Of", "you", "catch", "less."]
    assert sentences("Flag it. Of 100 you catch 93; of 100 others 24.") == [
        "Flag it.", "Of 100 you catch 93;", "of 100 others 24.",
    ]  # fmt: skip
    assert grade("The cat sat on the mat.") < 1
    assert grade("Randomised classification necessitates caution.") > 8


SAID: list[tuple[Any, dict[str, dict[str, Any]]]] = [
    (
        rh.ExpectedCost(1, 5, 0.3),
        {
            "headline.above": {"score": "naive_bayes", "cutoff": "0.1744"},
            "lede.caught": {"caught": 85, "wrong": 40, "positive": "bad loans", "fpr": None},
            "lede.less here": {"saved": 38},
        },
    ),
    (
        rh.NeymanPearson(0.3),
        {"headline.above": {"cutoff": "0.2639"}, "lede.caught": {"caught": 75, "wrong": 30, "fpr": "at"}},
    ),
    (
        rh.ExpectedCost(1, (2, 10), 0.3),
        {"headline.above": {}, "lede.worst of misses": {"miss_low": 2, "miss_high": 10, "worst": 710}},
    ),
    (  # beside whichever costs less, reviewing all or nobody
        rh.Review(1, 5, 0.3, prevalence=0.3),
        {
            "headline.zones above": {"cutoff": "0.7834", "low": "0.03846"},
            "lede.zones": {"flagged": 5, "reviewed": 84, "passed": 11},
            "lede.reviews less all": {"saved": 10},
        },
    ),
    (
        rh.Review(1, 5, 0.3, prevalence=0.3, max_share=0.2),
        {
            "headline.zones above": {},
            "lede.zones": {"reviewed": 18},
            "lede.reviews less": {"saved": 17},
            "lede.further in alarms": {"further_saving": 0.45},
        },
    ),
    (
        rh.Capacity(cases=200, population=2000, prevalence=0.3),
        {"headline.above": {}, "lede.capacity": {"flagged": 200, "found": 150, "random": 60}},
    ),
]


@pytest.mark.parametrize(("condition", "wanted"), SAID)
def test_what_is_said(german: rh.Hybrid, condition: Any, wanted: dict[str, dict[str, Any]]) -> None:
    answer = facts_of(german, condition, reader=Reader("bad loans"))["answer"]
    found = {each["key"].removeprefix("answer."): each for each in (answer["headline"], *answer["lede"])}
    assert [*found] == [*wanted]
    for key, slots in wanted.items():
        assert found[key] == found[key] | slots


@pytest.mark.parametrize(("cases", "population"), [(50, 10_000), (97, 997), (201, 2000), (333, 9999)])
def test_a_capacity_is_told_in_the_cases_that_are_drawn(
    german: rh.Hybrid, cases: int, population: int
) -> None:
    for prevalence in (0.001, 0.01, 0.07, 0.3):
        condition = rh.Capacity(cases=cases, population=population, prevalence=prevalence)
        facts = facts_of(german, condition)
        cells, told = cells_of(facts, population), facts["answer"]["lede"][0]
        assert cells is not None
        assert told["key"] == "answer.lede.capacity"
        assert (told["flagged"], told["found"]) == (cells["tp"] + cells["fp"], cells["tp"])
        assert told["flagged"] <= cases


def test_counts_are_those_of_the_rule(german: rh.Hybrid) -> None:
    table = rh.datasets.load("german_credit_scores")
    answer = facts_of(german, rh.ExpectedCost(1, 5, 0.3))["answer"]
    flagged = np.asarray(table[answer["rule"]["classifier"]]) >= answer["rule"]["threshold"]
    bad = np.asarray(table["class"]) == "bad"
    assert (answer["fp"], answer["tp"]) == ((flagged & ~bad).sum(), (flagged & bad).sum())
    half = answer["comparison"]
    flagged = np.asarray(table[half["rule"]["classifier"]]) >= 0.5
    assert (half["kind"], half["fp"], half["tp"]) == ("half", (flagged & ~bad).sum(), (flagged & bad).sum())


def test_a_rule_is_compared_with_another_one() -> None:
    y = [0, 0, 0, 1, 0, 1]
    hybrid = rh.Hybrid().add("score", y, [0.1, 0.2, 0.3, 0.5, 0.45, 0.9])
    even = facts_of(hybrid, rh.ExpectedCost(1, 1))["answer"]
    assert even["rule"]["threshold"] == 0.5  # it is the usual one
    assert even["comparison"]["kind"] == "none"
    worse = rh.Hybrid().add("score", [1, 0, 0], [0.1, 0.2, 0.3])
    never = facts_of(worse, rh.ExpectedCost(9, 1))["answer"]
    assert (never["rule"]["kind"], never["comparison"]["kind"]) == ("never", "all")
    whole = rh.Hybrid().add("score", y, [1, 2, 3, 5, 4, 9])
    assert facts_of(whole, rh.ExpectedCost(1, 9))["answer"]["comparison"]["kind"] == "all"


@pytest.mark.parametrize(
    ("rate", "scale"), [(0, 100), (1, 100), (0.5, 100), (0.004, 1000), (0.9999, 10_000), (1e-9, 1_000_000)]
)
def test_rare_events_are_told_of_more_cases(rate: float, scale: int) -> None:
    assert scale_of(rate) == scale
    found = of_rates({"fpr": rate, "tpr": 0.5}, 0.1, 100)
    assert found["of_negative"] == scale
    assert 0 < found["wrong"] < scale or rate in {0, 1, 1e-9}


def test_without_examples_nothing_is_said() -> None:
    assert facts_of(rh.Hybrid().add_point("p", 0.1, 0.9), rh.ExpectedCost(1, 5, 0.3))["answer"] is None


def test_messages_follow_from_the_state_alone(german: rh.Hybrid) -> None:
    for condition in (None, SAID[0][0], *LIMITS):
        answer = json.loads(json.dumps(facts_of(german, condition)["answer"]))
        assert messages(answer["state"]) == {
            name: answer[name] for name in ("headline", "lede", "caveat", "rows")
        }


@pytest.mark.parametrize(
    "condition", [LIMITS[0], LIMITS[1], rh.Within(rh.ExpectedCost(1, 5, 0.3), LIMITS[:1])]
)
def test_a_margin_is_that_of_the_best_assured_rule(german: rh.Hybrid, condition: Any) -> None:
    sure = dataclasses.replace(condition, confidence=0.95)
    rule, answer = german.at(sure, deterministic=True), facts_of(german, condition)["answer"]
    if german.at(condition, deterministic=True).rules == rule.rules:  # which has a margin already
        assert answer["margin"] is None or answer["state"]["margin"] == "open"
        return
    rates = {"max_fpr": rule.fpr, "min_recall": rule.tpr}
    assert answer["margin"] == {
        "limits": {name: rates[name] for name in answer["margin"]["limits"]},
        "sure": 95,
    }
    assert answer["state"]["margin"] == "open"
    assert "half the time" in told(answer["caveat"])
    assert facts_of(german, sure)["answer"]["margin"] is None


def test_where_no_margin_can_be_had_none_is_offered(german: rh.Hybrid) -> None:
    answer = facts_of(german, rh.Within(rh.ExpectedCost(1, 5, 0.3), LIMITS[:2]))["answer"]
    assert answer["margin"] is None
    assert told(answer["caveat"]).startswith("No margin, and none can be built in")


def test_a_rule_that_flags_none_keeps_its_limit_on_new_cases() -> None:
    hybrid = rh.Hybrid().add("const", [0, 0, 0, 1] * 30, [0.5] * 120)
    answer = facts_of(hybrid, LIMITS[0])["answer"]
    assert answer["state"]["rule"] == "never"
    assert (answer["margin"], answer["state"]["margin"], answer["caveat"]) == (None, "slack", None)


def test_a_margin_needs_the_examples_of_each_classifier() -> None:
    table = rh.datasets.load("german_credit_scores")
    hybrid = rh.Hybrid().add("logistic", table["class"], table["logistic"], pos_label="bad")
    answer = facts_of(hybrid.add_point("rates alone", 0.01, 0.02), LIMITS[0])["answer"]
    assert (answer["margin"], answer["state"]["margin"]) == (None, "none")


def test_cases_of_a_rule_with_reviews_add_up() -> None:
    """Also where each number alone is rounded to another one."""
    rng = np.random.default_rng(4)
    for n in (37, 61, 89):
        y = np.arange(n) % 3 == 0
        hybrid = rh.Hybrid().add("a", y, rng.normal(y * 1.5))
        state = rh.Report(hybrid, rh.Review(1, 5, 0.3)).facts["answer"]["state"]
        assert state["flagged"] + state["reviewed"] + state["passed"] == state["of_cases"]


@pytest.mark.parametrize(("own", "segments"), [(0.4, "few"), (0.3, "few apart")])
def test_segments_whose_cut_offs_are_alike_have_one(own: float, segments: str) -> None:
    """Even if held out, where folds have cut-offs of their own, these seem to gain."""
    counts = {"positives": 30, "negatives": 70, "one": {"fpr": 0.1, "tpr": 0.8}, "fpr": 0.1, "tpr": 0.8}
    rows = [{"segment": f"sex = {name}", "threshold": at, **counts} for name, at in (("f", own), ("m", 0.4))]
    held = {"gain": 0.1, "gain_sem": 0.01, "straight": {"expected_cost": 1.0}}
    found = {
        "columns": ["sex"],
        "rows": rows,
        "fixed": 0.4,
        "points": {"held_out": held},
        "lower_is_positive": False,
    }
    state = of_segments({"segments": found, "examples": {"weighted": False}})
    assert state["segments"] == segments
    key = "one is enough" if segments == "few" else "each saves"
    assert chosen(tables()["lede.caught"], state | {"rule": "above"}) == f"answer.lede.{key}"


@pytest.mark.parametrize(
    ("condition", "few", "key"),
    [
        (rh.ExpectedCost(1, 5, 0.3), True, "answer.fair.few"),
        (rh.ExpectedCost(1, 5, 0.3), False, "answer.fair.two"),
        (rh.Review(1, 5, 0.3, prevalence=0.3), False, "answer.fair.none"),
        (rh.ExpectedCost(1, (2, 10), 0.3), False, "answer.fair.none"),
    ],
)
def test_segments_that_were_named_are_not_asked_for(condition: Any, few: bool, key: str) -> None:
    """Values with fewer than 20 cases of a class are one segment, which has nothing beside it."""
    rng = np.random.default_rng(2)
    y = np.arange(400) % 2 == 0
    ward = np.where(np.arange(400) < (380 if few else 200), "a", "b")
    score = rng.normal(y * 1.5)
    segment = Segmentation(y, {"s": score}, {"ward": ward}, cv=2)
    facts = rh.Report(rh.Hybrid().add("s", y, score), condition, segment=segment).facts
    rows = {row["key"]: row["message"] for row in facts["answer"]["rows"]}
    assert rows["fair"]["key"] == key
