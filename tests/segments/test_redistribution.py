"""Error redistribution as its users meet it."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor

import rochull as rh
from refusals import refuses
from rochull._core.validation import Array

MODELS = ("pav", "gaussian", "equal-variance", "logistic", "fixed", "auto")


def example_1(n: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """Labels, scores and the auxiliary feature of the paper's Example 1."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(1, 5, n), rng.integers(0, 2, n)
    return y, rng.normal(x * y), x


def example_2(n: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """The same of Example 2."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    spread = np.where(y, np.sqrt(2), 1.0)
    return y, rng.normal(size=n) * spread + y, rng.normal(size=n) * spread


@pytest.mark.parametrize("model", [*MODELS, "continuous"])
def test_example_1_is_bent_on_new_data(model: str) -> None:
    """Population values: fixed 0.9501, eight bins 0.9706, fine bins 0.9709."""
    y, s, x = example_1(20_000)
    test_y, test_s, test_x = example_1(100_000, 1)
    options: dict[str, Any] = {"bins": "uniform", "n_bins": 8}
    name = model
    if model == "continuous":
        name, options = "equal-variance", {"bins": "continuous"}
    seg = rh.ErrorRedistribution(name, **options).fit(s, y, aux={"x": x})
    held_out = seg.curve(test_y, test_s, aux={"x": test_x}).auc()
    if model == "fixed":
        assert held_out == rh.roc_auc(test_y, test_s) == pytest.approx(0.9501, abs=0.003)
    else:
        assert held_out == pytest.approx(0.9706, abs=0.003)


def test_example_2_needs_thresholds_at_minus_infinity() -> None:
    y, s, x = example_2(60_000)
    test_y, test_s, test_x = example_2(100_000, 1)
    edges = [-6 + 0.1 * i for i in range(121)]
    seg = rh.ErrorRedistribution("gaussian", bins=edges, min_bin=2).fit(s, y, aux=x)
    assert rh.roc_auc(test_y, test_s) == pytest.approx(0.7181, abs=0.004)
    assert seg.curve(test_y, test_s, aux=test_x).auc() == pytest.approx(0.7537, abs=0.006)
    found = seg.thresholds(rh.NeymanPearson(0.4))
    thresholds = np.array([found[name] for name in seg.segments_])
    assert np.isneginf(thresholds[[0, -1]]).all()
    assert np.isfinite(thresholds[len(thresholds) // 2])


@pytest.mark.parametrize("model", MODELS)
def test_the_hull_is_what_its_rules_do(model: str) -> None:
    """Rates of a vertex are those of its thresholds, applied to the training data."""
    y, s, x = example_1(3000, 2)
    seg = rh.ErrorRedistribution(model, bins="uniform", n_bins=5).fit(s, y, aux={"x": x})
    segment = seg.segment({"x": x})
    ratio = seg.transform(s, aux={"x": x})
    for i, (rule,) in enumerate(seg.hull_.owners[1:-1], start=1):
        assert isinstance(rule, rh.conditions.SegmentedRule)
        thresholds = np.array(
            [{"never": np.inf, "always": -np.inf}.get(r.kind, r.threshold) for r in rule.rules]
        )
        called = s >= thresholds[segment]
        assert np.array_equal(called, ratio >= seg.ratios_[i])
        assert called @ y == seg.hull_.tp[i]
        assert called @ (1 - y) == seg.hull_.fp[i]


def test_infinite_scores_are_scores() -> None:
    """A threshold of inf that infinite scores reach is not "never"."""
    y, s, x = example_1(500, 11)
    s[:40] = np.where(y[:40] == 1, np.inf, -np.inf)
    seg = rh.ErrorRedistribution("pav", bins=[3], shrinkage=0, min_bin=1).fit(s, y, aux=x)
    rule = seg.hull_.owners[1][0]
    assert {r.kind for r in rule.rules[:2]} == {"threshold"}
    called = s >= np.array([r.threshold for r in rule.rules])[seg.segment(x)]
    assert called @ y == seg.hull_.tp[1]


def test_pav_without_shrinkage_is_the_stratified_hull() -> None:
    y, s, x = example_1(2000, 3)
    seg = rh.ErrorRedistribution("pav", bins=[2, 3], shrinkage=0, min_bin=1).fit(s, y, aux=x)
    part = np.digitize(x, [2, 3])
    twin = rh.stratify({k: rh.roc_hull(y[part == k], s[part == k]) for k in range(3)})
    assert np.array_equal(seg.hull_.fp, twin.fp)
    assert np.array_equal(seg.hull_.tp, twin.tp)
    assert seg.at(rh.Accuracy(0.3)).fpr == twin.at(rh.Accuracy(0.3)).fpr


@pytest.mark.parametrize(
    "condition",
    [rh.ExpectedCost(cost_fn=4, prevalence=0.3), rh.NeymanPearson(0.07), rh.MinimumRecall(0.9),
     rh.MinimumPrecision(0.9, prevalence=0.4), rh.Capacity(fraction=0.3, prevalence=0.4)],
    ids=lambda c: type(c).__name__,
)  # fmt: skip
def test_every_condition_of_the_core(condition: Any) -> None:
    y, s, x = example_1(4000, 4)
    seg = rh.ErrorRedistribution("gaussian", n_bins=6).fit(s, y, aux={"x": x})
    point = seg.at(condition)
    single = seg.at(condition, deterministic=True)
    assert sum(share for _, share in point.rules) == pytest.approx(1)
    assert len(single.rules) == 1
    found = seg.thresholds(condition)
    assert list(found) == [*seg.segments_, None]
    called = s >= np.array([found[name] for name in seg.segments_])[seg.segment({"x": x})]
    assert called @ y / y.sum() == pytest.approx(single.tpr)
    assert np.array_equal(
        seg.thresholds(condition, aux={"x": x}), np.array(list(found.values()))[seg.segment({"x": x})]
    )


@pytest.mark.parametrize("bins", [8, "continuous"])
@pytest.mark.parametrize("condition", [rh.NeymanPearson(0.05), rh.MinimumRecall(0.8)], ids=["fpr", "recall"])
def test_a_single_rule_uses_the_limit_up(bins: Any, condition: Any) -> None:
    """It is the best level of the ratio, not the next vertex of the hull, and no worse than one threshold."""
    y, s, x = example_1(3000, 15)
    seg = rh.ErrorRedistribution("equal-variance", bins=bins).fit(s, y, aux={"x": x})
    point = seg.at(condition, deterministic=True)
    called = s >= seg.thresholds(condition, aux={"x": x})
    assert (called @ (1 - y) / (1 - y).sum(), called @ y / y.sum()) == pytest.approx(
        (point.fpr, point.tpr), abs=1e-3
    )
    straight = rh.RocHull.from_curve(rh.roc_curve(y, s)).at(condition, deterministic=True)
    if isinstance(condition, rh.NeymanPearson):
        assert 0.048 < point.fpr <= 0.05
        assert point.tpr > straight.tpr
    else:
        assert 0.8 <= point.tpr < 0.803
        assert point.fpr < straight.fpr


def test_a_vertex_is_kept_where_no_level_is_better() -> None:
    """At a limit that is a vertex's rate, the curve's best level is as good: the policy holds the vertex."""
    rng = np.random.default_rng(16)
    y, x = np.arange(512) % 2, rng.uniform(1, 5, 512)  # a rate out of 256 is a float64
    seg = rh.ErrorRedistribution("gaussian", n_bins=3).fit(rng.normal(x * y), y, aux={"x": x})
    assert len(seg.hull_) > 5
    for i in range(2, len(seg.hull_) - 1):
        found = seg.at(rh.NeymanPearson(float(seg.hull_.fpr[i])), deterministic=True)
        assert (found.source, found.fpr, found.tpr) == ("vertex", seg.hull_.fpr[i], seg.hull_.tpr[i])


def test_weights_count_without_bins() -> None:
    """Integer weights are as repeated examples: for the regressions, and for the curve that is read."""
    y, s, x = example_1(400, 17)
    w = np.random.default_rng(1).integers(0, 4, 400)
    made = rh.ErrorRedistribution(
        "equal-variance", bins="continuous", regressor=LinearRegression(), classifier=GaussianNB()
    )
    weighted = clone(made).fit(s, y, aux={"x": x}, sample_weight=w)
    repeated = clone(made).fit(*(np.repeat(a, w) for a in (s, y)), aux={"x": np.repeat(x, w)})
    a, b = (seg.transform(s, aux={"x": x}) for seg in (weighted, repeated))
    assert a == pytest.approx(b)
    assert weighted.hull_.fpr == pytest.approx(repeated.hull_.fpr)
    assert weighted.hull_.tpr == pytest.approx(repeated.hull_.tpr)
    plain = clone(made).fit(s, y, aux={"x": x}).transform(s, aux={"x": x})
    assert not np.allclose(a, plain, rtol=0.01)


def test_values_never_seen_get_one_threshold_and_a_warning() -> None:
    y, s, _ = example_1(4000, 5)
    c = np.random.default_rng(0).choice(["web", "shop"], 4000)
    seg = rh.ErrorRedistribution("pav", shrinkage=0).fit(s, y, aux={"channel": c})
    new = {"channel": ["web", "fax", None]}
    with pytest.warns(UserWarning, match="2 of 3 cases have values never seen"):
        ratio = seg.transform([1.5, 1.5, 1.5], aux=new)
    slope = (
        rh.ErrorRedistribution("pav", shrinkage=np.inf)
        .fit(s, y, aux={"channel": c})
        .transform([1.5], aux=["web"] and {"channel": ["web"]})
    )
    assert ratio[1] == ratio[2] == slope[0]
    assert seg.segment(new).tolist() == [1, -1, -1]
    with pytest.warns(UserWarning, match="2 of 3 cases have values never seen"):
        thresholds = seg.thresholds(rh.ExpectedCost(cost_fp=2, prevalence=0.5), aux=new)
    assert thresholds[1] == thresholds[2] == seg.thresholds(rh.ExpectedCost(cost_fp=2, prevalence=0.5))[None]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_any_table_and_nothing_is_modified(frame: Any) -> None:
    y, s, x = example_1(1500, 6)
    aux = frame({"x": x, "c": np.where(x > 3, "big", "small")})
    before = s.copy()
    seg = rh.ErrorRedistribution("pav", shrinkage=30).fit(s, y, aux=aux)
    assert np.array_equal(s, before)
    expected = rh.ErrorRedistribution("pav", shrinkage=30).fit(
        s, y, aux={"x": x, "c": np.where(x > 3, "big", "small")}
    )
    assert np.array_equal(
        seg.transform(s, aux=aux), expected.transform(s, aux={"x": x, "c": np.where(x > 3, "big", "small")})
    )


def test_weights_of_zero_take_examples_out_and_integers_repeat_them() -> None:
    y, s, x = example_1(2000, 7)
    w = np.random.default_rng(0).integers(0, 4, 2000)
    for model in ("pav", "gaussian"):
        made = rh.ErrorRedistribution(model, bins=[2, 3, 4], shrinkage=0)
        weighted = clone(made).fit(s, y, aux={"x": x}, sample_weight=w)
        repeated = clone(made).fit(*(np.repeat(a, w) for a in (s, y)), aux={"x": np.repeat(x, w)})
        a, b = (seg.transform(s, aux={"x": x}) for seg in (weighted, repeated))
        assert np.allclose(1 / (1 + a), 1 / (1 + b), rtol=1e-9)
        assert weighted.hull_.fpr == pytest.approx(repeated.hull_.fpr)


def test_labels_of_any_kind() -> None:
    y, s, x = example_1(1000, 8)
    names = np.where(y, "fraud", "fine")
    a = rh.ErrorRedistribution("gaussian", pos_label="fraud").fit(s, names, aux=x)
    b = rh.ErrorRedistribution("gaussian").fit(s, y == 1, aux=x)
    assert np.array_equal(a.transform(s, aux=x), b.transform(s, aux=x))
    assert a.curve(names, s, aux=x).auc() == b.curve(y, s, aux=x).auc()


def test_auto_does_no_harm_where_nothing_is_to_gain() -> None:
    """The feature says nothing: the fixed threshold is chosen, and the order of the scores is kept."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    s = rng.normal(y)
    seg = rh.ErrorRedistribution("auto", n_bins=8).fit(s, y, aux=rng.normal(size=3000))
    assert seg.model_ == "fixed"
    assert np.array_equal(seg.transform(s, aux=np.zeros(3000)), s)
    table = seg.choice_
    assert set(table["model"]) == {"pav", "gaussian", "equal-variance", "logistic", "fixed"}
    assert table["gain"][table["model"].index("fixed")] == 0


@pytest.mark.long
def test_auto_rarely_loses_on_small_samples() -> None:
    """A feature of pure noise, 300 examples: the fixed threshold is left seldom, and little is lost."""
    lost, left = [], 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        y = (rng.random(2300) < 0.3).astype(int)
        s, x = rng.normal(1.2 * y), rng.normal(size=2300)
        seg = rh.ErrorRedistribution("auto").fit(s[:300], y[:300], aux=x[:300])
        left += seg.model_ != "fixed"
        lost.append(rh.roc_auc(y[300:], s[300:]) - seg.curve(y[300:], s[300:], aux=x[300:]).auc())
    assert left <= 3
    assert np.mean(lost) < 0.001


def test_auto_takes_infinite_scores() -> None:
    y, s, x = example_1(600, 12)
    s[:5] = np.inf
    seg = rh.ErrorRedistribution("auto", n_bins=3).fit(s, y, aux=x)
    assert set(seg.choice_["model"]) == {"pav", "fixed"}
    with pytest.raises(ValueError, match="X must be finite for model='gaussian', but index 0 is not"):
        rh.ErrorRedistribution("gaussian").fit(s, y, aux=x)


def test_continuous_without_a_number_to_be_smooth_in() -> None:
    y, s, _ = example_1(400, 13)
    kinds = {"c": np.where(np.arange(400) % 3, "a", "b"), "t": np.arange(400) % 5 == 0}
    seg = rh.ErrorRedistribution("equal-variance", bins="continuous").fit(s, y, aux=kinds)
    assert np.unique(seg.thresholds(rh.Accuracy(0.5), aux=kinds)).size == 4
    with pytest.raises(ValueError, match="KNeighborsRegressor\\(\\) does not take weights"):
        rh.ErrorRedistribution("equal-variance", bins="continuous", regressor=KNeighborsRegressor()).fit(
            s, y, aux=kinds, sample_weight=np.arange(1, 401)
        )
    with pytest.raises(ValueError, match="aux column 'x' must be finite"):
        rh.ErrorRedistribution("equal-variance", bins="continuous").fit(s, y, aux={"x": [np.inf] * 400})


def test_arrays_of_settings() -> None:
    y, s, x = example_1(600, 14)
    made = rh.ErrorRedistribution(n_bins=np.array([2, 4]), shrinkage=np.array([0.0, 50.0])).fit(s, y, aux=x)
    assert len(made.choice_["auc"]) == 4


@pytest.mark.long
def test_cross_validation_chooses_bins_and_shrinkage_reproducibly() -> None:
    y, s, x = example_1(3000, 9)
    made = rh.ErrorRedistribution("pav", bins="uniform", n_bins=[1, 8, 400], shrinkage=[0, 50.0], min_bin=3)
    first, second = (clone(made).fit(s, y, aux=x) for _ in range(2))
    assert first.choice_ == second.choice_
    assert len(first.choice_["auc"]) == 6
    assert first.n_bins_ == 8
    assert clone(made).set_params(random_state=5).fit(s, y, aux=x).choice_ != first.choice_


def test_continuous_takes_any_regressor_and_columns() -> None:
    y, s, x = example_1(6000, 10)
    aux = {"x": x, "c": np.where(x > 3, "b", "a"), "gone": np.where(np.arange(6000) % 9, x, np.nan)}
    seg = rh.ErrorRedistribution(
        "equal-variance", bins="continuous", regressor=HistGradientBoostingRegressor(max_iter=30),
        classifier=LogisticRegression(),
    ).fit(s, y, aux=aux, sample_weight=np.full(6000, 2.0))  # fmt: skip
    assert seg.hull_.auc() > 0.965
    assert seg.at(rh.Accuracy(0.5)).classifiers == ("benefit-cost ratio",)
    with pytest.warns(UserWarning, match="1 of 2 cases"):
        seg.transform([1, 2], aux={"x": [2, 2], "c": ["a", "z"], "gone": [1, None]})
    condition = rh.ExpectedCost(cost_fp=2, prevalence=0.5)
    called = s >= seg.thresholds(condition, aux=aux)
    assert called @ y / y.sum() == pytest.approx(seg.at(condition).tpr, abs=2e-3)
    refuses("aux is needed", seg.thresholds, condition)
    refuses("has no segments", seg.segment, aux)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "quadratic"}, "model must be one of"),
        ({"shrinkage": "much"}, 'shrinkage must be "cv"'),
        ({"shrinkage": -1}, "shrinkage"),
        ({"shrinkage": []}, "shrinkage is empty"),
        ({"n_bins": 0}, "n_bins"),
        ({"min_bin": 0}, "min_bin"),
        ({"cv": 1}, "cv"),
        ({"model": "pav", "bins": "continuous"}, 'needs model="equal-variance"'),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    y, s, x = example_1(200)
    refuses(message, rh.ErrorRedistribution(**options).fit, s, y, aux=x)


def test_bad_data() -> None:
    y, s, x = example_1(200)
    seg = rh.ErrorRedistribution("gaussian").fit(s, y, aux={"x": x})
    refuses("aux column 'x' has 3 rows, but y_score has 2", seg.transform, [1, 2], aux={"x": [1, 2, 3]})
    refuses("NaN", seg.transform, [np.nan, 2], aux={"x": [1, 2]})
    refuses("beyond 2\\*\\*53", seg.transform, [2**60, 2], aux={"x": [1, 2]})
    refuses("one class", rh.ErrorRedistribution().fit, s, np.ones(200), aux=x)
    with pytest.raises(ValueError, match="in 5 folds needs 5 examples of each class, but one class has 1"):
        rh.ErrorRedistribution().fit(np.arange(20), np.arange(20) < 1, aux=np.arange(20))
    with pytest.warns(
        UserWarning, match="in 5 folds needs 5 examples of each class, but one class has 3: 3 folds"
    ):
        rh.ErrorRedistribution().fit(np.arange(20), np.arange(20) < 3, aux=np.arange(20))
