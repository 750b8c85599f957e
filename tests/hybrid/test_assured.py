"""Assured limits of the best of several classifiers: the promise is kept, and nothing else is changed."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.stats

import rochull as rh

FPR, RECALL = rh.NeymanPearson(0.1, confidence=0.9), rh.MinimumRecall(0.9, confidence=0.9)


def samples(
    rng: np.random.Generator, runs: int, n: int, m: int, shared: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Scores (runs, m, n) of negatives and positives, equally good classifiers, correlated by `shared`."""

    def draw(shift: float) -> np.ndarray:
        common = math.sqrt(shared) * rng.normal(size=(runs, 1, n))
        return common + math.sqrt(1 - shared) * rng.normal(size=(runs, m, n)) + shift

    return draw(0.0), draw(1.0)


def edges(negative: np.ndarray, condition: Any, confidence: float) -> np.ndarray:
    """The (k + 1)-th highest negative score (runs, m): the assured threshold is just above it."""
    n = negative.shape[2]
    allowed = replace(condition, confidence=confidence).allowed_errors(n)
    return np.partition(negative, n - 1 - allowed, axis=2)[:, :, n - 1 - allowed]


def chosen(values: np.ndarray, negative: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """The thresholds (runs,) of the classifiers with the highest true positive rates."""
    best = np.argmax(np.mean(positive > values[:, :, None], axis=2), axis=1)
    return values[np.arange(len(best)), best]


def hybrid_of(y: np.ndarray, scores: Any, **options: Any) -> rh.Hybrid:
    """A hybrid of classifiers, by name."""
    hybrid = rh.Hybrid()
    for name, column in scores.items():
        hybrid.add(name, y, column, **options)
    return hybrid


def four_of(seed: int) -> tuple[np.ndarray, rh.Hybrid]:
    """Labels, and four equally good classifiers on them."""
    rng, y = np.random.default_rng(seed), np.repeat([0, 1], 200)
    return y, hybrid_of(y, {name: rng.normal(size=400) + y for name in "abcd"}, curve=True)


# --- the promise ----------------------------------------------------------------------------------

RUNS = 3_000
NOISE = 3 * math.sqrt(0.9 * 0.1 / RUNS)


@pytest.mark.long
@pytest.mark.parametrize("shared", [0.0, 0.5, 0.95])
def test_violations_of_the_best_of_several(shared: float) -> None:
    """10 classifiers on 100 + 100 examples; a recall is the same with the classes exchanged."""
    rng = np.random.default_rng(11)
    negative, positive = samples(rng, RUNS, 100, 10, shared)
    naive = chosen(edges(negative, FPR, 0.9), negative, positive)
    corrected = chosen(edges(negative, FPR, 1 - 0.1 / 10), negative, positive)
    if shared < 0.9:  # choosing by the look of it breaks the promise, far beyond the noise
        assert np.mean(scipy.stats.norm.sf(naive) > 0.1) > 0.1 + 2 * NOISE
    assert np.mean(scipy.stats.norm.sf(corrected) > 0.1) <= 0.1 + NOISE
    fresh, _ = samples(rng, RUNS, 100, 10, shared)
    best = np.argmax(np.mean(positive > edges(negative, FPR, 0.9)[:, :, None], axis=2), axis=1)
    on_split = edges(fresh, FPR, 0.9)[np.arange(RUNS), best]
    assert np.mean(scipy.stats.norm.sf(on_split) > 0.1) <= 0.1 + NOISE
    # The split wastes nothing: its violations are those of one threshold.
    exactly = scipy.stats.binom.cdf(FPR.allowed_errors(100), 100, 0.1)
    assert np.mean(scipy.stats.norm.sf(on_split) > 0.1) == pytest.approx(exactly, abs=NOISE)


@pytest.mark.long
@pytest.mark.parametrize("condition", [FPR, RECALL], ids=["fpr", "recall"])
def test_violations_through_the_door(condition: Any) -> None:
    """The same of `Hybrid.at` and `Hybrid.assured`, end to end; and what the naive choice does."""
    rng = np.random.default_rng(5)
    runs, n, m = 120, 100, 6
    broken = {"plain": 0, "naive": 0, "bonferroni": 0, "separate split": 0}
    y = np.repeat([0, 1], n)

    def breaks(point: rh.conditions.OperatingPoint) -> bool:
        threshold = point.rules[0][0].threshold
        if condition is FPR:
            return threshold is not None and scipy.stats.norm.sf(threshold) > 0.1
        return threshold is not None and scipy.stats.norm.cdf(threshold - 1) > 0.1

    for _ in range(runs):
        (negative, positive), (other_negative, other_positive) = (
            samples(rng, 1, n, m, 0.0) for _ in range(2)
        )
        scores = {f"c{j}": np.append(negative[0, j], positive[0, j]) for j in range(m)}
        split = {f"c{j}": np.append(other_negative[0, j], other_positive[0, j]) for j in range(m)}
        hybrid = hybrid_of(y, scores, curve=True)
        choice = hybrid.assured(condition)
        assert hybrid.at(condition) == choice.point
        single = [hull.at(condition) for hull in hybrid.hulls.values()]
        naive = max(single, key=lambda p: p.tpr if condition is FPR else -p.fpr)
        broken["plain"] += breaks(choice.plain)
        broken["naive"] += breaks(naive)
        broken[choice.method] += breaks(choice.point)
        on_split = hybrid.assured(condition, y, split)
        broken[on_split.method] += breaks(on_split.point)
    most = runs * 0.1 + 3 * math.sqrt(runs * 0.09)
    assert broken["plain"] > runs / 2  # the best of six at the plain limit
    assert broken["naive"] > most
    assert broken["bonferroni"] <= most
    assert 0 < broken["separate split"] <= most


@pytest.mark.long
def test_violations_of_what_a_restriction_keeps() -> None:
    """Left out by the same examples, a classifier was still one of the candidates."""
    rng = np.random.default_rng(8)
    runs, n, m = 150, 100, 20
    y, broken, forgetful = np.repeat([0, 1], n), 0, 0
    for _ in range(runs):
        negative, positive = samples(rng, 1, n, m, 0.0)
        scores = {f"c{j}": np.append(negative[0, j], positive[0, j]) for j in range(m)}
        hybrid = hybrid_of(y, scores, curve=True)
        kept = hybrid.restrict(rh.NeymanPearson(0.1)).hybrid
        choice = kept.assured(FPR)
        assert (choice.n_candidates, choice.method) == (m, "bonferroni")
        broken += choice.threshold is not None and scipy.stats.norm.sf(choice.threshold) > 0.1
        naive = rh.hybrid.AssuredChoice.from_hulls(kept.hulls, FPR).threshold
        forgetful += naive is not None and scipy.stats.norm.sf(naive) > 0.1
    most = runs * 0.1 + 3 * math.sqrt(runs * 0.09)
    assert forgetful > most
    assert broken <= most


def test_a_restriction_remembers_all_candidates() -> None:
    y, hybrid = four_of(3)
    for kept in (
        hybrid.without(["a", "b"]),
        hybrid.without(["a", "b", "c"]),
        hybrid.without("a").hybrid.without("b").hybrid.restrict(keep=["c"]),
    ):
        assert kept.hybrid.assured(FPR).n_candidates == 4
        assert kept.hybrid.at(FPR) == kept.hybrid.assured(FPR).point
        assert kept.hybrid.assured(FPR).allowed == replace(FPR, confidence=0.975).allowed_errors(200)
    more = hybrid.without("a").hybrid.add("e", y, np.random.default_rng(5).normal(size=400))
    assert more.assured(FPR).n_candidates == 5
    with pytest.raises(rh.InfeasibleConditionError, match="for the best of 4 classifiers"):
        hybrid.without(["a", "b", "c"]).hybrid.at(rh.NeymanPearson(0.01, confidence=0.9))
    for n in (0, 3, 4.0):
        with pytest.raises(ValueError, match=r"^n_candidates must be an integer of at least 4"):
            rh.hybrid.AssuredChoice.from_hulls(hybrid.hulls, FPR, n_candidates=n)  # type: ignore[arg-type]


def test_a_row_of_the_regret_table_is_assured_whichever_is_picked() -> None:
    _, hybrid = four_of(4)
    table, each = hybrid.regret(FPR), replace(FPR, confidence=0.975)
    assert {name: row.point for name, row in table.items()} == {
        name: hull.at(each) for name, hull in hybrid.hulls.items()
    }
    assert min(row.worst for row in table.values()) == 0  # the best of them is the hybrid's own
    assert hybrid.without("a").loss(FPR) >= 0


# --- the choice -----------------------------------------------------------------------------------


def by_hand(y: np.ndarray, score: np.ndarray) -> list[tuple[float, float, float]]:
    """(fpr, tpr, threshold) of every rule, and of "never"."""
    rules = [(float(np.mean(score[y == 0] >= t)), float(np.mean(score[y == 1] >= t)), t) for t in set(score)]
    return [(0.0, 0.0, math.inf), *rules]


@pytest.mark.parametrize("seed", range(10))
def test_the_best_of_several_by_hand(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], [130, 90])
    scores = {name: np.round(rng.normal(size=220) + y, 1 + seed % 3) for name in ("a", "b", "c")}
    hybrid = hybrid_of(y, scores, curve=True)
    points = [rule for column in scores.values() for rule in by_hand(y, column)]
    few = rh.NeymanPearson(0.1, confidence=1 - 0.1 / 3).allowed_errors(130)
    choice = hybrid.assured(FPR)
    assert (choice.point.tpr, -choice.point.fpr) == max(
        (t, -f) for f, t, _ in points if round(f * 130) <= few
    )
    assert (choice.plain.tpr, -choice.plain.fpr) == max((t, -f) for f, t, _ in points if f <= 0.1)
    assert (choice.n, choice.allowed, choice.n_candidates) == (130, few, 3)
    assert choice.confidence_each == pytest.approx(1 - 0.1 / 3, rel=1e-15)
    assert (choice.point.fpr, choice.point.tpr, choice.threshold) in by_hand(
        y, scores[choice.classifier or ""]
    )
    errors = round(choice.plain.fpr * 130)
    wanted = max(0.0, 1 - 3 * scipy.stats.binom.cdf(errors, 130, 0.1))
    assert choice.plain_confidence == pytest.approx(wanted, abs=1e-12)
    few = rh.MinimumRecall(0.9, confidence=1 - 0.1 / 3).allowed_errors(90)
    choice = hybrid.assured(RECALL)
    best = max((-f, t) for f, t, _ in points if round((1 - t) * 90) <= few)
    assert (-choice.point.fpr, choice.point.tpr) == best
    assert -choice.plain.fpr == max(-f for f, t, _ in points if t >= 0.9)
    errors = round((1 - choice.plain.tpr) * 90)
    assert choice.plain_confidence == max(0.0, 1 - 3 * scipy.stats.binom.cdf(errors, 90, 0.1))


def test_a_separate_split_by_hand() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat(["no", "yes"], [150, 120])
    scores = {
        name: rng.normal(size=270) + gain * (y == "yes")
        for name, gain in zip("abc", (1, 2, 0.5), strict=True)
    }
    hybrid = hybrid_of(y, scores, pos_label="yes")
    labels = np.repeat(["no", "yes"], [80, 30])
    column = rng.normal(size=110) + 2 * (labels == "yes")
    choice = hybrid.assured(FPR, labels, {"b": column}, pos_label="yes")  # the others are not needed
    few = FPR.allowed_errors(80)
    assert (choice.classifier, choice.method, choice.n_candidates) == ("b", "separate split", 3)
    assert (choice.n, choice.allowed, choice.confidence_each) == (80, few, 0.9)
    points = by_hand(labels == "yes", column)
    assert (choice.point.tpr, -choice.point.fpr) == max((t, -f) for f, t, _ in points if round(f * 80) <= few)
    assert (choice.plain.tpr, -choice.plain.fpr) == max((t, -f) for f, t, _ in points if f <= 0.1)
    for table in (
        pd.DataFrame({"b": column}),
        pl.DataFrame({"b": column}),
        pl.DataFrame({"b": column}).to_arrow(),
    ):
        assert hybrid.assured(FPR, labels, table, pos_label="yes") == choice


def test_a_split_judges_classifiers_that_have_only_rates() -> None:
    hybrid = rh.Hybrid().add_point("rough", 0.3, 0.5).add_point("sharp", 0.02, 0.9)
    y = np.repeat([0, 1], 100)
    answers = np.concatenate([np.arange(100) < 2, np.arange(100) < 90]).astype(int)
    choice = hybrid.assured(FPR, y, {"sharp": answers})
    assert (choice.classifier, choice.threshold, choice.point.fpr) == ("sharp", 1, 0.02)
    choice = hybrid.assured(rh.NeymanPearson(0.02, confidence=0.8), y, {"sharp": answers})
    assert str(choice.point) == "fpr 0, tpr 0: never"  # two errors are too many
    assert (choice.classifier, choice.threshold) == (None, None)
    assert choice.plain.fpr == 0.02
    with pytest.raises(
        ValueError, match="classifier 'rough' has only operating points; give y_true and scores"
    ):
        hybrid.at(FPR)


def test_one_classifier_is_not_corrected() -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 200)
    score = rng.normal(size=400) + y
    held = rh.RocHull.from_curve(rh.roc_curve(y, score))
    choice = rh.Hybrid().add("a", y, score, curve=True).assured(FPR)
    assert (choice.method, choice.n_candidates, choice.confidence_each) == ("single", 1, 0.9)
    alone = rh.hybrid.AssuredChoice.from_hulls(held, FPR)
    assert alone.point == held.at(FPR)
    assert alone.classifier is None
    assert (alone.point.fpr, alone.point.tpr, alone.threshold) == (
        choice.point.fpr,
        choice.point.tpr,
        choice.threshold,
    )
    assert alone.plain == held.at(rh.NeymanPearson(0.1), deterministic=True)
    assert 0.3 < alone.plain_confidence < 0.7
    # Vertices are as safe and less powerful; the thinned curve of a hybrid comes close to the complete one.
    vertices = rh.hybrid.AssuredChoice.from_hulls(replace(held, curves={}), FPR)
    thinned = rh.Hybrid().add("a", y, score).assured(FPR)
    assert vertices.point.tpr <= thinned.point.tpr <= choice.point.tpr
    assert thinned.point.tpr >= choice.point.tpr - 0.01
    assert vertices.point.fpr * 200 <= choice.allowed


def test_a_policy_decides_at_the_assured_point() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 200)
    scores = {"a": rng.normal(size=400) + y, "b": rng.normal(size=400) + 2 * y}
    hybrid = rh.Hybrid().add("a", y, scores["a"]).add("b", y, scores["b"])
    point = hybrid.at(FPR)
    called = hybrid.policy().decide(scores, point)
    assert called.tolist() == (scores["b"] >= point.rules[0][0].threshold).tolist()
    assert np.mean(called[y == 0]) == point.fpr
    with pytest.raises(ValueError, match=r"^confidence=0.9 needs the examples, which a policy .* Hybrid\.at"):
        hybrid.policy().at(FPR)


def test_the_limit_that_nothing_breaks() -> None:
    y = np.repeat([0, 1], 5)
    hybrid = rh.Hybrid().add("a", y, np.arange(10.0)).add("b", y, np.arange(10.0)[::-1])
    choice = hybrid.assured(rh.NeymanPearson(1, confidence=0.999))
    assert (choice.point.fpr, choice.point.tpr, choice.plain_confidence) == (0, 1, 1)


def test_as_text() -> None:
    y = np.repeat([0, 1], 50)
    hybrid = rh.Hybrid().add("a", y, np.arange(100.0)).add("b", y, np.arange(100.0) % 7)
    assert str(hybrid.assured(FPR)).splitlines() == [
        "assured: fpr 0, tpr 1: a >= 50",
        "plain:   fpr 0, tpr 1: a >= 50",
        "         (of its population rate the same bound promises 99%)",
        "bonferroni: 2 candidates, at most 1 errors among 50",
    ]


# --- what is refused ------------------------------------------------------------------------------


def test_too_few_examples_and_how_many_it_takes() -> None:
    y = np.repeat([0, 1], [40, 30])
    hybrid = hybrid_of(y, {name: np.arange(70.0) for name in "abcde"})
    needed = math.ceil(math.log(0.1 / 5) / math.log(0.9))  # 38
    assert hybrid.assured(FPR).allowed == 0 == 40 // needed - 1
    with pytest.raises(
        rh.InfeasibleConditionError,
        match=r"^confidence=0.9 cannot be reached with 30 positives for the best of 5 classifiers: "
        rf"it takes at least {needed}\.$",
    ):
        hybrid.at(RECALL)
    with pytest.raises(
        rh.InfeasibleConditionError, match=r"of 5 classifiers: no number of negatives is enough\.$"
    ):
        hybrid.at(rh.NeymanPearson(0, confidence=0.9))
    # A separate split needs fewer: log(0.1) / log(0.9) is 21.9.
    split = np.repeat([0, 1], [21, 22])
    column = {name: np.arange(43.0) for name in "abcde"}
    assert hybrid.assured(RECALL, split, column).allowed == 0
    with pytest.raises(rh.InfeasibleConditionError, match=r"with 21 negatives: it takes at least 22\.$"):
        hybrid.assured(FPR, split, column)


def test_bad_input() -> None:
    y, score = np.repeat([0, 1], 50), np.arange(100.0)
    hybrid = rh.Hybrid().add("a", y, score).add("b", y, score[::-1])
    for condition in (rh.NeymanPearson(0.1), rh.MinimumRecall(0.5), rh.Accuracy(0.5)):
        with pytest.raises(ValueError, match=r"^condition must have limits and a confidence"):
            hybrid.assured(condition)
    with pytest.raises(rh.ImpreciseConditionError, match=r"^max_fpr=\(0\.1, 0\.2\) is an interval"):
        hybrid.assured(rh.NeymanPearson((0.1, 0.2), confidence=0.9))
    for labels, scores, message in (
        (y, None, "^y_true and scores of a separate split must be given together"),
        (None, {"a": score}, "^y_true and scores of a separate split must be given together"),
        (y, {"b": score}, "scores has no column 'a', which is the chosen classifier; it has 'b'"),
        (y, score, "scores has no column 'a', .* it has no named columns"),
        (y, {"a": np.where(score == 3, np.nan, score)}, r"^scores\['a'\] .*NaN"),
        (np.zeros(100), {"a": score}, "one class only"),
    ):
        with pytest.raises(ValueError, match=message):
            hybrid.assured(FPR, labels, scores)
    with pytest.raises(ValueError, match="the hybrid is empty"):
        rh.Hybrid().at(FPR)
    weighted = rh.Hybrid().add("a", y, score, sample_weight=np.ones(100))
    with pytest.raises(
        ValueError, match=r"^confidence needs unweighted examples, but those of classifier 'a'"
    ):
        weighted.at(FPR)
    rates = rh.RocHull.from_rates([0.1], [0.9])
    with pytest.raises(
        ValueError, match=r"^confidence needs examples, but the hull has only operating points"
    ):
        rh.hybrid.AssuredChoice.from_hulls(rates, FPR)
