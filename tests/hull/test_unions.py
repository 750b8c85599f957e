"""The union of hulls against the hull of all their points."""

import itertools
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest

import rochull as rh
from profiles import some
from rochull._core.schemas import checksum
from rochull.hull.unions import is_beneath
from twins import curve_of, hull_of

LABELS = np.repeat([0, 1], [14, 11])


def scored(seed: int, labels: np.ndarray = LABELS) -> np.ndarray:
    """Scores with ties; the second half of a classifier's range may be better than the first."""
    rng = np.random.default_rng(seed)
    signal = np.where(rng.random(labels.size) < 0.5, rng.uniform(-0.5, 2.5), rng.uniform(-0.5, 2.5))
    return np.round(rng.normal(size=labels.size) + signal * labels, 1)


def points_of(hull: rh.RocHull) -> list[tuple[F, F]]:
    return [hull.frontier.point(i) for i in range(len(hull))]


def owners_of(hull: rh.RocHull) -> list[frozenset[rh.conditions.Rule]]:
    return [frozenset(rules) for rules in hull.owners]


def rates(points: list[tuple[F, F]], labels: np.ndarray = LABELS) -> list[tuple[F, F]]:
    n_pos = int(labels.sum())
    return [(F(x) / (labels.size - n_pos), F(y) / n_pos) for x, y in points]


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_union_is_the_hull_of_all_points_and_knows_all_owners(count: int) -> None:
    for seed in some(range(12), 3):
        scores = {f"c{i}": scored(100 * seed + i) for i in range(count)}
        union = rh.union({name: rh.roc_hull(LABELS, s) for name, s in scores.items()})
        every = {(0, 0), *(point for s in scores.values() for point in curve_of(LABELS, s))}
        expected = rates(hull_of(sorted(every)))
        assert points_of(union) == expected
        # Every vertex has exactly the rules that reach it, one for each classifier.
        for vertex, rules in zip(expected[1:-1], union.owners[1:-1], strict=True):
            reached = {
                rh.conditions.Rule("threshold", name, threshold)
                for name, s in scores.items()
                for threshold in set(s.tolist())
                if rates([counts(s, threshold)])[0] == vertex
            }
            assert set(rules) == reached
        assert union.owners[0] == (rh.conditions.Rule("never"),)
        assert union.owners[-1] == (rh.conditions.Rule("always"),)
        assert union.blocks is None


def counts(scores: np.ndarray, threshold: float) -> tuple[int, int]:
    called = scores >= threshold
    return int(np.sum(called & (LABELS == 0))), int(np.sum(called & (LABELS == 1)))


def test_any_order_and_any_grouping_give_the_same() -> None:
    for seed in range(6):
        hulls = {f"c{i}": rh.roc_hull(LABELS, scored(10 * seed + i)) for i in range(4)}
        whole = rh.union(hulls)
        for order in itertools.permutations(hulls):
            one_by_one = rh.union({order[0]: hulls[order[0]]})
            for name in order[1:]:
                one_by_one = rh.union({"so far": one_by_one, name: hulls[name]})
            assert points_of(one_by_one) == points_of(whole)
            assert owners_of(one_by_one) == owners_of(whole)
        halves = {"x": rh.union(dict(list(hulls.items())[:2])), "y": rh.union(dict(list(hulls.items())[2:]))}
        assert points_of(rh.union(halves)) == points_of(whole)
        assert owners_of(rh.union(halves)) == owners_of(whole)


def without_curve(seed: int) -> rh.RocHull:
    """A hull of the vertices alone; a curve would be wanted in every union."""
    return replace(rh.roc_hull(LABELS, scored(seed)), curves={})


def test_a_dominated_classifier_leaves_the_object_unchanged() -> None:
    unchanged = 0
    for seed in some(range(30), 6):
        hulls = {f"c{i}": without_curve(10 * seed + i) for i in range(3)}
        union = rh.union(hulls)
        for i in range(3, 6):
            other = without_curve(10 * seed + i)
            larger = rh.union({"so far": union, "new": other})
            contributes = "new" in larger.classifiers
            assert (larger is union) is not contributes
            unchanged += not contributes
            dominated = all(
                other.tpr[k] <= np.interp(other.fpr[k], union.fpr, union.tpr) + 1e-12
                for k in range(len(other))
            )
            assert dominated or contributes
    assert 10 < unchanged < 80
    useless = replace(rh.roc_hull(LABELS, np.zeros(LABELS.size)), curves={})
    assert rh.union({"so far": union, "useless": useless}) is union
    assert rh.union({"useless": useless, "so far": union}) is union


def test_area_is_at_least_that_of_every_component() -> None:
    for seed in some(range(20), 5):
        hulls = {f"c{i}": rh.roc_hull(LABELS, scored(10 * seed + i)) for i in range(3)}
        assert rh.union(hulls).auc() >= max(hull.auc() for hull in hulls.values())
        assert rh.union(hulls).auc() <= 1


def test_weights() -> None:
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 5, LABELS.size)
    scores = {f"c{i}": scored(i) for i in range(3)}
    weighted = rh.union({n: rh.roc_hull(LABELS, s, sample_weight=weights) for n, s in scores.items()})
    repeated = rh.union(
        {n: rh.roc_hull(np.repeat(LABELS, weights), np.repeat(s, weights)) for n, s in scores.items()}
    )
    assert points_of(weighted) == points_of(repeated)
    assert weighted.owners == repeated.owners
    odd = rng.gamma(1, size=LABELS.size)
    union = rh.union({n: rh.roc_hull(LABELS, s, sample_weight=odd) for n, s in scores.items()})
    every = {(0, 0), *(point for s in scores.values() for point in curve_of(LABELS, s, odd))}
    expected = hull_of([(F(x), F(y)) for x, y in every])
    totals = expected[-1]
    np.testing.assert_allclose(union.fpr, [float(x / totals[0]) for x, _ in expected], atol=1e-15)
    np.testing.assert_allclose(union.tpr, [float(y / totals[1]) for _, y in expected], atol=1e-15)


def test_other_examples_are_refused() -> None:
    a = rh.roc_hull(LABELS, scored(0))
    b = rh.roc_hull(LABELS[:-1], scored(1)[:-1])
    with pytest.raises(
        ValueError, match="'a' was scored on 11 positives and 14 negatives, but 'b' on 10 pos"
    ):
        rh.union({"a": a, "b": b})
    weighted = rh.roc_hull(LABELS, scored(1), sample_weight=np.full(25, 0.5))
    with pytest.raises(
        ValueError, match=r"but .w. on 5\.5 positives and 7 negatives by weight; a hybrid needs"
    ):
        rh.union({"a": a, "w": weighted})
    ones = rh.roc_hull(LABELS, scored(1), sample_weight=np.ones(25))
    with pytest.raises(ValueError, match="same examples"):
        rh.union({"a": a, "w": ones})
    point = rh.RocHull.from_rates([0.123], [0.987])
    with pytest.raises(ValueError, match="same examples"):
        rh.union({"a and p": rh.union({"a": a, "p": point}), "b": b})


def test_names() -> None:
    hull = rh.roc_hull(LABELS, scored(0))
    with pytest.raises(ValueError, match="hulls is empty"):
        rh.union({})
    with pytest.raises(ValueError, match="a name must be a string, but is 1"):
        rh.union({1: hull})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="a name must not be empty"):
        rh.union({"": hull})
    assert rh.union({"key": hull.named("own name")}).classifiers == ("own name",)


def test_points_that_are_counts_are_read_as_counts() -> None:
    """Every k/N, j/P is exact, small rates included, and changes nothing on a vertex or an edge."""
    labels = np.repeat([0, 1], [1000, 700])
    for seed in range(4):
        hull = rh.union({"a": rh.roc_hull(labels, scored(seed, labels))})
        reached = {(k, j) for k, j in zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)}
        ends = list(itertools.pairwise(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)))
        for (x0, y0), (x1, y1) in ends:
            g = np.gcd(x1 - x0, y1 - y0)
            reached |= {(x0 + (x1 - x0) // g * i, y0 + (y1 - y0) // g * i) for i in range(g)}
        united = hull
        for k, j in sorted(reached):
            united = rh.union({"so far": united, f"{k}, {j}": rh.RocHull.from_rates([k / 1000], [j / 700])})
        assert points_of(united) == points_of(hull)
        assert (united.n_neg, united.n_pos) == (1000, 700)
        for (k, j), rules in list(zip(zip(hull.fp, hull.tp, strict=True), united.owners, strict=True))[1:-1]:
            assert {rule.classifier for rule in rules} == {"a", f"{k}, {j}"}
    for k in range(1, 1000):
        point = rh.RocHull.from_rates([k / 1000], [1.0])
        united = rh.union({"useless": rh.roc_hull(labels, -labels), "p": point})
        assert (united.fp.tolist(), united.n_neg) == ([0, k, 1000], 1000)


def test_counts_stay_exact_beside_other_rates() -> None:
    """Points on an edge do not become vertices because some other point is no count."""
    a = rh.roc_hull([1, 1, 0, 0, 0], [5, 0, 5, 0, -1])  # points (1/3, 1/2) and (2/3, 1)
    assert points_of(a) == [(0, 0), (F(2, 3), 1), (1, 1)]
    strange = rh.RocHull.from_rates([0.0], [0.123456789])
    binary = rh.RocHull.from_rates([1 / 3], [1 / 2 + 0.123456789 / 4])
    united = rh.union({"a": a, "strange": strange})
    middle = points_of(united)
    assert middle[2:] == [(F(2, 3), 1), (1, 1)]
    assert abs(middle[1][1] - F("0.123456789")) < F(1, 2**53)
    assert rh.union({"so far": united, "on an edge": rh.RocHull.from_rates([2 / 3], [1.0])}).owners[2] == (
        rh.conditions.Rule("threshold", "a", 0),
        rh.conditions.Rule("threshold", "on an edge", 1.0),
    )
    assert rh.union({"so far": united, "inside": rh.RocHull.from_rates([1 / 3], [1 / 2])}) is united
    assert len(rh.union({"so far": united, "binary": binary})) in (4, 5)
    assert rh.union({"a": a, "inside": rh.RocHull.from_rates([1 / 3], [1 / 2])}).classifiers == ("a",)
    # Counts that are added later are exact too.
    later = rh.union({"so far": united, "b": rh.roc_hull([1, 1, 0, 0, 0], [5, 4, 5, 5, 4])})
    assert points_of(later) == middle


def test_rates_alone() -> None:
    x, y = [0.1, 0.3, 0.6, 0.2], [0.4, 0.8, 0.7, 0.6]
    united = rh.union({f"p{i}": rh.RocHull.from_rates([x[i]], [y[i]]) for i in range(4)})
    assert united.fpr.tolist() == [0, 0.1, 0.3, 1]  # (0.2, 0.6) lies on the edge, or below it by rounding
    assert united.tpr.tolist() == [0, 0.4, 0.8, 1]
    assert united.classifiers == ("p0", "p1")
    both = rh.union({"p": rh.RocHull.from_rates([0.1], [0.9]), "q": rh.RocHull.from_rates([0.1], [0.9])})
    assert [rule.classifier for rule in both.owners[1]] == ["p", "q"]


def test_rates_then_counts() -> None:
    points = rh.union({"p": rh.RocHull.from_rates([1 / 14], [5 / 11])})
    hull = rh.roc_hull(LABELS, np.where(LABELS == 1, np.arange(25) >= 20, np.arange(25) == 0).astype(int))
    assert points_of(hull)[1] == (F(1, 14), F(5, 11))
    united = rh.union({"points": points, "a": hull})
    assert points_of(united) == points_of(hull)
    assert {rule.classifier for rule in united.owners[1]} == {"p", "a"}


def test_single_thresholds_are_looked_for_on_every_curve_in_any_order() -> None:
    """Also on that of a dominated classifier: a point below the hull may be the best single threshold."""
    differs = 0
    for seed in some(range(20), 5):
        curves = {f"c{i}": rh.roc_curve(LABELS, scored(10 * seed + i)) for i in range(3)}
        hulls = {name: rh.RocHull.from_curve(curve) for name, curve in curves.items()}
        for limit in (0.1, 0.25, 0.5, 0.8):
            best = max(
                (y, -x) for c in curves.values() for x, y in zip(c.fpr, c.tpr, strict=True) if x <= limit
            )
            for order in itertools.permutations(hulls):
                united = rh.union({order[0]: hulls[order[0]]})
                for name in order[1:]:
                    united = rh.union({"so far": united, name: hulls[name]})
                point = united.at(rh.NeymanPearson(limit), deterministic=True)
                assert (point.tpr, -point.fpr) == best
                assert len(united.curves) == 3
            differs += point.classifiers != () and point.source == "curve"
    assert differs > 0


def test_curves_are_kept_beside_given_rates() -> None:
    curve = rh.roc_curve(LABELS, scored(3))
    hull = rh.RocHull.from_curve(curve)
    united = rh.union({"a": hull, "p": rh.RocHull.from_rates([0.01234], [0.2])})
    alone = hull.at(rh.NeymanPearson(0.4), deterministic=True)
    assert united.at(rh.NeymanPearson(0.4), deterministic=True).tpr >= alone.tpr


def test_integers_beyond_float64_stay_apart() -> None:
    y, big = [0, 1, 0, 1, 0, 1], 2**53
    hull = rh.roc_hull(y, np.array([0, 3, 1, 2, 4, 1]) + big)
    united = rh.union({"a": hull})
    assert united.thresholds[1:-1].tolist() == hull.thresholds[1:-1].tolist()
    assert {type(rule.threshold) for rules in united.owners[1:-1] for rule in rules} == {int}
    assert len(set(united.thresholds.tolist())) == len(united)


def test_many_classifiers() -> None:
    rng = np.random.default_rng(0)
    labels = np.append(rng.integers(0, 2, 298), [0, 1])
    scores = rng.normal(size=(200, 300)) + rng.uniform(0, 1.5, (200, 1)) * labels
    united = rh.union({f"c{i}": rh.roc_hull(labels, s) for i, s in enumerate(scores)})
    n_pos, n_neg = int(labels.sum()), int((1 - labels).sum())
    every = {(0, 0)}
    for s in scores:
        order = labels[np.argsort(-s)]
        every |= set(zip(np.cumsum(1 - order).tolist(), np.cumsum(order).tolist(), strict=True))
    top = {x: max(y for x0, y in every if x0 == x) for x in {x for x, _ in every}}
    expected = hull_of([(0, 0), *top.items()])
    assert points_of(united) == [(F(x, n_neg), F(y, n_pos)) for x, y in expected]


def test_a_hull_beneath_another_changes_nothing() -> None:
    """What is said to be beneath leaves the union as it was; most that leaves it as it was is said to be."""
    said = same = 0
    for seed in range(60):
        a, b = (without_curve(2 * seed + i).named(n) for i, n in enumerate("ab"))
        one = rh.union({"a": a})
        together = rh.union({"so far": one, "b": b})
        unchanged = together is one
        assert unchanged or not is_beneath(b, one)
        said, same = said + is_beneath(b, one), same + unchanged
    assert said == same > 5
    curve = rh.RocHull.from_curve(rh.roc_curve(LABELS, -LABELS)).named("b")
    assert not is_beneath(curve, one)  # its curve is wanted
    assert not is_beneath(rh.RocHull.from_rates([0.5], [0.4]).named("p"), one)  # on another scale
    assert not is_beneath(a, rh.union({"a": a}))  # it owns the vertices too


def test_hulls_need_names() -> None:
    with pytest.raises(TypeError, match="hulls must be a mapping of names to hulls, but is a list"):
        rh.union([rh.roc_hull([0, 1], [1, 2])])  # type: ignore[arg-type]


@pytest.mark.parametrize("n", [None, 1, 7, 357])
def test_a_given_rate_keeps_the_limit_that_it_is(n: int | None) -> None:
    """A rate of 0.05 is the decimal, as a limit of 0.05 is; both alone and beside counts out of n."""
    for percent in range(1, 100):
        rate = percent / 100
        for (fpr, tpr), limit in (
            ((rate, 0.999), rh.NeymanPearson(rate)),
            ((0.0001, rate), rh.MinimumRecall(rate)),
        ):
            hybrid = rh.Hybrid()
            if n is not None:
                hybrid.add("counted", np.arange(2 * n) % 2, np.ones(2 * n))
            hybrid.add_point("given", fpr, tpr)
            point = hybrid.at(limit)
            assert [str(rule) for rule, _ in point.rules] == ["given >= 1.0"], (percent, limit)
            assert point == hybrid.at(limit, deterministic=True)
            assert (point.fpr, point.tpr) == pytest.approx((fpr, tpr), abs=1e-15)


def test_documents_of_given_rates_and_counts_are_read_again() -> None:
    hybrid = rh.Hybrid().add("counted", np.arange(14) % 2, np.arange(14)).add_point("given", 0.05, 0.9)
    for hull in (hybrid.hull, rh.RocHull.from_rates([0.05], [0.9]).named("given")):
        policy = rh.Policy.from_hull(hull)
        again = rh.Policy.from_json(policy.to_json())
        assert again.to_json() == policy.to_json()
        assert again.hull.prevalence == hull.prevalence
    document = policy.to_dict()
    document["n_neg"] = document["n_pos"] = 1 << 60  # the grid was another once
    for point in document["points"]:
        point["fp"], point["tp"] = (round(point[key] / 10**18 * 2**60) for key in ("fp", "tp"))
    old = rh.Policy.from_dict(document | {"checksum": checksum(document)}).hull
    assert old.prevalence is None
    np.testing.assert_allclose(old.fpr, [0, 0.05, 1], atol=1e-15)
    assert rh.union({"old": old, "new": hybrid.hull}).auc() == pytest.approx(hybrid.hull.auc(), abs=1e-14)


@pytest.mark.parametrize("weight", [0.1, 0.125, 2.0**-60])
def test_weights_are_not_taken_for_rates(weight: float) -> None:
    """Whatever their units are: the unit of 0.1 four times is 2^-60, as that of given rates was once."""
    hull = rh.roc_hull([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[weight] * 4)
    assert hull.prevalence == rh.Policy.from_json(rh.Policy.from_hull(hull).to_json()).hull.prevalence == 0.5
    old = {
        name: value for name, value in rh.Policy.from_hull(hull).to_dict().items() if name != "given_rates"
    }
    assert rh.Policy.from_dict(old | {"checksum": checksum(old)}).hull.prevalence == 0.5
    assert rh.union({"weighted": hull}).prevalence == 0.5
    assert rh.stratify({"one": hull, "other": hull}).prevalence == 0.5


def test_a_document_says_that_it_holds_rates() -> None:
    policy = rh.Policy.from_hull(rh.RocHull.from_rates([0.05], [0.9]).named("given"))
    assert policy.to_dict()["given_rates"] is True
    assert rh.Policy.from_json(policy.to_json()).hull.units.are_rates
    counted = rh.Policy.from_hull(rh.roc_hull([0, 1, 0, 1], [1, 2, 3, 4]))
    assert "given_rates" not in counted.to_dict()


def test_a_prevalence_that_rounds_to_1_is_still_one() -> None:
    hull = rh.roc_hull([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=[1, 1e17, 1, 1e17])
    assert hull.prevalence is not None
    assert 1 - 1e-15 < hull.prevalence < 1
    assert hull.at(rh.MinimumPrecision(0.5)).tpr == 1
    assert rh.roc_hull([0, 1], [1, 2]).prevalence == 0.5
