"""The answer of several classes: in the facts, and in a terminal."""

from typing import Any

import numpy as np
import pytest

import rochull as rh
from rochull.report import MulticlassReport
from rochull.report.brief import classes_brief
from rochull.report.text import printed
from rochull.report.wording import count, number
from rochull.words.clauses import Clause, Vocabulary

WORDS = Vocabulary("page", {"number": number, "count": count, "share": number})
WINES = ["barolo", "grignolino", "barbera"]


def roc(classes: list[str] = WINES, n: int = 300, weights: Any = None) -> rh.MulticlassRoc:
    rng = np.random.default_rng(5)
    y = rng.integers(0, len(classes), n)
    outputs = rng.dirichlet(np.ones(len(classes)), n) + 0.5 * np.eye(len(classes))[y]
    return rh.MulticlassRoc(np.array(classes)[y], outputs, classes=classes, sample_weight=weights)


def told(report: MulticlassReport) -> str:
    answer = report.facts["answer"]
    return " ".join(WORDS.told(Clause.from_dict(each)) for each in (answer["headline"], *answer["lede"]))


def lines(report: MulticlassReport) -> list[str]:
    return printed(classes_brief(report.facts), 80).splitlines()


def test_weights_limit_and_price() -> None:
    mc = roc()
    points = mc.points_at([[1, 1, 1], [1, 1, 1.4]])
    report = MulticlassReport(points, subject_to=[rh.multiclass.Error("barbera") <= 0.2])
    assert report.facts["chosen"]["index"] == 1
    before, after = (matrix.tolist() for matrix in points.confusion)
    wrong = [[sum(row) - row[i] for i, row in enumerate(matrix)] for matrix in (before, after)]
    i = max(range(3), key=lambda i: wrong[1][i] - wrong[0][i])
    assert told(report) == (
        f"Multiply the scores: {WINES[0]} by 1, {WINES[1]} by 1 and {WINES[2]} by 1.4; the largest decides. "
        f"Of {sum(after[2])} barbera, {wrong[1][2]} are mistaken, within your limit of 20 %; {wrong[0][2]} by the largest score alone. "
        f"The price: {wrong[1][i]} of {sum(after[i])} {WINES[i]} are mistaken instead of {wrong[0][i]}."
    )
    text = "\n".join(lines(report))
    for row, name in enumerate(WINES):
        assert f"{wrong[1][row]}" in next(line for line in text.splitlines() if line.startswith(f"  {name}"))


def test_what_cannot_be_kept_is_told() -> None:
    report = MulticlassReport(roc().points_at([[1, 1, 1.4]]), subject_to=[rh.multiclass.Error("barolo") <= 0])
    assert "No weights keep your limits." in told(report)


def test_equal_weights_are_the_largest_score() -> None:
    found = told(MulticlassReport(roc().points_at([[1, 1, 1]])))
    assert found.startswith("Call each case what its largest score says. Mistaken most:")
    assert "price" not in found


@pytest.mark.parametrize("n", [2, 3, 5, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_lines_are_few_and_short(n: int, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    mc = roc([f"{'class ' * 6}{i}" for i in range(n)], 60 * n, rng.random(60 * n) if weighted else None)
    report = MulticlassReport(mc.points_at([np.ones(n), 1 + rng.random(n)]))
    found = lines(report)
    assert len(found) <= 25
    assert max(map(len, found)) <= 80
    assert "None" not in "".join(found)


def test_a_number_is_no_name() -> None:
    """Beside a number it would be read as one."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 300)
    names = ["3 stars", "-1", "v2"]
    mc = rh.MulticlassRoc(np.array(names)[y], rng.dirichlet(np.ones(3), 300), classes=names)
    report = MulticlassReport(mc.points_at([[1, 1, 1]]), subject_to=[rh.multiclass.Error("-1") <= 1])
    assert [each["name"] for each in report.facts["classes"]] == ["class 3 stars", "class -1", "v2"]
    assert [each["label"] for each in report.facts["classes"]] == names
    assert f" of {np.sum(y == 1)} class -1, " in told(report).replace("Of", " of")
    assert report.facts["limits"][0]["text"] == "error of class -1 at most 100 %"
