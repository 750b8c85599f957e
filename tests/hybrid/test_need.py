"""A hybrid says when it is not needed."""

import numpy as np
import pytest

import rochull as rh
from rochull.hybrid.need import Need

COSTS = rh.ExpectedCost(1, 2, 0.4)


def sample(seed: int, *, apart: bool, n: int = 1500) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Two classifiers: alike, or each blind where the other one sees (then mixtures of rules do not help)."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a = rng.normal(1.2 * y)
    b = a + rng.normal(0, 0.3, n) if not apart else rng.normal(0.2 * y)
    return y, {"a": a, "b": b}


def judged(
    y: np.ndarray, scores: dict[str, np.ndarray], condition: rh.ExpectedCost = COSTS
) -> tuple[rh.Hybrid, Need]:
    hybrid = rh.Hybrid()
    for name, score in scores.items():
        hybrid.add(name, y, score)
    return hybrid, hybrid.need(condition, y, scores)


def test_equal_classifiers_cannot_be_told_apart() -> None:
    """In-sample the hybrid is never worse; held out it is not better, and the test keeps its size."""
    found = [judged(*sample(seed, apart=False))[1] for seed in range(12)]
    assert sum(one.is_needed for one in found) <= 1
    assert all(one.pvalue <= 1 for one in found)


def test_the_best_member_alone_has_no_difference() -> None:
    y, scores = sample(1, apart=True)
    hybrid, found = judged(y, {"a": scores["a"]})
    assert (found.difference, found.error, found.pvalue, found.is_needed) == (0, 0, 1, False)
    assert str(hybrid) == "Hybrid(a)"


def test_costs_are_those_of_decisions_by_hand() -> None:
    y, scores = sample(2, apart=False, n=200)
    _, found = judged(y, scores)
    assert sum(found.members.values()) == 10
    assert 0 < found.hybrid < 0.6
    assert found.difference == pytest.approx(found.alone - found.hybrid)


def by_hand(y: np.ndarray, score: np.ndarray, n_repeats: int) -> list[np.ndarray]:
    """Which cases are flagged by rules that they did not choose, each time that they are parted."""
    rounds, rng = [], np.random.default_rng(0)
    for _ in range(n_repeats):
        folds, flagged = np.empty(y.size, int), np.empty(y.size)
        for label in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == label))
            folds[rows] = np.arange(rows.size) % 10
        for k in range(10):
            point = rh.roc_hull(y[folds != k], score[folds != k]).at(COSTS)
            flagged[folds == k] = score[folds == k] >= point.rules[0][0].threshold
        rounds.append(flagged)
    return rounds


def mean_and_error(y: np.ndarray, rounds: list[np.ndarray]) -> list[float]:
    """Of what cases cost each time that they were split, or of differences of that."""
    each = np.mean(rounds, axis=0)
    parts = [each[y == label] for label in (0, 1)]
    means = [sum(row[y == label].mean() for label in (0, 1)) for row in rounds]
    parted = np.var(means, ddof=1) / len(rounds) if len(rounds) > 1 else 0.0
    error = np.sqrt(sum(part.var(ddof=1) / part.size for part in parts) + parted)
    return [float(np.mean(means)), float(error)]


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_costs_and_their_errors_are_those_of_the_cases(n_repeats: int) -> None:
    """From the variance of what each case costs, class by class, and between partitions; rivals are paired with it."""

    def paid(flagged: np.ndarray) -> np.ndarray:
        return np.where(
            y, (1 - flagged) * 2 * 0.4, flagged * 0.6
        )  # what a case adds to the mean of its class

    y, scores = sample(4, apart=False, n=400)
    noise = np.random.default_rng(1).normal(0, 2, y.size)
    score, other = (1 / (1 + np.exp(-each)) for each in (scores["a"], scores["a"] + noise))
    columns = {"a": score, "b": 1 - other}
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, 1 - other, lower_is_positive=True)
    found = hybrid.need(COSTS, y, columns, n_repeats=n_repeats)
    assert found.members["b"] == 0  # so that the hybrid's rules are those of a
    held_out, of_other = ([paid(each) for each in by_hand(y, one, n_repeats)] for one in (score, other))
    cost, error = mean_and_error(y, held_out)
    assert found.hybrid == pytest.approx(cost)
    assert error <= found.hybrid_error < 1.5 * error  # by what halves tell of the choice of a threshold
    odds = (
        0.6 / (2 * 0.4) * y.mean() / (1 - y.mean())
    )  # of a positive case, at which both errors cost the same
    by_costs = odds / (1 + odds)
    rules = [("a", None), ("b", None), ("a", 0.5), ("a", by_costs), ("b", 0.5), ("b", 1 - by_costs)]
    for rival, (name, threshold) in zip(found.rivals, rules, strict=True):
        assert rival.classifier == name
        if rival.threshold is None or threshold is None:
            assert rival.threshold is threshold
            own = held_out if name == "a" else of_other
        else:
            assert rival.threshold == pytest.approx(threshold, rel=1e-5)
            flagged = score >= threshold if name == "a" else 1 - other <= threshold
            own = [paid(flagged)] * n_repeats
        assert rival.cost == pytest.approx(mean_and_error(y, own)[0])
        more = [theirs - mine for theirs, mine in zip(own, held_out, strict=True)]
        assert [rival.difference, rival.error] == pytest.approx(mean_and_error(y, more))
    assert (found.n_folds, found.n_repeats) == (10, n_repeats)
    assert sum(found.members.values()) == 10 * n_repeats


def test_scores_beyond_0_and_1_have_no_rule_that_no_data_chose() -> None:
    found = judged(*sample(4, apart=False, n=100))[1]
    assert [rival.threshold for rival in found.rivals] == [None, None]


def test_it_is_said_in_print_and_changes_nothing() -> None:
    y, scores = sample(3, apart=False)
    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"])
    printed = [
        "Hybrid(a, b)",
        "whether it is better than its best member: need(condition, y_true, scores)",
    ]
    assert str(hybrid).splitlines() == printed
    assert "cannot be told apart from its best member" in str(hybrid.need(COSTS, y, scores))
    assert str(hybrid).splitlines() == printed


def test_what_is_refused() -> None:
    y, scores = sample(4, apart=False, n=60)
    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"])
    for condition, given, message in (
        (rh.conditions.Youden(), scores, "condition must be an ExpectedCost, or a limit on a rate, but is"),
        (COSTS, {"a": scores["a"]}, "'b'"),
        (COSTS, {"a": scores["a"], "b": scores["b"][:5]}, "has 5 rows, but y_true has 60"),
    ):
        with pytest.raises(ValueError, match=message):
            hybrid.need(condition, y, given)
    with pytest.raises(ValueError, match="n_folds=40 needs 80 examples of each class"):
        hybrid.need(COSTS, y, scores, n_folds=40)
    with pytest.raises(ValueError, match="n_repeats must be an integer of at least 1"):
        hybrid.need(COSTS, y, scores, n_repeats=0)


def test_reversed_scores_are_told_once_a_column() -> None:
    y, scores = sample(3, apart=True, n=400)
    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["a"])
    with pytest.warns(UserWarning, match="the AUC is") as told:
        hybrid.need(COSTS, 1 - np.asarray(y), {"a": scores["a"], "b": scores["a"]})
    assert [str(each.message).split(":")[0] for each in told] == ["scores['a']", "scores['b']"]


def test_limits_are_judged_by_what_they_leave() -> None:
    """Costs within limits by the costs; a limit alone by what is missed, or wrongly flagged."""
    y, scores = sample(4, apart=False, n=600)
    hybrid, free = judged(y, scores)
    within = hybrid.need(rh.Within(COSTS, [rh.FalsePositiveRate() <= 0.1]), y, scores)
    assert within.hybrid > free.hybrid
    missed = hybrid.need(rh.NeymanPearson(0.1), y, scores).hybrid
    assert 0 < missed < hybrid.need(rh.NeymanPearson(0.01), y, scores).hybrid < 1
    assert hybrid.need(rh.Capacity(fraction=0.1), y, scores).hybrid > missed
    wrong = hybrid.need(rh.MinimumRecall(0.8), y, scores).hybrid
    assert wrong < hybrid.need(rh.MinimumRecall(0.95), y, scores).hybrid


def test_clusters_are_kept_together_and_errors_are_theirs() -> None:
    """Each case three times is the same cases: errors stay, where without clusters they would shrink."""
    y, scores = sample(4, apart=False, n=300)
    thrice = np.repeat(y, 3), {name: np.repeat(score, 3) for name, score in scores.items()}
    hybrid = rh.Hybrid().add("a", thrice[0], thrice[1]["a"]).add("b", thrice[0], thrice[1]["b"])
    apart = hybrid.need(COSTS, *thrice)
    kept = hybrid.need(COSTS, *thrice, clusters=np.repeat(np.arange(300), 3))
    once = judged(y, scores)[1]
    assert kept.hybrid_error == pytest.approx(once.hybrid_error, rel=0.2)  # by other halves
    assert apart.hybrid_error < 0.7 * kept.hybrid_error
    with pytest.raises(ValueError, match="needs 20 clusters of each class, but one has"):
        hybrid.need(COSTS, *thrice, clusters=np.repeat(np.arange(18), 50))
