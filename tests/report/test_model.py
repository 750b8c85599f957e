"""The numbers of the report's page are those of the library: its model, in a real browser, against Python."""

import json
import math
import shlex
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats

import report_cases as cases
import rochull as rh
from engine import evaluated, model_of
from refusals import refuses
from rochull.cli import app
from rochull.conditions.vertices import InfeasibleConditionError
from rochull.dialects.registry import names
from rochull.report import Segmentation
from rochull.report.singles import single_rules

DIALECTS = names()
KEY = 'customer "id" of <us>'
N = 200


def counted(result: dict[str, Any]) -> set[str]:
    """Return what kind of case a result is, so that a test can tell that it saw all kinds."""
    if not result["feasible"]:
        return {"infeasible"}
    return {"interval"} if result["interval"] else {"mixture" if result["chosen"]["share"] else "vertex"}


HYBRIDS: dict[str, Callable[[], rh.Hybrid]] = {
    "adult": lambda: cases.shipped("adult_scores", "income", ">50K"),
    "german_credit": lambda: cases.shipped("german_credit_scores", "class", "bad"),
    "weighted": cases.weighted,
    "rates": cases.rates_only,
    "tiny": cases.tiny,
    "alone": cases.alone,
    "low": cases.low_is_positive,
}


@pytest.fixture(scope="module")
def hybrids() -> dict[str, rh.Hybrid]:
    return {name: make() for name, make in HYBRIDS.items()}


@pytest.fixture(scope="module")
def facts(hybrids: dict[str, rh.Hybrid]) -> dict[str, dict[str, Any]]:
    return {name: rh.Report(hybrid).facts for name, hybrid in hybrids.items()}


@pytest.mark.long
@pytest.mark.parametrize("name", HYBRIDS)
def test_results_are_those_of_the_library(
    hybrids: dict[str, rh.Hybrid], facts: dict[str, Any], name: str
) -> None:
    hybrid = hybrids[name]
    states = cases.states(hybrid.hull, N, seed=11)
    one = [state | {"mixtures": False} for state in states[::2]]
    with model_of(facts[name]) as page:
        results, single = evaluated(page, states), evaluated(page, one)
    error = facts[name]["singles"]["max_error"]
    assert (error > 0) == (name == "adult")  # a page holds so many single thresholds, and no more
    for state, result in zip(one, single, strict=True):
        wanted = cases.expected(hybrid, state)
        if (
            name == "weighted"
        ):  # whose curves are thinned to 0.001, and with them what a classifier does alone
            wanted.pop("baselines")
            most = 0.004 * max(1, *(x for key in ("cost_fp", "cost_fn") for x in cases.ends(state[key])))
            for row, own in zip(result["regret"], wanted.pop("regret"), strict=True):
                assert row["value"] == pytest.approx(own["value"], abs=most)
        if error and not result["interval"] and state["goal"] != "cost" and result["feasible"]:
            for rate in ("fpr", "tpr"):
                assert result["chosen"][rate] == pytest.approx(wanted["chosen"][rate], abs=2 * error)
        elif error and result["interval"]:
            corners = cases.condition_of(state).corners()
            most = max(max((1 - c.prevalence) * c.cost_fp, c.prevalence * c.cost_fn) for c in corners)
            assert wanted["worst"] - 1e-12 <= result["worst"] <= wanted["worst"] + 2 * error * most
        else:
            assert cases.differences(result, wanted) == [], state
    kinds: set[str] = set()
    for state, result in zip(states, results, strict=True):
        wanted = cases.expected(hybrid, state)
        if error and result["single"]:
            for key in ("single", "worst_single"):
                del wanted[key]
        if "message" not in wanted:
            assert result["message"]
        assert cases.differences(result, wanted) == [], state
        kinds |= counted(result)
        if result["feasible"]:
            left, share = result["chosen"]["left"], result["chosen"]["share"]
            for rate, values in (("fpr", hybrid.hull.fpr), ("tpr", hybrid.hull.tpr)):
                at = values[left] + (share * (values[left + 1] - values[left]) if share else 0)
                assert result["chosen"][rate] == pytest.approx(at, rel=1e-12, abs=1e-12)
    assert kinds == {"infeasible", "interval", "mixture", "vertex"}


@pytest.mark.parametrize("make", [cases.beside_examples, cases.any_weights])
def test_where_facts_are_rounded_the_numbers_are_the_same(make: Callable[[], rh.Hybrid]) -> None:
    """Rates beside examples, and weights of any size, are written as doubles; ties may fall otherwise."""
    hybrid = make()
    states = cases.states(hybrid.hull, 60, seed=12, ties=False)
    with model_of(rh.Report(hybrid).facts) as page:
        results = evaluated(page, states)
    for state, result in zip(states, results, strict=True):
        wanted = cases.expected(hybrid, state)
        for row in wanted["regret"]:
            row.pop("point")  # an end of an edge may be a mixture with a share of 1e-16
        assert cases.differences(result, wanted, within=1e-10) == [], state


def test_a_state_that_has_no_answer_is_said(facts: dict[str, Any]) -> None:
    good = {
        "goal": "cost", "cost_fp": 1, "cost_fn": 5, "prevalence": 0.2, "max_fpr": 0.1, "min_recall": 0.9,
        "min_precision": 0.5, "fraction": 0.05,
    }  # fmt: skip
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"cost_fp": 0, "cost_fn": 0}, "no error that can occur costs anything."),
        ({"goal": "min_precision", "prevalence": 0}, "A precision needs a prevalence above 0\u00a0% and below"),
    ]  # fmt: skip
    with model_of(facts["tiny"]) as page:
        results = evaluated(page, [good | change for change, _ in wrong])
        (same,) = evaluated(page, [good | {"cost_fn": [5, 5]}])
    for (_, message), result in zip(wrong, results, strict=True):
        assert result["message"].startswith(message)
        assert not result["feasible"]
        assert result["chosen"] is result["confusion"] is None
        assert {row["value"] for row in result["regret"]} == {math.inf}
    assert (same["feasible"], same["interval"]) == (True, False)  # an interval of one number is that number


def test_what_is_out_of_reach_is_said_in_the_readers_words() -> None:
    """The highest precision that is named can be had: it is rounded down."""
    points = rh.Hybrid().add_point("a", 0.125, 0.375)
    base = {"goal": "min_precision", "cost_fp": 1, "cost_fn": 1, "min_precision": 1, "prevalence": 0.5}
    changes = [{}, {"prevalence": 0.0045}, {"prevalence": 0.9999}, {"prevalence": 0.9}]
    script = "states => states.map((state) => model.evaluate(state).message)"
    with model_of(rh.Report(points).facts, "de-DE") as page:
        (said, *_) = page.evaluate(script, [base | change for change in changes])
    assert said == (
        "A precision of 100\N{NO-BREAK SPACE}% cannot be reached at a prevalence of 50\N{NO-BREAK SPACE}%; "
        "the highest is 75\N{NO-BREAK SPACE}%."
    )
    with model_of(rh.Report(points).facts) as page:
        messages = page.evaluate(script, [base | change for change in changes])
        highest = [0.75, 0.01337, 0.9999, 0.9642]
        again = page.evaluate(
            script, [base | c | {"min_precision": x} for c, x in zip(changes, highest, strict=True)]
        )
    said_highest = [message.split("highest is ")[1] for message in messages]
    assert said_highest == ["75\u00a0%.", "1.337\u00a0%.", "99.99\u00a0%.", "96.42\u00a0%."]
    assert messages[1].startswith(
        "A precision of 100\u00a0% cannot be reached at a prevalence of 0.45\u00a0%; "
    )
    assert again == [None] * 4


def test_numbers_are_written_and_divided_as_in_python(facts: dict[str, Any]) -> None:
    rng = np.random.default_rng(17)
    floats = rng.integers(0, 2**63, 300).view(np.float64)  # of all sizes, subnormal ones too
    numbers = [x for x in floats.tolist() if math.isfinite(x)] + (10 ** rng.uniform(-7, 18, 300)).tolist()
    numbers += [0.0, -0.0, 1.0, 1e16, 1e-4, 9.9999995, 0.1 + 0.2, 5e-324, 2.0**53, -2.5, 1e22, 123456.7]
    tops, bottoms = rng.integers(1, 2**62, (2, 300)).tolist()
    pairs = [(n ** (1 + i % 5), d**3) for i, (n, d) in enumerate(zip(tops, bottoms, strict=True))]
    pairs += [(2**53 + 1, 1), (2**54 + 2, 2), (3 * 2**53 + 1, 2**54), (0, 7), (1, 3 * 2**1000)]
    script = """([numbers, pairs]) => [
        numbers.map(rochullExact.pythonRepr),
        numbers.map((x) => rochullExact.decimal(Math.abs(x)).map(String)),
        pairs.map((pair) => rochullExact.number(pair.map(BigInt))),
        pairs.map(([n, d]) => rochullExact.number([-BigInt(n), BigInt(d)])),
    ]"""
    with model_of(facts["tiny"]) as page:
        found = page.evaluate(script, [numbers, [[str(n), str(d)] for n, d in pairs]])
    assert found[0] == list(map(repr, numbers))
    assert [Fraction(*map(int, pair)) for pair in found[1]] == [Fraction(repr(abs(x))) for x in numbers]
    assert list(map(float, found[2])) == [n / d for n, d in pairs]
    assert list(map(float, found[3])) == [-n / d for n, d in pairs]


@pytest.mark.parametrize("name", ["german_credit", "adult", "low"])
def test_a_typed_threshold_is_evaluated_as_it_is_or_at_another_that_is_named(
    facts: dict[str, Any], hybrids: dict[str, rh.Hybrid], name: str
) -> None:
    """Against counts of the rows; adult has too many scores for a page to hold them all."""
    hybrid, rng = hybrids[name], np.random.default_rng(3)
    if name == "low":
        curves = [hybrid.curves[each] for each in hybrid.hulls]
        pick = [(i, float(x)) for i, curve in enumerate(curves) for x in rng.choice(curve.thresholds[1:], 8)]
    else:
        table = rh.datasets.load(f"{name}_scores")
        y = table["class"] == "bad" if name == "german_credit" else table["income"] == ">50K"
        pick = [(i, float(x)) for i in range(5) for x in (*rng.random(30), 600, -600, 0.16667)]
    with model_of(facts[name]) as page:
        found = page.evaluate("asked => asked.map(([i, threshold]) => model.ruleAt(i, threshold))", pick)
    exact: dict[int, set[bool]] = {i: set() for i, _ in pick}
    for (i, asked), point in zip(pick, found, strict=True):
        used = point["rules"][0]["rule"]["threshold"]
        exact[i].add(used == asked)
        if name == "low":
            k = np.flatnonzero(curves[i].thresholds == asked)[-1]
            wanted = [curves[i].fpr[k], curves[i].tpr[k]]
        else:
            flagged = table[cases.SCORES[i]] >= used  # in the column's own precision, as the library compares
            wanted = [float(flagged[y == positive].mean()) for positive in (False, True)]
        assert [point["fpr"], point["tpr"]] == pytest.approx(wanted, abs=1e-12), (i, asked, used)
    if name == "adult":
        assert False in set().union(*exact.values())
    else:  # where scores differ from case to case, or one is asked for, nothing is left to guess
        assert {i for i, found in exact.items() if found == {True}} >= (
            {0, 1, 4} & set(exact) if name != "low" else {0, 1, 2}
        )


# --- what to type ------------------------------------------------------------------------------------------


def test_the_lines_of_python_give_the_point_and_its_figures(
    hybrids: dict[str, rh.Hybrid], facts: dict[str, Any]
) -> None:
    hybrid = hybrids["german_credit"]
    states = cases.states(hybrid.hull, 60, seed=13)
    with model_of(facts["german_credit"]) as page:
        texts = page.evaluate("states => states.map(model.python)", states)
        results = evaluated(page, states)
    seen = set()
    for text, state, result in zip(texts, states, results, strict=True):
        if not result["feasible"]:
            continue
        names: dict[str, Any] = {"hybrid": hybrid, "rh": rh}
        *first, last = text.splitlines()
        exec("\n".join(first), names)  # the lines are what is tested
        found = eval(last, names)
        if first:
            assert cases.differences([result["expected_cost"], result["net_benefit"]], found) == []
            found = names["point"]
        elif state["goal"] != "cost":  # no figures: the state holds intervals, or no error costs anything
            refuses("costs anything", cases.condition_of, state | {"goal": "cost"})
        point = found if isinstance(found, rh.conditions.OperatingPoint) else found.minimax
        assert cases.differences(result["chosen"], cases.plain(point)) == []
        seen.add((len(first), text.split("hybrid.")[1].split("(")[0], text.split("rh.")[1].split("(")[0]))
    limits = ("NeymanPearson", "MinimumRecall", "MinimumPrecision", "Capacity")
    assert seen >= {(0, "at", "ExpectedCost"), (0, "regret", "ExpectedCost")}
    assert seen >= {(1, "at", limit) for limit in limits}


def test_the_command_line_gives_all_numbers_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file and columns with signs that a shell would read, one state of each kind."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    y, path = np.where(rng.integers(0, 2, 400) == 1, ">50K", "less"), "it's $HOME `a`.parquet"
    frame = pd.DataFrame({"label": y, "a b": rng.normal(y == ">50K"), "--c": rng.normal(1.5 * (y == ">50K"))})
    frame.to_parquet(path)
    command = [
        "rochull",
        "report",
        path,
        "--label",
        "label",
        "--positive",
        ">50K",
        "--score=a b",
        "--score=--c",
    ]
    hybrid = rh.Hybrid.from_table(path, label="label", scores=["a b", "--c"], pos_label=">50K")
    base = {"cost_fp": 1, "cost_fn": 5, "prevalence": 0.2, "max_fpr": 0.07, "min_recall": 0.9,
            "min_precision": 0.8, "fraction": 0.05}  # fmt: skip
    changes: list[dict[str, Any]] = [{"goal": goal} for goal in cases.GOALS]
    changes += [{"goal": "cost", "cost_fn": [5, 50], "prevalence": [1e-7, 0.4]}]
    changes += [{"goal": "max_fpr", "cost_fp": 0, "cost_fn": 0}]
    states = [base | change for change in changes]
    with model_of(rh.Report(hybrid, command=command).facts) as page:
        lines = page.evaluate("states => states.map(model.commandLine)", states)
        results = evaluated(page, states)
    for line, result in zip(lines, results, strict=True):
        said = subprocess.run(
            ["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True
        ).stdout
        words = said.splitlines()
        assert words == shlex.split(line)
        assert words[: len(command)] == command
        assert app.main([*words[1:], "-o", "found.json"]) == 0
        found = json.loads(Path("found.json").read_text())
        chosen = found["robust"]["rows"][0] if result["interval"] else found["chosen"]
        own = {key: chosen[key] for key in ("fpr", "tpr", "rules")}
        assert cases.differences(result["chosen"], own) == []
        if result["expected_cost"] is None:
            continue
        if result["interval"]:
            assert chosen["worst"] == pytest.approx(result["worst"], rel=1e-12)
            continue
        figures = ("expected_cost", "net_benefit", "precision", "positive_rate", "accuracy")
        assert (
            cases.differences({key: result[key] for key in figures}, {key: chosen[key] for key in figures})
            == []
        )
        cells = {cell: chosen["confusion"][cell] for cell in ("tp", "fp", "fn", "tn")}
        assert cases.differences(result["confusion"], cells) == []
        for row, alone in zip(result["regret"], found["regret"]["rows"], strict=True):
            wanted = alone["point"] and {key: alone["point"][key] for key in ("fpr", "tpr", "rules")}
            assert cases.differences(row, {"name": alone["classifier"], "point": wanted}) == []
            assert cases.differences(row["value"], float(alone["value"])) == []
    assert lines[5].endswith("--cost-fp 1 --cost-fn 5:50 --prevalence 1e-7:0.4")
    assert lines[0].endswith("'--score=a b' --score=--c --cost-fp 1 --cost-fn 5 --prevalence 0.2")
    costs = "--figures-cost-fp 1 --figures-cost-fn 5"
    assert lines[1].endswith(f"--score=--c --max-fpr 0.07 {costs} --figures-prevalence 0.2")
    assert lines[4].endswith(f"--score=--c --fraction 0.05 --prevalence 0.2 {costs}")
    assert lines[6].endswith(
        "--score=--c --max-fpr 0.07"
    )  # where no error costs anything there is no cost to tell
    capsys.readouterr()


def test_without_a_command_line_there_is_none(facts: dict[str, Any]) -> None:
    with model_of(facts["tiny"]) as page:
        assert page.evaluate("model.commandLine(model.initial())") is None


@pytest.mark.parametrize(
    "make", [cases.tiny, cases.alone, cases.long_integers, cases.weighted, cases.low_is_positive]
)
def test_sql_is_the_text_of_the_library(make: Callable[[], rh.Hybrid]) -> None:
    hybrid = make()
    states = cases.states(hybrid.hull, 24, seed=14)
    script = """([states, dialects, key]) => states.map((state) => {
        const { chosen, single } = model.evaluate(state);
        return [chosen, single].map((point) => point && dialects.map((dialect) => [
            model.sql(point, dialect, key), model.sql(point, dialect, "")]));
    })"""
    with model_of(rh.Report(hybrid).facts) as page:
        found = page.evaluate(script, [states, DIALECTS, KEY])
        points = evaluated(page, states)
        no = page.evaluate(
            "[['duckdb', null], ['dbase', 1]].map(([dialect, some]) => "
            "model.sql(some && model.evaluate(model.initial()).chosen, dialect, 'k'))"
        )
    assert no == [{"why": "No rule meets the condition."}, {"why": "There is no SQL for dbase."}]
    policy, seen = hybrid.policy(), set()
    for texts, result in zip(found, points, strict=True):
        for each, point in zip(texts, (result["chosen"], result["single"]), strict=True):
            if point is None:
                continue
            rules = [(_rule(part["rule"], hybrid), part["probability"]) for part in point["rules"]]
            made = rh.conditions.OperatingPoint(point["fpr"], point["tpr"], tuple(rules))
            for dialect, (with_key, without) in zip(DIALECTS, each, strict=True):
                seen.add(_agrees(with_key, policy, made, dialect, KEY))
                seen.add(_agrees(without, policy, made, dialect, None))
    assert seen == {"text", "why"}


def _rule(facts: dict[str, Any], hybrid: rh.Hybrid) -> rh.conditions.Rule:
    """Return the library's own rule, whose threshold has its type and all of its digits."""
    if facts["kind"] != "threshold":
        return rh.conditions.Rule(facts["kind"])
    known = (*(rule for rules in hybrid.hull.owners for rule in rules), *single_rules(hybrid)[1])
    own = (rule for rule in known if rule.classifier == facts["classifier"])
    return next(rule for rule in own if float(rule.threshold) == float(facts["threshold"]))


def _agrees(
    found: dict[str, str],
    policy: rh.Policy,
    point: rh.conditions.OperatingPoint,
    dialect: str,
    key: str | None,
) -> str:
    try:
        assert found == {"text": policy.to_sql(point, dialect, key=key)}
    except ValueError as error:
        if "why" not in found:
            raise AssertionError(f"{found} though {error}") from None
        return "why"
    return "text"


# --- readings ----------------------------------------------------------------------------------------------


def test_the_intervals_of_rates(facts: dict[str, Any]) -> None:
    rng = np.random.default_rng(15)
    n = np.concatenate(([1, 1, 10**9], rng.integers(1, 10_000, 100)))
    k = np.concatenate(([0, 1, 7], (n[3:] * rng.random(100)).astype(int)))
    with model_of(facts["tiny"]) as page:
        for level in (None, 0.5, 0.99, 1 - 1e-9):
            found = page.evaluate(
                "([k, n, level]) => k.map((_, i) => model.wilson(k[i], n[i], level ?? undefined))",
                [k.tolist(), n.tolist(), level],
            )
            wanted = rh.rate_interval(k, n, "wilson", level=level or 0.95)
            assert np.array(found) == pytest.approx(
                np.stack([wanted.low, wanted.high], axis=1), rel=1e-12, abs=1e-15
            )


@pytest.mark.parametrize("name", ["german_credit", "weighted", "rates", "alone"])
def test_hulls_curves_and_blocks(hybrids: dict[str, rh.Hybrid], facts: dict[str, Any], name: str) -> None:
    hybrid = hybrids[name]
    script = """() => {
        const plain = (hull) => ({
            fpr: [...hull.fpr], tpr: [...hull.tpr], rules: [...hull.fpr.keys()].map(hull.rules),
            cost: Object.values(model.costCurve(hull)).map((values) => [...values]),
        });
        return {
            union: plain(model.union), hulls: model.hulls.map(plain), names: model.names,
            curves: model.curves.map(({ fpr, tpr }) => [[...fpr], [...tpr]]),
            blocks: model.names.map((_, i) => model.blocks(i)), policy: model.policyJson(),
            totals: model.totals, prevalence: model.prevalence, segments: model.segments,
        };
    }"""
    with model_of(facts[name]) as page:
        found = page.evaluate(script)
    assert found["names"] == list(hybrid.hulls)
    assert found["totals"] == facts[name]["totals"]
    assert found["policy"] == hybrid.policy(most=0).to_json()
    assert found["segments"] is None
    assert found["prevalence"] == (0.5 if name == "rates" else hybrid.prevalence)
    for made, hull in zip(
        [found["union"], *found["hulls"]], [hybrid.hull, *hybrid.hulls.values()], strict=True
    ):
        assert made["fpr"] == pytest.approx(hull.fpr, rel=1e-15)
        assert made["tpr"] == pytest.approx(hull.tpr, rel=1e-15)
        assert made["rules"] == [cases.plain_rule(rules[0]) for rules in hull.owners]
        x, y = (np.array(values) for values in made["cost"])
        assert (x[0], x[-1], y[0], y[-1]) == (0, 1, 0, 0)
        at = np.linspace(0, 1, 101)[:, None]
        wanted = ((1 - at) * hull.fpr + at * (1 - hull.tpr)).min(axis=1)
        assert np.interp(at[:, 0], x, y) == pytest.approx(wanted, abs=1e-12)
    for i, (own, hull) in enumerate(hybrid.hulls.items()):
        if own in hybrid.curves:
            curve = hybrid.curves[own]
            assert np.array(found["curves"][i]) == pytest.approx(np.stack([curve.fpr, curve.tpr]), rel=1e-15)
        else:
            assert found["curves"][i] == [found["hulls"][i]["fpr"], found["hulls"][i]["tpr"]]
        if hull.blocks is None:
            assert found["blocks"][i] is None
        else:
            for part in ("pos", "neg", "posterior"):
                assert found["blocks"][i][part] == pytest.approx(getattr(hull.blocks, part), rel=1e-12)
            for part in ("low", "high"):
                assert [float(x) for x in found["blocks"][i][part]] == getattr(hull.blocks, part).tolist()


CONDITIONS: list[tuple[Any, dict[str, Any] | None]] = [
    (None, None),
    (rh.ExpectedCost(2, 5, prevalence=0.1), {"goal": "cost", "cost_fp": 2, "cost_fn": 5, "prevalence": 0.1}),
    (rh.ExpectedCost(1, (5, 50), (0.1, 0.4)), {"goal": "cost", "cost_fn": [5, 50], "prevalence": [0.1, 0.4]}),
    (rh.ExpectedCost((1, 2), 5, 0.1), None),
    (rh.ExpectedCost(1, scipy.stats.lognorm(1), 0.1), None),
    (rh.Accuracy(0.3), {"goal": "cost", "cost_fp": 1, "cost_fn": 1, "prevalence": 0.3}),
    (rh.NeymanPearson(0.05), {"goal": "max_fpr", "max_fpr": 0.05}),
    (rh.NeymanPearson(0.2, confidence=0.6), None),
    (rh.MinimumRecall(0.8), {"goal": "min_recall", "min_recall": 0.8}),
    (rh.MinimumPrecision(0.6, 0.3), {"goal": "min_precision", "min_precision": 0.6, "prevalence": 0.3}),
    (rh.Capacity(fraction=0.2, prevalence=0.3), {"goal": "capacity", "fraction": 0.2, "prevalence": 0.3}),
    (rh.Capacity(30, 200, 0.3), {"goal": "capacity", "fraction": 0.15, "prevalence": 0.3}),
    (rh.Utility(lambda fpr, tpr: tpr - fpr), None),
]  # fmt: skip


def test_it_begins_with_the_reports_own_condition(hybrids: dict[str, rh.Hybrid]) -> None:
    hybrid = hybrids["alone"]
    reports = [rh.Report(hybrid, condition).facts for condition, _ in CONDITIONS]
    with model_of(reports[0]) as page:
        found = page.evaluate(
            """reports => reports.map((facts) => {
                const model = rochullModel.create(facts);
                model.allow();
                const state = model.initial();
                return [model.movable, state, model.evaluate(state).chosen];
            })""",
            reports,
        )
    default = {"goal": "cost", "cost_fp": 1, "cost_fn": 1, "prevalence": hybrid.prevalence}
    for (_, wanted), own, (movable, state, chosen) in zip(CONDITIONS, reports, found, strict=True):
        assert movable is (wanted is not None)
        if wanted is None and own["condition"] is not None:
            assert state["goal"] == "report"
            assert own["chosen"] is None or chosen["rules"] == own["chosen"]["rules"]
            continue
        assert state == state | default | (wanted or {})
        if movable and own["chosen"] is not None:
            same = {key: own["chosen"][key] for key in ("fpr", "tpr", "rules")}
            assert cases.differences(chosen, same) == []


def test_it_begins_with_the_figures_of_the_report(hybrids: dict[str, rh.Hybrid]) -> None:
    hybrid, costs = hybrids["german_credit"], rh.ExpectedCost(2, 7, prevalence=0.3)
    limits = [
        (condition, state) for condition, state in CONDITIONS if not isinstance(condition, rh.ExpectedCost)
    ]
    given = [(condition, state or {"goal": "report"}) for condition, state in limits if condition is not None]
    given = [(c, state) for c, state in given if getattr(c, "confidence", None) is None]
    reports = [rh.Report(hybrid, condition, figures=costs).facts for condition, _ in given]
    script = """reports => reports.map((facts) => {
        const model = rochullModel.create(facts);
        model.allow();
        const state = model.initial();
        return [state, model.evaluate(state)];
    })"""
    with model_of(reports[0]) as page:
        found = page.evaluate(script, reports)
    assert len(found) == 6
    for (_, wanted), facts, (state, result) in zip(given, reports, found, strict=True):
        assert state == state | {"cost_fp": 2, "cost_fn": 7, "prevalence": 0.3} | wanted
        if wanted["goal"] != "cost":
            names = ("expected_cost", "net_benefit", "precision", "positive_rate", "accuracy")
            told = {name: facts["chosen"][name] for name in names}
            assert cases.differences({name: result[name] for name in names}, told) == []


# --- segments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [False, True])
def test_thresholds_by_segment_follow_the_condition(weights: bool) -> None:
    table = rh.datasets.load("german_credit_scores", ["class", "boosted", "job", "age"])
    y = table["class"] == "bad"
    aux = {name: table[name] for name in ("job", "age")}
    w = np.random.default_rng(1).integers(1, 5, y.size) / 4 if weights else None
    hybrid = rh.Hybrid().add("boosted", y, table["boosted"], sample_weight=w)
    fresh = rh.ErrorRedistribution("pav", n_bins=3, shrinkage=0)
    given = Segmentation(y, {"boosted": table["boosted"]}, aux, sample_weight=w, redistribution=fresh)
    facts = rh.Report(hybrid, segment=given).facts
    model = rh.ErrorRedistribution("pav", n_bins=3, shrinkage=0)
    model.fit(table["boosted"], y, aux=aux, sample_weight=w)
    states = cases.states(model.hull_, 80, seed=16)
    with model_of(facts) as page:
        assert page.evaluate("model.segments.names") == [*model.segments_, "elsewhere"]
        results = page.evaluate("states => states.map(model.segments.evaluate)", states)
    seen = set()
    for state, result in zip(states, results, strict=True):
        seen.add(_segment_case(state, result, model, hybrid))
    assert seen == {"infeasible", "range", "vertex", "mixture"}


def _segment_case(
    state: cases.State, result: dict[str, Any], model: rh.ErrorRedistribution, hybrid: rh.Hybrid
) -> str:
    """Compare one result with the fitted model; return what kind of case it was."""
    try:
        condition = cases.condition_of(state)
        point = None if condition.question.spread else model.at(condition)
    except ValueError:
        assert (result["feasible"], result["rows"], bool(result["message"])) == (False, None, True)
        return "infeasible"
    if point is None:
        assert (result["feasible"], result["rows"]) == (False, None)
        assert "range" in result["message"]
        return "range"
    assert result["feasible"]
    assert cases.differences(result["chosen"], {"fpr": point.fpr, "tpr": point.tpr}) == []
    try:
        straight = hybrid.hulls["boosted"].at(condition)
        assert cases.differences(result["straight"], {"fpr": straight.fpr, "tpr": straight.tpr}) == []
    except InfeasibleConditionError:
        assert result["straight"] is None
    names = [*model.segments_, None]
    share = point.rules[1][1] if len(point.rules) > 1 else 0.0
    for i, (name, row) in enumerate(zip(names, result["rows"], strict=True)):
        own = [cases.number_in(rule, name) for rule, _ in point.rules]
        assert float(row["threshold"]) == own[0]
        assert row["share"] == pytest.approx(share, rel=1e-12)
        if row["other"] is None:
            assert own[-1] == own[0]
        else:
            assert float(row["other"]) == own[1]
        assert row["segment"] == ("elsewhere" if name is None else model.segments_[i])
    for total, rate in (("negatives", "fpr"), ("positives", "tpr")):
        called = sum(row[total] * row[rate] for row in result["rows"][:-1])
        mass = sum(row[total] for row in result["rows"][:-1])
        assert called / mass == pytest.approx(result["chosen"][rate], rel=1e-9, abs=1e-12)
        assert result["rows"][-1][rate] is None
    return "mixture" if share else "vertex"
