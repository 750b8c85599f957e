"""Policies whose rules are fixed, in ``decide`` and ``sql``: asked nothing, they decide as in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import rochull as rh
from command_line import GERMAN, LABEL, Run, hybrid
from rochull._core.table_files import read_columns

ENGINES = ["memory", "duckdb"]


def written(path: str, columns: dict[str, Any]) -> str:
    """Columns as a file, CSV or Parquet; None is a null."""
    getattr(duckdb.from_arrow(pa.table(columns)), f"write_{path.rpartition('.')[2]}")(path)
    return path


def group_policy(names: list[Any]) -> rh.groups.GroupPolicy:
    """Rules of groups, some of which are mixtures."""
    rng = np.random.default_rng(1)
    which = rng.integers(0, len(names), 600)
    y = rng.random(600) < np.array([0.2, 0.4, 0.3])[which]
    score = np.round(rng.normal(size=600) + y * np.array([0.6, 1.2, 2])[which], 2)
    hulls = {name: rh.roc_hull(y[which == i], score[which == i]).named("gbm") for i, name in enumerate(names)}
    found = rh.constrain_groups(hulls, rh.Accuracy(), "equalised_odds", salt="x").policy("land")
    assert any(len(point.rules) > 1 for point in found.points.values())
    return found


def cases(names: list[Any], n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(2)
    score = [None, *np.round(rng.normal(size=n - 1), 2).tolist()]
    return {"id": list(range(n)), "gbm": score, "land": [names[i] for i in rng.integers(0, len(names), n)]}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    "names", [["a", "b'; --", "ç d"], ["a", None], [1, 2, 10**12], [True, False]], ids=str
)
def test_groups_are_decided_as_in_python(run: Run, names: list[Any], suffix: str) -> None:
    policy, table = group_policy(names), cases(names)
    policy.save("p.json")
    path = written(f"cases.{suffix}", table)
    with pytest.warns(UserWarning, match="1 missing values"):
        wanted = policy.decide(table, key="id")
    for engine in ENGINES:
        done = run("decide", "p.json", path, "--key", "id", "-o", f"o.{suffix}", "--engine", engine)
        assert done.status == 0, done.err
        assert "scores['gbm'] has 1 missing values, which pass no threshold." in done.err
        assert max(map(len, done.out.splitlines())) <= 80
        assert "Rules by 'land', as they were saved (rates in-sample):\n  " in done.out
        assert f"Positive: {wanted.sum()} of 300 cases" in done.out
        assert read_columns(f"o.{suffix}", ["decision"])["decision"].tolist() == wanted.tolist()
    sql = run("sql", "p.json", "--dialect", "duckdb", "--key", "id")
    assert (sql.status, sql.err) == (0, "")
    assert sql.out == policy.to_sql("duckdb", key="id") + "\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_groups_in_columns_of_other_names(run: Run, engine: str) -> None:
    policy, table = group_policy(["a", "b"]), cases(["a", "b"])
    policy.save("p.json")
    path = written("t.parquet", {"id": table["id"], "s": table["gbm"], "where": table["land"]})
    places = ["--column", "gbm=s", "--column", "land=where"]
    done = run("decide", "p.json", path, "--key", "id", *places, "-o", "o.csv", "--engine", engine)
    assert done.status == 0, done.err
    with pytest.warns(UserWarning, match="1 missing values"):
        wanted = policy.decide(table, key="id")
    assert read_columns("o.csv", ["decision"])["decision"].tolist() == wanted.tolist()
    text = run("sql", "p.json", "--dialect", "postgres", "--key", "id", "--column", "land=t.where").out
    assert '"t"."where" IN' in text
    missing = run("decide", "p.json", path, "--key", "id", *places[:2], "-o", "p.csv", "--engine", engine)
    assert missing.status == 1
    assert "--column land=<its column>" in missing.err


@pytest.mark.parametrize("engine", ENGINES)
def test_a_case_of_a_group_without_a_rule_is_refused(run: Run, engine: str) -> None:
    group_policy(["a", "b"]).save("p.json")
    path = written("t.csv", {"id": [1, 2, 3], "gbm": [0.1, 0.2, 0.3], "land": ["a", "z", None]})
    done = run("decide", "p.json", path, "--key", "id", "-o", "o.csv", "--engine", engine)
    assert (done.status, Path("o.csv").exists()) == (1, False)
    assert "cases are of no group that has a rule" in done.err
    assert "unseen" not in done.err
    assert done.err.count("\n") == 1


def test_what_is_counted_is_counted_by_either_engine(run: Run) -> None:
    """Scores that float32 has rounded past a threshold of their own group, and keys that repeat."""
    hulls = {
        "a": rh.roc_hull([0, 1], [0.0, 0.7]).named("gbm"),
        "b": rh.roc_hull([0, 1], [0.7, 0.9]).named("gbm"),
    }
    rh.constrain_groups(hulls, rh.Accuracy(0.5), "none").policy("land").save("p.json")
    rounded = pa.array(np.array([0.7, 0.7, 0.9], np.float32))
    path = written("t.parquet", {"gbm": rounded, "land": ["a", "b", "b"]})
    policy, table = group_policy(["a", "b"]), cases(["a", "b"])
    policy.save("q.json")
    again = written("u.csv", {**table, "id": [i % 100 for i in table["id"]]})
    said = []
    for engine in ENGINES:
        done = run("decide", "p.json", path, "-o", "o.parquet", "--engine", engine)
        assert done.status == 0, done.err
        assert "scores: 2 of 3 cases have a threshold of the policy as their score" in done.err
        done = run("decide", "q.json", again, "--key", "id", "-o", "o.csv", "--engine", engine)
        assert done.status == 0, done.err
        assert "that are decided by lot repeat the key of another one" in done.err
        said.append(Path("o.csv").read_text(encoding="utf-8"))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (
            ["--max-fpr", "0.1"],
            "--max-fpr cannot change a saved plan, which decides as it was saved; leave it out.",
        ),
        (["--cost-fn", "5", "--prevalence", "0.1"], "--cost-fn cannot change a saved plan"),
        (["--minimise", "max-error"], "--minimise cannot change a saved plan"),
        (["--deterministic"], "--deterministic cannot change a saved plan"),
        (["--max-calls", "1"], "--max-calls is for cascades, which a saved plan is not."),
        (["--prevalence", "0.1"], "--prevalence has no effect without a condition."),
    ],
)
def test_nothing_is_asked(run: Run, typed: list[str], message: str) -> None:
    group_policy(["a", "b"]).save("p.json")
    path = written("t.csv", cases(["a", "b"]))
    for done in (
        run("decide", "p.json", path, *typed, "-o", "o.csv"),
        run("sql", "p.json", "--dialect", "duckdb", *typed),
    ):
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert message in done.err
    done = run("decide", "p.json", path, "--cases-of", "a=3", "-o", "o.csv")
    assert "--cases-of is for a policy by segment, which this one is not." in done.err


def test_a_mixture_needs_a_key_in_sql_and_says_so_of_lots(run: Run) -> None:
    group_policy(["a", "b"]).save("p.json")
    path = written("t.csv", cases(["a", "b"]))
    done = run("sql", "p.json", "--dialect", "duckdb")
    assert (done.status, "--key is needed" in done.err) == (1, True)
    done = run("decide", "p.json", path, "-o", "o.csv")
    assert "The rule is randomised: give --key or --random-state" in done.out
    done = run("decide", "p.json", path, "-o", "o.csv", "--engine", "duckdb")
    assert "--engine memory" in done.err


# --- one rule ---------------------------------------------------------------------------------------

SCORED = ["--score", "logistic", "--score", "boosted"]
ASSURED = {
    "limit": (["--max-fpr", "0.1"], rh.NeymanPearson(0.1, confidence=0.9)),
    "precision": (["--min-precision", "0.5"], rh.MinimumPrecision(0.5, confidence=0.9)),
    "range": (
        ["--cost-fn", "3:8", "--prevalence", "0.3", "--max-fpr", "0.4"],
        rh.Within(rh.ExpectedCost(1, (3, 8), 0.3), [rh.FalsePositiveRate() <= 0.4], confidence=0.9),
    ),
    "review": (["--max-decided-error", "0.2"], rh.Review(max_error=0.2, confidence=0.9)),
}


@pytest.mark.parametrize("kind", ASSURED)
def test_an_assured_rule_from_report_to_sql(run: Run, kind: str) -> None:
    typed, condition = ASSURED[kind]
    words = [*LABEL, *SCORED, *typed, "--confidence", "0.9", "--policy", "p.json"]
    done = run("report", GERMAN, *words)
    assert done.status == 0, done.err
    assert "The policy holds the assured rule alone: rochull decide and rochull sql take it" in done.out
    found = hybrid(["logistic", "boosted"])
    point = found.regret(condition).least_worst.point if kind == "range" else found.at(condition)
    assert point is not None
    table = read_columns(GERMAN, ["logistic", "boosted"])
    wanted = found.policy().decide(table, point).tolist()
    assert len(set(wanted)) > 1
    policy = rh.policies.FixedPolicy.load("p.json")
    for engine in ENGINES:
        done = run("decide", "p.json", GERMAN, "-o", "o.csv", "--engine", engine)
        assert (done.status, done.err) == (0, "")
        said = " ".join(done.out.split())
        assert f"Condition: {policy.condition} Rule, as it was saved: " in said
        assert "kept in the population with confidence 0.9" in said
        assert max(map(len, done.out.splitlines())) <= 80
        assert read_columns("o.csv", ["decision"])["decision"].tolist() == wanted
    text = run("sql", "p.json", "--dialect", "duckdb").out
    assert [each for (each,) in duckdb.sql(f"SELECT {text} FROM '{GERMAN}'").fetchall()] == wanted
    done = run("decide", "p.json", GERMAN, "--max-fpr", "0.2", "-o", "n.csv")
    assert (done.status, Path("n.csv").exists()) == (2, False)
    assert done.err == (
        "rochull: --max-fpr cannot change a saved plan, which decides as it was saved "
        f"({policy.condition}); leave it out.\n"
    )


def test_a_point_that_lots_decide(run: Run) -> None:
    """Words and truth values, by keys, by either engine."""
    found = hybrid(["logistic", "boosted"])
    table = read_columns(GERMAN, ["logistic", "boosted"])
    path = written("t.parquet", {"id": list(range(1000)), **table})
    for condition in (rh.NeymanPearson(0.123), rh.Review(1, 2, 0.01, max_share=0.2)):
        point = found.at(condition)
        assert len(point.rules) > 1
        policy = rh.policies.FixedPolicy.from_point(point, salt="x")
        policy.save("p.json")
        wanted = policy.decide(table, key=np.arange(1000)).tolist()
        for engine in ENGINES:
            done = run("decide", "p.json", path, "--key", "id", "-o", "o.csv", "--engine", engine)
            assert (done.status, done.err) == (0, "")
            assert "Condition" not in done.out
            assert read_columns("o.csv", ["decision"])["decision"].tolist() == wanted
