"""Whatever state the multi-class page is in, its numbers, lines and files are those of the library."""

from __future__ import annotations

import csv
import json
import shlex
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

import rochull as rh
from browser import Shows, Tab, answers, opened
from rochull.cli.app import main
from rochull.dialects.registry import names
from rochull.multiclass import CostMatrix, MulticlassPoints
from rochull.multiclass.points import InfeasibleLimitsError
from rochull.report import MulticlassReport
from rochull.report.multiclass_facts import _limit

CLASSES = ("opel", "saab", "van")
COMMAND = ["rochull", "multiclass", "cars.csv", "--label", "Class"]
READ = """states => states.map((state) => {
  multiclassView.set(state);
  const { model } = multiclassView, now = multiclassView.state();
  const numbers = [...document.querySelectorAll("[data-key]")];
  return {
    ...now, shown: Object.fromEntries(numbers.map((e) => [e.dataset.key, e.dataset.value])),
    sql: model.sql(now.index, state.dialect), policy: model.policy(now.index).text,
  };
})"""


@cache
def cars() -> tuple[Any, Any]:
    """Labels and outputs of three kinds of vehicle."""
    table = rh.datasets.load("vehicle")
    y = table.pop("Class")
    X = np.column_stack(list(table.values()))[y != "bus"]
    y = y[y != "bus"].astype(str)
    return y, cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=5, method="predict_proba")


@cache
def found_points(weighted: bool) -> MulticlassPoints:
    """What a search found and looked at; of weighted examples, no sum is a whole number."""
    y, outputs = cars()
    weight = np.random.default_rng(5).uniform(0.3, 2, len(y)) if weighted else None
    roc = rh.MulticlassRoc(y, outputs, weight)
    roc.search("max_error", n_starts=2, random_state=0)
    return roc.points[:400]


def random_limits(points: MulticlassPoints, rng: np.random.Generator) -> list[Any]:
    """Up to three, many exactly at the value of some point, some that no point meets."""
    limits = []
    for _ in range(rng.integers(0, 4)):
        i, j = rng.integers(0, 3, 2)
        measure = rh.multiclass.Error(CLASSES[i]) if i == j else rh.multiclass.Cell(CLASSES[i], CLASSES[j])
        bound = float(rng.choice(measure.values(points.confusion, CLASSES)) * rng.choice([1, 1, 0.5]))
        limits.append(measure >= bound if rng.random() < 0.2 else measure <= bound)
    return limits


def random_state(points: MulticlassPoints, rng: np.random.Generator) -> tuple[dict[str, Any], Any, list[Any]]:
    """A state of the page, and what it is in Python: objective and limits."""
    # Few different costs make many ties.
    costs = rng.choice([0.0, 0.1, 0.3, 1.0, 2.0, 5.0, -0.2], (3, 3))
    priors = None if rng.random() < 0.5 else rng.choice([[0.1, 0.3, 0.7], [0.0, 0.1, 0.7], [2, 1, 1]])
    wrong = 1 - np.eye(3)
    objectives = {
        "max_error": rh.multiclass.MaxError(),
        "error_rate": rh.multiclass.ErrorRate(),
        "mean_error": CostMatrix(wrong, priors=[1, 1, 1]),
        "expected_cost": CostMatrix(costs, priors),
    }
    kind = str(rng.choice([*objectives, "expected_cost"]))
    limits = random_limits(points, rng)
    state = {
        "index": int(rng.integers(len(points))),
        "objective": kind,
        "only": bool(rng.random() < 0.5),
        "costs": costs.tolist(),
        "priors": None if priors is None else priors.tolist(),
        "limits": [_limit(limit, points, np.zeros(0)) for limit in limits],
        "dialect": str(rng.choice(names())),
    }
    return state, objectives[kind], limits


def expected(points: MulticlassPoints, p: int, objective: Any, limits: list[Any]) -> dict[str, float]:
    """The numbers of the point that is seen, and of what remains, by their keys."""
    point, within = points[p], points.satisfying(limits)
    usual = points.confusion[np.ptp(points.weights, axis=1) <= 1e-12 * points.weights.max(axis=1)][:1]
    found = {
        "total:all": points.confusion[0].sum(),
        "point": p,
        "value": points.values(objective)[p],
        "remaining": int(within.sum()),
    }
    for c in range(3):
        found |= {f"weight:{c}": point.weights[c], f"error:{c}": point.errors[c]}
        found[f"total:{c}"] = points.confusion[0].sum(axis=1)[c]
        called = point.confusion[:, c].sum()
        found[f"precision:{c}"] = point.confusion[c, c] / called if called else np.nan
        for j in range(3):
            found |= {f"rate:{c}:{j}": point.rates[c, j], f"count:{c}:{j}": point.confusion[c, j]}
            found |= {f"usual:{c}:{j}": matrix[c, j] for matrix in usual}
    return found | compared_with(points, p, objective, limits)


def compared_with(points: MulticlassPoints, p: int, objective: Any, limits: list[Any]) -> dict[str, float]:
    """The point that is seen, those of the outputs as they are, if there are some, and the best class alone."""
    totals = points.confusion[0].sum(axis=1)
    matrices = []
    for factor in (np.ones(3), totals):
        products = points.weights * factor
        alike = np.ptp(products, axis=1) <= 1e-12 * products.max(axis=1)
        matrices += points.confusion[alike][:1].tolist()
    alone = MulticlassPoints(np.ones((3, 3)), totals[:, None] * np.eye(3)[:, None], CLASSES)
    best = np.lexsort((alone.values(objective), ~alone.satisfying(limits)))[0]
    matrices.append(alone.confusion[best].tolist())
    rows = {"seen": points.confusion[p].tolist()} | {f"base:{b}": rule for b, rule in enumerate(matrices)}
    found = {}
    for name, matrix in rows.items():
        rule = MulticlassPoints(np.ones((1, 3)), np.array([matrix]), CLASSES)
        found[f"{name}_value"] = rule.values(objective)[0]
        found |= {f"{name}_error:{c}": rule.errors[0, c] for c in range(3)}
    return found


def compare_list(
    points: MulticlassPoints, shown: dict[str, float], objective: Any, limits: list[Any]
) -> None:
    """The points that remain, the best first; the first one is the library's choice, ties included."""
    within, values = points.satisfying(limits), points.values(objective)
    listed = [int(shown[f"listed:{n}"]) for n in range(min(50, int(within.sum())))]
    assert len(set(listed)) == len(listed) == sum(key.startswith("listed:") for key in shown)
    assert within[listed].all()
    assert np.diff(values[listed]).min(initial=0) >= -1e-12 * (1 + np.abs(values).max())
    if listed:
        assert points.at(objective, limits).weights.tolist() == points.weights[listed[0]].tolist()
    if 0 < len(listed) < within.sum():
        assert values[listed].max() <= np.sort(values[within])[len(listed) - 1] + 1e-12
    told = [shown[f"listed_value:{n}"] for n in range(len(listed))]
    np.testing.assert_allclose(told, values[listed], rtol=1e-12, atol=1e-15)
    told = [[shown[f"listed_error:{n}:{c}"] for c in range(3)] for n in range(len(listed))]
    assert told == points.errors[listed].tolist()


def compare(points: MulticlassPoints, found: dict[str, Any], objective: Any, limits: list[Any]) -> None:
    """Every number on the page."""
    shown = {key: float(value or "nan") for key, value in found["shown"].items()}
    wanted = expected(points, found["index"], objective, limits)
    if wanted["remaining"] == 0:
        with pytest.raises(InfeasibleLimitsError) as raised:
            points.at(objective, limits)
        closest = raised.value.closest
        assert closest is not None
        assert points.weights[int(shown["closest"])].tolist() == closest.weights.tolist()
        wanted |= {"closest": shown["closest"], "excess": max(raised.value.excess)}
    compare_list(points, shown, objective, limits)
    assert found["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
    rest = {key for key in shown if not key.startswith("listed")}
    assert rest == set(wanted)
    np.testing.assert_allclose(
        [shown[key] for key in sorted(rest)], [wanted[key] for key in sorted(rest)], rtol=1e-12, atol=1e-15
    )


def compare_lines(points: MulticlassPoints, found: dict[str, Any], objective: Any, limits: list[Any]) -> None:
    """What is copied and downloaded."""
    best, seen = found["python"].splitlines()
    if points.satisfying(limits).any():
        again = eval(best, {"rh": rh, "points": points})
        assert again.weights.tolist() == points.at(objective, limits).weights.tolist()
        assert again.weights.tolist() == points.weights[found["best"]].tolist()
    else:
        assert best.startswith("# No point is within the limits: points.at(")
        exec(found["python"], {"rh": rh, "points": points})  # both lines can be run
    assert eval(seen, {"points": points}).weights.tolist() == points.weights[found["index"]].tolist()


def compare_sql(
    policy: rh.multiclass.MulticlassPolicy, weights: Any, dialect: str, found: dict[str, str]
) -> None:
    """The expression; or where Python writes none, its words why."""
    if dialect == "tsql" and not set(weights.tolist()) <= {0, 1}:
        with pytest.raises(ValueError, match="weights other than 0 and 1 are not written") as refused:
            policy.to_sql(weights, dialect)
        assert found == {"why": str(refused.value)}
    elif dialect == "tsql":  # which Python can write; the page has templates for all points or for none
        assert "weights other than 0 and 1 are not written" in found["why"]
    else:
        assert found == {"text": policy.to_sql(weights, dialect)}


@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
def test_every_number_is_the_library_s(shows: Shows, weighted: bool) -> None:
    points, rng = found_points(weighted), np.random.default_rng(11 + weighted)
    states = [random_state(points, rng) for _ in range(60 if weighted else 200)]
    with shows(points, command=COMMAND) as page:
        told = answers(page, READ, [state for state, _, _ in states])
    policy = rh.multiclass.MulticlassPolicy.from_points(points)
    about = {"rochull": rh.__version__, "command": shlex.join(COMMAND)}
    feasible = 0
    for n, (found, (state, objective, limits)) in enumerate(zip(told, states, strict=True)):
        kept = state["index"] in found["remaining"] or not state["only"]
        assert found["index"] == (state["index"] if kept else found["best"])
        compare(points, found, objective, limits)
        compare_lines(points, found, objective, limits)
        if n % 4 == 0:  # to write documents and SQL takes longer than all else
            one = rh.multiclass.MulticlassPolicy.from_points(points[np.array([found["index"]])], about=about)
            assert found["policy"] == one.to_json()
            compare_sql(policy, points.weights[found["index"]], state["dialect"], found["sql"])
        feasible += bool(found["remaining"])
    assert 0.2 * len(states) < feasible < len(states)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The outputs as a file whose columns and labels need quotes, on a shell and in options."""
    path = tmp_path_factory.mktemp("cars") / "some cars.csv"
    y, outputs = cars()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["the class", *NAMES.values()])
        writer.writerows(
            [HARD[label], *map(repr, row)] for label, row in zip(y, outputs.tolist(), strict=True)
        )
    return path


HARD = {"opel": 'o"p,l', "saab": "s (b)<=1", "van": "v=n"}
NAMES = {'o"p,l': "$o", "s (b)<=1": "s's", "v=n": "v=n"}


def test_the_command_line_gives_what_is_seen(
    tab: Tab, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = [f"{label}={column}" for label, column in NAMES.items()]
    given = ["multiclass", str(table), "--label", "the class", *(w for s in scores for w in ("--score", s))]
    first = ["--limit", 'error("o""p,l")<=0.5', "--starts", "2", "--points", "150"]
    assert main([*given, *first, "-o", str(tmp_path / "r.html")]) == 0
    assert main([*given, *first, "-o", str(tmp_path / "r.json")]) == 0
    facts = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    rng = np.random.default_rng(4)
    states = [
        random_state(found_points(False), rng)[0] for _ in range(8)
    ]  # classes by their places, the same
    states = [state | {"index": int(rng.integers(150))} for state in states]
    with tab(tmp_path / "r.html") as page:
        told = answers(page, READ, states)
    for found, state in zip(told, states, strict=True):
        words = shlex.split(found["command"]["text"])
        assert words[0] == "rochull"
        status = main([*words[1:], "-o", str(tmp_path / "again.json")])
        assert status == (0 if found["index"] in found["remaining"] else 1)
        again = json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))
        assert again["points"]["confusion"] == [facts["points"]["confusion"][found["index"]]]
        assert again["points"]["weights"] == [facts["points"]["weights"][found["index"]]]
        assert again["chosen"]["value"] == pytest.approx(found["value"], rel=1e-12, abs=1e-15)
        assert again["chosen"]["feasible"] == (found["index"] in found["remaining"])
        keep = ("kind", "true", "called", "side", "limit")
        assert [[limit[k] for k in keep] for limit in again["limits"]] == [
            [limit[k] for k in keep] for limit in state["limits"]
        ]
    capsys.readouterr()


def test_what_has_no_command_line_says_why(shows: Shows) -> None:
    points = found_points(False)
    costs = CostMatrix(1 - np.eye(3))

    def odd(confusion: Any) -> Any:
        return confusion[:, 0, 1]

    cases = {
        "were not read by the command line": {},
        "no word for the objective (odd)": {"objective": odd, "command": COMMAND},
        "no word for the limit (expected cost": {"subject_to": [costs <= 0.5], "command": COMMAND},
    }
    for why, options in cases.items():
        with shows(points[:20], **options) as page:
            assert why in page.evaluate("multiclassView.state().command.why")
            assert why in page.locator(".copyable").first.inner_text()
            assert not page.get_by_role("textbox", name="Command line").is_visible()


def test_measures_of_the_command_line_come_back(shows: Shows) -> None:
    options = {
        "objective": rh.multiclass.Cell("van", "opel"),
        "subject_to": [rh.multiclass.MaxError() <= 0.6],
        "command": COMMAND,
    }
    with shows(found_points(False)[:20], **options) as page:
        words = shlex.split(page.get_by_label("Command line", exact=True).input_value())
    assert words[5:9] == ["--minimise", "called(van,opel)", "--limit", "max-error<=0.6"]


@pytest.mark.parametrize("locale", ["en-US", "de-DE", "fr-FR"])
def test_texts_are_the_numbers_in_the_reader_s_locale(browser: Browser, tmp_path: Path, locale: str) -> None:
    points = found_points(False)
    MulticlassReport(points).save(tmp_path / "r.html")
    with opened(browser, tmp_path / "r.html", locale=locale) as page:
        for index in (0, 17, 250):
            page.evaluate("p => multiclassView.select(p)", index)
            rate = page.locator('[data-key="rate:0:1"]').inner_text()
            shown = rate.replace("\u202f", "").replace("\u00a0", "").replace(" ", "").replace(",", ".")
            wanted = 100 * points.rates[index, 0, 1]
            assert shown == f"{wanted:.1f}%" or 0 < wanted < 0.05
            assert ("," in rate) == (locale != "en-US")
            assert page.locator('[data-key="count:0:1"]').inner_text() == str(points.confusion[index, 0, 1])
        page.get_by_role("button", name="Add a limit").click()
        page.keyboard.type("12,5")
        expected = np.flatnonzero(points.satisfying(rh.multiclass.Error("opel") <= 0.125)).tolist()
        assert page.evaluate("multiclassView.state().remaining") == expected
