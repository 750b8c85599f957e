"""The answer in a terminal: few lines of 80 columns, whose numbers add up and are those of the facts."""

import re
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.report.brief import brief
from rochull.report.text import printed

NAMES = ("naive_bayes", "logistic", "boosted")
CONDITIONS: list[Any] = [
    None,
    rh.ExpectedCost(1, 5, 0.3),
    rh.ExpectedCost(1, 5, 0.001),
    rh.ExpectedCost(0, 1, 0.3),
    rh.ExpectedCost(1, 0, 0.3),
    rh.ExpectedCost(1, (2, 10), 0.3),
    rh.ExpectedCost((1, 2), (2, 10), (0.1, 0.4)),
    rh.NeymanPearson(0.3),
    rh.MinimumPrecision(0.6),
    rh.Within(rh.ExpectedCost(1, 5, 0.3), [rh.FalsePositiveRate() <= 0.2, rh.Precision() >= 0.5]),
    rh.Capacity(cases=200, population=2000),
    rh.conditions.Youden(),
    rh.conditions.Review(1, 5, 0.5, prevalence=0.3),
]


def hybrid_of(names: tuple[str, ...] = NAMES, longer: str = "") -> rh.Hybrid:
    table = rh.datasets.load("german_credit_scores")
    hybrid = rh.Hybrid()
    for name in names:
        hybrid.add(name + longer, table["class"], table[name], pos_label="bad")
    return hybrid


@pytest.fixture(scope="module")
def german() -> rh.Hybrid:
    return hybrid_of()


def lines(report: rh.Report) -> list[str]:
    return printed(brief(report.facts), 80).splitlines()


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_lines_are_few_and_short(german: rh.Hybrid, condition: Any) -> None:
    for given in ({}, {"positive_name": "p" * 40, "case_name": "c" * 40, "unit": "EUR"}):
        found = lines(rh.Report(german, condition, **given))
        assert len(found) <= (25 if given else 22)  # commands say three more, of files and of prevalence
        assert max(map(len, found)) <= 80
        assert "None" not in "".join(found)


def numbers(line: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"(?<![\w.])\d[\d,]*(?![\w.])", line)]


@pytest.mark.parametrize("condition", [each for each in CONDITIONS if each is not None], ids=str)
def test_the_table_adds_up(german: rh.Hybrid, condition: Any) -> None:
    """Of a range too: all cells are of the rule that is named."""
    found = lines(rh.Report(german, condition))
    i = next(i for i, line in enumerate(found) if re.search(r"^Of .* flagged +(reviewed|passed)", line))
    (cases,) = numbers(found[i])
    assert sum(numbers(found[i + 1])) + sum(numbers(found[i + 2])) == cases


def test_many_scores_with_long_names() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.01
    hybrid = rh.Hybrid()
    for i in range(24):
        hybrid.add(f"{i:02} {'n' * 37}", y, 1 / (1 + np.exp(-rng.normal((1 + i / 20) * y))))
    found = lines(rh.Report(hybrid, rh.ExpectedCost(1, 50, 0.001)))
    assert len(found) <= 25
    assert max(map(len, found)) <= 80


def test_costs_are_those_of_the_answer(german: rh.Hybrid) -> None:
    table = rh.datasets.load("german_credit_scores")
    costs, scores = rh.ExpectedCost(1, 5, 0.3), {name: table[name] for name in NAMES}
    need = german.need(costs, table["class"], scores, pos_label="bad")
    report = rh.Report(german, costs, need=need)
    text, state = "\n".join(lines(report)), report.facts["answer"]["state"]
    assert f"on new cases: {state['cost_low']:,} to {state['cost_high']:,} (95 %)" in text
    assert re.search(rf"this rule +{state['cost']:,} ", text)
    assert state["cost"] == round(10_000 * need.hybrid)
    assert re.search(r"flag nobody +15,000", text)
    assert re.search(r"flag everybody +7,000", text)


def test_who_is_wrongly_flagged_is_told_once() -> None:
    table = rh.datasets.load("german_credit_scores")
    y, score = table["class"] == "bad", {"boosted": table["boosted"]}
    hybrid = rh.Hybrid().add("boosted", y, table["boosted"])
    own = np.where(np.arange(len(y)) % 2, "even", "odd")
    text = " ".join(
        lines(rh.Report(hybrid, CONDITIONS[1], segment=rh.report.Segmentation(y, score, {"row": own}, cv=2)))
    )
    assert text.count("wrongly flag") + text.count("Wrongly flagged") == 1
    assert "the best score whatever" not in text  # of one score


def test_segments_that_fare_alike_are_not_set_against_each_other() -> None:
    table = rh.datasets.load("german_credit_scores")
    y, score = np.tile(table["class"] == "bad", 2), np.tile(table["boosted"], 2)
    half = np.repeat(["left", "right"], len(table["class"]))
    hybrid = rh.Hybrid().add("boosted", y, score)
    segments = rh.report.Segmentation(y, {"boosted": score}, {"half": half}, cv=2)
    text = " ".join(lines(rh.Report(hybrid, CONDITIONS[1], segment=segments)))
    assert re.search(r"Of 100 \S+ in each you wrongly flag \d+\.", text)
    assert "But of 100" not in text
    assert text.count("wrongly flag") + text.count("Wrongly flagged") == 1


@pytest.mark.parametrize(("times", "words"), [(1, ": no measurable difference."), (40, "But of 100")])
def test_few_cases_do_not_set_segments_against_each_other(times: int, words: str) -> None:
    """Of 100 negatives 24 and 21, of 40 times as many: the same shares, which are told apart then alone."""
    y = np.tile(np.repeat([0, 0, 0, 0, 1, 1], [24, 76, 21, 79, 50, 50]), times)
    score = np.tile(np.repeat([2.0, 1.0, 2.0, 1.0, 2.0, 2.0], [24, 76, 21, 79, 50, 50]), times)
    where = np.tile(np.repeat(["a", "a", "b", "b", "a", "b"], [24, 76, 21, 79, 50, 50]), times)
    hybrid = rh.Hybrid().add("s", y, score)
    segments = rh.report.Segmentation(y, {"s": score}, {"where": where}, cv=2)
    text = " ".join(lines(rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.3), segment=segments)))
    assert words in text
    assert "you wrongly flag 24 in a, 21 in b" in text
    assert text.count("wrongly flag") == 1


def test_segments_that_cannot_be_compared_are_answered() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    score = rng.normal(2.0 * y)
    segments = rh.report.Segmentation(y, {"s": score}, {"where": np.arange(400) < 30}, cv=2)
    report = rh.Report(rh.Hybrid().add("s", y, score), CONDITIONS[1], segment=segments)
    assert "Segments have too few cases of a class to be compared." in lines(report)


@pytest.mark.parametrize("costs", [rh.ExpectedCost(1, (2, 10)), rh.ExpectedCost(3, (7, 90), 0.05)], ids=str)
def test_a_range_costs_what_its_cells_make(german: rh.Hybrid, costs: rh.ExpectedCost) -> None:
    found = lines(rh.Report(german, costs))
    i = next(i for i, line in enumerate(found) if line.startswith("Of 10,000 cases"))
    missed, wrong = numbers(found[i + 1])[-1], numbers(found[i + 2])[0]
    ends = [numbers(line) for line in found if "if a miss costs" in line]
    assert [[miss, cost] for miss, cost, *_ in ends] == [
        [miss, int(costs.cost_fp) * wrong + miss * missed] for miss in costs.cost_fn
    ]


def test_a_range_is_compared_at_both_ends(german: rh.Hybrid) -> None:
    costs = rh.ExpectedCost(1, (2, 10), 0.3)
    report = rh.Report(german, costs, current="boosted >= 0.5")
    found = lines(report)
    compared, totals = report.facts["answer"]["comparison"], report.facts["totals"]
    fpr, tpr = compared["fp"] / totals["negatives"], compared["tp"] / totals["positives"]
    told = [numbers(line.split("at 0.5")[1])[0] for line in found if line.startswith("    boosted at 0.5")]
    assert told == pytest.approx([1e4 * (0.7 * fpr + miss * 0.3 * (1 - tpr)) for miss in (2, 10)], abs=12)


def test_what_breaks_a_limit_is_told_at_the_end_of_a_range_where_it_costs_less(german: rh.Hybrid) -> None:
    costs = rh.Within(rh.ExpectedCost(1, (2, 10), 0.3), [rh.NeymanPearson(0.1)])
    found = lines(rh.Report(german, costs, current="boosted >= 0.3"))
    own = [numbers(line)[-1] for line in found if line.startswith("  if a miss")]
    beside = [line for line in found if line.startswith("    boosted at 0.3")]
    cheaper = [numbers(line.split("at 0.3")[1])[0] < cost for line, cost in zip(beside, own, strict=True)]
    assert [line.endswith("breaks a limit") for line in beside] == cheaper
    assert any(cheaper)


def test_a_margin_is_asked_for_by_an_option(german: rh.Hybrid) -> None:
    """On the page a link builds it in, which needs no word of the command line."""
    report = rh.Report(german, rh.Within(rh.ExpectedCost(1, 5, 0.3), [rh.NeymanPearson(0.1)]))
    assert "half the time or more. Try --confidence." in " ".join(printed(brief(report.facts), 80).split())
    assert "Try --confidence" not in report.to_html().partition("<script")[0]


def test_segments_that_have_no_thresholds_say_why() -> None:
    table = rh.datasets.load("german_credit_scores")
    y, score = table["class"] == "bad", {"boosted": table["boosted"]}
    hybrid = rh.Hybrid().add("boosted", y, table["boosted"])
    segments = rh.report.Segmentation(y, score, {"sex": table["personal_status"]}, cv=2)
    reasons = {
        rh.ExpectedCost(1, (2, 10), 0.3): "The condition is a range",
        rh.conditions.Review(1, 5, 0.5, prevalence=0.3): "Cases may be reviewed",
    }
    for condition, reason in reasons.items():
        found = lines(rh.Report(hybrid, condition, segment=segments))
        assert f"{reason}, so there is no threshold for every segment." in " ".join(found)
        assert len(found) <= 22


def test_the_only_score_of_a_rule_that_reads_none_has_no_name() -> None:
    hybrid = rh.Hybrid().add("const", [0, 0, 0, 1], [0.5] * 4)
    found = " ".join(lines(rh.Report(hybrid, rh.ExpectedCost(1, 2, 0.25))))
    assert "There is only one score here." in found
    assert "None" not in found


@pytest.mark.parametrize(("positives", "verb"), [(1, "was"), (2, "were")])
def test_few_cases_agree_with_their_verb(positives: int, verb: str) -> None:
    y = [0] * 11 + [1] * positives
    report = rh.Report(rh.Hybrid().add("s", y, list(range(len(y)))), rh.ExpectedCost(1, 3, 0.1))
    assert f"Of positive cases only {positives} {verb} seen:" in " ".join(lines(report))


def test_names_from_right_to_left_are_cut_whole() -> None:
    """Names keep both marks that isolate them, cut or wrapped: half a pair is written as its code."""
    y, score = [0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.8, 0.9]
    name = "\u05db\u05df " * 12
    for given in ({"positive_name": name}, {"current": f"{name.strip()} >= 0.6"}):
        hybrid = rh.Hybrid().add(name.strip(), y, score)
        found = "".join(lines(rh.Report(hybrid, rh.ExpectedCost(1, 5, 0.3), **given)))
        assert "\\u" not in found
        assert found.count("\u2068") == found.count("\u2069") > 0


@pytest.mark.parametrize(("weight", "told"), [(None, "these 200 cases."), (2.5, "these cases.")])
def test_a_weight_is_no_number_of_cases(weight: float | None, told: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    weights = None if weight is None else np.full(200, weight)
    hybrid = rh.Hybrid().add("a", y, y + rng.normal(size=200), sample_weight=weights)
    said = " ".join(lines(rh.Report(hybrid, rh.ExpectedCost(cost_fn=5, prevalence=0.3))))
    assert f"never saw {told}" in said
