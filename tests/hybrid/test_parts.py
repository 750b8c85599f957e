"""What parts of a partition choose: against hulls and curves that are made anew of every part."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from rochull._core.validation import labelled
from rochull.conditions.rules import ALWAYS, NEVER, Rule
from rochull.hybrid import parts
from rochull.hybrid.parts import Cuts, PartRules, edges, parts_of, upper_hulls

SLOPES = np.array([0.0, 0.2, 1.0, 3.0, np.inf])
LIMITS = {
    "max_fpr": (np.array([0.0, 0.1, 0.5, 0.99]), rh.NeymanPearson),
    "min_recall": (np.array([0.01, 0.3, 0.5, 1.0]), rh.MinimumRecall),
    "fraction": (np.array([0.1, 0.4, 0.9]), lambda v: rh.Capacity(fraction=v, prevalence=0.3)),
}


@st.composite
def cases(draw: Any) -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Labels, scores with few values or many, and folds that each leave both classes."""
    n, values = draw(st.integers(8, 60)), draw(st.sampled_from([2, 5, 1000]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = (rng.random(n) < draw(st.sampled_from([0.2, 0.5, 0.9]))).astype(int)
    y[:4] = 0, 0, 1, 1
    folds = rng.integers(0, draw(st.integers(2, 4)), n)
    folds[:4] = 0, 1, 0, 1
    kind = draw(st.sampled_from([np.float64, np.float32, np.int64]))
    scores = {name: rng.integers(-values, values, n).astype(kind) for name in "abc"}
    return y, scores, np.unique(folds, return_inverse=True)[1]


def chosen_by(found: list[PartRules], cuts: list[Cuts]) -> list[list[Rule]]:
    joined = PartRules.joined(found)
    return [
        [cuts[j].rule(i) for j, i in zip(*rows, strict=True)]
        for rows in zip(joined.who.tolist(), joined.at.tolist(), strict=True)
    ]


def flags(rule: Rule, scores: dict[str, np.ndarray]) -> np.ndarray:
    size = next(iter(scores.values())).size
    if rule.constant is not None:
        return np.full(size, rule is ALWAYS)
    column = scores[str(rule.classifier)]
    return np.asarray(column <= rule.threshold if rule.lower_is_positive else column >= rule.threshold)


@given(cases(), st.sampled_from([1, 200, 1 << 20]))
def test_parts_choose_what_hulls_of_their_own_rows_do(given: Any, points: int) -> None:
    y, scores, folds = given
    cuts = [
        Cuts.of(name, labelled(y, each, None, None, lower_is_positive=name == "c"))
        for name, each in scores.items()
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "_POINTS", points)
        every = list(parts_of(cuts, folds))
    assert sum(len(left_out) for _, left_out in every) == folds.max() + 1
    hulls = [hull for some, _ in every for hull in some.hulls]
    unions = [hull for some, _ in every for hull in some.unions]
    slopes = [some.by_slope(SLOPES) for some, _ in every]
    limits = {kind: [some.by_limit(kind, v, 0.3) for some, _ in every] for kind, (v, _) in LIMITS.items()}
    rules = {kind: chosen_by(found, cuts) for kind, found in {"": slopes, **limits}.items()}
    for k in range(int(folds.max()) + 1):
        rest = folds != k
        hybrid = rh.Hybrid()
        for name, each in scores.items():
            hybrid.add(name, y[rest], each[rest], lower_is_positive=name == "c")
        for name, hull in hybrid.hulls.items():
            mine = hulls[k][name]
            assert (mine.fp.tolist(), mine.tp.tolist()) == (hull.fp.tolist(), hull.tp.tolist())
            assert [*mine.owners] == [*hull.owners]
        assert [*unions[k].owners] == [*hybrid.hull.owners]
        assert unions[k].fp.tolist() == hybrid.hull.fp.tolist()
        flatter = np.searchsorted(-edges(hybrid.hull), -SLOPES, side="left")
        assert rules[""][k] == [hybrid.hull.owners[i][0] for i in flatter.tolist()]
        for kind, (values, condition) in LIMITS.items():
            for value, rule in zip(values.tolist(), rules[kind][k], strict=True):
                best = hybrid.at(condition(value), deterministic=True)
                own = flags(rule, {name: each[rest] for name, each in scores.items()})
                fpr, tpr = own[y[rest] == 0].mean(), own[y[rest] == 1].mean()
                assert fpr == pytest.approx(best.fpr), (kind, value)
                assert tpr == pytest.approx(best.tpr), (kind, value)
    for kind, found in {"": slopes, **limits}.items():
        told = PartRules.joined(found).left_out
        for m in range(told.shape[1]):
            left_out = np.zeros(y.size, bool)
            for k, chosen in enumerate(rules[kind]):
                left_out[folds == k] = flags(chosen[m], scores)[folds == k]
            assert told[:, m].tolist() == [left_out[y == 0].sum(), left_out[y == 1].sum()]


@given(st.integers(1, 5), st.integers(2, 300), st.integers(0, 2**32))
def test_hulls_of_rows_are_those_of_each(rows: int, size: int, seed: int) -> None:
    steps = np.random.default_rng(seed).integers(0, 3, (2, rows, size))
    steps[:, :, 0] = 0
    steps[:, :, -1] += 1  # both classes are there
    x, y = steps.cumsum(axis=2)
    for at, *points in zip(upper_hulls(x, y), x, y, strict=True):
        corners = [tuple(point) for point in zip(*points, strict=True)]
        wanted: list[tuple[int, int]] = []
        for right, up in sorted(set(corners)):
            while len(wanted) > 1 and (up - wanted[-2][1]) * (wanted[-1][0] - wanted[-2][0]) >= (
                wanted[-1][1] - wanted[-2][1]
            ) * (right - wanted[-2][0]):
                wanted.pop()
            wanted.append((right, up))
        assert [corners[i] for i in at.tolist()] == wanted


def test_the_ends_are_the_constant_rules() -> None:
    cuts = Cuts.of("a", labelled([0, 1, 1, 0], [-0.0, 0.0, 2.0, 3.0], None, None))
    assert [cuts.rule(i) for i in (0, 3)] == [NEVER, ALWAYS]
    assert [cuts.rule(i).threshold for i in (1, 2)] == [2.0, 0.0]
    assert not np.signbit(cuts.level).any()
    assert cuts.place.tolist() == [1, 1, 0, 0]
