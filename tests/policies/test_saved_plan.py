"""Plans of every kind as documents: read again they are the same and decide alike, and faults are named."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import golden_cases
import rochull as rh
from plan_cases import PLANS, cases
from rochull._core.schemas import checksum
from rochull.cli.app import main

KINDS = [*PLANS]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.filterwarnings("ignore:aux:UserWarning")
def test_read_again_it_decides_alike(name: str) -> None:
    made = rh.policies.SavedPlan.of(PLANS[name], condition="a test", salt="salt", about={"by": "me"})
    read = rh.policies.SavedPlan.from_json(made.to_json())
    assert read.to_json() == made.to_json()
    assert str(read.found) == str(made.found)
    assert (read.condition, read.salt, dict(read.about)) == ("a test", "salt", {"by": "me"})
    table = cases()
    assert read.decide(table, key="key").tolist() == made.decide(table, key="key").tolist()
    assert read.to_sql("duckdb", key="key") == made.to_sql("duckdb", key="key")


def test_a_cascade_s_point_can_be_saved_and_decides_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.4
    scores = {
        "cheap": np.round(rng.normal(size=400) + y, 1),
        "dear": np.round(rng.normal(size=400) + 3 * y, 1),
    }
    cascade = rh.Cascade({"cheap": 0, "dear": 0.05}, n_strata=8).fit(scores, y)
    cost = rh.ExpectedCost(prevalence=0.4)
    saved = rh.policies.SavedPlan.of(cascade.policy().at(cost), condition=cost.describe())
    monkeypatch.chdir(tmp_path)
    saved.save("plan.json")
    expected = cascade.policy().decide(scores, cost)
    assert rh.policies.SavedPlan.load("plan.json").decide(scores).tolist() == expected.tolist()
    pl.DataFrame(scores).write_parquet("t.parquet")
    assert main(["decide", "plan.json", "t.parquet", "-o", "o.parquet"]) == 0
    assert pl.read_parquet("o.parquet")["decision"].to_list() == expected.tolist()
    assert "Plan, as it was saved: cheap <" in capsys.readouterr().out.replace("\n", " ")
    assert main(["sql", "plan.json", "--dialect", "spark", "--max-fpr", "0.1"]) == 2
    assert "--max-fpr cannot change a saved plan" in capsys.readouterr().err


def test_a_point_of_several_classes_can_be_saved() -> None:
    rng = np.random.default_rng(0)
    outputs = rng.dirichlet(np.ones(3), 200)
    y = np.array(["a", "b", "c"])[outputs.argmax(axis=1)]
    points = rh.MulticlassRoc(y, outputs, classes=["a", "b", "c"]).points_at([[1, 2, 3], [3, 1, 1]])
    policy, point = rh.multiclass.MulticlassPolicy.from_points(points), points[0]
    saved = rh.policies.SavedPlan.from_json(rh.policies.SavedPlan.of(point).to_json())
    columns = dict(zip("abc", outputs.T, strict=True))
    assert saved.decide(columns).tolist() == policy.decide(columns, point).tolist()
    assert saved.points == {}


@pytest.mark.parametrize("kind", ["fixed", "groups"])
def test_rates_are_kept_and_earlier_documents_have_them(kind: str) -> None:
    path = golden_cases.FILES / f"{kind}_{'mixture' if kind == 'fixed' else 'several'}.json"
    document = json.loads(path.read_text(encoding="utf-8"))["document"]
    saved = rh.policies.SavedPlan.from_dict(document)
    read = rh.policies.SavedPlan.from_json(saved.to_json())
    told = [document] if kind == "fixed" else document["groups"]
    assert [*read.points] == [each.get("group", "") for each in told]
    for point, each in zip(read.points.values(), told, strict=True):
        assert (point.fpr, point.tpr) == (each["fpr"], each["tpr"])
        assert [share for _, share in point.rules] == [part["probability"] for part in each["rules"]]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("asked", {"edges": [0.75, 0.25]}, "the edges do not ascend"),
        ("asked", {"edges": [0.25]}, "not one plan for each range of scores"),
        ("asked", {"kind": "guess"}, "it must be 'decide' or 'ask'"),
        ("lot", {"shares": [0.5, 0.5, 0.5]}, "do not add up to 1"),
        ("classes", {"weights": [0, 0, 0]}, "not one weight for each"),
        ("segments", {"branches": []}, "at least 1 item"),
        ("groups", {"bins": {"column": "kind", "groups": ["x", "x"]}}, "a group occurs twice"),
    ],
)
def test_what_no_document_holds(kind: str, change: dict[str, Any], message: str) -> None:
    document = json.loads(rh.policies.SavedPlan.of(PLANS[kind]).to_json())
    document["plan"] |= change
    with pytest.raises(rh.PolicyError, match=message):
        rh.policies.SavedPlan.from_dict({**document, "checksum": checksum(document)})


def test_what_is_no_plan_to_save() -> None:
    point = rh.roc_hull([1, 0, 1, 0], [4, 3, 2, 1]).at(rh.Accuracy())
    with pytest.raises(ValueError, match="without a classifier's name"):
        rh.policies.SavedPlan.of(point)
    deep: dict[str, Any] = {"kind": "decide", "rule": {"kind": "never"}}
    for _ in range(70):
        deep = {"kind": "ask", "classifier": "a", "edges": [], "branches": [deep]}
    document = {**rh.policies.SavedPlan.of(PLANS["rule"]).to_dict(), "plan": deep}
    with pytest.raises(rh.PolicyError, match=r"the plan is not valid at plan\.branches\.0\.branches"):
        rh.policies.SavedPlan.from_dict({**document, "checksum": checksum(document)})


@pytest.mark.parametrize(
    ("high", "low"),
    [
        ({"threshold": 1.0}, {"threshold": 2}),
        ({"threshold": 2.0, "lower_is_positive": True}, {"threshold": 1.0, "lower_is_positive": True}),
        ({"threshold": 2.0}, {"threshold": 3.0, "lower_is_positive": True}),
        ({"kind": "always"}, {"threshold": 1.0}),
        ({"threshold": 1.0}, {"kind": "never"}),
    ],
)
def test_a_band_reviews_what_is_next_to_its_positives(high: dict[str, Any], low: dict[str, Any]) -> None:
    def rule(given: dict[str, Any]) -> dict[str, Any]:
        return given if "kind" in given else {"kind": "threshold", "classifier": "a", **given}

    document = rh.policies.SavedPlan.of(PLANS["rule"]).to_dict()
    for one, other in ((high, low), (low, high)):
        band = {"kind": "band", "high": rule(one), "low": rule(other)}
        changed = {**document, "plan": {"kind": "decide", "rule": band}}
        read, sealed = rh.policies.SavedPlan.from_dict, {**changed, "checksum": checksum(changed)}
        both_ways = one.get("lower_is_positive", False) != other.get("lower_is_positive", False)
        if one is high or both_ways:
            with pytest.raises(rh.PolicyError, match="positive that its rule for reviews does not pass"):
                read(sealed)
        else:
            read(sealed)
