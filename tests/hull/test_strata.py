"""Stratified hulls against every vector of thresholds, one by one."""

import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from profiles import tries
from rochull.conditions.base import Condition
from twins import hull_of

NAMES = ("a", "b", "c")


@st.composite
def population(draw: st.DrawFn, most: int = 7) -> dict[str, tuple[list[int], list[int]]]:
    """Labels and scores of one to three segments, each of both classes, with ties."""
    segments = {}
    for name in NAMES[: draw(st.integers(1, 3))]:
        n = draw(st.integers(2, most))
        labels = [1, 0] + [draw(st.integers(0, 1)) for _ in range(n - 2)]
        segments[name] = labels, [draw(st.integers(0, 4)) for _ in range(n)]
    return segments


def points_of_all_vectors(segments: dict[str, Any]) -> list[tuple[int, int]]:
    """(false positives, true positives) of every way to choose one threshold in each segment."""
    each = []
    for labels, scores in segments.values():
        y, s = np.array(labels), np.array(scores)
        each.append(
            [(int(np.sum((s >= t) & (y == 0))), int(np.sum((s >= t) & (y == 1)))) for t in {*scores, 99}]
        )
    return sorted({(sum(x for x, _ in c), sum(y for _, y in c)) for c in itertools.product(*each)})


@given(population())
@tries(150)
def test_the_hull_of_all_threshold_vectors(segments: dict[str, Any]) -> None:
    hull = rh.stratify({name: rh.roc_hull(*data) for name, data in segments.items()})
    expected = hull_of(points_of_all_vectors(segments))
    assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == expected


@given(population(most=40))
def test_every_vertex_is_what_its_rules_do(segments: dict[str, Any]) -> None:
    hull = rh.stratify({name: rh.roc_hull(*data) for name, data in segments.items()})
    assert len(hull.owners) == len(hull)
    for i, (rule,) in enumerate(hull.owners):
        fp = tp = 0
        for name, (labels, scores) in segments.items():
            called = np.array(scores) >= _threshold(rule, name)
            fp += int(np.sum(called & (np.array(labels) == 0)))
            tp += int(np.sum(called & (np.array(labels) == 1)))
        assert (fp, tp) == (hull.fp[i], hull.tp[i])
        at = [rh.roc_hull(*data) for data in segments.values()]
        assert sum(int(h.fp[j]) for h, j in zip(at, hull.positions(i), strict=True)) == fp
    assert hull.positions(-1).tolist() == [len(h) - 1 for h in hull.segments.values()]


def _threshold(rule: Any, name: str) -> Any:
    own = rule.of(name) if isinstance(rule, rh.conditions.SegmentedRule) else rule
    return {"never": np.inf, "always": -np.inf}.get(own.kind, own.threshold)


@given(population(most=30), st.sampled_from([1, 2, 3]))
def test_integer_weights_are_repetitions(segments: dict[str, Any], factor: int) -> None:
    weighted, repeated = {}, {}
    for k, (name, (labels, scores)) in enumerate(segments.items()):
        weight = [1 + (factor * i + k) % 4 for i in range(len(labels))]
        weighted[name] = rh.roc_hull(labels, scores, sample_weight=weight)
        repeated[name] = rh.roc_hull(np.repeat(labels, weight), np.repeat(scores, weight))
    a, b = rh.stratify(weighted), rh.stratify(repeated)
    assert a.fpr.tolist() == b.fpr.tolist()
    assert a.tpr.tolist() == b.tpr.tolist()
    assert list(a.owners) == list(b.owners)


def test_weights_of_very_different_size_are_rounded_once() -> None:
    """A segment of small weights is read in the units of the whole; its hull is made minimal again."""
    rng = np.random.default_rng(3)
    y, s = rng.integers(0, 2, 400), rng.normal(size=400)
    half = np.arange(400) % 2 == 0
    weight = np.where(half, 1.0, 1e-12) * rng.random(400)
    parts = {
        k: rh.roc_hull(y[m], s[m], sample_weight=weight[m]) for k, m in (("heavy", half), ("light", ~half))
    }
    hull = rh.stratify(parts)
    slopes = hull.slopes
    assert (np.diff(slopes) < 0).all()
    whole = weight[y == 1].sum()
    light = weight[~half & (y == 1)].sum() / whole
    assert hull.n_pos / hull.units.pos == pytest.approx(whole, rel=1e-12)
    assert hull.segments["light"].n_pos / hull.n_pos == pytest.approx(light, rel=1e-4)


def test_one_segment_is_its_own_hull_and_equal_segments_change_nothing() -> None:
    y, s = rh.datasets.make_fawcett()
    one = rh.roc_hull(y, s)
    for parts in ({"x": one}, {"x": one, "y": one}):
        hull = rh.stratify(parts)
        assert np.array_equal(hull.fpr, one.fpr)
        assert np.array_equal(hull.tpr, one.tpr)


def test_segments_of_several_classifiers() -> None:
    """In each segment the classifier is used that is best there."""
    y = [1, 1, 0, 0]
    good, bad = [4, 3, 2, 1], [1, 2, 3, 4]
    hull = rh.stratify({
        1: rh.union({"first": rh.roc_hull(y, good), "second": rh.roc_hull(y, bad)}),
        2: rh.union({"first": rh.roc_hull(y, bad), "second": rh.roc_hull(y, good)}),
    })  # fmt: skip
    assert hull.auc() == 1
    rule = hull.at(rh.Accuracy(0.5)).rules[0][0]
    assert str(rule) == "1: first >= 3; 2: second >= 3"
    assert (
        hull.classifiers == rule.classifiers == hull.at(rh.Accuracy(0.5)).classifiers == ("first", "second")
    )


@pytest.mark.parametrize(
    "condition",
    [
        rh.ExpectedCost(cost_fn=3, prevalence=0.2),
        rh.NeymanPearson(0.13),
        rh.MinimumRecall(0.8),
        rh.Capacity(fraction=0.2, prevalence=0.3),
        rh.MinimumPrecision(0.6, prevalence=0.3),
        rh.Utility(lambda fpr, tpr: tpr - fpr**2),
    ],
    ids=lambda c: type(c).__name__,
)
def test_conditions_work_unchanged_and_segments_help(condition: Condition) -> None:
    rng = np.random.default_rng(5)
    segment = rng.integers(0, 3, 3000)
    y = (rng.random(3000) < [0.1, 0.3, 0.6][0] + 0.2 * segment).astype(int)
    s = rng.normal(size=3000) + y * (1 + segment)
    straight = rh.roc_hull(y, s).at(condition)
    bent = rh.stratify({k: rh.roc_hull(y[segment == k], s[segment == k]) for k in range(3)}).at(condition)
    if isinstance(condition, rh.ExpectedCost):
        assert bent.expected_cost(condition) < straight.expected_cost(condition)
    elif isinstance(condition, rh.MinimumRecall):
        assert bent.fpr < straight.fpr
    elif isinstance(condition, rh.Utility):
        assert condition.function(bent.fpr, bent.tpr) > condition.function(straight.fpr, straight.tpr)
    else:
        assert bent.tpr > straight.tpr
    assert sum(p for _, p in bent.rules) == 1


def test_steep_edges_are_compared_exactly() -> None:
    """Slopes that float64 cannot tell apart are in the right order, and equal ones are one edge."""
    big = 1 << 40
    thin = [rh.RocHull(np.array([0, a, n]), np.array([0, b, n]), n, n) for a, b, n in (
        (big, big + 1, big + 1), (big + 1, big + 2, big + 2), (2 * big, 2 * big + 2, 2 * big + 2)
    )]  # fmt: skip
    named = [h.__class__(h.fp, h.tp, h.n_neg, h.n_pos).with_owners(_rules(len(h))) for h in thin]
    hull = rh.stratify(dict(zip(NAMES, named, strict=True)))
    # (big + 1) / big is steeper than (big + 2) / (big + 1), and equals (2 big + 2) / (2 big).
    assert hull.fp.tolist()[:3] == [0, 3 * big, 4 * big + 1]
    assert hull.positions(1).tolist() == [1, 0, 1]


def _rules(k: int) -> tuple[tuple[rh.conditions.Rule, ...], ...]:
    inner = ((rh.conditions.Rule("threshold", None, float(k - i)),) for i in range(1, k - 1))
    return ((rh.conditions.Rule("never"),), *inner, (rh.conditions.Rule("always"),))


def test_errors_name_the_segment() -> None:
    y, s = rh.datasets.make_fawcett()
    with pytest.raises(ValueError, match="hulls is empty"):
        rh.stratify({})
    with pytest.raises(ValueError, match="hulls must be a mapping of segments to hulls, but is a list"):
        rh.stratify([rh.roc_hull(y, s)])  # type: ignore[arg-type]
    for wrong in (None, rh.stratify({"x": rh.roc_hull(y, s)})):
        with pytest.raises(ValueError, match="hulls\\['a'\\] must be the hull of a segment"):
            rh.stratify({"a": wrong})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="there are 1 segments, but 0 rules"):
        rh.conditions.SegmentedRule(segments=("a",))
    with pytest.raises(ValueError, match="hulls\\['b'\\] is of given rates"):
        rh.stratify({"a": rh.roc_hull(y, s), "b": rh.RocHull.from_rates([0.1], [0.5])})
    with pytest.raises(ValueError, match="some are of weighted examples"):
        rh.stratify({"a": rh.roc_hull(y, s), "b": rh.roc_hull(y, s, sample_weight=np.ones(len(y)) / 3)})
    hull = rh.stratify({"a": rh.roc_hull(y, s)})
    with pytest.raises(AttributeError, match="thresholds for each segment"):
        _ = hull.thresholds
    rule = hull.owners[1][0]
    with pytest.raises(ValueError, match="segment='z' is not one of 'a'"):
        rule.of("z")  # type: ignore[attr-defined]


def test_it_is_a_value() -> None:
    y, s = rh.datasets.make_fawcett()
    hull = rh.stratify({"a": rh.roc_hull(y, s), "b": rh.roc_hull(y, s)})
    again = pickle.loads(pickle.dumps(hull))
    assert list(again.owners) == list(hull.owners)
    assert hull.owners[1:3] == (hull.owners[1], hull.owners[2])
    assert repr(hull) == f"StratifiedHull({len(hull)} vertices, AUC {hull.auc():.6g})"


def test_repr_says_that_it_is_stratified() -> None:
    hull = rh.stratify({"a": rh.roc_hull([1, 1, 0, 0], [4, 3, 2, 1])})
    assert repr(hull).startswith("StratifiedHull(")
    assert repr(hull.segments["a"]).startswith("RocHull(")
