"""VennAbers against refitting PAV for every score, its guarantee, and the venn-abers package."""

from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from adversaries import FAMILIES, KINDS, Array, labels_for, names
from profiles import tries
from rochull._core.kernels import hull as kernels
from rochull.calibration.venn_abers import both_labels_tried, merge, merge_folds
from rochull.hull.tallies import Tally
from twins import groups_of, pav, share

pytestmark = pytest.mark.filterwarnings("ignore:.*the AUC is:UserWarning")  # of whatever is drawn


def refitted(labels: Any, scores: Any, score: Any) -> tuple[Fraction, Fraction]:
    """(p0, p1) by definition: PAV of all examples and (score, 0), then of all and (score, 1)."""
    values = []
    for label in (0, 1):
        # As Python numbers, which compare exactly whatever their types.
        groups = groups_of([*labels, label], np.array([*scores.tolist(), score], dtype=object))
        row = [group[0] for group in groups].index(score)
        blocks = pav([int(p) for _, p, _ in groups], [int(q) for *_, q in groups])
        values += [share(block) for block in blocks if block[0] <= row <= block[1]]
    return values[0], values[1]


def questions(scores: Array, rng: np.random.Generator) -> Array:
    """Scores in, between, beside and beyond the given ones, in their type."""
    known = np.unique(scores)
    if scores.dtype.kind == "f":
        ends = np.array([-np.inf, np.inf], known.dtype)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            middle = known[:-1] / 2 + known[1:] / 2
            beside = [np.nextafter(known, end) for end in ends]
        asked = np.concatenate([known, middle, *beside, ends])
        asked = asked[~np.isnan(asked)]
    else:
        limits = np.iinfo(known.dtype)
        asked = np.array([limits.min, limits.max], known.dtype)
        asked = np.concatenate([asked, known, known[known < limits.max] + 1, known[known > limits.min] - 1])
    return rng.choice(asked, min(asked.size, 12), replace=False)


@given(names, KINDS, st.integers(2, 25), st.integers(0, 2**32))
def test_equals_one_refit_per_score(family: str, kind: str, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, size)
    labels = labels_for(scores, kind, rng)
    asked = questions(scores, rng)
    low, high = rh.VennAbers().fit(scores, labels).interval(asked)
    expected = [refitted(labels, scores, score) for score in asked.tolist()]
    # Not approximately: a quotient of two integers is rounded once.
    assert low.tolist() == [float(p0) for p0, _ in expected]
    assert high.tolist() == [float(p1) for _, p1 in expected]


def test_nothing_is_fitted_again_for_a_new_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """One hull and two passes over it when fitting; a new score is looked up."""
    calls: list[str] = []
    for name in ("upper_hull", "blocks_with_one_more", "merge_classes"):
        kernel = getattr(kernels, name)

        def counted(*arguments: Any, name: str = name, kernel: Any = kernel) -> Any:
            calls.append(name)
            return kernel(*arguments)

        monkeypatch.setattr(kernels, name, counted)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=2000)
    predictor = rh.VennAbers().fit(scores, (rng.random(2000) < 0.5).astype(int))
    assert sorted(calls) == ["blocks_with_one_more", "blocks_with_one_more", "merge_classes", "upper_hull"]
    calls.clear()
    low, high = predictor.interval(rng.normal(size=1000))
    assert (low < high).all()
    assert not calls


@given(names, KINDS, st.integers(2, 300), st.integers(0, 2**32))
def test_order(family: str, kind: str, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, size)
    labels = labels_for(scores, kind, rng)
    predictor = rh.VennAbers().fit(scores, labels)
    asked = np.sort(questions(scores, rng))
    low, high = predictor.interval(asked)
    assert np.all((low >= 0) & (low <= high) & (high <= 1))
    assert np.all(low < 1)  # the negative that was tried is in its block, ...
    assert np.all(high > 0)  # ... and so is the positive
    assert np.all(np.diff(low) >= 0)
    assert np.all(np.diff(high) >= 0)
    probability = predictor.posterior(asked)
    assert np.all((low <= probability + 1e-15) & (probability <= high + 1e-15))
    # PAV of the calibration examples alone lies in the interval of each of them.
    blocks = rh.roc_hull(labels, scores).blocks
    assert blocks is not None
    low, high = predictor.interval(blocks.low)
    assert np.all((low <= blocks.posterior) & (blocks.posterior <= high))


def test_between_and_beyond_the_calibration_scores() -> None:
    scores, labels = np.array([1.0, 2.0, 3.0, 4.0]), [0, 1, 0, 1]
    low, high = rh.VennAbers().fit(scores, labels).interval([0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5])
    # One more negative joins the next lower group, one more positive the next higher one.
    assert low.tolist() == [0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2]
    assert high.tolist() == [1 / 2, 1 / 2, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 1, 1, 1]


tables = st.lists(st.tuples(*[st.integers(0, 3) | st.integers(0, 2**56)] * 2), min_size=1, max_size=8)


@given(tables)
@tries(200)
def test_any_counts(table: list[tuple[int, int]]) -> None:
    """Exactly the blocks of PAV, at counts that floats cannot tell apart."""
    table = [(p, q) if p + q else (1, 0) for p, q in table]
    pos, neg = (np.array(column, np.int64) for column in zip(*table, strict=True))
    low, high = both_labels_tried(Tally(np.arange(len(table), 0.0, -1), pos, neg))
    for i in range(len(table)):
        for found, more in ((low, (0, 1)), (high, (1, 0))):
            raised = [(p + more[0] * (i == j), q + more[1] * (i == j)) for j, (p, q) in enumerate(table)]
            (block,) = (b for b in pav(*zip(*raised, strict=True)) if b[0] <= i <= b[1])
            assert found[i] == pytest.approx(float(share(block)), rel=1e-15)


@given(names, KINDS, st.integers(4, 40), st.integers(0, 2**32))
@tries(40)
def test_the_probability_of_the_true_label_is_calibrated_in_every_bag(
    family: str, kind: str, size: int, seed: int
) -> None:
    """The proof of validity, run: leave out each example of a bag in turn and look at p of its label.

    Exchangeable examples are equally likely to be the one that was left out. p_Y is then PAV of the whole
    bag, so that among the examples with p_Y = v the share of positives is v.
    """
    rng = np.random.default_rng(seed)
    scores = FAMILIES[family](rng, size)
    labels = labels_for(scores, kind, rng)
    for label in (0, 1):  # twice, so that both are left when one is out
        scores, labels = np.append(scores, scores[:2]), np.append(labels, [label, label])
    of_label = []
    for i in range(labels.size):
        others = np.arange(labels.size) != i
        interval = rh.VennAbers().fit(scores[others], labels[others]).interval(scores[i : i + 1])
        of_label.append(interval[labels[i]][0])
    for value in set(of_label):
        assert labels[np.array(of_label) == value].mean() == pytest.approx(value, abs=1e-12)


@pytest.mark.long
def test_validity_in_simulation() -> None:
    """E[Y - p_Y] = 0, over all and where p_Y is in a given range; it does not hold for either end alone."""
    rng = np.random.default_rng(20)
    draws, size = 20_000, 40
    scores = np.round(rng.random((draws, size)), 1)  # ties
    labels = (rng.random((draws, size)) < 0.2 + 0.6 * scores**3).astype(int)  # far from calibrated
    interval = np.empty((draws, 2))
    for i in range(draws):
        predictor = rh.VennAbers().fit(scores[i, 1:], labels[i, 1:])
        interval[i] = np.ravel(predictor.interval(scores[i, :1]))
    y = labels[:, 0]
    of_label = interval[np.arange(draws), y]

    def standard_errors(error: Array) -> float:
        return float(abs(error.mean()) / (error.std() / np.sqrt(error.size)))

    assert standard_errors(y - of_label) < 4
    part = np.digitize(of_label, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    for k in range(10):
        assert np.sum(part == k) > 100
        assert standard_errors((y - of_label)[part == k]) < 4
    for wrong in (interval[:, 0], interval[:, 1], interval[np.arange(draws), 1 - y]):
        assert standard_errors(y - wrong) > 8


# venn-abers 1.5.4 (PyPI), calibrated on the rows 0, 2, 4, ... and asked at the rows 1, 3, 5, ...:
#
#     def peer(known, labels, asked):
#         model = venn_abers.VennAbers()
#         model.fit(np.column_stack([known, known]), labels)  # it reads the second column
#         return model.predict_proba(np.column_stack([asked, asked]))
#     probability, interval = peer(s[::2], y[::2], s[1::2])
#     row = np.arange(1, len(interval) + 1)
#     [float(row @ column) for column in (*interval.T, probability[:, 1])]
#
# The tree's scores are tied, the boosted ones are all different, and some of the cholesterol levels lie
# between those of the calibration examples, and one above.
PEER_SUMS = {
    ("german_credit_scores", "tree", "bad"): [34050.40498656906, 36710.61206185218, 35643.047175457075],
    ("german_credit_scores", "boosted", "bad"): [34554.359821912185, 38658.50370784092, 37291.67021330513],
    ("heart", "serum_cholestoral", "present"): [3923.233563327407, 4295.9238634463445, 4118.1799111746805],
}
# The same on the first 60 rows of breast_w, whose scores are 1, 2, ..., 10.
PEER_SCORES = [0, 1, 2, 4, 4.5, 5, 6, 7, 8, 9, 10, 11]
PEER_LOW = [0, 0, 0.1, 0.1, 0.1, 0.5, 0.5, 0.75, 0.8888888888888888, 0.9090909090909091, 0.95, 0.95]
PEER_HIGH = [0.1111111111111111, 0.1111111111111111, 0.15, 0.16666666666666666, *[0.5625] * 3, *[1] * 5]
PEER_MERGED = [
    0.09999999999999999, 0.09999999999999999, 0.14285714285714285, 0.15625, 0.38461538461538464,
    0.5294117647058824, 0.5294117647058824, 0.8, 0.8999999999999999, 0.9166666666666667,
    0.9523809523809523, 0.9523809523809523,
]  # fmt: skip


@pytest.mark.parametrize("source", PEER_SUMS, ids=" ".join)
def test_equals_the_package_on_many_scores(source: tuple[str, str, str]) -> None:
    name, column, positive = source
    table = rh.datasets.load(name, ["class", column])
    labels, scores = table["class"] == positive, table[column]
    predictor = rh.VennAbers().fit(scores[::2], labels[::2])
    found = (*predictor.interval(scores[1::2]), predictor.transform(scores[1::2]))
    row = np.arange(1, found[0].size + 1)
    np.testing.assert_allclose([row @ part for part in found], PEER_SUMS[source], rtol=0, atol=1e-9)


def test_equals_the_package_score_by_score() -> None:
    table = rh.datasets.load("breast_w", ["Class", "Clump_Thickness"])
    predictor = rh.VennAbers(pos_label="malignant").fit(table["Clump_Thickness"][:60], table["Class"][:60])
    found = (*predictor.interval(PEER_SCORES), predictor.posterior(PEER_SCORES))
    np.testing.assert_allclose(found, [PEER_LOW, PEER_HIGH, PEER_MERGED], rtol=0, atol=1e-12)


def test_merged_probability_is_minimax_for_the_log_loss() -> None:
    rng = np.random.default_rng(3)
    grid = np.linspace(0.001, 0.999, 999)
    for low, high in np.sort(rng.uniform(0.01, 0.99, (50, 2)), axis=1):

        def worst_regret(p: Any, low: float = low, high: float = high) -> Any:
            return np.maximum(np.log(high / p), np.log((1 - low) / (1 - p)))

        p = merge(low, high)
        assert worst_regret(p) <= worst_regret(grid).min() + 1e-12
        assert worst_regret(p) >= worst_regret(grid).min() - 0.01


@given(st.integers(1, 6), st.integers(0, 2**32))
def test_merging_folds(folds: int, seed: int) -> None:
    low, high = np.sort(np.random.default_rng(seed).uniform(0, 1, (2, folds, 5)), axis=0)
    positive, negative = np.prod(high, axis=0) ** (1 / folds), np.prod(1 - low, axis=0) ** (1 / folds)
    np.testing.assert_allclose(merge_folds(low, high), positive / (negative + positive), rtol=1e-12)
    np.testing.assert_allclose(merge_folds(low[:1], high[:1]), merge(low[0], high[0]), rtol=1e-12)


def test_merging_folds_that_are_sure() -> None:
    low = np.array([[1.0, 0.0, 1.0, 0.0], [0.5, 0.0, 0.0, 0.0]])
    high = np.array([[1.0, 0.0, 1.0, 1.0], [0.5, 0.5, 0.0, 1.0]])
    # Sure of a positive, sure of a negative, both (undecided), and sure of nothing.
    assert merge_folds(low, high).tolist() == [1.0, 0.0, 0.5, 0.5]


def test_merging_many_folds_does_not_underflow() -> None:
    low, high = np.full((5000, 1), 0.5), np.full((5000, 1), 0.75)
    assert merge_folds(low, high)[0] == pytest.approx(0.6, rel=1e-12)
    assert merge_folds(low * 1e-300, high * 1e-300)[0] == pytest.approx(0.75e-300, rel=1e-12)


def test_scores_of_other_types_compare_exactly() -> None:
    known = np.array([0.1, 0.2, 0.3], np.float32)
    predictor = rh.VennAbers().fit(known, [0, 1, 1])
    assert predictor.scores_.dtype == np.float32
    # The double nearest 0.3 lies below the float32 nearest 0.3, and that nearest 0.1 too.
    assert predictor.interval([0.1, 0.3])[0].tolist() == [0.0, 0.5]
    assert predictor.interval(known)[0].tolist() == predictor.interval(known.astype(float))[0].tolist()
    assert predictor.interval([0, 1])[1].tolist() == [0.5, 1.0]


def test_integers_beyond_floats_are_told_apart() -> None:
    known = 2**53 + np.array([0, 1, 2, 3])
    predictor = rh.VennAbers().fit(known, [0, 0, 1, 1])
    assert predictor.interval(known)[1].tolist() == [1 / 3, 0.5, 1, 1]
    assert predictor.interval(known.astype(np.uint64))[1].tolist() == [1 / 3, 0.5, 1, 1]
    assert predictor.interval([-5, 2**53 + 1])[1].tolist() == [1 / 3, 0.5]
    assert predictor.interval([0.5, 2.0**53, 2.0**53 + 2, np.inf])[1].tolist() == [1 / 3, 1 / 3, 1, 1]
    between = rh.VennAbers().fit([2.0**53, 2.0**53 + 2], [0, 1])
    assert between.interval(known)[0].tolist() == [0, 0, 0.5, 0.5]
    assert between.interval(known)[1].tolist() == [0.5, 1, 1, 1]


def test_signed_beside_unsigned_integers() -> None:
    unsigned = np.array([2**64 - 2, 2**64 - 1], np.uint64)
    predictor = rh.VennAbers().fit(unsigned, [0, 1])
    assert predictor.interval(np.array([-5, 5]))[1].tolist() == [0.5, 0.5]
    assert predictor.interval(unsigned)[0].tolist() == [0, 0.5]
    signed = rh.VennAbers().fit([-3, 2**53 + 1], [0, 1])
    assert signed.interval(np.array([2**53, 2**53 + 1], np.uint64))[0].tolist() == [0.0, 0.5]


@given(names, names, st.integers(0, 2**32))
def test_scores_of_any_two_types(family: str, other: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    known, new = FAMILIES[family](rng, 20), FAMILIES[other](rng, 20)
    if new.dtype.kind == "f":
        ends = np.array([-np.inf, np.inf])
        with np.errstate(over="ignore", under="ignore"):
            new = np.concatenate([new, *(np.nextafter(known.astype(float), end) for end in ends)])
    predictor = rh.VennAbers().fit(known, labels_for(known, "unrelated", rng))
    low, high = predictor.interval(new)
    ordered = np.unique(known).tolist()  # Python compares numbers exactly
    assert low.tolist() == [predictor.low_[bisect_right(ordered, score)] for score in new.tolist()]
    assert high.tolist() == [predictor.high_[bisect_left(ordered, score)] for score in new.tolist()]


def test_infinite_scores() -> None:
    predictor = rh.VennAbers().fit([-np.inf, 0.0, np.inf, np.inf], [0, 1, 1, 0])
    low, high = predictor.interval([-np.inf, -1e308, 0, 1e308, np.inf])
    assert low.tolist() == [0, 0, 0.5, 0.5, 0.5]
    assert high.tolist() == [0.5, 0.75, 0.75, 0.75, 0.75]
    for end, expected in ((np.inf, [2 / 3, 2 / 3]), (-np.inf, [2 / 3, 1.0])):
        predictor = rh.VennAbers().fit([end, end], [0, 1])
        assert predictor.interval([-np.inf, np.inf])[1].tolist() == expected
        assert predictor.interval([0])[1].tolist() == expected[-1:]
        assert predictor.interval([-np.inf, np.inf])[0].tolist() == [0.0 if end > 0 else 1 / 3, 1 / 3]


def test_the_largest_integers() -> None:
    signed, unsigned = 2**63 - 1, 2**64 - 1
    predictor = rh.VennAbers().fit([-(2**63), signed], [0, 1])
    assert predictor.interval([-(2**63), 5, signed])[1].tolist() == [0.5, 1, 1]
    predictor = rh.VennAbers().fit([-(2**63), signed], [1, 0])  # one block in the middle of the scale
    assert predictor.interval([-(2**63), 5, signed])[1].tolist() == [2 / 3] * 3
    beyond = np.array([5, signed, signed + 1, unsigned], np.uint64)
    assert predictor.interval(beyond)[1].tolist() == [2 / 3, 2 / 3, 1, 1]
    near = [2.0**63 - 1024, 2.0**63, np.inf]
    assert predictor.interval(near)[1].tolist() == [2 / 3, 1, 1]
    assert predictor.interval(np.array(near, np.float32)[1:])[1].tolist() == [1, 1]
    predictor = rh.VennAbers().fit(np.array([0, unsigned], np.uint64), [1, 0])
    assert predictor.interval(beyond)[1].tolist() == [2 / 3] * 4
    assert predictor.interval([-1, signed])[1].tolist() == [2 / 3] * 2
    assert predictor.interval([2.0**64 - 2048, 2.0**64])[1].tolist() == [2 / 3, 1]
    small = rh.VennAbers().fit(np.array([-128, 127], np.int8), [1, 0])
    assert small.interval([127, 128])[1].tolist() == [2 / 3, 1]


def test_there_are_no_weights() -> None:
    with pytest.raises(TypeError, match="sample_weight"):
        rh.VennAbers().fit([0.1, 0.2], [0, 1], sample_weight=[1, 2])  # type: ignore[call-arg]


def test_the_docstrings_say_what_has_no_guarantee() -> None:
    for documented, words in (
        (rh.VennAbers, "nor a cross Venn-Abers predictor has a guarantee"),
        (rh.VennAbers.posterior, "It has no guarantee of validity"),
        (merge_folds, "There is no guarantee of validity"),
        (rh.estimators.VennAbersClassifier, "*The cross predictor, of several folds, has no such guarantee*"),
        (rh.estimators.VennAbersClassifier.predict_interval, "Such an interval *has no guarantee*"),
    ):
        assert words in " ".join((documented.__doc__ or "").split())
