"""The multi-class report: facts equal the library's numbers; the page loads nothing, and labels are text."""

import base64
import hashlib
import json
import re
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import rochull as rh
from markup import Page
from multiclass_report_cases import HOSTILE, outputs_of
from refusals import refuses
from rochull.multiclass import Cell, Error, MaxError, MulticlassPoints
from rochull.multiclass.points import InfeasibleLimitsError
from rochull.report import MulticlassReport
from rochull.report.multiclass_facts import FORMAT, VERSION, facts_of, typed
from rochull.report.multiclass_verdict import headline
from rochull.report.wording import number, percent

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def roc() -> rh.MulticlassRoc:
    codes = np.random.default_rng(1).integers(0, 3, 300)
    return rh.MulticlassRoc(np.array(["lesion", "normal", "scar"])[codes], outputs_of(codes, 3))


@pytest.fixture(scope="module")
def points(roc: rh.MulticlassRoc) -> MulticlassPoints:
    weights = np.random.default_rng(2).dirichlet(np.ones(3), 120)
    return roc.points_at(np.concatenate([np.ones((1, 3)), weights]))


@pytest.fixture(scope="module")
def hostile() -> MulticlassPoints:
    codes = np.random.default_rng(3).integers(0, 4, 200)
    roc = rh.MulticlassRoc(np.array(HOSTILE)[codes], outputs_of(codes, 4), classes=HOSTILE)
    return roc.points_at(np.random.default_rng(4).dirichlet(np.ones(4), 30))


COSTS = rh.multiclass.CostMatrix([[0, 1, 5], [2, 0, 1], [3, 1, 0]], priors=[2, 1, 1])
LIMITS = [Error("lesion") <= 0.3, Cell("scar", "normal") <= 0.2]
OBJECTIVES = [
    "max_error",
    "error",
    COSTS,
    rh.multiclass.CostMatrix(COSTS.costs),
    Error("scar"),
    lambda m: m[:, 0, 1] + m[:, 1, 0],
]


def index_in(points: MulticlassPoints, found: rh.multiclass.MulticlassPoint) -> int:
    return int(np.flatnonzero((points.weights == found.weights).all(axis=1))[0])


# --- facts ---------------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("objective", OBJECTIVES, ids=range(len(OBJECTIVES)))
@pytest.mark.parametrize("limits", [[], LIMITS, [*LIMITS, COSTS <= 0.9, MaxError() <= 0.5]], ids=len)
def test_facts_are_the_library_s_numbers(points: MulticlassPoints, objective: Any, limits: Any) -> None:
    facts = facts_of(points, limits, objective)
    assert (facts["format"], facts["version"], facts["in_sample"]) == (FORMAT, VERSION, True)
    assert facts["points"]["weights"] == points.weights.tolist()
    assert facts["points"]["confusion"] == points.confusion.tolist()
    assert facts["remaining"] == np.flatnonzero(points.satisfying(limits)).tolist()
    best = points.at(objective, limits)
    assert facts["chosen"]["index"] == index_in(points, best)
    assert facts["chosen"]["feasible"]
    assert facts["chosen"]["value"] == points.values(objective)[facts["chosen"]["index"]]
    assert max([*facts["chosen"]["excess"], -1]) <= 0
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts


def test_kinds_of_objectives(points: MulticlassPoints) -> None:
    kinds = [facts_of(points, [], objective)["objective"]["kind"] for objective in OBJECTIVES]
    assert kinds == ["max_error", "error_rate", "expected_cost", "expected_cost", "given", "given"]
    facts = facts_of(points, [], COSTS)
    assert (facts["costs"], facts["priors"]) == (
        [list(map(float, row)) for row in COSTS.costs],
        [2.0, 1.0, 1.0],
    )
    assert facts_of(points)["costs"] == (1 - np.eye(3)).tolist()
    given = facts_of(points, [], OBJECTIVES[-1])["objective"]
    assert (given["values"], given["code"]) == (points.values(OBJECTIVES[-1]).tolist(), "objective")


def test_shares_are_percentages(points: MulticlassPoints) -> None:
    facts = facts_of(points, [*LIMITS, COSTS <= 0.9, MaxError() <= 0.005], Error("scar"))
    assert [limit["share"] for limit in facts["limits"]] == [True, True, False, True]
    assert [limit["text"].split(" at most ")[1] for limit in facts["limits"]] == [
        "30 %",
        "20 %",
        "0.9",
        "0.5 %",
    ]
    assert [facts_of(points, [], each)["objective"]["share"] for each in OBJECTIVES] == [
        True, True, False, False, True, False,
    ]  # fmt: skip
    value = percent(points.values(Error("scar"))[facts["chosen"]["index"]])
    assert headline(facts).startswith(
        "None of 121 rules keeps all limits; this one comes closest. Call a case "
    )
    assert f"). By the past cases the error of scar is {value}, against " in headline(facts)
    text = str(MulticlassReport(points, subject_to=[MaxError() <= 0.005], objective=Error("scar")))
    over = 100 * (points.errors.max(axis=1).min() - 0.005)
    assert "at most 0.5 %" in text
    assert f"by {number(over)} percentage points" in " ".join(text.split())


def test_python_reads_back_what_the_facts_write(points: MulticlassPoints) -> None:
    limits = [*LIMITS, COSTS <= 0.9, MaxError() >= 0.1]
    for limit, told in zip(limits, facts_of(points, limits)["limits"], strict=True):
        read = eval(told["code"], {"rh": rh})
        assert points.satisfying(read).tolist() == points.satisfying(limit).tolist()
    for objective in OBJECTIVES[:5]:
        code = facts_of(points, [], objective)["objective"]["code"]
        assert points.values(eval(code, {"rh": rh})).tolist() == points.values(objective).tolist()


def test_the_closest_has_the_smallest_largest_excess(points: MulticlassPoints) -> None:
    limits = [Error(label) <= bound for label, bound in zip(points.classes, (0.01, 0.02, 0.03), strict=True)]
    facts = facts_of(points, limits)
    excess = (points.errors - [0.01, 0.02, 0.03]).max(axis=1)
    assert facts["remaining"] == []
    assert excess[facts["chosen"]["index"]] == excess.min()
    assert not facts["chosen"]["feasible"]
    assert max(facts["chosen"]["excess"]) == excess.min()
    with pytest.raises(InfeasibleLimitsError) as raised:
        points.at("max_error", limits)
    assert index_in(points, raised.value.closest) == facts["chosen"]["index"]


def test_a_roc_is_reported_with_what_it_found(roc: rh.MulticlassRoc) -> None:
    facts = MulticlassReport(roc).facts
    assert facts["source"] == "mc"
    assert facts["points"]["weights"] == roc.points.weights.tolist()
    assert [c["total"] for c in facts["classes"]] == roc.totals.tolist()


def test_weighted_rates_are_given() -> None:
    codes = np.random.default_rng(5).integers(0, 3, 90)
    weight = np.random.default_rng(6).uniform(0.1, 3, 90)
    points = rh.MulticlassRoc(codes, outputs_of(codes, 3), weight).points_at(np.eye(3) + 0.2)
    facts = facts_of(points)
    assert facts["weighted"]
    assert facts["points"]["rates"] == points.rates.tolist()
    assert facts["points"]["errors"] == points.errors.tolist()
    assert [c["code"] for c in facts["classes"]] == ["0", "1", "2"]


def test_labels_that_print_alike() -> None:
    codes = np.arange(20) % 2
    roc = rh.MulticlassRoc(codes, outputs_of(codes, 2))
    points = MulticlassPoints(np.ones((1, 2)), roc.confusion([1, 1]), (1, "1"))
    assert [c["name"] for c in facts_of(points)["classes"]] == ["1", "'1'"]


def test_an_objective_that_is_not_defined_everywhere(points: MulticlassPoints) -> None:
    values = np.where(np.arange(len(points)) % 2, np.nan, 1.0)

    def odd(confusion: Array) -> Array:
        return values if len(confusion) == len(points) else np.full(len(confusion), np.nan)

    facts = facts_of(points, [], odd)
    assert facts["objective"]["values"][:2] == [1.0, None]
    assert facts["chosen"]["index"] == 0
    assert json.loads(MulticlassReport(points, objective=odd).to_json()) == facts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: ((p.weights,), {}), "must be a MulticlassRoc or MulticlassPoints, but are a ndarray"),
        (lambda p: ((p[:0],), {}), "there is nothing to report"),
        (lambda p: ((p,), {"subject_to": [0.3]}), r"limits such as Error\(label\) <= 0.05"),
        (
            lambda p: ((p,), {"subject_to": [Error("nobody") <= 0.3]}),
            "there is no class 'nobody'",
        ),
        (lambda p: ((p,), {"objective": "best"}), "objective must be 'max_error'"),
    ],
)
def test_bad_input(points: MulticlassPoints, change: Any, message: str) -> None:
    given, options = change(points)
    refuses(message, MulticlassReport, *given, **options)


def test_a_class_without_examples() -> None:
    points = MulticlassPoints(np.ones((1, 2)), np.array([[[3, 1], [0, 0]]]), ("a", "b"))
    refuses("the points have no example of class 'b'", MulticlassReport, points)


# --- the page ------------------------------------------------------------------------------------


def test_labels_are_only_text(hostile: MulticlassPoints) -> None:
    limits = [Error(HOSTILE[0]) <= 0.1, Cell(HOSTILE[2], HOSTILE[1]) <= 0.1]
    report = MulticlassReport(
        hostile,
        subject_to=limits,
        objective=Error(HOSTILE[1]),
        title="<script>alert(2)</script>",
    )
    page = Page(report.to_html())
    assert {tag for tag, _ in page.tags}.isdisjoint(
        {"img", "b", "iframe", "object", "embed", "link", "base", "form"}
    )
    found = [(a, value) for _, attributes in page.tags for a, value in attributes.items()]
    assert [value for a, value in found if a in ("src", "href")] == ["#multiclass"]
    assert not [a for a, _ in found if a.startswith("on") or a == "style"]
    assert len(page.raw) == 2  # the facts, and all scripts as one
    assert all(name in " ".join(page.text) for name in [*HOSTILE, "<script>alert(2)</script>"])
    assert json.loads(page.raw[0][1]) == report.facts
    assert not {"<", ">", "&", "\u2028"} & set(page.raw[0][1])


def test_the_policy_allows_these_scripts_and_this_style_only(points: MulticlassPoints) -> None:
    html = MulticlassReport(points).to_html()
    page = Page(html)
    [content] = [a["content"] for a in page.named("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert content is not None
    directives = {part.split()[0]: part.split()[1:] for part in content.split(";")}

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    style = html.split("<style>", 1)[1].split("</style>", 1)[0]
    assert directives == {
        "default-src": ["'none'"],
        "script-src": [hashed(script) for attributes, script in page.raw if "type" not in attributes],
        "style-src": [hashed(style)],
        "img-src": ["data:", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert not [attributes for _, attributes in page.tags if "style" in attributes]
    assert "unsafe" not in content
    assert 'setAttribute("style"' not in html


def test_the_page_without_a_script_shows_the_chosen_point(points: MulticlassPoints) -> None:
    page = Page(MulticlassReport(points, subject_to=LIMITS).to_html())
    best = points.at("max_error", LIMITS)
    text = " ".join(" ".join(page.text).split())
    for i, j in product(range(3), range(3)):
        assert f"{percent(best.rates[i, j])} ({best.confusion[i, j]})" in text
    told = [percent(best.confusion[c, c] / best.confusion[:, c].sum()) for c in range(3)]
    assert f"precision {' '.join(told)}" in text
    said = str(MulticlassReport(points, subject_to=LIMITS))
    assert re.search(
        rf"precision +{' +'.join(told)}\nPrecision: share of the past cases called a class", said
    )
    assert len(page.named("caption")) == len(page.named("table")) == 1
    assert all(attributes.get("scope") in ("col", "row") for attributes in page.named("th"))
    assert page.named("html") == [{"lang": "en"}]


# --- text and files ------------------------------------------------------------------------------


def test_text_fits_a_terminal(points: MulticlassPoints, hostile: MulticlassPoints) -> None:
    for report in (
        MulticlassReport(points, subject_to=LIMITS),
        MulticlassReport(hostile),
    ):
        text = str(report)
        assert max(map(len, text.splitlines())) <= 80
        assert all(c == "\n" or c.isprintable() for c in text)
        assert "in-sample" in text
    remaining = int(points.satisfying(LIMITS).sum())
    text = str(MulticlassReport(points, subject_to=LIMITS))
    assert f"{remaining} of 121 rules keep all limits." in text
    assert "; scar called normal at most 20 %" in " ".join(text.split())
    nothing = str(MulticlassReport(points, subject_to=[Error("scar") <= 0, Error("lesion") <= 0]))
    assert "None of 121 rules keeps all limits. The closest breaks " in nothing
    undefined = MulticlassReport(points, subject_to=[Undefined() <= 0.1])
    assert "keeps the limit. They are defined at none." in str(undefined)
    assert undefined.facts["limits"][0]["excess"] == [None] * 121


class Undefined(type(MaxError()).__mro__[1]):  # type: ignore[misc]  # Measure
    """A measure that no matrix has."""

    def __str__(self) -> str:
        return "Undefined()"

    def values(self, confusion: Array, classes: Any) -> Array:
        return np.full(confusion.shape[:-2], np.nan)


def test_saving(points: MulticlassPoints, tmp_path: Path) -> None:
    report = MulticlassReport(points, subject_to=LIMITS, title="Skin")
    for suffix, text in (
        (".html", report.to_html()),
        (".json", report.to_json()),
        (".txt", report.to_text()),
    ):
        report.save(tmp_path / f"r{suffix}")
        assert (tmp_path / f"r{suffix}").read_text(encoding="utf-8") == text
    refuses(r"must end in \.html, \.json or \.txt", report.save, tmp_path / "r.pdf")
    assert "within error of lesion at most 30 %, scar called normal at most 20 %)" in repr(report)
    assert repr(MulticlassReport(points)) == "MulticlassReport(lesion, normal, scar; 121 points)"
    frame = report.interactive()._repr_html_()
    assert '<iframe sandbox="allow-scripts allow-downloads" allow="clipboard-write"' in frame


def test_opening_the_page(points: MulticlassPoints, tmp_path: Path, monkeypatch: Any) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    report = MulticlassReport(points)
    assert report.open(tmp_path / "r.html") == tmp_path / "r.html"
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.to_html()
    assert opened == [(tmp_path / "r.html").as_uri()]


# --- the schema ----------------------------------------------------------------------------------

SCHEMA = json.loads(files("rochull.report").joinpath("multiclass.schema.json").read_text(encoding="utf-8"))


def reports(points: MulticlassPoints, hostile: MulticlassPoints) -> dict[str, MulticlassReport]:
    limits = [*LIMITS, COSTS <= 0.9, MaxError() >= 0.1, Undefined() <= 0.1]
    weighted = MulticlassPoints(points.weights, points.confusion * 1.5, points.classes)
    tuples = MulticlassPoints(np.ones((1, 2)), np.array([[[3, 1], [0, 2]]]), (("a",), ("b",)))
    return {
        "plain": MulticlassReport(points),
        "limits": MulticlassReport(points, subject_to=limits, command=["rochull", "multiclass", "t.csv"]),
        "weighted": MulticlassReport(weighted, subject_to=LIMITS, objective="error"),
        "hostile": MulticlassReport(hostile, objective=Cell(HOSTILE[0], HOSTILE[1])),
        "function": MulticlassReport(points, objective=lambda m: np.where(m[:, 0, 0] > 50, np.nan, 1.0)),
        "costs": MulticlassReport(points, objective=COSTS, columns=["a", ("t", "b"), "c"]),
        "undeployable": MulticlassReport(tuples),
    }


def test_the_schema_describes_every_report(points: MulticlassPoints, hostile: MulticlassPoints) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    for report in reports(points, hostile).values():
        validator.validate(json.loads(report.to_json()))


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(version=1),
        lambda facts: facts.update(surprise=1),
        lambda facts: facts.pop("deploy"),
        lambda facts: facts["limits"][0].update(excess=[0.0]),
        lambda facts: facts["chosen"].pop("value"),
        lambda facts: facts["classes"][0].update(total=0),
        lambda facts: facts["points"]["weights"][0].append("1"),
        lambda facts: facts["deploy"]["sql"].clear(),
    ],
)
def test_the_schema_refuses(points: MulticlassPoints, change: Any) -> None:
    facts = json.loads(MulticlassReport(points, subject_to=LIMITS).to_json())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert validator.is_valid(facts)
    change(facts)
    assert not validator.is_valid(facts)


def test_the_schema_s_keys_are_documented(points: MulticlassPoints) -> None:
    from rochull.report import multiclass_deploy, multiclass_facts

    told = f"{multiclass_facts.__doc__}{multiclass_deploy.__doc__}"
    keys = set(SCHEMA["properties"]) | set(SCHEMA["properties"]["points"]["properties"])
    for part in ("classes", "limits"):
        keys |= set(SCHEMA["properties"][part]["items"]["properties"])
    keys |= set(SCHEMA["properties"]["deploy"]["properties"]) | set(
        SCHEMA["$defs"]["templates"]["properties"]
    )
    assert {key for key in keys if f"``{key}``" not in told} == set()
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"]) == set(MulticlassReport(points).facts)


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("van", "van"),
        ("-1.5", "-1.5"),
        (3, "3"),
        ("a b", "a b"),
        ("Ärger", "Ärger"),
        ("a,b", '"a,b"'),
        (" a", '" a"'),
        ('say "x"', '"say ""x"""'),
        ("", '""'),
        ("x)<=1", '"x)<=1"'),
    ],
)
def test_labels_as_the_command_line_takes_them(label: Any, text: str) -> None:
    assert typed(label) == text


def test_options(points: MulticlassPoints) -> None:
    facts = facts_of(points, [*LIMITS, COSTS <= 0.9, MaxError() >= 0.1, rh.multiclass.ErrorRate() <= 0.5])
    assert [limit["option"] for limit in facts["limits"]] == [
        "error(lesion)<=0.3",
        "called(scar,normal)<=0.2",
        None,
        "max-error>=0.1",
        "error-rate<=0.5",
    ]
    options = [facts_of(points, [], objective)["objective"]["option"] for objective in OBJECTIVES]
    assert options == ["max-error", "error-rate", "cost", "cost", "error(scar)", None]
