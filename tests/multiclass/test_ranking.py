"""Hand & Till's M, the areas of pairs, and their intervals, against counting every pair."""

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

import rochull as rh
from refusals import refuses
from rochull._core import threads
from rochull._core.kernels import hand_till as kernels
from rochull._core.kernels.replicates import draw_rows
from rochull.multiclass.ranking import _Ranked
from rochull.uncertainty.resampling import states_of

# What is tested here of few examples is not whether intervals cover; that this is said has a test below.
pytestmark = pytest.mark.filterwarnings("ignore:method='.*' makes too narrow an interval:UserWarning")

Array = np.ndarray[Any, Any]


def twin_areas(y: Array, outputs: Array, weight: Array | None = None) -> Array:
    """A(i|j), pair by pair."""
    classes = np.unique(y)
    w = np.ones(len(y)) if weight is None else weight
    out = np.full((classes.size, classes.size), np.nan)
    for i, a in enumerate(classes):
        for j, b in enumerate(classes):
            if i == j:
                continue
            won = total = 0.0
            for p in np.flatnonzero(y == a):
                for q in np.flatnonzero(y == b):
                    both = w[p] * w[q]
                    won += both * ((outputs[p, i] > outputs[q, i]) + (outputs[p, i] == outputs[q, i]) / 2)
                    total += both
            out[i, j] = won / total
    return out


def twin_m(y: Array, outputs: Array, weight: Array | None = None) -> float:
    areas, c = twin_areas(y, outputs, weight), len(np.unique(y))
    pairs = [(areas[i, j] + areas[j, i]) / 2 for i in range(c) for j in range(i + 1, c)]
    return 2 / (c * (c - 1)) * sum(pairs)


@pytest.mark.parametrize("size", [1, 2])
def test_a_class_of_few_examples_does_not_bias_it(size: int) -> None:
    """The mean of M over all subsets of a class is M: the estimate needs no least number of examples."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [9, 7, 6])
    outputs = np.round(rng.normal(size=(22, 3)) + (y[:, None] == np.arange(3)), 1)
    rest, few = np.flatnonzero(y != 2), np.flatnonzero(y == 2)
    found = [
        rh.multiclass.hand_till(y[rows], outputs[rows])
        for kept in itertools.combinations(few, size)
        for rows in [np.append(rest, kept)]
    ]
    assert np.ptp(found) > 0.01
    assert np.mean(found) == pytest.approx(rh.multiclass.hand_till(y, outputs), abs=1e-14)


@st.composite
def ranked(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """Labels (each class twice or more), tied outputs, and weights."""
    n_classes, n = draw(st.integers(2, 4)), draw(st.integers(8, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    y = np.concatenate([np.repeat(np.arange(n_classes), 2), rng.integers(0, n_classes, n)])
    outputs = rng.normal(size=(y.size, n_classes)) + 2 * (y[:, None] == np.arange(n_classes))
    if draw(st.booleans()):
        outputs = np.round(outputs * draw(st.sampled_from([0.0, 1.0, 3.0])))
    if draw(st.booleans()):
        outputs[outputs > 2.5] = math.inf
    return y, outputs, rng.integers(1, 4, y.size) / 2


@given(ranked())
def test_areas_count_every_pair(case: tuple[Array, Array, Array]) -> None:
    y, outputs, weight = case
    np.testing.assert_allclose(rh.multiclass.pairwise_auc(y, outputs), twin_areas(y, outputs), rtol=1e-15)
    assert rh.multiclass.hand_till(y, outputs) == pytest.approx(twin_m(y, outputs), rel=1e-14)
    assert rh.multiclass.hand_till(y, outputs, sample_weight=weight) == pytest.approx(
        twin_m(y, outputs, weight), rel=1e-12
    )


@given(ranked())
def test_areas_are_those_of_two_classes(case: tuple[Array, Array, Array]) -> None:
    y, outputs, weight = case
    for w in (None, weight):
        areas = rh.multiclass.pairwise_auc(y, outputs, sample_weight=w)
        for i, j in np.argwhere(~np.isnan(areas)).tolist():
            some = (y == i) | (y == j)
            known = None if w is None else w[some]
            assert areas[i, j] == rh.roc_auc(y[some] == i, outputs[some, i], sample_weight=known)


def test_m_of_scikit_learn() -> None:
    """The reference: sklearn.metrics.roc_auc_score(y, p, multi_class="ovo", average="macro")."""
    x, y = load_digits(return_X_y=True)
    p = GaussianNB().fit(x[::2], y[::2]).predict_proba(x[1::2])
    expected = roc_auc_score(y[1::2], p, multi_class="ovo", average="macro")
    assert rh.multiclass.hand_till(y[1::2], p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.long
def test_two_classes_are_the_two_class_case() -> None:
    table = rh.datasets.load("german_credit_scores")
    y, p = table["class"] == "bad", np.asarray(table["boosted"], float)
    both = np.column_stack([1 - p, p])
    assert rh.multiclass.hand_till(y, both) == rh.roc_auc(y, p)
    weight = np.random.default_rng(0).random(y.size)
    for method in ("delong", "logit"):
        for w in (None, weight):
            found = rh.multiclass.hand_till_interval(y, both, method, sample_weight=w)
            known = rh.auc_interval(y, p, method, sample_weight=w)
            assert found.low == pytest.approx(known.low, rel=1e-9)
            assert found.high == pytest.approx(known.high, rel=1e-9)
    boot = rh.multiclass.hand_till_interval(y, both, n_resamples=4000, random_state=0)
    known = rh.bootstrap(y, p, n_resamples=4000, random_state=1)
    assert (boot.low, boot.high) == pytest.approx((known.low, known.high), abs=0.003)


def test_order_alone_counts_and_the_columns_are_named() -> None:
    rng = np.random.default_rng(1)
    y = np.array(["b", "a", "c"])[rng.integers(0, 3, 60)]
    outputs = rng.normal(size=(60, 3))
    m = rh.multiclass.hand_till(y, outputs)
    assert rh.multiclass.hand_till(y, np.exp(3 * outputs)) == m
    assert rh.multiclass.hand_till(y, outputs[:, [2, 0, 1]], classes=["c", "a", "b"]) == pytest.approx(
        m, rel=1e-15
    )
    assert rh.multiclass.hand_till(y, np.zeros((60, 3))) == 0.5
    assert rh.multiclass.hand_till(y, -outputs) == pytest.approx(1 - m)
    assert rh.multiclass.hand_till(y, y[:, None] == np.array(["a", "b", "c"])) == 1.0
    # Proportions do not matter: each example of one class twice.
    twice = np.concatenate([y, y[y == "a"]])
    assert rh.multiclass.hand_till(twice, np.concatenate([outputs, outputs[y == "a"]])) == pytest.approx(m)


# --- intervals --------------------------------------------------------------------------------------


def example(n: int = 150, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, 3, n))
    return y, np.round(rng.normal(size=(n, 3)) + (y[:, None] == np.arange(3)), 1)


def test_replicates_are_of_the_rows_drawn() -> None:
    y, outputs = example(40)
    weight = np.random.default_rng(5).integers(1, 5, y.size) / 4
    for w in (None, weight):
        found = rh.multiclass.hand_till_interval(
            y, outputs, n_resamples=5, level=0.5, sample_weight=w, random_state=3, progress=False
        )
        for state, value in zip(states_of(3, 5), found.replicates, strict=True):
            rows = []
            for k in range(3):
                members = np.flatnonzero(y == k)
                counts = np.empty(members.size, np.uint16)
                draw_rows(state, members.size, counts)
                rows.append(np.repeat(members, counts))
            drawn = np.concatenate(rows)
            assert value == pytest.approx(twin_m(y[drawn], outputs[drawn], None if w is None else w[drawn]))


def test_placements_are_what_leaving_out_an_example_changes() -> None:
    """The influence is the exact derivative of M in the weight of an example."""
    y, outputs = example(30)
    weight = np.random.default_rng(5).integers(1, 5, y.size) / 4
    ranked = _Ranked.of(y, outputs, weight, None)
    influence = ranked.influence()
    base, step = twin_m(y, outputs, weight), 1e-6
    for i in range(y.size):
        moved = weight.copy()
        moved[i] += step
        derivative = (twin_m(y, outputs, moved) - base) / step * weight[i]
        n = int(np.sum(y == y[i]))
        assert influence[i] == pytest.approx(derivative * math.sqrt(n / (n - 1)), abs=1e-5)


def test_variance_is_that_of_the_bootstrap() -> None:
    y, outputs = example(400)
    boot = rh.multiclass.hand_till_interval(y, outputs, n_resamples=4000, random_state=0)
    normal = rh.multiclass.hand_till_interval(y, outputs, "delong")
    width = (normal.high - normal.low) / (2 * 1.959964)
    assert boot.standard_error == pytest.approx(width, rel=0.05)
    for method in ("basic", "bca", "logit"):
        found = rh.multiclass.hand_till_interval(y, outputs, method, n_resamples=4000, random_state=0)
        assert (found.low, found.high) == pytest.approx((normal.low, normal.high), abs=0.01)
        assert found.low < found.estimate < found.high
        assert found.method == method


def test_bca_is_scipys_acceleration() -> None:
    """Skewness of the influence by the delete-one jackknife, class by class (Davison & Hinkley 1997)."""
    y, outputs = example(40)
    influence = _Ranked.of(y, outputs, None, None).influence()
    cubes = squares = 0.0
    for k in range(3):
        members = np.flatnonzero(y == k)
        values = np.array([twin_m(np.delete(y, i), np.delete(outputs, i, axis=0)) for i in members])
        moved = (members.size - 1) * (values.mean() - values)
        cubes += float((moved**3).sum()) / members.size**3
        squares += float((moved**2).sum()) / members.size**2
    expected = cubes / squares**1.5 / 6
    found = float((influence**3).sum()) / float((influence**2).sum()) ** 1.5 / 6
    assert found == pytest.approx(expected, rel=0.1)


@pytest.mark.long
def test_covers() -> None:
    """200 samples of three normal classes, whose M is known: the area of each pair is Phi(1 / sqrt 2)."""
    truth = 0.5 * math.erfc(-0.5)
    inside = dict.fromkeys(("percentile", "delong", "logit"), 0)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = np.repeat([0, 1, 2], 40)
        outputs = rng.normal(size=(120, 3)) + (y[:, None] == np.arange(3))
        for method in inside:
            found = rh.multiclass.hand_till_interval(y, outputs, method, n_resamples=200, random_state=0)
            inside[method] += bool(found.low <= truth <= found.high)
    assert all(180 <= count <= 199 for count in inside.values()), inside


def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    y, outputs = example()
    weight = np.random.default_rng(0).random(y.size)
    for w in (None, weight):
        found = []
        for count in (1, 2, 5):
            monkeypatch.setattr(threads, "n_threads", lambda count=count: count)
            one = rh.multiclass.hand_till_interval(
                y, outputs, "bca", n_resamples=100, random_state=1, sample_weight=w, progress=False
            )
            found.append((one.low, one.high, one.estimate, *one.replicates.tolist()))
        assert found[0] == found[1] == found[2]


def test_perfect_rankings() -> None:
    y = np.repeat([0, 1, 2], 20)
    outputs = (y[:, None] == np.arange(3)).astype(float)
    for method in ("percentile", "basic", "bca", "delong"):
        found = rh.multiclass.hand_till_interval(y, outputs, method, n_resamples=50, random_state=0)
        assert (found.low, found.estimate, found.high) == (1.0, 1.0, 1.0)
    exact = rh.multiclass.hand_till_interval(y, outputs, "logit")
    assert (exact.low, exact.high) == (pytest.approx(0.025 ** (1 / 20)), 1.0)
    weighted = rh.multiclass.hand_till_interval(
        y, outputs, "logit", sample_weight=np.repeat([1.0, 2.0, 3.0], 20)
    )
    assert weighted.low == pytest.approx(exact.low)


def test_nothing_is_modified_and_zero_weights_are_left_out() -> None:
    y, outputs = example(60)
    weight = np.where(np.arange(60) % 3 == 0, 0.0, 1.0)
    kept = y.copy(), outputs.copy(), weight.copy()
    some = weight > 0
    found = rh.multiclass.hand_till_interval(y, outputs, sample_weight=weight, n_resamples=50, random_state=0)
    plain = rh.multiclass.hand_till_interval(y[some], outputs[some], n_resamples=50, random_state=0)
    assert found.replicates == pytest.approx(plain.replicates, rel=1e-12)
    assert rh.multiclass.pairwise_auc(y, outputs, sample_weight=weight).tolist()[0][1:] == pytest.approx(
        rh.multiclass.pairwise_auc(y[some], outputs[some]).tolist()[0][1:], rel=1e-15
    )
    for before, after in zip(kept, (y, outputs, weight), strict=True):
        assert np.array_equal(before, after)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"outputs": np.ones(6)},
            r"outputs must have shape \(n, C\) with C of 2 or more, but has shape \(6,\)",
        ),
        ({"outputs": np.full((6, 3), np.nan)}, "column 0 of outputs has 6 NaN"),
        ({"outputs": np.ones((5, 3))}, "y_true and outputs must have the same length"),
        ({"outputs": np.ones((6, 4))}, "y_true has 3 classes, but outputs has 4 columns"),
        ({"classes": [0, 1, 5]}, "y_true has the class 2"),
        ({"classes": [0, 1, 2, 5], "outputs": np.ones((6, 4))}, "y_true has no example of class 5"),
        ({"sample_weight": [1, 1, 1, 1, 0, 0]}, "sample_weight: class 2 has zero total weight"),
        ({"sample_weight": [1, 1]}, "y_true and sample_weight must have the same length"),
        ({"method": "exact"}, "method must be one of 'percentile', .* but is 'exact'"),
        ({"level": 1.0}, "level must lie strictly between 0 and 1"),
        ({"n_resamples": 1}, "n_resamples must be an integer of at least 2, but is 1"),
        (
            {"sample_weight": [1, 1, 1, 1, 1, 0]},
            "y_true has 1 example of class 2; an interval needs two of each",
        ),
    ],
)
def test_bad_input(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"y_true": [0, 0, 1, 1, 2, 2], "outputs": np.ones((6, 3)), **change}
    refuses(message, rh.multiclass.hand_till_interval, **given)


def test_too_few_replicates_warn() -> None:
    y, outputs = example(30)
    with pytest.warns(UserWarning, match="n_resamples=30 is too few for level=0.95; it takes at least 39"):
        rh.multiclass.hand_till_interval(y, outputs, n_resamples=30, random_state=0)


def test_kernels_count_units() -> None:
    """Rows that are not drawn count nothing, also in a group of ties and alone."""
    codes = np.array([0, 0, 1, 1], np.int32)
    order = np.array([[2, 0, 3, 1], [0, 1, 2, 3]])
    last = np.array([[True, False, True, True], [True, True, True, True]])
    wins = np.zeros((2, 2), np.int64)
    kernels.pairs_won(order, last, codes, np.array([2, 0, 1, 3]), wins)
    # Output 0: row 2 below the tie of rows 0 and 3: 2 * (2 * 1 + 3) / 2 pairs; row 1 is not drawn.
    assert wins[0, 1] == 2 * (2 * 1) + 2 * 3
    assert wins[1, 0] == 2 * (1 + 3) * 2


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "delong", "logit"])
def test_few_examples_are_said(method: str) -> None:
    rng = np.random.default_rng(4)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for size in (30, 31):
            y = np.repeat([0, 1, 2], [60, size, 40])
            outputs = rng.normal(size=(y.size, 3)) + np.eye(3)[y]
            rh.multiclass.hand_till_interval(y, outputs, method, n_resamples=50, level=0.9, random_state=0)
    few = [str(each.message) for each in said]
    expected = f"method={method!r} makes too narrow an interval where a class has 30 examples or fewer, and one has 30"
    assert few == ([] if method == "logit" else [f'{expected}: use method="logit".'])
