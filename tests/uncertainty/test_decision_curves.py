"""Decision curves: counted by hand, against R's dcurves, the best threshold, and how often intervals cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy.special import expit, logit
from scipy.stats import norm

import rochull as rh
from adversaries import examples

GRID = np.linspace(0, 0.95, 20)


def probabilities(scores: Any) -> Any:
    """Of any scores, with the same order and ties."""
    return np.unique(scores, return_inverse=True)[1] / max(1, len(scores) - 1)


@given(examples(max_size=40))
def test_counted_by_hand(data: Any) -> None:
    y, scores, weights = data
    y, p = np.asarray(y).astype(bool), probabilities(scores)
    w = np.ones(y.size) if weights is None else np.asarray(weights, float)
    curve = rh.decision_curve(y, p, GRID, sample_weight=weights)
    found = curve.net_benefit[None]
    for i, t in enumerate(GRID.tolist()):
        called = p >= t

        def benefit(called: Any, t: float = t) -> float:
            return float((w[called & y].sum() - w[called & ~y].sum() * t / (1 - t)) / w.sum())

        assert found.estimate[i] == pytest.approx(benefit(called), abs=1e-11)
        assert curve.treat_all.estimate[i] == pytest.approx(benefit(np.ones(y.size, bool)), abs=1e-11)
        every = [benefit(p >= s) for s in [*np.unique(p[w > 0]).tolist(), 2]]
        assert curve.best[None][i] == pytest.approx(max(every), abs=1e-11)
        cost = rh.ExpectedCost(t, 1 - t) if 0 < t < 1 else None
        if cost is not None:
            hull = rh.roc_hull(y, p, sample_weight=weights)
            point, known = hull.at(cost), cost.at_prevalence(hull.prevalence)
            assert curve.best[None][i] == pytest.approx(known.net_benefit(point.fpr, point.tpr), abs=1e-9)
    assert (found.low <= found.estimate).all()
    assert (found.estimate <= found.high).all()
    assert (curve.best[None] >= np.maximum(found.estimate, curve.treat_all.estimate) - 1e-12).all()
    assert (curve.best[None] >= -1e-12).all()


def test_of_dcurves_in_r() -> None:
    """Family history of cancer in dcurves' df_binary, by R.

    The counts and net benefits are those of tests/benchmark_data/r_dca_famhistory.csv and r_case1_results.csv
    in MSKCC-Epi-Bio/dcurves (Apache-2.0), which were computed by the R package of D. D. Sjoberg. At a threshold
    of 0 that package takes the limit of small ones.
    """
    y = np.repeat([True, True, False, False], [24, 81, 91, 554])
    p = np.repeat([1.0, 0.0, 1.0, 0.0], [24, 81, 91, 554])
    curve = rh.decision_curve(y, p, [0.05, 0.1, 0.2, 0.3])
    expected = [0.025614035087719297, 0.018518518518518517, 0.0016666666666666635, -0.02000000000000001]
    assert curve.net_benefit[None].estimate == pytest.approx(expected, abs=1e-15)
    curve = rh.decision_curve(y, p, [0.01, 0.05])
    assert curve.treat_all.estimate == pytest.approx([0.13131313131313133, 0.09473684210526317], abs=1e-15)


def test_of_dcurves_in_r_with_a_harm() -> None:
    """The logistic model of a marker in dcurves' df_cancer_dx, by R, where a test costs 0.0333 true positives.

    Counts, net benefits and interventions avoided are those of tests/benchmark_data/r_case3_results.csv in
    MSKCC-Epi-Bio/dcurves (Apache-2.0). With the marker's own probabilities, from LogisticRegression(C=inf) on
    df_cancer_dx.csv there, all 36 thresholds of that file agree to 1e-15.
    """
    at = [0.1, 0.2, 0.35]
    tp, fp = [78, 41, 18], [281, 77, 24]  # of 105 and 645, at these thresholds
    groups = np.diff([*tp[::-1], 105], prepend=0), np.diff([*fp[::-1], 645], prepend=0)
    p = np.tile([0.35, 0.2, 0.1, 0.01], 2).repeat(np.concatenate(groups))
    y = np.repeat([1, 0], [105, 645])
    curve = rh.decision_curve(y, {"marker": p}, at, harm={"marker": 0.0333})
    expected = [0.02907037037037038, -0.004300000000000002, -0.02653076923076923]
    assert curve.net_benefit["marker"].estimate == pytest.approx(expected, abs=1e-15)
    avoided = [-0.13836666666666667, 0.28279999999999994, 0.5507285714285714]
    assert curve.interventions_avoided("marker") == pytest.approx(avoided, abs=1e-14)
    plain = rh.decision_curve(y, {"marker": p}, at)
    assert plain.net_benefit["marker"].estimate - 0.0333 == pytest.approx(expected, abs=1e-15)


def test_models_by_name() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    a, b = expit(rng.normal(y)), expit(rng.normal(2 * y))
    both = rh.decision_curve(y, {"a": a, "b": b}, GRID)
    frame = rh.decision_curve(y, pd.DataFrame({"a": a, "b": b}), GRID)
    for name, values in (("a", a), ("b", b)):
        alone = rh.decision_curve(y, values, GRID)
        for found in (both, frame):
            assert found.net_benefit[name].low.tolist() == alone.net_benefit[None].low.tolist()
            assert found.best[name].tolist() == alone.best[None].tolist()
    assert repr(both) == "DecisionCurve(a, b, 20 thresholds)"
    assert len(rh.decision_curve(y, a).thresholds) == 99


def test_as_a_table() -> None:
    y, scores = [1, 0, 1, 0], {"a": [0.9, 0.8, 0.7, 0.1], "b": [0.6, 0.4, 0.5, 0.3]}
    curve = rh.decision_curve(y, scores, [0.25, 0.5, 0.75])
    frame = curve.to_frame("pandas")
    assert list(frame) == ["model", "threshold", "net_benefit", "low", "high", "treat_all", "treat_none"]
    for name, rows in frame.groupby("model"):
        found = curve.net_benefit[name]
        assert rows["threshold"].tolist() == [0.25, 0.5, 0.75]
        for column, values in (("net_benefit", found.estimate), ("low", found.low), ("high", found.high)):
            assert rows[column].tolist() == values.tolist()
        assert rows["treat_all"].tolist() == curve.treat_all.estimate.tolist()
    assert not frame["treat_none"].any()
    assert str(curve).splitlines()[1].split() == list(frame)[1:]
    assert "model" not in rh.decision_curve(y, scores["a"], [0.5]).to_dict()


def test_avoided_interventions() -> None:
    y, p = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    found = rh.decision_curve(y, p, [0, 0.5]).interventions_avoided()
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(0.25)  # one false alarm of four cases


def test_a_stated_prevalence() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.5
    p = expit(rng.normal(y))
    curve = rh.decision_curve(y, p, [0.2], prevalence=0.1)
    tpr, fpr = (p[y] >= 0.2).mean(), (p[~y] >= 0.2).mean()
    assert curve.net_benefit[None].estimate[0] == pytest.approx(0.1 * tpr - 0.9 * fpr / 4)
    assert curve.treat_all.low == pytest.approx(curve.treat_all.estimate, abs=0.02)


def test_what_is_refused() -> None:
    y = [0, 1]
    with pytest.raises(ValueError, match=r"y_score must lie between 0 and 1, but holds 2\.0 at index 1"):
        rh.decision_curve(y, [0, 2])
    with pytest.raises(ValueError, match=r"y_score\['a'\] must lie between 0 and 1"):
        rh.decision_curve(y, {"a": [0, 2]})
    with pytest.raises(ValueError, match="thresholds must be below 1"):
        rh.decision_curve(y, [0, 1], [0.5, 1])
    with pytest.raises(ValueError, match="prevalence"):
        rh.decision_curve(y, [0, 1], prevalence=0)
    with pytest.raises(ValueError, match="level"):
        rh.decision_curve(y, [0, 1], level=2)


@pytest.mark.long
@pytest.mark.parametrize("stated", [None, 0.3])
def test_coverage(stated: Any) -> None:
    """At three thresholds, of calibrated probabilities: at least as often as chance allows for 0.94."""
    rng, at = np.random.default_rng(3), np.array([0.1, 0.3, 0.5])
    cut = logit(at) - logit(0.3) + 0.5
    truth = 0.3 * norm.sf(cut, 1) - 0.7 * norm.sf(cut) * at / (1 - at)
    covered = np.zeros(3)
    for _ in range(1000):
        y = rng.random(120) < 0.3
        p = expit(rng.normal(y) - 0.5 + logit(0.3))
        found = rh.decision_curve(y, p, at, prevalence=stated).net_benefit[None]
        covered += (found.low <= truth) & (truth <= found.high)
    assert (covered >= 1000 * 0.94 - 3 * np.sqrt(1000 * 0.94 * 0.06)).all()


@pytest.mark.parametrize("stated", [None, 0.1])
def test_differences_on_the_same_cases(stated: Any) -> None:
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    scores = {"a": expit(rng.normal(2 * y)), "b": expit(rng.normal(y))}
    curve = rh.decision_curve(y, scores, GRID, prevalence=stated)
    found, swapped = curve.difference("a", "b"), curve.difference("b", "a")
    apart = curve.net_benefit["a"].estimate - curve.net_benefit["b"].estimate
    np.testing.assert_allclose(found.estimate, apart, atol=1e-12)
    np.testing.assert_allclose(found.low, -np.asarray(swapped.high), atol=1e-12)
    assert (found.low <= found.estimate).all()
    assert (found.estimate <= found.high).all()
    gain = curve.net_benefit["a"].estimate - curve.treat_all.estimate
    np.testing.assert_allclose(curve.difference("a").estimate, gain, atol=1e-12)
    alike = rh.decision_curve(y, {"a": scores["a"], "b": scores["a"]}, GRID, prevalence=stated)
    assert np.abs(alike.difference("a", "b").high[:8]).max() < 0.05  # where the price is low
    assert (np.abs(alike.difference("a", "b").estimate) == 0).all()
    twice = rh.decision_curve(y, scores, GRID, prevalence=stated, sample_weight=np.full(300, 2.0))
    np.testing.assert_allclose(twice.difference("a", "b").low, found.low, atol=1e-9)


def test_a_harm_is_taken_off() -> None:
    y, scores = [1, 0, 1, 0], {"a": [0.9, 0.8, 0.7, 0.1], "b": [0.6, 0.4, 0.2, 0.3]}
    free, dear = rh.decision_curve(y, scores, [0.25]), rh.decision_curve(y, scores, [0.25], harm={"a": 0.1})
    for of in ("estimate", "low", "high"):
        assert getattr(dear.net_benefit["a"], of) == pytest.approx(getattr(free.net_benefit["a"], of) - 0.1)
        assert getattr(dear.net_benefit["b"], of) == getattr(free.net_benefit["b"], of)
        apart = getattr(free.difference("a", "b"), of) - 0.1
        assert getattr(dear.difference("a", "b"), of) == pytest.approx(apart)
    assert dear.best["a"] == pytest.approx(free.best["a"] - 0.1)
    assert rh.decision_curve(y, scores["a"], [0.25], harm=0.1).net_benefit[None].estimate == pytest.approx(
        dear.net_benefit["a"].estimate
    )
    with pytest.raises(ValueError, match="harm names 'c'"):
        rh.decision_curve(y, scores, harm={"c": 0.1})
    with pytest.raises(ValueError, match="harm"):
        rh.decision_curve(y, scores, harm=-1)
    with pytest.raises(ValueError, match="there is no model 'c', but there are 'a', 'b'"):
        free.difference("a", "c")


@pytest.mark.long
@pytest.mark.parametrize("stated", [None, 0.3])
def test_coverage_of_differences(stated: Any) -> None:
    """Of two models that share most of what they know: paired, at least as often as chance allows for 0.94."""
    rng, at = np.random.default_rng(4), np.array([0.1, 0.3, 0.5])
    width, covered = np.zeros(3), np.zeros(3)

    def benefit(shift: float) -> Any:
        cut = (logit(at) - logit(0.3) + shift**2 / 2) / shift
        return 0.3 * norm.sf(cut, shift) - 0.7 * norm.sf(cut) * at / (1 - at)

    strong = np.hypot(1.0, 0.6)
    truth, runs = benefit(strong) - benefit(1.0), 1000
    for _ in range(runs):
        y = rng.random(150) < 0.3
        x, z = rng.normal(y), rng.normal(0.6 * y)
        both = x - 0.5 + 0.6 * z - 0.18
        scores = {"a": expit(both + logit(0.3)), "b": expit(x - 0.5 + logit(0.3))}
        curve = rh.decision_curve(y, scores, at, prevalence=stated)
        found = curve.difference("a", "b")
        covered += (found.low <= truth) & (truth <= found.high)
        alone = [np.asarray(each.high) - each.low for each in curve.net_benefit.values()]
        width += (np.asarray(found.high) - found.low) / np.hypot(*alone) / runs
    assert (covered >= runs * 0.94 - 3 * np.sqrt(runs * 0.94 * 0.06)).all()
    assert (width < 1).all()
    assert (width[1:] < 0.8).all()


def clustered(rng: Any, n_clusters: int, size: int = 6) -> tuple[Any, Any, Any]:
    """Labels and calibrated probabilities of clusters of one class whose scores correlate by one half."""
    own = np.repeat(np.arange(n_clusters), size)
    y = (rng.random(n_clusters) < 0.3)[own]
    noise = (rng.normal(size=n_clusters)[own] + rng.normal(size=own.size)) / np.sqrt(2)
    return y, expit(y + noise - 0.5 + logit(0.3)), own


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("stated", [None, 0.2])
def test_clusters_divide_the_size_by_the_design_effect(stated: Any, weighted: bool) -> None:
    """By loops over cases and clusters: the same benefits, as wide as those of fewer cases."""
    rng, at = np.random.default_rng(7), [0.2, 0.4]
    y, p, own = clustered(rng, 30)
    w = np.ones(y.size) if not weighted else rng.choice([0.0, 1.0, 2.0], y.size)
    options: Any = {"prevalence": stated, "sample_weight": w if weighted else None}
    curve = rh.decision_curve(y, p, at, clusters=own, **options)
    plain = rh.decision_curve(y, p, at, **options)
    for i, t in enumerate(at):
        parts, totals = [], dict.fromkeys(own[w > 0].tolist(), 0.0)
        for k in np.flatnonzero(w > 0).tolist():
            alike = np.ones(y.size, bool) if stated is None else y == y[k]
            share = 1.0 if stated is None else stated if y[k] else 1 - stated
            worth = np.where(y, 1, -t / (1 - t)) * (p >= t)
            mean = np.average(worth[alike], weights=w[alike])
            parts.append(share * w[k] * (worth[k] - mean) / w[alike].sum())
            totals[int(own[k])] += parts[-1]
        alone = np.var(parts) * len(parts) ** 2 / (len(parts) - 1)
        together = np.var([*totals.values()]) * len(totals) ** 2 / (len(totals) - 1)
        found = curve.cases.design_effect(p, None, np.array([t]))[0]
        assert found == pytest.approx(max(1, together / alone))
        wide, narrow = (each.net_benefit[None] for each in (curve, plain))
        assert wide.estimate[i] == narrow.estimate[i]
        ratio = (wide.high[i] - wide.low[i]) / (narrow.high[i] - narrow.low[i])
        assert ratio == pytest.approx(np.sqrt(found), rel=0.2)  # Wilson's grow a little faster


@pytest.mark.parametrize("stated", [None, 0.2])
def test_a_cluster_for_each_case_changes_nothing(stated: Any) -> None:
    rng = np.random.default_rng(8)
    y, p, own = clustered(rng, 30)
    models = {"a": p, "b": rng.permutation(p)}
    plain = rh.decision_curve(y, models, [0.2, 0.4], prevalence=stated)
    curve = rh.decision_curve(y, models, [0.2, 0.4], prevalence=stated, clusters=rng.permutation(y.size))
    whole = rh.decision_curve(y, models, [0.2, 0.4], prevalence=stated, clusters=own)
    assert curve.to_dict() == plain.to_dict()
    assert curve.difference("a", "b").low.tolist() == plain.difference("a", "b").low.tolist()
    assert (
        whole.treat_all.high - whole.treat_all.low > plain.treat_all.high - plain.treat_all.low
    ).all() or stated
    with pytest.raises(ValueError, match="clusters must be at least two"):
        rh.decision_curve(y, p, clusters=np.zeros(y.size))
    with pytest.raises(ValueError, match="clusters"):
        rh.decision_curve(y, p, clusters=own[1:])


def test_probabilities_of_the_negative_class() -> None:
    """One less each, as decimals: 0.9 of a negative is 0.1 of a positive, which meets a threshold of 0.1."""
    y, p = [1, 0, 1, 0, 0], [0.1, 0.2, 0.7, 0.3, 0.9]
    low = [0.9, 0.8, 0.3, 0.7, 0.1]
    at = [0.1, 0.2, 0.3, 0.7, 0.9]
    assert (
        rh.decision_curve(y, low, at, lower_is_positive=True).to_dict()
        == rh.decision_curve(y, p, at).to_dict()
    )


def coverage_with_clusters(runs: int, seed: int, n_clusters: int) -> tuple[Any, Any]:
    """How often intervals with and without clusters cover, at three thresholds."""
    rng, at = np.random.default_rng(seed), np.array([0.1, 0.3, 0.5])
    cut = logit(at) - logit(0.3) + 0.5
    truth = 0.3 * norm.sf(cut, 1) - 0.7 * norm.sf(cut) * at / (1 - at)
    covered = np.zeros((2, 3))
    for _ in range(runs):
        y, p, own = clustered(rng, n_clusters)
        for i, clusters in enumerate((own, None)):
            found = rh.decision_curve(y, p, at, clusters=clusters).net_benefit[None]
            covered[i] += (found.low <= truth) & (truth <= found.high)
    return covered[0] / runs, covered[1] / runs


@pytest.mark.long
def test_coverage_with_clusters() -> None:
    with_them, without = coverage_with_clusters(200, 9, 60)
    assert (with_them >= 0.94 - 3 * np.sqrt(0.94 * 0.06 / 200)).all()
    assert (without < 0.85).all()
