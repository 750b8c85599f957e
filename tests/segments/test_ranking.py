"""Rankings of auxiliary features: measures written out, permutations, held-out gains, components."""

import json
import math
from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import rochull as rh
from profiles import tries
from refusals import refuses
from rochull.segments.bins import fit_bins
from rochull.segments.choice import folds_of

Array = np.ndarray[Any, Any]
rank = rh.rank_auxiliary_features


def measures_of(y: Any, score: Any, bins: Any, weight: Any) -> tuple[float, ...]:
    """Variance of SD and of P, from the definitions, one example after the other."""
    separation, prior, share = [], [], []
    total = [math.fsum(w for w, c in zip(weight, y, strict=True) if c == k) for k in (0, 1)]
    for b in sorted(set(bins)):
        mass, mean, sigma = [], [], []
        for k in (0, 1):
            own = [(s, w) for s, c, i, w in zip(score, y, bins, weight, strict=True) if i == b and c == k]
            mass.append(math.fsum(w for _, w in own))
            mean.append(math.fsum(s * w for s, w in own) / mass[k])
            sigma.append(math.sqrt(math.fsum(w * (s - mean[k]) ** 2 for s, w in own) / mass[k]))
        p = [mass[k] / total[k] for k in (0, 1)]
        separation.append((mean[1] - mean[0]) / math.sqrt(sigma[0] * sigma[1]))
        prior.append(math.log(p[1] * sigma[0] / (p[0] * sigma[1])))
        share.append(sum(mass) / sum(total))
    return tuple(
        math.fsum(w * (v - math.fsum(a * b for a, b in zip(share, values, strict=True))) ** 2
                  for w, v in zip(share, values, strict=True))
        for values in (separation, prior)
    )  # fmt: skip


def drawn(n: int = 400, seed: int = 0) -> tuple[Array, Array, dict[str, Array]]:
    """Labels, scores, and features: one that tells the difficulty, one the prior, and one nothing."""
    rng = np.random.default_rng(seed)
    size, kind = rng.uniform(1, 4, n), rng.choice(["a", "b", "c"], n)
    share = np.select([kind == "a", kind == "b"], [0.2, 0.5], 0.7)
    y = (rng.random(n) < share).astype(int)
    score = rng.normal(size * y)
    return y, score, {"noise": rng.normal(size=n), "size": size, "kind": kind}


# --- the measures ------------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
@tries(25)
def test_agrees_with_the_definitions(seed: int, weighted: bool, missing: bool) -> None:
    rng = np.random.default_rng(seed)
    y, score, X = drawn(300, seed)
    weight = rng.uniform(0.1, 3, y.size) if weighted else np.ones(y.size)
    if missing:
        X["size"] = np.where(rng.random(y.size) < 0.3, np.nan, X["size"])
        X["kind"] = np.where(rng.random(y.size) < 0.3, None, X["kind"].astype(object))
    found = rank(
        y, score, X, n_bins=4, min_bin=8, n_permutations=1, sample_weight=weight if weighted else None
    )
    for i, name in enumerate(found.names):
        bins = fit_bins({name: X[name]}, "auto", y, n_bins=4, min_bin=8)
        at = bins.assign({name: X[name]})
        assert found.n_bins[i] == len(bins)
        expected = measures_of(y.tolist(), score.tolist(), at.tolist(), weight.tolist())
        np.testing.assert_allclose([found.separation[i], found.prior[i]], expected, rtol=1e-8)


@pytest.mark.long
def test_example_1_has_the_separation_of_its_population() -> None:
    # Positives N(x, 1), negatives N(0, 1), x uniform on [1, 5]. In a bin around m of width 1/2 the positives
    # have mean m and variance 1 + 1/48: SD = m / (49/48)^(1/4). The bins' m have variance (16 - 1/4) / 12.
    rng = np.random.default_rng(0)
    n = 400_000
    y, x = rng.integers(0, 2, n), rng.uniform(1, 5, n)
    found = rank(y, rng.normal(x * y), {"x": x}, n_bins=8, n_permutations=9)
    assert found.separation[0] == pytest.approx((16 - 1 / 4) / 12 / math.sqrt(49 / 48), rel=0.01)
    assert found.prior[0] < 0.001


def test_example_2_has_the_prior_of_its_population() -> None:
    # x ~ N(0, 2) for positives and N(0, 1) for negatives; the scores' moments do not depend on it.
    rng = np.random.default_rng(0)
    n = 400_000
    y = rng.integers(0, 2, n)
    spread = np.where(y == 1, math.sqrt(2), 1.0)
    x, score = rng.normal(0, spread), rng.normal(y, spread)
    edges = np.linspace(-2.5, 2.5, 11)
    found = rank(y, score, {"x": x}, bins={"x": edges}, n_permutations=9)
    ends = np.concatenate(([-np.inf], edges, [np.inf]))
    pos, neg = np.diff(norm.cdf(ends / math.sqrt(2))), np.diff(norm.cdf(ends))
    prior, share = np.log(pos / neg), (pos + neg) / 2
    expected = share @ (prior - share @ prior) ** 2
    assert found.prior[0] == pytest.approx(expected, rel=0.04)
    assert found.separation[0] < 0.001


def test_neither_the_unit_nor_the_origin_of_scores_matters() -> None:
    y, score, X = drawn(2000)
    plain, other = rank(y, score, X), rank(y, 1e6 * score - 1e7, X)
    assert plain.names == other.names
    for name in ("separation", "prior", "separation_p_value", "p_value"):
        np.testing.assert_allclose(getattr(plain, name), getattr(other, name), rtol=1e-6)


def test_whole_weights_are_repetitions() -> None:
    y, score, X = drawn(300)
    times = np.random.default_rng(1).integers(0, 4, y.size)
    often = {"kind": np.repeat(X["kind"], times)}
    weighted = rank(y, score, {"kind": X["kind"]}, min_bin=5, sample_weight=times)
    repeated = rank(np.repeat(y, times), np.repeat(score, times), often, min_bin=5)
    np.testing.assert_allclose(weighted.separation, repeated.separation, rtol=1e-9)
    np.testing.assert_allclose(weighted.prior, repeated.prior, rtol=1e-9)


def test_scores_of_one_value_in_a_bin_are_no_division_by_zero() -> None:
    y = np.tile([0, 1], 200)
    site = np.repeat(["a", "b"], 200)
    score = np.where(site == "a", y, np.random.default_rng(0).normal(y)).astype(float)
    found = rank(y, score, {"site": site})
    assert np.isfinite([found.separation[0], found.prior[0]]).all()
    assert found.separation_p_value[0] == 1 / 201
    constant = rank(y, np.zeros(400), {"site": site})
    assert (constant.separation[0], constant.separation_p_value[0]) == (0.0, 1.0)


# --- permutations ------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("weighted", [False, True])
def test_the_share_of_chance_agrees_with_plain_permutations(weighted: bool) -> None:
    y, score, X = drawn(200)
    rng = np.random.default_rng(5)
    weight = rng.exponential(size=y.size) ** 2 if weighted else np.ones(y.size)
    bins = (X["kind"] == "a").astype(int) + 2 * (X["kind"] == "b")
    chance = []
    for _ in range(600):  # scores of a class change places; and so do classes
        moved, classes, w = score.copy(), rng.permutation(y.size), weight.copy()
        for k in (0, 1):
            own = np.flatnonzero(y == k)
            into = rng.permutation(own)
            moved[own], w[own] = score[into], weight[into]
        spread, _ = measures_of(y, moved, bins, w)
        pos, neg = (np.bincount(bins, weight[classes] * (y[classes] == k), 3) for k in (1, 0))
        sigma = [
            [
                np.sqrt(np.cov(moved[o], aweights=w[o], ddof=0))
                for o in ((y == k) & (bins == b) for b in range(3))
            ]
            for k in (0, 1)
        ]
        prior = np.log(pos / neg * np.array(sigma[0]) / np.array(sigma[1]))
        chance.append((spread, np.cov(prior, aweights=pos + neg, ddof=0)))
    mean, error = np.mean(chance, axis=0), np.std(chance, axis=0) / math.sqrt(600)
    found = rank(
        y,
        score,
        {"kind": X["kind"]},
        min_bin=5,
        n_permutations=600,
        sample_weight=weight if weighted else None,
    )
    gone = [found.separation[0] - found.separation_excess[0], found.prior[0] - found.prior_excess[0]]
    assert (np.abs(gone - mean) < 4.5 * error).all()


def test_a_p_value_is_that_of_all_permutations_ties_included() -> None:
    score = [0, 2, 1, 0, 2, 1, 1, 1, 3, 2, 3, 2]
    y, site = [0] * 6 + [1] * 6, np.tile([0, 1], 6)
    ways = list(combinations(range(6), 3))
    spreads = []
    for low, high in product(ways, ways):
        bins = [int(i in low) for i in range(6)] + [int(i in high) for i in range(6)]
        spreads.append(measures_of(y, score, bins, [1.0] * 12)[0])
    found = rank(y, score, {"site": site}, min_bin=1, n_permutations=4000)
    exact = np.mean(np.array(spreads) >= found.separation[0] * (1 - 1e-9))
    assert np.mean(np.array(spreads) > found.separation[0] * (1 + 1e-9)) < exact - 0.03  # there are ties
    assert found.separation_p_value[0] == pytest.approx(exact, abs=0.025)


@pytest.mark.long
@pytest.mark.parametrize(("rate", "weighted"), [(0.5, False), (0.08, False), (0.3, True)])
def test_p_values_of_features_that_tell_nothing(rate: float, weighted: bool) -> None:
    # 8 tables of 40 features of noise: 320 p-values, of which 5 % are at most 0.05, correlated in a table.
    low = np.zeros(2)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = (rng.random(800) < rate).astype(int)
        X = rng.normal(size=(800, 40))
        weight = rng.uniform(0.2, 2, 800) if weighted else None
        found = rank(
            y, rng.exponential(1 + y), X, n_bins=5, min_bin=8, n_permutations=99, sample_weight=weight
        )
        low += (found.separation_p_value <= 0.05).sum(), (found.prior_p_value <= 0.05).sum()
    assert ((low > 2) & (low < 32)).all(), (
        low
    )  # 16 expected; 3.9 is the standard deviation of independent ones


def test_each_p_value_sees_its_own_effect() -> None:
    y, score, X = drawn(6000, 3)
    found = rank(y, score, X)
    p = {name: (found.separation_p_value[i], found.prior_p_value[i]) for i, name in enumerate(found.names)}
    assert p["size"][0] == p["kind"][1] == 1 / 201
    assert min(p["noise"]) > 0.05
    assert p["kind"][0] > 0.05
    assert set(found.names[:2]) == {"size", "kind"}
    np.testing.assert_array_equal(
        found.p_value, np.minimum(2 * np.minimum(found.separation_p_value, found.prior_p_value), 1)
    )


def test_a_feature_that_permutations_leave_without_positives() -> None:
    # Half of the few cases of one site are positive, but one in a thousand elsewhere.
    rng = np.random.default_rng(0)
    site = np.where(np.arange(40_000) < 60, "bad", "good")
    y = (rng.random(40_000) < np.where(site == "bad", 0.5, 0.001)).astype(int)
    found = rank(y, rng.normal(y), {"site": site})
    assert found.n_bins[0] == 2
    assert found.prior_p_value[0] == 1 / 201


def test_adjustment_by_holm() -> None:
    y, score, X = drawn(1000, 7)
    X |= {f"n{i}": np.random.default_rng(i).normal(size=1000) for i in range(3)}
    found = rank(y, score, X, n_permutations=999)
    raised, largest = [], 0.0
    for i, p in enumerate(sorted(found.p_value)):
        largest = max(largest, min(1.0, p * (len(found) - i)))
        raised.append(largest)
    np.testing.assert_allclose(found.p_adjusted, raised)  # the ranking is by p-values
    assert found.p_adjusted[0] <= 0.05


def test_the_other_features_change_nothing_and_seeds_everything() -> None:
    y, score, X = drawn(800)
    whole = rank(y, score, X)
    for i, name in enumerate(whole.names):
        alone = rank(y, score, {name: X[name]})
        assert alone.separation_p_value[0] == whole.separation_p_value[i]
        assert alone.prior_excess[0] == whole.prior_excess[i]
    assert rank(y, score, X).to_dict() == whole.to_dict()
    assert rank(y, score, X, random_state=1).to_dict() != whole.to_dict()
    legacy = [rank(y, score, X, random_state=np.random.RandomState(3)).to_dict() for _ in range(2)]
    assert legacy[0] == legacy[1]


# --- gains -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"model": "gaussian"}, {"shrinkage": [10.0, math.inf]}], ids=repr)
def test_gains_agree_with_folds_by_hand(settings: dict[str, Any]) -> None:
    y, score, X = drawn(900)
    found = rank(y, score, X, gain=True, cv=3, n_bins=4, **settings)
    rng = np.random.default_rng(0)
    folds = folds_of(y, 3, rng)
    gains: dict[Any, list[float]] = {name: [] for name in X}
    for k in range(3):
        train, test = folds != k, folds == k
        for name, column in X.items():
            options: dict[str, Any] = {"model": "pav", "shrinkage": 100.0} | settings
            seg = rh.ErrorRedistribution(n_bins=4, cv=3, random_state=k, **options)
            seg.fit(score[train], y[train], aux={name: column[train]})
            bent = seg.curve(y[test], score[test], aux={name: column[test]}).auc()
            gains[name].append(bent - rh.roc_auc(y[test], score[test]))
    assert found.gain is not None
    assert found.gain_error is not None
    for name, gain, error in zip(found.names, found.gain, found.gain_error, strict=True):
        assert gain == pytest.approx(np.mean(gains[name]), abs=1e-12)
        assert error == pytest.approx(np.std(gains[name], ddof=1) / math.sqrt(3), abs=1e-12)
    assert (np.diff(found.gain) <= 0).all()


def test_a_shift_of_both_classes_is_seen_by_the_gain_alone() -> None:
    rng = np.random.default_rng(0)
    y, shift = rng.integers(0, 2, 6000), rng.integers(0, 2, 6000)
    found = rank(y, rng.normal(y + 2 * shift), {"shift": shift, "noise": rng.normal(size=6000)}, gain=True)
    assert found.names[0] == "shift"
    assert found.gain is not None
    assert found.gain[0] > 0.05
    assert found.separation[0] + found.prior[0] < 0.01


def test_gains_of_some_features_only() -> None:
    y, score, X = drawn(900)
    plain, found = rank(y, score, X), rank(y, score, X, gain=1)
    assert plain.gain is None
    assert found.gain is not None
    assert np.isnan(found.gain).tolist() == [False, True, True]
    assert found.names[0] == plain.names[0]
    assert "gain" not in plain.to_dict()


# --- tables ------------------------------------------------------------------------------------------


def test_any_table_and_any_column() -> None:
    y, score, X = drawn(600)
    X |= {
        "flag": X["size"] > 2,
        "same": np.ones(600),
        "nullable": np.where(X["noise"] > 1, None, X["kind"].astype(object)),
    }
    expected = rank(y, score, X).to_dict()
    assert rank(y, score, pd.DataFrame(X)).to_dict() == expected
    assert (
        rank(y, score, pl.DataFrame({k: v.tolist() for k, v in X.items()})).to_dict()["name"]
        == expected["name"]
    )
    at = expected["name"].index("same")
    assert [expected[k][at] for k in ("n_bins", "p_value", "separation")] == [1, 1.0, 0.0]
    array = rank(y, score, np.column_stack([X["noise"], X["size"]]))
    assert set(array.names) == {0, 1}
    assert rank(y, score, pd.Series(X["size"], name="size")).names == ("size",)
    labels = np.where(y == 1, "bad", "good")
    assert rank(labels, score, X, pos_label="bad").to_dict() == expected


def test_printed_in_80_columns() -> None:
    y, score, X = drawn(600)
    X["a name that is much longer than any column of a table should be"] = X["noise"]
    found = rank(y, score, X, gain=2)
    lines = str(found).splitlines()
    assert len(lines) == 5 == len(found) + 1
    assert max(map(len, lines)) == 80
    assert "a name that is ..." in str(found)
    assert lines[1].split()[0] == found.names[0]
    assert lines[-1].split()[-2:] == ["-", "-"]
    assert max(map(len, str(rank(y, score, X)).splitlines())) < 80
    again = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert again["gain"][-1] is None
    assert again["n_bins"] == found.n_bins.tolist()


def test_kept_by_p_value_and_threshold() -> None:
    y, score, X = drawn(3000)
    found = rank(y, score, X)
    assert set(found.kept()) == {"size", "kind"}
    assert found.kept(1.0) == found.names
    large = {
        n: max(a, b) for n, a, b in zip(found.names, found.separation_excess, found.prior_excess, strict=True)
    }
    middle = sorted(large.values())[1]
    assert set(found.kept(1.0, middle)) == {n for n, v in large.items() if v >= middle}
    assert found.kept(0.05, 1e9) == ()


# --- components --------------------------------------------------------------------------------------


def many(n: int, seed: int) -> tuple[Array, Array, dict[str, Array]]:
    """The difficulty, hidden in six noisy columns among others."""
    rng = np.random.default_rng(seed)
    size, y = rng.uniform(1, 5, n), rng.integers(0, 2, n)
    X = {f"near {i}": size * (i + 1) + rng.normal(size=n) * (i + 1) for i in range(6)}
    X |= {f"noise {i}": rng.normal(size=n) for i in range(6)}
    return y, rng.normal(size * y), X


def test_components_are_those_of_scikit_learn() -> None:
    y, score, X = many(2000, 0)
    ranking = rank(y, score, X)
    found = ranking.reduce(X, 2)
    assert set(found.names) >= {f"near {i}" for i in range(6)}
    matrix = np.column_stack([X[name] for name in found.names])
    scaled = StandardScaler().fit(matrix)
    pca = PCA(2).fit(scaled.transform(matrix))
    np.testing.assert_allclose(np.abs(found.components), np.abs(pca.components_), atol=1e-9)
    np.testing.assert_allclose(found.explained, pca.explained_variance_ratio_, rtol=1e-9)
    new = many(50, 1)[2]
    columns = found.transform(new)
    expected = pca.transform(scaled.transform(np.column_stack([new[name] for name in found.names])))
    np.testing.assert_allclose(np.abs(np.column_stack(list(columns.values()))), np.abs(expected), atol=1e-9)
    assert list(columns) == ["component 1", "component 2"]
    assert (found.components.max(axis=1) == np.abs(found.components).max(axis=1)).all()


def test_components_bend_the_curve_more_than_one_of_the_features() -> None:
    y, score, X = many(8000, 0)
    z, held, new = many(8000, 1)
    ranking = rank(y, score, X)
    seg = rh.ErrorRedistribution("gaussian")
    alone = seg.fit(score, y, aux={"near 0": X["near 0"]}).curve(z, held, aux=new).auc()
    reduced = ranking.reduce(X, 1)
    bent = seg.fit(score, y, aux=reduced.transform(X)).curve(z, held, aux=reduced.transform(new)).auc()
    assert bent > alone + 0.002
    assert alone > rh.roc_auc(z, held) + 0.005


def test_components_of_categories_missing_values_and_weights() -> None:
    y, score, X = drawn(2000)
    X["kind"] = np.where(np.arange(2000) % 7 == 0, None, X["kind"].astype(object))
    frame = pd.DataFrame(X)
    ranking = rank(y, score, frame)
    times = np.random.default_rng(0).integers(0, 3, 2000)
    weighted = ranking.reduce(frame, 3, max_p_value=1.0, sample_weight=times)
    repeated = ranking.reduce(frame.iloc[np.repeat(np.arange(2000), times)], 3, max_p_value=1.0)
    np.testing.assert_allclose(weighted.mean, repeated.mean)
    np.testing.assert_allclose(weighted.components, repeated.components, atol=1e-8)
    assert weighted.mean.size == 6  # two numbers, three kinds and one that is missing
    with pytest.warns(UserWarning, match="X: 1 of 2 cases have values never seen in training"):
        found = weighted.transform({"noise": [0, 0], "size": [1, 1], "kind": ["a", "z"]})
    assert np.isfinite(found["component 3"]).all()
    flat = rank(y, score, {"same": np.ones(2000)}).reduce({"same": np.ones(2000)}, 1, max_p_value=1.0)
    assert flat.transform({"same": [5.0]})["component 1"].tolist() == [4.0]
    assert flat.explained.tolist() == [0.0]


# --- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_score": [0.1] * 599 + [np.inf]}, "y_score must be finite, but index 599 is not"),
        ({"y_true": [0] * 600}, "y_true has one class only"),
        ({"X": {"a": [1, 2]}}, "X column 'a' has 2 rows, but y_score has 600"),
        ({"X": {}}, "X has no columns"),
        ({"X": {"a": np.full(600, b"x", object)}}, "X column 'a' must hold numbers or strings, but"),
        ({"n_permutations": 0}, "n_permutations must be an integer of at least 1, but is 0"),
        ({"n_bins": 0}, "n_bins must be an integer of at least 1, but is 0"),
        ({"bins": "tree"}, "bins must not be"),
        ({"bins": {"size": "continuous"}}, "bins must not be"),
        ({"bins": {"age": 3}}, "bins names the column 'age', which X does not have"),
        ({"bins": [1.0, 2.0]}, "bins must be a name, a number or a mapping of columns"),
        ({"gain": True, "cv": 1}, "cv must be an integer of at least 2"),
        ({"gain": -1}, "gain must be an integer of at least 1, but is -1"),
        ({"gain": True, "model": "magic"}, "model must be one of"),
        ({"random_state": -1}, "random_state must be"),
        ({"sample_weight": [1.0]}, "y_true and sample_weight must have the same length"),
    ],
)  # fmt: skip
def test_bad_input(change: Mapping[str, Any], message: str) -> None:
    y, score, X = drawn(600)
    arguments: dict[str, Any] = {"y_true": y, "y_score": score, "X": X} | dict(change)
    refuses(message, rank, **arguments)


def test_components_of_bad_input() -> None:
    y, score, X = drawn(2000)
    ranking = rank(y, score, X)
    refuses(r"max_p_value=0\.0 and threshold=0\.0 keep no feature of 3", ranking.reduce, X, max_p_value=0.0)
    refuses("n_components is 9, but the features make 4 columns only", ranking.reduce, X, 9)
    refuses(r"X has no column '(size|kind)'; it has 'noise'", ranking.reduce, {"noise": X["noise"]})
    with pytest.raises(ValueError, match="X column 'size' must be finite, but row 3 is not"):
        ranking.reduce(X | {"size": np.where(np.arange(2000) == 3, np.inf, X["size"])})
    with pytest.raises(ValueError, match="X column 'size' was numeric in training, but holds strings now"):
        ranking.reduce(X, 1).transform({"size": ["a"], "kind": ["a"]})
    refuses("max_p_value must lie between 0 and 1", ranking.kept, 2.0)
    refuses("threshold must not be negative", ranking.kept, threshold=-1.0)
