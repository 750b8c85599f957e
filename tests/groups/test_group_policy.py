"""What is deployed of a rule of groups: it decides as the rule does, from a file and in SQL."""

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import rochull as rh
from refusals import refuses
from rochull.groups import GroupPolicy

NAMES: dict[str, list[Any]] = {
    "texts": ["a", "b'; --", "ç d"],
    "missing text": ["a", "b", None],
    "numbers": [1, 2.5, 10**12],
    "missing number": [1, 2.5, None],
    "truth": [True, False],
}


def population(names: list[Any], n: int = 600) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    which = rng.integers(0, len(names), n)
    y = rng.random(n) < np.array([0.2, 0.4, 0.3])[which]
    return y.astype(int), np.round(rng.normal(size=n) + y * np.array([0.6, 1.2, 2])[which], 2), which


def rule_of(names: list[Any], constraint: str = "equalised_odds") -> rh.groups.GroupRule:
    y, s, which = population(names)
    hulls = {name: rh.roc_hull(y[which == i], s[which == i]) for i, name in enumerate(names)}
    return rh.constrain_groups(hulls, rh.Accuracy(), constraint, salt="x")


@pytest.mark.parametrize("constraint", ["none", "demographic_parity", "equalised_odds"])
@pytest.mark.parametrize("kind", NAMES)
def test_file_and_sql_decide_as_the_rule(kind: str, constraint: str, tmp_path: Path) -> None:
    names = NAMES[kind]
    _, s, which = population(names)
    rule, key = rule_of(names, constraint), np.arange(s.size)
    group = [names[i] for i in which]
    wanted = rule.decide(s, group, key=key)
    rule.policy("g", about={"from": "a test"}).save(tmp_path / "p.json")
    policy = GroupPolicy.load(tmp_path / "p.json")
    assert policy.to_json() == rule.policy("g", about={"from": "a test"}).to_json()
    cases = pd.DataFrame({"g": pd.Series(group), "score": s, "id": key})
    assert np.array_equal(policy.decide(cases, key="id"), wanted)
    assert np.array_equal(policy.decide(s, group, key=key), wanted)
    for sql in (policy.to_sql("duckdb", key="id"), rule.to_sql("duckdb", group=("cases", "g"), key="id")):
        found = duckdb.sql(f"SELECT {sql} AS d FROM cases").fetchnumpy()["d"]
        assert np.array_equal(found, wanted)


def test_other_groups_are_null_in_sql_unless_a_point_decides_them() -> None:
    rule = rule_of([1, 2])
    other = rh.conditions.OperatingPoint(0.1, 0.5, ((rh.conditions.Rule("threshold", None, 0.5), 1.0),))
    cases = pd.DataFrame({"g": [1.0, 7.0, np.nan], "score": [9.0, 0.6, 0.6], "id": [1, 2, 3]})
    policy = rule.policy("g")
    sql = policy.to_sql("duckdb", key="id")
    assert duckdb.sql(f"SELECT {sql} AS d FROM cases").fetchall() == [(True,), (None,), (None,)]
    with pytest.raises(ValueError, match="2 cases are of no group that has a rule"):
        policy.decide(cases, key="id")
    sql = policy.to_sql("duckdb", key="id", unseen=other)
    assert duckdb.sql(f"SELECT {sql} AS d FROM cases").fetchall() == [(True,)] * 3
    with pytest.warns(UserWarning, match="They are decided by unseen"):
        assert policy.decide(cases, key="id", unseen=other).all()


@pytest.mark.parametrize("dialect", ["oracle", "tsql", "spark", "postgres", "bigquery", "snowflake"])
def test_every_dialect_writes_it(dialect: str) -> None:
    for names in NAMES.values():
        text = rule_of(names).to_sql(dialect, group="sex", key="id", columns={"score": "v7"})
        assert text.startswith("CASE WHEN ")
        assert "v7" in text


def test_what_is_wrong() -> None:
    rule = rule_of(["a", "b"])
    with pytest.raises(ValueError, match="key is needed: the decision is a mixture"):
        rule.to_sql("duckdb", group="g")
    with pytest.raises(ValueError, match="column must not be empty"):
        rule.policy("")
    with pytest.raises(ValueError, match="group is needed: scores has no column 'g', for it has no names"):
        rule.policy("g").decide([1.0, 2.0])
    with pytest.raises(ValueError, match=r"'g'.*which tells the group"):
        rule.policy("g").decide({"score": [1.0]})
    with pytest.raises(ValueError, match=r"scores is a path, 'x\.parquet'; read the file"):
        rule.policy("g").decide("x.parquet")
    with pytest.raises(ValueError, match="holds texts and numbers, which no column of a database does"):
        rule_of(["a", 1]).to_sql("duckdb", group="g", key="id")
    with pytest.raises(ValueError, match=r"texts, truth values or finite numbers, not \('a', 1\)"):
        rule_of([("a", 1), "b"]).policy("g")


def test_what_no_document_holds() -> None:
    found = rule_of(["a", "b"]).policy("g").to_dict()
    for change, message in (
        ({"bins": {"column": "g", "groups": ["a", "a"]}}, "a group occurs twice"),
        ({"bins": {"column": "g", "groups": []}}, "at least 1 item"),
        ({"bins": {"column": "", "groups": ["a", "b"]}}, "must not be empty"),
    ):
        changed = {**found, "plan": {**found["plan"], **change}}
        text = json.dumps({**changed, "checksum": rh._core.schemas.checksum(changed)})
        with pytest.raises(ValueError, match=message):
            GroupPolicy.from_json(text)
    for rates, message in (([], "not that of groups"), (found["rates"][:1], "not rates for each rule")):
        changed = {**found, "rates": rates}
        with pytest.raises(ValueError, match=message):
            GroupPolicy.from_json(json.dumps({**changed, "checksum": rh._core.schemas.checksum(changed)}))


def test_a_hybrid_is_taken_by_its_hull_and_a_range_is_refused() -> None:
    y, s, which = population(["a", "b"])
    hybrids = {
        name: rh.Hybrid().add("m", y[which == i], s[which == i]).add("n", y[which == i], s[which == i][::-1])
        for i, name in enumerate("ab")
    }
    rule = rh.constrain_groups(hybrids, rh.Accuracy(), "equal_tpr")
    assert (
        rule.cost
        == rh.constrain_groups({g: h.hull for g, h in hybrids.items()}, rh.Accuracy(), "equal_tpr").cost
    )
    message = (
        r"condition must be precise, but has cost_fn=\(1\.0, 5\.0\); for a range no rule of groups is found"
    )
    refuses(message, rh.constrain_groups, hybrids, rh.ExpectedCost(1, (1, 5)), "equal_tpr")


def test_a_row_for_each_group() -> None:
    rule = rule_of(["a", "b"])
    frame = rule.to_frame("pandas")
    assert frame["group"].tolist() == ["a", "b"]
    assert frame["fpr"].tolist() == [rates.fpr for rates in rule.rates.values()]
    assert frame["rule"].tolist() == [point.words for point in rule.points.values()]
