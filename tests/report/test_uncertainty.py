"""How sure a report is: its intervals are the library's, and its text and page show the same numbers."""

import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rochull as rh
from browser import Tab
from refusals import refuses
from rochull._core.threads import Bar
from rochull.report import Uncertainty, uncertainty_wording, wording
from rochull.report import uncertainty_facts as module
from rochull.report.resampled import FixedRule

NAMES = ["naive_bayes", "logistic", "tree"]
COSTS = rh.ExpectedCost(cost_fp=1, cost_fn=5, prevalence=0.3)
DRAWS = 60

Array = np.ndarray[Any, Any]
Table = dict[str, Any]


@pytest.fixture(scope="module")
def table() -> Table:
    """Labels, scores, folds, weights and clusters of the German credit data."""
    loaded = rh.datasets.load("german_credit_scores")
    return {
        "y": (loaded["class"] == "bad").astype(int),
        "scores": {name: loaded[name] for name in NAMES},
        "fold": loaded["fold"],
        "weight": np.random.default_rng(0).integers(1, 5, 1000) / 4,
        "cluster": np.random.default_rng(1).integers(0, 120, 1000),
    }


def hybrid_of(table: Table, weight: Any = None) -> rh.Hybrid:
    hybrid = rh.Hybrid()
    for name, column in table["scores"].items():
        hybrid.add(name, table["y"], column, sample_weight=weight)
    return hybrid


@pytest.fixture(scope="module")
def hybrid(table: Table) -> rh.Hybrid:
    return hybrid_of(table)


def report_of(hybrid: rh.Hybrid, table: Table, condition: Any = COSTS, **options: Any) -> rh.Report:
    given = Uncertainty(table["y"], table["scores"], **{"n_resamples": DRAWS, **options})
    return rh.Report(hybrid, condition, uncertainty=given)


def facts_of(hybrid: rh.Hybrid, table: Table, condition: Any = COSTS, **options: Any) -> dict[str, Any]:
    report = report_of(hybrid, table, condition, **options)
    assert json.loads(report.to_json()) == report.facts  # no NaN, nothing but plain values
    return report.facts["uncertainty"]


def test_single_precision_is_decided_as_by_a_policy() -> None:
    """The float32 nearest to 0.7 is below 0.7, though NumPy rounds the threshold to it."""
    scores = np.float32([0.6, 0.7, 0.8])
    rule = rh.conditions.Rule("threshold", "a", 0.7)
    point = rh.conditions.OperatingPoint(0, 0, ((rule, 0.75), (rh.conditions.Rule("always"), 0.25)))
    called = FixedRule(point, None, {"a": scores}, 3).called
    policy = rh.Policy.from_hull(rh.roc_hull([0, 1], [0.0, 1.0]).named("a"))
    alone = rh.conditions.OperatingPoint(0, 0, ((rule, 1.0),))
    with pytest.warns(UserWarning, match="rounded to float32"):
        assert policy.decide({"a": scores}, alone).tolist() == [False, False, True]
    assert called.tolist() == [0.25, 0.25, 1.0]


def ends(found: Any) -> tuple[Any, Any, Any]:
    if isinstance(found, dict):
        return found["low"], found["estimate"], found["high"]
    return found.low, found.estimate, found.high


# --- the bootstrap -------------------------------------------------------------------------------


def test_areas_are_the_library_s(hybrid: rh.Hybrid, table: Table) -> None:
    facts = facts_of(hybrid, table, level=0.9, random_state=3)
    found = facts["bootstrap"]
    assert (facts["level"], found["n_resamples"], found["clusters"]) == (0.9, DRAWS, None)
    assert [c["name"] for c in found["classifiers"]] == NAMES
    options: dict[str, Any] = {"n_resamples": DRAWS, "level": 0.9, "random_state": 3}
    hull = rh.bootstrap(
        table["y"], table["scores"], lambda s: [s.hull(n).auc() for n in NAMES], method="basic", **options
    )
    membership = rh.uncertainty.hull_membership(
        table["y"], table["scores"], n_resamples=DRAWS, random_state=3
    )
    for i, row in enumerate(found["classifiers"]):
        name = row["name"]
        assert ends(row["auc"]) == ends(rh.auc_interval(table["y"], table["scores"][name], level=0.9))
        assert row["auc"]["estimate"] == pytest.approx(hybrid.auc[name], abs=1e-15)
        assert (row["auc"]["in_sample"], row["auc"]["method"]) == (False, "score")
        assert ends(row["auc_hull"]) == tuple(end[i] for end in ends(hull))
        assert row["auc_hull"]["estimate"] == hybrid.hulls[name].auc()
        assert row["auc_hull"]["bias"] == pytest.approx(hull.bias[i], abs=1e-12)
        assert (row["auc_hull"]["in_sample"], row["auc_hull"]["method"]) == (True, "basic")
        assert (row["on_hull"], row["alone"]) == (membership.classifier[name], membership.alone[name])
    together = found["auc_union"]
    assert together["estimate"] == hybrid.hull.auc()
    assert together["low"] > found["classifiers"][0]["auc_hull"]["low"]
    assert together["in_sample"]
    assert together["bias"] > 0


def test_counts_have_wilson_s_intervals(hybrid: rh.Hybrid, table: Table) -> None:
    found = facts_of(hybrid, table)["bootstrap"]["chosen"]
    point = hybrid.at(COSTS)
    [(rule, _)] = point.rules
    called = table["scores"][rule.classifier] >= rule.threshold
    for name, label in (("fpr", 0), ("tpr", 1)):
        members = table["y"] == label
        expected = rh.rate_interval(called[members].sum(), members.sum(), "wilson")
        assert ends(found[name]) == ends(expected)
        assert found[name]["method"] == "wilson"
        assert found[name]["estimate"] == pytest.approx(getattr(point, name), abs=1e-15)
    cost = found["expected_cost"]
    assert cost["estimate"] == pytest.approx(point.expected_cost(COSTS), abs=1e-12)
    rates = rh.uncertainty.rates_at_threshold(
        table["y"], table["scores"][rule.classifier], rule.threshold, "wilson"
    )
    assert ends(cost) == pytest.approx(ends(rates.expected_cost(COSTS)), abs=1e-15)
    assert cost["method"] == "wilson"
    drawn = found["normalised_cost"]  # in units of 0.7 * 1 + 0.3 * 5
    assert ends(drawn) == pytest.approx([end / 2.2 for end in ends(cost)], abs=1e-15)
    assert all(found[name]["in_sample"] for name in found)


@pytest.mark.parametrize("condition", [COSTS, rh.NeymanPearson(0.15), rh.MinimumRecall(0.97)], ids=str)
def test_a_fixed_rule_is_judged_on_each_replicate(hybrid: rh.Hybrid, table: Table, condition: Any) -> None:
    # Whole clusters are drawn alike, whatever the columns: so the replicates are the same.
    found = facts_of(hybrid, table, condition, clusters=table["cluster"])
    point = hybrid.at(condition)

    def statistic(sample: rh.uncertainty.Resample) -> list[float]:
        rates = sum(
            share
            * (np.array(sample.rates(rule.threshold, rule.classifier)) if rule.threshold else np.ones(2))
            for rule, share in point.rules
        )
        cost = 0.7 * rates[0] + 1.5 * (1 - rates[1])
        return [*rates, cost] if condition is COSTS else [*rates]

    expected = rh.bootstrap(
        table["y"], table["scores"], statistic,
        n_resamples=DRAWS, method="bca", clusters=table["cluster"], random_state=0,
    )  # fmt: skip
    chosen = found["bootstrap"]["chosen"]
    for i, name in enumerate(["fpr", "tpr", "expected_cost"][: len(expected.low)]):
        assert ends(chosen[name]) == pytest.approx([end[i] for end in ends(expected)], abs=1e-12)
        assert chosen[name]["method"] == "bca"
    assert (chosen["expected_cost"] is None) == (condition is not COSTS)
    assert found["bootstrap"]["clusters"] == 120
    assert facts_of(hybrid, table, condition)["bootstrap"]["chosen"] != chosen


def test_a_randomised_rule_has_no_counts(hybrid: rh.Hybrid, table: Table) -> None:
    point = hybrid.at(rh.NeymanPearson(0.15))
    assert len(point.rules) == 2
    found = facts_of(hybrid, table, rh.NeymanPearson(0.15), n_resamples=400)["bootstrap"]["chosen"]
    assert found["fpr"]["method"] == "bca"
    assert found["fpr"]["estimate"] == pytest.approx(0.15, abs=1e-12)
    # Negatives are called with probabilities 0, p and 1: the normal interval of their mean.
    called = np.zeros(1000)
    for rule, share in point.rules:
        called += share * (table["scores"][rule.classifier] >= rule.threshold)
    negatives = called[table["y"] == 0]
    half = 1.96 * negatives.std(ddof=1) / negatives.size**0.5
    assert found["fpr"]["high"] - found["fpr"]["low"] == pytest.approx(2 * half, rel=0.15)


def test_what_the_optimum_keeps(hybrid: rh.Hybrid, table: Table) -> None:
    facts = facts_of(hybrid, table)["bootstrap"]["optimism"]
    found = rh.optimism(table["y"], table["scores"], COSTS, n_resamples=DRAWS, random_state=0)
    assert facts == {name: getattr(found, name) for name in facts}
    assert facts["apparent"] == pytest.approx(hybrid.at(COSTS).expected_cost(COSTS), abs=1e-12)
    with_point = hybrid_of(table).add_point("p", 0.4, 0.86)
    assert facts_of(with_point, table)["bootstrap"]["optimism"] is None


def test_no_replicate_meets_the_condition(
    hybrid: rh.Hybrid, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ValueError("condition is met by 1 of 60 replicates.")

    monkeypatch.setattr("rochull.report.resampled.optimism", fails)
    report = report_of(hybrid, table)
    assert report.facts["uncertainty"]["bootstrap"]["optimism"] is None
    assert "expected on" not in report.to_text()
    assert "on new cases: bootstrap" not in report.to_text()


def test_some_replicates_do_not_meet_the_condition() -> None:
    y, s = [0] * 30 + [1] * 30, [0.0] * 29 + [2.0] + [1.0] * 29 + [3.0]
    condition = rh.MinimumPrecision(0.9999, 0.5)
    hybrid = rh.Hybrid().add("a", y, s)
    many = Uncertainty(y, {"a": s}, n_resamples=100)
    report = rh.Report(hybrid, condition, uncertainty=many)
    failed = report.facts["uncertainty"]["bootstrap"]["optimism"]["n_infeasible"]
    assert 20 < failed < 60  # (1 - 1/30) ** 30 of them lack the one example
    assert f"{failed} replicates could not meet the condition." in report.to_text(width=200)


def test_weights(table: Table) -> None:
    hybrid = hybrid_of(table, table["weight"])
    found = facts_of(hybrid, table, sample_weight=table["weight"], folds=table["fold"])
    rows = found["bootstrap"]["classifiers"]
    options: dict[str, Any] = {"sample_weight": table["weight"]}
    membership = rh.uncertainty.hull_membership(
        table["y"], table["scores"], n_resamples=DRAWS, random_state=0, **options
    )
    for name, row in zip(NAMES, rows, strict=True):
        assert (row["on_hull"], row["alone"]) == (membership.classifier[name], membership.alone[name])
        assert ends(row["auc"]) == ends(rh.auc_interval(table["y"], table["scores"][name], **options))
    chosen, point = found["bootstrap"]["chosen"], hybrid.at(COSTS)
    assert chosen["tpr"]["method"] == "bca"
    assert chosen["tpr"]["estimate"] == pytest.approx(point.tpr, abs=1e-12)
    assert found["folds"]["chosen"]["tpr"]["mean"] == pytest.approx(point.tpr, abs=0.03)


def test_it_is_reproducible(hybrid: rh.Hybrid, table: Table) -> None:
    first, second = (facts_of(hybrid, table) for _ in range(2))
    assert first == second
    assert facts_of(hybrid, table, random_state=1) != first


# --- what little data tell ------------------------------------------------------------------------


def separated() -> tuple[Array, Array]:
    """Twelve positives, all above 108 negatives."""
    return np.repeat([1, 0], [12, 108]), np.random.default_rng(0).permutation(120) / 1000 + np.repeat(
        [1.0, 0.0], [12, 108]
    )


def test_no_certainty_where_the_classes_are_separated() -> None:
    y, score = separated()
    costs = rh.ExpectedCost(cost_fn=10, prevalence=0.1)
    hybrid = rh.Hybrid().add("s", y, score)
    report = rh.Report(hybrid, costs, uncertainty=Uncertainty(y, {"s": score}, n_resamples=60))
    found = report.facts["uncertainty"]["bootstrap"]
    cost, [row] = found["chosen"]["expected_cost"], found["classifiers"]
    assert (cost["low"], cost["estimate"]) == (0, 0)
    assert cost["high"] > 0.2
    assert row["auc"]["low"] == pytest.approx(0.025 ** (1 / 12))
    # All hulls of replicates are that of the data: this is not 1 for sure.
    assert (row["auc_hull"]["low"], row["auc_hull"]["high"]) == (None, None)
    for shown in (report.to_text(), report.to_html()):
        assert "1.000 (unknown)" in shown
        assert "Unknown: all replicates agree" in shown
        assert "(1.000–1.000)" not in shown
    weighted = rh.Hybrid().add("s", y, score, sample_weight=np.full(120, 2.0))
    given = Uncertainty(y, {"s": score}, n_resamples=60, sample_weight=np.full(120, 2.0))
    text = rh.Report(weighted, costs, uncertainty=given).to_text()
    assert "TPR 100.0 % (unknown)" in " ".join(text.split())


def test_areas_of_hulls_end_at_1(table: Table) -> None:
    y, score = separated()
    score = score.copy()
    score[0] = 0.05  # one error
    hybrid = rh.Hybrid().add("s", y, score)
    given = Uncertainty(y, {"s": score}, n_resamples=200)
    found = rh.Report(hybrid, uncertainty=given).facts["uncertainty"]["bootstrap"]["classifiers"][0]
    assert 0.9 < found["auc_hull"]["low"] < found["auc_hull"]["estimate"] < found["auc_hull"]["high"] <= 1


def test_a_single_positive_has_no_delong(table: Table) -> None:
    y, score = np.arange(40) == 30, np.arange(40) % 37
    given = Uncertainty(y, {"s": score}, n_resamples=60)
    with pytest.warns(UserWarning, match="too narrow an interval with 1 of a class"):
        report = rh.Report(rh.Hybrid().add("s", y, score), uncertainty=given)
    assert report.facts["uncertainty"]["bootstrap"]["classifiers"][0]["auc"]["method"] == "bca"


@pytest.mark.parametrize("how", ["plain", "clustered"])
def test_every_stage_labels_its_bar(
    hybrid: rh.Hybrid, table: Table, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def over(bar: Bar, steps: range) -> range:
        seen.append(bar.label)
        return steps

    monkeypatch.setattr(Bar, "over", over)
    facts_of(hybrid, table, clusters=table["cluster"] if how == "clustered" else None)
    stages = ["bootstrap of the hulls", "bootstrap of the optimism", "bootstrap of the ROC band"]
    if how == "clustered":
        stages = ["bootstrap of the areas", stages[0], "bootstrap of the chosen rule", *stages[1:]]
    assert seen == stages


# --- bands ---------------------------------------------------------------------------------------


def test_bands_of_the_chosen_classifiers(hybrid: rh.Hybrid, table: Table) -> None:
    facts = facts_of(hybrid, table)["bootstrap"]["bands"]
    [name] = hybrid.at(COSTS).classifiers
    [band] = facts
    expected = rh.roc_band(table["y"], table["scores"][name], n_resamples=DRAWS, random_state=0)
    assert band == {
        "name": name, "fpr": expected.fpr.tolist(), "low": expected.low.tolist(),
        "high": expected.high.tolist(), "method": "simultaneous",
    }  # fmt: skip
    assert facts_of(hybrid, table, None)["bootstrap"]["bands"] == []
    alone = rh.Hybrid().add("tree", table["y"], table["scores"]["tree"])
    given = Uncertainty(table["y"], {"tree": table["scores"]["tree"]}, n_resamples=DRAWS)
    [only] = rh.Report(alone, uncertainty=given).facts["uncertainty"]["bootstrap"]["bands"]
    assert only["name"] == "tree"


# --- folds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "condition",
    [COSTS, rh.NeymanPearson(0.15), rh.ExpectedCost(1, 0.0, 0.5), rh.ExpectedCost(0.0, 1, prevalence=0.5)],
    ids=str,
)
def test_folds_by_hand(hybrid: rh.Hybrid, table: Table, condition: Any) -> None:
    found = facts_of(hybrid, table, condition, n_resamples=0, folds=table["fold"])
    assert found["bootstrap"] is None
    assert found["folds"]["n_folds"] == 10
    called = np.zeros(1000)
    for rule, share in hybrid.at(condition).rules:
        if rule.kind == "threshold":
            called += share * (table["scores"][rule.classifier] >= rule.threshold)
        else:
            called += share * (rule.kind == "always")
    values: dict[str, list[float]] = {"fpr": [], "tpr": [], "expected_cost": []}
    for fold in np.unique(table["fold"]):
        here = table["fold"] == fold
        fpr, tpr = (called[here & (table["y"] == label)].mean() for label in (0, 1))
        values["fpr"].append(fpr)
        values["tpr"].append(tpr)
        if isinstance(condition, rh.ExpectedCost):
            values["expected_cost"].append(condition.cost(fpr, tpr))
    for name, column in values.items():
        row = found["folds"]["chosen"][name]
        if not column:
            assert row is None
            continue
        std = np.std(column, ddof=1)
        expected = {"mean": np.mean(column), "std": std, "sem": std / 10**0.5, "in_sample": True}
        assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("cost_fn", "rate"), [(1e6, 1.0), (1e-6, 0.0)])
def test_constant_rules(cost_fn: float, rate: float) -> None:
    y, s, fold = [0, 0, 1, 1, 0, 1], [6, 2, 4, 1, 3, 5], [0, 1, 0, 1, 0, 1]  # the ends are on the wrong side
    given = Uncertainty(y, {"a": s}, n_resamples=39, folds=fold)
    report = rh.Report(
        rh.Hybrid().add("a", y, s), rh.ExpectedCost(1, cost_fn, prevalence=0.5), uncertainty=given
    )
    assert report.facts["chosen"]["rules"][0]["rule"]["kind"] == ("always" if rate else "never")
    found = report.facts["uncertainty"]
    for name in ("fpr", "tpr"):
        assert found["folds"]["chosen"][name] == {"mean": rate, "std": 0, "sem": 0, "in_sample": True}
        low, estimate, high = ends(found["bootstrap"]["chosen"][name])
        assert estimate == rate
        assert (low, high) == pytest.approx((0.4385, 1.0) if rate else (0.0, 0.5615), abs=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_in_the_folds(table: Table, weighted: bool) -> None:
    weight = table["weight"] if weighted else np.ones(table["y"].size)
    options: dict[str, Any] = {"sample_weight": weight} if weighted else {}
    hybrid = hybrid_of(table, options.get("sample_weight"))
    found = facts_of(hybrid, table, None, n_resamples=0, folds=table["fold"], **options)["folds"]
    assert found["chosen"] is None
    for row in found["classifiers"]:
        areas = [
            rh.roc_auc(table["y"][here], table["scores"][row["name"]][here], sample_weight=weight[here])
            for here in (table["fold"] == fold for fold in np.unique(table["fold"]))
        ]
        assert row["auc"]["mean"] == pytest.approx(np.mean(areas), abs=1e-12)
        assert row["auc"]["sem"] == pytest.approx(np.std(areas, ddof=1) / 10**0.5, abs=1e-12)


# --- what is refused -------------------------------------------------------------------------------


def test_classifiers_without_scores(table: Table) -> None:
    hybrid = hybrid_of(table).add_point("p", 0.05, 0.9)
    found = facts_of(hybrid, table, folds=table["fold"])
    row = found["bootstrap"]["classifiers"][-1]
    assert row == {"name": "p", "auc": None, "auc_hull": None, "on_hull": None, "alone": None}
    assert found["folds"]["classifiers"][-1] == {"name": "p", "auc": None}
    assert hybrid.at(COSTS).classifiers == ("p",)
    assert found["bootstrap"]["chosen"] is found["folds"]["chosen"] is found["bootstrap"]["auc_union"] is None
    text = report_of(hybrid, table).to_text()
    assert "the chosen rule" not in text
    assert "all together" not in text
    alone = rh.Hybrid().add_point("p", 0.05, 0.9)
    empty = rh.Report(alone, uncertainty=Uncertainty(table["y"], {}, n_resamples=DRAWS))
    assert empty.facts["uncertainty"]["bootstrap"]["classifiers"] == [row]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_resamples": 0}, "n_resamples is 0 and there are no folds"),
        ({"n_resamples": 0, "folds": [0] * 1000, "clusters": [0] * 1000}, "clusters have no effect"),
        ({"n_resamples": 38}, "n_resamples must be an integer of at least 39 for 95 % intervals, but is 38"),
        ({"n_resamples": 60, "level": 0.99}, "an integer of at least 199 for 99 % intervals, but is 60"),
        ({"n_resamples": 60.5}, "n_resamples must be an integer of at least 39"),
        ({"level": 1.0}, "level must lie strictly between 0 and 1"),
        ({"y_true": np.zeros(1000)}, "y_true has one class only"),
        ({"scores": np.zeros(1000)}, "scores must hold a named column for each classifier"),
        ({"scores": {"naive_bayes": np.zeros(1000)}}, "scores has no column 'logistic'"),
        ({"folds": np.zeros(1000)}, "folds must name at least two folds"),
        ({"folds": np.arange(1000) // 999}, "fold 1 has no"),
        ({"folds": [0, 1]}, "y_true and folds must have the same length"),
        ({"clusters": [0, 1]}, "y_true and clusters must have the same length"),
        ({"y_true": np.arange(1000) % 2}, "scores of 'naive_bayes' have AUC 0.5.* give the same examples"),
        ({"sample_weight": np.arange(1000)}, "have AUC .* and those that the hybrid was made from"),
    ],
)
def test_bad_input(hybrid: rh.Hybrid, table: Table, change: dict[str, Any], message: str) -> None:
    given = {"y_true": table["y"], "scores": table["scores"], "n_resamples": DRAWS, **change}
    refuses(message, lambda: rh.Report(hybrid, COSTS, uncertainty=Uncertainty(**given)))


def test_scores_of_somebody_else(hybrid: rh.Hybrid, table: Table) -> None:
    scores = table["scores"] | {"other": np.zeros(1000)}
    with pytest.raises(ValueError, match="scores of 'other' are given, but the hybrid was made from none"):
        rh.Report(hybrid, COSTS, uncertainty=Uncertainty(table["y"], scores))


def test_labels_of_any_kind(hybrid: rh.Hybrid, table: Table) -> None:
    import polars as pl

    words = np.where(table["y"] == 1, "bad", "good")
    frame = pl.DataFrame(table["scores"])
    assert facts_of(hybrid, {"y": words, "scores": frame}, pos_label="bad") == facts_of(hybrid, table)
    refuses("give pos_label", Uncertainty, words, frame)


# --- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "estimate", "high", "as_percent", "text"),
    [
        (0.757, 0.7899, 0.8168, False, "0.790 (0.757–0.817)"),
        (0.99931, 0.99962, 0.9999, False, "0.9996 (0.9993–0.9999)"),
        (0.3593, 0.3957, 0.4330, True, "39.6 % (35.9–43.3 %)"),
        (0.1, 0.5, 0.9, True, "50 % (10–90 %)"),
        (0.9878, 1.0, 1.0, True, "100.00 % (98.78–100.00 %)"),
        (1.0, 1.0, 1.0, False, "1.000 (1.000–1.000)"),
        (-0.0123, 0.01, 0.03, False, "0.010 (−0.012 to 0.030)"),
        (None, 1.0, None, False, "1.000 (unknown)"),
        (None, 1.0, None, True, "100.0 % (unknown)"),
        (1180.2, 1234.5, 1301.4, False, "1,234 (1,180–1,301)"),
    ],
)
def test_intervals_in_words(low: float, estimate: float, high: float, as_percent: bool, text: str) -> None:
    found = {"low": low, "estimate": estimate, "high": high}
    assert wording.interval(found, as_percent=as_percent) == text
    assert wording.interval(None) == "–"


def test_spreads_in_words() -> None:
    assert wording.spread({"mean": 0.787, "sem": 0.0164}) == "0.787 ± 0.016"
    assert wording.spread({"mean": 0.787, "sem": 0.0471}) == "0.79 ± 0.05"
    assert wording.spread({"mean": 0.85, "sem": 0.0273}, as_percent=True) == "85.0 % ± 2.7 %"
    assert wording.spread({"mean": 1.0, "sem": 0.0}, as_percent=True) == "100.0 % ± 0.0 %"
    assert wording.spread(None) == "–"


CONDITIONS = [COSTS, rh.NeymanPearson(0.05), rh.MinimumRecall(0.9), rh.Utility(lambda f, t: t - f), None]


@pytest.mark.crossed
@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("how", ["both", "bootstrap", "folds"])
def test_text_and_page_show_the_same(hybrid: rh.Hybrid, table: Table, condition: Any, how: str) -> None:
    n_resamples, folds = 0 if how == "folds" else DRAWS, None if how == "bootstrap" else table["fold"]
    report = report_of(hybrid, table, condition, n_resamples=n_resamples, folds=folds)
    text, page = report.to_text(), report.to_html()
    assert max(map(len, text.splitlines())) <= 80
    shown = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    tables = [uncertainty_wording.sure_of_rule(report.facts), uncertainty_wording.sure_of_areas(report.facts)]
    assert (tables[0] is None) == (condition is None)
    for found in filter(None, tables):
        columns, rows = found
        for cells in rows:
            assert len(cells) == len(columns)
            assert all(cell in text and cell in shown for cell in cells)
            assert re.search(r"\s+".join(map(re.escape, cells)), text)  # in one line, in this order
    assert ("in the folds" in shown) == (how != "bootstrap")
    assert ("AUC of its hull (in-sample)" in shown) == (how != "folds")
    assert ("and their intervals need not cover" in text) == (how != "folds")
    assert ("These data chose the rule" in text) == (condition is not None and how != "folds")
    assert wording.how_sure(report.facts) in shown


@pytest.mark.parametrize("prevalence", [None, 0.2])
def test_where_the_cost_s_interval_takes_a_measured_prevalence_as_known(
    tab: Tab, tmp_path: Path, hybrid: rh.Hybrid, table: Table, prevalence: float | None
) -> None:
    report = report_of(hybrid, table, rh.ExpectedCost(1, 5, prevalence), n_resamples=DRAWS)
    said = "The interval of the cost takes the prevalence as known, although it was measured on these cases"
    page = " ".join(report.to_html().split())
    for shown in (" ".join(report.to_text().split()), page):
        assert shown.count(said) == (prevalence is None)
    report.save(tmp_path / "r.html")
    with tab(tmp_path / "r.html") as opened:
        told = opened.locator("#answer p [data-own]").inner_text()
    assert ("include the sampling error of the prevalence (but for that of the cost" in told) == (
        prevalence is None
    )
    assert ("They take costs and the prevalence as known" in told) == (prevalence is not None)


METHODS = {
    "plain": (
        {},
        "Rates of the rule: Wilson's; its cost: both rates’ combined (MOVER); on new cases: bootstrap (optimism); AUC: DeLong's, made",
    ),
    "clustered": (
        {"clusters": "cluster"},
        "Rates and cost of the rule: bootstrap (BCa); on new cases: bootstrap (optimism); AUC: bootstrap (B",
    ),
}


@pytest.mark.parametrize("how", METHODS)
def test_every_column_names_its_method(hybrid: rh.Hybrid, table: Table, how: str) -> None:
    options, text = METHODS[how]
    named = {key: table[column] for key, column in options.items()}
    report = report_of(hybrid, table, **named)
    page = html.unescape(" ".join(re.sub(r"<[^>]*>", " ", report.to_html()).split()))
    for shown in (" ".join(report.to_text().split()), page):
        assert f"Intervals by method. {text}" in shown
        assert "area of a hull: bootstrap (basic)" in shown
        assert ("there are no counts" in shown) == (how == "clustered")
    assert "shaded band: bootstrap (simultaneous)" in page
    assert "shaded band" not in report.to_text()  # it is not drawn there


def test_headlines_carry_their_intervals(hybrid: rh.Hybrid, table: Table) -> None:
    report = report_of(hybrid, table, folds=table["fold"])
    boot = report.facts["uncertainty"]["bootstrap"]
    text, page = (
        " ".join(report.to_text().split()),
        " ".join(re.sub(r"<[^>]*>", "", report.to_html()).split()),
    )
    rule = text[text.index("Best rule:") : text.index("Compared with other rules")]
    for name in ("fpr", "tpr", "expected_cost"):
        shown = wording.interval(boot["chosen"][name], as_percent=name != "expected_cost")
        assert shown in rule
        assert shown in page
    assert f"Area under the joint convex hull {wording.interval(boot['auc_union'])}" in text
    assert f"Area under the joint convex hull {wording.interval(boot['auc_union'])} (in-sample)" in page
    only = report_of(hybrid, table, n_resamples=0, folds=table["fold"])
    sem = only.facts["uncertainty"]["folds"]["chosen"]["tpr"]["sem"]
    point = only.facts["chosen"]["tpr"]
    assert f"TPR {100 * point:.1f} % ± {100 * sem:.1f} %" in " ".join(only.to_text().split())


def test_in_sample_is_said_where_other_numbers_are_held_out(hybrid: rh.Hybrid, table: Table) -> None:
    report = report_of(hybrid, table, rh.NeymanPearson(0.15), folds=table["fold"])
    text = " ".join(report.to_text(width=400).split())
    assert "the rule was chosen on the cases that it is measured on " in text
    assert "in the folds\n(in-sample)" in uncertainty_wording.sure_of_rule(report.facts)[0]


def test_a_number_and_its_unit_stay_in_one_line(hybrid: rh.Hybrid, table: Table) -> None:
    report = report_of(hybrid, table, rh.NeymanPearson(0.05), folds=table["fold"])
    for width in range(80, 100):  # of tables that fit
        assert not [row for row in report.to_text(width).splitlines() if re.match(r"\s*%|\s*±", row)]


def test_nothing_is_said_where_nothing_is_known(hybrid: rh.Hybrid) -> None:
    report = rh.Report(hybrid, COSTS)
    assert report.facts["uncertainty"] is None
    assert "How sure" not in report.to_text()
    assert 'id="sure"' not in report.to_html()


def test_the_words_of_optimism(hybrid: rh.Hybrid, table: Table) -> None:
    report = report_of(hybrid, table, rh.NeymanPearson(0.05))
    kept = report.facts["uncertainty"]["bootstrap"]["optimism"]
    for by, words in (
        (0.021, ", and flatter its true positive rate (40.0 %) by 2.1 p"),
        (-0.001, ", but do not"),
    ):
        kept |= {"apparent": 0.4, "optimism": by, "corrected": 0.4 - by}
        assert words in str(uncertainty_wording.optimism(report.facts))


def test_names_are_only_text(table: Table) -> None:
    names = ['</script><img src=x onerror="alert(1)">', "<b>{{ 7 * 7 }}</b>", "[red]\x1b[31m", "x" * 200]
    scores = dict(zip(names, [*table["scores"].values(), table["scores"]["tree"]], strict=True))
    hybrid = hybrid_of(table | {"scores": scores})
    report = report_of(hybrid, table | {"scores": scores}, n_resamples=39, folds=table["fold"])
    page = report.to_html()
    assert "<img" not in page
    assert "&lt;b&gt;{{ 7 * 7 }}&lt;/b&gt;" in page
    text = report.to_text()
    assert max(map(len, text.splitlines())) <= 80
    assert all(c == "\n" or c.isprintable() for c in text)
    assert "[red]" in text


def test_the_schema_is_documented(hybrid: rh.Hybrid, table: Table) -> None:
    assert module.__doc__ is not None

    def keys(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(keys, value.values()))
        return set().union(*map(keys, value)) if isinstance(value, list) else set()

    found = keys(facts_of(hybrid, table, folds=table["fold"], clusters=table["cluster"]))
    assert found <= set(re.findall(r"``(\w+)``", module.__doc__))
    assert {"auc_union", "on_hull", "corrected", "sem"} <= found
