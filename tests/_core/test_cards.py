"""Cards of notebooks: tables that no font makes ragged, the values of `to_dict`, and names that are never markup."""

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull._core.cards import Card, Carded, Swatch, plane

HOSTILE = "<b>x</b> $a$ & \"q'"


class Read(HTMLParser):
    """What a browser makes of a card: its tags, the cells of its rows, and all that is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.exact: list[float] = []
        self.feed(page)
        self.close()
        assert self.open == []  # all that is opened is closed

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"polyline", "circle", "rect"}:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        self.exact += [float(value or "") for name, value in attrs if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"polyline", "circle", "rect"}:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data


def german() -> tuple[Any, dict[str, Any]]:
    table = rh.datasets.load("german_credit_scores")
    return (table["class"] == "bad").astype(int), {name: table[name] for name in ("boosted", "tree")}


def hybrid_of(scores: dict[str, Any], y: Any) -> Any:
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return hybrid


def classes() -> Any:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    return rh.MulticlassRoc(y, rng.dirichlet(np.ones(3), 90) + np.eye(3)[y]).points_at([[1, 1, 1], [2, 1, 1]])


def shown(kind: str) -> Any:
    y, scores = german()
    hybrid = hybrid_of(scores, y)
    costs = rh.ExpectedCost(1, 5)
    made = {
        "hull": lambda: rh.roc_hull(y, scores["boosted"]),
        "hybrid": lambda: hybrid,
        "point": lambda: hybrid.at(costs),
        "mixture": lambda: hybrid.at(rh.NeymanPearson(0.1)),
        "policy": hybrid.policy,
        "report": lambda: rh.Report(hybrid, costs),
        "without a condition": lambda: rh.Report(hybrid),
        "regret": lambda: hybrid.regret(rh.ExpectedCost(1, (2, 10))),
        "dominance": hybrid.dominance_table,
        "test": lambda: rh.delong_test(y, scores["boosted"], scores["tree"]),
        "interval": lambda: rh.auc_interval(y, scores["tree"]),
        "classes": classes,
        "class point": lambda: classes().at("max_error"),
        "class policy": lambda: rh.multiclass.MulticlassPolicy(classes()),
        "class report": lambda: rh.report.MulticlassReport(classes()),
        "outputs": lambda: rh.MulticlassRoc([0, 1, 2], np.eye(3)),
        "monitor": lambda: rh.Monitor(hybrid.policy(), costs),
    }
    return made[kind]()


KINDS = [
    "hull", "hybrid", "point", "mixture", "policy", "report", "without a condition", "regret", "dominance",
    "test", "interval", "classes", "class point", "class policy", "class report", "outputs", "monitor",
]  # fmt: skip


UNDRAWN = {"regret", "dominance", "test", "interval", "outputs", "monitor"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_card_is_a_table(kind: str) -> None:
    page = shown(kind)._repr_html_()
    read = Read(page)
    assert read.tags.count("table") == 1
    assert "pre" not in read.tags
    assert len({len(row) for row in read.rows if row != ["…"]}) == 1  # no row is ragged
    assert 2 <= len(read.rows) <= 14
    assert "color:black" not in page.replace(" ", "")  # the theme's own, light or dark
    assert ("svg" in read.tags) == (kind not in UNDRAWN)


@pytest.mark.parametrize("kind", ["hull", "hybrid"])
def test_it_has_the_values_of_the_object(kind: str) -> None:
    found = shown(kind)
    told, read = found.to_dict(), Read(found._repr_html_())
    assert repr(found) in read.text
    for column in ("fpr", "tpr") if kind == "hull" else ("auc", "hull_auc"):
        at, values = read.rows[0].index(column), told[column]
        ends = [*values[:6], *values[-6:]] if len(values) > 12 else values
        assert [row[at] for row in read.rows[1:] if row != ["…"]] == [f"{value:.4g}" for value in ends]
        assert set(ends) <= set(read.exact)  # all digits, where one points


def test_a_point_tells_its_rules_and_their_shares() -> None:
    point = shown("mixture")
    read = Read(point._repr_html_())
    rows = dict(row for row in read.rows if len(row) == 2)
    assert rows["false positive rate"] == f"{point.fpr:.4g}"
    for rule, share in point.rules:
        assert rows[f"rule ({100 * share:.3g} %)"] == f"{rule:.4g}"


def test_a_monitor_tells_what_it_found() -> None:
    y, score = np.arange(400) % 2, np.arange(400) % 2 + np.arange(400) % 3
    monitor = rh.Monitor(rh.Policy.from_hull(rh.roc_hull(y, score)), rh.NeymanPearson(max_fpr=0.1))
    monitor.update(score, np.zeros(400), at=HOSTILE)
    read = Read(monitor._repr_html_())
    assert [row[0] for row in read.rows] == ["", "limits", "better", "misfit", "relabel"]
    for name, sentence, evidence, _, at in read.rows[1:]:
        found = getattr(monitor, name)
        assert (sentence, evidence, at) == (found.sentence, f"{found.evidence:.4g}", found.at or "")
    assert read.rows[1][4] == HOSTILE


def test_rules_of_regrets_have_four_digits() -> None:
    table = shown("regret")
    rules = {row[2] for row in Read(table._repr_html_()).rows[1:] if row != ["…"]}
    assert f"{table.least_worst_single.point.rules[0][0]:.4g}" in rules


def test_several_classes_are_a_picture_of_their_shares() -> None:
    point = shown("class point")
    page, shares = point._repr_html_(), point.rates.ravel().tolist()
    assert [float(each) for each in re.findall(r'fill-opacity="([^"]+)"', page)] == [
        float(f"{share:.3g}") for share in shares
    ]
    points = classes()
    best = int(points.errors.max(axis=1).argmin())
    assert f"Picture: point {best}, whose largest error is the least." in Read(points._repr_html_()).text


def test_a_report_tells_its_answer() -> None:
    report = shown("report")
    read, answer = Read(report._repr_html_()), report.facts["answer"]
    assert f"Flag a case when {answer['rule']['classifier']} is" in read.text
    flagged = [row[1] for row in read.rows[1:]]
    assert flagged == [str(answer["tp"]), str(answer["fp"])]
    assert "report.open()" in read.text


def test_names_are_never_markup() -> None:
    hybrid = hybrid_of({HOSTILE: [0.9, 0.8, 0.7, 0.1], "b": [1, 2, 3, 4]}, [1, 0, 1, 0])
    for found in (hybrid, hybrid.policy(), rh.Report(hybrid, rh.ExpectedCost()), hybrid.at(rh.Accuracy(0.5))):
        page = found._repr_html_()
        read = Read(page)
        assert "b" not in read.tags
        assert HOSTILE in read.text
        assert "tex2jax_ignore" in page  # no formula begins at a dollar sign
    assert Read(Card("t", [("a", [Swatch(HOSTILE, "red")])]).html()).rows[1] == [f"● {HOSTILE}"]


def test_a_picture_of_many_vertices_is_small() -> None:
    x = np.linspace(0, 1, 100_000)
    drawn = plane([(x, np.sqrt(x), "red")], [(0.5, 0.75, "blue")], "<said>")
    assert len(drawn) < 8000
    assert "<said>" not in drawn
    assert 'points="6,126 ' in drawn  # both ends stay
    assert '126,6"' in drawn
    assert 'cx="66" cy="36"' in drawn


def test_what_has_no_columns_is_its_name_or_its_lines() -> None:
    assert Read(type("Named", (Carded,), {"__repr__": lambda _: "a < b"})()._repr_html_()).text == "a < b"
    band = rh.roc_band(*rh.datasets.make_fawcett(), "ks")
    assert str(band).splitlines()[1] in Read(band._repr_html_()).text
