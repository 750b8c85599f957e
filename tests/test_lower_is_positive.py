"""Scores of which low ones are positive: whatever is done with them is what is done with negated ones."""

import json
import re
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rochull as rh
from command_line import Outcome, Run
from profiles import tries
from rochull.cli import app
from rochull.report import Segmentation, Uncertainty
from sql_cases import DIALECTS

COSTS, LIMIT = rh.ExpectedCost(1, 3, 0.3), rh.NeymanPearson(0.2)
KEYS = np.arange(400)


def table(seed: int = 0, n: int = 400) -> pd.DataFrame:
    """A distance, the same negated, a score, and what else rows have."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.integers(0, 2, n - 2), [0, 1])
    distance = np.round(rng.normal(size=n) - y, 1)
    return pd.DataFrame(
        {
            "y": y,
            "distance": distance,
            "negated": 0 - distance,
            "score": np.round(rng.normal(size=n) + y, 2),
            "weight": rng.choice([0.5, 1.0, 2.5], n),
            "kind": rng.choice(["a", "b"], n),
            "fold": np.arange(n) % 5,
            "key": np.arange(n),
        }
    )


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return table()


def in_duckdb(sql: str, cases: pd.DataFrame) -> list[bool]:
    """What an expression says of each case, in the order of their keys."""
    with duckdb.connect() as connection:
        connection.register("cases", pa.Table.from_pandas(cases))
        return [row[0] for row in connection.execute(f"SELECT {sql} FROM cases ORDER BY key").fetchall()]


def assert_mirrored(found: Any, expected: Any) -> None:
    """Check that two hulls or curves are the same, and their thresholds negated."""
    np.testing.assert_array_equal(found.fpr, expected.fpr)
    np.testing.assert_array_equal(found.tpr, expected.tpr)
    np.testing.assert_array_equal(found.thresholds, 0 - expected.thresholds)


NUMBERS = st.one_of(
    st.lists(st.sampled_from([-0.0, 0.0, 0.5, 1e300, -np.inf, np.inf, -3.0]), min_size=6, max_size=6),
    st.lists(st.integers(-(2**63) + 1, 2**63 - 1), min_size=6, max_size=6),
    st.lists(st.integers(0, 2**63), min_size=6, max_size=6),
    st.lists(st.booleans(), min_size=6, max_size=6),
)


@given(NUMBERS, st.lists(st.integers(0, 1), min_size=4, max_size=4), st.booleans())
@tries(200)
def test_hulls_curves_and_areas_are_mirrored(scores: list[Any], labels: list[int], weighted: bool) -> None:
    y, weights = [*labels, 0, 1], [1, 2, 3, 0.5, 1, 1] if weighted else None
    options: dict[str, Any] = {"sample_weight": weights}
    turned = [-int(s) if isinstance(s, (bool, int)) else 0 - s for s in scores]
    lower = {**options, "lower_is_positive": True}
    assert_mirrored(rh.roc_hull(y, scores, **lower), rh.roc_hull(y, turned, **options))
    assert_mirrored(rh.roc_curve(y, scores, **lower), rh.roc_curve(y, turned, **options))
    assert rh.roc_auc(y, scores, **lower) == rh.roc_auc(y, turned, **options)
    assert rh.roc_auc(y, scores, max_fpr=0.4, **lower) == rh.roc_auc(y, turned, max_fpr=0.4, **options)


def test_what_the_caller_gave_is_left_alone() -> None:
    scores = np.array([3.0, -0.0, 1.0])
    rh.roc_hull([0, 1, 1], scores, lower_is_positive=True)
    assert scores.tolist() == [3.0, 0.0, 1.0]


def test_words_and_documents_say_it() -> None:
    hull = rh.roc_hull([1, 1, 0, 1, 0], [0, 1, 2, 3, 4], lower_is_positive=True)
    assert hull.thresholds.tolist() == [-np.inf, 1, 3, 4]
    assert [str(rule) for (rule,) in hull.owners] == ["never", "score <= 1", "score <= 3", "always"]
    policy = rh.Policy.from_hull(hull)
    written = json.loads(policy.to_json())
    assert written["points"][1]["rules"][0]["lower_is_positive"] is True
    assert rh.Policy.from_json(policy.to_json()).hull.owners == policy.hull.owners
    assert "lower_is_positive" not in rh.Policy.from_hull(rh.roc_hull([0, 1], [0, 1])).to_json()
    zero = rh.roc_hull([1, 0, 1, 0], [0.0, 0.5, 1.0, 2.0], lower_is_positive=True)
    assert str(zero.owners[1][0]) == "score <= 0.0"


def damaged(policy: rh.Policy, **changes: Any) -> dict[str, Any]:
    """The policy's document with other fields in its second rule, sealed again."""
    document = policy.to_dict()
    document.pop("checksum")
    document["points"][1]["rules"][0].update(changes)
    return rh.Policy.schema.sealed({k: v for k, v in document.items() if k not in ("format", "version")})


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"lower_is_positive": False}, "both low and high scores of 'score' are positive"),
        ({"lower_is_positive": 1}, "true or false"),
        ({"threshold": 4.0}, "is not above the one before it"),
    ],
)
def test_documents_that_contradict_themselves_are_refused(changes: dict[str, Any], why: str) -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([1, 1, 0, 1, 0], [0.0, 1, 2, 3, 4], lower_is_positive=True))
    with pytest.raises(ValueError, match=why):
        rh.Policy.from_dict(damaged(policy, **changes))


def hybrids(rows: pd.DataFrame, **options: Any) -> tuple[rh.Hybrid, rh.Hybrid]:
    """Of the distance and the score, and of the negated distance under the same name."""
    one, other = rh.Hybrid(), rh.Hybrid()
    one.add("d", rows.y, rows.distance, lower_is_positive=True, **options).add("s", rows.y, rows.score)
    other.add("d", rows.y, rows.negated, **options).add("s", rows.y, rows.score)
    return one, other


@pytest.mark.parametrize("condition", [COSTS, LIMIT, rh.Capacity(cases=77), rh.MinimumRecall(0.8, 0.9)])
@pytest.mark.parametrize("curve", [False, True])
def test_policies_of_several_classifiers_decide_alike(
    rows: pd.DataFrame, condition: Any, curve: bool
) -> None:
    one, other = hybrids(rows, curve=curve)
    scores, turned = {"d": rows.distance, "s": rows.score}, {"d": rows.negated, "s": rows.score}
    capacity = isinstance(condition, rh.Capacity)
    asked = [condition] * 2 if capacity else [h.at(condition) for h in (one, other)]
    found, expected = (
        h.policy().decide(columns, point, key=KEYS)
        for h, columns, point in zip((one, other), (scores, turned), asked, strict=True)
    )
    np.testing.assert_array_equal(found, expected)
    if capacity:
        ranks = [
            h.policy().rank(columns, condition, key=KEYS).rank
            for h, columns in ((one, scores), (other, turned))
        ]
        np.testing.assert_array_equal(*ranks)


def test_prevalence_need_and_assurance_are_alike(rows: pd.DataFrame) -> None:
    one, other = hybrids(rows)
    scores, turned = {"d": rows.distance, "s": rows.score}, {"d": rows.negated, "s": rows.score}
    by = [h.policy().estimate_prevalence({"d": c["d"]}) for h, c in ((one, scores), (other, turned))]
    assert by[0] == by[1]
    hull = rh.roc_hull(rows.y, rows.distance, lower_is_positive=True)
    mirrored = rh.roc_hull(rows.y, rows.negated)
    assert rh.estimate_prevalence(rows.distance, hull) == rh.estimate_prevalence(rows.negated, mirrored)
    made = rh.PavCalibrator(bound="laplace", lower_is_positive=True).fit(rows.distance, rows.y)
    plain = rh.PavCalibrator(bound="laplace").fit(rows.negated, rows.y)
    assert rh.estimate_prevalence(rows.distance, made) == rh.estimate_prevalence(rows.negated, plain)
    assert str(one.need(COSTS, rows.y, scores)) == str(other.need(COSTS, rows.y, turned))
    split = table(1)
    sure = rh.NeymanPearson(0.3, confidence=0.9)
    found = one.assured(sure, split.y, {"d": split.distance, "s": split.score})
    expected = other.assured(sure, split.y, {"d": split.negated, "s": split.score})
    assert (found.point.fpr, found.point.tpr) == (expected.point.fpr, expected.point.tpr)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_says_at_most(dialect: str) -> None:
    policy = rh.Policy.from_hull(rh.roc_hull([1, 0, 1, 0], [0.5, 1.5, 2.5, 3.5], lower_is_positive=True))
    point = policy.hull.at(rh.NeymanPearson(0), deterministic=True)
    assert re.match(r"COALESCE\(.score. <= CAST\('0\.5' AS", policy.to_sql(point, dialect))


@pytest.mark.filterwarnings("ignore:scores. [0-9]+ of [0-9]+ cases have a threshold:UserWarning")
@pytest.mark.parametrize(
    "threshold", [2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**64 - 1, 0.5, 3]
)
def test_sql_decides_like_python_near_the_ends_of_types(threshold: float) -> None:
    rule = rh.conditions.Rule("threshold", "x", threshold, lower_is_positive=True)
    point = rh.conditions.OperatingPoint(0.0, 0.0, ((rule, 1.0),))
    policy = rh.Policy.from_hull(rh.roc_hull([1, 0], [0.5, 1.5], lower_is_positive=True).named("x"))
    sql = policy.to_sql(point, "duckdb")
    for kind in ("int64", "uint64", "int32", "float64", "float32"):
        near = [int(threshold) + step for step in (-2, -1, 0, 1, 2)]
        if kind.startswith("float"):
            values = np.array([*near, np.nan, np.inf, -np.inf], float).astype(kind)
        else:
            info = np.iinfo(kind)
            values = np.array([n for n in near if info.min <= n <= info.max] + [0, info.min, info.max], kind)
        found = in_duckdb(sql, pd.DataFrame({"x": values, "key": np.arange(values.size)}))
        expected = [not np.isnan(v) and v.item() <= threshold for v in values]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* missing values", UserWarning)
            assert found == expected == policy.decide({"x": values}, point).tolist()


# --- scans ---------------------------------------------------------------------------------------


@pytest.mark.crossed
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("source", ["frame", "csv", "parquet"])
def test_scans_are_mirrored(
    rows: pd.DataFrame, tmp_path: Path, engine: Any, weight: str | None, source: str
) -> None:
    data: Any = rows
    if source != "frame":
        data = tmp_path / f"t.{source}"
        getattr(rows, f"to_{source}")(data, index=False)
    options: dict[str, Any] = {"label": "y", "weight": weight, "engine": engine}
    if source != "parquet" or weight:  # else the files are read by Arrow alone
        options |= {"segment": "kind", "fold": "fold", "key": "key"}
    one = rh.scan(data, scores=["distance", "score"], lower_is_positive=["distance"], **options)
    other = rh.scan(data, scores=["negated", "score"], **options)
    for by in [None, *(kind for kind in ("segment", "fold") if kind in options)]:
        found, expected = one.roc_hulls(by=by), other.roc_hulls(by=by)
        for key in [None] if by is None else expected:
            own, mirrored = (found, expected) if by is None else (found[key], expected[key])
            assert_mirrored(own["distance"], mirrored["negated"])
            assert own["score"].thresholds.tolist() == mirrored["score"].thresholds.tolist()
    assert_mirrored(one.roc_curves()["distance"], other.roc_curves()["negated"])
    areas = one.auc(exact=True)["distance"], other.auc(exact=True)["negated"]
    assert (
        float(areas[0])
        == float(areas[1])
        == rh.roc_auc(rows.y, rows.negated, sample_weight=weight and rows[weight])
    )
    steps = [
        one.called_positive([0.5, None, -1], "distance"),
        other.called_positive([-0.5, None, 1], "negated"),
    ]
    np.testing.assert_array_equal(steps[0].called, steps[1].called)
    np.testing.assert_array_equal(one.examples("distance")[0], 0 - other.examples("negated")[0])
    if "fold" in options:
        averages = [
            scan.operating_point_average(name, points)
            for scan, name, points in ((one, "distance", [-1.0, 0.5]), (other, "negated", [1.0, -0.5]))
        ]
        np.testing.assert_array_equal(averages[0].thresholds, 0 - averages[1].thresholds)
        np.testing.assert_array_equal(averages[0].tpr_mean, averages[1].tpr_mean)
        assert_mirrored(averages[0].hull(), averages[1].hull())
    assert_mirrored(rh.Hybrid.from_scan(one).hulls["distance"], rh.Hybrid.from_scan(other).hulls["negated"])


@pytest.mark.parametrize(
    "measure",
    [
        rh.eer,
        rh.min_cllr,
        rh.h_measure,
        lambda *examples, **low: rh.min_dcf(*examples, [0.2, 0.7], **low).tolist(),
    ],
)
def test_measures_of_the_order(rows: pd.DataFrame, measure: Any) -> None:
    expected = measure(rows.y, rows.negated, sample_weight=rows.weight)
    assert measure(rows.y, rows.distance, sample_weight=rows.weight, lower_is_positive=True) == expected


@pytest.mark.parametrize(
    ("given_", "why"),
    [
        (["distnace"], "lower_is_positive names 'distnace', which is not one of the scores 'distance'"),
        ("distance", "lower_is_positive must be a list of columns, but is 'distance'"),
        (1, "lower_is_positive must be True or False, but is 1"),
    ],
)
def test_columns_that_are_none_are_refused(rows: pd.DataFrame, given_: Any, why: str) -> None:
    for door in (rh.scan, rh.Hybrid.from_table):
        with pytest.raises(ValueError, match=why):
            door(rows, label="y", scores=["distance"], lower_is_positive=given_)
    with pytest.raises(ValueError, match="lower_is_positive must be True or False"):
        rh.roc_hull(rows.y, rows.distance, lower_is_positive="distance")  # type: ignore[arg-type]


# --- calibrators ---------------------------------------------------------------------------------


MAPS: list[Any] = [
    rh.PavCalibrator(),
    rh.PavCalibrator("linear", "laplace"),
    rh.PavCalibrator("linear", "elub", strict=True),
    rh.LogisticCalibrator(),
    rh.LogisticCalibrator(0.4, targets="platt"),
]


@pytest.mark.parametrize("plain", MAPS, ids=repr)
def test_calibrators_are_mirrored(rows: pd.DataFrame, plain: Any) -> None:
    from sklearn.base import clone

    made = clone(plain).set_params(lower_is_positive=True).fit(rows.distance, rows.y, rows.weight)
    plain = clone(plain).fit(rows.negated, rows.y, rows.weight)
    new = np.linspace(-4, 4, 101)
    restored = type(made).from_json(made.to_json())
    assert restored.lower_is_positive is True
    for one in (made, restored):
        np.testing.assert_array_equal(one.llr(new), plain.llr(-new))
        np.testing.assert_array_equal(one.posterior(new, 0.2), plain.posterior(-new, 0.2))
        np.testing.assert_array_equal(one.decide(new, COSTS), plain.decide(-new, COSTS))
    assert "lower_is_positive" not in plain.to_json()


@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_beta_maps_probabilities_of_the_other_class(rows: pd.DataFrame, parameters: str) -> None:
    p = 1 / (1 + np.exp(-2 * rows.distance.to_numpy()))
    made = rh.BetaCalibrator(parameters, lower_is_positive=True).fit(p, rows.y)
    plain = rh.BetaCalibrator(parameters).fit(1 - p, rows.y)
    np.testing.assert_allclose(made.llr(p), plain.llr(1 - p), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(rh.BetaCalibrator.from_json(made.to_json()).llr(p), made.llr(p))


def test_venn_abers_is_mirrored(rows: pd.DataFrame) -> None:
    made = rh.VennAbers(lower_is_positive=True).fit(rows.distance, rows.y)
    plain, new = rh.VennAbers().fit(rows.negated, rows.y), np.linspace(-4, 4, 101)
    np.testing.assert_array_equal(np.stack(made.interval(new)), np.stack(plain.interval(-new)))
    np.testing.assert_array_equal(made.transform(new), plain.transform(-new))


def test_a_slope_is_that_of_the_scores_that_were_given(rows: pd.DataFrame) -> None:
    made = rh.LogisticCalibrator(lower_is_positive=True).fit(rows.distance, rows.y)
    assert made.slope_ < 0
    np.testing.assert_array_equal(made.llr([0.5]), [made.slope_ * 0.5 + made.intercept_])


def test_fitting_a_scan_needs_its_direction(rows: pd.DataFrame) -> None:
    scan = rh.scan(rows, label="y", scores="distance", segment="kind", lower_is_positive=True)
    by_rows = rh.PavCalibrator(lower_is_positive=True).fit(rows.distance, rows.y)
    by_scan = rh.PavCalibrator(lower_is_positive=True).fit_scan(scan)
    assert by_scan.to_json() == by_rows.to_json()
    for fitted in (rh.PavCalibrator(), rh.ErrorRedistribution(shrinkage=0)):
        with pytest.raises(ValueError, match="False, but the scan was made with True for 'distance'"):
            fitted.fit_scan(scan)


# --- segments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["pav", "gaussian", "fixed"])
def test_thresholds_by_segment_are_mirrored(rows: pd.DataFrame, model: str) -> None:
    aux = {"kind": rows.kind}
    made = rh.ErrorRedistribution(model, shrinkage=0, lower_is_positive=True)
    plain = rh.ErrorRedistribution(model, shrinkage=0)
    made.fit(rows.distance, rows.y, aux=aux)
    plain.fit(rows.negated, rows.y, aux=aux)
    np.testing.assert_array_equal(made.hull_.tpr, plain.hull_.tpr)
    for condition in (COSTS, LIMIT):
        found, expected = made.thresholds(condition), plain.thresholds(condition)
        assert found == {name: 0 - threshold for name, threshold in expected.items()}
    policy, mirrored = made.policy(), plain.policy()
    restored = rh.segments.SegmentPolicy.from_json(policy.to_json())
    assert restored.thresholds(COSTS) == {k: 0 - t for k, t in mirrored.thresholds(COSTS).items()}
    for condition in (COSTS, LIMIT, rh.Capacity(cases=77)):
        expected = mirrored.decide(rows.negated, condition, aux=aux, key=KEYS)
        for own in (policy, restored):
            np.testing.assert_array_equal(own.decide(rows.distance, condition, aux=aux, key=KEYS), expected)
    sql = restored.to_sql(LIMIT, "duckdb", key="key", columns={"score": "distance"})
    assert in_duckdb(sql, rows) == restored.decide(rows.distance, LIMIT, aux=aux, key=KEYS).tolist()


# --- reports -------------------------------------------------------------------------------------


def without_direction(facts: Any) -> Any:
    """Facts without what must differ: the direction, thresholds and what is deployed."""
    if isinstance(facts, dict):
        differing = {"lower_is_positive", "threshold", "thresholds", "high", "deploy", "fixed", "scores"}
        return {k: without_direction(v) for k, v in facts.items() if k not in differing}
    return [without_direction(v) for v in facts] if isinstance(facts, list) else facts


def test_reports_are_mirrored(rows: pd.DataFrame) -> None:
    found = []
    for hybrid, column in zip(hybrids(rows), ("distance", "negated"), strict=True):
        scores = {"d": rows[column], "s": rows.score}
        sure = Uncertainty(rows.y, scores, n_resamples=60, folds=rows.fold)
        segment = Segmentation(rows.y, {"d": rows[column]}, {"kind": rows.kind}, cv=3)
        report = rh.Report(hybrid, COSTS, uncertainty=sure, segment=segment)
        found.append(report)
    one, other = (report.facts for report in found)
    assert without_direction(one) == without_direction(other)
    signs = [
        ["d" in c["name"] and c["lower_is_positive"] for c in facts["classifiers"]] for facts in (one, other)
    ]
    assert signs == [[True, False], [False, False]]
    owned = [
        [rule for rules in facts["hybrid"]["owners"] for rule in rules if rule["classifier"] == "d"]
        for facts in (one, other)
    ]
    assert [rule["threshold"] for rule in owned[0]] == [-rule["threshold"] for rule in owned[1]]
    assert [rule.get("lower_is_positive") for rule in owned[0]] == [True] * len(owned[1])
    mirrored = [[row["threshold"] for row in facts["segments"]["rows"]] for facts in (one, other)]
    assert mirrored[0] == [-t for t in mirrored[1]]
    assert one["segments"]["fixed"] == -other["segments"]["fixed"]
    alone = rh.Hybrid().add("d", rows.y, rows.distance, lower_is_positive=True)
    assert "d ≤ " in rh.Report(alone, COSTS).to_text()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line, in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments: str) -> Outcome:
        status = app.main(list(arguments))
        out, err = capsys.readouterr()
        return Outcome(status, out, "".join(x for x in err.splitlines(keepends=True) if "compiling" not in x))

    return invoke


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_command_line_declares_and_suggests(rows: pd.DataFrame, run: Run, engine: str) -> None:
    rows.to_csv("t.csv", index=False)
    common = ("report", "t.csv", "--label", "y", "--score", "distance", "--engine", engine)
    asked = run(*common)
    assert asked.status == 0
    assert "warning: score column 'distance': the AUC is" in asked.err
    assert "declare that by --lower-is-positive" in asked.err
    assert "UserWarning" not in asked.err
    costly = run(*common, "--cost-fn", "3")  # a hybrid's need looks at the scores once more
    assert (costly.status, costly.err.count("the AUC is")) == (0, 1)
    lower = (*common, "--lower-is-positive", "distance", "--cost-fn", "3", "--segment", "kind")
    told = run(*lower, "-o", "r.json", "--policy", "p.json")
    assert (told.status, told.err) == (0, "")
    facts = json.loads(Path("r.json").read_text())
    assert "--lower-is-positive distance" in " ".join(facts["command"])
    assert (
        run("decide", "p.json", "t.csv", "--cost-fn", "3", "--prevalence", "0.3", "-o", "d.csv").status == 0
    )
    called = pd.read_csv("d.csv").decision.to_numpy()
    assert rows.distance[called].mean() < rows.distance[~called].mean()
    sql = run("sql", "p.json", "--dialect", "duckdb", "--cost-fn", "3", "--prevalence", "0.3").out
    assert in_duckdb(sql, rows) == called.tolist()


@pytest.mark.parametrize("method", ["pav", "logistic"])
def test_calibrate_declares_and_suggests(rows: pd.DataFrame, run: Run, method: str) -> None:
    rows.to_csv("t.csv", index=False)
    common = ("calibrate", "t.csv", "--label", "y", "--score", "distance", "--method", method)
    asked = run(*common)
    assert asked.err.count("warning: score column 'distance': the AUC is") == 1
    assert asked.err.count("\n") == 1
    told = run(*common, "--lower-is-positive", "distance", "--model", "m.json")
    assert (told.status, told.err) == (0, "")
    assert run("calibrate", "t.csv", "--apply", "m.json", "-o", "c.csv").status == 0
    made = {"pav": rh.PavCalibrator(), "logistic": rh.LogisticCalibrator()}[method]
    expected = made.fit(rows.negated, rows.y).posterior(rows.negated)
    np.testing.assert_allclose(pd.read_csv("c.csv").posterior, expected, rtol=1e-12)
    wrong = run("calibrate", "t.csv", "--apply", "m.json", "-o", "c.csv", "--lower-is-positive", "distance")
    assert "--lower-is-positive has no effect with --apply" in wrong.err
