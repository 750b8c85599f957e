"""Policies by segment, by group and of several classes look at a batch as well."""

import json
import math

import numpy as np
import pytest

import rochull as rh
from rochull.decisions.batch_check import MisfitError, checks_noted
from rochull.decisions.kinds import Sight
from rochull.decisions.plan_kinds import ClassKind
from rochull.decisions.promises import LEAST_CASES, beyond

COST = rh.ExpectedCost(1, 5, 0.2)
MIX = (0.6, 0.3, 0.1)  # of the segments


def in_segments(n, prevalence, seed):
    rng = np.random.default_rng(seed)
    y, kind = np.arange(n) < round(n * prevalence), rng.choice(3, size=n, p=MIX)
    logits = rng.normal(1.5 * y * (1 - 0.3 * kind) - 1.5 + 0.4 * kind)
    return y, {"score": 1 / (1 + np.exp(-logits)), "kind": np.array(["x", "y", "z"])[kind]}


def hulls(n=4_000, seed=0):
    y, table = in_segments(n, 0.3, seed)
    rows = {name: table["kind"] == name for name in ("x", "y", "z")}
    return {name: rh.roc_hull(y[own], table["score"][own]) for name, own in rows.items()}


@pytest.fixture(scope="module")
def by_segment():
    return rh.segments.SegmentPolicy.from_hulls(hulls(), column="kind")


@pytest.fixture(scope="module")
def by_group():
    return rh.constrain_groups(hulls(), COST, "demographic_parity").policy("kind")


def looked(decide):
    """What the look at a batch found, which is decided."""
    with checks_noted() as found:
        decide()
    return found[-1]


def changed(table, **columns):
    return {**table, **columns}


# --- segments -------------------------------------------------------------------------------------------


def test_segments_are_counted_row_by_row(by_segment):
    [kind] = by_segment.watch().kinds
    _, table = in_segments(300, 0.3, 1)
    plan = by_segment.plan(COST)
    held = by_segment.decider.read(plan, table).known_of_all(["score"])
    rules = [kind.rules_at(vertex) for vertex in kind.cuts]
    cases = list(zip(table["score"], ["xyz".index(name) for name in table["kind"]], strict=True))
    slow = [sum(_passes(own[place], score) for score, place in cases) for own in rules]
    assert kind.counted(Sight.of(held, None)) == [300, *slow]
    shares = [(kind.pos[v - 1], kind.neg[v - 1]) for v in kind.cuts]
    points = [(by_segment.hull.tp[v], by_segment.hull.fp[v]) for v in kind.cuts]
    units = by_segment.hull.units
    assert shares == [(tp / units.pos, fp / units.neg) for tp, fp in points]


def _passes(rule, score):
    return score >= rule.lowest


@pytest.mark.parametrize("prevalence", [0, 0.3, 0.9])
def test_segments_at_any_prevalence(by_segment, prevalence):
    _, table = in_segments(2_000, prevalence, 2)
    assert looked(lambda: by_segment.decide(table, COST)).pvalue > 0.01


def test_segments_of_another_kind(by_segment):
    _, table = in_segments(2_000, 0.3, 2)
    percent = changed(table, score=100 * table["score"])
    asked = COST, rh.Capacity(cases=20), {"x": 3, "y": 0, "z": 1}
    for condition in asked:
        with pytest.warns(rh.MisfitWarning, match="'score' are not a mixture of the classes"):
            by_segment.decide(percent, condition, random_state=0)
        with pytest.raises(MisfitError):
            by_segment.decide(percent, condition, random_state=0, on_misfit="refuse")
        by_segment.decide(percent, condition, random_state=0, on_misfit="ignore")
        by_segment.decide(table, condition, random_state=0)
    rows = table["kind"] == "z"
    alone = {name: np.tile(column[rows], 10) for name, column in table.items()}
    with pytest.warns(rh.MisfitWarning, match="of one part of what was learnt, such as one region"):
        by_segment.decide(alone, COST)


def test_segments_whose_scores_are_not_all_there_are_not_tested(by_segment):
    _, table = in_segments(2_000, 0.3, 2)
    [kind] = by_segment.watch().kinds
    unread = np.where(table["kind"] == "x", np.nan, table["score"])  # as if no rule needed them
    for score in (unread, lambda rows: table["score"][rows]):
        read = by_segment.decider.read(by_segment.plan(COST), changed(table, score=score))
        assert kind.counted(Sight.of(read.known_of_all(["score"]), None)) is None
    asked = changed(table, score=lambda rows: table["score"][rows])
    assert looked(lambda: by_segment.decide(asked, COST)).pvalue > 0.01  # of what is flagged


def test_several_classifiers_by_segment_are_not_tested():
    own = {name: hull.named(name) for name, hull in hulls().items()}
    policy = rh.segments.SegmentPolicy.from_hulls(own, column="kind")
    assert policy.watch().kinds == ()


# --- groups ---------------------------------------------------------------------------------------------


def test_groups_are_compared_with_their_own_counts(by_group):
    _, table = in_segments(2_000, 0.6, 3)
    found = looked(lambda: by_group.decide(table, random_state=0))
    decided, slow = by_group.decide(table, random_state=0), []
    for name, rates in zip(by_group.points, by_group.rates, strict=True):
        rows = table["kind"] == name
        of_pos = rates["tpr"] * rates["n_pos"], rates["n_pos"]
        of_neg = rates["fpr"] * rates["n_neg"], rates["n_neg"]
        slow.append(beyond(int(decided[rows].sum()), int(rows.sum()), (of_pos, of_neg)))
    assert found.pvalue == min(1.0, 3 * min(slow))
    assert found.pvalue > 0.01
    percent = changed(table, score=100 * table["score"])
    with pytest.warns(rh.MisfitWarning, match="not a mixture of the classes"):
        by_group.decide(percent, random_state=0)
    with pytest.raises(MisfitError):
        by_group.decide(percent, random_state=0, on_misfit="refuse")
    assert by_group.decide(percent, random_state=0, on_misfit="ignore").all()
    few = {name: column[:LEAST_CASES] for name, column in percent.items()}
    assert math.isnan(looked(lambda: by_group.decide(few, random_state=0)).pvalue)


def test_what_groups_know_is_in_the_document(by_group):
    document = json.loads(by_group.to_json())
    counts = [(each["n_neg"], each["n_pos"]) for each in document["rates"]]
    assert counts == [(hull.n_neg, hull.n_pos) for hull in hulls().values()]
    again = rh.groups.GroupPolicy.from_json(by_group.to_json())
    assert again.rates == by_group.rates
    assert again.watch().kinds[0].called == by_group.watch().kinds[0].called
    bare = rh.groups.GroupPolicy.of_groups(by_group.points, "kind")
    assert "n_pos" not in bare.to_json()
    assert rh.groups.GroupPolicy.from_json(bare.to_json()).watch().kinds == ()


def test_groups_of_weights_are_not_tested():
    y, table = in_segments(600, 0.3, 0)
    hull = rh.roc_hull(y, table["score"], sample_weight=np.full(y.size, 0.5))
    policy = rh.constrain_groups({"x": hull, "y": hull}, COST, "none").policy("kind")
    assert policy.watch().kinds == ()


# --- several classes ------------------------------------------------------------------------------------


def outputs(n, shares, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, size=n, p=shares)
    x = rng.normal(size=(n, 3))
    x[np.arange(n), y] += 1.8
    return y, np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def of_classes():
    rng = np.random.default_rng(0)
    roc = rh.MulticlassRoc(*outputs(5_000, (0.3, 0.3, 0.4), 0))
    return rh.multiclass.MulticlassPolicy.from_points(roc.points_at(np.exp(0.5 * rng.normal(size=(9, 3)))))


def test_classes_are_counted_row_by_row(of_classes):
    [kind] = of_classes.watch().kinds
    _, table = outputs(200, (0.2, 0.2, 0.6), 1)
    read = of_classes.decider.read(of_classes.plan([1, 1, 1]), dict(enumerate(table.T)))
    found = kind.counted(Sight.of(read.known_of_all(()), None))
    slow = [[0] * 3 for _ in kind.chosen]
    for own, k in zip(slow, kind.chosen, strict=True):
        for row in table:
            own[int(np.argmax(of_classes.points.weights[k] * row))] += 1
    assert found == [count for own in slow for count in own]


@pytest.mark.parametrize("shares", [(1, 0, 0), (0.1, 0.8, 0.1), (0.3, 0.3, 0.4)])
def test_classes_at_any_prevalence(of_classes, shares):
    _, table = outputs(3_000, shares, 2)
    assert looked(lambda: of_classes.decide(table, [1, 1, 1])).pvalue > 0.01


def test_classes_of_another_kind(of_classes):
    _, table = outputs(3_000, (0.3, 0.3, 0.4), 2)
    for other in (1 - table, table**0.5, np.tile([0.4, 0.3, 0.3], (3_000, 1))):
        with pytest.warns(rh.MisfitWarning, match="not a mixture of the classes"):
            of_classes.decide(other, [1, 1, 1])
        with pytest.raises(MisfitError):
            of_classes.decide(other, [1, 1, 1], on_misfit="refuse")
    of_classes.decide(100 * table, [1, 1, 1])  # decided alike
    assert math.isnan(looked(lambda: of_classes.decide(table[:49], [1, 1, 1])).pvalue)


def test_sums_of_shares_are_those_of_any_mixture(of_classes):
    """Given the rates of the classes exactly, a mixture of them has no excess anywhere."""
    confusion = np.array([[[80, 10, 10], [10, 80, 10], [5, 15, 80]], [[60, 20, 20], [5, 90, 5], [0, 10, 90]]])
    kind = ClassKind(("a", "b", "c"), np.ones((2, 3)), confusion * 100)
    mixed = np.array([0.2, 0.3, 0.5]) @ (confusion * 100)
    assert kind.judged([round(count) for count in mixed.ravel()]) == 1.0
    wrong = np.array([[5_000, 3_000, 2_000], [5_000, 3_000, 2_000]])
    assert kind.judged(wrong.ravel().tolist()) < 1e-6
    weighted = rh.multiclass.MulticlassPolicy.from_points(
        rh.MulticlassRoc(*outputs(90, (0.3, 0.3, 0.4), 0), sample_weight=np.full(90, 0.5)).points_at(
            [1, 1, 1]
        )
    )
    assert weighted.watch().kinds == ()


def test_undrifted_batches_are_let_be():
    """Of policies that know little, and batches at whatever prevalences."""
    rng = np.random.default_rng(5)
    for draw in range(12):
        roc = rh.MulticlassRoc(*outputs(120, (0.2, 0.4, 0.4), draw))
        points = roc.points_at(np.exp(rng.normal(size=(6, 3))))
        [kind] = rh.multiclass.MulticlassPolicy.from_points(points).watch().kinds
        for size in (60, 5_000):
            batch = outputs(size, rng.dirichlet(np.ones(3)), 100 + draw)[1]
            called = [np.argmax(batch * points.weights[k], axis=1) for k in kind.chosen]
            counts = np.concatenate([np.bincount(own, minlength=3) for own in called])
            assert kind.judged(counts.tolist()) > 5e-4
