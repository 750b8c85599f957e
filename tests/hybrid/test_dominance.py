"""The dominance table against brute force over slopes."""

import itertools
import math
from fractions import Fraction as F

import numpy as np
import pytest

import rochull as rh
from rochull.hybrid.dominance import dominance_of


def united(seed: int, count: int = 3) -> rh.RocHull:
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [13, 17])
    signal = rng.uniform(0, 2, (count, 1)) * (rng.random((count, 30)) < 0.7)
    return rh.union(
        {f"c{i}": rh.roc_hull(y, np.round(s, 1)) for i, s in enumerate(signal * y + rng.normal(size=30))}
    )


def best_at(hull: rh.RocHull, slope: F) -> list[int]:
    """All vertices that are best for the iso-performance slope."""
    values = [tpr - slope * fpr for fpr, tpr in map(hull.frontier.point, range(len(hull)))]
    return [i for i, value in enumerate(values) if value == max(values)]


@pytest.mark.parametrize("seed", range(15))
def test_rows_against_brute_force(seed: int) -> None:
    hull = united(seed)
    rows = dominance_of(hull).rows
    # They cover all slopes from 0 to infinity without gaps, from the last vertex to the first.
    assert rows[0].low == 0
    assert rows[-1].high == math.inf
    for one, other in itertools.pairwise(rows):
        assert one.high == other.low
        assert one.low < one.high
        assert other.last == one.first - 1
        assert one.rule != other.rule
    names = [{rule.classifier for rule in rules} - {None} for rules in hull.owners]
    for row in rows:
        assert all(names[i] == set(row.classifiers) for i in range(row.first, row.last + 1))
        assert row.fpr == (hull.fpr[row.first], hull.fpr[row.last])
        assert row.tpr == (hull.tpr[row.first], hull.tpr[row.last])
        corner = row.first in (0, len(hull) - 1)
        assert (row.classifiers == ()) is corner
        assert row.rule == (
            ("never" if row.first == 0 else "always") if corner else ", ".join(row.classifiers)
        )
        high = row.low + 1 if row.high == math.inf else row.high
        for share in (0.01, 0.3, 0.7, 0.99):
            slope = F(row.low + share * (high - row.low))
            assert any(row.first <= i <= row.last for i in best_at(hull, slope))


def test_corners_belong_to_no_classifier() -> None:
    hull = rh.union({"a": rh.roc_hull([1, 0, 0, 1], [4, 3, 2, 1])})  # (0, 1/2), and the diagonal's ends
    rows = dominance_of(hull).rows
    assert [(r.rule, r.classifiers, r.low, r.high) for r in rows] == [
        ("always", (), 0, 0.5),
        ("a", ("a",), 0.5, math.inf),
    ]
    useless = dominance_of(rh.union({"a": rh.roc_hull([1, 0], [1, 1])}))
    assert [(r.rule, r.low, r.high) for r in useless.rows] == [("always", 0, 1), ("never", 1, math.inf)]
    assert useless.absolute is None
    perfect = dominance_of(rh.union({"a": rh.roc_hull([1, 0], [1, 0])}))
    assert [(r.rule, r.low, r.high) for r in perfect.rows] == [("a", 0, math.inf)]
    assert perfect.absolute == "a"


@pytest.mark.parametrize("name", ["always", "never", "a, b"])
def test_names_that_look_like_rules(name: str) -> None:
    hull = rh.union({name: rh.roc_hull([1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1])})
    rows = dominance_of(hull).rows
    assert [row.classifiers for row in rows] == [(), (name,)]
    assert [row.rule for row in rows] == ["always", name]


def test_absolute_dominator() -> None:
    for seed in range(30):
        hull = united(seed)
        owners = [{rule.classifier for rule in rules} for rules in hull.owners[1:-1]]
        everywhere = set.intersection(*owners) if owners else set()
        absolute = dominance_of(hull).absolute
        assert (absolute in everywhere) if everywhere else (absolute is None)


def test_ties_name_all() -> None:
    y = [1, 0, 1, 0, 0]
    one = rh.roc_hull(y, [5, 4, 3, 2, 1])
    table = dominance_of(rh.union({"a": one, "b": one, "c": rh.roc_hull(y, [5, 3, 2, 4, 1])}))
    assert {row.classifiers for row in table.rows} >= {("a", "b", "c"), ("a", "b")}
    assert table.absolute == "a"


def test_nearly_parallel_edges_stay_in_order() -> None:
    """With large counts, differences of rates would cancel and the ranges overlap."""
    steps = np.arange(3000, 0, -1)
    tp, fp = np.cumsum(steps + 10**6), np.cumsum(np.full(3000, 10**6 + 1))
    curve = rh.hull.RocCurve(np.arange(3000, 0, -1.0), np.append(0, tp), np.append(0, fp))
    hull = rh.RocHull.from_curve(curve)
    assert len(hull) == 3001
    assert np.all(np.diff(hull.slopes) < 0)
    (x0, y0), (x1, y1) = hull.frontier.point(1500), hull.frontier.point(1501)
    assert math.isclose(hull.slopes[1500], (y1 - y0) / (x1 - x0), rel_tol=1e-15)


def test_text() -> None:
    table = dominance_of(rh.union({"a": rh.roc_hull([1, 0, 0, 1], [4, 3, 2, 1])}))
    assert str(table).splitlines() == [
        "           slope range  dominator",
        "              [0, 0.5]  always",
        "            [0.5, inf]  a",
    ]


def test_who_touches_an_edge_is_named() -> None:
    """b reaches the middle of the edge from a's vertex to c's: it is as good as both at that slope."""
    hybrid = rh.Hybrid().add_point("a", 0.125, 0.5).add_point("b", 0.25, 0.625).add_point("c", 0.375, 0.75)
    table = hybrid.dominance_table()
    (touch,) = table.touching
    assert (touch.classifier, touch.slope, touch.fpr, touch.tpr) == ("b", 1.0, 0.25, 0.625)
    assert "               1 alone  as good: b" in str(table)
    assert (
        "b" not in rh.Hybrid().add_point("a", 0.125, 0.5).add_point("b", 0.25, 0.6).dominance_table().touching
    )


@pytest.mark.parametrize("seed", range(20))
def test_who_touches_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 14))
    hybrid = rh.Hybrid()
    for name in "abcd":
        hybrid.add(name, y, rng.integers(0, 6, y.size) + y)
    hull, found = hybrid.hull, set()
    n_neg, n_pos = hull.n_neg, hull.n_pos
    for name, own in hybrid.hulls.items():
        for fp, tp in zip(own.fp[1:-1].tolist(), own.tp[1:-1].tolist(), strict=True):
            for i in range(len(hull) - 1):
                (x0, y0), (x1, y1) = ((int(hull.fp[j]), int(hull.tp[j])) for j in (i, i + 1))
                ends = {rule.classifier for j in (i, i + 1) for rule in hull.owners[j]}
                on = (tp - y0) * (x1 - x0) == (y1 - y0) * (fp - x0) and x0 < fp < x1 and y0 < tp < y1
                if on and name not in ends:
                    found.add((name, i, fp / n_neg, tp / n_pos))
    touching = hybrid.dominance_table().touching
    assert {(touch.classifier, touch.edge, touch.fpr, touch.tpr) for touch in touching} == found


def test_one_classifier_dominates_nobody() -> None:
    assert "absolute" not in str(rh.Hybrid().add("a", [0, 1], [0, 1]).dominance_table())
    report = rh.Report(rh.Hybrid().add("a", [0, 1], [0, 1]))
    assert "dominator:" not in report.to_text()
    assert "every other score" not in report.to_html()
    two = rh.Hybrid().add("a", [0, 1], [0, 1]).add("b", [0, 1], [1, 0])
    told = " ".join(rh.Report(two).to_text().split())
    said = "a is at least as good as every other score (b), and as any switching between them, whatever errors cost"
    assert said in told
    assert "A new score made of them was not tried" in told
